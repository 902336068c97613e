"""Scenarios of servers in every revision: handshake, ids, progress, cancels, notifications, and wrong content."""

from __future__ import annotations

from typing import Any

from vectors.source.dialects import ANY_ID, ANY_TEXT, Dialect, Form
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
from vectors.source.server_play import CALL, RESULT, answered, asks, lives, refused, start
from vectors.source.writing import Case, public

OWN = [mcp_server(shared=False)]
ALICE = public("alice")
INITIALIZED = rpc("notifications/initialized")
URI = "file:///project/src/main.rs"


def hub_initialize(d: Dialect) -> dict[str, Any]:
    """The handshake of a server that no client has initialized: no capability of any client is promised."""
    about = {"name": ANY_TEXT, "version": ANY_TEXT}
    return rpc("initialize", {"protocolVersion": d.mcp_version, "capabilities": {}, "clientInfo": about}, ANY_ID)


# Requests and answers


def call(d: Dialect, req: str = "") -> Case:
    s = start(d, "call", "A request is passed on, and its result is published", f"HOUSE-ID-01 HOUSE-ROUTE-01 {req}",
              "Basic")  # fmt: skip
    answered(s, d, asks(s, d))
    return s.case()


def pages(d: Dialect, req: str = "") -> Case:
    s = start(d, "pages", "A list is asked for page by page", f"HOUSE-ID-01 {req}", "Basic", level="MAY")
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


# Cancels


def cancelled(d: Dialect, req: str = "") -> Case:
    s = start(d, "cancel", "A cancel reaches the MCP server under the id it knows, and no answer follows",
              f"HOUSE-ID-03 {req}", "Cancel")  # fmt: skip
    asked, other = asks(s, d), asks(s, d, "alice", 4, params={"name": "get_forecast"})
    s.arrives("alice", d.cancel(asked.event, 3))
    s.delivers(rpc("notifications/cancelled", {"requestId": id_of(asked.step)}))
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


# Handshake


def initialize(d: Dialect, req: str = "") -> Case:
    s = start(d, "initialize", "initialize is answered by what the MCP server has said of itself", f"HOUSE-ID-07 {req}",
              "Handshake")  # fmt: skip
    event = s.arrives("alice", d.initialize(INITIALIZE))
    s.publishes(d.response(event, 0, INITIALIZE_RESULT, method="initialize"))
    if d.has_initialized:
        s.arrives("alice", d.initialized())
    answered(s, d, asks(s, d))
    again = s.after(1).arrives("alice", d.initialize(INITIALIZE, 5))
    s.publishes(d.response(again, 5, INITIALIZE_RESULT, method="initialize"))
    return s.case()


def own_handshake(d: Dialect, req: str = "") -> Case:
    s = start(d, "own-server", "An MCP server of a session's own sees its client's handshake", f"HOUSE-ID-07 {req}",
              "Handshake", servers=OWN)  # fmt: skip
    event = s.arrives("alice", d.initialize(INITIALIZE))
    s.delivers(rpc("initialize", INITIALIZE, ANY_ID), client="alice")
    s.says(result(id_of(0), INITIALIZE_RESULT), client="alice")
    s.publishes(d.response(event, 0, INITIALIZE_RESULT, method="initialize"))
    if d.has_initialized:
        s.arrives("alice", d.initialized())
    s.delivers(INITIALIZED, client="alice")
    answered(s, d, asks(s, d, own=True))
    again = s.after(1).arrives("alice", d.initialize(INITIALIZE, 5))
    s.publishes(d.response(again, 5, INITIALIZE_RESULT, method="initialize"))
    return s.case()


def no_handshake(d: Dialect, req: str = "") -> Case:
    title = "A request without a handshake is served, by a handshake of our own making"
    s = start(d, "no-handshake", title, f"HOUSE-TIME-06 {req}", "Handshake", servers=OWN)
    event = s.arrives("alice", d.request("tools/call", CALL, 3))
    s.delivers(hub_initialize(d), client="alice")
    s.says(result(id_of(0), INITIALIZE_RESULT), client="alice")
    s.delivers(INITIALIZED, client="alice")
    s.delivers(rpc("tools/call", CALL, ANY_ID), client="alice")
    s.says(result(id_of(1), RESULT), client="alice")
    s.publishes(d.response(event, 3, RESULT))
    return s.case()


def initialized_first(d: Dialect, req: str = "") -> Case:
    s = start(d, "initialized-first", "initialized that overtakes initialize is held until its result",
              f"HOUSE-TIME-06 {req}", "Handshake Order", servers=OWN)  # fmt: skip
    s.arrives("alice", d.initialized())
    event = s.arrives("alice", d.initialize(INITIALIZE))
    s.delivers(rpc("initialize", INITIALIZE, ANY_ID), client="alice")
    s.says(result(id_of(1), INITIALIZE_RESULT), client="alice")
    s.publishes(d.response(event, 0, INITIALIZE_RESULT, method="initialize"))
    s.delivers(INITIALIZED, client="alice")
    answered(s, d, asks(s, d, own=True))
    return s.case()


def initialized_missing(d: Dialect, req: str = "") -> Case:
    s = start(d, "initialized-missing", "A request before initialized is served, and initialized comes before it",
              f"HOUSE-TIME-06 {req}", "Handshake Order", servers=OWN)  # fmt: skip
    event = s.arrives("alice", d.initialize(INITIALIZE))
    s.delivers(rpc("initialize", INITIALIZE, ANY_ID), client="alice")
    s.says(result(id_of(0), INITIALIZE_RESULT), client="alice")
    s.publishes(d.response(event, 0, INITIALIZE_RESULT, method="initialize"))
    asked = s.arrives("alice", d.request("tools/call", CALL, 3))
    s.delivers(INITIALIZED, client="alice")
    s.delivers(rpc("tools/call", CALL, ANY_ID), client="alice")
    s.arrives("alice", d.initialized())
    s.says(result(id_of(2), RESULT), client="alice")
    s.publishes(d.response(asked, 3, RESULT))
    return s.case()


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


