from __future__ import annotations

import dataclasses
import json
import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.nostr import nip19, nip44, nip59
from nostrmcp.nostr.errors import ErrorClass, Violation
from nostrmcp.nostr.event import Event, UnsignedEvent
from nostrmcp.nostr.keys import SecretKey
from tests.nostr.strategies import (
    ALICE,
    BOB,
    CAROL,
    OFF_CURVE,
    SECRET_KEYS,
    almost_events,
    as_json,
    bytes32,
    damaged,
    json_values,
    misused,
    outcome,
    refused,
    seeds,
    signed,
    signed_events,
    spell,
    texts,
    unsigned,
    unsigned_events,
)

EPHEMERAL = SECRET_KEYS[0]
GIVEN = {"created_at": 1_700_000_000, "nonce": b"\5" * 32, "aux_rand": b"\6" * 32}
INNER = signed(ALICE, kind=25910, content="inner", tags=(("p", BOB.public_key.hex()),))
RUMOR = unsigned(ALICE, kind=14, content="rumor", tags=(("p", BOB.public_key.hex()),))


def wrapped(event, kind=1059, recipient=BOB, **options):
    return nip59.wrap(event, recipient.public_key, kind=kind, ephemeral_key=EPHEMERAL, **GIVEN, **options)


def sealed(rumor, author=ALICE, recipient=BOB):
    return nip59.seal(rumor, author, recipient.public_key, **GIVEN)


def encrypted(plaintext, sender, recipient=BOB):
    return nip44.encrypt(plaintext, nip44.get_conversation_key(sender, recipient.public_key), GIVEN["nonce"])


def wrap_of(plaintext, kind=1059):
    """A validly signed wrap around anything."""
    return signed(EPHEMERAL, kind=kind, tags=(("p", BOB.public_key.hex()),), content=encrypted(plaintext, EPHEMERAL))


def seal_of(plaintext, author=ALICE, **fields):
    """A wrap around a validly signed seal around anything."""
    seal = signed(author, **({"kind": 13, "content": encrypted(plaintext, author)} | fields))
    return wrap_of(seal.dump())


# The one-layer form


@given(signed_events().filter(lambda event: event.kind != 13), st.sampled_from((1059, 21059)), bytes32, bytes32)
def test_what_is_wrapped_is_unwrapped(event, kind, nonce, aux_rand):
    wrap = nip59.wrap(
        event, BOB.public_key, kind=kind, created_at=7, ephemeral_key=EPHEMERAL, nonce=nonce, aux_rand=aux_rand
    )
    assert (wrap.kind, wrap.created_at, wrap.pubkey) == (kind, 7, EPHEMERAL.public_key.x)
    assert wrap.tags == (("p", BOB.public_key.hex()),)
    wrap.verify()
    assert nip44.decrypt(wrap.content, nip44.get_conversation_key(BOB, EPHEMERAL.public_key)) == event.dump().decode()
    assert nip59.unwrap(wrap, BOB) == event


def test_the_same_arguments_give_the_same_wrap():
    assert wrapped(INNER) == wrapped(INNER)
    assert wrapped(INNER).dump() == wrapped(INNER).dump()


def test_an_event_too_large_for_the_short_form_is_wrapped_when_asked():
    event = signed(content="x" * 70_000)
    misused(ErrorClass.INVALID_PLAINTEXT_LENGTH, wrapped, event)
    assert nip59.unwrap(wrapped(event, extended=True), BOB) == event


def test_a_wrap_of_another_kind_is_a_mistake():
    misused(ErrorClass.WRONG_KIND, wrapped, INNER, kind=1)


