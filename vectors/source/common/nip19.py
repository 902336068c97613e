"""NIP-19 entities. TLV bytes are written out by hand; only the bech32 letters are computed, by the BIP-173 steps below."""

from __future__ import annotations

from typing import Any

from nostrmcp.nostr import bip340
from vectors.source.writing import Note, Suite, invalid, public, secret_bytes, sha256, valid

SUITE = Suite(
    "common/nip19",
    "NIP-19 bech32 entities",
    "1",
    {
        "Basic": Note("BASIC", "an ordinary entity", "keys and addresses cannot be passed on"),
        "UpperCase": Note("EDGE_CASE", "all letters in upper case, as in QR codes", "a valid code is refused"),
        "MixedCase": Note("MISSING_STEP", "upper and lower case mixed", "damaged text is accepted"),
        "Checksum": Note("MISSING_STEP", "the checksum does not match", "a mistyped key is used"),
        "Bech32m": Note("MISSING_STEP", "the checksum of bech32m in place of bech32", "damaged text is accepted"),
        "Padding": Note(
            "MALLEABILITY", "bits left over that are not zero, or too many of them", "several texts for one key"
        ),
        "Length": Note("MISSING_STEP", "a key or id of another length", "reading past a buffer"),
        "Tlv": Note("MISSING_STEP", "a TLV that is cut short, missing or of another size", "reading past a buffer"),
        "UnknownTlv": Note("BASIC", "a TLV type that NIP-19 does not define", "entities of newer programs are refused"),
        "Range": Note("EDGE_CASE", "a value outside its range", "an entity that no event can match"),
        "NotOnCurve": Note(
            "MISSING_STEP", "a key that is no point, or no scalar, of the curve", "a key nobody can use"
        ),
        "Size": Note("RESOURCE", "a text beyond 5000 characters", "time spent on a checksum for nothing"),
        "Prefix": Note("MISSING_STEP", "a prefix that NIP-19 does not define", "a secret is taken for an address"),
        "Characters": Note("MISSING_STEP", "characters that bech32 does not use", "damaged text is accepted"),
    },
)

CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def bech32(prefix: str, data: bytes, constant: int = 1, last_bits: int = 0, extra_words: int = 0) -> str:
    """BIP-173 from its text, with knobs for being wrong: the checksum constant, the padding bits, surplus words."""
    bits = "".join(f"{byte:08b}" for byte in data)
    padding = -len(bits) % 5
    bits += f"{last_bits:0{padding}b}" if padding else ""
    words = [int(bits[at : at + 5], 2) for at in range(0, len(bits), 5)] + [0] * extra_words
    return written(prefix, words, constant)


def written(prefix: str, words: list[int], constant: int = 1) -> str:
    """Words of five bits and their checksum as letters. A word of -1 becomes b:
    code that looks for the letter b in the alphabet may find that.
    """
    expanded = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
    checksum = 1
    for word in [*expanded, *words, 0, 0, 0, 0, 0, 0]:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ word
        for bit, generator in enumerate(GENERATORS):
            if top >> bit & 1:
                checksum ^= generator
    checksum ^= constant
    letters = words + [checksum >> 5 * (5 - at) & 31 for at in range(6)]
    return prefix + "1" + "".join("b" if word == -1 else CHARSET[word] for word in letters)


KEY = bytes.fromhex(public("alice"))
ID = sha256("nostrmcp vector event id")
RELAYS = ["wss://relay.example.com", "ws://127.0.0.1:8080"]


def tlv(kind: int, value: bytes) -> bytes:
    return bytes([kind, len(value)]) + value


RELAY_ITEMS = b"".join(tlv(1, relay.encode()) for relay in RELAYS)
KIND_31316 = tlv(3, bytes.fromhex("00007a54"))

