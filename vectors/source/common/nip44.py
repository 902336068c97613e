"""NIP-44 version 2, step by step. Payloads that are wrong in one way are built from the right keys by hand."""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import Any

from nostrmcp.nostr import nip44
from nostrmcp.nostr.keys import PublicKey
from nostrmcp.nostr.openssl import chacha20
from vectors.source.writing import Note, Suite, acceptable, invalid, public, secret, secret_bytes, sha256, valid

SUITE = Suite(
    "common/nip44",
    "NIP-44 version 2 encryption",
    "1",
    {
        "Basic": Note("BASIC", "an ordinary value", "nothing works"),
        "Symmetric": Note("BASIC", "both sides have the same key", "the recipient cannot read the message"),
        "UnhashedX": Note(
            "MISSING_STEP",
            "the shared secret is the bare x coordinate; many libraries hash it",
            "no other implementation can read the message",
        ),
        "BadKey": Note("MISSING_STEP", "a key that is no scalar or no point of the curve", "messages anyone can read"),
        "PadEdge": Note("EDGE_CASE", "a length at the edge of a padding step", "others refuse the message"),
        "Utf8": Note("EDGE_CASE", "length is counted in bytes, not characters", "others refuse the message"),
        "Empty": Note("MISSING_STEP", "an empty plaintext", "others refuse the message"),
        "LongPrefix": Note("EDGE_CASE", "a plaintext of 65,536 bytes or more, in the form NIP-44 gained in June 2026",
                           "large messages cannot be read"),
        "LongWrite": Note("AMBIGUOUS", "writing the form that deployed implementations cannot read",
                          "the message is lost without a sign"),
        "Mac": Note("AUTH_BYPASS", "the authentication code does not match", "ciphertexts can be changed in transit"),
        "Padding": Note("MALLEABILITY", "length prefix and padding do not agree; the MAC is right",
                        "a sender sees which messages the recipient chokes on"),
        "Version": Note("MISSING_STEP", "a version other than 2", "garbage is decrypted, or a newer peer is reported wrongly"),
        "Base64": Note("MISSING_STEP", "not base64 with padding", "several texts for one payload"),
        "Base64Bits": Note("AMBIGUOUS", "unused bits of the last base64 letter set", "several texts for one payload"),
        "Length": Note("RESOURCE", "too short to hold a message", "reading past a buffer"),
        "NotUtf8": Note("MISSING_STEP", "a plaintext that is not UTF-8; the MAC is right", "a crash behind the decryption"),
    },
)  # fmt: skip


def conversation_key(one: str, other: str) -> str:
    return nip44.get_conversation_key(secret(one), PublicKey(bytes.fromhex(public(other)))).hex()


KEY = bytes.fromhex(conversation_key("alice", "bob"))
NONCE = sha256("nostrmcp vector nonce")
n = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
TWO_G = "c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"
G = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"


def extracted(shared_x: str) -> str:
    """HKDF-extract with NIP-44's salt, by the standard library."""
    return hmac.digest(b"nip44-v2", bytes.fromhex(shared_x), hashlib.sha256).hex()


def keyed(id: str, title: str, req: str, seckey: str, pubkey: str, key: str, flags: str) -> Any:
    return valid(id, title, req, {"seckey": seckey, "pubkey": pubkey}, {"conversation_key": key}, flags=flags)


def no_key(id: str, title: str, seckey: str, pubkey: str, error: str) -> Any:
    return invalid(id, title, "NIP44-KEY-02", {"seckey": seckey, "pubkey": pubkey}, error, flags="BadKey")


