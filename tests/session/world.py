"""A server and its clients on a hostile relay, with MCP servers behind them, and what must hold whatever happens.

Nothing here knows how a session works. It knows who asked what, and looks at every action: each message has a mark of
its own, so that whoever gets it can be held against whoever may.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from nostrmcp.mcp.jsonrpc import Error, Id, Message, Notification, Request, Result, id_key
from nostrmcp.nostr import Event, SecretKey, UnsignedEvent, nip59
from nostrmcp.nostr.keys import public_key
from nostrmcp.revisions import REVISIONS
from nostrmcp.session import Client, Server
from nostrmcp.session.actions import Action, Charge, Close, Deliver, Link, Now, Open, Pay, Publish, Wake
from nostrmcp.session.settings import (
    ClientLimits,
    ClientSettings,
    Encryption,
    McpServer,
    PaymentPolicy,
    Remote,
    ServerLimits,
    ServerSettings,
)
from nostrmcp.translate import codec
from nostrmcp.translate.route import Price, RequestReference, Role, Route

PROVIDER, MALLORY = SecretKey(b"\x01" * 32), SecretKey(b"\x02" * 32)
START = Now(1_750_000_000, 0.0)
SERVER = -1
IDS: tuple[Id, ...] = (1, "1", 2)
TOKENS: tuple[Id, ...] = (1, "1")
URIS = ("file:///a", "file:///b")
DEAR = "dear"
INVOICE, SATS = "lnbc210n1qqqqqq", 21
LIMITS = ServerLimits(
    sessions=3, sessions_per_key=2, pending=4, pending_per_key=2, subscriptions=4, subscriptions_per_key=3, seen=60,
    seen_per_key=25, held=3,
)  # fmt: skip
CLIENT_LIMITS = ClientLimits(pending=3, subscriptions=2, seen=60, held=3)
CAPABILITIES = {
    "protocolVersion": "2025-03-26",
    "capabilities": {"tools": {"listChanged": True}, "resources": {"subscribe": True}, "logging": {}},
    "serverInfo": {"name": "weather", "version": "1"},
}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"
# Longer than any timer, one after another.
LONG = 4 * 3600.0


def bytes_from(start: int) -> Any:
    numbers = count(start << 64 | 1)
    return lambda size: (next(numbers) % (1 << 8 * size)).to_bytes(size)


@dataclass
class Asked:
    """A request of a local client. `mark` is in its params, and in whatever it leads to."""

    party: int
    id: Id
    method: str
    mark: str
    token: Id | None
    uris: tuple[str, ...]
    events: list[bytes] = field(default_factory=list)
    end: str | None = None


@dataclass
class Party:
    """A client: its key, its session, and what its local client waits for."""

    number: int
    key: SecretKey
    session: Client
    pending: dict[tuple[str, Id], Asked] = field(default_factory=dict)
    asked_by_server: list[Request] = field(default_factory=list)
    payments: dict[bytes, int] = field(default_factory=dict)
    watched: set[str] = field(default_factory=set)


@dataclass
class Backend:
    """An MCP server at the end of a link."""

    link: Link
    calls: dict[int, Request] = field(default_factory=dict)
    numbers: dict[int, str] = field(default_factory=dict)
    asks: dict[tuple[str, Id], Request] = field(default_factory=dict)
    initialized: int = 0


@dataclass(frozen=True)
class Choice:
    """How a client is set up."""

    revision: str
    server: str
    encryption: Encryption
    allow_plain: bool = False


class World:
    """Everything, with every promise checked at every action."""

    def __init__(self, revisions: tuple[str, ...], servers: tuple[McpServer, ...], choices: list[Choice]) -> None:
        self.now = START
        # False once a promise was broken.
        self.is_sound = True
        self.marks = count(1)
        self.asked: dict[str, Asked] = {}
        self.authors: dict[bytes, bytes] = {}
        self.executed: set[str] = set()
        self.answers: set[str] = set()
        self.invoiced: set[bytes] = set()
        self.verified: set[bytes] = set()
        self.charges: list[bytes] = []
        self.history: list[tuple[int, Event]] = []
        self.flying: list[tuple[int, Event]] = []
        self.unconfirmed: list[tuple[int, bytes]] = []
        self.backends: dict[Link, Backend] = {}
        self.wakes: dict[int, float] = {}
        enabled = tuple(REVISIONS[name] for name in revisions)
        wraps = any(revision.kinds.wraps for revision in enabled)
        settings = ServerSettings(
            enabled, servers, "2025-03-26", Encryption.OPTIONAL if wraps else Encryption.DISABLED,
            prices=(Price("tool", DEAR, str(SATS), "sats"),), limits=LIMITS,
        )  # fmt: skip
        self.server = Server(settings, PROVIDER, bytes_from(1), START)
        self.parties = [self._party(number, choice) for number, choice in enumerate(choices)]
        self.choices = choices
        self.keys = {one.key.public_key.x: one.key for one in self.parties} | {MALLORY.public_key.x: MALLORY}
        self.act(SERVER, self.server.start(self.now))
        for party in self.parties:
            self.act(party.number, party.session.start(self.now))

    def _party(self, number: int, choice: Choice) -> Party:
        revision, key = REVISIONS[choice.revision], SecretKey(bytes([16 + number]) * 32)
        remote = Remote(PROVIDER.public_key.x, choice.server if revision.server_ids else None)
        settings = ClientSettings(
            revision, remote, "2026-07-28", encryption=choice.encryption, allow_plain=choice.allow_plain,
            payments=PaymentPolicy(pay=True), limits=CLIENT_LIMITS,
        )  # fmt: skip
        return Party(number, key, Client(settings, key, bytes_from(2 + number), START))

    def mark(self, kind: str = "m") -> str:
        return f"{kind}{next(self.marks)}."

    # What local clients do

    def ask(self, number: int, id_: Id, method: str, token: Id | None, uris: tuple[str, ...], name: str) -> None:
        party = self.parties[number]
        if id_key(id_) in party.pending:
            return
        asked = Asked(number, id_, method, self.mark(), token, uris)
        params: dict[str, Any] = {"_meta": {} if token is None else {"progressToken": token}}
        match method:
            case "tools/call":
                params |= {"name": name, "arguments": {"mark": asked.mark}}
            case "initialize":
                info = {"name": asked.mark, "version": "1"}
                params |= {"protocolVersion": "2025-03-26", "capabilities": {"roots": {}}, "clientInfo": info}
            case "subscriptions/listen":
                wanted = {"toolsListChanged": True, "resourceSubscriptions": list(uris)}
                params = {"_meta": META, "notifications": wanted}
            case _:
                params |= {"uri": uris[0]}
        self.asked[asked.mark] = party.pending[id_key(id_)] = asked
        party.watched |= set(uris)
        self.act(number, party.session.message(Request(id_, method, params), self.now), asked)

    def tell(self, number: int, method: str) -> None:
        self.act(number, self.parties[number].session.message(Notification(method), self.now))

    def cancel(self, number: int, index: int) -> None:
        """The local client withdraws a request, or closes a subscription: it expects no answer."""
        party = self.parties[number]
        can = [one for one in party.pending.values() if one.method != "initialize"]
        if can:
            asked = can[index % len(can)]
            self._ends(party, asked, "cancel")
            cancel = Notification("notifications/cancelled", {"requestId": asked.id})
            self.act(number, party.session.message(cancel, self.now))

    def answer_server(self, number: int) -> None:
        party = self.parties[number]
        if party.asked_by_server:
            request = party.asked_by_server.pop()
            answer = Result(request.id, {"roots": [{"uri": f"file:///of/{number}"}]})
            self.act(number, party.session.message(answer, self.now))

    def wallet(self, number: int, works: bool) -> None:
        party = self.parties[number]
        for request in list(party.payments):
            done = party.session.payment_sent if works else party.session.payment_failed
            self.act(number, done(request, self.now))

    # What MCP servers do

    def backend(self, index: int) -> Backend | None:
        backends = list(self.backends.values())
        return backends[index % len(backends)] if backends else None

    def backend_answers(self, backend: Backend, works: bool) -> None:
        if not backend.calls:
            return
        number, request = next(iter(backend.calls.items()))
        del backend.calls[number]
        answer: Result | Error = Error(number, -32000, "it did not work")
        if request.method == "initialize":
            answer = Result(number, CAPABILITIES)
        elif request.method == "tools/call" and works:
            made = self.mark("answer")
            self.answers.add(made)
            content = [{"type": "text", "text": made + _mark_in(request)}]
            answer = Result(number, {"content": content, "isError": False})
        elif works:
            answer = Result(number, {})
        self.act(SERVER, self.server.message(backend.link, answer, self.now))

    def backend_reports(self, backend: Backend, step: int) -> None:
        for number, request in list(backend.calls.items()):
            token = (request.params or {}).get("_meta", {}).get("progressToken")
            if request.method == "tools/call" and token is not None:
                assert token == number, "the MCP server is given tokens that no two requests share"
                params = {"progressToken": token, "progress": step, "message": _mark_in(request)}
                self._backend_says(backend, "notifications/progress", params)

    def backend_tells(self, backend: Backend, method: str, uri: str) -> None:
        match method:
            case "notifications/resources/updated":
                params: dict[str, Any] | None = {"uri": uri}
            case "notifications/message":
                params = {"level": "info", "data": f"for {(backend.link.client or b'').hex()}"}
            case _:
                params = None
        self._backend_says(backend, method, params)

    def _backend_says(self, backend: Backend, method: str, params: dict[str, Any] | None) -> None:
        self.act(SERVER, self.server.message(backend.link, Notification(method, params), self.now))

    def backend_asks(self, backend: Backend, id_: Id, method: str) -> None:
        if id_key(id_) not in backend.asks:
            request = Request(id_, method, {"_meta": {"for": (backend.link.client or b"").hex()}})
            backend.asks[id_key(id_)] = request
            self.act(SERVER, self.server.message(backend.link, request, self.now))

    def backend_ends(self, backend: Backend) -> None:
        del self.backends[backend.link]
        self.act(SERVER, self.server.closed(backend.link, self.now))

    def processor(self, index: int, step: str) -> None:
        """What the payment processor says of a charge, in any order and any number of times."""
        if not self.charges:
            return
        request = self.charges[index % len(self.charges)]
        match step:
            case "invoice":
                self.invoiced.add(request)
                self.act(SERVER, self.server.invoiced(request, INVOICE, self.now))
            case "paid":
                self.verified |= {request} & self.invoiced
                self.act(SERVER, self.server.paid(request, self.now))
            case _:
                self.act(SERVER, self.server.unpaid(request, self.now))

    # What the relay does

    def arrives(self, index: int, *, stays: bool) -> None:
        """One of the events on their way arrives, not always the first, and perhaps again later."""
        if self.flying:
            index %= len(self.flying)
            target, event = self.flying[index] if stays else self.flying.pop(index)
            self.give(target, event)

    def all_arrive(self) -> None:
        for _ in range(len(self.flying)):
            self.arrives(0, stays=False)

    def lost(self, index: int) -> None:
        if self.flying:
            self.flying.pop(index % len(self.flying))

    def replays(self, index: int, target: int | None) -> None:
        """Any event that was ever published, to whom it was for, or to anybody."""
        if self.history:
            meant, event = self.history[index % len(self.history)]
            self.give(meant if target is None else target, event)

    def confirms(self, accepted: bool) -> None:
        """The relay says whether it took an event; a liar may say so of one that it has delivered."""
        if self.unconfirmed:
            who, event_id = self.unconfirmed.pop(0)
            session = self.server if who == SERVER else self.parties[who].session
            self.act(who, session.published(event_id, accepted, "", self.now))

    def give(self, target: int, event: Event) -> None:
        session = self.server if target == SERVER else self.parties[target].session
        self.act(target, session.receive(event, self.now))

    def goes_well(self) -> None:
        """Everything arrives, MCP servers report and answer, what is charged is paid."""
        for _ in range(3):
            while self.unconfirmed:
                self.confirms(True)
            self.all_arrive()
            for backend in list(self.backends.values()):
                self.backend_reports(backend, 1)
            self.all_arrive()
            for backend in list(self.backends.values()):
                while backend.calls:
                    self.backend_answers(backend, works=True)
            for index in range(len(self.charges)):
                self.processor(index, "invoice")
            self.all_arrive()
            for number in range(len(self.parties)):
                self.wallet(number, works=True)
            for index in range(len(self.charges)):
                self.processor(index, "paid")

    # What Mallory does: she has a key of her own, reads what is plain, and the relay is hers

    def tampers(self, index: int) -> None:
        """Another content, or another date, under the signature of what was published."""
        target, event = self._captured(index)
        if event is not None:
            self.give(target, _copied(event, content=event.content.replace(".", "forged.")))
            renewed = UnsignedEvent(event.pubkey, self.now.unix, event.kind, event.tags, event.content)
            self.give(target, Event(renewed.id, event.pubkey, self.now.unix, event.kind, event.tags, event.content,
                                    event.sig))  # fmt: skip

    def signs_as_her_own(self, index: int, wrap: int | None) -> None:
        """What was published in plain, with a mark of hers where it was a request, under her own signature."""
        target, event = self._captured(index)
        if event is None or event.kind in nip59.WRAP_KINDS:
            return
        content = event.content
        for mark in [one for one in self.asked if one in content]:
            content = content.replace(mark, self.mark("mallory"))
        own = UnsignedEvent(MALLORY.public_key.x, self.now.unix, event.kind, event.tags, content)
        self._sent_by_mallory(target, own.sign(MALLORY, bytes(32)), wrap)

    def wraps_what_is_plain(self, index: int, target: int, wrap: int) -> None:
        """An event that others signed, in a wrap that is hers."""
        _, event = self._captured(index)
        if event is not None and event.kind not in nip59.WRAP_KINDS:
            self.give(target, self._wrapped(target, event, wrap))

    def answers_for_the_server(self, number: int, index: int, wrap: int | None) -> None:
        """An answer to a request that is pending, and a demand for payment, in her own name."""
        party = self.parties[number]
        pending = [one for one in party.pending.values() if one.events]
        if pending:
            asked = pending[index % len(pending)]
            revision = REVISIONS[self.choices[number].revision]
            reference = RequestReference(asked.events[-1], asked.method, asked.id)
            route = Route(MALLORY.public_key.x, party.key.public_key.x, Role.SERVER, "shared", reference)
            forged = Result(asked.id, {"content": [{"type": "text", "text": f"forged {asked.mark}"}]})
            event = codec.encode(forged, route, revision, self.now.unix).sign(MALLORY, bytes(32))
            self._sent_by_mallory(number, event, wrap)

    def cancels_for_others(self, number: int, index: int, wrap: int | None) -> None:
        pending = [one for one in self.parties[number].pending.values() if one.events]
        if pending:
            asked, choice = pending[index % len(pending)], self.choices[number]
            reference = RequestReference(asked.events[-1], asked.method, asked.id)
            route = Route(MALLORY.public_key.x, PROVIDER.public_key.x, Role.CLIENT, choice.server, reference)
            cancel = Notification("notifications/cancelled", {"requestId": asked.id})
            event = codec.encode(cancel, route, REVISIONS[choice.revision], self.now.unix).sign(MALLORY, bytes(32))
            self._sent_by_mallory(SERVER, event, wrap)

    def _captured(self, index: int) -> tuple[int, Event | None]:
        return self.history[index % len(self.history)] if self.history else (SERVER, None)

    def _sent_by_mallory(self, target: int, event: Event, wrap: int | None) -> None:
        self.authors[event.id] = MALLORY.public_key.x
        self.give(target, event if wrap is None else self._wrapped(target, event, wrap))

    def _wrapped(self, target: int, event: Event, kind: int) -> Event:
        recipient = PROVIDER if target == SERVER else self.parties[target].key
        drawn = next(self.marks).to_bytes(32)
        return nip59.wrap(
            event, public_key(recipient.public_key.x), kind=kind, created_at=self.now.unix,
            ephemeral_key=SecretKey(drawn), nonce=drawn, aux_rand=drawn,
        )  # fmt: skip

    # Time

    def passes(self, seconds: float) -> None:
        """Sessions are woken when they asked for it, and not otherwise."""
        end = self.now.monotonic + seconds
        for _ in range(10_000):
            who, at = min(self.wakes.items(), key=lambda one: one[1], default=(SERVER, end + 1))
            if at > end:
                break
            del self.wakes[who]
            self._at(max(at, self.now.monotonic))
            session = self.server if who == SERVER else self.parties[who].session
            self.act(who, session.tick(self.now))
        else:
            raise AssertionError("a session wakes without end")
        self._at(end)

    def _at(self, monotonic: float) -> None:
        self.now = Now(START.unix + int(monotonic), monotonic)

    def ends(self) -> None:
        """Nobody says anything any more: every request has ended, and nothing is held (HOUSE-LIMIT-01)."""
        self.flying.clear()
        for party in self.parties:
            for _ in range(len(party.pending)):
                listens = [one for one in party.pending.values() if one.method == "subscriptions/listen"]
                for asked in listens[:1]:
                    self._ends(party, asked, "cancel")
                    cancel = Notification("notifications/cancelled", {"requestId": asked.id})
                    self.act(party.number, party.session.message(cancel, self.now))
        self.passes(LONG)
        assert [one for one in self.asked.values() if one.end is None] == [], "a request never ends"
        server = self.server
        assert (len(server.requests), len(server.feeds), len(server.upstream)) == (0, 0, 0), (
            "something is held for ever"
        )
        assert (len(server.sessions), server.sessions._budget.count, server.sessions._clients) == (0, 0, {}), (
            "something is held for ever"
        )
        assert (server.subscriptions.count, server.requests._pending.count) == (0, 0), "something is held for ever"
        assert all(link.client is None for link in server.links), "something is held for ever"
        assert all(not one.watchers and not one.feeds and not one.running for one in server.links.values()), (
            "something is held for ever"
        )
        assert len(server.alarms) == 0, "something is held for ever"
        for party in self.parties:
            assert (len(party.session.questions), len(party.session.subscriptions)) == (0, 0), (
                "something is held for ever"
            )
            questions, subscriptions = party.session.questions, party.session.subscriptions
            known = (party.session._asked_by_e, questions._by_publication, subscriptions._by_publication)
            assert not any((*known, subscriptions._by_event)), "something is held for ever"
            assert len(party.session.alarms) == 0, "something is held for ever"

    # Every action, held against what is promised

    def act(self, who: int, actions: list[Action], asked: Asked | None = None) -> None:
        self.is_sound = False
        for action in actions:
            match action:
                case Publish(event) if who == SERVER:
                    self._published_by_server(event)
                case Publish(event):
                    self._published_by_client(who, event, asked)
                case Deliver(message, None):
                    self._delivered_to_client(self.parties[who], message)
                case Deliver(message, Link() as link):
                    assert link in self.backends, "something is delivered to an MCP server that is gone"
                    self._delivered_to_backend(self.backends[link], message)
                case Open(link):
                    assert link not in self.backends
                    self.backends[link] = Backend(link)
                case Close(link):
                    del self.backends[link]
                case Wake(at):
                    self.wakes[who] = at
                case Charge(request):
                    self.charges.append(request)
                case Pay(request, invoice, amount):
                    assert (invoice, amount) == (INVOICE, SATS)
                    paid = self.parties[who].payments
                    paid[request] = paid.get(request, 0) + 1
                    assert paid[request] == 1, "a request is paid for twice"
        self.bounded()
        self.is_sound = True

    def bounded(self) -> None:
        """What strangers make a session hold is within its limits."""
        server = self.server
        assert len(server.requests) <= LIMITS.pending, "too many requests are pending"
        assert len(server.upstream) <= LIMITS.pending, "too many requests to clients are pending"
        assert len(server.sessions) <= LIMITS.sessions, "too many sessions"
        assert len(server.gate.seen) <= LIMITS.seen, "too many ids are remembered"
        assert len(server.requests._cancelled) <= LIMITS.seen, "too many cancels are remembered"
        watches = sum(len(watchers) for link in server.links.values() for watchers in link.watchers.values())
        assert len(server.feeds) + watches == server.subscriptions.count <= LIMITS.subscriptions, (
            "too many subscriptions"
        )
        assert all(len(feed.kept) <= LIMITS.held for link in server.links.values() for feed in link.feeds), (
            "too much is kept"
        )
        assert len(server.links) <= LIMITS.sessions + len(server.settings.servers), "too many MCP servers"
        assert set(server.links) == set(self.backends), "MCP servers run that nobody knows of"
        everybody: list[Server | Client] = [server, *(party.session for party in self.parties)]
        for session in everybody:
            assert len(session.alarms._heap) <= max(64, 4 * len(session.alarms)) + 1, "too many alarms"
        for party in self.parties:
            assert len(party.session.questions) <= CLIENT_LIMITS.pending, "too many requests are pending"
            assert len(party.session._calls) <= CLIENT_LIMITS.pending, "too many requests of the server are pending"
            assert len(party.session.subscriptions) <= CLIENT_LIMITS.subscriptions, "too many subscriptions"
            assert len(party.session.gate.seen) <= CLIENT_LIMITS.seen, "too many ids are remembered"
            for subscription in party.session.subscriptions._by_id.values():
                assert len(subscription.held) <= CLIENT_LIMITS.held, "too much is held"

    def _published_by_client(self, who: int, event: Event, asked: Asked | None) -> None:
        inner = nip59.unwrap(event, PROVIDER) if event.kind in nip59.WRAP_KINDS else event
        assert inner.pubkey == self.parties[who].key.public_key.x
        assert (event is inner) or self.choices[who].encryption is not Encryption.DISABLED
        assert (event is not inner) or self.choices[who].encryption is not Encryption.REQUIRED
        assert inner.id not in self.authors, "an event is published twice"
        self.authors[inner.id] = inner.pubkey
        if asked is not None and inner.kind == REVISIONS[self.choices[who].revision].kinds.request:
            asked.events.append(inner.id)
        self._on_its_way(who, SERVER, event)

    def _published_by_server(self, event: Event) -> None:
        """What is for one client is about its own requests, and in no plainer form than it asks for."""
        recipient = bytes.fromhex(event.first("p") or "")
        is_wrap = event.kind in nip59.WRAP_KINDS
        inner = nip59.unwrap(event, self.keys[recipient]) if is_wrap else event
        assert bytes.fromhex(inner.first("p") or "") == recipient
        about = inner.first("e")
        if about is not None and bytes.fromhex(about) in self.authors:
            assert self.authors[bytes.fromhex(about)] == recipient, "an answer goes to another than its asker"
        number = next((one.number for one in self.parties if one.key.public_key.x == recipient), None)
        if number is not None:
            assert is_wrap or self.choices[number].encryption is not Encryption.REQUIRED, "plain, to who encrypts"
            self._on_its_way(SERVER, number, event)

    def _on_its_way(self, sender: int, target: int, event: Event) -> None:
        self.history.append((target, event))
        self.flying.append((target, event))
        self.unconfirmed.append((sender, event.id))
        del self.unconfirmed[:-20]

    def _ends(self, party: Party, asked: Asked, how: str) -> None:
        asked.end = how
        del party.pending[id_key(asked.id)]

    def _delivered_to_client(self, party: Party, message: Message) -> None:
        text = json.dumps(_body(message))
        assert "forged" not in text, "something is delivered that nobody we know has signed"
        assert "mallory" not in text, "what Mallory asked is answered to another"
        match message:
            case Result(id_) | Error(id_):
                assert id_ is not None and id_key(id_) in party.pending, "an answer to nothing, or a second one"
                asked = party.pending[id_key(id_)]
                self._ends(party, asked, "result" if isinstance(message, Result) else "error")
                if isinstance(message, Result) and asked.method == "tools/call":
                    said = message.result["content"][0]["text"]
                    assert said.endswith("." + asked.mark), "the answer to another request"
                    assert said.removesuffix(asked.mark) in self.answers
            case Request():
                assert message.params is not None
                assert message.params["_meta"]["for"] == party.key.public_key.hex(), "a request to another client"
                party.asked_by_server.append(message)
            case Notification(method, params):
                self._told(party, method, params or {})

    def _told(self, party: Party, method: str, params: dict[str, Any]) -> None:
        meta = params.get("_meta", {})
        match method:
            case "notifications/progress":
                own = [one for one in party.pending.values() if one.token is not None]
                token = id_key(params["progressToken"])
                same = [one for one in own if one.token is not None and id_key(one.token) == token]
                assert same, "progress of another, or of what has ended"
                assert params.get("message", same[0].mark) in {one.mark for one in same}, "progress of another"
            case "notifications/resources/updated":
                assert params["uri"] in party.watched, "a resource that this client has never asked for"
            case "notifications/message":
                assert params["data"] == f"for {party.key.public_key.hex()}", "a log message of another"
            case "notifications/cancelled":
                names = [id_key(one.id) for one in party.asked_by_server]
                assert id_key(params["requestId"]) in names, "a cancel of what was never asked"
                del party.asked_by_server[names.index(id_key(params["requestId"]))]
            case _:
                assert method in ("notifications/tools/list_changed", "notifications/subscriptions/acknowledged")
        if SUBSCRIPTION_ID in meta:
            asked_ = party.pending.get(id_key(meta[SUBSCRIPTION_ID]))
            assert asked_ is not None and asked_.method == "subscriptions/listen", "a subscription of another"

    def _delivered_to_backend(self, backend: Backend, message: Message) -> None:
        text = json.dumps(_body(message))
        assert "forged" not in text, "something is executed that nobody we know has signed"
        match message:
            case Request(int() as number):
                assert number not in backend.numbers, "a number is used twice"
                backend.numbers[number] = _mark_in(message)
                backend.calls[number] = message
                if message.method == "initialize":
                    backend.initialized += 1
                    offered = (message.params or {})["capabilities"]
                    assert backend.link.client is not None or offered == {}, "what one client can do, offered for all"
                if message.method == "tools/call":
                    self._executed(backend.link, message)
            case Notification("notifications/cancelled", params):
                assert params is not None
                mark = backend.numbers[params["requestId"]]
                asked = self.asked.get(mark)
                assert asked is None or asked.end is not None, "a request is cancelled under its asker"
                backend.calls.pop(params["requestId"], None)
            case Result(id_) | Error(id_):
                assert id_ is not None and id_key(id_) in backend.asks, "an answer to nothing, or a second one"
                request = backend.asks.pop(id_key(id_))
                if isinstance(message, Result) and request.method == "roots/list":
                    number_ = int(message.result["roots"][0]["uri"].rpartition("/")[2])
                    assert self.parties[number_].key.public_key.x == backend.link.client, "answered by another"

    def _executed(self, link: Link, request: Request) -> None:
        mark = _mark_in(request)
        assert mark not in self.executed, "a request runs twice"
        self.executed.add(mark)
        asked = self.asked.get(mark)
        if asked is None:
            assert mark.startswith("mallory"), "something runs that nobody asked for"
            owner = MALLORY.public_key.x
        else:
            owner = self.parties[asked.party].key.public_key.x
        assert link.client in (None, owner), "a request runs at the MCP server of another"
        if asked is not None and (request.params or {})["name"] == DEAR:
            assert asked.events[-1] in self.verified, "what is not paid for runs"


def _body(message: Message) -> Any:
    match message:
        case Request(id_, _, params):
            return [id_, params]
        case Notification(_, params):
            return params
        case Result(id_, result):
            return [id_, result]
        case Error(id_, _, text, data):
            return [id_, text, data]


def _mark_in(request: Request) -> str:
    return str(((request.params or {}).get("arguments") or {}).get("mark", ""))


def _copied(event: Event, content: str) -> Event:
    changed = UnsignedEvent(event.pubkey, event.created_at, event.kind, event.tags, content)
    return Event(changed.id, event.pubkey, event.created_at, event.kind, event.tags, content, event.sig)
