"""The relay client and the pool against the loopback relay, on ports that the system chooses."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from nostrmcp.nostr import Filter
from nostrmcp.runtime.loopback import LoopbackRelay, Record, RelayLimits
from nostrmcp.runtime.loopback_faults import corrupted, parse
from nostrmcp.runtime.pool import AllRefused, Connected, Pool
from nostrmcp.runtime.relay import Relay, RelaySettings
from nostrmcp.runtime.reports import Arrived, Caught, Changed, Ended, Noticed, PublishError, Reason, State
from nostrmcp.runtime.websocket import Listener, Socket, SocketClosed, SocketLimits, listen

from .helpers import ALICE, BOB, Gate, at_once, event, run, skip, until

KIND_1 = Filter(kinds=frozenset({1}))
EPHEMERAL = Filter(kinds=frozenset({20_001}))


def is_event(one: object) -> bool:
    return isinstance(one, Arrived)


def is_caught(one: object) -> bool:
    return isinstance(one, Caught)


@run
async def test_publish_subscribe_stored_and_live() -> None:
    async with LoopbackRelay() as relay, Relay(relay.url) as one, Relay(relay.url) as other:
        stored, live = event("stored"), event("live", 20_001)
        await one.publish(stored)
        other.subscribe("s", KIND_1, EPHEMERAL)
        assert (await until(other, is_event)) == Arrived(relay.url, "s", stored)
        assert (await until(other, is_caught)) == Caught(relay.url, "s")
        await one.publish(live)
        assert (await other.receive()) == Arrived(relay.url, "s", live)
        other.unsubscribe("s")


@run
async def test_a_refusal_carries_the_relays_word() -> None:
    async with LoopbackRelay(faults=[parse("reject=blocked:kind=7")]) as relay, Relay(relay.url) as client:
        with pytest.raises(PublishError) as refused:
            await client.publish(event(kind=7))
        assert (refused.value.reason, refused.value.text) == (Reason.REFUSED, "blocked: as asked for")
        await client.publish(event())


@run
async def test_a_relay_killed_mid_publish_and_started_again() -> None:
    seen = asyncio.Event()
    gate = Gate()
    relay = LoopbackRelay(faults=[parse("no-ok:times=1")], record=lambda one: _tell(one, seen))
    await relay.start()
    async with Relay(relay.url, sleep=gate.sleep) as client:
        client.subscribe("s", EPHEMERAL)
        await until(client, is_caught)
        publishing = asyncio.create_task(client.publish(event("late")))
        await seen.wait()
        await relay.kill()
        await gate.waiting.wait()
        assert not publishing.done()
        await relay.start()
        gate.open()
        await publishing
        await until(client, is_caught)
        async with Relay(relay.url) as other:
            await other.publish(event("live", 20_001))
            arrived = await until(client, is_event)
            assert isinstance(arrived, Arrived) and arrived.event.content == "live"
    await relay.close()


def _tell(one: Record, seen: asyncio.Event) -> None:
    if one.direction == "in" and one.frame.startswith(b'["EVENT"'):
        seen.set()


@run
async def test_a_relay_that_cuts_every_publisher_fails_it_by_name() -> None:
    async with (
        LoopbackRelay(faults=[parse("disconnect")]) as relay,
        Relay(relay.url, sleep=at_once, settings=RelaySettings(attempts=3)) as client,
    ):
        with pytest.raises(PublishError) as failed:
            await client.publish(event())
        assert failed.value.reason is Reason.DISCONNECTED


@run
async def test_backoff_grows_to_its_bound_with_jitter() -> None:
    slept: list[float] = []
    enough = asyncio.Event()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) >= 5:
            enough.set()
        await asyncio.sleep(0)

    async with LoopbackRelay() as relay:
        url = relay.url
    settings = RelaySettings(backoff=1, longest_backoff=4)
    async with Relay(url, sleep=sleep, jitter=lambda: 0.5, settings=settings):
        await enough.wait()
    assert slept[:5] == [0.75, 1.5, 3.0, 3.0, 3.0]


@run
async def test_nothing_waits_for_ever_or_without_bound() -> None:
    gate = Gate()
    async with LoopbackRelay() as relay:
        url = relay.url
    settings = RelaySettings(publish_timeout=1000, pending=1)
    async with Relay(url, sleep=gate.sleep, settings=settings) as client:
        first = asyncio.create_task(client.publish(event("1")))
        await gate.waiting.wait()
        skip(1000)
        reasons = []
        with pytest.raises(PublishError) as failed:
            await first
        reasons.append(failed.value.reason)
        kept = asyncio.create_task(client.publish(event("2")))
        await asyncio.sleep(0)
        for one in (event("3"), event("x" * (1 << 20))):
            with pytest.raises(PublishError) as failed:
                await client.publish(one)
            reasons.append(failed.value.reason)
        assert reasons == [Reason.TIMED_OUT, Reason.QUEUE_FULL, Reason.TOO_LARGE]
        await client.close()
        with pytest.raises(PublishError) as failed:
            await kept
        assert failed.value.reason is Reason.CLOSED


@run
async def test_a_relay_that_never_answers_does_not_stop_what_follows() -> None:
    outcomes: list[PublishError | None] = []
    settings = RelaySettings(pending=2)
    async with LoopbackRelay(faults=[parse("no-ok")]) as relay, Relay(relay.url, settings=settings) as client:
        await until(client, lambda one: isinstance(one, Changed) and one.state is State.UP)
        async with Relay(relay.url) as reader:
            reader.subscribe("s", EPHEMERAL)
            await until(reader, is_caught)
            for number in range(3):
                client.offer(event(str(number), 20_001), outcomes.append)
                got = await until(reader, is_event)
                assert isinstance(got, Arrived) and got.event.content == str(number)
    assert [one and one.reason for one in outcomes] == [Reason.TIMED_OUT, Reason.CLOSED, Reason.CLOSED]


@run
async def test_one_event_offered_twice_is_sent_once_and_both_are_told() -> None:
    told: list[PublishError | None] = []
    frames: list[bytes] = []
    relay = LoopbackRelay(record=lambda one: frames.append(one.frame) if one.direction == "in" else None)
    async with relay, Relay(relay.url) as client:
        client.offer(event(), told.append)
        await client.publish(event())
    assert told == [None] and len(frames) == 1


@run
async def test_a_key_is_proved_when_asked_for() -> None:
    async with LoopbackRelay(auth=True) as relay:
        async with Relay(relay.url, key=BOB) as client:
            client.subscribe("s", KIND_1)
            await client.publish(event())
            assert isinstance(await until(client, is_event), Arrived)
        async with Relay(relay.url) as stranger:
            with pytest.raises(PublishError, match="auth-required"):
                await stranger.publish(event())
            stranger.subscribe("s", KIND_1)
            ended = await until(stranger, lambda one: isinstance(one, Ended))
            assert isinstance(ended, Ended) and ended.text.startswith("auth-required:")


async def _liar(*frames: bytes) -> Listener:
    """A server that says these things to everyone, and nothing more."""

    async def serve(socket: Socket) -> None:
        for frame in frames:
            socket.write(frame)
        with contextlib.suppress(SocketClosed):
            while True:
                await socket.receive()

    return await listen(serve, "127.0.0.1", 0, SocketLimits(), lambda _: None)


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (b"no json", "garbage: invalid_json"),
        (b'{"a":1}', "garbage: malformed_frame"),
        (b'["OK","",true,""]', "garbage: malformed_id"),
        (b'["NOTICE","' + b"x" * 2000 + b'"]', "a message above the limit"),
    ],
    ids=["no JSON", "no array", "wrong id", "too large"],
)
@run
async def test_garbage_ends_the_connection_and_it_is_tried_again(frame: bytes, why: str) -> None:
    listener = await _liar(frame)
    settings = RelaySettings(garbage=0, socket=SocketLimits(frame=1000))
    gate = Gate()
    async with Relay(f"ws://127.0.0.1:{listener.address[1]}", sleep=gate.sleep, settings=settings) as client:
        for _ in range(2):
            lost = await until(client, lambda one: isinstance(one, Changed) and bool(one.why))
            assert isinstance(lost, Changed) and lost.why.startswith(why)
            gate.open()
    await listener.close()


@run
async def test_a_refusal_that_names_no_event_is_about_the_only_one_that_waits() -> None:
    refusal = b'["OK","",false,"invalid: Bad signature"]'

    async def serve(socket: Socket) -> None:
        """The first event is refused at once, the next two together."""
        with contextlib.suppress(SocketClosed):
            await socket.receive()
            socket.write(refusal)
            await socket.receive()
            await socket.receive()
            socket.write(refusal)
            await socket.receive()

    listener = await listen(serve, "127.0.0.1", 0, SocketLimits(), lambda _: None)
    async with Relay(f"ws://127.0.0.1:{listener.address[1]}", settings=RelaySettings(garbage=0)) as client:
        with pytest.raises(PublishError) as refused:
            await client.publish(event("one"))
        assert (refused.value.reason, refused.value.text) == (Reason.REFUSED, "invalid: Bad signature")
        told: list[PublishError | None] = []
        client.offer(event("two"), told.append)
        client.offer(event("three"), told.append)
        noticed = await until(client, lambda one: isinstance(one, Noticed))
        assert noticed == Noticed(client.url, "invalid: Bad signature")
        assert told == []
    await listener.close()


@run
async def test_unknown_messages_and_broken_events_are_passed_over() -> None:
    good = event("good", 20_001)
    frames = [b'["COUNT","s",{}]', b'["EVENT","s",{"id":1}]', b'["EVENT","other",%b]' % good.dump()]
    listener = await _liar(*frames, b'["EVENT","s",%b]' % event().dump(), b'["EVENT","s",%b]' % good.dump())
    async with Relay(f"ws://127.0.0.1:{listener.address[1]}", settings=RelaySettings(garbage=0)) as client:
        client.subscribe("s", EPHEMERAL)
        arrived = await until(client, is_event)
        assert isinstance(arrived, Arrived) and arrived.event == good
        assert client.dropped == 4
    await listener.close()


@run
async def test_a_half_open_connection_is_noticed() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        import base64
        import hashlib

        head = await reader.readuntil(b"\r\n\r\n")
        key = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key")).split()[1]
        accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        writer.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
        )
        await reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    settings = RelaySettings(socket=SocketLimits(ping_interval=0.01, ping_timeout=0.01, close_timeout=0.01))
    gate = Gate()
    async with Relay(
        f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}", sleep=gate.sleep, settings=settings
    ) as one:
        lost = await until(one, lambda told: isinstance(told, Changed) and told.state is State.WAITING)
        assert isinstance(lost, Changed) and lost.why == "no answer to a ping in time"
    server.close()


@run
async def test_a_slow_consumer_holds_the_relay_back() -> None:
    """The relay cuts a subscriber who does not read; the client's own memory stays within its bounds."""
    limits = RelayLimits(unsent=1 << 16, socket=SocketLimits(frame=1 << 20))
    async with LoopbackRelay(limits=limits) as relay, Relay(relay.url) as sender:
        settings = RelaySettings(inbox=4, socket=SocketLimits(queue=4))
        gate = Gate()
        async with Relay(relay.url, settings=settings, sleep=gate.sleep) as slow:
            slow.subscribe("s", EPHEMERAL)
            await until(slow, is_caught)
            number = 0
            while relay.connections == 2:
                await sender.publish(event(f"{number}" + "x" * 60_000, 20_001))
                number += 1
            assert len(slow._inbox) <= 4 + 1
            assert number > 8


