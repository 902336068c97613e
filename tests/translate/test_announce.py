"""Announcements: built and read back, merged as NIP-01 has it, and never two revisions at one address."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.nostr import ErrorClass as NostrErrorClass
from nostrmcp.nostr import Event, LocalProtocolError, Violation, nip19
from nostrmcp.revisions import REVISIONS, VARIANTS, Revision
from nostrmcp.revisions.detect import detect
from nostrmcp.revisions.model import LIST_MEMBERS, MessageClass, PriceForm, TagValue
from nostrmcp.translate.announce import (
    LIST_METHODS,
    Announcement,
    build,
    merge,
    parse,
    refuse_one_address,
    says_encryption,
    server_address,
)
from nostrmcp.translate.check import check
from nostrmcp.translate.errors import ErrorClass
from nostrmcp.translate.route import Price, Role
from tests.nostr.strategies import ALICE, BOB, SECRET_KEYS, share, signed

from .strategies import (
    EVERY,
    INITIALIZE_RESULT,
    NOW,
    PUBKEYS,
    announcements,
    every_revision,
    server_ids,
    sign,
    times,
)

REV1, EPHEMERAL, REV1_1, CTXVM, CONTEXTVM = REVISIONS.values()
STRICT = VARIANTS["ctxvm-draft-strict-text"]
announced = pytest.mark.parametrize(
    ("revision", "message_class"),
    [
        pytest.param(revision, message_class, id=f"{revision.name}-{message_class}")
        for revision in EVERY.values()
        for message_class in revision.kinds.announcements
    ],
)
SERVER = PUBKEYS[Role.SERVER]


def refused(error_class: Any, event: Event, revision: Revision) -> None:
    with pytest.raises(Violation) as caught:
        parse(event, revision)
    assert caught.value.error_class is error_class


def misused(error_class: Any, function: Any, *arguments: Any) -> None:
    with pytest.raises(LocalProtocolError) as caught:
        function(*arguments)
    assert caught.value.error_class is error_class


def emits(revision: Revision, message_class: MessageClass, value: TagValue) -> bool:
    return any(rule.value is value and rule.emitted for rule in revision.tags[message_class])


# There and back


@announced
@share(4)
@given(data=st.data(), created_at=times)
def test_there_and_back(revision: Revision, message_class: MessageClass, data: st.DataObject, created_at: int) -> None:
    one: Announcement = data.draw(announcements(revision, message_class))
    unsigned = build(one, revision, created_at)
    assert unsigned == build(one, revision, created_at)
    assert (unsigned.created_at, unsigned.kind) == (created_at, revision.kinds.announcements[message_class])
    event = sign(unsigned, Role.SERVER)
    found = parse(event, revision)
    # A plain price does not say what it is the price of.
    typed = revision.prices is PriceForm.TYPED
    prices = tuple(price if typed else replace(price, type="") for price in one.prices)
    said = {
        "encryption": one.encryption and emits(revision, message_class, TagValue.FLAG),
        "ephemeral_wraps": one.ephemeral_wraps and emits(revision, message_class, TagValue.EPHEMERAL_FLAG),
    }
    assert found == replace(one, prices=prices, capabilities=found.capabilities, **said)
    assert json.dumps(found.content, sort_keys=True) == json.dumps(one.content, sort_keys=True)
    if emits(revision, message_class, TagValue.CAPABILITIES):
        items = one.content[LIST_MEMBERS[message_class]]
        priced = {price.capability for price in one.prices}
        assert found.capabilities == tuple(item["uri"] if item.get("uri") in priced else item["name"] for item in items)
    assert check(event, revision) == ()


@announced
@share(10)
@given(data=st.data())
def test_detection_never_excludes_the_revision(
    revision: Revision, message_class: MessageClass, data: st.DataObject
) -> None:
    event = sign(build(data.draw(announcements(revision, message_class)), revision, NOW), Role.SERVER)
    base = CTXVM.name if revision is STRICT else revision.name
    assert base in detect(event).candidates


# Values, by hand

TOOLS = {"tools": [{"name": "a"}, {"name": "b"}]}
PRICES = (Price("tool", "b", "5", "sats"),)


@pytest.mark.parametrize(
    ("revision", "tags"),
    [
        (REV1, (("d", "x/tools/list"), ("s", "x"), ("t", "a"), ("t", "b"))),
        (EPHEMERAL, (("d", "x/tools/list"), ("s", "x"), ("cap", "a"), ("cap", "b"))),
        (REV1_1, (("d", "x/tools/list"), ("s", "x"), ("cap", "a"), ("cap", "b", "5", "sats"))),
        (CTXVM, (("d", "x/tools/list"), ("s", "x"), ("cap", "b", "5", "sats"))),
        (CONTEXTVM, (("cap", "tool:b", "5", "sats"),)),
    ],
    ids=lambda value: value.name if isinstance(value, Revision) else "",
)
def test_a_list_of_tools(revision: Revision, tags: tuple[tuple[str, ...], ...]) -> None:
    one = Announcement(MessageClass.TOOLS, SERVER, "x", TOOLS, prices=PRICES)
    if revision.prices is PriceForm.NONE:
        misused(ErrorClass.NOT_CARRIED, build, one, revision, NOW)
        one = replace(one, prices=())
    event = build(one, revision, NOW)
    assert event.tags == tags
    wrapped = {"jsonrpc": "2.0", "id": 1, "result": TOOLS}
    assert json.loads(event.content) == (wrapped if revision in (REV1, EPHEMERAL) else TOOLS)


@pytest.mark.parametrize(
    ("revision", "tags"),
    [
        (REV1, (("d", "x"), ("name", "N"), ("website", "W"), ("k", "5910"))),
        (EPHEMERAL, (("d", "x"), ("k", "25910"), ("name", "N"), ("website", "W"))),
        (REV1_1, (("d", "x"), ("k", "25910"), ("name", "N"), ("website", "W"))),
        (CTXVM, (("d", "x"), ("name", "N"), ("website", "W"), ("support_encryption",))),
        (CONTEXTVM, (
            ("name", "N"), ("website", "W"), ("support_encryption",), ("support_encryption_ephemeral",),
            ("cap", "tool:b", "5", "sats"),
        )),
    ],
    ids=lambda value: value.name if isinstance(value, Revision) else "",
)  # fmt: skip
def test_a_server(revision: Revision, tags: tuple[tuple[str, ...], ...]) -> None:
    one = Announcement(
        MessageClass.SERVER,
        SERVER,
        "x",
        INITIALIZE_RESULT,
        name="N",
        website="W",
        encryption=True,
        ephemeral_wraps=True,
        prices=PRICES,
    )
    assert build(one, revision, NOW).tags == tags


def test_a_resource_is_priced_by_its_uri_or_its_name() -> None:
    content = {"resources": [{"name": "a", "uri": "file:///a"}, {"name": "b", "uri": "file:///b"}, {"name": "c"}]}
    prices = (Price("resource", "file:///a", "1", "sats"), Price("resource", "b", "2", "sats"))
    event = build(Announcement(MessageClass.RESOURCES, SERVER, "x", content, prices=prices), REV1_1, NOW)
    assert event.tags[2:] == (("cap", "file:///a", "1", "sats"), ("cap", "b", "2", "sats"), ("cap", "c"))


@pytest.mark.parametrize(
    "content",
    [
        {"tools": [{"title": "no name"}, {"name": "b"}]},
        {"tools": ["no tool", {"name": "b"}]},
    ],
    ids=["an item without a name", "an item that is no object"],
)
def test_a_price_stays_with_its_item(content: dict[str, Any]) -> None:
    """An item without a name gets no tag, and does not shift the tags of the others."""
    one = Announcement(MessageClass.TOOLS, SERVER, "x", content, prices=PRICES)
    try:
        event = build(one, REV1_1, NOW)
    except LocalProtocolError:
        return
    assert event.tags[2:] == (("cap", "b", "5", "sats"),)


def test_the_uri_of_an_item_without_a_name_prices_no_other() -> None:
    content = {"resources": [{"uri": "file:///a"}, {"name": "b", "uri": "file:///b"}]}
    prices = (Price("resource", "file:///a", "1", "sats"),)
    one = Announcement(MessageClass.RESOURCES, SERVER, "x", content, prices=prices)
    try:
        event = build(one, REV1_1, NOW)
    except LocalProtocolError:
        return
    assert ("cap", "b") in event.tags


@every_revision
@pytest.mark.parametrize(
    "content",
    [{"tools": None}, {"tools": {"name": "a"}}, {"tools": [{"name": "a", "uri": []}]}, {"tools": "abc"}, {}],
    ids=json.dumps,
)
def test_a_strange_list_is_built_or_refused(revision: Revision, content: dict[str, Any]) -> None:
    """Our caller's mistake is a LocalProtocolError, and never another exception."""
    try:
        build(Announcement(MessageClass.TOOLS, SERVER, "x", content), revision, NOW)
    except LocalProtocolError:
        return


