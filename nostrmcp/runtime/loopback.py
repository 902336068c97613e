"""A relay in memory, by default on 127.0.0.1: NIP-01, 09, 11, 40 and 42. It records, and errs on request."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from .. import __version__
from ..nostr import ErrorClass, Event, Violation, filters, nip42, relay_frames, strict_json
from ..nostr.relay_frames import Challenge, Closed, Deliver, Eose, Notice, Ok
from .loopback_faults import Fault, FaultName, Faults, corrupted
from .loopback_store import Audience, Outcome, Store, refusal
from .websocket import Answer, Listener, Socket, SocketClosed, SocketLimits, is_loopback, listen, write_all

_NOSTR_JSON = "application/nostr+json"
_AUTH_REQUIRED = "auth-required: prove your key first"


@dataclass(frozen=True, slots=True)
class RelayLimits:
    """Everything a stranger can grow, bounded. A subscriber that leaves more than `unsent` bytes unread of what comes
    is cut; what is stored is sent no faster than it reads."""

    connections: int = 4096
    subscriptions: int = 256
    filters: int = 32
    stored_events: int = 100_000
    stored_bytes: int = 1 << 28
    query: int = 5000
    garbage: int = 16
    unsent: int = 1 << 24
    socket: SocketLimits = field(default_factory=SocketLimits)


@dataclass(frozen=True, slots=True)
class Record:
    """One message as it passed: when (unix seconds), on which connection, `in` or `out` of the relay, and its text."""

    time: float
    connection: int
    direction: str
    frame: bytes

    def dump(self) -> bytes:
        """The record as one JSON object without a line break; bytes that are no UTF-8 are replaced."""
        value = {
            "time": round(self.time, 6),
            "connection": self.connection,
            "direction": self.direction,
            "frame": self.frame.decode(errors="replace"),
        }
        return json.dumps(value).encode()


class _Visitor:
    """One connection: its socket, the challenge it was given, and the keys it proved."""

    __slots__ = ("challenge", "garbage", "keys", "number", "socket")

    def __init__(self, socket: Socket, number: int, challenge: str) -> None:
        self.socket = socket
        self.number = number
        self.challenge = challenge
        self.garbage = 0
        self.keys: set[bytes] = set()


class LoopbackRelay:
    """The relay, as an async context manager.

    `record` is called with every message, in order. `clock` gives unix seconds; `later` runs a function after some
    seconds: both can be replaced, so that no test waits.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        auth: bool = False,
        faults: Iterable[Fault] = (),
        record: Callable[[Record], None] | None = None,
        limits: RelayLimits | None = None,
        allow_origins: Iterable[str] = (),
        clock: Callable[[], float] = time.time,
        later: Callable[[float, Callable[[], None]], Any] | None = None,
    ) -> None:
        self.faults = Faults(faults)
        self.limits = limits or RelayLimits()
        self._host = host
        self._port = port
        self._auth = auth
        self._record = record
        self._origins = frozenset(allow_origins)
        self._clock = clock
        self._later = later
        self._store = Store(self.limits.stored_events, self.limits.stored_bytes)
        self._audience: Audience[_Visitor] = Audience()
        self._visitors: set[_Visitor] = set()
        self._count = 0
        self._held: list[Event] = []
        self._first: Event | None = None
        self._listener: Listener | None = None

    async def __aenter__(self) -> LoopbackRelay:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Listen. A port that is taken is an OSError. What was stored before `close` is still there."""
        self._listener = await listen(self._serve, self._host, self._port, self.limits.socket, self._look)
        self._port = self._listener.address[1]

    async def close(self) -> None:
        """Take leave of every connection, and listen no more; `start` takes the same port again."""
        if self._listener is not None:
            listener, self._listener = self._listener, None
            await listener.close()

    async def kill(self) -> None:
        """Cut every connection without a word, and listen no more."""
        self.cut()
        await self.close()

    def cut(self) -> None:
        """Cut every connection without a word."""
        for visitor in self._visitors:
            visitor.socket.abort()

    def inject(self, *events: Event) -> None:
        """Hand these events to every subscription there is, unverified, unstored and whatever its filters say: what a
        relay that lies could do."""
        for event in events:
            for visitor in self._visitors:
                for name in self._audience.names(visitor):
                    self._say(visitor, Deliver(name, event).dump())

    @property
    def url(self) -> str:
        """Where the relay is, as clients write it."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"ws://{host}:{self._port}"

    @property
    def connections(self) -> int:
        return len(self._visitors)

    def information(self) -> dict[str, Any]:
        """The NIP-11 document."""
        return {
            "name": "nostrmcp loopback relay",
            "description": "A relay in memory, for tests and demonstrations.",
            "software": "nostrmcp",
            "version": __version__,
            "supported_nips": [1, 9, 11, 40, 42],
            "limitation": {
                "max_message_length": self.limits.socket.frame,
                "max_subscriptions": self.limits.subscriptions,
                "max_limit": self.limits.query,
                "default_limit": self.limits.query,
                "auth_required": self._auth,
                "payment_required": False,
            },
        }

    # The door

    def _look(self, headers: Mapping[str, str]) -> Answer | None:
        """Pages of strangers may not speak to a relay on this machine; NIP-11 is for everyone."""
        if _NOSTR_JSON in headers.get("Accept", ""):
            about = {"Content-Type": _NOSTR_JSON, "Access-Control-Allow-Origin": "*"}
            return Answer(HTTPStatus.OK, json.dumps(self.information()).encode(), about)
        origin = headers.get("Origin")
        if origin is not None and origin not in self._origins and not _is_loopback_origin(origin):
            return Answer(HTTPStatus.FORBIDDEN, b"this origin is not allowed here\n", {"Content-Type": "text/plain"})
        if len(self._visitors) >= self.limits.connections:
            return Answer(HTTPStatus.SERVICE_UNAVAILABLE, b"too many connections\n", {"Content-Type": "text/plain"})
        return None

    async def _serve(self, socket: Socket) -> None:
        self._count += 1
        visitor = _Visitor(socket, self._count, secrets.token_hex(16) if self._auth else "")
        self._visitors.add(visitor)
        try:
            if self._auth:
                self._say(visitor, Challenge(visitor.challenge).dump())
            while visitor.garbage <= self.limits.garbage:
                data = await socket.receive()
                self._note(visitor, "in", data)
                stored = self._take(visitor, data)
                if stored is not None:
                    await self._replay(visitor, *stored)
                await socket.flush()
            await socket.close(1008, "too much that is no Nostr message")
        except SocketClosed:
            pass
        finally:
            self._visitors.discard(visitor)
            self._audience.leave(visitor)

    # What clients say

    def _take(self, visitor: _Visitor, data: bytes) -> tuple[str, list[bytes]] | None:
        """Do what a client says; of a subscription that begins, its name and what is stored for it."""
        try:
            frame = relay_frames.parse_client_frame(data)
        except Violation as violation:
            visitor.garbage += 1
            self._refuse_garbage(visitor, data, refusal(violation))
            return None
        match frame:
            case relay_frames.Publish(event):
                self._publish(visitor, event)
            case relay_frames.Req(name, wanted):
                return self._subscribe(visitor, name, wanted)
            case relay_frames.Close(name):
                self._audience.unsubscribe(visitor, name)
            case relay_frames.Authenticate(event):
                self._authenticate(visitor, event)
        return None

    def _refuse_garbage(self, visitor: _Visitor, data: bytes, text: str) -> None:
        """A REQ with a filter that is not understood is told by its name, the rest in a NOTICE."""
        try:
            value = strict_json.parse(data)
            closed = Closed(value[1], text).dump() if value[0] == "REQ" and type(value[1]) is str else None
        except Exception:
            closed = None
        self._say(visitor, closed or Notice(text).dump())

    def _authenticate(self, visitor: _Visitor, event: Event) -> None:
        now = int(self._clock())
        names = (self.url, f"ws://localhost:{self._port}") if is_loopback(self._host) else (self.url,)
        given = nip42.normalize(event.first("relay") or "")
        relay = next((name for name in names if nip42.normalize(name) == given), self.url)
        try:
            if not visitor.challenge:
                raise Violation(ErrorClass.CHALLENGE_MISMATCH, "event", "there was no challenge")
            nip42.check(event, relay=relay, challenge=visitor.challenge, now=now)
        except Violation as violation:
            self._say(visitor, Ok(event.id, False, refusal(violation)).dump())
            return
        visitor.keys.add(event.pubkey)
        self._say(visitor, Ok(event.id, True, "").dump())

    def _subscribe(
        self, visitor: _Visitor, name: str, wanted: tuple[filters.Filter, ...]
    ) -> tuple[str, list[bytes]] | None:
        faults = self.faults.of(None, FaultName.CLOSED, FaultName.IGNORE_FILTERS)
        mine = self._audience.names(visitor)
        refused = None
        if self._auth and not visitor.keys:
            refused = _AUTH_REQUIRED
        elif FaultName.CLOSED in faults:
            refused = f"{faults[FaultName.CLOSED].value}: as asked for"
        elif len(wanted) > self.limits.filters or (name not in mine and len(mine) >= self.limits.subscriptions):
            refused = "blocked: too many subscriptions or filters"
        if refused is not None:
            self._audience.unsubscribe(visitor, name)
            self._say(visitor, Closed(name, refused).dump())
            return None
        if FaultName.IGNORE_FILTERS in faults:
            wanted = (filters.Filter(),)
        self._audience.subscribe(visitor, name, wanted)
        return name, [event.id for event in self._store.query(wanted, int(self._clock()), self.limits.query)]

    async def _replay(self, visitor: _Visitor, name: str, stored: list[bytes]) -> None:
        """What was stored, as fast as the client reads; until it has all, nothing more of it is read.

        Events are looked up one by one: what is gone meanwhile is held for nobody. What comes meanwhile is told
        between them.
        """
        for event_id in stored:
            event = self._store.get(event_id)
            if event is not None:
                frame = Deliver(name, event).dump()
                self._note(visitor, "out", frame)
                await visitor.socket.send(frame)
        self._say(visitor, Eose(name).dump())

    def _publish(self, visitor: _Visitor, event: Event) -> None:
        faults = self.faults.of(event, *FaultName) if self.faults else {}
        if FaultName.DISCONNECT in faults:
            visitor.socket.abort()
            return
        accepted, text = self._judge(visitor, event, faults)
        if FaultName.NO_OK not in faults:
            self._say(visitor, Ok(event.id, accepted, text).dump())

    def _judge(self, visitor: _Visitor, event: Event, faults: Mapping[FaultName, Fault]) -> tuple[bool, str]:
        """Whether an event is accepted, and the words for it; one that is new goes to those who wait for it."""
        if self._auth and not visitor.keys:
            return False, _AUTH_REQUIRED
        size = faults.get(FaultName.SIZE)
        if size is not None and event.sent_length > size.number:
            return False, f"invalid: an event of {event.sent_length} bytes is larger than {int(size.number)}"
        if FaultName.REJECT in faults:
            return False, f"{faults[FaultName.REJECT].value}: as asked for"
        if event.kind == nip42.AUTH:
            return False, "invalid: an authentication is for one relay alone"
        try:
            event.verify()
            if FaultName.DROP in faults:
                return True, ""
            outcome = self._store.add(event, int(self._clock()))
        except Violation as violation:
            return False, refusal(violation)
        if outcome in (Outcome.NEW, Outcome.EPHEMERAL):
            self._pass_on(event, faults)
        return outcome.accepted, "" if outcome is Outcome.EPHEMERAL else outcome.value

    # What subscribers hear

    def _pass_on(self, event: Event, faults: Mapping[FaultName, Fault]) -> None:
        self._first = self._first or event
        if not faults and not self._held:
            self._deliver(event)
            return
        heard = [corrupted(event) if FaultName.CORRUPT in faults else event]
        heard *= 2 if FaultName.DUPLICATE in faults else 1
        if FaultName.REPLAY in faults:
            heard.append(self._first)
        if FaultName.REORDER in faults and not self._held:
            self._held = heard
            return
        heard += self._held
        self._held = []
        if FaultName.DELAY in faults:
            later = self._later or asyncio.get_running_loop().call_later
            later(faults[FaultName.DELAY].number, lambda: self._deliver(*heard))
        else:
            self._deliver(*heard)

    def _deliver(self, *events: Event) -> None:
        """Each event to everyone who waits for it: one message for all who gave their subscription the same name."""
        for event in events:
            groups: dict[str, list[_Visitor]] = {}
            for visitor, name in self._audience.matching(event):
                groups.setdefault(name, []).append(visitor)
            for name, visitors in groups.items():
                frame = Deliver(name, event).dump()
                write_all([visitor.socket for visitor in visitors], frame)
                for visitor in visitors:
                    if self._record is not None:
                        self._note(visitor, "out", frame)
                    if visitor.socket.unsent > self.limits.unsent:
                        visitor.socket.abort()

    def _say(self, visitor: _Visitor, frame: bytes) -> None:
        self._note(visitor, "out", frame)
        visitor.socket.write(frame)

    def _note(self, visitor: _Visitor, direction: str, frame: bytes) -> None:
        if self._record is not None:
            self._record(Record(self._clock(), visitor.number, direction, frame))


def _is_loopback_origin(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and is_loopback(parts.hostname or "")