UNWRAPPED_AS = {
    "another kind": (signed(EPHEMERAL, kind=1060, content=wrapped(INNER).content), ErrorClass.WRONG_KIND),
    "a changed signature": (dataclasses.replace(wrapped(INNER), sig=bytes(64)), ErrorClass.INVALID_SIGNATURE),
    "a changed id": (dataclasses.replace(wrapped(INNER), id=bytes(32)), ErrorClass.ID_MISMATCH),
    "a changed key": (dataclasses.replace(wrapped(INNER), pubkey=CAROL.public_key.x), ErrorClass.ID_MISMATCH),
    "a key off the curve": (dataclasses.replace(wrapped(INNER), pubkey=OFF_CURVE), ErrorClass.INVALID_PUBLIC_KEY),
    "another recipient": (wrapped(INNER, recipient=CAROL), ErrorClass.INVALID_MAC),
    "no payload": (signed(EPHEMERAL, kind=1059, content=""), ErrorClass.UNSUPPORTED_VERSION),
    "a short payload": (signed(EPHEMERAL, kind=1059, content="hello"), ErrorClass.MALFORMED_PAYLOAD),
    "another version inside": (
        signed(EPHEMERAL, kind=1059, content="AQ" + wrapped(INNER).content[2:]),
        ErrorClass.UNSUPPORTED_VERSION,
    ),
    "a changed MAC": (
        signed(EPHEMERAL, kind=1059, content=wrapped(INNER).content[:-4] + "AAAA"),
        ErrorClass.INVALID_MAC,
    ),
    "not JSON": (wrap_of("hello"), ErrorClass.INVALID_JSON),
    "not UTF-8": (wrap_of(b'"\xff"'), ErrorClass.INVALID_UTF8),
    "not an object": (wrap_of("[]"), ErrorClass.NOT_AN_OBJECT),
    "a repeated key": (wrap_of(b'{"kind":1,' + INNER.dump()[1:]), ErrorClass.DUPLICATE_KEY),
    "no signature inside": (wrap_of(json.dumps(as_json(RUMOR))), ErrorClass.MISSING_FIELD),
    "a changed signature inside": (wrapped(dataclasses.replace(INNER, sig=bytes(64))), ErrorClass.INVALID_SIGNATURE),
    "a changed content inside": (wrapped(dataclasses.replace(INNER, content="other")), ErrorClass.ID_MISMATCH),
    "a seal inside": (wrapped(sealed(RUMOR)), ErrorClass.UNEXPECTED_SEAL),
}


@pytest.mark.parametrize(("wrap", "error_class"), UNWRAPPED_AS.values(), ids=UNWRAPPED_AS.keys())
def test_what_unwrap_refuses(wrap, error_class):
    refused(error_class, nip59.unwrap, wrap, BOB)


def test_the_outer_signature_is_checked_before_anything_is_decrypted():
    wrap = dataclasses.replace(signed(EPHEMERAL, kind=1059, content="#"), sig=bytes(64))
    refused(ErrorClass.INVALID_SIGNATURE, nip59.unwrap, wrap, BOB)
    refused(ErrorClass.INVALID_SIGNATURE, nip59.unwrap_sealed, wrap, BOB)


# The three-layer form


@given(unsigned_events(), st.sampled_from((1059, 21059)))
def test_what_is_sealed_and_wrapped_is_opened(case, kind):
    rumor, author = case
    seal = sealed(rumor, author)
    assert (seal.kind, seal.tags, seal.pubkey, seal.created_at) == (13, (), rumor.pubkey, GIVEN["created_at"])
    seal.verify()
    assert nip59.unwrap_sealed(wrapped(seal, kind), BOB) == rumor


def test_the_example_that_nip59_prints():
    # The rumor of the NIP, as its recipient reads it from a wrap made here.
    author = SecretKey(bytes.fromhex("0beebd062ec8735f4243466049d7747ef5d6594ee838de147f8aab842b15e273"))
    recipient = SecretKey(bytes.fromhex("e108399bd8424357a710b606ae0c13166d853d327e47a6e5e038197346bdbf45"))
    rumor = unsigned(author, 1691518405, 1, (), "Are you going to the party tonight?")
    opened = nip59.unwrap_sealed(wrapped(sealed(rumor, author, recipient), recipient=recipient), recipient)
    assert opened.id.hex() == "9dd003c6d3b73b74a85a9ab099469ce251653a7af76f523671ab828acd2a0ef9"
    assert nip19.encode(recipient) == "nsec1uyyrnx7cgfp40fcskcr2urqnzekc20fj0er6de0q8qvhx34ahazsvs9p36"


def test_a_rumor_needs_no_id():
    value = as_json(RUMOR)
    del value["id"]
    assert nip59.unwrap_sealed(seal_of(json.dumps(value)), BOB) == RUMOR


def test_sealing_anothers_rumor_is_a_mistake():
    misused(ErrorClass.AUTHOR_MISMATCH, sealed, RUMOR, BOB)


def rumor_with(**changes):
    return seal_of(json.dumps(as_json(RUMOR) | changes))


