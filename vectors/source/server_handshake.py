"""Scenarios of servers in every revision: initialize and initialized, in any order or not at all."""

from __future__ import annotations

from typing import Any

from vectors.source.dialects import ANY_ID, ANY_TEXT, Dialect
from vectors.source.scripts import INITIALIZE, INITIALIZE_RESULT, failure, id_of, mcp_server, result, rpc
from vectors.source.server_play import CALL, RESULT, answered, asks, start
from vectors.source.writing import Case, public

OWN = [mcp_server(shared=False)]
INITIALIZED = rpc("notifications/initialized")


def hub_initialize(d: Dialect) -> dict[str, Any]:
    """The handshake of a server that no client has initialized: no capability of any client is promised."""
    about = {"name": ANY_TEXT, "version": ANY_TEXT}
    return rpc("initialize", {"protocolVersion": d.mcp_version, "capabilities": {}, "clientInfo": about}, ANY_ID)


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


def initialize_unknown(d: Dialect, req: str = "") -> Case:
    """MCP 2026-07-28 has no initialize, so that it is a request like any other."""
    title = "Where the MCP version has no handshake, initialize is the MCP server's to answer"
    s = start(d, "initialize-unknown", title, f"HOUSE-ID-01 {req}", "Handshake", mcp_version="2026-07-28",
              servers=[mcp_server() | {"initialize_result": None}])  # fmt: skip
    event = s.arrives("alice", d.initialize(INITIALIZE))
    s.delivers(rpc("initialize", INITIALIZE, ANY_ID))
    s.says(failure(id_of(0), -32601, "Method not found"))
    s.publishes(d.error(event, 0, -32601, "Method not found", method="initialize"))
    return s.case()


def handshake_fails(d: Dialect, req: str = "") -> Case:
    s = start(d, "handshake-fails", "A handshake that the MCP server refuses fails whoever waits for it",
              f"HOUSE-TIME-06 {req}", "Handshake", servers=OWN)  # fmt: skip
    hello = s.arrives("alice", d.initialize(INITIALIZE))
    s.delivers(rpc("initialize", INITIALIZE, ANY_ID), client="alice")
    s.says(failure(id_of(0), -32602, "Unsupported protocol version"), client="alice")
    s.publishes(d.error(hello, 0, -32602, "Unsupported protocol version", method="initialize"))
    event = s.arrives("carol", d.request("tools/call", CALL, 3))
    s.delivers(hub_initialize(d), client="carol")
    s.says(failure(id_of(2), -32602, "Unsupported protocol version"), client="carol")
    s.publishes(d.error(event, 3, -32602, "Unsupported protocol version", to=public("carol")))
    return s.case()


def never_answered(d: Dialect, req: str = "") -> Case:
    title = "A handshake that the MCP server never answers fails, and may be begun anew"
    s = start(d, "handshake-slow", title, f"HOUSE-TIME-06 {req}", "Handshake", servers=OWN, timers={"execution": 30})
    hello = s.arrives("alice", d.initialize(INITIALIZE))
    s.delivers(rpc("initialize", INITIALIZE, ANY_ID), client="alice")
    event = s.arrives("alice", d.request("tools/call", CALL, 3))
    s.tick(29)
    s.tick(1)
    s.publishes(d.error(hello, 0, -32603, ANY_TEXT, method="initialize"))
    s.publishes(d.error(event, 3, -32603, ANY_TEXT))
    again = s.arrives("alice", d.initialize(INITIALIZE, 4))
    s.delivers(rpc("initialize", INITIALIZE, ANY_ID), client="alice")
    s.says(result(id_of(s.now), INITIALIZE_RESULT), client="alice")
    s.publishes(d.response(again, 4, INITIALIZE_RESULT, method="initialize"))
    if not d.has_initialized:
        s.delivers(INITIALIZED, client="alice")
    return s.case()


def cancelled_in_handshake(d: Dialect, req: str = "") -> Case:
    title = "A request cancelled during the handshake never runs; initialize stays"
    s = start(d, "cancel-handshake", title, f"HOUSE-ID-03 {req}", "Handshake Cancel", servers=OWN)
    event = s.arrives("alice", d.request("tools/call", CALL, 3))
    s.delivers(hub_initialize(d), client="alice")
    s.arrives("alice", d.cancel(event, 3))
    s.says(result(id_of(0), INITIALIZE_RESULT), client="alice")
    s.delivers(INITIALIZED, client="alice")
    hello = s.arrives("carol", d.initialize(INITIALIZE))
    s.delivers(rpc("initialize", INITIALIZE, ANY_ID), client="carol")
    s.arrives("carol", d.cancel(hello, 0))
    s.says(result(id_of(3), INITIALIZE_RESULT), client="carol")
    s.publishes(d.response(hello, 0, INITIALIZE_RESULT, method="initialize", to=public("carol")))
    if not d.has_initialized:
        s.delivers(INITIALIZED, client="carol")
    return s.case()


