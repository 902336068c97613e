"""Session scripts, the judging side: whether a machine did in every step what the script expects, and nothing else.

Published events of one step may come in any order; delivered messages come in the order that is written. Only what a
peer or a user would notice is compared: see `compare: "script"` in vectors/README.md.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from ..mcp.jsonrpc import id_key, is_id
from ..nostr import Violation, nip59, strict_json
from ..nostr import event as events
from ..nostr.event import Event
from ..revisions.model import LIST_MEMBERS
from .judge import short, tags_difference
from .script import ROLE_KEYS, References, Unresolved, Value, opened
from .vectors import Case

_TWO_DAYS = 2 * 24 * 60 * 60
# When a wrap may be dated, in seconds from the time of the step.
_WRAPPED = {"now": (0, 0), "past": (-_TWO_DAYS, -1), "any": (-_TWO_DAYS, 0)}
_MCP = "io.modelcontextprotocol/"
# What MCP recommends on every result, and what says nothing of the request.
_TOLD = _MCP + "serverInfo"
_ANNOUNCEMENTS = frozenset((*range(11316, 11321), *range(31316, 31320)))
# Members of params that a sender may add to what the expectation names.
_FREE = {
    "notifications/payment_required": ("description", "ttl", "expiration"),
    "notifications/cancelled": ("reason",),
    "notifications/cancel": ("reason",),
}
_ANY = ({"$id": "any"}, {"$text": "any"})


class Difference(Exception):
    """What the machine did is not what the script expects."""


def compare(case: Case, expected: Value, actual: Value) -> str:
    """The first difference, or nothing."""
    try:
        steps = [_checked(step) for step in actual["steps"]]
    except (KeyError, TypeError, AttributeError) as problem:
        return f"no steps in the output: {problem!r}"
    watch = _Watch()
    for number, (given, wanted) in enumerate(zip(case.input["steps"], expected["steps"], strict=True)):
        if number == len(steps):
            return f"step {number}: the script broke off, as it refers to what the machine did not do"
        unix = case.input["open"]["now"] + int(given["at"] // 1)
        try:
            watch.stimulus(given["do"], References(steps[:number]))
            _step(wanted, steps[number], References(steps[: number + 1]), unix, watch)
        except (Difference, Unresolved) as difference:
            return f"step {number}: {difference}"
    return "" if len(steps) == len(expected["steps"]) else "there are more steps than the script has"


def _checked(step: Value) -> Value:
    lists = {"published": step["published"], "delivered": step["delivered"], "paid": step.get("paid", [])}
    if not all(isinstance(one, list) for one in lists.values()) or not all(
        isinstance(one, dict) for one in (*lists["published"], *lists["delivered"])
    ):
        raise TypeError("published and delivered are lists of objects")
    return lists


@dataclass
class _Watch:
    """What holds over a whole script: no event twice, no id or token for two live requests of one MCP server."""

    events: set[str] = field(default_factory=set)
    asked: set[tuple[str | None, tuple[str, Any]]] = field(default_factory=set)
    live: dict[tuple[str, str], dict[tuple[str, Any], Any]] = field(default_factory=dict)
    announced: dict[tuple[int, str | None], tuple[str, int]] = field(default_factory=dict)

    def published(self, *event_ids: bytes) -> None:
        for one in set(event_ids):
            if one.hex() in self.events:
                raise Difference(f"event {one.hex()} was published before")
            self.events.add(one.hex())

    def announcement(self, event: Event, holds: str, unix: int) -> None:
        """An announcement has the present time, or follows by a second the one that it replaces (HOUSE-ANN-01), which
        announced the same."""
        address = (event.kind, event.first("d"))
        held, before = self.announced.get(address, (holds, 0))
        if holds != held:
            raise Difference(f"published {holds} under the d {short(address[1])}, where they replace {held}")
        due = max(unix, before + 1)
        if event.created_at != due:
            raise Difference(f"published an announcement with created_at {event.created_at}, expected {due}")
        self.announced[address] = holds, due

    def stimulus(self, do: Value, references: References) -> None:
        """An answer of an MCP server ends a request; with a restart all of them end."""
        if "restart" in do:
            self.live.clear()
        if "server" not in do:  # whatever else happens may have ended a request to a client
            self.asked.clear()
        message = do.get("message")
        if isinstance(message, dict) and "method" not in message and "server" in do:
            answered = references.resolve(message.get("id"))
            self.live.get((short(do["server"]), short(do["client"])), {}).pop(_key(answered), None)

    def request(self, inner: Event) -> None:
        """Two requests of a server to one client, of which neither can have been answered, have two ids."""
        try:
            message = strict_json.parse(inner.content)
        except Violation:  # which is told where contents are compared
            return
        if _member(message, "method") is None or _member(message, "id") is None:
            return
        key = inner.first("p"), _key(_member(message, "id"))
        if key in self.asked:
            raise Difference(f"the id {short(key[1][1])} belongs to another request to this client")
        self.asked.add(key)

    def delivered(self, item: Value) -> None:
        message = item.get("message")
        if not isinstance(message, dict) or "server" not in item:
            return
        link = self.live.setdefault((short(item["server"]), short(item["client"])), {})
        if message.get("method") == "notifications/cancelled":
            link.pop(_key(_member(message, "params", "requestId")), None)
        elif "method" in message and "id" in message:
            token = _member(message, "params", "_meta", "progressToken")
            key, token = _key(message["id"]), None if token is None else _key(token)
            if key in link:
                raise Difference(f"the id {short(message['id'])} belongs to another request of this MCP server")
            if token is not None and token in link.values():
                raise Difference(f"the token {short(token[1])} belongs to another request of this MCP server")
            link[key] = token


def _member(value: Any, *path: str) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _key(given: Any) -> tuple[str, Any]:
    return id_key(given) if is_id(given) else ("", short(given))


def _step(wanted: Value, step: Value, references: References, unix: int, watch: _Watch) -> None:
    _published(wanted["published"], step["published"], references, unix, watch)
    _delivered(wanted["delivered"], step["delivered"], references, watch)
    paid = wanted.get("paid", [])
    if step["paid"] != paid:
        raise Difference(f"paid {short(step['paid'])}, expected {short(paid)}")


def _published(wanted: list[Value], actual: list[Value], references: References, unix: int, watch: _Watch) -> None:
    found = []
    for one in actual:
        try:
            event = events.from_value(one)
            event.verify()
            inner = opened(event)
        except Violation as violation:
            raise Difference(f"published what is no valid event: {violation}") from None
        watch.published(event.id, inner.id)
        watch.request(inner)
        found.append((event, inner))
    if len(found) != len(wanted):
        told = [{"kind": inner.kind, "content": inner.content} for _, inner in found]
        raise Difference(f"published {len(found)} events, expected {len(wanted)}: {short(told)}")
    problem = _pair(wanted, found, references, unix)
    if problem:
        raise Difference(problem)
    for _, inner in found:
        if inner.kind in _ANNOUNCEMENTS:
            watch.announcement(inner, _holds(inner), unix)


def _holds(announcement: Event) -> str:
    """What is announced: the name of a list, or the server."""
    content = strict_json.parse(announcement.content)
    value = content.get("result", content) if isinstance(content, dict) else {}
    return next((name for name in LIST_MEMBERS.values() if name in value), "the server")


def _pair(wanted: list[Value], found: list[tuple[Event, Event]], references: References, unix: int) -> str:
    """Find an event for each expectation; where there is none, the difference to the first that is left."""
    if not wanted:
        return ""
    problems = []
    for position, (event, inner) in enumerate(found):
        problem = _event(wanted[0], event, inner, references, unix)
        rest = found[:position] + found[position + 1 :]
        problem = problem or _pair(wanted[1:], rest, references, unix)
        if not problem:
            return ""
        problems.append(problem)
    return problems[0]


def _event(wanted: Value, event: Event, inner: Event, references: References, unix: int) -> str:
    problem = _envelope(wanted, event, unix)
    if problem:
        return problem
    late = inner.created_at > unix and inner.kind in _ANNOUNCEMENTS
    for name, expected, got in (
        ("pubkey", wanted["pubkey"], inner.pubkey.hex()),
        ("kind", wanted["kind"], inner.kind),
        ("created_at", unix, unix if late else inner.created_at),
    ):
        if expected != got:
            return f"published an event with {name} {got}, expected {expected}"
    tags = [list(tag) for tag in inner.tags]
    named, optional = (references.resolve(wanted[name]) for name in ("tags", "optional_tags"))
    problem = tags_difference(named, optional, tags, wanted.get("free_tags", ()))
    if problem:
        return problem
    if wanted["content"] == "" or inner.content == "":
        return "" if inner.content == wanted["content"] else "content is empty, or is not where it must be"
    try:
        content = strict_json.parse(inner.content)
    except Violation as violation:
        return f"published content that is no JSON: {violation}"
    expected = references.resolve(wanted["content"])
    return _message_difference(expected, content)


def _envelope(wanted: Value, event: Event, unix: int) -> str:
    wrap = wanted["wrap"]
    if wrap is None:
        return "published a wrap, expected a plain event" if event.kind in nip59.WRAP_KINDS else ""
    if event.kind != wrap["kind"]:
        return f"published kind {event.kind}, expected a wrap of kind {wrap['kind']}"
    if [list(tag) for tag in event.tags] != [["p", wanted["to"]]]:
        return f"the tags of the wrap are {short([list(tag) for tag in event.tags])}"
    if event.pubkey.hex() == wanted["pubkey"] or event.pubkey.hex() in ROLE_KEYS:
        return "the wrap is signed by a key that is not its own"
    earliest, latest = _WRAPPED[wrap["time"]]
    in_time = unix + earliest <= event.created_at <= unix + latest
    return "" if in_time else f"the wrap is dated {event.created_at}, the step is {unix}"


def _delivered(wanted: list[Value], actual: list[Value], references: References, watch: _Watch) -> None:
    if len(wanted) != len(actual):
        raise Difference(f"delivered {short(actual)}, expected {short(references.resolve(wanted))}")
    for expected, got in zip(references.resolve(wanted), actual, strict=True):
        if expected.keys() != got.keys():
            raise Difference(f"delivered {short(got)}, expected {short(expected)}")
        for name in expected:
            problem = (_message_difference if name == "message" else _difference)(expected[name], got[name])
            if problem:
                raise Difference(f"delivered to the wrong place or otherwise: {problem}")
        watch.delivered(got)


def _message_difference(expected: Any, got: Any) -> str:
    """Compare two messages, or what stands in content, without what is the sender's own business."""
    if not isinstance(expected, dict) or not isinstance(got, dict):
        return _difference(expected, got)
    got = copy.deepcopy(got)
    for name in ("params", "result"):
        if isinstance(got.get(name), dict):
            own = expected.get(name)
            _forget_meta(own if isinstance(own, dict) else {}, got[name])
            if name == "params" and not got[name] and name not in expected:
                del got[name]
    _forget_meta(expected, got)
    error = got.get("error")
    if isinstance(error, dict) and _member(expected, "error", "data") is None:
        error.pop("data", None)
    if isinstance(got.get("params"), dict):
        for name in _FREE.get(short(got.get("method")).strip('"'), ()):
            if _member(expected, "params", name) is None:
                got["params"].pop(name, None)
    return _difference(expected, got)


def _forget_meta(expected: Value, got: Value) -> None:
    """Take out members of `_meta` that the expectation does not name and that MCP gives no meaning."""
    meta, named = got.get("_meta"), expected.get("_meta")
    if not isinstance(meta, dict):
        return
    kept = named if isinstance(named, dict) else {}
    for name in list(meta):
        if name not in kept and name != "progressToken" and (name == _TOLD or not name.startswith(_MCP)):
            del meta[name]
    if not meta and "_meta" not in expected:
        del got["_meta"]


def _difference(expected: Any, got: Any) -> str:
    return "" if _matches(expected, got) else f"expected {short(expected)}, got {short(got)}"


def _matches(expected: Any, got: Any) -> bool:
    """Equal in type and value all the way down, where the expectation does not say that any id or text will do."""
    if expected in _ANY:
        return is_id(got) if "$id" in expected else isinstance(got, str)
    if type(expected) is not type(got):
        return False
    if isinstance(expected, dict):
        return expected.keys() == got.keys() and all(_matches(one, got[name]) for name, one in expected.items())
    if isinstance(expected, list):
        return len(expected) == len(got) and all(map(_matches, expected, got))
    return bool(expected == got)