SUITE.group(
    "conversation_key",
    keyed("nip44-key-known-point", "1 times 2 G is 2 G: its bare x goes into HKDF", "NIP44-KEY-01", f"{1:064x}", TWO_G,
          extracted(TWO_G), "UnhashedX"),
    keyed("nip44-key-known-point-swapped", "2 times G is the same point", "NIP44-KEY-01", f"{2:064x}", G,
          extracted(TWO_G), "Symmetric"),
    keyed("nip44-key-alice-bob", "Alice's secret with Bob's key", "NIP44-KEY-01", secret_bytes("alice").hex(),
          public("bob"), conversation_key("alice", "bob"), "Basic"),
    keyed("nip44-key-bob-alice", "Bob's secret with Alice's key gives the same", "NIP44-KEY-01",
          secret_bytes("bob").hex(), public("alice"), conversation_key("alice", "bob"), "Symmetric"),
    keyed("nip44-key-own", "a key with itself", "NIP44-KEY-01", secret_bytes("alice").hex(), public("alice"),
          conversation_key("alice", "alice"), "Basic"),
    keyed("nip44-key-n-minus-one", "the largest secret has the x of 1", "NIP44-KEY-01", f"{n - 1:064x}", TWO_G,
          extracted(TWO_G), "UnhashedX"),
    no_key("nip44-key-secret-zero", "a secret of zero", "00" * 32, public("bob"), "invalid_secret_key"),
    no_key("nip44-key-secret-n", "a secret of n", f"{n:064x}", public("bob"), "invalid_secret_key"),
    no_key("nip44-key-secret-ones", "a secret of 2^256 - 1", "ff" * 32, public("bob"), "invalid_secret_key"),
    no_key("nip44-key-not-on-curve", "a public key on no point", secret_bytes("alice").hex(), f"{5:064x}",
           "invalid_public_key"),
    no_key("nip44-key-zero", "a public key of zero", secret_bytes("alice").hex(), "00" * 32, "invalid_public_key"),
    no_key("nip44-key-ones", "a public key above the field size", secret_bytes("alice").hex(), "ff" * 32,
           "invalid_public_key"),
)  # fmt: skip


def expanded(key: bytes, nonce: bytes) -> dict[str, str]:
    """HKDF-expand to 76 bytes, by the standard library, and NIP-44's cuts."""
    output, block = b"", b""
    for counter in (1, 2, 3):
        block = hmac.digest(key, block + nonce + bytes([counter]), hashlib.sha256)
        output += block
    return {"chacha_key": output[:32].hex(), "chacha_nonce": output[32:44].hex(), "hmac_key": output[44:76].hex()}


SUITE.group(
    "message_keys",
    *(valid(f"nip44-message-keys-{name}", f"message keys for {title}", "NIP44-KEY-03",
            {"conversation_key": key.hex(), "nonce": nonce.hex()}, expanded(key, nonce), flags="Basic")
      for name, title, key, nonce in (("plain", "a nonce", KEY, NONCE), ("zero", "a nonce of zeros", KEY, bytes(32)),
                                      ("ones", "a nonce and key of ones", b"\xff" * 32, b"\xff" * 32))),
)  # fmt: skip

# NIP-44's formula worked out by hand: steps of 32 up to 256, then eighths of the next power of two.
PADDED = {
    1: 32, 16: 32, 31: 32, 32: 32, 33: 64, 64: 64, 65: 96, 96: 96, 97: 128, 128: 128, 129: 160, 200: 224, 224: 224,
    225: 256, 256: 256, 257: 320, 320: 320, 321: 384, 384: 384, 512: 512, 513: 640, 640: 640, 641: 768, 1000: 1024,
    1024: 1024, 1025: 1280, 4096: 4096, 4097: 5120, 32768: 32768, 32769: 40960, 40960: 40960, 40961: 49152,
    65535: 65536, 65536: 65536, 65537: 81920, 81920: 81920, 81921: 98304, 100000: 114688, 1048576: 1048576,
    1048577: 1310720, 4294967295: 4294967296,
}  # fmt: skip

SUITE.group(
    "padded_length",
    *(valid(f"nip44-padded-{length}", f"{length} bytes are padded to {padded}", "NIP44-PAD-01", {"length": length},
            {"padded_length": padded}, flags="PadEdge") for length, padded in PADDED.items()),
)  # fmt: skip


