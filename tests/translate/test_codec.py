"""There and back: every message class under every revision, what each lets go, and what each refuses to send."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nostrmcp.mcp import ErrorClass as McpErrorClass
from nostrmcp.mcp.jsonrpc import Error, Message, Notification, Request, Result
from nostrmcp.nostr import ErrorClass as NostrErrorClass
from nostrmcp.nostr import Event, LocalProtocolError, UnsignedEvent, Violation
from nostrmcp.revisions import REVISIONS, VARIANTS, Revision
from nostrmcp.revisions.detect import detect
from nostrmcp.revisions.model import (
    RESPONSES,
    Envelope,
    MessageClass,
    PaymentForm,
    Presence,
    ProgressForm,
    Rule,
    TagValue,
)
from nostrmcp.translate import announce, codec
from nostrmcp.translate.check import check
from nostrmcp.translate.codec import Decoded, decode, encode
from nostrmcp.translate.errors import ErrorClass
from nostrmcp.translate.route import Price, RequestReference, Role, Route
from tests.nostr.strategies import ALICE, share, signed

from .strategies import (
    CLASSES,
    EVERY,
    NOW,
    OTHER,
    PUBKEYS,
    SAMPLES,
    Sent,
    arbitrary_events,
    changed,
    every_class,
    every_revision,
    exact,
    route_by,
    sent,
    sign,
)

REV1, EPHEMERAL, REV1_1, CTXVM, CONTEXTVM = REVISIONS.values()
STRICT = VARIANTS["ctxvm-draft-strict-text"]
TAGGED_PAYMENT = [revision for revision in EVERY.values() if revision.payment is PaymentForm.STATUS_TAGS]
ENCRYPTION = {"support_encryption": "encryption", "support_encryption_ephemeral": "ephemeral_wraps"}
CALL = RequestReference(bytes(range(32)), "tools/call", 7)


def named(revisions: list[Revision]) -> Any:
    return pytest.mark.parametrize("revision", revisions, ids=[revision.name for revision in revisions])


def refused(error_class: Any, event: Event, revision: Revision, sender: Role = Role.CLIENT) -> None:
    with pytest.raises(Violation) as caught:
        decode(event, revision, sender)
    assert caught.value.error_class is error_class


def misused(error_class: Any, message: Message, route: Route, revision: Revision) -> None:
    with pytest.raises(LocalProtocolError) as caught:
        encode(message, route, revision, NOW)
    assert caught.value.error_class is error_class


# There and back


def reads_as_something_else(result: dict[str, Any]) -> bool:
    """Whether a result's members, at the root of content, are an envelope, a wrapped result or an error."""
    error = result.get("error")
    is_error = isinstance(error, dict) and type(error.get("code")) is int and type(error.get("message")) is str
    return "jsonrpc" in result or "id" in result or set(result) == {"result"} or (set(result) == {"error"} and is_error)


def expected(one: Sent, revision: Revision, event: Event) -> Message:
    """What comes back: the message, but for the losses that the revision declares."""
    message, reference = one.message, one.route.request
    if not revision.ids_travel:
        if isinstance(message, Request):
            return replace(message, id=event.id.hex())
        assert reference is not None or isinstance(message, Notification)
        if isinstance(message, (Result, Error)):
            return replace(message, id=reference.event_id.hex())
        if one.message_class is MessageClass.CANCEL:
            return replace(message, params={**message.params, "requestId": reference.event_id.hex()})
    if isinstance(message, Notification) and message.method == "notifications/payment_required":
        lost = set()
        if revision.payment is PaymentForm.STATUS_TAGS:
            lost = {"description"}
            if all(rule.value is not TagValue.TIME for rule in revision.tags[MessageClass.PAYMENT_REQUIRED]):
                lost |= {"expiration"}
        params = {name: value for name, value in (message.params or {}).items() if name not in lost}
        return replace(message, params=params)
    return message


def tags_can_say(one: Sent, revision: Revision) -> bool:
    """Demands for payment by tags have no place for members of their own."""
    by_tags = one.message_class is MessageClass.PAYMENT_REQUIRED and revision.payment is PaymentForm.STATUS_TAGS
    return not (by_tags and "x-more" in one.message.params)


def emits(revision: Revision, message_class: MessageClass, value: TagValue) -> bool:
    return any(rule.value is value and rule.emitted for rule in revision.tags[message_class])


@every_revision
@every_class
@share(3)
@given(data=st.data())
def test_there_and_back(revision: Revision, message_class: MessageClass, data: st.DataObject) -> None:
    one: Sent = data.draw(sent(message_class))
    result = one.message.result if isinstance(one.message, Result) else {}
    if revision.envelope is Envelope.HOISTED:
        if reads_as_something_else(result):
            misused(ErrorClass.NOT_CARRIED, one.message, one.route, revision)
            return
        assume("error" not in result)  # a test of its own
    if not tags_can_say(one, revision):
        misused(ErrorClass.NOT_CARRIED, one.message, one.route, revision)
        return
    unsigned = one.unsigned(revision)
    assert unsigned == one.unsigned(revision)
    assert (unsigned.pubkey, unsigned.created_at) == (one.route.sender, one.created_at)
    assert unsigned.kind == revision.kinds.of(message_class)
    event = sign(unsigned, one.route.role)
    decoded = decode(event, revision, one.route.role)
    assert exact(decoded.message) == exact(expected(one, revision, event))
    reference = one.route.request
    assert decoded == Decoded(
        decoded.message,
        message_class,
        one.route.sender,
        one.route.server_id if revision.server_ids and emits(revision, message_class, TagValue.SERVER_ID) else None,
        reference.event_id if reference and emits(revision, message_class, TagValue.REQUEST_EVENT) else None,
    )
    assert check(event, revision, one.answers) == ()
    if message_class is not MessageClass.INITIALIZED or revision.initialized_is_sent:
        base = CTXVM.name if revision is STRICT else revision.name
        assert base in detect(event).candidates


