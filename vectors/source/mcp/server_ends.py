"""The end of subscriptions at the server, encryption, and MCP servers that know subscriptions themselves."""

from __future__ import annotations

from typing import Any

from vectors.source.dialects import ANY_ID, ANY_TEXT, Dialect
from vectors.source.mcp.play import (
    ACKNOWLEDGED,
    LISTEN,
    PROMPTS,
    TO_TOOLS,
    TOOLS,
    UPDATED,
    URI,
    Text,
    acked,
    asks,
    cancelled,
    feeder,
    finished,
    last,
    opens,
    says,
    stamped,
)
from vectors.source.scripts import failure, id_of, mcp_server, result, rpc
from vectors.source.writing import Case, public

WRAP = 1059


def failing(t: Text, d: Dialect) -> Case:
    title = "A subscription ends after relays have failed to deliver several times in a row"
    s = feeder(t, d, "failing", title, "N:SERVE-12 N:SERVE-14 N:SERVE-18", "End", limits={"failures": 2})
    feed = opens(s, t, d)
    for accepted in (False, True, False):
        s.after(1)
        s.says(rpc(TOOLS))
        step = says(s, d, feed, TOOLS)
        s.ok(step, accepted, "" if accepted else "mute: nobody listens")
    s.after(1)
    s.says(rpc(TOOLS))
    step = says(s, d, feed, TOOLS)
    s.ok(step, False, "mute: nobody listens")
    if t.has_result:
        finished(s, d, feed)
    s.says(rpc(TOOLS))
    return s.case()


def lease(t: Text, d: Dialect) -> Case:
    title = "A subscription outlives the last request of its key by the length of the lease"
    rows = "N:SERVE-13 N:SERVE-14 N:SERVE-18"
    s = feeder(t, d, "lease", title, rows, "End", timers={"lease": 100, "session": 10_000})
    feed = opens(s, t, d)
    s.tick(90)
    s.arrives("alice", d.request("ping", None, 2))
    s.delivers(rpc("ping", None, ANY_ID))
    s.tick(90)
    s.says(rpc(TOOLS))
    says(s, d, feed, TOOLS)
    s.tick(10)
    if t.has_result:
        finished(s, d, feed)
    s.says(rpc(TOOLS))
    return s.case()


def stopped(t: Text, d: Dialect) -> Case:
    title = "A server that stops ends a subscription by the last result, where there is one"
    rows = "END-01 END-02 END-05 END-06" if d.whole and t.has_result else "N:SERVE-16 N:SERVE-18"
    s = feeder(t, d, "stop", title, rows, "End", level="SHOULD")
    feed = opens(s, t, d)
    s.after(1).stop()
    if t.has_result:
        finished(s, d, feed)
    return s.case()


def stopped_waiting(t: Text, d: Dialect) -> Case:
    title = "A server that stops sends what waits and the last result, and no cancel"
    s = feeder(t, d, "stop-waiting", title, "N:SERVE-15 N:SERVE-16", "End")
    feed = opens(s, t, d)
    other = asks(s, t, d, 2, {"promptsListChanged": True})
    acked(s, d, other, {"promptsListChanged": True}, ok=False)
    s.says(rpc(PROMPTS))
    s.after(1).stop()
    says(s, d, other, PROMPTS)
    if t.has_result:
        finished(s, d, feed)
        finished(s, d, other)
    return s.case()


def stopped_by_cancel(t: Text, d: Dialect, teardown: str) -> Case:
    title = f"A server that is told to ({teardown}) ends a subscription by a cancel"
    s = feeder(t, d, f"stop-{teardown}", title, "F:END-08 N:SERVE-16", "End", teardown=teardown)
    feed = opens(s, t, d)
    s.after(1).stop()
    s.publishes(d.server_cancel(feed.event, feed.id))
    if t.has_result and teardown == "both":
        finished(s, d, feed)
    return s.case()


