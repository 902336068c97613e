"""BIP-340 Schnorr signatures on integers, in the BIP's own order and names: the readable one.

Not constant-time, and slow: its running time tells an observer about the secret key. It is here to be read and to be
the oracle in tests; `keys` signs and verifies for everything else.
"""

from __future__ import annotations

import hashlib

from .errors import ErrorClass, LocalProtocolError

Point = tuple[int, int] | None  # None is the point at infinity

p = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFFC2F
n = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def tagged_hash(tag: str, message: bytes) -> bytes:
    """SHA-256 of the tag's hash twice and the message, so that hashes of different uses never meet (BIP340-HASH-01)."""
    tag_hash = hashlib.sha256(tag.encode()).digest()
    return hashlib.sha256(tag_hash + tag_hash + message).digest()


def point_add(P1: Point, P2: Point) -> Point:
    """The group law of y^2 = x^3 + 7 over the field of p elements."""
    if P1 is None:
        return P2
    if P2 is None:
        return P1
    x1, y1 = P1
    x2, y2 = P2
    if x1 == x2 and y1 != y2:
        return None
    slope = (3 * x1 * x1 * pow(2 * y1, -1, p) if P1 == P2 else (y2 - y1) * pow(x2 - x1, -1, p)) % p
    x3 = (slope * slope - x1 - x2) % p
    return x3, (slope * (x1 - x3) - y1) % p


def point_mul(P: Point, scalar: int) -> Point:
    """`scalar` times P, by doubling and adding from the lowest bit up."""
    result: Point = None
    while scalar:
        if scalar & 1:
            result = point_add(result, P)
        P = point_add(P, P)
        scalar >>= 1
    return result


def has_even_y(P: tuple[int, int]) -> bool:
    return P[1] % 2 == 0


def lift_x(x: int) -> Point:
    """The point with this x and an even y, or None if there is none or x is not below p (BIP340-LIFT-01)."""
    if x >= p:
        return None
    c = (pow(x, 3, p) + 7) % p
    y = pow(c, (p + 1) // 4, p)
    if y * y % p != c:
        return None
    return x, y if y % 2 == 0 else p - y


def int_from_bytes(b: bytes) -> int:
    return int.from_bytes(b, "big")


def bytes_from_int(x: int) -> bytes:
    return x.to_bytes(32, "big")


def pubkey_gen(secret_key: bytes) -> bytes:
    """PubKey(sk): the x coordinate of d' times G (BIP340-KEY-01)."""
    P, _ = _key_pair(secret_key)
    return bytes_from_int(P[0])


def sign(message: bytes, secret_key: bytes, aux_rand: bytes) -> bytes:
    """Sign(sk, m), with 32 bytes of auxiliary randomness `a` (BIP340-SIGN-01)."""
    if len(aux_rand) != 32:
        raise LocalProtocolError(ErrorClass.INVALID_SIGNATURE, "auxiliary randomness is 32 bytes")
    P, d = _key_pair(secret_key)
    R, k = nonce(message, secret_key, aux_rand)
    e = challenge(bytes_from_int(R[0]), bytes_from_int(P[0]), message)
    return bytes_from_int(R[0]) + bytes_from_int((k + e * d) % n)


def nonce(message: bytes, secret_key: bytes, aux_rand: bytes) -> tuple[tuple[int, int], int]:
    """The nonce point R = k G with even y, and k: steps `t`, `rand`, `k'`, `R`, `k` of signing (BIP340-SIGN-02)."""
    P, d = _key_pair(secret_key)
    t = bytes(a ^ b for a, b in zip(bytes_from_int(d), tagged_hash("BIP0340/aux", aux_rand), strict=True))
    k0 = int_from_bytes(tagged_hash("BIP0340/nonce", t + bytes_from_int(P[0]) + message)) % n
    R = point_mul(G, k0)
    assert R is not None, "k' is zero with a probability below 2^-250"
    return (R, k0) if has_even_y(R) else ((R[0], p - R[1]), n - k0)


def challenge(R_x: bytes, P_x: bytes, message: bytes) -> int:
    """e = int(hash(bytes(R) || bytes(P) || m)) mod n (BIP340-VERIFY-03)."""
    return int_from_bytes(tagged_hash("BIP0340/challenge", R_x + P_x + message)) % n


def verify(message: bytes, public_key: bytes, signature: bytes) -> bool:
    """Verify(pk, m, sig): False for every way to fail, never an exception.

    BIP340-VERIFY-01 (the key is on the curve), BIP340-VERIFY-02 (r below p, s below n), BIP340-VERIFY-03 (the
    challenge), BIP340-VERIFY-04 (R is not infinity, has an even y, and its x is r).
    """
    if len(public_key) != 32 or len(signature) != 64:
        return False
    P = lift_x(int_from_bytes(public_key))
    r = int_from_bytes(signature[:32])
    s = int_from_bytes(signature[32:])
    if P is None or r >= p or s >= n:
        return False
    e = challenge(signature[:32], public_key, message)
    R = point_add(point_mul(G, s), point_mul(P, n - e))
    return R is not None and has_even_y(R) and R[0] == r


def _key_pair(secret_key: bytes) -> tuple[tuple[int, int], int]:
    d0 = int_from_bytes(secret_key)
    if len(secret_key) != 32 or not 1 <= d0 <= n - 1:
        raise LocalProtocolError(ErrorClass.INVALID_SECRET_KEY, "a secret key is 32 bytes from 1 to n - 1")
    P = point_mul(G, d0)
    assert P is not None, "G has order n"
    return P, d0 if has_even_y(P) else n - d0
