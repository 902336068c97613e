"""A program on the other end of two pipes: lines go in and come out, and nothing it does can stop the runner.

It runs in a process group of its own, every exchange has a time-out, and what it says on standard error is kept to
explain its end. Files are polled, so there are no threads.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import IO

from .verdicts import Status

LINE_LIMIT = 1024 * 1024
STDERR_KEPT = 4096
# Seconds after which a program that says nothing is looked at: it may have ended.
_LOOK = 0.1


class Broken(Exception):
    """The program did not do its part of an exchange; it cannot be spoken to any more."""

    def __init__(self, status: Status, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


class Pipe:
    """A running program; `kill` must be called when one is done with it, whatever happened."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start the program; OSError if that cannot be done."""
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            bufsize=0,
            start_new_session=True,
        )
        self._in, self._out, self._err = map(_descriptor, (self._files()))
        for one in (self._in, self._out, self._err):
            os.set_blocking(one, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._buffer = bytearray()
        self._stderr = b""

    def _files(self) -> list[IO[bytes] | None]:
        return [self._process.stdin, self._process.stdout, self._process.stderr]

    @property
    def stderr(self) -> str:
        """The last of what the program said on standard error."""
        return self._stderr.decode("utf-8", "replace")

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Send a line and return the line that comes back, without its end; Broken if none does in time."""
        deadline = time.monotonic() + seconds
        pending = memoryview(line)
        with contextlib.suppress(BlockingIOError):
            pending = pending[self._write(pending) :]
        if pending:
            self._poll.register(self._in, select.POLLOUT)
        searched = 0
        try:
            while True:
                end = self._buffer.find(b"\n", searched)
                if end >= 0 and pending:
                    raise Broken(Status.GARBAGE, "a line on standard output before the question was read")
                if end >= 0:
                    answer = bytes(self._buffer[:end])
                    del self._buffer[: end + 1]
                    return answer
                searched = len(self._buffer)
                if searched > LINE_LIMIT:
                    raise Broken(Status.GARBAGE, f"a line of more than {LINE_LIMIT} bytes on standard output")
                rest = deadline - time.monotonic()
                if rest <= 0:
                    part = f": of {searched} bytes that came, none ends a line" if searched else ""
                    raise Broken(Status.TIMEOUT, f"no answer within {seconds:g} s{part}")
                for descriptor in self._ready(rest):
                    if descriptor == self._in:
                        pending = pending[self._write(pending) :]
                        if not pending:
                            self._poll.unregister(self._in)
                    elif descriptor == self._err:
                        self._read_stderr()
                    else:
                        self._read_stdout()
        finally:
            if pending:
                self._poll.unregister(self._in)

    def _ready(self, seconds: float) -> list[int]:
        """Files with something to do, soon; Broken if there are none and the program has ended.

        Something that the program started may hold its pipes open when it is gone, so that they alone do not tell.
        """
        ready = self._poll.poll(min(seconds, _LOOK) * 1000)
        if not ready and self._process.poll() is not None:
            raise Broken(Status.CRASH, f"it said nothing more: {self._end()}")
        return [descriptor for descriptor, _ in ready]

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self._in, data)
        except BrokenPipeError:
            raise Broken(Status.CRASH, f"it reads no more: {self._end()}") from None

    def _read_stdout(self) -> None:
        data = os.read(self._out, 65536)
        if not data:
            raise Broken(Status.CRASH, f"it said nothing more: {self._end()}")
        self._buffer += data

    def _read_stderr(self) -> None:
        data = os.read(self._err, 65536)
        if data:
            self._stderr = (self._stderr + data)[-STDERR_KEPT:]
        else:
            self._poll.unregister(self._err)

    def _end(self) -> str:
        """How the program ended, in words, once it has closed one of its pipes."""
        with contextlib.suppress(OSError):
            while data := os.read(self._err, 65536):
                self._stderr = (self._stderr + data)[-STDERR_KEPT:]
        try:
            code = self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            return "the program runs on, but closed its pipe"
        return f"the program was ended by signal {-code}" if code < 0 else f"the program ended with exit code {code}"

    def finish(self, line: bytes, seconds: float) -> str:
        """Send the last line and see the program end; what was not as agreed, in words, or nothing."""
        deadline = time.monotonic() + seconds
        try:
            with contextlib.suppress(BlockingIOError):
                self._write(memoryview(line))
            _close(self._process.stdin)
            while (rest := deadline - time.monotonic()) > 0 and not self._buffer:
                for descriptor in self._ready(rest):
                    if descriptor == self._err:
                        self._read_stderr()
                    else:
                        self._read_stdout()
        except Broken as ended:
            return "" if self._process.poll() == 0 else f"after bye {ended.detail}"
        if self._buffer:
            return f"it said something after bye, which has no answer: {bytes(self._buffer[:200])!r}"
        return f"it did not end within {seconds:g} s of bye"

    def kill(self) -> None:
        """End the program and all that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        for one in self._files():
            _close(one)


def _close(file: IO[bytes] | None) -> None:
    if file is not None:
        with contextlib.suppress(OSError):
            file.close()


def _descriptor(file: IO[bytes] | None) -> int:
    assert file is not None, "Popen was asked for a pipe"
    return file.fileno()
