"""Readers of JSON that see another value than the one that was meant, or see one where there is none."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from nostrmcp.conformance.operations import Value
from nostrmcp.nostr import ErrorClass, Violation, strict_json
from tests.zoo.member import Operations, member, patched, refusal

Pairs = list[tuple[str, Any]]
Read = Callable[[bytes], Any]

_JSON_INSIDE = "parse_event parse_relay_frame parse_client_frame unwrap gift_unwrap"


def reader(read: Read) -> Operations:
    """`read` in the place of our reader, wherever JSON is read."""

    def load(data: bytes | str) -> Any:
        try:
            return read(data.encode() if isinstance(data, str) else data)
        except ValueError:
            raise refusal(ErrorClass.INVALID_JSON) from None

    def parse(given: Value) -> Value:
        value = load(bytes.fromhex(given["raw_hex"]) if "raw_hex" in given else given["raw"])
        return {"canonical": json.dumps(value, ensure_ascii=False, separators=(",", ":"))}

    changes = (
        (strict_json, "load", load),
        (strict_json, "parse", load),
        (strict_json, "settle", lambda data, value: None),
        (strict_json, "refuse_repeated_keys", lambda data, canonical: None),
    )
    return {"json_parse": parse} | patched(_JSON_INSIDE, *changes)


def _no_repeats(pairs: Pairs) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise refusal(ErrorClass.DUPLICATE_KEY)
    return members


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise refusal(ErrorClass.NUMBER_OUT_OF_RANGE)
    return value


def _integer(digits: str) -> int:
    if len(digits) > 600:
        raise refusal(ErrorClass.NUMBER_OUT_OF_RANGE)
    return int(digits)


def _no_constant(name: str) -> Any:
    raise refusal(ErrorClass.INVALID_JSON)


def _no_lone_surrogates(value: Any) -> Any:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise refusal(ErrorClass.LONE_SURROGATE) from None
    return value


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def _depth(text: str) -> int:
    """How deep a text nests."""
    return _brackets_open(_STRING.sub("", text))


def _brackets_open(text: str) -> int:
    """How many brackets are open at once in a text, in strings too."""
    depth = deepest = 0
    for character in text:
        depth += (character in "[{") - (character in "]}")
        deepest = max(deepest, depth)
    return deepest


@dataclass(frozen=True)
class Reader:
    """A strict reader on Python's own, with one knob for each thing to get wrong."""

    decode: Callable[[bytes], str] = bytes.decode
    before: Callable[[str], str] = str
    pairs: Callable[[Pairs], Any] = _no_repeats
    integer: Callable[[str], Any] = _integer
    real: Callable[[str], Any] = _finite
    constant: Callable[[str], Any] = _no_constant
    after: Callable[[Any], Any] = _no_lone_surrogates
    max_depth: float = 128
    strict: bool = True
    whole: bool = True

    def __call__(self, data: bytes) -> Any:
        try:
            text = self.before(self.decode(data))
        except UnicodeDecodeError:
            raise refusal(ErrorClass.INVALID_UTF8) from None
        if _depth(text) > self.max_depth:
            raise refusal(ErrorClass.TOO_DEEP)
        decoder = json.JSONDecoder(
            object_pairs_hook=self.pairs,
            parse_int=self.integer,
            parse_float=self.real,
            parse_constant=self.constant,
            strict=self.strict,
        )
        try:
            return self.after(decoder.decode(text) if self.whole else decoder.raw_decode(text.lstrip())[0])
        except json.JSONDecodeError:
            raise refusal(ErrorClass.INVALID_JSON) from None


def second_try(**knobs: Any) -> Read:
    """A reader that mends what is not JSON; what is JSON it reads as everyone does."""

    def read(data: bytes) -> Any:
        try:
            return Reader()(data)
        except Violation as refused:
            if refused.error_class is not ErrorClass.INVALID_JSON:
                raise
            return Reader(**knobs)(data)

    return read


def few_brackets(text: str) -> str:
    if _brackets_open(text) > 128:
        raise refusal(ErrorClass.TOO_DEEP)
    return text


def first_of_equal_keys(pairs: Pairs) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        members.setdefault(key, value)
    return members


def equal_values_are_fine(pairs: Pairs) -> dict[str, Any]:
    members = dict(pairs)
    if any(members[key] != value for key, value in pairs):
        raise refusal(ErrorClass.DUPLICATE_KEY)
    return members


def outermost_object_only(data: bytes) -> Any:
    repeated = [False]

    def note(pairs: Pairs) -> dict[str, Any]:
        repeated.append(len(dict(pairs)) != len(pairs))
        return dict(pairs)

    value = Reader(pairs=note)(data)
    if isinstance(value, dict) and repeated[-1]:
        raise refusal(ErrorClass.DUPLICATE_KEY)
    return value