@every_revision
@every_class
@share(10)
@given(data=st.data())
def test_what_is_not_known_is_left_out_or_refused(
    revision: Revision, message_class: MessageClass, data: st.DataObject
) -> None:
    """Without a server id, or without the request: a required tag is refused, an optional one is not there."""
    one: Sent = data.draw(sent(message_class))
    assume(not isinstance(one.message, Result) or not {"jsonrpc", "id", "result", "error"} & set(one.message.result))
    assume(tags_can_say(one, revision))
    no_server, no_request = data.draw(st.sampled_from(((True, False), (False, True), (True, True))))
    if isinstance(one.message, Result):
        no_request = False  # it would be another class
    route = replace(
        one.route,
        server_id=None if no_server else one.route.server_id,
        request=None if no_request else one.route.request,
    )
    unknown = {TagValue.SERVER_ID} if no_server else set()
    unknown |= {TagValue.REQUEST_EVENT} if route.request is None else set()
    rules = revision.tags[message_class]
    lacking = any(rule.value in unknown and rule.presence is Presence.REQUIRED for rule in rules)
    if message_class is MessageClass.PROGRESS and revision.progress is ProgressForm.BOTH:
        lacking |= route.request is None
    if message_class is MessageClass.CANCEL and not revision.ids_travel:
        lacking |= route.request is None
    if lacking:
        misused(ErrorClass.MISSING_TAG, one.message, route, revision)
        return
    event = sign(encode(one.message, route, revision, one.created_at), route.role)
    gone = {rule.name for rule in rules if rule.value in unknown}
    assert gone.isdisjoint(tag[0] for tag in event.tags)
    assert check(event, revision, one.answers) == ()
    assert exact(decode(event, revision, route.role).message) == exact(expected(one, revision, event))


@every_revision
def test_a_response_without_its_request_is_refused(revision: Revision) -> None:
    for message in (Result(1, {}), Error(1, -32603, "broken")):
        misused(ErrorClass.MISSING_TAG, message, route_by(Role.SERVER), revision)


# Values, by hand


def test_a_call_in_each_envelope() -> None:
    call = Request(7, "tools/call", {"name": "a"})
    contents = {name: encode(call, route_by(Role.CLIENT), revision, NOW).content for name, revision in EVERY.items()}
    whole = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}}'
    bare = '{"method":"tools/call","params":{"name":"a"}}'
    assert contents == {
        "dvmcp-rev1": whole,
        "dvmcp-rev1-ephemeral": whole,
        "dvmcp-rev1.1": bare,
        "ctxvm-draft": whole,
        "ctxvm-draft-strict-text": bare,
        "contextvm": whole,
    }


def test_a_result_in_each_envelope() -> None:
    route = route_by(Role.SERVER, request=CALL)
    contents = {name: encode(Result(7, {"a": 1}), route, revision, NOW).content for name, revision in EVERY.items()}
    whole = '{"jsonrpc":"2.0","id":7,"result":{"a":1}}'
    assert contents == {
        "dvmcp-rev1": whole,
        "dvmcp-rev1-ephemeral": whole,
        "dvmcp-rev1.1": '{"a":1}',
        "ctxvm-draft": whole,
        "ctxvm-draft-strict-text": '{"result":{"a":1}}',
        "contextvm": whole,
    }


def test_tags_stand_in_the_printed_order() -> None:
    tags = encode(SAMPLES[MessageClass.REQUEST].message, route_by(Role.CLIENT), REV1, NOW).tags
    assert tags == (("method", "tools/call"), ("p", PUBKEYS[Role.SERVER].hex()), ("s", "server-1"))
    tags = SAMPLES[MessageClass.PAYMENT_REQUIRED].unsigned(EPHEMERAL).tags
    assert tags == (
        ("p", PUBKEYS[Role.CLIENT].hex()),
        ("s", "server-1"),
        ("status", "payment-required"),
        ("amount", "5", "lnbc50n1"),
        ("e", CALL.event_id.hex()),
    )


@pytest.mark.parametrize(
    ("revision", "method", "params"),
    [
        (REV1, "notifications/cancel", {"id": 7, "reason": "late"}),
        (EPHEMERAL, "notifications/cancel", {"id": 7, "reason": "late"}),
        (REV1_1, "notifications/cancel", {"id": CALL.event_id.hex(), "reason": "late"}),
        (CTXVM, "notifications/cancelled", {"requestId": 7, "reason": "late"}),
        (STRICT, "notifications/cancelled", {"requestId": CALL.event_id.hex(), "reason": "late"}),
        (CONTEXTVM, "notifications/cancelled", {"requestId": 7, "reason": "late"}),
    ],
    ids=lambda value: value.name if isinstance(value, Revision) else "",
)
def test_how_a_cancel_is_spelled(revision: Revision, method: str, params: dict[str, Any]) -> None:
    cancel = Notification("notifications/cancelled", {"requestId": 7, "reason": "late"})
    event = encode(cancel, route_by(Role.CLIENT, request=CALL), revision, NOW)
    body = json.loads(event.content)
    assert (body["method"], body["params"]) == (method, params)
    assert event.first("method") in (method, None)


