"""Subscriptions at the server: MCP.md section 4.4, row by row. Behind it is an MCP server of 2025-03-26."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vectors.source import server_handshake
from vectors.source import server_play as played
from vectors.source.dialects import ANY_ID, ANY_TEXT, Dialect
from vectors.source.mcp.play import (
    LISTEN,
    PROMPTS,
    RESOURCES,
    TO_ALL,
    TO_LISTS,
    TO_TOOLS,
    TOOLS,
    UPDATED,
    URI,
    Feed,
    Text,
    acked,
    asks,
    cancel_form,
    cancelled,
    feeder,
    finished,
    opens,
    says,
    stamped,
)
from vectors.source.scripts import INITIALIZE_RESULT, failure, id_of, mcp_server, result, rpc
from vectors.source.writing import Case, public

TO_RESOURCE = {"resourceSubscriptions": [URI]}
OWN = [mcp_server(shared=False)]


def hub_initialize(d: Dialect) -> dict[str, Any]:
    """The handshake that the hub begins with an MCP server of `feeder`."""
    return server_handshake.hub_initialize(replace(d, mcp_version="2025-03-26"))


def opened(t: Text, d: Dialect) -> Case:
    title = "A subscription is acknowledged; its changes are published with its e and name"
    rows = "N:ID-04 N:ID-05 N:TAG-01 N:TAG-02 H:ID-05"
    if d.whole:
        rows = "OPEN-01 OPEN-02 ACK-01 ACK-04 ID-01 ID-02 FILT-03 FILT-04 FILT-05 D:OPEN-03 D:OPEN-04 F:ACK-02"
    s = feeder(t, d, "open", title, rows, "Basic")
    feed = asks(s, t, d, t.id, TO_LISTS)
    acked(s, d, feed, TO_LISTS)
    for method in (TOOLS, PROMPTS, RESOURCES):
        s.says(rpc(method))
        says(s, d, feed, method)
    return s.case()


def watched(t: Text, d: Dialect) -> Case:
    """Before it acknowledges, the hub asks the MCP server; one that does so after it is right, too."""
    title = "A resource is watched at the MCP server, and its changes are published"
    rows = "FILT-06 ACK-04 ID-01 ID-02" if d.whole else "N:ID-04 N:ID-05"
    s = feeder(t, d, "watched", title, rows, "Basic", level="MAY")
    feed = asks(s, t, d, t.id, TO_ALL)
    asked = s.delivers(rpc("resources/subscribe", {"uri": URI}, ANY_ID))
    s.says(result(id_of(asked), {}))
    acked(s, d, feed, TO_ALL)
    s.says(rpc(UPDATED, {"uri": URI}))
    says(s, d, feed, UPDATED, {"uri": URI})
    return s.case()


def narrowed(t: Text, d: Dialect) -> Case:
    title = "What the MCP server does not offer is left out of the acknowledgement"
    capabilities = {"tools": {"listChanged": True}, "prompts": {}, "resources": {"subscribe": False}}
    servers = [mcp_server(capabilities=capabilities)]
    s = feeder(t, d, "narrowed", title, "ACK-04 ACK-07", "Acknowledgement", servers=servers, level="SHOULD")
    feed = asks(s, t, d, t.id, TO_ALL)
    acked(s, d, feed, TO_TOOLS)
    s.says(rpc(PROMPTS))
    s.says(rpc(TOOLS))
    says(s, d, feed, TOOLS)
    return s.case()


def failed_resource(t: Text, d: Dialect) -> Case:
    title = "A resource that the MCP server refuses is left out of the acknowledgement"
    s = feeder(t, d, "refused-resource", title, "ACK-04 ACK-07", "Acknowledgement", level="SHOULD")
    feed = asks(s, t, d, t.id, {**TO_TOOLS, **TO_RESOURCE})
    asked = s.delivers(rpc("resources/subscribe", {"uri": URI}, ANY_ID))
    s.says(failure(id_of(asked), -32002, "Resource not found"))
    acked(s, d, feed, TO_TOOLS)
    s.says(rpc(UPDATED, {"uri": URI}))
    return s.case()


def refused_let_go(t: Text, d: Dialect) -> Case:
    title = "A resource that the MCP server refused is not let go at the end"
    s = feeder(t, d, "refused-let-go", title, "N:SERVE-11", "End")
    feed = asks(s, t, d, 1, {**TO_TOOLS, **TO_RESOURCE})
    asked = s.delivers(rpc("resources/subscribe", {"uri": URI}, ANY_ID))
    s.says(failure(id_of(asked), -32002, "Resource not found"))
    acked(s, d, feed, TO_TOOLS)
    cancelled(s, d, feed)
    return s.case()


def asked_for(t: Text, d: Dialect) -> Case:
    title = "Nothing is sent that was not asked for; false asks for nothing"
    s = feeder(t, d, "asked-for", title, "OPEN-02 FILT-07 F:FILT-02 F:SCOPE-01", "Filter")
    feed = asks(s, t, d, t.id, {"toolsListChanged": True, "promptsListChanged": False, "resourceSubscriptions": []})
    acked(s, d, feed, TO_TOOLS)
    s.says(rpc(PROMPTS))
    s.says(rpc(RESOURCES))
    s.says(rpc(UPDATED, {"uri": URI}))
    s.says(rpc("notifications/message", {"level": "info", "data": "hello"}))
    s.says(rpc("notifications/progress", {"progressToken": t.id, "progress": 1}))
    s.says(rpc(TOOLS))
    says(s, d, feed, TOOLS)
    return s.case()


def not_asked(t: Text, d: Dialect) -> Case:
    title = "A client of this version that has asked for no changes is told of none"
    s = feeder(t, d, "not-asked", title, "OPEN-02", "Filter")
    event = s.arrives("alice", d.request("tools/list", {"_meta": t.meta()}, 1))
    asked = s.delivers(rpc("tools/list", {"_meta": t.meta()}, ANY_ID))
    s.says(result(id_of(asked), {"tools": []}))
    s.publishes(d.response(event, 1, {"tools": []}))
    s.says(rpc(TOOLS))
    s.says(rpc(UPDATED, {"uri": URI}))
    return s.case()


def unknown_member(t: Text, d: Dialect) -> Case:
    title = "A filter member that nobody here knows is not acknowledged, and does no harm"
    s = feeder(t, d, "unknown-member", title, "ACK-07", "Extension", level="SHOULD")
    feed = asks(s, t, d, t.id, {"toolsListChanged": True, "taskIds": ["task-1"]})
    acked(s, d, feed, TO_TOOLS)
    s.says(rpc(TOOLS))
    says(s, d, feed, TOOLS)
    return s.case()


def nothing_honoured(t: Text, d: Dialect) -> Case:
    title = "Where nothing can be honoured, nothing is acknowledged, and that is the end"
    s = feeder(t, d, "nothing", title, "N:SERVE-19", "Acknowledgement")
    feed = asks(s, t, d, 1, {})
    acked(s, d, feed, {}, ok=False)
    if t.has_result:
        finished(s, d, feed)
    s.says(rpc(TOOLS))
    return s.case()


def unconfirmed(t: Text, d: Dialect) -> Case:
    title = "Changes wait until a relay has taken the acknowledgement, or a time is up"
    rows = "N:SERVE-04 N:SERVE-05"
    s = feeder(t, d, "unconfirmed", title, rows, "Order Acknowledgement")
    feed = asks(s, t, d)
    step = acked(s, d, feed, ok=False)
    s.says(rpc(TOOLS))
    s.ok(step)
    says(s, d, feed, TOOLS)
    other = asks(s, t, d, 2, {"promptsListChanged": True})
    acked(s, d, other, {"promptsListChanged": True}, ok=False)
    s.says(rpc(PROMPTS))
    s.tick(4)
    s.tick(1)
    says(s, d, other, PROMPTS)
    return s.case()


def before_agreement(t: Text, d: Dialect) -> Case:
    title = "A change while the MCP server is still being asked is not missed"
    s = feeder(t, d, "gathered", title, "N:SERVE-04", "Order")
    feed = asks(s, t, d, 1, {**TO_TOOLS, **TO_RESOURCE})
    asked = s.delivers(rpc("resources/subscribe", {"uri": URI}, ANY_ID))
    s.says(rpc(TOOLS))
    s.says(result(id_of(asked), {}))
    step = acked(s, d, feed, {**TO_TOOLS, **TO_RESOURCE}, ok=False)
    s.ok(step)
    says(s, d, feed, TOOLS)
    return s.case()


def kept_and_not_honoured(t: Text, d: Dialect) -> Case:
    title = "Of the changes while the MCP server is asked only what is then honoured is told"
    capabilities = {"tools": {"listChanged": True}, "prompts": {}, "resources": {"subscribe": True}}
    servers = [mcp_server(capabilities=capabilities)]
    s = feeder(t, d, "kept-and-not-honoured", title, "N:SERVE-04 N:SERVE-10", "Order Filter", servers=servers)
    feed = asks(s, t, d, 1, {**TO_TOOLS, "promptsListChanged": True, **TO_RESOURCE})
    asked = s.delivers(rpc("resources/subscribe", {"uri": URI}, ANY_ID))
    s.says(rpc(PROMPTS))
    s.says(rpc(TOOLS))
    s.says(result(id_of(asked), {}))
    step = acked(s, d, feed, {**TO_TOOLS, **TO_RESOURCE}, ok=False)
    s.ok(step)
    says(s, d, feed, TOOLS)
    return s.case()


def refused_by_relays(t: Text, d: Dialect) -> Case:
    title = "An acknowledgement that no relay takes ends the subscription"
    s = feeder(t, d, "not-taken", title, "N:SERVE-06", "Acknowledgement End")
    feed = asks(s, t, d)
    step = acked(s, d, feed, ok=False)
    s.says(rpc(TOOLS))
    s.ok(step, False, "blocked: not here")
    s.says(rpc(TOOLS))
    s.tick(10)
    return s.case()


def repeated(t: Text, d: Dialect) -> Case:
    title = "The same listen event again gets no second acknowledgement"
    s = feeder(t, d, "repeated", title, "N:SERVE-07 N:SERVE-17", "Repeated")
    feed = opens(s, t, d)
    s.again(feed.event)
    s.says(rpc(TOOLS))
    says(s, d, feed, TOOLS)
    cancelled(s, d, feed)
    s.after(59).again(feed.event)
    s.says(rpc(TOOLS))
    return s.case()


def stale(t: Text, d: Dialect) -> Case:
    title = "A listen request that is not fresh is met with silence"
    s = feeder(t, d, "stale", title, "N:SERVE-01", "Repeated")
    asks(s, t, d, ago=61)
    feed = opens(s, t, d, 2)
    s.says(rpc(TOOLS))
    says(s, d, feed, TOOLS)
    return s.case()


def cancelled_before(t: Text, d: Dialect) -> Case:
    title = "A cancel that overtakes its listen request counts"
    s = feeder(t, d, "overtaken", title, "N:SERVE-08", "Order End")
    event = s.signed("alice", d.request(LISTEN, t.params(TO_TOOLS), 1))
    s.arrives("alice", cancel_form(d, event["id"], 1))
    s.raw(event)
    s.says(rpc(TOOLS))
    return s.case()


def cancelled_by_client(t: Text, d: Dialect) -> Case:
    title = "After the client's cancel nothing more is sent, and no response"
    rows = "CAN-01 F:CAN-07 F:CAN-08" if d.whole else "N:SERVE-11 N:SERVE-17 N:TAG-03"
    s = feeder(t, d, "cancel", title, rows, "End")
    feed = opens(s, t, d, t.id)
    cancelled(s, d, feed)
    s.says(rpc(TOOLS))
    s.tick(100)
    return s.case()


def cancelled_frees(t: Text, d: Dialect) -> Case:
    title = "After the client's cancel the MCP server is told that nobody wants the resource"
    rows = "CAN-02 CAN-06" if t.has_result else "N:SERVE-11"
    s = feeder(t, d, "cancel-frees", title, rows, "End", level="SHOULD")
    both = {**TO_TOOLS, **TO_RESOURCE}
    feed = asks(s, t, d, t.id, both)
    asked = s.delivers(rpc("resources/subscribe", {"uri": URI}, ANY_ID))
    s.says(result(id_of(asked), {}))
    acked(s, d, feed, both)
    cancelled(s, d, feed)
    ended = s.delivers(rpc("resources/unsubscribe", {"uri": URI}, ANY_ID))
    s.says(result(id_of(ended), {}))
    s.says(rpc(TOOLS))
    s.says(rpc(UPDATED, {"uri": URI}))
    return s.case()


def cancelled_by_stranger(t: Text, d: Dialect) -> Case:
    title = "A cancel counts only from the key that opened the subscription"
    s = feeder(t, d, "stranger", title, "N:AUTH-02", "Author")
    feed = opens(s, t, d)
    cancelled(s, d, feed, role="mallory")
    s.says(rpc(TOOLS))
    says(s, d, feed, TOOLS)
    return s.case()


def cancelled_nothing(t: Text, d: Dialect) -> Case:
    title = "A cancel of what is unknown or has ended, or a malformed one, changes nothing"
    s = feeder(t, d, "cancel-nothing", title, "CAN-03" if t.has_result else "N:SERVE-17", "End", level="SHOULD")
    feed = opens(s, t, d, t.id)
    s.arrives("alice", cancel_form(d, "ab" * 32, 9))
    malformed = rpc("notifications/cancelled", {"requestId": None})
    s.arrives("alice", cancel_form(d, feed.event, t.id).without("e").saying(d.body(malformed)))
    s.says(rpc(TOOLS))
    says(s, d, feed, TOOLS)
    s.after(1)
    cancelled(s, d, feed)
    s.after(1)
    cancelled(s, d, feed)
    s.says(rpc(TOOLS))
    return s.case()


def several(t: Text, d: Dialect) -> Case:
    title = "Subscriptions of two clients under one id, and two of one client, are fed apart"
    s = feeder(t, d, "several", title, "N:ID-01 N:SERVE-09 N:TAG-01", "Ids")
    alice = opens(s, t, d, 1)
    carol = opens(s, t, d, 1, role="carol")
    second = opens(s, t, d, 2, {"promptsListChanged": True})
    s.says(rpc(TOOLS))
    says(s, d, alice, TOOLS)
    says(s, d, carol, TOOLS)
    s.says(rpc(PROMPTS))
    says(s, d, second, PROMPTS)
    cancelled(s, d, alice)
    s.after(1)
    s.says(rpc(TOOLS))
    says(s, d, carol, TOOLS)
    return s.case()


def one_watch(t: Text, d: Dialect) -> Case:
    title = "A resource that two subscriptions want is asked for once, and let go once"
    s = feeder(t, d, "one-watch", title, "N:SERVE-09", "Ids")
    alice = asks(s, t, d, 1, TO_RESOURCE)
    asked = s.delivers(rpc("resources/subscribe", {"uri": URI}, ANY_ID))
    s.says(result(id_of(asked), {}))
    acked(s, d, alice, TO_RESOURCE)
    carol = opens(s, t, d, 1, TO_RESOURCE, role="carol")
    s.says(rpc(UPDATED, {"uri": URI}))
    says(s, d, alice, UPDATED, {"uri": URI})
    says(s, d, carol, UPDATED, {"uri": URI})
    s.says(rpc(UPDATED, {"uri": "file:///project/other.json"}))
    cancelled(s, d, alice)
    s.after(1)
    s.says(rpc(UPDATED, {"uri": URI}))
    says(s, d, carol, UPDATED, {"uri": URI})
    cancelled(s, d, carol)
    s.delivers(rpc("resources/unsubscribe", {"uri": URI}, ANY_ID))
    return s.case()


def foreign_name(t: Text, d: Dialect) -> Case:
    title = "A subscription id of an MCP server that knows no subscriptions names none"
    s = feeder(t, d, "foreign-name", title, "N:SERVE-09", "Ids")
    feed = opens(s, t, d)
    s.says(rpc(TOOLS, stamped("nobody's")))
    says(s, d, feed, TOOLS)
    return s.case()


def part_of_a_resource(t: Text, d: Dialect) -> Case:
    title = "An update of a part of a resource is told to who subscribed to the whole"
    s = feeder(t, d, "sub-resource", title, "N:SERVE-10", "Filter")
    filter = {"resourceSubscriptions": ["file:///project"]}
    feed = asks(s, t, d, 1, filter)
    asked = s.delivers(rpc("resources/subscribe", {"uri": "file:///project"}, ANY_ID))
    s.says(result(id_of(asked), {}))
    acked(s, d, feed, filter)
    s.says(rpc(UPDATED, {"uri": "file:///project2"}))
    s.says(rpc(UPDATED, {"uri": "file:///project/main.rs"}))
    says(s, d, feed, UPDATED, {"uri": "file:///project/main.rs"})
    return s.case()


def cancelled_by_e(t: Text, d: Dialect) -> Case:
    title = "Where e and requestId of a cancel name two subscriptions, e decides"
    s = feeder(t, d, "cancel-by-e", title, "N:TAG-05", "Ids End")
    first, second = opens(s, t, d, 1), opens(s, t, d, 2, {"promptsListChanged": True})
    s.arrives("alice", cancel_form(d, first.event, 2))
    s.says(rpc(TOOLS))
    s.says(rpc(PROMPTS))
    says(s, d, second, PROMPTS)
    return s.case()


def ids(t: Text, d: Dialect) -> Case:
    title = "The subscription id is the id of the listen request, whatever it is"
    s = feeder(t, d, "ids", title, "F:ID-02 D:ID-04", "Ids", level="SHOULD" if t.strings else "MUST")
    for id in (0, "0", "", -1, 2**53, "a b"):
        if t.strings and id == "0":
            continue  # in this text it is the name of 0 as well
        feed = asks(s, t, d, id, {"promptsListChanged": True})
        acked(s, d, feed, {"promptsListChanged": True})
        s.after(1)
        s.says(rpc(PROMPTS))
        says(s, d, feed, PROMPTS)
        cancelled(s, d, feed)
    return s.case()


def with_token(t: Text, d: Dialect) -> Case:
    title = "A listen request with a progress token is acknowledged like any other"
    s = feeder(t, d, "token", title, "OPEN-01", "Extension")
    params = {"_meta": {**t.meta(), "progressToken": "listening"}, "notifications": TO_TOOLS}
    event = s.arrives("alice", d.request(LISTEN, params, t.id))
    acked(s, d, Feed(event, t.id, "alice", t.wire(d, t.id, event)))
    return s.case()


def refused(t: Text, d: Dialect) -> Case:
    title = "A listen request without _meta is refused and not acknowledged"
    s = feeder(t, d, "refused", title, "ERR-01" if d.whole and not t.strings else "N:SERVE-02", "Refused")
    event = s.arrives("alice", d.request(LISTEN, {"notifications": TO_TOOLS}, 1))
    s.publishes(d.error(event, 1, -32602, ANY_TEXT))
    opens(s, t, d, "5")
    return s.case()


def refused_filter(t: Text, d: Dialect) -> Case:
    title = "A listen request without a filter, or with one that is none, is refused"
    rows = "ERR-02" if d.whole and not t.strings else "N:SERVE-02"
    s = feeder(t, d, "refused-filter", title, rows, "Refused")
    event = s.arrives("alice", d.request(LISTEN, t.params({"toolsListChanged": "yes"}), 2))
    s.publishes(d.error(event, 2, -32602, ANY_TEXT))
    event = s.arrives("alice", d.request(LISTEN, {"_meta": t.meta()}, 3))
    s.publishes(d.error(event, 3, -32602, ANY_TEXT))
    feed = opens(s, t, d, "5")
    s.says(rpc(TOOLS))
    says(s, d, feed, TOOLS)
    return s.case()


def unknown_version(t: Text, d: Dialect) -> Case:
    title = "A version that nobody speaks is refused, with those that are spoken"
    s = feeder(t, d, "unknown-version", title, "N:SERVE-02", "Refused")
    meta = {**t.meta(), "io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    event = s.arrives("alice", d.request(LISTEN, {"_meta": meta, "notifications": TO_TOOLS}, 4))
    data = {"supported": ["DRAFT-2026-v1", "2026-07-28"], "requested": "2031-01-01"}
    s.publishes(d.error(event, 4, -32022, ANY_TEXT, data))
    return s.case()


def refused_often(t: Text, d: Dialect) -> Case:
    title = "Refusals of listen requests count among the errors that may be sent"
    s = feeder(t, d, "refused-often", title, "H:LIMIT-06", "Limits", limits={"errors_per_second_per_key": 1})
    event = s.arrives("alice", d.request(LISTEN, {"_meta": t.meta()}, 1))
    s.publishes(d.error(event, 1, -32602, ANY_TEXT))
    s.arrives("alice", d.request(LISTEN, {"_meta": t.meta()}, 2))
    event = s.after(1).arrives("alice", d.request(LISTEN, {"_meta": t.meta()}, 3))
    s.publishes(d.error(event, 3, -32602, ANY_TEXT))
    return s.case()


def refusal_is_use(t: Text, d: Dialect) -> Case:
    title = "A request that is refused counts as use when room is made for a session"
    s = feeder(t, d, "refusal-is-use", title, "H:LIMIT-01", "Limits", limits={"sessions": 2})
    for role in ("alice", "carol"):
        played.answered(s, d, played.asks(s, d, role))
    event = s.arrives("alice", d.request(LISTEN, {"_meta": t.meta()}, 1))
    s.publishes(d.error(event, 1, -32602, ANY_TEXT))
    played.answered(s, d, played.asks(s, d, "dave"))
    s.says(rpc(TOOLS))
    s.publishes(d.to_client(TOOLS, to=public("dave")))
    return s.case()


def too_many(t: Text, d: Dialect) -> Case:
    title = "A subscription beyond the limits, per key or in all, is refused with the limit"
    limits = {"subscriptions": 2, "subscriptions_per_key": 1}
    s = feeder(t, d, "too-many", title, "N:SERVE-03", "Limits", limits=limits)
    feed = opens(s, t, d, 1)
    event = s.arrives("alice", d.request(LISTEN, t.params(TO_TOOLS), 2))
    s.publishes(d.error(event, 2, -32603, ANY_TEXT, {"limit": 1}))
    opens(s, t, d, 1, {"promptsListChanged": True}, role="carol")
    event = s.arrives("dave", d.request(LISTEN, t.params(TO_TOOLS), 1))
    s.publishes(d.error(event, 1, -32603, ANY_TEXT, {"limit": 2}, to=public("dave")))
    cancelled(s, d, feed)
    other = opens(s, t, d, 3)
    s.says(rpc(TOOLS))
    says(s, d, other, TOOLS)
    return s.case()


def too_many_resources(t: Text, d: Dialect) -> Case:
    title = "Resources count among the subscriptions, and no more once one has ended"
    limits = {"subscriptions_per_key": 2}
    s = feeder(t, d, "too-many-resources", title, "N:SERVE-03 H:LIMIT-03", "Limits", limits=limits)
    many = {"resourceSubscriptions": [URI, "file:///project/other.json"]}
    event = s.arrives("alice", d.request(LISTEN, t.params(many), 1))
    s.publishes(d.error(event, 1, -32603, ANY_TEXT, {"limit": 2}))
    for id in (2, 3):
        feed = asks(s, t, d, id, TO_RESOURCE)
        asked = s.delivers(rpc("resources/subscribe", {"uri": URI}, ANY_ID))
        s.says(result(id_of(asked), {}))
        acked(s, d, feed, TO_RESOURCE)
        cancelled(s, d, feed)
        s.delivers(rpc("resources/unsubscribe", {"uri": URI}, ANY_ID))
    return s.case()


def room_taken(t: Text, d: Dialect) -> Case:
    title = "What finds no room any more once the MCP server is ready is not honoured"
    limits = {"subscriptions_per_key": 3}
    s = feeder(t, d, "room-taken", title, "H:LIMIT-03", "Limits Acknowledgement", servers=OWN, limits=limits)
    both = [{**TO_TOOLS, "resourceSubscriptions": [f"file:///{name}"]} for name in "ab"]
    first = asks(s, t, d, 1, both[0])
    asked = s.delivers(hub_initialize(d), client="alice")
    second = asks(s, t, d, 2, both[1])
    ready = s.says(result(id_of(asked), INITIALIZE_RESULT), client="alice")
    s.delivers(rpc("notifications/initialized"), client="alice")
    s.delivers(rpc("resources/subscribe", {"uri": "file:///a"}, ANY_ID), client="alice")
    acked(s, d, second, TO_TOOLS)
    s.says(result(id_of(ready), {}), client="alice")
    acked(s, d, first, both[0])
    return s.case()


def handshake_cancelled(t: Text, d: Dialect) -> Case:
    title = "A cancel counts while the MCP server is being started"
    s = feeder(t, d, "handshake-cancelled", title, "N:SERVE-11", "End Order", servers=OWN)
    feed = asks(s, t, d)
    asked = s.delivers(hub_initialize(d), client="alice")
    cancelled(s, d, feed)
    s.says(result(id_of(asked), INITIALIZE_RESULT), client="alice")
    s.delivers(rpc("notifications/initialized"), client="alice")
    return s.case()


def handshake_failed(t: Text, d: Dialect) -> Case:
    title = "Where the MCP server refuses the handshake, the listen request fails as it says"
    s = feeder(t, d, "handshake-failed", title, "N:TAG-02", "Refused", servers=OWN)
    feed = asks(s, t, d)
    asked = s.delivers(hub_initialize(d), client="alice")
    s.says(failure(id_of(asked), -32603, "out of order"), client="alice")
    s.publishes(d.error(feed.event, 1, -32603, "out of order"))
    return s.case()


def keeps_its_session(t: Text, d: Dialect) -> Case:
    title = "A session makes no room for another key while it has a subscription"
    s = feeder(t, d, "keeps-its-session", title, "H:LIMIT-09", "Limits", limits={"sessions": 1})
    feed = opens(s, t, d)
    event = s.arrives("carol", d.request("ping", None, 1))
    s.publishes(d.error(event, 1, -32603, ANY_TEXT, to=public("carol")))
    s.says(rpc(TOOLS))
    says(s, d, feed, TOOLS)
    cancelled(s, d, feed)
    s.after(1).arrives("carol", d.request("ping", None, 2))
    s.delivers(rpc("ping", None, ANY_ID))
    return s.case()


def id_in_use(t: Text, d: Dialect) -> Case:
    title = "The id of an open subscription cannot be used for another"
    s = feeder(t, d, "id-in-use", title, "N:SERVE-02", "Ids")
    feed = opens(s, t, d, 1)
    event = s.arrives("alice", d.request(LISTEN, t.params({"promptsListChanged": True}), 1))
    s.publishes(d.error(event, 1, -32600, ANY_TEXT))
    s.says(rpc(PROMPTS))
    s.says(rpc(TOOLS))
    says(s, d, feed, TOOLS)
    cancelled(s, d, feed)
    again = opens(s.after(1), t, d, 1)
    s.says(rpc(TOOLS))
    says(s, d, again, TOOLS)
    return s.case()
