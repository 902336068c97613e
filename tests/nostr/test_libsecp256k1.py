from __future__ import annotations

import sys
from types import SimpleNamespace

import coincurve
import pytest
from coincurve.keys import ffi, lib  # bound before --public-api hides the module they come from
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.nostr import bip340, libsecp256k1
from nostrmcp.nostr.libsecp256k1 import Direct, PublicAPI
from tests.nostr.strategies import OFF_CURVE, bytes32, share

CONTEXT = coincurve.GLOBAL_CONTEXT.ctx
BINDINGS = "coincurve._libsecp256k1"
DIRECT = Direct(ffi, lib, CONTEXT)
PUBLIC_API = PublicAPI()
both = pytest.mark.parametrize("curve", [DIRECT, PUBLIC_API], ids=["direct", "public API"])

secrets = st.integers(1, bip340.n - 1).map(bip340.bytes_from_int)


def test_the_option_decides_which_way_is_tested(public_api):
    assert type(libsecp256k1.curve) is (PublicAPI if public_api else Direct)


@both
def test_both_ways_give_the_known_answers(curve):
    assert libsecp256k1.works(curve) is True


@both
@pytest.mark.parametrize("secret", [bytes(32), bip340.bytes_from_int(bip340.n), b"\xff" * 32])
def test_a_secret_out_of_range_is_none(curve, secret):
    assert curve.load_secret(secret) is None


@both
@pytest.mark.parametrize("x", [OFF_CURVE, bip340.bytes_from_int(bip340.p), b"\xff" * 32, bytes(32)])
def test_an_x_without_a_point_is_none(curve, x):
    assert curve.load_public(x) is None


@both
def test_vector_1_of_the_bip(curve):
    pair = curve.load_secret(bytes.fromhex("b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef"))
    message = bytes.fromhex("243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89")
    signature = bytes.fromhex(
        "6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de3341"
        "8906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a"
    )
    public = curve.x_of(curve.public_of(pair))
    assert public.hex() == "dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659"
    assert curve.sign(pair, message, bip340.bytes_from_int(1)) == signature
    assert curve.verify(curve.load_public(public), message, signature) is True


@share(2)
@given(secrets, secrets, bytes32, bytes32, st.integers(0, 8 * 64 - 1))
def test_both_ways_agree(one, other, message, aux_rand, bit):
    direct, public_api = DIRECT.load_secret(one), PUBLIC_API.load_secret(one)
    x = DIRECT.x_of(DIRECT.public_of(direct))
    assert PUBLIC_API.x_of(PUBLIC_API.public_of(public_api)) == x
    signature = DIRECT.sign(direct, message, aux_rand)
    assert PUBLIC_API.sign(public_api, message, aux_rand) == signature
    changed = (int.from_bytes(signature, "big") ^ 1 << bit).to_bytes(64, "big")
    for curve in (DIRECT, PUBLIC_API):
        public = curve.load_public(x)
        assert curve.verify(public, message, signature) is True
        assert curve.verify(public, message, changed) is False
        assert curve.verify(public, message + b"\0", signature) is False
    shared = set()
    for curve in (DIRECT, PUBLIC_API):
        peer = curve.public_of(curve.load_secret(other))
        shared |= {curve.shared_x(one, peer), curve.shared_x(one, curve.load_public(curve.x_of(peer)))}
    assert len(shared) == 1


@given(bytes32)
def test_both_ways_agree_on_what_is_a_key(number):
    assert (DIRECT.load_secret(number) is None) == (PUBLIC_API.load_secret(number) is None)
    assert (DIRECT.load_public(number) is None) == (PUBLIC_API.load_public(number) is None)


# The choice


class Altered:
    """An object that behaves like another but for the attributes given; an attribute given as None is missing."""

    def __init__(self, real, **altered):
        self._real = real
        self._altered = altered

    def __getattr__(self, name):
        if name not in self._altered:
            return getattr(self._real, name)
        if self._altered[name] is None:
            raise AttributeError(name)
        return self._altered[name]


def raises(*_arguments):
    raise RuntimeError("not as expected")


def sign_wrongly(context, output, *rest):
    result = lib.secp256k1_schnorrsig_sign32(context, output, *rest)
    output[63] ^= 1
    return result