def ended_while_asking(t: Text, d: Dialect) -> Case:
    title = "A subscription that ends before its acknowledgement ends with an error"
    rows = "N:SERVE-13 N:SERVE-15 N:TAG-02"
    s = feeder(t, d, "end-while-asking", title, rows, "End", timers={"lease": 100})
    uris = ("file:///a", "file:///b")
    feeds = []
    for number, uri in enumerate(uris):
        feeds.append(asks(s, t, d, number, {"resourceSubscriptions": [uri]}, role=("alice", "carol")[number]))
        s.delivers(rpc("resources/subscribe", {"uri": uri}, ANY_ID))
        s.after(60)
    s.says(rpc(UPDATED, {"uri": uris[0]}))
    s.tick(0)
    s.publishes(d.error(feeds[0].event, 0, -32603, ANY_TEXT))
    s.delivers(rpc("resources/unsubscribe", {"uri": uris[0]}, ANY_ID))
    s.says(result(id_of(0), {}))
    s.after(1).stop()
    s.publishes(d.error(feeds[1].event, 1, -32603, ANY_TEXT, to=public("carol")))
    s.delivers(rpc("resources/unsubscribe", {"uri": uris[1]}, ANY_ID))
    return s.case()


def cancelled_early(t: Text, d: Dialect) -> Case:
    title = "A cancel counts before the acknowledgement is made, and before a relay took it"
    rows = "N:SERVE-11"
    s = feeder(t, d, "cancel-early", title, rows, "End Order")
    asked = asks(s, t, d, 1, {"resourceSubscriptions": [URI]})
    s.delivers(rpc("resources/subscribe", {"uri": URI}, ANY_ID))
    cancelled(s, d, asked)
    s.delivers(rpc("resources/unsubscribe", {"uri": URI}, ANY_ID))
    s.says(result(id_of(0), {}))
    feed = asks(s, t, d, 2)
    step = acked(s, d, feed, ok=False)
    s.says(rpc(TOOLS))
    cancelled(s, d, feed)
    s.ok(step)
    s.says(rpc(TOOLS))
    s.tick(10)
    return s.case()


def restarted(t: Text, d: Dialect) -> Case:
    title = "A server that has started anew knows no subscription of before"
    s = feeder(t, d, "restart", title, "RE-02", "Lost")
    opens(s, t, d, t.id)
    s.after(1)
    s.restart()
    s.says(rpc(TOOLS))
    opens(s, t, d, "2")
    return s.case()


def bounded(t: Text, d: Dialect) -> Case:
    title = "More changes than may wait end a subscription"
    s = feeder(t, d, "bounded", title, "N:SERVE-14", "Limits", limits={"held": 1})
    filter = {"toolsListChanged": True, "promptsListChanged": True}
    feed = asks(s, t, d, 1, filter)
    acked(s, d, feed, filter, ok=False)
    s.says(rpc(TOOLS))
    s.says(rpc(PROMPTS))
    if t.has_result:
        finished(s, d, feed)
    s.tick(10)
    return s.case()


def wrapped(t: Text, d: Dialect) -> Case:
    title = "In wraps, e is the id of the listen request inside"
    s = feeder(t, d, "wrapped", title, "N:ID-07 N:TAG-01", "Encryption", encryption="optional")
    feed = asks(s, t, d, wrap=WRAP)
    form = d.to_client(ACKNOWLEDGED, stamped(feed.name, {"notifications": TO_TOOLS}), request=feed.event)
    if d.name == "contextvm":
        form = form.with_optional(["support_encryption"], ["support_encryption_ephemeral"])
    step = s.publishes(form, wrap=WRAP)
    s.ok(step)
    s.says(rpc(TOOLS))
    says(s, d, feed, TOOLS)
    cancelled(s, d, feed)
    s.says(rpc(TOOLS))
    s.after(50).again(feed.event, wrap=WRAP)
    s.after(50).again(feed.event, wrap=WRAP)
    s.says(rpc(TOOLS))
    return s.case()


# An MCP server that knows subscriptions/listen


def upstream(t: Text, d: Dialect, name: str, title: str, rows: str, **changes: Any) -> Any:
    changes = {"mcp_version": t.version, "servers": [mcp_server()]} | changes
    return feeder(t, d, name, title, rows, "Upstream", **changes)


