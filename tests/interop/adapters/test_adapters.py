"""Other implementations under the conformance runner: the readable half of this package, and published JavaScript."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.conformance.running import run
from tests.interop.peers import FOLDER, ROOT

HERE = Path(__file__).resolve().parent
BASELINE = HERE / "javascript" / "baseline.toml"
READABLE = f"cmd:{sys.executable} {HERE / 'readable.py'}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "selection",
    [
        ("--revision", "common"),
        ("--revision", "contextvm", "--suite", "decode", "--suite", "encode"),
        ("--suite", "dvmcp-rev1.1/session-client"),
    ],
    ids=" ".join,
)
def test_the_readable_primitives_agree(selection: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, READABLE, *selection, "--timeout", "60")
    assert ran.statuses == {"pass": len(ran.results)}
    assert (ran.code, ran.footer["verdict"]) == (0, "conforming")


@pytest.fixture(scope="module")
def javascript(peers: None) -> str:
    """The adapter in JavaScript; Node looks for packages from the folder a module lies in."""
    home = FOLDER / "node"
    for source in (*sorted((HERE / "javascript").glob("*.mjs")), ROOT / "tests" / "confirm" / "nostr_tools.mjs"):
        shutil.copy(source, home)
    return f"cmd:node {home / 'adapter.mjs'}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("selection", "verdict"),
    [
        (("--revision", "common"), "partial"),
        (("--suite", "contextvm/decode", "--suite", "contextvm/encode"), "as the baseline says"),
    ],
    ids=["nostr-tools", "contextvm"],
)
def test_published_software_does_what_its_baseline_says(
    selection: tuple[str, ...], verdict: str, javascript: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = (*selection, "--baseline", str(BASELINE), "--timeout", "20", "--start-timeout", "60")
    ran = run(capsys, javascript, *arguments)
    wrong = {name: one for name, one in ran.results.items() if one["verdict"] in ("FAIL", "STALE", "DEFECT")}
    assert wrong == {}
    assert (ran.code, ran.footer["verdict"]) == (0, verdict)
    assert ran.verdicts["PASS"] > ran.verdicts["EXPECTED"] > 0


@pytest.mark.slow
def test_published_software_under_scripts(javascript: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its transports run under the scripts, whatever they make of them."""
    suites = ("--suite", "contextvm/session-server", "--suite", "contextvm/session-client")
    ran = run(capsys, javascript, *suites, "--timeout", "20", "--start-timeout", "60")
    # One script is of two revisions, of which the SDK speaks one.
    assert ran.statuses.keys() <= {"pass", "fail", "skip", "not-offered"}
    assert ran.statuses["pass"] >= 20
    assert ran.results["cvm-client-pages"]["status"] == "pass"


@pytest.mark.slow
def test_its_traffic_is_as_agreed(javascript: str, capsys: pytest.CaptureFixture[str]) -> None:
    from nostrmcp.cli.main import main

    arguments = ["--timeout", "20", "--start-timeout", "60", "--check-adapter"]
    assert main(["conformance", "run", "--testee", javascript, *arguments]) == 0
    assert capsys.readouterr().out.endswith(" operations, 0 mistakes in the traffic\n")
