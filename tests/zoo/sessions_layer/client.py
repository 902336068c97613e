"""Clients that believe, pay, wait or answer wrongly."""

from __future__ import annotations

from typing import Any

from nostrmcp.mcp.jsonrpc import Id, Notification
from nostrmcp.nostr import Violation
from nostrmcp.session import asking, payments
from nostrmcp.session.actions import Action, Deliver
from nostrmcp.session.arriving import Arrival
from nostrmcp.session.asking import Question, Questions
from nostrmcp.session.client import Client
from nostrmcp.session.machine import ASKING, Asking, AskingEffect, AskingInput
from nostrmcp.session.settings import Encryption, PaymentPolicy
from nostrmcp.translate import codec
from nostrmcp.translate.route import Role
from tests.zoo.sessions_layer.making import CLIENT, REVISIONS, WITH_SERVER_IDS, WRAPPING, altered, always, bug, nothing

right_answered, right_told_of, right_conclude = Client._answered, Client._told_of, Questions._conclude
right_by_id, right_give_up, right_signed = Questions.by_id, Questions._give_up, Client._signed
right_start_clock, right_amount, right_payable = Questions._start_clock, payments.invoice_amount, payments.payable
right_search, right_payment, right_received = Client._search_over, Questions.payment, Client._received


def received_from_anyone(client: Client, arrival: Arrival) -> list[Action]:
    event = arrival.event
    client.gate.refuse_wrong_recipient(event)
    decoded = codec.decode(event, client.settings.revision, Role.SERVER)
    client.gate.take(event, client.now)
    message: Any = decoded.message
    if isinstance(message, Notification):
        return client._told_of(decoded, message, event)
    return client._asked(message, arrival) if hasattr(message, "method") else client._answered(decoded, message, event)


def answered_by_id(client: Client, decoded: Any, answer: Any, event: Any) -> list[Action]:
    """An answer belongs to the request with its id, whatever e says."""
    question = client.questions.by_id(answer.id) if answer.id is not None else None
    if question is None or client.questions.find(decoded.request_event_id) is not None:
        return right_answered(client, decoded, answer, event)
    return client.questions.step(question, AskingInput.ANSWER, (answer, decoded.server_id, event))


def told_whatever_e(client: Client, decoded: Any, notification: Notification, event: Any) -> list[Action]:
    try:
        return right_told_of(client, decoded, notification, event)
    except Violation:
        return [Deliver(notification)]


def told_without_e(client: Client, decoded: Any, notification: Notification, event: Any) -> list[Action]:
    """What has an e tag is taken for an answer."""
    if decoded.request_event_id is not None:
        return []
    return right_told_of(client, decoded, notification, event)


def pay_uncorrelated(client: Client, decoded: Any, notification: Notification, event: Any) -> list[Action]:
    """A demand that names no request of ours is taken to be about the one that is pending."""
    pending = next(iter(client.questions._questions.values()), None)
    if notification.method == asking.PAYMENT_METHOD and pending is not None:
        return client.questions.payment(pending, notification)
    return right_told_of(client, decoded, notification, event)


def conclude_under_its_id(questions: Questions, question: Question, answer: Any, server_id: Any, event: Any) -> Any:
    """The answer is delivered under the id that the server gave it."""
    return [
        Deliver(answer) if isinstance(action, Deliver) else action
        for action in right_conclude(questions, question, answer, server_id, event)
    ]


def conclude_with_latest(questions: Questions, question: Question, answer: Any, server_id: Any, event: Any) -> Any:
    actions = right_conclude(questions, question, answer, server_id, event)
    questions._host.server_id = None
    return actions


def by_loose_id(questions: Questions, request_id: Id) -> Question | None:
    same = (one for one in questions._questions.values() if str(one.request.id) == str(request_id))
    return right_by_id(questions, request_id) or next(same, None)


def give_up_in_silence(questions: Questions, question: Question, given: Any, violation: Any) -> list[Action]:
    """The server is not told that nobody waits any more."""
    actions = right_give_up(questions, question, given, violation)
    return [action for action in actions if isinstance(action, Deliver)]


def cancel_unsent(client: Client, params: dict[str, Any]) -> list[Action]:
    """A cancel of the local client ends the request here and nowhere else."""
    question = client.questions.by_id(params["requestId"])
    return [] if question is None else client.questions._end(question)


def any_network(invoice: str) -> int:
    return right_amount(invoice.lower().replace("lntbs", "lnbc").replace("lntb", "lnbc").replace("lnbcrt", "lnbc"))


