"""NIP-40: when an event expires."""

from __future__ import annotations

from .errors import ErrorClass, LocalProtocolError, Violation
from .event import MAX_CREATED_AT, Event


def expiration_tag(timestamp: int) -> tuple[str, str]:
    """The tag that makes an event expire at a unix time in seconds (NIP40-TAG-01)."""
    if not 0 <= timestamp <= MAX_CREATED_AT:
        raise LocalProtocolError(ErrorClass.MALFORMED_EXPIRATION, "not a unix time in seconds")
    return "expiration", str(timestamp)


def whole_number(text: str) -> int | None:
    """The number that a text of decimal digits writes, None if it is none or has more than 64 bits."""
    if text.isascii() and text.isdigit() and len(text) <= 20 and int(text) <= MAX_CREATED_AT:
        return int(text)
    return None


def expiration(event: Event) -> int | None:
    """The unix time in the first expiration tag, None without one, or a Violation (NIP40-TAG-01)."""
    for tag in event.tags:
        if tag[0] == "expiration":
            time = whole_number(tag[1]) if len(tag) > 1 else None
            if time is None:
                raise Violation(ErrorClass.MALFORMED_EXPIRATION, "event.tags", "not a unix time in seconds")
            return time
    return None


def is_expired(event: Event, now: int) -> bool:
    """Whether the event's expiration has come: at that very second it has (NIP40-EXP-01)."""
    timestamp = expiration(event)
    return timestamp is not None and now >= timestamp