@every_revision
def test_what_a_revision_does_not_announce(revision: Revision) -> None:
    misused(ErrorClass.NOT_CARRIED, build, Announcement(MessageClass.REQUEST, SERVER, "x", {}), revision, NOW)
    if MessageClass.RESOURCE_TEMPLATES not in revision.kinds.announcements:
        one = Announcement(MessageClass.RESOURCE_TEMPLATES, SERVER, "x", {"resourceTemplates": []})
        misused(ErrorClass.NOT_CARRIED, build, one, revision, NOW)


@announced
def test_a_server_without_an_id(revision: Revision, message_class: MessageClass) -> None:
    content = INITIALIZE_RESULT if message_class is MessageClass.SERVER else {LIST_MEMBERS[message_class]: []}
    one = Announcement(message_class, SERVER, None, content)
    if revision.server_ids:
        misused(ErrorClass.MISSING_TAG, build, one, revision, NOW)
    else:
        assert build(one, revision, NOW).tags == ()


@pytest.mark.parametrize("revision", [CTXVM, CONTEXTVM], ids=lambda revision: revision.name)
def test_a_list_prices_its_own_items_alone(revision: Revision) -> None:
    prices = (Price("prompt", "p", "1", "sats"), *PRICES)
    tools = build(Announcement(MessageClass.TOOLS, SERVER, "x", TOOLS, prices=prices), revision, NOW)
    assert [tag[1] for tag in tools.tags if tag[0] == "cap"] == ["tool:b" if revision is CONTEXTVM else "b"]


