from __future__ import annotations

import dataclasses

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nostrmcp.nostr import nip42
from nostrmcp.nostr.errors import ErrorClass
from tests.nostr.strategies import ALICE, outcome, refused, signed, signed_events, texts

RELAY = "wss://relay.example/path"
NOW = 1_700_000_000
EXPECTED = {"relay": RELAY, "challenge": "c", "now": NOW}


def answer(created_at=NOW, relay=RELAY, challenge="c"):
    return nip42.build(ALICE.public_key.x, created_at, relay=relay, challenge=challenge).sign(ALICE, bytes(32))


def test_an_answer_written_out():
    event = answer()
    assert (event.kind, event.created_at, event.content) == (22242, NOW, "")
    assert event.tags == (("relay", RELAY), ("challenge", "c"))
    assert nip42.check(event, **EXPECTED) is None


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=40), st.integers(-600, 600))
def test_what_is_built_passes(challenge, seconds):
    event = answer(NOW + seconds, challenge=challenge)
    assert nip42.check(event, relay=RELAY, challenge=challenge, now=NOW) is None


@pytest.mark.parametrize(
    ("event", "error_class"),
    [
        (signed(kind=1, created_at=NOW, tags=answer().tags), ErrorClass.WRONG_KIND),
        (answer(NOW - 601), ErrorClass.STALE_AUTH),
        (answer(NOW + 601), ErrorClass.STALE_AUTH),
        (answer(0), ErrorClass.STALE_AUTH),
        (answer(challenge="C"), ErrorClass.CHALLENGE_MISMATCH),
        (answer(challenge=""), ErrorClass.CHALLENGE_MISMATCH),
        (signed(kind=22242, created_at=NOW, tags=(("relay", RELAY),)), ErrorClass.CHALLENGE_MISMATCH),
        (answer(relay="wss://other.example/path"), ErrorClass.RELAY_MISMATCH),
        (answer(relay="ws://relay.example/path"), ErrorClass.RELAY_MISMATCH),
        (answer(relay="wss://relay.example/other"), ErrorClass.RELAY_MISMATCH),
        (answer(relay="wss://relay.example"), ErrorClass.RELAY_MISMATCH),
        (answer(relay="wss://relay.example:444/path"), ErrorClass.RELAY_MISMATCH),
        (answer(relay="relay.example/path"), ErrorClass.RELAY_MISMATCH),
        (answer(relay="https://relay.example/path"), ErrorClass.RELAY_MISMATCH),
        (answer(relay=""), ErrorClass.RELAY_MISMATCH),
        (signed(kind=22242, created_at=NOW, tags=(("challenge", "c"),)), ErrorClass.RELAY_MISMATCH),
        (dataclasses.replace(answer(), sig=bytes(64)), ErrorClass.INVALID_SIGNATURE),
        (dataclasses.replace(answer(), id=bytes(32)), ErrorClass.ID_MISMATCH),
    ],
)
def test_what_is_refused(event, error_class):
    refused(error_class, nip42.check, event, **EXPECTED)


def test_a_relay_that_has_no_url_itself_is_matched_by_nothing():
    refused(ErrorClass.RELAY_MISMATCH, nip42.check, answer(relay=""), relay="", challenge="c", now=NOW)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("wss://relay.example", ("wss", "relay.example", 443, "", "")),
        ("wss://relay.example/", ("wss", "relay.example", 443, "", "")),
        ("WSS://Relay.Example:443//", ("wss", "relay.example", 443, "", "")),
        ("ws://relay.example", ("ws", "relay.example", 80, "", "")),
        ("ws://relay.example:443/a/B/", ("ws", "relay.example", 443, "/a/B", "")),
        ("ws://[::1]:7777", ("ws", "::1", 7777, "", "")),
        ("http://relay.example", None),
        ("relay.example", None),
        ("wss://", None),
        ("wss://:443", None),
        ("wss:///path", None),
        ("wss://relay.example:99999", None),
        ("wss://relay.example:port", None),
        ("wss://[::1", None),
        ("wss://relay\u2100.example", None),
        ("wss://relay.example:0/", ("wss", "relay.example", 0, "", "")),
        ("wss://relay.example/?a=1", ("wss", "relay.example", 443, "", "a=1")),
        ("wss://relay.exa\tmple/", None),
        (" wss://relay.example/", None),
        ("", None),
    ],
)
def test_normalize(url, expected):
    assert nip42.normalize(url) == expected


urls = st.one_of(
    texts(),
    st.text(),
    st.tuples(st.sampled_from(("ws:", "wss:", "wss://", "ws://[", "wss://a@", "wss://a:")), st.text(max_size=10)).map(
        "".join
    ),
    st.text("wss:/[]@%.?#a1", max_size=20),
)


@given(urls)
@example("wss://[")
@example("wss://[v1.x]")
@example("wss://a:\u0661")
@example("wss://\ud800")
def test_any_text_is_a_relay_or_none(url):
    result = nip42.normalize(url)
    if result is not None:
        scheme, host, port, path, _ = result
        assert scheme in ("ws", "wss")
        assert host
        assert 0 <= port < 65536
        assert not path.endswith("/")


@given(signed_events(), texts(), texts())
def test_any_event_passes_or_gives_a_violation(event, relay, challenge):
    outcome(nip42.check, event, **EXPECTED)
    outcome(nip42.check, answer(relay=relay, challenge=challenge), **EXPECTED)
    outcome(nip42.check, answer(relay=relay), **EXPECTED)
    outcome(nip42.check, answer(relay="wss://" + relay), **EXPECTED)
