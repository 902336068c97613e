"""What the scripts of subscriptions share. `Text` is one of the two texts of MCP: what differs between them stands there.

The wire form on Nostr is that of MCP.md section 4.2: e is the listen event everywhere; the subscription id in `_meta` is
the JSON-RPC id where it travels (a string in the older text), else the id of the listen event.

A script that shows what a text of MCP says demands nothing that is our own: in it `e` is left to the sender, and rules of
ours (SUBN, HOUSE) have scripts of their own. Where ids do not travel, all of it is our own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from vectors.source.dialects import ANY_TEXT, Dialect, Form
from vectors.source.scripts import Script, client, event_of, failure, mcp_server, result, rpc, server
from vectors.source.writing import Case, Note, Suite, public

Scenario = Callable[..., Case]

META = "io.modelcontextprotocol/"
SUBSCRIPTION_ID = META + "subscriptionId"
LISTEN = "subscriptions/listen"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
TOOLS = "notifications/tools/list_changed"
PROMPTS = "notifications/prompts/list_changed"
RESOURCES = "notifications/resources/list_changed"
UPDATED = "notifications/resources/updated"
URI = "file:///project/config.json"
TO_TOOLS = {"toolsListChanged": True}
TO_LISTS = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}
TO_ALL = {**TO_LISTS, "resourceSubscriptions": [URI]}

NOTES = {
    "Basic": Note("BASIC", "a subscription from its request to its end", "changes go unseen"),
    "Acknowledgement": Note("MISSING_STEP", "what is acknowledged, and when", "a client waits for what never comes"),
    "Order": Note("EDGE_CASE", "messages that relays have put out of order", "the first changes are lost"),
    "Repeated": Note("EDGE_CASE", "a message that comes again", "one change counts twice, or a state is set back"),
    "Ids": Note("MALLEABILITY", "the names of subscriptions", "a change reaches the wrong subscription, or none"),
    "Author": Note("AUTH_BYPASS", "messages of strangers", "anyone feeds or ends a subscription"),
    "Filter": Note("MISSING_STEP", "what was asked for, and what was not", "a client is sent what it did not ask for"),
    "End": Note("EDGE_CASE", "the end of a subscription, by either side", "a dead subscription is taken for a live one"),
    "Lost": Note("MISSING_STEP", "a subscription that is lost and opened anew", "changes in between are never noticed"),
    "Refused": Note("BASIC", "a listen request that is refused", "a client waits for ever"),
    "Limits": Note("RESOURCE", "more than may be held", "strangers fill the memory of a server or client"),
    "Extension": Note("EDGE_CASE", "members that the text does not name", "extensions do not travel"),
    "Encryption": Note("CONFIDENTIALITY", "a subscription in wraps", "changes are told in plain, or to nobody"),
    "Upstream": Note("BASIC", "an MCP server that knows subscriptions itself", "its own subscriptions do not travel"),
}  # fmt: skip


@dataclass(frozen=True)
class Text:
    """One text of MCP about subscriptions."""

    version: str
    prefix: str
    ledger: str
    strings: bool  # the subscription id is a string, whatever the request's id is
    has_result: bool  # a server ends a subscription with a result

    def meta(self) -> dict[str, Any]:
        return {
            META + "protocolVersion": self.version,
            META + "clientInfo": {"name": "ExampleClient", "version": "1.0.0"},
            META + "clientCapabilities": {},
        }

    def params(self, filter: Any) -> dict[str, Any]:
        return {"_meta": self.meta(), "notifications": filter}

    def local(self, id: Any) -> Any:
        """The subscription id for a request of this id."""
        return str(id) if self.strings else id

    @property
    def id(self) -> Any:
        """A request id of which both readings of the older text make the same subscription id."""
        return "1" if self.strings else 1

    def wire(self, d: Dialect, id: Any, event: str) -> Any:
        return self.local(id) if d.whole else event

    def rows(self, names: str) -> str:
        """Rows of the ledger: `ID-01` is of this text, `N:ID-01` on Nostr, `H:ID-05` a rule of the house."""
        made = []
        for name in names.split():
            first, _, rest = name.partition(":")
            if first == "N":
                made.append(f"SUBN-{rest}")
            elif first == "H":
                made.append(f"HOUSE-{rest}")
            elif first in ("D", "F"):
                made += [f"SUB{first}-{rest}"] if self.ledger == f"SUB{first}" else []
            else:
                made.append(f"{self.ledger}-{name}")
        return " ".join(made)


DRAFT = Text("DRAFT-2026-v1", "subd", "SUBD", True, False)
FINAL = Text("2026-07-28", "subf", "SUBF", False, True)


def suite(text: Text, name: str, title: str, cases: list[Case], server_cases: list[Case]) -> Suite:
    used = {flag for case in (*cases, *server_cases) for flag in case.flags}
    made = Suite(f"mcp/{name}", title, "1", {note: NOTES[note] for note in NOTES if note in used})
    made.group("session_client", *cases)
    if server_cases:
        made.group("session_server", *server_cases)
    return made


def listener(t: Text, d: Dialect, name: str, title: str, rows: str, flags: str, **changes: Any) -> Script:
    """A client that speaks this version of MCP."""
    id = f"{t.prefix}-{d.prefix}-client-{name}"
    return client(d, id, title, t.rows(rows), flags, mcp_version=t.version, **changes)


def feeder(t: Text, d: Dialect, name: str, title: str, rows: str, flags: str, **changes: Any) -> Script:
    """A server in front of a shared MCP server of 2025-03-26, which knows resources/subscribe alone."""
    id = f"{t.prefix}-{d.prefix}-server-{name}"
    changes = {"mcp_version": "2025-03-26", "servers": [mcp_server()]} | changes
    return server(d, id, title, t.rows(rows), flags, **changes)


def shows_text(s: Script) -> bool:
    """Whether a script shows what a text of MCP says."""
    return any(not row.startswith(("SUBN-", "HOUSE-")) for row in s.req.split())


def stamped(name: Any, params: dict[str, Any] | None = None) -> dict[str, Any]:
    """params of a notification of the subscription of this name."""
    return {"_meta": {SUBSCRIPTION_ID: name}, **(params or {})}


def last(name: Any) -> dict[str, Any]:
    """The result that ends a subscription."""
    return {"resultType": "complete", "_meta": {SUBSCRIPTION_ID: name}}


# A client's subscription


@dataclass(frozen=True)
class Sub:
    """A listen request that was published. `shared` is its JSON-RPC id on the wire."""

    step: int
    id: Any
    shared: Any
    wrap: int | None = None

    @property
    def event(self) -> str:
        return event_of(self.step)


def listens(
    s: Script, t: Text, d: Dialect, id: Any = 1, filter: Any = None, *, wrap: int | None = None, first: bool = False
) -> Sub:
    """The local client opens a subscription, and its request is published."""
    filter = TO_TOOLS if filter is None else filter
    s.says(rpc(LISTEN, t.params(filter), id))
    form = d.request(LISTEN, t.params(filter), id)
    if first and d.name == "contextvm":
        form = form.with_optional(["support_encryption"], ["support_encryption_ephemeral"])
    s.publishes(form, wrap=wrap)
    return Sub(s.now, id, id, wrap)


def told(
    s: Script, t: Text, d: Dialect, sub: Sub, method: str, params: Any = None, *, role: str = "bob", ago: int = 0,
    name: Any = None,
) -> int:  # fmt: skip
    """A notification of the subscription arrives."""
    name = t.wire(d, sub.shared, sub.event) if name is None else name
    form = d.to_client(method, stamped(name, params), request=sub.event)
    return s.signs(role, form, wrap=sub.wrap, ago=ago)


def hears(s: Script, t: Text, id: Any, method: str, params: Any = None) -> None:
    """The latest step delivers a notification, with the id that the local client knows."""
    s.delivers(rpc(method, stamped(t.local(id), params)))


def acknowledges(
    s: Script, t: Text, d: Dialect, sub: Sub, filter: Any = None, *, hear: Any = None, **more: Any
) -> None:
    """The acknowledgement arrives and is delivered, whole or as `hear` says."""
    filter = TO_TOOLS if filter is None else filter
    told(s, t, d, sub, ACKNOWLEDGED, {"notifications": filter}, **more)
    hears(s, t, sub.id, ACKNOWLEDGED, {"notifications": filter if hear is None else hear})


def changes(s: Script, t: Text, d: Dialect, sub: Sub, method: str = TOOLS, params: Any = None, **more: Any) -> None:
    """A change arrives and is delivered."""
    told(s, t, d, sub, method, params, **more)
    hears(s, t, sub.id, method, params)


def ends(s: Script, t: Text, d: Dialect, sub: Sub, name: Any = None, **more: Any) -> int:
    """The last result arrives."""
    name = t.wire(d, sub.shared, sub.event) if name is None else name
    return s.signs("bob", d.response(sub.event, sub.shared, last(name)), wrap=sub.wrap, **more)


def cancel_form(d: Dialect, event: str, id: Any) -> Form:
    """A client's cancel of a subscription: e is no option here."""
    form = d.cancel(event, id)
    return replace(form, optional=[tag for tag in form.optional if tag[0] != "e"])


