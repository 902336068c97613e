from __future__ import annotations

import base64
import hmac
import math
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nostrmcp.nostr import nip44
from nostrmcp.nostr.errors import ErrorClass, Violation
from nostrmcp.nostr.keys import PublicKey, SecretKey
from nostrmcp.nostr.openssl import chacha20
from tests.nostr.strategies import ALICE, BOB, CAROL, bytes32, characters, misused, outcome, refused, secret_keys

# From the official vectors.
KEY = bytes.fromhex("c41c775356fd92eadc63ff5a0dc1da211b268cbea22316767095b2871ea1412d")
NONCE = bytes(31) + b"\1"
PAYLOAD = (
    "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABee0G5VSK0/9YypIObAtDKfYEAjD35uVkHyB0F4DwrcNaCXlCWZKaArsGrY6M9wnuTMxWfp1RTN9Xga8n"
    "o+kF5Vsb"
)
BASE64 = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"


def assemble(padded, key=KEY, nonce=NONCE, version=2):
    """The bytes of a payload with a right MAC, whatever its padding."""
    keys = nip44.get_message_keys(key, nonce)
    ciphertext = chacha20(keys.chacha_key, keys.chacha_nonce, padded)
    return bytes([version]) + nonce + ciphertext + hmac.digest(keys.hmac_key, nonce + ciphertext, "sha256")


def payload_of(padded, **options):
    return base64.b64encode(assemble(padded, **options)).decode()


# Known answers


def test_conversation_key():
    secret = SecretKey(bytes.fromhex("315e59ff51cb9209768cf7da80791ddcaae56ac9775eb25b6dee1234bc5d2268"))
    public = PublicKey(bytes.fromhex("c2f9d9948dc8c7c38321e4b85c8558872eafa0641cd269db76848a6073e69133"))
    expected = "3dfef0ce2a4d80a25e7a328accf73448ef67096f65f79588e358d9a0eb9013f1"
    assert nip44.get_conversation_key(secret, public).hex() == expected


def test_message_keys():
    keys = nip44.get_message_keys(
        bytes.fromhex("a1a3d60f3470a8612633924e91febf96dc5366ce130f658b1f0fc652c20b3b54"),
        bytes.fromhex("e1e6f880560d6d149ed83dcc7e5861ee62a5ee051f7fde9975fe5d25d2a02d72"),
    )
    assert keys.chacha_key.hex() == "f145f3bed47cb70dbeaac07f3a3fe683e822b3715edb7c4fe310829014ce7d76"
    assert keys.chacha_nonce.hex() == "c4ad129bb01180c0933a160c"
    assert keys.hmac_key.hex() == "027c1db445f05e2eee864a0975b0ddef5b7110583c8c192de3732571ca5838c4"


def test_encrypt_and_decrypt():
    assert nip44.encrypt("a", KEY, NONCE) == PAYLOAD
    assert nip44.encrypt(b"a", KEY, NONCE) == PAYLOAD
    assert nip44.decrypt(PAYLOAD, KEY) == "a"
    assert nip44.decrypt_bytes(PAYLOAD, KEY) == b"a"


@given(secret_keys, secret_keys)
def test_the_conversation_key_is_the_same_for_both(one, other):
    key = nip44.get_conversation_key(one, other.public_key)
    assert key == nip44.get_conversation_key(other, one.public_key)
    assert len(key) == 32


def test_conversation_keys_of_three_are_three():
    pairs = ((ALICE, BOB), (BOB, CAROL), (CAROL, ALICE))
    assert len({nip44.get_conversation_key(one, other.public_key) for one, other in pairs}) == 3


# Padding


def padded_length_of_the_nip(unpadded_len):
    """The NIP's own formula, with its floor and logarithm."""
    next_power = 1 << (math.floor(math.log2(unpadded_len - 1))) + 1
    chunk = 32 if next_power <= 256 else next_power // 8
    return 32 if unpadded_len <= 32 else chunk * (math.floor((unpadded_len - 1) / chunk) + 1)