OPENED_AS = {
    "another kind of wrap": (signed(EPHEMERAL, kind=14, content=wrapped(sealed(RUMOR)).content), ErrorClass.WRONG_KIND),
    "a changed outer signature": (
        dataclasses.replace(wrapped(sealed(RUMOR)), sig=bytes(64)),
        ErrorClass.INVALID_SIGNATURE,
    ),
    "no seal inside": (wrapped(INNER), ErrorClass.WRONG_KIND),
    "a changed seal": (wrapped(dataclasses.replace(sealed(RUMOR), created_at=1)), ErrorClass.ID_MISMATCH),
    "a changed signature of the seal": (
        wrapped(dataclasses.replace(sealed(RUMOR), sig=bytes(64))),
        ErrorClass.INVALID_SIGNATURE,
    ),
    "a seal with tags": (seal_of(json.dumps(as_json(RUMOR)), tags=(("p", "x"),)), ErrorClass.SEAL_WITH_TAGS),
    "a seal for another": (wrapped(sealed(RUMOR, recipient=CAROL)), ErrorClass.INVALID_MAC),
    "a seal that is no payload": (seal_of("x", content="#"), ErrorClass.UNSUPPORTED_VERSION),
    "a rumor that is not JSON": (seal_of("hello"), ErrorClass.INVALID_JSON),
    "a rumor that is not UTF-8": (seal_of(b"\xff"), ErrorClass.INVALID_UTF8),
    "a rumor that is a list": (seal_of("[]"), ErrorClass.NOT_AN_OBJECT),
    "a rumor with a repeated key": (
        seal_of('{"kind":1,' + json.dumps(as_json(RUMOR))[1:]),
        ErrorClass.DUPLICATE_KEY,
    ),
    "a signed rumor": (seal_of(RUMOR.sign(ALICE, bytes(32)).dump()), ErrorClass.SIGNED_RUMOR),
    "a rumor with an empty signature": (rumor_with(sig=""), ErrorClass.SIGNED_RUMOR),
    "a rumor of another author": (
        seal_of(json.dumps(as_json(unsigned(CAROL, kind=14)))),
        ErrorClass.AUTHOR_MISMATCH,
    ),
    "a rumor with a wrong id": (rumor_with(id="00" * 32), ErrorClass.ID_MISMATCH),
    "a rumor with a wrong kind": (rumor_with(kind=-1), ErrorClass.MALFORMED_KIND),
}


@pytest.mark.parametrize(("wrap", "error_class"), OPENED_AS.values(), ids=OPENED_AS.keys())
def test_what_unwrap_sealed_refuses(wrap, error_class):
    refused(error_class, nip59.unwrap_sealed, wrap, BOB)


# Anything whatsoever

plaintexts = st.one_of(
    st.binary(min_size=1, max_size=60),
    json_values.flatmap(lambda value: seeds.map(lambda seed: spell(value, seed))),
    almost_events().flatmap(lambda value: seeds.map(lambda seed: spell(value, seed))),
    damaged(signed_events().map(Event.dump)),
).filter(bool)


def opens_or_is_refused(wrap):
    one_layer = outcome(nip59.unwrap, wrap, BOB)
    if not isinstance(one_layer, Violation):
        assert isinstance(one_layer, Event)
        one_layer.verify()
    three_layers = outcome(nip59.unwrap_sealed, wrap, BOB)
    if not isinstance(three_layers, Violation):
        assert isinstance(three_layers, UnsignedEvent)


@given(plaintexts)
def test_a_wrap_around_anything_is_opened_or_refused(plaintext):
    opens_or_is_refused(wrap_of(plaintext))


@given(plaintexts)
def test_a_seal_around_anything_is_opened_or_refused(plaintext):
    opens_or_is_refused(seal_of(plaintext))


@given(st.one_of(texts(), st.text("ABab01+/=", min_size=132, max_size=140)))
def test_a_wrap_or_seal_with_any_content_is_refused(content):
    for wrap in (signed(EPHEMERAL, kind=1059, content=content), seal_of("x", content=content)):
        assert isinstance(outcome(nip59.unwrap, wrap, BOB), Violation)
        assert isinstance(outcome(nip59.unwrap_sealed, wrap, BOB), Violation)


@given(signed_events())
def test_any_event_is_refused(event):
    assert isinstance(outcome(nip59.unwrap, event, BOB), Violation)
    assert isinstance(outcome(nip59.unwrap_sealed, event, BOB), Violation)


@given(almost_events())
def test_a_rumor_with_anything_wrong_is_opened_or_refused(value):
    value.pop("sig", None)
    value.pop("id", None)
    opens_or_is_refused(seal_of(spell(value, 0)))


def test_a_deep_rumor_of_floats_is_refused():
    deep = "[" * 200 + "1.5" + "]" * 200
    refused(ErrorClass.TOO_DEEP, nip59.unwrap_sealed, seal_of(deep), BOB)


@pytest.mark.parametrize(
    ("opening", "wrap"),
    [
        *((nip59.unwrap, wrap) for wrap, _ in UNWRAPPED_AS.values()),
        *((nip59.unwrap_sealed, wrap) for wrap, _ in OPENED_AS.values()),
    ],
)
def test_no_secret_is_in_any_error(opening, wrap):
    with pytest.raises(Violation) as caught:
        opening(wrap, BOB)
    said = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    for key in (ALICE, BOB, CAROL, EPHEMERAL):
        assert key.reveal().hex() not in said
        assert nip19.encode(key) not in said
    assert nip44.get_conversation_key(BOB, EPHEMERAL.public_key).hex() not in said
