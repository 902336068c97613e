"""MCP servers that crash, hang, write garbage or far too much, behind a gateway that other clients go on using."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from nostrmcp.mcp.jsonrpc import Error, ErrorCode, Message, Request
from nostrmcp.nostr import Violation
from nostrmcp.runtime.client import Refused
from nostrmcp.runtime.gateway import Gateway
from nostrmcp.runtime.loopback import LoopbackRelay
from nostrmcp.runtime.stdio import Gone, Peer, Said, StdioLimits, StdioProcess
from nostrmcp.session.actions import Link
from nostrmcp.session.settings import McpServer, ServerLimits

from ..helpers import run
from .world import (
    Backend,
    Watch,
    call,
    client_of,
    is_alive,
    pass_time,
    restart_at_once,
    server_settings,
    serving,
    sizes,
)

PROGRAM = Path(__file__).with_name("programs.py")
OWN = McpServer("mcp", shared=False)
SHARED = McpServer("mcp", shared=True)
LIMITS = StdioLimits(line=1 << 20, unread=1 << 16, grace=0.2)


class House:
    """A gateway in front of a program that misbehaves, and the file into which it writes what it does."""

    url: str
    gateway: Gateway

    def __init__(self, file: Path) -> None:
        self.ended: list[str] = []
        self.garbled: list[Violation] = []
        self.news = asyncio.Event()
        self._file = file

    def noted(self, word: str) -> list[str]:
        if not self._file.exists():
            return []
        lines = self._file.read_text(encoding="utf-8").splitlines()
        return [line.removeprefix(word + " ") for line in lines if line.startswith(word + " ")]

    async def until_ended(self, times: int) -> None:
        while len(self.ended) < times:
            self.news.clear()
            await self.news.wait()

    async def until_nobody_is_left(self) -> None:
        for pid in map(int, self.noted("start") + self.noted("child")):
            while is_alive(pid):
                await asyncio.sleep(0)


@asynccontextmanager
async def house(
    how: str,
    folder: Path,
    *,
    server: McpServer = OWN,
    limits: StdioLimits = LIMITS,
    watch: Watch | None = None,
    server_limits: ServerLimits | None = None,
    slots: int = 8,
) -> AsyncIterator[House]:
    file = folder / "noted"
    built = House(file)
    places = asyncio.Semaphore(slots)
    command = [sys.executable, str(PROGRAM), how, str(file)]

    def connect(link: Link, said: Said, gone: Gone) -> Peer:
        return StdioProcess(command, said, gone, garbled=built.garbled.append, slots=places, limits=limits)

    def ended(_: Link, why: str) -> None:
        built.ended.append(why)
        built.news.set()

    settings = server_settings(servers=(server,), limits=server_limits or ServerLimits())
    async with (
        LoopbackRelay() as relay,
        serving(
            [relay.url], Backend(), settings, connect=connect, ended=ended, observe=watch or Watch()
        ) as gateway,
    ):  # fmt: skip
        built.url, built.gateway = relay.url, gateway
        yield built
    await built.until_nobody_is_left()


async def refused(calling: asyncio.Task[str]) -> tuple[int, str]:
    with pytest.raises(Refused) as caught:
        await calling
    return caught.value.error.code, caught.value.error.message


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("crash", "it ended with code 3"),
        ("killed", "it ended with code -9"),
        ("mute", "it closed its output and did not end"),
        ("endless", f"it wrote a line of more than {LIMITS.line} bytes"),
        ("child", "it ended with code 4"),
    ],
)
@pytest.mark.parametrize("server", [OWN, SHARED], ids=["own", "shared"])
@run
async def test_a_server_that_ends_mid_call(how: str, why: str, server: McpServer, tmp_path: Path) -> None:
    """Who called is told; a new one is started; the call is not made again."""
    async with house(how, tmp_path, server=server) as here, client_of([here.url], 1) as client:
        code, message = await refused(asyncio.create_task(call(client, "once", "bad")))
        assert (code, message) == (ErrorCode.INTERNAL_ERROR, "the MCP server has ended")
        assert here.ended == [why]
        restart_at_once(here.gateway)
        assert await call(client, "after") == "after"
        assert here.noted("call") == ["once", "after"]
        assert len(here.noted("start")) == 2


@run
async def test_a_server_that_crashes_takes_only_its_own_client_along(tmp_path: Path) -> None:
    async with (
        house("crash", tmp_path) as here,
        client_of([here.url], 1) as one,
        client_of([here.url], 2) as other,
    ):
        assert await call(other, "before") == "before"
        await refused(asyncio.create_task(call(one, "crash", "bad")))
        assert await call(other, "after") == "after"
        assert len(here.noted("start")) == 2


@run
async def test_a_shared_server_that_cannot_live_is_started_later_and_later(tmp_path: Path) -> None:
    """It is not started in a circle, and clients are told each time."""
    async with house("still-born", tmp_path, server=SHARED) as here:
        await here.until_ended(1)
        [line] = here.gateway._lines.values()
        delays = []
        for _ in range(9):
            assert line.start is not None
            delays.append(round(line.start.when() - here.gateway._loop.time(), 1))
            restart_at_once(here.gateway)
            await here.until_ended(len(delays) + 1)
        assert delays == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]
        assert set(here.ended) == {"it ended with code 5"}
        async with client_of([here.url], greet=False) as client:
            greeting = asyncio.create_task(client.initialize("2025-11-25"))
            while not len(here.gateway.server.requests):
                await asyncio.sleep(0)
            restart_at_once(here.gateway)
            with pytest.raises(Refused) as caught:
                await greeting
            assert caught.value.error.message == "the MCP server has ended"


@pytest.mark.parametrize("how", ["hang", "stubborn"])
@run
async def test_a_server_that_hangs(how: str, tmp_path: Path) -> None:
    """The call ends with the time that a call may take, other clients are served, and at the end it is gone."""
    async with (
        house(how, tmp_path) as here,
        client_of([here.url], 1) as one,
        client_of([here.url], 2) as other,
    ):
        calling = asyncio.create_task(call(one, "hang", "bad"))
        while not here.noted("call"):
            await asyncio.sleep(0)
        assert await call(other, "meanwhile") == "meanwhile"
        pass_time(here.gateway, 601)
        code, message = await refused(calling)
        assert code == ErrorCode.INTERNAL_ERROR and message == "the MCP server takes too long"
        assert sizes(here.gateway)["requests"] == 0
        assert await call(other, "after") == "after"
        assert here.noted("call") == ["hang", "meanwhile", "after"]


@run
async def test_a_server_that_never_shakes_hands_is_given_up(tmp_path: Path) -> None:
    async with house("silent", tmp_path) as here, client_of([here.url], 1, greet=False) as client:
        greeting = asyncio.create_task(client.initialize("2025-11-25"))
        while not here.noted("secrets"):
            await asyncio.sleep(0)
        pass_time(here.gateway, 601)
        with pytest.raises(Refused) as caught:
            await greeting
        assert caught.value.error.code == ErrorCode.INTERNAL_ERROR
        assert sizes(here.gateway)["requests"] == 0


@run
async def test_a_server_that_hangs_and_reads_nothing_is_ended_when_it_has_too_much_to_read(tmp_path: Path) -> None:
    async with house("hang", tmp_path) as here, client_of([here.url], 1) as client:
        calls = [asyncio.create_task(call(client, "hang", "bad"))]
        while not here.noted("call"):
            await asyncio.sleep(0)
        calls += [asyncio.create_task(call(client, "x" * 10_000 + str(number))) for number in range(30)]
        outcomes = [await refused(one) for one in calls]
        assert set(outcomes) == {(ErrorCode.INTERNAL_ERROR, "the MCP server has ended")}
        assert here.ended == [f"it left more than {LIMITS.unread} bytes unread"]
        assert await call(client, "after") == "after"
        assert here.noted("call") == ["hang", "after"]


@run
async def test_garbage_is_passed_over_and_the_answer_in_it_is_found(tmp_path: Path) -> None:
    watch = Watch()
    async with house("garbage", tmp_path, watch=watch) as here, client_of([here.url], 1) as client:
        assert await call(client, "in garbage", "bad") == "in garbage"
        assert here.ended == []
        classes = {violation.error_class.value for violation in here.garbled}
        assert {"invalid_json", "not_a_message", "too_deep"} & classes
        assert len(here.garbled) >= 9
        assert watch.drops()["uncorrelated"] == 50
    assert watch.defects() == []


@run
async def test_an_answer_of_10_mb_becomes_an_error_that_names_its_size(tmp_path: Path) -> None:
    async with (
        house("large", tmp_path, limits=StdioLimits(grace=0.2)) as here,
        client_of([here.url], 1) as one,
        client_of([here.url], 2) as other,
    ):
        with pytest.raises(Refused) as caught:
            await call(one, "large", "bad")
        error = caught.value.error
        assert (error.code, error.message) == (ErrorCode.INTERNAL_ERROR, "the result is larger than relays carry")
        assert error.data["limit"] == 65_536 and error.data["size"] > 10_000_000
        assert await call(one, "same server") == "same server"
        assert await call(other, "other") == "other"
        assert here.ended == [] and here.noted("call") == ["large", "same server", "other"]


@run
async def test_a_server_that_talks_without_end_keeps_nobody_waiting(tmp_path: Path) -> None:
    """3,000 notifications at once: the other client's call is answered while they are on their way."""
    async with (
        house("chatty", tmp_path) as here,
        client_of([here.url], 1) as one,
        client_of([here.url], 2) as other,
    ):
        await call(other, "warm")
        flood = asyncio.create_task(call(one, "flood", "bad"))
        while "flood" not in here.noted("call"):
            await asyncio.sleep(0)
        assert await call(other, "between") == "between"
        assert not flood.done()
        assert await flood == "flood"
        assert sizes(here.gateway)["publications"] <= 1024


