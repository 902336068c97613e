"""Schnorr signatures with a step left out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any

from nostrmcp.conformance.operations import OPERATIONS, Value
from nostrmcp.nostr import ErrorClass, LocalProtocolError, bip340
from nostrmcp.nostr.bip340 import G, Point, bytes_from_int, has_even_y, int_from_bytes, n, p, point_add, tagged_hash
from tests.zoo.member import Operations, also, during, member, reading, refusal

unhex = bytes.fromhex


@cache
def times_g(scalar: int) -> Any:
    """A point, or None for a multiple of n."""
    return bip340.point_mul(G, scalar)


@cache
def nonce_point(pubkey: str, message: str, signature: str) -> Point:
    """R = s G - e P, as verification computes it."""
    P = bip340.lift_x(int_from_bytes(unhex(pubkey)))
    r, s = unhex(signature)[:32], int_from_bytes(unhex(signature)[32:])
    e = bip340.challenge(r, unhex(pubkey), unhex(message))
    return point_add(times_g(s % n), bip340.point_mul(P, n - e))


def also_valid(condition: Callable[[Value], bool]) -> Operations:
    return also("schnorr_verify", lambda given: {"valid": True} if condition(given) else None)


def has_a_point(given: Value) -> bool:
    """The equation can be computed at all."""
    on_curve = bip340.lift_x(int_from_bytes(unhex(given["pubkey"]))) is not None
    return on_curve and len(unhex(given["signature"])) == 64


def any_parity(given: Value) -> bool:
    if not has_a_point(given):
        return False
    R = nonce_point(**given)
    return R is not None and R[0] == int_from_bytes(unhex(given["signature"])[:32])


def unreduced(given: Value) -> bool:
    """r modulo p and s modulo n."""
    if not has_a_point(given):
        return False
    R = nonce_point(**given)
    return R is not None and has_even_y(R) and R[0] == int_from_bytes(unhex(given["signature"])[:32]) % p


def infinity_is_zero(given: Value) -> bool:
    return has_a_point(given) and nonce_point(**given) is None and not any(unhex(given["signature"])[:32])


def either_s(given: Value) -> bool:
    """s or n - s, as ECDSA has two signatures for each message."""
    if not has_a_point(given):
        return False
    r, s = given["signature"][:64], int(given["signature"][64:], 16)
    try:
        return bool(OPERATIONS["schnorr_verify"](given | {"signature": r + f"{(n - s) % n:064x}"}))
    except Exception:
        return False


class Remembering:
    """A cache of good signatures that forgets what they were good for."""

    def __init__(self) -> None:
        self.good: set[str] = set()

    def verify(self, given: Value) -> Value:
        if given["signature"] not in self.good:
            OPERATIONS["schnorr_verify"](given)
            self.good.add(given["signature"])
        return {"valid": True}


def signing(
    *,
    key_parity: bool = True,
    nonce_parity: bool = True,
    mask: Callable[[bytes], bytes] = lambda aux_rand: tagged_hash("BIP0340/aux", aux_rand),
    key_in_nonce: bool = True,
    challenge: Callable[[bytes, bytes, bytes], int] = bip340.challenge,
) -> Operations:
    """BIP-340's signing on integers, with a knob for each step."""

    def nonce(given: Value) -> tuple[int, int, int, int]:
        d0 = int_from_bytes(unhex(given["seckey"]))
        P = times_g(d0)
        d = n - d0 if key_parity and not has_even_y(P) else d0
        t = bytes(a ^ b for a, b in zip(bytes_from_int(d), mask(unhex(given["aux_rand"])), strict=True))
        seed = t + (bytes_from_int(P[0]) if key_in_nonce else b"") + unhex(given["message"])
        k0 = int_from_bytes(tagged_hash("BIP0340/nonce", seed)) % n
        R = times_g(k0)
        return P[0], d, R[0], n - k0 if nonce_parity and not has_even_y(R) else k0

    def sign(given: Value) -> Value:
        x, d, r, k = nonce(given)
        e = challenge(bytes_from_int(r), bytes_from_int(x), unhex(given["message"]))
        return {"signature": f"{r:064x}{(k + e * d) % n:064x}"}

    return {"schnorr_nonce": lambda given: {"r": f"{nonce(given)[2]:064x}"}, "schnorr_sign": sign}