@pytest.mark.parametrize(
    ("revision", "name"),
    [(REV1, 7), (EPHEMERAL, 7), (REV1_1, CALL.event_id.hex()), (CTXVM, None), (STRICT, None), (CONTEXTVM, None)],
    ids=lambda value: value.name if isinstance(value, Revision) else "",
)
def test_how_progress_is_spelled(revision: Revision, name: Any) -> None:
    body = json.loads(SAMPLES[MessageClass.PROGRESS].unsigned(revision).content)
    own = {} if name is None else {"id": name}
    assert body["params"] == {**own, "progressToken": "t", "progress": 1}


def test_how_a_payment_request_is_spelled() -> None:
    demand = {"amount": 5, "currency": "sats", "invoice": "lnbc50n1", "expiration": NOW + 60, "description": "a call"}
    message = Notification("notifications/payment_required", demand)
    route = route_by(Role.SERVER, request=CALL)
    body = json.loads(encode(message, route, CONTEXTVM, NOW).content)
    assert body["params"] == {
        "amount": 5, "pay_req": "lnbc50n1", "pmi": "bitcoin-lightning-bolt11", "ttl": 60, "description": "a call",
    }  # fmt: skip
    assert json.loads(encode(message, route, CTXVM, NOW).content)["params"] == demand
    assert encode(message, route, REV1, NOW).content == ""
    assert encode(message, route, REV1, NOW).first("expiration") == str(NOW + 60)
    assert encode(message, route, EPHEMERAL, NOW).first("expiration") is None


def test_a_payment_request_by_other_means_is_sent_as_it_is() -> None:
    message = Notification("notifications/payment_required", {"amount": 5, "pay_req": "token", "pmi": "cash"})
    event = sign(encode(message, route_by(Role.SERVER, request=CALL), CONTEXTVM, NOW), Role.SERVER)
    assert json.loads(event.content)["params"] == message.params
    assert decode(event, CONTEXTVM, Role.SERVER).message == message
    assert check(event, CONTEXTVM) == ()


def test_prices_on_a_list() -> None:
    prices = (Price("tool", "a", "5", "sats"), Price("prompt", "b", "6", "sats"))
    listing = CALL._replace(method="tools/list")
    route = replace(route_by(Role.SERVER, request=listing), prices=prices)
    tags = {name: encode(Result(7, {"tools": []}), route, it, NOW).tags for name, it in EVERY.items()}
    caps = {name: tuple(tag for tag in its if tag[0] == "cap") for name, its in tags.items()}
    assert caps == {
        "dvmcp-rev1": (),
        "dvmcp-rev1-ephemeral": (),
        "dvmcp-rev1.1": (),
        "ctxvm-draft": (("cap", "a", "5", "sats"),),
        "ctxvm-draft-strict-text": (("cap", "a", "5", "sats"),),
        "contextvm": (("cap", "tool:a", "5", "sats"),),
    }


@pytest.mark.parametrize(
    ("revision", "message_class", "flags"),
    [
        (CTXVM, MessageClass.INITIALIZE, set()),
        (CTXVM, MessageClass.INITIALIZE_RESPONSE, {"support_encryption"}),
        (CONTEXTVM, MessageClass.INITIALIZE, {"support_encryption", "support_encryption_ephemeral"}),
        (CONTEXTVM, MessageClass.INITIALIZE_RESPONSE, {"support_encryption", "support_encryption_ephemeral"}),
        (CONTEXTVM, MessageClass.RESPONSE, {"support_encryption", "support_encryption_ephemeral"}),
        (CONTEXTVM, MessageClass.CANCEL, set()),
        (REV1, MessageClass.INITIALIZE_RESPONSE, set()),
    ],
    ids=lambda value: value.name if isinstance(value, Revision) else "",
)
def test_encryption_flags(revision: Revision, message_class: MessageClass, flags: set[str]) -> None:
    one = SAMPLES[message_class]
    for said in ({"support_encryption"}, {"support_encryption_ephemeral"}, set(ENCRYPTION), set()):
        chosen = {field: name in said for name, field in ENCRYPTION.items()}
        tags = encode(one.message, replace(one.route, **chosen), revision, NOW).tags
        assert {tag[0] for tag in tags if len(tag) == 1} == flags & said


# Refused, not lost: whatever a revision cannot carry


def _with_params(one: Sent, **params: Any) -> Sent:
    assert isinstance(one.message, Notification)
    merged = {name: value for name, value in {**(one.message.params or {}), **params}.items() if value is not None}
    return replace(one, message=Notification(one.message.method, merged))


