"""Who speaks to whom, about what: all that a message needs on Nostr besides itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from types import MappingProxyType
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


NO_TEXTS: Mapping[str, str] = MappingProxyType({})


# It sets its slots itself: half the cost of the __init__ that a frozen dataclass is given, once for every message.
@dataclass(frozen=True, slots=True, init=False)
class Route:
    """The way of one message. `role` is the sender's.

    What the sender says of itself beside the message: whether it reads wraps, `texts` for people by the names of their
    tags, and the `payment_methods` by which it can pay.
    """

    sender: bytes
    recipient: bytes
    role: Role
    server_id: str | None
    request: RequestReference | None
    prices: tuple[Price, ...]
    encryption: bool
    ephemeral_wraps: bool
    texts: Mapping[str, str]
    payment_methods: tuple[str, ...]

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
        texts: Mapping[str, str] = NO_TEXTS,
        payment_methods: tuple[str, ...] = (),
    ) -> None:
        if len(sender) != 32 or len(recipient) != 32 or server_id == "":
            raise LocalProtocolError(ErrorClass.MALFORMED_TAG, "keys are 32 bytes, and a server id is not empty")
        (
            set_sender, set_recipient, set_role, set_server_id, set_request, set_prices, set_flag, set_ephemeral,
            set_texts, set_payment_methods,
        ) = _SLOTS  # fmt: skip
        set_sender(self, sender)
        set_recipient(self, recipient)
        set_role(self, role)
        set_server_id(self, server_id)
        set_request(self, request)
        set_prices(self, prices)
        set_flag(self, encryption)
        set_ephemeral(self, ephemeral_wraps)
        set_texts(self, texts)
        set_payment_methods(self, payment_methods)


_SLOTS = tuple(getattr(Route, slot.name).__set__ for slot in fields(Route))
