"""The zoo of the Nostr layer: small wrong implementations, each with the vectors that catch it.

A vector suite is as good as the faulty implementations it catches. `nostr_layer` holds one file of members for each
vector file of `vectors/common`; here they are put together, with the members that are wrong about everything.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from nostrmcp.conformance.operations import OPERATIONS, Value
from nostrmcp.nostr import ErrorClass, Violation
from tests.zoo.member import Member, Operations, cases, member, refusal
from tests.zoo.nostr_layer import (
    bip340,
    detect,
    filters,
    nip01,
    nip09,
    nip19,
    nip40,
    nip42,
    nip44,
    nip59,
    relay_frames,
    strict_json,
)

FOLDER = "common"

_FILES: tuple[Any, ...] = (
    strict_json,
    nip01,
    filters,
    relay_frames,
    bip340,
    nip09,
    nip19,
    nip40,
    nip42,
    nip44,
    nip59,
    detect,
)

MEMBERS: list[Member] = [one for file in _FILES for one in file.MEMBERS]

# What the members of a file are built from, without a bug: what fails a member is then its bug and nothing else.
CONTROLS: list[Member] = [one for file in _FILES for one in file.CONTROLS]


class _OfItsOwn(StrEnum):
    UNKNOWN = "unknown"


def _everywhere(answer: Any) -> Operations:
    return dict.fromkeys(OPERATIONS, answer)


def _accept(given: Value) -> Value:
    return {}


def _refuse(given: Value) -> Value:
    raise refusal(ErrorClass.INVALID_JSON)


def _refuse_in_other_words(given: Value) -> Value:
    raise Violation(_OfItsOwn.UNKNOWN, "zoo", "refused")


def _crash(given: Value) -> Value:
    raise RuntimeError("crashed")


def _ids(*results: str) -> str:
    return " ".join(case.id for case in cases(FOLDER) if case.result in results)


ACCEPTS_EVERYTHING = member(
    "accepts-everything",
    "Accepts whatever it is given, and answers nothing.",
    _everywhere(_accept),
    fails=_ids("valid", "invalid"),
    passes="",
)
REFUSES_EVERYTHING = member(
    "refuses-everything",
    "Refuses whatever it is given, always for one reason.",
    _everywhere(_refuse),
    fails=_ids("valid"),
)
REFUSES_IN_OTHER_WORDS = member(
    "refuses-in-other-words",
    "Refuses whatever it is given, for a reason that no list has.",
    _everywhere(_refuse_in_other_words),
    fails=_ids("valid"),
)
CRASHES = member(
    "crashes",
    "Crashes on whatever it is given.",
    _everywhere(_crash),
    fails=_ids("valid", "invalid", "acceptable"),
)
UNIVERSAL = [ACCEPTS_EVERYTHING, REFUSES_EVERYTHING, REFUSES_IN_OTHER_WORDS, CRASHES]
