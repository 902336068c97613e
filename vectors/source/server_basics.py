"""Scenarios of servers in every revision: ids, progress, cancels, and servers of sessions' own."""

from __future__ import annotations

from vectors.source.dialects import ANY_ID, Dialect
from vectors.source.scripts import (
    INITIALIZE,
    INITIALIZE_RESULT,
    failure,
    id_of,
    mcp_server,
    result,
    rpc,
    token_of,
)
from vectors.source.server_handshake import INITIALIZED, OWN, hub_initialize
from vectors.source.server_play import CALL, RESULT, answered, asks, greets, lives, refused, start
from vectors.source.writing import Case, public

ALICE = public("alice")
URI = "file:///project/src/main.rs"


# Requests and answers


def call(d: Dialect, req: str = "") -> Case:
    s = start(d, "call", "A request is passed on, and its result is published", f"HOUSE-ID-01 HOUSE-ROUTE-01 {req}",
              "Basic")  # fmt: skip
    greets(s, d)
    answered(s, d, asks(s, d))
    return s.case()


def pages(d: Dialect, req: str = "") -> Case:
    s = start(d, "pages", "A list is asked for page by page", f"HOUSE-ID-01 {req}", "Basic", level="MAY")
    greets(s, d)
    tools = {"tools": [{"name": "get_weather", "inputSchema": {"type": "object"}}]}
    first = asks(s, d, "alice", 1, "tools/list", {})
    answered(s, d, first, tools | {"nextCursor": "page-2"}, method="tools/list")
    second = asks(s, d, "alice", 2, "tools/list", {"cursor": "page-2"})
    answered(s, d, second, tools, method="tools/list")
    return s.case()


def four_ids(d: Dialect, req: str = "") -> Case:
    title = '0, "0", 1 and "1" are four ids, and come back as they were'
    s = start(d, "four-ids", title, f"HOUSE-ID-02 {req}", "Ids")
    asked = [asks(s, d, "alice", id, params={"name": f"tool-{number}"}) for number, id in enumerate((0, "0", 1, "1"))]
    for one in reversed(asked):
        answered(s, d, one)
    return s.case()


def equal_ids(d: Dialect, req: str = "") -> Case:
    s = start(d, "two-clients", "Two clients use the same id and token, and each gets what is its own",
              f"HOUSE-ID-04 HOUSE-ID-06 {req}", "Ids Leak")  # fmt: skip
    alice, carol = (asks(s, d, role, 1, token=0) for role in ("alice", "carol"))
    for asked, number in ((carol, 1), (alice, 2)):
        token = token_of(asked.step)
        s.says(rpc("notifications/progress", {"progressToken": token, "progress": number, "message": "at work"}))
        s.publishes(d.progress(asked.event, 1, 0, number, "at work", to=public(asked.role)))
    answered(s, d, carol, {"content": [{"type": "text", "text": "for carol"}]})
    answered(s, d, alice, {"content": [{"type": "text", "text": "for alice"}]})
    return s.case()


def progress(d: Dialect, req: str = "") -> Case:
    s = start(d, "progress", "Progress is published with the caller's token, until the result",
              f"HOUSE-ID-04 {req}", "Basic", level="SHOULD")  # fmt: skip
    asked = asks(s, d, "alice", 3, token="weather")
    note = {"progressToken": token_of(asked.step), "progress": 1, "total": 4, "message": "Looking at the sky"}
    s.says(rpc("notifications/progress", note))
    s.publishes(d.progress(asked.event, 3, "weather", 1, "Looking at the sky", total=4))
    s.after(30).says(rpc("notifications/progress", {**note, "progress": 2, "message": "It is grey"}))
    s.publishes(d.progress(asked.event, 3, "weather", 2, "It is grey", total=4))
    answered(s, d, asked)
    s.says(rpc("notifications/progress", {**note, "progress": 3, "message": "Too late"}))
    return s.case()


def errors_pass(d: Dialect, req: str = "") -> Case:
    s = start(d, "errors", "An error of the MCP server is published as it is", f"HOUSE-ID-01 {req}", "Basic")
    greets(s, d)
    for number, (code, words) in enumerate(((-32002, "Resource not found"), (-32603, "Internal error"))):
        asked = asks(s, d, "alice", number, "resources/read", {"uri": f"{URI}{number}"})
        s.says(failure(id_of(asked.step), code, words))
        s.publishes(d.error(asked.event, number, code, words))
    failed = {"content": [{"type": "text", "text": "no such place"}], "isError": True}
    answered(s, d, asks(s, d, "alice", 9), failed)
    return s.case()


