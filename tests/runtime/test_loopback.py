"""The loopback relay as clients of any make see it: raw messages in, raw messages out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from nostrmcp.nostr import Event, nip42
from nostrmcp.runtime.loopback import LoopbackRelay, Record, RelayLimits
from nostrmcp.runtime.loopback_faults import Fault, FaultError, FaultName, corrupted, parse
from nostrmcp.runtime.websocket import Socket, SocketClosed, SocketLimits, connect

from .helpers import ALICE, BOB, NOW, event, run


class Raw:
    """A client that takes nothing for granted."""

    def __init__(self, socket: Socket) -> None:
        self.socket = socket

    async def say(self, *elements: Any) -> None:
        await self.socket.send(json.dumps(elements).encode())

    async def hear(self) -> Any:
        return json.loads(await self.socket.receive())

    async def publish(self, one: Event) -> tuple[bool, str]:
        await self.say("EVENT", one.to_value())
        kind, event_id, accepted, text = await self.hear()
        assert (kind, event_id) == ("OK", one.id.hex())
        return accepted, text

    async def listen(self, name: str, *filters: dict[str, Any]) -> list[str]:
        """Subscribe; the contents of what is stored."""
        await self.say("REQ", name, *filters)
        heard = []
        while (frame := await self.hear())[0] == "EVENT":
            heard.append(frame[2]["content"])
        assert frame == ["EOSE", name]
        return heard

    async def contents(self, count: int) -> list[str]:
        return [(await self.hear())[2]["content"] for _ in range(count)]


async def raw(relay: LoopbackRelay) -> Raw:
    return Raw(await connect(relay.url, SocketLimits()))


LIVE = 20_001


@run
async def test_kind_classes() -> None:
    async with LoopbackRelay(clock=lambda: NOW) as relay:
        client = await raw(relay)
        for one in (
            event("regular"),
            event("old", 10_002),
            event("new", 10_002, at=NOW + 1),
            event("x1", 30_000, (("d", "x"),)),
            event("x2", 30_000, (("d", "x"),), NOW + 1),
            event("y", 30_000, (("d", "y"),)),
            event("live", LIVE),
        ):
            assert await client.publish(one) == (True, "")
        assert await client.publish(event("older", 10_002, at=1)) == (True, "duplicate: a newer version is here")
        assert await client.publish(event("regular")) == (True, "duplicate: this event is here")
        assert sorted(await client.listen("s", {})) == ["new", "regular", "x2", "y"]


# More than the system takes for a connection that nobody reads.
MUCH = [event(f"{number} {'x' * 60_000}", at=NOW + number) for number in range(400)]


async def stuck(relay: LoopbackRelay) -> Socket:
    """The relay's end of the connection that the client has left too much unread of."""
    while True:
        for visitor in relay._visitors:
            if visitor.socket._connection.paused:
                return visitor.socket
        await asyncio.sleep(0)


@run
async def test_what_is_stored_is_sent_as_it_is_read() -> None:
    records: list[Record] = []
    async with LoopbackRelay(clock=lambda: NOW, record=records.append) as relay:
        for one in MUCH:
            relay._store.add(one, NOW)
        slow, other = await raw(relay), await raw(relay)
        await slow.say("REQ", "all", {})
        socket = await stuck(relay)
        assert socket.unsent < 1 << 18
        begun = sum(record.direction == "out" for record in records)
        assert 0 < begun < len(MUCH)
        # The newest is sent first: the oldest is still to come, and is not kept for who was to get it.
        assert await other.publish(event(kind=5, tags=(("e", MUCH[0].id.hex()),), at=NOW)) == (True, "")
        assert await other.publish(event("live", LIVE, at=NOW)) == (True, "")
        heard = []
        while (frame := await slow.hear())[0] == "EVENT":
            heard.append(frame[2]["content"].split()[:1])
        assert frame == ["EOSE", "all"]
        assert [one for one in heard if one not in (["live"], [])] == [[str(n)] for n in range(399, 0, -1)]
        assert sorted(one for one in heard if one in (["live"], [])) == [[], ["live"]]
        assert await slow.listen("none", {"kinds": [7]}) == []


@run
async def test_who_leaves_in_the_middle_of_what_is_stored_is_forgotten() -> None:
    records: list[Record] = []
    async with LoopbackRelay(clock=lambda: NOW, record=records.append) as relay:
        for one in MUCH:
            relay._store.add(one, NOW)
        gone = await raw(relay)
        await gone.say("REQ", "all", {})
        await stuck(relay)
        gone.socket.abort()
        while relay.connections:
            await asyncio.sleep(0)
        assert sum(record.direction == "out" for record in records) < len(MUCH)


