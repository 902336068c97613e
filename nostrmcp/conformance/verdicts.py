"""What can happen to a case, what that means, and what the whole run comes to: all of it data, and only here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum, StrEnum


class Status(StrEnum):
    """What happened when a testee was given a case."""

    PASS = "pass"
    FAIL = "fail"
    OTHER_CLASS = "other-class"
    SKIP = "skip"
    FAULT = "fault"
    GARBAGE = "garbage"
    TIMEOUT = "timeout"
    CRASH = "crash"
    NOT_OFFERED = "not-offered"
    NOT_RUN = "not-run"
    DEFECT = "defect"


class Verdict(StrEnum):
    """What that means for the run."""

    PASS = "PASS"
    FAIL = "FAIL"
    WARN = "WARN"
    INFO = "INFO"
    EXPECTED = "EXPECTED"
    STALE = "STALE"
    NOT_OFFERED = "NOT_OFFERED"
    NOT_RUN = "NOT_RUN"
    DEFECT = "DEFECT"


class Overall(StrEnum):
    """The verdict on an implementation."""

    CONFORMING = "conforming"
    AS_BASELINE = "as the baseline says"
    PARTIAL = "partial"
    UNSCORED = "no violation, but nothing was run that counts in a score"
    VIOLATIONS = "violations"
    STALE = "stale baseline"
    NOTHING = "no case was scored"
    NOT_RUN = "it could not be run"
    DEFECT = "a defect of nostrmcp"


class Exit(IntEnum):
    """Exit codes of `nostrmcp conformance`."""

    CONFORMING = 0
    VIOLATIONS = 1
    USAGE = 2
    NOT_RUN = 3
    DEFECT = 4
    STALE = 5


# What each says, for --help: this is the only table of them.
MEANING = {
    Exit.CONFORMING: "no violation: conforming, partial, as the baseline says, or only cases that count in no score",
    Exit.VIOLATIONS: "violations",
    Exit.USAGE: "wrong usage, a bad baseline, or no case was scored",
    Exit.NOT_RUN: "the implementation could not be run, or never spoke",
    Exit.DEFECT: "a defect of nostrmcp",
    Exit.STALE: "the baseline is stale: what it expects to fail passes",
}
# Where several exit codes apply, the first of these counts.
PRECEDENCE = (Exit.DEFECT, Exit.NOT_RUN, Exit.USAGE, Exit.VIOLATIONS, Exit.STALE, Exit.CONFORMING)

# What it means that a case did not pass, by its level and then by what happened. A refusal for another reason than the
# one expected refuses all the same, so it is a warning.
_SEVERITY = {"MUST": Verdict.FAIL, "SHOULD": Verdict.WARN, "MAY": Verdict.INFO}
_FIXED = {
    Status.PASS: Verdict.PASS,
    Status.NOT_OFFERED: Verdict.NOT_OFFERED,
    Status.NOT_RUN: Verdict.NOT_RUN,
    Status.DEFECT: Verdict.DEFECT,
}
# What a baseline may expect: that a testee was asked and did not pass.
EXPECTABLE = (
    Status.FAIL, Status.OTHER_CLASS, Status.SKIP, Status.FAULT, Status.GARBAGE, Status.TIMEOUT, Status.CRASH,
)  # fmt: skip
# Verdicts on cases that a testee was asked.
SCORED = (Verdict.PASS, Verdict.FAIL, Verdict.WARN, Verdict.INFO, Verdict.EXPECTED, Verdict.STALE)

_OVERALL = {
    Exit.VIOLATIONS: Overall.VIOLATIONS,
    Exit.USAGE: Overall.NOTHING,
    Exit.NOT_RUN: Overall.NOT_RUN,
    Exit.DEFECT: Overall.DEFECT,
    Exit.STALE: Overall.STALE,
}


def verdict(status: Status, level: str, *, hardening: bool, strict: bool) -> Verdict:
    """Severity by keyword: MUST fails, SHOULD warns, MAY informs; our own rules warn. `strict` makes warnings fail."""
    if status in _FIXED:
        return _FIXED[status]
    found = _SEVERITY[level]
    if found is Verdict.FAIL and (hardening or status is Status.OTHER_CLASS):
        found = Verdict.WARN
    return Verdict.FAIL if strict and found is Verdict.WARN else found


def worst(codes: Iterable[Exit]) -> Exit:
    """The exit code that counts among several."""
    return min(codes, key=PRECEDENCE.index, default=Exit.CONFORMING)


def exit_code(counts: dict[str, int], *, aborted: bool) -> Exit:
    """The exit code of a run, given how many cases have each verdict and whether it was broken off."""
    codes = {
        Exit.DEFECT: counts.get(Verdict.DEFECT, 0) > 0,
        Exit.NOT_RUN: aborted,
        Exit.USAGE: not any(counts.get(one, 0) for one in SCORED),
        Exit.VIOLATIONS: counts.get(Verdict.FAIL, 0) > 0,
        Exit.STALE: counts.get(Verdict.STALE, 0) > 0,
    }
    return worst([code for code, applies in codes.items() if applies])


def overall(code: Exit, counts: dict[str, int], score: Mapping[str, Mapping[str, int]]) -> Overall:
    """The verdict that goes with an exit code: who was not put to every case is never called conforming, nor who was
    asked no MUST case of any document, as where only hardening was selected."""
    if code is not Exit.CONFORMING:
        return _OVERALL[code]
    if not any(one["asked"] for one in score.values()):
        return Overall.UNSCORED
    if counts.get(Verdict.NOT_OFFERED, 0) or counts.get(Verdict.NOT_RUN, 0):
        return Overall.PARTIAL
    return Overall.AS_BASELINE if counts.get(Verdict.EXPECTED, 0) else Overall.CONFORMING