@run
async def test_a_pool_needs_one_relay() -> None:
    async with LoopbackRelay() as dead:
        url = dead.url
    refusing = LoopbackRelay(faults=[parse("reject=blocked")])
    lagging = LoopbackRelay(faults=[parse("no-ok")])
    async with LoopbackRelay() as good, refusing, lagging:
        urls = [url, refusing.url, lagging.url, good.url]
        async with Pool(urls, sleep=Gate().sleep) as pool:
            await pool.publish(event())
        settings = RelaySettings(publish_timeout=1000)
        async with Pool(urls[:3], sleep=Gate().sleep, settings=settings) as pool:
            told = asyncio.Event()
            publishing = asyncio.create_task(pool.publish(event()))
            await asyncio.sleep(0)
            pool.relays[1].offer(event(), lambda _: told.set())
            await told.wait()
            skip(1000)
            with pytest.raises(AllRefused) as refused:
                await publishing
            reasons = {one.relay: one.reason for one in refused.value.errors}
            expected = {url: Reason.TIMED_OUT, refusing.url: Reason.REFUSED, lagging.url: Reason.TIMED_OUT}
            assert reasons == expected


@run
async def test_a_pool_brings_each_event_once_and_a_changed_copy_hides_nothing() -> None:
    true = event("true", 20_001)
    false = b'["EVENT","s",%b]' % true.dump().replace(b'"content":"true"', b'"content":"lies"')
    liar = await _liar(*[false] * 50)
    repeating = LoopbackRelay(faults=[parse("duplicate")])
    async with LoopbackRelay() as good, repeating:
        urls = [f"ws://127.0.0.1:{liar.address[1]}", good.url, repeating.url]
        async with Pool(urls) as pool:
            pool.subscribe("s", EPHEMERAL)
            caught = {one.relay for one in [await until(pool, is_caught), await until(pool, is_caught)]}  # type: ignore[union-attr]
            assert caught == {good.url, repeating.url}
            last = event("last", 20_001)
            await asyncio.gather(*(relay.publish(true) for relay in pool.relays[1:]))
            await asyncio.gather(*(relay.publish(last) for relay in pool.relays[1:]))
            heard: list[str] = []
            while "last" not in heard:
                heard.append((await until(pool, is_event)).event.content)  # type: ignore[union-attr]
            assert heard.count("true") == 1
    await liar.close()