_PAYMENT, _CANCEL, _PROGRESS = (
    SAMPLES[one] for one in (MessageClass.PAYMENT_REQUIRED, MessageClass.CANCEL, MessageClass.PROGRESS)
)
_REQUEST, _RESPONSE = SAMPLES[MessageClass.REQUEST], SAMPLES[MessageClass.RESPONSE]
_DEEP: Any = {}
for _ in range(130):
    _DEEP = {"a": _DEEP}
AWKWARD: dict[str, Sent] = {
    "payment in another currency": _with_params(_PAYMENT, currency="usd"),
    "payment without an amount": _with_params(_PAYMENT, amount=None),
    "payment with a fraction": _with_params(_PAYMENT, amount=1.5),
    "payment with a boolean amount": _with_params(_PAYMENT, amount=True),
    "payment with a negative amount": _with_params(_PAYMENT, amount=-5),
    "payment with a great amount": _with_params(_PAYMENT, amount=10**30),
    "payment with an endless amount": _with_params(_PAYMENT, amount=10**5000),
    "payment without an invoice": _with_params(_PAYMENT, invoice=None),
    "payment with an invoice that is none": _with_params(_PAYMENT, invoice="cashu"),
    "payment with an invoice of a test network": _with_params(_PAYMENT, invoice="lntb50n1"),
    "payment with an invoice that is no text": _with_params(_PAYMENT, invoice=5),
    "payment that has expired": _with_params(_PAYMENT, expiration=NOW - 60),
    "payment that expires in words": _with_params(_PAYMENT, expiration="soon"),
    "payment that expires at a fraction": _with_params(_PAYMENT, expiration=NOW + 0.5),
    "payment that expired before time": _with_params(_PAYMENT, expiration=-1),
    "payment without params": replace(_PAYMENT, message=Notification("notifications/payment_required")),
    "payment by other means": replace(
        _PAYMENT,
        message=Notification("notifications/payment_required", {"amount": 5, "pay_req": "token", "pmi": "cash"}),
    ),
    "payment accepted": replace(
        _PAYMENT, message=Notification("notifications/payment_accepted", {"amount": 5, "pmi": "cash"})
    ),
    "payment accepted, with its invoice": replace(
        _PAYMENT, message=Notification("notifications/payment_accepted", {"amount": 5, "invoice": "lnbc1", "pmi": "x"})
    ),
    "cancel without a request id": _with_params(_CANCEL, requestId=None),
    "cancel without a request id or request": replace(
        _with_params(_CANCEL, requestId=None), route=replace(_CANCEL.route, request=None)
    ),
    "cancel with an id beside its request id": _with_params(_CANCEL, id=8),
    "progress with an id beside its token": _with_params(_PROGRESS, id=8),
    "request named like a notification": replace(_REQUEST, message=Request(7, "notifications/x")),
    "notification named like a request": replace(_REQUEST, message=Notification("x")),
    "request without a name": replace(_REQUEST, message=Request(7, "")),
    "result that is an error": replace(_RESPONSE, message=Result(7, {"error": {"code": 1, "message": "m"}})),
    "result that is an error and more": replace(
        _RESPONSE, message=Result(7, {"error": {"code": 1, "message": "m"}, "a": 1})
    ),
    "result with an error that is none": replace(_RESPONSE, message=Result(7, {"error": "m"})),
    "result with an error that is none, and more": replace(_RESPONSE, message=Result(7, {"error": "m", "a": 1})),
    "result that is a result": replace(_RESPONSE, message=Result(7, {"result": {}})),
    "result with a result and more": replace(_RESPONSE, message=Result(7, {"result": {}, "a": 1})),
    "result with an id": replace(_RESPONSE, message=Result(7, {"id": 1})),
    "result with a jsonrpc": replace(_RESPONSE, message=Result(7, {"jsonrpc": "2.0", "a": 1})),
    "result with a method": replace(_RESPONSE, message=Result(7, {"method": "ping"})),
    "empty result": replace(_RESPONSE, message=Result(7, {})),
    "nested too deep": replace(_REQUEST, message=Request(7, "tools/call", _DEEP)),
    "an endless number": replace(_REQUEST, message=Request(7, "tools/call", {"a": 10**700})),
    "not a number": replace(_REQUEST, message=Request(7, "tools/call", {"a": float("nan")})),
    "half a character": replace(_REQUEST, message=Request(7, "tools/call", {"a": "\ud800"})),
    "half a character in the server's id": replace(_REQUEST, route=replace(_REQUEST.route, server_id="\ud800")),
}


def went_wrong(one: Sent, revision: Revision) -> str | None:
    """None for a message that is refused with a LocalProtocolError, or that comes back whole and breaks nothing."""
    try:
        event = one.signed(revision)
    except LocalProtocolError:
        return None
    except Exception as problem:
        return f"encode raises {type(problem).__name__}: {problem}"
    breaches = check(event, revision, one.answers)
    if breaches:
        return f"what was sent breaks {breaches[0].req}: {breaches[0].detail}"
    try:
        found = decode(event, revision, one.route.role).message
    except Violation as violation:
        return f"what was sent is refused: {violation}"
    return None if exact(found) == exact(expected(one, revision, event)) else f"what comes back is {exact(found)}"


