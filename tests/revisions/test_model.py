"""A revision is a table: five of them and a variant, every impossible combination refused, every id in the ledger."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest

from nostrmcp.revisions import (
    REVISIONS,
    VARIANTS,
    Revision,
    contextvm,
    ctxvm_draft,
    dvmcp_rev1,
    dvmcp_rev1_1,
    dvmcp_rev1_ephemeral,
)
from nostrmcp.revisions.model import (
    ANNOUNCEMENTS,
    LIST_MEMBERS,
    MESSAGES,
    NOTIFICATIONS,
    REQUESTS,
    RESPONSES,
    Envelope,
    Kinds,
    Loss,
    MessageClass,
    PaymentForm,
    Presence,
    PriceForm,
    TagRule,
    TagValue,
    WrapTime,
    optional,
    required,
)
from vectors.source.tables import revision_list

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = {
    row["id"]
    for path in sorted((ROOT / "spec" / "requirements").glob("*.toml"))
    for row in tomllib.loads(path.read_text(encoding="utf-8"))["requirement"]
}
PREFIXES = {
    "dvmcp-rev1": "R1",
    "dvmcp-rev1-ephemeral": "R1E",
    "dvmcp-rev1.1": "R11",
    "ctxvm-draft": "CTX",
    "ctxvm-draft-strict-text": "CTX",
    "contextvm": "CVM",
}
EVERY = REVISIONS | VARIANTS
REV1, REV1_1, CTXVM = dvmcp_rev1.REVISION, dvmcp_rev1_1.REVISION, ctxvm_draft.REVISION
CONTEXTVM = contextvm.REVISION

every_revision = pytest.mark.parametrize("revision", EVERY.values(), ids=list(EVERY))


# The five and the variant


def test_the_five_literals_and_the_variant_have_their_names() -> None:
    assert REVISIONS == {
        "dvmcp-rev1": dvmcp_rev1.REVISION,
        "dvmcp-rev1-ephemeral": dvmcp_rev1_ephemeral.REVISION,
        "dvmcp-rev1.1": dvmcp_rev1_1.REVISION,
        "ctxvm-draft": ctxvm_draft.REVISION,
        "contextvm": contextvm.REVISION,
    }
    assert VARIANTS == {"ctxvm-draft-strict-text": ctxvm_draft.STRICT_TEXT}
    assert all(revision.name == name for name, revision in EVERY.items())


def test_the_variant_differs_in_its_envelope_alone() -> None:
    strict = ctxvm_draft.STRICT_TEXT
    assert (strict.envelope, strict.ids_travel) == (Envelope.NESTED, False)
    same = {"name": CTXVM.name, "title": CTXVM.title, "envelope": CTXVM.envelope, "losses": CTXVM.losses}
    assert replace(strict, **same) == CTXVM


@pytest.mark.parametrize(
    ("name", "travel"),
    [
        ("dvmcp-rev1", True),
        ("dvmcp-rev1-ephemeral", True),
        ("dvmcp-rev1.1", False),
        ("ctxvm-draft", True),
        ("ctxvm-draft-strict-text", False),
        ("contextvm", True),
    ],
)
def test_where_ids_travel(name: str, travel: bool) -> None:
    assert EVERY[name].ids_travel is travel
    assert (Loss.REQUEST_IDS not in EVERY[name].losses) is travel


def test_a_revision_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        REV1.name = "another"  # type: ignore[misc]


def test_the_message_classes_fall_into_families() -> None:
    families = [REQUESTS, RESPONSES, NOTIFICATIONS, ANNOUNCEMENTS]
    assert sum(map(len, families)) == len(frozenset().union(*families)) == len(MessageClass) == 18
    assert REQUESTS | RESPONSES | NOTIFICATIONS == MESSAGES
    assert set(LIST_MEMBERS.values()) == {"tools", "resources", "resourceTemplates", "prompts"}


# Kinds

_3131X = {"server": 31316, "tools": 31317, "resources": 31318, "prompts": 31319}
KINDS = {
    "dvmcp-rev1": (5910, 6910, 21316, _3131X),
    "dvmcp-rev1-ephemeral": (25910, 26910, 21316, _3131X),
    "dvmcp-rev1.1": (25910, 26910, 21316, _3131X | {"resource-templates": 31318}),
    "ctxvm-draft": (25910, 25910, 25910, _3131X | {"resource-templates": 31318}),
    "ctxvm-draft-strict-text": (25910, 25910, 25910, _3131X | {"resource-templates": 31318}),
    "contextvm": (
        25910, 25910, 25910,
        {"server": 11316, "tools": 11317, "resources": 11318, "resource-templates": 11319, "prompts": 11320},
    ),
}  # fmt: skip
FAMILY = {
    "request": 0, "initialize": 0, "ping": 0,
    "response": 1, "list-response": 1, "initialize-response": 1, "error": 1,
    "notification-to-client": 2, "notification-to-server": 2, "initialized": 2, "progress": 2, "cancel": 2,
    "payment-required": 2,
}  # fmt: skip


@pytest.mark.parametrize("message_class", MessageClass)
@every_revision
def test_the_kind_of_every_class(revision: Revision, message_class: MessageClass) -> None:
    messages, announcements = KINDS[revision.name][:3], KINDS[revision.name][3]
    name = message_class.value
    expected = messages[FAMILY[name]] if name in FAMILY else announcements.get(name)
    assert revision.kinds.of(message_class) == expected


@pytest.mark.parametrize(
    ("name", "wraps", "time"),
    [
        ("dvmcp-rev1", (), None),
        ("dvmcp-rev1-ephemeral", (), None),
        ("dvmcp-rev1.1", (), None),
        ("ctxvm-draft", (1059,), WrapTime.PAST),
        ("contextvm", (1059, 21059), WrapTime.NOW),
    ],
)
def test_wraps(name: str, wraps: tuple[int, ...], time: WrapTime | None) -> None:
    assert (EVERY[name].kinds.wraps, EVERY[name].wrap_time) == (wraps, time)


@every_revision
def test_every_kind_has_a_requirement(revision: Revision) -> None:
    leaders = {MessageClass.REQUEST, MessageClass.RESPONSE, MessageClass.NOTIFICATION_TO_CLIENT}
    assert set(revision.kind_reqs) == leaders | set(revision.kinds.announcements)


# Combinations


def _with_tags(revision: Revision, **tags: tuple[TagRule, ...]) -> dict[MessageClass, tuple[TagRule, ...]]:
    return {**revision.tags, **{MessageClass[name.upper()]: rules for name, rules in tags.items()}}


def _without(revision: Revision, gone: MessageClass) -> dict[MessageClass, tuple[TagRule, ...]]:
    return {name: rules for name, rules in revision.tags.items() if name is not gone}


def _more(revision: Revision, loss: Loss) -> dict[str, Any]:
    return {"losses": revision.losses | {loss}}


def _less(revision: Revision, loss: Loss) -> dict[str, Any]:
    assert loss in revision.losses
    return {"losses": revision.losses - {loss}}


_P = required("p", TagValue.RECIPIENT, "X-TAG-01")
_NO_SERVER = Kinds(5910, 6910, 21316, {MessageClass.TOOLS: 31317})
_BAD: dict[str, tuple[Revision, dict[str, Any], str]] = {
    "a message class is missing": (
        REV1, {"tags": _without(REV1, MessageClass.PROGRESS)}, "a message class has no tag rules"),
    "an announced class is missing": (
        REV1, {"tags": _without(REV1, MessageClass.TOOLS)}, "a message class has no tag rules"),
    "an announcement too many": (
        REV1, {"tags": _with_tags(REV1, resource_templates=(_P,))}, "tag rules for an announcement without a kind"),
    "two rules for one tag": (REV1, {"tags": _with_tags(REV1, ping=(_P, _P))}, "a tag has two rules in one class"),
    "its own envelope": (
        CTXVM, {"conforming_envelopes": frozenset({Envelope.NESTED})}, "its own envelope does not conform"),
    "conforming, not tolerated": (
        CTXVM, {"tolerated_envelopes": frozenset({Envelope.JSONRPC})}, "a conforming envelope is not tolerated"),
    "wraps without a time": (CTXVM, {"wrap_time": None}, "wraps without a time, or a time without wraps"),
    "a time without wraps": (REV1, {"wrap_time": WrapTime.NOW}, "wraps without a time, or a time without wraps"),
    "server ids without s": (
        CONTEXTVM, {"server_ids": True, "losses": frozenset()}, "server ids without a tag for them, or the reverse"),
    "s without server ids": (
        CTXVM, {"server_ids": False, "losses": frozenset({Loss.SERVER_ID})},
        "server ids without a tag for them, or the reverse"),
    "prices, not defined": (CTXVM, {"prices": PriceForm.NONE}, "prices on responses where prices are not defined"),
    "ids do not travel, no loss": (REV1_1, _less(REV1_1, Loss.REQUEST_IDS), "ids that do not travel are a loss"),
    "ids travel, a loss": (REV1, _more(REV1, Loss.REQUEST_IDS), "ids that do not travel are a loss"),
    "no server ids, no loss": (
        CONTEXTVM, _less(CONTEXTVM, Loss.SERVER_ID), "server ids that do not travel are a loss"),
    "server ids, a loss": (REV1, _more(REV1, Loss.SERVER_ID), "server ids that do not travel are a loss"),
    "no prices, no loss": (REV1, _less(REV1, Loss.PRICES), "prices that responses do not carry are a loss"),
    "prices, a loss": (CTXVM, _more(CTXVM, Loss.PRICES), "prices that responses do not carry are a loss"),
    "no server announcement": (
        REV1, {"kinds": _NO_SERVER, "tags": {
            name: rules for name, rules in REV1.tags.items() if name in MESSAGES or name is MessageClass.TOOLS
        }}, "no server announcement"),
    "payment by tags where JSON is": (
        CTXVM, {"payment": PaymentForm.STATUS_TAGS}, "demands for payment by tags on a kind that carries JSON"),
}  # fmt: skip


@pytest.mark.parametrize(("good", "change", "problem"), _BAD.values(), ids=list(_BAD))
def test_a_wrong_combination_is_refused_for_that_alone(good: Revision, change: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError) as caught:
        replace(good, **change)
    assert str(caught.value) == f"{good.name}: {problem}"


def test_every_combination_rule_is_seen_to_fail() -> None:
    assert {problem for _, _, problem in _BAD.values()} == {problem for problem, _ in REV1._combinations()}


def test_several_problems_are_all_named() -> None:
    with pytest.raises(ValueError, match=r"ids that do not travel are a loss; no server announcement$"):
        replace(
            REV1,
            losses=REV1.losses | {Loss.REQUEST_IDS},
            kinds=Kinds(5910, 6910, 21316, {}),
            tags={name: rules for name, rules in REV1.tags.items() if name in MESSAGES},
        )


def test_the_two_ways_to_write_a_rule() -> None:
    assert required("p", TagValue.RECIPIENT, "A-B-01") == TagRule("p", Presence.REQUIRED, TagValue.RECIPIENT, "A-B-01")
    assert optional("p", TagValue.RECIPIENT, "A-B-01") == TagRule("p", Presence.OPTIONAL, TagValue.RECIPIENT, "A-B-01")
    assert optional("t", TagValue.TRUE, "A-B-02", emitted=False).emitted is False


# Requirements


def cited(revision: Revision) -> Iterator[str]:
    yield from (rule.req for rules in revision.tags.values() for rule in rules)
    yield from revision.requirements.values()
    yield from (params.req for params in revision.params.values())
    yield from revision.kind_reqs.values()


@every_revision
def test_every_requirement_is_in_the_ledger_and_its_own(revision: Revision) -> None:
    ids = set(cited(revision))
    have_house = any(name.startswith("HOUSE-") for name in REQUIREMENTS)
    assert sorted(name for name in ids - REQUIREMENTS if have_house or not name.startswith("HOUSE-")) == []
    assert {name.split("-")[0] for name in ids} <= {PREFIXES[revision.name], "HOUSE"}


# The acceptance test of the design

SPELLINGS = sorted({spelling for name in EVERY for spelling in (name, re.sub("[-.]", "_", name))})


def mentions(source: str) -> list[str]:
    return [name for name in SPELLINGS if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", source, re.IGNORECASE)]


def test_no_module_of_the_engine_knows_a_revision_by_its_name() -> None:
    folders = [ROOT / "nostrmcp" / name for name in ("nostr", "mcp", "translate", "session")]
    sources = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    assert {"event.py", "jsonrpc.py", "codec.py", "check.py"} <= {path.name for path in sources}
    named = {path.name: mentions(path.read_text(encoding="utf-8")) for path in sources}
    assert {name: found for name, found in named.items() if found} == {}


@pytest.mark.parametrize(
    ("planted", "found"),
    [
        ('if revision.name == "dvmcp-rev1":', ["dvmcp-rev1"]),
        ("from ..revisions import contextvm", ["contextvm"]),
        ("from ..revisions.ctxvm_draft import REVISION", ["ctxvm_draft"]),
        ("# as in dvmcp-rev1.1", ["dvmcp-rev1", "dvmcp-rev1.1"]),
        ("from ..revisions import dvmcp_rev1_1", ["dvmcp_rev1_1"]),
        ("the way of ContextVM", ["contextvm"]),
        ('VARIANTS["ctxvm-draft-strict-text"]', ["ctxvm-draft-strict-text"]),
        ("a revision, by no name", []),
    ],
)
def test_the_search_catches_a_planted_name(planted: str, found: list[str]) -> None:
    assert mentions(planted) == found


# The same tables for other languages


def test_the_written_tables_are_the_package_s() -> None:
    assert json.loads((ROOT / "vectors" / "revisions.json").read_text(encoding="utf-8")) == revision_list()


def test_the_written_tables_hold_the_rules() -> None:
    table = revision_list()["revisions"]["dvmcp-rev1"]
    assert table["kinds"]["request"] == 5910
    assert table["tags"]["request"][0] == {
        "name": "method", "presence": "required", "value": "method", "req": "R1-TAG-03", "emitted": True,
    }  # fmt: skip
