"""Every breach of a revision in one event, each with the requirement it breaks.

`decode` takes what can be understood; this is the strict reading, for those who build or judge an implementation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..mcp.jsonrpc import is_id
from ..nostr import Event, KindClass, Violation, filters, nip40, strict_json
from ..nostr.event import is_hex32
from ..revisions.model import (
    LIST_MEMBERS,
    NOTIFICATIONS,
    REQUESTS,
    RESPONSES,
    AnnouncementEnvelope,
    Envelope,
    Member,
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
from .codec import is_notified, notification_class, request_class, response_class, usual_sender


@dataclass(frozen=True, slots=True)
class Breach:
    """One rule broken: the requirement, where in the event, and why."""

    req: str
    where: str
    detail: str


Breaches = Iterator[Breach]


def check(event: Event, revision: Revision, answers: str | None = None) -> tuple[Breach, ...]:
    """What an event of this revision gets wrong; `answers` is the method of the request that a response answers."""
    by_kind = revision.kinds.announcements.items()
    announced = [message_class for message_class, kind in by_kind if kind == event.kind]
    if announced or filters.kind_class(event.kind) in (KindClass.REPLACEABLE, KindClass.ADDRESSABLE):
        return tuple(_announcement(event, announced, revision))
    return tuple(_message(event, revision, answers))


def _message(event: Event, revision: Revision, answers: str | None) -> Breaches:
    if revision.payment is PaymentForm.STATUS_TAGS and _is_demand(event, revision):
        yield from _kind(event, MessageClass.PAYMENT_REQUIRED, revision)
        if event.content != "":
            yield from _broken(Rule.PAYMENT_CONTENT, revision, "event.content", "content is not empty")
        yield from _tags(event, MessageClass.PAYMENT_REQUIRED, revision, None)
        return
    body = _object_in(event.content)
    if body is None:
        yield from _broken(Rule.CONTENT_IS_JSON, revision, "event.content", "not a JSON object")
        return
    family = _family(event, body, revision)
    if family == RESPONSES:
        message_class = MessageClass.ERROR if "error" in body else response_class(answers)
        yield from _kind(event, message_class, revision)
        yield from _response(body, revision)
        if answers == bodies.COMPLETION_METHOD:
            yield from _completions(body, revision)
    else:
        method = body.get("method")
        name = method if type(method) is str else ""
        message_class = request_class(name) if family == REQUESTS else notification_class(name, usual_sender(name))
        yield from _kind(event, message_class, revision)
        yield from _call(body, message_class, revision)
        names_method = any(rule.value is TagValue.METHOD for rule in revision.tags[message_class])
        if names_method and type(method) is str and event.first("method") not in (None, method):
            yield from _broken(
                Rule.METHOD_AGREES, revision, "event.tags", "the method tag is not the method in content"
            )
    yield from _tags(event, message_class, revision, None)


def _is_demand(event: Event, revision: Revision) -> bool:
    """Whether an event is meant to demand a payment by its tags."""
    status = event.first("status")
    if event.kind != revision.kinds.notification:
        return status == "payment-required"
    return status is not None or (event.content == "" and event.first("amount") is not None)


def _object_in(content: str) -> bodies.Body | None:
    try:
        value = strict_json.parse(content)
    except Violation:
        return None
    return value if type(value) is dict else None


def _family(event: Event, body: bodies.Body, revision: Revision) -> frozenset[MessageClass]:
    """What an event is meant to be: by its content first, so that a wrong kind or envelope is told as such."""
    kinds, hoisted = revision.kinds, revision.envelope is Envelope.HOISTED
    apart = kinds.request != kinds.response
    if apart and event.kind == kinds.response and hoisted:
        return RESPONSES
    if "method" in body:
        method = body["method"]
        return NOTIFICATIONS if type(method) is str and is_notified(method) else REQUESTS
    if bodies.is_error(body) or (not hoisted and "result" in body):
        return RESPONSES
    if not apart:
        return REQUESTS if "params" in body else RESPONSES
    return {kinds.request: REQUESTS, kinds.notification: NOTIFICATIONS}.get(event.kind, RESPONSES)


def _kind(event: Event, message_class: MessageClass, revision: Revision) -> Breaches:
    if event.kind != revision.kinds.of(message_class):
        leader = next(
            one for family, one in _LEADERS.items() if message_class in family
        )  # fmt: skip
        yield Breach(revision.kind_reqs[leader], "event.kind", f"kind {event.kind} does not carry this message")


_LEADERS = {
    REQUESTS: MessageClass.REQUEST,
    RESPONSES: MessageClass.RESPONSE,
    NOTIFICATIONS: MessageClass.NOTIFICATION_TO_CLIENT,
}


def _broken(rule: Rule, revision: Revision, where: str, detail: str) -> Breaches:
    if rule in revision.requirements:
        yield Breach(revision.requirements[rule], where, detail)


def _call(body: bodies.Body, message_class: MessageClass, revision: Revision) -> Breaches:
    is_request = message_class in REQUESTS
    rule = Rule.REQUEST_ENVELOPE if is_request else Rule.NOTIFICATION_ENVELOPE
    if Envelope.JSONRPC in revision.conforming_envelopes:
        whole = body.get("jsonrpc") == "2.0" and (is_id(body.get("id")) if is_request else "id" not in body)
        if not whole:
            yield from _broken(rule, revision, "event.content", "jsonrpc and id are not as JSON-RPC has them")
    elif not body.keys().isdisjoint({"jsonrpc", "id"}):
        yield from _broken(rule, revision, "event.content", "jsonrpc or id is there")
    params = body.get("params", {})
    more = body.keys() - {"jsonrpc", "id", "method", "params"}
    only = revision.envelope is Envelope.HOISTED and is_request and more
    if type(body.get("method")) is not str or type(params) is not dict or only:
        yield from _broken(Rule.REQUEST_MEMBERS, revision, "event.content", "not a method and params")
        return
    expected = revision.params.get(body["method"])
    if message_class is MessageClass.CANCEL and expected is None:
        yield from _broken(Rule.CANCEL_METHOD, revision, "event.content.method", "not this revision's name for it")
    elif expected is not None and not all(_is(kind, params.get(name)) for name, kind in expected.members.items()):
        yield Breach(expected.req, "event.content.params", f"not {', '.join(expected.members)} of the right types")


def _is(member: Member, value: Any) -> bool:
    if member is Member.ID:
        return is_id(value)
    if member is Member.NUMBER:
        return type(value) in (int, float)
    if member is Member.TEXT:
        return type(value) is str
    return type(value) is str and value != "" and not value.strip("abcdefghijklmnopqrstuvwxyz0123456789-")


def _response(body: bodies.Body, revision: Revision) -> Breaches:
    hoisted = revision.envelope is Envelope.HOISTED
    if Envelope.JSONRPC in revision.conforming_envelopes:
        if body.get("jsonrpc") != "2.0" or not (
            is_id(body.get("id")) or ("error" in body and body.get("id", 0) is None)
        ):
            yield from _broken(Rule.RESPONSE_ENVELOPE, revision, "event.content", "jsonrpc or id is missing or wrong")
    elif not body.keys().isdisjoint({"jsonrpc", "id"}):
        yield from _broken(Rule.RESPONSE_ENVELOPE, revision, "event.content", "jsonrpc or id is there")
    if hoisted:
        if body.keys() - {"jsonrpc", "id"} == {"result"}:
            yield from _broken(Rule.RESULT_PLACE, revision, "event.content", "the result is nested")
    elif {"result", "error"} <= body.keys():
        yield from _broken(Rule.ONE_OUTCOME, revision, "event.content", "an error and a result in one response")
    elif "error" in body and not bodies.is_error({"error": body["error"]}):
        yield from _broken(Rule.ERROR_FORM, revision, "event.content.error", "not a code and a message")
    elif body.keys().isdisjoint({"result", "error"}):
        yield from _broken(Rule.RESULT_PLACE, revision, "event.content", "there is no result")


def _completions(body: bodies.Body, revision: Revision) -> Breaches:
    result = bodies.hoisted_in(body) if revision.envelope is Envelope.HOISTED else body.get("result")
    values = bodies.completions_in(result) or []
    if len(values) > bodies.MOST_COMPLETIONS:
        detail = f"{len(values)} values, {bodies.MOST_COMPLETIONS} at most"
        yield from _broken(Rule.COMPLETION_VALUES, revision, "event.content", detail)


def _announcement(event: Event, candidates: list[MessageClass], revision: Revision) -> Breaches:
    body = _object_in(event.content)
    if body is None:
        yield from _broken(Rule.CONTENT_IS_JSON, revision, "event.content", "not a JSON object")
        return
    wrapped = type(body.get("result")) is dict
    content: bodies.Body = body["result"] if wrapped else body
    listed = [one for one, member in LIST_MEMBERS.items() if member in content and one in revision.kinds.announcements]
    is_server = {"protocolVersion", "capabilities", "serverInfo"} <= content.keys()
    message_class = listed[0] if listed else MessageClass.SERVER if is_server or not candidates else candidates[0]
    if message_class not in candidates:
        yield Breach(revision.kind_reqs[message_class], "event.kind", f"kind {event.kind} does not announce this")
    is_server = message_class is MessageClass.SERVER
    rule = Rule.ANNOUNCEMENT_ENVELOPE if is_server else Rule.LIST_ENVELOPE
    if revision.announcement_envelope is AnnouncementEnvelope.RESPONSE:
        fits = wrapped and body.get("jsonrpc") == "2.0" and is_id(body.get("id"))
    else:
        fits = body.keys().isdisjoint({"jsonrpc", "id", "result"})
    if not fits:
        yield from _broken(rule, revision, "event.content", "not in the envelope of this revision")
    if not is_server and type(content.get(LIST_MEMBERS[message_class])) is not list:
        yield from _broken(rule, revision, "event.content", "not a list that this kind announces")
    if is_server and not {"protocolVersion", "capabilities", "serverInfo"} <= content.keys():
        yield from _broken(Rule.ANNOUNCEMENT_MEMBERS, revision, "event.content", "not what an initialize result holds")
    yield from _tags(event, message_class, revision, capability_names(message_class, content))


def capability_names(message_class: MessageClass, content: bodies.Body) -> list[str]:
    """The names of the items of an announced list."""
    items = content.get(LIST_MEMBERS.get(message_class, ""), [])
    named = [item["name"] for item in items if type(item) is dict and "name" in item] if type(items) is list else []
    return [name for name in named if type(name) is str]


def _tags(event: Event, message_class: MessageClass, revision: Revision, names: list[str] | None) -> Breaches:
    for rule in revision.tags[message_class]:
        found = [tag for tag in event.tags if tag[0] == rule.name]
        if rule.value is TagValue.CAPABILITIES:
            yield from _capability_tags(rule, found, names or [], revision)
        elif rule.value is TagValue.PRICES:
            yield from _prices(found, revision)
        elif not found:
            if rule.presence is Presence.REQUIRED:
                yield Breach(rule.req, "event.tags", f"there is no {rule.name} tag")
        elif not all(_fits(rule, tag, revision) for tag in found):
            yield Breach(rule.req, "event.tags", f"the {rule.name} tag does not hold {rule.value.value}")


def _capability_tags(rule: TagRule, found: list[tuple[str, ...]], names: list[str], revision: Revision) -> Breaches:
    # More than the list holds breaks nothing: a seed prints such a list itself (AMB-160).
    tagged = Counter(tag[1] for tag in found if len(tag) > 1)
    if rule.presence is Presence.REQUIRED and (not Counter(names) <= tagged or any(len(tag) < 2 for tag in found)):
        yield Breach(rule.req, "event.tags", f"no {rule.name} tag for each item of the list")
    yield from _prices([tag for tag in found if len(tag) > 2], revision)


def _prices(found: list[tuple[str, ...]], revision: Revision) -> Breaches:
    typed = revision.prices is PriceForm.TYPED
    for tag in found:
        if len(tag) == 2 and not typed:
            continue  # a capability named without a price: of the price's form nothing is broken (AMB-112)
        if len(tag) != 4 or not is_amount(tag[2], whole=typed) or not tag[3]:
            yield from _broken(Rule.PRICE_FORM, revision, "event.tags", "not a capability, an amount and a unit")
        if typed and len(tag) > 1 and tag[1].partition(":")[0] not in ("tool", "prompt", "resource"):
            yield from _broken(Rule.PRICE_IDENTIFIER, revision, "event.tags", "no type before the capability's name")


def is_amount(text: str, *, whole: bool = False) -> bool:
    """Whether a price is a number or two with a hyphen between them; without a fraction where it must be `whole`."""
    parts = text.split("-", 1)
    return text.isascii() and all((part if whole else part.replace(".", "", 1)).isdigit() for part in parts)


def _fits(rule: TagRule, tag: tuple[str, ...], revision: Revision) -> bool:
    value = tag[1] if len(tag) > 1 else ""
    tests: dict[TagValue, Any] = {
        TagValue.RECIPIENT: is_hex32(value),
        TagValue.REQUEST_EVENT: is_hex32(value),
        TagValue.SERVER_ID: value != "",
        TagValue.LIST_ID: value != "",
        TagValue.METHOD: value != "",
        TagValue.REQUEST_KIND: value == str(revision.kinds.request),
        TagValue.FLAG: True,
        TagValue.EPHEMERAL_FLAG: True,
        TagValue.TRUE: True,
        TagValue.TEXT: True,
        TagValue.PAYMENT_METHODS: _is(Member.PAYMENT_METHOD, value),
        TagValue.STATUS: value == "payment-required",
        TagValue.AMOUNT: len(tag) > 2 and nip40.whole_number(value) is not None and bodies.is_invoice(tag[2]),
        TagValue.TIME: nip40.whole_number(value) is not None,
    }
    return bool(tests[rule.value])