def test_a_price_for_what_is_not_in_the_list() -> None:
    one = Announcement(MessageClass.TOOLS, SERVER, "x", TOOLS, prices=(Price("tool", "c", "5", "sats"),))
    misused(ErrorClass.NOT_CARRIED, build, one, REV1_1, NOW)


# Reading


def event_of(kind: int, content: Any, *tags: tuple[str, ...]) -> Event:
    text = content if isinstance(content, str) else json.dumps(content)
    return signed(BOB, kind=kind, tags=tags, content=text)


D, S = ("d", "x"), ("s", "x")


@announced
@pytest.mark.parametrize("wrapped", [True, False])
def test_both_envelopes_are_read(revision: Revision, message_class: MessageClass, wrapped: bool) -> None:
    content: dict[str, Any] = (
        INITIALIZE_RESULT if message_class is MessageClass.SERVER else {LIST_MEMBERS[message_class]: [{"name": "a"}]}
    )
    given_content = {"jsonrpc": "2.0", "id": 1, "result": content} if wrapped else content
    event = event_of(revision.kinds.announcements[message_class], given_content, D, S)
    server_id = "x" if revision.server_ids else None
    assert parse(event, revision) == Announcement(message_class, SERVER, server_id, content)


@every_revision
def test_what_is_no_announcement(revision: Revision) -> None:
    kinds = revision.kinds.announcements
    refused(NostrErrorClass.WRONG_KIND, event_of(1, INITIALIZE_RESULT, D), revision)
    refused(NostrErrorClass.WRONG_KIND, event_of(revision.kinds.request, INITIALIZE_RESULT, D), revision)
    server = kinds[MessageClass.SERVER]
    refused(NostrErrorClass.INVALID_JSON, event_of(server, "", D), revision)
    refused(ErrorClass.MALFORMED_BODY, event_of(server, [], D), revision)
    refused(ErrorClass.MALFORMED_BODY, event_of(server, {"error": {"code": 1, "message": "m"}}, D), revision)
    for message_class, member in LIST_MEMBERS.items():
        if message_class in kinds:
            kind = kinds[message_class]
            refused(ErrorClass.MALFORMED_BODY, event_of(kind, {"other": []}, D, S), revision)
            refused(ErrorClass.MALFORMED_BODY, event_of(kind, {member: {}}, D, S), revision)