def slow(d: Dialect, req: str = "") -> Case:
    s = start(d, "slow", "A request that the MCP server does not answer in time fails", f"HOUSE-ID-03 {req}", "Basic",
              timers={"execution": 30})  # fmt: skip
    asked = asks(s, d)
    s.tick(29)
    s.tick(1)
    refused(s, d, asked.event, 3, -32603)
    s.delivers(rpc("notifications/cancelled", {"requestId": id_of(asked.step)}))
    s.says(result(id_of(asked.step), RESULT))
    lives(s, d)
    return s.case()


def slow_with_progress(d: Dialect, req: str = "") -> Case:
    s = start(d, "slow-progress", "From each progress the MCP server has its time for an answer anew",
              f"HOUSE-ID-03 HOUSE-ID-04 {req}", "Basic", timers={"execution": 30})  # fmt: skip
    asked = asks(s, d, token="weather")
    note = {"progressToken": token_of(asked.step), "progress": 1, "message": "Looking at the sky"}
    s.after(20).says(rpc("notifications/progress", note))
    s.publishes(d.progress(asked.event, 3, "weather", 1, "Looking at the sky"))
    s.tick(29)
    s.tick(1)
    refused(s, d, asked.event, 3, -32603)
    s.delivers(rpc("notifications/cancelled", {"requestId": id_of(asked.step)}))
    return s.case()


# Cancels


def cancelled(d: Dialect, req: str = "") -> Case:
    s = start(d, "cancel", "A cancel reaches the MCP server under the id it knows, and no answer follows",
              f"HOUSE-ID-03 {req}", "Cancel")  # fmt: skip
    asked, other = asks(s, d), asks(s, d, "alice", 4, params={"name": "get_forecast"})
    reason = {} if d.method_tags else {"reason": "no longer needed"}
    s.arrives("alice", d.cancel(asked.event, 3, **reason))
    s.delivers(rpc("notifications/cancelled", {"requestId": id_of(asked.step), **reason}))
    s.says(result(id_of(asked.step), RESULT))
    answered(s, d, other)
    return s.case()


def cancelled_by_stranger(d: Dialect, req: str = "") -> Case:
    s = start(d, "cancel-stranger", "A cancel of another key's request is ignored", f"HOUSE-ROUTE-04 {req}", "Cancel")
    asked = asks(s, d)
    s.arrives("mallory", d.cancel(asked.event, 3))
    answered(s, d, asked)
    return s.case()


def cancelled_first(d: Dialect, req: str = "") -> Case:
    s = start(d, "cancel-first", "A cancel that overtakes its request still counts",
              f"HOUSE-TIME-05 HOUSE-TIME-04 {req}", "Cancel Order")  # fmt: skip
    request = s.signed("alice", d.request("tools/call", CALL, 3))
    s.arrives("alice", d.cancel(request["id"], 3))
    s.after(1).raw(request)
    lives(s, d)
    return s.case()


def cancelled_first_each(d: Dialect, req: str = "") -> Case:
    s = start(d, "cancel-first-each", "Of several cancels that overtake their requests each counts",
              f"HOUSE-TIME-05 {req}", "Cancel Order")  # fmt: skip
    requests = [s.signed("alice", d.request("tools/call", {"name": name}, name)) for name in ("one", "two")]
    for request, name in zip(requests, ("one", "two"), strict=True):
        s.arrives("alice", d.cancel(request["id"], name))
        s.after(1)
    for request in requests:
        s.raw(request)
    lives(s, d)
    return s.case()


def cancelled_first_to_the_end(d: Dialect, req: str = "") -> Case:
    """As long as ids are remembered: see server_trust.remembered_to_the_end."""
    title = "A cancel that comes first counts as long as its request is fresh"
    s = start(d, "cancel-first-to-the-end", title, f"HOUSE-TIME-05 {req}", "Cancel Order Time")
    s.after(0.5)
    request = s.signed("alice", d.request("tools/call", CALL, 3), ago=-60)
    s.arrives("alice", d.cancel(request["id"], 3))
    s.after(120.25).arrives("carol", d.cancel("ab" * 32, 1))
    s.after(0.125).raw(request)
    lives(s, d)
    return s.case()


