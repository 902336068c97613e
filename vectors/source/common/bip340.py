"""BIP-340: signatures, and the steps that lead to them, so that a failing implementer sees which one broke."""

from __future__ import annotations

from typing import Any

from nostrmcp.nostr import bip340
from vectors.source.writing import Note, Suite, invalid, public, secret, secret_bytes, sha256, valid

SUITE = Suite(
    "common/bip340",
    "BIP-340 Schnorr signatures",
    "1",
    {
        "Basic": Note("BASIC", "an ordinary value", "nothing works"),
        "OddY": Note(
            "MISSING_STEP",
            "the point of the secret key, or of the nonce, has an odd y and must be negated",
            "half of all keys or signatures do not verify",
        ),
        "AuxRand": Note("BASIC", "auxiliary randomness changes the signature", "signatures differ from the standard's"),
        "NotOnCurve": Note("AUTH_BYPASS", "an x that no point of the curve has", "signatures under keys nobody holds"),
        "NotReduced": Note(
            "MALLEABILITY", "a value not below the field size or the group order", "several signatures for one message"
        ),
        "WrongY": Note("MISSING_STEP", "the nonce point has an odd y", "signatures that others refuse are accepted"),
        "Infinity": Note("MISSING_STEP", "the nonce point is at infinity", "forged signatures are accepted"),
        "Tampered": Note("AUTH_BYPASS", "key, message or signature changed", "anyone speaks as anyone"),
        "Length": Note("MISSING_STEP", "a value of another length", "reading past a buffer"),
        "MessageLength": Note("EDGE_CASE", "a message that is not 32 bytes", "only Nostr ids can be checked"),
        "BadSecret": Note("MISSING_STEP", "a secret outside 1 to n - 1", "a key that anyone can guess or none can use"),
    },
)

p = 2**256 - 2**32 - 977
n = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G_X = 0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798
G_Y = 0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8


def h(number: int) -> str:
    return f"{number:064x}"


SUITE.group(
    "tagged_hash",
    valid("bip340-hash-challenge", "a tagged hash is SHA-256(SHA-256(tag) || SHA-256(tag) || message)",
          "BIP340-HASH-01", {"tag": "BIP0340/challenge", "message": "00010203"},
          {"hash": sha256(sha256("BIP0340/challenge") * 2 + bytes(range(4))).hex()}, flags="Basic"),
    valid("bip340-hash-empty", "a tagged hash of nothing", "BIP340-HASH-01", {"tag": "BIP0340/aux", "message": ""},
          {"hash": sha256(sha256("BIP0340/aux") * 2).hex()}, flags="Basic"),
)  # fmt: skip

SUITE.group(
    "lift_x",
    valid("bip340-lift-generator", "the generator's x lifts to its even y", "BIP340-LIFT-01", {"x": h(G_X)},
          {"y": h(G_Y)}, flags="Basic"),
    valid("bip340-lift-one", "x = 1 lifts to the even one of two roots of 8", "BIP340-LIFT-01", {"x": h(1)},
          {"y": "4218f20ae6c646b363db68605822fb14264ca8d2587fdd6fbc750d587e76a7ee"}, flags="Basic"),
    valid("bip340-lift-two", "x = 2 lifts to the even root, where the usual exponent gives the odd one",
          "BIP340-LIFT-01", {"x": h(2)}, {"y": "66fbe727b2ba09e09f5a98d70a5efce8424c5fa425bbda1c511f860657b8535e"},
          flags="Basic"),
    invalid("bip340-lift-five", "x = 5 is on no point", "BIP340-LIFT-01", {"x": h(5)}, "invalid_public_key",
            flags="NotOnCurve"),
    invalid("bip340-lift-zero", "x = 0 is on no point", "BIP340-LIFT-01", {"x": h(0)}, "invalid_public_key",
            flags="NotOnCurve"),
    invalid("bip340-lift-p", "x = p is not below the field size", "BIP340-LIFT-01", {"x": h(p)}, "invalid_public_key",
            flags="NotReduced"),
    invalid("bip340-lift-p-plus-one", "x = p + 1 is not taken modulo p", "BIP340-LIFT-01", {"x": h(p + 1)},
            "invalid_public_key", flags="NotReduced"),
)  # fmt: skip


