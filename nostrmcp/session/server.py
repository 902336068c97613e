"""A provider: many clients, one or several MCP servers behind one key, in one, several or all revisions at once."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from ..mcp import jsonrpc
from ..mcp.jsonrpc import Error, ErrorCode, Notification, Request, Result
from ..nostr import Event, LocalProtocolError, SecretKey, Violation, filters, nip59
from ..revisions.model import MessageClass, Revision
from ..translate import announce, codec
from ..translate.codec import Decoded
from ..translate.route import NO_TEXTS, RequestReference, Role, Route
from .actions import Action, Close, Drop, Link, Now, Open, Subscribe, Wake
from .announcing import Announcer
from .answering import Results, in_place_of, in_place_of_refused
from .arriving import Arrival, Gate, seems_asked
from .errors import ErrorClass
from .feeds import Feeds
from .limits import Alarms, Budget, Rate
from .links import McpLink
from .payments import refused_lifecycle
from .routing import Routing
from .sending import TWO_DAYS, Random, Sender, TooLarge
from .serving import Exchange, Requests, Subject
from .sessions import Session, Sessions
from .settings import Encryption, McpServer, ServerSettings
from .upstream import Upstream
from .watching import Watches

UNAUTHORIZED = -32000


class Server:
    """The machine. Every input is a method that takes the time and gives actions."""

    def __init__(self, settings: ServerSettings, secret_key: SecretKey, random: Random, now: Now) -> None:
        limits, timers = settings.limits, settings.timers
        self.settings = settings
        self.now = now
        self.sender = Sender(secret_key, random, limits.event)
        self.gate = Gate(
            secret_key,
            wraps=_wraps(settings),
            policy=settings.encryption,
            fresh=timers.fresh,
            content=limits.content,
            seen=Budget(limits.seen, limits.seen_per_key, limits.reserved, settings.allow),
            unwraps_per_second=limits.unwraps_per_second,
            started=now.unix,
            done=settings.done,
        )
        self.alarms = Alarms()
        self.sessions = Sessions(limits, settings.allow)
        self.links: dict[Link, McpLink] = {}
        self.subscriptions = Budget(limits.subscriptions, limits.subscriptions_per_key, limits.reserved, settings.allow)
        self.watches = Watches(self)
        self.requests = Requests(self)
        self.feeds = Feeds(self)
        self.announcer = Announcer(self)
        self.upstream = Upstream(self)
        self._results = Results(limits.pending)
        self._errors = Rate(limits.errors_per_second, limits.errors_per_second_per_key)
        self._link_number = 0
        self.server_ids = {
            (revision.name, server.id): self.announcer.id_of(server, revision)
            for server in settings.servers
            for revision in settings.revisions
        }
        self.routing = Routing(settings, self.sessions, self.server_ids)

    # Inputs

    def start(self, now: Now) -> list[Action]:
        """Ask relays for what is ours, and begin the conversation with shared MCP servers."""
        self.now = now
        actions: list[Action] = [Subscribe("server", self._filters())]
        for server in self.settings.servers:
            if server.shared or server.announced:
                link = self._open_link(server, None)
                actions.append(Open(link.link))
                actions += self.announcer.begin(server, link)
        return self._finished(actions)

    def receive(self, event: Event, now: Now) -> list[Action]:
        """An event from a relay. Nothing in it is believed before it is verified."""
        self.now = now
        try:
            actions = self._received(self.gate.open(event, now))
        except Violation as violation:
            actions = [Drop(event.id, violation)]
        return self._finished(actions)

    def message(self, link: Link, message: jsonrpc.Message, now: Now) -> list[Action]:
        """What an MCP server says."""
        self.now = now
        known = self.links.get(link)
        if known is None:
            return [Drop(None, Violation(ErrorClass.UNCORRELATED, "link", "it is closed"))]
        if isinstance(message, (Result, Error)):
            actions = known.answer(message)
            if actions is None:
                actions = [Drop(None, Violation(ErrorClass.UNCORRELATED, "message.id", "nothing was asked under it"))]
        elif isinstance(message, Request):
            actions = self.upstream.request(known, message)
        else:
            actions = self.upstream.notification(known, message)
        return self._finished(actions)

    def closed(self, link: Link, now: Now) -> list[Action]:
        """An MCP server has ended on its own: what it had to answer has failed, and a shared one is started anew."""
        self.now = now
        known = self.links.get(link)
        if known is None:
            return []
        actions = known.fail("the MCP server has ended")
        actions += self.upstream.forget(known)
        session: Session | None = known.session
        if session is None:
            server = next(one for one in self.settings.servers if one.id == link.server)
            actions += [Open(link), *self.announcer.begin(server, known)]
            return self._finished(actions + self.watches.renew(known))
        for feed in list(known.feeds):
            self.watches.drop(feed)
            actions += self.feeds.finish(feed)
        self.watches.drop(session)
        if session.work:  # what is being paid for is executed when it is
            return self._finished([*actions, Open(link)])
        self.sessions.remove(session)
        del self.links[link]
        return self._finished(actions)

    def published(self, event_id: bytes, accepted: bool, text: str, now: Now) -> list[Action]:
        """What relays say of an event of ours: true once one took it, false when all refused. `text` is theirs."""
        self.now = now
        way = self._results.refused(event_id, accepted, text)
        if way is None:
            return self._finished(self.feeds.published(event_id, accepted))
        return self._finished(self._send(in_place_of_refused(way), way.route, way.revision, way.wrap)[0])

    def invoiced(self, request: bytes, invoice: str, now: Now) -> list[Action]:
        """The invoice that Charge asked for."""
        self.now = now
        return self._finished(self.requests.invoiced(request, invoice))

    def paid(self, request: bytes, now: Now) -> list[Action]:
        """The payment for a request is verified."""
        self.now = now
        return self._finished(self.requests.paid(request))

    def unpaid(self, request: bytes, now: Now) -> list[Action]:
        """The payment for a request failed."""
        self.now = now
        return self._finished(self.requests.unpaid(request))

    def tick(self, now: Now) -> list[Action]:
        """Time has passed."""
        self.now = now
        actions: list[Action] = []
        for alarm in self.alarms.ring(now.monotonic):
            actions += alarm()
        return self._finished(actions)

    def stop(self, now: Now) -> list[Action]:
        """End in order: subscriptions get their last result."""
        self.now = now
        return self._finished(self.feeds.stop())

    # What came from a relay

    def _received(self, arrival: Arrival) -> list[Action]:
        event = arrival.event
        revisions = self.routing.revisions_of(arrival)
        self.gate.refuse_wrong_recipient(event)
        self.gate.take(event, self.now)
        try:
            decoded = codec.decode(event, revisions[0], Role.CLIENT)
        except Violation as violation:
            return self._unreadable(arrival, revisions, violation)
        self._latch(event.pubkey, revisions)
        message = decoded.message
        if isinstance(message, Request):
            return self._request(decoded, arrival, revisions)
        if not self._is_allowed(event.pubkey):
            raise _not_allowed()
        if isinstance(message, Notification):
            return self._notification(decoded, arrival, revisions)
        return self.upstream.answered(decoded)

    def _latch(self, client: bytes, revisions: tuple[Revision, ...]) -> None:
        """A message that fits one revision alone settles the key's sessions, whatever it says (HOUSE-ROUTE-11)."""
        if len(revisions) == 1:
            self.sessions.latch(client, revisions[0])

    def _is_allowed(self, client: bytes) -> bool:
        return self.settings.allow is None or client in self.settings.allow

    def _unreadable(self, arrival: Arrival, revisions: tuple[Revision, ...], violation: Violation) -> list[Action]:
        """Answer what cannot be understood, if it may be a request (HOUSE-ROUTE-12 to HOUSE-ROUTE-14)."""
        event = arrival.event
        may_be_asked = event.kind == revisions[0].kinds.request and event.first("p") is not None
        if not may_be_asked or event.first("e") is not None or not self._is_allowed(event.pubkey):
            raise violation
        is_asked, given = seems_asked(event)
        if not is_asked:
            raise violation
        error = Error(given, jsonrpc.answer_code(violation), _sentence(violation))
        return self.refuse(arrival, revisions, "", error, violation)

    def _request(self, decoded: Decoded, arrival: Arrival, revisions: tuple[Revision, ...]) -> list[Action]:
        request = decoded.message
        assert isinstance(request, Request)
        if not self._is_allowed(arrival.event.pubkey):
            if not any(server.announced for server in self.settings.servers):
                raise _not_allowed()
            error = Error(request.id, UNAUTHORIZED, "Unauthorized")
            return self.refuse(arrival, revisions, request.method, error, _not_allowed())
        self.requests.refuse_cancelled(arrival.event)
        lifecycle = refused_lifecycle(arrival.event, revisions[0])
        if lifecycle is not None:
            violation = Violation(ErrorClass.UNSUPPORTED, "event.tags", "this payment lifecycle is not supported")
            error = Error(request.id, ErrorCode.INVALID_PARAMS, violation.detail, lifecycle)
            return self.refuse(arrival, revisions, request.method, error, violation)
        actions: list[Action] = []
        for server in self.routing.servers_for(decoded, revisions[0]):
            actions += self._serve(request, arrival, revisions, server)
        return actions

    def _serve(
        self, request: Request, arrival: Arrival, revisions: tuple[Revision, ...], server: McpServer
    ) -> list[Action]:
        event = arrival.event
        try:
            self.requests.refuse_overload(event.pubkey)
            session, actions = self._session(event.pubkey, server, revisions)
        except Violation as violation:
            error = Error(request.id, ErrorCode.INTERNAL_ERROR, _sentence(violation))
            return self.refuse(arrival, revisions, request.method, error, violation)
        self._note_form(session, arrival)
        self.sessions.use(session, self.now)
        exchange = Exchange(event.id, session, request, revisions, arrival.wrap)
        return actions + self.requests.take(exchange)

    def _note_form(self, session: Session, arrival: Arrival) -> None:
        if arrival.wrap is not None:
            session.wrap = arrival.wrap
        if not session.heard:
            session.heard = True
            session.ephemeral_wraps = announce.says_ephemeral(arrival.event)

    def _notification(self, decoded: Decoded, arrival: Arrival, revisions: tuple[Revision, ...]) -> list[Action]:
        if decoded.message_class is MessageClass.CANCEL:
            return self.requests.cancel(decoded, arrival.event)
        actions: list[Action] = []
        for server in self.routing.servers_for(decoded, revisions[0]):
            if decoded.message_class is MessageClass.INITIALIZED:
                session, begun = self._session(arrival.event.pubkey, server, revisions)
                self._note_form(session, arrival)
                actions += begun if server.shared else [*begun, *session.link.initialized()]
            else:
                found = self.sessions.find(arrival.event.pubkey, server.id, revisions)
                actions += self.upstream.from_client(decoded, found)
        return actions

    # Sessions and links

    def _session(
        self, client: bytes, server: McpServer, revisions: tuple[Revision, ...]
    ) -> tuple[Session, list[Action]]:
        found = self.sessions.find(client, server.id, revisions)
        if found is not None:
            return found, []
        actions: list[Action] = []
        evicted = self.sessions.make_room(client)
        if evicted is not None:
            actions += self.end_session(evicted)
        if server.shared:
            link = self.links[Link(server.id)]
        else:
            link = self._open_link(server, client)
            actions.append(Open(link.link))
        session = Session(client, server, revisions, link)
        link.session = None if server.shared else session
        self.sessions.add(session, self.now)
        self._latch(client, revisions)
        if len(self.sessions) == 1:
            self._expire_at(self.now.monotonic)
        return session, actions

    def _open_link(self, server: McpServer, client: bytes | None) -> McpLink:
        if client is not None:
            self._link_number += 1
        link = Link(server.id, client, self._link_number if client is not None else 0)
        self.links[link] = opened = McpLink(link, self.settings.mcp_version, self._handshake_clock)
        return opened

    def _handshake_clock(self, link: McpLink, number: int | None) -> None:
        if number is None:
            self.alarms.clear(link)
            return
        error = Error(number, ErrorCode.INTERNAL_ERROR, "the MCP server takes too long")
        at = self.now.monotonic + self.settings.timers.execution
        self.alarms.set(link, at, lambda: link.answer(error) or [])

    def end_session(self, session: Session) -> list[Action]:
        """Forget a session: what it watches, and the MCP server that was its own."""
        actions = self.watches.forget(session)
        self.sessions.remove(session)
        if not session.server.shared:
            del self.links[session.link.link]
            actions.append(Close(session.link.link))
        return actions

    def _expire_sessions(self) -> list[Action]:
        actions: list[Action] = []
        limit = self.now.monotonic - self.settings.timers.session
        while (oldest := self.sessions.oldest_idle()) is not None and oldest.used <= limit:
            actions += self.end_session(oldest)
        if len(self.sessions):
            used = self.now.monotonic if oldest is None else oldest.used
            self._expire_at(used)
        return actions

    def _expire_at(self, used: float) -> None:
        self.alarms.set("sessions", used + self.settings.timers.session, self._expire_sessions)

    # What goes to relays

    def say(
        self,
        message: jsonrpc.Message,
        session: Session,
        *,
        about: Subject | None = None,
        revision: Revision | None = None,
    ) -> tuple[list[Action], bytes | None]:
        """Publish a message to a session's client, in the form of what it is about, or else of the session.

        Gives the id it is known by, None where the revision cannot carry it.
        """
        revision = revision or session.revision
        wrap = self.sessions.unsolicited_wrap(session, revision) if about is None else about.wrap
        if wrap is not None and session.ephemeral_wraps and nip59.EPHEMERAL_WRAP in revision.kinds.wraps:
            wrap = nip59.EPHEMERAL_WRAP
        reference = None if about is None else RequestReference(about.event_id, about.request.method, about.request.id)
        route = self._route(session.client, session.server, revision, reference, first=not session.told)
        actions, event_id = self._send(message, route, revision, wrap)
        session.told |= event_id is not None
        return actions, event_id

    def _send(
        self, message: jsonrpc.Message, route: Route, revision: Revision, wrap: int | None
    ) -> tuple[list[Action], bytes | None]:
        try:
            publish, event_id = self.sender.send(message, route, revision, self.now, wrap)
        except LocalProtocolError as problem:
            replaced = in_place_of(message, problem)
            if replaced is not None:
                return self._send(replaced, route, revision, wrap)
            return [Drop(None, Violation(problem.error_class, "message", problem.detail))], None
        if isinstance(message, Result):
            self._results.remember(publish, route, revision, wrap)
        return [publish], event_id

    def _route(
        self, client: bytes, server: McpServer, revision: Revision, reference: RequestReference | None, *, first: bool
    ) -> Route:
        told = first or (reference is not None and reference.method == "initialize")
        encrypts = told and self.settings.encryption is not Encryption.DISABLED
        return Route(
            sender=self.sender.own,
            recipient=client,
            role=Role.SERVER,
            server_id=self.server_ids[revision.name, server.id],
            request=reference,
            prices=self.settings.prices,
            encryption=encrypts,
            ephemeral_wraps=encrypts,
            texts=server.texts if told else NO_TEXTS,
        )

    def answer(self, exchange: Exchange, message: Result | Error) -> list[Action]:
        """Publish an answer, once for each kind of reply among the revisions that the request fits (HOUSE-ROUTE-10)."""
        if len(exchange.revisions) == 1:
            return self.say(message, exchange.session, about=exchange, revision=exchange.revisions[0])[0]
        kinds = {revision.kinds.response: revision for revision in reversed(exchange.revisions)}
        actions: list[Action] = []
        for revision in exchange.revisions:
            if kinds[revision.kinds.response] is revision:
                actions += self.say(message, exchange.session, about=exchange, revision=revision)[0]
        return actions

    def may_refuse(self, client: bytes) -> bool:
        """Whether one more error of our own may go to this key in this second (HOUSE-LIMIT-06)."""
        return self._errors.take(self.now.monotonic, client)

    def refuse(
        self, arrival: Arrival, revisions: tuple[Revision, ...], method: str, error: Error, violation: Violation
    ) -> list[Action]:
        """Answer a request that gets no session with an error, as often as strangers may have one."""
        event = arrival.event
        dropped = Drop(event.id, violation)
        if not self.may_refuse(event.pubkey):
            return [dropped]
        actions: list[Action] = [dropped]
        reference = RequestReference(event.id, method, 0)  # an error says the id itself
        for revision in {revision.kinds.response: revision for revision in reversed(revisions)}.values():
            route = self._route(event.pubkey, self.settings.servers[0], revision, reference, first=False)
            actions.append(self._error_that_fits(error, route, revision, arrival.wrap))
        return actions

    def _error_that_fits(self, error: Error, route: Route, revision: Revision, wrap: int | None) -> Action:
        """What an error repeats of its request, in data or as its id, may be as long as an event."""
        for one in (error, replace(error, data=None)):
            with suppress(TooLarge):
                return self.sender.send(one, route, revision, self.now, wrap)[0]
        return self.sender.send(replace(error, id=None, data=None), route, revision, self.now, wrap)[0]

    def _filters(self) -> tuple[filters.Filter, ...]:
        """Live kinds reach back a little, stored wraps as far as times are moved (HOUSE-TIME-10, HOUSE-TIME-11)."""
        own = {"p": frozenset({self.sender.own.hex()})}
        slack = int(self.settings.timers.fresh)
        live = frozenset(self.routing.by_kind) | _wraps(self.settings) - {nip59.WRAP}
        asked = [filters.Filter(kinds=live, tags=own, since=self.now.unix - slack)]
        if nip59.WRAP in _wraps(self.settings):
            since = self.now.unix - slack - TWO_DAYS
            asked.append(filters.Filter(kinds=frozenset({nip59.WRAP}), tags=own, since=since))
        return tuple(asked)

    def _finished(self, actions: list[Action]) -> list[Action]:
        wake = self.alarms.next()
        if wake is not None:
            actions.append(Wake(wake))
        return actions


def _wraps(settings: ServerSettings) -> frozenset[int]:
    if settings.encryption is Encryption.DISABLED:
        return frozenset()
    return frozenset(kind for revision in settings.revisions for kind in revision.kinds.wraps)


def _not_allowed() -> Violation:
    return Violation(ErrorClass.NOT_ALLOWED, "event.pubkey", "the key is not on the list")


def _sentence(violation: Violation) -> str:
    return f"{violation.where}: {violation.detail}"
