"""Servers on stdio that nobody here wrote, through gateway, relay and proxy, asked by the official SDK's own client.

The same steps give the same answers as over plain stdio, and what the answers are is written here by hand.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from nostrmcp.nostr import SecretKey

from .peers import command, everything
from .stage import Steps, stage, with_sdk

PLAIN, WRAP, EPHEMERAL_WRAP = {25_910}, {1059}, {21_059}
# Revision, encryption, and the kinds that carry messages. Requests first, then answers and notifications.
WAYS = {
    "dvmcp-rev1": ("dvmcp-rev1", "disabled", {5910, 6910, 21_316}),
    "dvmcp-rev1-ephemeral": ("dvmcp-rev1-ephemeral", "disabled", {25_910, 26_910, 21_316}),
    "dvmcp-rev1.1": ("dvmcp-rev1.1", "disabled", {25_910, 26_910, 21_316}),
    "ctxvm-draft": ("ctxvm-draft", "disabled", PLAIN),
    "ctxvm-draft wrapped": ("ctxvm-draft", "required", WRAP | EPHEMERAL_WRAP),
    "contextvm": ("contextvm", "disabled", PLAIN),
    "contextvm wrapped": ("contextvm", "required", WRAP | EPHEMERAL_WRAP),
}
MODERN, HANDSHAKE = "2026-07-28", "2025-11-25"


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"do": "call_tool", "name": name, "arguments": arguments}


def text(said: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": said}]


# Each step on the server of programs/sdk_server.py, with a part of its outcome, written by hand.
COMMON: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"do": "list_tools"}, {"tools": ["echo", "add", "fail", "slow", "count", "touch", "log", "grow", "where"]}),
    ({"do": "list_resources"}, {"resources": ["today", "pixel"]}),
    ({"do": "list_resource_templates"}, {"resourceTemplates": ["day"]}),
    ({"do": "list_prompts"}, {"prompts": ["greet"]}),
    (call("echo", text="Zürich \U0001f980 \u2028"), {"content": text("Zürich \U0001f980 \u2028"), "isError": False}),
    (call("echo", text="x" * 40_000), {"content": text("x" * 40_000)}),
    (call("add", a=2, b=3), {"content": text("5"), "structuredContent": {"sum": 5}}),
    (call("add", a=2**60, b=1), {"structuredContent": {"sum": 2**60 + 1}}),
    (call("fail"), {"content": text("it failed, as asked for"), "isError": True}),
    (call("count", to=3), {"content": text("3"), "progress": [[1, 3, None], [2, 3, None], [3, 3, None]]}),
    (call("nothing"), {"error": {"code": -32602, "message": "Unknown tool: nothing"}}),
    (
        {"do": "read_resource", "uri": "note://pixel"},
        {"contents": [{"uri": "note://pixel", "mimeType": "image/gif", "blob": "R0lG"}]},
    ),
    (
        {"do": "read_resource", "uri": "note://none"},
        {"error": {"code": -32602, "message": "there is no such note", "data": {"uri": "note://none"}}},
    ),
    (
        {"do": "get_prompt", "name": "greet", "arguments": {"name": "Ada"}},
        {"messages": [{"role": "user", "content": {"type": "text", "text": "Greet Ada."}}]},
    ),
    (
        {"do": "complete", "ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "name", "value": "A"}},
        {"completion": {"values": ["Ada", "Alan"], "total": 2, "hasMore": False}},
    ),
    ({"do": "cancel", "name": "slow", "arguments": {}}, {"whole": "cancelled"}),
    (call("log", text="hello"), {"content": []}),
    (
        {"do": "wait", "method": "notifications/message", "count": 1},
        {"whole": [{"level": "info", "logger": "notes", "data": {"said": "hello"}}]},
    ),
]
UPDATED = {"do": "wait", "method": "notifications/resources/updated", "count": 1}
STEPS = {
    HANDSHAKE: [
        ({"do": "set_logging_level", "level": "debug"}, {}),
        *COMMON,
        ({"do": "subscribe_resource", "uri": "note://today"}, {}),
        (call("touch", uri="note://other"), {}),
        (call("touch", uri="note://today"), {}),
        (UPDATED, {"whole": [{"uri": "note://today"}]}),
        ({"do": "unsubscribe_resource", "uri": "note://today"}, {}),
        ({"do": "send_ping"}, {}),
    ],
    MODERN: [
        *COMMON,
        (
            {
                "do": "listen",
                "filter": {"resource_subscriptions": ["note://today"], "tools_list_changed": True},
                "then": call("touch", uri="note://today"),
                "count": 2,
            },
            {
                "honored": {"resourceSubscriptions": ["note://today"], "toolsListChanged": True},
                "events": ["ResourceUpdated(uri='note://today')", "ToolsListChanged()"],
            },
        ),
    ],
}
MODES = {HANDSHAKE: "legacy", MODERN: MODERN}


def check(outcome: Any, wanted: dict[str, Any]) -> None:
    """The outcome has what is wanted of it; lists of named things are told by their names."""
    found = {**outcome, **(outcome.get("result") if isinstance(outcome.get("result"), dict) else {})}
    found["whole"] = outcome.get("result")
    for name in ("tools", "resources", "resourceTemplates", "prompts"):
        if name in found:
            found[name] = [item["name"] for item in found[name]]
    assert {name: found.get(name) for name in wanted} == wanted
    assert "error" in wanted or "error" not in outcome


def recorded(home: Path) -> list[Any]:
    return [json.loads(line) for line in (home / "record").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What the SDK's client is told over plain stdio."""
    home = tmp_path_factory.mktemp("direct")
    return {
        version: with_sdk(home, MODES[version], [step for step, _ in STEPS[version]], command("sdk_server.py"))
        for version in STEPS
    }


