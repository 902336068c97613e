"""Content: a JSON-RPC message in the envelope of a revision, and back."""

from __future__ import annotations

from typing import Any

from ..mcp.jsonrpc import Error, Id, Message, Notification, Request, Result
from ..nostr import LocalProtocolError, Violation
from ..revisions.model import CancelForm, Envelope, MessageClass, PaymentForm, ProgressForm, Revision
from .errors import ErrorClass
from .route import RequestReference

CANCEL_METHODS = ("notifications/cancelled", "notifications/cancel")
PAYMENT_METHOD = "notifications/payment_required"
PAYMENT_METHODS = (PAYMENT_METHOD, "notifications/payment_accepted", "notifications/payment_rejected")
BOLT11_METHOD = "bitcoin-lightning-bolt11"

Body = dict[str, Any]


def write(message: Message, revision: Revision) -> Body:
    """The object that stands in content."""
    whole = revision.envelope is Envelope.JSONRPC
    match message:
        case Request(its_id, method, params):
            body: Body = {"jsonrpc": "2.0", "id": its_id} if whole else {}
            return body | _method(method, params)
        case Notification(method, params):
            return ({"jsonrpc": "2.0"} if whole else {}) | _method(method, params)
        case Result(its_id, result):
            if revision.envelope is Envelope.HOISTED:
                return _hoisted(result)
            return ({"jsonrpc": "2.0", "id": its_id} if whole else {}) | {"result": result}
        case Error(its_id, code, text, data):
            error = {"code": code, "message": text} | ({} if data is None else {"data": data})
            return ({"jsonrpc": "2.0", "id": its_id} if whole else {}) | {"error": error}


def _method(method: str, params: Body | None) -> Body:
    return {"method": method} | ({} if params is None else {"params": params})


def _hoisted(result: Body) -> Body:
    if is_error(result) or _is_wrapped(result) or not result.keys().isdisjoint({"jsonrpc", "id"}):
        raise not_carried("a result that reads as an error, a wrapped result or an envelope at the root of content")
    return result


def is_error(body: Body) -> bool:
    """Whether a response's content is an error: an object with code and message, and nothing beside the envelope."""
    error = body.get("error")
    return (
        body.keys() <= {"error", "jsonrpc", "id"}
        and type(error) is dict
        and type(error.get("code")) is int
        and type(error.get("message")) is str
    )


def _is_wrapped(body: Body) -> bool:
    return "result" in body and body.keys() <= {"result", "jsonrpc", "id"}


def hoisted_in(body: Body) -> Any:
    """The result of a response that has it at its root, or, from senders that do not hoist, in `result`."""
    if _is_wrapped(body):
        return body["result"]
    return {key: value for key, value in body.items() if key not in ("jsonrpc", "id")}


def to_wire(
    message: Message,
    message_class: MessageClass,
    request: RequestReference | None,
    revision: Revision,
    created_at: int,
) -> Message:
    """A message as the revision spells it: cancel, progress and demands for payment have forms of their own."""
    if not isinstance(message, Notification):
        return message
    params = dict(message.params or {})
    if message_class is MessageClass.CANCEL:
        own = params.pop("requestId", None)
        named = own if revision.ids_travel else _event_id(request)
        if revision.cancel is CancelForm.SEED:
            return Notification("notifications/cancel", {"id": named, **params})
        return Notification(message.method, {"requestId": named, **params})
    if message_class is MessageClass.PROGRESS and revision.progress is ProgressForm.BOTH:
        named = request.id if revision.ids_travel and request else _event_id(request)
        return Notification(message.method, {"id": named, **params})
    if message.method == PAYMENT_METHOD and revision.payment is PaymentForm.PAYMENT_REQUEST:
        return Notification(message.method, _payment_request(params, created_at))
    return message


def _event_id(request: RequestReference | None) -> str:
    if request is None:
        raise LocalProtocolError(ErrorClass.MISSING_TAG, "the request that this message is about is not given")
    return request.event_id.hex()


def _payment_request(params: Body, created_at: int) -> Body:
    invoice = params.pop("invoice", None)
    if params.pop("currency", "sats") != "sats" or type(invoice) is not str or not invoice.startswith("lnbc"):
        raise not_carried("a demand for payment by anything but a Lightning invoice in sats")
    if "expiration" in params:
        params["ttl"] = max(0, params.pop("expiration") - created_at)
    amount = params.pop("amount", None)
    return {"amount": amount, "pay_req": invoice, "pmi": BOLT11_METHOD, **params}


def from_wire(method: str, params: Body | None, request_event_id: str | None, created_at: int) -> Notification:
    """A notification as MCP spells it, from either spelling."""
    given = dict(params or {})
    if method in CANCEL_METHODS:
        named: Id | None = given.pop("id", None)
        named = given.pop("requestId", named)
        named = request_event_id if named is None else named
        if named is None:
            raise Violation(ErrorClass.MALFORMED_BODY, "event.content.params", "a cancel that names no request")
        return Notification(CANCEL_METHODS[0], {"requestId": named, **given})
    if method == "notifications/progress" and "id" in given:
        named = given.pop("id")
        return Notification(method, {"progressToken": named, **given})
    if method == PAYMENT_METHOD:
        return Notification(method, _demand_in(given, created_at))
    return Notification(method, params)


def _demand_in(params: Body, created_at: int) -> Body:
    """A demand for payment with amount, currency and invoice, from that form or from a payment request."""
    if params.get("pmi", BOLT11_METHOD) != BOLT11_METHOD:
        return params  # another way to pay: nothing of it is an invoice in sats
    if "pmi" in params:
        params = {"currency": "sats", "invoice": params.get("pay_req"), **params}
        if type(params.get("ttl")) is int:
            params["expiration"] = created_at + params["ttl"]
    if type(params.get("amount")) is not int or type(params.get("invoice")) is not str:
        raise Violation(ErrorClass.MALFORMED_BODY, "event.content.params", "a demand without amount or invoice")
    names = ("amount", "currency", "invoice", "description", "expiration")
    return {name: params[name] for name in names if name in params}


def not_carried(detail: str) -> LocalProtocolError:
    return LocalProtocolError(ErrorClass.NOT_CARRIED, f"this revision has no form for {detail}")
