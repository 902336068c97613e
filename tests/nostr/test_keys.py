from __future__ import annotations

import copy
import pickle
import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.nostr import bip340, nip19
from nostrmcp.nostr.errors import ErrorClass, LocalProtocolError
from nostrmcp.nostr.keys import PublicKey, SecretKey, public_key
from tests.nostr.strategies import ALICE, BOB, OFF_CURVE, bytes32, misused, refused, secret_keys, share

valid_secrets = st.integers(1, bip340.n - 1).map(bip340.bytes_from_int)


@pytest.mark.slow
@share(10)
@given(valid_secrets, bytes32, bytes32)
def test_keys_are_bip340(secret, message, aux_rand):
    key = SecretKey(secret)
    assert key.public_key.x == bip340.pubkey_gen(secret)
    signature = key.sign(message, aux_rand)
    assert signature == bip340.sign(message, secret, aux_rand)
    assert key.public_key.verify(message, signature) is True
    assert bip340.verify(message, key.public_key.x, signature) is True


@pytest.mark.slow
@share(10)
@given(valid_secrets, bytes32, st.integers(0, 8 * 128 - 1))
def test_a_flipped_bit_is_judged_as_bip340_judges_it(secret, message, bit):
    key = SecretKey(secret)
    whole = key.sign(message, bytes(32)) + key.public_key.x + message
    changed = (int.from_bytes(whole, "big") ^ 1 << bit).to_bytes(128, "big")
    signature, x, message = changed[:64], changed[64:96], changed[96:]
    assert bip340.verify(message, x, signature) is False
    if bip340.lift_x(int.from_bytes(x, "big")) is None:
        refused(ErrorClass.INVALID_PUBLIC_KEY, PublicKey, x)
    else:
        assert PublicKey(x).verify(message, signature) is False


@given(valid_secrets, bytes32, bytes32, st.integers(0, 8 * 96 - 1))
def test_what_was_signed_verifies_and_nothing_else(secret, message, aux_rand, bit):
    key = SecretKey(secret)
    signature = key.sign(message, aux_rand)
    assert key.public_key.verify(message, signature) is True
    changed = (int.from_bytes(signature + message, "big") ^ 1 << bit).to_bytes(96, "big")
    assert key.public_key.verify(changed[64:], changed[:64]) is False


@given(st.binary(max_size=100), st.binary(max_size=100))
def test_verification_of_anything_is_false_and_never_an_exception(message, signature):
    assert ALICE.public_key.verify(message, signature) is False


@pytest.mark.parametrize(
    "signature",
    [
        b"",
        bytes(63),
        bytes(64),
        bytes(65),
        b"\xff" * 64,
        bip340.bytes_from_int(bip340.p) + bytes(32),
        ALICE.sign(bytes(32), bytes(32))[:32] + bip340.bytes_from_int(bip340.n),
    ],
)
def test_a_signature_of_wrong_length_or_range_is_false(signature):
    assert ALICE.public_key.verify(bytes(32), signature) is False


def test_more_or_less_than_a_valid_signature_is_false():
    signature = ALICE.sign(bytes(32), bytes(32))
    assert ALICE.public_key.verify(bytes(32), signature) is True
    for other in (signature + b"\0", signature * 2, signature[:63], b"\0" + signature):
        assert ALICE.public_key.verify(bytes(32), other) is False


@pytest.mark.slow
@pytest.mark.parametrize("length", [0, 1, 31, 33, 100])
def test_signatures_of_messages_of_any_length_are_verified(length):
    message = b"m" * length
    signature = bip340.sign(message, ALICE.reveal(), bytes(32))
    assert ALICE.public_key.verify(message, signature) is True


@pytest.mark.slow
@share(10)
@given(valid_secrets, valid_secrets)
def test_ecdh_is_symmetric_and_the_multiplication_of_a_point(one, other):
    shared = SecretKey(one).shared_x(SecretKey(other).public_key)
    assert shared == SecretKey(other).shared_x(SecretKey(one).public_key)
    point = bip340.lift_x(int.from_bytes(SecretKey(other).public_key.x, "big"))
    assert shared == bip340.bytes_from_int(bip340.point_mul(point, int.from_bytes(one, "big"))[0])


@given(bytes32)
def test_a_public_key_is_any_x_coordinate_of_the_curve(x):
    if bip340.lift_x(int.from_bytes(x, "big")) is None:
        refused(ErrorClass.INVALID_PUBLIC_KEY, PublicKey, x)
    else:
        assert PublicKey(x).x == x


def test_public_keys_off_the_curve_are_the_peers_fault():
    refused(ErrorClass.INVALID_PUBLIC_KEY, PublicKey, OFF_CURVE)
    refused(ErrorClass.INVALID_PUBLIC_KEY, PublicKey, bip340.bytes_from_int(bip340.p))
    refused(ErrorClass.INVALID_PUBLIC_KEY, public_key, OFF_CURVE)


@pytest.mark.parametrize("x", [b"", ALICE.public_key.x[:31], ALICE.public_key.x + b"\0"])
def test_a_public_key_of_another_length_is_a_mistake(x):
    misused(ErrorClass.INVALID_PUBLIC_KEY, PublicKey, x)


