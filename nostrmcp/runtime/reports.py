"""What a connection to a relay reports: its state, what the relay says, and why an event was not taken."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ..nostr import Event
from ..nostr.errors import shown


class Reason(StrEnum):
    """Why a relay did not take an event."""

    REFUSED = "refused"
    TIMED_OUT = "timed_out"
    DISCONNECTED = "disconnected"
    QUEUE_FULL = "queue_full"
    TOO_LARGE = "too_large"
    CLOSED = "closed"


class PublishError(Exception):
    """A relay did not take an event. `text` is the relay's own word where it gave one: show it escaped."""

    def __init__(self, relay: str, reason: Reason, text: str = "") -> None:
        super().__init__(relay, reason, text)
        self.relay = relay
        self.reason = reason
        self.text = text

    def __str__(self) -> str:
        return f"{self.relay}: {self.reason}" + (f": {shown(self.text)}" if self.text else "")


class State(StrEnum):
    """Where a connection stands: new, being made, usable, waiting to be made again, or over."""

    NEW = "new"
    CONNECTING = "connecting"
    UP = "up"
    WAITING = "waiting"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Changed:
    """A connection's state, and after a loss why."""

    relay: str
    state: State
    why: str = ""


@dataclass(frozen=True, slots=True)
class Arrived:
    """An event for a subscription. Not verified."""

    relay: str
    subscription: str
    event: Event


@dataclass(frozen=True, slots=True)
class Caught:
    """EOSE: what the relay had stored for a subscription has arrived."""

    relay: str
    subscription: str


@dataclass(frozen=True, slots=True)
class Ended:
    """CLOSED: the relay ended a subscription. It is asked for again only on the next connection."""

    relay: str
    subscription: str
    text: str


@dataclass(frozen=True, slots=True)
class Noticed:
    """NOTICE: a relay's text for people."""

    relay: str
    text: str


Input = Changed | Arrived | Caught | Ended | Noticed
