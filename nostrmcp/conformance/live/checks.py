"""What a live check is, and which of them concern a revision."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, TypeVar

from ...revisions import Revision
from ..selection import LEVELS, requirements
from ..text import as_json

# Ledgers whose requirements hold in every revision.
_COMMON = ("nostr", "house", "mcp-subscriptions")


class Failed(Exception):
    """The testee did what it must not, or did not what it must."""

    def __init__(self, detail: str, expected: Any = None, actual: Any = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.expected = "" if expected is None else as_json(expected)
        self.actual = "" if actual is None else as_json(actual)


class NotOffered(Exception):
    """The testee does not have what the check is about; the message says what."""


class NotRun(Exception):
    """The check cannot be made as things stand; the message says what is missing."""


class Need(StrEnum):
    """What a check needs besides a testee, with the words for its absence."""

    CONTROL = "a relay that the runner owns"
    COMMAND = "a testee that the runner starts itself (--command)"
    SLOW = "--hint slow=TOOL:JSON, a tool that takes a while, say a second"
    ERROR = "--hint error=TOOL:JSON, a tool that fails"
    PAID = "--hint paid=TOOL:JSON, a tool that costs something"


Bench = TypeVar("Bench")


@dataclass(frozen=True, slots=True)
class Check(Generic[Bench]):
    """One check. `req` names requirements of all revisions: of these, those of the revision that is tested count, and
    rules of our own where it has none."""

    name: str
    title: str
    req: tuple[str, ...]
    harm: str
    run: Callable[[Bench], Awaitable[None]]
    needs: tuple[Need, ...] = ()
    # Whether there is such a thing in a revision at all.
    concerns: Callable[[Revision], bool] = field(default=lambda revision: True)
    # For a client: what it is told to do (spec/live.md).
    scenario: str = ""
    # The strictest that the check can be, where only a part of what its requirements say is tested.
    at_most: str = "MUST"

    def requirements(self, revision: Revision) -> tuple[str, ...]:
        """The requirements that the check shows in a revision; none where it does not concern the revision."""
        if not self.concerns(revision):
            return ()
        rows = requirements()
        named = [one for one in self.req if rows[one]["ledger"] in (revision.name, *_COMMON)]
        return tuple(one for one in named if rows[one]["basis"] != "house") or tuple(named)

    def level(self, revision: Revision) -> str:
        """The strictest level among the requirements in a revision."""
        rows = requirements()
        found = min((str(rows[one]["level"]) for one in self.requirements(revision)), key=LEVELS.index)
        return max(found, self.at_most, key=LEVELS.index)

    def is_wanted(self, revision: Revision, lowest: str) -> bool:
        """Whether there is anything to show in a revision, at this level or above."""
        return bool(self.requirements(revision)) and LEVELS.index(self.level(revision)) <= LEVELS.index(lowest)

    def is_hardening(self, revision: Revision) -> bool:
        """Whether rules of our own are shown: then the check is in no score."""
        return any(requirements()[one]["basis"] == "house" for one in self.requirements(revision))


def case_id(check: Check[Any], revision: Revision) -> str:
    """The id of a check in one revision, with the prefix that its requirements have."""
    prefix = next(iter(revision.kind_reqs.values())).partition("-")[0].lower()
    return f"{prefix}-{check.name}"
