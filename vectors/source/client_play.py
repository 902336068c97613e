"""What the scenarios of clients share: the questions they play, and what their flags mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vectors.source.dialects import ANY_TEXT, SERVER_ID, Dialect, Form
from vectors.source.scripts import INITIALIZE_RESULT, Script, client, event_of, failure, result, rpc
from vectors.source.writing import Case, Note, Suite

CALL = {"name": "get_weather", "arguments": {"location": "New York"}}
RESULT = {"content": [{"type": "text", "text": "Partly cloudy"}], "isError": False}
FLAGS = (["support_encryption"], ["support_encryption_ephemeral"])
CHANGED = "notifications/tools/list_changed"
STRANGE = "ab" * 32  # the id of an event that nobody published

NOTES = {
    "Basic": Note("BASIC", "an ordinary conversation", "peers do not understand each other"),
    "Handshake": Note("BASIC", "initialize, its answer and initialized", "a client never gets to work"),
    "WhichServer": Note("EDGE_CASE", "several servers behind one key", "a client talks to a server it did not choose"),
    "Ids": Note("MALLEABILITY", "ids and tokens of the local client", "an answer reaches the wrong question"),
    "Author": Note("AUTH_BYPASS", "an answer that the asked key did not sign", "anyone answers for any server"),
    "Forged": Note("AUTH_BYPASS", "a signature that is not the author's", "anyone speaks as the server"),
    "Recipient": Note("AUTH_BYPASS", "a message for another key", "what a server tells others is believed"),
    "Correlation": Note("WIRE_SHAPE", "e names the request", "answers reach nobody, or the wrong caller"),
    "Replay": Note("AUTH_BYPASS", "an event that comes again", "one message counts twice"),
    "Time": Note("AUTH_BYPASS", "an event of another time", "old answers count as new ones"),
    "TimeOut": Note("MISSING_STEP", "a server that does not answer", "a caller waits for ever, or gives up too soon"),
    "Cancel": Note("MISSING_STEP", "a cancel by the local client", "work that nobody wants goes on"),
    "Progress": Note("EDGE_CASE", "progress in the forms that servers send", "a caller gives up a job that goes on"),
    "Salt": Note("MALLEABILITY", "equal messages in one second", "the second is lost as a repetition"),
    "ServerRequest": Note("BASIC", "a request of the server", "sampling, roots or pings never work"),
    "BadContent": Note("BASIC", "content that is no message", "two peers answer each other for ever"),
    "Limits": Note("RESOURCE", "more than may be held at once", "a server or a relay fills the client's memory"),
    "Numbers": Note("MALLEABILITY", "numbers that a float cannot hold", "another value than was sent is used"),
    "Money": Note("MISSING_STEP", "a demand for payment", "money is spent that nobody agreed to spend"),
    "Encryption": Note("CONFIDENTIALITY", "messages in wraps", "what must stay secret is sent in plain"),
    "Downgrade": Note("CONFIDENTIALITY", "plain text in place of a wrap", "a relay takes encryption away"),
    "Discovery": Note("BASIC", "tags on the first message", "peers never learn what the other can do"),
}  # fmt: skip


def suite(dialect: Dialect, title: str, cases: list[Case]) -> Suite:
    """The file of one revision."""
    used = {flag for case in cases for flag in case.flags}
    made = Suite(f"{dialect.name}/session-client", title, "1", {name: NOTES[name] for name in NOTES if name in used})
    made.group("session_client", *cases)
    return made


def start(dialect: Dialect, name: str, title: str, req: str, flags: str, **changes: Any) -> Script:
    """A script against a client of one revision; its id has the revision's prefix."""
    return client(dialect, f"{dialect.prefix}-client-{name}", title, req, flags, **changes)


def announced(s: Script, d: Dialect, **more: Any) -> dict[str, Any]:
    """The announcement of the server that the client talks to."""
    return s.signed("bob", d.announcement(INITIALIZE_RESULT, **more))


def knows(s: Script, d: Dialect) -> None:
    """The client knows its server from an announcement: with others, seeds 000, 003 and 001 have it begin by the
    handshake."""
    s.open["server"] = s.open["server"] | {"announcement": announced(s, d)}


@dataclass(frozen=True)
class Asked:
    """A request of the local client that was published."""

    step: int
    id: Any
    method: str
    wrap: int | None

    @property
    def event(self) -> str:
        return event_of(self.step)


def asks(
    s: Script,
    d: Dialect,
    id: Any = 3,
    method: str = "tools/call",
    params: Any = CALL,
    *,
    wrap: int | None = None,
    server_id: str | None = SERVER_ID,
    first: bool = False,
) -> Asked:
    """The local client asks, and its request is published. The first message may have discovery tags."""
    s.says(rpc(method, params, id))
    publishes(s, d, d.request(method, params, id, server_id=server_id), wrap, first=first)
    return Asked(s.now, id, method, wrap)


def publishes(s: Script, d: Dialect, form: Form, wrap: int | None = None, *, first: bool = False) -> None:
    """An event is published, in a wrap of this kind."""
    if d.name == "contextvm" and first and s.open["encryption"] != "disabled":
        form = form.with_optional(*(FLAGS if s.open["ephemeral_wraps"] else FLAGS[:1]))
    s.publishes(form, wrap=wrap)


def answer(
    s: Script,
    d: Dialect,
    asked: Asked,
    value: Any = None,
    *,
    role: str = "bob",
    ago: int = 0,
    server_id: str = SERVER_ID,
) -> int:
    """The server's answer arrives."""
    return s.signs(role, answer_form(d, asked, value, server_id=server_id), wrap=asked.wrap, ago=ago)


def answer_form(d: Dialect, asked: Asked, value: Any = None, *, server_id: str = SERVER_ID) -> Form:
    value = RESULT if value is None else value
    return d.response(asked.event, asked.id, value, method=asked.method, server_id=server_id)


def answered(s: Script, d: Dialect, asked: Asked, value: Any = None, **more: Any) -> None:
    """The server's answer arrives, and the local client gets it under its own id."""
    answer(s, d, asked, value, **more)
    s.delivers(result(asked.id, RESULT if value is None else value))


def lives(s: Script, d: Dialect, wrap: int | None = None, **more: Any) -> None:
    """The client still does its work."""
    answered(s, d, asks(s, d, "still there", "tools/list", {}, wrap=wrap, **more), {"tools": []})


def fails(s: Script, asked: Asked, data: Any = None) -> None:
    """The latest step tells the local client that its request failed on this side."""
    s.delivers(failure(asked.id, -32603, ANY_TEXT, data))


def cancels(s: Script, d: Dialect, asked: Asked, reason: str | None = None) -> None:
    """The latest step publishes a cancel."""
    publishes(s, d, d.cancel(asked.event, asked.id, reason=reason), asked.wrap)


__all__ = [
    "CALL", "CHANGED", "FLAGS", "NOTES", "RESULT", "STRANGE", "Asked", "announced", "answer", "answer_form", "answered",
    "asks", "cancels", "fails", "knows", "lives", "publishes", "start", "suite",
]  # fmt: skip
