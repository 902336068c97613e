"""Scenarios of servers that are announced: what they publish of themselves, and when again.

What such a server does at its start, asking for its lists, belongs to the first step.
"""

from __future__ import annotations

from typing import Any

from vectors.source.dialects import ANY_ID, ANY_TEXT, CAROL, CONTEXTVM, CTXVM, EPHEMERAL, Dialect
from vectors.source.mcp.play import ACKNOWLEDGED, last, stamped
from vectors.source.mcp.play import TOOLS as CHANGED
from vectors.source.scripts import (
    INITIALIZE,
    INITIALIZE_RESULT,
    Script,
    failure,
    id_of,
    mcp_server,
    result,
    rpc,
    server_open,
)
from vectors.source.server_play import answered, asks, lives, refused, start
from vectors.source.writing import Case

TOOLS = {"tools": {"listChanged": True}}
ANNOUNCED = INITIALIZE_RESULT | {"capabilities": TOOLS}
SERVERS = [mcp_server(announced=True, capabilities=TOOLS)]
PREFIX = "io.modelcontextprotocol/"


def asked_by(name: Any, version: Any) -> dict[str, Any]:
    """params of MCP 2026-07-28: what each request says of who asks, here of one that offers nothing."""
    meta = {"protocolVersion": "2026-07-28", "clientCapabilities": {}, "clientInfo": {"name": name, "version": version}}
    return {"_meta": {PREFIX + member: value for member, value in meta.items()}}


HUB = asked_by(ANY_TEXT, ANY_TEXT)


def tool(name: str) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}}


def begins(s: Script, *forms: Any) -> int:
    """The server is announced, and its MCP server asked for its tools."""
    step = s.tick()
    for form in forms:
        s.publishes(form)
    s.delivers(rpc("tools/list", None, ANY_ID))
    return step


def without_handshake(d: Dialect, name: str, title: str, req: str, **changes: Any) -> Script:
    """An announced server whose MCP version has no handshake."""
    server = mcp_server(announced=True) | {"initialize_result": None}
    changes = {"mcp_version": "2026-07-28", "servers": [server]} | changes
    return start(d, name, title, f"HOUSE-ANN-07 {req}", "Announced", **changes)


def announced(d: Dialect, req: str = "") -> Case:
    s = start(d, "announced", "A server is announced, and its list whole, however many pages it has",
              f"HOUSE-ANN-01 {req}", "Announced", servers=SERVERS)  # fmt: skip
    begins(s, d.announcement(ANNOUNCED))
    s.says(result(id_of(0), {"tools": [tool("get_weather")], "nextCursor": "page-2"}))
    s.delivers(rpc("tools/list", {"cursor": "page-2"}, ANY_ID))
    s.says(result(id_of(1), {"tools": [tool("get_forecast")]}))
    s.publishes(d.tool_list([tool("get_weather"), tool("get_forecast")]))
    lives(s, d)
    return s.case()


def announced_resources(d: Dialect, req: str = "") -> Case:
    """Both are of kind 31318: under one `d` the later would replace the earlier."""
    title = "Resources and their templates are announced side by side"
    capabilities = {"resources": {}}
    said = INITIALIZE_RESULT | {"capabilities": capabilities}
    servers = [mcp_server(announced=True, capabilities=capabilities)]
    s = start(d, "announced-resources", title, f"HOUSE-ANN-01 {req}", "Announced", servers=servers)
    s.tick()
    s.publishes(d.announcement(said))
    s.delivers(rpc("resources/list", None, ANY_ID))
    s.delivers(rpc("resources/templates/list", None, ANY_ID))
    resources = [{"name": "main.rs", "uri": "file:///project/src/main.rs"}]
    templates = [{"name": "Project Files", "uriTemplate": "file:///{path}"}]
    s.says(result(id_of(0, 0), {"resources": resources}))
    s.publishes(d.list_of("resources", resources))
    s.says(result(id_of(0, 1), {"resourceTemplates": templates}))
    s.publishes(d.list_of("resourceTemplates", templates))
    return s.case()


