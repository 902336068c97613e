"""Many at once: a thousand clients, some that vanish, some that do not read, and floods beside honest work."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest

from nostrmcp.mcp.jsonrpc import Error, ErrorCode, Request
from nostrmcp.nostr import Event, SecretKey, UnsignedEvent, nip59
from nostrmcp.runtime.loopback import LoopbackRelay, RelayLimits
from nostrmcp.runtime.loopback_faults import corrupted
from nostrmcp.runtime.relay import Relay
from nostrmcp.session.actions import Drop
from nostrmcp.session.settings import Encryption, McpServer, ServerLimits

from ..helpers import GUARD, run
from .world import (
    PROVIDER,
    Backend,
    Watch,
    call,
    client_of,
    key,
    pass_time,
    plain_request,
    server_settings,
    serving,
    sizes,
)

IDLE = {
    "sessions": 0, "links": 1, "requests": 0, "upstream": 0, "feeds": 0, "lines": 1, "closing": 0, "outstanding": 0,
    "publications": 0, "inbox": 0,
}  # fmt: skip


@pytest.mark.slow
@run
async def test_a_thousand_clients_at_once() -> None:
    """Each has its connection, its key and its session; all call at once; each gets its own answer, once."""
    backend, watch = Backend(), Watch()
    limits = RelayLimits(connections=2000)
    async with LoopbackRelay(limits=limits) as relay, serving([relay.url], backend, observe=watch) as gateway:
        async with AsyncExitStack() as stack:
            entering = (stack.enter_async_context(client_of([relay.url], number)) for number in range(1000))
            clients = await asyncio.gather(*entering)
            assert relay.connections == 1001
            assert sizes(gateway)["sessions"] == 1000
            marks = [f"{number}" for number in range(1000)]
            said = await asyncio.gather(*(call(client, mark) for client, mark in zip(clients, marks, strict=True)))
            assert said == marks
            assert sorted(backend.marks) == sorted(marks)
            assert sizes(gateway)["requests"] == 0
        # One more than there is room for: an idle session makes room, none with work does.
        async with client_of([relay.url], 1000) as client:
            assert await call(client, "one more") == "one more"
        assert sizes(gateway)["sessions"] == 1000
        assert await gateway._driver.flush(GUARD)
        pass_time(gateway, 3601)
        assert sizes(gateway) == IDLE
    assert watch.defects() == []


@run
async def test_a_client_that_vanishes_with_a_call_under_way() -> None:
    """Its answer goes nowhere and harms nobody; after a while nothing of it is left, and its MCP server is closed."""
    backend = Backend()
    settings = server_settings(servers=(McpServer("mcp", shared=False),))
    async with LoopbackRelay() as relay, serving([relay.url], backend, settings) as gateway:
        async with client_of([relay.url], 1) as client:
            vanishing = asyncio.create_task(call(client, "gone", "hold"))
            await backend.executed("gone")
            # No goodbye: the connection is cut, and nobody comes back.
            client._driver.pool.relays[0]._task.cancel()  # type: ignore[union-attr]
            client._driver.pool.relays[0]._socket.abort()  # type: ignore[union-attr]
        vanishing.cancel()
        backend.let_go()
        async with client_of([relay.url], 2) as other:
            assert await call(other, "other") == "other"
        assert await gateway._driver.flush(GUARD)
        assert sizes(gateway)["requests"] == 0 and sizes(gateway)["sessions"] == 2
        pass_time(gateway, 3601)
        while sizes(gateway)["closing"]:
            await asyncio.sleep(0)
        assert sizes(gateway) == IDLE | {"links": 0, "lines": 0}
        assert len(backend.closed) == len(backend.opened) == 2
    backend.assert_nothing_twice()


@run
async def test_a_client_that_vanishes_while_its_server_asks_it() -> None:
    backend = Backend()
    settings = server_settings(servers=(McpServer("mcp", shared=False),))
    async with LoopbackRelay() as relay, serving([relay.url], backend, settings) as gateway:
        async with client_of([relay.url], 1) as client:
            assert await call(client, "one") == "one"
            [link] = backend.opened
        backend.said[link](Request("roots", "roots/list"))
        assert sizes(gateway)["upstream"] == 1
        pass_time(gateway, 61)
        assert sizes(gateway)["upstream"] == 0
        assert backend.heard[-1] == Error("roots", ErrorCode.INTERNAL_ERROR, "the client did not answer in time")


@run
async def test_a_slow_consumer_of_the_relay_holds_back_nobody() -> None:
    """A subscriber to everything that reads nothing is cut when it has too much to read; calls go on all the time."""
    backend = Backend()
    limits = RelayLimits(unsent=1 << 18)
    async with LoopbackRelay(limits=limits) as relay, serving([relay.url], backend):
        writer = await _websocket(relay.url)
        writer.write(_frame(b'["REQ","all",{}]'))
        while relay.connections < 2:
            await asyncio.sleep(0)
        async with client_of([relay.url]) as client:
            for number in range(600):
                mark = f"{number} " + "x" * 20_000
                assert await call(client, mark) == mark
                if relay.connections < 3:
                    break
            else:
                raise AssertionError("the relay still keeps it all")
        assert max(visitor.socket.unsent for visitor in relay._visitors) <= 2 << 18
        writer.close()
    backend.assert_nothing_twice()


@pytest.mark.parametrize(
    ("policy", "encryption"),
    [(Encryption.OPTIONAL, Encryption.DISABLED), (Encryption.REQUIRED, Encryption.REQUIRED)],
)
@run
async def test_a_flood_of_forged_events_and_strangers_wraps_beside_honest_work(
    policy: Encryption, encryption: Encryption
) -> None:
    """All of the flood is dropped by name; every honest call is answered; nothing of the flood is remembered."""
    backend, watch = Backend(), Watch()
    async with (
        LoopbackRelay() as relay,
        serving([relay.url], backend, server_settings(encryption=policy), observe=watch) as gateway,
        client_of([relay.url], 1, encryption=encryption) as client,
    ):
        assert await call(client, "honest") == "honest"
        known = len(gateway.server.gate.seen)
        forged, wraps = _forged(300, time.time()), _strangers_wraps(300, time.time())
        answers = []
        for number in range(10):
            calling = asyncio.create_task(call(client, f"honest {number}"))
            relay.inject(*forged[number::10], *wraps[number::10])
            answers.append(await calling)
        assert answers == [f"honest {number}" for number in range(10)]
        await watch.until(lambda one: isinstance(one, Drop), 600)
        # The wraps with a request to another server hold a true event, and even that is not remembered.
        assert len(gateway.server.gate.seen) - known == 10
        assert sizes(gateway)["sessions"] == 1
    assert backend.marks == ["honest", *answers]
    drops = watch.drops()
    assert (drops["unsupported_version"], drops["wrong_recipient"]) == (100, 100)
    if policy is Encryption.REQUIRED:
        assert (drops["not_encrypted"], drops["invalid_signature"]) == (300, 100)
    else:
        assert (drops["invalid_signature"], drops["id_mismatch"]) == (200, 200)
    assert sum(drops.values()) == 600 and watch.defects() == []


@run
async def test_a_flood_of_strangers_who_ask_properly_has_a_bounded_share() -> None:
    """Each with a key of its own and a request that does not end: sessions and requests stop at their limits, and when
    there is room again whoever comes is served."""
    backend, watch = Backend(), Watch()
    limits = ServerLimits(sessions=20, pending=20, reserved=0, errors_per_second=50)
    async with (
        LoopbackRelay() as relay,
        Relay(relay.url) as author,
        serving([relay.url], backend, server_settings(limits=limits), observe=watch) as gateway,
    ):
        requests = [plain_request(f"{number}", time.time(), key(number), "hold") for number in range(100)]
        await asyncio.gather(*(author.publish(request) for request in requests))
        await watch.until(lambda one: isinstance(one, Drop), 80)
        assert sizes(gateway)["sessions"] == 20 and sizes(gateway)["requests"] == 20
        assert len(backend.marks) == 20 and watch.drops() == {"no_room": 80}
        backend.let_go()
        async with client_of([relay.url], 200) as client:
            assert await call(client, "after") == "after"
    assert watch.defects() == []
    backend.assert_nothing_twice()


def _forged(count: int, at: float) -> list[Event]:
    """Requests with a wrong signature, with another's signature, and with a changed content, each a different one."""
    events = []
    for number in range(count):
        true = plain_request(f"forged {number}", at, key(number % 7))
        match number % 3:
            case 0:
                events.append(corrupted(true))
            case 1:
                events.append(replace(true, content=true.content.replace("forged", "changed")))
            case _:
                events.append(replace(true, pubkey=key(99).public_key.x))
    return events


