"""Requests at the client, from the local client's message to its end: answer, progress, payment, time-out, cancel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from ..mcp import jsonrpc
from ..mcp.jsonrpc import Error, ErrorCode, Id, Notification, Request, Result, id_key, is_id
from ..nostr import Event, Violation
from ..translate import announce
from ..translate.body import PAYMENT_METHOD
from ..translate.route import Price
from .actions import Action, Deliver, Drop, Notice, Pay
from .errors import ErrorClass
from .machine import ASKING, Asking, AskingEffect, AskingInput
from .payments import payable
from .serving import PRICED
from .settings import Encryption

if TYPE_CHECKING:
    from .client import Client

# No demand for payment stops the clock of a request for longer.
LONGEST_PAYMENT = 24 * 3600


@dataclass(slots=True, eq=False)
class Question:
    """A request that waits for its answer, known by its event (HOUSE-ID-01)."""

    request: Request
    event_id: bytes = b""
    wrap: int | None = None
    state: Asking = Asking.PENDING
    steps: int = 0
    until: float = 0.0
    publication: bytes = b""
    is_ours: bool = False

    @property
    def token(self) -> Any:
        meta = (self.request.params or {}).get("_meta")
        return meta.get("progressToken") if type(meta) is dict else None


class Questions:
    """Every request of one client that has not ended."""

    def __init__(self, host: Client) -> None:
        self._host = host
        self._questions: dict[bytes, Question] = {}
        self._by_id: dict[tuple[str, Id], Question] = {}
        self._by_publication: dict[bytes, Question] = {}
        self._prices: dict[tuple[str, str], Price] = {}
        self._failed_pings = 0

    def __len__(self) -> int:
        return len(self._questions)

    @property
    def are_answered(self) -> bool:
        """Whether the local client waits for nothing."""
        return all(question.is_ours for question in self._questions.values())

    def find(self, event_id: bytes) -> Question | None:
        return self._questions.get(event_id)

    def by_id(self, request_id: Id) -> Question | None:
        return self._by_id.get(id_key(request_id))

    def by_publication(self, event_id: bytes) -> Question | None:
        return self._by_publication.get(event_id)

    def send(self, question: Question) -> list[Action]:
        actions, publication = self._host.ask(question)
        if publication is None:
            return actions
        self._questions[question.event_id] = question
        self._by_id[id_key(question.request.id)] = question
        question.publication = publication
        self._by_publication[publication] = question
        self._start_clock(question, self._host.settings.timers.request)
        return actions

    def _start_clock(self, question: Question, seconds: float) -> None:
        question.until = self._host.now.monotonic + seconds
        self._host.alarms.set(question, question.until, partial(self.step, question, AskingInput.OVERDUE))

    def _give_time(self, question: Question) -> None:
        """The full time for an answer, or what is left until the demand ends if that is longer."""
        left = question.until - self._host.now.monotonic
        self._start_clock(question, max(self._host.settings.timers.request, left))

    def by_token(self, token: Any) -> Question | None:
        same = (one for one in self._questions.values() if is_id(token) and jsonrpc.same_id(one.token, token))
        return next(same, None)

    # The life of a request, by its table

    def step(self, question: Question, given: AskingInput, about: Any = None) -> list[Action]:
        step = ASKING.step(question.state, given)
        if step is None:
            raise Violation(ErrorClass.UNEXPECTED, "request", f"{given.value}, where it is {question.state.value}")
        effect, after = step
        if effect is AskingEffect.GIVE_UP and given is AskingInput.OVERDUE and self._may_fall_back(question):
            return self._fall_back(question)
        question.state = after
        match effect:
            case AskingEffect.DELIVER:
                return self._conclude(question, *about)
            case AskingEffect.EXTEND:
                self._start_clock(question, self._host.settings.timers.request)
                return self._progress(question, about)
            case AskingEffect.SHOW:
                return self._progress(question, about)
            case AskingEffect.SHOW_AND_WAIT:
                self._give_time(question)
                return self._progress(question, about)
            case AskingEffect.PAY:
                invoice, amount, seconds = about
                self._start_clock(question, seconds)
                return [Pay(question.event_id, invoice, amount)]
            case AskingEffect.WITHDRAW:
                return [*self._host.cancel(question, about)[0], *self._end(question)]
            case AskingEffect.GIVE_UP:
                return self._give_up(question, given, about)
            case AskingEffect.FAIL:
                failure = failed(question.request, ErrorClass.NOT_DELIVERED, "no relay took the request")
                return [*self._end(question), *self._deliver_failure(question, failure)]
            case _:
                self._give_time(question)
                return []

    def _conclude(
        self, question: Question, answer: Result | Error, server_id: str | None, event: Event
    ) -> list[Action]:
        if question.request.method == "initialize":
            self._host.initialized(answer, server_id)
        if question.request.method.endswith("/list"):
            self.learn_prices(event)
        actions = self._end(question)
        if question.is_ours:
            self._failed_pings = 0
            return actions
        return [*actions, Deliver(replace(answer, id=question.request.id))]

    def _progress(self, question: Question, params: dict[str, Any]) -> list[Action]:
        """Progress with the token of the local client, and a number that rises where the server gives none."""
        if not is_id(question.token):
            return []
        question.steps += 1
        given = {"progressToken": question.token, "progress": question.steps}
        own = {**given, **{name: value for name, value in params.items() if name != "progressToken"}}
        return [Deliver(Notification("notifications/progress", own))]

    def _give_up(self, question: Question, given: AskingInput, violation: Violation | None) -> list[Action]:
        reason = ErrorClass.TIMED_OUT if violation is None else violation.error_class
        detail = given.value if violation is None else violation.detail
        actions: list[Action] = []
        if question.request.method != "initialize":
            actions += self._host.cancel(question)[0]
        failure = failed(question.request, reason, detail)
        return [*actions, *self._end(question), *self._deliver_failure(question, failure)]

    def _deliver_failure(self, question: Question, failure: Error) -> list[Action]:
        return self._ping_failed() if question.is_ours else [Deliver(failure)]

    def _end(self, question: Question) -> list[Action]:
        del self._questions[question.event_id]
        del self._by_id[id_key(question.request.id)]
        del self._by_publication[question.publication]
        self._host.alarms.clear(question)
        return self._host.forget(question.event_id)

    def _may_fall_back(self, question: Question) -> bool:
        """Plain text only when told to, and never after encryption has worked (HOUSE-CRYPT-06, HOUSE-CRYPT-08)."""
        optional = self._host.settings.encryption is Encryption.OPTIONAL and self._host.settings.allow_plain
        # What a demand was paid for is not asked anew: it might be paid for twice.
        is_unpaid = question.state is Asking.PENDING
        return optional and is_unpaid and question.wrap is not None and not self._host.encryption_worked

    def _fall_back(self, question: Question) -> list[Action]:
        """Go on in plain text. Only initialize is sent again: another request may have run, though no answer came."""
        self._host.is_plain = True
        detail = "no answer to an encrypted request: going on in plain text, as was allowed"
        notice = Notice(question.event_id, Violation(ErrorClass.FALLEN_BACK, "encryption", detail))
        if question.request.method == "initialize":
            return [notice, *self._end(question), *self.send(Question(question.request))]
        return [notice, *self._give_up(question, AskingInput.OVERDUE, None)]

    def progress(self, question: Question, params: dict[str, Any]) -> list[Action]:
        """Progress; or a frame of an oversized transfer or an open stream, which we never offer (CVM-FLOW-76)."""
        if type(params.get("cvm")) is dict:
            violation = Violation(ErrorClass.UNSUPPORTED, "event.content", "an oversized transfer, or an open stream")
            return self.step(question, AskingInput.FRAME, violation)
        return self.step(question, AskingInput.PROGRESS, params)

    # Money

    def payment(self, question: Question, notification: Notification) -> list[Action]:
        """A demand is paid at most once, by the rules and then by the policy (HOUSE-PAY-01 to HOUSE-PAY-08)."""
        params, now = notification.params or {}, self._host.now
        if notification.method != PAYMENT_METHOD:
            self._give_time(question)
            return []
        if "pmi" in params:
            raise Violation(ErrorClass.UNSUPPORTED, "demand", "this method of payment is not known here")
        try:
            if question.is_ours:
                raise Violation(ErrorClass.PAYMENT_REFUSED, "demand", "nobody has asked to pay for a sign of life")
            price = self._price_of(question.request)
            invoice, amount = payable(params, price, above_price=self._host.settings.payments.above_price)
            if not self._host.settings.payments.agrees(amount, question.request.method):
                raise Violation(ErrorClass.PAYMENT_REFUSED, "demand", f"the policy does not pay {amount} sats")
            seconds = params.get("expiration", now.unix + int(self._host.settings.timers.payment)) - now.unix
            if seconds <= 0:
                raise Violation(ErrorClass.PAYMENT_REFUSED, "demand", "its time is over")
        except Violation as violation:
            return self.step(question, AskingInput.BAD_DEMAND, violation)
        return self.step(question, AskingInput.DEMAND, (invoice, amount, min(seconds, LONGEST_PAYMENT)))

    def paid(self, request: bytes, given: AskingInput) -> list[Action]:
        question = self._questions.get(request)
        try:
            if question is None:
                raise Violation(ErrorClass.UNCORRELATED, "request", "it is not pending")
            failed = Violation(ErrorClass.PAYMENT_REFUSED, "payment", "the payment failed")
            return self.step(question, given, failed if given is AskingInput.PAYMENT_FAILED else None)
        except Violation as violation:
            return [Drop(request, violation)]

    def learn_prices(self, event: Event) -> None:
        """The latest price of a capability counts; of all there are, as many are kept as requests may be pending."""
        told = announce.prices_in(event, self._host.settings.revision)
        known = self._prices | {(price.type, price.capability): price for price in told}
        self._prices = dict(list(known.items())[-self._host.settings.limits.pending :])

    def _price_of(self, request: Request) -> Price | None:
        """The price of what a request uses: that of its type, or else one without a type."""
        kind, member = PRICED.get(request.method, ("", ""))
        name = (request.params or {}).get(member)
        if type(name) is not str:
            return None
        return self._prices.get((kind, name)) or self._prices.get(("", name))

    # Signs of life

    def heard(self) -> None:
        """The server has spoken: the next ping is a full pause away."""
        if self._host.settings.timers.ping:
            self._host.alarms.set("ping", self._host.now.monotonic + self._host.settings.timers.ping, self._ping)

    def _ping(self) -> list[Action]:
        # The server has spoken since an earlier one: that one has done its work, answered or not.
        earlier = [one for one in self._questions.values() if one.is_ours]
        ended = [action for one in earlier for action in self._end(one)]
        question = Question(Request(f"ping:{self._host.random(8).hex()}", "ping"), is_ours=True)
        actions = self.send(question)
        if question.event_id not in self._questions:
            return ended  # relays would not carry it, and nobody waits for its answer
        self._start_clock(question, self._host.settings.timers.ping_timeout)
        return [*ended, *actions]

    def _ping_failed(self) -> list[Action]:
        """After several silent pings the server is gone: what waits for it has failed, and pinging stops."""
        self._failed_pings += 1
        if self._failed_pings < self._host.settings.limits.ping_failures:
            return self._ping()
        self._failed_pings = 0
        self._host.alarms.clear("ping")
        gone = Violation(ErrorClass.TIMED_OUT, "server", "it answers no pings")
        actions: list[Action] = [Notice(None, gone)]
        for question in list(self._questions.values()):
            actions += self.step(question, AskingInput.OVERDUE)
        return actions


def failed(request: Request, reason: StrEnum, detail: str) -> Error:
    """What the local client is told of a request that fails on this side."""
    return Error(request.id, ErrorCode.INTERNAL_ERROR, detail, {"reason": reason.value})