def passed_on(t: Text, d: Dialect) -> Case:
    title = "The MCP server's own acknowledgement, changes and end are passed on"
    rows = "OPEN-01 OPEN-02 ACK-04 ID-01 ID-02 F:END-01" if d.whole else "N:ID-05 N:SERVE-10"
    s = upstream(t, d, "passed-on", title, rows)
    feed = asks(s, t, d, "7")
    asked = s.delivers(rpc(LISTEN, t.params(TO_TOOLS), ANY_ID))
    name = id_of(asked)
    s.says(rpc(ACKNOWLEDGED, stamped(name, {"notifications": {**TO_TOOLS, "promptsListChanged": True}})))
    acked(s, d, feed)
    s.says(rpc(TOOLS, stamped(name)))
    says(s, d, feed, TOOLS)
    s.says(rpc(PROMPTS, stamped(name)))
    s.says(rpc(TOOLS, stamped("nobody's")))
    if t.has_result:
        s.says(result(id_of(asked), last(name)))
        finished(s, d, feed)
    return s.case()


def passed_on_withdrawal(t: Text, d: Dialect) -> Case:
    """By the cancel of a server that tears a subscription down (AMB-405); the client is told in the way of its text."""
    title = "A cancel by the MCP server ends a subscription"
    s = upstream(t, d, "withdrawal-passed-on", title, "N:SERVE-17" if t.has_result else "N:SERVE-17 N:SERVE-18")
    feed = asks(s, t, d, "7")
    asked = s.delivers(rpc(LISTEN, t.params(TO_TOOLS), ANY_ID))
    s.says(rpc(ACKNOWLEDGED, stamped(id_of(asked), {"notifications": TO_TOOLS})))
    acked(s, d, feed)
    s.says(rpc("notifications/cancelled", {"requestId": id_of(asked)}))
    if t.has_result:
        finished(s, d, feed)
    s.says(rpc(TOOLS, stamped(id_of(asked))))
    s.says(result(id_of(asked), {"_meta": {"io.modelcontextprotocol/subscriptionId": id_of(asked)}}))
    cancelled(s, d, feed)
    return s.case()


def passed_on_twice(t: Text, d: Dialect) -> Case:
    title = "A second acknowledgement of the MCP server changes nothing and is not passed on"
    s = upstream(t, d, "acknowledged-twice", title, "N:SERVE-10", servers=[mcp_server(shared=False)])
    feed = asks(s, t, d, 7)
    asked = s.delivers(rpc(LISTEN, t.params(TO_TOOLS), ANY_ID), client="alice")
    s.says(rpc(ACKNOWLEDGED, stamped(id_of(asked), {"notifications": TO_TOOLS})), client="alice")
    acked(s, d, feed)
    s.says(rpc(ACKNOWLEDGED, stamped(id_of(asked), {"notifications": {}})), client="alice")
    s.says(rpc(TOOLS, stamped(id_of(asked))), client="alice")
    says(s, d, feed, TOOLS)
    return s.case()


def passed_on_apart(t: Text, d: Dialect) -> Case:
    title = "What the MCP server says on one subscription is told on no other"
    s = upstream(t, d, "passed-on-apart", title, "N:SERVE-09 N:SERVE-10")
    names = []
    for id, filter in ((1, TO_TOOLS), (2, {"promptsListChanged": True})):
        feed = asks(s, t, d, id, filter)
        asked = s.delivers(rpc(LISTEN, t.params(filter), ANY_ID))
        names.append(id_of(asked))
        s.says(rpc(ACKNOWLEDGED, stamped(id_of(asked), {"notifications": filter})))
        acked(s, d, feed, filter)
    s.says(rpc(PROMPTS, stamped(names[0])))
    s.says(rpc(PROMPTS, stamped(names[1])))
    says(s, d, feed, PROMPTS)
    return s.case()


def passed_on_extension(t: Text, d: Dialect) -> Case:
    title = "A filter member that the text does not name reaches the MCP server"
    s = upstream(t, d, "extension-passed-on", title, "N:FILT-01")
    filter = {"toolsListChanged": True, "taskIds": ["task-1"]}
    feed = asks(s, t, d, 7, filter)
    asked = s.delivers(rpc(LISTEN, t.params(filter), ANY_ID))
    s.says(rpc(ACKNOWLEDGED, stamped(id_of(asked), {"notifications": filter})))
    acked(s, d, feed, filter)
    task = {"taskId": "task-1", "status": "working"}
    s.says(rpc("notifications/tasks", stamped(id_of(asked), task)))
    says(s, d, feed, "notifications/tasks", task)
    return s.case()


