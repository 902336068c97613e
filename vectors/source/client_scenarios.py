"""Scenarios of clients in every revision: handshake, ids, progress, time-outs, cancels, what servers send."""

from __future__ import annotations

from vectors.source.client_play import (
    CALL,
    RESULT,
    STRANGE,
    Asked,
    answer,
    answered,
    asks,
    cancels,
    fails,
    knows,
    lives,
    start,
)
from vectors.source.dialects import ANY_ID, BOB, Dialect
from vectors.source.scripts import INITIALIZE, INITIALIZE_RESULT, Script, event_of, failure, id_of, result, rpc
from vectors.source.writing import Case

INITIALIZED = rpc("notifications/initialized")
OTHER = INITIALIZE_RESULT | {"serverInfo": {"name": "OtherServer", "version": "2.0.0"}}


# Requests and answers


def call(d: Dialect, req: str = "") -> Case:
    s = start(d, "call", "A request is published, and its answer is delivered", f"HOUSE-ID-01 {req}", "Basic")
    knows(s, d)
    answered(s, d, asks(s, d))
    return s.case()


def pages(d: Dialect, req: str = "") -> Case:
    s = start(d, "pages", "A list is asked for page by page", f"HOUSE-ID-01 {req}", "Basic", level="MAY")
    knows(s, d)
    tools = {"tools": [{"name": "get_weather", "inputSchema": {"type": "object"}}]}
    answered(s, d, asks(s, d, 1, "tools/list", {}), tools | {"nextCursor": "page-2"})
    answered(s, d, asks(s, d, 2, "tools/list", {"cursor": "page-2"}), tools)
    return s.case()


def four_ids(d: Dialect, req: str = "") -> Case:
    title = '0, "0", 1 and "1" are four ids, and come back as they were'
    s = start(d, "four-ids", title, f"HOUSE-ID-02 {req}", "Ids")
    asked = [asks(s, d, id, params={"name": f"tool-{number}"}) for number, id in enumerate((0, "0", 1, "1"))]
    for number, one in reversed(list(enumerate(asked))):
        answered(s, d, one, {"content": [{"type": "text", "text": str(number)}]})
    return s.case()


def other_id(d: Dialect, req: str = "") -> Case:
    """Only where ids travel."""
    title = "An answer whose e fits is delivered under the caller's id, whatever id it has"
    s = start(d, "other-id", title, f"HOUSE-ID-01 HOUSE-ID-02 {req}", "Ids Correlation")
    asked = asks(s, d, 3)
    answer(s, d, Asked(asked.step, "3", asked.method, None))
    s.delivers(result(3, RESULT))
    return s.case()


def errors(d: Dialect, req: str = "") -> Case:
    s = start(d, "errors", "An error is delivered with its code, and ends the request", f"HOUSE-ID-01 {req}", "Basic")
    knows(s, d)
    for id, (code, text) in enumerate(((-32602, "Unknown tool: get_weather"), (-32002, "Resource not found"))):
        asked = asks(s, d, id, params=CALL | {"name": f"tool-{id}"})
        s.signs("bob", d.error(asked.event, id, code, text))
        s.delivers(failure(id, code, text))
        s.after(1)
        answer(s, d, asked)
    return s.case()


def error_data(d: Dialect, req: str = "") -> Case:
    s = start(d, "error-data", "The data of an error is delivered too", f"HOUSE-ID-01 {req}", "Basic")
    asked = asks(s, d)
    s.signs("bob", d.error(asked.event, 3, -32603, "Internal error", {"at": [1, "x"]}))
    s.delivers(failure(3, -32603, "Internal error", {"at": [1, "x"]}))
    return s.case()


def numbers(d: Dialect, req: str = "") -> Case:
    title = "Numbers in content keep their value and type"
    req = f"HOUSE-JSON-03 HOUSE-JSON-04 HOUSE-JSON-05 {req}"
    s = start(d, "numbers", title, req, "Numbers")
    many = {"name": "sum", "arguments": {"values": [9007199254740993, 123456789012345678901234567890, -1, 0]}}
    asked = asks(s, d, 3, params=many)
    answered(s, d, asked, {"content": [], "structuredContent": {"sum": 123456789012345678901234567891, "half": 0.5}})
    return s.case()