@run
async def test_what_a_program_says_at_once_is_taken_in_turns() -> None:
    """A thousand lines in one piece: between any two of them everything else has its turn."""
    turn = 0
    turns: list[int] = []
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()

    def tick() -> None:
        nonlocal turn
        turn += 1
        if not ended.is_set():
            loop.call_soon(tick)

    tick()
    script = """import sys; sys.stdout.write('{"jsonrpc":"2.0","method":"m"}\\n' * 1000); sys.stdout.flush()"""
    StdioProcess([sys.executable, "-c", script], lambda _: turns.append(turn), lambda _: ended.set(), limits=LIMITS)
    await ended.wait()
    assert len(turns) == len(set(turns)) == 1000


@run
async def test_what_is_sent_to_a_program_that_waits_for_its_turn_is_bounded() -> None:
    ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    process = StdioProcess(["none"], lambda _: None, ended.set_result, slots=asyncio.Semaphore(0), limits=LIMITS)
    for number in range(100):
        process.send(Request(number, "m", {"a": "x" * 10_000}))
        assert sum(map(len, process._early)) <= LIMITS.unread
    assert await ended == f"it left more than {LIMITS.unread} bytes unread"
    await process.close()


@run
async def test_a_server_that_asks_without_end_has_a_bounded_number_pending(tmp_path: Path) -> None:
    limits = ServerLimits(pending=100, pending_per_key=40)
    most = 0

    async with house("asking", tmp_path, server_limits=limits, limits=StdioLimits(grace=0.2)) as here:
        async with client_of([here.url], 1) as client:
            calling = asyncio.create_task(call(client, "asked", "bad"))
            while not calling.done():
                most = max(most, sizes(here.gateway)["upstream"])
                await asyncio.sleep(0)
            assert await calling == "asked"
        assert most == 40


