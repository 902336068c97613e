"""Software that others published under the live checks: the runner finds where it differs, and nothing that is not so.

What is asserted here is what documents demand. Of our own rules the report speaks; no list of it is kept here.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from pathlib import Path

import pytest

from nostrmcp.cli.main import main
from tests.interop import peers

pytestmark = pytest.mark.slow
PROGRAMS = Path(__file__).with_name("peers")


@pytest.fixture(autouse=True)
def installed() -> None:
    """Without the peers these tests skip, except in CI."""
    reason = peers.missing()
    if reason is not None and os.environ.get("CI") == "true":
        pytest.fail(reason)
    if reason is not None:
        pytest.skip(reason)


def failures(side: str, program: str, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, str]:
    """The checks that failed, and why."""
    # Node looks for packages from the folder a module lies in.
    copy = peers.FOLDER / "node" / f"live_{program}"
    shutil.copyfile(PROGRAMS / program, copy)
    command = shlex.join(["node", str(copy)])
    main(["conformance", "live", side, "--command", command, "--revision", "contextvm", "--json", *words])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1]["aborted"] is None
    return {one["op"]: one["detail"] for one in lines[1:-1] if one["verdict"] in ("FAIL", "DEFECT")}


def test_a_server_of_contextvm(capsys: pytest.CaptureFixture[str]) -> None:
    hints = ["--hint", "slow=slow", "--hint", "error=fail"]
    # It knows requests by the ids of their events, and looks for the one in a cancel among these.
    assert failures("server", "contextvm_server.mjs", capsys, *hints) == {
        "live-server-cancel": "a cancelled request was answered",
    }


def test_a_client_of_contextvm(capsys: pytest.CaptureFixture[str]) -> None:
    # It has no ear for requests.
    assert failures("client", "contextvm_client.mjs", capsys) == {
        "live-client-ping": "the client did not answer the server's request: within 5 s",
        "live-client-unknown-request": "the client did not answer the server's request: within 5 s",
    }