ENTITIES: list[tuple[str, str, str, dict[str, Any], str]] = [
    ("npub", "a public key", "NIP19-BARE-01", {"type": "npub", "pubkey": KEY.hex()}, bech32("npub", KEY)),
    ("nsec", "a secret key", "NIP19-BARE-01", {"type": "nsec", "seckey": secret_bytes("alice").hex()},
     bech32("nsec", secret_bytes("alice"))),
    ("note", "an event id", "NIP19-BARE-01", {"type": "note", "id": ID.hex()}, bech32("note", ID)),
    ("nprofile", "a profile with two relays", "NIP19-TLV-01",
     {"type": "nprofile", "pubkey": KEY.hex(), "relays": RELAYS}, bech32("nprofile", tlv(0, KEY) + RELAY_ITEMS)),
    ("nprofile-bare", "a profile without relays", "NIP19-TLV-01",
     {"type": "nprofile", "pubkey": KEY.hex(), "relays": []}, bech32("nprofile", tlv(0, KEY))),
    ("nevent-bare", "an event without anything more", "NIP19-TLV-01",
     {"type": "nevent", "id": ID.hex(), "relays": [], "author": None, "kind": None}, bech32("nevent", tlv(0, ID))),
    ("nevent", "an event with relays, author and kind", "NIP19-TLV-01",
     {"type": "nevent", "id": ID.hex(), "relays": RELAYS, "author": KEY.hex(), "kind": 31316},
     bech32("nevent", tlv(0, ID) + RELAY_ITEMS + tlv(2, KEY) + KIND_31316)),
    ("naddr", "an addressable event", "NIP19-TLV-01",
     {"type": "naddr", "identifier": "server-1", "pubkey": KEY.hex(), "kind": 31316, "relays": RELAYS},
     bech32("naddr", tlv(0, b"server-1") + RELAY_ITEMS + tlv(2, KEY) + KIND_31316)),
    ("naddr-empty", "a replaceable event has the empty identifier", "NIP19-TLV-01",
     {"type": "naddr", "identifier": "", "pubkey": KEY.hex(), "kind": 11316, "relays": []},
     bech32("naddr", tlv(0, b"") + tlv(2, KEY) + tlv(3, bytes.fromhex("00002c34")))),
    ("naddr-utf8", "an identifier outside ASCII", "NIP19-TLV-01",
     {"type": "naddr", "identifier": "s\u00e9rveur \U0001f600", "pubkey": KEY.hex(), "kind": 31316, "relays": []},
     bech32("naddr", tlv(0, "s\u00e9rveur \U0001f600".encode()) + tlv(2, KEY) + KIND_31316)),
]  # fmt: skip


def decoded(id: str, title: str, req: str, text: str, entity: dict[str, Any], flags: str) -> Any:
    return valid(f"nip19-{id}", title, req, {"text": text}, {"entity": entity}, flags=flags)


def refused(id: str, title: str, req: str, text: str, error: str, flags: str, level: str = "MUST") -> Any:
    return invalid(f"nip19-{id}", title, req, {"text": text}, error, flags=flags, level=level)


NPUB = bech32("npub", KEY)
assert "l" in NPUB and "k" in NPUB
SHORT_KEY = bytes.fromhex(public("carol"))[:31]
assert bip340.lift_x(int.from_bytes(SHORT_KEY + b"\0", "big"))
PROFILE = {"type": "nprofile", "pubkey": KEY.hex(), "relays": []}
LONG_PROFILE = bech32("nprofile", tlv(0, KEY) + tlv(1, b"wss://r.example/" + b"x" * 239) * 13)

