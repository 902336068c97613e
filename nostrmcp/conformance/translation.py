"""The operations of the revisions' vectors, answered by this package."""

from __future__ import annotations

from typing import Any

from ..mcp import jsonrpc
from ..nostr import event as events
from ..revisions import REVISIONS, VARIANTS, Revision
from ..revisions.detect import detect
from ..revisions.model import MessageClass, PriceForm
from ..translate import announce, check, codec
from ..translate.route import Price, RequestReference, Role, Route
from .operations import Value, operation, unsigned_value, verified


def _revision(given: Value) -> Revision:
    name = given["revision"]
    return REVISIONS[name] if name in REVISIONS else VARIANTS[name]


def _prices(given: Value) -> tuple[Price, ...]:
    return tuple(Price(one["type"], one["capability"], one["amount"], one["unit"]) for one in given["prices"])


@operation
def detect_revisions(given: Value) -> Value:
    return {"candidates": list(detect(verified(given["event"])).candidates)}


@operation
def encode_message(given: Value) -> Value:
    request = given["request"]
    reference = request and RequestReference(
        bytes.fromhex(request["event_id"]), request["method"], request.get("id", request["event_id"])
    )
    route = Route(
        sender=bytes.fromhex(given["sender"]["pubkey"]),
        recipient=bytes.fromhex(given["recipient"]),
        role=Role(given["sender"]["role"]),
        server_id=given["server_id"],
        request=reference,
        prices=_prices(given),
        encryption=given["encryption"],
        ephemeral_wraps=given["encryption"],
    )
    event = codec.encode(jsonrpc.parse(given["message"]), route, _revision(given), given["created_at"])
    return {"event": unsigned_value(event)}


@operation
def decode_event(given: Value) -> Value:
    role = Role.CLIENT if given["receiver"]["role"] == Role.SERVER else Role.SERVER
    decoded = codec.decode(verified(given["event"]), _revision(given), role)
    reference = decoded.request_event_id
    return {
        "message": jsonrpc.to_value(decoded.message),
        "sender": decoded.sender.hex(),
        "server_id": decoded.server_id,
        "request_event_id": None if reference is None else reference.hex(),
    }


@operation
def check_event(given: Value) -> Value:
    breaches = check.check(verified(given["event"]), _revision(given), given["answers"])
    return {"breaches": sorted({breach.req for breach in breaches})}


@operation
def build_announcement(given: Value) -> Value:
    texts = {name: given[name] for name in ("name", "about", "picture", "website")}
    announcement = announce.Announcement(
        MessageClass(given["type"]),
        bytes.fromhex(given["pubkey"]),
        given["server_id"],
        given["content"],
        **texts,
        encryption=given["encryption"],
        ephemeral_wraps=given["encryption"],
        prices=_prices(given),
    )
    return {"event": unsigned_value(announce.build(announcement, _revision(given), given["created_at"]))}


@operation
def parse_announcement(given: Value) -> Value:
    revision = _revision(given)
    found = announce.parse(events.from_value(given["event"]), revision)
    typed = revision.prices is PriceForm.TYPED
    return {
        "type": found.type.value,
        "server_id": found.server_id,
        "content": found.content,
        "name": found.name,
        "about": found.about,
        "picture": found.picture,
        "website": found.website,
        "encryption": found.encryption,
        "capabilities": list(found.capabilities),
        "prices": [_price_value(price, typed) for price in found.prices],
    }


def _price_value(price: Price, typed: bool) -> dict[str, Any]:
    value = {"capability": price.capability, "amount": price.amount, "unit": price.unit}
    return {"type": price.type, **value} if typed else value
