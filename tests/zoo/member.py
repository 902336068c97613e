"""What a zoo member is, how one is made from the right operations, and which vectors it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from nostrmcp.conformance.check import answer
from nostrmcp.conformance.judge import Verdict, judge
from nostrmcp.conformance.operations import OPERATIONS, Operation, Value
from nostrmcp.conformance.vectors import Case, Suite, load_suites
from nostrmcp.nostr import ErrorClass, Violation

Operations = dict[str, Operation]
Change = tuple[Any, str, Any]


@dataclass(frozen=True, eq=False)
class Member:
    """An implementation with one bug: the right operations with some replaced.

    `fails` are the cases that catch it. Without `passes` these are all of them; with `passes` there may be more, but
    none of those named there. Where no case catches it, `missing` says which one would.
    """

    name: str
    bug: str
    operations: Operations
    fails: frozenset[str]
    passes: frozenset[str] | None
    missing: str


def member(
    name: str, bug: str, operations: Operations, *, fails: str = "", passes: str | None = None, missing: str = ""
) -> Member:
    """A member whose case ids are written apart by white space."""
    unknown = operations.keys() - OPERATIONS.keys()
    assert not unknown, f"{name} replaces {unknown}, which no vector asks for"
    kept = None if passes is None else frozenset(passes.split())
    return Member(name, bug, operations, frozenset(fails.split()), kept, missing)


def refusal(error_class: ErrorClass) -> Violation:
    return Violation(error_class, "zoo", error_class.meaning)


def patched(names: str, *changes: Change) -> Operations:
    """The named operations of the package, run while attributes of its modules or classes are others."""
    return during({name: OPERATIONS[name] for name in names.split()}, *changes)


def during(operations: Operations, *changes: Change) -> Operations:
    """Operations, each run while attributes of modules or classes are others."""

    def changed(operation: Operation) -> Operation:
        def run(given: Value) -> Value:
            with _replaced(changes):
                return operation(given)

        return run

    return {name: changed(operation) for name, operation in operations.items()}


@contextmanager
def _replaced(changes: tuple[Change, ...]) -> Iterator[None]:
    originals = [(target, name, vars(target)[name]) for target, name, _ in changes]
    try:
        for target, name, replacement in changes:
            setattr(target, name, replacement)
        yield
    finally:
        for target, name, original in originals:
            setattr(target, name, original)


def reading(names: str, change: Callable[[Value], Value]) -> Operations:
    """The named operations on an input that is made into another first."""
    return {name: _after(change, OPERATIONS[name]) for name in names.split()}


def writing(names: str, change: Callable[[Value], Value]) -> Operations:
    """The named operations with an output that is made into another afterwards."""
    return {name: _after(OPERATIONS[name], change) for name in names.split()}


def _after(first: Operation, second: Operation) -> Operation:
    return lambda given: second(first(given))


def also(name: str, accepts: Callable[[Value], Value | None]) -> Operations:
    """An operation that, where the right one refuses, takes whatever `accepts` gives an output for."""
    right = OPERATIONS[name]

    def run(given: Value) -> Value:
        try:
            return right(given)
        except Violation:
            output = accepts(given)
            if output is None:
                raise
            return output

    return {name: run}


@cache
def suites(folder: str) -> tuple[Suite, ...]:
    """The vector files of one folder, scripts aside: faulty sessions are animals of their own."""
    found = (suite for suite in load_suites() if suite.name.startswith(f"{folder}/"))
    return tuple(suite for suite in found if "/session-" not in suite.name)


def cases(folder: str) -> Iterator[Case]:
    for suite in suites(folder):
        yield from suite.cases


@cache
def failed(one: Member, folder: str) -> frozenset[str]:
    """The ids of the cases of a folder that a member fails, given that the right operations fail none."""
    replaced = (case for case in cases(folder) if case.op in one.operations)
    return frozenset(case.id for case in replaced if verdict(one.operations, case) is Verdict.FAIL)


def verdict(operations: Operations, case: Case) -> Verdict:
    """The judge's verdict; a crash is a failure, as only an explicit refusal passes a negative case."""
    try:
        its_answer = answer(operations[case.op], case)
    except Exception:
        return Verdict.FAIL
    return judge(case, its_answer).verdict
