"""Sockets that are there and dead, half open, or lead elsewhere, beside a relay that works."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from nostrmcp.nostr import Filter
from nostrmcp.runtime import discover
from nostrmcp.runtime import relay as relay_module
from nostrmcp.runtime.loopback import LoopbackRelay, RelayLimits
from nostrmcp.runtime.relay import MAX_CHALLENGES, Relay, RelaySettings
from nostrmcp.runtime.reports import Changed, PublishError, Reason, State
from nostrmcp.runtime.websocket import SocketLimits
from nostrmcp.session.settings import McpServer

from ..helpers import ALICE, GUARD, Gate, at_once, event, run, until
from .world import PROVIDER, Backend, Wire, call, client_of, server_settings, serving, sizes

# Short, because they have to pass; nothing but the end of a dead connection depends on them.
IMPATIENT = RelaySettings(
    publish_timeout=GUARD,
    socket=SocketLimits(open_timeout=0.05, ping_interval=0.05, ping_timeout=0.05, close_timeout=0.05),
)
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(serve: Serve) -> AsyncIterator[str]:
    """A port on which anything may happen to a connection."""
    writers: list[asyncio.StreamWriter] = []

    async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        await serve(reader, writer)

    server = await asyncio.start_server(served, "127.0.0.1", 0)
    try:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        # One that was accepted last is told of in the turns that follow, and an aborted one closed in the next.
        for _ in range(5):
            await asyncio.sleep(0)
            for writer in writers:
                writer.transport.abort()
        await server.wait_closed()


async def shake_hands(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The handshake of a WebSocket, and then whatever the caller does."""
    request = (await reader.readuntil(b"\r\n\r\n")).decode()
    [key] = [line.split(": ")[1] for line in request.split("\r\n") if line.lower().startswith("sec-websocket-key")]
    accept = base64.b64encode(hashlib.sha1(f"{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()).digest()).decode()
    writer.write(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
    )


def text(message: object) -> bytes:
    """A text frame of a server."""
    payload = json.dumps(message).encode()
    length = bytes([len(payload)]) if len(payload) < 126 else b"\x7e" + len(payload).to_bytes(2)
    return b"\x81" + length + payload


async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Accepted, and never a word."""


async def deafness(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A WebSocket that opens, and then neither reads nor writes."""
    await shake_hands(reader, writer)
    writer.transport.pause_reading()  # type: ignore[attr-defined]


@pytest.mark.parametrize("dead", [silence, deafness])
@run
async def test_a_dead_socket_beside_a_relay_holds_back_nobody(dead: Serve) -> None:
    backend = Backend()
    async with listening(dead) as url, LoopbackRelay() as steady:
        urls = [url, steady.url]
        async with serving(urls, backend) as gateway, client_of(urls) as client:
            marks = [f"{number}" for number in range(30)]
            assert await asyncio.gather(*(call(client, mark) for mark in marks)) == marks
            assert sizes(gateway)["outstanding"] <= 30
    assert sorted(backend.marks) == sorted(marks)


@run
async def test_a_dead_socket_does_not_keep_a_server_from_being_found() -> None:
    """Once a relay has shown the server, the dead one is not waited for to the end."""
    settings = server_settings(servers=(McpServer("mcp", announced=True),))
    wire = Wire()
    async with (
        listening(silence) as url,
        LoopbackRelay(record=wire.record) as steady,
        serving([steady.url], Backend(), settings),
    ):
        await wire.until(lambda direction, frame: direction == "out" and frame.startswith(b'["OK"'))
        found = await discover.search([url, steady.url], seconds=10_000, patience=0)
        assert [one.about.pubkey for one in found.servers] == [PROVIDER.public_key.x]
        assert found.silent == {url: "no answer in time"}


@pytest.mark.parametrize(
    ("dead", "why"), [(silence, "no answer in time"), (deafness, "no answer to a ping in time")]
)  # fmt: skip
@run
async def test_a_dead_socket_is_noticed_and_tried_again(dead: Serve, why: str) -> None:
    gate = Gate()
    async with listening(dead) as url, Relay(url, settings=IMPATIENT, sleep=gate.sleep) as relay:
        lost = await until(relay, lambda one: isinstance(one, Changed) and one.state is State.WAITING)
        assert isinstance(lost, Changed) and lost.why == why
        await gate.waiting.wait()
        gate.open()
        await until(relay, lambda one: isinstance(one, Changed) and one.state is State.CONNECTING)


@run
async def test_a_peer_that_stops_reading_is_given_a_bounded_amount() -> None:
    """What it leaves unread is bounded; what is published beyond that is refused at once, by name."""
    settings = RelaySettings(unsent=1 << 16)
    async with listening(deafness) as url, Relay(url, settings=settings) as relay:
        await until(relay, lambda one: isinstance(one, Changed) and one.state is State.UP)
        outcomes: list[PublishError | None] = []
        for number in range(1000):
            relay.offer(event("x" * 60_000, at=number), outcomes.append)
            await asyncio.sleep(0)
            if outcomes:
                break
        assert [one.reason for one in outcomes if one is not None] == [Reason.QUEUE_FULL]
        assert relay._socket is not None and relay._socket.unsent < (1 << 16) + 70_000
        assert len(relay._publications) < 1000


@run
async def test_a_relay_that_never_says_ok_has_a_bounded_number_pending() -> None:
    async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await shake_hands(reader, writer)
        while await reader.read(1 << 16):
            pass

    outcomes: list[PublishError | None] = []
    async with listening(mute) as url, Relay(url, settings=RelaySettings(pending=10)) as relay:
        await until(relay, lambda one: isinstance(one, Changed) and one.state is State.UP)
        for number in range(100):
            relay.offer(event(at=number), outcomes.append)
        assert len(relay._publications) == 10
    assert [one.reason for one in outcomes if one is not None] == [Reason.TIMED_OUT] * 90 + [Reason.CLOSED] * 10


@run
async def test_who_is_told_of_a_loss_may_publish_at_once_and_the_relay_is_tried_again() -> None:
    """The first of two that fail publishes three more, for which the second has to make room while all are failing."""
    there = asyncio.Event()

    async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await shake_hands(reader, writer)
        await reader.read(1 << 16)
        there.set()
        await reader.read()

    outcomes: dict[str, list[Reason | None]] = {}

    def told(name: str) -> Callable[[PublishError | None], None]:
        def tell(error: PublishError | None) -> None:
            outcomes.setdefault(name, []).append(None if error is None else error.reason)
            if name == "a":
                for other in ("c", "d", "e"):
                    relay.offer(event(other), told(other))

        return tell

    gate = Gate()
    settings = RelaySettings(pending=2, attempts=1)
    async with listening(mute) as url, Relay(url, settings=settings, sleep=gate.sleep) as relay:
        await until(relay, lambda one: isinstance(one, Changed) and one.state is State.UP)
        for name in ("a", "b"):
            relay.offer(event(name), told(name))
        await there.wait()
        assert relay._socket is not None
        relay._socket.abort()
        await gate.waiting.wait()
        await asyncio.sleep(0)
        assert outcomes == {"a": [Reason.DISCONNECTED], "b": [Reason.TIMED_OUT], "e": [Reason.QUEUE_FULL]}
        gate.open()
        await until(relay, lambda one: isinstance(one, Changed) and one.state is State.UP)
    assert outcomes["c"] == outcomes["d"] == [Reason.CLOSED]


@run
async def test_a_relay_that_challenges_without_end_gets_a_bounded_number_of_signatures() -> None:
    """It sends challenges and reads nothing: each answer would lie in our memory."""

    async def inquisitive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await shake_hands(reader, writer)
        for number in range(500):
            writer.write(text(["AUTH", f"{number}"]))
        writer.write(text(["NOTICE", "done"]))

    signed: list[object] = []
    original = relay_module.nip42.build

    def counted(*given: object, **more: object) -> object:
        signed.append(more)
        return original(*given, **more)  # type: ignore[arg-type]

    relay_module.nip42.build = counted  # type: ignore[assignment]
    try:
        async with listening(inquisitive) as url, Relay(url, key=ALICE) as relay:
            await until(relay, lambda one: type(one).__name__ == "Noticed")
    finally:
        relay_module.nip42.build = original
    assert len(signed) == MAX_CHALLENGES


@run
async def test_a_relay_that_sends_us_elsewhere_is_not_followed() -> None:
    """Nobody chose the other place: it may be a service on this machine that trusts whoever is on it."""
    async with LoopbackRelay() as elsewhere:

        async def redirect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(f"HTTP/1.1 302 Found\r\nLocation: {elsewhere.url}\r\nContent-Length: 0\r\n\r\n".encode())

        gate = Gate()
        async with listening(redirect) as url, Relay(url, sleep=gate.sleep) as relay:
            lost = await until(relay, lambda one: isinstance(one, Changed) and one.state is State.WAITING)
            assert isinstance(lost, Changed) and lost.why.startswith("no WebSocket there: ") and "302" in lost.why
        assert elsewhere._count == 0


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\x00" * 1000,
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi\n",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        b"HTTP/1.1 101 \x1b[31m\r\nUpgrade: \x1b[31m\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: no\r\n\r\n",
        b"HTTP/1.1 101 " + b"x" * 100_000,
        b"HTTP/1.1 301 Moved\r\nLocation: http://[\r\n\r\n",
    ],
)
@run
async def test_what_is_no_relay_is_said_to_be_none_and_tried_again(answer: bytes) -> None:
    async def strange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async with listening(strange) as url, Relay(url, sleep=at_once) as relay:
        for _ in range(3):
            lost = await until(relay, lambda one: isinstance(one, Changed) and one.state is State.WAITING)
            assert isinstance(lost, Changed) and lost.why and lost.why.isprintable() and "defect" not in lost.why
            assert len(lost.why) < 500


@run
async def test_a_client_of_the_relay_that_goes_silent_is_dropped_by_the_relay() -> None:
    limits = RelayLimits(socket=SocketLimits(ping_interval=0.05, ping_timeout=0.05, close_timeout=0.05))
    async with LoopbackRelay(limits=limits) as relay:
        host, port = relay.url.removeprefix("ws://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(
            b"GET / HTTP/1.1\r\nHost: relay\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        await reader.readuntil(b"\r\n\r\n")
        while relay.connections == 0:
            await asyncio.sleep(0)
        while relay.connections:
            await asyncio.sleep(0)
        writer.close()


@run
async def test_a_defect_in_the_connection_is_told_and_does_not_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Something raises that never should: the relay is tried again, and does not look like a silent one."""
    real, times = relay_module.connect, [0]

    async def connect(url: str, limits: SocketLimits) -> object:
        times[0] += 1
        if times[0] == 1:
            raise KeyError("a secret")
        return await real(url, limits)

    monkeypatch.setattr(relay_module, "connect", connect)
    async with LoopbackRelay() as there, Relay(there.url, sleep=at_once) as relay:
        relay.subscribe("s", Filter(kinds=frozenset({1})))
        lost = await until(relay, lambda one: isinstance(one, Changed) and one.state is State.WAITING)
        assert isinstance(lost, Changed) and lost.why == "a defect of nostrmcp: KeyError"
        await until(relay, lambda one: isinstance(one, Changed) and one.state is State.UP)