SUITE.group(
    "nip19_decode",
    *(decoded(f"decode-{id}", title, req, text, entity, "Basic") for id, title, req, entity, text in ENTITIES),
    decoded("decode-upper-case", "all in upper case", "NIP19-BECH-02", NPUB.upper(),
            {"type": "npub", "pubkey": KEY.hex()}, "UpperCase"),
    decoded("decode-unknown-tlv", "an unknown TLV type is ignored", "NIP19-TLV-02",
            bech32("nprofile", tlv(77, b"new") + tlv(0, KEY) + tlv(9, b"")), PROFILE, "UnknownTlv"),
    decoded("decode-author-in-nprofile", "a known type without a meaning here is ignored", "NIP19-TLV-02",
            bech32("nprofile", tlv(0, KEY) + KIND_31316), PROFILE, "UnknownTlv"),
    decoded("decode-any-order", "TLVs in another order", "NIP19-TLV-01",
            bech32("naddr", KIND_31316 + tlv(2, KEY) + tlv(0, b"server-1")),
            {"type": "naddr", "identifier": "server-1", "pubkey": KEY.hex(), "kind": 31316, "relays": []}, "Tlv"),
    refused("mixed-case", "one letter in upper case", "NIP19-BECH-02", "N" + NPUB[1:], "invalid_bech32", "MixedCase"),
    refused("checksum", "the last letter changed", "NIP19-BECH-01", NPUB[:-1] + ("q" if NPUB[-1] != "q" else "p"),
            "invalid_bech32", "Checksum"),
    refused("swapped", "two letters swapped", "NIP19-BECH-01", NPUB[:20] + NPUB[21] + NPUB[20] + NPUB[22:],
            "invalid_bech32", "Checksum"),
    refused("bech32m", "the checksum of bech32m", "NIP19-BECH-01", bech32("npub", KEY, constant=0x2BC830A3),
            "invalid_bech32", "Bech32m"),
    refused("padding-bits", "padding bits that are not zero", "NIP19-BECH-01", bech32("npub", KEY, last_bits=1),
            "invalid_bech32", "Padding"),
    refused("padding-word", "a whole word of padding", "NIP19-BECH-01",
            bech32("nprofile", tlv(0, KEY) + tlv(1, b"wss://r.ex"), extra_words=1), "invalid_bech32", "Padding"),
    refused("no-separator", "no separator", "NIP19-BECH-01", "npub" + "q" * 20, "invalid_bech32", "Characters"),
    refused("no-prefix", "no prefix", "NIP19-BECH-01", bech32("", KEY), "invalid_bech32", "Characters"),
    refused("short-checksum", "no room for a checksum", "NIP19-BECH-01", "npub1qqqqq", "invalid_bech32", "Characters"),
    refused("letter-b", "b, which bech32 does not use, in the place of its last letter, l", "NIP19-BECH-02",
            NPUB.replace("l", "b", 1), "invalid_bech32", "Characters"),
    refused("letter-b-checksum", "b, under a checksum that is right if b counts as -1",
            "NIP19-BECH-02", written("note", [*range(32), *range(18), -1, 0]), "invalid_bech32", "Characters"),
    refused("kelvin-sign", "upper case with U+212A, whose lower case is k", "NIP19-BECH-02",
            NPUB.upper().replace("K", "\u212a", 1), "invalid_bech32", "Characters"),
    refused("not-ascii", "a letter outside ASCII", "NIP19-BECH-02", NPUB[:10] + "\u00e9" + NPUB[11:], "invalid_bech32",
            "Characters"),
    refused("trailing-blank", "a blank at the end", "NIP19-BECH-02", NPUB + " ", "invalid_bech32", "Characters"),
    refused("empty", "the empty text", "NIP19-BECH-01", "", "invalid_bech32", "Characters"),
    refused("unknown-prefix", "a prefix that NIP-19 does not define", "NIP19-BARE-01", bech32("nfoo", KEY),
            "unknown_prefix", "Prefix"),
    refused("bitcoin-address", "another system's prefix", "NIP19-BARE-01", bech32("bc", bytes(21)), "unknown_prefix",
            "Prefix"),
    refused("npub-31", "31 bytes, which are a public key with a zero after them", "NIP19-BARE-01",
            bech32("npub", SHORT_KEY), "malformed_tlv", "Length"),
    refused("npub-33", "a public key of 33 bytes", "NIP19-BARE-01", bech32("npub", b"\x02" + KEY), "malformed_tlv",
            "Length"),
    refused("note-empty", "an event id of no bytes", "NIP19-BARE-01", bech32("note", b""), "malformed_tlv", "Length"),
    refused("npub-not-on-curve", "a public key on no point", "BIP340-VERIFY-01", bech32("npub", bytes(31) + b"\x05"),
            "invalid_public_key", "NotOnCurve"),
    refused("nsec-zero", "a secret key of zero", "BIP340-KEY-02", bech32("nsec", bytes(32)), "invalid_secret_key",
            "NotOnCurve"),
    refused("tlv-cut", "the last TLV is cut short", "NIP19-TLV-01", bech32("nprofile", tlv(0, KEY) + b"\x01\x05wss"),
            "malformed_tlv", "Tlv"),
    refused("tlv-no-length", "the last TLV has no length", "NIP19-TLV-01", bech32("nprofile", tlv(0, KEY) + b"\x01"),
            "malformed_tlv", "Tlv"),
    refused("nprofile-no-key", "a profile without a key", "NIP19-TLV-01", bech32("nprofile", RELAY_ITEMS),
            "malformed_tlv", "Tlv"),
    refused("nprofile-short-key", "a profile whose key has 31 bytes", "NIP19-TLV-01",
            bech32("nprofile", tlv(0, KEY[:31])), "malformed_tlv", "Length"),
    refused("nevent-short-author", "an event whose author has 31 bytes", "NIP19-TLV-01",
            bech32("nevent", tlv(0, ID) + tlv(2, KEY[:31])), "malformed_tlv", "Length"),
    refused("naddr-no-author", "an address without an author", "NIP19-TLV-01",
            bech32("naddr", tlv(0, b"x") + KIND_31316), "malformed_tlv", "Tlv"),
    refused("naddr-no-kind", "an address without a kind", "NIP19-TLV-01", bech32("naddr", tlv(0, b"x") + tlv(2, KEY)),
            "malformed_tlv", "Tlv"),
    refused("naddr-no-identifier", "an address without an identifier", "NIP19-TLV-01",
            bech32("naddr", tlv(2, KEY) + KIND_31316), "malformed_tlv", "Tlv"),
    refused("kind-two-bytes", "a kind of two bytes", "NIP19-TLV-01",
            bech32("naddr", tlv(0, b"x") + tlv(2, KEY) + tlv(3, bytes.fromhex("7a54"))), "malformed_tlv", "Tlv"),
    refused("kind-65536", "a kind above 65535", "NIP01-EVT-05",
            bech32("naddr", tlv(0, b"x") + tlv(2, KEY) + tlv(3, bytes.fromhex("00010000"))), "malformed_tlv", "Range"),
    refused("relay-not-ascii", "a relay outside ASCII", "NIP19-TLV-03",
            bech32("nprofile", tlv(0, KEY) + tlv(1, "wss://\u00e9.example".encode())), "malformed_tlv", "Tlv"),
    refused("identifier-not-utf8", "an identifier that is not UTF-8", "NIP19-TLV-01",
            bech32("naddr", tlv(0, b"\xff") + tlv(2, KEY) + KIND_31316), "malformed_tlv", "Tlv"),
    refused("too-long", "a text of more than 5000 characters", "NIP19-SIZE-01", LONG_PROFILE, "invalid_bech32", "Size",
            "SHOULD"),
)  # fmt: skip

