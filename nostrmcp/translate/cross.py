"""From one revision to another, and what is lost on the way."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..mcp.jsonrpc import Error, Message, Notification, Request, Result
from ..nostr import Event, UnsignedEvent, Violation
from ..revisions.model import Loss, Revision
from . import announce, codec
from .body import PAYMENT_METHOD
from .errors import ErrorClass
from .route import RequestReference, Role, Route


def project(message: Message, revision: Revision, event_id: bytes, request: RequestReference | None) -> Message:
    """What of a message comes back after `encode` and `decode`: all of it, less the revision's declared losses.

    `event_id` is the id of the event that carried it, `request` what it is about.
    """
    losses = revision.losses
    name = request.event_id.hex() if request else None
    if Loss.REQUEST_IDS in losses:
        match message:
            case Request(_, method, params):
                return Request(event_id.hex(), method, params)
            case Result(_, result) if name:
                return Result(name, result)
            case Error(_, code, text, data):
                return Error(name, code, text, data)
            case Notification("notifications/cancelled", params):
                return Notification(message.method, {**(params or {}), "requestId": name})
    if isinstance(message, Notification) and message.method == PAYMENT_METHOD:
        params = dict(message.params or {})
        lost = {Loss.PAYMENT_DESCRIPTION: "description", Loss.PAYMENT_EXPIRATION: "expiration"}
        return Notification(message.method, {
            key: value for key, value in params.items() if key not in {lost[loss] for loss in losses & lost.keys()}
        })  # fmt: skip
    return message


@dataclass(frozen=True, slots=True)
class Translation:
    """An event in another revision, to be signed by the same author, and what it no longer says."""

    event: UnsignedEvent
    losses: tuple[Loss, ...]


def translate(event: Event, source: Revision, target: Revision, sender_role: Role) -> Translation:
    """A verified event of one revision in the form of another.

    An `e` tag is taken over as it is: whoever translates a conversation maps event ids himself. What the target cannot
    carry is a LocalProtocolError, except for its declared losses.
    """
    decoded = codec.decode(event, source, sender_role)
    recipient = codec.first_hex(event, "p")
    if recipient is None:
        raise Violation(ErrorClass.MISSING_TAG, "event.tags", "without a p tag nobody can be addressed")
    reference = _reference(decoded)
    listed = codec.PRICED_TYPES.get(reference.method if reference else "", "")
    prices = tuple(replace(price, type=price.type or listed) for price in announce.prices_in(event, source))
    route = Route(
        sender=decoded.sender,
        recipient=recipient,
        role=sender_role,
        server_id=decoded.server_id,
        request=reference,
        prices=prices,
        encryption=announce.says_encryption(event),
        ephemeral_wraps=announce.says_ephemeral(event),
        texts=announce.texts_in(event),
        payment_methods=tuple(tag[1] for tag in event.tags if tag[0] == "pmi" and len(tag) > 1),
    )
    carried = codec.encode(decoded.message, route, target, event.created_at)
    lost = _lost(decoded, target) | ({Loss.PRICES} if prices and Loss.PRICES in target.losses else set())
    return Translation(carried, tuple(sorted(lost, key=lambda loss: loss.name)))


def _reference(decoded: codec.Decoded) -> RequestReference | None:
    if decoded.request_event_id is None:
        return None
    message = decoded.message
    method = (codec.answered(message) if isinstance(message, Result) else None) or ""
    its_id = message.id if isinstance(message, (Result, Error)) else None
    if isinstance(message, Notification):
        params = message.params or {}
        its_id = params.get("requestId", params.get("progressToken"))
    event_id = decoded.request_event_id
    return RequestReference(event_id, method, event_id.hex() if its_id is None else its_id)


def _lost(decoded: codec.Decoded, target: Revision) -> set[Loss]:
    message = decoded.message
    params = (message.params or {}) if isinstance(message, Notification) else {}
    is_demand = isinstance(message, Notification) and message.method == PAYMENT_METHOD
    concerned = {
        Loss.REQUEST_IDS: not isinstance(message, Notification) or "requestId" in params,
        Loss.PAYMENT_DESCRIPTION: is_demand and "description" in params,
        Loss.PAYMENT_EXPIRATION: is_demand and "expiration" in params,
        Loss.SERVER_ID: decoded.server_id is not None,
    }
    return {loss for loss, is_concerned in concerned.items() if is_concerned and loss in target.losses}
