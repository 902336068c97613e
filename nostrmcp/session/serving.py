"""Requests at the server, from their event to their answer: price, execution, progress, cancel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from ..mcp import catalogue, paths
from ..mcp.catalogue import PROTOCOL_VERSION, Kind, Owner, Side
from ..mcp.jsonrpc import Error, ErrorCode, Id, Notification, Request, Result, id_key, is_id
from ..nostr import Event, Violation
from ..nostr.event import is_hex32
from ..revisions.model import Revision
from ..translate.codec import Decoded
from ..translate.route import Price
from .actions import Action, Charge, Drop
from .arriving import memory
from .errors import ErrorClass
from .limits import Budget, Seen
from .links import Held, McpLink, has_handshake
from .machine import SERVING, Serving, ServingEffect, ServingInput
from .payments import accepted, demand
from .sessions import Session
from .subscriptions import listens

if TYPE_CHECKING:
    from .server import Server

# What can have a price: the member of params that names it, by the method that uses it.
PRICED = {"tools/call": ("tool", "name"), "prompts/get": ("prompt", "name"), "resources/read": ("resource", "uri")}


class Subject(Protocol):
    """What a message to a client is about: a request, known by its event, and the form in which it travelled."""

    @property
    def event_id(self) -> bytes: ...
    @property
    def request(self) -> Request: ...
    @property
    def wrap(self) -> int | None: ...


@dataclass(slots=True, eq=False)
class Exchange:
    """A request of a client, known by its event (HOUSE-ID-01), and the form in which its answer travels."""

    event_id: bytes
    session: Session
    request: Request
    revisions: tuple[Revision, ...]
    wrap: int | None
    state: Serving = Serving.UNKNOWN
    number: int = 0
    amount: int = 0
    held: Held | None = None

    @property
    def token(self) -> Any:
        meta = (self.request.params or {}).get("_meta")
        return meta.get("progressToken") if type(meta) is dict else None


class Requests:
    """Every request that has not ended."""

    def __init__(self, host: Server) -> None:
        limits, timers = host.settings.limits, host.settings.timers
        self._host = host
        self._allow = host.settings.allow
        self._pending = Budget(limits.pending, limits.pending_per_key, limits.reserved, self._allow)
        self._exchanges: dict[bytes, Exchange] = {}
        # The event of a request by its client, server and JSON-RPC id, for cancels that have nothing else to go by.
        self._events: dict[tuple[bytes, str, tuple[str, Id]], bytes] = {}
        # Cancels that came before their request: event id and the key that sent it.
        budget = Budget(limits.seen, limits.seen_per_key, limits.reserved, self._allow)
        self._cancelled = Seen(budget, memory(timers.fresh))
        self._prices = {(price.type, price.capability): price for price in host.settings.prices}

    def __len__(self) -> int:
        return len(self._exchanges)

    def refuse_overload(self, client: bytes) -> None:
        """A Violation where this key, or all keys together, have as many requests pending as they may."""
        if not self._pending.has_room(client):
            raise Violation(ErrorClass.NO_ROOM, "request", "too many requests are pending")

    def refuse_cancelled(self, event: Event) -> None:
        """A Violation where the client's cancel has overtaken its request (HOUSE-TIME-05)."""
        if event.id + event.pubkey in self._cancelled:
            raise Violation(ErrorClass.UNEXPECTED, "request", "it was cancelled before it came")

    # What clients ask

    def take(self, exchange: Exchange) -> list[Action]:
        """A request, by its method. Who speaks a version with subscriptions is told of nothing else (SUBF-OPEN-02)."""
        version = paths.read(exchange.request.params, ("_meta", PROTOCOL_VERSION))
        if type(version) is str and listens(version):
            exchange.session.listens = True
        match exchange.request.method:
            case "initialize":
                return self.initialize(exchange)
            case "subscriptions/listen":
                return self._host.feeds.listen(exchange)
            case "resources/subscribe":
                return self.subscribe(exchange)
            case "resources/unsubscribe":
                return self.unsubscribe(exchange)
            case _:
                return self.begin(exchange)

    def initialize(self, exchange: Exchange) -> list[Action]:
        """Pass a handshake on, or answer it from the one that a shared MCP server has given."""
        link, session = exchange.session.link, exchange.session
        if not has_handshake(link.version):
            return self.begin(exchange)
        self._begin(exchange)
        answered = partial(self._finish, exchange)
        if session.server.shared:
            return link.when_ready(lambda error: answered(error or Result(exchange.request.id, link.result or {})))
        return link.initialize(exchange.request, answered, session.revision.initialized_is_sent)

    def begin(self, exchange: Exchange) -> list[Action]:
        """An ordinary request: refused with its reason, charged for, or executed."""
        self._begin(exchange)
        exchange.held = partial(self._ready, exchange)
        return exchange.session.link.when_ready(exchange.held)

    def _ready(self, exchange: Exchange, failure: Error | None) -> list[Action]:
        if failure is not None:
            return self._finish(exchange, failure)
        fault = fault_in(exchange.request, exchange.session.link)
        if fault is not None:
            return self._at_fault(exchange, fault)
        price = self._price_of(exchange.request)
        return self._step(exchange, ServingInput.FREE if price is None else ServingInput.COSTLY)

    def _at_fault(self, exchange: Exchange, error: Error) -> list[Action]:
        if self._host.may_refuse(exchange.session.client):
            return self._finish(exchange, error)
        self._end(exchange)
        self._settle(exchange, error)
        return [Drop(exchange.event_id, Violation(ErrorClass.TOO_MANY, "request", "more errors than may be sent"))]

    def _begin(self, exchange: Exchange) -> None:
        session = exchange.session
        self._pending.take(session.client)
        self._host.sessions.begin_work(session)
        self._exchanges[exchange.event_id] = exchange
        if session.revision.ids_travel:
            self._events[session.client, session.server.id, id_key(exchange.request.id)] = exchange.event_id

    def _end(self, exchange: Exchange) -> None:
        session = exchange.session
        exchange.state = Serving.ENDED
        self._pending.give(session.client)
        self._host.sessions.end_work(session)
        self._exchanges.pop(exchange.event_id, None)
        session.link.running.pop(exchange.number, None)
        session.link.let_go(exchange.held)
        exchange.held = None  # which refers back to the exchange
        key = (session.client, session.server.id, id_key(exchange.request.id))
        if self._events.get(key) == exchange.event_id:  # the client may have used the id again
            del self._events[key]
        self._host.alarms.clear(exchange)

    def _price_of(self, request: Request) -> Price | None:
        if not self._prices or request.method not in PRICED:
            return None
        kind, member = PRICED[request.method]
        name = (request.params or {}).get(member)
        return self._prices.get((kind, name)) if type(name) is str else None

    # The life of an exchange, by its table

    def _step(self, exchange: Exchange, given: ServingInput, message: Any = None) -> list[Action]:
        step = SERVING.step(exchange.state, given)
        if step is None:
            detail = f"{given.value}, where the request is {exchange.state.value}"
            return [Drop(exchange.event_id, Violation(ErrorClass.UNEXPECTED, "request", detail))]
        effect, exchange.state = step
        match effect:
            case ServingEffect.EXECUTE:
                return self._execute(exchange)
            case ServingEffect.CHARGE:
                price = self._price_of(exchange.request)
                assert price is not None
                self._alarm(exchange, ServingInput.UNPAID, self._host.settings.timers.payment)
                return [Charge(exchange.event_id, exchange.session.client, price)]
            case ServingEffect.DEMAND:
                exchange.amount = message.params["amount"]
                # However long the invoice took, it can be paid until the time that the demand names.
                self._alarm(exchange, ServingInput.UNPAID, self._host.settings.timers.payment)
                actions, event_id = self._host.say(message, exchange.session, about=exchange)
                # A demand that never leaves is never paid.
                return actions if event_id is not None else actions + self._step(exchange, ServingInput.UNPAID)
            case ServingEffect.ACCEPT:
                return [*self._say_accepted(exchange), *self._execute(exchange)]
            case ServingEffect.REFUSE:
                return self._refuse(exchange, given)
            case ServingEffect.REPORT:
                self._alarm(exchange, ServingInput.OVERDUE, self._host.settings.timers.execution)
                return self._host.say(message, exchange.session, about=exchange)[0]
            case ServingEffect.ANSWER:
                return self._finish(exchange, message)
            case ServingEffect.STOP:
                self._end(exchange)
                self._settle(exchange, None)
                return self._withdraw(exchange, message)
            case _:
                self._end(exchange)
                self._settle(exchange, None)
                return []

    def _execute(self, exchange: Exchange) -> list[Action]:
        self._alarm(exchange, ServingInput.OVERDUE, self._host.settings.timers.execution)
        exchange.held = partial(self._pass_on, exchange)
        return exchange.session.link.when_ready(exchange.held)

    def _pass_on(self, exchange: Exchange, failure: Error | None) -> list[Action]:
        """What was paid for may have to wait for an MCP server that was started anew."""
        if failure is not None:
            return self._finish(exchange, failure)
        link = exchange.session.link
        exchange.number, deliver = link.call(exchange.request, partial(self._step, exchange, ServingInput.ANSWER))
        link.running[exchange.number] = exchange
        return [deliver]

    def _alarm(self, exchange: Exchange, given: ServingInput, seconds: float) -> None:
        self._host.alarms.set(exchange, self._host.now.monotonic + seconds, partial(self._step, exchange, given))

    def _finish(self, exchange: Exchange, answer: Result | Error) -> list[Action]:
        self._end(exchange)
        self._settle(exchange, answer)
        return self._host.answer(exchange, under(answer, exchange.request.id))

    def _settle(self, exchange: Exchange, answer: Result | Error | None) -> None:
        """Whoever withdraws a resources/subscribe, or gets no answer, is told of nothing."""
        if exchange.request.method == "resources/subscribe":
            self._host.watches.settle(exchange.session.link, _uri(exchange.request), exchange.session, answer)

    def _refuse(self, exchange: Exchange, given: ServingInput) -> list[Action]:
        actions = self._withdraw(exchange, None) if given is ServingInput.OVERDUE else []
        error = Error(exchange.request.id, ErrorCode.INTERNAL_ERROR, given.value)
        return actions + self._finish(exchange, error)

    def _withdraw(self, exchange: Exchange, reason: Any) -> list[Action]:
        """Tell the MCP server that nobody waits, if it was asked."""
        link = exchange.session.link
        asked = link.answers.pop(exchange.number, None)
        return [] if asked is None else [link.deliver(_cancelled(exchange.number, reason))]

    # Money

    def invoiced(self, event_id: bytes, invoice: str) -> list[Action]:
        """Demand payment by this invoice; one that cannot be read sells nothing."""
        exchange = self._exchanges.get(event_id)
        price = None if exchange is None else self._price_of(exchange.request)
        if exchange is None or price is None:
            return [Drop(event_id, _unknown("an invoice"))]
        expires = self._host.now.unix + int(self._host.settings.timers.payment)
        try:
            demanded = demand(price, invoice, expires)
        except Violation as violation:
            return [Drop(event_id, violation), *self._step(exchange, ServingInput.UNPAID)]
        return self._step(exchange, ServingInput.INVOICE, demanded)

    def paid(self, event_id: bytes) -> list[Action]:
        """One payment, one execution (HOUSE-PAY-09 to HOUSE-PAY-11)."""
        return self._settled(event_id, ServingInput.PAID)

    def unpaid(self, event_id: bytes) -> list[Action]:
        """The processor has given up on a payment."""
        return self._settled(event_id, ServingInput.UNPAID)

    def _settled(self, event_id: bytes, given: ServingInput) -> list[Action]:
        exchange = self._exchanges.get(event_id)
        return [Drop(event_id, _unknown("a payment"))] if exchange is None else self._step(exchange, given)

    def _say_accepted(self, exchange: Exchange) -> list[Action]:
        notice = accepted(exchange.session.revision, exchange.amount)
        return [] if notice is None else self._host.say(notice, exchange.session, about=exchange)[0]

    # What else clients and MCP servers say about a request

    def cancel(self, decoded: Decoded, event: Event) -> list[Action]:
        """A cancel counts only from the key that sent the request (HOUSE-ROUTE-04, HOUSE-ID-03)."""
        notification = decoded.message
        assert isinstance(notification, Notification) and notification.params is not None
        event_id = decoded.request_event_id
        if event_id is None:
            event_id = self._event_named(decoded, notification.params["requestId"])
        if event_id is None:
            raise Violation(ErrorClass.UNCORRELATED, "event.content", "requestId names no request that is pending")
        exchange = self._exchanges.get(event_id)
        owner = self._host.feeds.owner(event_id) if exchange is None else exchange.session.client
        if owner not in (None, event.pubkey):
            raise Violation(ErrorClass.WRONG_AUTHOR, "event.pubkey", "another key sent the request")
        if exchange is not None:
            if exchange.request.method == "initialize":
                raise Violation(ErrorClass.UNEXPECTED, "event.content", "initialize is not cancelled")
            return self._step(exchange, ServingInput.CANCEL, notification.params.get("reason"))
        self._cancelled.add(event_id + event.pubkey, event.pubkey, self._host.now.monotonic)
        return self._host.feeds.cancel(event_id)

    def _event_named(self, decoded: Decoded, named: Id) -> bytes | None:
        """The request that a cancel without e names: by its JSON-RPC id, or by its event id where none travels."""
        own_ids = self._host.server_ids.items()
        for server in self._host.settings.servers:
            names = {None, server.id, *(its_id for (_, one), its_id in own_ids if one == server.id)}
            if decoded.server_id in names:
                key = (decoded.sender, server.id, id_key(named))
                event_id = self._events.get(key) or self._host.feeds.event_of(key)
                if event_id is not None:
                    return event_id
        return bytes.fromhex(named) if type(named) is str and is_hex32(named) else None

    def progress(self, link: McpLink, notification: Notification) -> list[Action]:
        """Progress goes to the one client that owns the token, with the token it gave (HOUSE-ID-04, HOUSE-ID-06)."""
        params = notification.params or {}
        number = params.get("progressToken")
        exchange = link.running.get(number) if type(number) is int else None
        if not isinstance(exchange, Exchange) or not is_id(exchange.token):
            return [Drop(None, _unknown("progress"))]
        own = Notification(notification.method, {**params, "progressToken": exchange.token})
        return self._step(exchange, ServingInput.PROGRESS, own)

    # Resources to be told of

    def subscribe(self, exchange: Exchange) -> list[Action]:
        """The first subscriber of a resource asks the MCP server, those after it join."""
        session, uri = exchange.session, _uri(exchange.request)
        if uri is None:
            return self.begin(exchange)
        is_known = uri in (session.watched or ())
        if not is_known and not self._host.watches.has_room(session.client):
            self._begin(exchange)
            error = Error(exchange.request.id, ErrorCode.INTERNAL_ERROR, "too many subscriptions")
            return self._at_fault(exchange, error)
        if self._host.watches.join(session.link, uri, session, session.client):
            return self._at_once(exchange, Result(exchange.request.id, {}))
        return self.begin(exchange)

    def unsubscribe(self, exchange: Exchange) -> list[Action]:
        """The last subscriber of a resource tells the MCP server, those before it leave."""
        session, uri = exchange.session, _uri(exchange.request)
        if uri is not None and not self._host.watches.leave(session.link, uri, session):
            return self._at_once(exchange, Result(exchange.request.id, {}))
        return self.begin(exchange)

    def _at_once(self, exchange: Exchange, answer: Result) -> list[Action]:
        self._begin(exchange)
        return self._finish(exchange, answer)


