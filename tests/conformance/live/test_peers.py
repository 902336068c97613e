"""Software that others published under the live checks: the runner finds where it differs, and nothing that is not so.

Of the whole runs what documents demand is asserted; the runs of spec/live-example.md are made again and compared.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from nostrmcp.cli.main import main
from tests.interop import peers

pytestmark = pytest.mark.slow
PROGRAMS = Path(__file__).with_name("peers")
# The page's --timeout is for people who wait; a busy machine needs longer to start node.
PATIENT = ("--timeout", "5")
PAGE = (Path(__file__).resolve().parents[3] / "spec" / "live-example.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def installed() -> None:
    """Without the peers these tests skip, except in CI."""
    reason = peers.missing()
    if reason is not None and os.environ.get("CI") == "true":
        pytest.fail(reason)
    if reason is not None:
        pytest.skip(reason)


def stream(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, list[dict[str, Any]], dict[str, Any]]:
    """The exit code of a command line after `nostrmcp`, the results, and the last line."""
    capsys.readouterr()
    installed = [re.sub(r"contextvm_\w+\.mjs", installed_program, word) for word in words]
    code = main([*installed, *PATIENT, "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1]["aborted"] is None
    return code, lines[1:-1], lines[-1]


def installed_program(name: re.Match[str]) -> str:
    """Where node runs a program: it looks for packages from the folder a module lies in."""
    copy = peers.FOLDER / "node" / f"live_{name[0]}"
    part = copy.with_name(f"{copy.name}.{os.getpid()}")
    part.write_bytes((PROGRAMS / name[0]).read_bytes())
    part.replace(copy)
    return shlex.quote(str(copy))


def failures(side: str, program: str, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, str]:
    """The checks of what documents state that failed, and why."""
    command = ["conformance", "live", side, "--command", f"node {program}", "--revision", "contextvm"]
    _, results, _ = stream([*command, *words], capsys)
    return {one["op"]: one["detail"] for one in results if one["status"] in ("fail", "defect") and not one["hardening"]}


@pytest.mark.parametrize("encryption", ["optional", "required"])
def test_a_server_of_contextvm(encryption: str, capsys: pytest.CaptureFixture[str]) -> None:
    hints = ["--hint", "slow=slow", "--hint", "error=fail"]
    # It knows requests by the ids of their events, and looks for the one in a cancel among these.
    assert failures("server", f"contextvm_server.mjs {encryption}", capsys, *hints) == {
        "live-server-cancel": "a cancelled request was answered",
    }


def test_a_client_of_contextvm_that_does_not_encrypt(capsys: pytest.CaptureFixture[str]) -> None:
    # It has no ear for requests.
    assert failures("client", "contextvm_client.mjs disabled", capsys) == {
        "live-client-ping": "the client did not answer the server's request: within 5 s",
        "live-client-unknown-request": "the client did not answer the server's request: within 5 s",
    }


BASELINES = {"A server": "contextvm_server.toml", "A client": "contextvm_client.toml"}


@pytest.mark.parametrize("heading", [*BASELINES, "A client that does not encrypt"])
def test_the_example_says_what_a_run_says(heading: str, capsys: pytest.CaptureFixture[str]) -> None:
    section = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    (command,) = re.findall(r"^```sh\nnostrmcp (.*?)^```", section, re.M | re.S)
    (output,) = re.findall(r"^```text\n(.*?)^```", section, re.M | re.S)
    baseline = ["--baseline", str(PROGRAMS / BASELINES[heading])] if heading in BASELINES else []
    code, results, footer = stream([*shlex.split(command.replace("\\\n", "")), *baseline], capsys)
    assert code == 0
    told = dict(re.findall(r"^\| `([a-z-]+)` \| ([a-z-]+) \|", section, re.M))
    assert told == {one["case"]: one["status"] for one in results if one["status"] != "pass"}
    shown = {(case, word) for word, case in re.findall(r"^(FAIL|WARN) +([a-z-]+)", output, re.M)}
    assert shown == {
        (one["case"], "WARN" if one["hardening"] or one["level"] == "SHOULD" else "FAIL")
        for one in results
        if one["status"] == "fail"
    }
    score = footer["score"]["contextvm"]
    assert f"score: contextvm {score['passed']}/{score['asked']} MUST" in output
