"""JSON without the gaps that let two readers see different values in one text, and NIP-01's exact writer.

The only module that imports orjson. Two traps of it are closed here: it keeps the last of two equal keys, and it turns
integers beyond 64 bits into floats. `parse` is therefore orjson wherever a cheap comparison proves that nothing was
lost, and otherwise `_parse_slowly`, the readable definition of what is refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, NoReturn

import orjson

from .errors import ErrorClass, LocalProtocolError, Violation, shown

JSON = Any
MAX_DEPTH = 128

# Python can be told to convert no more than 640 digits between text and integers; this many it always does.
MAX_INTEGER_DIGITS = 600

_WHERE = "JSON"
_LARGEST_INTEGER = 10**MAX_INTEGER_DIGITS - 1


def parse(data: bytes | str) -> JSON:
    """The value of one JSON text, or a Violation.

    Refused: what is not UTF-8 (JSON-PARSE-01), a key named twice (JSON-PARSE-02), half of a surrogate pair
    (JSON-PARSE-03), anything that is not exactly one JSON value, such as NaN or trailing data (JSON-PARSE-04), and
    nesting beyond MAX_DEPTH (JSON-PARSE-05). An integer keeps its value; one of more than MAX_INTEGER_DIGITS is refused
    (JSON-PARSE-06).
    """
    data = as_bytes(data)
    value = load(data)
    _refuse_deep_nesting(data, value)
    canonical = dump(value)
    if canonical != data:
        if _holds_float(value):
            return _parse_slowly(data)
        refuse_repeated_keys(data, canonical)
    return value


def as_bytes(data: bytes | str) -> bytes:
    """UTF-8 bytes of a text frame; a raw lone surrogate in a str is the peer's fault like any other."""
    if isinstance(data, bytes):
        return data
    if not isinstance(data, str):
        raise TypeError("JSON text is bytes or str")
    try:
        return data.encode()
    except UnicodeEncodeError:
        raise Violation(ErrorClass.LONE_SURROGATE, _WHERE, "half of a surrogate pair in the text") from None


def load(data: bytes) -> JSON:
    """The value of a JSON text in which keys may still be repeated or nesting be deep.

    Only for a caller that goes on to rule those out, as `parse` and `event.parse` do.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as problem:
        for words, error_class in _PLAIN_REFUSALS.items():
            if words in problem.msg:
                raise Violation(error_class, _WHERE, f"{problem.msg} at character {problem.pos}") from None
        return _parse_slowly(data)


# Words of orjson's that leave no doubt, so that refusing a long text does not cost a second, slow reading of it. Any
# others, and those of an orjson to come, lead to that reading.
_PLAIN_REFUSALS = {
    "unexpected ": ErrorClass.INVALID_JSON,
    "surrogate in string": ErrorClass.LONE_SURROGATE,
}


def settle(data: bytes, value: JSON) -> None:
    """Refuse what `load` let through in `data`: nesting beyond MAX_DEPTH, a key named twice."""
    _refuse_deep_nesting(data, value)
    try:
        canonical = orjson.dumps(value)
    except TypeError:
        return  # an integer beyond 64 bits: the value was read slowly, and repeated keys refused then
    refuse_repeated_keys(data, canonical)


def _refuse_deep_nesting(data: bytes, value: JSON) -> None:
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _nested_deeper_than(MAX_DEPTH, value):
        raise _too_deep()


def refuse_repeated_keys(data: bytes, canonical: bytes) -> None:
    """Refuse `data` if it names a key twice; `canonical` is its value, written again.

    Every key is followed by one colon outside strings, and colons inside strings are the same in both texts, but for
    those that `data` spells as escapes. So a surplus of colons is a repeated key, without a second parse.
    """
    colons = data.count(b":")
    if b"\\u003" in data:
        # An escaped backslash before `u003a` makes it plain text.
        spelled = data.replace(b"\\\\", b"") if b"\\\\u003" in data else data
        colons += spelled.count(b"\\u003a") + spelled.count(b"\\u003A")
    if colons != canonical.count(b":"):
        raise Violation(ErrorClass.DUPLICATE_KEY, _WHERE, "an object names the same key twice")


def dump(value: JSON) -> bytes:
    """The bytes NIP-01 hashes (NIP01-SER-02 to NIP01-SER-05), and what we put in content.

    A value that `parse` would refuse is a LocalProtocolError.
    """
    text = dump_flat(value)
    if b"null" in text and _holds_non_finite(value):
        raise _unwritable("NaN and Infinity are not JSON")
    if text.count(b"[") + text.count(b"{") > MAX_DEPTH and _nested_deeper_than(MAX_DEPTH, value):
        raise LocalProtocolError(ErrorClass.TOO_DEEP, f"nested deeper than {MAX_DEPTH}")
    return text


def dump_flat(value: JSON) -> bytes:
    """`dump` for a value known to hold only strings and integers in shallow lists, as a serialized event does."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return write(value).encode()