@run
async def test_deletion_and_expiration() -> None:
    now = [NOW]
    async with LoopbackRelay(clock=lambda: now[0]) as relay:
        client = await raw(relay)
        mine, passing = event("mine"), event("passing", tags=(("expiration", str(NOW + 5)),))
        assert await client.publish(mine) == await client.publish(passing) == (True, "")
        foreign = event(kind=5, tags=(("e", mine.id.hex()),), key=BOB)
        assert await client.publish(foreign) == (True, "")
        assert sorted(await client.listen("a", {"kinds": [1]})) == ["mine", "passing"]
        assert await client.publish(event(kind=5, tags=(("e", mine.id.hex()),))) == (True, "")
        assert await client.publish(mine) == (False, "blocked: its author has deleted it")
        now[0] = NOW + 5
        assert await client.listen("b", {"kinds": [1]}) == []
        assert (await client.publish(passing))[1] == "invalid: it has expired"


@run
async def test_forged_events_are_refused_and_not_passed_on() -> None:
    async with LoopbackRelay() as relay:
        listener, client = await raw(relay), await raw(relay)
        await listener.listen("s", {"kinds": [LIVE]})
        accepted, text = await client.publish(corrupted(event("forged", LIVE)))
        assert (accepted, text.split(": ")[:2]) == (False, ["invalid", "invalid_signature"])
        await client.publish(event("true", LIVE))
        assert await listener.contents(1) == ["true"]


@run
async def test_messages_that_are_none() -> None:
    limits = RelayLimits(garbage=3)
    async with LoopbackRelay(limits=limits) as relay:
        client = await raw(relay)
        await client.socket.send(b"no json")
        assert (await client.hear())[0] == "NOTICE"
        await client.say("REQ", "s", {"unknown": 1})
        assert (await client.hear())[:2] == ["CLOSED", "s"]
        await client.say("REQ", "", {})
        await client.say(["x"])
        heard = [(await client.hear())[0] for _ in range(2)]
        assert heard == ["NOTICE", "NOTICE"]
        with pytest.raises(SocketClosed, match="1008"):
            await client.socket.receive()


@run
async def test_bounds_on_subscriptions() -> None:
    async with LoopbackRelay(limits=RelayLimits(subscriptions=1, filters=2)) as relay:
        client = await raw(relay)
        assert await client.listen("s", {}) == []
        assert await client.listen("s", {"kinds": [1]}) == []
        for name, filters in (("t", [{}]), ("s", [{}] * 3)):
            await client.say("REQ", name, *filters)
            assert (await client.hear())[:2] == ["CLOSED", name]


@run
async def test_authentication() -> None:
    async with LoopbackRelay(auth=True, clock=lambda: NOW) as relay:
        client = await raw(relay)
        _, challenge = await client.hear()
        assert (await client.publish(event()))[1].startswith("auth-required:")

        async def prove(url: str, text: str, at: int = NOW) -> bool:
            one = nip42.build(ALICE.public_key.x, at, relay=url, challenge=text).sign(ALICE, bytes(32))
            await client.say("AUTH", one.to_value())
            return bool((await client.hear())[2])

        assert not await prove("ws://elsewhere", challenge)
        assert not await prove(relay.url, "another")
        assert not await prove(relay.url, challenge, NOW - 3600)
        assert (await client.publish(event()))[1].startswith("auth-required:")
        assert await prove(relay.url.replace("127.0.0.1", "localhost"), challenge)
        assert await client.publish(event()) == (True, "")


async def http(relay: LoopbackRelay, *headers: str) -> tuple[int, bytes]:
    host, port = relay.url.removeprefix("ws://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write("\r\n".join(["GET / HTTP/1.1", f"Host: {host}", *headers, "", ""]).encode())
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head.split()[1])
    body = b"" if status == 101 else await reader.read()
    writer.close()
    return status, body


UPGRADE = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
           "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")  # fmt: skip


@run
async def test_the_information_document() -> None:
    async with LoopbackRelay(auth=True) as relay:
        status, body = await http(relay, "Accept: application/nostr+json")
        assert (status, json.loads(body)) == (200, relay.information())
        assert relay.information()["limitation"]["auth_required"] is True


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 101),
        ("http://localhost:3000", 101),
        ("http://127.0.0.1", 101),
        ("http://[::1]:8080", 101),
        ("https://allowed.example", 101),
        ("https://evil.example", 403),
        ("https://127.0.0.1.evil.example", 403),
        ("https://127.evil.1", 403),
        ("null", 403),
    ],
)
@run
async def test_pages_of_strangers_are_kept_out(origin: str | None, status: int) -> None:
    async with LoopbackRelay(allow_origins=["https://allowed.example"]) as relay:
        headers = UPGRADE if origin is None else (*UPGRADE, f"Origin: {origin}")
        assert (await http(relay, *headers))[0] == status


