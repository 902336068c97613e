"""A defect of our own: it is told by name, what led to it goes no further, and everything else goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from nostrmcp.mcp.jsonrpc import ErrorCode, Request
from nostrmcp.runtime.client import NostrClient, Refused
from nostrmcp.runtime.driving import Defect, Observed
from nostrmcp.runtime.loopback import LoopbackRelay
from nostrmcp.runtime.stdio import Gone, Peer, Said
from nostrmcp.session.actions import Link

from ..helpers import at_once, run
from .world import Backend, Watch, Wire, call, client_of, pass_time, restart_at_once, serving

SECRET = "a stranger's word, or a secret"


def once(function: Callable[..., Any], wanted: Callable[..., bool]) -> Callable[..., Any]:
    """The function, but for one call of those that are wanted, which is a defect."""
    done = [False]

    def failing(*given: Any, **more: Any) -> Any:
        if not done[0] and wanted(*given):
            done[0] = True
            raise KeyError(SECRET)
        return function(*given, **more)

    return failing


def always(*_: object) -> bool:
    return True


async def the_rest_works(client: NostrClient, backend: Backend) -> None:
    for number in range(3):
        assert await call(client, f"after {number}") == f"after {number}"
    backend.assert_nothing_twice()


def is_defect(one: Observed) -> bool:
    return isinstance(one, Defect)


def assert_told(watch: Watch) -> None:
    [told] = watch.defects()
    assert told.startswith("a defect of nostrmcp: KeyError in test_defects.py, line ")
    assert told.endswith("; what led to it goes no further") and SECRET not in told


@pytest.mark.parametrize("method", ["receive", "message", "published", "tick"])
@run
async def test_in_the_gateways_session(method: str) -> None:
    backend, watch = Backend(), Watch()
    async with LoopbackRelay() as relay, serving([relay.url], backend, observe=watch) as gateway:
        async with client_of([relay.url]) as client:
            assert await call(client, "before") == "before"
            setattr(gateway.server, method, once(getattr(gateway.server, method), always))
            gateway._driver.machine = gateway.server
            asking = asyncio.create_task(call(client, "hit"))
            if method == "tick":
                gateway._driver._tick()
                # What was due is looked at again soon, though nothing else may happen.
                assert gateway._driver._wake is not None
            await watch.until(is_defect)
            assert_told(watch)
            await the_rest_works(client, backend)
            asking.cancel()
        assert gateway._task is not None and not gateway._task.done()
    assert backend.marks.count("hit") == (0 if method == "receive" else 1)


@run
async def test_in_the_clients_session() -> None:
    """The answer that hits it is lost, and its call ends in time; the next is answered."""
    backend, watch = Backend(), Watch()
    async with (
        LoopbackRelay() as relay,
        serving([relay.url], backend),
        client_of([relay.url], observe=watch) as client,
    ):
        assert await call(client, "before") == "before"
        client.client.receive = once(client.client.receive, always)  # type: ignore[method-assign]
        asking = asyncio.create_task(call(client, "hit"))
        await watch.until(is_defect)
        assert_told(watch)
        await the_rest_works(client, backend)
        pass_time(client, 61)
        with pytest.raises(Refused):
            await asking


@run
async def test_in_what_the_local_client_says() -> None:
    """Whoever asked is told at once."""
    backend, watch = Backend(), Watch()
    async with (
        LoopbackRelay() as relay,
        serving([relay.url], backend),
        client_of([relay.url], observe=watch) as client,
    ):
        client.client.message = once(client.client.message, always)  # type: ignore[method-assign]
        with pytest.raises(Refused) as refused:
            await call(client, "hit")
        error = refused.value.error
        assert (error.code, error.message) == (ErrorCode.INTERNAL_ERROR, "a defect of nostrmcp")
        assert_told(watch)
        await the_rest_works(client, backend)


@run
async def test_in_who_is_told_what_the_server_says() -> None:
    """A program that uses the client raises: the connection goes on."""
    backend, watch = Backend(), Watch()
    heard: list[object] = []

    def said(message: object) -> None:
        heard.append(message)
        raise KeyError(SECRET)

    async with (
        LoopbackRelay() as relay,
        serving([relay.url], backend),
        client_of([relay.url], observe=watch, said=said) as client,
    ):
        client.send(Request("own", "ping"))
        await watch.until(is_defect)
        assert_told(watch)
        assert len(heard) == 1
        await the_rest_works(client, backend)


@run
async def test_in_an_observer() -> None:
    backend, wire = Backend(), Wire()

    def observe(_: Observed) -> None:
        raise KeyError(SECRET)

    async with (
        LoopbackRelay(record=wire.record) as relay,
        serving([relay.url], backend, observe=observe, pool={"sleep": at_once}),
        client_of([relay.url], observe=observe, pool={"sleep": at_once}) as client,
    ):
        wire.frames.clear()
        relay.cut()
        await wire.until(lambda direction, frame: frame.startswith(b'["EOSE"'), 2)
        await the_rest_works(client, backend)


@run
async def test_in_the_start_of_a_server() -> None:
    """It is as if the server had ended: it is started again later, and clients are told."""
    backend, watch = Backend(), Watch()
    ended: list[str] = []

    def connect(link: Link, said: Said, gone: Gone) -> Peer:
        return start(link, said, gone)  # type: ignore[no-any-return]

    start = once(backend.connect, always)
    async with (
        LoopbackRelay() as relay,
        serving(
            [relay.url], backend, observe=watch, connect=connect, ended=lambda link, why: ended.append(why)
        ) as gateway,
    ):  # fmt: skip
        await watch.until(is_defect)
        assert_told(watch)
        while not ended:
            await asyncio.sleep(0)
        assert ended == ["it cannot be started"]
        restart_at_once(gateway)
        async with client_of([relay.url]) as client:
            await the_rest_works(client, backend)


@run
async def test_in_a_server_in_this_process_that_raises() -> None:
    backend, watch = Backend(), Watch()
    async with LoopbackRelay() as relay, serving([relay.url], backend, observe=watch), client_of([relay.url]) as client:
        backend.take = once(backend.take, always)  # type: ignore[method-assign]
        asking = asyncio.create_task(call(client, "hit"))
        await watch.until(is_defect)
        assert_told(watch)
        await the_rest_works(client, backend)
        asking.cancel()


@run
async def test_a_gateway_that_breaks_says_so_to_whoever_waits() -> None:
    """What was taken cannot be written down: nothing more may be done, so it ends, and not silently."""
    backend = Backend()

    class Full:
        def add(self, event_id: bytes) -> None:
            raise OSError(28, "No space left on device")

    state: Any = Full()
    async with LoopbackRelay() as relay, serving([relay.url], backend, state=state) as gateway:
        async with client_of([relay.url], greet=False) as client:
            client.send(Request(1, "tools/call", {"name": "tell", "arguments": {"mark": "never"}}))
            with pytest.raises(OSError, match="No space left"):
                await gateway.wait()
        await gateway.ready()
    assert backend.marks == []
    assert backend.closed == [Link("mcp")]


@run
async def test_a_stop_that_fails_in_the_middle_still_ends_processes_and_connections() -> None:
    backend, watch = Backend(), Watch()
    async with LoopbackRelay() as relay:
        async with serving([relay.url], backend, observe=watch) as gateway:
            gateway.server.stop = once(gateway.server.stop, always)  # type: ignore[method-assign]

            async def broken(_: float) -> bool:
                raise KeyError(SECRET)

            gateway._driver.flush = broken  # type: ignore[method-assign]
            with pytest.raises(KeyError):
                await gateway.stop()
            assert backend.closed == [Link("mcp")]
            while relay.connections:
                await asyncio.sleep(0)
        assert_told(watch)


@run
async def test_two_stops_at_once_are_one_and_both_wait_for_the_end() -> None:
    backend = Backend()
    ending = asyncio.Event()

    class Slow:
        def send(self, message: object) -> None: ...

        async def close(self) -> None:
            await ending.wait()

    async with LoopbackRelay() as relay:
        async with serving([relay.url], backend, connect=lambda *given: Slow()) as gateway:
            first, second = asyncio.create_task(gateway.stop()), asyncio.create_task(gateway.stop())
            for _ in range(100):
                await asyncio.sleep(0)
            assert not first.done() and not second.done()
            ending.set()
            assert await asyncio.gather(first, second) == [[], []]
        while relay.connections:
            await asyncio.sleep(0)


def test_a_defect_never_tells_its_words() -> None:
    try:
        raise ValueError(SECRET)
    except ValueError as problem:
        told = str(Defect(problem))
    assert told.startswith("a defect of nostrmcp: ValueError in test_defects.py, line ") and SECRET not in told
    assert str(Defect(ValueError(SECRET))) == "a defect of nostrmcp: ValueError; what led to it goes no further"