# The handshake


def handshake(d: Dialect, req: str = "") -> Case:
    title = "initialize is published and answered, and initialized follows"
    if not d.has_initialized:
        title = "initialize is published and answered; no initialized follows"
    s = start(d, "handshake", title, f"HOUSE-ID-02 {req}", "Handshake")
    answered(s, d, asks(s, d, 0, "initialize", INITIALIZE), INITIALIZE_RESULT)
    s.says(INITIALIZED)
    if d.has_initialized:
        s.publishes(d.initialized())
    lives(s, d)
    return s.case()


def first_server(d: Dialect, req: str = "") -> Case:
    """Only where a key can have several servers."""
    title = "Without a server id the first answer to initialize gives it; others are dropped"
    opened = {"pubkey": BOB, "id": None, "announcement": None}
    s = start(d, "first-server", title, f"HOUSE-ID-07 {req}", "Handshake WhichServer", server=opened)
    asked = asks(s, d, 0, "initialize", INITIALIZE, server_id=None)
    answered(s, d, asked, INITIALIZE_RESULT, server_id="server-2")
    answer(s, d, asked, OTHER, server_id="server-1")
    s.says(INITIALIZED)
    if d.has_initialized:
        s.publishes(d.initialized(server_id="server-2"))
    lives(s, d, server_id="server-2")
    return s.case()


def _searches(s: Script, d: Dialect) -> Asked:
    """The client asks which servers the key has."""
    step = s.servers(INITIALIZE)
    s.publishes(d.initialize(INITIALIZE, ANY_ID, server_id=None))
    return Asked(step, id_of(step), "initialize", None)


def servers(d: Dialect, req: str = "") -> Case:
    """Only where a key can have several servers."""
    title = "initialize without a server id finds every server of a key, for a while"
    s = start(d, "servers", title, f"HOUSE-ID-07 {req}", "Handshake WhichServer")
    asked = _searches(s, d)
    answer(s, d, asked, INITIALIZE_RESULT, server_id="server-1")
    s.after(1)
    answer(s, d, asked, OTHER, server_id="server-2")
    answer(s, d, asked, OTHER, role="mallory", server_id="server-3")
    s.tick(2)
    s.finds({"server-1": INITIALIZE_RESULT, "server-2": OTHER})
    answer(s, d, asked, OTHER, server_id="server-4")
    return s.case()


def servers_in_time(d: Dialect, req: str = "") -> Case:
    """Only where a key can have several servers."""
    title = "Every server is found that answers in time, and none that answers with an error"
    s = start(d, "servers-in-time", title, f"HOUSE-ID-07 {req}", "Handshake WhichServer")
    asked = _searches(s.after(5), d)
    answer(s, d, asked, INITIALIZE_RESULT, server_id="server-1")
    s.signs("bob", d.error(asked.event, asked.id, -32603, "starting", method="initialize", server_id="server-2"))
    s.tick(1)
    answer(s, d, asked, OTHER, server_id="server-3")
    s.tick(1.5)
    s.finds({"server-1": INITIALIZE_RESULT, "server-3": OTHER})
    return s.case()


def servers_bounded(d: Dialect, req: str = "") -> Case:
    """Only where a key can have several servers."""
    title = "No more servers are found than requests may be pending"
    s = start(d, "servers-bounded", title, f"HOUSE-LIMIT-04 {req}", "Limits WhichServer", limits={"pending": 2})
    asked = _searches(s, d)
    for number in (1, 2, 3):
        answer(s, d, asked, OTHER, server_id=f"server-{number}")
    s.tick(2)
    s.finds({"server-1": OTHER, "server-2": OTHER})
    return s.case()


def servers_unsent(d: Dialect, req: str = "") -> Case:
    """Only where a key can have several servers."""
    title = "A search for servers that no relay would carry finds none, and fails no request"
    s = start(d, "servers-unsent", title, f"HOUSE-LIMIT-08 {req}", "Limits WhichServer", limits={"event": 2000})
    s.servers(INITIALIZE | {"clientInfo": {"name": "x" * 3000, "version": "1.0.0"}})
    s.finds({})
    lives(s, d)
    return s.case()


