"""One connection to one relay: it comes back after every loss, and holds the relay back when nobody listens.

Events are of the right shape and match a filter that was asked for, and that is all: whoever reads them verifies them.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ..nostr import ErrorClass, Event, Filter, SecretKey, Violation, filters, nip42, relay_frames, strict_json
from ..nostr.relay_frames import Prefix
from .reports import Arrived, Caught, Changed, Ended, Input, Noticed, PublishError, Reason, State
from .websocket import Socket, SocketClosed, SocketLimits, connect

# Challenges that are answered on one connection: each costs us a signature, and a relay nothing.
MAX_CHALLENGES = 16


@dataclass(frozen=True, slots=True)
class RelaySettings:
    """Bounds and times of a connection. `attempts` counts how often an event is sent before a loss fails it; `unsent`
    are bytes that the relay has left unread."""

    inbox: int = 256
    pending: int = 1024
    unsent: int = 1 << 24
    attempts: int = 3
    publish_timeout: float = 20.0
    garbage: int = 8
    backoff: float = 0.5
    longest_backoff: float = 60.0
    socket: SocketLimits = field(default_factory=SocketLimits)


Done = Callable[[PublishError | None], None]
Hear = Callable[[Input], None]


@dataclass(slots=True, eq=False)
class _Publication:
    event: Event
    done: list[Done]
    deadline: float
    attempts: int = 0
    authenticated: bool = False


class Relay:
    """The connection. `start` begins, `receive` gives what happens, `close` ends.

    `sleep`, `jitter` (0 to 1) and `clock` (unix seconds) can be replaced, so that no test waits. `wake` is called when
    something is there to receive.
    """

    def __init__(
        self,
        url: str,
        *,
        key: SecretKey | None = None,
        settings: RelaySettings | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.time,
        wake: Callable[[], None] | None = None,
    ) -> None:
        self.url = url
        self.state = State.NEW
        self.dropped = 0
        self._key = key
        self._settings = settings or RelaySettings()
        self._sleep = sleep
        self._jitter = jitter
        self._clock = clock
        self._wake = wake
        self._hear: Hear | None = None
        self._wanted: dict[str, tuple[Filter, ...]] = {}
        self._again: set[str] = set()
        self._publications: dict[bytes, _Publication] = {}
        self._inbox: deque[Input] = deque()
        self._filled = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._socket: Socket | None = None
        self._challenge: str | None = None
        self._challenges = 0
        self._failures = 0
        self._expiry: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Relay:
        self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def start(self) -> None:
        """Connect, and connect again after every loss, until `close`."""
        if self._task is None and self.state is State.NEW:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        """End. Publications under way fail with CLOSED."""
        self._change(State.CLOSED)
        self._fail_all(Reason.CLOSED)
        if self._expiry is not None:
            self._expiry.cancel()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    # What goes out

    def subscribe(self, name: str, *wanted: Filter) -> None:
        """Ask for events now and after every loss; before anything that is published later."""
        frame = relay_frames.Req(name, wanted).dump()
        self._wanted[name] = wanted
        if self._socket is not None:
            self._socket.write(frame)

    def unsubscribe(self, name: str) -> None:
        """Ask no more."""
        if self._wanted.pop(name, None) is not None and self._socket is not None:
            self._socket.write(relay_frames.Close(name).dump())

    async def publish(self, event: Event) -> None:
        """Return when the relay has taken the event, else raise a PublishError; see `offer`."""
        outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def done(error: PublishError | None) -> None:
            if outcome.done():  # the caller has given up
                return
            if error is None:
                outcome.set_result(None)
            else:
                outcome.set_exception(error)

        self.offer(event, done)
        await outcome

    def offer(self, event: Event, done: Done) -> None:
        """Send an event; `done` is called once, with None when the relay has taken it, else with the reason.

        While there is no connection the event waits. After a loss it is sent again: a relay takes an event once. Where
        too many wait, the oldest that was sent counts as unanswered: some relays never answer.
        """
        publication = self._publications.get(event.id)
        if publication is not None:
            publication.done.append(done)
            return
        loop = asyncio.get_running_loop()
        refused = self._refusal(event)
        if refused is not None:
            loop.call_soon(done, PublishError(self.url, refused))
            return
        deadline = loop.time() + self._settings.publish_timeout
        publication = self._publications[event.id] = _Publication(event, [done], deadline)
        if self._expiry is None:
            self._expiry = loop.call_at(deadline, self._expire)
        self._transmit(publication)

    def _refusal(self, event: Event) -> Reason | None:
        """Why an event cannot be sent or kept, after room was made for it if that is possible."""
        settings = self._settings
        if self.state is State.CLOSED:
            return Reason.CLOSED
        if event.sent_length + len('["EVENT",]') > settings.socket.frame:
            return Reason.TOO_LARGE
        if self._socket is not None and self._socket.unsent > settings.unsent:
            return Reason.QUEUE_FULL
        if len(self._publications) >= settings.pending:
            oldest = next(iter(self._publications.values()))
            if oldest.attempts == 0:
                return Reason.QUEUE_FULL
            self._settle(oldest, PublishError(self.url, Reason.TIMED_OUT))
        return None

    def _expire(self) -> None:
        """Those whose time is over fail; all have the same time, so they stand in order."""
        loop = asyncio.get_running_loop()
        self._expiry = None
        for publication in list(self._publications.values()):
            if publication.deadline > loop.time():
                self._expiry = loop.call_at(publication.deadline, self._expire)
                break
            self._settle(publication, PublishError(self.url, Reason.TIMED_OUT))

    def _transmit(self, publication: _Publication) -> None:
        if self._socket is not None:
            publication.attempts += 1
            self._socket.write(relay_frames.Publish(publication.event).dump())

    # What comes in

    async def receive(self) -> Input:
        """What happened next. While nobody asks, the relay is held back."""
        while (one := self.take()) is None:
            self._filled.clear()
            await self._filled.wait()
        return one

    def take(self) -> Input | None:
        """What happened next if it has happened, else None."""
        if not self._inbox:
            return None
        one = self._inbox.popleft()
        if len(self._inbox) < self._settings.inbox:
            self._room.set()
        return one

    def attend(self, hear: Hear | None) -> None:
        """Tell what happens at once, from now on, so that nothing waits to be received; None ends that.

        The relay is held back by the time that `hear` takes. It may not raise.
        """
        self._hear = hear
        while self._hear is not None and (one := self.take()) is not None:
            self._hear(one)

    def _put(self, one: Input) -> None:
        if self._hear is not None:
            self._hear(one)
            return
        self._inbox.append(one)
        if len(self._inbox) >= self._settings.inbox:
            self._room.clear()
        self._filled.set()
        if self._wake is not None:
            self._wake()

    def _change(self, state: State, why: str = "") -> None:
        if self.state is State.CLOSED:
            return
        self.state = state
        # States are told even to one who does not listen, so they may not pile up.
        if self._inbox and isinstance(last := self._inbox[-1], Changed):
            self._inbox.pop()
            why = why or last.why
        self._put(Changed(self.url, state, why))

    # The life of the connection

    async def _run(self) -> None:
        settings = self._settings
        while True:
            self._change(State.CONNECTING)
            try:
                socket = await connect(self.url, settings.socket)
                try:
                    await self._converse(socket)
                finally:
                    self._socket = None
                    socket.abort()
            except SocketClosed as closed:
                why = str(closed)
            except Violation as violation:
                why = f"garbage: {violation}"
            except Exception as problem:
                # A connection that is never made again would look like a relay that is silent.
                why = f"a defect of nostrmcp: {type(problem).__name__}"
            self._lose()
            delay = min(settings.longest_backoff, settings.backoff * 2 ** min(self._failures, 30))
            self._failures += 1
            self._change(State.WAITING, why)
            await self._sleep(delay * (0.5 + self._jitter() / 2))

    def _lose(self) -> None:
        """Events that were sent often enough fail; the others wait for the next connection."""
        for publication in list(self._publications.values()):
            publication.authenticated = False
            if publication.attempts >= self._settings.attempts:
                self._settle(publication, PublishError(self.url, Reason.DISCONNECTED))

    async def _converse(self, socket: Socket) -> None:
        self._challenge = None
        self._challenges = 0
        self._again.clear()
        self._socket = socket
        for name, wanted in self._wanted.items():
            socket.write(relay_frames.Req(name, wanted).dump())
        for publication in self._publications.values():
            self._transmit(publication)
        self._change(State.UP)
        garbage = 0
        while True:
            await self._room.wait()
            data = await socket.receive()
            try:
                frame = relay_frames.parse_relay_frame(data)
            except Violation as violation:
                self.dropped += 1
                # A lax relay passes on what strangers send, and a new NIP adds messages: neither is the relay's fault.
                if violation.error_class is ErrorClass.UNKNOWN_FRAME or data.startswith(b'["EVENT"'):
                    continue
                if (refusal := _nameless_refusal(data, violation)) is not None:
                    self._refused(refusal)
                    continue
                garbage += 1
                if garbage > self._settings.garbage:
                    raise
                continue
            self._failures = 0
            self._heard(frame)

    def _heard(self, frame: relay_frames.RelayFrame) -> None:
        # The first two are nearly all there is, and a comparison of types is the quickest way to tell them.
        if type(frame) is relay_frames.Deliver:
            wanted = self._wanted.get(frame.subscription_id)
            if wanted is None or not filters.matches_any(wanted, frame.event):
                self.dropped += 1
            else:
                self._put(Arrived(self.url, frame.subscription_id, frame.event))
            return
        if type(frame) is relay_frames.Ok:
            self._acknowledged(frame)
            return
        match frame:
            case relay_frames.Eose(name):
                if name in self._wanted:
                    self._put(Caught(self.url, name))
            case relay_frames.Closed(name, text):
                self._ended(name, text, frame.prefix)
            case relay_frames.Notice(text):
                self._put(Noticed(self.url, text))
            case relay_frames.Challenge(challenge):
                self._challenge = challenge
                self._challenges += 1
                if self._challenges <= MAX_CHALLENGES:
                    self._authenticate()

    def _acknowledged(self, ok: relay_frames.Ok) -> None:
        publication = self._publications.get(ok.event_id)
        if publication is None:
            return
        if ok.accepted or ok.prefix is Prefix.DUPLICATE:
            self._settle(publication, None)
        elif ok.prefix is Prefix.AUTH_REQUIRED and self._can_authenticate and not publication.authenticated:
            publication.authenticated = True
            self._transmit(publication)
        else:
            self._settle(publication, PublishError(self.url, Reason.REFUSED, ok.message))

    def _refused(self, text: str) -> None:
        """A refusal that names no event: it is about the only one that waits, or about one of several."""
        if len(self._publications) == 1:
            [publication] = self._publications.values()
            self._settle(publication, PublishError(self.url, Reason.REFUSED, text))
        else:
            self._put(Noticed(self.url, text))

    def _ended(self, name: str, text: str, prefix: Prefix) -> None:
        wanted = self._wanted.get(name)
        if wanted is None:
            return
        if prefix is Prefix.AUTH_REQUIRED and self._can_authenticate and name not in self._again:
            self._again.add(name)
            if self._socket is not None:
                self._socket.write(relay_frames.Req(name, wanted).dump())
        else:
            self._put(Ended(self.url, name, text))

    @property
    def _can_authenticate(self) -> bool:
        return self._key is not None and self._challenge is not None

    def _authenticate(self) -> None:
        """Answer a challenge. What is sent next comes after it, so nobody needs to wait for its OK."""
        if self._key is None or self._challenge is None or self._socket is None:
            return
        unsigned = nip42.build(
            self._key.public_key.x, int(self._clock()), relay=self.url, challenge=self._challenge
        )  # fmt: skip
        event = unsigned.sign(self._key, secrets.token_bytes(32))
        self._socket.write(relay_frames.Authenticate(event).dump())

    def _settle(self, publication: _Publication, error: PublishError | None) -> None:
        """Tell whoever waits. They may publish at once, and so settle others to make room: each is settled once."""
        if self._publications.get(publication.event.id) is not publication:
            return
        del self._publications[publication.event.id]
        for done in publication.done:
            done(error)

    def _fail_all(self, reason: Reason) -> None:
        for publication in list(self._publications.values()):
            self._settle(publication, PublishError(self.url, reason))


def _nameless_refusal(data: bytes, violation: Violation) -> str | None:
    """The text of an OK false whose event id is empty, as a published relay answers what it cannot verify."""
    if violation.error_class is not ErrorClass.MALFORMED_ID:
        return None
    match strict_json.parse(data):
        case ["OK", "", False, str(text)]:
            return text
    return None
