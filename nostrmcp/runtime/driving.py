"""Between a session and the world: what the session asks for is done, and what happens is told to it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Protocol

from ..nostr import Event, Filter
from ..session.actions import Action, Drop, Notice, Now, Publish, Subscribe, Unsubscribe, Wake
from .pool import AllRefused, Connected, Pool
from .reports import Arrived, Caught, Changed, Ended, Noticed

# A relay that ended a subscription is asked again after so many seconds: it may have had no room.
ASK_AGAIN = 30.0

Observed = Drop | Notice | Changed | Ended | Noticed | AllRefused
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
    led to is done; `observe` sees what went no further, and what relays do.
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
            Drop: observe,
            Notice: observe,
            **perform,
        }

    def now(self) -> Now:
        return Now(int(self._clock()), self._loop.time())

    def do(self, actions: Iterable[Action]) -> None:
        """Carry out what the machine asks for, in order."""
        perform = self._perform
        for action in actions:
            perform[type(action)](action)

    async def run(self) -> None:
        """Start the machine, and tell it what relays bring, until cancelled."""
        machine, receive = self.machine, self.pool.receive
        self.do(machine.start(self.now()))
        while True:
            one = await receive()
            if type(one) is Arrived:
                actions = machine.receive(one.event, self.now())
                if self._received is not None:
                    self._received()
                self.do(actions)
            elif type(one) is Connected:
                if self._connection is not None:
                    self._connection(one.up)
            elif type(one) is Caught:
                self.ready.set()
            else:
                self._heard(one)

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
            self.observe(refused)
            text = refused.errors[0].text if refused.errors else ""
        self.do(self.machine.published(event_id, refused is None, text, self.now()))

    def _subscribe(self, action: Subscribe) -> None:
        self._wanted[action.name] = action.filters
        self.pool.subscribe(action.name, *action.filters)

    def _unsubscribe(self, action: Unsubscribe) -> None:
        self._wanted.pop(action.name, None)
        self.pool.unsubscribe(action.name)

    def _set_alarm(self, action: Wake) -> None:
        if self._wake is not None:
            self._wake.cancel()
        self._wake = self._loop.call_at(action.at, self._tick)

    def _tick(self) -> None:
        self._wake = None
        self.do(self.machine.tick(self.now()))

    # What relays say besides events

    def _heard(self, one: Any) -> None:
        self.observe(one)
        if type(one) is Ended and one.subscription in self._wanted:
            self._loop.call_later(ASK_AGAIN, self._ask_again, one)

    def _ask_again(self, ended: Ended) -> None:
        wanted = self._wanted.get(ended.subscription)
        for relay in self.pool.relays:
            if relay.url == ended.relay and wanted is not None:
                relay.subscribe(ended.subscription, *wanted)
