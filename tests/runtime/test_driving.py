"""The driver alone: a machine that a test scripts, and a pool without relays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from nostrmcp.nostr import Event, Filter, Violation
from nostrmcp.runtime import driving
from nostrmcp.runtime.driving import Defect, Driver
from nostrmcp.runtime.pool import AllRefused, Connected
from nostrmcp.runtime.reports import Arrived, Caught, Changed, Ended, Noticed, PublishError, Reason, State
from nostrmcp.session.actions import Action, Deliver, Drop, Notice, Now, Publish, Subscribe, Unsubscribe, Wake
from nostrmcp.session.errors import ErrorClass

from .helpers import NOW, event, run

WANTED = (Filter(kinds=frozenset({1})),)
RELAY = "ws://127.0.0.1:1"
FAULT = Violation(ErrorClass.UNEXPECTED, "event", "a test says so")


class Script:
    """A machine that writes down what it is told, and asks for what the test has put on its list."""

    def __init__(self) -> None:
        self.told: asyncio.Queue[tuple[Any, ...]] = asyncio.Queue()
        self.asks: dict[str, list[Action]] = {}

    def _heard(self, what: str, *details: Any) -> list[Action]:
        self.told.put_nowait((what, *details))
        return self.asks.get(what, [])

    def start(self, now: Now) -> list[Action]:
        return self._heard("start", now.unix)

    def receive(self, event: Event, now: Now) -> list[Action]:
        return self._heard("receive", event)

    def published(self, event_id: bytes, accepted: bool, text: str, now: Now) -> list[Action]:
        return self._heard("published", event_id, accepted, text)

    def tick(self, now: Now) -> list[Action]:
        return self._heard("tick")

    async def next(self) -> tuple[Any, ...]:
        return await self.told.get()


class FakeRelay:
    def __init__(self, pool: FakePool, url: str) -> None:
        self.pool, self.url = pool, url

    def subscribe(self, name: str, *wanted: Filter) -> None:
        self.pool.did.put_nowait(("subscribe at", self.url, name, wanted))


class FakePool:
    """What the driver did with it, and what it is to receive."""

    def __init__(self) -> None:
        self.did: asyncio.Queue[tuple[Any, ...]] = asyncio.Queue()
        self.bring: Callable[[Any], None] | None = None
        self.offers: dict[bytes, Callable[[AllRefused | None], None]] = {}
        self.relays = (FakeRelay(self, "ws://127.0.0.1:9"), FakeRelay(self, RELAY))

    def subscribe(self, name: str, *wanted: Filter) -> None:
        self.did.put_nowait(("subscribe", name, wanted))

    def unsubscribe(self, name: str) -> None:
        self.did.put_nowait(("unsubscribe", name))

    def offer(self, event: Event, done: Callable[[AllRefused | None], None]) -> None:
        self.did.put_nowait(("offer", event))
        self.offers[event.id] = done

    def attend(self, hear: Callable[[Any], None] | None) -> None:
        self.bring = hear


class World:
    def __init__(self, **options: Any) -> None:
        self.machine, self.pool = Script(), FakePool()
        self.observed: list[Any] = []
        self.delivered: list[Any] = []
        pool: Any = self.pool
        self.bring: Callable[[Any], None]
        perform = {Deliver: lambda action: self.delivered.append(action.message)}
        self.driver = Driver(
            self.machine, pool, perform, observe=self.observed.append, clock=lambda: NOW + 0.9, **options
        )


@asynccontextmanager
async def world(**options: Any) -> AsyncIterator[World]:
    it = World(**options)
    running = asyncio.ensure_future(it.driver.run())
    try:
        assert await it.machine.next() == ("start", NOW)
        assert it.pool.bring is not None
        it.bring = it.pool.bring
        yield it
    finally:
        it.driver.close()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        assert it.pool.bring is None


@run
async def test_actions_are_done_in_order() -> None:
    one = event("one")
    async with world() as it:
        actions = [Subscribe("s", WANTED), Publish(one), Unsubscribe("s"), Drop(one.id, FAULT), Notice(None, FAULT)]
        it.driver.do(actions)
        assert [it.pool.did.get_nowait() for _ in range(3)] == [
            ("subscribe", "s", WANTED),
            ("offer", one),
            ("unsubscribe", "s"),
        ]
        assert it.observed == [Drop(one.id, FAULT), Notice(None, FAULT)]


@run
async def test_what_relays_bring_is_told_and_what_follows_is_done() -> None:
    one, two = event("one"), event("two")
    up: list[bool] = []
    async with world(connection=up.append) as it:
        it.machine.asks["receive"] = [Publish(two)]
        it.bring(Connected(True))
        it.bring(Arrived(RELAY, "s", one))
        assert await it.machine.next() == ("receive", one)
        assert it.pool.did.get_nowait() == ("offer", two)
        assert up == [True] and not it.driver.ready.is_set()
        it.bring(Caught(RELAY, "s"))
        await it.driver.ready.wait()
        it.bring(Connected(False))
        it.bring(Noticed(RELAY, "a word"))
        it.bring(Changed(RELAY, State.WAITING, "gone"))
        it.bring(Arrived(RELAY, "s", two))
        assert await it.machine.next() == ("receive", two)
        assert up == [True, False]
        assert it.observed == [Noticed(RELAY, "a word"), Changed(RELAY, State.WAITING, "gone")]


@run
async def test_what_was_taken_is_noted_before_anything_is_done_about_it() -> None:
    seen: list[int] = []
    async with world(received=lambda: seen.append(it.pool.did.qsize())) as it:
        it.machine.asks["receive"] = [Publish(event("two"))]
        it.bring(Arrived(RELAY, "s", event("one")))
        await it.machine.next()
        assert seen == [0] and it.pool.did.qsize() == 1


@run
async def test_the_outcome_of_a_publication_is_told() -> None:
    one, two, three = event("one"), event("two"), event("three")
    silent, spoken = PublishError("ws://b", Reason.TIMED_OUT), PublishError(RELAY, Reason.REFUSED, "blocked: no")
    refused = AllRefused((silent, spoken))
    async with world() as it:
        it.driver.do([Publish(one), Publish(two), Publish(three)])
        it.pool.offers[one.id](None)
        assert await it.machine.next() == ("published", one.id, True, "")
        it.pool.offers[two.id](refused)
        assert await it.machine.next() == ("published", two.id, False, "blocked: no")
        it.pool.offers[three.id](AllRefused(()))
        assert await it.machine.next() == ("published", three.id, False, "")
        assert [type(one) for one in it.observed] == [AllRefused, AllRefused]


@run
async def test_flush_waits_for_every_publication() -> None:
    one, two = event("one"), event("two")
    async with world() as it:
        assert await it.driver.flush(0) is True
        it.driver.do([Publish(one), Publish(two)])
        flushed = asyncio.ensure_future(it.driver.flush(30))
        it.pool.offers[one.id](None)
        await asyncio.sleep(0)
        assert not flushed.done()
        it.pool.offers[two.id](None)
        assert await flushed is True
        it.driver.do([Publish(one)])
        assert await it.driver.flush(0) is False


@run
async def test_it_wakes_at_the_earliest_of_what_was_set() -> None:
    async with world() as it:
        soon, late = it.driver.now().monotonic, it.driver.now().monotonic + 1000
        # What is set while an action is done comes before the Wake of the action itself.
        it.driver.do([Wake(soon), Wake(late)])
        assert await it.machine.next() == ("tick",)
        it.driver.do([Wake(late), Wake(soon)])
        assert await it.machine.next() == ("tick",)
        it.machine.asks["tick"] = [Wake(late)]
        it.driver.do([Wake(soon)])
        assert await it.machine.next() == ("tick",)
        assert it.driver._wake is not None and it.driver._wake.when() == late


@run
async def test_a_defect_in_a_tick_does_not_stop_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driving, "TICK_AGAIN", 0)
    async with world() as it:

        def broken(now: Now) -> list[Action]:
            del it.machine.tick  # type: ignore[method-assign]
            raise KeyError("a stranger's word")

        it.machine.tick = broken  # type: ignore[method-assign]
        it.driver.do([Wake(it.driver.now().monotonic)])
        assert await it.machine.next() == ("tick",)
        [defect] = it.observed
        assert isinstance(defect, Defect) and "KeyError in test_driving.py" in str(defect)
        assert "stranger" not in str(defect)


@run
async def test_a_relay_that_ends_a_subscription_is_asked_again_while_it_is_wanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(driving, "ASK_AGAIN", 0)
    async with world() as it:
        it.driver.do([Subscribe("s", WANTED), Subscribe("t", WANTED)])
        assert (it.pool.did.get_nowait()[1], it.pool.did.get_nowait()[1]) == ("s", "t")
        it.bring(Ended(RELAY, "unknown", "error: what?"))
        it.bring(Ended(RELAY, "t", "error: full"))
        it.bring(Ended(RELAY, "s", "error: full"))
        it.bring(Arrived(RELAY, "s", event("one")))
        await it.machine.next()
        it.driver.do([Unsubscribe("t")])
        assert await it.pool.did.get() == ("unsubscribe", "t")
        assert await it.pool.did.get() == ("subscribe at", RELAY, "s", WANTED)
        await asyncio.sleep(0)
        assert it.pool.did.empty()


@run
async def test_one_that_hears_no_more_takes_nothing_new() -> None:
    async with world() as it:
        it.driver.hear_no_more()
        it.bring(Arrived(RELAY, "s", event("one")))
        it.bring(Caught(RELAY, "s"))
        await it.driver.ready.wait()
        assert it.machine.told.empty()