def closes(s: Script, d: Dialect, sub: Sub) -> None:
    """The local client ends its subscription."""
    s.says(rpc("notifications/cancelled", {"requestId": sub.id}))
    form = d.cancel(sub.event, sub.shared) if shows_text(s) else cancel_form(d, sub.event, sub.shared)
    s.publishes(form, wrap=sub.wrap)


def lost(s: Script, id: Any, data: Any = None) -> None:
    """The latest step tells the local client that its subscription has failed."""
    s.delivers(failure(id, -32603, ANY_TEXT, data))


# A server's subscription


@dataclass(frozen=True)
class Feed:
    """A listen request that arrived."""

    event: str
    id: Any
    role: str
    name: Any
    wrap: int | None = None


def asks(
    s: Script, t: Text, d: Dialect, id: Any = 1, filter: Any = None, *, role: str = "alice", wrap: int | None = None,
    **more: Any,
) -> Feed:  # fmt: skip
    """A client's listen request arrives."""
    params = t.params(TO_TOOLS if filter is None else filter)
    event = s.arrives(role, d.request(LISTEN, params, id), wrap=wrap, **more)
    return Feed(event, id, role, t.wire(d, id, event), wrap)


def says(s: Script, d: Dialect, feed: Feed, method: str, params: Any = None) -> int:
    """The latest step publishes a notification of the subscription."""
    form = d.to_client(method, stamped(feed.name, params), request=feed.event, to=public(feed.role))
    if shows_text(s):
        form = replace(form, optional=[*form.optional, ["e", feed.event]])
    return s.publishes(form, wrap=feed.wrap)


