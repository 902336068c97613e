"""Every row of the transition tables is taken by at least one vector, which says what must be seen of it."""

from __future__ import annotations

from typing import Any

import pytest

from nostrmcp.conformance.check import answer
from nostrmcp.conformance.operations import OPERATIONS
from nostrmcp.conformance.vectors import load_suites
from nostrmcp.session import machine
from nostrmcp.session.machine import FEEDING, HANDSHAKE, MACHINES, Feeding, FeedingInput, Machine, Shake, ShakeInput

# Rows that need no asking, as one answer is all there is: the vectors that show them.
PLAIN: dict[tuple[str, Any, Any], str] = {
    (HANDSHAKE.title, Shake.READY, ShakeInput.CALL): "cvm-server-own-server",
    (FEEDING.title, Feeding.NONE, FeedingInput.CANCEL): "subf-cvm-server-overtaken",
}
SCRIPTS = [case for suite in load_suites() for case in suite.cases if case.op in ("session_client", "session_server")]


def test_every_row_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: set[tuple[str, Any, Any]] = set()
    step = Machine.step

    def noted(self: Machine[Any, Any, Any], state: Any, given: Any) -> Any:
        taken.add((self.title, state, given))
        return step(self, state, given)

    monkeypatch.setattr(machine.Machine, "step", noted)
    for case in SCRIPTS:
        answer(OPERATIONS[case.op], case)
    rows = {(one.title, *row) for one in MACHINES for row in one.table}
    left = sorted(f"{title}: {state.value} / {given.value}" for title, state, given in rows - taken - PLAIN.keys())
    assert not left, "\n".join(left)
    assert PLAIN.keys() <= rows
    assert set(PLAIN.values()) <= {case.id for case in SCRIPTS}