def named_by_another(d: Dialect, req: str = "") -> Case:
    """Only where a key can have several servers, and a ping need not name one."""
    title = "Only the answer to initialize says which server it is"
    opened = {"pubkey": BOB, "id": None, "announcement": None}
    s = start(d, "named-by-another", title, f"HOUSE-ID-07 {req}", "Handshake WhichServer", server=opened)
    asked = asks(s, d, 1, "ping", None, server_id=None)
    s.signs("bob", d.response(asked.event, 1, {}).with_tags(["d", "server-2"]))
    s.delivers(result(1, {}))
    first = asks(s, d, 2, "initialize", INITIALIZE, server_id=None)
    answered(s, d, first, INITIALIZE_RESULT)
    lives(s, d)
    return s.case()


def from_announcement(d: Dialect, req: str = "") -> Case:
    title = "Without a handshake the announcement answers initialize, which is not published"
    s = start(d, "from-announcement", title, f"HOUSE-ID-02 {req}", "Handshake", handshake=False, level="MAY")
    knows(s, d)
    s.says(rpc("initialize", INITIALIZE, 0))
    s.delivers(result(0, INITIALIZE_RESULT))
    s.says(INITIALIZED)
    lives(s, d)
    return s.case()


def initialize_times_out(d: Dialect, req: str = "") -> Case:
    title = "An initialize without an answer fails, and is not cancelled, as MCP forbids it"
    s = start(d, "initialize-times-out", title, f"HOUSE-ID-02 {req}", "TimeOut Handshake")
    asked = asks(s, d, 0, "initialize", INITIALIZE)
    s.tick(61)
    fails(s, asked)
    return s.case()


# Time-outs, progress and cancels


def times_out(d: Dialect, req: str = "") -> Case:
    title = "A request without an answer in time is cancelled; a late answer is dropped"
    s = start(d, "times-out", title, f"HOUSE-ID-03 {req}", "TimeOut")
    asked = asks(s, d)
    s.tick(59)
    s.tick(2)
    cancels(s, d, asked)
    fails(s, asked)
    answer(s, d, asked)
    lives(s, d)
    return s.case()


def cancelled(d: Dialect, req: str = "") -> Case:
    title = "A local cancel is published in the revision's form; a late answer is dropped"
    s = start(d, "cancelled", title, f"HOUSE-ID-03 {req}", "Cancel")
    asked = asks(s, d)
    s.says(rpc("notifications/cancelled", {"requestId": 3, "reason": "too slow"}))
    cancels(s, d, asked, "too slow")
    answer(s, d, asked)
    s.tick(61)
    return s.case()


def cancelled_by_type(d: Dialect, req: str = "") -> Case:
    title = 'A cancel of "3" is not a cancel of 3'
    s = start(d, "cancelled-other-type", title, f"HOUSE-ID-02 HOUSE-ID-03 {req}", "Cancel Ids")
    asked = asks(s, d, 3)
    s.says(rpc("notifications/cancelled", {"requestId": "3"}))
    s.says(rpc("notifications/cancelled", {"requestId": 4}))
    answered(s, d, asked)
    return s.case()


def progress(d: Dialect, req: str = "") -> Case:
    title = "Progress is delivered with the caller's token"
    s = start(d, "progress", title, f"HOUSE-ID-04 {req}", "Progress Ids")
    for token in ("weather", 0):
        asked = asks(s, d, f"call {token}", params=CALL | {"_meta": {"progressToken": token}})
        for number in (1, 2):
            s.signs("bob", d.progress(asked.event, asked.id, token, number, f"part {number}", total=2))
            said = {"progressToken": token, "progress": number, "total": 2, "message": f"part {number}"}
            s.delivers(rpc("notifications/progress", said))
        answered(s, d, asked)
    return s.case()


def progress_as_printed(d: Dialect, req: str = "") -> Case:
    """Only in the DVMCP revisions, whose seeds print progress with id and message alone."""
    title = "Progress as printed is delivered with the caller's token and rising numbers"
    s = start(d, "progress-as-printed", title, f"HOUSE-ID-04 {req}", "Progress")
    asked = asks(s, d, params=CALL | {"_meta": {"progressToken": "weather"}})
    for number, text in ((1, "looking"), (2, "still looking")):
        params = {"id": d.shared_id(asked.event, 3), "message": text}
        s.signs("bob", d.to_client("notifications/progress", params, request=asked.event))
        said = {"progressToken": "weather", "progress": number, "message": text}
        s.delivers(rpc("notifications/progress", said))
    answered(s, d, asked)
    return s.case()


