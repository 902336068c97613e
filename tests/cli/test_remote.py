"""`nostrmcp call`, `proxy` and `discover`, as a user calls them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nostrmcp.cli.main import main
from nostrmcp.nostr import SecretKey, nip19
from nostrmcp.revisions import REVISIONS

from .running import GUARD, environment, gateway, nostrmcp, relay, said, started

NOBODY = nip19.encode(SecretKey(bytes([9]) * 32).public_key)
NSEC = nip19.encode(SecretKey(bytes([9]) * 32))
URL = "ws://127.0.0.1:1"
VERSION = "2025-11-25"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with relay() as address:
        yield address


@pytest.fixture(scope="module")
def server(url: str) -> Iterator[dict[str, Any]]:
    with gateway(url, "--announce", "--name", "Sums \x1b[31m", "--about", "It adds") as found:
        yield found


def test_without_a_tool_the_tools_are_listed(server: dict[str, Any], url: str) -> None:
    done = nostrmcp("call", server["npub"], "--relay", url)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "add: Add two integers",
        "echo: Say the same text",
        "count: Count to a number of steps, with progress",
        "fail: Fail, as tools do",
    ]


def test_text_is_printed_and_harmless(server: dict[str, Any], url: str) -> None:
    target = ["call", server["npub"], "--relay", url, "echo"]
    done = nostrmcp(*target, json.dumps({"text": "one\ntwo \x1b[2J \u202e"}))
    assert (done.returncode, done.stdout) == (0, "one\ntwo \\x1b[2J \\u202e\n")
    whole = nostrmcp(*target, '{"text": "x"}', "--json")
    assert json.loads(whole.stdout) == {"content": [{"type": "text", "text": "x"}]}


def test_options_may_stand_anywhere(server: dict[str, Any], url: str) -> None:
    done = nostrmcp("call", "--relay", url, server["npub"], "--json", "add", "--timeout", "30", '{"a": 1, "b": 2}')
    assert json.loads(done.stdout)["content"][0]["text"] == "3"


def test_progress_is_told_beside_the_result(server: dict[str, Any], url: str) -> None:
    done = nostrmcp("call", server["npub"], "--relay", url, "count", '{"steps": 2, "pause": 0}')
    assert (done.stdout, done.stderr) == ("counted to 2\n", "nostrmcp: step 1\nnostrmcp: step 2\n")


def test_a_tool_that_fails_and_one_that_is_not_there(server: dict[str, Any], url: str) -> None:
    failed = nostrmcp("call", server["npub"], "--relay", url, "fail")
    assert (failed.returncode, failed.stdout) == (1, "it failed, as it was asked to\n")
    missing = nostrmcp("call", server["npub"], "--relay", url, "nothing")
    assert (missing.returncode, missing.stderr) == (1, "nostrmcp: error -32602: there is no such tool\n")
    whole = nostrmcp("call", server["npub"], "--relay", url, "nothing", "--json")
    assert json.loads(whole.stdout) == {"error": {"code": -32602, "message": "there is no such tool", "data": None}}


def test_the_relay_and_the_key_may_come_from_the_environment(server: dict[str, Any], url: str, tmp_path: Path) -> None:
    key = tmp_path / "own.key"
    key.write_text(bytes([7]).hex() * 32)
    variables = environment(NOSTRMCP_RELAY=f" {URL} {url} ", NOSTRMCP_SECRET_FILE=str(key))
    done = nostrmcp("call", server["npub"], "add", '{"a": 1, "b": 2}', env=variables)
    assert (done.returncode, done.stdout) == (0, "3\n")
    assert done.stderr.startswith(f"nostrmcp: {URL}: ")  # the one that is not there is named, and harms nothing


def test_a_server_that_is_not_there_is_not_waited_for_longer_than_asked(url: str) -> None:
    done = nostrmcp("call", NOBODY, "--relay", url, "--timeout", "0.2", "add")
    assert (done.returncode, done.stdout) == (1, "")
    told = "no relay has an announcement of it, so contextvm was spoken: --revision names another"
    assert done.stderr == f"nostrmcp: error -32603: no answer in time ({told})\n"
    named = nostrmcp("call", NOBODY, "--relay", url, "--timeout", "0.2", "--revision", "contextvm", "add")
    assert named.stderr == "nostrmcp: error -32603: no answer in time\n"


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_proxy_is_a_local_mcp_server(revision: str, server: dict[str, Any], url: str) -> None:
    [naddr] = [one["naddr"] for one in server["servers"] if one["revision"] == revision]
    with started("proxy", naddr, stdin=subprocess.PIPE) as host:
        assert host.stdin is not None and host.stderr is not None

        def ask(method: str, params: dict[str, Any] | None = None, given: Any = 1) -> dict[str, Any]:
            assert host.stdin is not None
            message = {"jsonrpc": "2.0", "id": given, "method": method} | ({"params": params} if params else {})
            print(json.dumps(message), file=host.stdin, flush=True)
            answer: dict[str, Any] = said(host)
            return answer

        client = {"name": "test", "version": "1"}
        hello = ask("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client}, given=0)
        assert (hello["id"], hello["result"]["serverInfo"]["name"]) == (0, "example")
        print('{"jsonrpc":"2.0","method":"notifications/initialized"}', file=host.stdin, flush=True)
        called = ask("tools/call", {"name": "add", "arguments": {"a": 2, "b": 40}}, given="zero")
        assert called == {"jsonrpc": "2.0", "id": "zero", "result": {"content": [{"type": "text", "text": "42"}]}}
        assert ask("resources/read", {"uri": "example://nowhere"})["error"]["code"] == -32002
        print("no JSON", file=host.stdin, flush=True)
        assert said(host)["error"]["code"] == -32700
        host.stdin.close()
        assert host.wait(timeout=GUARD) == 0
        assert host.stderr.read() == ""


def test_a_proxy_waits_for_the_answers_when_its_input_has_ended(
    server: dict[str, Any], url: str, tmp_path: Path
) -> None:
    [naddr] = [one["naddr"] for one in server["servers"] if one["revision"] == "contextvm"]
    client = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    counting = {"name": "count", "arguments": {"steps": 2, "pause": 0.1}, "_meta": {"progressToken": 1}}
    asked = [("initialize", client), ("tools/call", counting), ("tools/list", {})]
    lines = [{"jsonrpc": "2.0", "id": n, "method": name, "params": params} for n, (name, params) in enumerate(asked)]
    given = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "messages.jsonl").write_text(given)
    with (tmp_path / "messages.jsonl").open() as file:
        from_file = nostrmcp("proxy", naddr, stdin=file)
    for done in (from_file, nostrmcp("proxy", naddr, input=given)):
        assert (done.returncode, done.stderr) == (0, "")
        answers = {one["id"]: one for one in map(json.loads, done.stdout.splitlines()) if "id" in one}
        assert answers.keys() == {0, 1, 2}
        assert answers[1]["result"]["content"] == [{"type": "text", "text": "counted to 2"}]


def test_a_proxy_whose_input_has_ended_waits_no_longer_than_for_an_answer(url: str) -> None:
    lines = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    done = nostrmcp("proxy", NOBODY, "--relay", url, "--timeout", "0.2", input=lines)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["error"]["message"] == "no answer in time"


def test_a_proxy_that_nobody_reads_any_more_waits_for_nothing(url: str) -> None:
    with started("proxy", NOBODY, "--relay", url, "--timeout", "3600", stdin=subprocess.PIPE) as host:
        assert host.stdin is not None and host.stdout is not None
        print('{"jsonrpc":"2.0","id":1,"method":"ping"}', file=host.stdin, flush=True)
        host.stdin.close()
        host.stdout.close()
        assert host.wait(timeout=GUARD) == 0


def test_a_server_that_reads_ephemeral_wraps_alone_is_reached_where_one_says_so() -> None:
    with relay("--fault", "drop:kind=1059") as deaf, gateway(deaf, "--revision", "contextvm") as quiet:
        target = ["call", quiet["npub"], "--relay", deaf, "--timeout", "20", "echo", '{"text": "x"}']
        done = nostrmcp(*target, "--ephemeral-wraps", "--encryption", "required")
        assert (done.returncode, done.stdout) == (0, "x\n")
        assert nostrmcp(*target, "--timeout", "0.5").stderr.startswith("nostrmcp: error -32603: no answer in time")


def test_a_proxy_is_a_server_to_the_official_client(server: dict[str, Any], url: str) -> None:
    if not os.environ.get("CI"):
        pytest.importorskip("mcp", reason="the official SDK is not installed: pip install 'nostrmcp[mcp]'")
    import anyio
    import mcp

    async def converse() -> str:
        words = ["-m", "nostrmcp", "proxy", server["npub"], "--relay", url, "--revision", "contextvm"]
        command = mcp.StdioServerParameters(command=sys.executable, args=words)
        with anyio.fail_after(GUARD):
            async with mcp.Client(command, mode="legacy") as client:
                result = await client.call_tool("add", {"a": 2, "b": 40})
                text: str = result.content[0].text
                return text

    assert anyio.run(converse) == "42"


def test_discover_in_words_and_as_json(server: dict[str, Any], url: str) -> None:
    told = nostrmcp("discover", "--relay", url, "--author", server["npub"]).stdout
    blocks = told.strip().split("\n\n")
    assert len(blocks) == len(REVISIONS)
    assert all(block.startswith("Sums \\x1b[31m\n  It adds\n  naddr1") for block in blocks)
    [living] = [block for block in blocks if "  contextvm, MCP 2025-11-25, encrypted or plain" in block]
    assert "  tools: add, echo, count, fail" in living and "  prompts: greet" in living
    rows = nostrmcp("discover", "--relay", url, "--author", server["pubkey"], "--json").stdout.splitlines()
    [row] = [one for one in map(json.loads, rows) if one["revisions"] == ["contextvm"]]
    assert row["npub"] == server["npub"] and row["pubkey"] == server["pubkey"] and row["server_id"] is None
    assert row["name"] == "Sums \x1b[31m" and row["protocol_version"] == VERSION and row["encryption"] is True
    assert row["capabilities"]["resources"] == {"subscribe": True} and row["prices"] == []
    assert row["resourceTemplates"] == ["hello"]


def test_discover_names_relays_that_do_not_answer(server: dict[str, Any], url: str) -> None:
    done = nostrmcp("discover", "--relay", url, "--relay", URL, "--author", NOBODY)
    assert (done.returncode, done.stdout) == (0, "no server is announced\n")
    assert done.stderr.startswith(f"nostrmcp: {URL}: ") and done.stderr.count("\n") == 1
    alone = nostrmcp("discover", "--relay", URL)
    assert (alone.returncode, alone.stdout) == (2, "")
    assert alone.stderr.splitlines()[-1] == "nostrmcp: no relay answered"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["call", NOBODY], "no relay is known: name one with --relay"),
        (["call", "someone", "--relay", URL], "the target is not an naddr, nprofile, npub or a key in hexadecimal"),
        (["call", NSEC, "--relay", URL], "the target is not an naddr, nprofile, npub or a key in hexadecimal"),
        (["call", NOBODY, "--relay", "ws://", "add"], "ws:// is not the address of a relay"),
        (["call", NOBODY, "--relay", URL, "add", "[1]"], "the arguments are not a JSON object"),
        (["call", NOBODY, "--relay", URL, "add", "{"], "the arguments are not a JSON object"),
        (["call", NOBODY, "--relay", URL, "--pay-with", "'"], "--pay-with is not a command: '"),
        (["call", NOBODY, "--relay", URL, "--key-file", "none"], "cannot read none: No such file or directory"),
        (["call", NOBODY, "--relay", URL, "--revision", "dvmcp-rev1", "--encryption", "required"], "encryption is"),
        (["call", NOBODY, "--relay", URL, "--ephemeral-wraps", "--revision", "dvmcp-rev1"], "ephemeral wraps are"),
        (["discover"], "no relay is known: name one with --relay"),
        (["discover", "--relay", URL, "--author", "x"], "x is not a public key: give an npub or 64 hexadecimal digits"),
    ],
)  # fmt: skip
def test_what_makes_no_sense(
    arguments: list[str], why: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOSTRMCP_RELAY", raising=False)
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"nostrmcp: {why}") and err.count("\n") == 1
    assert "nsec" not in err


@pytest.mark.parametrize("words", [["--timeout", "0"], ["--timeout", "-1"], ["--max-sats", "x"], ["--encryption", "x"]])
def test_options_that_make_no_sense(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["call", NOBODY, "--relay", URL, *words])
    assert ended.value.code == 2 and f"argument {words[0]}" in capsys.readouterr().err