def payable_by_demand(params: dict[str, Any], announced: Any, *, above_price: bool) -> tuple[str, int]:
    """Whatever the invoice says, the demand's amount is believed."""
    if not str(params.get("invoice")).lower().startswith("lnbc") or params.get("currency") != "sats":
        return right_payable(params, announced, above_price=above_price)
    return str(params["invoice"]), int(params["amount"])


def payable_above(params: dict[str, Any], announced: Any, *, above_price: bool) -> tuple[str, int]:
    return right_payable(params, announced, above_price=True)


def payable_in_any_unit(params: dict[str, Any], announced: Any, *, above_price: bool) -> tuple[str, int]:
    return right_payable({**params, "currency": "sats"}, announced, above_price=above_price)


PAID_TWICE = altered(ASKING, {(Asking.PAYING, AskingInput.DEMAND): (AskingEffect.PAY, Asking.PAYING)})
NEVER_EXTENDED = altered(ASKING, {(Asking.PENDING, AskingInput.PROGRESS): (AskingEffect.SHOW, Asking.PENDING)})
NEVER_OVERDUE = altered(ASKING, {(Asking.PENDING, AskingInput.OVERDUE): (AskingEffect.WAIT, Asking.PENDING)})
FAILURE_IGNORED = altered(ASKING, {(Asking.PAYING, AskingInput.PAYMENT_FAILED): (AskingEffect.WAIT, Asking.PAID)})


def fall_back_unasked(questions: Questions, question: Question) -> bool:
    return question.wrap is not None and not questions._host.encryption_worked


def fall_back_again(questions: Questions, question: Question) -> bool:
    settings = questions._host.settings
    return settings.encryption is Encryption.OPTIONAL and settings.allow_plain and question.wrap is not None


def asked_and_delivered(client: Client, request: Any, arrival: Arrival) -> list[Action]:
    """Whatever the server asks reaches the local client."""
    return [Deliver(request)]


def paid_though_over(questions: Questions, question: Question, notification: Notification) -> list[Action]:
    """A time that is over counts as none."""
    params = notification.params or {}
    over = params.get("expiration", questions._host.now.unix) < questions._host.now.unix
    left = {name: value for name, value in params.items() if name != "expiration" or not over}
    return right_payment(questions, question, Notification(notification.method, left))


def wait_as_usual(questions: Questions, question: Question, seconds: float) -> None:
    """A request that is being paid for times out like any other."""
    right_start_clock(questions, question, min(seconds, questions._host.settings.timers.request))


def received_in_plain(client: Client, arrival: Arrival) -> list[Action]:
    is_plain = client.is_plain
    try:
        return right_received(client, arrival)
    finally:
        client.is_plain = is_plain


def signed_as_first(client: Client, *args: Any) -> Any:
    client._told = False
    return right_signed(client, *args)


def signed_as_later(client: Client, *args: Any) -> Any:
    client._told = True
    return right_signed(client, *args)


def found_first(client: Client, event_id: bytes) -> list[Action]:
    found = client._searches[event_id]
    client._searches[event_id] = dict(list(found.items())[:1])
    return right_search(client, event_id)


