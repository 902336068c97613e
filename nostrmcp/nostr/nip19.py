"""NIP-19: bech32 entities for people to copy and paste."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import ErrorClass, LocalProtocolError, Violation, shown
from .event import MAX_KIND
from .keys import PublicKey, SecretKey

MAX_LENGTH = 5000

_CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_SPECIAL, _RELAY, _AUTHOR, _KIND = range(4)


@dataclass(frozen=True, slots=True)
class Note:
    """note: an event id."""

    id: bytes


@dataclass(frozen=True, slots=True)
class Profile:
    """nprofile: a public key and relays where its events may be found."""

    pubkey: bytes
    relays: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EventPointer:
    """nevent: an event id, relays, and optionally its author and kind."""

    id: bytes
    relays: tuple[str, ...] = ()
    author: bytes | None = None
    kind: int | None = None


@dataclass(frozen=True, slots=True)
class Address:
    """naddr: the coordinate of an addressable or replaceable event (whose identifier is empty), and relays."""

    identifier: str
    pubkey: bytes
    kind: int
    relays: tuple[str, ...] = ()


Entity = PublicKey | SecretKey | Note | Profile | EventPointer | Address


def encode(entity: Entity) -> str:
    """The bech32 text of an entity (NIP19-BARE-01, NIP19-TLV-01)."""
    match entity:
        case PublicKey():
            return _bech32("npub", entity.x)
        case SecretKey():
            return _bech32("nsec", entity.reveal())
        case Note():
            return _bech32("note", _exactly_32(entity.id))
        case Profile():
            return _bech32("nprofile", _tlv(_SPECIAL, _exactly_32(entity.pubkey)) + _relays(entity.relays))
        case EventPointer():
            author = b"" if entity.author is None else _tlv(_AUTHOR, _exactly_32(entity.author))
            kind = b"" if entity.kind is None else _kind(entity.kind)
            return _bech32("nevent", _tlv(_SPECIAL, _exactly_32(entity.id)) + _relays(entity.relays) + author + kind)
        case Address():
            identifier = _tlv(_SPECIAL, _utf8(entity.identifier))
            author = _tlv(_AUTHOR, _exactly_32(entity.pubkey))
            return _bech32("naddr", identifier + _relays(entity.relays) + author + _kind(entity.kind))
    raise TypeError(f"{type(entity).__name__} is not a NIP-19 entity")


def decode(text: str) -> Entity:
    """The entity of a bech32 text, or a Violation that never repeats the text: it may be a secret.

    NIP19-BARE-01, NIP19-TLV-01; unknown TLVs are ignored (NIP19-TLV-02); relays are ASCII (NIP19-TLV-03); at most 5000
    characters (NIP19-SIZE-01).
    """
    prefix, data = _unbech32(text)
    match prefix:
        case "npub":
            return PublicKey(_bare(prefix, data))
        case "nsec":
            try:
                return SecretKey(_bare(prefix, data))
            except LocalProtocolError:
                raise Violation(ErrorClass.INVALID_SECRET_KEY, "nsec", "the key is not from 1 to n - 1") from None
        case "note":
            return Note(_bare(prefix, data))
        case "nprofile" | "nevent" | "naddr":
            return _Tlv(prefix, data).entity()
    raise Violation(ErrorClass.UNKNOWN_PREFIX, "NIP-19", f"{shown(prefix)} is not a prefix of NIP-19")


def _bare(prefix: str, data: bytes) -> bytes:
    if len(data) != 32:
        raise Violation(ErrorClass.MALFORMED_TLV, prefix, f"{len(data)} bytes where 32 are required")
    return data


class _Tlv:
    """The type-length-value items of one entity, each type's values in order."""

    def __init__(self, prefix: str, data: bytes) -> None:
        self.prefix = prefix
        self.values: dict[int, list[bytes]] = {}
        while data:
            if len(data) < 2 or len(data) < 2 + data[1]:
                raise self._malformed("the last item is cut short")
            self.values.setdefault(data[0], []).append(data[2 : 2 + data[1]])
            data = data[2 + data[1] :]

    def entity(self) -> Profile | EventPointer | Address:
        special = self._first(_SPECIAL)
        if special is None:
            raise self._malformed("there is no item of type 0")
        relays = tuple(self._text(value, "ascii", "a relay") for value in self.values.get(_RELAY, ()))
        if self.prefix == "nprofile":
            return Profile(self._bytes32(special), relays)
        author = self._first(_AUTHOR)
        pubkey = None if author is None else self._bytes32(author)
        kind = self._kind()
        if self.prefix == "nevent":
            return EventPointer(self._bytes32(special), relays, pubkey, kind)
        if pubkey is None or kind is None:
            raise self._malformed("an author and a kind are required")
        return Address(self._text(special, "utf-8", "the identifier"), pubkey, kind, relays)

    def _first(self, item_type: int) -> bytes | None:
        values = self.values.get(item_type)
        return values[0] if values else None

    def _kind(self) -> int | None:
        value = self._first(_KIND)
        if value is None:
            return None
        kind = int.from_bytes(value, "big")
        if len(value) != 4 or kind > MAX_KIND:
            raise self._malformed(f"a kind is 4 bytes and at most {MAX_KIND}")
        return kind

    def _bytes32(self, value: bytes) -> bytes:
        if len(value) != 32:
            raise self._malformed(f"an item of {len(value)} bytes where 32 are required")
        return value

    def _text(self, value: bytes, encoding: str, what: str) -> str:
        try:
            return value.decode(encoding)
        except UnicodeDecodeError:
            raise self._malformed(f"{what} is not {encoding}") from None

    def _malformed(self, detail: str) -> Violation:
        return Violation(ErrorClass.MALFORMED_TLV, self.prefix, detail)


