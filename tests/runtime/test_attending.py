"""Who attends is told at once, and of the same things as one who receives."""

from __future__ import annotations

import asyncio

from nostrmcp.nostr import Filter
from nostrmcp.runtime.loopback import LoopbackRelay
from nostrmcp.runtime.pool import Connected, Pool
from nostrmcp.runtime.reports import Arrived, Caught, Changed, Input, State

from .helpers import NOW, event, run, until

LIVE = 20_001


@run
async def test_a_pool_tells_once_what_two_relays_bring() -> None:
    heard: list[Input | Connected] = []
    more = asyncio.Event()

    def hear(one: Input | Connected) -> None:
        heard.append(one)
        more.set()

    async def heard_of(kind: type, count: int) -> None:
        while sum(isinstance(one, kind) for one in heard) < count:
            more.clear()
            await more.wait()

    async with (
        LoopbackRelay(clock=lambda: NOW) as one,
        LoopbackRelay(clock=lambda: NOW) as other,
        Pool([one.url, other.url]) as pool,
    ):
        pool.subscribe("all", Filter(kinds=frozenset({LIVE})))
        pool.attend(hear)
        await heard_of(Caught, 2)
        up = next(number for number, told in enumerate(heard) if told == Connected(True))
        assert isinstance(before := heard[up - 1], Changed) and before.state is State.UP
        sent = [event(f"{number}", kind=LIVE) for number in range(3)]
        for message in sent:
            await pool.publish(message)
        await asyncio.gather(*(relay.publish(sent[-1]) for relay in pool.relays))
        await heard_of(Arrived, 3)
        assert [told.event.content for told in heard if isinstance(told, Arrived)] == ["0", "1", "2"]

        pool.attend(None)
        count = len(heard)
        last = event("received", kind=LIVE)
        await pool.publish(last)
        told = await until(pool, lambda told: isinstance(told, Arrived))
        assert isinstance(told, Arrived) and told.event == last
        assert len(heard) == count


@run
async def test_what_waited_is_told_first() -> None:
    async with LoopbackRelay(clock=lambda: NOW) as loopback, Pool([loopback.url]) as pool:
        pool.subscribe("all", Filter(kinds=frozenset({LIVE})))
        await until(pool, lambda told: isinstance(told, Caught))
        await pool.publish(event("waits", kind=LIVE))
        heard: list[Input | Connected] = []
        pool.attend(heard.append)
        assert [told.event.content for told in heard if isinstance(told, Arrived)] == ["waits"]
