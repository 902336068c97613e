"""Looking for servers: what relays say, what is believed of it, and what a target stands for."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.nostr import Event, SecretKey, Violation, nip19
from nostrmcp.revisions import REVISIONS
from nostrmcp.revisions.model import MessageClass
from nostrmcp.runtime import discover
from nostrmcp.runtime.discover import SeveralServers, Target, announcements, choose, parse_target, servers_in
from nostrmcp.runtime.loopback import LoopbackRelay
from nostrmcp.runtime.loopback_faults import corrupted, parse
from nostrmcp.runtime.pool import Pool
from nostrmcp.translate.announce import merge

from .helpers import ALICE, BOB, NOW, event, run

ABOUT = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
NOBODY = "ws://127.0.0.1:1"


def announced(kind: int, *tags: tuple[str, ...], at: int = NOW, key: SecretKey = ALICE, content: Any = ABOUT) -> Event:
    return event(json.dumps(content), kind, tags, at, key)


# Written as the seeds print them: DVMCP names the server by d, lists by s; ContextVM names neither.
LIVING = announced(11316, ("name", "Living"), ("support_encryption",))
LIVING_TOOLS = announced(11317, ("cap", "tool:add", "21", "sats"), content={"tools": [{"name": "add"}]})
FIRST = announced(31316, ("d", "one"), ("k", "5910"), ("name", "First"))
SECOND = announced(31316, ("d", "two"), ("k", "5910"), ("name", "Second"))
FIRST_TOOLS = announced(
    31317, ("d", "one/tools/list"), ("s", "one"), ("t", "add"), content={"tools": [{"name": "add"}]}
)


async def publish(relay: LoopbackRelay, *events: Event) -> None:
    async with Pool([relay.url]) as pool:
        for one in events:
            await pool.publish(one)


def test_lists_belong_to_the_server_of_their_key_revision_and_id() -> None:
    stranger = announced(11317, key=BOB, content={"tools": [{"name": "not ours"}]})
    servers = servers_in([LIVING, FIRST, SECOND, FIRST_TOOLS, LIVING_TOOLS, stranger])
    assert [(one.revisions, one.about.server_id, one.about.name) for one in servers] == [
        (("contextvm",), None, "Living"),
        (("dvmcp-rev1",), "one", "First"),
        (("dvmcp-rev1",), "two", "Second"),
    ]
    living, first, second = servers
    assert living.lists[MessageClass.TOOLS].content == {"tools": [{"name": "add"}]}
    assert [price.amount for price in living.lists[MessageClass.TOOLS].prices] == ["21"]
    assert living.about.encryption is True and living.revision is REVISIONS["contextvm"]
    assert first.lists[MessageClass.TOOLS].content == {"tools": [{"name": "add"}]}
    assert second.lists == {}


def test_what_breaks_the_rules_is_left_out() -> None:
    broken = [
        announced(11316, content=[]),
        announced(31316),
        announced(11317, content={"tools": 7}),
        announced(1),
        event("not JSON", 11316),
    ]
    assert servers_in(broken) == []


@run
async def test_only_the_newest_of_an_address_and_only_what_is_signed() -> None:
    newer = announced(11316, ("name", "Newer"), at=NOW + 1)
    async with LoopbackRelay(clock=lambda: NOW) as relay:
        await publish(relay, LIVING, newer, FIRST)
        relay.faults.add(parse("closed=error:times=1"))
        assert await announcements([relay.url]) == ([], {relay.url: "error: as asked for"}, {})
        relay.faults.clear()
        events, silent, _ = await announcements([relay.url])
        assert (set(events), silent) == ({newer, FIRST}, {})
        events, _, _ = await announcements([relay.url], authors=[BOB.public_key.x])
        assert events == []
    assert merge([LIVING, newer]) == [newer]


@run
async def test_a_forged_announcement_is_not_believed() -> None:
    async with LoopbackRelay(clock=lambda: NOW) as relay:
        await publish(relay, FIRST)
        store = relay._store
        forged = corrupted(LIVING)
        query = store.query
        store.query = lambda *given: [forged, *query(*given)]  # type: ignore[method-assign]
        assert (await announcements([relay.url]))[0] == [FIRST]


@run
async def test_one_relay_of_two_is_enough_and_the_other_is_named() -> None:
    async with LoopbackRelay(clock=lambda: NOW) as relay:
        await publish(relay, LIVING)
        search = await discover.search([NOBODY, relay.url])
        assert [one.event for one in search.servers] == [LIVING]
        assert list(search.silent) == [NOBODY] and search.silent[NOBODY] != "no answer in time"


@run
async def test_a_relay_that_says_nothing_is_waited_for_as_long_as_asked() -> None:
    async with LoopbackRelay(clock=lambda: NOW) as relay:
        await publish(relay, LIVING)
        relay._subscribe = lambda *given: None  # type: ignore[method-assign]
        assert await announcements([relay.url], seconds=0.2) == ([], {relay.url: "no answer in time"}, {})


@run
async def test_a_relay_that_asks_who_we_are_is_told() -> None:
    async with LoopbackRelay(auth=True) as relay:
        search = await discover.search([relay.url], key=BOB)
        assert (search.servers, search.silent) == ((), {})


KEY = ALICE.public_key
RELAYS = ("ws://127.0.0.1:7", "wss://relay.invalid")


@pytest.mark.parametrize(
    ("text", "target"),
    [
        (KEY.hex(), Target(KEY.x, None, ())),
        (nip19.encode(KEY), Target(KEY.x, None, ())),
        (nip19.encode(nip19.Profile(KEY.x, RELAYS)), Target(KEY.x, None, RELAYS)),
        (nip19.encode(nip19.Address("one", KEY.x, 31316, RELAYS)), Target(KEY.x, "one", RELAYS, 31316)),
        (nip19.encode(nip19.Address("", KEY.x, 11316, ())), Target(KEY.x, None, (), 11316)),
    ],
)
def test_what_a_target_stands_for(text: str, target: Target) -> None:
    assert parse_target(text) == target


@pytest.mark.parametrize(
    "text", ["", "x", KEY.hex().upper(), KEY.hex()[1:], nip19.encode(ALICE), nip19.encode(KEY) + "x"]
)
def test_what_is_no_target(text: str) -> None:
    with pytest.raises(Violation) as refused:
        parse_target(text)
    assert nip19.encode(ALICE) not in str(refused.value)


@given(st.text())
def test_no_text_is_too_strange_for_a_target(text: str) -> None:
    with contextlib.suppress(Violation):
        assert isinstance(parse_target(text), Target)


def test_the_newest_revision_is_chosen_and_several_servers_must_be_named() -> None:
    found = servers_in([FIRST, SECOND, LIVING, announced(11316, key=BOB)])
    everyone = Target(KEY.x, None, ())
    assert getattr(choose(found, everyone), "event", None) == LIVING
    assert getattr(choose(found, Target(KEY.x, "two", ())), "event", None) == SECOND
    assert getattr(choose(found, Target(KEY.x, "one", (), 31316)), "event", None) == FIRST
    assert choose(found, Target(KEY.x, "three", ())) is None
    assert choose(found, everyone, REVISIONS["dvmcp-rev1.1"]) is None
    with pytest.raises(SeveralServers) as several:
        choose(found, everyone, REVISIONS["dvmcp-rev1"])
    assert several.value.ids == ("one", "two")
    assert str(several.value) == "the key has several servers, name one of them: 'one', 'two'"


def test_an_address_leads_back_to_its_server() -> None:
    for one in servers_in([FIRST, LIVING]):
        target = parse_target(one.address(RELAYS))
        assert target.relays == RELAYS
        assert choose([one], target) is one
