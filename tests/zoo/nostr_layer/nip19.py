"""Bech32 entities read without one of their checks, or refused for what they may have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nostrmcp.conformance.operations import OPERATIONS, Value
from nostrmcp.nostr import ErrorClass, Violation, nip19
from tests.zoo.member import Operations, member, patched, reading, refusal, writing

CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

right_polymod = nip19._polymod
right_expand = nip19._expand
right_tlv = nip19._tlv


def text_first(change: Callable[[str], str]) -> Operations:
    return reading("nip19_decode", lambda given: {"text": change(given["text"])})


def bech32_of(
    text: str,
    *,
    limit: int = 5000,
    one_case: bool = True,
    ascii_only: bool = True,
    constants: tuple[int, ...] = (1,),
    leftover: Callable[[int, int], bool] = lambda length, bits: length < 5 and bits == 0,
    unknown: int | None = None,
) -> tuple[str, bytes]:
    """BIP-173 with a knob for each check: an empty `constants` leaves the checksum unchecked, `unknown` stands for
    characters that are none of bech32's."""
    prefix, separator, rest = text.lower().rpartition("1")
    words = [CHARSET.find(character) for character in rest]
    if -1 in words and unknown is not None:
        words = [unknown if word < 0 else word for word in words]
    if (
        len(text) > limit
        or (ascii_only and not text.isascii())
        or (one_case and text not in (text.lower(), text.upper()))
        or not prefix
        or not separator
        or len(words) < 6
        or -1 in words
        or (constants and right_polymod(right_expand(prefix) + words) not in constants)
    ):
        raise refusal(ErrorClass.INVALID_BECH32)
    bits = "".join(f"{word:05b}" for word in words[:-6])
    whole = len(bits) // 8 * 8
    if not leftover(len(bits) - whole, int(bits[whole:] or "0", 2)):
        raise refusal(ErrorClass.INVALID_BECH32)
    return prefix, bytes(int(bits[at : at + 8], 2) for at in range(0, whole, 8))


def decoding(**knobs: Any) -> Operations:
    return patched("nip19_decode", (nip19, "_unbech32", lambda text: bech32_of(text, **knobs)))


def items_of(data: bytes) -> list[tuple[int, bytes]]:
    """Type and value of each item; what is missing at the end is not missed."""
    items = []
    while len(data) > 1:
        items.append((data[0], data[2 : 2 + data[1]]))
        data = data[2 + data[1] :]
    return items


def tlv(
    *, cut: bool = False, known: frozenset[int] | None = None, last: bool = False, ordered: bool = False
) -> Operations:
    """Items read in another way."""

    def init(self: Any, prefix: str, data: bytes) -> None:
        items = items_of(data)
        if not cut and sum(2 + len(value) for _, value in items) != len(data):
            raise refusal(ErrorClass.MALFORMED_TLV)
        if not cut and b"".join(bytes((kind, len(value))) + value for kind, value in items) != data:
            raise refusal(ErrorClass.MALFORMED_TLV)
        if known is not None and any(kind not in known for kind, _ in items):
            raise refusal(ErrorClass.MALFORMED_TLV)
        if ordered and [kind for kind, _ in items] != sorted(kind for kind, _ in items):
            raise refusal(ErrorClass.MALFORMED_TLV)
        self.prefix = prefix
        self.values = {}
        for kind, value in items:
            self.values.setdefault(kind, []).insert(0 if last else len(items), value)

    return patched("nip19_decode", (nip19._Tlv, "__init__", init))


def method(name: str, replacement: Callable[..., Any]) -> Operations:
    return patched("nip19_decode", (nip19._Tlv, name, replacement))


def kind_of_any_size(self: Any) -> int | None:
    value = self._first(3)
    return None if value is None else int.from_bytes(value, "big")


def kind_of_four_bytes(self: Any) -> int | None:
    value = self._first(3)
    if value is not None and len(value) != 4:
        raise refusal(ErrorClass.MALFORMED_TLV)
    return kind_of_any_size(self)


def little_endian_kind(self: Any) -> int | None:
    value = self._first(3)
    return None if value is None else int.from_bytes(value, "little")


def relays_in_utf8(self: Any, value: bytes, encoding: str, what: str) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise refusal(ErrorClass.MALFORMED_TLV) from None