@pytest.mark.parametrize("version", STEPS)
@pytest.mark.parametrize("way", WAYS)
def test_the_python_sdks_server(
    way: str, version: str, tmp_path: Path, direct: dict[str, list[Any]], alice: SecretKey
) -> None:
    revision, encryption, kinds = WAYS[way]
    options = ("--revision", revision, "--encryption", encryption, "--mcp-version", version)
    server = command("sdk_server.py", "--record", str(tmp_path / "record"))
    key = ("--key-file", "server.key")
    with stage(tmp_path) as one:
        one.key_file("server.key", alice)
        with one.gateway(server, *key, *options) as gateway:
            assert gateway.line()["pubkey"] == alice.public_key.hex()
            # A server's id is told in its announcement or in the handshake: here there is neither.
            known = () if version == HANDSHAKE or revision == "contextvm" else ("--server-id", "mcp")
            target = one.proxied(alice.public_key.hex(), *known, *options)
            told = with_sdk(tmp_path, MODES[version], [step for step, _ in STEPS[version]], target)
            assert gateway.end() == 0
            assert gateway.errors == ""
        for outcome, (_, wanted) in zip(told[1:], STEPS[version], strict=True):
            check(outcome, wanted)
        assert told == direct[version]
        assert set(one.sent()) <= kinds
    notes = recorded(tmp_path)
    assert [note["did"] for note in notes if note.get("tool") == "slow"] == ["began", "cancelled"]
    called = [step.get("then", step) for step, _ in STEPS[version]]
    tools = [step["name"] for step in called if step["do"] in ("call_tool", "cancel") and step["name"] != "nothing"]
    assert [note["tool"] for note in notes if note.get("did") == "began"] == tools
    assert all(note["secrets"] == [] for note in notes if note.get("server") == "began")


EVERYTHING: Steps = [
    *({"do": f"list_{name}"} for name in ("tools", "resources", "resource_templates", "prompts")),
    call("echo", message="Zürich \U0001f980"),
    call("get-sum", a=2, b=3),
    call("get-tiny-image"),
    call("get-annotated-message", messageType="error", includeImage=True),
    call("get-structured-content", location="Chicago"),
    call("get-resource-links", count=3),
    call("get-resource-reference", resourceId=2),
    call("trigger-long-running-operation", duration=0.02, steps=4),
    call("get-sum", a="two"),
    {"do": "read_resource", "uri": "demo://resource/static/document/features.md"},
    {"do": "read_resource", "uri": "demo://resource/dynamic/text/3"},
    {"do": "read_resource", "uri": "demo://nothing"},
    {"do": "get_prompt", "name": "args-prompt", "arguments": {"city": "Zürich"}},
    {"do": "get_prompt", "name": "resource-prompt", "arguments": {"resourceType": "Text", "resourceId": "1"}},
    {
        "do": "complete",
        "ref": {"type": "ref/prompt", "name": "completable-prompt"},
        "argument": {"name": "department", "value": "S"},
    },
    {"do": "set_logging_level", "level": "debug"},
    {"do": "subscribe_resource", "uri": "demo://resource/dynamic/text/1"},
    {"do": "wait", "method": "notifications/message", "count": 1},
    call("toggle-subscriber-updates"),
    {**UPDATED, "count": 1},
    call("toggle-subscriber-updates"),
    {"do": "unsubscribe_resource", "uri": "demo://resource/dynamic/text/1"},
    {"do": "send_ping"},
]


def timeless(value: Any) -> Any:
    """Its resources tell when they were made."""
    return json.loads(re.sub(r"\d{1,2}:\d\d:\d\d( [AP]M)?", "TIME", json.dumps(value)))


@pytest.mark.parametrize("way", ["dvmcp-rev1", "dvmcp-rev1.1", "ctxvm-draft wrapped", "contextvm", "contextvm wrapped"])
def test_server_everything(way: str, tmp_path: Path) -> None:
    revision, encryption, kinds = WAYS[way]
    options = ("--revision", revision, "--encryption", encryption)
    with stage(tmp_path) as one, one.gateway(everything(), *options) as gateway:
        target = one.proxied(gateway.line()["pubkey"], *options)
        told = with_sdk(tmp_path, "legacy", EVERYTHING, target)
        assert set(one.sent()) <= kinds
    assert timeless(told) == timeless(with_sdk(tmp_path, "legacy", EVERYTHING, everything()))
    outcomes = {json.dumps(step): outcome for step, outcome in zip(EVERYTHING, told[1:], strict=True)}

    def outcome(step: dict[str, Any]) -> Any:
        return outcomes[json.dumps(step)]

    assert told[0]["server"]["name"] == "mcp-servers/everything"
    lists = [next(filter(lambda value: isinstance(value, list), one["result"].values())) for one in told[1:5]]
    assert [len(one) for one in lists] == [13, 7, 2, 4]
    check(outcome(call("echo", message="Zürich \U0001f980")), {"content": text("Echo: Zürich \U0001f980")})
    check(outcome(call("get-sum", a=2, b=3)), {"content": text("The sum of 2 and 3 is 5.")})
    long_running = outcome(call("trigger-long-running-operation", duration=0.02, steps=4))
    assert long_running["progress"] == [[step, 4, None] for step in range(1, 5)]
    assert outcome(UPDATED)["result"] == [{"uri": "demo://resource/dynamic/text/1"}]
    assert outcome(EVERYTHING[-6])["result"][0]["level"] == "info"
