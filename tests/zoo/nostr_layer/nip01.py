"""Events hashed over other bytes than everyone's, and events that are believed too soon or too late."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from nostrmcp.conformance.operations import OPERATIONS, Value
from nostrmcp.nostr import ErrorClass, Event, PublicKey, SecretKey, Violation, nip19, strict_json
from nostrmcp.nostr import event as events
from tests.zoo.member import Operations, also, member, patched, reading, refusal

_HASHING = "serialize_event event_id sign_event verify_event parse_event"
_VERIFYING = "verify_event parse_event"
_FIELDS = ("pubkey", "created_at", "kind", "tags", "content")
_DEFAULTS = {"created_at": 0, "kind": 0, "tags": [], "content": ""}
_STAND_INS = _DEFAULTS | {"pubkey": "00" * 32}

Spell = Callable[[str], str]


def ours(character: str) -> str:
    return strict_json.write(character)[1:-1]


def spelling(changes: Callable[[str], str | None]) -> Spell:
    """A string with the characters for which `changes` has an answer spelled so, and all others as they should be."""

    def spell(text: str) -> str:
        return '"' + "".join(changed if (changed := changes(one)) is not None else ours(one) for one in text) + '"'

    return spell


right = spelling(lambda character: None)


def dump(value: Any, spell: Spell, comma: str = ",") -> str:
    if isinstance(value, str):
        return spell(value)
    if isinstance(value, (list, tuple)):
        return "[" + comma.join(dump(item, spell, comma) for item in value) + "]"
    return str(value)


def hashing(serialize: Callable[[list[Any]], str | bytes]) -> Operations:
    """`serialize` in the place of ours: it is given [0, pubkey, created_at, kind, tags, content]."""
    right_dump = strict_json.dump_flat

    def dump_flat(value: Any) -> bytes:
        if not isinstance(value, list) or len(value) != 6:
            return right_dump(value)
        text = serialize(value)
        return text.encode() if isinstance(text, str) else text

    return patched(_HASHING, (strict_json, "dump_flat", dump_flat))


def spelled(changes: Callable[[str], str | None]) -> Operations:
    return hashing(lambda value: dump(value, spelling(changes)))


def backslash_u(character: str) -> str:
    """One escape, or the two of a surrogate pair."""
    code = character.encode("utf-16-be").hex()
    return "".join(f"\\u{code[at : at + 4]}" for at in range(0, len(code), 4))


def escaping(*ranges: tuple[int, int]) -> Operations:
    return spelled(lambda one: backslash_u(one) if any(low <= ord(one) <= high for low, high in ranges) else None)


def is_unnamed_control(character: str) -> bool:
    return character < " " and character not in "\b\t\n\f\r"


def with_tags_unescaped(value: list[Any]) -> str:
    *head, tags, content = value
    raw = "[" + ",".join("[" + ",".join(f'"{item}"' for item in tag) + "]" for tag in tags) + "]"
    return dump(head, right)[:-1] + "," + raw + "," + right(content) + "]"


def with_content(change: Callable[[str], str]) -> Operations:
    return hashing(lambda value: dump([*value[:5], change(value[5])], right))


def modified_utf8(value: list[Any]) -> bytes:
    """Java's: surrogates one by one."""
    text = dump(value, right)
    halves = "".join(
        chr(int.from_bytes(pair, "big"))
        for one in text
        for pair in (one.encode("utf-16-be")[:2], one.encode("utf-16-be")[2:])
        if pair
    )
    return halves.encode(errors="surrogatepass")


def verifying(check: Callable[[Event], None]) -> Operations:
    """`check` in the place of Event.verify."""
    return patched(_VERIFYING, (Event, "verify", lambda event, author=None: check(event)))


def hash_of(event: Event) -> bytes:
    return sha256(event.serialize()).digest()


def id_is_right(event: Event) -> None:
    if hash_of(event) != event.id:
        raise refusal(ErrorClass.ID_MISMATCH)


