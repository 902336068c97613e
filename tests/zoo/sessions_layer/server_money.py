"""Servers that sell wrongly, and servers that announce themselves wrongly."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from nostrmcp.mcp.jsonrpc import Error, Notification
from nostrmcp.revisions.model import MessageClass, PaymentForm, Revision
from nostrmcp.session import announcing, server, serving
from nostrmcp.session.actions import Action
from nostrmcp.session.announcing import Announcer
from nostrmcp.session.machine import SERVING, Serving, ServingEffect, ServingInput
from nostrmcp.session.payments import TRANSPARENT
from nostrmcp.session.serving import PRICED, Exchange, Requests
from nostrmcp.session.settings import Encryption
from nostrmcp.translate import announce
from nostrmcp.translate.announce import LIST_METHODS
from tests.zoo.sessions_layer.making import REVISIONS, SERVER, altered, always, bug

right_step, right_alarm, right_demand = Requests._step, Requests._alarm, serving.demand
right_was_read, right_announce = Announcer._was_read, Announcer._announce


def settled_for_ever(requests: Requests, event_id: bytes, given: ServingInput) -> list[Action]:
    """A payment that is told twice executes the request twice."""
    kept = requests.__dict__.setdefault("kept", {})
    exchange = requests._exchanges.get(event_id) or kept.get(event_id)
    if exchange is None:
        return []
    kept[event_id] = exchange
    if given is ServingInput.PAID and exchange.state in (Serving.RUNNING, Serving.ENDED):
        return requests._execute(exchange)
    return requests._step(exchange, given)


def alarm_without_expiry(requests: Requests, exchange: Exchange, given: ServingInput, seconds: float) -> None:
    if given is not ServingInput.UNPAID:
        right_alarm(requests, exchange, given, seconds)


def price_by_name(requests: Requests, request: Any) -> Any:
    """A price for a tool is asked for a prompt of its name too."""
    if request.method not in PRICED:
        return None
    name = (request.params or {}).get(PRICED[request.method][1])
    return next((price for (_, capability), price in requests._prices.items() if capability == name), None)


def demand_of_range(price: Any, invoice: str, expires: int) -> Notification:
    """Of a range of prices its end is demanded, whatever the invoice says."""
    return right_demand(replace(price, amount=price.amount.rpartition("-")[2]), invoice, expires)


def last_lifecycle(event: Any, revision: Revision) -> dict[str, Any] | None:
    if revision.payment is not PaymentForm.PAYMENT_REQUEST:
        return None
    asked = [tag[1] for tag in event.tags if tag[0] == "payment_interaction" and len(tag) > 1]
    return None if not asked or TRANSPARENT in asked else {"requested": asked[-1], "supported": [TRANSPARENT]}


def read_one_page(announcer: Announcer, its: Any, link: Any, message_class: Any, pages: list[Any], answer: Any) -> Any:
    """A list is announced page by page, each in place of the one before."""
    if isinstance(answer, Error):
        return []
    member = announcing.LIST_MEMBERS[message_class]
    return announcer._announce(its, message_class, {member: answer.result.get(member, [])})


def read_whatever(announcer: Announcer, its: Any, link: Any, message_class: Any, pages: list[Any], answer: Any) -> Any:
    """A list that the MCP server does not give is announced as empty."""
    if isinstance(answer, Error):
        return announcer._announce(its, message_class, {announcing.LIST_MEMBERS[message_class]: []})
    return right_was_read(announcer, its, link, message_class, pages, answer)


def announce_in_the_same_second(announcer: Announcer, its: Any, message_class: MessageClass, content: Any) -> Any:
    announcer._latest.clear()
    return right_announce(announcer, its, message_class, content)


def announce_in_one_row(announcer: Announcer, its: Any, message_class: MessageClass, content: Any) -> Any:
    for (kind, _, server_id), date in [*announcer._latest.items()]:
        announcer._latest[kind, message_class, server_id] = date
    return right_announce(announcer, its, message_class, content)


def announce_without_encryption(announcer: Announcer, its: Any, message_class: MessageClass, content: Any) -> Any:
    host, announcer._host = announcer._host, SimpleNamespace(**vars(announcer._host))  # type: ignore[assignment]
    try:
        announcer._host.settings = replace(host.settings, encryption=Encryption.DISABLED)
        return right_announce(announcer, its, message_class, content)
    finally:
        announcer._host = host


def changed_unannounced(announcer: Announcer, link: Any, method: str) -> list[Action]:
    return []


def id_for_all(announcer: Announcer, its: Any, revision: Revision) -> str:
    return str(its.id)


FREE = altered(SERVING, {(Serving.UNKNOWN, ServingInput.COSTLY): (ServingEffect.EXECUTE, Serving.RUNNING)})
UNPAID_EXECUTED = altered(SERVING, {(Serving.UNPAID, ServingInput.UNPAID): (ServingEffect.EXECUTE, Serving.RUNNING)})
UNPAID_SILENT = altered(SERVING, {(Serving.UNPAID, ServingInput.UNPAID): (ServingEffect.FORGET, Serving.ENDED)})


def step_despite_cancel(requests: Requests, exchange: Exchange, given: ServingInput, message: Any = None) -> Any:
    """A cancel of what is not yet paid is forgotten."""
    if given is ServingInput.CANCEL and exchange.state is Serving.UNPAID:
        return []
    return right_step(requests, exchange, given, message)


MEMBERS = [
    bug(
        "executed-before-payment",
        "What has a price is executed without payment.",
        SERVER,
        (serving, "SERVING", FREE),
        on=REVISIONS,
        fails="paid unpaid",
    ),
    bug(
        "executed-unpaid",
        "When the payment fails the request is executed all the same.",
        SERVER,
        (serving, "SERVING", UNPAID_EXECUTED),
        on=REVISIONS,
        fails="unpaid",
    ),
    bug(
        "unpaid-in-silence",
        "Who did not pay is never told that the request has failed.",
        SERVER,
        (serving, "SERVING", UNPAID_SILENT),
        on="r1 cvm",
        fails="unpaid",
    ),
    bug(
        "executed-twice-for-one-payment",
        "A payment that is verified twice executes the request twice.",
        SERVER,
        (Requests, "_settled", settled_for_ever),
        on=REVISIONS,
        fails="paid",
    ),
    bug(
        "demand-never-expires",
        "A demand that nobody pays waits for ever.",
        SERVER,
        (Requests, "_alarm", alarm_without_expiry),
        on=REVISIONS,
        fails="unpaid",
    ),
    bug(
        "paid-though-cancelled",
        "A priced request that was cancelled is executed when its payment comes.",
        SERVER,
        (Requests, "_step", step_despite_cancel),
        on=REVISIONS,
        fails="paid-cancelled",
    ),
    bug(
        "price-by-name",
        "A price is asked for whatever has the name of what it is for.",
        SERVER,
        (Requests, "_price_of", price_by_name),
        on="r1 cvm",
        fails="priced-kinds",
    ),
    bug(
        "demand-of-range",
        "Of a range of prices the end is demanded with an invoice for less.",
        SERVER,
        (serving, "demand", demand_of_range),
        on="cvm",
        fails="demand-in-range",
    ),
    bug(
        "payment-not-acknowledged",
        "Who has paid is not told that the payment was accepted.",
        SERVER,
        (serving, "accepted", always(None)),
        on="cvm",
        fails="paid accepted-in-range",
    ),
    bug(
        "lifecycle-ignored",
        "Who asks for another way to pay gets the usual one without a word.",
        SERVER,
        (server, "refused_lifecycle", always(None)),
        on="cvm",
        fails="explicit-gating several-lifecycles",
    ),
    bug(
        "any-lifecycle-of-several",
        "Several wishes are read as a list to choose from.",
        SERVER,
        (server, "refused_lifecycle", last_lifecycle),
        on="cvm",
        fails="several-lifecycles",
    ),
    bug(
        "one-page-announced",
        "Of a list of several pages the last is announced.",
        SERVER,
        (Announcer, "_was_read", read_one_page),
        on="r1 cvm",
        fails="announced",
    ),
    bug(
        "failed-list-announced",
        "A list that the MCP server does not give is announced as empty.",
        SERVER,
        (Announcer, "_was_read", read_whatever),
        on="r1 cvm",
        fails="announced-list-fails",
    ),
    bug(
        "announced-in-one-second",
        "An announcement has the date of the one that it replaces.",
        SERVER,
        (Announcer, "_announce", announce_in_the_same_second),
        on="r1 cvm",
        fails="announced-anew",
    ),
    bug(
        "templates-as-resources",
        "The list of templates replaces that of resources: both have one d.",
        SERVER,
        (announce, "LIST_METHODS", dict.fromkeys(LIST_METHODS, "resources/list")),
        on="r11 ctx",
        fails="announced-resources",
    ),
    bug(
        "lists-dated-as-one",
        "Lists of one kind are dated after each other, though none replaces another.",
        SERVER,
        (Announcer, "_announce", announce_in_one_row),
        on="r11 ctx",
        fails="announced-resources",
    ),
    bug(
        "encryption-not-announced",
        "A server that reads wraps does not say so.",
        SERVER,
        (Announcer, "_announce", announce_without_encryption),
        on="ctx cvm",
        fails="announced-encryption",
    ),
    bug(
        "change-not-announced",
        "A list that changes is not announced anew.",
        SERVER,
        (Announcer, "changed", changed_unannounced),
        on="r1 cvm",
        fails="announced-anew",
    ),
    bug(
        "one-address",
        "Announcements of several revisions replace each other.",
        SERVER,
        (Announcer, "id_of", id_for_all),
        on="r11",
        fails="announced-revisions",
    ),
]