def cancelled_first_again(d: Dialect, req: str = "") -> Case:
    title = "Cancels of what never came take the room of later ones for two minutes only"
    s = start(d, "cancel-first-again", title, f"HOUSE-TIME-05 HOUSE-LIMIT-04 {req}", "Cancel Order Limits",
              limits={"seen": 2})  # fmt: skip
    for number in range(2):
        s.arrives("mallory", d.cancel(f"{number:064x}", number))
    s.after(122)
    request = s.signed("alice", d.request("tools/call", CALL, 3))
    s.arrives("alice", d.cancel(request["id"], 3))
    s.raw(request)
    s.after(122)
    lives(s, d)
    return s.case()


def cancelled_first_by_stranger(d: Dialect, req: str = "") -> Case:
    s = start(d, "cancel-first-stranger", "A stranger's cancel that comes first stops nothing",
              f"HOUSE-ROUTE-04 HOUSE-TIME-05 {req}", "Cancel Order")  # fmt: skip
    request = s.signed("alice", d.request("tools/call", CALL, 3))
    s.arrives("mallory", d.cancel(request["id"], 3))
    s.raw(request)
    s.delivers(rpc("tools/call", CALL, ANY_ID))
    step = s.now
    s.says(result(id_of(step), RESULT))
    s.publishes(d.response(request["id"], 3, RESULT))
    return s.case()


def cancelled_by_id(d: Dialect, req: str = "") -> Case:
    s = start(d, "cancel-by-id", "A cancel without e is of the client's own request with that id",
              f"HOUSE-ID-03 HOUSE-ID-06 {req}", "Cancel Ids")  # fmt: skip
    alice, carol = asks(s, d, "alice", 3), asks(s, d, "carol", 3)
    s.arrives("carol", d.cancel(carol.event, 3).without("e"))
    s.delivers(rpc("notifications/cancelled", {"requestId": id_of(carol.step)}))
    s.says(result(id_of(carol.step), RESULT))
    answered(s, d, alice)
    return s.case()


def cancelled_as_mcp(d: Dialect, req: str = "") -> Case:
    s = start(d, "cancel-as-mcp", "A cancel by MCP's name, or with e alone, is understood too", f"HOUSE-ID-03 {req}",
              "Cancel", level="MAY")  # fmt: skip
    first, second = asks(s, d, "alice", 3), asks(s, d, "carol", 4)
    name = d.shared_id(first.event, 3)
    s.arrives("alice", d.to_server("notifications/cancelled", {"requestId": name}, request=first.event))
    s.delivers(rpc("notifications/cancelled", {"requestId": id_of(first.step)}))
    s.arrives("carol", d.to_server("notifications/cancel", {}, request=second.event))
    s.delivers(rpc("notifications/cancelled", {"requestId": id_of(second.step)}))
    return s.case()


def cancelled_by_id_at_a_server(d: Dialect, req: str = "") -> Case:
    title = "Ids belong to a session: a cancel without e is for the server that it names"
    s = start(d, "cancel-by-id-server", title, f"HOUSE-ID-03 HOUSE-ID-07 {req}", "Cancel WhichServer",
              servers=[mcp_server("server-1"), mcp_server("server-2")])  # fmt: skip
    first, second = (asks(s, d, "alice", 3, server_id=one) for one in ("server-1", "server-2"))
    s.arrives("alice", d.cancel(first.event, 3, server_id="server-1").without("e"))
    s.delivers(rpc("notifications/cancelled", {"requestId": id_of(first.step)}), server="server-1")
    s.after(1)
    third = asks(s, d, "alice", 3, server_id="server-1")
    s.arrives("alice", d.cancel(second.event, 3, server_id="server-2").without("e"))
    s.delivers(rpc("notifications/cancelled", {"requestId": id_of(second.step)}), server="server-2")
    answered(s, d, third)
    return s.case()


def stray_answers(d: Dialect, req: str = "") -> Case:
    s = start(d, "stray-answers", "An MCP server's second answer, or one to nothing, is not published",
              f"HOUSE-ONCE-06 {req}", "Ids")  # fmt: skip
    asked = asks(s, d)
    s.says(result("nobody asked", RESULT))
    s.says(result(987654321, RESULT))
    answered(s, d, asked)
    s.says(result(id_of(asked.step), RESULT))
    s.says(failure(id_of(asked.step), -32603, "too late"))
    for method in ("notifications/cancelled", "notifications/progress", "notifications/resources/updated"):
        s.says(rpc(method))
        s.says(rpc(method, {"requestId": 5, "progressToken": 5, "uri": 5}))
    lives(s, d)
    return s.case()