def signature_is_right(event: Event) -> None:
    if not PublicKey(event.pubkey).verify(event.id, event.sig):
        raise refusal(ErrorClass.INVALID_SIGNATURE)


def signature_of_the_hash_is_right(event: Event) -> None:
    if not PublicKey(event.pubkey).verify(hash_of(event), event.sig):
        raise refusal(ErrorClass.INVALID_SIGNATURE)


def id_and_signature_are_right(event: Event) -> None:
    id_is_right(event)
    signature_is_right(event)


def zeros_are_no_signature(event: Event) -> None:
    id_is_right(event)
    if any(event.sig):
        signature_is_right(event)


def bad_keys_are_skipped(event: Event) -> None:
    id_is_right(event)
    try:
        signature_is_right(event)
    except Violation as refused:
        if refused.error_class is not ErrorClass.INVALID_PUBLIC_KEY:
            raise


def untyped(event: Any, digits: Callable[[str], bytes] = bytes.fromhex) -> Value:
    """Hash and signature of whatever stands in the fields, as a dynamic language computes them."""
    array = [0, *(event[name] for name in _FIELDS)]
    its_hash = sha256(json.dumps(array, ensure_ascii=False, separators=(",", ":")).encode()).digest()
    if its_hash != digits(event["id"]):
        raise refusal(ErrorClass.ID_MISMATCH)
    if not PublicKey(digits(event["pubkey"])[-32:]).verify(its_hash, digits(event["sig"])):
        raise refusal(ErrorClass.INVALID_SIGNATURE)
    return {"id": event["id"]}


def digits_or_npub(text: str) -> bytes:
    if not text.startswith("npub1"):
        return bytes.fromhex(text)
    key = nip19.decode(text)
    assert isinstance(key, PublicKey)
    return key.x


def unchecked(name: str, accepts: Callable[[Any], bool], digits: Callable[[str], bytes] = bytes.fromhex) -> Operations:
    """Values of one field that `accepts` takes go without a check; the rest of the event does not."""

    def verify(given: Value) -> Value | None:
        event = given["event"]
        if not isinstance(event, dict) or name not in event or not accepts(event[name]):
            return None
        events.from_value(event | {name: _STAND_INS[name]})
        return untyped(event, digits)

    return also("verify_event", verify)


def tags_of(accepts: Callable[[Any], bool]) -> Operations:
    """Tags are a list of right tags and of what `accepts` takes."""

    def is_tag(tag: Any) -> bool:
        return isinstance(tag, list) and bool(tag) and all(isinstance(item, str) for item in tag)

    return unchecked("tags", lambda tags: isinstance(tags, list) and all(is_tag(tag) or accepts(tag) for tag in tags))


def changed_event(change: Callable[[Any], Any]) -> Operations:
    return reading("verify_event", lambda given: {"event": change(given["event"])})


def changed_fields(**changes: Callable[[Any], Any]) -> Operations:
    """The named fields, where an event has them, changed before anything is looked at."""

    def change(event: Any) -> Any:
        if not isinstance(event, dict):
            return event
        return event | {name: change(event[name]) for name, change in changes.items() if name in event}

    return changed_event(change)


def text_changed(change: Callable[[str], str]) -> Callable[[Any], Any]:
    return lambda value: change(value) if isinstance(value, str) else value


def as_integer(value: Any) -> Any:
    try:
        return int(value)
    except (TypeError, ValueError):
        return value


def with_defaults(event: Any) -> Any:
    return _DEFAULTS | event if isinstance(event, dict) else event


def id_filled_in(given: Value) -> Value | None:
    event = given["event"]
    if not isinstance(event, dict) or "id" in event or not all(name in event for name in (*_FIELDS, "sig")):
        return None
    fields = [event[name] for name in _FIELDS]
    its_id = sha256(strict_json.dump([0, *fields])).hexdigest()
    return OPERATIONS["verify_event"]({"event": event | {"id": its_id}})


