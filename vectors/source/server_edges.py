"""Scenarios of servers over a longer time: sessions that end and begin anew, and answers at the edge of a limit."""

from __future__ import annotations

from typing import Any

from vectors.source.dialects import ANY_ID, ANY_TEXT, CAROL, CTXVM, EPHEMERAL, Dialect
from vectors.source.scripts import (
    INITIALIZE,
    INITIALIZE_RESULT,
    Script,
    event_of,
    failure,
    id_of,
    mcp_server,
    result,
    rpc,
    server_open,
)
from vectors.source.server_announce import ANNOUNCED, SERVERS, tool
from vectors.source.server_content import COMPLETE
from vectors.source.server_money import INVOICE
from vectors.source.server_play import RESULT, answered, asks, lives, refused, start
from vectors.source.server_revisions import begins_undecided
from vectors.source.writing import Case, public

OWN = [mcp_server(shared=False)]
INITIALIZED = rpc("notifications/initialized")


def begins(s: Script, d: Dialect, role: str, id: int = 0) -> None:
    """A client's handshake with an MCP server of its own."""
    event = s.arrives(role, d.initialize(INITIALIZE, id))
    s.delivers(rpc("initialize", INITIALIZE, ANY_ID), client=role)
    s.says(result(id_of(s.now), INITIALIZE_RESULT), client=role)
    s.publishes(d.response(event, id, INITIALIZE_RESULT, method="initialize", to=public(role)))
    if d.has_initialized:
        s.arrives(role, d.initialized())
    s.delivers(INITIALIZED, client=role)


def expired(d: Dialect, req: str = "") -> Case:
    title = "A session that nobody used for long ends, and another begins"
    s = start(d, "expired", title, f"HOUSE-ID-07 HOUSE-LIMIT-01 {req}", "Limits Handshake", servers=OWN,
              timers={"session": 100})  # fmt: skip
    begins(s, d, "alice")
    s.after(60)
    begins(s, d, "carol")
    s.tick(41)
    answered(s, d, asks(s, d, "carol", 5, own=True))
    s.says(rpc("notifications/tools/list_changed"), client="alice")
    s.says(rpc("notifications/tools/list_changed"), client="carol")
    s.publishes(d.to_client("notifications/tools/list_changed", to=CAROL))
    s.after(1)
    begins(s, d, "alice", 7)
    s.tick(101)
    s.says(rpc("notifications/prompts/list_changed"), client="carol")
    s.says(rpc("notifications/prompts/list_changed"), client="alice")
    s.after(1)
    begins(s, d, "carol", 8)
    return s.case()


def evicted_in_turn(d: Dialect, req: str = "") -> Case:
    title = "Of idle sessions the longest unused makes room, again and again"
    s = start(
        d,
        "evicted-in-turn",
        title,
        f"HOUSE-LIMIT-01 HOUSE-LIMIT-09 {req}",
        "Limits",
        limits={"sessions": 2, "sessions_per_key": 1},
    )
    for turn in range(3):
        for role in ("alice", "carol", "dave"):
            s.after(1)
            answered(s, d, asks(s, d, role, turn))
    s.says(rpc("notifications/tools/list_changed"))
    s.publishes(d.to_client("notifications/tools/list_changed", to=CAROL))
    s.publishes(d.to_client("notifications/tools/list_changed", to=public("dave")))
    return s.case()


def almost_too_large(d: Dialect, req: str = "") -> Case:
    title = "A result whose content fits the limit and whose event does not is replaced"
    s = start(d, "almost-too-large", title, f"HOUSE-LIMIT-11 {req}", "Limits", limits={"event": 2000})
    asked = asks(s, d)
    s.says(result(id_of(asked.step), {"content": [{"type": "text", "text": "x" * 1600}]}))
    refused(s, d, asked.event, asked.id, -32603)
    lives(s, d)
    return s.case()


def many_completions(d: Dialect, req: str = "") -> Case:
    """Only where the revision says how many values a completion has at most."""
    title = "A result that the revision does not carry is replaced by an error"
    s = start(d, "many-completions", title, f"HOUSE-LIMIT-11 {req}", "Limits")
    asked = asks(s, d, "alice", 1, "completion/complete", COMPLETE)
    s.says(result(id_of(asked.step), {"completion": {"values": [str(number) for number in range(101)]}}))
    refused(s, d, asked.event, 1, -32603)
    lives(s, d)
    return s.case()