SUITE.group(
    "nip19_encode",
    *(valid(f"nip19-encode-{id}", title, req, {"entity": entity}, {"text": text}, flags="Basic",
            compare="nip19" if entity["type"] in ("nprofile", "nevent", "naddr") else "exact")
      for id, title, req, entity, text in ENTITIES),
    invalid("nip19-encode-long-identifier", "an identifier of 256 bytes has no TLV", "NIP19-TLV-01",
            {"entity": {"type": "naddr", "identifier": "x" * 256, "pubkey": KEY.hex(), "kind": 31316, "relays": []}},
            "malformed_tlv", flags="Range"),
)  # fmt: skip
assert len(LONG_PROFILE) > 5000

# Texts and values at their limits.
EDGES: list[tuple[str, str, dict[str, Any], str]] = [
    ("kind-0", "a kind of 0", {"type": "naddr", "identifier": "", "pubkey": KEY.hex(), "kind": 0, "relays": []},
     bech32("naddr", tlv(0, b"") + tlv(2, KEY) + tlv(3, bytes(4)))),
    ("kind-65535", "the largest kind",
     {"type": "naddr", "identifier": "x", "pubkey": KEY.hex(), "kind": 65535, "relays": []},
     bech32("naddr", tlv(0, b"x") + tlv(2, KEY) + tlv(3, bytes.fromhex("0000ffff")))),
    ("identifier-255", "an identifier of 255 bytes",
     {"type": "naddr", "identifier": "x" * 255, "pubkey": KEY.hex(), "kind": 31316, "relays": []},
     bech32("naddr", tlv(0, b"x" * 255) + tlv(2, KEY) + KIND_31316)),
]  # fmt: skip
FILLING = ["r" * 255] * 11 + ["r" * 245]
LONGEST_ADDRESS = bech32(
    "naddr", tlv(0, b"x") + b"".join(tlv(1, relay.encode()) for relay in FILLING) + tlv(2, KEY) + KIND_31316
)
assert len(LONGEST_ADDRESS) == 5000
LONGEST_ENTITY = {"type": "naddr", "identifier": "x", "pubkey": KEY.hex(), "kind": 31316, "relays": FILLING}

