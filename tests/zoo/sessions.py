"""The zoo of the sessions: servers and clients with one bug each, and the scripts that catch it.

`sessions_layer` holds the members, by what they are wrong about. Bugs are much alike in all revisions and scripts are
many, so each member says in which revisions it is looked for.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from nostrmcp.conformance.judge import Verdict
from nostrmcp.conformance.operations import OPERATIONS, Value
from nostrmcp.conformance.vectors import Case, Suite
from tests.zoo.member import Operations, verdict
from tests.zoo.sessions_layer import (
    client,
    feeds,
    gate,
    sending,
    server_money,
    server_requests,
    server_routing,
    subscriptions,
)
from tests.zoo.sessions_layer.making import BOTH, FOLDERS, SessionMember, session, suites

ROLES = BOTH.split()
SUITES: tuple[Suite, ...] = suites()
CASES: list[Case] = [case for suite in SUITES for case in suite.cases]

_FILES: tuple[Any, ...] = (gate, sending, server_routing, server_requests, server_money, client, subscriptions, feeds)

MEMBERS: list[SessionMember] = [one for file in _FILES for one in file.MEMBERS]

_EVERYWHERE = " ".join(FOLDERS)

CONTROL = session(
    "right", "None: what fails a member is its bug.", {op: OPERATIONS[op] for op in ROLES}, on=_EVERYWHERE, fails=""
)


@cache
def failures(one: SessionMember) -> frozenset[str]:
    """The ids of the scripts that a member fails, where it is looked for."""
    return frozenset(case.id for case in one.cases() if verdict(one.operations, case) is Verdict.FAIL)


def _steps(given: Value) -> int:
    return len(given["steps"])


def _silent(given: Value) -> Value:
    return {"steps": [{"published": [], "delivered": [], "paid": []}] * _steps(given)}


def _nothing(given: Value) -> Value:
    return {}


def _broken_off(given: Value) -> Value:
    return {"steps": []}


def _crash(given: Value) -> Value:
    raise RuntimeError("crashed")


def _delivers_everything(given: Value) -> Value:
    """Every message and every event's content goes to the other side, as it is."""
    steps = []
    for step in given["steps"]:
        message = step["do"].get("message")
        delivered = [] if message is None else [{"message": message}]
        steps.append({"published": [], "delivered": delivered, "paid": []})
    return {"steps": steps}


def _everywhere(answer: Any) -> Operations:
    return dict.fromkeys(ROLES, answer)


def _ids(says_something: bool) -> str:
    """Scripts in which a right session must say something, or all of them."""
    return " ".join(
        case.id
        for case in CASES
        if not says_something or any(any(step.values()) for step in (case.output or {})["steps"])
    )


UNIVERSAL = [
    session("says-nothing", "Never says anything.", _everywhere(_silent), on=_EVERYWHERE, fails=_ids(True)),
    session("takes-no-step", "Takes no step at all.", _everywhere(_broken_off), on=_EVERYWHERE, fails=_ids(False)),
    session("answers-nothing", "Has no outcome to show.", _everywhere(_nothing), on=_EVERYWHERE, fails=_ids(False)),
    session("crashes", "Crashes on whatever it is given.", _everywhere(_crash), on=_EVERYWHERE, fails=_ids(False)),
    session(
        "passes-everything",
        "Hands every message on as it is.",
        _everywhere(_delivers_everything),
        on=_EVERYWHERE,
        fails=_ids(True),
    ),
]
