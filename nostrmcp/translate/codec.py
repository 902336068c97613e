"""MCP messages to Nostr events and back, under any revision. Stateless: ids and tokens are the session's to map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..mcp import catalogue, jsonrpc
from ..mcp.errors import ErrorClass as McpErrorClass
from ..mcp.jsonrpc import Error, Message, Notification, Request, Result
from ..nostr import Event, LocalProtocolError, UnsignedEvent, Violation, nip40, strict_json
from ..nostr.errors import ErrorClass as NostrErrorClass
from ..nostr.event import is_hex32
from ..revisions.model import (
    LIST_MEMBERS,
    NOTIFICATIONS,
    REQUESTS,
    RESPONSES,
    Envelope,
    MessageClass,
    PaymentForm,
    Presence,
    PriceForm,
    Revision,
    Rule,
    TagRule,
    TagValue,
)
from . import body as bodies
from .errors import ErrorClass
from .route import Price, Role, Route

Tag = tuple[str, ...]
_WHOLE_ONLY = frozenset({Envelope.JSONRPC})
_TEXT = TagValue.TEXT

# What a list prices: the types of its items.
PRICED_TYPES = {
    "tools/list": "tool",
    "prompts/list": "prompt",
    "resources/list": "resource",
    "resources/templates/list": "resource",
}


def encode(message: Message, route: Route, revision: Revision, created_at: int) -> UnsignedEvent:
    """The event that carries a message. What the revision cannot carry, besides its declared losses, is a
    LocalProtocolError."""
    message_class = classify(message, route)
    kind = revision.kinds.of(message_class)
    assert kind is not None, "every message class has a kind"
    _refuse_unclear_type(message)
    _refuse_many_completions(message, route, revision)
    if message_class is MessageClass.PAYMENT_REQUIRED and revision.payment is PaymentForm.STATUS_TAGS:
        _refuse_what_tags_cannot_say(message)
        content = ""
    else:
        spelled = bodies.to_wire(message, message_class, route.request, revision, created_at)
        content = strict_json.dump(bodies.write(spelled, revision)).decode()
        message = spelled
    tags: list[Tag] = []
    texts = route.texts
    for rule in revision.tags[message_class]:
        if rule.emitted and (texts or rule.value is not _TEXT):  # only first messages have texts
            _append_tags(tags, rule, message, route, revision)
    return UnsignedEvent(route.sender, created_at, kind, tuple(tags), content)


def _refuse_unclear_type(message: Message) -> None:
    """Where kinds or ids do not tell requests from notifications, the method's name does, so names must be MCP's."""
    if not isinstance(message, (Request, Notification)):
        return
    if message.method == "" or is_notified(message.method) != isinstance(message, Notification):
        raise bodies.not_carried(f"the method of this {type(message).__name__.lower()}")


def _refuse_many_completions(message: Message, route: Route, revision: Revision) -> None:
    completes = route.request is not None and route.request.method == bodies.COMPLETION_METHOD
    if not completes or not isinstance(message, Result) or Rule.COMPLETION_VALUES not in revision.requirements:
        return
    number = len(bodies.completions_in(message.result) or ())
    if number > bodies.MOST_COMPLETIONS:
        limit = bodies.MOST_COMPLETIONS
        raise LocalProtocolError(ErrorClass.MALFORMED_BODY, f"{number} values in a completion, {limit} at most")


def _refuse_what_tags_cannot_say(message: Message) -> None:
    params = (message.params or {}) if isinstance(message, Notification) else {}
    known = {"amount", "currency", "invoice", "description", "expiration"}
    if not isinstance(message, Notification) or message.method != bodies.PAYMENT_METHOD or params.keys() - known:
        raise bodies.not_carried("news of a payment other than a demand with amount, currency and invoice")
    fault = bodies.fault_in_demand(params)
    if fault is not None:
        raise bodies.not_carried(fault)


def is_notified(method: str) -> bool:
    """Whether a method is a notification's by its name."""
    return method.startswith("notifications/")


def classify(message: Message, route: Route) -> MessageClass:
    """The class of a message that is about to be sent."""
    if isinstance(message, Request):
        return request_class(message.method)
    if isinstance(message, Notification):
        return notification_class(message.method, route.role)
    if isinstance(message, Error):
        return MessageClass.ERROR
    return response_class(route.request.method if route.request else None)


