"""How a wrong implementation of the revisions is made from the right one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nostrmcp.conformance import translation
from nostrmcp.conformance.operations import OPERATIONS, Operation, Value
from nostrmcp.nostr import LocalProtocolError, Violation
from nostrmcp.nostr import event as events
from nostrmcp.revisions import REVISIONS, VARIANTS, Revision
from nostrmcp.revisions.model import MessageClass, TagRule
from tests.zoo.member import Member, Operations, during, patched
from tests.zoo.member import member as member_of

# The revisions by how the ids of their cases begin.
REVISION_NAMES = {
    "r1": ("dvmcp-rev1",),
    "r1e": ("dvmcp-rev1-ephemeral",),
    "r11": ("dvmcp-rev1.1",),
    "ctx": ("ctxvm-draft", "ctxvm-draft-strict-text"),
    "cvm": ("contextvm",),
}
DVMCP = "r1 r1e r11"
WHOLE = "r1 r1e ctx cvm"
ONE_KIND = "ctx cvm"

Tags = list[list[str]]
Wire = dict[str, Any]


def member(
    name: str, bug: str, operations: Operations, fails: str = "", passes: str | None = None, missing: str = ""
) -> Member:
    """A member whose cases are written apart by white space, those that revisions have alike as `r1/r1e-id`."""
    kept = None if passes is None else _expanded(passes)
    return member_of(name, bug, operations, fails=_expanded(fails), passes=kept, missing=missing)


def _expanded(words: str) -> str:
    expanded = []
    for word in words.split():
        prefixes, _, rest = word.partition("-")
        expanded += [f"{prefix}-{rest}" for prefix in prefixes.split("/")]
    return " ".join(expanded)


def within(prefixes: str, operations: Operations) -> Operations:
    """Operations that are wrong under some revisions and right under the others."""
    names = {name for prefix in prefixes.split() for name in REVISION_NAMES[prefix]}

    def chosen(wrong: Operation, right: Operation) -> Operation:
        return lambda given: (wrong if given["revision"] in names else right)(given)

    return {name: chosen(operation, OPERATIONS[name]) for name, operation in operations.items()}


def tabled(names: str, change: Callable[[Revision], Revision]) -> Operations:
    """The named operations under tables that say something else."""
    tables: dict[str, Revision] = {}

    def changed(given: Value) -> Revision:
        name = given["revision"]
        if name not in tables:
            tables[name] = change((REVISIONS | VARIANTS)[name])
        return tables[name]

    return patched(names, (translation, "_revision", changed))


def with_rules(revision: Revision, change: Callable[[MessageClass, TagRule], TagRule]) -> Revision:
    """A revision with other rules for tags."""
    tags = {one: tuple(change(one, rule) for rule in rules) for one, rules in revision.tags.items()}
    return replace(revision, tags=tags)


def _event_of(operation: str, change: Callable[[Value, Wire], None]) -> Operations:
    right = OPERATIONS[operation]

    def run(given: Value) -> Value:
        event = right(given)["event"]
        event = {**event, "tags": [list(tag) for tag in event["tags"]]}
        change(given, event)
        return {"event": event}

    return {operation: run}


def sending(change: Callable[[Value, Wire], None]) -> Operations:
    """A sender whose event is changed before it goes out."""
    return _event_of("encode_message", change)


def announcing(change: Callable[[Value, Wire], None]) -> Operations:
    """A server whose announcement is changed before it goes out."""
    return _event_of("build_announcement", change)


def saying(change: Callable[[Value, Any], Any]) -> Operations:
    """A sender whose content, where it is JSON, is made into another value."""
    return sending(_content(change))


def announcing_content(change: Callable[[Value, Any], Any]) -> Operations:
    """A server whose announced content is made into another value."""
    return announcing(_content(change))


def _content(change: Callable[[Value, Any], Any]) -> Callable[[Value, Wire], None]:
    def changed(given: Value, event: Wire) -> None:
        if event["content"]:
            event["content"] = json.dumps(change(given, json.loads(event["content"])))

    return changed


def hearing(names: str, change: Callable[[Value, Wire], None]) -> Operations:
    """Receivers that read another event than the one they got, after they verified it."""

    def heard(name: str) -> Operation:
        def run(given: Value) -> Value:
            translation.verified(given["event"])
            event = {**given["event"], "tags": [list(tag) for tag in given["event"]["tags"]]}
            change(given, event)
            careless = during({name: OPERATIONS[name]}, (translation, "verified", events.from_value))
            return careless[name]({**given, "event": event})

        return run

    return {name: heard(name) for name in names.split()}


def hearing_body(names: str, change: Callable[[Value, Any], Any]) -> Operations:
    """Receivers that read other content than they got, wherever it is JSON."""

    def changed(given: Value, event: Wire) -> None:
        try:
            value = json.loads(event["content"])
        except ValueError:
            return
        event["content"] = json.dumps(change(given, value))

    return hearing(names, changed)


def concluding(operation: str, change: Callable[[Value, Value], Value]) -> Operations:
    """An operation whose output is changed, with its input at hand."""
    right = OPERATIONS[operation]
    return {operation: lambda given: change(given, right(given))}


def refusing(operation: str, error_class: Any, where: Callable[[Value], bool]) -> Operations:
    """An operation that also refuses what is right."""
    right = OPERATIONS[operation]

    def run(given: Value) -> Value:
        if where(given):
            raise Violation(error_class, "zoo", "refused")
        return right(given)

    return {operation: run}


def lenient(operation: str, accepts: Callable[[Value], Value | None]) -> Operations:
    """An operation that, where the right one refuses a peer's or its own words, takes what `accepts` has a word for."""
    right = OPERATIONS[operation]

    def run(given: Value) -> Value:
        try:
            return right(given)
        except (Violation, LocalProtocolError):
            output = accepts(given)
            if output is None:
                raise
            return output

    return {operation: run}


def is_request(given: Value) -> bool:
    return "method" in given["message"] and "id" in given["message"]


def is_response(given: Value) -> bool:
    return "method" not in given["message"]


def is_notification(given: Value) -> bool:
    return "method" in given["message"] and "id" not in given["message"]


def method_of(given: Value) -> str:
    """The method of a message that is to be sent, or of the request that it answers."""
    return str(given["message"].get("method") or (given["request"] or {}).get("method"))


def tag_values(event: Wire, name: str) -> list[str]:
    return [tag[1] for tag in event["tags"] if tag[0] == name and len(tag) > 1]


def drop(event: Wire, *names: str) -> None:
    event["tags"] = [tag for tag in event["tags"] if tag[0] not in names]


def put(event: Wire, name: str, *values: str) -> None:
    """Another value for every tag of this name."""
    event["tags"] = [[name, *values] if tag[0] == name else tag for tag in event["tags"]]


def rename(event: Wire, old: str, new: str) -> None:
    event["tags"] = [[new, *tag[1:]] if tag[0] == old else tag for tag in event["tags"]]


def add(event: Wire, name: str, *values: str) -> None:
    """One more tag, where there is none of this name."""
    if not any(tag[0] == name for tag in event["tags"]):
        event["tags"].append([name, *values])


def without(value: Any, *names: str) -> Any:
    """A JSON value without members of these names, at every depth."""
    return mapped(value, lambda one: {k: v for k, v in one.items() if k not in names} if type(one) is dict else one)


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """A JSON value with every part of it changed, the outermost first."""
    value = change(value)
    if type(value) is dict:
        return {name: mapped(one, change) for name, one in value.items()}
    return [mapped(one, change) for one in value] if type(value) is list else value
