"""Content: a JSON-RPC message in the envelope of a revision, and back."""

from __future__ import annotations

from typing import Any

from ..mcp.jsonrpc import Error, Message, Notification, Request, is_id
from ..nostr import LocalProtocolError, Violation
from ..nostr.event import MAX_CREATED_AT
from ..revisions.model import CancelForm, Envelope, MessageClass, PaymentForm, ProgressForm, Revision
from .errors import ErrorClass
from .route import RequestReference

CANCEL_METHODS = ("notifications/cancelled", "notifications/cancel")
PAYMENT_METHOD = "notifications/payment_required"
PAYMENT_METHODS = (PAYMENT_METHOD, "notifications/payment_accepted", "notifications/payment_rejected")
BOLT11_METHOD = "bitcoin-lightning-bolt11"
COMPLETION_METHOD = "completion/complete"
MOST_COMPLETIONS = 100

Body = dict[str, Any]


def write(message: Message, revision: Revision) -> Body:
    """The object that stands in content."""
    whole = revision.envelope is Envelope.JSONRPC
    if isinstance(message, Request):
        return ({"jsonrpc": "2.0", "id": message.id} if whole else {}) | _method(message.method, message.params)
    if isinstance(message, Notification):
        return ({"jsonrpc": "2.0"} if whole else {}) | _method(message.method, message.params)
    envelope: Body = {"jsonrpc": "2.0", "id": message.id} if whole else {}
    if isinstance(message, Error):
        error = {"code": message.code, "message": message.message}
        return envelope | {"error": error | ({} if message.data is None else {"data": message.data})}
    return _hoisted(message.result) if revision.envelope is Envelope.HOISTED else envelope | {"result": message.result}


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


def completions_in(result: Any) -> list[Any] | None:
    """The values of a completion, None in a result that is none."""
    completion = result.get("completion") if type(result) is dict else None
    values = completion.get("values") if type(completion) is dict else None
    return values if type(values) is list else None


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
        return _cancel(params, request, revision)
    if message_class is MessageClass.PROGRESS and revision.progress is ProgressForm.BOTH:
        if "id" in params:
            raise not_carried("progress with a member `id` of its own")
        named = request.id if revision.ids_travel and request else _event_id(request)
        return Notification(message.method, {"id": named, **params})
    if message.method == PAYMENT_METHOD:
        _refuse_unreadable_demand(params, revision)
        if revision.payment is PaymentForm.PAYMENT_REQUEST:
            return Notification(message.method, _payment_request(params, created_at))
    return message


def _event_id(request: RequestReference | None) -> str:
    if request is None:
        raise LocalProtocolError(ErrorClass.MISSING_TAG, "the request that this message is about is not given")
    return request.event_id.hex()


def _cancel(params: Body, request: RequestReference | None, revision: Revision) -> Notification:
    own = params.pop("requestId", None)
    named = own if revision.ids_travel else _event_id(request)
    if not is_id(named):
        raise LocalProtocolError(ErrorClass.MALFORMED_BODY, "a cancel names its request by a string or an integer")
    if revision.cancel is CancelForm.MCP:
        return Notification(CANCEL_METHODS[0], {"requestId": named, **params})
    if "id" in params:
        raise not_carried("a cancel with a member `id` of its own")
    return Notification(CANCEL_METHODS[1], {"id": named, **params})


def _refuse_unreadable_demand(params: Body, revision: Revision) -> None:
    if "pmi" in params:
        if revision.payment is not PaymentForm.PAYMENT_REQUEST or "pay_req" not in params:
            raise not_carried("a demand for payment in a way other than by an invoice")
        return
    fault = fault_in_demand(params)
    if fault is not None:
        raise not_carried(fault)


def fault_in_demand(params: Body) -> str | None:
    """What is wrong with a demand for payment by an invoice (HOUSE-PAY-14)."""
    amount, expiration = params.get("amount"), params.get("expiration", 0)
    if type(amount) is not int or not 0 <= amount <= MAX_CREATED_AT or type(params.get("invoice")) is not str:
        return "a demand for payment without a whole amount or without an invoice"
    if type(expiration) is not int or not 0 <= expiration <= MAX_CREATED_AT:
        return "a demand for payment that expires at no unix time"
    return None if type(params.get("currency", "")) is str else "a demand for payment in a currency without a name"


def is_invoice(text: str) -> bool:
    """Whether a text is a Lightning invoice by its beginning, in small letters or, as for QR codes, in capitals."""
    return text[:2].lower() == "ln"


def _payment_request(params: Body, created_at: int) -> Body:
    if "pmi" in params:
        return params
    invoice = params.pop("invoice", None)
    if params.pop("currency", None) != "sats" or type(invoice) is not str or not invoice.lower().startswith("lnbc"):
        raise not_carried("a demand for payment by anything but a Lightning invoice in sats")
    if "expiration" in params:
        expiration = params.pop("expiration")
        if type(expiration) is not int or expiration <= created_at:
            raise not_carried("a demand for payment that has expired, or expires at no time")
        params["ttl"] = expiration - created_at
    return {"amount": params["amount"], "pay_req": invoice, "pmi": BOLT11_METHOD, **params}


def from_wire(call: Notification, request_event_id: str | None, revision: Revision, created_at: int) -> Notification:
    """A notification as MCP spells it, from either spelling."""
    given = dict(call.params or {})
    if call.method in CANCEL_METHODS:
        named = given.pop("id", None) if revision.cancel is CancelForm.SEED else None
        named = given.pop("requestId", named)
        named = request_event_id if named is None else named
        if not is_id(named):
            raise _malformed("a cancel names its request by a string or an integer")
        return Notification(CANCEL_METHODS[0], {"requestId": named, **given})
    if call.method == "notifications/progress" and revision.progress is ProgressForm.BOTH and "id" in given:
        named = given.pop("id")
        return Notification(call.method, {"progressToken": named, **given})
    if call.method == PAYMENT_METHOD:
        return Notification(call.method, _demand_in(given, created_at))
    return call


def _demand_in(given: Body, created_at: int) -> Body:
    """A demand for payment with amount, currency and invoice, from that form or from a payment request.

    One to be paid in a way that is not known here stays as it is. Members that nobody knows are kept.
    """
    if "pmi" in given and given["pmi"] != BOLT11_METHOD:
        return given
    if "pmi" in given:
        ttl = given.pop("ttl", None)
        if ttl is not None:
            given["expiration"] = created_at + ttl if type(ttl) is int else ttl
        del given["pmi"]
        given = {"currency": "sats", "invoice": given.pop("pay_req", None), **given}
    fault = fault_in_demand(given)
    if fault is not None:
        raise _malformed(fault)
    return given


def _malformed(detail: str) -> Violation:
    return Violation(ErrorClass.MALFORMED_BODY, "event.content.params", detail)


def not_carried(detail: str) -> LocalProtocolError:
    return LocalProtocolError(ErrorClass.NOT_CARRIED, f"this revision has no form for {detail}")
