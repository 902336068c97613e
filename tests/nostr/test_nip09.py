from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.nostr import nip09
from nostrmcp.nostr.errors import ErrorClass
from tests.nostr.strategies import ALICE, BOB, bytes32, misused, outcome, refused, signed, signed_events, tags, texts

NOTE = signed(created_at=100, content="note")
ADDRESS = f"30000:{ALICE.public_key.hex()}:x"


def request(author=ALICE, created_at=200, **references):
    return nip09.build(author.public_key.x, created_at, **references).sign(author, bytes(32))


def test_a_request_written_out():
    built = nip09.build(
        ALICE.public_key.x, 200, ids=[NOTE.id], addresses=[ADDRESS], kinds=[1, 30000], reason="by mistake"
    )
    assert (built.kind, built.created_at, built.content) == (5, 200, "by mistake")
    assert built.tags == (("e", NOTE.id.hex()), ("a", ADDRESS), ("k", "1"), ("k", "30000"))
    assert nip09.check(built.sign(ALICE, bytes(32))) is None


def test_an_address_alone_is_enough():
    built = nip09.build(ALICE.public_key.x, 200, addresses=iter([ADDRESS]))
    assert built.tags == (("a", ADDRESS),)
    assert built.content == ""
    assert nip09.check(built.sign(ALICE, bytes(32))) is None


def test_a_request_for_nothing_is_a_mistake():
    misused(ErrorClass.MALFORMED_DELETION, nip09.build, ALICE.public_key.x, 200, kinds=[1])


addresses = st.builds(lambda kind, key, d: f"{kind}:{key.hex()}:{d}", st.integers(0, 65535), bytes32, texts())


@given(st.lists(bytes32, min_size=1, max_size=3), st.lists(addresses, max_size=3))
def test_what_is_built_passes(ids, addresses):
    assert nip09.check(request(ids=ids, addresses=addresses)) is None


@pytest.mark.parametrize(
    "address", ["", "31316", "31316:server", f"31316:{'0' * 64}", f"x:{'0' * 64}:", f"1:{'A' * 64}:"]
)
def test_what_is_no_address_is_refused_on_both_sides(address):
    misused(ErrorClass.MALFORMED_DELETION, nip09.build, ALICE.public_key.x, 200, addresses=[address])
    refused(ErrorClass.MALFORMED_DELETION, nip09.check, signed(kind=5, tags=(("a", address),)))


@pytest.mark.parametrize(
    ("event", "error_class"),
    [
        (signed(kind=1, tags=(("e", NOTE.id.hex()),)), ErrorClass.WRONG_KIND),
        (signed(kind=5), ErrorClass.MALFORMED_DELETION),
        (signed(kind=5, tags=(("e",), ("k", "1"))), ErrorClass.MALFORMED_DELETION),
        (signed(kind=5, tags=(("e", NOTE.id.hex().upper()),)), ErrorClass.MALFORMED_DELETION),
        (signed(kind=5, tags=(("e", NOTE.id.hex()), ("e", "x"))), ErrorClass.MALFORMED_DELETION),
        (signed(kind=5, tags=(("a", ADDRESS), ("e", ""))), ErrorClass.MALFORMED_DELETION),
    ],
)
def test_what_is_refused(event, error_class):
    refused(error_class, nip09.check, event)


@given(signed_events(), tags)
def test_any_event_passes_or_gives_a_violation(event, some_tags):
    outcome(nip09.check, event)
    outcome(nip09.check, signed(kind=5, tags=some_tags))
    outcome(nip09.check, signed(kind=5, tags=tuple(("e", *tag) for tag in some_tags)))


def addressable(created_at, identifier="x", kind=30000, author=ALICE):
    return signed(author, kind=kind, created_at=created_at, tags=(("d", identifier),))


@pytest.mark.parametrize(
    ("asked", "event", "expected"),
    [
        (request(ids=[NOTE.id]), NOTE, True),
        (request(ids=[bytes(32), NOTE.id]), NOTE, True),
        (request(ids=[bytes(32)]), NOTE, False),
        # By id the time plays no part.
        (request(created_at=1, ids=[NOTE.id]), NOTE, True),
        (request(BOB, ids=[NOTE.id]), NOTE, False),
        (request(addresses=[ADDRESS]), NOTE, False),
        (request(addresses=[ADDRESS]), addressable(199), True),
        (request(addresses=[ADDRESS]), addressable(200), True),
        (request(addresses=[ADDRESS]), addressable(201), False),
        (request(addresses=[ADDRESS]), addressable(199, "y"), False),
        (request(addresses=[ADDRESS]), addressable(199, kind=30001), False),
        (request(addresses=[ADDRESS]), addressable(199, author=BOB), False),
        (request(BOB, addresses=[ADDRESS]), addressable(199), False),
        (request(addresses=[f"0:{ALICE.public_key.hex()}:"]), signed(kind=0, created_at=1), True),
    ],
)
def test_what_a_request_deletes(asked, event, expected):
    assert nip09.deletes(asked, event) is expected


def test_a_request_cannot_be_deleted():
    first = request(ids=[NOTE.id])
    assert nip09.deletes(request(ids=[first.id]), first) is False