def unsigned_is_fine(is_unsigned: Callable[[Value], bool]) -> Operations:
    """An event without a signature goes with a right id alone."""

    def accepts(given: Value) -> Value | None:
        event = given["event"]
        if not isinstance(event, dict) or not is_unsigned(event):
            return None
        event_id = events.from_value(event | {"sig": "00" * 64})
        id_is_right(event_id)
        return {"id": event_id.id.hex()}

    return also("verify_event", accepts)


def id_compared_as_far_as_it_goes(given: Value) -> Value | None:
    event = given["event"]
    if not isinstance(event, dict) or not isinstance(event.get("id"), str):
        return None
    parsed = events.from_value(event | {"id": "00" * 32})
    if not hash_of(parsed).hex().startswith(event["id"]):
        return None
    signature_of_the_hash_is_right(parsed)
    return {"id": event["id"]}


def fields_of_nip01_only(given: Value) -> Value:
    event = given["event"] if "event" in given else strict_json.parse(given["raw"])
    if isinstance(event, dict) and not event.keys() <= set(events.FIELDS):
        raise refusal(ErrorClass.NOT_AN_OBJECT)
    return given


def read_with_floats(given: Value) -> Value | None:
    """Numbers go through a %d format into the hash, and out again as they came."""
    event = strict_json.parse(given["raw"])
    if not isinstance(event["kind"], float) and not isinstance(event["created_at"], float):
        return None
    OPERATIONS["verify_event"]({"event": event | {name: int(event[name]) for name in ("created_at", "kind")}})
    return {"event": event}


def sign_for_anyone(given: Value) -> Value:
    event = given["event"]
    its_id = sha256(strict_json.dump([0, *(event[name] for name in _FIELDS)])).digest()
    signature = SecretKey(bytes.fromhex(given["seckey"])).sign(its_id, bytes.fromhex(given["aux_rand"]))
    return {"event": {"id": its_id.hex(), **event, "sig": signature.hex()}}


def tag_values(values: Callable[[list[list[str]], str], list[str] | None]) -> Operations:
    return {"tag_values": lambda given: {"values": values(given["tags"], given["name"])}}


CONTROLS = [
    member("hash-control", "A writer without a bug.", hashing(lambda value: dump(value, right)), fails=""),
    member("verify-control", "A check without a bug.", verifying(id_and_signature_are_right), fails=""),
]

