from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.nostr import bip340, openssl
from tests.nostr.strategies import SECRET_KEYS, bytes32, share


def test_chacha20_gives_the_keystream_of_rfc_8439():
    # Appendix A.1, test vectors 1 and 2: key and nonce of zeros, blocks 0 and 1.
    blocks = bytes.fromhex(
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
        "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"
    )
    assert openssl.chacha20(bytes(32), bytes(12), bytes(128)) == blocks


@given(bytes32, st.binary(min_size=12, max_size=12), st.binary(max_size=200))
def test_chacha20_is_its_own_inverse(key, nonce, data):
    assert openssl.chacha20(key, nonce, openssl.chacha20(key, nonce, data)) == data


@pytest.mark.slow
@share(10)
@given(st.sampled_from(SECRET_KEYS), st.sampled_from(SECRET_KEYS))
def test_ecdh_is_the_multiplication_of_a_point(own, peer):
    point = bip340.point_mul(
        bip340.lift_x(int.from_bytes(peer.public_key.x, "big")), int.from_bytes(own.reveal(), "big")
    )
    assert openssl.ecdh_x(own.reveal(), peer.public_key.x) == bip340.bytes_from_int(point[0])
