from __future__ import annotations

import copy
from dataclasses import FrozenInstanceError
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.mcp import (
    Direction,
    Entry,
    Error,
    ErrorClass,
    IdKind,
    Message,
    Notification,
    Request,
    Result,
    Side,
    Version,
    catalogue,
    paths,
)
from nostrmcp.mcp.catalogue import SUBSCRIPTION_ID, Gate, Kind, Owner
from nostrmcp.mcp.paths import Path
from nostrmcp.mcp.shapes import Choice, HiddenId, Shape
from tests.mcp.strategies import NOT_IDS, bodies, ids, messages, misfits, outcome, places, refused, replaced_by
from tests.nostr.strategies import json_objects, json_values, texts

HANDSHAKE = [Version.V2024_11_05, Version.V2025_03_26, Version.V2025_06_18, Version.V2025_11_25]
ENTRIES = [entry for version in Version for entry in catalogue.CATALOGUE[version].values()]
BODIES = [(entry, "params", entry.params) for entry in ENTRIES] + [
    (entry, "result", entry.result) for entry in ENTRIES if entry.result is not None
]
META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
TOKEN = HiddenId(IdKind.PROGRESS, ("params", "_meta", "progressToken"))
STREAM = HiddenId(IdKind.SUBSCRIPTION, ("params", "_meta", SUBSCRIPTION_ID))
CLOSING = HiddenId(IdKind.SUBSCRIPTION, ("result", "_meta", SUBSCRIPTION_ID))


def name_of(entry: Any) -> str:
    return f"{entry.method} {entry.version}" if isinstance(entry, Entry) else ""


def check(entry: Entry, part: str, body: Any) -> list[Any]:
    function = catalogue.check_params if part == "params" else catalogue.check_result
    return function(entry.method, body, entry.version)


def message_of(entry: Entry, params: Any) -> Message:
    if entry.kind is Kind.NOTIFICATION:
        return Notification(entry.method, params)
    return Request(1, entry.method, params)


# The tables


def test_every_row_is_in_the_catalogue_once() -> None:
    listed = sum(len(row.versions) for row in catalogue._TABLE)
    assert listed == len(ENTRIES) == 24 + 24 + 25 + 31 + 7 + 21
    assert [version for version in Version if version not in catalogue.CATALOGUE] == []


def test_the_draft_holds_what_its_page_states() -> None:
    draft = catalogue.CATALOGUE[Version.DRAFT_2026_V1]
    assert {method: (entry.kind, entry.direction) for method, entry in draft.items()} == {
        "subscriptions/listen": (Kind.REQUEST, Direction.TO_SERVER),
        "notifications/cancelled": (Kind.NOTIFICATION, Direction.TO_SERVER),
        "notifications/subscriptions/acknowledged": (Kind.NOTIFICATION, Direction.TO_CLIENT),
        "notifications/tools/list_changed": (Kind.NOTIFICATION, Direction.TO_CLIENT),
        "notifications/prompts/list_changed": (Kind.NOTIFICATION, Direction.TO_CLIENT),
        "notifications/resources/list_changed": (Kind.NOTIFICATION, Direction.TO_CLIENT),
        "notifications/resources/updated": (Kind.NOTIFICATION, Direction.TO_CLIENT),
    }
    assert {entry.gate for entry in draft.values()} == {None}
    assert draft["subscriptions/listen"].result is None


# What the one page of the draft prints.
LISTEN: dict[str, Any] = {
    "_meta": META | {"io.modelcontextprotocol/clientInfo": {"name": "ExampleClient", "version": "1.0.0"}},
    "notifications": {"toolsListChanged": True, "resourceSubscriptions": ["file:///project/config.json"]},
}
ON_STREAM = {"_meta": {SUBSCRIPTION_ID: "1"}}
PRINTED = [
    (Side.CLIENT, Request(1, "subscriptions/listen", LISTEN)),
    (
        Side.SERVER,
        Notification(
            "notifications/subscriptions/acknowledged", ON_STREAM | {"notifications": LISTEN["notifications"]}
        ),
    ),
    (
        Side.SERVER,
        Notification("notifications/resources/updated", ON_STREAM | {"uri": "file:///project/config.json"}),
    ),
]


