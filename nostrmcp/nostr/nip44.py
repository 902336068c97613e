"""NIP-44 version 2: encryption between two keys. Functions and their order follow the NIP.

The nonce is an argument: 32 fresh bytes from a cryptographic random source for every message (NIP44-NONCE-01).
"""

from __future__ import annotations

import hmac
from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64
from typing import NamedTuple

from .errors import ErrorClass, LocalProtocolError, Violation
from .keys import PublicKey, SecretKey
from .openssl import chacha20, hkdf_expand

MIN_PLAINTEXT_SIZE = 1
MAX_PLAINTEXT_SIZE = 4_294_967_295
EXTENDED_PREFIX_THRESHOLD = 65_536
MIN_PAYLOAD_BYTES = 99
# Ours, as the NIP asks each implementation to set one: room for a plaintext of 1 MiB.
MAX_PAYLOAD_CHARACTERS = 1_400_000

_WHERE = "NIP-44 payload"


class MessageKeys(NamedTuple):
    """The keys of one message; they are never printed."""

    chacha_key: bytes
    chacha_nonce: bytes
    hmac_key: bytes

    def __repr__(self) -> str:
        return "MessageKeys()"


def get_conversation_key(secret_key: SecretKey, public_key: PublicKey) -> bytes:
    """HKDF-extract of the unhashed shared x coordinate, the same for both sides (NIP44-KEY-01, NIP44-KEY-02)."""
    return hmac.digest(b"nip44-v2", secret_key.shared_x(public_key), "sha256")


def get_message_keys(conversation_key: bytes, nonce: bytes) -> MessageKeys:
    """HKDF-expand of the conversation key with the nonce as info, 76 bytes, cut in three (NIP44-KEY-03)."""
    if len(conversation_key) != 32 or len(nonce) != 32:
        raise LocalProtocolError(ErrorClass.MALFORMED_PAYLOAD, "conversation key and nonce are 32 bytes each")
    keys = hkdf_expand(conversation_key, nonce, 76)
    return MessageKeys(keys[:32], keys[32:44], keys[44:])


