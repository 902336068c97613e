"""NIP-01 events: serialize, id, sign, parse, verify.

An event is checked in the order of cost: shape (`parse`), then id and signature (`Event.verify`). In between a caller
can drop an id it has seen before.
"""

from __future__ import annotations

from binascii import hexlify
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from hashlib import sha256
from typing import Any

from . import strict_json
from .errors import ErrorClass, LocalProtocolError, Violation
from .keys import PublicKey, SecretKey, public_key

Tags = tuple[tuple[str, ...], ...]

MAX_KIND = 65_535
MAX_CREATED_AT = 2**64 - 1

FIELDS = ("id", "pubkey", "created_at", "kind", "tags", "content", "sig")

_WIRE = b'{"id":"%b","pubkey":%b,"created_at":%b,"kind":%b,"tags":%b,"content":%b,"sig":"%b"}'
_HASHED = b"[0,%b,%b,%b,%b,%b]"
# How much longer an event is as it is sent than as it is hashed.
_SURPLUS = len(_WIRE) - len(_HASHED) - len("%b%b") + 64 + 128


class _Tagged:
    """Access to tags: the first element of a tag is its name, the second its value (NIP01-TAG-01)."""

    __slots__ = ()
    tags: Tags

    def first(self, name: str) -> str | None:
        """The value of the first tag of this name that has one, or None."""
        for tag in self.tags:
            if tag[0] == name and len(tag) > 1:
                return tag[1]
        return None

    def values(self, name: str) -> tuple[str, ...]:
        """The values of all tags of this name, in order; a tag without a value contributes none."""
        return tuple(tag[1] for tag in self.tags if tag[0] == name and len(tag) > 1)


# Both classes set their slots themselves: half the cost of the __init__ that a frozen dataclass is given, and an event
# is built for every message.
@dataclass(frozen=True, slots=True, init=False)
class UnsignedEvent(_Tagged):
    """What an author is about to sign, and what NIP-59 calls a rumor. Built with wrong types: LocalProtocolError."""

    pubkey: bytes
    created_at: int
    kind: int
    tags: Tags
    content: str

    def __init__(self, pubkey: bytes, created_at: int, kind: int, tags: Tags, content: str) -> None:
        if type(pubkey) is not bytes or len(pubkey) != 32:
            raise LocalProtocolError(ErrorClass.MALFORMED_PUBKEY, "pubkey is 32 bytes")
        fault = _fault_in(created_at, kind, tags, content, tuple)
        if fault is not None:
            error_class, where, detail = fault
            raise LocalProtocolError(error_class, f"{where}: {detail}")
        set_pubkey, set_created_at, set_kind, set_tags, set_content = _UNSIGNED_SLOTS
        set_pubkey(self, pubkey)
        set_created_at(self, created_at)
        set_kind(self, kind)
        set_tags(self, tags)
        set_content(self, content)

    def serialize(self) -> bytes:
        """The bytes that are hashed into the id (NIP01-SER-01 to NIP01-SER-05)."""
        return _serialize(self.pubkey.hex(), self.created_at, self.kind, self.tags, self.content)

    @property
    def id(self) -> bytes:
        """SHA-256 of the serialization (NIP01-ID-01)."""
        return sha256(self.serialize()).digest()

    def sign(self, secret_key: SecretKey, aux_rand: bytes) -> Event:
        """This event with its id and its author's signature of the id (NIP01-SIG-01)."""
        if secret_key.public_key.x != self.pubkey:
            raise LocalProtocolError(ErrorClass.INVALID_SECRET_KEY, "the secret key is not the author's")
        serialized = self.serialize()
        event_id = sha256(serialized).digest()
        signature = secret_key.sign(event_id, aux_rand)
        return Event(
            event_id, self.pubkey, self.created_at, self.kind, self.tags, self.content, signature, serialized
        )  # fmt: skip

    def to_value(self) -> dict[str, Any]:
        """The JSON object of a rumor: every field but `sig`."""
        return {
            "id": self.id.hex(),
            "pubkey": self.pubkey.hex(),
            "created_at": self.created_at,
            "kind": self.kind,
            "tags": self.tags,
            "content": self.content,
        }