@pytest.mark.parametrize("version", [Version.DRAFT_2026_V1, Version.V2026_07_28])
@pytest.mark.parametrize(("sender", "message"), PRINTED)
def test_what_the_draft_prints_is_valid_in_it_and_in_its_released_form(
    sender: Side, message: Message, version: Version
) -> None:
    catalogue.validate(message, version, sender=sender)


@pytest.mark.parametrize("name", ["toolsListChanged", "promptsListChanged", "resourcesListChanged"])
@pytest.mark.parametrize("version", [Version.DRAFT_2026_V1, Version.V2026_07_28])
def test_a_filter_of_wrong_types_is_refused(name: str, version: Version) -> None:
    for given_filter in ({name: "true"}, {"resourceSubscriptions": "file:///"}, {"resourceSubscriptions": [1]}):
        listen = Request(1, "subscriptions/listen", LISTEN | {"notifications": given_filter})
        where = refused(ErrorClass.MISTYPED_MEMBER, catalogue.validate, listen, version).where
        assert where == f"params.notifications.{next(iter(given_filter))}"
    unknown = Request(1, "subscriptions/listen", LISTEN | {"notifications": {"taskIds": ["a"], name: False}})
    catalogue.validate(unknown, version)


@pytest.mark.parametrize(
    ("method", "gates"),
    [
        ("tools/call", dict.fromkeys((*HANDSHAKE, Version.V2026_07_28), (Owner.SERVER, ("tools",)))),
        (
            "completion/complete",
            {Version.V2024_11_05: None}
            | dict.fromkeys((*HANDSHAKE[1:], Version.V2026_07_28), (Owner.SERVER, ("completions",))),
        ),
        ("notifications/roots/list_changed", dict.fromkeys(HANDSHAKE, (Owner.CLIENT, ("roots", "listChanged")))),
        ("tasks/list", {Version.V2025_11_25: (Owner.RECEIVER, ("tasks", "list"))}),
        ("notifications/tasks/status", {Version.V2025_11_25: (Owner.SENDER, ("tasks",))}),
        ("ping", dict.fromkeys(HANDSHAKE)),
    ],
)
def test_capabilities(method: str, gates: dict[Version, Any]) -> None:
    held = {entry.version: entry.gate for entry in ENTRIES if entry.method == method}
    assert held == {version: gate and Gate(*gate) for version, gate in gates.items()}


def test_a_capability_is_declared_by_an_object_or_true() -> None:
    tools, changes = Gate(Owner.SERVER, ("tools",)), Gate(Owner.SERVER, ("tools", "listChanged"))
    assert tools.is_open({"tools": {}})
    assert tools.is_open({"tools": {"listChanged": False}})
    assert changes.is_open({"tools": {"listChanged": True}})
    without: list[Any] = [{}, {"tools": None}, {"tools": []}, {"prompts": {}}, "tools", None]
    assert [capabilities for capabilities in without if tools.is_open(capabilities)] == []
    without += [{"tools": {}}, {"tools": {"listChanged": False}}, {"tools": {"listChanged": 1}}]
    assert [capabilities for capabilities in without if changes.is_open(capabilities)] == []


def test_an_entry_does_not_change() -> None:
    for entry in ENTRIES:
        with pytest.raises(FrozenInstanceError):
            entry.method = "other"  # type: ignore[misc]


# Finding


def test_find() -> None:
    entry = catalogue.find("tools/call", "2025-03-26")
    assert entry is not None
    assert (entry.method, entry.version) == ("tools/call", Version.V2025_03_26)
    assert catalogue.find("initialize", "2026-07-28") is None
    assert catalogue.find("tools/call", "2025-07-02") is None
    assert catalogue.find("notifications/cancel", "2025-03-26") is None


