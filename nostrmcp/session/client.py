"""A client of one server: MCP messages of a local client to events, and the server's events to messages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any, Protocol

from ..mcp import catalogue, jsonrpc
from ..mcp.catalogue import Side
from ..mcp.errors import ErrorClass as McpErrorClass
from ..mcp.jsonrpc import Error, ErrorCode, Id, Notification, Request, Result, id_key, is_id
from ..nostr import Event, LocalProtocolError, SecretKey, Violation, filters, nip59
from ..revisions.model import MessageClass, Presence, TagValue
from ..translate import announce, codec
from ..translate.body import PAYMENT_METHOD, PAYMENT_METHODS
from ..translate.codec import Decoded
from ..translate.route import Price, RequestReference, Role, Route
from .actions import (
    Action,
    Deliver,
    Drop,
    Notice,
    Now,
    Pay,
    Publish,
    Servers,
    Subscribe,
    Unsubscribe,
    Wake,
)
from .arriving import Arrival, Gate
from .errors import ErrorClass
from .limits import Alarms, Budget, Rate
from .listening import Subscriptions
from .machine import ASKING, Asking, AskingEffect, AskingInput
from .payments import payable
from .sending import TWO_DAYS, Random, Sender
from .serving import PRICED
from .settings import ClientSettings, Encryption
from .subscriptions import LISTEN

CANCELLED = "notifications/cancelled"
# A server may ask for a sign of life, but not for many.
PINGS_ANSWERED_PER_SECOND = 10
# No demand for payment stops the clock of a request for longer.
LONGEST_PAYMENT = 24 * 3600


class Asker(Protocol):
    """What is asked of the server: an ordinary request, or a subscription."""

    request: Request
    event_id: bytes
    wrap: int | None


@dataclass(slots=True, eq=False)
class Question:
    """A request that waits for its answer, known by its event (HOUSE-ID-01)."""

    request: Request
    event_id: bytes = b""
    wrap: int | None = None
    state: Asking = Asking.PENDING
    steps: int = 0
    until: float = 0.0
    is_ours: bool = False

    @property
    def token(self) -> Any:
        meta = (self.request.params or {}).get("_meta")
        return meta.get("progressToken") if type(meta) is dict else None


@dataclass(slots=True, eq=False)
class Call:
    """A request of the server that the local client has not answered."""

    request: Request
    event_id: bytes
    wrap: int | None


class Client:
    """The machine. Every input is a method that takes the time and gives actions."""

    def __init__(self, settings: ClientSettings, secret_key: SecretKey, random: Random, now: Now) -> None:
        limits = settings.limits
        self.settings = settings
        self.now = now
        self.random = random
        self.is_connected = True
        self.alarms = Alarms()
        self.sender = Sender(secret_key, random, limits.event)
        wraps = frozenset(settings.revision.kinds.wraps)
        self._wraps = frozenset[int]() if settings.encryption is Encryption.DISABLED else wraps
        self.gate = Gate(
            secret_key,
            wraps=self._wraps,
            policy=settings.encryption,
            fresh=settings.timers.fresh,
            content=limits.content,
            seen=Budget(limits.seen, limits.seen),
            unwraps_per_second=limits.unwraps_per_second,
        )
        self.subscriptions = Subscriptions(self)
        announcement = settings.server.announcement
        self.server_id = settings.server.id
        self._ephemeral = announcement is not None and announce.says_ephemeral(announcement)
        self._prices: dict[str, Price] = {}
        if announcement is not None:
            self._learn_prices(announcement)
        self._questions: dict[bytes, Question] = {}
        self._by_id: dict[tuple[str, Id], Question] = {}
        self._by_publication: dict[bytes, Question] = {}
        self._calls: dict[tuple[str, Id], Call] = {}
        self._searches: dict[bytes, dict[str | None, dict[str, object]]] = {}
        self._pings = Rate(PINGS_ANSWERED_PER_SECOND)
        self._failed_pings = 0
        self._told = False
        self._encryption_worked = False
        self._is_plain = False

    # Inputs

    def start(self, now: Now) -> list[Action]:
        """Ask relays for what the server sends us, for as long as the session lasts."""
        self.now = now
        self._heard()
        return self._finished([Subscribe("client", self._filters())])

    def receive(self, event: Event, now: Now) -> list[Action]:
        """An event from a relay. Nothing in it is believed before it is verified."""
        self.now = now
        try:
            actions = self._received(self.gate.open(event, now))
        except Violation as violation:
            actions = [Drop(event.id, violation)]
        return self._finished(actions)

    def message(self, message: jsonrpc.Message, now: Now) -> list[Action]:
        """What the local MCP client says."""
        self.now = now
        if isinstance(message, Request):
            actions = self._request(message)
        elif isinstance(message, Notification):
            actions = self._notification(message)
        else:
            actions = self._answer(message)
        return self._finished(actions)

    def find_servers(self, params: dict[str, Any], now: Now) -> list[Action]:
        """Ask the provider's key, without naming a server, who is there; the set follows after a window (AMB-108)."""
        self.now = now
        question = Question(Request(0, "initialize", params), is_ours=True)
        actions, publication = self.ask(question, names_server=False)
        if publication is None:
            return self._finished(actions)
        self._searches[question.event_id] = {}
        end = partial(self._search_over, question.event_id)
        self.alarms.set(question, now.monotonic + self.settings.timers.servers, end)
        return self._finished(actions)

    def published(self, event_id: bytes, accepted: bool, text: str, now: Now) -> list[Action]:
        """What relays say of an event of ours: true once one took it, false when all refused. `text` is theirs."""
        self.now = now
        question = self._by_publication.get(event_id)
        if question is None:
            return self._finished(self.subscriptions.published(event_id, accepted))
        return self._finished([] if accepted else self._step(question, AskingInput.REFUSED))

    def connection(self, up: bool, now: Now) -> list[Action]:
        """The last relay is gone, or the first is back."""
        self.now = now
        self.is_connected = up
        return self._finished(self.subscriptions.connection(up))

    def payment_sent(self, request: bytes, now: Now) -> list[Action]:
        self.now = now
        return self._finished(self._paid(request, AskingInput.PAYMENT_SENT))

    def payment_failed(self, request: bytes, now: Now) -> list[Action]:
        self.now = now
        return self._finished(self._paid(request, AskingInput.PAYMENT_FAILED))

    def tick(self, now: Now) -> list[Action]:
        """Time has passed."""
        self.now = now
        actions: list[Action] = []
        for alarm in self.alarms.ring(now.monotonic):
            actions += alarm()
        return self._finished(actions)

    # What the local client says

    def _request(self, request: Request) -> list[Action]:
        if id_key(request.id) in self._by_id or self.subscriptions.is_open(request.id):
            raise LocalProtocolError(McpErrorClass.MALFORMED_REQUEST_ID, "a request with this id is pending")
        if request.method == "initialize" and not self.settings.handshake:
            return self._from_announcement(request)
        if len(self._questions) >= self.settings.limits.pending:
            return [Deliver(_failed(request, ErrorClass.NO_ROOM, "too many requests are pending"))]
        if request.method == LISTEN:
            return self.subscriptions.open(request)
        return self._send(Question(request))

    def _from_announcement(self, request: Request) -> list[Action]:
        announcement = self.settings.server.announcement
        assert announcement is not None
        try:
            content = announce.parse(announcement, self.settings.revision).content
        except Violation as violation:
            return [Deliver(_failed(request, violation.error_class, violation.detail))]
        return [Deliver(Result(request.id, content))]

    def _send(self, question: Question) -> list[Action]:
        actions, publication = self.ask(question)
        if publication is None:
            return actions
        self._questions[question.event_id] = question
        self._by_id[id_key(question.request.id)] = question
        self._by_publication[publication] = question
        self._start_clock(question, self.settings.timers.request)
        return actions

    def _start_clock(self, question: Question, seconds: float) -> None:
        question.until = self.now.monotonic + seconds
        self.alarms.set(question, question.until, partial(self._step, question, AskingInput.OVERDUE))

    def _notification(self, notification: Notification) -> list[Action]:
        params = notification.params or {}
        if notification.method == CANCELLED:
            return self._cancel_of(params)
        if notification.method == "notifications/initialized":
            if not (self.settings.handshake and self.settings.revision.initialized_is_sent):
                return []
        about = None
        if notification.method == "notifications/progress":
            about = next(
                (one for one in self._calls.values() if _token(one.request) == params.get("progressToken")), None
            )
            if about is None:
                return [Drop(None, Violation(ErrorClass.UNCORRELATED, "message", "no such token is in use"))]
        return self._say(notification, about)[0]

    def _cancel_of(self, params: dict[str, Any]) -> list[Action]:
        named: Any = params.get("requestId")
        question = self._by_id.get(id_key(named)) if is_id(named) else None
        if question is not None:
            return self._step(question, AskingInput.CANCEL, params.get("reason"))
        closed = self.subscriptions.close(named) if is_id(named) else None
        if closed is not None:
            return closed
        return [Drop(None, Violation(ErrorClass.UNCORRELATED, "message", "it cancels nothing that is pending"))]

    def _answer(self, answer: Result | Error) -> list[Action]:
        call = None if answer.id is None else self._calls.pop(id_key(answer.id), None)
        if call is None:
            return [Drop(None, Violation(ErrorClass.UNCORRELATED, "message.id", "the server asked nothing under it"))]
        return self._say(replace(answer, id=call.request.id), call)[0]

    # What comes from the server

    def _received(self, arrival: Arrival) -> list[Action]:
        event = arrival.event
        if event.pubkey != self.settings.server.pubkey:
            raise Violation(ErrorClass.WRONG_AUTHOR, "event.pubkey", "another key was asked")
        self.gate.refuse_wrong_recipient(event)
        decoded = codec.decode(event, self.settings.revision, Role.SERVER)
        self.gate.take(event, self.now)
        self._heard()
        self._encryption_worked |= arrival.wrap is not None
        self._ephemeral |= announce.says_ephemeral(event)
        if isinstance(decoded.message, Request):
            return self._asked(decoded.message, arrival)
        if isinstance(decoded.message, Notification):
            return self._told_of(decoded, decoded.message, event)
        return self._answered(decoded, decoded.message, event)

    def _answered(self, decoded: Decoded, answer: Result | Error, event: Event) -> list[Action]:
        """The answer to what e names, under the id of the local client (HOUSE-ID-02, HOUSE-ROUTE-07)."""
        reference = decoded.request_event_id
        assert reference is not None
        question = self._questions.get(reference)
        if question is not None:
            return self._step(question, AskingInput.ANSWER, (answer, decoded.server_id, event))
        subscription = self.subscriptions.find(reference)
        if subscription is not None:
            return self.subscriptions.answered(subscription, answer, event.created_at)
        found = self._searches.get(reference)
        if found is None:
            raise Violation(ErrorClass.UNCORRELATED, "event.tags", "e names no request that is pending")
        if isinstance(answer, Result) and len(found) < self.settings.limits.pending:
            found.setdefault(decoded.server_id, answer.result)
        return []

    def _told_of(self, decoded: Decoded, notification: Notification, event: Event) -> list[Action]:
        reference, method = decoded.request_event_id, notification.method
        if method == "notifications/progress" and reference is None:
            question = self._by_token((notification.params or {}).get("progressToken"))
            reference = None if question is None else question.event_id
        if reference is None:
            named = self.subscriptions.by_name(notification)
            if named is not None:
                return self.subscriptions.told(named, notification, event.created_at)
            if method in ("notifications/progress", CANCELLED):
                raise Violation(
                    ErrorClass.UNCORRELATED, "event.tags", "there is no e, and nothing else names a request"
                )
            return [Deliver(notification)]
        question = self._questions.get(reference)
        subscription = self.subscriptions.find(reference)
        if method in PAYMENT_METHODS and question is not None:
            return self._payment(question, notification)
        if method == "notifications/progress" and question is not None:
            return self._step(question, AskingInput.PROGRESS, notification.params or {})
        if subscription is not None:
            return self.subscriptions.told(subscription, notification, event.created_at)
        if method == CANCELLED:
            return self._withdrawn(reference)
        if question is None:
            raise Violation(ErrorClass.UNCORRELATED, "event.tags", "e names no request that is pending")
        return [Deliver(notification)]

    def _by_token(self, token: Any) -> Question | None:
        same = (one for one in self._questions.values() if is_id(token) and jsonrpc.same_id(one.token, token))
        return next(same, None)

    def _withdrawn(self, event_id: bytes) -> list[Action]:
        """The server withdraws a request of its own."""
        call = next((one for one in self._calls.values() if one.event_id == event_id), None)
        if call is None:
            raise Violation(ErrorClass.UNCORRELATED, "event.tags", "e names no request that is pending")
        del self._calls[id_key(call.request.id)]
        return [Deliver(Notification(CANCELLED, {"requestId": call.request.id}))]

    def _asked(self, request: Request, arrival: Arrival) -> list[Action]:
        """A request of the server: a ping is answered here, another goes to the local client."""
        call = Call(request, arrival.event.id, arrival.wrap)
        if request.method == "ping":
            if not self._pings.take(self.now.monotonic):
                raise Violation(ErrorClass.TOO_MANY, "event", "more pings in a second than are answered")
            return self._say(Result(request.id, {}), call)[0]
        entry = catalogue.find(request.method, self.settings.mcp_version)
        if entry is None or entry.kind is not catalogue.Kind.REQUEST or Side.SERVER not in entry.direction.senders:
            return self._say(Error(request.id, ErrorCode.METHOD_NOT_FOUND, "a client does not have this method"), call)[
                0
            ]
        if id_key(request.id) in self._calls:
            return self._say(Error(request.id, ErrorCode.INVALID_REQUEST, "a request with this id is pending"), call)[0]
        if len(self._calls) >= self.settings.limits.pending:
            return self._say(Error(request.id, ErrorCode.INTERNAL_ERROR, "too many requests are pending"), call)[0]
        self._calls[id_key(request.id)] = call
        return [Deliver(request)]

    # The life of a request, by its table

    def _step(self, question: Question, given: AskingInput, about: Any = None) -> list[Action]:
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
                self._start_clock(question, self.settings.timers.request)
                return self._progress(question, about)
            case AskingEffect.SHOW:
                return self._progress(question, about)
            case AskingEffect.PAY:
                invoice, amount, seconds = about
                self._start_clock(question, seconds)
                return [Pay(question.event_id, invoice, amount)]
            case AskingEffect.WITHDRAW:
                return [*self.cancel(question, about)[0], *self._end(question)]
            case AskingEffect.GIVE_UP:
                return self._give_up(question, given, about)
            case AskingEffect.FAIL:
                failure = _failed(question.request, ErrorClass.NOT_DELIVERED, "no relay took the request")
                return [*self._end(question), *self._deliver_failure(question, failure)]
            case _:
                return []

    def _conclude(
        self, question: Question, answer: Result | Error, server_id: str | None, event: Event
    ) -> list[Action]:
        if question.request.method == "initialize" and self.server_id is None:
            self.server_id = server_id
        if question.request.method.endswith("/list"):
            self._learn_prices(event)
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
            actions += self.cancel(question)[0]
        failure = _failed(question.request, reason, detail)
        return [*actions, *self._end(question), *self._deliver_failure(question, failure)]

    def _deliver_failure(self, question: Question, failure: Error) -> list[Action]:
        return self._ping_failed() if question.is_ours else [Deliver(failure)]

    def _end(self, question: Question) -> list[Action]:
        del self._questions[question.event_id]
        del self._by_id[id_key(question.request.id)]
        for event_id in [one for one, its in self._by_publication.items() if its is question]:
            del self._by_publication[event_id]
        self.alarms.clear(question)
        return self.forget(question.event_id)

    def _may_fall_back(self, question: Question) -> bool:
        """Plain text only when told to, and never after encryption has worked (HOUSE-CRYPT-06, HOUSE-CRYPT-08)."""
        optional = self.settings.encryption is Encryption.OPTIONAL and self.settings.allow_plain
        return optional and question.wrap is not None and not self._encryption_worked

    def _fall_back(self, question: Question) -> list[Action]:
        self._is_plain = True
        detail = "no answer to an encrypted request: going on in plain text, as was allowed"
        notice = Notice(question.event_id, Violation(ErrorClass.FALLEN_BACK, "encryption", detail))
        return [notice, *self._end(question), *self._send(Question(question.request, is_ours=question.is_ours))]

    # Money

    def _payment(self, question: Question, notification: Notification) -> list[Action]:
        """A demand is paid at most once, by the rules and then by the policy (HOUSE-PAY-01 to HOUSE-PAY-08)."""
        params = notification.params or {}
        if notification.method != PAYMENT_METHOD:
            self._start_clock(question, max(self.settings.timers.request, question.until - self.now.monotonic))
            return []
        if "pmi" in params:
            raise Violation(ErrorClass.UNSUPPORTED, "demand", "this method of payment is not known here")
        try:
            price = self._price_of(question.request)
            invoice, amount = payable(params, price, above_price=self.settings.payments.above_price)
            if not self.settings.payments.agrees(amount, question.request.method):
                raise Violation(ErrorClass.PAYMENT_REFUSED, "demand", f"the policy does not pay {amount} sats")
        except Violation as violation:
            return self._step(question, AskingInput.BAD_DEMAND, violation)
        expires = params.get("expiration", self.now.unix + int(self.settings.timers.payment))
        seconds = min(max(expires - self.now.unix, 0), LONGEST_PAYMENT)
        return self._step(question, AskingInput.DEMAND, (invoice, amount, seconds))

    def _paid(self, request: bytes, given: AskingInput) -> list[Action]:
        question = self._questions.get(request)
        try:
            if question is None:
                raise Violation(ErrorClass.UNCORRELATED, "request", "it is not pending")
            failed = Violation(ErrorClass.PAYMENT_REFUSED, "payment", "the payment failed")
            return self._step(question, given, failed if given is AskingInput.PAYMENT_FAILED else None)
        except Violation as violation:
            return [Drop(request, violation)]

    def _learn_prices(self, event: Event) -> None:
        for price in announce.prices_in(event, self.settings.revision)[: self.settings.limits.pending]:
            self._prices[price.capability] = price

    def _price_of(self, request: Request) -> Price | None:
        name = (request.params or {}).get(PRICED[request.method][1]) if request.method in PRICED else None
        return self._prices.get(name) if type(name) is str else None

    # Signs of life

    def _heard(self) -> None:
        """The server has spoken: the next ping is a full pause away."""
        if self.settings.timers.ping:
            self.alarms.set("ping", self.now.monotonic + self.settings.timers.ping, self._ping)

    def _ping(self) -> list[Action]:
        question = Question(Request(f"ping:{self.random(8).hex()}", "ping"), is_ours=True)
        actions = self._send(question)
        if question.event_id in self._questions:
            self._start_clock(question, self.settings.timers.ping_timeout)
        return actions

    def _ping_failed(self) -> list[Action]:
        """After several silent pings the server is gone: what waits for it has failed, and pinging stops."""
        self._failed_pings += 1
        if self._failed_pings < self.settings.limits.ping_failures:
            return self._ping()
        self._failed_pings = 0
        self.alarms.clear("ping")
        gone = Violation(ErrorClass.TIMED_OUT, "server", "it answers no pings")
        actions: list[Action] = [Notice(None, gone)]
        for question in list(self._questions.values()):
            actions += self._step(question, AskingInput.OVERDUE)
        return actions

    # What goes to relays

    def ask(self, asker: Asker, *, names_server: bool = True) -> tuple[list[Action], bytes | None]:
        """Publish a request, after asking relays for its answer (SUBN-OPEN-01); gives the id of the publication."""
        asker.wrap = self._wrap()
        server_id = self.server_id if names_server else None
        try:
            publish, asker.event_id = self._signed(asker.request, None, asker.wrap, server_id)
        except LocalProtocolError as problem:
            return [Deliver(_failed(asker.request, problem.error_class, problem.detail))], None
        actions: list[Action] = []
        if asker.wrap is None and self._answers_may_lack_p():
            wanted = filters.Filter(
                kinds=frozenset({self.settings.revision.kinds.response}),
                authors=frozenset({self.settings.server.pubkey}),
                tags={"e": frozenset({asker.event_id.hex()})},
            )
            actions.append(Subscribe(asker.event_id.hex(), (wanted,)))
        return [*actions, publish], publish.event.id

    def forget(self, event_id: bytes) -> list[Action]:
        """Nothing more is expected about this request."""
        return [Unsubscribe(event_id.hex())] if self._answers_may_lack_p() else []

    def _answers_may_lack_p(self) -> bool:
        rules = self.settings.revision.tags[MessageClass.RESPONSE]
        return not any(rule.value is TagValue.RECIPIENT and rule.presence is Presence.REQUIRED for rule in rules)

    def cancel(self, asker: Asker, reason: Any = None) -> tuple[list[Action], bytes | None]:
        """Publish a cancel, with e (HOUSE-ID-03)."""
        why = {"reason": reason} if type(reason) is str else {}
        return self._say(Notification(CANCELLED, {"requestId": asker.request.id, **why}), asker)

    def _say(self, message: jsonrpc.Message, about: Asker | Call | None = None) -> tuple[list[Action], bytes | None]:
        reference = None if about is None else RequestReference(about.event_id, about.request.method, about.request.id)
        wrap = self._wrap() if about is None else about.wrap
        try:
            publish, _ = self._signed(message, reference, wrap, self.server_id)
        except LocalProtocolError as problem:
            return [Drop(None, Violation(problem.error_class, "message", problem.detail))], None
        return [publish], publish.event.id

    def _signed(
        self, message: jsonrpc.Message, reference: RequestReference | None, wrap: int | None, server_id: str | None
    ) -> tuple[Publish, bytes]:
        encrypts = self.settings.encryption is not Encryption.DISABLED
        first = not self._told or (isinstance(message, Request) and message.method == "initialize")
        route = Route(
            sender=self.sender.own,
            recipient=self.settings.server.pubkey,
            role=Role.CLIENT,
            server_id=server_id,
            request=reference,
            encryption=encrypts and first,
            ephemeral_wraps=encrypts and first and self.settings.ephemeral_wraps,
        )
        sent = self.sender.send(message, route, self.settings.revision, self.now, wrap)
        self._told = True
        return sent

    def _wrap(self) -> int | None:
        """Encrypt wherever it is not disabled, until plain text was fallen back to (HOUSE-CRYPT-05)."""
        if not self._wraps or self._is_plain:
            return None
        ephemeral = self._ephemeral and self.settings.ephemeral_wraps and nip59.EPHEMERAL_WRAP in self._wraps
        return nip59.EPHEMERAL_WRAP if ephemeral else nip59.WRAP

    def _filters(self) -> tuple[filters.Filter, ...]:
        """Live kinds reach back a little, stored wraps as far as their times are moved (HOUSE-TIME-10, HOUSE-TIME-11)."""
        kinds = self.settings.revision.kinds
        own = {"p": frozenset({self.sender.own.hex()})}
        slack = int(self.settings.timers.fresh)
        live = frozenset({kinds.request, kinds.response, kinds.notification})
        author = frozenset({self.settings.server.pubkey})
        asked = [filters.Filter(kinds=live, authors=author, tags=own, since=self.now.unix - slack)]
        for wrap in sorted(self._wraps):
            past = TWO_DAYS if wrap == nip59.WRAP else 0
            asked.append(filters.Filter(kinds=frozenset({wrap}), tags=own, since=self.now.unix - slack - past))
        return tuple(asked)

    def _search_over(self, event_id: bytes) -> list[Action]:
        found = self._searches.pop(event_id)
        return [*self.forget(event_id), Servers(found)]

    def _finished(self, actions: list[Action]) -> list[Action]:
        wake = self.alarms.next()
        if wake is not None:
            actions.append(Wake(wake))
        return actions


def _failed(request: Request, reason: StrEnum, detail: str) -> Error:
    """What the local client is told of a request that fails on this side."""
    return Error(request.id, ErrorCode.INTERNAL_ERROR, detail, {"reason": reason.value})


def _token(request: Request) -> Any:
    meta = (request.params or {}).get("_meta")
    return meta.get("progressToken") if type(meta) is dict else None
