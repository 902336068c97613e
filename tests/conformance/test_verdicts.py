"""What can happen to a case, what it means, and the exit code: the whole tables."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from nostrmcp.conformance.baseline import Expectation, fold
from nostrmcp.conformance.verdicts import MEANING, Exit, Overall, Status, Verdict, exit_code, overall, verdict

WRONG = ("fail", "skip", "fault", "garbage", "timeout", "crash")
CALM = {"pass": "PASS", "not-offered": "NOT_OFFERED", "not-run": "NOT_RUN", "defect": "DEFECT"}
# level, hardening, strict -> what a wrong answer is, and what a refusal under another name is.
SEVERITY = {
    ("MUST", False, False): ("FAIL", "WARN"),
    ("MUST", False, True): ("FAIL", "FAIL"),
    ("MUST", True, False): ("WARN", "WARN"),
    ("MUST", True, True): ("FAIL", "FAIL"),
    ("SHOULD", False, False): ("WARN", "WARN"),
    ("SHOULD", False, True): ("FAIL", "FAIL"),
    ("SHOULD", True, False): ("WARN", "WARN"),
    ("SHOULD", True, True): ("FAIL", "FAIL"),
    ("MAY", False, False): ("INFO", "INFO"),
    ("MAY", False, True): ("INFO", "INFO"),
    ("MAY", True, False): ("INFO", "INFO"),
    ("MAY", True, True): ("INFO", "INFO"),
}


@pytest.mark.parametrize(("level", "hardening", "strict"), SEVERITY)
def test_severity_by_keyword(level: str, hardening: bool, strict: bool) -> None:
    wrong, other_class = SEVERITY[level, hardening, strict]
    expected = CALM | dict.fromkeys(WRONG, wrong) | {"other-class": other_class}
    found = {one: verdict(one, level, hardening=hardening, strict=strict) for one in Status}
    assert found == expected


def test_every_status_against_a_baseline() -> None:
    """A failure that it names is expected; a pass is stale; what was never asked stays what it is."""
    for expected, status in product(("fail", "skip", "timeout"), Status):
        entry = Expectation("a", Status(expected), "known", None)
        found = fold(verdict(status, "MUST", hardening=False, strict=False), status, entry)
        if status == expected:
            assert found == "EXPECTED"
        elif status == "pass":
            assert found == "STALE"
        else:
            assert found == (CALM | {"other-class": "WARN"}).get(status, "FAIL")
        assert fold(Verdict.PASS, Status.PASS, None) == "PASS"


# What each condition of a run comes to by itself.
CONDITIONS = {
    "DEFECT": ({"DEFECT": 1, "PASS": 1}, False, 4),
    "aborted": ({"PASS": 1}, True, 3),
    "nothing": ({"NOT_OFFERED": 3}, False, 2),
    "FAIL": ({"FAIL": 1}, False, 1),
    "STALE": ({"STALE": 1}, False, 5),
    "good": ({"PASS": 3, "WARN": 2, "INFO": 1, "EXPECTED": 1, "NOT_OFFERED": 2}, False, 0),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_exit_code_of_each(name: str) -> None:
    counts, aborted, code = CONDITIONS[name]
    assert exit_code(counts, aborted=aborted) == code


@pytest.mark.parametrize("number", range(1, 5))
def test_exit_code_where_several_apply(number: int) -> None:
    order = [4, 3, 2, 1, 5]
    for names in combinations(("DEFECT", "aborted", "nothing", "FAIL", "STALE"), number):
        if "nothing" in names and {"FAIL", "STALE"} & set(names):
            continue  # what failed or went stale was scored
        counts: dict[str, int] = {}
        for name in names:
            if name != "aborted":
                counts |= {key: count for key, count in CONDITIONS[name][0].items() if key != "PASS"}
        applying = [CONDITIONS[name][2] for name in names]
        assert exit_code(counts or {"PASS": 1}, aborted="aborted" in names) == min(applying, key=order.index)


SCORED = {"common": {"passed": 1, "asked": 1}, "contextvm": {"passed": 0, "asked": 0}}


def test_a_run_in_which_nothing_happened_is_no_success() -> None:
    assert exit_code({}, aborted=False) == Exit.USAGE


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"PASS": 1}, "conforming"),
        ({"PASS": 1, "WARN": 1, "INFO": 1}, "conforming"),
        ({"PASS": 1, "EXPECTED": 1}, "as the baseline says"),
        ({"PASS": 1, "NOT_OFFERED": 1}, "partial"),
        ({"PASS": 1, "NOT_RUN": 1}, "partial"),
        ({"PASS": 1, "EXPECTED": 1, "NOT_OFFERED": 1}, "partial"),
    ],
)
def test_the_good_ends(counts: dict[str, int], expected: str) -> None:
    assert overall(Exit.CONFORMING, counts, SCORED) == expected
    for score in ({}, {"contextvm": {"passed": 0, "asked": 0}}):
        assert overall(Exit.CONFORMING, counts, score) == "no violation, but nothing was run that counts in a score"


def test_every_exit_code_has_a_meaning_and_a_verdict() -> None:
    assert set(MEANING) == set(Exit)
    good = {Overall.AS_BASELINE, Overall.PARTIAL, Overall.UNSCORED}
    assert {overall(code, {}, SCORED) for code in Exit} | good == set(Overall)