def settled_session(d: Dialect, req: str = "") -> Case:
    """Seeds 000 and 001 write the same initialize; what follows shows which it was."""
    other = EPHEMERAL if d is CTXVM else CTXVM
    title = "An undecided session goes on in the revision that a message shows"
    s = start(d, "settled-session", title, f"HOUSE-ROUTE-11 HOUSE-ID-07 {req}", "WhichRevision",
              open=server_open(d, other, servers=OWN, timers={"session": 100}))  # fmt: skip
    begins_undecided(s, own=True)
    s.arrives("alice", d.initialized())
    s.delivers(INITIALIZED, client="alice")
    s.after(1)
    answered(s, d, asks(s, d, own=True))
    s.says(rpc("notifications/tools/list_changed"), client="alice")
    s.publishes(d.to_client("notifications/tools/list_changed"))
    s.tick(101)
    s.says(rpc("notifications/tools/list_changed"), client="alice")
    return s.case()


def later(d: Dialect, req: str = "") -> Case:
    """What an MCP server or a payment leads to is dated when it happens."""
    title = "What is published has the time at which it is published"
    prices = [{"type": "tool", "capability": "paid", "amount": "100", "unit": "sats"}]
    s = start(d, "later", title, f"HOUSE-TIME-01 {req}", "Time", prices=prices, invoice=INVOICE)
    for number in range(2):
        s.after(1)
        event = s.arrives("alice", d.request("tools/call", {"name": "paid"}, number))
        s.publishes(d.demand(event, 100, INVOICE, expiration=s.unix + 300))
        step = s.now
        s.after(2)
        if number == 0:
            s.unpaid(step)
            refused(s, d, event, number, -32603)
            continue
        s.paid(step)
        if d.name == "contextvm":
            s.publishes(d.payment_accepted(event, 100))
        s.delivers(rpc("tools/call", {"name": "paid"}, ANY_ID))
        s.after(2).says(result(id_of(s.now), RESULT))
        s.publishes(d.response(event, number, RESULT))
    return s.case()


def negotiated(d: Dialect, req: str = "") -> Case:
    """`tasks/list` came with MCP 2025-11-25."""
    title = "What an MCP server has is told by the version that it agreed to"
    tasks = {"tasks": {"list": {}, "cancel": {}}}
    s = start(d, "negotiated", title, f"HOUSE-ID-07 {req}", "Handshake", servers=OWN, mcp_version="2025-11-25")
    event = s.arrives("alice", d.initialize(INITIALIZE))
    s.delivers(rpc("initialize", INITIALIZE, ANY_ID), client="alice")
    older = INITIALIZE_RESULT | {"protocolVersion": "2025-06-18", "capabilities": tasks}
    s.says(result(id_of(0), older), client="alice")
    s.publishes(d.response(event, 0, older, method="initialize"))
    s.arrives("alice", d.initialized())
    s.delivers(INITIALIZED, client="alice")
    refused(s, d, s.arrives("alice", d.request("tasks/list", {}, 2)), 2, -32601)
    event = s.arrives("carol", d.initialize(INITIALIZE))
    step = s.delivers(rpc("initialize", INITIALIZE, ANY_ID), client="carol")
    unknown = INITIALIZE_RESULT | {"protocolVersion": "2099-01-01", "capabilities": tasks}
    s.says(result(id_of(step), unknown), client="carol")
    s.publishes(d.response(event, 0, unknown, method="initialize", to=CAROL))
    s.arrives("carol", d.initialized())
    s.delivers(INITIALIZED, client="carol")
    answered(s, d, asks(s, d, "carol", 3, "tasks/list", {}, own=True), {"tasks": []}, method="tasks/list")
    return s.case()


def asks_too_much(d: Dialect, req: str = "") -> Case:
    title = "An MCP server asks once under an id, and no more than may be pending"
    s = start(d, "asks-too-much", title, f"HOUSE-ID-02 HOUSE-LIMIT-02 {req}", "ServerRequest Limits", servers=OWN,
              limits={"pending": 2})  # fmt: skip
    begins(s, d, "alice")
    first = s.says(rpc("roots/list", None, "r"), client="alice")
    s.publishes(d.server_request("roots/list", None, ANY_ID))
    s.says(rpc("roots/list", None, "r"), client="alice")
    s.delivers(failure("r", -32600, ANY_TEXT), client="alice")
    s.after(1).says(rpc("roots/list", None, "q"), client="alice")
    s.publishes(d.server_request("roots/list", None, ANY_ID))
    s.says(rpc("roots/list", None, "t"), client="alice")
    s.delivers(failure("t", -32603, ANY_TEXT), client="alice")
    s.signs("alice", d.answer(event_of(first), id_of(first), {"roots": []}))
    s.delivers(result("r", {"roots": []}), client="alice")
    s.after(1).says(rpc("roots/list", None, "r"), client="alice")
    s.publishes(d.server_request("roots/list", None, ANY_ID))
    return s.case()


