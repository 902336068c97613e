"""Whether an answer is the one a case asks for.

A negative case passes on an explicit refusal only. A refusal that names another error class than the vector is told
apart, as the input was refused but perhaps for another reason.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..mcp.jsonrpc import is_id
from ..nostr import LocalProtocolError, PublicKey, SecretKey, Violation, nip44, nip59, strict_json
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
    return "" if _same(expected, actual) else f"expected {short(expected)}, got {short(actual)}"


def _same(expected: Any, actual: Any) -> bool:
    if type(expected) is not type(actual):
        return False
    if isinstance(expected, dict):
        return expected.keys() == actual.keys() and all(_same(value, actual[key]) for key, value in expected.items())
    if isinstance(expected, list):
        return len(expected) == len(actual) and all(map(_same, expected, actual))
    return bool(expected == actual)


def _as_json(case: Case, expected: Value, actual: Value) -> str:
    """The `raw` texts are equal as JSON, read strictly: who names a key twice has written another message to some."""
    try:
        return _exact(case, *(strict_json.parse(one["raw"]) for one in (expected, actual)))
    except (KeyError, TypeError, Violation) as problem:
        return f"no JSON text in `raw`: {problem}"


def _unordered_tags(case: Case, expected: Value, actual: Value) -> str:
    """The events are equal but for the order of their tags."""
    try:
        sort = [{**one["event"], "tags": sorted(one["event"]["tags"])} for one in (expected, actual)]
    except (KeyError, TypeError) as problem:
        return f"no event in the output: {problem}"
    return _exact(case, *sort)


# Tags with a meaning in some revision: an event has those that are expected, and no other of these names.
_MEANINGFUL = [
    "p", "e", "s", "d", "k", "t", "cap", "method", "status", "amount", "expiration", "support_encryption",
    "support_encryption_ephemeral",
]  # fmt: skip


def _event(case: Case, expected: Value, actual: Value) -> str:
    """The event carries the same message: content equal as JSON, tags in any order, some of them left to the sender."""
    try:
        event = actual["event"]
        tags = [list(tag) for tag in event["tags"]]
        texts = [one["event"]["content"] for one in (expected, actual)]
        contents = [[] if text == "" else [strict_json.parse(text)] for text in texts]
        for name in expected.get("free_members", ()):
            _take_over(name, *contents)
    except (KeyError, TypeError, Violation) as problem:
        return f"no event in the output: {problem}"
    fixed = ("pubkey", "created_at", "kind")
    difference = _exact(case, *({name: one["event"].get(name) for name in fixed} for one in (expected, actual)))
    difference = difference or _exact(case, *contents)
    return difference or tags_difference(
        expected["event"]["tags"], expected["optional_tags"], tags, expected.get("free_tags", ())
    )


def _take_over(name: str, expected: list[Any], actual: list[Any]) -> None:
    """The id of an announcement is the sender's choice: any will do, of those that JSON-RPC has."""
    if expected and actual and isinstance(actual[0], dict) and is_id(actual[0].get(name)):
        expected[0][name] = actual[0][name]


def tags_difference(
    wanted: list[list[str]], optional: list[list[str]], tags: list[list[str]], free: Sequence[str] = ()
) -> str:
    """Whether tags are the expected ones, in any order, and no other tag has a meaning.

    The value of a free tag is the sender's choice: any text will do.
    """
    if any(len(tag) < 2 or not tag[1] for tag in tags if tag and tag[0] in free):
        return f"a tag without a value: {short([tag for tag in tags if tag and tag[0] in free])}"
    wanted, tags = ([[tag[0], "..."] if tag and tag[0] in free else tag for tag in one] for one in (wanted, tags))
    missing = [tag for tag in wanted if tag not in tags and tag not in optional]
    surplus = [tag for tag in tags if not tag or (tag[0] in _MEANINGFUL and tag not in wanted)]
    return f"tags missing: {short(missing)}; tags too many: {short(surplus)}" if missing or surplus else ""


def _nip19(case: Case, _expected: Value, actual: Value) -> str:
    """The text holds the entity that was to be encoded, its TLVs in any order, in BIP-173's lower case."""
    from .operations import nip19_decode

    try:
        text = actual["text"]
        if not isinstance(text, str) or text != text.lower():
            return "not a text in lower case"
        return _exact(case, case.input["entity"], nip19_decode({"text": text})["entity"])
    except (KeyError, TypeError, Violation, LocalProtocolError) as problem:
        return f"not a NIP-19 text: {problem}"


def _opens(opened: Callable[[events.Event, SecretKey], Any], holds: str) -> Callable[[Case, Value, Value], str]:
    """The wrap is the expected one but for ciphertext, id and signature, which verify, and it opens to what it must.

    What the JSON inside looks like is left to the sender; the nonces and the times of all layers are the case's.
    """

    def compare(case: Case, expected: Value, actual: Value) -> str:
        try:
            recipient = SecretKey(bytes.fromhex(expected["recipient_seckey"]))
            wraps = [events.from_value(one["event"]) for one in (expected, actual)]
            inner = opened(wraps[1], recipient).to_value()
        except (KeyError, TypeError, Violation) as problem:
            return f"the wrap does not open: {problem}"
        difference = _exact(case, *map(_layer, wraps))
        if holds == "rumor":
            difference = difference or _exact(case, *(_layer(_content_of(wrap, recipient)) for wrap in wraps))
        inner["tags"] = [list(tag) for tag in inner["tags"]]
        return difference or _exact(case, expected[holds], inner)

    return compare


def _layer(event: events.Event) -> Value:
    """What a case says of a wrap or a seal, with the nonce that follows the version in its payload."""
    fixed = {"pubkey": event.pubkey.hex(), "created_at": event.created_at, "kind": event.kind}
    return fixed | {"tags": [list(tag) for tag in event.tags], "nonce": b64decode(event.content)[1:33].hex()}


def _content_of(wrap: events.Event, recipient: SecretKey) -> events.Event:
    """The seal in a wrap that opened."""
    return events.parse(nip44.decrypt(wrap.content, nip44.get_conversation_key(recipient, PublicKey(wrap.pubkey))))


def _script(case: Case, expected: Value, actual: Value) -> str:
    """The machine did in every step what the script expects, and nothing else."""
    from .script_judge import compare

    return compare(case, expected, actual)


def short(value: Any) -> str:
    """A value as text, cut where it is long."""
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 300 else text[:300] + "..."


_COMPARISONS: dict[str, Callable[[Case, Any, Any], str]] = {
    "exact": _exact,
    "json": _as_json,
    "unordered_tags": _unordered_tags,
    "event": _event,
    "nip19": _nip19,
    "wrap": _opens(nip59.unwrap, "inner"),
    "gift_wrap": _opens(nip59.unwrap_sealed, "rumor"),
    "script": _script,
}