@run
async def test_what_passes_is_recorded() -> None:
    records: list[Record] = []
    async with LoopbackRelay(record=records.append, clock=lambda: NOW) as relay:
        client = await raw(relay)
        await client.listen("s", {"kinds": [1]})
        await client.say("EVENT", event("\u2028").to_value())
        assert {(await client.hear())[0] for _ in range(2)} == {"EVENT", "OK"}
    rows = [json.loads(record.dump()) for record in records]
    assert [(row["direction"], json.loads(row["frame"])[0]) for row in rows] == [
        ("in", "REQ"), ("out", "EOSE"), ("in", "EVENT"), ("out", "EVENT"), ("out", "OK"),
    ]  # fmt: skip
    assert all(len(record.dump().splitlines()) == 1 for record in records)


@pytest.mark.parametrize(
    ("fault", "heard"),
    [
        ("duplicate:times=1", ["1", "1", "2", "3"]),
        ("reorder:times=1", ["2", "1", "3"]),
        ("drop:times=1", ["2", "3"]),
        ("replay:after=1:times=1", ["1", "2", "1", "3"]),
        ("no-ok", ["1", "2", "3"]),
        ("duplicate:kind=7", ["1", "2", "3"]),
        ("reject=rate-limited:after=2", ["1", "2"]),
        ("size=1", []),
    ],
)
@run
async def test_faults_on_the_way_to_subscribers(fault: str, heard: list[str]) -> None:
    async with LoopbackRelay(faults=[parse(fault)]) as relay:
        listener, client = await raw(relay), await raw(relay)
        await listener.listen("s", {"kinds": [LIVE]})
        for content in "123":
            await client.say("EVENT", event(content, LIVE).to_value())
        if fault == "no-ok":
            assert await client.listen("done", {"kinds": [9]}) == []
        else:
            accepted = [(await client.hear())[2] for _ in range(3)]
            assert accepted.count(False) == (3 - len(heard) if fault.startswith(("reject", "size")) else 0)
        relay.faults.clear()
        await client.publish(event("end", LIVE))
        assert await listener.contents(len(heard) + 1) == [*heard, "end"]


@run
async def test_a_corrupted_signature_reaches_subscribers() -> None:
    async with LoopbackRelay(faults=[parse("corrupt")]) as relay:
        listener, client = await raw(relay), await raw(relay)
        await listener.listen("s", {"kinds": [LIVE]})
        assert await client.publish(event("x", LIVE)) == (True, "")
        assert (await listener.hear())[2]["sig"] == corrupted(event("x", LIVE)).sig.hex()


@run
async def test_a_delay_is_as_long_as_was_said() -> None:
    waiting: list[tuple[float, Callable[[], None]]] = []
    relay = LoopbackRelay(faults=[parse("delay=2.5:times=1")], later=lambda *one: waiting.append(one))
    async with relay:
        listener, client = await raw(relay), await raw(relay)
        await listener.listen("s", {"kinds": [LIVE]})
        await client.publish(event("late", LIVE))
        await client.publish(event("now", LIVE))
        ((seconds, deliver),) = waiting
        deliver()
        assert (seconds, await listener.contents(2)) == (2.5, ["now", "late"])


@run
async def test_faults_of_subscriptions_and_connections() -> None:
    async with LoopbackRelay(faults=[parse("closed=restricted:times=1")]) as relay:
        client = await raw(relay)
        await client.say("REQ", "s", {})
        assert await client.hear() == ["CLOSED", "s", "restricted: as asked for"]
        assert await client.listen("s", {}) == []
        relay.faults.add(parse("ignore-filters"))
        await client.listen("s", {"kinds": [7]})
        await client.say("EVENT", event("any", LIVE).to_value())
        assert (await client.hear())[2]["content"] == "any"
        relay.faults.add(parse("disconnect"))
        await client.say("EVENT", event().to_value())
        await client.hear()
        with pytest.raises(SocketClosed):
            await client.socket.receive()


def test_faults_are_read_from_text() -> None:
    assert parse("delay=0.5:kind=25910:after=1:times=3") == Fault(FaultName.DELAY, "0.5", 25_910, 1, 3)
    assert parse("drop") == Fault(FaultName.DROP)


@pytest.mark.parametrize(
    "text",
    ["", "what", "delay", "delay=", "delay=x", "drop=1", "size=1.5", "drop:kind", "drop:kind=70000", "drop:kind=x",
     "drop:kind=1:kind=2", "drop:other=1", "delay=-1"],
)  # fmt: skip
def test_texts_that_are_no_fault(text: str) -> None:
    with pytest.raises(FaultError):
        parse(text)
