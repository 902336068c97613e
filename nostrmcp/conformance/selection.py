"""Which cases a run is about, and in which order they come."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from .vectors import Case, Suite, load_suite, suite_files, vectors_folder

HARDENING = "hardening"
LEVELS = ("MUST", "SHOULD", "MAY")
# What no revision obliges anybody to have.
FEATURES = ("encryption", "payments", "subscriptions")
_SMOKE = 12


class BadSelection(Exception):
    """What the user asked for does not exist; the message says so in one sentence."""


@cache
def requirements() -> dict[str, dict[str, Any]]:
    """What each requirement says, and on what basis."""
    text = (vectors_folder() / "requirements.json").read_text(encoding="utf-8")
    rows: dict[str, dict[str, Any]] = json.loads(text)["requirements"]
    return rows


def is_hardening(case: Case) -> bool:
    """Whether a case shows a rule of our own: no document states it, so no revision's score counts the case."""
    rows = requirements()
    return any(rows[one]["basis"] == "house" for one in case.req)


def revisions_of(case: Case) -> frozenset[str]:
    """The revisions that an implementation must speak to be asked this; none for the common ground."""
    folder = case.suite.partition("/")[0]
    opened = case.input.get("open", {})
    named = {folder, opened.get("revision"), *opened.get("revisions", ())}
    return frozenset(one for one in named if one not in (None, "common", "mcp"))


def features_of(case: Case) -> frozenset[str]:
    """What an implementation must have beyond the plain exchange of messages to be asked this."""
    rows = requirements()
    opened = case.input.get("open", {})
    areas = {one.split("-")[1] for one in case.req}
    signs = {
        "encryption": "ENC" in areas or opened.get("encryption", "disabled") != "disabled",
        "payments": not areas.isdisjoint({"PAY", "PRICE"})
        or bool(opened.get("prices"))
        or opened.get("payments", {}).get("pay", False),
        "subscriptions": any(rows[one]["ledger"] == "mcp-subscriptions" for one in case.req),
    }
    return frozenset(name for name, is_needed in signs.items() if is_needed)


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user asked for; what is empty does not restrict anything."""

    revisions: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    level: str = "MAY"

    def takes(self, case: Case) -> bool:
        """Whether a case is among those asked for."""
        revision, _, area = case.suite.partition("/")
        named = not self.suites or case.suite in self.suites or area in self.suites
        return (
            (not self.revisions or revision in self.revisions)
            and (named or (HARDENING in self.suites and is_hardening(case)))
            and (not self.cases or case.id in self.cases)
            and LEVELS.index(case.level) <= LEVELS.index(self.level)
        )


@dataclass(slots=True)
class Survey:
    """What a first look at all vector files finds; it holds no more than two cases of an operation and a revision."""

    folder: Path
    total: int = 0
    accepts: dict[tuple[str, str], Case] = field(default_factory=dict)
    refusals: dict[tuple[str, str], Case] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)


def survey(selection: Selection, asked: set[str], folder: Path | None = None) -> Survey:
    """Count the cases selected, find those for a smoke test, and say which of the ids asked for exist."""
    found = Survey(folder or vectors_folder())
    revisions, suites = set[str](), {HARDENING}
    for path in suite_files(found.folder):
        suite = load_suite(path)
        revision, _, area = suite.name.partition("/")
        revisions.add(revision)
        suites |= {suite.name, area}
        for case in suite.cases:
            if case.id in asked or case.id in selection.cases:
                found.known.add(case.id)
            if case.result == "valid":
                found.accepts.setdefault((case.op, revision), case)
            elif case.result == "invalid":
                found.refusals.setdefault((case.op, revision), case)
            found.total += selection.takes(case)
    for what, unknown in (
        ("revision", set(selection.revisions) - revisions),
        ("suite", set(selection.suites) - suites),
        ("case", set(selection.cases) - found.known),
    ):
        if unknown:
            raise BadSelection(f"there is no {what} {', '.join(sorted(unknown))}: see `nostrmcp conformance list`")
    return found


def smoke_cases(found: Survey, offered: Callable[[Case], bool]) -> tuple[list[Case], list[Case]]:
    """A few cases that anyone accepts, and a few that anyone refuses, of what is offered."""
    accepts, refusals = (filter(offered, cases.values()) for cases in (found.accepts, found.refusals))
    return list(islice(accepts, _SMOKE)), list(islice(refusals, _SMOKE))


def in_order(selection: Selection, seed: int, folder: Path | None = None) -> Iterator[tuple[Suite, Case]]:
    """The selected cases: files in an order that the seed decides, and the cases of each likewise.

    One file is in memory at a time.
    """
    shuffle = random.Random(seed).shuffle
    paths = suite_files(folder or vectors_folder())
    shuffle(paths)
    for path in paths:
        suite = load_suite(path)
        cases = [case for case in suite.cases if selection.takes(case)]
        shuffle(cases)
        for case in cases:
            yield suite, case
