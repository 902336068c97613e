"""Programs on standard input and output, as small scripts: what they say, how they misbehave, and how they end."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from nostrmcp.mcp.errors import ErrorClass as McpErrorClass
from nostrmcp.mcp.jsonrpc import Error, Message, Notification, Request, Result
from nostrmcp.nostr import ErrorClass, Violation
from nostrmcp.runtime.stdio import StdioLimits, StdioProcess, environment

from .helpers import run

READY = (
    'print(\'{"jsonrpc":"2.0","method":"ready","params":{"pid":\' + str(__import__("os").getpid()) + "}}", flush=True)'
)
ECHO = """
import sys
for line in sys.stdin:
    print(line, end="", flush=True)
"""


class Program:
    """A script, and what it said: messages, violations, and at last why it ended."""

    def __init__(self, script: str, command: list[str] | None = None, **options: Any) -> None:
        self._said: asyncio.Queue[Message | Violation | str] = asyncio.Queue()
        put = self._said.put_nowait
        words = command or [sys.executable, "-c", script]
        self.process = StdioProcess(words, put, put, garbled=put, **options)

    async def next(self) -> Any:
        return await self._said.get()

    @property
    def is_silent(self) -> bool:
        return self._said.empty()


@asynccontextmanager
async def program(script: str, **options: Any) -> AsyncIterator[Program]:
    one = Program(script, **options)
    try:
        yield one
    finally:
        await one.process.close()


async def no_process(pid: int) -> None:
    """Until there is no such process; a zombie counts as none."""
    while True:
        try:
            with open(f"/proc/{pid}/stat") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return
        if state == "Z":
            return
        await asyncio.sleep(0)


@run
async def test_messages_go_in_and_out() -> None:
    messages: list[Message] = [
        Request(1, "tools/call", {"text": "line\nbreak \u2028 ünïcode", "big": 2**70}),
        Request("1", "ping"),
        Notification("notifications/initialized"),
        Result(0, {}),
        Error(None, -32700, "what?"),
    ]
    async with program(ECHO) as echo:
        for message in messages:  # all of them before it runs
            echo.process.send(message)
        assert [await echo.next() for _ in messages] == messages
        echo.process.send(Request(2, "ping"))
        assert await echo.next() == Request(2, "ping")
    assert echo.is_silent  # one that is closed is not missed


@run
async def test_a_batch_is_taken_apart_and_what_is_no_message_is_told() -> None:
    lines = [
        '[{"jsonrpc":"2.0","method":"a"},7,{"jsonrpc":"2.0","id":true,"method":"b"},{"jsonrpc":"2.0","method":"c"}]',
        "[]",
        "",
        "   ",
        "Starting server...",
        '{"jsonrpc":"2.0","method":"d","method":"e"}',
        '{"jsonrpc":"1.0","method":"f"}',
        "\\xff",
        '{"jsonrpc":"2.0","method":"g"}',
    ]
    script = f"import sys\nfor line in {lines!r}: sys.stdout.buffer.write(line.encode('latin-1') + b'\\n')\n"
    async with program(script.replace("\\\\xff", "\\xff")) as babbler:
        heard = [await babbler.next() for _ in range(9)]
        assert heard[0] == Notification("a")
        assert heard[1].error_class is McpErrorClass.NOT_A_MESSAGE
        assert heard[2].error_class is McpErrorClass.MALFORMED_REQUEST_ID
        assert heard[3] == Notification("c")
        assert heard[4].error_class is ErrorClass.INVALID_JSON
        assert heard[5].error_class is ErrorClass.DUPLICATE_KEY
        assert heard[6].error_class is McpErrorClass.WRONG_JSONRPC
        assert heard[7].error_class is ErrorClass.INVALID_UTF8
        assert heard[8] == Notification("g")
        assert await babbler.next() == "it ended with code 0"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("pass", "it ended with code 0"),
        ("raise SystemExit(3)", "it ended with code 3"),
        ("import os; os.kill(os.getpid(), 9)", "it ended with code -9"),
    ],
)
@run
async def test_the_end_of_a_program_is_told_with_its_code(script: str, why: str) -> None:
    async with program(script) as ending:
        assert await ending.next() == why
        ending.process.send(Request(1, "ping"))  # nobody is there: nothing happens
    assert ending.is_silent


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["./no-such-program"], "it cannot be started: No such file or directory"),
        (["/dev/null"], "it cannot be started: Permission denied"),
        (["nul\0byte"], "it cannot be started: the command is malformed"),
    ],
)
@run
async def test_a_command_that_cannot_be_started_is_told(command: list[str], why: str) -> None:
    async with program("", command=command) as never:
        never.process.send(Request(1, "ping"))
        assert await never.next() == why


@run
async def test_a_line_without_end_ends_the_program() -> None:
    script = f"{READY}\nimport sys, time\nsys.stdout.write('x' * 100_000); sys.stdout.flush()\ntime.sleep(1000)"
    async with program(script, limits=StdioLimits(line=1000)) as endless:
        ready = await endless.next()
        assert await endless.next() == "it wrote a line of more than 1000 bytes"
        await no_process(ready.params["pid"])


@run
async def test_a_line_of_just_the_limit_is_read() -> None:
    line = '{"jsonrpc":"2.0","method":"x"}'
    async with program(f"print({line!r})", limits=StdioLimits(line=len(line))) as exact:
        assert await exact.next() == Notification("x")


@run
async def test_a_program_that_reads_nothing_is_ended() -> None:
    script = f"{READY}\nimport time\ntime.sleep(1000)"
    async with program(script, limits=StdioLimits(unread=100_000)) as deaf:
        ready = await deaf.next()
        for number in range(100):
            deaf.process.send(Request(number, "x" * 10_000))
        assert await deaf.next() == "it left more than 100000 bytes unread"
        await no_process(ready.params["pid"])


@run
async def test_what_waits_for_a_program_to_start_is_bounded_too() -> None:
    slots = asyncio.Semaphore(1)
    await slots.acquire()
    async with program(ECHO, slots=slots, limits=StdioLimits(unread=1000)) as waiting:
        for number in range(100):
            waiting.process.send(Request(number, "x" * 100))
        assert await waiting.next() == "it left more than 1000 bytes unread"
    assert slots.locked()  # the slot that it never had is still the other's


@run
async def test_only_so_many_run_at_a_time() -> None:
    slots = asyncio.Semaphore(1)
    async with program(f"{READY}\n{ECHO}", slots=slots) as first, program(READY, slots=slots) as second:
        await first.next()
        assert slots.locked() and second.is_silent
        await first.process.close()
        assert (await second.next()).method == "ready"


@run
async def test_what_a_program_started_ends_with_it() -> None:
    """Whether it crashes or is closed, and even where what it started ignores the polite signal."""
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(1000)"
    script = (
        f"import subprocess, sys\nchild = subprocess.Popen([sys.executable, '-c', {stubborn!r}])\n"
        'print(\'{"jsonrpc":"2.0","method":"ready","params":{"pid":%d}}\' % child.pid, flush=True)\n'
    )
    async with program(script + "sys.stdin.readline()", limits=StdioLimits(grace=0.1)) as crashing:
        ready = await crashing.next()
        crashing.process.send(Notification("end"))
        assert await crashing.next() == "it ended with code 0"
        await no_process(ready.params["pid"])
    async with program(script + "sys.stdin.read()", limits=StdioLimits(grace=0.1)) as closed:
        ready = await closed.next()
    await no_process(ready.params["pid"])


@pytest.mark.parametrize(
    "ignoring",
    ["", "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"],
    ids=["ends on SIGTERM", "ends on SIGKILL"],
)
@run
async def test_a_program_that_does_not_leave_is_made_to(ignoring: str) -> None:
    script = f"{ignoring}\n{READY}\nimport time\nwhile True: time.sleep(1000)"
    stuck = Program(script, limits=StdioLimits(grace=0.05))
    ready = await stuck.next()
    await stuck.process.close()
    await no_process(ready.params["pid"])
    assert stuck.is_silent


@run
async def test_a_program_that_closes_its_output_and_stays_is_ended() -> None:
    script = f"{READY}\nimport os, time\nos.close(1)\ntime.sleep(1000)"
    async with program(script, limits=StdioLimits(grace=0.05)) as mute:
        ready = await mute.next()
        assert await mute.next() == "it closed its output and did not end"
        await no_process(ready.params["pid"])


@run
async def test_a_program_that_is_closed_in_its_first_moment_leaves_nothing() -> None:
    before = children()
    for turns in range(12):
        one = Program("import time; time.sleep(1000)", limits=StdioLimits(grace=0.01))
        for _ in range(turns):
            await asyncio.sleep(0)
        await one.process.close()
    assert children() == before


def children() -> set[str]:
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return set(file.read().split())


@run
async def test_our_secrets_stay_with_us() -> None:
    script = 'import json, os; print(json.dumps({"jsonrpc": "2.0", "method": "env", "params": dict(os.environ)}))'
    variables = {"PATH": os.environ["PATH"], "NOSTRMCP_SECRET_FILE": "/secret", "NOSTRMCP_X": "1", "TOKEN": "theirs"}
    async with program(script, variables=variables) as curious:
        seen = (await curious.next()).params
        assert seen["TOKEN"] == "theirs" and not [name for name in seen if "NOSTRMCP" in name]
    assert environment({"NOSTRMCP_": "", "nostrmcp_": "kept", "X": ""}) == {"nostrmcp_": "kept", "X": ""}


@run
async def test_a_signal_to_our_group_is_not_for_the_program() -> None:
    """It has a group of its own: Ctrl-C ends it in order, through us."""
    async with program(f"{READY}\n{ECHO}") as own:
        pid = (await own.next()).params["pid"]
        assert os.getpgid(pid) == pid != os.getpgid(0)
