"""Project Wycheproof's cases for what NIP-44 is made of: ECDH, HMAC, HKDF and ChaCha20.

Our keys are x coordinates, and the x coordinate of a product does not depend on the sign of y. So a case maps to
`SecretKey.shared_x` if it gives the point itself; cases about the encoding around a point (ASN.1, curve parameters,
other curves) have nothing here to be about. Each file's cases are sorted into groups whose sizes are asserted.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from nostrmcp.nostr import bip340, nip44, openssl
from nostrmcp.nostr.errors import ErrorClass, Violation
from nostrmcp.nostr.keys import PublicKey, SecretKey
from tests.official import data

unhex = bytes.fromhex

# SubjectPublicKeyInfo of secp256k1, up to the point.
UNCOMPRESSED = unhex("3056301006072a8648ce3d020106052b8104000a03420004")
COMPRESSED = unhex("3036301006072a8648ce3d020106052b8104000a032200")


def cases(path: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every (group, case) of a file, which must hold as many as it says."""
    content = data.read_json(path)
    assert sum(len(group["tests"]) for group in content["testGroups"]) == content["numberOfTests"]
    for group in content["testGroups"]:
        for case in group["tests"]:
            yield group, case


def point_of_der(public: bytes) -> tuple[bytes, bytes | None] | None:
    """x and, if it is given, y of a plainly encoded point; None if the case is about anything around it."""
    if public.startswith(UNCOMPRESSED) and len(public) == len(UNCOMPRESSED) + 64:
        return public[-64:-32], public[-32:]
    if public.startswith((COMPRESSED + b"\2", COMPRESSED + b"\3")) and len(public) == len(COMPRESSED) + 33:
        return public[-32:], None
    return None


def judge_ecdh(case: dict[str, Any], secret: bytes, point: tuple[bytes, bytes | None]) -> str:
    """Which group a case with a plain point belongs to, its result checked."""
    x, y = point
    lifted = bip340.lift_x(int.from_bytes(x, "big"))
    if lifted is None:
        assert case["result"] == "invalid", case
        with pytest.raises(Violation) as refusal:
            PublicKey(x)
        assert refusal.value.error_class is ErrorClass.INVALID_PUBLIC_KEY, case
        return "refused: no point has this x"
    if y is not None and int.from_bytes(y, "big") not in (lifted[1], bip340.p - lifted[1]):
        assert case["result"] in ("invalid", "acceptable"), case
        return "not expressible: x is on the curve, y is wrong"
    assert case["result"] in ("valid", "acceptable"), case
    assert SecretKey(secret).shared_x(PublicKey(x)).hex() == case["shared"], case
    return f"shared x: {case['result']}"


def test_ecdh_with_der_keys() -> None:
    judged: Counter[str] = Counter()
    for _, case in cases("wycheproof/ecdh_secp256k1_test.json"):
        point = point_of_der(unhex(case["public"]))
        if point is None:
            assert case["result"] != "valid", case
            judged[f"not expressible: encoding, {case['result']}"] += 1
        else:
            secret = int(case["private"], 16).to_bytes(32, "big")
            judged[judge_ecdh(case, secret, point)] += 1
    assert judged == {
        "shared x: valid": 473,
        "shared x: acceptable": 1,
        "refused: no point has this x": 16,
        "not expressible: x is on the curve, y is wrong": 6,
        "not expressible: encoding, acceptable": 228,
        "not expressible: encoding, invalid": 28,
    }


def test_ecdh_with_json_web_keys() -> None:
    judged: Counter[str] = Counter()
    for _, case in cases("wycheproof/ecdh_secp256k1_webcrypto_test.json"):
        public = case["public"]
        if public["crv"] != "P-256K":
            assert case["result"] == "invalid", case
            judged["not expressible: another curve"] += 1
            continue
        x, y, secret = (urlsafe_b64decode(text + "=") for text in (public["x"], public["y"], case["private"]["d"]))
        judged[judge_ecdh(case, secret, (x, y))] += 1
    assert judged == {
        "shared x: valid": 473,
        "refused: no point has this x": 13,
        "not expressible: x is on the curve, y is wrong": 5,
        "not expressible: another curve": 5,
    }


