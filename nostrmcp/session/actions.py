"""What a session asks of the world around it, and the time that the world tells it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..mcp.jsonrpc import Id, Message
from ..nostr import Event, Violation
from ..nostr.filters import Filter
from ..translate.route import Price


class Now(NamedTuple):
    """The time of an input: unix seconds for what others read, and seconds that never fall for time-outs."""

    unix: int
    monotonic: float


class Link(NamedTuple):
    """A conversation with one MCP server: shared by all clients, or one session's own."""

    server: str
    client: bytes | None = None
    number: int = 0


@dataclass(frozen=True, slots=True)
class Publish:
    """Send this event to the relays, and tell `published` what they say to its id."""

    event: Event


@dataclass(frozen=True, slots=True)
class Deliver:
    """Give this message to the MCP side: to the local client, or to the MCP server at the end of a link."""

    message: Message
    link: Link | None = None


@dataclass(frozen=True, slots=True)
class Open:
    """Start an MCP server for this link."""

    link: Link


@dataclass(frozen=True, slots=True)
class Close:
    """The MCP server of this link is no longer needed."""

    link: Link


@dataclass(frozen=True, slots=True)
class Subscribe:
    """Ask every relay for events like these, before anything that follows is published."""

    name: str
    filters: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """These events are no longer wanted."""

    name: str


@dataclass(frozen=True, slots=True)
class Wake:
    """Call `tick` at this monotonic time. A later Wake takes the place of an earlier one."""

    at: float


@dataclass(frozen=True, slots=True)
class Drop:
    """This event, or this message of an MCP server, went no further."""

    event_id: bytes | None
    violation: Violation


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a person may want to know: it went on all the same."""

    event_id: bytes | None
    violation: Violation


@dataclass(frozen=True, slots=True)
class Charge:
    """Make an invoice for this request and give it to `invoiced`; then tell `paid` or `unpaid`."""

    request: bytes
    client: bytes
    price: Price


@dataclass(frozen=True, slots=True)
class Pay:
    """Pay this invoice for this request, once; then tell `payment_sent` or `payment_failed`."""

    request: bytes
    invoice: str
    amount: int


@dataclass(frozen=True, slots=True)
class Servers:
    """Who answered an initialize that named no server: results by server id, None where none is given."""

    found: dict[str | None, dict[str, object]]


@dataclass(frozen=True, slots=True)
class Ended:
    """A request of the local client has ended, and its answer was delivered."""

    id: Id


Action = (
    Publish | Deliver | Open | Close | Subscribe | Unsubscribe | Wake | Drop | Notice | Charge | Pay | Servers | Ended
)
