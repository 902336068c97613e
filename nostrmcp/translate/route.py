"""Who speaks to whom, about what: all that a message needs on Nostr besides itself."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import NamedTuple

from ..mcp.jsonrpc import Id
from ..nostr import LocalProtocolError
from .errors import ErrorClass


class Role(StrEnum):
    CLIENT = "client"
    SERVER = "server"


class RequestReference(NamedTuple):
    """The request that a response, progress or cancel is about: its event id, its method, its JSON-RPC id."""

    event_id: bytes
    method: str
    id: Id


@dataclass(frozen=True, slots=True)
class Price:
    """What a capability costs. `type` is tool, prompt or resource; the amount is text, in some revisions a range."""

    type: str
    capability: str
    amount: str
    unit: str


# It sets its slots itself: half the cost of the __init__ that a frozen dataclass is given, once for every message.
@dataclass(frozen=True, slots=True, init=False)
class Route:
    """The way of one message. `role` is the sender's."""

    sender: bytes
    recipient: bytes
    role: Role
    server_id: str | None
    request: RequestReference | None
    prices: tuple[Price, ...]
    encryption: bool
    ephemeral_wraps: bool

    def __init__(
        self,
        sender: bytes,
        recipient: bytes,
        role: Role,
        server_id: str | None = None,
        request: RequestReference | None = None,
        prices: tuple[Price, ...] = (),
        encryption: bool = False,
        ephemeral_wraps: bool = False,
    ) -> None:
        if len(sender) != 32 or len(recipient) != 32 or server_id == "":
            raise LocalProtocolError(ErrorClass.MALFORMED_TAG, "keys are 32 bytes, and a server id is not empty")
        set_sender, set_recipient, set_role, set_server_id, set_request, set_prices, set_flag, set_ephemeral = _SLOTS
        set_sender(self, sender)
        set_recipient(self, recipient)
        set_role(self, role)
        set_server_id(self, server_id)
        set_request(self, request)
        set_prices(self, prices)
        set_flag(self, encryption)
        set_ephemeral(self, ephemeral_wraps)


_SLOTS = tuple(getattr(Route, slot.name).__set__ for slot in fields(Route))
