"""NIP-44 with a step left out, or done to something else."""

from __future__ import annotations

import base64
import binascii
import hmac
import struct
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Literal

from nostrmcp.conformance.operations import Value
from nostrmcp.nostr import ErrorClass, LocalProtocolError, PublicKey, SecretKey, bip340, nip44
from nostrmcp.nostr.nip44 import MessageKeys, get_message_keys
from nostrmcp.nostr.openssl import chacha20
from tests.zoo.member import Operations, member, refusal

unhex = bytes.fromhex


def no_bytes(detail: str) -> LocalProtocolError:
    return LocalProtocolError(ErrorClass.INVALID_PLAINTEXT_LENGTH, detail)


def shared_x(given: Value) -> bytes:
    return SecretKey(unhex(given["seckey"])).shared_x(PublicKey(unhex(given["pubkey"])))


def keyed(key: Callable[[Value], bytes]) -> Operations:
    return {"conversation_key": lambda given: {"conversation_key": key(given).hex()}}


def extracted(secret: bytes, salt: bytes = b"nip44-v2") -> bytes:
    return hmac.digest(salt, secret, "sha256")


def unchecked_point(given: Value) -> bytes:
    """x and the root that the exponent gives, whether or not that is a point."""
    SecretKey(unhex(given["seckey"]))
    x = int(given["pubkey"], 16) % bip340.p
    y = pow(pow(x, 3, bip340.p) + 7, (bip340.p + 1) // 4, bip340.p)
    return point_times(given, (x, y))


def secret_modulo_n(given: Value) -> bytes:
    point = bip340.lift_x(int(given["pubkey"], 16))
    if point is None:
        raise refusal(ErrorClass.INVALID_PUBLIC_KEY)
    return point_times(given, point)


def point_times(given: Value, point: tuple[int, int]) -> bytes:
    shared = bip340.point_mul(point, int(given["seckey"], 16) % bip340.n)
    return extracted(bip340.bytes_from_int(shared[0] if shared else 0))


def compressed_point(given: Value) -> bytes:
    """33 bytes, as libraries write a point."""
    point = bip340.lift_x(int(given["pubkey"], 16))
    if point is None:
        raise refusal(ErrorClass.INVALID_PUBLIC_KEY)
    x, y = bip340.point_mul(point, int.from_bytes(SecretKey(unhex(given["seckey"])).reveal(), "big")) or (0, 0)
    return bytes((2 + y % 2,)) + bip340.bytes_from_int(x)


def message_keys(keys: Callable[[bytes, bytes], MessageKeys]) -> Operations:
    def answer(given: Value) -> Value:
        its_keys = keys(unhex(given["conversation_key"]), unhex(given["nonce"]))
        return {name: value.hex() for name, value in its_keys._asdict().items()}

    return {"message_keys": answer}


def mac_key_first(key: bytes, nonce: bytes) -> MessageKeys:
    chacha_key, chacha_nonce, hmac_key = get_message_keys(key, nonce)
    whole = chacha_key + chacha_nonce + hmac_key
    return MessageKeys(whole[32:64], whole[64:], whole[:32])


def expanded_without_block(key: bytes, nonce: bytes) -> MessageKeys:
    """HKDF whose blocks do not hold the block before."""
    blocks = b"".join(hmac.digest(key, nonce + bytes((counter,)), "sha256") for counter in (1, 2, 3))
    return MessageKeys(blocks[:32], blocks[32:44], blocks[44:76])


def extracted_again(key: bytes, nonce: bytes) -> MessageKeys:
    """HKDF with both of its steps, where the conversation key is what the first gave already."""
    return get_message_keys(hmac.digest(bytes(32), key, "sha256"), nonce)


def padded(length: Callable[[int], int]) -> Operations:
    return {"padded_length": lambda given: {"padded_length": length(given["length"])}}


def chunks(length: int, chunk: int) -> int:
    return -(-length // chunk) * chunk


def old_limit(length: int) -> int:
    if length > 65_535:
        raise no_bytes("more than 65,535 bytes")
    return nip44.calc_padded_len(length)


def one_step_late(length: int) -> int:
    """An edge belongs to the next step."""
    return nip44.calc_padded_len(length + 1)


def pad(
    data: bytes,
    *,
    size: int | None = None,
    order: Literal["big", "little"] = "big",
    length: Callable[[int], int] = nip44.calc_padded_len,
    filler: bytes = b"\0",
    empty: bool = False,
    extended: bool = False,
) -> bytes:
    counted = len(data) if size is None else size
    if (not data and not empty) or (len(data) > 65_535 and not extended):
        raise no_bytes("no bytes, or more than fit")
    prefix = counted.to_bytes(2, order) if counted < 65_536 else b"\0\0" + counted.to_bytes(4, order)
    return prefix + data + filler * (length(counted) - len(data))


def encrypted(
    given: Value,
    pad_: Callable[[bytes], bytes],
    *,
    plaintext: bytes | None = None,
    version: int = 2,
    keys: Callable[[bytes, bytes], MessageKeys] = get_message_keys,
    mac_over: Callable[[bytes, bytes], bytes] = lambda nonce, ciphertext: nonce + ciphertext,
    letters: Callable[[bytes], str] = lambda data: base64.b64encode(data).decode(),
    block: int = 0,
) -> str:
    nonce = unhex(given["nonce"])
    chacha_key, chacha_nonce, hmac_key = keys(unhex(given["conversation_key"]), nonce)
    data = given["plaintext"].encode() if plaintext is None else plaintext
    ciphertext = chacha20(chacha_key, chacha_nonce, bytes(64 * block) + pad_(data))[64 * block :]
    mac = hmac.digest(hmac_key, mac_over(nonce, ciphertext), "sha256")
    return letters(bytes((version,)) + nonce + ciphertext + mac)


def encrypting(**knobs: Any) -> Operations:
    """Encryption with one step changed."""
    return {"encrypt": lambda given: {"payload": encrypted(given, pad, **knobs)}}


def padding(pad_: Callable[[bytes], bytes]) -> Operations:
    return {"encrypt": lambda given: {"payload": encrypted(given, pad_)}}


def padding_long(pad_: Callable[[bytes, bool], bytes]) -> Operations:
    def answer(given: Value) -> Value:
        plaintext = (given["pattern"] * given["repeat"]).encode()
        payload = encrypted(given, lambda data: pad_(data, given["extended"]), plaintext=plaintext)
        return {
            "plaintext_sha256": sha256(plaintext).hexdigest(),
            "payload_sha256": sha256(payload.encode()).hexdigest(),
        }

    return {"encrypt_long": answer}


def wrapped_prefix(data: bytes, extended: bool) -> bytes:
    """The length modulo 65,536, as two bytes hold it."""
    return (len(data) % 65_536).to_bytes(2, "big") + data + bytes(nip44.calc_padded_len(len(data)) - len(data))


def six_byte_prefix(data: bytes, extended: bool) -> bytes:
    right = pad(data, extended=extended)
    return right if len(data) < 65_536 else right[2:]


def strict_base64(payload: str) -> bytes:
    try:
        data = base64.b64decode(payload, validate=True)
    except ValueError:
        raise refusal(ErrorClass.MALFORMED_PAYLOAD) from None
    if base64.b64encode(data).decode() != payload:
        raise refusal(ErrorClass.MALFORMED_PAYLOAD)
    return data


def lenient(decode: Callable[[str], bytes]) -> Callable[[str], bytes]:
    """A decoder of base64 whose errors are refusals."""

    def letters(payload: str) -> bytes:
        try:
            return decode(payload)
        except ValueError:
            raise refusal(ErrorClass.MALFORMED_PAYLOAD) from None

    return letters


def up_to_padding(payload: str) -> bytes:
    """What follows the padding is not looked at."""
    body, found, _ = payload.partition("=")
    return strict_base64(body + "=" * (-len(body) % 4) if found else body)


def whole_mac(own: bytes, given: bytes) -> bool:
    return hmac.compare_digest(own, given)


def strict_text(plaintext: bytes) -> str:
    try:
        return plaintext.decode()
    except UnicodeDecodeError:
        raise refusal(ErrorClass.INVALID_UTF8) from None


def opened(
    payload: str,
    conversation_key: bytes,
    *,
    letters: Callable[[str], bytes] = strict_base64,
    marks: tuple[str, ...] = ("", "#"),
    versions: tuple[int, ...] = (2,),
    minimum: int = 99,
    mac_over: Callable[[bytes, bytes], bytes] = lambda nonce, ciphertext: nonce + ciphertext,
    mac: Callable[[bytes, bytes], bool] = whole_mac,
    unpad: Callable[[bytes], bytes] = nip44.unpad,
) -> bytes:
    """NIP-44's decryption, with a knob for each step."""
    if payload[:1] in marks:
        raise refusal(ErrorClass.UNSUPPORTED_VERSION)
    data = letters(payload)
    if data[0] not in versions:
        raise refusal(ErrorClass.UNSUPPORTED_VERSION)
    if len(data) < minimum:
        raise refusal(ErrorClass.MALFORMED_PAYLOAD)
    nonce, ciphertext = data[1:33], data[33:-32]
    chacha_key, chacha_nonce, hmac_key = get_message_keys(conversation_key, nonce)
    if not mac(hmac.digest(hmac_key, mac_over(nonce, ciphertext), "sha256"), data[-32:]):
        raise refusal(ErrorClass.INVALID_MAC)
    return unpad(chacha20(chacha_key, chacha_nonce, ciphertext))


def decrypting(text: Callable[[bytes], str] = strict_text, **knobs: Any) -> Operations:
    """Decryption with one step changed."""

    def plaintext(given: Value) -> str:
        return text(opened(given["payload"], unhex(given["conversation_key"]), **knobs))

    def decrypt_long(given: Value) -> Value:
        data = plaintext(given).encode()
        return {"length": len(data), "plaintext_sha256": sha256(data).hexdigest()}

    return {"decrypt": lambda given: {"plaintext": plaintext(given)}, "decrypt_long": decrypt_long}


def short_prefix_only(padded_text: bytes) -> bytes:
    """The form that NIP-44 had until June 2026."""
    size = int.from_bytes(padded_text[:2], "big")
    if size == 0 or len(padded_text) != 2 + nip44.calc_padded_len(size):
        raise refusal(ErrorClass.INVALID_PADDING)
    return padded_text[2 : 2 + size]


def prefix_of(padded_text: bytes) -> tuple[int, int]:
    size = int.from_bytes(padded_text[:2], "big")
    return (2, size) if size else (6, int.from_bytes(padded_text[2:6], "big"))


def length_unchecked(padded_text: bytes) -> bytes:
    start, size = prefix_of(padded_text)
    return padded_text[start : start + size]


def length_within_block(padded_text: bytes) -> bytes:
    start, size = prefix_of(padded_text)
    if size == 0 or start + size > len(padded_text):
        raise refusal(ErrorClass.INVALID_PADDING)
    return padded_text[start : start + size]


def empty_is_fine(padded_text: bytes) -> bytes:
    if padded_text[:2] == b"\0\0" and len(padded_text) == 2 + 32:
        return b""
    return nip44.unpad(padded_text)


def padding_optional(padded_text: bytes) -> bytes:
    size = int.from_bytes(padded_text[:2], "big")
    return padded_text[2:] if size and len(padded_text) == 2 + size else nip44.unpad(padded_text)


def length_taken_for_granted(padded_text: bytes) -> bytes:
    """Two bytes read from a block that may not have them."""
    struct.unpack(">H", padded_text[:2])
    return nip44.unpad(padded_text)


def short_length_in_long_prefix(padded_text: bytes) -> bytes:
    start, size = prefix_of(padded_text)
    if len(padded_text) != start + nip44.calc_padded_len(size):
        raise refusal(ErrorClass.INVALID_PADDING)
    return padded_text[start : start + size]


def long_block_unchecked(padded_text: bytes) -> bytes:
    """The padded length of the long form is not compared."""
    start, size = prefix_of(padded_text)
    if start == 2:
        return nip44.unpad(padded_text)
    if size < 65_536:
        raise refusal(ErrorClass.INVALID_PADDING)
    return padded_text[start : start + size]


def zeros_stripped(padded_text: bytes) -> bytes:
    """The end of the text found by its zeros."""
    start, _ = prefix_of(padded_text)
    return padded_text[start:].rstrip(b"\0")


def javascript_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


CONTROLS = [
    member("nip44-encrypt-control", "Encryption without a bug.", encrypting(), fails=""),
    member(
        "nip44-encrypt-long-control",
        "Long encryption without a bug.",
        padding_long(lambda data, extended: pad(data, extended=extended)),
        fails="",
    ),
    member("nip44-decrypt-control", "Decryption without a bug.", decrypting(), fails=""),
    member(
        "nip44-key-control",
        "Curve arithmetic without a bug.",
        keyed(lambda given: extracted(compressed_point(given)[1:])),
        fails="",
    ),
]

MEMBERS = [
    member(
        "key-hashed",
        "Hashes the shared point, as most ECDH functions do.",
        keyed(lambda given: extracted(sha256(shared_x(given)).digest())),
        fails="""
            nip44-key-known-point nip44-key-known-point-swapped nip44-key-alice-bob nip44-key-bob-alice nip44-key-own
            nip44-key-n-minus-one
        """,
    ),
    member(
        "key-hashed-point",
        "Hashes the shared point with its parity, as libsecp256k1 does.",
        keyed(lambda given: extracted(sha256(compressed_point(given)).digest())),
        fails="""
            nip44-key-known-point nip44-key-known-point-swapped nip44-key-alice-bob nip44-key-bob-alice nip44-key-own
            nip44-key-n-minus-one
        """,
    ),
    member(
        "key-compressed",
        "Extracts from 33 bytes of the shared point.",
        keyed(lambda given: extracted(compressed_point(given))),
        fails="""
            nip44-key-known-point nip44-key-known-point-swapped nip44-key-alice-bob nip44-key-bob-alice nip44-key-own
            nip44-key-n-minus-one
        """,
    ),
    member(
        "key-bare",
        "Takes the shared x for the key, as NIP-04 does.",
        keyed(shared_x),
        fails="""
            nip44-key-known-point nip44-key-known-point-swapped nip44-key-alice-bob nip44-key-bob-alice nip44-key-own
            nip44-key-n-minus-one
        """,
    ),
    member(
        "key-salt",
        "Extracts with another salt.",
        keyed(lambda given: extracted(shared_x(given), b"nip44")),
        fails="""
            nip44-key-known-point nip44-key-known-point-swapped nip44-key-alice-bob nip44-key-bob-alice nip44-key-own
            nip44-key-n-minus-one
        """,
    ),
    member(
        "key-salt-swapped",
        "Swaps salt and secret.",
        keyed(lambda given: hmac.digest(shared_x(given), b"nip44-v2", "sha256")),
        fails="""
            nip44-key-known-point nip44-key-known-point-swapped nip44-key-alice-bob nip44-key-bob-alice nip44-key-own
            nip44-key-n-minus-one
        """,
    ),
    member(
        "key-ordered",
        "Puts its own public key into the key.",
        keyed(lambda given: extracted(shared_x(given) + SecretKey(unhex(given["seckey"])).public_key.x)),
        fails="""
            nip44-key-known-point nip44-key-known-point-swapped nip44-key-alice-bob nip44-key-bob-alice nip44-key-own
            nip44-key-n-minus-one
        """,
    ),
    member(
        "key-point-unchecked",
        "Multiplies without a look whether the key is a point.",
        keyed(unchecked_point),
        fails="nip44-key-not-on-curve nip44-key-zero nip44-key-ones",
    ),
    member(
        "key-secret-modulo-n",
        "Takes a secret modulo n.",
        keyed(secret_modulo_n),
        fails="nip44-key-secret-zero nip44-key-secret-n nip44-key-secret-ones",
    ),
    member(
        "message-keys-order",
        "Cuts the expanded bytes in another order.",
        message_keys(mac_key_first),
        fails="nip44-message-keys-plain nip44-message-keys-zero nip44-message-keys-ones",
    ),
    member(
        "message-keys-blocks",
        "Leaves the block before out of HKDF's blocks.",
        message_keys(expanded_without_block),
        fails="nip44-message-keys-plain nip44-message-keys-zero nip44-message-keys-ones",
    ),
    member(
        "message-keys-extracted",
        "Extracts before it expands.",
        message_keys(extracted_again),
        fails="nip44-message-keys-plain nip44-message-keys-zero nip44-message-keys-ones",
    ),
    member(
        "padded-powers",
        "Pads to powers of two.",
        padded(lambda length: max(32, 1 << (length - 1).bit_length())),
        fails="""
            nip44-padded-65 nip44-padded-96 nip44-padded-129 nip44-padded-200 nip44-padded-224 nip44-padded-257
            nip44-padded-320 nip44-padded-321 nip44-padded-384 nip44-padded-513 nip44-padded-640 nip44-padded-641
            nip44-padded-1025 nip44-padded-4097 nip44-padded-32769 nip44-padded-40960 nip44-padded-40961
            nip44-padded-65537 nip44-padded-81920 nip44-padded-81921 nip44-padded-100000 nip44-padded-1048577
        """,
    ),
    member(
        "padded-32",
        "Pads to multiples of 32.",
        padded(lambda length: chunks(length, 32)),
        fails="""
            nip44-padded-257 nip44-padded-321 nip44-padded-513 nip44-padded-641 nip44-padded-1025 nip44-padded-4097
            nip44-padded-32769 nip44-padded-40961 nip44-padded-65537 nip44-padded-81921 nip44-padded-100000
            nip44-padded-1048577
        """,
    ),
    member(
        "padded-edge",
        "Takes an edge for the next step.",
        padded(one_step_late),
        fails="""
            nip44-padded-32 nip44-padded-64 nip44-padded-96 nip44-padded-128 nip44-padded-224 nip44-padded-256
            nip44-padded-320 nip44-padded-384 nip44-padded-512 nip44-padded-640 nip44-padded-1024 nip44-padded-4096
            nip44-padded-32768 nip44-padded-40960 nip44-padded-65536 nip44-padded-81920 nip44-padded-1048576
        """,
    ),
    member(
        "padded-minimum",
        "Pads one byte to one byte.",
        padded(lambda length: nip44.calc_padded_len(length) if length > 31 else length),
        fails="nip44-padded-1 nip44-padded-16 nip44-padded-31",
    ),
    member(
        "padded-512",
        "Keeps steps of 32 up to 512.",
        padded(lambda length: chunks(length, 32) if length <= 512 else nip44.calc_padded_len(length)),
        fails="nip44-padded-257 nip44-padded-321",
    ),
    member(
        "padded-32-bits",
        "Computes with 32 bits.",
        padded(lambda length: nip44.calc_padded_len(length) % 2**32),
        fails="nip44-padded-4294967295",
    ),
    member(
        "padded-65535",
        "Refuses more than 65,535 bytes.",
        padded(old_limit),
        fails="""
            nip44-padded-65536 nip44-padded-65537 nip44-padded-81920 nip44-padded-81921 nip44-padded-100000
            nip44-padded-1048576 nip44-padded-1048577 nip44-padded-4294967295
        """,
    ),
    member(
        "encrypt-characters",
        "Counts characters in place of bytes.",
        {"encrypt": lambda given: {"payload": encrypted(given, lambda data: pad(data, size=len(given["plaintext"])))}},
        fails="nip44-encrypt-utf8 nip44-encrypt-utf8-edge nip44-encrypt-emoji",
    ),
    member(
        "encrypt-utf16",
        "Counts as JavaScript counts.",
        {
            "encrypt": lambda given: {
                "payload": encrypted(given, lambda data: pad(data, size=javascript_length(given["plaintext"])))
            }
        },
        fails="nip44-encrypt-utf8 nip44-encrypt-utf8-edge nip44-encrypt-emoji",
    ),
    member(
        "encrypt-latin1",
        "Encrypts single bytes where characters fit.",
        {
            "encrypt": lambda given: {
                "payload": encrypted(given, pad, plaintext=given["plaintext"].encode("latin-1", "replace"))
            }
        },
        fails="nip44-encrypt-utf8 nip44-encrypt-utf8-edge nip44-encrypt-emoji",
    ),
    member(
        "encrypt-unpadded",
        "Does not pad.",
        padding(lambda data: pad(data, length=lambda length: length)),
        fails="""
            nip44-encrypt-one-byte nip44-encrypt-33-bytes nip44-encrypt-utf8 nip44-encrypt-nul nip44-encrypt-257-bytes
        """,
    ),
    member(
        "encrypt-little-endian",
        "Writes the length from the wrong end.",
        padding(lambda data: pad(data, order="little")),
        fails="""
            nip44-encrypt-one-byte nip44-encrypt-32-bytes nip44-encrypt-33-bytes nip44-encrypt-utf8
            nip44-encrypt-utf8-edge nip44-encrypt-emoji nip44-encrypt-json nip44-encrypt-nul nip44-encrypt-256-bytes
        """,
    ),
    member(
        "encrypt-filler",
        "Pads with blanks.",
        padding(lambda data: pad(data, filler=b" ")),
        fails="""
            nip44-encrypt-one-byte nip44-encrypt-33-bytes nip44-encrypt-utf8 nip44-encrypt-nul nip44-encrypt-257-bytes
        """,
    ),
    member(
        "encrypt-empty", "Encrypts nothing.", padding(lambda data: pad(data, empty=True)), fails="nip44-encrypt-empty"
    ),
    member(
        "encrypt-version",
        "Writes version 1.",
        encrypting(version=1),
        fails="""
            nip44-encrypt-one-byte nip44-encrypt-32-bytes nip44-encrypt-33-bytes nip44-encrypt-utf8
            nip44-encrypt-utf8-edge nip44-encrypt-emoji nip44-encrypt-json nip44-encrypt-nul nip44-encrypt-256-bytes
            nip44-encrypt-257-bytes
        """,
    ),
    member(
        "encrypt-mac-without-nonce",
        "Leaves the nonce out of the MAC.",
        encrypting(mac_over=lambda nonce, ciphertext: ciphertext),
        fails="""
            nip44-encrypt-one-byte nip44-encrypt-32-bytes nip44-encrypt-33-bytes nip44-encrypt-utf8
            nip44-encrypt-utf8-edge nip44-encrypt-emoji nip44-encrypt-json nip44-encrypt-nul nip44-encrypt-256-bytes
            nip44-encrypt-257-bytes
        """,
    ),
    member(
        "encrypt-keys-order",
        "Uses the MAC's key for the cipher.",
        encrypting(keys=mac_key_first),
        fails="""
            nip44-encrypt-one-byte nip44-encrypt-32-bytes nip44-encrypt-33-bytes nip44-encrypt-utf8
            nip44-encrypt-utf8-edge nip44-encrypt-emoji nip44-encrypt-json nip44-encrypt-nul nip44-encrypt-256-bytes
            nip44-encrypt-257-bytes
        """,
    ),
    member(
        "encrypt-block-1",
        "Begins at block 1 of the cipher, as ChaCha20-Poly1305 does.",
        encrypting(block=1),
        fails="""
            nip44-encrypt-one-byte nip44-encrypt-32-bytes nip44-encrypt-33-bytes nip44-encrypt-utf8
            nip44-encrypt-utf8-edge nip44-encrypt-emoji nip44-encrypt-json nip44-encrypt-nul nip44-encrypt-256-bytes
            nip44-encrypt-257-bytes
        """,
    ),
    member(
        "encrypt-url-base64",
        "Writes base64 of the URL alphabet.",
        encrypting(letters=lambda data: base64.urlsafe_b64encode(data).decode()),
        fails="""
            nip44-encrypt-one-byte nip44-encrypt-32-bytes nip44-encrypt-33-bytes nip44-encrypt-utf8
            nip44-encrypt-utf8-edge nip44-encrypt-emoji nip44-encrypt-json nip44-encrypt-nul nip44-encrypt-256-bytes
            nip44-encrypt-257-bytes
        """,
    ),
    member(
        "encrypt-no-base64-padding",
        "Writes base64 without padding.",
        encrypting(letters=lambda data: base64.b64encode(data).decode().rstrip("=")),
        fails="nip44-encrypt-33-bytes nip44-encrypt-json nip44-encrypt-256-bytes",
    ),
    member(
        "encrypt-base64-lines",
        "Writes base64 in lines.",
        encrypting(letters=lambda data: binascii.b2a_base64(data).decode()),
        fails="""
            nip44-encrypt-one-byte nip44-encrypt-32-bytes nip44-encrypt-33-bytes nip44-encrypt-utf8
            nip44-encrypt-utf8-edge nip44-encrypt-emoji nip44-encrypt-json nip44-encrypt-nul nip44-encrypt-256-bytes
            nip44-encrypt-257-bytes
        """,
    ),
    member(
        "encrypt-long-refused",
        "Does not know the long prefix.",
        padding_long(lambda data, extended: pad(data)),
        fails="nip44-encrypt-65536-extended nip44-encrypt-65537-extended",
    ),
    member(
        "encrypt-long-wraps",
        "Writes the length modulo 65,536.",
        padding_long(wrapped_prefix),
        fails="nip44-encrypt-65536-extended nip44-encrypt-65537-extended nip44-encrypt-65536",
    ),
    member(
        "encrypt-long-prefix",
        "Writes a long length without its mark.",
        padding_long(six_byte_prefix),
        fails="nip44-encrypt-65536-extended nip44-encrypt-65537-extended",
    ),
    member(
        "encrypt-65535-refused",
        "Refuses 65,535 bytes.",
        padding_long(lambda data, extended: pad(data, extended=extended) if len(data) != 65_535 else pad(b"")),
        fails="nip44-encrypt-65535",
    ),
    member(
        "decrypt-no-mac",
        "Does not check the MAC.",
        decrypting(mac=lambda own, given: True),
        fails="""
            nip44-decrypt-mac-bit nip44-decrypt-ciphertext-bit nip44-decrypt-mac-zeros nip44-decrypt-mac-without-nonce
        """,
    ),
    member(
        "decrypt-short-mac",
        "Compares the first 16 bytes of the MAC.",
        decrypting(mac=lambda own, given: own[:16] == given[:16]),
        fails="nip44-decrypt-mac-bit",
    ),
    member(
        "decrypt-mac-without-nonce",
        "Leaves the nonce out of the MAC.",
        decrypting(mac_over=lambda nonce, ciphertext: ciphertext),
        fails="""
            nip44-decrypt-one-byte nip44-decrypt-32-bytes nip44-decrypt-33-bytes nip44-decrypt-utf8
            nip44-decrypt-utf8-edge nip44-decrypt-emoji nip44-decrypt-json nip44-decrypt-nul nip44-decrypt-256-bytes
            nip44-decrypt-257-bytes nip44-decrypt-mac-without-nonce nip44-decrypt-65536
        """,
    ),
    member(
        "decrypt-zero-mac",
        "Takes a MAC of zeros for none.",
        decrypting(mac=lambda own, given: own == given or not any(given)),
        fails="nip44-decrypt-mac-zeros",
    ),
    member(
        "decrypt-any-version",
        "Does not look at the version.",
        decrypting(versions=tuple(range(256))),
        fails="nip44-decrypt-version-0 nip44-decrypt-version-1 nip44-decrypt-version-3",
    ),
    member(
        "decrypt-older-versions",
        "Reads older versions like its own.",
        decrypting(versions=(0, 1, 2)),
        fails="nip44-decrypt-version-0 nip44-decrypt-version-1",
    ),
    member(
        "decrypt-empty-payload",
        "Reads the first byte of an empty payload, and crashes.",
        decrypting(marks=("#",)),
        fails="nip44-decrypt-empty",
    ),
    member(
        "decrypt-base64-foreign",
        "Skips what is not base64, as Python does.",
        decrypting(letters=lenient(base64.b64decode)),
        fails="nip44-decrypt-newline nip44-decrypt-trailing",
    ),
    member(
        "decrypt-base64-lines",
        "Reads base64 in lines.",
        decrypting(letters=lambda payload: strict_base64(payload.replace("\n", ""))),
        fails="nip44-decrypt-newline",
    ),
    member(
        "decrypt-base64-unpadded",
        "Reads base64 without padding.",
        decrypting(letters=lambda payload: strict_base64(payload + "=" * (-len(payload) % 4))),
        fails="nip44-decrypt-no-padding",
    ),
    member(
        "decrypt-base64-trailing",
        "Stops at the padding of base64.",
        decrypting(letters=lenient(up_to_padding)),
        fails="nip44-decrypt-trailing",
    ),
    member(
        "decrypt-base64-errors",
        "Crashes on what is not base64.",
        decrypting(letters=lambda payload: base64.b64decode(payload, validate=True)),
        fails="""
            nip44-decrypt-not-base64 nip44-decrypt-url-base64 nip44-decrypt-newline nip44-decrypt-no-padding
            nip44-decrypt-trailing nip44-decrypt-not-ascii
        """,
    ),
    member(
        "decrypt-length-unchecked",
        "Does not compare the length with the block.",
        decrypting(unpad=length_unchecked),
        fails="""
            nip44-decrypt-length-zero nip44-decrypt-length-beyond nip44-decrypt-length-65535
            nip44-decrypt-block-too-long nip44-decrypt-block-33 nip44-decrypt-long-prefix-short-text
            nip44-decrypt-long-length-high
        """,
    ),
    member(
        "decrypt-length-within",
        "Takes any length that fits into the block.",
        decrypting(unpad=length_within_block),
        fails="nip44-decrypt-block-too-long nip44-decrypt-block-33 nip44-decrypt-long-prefix-short-text",
    ),
    member(
        "decrypt-length-zero",
        "Takes a length of zero for an empty text.",
        decrypting(unpad=empty_is_fine),
        fails="nip44-decrypt-length-zero",
    ),
    member(
        "decrypt-zeros-stripped",
        "Finds the end of the text by its zeros.",
        decrypting(unpad=zeros_stripped),
        fails="""
            nip44-decrypt-length-zero nip44-decrypt-length-beyond nip44-decrypt-length-65535
            nip44-decrypt-block-too-long nip44-decrypt-block-33 nip44-decrypt-long-prefix-short-text
            nip44-decrypt-long-length-high
        """,
    ),
    member(
        "decrypt-long-prefix-short",
        "Takes a short length in the long prefix.",
        decrypting(unpad=short_length_in_long_prefix),
        fails="nip44-decrypt-long-prefix-short-text",
    ),
    member(
        "decrypt-long-block",
        "Does not compare a long length with its block.",
        decrypting(unpad=long_block_unchecked),
        fails="nip44-decrypt-length-zero nip44-decrypt-long-length-high",
    ),
    member(
        "decrypt-long-unknown",
        "Does not know the long prefix.",
        decrypting(unpad=short_prefix_only),
        fails="nip44-decrypt-65536",
    ),
    member(
        "decrypt-utf8-replaced",
        "Reads bad UTF-8 as replacement characters.",
        decrypting(text=lambda plaintext: plaintext.decode(errors="replace")),
        fails="nip44-decrypt-not-utf8",
    ),
    member(
        "decrypt-latin1",
        "Reads single bytes as characters.",
        decrypting(text=lambda plaintext: plaintext.decode("latin-1")),
        fails="nip44-decrypt-utf8 nip44-decrypt-utf8-edge nip44-decrypt-emoji nip44-decrypt-not-utf8",
    ),
    member(
        "decrypt-base64-url",
        "Reads the URL alphabet of base64 too.",
        decrypting(letters=lambda payload: strict_base64(payload.replace("-", "+").replace("_", "/"))),
        fails="nip44-decrypt-url-base64",
    ),
    member(
        "decrypt-unpadded",
        "Reads blocks without padding too, and so payloads of any length.",
        decrypting(minimum=0, unpad=padding_optional),
        fails="nip44-decrypt-131 nip44-decrypt-98-bytes",
    ),
    member(
        "decrypt-short-payload",
        "Takes a payload apart before it looks at its length.",
        decrypting(minimum=0, unpad=length_taken_for_granted),
        fails="nip44-decrypt-no-ciphertext",
    ),
]
