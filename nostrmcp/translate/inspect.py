"""What is this event? Its revision or the candidates, its message, what its tags do, and what it breaks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..mcp import jsonrpc
from ..nostr import Event, SecretKey, Violation, nip59
from ..nostr import event as events
from ..revisions import REVISIONS
from ..revisions.detect import Detection, detect
from ..revisions.model import Revision
from . import announce, codec
from .check import Breach, check
from .route import Role


@dataclass(frozen=True, slots=True)
class Reading:
    """An event under one revision: the message or announcement in it, or why there is none, and every breach."""

    revision: str
    message_class: str | None
    message: dict[str, Any] | None
    refused: Violation | None
    breaches: tuple[Breach, ...]


@dataclass(frozen=True, slots=True)
class Inspection:
    """All that can be said of one text that may be an event."""

    event: Event | None
    invalid: Violation | None
    wrapped_in: int | None = None
    detection: Detection | None = None
    readings: tuple[Reading, ...] = field(default=())

    @property
    def is_sound(self) -> bool:
        """Whether the event is valid and, under at least one candidate, breaks nothing."""
        readable = any(not reading.breaches and reading.refused is None for reading in self.readings)
        return self.invalid is None and (readable or not self.readings)


def inspect(data: bytes | str, keys: tuple[SecretKey, ...] = ()) -> Inspection:
    """Inspect the JSON text of an event; `keys` open wraps that are for one of them. Never raises on a peer's data."""
    event: Event | None = None
    wrapped_in: int | None = None
    try:
        event = events.parse(data)
        event.verify()
        if event.kind in nip59.WRAP_KINDS and keys:
            opened = _opened(event, keys)
            wrapped_in, event = event.kind, opened
    except Violation as violation:
        return Inspection(event, violation, wrapped_in)
    detection = detect(event)
    names = () if _is_wrap(event) else detection.candidates
    readings = tuple(_read(event, REVISIONS[name]) for name in names)
    return Inspection(event, None, wrapped_in, detection, readings)


def _is_wrap(event: Event) -> bool:
    return event.kind in nip59.WRAP_KINDS


def _opened(wrap: Event, keys: tuple[SecretKey, ...]) -> Event:
    problem: Violation | None = None
    for key in keys:
        try:
            return nip59.unwrap(wrap, key)
        except Violation as violation:
            problem = violation
    assert problem is not None, "there is at least one key"
    raise problem


def _read(event: Event, revision: Revision) -> Reading:
    breaches = check(event, revision, _answered(event))
    if event.kind in revision.kinds.announcements.values():
        try:
            found = announce.parse(event, revision)
        except Violation as refusal:
            return Reading(revision.name, None, None, refusal, breaches)
        return Reading(revision.name, f"{found.type.value} announcement", found.content, None, breaches)
    try:
        decoded = codec.decode(event, revision, Role.SERVER)
    except Violation as refusal:
        return Reading(revision.name, None, None, refusal, breaches)
    return Reading(revision.name, decoded.message_class.value, jsonrpc.to_value(decoded.message), None, breaches)


def _answered(event: Event) -> str | None:
    """A response with a `d` tag can only be one to initialize."""
    return "initialize" if event.first("d") is not None else None


TAG_MEANINGS = {
    "p": "the recipient's public key",
    "e": "the request event that this is about",
    "s": "the server that is addressed",
    "d": "the identifier of the server, or of the list",
    "method": "the method in content, for filters",
    "k": "the kind of requests that the server takes",
    "t": "the name of a capability in the list",
    "cap": "a capability, and its price if it has one",
    "status": "the state of a payment",
    "amount": "what is to be paid, and the invoice",
    "expiration": "when the event expires",
    "support_encryption": "the sender can read wraps",
    "support_encryption_ephemeral": "the sender can read ephemeral wraps",
    "name": "the server's name",
    "about": "what the server is",
    "picture": "the server's picture",
    "website": "the server's website",
}
