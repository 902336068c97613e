"""What the tests of the runtime share: keys, events, and waiting for something without guessing how long it takes."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from nostrmcp.nostr import Event, SecretKey, UnsignedEvent
from nostrmcp.runtime.pool import Connected, Pool
from nostrmcp.runtime.relay import Relay
from nostrmcp.runtime.reports import Input

P = ParamSpec("P")
T = TypeVar("T")

ALICE, BOB = SecretKey(bytes([1]) * 32), SecretKey(bytes([2]) * 32)
GUARD = 30.0
NOW = 1_750_000_000


class Clockwork(asyncio.SelectorEventLoop):
    """A loop whose clock a test can put forward, so that what takes a time takes none, and nothing else runs out."""

    skipped = 0.0
    guard: asyncio.Timeout | None = None

    def time(self) -> float:
        return super().time() + self.skipped

    def skip(self, seconds: float) -> None:
        self.skipped += seconds
        if self.guard is not None:
            self.guard.reschedule((self.guard.when() or 0.0) + seconds)


def skip(seconds: float) -> None:
    """Put the clock of the running loop forward."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Clockwork)
    loop.skip(seconds)


def run(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """A test that is a coroutine; GUARD only ends one that hangs."""

    @functools.wraps(test)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> None:
        async def guarded() -> None:
            loop = asyncio.get_running_loop()
            assert isinstance(loop, Clockwork)
            async with asyncio.timeout(GUARD) as loop.guard:
                await test(*args, **kwargs)

        with asyncio.Runner(loop_factory=Clockwork) as runner:
            runner.run(guarded())

    return wrapper


def event(
    content: str = "", kind: int = 1, tags: tuple[tuple[str, ...], ...] = (), at: int = NOW, key: SecretKey = ALICE
) -> Event:
    return UnsignedEvent(key.public_key.x, at, kind, tags, content).sign(key, bytes(32))


async def until(source: Relay | Pool, wanted: Callable[[Any], bool]) -> Input | Connected:
    """The first thing received that is wanted; what comes before is passed over."""
    while not wanted(one := await source.receive()):
        pass
    return one


async def at_once(_: float) -> None:
    """A sleep that takes no time."""
    await asyncio.sleep(0)


class Gate:
    """A sleep that lasts until the test opens it."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self.waiting = asyncio.Event()
        self._open = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.asked.append(seconds)
        self.waiting.set()
        await self._open.wait()

    def open(self) -> None:
        self._open.set()


Sleep = Callable[[float], Awaitable[object]]
