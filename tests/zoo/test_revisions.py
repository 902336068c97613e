"""Every vector file of the revisions, and every flag in it that is no mere basics, catches a bug of its own."""

from __future__ import annotations

from functools import cache

import pytest

from nostrmcp.conformance.check import check
from nostrmcp.conformance.vectors import Suite
from tests.zoo.member import Member
from tests.zoo.revisions import CASES, CONTROLS, FOLDERS, MEMBERS, OPERATIONS, SUITES, UNIVERSAL, failures

EVERYONE = [*MEMBERS, *UNIVERSAL]
FLAGS = [(suite, flag) for suite in SUITES for flag in suite.notes]
# Flags that may go uncaught: who is wrong about the basics is wrong about all, and either reading passes.
UNTESTED_KINDS = {"BASIC", "AMBIGUOUS"}


def named(one: Member) -> str:
    return one.name


@cache
def caught() -> frozenset[str]:
    """The cases that some member fails for its own bug."""
    return frozenset().union(*map(failures, MEMBERS))


def test_names_are_unique() -> None:
    names = [one.name for one in [*EVERYONE, *CONTROLS]]
    assert len(names) == len(set(names))


def test_ids_are_unique() -> None:
    ids = [case.id for case in CASES]
    assert len(ids) == len(set(ids)) > 0


def test_every_operation_is_known_and_has_members() -> None:
    assert {case.op for case in CASES} == set(OPERATIONS)
    assert set().union(*(one.operations for one in MEMBERS)) == set(OPERATIONS)


def test_every_revision_has_its_four_files() -> None:
    files = {"encode", "decode", "check", "announce"}
    assert {suite.name for suite in SUITES} == {f"{folder}/{file}" for folder in FOLDERS for file in files}


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_the_package_is_no_member(suite: Suite) -> None:
    assert [outcome for outcome in check(suite) if outcome.judgement.verdict != "pass"] == []


@pytest.mark.parametrize("one", CONTROLS, ids=named)
def test_without_its_bug_a_member_fails_nothing(one: Member) -> None:
    assert failures(one) == set()


@pytest.mark.parametrize("one", EVERYONE, ids=named)
def test_a_member_fails_the_cases_it_names(one: Member) -> None:
    known = {case.id for case in CASES}
    assert one.fails | (one.passes or set()) <= known, "a case that is named here is gone"
    its_failures = failures(one)
    assert one.fails - its_failures == set(), f"{one.bug} These cases no longer catch it"
    if one.passes is None:
        assert its_failures - one.fails == set(), f"{one.bug} These cases catch it and are not named"
    else:
        assert one.passes & its_failures == set(), f"{one.bug} It should pass these cases"


@pytest.mark.parametrize("one", MEMBERS, ids=named)
def test_a_member_is_caught_or_says_what_would_catch_it(one: Member) -> None:
    assert bool(one.fails) != bool(one.missing)


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_every_file_catches_a_bug_of_its_own(suite: Suite) -> None:
    assert caught() & {case.id for case in suite.cases}


@pytest.mark.parametrize(("suite", "flag"), FLAGS, ids=lambda one: getattr(one, "name", one))
def test_every_flag_catches_a_bug_of_its_own(suite: Suite, flag: str) -> None:
    flagged = {case.id for case in suite.cases if flag in case.flags}
    assert flagged, "a flag that no case carries"
    if suite.notes[flag]["kind"] not in UNTESTED_KINDS:
        assert caught() & flagged
