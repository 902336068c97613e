"""WebSockets as this package uses them: text as bytes, uncompressed, bounded. Only this module imports `websockets`."""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal
from urllib.parse import urlsplit

from websockets.asyncio import client, server
from websockets.asyncio.connection import Connection
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.frames import DATA_OPCODES, Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import CLIENT, Event, State

from ..nostr.errors import shown

LOOPBACK_NAMES = ("localhost", "::1")
# Bytes that wait for others to leave with: enough to share a system call among many messages, and few enough that the
# peer can begin while we go on.
BURST = 1 << 13

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


class _Leaving:
    """The connections with something to send, in the order in which it was written. They leave together."""

    __slots__ = ("_connections",)

    def __init__(self) -> None:
        self._connections: list[_Connection] = []

    def add(self, connection: _Connection) -> None:
        self._connections.append(connection)
        if len(self._connections) == 1:
            connection.loop.call_soon(self.now)

    def now(self) -> None:
        connections, self._connections = self._connections, []
        for connection in connections:
            connection.leave()


class _Connection(Connection):
    """The library's connection with a shorter way in and out: a message is read without a task for it, and messages
    written in one turn of the loop leave in one system call."""

    leaving: _Leaving

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.messages: deque[bytes] = deque()
        self.is_held = False
        self.is_deaf = False
        self.waiter: asyncio.Future[None] | None = None
        self._part: bytearray | None = None
        self._outgoing: list[bytes] = []
        self.outgoing_bytes = 0

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._wake()

    def process_event(self, event: Event) -> None:
        if not isinstance(event, Frame) or event.opcode not in DATA_OPCODES:
            super().process_event(event)
        elif event.fin and self._part is None:
            self._put(bytes(event.data))
        else:
            self._part = self._part or bytearray()
            self._part += event.data
            if event.fin:
                self._put(bytes(self._part))
                self._part = None

    def _put(self, message: bytes) -> None:
        if self.is_deaf:
            return
        self.messages.append(message)
        if len(self.messages) >= (self.max_queue_high or 1) and not self.is_held:
            self.is_held = True
            self.transport.pause_reading()
        self._wake()

    def _wake(self) -> None:
        waiter, self.waiter = self.waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def let_come(self) -> None:
        """Read again from a peer that was held back."""
        self.is_held = False
        if not self.transport.is_closing():
            self.transport.resume_reading()

    def write(self, frame: bytes) -> None:
        """Send a frame before this turn of the loop ends; at once if much has gathered."""
        if self.protocol.state is not State.OPEN:
            return
        self._outgoing.append(frame)
        self.outgoing_bytes += len(frame)
        if self.outgoing_bytes >= BURST:
            self.leave()
        elif len(self._outgoing) == 1:
            self.leaving.add(self)

    def leave(self) -> None:
        """Send what has gathered, unless goodbye was said."""
        gathered, self._outgoing, self.outgoing_bytes = self._outgoing, [], 0
        if gathered and self.protocol.state is State.OPEN:
            self.transport.write(b"".join(gathered))


class _ClientConnection(_Connection, client.ClientConnection):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.leaving = _Leaving()


class Socket:
    """One open connection, of either side."""

    __slots__ = ("_connection", "_masks")

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection
        self._masks = connection.protocol.side is CLIENT

    async def receive(self) -> bytes:
        """The next message. While nobody asks for one, the peer is held back."""
        connection = self._connection
        messages = connection.messages
        while not messages:
            if connection.state is State.CLOSED:
                raise SocketClosed(_why(connection.close_exc))
            if connection.is_held:
                connection.let_come()
            # What answers the messages read so far need not wait for the end of this turn.
            connection.leaving.now()
            connection.waiter = connection.loop.create_future()
            await connection.waiter
        return messages.popleft()

    def write(self, message: bytes) -> None:
        """Send without waiting for the peer to read; `unsent` tells how much it has left lying."""
        self._connection.write(_frame(message, self._masks))

    async def send(self, message: bytes) -> None:
        """Send, and wait while the peer has too much left to read."""
        if self._connection.state is not State.OPEN:
            raise SocketClosed("the connection has ended")
        self.write(message)
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
        return self._connection.outgoing_bytes + self._connection.transport.get_write_buffer_size()

    @property
    def request_headers(self) -> Mapping[str, str]:
        request = self._connection.request
        return {} if request is None else request.headers

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """Say goodbye, and wait a moment for the peer to do the same."""
        connection = self._connection
        connection.leave()
        connection.is_deaf = True
        if connection.is_held:
            connection.let_come()
        await connection.close(code, reason)

    def abort(self) -> None:
        """End the connection at once, as a cut cable would."""
        self._connection.transport.abort()


def _frame(message: bytes, mask: bool) -> bytes:
    return Frame(Opcode.TEXT, message).serialize(mask=mask)


def write_all(sockets: Iterable[Socket], message: bytes) -> None:
    """Send one message to many that connected to us, without waiting for any."""
    frame = _frame(message, mask=False)
    for socket in sockets:
        socket._connection.write(frame)


def is_loopback(host: str) -> bool:
    """Whether a host's name or address can only mean this machine."""
    return host in LOOPBACK_NAMES or (host.startswith("127.") and host.replace(".", "").isdigit())


class _Connect(client.connect):
    """The library's way to a connection, without redirections: nobody has chosen the place that a relay sends us to."""

    def process_redirect(self, exc: Exception) -> Exception:
        return exc


async def connect(url: str, limits: SocketLimits) -> Socket:
    """A connection to a relay. A proxy from the environment is used, except towards this machine."""
    try:
        proxy: Literal[True] | None = None if is_loopback(urlsplit(url).hostname or "") else True
        connection = await _Connect(
            url,
            create_connection=_ClientConnection,
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
        raise SocketClosed(_unreachable(problem)) from None
    except (WebSocketException, ValueError, EOFError, ImportError) as problem:
        raise SocketClosed(f"no WebSocket there: {shown(str(problem))}") from None
    assert isinstance(connection, _Connection)
    return Socket(connection)


def _unreachable(problem: OSError) -> str:
    """The system's words for a connection that failed, where the loop has put its own in their place."""
    if problem.errno and (problem.strerror or "").startswith("Connect call failed"):
        return os.strerror(problem.errno)
    return problem.strerror or "it cannot be reached"


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
        assert isinstance(connection, _Connection)
        await serve(Socket(connection))

    class Joined(_Connection, server.ServerConnection):
        leaving = _Leaving()  # one for all: what one says leads to messages for others

    options: dict[str, Any] = {"backlog": 1024}
    listening = await server.serve(
        handle,
        host,
        port,
        create_connection=Joined,
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
