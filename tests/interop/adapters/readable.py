"""This package without its C libraries: an adapter for the conformance runner, and the other half of a differential.

    nostrmcp conformance run --testee 'cmd:python tests/interop/adapters/readable.py' --suite bip340 --suite nip44

The curve is `bip340`, integers that one can read; ChaCha20 and HKDF are written below from RFC 8439 and RFC 5869; JSON
goes through the readable halves of `strict_json`. coincurve, cryptography and orjson cannot be imported here at all, so
where the vectors pass, two implementations of every primitive agree on them. Slow, and not constant-time.
"""

from __future__ import annotations

import hmac
import json
import struct
import sys
from itertools import count
from types import ModuleType
from typing import Any

MASK = 0xFFFFFFFF


def quarter_round(state: list[int], a: int, b: int, c: int, d: int) -> None:
    """RFC 8439, section 2.1."""
    for x, y, z, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[x] = (state[x] + state[y]) & MASK
        state[z] ^= state[x]
        state[z] = (state[z] << turn | state[z] >> (32 - turn)) & MASK


def chacha20_block(key: bytes, counter: int, nonce: bytes) -> bytes:
    """RFC 8439, section 2.3."""
    first = [*struct.unpack("<4I", b"expand 32-byte k"), *struct.unpack("<8I", key), counter]
    first += struct.unpack("<3I", nonce)
    state = list(first)
    for _ in range(10):
        for column in range(4):
            quarter_round(state, column, column + 4, column + 8, column + 12)
        for column in range(4):
            quarter_round(state, column, (column + 1) % 4 + 4, (column + 2) % 4 + 8, (column + 3) % 4 + 12)
    return struct.pack("<16I", *((one + other) & MASK for one, other in zip(state, first, strict=True)))


def chacha20(key: bytes, nonce: bytes, data: bytes) -> bytes:
    """RFC 8439, section 2.4, from block 0."""
    blocks = (data[start : start + 64] for start in range(0, len(data), 64))
    return b"".join(
        bytes(one ^ other for one, other in zip(block, chacha20_block(key, number, nonce), strict=False))
        for number, block in zip(count(), blocks, strict=False)
    )


def hkdf_expand(key: bytes, info: bytes, length: int) -> bytes:
    """RFC 5869, section 2.3."""
    output = previous = b""
    for number in range(1, -(-length // 32) + 1):
        previous = hmac.digest(key, previous + info + bytes([number]), "sha256")
        output += previous
    return output[:length]


class ReadableCurve:
    """`nostrmcp.nostr.libsecp256k1.Curve` on `bip340`: a key pair is its secret, a public key its x coordinate."""

    def load_secret(self, secret: bytes) -> bytes | None:
        from nostrmcp.nostr import bip340

        return secret if 1 <= bip340.int_from_bytes(secret) < bip340.n else None

    def public_of(self, pair: bytes) -> bytes:
        from nostrmcp.nostr import bip340

        return bip340.pubkey_gen(pair)

    def sign(self, pair: bytes, message: bytes, aux_rand: bytes) -> bytes:
        from nostrmcp.nostr import bip340

        return bip340.sign(message, pair, aux_rand)

    def load_public(self, x: bytes) -> bytes | None:
        from nostrmcp.nostr import bip340

        return x if bip340.lift_x(bip340.int_from_bytes(x)) else None

    def x_of(self, public: bytes) -> bytes:
        return public

    def verify(self, public: bytes, message: bytes, signature: bytes) -> bool:
        from nostrmcp.nostr import bip340

        return bip340.verify(message, public, signature)

    def shared_x(self, secret: bytes, public: bytes) -> bytes:
        from nostrmcp.nostr import bip340

        point = bip340.point_mul(bip340.lift_x(bip340.int_from_bytes(public)), bip340.int_from_bytes(secret))
        assert point is not None
        return bip340.bytes_from_int(point[0])


def no_loads(data: bytes) -> Any:
    raise json.JSONDecodeError("read it slowly", "", 0)


def no_dumps(value: Any) -> bytes:
    raise TypeError("write it slowly")


def stand_in(name: str, **members: Any) -> None:
    module = ModuleType(name)
    vars(module).update(members)
    sys.modules[name] = module


def main() -> int:
    for library in ("coincurve", "cryptography"):
        sys.modules[library] = None  # type: ignore[assignment]
    # An orjson that can do nothing, whose user then takes the readable way.
    stand_in("orjson", loads=no_loads, dumps=no_dumps, JSONDecodeError=json.JSONDecodeError)
    stand_in("nostrmcp.nostr.libsecp256k1", curve=ReadableCurve(), Handle=Any)
    stand_in("nostrmcp.nostr.openssl", chacha20=chacha20, hkdf_expand=hkdf_expand)

    from dataclasses import replace

    from nostrmcp.conformance import adapter

    given, taken, sys.stdout = sys.stdin.buffer, sys.stdout.buffer, sys.stderr
    adapter.serve(replace(adapter.own(), name="nostrmcp, the readable half"), given, taken)
    return 0


if __name__ == "__main__":
    sys.exit(main())