def progress_without_token(d: Dialect, req: str = "") -> Case:
    title = "Progress without a token is not delivered, and still keeps the request alive"
    s = start(d, "progress-without-token", title, f"HOUSE-ID-04 {req}", "Progress TimeOut")
    asked = asks(s, d)
    s.after(50)
    s.signs("bob", d.progress(asked.event, 3, "not yours", 1, "working"))
    s.tick(50)
    answered(s, d, asked)
    return s.case()


def progress_by_token(d: Dialect, req: str = "") -> Case:
    """Only in ContextVM, which asks for no e on progress."""
    title = "Progress without e belongs to the request with its token, if there is one"
    s = start(d, "progress-by-token", title, f"HOUSE-ID-04 {req}", "Progress Ids", level="MAY")
    asked = asks(s, d, params=CALL | {"_meta": {"progressToken": "weather"}})
    for token in (0, "other", None):
        s.signs("bob", d.to_client("notifications/progress", {"progressToken": token, "progress": 1}))
    params = {"progressToken": "weather", "progress": 1}
    s.signs("bob", d.to_client("notifications/progress", params))
    s.delivers(rpc("notifications/progress", params))
    answered(s, d, asked)
    return s.case()


def progress_of_another(d: Dialect, req: str = "") -> Case:
    title = "Progress that names no pending request is not delivered, whatever token it has"
    s = start(d, "progress-of-another", title, f"HOUSE-ID-06 {req}", "Progress Ids")
    asked = asks(s, d, params=CALL | {"_meta": {"progressToken": 0}})
    s.signs("bob", d.progress(STRANGE, 9, 0, 1, "somebody else's"))
    s.signs("mallory", d.progress(asked.event, 3, 0, 1, "a stranger's"))
    answered(s, d, asked)
    s.signs("bob", d.progress(asked.event, 3, 0, 2, "too late"))
    return s.case()


def progress_extends(d: Dialect, req: str = "") -> Case:
    title = "Progress restarts the time-out of its request"
    s = start(d, "progress-extends", title, f"HOUSE-ID-04 {req}", "Progress TimeOut")
    asked = asks(s, d, params=CALL | {"_meta": {"progressToken": "t"}})
    s.after(50)
    s.signs("bob", d.progress(asked.event, 3, "t", 1, "working"))
    s.delivers(rpc("notifications/progress", {"progressToken": "t", "progress": 1, "message": "working"}))
    s.tick(59)
    s.tick(2)
    cancels(s, d, asked)
    fails(s, asked)
    return s.case()


def refused_by_relays(d: Dialect, req: str = "") -> Case:
    title = "A request that every relay refuses fails at once"
    s = start(d, "refused-by-relays", title, f"HOUSE-ID-01 {req}", "TimeOut")
    asked = asks(s, d)
    s.ok(asked.step, False, "blocked: not allowed")
    fails(s, asked)
    taken = asks(s, d, 4)
    s.ok(taken.step, True)
    answered(s, d, taken)
    return s.case()


def refused_late(d: Dialect, req: str = "") -> Case:
    title = "What relays say of a request after its answer changes nothing"
    s = start(d, "refused-late", title, f"HOUSE-ID-01 {req}", "TimeOut")
    asked = asks(s, d)
    answered(s, d, asked)
    s.ok(asked.step, False, "error: could not store it")
    lives(s, d)
    return s.case()


def frames(d: Dialect, req: str = "") -> Case:
    """Only in ContextVM."""
    title = "A frame of an oversized transfer, or of an open stream, fails its request"
    s = start(d, "frames", title, req, "Progress")
    unsupported = {"reason": "unsupported"}
    start_of = {
        "oversized-transfer": {"frameType": "start", "totalBytes": 100_000, "totalChunks": 3},
        "open-stream": {"frameType": "start"},
    }
    for number, (type, more) in enumerate(start_of.items()):
        asked = asks(s, d, number, params=CALL | {"_meta": {"progressToken": number}})
        params = {"progressToken": number, "progress": 1, "cvm": {"type": type, **more}}
        s.signs("bob", d.to_client("notifications/progress", params, request=asked.event))
        cancels(s, d, asked)
        fails(s, asked, unsupported)
        answer(s, d, asked)
    return s.case()


