"""Between a session and the world: what the session asks for is done, and what happens is told to it."""

from __future__ import annotations

import asyncio
import contextlib
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import Any, Protocol

from ..nostr import Event, Filter
from ..session.actions import Action, Drop, Notice, Now, Publish, Subscribe, Unsubscribe, Wake
from .pool import AllRefused, Connected, Pool
from .reports import Arrived, Caught, Changed, Ended, Input, Noticed

# A relay that ended a subscription is asked again after so many seconds: it may have had no room.
ASK_AGAIN = 30.0

# After a defect in what was due at some time, what else is due is looked at again so many seconds later.
TICK_AGAIN = 1.0


@dataclass(frozen=True, slots=True)
class Defect:
    """A fault of our own. What led to it goes no further, and everything else goes on: a stranger who has found one
    must not be able to end the program. Neither the message nor values are told: they may be strangers' or secret."""

    problem: Exception

    def __str__(self) -> str:
        frames = traceback.extract_tb(self.problem.__traceback__)
        where = f" in {PurePath(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
        return f"a defect of nostrmcp: {type(self.problem).__name__}{where}; what led to it goes no further"


Observed = Defect | Drop | Notice | Changed | Ended | Noticed | AllRefused
Observer = Callable[[Observed], None]


def ignore(_: Observed) -> None:
    """An observer that wants to know nothing."""


class Machine(Protocol):
    """What a client and a server of `session/` have in common."""

    def start(self, now: Now) -> list[Action]: ...
    def receive(self, event: Event, now: Now) -> list[Action]: ...
    def published(self, event_id: bytes, accepted: bool, text: str, now: Now) -> list[Action]: ...
    def tick(self, now: Now) -> list[Action]: ...


class Driver:
    """Drives one machine over a pool of relays.

    `perform` says what to do with the actions that are not about relays and time; `connection` is told when the first
    relay is there and when the last is gone; `received` after the machine took an event and before anything that it
    led to is done: what it raises ends `run`. `observe` sees what went no further, and what relays do.

    Everything that happens is told to the machine through `tell`, so that nothing it raises reaches whoever brought it.
    """

    def __init__(
        self,
        machine: Machine,
        pool: Pool,
        perform: Mapping[type, Callable[[Any], None]],
        *,
        observe: Observer = ignore,
        connection: Callable[[bool], None] | None = None,
        received: Callable[[], None] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.machine = machine
        self.pool = pool
        self.observe = observe
        self._connection = connection
        self._received = received
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._wanted: dict[str, tuple[Filter, ...]] = {}
        self._wake: asyncio.TimerHandle | None = None
        self._again: set[tuple[str, str]] = set()
        self._is_deaf = False
        self._is_over = False
        self._broken: asyncio.Future[None] = self._loop.create_future()
        self._outstanding = 0
        self._settled = asyncio.Event()
        self._settled.set()
        # Set once a relay has confirmed what was subscribed first.
        self.ready = asyncio.Event()
        self._perform: dict[type, Callable[[Any], None]] = {
            Publish: self._publish,
            Subscribe: self._subscribe,
            Unsubscribe: self._unsubscribe,
            Wake: self._set_alarm,
            Drop: self.report,
            Notice: self.report,
            **perform,
        }

    def now(self) -> Now:
        return Now(int(self._clock()), self._loop.time())

    def tell(self, happened: Callable[..., list[Action]], *what: Any) -> bool:
        """Tell the machine what has happened, and do what it asks for; False where that was a defect."""
        try:
            actions = happened(*what, self.now())
        except Exception as problem:
            self.report(Defect(problem))
            return False
        self.do(actions)
        return True

    def do(self, actions: Iterable[Action]) -> None:
        """Carry out what the machine asks for, in order; a defect in one thing keeps no other from being done."""
        perform = self._perform
        for action in actions:
            try:
                perform[type(action)](action)
            except Exception as problem:
                self.report(Defect(problem))

    async def run(self) -> None:
        """Start the machine, and tell it what relays bring, until cancelled."""
        self.do(self.machine.start(self.now()))
        self.pool.attend(self._hear)
        try:
            await self._broken
        finally:
            self.pool.attend(None)

    def _hear(self, one: Input | Connected) -> None:
        try:
            if type(one) is Arrived:
                self._arrived(one.event)
            elif type(one) is Connected:
                if self._connection is not None:
                    self._connection(one.up)
            elif type(one) is Caught:
                self.ready.set()
            else:
                self._heard(one)
        except Exception as problem:
            if not self._broken.done():
                self._broken.set_exception(problem)

    def _arrived(self, event: Event) -> None:
        if self._is_deaf:
            return
        try:
            actions = self.machine.receive(event, self.now())
        except Exception as problem:
            self.report(Defect(problem))
            return
        if self._received is not None:
            self._received()
        self.do(actions)

    def hear_no_more(self) -> None:
        """Take nothing new from relays: what is begun now could not be finished."""
        self._is_deaf = True

    async def flush(self, seconds: float) -> bool:
        """Wait until relays have spoken about everything that was published; False if that takes too long."""
        try:
            async with asyncio.timeout(seconds):
                await self._settled.wait()
        except TimeoutError:
            return False
        return True

    def close(self) -> None:
        """Nothing more is to be done at any time."""
        self._is_over = True
        if self._wake is not None:
            self._wake.cancel()

    # Actions

    def _publish(self, action: Publish) -> None:
        self._outstanding += 1
        self._settled.clear()
        self.pool.offer(action.event, partial(self._published, action.event.id))

    def _published(self, event_id: bytes, refused: AllRefused | None) -> None:
        self._outstanding -= 1
        if not self._outstanding:
            self._settled.set()
        text = ""
        if refused is not None:
            if not self._is_over:  # else it was refused because the connections end
                self.report(refused)
            # Of several relays some may only have been silent: what counts is the word of one that spoke.
            text = next((error.text for error in refused.errors if error.text), "")
        self.tell(self.machine.published, event_id, refused is None, text)

    def _subscribe(self, action: Subscribe) -> None:
        self._wanted[action.name] = action.filters
        self.pool.subscribe(action.name, *action.filters)

    def _unsubscribe(self, action: Unsubscribe) -> None:
        self._wanted.pop(action.name, None)
        self.pool.unsubscribe(action.name)

    def _set_alarm(self, action: Wake) -> None:
        """The earlier of two counts: an MCP server in this process may have answered, and so set one, before we come
        to the Wake of what it was asked. A tick too many does no harm."""
        if self._wake is not None:
            if self._wake.when() <= action.at:
                return
            self._wake.cancel()
        self._wake = self._loop.call_at(action.at, self._tick)

    def _tick(self) -> None:
        self._wake = None
        if not self.tell(self.machine.tick) and self._wake is None:
            self._wake = self._loop.call_later(TICK_AGAIN, self._tick)

    # What relays say besides events

    def report(self, one: Observed) -> None:
        """Tell whoever observes. That may fail, too, and then there is nobody left to tell."""
        with contextlib.suppress(Exception):
            self.observe(one)

    def _heard(self, one: Any) -> None:
        self.report(one)
        if type(one) is Ended and one.subscription in self._wanted:
            key = (one.relay, one.subscription)
            if key not in self._again:
                self._again.add(key)
                self._loop.call_later(ASK_AGAIN, self._ask_again, *key)

    def _ask_again(self, url: str, subscription: str) -> None:
        self._again.discard((url, subscription))
        wanted = self._wanted.get(subscription)
        for relay in self.pool.relays:
            if relay.url == url and wanted is not None:
                relay.subscribe(subscription, *wanted)
