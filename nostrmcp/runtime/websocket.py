"""WebSockets as this package uses them: text as bytes, uncompressed, bounded. Only this module imports `websockets`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal
from urllib.parse import urlsplit

from websockets.asyncio import client, server
from websockets.asyncio.connection import Connection, broadcast
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.http11 import Request, Response
from websockets.protocol import State

from ..nostr.errors import shown

LOOPBACK_NAMES = ("localhost", "::1")

# What strangers send is told to callers by name; it is not written to anybody's log.
_silent = logging.getLogger("nostrmcp.runtime.websocket")
_silent.addHandler(logging.NullHandler())
_silent.propagate = False


class SocketClosed(Exception):
    """The connection could not be made, or has ended; the message says why, and repeats no stranger's text raw."""


@dataclass(frozen=True, slots=True)
class SocketLimits:
    """Bytes, messages and seconds. A message above `frame` ends the connection, as does a ping without an answer."""

    frame: int = 1 << 20
    queue: int = 64
    written: int = 1 << 16
    open_timeout: float = 10.0
    ping_interval: float | None = 20.0
    ping_timeout: float | None = 20.0
    close_timeout: float = 2.0


class Socket:
    """One open connection, of either side."""

    __slots__ = ("_connection",)

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def receive(self) -> bytes:
        """The next message. While nobody asks for one, the peer is held back."""
        try:
            return await self._connection.recv(decode=False)
        except ConnectionClosed as closed:
            raise SocketClosed(_why(closed)) from None

    def write(self, message: bytes) -> None:
        """Send without waiting for the peer to read; `unsent` tells how much it has left lying."""
        broadcast((self._connection,), message, text=True)

    async def send(self, message: bytes) -> None:
        """Send, and wait while the peer has too much left to read."""
        connection = self._connection
        if connection.state is not State.OPEN:
            raise SocketClosed("the connection has ended")
        broadcast((connection,), message, text=True)
        await self.flush()

    async def flush(self) -> None:
        """Wait while the peer has too much left to read."""
        if self._connection.paused:
            try:
                await self._connection.drain()
            except OSError as problem:
                raise SocketClosed(problem.strerror or "the connection has ended") from None

    @property
    def unsent(self) -> int:
        """Bytes that were written and that the system has not taken yet."""
        return self._connection.transport.get_write_buffer_size()

    @property
    def request_headers(self) -> Mapping[str, str]:
        request = self._connection.request
        return {} if request is None else request.headers

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """Say goodbye, and wait a moment for the peer to do the same."""
        await self._connection.close(code, reason)

    def abort(self) -> None:
        """End the connection at once, as a cut cable would."""
        self._connection.transport.abort()


def write_all(sockets: Iterable[Socket], message: bytes) -> None:
    """Send one message to many, without waiting for any."""
    broadcast([socket._connection for socket in sockets], message, text=True)


def is_loopback(host: str) -> bool:
    """Whether a host's name or address can only mean this machine."""
    return host in LOOPBACK_NAMES or (host.startswith("127.") and host.replace(".", "").isdigit())


async def connect(url: str, limits: SocketLimits) -> Socket:
    """A connection to a relay. A proxy from the environment is used, except towards this machine."""
    try:
        proxy: Literal[True] | None = None if is_loopback(urlsplit(url).hostname or "") else True
        connection = await client.connect(
            url,
            compression=None,
            proxy=proxy,
            open_timeout=limits.open_timeout,
            ping_interval=limits.ping_interval,
            ping_timeout=limits.ping_timeout,
            close_timeout=limits.close_timeout,
            max_size=limits.frame,
            max_queue=limits.queue,
            write_limit=limits.written,
            logger=_silent,
        )
    except TimeoutError:
        raise SocketClosed("no answer in time") from None
    except OSError as problem:
        raise SocketClosed(problem.strerror or "it cannot be reached") from None
    except (InvalidURI, InvalidHandshake, ValueError, EOFError) as problem:
        raise SocketClosed(f"no WebSocket there: {shown(str(problem))}") from None
    return Socket(connection)


@dataclass(frozen=True, slots=True)
class Answer:
    """A page instead of a WebSocket."""

    status: HTTPStatus
    body: bytes
    headers: Mapping[str, str]


class Listener:
    """A port on which connections are taken."""

    def __init__(self, listening: server.Server) -> None:
        self._server = listening

    @property
    def address(self) -> tuple[str, int]:
        host, port = self._server.sockets[0].getsockname()[:2]
        return host, port

    async def close(self) -> None:
        """Take no more connections, and end those there are."""
        self._server.close()
        await self._server.wait_closed()


async def listen(
    serve: Callable[[Socket], Awaitable[None]],
    host: str,
    port: int,
    limits: SocketLimits,
    look: Callable[[Mapping[str, str]], Answer | None],
) -> Listener:
    """Serve connections on a port, 0 for any that is free. `look` sees a request's headers and may answer instead."""

    def answer(_: server.ServerConnection, request: Request) -> Response | None:
        given = look(request.headers)
        if given is None:
            return None
        headers = Headers({**given.headers, "Content-Length": str(len(given.body)), "Connection": "close"})
        return Response(given.status, given.status.phrase, headers, given.body)

    async def handle(connection: server.ServerConnection) -> None:
        await serve(Socket(connection))

    options: dict[str, Any] = {"backlog": 1024}
    listening = await server.serve(
        handle,
        host,
        port,
        compression=None,
        process_request=answer,
        open_timeout=limits.open_timeout,
        ping_interval=limits.ping_interval,
        ping_timeout=limits.ping_timeout,
        close_timeout=limits.close_timeout,
        max_size=limits.frame,
        max_queue=limits.queue,
        write_limit=limits.written,
        server_header=None,
        logger=_silent,
        **options,
    )
    return Listener(listening)


def _why(closed: ConnectionClosed) -> str:
    cause = closed.__cause__
    if isinstance(cause, asyncio.TimeoutError) or (closed.sent is not None and "ping" in closed.sent.reason):
        return "no answer to a ping in time"
    if closed.sent is not None and closed.sent.code == 1009:
        return "a message above the limit"
    if closed.rcvd is not None:
        return f"it closed with code {closed.rcvd.code}" + (
            f": {shown(closed.rcvd.reason)}" if closed.rcvd.reason else ""
        )
    if closed.sent is not None:
        return f"it broke the protocol: {shown(closed.sent.reason)}" if closed.sent.reason else "closed"
    return "the connection was lost"
