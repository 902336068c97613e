"""A proxy: a server on Nostr as a local MCP server on standard input and output, for any MCP host to launch."""

from __future__ import annotations

import asyncio
import contextlib
from typing import BinaryIO

from ..mcp import jsonrpc
from ..mcp.jsonrpc import Error, Message
from ..nostr import Violation, strict_json
from .client import NostrClient

# Bytes: the longest line that is read from the host, and what a host may leave unread before it counts as gone.
MAX_LINE = 1 << 25
MAX_UNREAD = 1 << 26


class HostGone(Exception):
    """The host reads no more."""


class Host:
    """The MCP host that launched us, at the other end of two pipes; files serve as well."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._source = source
        self._target = target
        self._reader = asyncio.StreamReader(limit=MAX_LINE)
        self._read: asyncio.ReadTransport | None = None
        self._write: asyncio.WriteTransport | None = None

    async def __aenter__(self) -> Host:
        loop = asyncio.get_running_loop()
        try:
            self._read, _ = await loop.connect_read_pipe(
                lambda: asyncio.StreamReaderProtocol(self._reader), self._source
            )
        except ValueError:  # a file: all of it is there
            self._reader.feed_data(self._source.read())
            self._reader.feed_eof()
        with contextlib.suppress(ValueError):
            self._write, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._target)
        return self

    async def __aexit__(self, *_: object) -> None:
        for transport in (self._read, self._write):
            if transport is not None:
                transport.close()

    def say(self, message: Message) -> None:
        """Give the host a message; one that has left too much unread is told no more."""
        line = strict_json.dump(jsonrpc.to_value(message)) + b"\n"
        if self._write is None:
            self._target.write(line)
            self._target.flush()
        elif self._write.get_write_buffer_size() > MAX_UNREAD:
            self._reader.set_exception(HostGone("the host has left too much unread"))
        else:
            self._write.write(line)

    async def converse(self, client: NostrClient) -> None:
        """Give the server what the host says, line by line, until the host says no more.

        What is no message is answered as JSON-RPC asks; a batch is refused, as on Nostr.
        """
        while True:
            try:
                line = await self._reader.readline()
            except ValueError:
                raise HostGone(f"the host wrote a line of more than {MAX_LINE} bytes") from None
            if not line:
                return
            if line.strip():
                self._pass_on(client, line)

    def _pass_on(self, client: NostrClient, line: bytes) -> None:
        try:
            message = jsonrpc.parse(strict_json.parse(line))
        except Violation as violation:
            self.say(Error(None, jsonrpc.answer_code(violation), f"{violation.where}: {violation.detail}"))
        else:
            client.send(message)