def optional_items(given: Value) -> Value:
    """An address of whatever items there are, with defaults for the others."""
    prefix, data = bech32_of(given["text"])
    items = dict(reversed(items_of(data)))
    if prefix != "naddr" or {0, 2, 3} <= items.keys():
        return OPERATIONS["nip19_decode"](given)
    pubkey, kind = items.get(2, bytes(32)).hex(), int.from_bytes(items.get(3, b""), "big")
    entity = {"type": "naddr", "identifier": items.get(0, b"").decode(), "pubkey": pubkey, "kind": kind, "relays": []}
    return {"entity": entity}


def items_at_once(given: Value) -> Value:
    """The item of type 0 taken for granted."""
    prefix, data = bech32_of(given["text"])
    if prefix in ("nprofile", "nevent", "naddr"):
        dict(items_of(data))[0]
    return given


def any_prefix(given: Value) -> Value:
    try:
        return OPERATIONS["nip19_decode"](given)
    except Violation as refused:
        if refused.error_class is not ErrorClass.UNKNOWN_PREFIX:
            raise
        return {"entity": {"type": "npub", "pubkey": bech32_of(given["text"])[1].hex()}}


def bare(accept: Callable[[bytes], bytes]) -> Operations:
    """Keys and ids of other lengths."""
    return patched("nip19_decode", (nip19, "_bare", lambda prefix, data: accept(data)))


def keys_unchecked(given: Value) -> Value:
    prefix, data = bech32_of(given["text"])
    names = {"npub": "pubkey", "nsec": "seckey"}
    if prefix not in names or len(data) != 32:
        return OPERATIONS["nip19_decode"](given)
    return {"entity": {"type": prefix, names[prefix]: data.hex()}}


def naively_separated(given: Value) -> Value:
    """Prefix and data apart without a look whether there are both."""
    prefix, data = given["text"].lower().rsplit("1", 1)
    prefix[0], data[5]
    return given


def wrapped_length(item_type: int, value: bytes) -> bytes:
    return bytes((item_type, len(value) % 256)) + value


def encoded(change: Callable[[str], str]) -> Operations:
    return writing("nip19_encode", lambda output: {"text": change(output["text"])})


def entity_first(change: Callable[[Value], Value]) -> Operations:
    return reading("nip19_encode", lambda given: {"entity": change(given["entity"])})


CONTROLS = [
    member("bech32-control", "Bech32 without a bug.", decoding(), fails=""),
    member("tlv-control", "Items without a bug.", tlv(), fails=""),
]