def payload(padded: bytes, *, version: int = 2, nonce: bytes = NONCE) -> bytes:
    """Version, nonce, ciphertext and a right MAC for whatever stands in `padded`."""
    keys = {name: bytes.fromhex(value) for name, value in expanded(KEY, nonce).items()}
    ciphertext = chacha20(keys["chacha_key"], keys["chacha_nonce"], padded)
    mac = hmac.digest(keys["hmac_key"], nonce + ciphertext, hashlib.sha256)
    return bytes([version]) + nonce + ciphertext + mac


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def padded(text: str | bytes) -> bytes:
    """A short text, padded by hand to the length in PADDED."""
    data = text.encode() if isinstance(text, str) else text
    return len(data).to_bytes(2, "big") + data + bytes(PADDED[len(data)] - len(data))


TEXTS = {
    "one-byte": ("a", "one byte"),
    "32-bytes": ("x" * 32, "32 bytes fill the smallest block"),
    "33-bytes": ("x" * 33, "33 bytes need the next block"),
    "utf8": ("\u00e9" * 8, "16 bytes in 8 characters"),
    "utf8-edge": ("\u00e9" * 16, "32 bytes in 16 characters"),
    "emoji": ("\U0001f600" * 24 + "\u00e9" * 16, "characters of four bytes"),
    "json": ('{"method":"tools/call","params":{}}'.ljust(96), "a message padded to an edge"),
    "nul": ("\u0000" + "\u001f" * 15, "control characters"),
    "256-bytes": ("y" * 256, "256 bytes"),
    "257-bytes": ("y" * 257, "257 bytes"),
}


def encrypt_input(text: str) -> dict[str, str]:
    return {"conversation_key": KEY.hex(), "nonce": NONCE.hex(), "plaintext": text}


SUITE.group(
    "encrypt",
    *(valid(f"nip44-encrypt-{name}", title, "NIP44-ENC-01 NIP44-PAD-02", encrypt_input(text),
            {"payload": encoded(payload(padded(text)))}, flags="Utf8" if "utf8" in name or name == "emoji" else "Basic")
      for name, (text, title) in TEXTS.items()),
    invalid("nip44-encrypt-empty", "an empty plaintext is refused", "NIP44-PAD-02", encrypt_input(""),
            "invalid_plaintext_length", flags="Empty"),
)  # fmt: skip


def long_input(repeat: int, extended: bool = False) -> dict[str, Any]:
    return {"conversation_key": KEY.hex(), "nonce": NONCE.hex(), "pattern": "x", "repeat": repeat, "extended": extended}


def long_output(repeat: int) -> dict[str, str]:
    text = b"x" * repeat
    prefix = repeat.to_bytes(2, "big") if repeat < 65536 else bytes(2) + repeat.to_bytes(4, "big")
    whole = encoded(payload(prefix + text + bytes(PADDED[repeat] - repeat)))
    return {"plaintext_sha256": sha256(text).hex(), "payload_sha256": sha256(whole).hex()}


SUITE.group(
    "encrypt_long",
    valid("nip44-encrypt-65535", "65,535 bytes, the most with a short prefix", "NIP44-PAD-02", long_input(65535),
          long_output(65535), flags="PadEdge"),
    valid("nip44-encrypt-40961", "40,961 bytes", "NIP44-PAD-02", long_input(40961), long_output(40961), flags="PadEdge"),
    valid("nip44-encrypt-65536-extended", "65,536 bytes with the long prefix, on request", "NIP44-PAD-04",
          long_input(65536, True), long_output(65536), level="MAY", flags="LongPrefix"),
    valid("nip44-encrypt-65537-extended", "65,537 bytes with the long prefix, on request", "NIP44-PAD-04",
          long_input(65537, True), long_output(65537), level="MAY", flags="LongPrefix"),
    acceptable("nip44-encrypt-65536", "65,536 bytes without a request for the long prefix", "NIP44-PAD-04",
               long_input(65536), "AMB-02", output=long_output(65536), error="invalid_plaintext_length",
               flags="LongWrite"),
)  # fmt: skip


def opened(id: str, title: str, req: str, data: bytes, plaintext: str, flags: str) -> Any:
    return valid(id, title, req, {"conversation_key": KEY.hex(), "payload": encoded(data)}, {"plaintext": plaintext},
                 flags=flags)  # fmt: skip


def refused(id: str, title: str, req: str, text: bytes | str, error: str, flags: str) -> Any:
    whole = text if isinstance(text, str) else encoded(text)
    return invalid(id, title, req, {"conversation_key": KEY.hex(), "payload": whole}, error, flags=flags)


