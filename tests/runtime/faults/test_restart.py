"""A gateway that is killed and started again, with requests that relays have stored: nothing is executed twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from nostrmcp.nostr import Violation
from nostrmcp.runtime.client import NostrClient
from nostrmcp.runtime.gateway import Gateway
from nostrmcp.runtime.loopback import LoopbackRelay
from nostrmcp.runtime.relay import Relay
from nostrmcp.runtime.state import TIDY_AFTER, StateError, StateFile
from nostrmcp.session.actions import Link, Now
from nostrmcp.session.arriving import Gate
from nostrmcp.session.limits import Budget
from nostrmcp.session.settings import Encryption

from ..helpers import NOW, run
from .world import (
    PROVIDER,
    VERSION,
    Backend,
    Watch,
    Wire,
    call,
    client_of,
    key,
    plain_request,
    server_settings,
    serving,
)

# Revisions whose requests relays store: kind 5910, and wraps of kind 1059.
STORED = [("dvmcp-rev1", Encryption.DISABLED), ("ctxvm-draft", Encryption.REQUIRED)]
KEPT = 121.0


class Clock:
    """Unix time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = float(NOW)

    def __call__(self) -> float:
        return self.now


class Town:
    """A relay that stays, a client that stays, and a gateway that comes and goes."""

    def __init__(self, relay: LoopbackRelay, wire: Wire, revision: str, encryption: Encryption, folder: Path) -> None:
        self.relay = relay
        self.wire = wire
        self.clock = Clock()
        self.backend, self.watch = Backend(), Watch()
        self._form = (revision, encryption)
        self._path = folder / "state"

    @asynccontextmanager
    async def gateway(self, *, with_state: bool) -> AsyncIterator[Gateway]:
        """A gateway, until it is killed: nothing is said at its end."""
        revision, encryption = self._form
        state = StateFile(self._path, KEPT, self.clock) if with_state else None
        done = None if state is None else state.done
        settings = server_settings(revision, encryption=encryption, done=done)
        async with serving(
            [self.relay.url], self.backend, settings, observe=self.watch, state=state, clock=self.clock
        ) as gateway:
            yield gateway
            gateway._stopped = True
            await gateway._end()
        if state is not None:
            state.close()

    @asynccontextmanager
    async def client(self, number: int = 0, ahead: float = 0) -> AsyncIterator[NostrClient]:
        revision, encryption = self._form
        async with client_of(
            [self.relay.url],
            number,
            revision=revision,
            encryption=encryption,
            clock=lambda: self.clock.now + ahead,
            greet=False,
        ) as client:
            yield client

    async def ask(self, client: NostrClient, mark: str) -> asyncio.Task[str]:
        """Ask while nobody is there to answer; return when the relay has the request."""
        self.wire.frames.clear()
        asking = asyncio.create_task(call(client, mark))
        await self.wire.until(lambda direction, frame: direction == "out" and frame.startswith(b'["OK"'))
        return asking


@asynccontextmanager
async def town(revision: str, encryption: Encryption, folder: Path) -> AsyncIterator[Town]:
    wire = Wire()
    async with LoopbackRelay(record=wire.record) as relay:
        yield Town(relay, wire, revision, encryption, folder)


@pytest.mark.parametrize(("revision", "encryption"), STORED)
@run
async def test_with_a_state_file_what_came_meanwhile_is_executed_and_nothing_twice(
    revision: str, encryption: Encryption, tmp_path: Path
) -> None:
    async with town(revision, encryption, tmp_path) as here, here.client() as client:
        async with here.gateway(with_state=True):
            await client.initialize(VERSION)
            assert await call(client, "before") == "before"
            here.clock.now += 2
        asking = await here.ask(client, "meanwhile")
        here.clock.now += 2
        async with here.gateway(with_state=True):
            assert await asking == "meanwhile"
            here.clock.now += 2
        async with here.gateway(with_state=True):
            assert await call(client, "after") == "after"
        assert here.backend.marks == ["before", "meanwhile", "after"]
        assert here.watch.drops()["repeated"] >= 5 and here.watch.drops()["before_start"] == 0


@pytest.mark.parametrize(("revision", "encryption"), STORED)
@run
async def test_without_a_state_file_nothing_older_than_the_process_is_executed(
    revision: str, encryption: Encryption, tmp_path: Path
) -> None:
    async with town(revision, encryption, tmp_path) as here, here.client() as client:
        async with here.gateway(with_state=False):
            await client.initialize(VERSION)
            assert await call(client, "before") == "before"
            here.clock.now += 2
        asking = await here.ask(client, "meanwhile")
        here.clock.now += 2
        async with here.gateway(with_state=False):
            assert await call(client, "after") == "after"
        assert here.backend.marks == ["before", "after"]
        assert here.watch.drops()["before_start"] >= 2
        assert not asking.done()
        asking.cancel()


