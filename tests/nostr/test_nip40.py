from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.nostr import nip40
from nostrmcp.nostr.errors import ErrorClass, Violation
from tests.nostr.strategies import misused, outcome, refused, signed, signed_events, texts


@given(st.integers(0, 2**64 - 1))
def test_the_tag_is_read_as_it_is_written(timestamp):
    tag = nip40.expiration_tag(timestamp)
    assert tag == ("expiration", str(timestamp))
    assert nip40.expiration(signed(tags=(("t", "x"), tag))) == timestamp


def test_without_a_tag_there_is_no_expiration():
    assert nip40.expiration(signed(tags=(("t", "expiration"),))) is None
    assert nip40.is_expired(signed(), 2**64) is False


def test_the_first_tag_counts():
    event = signed(tags=(("expiration", "5"), ("expiration", "9")))
    assert nip40.expiration(event) == 5


@pytest.mark.parametrize(("now", "expected"), [(0, False), (99, False), (100, True), (101, True)])
def test_an_event_expires_at_that_very_second(now, expected):
    assert nip40.is_expired(signed(tags=(("expiration", "100"),)), now) is expected


MALFORMED = (
    "",
    " ",
    "-1",
    "+1",
    "1.0",
    "1e3",
    "0x1",
    " 1",
    "1 ",
    "1_000",
    "\u0661",
    "\xb2",
    "18446744073709551616",
    "9" * 21,
)


@pytest.mark.parametrize("digits", MALFORMED)
def test_what_is_not_a_time_is_refused(digits):
    event = signed(tags=(("expiration", digits),))
    refused(ErrorClass.MALFORMED_EXPIRATION, nip40.expiration, event)
    refused(ErrorClass.MALFORMED_EXPIRATION, nip40.is_expired, event, 0)


def test_a_tag_without_a_value_is_refused():
    refused(ErrorClass.MALFORMED_EXPIRATION, nip40.expiration, signed(tags=(("expiration",), ("expiration", "5"))))


@pytest.mark.parametrize("timestamp", [-1, 2**64])
def test_writing_what_is_not_a_time_is_a_mistake(timestamp):
    misused(ErrorClass.MALFORMED_EXPIRATION, nip40.expiration_tag, timestamp)


@given(signed_events(), st.one_of(texts(), st.text("0123456789", max_size=5000)))
def test_any_event_gives_a_time_or_a_violation(event, text):
    outcome(nip40.expiration, event)
    result = outcome(nip40.expiration, signed(tags=(("expiration", text),)))
    if not isinstance(result, Violation):
        assert result == int(text)
