"""Runs of the conformance command, for tests."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nostrmcp.cli.main import main

ZOO = Path(__file__).resolve().parent / "zoo" / "adapter.py"
Value = dict[str, Any]
# A busy machine is no fault of a testee; where a time-out is what is tested, it is given.
PATIENT = ("--timeout", "60", "--start-timeout", "60")


def animal(name: str) -> str:
    """A member of the zoo as a testee."""
    return f"cmd:{sys.executable} {ZOO} {name}"


@dataclass(frozen=True)
class Ran:
    code: int
    header: Value
    results: dict[str, Value]
    footer: Value

    @property
    def statuses(self) -> Counter[str]:
        return Counter(one["status"] for one in self.results.values())

    @property
    def verdicts(self) -> Counter[str]:
        return Counter(one["verdict"] for one in self.results.values())


def run(capsys: pytest.CaptureFixture[str], testee: str, *arguments: str) -> Ran:
    """`nostrmcp conformance run --json`, with the lines of its stream."""
    code = main(["conformance", "run", "--testee", testee, "--json", *PATIENT, *arguments])
    captured = capsys.readouterr()
    assert captured.out, captured.err
    header, *results, footer = map(json.loads, captured.out.splitlines())
    assert footer["exit"] == code
    return Ran(code, header, {one["case"]: one for one in results}, footer)
