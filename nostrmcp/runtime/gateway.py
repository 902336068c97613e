"""A gateway: MCP servers on this machine, served on Nostr under one key."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from ..mcp.jsonrpc import Message, Notification, Request
from ..nostr import SecretKey, nip09
from ..session import Server
from ..session.actions import Action, Charge, Close, Deliver, Link, Now, Open
from ..session.settings import ServerSettings
from .driving import Defect, Driver, Observer, ignore
from .pool import Pool
from .reports import PublishError
from .state import StateFile
from .stdio import Gone, Peer, Said

# An MCP server that ends soon after its start is started again later and later.
RESTART_AFTER = 0.5
LONGEST_RESTART = 60.0
HEALTHY_AFTER = 10.0
# How long the end waits for relays to take what was said last.
LAST_WORDS = 5.0

Connect = Callable[[Link, Said, Gone], Peer]


class PaymentProcessor(Protocol):
    """Makes invoices and says what became of them. Of `paid` and `unpaid` one is called, once."""

    def charge(
        self, charge: Charge, invoiced: Callable[[str], None], paid: Callable[[], None], unpaid: Callable[[], None]
    ) -> None: ...

    async def close(self) -> None: ...


@dataclass(slots=True, eq=False)
class _Line:
    """The MCP server of a link; while it waits to be started, what was said to it."""

    peer: Peer | None = None
    waiting: list[Message] = field(default_factory=list)
    start: asyncio.TimerHandle | None = None
    started: float = 0.0
    failures: int = 0

    def withdraws(self, message: Message) -> bool:
        """Whether it cancels a request that waits: then neither needs to be said, and clients that ask and cancel
        cannot make what waits grow."""
        if not isinstance(message, Notification) or message.method != "notifications/cancelled":
            return False
        number = (message.params or {}).get("requestId")
        for position, one in enumerate(self.waiting):
            if isinstance(one, Request) and one.id == number:
                del self.waiting[position]
                return True
        return False


class Gateway:
    """The gateway, as an async context manager; `stop` ends it in order.

    `connect` starts the MCP server of a link. `ended` is told when one ends by itself, and why. `state` remembers what
    was taken across restarts; what it knew at the start belongs into the settings, as `done`.
    """

    def __init__(
        self,
        settings: ServerSettings,
        key: SecretKey,
        pool: Pool,
        connect: Connect,
        *,
        processor: PaymentProcessor | None = None,
        observe: Observer = ignore,
        ended: Callable[[Link, str], None] = lambda link, why: None,
        state: StateFile | None = None,
        clock: Callable[[], float] = time.time,
        random: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._key = key
        self._connect = connect
        self._processor = processor
        self._ended = ended
        self._state = state
        self._noted: bytes | None = None
        self._clock = clock
        self._random = random
        self._loop = asyncio.get_running_loop()
        self._lines: dict[Link, _Line] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._task: asyncio.Task[None] | None = None
        self._stopped = False
        self._is_over = asyncio.Event()
        self.server = Server(settings, key, random, Now(int(clock()), self._loop.time()))
        self._driver = Driver(
            self.server,
            pool,
            {Open: self._open, Close: self._close, Deliver: self._deliver, Charge: self._charge},
            observe=observe,
            received=None if state is None else self._note,
            clock=clock,
        )

    async def __aenter__(self) -> Gateway:
        await self._driver.pool.__aenter__()
        self._task = self._loop.create_task(self._driver.run())
        return self

    async def ready(self) -> None:
        """Until a relay listens for us, or the gateway breaks."""
        waiting = asyncio.ensure_future(self._driver.ready.wait())
        try:
            await asyncio.wait({waiting, *([self._task] if self._task else [])}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def wait(self) -> None:
        """Until the gateway is stopped, or breaks: then with the exception that broke it."""
        if self._task is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.shield(self._task)

    async def stop(self, *, withdraw: bool = False) -> list[PublishError]:
        """End in order: subscriptions get their last result, and MCP servers their end of input.

        To withdraw is to ask every relay to delete what was announced; those that did not agree are given.
        """
        if self._stopped:
            await self._is_over.wait()
            return []
        self._stopped = True
        self._driver.hear_no_more()
        try:
            self._driver.tell(self.server.stop)
            failed = await self._withdraw() if withdraw else []
            await self._driver.flush(LAST_WORDS)
        finally:
            await self._end()
        return failed

    async def _end(self) -> None:
        """Whatever happened, no process and no connection is left."""
        try:
            self._driver.close()
            for link in list(self._lines):
                self._close(Close(link))
            await asyncio.gather(*self._closing, return_exceptions=True)
            if self._task is not None:
                self._task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await self._task
            if self._processor is not None:
                await self._processor.close()
            await self._driver.pool.close()
        finally:
            self._is_over.set()

    async def _withdraw(self) -> list[PublishError]:
        addresses = self.server.announcer.addresses
        if not addresses:
            return []
        # A request deletes what is not younger than itself.
        own, unix = self._key.public_key.x, max(int(self._clock()), self.server.announcer.latest)
        request = nip09.build(own, unix, addresses=addresses, kinds=sorted(set(addresses.values())))
        event = request.sign(self._key, self._random(32))
        relays = self._driver.pool.relays
        outcomes = await asyncio.gather(*(relay.publish(event) for relay in relays), return_exceptions=True)
        return [outcome for outcome in outcomes if isinstance(outcome, PublishError)]

    def _note(self) -> None:
        """Write down what was taken before anything is done about it."""
        latest = self.server.gate.seen.latest
        if latest is not None and latest != self._noted and self._state is not None:
            self._noted = latest
            self._state.add(latest)

    # MCP servers

    def _open(self, action: Open) -> None:
        line = self._lines.get(action.link)
        if line is None:
            line = self._lines[action.link] = _Line()
        # The power is bounded, since failures are not.
        delay = min(RESTART_AFTER * 2 ** min(line.failures, 16), LONGEST_RESTART) if line.failures else 0.0
        if delay:
            line.start = self._loop.call_later(delay, self._start, action.link, line)
        else:
            self._start(action.link, line)

    def _start(self, link: Link, line: _Line) -> None:
        line.start = None
        line.started = self._loop.time()
        try:
            peer = line.peer = self._connect(link, partial(self._said, link), partial(self._gone, link))
        except Exception as problem:
            self._driver.report(Defect(problem))
            self._loop.call_soon(self._gone, link, "it cannot be started")
            return
        waiting, line.waiting = line.waiting, []
        for message in waiting:
            peer.send(message)

    def _deliver(self, action: Deliver) -> None:
        line = self._lines.get(action.link) if action.link is not None else None
        if line is None:
            return
        if line.peer is not None:
            line.peer.send(action.message)
        elif not line.withdraws(action.message):
            line.waiting.append(action.message)

    def _said(self, link: Link, message: Message) -> None:
        self._tell(self.server.message, link, message)

    def _gone(self, link: Link, why: str) -> None:
        line = self._lines.get(link)
        if line is None:
            return
        line.peer = None
        healthy = self._loop.time() - line.started >= HEALTHY_AFTER
        line.failures = 1 if healthy else line.failures + 1
        self._ended(link, why)
        if link.client is not None:
            del self._lines[link]
        self._tell(self.server.closed, link)

    def _close(self, action: Close) -> None:
        line = self._lines.pop(action.link, None)
        if line is None:
            return
        if line.start is not None:
            line.start.cancel()
        if line.peer is not None:
            task = self._loop.create_task(line.peer.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    def _tell(self, happened: Callable[..., list[Action]], *what: Any) -> None:
        if not self._stopped:
            self._driver.tell(happened, *what)

    # Payments

    def _charge(self, action: Charge) -> None:
        request, server = action.request, self.server
        if self._processor is None:
            # Without a processor nothing can be sold; the request is refused, not executed.
            self._loop.call_soon(self._tell, server.unpaid, request)
            return
        self._processor.charge(
            action,
            partial(self._tell, server.invoiced, request),
            partial(self._tell, server.paid, request),
            partial(self._tell, server.unpaid, request),
        )
