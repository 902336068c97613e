"""Whether an answer is the one a case asks for.

A negative case passes on an explicit refusal only. A refusal that names another error class than the vector is told
apart, as the input was refused but perhaps for another reason.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..nostr import LocalProtocolError, SecretKey, Violation, nip59
from ..nostr import event as events
from .vectors import Case

Value = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Accepted:
    """The implementation took the input and gave this output."""

    output: Value


@dataclass(frozen=True, slots=True)
class Refused:
    """The implementation refused the input and named this error class."""

    error_class: str
    message: str


Answer = Accepted | Refused


class Verdict(StrEnum):
    PASS = "pass"
    OTHER_CLASS = "other-class"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Judgement:
    verdict: Verdict
    detail: str = ""


def judge(case: Case, answer: Answer) -> Judgement:
    """Compare an answer with what its case expects."""
    if isinstance(answer, Refused):
        if case.result == "valid":
            return Judgement(Verdict.FAIL, f"refused as {answer.error_class} ({answer.message}), but it is valid")
        if case.error_class not in (None, answer.error_class):
            return Judgement(Verdict.OTHER_CLASS, f"refused as {answer.error_class}, expected {case.error_class}")
        return Judgement(Verdict.PASS)
    if case.result == "invalid":
        return Judgement(Verdict.FAIL, f"accepted, but it must be refused as {case.error_class}")
    if case.output is None:
        return Judgement(Verdict.PASS)
    difference = _COMPARISONS[case.compare or "exact"](case, case.output, answer.output)
    return Judgement(Verdict.FAIL, difference) if difference else Judgement(Verdict.PASS)


def _exact(_case: Case, expected: Any, actual: Any) -> str:
    """Equal in type and value, all the way down; true is not 1."""
    return "" if _same(expected, actual) else f"expected {_short(expected)}, got {_short(actual)}"


def _same(expected: Any, actual: Any) -> bool:
    if type(expected) is not type(actual):
        return False
    if isinstance(expected, dict):
        return expected.keys() == actual.keys() and all(_same(value, actual[key]) for key, value in expected.items())
    if isinstance(expected, list):
        return len(expected) == len(actual) and all(map(_same, expected, actual))
    return bool(expected == actual)


def _as_json(case: Case, expected: Value, actual: Value) -> str:
    """The `raw` texts are equal as JSON."""
    try:
        return _exact(case, json.loads(expected["raw"]), json.loads(actual["raw"]))
    except (KeyError, TypeError, ValueError) as problem:
        return f"no JSON text in `raw`: {problem}"


def _unordered_tags(case: Case, expected: Value, actual: Value) -> str:
    """The events are equal but for the order of their tags."""
    try:
        sort = [{**one["event"], "tags": sorted(one["event"]["tags"])} for one in (expected, actual)]
    except (KeyError, TypeError) as problem:
        return f"no event in the output: {problem}"
    return _exact(case, *sort)


def _nip19(case: Case, _expected: Value, actual: Value) -> str:
    """The text holds the entity that was to be encoded, its TLVs in any order."""
    from .operations import nip19_decode

    try:
        return _exact(case, case.input["entity"], nip19_decode({"text": actual["text"]})["entity"])
    except (KeyError, TypeError, Violation, LocalProtocolError) as problem:
        return f"not a NIP-19 text: {problem}"


def _opens(opened: Callable[[events.Event, SecretKey], Any], holds: str) -> Callable[[Case, Value, Value], str]:
    """The wrap is the expected one but for ciphertext, id and signature, which verify, and it opens to what it must."""

    def compare(case: Case, expected: Value, actual: Value) -> str:
        try:
            event = events.from_value(actual["event"])
            inner = opened(event, SecretKey(bytes.fromhex(expected["recipient_seckey"]))).to_value()
        except (KeyError, TypeError, Violation) as problem:
            return f"the wrap does not open: {problem}"
        inner["tags"] = [list(tag) for tag in inner["tags"]]
        fixed = ("pubkey", "created_at", "kind", "tags")
        outer = _exact(case, *({name: one["event"][name] for name in fixed} for one in (expected, actual)))
        return outer or _exact(case, expected[holds], inner)

    return compare


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 300 else text[:300] + "..."


_COMPARISONS: dict[str, Callable[[Case, Any, Any], str]] = {
    "exact": _exact,
    "json": _as_json,
    "unordered_tags": _unordered_tags,
    "nip19": _nip19,
    "wrap": _opens(nip59.unwrap, "inner"),
    "gift_wrap": _opens(nip59.unwrap_sealed, "rumor"),
}