def test_hmac() -> None:
    judged: Counter[str] = Counter()
    for group, case in cases("wycheproof/hmac_sha256_test.json"):
        tag = hmac.digest(unhex(case["key"]), unhex(case["msg"]), "sha256")[: group["tagSize"] // 8]
        assert hmac.compare_digest(tag, unhex(case["tag"])) is (case["result"] == "valid"), case
        judged[case["result"]] += 1
    assert judged == {"valid": 66, "invalid": 108}


def extract(salt: bytes, key_material: bytes) -> bytes:
    """HKDF-extract of RFC 5869, made of the primitive that nip44 makes it of."""
    return hmac.digest(salt, key_material, "sha256")


def expand(key: bytes, info: bytes, length: int) -> bytes:
    """HKDF-expand of RFC 5869, for any length where nip44 needs 76 bytes."""
    if length > 255 * 32:
        raise ValueError("more than 255 blocks")
    output = block = b""
    for counter in range(1, -(-length // 32) + 1):
        block = hmac.digest(key, block + info + bytes((counter,)), "sha256")
        output += block
    return output[:length]


def test_hkdf() -> None:
    judged: Counter[str] = Counter()
    for _, case in cases("wycheproof/hkdf_sha256_test.json"):
        key = extract(unhex(case["salt"]), unhex(case["ikm"]))
        info, size = unhex(case["info"]), case["size"]
        if case["result"] == "invalid":
            with pytest.raises(ValueError, match="255 blocks"):
                expand(key, info, size)
        else:
            assert expand(key, info, size).hex() == case["okm"], case
        # nip44 expands in one shape only: a nonce of 32 bytes as info, 76 bytes cut in three.
        nonce = (info + bytes(32))[:32]
        assert b"".join(nip44.get_message_keys(key, nonce)) == expand(key, nonce, 76), case
        judged[case["result"]] += 1
    assert judged == {"valid": 83, "invalid": 3}


def test_conversation_keys_are_hkdf_extracts_of_shared_x_coordinates() -> None:
    judged = 0
    for _, case in cases("wycheproof/ecdh_secp256k1_webcrypto_test.json"):
        if case["result"] == "valid":
            secret = SecretKey(urlsafe_b64decode(case["private"]["d"] + "="))
            public = PublicKey(urlsafe_b64decode(case["public"]["x"] + "="))
            expected = extract(b"nip44-v2", unhex(case["shared"]))
            assert nip44.get_conversation_key(secret, public) == expected, case
            judged += 1
    assert judged == 473


def test_chacha20() -> None:
    """An AEAD ciphertext is ChaCha20 from block 1, and ours starts at block 0: 64 bytes are put before and cut off."""
    judged: Counter[str] = Counter()
    for group, case in cases("wycheproof/chacha20_poly1305_test.json"):
        key, nonce, message = unhex(case["key"]), unhex(case["iv"]), unhex(case["msg"])
        if group["ivSize"] != 96:
            with pytest.raises(ValueError):
                openssl.chacha20(key, nonce, message)
            judged["refused: nonce size"] += 1
        elif case["result"] == "invalid":
            assert case["flags"] == ["ModifiedTag"], case
            judged["not expressible: the authentication tag"] += 1
        else:
            ciphertext = unhex(case["ct"])
            assert openssl.chacha20(key, nonce, bytes(64) + message)[64:] == ciphertext, case
            assert openssl.chacha20(key, nonce, bytes(64) + ciphertext)[64:] == message, case
            judged["valid"] += 1
    assert judged == {
        "valid": 256,
        "refused: nonce size": 9,
        "not expressible: the authentication tag": 60,
    }
