"""WebSockets as the runtime uses them: nothing is lost, nothing grows without bound, many messages share a call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from nostrmcp.runtime.websocket import BURST, Socket, SocketClosed, SocketLimits, connect, listen, write_all

from .helpers import run

LIMITS = SocketLimits(queue=8)


@asynccontextmanager
async def listening(serve: Callable[[Socket], Awaitable[None]]) -> AsyncIterator[str]:
    listener = await listen(serve, "127.0.0.1", 0, LIMITS, lambda headers: None)
    try:
        yield f"ws://127.0.0.1:{listener.address[1]}"
    finally:
        await listener.close()


class Heard:
    """A server's side: what it heard, and a socket to answer with."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []
        self.sockets: list[Socket] = []
        self.joined = asyncio.Event()
        self.over = asyncio.Event()
        self.may_read = asyncio.Event()
        self.may_read.set()

    async def serve(self, socket: Socket) -> None:
        self.sockets.append(socket)
        self.joined.set()
        try:
            while True:
                await self.may_read.wait()
                self.messages.append(await socket.receive())
        except SocketClosed:
            self.over.set()


def count_writes(socket: Socket, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of what goes to the system from now on."""
    transport = socket._connection.transport
    lengths: list[int] = []
    write = transport.write

    def counted(data: Any) -> None:
        lengths.append(len(data))
        write(data)

    monkeypatch.setattr(transport, "write", counted)
    return lengths


@run
async def test_messages_of_one_turn_leave_together_and_in_order() -> None:
    heard = Heard()
    async with listening(heard.serve) as url:
        socket = await connect(url, LIMITS)
        with pytest.MonkeyPatch.context() as monkeypatch:
            lengths = count_writes(socket, monkeypatch)
            said = [b"%d" % number for number in range(20)]
            for message in said:
                socket.write(message)
            assert lengths == [] and socket.unsent > 20
            await socket.close()
        assert len(lengths) == 2  # the messages, and goodbye
        await heard.over.wait()
        assert heard.messages == said


@run
async def test_much_does_not_wait_for_the_end_of_the_turn() -> None:
    heard = Heard()
    async with listening(heard.serve) as url:
        socket = await connect(url, LIMITS)
        with pytest.MonkeyPatch.context() as monkeypatch:
            lengths = count_writes(socket, monkeypatch)
            for _ in range(4):
                socket.write(b"x" * (BURST // 2))
            assert len(lengths) == 2
        await socket.close()
        await heard.over.wait()
        assert list(map(len, heard.messages)) == [BURST // 2] * 4


@run
async def test_one_message_to_many_that_connected() -> None:
    heard = Heard()
    async with listening(heard.serve) as url:
        clients = []
        for _ in range(3):
            heard.joined.clear()
            clients.append(await connect(url, LIMITS))
            await heard.joined.wait()
        write_all(heard.sockets, b"to all")
        assert [await client.receive() for client in clients] == [b"to all"] * 3
        for client in clients:
            client.abort()


@run
async def test_who_does_not_read_holds_the_peer_back_and_loses_nothing() -> None:
    heard = Heard()
    async with listening(heard.serve) as url:
        socket = await connect(url, LIMITS)
        await heard.joined.wait()
        await socket.send(b"first")
        while not heard.messages:
            await asyncio.sleep(0)
        heard.may_read.clear()
        long = b"x" * 60_000
        count = 0
        while not socket._connection.paused and count < 1000:  # until the system takes no more
            socket.write(long)
            count += 1
            await asyncio.sleep(0)
        waiting = heard.sockets[0]._connection.messages
        assert heard.sockets[0]._connection.is_held
        assert len(waiting) <= LIMITS.queue + 6  # a read brings 256 KiB at most
        heard.may_read.set()
        await socket.send(b"last")
        while heard.messages[-1] != b"last":
            await asyncio.sleep(0)
        assert heard.messages.count(long) == count
        socket.abort()


@run
async def test_what_came_before_goodbye_is_still_received() -> None:
    async def serve(socket: Socket) -> None:
        for number in range(5):
            socket.write(b"%d" % number)
        await socket.close(1000, "enough")

    async with listening(serve) as url:
        socket = await connect(url, LIMITS)
        await socket._connection.wait_closed()
        assert [await socket.receive() for _ in range(5)] == [b"0", b"1", b"2", b"3", b"4"]
        with pytest.raises(SocketClosed, match="it closed with code 1000: enough"):
            await socket.receive()


def frame(opcode: int, data: bytes, *, last: bool) -> bytes:
    """A short frame of a client, its mask all zeros."""
    return bytes([opcode | (0x80 if last else 0), 0x80 | len(data)]) + bytes(4) + data


@run
async def test_a_message_in_parts_is_one_message() -> None:
    text, more, ping = 1, 0, 9
    heard = Heard()
    async with listening(heard.serve) as url:
        socket = await connect(url, LIMITS)
        parts = frame(text, b"", last=False), frame(more, b"in ", last=False), frame(ping, b"", last=True)
        rest = frame(more, b"", last=False), frame(more, b"parts", last=True), frame(text, b"whole", last=True)
        for part in parts + rest:
            socket._connection.transport.write(part)
            await asyncio.sleep(0)
        await socket.close()
        await heard.over.wait()
        assert heard.messages == [b"in parts", b"whole"]


@run
async def test_parts_may_not_grow_beyond_the_limit() -> None:
    heard = Heard()
    async with listening(heard.serve) as url:
        socket = await connect(url, SocketLimits())
        await heard.joined.wait()
        transport = socket._connection.transport
        transport.write(frame(1, b"x" * 100, last=False))
        part = frame(0, b"x" * 100, last=False)
        for _ in range(LIMITS.frame // 100 + 1):
            transport.write(part)
        with pytest.raises(SocketClosed, match="above the limit"):
            await socket.receive()
        await heard.over.wait()
        assert heard.messages == []


@run
async def test_who_is_held_back_can_still_take_leave() -> None:
    heard = Heard()
    async with listening(heard.serve) as url:
        socket = await connect(url, LIMITS)
        await heard.joined.wait()
        for number in range(100):
            heard.sockets[0].write(b"%d" % number)
        while not socket._connection.is_held:
            await asyncio.sleep(0)
        for _ in range(20):  # more than one read brings lies there when leave is taken
            heard.sockets[0].write(b"x" * 60_000)
        await socket.close()
        await heard.over.wait()
        assert socket._connection.protocol.close_code == 1000
