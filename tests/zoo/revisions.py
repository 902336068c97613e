"""The zoo of the revisions: implementations of MCP over Nostr with one bug each, and the vectors that catch it.

`revisions_layer` holds one file of members for each operation that a revision's vectors ask for. Most bugs are the same
under several revisions, so a member is judged by the vectors of all of them, unless it is made to be wrong under some.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import cache
from typing import Any

from nostrmcp.conformance.operations import Value
from nostrmcp.conformance.vectors import Case, Suite
from nostrmcp.mcp.errors import ErrorClass
from nostrmcp.nostr import Violation
from tests.zoo.member import Member, Operations, cases, failed, member, suites
from tests.zoo.revisions_layer import announce, check, decode, encode

FOLDERS = ("dvmcp-rev1", "dvmcp-rev1-ephemeral", "dvmcp-rev1.1", "ctxvm-draft", "contextvm")
OPERATIONS = ("encode_message", "decode_event", "check_event", "build_announcement", "parse_announcement")

SUITES: list[Suite] = [suite for folder in FOLDERS for suite in suites(folder)]
CASES: list[Case] = [case for folder in FOLDERS for case in cases(folder)]

_FILES: tuple[Any, ...] = (encode, decode, check, announce)

MEMBERS: list[Member] = [one for file in _FILES for one in file.MEMBERS]

# What the members of a file are built from, without a bug: what fails a member is then its bug and nothing else.
CONTROLS: list[Member] = [one for file in _FILES for one in file.CONTROLS]


@cache
def failures(one: Member) -> frozenset[str]:
    """The ids of the cases of all revisions that a member fails."""
    return frozenset().union(*(failed(one, folder) for folder in FOLDERS))


class _OfItsOwn(StrEnum):
    UNKNOWN = "unknown"


def _everywhere(answer: Callable[[Value], Value]) -> Operations:
    return dict.fromkeys(OPERATIONS, answer)


def _accept(given: Value) -> Value:
    return {}


def _refuse(given: Value) -> Value:
    raise Violation(ErrorClass.NOT_A_MESSAGE, "zoo", "refused")


def _refuse_in_other_words(given: Value) -> Value:
    raise Violation(_OfItsOwn.UNKNOWN, "zoo", "refused")


def _crash(given: Value) -> Value:
    raise RuntimeError("crashed")


def _ids(*results: str) -> str:
    return " ".join(case.id for case in CASES if case.result in results)


UNIVERSAL = [
    member(
        "accepts-everything",
        "Accepts whatever it is given, and answers nothing.",
        _everywhere(_accept),
        fails=_ids("valid", "invalid"),
        passes="",
    ),
    member(
        "refuses-everything",
        "Refuses whatever it is given, always for one reason.",
        _everywhere(_refuse),
        fails=_ids("valid"),
    ),
    member(
        "refuses-in-other-words",
        "Refuses whatever it is given, for a reason that no list has.",
        _everywhere(_refuse_in_other_words),
        fails=_ids("valid"),
    ),
    member(
        "crashes",
        "Crashes on whatever it is given.",
        _everywhere(_crash),
        fails=_ids("valid", "invalid", "acceptable"),
    ),
]
