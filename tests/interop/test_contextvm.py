"""ContextVM's own SDK against us: its client at our gateway, our client at its server, its announcements."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nostrmcp.nostr import SecretKey, nip19

from .peers import PATIENCE, ROOT, Program, command, environment, ours
from .stage import Stage, stage, with_contextvm, with_sdk

PLAIN, WRAP, EPHEMERAL_WRAP = {25_910}, {1059}, {21_059}
# Options of ContextVM's side, of ours, and the kinds that may carry messages between us.
WAYS = {
    "plain": (("--encryption", "disabled"), ("--encryption", "disabled"), PLAIN),
    "1059": (("--encryption", "required", "--wrap", "persistent"), ("--encryption", "required"), WRAP),
    "21059": (("--encryption", "required", "--wrap", "ephemeral"), ("--encryption", "required"), EPHEMERAL_WRAP),
    "as it comes": ((), (), WRAP | EPHEMERAL_WRAP),
}
ANNOUNCED = {10_002, 11_316, 11_317, 11_318, 11_319, 11_320}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"do": "tools/call", "params": {"name": name, "arguments": arguments}}


def text(said: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": said}]


def unsalted(value: Any) -> Any:
    """What we send may carry a salt, so that no two events are equal."""
    if isinstance(value, dict):
        return {name: unsalted(inner) for name, inner in value.items() if name != "_meta"}
    return list(map(unsalted, value)) if isinstance(value, list) else value


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Stage]:
    with stage(tmp_path) as one:
        yield one


@contextlib.contextmanager
def foreign_server(wire: Stage, key: SecretKey, *options: str, runtime: str = "node") -> Iterator[Program]:
    script = command("contextvm_server.mjs", "--relay", wire.url, *options, runtime=runtime)
    with Program(script, wire.home, {"SECRET": key.reveal().hex()}) as server:
        assert server.line() == {"pubkey": key.public_key.hex()}
        yield server


def run_ours(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One of our commands, as a user runs it."""
    env = {**environment(home), "PYTHONPATH": str(ROOT)}
    return subprocess.run(ours(*arguments), cwd=home, env=env, capture_output=True, text=True, timeout=PATIENCE)


@pytest.mark.parametrize(("way", "runtime"), [*((way, "node") for way in WAYS), ("as it comes", "bun")])
def test_its_client_at_our_gateway(way: str, runtime: str, wire: Stage, alice: SecretKey, bob: SecretKey) -> None:
    theirs, mine, kinds = WAYS[way]
    record = wire.home / "record"
    steps = [
        ({"do": "tools/list", "params": {}}, None),
        (call("echo", text="Zürich \U0001f980"), {"result": {"content": text("Zürich \U0001f980"), "isError": False}}),
        (call("add", a=2, b=3), {"result": {"content": text("5"), "structuredContent": {"sum": 5}, "isError": False}}),
        (call("fail"), {"result": {"content": text("it failed, as asked for"), "isError": True}}),
        (call("nothing"), {"error": {"code": -32602, "message": "MCP error -32602: Unknown tool: nothing"}}),
        (
            {"do": "resources/read", "params": {"uri": "note://pixel"}},
            {"result": {"contents": [{"uri": "note://pixel", "mimeType": "image/gif", "blob": "R0lG"}]}},
        ),
        (
            {"do": "prompts/get", "params": {"name": "greet", "arguments": {"name": "Ada"}}},
            {"result": {"messages": [{"role": "user", "content": {"type": "text", "text": "Greet Ada."}}]}},
        ),
        (
            {
                "do": "completion/complete",
                "params": {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "name", "value": "A"}},
            },
            {"result": {"completion": {"values": ["Ada", "Alan"], "total": 2, "hasMore": False}}},
        ),
        ({"do": "logging/setLevel", "params": {"level": "debug"}}, {"result": {}}),
        (call("log", text="hello"), {"result": {"content": [], "isError": False}}),
        (
            {"do": "wait", "method": "notifications/message", "count": 1},
            {"result": [{"level": "info", "logger": "notes", "data": {"said": "hello"}}]},
        ),
        ({"do": "resources/subscribe", "params": {"uri": "note://today"}}, {"result": {}}),
        (call("touch", uri="note://today"), {"result": {"content": text("note://today"), "isError": False}}),
        (
            {"do": "wait", "method": "notifications/resources/updated", "count": 1},
            {"result": [{"uri": "note://today"}]},
        ),
        # It cancels when progress is reported. (Progress that is close before an answer its client may lose.)
        ({"do": "cancel", "params": {"name": "slow", "arguments": {}}}, {"result": "cancelled"}),
        ({"do": "ping"}, {"result": {}}),
    ]
    key = ("--key-file", wire.key_file("server.key", alice))
    with wire.gateway(command("sdk_server.py", "--record", str(record)), *key, *mine) as gateway:
        gateway.line()
        told = with_contextvm(wire, bob, alice.public_key.hex(), [step for step, _ in steps], *theirs, runtime=runtime)
        assert gateway.end() == 0
        assert gateway.errors == ""
    assert told[0]["server"] == {"name": "notes", "version": "1.2.3"}
    assert told[0]["instructions"] == "Ask for notes."
    assert told[0]["encryption"] is (way != "plain")
    names = ["echo", "add", "fail", "slow", "count", "touch", "log", "grow", "where"]
    assert [tool["name"] for tool in told[1]["result"]["tools"]] == names
    for outcome, (_, wanted) in list(zip(told[1:], steps, strict=True))[1:]:
        assert unsalted(outcome) == wanted
    assert set(wire.sent()) <= kinds
    notes = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    did = [(note["tool"], note["did"]) for note in notes if "tool" in note]
    assert did[-2:] == [("slow", "began"), ("slow", "cancelled")]
    assert [tool for tool, what in did if what == "began"] == ["echo", "add", "fail", "log", "touch", "slow"]