@pytest.mark.parametrize(("revision", "encryption"), STORED)
@run
async def test_a_client_whose_clock_is_ahead_has_nothing_executed_twice(
    revision: str, encryption: Encryption, tmp_path: Path
) -> None:
    """Its request is dated after the restart, though it was done before."""
    async with town(revision, encryption, tmp_path) as here, here.client(ahead=50) as client:
        async with here.gateway(with_state=True):
            await client.initialize(VERSION)
            assert await call(client, "before") == "before"
            here.clock.now += 2
        async with here.gateway(with_state=True):
            assert await call(client, "after") == "after"
        assert here.backend.marks == ["before", "after"]
        assert here.watch.drops()["repeated"] >= 2


@run
async def test_what_is_taken_is_written_down_before_it_is_executed(tmp_path: Path) -> None:
    """Killed in the very moment of execution: the id is in the file."""
    path = tmp_path / "state"
    async with LoopbackRelay() as relay, Relay(relay.url) as author:
        state = StateFile(path, KEPT, lambda: NOW)
        backend = Backend()
        written: list[bool] = []
        request = plain_request("one", NOW, key(1))
        executed = backend.take

        def take(*given: Any) -> None:
            written.append(request.id.hex() in path.read_text(encoding="ascii"))
            executed(*given)

        backend.take = take  # type: ignore[method-assign]
        async with serving([relay.url], backend, state=state, clock=lambda: NOW):
            written.clear()
            await author.publish(request)
            await backend.executed("one")
        state.close()
    assert written == [True]


@run
async def test_a_stop_while_requests_arrive_takes_none_of_them(tmp_path: Path) -> None:
    """What would be begun after the end was decided could not be answered: it stays for the next gateway."""
    async with LoopbackRelay() as relay, Relay(relay.url) as author:
        backend = Backend()
        async with serving([relay.url], backend, clock=lambda: NOW) as gateway:
            await author.publish(plain_request("first", NOW, key(1)))
            await backend.executed("first")
            stopping = asyncio.create_task(gateway.stop())
            await asyncio.sleep(0)
            relay.inject(plain_request("late", NOW, key(2)))
            await stopping
        assert backend.marks == ["first"]
        assert backend.closed == [Link("mcp")]


def test_an_id_is_remembered_as_long_as_its_event_is_fresh_to_the_second() -> None:
    """Dated as late as may be, taken at the end of a second, and sent again in the last one in which it is fresh."""
    gate = Gate(
        PROVIDER, wraps=frozenset(), policy=Encryption.DISABLED, fresh=60, content=1 << 16, seen=Budget(9, 9),
        unwraps_per_second=9,
    )  # fmt: skip
    for request, now in (
        (event := plain_request("one", NOW + 60, key(1)), Now(NOW, 0.9)),
        (plain_request("other", NOW + 120, key(2)), Now(NOW + 120, 120.9)),
    ):
        gate.open(request, now)
        gate.take(request, now)
    with pytest.raises(Violation) as refused:
        gate.open(event, Now(NOW + 120, 120.95))
    assert refused.value.error_class.value == "repeated"
    with pytest.raises(Violation) as refused:
        gate.open(event, Now(NOW + 121, 121.05))
    assert refused.value.error_class.value == "not_fresh"


def test_the_state_file_does_not_grow_without_bound(tmp_path: Path) -> None:
    """Old ids leave memory and file; those that may come again stay, also across a restart."""
    clock = Clock()
    path = tmp_path / "state"
    state = StateFile(path, KEPT, clock)
    largest = 0
    for number in range(20 * TIDY_AFTER):
        clock.now += 1
        state.add(number.to_bytes(32))
        largest = max(largest, path.stat().st_size)
    line = len(f"{NOW} ") + 65
    assert largest <= TIDY_AFTER * line
    expected = {number.to_bytes(32) for number in range(20 * TIDY_AFTER - int(KEPT), 20 * TIDY_AFTER)}
    assert expected <= state.done and len(state.done) <= TIDY_AFTER
    state.close()
    again = StateFile(path, KEPT, clock)
    assert expected <= again.done and len(again.done) <= len(expected) + 1
    again.close()


def test_a_state_file_that_was_cut_off_or_is_garbage_is_read_as_far_as_it_can_be(tmp_path: Path) -> None:
    path = tmp_path / "state"
    whole = f"{NOW} {'ab' * 32}\n".encode()
    path.write_bytes(b"\xff\x00garbage\n" + b"9" * 5000 + b" " + b"ab" * 32 + b"\n" + whole + whole[:40])
    state = StateFile(path, KEPT, Clock())
    assert state.done == {bytes.fromhex("ab" * 32)}
    state.add(b"\x01" * 32)
    state.close()
    again = StateFile(path, KEPT, Clock())
    assert again.done == {bytes.fromhex("ab" * 32), b"\x01" * 32}
    with pytest.raises(StateError, match="in use by another gateway"):
        StateFile(path, KEPT, Clock())
    again.close()
