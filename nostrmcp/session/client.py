"""A client of one server: MCP messages of a local client to events, and the server's events to messages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from ..mcp import catalogue, jsonrpc
from ..mcp.catalogue import Side
from ..mcp.errors import ErrorClass as McpErrorClass
from ..mcp.jsonrpc import Error, ErrorCode, Id, Notification, Request, Result, id_key, is_id
from ..nostr import Event, LocalProtocolError, SecretKey, Violation, filters, nip59
from ..revisions.model import MessageClass, Presence, TagValue
from ..translate import announce, codec
from ..translate.body import BOLT11_METHOD, PAYMENT_METHODS
from ..translate.codec import Decoded
from ..translate.route import RequestReference, Role, Route
from .actions import (
    Action,
    Deliver,
    Drop,
    Now,
    Publish,
    Servers,
    Subscribe,
    Unsubscribe,
    Wake,
)
from .arriving import Arrival, Gate
from .asking import Question, Questions, failed
from .errors import ErrorClass
from .limits import Alarms, Budget, Rate
from .listening import Subscriptions
from .machine import AskingInput
from .sending import TWO_DAYS, Random, Sender
from .settings import ClientSettings, Encryption
from .subscriptions import LISTEN, name_in

CANCELLED = "notifications/cancelled"
# A server may ask for a sign of life, but not for many.
PINGS_ANSWERED_PER_SECOND = 10


class Asker(Protocol):
    """What is asked of the server: an ordinary request, or a subscription."""

    request: Request
    event_id: bytes
    wrap: int | None


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
        says_so = announcement is not None and announce.says_ephemeral(announcement)
        self._ephemeral = says_so or settings.server.ephemeral_wraps
        self.mcp_version = settings.mcp_version
        self.questions = Questions(self)
        if announcement is not None:
            self.questions.learn_prices(announcement)
        self._calls: dict[tuple[str, Id], Call] = {}
        self._searches: dict[bytes, dict[str | None, dict[str, object]]] = {}
        self._pings = Rate(PINGS_ANSWERED_PER_SECOND)
        self._told = False
        self._has_heard = False
        rules = settings.revision.tags[MessageClass.RESPONSE]
        self._answers_may_lack_p = not any(
            rule.value is TagValue.RECIPIENT and rule.presence is Presence.REQUIRED for rule in rules
        )
        self._answers_had_p = False
        self._asked_by_e: set[bytes] = set()
        self.encryption_worked = False
        self.is_plain = False

    # Inputs

    def start(self, now: Now) -> list[Action]:
        """Ask relays for what the server sends us, for as long as the session lasts."""
        self.now = now
        self.questions.heard()
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
        question = Question(Request(0, "initialize", params))
        actions, publication = self.ask(question, names_server=False)
        if publication is None:  # no request of the local client has failed, so that it is told of no error
            return self._finished([Servers({})])
        self._searches[question.event_id] = {}
        end = partial(self._search_over, question.event_id)
        self.alarms.set(question, now.monotonic + self.settings.timers.servers, end)
        return self._finished(actions)

    def published(self, event_id: bytes, accepted: bool, text: str, now: Now) -> list[Action]:
        """What relays say of an event of ours: true once one took it, false when all refused. `text` is theirs."""
        self.now = now
        try:
            actions = self._published(event_id, accepted)
        except Violation as violation:  # what relays refuse may have reached the server all the same
            actions = [Drop(event_id, violation)]
        return self._finished(actions)

    def _published(self, event_id: bytes, accepted: bool) -> list[Action]:
        question = self.questions.by_publication(event_id)
        if question is None:
            return self.subscriptions.published(event_id, accepted)
        return [] if accepted else self.questions.step(question, AskingInput.REFUSED)

    def connection(self, up: bool, now: Now) -> list[Action]:
        """The last relay is gone, or the first is back."""
        self.now = now
        self.is_connected = up
        return self._finished(self.subscriptions.connection(up))

    def payment_sent(self, request: bytes, now: Now) -> list[Action]:
        self.now = now
        return self._finished(self.questions.paid(request, AskingInput.PAYMENT_SENT))

    def payment_failed(self, request: bytes, now: Now) -> list[Action]:
        self.now = now
        return self._finished(self.questions.paid(request, AskingInput.PAYMENT_FAILED))

    def tick(self, now: Now) -> list[Action]:
        """Time has passed."""
        self.now = now
        actions: list[Action] = []
        for alarm in self.alarms.ring(now.monotonic):
            actions += alarm()
        return self._finished(actions)

    # What the local client says

    def _request(self, request: Request) -> list[Action]:
        if self.questions.by_id(request.id) is not None or self.subscriptions.is_open(request.id):
            raise LocalProtocolError(McpErrorClass.MALFORMED_REQUEST_ID, "a request with this id is pending")
        if request.method == "initialize" and not self.settings.handshake:
            return self._from_announcement(request)
        if len(self.questions) >= self.settings.limits.pending:
            return [Deliver(failed(request, ErrorClass.NO_ROOM, "too many requests are pending"))]
        if request.method == LISTEN:
            return self.subscriptions.open(request)
        return self.questions.send(Question(request))

    def _from_announcement(self, request: Request) -> list[Action]:
        announcement = self.settings.server.announcement
        assert announcement is not None
        try:
            content = announce.parse(announcement, self.settings.revision).content
        except Violation as violation:
            return [Deliver(failed(request, violation.error_class, violation.detail))]
        return [Deliver(Result(request.id, content))]

    def _notification(self, notification: Notification) -> list[Action]:
        params = notification.params or {}
        if notification.method == CANCELLED:
            return self._cancel_of(params)
        is_sent = self.settings.handshake and self.settings.revision.initialized_is_sent
        if notification.method == "notifications/initialized" and not is_sent:
            return []
        about = None
        if notification.method == "notifications/progress":
            token: Any = params.get("progressToken")
            same = (one for one in self._calls.values() if is_id(token) and jsonrpc.same_id(_token(one.request), token))
            about = next(same, None)
            if about is None:
                return [Drop(None, Violation(ErrorClass.UNCORRELATED, "message", "no such token is in use"))]
        return self._say(notification, about)[0]

    def _cancel_of(self, params: dict[str, Any]) -> list[Action]:
        named: Any = params.get("requestId")
        question = self.questions.by_id(named) if is_id(named) else None
        if question is not None:
            return self.questions.step(question, AskingInput.CANCEL, params.get("reason"))
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
        self._refuse_other_server(decoded)
        self.gate.take(event, self.now)
        self.questions.heard()
        if arrival.wrap is not None:  # late as it may be: nothing is left to fall back from (HOUSE-CRYPT-08)
            self.encryption_worked, self.is_plain = True, False
        if not self._has_heard:
            self._has_heard = True
            self._ephemeral |= announce.says_ephemeral(event)
        if isinstance(decoded.message, Request):
            return self._asked(decoded.message, arrival)
        if isinstance(decoded.message, Notification):
            return self._told_of(decoded, decoded.message, event)
        return self._answered(decoded, decoded.message, event)

    def _refuse_other_server(self, decoded: Decoded) -> None:
        """A notification about no request of ours is for the session with the server that its s names (HOUSE-ID-07)."""
        own, is_about_ours = self.server_id, decoded.request_event_id is not None
        # A server that is announced in several revisions has an identifier in each (HOUSE-ANN-03).
        ids = (None, own, f"{own}.{self.settings.revision.name}")
        if isinstance(decoded.message, Notification) and not is_about_ours and own and decoded.server_id not in ids:
            raise Violation(ErrorClass.UNKNOWN_SERVER, "event.tags", "another server of this key says it")

    def _answered(self, decoded: Decoded, answer: Result | Error, event: Event) -> list[Action]:
        """The answer to what e names, under the id of the local client (HOUSE-ID-02, HOUSE-ROUTE-07)."""
        reference = decoded.request_event_id
        assert reference is not None
        self._answers_had_p |= event.first("p") is not None
        question = self.questions.find(reference)
        if question is not None:
            return self.questions.step(question, AskingInput.ANSWER, (answer, decoded.server_id, event))
        subscription = self.subscriptions.find(reference)
        if subscription is not None:
            return self.subscriptions.answered(subscription, answer, event.created_at)
        found = self._searches.get(reference)
        if found is None:
            raise Violation(ErrorClass.UNCORRELATED, "event.tags", "e names no request that is pending")
        if isinstance(answer, Result) and len(found) < self.settings.limits.pending:
            found.setdefault(decoded.server_id, answer.result)
        return []

    def initialized(self, answer: Result | Error, server_id: str | None) -> None:
        """The first server that answers initialize is the one, and the version that it names is spoken from here on."""
        if self.server_id is None:
            self.server_id = server_id
        version = answer.result.get("protocolVersion") if isinstance(answer, Result) else None
        if type(version) is str and catalogue.find("initialize", version) is not None:
            self.mcp_version = version

    def _told_of(self, decoded: Decoded, notification: Notification, event: Event) -> list[Action]:
        reference, method = decoded.request_event_id, notification.method
        if method == "notifications/progress" and reference is None:
            question = self.questions.by_token((notification.params or {}).get("progressToken"))
            reference = None if question is None else question.event_id
        name = name_in(notification)
        if reference is None and name is not None:
            return self.subscriptions.told(self.subscriptions.by_name(name), notification, event.created_at)
        if reference is None:
            if method in ("notifications/progress", CANCELLED):
                raise Violation(
                    ErrorClass.UNCORRELATED, "event.tags", "there is no e, and nothing else names a request"
                )
            return [Deliver(notification)]
        question = self.questions.find(reference)
        subscription = self.subscriptions.find(reference)
        if method in PAYMENT_METHODS and question is not None:
            return self.questions.payment(question, notification)
        if method == "notifications/progress" and question is not None:
            return self.questions.progress(question, notification.params or {})
        if subscription is not None:
            return self.subscriptions.told(subscription, notification, event.created_at)
        if method == CANCELLED:
            return self._withdrawn(reference)
        if question is None:
            raise Violation(ErrorClass.UNCORRELATED, "event.tags", "e names no request that is pending")
        if name is not None:
            raise Violation(ErrorClass.DISAGREEMENT, "event", "e names a request, and content a subscription")
        return [Deliver(notification)]

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
        entry = catalogue.find(request.method, self.mcp_version)
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

    # What goes to relays

    def ask(self, asker: Asker, *, names_server: bool = True) -> tuple[list[Action], bytes | None]:
        """Publish a request, after asking relays for its answer (SUBN-OPEN-01); gives the id of the publication."""
        asker.wrap = self._wrap()
        server_id = self.server_id if names_server else None
        try:
            publish, asker.event_id = self._signed(asker.request, None, asker.wrap, server_id)
        except LocalProtocolError as problem:
            return [Deliver(failed(asker.request, problem.error_class, problem.detail))], None
        actions: list[Action] = []
        # A server that has written p in an answer does so in the next: to ask by e each time costs two messages a call.
        is_expected = self._answers_had_p and asker.request.method != LISTEN
        if asker.wrap is None and self._answers_may_lack_p and not is_expected:
            self._asked_by_e.add(asker.event_id)
            wanted = filters.Filter(
                kinds=frozenset({self.settings.revision.kinds.response}),
                authors=frozenset({self.settings.server.pubkey}),
                tags={"e": frozenset({asker.event_id.hex()})},
            )
            actions.append(Subscribe(asker.event_id.hex(), (wanted,)))
        return [*actions, publish], publish.event.id

    def forget(self, event_id: bytes) -> list[Action]:
        """Nothing more is expected about this request."""
        if event_id not in self._asked_by_e:
            return []
        self._asked_by_e.remove(event_id)
        return [Unsubscribe(event_id.hex())]

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
            payment_methods=(BOLT11_METHOD,) if first and self.settings.payments.pay else (),
        )
        sent = self.sender.send(message, route, self.settings.revision, self.now, wrap)
        self._told = True
        return sent

    def _wrap(self) -> int | None:
        """Encrypt wherever it is not disabled, until plain text was fallen back to (HOUSE-CRYPT-05)."""
        if not self._wraps or self.is_plain:
            return None
        ephemeral = self._ephemeral and self.settings.ephemeral_wraps and nip59.EPHEMERAL_WRAP in self._wraps
        return nip59.EPHEMERAL_WRAP if ephemeral else nip59.WRAP

    def _filters(self) -> tuple[filters.Filter, ...]:
        """Live kinds reach back a little, stored wraps as far as times are moved (HOUSE-TIME-10, HOUSE-TIME-11)."""
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


def _token(request: Request) -> Any:
    meta = (request.params or {}).get("_meta")
    return meta.get("progressToken") if type(meta) is dict else None