SUITE.group(
    "nip19_decode",
    *(decoded(id, title, "NIP19-TLV-01", text, entity, "Range") for id, title, entity, text in EDGES),
    decoded("longest", "a text of 5000 characters", "NIP19-SIZE-01", LONGEST_ADDRESS, LONGEST_ENTITY, "Size"),
    refused("prefix-punctuation", "a prefix of the first and last characters that BIP-173 allows", "NIP19-BARE-01",
            bech32("!~", KEY), "unknown_prefix", "Prefix"),
    refused("surplus-word", "35 bytes and five bits more", "NIP19-BECH-01", bech32("note", ID + bytes(3), extra_words=1),
            "invalid_bech32", "Padding"),
)  # fmt: skip

SUITE.group(
    "nip19_encode",
    *(valid(f"nip19-encode-{id}", title, "NIP19-TLV-01", {"entity": entity}, {"text": text}, flags="Range",
            compare="nip19") for id, title, entity, text in EDGES),
    invalid("nip19-encode-too-long", "a text of more than 5000 characters is not written", "NIP19-SIZE-01",
            {"entity": LONGEST_ENTITY | {"identifier": "xx"}}, "invalid_bech32", flags="Size"),
    invalid("nip19-encode-relay-not-ascii", "a relay outside ASCII is not written", "NIP19-TLV-03",
            {"entity": PROFILE | {"relays": ["wss://\u00e9.example"]}}, "malformed_tlv", flags="Tlv"),
    invalid("nip19-encode-kind-65536", "a kind above 65535 is not written", "NIP01-EVT-05",
            {"entity": {"type": "naddr", "identifier": "x", "pubkey": KEY.hex(), "kind": 65536, "relays": []}},
            "malformed_kind", flags="Range"),
    valid("nip19-encode-longest", "a text of 5000 characters", "NIP19-SIZE-01 NIP19-TLV-01", {"entity": LONGEST_ENTITY},
          {"text": LONGEST_ADDRESS}, flags="Size", compare="nip19"),
)  # fmt: skip