MEMBERS = [
    member(
        "bech32-checksum",
        "Does not check the checksum.",
        decoding(constants=()),
        fails="nip19-checksum nip19-swapped nip19-bech32m",
    ),
    member(
        "bech32m-too", "Takes the checksum of bech32m too.", decoding(constants=(1, 0x2BC830A3)), fails="nip19-bech32m"
    ),
    member(
        "bech32m-only",
        "Takes the checksum of bech32m only.",
        decoding(constants=(0x2BC830A3,)),
        fails="""
            nip19-decode-npub nip19-decode-nsec nip19-decode-note nip19-decode-nprofile nip19-decode-nprofile-bare
            nip19-decode-nevent-bare nip19-decode-nevent nip19-decode-naddr nip19-decode-naddr-empty
            nip19-decode-naddr-utf8 nip19-decode-upper-case nip19-decode-unknown-tlv nip19-decode-author-in-nprofile
            nip19-decode-any-order nip19-bech32m nip19-identifier-255 nip19-kind-0 nip19-kind-65535 nip19-longest
        """,
    ),
    member(
        "bech32-90",
        "Keeps BIP-173's limit of 90 characters.",
        decoding(limit=90),
        fails="""
            nip19-decode-nprofile nip19-decode-nevent nip19-decode-naddr nip19-decode-naddr-utf8
            nip19-decode-any-order nip19-identifier-255 nip19-longest
        """,
    ),
    member("bech32-no-limit", "Has no limit.", decoding(limit=10**9), fails="nip19-too-long"),
    member(
        "bech32-mixed-case", "Reads upper and lower case mixed.", decoding(one_case=False), fails="nip19-mixed-case"
    ),
    member(
        "bech32-lower-case",
        "Reads lower case only.",
        text_first(lambda text: "" if text != text.lower() else text),
        fails="nip19-decode-upper-case",
    ),
    member(
        "bech32-padding-bits",
        "Does not look at the bits left over.",
        decoding(leftover=lambda length, bits: length < 5),
        fails="nip19-padding-bits",
    ),
    member(
        "bech32-padding-word",
        "Does not look how many bits are left over.",
        decoding(leftover=lambda length, bits: bits == 0),
        fails="nip19-padding-word",
    ),
    member("bech32-trimmed", "Trims white space.", text_first(str.strip), fails="nip19-trailing-blank"),
    member(
        "bech32-unseparated",
        "Takes the text apart at the separator, and crashes where there is none.",
        reading("nip19_decode", naively_separated),
        fails="nip19-no-separator nip19-no-prefix nip19-short-checksum nip19-empty",
    ),
    member(
        "bech32-any-prefix",
        "Takes an entity of any prefix for a public key.",
        {"nip19_decode": any_prefix},
        fails="""
            nip19-unknown-prefix nip19-bitcoin-address nip19-prefix-punctuation
        """,
    ),
    member(
        "bech32-any-length",
        "Fills up keys and ids with zeros, or cuts them.",
        bare(lambda data: data[:32].ljust(32, b"\0")),
        fails="nip19-npub-31 nip19-npub-33 nip19-note-empty",
    ),
    member(
        "bech32-last-32",
        "Takes the last 32 bytes of a key.",
        bare(lambda data: data[-32:]),
        fails="nip19-npub-33 nip19-note-empty",
    ),
    member(
        "bech32-keys-unchecked",
        "Does not check whether a key is one.",
        {"nip19_decode": keys_unchecked},
        fails="nip19-npub-not-on-curve nip19-nsec-zero",
    ),
    member("tlv-past-end", "Reads items past the end.", tlv(cut=True), fails="nip19-tlv-cut nip19-tlv-no-length"),
    member(
        "tlv-unknown-refused",
        "Refuses types that it does not know.",
        tlv(known=frozenset(range(4))),
        fails="nip19-decode-unknown-tlv",
    ),
    member(
        "tlv-kind-in-nprofile",
        "Refuses types that have no meaning here.",
        {
            "nip19_decode": lambda given: (
                tlv(known=frozenset((0, 1)))["nip19_decode"](given)
                if given["text"].startswith("nprofile")
                else OPERATIONS["nip19_decode"](given)
            )
        },
        fails="nip19-decode-unknown-tlv nip19-decode-author-in-nprofile",
    ),
    member(
        "tlv-ordered",
        "Reads items in the order of their types only.",
        tlv(ordered=True),
        fails="nip19-decode-unknown-tlv nip19-decode-any-order",
    ),
    member(
        "tlv-last-relay-first",
        "Reads the relays in reverse.",
        tlv(last=True),
        fails="""
            nip19-decode-nprofile nip19-decode-nevent nip19-decode-naddr nip19-longest
        """,
    ),
    member(
        "tlv-one-relay",
        "Reads one relay only.",
        writing(
            "nip19_decode",
            lambda output: (
                {"entity": output["entity"] | {"relays": output["entity"]["relays"][:1]}}
                if "relays" in output["entity"]
                else output
            ),
        ),
        fails="""
            nip19-decode-nprofile nip19-decode-nevent nip19-decode-naddr nip19-longest
        """,
    ),
    member(
        "tlv-keys-of-any-length",
        "Takes keys and ids of any length.",
        method("_bytes32", lambda self, value: value),
        fails="nip19-nprofile-short-key nip19-nevent-short-author",
    ),
    member(
        "tlv-optional",
        "Takes an address without its author, kind or identifier.",
        {"nip19_decode": optional_items},
        fails="nip19-naddr-no-author nip19-naddr-no-kind nip19-naddr-no-identifier",
    ),
    member(
        "tlv-item-0",
        "Takes the item of type 0 for granted, and crashes without it.",
        reading("nip19_decode", items_at_once),
        fails="nip19-nprofile-no-key nip19-naddr-no-identifier",
    ),
    member(
        "tlv-kind-any-size",
        "Reads a kind of any size.",
        method("_kind", kind_of_any_size),
        fails="nip19-kind-two-bytes nip19-kind-65536",
    ),
    member(
        "tlv-kind-32-bits",
        "Reads kinds that no event has.",
        method("_kind", kind_of_four_bytes),
        fails="nip19-kind-65536",
    ),
    member(
        "tlv-kind-little-endian",
        "Reads kinds from the wrong end.",
        method("_kind", little_endian_kind),
        fails="""
            nip19-decode-nevent nip19-decode-naddr nip19-decode-naddr-empty nip19-decode-naddr-utf8
            nip19-decode-any-order nip19-kind-two-bytes nip19-kind-65536 nip19-identifier-255 nip19-kind-65535
            nip19-longest
        """,
    ),
    member(
        "tlv-relays-utf8", "Reads relays outside ASCII.", method("_text", relays_in_utf8), fails="nip19-relay-not-ascii"
    ),
    member(
        "tlv-utf8-replaced",
        "Reads bad UTF-8 as replacement characters.",
        method("_text", lambda self, value, encoding, what: value.decode(encoding, "replace")),
        fails="nip19-relay-not-ascii nip19-identifier-not-utf8",
    ),
    member(
        "tlv-identifier-ascii",
        "Reads identifiers in ASCII only.",
        writing(
            "nip19_decode",
            lambda output: output if output["entity"].get("identifier", "").isascii() else {"entity": None},
        ),
        fails="nip19-decode-naddr-utf8",
    ),
    member(
        "encode-bech32m",
        "Writes the checksum of bech32m.",
        patched("nip19_encode", (nip19, "_polymod", lambda words: right_polymod(words) ^ 1 ^ 0x2BC830A3)),
        fails="""
            nip19-encode-npub nip19-encode-nsec nip19-encode-note nip19-encode-nprofile nip19-encode-nprofile-bare
            nip19-encode-nevent-bare nip19-encode-nevent nip19-encode-naddr nip19-encode-naddr-empty
            nip19-encode-naddr-utf8 nip19-encode-identifier-255 nip19-encode-kind-0 nip19-encode-kind-65535
            nip19-encode-longest
        """,
    ),
    member(
        "encode-upper-case",
        "Writes upper case.",
        encoded(str.upper),
        fails="""
            nip19-encode-npub nip19-encode-nsec nip19-encode-note nip19-encode-nprofile nip19-encode-nprofile-bare
            nip19-encode-nevent-bare nip19-encode-nevent nip19-encode-naddr nip19-encode-naddr-empty
            nip19-encode-naddr-utf8 nip19-encode-identifier-255 nip19-encode-kind-0 nip19-encode-kind-65535
            nip19-encode-longest
        """,
    ),
    member(
        "encode-length-wraps",
        "Writes the length of an item modulo 256.",
        patched("nip19_encode", (nip19, "_tlv", wrapped_length)),
        fails="nip19-encode-long-identifier",
    ),
    member(
        "encode-kind-little-endian",
        "Writes kinds from the wrong end.",
        patched("nip19_encode", (nip19, "_kind", lambda kind: b"\3\4" + kind.to_bytes(4, "little"))),
        fails="""
            nip19-encode-nevent nip19-encode-naddr nip19-encode-naddr-empty nip19-encode-naddr-utf8
            nip19-encode-identifier-255 nip19-encode-kind-65535 nip19-encode-kind-65536 nip19-encode-longest
        """,
    ),
    member(
        "encode-without-empty",
        "Leaves out items that are empty.",
        patched("nip19_encode", (nip19, "_tlv", lambda kind, value: right_tlv(kind, value) if value else b"")),
        fails="""
            nip19-encode-naddr-empty nip19-encode-kind-0
        """,
    ),
    member(
        "encode-relays-joined",
        "Writes all relays as one.",
        entity_first(
            lambda entity: entity | {"relays": [",".join(entity["relays"])]} if entity.get("relays") else entity
        ),
        fails="nip19-encode-nprofile nip19-encode-nevent nip19-encode-naddr nip19-encode-longest",
    ),
    member(
        "encode-without-author",
        "Leaves out the author of an event.",
        entity_first(lambda entity: entity | {"author": None} if "author" in entity else entity),
        fails="nip19-encode-nevent",
    ),
    member(
        "encode-without-kind",
        "Leaves out the kind of an event.",
        entity_first(lambda entity: entity | {"kind": None} if entity["type"] == "nevent" else entity),
        fails="nip19-encode-nevent",
    ),
    member(
        "encode-identifier-ascii",
        "Writes identifiers in ASCII.",
        entity_first(
            lambda entity: (
                entity | {"identifier": entity["identifier"].encode("ascii", "replace").decode()}
                if "identifier" in entity
                else entity
            )
        ),
        fails="nip19-encode-naddr-utf8",
    ),
    member(
        "bech32-unknown-letters",
        "Takes the -1 of a search for a letter modulo 32.",
        decoding(unknown=31),
        fails="nip19-letter-b",
    ),
    member(
        "bech32-kelvin",
        "Makes lower case of letters that are not in ASCII.",
        decoding(ascii_only=False),
        fails="nip19-kelvin-sign",
    ),
]