def test_public_keys_compare_and_print():
    alice = PublicKey(ALICE.public_key.x)
    assert alice == ALICE.public_key
    assert hash(alice) == hash(ALICE.public_key)
    assert alice != BOB.public_key
    assert alice != alice.x
    assert len({alice, ALICE.public_key, BOB.public_key}) == 2
    assert alice.hex() == alice.x.hex()
    assert repr(alice) == f"PublicKey({alice.x.hex()})"


def test_recent_public_keys_are_parsed_once():
    assert public_key(ALICE.public_key.x) is public_key(ALICE.public_key.x)
    assert public_key(ALICE.public_key.x) == ALICE.public_key


BAD_SECRETS = {
    "zero": bytes(32),
    "n": bip340.bytes_from_int(bip340.n),
    "above n": b"\xff" * 32,
    "short": b"\x77" * 31,
    "long": b"\x77" * 33,
    "empty": b"",
    "text": "77" * 16,
    "a byte array": bytearray(b"\x77" * 32),
    "nothing": None,
}


@pytest.mark.parametrize("secret", BAD_SECRETS.values(), ids=BAD_SECRETS.keys())
def test_a_secret_key_out_of_range_is_a_mistake(secret):
    error = misused(ErrorClass.INVALID_SECRET_KEY, SecretKey, secret)
    assert error.detail == "a secret key is 32 bytes from 1 to n - 1"


@pytest.mark.parametrize(
    ("message", "aux_rand"),
    [(bytes(31), bytes(32)), (bytes(33), bytes(32)), (b"", bytes(32)), (bytes(32), bytes(31)), (bytes(32), b"")],
)
def test_signing_with_another_length_is_a_mistake(message, aux_rand):
    misused(ErrorClass.INVALID_SIGNATURE, ALICE.sign, message, aux_rand)


def test_the_extremes_are_keys():
    one = SecretKey(bip340.bytes_from_int(1))
    assert one.public_key.x == bip340.bytes_from_int(bip340.G[0])
    assert SecretKey(bip340.bytes_from_int(bip340.n - 1)).public_key == one.public_key


# Secrets stay secret


def forms_of(secret: bytes) -> list[str]:
    """The ways in which a secret could turn up in a text."""
    ways = [
        secret.hex(),
        secret.hex().upper(),
        repr(secret)[2:-1],
        str(int.from_bytes(secret, "big")),
        repr(list(secret)),
    ]
    key = SecretKey(secret) if 0 < int.from_bytes(secret, "big") < bip340.n and len(secret) == 32 else None
    return ways if key is None else [*ways, nip19.encode(key), nip19.encode(key).removeprefix("nsec1")]


def all_texts_of(error: BaseException) -> str:
    """Everything an exception would print, with the exceptions behind it whether they are shown or not."""
    parts = []
    current: BaseException | None = error
    while current is not None:
        parts += [str(current), repr(current), repr(current.args), repr(vars(current))]
        parts += traceback.format_exception(current)
        current = current.__cause__ or current.__context__
    return "\n".join(parts)


@given(st.integers(2**248, bip340.n - 1).map(bip340.bytes_from_int))
def test_no_text_of_a_secret_key_shows_it(secret):
    key = SecretKey(secret)
    texts = [repr(key), str(key), f"{key}", f"{key!r}", f"{key:}", "%s" % key, repr([key]), repr({"key": key})]  # noqa: UP031
    assert repr(key) == f"SecretKey(of {key.public_key.hex()})"
    for form in forms_of(secret):
        assert not any(form in text for text in texts)


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, pickle.dumps, lambda key: pickle.dumps([key], protocol=0)]
)
def test_a_secret_key_is_neither_copied_nor_pickled(duplicate):
    with pytest.raises(TypeError, match=r"^a SecretKey is not pickled or copied$") as caught:
        duplicate(BOB)
    for form in forms_of(BOB.reveal()):
        assert form not in all_texts_of(caught.value)


def test_a_secret_key_has_no_dictionary_to_look_into():
    assert not hasattr(ALICE, "__dict__")


def test_secret_keys_are_not_compared():
    assert SecretKey(ALICE.reveal()) != ALICE


@given(secret_keys)
def test_a_secret_is_revealed_when_asked_for(key):
    assert SecretKey(key.reveal()).public_key == key.public_key


@pytest.mark.parametrize("secret", [b"\xff" * 16 + b"\x91\x5c" * 8, b"secret!!" * 3, b"\x91\x5c" * 17, "deadbeef" * 8])
def test_a_refused_secret_is_not_in_the_error(secret):
    with pytest.raises(LocalProtocolError) as caught:
        SecretKey(secret)
    forms = forms_of(secret) if isinstance(secret, bytes) else [secret]
    for form in forms:
        assert form not in all_texts_of(caught.value)


def test_misuse_of_a_secret_key_does_not_show_it():
    with pytest.raises(LocalProtocolError) as caught:
        BOB.sign(b"", b"")
    for form in forms_of(BOB.reveal()):
        assert form not in all_texts_of(caught.value)
