"""libsecp256k1, the constant-time library, through coincurve: the only module that imports coincurve.

Two ways in, with one interface. `Direct` calls the C functions that coincurve carries and keeps the key pair between
calls: four times as fast to sign as coincurve's own front door, which rebuilds the key pair and verifies every
signature. Those bindings are private to coincurve, so they are tried out at import, and `PublicAPI` takes their place
if anything about them is not as expected.
"""

from __future__ import annotations

from typing import Any, Protocol

import coincurve

from .openssl import ecdh_x

Handle = Any


class Curve(Protocol):
    """What `keys` needs of the curve. Lengths are checked by the caller: C reads what it is told to read."""

    def load_secret(self, secret: bytes) -> Handle | None:
        """A key pair, or None if `secret` (32 bytes) is 0 or not below n."""

    def public_of(self, pair: Handle) -> Handle:
        """The pair's public key."""

    def sign(self, pair: Handle, message: bytes, aux_rand: bytes) -> bytes:
        """BIP-340 signature of a 32-byte message with 32 bytes of auxiliary randomness."""

    def load_public(self, x: bytes) -> Handle | None:
        """A public key, or None if no point has this x coordinate (32 bytes)."""

    def x_of(self, public: Handle) -> bytes:
        """The x coordinate of a public key."""

    def verify(self, public: Handle, message: bytes, signature: bytes) -> bool:
        """Whether a 64-byte signature verifies."""

    def shared_x(self, secret: bytes, public: Handle) -> bytes:
        """The x coordinate of `secret` times the public key."""


class PublicAPI:
    """Curve on what coincurve documents. ECDH is OpenSSL's: coincurve hashes its own, and its point multiplication is
    not constant-time."""

    def load_secret(self, secret: bytes) -> coincurve.PrivateKey | None:
        try:
            return coincurve.PrivateKey(secret)
        except ValueError:
            return None

    def public_of(self, pair: coincurve.PrivateKey) -> coincurve.PublicKeyXOnly:
        return pair.public_key_xonly

    def sign(self, pair: coincurve.PrivateKey, message: bytes, aux_rand: bytes) -> bytes:
        return pair.sign_schnorr(message, aux_rand)

    def load_public(self, x: bytes) -> coincurve.PublicKeyXOnly | None:
        try:
            return coincurve.PublicKeyXOnly(x)
        except ValueError:
            return None

    def x_of(self, public: coincurve.PublicKeyXOnly) -> bytes:
        return public.format()

    def verify(self, public: coincurve.PublicKeyXOnly, message: bytes, signature: bytes) -> bool:
        return public.verify(signature, message)

    def shared_x(self, secret: bytes, public: coincurve.PublicKeyXOnly) -> bytes:
        return ecdh_x(secret, public.format())


class Direct:
    """Curve on the C functions themselves.

    A public key is kept in both forms, x-only to verify and as a point for ECDH: finding the point is a square root.
    """

    def __init__(self, ffi: Any, lib: Any, context: Any) -> None:
        self._new = ffi.new
        self._buffer = ffi.buffer
        self._null = ffi.NULL
        self._context = context
        self._lib = lib
        self._sign32 = lib.secp256k1_schnorrsig_sign32
        self._verify = lib.secp256k1_schnorrsig_verify

        @ffi.callback("int(unsigned char *, unsigned char *, unsigned char *, void *)")  # type: ignore[untyped-decorator]
        def keep_x(output: Any, x: Any, _y: Any, _data: Any) -> int:
            ffi.memmove(output, x, 32)
            return 1

        self._keep_x = keep_x

    def load_secret(self, secret: bytes) -> Handle | None:
        pair = self._new("secp256k1_keypair *")
        return pair if self._lib.secp256k1_keypair_create(self._context, pair, secret) else None

    def public_of(self, pair: Handle) -> Handle:
        point = self._new("secp256k1_pubkey *")
        self._lib.secp256k1_keypair_pub(self._context, point, pair)
        return self._both_forms(point)

    def sign(self, pair: Handle, message: bytes, aux_rand: bytes) -> bytes:
        output = self._new("unsigned char[64]")
        self._sign32(self._context, output, message, pair, aux_rand)
        return bytes(self._buffer(output))

    def load_public(self, x: bytes) -> Handle | None:
        point = self._new("secp256k1_pubkey *")
        found = self._lib.secp256k1_ec_pubkey_parse(self._context, point, b"\x02" + x, 33)
        return self._both_forms(point) if found else None

    def _both_forms(self, point: Any) -> Handle:
        x_only = self._new("secp256k1_xonly_pubkey *")
        self._lib.secp256k1_xonly_pubkey_from_pubkey(self._context, x_only, self._null, point)
        return x_only, point

    def x_of(self, public: Handle) -> bytes:
        output = self._new("unsigned char[32]")
        self._lib.secp256k1_xonly_pubkey_serialize(self._context, output, public[0])
        return bytes(self._buffer(output))

    def verify(self, public: Handle, message: bytes, signature: bytes) -> bool:
        return bool(self._verify(self._context, signature, message, len(message), public[0]))

    def shared_x(self, secret: bytes, public: Handle) -> bytes:
        # The point may have an odd y if it came from a key pair: the product's x is the same for either sign.
        output = self._new("unsigned char[32]")
        self._lib.secp256k1_ecdh(self._context, output, public[1], secret, self._keep_x, self._null)
        return bytes(self._buffer(output))


def works(curve: Curve) -> bool:
    """Whether a curve gives known answers: BIP-340's test vector 0, ECDH of 2 and G, and None for what is no key."""
    secret = (3).to_bytes(32, "big")
    public = bytes.fromhex("f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9")
    signature = bytes.fromhex(
        "e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca8215"
        "25f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0"
    )
    generator = bytes.fromhex("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
    doubled = bytes.fromhex("c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5")
    pair = curve.load_secret(secret)
    loaded = curve.load_public(public)
    return (
        curve.load_secret(bytes(32)) is None
        and curve.x_of(curve.public_of(pair)) == public
        and curve.sign(pair, bytes(32), bytes(32)) == signature
        and curve.verify(loaded, bytes(32), signature)
        and not curve.verify(loaded, bytes(31) + b"\1", signature)
        and curve.load_public((5).to_bytes(32, "big")) is None
        and curve.shared_x((2).to_bytes(32, "big"), curve.load_public(generator)) == doubled
    )


def choose() -> Curve:
    """`Direct` if coincurve's bindings are there and give known answers, else `PublicAPI`."""
    try:
        from coincurve._libsecp256k1 import ffi, lib

        direct = Direct(ffi, lib, coincurve.GLOBAL_CONTEXT.ctx)
        if works(direct):
            return direct
    except Exception:  # private bindings may be missing or differ in any way
        return PublicAPI()
    return PublicAPI()


curve = choose()