@announced
def test_an_identifier_that_is_missing(revision: Revision, message_class: MessageClass) -> None:
    content = INITIALIZE_RESULT if message_class is MessageClass.SERVER else {LIST_MEMBERS[message_class]: []}
    kind = revision.kinds.announcements[message_class]
    if not revision.server_ids:
        assert parse(event_of(kind, content), revision).server_id is None
        return
    refused(ErrorClass.MISSING_TAG, event_of(kind, content, S), revision)
    if message_class is not MessageClass.SERVER:
        refused(ErrorClass.MISSING_TAG, event_of(kind, content, D), revision)


@pytest.mark.parametrize(
    ("tags", "says"),
    [
        ((), False),
        ((("support_encryption",),), True),
        ((("support_encryption", "true"),), True),
        ((("support_encryption", ""),), True),
        ((("support_encryption", "false"),), False),
        ((("support_encryption_ephemeral",),), False),
    ],
)
def test_whether_encryption_is_said(tags: tuple[tuple[str, ...], ...], says: bool) -> None:
    assert says_encryption(event_of(31316, INITIALIZE_RESULT, D, *tags)) is says
    for revision in EVERY.values():
        kind = revision.kinds.announcements[MessageClass.SERVER]
        assert parse(event_of(kind, INITIALIZE_RESULT, D, *tags), revision).encryption is says


@pytest.mark.parametrize(
    ("revision", "tag", "prices"),
    [
        (CTXVM, ("cap", "a", "5", "sats"), (Price("", "a", "5", "sats"),)),
        (CTXVM, ("cap", "tool:a", "5", "sats"), (Price("", "tool:a", "5", "sats"),)),
        (CONTEXTVM, ("cap", "tool:a:b", "5-9", "sats"), (Price("tool", "a:b", "5-9", "sats"),)),
        (CONTEXTVM, ("cap", "a", "5", "sats"), (Price("", "a", "5", "sats"),)),
        (CTXVM, ("cap", "a", "much", "sats"), ()),
        (CTXVM, ("cap", "a", "5"), ()),
        (CTXVM, ("cap", "a"), ()),
        (CTXVM, ("cap",), ()),
    ],
    ids=lambda value: value.name if isinstance(value, Revision) else "",
)
def test_prices_read(revision: Revision, tag: tuple[str, ...], prices: tuple[Price, ...]) -> None:
    kind = revision.kinds.announcements[MessageClass.TOOLS]
    found = parse(event_of(kind, TOOLS, D, S, tag), revision)
    assert found.prices == prices
    assert found.capabilities == tag[1:2]


def test_texts_belong_to_servers() -> None:
    tags = (("name", "N"), ("about", "A"), ("picture", "P"), ("website", "W"))
    found = parse(event_of(31316, INITIALIZE_RESULT, D, *tags), CTXVM)
    assert (found.name, found.about, found.picture, found.website) == ("N", "A", "P", "W")
    assert parse(event_of(31317, TOOLS, D, S, *tags), CTXVM).name is None