def keys_as_spelled(data: bytes) -> Any:
    Reader()(data.replace(b"\\u", b"\\\\u"))
    return Reader(pairs=dict)(data)


def keys_of_all_objects_together(data: bytes) -> Any:
    seen: set[str] = set()

    def once(pairs: Pairs) -> dict[str, Any]:
        for key, _ in pairs:
            if key in seen:
                raise refusal(ErrorClass.DUPLICATE_KEY)
            seen.add(key)
        return dict(pairs)

    return Reader(pairs=once)(data)


def keys_by_pattern(data: bytes) -> Any:
    keys = re.findall(rb'[{,]\\?"(\w*)\\?":', data)
    if len(keys) != len(set(keys)):
        raise refusal(ErrorClass.DUPLICATE_KEY)
    return Reader()(data)


def colons_counted(data: bytes) -> Any:
    """Our own reader's short cut without its one precaution."""
    value = Reader(pairs=dict)(data)
    if data.count(b":") > json.dumps(value, separators=(",", ":")).count(":"):
        raise refusal(ErrorClass.DUPLICATE_KEY)
    return value


def naive_utf8(data: bytes) -> str:
    """A decoder that shifts bits together and looks at nothing but the first byte's length."""
    text, at = "", 0
    while at < len(data):
        first = data[at]
        length = 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        code = first if length == 1 else first & 0x7F >> length
        for byte in data[at + 1 : at + length]:
            code = code << 6 | byte & 0x3F
        text += chr(code)
        at += length
    return text


def replacement_characters(value: Any) -> Any:
    text = json.dumps(value, ensure_ascii=False)
    return json.loads(re.sub("[\ud800-\udfff]", "\ufffd", text))


def like_javascript_source(text: str) -> str:
    without_comments = re.sub(r"//.*", "", text)
    return re.sub(r",\s*([\]}])", r"\1", without_comments).replace("'", '"')


def closed_where_cut(text: str) -> str:
    missing: list[str] = []
    for character in text:
        if character in "[{":
            missing.append("]" if character == "[" else "}")
        elif character in "]}" and missing:
            missing.pop()
    return text + "".join(reversed(missing))


def refusing(pattern: str) -> Callable[[str], str]:
    def before(text: str) -> str:
        if re.search(pattern, text):
            raise refusal(ErrorClass.INVALID_JSON)
        return text

    return before


def through_a_float(digits: str) -> int:
    return int(_finite(digits))


def at_most_64_bits(digits: str) -> int:
    value = _integer(digits)
    if not -(2**63) <= value < 2**64:
        raise refusal(ErrorClass.NUMBER_OUT_OF_RANGE)
    return value


def huge_integers_crash(data: bytes) -> Any:
    """What Python's own limit does to a caller that expects errors of JSON only."""
    try:
        return Reader(integer=int)(data)
    except ValueError as problem:
        raise OverflowError from problem


def sorted_keys(value: Any) -> Any:
    return json.loads(json.dumps(_no_lone_surrogates(value), sort_keys=True))


def no_scalars(value: Any) -> Any:
    if not isinstance(value, (dict, list)):
        raise refusal(ErrorClass.INVALID_JSON)
    return _no_lone_surrogates(value)


def empty_key_renamed(pairs: Pairs) -> dict[str, Any]:
    return _no_repeats([(key or "_empty_", value) for key, value in pairs])


CONTROLS = [member("json-control", "A reader without a bug.", reader(Reader()), fails="")]

# What no reader in use gets wrong. How deep one reads before it gives up depends on its version.
ORDINARY = """
    json-object json-white-space json-escapes json-surrogate-pair json-equal-keys-apart json-keys-like-in-a-string
    json-scalar json-empty-key json-integer-above-2-53 json-depth-64 json-trailing-comma json-comment json-leading-zero
    json-empty json-cut nip01-parse nip01-parse-spaces nip01-parse-key-order nip01-parse-escapes frame-event frame-req
    frame-not-json nip59-unwrap-1059 nip59-unwrap-not-json nip59-gift-unwrap
"""

