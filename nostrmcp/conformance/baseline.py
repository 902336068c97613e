"""The baseline of an implementation: the cases it is known to fail, each with a reason, in a TOML file of its own."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .text import visible
from .verdicts import EXPECTABLE, Status, Verdict


class BadBaseline(Exception):
    """The file cannot be read as a baseline; the message says why in one sentence."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """One known failure."""

    case: str
    status: Status
    reason: str
    issue: str | None


Baseline = dict[str, Expectation]


def load(path: Path) -> Baseline:
    """Read a baseline."""
    try:
        value = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise BadBaseline(f"cannot read {path}: {problem.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise BadBaseline(f"{path} is not TOML: {problem}") from None
    entries = value.pop("expect", [])
    if value or not isinstance(entries, list):
        raise BadBaseline(f"{path} holds [[expect]] tables and nothing else")
    found: Baseline = {}
    for number, entry in enumerate(entries, start=1):
        one = _expectation(entry, f"{path}, entry {number}")
        if one.case in found:
            raise BadBaseline(f"{path} names {one.case} twice")
        found[one.case] = one
    return found


def check_known(baseline: Baseline, known: Iterable[str]) -> None:
    """An entry for a case that does not exist is an error, not a comment."""
    unknown = set(baseline).difference(known)
    if unknown:
        raise BadBaseline(f"the baseline names cases that do not exist: {', '.join(sorted(unknown))}")


def _expectation(entry: Any, where: str) -> Expectation:
    if not isinstance(entry, dict) or not set(entry) <= {"case", "status", "reason", "issue"}:
        raise BadBaseline(f"{where}: an entry has case, status, reason and perhaps issue")
    for name in ("case", "status", "reason"):
        if not isinstance(entry.get(name), str) or not entry[name].strip():
            raise BadBaseline(f"{where}: {name} is missing")
    if not isinstance(entry.get("issue", ""), str):
        raise BadBaseline(f"{where}: issue is a string")
    if entry["status"] not in EXPECTABLE:
        raise BadBaseline(f"{where}: status is one of {', '.join(EXPECTABLE)}")
    return Expectation(entry["case"], Status(entry["status"]), entry["reason"], entry.get("issue"))


def fold(found: Verdict, status: Status, expected: Expectation | None) -> Verdict:
    """The verdict in the light of the baseline: a failure it names is expected, a pass that it denies is stale."""
    if expected is None or status in (Status.NOT_OFFERED, Status.NOT_RUN, Status.DEFECT):
        return found
    if status is Status.PASS:
        return Verdict.STALE
    return Verdict.EXPECTED if status is expected.status else found


def entry_text(entry: Expectation, detail: str) -> str:
    """A failure as an entry of a baseline, to be completed by hand; what happened stands above it as a comment."""
    members = {name: getattr(entry, name) for name in ("case", "status", "reason", "issue")}
    lines = [f"{name} = {_toml(text)}" for name, text in members.items() if text is not None]
    return "\n".join([f"# {visible(detail):.200}", "[[expect]]", *lines, ""])


def _toml(text: str) -> str:
    """A string of TOML: one of JSON, but for a control character that JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
