"""What the scenarios of servers share: the calls they play, and what their flags mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vectors.source.dialects import ANY_ID, ANY_TEXT, Dialect, Form
from vectors.source.scripts import INITIALIZE, INITIALIZE_RESULT, Script, event_of, id_of, result, rpc, server
from vectors.source.writing import Case, Note, Suite, public

CALL = {"name": "get_weather", "arguments": {"location": "New York"}}
RESULT = {"content": [{"type": "text", "text": "Partly cloudy"}], "isError": False}
FLAGS = (["support_encryption"], ["support_encryption_ephemeral"])

NOTES = {
    "Basic": Note("BASIC", "an ordinary conversation", "peers do not understand each other"),
    "Handshake": Note("BASIC", "initialize and initialized, in any order or not at all", "a client never gets to work"),
    "Ids": Note("MALLEABILITY", "ids and tokens of several clients behind one MCP server", "answers go to strangers"),
    "Cancel": Note("MISSING_STEP", "a cancel, and whose it is", "work cannot be stopped, or a stranger stops it"),
    "BadContent": Note("BASIC", "content that is no request", "a client waits for ever, or two peers answer for ever"),
    "Recipient": Note("AUTH_BYPASS", "a message for another key", "a request runs where its sender never sent it"),
    "WhichServer": Note("EDGE_CASE", "several servers behind one key", "the wrong server does the work, or two do it"),
    "Forged": Note("AUTH_BYPASS", "a signature that is not the author's", "anyone acts as any client"),
    "Replay": Note("AUTH_BYPASS", "an event that comes again", "a request runs twice"),
    "Time": Note("AUTH_BYPASS", "an event from long ago, or from before the process", "old requests run again"),
    "Order": Note("EDGE_CASE", "messages out of order", "a relay's order decides what happens"),
    "Access": Note("AUTH_BYPASS", "a key that is not allowed", "strangers use a private server, or learn of it"),
    "Limits": Note("RESOURCE", "more than may be held at once", "a stranger takes the room of all others"),
    "Leak": Note("CONFIDENTIALITY", "what an MCP server says to one client", "others read along"),
    "Salt": Note("MALLEABILITY", "equal messages in one second", "the second is lost as a repetition"),
    "Money": Note("MISSING_STEP", "a price and its payment", "work is done without payment, or paid for twice"),
    "Numbers": Note("MALLEABILITY", "numbers that a float cannot hold", "another value than was sent is used"),
    "WhichRevision": Note("AMBIGUOUS", "a message that fits several revisions", "no answer comes, or work runs twice"),
    "ServerRequest": Note("BASIC", "a request of the MCP server to a client", "sampling, roots or pings never work"),
    "Encryption": Note("CONFIDENTIALITY", "messages in wraps", "what was encrypted is answered in plain"),
    "Rewrapped": Note("AUTH_BYPASS", "what a wrap holds was not made for it", "a captured request runs elsewhere"),
    "Announced": Note("BASIC", "what a server publishes of itself", "nobody finds it, or what it no longer has"),
    "Discovery": Note("BASIC", "tags on a server's first message", "a client never learns what a server can do"),
}  # fmt: skip


def suite(dialect: Dialect, title: str, cases: list[Case]) -> Suite:
    """The file of one revision."""
    used = {flag for case in cases for flag in case.flags}
    made = Suite(f"{dialect.name}/session-server", title, "1", {name: NOTES[name] for name in NOTES if name in used})
    made.group("session_server", *cases)
    return made


def start(dialect: Dialect, name: str, title: str, req: str, flags: str, **changes: Any) -> Script:
    """A script against a server of one revision; its id has the revision's prefix."""
    return server(dialect, f"{dialect.prefix}-server-{name}", title, req, flags, **changes)


def greets(s: Script, d: Dialect, role: str = "alice", wrap: int | None = None) -> None:
    """A client begins by the handshake, which seeds 000, 003 and 001 demand with servers that are not announced."""
    if d.name in ("dvmcp-rev1", "contextvm"):
        return
    event = s.arrives(role, d.initialize(INITIALIZE), wrap=wrap)
    answer = d.response(event, 0, INITIALIZE_RESULT, method="initialize", to=public(role))
    publishes(s, d, answer.with_optional(*FLAGS[: len(d.wraps)]), wrap)
    s.arrives(role, d.initialized(), wrap=wrap)


@dataclass(frozen=True)
class Asked:
    """A request that arrived and was delivered."""

    event: str
    step: int
    id: Any
    role: str
    wrap: int | None
    server: str
    client: str | None


def asks(
    s: Script,
    d: Dialect,
    role: str = "alice",
    id: Any = 3,
    method: str = "tools/call",
    params: Any = CALL,
    *,
    wrap: int | None = None,
    server_id: str = "server-1",
    own: bool = False,
    form: Form | None = None,
    token: Any = None,
) -> Asked:
    """A client's request arrives and is delivered to the MCP server under another id."""
    sent = params if token is None else {**params, "_meta": {"progressToken": token}}
    passed = params if token is None else {**params, "_meta": {"progressToken": ANY_ID}}
    event = s.arrives(role, form or d.request(method, sent, id, server_id=server_id), wrap=wrap)
    client = role if own else None
    s.delivers(rpc(method, passed, ANY_ID), server=server_id, client=client)
    return Asked(event, s.now, id, role, wrap, server_id, client)


def answered(
    s: Script, d: Dialect, asked: Asked, value: dict[str, Any] | None = None, *, method: str = "tools/call"
) -> None:
    """The MCP server answers, and the answer is published to who asked."""
    value = RESULT if value is None else value
    s.says(result(id_of(asked.step), value), server=asked.server, client=asked.client)
    form = d.response(asked.event, asked.id, value, method=method, to=public(asked.role), server_id=asked.server)
    publishes(s, d, form, asked.wrap)


def publishes(s: Script, d: Dialect, form: Form, wrap: int | None = None) -> None:
    """An event is published, in a wrap of this kind with the time that the revision gives wraps."""
    s.publishes(form, wrap=wrap)


def lives(s: Script, d: Dialect, role: str = "carol", **more: Any) -> None:
    """The server still does its work: a call is delivered and answered."""
    answered(s, d, asks(s, d, role, "still there", **more))


def refused(s: Script, d: Dialect, event: str, id: Any, code: int, *, to: str = "alice", **more: Any) -> None:
    """The latest step publishes an error."""
    s.publishes(d.error(event, id, code, to=public(to), **more))


__all__ = [
    "ANY_ID", "ANY_TEXT", "CALL", "FLAGS", "NOTES", "RESULT", "Asked", "answered", "asks", "event_of",
    "greets", "lives", "publishes", "refused", "start", "suite",
]  # fmt: skip