def test_two_lists_on_one_kind() -> None:
    found = parse(event_of(31318, {"resourceTemplates": []}, D, S), CTXVM)
    assert found.type is MessageClass.RESOURCE_TEMPLATES
    templates = build(Announcement(MessageClass.RESOURCE_TEMPLATES, SERVER, "x", {"resourceTemplates": []}), CTXVM, NOW)
    resources = build(Announcement(MessageClass.RESOURCES, SERVER, "x", {"resources": []}), CTXVM, NOW)
    assert (templates.kind, resources.kind) == (31318, 31318)
    assert templates.first("d") == "x/resources/templates/list" != resources.first("d")


# Merging


@share(2)
@given(
    st.lists(
        st.builds(
            lambda author, at, kind, d, note: signed(author, created_at=at, kind=kind, tags=(("d", d),), content=note),
            st.sampled_from(SECRET_KEYS[:2]),
            st.integers(10, 12),
            st.sampled_from((31316, 31317, 11316, 25910)),
            st.sampled_from(("x", "y")),
            st.sampled_from(("1", "2")),
        ),
        max_size=8,
    ),
    st.randoms(use_true_random=False),
)
def test_merging_in_any_order(found: list[Event], chance: Any) -> None:
    addressed: dict[tuple[Any, ...], list[Event]] = {}
    for event in found:
        if event.kind != 25910:
            d = event.first("d") if event.kind > 30000 else ""
            addressed.setdefault((event.kind, event.pubkey, d), []).append(event)
    # NIP-01: the latest, and of two in one second the one with the lower id.
    current = [min(some, key=lambda event: (-event.created_at, event.id)) for some in addressed.values()]
    expected = sorted(current, key=lambda event: (-event.created_at, event.id))
    shuffled = list(found)
    chance.shuffle(shuffled)
    assert merge(found) == merge(shuffled) == merge(found + shuffled) == expected


def test_merging_by_hand() -> None:
    old, new = event_of(31316, INITIALIZE_RESULT, D), event_of(31316, {}, D)
    newer = signed(BOB, created_at=old.created_at + 1, kind=31316, tags=(D,))
    other = signed(ALICE, created_at=old.created_at, kind=31316, tags=(D,))
    low = min((old, new), key=lambda event: event.id)
    assert merge([old, new]) == merge([new, old]) == [low]
    assert merge([newer, old, new]) == [newer]
    assert merge([other, newer]) == [newer, other]
    assert merge([]) == []


# Addresses


@every_revision
@share(5)
@given(
    server_id=server_ids, relays=st.lists(st.text("abc.:/", max_size=8).map("wss://".__add__), max_size=2).map(tuple)
)
def test_the_address_of_a_server(revision: Revision, server_id: str, relays: tuple[str, ...]) -> None:
    own = server_id if revision.server_ids else None
    one = Announcement(MessageClass.SERVER, SERVER, own, INITIALIZE_RESULT)
    kind = revision.kinds.announcements[MessageClass.SERVER]
    assert nip19.decode(server_address(one, revision, relays)) == nip19.Address(own or "", SERVER, kind, relays)


_3131X = (REV1, EPHEMERAL, REV1_1, CTXVM, STRICT)


@pytest.mark.parametrize(
    ("one", "other"),
    [pytest.param(*pair, id=f"{pair[0].name}+{pair[1].name}") for pair in itertools.product(_3131X, _3131X)],
)
def test_two_revisions_at_one_address(one: Revision, other: Revision) -> None:
    misused(ErrorClass.NOT_CARRIED, refuse_one_address, one, other)
    misused(ErrorClass.NOT_CARRIED, refuse_one_address, one, CONTEXTVM, other)


@pytest.mark.parametrize("revision", _3131X, ids=lambda revision: revision.name)
def test_revisions_that_stand_beside_each_other(revision: Revision) -> None:
    refuse_one_address(revision, CONTEXTVM)
    refuse_one_address(CONTEXTVM, revision)
    refuse_one_address(revision)
    refuse_one_address()


def test_the_methods_of_lists() -> None:
    assert LIST_METHODS == {
        MessageClass.TOOLS: "tools/list",
        MessageClass.RESOURCES: "resources/list",
        MessageClass.RESOURCE_TEMPLATES: "resources/templates/list",
        MessageClass.PROMPTS: "prompts/list",
    }
