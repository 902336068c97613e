"""Who speaks to whom, about what: all that a message needs on Nostr besides itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ..mcp.jsonrpc import Id
from ..nostr import LocalProtocolError
from .errors import ErrorClass


class Role(StrEnum):
    CLIENT = "client"
    SERVER = "server"


@dataclass(frozen=True, slots=True)
class RequestReference:
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


@dataclass(frozen=True, slots=True)
class Route:
    """The way of one message. `role` is the sender's."""

    sender: bytes
    recipient: bytes
    role: Role
    server_id: str | None = None
    request: RequestReference | None = None
    prices: tuple[Price, ...] = ()
    encryption: bool = False
    ephemeral_wraps: bool = False

    def __post_init__(self) -> None:
        if len(self.sender) != 32 or len(self.recipient) != 32 or self.server_id == "":
            raise LocalProtocolError(ErrorClass.MALFORMED_TAG, "keys are 32 bytes, and a server id is not empty")