MEMBERS = [
    member(
        "python-json",
        "Uses json.loads as it comes.",
        reader(json.loads),
        fails="""
            json-duplicate-key json-duplicate-key-same-value json-duplicate-key-nested json-duplicate-key-escaped
            json-duplicate-empty-key json-high-surrogate-alone json-low-surrogate-alone json-surrogates-swapped
            json-surrogate-in-key json-surrogate-as-bytes json-nan json-infinity json-byte-order-mark json-depth-20000
            json-depth-objects json-number-overflow nip01-parse-duplicate-content frame-event-duplicate-key
            frame-publish-duplicate-key frame-req-duplicate-key
        """,
        passes=ORDINARY,
    ),
    member(
        "orjson",
        "Uses orjson.loads as it comes.",
        reader(orjson.loads),
        fails="""
            json-integer-above-2-64 json-integer-of-40-digits json-integer-beside-float json-duplicate-key
            json-duplicate-key-same-value json-duplicate-key-nested json-duplicate-key-escaped json-duplicate-empty-key
            nip01-parse-duplicate-content frame-event-duplicate-key frame-publish-duplicate-key frame-req-duplicate-key
        """,
        passes=ORDINARY,
    ),
    member(
        "last-key-wins",
        "Keeps the last of two equal keys.",
        reader(Reader(pairs=dict)),
        fails="""
            json-duplicate-key json-duplicate-key-same-value json-duplicate-key-nested json-duplicate-key-escaped
            json-duplicate-key-beside-escaped-colon json-duplicate-key-hidden-by-colon json-duplicate-empty-key
            nip01-parse-duplicate-content nip01-parse-duplicate-equal nip01-parse-duplicate-escaped-first
            nip01-parse-duplicate-unknown frame-event-duplicate-key frame-publish-duplicate-key
            frame-req-duplicate-key nip59-unwrap-duplicate-key-last nip59-gift-rumor-duplicate-key
            frame-close-duplicate-key frame-notice-duplicate-key json-duplicate-key-beside-float
        """,
    ),
    member(
        "first-key-wins",
        "Keeps the first of two equal keys.",
        reader(Reader(pairs=first_of_equal_keys)),
        fails="""
            json-duplicate-key json-duplicate-key-same-value json-duplicate-key-nested json-duplicate-key-escaped
            json-duplicate-key-beside-escaped-colon json-duplicate-key-hidden-by-colon json-duplicate-empty-key
            nip01-parse-duplicate-content-first nip01-parse-duplicate-equal nip01-parse-duplicate-escaped
            nip01-parse-duplicate-unknown frame-event-duplicate-key frame-publish-duplicate-key
            frame-req-duplicate-key nip59-unwrap-duplicate-key frame-close-duplicate-key frame-notice-duplicate-key
            json-duplicate-key-beside-float
        """,
    ),
    member(
        "repeats-with-equal-value",
        "Refuses a repeated key only if its values differ.",
        reader(Reader(pairs=equal_values_are_fine)),
        fails="""
            json-duplicate-key-same-value nip01-parse-duplicate-equal frame-event-duplicate-key
            frame-publish-duplicate-key
        """,
    ),
    member(
        "repeats-outermost-only",
        "Looks for repeated keys in the outermost object only.",
        reader(outermost_object_only),
        fails="""
            json-duplicate-key-nested nip01-parse-duplicate-unknown frame-event-duplicate-key
            frame-publish-duplicate-key frame-req-duplicate-key frame-close-duplicate-key frame-notice-duplicate-key
        """,
    ),
    member(
        "repeats-as-spelled",
        "Compares keys before it undoes their escapes.",
        reader(keys_as_spelled),
        fails="json-duplicate-key-escaped nip01-parse-duplicate-escaped-first",
    ),
    member(
        "repeats-across-objects",
        "Takes equal keys of different objects for a repeated key.",
        reader(keys_of_all_objects_together),
        fails="json-equal-keys-apart nip01-parse-unknown-fields",
    ),
    member(
        "repeats-by-pattern",
        "Searches the text for repeated keys by pattern, strings included.",
        reader(keys_by_pattern),
        fails="""
            json-equal-keys-apart json-keys-like-in-a-string nip01-parse-unknown-fields nip59-unwrap-1059
            nip59-unwrap-21059 nip59-unwrap-no-p
        """,
    ),
    member(
        "utf8-replaced",
        "Decodes bad UTF-8 to replacement characters.",
        reader(Reader(decode=lambda data: data.decode(errors="replace"))),
        fails="""
            json-surrogate-as-bytes json-byte-ff json-overlong-utf8 json-cut-utf8 nip59-unwrap-not-utf8
            nip59-gift-rumor-not-utf8
        """,
    ),
    member(
        "utf8-ignored",
        "Skips bytes that are not UTF-8.",
        reader(Reader(decode=lambda data: data.decode(errors="ignore"))),
        fails="json-surrogate-as-bytes json-byte-ff json-overlong-utf8 json-cut-utf8",
    ),
    member(
        "utf8-surrogates",
        "Lets UTF-8 bytes of surrogates through, as Java and Python's own json do.",
        reader(Reader(decode=lambda data: data.decode(errors="surrogatepass"), after=lambda value: value)),
        fails="""
            json-high-surrogate-alone json-low-surrogate-alone json-surrogates-swapped json-surrogate-in-key
            json-surrogate-as-bytes
        """,
    ),
    member(
        "utf8-by-hand",
        "Decodes UTF-8 without refusing overlong forms.",
        reader(Reader(decode=naive_utf8)),
        fails="json-overlong-utf8",
    ),
    member(
        "lone-surrogates-replaced",
        "Turns half of a surrogate pair into a replacement character, as Go does.",
        reader(Reader(after=replacement_characters)),
        fails="""
            json-high-surrogate-alone json-low-surrogate-alone json-surrogates-swapped json-surrogate-in-key
            nip01-parse-lone-surrogate
        """,
    ),
    member(
        "surrogate-pairs-refused",
        "Takes each half of an escaped surrogate pair for a lone one.",
        reader(Reader(before=refusing(r"\\u[dD][89abAB]"))),
        fails="json-surrogate-pair",
    ),
    member("constants", "Reads NaN and Infinity.", reader(Reader(constant=float)), fails="json-nan json-infinity"),
    member(
        "overflow",
        "Reads a number that is too large as infinity.",
        reader(Reader(real=float)),
        fails="json-number-overflow",
    ),
    member(
        "overflow-of-integers",
        "Crashes on an integer of thousands of digits.",
        reader(huge_integers_crash),
        fails="json-integer-of-5000-digits",
    ),
    member(
        "trailing-data",
        "Stops reading after the first value.",
        reader(Reader(whole=False)),
        fails="json-trailing-data json-comment nip01-parse-trailing",
    ),
    member(
        "javascript-source",
        "Reads JSON5: comments, single quotes, trailing commas.",
        reader(second_try(before=like_javascript_source)),
        fails="json-trailing-comma json-comment json-single-quotes",
    ),
    member(
        "leading-zeros",
        "Reads numbers with leading zeros.",
        reader(second_try(before=lambda text: re.sub(r"\b0+(?=\d)", "", text))),
        fails="json-leading-zero",
    ),
    member(
        "raw-control-characters",
        "Reads raw line breaks in strings.",
        reader(Reader(strict=False)),
        fails="json-raw-newline-in-string",
    ),
    member(
        "byte-order-mark",
        "Skips a byte order mark.",
        reader(Reader(decode=lambda data: data.decode("utf-8-sig"))),
        fails="json-byte-order-mark",
    ),
    member(
        "empty-is-null",
        "Reads the empty text as null.",
        reader(second_try(before=lambda text: text or "null")),
        fails="json-empty",
    ),
    member(
        "mends-cut-text",
        "Closes what a cut text left open.",
        reader(second_try(before=closed_where_cut)),
        fails="json-cut",
    ),
    member(
        "no-scalars",
        "Reads nothing but objects and arrays, as the first JSON standard had it.",
        reader(Reader(after=no_scalars)),
        fails="json-escapes json-surrogate-pair json-scalar json-brackets-in-text json-integer-alone",
    ),
    member(
        "blanks-only",
        "Knows no white space but the blank.",
        reader(Reader(before=refusing(r"[\t\r\n]"))),
        fails="json-white-space nip01-parse-spaces frame-event-spaced nip59-unwrap-spaced",
    ),
    member(
        "no-escaped-slash",
        "Does not know the escape of the slash.",
        reader(Reader(before=refusing(r"\\/"))),
        fails="json-escapes",
    ),
    member(
        "empty-key-renamed",
        "Renames the empty key, as PHP does.",
        reader(Reader(pairs=empty_key_renamed)),
        fails="json-empty-key",
    ),
    member(
        "sorted-keys",
        "Keeps objects in maps that sort their keys.",
        reader(Reader(after=sorted_keys)),
        fails="json-object",
    ),
    member(
        "doubles",
        "Keeps every number as a 64-bit float, as JavaScript does.",
        reader(Reader(integer=through_a_float)),
        fails="""
            json-integer-above-2-53 json-integer-above-2-64 json-integer-of-40-digits json-integer-beside-float
            json-integer-beside-words json-depth-128 json-integer-alone
        """,
    ),
    member(
        "integers-of-64-bits",
        "Refuses integers beyond 64 bits wherever they stand.",
        reader(Reader(integer=at_most_64_bits)),
        fails="""
            json-integer-above-2-64 json-integer-of-40-digits json-integer-beside-float json-integer-beside-words
            json-integer-alone
        """,
    ),
    member(
        "no-depth-limit",
        "Reads recursively without a limit, until the stack ends.",
        reader(Reader(max_depth=math.inf)),
        fails="json-deep-float json-depth-20000 json-depth-objects",
        passes=ORDINARY,
    ),
    member(
        "depth-of-brackets",
        "Takes brackets in strings for nesting.",
        reader(Reader(before=few_brackets)),
        fails="json-brackets-in-text",
    ),
    member("depth-32", "Refuses more than 32 nested arrays.", reader(Reader(max_depth=32)), fails="json-depth-64"),
    member(
        "colons-counted",
        "Finds repeated keys by counting colons, escaped ones in strings too.",
        reader(colons_counted),
        fails="json-duplicate-key-hidden-by-colon",
    ),
]