@pytest.mark.parametrize("way", WAYS)
def test_our_proxy_and_call_at_its_server(way: str, wire: Stage, alice: SecretKey, bob: SecretKey) -> None:
    theirs, mine, kinds = WAYS[way]
    steps: list[tuple[dict[str, Any], Any]] = [
        ({"do": "list_tools"}, None),
        ({"do": "call_tool", "name": "echo", "arguments": {"text": "Zürich \U0001f980"}}, text("Zürich \U0001f980")),
        ({"do": "call_tool", "name": "add", "arguments": {"a": 2, "b": 3}}, text("5")),
        ({"do": "call_tool", "name": "fail", "arguments": {}}, text("it failed, as asked for")),
        ({"do": "call_tool", "name": "count", "arguments": {"to": 3}}, text("3")),
        # Its server takes no notice of a cancel as MCP has it; the caller goes on all the same.
        ({"do": "cancel", "name": "slow", "arguments": {}}, "cancelled"),
        ({"do": "call_tool", "name": "log", "arguments": {"text": "hello"}}, []),
        ({"do": "wait", "method": "notifications/message", "count": 1}, None),
        ({"do": "send_ping"}, None),
    ]
    asked = [step for step, _ in steps]
    # That it reads 21059 alone is known before its first answer only where it is announced.
    announced = ("--announce",) if way == "21059" else ()
    with foreign_server(wire, alice, *theirs, *announced) as server:
        told = with_sdk(wire.home, "legacy", asked, wire.proxied(alice.public_key.hex(), *mine))
        assert told[0]["server"] == {"name": "foreign", "version": "1.2.3"}
        names = ["echo", "add", "fail", "slow", "count", "log"]
        assert [tool["name"] for tool in told[1]["result"]["tools"]] == names
        for outcome, (step, wanted) in zip(told[1:], steps, strict=True):
            assert "error" not in outcome, step
            result = outcome["result"]
            assert wanted is None or wanted == (result["content"] if isinstance(result, dict) else result)
        assert told[4]["result"]["isError"] is True
        # Its server publishes a notification several times over, which is one event only within one second.
        said = told[8]["result"]
        assert said == [{"level": "info", "data": {"said": "hello"}}] * len(said)
        assert told[5]["progress"] == [[1, 3, None], [2, 3, None], [3, 3, None]]

        target = nip19.encode(alice.public_key)
        called = run_ours(wire.home, "call", target, "add", '{"a": 20, "b": 22}', "--json", "--relay", wire.url, *mine)
        assert (called.returncode, called.stderr) == (0, "")
        assert json.loads(called.stdout)["content"] == text("42")
        failed = run_ours(wire.home, "call", target, "fail", "--relay", wire.url, *mine)
        assert (failed.returncode, failed.stdout) == (1, "it failed, as asked for\n")
        began = [line["tool"] for line in (server.line() for _ in range(13)) if line["did"] == "began"]
        assert began == ["echo", "add", "fail", "count", "slow", "log", "add"]
    assert set(wire.sent()) - ANNOUNCED <= kinds


def test_its_announcements_are_found(wire: Stage, alice: SecretKey) -> None:
    with foreign_server(wire, alice, "--announce"):
        found = run_ours(wire.home, "discover", "--json", "--relay", wire.url)
        assert (found.returncode, found.stderr) == (0, "")
        [server] = [json.loads(line) for line in found.stdout.splitlines()]
        called = run_ours(wire.home, "call", server["naddr"], "add", '{"a": 1, "b": 2}')
        assert (called.returncode, called.stdout, called.stderr) == (0, "3\n", "")
    assert server["pubkey"] == alice.public_key.hex()
    assert server["revisions"] == ["contextvm"]
    assert (server["name"], server["about"]) == ("foreign", "a server to test with")
    assert server["website"] == "https://example.com"
    assert (server["encryption"], server["ephemeral_wraps"]) == (True, True)
    assert server["tools"] == ["echo", "add", "fail", "slow", "count", "log"]
    assert (server["resources"], server["prompts"]) == (["today"], ["greet"])
    assert set(wire.sent()) >= ANNOUNCED


def test_it_learns_what_our_gateway_can(wire: Stage, alice: SecretKey, bob: SecretKey) -> None:
    key = ("--key-file", wire.key_file("server.key", alice))
    with wire.gateway(command("sdk_server.py"), *key, "--announce") as gateway:
        gateway.line()
        told = with_contextvm(wire, bob, alice.public_key.hex(), [call("add", a=1, b=2)])
    assert told[1]["result"]["content"] == text("3")
    tags = told[0]["tags"]
    assert ["support_encryption"] in tags and ["support_encryption_ephemeral"] in tags
    assert (told[0]["encryption"], told[0]["ephemeral"]) == (True, True)