MEMBERS = [
    bug("any-author", "Anyone answers what the server was asked.", CLIENT,
        (Client, "_received", received_from_anyone), on=REVISIONS, fails="foreign-author"),
    bug("answer-by-id", "An answer whose e is unknown is taken by its id.", CLIENT,
        (Client, "_answered", answered_by_id), on="r1 r1e ctx cvm", fails="unknown-e"),
    bug("unknown-e-delivered", "A notification about no request of ours is delivered.", CLIENT,
        (Client, "_told_of", told_whatever_e), on=REVISIONS, fails="notification-unknown-e"),
    bug("class-by-e", "A notification with e is taken for an answer.", CLIENT,
        (Client, "_told_of", told_without_e), on=REVISIONS, fails="progress payment"),
    bug("server-id-of-answers", "An answer is delivered under whatever id the server gave it.", CLIENT,
        (Questions, "_conclude", conclude_under_its_id), on=REVISIONS, fails="other-id"),
    bug("loose-ids", 'A cancel of "3" cancels 3.', CLIENT,
        (Questions, "by_id", by_loose_id), on=REVISIONS, fails="cancelled-other-type"),
    bug("cancel-unsent", "A cancel of the local client is not published.", CLIENT,
        (Client, "_cancel_of", cancel_unsent), on=REVISIONS, fails="cancelled"),
    bug("given-up-in-silence", "A request that times out is not cancelled at the server.", CLIENT,
        (Questions, "_give_up", give_up_in_silence), on=REVISIONS, fails="times-out"),
    bug("waits-for-ever", "A request without an answer never fails.", CLIENT,
        (asking, "ASKING", NEVER_OVERDUE), on=REVISIONS, fails="times-out initialize-times-out"),
    bug("progress-extends-nothing", "Progress does not restart the clock.", CLIENT,
        (asking, "ASKING", NEVER_EXTENDED), on=REVISIONS, fails="progress-extends"),
    bug("server-id-forgotten", "The server that answered initialize is not remembered.", CLIENT,
        (Questions, "_conclude", conclude_with_latest), on=WITH_SERVER_IDS, fails="first-server"),
    bug("any-server-of-the-key", "What another server of the same key says is delivered.", CLIENT,
        (Client, "_refuse_other_server", nothing), on="r1 r1e r11", fails="notification-other-server"),
    bug("first-server-found", "Of several servers behind a key one is found.", CLIENT,
        (Client, "_search_over", found_first), on=WITH_SERVER_IDS, fails="servers"),
    bug("pays-by-default", "Nobody agreed, and it is paid.", CLIENT,
        (PaymentPolicy, "agrees", always(True)), on=REVISIONS, fails="payment-refused"),
    bug("pays-uncorrelated", "A demand that names no request of ours is paid.", CLIENT,
        (Client, "_told_of", pay_uncorrelated), on=REVISIONS, fails="payment-uncorrelated"),
    bug("pays-twice", "A second demand for a request is paid too.", CLIENT,
        (asking, "ASKING", PAID_TWICE), on=REVISIONS, fails="payment-once"),
    bug("pays-test-money", "An invoice of a test network is paid.", CLIENT,
        (payments, "invoice_amount", any_network), on="r1 ctx", fails="payment-other-network"),
    bug("pays-another-amount", "The invoice's own amount is not looked at.", CLIENT,
        (asking, "payable", payable_by_demand), on=REVISIONS, fails="payment-other-amount payment-amountless"),
    bug("pays-above-price", "What is dearer than announced is paid.", CLIENT,
        (asking, "payable", payable_above), on="cvm", fails="payment-above-price payment-range"),
    bug("pays-in-any-unit", "A demand in another unit is read as one in sats.", CLIENT,
        (asking, "payable", payable_in_any_unit), on="r1 ctx", fails="payment-other-unit"),
    bug("failed-payment-waits", "After a failed payment the request still waits.", CLIENT,
        (asking, "ASKING", FAILURE_IGNORED), on="r1 cvm", fails="payment-failed"),
    bug("pays-what-is-over", "A demand is paid though its time is over.", CLIENT,
        (Questions, "payment", paid_though_over), on="r1 cvm", fails="payment-expired"),
    bug("paid-in-vain", "What was paid for fails when the demand ends, though its answer is on the way.", CLIENT,
        (Questions, "_give_time", nothing), on="r1 cvm", fails="payment-waits"),
    bug("payment-clock-runs", "A request times out while it is paid for.", CLIENT,
        (Questions, "_start_clock", wait_as_usual), on="r1 cvm", fails="payment-clock"),
    bug("falls-back-without-leave", "Silence makes a client speak in plain, with leave or without.", CLIENT,
        (Questions, "_may_fall_back", fall_back_unasked), on=WRAPPING,
        fails="not-told-to-fall-back required-never-plain"),
    bug("falls-back-after-success", "A client falls back to plain though encryption has worked.", CLIENT,
        (Questions, "_may_fall_back", fall_back_again), on=WRAPPING, fails="worked-before"),
    bug("plain-for-good", "Who fell back to plain stays there, though wraps of the server come.", CLIENT,
        (Client, "_received", received_in_plain), on=WRAPPING, fails="worked-late"),
    bug("never-encrypts", "A client encrypts nothing.", CLIENT,
        (Client, "_wrap", always(None)), on=WRAPPING, fails="encrypted required"),
    bug("delivers-every-request", "The server's pings, and what only clients send, reach the local client.", CLIENT,
        (Client, "_asked", asked_and_delivered), on="ctx cvm", fails="server-ping wrong-way"),
    bug("client-discovery-always", "Every message says what the client reads.", CLIENT,
        (Client, "_signed", signed_as_first), on="cvm", fails="discovery"),
    bug("client-discovery-never", "The first message does not say what the client reads.", CLIENT,
        (Client, "_signed", signed_as_later), on="cvm", fails="discovery payment-methods"),
]  # fmt: skip