MEMBERS = [
    member(
        "hash-python-spaces",
        "Hashes JSON with blanks after commas, as json.dumps writes it.",
        hashing(lambda value: dump(value, right, ", ")),
        fails="""
            nip01-serialize-order nip01-serialize-zeros nip01-serialize-tag-escapes nip01-serialize-seven-escapes
            nip01-serialize-json-content nip01-serialize-slash nip01-serialize-non-ascii nip01-serialize-emoji
            nip01-serialize-delete nip01-serialize-c1-control nip01-serialize-line-separators
            nip01-serialize-byte-order-mark nip01-serialize-no-normalization nip01-serialize-html
            nip01-serialize-nul nip01-serialize-vertical-tab nip01-serialize-escape nip01-id nip01-id-utf8
            nip01-id-control-character nip01-sign nip01-verify nip01-verify-unknown-fields nip01-verify-limits
            nip01-verify-control-character nip01-parse nip01-parse-spaces nip01-parse-key-order nip01-parse-escapes
            nip01-parse-unknown-fields nip01-parse-wide
        """,
    ),
    member(
        "hash-ascii",
        "Escapes everything outside ASCII, as json.dumps does.",
        escaping((0x80, 0x10FFFF)),
        fails="""
            nip01-serialize-non-ascii nip01-serialize-emoji nip01-serialize-c1-control nip01-serialize-line-separators
            nip01-serialize-byte-order-mark nip01-serialize-no-normalization nip01-id-utf8
            nip01-verify-control-character
        """,
    ),
    member(
        "hash-outside-basic-plane",
        "Escapes characters outside the basic plane as surrogate pairs.",
        escaping((0x10000, 0x10FFFF)),
        fails="nip01-serialize-emoji nip01-id-utf8",
    ),
    member(
        "hash-slash",
        "Escapes the slash, as PHP does.",
        spelled(lambda one: "\\/" if one == "/" else None),
        fails="nip01-serialize-order nip01-serialize-json-content nip01-serialize-slash nip01-id nip01-sign",
    ),
    member(
        "hash-html",
        "Escapes HTML's characters and the line separators, as Go does.",
        spelled(lambda one: backslash_u(one) if one in "<>&\u2028\u2029" else None),
        fails="""
            nip01-serialize-slash nip01-serialize-line-separators nip01-serialize-html nip01-verify-control-character
        """,
    ),
    member(
        "hash-line-separators",
        "Escapes U+2028 and U+2029, as JavaScript source needs it.",
        escaping((0x2028, 0x2029)),
        fails="nip01-serialize-line-separators nip01-verify-control-character",
    ),
    member(
        "hash-delete",
        "Escapes U+007F.",
        escaping((0x7F, 0x7F)),
        fails="nip01-serialize-delete nip01-verify-control-character",
    ),
    member(
        "hash-c1-controls",
        "Escapes U+0080 to U+009F and punctuation, as org.json does.",
        escaping((0x80, 0x9F), (0x2000, 0x20FF)),
        fails="nip01-serialize-c1-control nip01-serialize-line-separators nip01-verify-control-character",
    ),
    member(
        "hash-not-characters",
        "Drops U+FEFF and U+FFFF.",
        spelled(lambda one: "" if one in "\ufeff\uffff" else None),
        fails="nip01-serialize-byte-order-mark",
    ),
    member(
        "hash-backspace",
        "Writes U+0008 and U+000C by number, as Go did before 1.22.",
        spelled(lambda one: backslash_u(one) if one in "\b\f" else None),
        fails="nip01-serialize-seven-escapes",
    ),
    member(
        "hash-upper-case-escapes",
        "Writes control characters with upper-case digits.",
        spelled(lambda one: f"\\u{ord(one):04X}" if is_unnamed_control(one) else None),
        fails="nip01-serialize-vertical-tab nip01-serialize-escape nip01-verify-control-character",
    ),
    member(
        "hash-raw-controls",
        "Leaves control characters raw, as NIP-01 has it to the letter.",
        spelled(lambda one: one if is_unnamed_control(one) else None),
        fails="""
            nip01-serialize-nul nip01-serialize-vertical-tab nip01-serialize-escape nip01-id-control-character
            nip01-verify-control-character
        """,
    ),
    member(
        "hash-c-escapes",
        "Writes control characters as C does.",
        spelled(lambda one: f"\\x{ord(one):02x}" if is_unnamed_control(one) else None),
        fails="""
            nip01-serialize-nul nip01-serialize-vertical-tab nip01-serialize-escape nip01-id-control-character
            nip01-verify-control-character
        """,
    ),
    member(
        "hash-until-nul",
        "Ends strings at U+0000.",
        hashing(lambda value: dump(value, lambda text: right(text.split("\0")[0]))),
        fails="nip01-serialize-nul nip01-verify-control-character",
    ),
    member(
        "hash-tags-unescaped",
        "Puts tags together by hand and escapes nothing in them.",
        hashing(with_tags_unescaped),
        fails="nip01-serialize-tag-escapes nip01-verify-control-character",
    ),
    member(
        "hash-content-unescaped",
        "Puts content between quotes as it is.",
        hashing(lambda value: f'{dump(value[:5], right)[:-1]},"{value[5]}"]'),
        fails="""
            nip01-serialize-seven-escapes nip01-serialize-json-content nip01-serialize-nul
            nip01-serialize-vertical-tab nip01-serialize-escape nip01-id-control-character nip01-verify
            nip01-verify-unknown-fields nip01-verify-control-character nip01-parse nip01-parse-spaces
            nip01-parse-key-order nip01-parse-escapes nip01-parse-unknown-fields nip01-parse-wide
        """,
    ),
    member(
        "hash-content-escaped-twice",
        "Escapes content that was escaped before.",
        with_content(lambda text: right(text)[1:-1]),
        fails="""
            nip01-serialize-seven-escapes nip01-serialize-json-content nip01-serialize-nul
            nip01-serialize-vertical-tab nip01-serialize-escape nip01-id-control-character nip01-verify
            nip01-verify-unknown-fields nip01-verify-control-character nip01-parse nip01-parse-spaces
            nip01-parse-key-order nip01-parse-escapes nip01-parse-unknown-fields nip01-parse-wide
        """,
    ),
    member(
        "hash-normalized",
        "Normalizes text to composed characters.",
        with_content(lambda text: unicodedata.normalize("NFC", text)),
        fails="nip01-serialize-no-normalization",
    ),
    member(
        "hash-trimmed",
        "Trims content.",
        with_content(str.strip),
        fails="""
            nip01-serialize-seven-escapes nip01-serialize-line-separators nip01-serialize-vertical-tab
            nip01-serialize-escape nip01-verify-control-character
        """,
    ),
    member(
        "hash-order",
        "Hashes kind before created_at.",
        hashing(lambda value: dump([*value[:2], value[3], value[2], *value[4:]], right)),
        fails="""
            nip01-serialize-order nip01-serialize-tag-escapes nip01-serialize-seven-escapes
            nip01-serialize-json-content nip01-serialize-slash nip01-serialize-non-ascii nip01-serialize-emoji
            nip01-serialize-delete nip01-serialize-c1-control nip01-serialize-line-separators
            nip01-serialize-byte-order-mark nip01-serialize-no-normalization nip01-serialize-html
            nip01-serialize-nul nip01-serialize-vertical-tab nip01-serialize-escape nip01-id nip01-id-utf8
            nip01-id-control-character nip01-sign nip01-verify nip01-verify-unknown-fields nip01-verify-limits
            nip01-verify-control-character nip01-parse nip01-parse-spaces nip01-parse-key-order nip01-parse-escapes
            nip01-parse-unknown-fields nip01-parse-wide
        """,
    ),
    member(
        "hash-without-zero",
        "Leaves out the leading 0.",
        hashing(lambda value: dump(value[1:], right)),
        fails="""
            nip01-serialize-order nip01-serialize-zeros nip01-serialize-tag-escapes nip01-serialize-seven-escapes
            nip01-serialize-json-content nip01-serialize-slash nip01-serialize-non-ascii nip01-serialize-emoji
            nip01-serialize-delete nip01-serialize-c1-control nip01-serialize-line-separators
            nip01-serialize-byte-order-mark nip01-serialize-no-normalization nip01-serialize-html
            nip01-serialize-nul nip01-serialize-vertical-tab nip01-serialize-escape nip01-id nip01-id-utf8
            nip01-id-control-character nip01-sign nip01-verify nip01-verify-unknown-fields nip01-verify-limits
            nip01-verify-control-character nip01-parse nip01-parse-spaces nip01-parse-key-order nip01-parse-escapes
            nip01-parse-unknown-fields nip01-parse-wide
        """,
    ),
    member(
        "hash-without-short-tags",
        "Leaves out tags of one string.",
        hashing(lambda value: dump([*value[:4], [tag for tag in value[4] if len(tag) > 1], value[5]], right)),
        fails="nip01-serialize-order nip01-id nip01-sign nip01-verify-limits",
    ),
    member(
        "hash-latin1",
        "Hashes characters as single bytes where they fit.",
        hashing(lambda value: dump(value, right).encode("latin-1", errors="replace")),
        fails="""
            nip01-serialize-non-ascii nip01-serialize-emoji nip01-serialize-c1-control nip01-serialize-line-separators
            nip01-serialize-byte-order-mark nip01-serialize-no-normalization nip01-id-utf8
            nip01-verify-control-character
        """,
    ),
    member(
        "hash-modified-utf8",
        "Hashes Java's modified UTF-8.",
        hashing(modified_utf8),
        fails="nip01-serialize-emoji nip01-id-utf8",
    ),
    member(
        "id-not-recomputed",
        "Checks the signature of the id that the event claims, and never the hash.",
        verifying(signature_is_right),
        fails="""
            nip01-content-changed nip01-tags-changed nip01-kind-changed nip01-time-changed nip01-id-of-another-event
        """,
    ),
    member(
        "signature-not-checked",
        "Checks the id alone.",
        verifying(id_is_right),
        fails="""
            nip01-signed-by-another nip01-signature-of-another-event nip01-signature-bit nip01-signature-zeros
            nip01-key-not-on-curve
        """,
    ),
    member(
        "zeros-are-no-signature",
        "Takes a signature of zeros for one that is not there yet.",
        verifying(zeros_are_no_signature),
        fails="nip01-signature-zeros",
    ),
    member(
        "bad-keys-skipped",
        "Goes on when the library cannot read the public key.",
        verifying(bad_keys_are_skipped),
        fails="nip01-key-not-on-curve",
    ),
    member(
        "untyped",
        "Checks hash and signature but no types, and crashes on what it cannot hash.",
        {"verify_event": lambda given: untyped(given["event"])},
        fails="""
            nip01-no-id nip01-no-pubkey nip01-no-created-at nip01-no-kind nip01-no-tags nip01-no-content nip01-no-sig
            nip01-array nip01-string nip01-null nip01-id-upper-case nip01-id-blank nip01-id-number
            nip01-pubkey-upper-case nip01-pubkey-compressed nip01-pubkey-npub nip01-created-at-string
            nip01-created-at-fraction nip01-created-at-bool nip01-created-at-null nip01-created-at-negative
            nip01-created-at-65-bits nip01-kind-bool nip01-kind-string nip01-kind-negative nip01-kind-65536
            nip01-kind-fraction nip01-tags-object nip01-tags-null nip01-tag-string nip01-tag-empty nip01-tag-number
            nip01-tag-null nip01-tag-nested nip01-content-object nip01-content-null nip01-sig-upper-case
            nip01-sig-not-hex nip01-id-takes-from-sig
        """,
    ),
    member(
        "kind-true",
        "Takes true for kind 1, as it is an int in Python.",
        unchecked("kind", lambda kind: kind is True),
        fails="nip01-kind-bool",
    ),
    member(
        "created-at-true",
        "Takes true for a time, as it is an int in Python.",
        unchecked("created_at", lambda time: time is True),
        fails="nip01-created-at-bool",
    ),
    member(
        "kind-any-integer",
        "Takes any integer for a kind.",
        unchecked("kind", lambda kind: type(kind) is int),
        fails="nip01-kind-negative nip01-kind-65536",
    ),
    member(
        "created-at-any-integer",
        "Takes any integer for a time.",
        unchecked("created_at", lambda time: type(time) is int),
        fails="nip01-created-at-negative nip01-created-at-65-bits",
    ),
    member(
        "kind-any-number",
        "Takes a fraction for a kind.",
        unchecked("kind", lambda kind: type(kind) is float),
        fails="nip01-kind-fraction",
    ),
    member(
        "created-at-any-number",
        "Takes a fraction for a time.",
        unchecked("created_at", lambda time: type(time) is float),
        fails="nip01-created-at-fraction",
    ),
    member(
        "kind-string",
        "Takes a kind spelled as a string.",
        unchecked("kind", lambda kind: type(kind) is str),
        fails="nip01-kind-string",
    ),
    member(
        "created-at-string",
        "Takes a time spelled as a string.",
        unchecked("created_at", lambda time: type(time) is str),
        fails="nip01-created-at-string",
    ),
    member(
        "created-at-null",
        "Takes null for an unknown time.",
        unchecked("created_at", lambda time: time is None),
        fails="nip01-created-at-null",
    ),
    member(
        "tags-unchecked",
        "Does not look into the list of tags.",
        unchecked("tags", lambda tags: isinstance(tags, list)),
        fails="nip01-tag-string nip01-tag-empty nip01-tag-number nip01-tag-null nip01-tag-nested",
    ),
    member("tags-empty", "Takes a tag without any string.", tags_of(lambda tag: tag == []), fails="nip01-tag-empty"),
    member(
        "tags-of-scalars",
        "Takes numbers and null in tags.",
        tags_of(lambda tag: isinstance(tag, list) and bool(tag) and not any(isinstance(one, list) for one in tag)),
        fails="nip01-tag-number nip01-tag-null",
    ),
    member(
        "tags-null", "Takes null for no tags.", unchecked("tags", lambda tags: tags is None), fails="nip01-tags-null"
    ),
    member(
        "tags-object",
        "Takes an object for tags.",
        unchecked("tags", lambda tags: isinstance(tags, dict)),
        fails="nip01-tags-object",
    ),
    member(
        "content-any",
        "Takes any JSON value for content.",
        unchecked("content", lambda content: True),
        fails="nip01-content-object nip01-content-null",
    ),
    member(
        "double-encoded",
        "Reads an event that is JSON in a string.",
        changed_event(lambda event: json.loads(event) if isinstance(event, str) else event),
        fails="nip01-string",
    ),
    member(
        "list-of-events",
        "Takes the first event of an array.",
        changed_event(lambda event: event[0] if isinstance(event, list) else event),
        fails="nip01-array",
    ),
    member(
        "hex-lower-cased",
        "Makes id and signature lower-case before it checks them.",
        changed_fields(id=text_changed(str.lower), sig=text_changed(str.lower)),
        fails="nip01-id-upper-case nip01-sig-upper-case",
    ),
    member(
        "hex-any-case",
        "Reads hexadecimal digits of any case.",
        unchecked("pubkey", lambda pubkey: isinstance(pubkey, str) and len(pubkey) == 64),
        fails="nip01-pubkey-upper-case",
    ),
    member(
        "hex-with-blanks",
        "Skips blanks among hexadecimal digits, as Python does.",
        changed_fields(id=text_changed(lambda text: text.replace(" ", ""))),
        fails="nip01-id-blank",
    ),
    member(
        "hex-cut",
        "Reads as many digits as it needs and leaves the rest.",
        changed_fields(id=text_changed(lambda text: text[:64]), sig=text_changed(lambda text: text[:128])),
        fails="nip01-id-long nip01-sig-long",
    ),
    member(
        "hex-compared-short",
        "Compares the id only as far as it goes.",
        also("verify_event", id_compared_as_far_as_it_goes),
        fails="nip01-id-short",
    ),
    member(
        "compressed-keys",
        "Takes a public key of 33 bytes.",
        unchecked("pubkey", lambda pubkey: isinstance(pubkey, str) and len(pubkey) == 66),
        fails="nip01-pubkey-compressed",
    ),
    member("id-filled-in", "Computes an id that is missing.", also("verify_event", id_filled_in), fails="nip01-no-id"),
    member(
        "signature-optional",
        "Takes an event without a signature for one that is known already.",
        unsigned_is_fine(lambda event: "sig" not in event),
        fails="nip01-no-sig",
    ),
    member(
        "signature-filled-up",
        "Fills up a short signature with zeros.",
        changed_fields(sig=text_changed(lambda text: text.ljust(128, "0"))),
        fails="nip01-sig-short",
    ),
    member(
        "signature-empty",
        "Takes an empty signature for none, and none for good.",
        unsigned_is_fine(lambda event: event.get("sig") == ""),
        fails="nip01-sig-empty",
    ),
    member(
        "missing-fields",
        "Reads the fields of whatever it is given, and crashes where there are none.",
        changed_event(lambda event: {name: event[name] for name in events.FIELDS}),
        fails="""
            nip01-no-id nip01-no-pubkey nip01-no-created-at nip01-no-kind nip01-no-tags nip01-no-content nip01-no-sig
            nip01-array nip01-string nip01-null
        """,
    ),
    member(
        "unknown-fields-refused",
        "Refuses events with fields of other programs.",
        reading("verify_event parse_event", fields_of_nip01_only),
        fails="""
            nip01-verify-unknown-fields nip01-parse-unknown-fields nip01-parse-wide
        """,
    ),
    member(
        "floats-kept",
        "Hands on a kind or time spelled as a float as a float.",
        also("parse_event", read_with_floats),
        fails="nip01-parse-created-at-point-zero nip01-parse-kind-exponent",
    ),
    member(
        "signs-for-anyone",
        "Signs an event in another's name.",
        {"sign_event": sign_for_anyone},
        fails="nip01-sign-other-author",
    ),
    member(
        "tag-values-all",
        "Takes every element after the name for a value.",
        tag_values(lambda tags, name: [item for tag in tags if tag[0] == name for item in tag[1:]]),
        fails="nip01-tag-values",
    ),
    member(
        "tag-values-missing",
        "Takes a missing value for an empty one.",
        tag_values(lambda tags, name: [(*tag, "")[1] for tag in tags if tag[0] == name]),
        fails="nip01-tag-without-value",
    ),
    member(
        "tag-values-crash",
        "Crashes on a tag of one string.",
        tag_values(lambda tags, name: [tag[1] for tag in tags if tag[0] == name]),
        fails="nip01-tag-without-value",
    ),
    member(
        "tag-values-not-empty",
        "Skips empty values.",
        tag_values(lambda tags, name: [tag[1] for tag in tags if tag[0] == name and tag[1:2] > [""]]),
        fails="nip01-tag-values",
    ),
    member(
        "tag-names-any-case",
        "Compares the names of tags without their case.",
        tag_values(lambda tags, name: [tag[1] for tag in tags if tag[0].lower() == name.lower() and tag[1:]]),
        fails="nip01-tag-values nip01-tag-case",
    ),
    member(
        "tag-values-first",
        "Knows the first tag of a name only.",
        tag_values(lambda tags, name: [tag[1] for tag in tags if tag[0] == name and tag[1:]][:1]),
        fails="nip01-tag-values",
    ),
    member(
        "tag-values-null",
        "Answers null where no tag has the name.",
        tag_values(lambda tags, name: [tag[1] for tag in tags if tag[0] == name and tag[1:]] or None),
        fails="nip01-tag-absent",
    ),
    member(
        "npub-as-pubkey",
        "Takes a public key in bech32.",
        unchecked("pubkey", lambda pubkey: isinstance(pubkey, str) and pubkey.startswith("npub1"), digits_or_npub),
        fails="nip01-pubkey-npub",
    ),
    member(
        "id-ignored",
        "Checks the signature of the hash, and hands on whatever id the event claims.",
        verifying(signature_of_the_hash_is_right),
        fails="nip01-id-of-another-event-only",
    ),
    member(
        "defaults",
        "Fills in missing fields as zero or empty before it hashes.",
        changed_event(with_defaults),
        fails="nip01-no-created-at nip01-no-kind nip01-no-tags nip01-no-content",
    ),
    member(
        "numbers-converted",
        "Converts kind and time to integers before it hashes.",
        changed_fields(kind=as_integer, created_at=as_integer),
        fails="nip01-created-at-string-converted nip01-created-at-fraction-converted nip01-kind-string-converted",
    ),
    member(
        "kind-of-16-bits",
        "Cuts kind to 16 bits before it hashes.",
        changed_fields(kind=lambda kind: kind & 0xFFFF if type(kind) is int else kind),
        fails="nip01-kind-truncated",
    ),
    member(
        "null-is-empty",
        "Takes null for no tags and no content before it hashes, as Go does.",
        changed_fields(
            tags=lambda tags: [] if tags is None else tags, content=lambda content: "" if content is None else content
        ),
        fails="nip01-tags-null-converted nip01-content-null-converted",
    ),
    member(
        "scalars-as-strings",
        "Converts numbers in tags to strings before it hashes.",
        changed_fields(
            tags=lambda tags: (
                [
                    [str(one) if type(one) is int else one for one in tag] if isinstance(tag, list) else tag
                    for tag in tags
                ]
                if isinstance(tags, list)
                else tags
            )
        ),
        fails="nip01-tag-number-converted",
    ),
]