def passed_on_end(t: Text, d: Dialect) -> Case:
    """Only where a subscription has a last result."""
    title = "An end by the MCP server passes on the changes that wait, or else an error"
    s = upstream(t, d, "end-passed-on", title, "N:SERVE-15")
    feed = asks(s, t, d, 7)
    asked = s.delivers(rpc(LISTEN, t.params(TO_TOOLS), ANY_ID))
    s.says(rpc(ACKNOWLEDGED, stamped(id_of(asked), {"notifications": TO_TOOLS})))
    acked(s, d, feed, ok=False)
    s.says(rpc(TOOLS, stamped(id_of(asked))))
    s.says(result(id_of(asked), last(id_of(asked))))
    says(s, d, feed, TOOLS)
    finished(s, d, feed)
    cancelled(s, d, feed)
    s.says(rpc(TOOLS, stamped(id_of(asked))))
    other = asks(s, t, d, 8)
    asked = s.delivers(rpc(LISTEN, t.params(TO_TOOLS), ANY_ID))
    s.says(result(id_of(asked), last(id_of(asked))))
    s.publishes(d.error(other.event, 8, -32603, ANY_TEXT))
    return s.case()


def passed_on_cancel(t: Text, d: Dialect) -> Case:
    title = "The client's cancel reaches the MCP server under the number it knows"
    rows = "CAN-02" if d.whole and t.has_result else "N:SERVE-11"
    s = upstream(t, d, "cancel-passed-on", title, rows, level="SHOULD")
    feed = asks(s, t, d, "7")
    asked = s.delivers(rpc(LISTEN, t.params(TO_TOOLS), ANY_ID))
    s.says(rpc(ACKNOWLEDGED, stamped(id_of(asked), {"notifications": TO_TOOLS})))
    acked(s, d, feed)
    cancelled(s, d, feed)
    s.delivers(rpc("notifications/cancelled", {"requestId": id_of(asked)}))
    s.says(rpc(TOOLS, stamped(id_of(asked))))
    return s.case()


def passed_on_late(t: Text, d: Dialect) -> Case:
    title = "The MCP server's answer to a listen request that was cancelled reaches nobody"
    s = upstream(t, d, "late-answer", title, "N:SERVE-11 N:SERVE-17")
    feed = asks(s, t, d, 7)
    asked = s.delivers(rpc(LISTEN, t.params(TO_TOOLS), ANY_ID))
    s.says(rpc(ACKNOWLEDGED, stamped(id_of(asked), {"notifications": TO_TOOLS})))
    acked(s, d, feed)
    cancelled(s, d, feed)
    s.delivers(rpc("notifications/cancelled", {"requestId": id_of(asked)}))
    s.says(failure(id_of(asked), -32603, "cancelled"))
    return s.case()


def passed_on_error(t: Text, d: Dialect) -> Case:
    title = "The MCP server's refusal reaches the client, and nothing is acknowledged"
    s = upstream(t, d, "refusal-passed-on", title, "N:SERVE-03 N:TAG-02")
    feed = asks(s, t, d, 7)
    asked = s.delivers(rpc(LISTEN, t.params(TO_TOOLS), ANY_ID))
    s.says(failure(id_of(asked), -32603, "no room"))
    s.publishes(d.error(feed.event, 7, -32603, "no room"))
    return s.case()


def other_version(t: Text, d: Dialect, code: int, other: str) -> Case:
    title = "A version that the MCP server does not speak is refused, with those that it does"
    s = upstream(t, d, "version", title, "N:SERVE-02")
    meta = {**t.meta(), "io.modelcontextprotocol/protocolVersion": other}
    event = s.arrives("alice", d.request(LISTEN, {"_meta": meta, "notifications": TO_TOOLS}, 1))
    s.publishes(d.error(event, 1, code, ANY_TEXT, {"supported": [t.version], "requested": other}))
    return s.case()
