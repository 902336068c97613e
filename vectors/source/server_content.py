"""Scenarios of servers in every revision: content that is wrong, and content that is only unusual."""

from __future__ import annotations

from vectors.source.dialects import Dialect, Form
from vectors.source.scripts import Script, mcp_server
from vectors.source.server_play import CALL, answered, asks, lives, refused, start
from vectors.source.writing import Case, signed_event, to_object

COMPLETE = {"ref": {"type": "ref/prompt", "name": "code_review"}, "argument": {"name": "language", "value": "py"}}


def raw_text(s: Script, form: Form, content: str) -> str:
    """An event arrives whose content is this very text."""
    return s.raw(to_object(signed_event("alice", form.kind, form.tags, content, s.unix)))


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
    if d.whole:
        method = "notifications/initialized"
        named = form.put("method", method) if d.method_tags else form
        event = s.arrives("alice", named.saying(d.body({"id": 4, "method": method, "params": 5})))
        refused(s, d, event, 4, -32602)
    lives(s, d)
    return s.case()


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
    s.arrives("alice", stray.without("e"))
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
    for method in ("resources/subscribe", "resources/unsubscribe"):
        event = s.arrives("alice", d.request(method, {}, method))
        refused(s, d, event, method, -32602)
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


def method_mismatch(d: Dialect, req: str = "") -> Case:
    s = start(d, "method-mismatch", "A method tag that says other than content is answered -32600",
              f"HOUSE-ROUTE-12 {req}", "BadContent")  # fmt: skip
    event = s.arrives("alice", d.request("tools/call", CALL, 3).put("method", "tools/list"))
    refused(s, d, event, 3, -32600)
    lives(s, d)
    return s.case()


def experimental(d: Dialect, req: str = "") -> Case:
    return _extended(d, "experimental", "A server with experimental capabilities gets methods that nobody knows", req)


def extensions(d: Dialect, req: str = "") -> Case:
    return _extended(d, "extensions", "A server with extensions gets methods that nobody knows", req)


def _extended(d: Dialect, capability: str, title: str, req: str) -> Case:
    s = start(d, capability, title, f"HOUSE-ID-01 {req}", "Basic",
              servers=[mcp_server(capabilities={"tools": {}, capability: {"x": {}}})])  # fmt: skip
    answered(s, d, asks(s, d, "alice", 3, "x/explode", {"n": 1}), {"done": True}, method="x/explode")
    return s.case()


def numbers(d: Dialect, req: str = "") -> Case:
    s = start(d, "numbers", "Integers beyond 64 bits come through unchanged, both ways",
              f"HOUSE-JSON-03 HOUSE-JSON-04 HOUSE-JSON-05 {req}", "Numbers")  # fmt: skip
    values = [9007199254740993, 2**63, 2**70, -(2**70), 0, 1, 1.5]
    asked = asks(s, d, params={"name": "sum", "arguments": {"values": values}})
    answered(s, d, asked, {"content": [], "structuredContent": {"values": values}})
    return s.case()


def other_kinds(d: Dialect, req: str = "") -> Case:
    s = start(d, "other-kinds", "Events of kinds that carry no message here are dropped", f"HOUSE-ROUTE-09 {req}",
              "BadContent WhichRevision")  # fmt: skip
    form = d.request("tools/call", CALL, 3)
    for kind in (1, 7000, 31316, 11316, 25911, 25910 if d.request_kind == 5910 else 5910):
        s.arrives("alice", Form(kind, form.tags, form.content))
    lives(s, d)
    return s.case()


def request_with_e(d: Dialect, req: str = "") -> Case:
    s = start(d, "request-with-e", "Content tells a request from an answer, and an e tag does not",
              f"HOUSE-ROUTE-13 {req}", "BadContent")  # fmt: skip
    form = d.request("tools/call", CALL, 3).with_tags(["e", "ab" * 32])
    answered(s, d, asks(s, d, form=form))
    return s.case()


def bad_notification_one_kind(d: Dialect, req: str = "") -> Case:
    s = start(d, "bad-notification", "A notification that cannot be used is met with silence",
              f"HOUSE-ROUTE-12 {req}", "BadContent")  # fmt: skip
    asked = asks(s, d)
    form = d.to_server("notifications/cancelled")
    for params in ({}, {"requestId": None}, {"requestId": 9}, 5):
        s.arrives("alice", form.saying(d.body({"method": "notifications/cancelled", "params": params})))
    answered(s, d, asked)
    return s.case()
