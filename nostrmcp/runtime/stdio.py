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
from ..mcp.jsonrpc import Message
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


class StdioProcess:
    """A program, started at once, in a process group of its own.

    `slots` bounds how many run at a time (HOUSE-LIMIT-07): it waits for one before it starts, and frees it when it is
    gone. Messages sent before it runs are kept.
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
        self._early: list[bytes] = []
        self._process: asyncio.subprocess.Process | None = None
        self._is_closing = False
        self._task = asyncio.get_running_loop().create_task(self._run())

    def send(self, message: Message) -> None:
        line = strict_json.dump(jsonrpc.to_value(message)) + b"\n"
        if self._process is None:
            self._early.append(line)
        else:
            self._write(line)

    async def close(self) -> None:
        self._is_closing = True
        if self._process is None:
            self._task.cancel()
        elif self._process.stdin is not None:
            self._process.stdin.close()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._task), self._limits.grace)
            self._signal(signal.SIGTERM)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._task), self._limits.grace)
            self._signal(signal.SIGKILL)
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    def _write(self, line: bytes) -> None:
        stdin = self._process.stdin if self._process is not None else None
        if stdin is None or stdin.is_closing():
            return
        stdin.write(line)
        if stdin.transport.get_write_buffer_size() > self._limits.unread:
            self._signal(signal.SIGKILL)

    async def _run(self) -> None:
        async with self._slots:
            why = await self._live()
        if not self._is_closing:
            self._gone(why)

    async def _live(self) -> str:
        """The life of the program, and why it ended."""
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=self._stderr,
                env=self._variables,
                start_new_session=True,
                limit=self._limits.line,
            )
        except (OSError, ValueError) as problem:
            return f"it cannot be started: {getattr(problem, 'strerror', None) or 'the command is malformed'}"
        self._process = process
        try:
            for line in self._early:
                self._write(line)
            self._early.clear()
            why = await self._read(process)
        finally:
            # Whatever the program started goes with it.
            self._signal(signal.SIGKILL)
        code = await process.wait()
        return why or f"it ended with code {code}"

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

    def _signal(self, number: int) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)