def acked(s: Script, d: Dialect, feed: Feed, filter: Any = None, *, ok: bool = True) -> int:
    """The latest step publishes the acknowledgement; relays then take it."""
    step = says(s, d, feed, ACKNOWLEDGED, {"notifications": TO_TOOLS if filter is None else filter})
    if ok:
        s.ok(step)
    return step


def opens(s: Script, t: Text, d: Dialect, id: Any = 1, filter: Any = None, **more: Any) -> Feed:
    """A subscription is asked for, acknowledged, and open."""
    feed = asks(s, t, d, id, filter, **more)
    acked(s, d, feed, filter)
    return feed


def finished(s: Script, d: Dialect, feed: Feed) -> None:
    """The latest step publishes the last result."""
    form = d.response(feed.event, feed.id, last(feed.name), to=public(feed.role))
    s.publishes(form, wrap=feed.wrap)


def cancelled(s: Script, d: Dialect, feed: Feed, *, role: str | None = None) -> int:
    """A client's cancel arrives."""
    s.arrives(role or feed.role, cancel_form(d, feed.event, feed.id), wrap=feed.wrap)
    return s.now


__all__ = [
    "ACKNOWLEDGED", "DRAFT", "FINAL", "LISTEN", "META", "NOTES", "PROMPTS", "RESOURCES", "SUBSCRIPTION_ID", "TOOLS",
    "TO_ALL", "TO_LISTS", "TO_TOOLS", "UPDATED", "URI", "Feed", "Scenario", "Sub", "Text", "acked", "acknowledges", "asks",
    "cancel_form", "cancelled", "changes", "closes", "ends", "feeder", "finished", "hears", "last", "listener",
    "listens", "lost", "opens", "result", "says", "shows_text", "stamped", "suite", "told",
]  # fmt: skip
