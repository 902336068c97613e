"""How a wrong session is made from the right one: an attribute of its modules or classes is another while it runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from nostrmcp.conformance.vectors import Case, Suite, load_suites
from tests.zoo.member import Change, Member, Operations, patched

SERVER = "session_server"
CLIENT = "session_client"
BOTH = f"{SERVER} {CLIENT}"

# The folders of vectors by how the ids of their cases begin.
FOLDERS = {
    "r1": "dvmcp-rev1",
    "r1e": "dvmcp-rev1-ephemeral",
    "r11": "dvmcp-rev1.1",
    "ctx": "ctxvm-draft",
    "cvm": "contextvm",
    "mcp": "mcp",
}
REVISIONS = "r1 r1e r11 ctx cvm"
WRAPPING = "ctx cvm"
WITH_SERVER_IDS = "r1 r1e r11 ctx"


@cache
def suites() -> tuple[Suite, ...]:
    """The vector files of scripts."""
    return tuple(one for one in load_suites() if all(case.op in BOTH.split() for case in one.cases))


@cache
def cases(op: str, prefix: str) -> tuple[Case, ...]:
    """The scripts of one role in one folder."""
    its_suites = (suite for suite in suites() if suite.name.startswith(f"{FOLDERS[prefix]}/"))
    return tuple(case for suite in its_suites for case in suite.cases if case.op == op)


@dataclass(frozen=True, eq=False)
class SessionMember(Member):
    """A session with one bug, and where it is looked for: bugs are much alike in all revisions, and scripts are many.

    It fails at least the cases in `fails`; what else it fails there is a consequence.
    """

    on: tuple[str, ...]

    def cases(self) -> tuple[Case, ...]:
        return tuple(case for op in self.operations for prefix in self.on for case in cases(op, prefix))


def session(name: str, bug: str, operations: Operations, *, on: str, fails: str) -> SessionMember:
    """A member; a script is named without its folder and role where it catches the bug in every folder that has it."""
    known = [case.id for op in operations for prefix in on.split() for case in cases(op, prefix)]
    found = {word: {one for one in known if one == word or _bare(one) == word} for word in fails.split()}
    lost = [word for word, ids in found.items() if not ids]
    assert not lost, f"{name}: there is no script {lost}"
    return SessionMember(name, bug, operations, frozenset().union(*found.values()), frozenset(), "", tuple(on.split()))


def _bare(case_id: str) -> str:
    """A case id without what tells its folder and role."""
    return re.split("-(?:client|server)-", case_id, maxsplit=1)[-1]


def bug(name: str, text: str, roles: str, *changes: Change, on: str, fails: str) -> SessionMember:
    """A member that is the right session, but for these attributes of its modules or classes."""
    return session(name, text, patched(roles, *changes), on=on, fails=fails)


def altered(machine: Any, steps: dict[Any, Any]) -> Any:
    """A transition table that says something else in some places, or nothing where None is given."""
    changed = {**machine.table, **steps}
    return replace(machine, table={key: step for key, step in changed.items() if step is not None})


def nothing(*_args: Any, **_options: Any) -> None:
    """In place of a check: whatever it is given, it finds nothing wrong."""


def always(value: Any) -> Callable[..., Any]:
    """In place of a question: the answer is always the same."""
    return lambda *_args, **_options: value
