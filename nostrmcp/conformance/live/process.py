"""A testee that the runner starts: a process group of its own, told by its environment what to do."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

STDERR_KEPT = 4096
_PREFIX = "NOSTRMCP_"


class CannotStart(Exception):
    """The program cannot be started; the message says why."""


class Running(Protocol):
    """A testee that was started."""

    @property
    def ended(self) -> int | None:
        """The exit code, None while it runs."""

    @property
    def said(self) -> str:
        """The last of what it said on standard error."""

    async def wait(self, seconds: float) -> int | None:
        """The exit code once it has ended, None if it has not ended in time."""

    async def stop(self) -> None:
        """End it, whatever it does."""


# Starts a testee with these additions to its environment.
Start = Callable[[Mapping[str, str]], Awaitable[Running]]


class Process:
    """A program in a process group of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._stderr = b""
        self._tasks = [asyncio.create_task(self._keep()), asyncio.create_task(self._discard())]

    @property
    def ended(self) -> int | None:
        return self._process.returncode

    @property
    def said(self) -> str:
        return self._stderr.decode("utf-8", "replace")

    async def wait(self, seconds: float) -> int | None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._process.wait()
                await asyncio.gather(*self._tasks)
        return self.ended

    async def stop(self) -> None:
        self._signal(signal.SIGTERM)
        if await self.wait(2) is None:
            self._signal(signal.SIGKILL)
            await self._process.wait()
        self._signal(signal.SIGKILL)  # what it may have left behind in its group
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    async def _keep(self) -> None:
        assert self._process.stderr is not None
        while data := await self._process.stderr.read(65536):
            self._stderr = (self._stderr + data)[-STDERR_KEPT:]

    async def _discard(self) -> None:
        assert self._process.stdout is not None
        while await self._process.stdout.read(65536):
            pass


def starting(command: list[str]) -> Start:
    """How to start a program; what is in our own environment under our own names is not passed on."""

    async def start(told: Mapping[str, str]) -> Running:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(_PREFIX)}
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=inherited | dict(told),
                start_new_session=True,
            )
        except OSError as problem:
            raise CannotStart(f"cannot start {command[0]}: {problem.strerror}") from None
        return Process(process)

    return start