_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
} | {chr(code): f"\\u{code:04x}" for code in range(0x20) if chr(code) not in "\b\t\n\f\r"}


def write(value: JSON, depth: int = 1) -> str:
    """The readable writer: no white space, seven named escapes, every other character as it is (NIP01-SER-03).

    The remaining control characters become lower-case \\u00xx: NIP-01 to the letter would leave them raw, which is not
    JSON, and no implementation does (NIP01-SER-05, AMB-01). `dump` gives the same text faster, except that the
    spelling of a float is orjson's there.
    """
    if depth > MAX_DEPTH and isinstance(value, (list, tuple, dict)):
        raise LocalProtocolError(ErrorClass.TOO_DEEP, f"nested deeper than {MAX_DEPTH}")
    match value:
        case None:
            return "null"
        case True:
            return "true"
        case False:
            return "false"
        case str():
            return _write_string(value)
        case int() if -_LARGEST_INTEGER <= value <= _LARGEST_INTEGER:
            return str(value)
        case float() if math.isfinite(value):
            return repr(value)
        case list() | tuple():
            return "[" + ",".join(write(item, depth + 1) for item in value) + "]"
        case dict() if all(isinstance(key, str) for key in value):
            members = (f"{_write_string(key)}:{write(item, depth + 1)}" for key, item in value.items())
            return "{" + ",".join(members) + "}"
        case _:
            raise _unwritable(f"this {type(value).__name__} has no JSON form")


def _write_string(text: str) -> str:
    escaped = "".join(_ESCAPES.get(character, character) for character in text)
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise LocalProtocolError(ErrorClass.LONE_SURROGATE, "half of a surrogate pair cannot be written")
    return f'"{escaped}"'


def _unwritable(detail: str) -> LocalProtocolError:
    return LocalProtocolError(ErrorClass.INVALID_JSON, detail)


def _parse_slowly(data: bytes) -> JSON:
    try:
        text = data.decode()
    except UnicodeDecodeError as problem:
        raise Violation(ErrorClass.INVALID_UTF8, _WHERE, f"byte {problem.start} is not UTF-8") from None
    try:
        value = _decoder.decode(text)
    except json.JSONDecodeError as problem:
        raise Violation(ErrorClass.INVALID_JSON, _WHERE, f"{problem.msg} at character {problem.pos}") from None
    except RecursionError:
        raise _too_deep() from None
    if _nested_deeper_than(MAX_DEPTH, value):
        raise _too_deep()
    if "\\u" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise Violation(ErrorClass.LONE_SURROGATE, _WHERE, "half of a surrogate pair, escaped") from None
    return value


def _object_without_repeated_keys(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise Violation(ErrorClass.DUPLICATE_KEY, _WHERE, f"key {shown(repeated)} is named twice")
    return members


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > MAX_INTEGER_DIGITS:
        raise Violation(ErrorClass.NUMBER_OUT_OF_RANGE, _WHERE, f"an integer of more than {MAX_INTEGER_DIGITS} digits")
    return int(digits)


def _finite_float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise Violation(ErrorClass.NUMBER_OUT_OF_RANGE, _WHERE, "a number too large for a 64-bit float")
    return value


def _no_constant(name: str) -> NoReturn:
    raise Violation(ErrorClass.INVALID_JSON, _WHERE, f"{name} is not JSON")


_decoder = json.JSONDecoder(
    object_pairs_hook=_object_without_repeated_keys,
    parse_int=_integer,
    parse_float=_finite_float,
    parse_constant=_no_constant,
)


def _too_deep() -> Violation:
    return Violation(ErrorClass.TOO_DEEP, _WHERE, f"nested deeper than {MAX_DEPTH}")


_CONTAINERS = frozenset({dict, list, tuple})


def _members(nodes: list[JSON]) -> Iterable[JSON]:
    return chain.from_iterable(node.values() if type(node) is dict else node for node in nodes)


def _nested_deeper_than(limit: int, value: JSON) -> bool:
    if type(value) not in _CONTAINERS:
        return False
    level = [value]
    for _ in range(limit):
        members = _members(level) if len(level) > 1 else level[0].values() if type(level[0]) is dict else level[0]
        level = [member for member in members if type(member) in _CONTAINERS]
        if not level:
            return False
    return True


def _holds(value: JSON, wanted: Callable[[JSON], bool]) -> bool:
    level = [value]
    while level:
        if any(map(wanted, level)):
            return True
        level = list(_members([node for node in level if type(node) in _CONTAINERS]))
    return False


def _holds_float(value: JSON) -> bool:
    return _holds(value, lambda node: type(node) is float)


def _holds_non_finite(value: JSON) -> bool:
    return _holds(value, lambda node: isinstance(node, float) and not math.isfinite(node))