@pytest.mark.parametrize("function", [catalogue.check_params, catalogue.check_result])
def test_what_is_not_in_the_catalogue_is_a_violation(function: Any) -> None:
    problem = refused(ErrorClass.UNKNOWN_METHOD, function, "tools/\x1b[2J", {}, "2025-03-26")
    assert problem.detail == r"MCP 2025-03-26 has no tools/\x1b[2J"
    problem = refused(ErrorClass.UNKNOWN_MCP_VERSION, function, "tools/call", {}, "2025-07-02")
    assert problem.detail == "2025-07-02 is no MCP version we know"


# Bodies


@pytest.mark.parametrize(("entry", "part", "wanted"), BODIES, ids=name_of)
def test_a_body_with_all_it_needs_passes(entry: Entry, part: str, wanted: tuple[Shape, ...]) -> None:
    for body in bodies(wanted):
        assert check(entry, part, body) == [], body


@pytest.mark.parametrize(("entry", "part", "wanted"), BODIES, ids=name_of)
def test_each_missing_or_mistyped_member_is_named(entry: Entry, part: str, wanted: tuple[Shape, ...]) -> None:
    judged: set[Path] = set()
    listed = [place for shape in wanted for place in places(shape)]
    for body, (path, optional, inner) in product((bodies(wanted)[0], bodies(wanted)[-1]), listed):
        above, name = path[:-1], path[-1]
        if paths.read(body, above) is None:
            continue
        holder = paths.read(body, above)
        without = paths.rewrite(body, above, replaced_by({key: holder[key] for key in holder if key != name}))
        expected = [] if optional else [((part, *path), True)]
        assert [(fault.path, fault.missing) for fault in check(entry, part, without)] == expected
        for misfit in misfits(inner):
            wrong = paths.rewrite(body, above, replaced_by(holder | {name: misfit}))
            found = check(entry, part, wrong)
            assert [(fault.path, fault.missing) for fault in found] == [((part, *path), False)], wrong
            assert paths.text((part, *path)) in str(found[0])
        judged.add(path)
    assert judged == {path for path, _, _ in listed}


@pytest.mark.parametrize("entry", ENTRIES, ids=name_of)
def test_params_that_are_absent_or_no_object(entry: Entry) -> None:
    absent = [(fault.path, fault.missing) for fault in catalogue.check_params(entry.method, None, entry.version)]
    assert absent == ([(("params",), True)] if entry.params_required else [])
    for part in ("params", "result"):
        if part == "params" or entry.result is not None:
            assert [(fault.path, fault.missing) for fault in check(entry, part, [])] == [((part,), False)]