@pytest.mark.parametrize("one", AWKWARD.values(), ids=list(AWKWARD))
def test_an_awkward_message_is_refused_or_comes_back_whole(one: Sent) -> None:
    problems = {name: went_wrong(one, revision) for name, revision in EVERY.items()}
    assert {name: problem for name, problem in problems.items() if problem} == {}


@named(TAGGED_PAYMENT)
def test_payment_by_tags_is_in_sats(revision: Revision) -> None:
    for params in ({"currency": "usd"}, {"amount": "5"}, {"invoice": 5}):
        one = _with_params(_PAYMENT, **params)
        misused(ErrorClass.NOT_CARRIED, one.message, one.route, revision)


def test_a_payment_request_is_a_lightning_invoice() -> None:
    for params in ({"currency": "usd"}, {"invoice": 5}, {"invoice": "cashu"}):
        one = _with_params(_PAYMENT, **params)
        misused(ErrorClass.NOT_CARRIED, one.message, one.route, CONTEXTVM)


@pytest.mark.parametrize(
    "result",
    [{"error": {"code": 1, "message": "m"}}, {"result": {}}, {"id": 1, "a": 2}, {"jsonrpc": "2.0", "a": 2}],
)
def test_a_result_that_would_read_as_something_else(result: dict[str, Any]) -> None:
    misused(ErrorClass.NOT_CARRIED, Result(7, result), route_by(Role.SERVER, request=CALL), REV1_1)


# Tolerance, and its end

P = ("p", PUBKEYS[Role.SERVER].hex())
E = ("e", CALL.event_id.hex())


def event_of(kind: int, content: Any, *tags: tuple[str, ...]) -> Event:
    text = content if isinstance(content, str) else json.dumps(content)
    return signed(ALICE, kind=kind, tags=tags, content=text, created_at=NOW)


REQUEST_BODY = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
NOTE_BODY = {"jsonrpc": "2.0", "method": "notifications/message"}


@every_revision
def test_a_kind_that_carries_no_message(revision: Revision) -> None:
    refused(NostrErrorClass.WRONG_KIND, event_of(1, REQUEST_BODY, P), revision)
    refused(NostrErrorClass.WRONG_KIND, event_of(31316, REQUEST_BODY, P), revision)


@every_revision
def test_content_that_is_no_message(revision: Revision) -> None:
    kind = revision.kinds.request
    refused(NostrErrorClass.INVALID_JSON, event_of(kind, "{", P), revision)
    refused(NostrErrorClass.DUPLICATE_KEY, event_of(kind, '{"method":"a","method":"b"}', P), revision)
    refused(McpErrorClass.BATCH, event_of(kind, [REQUEST_BODY], P), revision)
    refused(McpErrorClass.NOT_A_MESSAGE, event_of(kind, "7", P), revision)
    refused(McpErrorClass.MALFORMED_METHOD, event_of(kind, REQUEST_BODY | {"method": 7}, P), revision)
    refused(McpErrorClass.MALFORMED_PARAMS, event_of(kind, REQUEST_BODY | {"params": []}, P), revision)


@named([CTXVM, STRICT, CONTEXTVM])
def test_an_object_that_is_neither_call_nor_answer(revision: Revision) -> None:
    refused(McpErrorClass.NOT_A_MESSAGE, event_of(25910, {"jsonrpc": "2.0", "id": 1}, P, E), revision)


@named([REV1, EPHEMERAL])
def test_a_call_on_the_kind_of_responses(revision: Revision) -> None:
    for body in (REQUEST_BODY, NOTE_BODY):
        event = event_of(revision.kinds.response, body, P, E)
        with pytest.raises(Violation):
            decode(event, revision, Role.SERVER)


@named([REV1, EPHEMERAL, REV1_1])
def test_an_answer_on_the_kind_of_requests(revision: Revision) -> None:
    with pytest.raises(Violation):
        decode(event_of(revision.kinds.request, {"jsonrpc": "2.0", "id": 1, "result": {}}, P, E), revision, Role.SERVER)


@every_revision
def test_tags_without_which_nothing_is_understood(revision: Revision) -> None:
    kinds = revision.kinds
    answer = event_of(kinds.response, {"jsonrpc": "2.0", "id": 1, "result": {}}, P)
    refused(ErrorClass.MISSING_TAG, answer, revision, Role.SERVER)
    refused(ErrorClass.MISSING_TAG, event_of(kinds.request, REQUEST_BODY), revision)
    refused(ErrorClass.MISSING_TAG, event_of(kinds.notification, NOTE_BODY), revision)
    refused(ErrorClass.MALFORMED_TAG, event_of(kinds.request, REQUEST_BODY, ("p", "x")), revision)
    refused(ErrorClass.MALFORMED_TAG, event_of(kinds.notification, NOTE_BODY, P, ("e", "AB" * 32)), revision)
    # An e tag on a request speaks of nothing.
    assert decode(event_of(kinds.request, REQUEST_BODY, P, ("e", "x")), revision, Role.CLIENT).request_event_id is None


@named([CTXVM, STRICT, CONTEXTVM])
def test_a_demand_for_payment_names_its_request(revision: Revision) -> None:
    body = {
        "jsonrpc": "2.0",
        "method": "notifications/payment_required",
        "params": {"amount": 5, "currency": "sats", "invoice": "lnbc1"},
    }
    refused(ErrorClass.MISSING_TAG, event_of(25910, body, P), revision, Role.SERVER)
    assert decode(event_of(25910, body, P, E), revision, Role.SERVER).request_event_id == CALL.event_id


