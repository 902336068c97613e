"""`nostrmcp gateway`, as a user calls it."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nostrmcp.cli.main import main
from nostrmcp.nostr import SecretKey, nip19
from nostrmcp.revisions import REVISIONS

from .running import EXAMPLE, ROOT, descendants, gateway, leave, nostrmcp, relay, started

BOB = SecretKey(bytes([2]) * 32)
URL = "ws://127.0.0.1:1"
ADD = ["add", '{"a": 2, "b": 40}']


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with relay() as address:
        yield address


def call(url: str, found: dict[str, Any], *arguments: str) -> str:
    done = nostrmcp("call", found["npub"], *ADD, "--relay", url, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_call_in_each_revision(revision: str, url: str) -> None:
    named = ["--server-id", "mcp"] if REVISIONS[revision].server_ids else []
    encrypted = ["--encryption", "required"] if REVISIONS[revision].kinds.wraps else []
    with gateway(url, "--revision", revision) as found:
        assert found["relays"] == [url] and nip19.decode(found["npub"]).hex() == found["pubkey"]
        [served] = found["servers"]
        assert served == {"server_id": "mcp" if named else None, "revision": revision, "naddr": None}
        assert call(url, found, "--revision", revision, *named, *encrypted) == "42\n"
        if encrypted:
            assert call(url, found, "--revision", revision, *named, "--encryption", "disabled") == "42\n"


def test_all_revisions_at_once_with_one_process_for_all(url: str) -> None:
    with gateway(url, "--shared") as found:
        assert {one["revision"] for one in found["servers"]} == set(REVISIONS)
        for revision in ("dvmcp-rev1", "contextvm"):
            assert call(url, found, "--revision", revision, "--server-id", "mcp") == "42\n"
        assert len(descendants(found["process"].pid)) == 1


def test_what_is_announced_is_called_by_its_name_alone_and_withdrawn(url: str) -> None:
    texts = ["--name", "Sums", "--about", "It adds"]
    with gateway(url, "--announce", "--announce-as", "dvmcp-rev1", *texts, "--withdraw") as found:
        names = {one["revision"]: one["server_id"] for one in found["servers"]}
        assert names == {
            "dvmcp-rev1": "mcp",
            "dvmcp-rev1-ephemeral": "mcp.dvmcp-rev1-ephemeral",
            "dvmcp-rev1.1": "mcp.dvmcp-rev1.1",
            "ctxvm-draft": "mcp.ctxvm-draft",
            "contextvm": None,
        }
        for one in found["servers"]:
            done = nostrmcp("call", one["naddr"], *ADD)
            assert (one["revision"], done.returncode, done.stdout, done.stderr) == (one["revision"], 0, "42\n", "")
        discovered = nostrmcp("discover", "--relay", url, "--json", "--author", found["npub"]).stdout.splitlines()
        servers = {tuple(one["revisions"]): one for one in map(json.loads, discovered)}
        assert len(servers) == 5 and {one["name"] for one in servers.values()} == {"Sums"}
        assert servers[("contextvm",)]["tools"] == ["add", "echo", "count", "fail"]
        assert {one["naddr"] for one in servers.values()} == {one["naddr"] for one in found["servers"]}
        assert leave(found["process"]) == 0
    after = nostrmcp("discover", "--relay", url, "--author", found["npub"])
    assert (after.returncode, after.stdout) == (0, "no server is announced\n")


def test_several_servers_from_a_file(url: str, tmp_path: Path) -> None:
    config = tmp_path / "servers.toml"
    words = json.dumps(EXAMPLE)
    config.write_text(
        f'[[server]]\nid = "one"\ncommand = {words}\nannounce = true\nname = "First"\n'
        f'[[server]]\nid = "two"\ncommand = {words}\nshared = true\n'
    )
    revisions = ["--revision", "ctxvm-draft", "--revision", "contextvm"]
    with gateway(url, "--config", str(config), *revisions, command=[]) as found:
        assert [(one["revision"], one["server_id"], bool(one["naddr"])) for one in found["servers"]] == [
            ("ctxvm-draft", "one", True),
            ("contextvm", None, True),
            ("ctxvm-draft", "two", False),
        ]
        for server in ("one", "two"):
            assert call(url, found, "--revision", "ctxvm-draft", "--server-id", server) == "42\n"


def test_who_is_not_on_the_list_gets_no_answer(url: str, tmp_path: Path) -> None:
    key = tmp_path / "bob.key"
    with gateway(url, "--revision", "contextvm", "--allow", nip19.encode(BOB.public_key), "--announce") as found:
        done = nostrmcp("call", found["npub"], *ADD, "--relay", url)
        assert (done.returncode, done.stderr) == (1, "nostrmcp: error -32000: Unauthorized\n")
        key.write_text(bytes([2]).hex() * 32)
        assert call(url, found, "--key-file", str(key)) == "42\n"


MAKES_INVOICES = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    request = asked["params"]["request"]
    assert asked["method"] == "invoice" and asked["params"]["amount"] == "21" and asked["params"]["unit"] == "sats"
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"invoice": "lnbc210n1qqq"}}), flush=True)
    print(json.dumps({"jsonrpc": "2.0", "method": "paid", "params": {"request": request}}), flush=True)
"""
ENDS_AND_RESUMES = """
import json, sys
asked = json.loads(sys.stdin.readline())
result = {"invoice": "lnbc210n1qqq"} if asked["method"] == "invoice" else {}
print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
if asked["method"] == "resume":
    assert asked["params"]["invoice"] == "lnbc210n1qqq"
    paid = {"request": asked["params"]["request"]}
    print(json.dumps({"jsonrpc": "2.0", "method": "paid", "params": paid}), flush=True)
    sys.stdin.readline()
"""
PAYS = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    open(sys.argv[1], "a").write(f'{asked["method"]} {asked["params"]["invoice"]} {asked["params"]["amount"]}\\n')
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {}}), flush=True)
"""


def test_a_priced_tool_through_programs(url: str, tmp_path: Path) -> None:
    """Nothing is paid unless it is allowed, and not more than is allowed."""
    till, wallet, paid = tmp_path / "till.py", tmp_path / "wallet.py", tmp_path / "paid"
    # This one believes in every payment at once; whether it should is its own business.
    till.write_text(MAKES_INVOICES)
    wallet.write_text(PAYS)
    pay = ["--pay-with", f"{sys.executable} {wallet} {paid}"]
    price = ["--price", "tool:add=21sats", "--payment-processor", f"{sys.executable} {till}"]
    with gateway(url, "--revision", "contextvm", "--announce", *price) as found:
        found_prices = json.loads(nostrmcp("discover", "--relay", url, "--json", "--author", found["npub"]).stdout)[
            "prices"
        ]
        assert found_prices == [{"type": "tool", "capability": "add", "amount": "21", "unit": "sats"}]
        for allowed in ([], [*pay], [*pay, "--max-sats", "20"]):
            done = nostrmcp("call", found["npub"], *ADD, "--relay", url, *allowed)
            assert done.returncode == 1 and "the policy does not pay 21 sats" in done.stderr
        assert not paid.exists()
        assert call(url, found, *pay, "--max-sats", "21") == "42\n"
        assert paid.read_text() == "pay lnbc210n1qqq 21\n"


def test_a_processor_that_ended_hears_of_the_payment_later(url: str, tmp_path: Path) -> None:
    till, wallet = tmp_path / "till.py", tmp_path / "wallet.py"
    till.write_text(ENDS_AND_RESUMES)
    wallet.write_text(PAYS)
    pay = ["--pay-with", f"{sys.executable} {wallet} {tmp_path / 'paid'}", "--max-sats", "21"]
    price = ["--price", "tool:add=21sats", "--payment-processor", f"{sys.executable} {till}"]
    with gateway(url, "--revision", "contextvm", *price) as found:
        assert call(url, found, *pay) == "42\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_in_order(number: signal.Signals, url: str) -> None:
    with gateway(url, "--revision", "contextvm") as found:
        assert call(url, found) == "42\n"
        process = found["process"]
        assert len(descendants(process.pid)) == 1
        assert leave(process, number) == 0
        assert process.stderr.read() == ""


def test_a_state_file_is_for_one_gateway(url: str, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with gateway(url, "--revision", "contextvm", "--state", str(state)) as found:
        assert call(url, found) == "42\n"
        assert len(state.read_text().splitlines()) == 3  # initialize, initialized and the call
        second = nostrmcp("gateway", "--relay", url, "--state", str(state), "--", *EXAMPLE)
        assert (second.returncode, second.stderr) == (2, f"nostrmcp: {state} is in use by another gateway\n")


def test_people_read_where_it_is(url: str) -> None:
    with started(
        "gateway", "--relay", url, "--revision", "dvmcp-rev1", "--revision", "contextvm", "--announce", "--", *EXAMPLE
    ) as process:
        assert process.stdout is not None
        npub, *rows = [process.stdout.readline() for _ in range(3)]
        assert npub.startswith("npub1")
        assert [row.split()[0] for row in rows] == ["dvmcp-rev1", "contextvm"]
        assert all(row.split()[1].startswith("naddr1") for row in rows)


def test_an_mcp_server_that_cannot_be_started_is_told(url: str, tmp_path: Path) -> None:
    done = nostrmcp("gateway", "--relay", url, "--", "./no-such-program")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "nostrmcp: there is no program './no-such-program' that can be started\n"
    broken = tmp_path / "broken"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o700)
    with gateway(url, "--shared", command=[str(broken)]) as found:
        assert found["process"].stderr.readline() == (
            "nostrmcp: the MCP server mcp: it cannot be started: No such file or directory\n"
        )


@pytest.fixture
def never_serving(monkeypatch: pytest.MonkeyPatch) -> None:
    """What should have been refused must neither go on for ever nor reach for any relay."""
    monkeypatch.setattr("nostrmcp.cli.gateway.run_until_signal", lambda work: pytest.fail("it was not refused"))


GATEWAY = ["gateway", "--relay", URL]
SERVED = ["--", "x"]


@pytest.mark.parametrize("words", [["--idle", "nan"], ["--idle", "0"], ["--idle", "x"], ["--revision", "x"]])
def test_options_that_make_no_sense(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*GATEWAY, *words, *SERVED])
    assert ended.value.code == 2 and f": argument {words[0]}: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["gateway", *SERVED], "no relay is known: name one with --relay"),
        (["gateway", "--relay", "http://x", *SERVED], "http://x is not the address of a relay"),
        (GATEWAY, "which MCP server? Put its command after --"),
        ([*GATEWAY, "--key-file", "no/such/file", *SERVED], "cannot read no/such/file: No such file or directory"),
        ([*GATEWAY, "--config", "no/such/file"], "cannot read no/such/file: No such file or directory"),
        ([*GATEWAY, "--config", "x", *SERVED], "give either --config or a command, not both"),
        ([*GATEWAY, "--price", "add=1", *SERVED], "'add=1' is no price: write for example tool:NAME=100sats"),
        ([*GATEWAY, "--price", "tool:add=1sats", *SERVED], "a price needs a program that makes invoices"),
        ([*GATEWAY, "--payment-processor", "'", *SERVED], "--payment-processor is not a command"),
        ([*GATEWAY, "--allow", "npub1x", *SERVED], "npub1x is not a public key"),
        ([*GATEWAY, "--revision", "dvmcp-rev1", "--announce-as", "contextvm", *SERVED], "--announce-as contextvm, but"),
        ([*GATEWAY, "--revision", "dvmcp-rev1", "--encryption", "required", *SERVED], "encryption is required, and"),
        ([*GATEWAY, "--max-processes", "0", *SERVED], "--max-processes is more than 0"),
        ([*GATEWAY, "--state", "no/such/folder/state", *SERVED], "cannot open no/such/folder/state: No such file"),
        ([*GATEWAY, "--announce", "--mcp-version", "DRAFT-2026-v1", *SERVED], "what a server is cannot be asked in"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("never_serving")
def test_what_makes_no_sense(arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"nostrmcp: {why}") and err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = ", "is not TOML"),
        ("", "has no [[server]] table"),
        ("server = 1", "has no [[server]] table"),
        ("server = [1]", "server 1 is not a table"),
        ('[[server]]\nid = "x"', "server 1 needs an id, and a command as a list of strings"),
        ('[[server]]\nid = "x"\ncommand = [1]', "server 1 needs an id, and a command as a list of strings"),
        ('[[server]]\nid = "x"\ncommand = ["x"]\nshared = 1', "server 1: shared is unknown or of the wrong type"),
        ('[[server]]\nid = "x"\ncommand = ["x"]\n' * 2, "servers with different ids"),
    ],
)
@pytest.mark.usefixtures("never_serving")
def test_files_that_make_no_sense(text: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "servers.toml"
    config.write_text(text)
    assert main([*GATEWAY, "--config", str(config)]) == 2
    err = capsys.readouterr().err
    assert why in err and err.startswith("nostrmcp: ") and err.count("\n") == 1


@pytest.mark.usefixtures("never_serving")
def test_a_published_key_is_refused_on_relays_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = tmp_path / "key"
    cases = json.loads((ROOT / "vectors" / "contextvm" / "session-client.json").read_text())["groups"][0]["cases"]
    key.write_text(cases[0]["input"]["open"]["key"])
    words = ["gateway", "--relay", "wss://relay.invalid", "--key-file", str(key), *SERVED]
    assert main(words) == 2
    assert "published in the conformance vectors" in capsys.readouterr().err
