"""What a server's session costs: the whole way of a call and its answer, alone and beside much that is held.

A server drops what it has seen, so every call needs an event of its own: each function signs as many as a batch needs
before the clock starts.
"""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable, Collection, Iterator
from typing import Any

import cases
from timing import BATCH, Comparison, Function, Group

from nostrmcp.mcp.jsonrpc import Request, Result
from nostrmcp.nostr import Event, SecretKey, nip59, relay_frames
from nostrmcp.revisions import REVISIONS, Revision
from nostrmcp.session import Server
from nostrmcp.session.actions import Action, Deliver, Now, Publish
from nostrmcp.session.settings import McpServer, ServerLimits, ServerSettings
from nostrmcp.translate import codec
from nostrmcp.translate.route import Role, Route

NAMES = ("session", "held", "memory")
CONTEXTVM = REVISIONS["contextvm"]
PLAIN = (CONTEXTVM, REVISIONS["dvmcp-rev1.1"])
HELD = (1, 1_000, 10_000)
# Pending requests and subscriptions are spread over so many keys.
HOLDERS = 100
IDLE_SESSIONS = 1_000
MAX_IDLE_SESSION = 4_096

MANY = 10**9
LIMITS = ServerLimits(
    sessions=MANY, sessions_per_key=MANY, pending=MANY, pending_per_key=MANY, subscriptions=MANY,
    subscriptions_per_key=MANY, seen=MANY, seen_per_key=MANY, unwraps_per_second=MANY,
)  # fmt: skip
NOW = Now(cases.CREATED_AT, 1.0)
MCP_VERSION = "2025-03-26"
SERVER_ID = "server-1"
INITIALIZED = {
    "protocolVersion": MCP_VERSION,
    "capabilities": {"tools": {"listChanged": True}},
    "serverInfo": {"name": "weather", "version": "1"},
}
CALL = {"name": "get_weather", "arguments": {"location": "New York", "units": "metric"}}
ANSWER = {"content": [{"type": "text", "text": "New York: 21 degrees, wind from the west at 3 m/s"}], "isError": False}
LISTEN = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "client", "version": "1"},
    },
    "notifications": {"toolsListChanged": True},
}

client, provider = cases.author, cases.recipient


def key_of(number: int) -> SecretKey:
    return SecretKey((number + 1).to_bytes(32, "big"))


def asked(key: SecretKey, request: Request, revision: Revision) -> Event:
    route = Route(key.public_key.x, provider.public_key.x, Role.CLIENT, SERVER_ID)
    return codec.encode(request, route, revision, NOW.unix).sign(key, cases.aux_rand)


def wrapped(event: Event) -> Event:
    return nip59.wrap(
        event, provider.public_key, kind=nip59.WRAP, created_at=NOW.unix, ephemeral_key=SecretKey(os.urandom(32)),
        nonce=os.urandom(32), aux_rand=cases.aux_rand,
    )  # fmt: skip


def serving(revision: Revision) -> Server:
    """A server whose one MCP server, shared by all clients, is ready."""
    settings = ServerSettings((revision,), (McpServer(SERVER_ID),), MCP_VERSION, limits=LIMITS)
    server = Server(settings, provider, os.urandom, NOW)
    for action in server.start(NOW):
        if isinstance(action, Deliver):
            assert action.link is not None and isinstance(action.message, Request)
            server.message(action.link, Result(action.message.id, INITIALIZED), NOW)
    return server


def delivered(actions: list[Action]) -> tuple[Any, Any]:
    """The link and the id of the request that goes to the MCP server."""
    deliver: Any = actions[0]
    return deliver.link, deliver.message.id


def passing(server: Server, frame: bytes) -> bytes:
    """The frame of a request to the frame of its answer."""
    came: Any = relay_frames.parse_relay_frame(frame)
    link, number = delivered(server.receive(came.event, NOW))
    publish: Any = server.message(link, Result(number, ANSWER), NOW)[0]
    return relay_frames.Publish(publish.event).dump()


class Supply:
    """Calls of one client, each in an event of its own; `sign` makes those of the next batch."""

    def __init__(self, revision: Revision, *, wrap: bool = False) -> None:
        self._revision = revision
        self._wrap = wrap
        self._number = 0
        self._frames: list[bytes] = []
        self._events: list[Event] = []

    def _event(self) -> Event:
        self._number += 1
        # Where ids do not travel, the token alone makes the event a new one.
        params = {**CALL, "_meta": {"progressToken": self._number}}
        event = asked(client, Request(self._number, "tools/call", params), self._revision)
        return wrapped(event) if self._wrap else event

    def sign(self) -> None:
        self._frames = [relay_frames.Deliver("calls", self._event()).dump() for _ in range(BATCH)]

    def parse(self) -> None:
        """For a baseline, which begins with events."""
        self.sign()
        frames: list[Any] = [relay_frames.parse_relay_frame(frame) for frame in self._frames]
        self._events = [frame.event for frame in frames]

    def frame(self) -> bytes:
        return self._frames.pop()

    def event(self) -> Event:
        return self._events.pop()