# Notifications of a shared MCP server


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


# Content that is wrong


def bad_content(d: Dialect, req: str = "") -> Case:
    s = start(d, "bad-content", "Content that is no request is answered with the code for what it is",
              f"HOUSE-ROUTE-12 HOUSE-JSON-01 {req}", "BadContent")  # fmt: skip
    form = d.request("tools/call", CALL, 3)
    for text_of, code in (("{", -32700), ('{"method":"tools/call","method":"tools/list"}', -32700)):
        event = raw_text(s, form, text_of)
        refused(s, d, event, None, code)
    for content in ([d.body({"id": 1, "method": "tools/list"})], d.body({"params": {}}), d.body({"method": 5})):
        event = s.arrives("alice", form.saying(content))
        refused(s, d, event, None, -32600)
    lives(s, d)
    return s.case()


def raw_text(s: Any, form: Form, content: str) -> str:
    """An event arrives whose content is this very text."""
    from vectors.source.writing import signed_event, to_object

    return str(s.raw(to_object(signed_event("alice", form.kind, form.tags, content, s.unix))))


def bad_content_with_e(d: Dialect, req: str = "") -> Case:
    s = start(d, "bad-content-e", "Content that is no request is met with silence where the event has e",
              f"HOUSE-ROUTE-13 {req}", "BadContent")  # fmt: skip
    asked = asks(s, d)
    form = d.request("tools/call", CALL, 3).with_tags(["e", asked.event])
    raw_text(s, form, "{")
    s.arrives("alice", form.saying([]))
    answered(s, d, asked)
    return s.case()


def errors_unanswered(d: Dialect, req: str = "") -> Case:
    s = start(d, "error-unanswered", "Errors and results that nobody waits for are met with silence",
              f"HOUSE-ROUTE-14 {req}", "BadContent")  # fmt: skip
    asked = asks(s, d)
    stray = d.answer(asked.event, 3, {})
    s.arrives("alice", d.refusal(asked.event, 3, -32603, "no"))
    s.arrives("alice", stray)
    s.arrives("alice", d.refusal(asked.event, 3, -32700, "what?").without("e"))
    answered(s, d, asked)
    return s.case()


def bad_notification(d: Dialect, req: str = "") -> Case:
    s = start(d, "bad-notification", "A notification that cannot be read is met with silence",
              f"HOUSE-ROUTE-12 {req}", "BadContent")  # fmt: skip
    form = d.to_server("notifications/roots/list_changed")
    raw_text(s, form, "{")
    s.arrives("alice", form.saying([]))
    s.arrives("alice", form.saying(d.body({"params": {}})))
    lives(s, d)
    return s.case()


def bad_params(d: Dialect, req: str = "") -> Case:
    s = start(d, "bad-params", "Params that lack what the method needs are answered -32602", f"HOUSE-ROUTE-12 {req}",
              "BadContent")  # fmt: skip
    for number, params in enumerate(({}, {"name": 5}, {"name": None})):
        event = s.arrives("alice", d.request("tools/call", params, number))
        refused(s, d, event, number, -32602)
    lives(s, d)
    return s.case()


def unknown_methods(d: Dialect, req: str = "") -> Case:
    s = start(d, "unknown-method", "A method that the server does not have is answered -32601",
              f"HOUSE-ROUTE-12 {req}", "BadContent",
              servers=[mcp_server(capabilities={"tools": {}})])  # fmt: skip
    unknown = {"tools/explode": {}, "roots/list": {}, "prompts/list": {}, "completion/complete": COMPLETE}
    for number, (method, params) in enumerate(unknown.items()):
        event = s.arrives("alice", d.request(method, params, number))
        refused(s, d, event, number, -32601)
    lives(s, d)
    return s.case()


COMPLETE = {"ref": {"type": "ref/prompt", "name": "code_review"}, "argument": {"name": "language", "value": "py"}}


def method_mismatch(d: Dialect, req: str = "") -> Case:
    s = start(d, "method-mismatch", "A method tag that says other than content is answered -32600",
              f"HOUSE-ROUTE-12 {req}", "BadContent")  # fmt: skip
    event = s.arrives("alice", d.request("tools/call", CALL, 3).put("method", "tools/list"))
    refused(s, d, event, 3, -32600)
    lives(s, d)
    return s.case()


def experimental(d: Dialect, req: str = "") -> Case:
    s = start(d, "experimental", "A server with experimental capabilities gets methods that nobody knows",
              f"HOUSE-ID-01 {req}", "Basic",
              servers=[mcp_server(capabilities={"tools": {}, "experimental": {"x": {}}})])  # fmt: skip
    answered(s, d, asks(s, d, "alice", 3, "x/explode", {"n": 1}), {"done": True}, method="x/explode")
    return s.case()


def numbers(d: Dialect, req: str = "") -> Case:
    s = start(d, "numbers", "Integers beyond 64 bits come through unchanged, both ways",
              f"HOUSE-JSON-03 HOUSE-JSON-04 HOUSE-JSON-05 {req}", "Numbers")  # fmt: skip
    values = [9007199254740993, 2**63, 2**70, -(2**70), 0, 1, 1.5]
    asked = asks(s, d, params={"name": "sum", "arguments": {"values": values}})
    answered(s, d, asked, {"content": [], "structuredContent": {"values": values}})
    return s.case()
