"""Gateway and proxy over relays that nobody here wrote: each by itself, and all three at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .peers import ForeignRelay, command
from .stage import Stage, with_sdk


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"do": "call_tool", "name": name, "arguments": arguments}


STEPS = [
    {"do": "list_tools"},
    call("add", a=2, b=3),
    call("echo", text="x" * 20_000),
    call("count", to=3),
    {"do": "cancel", "name": "slow", "arguments": {}},
    {"do": "subscribe_resource", "uri": "note://today"},
    call("touch", uri="note://today"),
    {"do": "wait", "method": "notifications/resources/updated", "count": 1},
]


def check(told: list[Any]) -> None:
    _, tools, added, echoed, counted, cancelled, _, _, updated = told
    assert [tool["name"] for tool in tools["result"]["tools"]][:2] == ["echo", "add"]
    assert added["result"]["structuredContent"] == {"sum": 5}
    assert echoed["result"]["content"] == [{"type": "text", "text": "x" * 20_000}]
    assert counted["progress"] == [[1, 3, None], [2, 3, None], [3, 3, None]]
    assert cancelled["result"] == "cancelled"
    assert updated["result"] == [{"uri": "note://today"}]


# What is stored (dvmcp-rev1), what is ephemeral, and what is wrapped in 1059 or 21059.
WAYS = {
    "dvmcp-rev1": ("--revision", "dvmcp-rev1"),
    "dvmcp-rev1.1": ("--revision", "dvmcp-rev1.1"),
    "ctxvm-draft wrapped": ("--revision", "ctxvm-draft", "--encryption", "required"),
    "contextvm": ("--revision", "contextvm", "--encryption", "disabled"),
    "contextvm wrapped": ("--revision", "contextvm", "--encryption", "required"),
}


@pytest.mark.parametrize("way", WAYS)
def test_one_foreign_relay(way: str, relay: ForeignRelay, tmp_path: Path) -> None:
    one = Stage(tmp_path)
    one.url = relay.url
    record = tmp_path / "record"
    with one.gateway(command("sdk_server.py", "--record", str(record)), *WAYS[way]) as gateway:
        check(with_sdk(tmp_path, "legacy", STEPS, one.proxied(gateway.line()["pubkey"], *WAYS[way])))
        assert gateway.end() == 0
    # Once each, whatever the relay stores or repeats
    assert record.read_text(encoding="utf-8").count('"did": "began"') == 5


def test_all_three_at_once_and_two_of_them_die(tmp_path: Path) -> None:
    homes = {name: tmp_path / name for name in ("rust", "npm", "python")}
    for home in homes.values():
        home.mkdir()
    record = tmp_path / "record"
    with (
        ForeignRelay("rust", homes["rust"]) as rust,
        ForeignRelay("npm", homes["npm"]) as npm,
        ForeignRelay("python", homes["python"]) as python,
    ):
        one = Stage(tmp_path)
        one.url = rust.url
        more = ("--relay", npm.url, "--relay", python.url)
        with one.gateway(command("sdk_server.py", "--record", str(record)), *more) as gateway:
            target = one.proxied(gateway.line()["pubkey"], *more)
            check(with_sdk(tmp_path, "legacy", STEPS, target))
            assert record.read_text(encoding="utf-8").count('"did": "began"') == 5
            npm.kill()
            python.kill()
            check(with_sdk(tmp_path, "legacy", STEPS, target))
            assert record.read_text(encoding="utf-8").count('"did": "began"') == 10


@pytest.mark.parametrize("name", ["rust", "npm"])
def test_an_answer_that_relays_will_not_carry_is_told_by_its_size(name: str, tmp_path: Path) -> None:
    """Above the limit of either relay; what is just below ours is below theirs."""
    with ForeignRelay(name, tmp_path) as relay:
        one = Stage(tmp_path)
        one.url = relay.url
        with one.gateway(command("sdk_server.py"), *WAYS["contextvm"]) as gateway:
            steps = [call("grow", to=64_000), call("grow", to=110_000), call("add", a=1, b=2)]
            told = with_sdk(tmp_path, "legacy", steps, one.proxied(gateway.line()["pubkey"], *WAYS["contextvm"]))
    small, large, added = told[1:]
    assert small["result"]["content"][0]["text"] == "x" * 64_000
    assert large["error"]["code"] == -32603
    assert large["error"]["data"]["size"] > large["error"]["data"]["limit"] == 65_536
    assert added["result"]["structuredContent"] == {"sum": 3}
