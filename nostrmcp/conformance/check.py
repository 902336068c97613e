"""This package against every vector."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..nostr import LocalProtocolError, Violation
from . import sessions as sessions  # its operations enter the table of operations
from . import translation as translation  # so do these
from .judge import Accepted, Answer, Judgement, Refused, judge
from .operations import OPERATIONS, Operation
from .vectors import Case, Suite


@dataclass(frozen=True, slots=True)
class Outcome:
    case: Case
    judgement: Judgement


def check(suite: Suite, operations: Mapping[str, Operation] = OPERATIONS) -> Iterator[Outcome]:
    """The judgement of each case of a suite."""
    for case in suite.cases:
        yield Outcome(case, judge(case, answer(operations[case.op], case)))


def answer(operation: Operation, case: Case) -> Answer:
    try:
        return Accepted(operation(case.input))
    except (Violation, LocalProtocolError) as refusal:
        return Refused(refusal.error_class.value, str(refusal))