@dataclass(frozen=True, slots=True, init=False)
class Event(_Tagged):
    """A NIP-01 event of the right shape. Nothing it says may be believed before `verify` has passed."""

    id: bytes
    pubkey: bytes
    created_at: int
    kind: int
    tags: Tags
    content: str
    sig: bytes
    # Kept because what is sent contains what is hashed: content is escaped once.
    _serialized: bytes = field(init=False, repr=False, compare=False)

    def __init__(
        self, id: bytes, pubkey: bytes, created_at: int, kind: int, tags: Tags, content: str, sig: bytes,
        _serialized: bytes | None = None,
    ) -> None:  # fmt: skip
        set_id, set_pubkey, set_created_at, set_kind, set_tags, set_content, set_sig, set_serialized = _EVENT_SLOTS
        set_id(self, id)
        set_pubkey(self, pubkey)
        set_created_at(self, created_at)
        set_kind(self, kind)
        set_tags(self, tags)
        set_content(self, content)
        set_sig(self, sig)
        set_serialized(self, _serialized or _serialize(pubkey.hex(), created_at, kind, tags, content))

    def serialize(self) -> bytes:
        """The bytes that are hashed into the id (NIP01-SER-01 to NIP01-SER-05)."""
        return self._serialized

    def verify(self, author: PublicKey | None = None) -> None:
        """Raise a Violation unless the id is the hash (NIP01-ID-01) and the signature the author's (NIP01-SIG-01).

        `author` saves the parsing of the public key for a caller who has it.
        """
        if sha256(self._serialized).digest() != self.id:
            raise Violation(ErrorClass.ID_MISMATCH, "event.id", "it is not the SHA-256 of the serialized event")
        if not (author or public_key(self.pubkey)).verify(self.id, self.sig):
            raise Violation(ErrorClass.INVALID_SIGNATURE, "event.sig", "it does not verify for event.pubkey")

    @property
    def sent_length(self) -> int:
        """The length of `dump`, which is the shortest JSON text there is for these seven fields.

        So a text of this length has no room for a repeated key, and a comparison of lengths replaces a second reading.
        """
        return len(self._serialized) + _SURPLUS

    def dump(self) -> bytes:
        """The event as it is sent: one JSON object without white space."""
        _, pubkey, created_at, kind, tags_and_content = self._serialized.split(b",", 4)
        tags = strict_json.dump_flat(self.tags)
        content = tags_and_content[len(tags) + 1 : -1]
        return _WIRE % (hexlify(self.id), pubkey, created_at, kind, tags, content, hexlify(self.sig))

    def to_value(self) -> dict[str, Any]:
        """The event as a JSON object."""
        return {
            "id": self.id.hex(),
            "pubkey": self.pubkey.hex(),
            "created_at": self.created_at,
            "kind": self.kind,
            "tags": self.tags,
            "content": self.content,
            "sig": self.sig.hex(),
        }


_UNSIGNED_SLOTS = tuple(getattr(UnsignedEvent, slot.name).__set__ for slot in fields(UnsignedEvent))
_EVENT_SLOTS = tuple(getattr(Event, slot.name).__set__ for slot in fields(Event))


def is_hex32(text: str) -> bool:
    """Whether a string is 64 lower-case hexadecimal digits."""
    return len(text) == 64 and not text.strip("0123456789abcdef")


def freeze_tags(tags: Iterable[Sequence[str]]) -> Tags:
    """Lists as the tuples that an event holds."""
    return tuple(map(tuple, tags))


def parse(data: bytes | str) -> Event:
    """An event from its JSON text, of the right shape (NIP01-EVT-01 to NIP01-EVT-11), as `strict_json.parse` reads it.

    Hexadecimal is the only form of keys and ids here: never bech32 (NIP19-USE-01).
    """
    if isinstance(data, str):
        data = strict_json.as_bytes(data)
    value = strict_json.load(data)
    event = from_value(value)
    if len(data) != len(event._serialized) + _SURPLUS:
        if len(value) == len(FIELDS):
            strict_json.refuse_repeated_keys(data, event.dump())
        else:
            strict_json.settle(data, value)
    return event


def from_value(value: Any) -> Event:
    """An event from a parsed JSON object; each way to be wrong has its error class, unknown fields are ignored."""
    if type(value) is not dict:
        raise Violation(ErrorClass.NOT_AN_OBJECT, "event", "an event is a JSON object")
    try:
        id_hex = value["id"]
        pubkey_hex = value["pubkey"]
        created_at = value["created_at"]
        kind = value["kind"]
        tags = value["tags"]
        content = value["content"]
        sig_hex = value["sig"]
    except KeyError as missing:
        raise Violation(ErrorClass.MISSING_FIELD, "event", f"there is no {missing.args[0]}") from None
    fault = _fault_in(created_at, kind, tags, content, list)
    if fault is not None:
        error_class, where, detail = fault
        raise Violation(error_class, f"event.{where}", detail)
    binary = _unhex_together(id_hex, pubkey_hex, sig_hex)
    try:
        serialized = strict_json.dump_flat([0, pubkey_hex, created_at, kind, tags, content])
    except LocalProtocolError:
        raise Violation(ErrorClass.LONE_SURROGATE, "event", "half of a surrogate pair in a string") from None
    return Event(
        binary[:32],
        binary[32:64],
        created_at,
        kind,
        tuple(map(tuple, tags)),
        content,
        binary[64:],
        serialized,
    )


