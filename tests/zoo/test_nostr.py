"""Every vector file of the Nostr layer, and every flag in it, catches an implementation with a bug of its own."""

from __future__ import annotations

from functools import cache

import pytest

from nostrmcp.conformance.check import check
from nostrmcp.conformance.judge import Verdict
from nostrmcp.conformance.vectors import Suite
from tests.zoo.member import Member, cases, failed, suites, verdict
from tests.zoo.nostr import (
    ACCEPTS_EVERYTHING,
    CONTROLS,
    FOLDER,
    MEMBERS,
    REFUSES_EVERYTHING,
    REFUSES_IN_OTHER_WORDS,
    UNIVERSAL,
)

EVERYONE = [*MEMBERS, *UNIVERSAL]

# Cases in which two readings differ pass either way, so an implementation of either reading is no bug.
UNCAUGHT_FLAGS = {
    ("common/nip01", "BeyondDouble"): "who rounds the number finds another hash and refuses the event, as it may",
    ("common/nip42", "UrlSpelling"): "a relay may compare addresses as texts or as addresses",
    ("common/nip44", "Base64Bits"): "a reader may refuse the bits or ignore them, and ignored they change nothing",
}

FLAGS = [(suite.name, flag, note["kind"]) for suite in suites(FOLDER) for flag, note in suite.notes.items()]


def named(one: Member) -> str:
    return one.name


@cache
def caught() -> frozenset[str]:
    """The cases that some member fails for its own bug."""
    return frozenset().union(*(failed(one, FOLDER) for one in MEMBERS))


def test_names_are_unique() -> None:
    names = [one.name for one in [*EVERYONE, *CONTROLS]]
    assert len(names) == len(set(names))


def test_ids_are_unique() -> None:
    ids = [case.id for case in cases(FOLDER)]
    assert len(ids) == len(set(ids)) > 0


def test_the_package_is_no_member() -> None:
    assert [
        outcome for suite in suites(FOLDER) for outcome in check(suite) if outcome.judgement.verdict != "pass"
    ] == []


@pytest.mark.parametrize("one", CONTROLS, ids=named)
def test_without_its_bug_a_member_fails_nothing(one: Member) -> None:
    assert failed(one, FOLDER) == set()


@pytest.mark.parametrize("one", EVERYONE, ids=named)
def test_a_member_fails_the_cases_it_names(one: Member) -> None:
    known = {case.id for case in cases(FOLDER)}
    assert one.fails | (one.passes or set()) <= known, "a case that is named here is gone"
    its_failures = failed(one, FOLDER)
    assert one.fails - its_failures == set(), f"{one.bug} These cases no longer catch it"
    if one.passes is None:
        assert its_failures - one.fails == set(), f"{one.bug} These cases catch it and are not named"
    else:
        assert one.passes & its_failures == set(), f"{one.bug} It should pass these cases"


@pytest.mark.parametrize("one", MEMBERS, ids=named)
def test_a_member_is_caught_or_says_what_would_catch_it(one: Member) -> None:
    assert bool(one.fails) != bool(one.missing)


@pytest.mark.parametrize("suite", suites(FOLDER), ids=lambda suite: suite.name)
def test_every_file_catches_a_bug_of_its_own(suite: Suite) -> None:
    assert caught() & {case.id for case in suite.cases}


@pytest.mark.parametrize(("suite", "flag", "kind"), FLAGS)
def test_every_flag_catches_a_bug_of_its_own(suite: str, flag: str, kind: str) -> None:
    flagged = {case.id for case in cases(FOLDER) if case.suite == suite and flag in case.flags}
    assert flagged, "a flag that no case carries"
    if (suite, flag) in UNCAUGHT_FLAGS:
        assert kind == "AMBIGUOUS"
        assert not caught() & flagged, "it is caught now: take it off the list"
    elif kind != "BASIC":
        assert caught() & flagged


def test_flags_that_are_let_off_exist() -> None:
    assert UNCAUGHT_FLAGS.keys() <= {(suite, flag) for suite, flag, _ in FLAGS}


def results(one: Member, *wanted: str) -> set[Verdict]:
    return {verdict(one.operations, case) for case in cases(FOLDER) if case.result in wanted}


def test_who_accepts_everything_passes_no_negative_case() -> None:
    assert results(ACCEPTS_EVERYTHING, "invalid", "valid") == {Verdict.FAIL}


@pytest.mark.parametrize("one", [REFUSES_EVERYTHING, REFUSES_IN_OTHER_WORDS], ids=named)
def test_who_refuses_everything_passes_no_positive_case(one: Member) -> None:
    assert results(one, "valid") == {Verdict.FAIL}


def test_a_refusal_in_other_words_is_told_apart() -> None:
    assert results(REFUSES_IN_OTHER_WORDS, "invalid") == {Verdict.OTHER_CLASS}