def name_another_key(_context, output, _public):
    ffi.memmove(output, bytes(32), 32)
    return 1


def multiply_wrongly(_context, output, *_rest):
    ffi.memmove(output, b"\7" * 32, 32)
    return 1


def forget_the_scalar(context, output, point, _secret, *rest):
    return lib.secp256k1_ecdh(context, output, point, bip340.bytes_from_int(1), *rest)


def write_nothing(*_arguments):
    return 1


FAULTY_LIBRARIES = {
    "signs wrongly": {"secp256k1_schnorrsig_sign32": sign_wrongly},
    "signs nothing": {"secp256k1_schnorrsig_sign32": write_nothing},
    "accepts every signature": {"secp256k1_schnorrsig_verify": lambda *_: 1},
    "accepts no signature": {"secp256k1_schnorrsig_verify": lambda *_: 0},
    "accepts zero as a secret": {"secp256k1_keypair_create": write_nothing},
    "accepts no secret": {"secp256k1_keypair_create": lambda *_: 0},
    "accepts no public key": {"secp256k1_ec_pubkey_parse": lambda *_: 0},
    "names another public key": {"secp256k1_xonly_pubkey_serialize": name_another_key},
    "multiplies wrongly": {"secp256k1_ecdh": multiply_wrongly},
    "multiplies by one whatever the secret": {"secp256k1_ecdh": forget_the_scalar},
    "multiplies nothing": {"secp256k1_ecdh": write_nothing},
    "fails to sign": {"secp256k1_schnorrsig_sign32": raises},
    "fails to verify": {"secp256k1_schnorrsig_verify": raises},
    "fails to multiply": {"secp256k1_ecdh": raises},
    "lacks a function needed at once": {"secp256k1_schnorrsig_sign32": None},
    "lacks a function needed later": {"secp256k1_ecdh": None},
}


@pytest.mark.parametrize("altered", FAULTY_LIBRARIES.values(), ids=FAULTY_LIBRARIES.keys())
def test_a_library_with_a_fault_is_not_used(monkeypatch, altered):
    monkeypatch.setitem(sys.modules, BINDINGS, SimpleNamespace(ffi=ffi, lib=Altered(lib, **altered)))
    assert type(libsecp256k1.choose()) is PublicAPI


@pytest.mark.parametrize("altered", [{"new": raises}, {"new": None}, {"callback": raises}, {"buffer": raises}])
def test_an_interface_with_a_fault_is_not_used(monkeypatch, altered):
    monkeypatch.setitem(sys.modules, BINDINGS, SimpleNamespace(ffi=Altered(ffi, **altered), lib=lib))
    assert type(libsecp256k1.choose()) is PublicAPI


@pytest.mark.parametrize("module", [None, SimpleNamespace(), SimpleNamespace(ffi=ffi), SimpleNamespace(lib=lib)])
def test_missing_bindings_are_not_used(monkeypatch, module):
    monkeypatch.setitem(sys.modules, BINDINGS, module)
    assert type(libsecp256k1.choose()) is PublicAPI


def test_a_missing_context_is_not_used(monkeypatch):
    monkeypatch.setitem(sys.modules, BINDINGS, SimpleNamespace(ffi=ffi, lib=lib))
    monkeypatch.delattr(coincurve, "GLOBAL_CONTEXT")
    assert type(libsecp256k1.choose()) is PublicAPI


def test_bindings_without_a_fault_are_used(monkeypatch):
    monkeypatch.setitem(sys.modules, BINDINGS, SimpleNamespace(ffi=ffi, lib=Altered(lib)))
    assert type(libsecp256k1.choose()) is Direct


class WrongCurve(PublicAPI):
    """The public API with one wrong answer."""

    def __init__(self, **answers):
        for name, answer in answers.items():
            setattr(self, name, lambda *_, answer=answer: answer)


@pytest.mark.parametrize(
    "answers",
    [
        {"load_secret": PUBLIC_API.load_secret(bip340.bytes_from_int(3))},
        {"x_of": bytes(32)},
        {"sign": bytes(64)},
        {"verify": True},
        {"verify": False},
        {"shared_x": bytes(32)},
    ],
    ids=lambda answers: next(iter(answers)),
)
def test_works_is_false_for_each_wrong_answer(answers):
    assert libsecp256k1.works(WrongCurve(**answers)) is False