def unsigned_from_value(value: Any) -> UnsignedEvent:
    """A rumor from a parsed JSON object. An `id`, if it has one, must be right (NIP59-RUMOR-02)."""
    if type(value) is not dict:
        raise Violation(ErrorClass.NOT_AN_OBJECT, "rumor", "a rumor is a JSON object")
    for name in FIELDS[1:6]:
        if name not in value:
            raise Violation(ErrorClass.MISSING_FIELD, "rumor", f"there is no {name}")
    fault = _fault_in(value["created_at"], value["kind"], value["tags"], value["content"], list)
    if fault is not None:
        error_class, where, detail = fault
        raise Violation(error_class, f"rumor.{where}", detail)
    pubkey = _unhex(value["pubkey"], 32, "pubkey", "rumor")
    rumor = UnsignedEvent(pubkey, value["created_at"], value["kind"], freeze_tags(value["tags"]), value["content"])
    try:
        its_id = rumor.id
    except LocalProtocolError:
        raise Violation(ErrorClass.LONE_SURROGATE, "rumor", "half of a surrogate pair in a string") from None
    if "id" in value and _unhex(value["id"], 32, "id", "rumor") != its_id:
        raise Violation(ErrorClass.ID_MISMATCH, "rumor.id", "it is not the SHA-256 of the serialized rumor")
    return rumor


def _fault_in(
    created_at: Any, kind: Any, tags: Any, content: Any, sequence: type[list[Any]] | type[tuple[Any, ...]]
) -> tuple[ErrorClass, str, str] | None:
    """What is wrong with the fields an author chooses; tags are of type `sequence` throughout."""
    if type(created_at) is not int or not 0 <= created_at <= MAX_CREATED_AT:
        return ErrorClass.MALFORMED_CREATED_AT, "created_at", "not a non-negative integer of at most 64 bits"
    if type(kind) is not int or not 0 <= kind <= MAX_KIND:
        return ErrorClass.MALFORMED_KIND, "kind", f"not an integer from 0 to {MAX_KIND}"
    if type(tags) is not sequence:
        return ErrorClass.MALFORMED_TAGS, "tags", f"not a {sequence.__name__} of tags"
    try:
        for tag in tags:
            if type(tag) is not sequence or not tag:
                raise TypeError
            _concatenate(tag)  # raises on anything but strings, at a fraction of a look at each type
    except TypeError:
        return ErrorClass.MALFORMED_TAGS, "tags", f"a tag is not a non-empty {sequence.__name__} of strings"
    if type(content) is not str:
        return ErrorClass.MALFORMED_CONTENT, "content", "not a string"
    return None


_concatenate = "".join
_MALFORMED = {"id": ErrorClass.MALFORMED_ID, "pubkey": ErrorClass.MALFORMED_PUBKEY, "sig": ErrorClass.MALFORMED_SIG}


def _unhex(text: Any, length: int, name: str, whole: str = "event") -> bytes:
    # bytes.fromhex skips blanks and takes upper case: only a text that comes back unchanged was strict.
    try:
        binary = bytes.fromhex(text)
    except (ValueError, TypeError):
        binary = b""
    if len(binary) != length or binary.hex() != text:
        raise Violation(_MALFORMED[name], f"{whole}.{name}", f"not {2 * length} lower-case hexadecimal digits")
    return binary


def _unhex_together(id_hex: Any, pubkey_hex: Any, sig_hex: Any) -> bytes:
    """`_unhex` of the three in one go, which is the common case; one by one only to name the wrong one."""
    try:
        together = id_hex + pubkey_hex + sig_hex
        binary = bytes.fromhex(together)
        if len(id_hex) == 64 and len(pubkey_hex) == 64 and len(binary) == 128 and binary.hex() == together:
            return binary
    except (ValueError, TypeError):
        pass
    return _unhex(id_hex, 32, "id") + _unhex(pubkey_hex, 32, "pubkey") + _unhex(sig_hex, 64, "sig")


def _serialize(pubkey: str, created_at: int, kind: int, tags: Any, content: str) -> bytes:
    return strict_json.dump_flat([0, pubkey, created_at, kind, tags, content])