@run
async def test_a_flood_on_one_relay_does_not_hold_back_another() -> None:
    forged = [b'["EVENT","s",%b]' % corrupted(event(f"{n}", 20_001)).dump() for n in range(300)]
    liar = await _liar(*forged)
    async with LoopbackRelay() as good:
        settings = RelaySettings(inbox=8)
        async with Pool([f"ws://127.0.0.1:{liar.address[1]}", good.url], settings=settings) as pool:
            pool.subscribe("s", EPHEMERAL)
            await until(pool, lambda one: is_caught(one) and one.relay == good.url)
            honest = event("honest", 20_001, key=BOB)
            await pool.publish(honest)
            assert (await until(pool, lambda one: is_event(one) and one.event == honest)) is not None
    await liar.close()


@run
async def test_a_pool_tells_when_the_first_comes_and_the_last_goes() -> None:
    one, other = LoopbackRelay(), LoopbackRelay()
    await one.start()
    await other.start()
    async with Pool([one.url, other.url], sleep=Gate().sleep) as pool:
        up = await until(pool, lambda told: isinstance(told, Connected))
        assert up == Connected(True)
        await pool.publish(event(key=ALICE))
        await one.kill()
        await other.kill()
        assert (await until(pool, lambda told: isinstance(told, Connected))) == Connected(False)