def under(answer: Result | Error, given: Id) -> Result | Error:
    """The answer under the id of the request that it answers."""
    if isinstance(answer, Result):
        return Result(given, answer.result)
    return Error(given, answer.code, answer.message, answer.data)


def fault_in(request: Request, link: McpLink) -> Error | None:
    """Why the MCP server need not be asked: a method it has not, in any direction, or params that it cannot use."""
    entry = catalogue.find(request.method, link.version)
    capabilities = link.capabilities
    if entry is None:
        known = capabilities is None or not capabilities.keys().isdisjoint({"experimental", "extensions"})
        return None if known else _no_method(request)
    gate = entry.gate
    is_closed = gate is not None and gate.owner in (Owner.SERVER, Owner.RECEIVER) and not gate.is_open(capabilities)
    if entry.kind is not Kind.REQUEST or Side.CLIENT not in entry.direction.senders:
        return _no_method(request)
    if is_closed and capabilities is not None:
        return _no_method(request)
    if entry.params_fit(request.params):
        return None
    faults = catalogue.check_params(request.method, request.params, link.version)
    return Error(request.id, ErrorCode.INVALID_PARAMS, str(faults[0])) if faults else None


def _no_method(request: Request) -> Error:
    return Error(request.id, ErrorCode.METHOD_NOT_FOUND, "the server does not have this method")


def _uri(request: Request) -> str | None:
    uri = (request.params or {}).get("uri")
    return uri if type(uri) is str else None


def _cancelled(number: int, reason: Any) -> Notification:
    return Notification(
        "notifications/cancelled", {"requestId": number} | ({"reason": reason} if type(reason) is str else {})
    )


def _unknown(what: str) -> Violation:
    return Violation(ErrorClass.UNCORRELATED, "request", f"{what} for a request that is not pending")