def calc_padded_len(unpadded_len: int) -> int:
    """The length a plaintext is padded to: 32 at least, then eighths of the next power of two (NIP44-PAD-01)."""
    if unpadded_len <= 32:
        return 32
    next_power = 1 << (unpadded_len - 1).bit_length()
    chunk = 32 if next_power <= 256 else next_power // 8
    return chunk * ((unpadded_len - 1) // chunk + 1)


def pad(plaintext: bytes, *, extended: bool = False) -> bytes:
    """Length prefix, plaintext, zeros (NIP44-PAD-02).

    65,536 bytes and more need the longer prefix that NIP-44 gained in June 2026. Deployed peers cannot read it, so it
    is written only when `extended` asks for it (NIP44-PAD-04, AMB-02).
    """
    size = len(plaintext)
    limit = MAX_PLAINTEXT_SIZE if extended else EXTENDED_PREFIX_THRESHOLD - 1
    if not MIN_PLAINTEXT_SIZE <= size <= limit:
        raise LocalProtocolError(ErrorClass.INVALID_PLAINTEXT_LENGTH, f"{size} bytes, where 1 to {limit} are possible")
    prefix = size.to_bytes(2, "big") if size < EXTENDED_PREFIX_THRESHOLD else b"\0\0" + size.to_bytes(4, "big")
    return prefix + plaintext + bytes(calc_padded_len(size) - size)


def unpad(padded: bytes) -> bytes:
    """The plaintext, if prefix, length and padded length agree (NIP44-PAD-03, NIP44-PAD-04).

    The padding's own bytes are not looked at, as the NIP does not ask for it and the MAC covers them.
    """
    size = int.from_bytes(padded[:2], "big")
    start = 2
    if size == 0:
        size = int.from_bytes(padded[2:6], "big")
        start = 6
        if size < EXTENDED_PREFIX_THRESHOLD:
            raise Violation(ErrorClass.INVALID_PADDING, _WHERE, "the long prefix holds a short length")
    if len(padded) != start + calc_padded_len(size):
        raise Violation(ErrorClass.INVALID_PADDING, _WHERE, "the padded length does not fit the length prefix")
    return padded[start : start + size]


def encrypt(plaintext: str | bytes, conversation_key: bytes, nonce: bytes, *, extended: bool = False) -> str:
    """Pad, encrypt with ChaCha20, authenticate nonce and ciphertext, write as base64 (NIP44-ENC-01)."""
    keys = get_message_keys(conversation_key, nonce)
    try:
        data = plaintext.encode() if isinstance(plaintext, str) else plaintext
    except UnicodeEncodeError:
        raise LocalProtocolError(ErrorClass.LONE_SURROGATE, "half of a surrogate pair in the plaintext") from None
    ciphertext = chacha20(keys.chacha_key, keys.chacha_nonce, pad(data, extended=extended))
    mac = hmac.digest(keys.hmac_key, nonce + ciphertext, "sha256")
    return b2a_base64(b"\x02" + nonce + ciphertext + mac, newline=False).decode()


def decrypt(payload: str, conversation_key: bytes, *, max_characters: int = MAX_PAYLOAD_CHARACTERS) -> str:
    """The plaintext of a payload whose event's signature was already verified (NIP44-DEC-01 to NIP44-DEC-08)."""
    plaintext = decrypt_bytes(payload, conversation_key, max_characters=max_characters)
    try:
        return plaintext.decode()
    except UnicodeDecodeError:
        raise Violation(ErrorClass.INVALID_UTF8, "NIP-44 plaintext", "it is not UTF-8") from None


def decrypt_bytes(payload: str, conversation_key: bytes, *, max_characters: int = MAX_PAYLOAD_CHARACTERS) -> bytes:
    """`decrypt` for a caller that reads bytes and refuses bad UTF-8 itself, as a JSON parser does."""
    data = _decode_payload(payload, max_characters)
    keys = get_message_keys(conversation_key, data[1:33])
    mac = hmac.digest(keys.hmac_key, data[1:-32], "sha256")
    if not hmac.compare_digest(mac, data[-32:]):
        raise Violation(ErrorClass.INVALID_MAC, _WHERE, "the message authentication code does not match")
    return unpad(chacha20(keys.chacha_key, keys.chacha_nonce, data[33:-32]))


def _decode_payload(payload: str, max_characters: int) -> bytes:
    """Version, nonce, ciphertext and MAC as one string of bytes; sizes are checked before the work they would cost."""
    if payload[:1] in ("", "#"):
        raise Violation(ErrorClass.UNSUPPORTED_VERSION, _WHERE, "it is empty or marked as not base64")
    if len(payload) > max_characters:
        raise Violation(ErrorClass.PAYLOAD_TOO_LARGE, _WHERE, f"more than {max_characters} characters")
    try:
        data = a2b_base64(payload, strict_mode=True)
    except (Base64Error, ValueError):
        raise Violation(ErrorClass.MALFORMED_PAYLOAD, _WHERE, "it is not base64") from None
    if len(data) < MIN_PAYLOAD_BYTES:  # which the NIP's 132 characters hold at least
        raise Violation(ErrorClass.MALFORMED_PAYLOAD, _WHERE, f"fewer than {MIN_PAYLOAD_BYTES} bytes")
    # Strict mode still lets the unused bits of the last character be anything; RFC 4648 says they are zero.
    if not payload.endswith(b2a_base64(data[-3 + -len(data) % 3 :], newline=False).decode()):
        raise Violation(ErrorClass.MALFORMED_PAYLOAD, _WHERE, "it is not base64: unused bits are set")
    if data[0] != 2:
        raise Violation(ErrorClass.UNSUPPORTED_VERSION, _WHERE, f"version {data[0]}, where 2 is supported")
    return data