HELLO = payload(padded("hello nostr mcp!"))
PLAIN = encoded(HELLO)


def changed(at: int) -> bytes:
    return HELLO[:at] + bytes([HELLO[at] ^ 1]) + HELLO[at + 1 :]


def wrong_length(length: int) -> bytes:
    """16 bytes of text in a block of 32, under another length."""
    return payload(length.to_bytes(2, "big") + b"hello nostr mcp!" + bytes(16))


def unfilled(length: int) -> bytes:
    """A text of fewer than 32 bytes under its right length, in a block without padding."""
    return payload(length.to_bytes(2, "big") + b"x" * length)


PLUS_AND_SLASH = encoded(payload(padded("hello nostr mcp!"), nonce=sha256("nostrmcp vector nonce 0")))
assert "+" in PLUS_AND_SLASH and "/" in PLUS_AND_SLASH
assert len(encoded(unfilled(29))) == 128 and len(unfilled(31)) == 98
LONG_BLOCK = bytes(2) + (16).to_bytes(4, "big") + b"hello nostr mcp!" + bytes(16)
assert len(HELLO) == 99

SUITE.group(
    "decrypt",
    *(opened(f"nip44-decrypt-{name}", title, "NIP44-DEC-06", payload(padded(text)), text,
             "Utf8" if "utf8" in name or name == "emoji" else "Basic") for name, (text, title) in TEXTS.items()),
    refused("nip44-decrypt-mac-bit", "one bit of the MAC changed", "NIP44-DEC-05", changed(98), "invalid_mac", "Mac"),
    refused("nip44-decrypt-ciphertext-bit", "one bit of the ciphertext changed", "NIP44-DEC-05", changed(40),
            "invalid_mac", "Mac"),
    refused("nip44-decrypt-nonce-bit", "one bit of the nonce changed", "NIP44-DEC-05", changed(1), "invalid_mac", "Mac"),
    refused("nip44-decrypt-mac-zeros", "a MAC of zeros", "NIP44-DEC-05", HELLO[:-32] + bytes(32), "invalid_mac", "Mac"),
    refused("nip44-decrypt-mac-without-nonce", "a MAC over the ciphertext alone", "NIP44-DEC-05",
            HELLO[:-32] + hmac.digest(bytes.fromhex(expanded(KEY, NONCE)["hmac_key"]), HELLO[33:-32], hashlib.sha256),
            "invalid_mac", "Mac"),
    refused("nip44-decrypt-other-key", "a payload for another conversation", "NIP44-DEC-05",
            base64.b64decode(nip44.encrypt("hello", bytes.fromhex(conversation_key("alice", "carol")), NONCE)),
            "invalid_mac", "Mac"),
    refused("nip44-decrypt-version-0", "version 0", "NIP44-DEC-02", b"\x00" + HELLO[1:], "unsupported_version",
            "Version"),
    refused("nip44-decrypt-version-1", "version 1", "NIP44-DEC-02", b"\x01" + HELLO[1:], "unsupported_version",
            "Version"),
    refused("nip44-decrypt-version-3", "version 3", "NIP44-DEC-02", b"\x03" + HELLO[1:], "unsupported_version",
            "Version"),
    refused("nip44-decrypt-hash-mark", "a payload marked as not base64", "NIP44-DEC-01", "#" + PLAIN[1:],
            "unsupported_version", "Version"),
    refused("nip44-decrypt-empty", "an empty payload", "NIP44-DEC-01", "", "unsupported_version", "Length"),
    refused("nip44-decrypt-131", "a payload of 128 letters, fewer than 132, with a right MAC", "NIP44-DEC-03",
            unfilled(29), "malformed_payload", "Length"),
    refused("nip44-decrypt-98-bytes", "98 bytes in 132 letters, with a right MAC", "NIP44-DEC-03", unfilled(31),
            "malformed_payload", "Length"),
    refused("nip44-decrypt-no-ciphertext", "a right MAC over no ciphertext", "NIP44-DEC-03", payload(b""),
            "malformed_payload", "Length"),
    refused("nip44-decrypt-not-base64", "a letter that base64 does not use", "NIP44-DEC-04",
            PLAIN[:50] + "!" + PLAIN[51:], "malformed_payload", "Base64"),
    refused("nip44-decrypt-url-base64", "a right payload in the URL alphabet of base64", "NIP44-DEC-04",
            PLUS_AND_SLASH.replace("+", "-").replace("/", "_"), "malformed_payload", "Base64"),
    refused("nip44-decrypt-newline", "a line break among the letters", "NIP44-DEC-04",
            PLAIN[:76] + "\n" + PLAIN[76:], "malformed_payload", "Base64"),
    refused("nip44-decrypt-no-padding", "base64 without its padding", "NIP44-DEC-04",
            encoded(payload(padded("x" * 33))).rstrip("="), "malformed_payload", "Base64"),
    refused("nip44-decrypt-trailing", "letters after the padding", "NIP44-DEC-04",
            encoded(payload(padded("x" * 33))) + "AAAA", "malformed_payload", "Base64"),
    refused("nip44-decrypt-not-ascii", "a letter outside ASCII", "NIP44-DEC-04", PLAIN[:50] + "\u00e9" + PLAIN[51:],
            "malformed_payload", "Base64"),
    refused("nip44-decrypt-length-zero", "a length of zero in a short block", "NIP44-PAD-03", wrong_length(0),
            "invalid_padding", "Padding"),
    refused("nip44-decrypt-length-beyond", "a length beyond the block", "NIP44-PAD-03", wrong_length(33),
            "invalid_padding", "Padding"),
    refused("nip44-decrypt-length-65535", "a length of 65,535 in a short block", "NIP44-PAD-03", wrong_length(65535),
            "invalid_padding", "Padding"),
    refused("nip44-decrypt-block-too-long", "16 bytes in a block of 64", "NIP44-PAD-03",
            payload((16).to_bytes(2, "big") + b"hello nostr mcp!" + bytes(48)), "invalid_padding", "Padding"),
    refused("nip44-decrypt-block-33", "a block one byte too long", "NIP44-PAD-03",
            payload(padded("hello nostr mcp!") + b"\0"), "invalid_padding", "Padding"),
    refused("nip44-decrypt-long-prefix-short-text", "the long prefix for 16 bytes", "NIP44-PAD-04",
            payload(LONG_BLOCK), "invalid_padding", "LongPrefix"),
    refused("nip44-decrypt-not-utf8", "a plaintext that is not UTF-8", "NIP44-DEC-06", payload(padded(b"\xff" * 16)),
            "invalid_utf8", "NotUtf8"),
)  # fmt: skip