@pytest.mark.parametrize(
    ("method", "version", "part", "body", "faults"),
    [
        ("completion/complete", "2025-03-26", "params", {"argument": {"name": "", "value": ""}}, ["params.ref"]),
        ("completion/complete", "2025-03-26", "params", {"ref": {}, "argument": {"name": "", "value": ""}},
         ["params.ref.type"]),
        ("completion/complete", "2025-03-26", "params",
         {"ref": {"type": "ref/resource", "name": ""}, "argument": {"name": ""}},
         ["params.ref.uri", "params.argument.value"]),
        ("elicitation/create", "2025-11-25", "params", {"mode": "url", "message": "", "url": ""},
         ["params.elicitationId"]),
        ("elicitation/create", "2026-07-28", "params", {"mode": "url", "message": "", "url": ""}, []),
        ("elicitation/create", "2025-11-25", "params", {"mode": "form", "message": ""}, ["params.requestedSchema"]),
        ("elicitation/create", "2025-11-25", "params", {"message": ""}, ["params.requestedSchema"]),
        ("elicitation/create", "2025-11-25", "params", {"mode": "voice"}, ["params.mode"]),
        ("elicitation/create", "2025-06-18", "params", {"mode": "url", "message": "", "url": ""},
         ["params.requestedSchema"]),
        ("tools/call", "2025-06-18", "result", {"task": {}}, ["result.content"]),
        ("tools/call", "2025-11-25", "result", {"task": {"taskId": "a", "status": "gone", "createdAt": "",
         "lastUpdatedAt": ""}}, ["result.task.status", "result.task.ttl"]),
        ("tools/call", "2025-11-25", "result", {}, ["result.content"]),
        ("tools/call", "2026-07-28", "result", {}, ["result.resultType", "result.content"]),
        ("tools/call", "2026-07-28", "result", {"resultType": "complete"}, ["result.content"]),
        ("tools/call", "2026-07-28", "result", {"resultType": "input_required"}, ["result.requestState"]),
        ("tools/call", "2026-07-28", "result", {"resultType": "input_required", "inputRequests": {}}, []),
        ("tools/call", "2026-07-28", "result", {"resultType": "input_required", "requestState": ""}, []),
        ("tools/call", "2026-07-28", "result", {"resultType": "task"}, []),
        ("tools/call", "2026-07-28", "result", {"resultType": 1}, ["result.resultType"]),
        ("tools/list", "2026-07-28", "result", {"resultType": "input_required", "inputRequests": {}},
         ["result.tools", "result.ttlMs", "result.cacheScope"]),
        ("tools/list", "2026-07-28", "params", {}, ["params._meta"]),
        ("tools/list", "2026-07-28", "params", {"_meta": {}},
         ['params._meta["io.modelcontextprotocol/protocolVersion"]',
          'params._meta["io.modelcontextprotocol/clientCapabilities"]']),
        ("subscriptions/listen", "2026-07-28", "result", {"resultType": "complete", "_meta": {}},
         ['result._meta["io.modelcontextprotocol/subscriptionId"]']),
        ("sampling/createMessage", "2025-06-18", "result", {"role": "user", "model": "", "content": []},
         ["result.content"]),
        ("sampling/createMessage", "2025-11-25", "result", {"role": "user", "model": "", "content": []}, []),
        ("notifications/cancelled", "2025-06-18", "params", {}, ["params.requestId"]),
        ("notifications/cancelled", "2025-11-25", "params", {}, []),
        ("notifications/cancelled", "2025-11-25", "params", {"requestId": None}, ["params.requestId"]),
        ("notifications/cancelled", "2026-07-28", "params", {}, ["params.requestId"]),
        ("notifications/progress", "2024-11-05", "params", {"progressToken": 1.0, "progress": "1"},
         ["params.progressToken", "params.progress"]),
    ],
)  # fmt: skip
def test_faults_by_name(method: str, version: str, part: str, body: Any, faults: list[str]) -> None:
    entry = catalogue.find(method, version)
    assert entry is not None
    assert [paths.text(fault.path) for fault in check(entry, part, body)] == faults


@given(st.sampled_from(BODIES), json_values, json_objects)
def test_any_body_is_judged_without_being_changed(body: Any, value: Any, more: dict[str, Any]) -> None:
    entry, part, wanted = body
    for given_body in (value, bodies(wanted)[0] | more):
        before = copy.deepcopy(given_body)
        assert all(fault.path[0] == part for fault in check(entry, part, given_body))
        assert repr(given_body) == repr(before)


# Whole messages


@pytest.mark.parametrize("entry", ENTRIES, ids=name_of)
def test_validate_a_call(entry: Entry) -> None:
    message = message_of(entry, bodies(entry.params)[0])
    if entry.kind is Kind.EMBEDDED:
        problem = refused(ErrorClass.UNKNOWN_METHOD, catalogue.validate, message, entry.version)
        assert problem.detail == f"{entry.method} is no request in MCP 2026-07-28, but of the kind embedded request"
        return
    catalogue.validate(message, entry.version)
    for side in Side:
        if side in entry.direction.senders:
            catalogue.validate(message, entry.version, sender=side)
        else:
            refused(ErrorClass.WRONG_DIRECTION, catalogue.validate, message, entry.version, sender=side)
    if entry.params_required:
        absent = message_of(entry, None)
        assert refused(ErrorClass.MISSING_MEMBER, catalogue.validate, absent, entry.version).where == "params"
    other: Message = Notification(entry.method) if entry.kind is Kind.REQUEST else Request(1, entry.method)
    refused(ErrorClass.UNKNOWN_METHOD, catalogue.validate, other, entry.version)