def unasked_progress(d: Dialect, req: str = "") -> Case:
    title = "_meta of a request is passed on, and without a token there is no progress"
    s = start(d, "no-token", title, f"HOUSE-ID-04 {req}", "Ids")
    asked = asks(s, d, params=CALL | {"_meta": {"example.com/trace": "abc"}})
    s.says(rpc("notifications/progress", {"progressToken": id_of(asked.step), "progress": 1, "message": "at work"}))
    answered(s, d, asked)
    return s.case()


def refused_by_relays(d: Dialect, req: str = "") -> Case:
    s = start(d, "refused-by-relays", "An answer that relays refuse is not sent again", f"HOUSE-ONCE-06 {req}", "Basic")
    answered(s, d, asks(s, d))
    s.ok(s.now, False, "mute: no one was listening for this")
    s.ok(s.now - 1, True, "duplicate: already have this event")
    lives(s, d)
    return s.case()


# Servers of sessions' own


def own_servers(d: Dialect, req: str = "") -> Case:
    s = start(d, "two-own-servers", "Two clients have two MCP servers, and neither hears of the other",
              f"HOUSE-ID-06 HOUSE-ID-07 {req}", "Ids Leak", servers=OWN)  # fmt: skip
    for role in ("alice", "carol"):
        event = s.arrives(role, d.initialize(INITIALIZE))
        s.delivers(rpc("initialize", INITIALIZE, ANY_ID), client=role)
        s.says(result(id_of(s.now), INITIALIZE_RESULT), client=role)
        s.publishes(d.response(event, 0, INITIALIZE_RESULT, method="initialize", to=public(role)))
        if d.has_initialized:
            s.arrives(role, d.initialized())
        s.delivers(INITIALIZED, client=role)
    note = rpc("notifications/message", {"level": "info", "data": "for alice"})
    s.says(note, client="alice")
    s.publishes(d.to_client("notifications/message", note["params"]))
    answered(s, d, asks(s, d, "carol", own=True))
    return s.case()


def two_servers_of_a_client(d: Dialect, req: str = "") -> Case:
    s = start(d, "two-own-ids", "A client of two servers has a session, and an MCP server, with each",
              f"HOUSE-ID-07 {req}", "Handshake WhichServer",
              servers=[mcp_server(one, shared=False) for one in ("server-1", "server-2")])  # fmt: skip
    for server_id in ("server-1", "server-2"):
        event = s.arrives("alice", d.request("tools/call", CALL, 3, server_id=server_id))
        s.delivers(hub_initialize(d), server=server_id, client="alice")
        s.says(result(id_of(s.now), INITIALIZE_RESULT), server=server_id, client="alice")
        s.delivers(INITIALIZED, server=server_id, client="alice")
        s.delivers(rpc("tools/call", CALL, ANY_ID), server=server_id, client="alice")
        s.says(result(id_of(s.now), RESULT), server=server_id, client="alice")
        s.publishes(d.response(event, 3, RESULT))
    return s.case()


def evicted(d: Dialect, req: str = "") -> Case:
    title = "An idle session makes room for another, and its MCP server is heard no more"
    s = start(d, "evicted", title, f"HOUSE-LIMIT-01 HOUSE-LIMIT-09 {req}", "Limits Leak", servers=OWN,
              limits={"sessions": 1})  # fmt: skip
    for role in ("alice", "carol"):
        event = s.arrives(role, d.request("tools/call", CALL, 3))
        s.delivers(hub_initialize(d), client=role)
        s.says(result(id_of(s.now), INITIALIZE_RESULT), client=role)
        s.delivers(INITIALIZED, client=role)
        s.delivers(rpc("tools/call", CALL, ANY_ID), client=role)
        s.says(result(id_of(s.now), RESULT), client=role)
        s.publishes(d.response(event, 3, RESULT, to=public(role)))
    s.says(rpc("notifications/tools/list_changed"), client="alice")
    s.says(rpc("notifications/tools/list_changed"), client="carol")
    s.publishes(d.to_client("notifications/tools/list_changed", to=public("carol")))
    return s.case()