def stray_bits() -> str:
    """A right payload of 131 bytes whose last letter has an unused bit set."""
    text = encoded(payload(padded("x" * 33)))
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    body = text.rstrip("=")
    padding = text[len(body) :]
    assert padding
    return body[:-1] + alphabet[alphabet.index(body[-1]) | 1] + padding


SUITE.group(
    "decrypt",
    acceptable("nip44-decrypt-stray-bits", "an unused bit of the last base64 letter is set", "NIP44-DEC-04",
               {"conversation_key": KEY.hex(), "payload": stray_bits()}, "AMB-10", output={"plaintext": "x" * 33},
               error="malformed_payload", flags="Base64Bits"),
)  # fmt: skip

LONG_TEXT = b"y" * 65536
LONG_PAYLOAD = payload(bytes(2) + (65536).to_bytes(4, "big") + LONG_TEXT)

SUITE.group(
    "decrypt_long",
    valid("nip44-decrypt-65536", "65,536 bytes with the long prefix are read", "NIP44-PAD-04",
          {"conversation_key": KEY.hex(), "payload": encoded(LONG_PAYLOAD)},
          {"length": 65536, "plaintext_sha256": sha256(LONG_TEXT).hex()}, flags="LongPrefix"),
    refused("nip44-decrypt-long-length-high", "a length of 2^24 + 65,536 over 65,536 bytes", "NIP44-PAD-03",
            payload(bytes(2) + (2**24 + 65536).to_bytes(4, "big") + LONG_TEXT), "invalid_padding", "LongPrefix"),
)  # fmt: skip
