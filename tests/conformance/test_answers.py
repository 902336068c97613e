"""Whatever an adapter answers, it is the adapter's fault or its merit, never a defect of the runner."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.conformance import check, script
from nostrmcp.conformance.judge import Accepted, Refused
from nostrmcp.conformance.pipe import Broken
from nostrmcp.conformance.runner import judged
from nostrmcp.conformance.sessions import ClientMachine, ServerMachine
from nostrmcp.conformance.testee import MAX_DEPTH, Skipped, decode
from nostrmcp.conformance.vectors import Case, load_suites
from nostrmcp.nostr import LocalProtocolError, Violation

Value = dict[str, Any]

CASES = [case for suite in load_suites() for case in suite.cases]
# A few of every operation, way to compare and kind of result.
SAMPLE = list({(case.op, case.compare, case.result, len(case.input)): case for case in CASES}.values())
WITH_OUTPUT = [case for case in SAMPLE if case.result == "valid"]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=6,
)


def ours(case: Case) -> Any:
    answer = check.answer(check.OPERATIONS[case.op], case)
    assert isinstance(answer, Accepted)
    return answer.output


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path to every value inside."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(deeper for key, one in inner for deeper in places(one, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    value = copy.deepcopy(value)
    at = value
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = new
    return value


@given(st.sampled_from(SAMPLE), st.dictionaries(st.text(max_size=10), JSON, max_size=3))
def test_any_output(case: Case, output: dict[str, Any]) -> None:
    assert judged(case, Accepted(output)).status in ("pass", "fail")


@given(st.sampled_from(WITH_OUTPUT), st.data())
def test_a_right_output_with_one_value_changed(case: Case, data: st.DataObject) -> None:
    """The judge stumbles over no shape, and shows both sides of what it finds."""
    right = ours(case)
    path = data.draw(st.sampled_from(places(right)[1:] or [()]))
    wrong = changed(right, path, data.draw(JSON))
    if not isinstance(wrong, dict):
        return
    happened = judged(case, Accepted(wrong))
    assert happened.status in ("pass", "fail")
    assert (happened.status == "fail") == bool(happened.actual)


SCRIPTS = [case for case in CASES if "steps" in case.input]


class Refusing(Exception):
    """Our own machine refuses what became of a later step."""


class Changed:
    """A machine of ours, one value of one step of which is another."""

    def __init__(self, machine: script.Machine, step: int, change: Callable[[Any], Any]) -> None:
        self._machine = machine
        self._step = step
        self._change = change

    def step(self, number: int, do: Value, at: float) -> script.Outcome:
        try:
            outcome = self._machine.step(number, do, at)
        except (Violation, LocalProtocolError):
            raise Refusing from None
        if number != self._step:
            return outcome
        wrong = self._change(outcome.to_value())
        lists = [one if isinstance(one, list) else [] for one in wrong.values()]
        return script.Outcome(*([x for x in one if isinstance(x, dict)] for one in lists[:2]), lists[2])


@given(st.sampled_from(SCRIPTS), st.data())
def test_a_script_in_which_one_value_is_changed(case: Case, data: st.DataObject) -> None:
    """Later steps refer to what an earlier one did, whatever that was."""
    kind = ServerMachine if case.op == "session_server" else ClientMachine
    step = data.draw(st.integers(0, len(case.input["steps"]) - 1))

    def change(outcome: Value) -> Value:
        path = data.draw(st.sampled_from(places(outcome)[1:]))
        return cast(Value, changed(outcome, path, data.draw(JSON)))

    try:
        output = script.run(lambda opened: Changed(kind(opened), step, change), case.input)
    except Refusing:
        return
    assert judged(case, Accepted(output)).status in ("pass", "fail")


@given(st.sampled_from(SAMPLE), st.text(min_size=1), st.text())
def test_any_refusal(case: Case, error_class: str, message: str) -> None:
    expected = {"valid": {"fail"}, "invalid": {"pass", "other-class"}, "acceptable": {"pass", "other-class"}}
    assert judged(case, Refused(error_class, message)).status in expected[case.result]


@pytest.mark.parametrize("case", SAMPLE, ids=lambda case: case.id)
def test_a_skip_passes_nothing(case: Case) -> None:
    assert judged(case, Skipped("no")).status == "skip"


@given(st.binary())
def test_any_line(line: bytes) -> None:
    try:
        value = decode(line)
    except Broken as broken:
        assert broken.status == "garbage"
    else:
        assert value == json.loads(line)


def nested(levels: int) -> bytes:
    return b'{"a":' * levels + b"1" + b"}" * levels


def test_depth() -> None:
    decode(nested(MAX_DEPTH))
    for text in (nested(MAX_DEPTH + 1), b'{"a":' + b"[" * 900 + b"]" * 900 + b"}", b'{"a":' + b"[" * 100000):
        with pytest.raises(Broken):
            decode(text)
    decode(json.dumps({"wide": [[]] * 1000}).encode())