def request_class(method: str) -> MessageClass:
    return _OWN_CLASSES.get(method, MessageClass.REQUEST)


_OWN_CLASSES = {"initialize": MessageClass.INITIALIZE, "ping": MessageClass.PING}


def response_class(answered: str | None) -> MessageClass:
    if answered == "initialize":
        return MessageClass.INITIALIZE_RESPONSE
    return MessageClass.LIST_RESPONSE if answered and answered.endswith("/list") else MessageClass.RESPONSE


def notification_class(method: str, role: Role) -> MessageClass:
    """The class of a notification that `role` sends."""
    own = _OWN_NOTIFICATIONS.get(method)
    if own is not None:
        return own
    return MessageClass.NOTIFICATION_TO_CLIENT if role is Role.SERVER else MessageClass.NOTIFICATION_TO_SERVER


_OWN_NOTIFICATIONS = {
    "notifications/initialized": MessageClass.INITIALIZED,
    "notifications/progress": MessageClass.PROGRESS,
    **dict.fromkeys(bodies.CANCEL_METHODS, MessageClass.CANCEL),
    **dict.fromkeys(bodies.PAYMENT_METHODS, MessageClass.PAYMENT_REQUIRED),
}


def _append_tags(tags: list[Tag], rule: TagRule, message: Message, route: Route, revision: Revision) -> None:
    """What one rule contributes to an event: nothing for an optional tag whose value is not known."""
    made = _VALUES.get(rule.value)
    if made is None:
        tags.extend(_said_by_route(rule, route, revision))
        return
    value = made(message, route)
    if value is not None:
        tags.append((rule.name, *value))
    elif rule.presence is Presence.REQUIRED:
        raise LocalProtocolError(ErrorClass.MISSING_TAG, f"the {rule.name} tag is required, its value is not given")


def _said_by_route(rule: TagRule, route: Route, revision: Revision) -> list[Tag]:
    """Tags of which there may be none or several."""
    if rule.value is TagValue.PAYMENT_METHODS:
        return [(rule.name, method) for method in route.payment_methods]
    if rule.value is _TEXT:
        return [(rule.name, route.texts[rule.name])] if rule.name in route.texts else []
    assert rule.value is TagValue.PRICES, "no other value is on messages"
    listed = PRICED_TYPES.get(route.request.method if route.request else "")
    return [price_tag(rule.name, price, revision) for price in route.prices if price.type == listed]


def _method(message: Message, _route: Route) -> tuple[str, ...] | None:
    return (message.method,) if isinstance(message, (Request, Notification)) else None


def _time(message: Message, _route: Route) -> tuple[str, ...] | None:
    params = _params(message)
    return (str(params["expiration"]),) if "expiration" in params else None


def _params(message: Message) -> dict[str, Any]:
    return (message.params or {}) if isinstance(message, Notification) else {}


# The elements of a tag after its name, None if what they are made from is not known.
_VALUES: dict[TagValue, Callable[[Message, Route], tuple[str, ...] | None]] = {
    TagValue.RECIPIENT: lambda _, route: (route.recipient.hex(),),
    TagValue.SERVER_ID: lambda _, route: None if route.server_id is None else (route.server_id,),
    TagValue.REQUEST_EVENT: lambda _, route: None if route.request is None else (route.request.event_id.hex(),),
    TagValue.METHOD: _method,
    TagValue.FLAG: lambda _, route: () if route.encryption else None,
    TagValue.EPHEMERAL_FLAG: lambda _, route: () if route.ephemeral_wraps else None,
    TagValue.STATUS: lambda _, __: ("payment-required",),
    TagValue.AMOUNT: lambda message, _: _amount(_params(message)),
    TagValue.TIME: _time,
}


def _amount(params: dict[str, Any]) -> tuple[str, str]:
    if params.get("currency") != "sats" or not bodies.is_invoice(params["invoice"]):
        raise bodies.not_carried("a demand for payment by anything but a Lightning invoice in sats")
    return str(params["amount"]), params["invoice"]


def price_tag(name: str, price: Price, revision: Revision) -> Tag:
    """The tag that prices a capability."""
    typed = revision.prices is PriceForm.TYPED and price.type
    capability = f"{price.type}:{price.capability}" if typed else price.capability
    return name, capability, price.amount, price.unit