def announced_prices(d: Dialect, req: str = "") -> Case:
    title = "Of the prices, those of what a list holds are announced with it"
    prices = [
        {"type": "tool", "capability": "get_weather", "amount": "100", "unit": "sats"},
        {"type": "tool", "capability": "other", "amount": "7", "unit": "sats"},
    ]
    s = start(d, "announced-prices", title, f"HOUSE-ANN-01 {req}", "Announced", servers=SERVERS, prices=prices)
    s.tick()
    s.publishes(d.announcement(ANNOUNCED))
    s.delivers(rpc("tools/list", None, ANY_ID))
    tools = [tool("get_weather"), tool("get_forecast")]
    strange = [*tools, 5, {"name": 5}]
    s.says(result(id_of(0), {"tools": strange}))
    s.publishes(d.tool_list(strange).with_tags(d.price_tag("tool", "get_weather", "100")))
    s.says(rpc("notifications/tools/list_changed"))
    s.delivers(rpc("tools/list", None, ANY_ID))
    s.says(result(id_of(2), {"tools": tools}))
    s.publishes(d.tool_list(tools).with_tags(d.price_tag("tool", "get_weather", "100")))
    return s.case()


def announced_prices_of_resources(d: Dialect, req: str = "") -> Case:
    title = "The price of a resource is announced with the list that holds its URI"
    prices = [{"type": "resource", "capability": "file:///report.txt", "amount": "7", "unit": "sats"}]
    capabilities: dict[str, Any] = {"resources": {}}
    s = start(d, "announced-resource-prices", title, f"HOUSE-ANN-01 {req}", "Announced", prices=prices,
              servers=[mcp_server(announced=True, capabilities=capabilities)])  # fmt: skip
    s.tick()
    s.publishes(d.announcement(INITIALIZE_RESULT | {"capabilities": capabilities}))
    for method in ("resources/list", "resources/templates/list"):
        s.delivers(rpc(method, None, ANY_ID))
    resources = [{"uri": "file:///report.txt", "name": "report"}]
    s.says(result(id_of(0, 0), {"resources": resources}))
    tag = d.price_tag("resource", "file:///report.txt", "7")
    s.publishes(d.list_of("resources", resources).with_tags(tag))
    templates = [{"uriTemplate": "file:///{path}", "name": "files"}]
    s.says(result(id_of(0, 1), {"resourceTemplates": templates}))
    s.publishes(d.list_of("resourceTemplates", templates))
    return s.case()


def params_by_type(d: Dialect, req: str = "") -> Case:
    title = "Params of the wrong type are answered -32602, and right ones passed on"
    s = start(d, "params-by-type", title, f"HOUSE-ROUTE-12 {req}", "BadContent")
    prompt = {"ref": {"type": "ref/prompt", "name": "q"}, "argument": {"name": "a", "value": "b"}}
    resource = prompt | {"ref": {"type": "ref/resource", "uri": "file:///a"}}
    wrong = [
        ("logging/setLevel", {"level": "loud"}),
        ("logging/setLevel", {"level": 5}),
        ("tools/call", {"name": "a", "_meta": {"progressToken": True}}),
        ("tools/call", {"name": "a", "_meta": []}),
        ("completion/complete", prompt | {"ref": {"type": "ref/other", "name": "q"}}),
        ("completion/complete", prompt | {"ref": {"type": ["ref/prompt"], "name": "q"}}),
        ("completion/complete", prompt | {"ref": {"name": "q"}}),
        ("completion/complete", prompt | {"ref": {"type": "ref/prompt"}}),
        ("completion/complete", resource | {"ref": {"type": "ref/resource", "uri": 5}}),
        ("completion/complete", None),
    ]  # fmt: skip
    for number, (method, params) in enumerate(wrong):
        event = s.after(1).arrives("alice", d.request(method, params, number))
        refused(s, d, event, number, -32602)
    right = [
        ("logging/setLevel", {"level": "debug"}),
        ("completion/complete", prompt),
        ("completion/complete", resource),
    ]
    for number, (method, params) in enumerate(right):
        asks(s.after(1), d, "alice", f"right-{number}", method, params)
    return s.case()