@named([CTXVM, STRICT, CONTEXTVM])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"amount": 5, "invoice": 5},
        {"amount": 1.5, "invoice": "lnbc1"},
        {"amount": 5, "pmi": "bitcoin-lightning-bolt11"},
    ],
)
def test_a_demand_without_amount_or_invoice(revision: Revision, params: dict[str, Any]) -> None:
    body = {"jsonrpc": "2.0", "method": "notifications/payment_required", "params": params}
    refused(ErrorClass.MALFORMED_BODY, event_of(25910, body, P, E), revision, Role.SERVER)


@named([CTXVM, STRICT, CONTEXTVM])
def test_a_demand_by_other_means_is_handed_on_as_it_is(revision: Revision) -> None:
    params = {"amount": 5, "pay_req": "token", "pmi": "cash", "ttl": 60}
    body = {"jsonrpc": "2.0", "method": "notifications/payment_required", "params": params}
    assert decode(event_of(25910, body, P, E), revision, Role.SERVER).message.params == params


@named([CTXVM, STRICT, CONTEXTVM])
def test_a_payment_request_of_lightning_is_understood(revision: Revision) -> None:
    request = {"amount": 5, "pay_req": "lnbc1", "pmi": "bitcoin-lightning-bolt11", "ttl": 60}
    body = {"jsonrpc": "2.0", "method": "notifications/payment_required", "params": request}
    decoded = decode(event_of(25910, body, P, E), revision, Role.SERVER)
    assert decoded.message.params == {"currency": "sats", "invoice": "lnbc1", "amount": 5, "expiration": NOW + 60}
    body["params"] = {**request, "ttl": "long"}
    refused(ErrorClass.MALFORMED_BODY, event_of(25910, body, P, E), revision, Role.SERVER)


@named([REV1, EPHEMERAL, REV1_1])
@pytest.mark.parametrize("method", ["notifications/cancel", "notifications/cancelled"])
def test_both_spellings_of_a_cancel_are_understood(revision: Revision, method: str) -> None:
    for params, requested in (({"id": 7}, 7), ({"requestId": "7"}, "7"), ({}, CALL.event_id.hex()), (None, E[1])):
        body = {"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params})
        decoded = decode(event_of(revision.kinds.notification, body, P, E), revision, Role.CLIENT)
        assert exact(decoded.message) == exact(Notification("notifications/cancelled", {"requestId": requested}))
        assert decoded.message_class is MessageClass.CANCEL


@every_revision
def test_a_cancel_that_names_no_request(revision: Revision) -> None:
    body = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"reason": "late"}}
    refused(ErrorClass.MALFORMED_BODY, event_of(revision.kinds.notification, body, P), revision)


@every_revision
def test_progress_in_the_seeds_spelling(revision: Revision) -> None:
    params: dict[str, Any] = {"id": 7, "message": "half"}
    understood = {"progressToken": 7, "message": "half"} if revision.progress is ProgressForm.BOTH else params
    body = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
    decoded = decode(event_of(revision.kinds.notification, body, P, E), revision, Role.SERVER)
    assert decoded.message == Notification("notifications/progress", understood)


@every_revision
def test_the_method_tag_binds_where_the_revision_says_so(revision: Revision) -> None:
    event = event_of(revision.kinds.request, REQUEST_BODY, P, ("method", "tools/list"))
    if revision.method_tag_binds:
        refused(ErrorClass.METHOD_MISMATCH, event, revision)
    else:
        assert decode(event, revision, Role.CLIENT).message.method == "tools/call"
    assert decode(event_of(revision.kinds.request, REQUEST_BODY, P), revision, Role.CLIENT).message_class == "request"


@pytest.mark.parametrize(
    ("revision", "request_id", "answer_id"),
    [
        (REV1_1, None, CALL.event_id.hex()),
        (STRICT, None, CALL.event_id.hex()),
        (CTXVM, 7, 8),
    ],
    ids=lambda value: value.name if isinstance(value, Revision) else "",
)
def test_whole_messages_where_stripped_ones_conform(revision: Revision, request_id: Any, answer_id: Any) -> None:
    request = event_of(revision.kinds.request, REQUEST_BODY, P)
    own = request.id.hex() if request_id is None else request_id
    assert decode(request, revision, Role.CLIENT).message == Request(own, "tools/call")
    for body in ({"result": {"a": 1}}, {"jsonrpc": "2.0", "id": 8, "result": {"a": 1}}):
        decoded = decode(event_of(revision.kinds.response, body, E), revision, Role.SERVER)
        assert decoded.message == Result(answer_id if "id" in body else CALL.event_id.hex(), {"a": 1})
        error = {name: value for name, value in body.items() if name != "result"}
        error["error"] = {"code": 1, "message": "m"}
        decoded = decode(event_of(revision.kinds.response, error, E), revision, Role.SERVER)
        assert decoded.message == Error(answer_id if "id" in body else CALL.event_id.hex(), 1, "m")
        assert decoded.message_class is MessageClass.ERROR


def test_a_stripped_request_under_a_draft_that_takes_both() -> None:
    event = event_of(25910, {"method": "ping"}, P)
    assert decode(event, CTXVM, Role.CLIENT).message == Request(event.id.hex(), "ping")