# Notifications and requests of the server


def notifications(d: Dialect, req: str = "") -> Case:
    s = start(d, "notifications", "Notifications of the server are delivered", f"HOUSE-ROUTE-06 {req}", "Basic")
    for what in ("tools", "resources", "prompts"):
        s.arrives("bob", d.to_client(f"notifications/{what}/list_changed"))
        s.delivers(rpc(f"notifications/{what}/list_changed"))
    s.arrives("bob", d.to_client("notifications/resources/updated", {"uri": "file:///a"}))
    s.delivers(rpc("notifications/resources/updated", {"uri": "file:///a"}))
    return s.case()


def notifications_of_another(d: Dialect, req: str = "") -> Case:
    """Only where notifications name their server."""
    title = "A notification of another server of the same key is not delivered"
    s = start(d, "notification-other-server", title, f"HOUSE-ID-07 {req}", "WhichServer")
    s.arrives("bob", d.to_client("notifications/tools/list_changed", server_id="server-2"))
    s.arrives("bob", d.to_client("notifications/tools/list_changed"))
    s.delivers(rpc("notifications/tools/list_changed"))
    # As a provider names it that announces it in several revisions (HOUSE-ANN-03).
    s.arrives("bob", d.to_client("notifications/prompts/list_changed", server_id=f"server-1.{d.name}"))
    s.delivers(rpc("notifications/prompts/list_changed"))
    return s.case()


def agreed_version(d: Dialect, req: str = "") -> Case:
    """MCP 2026-07-28 has no requests of servers."""
    title = "The version that initialize agrees on says what a server may ask"
    return _negotiates(d, "agreed-version", title, req, "2026-07-28", "2025-03-26")


def unknown_version(d: Dialect, req: str = "") -> Case:
    title = "An answer to initialize with an unknown version changes nothing"
    return _negotiates(d, "unknown-version", title, req, "2025-03-26", "2031-01-01")


def _negotiates(d: Dialect, name: str, title: str, req: str, hoped: str, said: str) -> Case:
    s = start(d, name, title, f"HOUSE-ID-01 {req}", "ServerRequest", mcp_version=hoped)
    greeted = asks(s, d, 0, "initialize", INITIALIZE, first=True)
    answered(s, d, greeted, INITIALIZE_RESULT | {"protocolVersion": said})
    s.arrives("bob", d.server_request("roots/list", None, 5))
    s.delivers(rpc("roots/list", None, ANY_ID))
    return s.case()


def client_notification(d: Dialect, req: str = "") -> Case:
    s = start(
        d, "roots-changed", "A notification of the local client is published", f"HOUSE-ONCE-07 {req}", "Basic Salt"
    )
    for _ in range(2):
        s.says(rpc("notifications/roots/list_changed"))
        s.publishes(d.to_server("notifications/roots/list_changed"))
    return s.case()


def server_ping(d: Dialect, req: str = "") -> Case:
    """Only where servers may ping."""
    title = "A server's ping is answered at once and never reaches the local client"
    s = start(d, "server-ping", title, f"HOUSE-ID-01 {req}", "ServerRequest")
    for id in (7, "0"):
        ping = s.arrives("bob", d.server_request("ping", None, id))
        s.publishes(d.answer(ping, id, {}))
        s.after(1)
    s.arrives("mallory", d.server_request("ping", None, 8))
    return s.case()


def server_request(d: Dialect, req: str = "") -> Case:
    """Only where servers may ask clients."""
    title = "A request of the server is delivered, and the local client's answer published"
    s = start(d, "server-request", title, f"HOUSE-ID-01 {req}", "ServerRequest")
    asked = s.arrives("bob", d.server_request("roots/list", None, 5))
    s.delivers(rpc("roots/list", None, ANY_ID))
    s.says(result(id_of(s.now), {"roots": [{"uri": "file:///home"}]}))
    s.publishes(d.answer(asked, 5, {"roots": [{"uri": "file:///home"}]}))
    second = s.arrives("bob", d.server_request("roots/list", None, 6))
    s.delivers(rpc("roots/list", None, ANY_ID))
    s.says(failure(id_of(s.now), -32601, "Roots not supported"))
    s.publishes(d.refusal(second, 6, -32601, "Roots not supported"))
    return s.case()


