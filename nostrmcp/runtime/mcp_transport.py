"""A transport for the official Python SDK (the extra `mcp`): its clients and servers over Nostr, unchanged.

    async with nostr_client(settings, key, relays) as (read, write), ClientSession(read, write) as session: ...
    async with Client(nostr_client(settings, key, relays)) as client: ...
    async with nostr_server(settings, key, relays, lambda link: MCPServer("notes")) as gateway: await gateway.wait()

What relays reorder is put in order on our side: a notification of a subscription waits for the acknowledgement.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from types import TracebackType
from typing import Any

import anyio
from anyio.lowlevel import checkpoint
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.server import NotificationOptions, Server
from mcp.server.mcpserver import MCPServer
from mcp.shared.message import SessionMessage

from ..mcp import jsonrpc
from ..mcp.jsonrpc import Message
from ..nostr import SecretKey
from ..session.actions import Link
from ..session.settings import ClientSettings, ServerSettings
from .client import NostrClient
from .gateway import Gateway
from .pool import Pool
from .stdio import Gone, Said

# Messages that the SDK may leave unread before its side of the conversation counts as gone.
MAX_UNREAD = 1024
# Seconds that a server has to end after its input has ended, and once more after it was cancelled.
GRACE = 2.0

Read = MemoryObjectReceiveStream[SessionMessage | Exception]
MakeServer = Callable[[Link], Server[Any] | MCPServer]


class Write:
    """The stream that the SDK writes to: what it says is heard at once."""

    def __init__(self, heard: Said) -> None:
        self._heard = heard
        self._is_closed = False

    async def send(self, item: SessionMessage, /) -> None:
        await checkpoint()
        if self._is_closed:
            raise anyio.ClosedResourceError
        self._heard(_message(item))

    async def aclose(self) -> None:
        self._is_closed = True

    async def __aenter__(self) -> Write:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class _Unread:
    """The other direction: what the SDK has still to read, and what to do when that is too much."""

    def __init__(self, too_much: Callable[[], None]) -> None:
        self._put: MemoryObjectSendStream[SessionMessage | Exception]
        self.read: Read
        self._put, self.read = anyio.create_memory_object_stream(MAX_UNREAD)
        self._too_much = too_much

    def put(self, message: Message) -> None:
        try:
            self._put.send_nowait(_session_message(message))
        except anyio.WouldBlock:
            self._too_much()
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            pass  # nobody reads any more

    def end(self) -> None:
        """The SDK reads what is there, and then the end."""
        self._put.close()

    def close(self) -> None:
        self.end()
        self.read.close()


def _message(item: SessionMessage) -> Message:
    value = item.message.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return jsonrpc.parse({name: member for name, member in value.items() if member is not None})


def _session_message(message: Message) -> SessionMessage | Exception:
    """What the SDK cannot read it is given as the exception, as by its own transports."""
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_python(jsonrpc.to_value(message), by_name=False))
    except ValueError as problem:
        return problem


@asynccontextmanager
async def nostr_client(
    settings: ClientSettings, key: SecretKey, relays: Sequence[str], **options: Any
) -> AsyncGenerator[tuple[Read, Write], None]:
    """One server on Nostr, as the streams that the SDK's clients take. `options` are those of NostrClient."""
    unread = _Unread(lambda: unread.end())
    client = NostrClient(settings, key, Pool(relays, key=key), unread.put, **options)
    await client.__aenter__()
    try:
        yield unread.read, Write(client.send)
    finally:
        unread.close()
        with anyio.CancelScope(shield=True):
            await client.__aexit__()


@asynccontextmanager
async def nostr_server(
    settings: ServerSettings,
    key: SecretKey,
    relays: Sequence[str],
    make: MakeServer,
    changes: NotificationOptions | None = None,
    **options: Any,
) -> AsyncGenerator[Gateway, None]:
    """A gateway to servers of the SDK. `make` gives one for each link: for each client, or for all where it is shared.

    `changes` is what the servers say of themselves about changing lists; `options` are those of Gateway.
    """
    connect = partial(_SdkServer, make, changes)
    gateway = Gateway(settings, key, Pool(relays, key=key), connect, **options)
    await gateway.__aenter__()
    try:
        yield gateway
    finally:
        with anyio.CancelScope(shield=True):
            await gateway.stop()


class _SdkServer:
    """A server of the SDK at the end of a link, in a task of its own."""

    def __init__(
        self, make: MakeServer, changes: NotificationOptions | None, link: Link, said: Said, gone: Gone
    ) -> None:
        self._gone = gone
        self._why = "it has ended"
        self._is_closing = False
        self._unread = _Unread(self._too_slow)
        self._task = asyncio.get_running_loop().create_task(self._run(partial(make, link), changes, Write(said)))
        self._task.add_done_callback(self._ended)

    def send(self, message: Message) -> None:
        self._unread.put(message)

    async def close(self) -> None:
        self._is_closing = True
        self._unread.end()
        await asyncio.wait({self._task}, timeout=GRACE)
        self._task.cancel()
        await asyncio.wait({self._task}, timeout=GRACE)

    async def _run(
        self, make: Callable[[], Server[Any] | MCPServer], changes: NotificationOptions | None, write: Write
    ) -> None:
        made = make()
        # The SDK has no public name yet for the server inside an MCPServer; its own transports use this one.
        server: Server[Any] = made._lowlevel_server if isinstance(made, MCPServer) else made
        await server.run(self._unread.read, write, server.create_initialization_options(changes))

    def _too_slow(self) -> None:
        self._why = f"it left {MAX_UNREAD} messages unread"
        self._task.cancel()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._unread.close()
        problem = None if task.cancelled() else task.exception()
        if not self._is_closing:
            self._gone(self._why if problem is None else f"it broke: {problem!r}")