class Decoded(NamedTuple):
    """What an event says: a message as MCP spells it, its class, and its way."""

    message: Message
    message_class: MessageClass
    sender: bytes
    server_id: str | None
    request_event_id: bytes | None


def decode(event: Event, revision: Revision, sender_role: Role) -> Decoded:
    """The message in a verified event. Tolerant wherever a peer's reading can be understood without guessing.

    Where JSON-RPC ids do not travel, a request is named by its own event id and a response by the `e` tag's.
    """
    if is_payment_by_tags(event, revision):
        message: Message = _payment_in(event)
        server_id = _server_id(event, "s", revision)
        return Decoded(message, MessageClass.PAYMENT_REQUIRED, event.pubkey, server_id, first_hex(event, "e"))
    body = read_body(event)
    family = family_of(event, body, revision)
    if family == RESPONSES:
        reference = first_hex(event, "e")
        if reference is None:
            raise _missing("e")
        message = jsonrpc.parse(_whole_response(body, reference, revision))
        if not isinstance(message, (Result, Error)):
            raise Violation(ErrorClass.MALFORMED_BODY, "event.content", "a request on the kind of responses")
        message_class = MessageClass.ERROR if isinstance(message, Error) else response_class(answered(message))
        return Decoded(message, message_class, event.pubkey, _server_id(event, "d", revision), reference)
    message = jsonrpc.parse(_whole_call(body, event, revision, is_request=family == REQUESTS))
    assert isinstance(message, (Request, Notification)), "a whole call has a method, so it is no response"
    if first_hex(event, "p") is None:
        raise _missing("p")
    if revision.method_tag_binds and event.first("method") not in (None, message.method):
        raise Violation(ErrorClass.METHOD_MISMATCH, "event.tags", "the method tag names another method than content")
    server_id = _server_id(event, "s", revision)
    if isinstance(message, Request):
        return Decoded(message, request_class(message.method), event.pubkey, server_id, None)
    reference = first_hex(event, "e")
    message_class = notification_class(message.method, sender_role)
    if message_class is MessageClass.PAYMENT_REQUIRED and reference is None:
        raise _missing("e")
    message = bodies.from_wire(message, reference.hex() if reference else None, revision, event.created_at)
    return Decoded(message, message_class, event.pubkey, server_id, reference)


def _server_id(event: Event, name: str, revision: Revision) -> str | None:
    return event.first(name) if revision.server_ids else None


def is_payment_by_tags(event: Event, revision: Revision) -> bool:
    """Whether an event is a demand for payment that says all in tags, so that its content is not JSON."""
    by_tags = revision.payment is PaymentForm.STATUS_TAGS and event.kind == revision.kinds.notification
    return by_tags and event.content == "" and event.first("status") is not None


def read_body(event: Event) -> bodies.Body:
    """The JSON object in content; an array is a batch."""
    value = strict_json.parse(event.content)
    if type(value) is list:
        raise Violation(McpErrorClass.BATCH, "event.content", "one event carries one message, not a batch")
    if type(value) is not dict:
        raise Violation(McpErrorClass.NOT_A_MESSAGE, "event.content", "content is not a JSON object")
    return value


def family_of(event: Event, body: bodies.Body, revision: Revision) -> frozenset[MessageClass]:
    """Requests, responses or notifications: by kind where kinds differ, by content where one kind serves all."""
    kinds = revision.kinds
    if event.kind not in (kinds.request, kinds.response, kinds.notification):
        raise Violation(NostrErrorClass.WRONG_KIND, "event.kind", f"kind {event.kind} carries no message here")
    if kinds.request != kinds.response:
        method = body.get("method")
        if event.kind == kinds.request and "id" not in body and type(method) is str and is_notified(method):
            return NOTIFICATIONS  # as some clients send `initialized`; nobody may answer it
        by_kind = {kinds.request: REQUESTS, kinds.response: RESPONSES, kinds.notification: NOTIFICATIONS}
        return by_kind[event.kind]
    if "method" not in body:
        if body.keys().isdisjoint({"result", "error"}) and not _fails_at_root(body, revision):
            jsonrpc.parse({"jsonrpc": "2.0"})
        return RESPONSES
    return call_family(body)


def call_family(body: bodies.Body) -> frozenset[MessageClass]:
    """Requests or notifications: whole JSON-RPC tells by its id, a stripped message by its method's name."""
    method = body["method"]
    if "jsonrpc" in body:
        return REQUESTS if "id" in body else NOTIFICATIONS
    return NOTIFICATIONS if type(method) is str and is_notified(method) else REQUESTS


