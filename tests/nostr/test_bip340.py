from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.nostr import bip340
from nostrmcp.nostr.errors import ErrorClass
from tests.nostr.strategies import OFF_CURVE, bytes32, misused, share

G, n, p = bip340.G, bip340.n, bip340.p
TWO_G = (
    0xC6047F9441ED7D6D3045406E95C07CD85C778E4B8CEF3CA7ABAC09B95C709EE5,
    0x1AE168FEA63DC339A3C58419466CEAEEF7F632653266D0E1236431A950CFE52A,
)

# Rows 0, 1 and 3 of the BIP's test vectors: secret key, public key, auxiliary randomness, message, signature.
SIGNED = [
    (
        "0000000000000000000000000000000000000000000000000000000000000003",
        "F9308A019258C31049344F85F89D5229B531C845836F99B08601F113BCE036F9",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000000",
        (
            "E907831F80848D1069A5371B402410364BDF1C5F8307B0084C55F1CE2DCA8215"
            "25F66A4A85EA8B71E482A74F382D2CE5EBEEE8FDB2172F477DF4900D310536C0"
        ),
    ),
    (
        "B7E151628AED2A6ABF7158809CF4F3C762E7160F38B4DA56A784D9045190CFEF",
        "DFF1D77F2A671C5F36183726DB2341BE58FEAE1DA2DECED843240F7B502BA659",
        "0000000000000000000000000000000000000000000000000000000000000001",
        "243F6A8885A308D313198A2E03707344A4093822299F31D0082EFA98EC4E6C89",
        (
            "6896BD60EEAE296DB48A229FF71DFE071BDE413E6D43F917DC8DCF8C78DE3341"
            "8906D11AC976ABCCB20B091292BFF4EA897EFCB639EA871CFA95F6DE339E4B0A"
        ),
    ),
    (
        "0B432B2677937381AEF05BB02A66ECD012773062CF3FA2549E44F58ED2401710",
        "25D1DFF95105F5253C4022F628A996AD3A0D95FBF21D468A1B33F8C160D8F517",
        "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
        "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
        (
            "7EB0509757E246F19449885651611CB965ECC1A187DD51B64FDA1EDC9637D5EC"
            "97582B9CB13DB3933705B32BA982AF5AF25FD78881EBB32771FC5922EFC66EA3"
        ),
    ),
]
SECRET, PUBLIC, AUX_RAND, MESSAGE, SIGNATURE = (bytes.fromhex(text) for text in SIGNED[1])


def flipped(data, bit):
    return (int.from_bytes(data, "big") ^ 1 << bit).to_bytes(len(data), "big")


def test_tagged_hash_is_its_definition():
    tag = hashlib.sha256(b"BIP0340/challenge").digest()
    assert bip340.tagged_hash("BIP0340/challenge", b"m") == hashlib.sha256(tag + tag + b"m").digest()


def test_the_group_law():
    minus_g = (G[0], p - G[1])
    assert bip340.point_add(None, None) is None
    assert bip340.point_add(None, G) == G
    assert bip340.point_add(G, None) == G
    assert bip340.point_add(G, minus_g) is None
    assert bip340.point_add(G, G) == TWO_G
    three_g = bip340.point_add(TWO_G, G)
    assert bip340.bytes_from_int(three_g[0]).hex() == SIGNED[0][1].lower()
    assert bip340.point_add(G, TWO_G) == three_g


def test_multiplication_by_small_numbers_is_repeated_addition():
    total = None
    for scalar in range(20):
        assert bip340.point_mul(G, scalar) == total
        total = bip340.point_add(total, G)


@pytest.mark.slow
def test_the_order_of_the_generator():
    assert bip340.point_mul(G, n - 1) == (G[0], p - G[1])
    assert bip340.point_mul(G, n) is None
    assert bip340.point_mul(None, 5) is None


def test_lift_x():
    assert bip340.lift_x(G[0]) == G
    assert bip340.has_even_y(G)
    assert bip340.lift_x(1) == (1, 0x4218F20AE6C646B363DB68605822FB14264CA8D2587FDD6FBC750D587E76A7EE)
    assert bip340.lift_x(5) is None
    assert bip340.lift_x(int.from_bytes(OFF_CURVE, "big")) is None
    assert bip340.lift_x(p) is None
    # A reduction modulo p would find the point at 1.
    assert bip340.lift_x(p + 1) is None


