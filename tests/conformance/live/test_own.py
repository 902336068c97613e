"""Our own gateway and our own proxy under the live checks, in every revision."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from nostrmcp.cli.main import main
from nostrmcp.revisions import REVISIONS

pytestmark = pytest.mark.slow
FOLDER = Path(__file__).resolve().parent
GATEWAY = [sys.executable, str(FOLDER / "gateway_program.py")]
PROXY = [sys.executable, str(FOLDER / "proxy_program.py")]
HINTS = ["--hint", 'slow=count:{"steps": 3, "pause": 0.1}', "--hint", "error=fail", "--hint", "paid=add:{}"]


def live(capsys: pytest.CaptureFixture[str], side: str, command: list[str], *words: str) -> tuple[int, Any, Any]:
    """The exit code, the results that are no passes, and the footer."""
    code = main(["conformance", "live", side, "--command", shlex.join(command), "--json", "--timeout", "10", *words])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    others = {one["case"]: (one["status"], one.get("detail")) for one in lines[1:-1] if one["status"] != "pass"}
    return code, others, lines[-1]


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("shared", [["--shared"], []], ids=["shared", "apart"])
def test_the_gateway(revision: str, shared: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, others, footer = live(capsys, "server", [*GATEWAY, *shared], "--revision", revision, *HINTS)
    assert others == {}
    assert (code, footer["verdict"]) == (0, "conforming")


def test_the_gateway_of_all_revisions_is_found_out(capsys: pytest.CaptureFixture[str]) -> None:
    code, others, footer = live(capsys, "server", [*GATEWAY, "all", "--shared"], *HINTS)
    assert others == {}
    assert sorted(footer["score"]) == sorted(REVISIONS)
    assert (code, footer["verdict"]) == (0, "conforming")


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_proxy(revision: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, others, footer = live(capsys, "client", PROXY, "--revision", revision)
    assert others == {}
    assert (code, footer["verdict"]) == (0, "conforming")
