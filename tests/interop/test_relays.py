"""Our relay client and pool over relays that nobody here wrote: rust (nostr-sdk), npm (@nostr-relay/core), python
(nostr-relay). Where they differ, a table here says what each does, so that a change of theirs is noticed."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from nostrmcp.nostr import Event, Filter, SecretKey
from nostrmcp.runtime.loopback_faults import corrupted
from nostrmcp.runtime.pool import AllRefused, Pool
from nostrmcp.runtime.relay import Relay, RelaySettings
from nostrmcp.runtime.reports import Arrived, Caught, Changed, Ended, Noticed, PublishError, Reason

from ..runtime.helpers import Gate, event, run, until
from .peers import ForeignRelay

# The python relay takes nothing that is older than a year.
NOW = int(time.time())
REGULAR, WRAP, EPHEMERAL_WRAP, REPLACEABLE, ADDRESSABLE = 1, 1059, 21_059, 11_316, 31_316
KINDS = [REGULAR, WRAP, EPHEMERAL_WRAP, REPLACEABLE, ADDRESSABLE, 5910, 6910, 25_910, 26_910]


def by(key: SecretKey, *kinds: int, **conditions: Any) -> Filter:
    return Filter(authors=frozenset({key.public_key.x}), kinds=frozenset(kinds) if kinds else None, **conditions)


def to(key: SecretKey) -> tuple[tuple[str, ...], ...]:
    return (("p", key.public_key.hex()),)


def is_event(one: object) -> bool:
    return isinstance(one, Arrived)


def caught(name: str) -> Any:
    return lambda one: isinstance(one, Caught) and one.subscription == name


async def stored(client: Relay, name: str, *wanted: Filter) -> list[Event]:
    """What a relay gives before EOSE, for a subscription that ends then."""
    client.subscribe(name, *wanted)
    found: list[Event] = []
    while not caught(name)(one := await client.receive()):
        if isinstance(one, Arrived) and one.subscription == name:
            found.append(one.event)
    client.unsubscribe(name)
    return found


async def refusal(client: Relay, one: Event) -> PublishError:
    with pytest.raises(PublishError) as refused:
        await client.publish(one)
    return refused.value


@run
async def test_stored_then_eose_then_live(relay: ForeignRelay, alice: SecretKey) -> None:
    async with Relay(relay.url) as sender, Relay(relay.url) as reader:
        first, second = event("first", at=NOW, key=alice), event("second", at=NOW, key=alice)
        await sender.publish(first)
        reader.subscribe("s", by(alice))
        arrived = await until(reader, is_event)
        assert isinstance(arrived, Arrived) and arrived.event == first
        arrived.event.verify()
        assert (await until(reader, lambda _: True)) == Caught(relay.url, "s")
        await sender.publish(second)
        assert (await until(reader, is_event)) == Arrived(relay.url, "s", second)
        reader.unsubscribe("s")
        await sender.publish(event("third", at=NOW, key=alice))
        # Another filter: the npm relay answers an equal one from memory for a second.
        assert len(await stored(reader, "t", by(alice, REGULAR))) == 3


@pytest.mark.parametrize("kind", KINDS)
@run
async def test_every_kind_of_ours_is_taken_and_arrives(relay: ForeignRelay, alice: SecretKey, kind: int) -> None:
    tags = (("d", "server"), *to(alice))
    async with Relay(relay.url) as sender, Relay(relay.url) as reader:
        # `since` of this very second, as peers ask
        reader.subscribe("s", by(alice, kind, since=NOW))
        await until(reader, caught("s"))
        sent = event("á" * 10_000, kind, tags, at=NOW, key=alice)
        await sender.publish(sent)
        arrived = await until(reader, is_event)
        assert isinstance(arrived, Arrived) and arrived.event == sent
        arrived.event.verify()


@run
async def test_ephemeral_events_are_live_and_only_the_python_relay_keeps_them(
    relay: ForeignRelay, alice: SecretKey
) -> None:
    async with Relay(relay.url) as client:
        client.subscribe("live", by(alice))
        await until(client, caught("live"))
        sent = event("now", EPHEMERAL_WRAP, to(alice), at=NOW, key=alice)
        await client.publish(sent)
        arrived = await until(client, is_event)
        assert isinstance(arrived, Arrived) and arrived.event == sent
        kept = {"rust": [], "npm": [], "python": [sent]}
        assert await stored(client, "later", by(alice, EPHEMERAL_WRAP)) == kept[relay.name]


@pytest.mark.parametrize("kind", [REPLACEABLE, ADDRESSABLE])
@run
async def test_an_older_version_never_hides_the_newer(relay: ForeignRelay, alice: SecretKey, kind: int) -> None:
    newer, older = (event(text, kind, (("d", "x"),), at, alice) for text, at in (("newer", NOW), ("older", NOW - 5)))
    async with Relay(relay.url) as client:
        await client.publish(newer)
        if relay.name == "rust":
            refused = await refusal(client, older)
            assert (refused.reason, refused.text) == (Reason.REFUSED, "error: unknown")
        else:
            await client.publish(older)
        left = {"rust": [newer], "npm": [newer], "python": [newer, older]}
        assert await stored(client, "s", by(alice, kind)) == left[relay.name]


@pytest.mark.parametrize("kind", [REPLACEABLE, ADDRESSABLE])
@run
async def test_a_newer_version_replaces_the_older(relay: ForeignRelay, alice: SecretKey, kind: int) -> None:
    older, newer = (event(text, kind, (("d", "x"),), at, alice) for text, at in (("older", NOW - 5), ("newer", NOW)))
    async with Relay(relay.url) as client:
        await client.publish(older)
        await client.publish(newer)
        assert await stored(client, "s", by(alice, kind)) == [newer]


@run
async def test_only_what_matches_is_handed_out(relay: ForeignRelay, alice: SecretKey, bob: SecretKey) -> None:
    async with Relay(relay.url) as client:
        client.subscribe("s", by(alice, tags={"p": frozenset({bob.public_key.hex()})}))
        await until(client, caught("s"))
        await client.publish(event("to myself", EPHEMERAL_WRAP, to(alice), NOW, alice))
        sent = event("to bob", EPHEMERAL_WRAP, to(bob), NOW, alice)
        await client.publish(sent)
        arrived = await until(client, is_event)
        assert isinstance(arrived, Arrived) and arrived.event == sent
        ignored = {"rust": 0, "npm": 1, "python": 0}
        assert client.dropped == ignored[relay.name]


@pytest.mark.parametrize("kind", [REGULAR, EPHEMERAL_WRAP])
@run
async def test_what_is_sent_again_counts_as_taken(relay: ForeignRelay, alice: SecretKey, kind: int) -> None:
    """Whether the relay says OK true, or false with `duplicate:`."""
    async with Relay(relay.url) as client:
        sent = event("once", kind, at=NOW, key=alice)
        await client.publish(sent)
        await client.publish(sent)


@run
async def test_what_relays_repeat_arrives_once_through_a_pool(relay: ForeignRelay, alice: SecretKey) -> None:
    """One relay under two names brings everything twice, and rust brings twice what is sent twice."""
    async with Pool([relay.url, relay.url + "/"]) as pool:
        pool.subscribe("s", by(alice))
        for _ in pool.relays:
            await until(pool, caught("s"))
        once, last = (event(text, EPHEMERAL_WRAP, at=NOW, key=alice) for text in ("once", "last"))
        for one in (once, once, last):
            await pool.publish(one)
        heard = [(await until(pool, is_event)).event for _ in range(2)]  # type: ignore[union-attr]
        assert heard == [once, last]


@run
async def test_a_second_request_of_the_same_name_replaces_the_first(
    relay: ForeignRelay, alice: SecretKey, bob: SecretKey
) -> None:
    async with Relay(relay.url) as client:
        for key in (alice, bob):
            client.subscribe("s", by(key))
            await until(client, caught("s"))
        for key in (alice, bob):
            await client.publish(event("live", EPHEMERAL_WRAP, at=NOW, key=key))
        arrived = await until(client, is_event)
        assert isinstance(arrived, Arrived) and arrived.event.pubkey == bob.public_key.x
        assert client.dropped == 0


@run
async def test_a_bad_signature_is_refused_by_name(relay: ForeignRelay, tmp_path: Path, alice: SecretKey) -> None:
    text = {
        "rust": "invalid: invalid event signature",
        "npm": "invalid: signature is wrong",
        "python": "invalid: Bad signature",
    }
    async with Relay(relay.url) as client:
        refused = await refusal(client, corrupted(event(at=NOW, key=alice)))
        assert (refused.reason, refused.text) == (Reason.REFUSED, text[relay.name])


# Above its limit the npm relay says NOTICE and no OK: only the time tells that it did not take the event.
TOO_LARGE = {
    "rust": (70_000, Reason.REFUSED, "blocked: event size (70000 bytes) exceeds maximum allowed size (65536 bytes)"),
    "npm": (110_000, Reason.TIMED_OUT, ""),
    "python": (4_097, Reason.REFUSED, "invalid: 280 characters should be enough for anybody"),
}


@pytest.mark.parametrize("name", TOO_LARGE)
@run
async def test_what_is_too_large_is_refused_or_runs_out_of_time(name: str, tmp_path: Path, alice: SecretKey) -> None:
    size, reason, text = TOO_LARGE[name]
    arguments = ["--limited"] if name == "python" else []
    large = event("x" * size, at=NOW, key=alice)
    if name == "rust":
        large = event("x" * (2 * size - large.sent_length), at=NOW, key=alice)
    with ForeignRelay(name, tmp_path, *arguments) as relay:
        async with Relay(relay.url, settings=RelaySettings(publish_timeout=4.0)) as client:
            refused = await refusal(client, large)
            assert (refused.reason, refused.text) == (reason, text)
            if name == "npm":
                noticed = await until(client, lambda one: isinstance(one, Noticed))
                assert isinstance(noticed, Noticed) and noticed.text.startswith("invalid: must be less than or equal")
            await client.publish(event("small", at=NOW, key=alice))


@run
async def test_a_rate_limit_is_told_by_name(tmp_path: Path, alice: SecretKey) -> None:
    with ForeignRelay("rust", tmp_path, "--limited") as relay:
        async with Relay(relay.url) as client:
            taken = 0
            with pytest.raises(PublishError) as refused:
                while taken < 100:
                    await client.publish(event(str(taken), EPHEMERAL_WRAP, at=NOW, key=alice))
                    taken += 1
        assert taken == 60
        assert refused.value.reason is Reason.REFUSED and refused.value.text.startswith("rate-limited: ")


@pytest.mark.parametrize("mode", ["read", "write", "both"])
@run
async def test_rust_asks_who_we_are(mode: str, tmp_path: Path, alice: SecretKey, bob: SecretKey) -> None:
    with ForeignRelay("rust", tmp_path, "--auth", mode) as relay:
        async with Relay(relay.url, key=alice) as client:
            client.subscribe("s", by(alice))
            await until(client, caught("s"))
            sent = event("known", at=NOW, key=alice)
            await client.publish(sent)
            assert (await until(client, is_event)) == Arrived(relay.url, "s", sent)
        async with Relay(relay.url) as stranger:
            if mode != "read":
                refused = await refusal(stranger, event("unknown", at=NOW, key=bob))
                assert refused.reason is Reason.REFUSED and refused.text.startswith("auth-required: ")
            if mode != "write":
                stranger.subscribe("s", by(alice))
                ended = await until(stranger, lambda one: isinstance(one, Ended))
                assert isinstance(ended, Ended) and ended.text.startswith("auth-required: ")


@run
async def test_python_lets_only_a_known_key_write(tmp_path: Path, alice: SecretKey, bob: SecretKey) -> None:
    with ForeignRelay("python", tmp_path, "--auth", alice.public_key.hex()) as relay:
        for key, may in ((alice, True), (bob, False)):
            async with Relay(relay.url, key=key) as client:
                # Its challenge comes before anything else, so by EOSE it has been answered.
                client.subscribe("s", by(key))
                await until(client, caught("s"))
                sent = event("hello", at=NOW, key=key)
                if may:
                    await client.publish(sent)
                    assert (await until(client, is_event)) == Arrived(relay.url, "s", sent)
                else:
                    refused = await refusal(client, sent)
                    assert (refused.reason, refused.text) == (Reason.REFUSED, "restricted: permission denied")


@run
async def test_npm_asks_and_goes_on_without_an_answer(tmp_path: Path, alice: SecretKey) -> None:
    with ForeignRelay("npm", tmp_path, "--auth") as relay:
        for key in (alice, None):
            async with Relay(relay.url, key=key) as client:
                client.subscribe("s", by(alice))
                await until(client, caught("s"))
                sent = event(f"{key is None}", EPHEMERAL_WRAP, at=NOW, key=alice)
                await client.publish(sent)
                assert (await until(client, is_event)) == Arrived(relay.url, "s", sent)


@run
async def test_more_subscriptions_than_a_relay_keeps(relay: ForeignRelay, alice: SecretKey) -> None:
    """Rust keeps all; npm says nothing and forgets all but the last 20; python keeps 32 and says so for the others."""
    names = [f"s{number}" for number in range(40)]
    async with Relay(relay.url) as client:
        for number, name in enumerate(names):
            client.subscribe(name, by(alice, 20_000 + number))
        answers = [await until(client, lambda one: isinstance(one, Caught | Noticed)) for _ in names]
        noticed = [one.text for one in answers if isinstance(one, Noticed)]
        assert noticed == ([] if relay.name != "python" else noticed[:1] * 8)
        live = {"rust": names, "npm": names[20:], "python": names[:32]}[relay.name]
        heard = []
        for number, name in enumerate(names):
            await client.publish(event("", 20_000 + number, at=NOW, key=alice))
            if name in live:
                arrived = await until(client, is_event)
                assert isinstance(arrived, Arrived)
                heard.append(arrived.subscription)
        assert heard == live


@pytest.mark.parametrize("name", ["rust", "npm", "python"])
@run
async def test_a_restart_in_mid_subscription(name: str, tmp_path: Path, alice: SecretKey) -> None:
    with ForeignRelay(name, tmp_path) as relay:
        gate = Gate()
        async with Relay(relay.url, sleep=gate.sleep) as reader, Relay(relay.url, sleep=gate.sleep) as sender:
            reader.subscribe("s", by(alice))
            await until(reader, caught("s"))
            await sender.publish(event("before", EPHEMERAL_WRAP, at=NOW, key=alice))
            await until(reader, is_event)
            relay.kill()
            for client in (reader, sender):
                lost = await until(client, lambda one: isinstance(one, Changed) and bool(one.why))
                assert isinstance(lost, Changed) and lost.why
            after = event("after", EPHEMERAL_WRAP, at=NOW, key=alice)
            waiting = asyncio.create_task(sender.publish(after))
            relay.restart()
            gate.open()
            await until(reader, caught("s"))
            await waiting
            # Published before the subscription was restored it may be gone; a repetition arrives.
            last = event("last", EPHEMERAL_WRAP, at=NOW, key=alice)
            await sender.publish(last)
            assert (await until(reader, lambda one: is_event(one) and one.event == last)) is not None


@run
async def test_a_pool_over_all_three_of_which_two_die(tmp_path: Path, alice: SecretKey) -> None:
    homes = {name: tmp_path / name for name in ("rust", "npm", "python")}
    for home in homes.values():
        home.mkdir()
    with (
        ForeignRelay("rust", homes["rust"]) as rust,
        ForeignRelay("npm", homes["npm"]) as npm,
        ForeignRelay("python", homes["python"]) as python,
    ):
        urls = [rust.url, npm.url, python.url]
        async with Pool(urls, sleep=Gate().sleep, settings=RelaySettings(publish_timeout=3.0)) as pool:
            pool.subscribe("s", by(alice))
            assert {(await until(pool, caught("s"))).relay for _ in urls} == set(urls)  # type: ignore[union-attr]
            heard: list[Event] = []
            sent = [event(str(number), EPHEMERAL_WRAP, at=NOW, key=alice) for number in range(20)]
            for one in sent[:10]:
                await pool.publish(one)
            npm.kill()
            python.kill()
            for one in sent[10:]:
                await pool.publish(one)
            while len(heard) < len(sent):
                heard.append((await until(pool, is_event)).event)  # type: ignore[union-attr]
            assert sorted(heard, key=sent.index) == sent
            rust.kill()
            with pytest.raises(AllRefused) as refused:
                await pool.publish(event("nobody", EPHEMERAL_WRAP, at=NOW, key=alice))
            assert {(one.relay, one.reason) for one in refused.value.errors} == {
                (url, Reason.TIMED_OUT) for url in urls
            }
