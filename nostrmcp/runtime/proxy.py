"""A proxy: a server on Nostr as a local MCP server on standard input and output, for any MCP host to launch."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
from typing import BinaryIO

from ..mcp import jsonrpc
from ..mcp.jsonrpc import Error, Message, Result
from ..nostr import LocalProtocolError, Violation, strict_json
from .client import NostrClient

# Bytes: the longest line that is read from the host, and what a host may leave unread before it counts as gone.
MAX_LINE = 1 << 25
MAX_UNREAD = 1 << 26
# How long the end waits for the host to read what was said last.
LAST_WORDS = 1.0


class HostGone(Exception):
    """The host reads no more."""


class _End(asyncio.BaseProtocol):
    """Knows when a pipe is closed, and what was written to it gone."""

    def __init__(self) -> None:
        self.closed = asyncio.Event()

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()


def _can_wait(source: BinaryIO) -> bool:
    """Whether a loop can wait for what comes, as from a pipe or a terminal."""
    mode = os.fstat(source.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or source.isatty()


class Host:
    """The MCP host that launched us, at the other end of two pipes; files serve as well."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._source = source
        self._target = target
        self._reader = asyncio.StreamReader(limit=MAX_LINE)
        self._read: asyncio.ReadTransport | None = None
        self._write: asyncio.WriteTransport | None = None
        self._end = _End()

    async def __aenter__(self) -> Host:
        loop = asyncio.get_running_loop()
        if _can_wait(self._source):
            self._read, _ = await loop.connect_read_pipe(
                lambda: asyncio.StreamReaderProtocol(self._reader), self._source
            )
        else:  # a file, or nothing at all: what it has is there
            self._reader.feed_data(self._source.read())
            self._reader.feed_eof()
        with contextlib.suppress(ValueError):
            self._write, _ = await loop.connect_write_pipe(lambda: self._end, self._target)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._read is not None:
            self._read.close()
        if self._write is not None:
            self._write.close()
            try:
                await asyncio.wait_for(self._end.closed.wait(), LAST_WORDS)
            except TimeoutError:
                self._write.abort()
                await self._end.closed.wait()

    def say(self, message: Message) -> None:
        """Give the host a message; one that has left too much unread is told no more."""
        try:
            line = strict_json.dump(jsonrpc.to_value(message)) + b"\n"
        except LocalProtocolError as problem:
            # Some revisions send a result without the object around it, which makes it one level too deep here.
            if isinstance(message, Result):
                self.say(Error(message.id, jsonrpc.ErrorCode.INTERNAL_ERROR, f"the result is {problem.detail}"))
            return
        if self._write is None:
            self._target.write(line)
            self._target.flush()
        elif self._write.get_write_buffer_size() > MAX_UNREAD:
            self._reader.set_exception(HostGone("the host has left too much unread"))
        else:
            self._write.write(line)

    async def converse(self, client: NostrClient) -> None:
        """Give the server what the host says, line by line, until the host says no more and has its answers.

        What is no message is answered as JSON-RPC asks; a batch is refused, as on Nostr.
        """
        while True:
            try:
                line = await self._reader.readline()
            except ValueError:
                raise HostGone(f"the host wrote a line of more than {MAX_LINE} bytes") from None
            if not line:
                return await self._hear_the_rest(client)
            if line.strip():
                self._pass_on(client, line)
            # A line that is there already is read without a pause: relays would wait for a host that says much.
            await asyncio.sleep(0)

    async def _hear_the_rest(self, client: NostrClient) -> None:
        """Wait for the answers that are still to come, as long as the host is there to read them."""
        waiting = [asyncio.ensure_future(one) for one in (client.answered(), self._end.closed.wait())]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waiting:
                one.cancel()

    def _pass_on(self, client: NostrClient, line: bytes) -> None:
        try:
            message = jsonrpc.parse(strict_json.parse(line))
        except Violation as violation:
            self.say(Error(None, jsonrpc.answer_code(violation), f"{violation.where}: {violation.detail}"))
        else:
            client.send(message)
