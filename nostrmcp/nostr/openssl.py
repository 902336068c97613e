"""The primitives taken from OpenSSL: the only module that imports cryptography."""

from __future__ import annotations

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand


def chacha20(key: bytes, nonce: bytes, data: bytes) -> bytes:
    """RFC 8439 ChaCha20 with a 12-byte nonce, starting at block 0; encrypts and decrypts alike."""
    return Cipher(ChaCha20(key, b"\0\0\0\0" + nonce), mode=None).encryptor().update(data)


def hkdf_expand(key: bytes, info: bytes, length: int) -> bytes:
    """RFC 5869 HKDF-expand with SHA-256."""
    return HKDFExpand(SHA256(), length, info).derive(key)


def ecdh_x(secret: bytes, x: bytes) -> bytes:
    """The x coordinate of `secret` times the point with even y at `x`, which is known to exist."""
    from cryptography.hazmat.primitives.asymmetric import ec

    private = ec.derive_private_key(int.from_bytes(secret, "big"), ec.SECP256K1())
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256K1(), b"\x02" + x)
    return private.exchange(ec.ECDH(), public)