def _tlv(item_type: int, value: bytes) -> bytes:
    if len(value) > 255:
        raise LocalProtocolError(ErrorClass.MALFORMED_TLV, f"an item of {len(value)} bytes; one byte holds its length")
    return bytes((item_type, len(value))) + value


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise LocalProtocolError(ErrorClass.LONE_SURROGATE, "half of a surrogate pair in the identifier") from None


def _relays(relays: tuple[str, ...]) -> bytes:
    if not all(relay.isascii() for relay in relays):
        raise LocalProtocolError(ErrorClass.MALFORMED_TLV, "a relay is encoded as ASCII")
    return b"".join(_tlv(_RELAY, relay.encode()) for relay in relays)


def _kind(kind: int) -> bytes:
    if not 0 <= kind <= MAX_KIND:
        raise LocalProtocolError(ErrorClass.MALFORMED_KIND, f"kind is an integer from 0 to {MAX_KIND}")
    return _tlv(_KIND, kind.to_bytes(4, "big"))


def _exactly_32(value: bytes) -> bytes:
    if len(value) != 32:
        raise LocalProtocolError(ErrorClass.MALFORMED_TLV, "keys and ids are 32 bytes")
    return value


def _polymod(values: list[int]) -> int:
    """BIP-173's checksum of a list of 5-bit values."""
    checksum = 1
    for value in values:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            checksum ^= generator if top >> bit & 1 else 0
    return checksum


def _expand(prefix: str) -> list[int]:
    return [ord(character) >> 5 for character in prefix] + [0] + [ord(character) & 31 for character in prefix]


def _bech32(prefix: str, data: bytes) -> str:
    """BIP-173 bech32, not bech32m (NIP19-BECH-01)."""
    bits = int.from_bytes(data, "big") << (-len(data) * 8 % 5)
    words = [bits >> shift & 31 for shift in range(-(-len(data) * 8 // 5) * 5 - 5, -1, -5)]
    checksum = _polymod(_expand(prefix) + words + [0] * 6) ^ 1
    words += [checksum >> shift & 31 for shift in range(25, -1, -5)]
    text = prefix + "1" + "".join(_CHARSET[word] for word in words)
    if len(text) > MAX_LENGTH:
        raise LocalProtocolError(ErrorClass.INVALID_BECH32, f"longer than {MAX_LENGTH} characters")
    return text


def _unbech32(text: str) -> tuple[str, bytes]:
    """Prefix and bytes, or a Violation: NIP19-BECH-01 (checksum, padding), NIP19-BECH-02 (characters and case)."""
    if len(text) > MAX_LENGTH:
        raise _invalid(f"longer than {MAX_LENGTH} characters")
    if not text.isascii() or (text.lower() != text and text.upper() != text):
        raise _invalid("characters outside ASCII, or upper and lower case mixed")
    prefix, separator, rest = text.lower().rpartition("1")
    if not separator or not prefix or len(rest) < 6 or not all("!" <= character <= "~" for character in prefix):
        raise _invalid("no prefix, no separator, or no room for a checksum")
    words = [_CHARSET.find(character) for character in rest]
    if -1 in words:
        raise _invalid("a character that bech32 does not use")
    if _polymod(_expand(prefix) + words) != 1:
        raise _invalid("the checksum does not match")
    bits = 0
    for word in words[:-6]:
        bits = bits << 5 | word
    length, padding = divmod((len(words) - 6) * 5, 8)
    if padding > 4 or bits & (1 << padding) - 1:
        raise _invalid("the last bits are not zero padding")
    return prefix, (bits >> padding).to_bytes(length, "big")


def _invalid(detail: str) -> Violation:
    return Violation(ErrorClass.INVALID_BECH32, "bech32", detail)