def challenged(challenge: Callable[[bytes, bytes, bytes], int]) -> Operations:
    def answer(given: Value) -> Value:
        e = challenge(unhex(given["r"]), unhex(given["pubkey"]), unhex(given["message"]))
        return {"challenge": f"{e:064x}"}

    return {"schnorr_challenge": answer, "schnorr_sign": signing(challenge=challenge)["schnorr_sign"]}


def e_of(tag: str, *parts: bytes) -> int:
    return int_from_bytes(tagged_hash(tag, b"".join(parts))) % n


def root(x: int) -> int:
    """The root that the exponent gives, of either parity, and right only if there is one."""
    return pow(pow(x, 3, p) + 7, (p + 1) // 4, p)


def even(y: int) -> int:
    return y if y % 2 == 0 else p - y


def lifting(lift: Callable[[int], int | None]) -> Operations:
    """`lift` in the place of ours, by itself and where signatures are verified."""

    def point(x: int) -> Point:
        y = lift(x)
        return None if y is None else (x % p, y)

    def lift_x(given: Value) -> Value:
        lifted = point(int_from_bytes(unhex(given["x"])))
        if lifted is None:
            raise refusal(ErrorClass.INVALID_PUBLIC_KEY)
        return {"y": f"{lifted[1]:064x}"}

    def verify(given: Value) -> Value:
        if point(int(given["pubkey"], 16)) is None:
            raise refusal(ErrorClass.INVALID_PUBLIC_KEY)
        if not bip340.verify(unhex(given["message"]), unhex(given["pubkey"]), unhex(given["signature"])):
            raise refusal(ErrorClass.INVALID_SIGNATURE)
        return {"valid": True}

    return {"lift_x": lift_x} | during({"schnorr_verify": verify}, (bip340, "lift_x", point))


def is_root(x: int, y: int) -> bool:
    return y * y % p == (pow(x, 3, p) + 7) % p


def hashes(tagged: Callable[[bytes, bytes], bytes]) -> Operations:
    return {"tagged_hash": lambda given: {"hash": tagged(given["tag"].encode(), unhex(given["message"])).hex()}}


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def modulo_n(given: Value) -> Value:
    secret = int_from_bytes(unhex(given["seckey"])) % n
    P = times_g(secret)
    return {"pubkey": "00" * 32 if P is None else f"{P[0]:064x}"}


def even_points_only(given: Value) -> Value:
    secret = int(given["seckey"], 16)
    if 0 < secret < n and not has_even_y(times_g(secret)):
        raise LocalProtocolError(ErrorClass.INVALID_SECRET_KEY, "the point has an odd y")
    return given


def only_32_bytes(given: Value) -> Value:
    if len(given["message"]) != 64:
        raise LocalProtocolError(ErrorClass.INVALID_SIGNATURE, "a message is 32 bytes")
    return given


CONTROLS = [member("sign-control", "Signing without a bug.", signing(), fails="")]

MEMBERS = [
    member(
        "verify-any-parity",
        "Does not look at the parity of the nonce point.",
        also_valid(any_parity),
        fails="bip340-verify-odd-nonce",
    ),
    member(
        "verify-infinity",
        "Takes the point at infinity for a point whose x is zero.",
        also_valid(infinity_is_zero),
        fails="bip340-verify-infinity",
    ),
    member(
        "verify-either-s", "Takes s and n - s, as ECDSA does.", also_valid(either_s), fails="bip340-verify-negated-s"
    ),
    member(
        "verify-remembered",
        "Keeps good signatures in a cache without key and message.",
        {"schnorr_verify": Remembering().verify},
        fails="""
            bip340-verify-other-message bip340-verify-other-key bip340-verify-key-not-on-curve bip340-verify-key-above-p
        """,
    ),
    member(
        "verify-zeros",
        "Takes zeros for a signature that is not there yet.",
        also_valid(lambda given: not any(unhex(given["signature"]))),
        fails="bip340-verify-zeros",
    ),
    member(
        "verify-errors-pass",
        "Goes on when the library cannot read the public key.",
        also_valid(lambda given: bip340.lift_x(int(given["pubkey"], 16)) is None),
        fails="bip340-verify-key-not-on-curve bip340-verify-key-above-p",
    ),
    member(
        "verify-long-signature",
        "Reads 64 bytes of a signature and leaves the rest.",
        reading("schnorr_verify", lambda given: given | {"signature": given["signature"][:128]}),
        fails="bip340-verify-long-signature",
    ),
    member(
        "verify-short-signature",
        "Fills up a short signature with zeros.",
        reading("schnorr_verify", lambda given: given | {"signature": given["signature"].ljust(128, "0")}),
        fails="bip340-verify-short-signature",
    ),
    member(
        "verify-32-bytes",
        "Verifies messages of 32 bytes only.",
        reading("schnorr_verify", only_32_bytes),
        fails="bip340-verify-long-message bip340-verify-empty-message",
    ),
    member(
        "verify-hashed",
        "Hashes the message once more.",
        reading("schnorr_verify", lambda given: given | {"message": sha256(unhex(given["message"])).hex()}),
        fails="bip340-verify bip340-verify-odd-key bip340-verify-long-message bip340-verify-empty-message",
    ),
    member(
        "sign-odd-keys",
        "Does not negate a secret whose point has an odd y.",
        signing(key_parity=False),
        fails="bip340-nonce-odd-key bip340-sign-odd-key bip340-sign-zero-message",
    ),
    member(
        "sign-odd-nonces",
        "Does not negate a nonce whose point has an odd y.",
        signing(nonce_parity=False),
        fails="bip340-sign-odd-key bip340-sign-odd-nonce bip340-sign-aux-rand bip340-sign-zero-message",
    ),
    member(
        "sign-aux-ignored",
        "Signs with zeros in place of auxiliary randomness.",
        signing(mask=lambda aux_rand: tagged_hash("BIP0340/aux", bytes(32))),
        fails="bip340-nonce-aux-rand bip340-sign-aux-rand bip340-sign-zero-message",
    ),
    member(
        "sign-aux-unhashed",
        "Masks the secret with auxiliary randomness that is not hashed.",
        signing(mask=lambda aux_rand: aux_rand),
        fails="""
            bip340-nonce-even-key bip340-nonce-odd-key bip340-nonce-aux-rand bip340-sign-even-key bip340-sign-odd-key
            bip340-sign-even-nonce bip340-sign-odd-nonce bip340-sign-aux-rand bip340-sign-zero-message
        """,
    ),
    member(
        "sign-nonce-without-key",
        "Leaves the public key out of the nonce.",
        signing(key_in_nonce=False),
        fails="""
            bip340-nonce-even-key bip340-nonce-odd-key bip340-nonce-aux-rand bip340-sign-even-key bip340-sign-odd-key
            bip340-sign-even-nonce bip340-sign-odd-nonce bip340-sign-aux-rand bip340-sign-zero-message
        """,
    ),
    member(
        "challenge-without-key",
        "Leaves the public key out of the challenge.",
        challenged(lambda r, x, message: e_of("BIP0340/challenge", r, message)),
        fails="""
            bip340-challenge bip340-sign-even-key bip340-sign-odd-key bip340-sign-even-nonce bip340-sign-odd-nonce
            bip340-sign-aux-rand bip340-sign-zero-message
        """,
    ),
    member(
        "challenge-order",
        "Hashes the key before the nonce.",
        challenged(lambda r, x, message: e_of("BIP0340/challenge", x, r, message)),
        fails="""
            bip340-challenge bip340-sign-even-key bip340-sign-odd-key bip340-sign-even-nonce bip340-sign-odd-nonce
            bip340-sign-aux-rand bip340-sign-zero-message
        """,
    ),
    member(
        "challenge-untagged",
        "Hashes the challenge without its tag.",
        challenged(lambda r, x, message: int_from_bytes(sha256(r + x + message)) % n),
        fails="""
            bip340-challenge bip340-sign-even-key bip340-sign-odd-key bip340-sign-even-nonce bip340-sign-odd-nonce
            bip340-sign-aux-rand bip340-sign-zero-message
        """,
    ),
    member(
        "challenge-old-tag",
        "Uses the tag of the first drafts.",
        challenged(lambda r, x, message: e_of("BIPSchnorr", r, x, message)),
        fails="""
            bip340-challenge bip340-sign-even-key bip340-sign-odd-key bip340-sign-even-nonce bip340-sign-odd-nonce
            bip340-sign-aux-rand bip340-sign-zero-message
        """,
    ),
    member(
        "hash-tag-once",
        "Puts the hash of the tag before the message once.",
        hashes(lambda tag, message: sha256(sha256(tag) + message)),
        fails="bip340-hash-challenge bip340-hash-empty",
    ),
    member(
        "hash-tag-raw",
        "Does not hash the tag.",
        hashes(lambda tag, message: sha256(tag + tag + message)),
        fails="bip340-hash-challenge bip340-hash-empty",
    ),
    member(
        "lift-modulo-p",
        "Takes x modulo p.",
        lifting(lambda x: even(root(x % p)) if is_root(x % p, root(x % p)) else None),
        fails="bip340-lift-p-plus-one",
    ),
    member(
        "lift-without-check",
        "Takes the root that the exponent gives for a root.",
        lifting(lambda x: even(root(x)) if x < p else None),
        fails="bip340-lift-five bip340-lift-zero",
    ),
    member(
        "lift-any-parity",
        "Takes the root that the exponent gives, of either parity.",
        lifting(lambda x: root(x) if x < p and is_root(x, root(x)) else None),
        fails="bip340-lift-two bip340-verify bip340-verify-long-message bip340-verify-empty-message",
    ),
    member(
        "lift-odd",
        "Takes the odd root.",
        lifting(lambda x: p - even(root(x)) if x < p and is_root(x, root(x)) else None),
        fails="""
            bip340-lift-generator bip340-lift-one bip340-lift-two bip340-verify bip340-verify-odd-key
            bip340-verify-long-message bip340-verify-empty-message
        """,
    ),
    member(
        "pubkey-compressed",
        "Gives a public key of 33 bytes.",
        {"schnorr_pubkey": lambda given: {"pubkey": "02" + OPERATIONS["schnorr_pubkey"](given)["pubkey"]}},
        fails="bip340-pubkey-one bip340-pubkey-n-minus-one bip340-pubkey-even bip340-pubkey-odd",
    ),
    member(
        "pubkey-of-even-only",
        "Refuses secrets whose point has an odd y.",
        reading("schnorr_pubkey", even_points_only),
        fails="bip340-pubkey-n-minus-one bip340-pubkey-odd",
    ),
    member(
        "secret-modulo-n",
        "Takes a secret modulo n.",
        {"schnorr_pubkey": modulo_n},
        fails="bip340-seckey-zero bip340-seckey-n bip340-seckey-all-ones bip340-seckey-short",
    ),
    member(
        "secret-filled-up",
        "Fills up a short secret with zeros.",
        reading("schnorr_pubkey", lambda given: {"seckey": given["seckey"].rjust(64, "0")}),
        fails="bip340-seckey-short",
    ),
    member(
        "verify-unreduced",
        "Takes r modulo p and s modulo n.",
        also_valid(unreduced),
        missing="none that anyone can make: an r below 2^256 - p or an s below 2^256 - n is not found by trying",
    ),
]