def signature(role: str, message: bytes, aux_rand: bytes) -> bytes:
    return secret(role).sign(message, aux_rand)


def roles_by_parity() -> tuple[str, str]:
    """A role whose point has an even y, and one whose point has an odd y."""
    parity = {}
    for role in ("alice", "bob", "carol", "dave", "erin", "frank"):
        point = bip340.point_mul(bip340.G, int.from_bytes(secret_bytes(role), "big"))
        assert point is not None
        parity.setdefault(point[1] % 2, role)
    return parity[0], parity[1]


EVEN, ODD = roles_by_parity()
MESSAGE = sha256("nostrmcp vector message")
AUX_ZERO, AUX_ONES = bytes(32), b"\xff" * 32


def message_with_nonce(odd: bool) -> bytes:
    """The first of some messages whose nonce point, before negation, has an odd or an even y."""
    for counter in range(64):
        message = sha256(f"nostrmcp vector message {counter}")
        d = int.from_bytes(secret_bytes(EVEN), "big")
        t = bytes(
            a ^ b for a, b in zip(d.to_bytes(32, "big"), bip340.tagged_hash("BIP0340/aux", AUX_ZERO), strict=True)
        )
        nonce = bip340.tagged_hash("BIP0340/nonce", t + bytes.fromhex(public(EVEN)) + message)
        point = bip340.point_mul(bip340.G, int.from_bytes(nonce, "big") % n)
        assert point is not None
        if (point[1] % 2 == 1) == odd:
            return message
    raise AssertionError("no such message")


NONCE_EVEN, NONCE_ODD = message_with_nonce(False), message_with_nonce(True)

SUITE.group(
    "schnorr_pubkey",
    valid("bip340-pubkey-one", "the secret key 1 has the generator's x", "BIP340-KEY-01", {"seckey": h(1)},
          {"pubkey": h(G_X)}, flags="Basic"),
    valid("bip340-pubkey-n-minus-one", "the secret key n - 1 has the same x as 1", "BIP340-KEY-01", {"seckey": h(n - 1)},
          {"pubkey": h(G_X)}, flags="OddY"),
    valid("bip340-pubkey-even", "a secret key whose point has an even y", "BIP340-KEY-01",
          {"seckey": secret_bytes(EVEN).hex()}, {"pubkey": public(EVEN)}, flags="Basic"),
    valid("bip340-pubkey-odd", "a secret key whose point has an odd y", "BIP340-KEY-01",
          {"seckey": secret_bytes(ODD).hex()}, {"pubkey": public(ODD)}, flags="OddY"),
    invalid("bip340-seckey-zero", "the secret key 0 is refused", "BIP340-KEY-02", {"seckey": h(0)},
            "invalid_secret_key", flags="BadSecret"),
    invalid("bip340-seckey-n", "the secret key n is refused", "BIP340-KEY-02", {"seckey": h(n)}, "invalid_secret_key",
            flags="BadSecret"),
    invalid("bip340-seckey-all-ones", "the secret key 2^256 - 1 is refused", "BIP340-KEY-02", {"seckey": "ff" * 32},
            "invalid_secret_key", flags="BadSecret"),
    invalid("bip340-seckey-short", "a secret key of 31 bytes is refused", "BIP340-KEY-02", {"seckey": "01" * 31},
            "invalid_secret_key", flags="Length"),
)  # fmt: skip


def nonce_case(id: str, title: str, role: str, message: bytes, aux_rand: bytes, flags: str) -> Any:
    return valid(id, title, "BIP340-SIGN-02",
                 {"seckey": secret_bytes(role).hex(), "message": message.hex(), "aux_rand": aux_rand.hex()},
                 {"r": signature(role, message, aux_rand)[:32].hex()}, flags=flags)  # fmt: skip


def sign_case(id: str, title: str, role: str, message: bytes, aux_rand: bytes, flags: str) -> Any:
    return valid(id, title, "BIP340-SIGN-01",
                 {"seckey": secret_bytes(role).hex(), "message": message.hex(), "aux_rand": aux_rand.hex()},
                 {"signature": signature(role, message, aux_rand).hex()}, flags=flags)  # fmt: skip


