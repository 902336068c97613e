"""Secret and public keys on libsecp256k1: fast and constant-time. `bip340` is the same thing to read."""

from __future__ import annotations

from functools import lru_cache
from typing import NoReturn

from .errors import ErrorClass, LocalProtocolError, Violation
from .libsecp256k1 import Handle, curve


class PublicKey:
    """An x-only public key, parsed once and reusable (BIP340-VERIFY-01). `x` is its 32 bytes."""

    __slots__ = ("_handle", "x")

    def __init__(self, x: bytes) -> None:
        if len(x) != 32:
            raise LocalProtocolError(ErrorClass.INVALID_PUBLIC_KEY, "a public key is 32 bytes")
        handle = curve.load_public(x)
        if handle is None:
            raise Violation(ErrorClass.INVALID_PUBLIC_KEY, "public key", "no point of the curve has this x coordinate")
        self.x = x
        self._handle = handle

    @classmethod
    def _of(cls, handle: Handle) -> PublicKey:
        """The key behind a handle, without looking for its point again."""
        key = cls.__new__(cls)
        key.x = curve.x_of(handle)
        key._handle = handle
        return key

    def hex(self) -> str:
        return self.x.hex()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PublicKey) and self.x == other.x

    def __hash__(self) -> int:
        return hash(self.x)

    def __repr__(self) -> str:
        return f"PublicKey({self.x.hex()})"

    def verify(self, message: bytes, signature: bytes) -> bool:
        """Whether this key made the signature, never an exception (BIP340-VERIFY-02 to BIP340-VERIFY-04)."""
        return len(signature) == 64 and curve.verify(self._handle, message, signature)


@lru_cache(maxsize=4096)
def public_key(x: bytes) -> PublicKey:
    """The key at `x` from a bounded store of recent ones, because parsing one costs an eighth of a verification."""
    return PublicKey(x)


class SecretKey:
    """A secret key of 32 bytes from 1 to n - 1 (BIP340-KEY-01, BIP340-KEY-02).

    It can be used and, when asked for by name, revealed, but never printed, compared or pickled.
    """

    __slots__ = ("_pair", "_secret", "public_key")

    def __init__(self, secret: bytes) -> None:
        pair = curve.load_secret(secret) if isinstance(secret, bytes) and len(secret) == 32 else None
        if pair is None:
            raise LocalProtocolError(ErrorClass.INVALID_SECRET_KEY, "a secret key is 32 bytes from 1 to n - 1")
        self._secret = secret
        self._pair = pair
        self.public_key = PublicKey._of(curve.public_of(pair))

    def reveal(self) -> bytes:
        """The 32 secret bytes, for whoever stores them. Python cannot promise to wipe copies from memory."""
        return self._secret

    def __repr__(self) -> str:
        return f"SecretKey(of {self.public_key.hex()})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a SecretKey is not pickled or copied")

    def sign(self, message: bytes, aux_rand: bytes) -> bytes:
        """BIP-340 signature of 32 bytes, with 32 bytes of fresh randomness from the caller (BIP340-SIGN-01).

        The signature is not verified again before it is returned: BIP-340 suggests that against faulty hardware, at
        twice the cost.
        """
        if len(message) != 32 or len(aux_rand) != 32:
            raise LocalProtocolError(ErrorClass.INVALID_SIGNATURE, "message and auxiliary randomness are 32 bytes each")
        return curve.sign(self._pair, message, aux_rand)

    def shared_x(self, peer: PublicKey) -> bytes:
        """Unhashed ECDH: the x coordinate of the shared point, as NIP-44 needs it (NIP44-KEY-01)."""
        return curve.shared_x(self._secret, peer._handle)