@named([CTXVM, STRICT])
def test_a_failed_call_at_the_root(revision: Revision) -> None:
    body = {"content": [], "isError": True}
    decoded = decode(event_of(25910, body, P, E), revision, Role.SERVER)
    assert decoded.message == Result(CALL.event_id.hex(), body)
    for other in (body | {"isError": 1}, {"content": []}):
        refused(McpErrorClass.NOT_A_MESSAGE, event_of(25910, other, P, E), revision, Role.SERVER)


@named([REV1, EPHEMERAL, CONTEXTVM])
def test_a_stripped_message_where_only_whole_ones_are_understood(revision: Revision) -> None:
    refused(McpErrorClass.WRONG_JSONRPC, event_of(revision.kinds.request, {"method": "ping"}, P), revision)
    refused(McpErrorClass.WRONG_JSONRPC, event_of(revision.kinds.response, {"result": {}}, E), revision, Role.SERVER)
    no_id = event_of(revision.kinds.request, {"jsonrpc": "2.0", "method": "ping"}, P)
    if revision.kinds.request == revision.kinds.notification:
        assert decode(no_id, revision, Role.CLIENT).message == Notification("ping")
    else:
        refused(McpErrorClass.MALFORMED_REQUEST_ID, no_id, revision)


@every_revision
def test_a_notification_with_an_id(revision: Revision) -> None:
    """Where one kind serves both, the id of a whole message makes it a request."""
    event = event_of(revision.kinds.notification, NOTE_BODY | {"id": 7}, P)
    found = decode(event, revision, Role.SERVER).message
    if revision.kinds.notification != revision.kinds.request:
        assert found == Notification("notifications/message")
    else:
        assert found == Request(7 if revision.ids_travel else event.id.hex(), "notifications/message")


@pytest.mark.parametrize(
    ("role", "message_class"),
    [(Role.SERVER, MessageClass.NOTIFICATION_TO_CLIENT), (Role.CLIENT, MessageClass.NOTIFICATION_TO_SERVER)],
)
def test_the_direction_of_a_notification_is_the_senders(role: Role, message_class: MessageClass) -> None:
    event = event_of(25910, NOTE_BODY, P, ("s", "server-1"))
    assert decode(event, CTXVM, role) == Decoded(
        Notification("notifications/message"), message_class, ALICE.public_key.x, "server-1", None
    )


# Demands for payment by tags

STATUS, AMOUNT = ("status", "payment-required"), ("amount", "5", "lnbc1")


@named(TAGGED_PAYMENT)
@pytest.mark.parametrize(
    ("tags", "params"),
    [
        ((STATUS, AMOUNT, E), {"amount": 5, "currency": "sats", "invoice": "lnbc1"}),
        ((STATUS, ("amount", "5", "sats"), ("invoice", "lnbc2"), E),
         {"amount": 5, "currency": "sats", "invoice": "lnbc2"}),
        ((STATUS, ("amount", "5"), ("invoice", "lnbc2"), E), {"amount": 5, "currency": "sats", "invoice": "lnbc2"}),
        ((STATUS, AMOUNT, E, ("expiration", "9")),
         {"amount": 5, "currency": "sats", "invoice": "lnbc1", "expiration": 9}),
    ],
)  # fmt: skip
def test_a_demand_by_tags(revision: Revision, tags: tuple[tuple[str, ...], ...], params: dict[str, Any]) -> None:
    event = event_of(21316, "", *tags, ("s", "server-1"))
    message = Notification("notifications/payment_required", params)
    assert decode(event, revision, Role.SERVER) == Decoded(
        message, MessageClass.PAYMENT_REQUIRED, ALICE.public_key.x, "server-1", CALL.event_id
    )


@named(TAGGED_PAYMENT)
@pytest.mark.parametrize(
    ("tags", "error_class"),
    [
        ((STATUS, AMOUNT), ErrorClass.MISSING_TAG),
        ((STATUS, E), ErrorClass.MISSING_TAG),
        ((STATUS, ("amount",), E), ErrorClass.MALFORMED_TAG),
        ((STATUS, AMOUNT, AMOUNT, E), ErrorClass.MALFORMED_TAG),
        ((STATUS, ("amount", "5"), E), ErrorClass.MALFORMED_TAG),
        ((STATUS, ("amount", "x", "lnbc1"), E), ErrorClass.MALFORMED_TAG),
        ((STATUS, ("amount", "²", "lnbc1"), E), ErrorClass.MALFORMED_TAG),
        ((("status", "processing"), AMOUNT, E), ErrorClass.MALFORMED_TAG),
        ((STATUS, AMOUNT, E, ("expiration", "soon")), NostrErrorClass.MALFORMED_EXPIRATION),
    ],
)
def test_a_demand_by_tags_that_is_none(revision: Revision, tags: tuple[tuple[str, ...], ...], error_class: Any) -> None:
    refused(error_class, event_of(21316, "", *tags), revision, Role.SERVER)


@named(TAGGED_PAYMENT)
def test_a_demand_of_an_endless_amount(revision: Revision) -> None:
    event = event_of(21316, "", STATUS, ("amount", "1" * 5000, "lnbc1"), E)
    with pytest.raises(Violation):
        decode(event, revision, Role.SERVER)


