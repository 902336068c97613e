"""What is this event? Its revision or the candidates, its message, what its tags do, and what it breaks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..mcp import jsonrpc
from ..mcp.jsonrpc import Notification, Request, Result
from ..nostr import ErrorClass, Event, SecretKey, Violation, nip59
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
    direction: str | None
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
        opened = _opened(event, keys) if event.kind in nip59.WRAP_KINDS else None
        if opened is not None:
            wrapped_in, event = event.kind, opened
    except Violation as violation:
        return Inspection(event, violation, wrapped_in)
    detection = detect(event)
    names = () if event.kind in nip59.WRAP_KINDS else detection.candidates
    return Inspection(event, None, wrapped_in, detection, tuple(_read(event, REVISIONS[name]) for name in names))


def _opened(wrap: Event, keys: tuple[SecretKey, ...]) -> Event | None:
    """The event in a wrap that is for one of the keys, None if it is for none of them."""
    for key in keys:
        try:
            return nip59.unwrap(wrap, key)
        except Violation as violation:
            if violation.error_class is not ErrorClass.INVALID_MAC:
                raise
    return None


def _read(event: Event, revision: Revision) -> Reading:
    if event.kind in revision.kinds.announcements.values():
        breaches = check(event, revision)
        try:
            found = announce.parse(event, revision)
        except Violation as refusal:
            return Reading(revision.name, None, None, None, refusal, breaches)
        return Reading(revision.name, f"{found.type.value} announcement", None, found.content, None, breaches)
    try:
        decoded = codec.decode(event, revision, Role.SERVER)
    except Violation as refusal:
        return Reading(revision.name, None, None, None, refusal, check(event, revision))
    message = decoded.message
    answers = codec.answered(message) if isinstance(message, Result) else None
    message_class, sender = decoded.message_class, Role.SERVER
    if isinstance(message, Request | Notification):
        sender = codec.usual_sender(message.method)
    if isinstance(message, Notification):
        message_class = codec.notification_class(message.method, sender)
    direction = f"from {'client to server' if sender is Role.CLIENT else 'server to client'}"
    breaches = check(event, revision, answers)
    return Reading(revision.name, message_class.value, direction, jsonrpc.to_value(message), None, breaches)


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