def initialized_before_result(d: Dialect, req: str = "") -> Case:
    """Not in rev1, which has no initialized."""
    title = "initialized before the result is held; so are a second initialize and a call"
    s = start(d, "initialized-early", title, f"HOUSE-TIME-06 {req}", "Handshake Order", servers=OWN)
    first = s.arrives("alice", d.initialize(INITIALIZE))
    s.delivers(rpc("initialize", INITIALIZE, ANY_ID), client="alice")
    second = s.after(1).arrives("alice", d.initialize(INITIALIZE, 1))
    s.arrives("alice", d.initialized())
    event = s.arrives("alice", d.request("tools/call", CALL, 3))
    s.says(result(id_of(0), INITIALIZE_RESULT), client="alice")
    s.publishes(d.response(first, 0, INITIALIZE_RESULT, method="initialize"))
    s.publishes(d.response(second, 1, INITIALIZE_RESULT, method="initialize"))
    s.delivers(INITIALIZED, client="alice")
    passed = s.delivers(rpc("tools/call", CALL, ANY_ID), client="alice")
    s.says(result(id_of(passed), RESULT), client="alice")
    s.publishes(d.response(event, 3, RESULT))
    return s.case()


def called_before_result(d: Dialect, req: str = "") -> Case:
    title = "A call before the initialize result waits for it, and initialized goes first"
    s = start(d, "called-early", title, f"HOUSE-TIME-06 {req}", "Handshake Order", servers=OWN)
    first = s.arrives("alice", d.initialize(INITIALIZE))
    s.delivers(rpc("initialize", INITIALIZE, ANY_ID), client="alice")
    event = s.arrives("alice", d.request("tools/call", CALL, 3))
    second = s.after(1).arrives("alice", d.initialize(INITIALIZE, 1))
    if d.has_initialized:
        s.arrives("alice", d.initialized())
    s.says(result(id_of(0), INITIALIZE_RESULT), client="alice")
    s.publishes(d.response(first, 0, INITIALIZE_RESULT, method="initialize"))
    s.publishes(d.response(second, 1, INITIALIZE_RESULT, method="initialize"))
    s.delivers(INITIALIZED, client="alice")
    passed = s.delivers(rpc("tools/call", CALL, ANY_ID), client="alice")
    s.says(result(id_of(passed), RESULT), client="alice")
    s.publishes(d.response(event, 3, RESULT))
    return s.case()


def initialize_again(d: Dialect, req: str = "") -> Case:
    """Not in rev1, which has no initialized."""
    title = "A later initialize, before initialized or after it, gets the first result"
    s = start(d, "initialize-again", title, f"HOUSE-TIME-06 {req}", "Handshake", servers=OWN)
    first = s.arrives("alice", d.initialize(INITIALIZE))
    s.delivers(rpc("initialize", INITIALIZE, ANY_ID), client="alice")
    s.says(result(id_of(0), INITIALIZE_RESULT), client="alice")
    s.publishes(d.response(first, 0, INITIALIZE_RESULT, method="initialize"))
    second = s.after(1).arrives("alice", d.initialize(INITIALIZE, 1))
    s.publishes(d.response(second, 1, INITIALIZE_RESULT, method="initialize"))
    s.arrives("alice", d.initialized())
    s.delivers(INITIALIZED, client="alice")
    answered(s, d, asks(s, d, own=True))
    third = s.after(1).arrives("alice", d.initialize(INITIALIZE, 5))
    s.publishes(d.response(third, 5, INITIALIZE_RESULT, method="initialize"))
    return s.case()


def initialized_alone(d: Dialect, req: str = "") -> Case:
    """Not in rev1, which has no initialized."""
    title = "Of a handshake only initialized comes: a request is served all the same"
    s = start(d, "initialized-alone", title, f"HOUSE-TIME-06 {req}", "Handshake Order", servers=OWN)
    s.arrives("alice", d.initialized())
    s.after(1).arrives("alice", d.initialized())
    event = s.arrives("alice", d.request("tools/call", CALL, 3))
    asked = s.delivers(hub_initialize(d), client="alice")
    s.says(result(id_of(asked), INITIALIZE_RESULT), client="alice")
    s.delivers(INITIALIZED, client="alice")
    passed = s.delivers(rpc("tools/call", CALL, ANY_ID), client="alice")
    s.says(result(id_of(passed), RESULT), client="alice")
    s.publishes(d.response(event, 3, RESULT))
    return s.case()