def test_padding_is_the_nips_formula_and_never_shrinks():
    previous = 32
    assert nip44.calc_padded_len(1) == 32
    for length in range(2, 70_000):
        padded = nip44.calc_padded_len(length)
        assert padded == padded_length_of_the_nip(length)
        assert padded >= previous
        assert padded >= length
        previous = padded


@given(st.integers(2, nip44.MAX_PLAINTEXT_SIZE))
@example(nip44.MAX_PLAINTEXT_SIZE)
@example(2**31)
@example(2**31 + 1)
def test_padding_of_large_lengths(length):
    padded = nip44.calc_padded_len(length)
    assert padded == padded_length_of_the_nip(length)
    assert padded == 32 or length <= padded < length * 1.25 + 32
    assert nip44.calc_padded_len(length - 1) <= padded


@pytest.mark.parametrize(
    ("length", "padded"),
    [(1, 32), (16, 32), (32, 32), (33, 64), (64, 64), (65, 96), (200, 224), (256, 256), (257, 320), (320, 320),
     (383, 384), (384, 384), (400, 448), (512, 512), (515, 640), (1000, 1024), (1025, 1280), (65535, 65536),
     (65536, 65536), (65537, 81920), (100000, 114688)],
)  # fmt: skip
def test_padded_lengths(length, padded):
    assert nip44.calc_padded_len(length) == padded


LENGTHS = (1, 2, 31, 32, 33, 64, 65, 255, 256, 257, 320, 321, 65_534, 65_535, 65_536, 65_537, 81_920, 81_921, 200_000)


@pytest.mark.parametrize("length", LENGTHS)
def test_padding_written_out(length):
    plaintext = b"x" * length
    padded = nip44.pad(plaintext, extended=True)
    prefix = length.to_bytes(2, "big") if length < 65_536 else bytes(2) + length.to_bytes(4, "big")
    assert padded == prefix + plaintext.ljust(nip44.calc_padded_len(length), b"\0")
    assert nip44.unpad(padded) == plaintext
    if length < 65_536:
        assert nip44.pad(plaintext) == padded
    else:
        misused(ErrorClass.INVALID_PLAINTEXT_LENGTH, nip44.pad, plaintext)


@pytest.mark.parametrize("extended", [False, True])
def test_nothing_cannot_be_padded(extended):
    misused(ErrorClass.INVALID_PLAINTEXT_LENGTH, nip44.pad, b"", extended=extended)
    misused(ErrorClass.INVALID_PLAINTEXT_LENGTH, nip44.encrypt, "", KEY, NONCE, extended=extended)


def test_the_bytes_of_the_padding_are_not_looked_at():
    assert nip44.unpad(b"\0\1a" + b"\xff" * 31) == b"a"


MISPADDED = {
    "a length of zero": bytes(34),
    "a longer length": b"\0\x21" + b"a" * 32,
    "a byte too little": b"\0\x41" + b"a" * 65 + bytes(30),
    "no padding": b"\0\x41" + b"a" * 65,
    "too much padding": b"\0\1a" + bytes(63),
    "a chunk too many": b"\0\x20" + b"a" * 64,
    "the long prefix for a short length": b"\0\0" + (65_535).to_bytes(4, "big") + bytes(65_536),
    "the long prefix cut short": b"\0\0" + (65_536).to_bytes(4, "big") + bytes(65_535),
    "the long prefix and nothing": b"\0\0" + (2**32 - 1).to_bytes(4, "big") + bytes(28),
}


@pytest.mark.parametrize("padded", MISPADDED.values(), ids=MISPADDED.keys())
def test_padding_that_does_not_fit_is_refused(padded):
    refused(ErrorClass.INVALID_PADDING, nip44.unpad, padded)
    refused(ErrorClass.INVALID_PADDING, nip44.decrypt, payload_of(padded), KEY)


@given(st.binary(max_size=100))
def test_any_bytes_are_unpadded_or_refused(padded):
    result = outcome(nip44.unpad, padded)
    if not isinstance(result, Violation):
        assert nip44.pad(result)[: 2 + len(result)] == padded[: 2 + len(result)]