SUITE.group(
    "schnorr_nonce",
    nonce_case("bip340-nonce-even-key", "the nonce of a key with even y", EVEN, MESSAGE, AUX_ZERO, "Basic"),
    nonce_case("bip340-nonce-odd-key", "the nonce of a key with odd y uses the negated secret", ODD, MESSAGE, AUX_ZERO,
               "OddY"),
    nonce_case("bip340-nonce-aux-rand", "auxiliary randomness enters the nonce", EVEN, MESSAGE, AUX_ONES, "AuxRand"),
)  # fmt: skip

CHALLENGE_R = signature(EVEN, MESSAGE, AUX_ZERO)[:32]
CHALLENGE = int.from_bytes(
    sha256(sha256("BIP0340/challenge") * 2 + CHALLENGE_R + bytes.fromhex(public(EVEN)) + MESSAGE), "big"
)

SUITE.group(
    "schnorr_challenge",
    valid("bip340-challenge", "the challenge hashes nonce, key and message, modulo n", "BIP340-VERIFY-03",
          {"r": CHALLENGE_R.hex(), "pubkey": public(EVEN), "message": MESSAGE.hex()}, {"challenge": h(CHALLENGE % n)},
          flags="Basic"),
)  # fmt: skip

SUITE.group(
    "schnorr_sign",
    sign_case("bip340-sign-even-key", "a key with even y signs", EVEN, MESSAGE, AUX_ZERO, "Basic"),
    sign_case("bip340-sign-odd-key", "a key with odd y signs with the negated secret", ODD, MESSAGE, AUX_ZERO, "OddY"),
    sign_case("bip340-sign-even-nonce", "a nonce point with even y", EVEN, NONCE_EVEN, AUX_ZERO, "Basic"),
    sign_case("bip340-sign-odd-nonce", "a nonce point with odd y is negated", EVEN, NONCE_ODD, AUX_ZERO, "OddY"),
    sign_case("bip340-sign-aux-rand", "auxiliary randomness of ones", EVEN, MESSAGE, AUX_ONES, "AuxRand"),
    sign_case("bip340-sign-zero-message", "a message of 32 zero bytes", ODD, bytes(32), AUX_ONES, "Basic"),
)  # fmt: skip

GOOD = signature(EVEN, MESSAGE, AUX_ZERO)
R, S = GOOD[:32], GOOD[32:]
ENDS_IN_ZERO = sha256("nostrmcp vector message 17")
assert signature(EVEN, ENDS_IN_ZERO, AUX_ZERO)[63] == 0


def verified(
    id: str, title: str, pubkey: str, message: bytes, sig: str, flags: str, req: str = "BIP340-VERIFY-04"
) -> Any:
    return valid(id, title, req, {"pubkey": pubkey, "message": message.hex(), "signature": sig}, {"valid": True},
                 flags=flags)  # fmt: skip


def refused(id: str, title: str, req: str, pubkey: str, message: bytes, sig: str, error: str, flags: str) -> Any:
    return invalid(id, title, req, {"pubkey": pubkey, "message": message.hex(), "signature": sig}, error, flags=flags)


def forged_with_odd_nonce() -> str:
    """r and s with s G - e P = R where R has r as x but an odd y: right in everything but the parity."""
    d = int.from_bytes(secret_bytes(EVEN), "big")
    point = bip340.point_mul(bip340.G, 7 * d % n)
    assert point is not None
    k = 7 * d % n if point[1] % 2 == 1 else n - 7 * d % n
    e = bip340.challenge(h_bytes(point[0]), bytes.fromhex(public(EVEN)), MESSAGE)
    return h(point[0]) + h((k + e * d) % n)


def h_bytes(number: int) -> bytes:
    return number.to_bytes(32, "big")


def forged_at_infinity() -> str:
    """s = e d, so that s G - e P is the point at infinity; r = 0."""
    d = int.from_bytes(secret_bytes(EVEN), "big")
    e = bip340.challenge(bytes(32), bytes.fromhex(public(EVEN)), MESSAGE)
    return h(0) + h(e * d % n)


