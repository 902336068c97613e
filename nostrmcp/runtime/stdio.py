"""Programs that speak JSON-RPC on standard input and output, one message a line: MCP servers, payment processors."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..mcp import jsonrpc
from ..mcp.jsonrpc import Error, ErrorCode, Message, Request
from ..nostr import LocalProtocolError, Violation, strict_json

# Variables of ours may name secrets; no program that we start sees them.
OWN_VARIABLES = "NOSTRMCP_"


class Peer(Protocol):
    """The other end of a conversation: a program, or something in this process that behaves like one."""

    def send(self, message: Message) -> None:
        """Give it a message. It may have ended: then nothing happens."""

    async def close(self) -> None:
        """End it, and return when it is gone."""


Said = Callable[[Message], None]
# Called once when the peer has ended by itself, with the reason in words.
Gone = Callable[[str], None]
# A line that is no message: what was wrong with it.
Garbled = Callable[[Violation], None]


@dataclass(frozen=True, slots=True)
class StdioLimits:
    """Bytes and seconds. A program that writes a longer `line`, or leaves more than `unread` bytes lying, is ended.

    `grace` is what it has to leave after its input has ended, and once more after it was asked by a signal.
    """

    line: int = 1 << 25
    unread: int = 1 << 24
    grace: float = 2.0


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment of a program that we start: without our own variables (HOUSE-LIMIT-12)."""
    return {name: value for name, value in variables.items() if not name.startswith(OWN_VARIABLES)}


class _Streams(asyncio.subprocess.SubprocessStreamProtocol):
    """The pipes of a program; `exited` is called when it has ended, even if something else still holds them."""

    def __init__(self, limit: int, exited: Callable[[], None]) -> None:
        super().__init__(limit, asyncio.get_running_loop())
        self._exited = exited

    def process_exited(self) -> None:
        super().process_exited()
        self._exited()


class StdioProcess:
    """A program, started at once, in a process group of its own, which ends with it.

    `slots` bounds how many run at a time (HOUSE-LIMIT-07): it waits for one before it starts, and frees it when it is
    gone. Messages sent before it runs are kept, as many as it could leave unread.
    """

    def __init__(
        self,
        command: Sequence[str],
        said: Said,
        gone: Gone,
        *,
        garbled: Garbled = lambda _: None,
        slots: asyncio.Semaphore | None = None,
        limits: StdioLimits | None = None,
        stderr: int | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._command = command
        self._said = said
        self._gone = gone
        self._garbled = garbled
        self._slots = slots or asyncio.Semaphore()
        self._limits = limits or StdioLimits()
        self._stderr = stderr
        self._variables = environment(os.environ if variables is None else variables)
        self._loop = asyncio.get_running_loop()
        self._early: list[bytes] = []
        self._waiting = 0
        self._transport: asyncio.SubprocessTransport | None = None
        self._why = ""
        self._is_closing = False
        self._task = self._loop.create_task(self._run())
        self._task.add_done_callback(self._ended)

    def send(self, message: Message) -> None:
        try:
            line = strict_json.dump(jsonrpc.to_value(message)) + b"\n"
        except LocalProtocolError as problem:
            if isinstance(message, Request):
                self._loop.call_soon(self._said, Error(message.id, ErrorCode.INVALID_PARAMS, problem.detail))
            return
        if self._transport is not None:
            self._write(line)
        elif not self._task.done():
            self._early.append(line)
            self._waiting += len(line)
            if self._waiting > self._limits.unread:
                self._give_up()

    async def close(self) -> None:
        self._is_closing = True
        if self._transport is None:
            self._task.cancel()
        else:
            self._input(self._transport).close()
            for number in (signal.SIGTERM, signal.SIGKILL):
                await asyncio.wait({self._task}, timeout=self._limits.grace)
                if not self._task.done():
                    self._signal(number)
        await asyncio.wait({self._task})

    def _write(self, line: bytes) -> None:
        if self._transport is None:
            return
        given = self._input(self._transport)
        if not given.is_closing():
            given.write(line)
            if given.get_write_buffer_size() > self._limits.unread:
                self._give_up()

    def _give_up(self) -> None:
        self._early.clear()
        self._why = f"it left more than {self._limits.unread} bytes unread"
        if self._transport is None:
            self._task.cancel()
        else:
            self._signal(signal.SIGKILL)

    async def _run(self) -> str:
        async with self._slots:
            return await self._live()

    def _ended(self, task: asyncio.Task[str]) -> None:
        """It has ended; it may have been given up before it began."""
        why = self._why or ("" if task.cancelled() else task.result())
        if why and not self._is_closing:
            self._gone(why)

    async def _live(self) -> str:
        """The life of the program, and why it ended."""
        try:
            process = await self._start()
        except (OSError, ValueError) as problem:
            return f"it cannot be started: {getattr(problem, 'strerror', None) or 'the command is malformed'}"
        why = ""
        try:
            for line in self._early:
                self._write(line)
            self._early.clear()
            why = await self._read(process)
        finally:
            code = await self._end(process)
        return self._why or why or f"it ended with code {code}"

    async def _start(self) -> asyncio.subprocess.Process:
        transport, streams = await self._loop.subprocess_exec(
            lambda: _Streams(self._limits.line, self._exited),
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=self._stderr,
            env=self._variables,
            start_new_session=True,
        )
        self._transport = transport
        return asyncio.subprocess.Process(transport, streams, self._loop)

    def _exited(self) -> None:
        """Whatever the program started goes with it; what has left its group may hold the output for a moment more."""
        self._signal(signal.SIGKILL)
        if self._transport is not None:
            self._loop.call_later(self._limits.grace, self._transport.close)

    async def _end(self, process: asyncio.subprocess.Process) -> int:
        self._signal(signal.SIGKILL)
        if self._transport is not None:
            self._transport.close()
        return await process.wait()

    async def _read(self, process: asyncio.subprocess.Process) -> str:
        """Hand on what the program says, until it says no more; what is wrong if that is our decision."""
        assert process.stdout is not None
        while True:
            try:
                line = await process.stdout.readline()
            except ValueError:
                return f"it wrote a line of more than {self._limits.line} bytes"
            if not line:
                return await self._leaving(process)
            for message in self._messages(line):
                self._said(message)
            # A line that is there already is read without a pause: a program that says much would keep others waiting.
            await asyncio.sleep(0)

    async def _leaving(self, process: asyncio.subprocess.Process) -> str:
        """A program that has closed its output gets a moment to end in order."""
        try:
            await asyncio.wait_for(process.wait(), self._limits.grace)
        except TimeoutError:
            return "it closed its output and did not end"
        return ""

    def _messages(self, line: bytes) -> Iterator[Message]:
        """What a line holds; a batch is taken apart."""
        if not line.strip():
            return
        try:
            value = strict_json.parse(line)
        except Violation as violation:
            self._garbled(violation)
            return
        for one in value if type(value) is list else [value]:
            try:
                yield jsonrpc.parse(one)
            except (Violation, LocalProtocolError) as problem:
                self._garbled(
                    problem if isinstance(problem, Violation) else Violation(problem.error_class, "", problem.detail)
                )

    @staticmethod
    def _input(transport: asyncio.SubprocessTransport) -> asyncio.WriteTransport:
        pipe = transport.get_pipe_transport(0)
        assert isinstance(pipe, asyncio.WriteTransport)
        return pipe

    def _signal(self, number: int) -> None:
        if self._transport is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._transport.get_pid(), number)