@given(st.integers(0, p - 1))
def test_a_lifted_point_is_on_the_curve_and_has_an_even_y(x):
    point = bip340.lift_x(x)
    c = (x**3 + 7) % p
    if point is None:
        assert pow(c, (p - 1) // 2, p) == p - 1
    else:
        assert point[0] == x
        assert point[1] ** 2 % p == c
        assert bip340.has_even_y(point)
        assert not bip340.has_even_y((x, p - point[1]))


@pytest.mark.slow
@pytest.mark.parametrize(("secret", "public", "aux_rand", "message", "signature"), SIGNED)
def test_the_vectors_of_the_bip(secret, public, aux_rand, message, signature):
    secret, public, aux_rand, message, signature = map(bytes.fromhex, (secret, public, aux_rand, message, signature))
    assert bip340.pubkey_gen(secret) == public
    assert bip340.sign(message, secret, aux_rand) == signature
    assert bip340.verify(message, public, signature) is True


@pytest.mark.slow
def test_the_nonce_has_an_even_y_and_is_the_signatures_first_half():
    point, k = bip340.nonce(MESSAGE, SECRET, AUX_RAND)
    assert bip340.bytes_from_int(point[0]) == SIGNATURE[:32]
    assert bip340.has_even_y(point)
    assert bip340.point_mul(G, k) == point


@pytest.mark.slow
@share(10)
@given(bytes32.filter(lambda secret: 0 < int.from_bytes(secret, "big") < n), bytes32, st.binary(max_size=100))
def test_a_message_of_any_length_is_signed_and_verified(secret, aux_rand, message):
    public = bip340.pubkey_gen(secret)
    signature = bip340.sign(message, secret, aux_rand)
    assert bip340.verify(message, public, signature) is True
    assert bip340.verify(message + b"\0", public, signature) is False


@pytest.mark.slow
@share(10)
@given(st.integers(0, 8 * 128 - 1))
def test_no_flipped_bit_verifies(bit):
    changed = flipped(SIGNATURE + PUBLIC + MESSAGE, bit)
    assert bip340.verify(changed[96:], changed[64:96], changed[:64]) is False


@pytest.mark.slow
def test_what_is_out_of_range_does_not_verify():
    s = int.from_bytes(SIGNATURE[32:], "big")
    assert bip340.verify(MESSAGE, OFF_CURVE, SIGNATURE) is False
    assert bip340.verify(MESSAGE, bip340.bytes_from_int(p), SIGNATURE) is False
    assert bip340.verify(MESSAGE, PUBLIC, bip340.bytes_from_int(p) + SIGNATURE[32:]) is False
    assert bip340.verify(MESSAGE, PUBLIC, SIGNATURE[:32] + bip340.bytes_from_int(n)) is False
    assert bip340.verify(MESSAGE, PUBLIC, SIGNATURE[:32] + bip340.bytes_from_int(n - s)) is False
    for public, signature in ((PUBLIC[:31], SIGNATURE), (PUBLIC, SIGNATURE[:63]), (PUBLIC, SIGNATURE + b"\0")):
        assert bip340.verify(MESSAGE, public, signature) is False
    assert bip340.verify(MESSAGE, b"\0" + PUBLIC, SIGNATURE) is False


def test_s_is_not_reduced(monkeypatch):
    # With a challenge of zero, s = 1 makes G the nonce point, and s = n + 1 would make it too.
    monkeypatch.setattr(bip340, "challenge", lambda *_: 0)
    r = bip340.bytes_from_int(G[0])
    assert bip340.verify(MESSAGE, PUBLIC, r + bip340.bytes_from_int(1)) is True
    assert bip340.verify(MESSAGE, PUBLIC, r + bip340.bytes_from_int(n + 1)) is False


@pytest.mark.slow
def test_a_signature_whose_nonce_point_is_infinity_does_not_verify():
    # With the secret key 1 the public key is G, and s = e makes s G - e P vanish for any r.
    public = bip340.bytes_from_int(G[0])
    r = bytes(31) + b"\1"
    e = bip340.challenge(r, public, MESSAGE)
    assert bip340.point_add(bip340.point_mul(G, e), bip340.point_mul(G, n - e)) is None
    assert bip340.verify(MESSAGE, public, r + bip340.bytes_from_int(e)) is False


@pytest.mark.slow
def test_a_nonce_point_with_odd_y_does_not_verify():
    # k gives a point with odd y; an honest signer would take n - k.
    k = next(k for k in range(2, 20) if not bip340.has_even_y(bip340.point_mul(G, k)))
    public = bip340.bytes_from_int(G[0])
    r = bip340.bytes_from_int(bip340.point_mul(G, k)[0])
    e = bip340.challenge(r, public, MESSAGE)
    assert bip340.verify(MESSAGE, public, r + bip340.bytes_from_int((k + e) % n)) is False
    assert bip340.verify(MESSAGE, public, r + bip340.bytes_from_int((n - k + e) % n)) is True


@pytest.mark.parametrize("secret", [bytes(32), bip340.bytes_from_int(n), b"\xff" * 32, b"\1" * 31, b"\1" * 33, b""])
def test_a_secret_key_out_of_range_is_a_mistake(secret):
    misused(ErrorClass.INVALID_SECRET_KEY, bip340.pubkey_gen, secret)
    misused(ErrorClass.INVALID_SECRET_KEY, bip340.sign, MESSAGE, secret, AUX_RAND)


@pytest.mark.parametrize("aux_rand", [b"", bytes(31), bytes(33)])
def test_auxiliary_randomness_of_another_length_is_a_mistake(aux_rand):
    misused(ErrorClass.INVALID_SIGNATURE, bip340.sign, MESSAGE, SECRET, aux_rand)