def discovered(d: Dialect, req: str = "") -> Case:
    """MCP 2026-07-28: each request says who asks, and a server names itself in `_meta` of its result."""
    title = "Without a handshake, a server is announced by its answer to server/discover"
    s = without_handshake(d, "announced-discovered", title, req, level="SHOULD")
    s.tick()
    s.delivers(rpc("server/discover", HUB, ANY_ID))
    info = {"name": "ExampleServer", "version": "1.0.0"}
    found = {
        "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "instructions": "Ask for the weather",
        "resultType": "complete", "ttlMs": 0, "cacheScope": "public", "_meta": {f"{PREFIX}serverInfo": info},
    }  # fmt: skip
    s.says(result(id_of(0), found))
    said = {
        "protocolVersion": "2026-07-28", "capabilities": {"tools": {}}, "serverInfo": info,
        "instructions": "Ask for the weather",
    }  # fmt: skip
    s.publishes(d.announcement(said))
    s.delivers(rpc("tools/list", HUB, ANY_ID))
    tools = {"tools": [tool("get_weather")], "resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
    s.says(result(id_of(1), tools))
    s.publishes(d.tool_list([tool("get_weather")]))
    return s.case()


def discovered_changes(d: Dialect, req: str = "") -> Case:
    """It keeps to itself what it is, which an initialize result may not."""
    title = "Without a handshake, changes of lists are subscribed to, and announced"
    s = without_handshake(d, "announced-listening", title, req, level="SHOULD")
    s.tick()
    s.delivers(rpc("server/discover", HUB, ANY_ID))
    s.says(result(id_of(0), {"capabilities": TOOLS, "resultType": "complete"}))
    who = {"name": ANY_TEXT, "version": ANY_TEXT}
    s.publishes(d.announcement({"protocolVersion": "2026-07-28", "capabilities": TOOLS, "serverInfo": who}))
    s.delivers(rpc("subscriptions/listen", HUB | {"notifications": {"toolsListChanged": True}}, ANY_ID))
    s.delivers(rpc("tools/list", HUB, ANY_ID))
    name, list_id = id_of(1, 0), id_of(1, 1)
    s.says(rpc(ACKNOWLEDGED, stamped(name, {"notifications": {"toolsListChanged": True}})))
    for number in range(2):
        s.says(result(list_id, {"tools": [tool(f"tool-{number}")]}))
        s.publishes(d.tool_list([tool(f"tool-{number}")]))
        s.says(rpc(CHANGED, stamped("nobody's")))
        s.says(rpc(CHANGED, stamped(name)))
        s.delivers(rpc("tools/list", HUB, ANY_ID))
        list_id = id_of(s.now)
    s.says(result(list_id, {"tools": []}))
    s.publishes(d.tool_list([]))
    s.says(result(name, last(name)))
    s.says(rpc(CHANGED, stamped(name)))
    return s.case()


def undiscovered(d: Dialect, req: str = "") -> Case:
    title = "Without a handshake, a server that does not say what it is is not announced"
    s = without_handshake(d, "announced-undiscovered", title, req)
    s.tick()
    s.delivers(rpc("server/discover", HUB, ANY_ID))
    s.says(failure(id_of(0), -32601, "Method not found"))
    lives(s, d, params=asked_by("ExampleClient", "1.0.0") | {"name": "get_weather"})
    return s.case()


def undescribed(d: Dialect, req: str = "") -> Case:
    """The draft of 2026 (seed 002) states neither initialize nor server/discover."""
    title = "A server that cannot be asked what it is stays unannounced, and works"
    s = without_handshake(d, "announced-undescribed", title, req, mcp_version="DRAFT-2026-v1")
    s.tick()
    lives(s, d)
    return s.case()


def announced_anew(d: Dialect, req: str = "") -> Case:
    s = start(d, "announced-anew", "A list that changes is announced anew, dated after the one before",
              f"HOUSE-ANN-01 {req}", "Announced", servers=SERVERS)  # fmt: skip
    begins(s, d.announcement(ANNOUNCED))
    s.says(result(id_of(0), {"tools": [tool("get_weather")]}))
    s.publishes(d.tool_list([tool("get_weather")]))
    for name in ("get_forecast", "get_tides"):
        s.says(rpc("notifications/tools/list_changed"))
        s.delivers(rpc("tools/list", None, ANY_ID))
        s.says(result(id_of(s.now), {"tools": [tool(name)]}))
        s.publishes(d.tool_list([tool(name)]))
    s.after(60).says(rpc("notifications/tools/list_changed"))
    s.delivers(rpc("tools/list", None, ANY_ID))
    s.says(result(id_of(s.now), {"tools": []}))
    s.publishes(d.tool_list([]))
    return s.case()


def changed_while_read(d: Dialect, req: str = "") -> Case:
    s = start(d, "announced-changing", "A list that changes while it is read is read once more, however often it does",
              f"HOUSE-ANN-01 {req}", "Announced", servers=SERVERS)  # fmt: skip
    step = begins(s, d.announcement(ANNOUNCED))
    for name in ("get_weather", "get_forecast"):
        s.says(rpc("notifications/tools/list_changed"))
        s.says(rpc("notifications/tools/list_changed"))
        step = s.says(result(id_of(step), {"tools": [tool(name)]}))
        s.publishes(d.tool_list([tool(name)]))
        s.delivers(rpc("tools/list", None, ANY_ID))
    s.says(result(id_of(step), {"tools": [tool("get_tides")]}))
    s.publishes(d.tool_list([tool("get_tides")]))
    return s.case()


def too_large(d: Dialect, req: str = "") -> Case:
    s = start(d, "announced-too-large", "A list that is larger than relays carry is not announced",
              f"HOUSE-ANN-01 {req}", "Announced Limits", servers=SERVERS, limits={"event": 2000})  # fmt: skip
    begins(s, d.announcement(ANNOUNCED))
    s.says(result(id_of(0), {"tools": [tool("x" * 2000)]}))
    lives(s, d)
    return s.case()


def second_server(d: Dialect, req: str = "") -> Case:
    """In contextvm one key is one server: it has room for the first."""
    title = "Where one key is one server, the first is announced, elsewhere each under its id"
    servers = [
        mcp_server("server-1", announced=True, capabilities={}),
        mcp_server("server-2", announced=True, capabilities=TOOLS),
    ]
    s = start(d, "announced-second", title, f"HOUSE-ANN-05 HOUSE-ID-07 {req}", "Announced WhichServer WhichRevision",
              open=server_open(d, CONTEXTVM, servers=servers))  # fmt: skip
    first = INITIALIZE_RESULT | {"capabilities": {}}
    s.tick()
    s.publishes(d.announcement(first))
    s.publishes(CONTEXTVM.announcement(first))
    s.publishes(d.announcement(ANNOUNCED, server_id="server-2"))
    s.delivers(rpc("tools/list", None, ANY_ID), server="server-2")
    for name in ("get_weather", "get_forecast"):
        s.says(result(id_of(s.now), {"tools": [tool(name)]}), server="server-2")
        s.publishes(d.tool_list([tool(name)], server_id="server-2"))
        s.after(1).says(rpc("notifications/tools/list_changed"), server="server-2")
        s.delivers(rpc("tools/list", None, ANY_ID), server="server-2")
    return s.case()


def not_allowed(d: Dialect, req: str = "") -> Case:
    s = start(d, "not-allowed-announced", "A key that is not on the list is told so by a server that is announced",
              f"HOUSE-LIMIT-10 {req}", "Access Announced", allow=[CAROL], servers=SERVERS)  # fmt: skip
    begins(s, d.announcement(ANNOUNCED))
    event = s.arrives("mallory", d.request("tools/call", {"name": "get_weather"}, 3))
    refused(s, d, event, 3, -32000, to="mallory")
    s.arrives("mallory", d.to_server("notifications/roots/list_changed"))
    lives(s, d)
    return s.case()


def several_revisions(d: Dialect, req: str = "") -> Case:
    """The seeds share kinds 31316 to 31319, so only one of them can have the address of the server's own id."""
    others = [one for one in (CTXVM, EPHEMERAL, CONTEXTVM) if one is not d]
    title = "Of several revisions each is announced at an address of its own"
    req = f"HOUSE-ANN-02 HOUSE-ANN-03 HOUSE-ANN-04 HOUSE-ANN-05 {req}"
    open = server_open(d, *others, servers=SERVERS)
    s = start(d, "announced-revisions", title, req, "Announced WhichRevision", open=open)
    ids = {d.name: "server-1"} | {one.name: f"server-1.{one.name}" for one in others}
    begins(s, *(one.announcement(ANNOUNCED, server_id=ids[one.name]) for one in (d, *others)))
    s.says(result(id_of(0), {"tools": [tool("get_weather")]}))
    for one in (d, *others):
        s.publishes(one.tool_list([tool("get_weather")], server_id=ids[one.name]))
    event = s.arrives("alice", CTXVM.request("tools/call", {"name": "get_weather"}, 3, server_id=ids["ctxvm-draft"]))
    s.delivers(rpc("tools/call", {"name": "get_weather"}, ANY_ID))
    s.says(result(id_of(s.now), {"content": []}))
    s.publishes(CTXVM.response(event, 3, {"content": []}))
    hello = s.arrives("alice", CTXVM.initialize(INITIALIZE, 4, server_id=ids["ctxvm-draft"]))
    answer = CTXVM.response(hello, 4, ANNOUNCED, method="initialize", server_id=ids["ctxvm-draft"])
    s.publishes(answer)
    answered(s, d, asks(s, d, "carol", 1))
    return s.case()


def encryption(d: Dialect, req: str = "") -> Case:
    s = start(d, "announced-encryption", "A server that reads wraps says so where it is announced",
              f"HOUSE-CRYPT-05 {req}", "Announced", servers=SERVERS, encryption="optional")  # fmt: skip
    begins(s, d.announcement(ANNOUNCED, encryption=True))
    return s.case()


def list_fails(d: Dialect, req: str = "") -> Case:
    s = start(d, "announced-list-fails", "A list is not announced before the MCP server gives it",
              f"HOUSE-ANN-01 {req}", "Announced", servers=SERVERS)  # fmt: skip
    begins(s, d.announcement(ANNOUNCED))
    s.says(failure(id_of(0), -32603, "Internal error"))
    lives(s, d)
    s.says(rpc("notifications/tools/list_changed"))
    s.publishes(d.to_client("notifications/tools/list_changed", to=CAROL))
    step = s.delivers(rpc("tools/list", None, ANY_ID))
    s.says(result(id_of(step), {"tools": [tool("get_weather")]}))
    s.publishes(d.tool_list([tool("get_weather")]))
    return s.case()
