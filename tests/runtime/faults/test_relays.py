"""Relays that die, come back, lag, repeat and lie, with a call under way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from nostrmcp.nostr import Event
from nostrmcp.revisions import REVISIONS
from nostrmcp.runtime import driving
from nostrmcp.runtime.client import Refused
from nostrmcp.runtime.loopback import LoopbackRelay
from nostrmcp.runtime.loopback_faults import Fault, FaultName, corrupted, parse
from nostrmcp.session.actions import Drop
from nostrmcp.session.settings import Encryption

from ..helpers import GUARD, Gate, run
from .world import VERSION, Backend, Watch, Wire, call, client_of, pass_time, server_settings, serving

FORMS = [
    ("contextvm", Encryption.DISABLED),
    ("contextvm", Encryption.REQUIRED),
    ("dvmcp-rev1", Encryption.DISABLED),
    ("ctxvm-draft", Encryption.REQUIRED),
]


def is_question(direction: str, frame: bytes) -> bool:
    return direction == "in" and frame.startswith(b'["REQ"')


@pytest.mark.parametrize(("revision", "encryption"), FORMS)
@run
async def test_a_relay_killed_and_restarted_mid_call(revision: str, encryption: Encryption) -> None:
    """The answer is published when the relay is back, and the client, which came back first, gets it."""
    backend, wire = Backend(), Wire()
    ours, theirs = Gate(), Gate()
    relay = LoopbackRelay(record=wire.record)
    await relay.start()
    settings = server_settings(revision, encryption=encryption)
    async with (
        serving([relay.url], backend, settings, pool={"sleep": ours.sleep}),
        client_of(
            [relay.url], revision=revision, encryption=encryption, pool={"sleep": theirs.sleep}
        ) as client,
    ):  # fmt: skip
        calling = asyncio.create_task(call(client, "mid", "hold"))
        await backend.executed("mid")
        await relay.kill()
        await ours.waiting.wait()
        await theirs.waiting.wait()
        backend.let_go()
        wire.frames.clear()
        await relay.start()
        theirs.open()
        await wire.until(is_question)
        ours.open()
        assert await calling == "mid"
        assert await call(client, "after") == "after"
    await relay.close()
    assert backend.marks == ["mid", "after"]


@run
async def test_an_answer_that_was_lost_with_its_relay_is_a_timeout_by_name_and_the_next_call_works() -> None:
    """An ephemeral answer that nobody heard is gone: a relay keeps none. The call ends all the same, and once."""
    backend = Backend()
    async with LoopbackRelay() as relay, serving([relay.url], backend) as gateway, client_of([relay.url]) as client:
        calling = asyncio.create_task(call(client, "lost", "hold"))
        await backend.executed("lost")
        relay.faults.add(Fault(FaultName.DROP))
        backend.let_go()
        assert await gateway._driver.flush(GUARD)
        relay.faults.clear()
        pass_time(client, 61)
        with pytest.raises(Refused) as refused:
            await calling
        assert refused.value.error.data == {"reason": "timed_out"}
        assert await call(client, "next") == "next"
    assert backend.marks == ["lost", "next"]


@run
async def test_a_request_sent_again_after_a_loss_is_executed_once() -> None:
    """The relay takes the request, passes it on, and is cut before its OK: the client sends it again."""
    backend, wire = Backend(), Wire()
    async with LoopbackRelay(record=wire.record) as relay, serving([relay.url], backend):
        gate = Gate()
        gate.open()
        async with client_of([relay.url], pool={"sleep": gate.sleep}) as client:
            relay.faults.add(Fault(FaultName.NO_OK))
            calling = asyncio.create_task(call(client, "twice", "hold"))
            await backend.executed("twice")
            relay.faults.clear()
            wire.frames.clear()
            relay.cut()
            await wire.until(lambda direction, frame: direction == "in" and b"twice" in frame)
            backend.let_go()
            assert await calling == "twice"
    assert backend.marks == ["twice"]


@run
async def test_one_relay_of_two_dies_mid_call() -> None:
    backend = Backend()
    gate = Gate()
    async with LoopbackRelay() as steady:
        doomed = LoopbackRelay()
        await doomed.start()
        urls = [doomed.url, steady.url]
        async with (
            serving(urls, backend, pool={"sleep": gate.sleep}),
            client_of(urls, pool={"sleep": gate.sleep}) as client,
        ):
            calling = asyncio.create_task(call(client, "mid", "hold"))
            await backend.executed("mid")
            await doomed.kill()
            backend.let_go()
            assert await calling == "mid"
            for number in range(5):
                assert await call(client, f"after {number}") == f"after {number}"
    backend.assert_nothing_twice()
    assert len(backend.marks) == 6


@run
async def test_one_relay_of_two_was_never_there() -> None:
    backend = Backend()
    gate = Gate()
    async with LoopbackRelay() as gone:
        absent = gone.url
    async with LoopbackRelay() as steady:
        urls = [absent, steady.url]
        async with (
            serving(urls, backend, pool={"sleep": gate.sleep}),
            client_of(urls, pool={"sleep": gate.sleep}) as client,
        ):
            assert await call(client, "one") == "one"
    assert backend.marks == ["one"]


@run
async def test_one_relay_of_two_lags() -> None:
    """It gives everything when all is over: nobody waited for it, and nothing is executed again."""
    backend, watch = Backend(), Watch()
    late: list[Callable[[], None]] = []
    lagging = LoopbackRelay(faults=[parse("delay=1")], later=lambda seconds, go: late.append(go))
    async with LoopbackRelay() as steady, lagging:
        urls = [lagging.url, steady.url]
        async with serving(urls, backend, observe=watch), client_of(urls) as client:
            marks = [f"{number}" for number in range(10)]
            assert await asyncio.gather(*(call(client, mark) for mark in marks)) == marks
            for go in late:
                go()
            assert await call(client, "last") == "last"
    assert sorted(backend.marks) == sorted([*marks, "last"])
    # initialize, initialized and the calls, of which the pool let no copy through: it compares them whole.
    assert watch.drops() == {}
    assert len(late) >= 24


@run
async def test_one_relay_of_two_repeats_everything() -> None:
    backend = Backend()
    repeating = LoopbackRelay(faults=[parse("duplicate"), parse("replay")])
    async with LoopbackRelay() as steady, repeating:
        urls = [repeating.url, steady.url]
        async with serving(urls, backend), client_of(urls) as client:
            marks = [f"{number}" for number in range(20)]
            assert await asyncio.gather(*(call(client, mark) for mark in marks)) == marks
    assert sorted(backend.marks) == sorted(marks)


@pytest.mark.parametrize("encryption", [Encryption.DISABLED, Encryption.REQUIRED])
@run
async def test_one_relay_of_two_lies(encryption: Encryption) -> None:
    """It changes signatures and contents under the ids of others, before the true copies come: none is believed."""
    backend, watch = Backend(), Watch()
    lying = LoopbackRelay(faults=[parse("corrupt"), parse("ignore-filters")])
    async with LoopbackRelay() as steady, lying:
        urls = [lying.url, steady.url]
        settings = server_settings(encryption=encryption)
        async with (
            serving(urls, backend, settings, observe=watch),
            client_of(urls, encryption=encryption) as client,
        ):
            marks = [f"{number}" for number in range(10)]
            assert await asyncio.gather(*(call(client, mark) for mark in marks)) == marks
            forged = [replace(corrupted(event), content="{}") for event in _requests(steady)]
            lying.inject(*forged)
            assert await call(client, "last") == "last"
    backend.assert_nothing_twice()
    assert len(backend.marks) == 11
    assert set(watch.drops()) <= {"invalid_signature", "id_mismatch", "repeated"}
    assert watch.drops()["invalid_signature"] > 0


def _requests(relay: LoopbackRelay) -> list[Event]:
    return list(relay._store._events.values())


@run
async def test_a_relay_that_lies_alone_can_only_be_silent() -> None:
    """With no honest relay nothing gets through, nothing is executed, and the client is told."""
    backend, watch = Backend(), Watch()
    async with (
        LoopbackRelay(faults=[parse("corrupt")]) as lying,
        serving([lying.url], backend, observe=watch),
        client_of([lying.url], greet=False) as client,
    ):
        greeting = asyncio.create_task(client.initialize(VERSION))
        await watch.until(lambda one: isinstance(one, Drop))
        pass_time(client, 61)
        with pytest.raises(Refused) as refused:
            await greeting
        assert refused.value.error.data == {"reason": "timed_out"}
    assert backend.marks == []
    assert [getattr(one, "method", "") for one in backend.heard] == ["initialize", "notifications/initialized"]
    assert set(watch.drops()) == {"invalid_signature"}


@run
async def test_a_relay_that_ends_subscriptions_without_end_is_asked_again_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it says CLOSED, one question waits for later."""
    monkeypatch.setattr(driving, "ASK_AGAIN", 0)
    backend, watch, wire = Backend(), Watch(), Wire()
    async with LoopbackRelay(record=wire.record) as relay, serving([relay.url], backend, observe=watch):
        wire.frames.clear()
        for visitor in relay._visitors:
            for _ in range(100):
                relay._say(visitor, b'["CLOSED","server","error: no"]')
        await watch.until(lambda one: type(one).__name__ == "Ended", 100)
        await wire.until(is_question)
        async with client_of([relay.url]) as client:
            assert await call(client, "still") == "still"
        # One for each time that something of it was read, and one of the client.
        assert sum(is_question(*one) for one in wire.frames) < 10


def test_every_form_is_of_a_revision_that_has_it() -> None:
    for revision, encryption in FORMS:
        assert REVISIONS[revision].kinds.wraps or encryption is Encryption.DISABLED
