"""Scenarios of servers in every revision: what a shared MCP server says of its own accord, and who hears of it."""

from __future__ import annotations

from vectors.source.dialects import ANY_ID, ANY_TEXT, Dialect
from vectors.source.scripts import INITIALIZE_RESULT, failure, id_of, mcp_server, result, rpc
from vectors.source.server_basics import URI
from vectors.source.server_handshake import INITIALIZED, OWN, hub_initialize
from vectors.source.server_play import CALL, answered, asks, lives, start
from vectors.source.writing import Case, public


def lists_change(d: Dialect, req: str = "") -> Case:
    s = start(d, "list-changed", "A changed list is told to every client that has a session, once each",
              f"HOUSE-ID-07 {req}", "Basic")  # fmt: skip
    s.says(rpc("notifications/tools/list_changed"))
    for role in ("alice", "carol"):
        answered(s, d, asks(s, d, role))
    s.says(rpc("notifications/tools/list_changed"))
    for role in ("alice", "carol"):
        s.publishes(d.to_client("notifications/tools/list_changed", to=public(role)))
    return s.case()


def lists_change_of_old(d: Dialect, req: str = "") -> Case:
    """Only MCP 2026-07-28, and the draft before it, have subscriptions to changes."""
    title = "Who names an MCP version that has no subscriptions is told of changes unasked"
    s = start(d, "list-changed-old", title, f"HOUSE-ID-07 {req}", "Basic")
    params = CALL | {"_meta": {"io.modelcontextprotocol/protocolVersion": "2025-11-25"}}
    answered(s, d, asks(s, d, params=params))
    s.says(rpc("notifications/tools/list_changed"))
    s.publishes(d.to_client("notifications/tools/list_changed"))
    return s.case()


def updates(d: Dialect, req: str = "") -> Case:
    s = start(d, "updated", "An updated resource is told to its subscribers and to nobody else",
              f"HOUSE-ID-06 {req}", "Leak")  # fmt: skip
    answered(s, d, asks(s, d, "dave"))
    first = asks(s, d, "alice", 1, "resources/subscribe", {"uri": URI})
    answered(s, d, first, {}, method="resources/subscribe")
    updated = rpc("notifications/resources/updated", {"uri": URI})
    s.says(updated)
    s.publishes(d.to_client("notifications/resources/updated", {"uri": URI}))
    second = s.arrives("carol", d.request("resources/subscribe", {"uri": URI}, 1))
    s.publishes(d.response(second, 1, {}, to=public("carol")))
    s.after(1).says(updated)
    for role in ("alice", "carol"):
        s.publishes(d.to_client("notifications/resources/updated", {"uri": URI}, to=public(role)))
    s.says(rpc("notifications/resources/updated", {"uri": "file:///elsewhere"}))
    left = s.arrives("alice", d.request("resources/unsubscribe", {"uri": URI}, 2))
    s.publishes(d.response(left, 2, {}))
    s.after(1).says(updated)
    s.publishes(d.to_client("notifications/resources/updated", {"uri": URI}, to=public("carol")))
    last = asks(s, d, "carol", 2, "resources/unsubscribe", {"uri": URI})
    answered(s, d, last, {}, method="resources/unsubscribe")
    s.after(1).says(updated)
    return s.case()


def subscription_fails(d: Dialect, req: str = "") -> Case:
    title = "A subscription that the MCP server refuses is none, and two of a key are one"
    s = start(d, "subscribe-fails", title, f"HOUSE-ID-06 {req}", "Leak")
    first = asks(s, d, "alice", 1, "resources/subscribe", {"uri": URI})
    s.says(failure(id_of(first.step), -32002, "Resource not found"))
    s.publishes(d.error(first.event, 1, -32002, "Resource not found"))
    s.says(rpc("notifications/resources/updated", {"uri": URI}))
    second = asks(s, d, "carol", 1, "resources/subscribe", {"uri": URI})
    answered(s, d, second, {}, method="resources/subscribe")
    again = s.after(1).arrives("carol", d.request("resources/subscribe", {"uri": URI}, 2))
    s.publishes(d.response(again, 2, {}, to=public("carol")))
    s.says(rpc("notifications/resources/updated", {"uri": URI}))
    s.publishes(d.to_client("notifications/resources/updated", {"uri": URI}, to=public("carol")))
    return s.case()


def subscription_withdrawn(d: Dialect, req: str = "") -> Case:
    title = "A subscription that is cancelled before its answer is none, and takes no room"
    s = start(d, "subscribe-cancelled", title, f"HOUSE-ID-06 {req}", "Leak Cancel", limits={"subscriptions": 1})
    event = s.arrives("alice", d.request("resources/subscribe", {"uri": URI}, 1))
    asked = s.delivers(rpc("resources/subscribe", {"uri": URI}, ANY_ID))
    s.arrives("alice", d.cancel(event, 1))
    s.delivers(rpc("notifications/cancelled", {"requestId": id_of(asked)}))
    s.says(rpc("notifications/resources/updated", {"uri": URI}))
    other = asks(s, d, "carol", 1, "resources/subscribe", {"uri": "file:///b"})
    answered(s, d, other, {}, method="resources/subscribe")
    return s.case()


def subscription_withdrawn_early(d: Dialect, req: str = "") -> Case:
    title = "A subscription that is cancelled while the MCP server is being started is none"
    s = start(d, "subscribe-cancelled-early", title, f"HOUSE-ID-06 {req}", "Leak Cancel",
              servers=OWN)  # fmt: skip
    event = s.arrives("alice", d.request("resources/subscribe", {"uri": URI}, 1))
    hello = s.delivers(hub_initialize(d), client="alice")
    s.arrives("alice", d.cancel(event, 1))
    s.says(result(id_of(hello), INITIALIZE_RESULT), client="alice")
    s.delivers(INITIALIZED, client="alice")
    s.says(rpc("notifications/resources/updated", {"uri": URI}), client="alice")
    return s.case()


def subscription_ignored(d: Dialect, req: str = "") -> Case:
    title = "A subscription that is refused without a word is none"
    s = start(d, "subscribe-ignored", title, f"HOUSE-ID-06 HOUSE-LIMIT-06 {req}", "Leak",
              servers=[mcp_server(capabilities={})], limits={"errors_per_second_per_key": 0})  # fmt: skip
    s.arrives("alice", d.request("resources/subscribe", {"uri": URI}, 1))
    s.says(rpc("notifications/resources/updated", {"uri": URI}))
    return s.case()


def shared_asks(d: Dialect, req: str = "") -> Case:
    title = "A ping of a shared MCP server is answered; what it asks of nobody is refused"
    s = start(d, "shared-asks", title, f"HOUSE-ID-06 {req}", "Leak")
    answered(s, d, asks(s, d))
    s.says(rpc("ping", None, "p-1"))
    s.delivers(result("p-1", {}))
    s.says(rpc("roots/list", None, 7))
    s.delivers(failure(7, -32601, ANY_TEXT))
    s.says(rpc("notifications/message", {"level": "info", "data": "whose is this?"}))
    lives(s, d)
    return s.case()
