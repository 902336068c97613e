"""NIP-42: the event with which a client proves its key to a relay."""

from __future__ import annotations

from urllib.parse import urlsplit

from .errors import ErrorClass, Violation
from .event import Event, UnsignedEvent

AUTH = 22242
MAX_AGE = 600
_DEFAULT_PORTS = {"ws": 80, "wss": 443}


def build(pubkey: bytes, created_at: int, *, relay: str, challenge: str) -> UnsignedEvent:
    """The event that answers a relay's challenge (NIP42-EVT-01)."""
    return UnsignedEvent(pubkey, created_at, AUTH, (("relay", relay), ("challenge", challenge)), "")


def check(event: Event, *, relay: str, challenge: str, now: int) -> None:
    """Raise a Violation unless the event authenticates its author to this relay, now, for this challenge.

    Kind (NIP42-CHK-01), time within ten minutes (NIP42-CHK-02), challenge (NIP42-CHK-03), relay (NIP42-CHK-04), and
    the signature (NIP42-CHK-05), without which anyone could speak for any key.
    """
    if event.kind != AUTH:
        raise Violation(ErrorClass.WRONG_KIND, "event.kind", f"an authentication event has kind {AUTH}")
    if abs(now - event.created_at) > MAX_AGE:
        raise Violation(ErrorClass.STALE_AUTH, "event.created_at", f"more than {MAX_AGE} seconds from now")
    if event.first("challenge") != challenge:
        raise Violation(ErrorClass.CHALLENGE_MISMATCH, "event.tags", "not the challenge that was sent")
    named = normalize(event.first("relay") or "")
    if named is None or named != normalize(relay):
        raise Violation(ErrorClass.RELAY_MISMATCH, "event.tags", "the event is for another relay")
    event.verify()


def normalize(url: str) -> tuple[str, str, int, str, str] | None:
    """A relay URL as scheme, host, port, path and query, so that spellings of one relay compare equal; else None."""
    # urlsplit drops tabs and line breaks: two texts would be one address.
    if any(character <= " " for character in url):
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        return None
    port = _DEFAULT_PORTS[parts.scheme] if port is None else port
    return parts.scheme, parts.hostname, port, parts.path.rstrip("/"), parts.query
