"""What the documents say is so."""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
from pathlib import Path
from typing import get_args

import pytest

from nostrmcp.conformance.vectors import load_suites
from nostrmcp.session import Client, Server
from nostrmcp.session.actions import Action

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "spec").rglob("*.md")),
    *sorted((ROOT / "vectors").glob("*.md")),
]


def fences(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


EXAMPLES = fences(README, "python")


@pytest.mark.parametrize("example", EXAMPLES, ids=["a wrap", "a session"])
def test_an_example_in_the_readme_works(example: str) -> None:
    exec(compile(example, "README.md", "exec"), {})


def test_every_action_and_input_of_a_session_is_explained() -> None:
    page = (ROOT / "spec" / "sessions.md").read_text(encoding="utf-8")
    first_cells = re.findall(r"^\| (`[^|]+`) \|", page, re.M)
    explained = {name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)}
    assert {action.__name__ for action in get_args(Action)} <= explained
    inputs = {name for one in (Server, Client) for name, member in vars(one).items() if takes_the_time(member)}
    assert {"start", "receive", "message", "tick"} <= inputs <= explained


def takes_the_time(member: object) -> bool:
    """Whether this is an input of a session: a public method whose last parameter is the time."""
    if not inspect.isfunction(member) or member.__name__.startswith("_"):
        return False
    return list(inspect.signature(member).parameters)[-1] == "now"


def test_there_are_as_many_vectors_as_is_told() -> None:
    total = sum(len(suite.cases) for suite in load_suites())
    told = {
        int(number.replace(",", ""))
        for path in DOCUMENTS
        for number in re.findall(r"more than ([0-9,]+)\s(?:vectors|cases)", path.read_text(encoding="utf-8"))
    }
    assert told
    assert max(told) < total < min(told) + 300, "the number told is no longer near the number there is"


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.M))
    for path in DOCUMENTS:
        assert set(re.findall(r"`make ([a-z-]+)", path.read_text(encoding="utf-8"))) <= targets, path.name
    assert set(re.findall(r"^make ([a-z-]+)", README, re.M)) <= targets


def test_links_lead_somewhere() -> None:
    for path in DOCUMENTS:
        prose = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
        for link in re.findall(r"\]\(([^)#]+)\)", prose):
            assert (path.parent / link).exists(), f"{path.name}: {link}"


def test_every_case_that_is_named_exists() -> None:
    known = {case.id for suite in load_suites() for case in suite.cases}
    named = set(re.findall(r"vectors show ([a-z0-9-]+)", README))
    assert named and named <= known


@pytest.mark.skipif(shutil.which("node") is None, reason="the example runner needs node")
def test_the_runner_in_javascript_works(tmp_path: Path) -> None:
    (runner,) = fences((ROOT / "vectors" / "README.md").read_text(encoding="utf-8"), "js")
    (tmp_path / "runner.mjs").write_text(runner, encoding="utf-8")
    result = subprocess.run(
        ["node", "runner.mjs", str(ROOT / "vectors")], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    total = sum(len(suite.cases) for suite in load_suites())
    own = sum(case.op in ("event_id", "kind_class") for suite in load_suites() for case in suite.cases)
    assert result.stdout == f"{own} passed, 0 failed, {total - own} skipped\n"
    assert (result.returncode, result.stderr) == (0, "")
