"""action.yml: its scripts do what a workflow needs of them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .running import ZOO

ROOT = Path(__file__).resolve().parents[2]
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
SCRIPTS = [textwrap.dedent(one) for one in re.findall(r"^      run: \|\n((?:        .*\n)+)", ACTION, re.M)]

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="a composite action runs in bash")


@pytest.fixture
def workflow(tmp_path: Path) -> dict[str, str]:
    """The environment of a workflow in which nostrmcp is installed."""
    (tmp_path / "nostrmcp" / "bin").mkdir(parents=True)
    program = tmp_path / "nostrmcp" / "bin" / "nostrmcp"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m nostrmcp "$@"\n')
    program.chmod(0o755)
    return os.environ | {
        "RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), "BASELINE": "",
        "REPORTS": str(tmp_path / "our reports"), "ARGUMENTS": "--suite bip340 --seed 7",
    }  # fmt: skip


def run(script: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    # As GitHub runs a step with `shell: bash`.
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize(("name", "code"), [("sound", 0), ("skips", 1), ("ends-at-once", 3)])
def test_a_run(name: str, code: int, workflow: dict[str, str], tmp_path: Path) -> None:
    done = run(SCRIPTS[1], workflow | {"TESTEE": f"cmd:{sys.executable} {ZOO} {name}"})
    assert done.returncode == code, done.stderr
    reports = tmp_path / "our reports"
    assert sorted(one.name for one in reports.iterdir()) == ["report.html", "report.jsonl", "report.md", "report.xml"]
    assert ElementTree.parse(reports / "report.xml").getroot().tag == "testsuites"
    assert (tmp_path / "summary.md").read_text() == (reports / "report.md").read_text()
    assert ", seed 7: " in done.stdout


def test_a_baseline(workflow: dict[str, str], tmp_path: Path) -> None:
    """A file with a space in its name, and one that does not exist."""
    known = tmp_path / "known failures.toml"
    testee = f"cmd:{sys.executable} {ZOO} skips"
    first = workflow | {"TESTEE": testee, "ARGUMENTS": f"--suite bip340 --write-baseline {tmp_path}/first.toml"}
    assert run(SCRIPTS[1], first).returncode == 1
    (tmp_path / "first.toml").rename(known)
    assert run(SCRIPTS[1], workflow | {"TESTEE": testee, "BASELINE": str(known)}).returncode == 0
    missing = run(SCRIPTS[1], workflow | {"TESTEE": testee, "BASELINE": f"{known}x", "REPORTS": str(tmp_path / "new")})
    assert missing.returncode == 2
    assert "cannot read" in missing.stderr


def test_inputs_are_data_in_its_scripts() -> None:
    """An expression inside a script would make a branch name or a title a command."""
    assert len(SCRIPTS) == 2
    assert not [script for script in SCRIPTS if "${{" in script]
    for name in ("testee", "baseline", "arguments", "reports"):
        assert f"${{{{ inputs.{name} }}}}" in ACTION