@run
async def test_there_are_never_more_processes_than_slots_and_who_waits_gets_one(tmp_path: Path) -> None:
    """Three clients, two slots and room for two sessions: an idle one makes room, its process ends, the next starts."""
    limits = ServerLimits(sessions=2, reserved=0)
    async with house("none", tmp_path, server_limits=limits, slots=2) as here:
        for number in range(4):
            async with client_of([here.url], number) as client:
                assert await call(client, f"{number}") == f"{number}"
        assert sizes(here.gateway)["sessions"] == 2
    assert here.noted("call") == ["0", "1", "2", "3"]
    starts, ends = here.noted("start"), here.noted("end")
    assert len(starts) == 4 and set(ends) == set(starts)


@run
async def test_a_client_whose_server_gets_no_slot_is_told_in_time(tmp_path: Path) -> None:
    async with house("hang", tmp_path, slots=1) as here, client_of([here.url], 1) as one:
        hanging = asyncio.create_task(call(one, "hang", "bad"))
        while not here.noted("call"):
            await asyncio.sleep(0)
        async with client_of([here.url], 2, greet=False) as two:
            calls = [asyncio.create_task(call(two, f"{number}")) for number in range(20)]
            while len(here.gateway.server.requests) < 21:
                await asyncio.sleep(0)
            pass_time(here.gateway, 601)
            outcomes = await asyncio.gather(hanging, *calls, return_exceptions=True)
            assert {type(one) for one in outcomes} == {Refused}
    assert here.noted("call") == ["hang"]


@run
async def test_no_secret_reaches_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOSTRMCP_SECRET_FILE", "somewhere")
    monkeypatch.setenv("NOSTRMCP_SECRET", "0" * 64)
    async with house("none", tmp_path) as here, client_of([here.url], 1) as client:
        assert await call(client, "one") == "one"
    assert here.noted("secrets") == ["[]"]


@run
async def test_a_program_that_is_closed_while_it_starts_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "noted"
    command = [sys.executable, str(PROGRAM), "stubborn", str(file)]
    for turns in range(12):
        process = StdioProcess(command, lambda _: None, lambda _: None, limits=LIMITS)
        for _ in range(turns):
            await asyncio.sleep(0)
        await process.close()
        assert process._task.done()
    pids = (
        [int(line.split()[1]) for line in file.read_text().splitlines() if line.startswith("start")]
        if file.exists()
        else []
    )
    for pid in pids:
        while is_alive(pid):
            await asyncio.sleep(0)


@run
async def test_a_message_that_is_too_deep_for_a_server_is_refused_where_it_is(tmp_path: Path) -> None:
    """What the strict reader of a peer would refuse is never written."""
    heard: list[Message] = []
    deep: dict[str, object] = {}
    for _ in range(127):
        deep = {"a": deep}
    process = StdioProcess([sys.executable, "-c", "import sys; sys.stdin.read()"], heard.append, lambda _: None)
    process.send(Request(7, "tools/call", deep))
    await process.close()
    assert heard == [Error(7, ErrorCode.INVALID_PARAMS, "nested deeper than 128")]