def _fails_at_root(body: bodies.Body, revision: Revision) -> bool:
    """Whether a failed call stands at the root of content, as one reading of a revision with two has it (AMB-215)."""
    return Envelope.NESTED in revision.tolerated_envelopes and body.get("isError") is True


def first_hex(event: Event, name: str) -> bytes | None:
    """The 32 bytes of the first tag of this name, or None; another value is a Violation."""
    value = event.first(name)
    if value is None:
        return None
    if not is_hex32(value):
        raise Violation(ErrorClass.MALFORMED_TAG, "event.tags", f"the {name} tag does not hold 64 hexadecimal digits")
    return bytes.fromhex(value)


def _missing(name: str) -> Violation:
    return Violation(ErrorClass.MISSING_TAG, "event.tags", f"there is no {name} tag")


def _whole_call(body: bodies.Body, event: Event, revision: Revision, *, is_request: bool) -> bodies.Body:
    """A request or notification as whole JSON-RPC, whatever of it the revision leaves out."""
    stripped = revision.tolerated_envelopes != _WHOLE_ONLY
    if not stripped and type(body.get("method")) is str and is_request == ("id" in body):
        return body
    whole = {**body, "jsonrpc": "2.0"} if stripped else dict(body)
    if not is_request:
        whole.pop("id", None)
    elif stripped and not (revision.ids_travel and "id" in body):
        whole["id"] = event.id.hex()
    elif "id" not in body:
        whole["id"] = None
    whole.setdefault("method", None)
    return whole


def _whole_response(body: bodies.Body, reference: bytes, revision: Revision) -> bodies.Body:
    """A response as whole JSON-RPC, whatever of it the revision leaves out."""
    if revision.tolerated_envelopes == _WHOLE_ONLY:
        return body
    its_id = body["id"] if revision.ids_travel and "id" in body else reference.hex()
    whole: bodies.Body = {"jsonrpc": "2.0", "id": its_id}
    if revision.envelope is Envelope.HOISTED:
        return whole | ({"error": body["error"]} if bodies.is_error(body) else {"result": bodies.hoisted_in(body)})
    if _fails_at_root(body, revision) and body.keys().isdisjoint({"result", "error"}):
        return whole | {"result": bodies.hoisted_in(body)}
    return whole | {name: body[name] for name in ("result", "error") if name in body}


def answered(answer: Result) -> str | None:
    """The method that a result answers, as far as the result alone tells."""
    if {"protocolVersion", "capabilities", "serverInfo"} <= answer.result.keys():
        return "initialize"
    if bodies.completions_in(answer.result) is not None:
        return bodies.COMPLETION_METHOD
    return next((f"{name}/list" for name in LIST_MEMBERS.values() if name in answer.result), None)


def _payment_in(event: Event) -> Notification:
    """A demand for payment by tags, as a notification; the older amount, unit, invoice form is understood too."""
    amounts = [tag for tag in event.tags if tag[0] == "amount"]
    if not amounts:
        raise _missing("amount")
    if first_hex(event, "e") is None:
        raise _missing("e")
    amount = nip40.whole_number(event.first("amount") or "")
    second = amounts[0][2] if len(amounts[0]) > 2 else "sats"
    has_invoice = bodies.is_invoice(second)
    invoice = second if has_invoice else event.first("invoice")
    currency = "sats" if has_invoice or second == "sat" else second
    if event.first("status") != "payment-required" or len(amounts) > 1 or amount is None or invoice is None:
        raise Violation(ErrorClass.MALFORMED_TAG, "event.tags", "not one status, one amount and one invoice")
    expires = nip40.expiration(event)
    params: bodies.Body = {"amount": amount, "currency": currency, "invoice": invoice}
    return Notification(bodies.PAYMENT_METHOD, params | ({} if expires is None else {"expiration": expires}))


def usual_sender(method: str) -> Role:
    """Who sends a method, by the MCP versions that have it; the server where both do."""
    for version in catalogue.CATALOGUE:
        entry = catalogue.find(method, version)
        if entry is not None and entry.direction is catalogue.Direction.TO_SERVER:
            return Role.CLIENT
    return Role.CLIENT if method in bodies.CANCEL_METHODS else Role.SERVER