@named([CTXVM, STRICT, CONTEXTVM])
def test_a_demand_by_tags_where_json_speaks(revision: Revision) -> None:
    refused(NostrErrorClass.INVALID_JSON, event_of(25910, "", STATUS, AMOUNT, P, E), revision, Role.SERVER)


# Whatever anyone signs


@every_revision
@given(
    event=arbitrary_events(), role=st.sampled_from(Role), answers=st.sampled_from((None, "initialize", "tools/list"))
)
def test_whatever_anyone_signs(revision: Revision, event: Event, role: Role, answers: str | None) -> None:
    """A value or a Violation, and nothing else."""
    try:
        decoded = decode(event, revision, role)
    except Violation as violation:
        assert violation.where and violation.detail
    else:
        assert decoded.sender == event.pubkey
        assert decoded.message_class in CLASSES
        assert isinstance(decoded.message, (Result, Error)) is (decoded.message_class in RESPONSES)
    for breach in check(event, revision, answers):
        assert breach.req and breach.where.startswith("event.") and breach.detail
    try:
        parsed = announce.parse(event, revision)
    except Violation as violation:
        assert violation.where and violation.detail
    else:
        assert parsed.pubkey == event.pubkey
        assert revision.kinds.of(parsed.type) == event.kind


@every_revision
@share(2)
@given(other=arbitrary_events())
def test_a_conforming_message_with_one_thing_changed(revision: Revision, other: Event) -> None:
    """Nearer to what peers get wrong: the kind, some tags or the content of each of our own messages replaced."""
    for one in SAMPLES.values():
        event = one.signed(revision)
        for field, value in (
            ("kind", other.kind),
            ("tags", (*event.tags[1:], *other.tags[:2])),
            ("content", other.content),
        ):
            mutant = changed(event, one.route.role, **{field: value})
            check(mutant, revision, one.answers)
            detect(mutant)
            with contextlib.suppress(Violation):
                decode(mutant, revision, one.route.role)
            with contextlib.suppress(Violation):
                announce.parse(mutant, revision)


# The parts


def test_classes_of_what_is_sent() -> None:
    assert {one: codec.classify(it.message, it.route) for one, it in SAMPLES.items()} == {one: one for one in SAMPLES}
    assert codec.classify(Result(1, {}), route_by(Role.SERVER)) is MessageClass.RESPONSE


def test_classes_of_methods() -> None:
    assert codec.response_class(None) is MessageClass.RESPONSE
    assert codec.response_class("resources/templates/list") is MessageClass.LIST_RESPONSE
    assert codec.notification_class("notifications/cancel", Role.CLIENT) is MessageClass.CANCEL
    assert codec.notification_class("notifications/payment_rejected", Role.SERVER) is MessageClass.PAYMENT_REQUIRED


def test_an_event_is_unsigned_and_the_senders() -> None:
    event = SAMPLES[MessageClass.PING].unsigned(CONTEXTVM)
    assert event == UnsignedEvent(
        PUBKEYS[Role.CLIENT],
        NOW,
        25910,
        (("p", PUBKEYS[OTHER[Role.CLIENT]].hex()),),
        '{"jsonrpc":"2.0","id":7,"method":"ping"}',
    )


def test_every_error_class_has_a_meaning() -> None:
    assert {one.value for one in ErrorClass} == {
        "missing_tag", "malformed_tag", "malformed_body", "method_mismatch", "not_carried",
    }  # fmt: skip
    assert ErrorClass("not_carried").meaning == "the revision has no form for this message"
    assert all(one.meaning and not one.meaning.endswith(".") for one in ErrorClass)


@pytest.mark.parametrize("wrong", [{"sender": b"x"}, {"recipient": bytes(33)}, {"server_id": ""}])
def test_a_route_that_leads_nowhere_is_a_mistake(wrong: dict[str, object]) -> None:
    with pytest.raises(LocalProtocolError, match="malformed_tag"):
        replace(_REQUEST.route, **wrong)


# Completions


def completion(number: int) -> Result:
    return Result(1, {"completion": {"values": ["a"] * number, "hasMore": True}})


@every_revision
def test_completions_that_are_too_many_are_not_sent(revision: Revision) -> None:
    asked = RequestReference(bytes(32), "completion/complete", 1)
    route = route_by(Role.SERVER, request=asked)
    encode(completion(100), route, revision, NOW)
    if Rule.COMPLETION_VALUES in revision.requirements:
        misused(ErrorClass.MALFORMED_BODY, completion(101), route, revision)
    else:
        encode(completion(101), route, revision, NOW)
    encode(completion(101), replace(route, request=asked._replace(method="tools/call")), revision, NOW)
    encode(Result(1, {"completion": {"values": "many"}}), route, revision, NOW)


@every_revision
def test_completions_that_are_too_many_are_read(revision: Revision) -> None:
    route = route_by(Role.SERVER, request=RequestReference(bytes(32), "tools/call", 1))
    event = sign(encode(completion(101), route, revision, NOW), Role.SERVER)
    message = decode(event, revision, Role.SERVER).message
    assert isinstance(message, Result)
    assert message.result == completion(101).result
    assert codec.answered(message) == "completion/complete"