def test_directions_name_their_senders() -> None:
    assert [*Side, *Direction] == ["client", "server", "client to server", "server to client", "both"]
    assert {direction: sorted(direction.senders) for direction in Direction} == {
        Direction.TO_SERVER: [Side.CLIENT],
        Direction.TO_CLIENT: [Side.SERVER],
        Direction.BOTH: [Side.CLIENT, Side.SERVER],
    }


def test_validate_a_result() -> None:
    catalogue.validate(Result(1, {"tools": []}), "2025-03-26", method="tools/list")
    problem = refused(
        ErrorClass.MISSING_MEMBER, catalogue.validate, Result(1, {}), "2025-03-26", method="tools/list"
    )  # fmt: skip
    assert (problem.where, problem.detail) == ("result.tools", "an array is required in MCP 2025-03-26")
    problem = refused(
        ErrorClass.MISTYPED_MEMBER, catalogue.validate, Result(1, {"tools": {}}), "2025-03-26", method="tools/list"
    )
    assert problem.where == "result.tools"
    refused(ErrorClass.UNKNOWN_METHOD, catalogue.validate, Result(1, {}), "2025-03-26", method="server/discover")
    refused(
        ErrorClass.UNEXPECTED_RESULT, catalogue.validate, Result(1, {}), "2025-03-26", method="notifications/progress"
    )
    problem = refused(
        ErrorClass.UNEXPECTED_RESULT, catalogue.validate, Result(1, {}), "DRAFT-2026-v1", method="subscriptions/listen"
    )
    assert problem.where == "result"


def test_validate_a_result_of_an_unknown_request() -> None:
    for version in (*HANDSHAKE, Version.DRAFT_2026_V1):
        catalogue.validate(Result(1, {}), version)
    catalogue.validate(Result(1, {"resultType": "complete"}), "2026-07-28")
    problem = refused(ErrorClass.MISSING_MEMBER, catalogue.validate, Result(1, {}), "2026-07-28")
    assert problem.where == "result.resultType"
    refused(ErrorClass.UNKNOWN_MCP_VERSION, catalogue.validate, Result(1, {}), "2025-07-02")


def test_validate_an_error() -> None:
    for version in Version:
        catalogue.validate(Error(None, -32700, ""), version)
        catalogue.validate(Error(1, -32603, "", {}), version, method="tools/call")


@given(messages, st.sampled_from((*Version, "2025-07-02")), st.one_of(st.none(), texts(), st.just("tools/call")))
def test_any_message_is_valid_or_a_violation(message: Message, version: str, method: str | None) -> None:
    outcome(catalogue.validate, message, version, method=method)


# Ids inside bodies


def test_where_ids_hide() -> None:
    """By version and kind: requests hide a progress token, and four methods hide an id of their own."""
    own = {
        "notifications/cancelled": HiddenId(IdKind.REQUEST, ("params", "requestId")),
        "notifications/progress": HiddenId(IdKind.PROGRESS, ("params", "progressToken")),
    }
    for entry in ENTRIES:
        expected = {own[entry.method]} if entry.method in own else set()
        if entry.kind is Kind.REQUEST and entry.version is not Version.DRAFT_2026_V1:
            expected.add(TOKEN)
        if entry.kind is Kind.NOTIFICATION and entry.version is Version.V2026_07_28:
            expected.add(STREAM)
        if entry.version is Version.DRAFT_2026_V1 and entry.direction is Direction.TO_CLIENT:
            expected.add(STREAM)
        if (entry.method, entry.version) == ("subscriptions/listen", Version.V2026_07_28):
            expected.add(CLOSING)
        assert set(entry.hidden) == expected, entry
        assert len(entry.hidden) == len(expected)


def meta(**members: Any) -> dict[str, Any]:
    return {"_meta": members}