def _strangers_wraps(count: int, at: float) -> list[Event]:
    """Wraps with a forged request inside, with one to another server, and with nothing that can be opened."""
    events = []
    for number in range(count):
        ephemeral = SecretKey((5000 + number).to_bytes(32))
        inner = plain_request(f"wrapped {number}", at, key(number % 7))
        if number % 3 == 0:
            inner = corrupted(inner)
        elif number % 3 == 1:
            inner = plain_request(f"elsewhere {number}", at, key(number % 7), to=key(50).public_key.x)
        if number % 3 == 2:
            tags = (("p", PROVIDER.public_key.hex()),)
            wrap = UnsignedEvent(ephemeral.public_key.x, int(at), 21059, tags, "A" * 200).sign(ephemeral, bytes(32))
        else:
            wrap = nip59.wrap(
                inner, PROVIDER.public_key, kind=21059, created_at=int(at), ephemeral_key=ephemeral,
                nonce=number.to_bytes(32), aux_rand=bytes(32),
            )  # fmt: skip
        events.append(wrap)
    return events


async def _websocket(url: str) -> asyncio.StreamWriter:
    """A connection of which nothing is read beyond a little."""
    host, port = url.removeprefix("ws://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 10)
    writer.write(
        b"GET / HTTP/1.1\r\nHost: relay\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    await reader.readuntil(b"\r\n\r\n")
    return writer


def _frame(text: bytes) -> bytes:
    assert len(text) < 126
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text