def server_withdraws(d: Dialect, req: str = "") -> Case:
    """Only where servers may ask clients."""
    title = "A server's cancel of its request is delivered with the id the local client knows"
    s = start(d, "server-withdraws", title, f"HOUSE-ID-03 HOUSE-ROUTE-04 {req}", "ServerRequest Cancel")
    asked = s.arrives("bob", d.server_request("roots/list", None, 5))
    step = s.delivers(rpc("roots/list", None, ANY_ID))
    s.arrives("mallory", d.server_cancel(asked, 5))
    s.arrives("bob", d.server_cancel(STRANGE, 5))
    s.arrives("bob", d.server_cancel(asked, 5))
    s.delivers(rpc("notifications/cancelled", {"requestId": id_of(step)}))
    s.says(result(id_of(step), {"roots": []}))
    return s.case()


def server_told_of_progress(d: Dialect, req: str = "") -> Case:
    """Only where servers may ask clients."""
    title = "Progress of the local client is published with e and the server's token"
    s = start(d, "own-progress", title, f"HOUSE-ID-04 {req}", "ServerRequest Progress")
    params = {"messages": [], "maxTokens": 100, "_meta": {"progressToken": "t"}}
    asked = s.arrives("bob", d.server_request("sampling/createMessage", params, 5))
    s.delivers(rpc("sampling/createMessage", params, ANY_ID))
    for token in ("t", "nobody's"):
        said = {"progressToken": token, "progress": 1}
        s.says(rpc("notifications/progress", said))
        if token == "t":
            s.publishes(d.to_server("notifications/progress", said, request=asked))
    return s.case()


def server_asks_too_much(d: Dialect, req: str = "") -> Case:
    """Only where servers may ask clients."""
    title = "A server's request under an id in use, or beyond the limit, is refused"
    s = start(d, "server-requests", title, f"HOUSE-LIMIT-02 {req}", "ServerRequest Limits", limits={"pending": 2})
    s.arrives("bob", d.server_request("roots/list", None, 5))
    s.delivers(rpc("roots/list", None, ANY_ID))
    same = s.after(1).arrives("bob", d.server_request("roots/list", None, 5))
    s.publishes(d.refusal(same, 5, -32600))
    s.arrives("bob", d.server_request("roots/list", None, 6))
    s.delivers(rpc("roots/list", None, ANY_ID))
    more = s.arrives("bob", d.server_request("roots/list", None, 7))
    s.publishes(d.refusal(more, 7, -32603))
    return s.case()


def wrong_way(d: Dialect, req: str = "") -> Case:
    """Only where servers may ask clients."""
    title = "A request that only clients send is refused, and not delivered"
    s = start(d, "wrong-way", title, f"HOUSE-ID-01 {req}", "ServerRequest")
    asked = s.arrives("bob", d.server_request("tools/call", CALL, 5))
    s.publishes(d.refusal(asked, 5, -32601))
    return s.case()


# Signs of life


def pings(d: Dialect, req: str = "") -> Case:
    title = "A silent server is pinged; without an answer in time, what waits for it fails"
    timers = {"ping": 30, "ping_timeout": 10, "request": 600}
    s = start(
        d, "pings", title, f"HOUSE-ID-01 {req}", "TimeOut", timers=timers, limits={"ping_failures": 1}, level="MAY"
    )
    asked = asks(s, d)
    ping = s.tick(30)
    s.publishes(d.request("ping", None, ANY_ID))
    answer(s, d, Asked(ping, id_of(ping), "ping", None), {})
    s.tick(29)
    silent = s.tick(2)
    s.publishes(d.request("ping", None, ANY_ID))
    s.tick(11)
    s.publishes(d.cancel(event_of(silent), id_of(silent) if d.whole else None))
    cancels(s, d, asked)
    fails(s, asked)
    return s.case()