CASES: list[tuple[Message, str, str | None, list[HiddenId]]] = [
    (Request(1, "tools/call", {"name": "a", **meta(progressToken=0)}), "2025-03-26", None, [TOKEN]),
    (Request(1, "tools/call", {"name": "a", **meta(progressToken=True)}), "2025-03-26", None, []),
    (Request(1, "tools/call", {"name": "a"}), "2025-03-26", None, []),
    (Request(1, "ping"), "2025-03-26", None, []),
    (Request(1, "vendor/method", meta(progressToken="")), "2025-03-26", None, [TOKEN]),
    (Request(1, "tools/call", meta(progressToken="a")), "DRAFT-2026-v1", None, [TOKEN]),
    (Request(1, "tools/call", meta(progressToken="a")), "2025-07-02", None, [TOKEN]),
    (Notification("notifications/tasks", ON_STREAM), "2026-07-28", None, [STREAM]),
    (Notification("notifications/tools/list_changed", ON_STREAM), "2026-07-28", None, [STREAM]),
    (Notification("notifications/tools/list_changed", ON_STREAM), "2025-11-25", None, []),
    (Result(1, ON_STREAM), "2026-07-28", "subscriptions/listen", [CLOSING]),
    (Result(1, ON_STREAM), "DRAFT-2026-v1", "subscriptions/listen", [CLOSING]),
    (Result(1, ON_STREAM), "2026-07-28", None, [CLOSING]),
    (Result(1, ON_STREAM), "2026-07-28", "tools/list", []),
    (Error(1, 1, "", ON_STREAM), "2026-07-28", "subscriptions/listen", []),
    (Error(1, 1, "", ON_STREAM), "2026-07-28", None, []),
]


@pytest.mark.parametrize(("message", "version", "method", "hidden"), CASES)
def test_hidden_ids(message: Message, version: str, method: str | None, hidden: list[HiddenId]) -> None:
    assert list(catalogue.hidden_ids(message, version, method=method)) == hidden
    before = copy.deepcopy(message)
    after = catalogue.rewrite_ids(message, version, lambda kind, held: f"{kind} {held}", method=method)
    assert message == before
    if not hidden:
        assert after is message
    for one in hidden:
        part, *inner = one.path
        old = paths.read(getattr(message, part), tuple(inner))
        assert paths.read(getattr(after, part), tuple(inner)) == f"{one.kind} {old}"


def test_a_cancellation_on_a_stream_hides_two_ids() -> None:
    message = Notification("notifications/cancelled", {"requestId": 0, "reason": "a", **meta(**{SUBSCRIPTION_ID: "0"})})
    names: dict[str | int, str | int] = {0: "zero", "0": 1}
    renamed = catalogue.rewrite_ids(message, "2026-07-28", lambda kind, held: names[held])
    assert renamed == Notification(
        "notifications/cancelled", {"requestId": "zero", "reason": "a", **meta(**{SUBSCRIPTION_ID: 1})}
    )


@given(st.sampled_from(ENTRIES), ids, ids, json_objects)
def test_renaming_there_and_back_changes_nothing(entry: Entry, old: Any, new: Any, more: dict[str, Any]) -> None:
    for hidden in entry.hidden:
        part, *inner = hidden.path
        body: Any = old
        for name in reversed(inner):
            body = {name: body}
        body = more | body
        message: Message = Result(1, body) if part == "result" else message_of(entry, body)
        method = entry.method if part == "result" else None
        there = catalogue.rewrite_ids(message, entry.version, lambda kind, held: new, method=method)
        assert hidden in catalogue.hidden_ids(there, entry.version, method=method)
        assert repr(paths.read(getattr(there, part), tuple(inner))) == repr(new)
        if [hidden] == list(catalogue.hidden_ids(message, entry.version, method=method)):
            back = catalogue.rewrite_ids(there, entry.version, lambda kind, held: old, method=method)
            assert repr(back) == repr(message)


@pytest.mark.parametrize("not_an_id", NOT_IDS)
def test_what_is_no_id_is_not_renamed(not_an_id: Any) -> None:
    message = Notification("notifications/cancelled", {"requestId": not_an_id})
    assert catalogue.rewrite_ids(message, "2025-03-26", lambda kind, held: "new") is message


def test_choices_are_among_the_bodies() -> None:
    chosen = [shape for _, _, wanted in BODIES for shape in wanted if isinstance(shape, Choice)]
    assert {choice.member for choice in chosen} == {"mode", "task", "resultType"}