def calling(server: Server, revision: Revision, *, wrap: bool = False) -> tuple[Function, Function]:
    """What comes before a batch, and the way of one call and its answer, which is checked once."""
    supply = Supply(revision, wrap=wrap)
    supply.sign()
    sent: Any = relay_frames.parse_client_frame(passing(server, supply.frame()))
    event = nip59.unwrap(sent.event, client) if wrap else sent.event
    event.verify()
    assert "21 degrees" in event.content
    return supply.sign, lambda: passing(server, supply.frame())


def plain_group(revision: Revision) -> Group:
    supply = Supply(revision)
    key, secret, aux_rand = client.public_key, provider, cases.aux_rand

    def verify_and_sign() -> None:
        event = supply.event()
        key.verify(event.id, event.sig)
        secret.sign(event.id, aux_rand)

    subject, baseline = f"session: call and answer, plain, {revision.name}", "one verify, one sign"
    before, call = calling(serving(revision), revision)
    return Group(
        "session",
        {subject: call, baseline: verify_and_sign},
        [Comparison(subject, baseline, target=1.5)],
        {subject: before, baseline: supply.parse},
    )


def wrapped_group() -> Group:
    supply = Supply(CONTEXTVM, wrap=True)
    inner = asked(client, Request(0, "tools/call", CALL), CONTEXTVM)

    def unwrap_and_wrap() -> None:
        nip59.unwrap(supply.event(), provider)
        nip59.wrap(
            inner, client.public_key, kind=nip59.WRAP, created_at=NOW.unix, ephemeral_key=SecretKey(os.urandom(32)),
            nonce=cases.nonce, aux_rand=cases.aux_rand,
        )  # fmt: skip

    subject, baseline = "session: call and answer, wrapped, contextvm", "one unwrap, one wrap"
    before, call = calling(serving(CONTEXTVM), CONTEXTVM, wrap=True)
    return Group(
        "session",
        {subject: call, baseline: unwrap_and_wrap},
        [Comparison(subject, baseline, target=1.4)],
        {subject: before, baseline: supply.parse},
    )


def hold_sessions(server: Server, count: int) -> None:
    for number in range(count):
        event = asked(key_of(number), Request(1, "tools/call", CALL), CONTEXTVM)
        link, request = delivered(server.receive(event, NOW))
        server.message(link, Result(request, ANSWER), NOW)
    assert len(server.sessions) == count and len(server.requests) == 0


def hold_requests(server: Server, count: int) -> None:
    keys = [key_of(number) for number in range(HOLDERS)]
    for number in range(count):
        server.receive(asked(keys[number % HOLDERS], Request(number, "tools/call", CALL), CONTEXTVM), NOW)
    assert len(server.requests) == count


def hold_subscriptions(server: Server, count: int) -> None:
    """Open ones: a relay has taken the acknowledgement of each."""
    keys = [key_of(number) for number in range(HOLDERS)]
    for number in range(count):
        event = asked(keys[number % HOLDERS], Request(number, "subscriptions/listen", LISTEN), CONTEXTVM)
        for action in server.receive(event, NOW):
            if isinstance(action, Publish):
                server.published(action.event.id, True, "", NOW)
    assert server.subscriptions.count == count


def held_group(what: str, hold: Callable[[Server, int], None]) -> Group:
    functions: dict[str, Function] = {}
    before: dict[str, Function] = {}
    for count in HELD:
        server = serving(CONTEXTVM)
        hold(server, count)
        name = f"held: {what} {count:,}"
        before[name], functions[name] = calling(server, CONTEXTVM)
    baseline, *subjects = functions
    return Group("held", functions, [Comparison(name, baseline, target=1.15) for name in subjects], before)


def idle_session_bytes() -> float:
    """What each session adds that has had one call answered, with the id of its event, which is remembered."""
    server = serving(CONTEXTVM)
    events = [asked(key_of(number), Request(1, "tools/call", CALL), CONTEXTVM) for number in range(IDLE_SESSIONS)]
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for event in events:
        link, request = delivered(server.receive(event, NOW))
        server.message(link, Result(request, ANSWER), NOW)
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(server.sessions) == IDLE_SESSIONS
    return (after - before) / IDLE_SESSIONS


def groups(wanted: Collection[str]) -> Iterator[Group]:
    """Only those wanted are made, each when it is its turn: what they hold takes seconds to set up."""
    if "session" in wanted:
        yield from map(plain_group, PLAIN)
        yield wrapped_group()
    if "held" in wanted:
        yield held_group("sessions", hold_sessions)
        yield held_group("pending requests", hold_requests)
        yield held_group("subscriptions", hold_subscriptions)
