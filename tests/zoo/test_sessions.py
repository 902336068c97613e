"""Every file of scripts, and every flag in it that is no mere basics, catches a session with a bug of its own."""

from __future__ import annotations

from functools import cache

import pytest

from nostrmcp.conformance.vectors import Suite
from tests.zoo.sessions import CASES, CONTROL, MEMBERS, SUITES, UNIVERSAL, failures
from tests.zoo.sessions_layer.making import BOTH, FOLDERS, SessionMember

FLAGS = [(suite, flag) for suite in SUITES for flag in suite.notes]
# Flags that may go uncaught: who is wrong about the basics is wrong about all, and either reading passes.
UNTESTED_KINDS = {"BASIC", "AMBIGUOUS"}


def named(one: SessionMember) -> str:
    return one.name


@cache
def caught() -> frozenset[str]:
    """The scripts that some member fails for its own bug."""
    return frozenset().union(*map(failures, MEMBERS))


def test_names_are_unique() -> None:
    names = [one.name for one in [*MEMBERS, *UNIVERSAL, CONTROL]]
    assert len(names) == len(set(names))


def test_ids_are_unique() -> None:
    ids = [case.id for case in CASES]
    assert len(ids) == len(set(ids)) > 0


def test_every_revision_has_a_file_for_each_role() -> None:
    scripts = {f"{folder}/session-{role}" for folder in FOLDERS.values() for role in ("client", "server")}
    names = {suite.name for suite in SUITES}
    assert {name for name in names if not name.startswith("mcp/")} == {one for one in scripts if one[:4] != "mcp/"}
    assert {suite.name for suite in SUITES if suite.name.startswith("mcp/")}


def test_the_package_is_no_member() -> None:
    assert {case.op for case in CASES} == set(BOTH.split())
    assert len(CONTROL.cases()) == len(CASES)
    assert failures(CONTROL) == set()


@pytest.mark.parametrize("one", UNIVERSAL, ids=named)
def test_who_does_nothing_right_is_caught(one: SessionMember) -> None:
    assert one.fails - failures(one) == set(), f"{one.bug} These scripts do not catch it"


@pytest.mark.parametrize("one", MEMBERS, ids=named)
def test_a_member_fails_the_scripts_it_names(one: SessionMember) -> None:
    assert one.fails, "a member is caught by some script"
    assert one.fails - failures(one) == set(), f"{one.bug} These scripts no longer catch it"


@pytest.mark.parametrize("one", MEMBERS, ids=named)
def test_a_member_is_no_wreck(one: SessionMember) -> None:
    """One bug: most of what a session does is right."""
    assert 2 * len(failures(one)) < len(one.cases())


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_every_file_catches_a_bug_of_its_own(suite: Suite) -> None:
    assert caught() & {case.id for case in suite.cases}


@pytest.mark.parametrize(("suite", "flag"), FLAGS, ids=lambda one: getattr(one, "name", one))
def test_every_flag_catches_a_bug_of_its_own(suite: Suite, flag: str) -> None:
    flagged = {case.id for case in suite.cases if flag in case.flags}
    assert flagged, "a flag that no script carries"
    if suite.notes[flag]["kind"] not in UNTESTED_KINDS:
        assert caught() & flagged