def long_message_signature() -> bytes:
    return bip340.sign(b"nostr" * 20, secret_bytes(EVEN), AUX_ZERO)


SUITE.group(
    "schnorr_verify",
    verified("bip340-verify", "a signature verifies", public(EVEN), MESSAGE, GOOD.hex(), "Basic"),
    verified("bip340-verify-odd-key", "a signature by a key with odd y verifies", public(ODD), MESSAGE,
             signature(ODD, MESSAGE, AUX_ONES).hex(), "OddY"),
    verified("bip340-verify-long-message", "a message of 100 bytes verifies", public(EVEN), b"nostr" * 20,
             long_message_signature().hex(), "MessageLength"),
    verified("bip340-verify-empty-message", "the empty message verifies", public(EVEN), b"",
             bip340.sign(b"", secret_bytes(EVEN), AUX_ZERO).hex(), "MessageLength"),
    refused("bip340-verify-other-message", "another message", "BIP340-VERIFY-03", public(EVEN), sha256("other"),
            GOOD.hex(), "invalid_signature", "Tampered"),
    refused("bip340-verify-other-key", "another key", "BIP340-VERIFY-03", public(ODD), MESSAGE, GOOD.hex(),
            "invalid_signature", "Tampered"),
    refused("bip340-verify-negated-s", "s negated", "BIP340-VERIFY-04", public(EVEN), MESSAGE,
            R.hex() + h(n - int.from_bytes(S, "big")), "invalid_signature", "Tampered"),
    refused("bip340-verify-s-plus-n", "s = n is not below the group order", "BIP340-VERIFY-02", public(EVEN), MESSAGE,
            R.hex() + h(n), "invalid_signature", "NotReduced"),
    refused("bip340-verify-s-all-ones", "s = 2^256 - 1", "BIP340-VERIFY-02", public(EVEN), MESSAGE, R.hex() + "ff" * 32,
            "invalid_signature", "NotReduced"),
    refused("bip340-verify-r-is-p", "r = p", "BIP340-VERIFY-02", public(EVEN), MESSAGE, h(p) + S.hex(),
            "invalid_signature", "NotReduced"),
    refused("bip340-verify-r-not-on-curve", "r that no point has", "BIP340-VERIFY-04", public(EVEN), MESSAGE,
            h(5) + S.hex(), "invalid_signature", "NotOnCurve"),
    refused("bip340-verify-odd-nonce", "the nonce point has an odd y", "BIP340-VERIFY-04", public(EVEN), MESSAGE,
            forged_with_odd_nonce(), "invalid_signature", "WrongY"),
    refused("bip340-verify-infinity", "the nonce point is at infinity, r = 0", "BIP340-VERIFY-04", public(EVEN),
            MESSAGE, forged_at_infinity(), "invalid_signature", "Infinity"),
    refused("bip340-verify-zeros", "a signature of zeros", "BIP340-VERIFY-04", public(EVEN), MESSAGE, "00" * 64,
            "invalid_signature", "Tampered"),
    refused("bip340-verify-key-not-on-curve", "a key that is on no point", "BIP340-VERIFY-01", h(5), MESSAGE,
            GOOD.hex(), "invalid_public_key", "NotOnCurve"),
    refused("bip340-verify-key-above-p", "a key that is not below p", "BIP340-VERIFY-01", h(p + 1), MESSAGE,
            GOOD.hex(), "invalid_public_key", "NotReduced"),
    refused("bip340-verify-short-signature", "a signature of 63 bytes, whose 64th was zero", "BIP340-VERIFY-02",
            public(EVEN), ENDS_IN_ZERO, signature(EVEN, ENDS_IN_ZERO, AUX_ZERO)[:63].hex(), "invalid_signature", "Length"),
    refused("bip340-verify-long-signature", "a signature of 65 bytes", "BIP340-VERIFY-02", public(EVEN), MESSAGE,
            GOOD.hex() + "01", "invalid_signature", "Length"),
)  # fmt: skip