# Encrypt and decrypt


@given(st.text(characters, min_size=1, max_size=300), bytes32, bytes32)
def test_what_is_encrypted_is_decrypted(plaintext, key, nonce):
    payload = nip44.encrypt(plaintext, key, nonce)
    assert nip44.decrypt(payload, key) == plaintext
    assert nip44.decrypt_bytes(payload, key) == plaintext.encode()
    assert base64.b64decode(payload)[:33] == b"\2" + nonce
    assert payload == nip44.encrypt(plaintext.encode(), key, nonce)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("character", ["x", "\xe9"])
def test_plaintexts_of_each_length(length, character):
    plaintext = character * (length // len(character.encode())) or "x"
    payload = nip44.encrypt(plaintext, KEY, NONCE, extended=True)
    assert nip44.decrypt(payload, KEY) == plaintext
    if len(plaintext.encode()) >= 65_536:
        misused(ErrorClass.INVALID_PLAINTEXT_LENGTH, nip44.encrypt, plaintext, KEY, NONCE)


def test_a_mebibyte_is_within_the_limit():
    plaintext = "x" * (1 << 20)
    assert nip44.decrypt(nip44.encrypt(plaintext, KEY, NONCE, extended=True), KEY) == plaintext


@pytest.mark.parametrize(("key", "nonce"), [(KEY[:31], NONCE), (KEY + b"\0", NONCE), (KEY, NONCE[:31]), (KEY, b"")])
def test_keys_and_nonces_of_another_length_are_a_mistake(key, nonce):
    misused(ErrorClass.MALFORMED_PAYLOAD, nip44.get_message_keys, key, nonce)
    misused(ErrorClass.MALFORMED_PAYLOAD, nip44.encrypt, "a", key, nonce)


def test_half_of_a_surrogate_pair_is_a_mistake():
    misused(ErrorClass.LONE_SURROGATE, nip44.encrypt, "\ud800", KEY, NONCE)


# What is refused


def test_another_key_is_refused():
    refused(ErrorClass.INVALID_MAC, nip44.decrypt, PAYLOAD, bytes(32))


def test_a_conversation_key_of_another_length_is_a_mistake():
    misused(ErrorClass.MALFORMED_PAYLOAD, nip44.decrypt, PAYLOAD, KEY[:31])


@pytest.mark.parametrize("position", [1, 32, 33, 66, 67, 98])
def test_each_part_is_authenticated(position):
    data = bytearray(base64.b64decode(PAYLOAD))
    data[position] ^= 1
    refused(ErrorClass.INVALID_MAC, nip44.decrypt, base64.b64encode(data).decode(), KEY)


@pytest.mark.parametrize(
    "payload",
    ["", "#", "#" + PAYLOAD[1:], *(payload_of(nip44.pad(b"a"), version=version) for version in (0, 1, 3, 255))],
)
def test_other_versions_are_refused(payload):
    refused(ErrorClass.UNSUPPORTED_VERSION, nip44.decrypt, payload, KEY)


NOT_BASE64 = {
    "a character": "A",
    "131 characters": PAYLOAD[:131],
    "a length that is no multiple of four": PAYLOAD + "A",
    "a blank": PAYLOAD[:50] + " " + PAYLOAD[51:],
    "a line break at the end": PAYLOAD + "\n",
    "a line break inside": PAYLOAD[:76] + "\n" + PAYLOAD[76:],
    "the alphabet for URLs": PAYLOAD.replace("/", "_").replace("+", "-"),
    "padding in front": "=" + PAYLOAD,
    "padding inside": PAYLOAD[:64] + "====" + PAYLOAD[64:],
    "needless padding": PAYLOAD + "=",
    "more needless padding": PAYLOAD + "====",
    "more after padding": PAYLOAD + "AA==" + "AAAA",
    "another script's letter": "\u0410" + PAYLOAD[1:],
    "half of a surrogate pair": PAYLOAD[:-1] + "\ud800",
    "nothing but padding": "=" * 132,
    "fewer than 99 bytes": base64.b64encode(base64.b64decode(PAYLOAD)[:97]).decode(),
    "98 bytes": base64.b64encode(base64.b64decode(PAYLOAD)[:98]).decode(),
}


@pytest.mark.parametrize("payload", NOT_BASE64.values(), ids=NOT_BASE64.keys())
def test_what_is_not_a_payload_is_refused(payload):
    refused(ErrorClass.MALFORMED_PAYLOAD, nip44.decrypt, payload, KEY)


@pytest.mark.parametrize("length", [33, 65])
def test_the_unused_bits_of_the_last_character_are_zero(length):
    payload = nip44.encrypt("x" * length, KEY, NONCE)
    unused = 4 if payload.endswith("==") else 2
    assert payload.endswith("=")
    stem, last = payload.rstrip("=")[:-1], BASE64.index(payload.rstrip("=")[-1])
    for bits in range(1, 1 << unused):
        changed = (stem + BASE64[last | bits]).ljust(len(payload), "=")
        assert base64.b64decode(changed) == base64.b64decode(payload)
        refused(ErrorClass.MALFORMED_PAYLOAD, nip44.decrypt, changed, KEY)


def test_the_limit_is_the_callers():
    assert nip44.decrypt(PAYLOAD, KEY, max_characters=132) == "a"
    refused(ErrorClass.PAYLOAD_TOO_LARGE, nip44.decrypt, PAYLOAD, KEY, max_characters=131)
    refused(ErrorClass.PAYLOAD_TOO_LARGE, nip44.decrypt_bytes, "A" * (nip44.MAX_PAYLOAD_CHARACTERS + 1), KEY)


def test_a_plaintext_that_is_not_utf8_is_refused():
    payload = nip44.encrypt(b"\xff", KEY, NONCE)
    assert nip44.decrypt_bytes(payload, KEY) == b"\xff"
    refused(ErrorClass.INVALID_UTF8, nip44.decrypt, payload, KEY)


def test_every_changed_character_is_refused():
    for position, character in enumerate(PAYLOAD):
        for other in set(BASE64 + "=#-_ \n\0\xe9") - {character}:
            changed = PAYLOAD[:position] + other + PAYLOAD[position + 1 :]
            assert isinstance(outcome(nip44.decrypt, changed, KEY), Violation)


@given(st.text(min_size=1, max_size=200), st.data())
def test_a_changed_missing_or_added_character_is_refused(plaintext, data):
    payload = nip44.encrypt(plaintext.encode(errors="replace"), KEY, NONCE)
    position = data.draw(st.integers(0, len(payload) - 1))
    character = data.draw(st.one_of(st.sampled_from(BASE64 + "="), st.characters()))
    rest = payload[position + 1 :]
    for middle in (character, "", payload[position] + character):
        changed = payload[:position] + middle + rest
        if changed != payload:
            assert isinstance(outcome(nip44.decrypt, changed, KEY), Violation)


# Anything whatsoever


@given(
    st.one_of(
        st.text(max_size=200),
        st.text(BASE64 + "=", min_size=132, max_size=200),
        st.binary(min_size=99, max_size=200).map(lambda data: base64.b64encode(b"\2" + data).decode()),
    )
)
def test_any_text_gives_a_violation(payload):
    assert isinstance(outcome(nip44.decrypt, payload, KEY), Violation)
    assert isinstance(outcome(nip44.decrypt_bytes, payload, KEY), Violation)


@given(st.binary(max_size=150))
@example(b"\0\1\xff" + bytes(31))
def test_any_bytes_with_a_right_mac_give_a_text_or_a_violation(padded):
    result = outcome(nip44.decrypt, payload_of(padded), KEY)
    if not isinstance(result, Violation):
        assert padded.startswith(len(result.encode()).to_bytes(2, "big") + result.encode())


def test_message_keys_are_never_printed():
    keys = nip44.get_message_keys(bytes(32), bytes(32))
    assert repr(keys) == str(keys) == f"{keys}" == "MessageKeys()"
