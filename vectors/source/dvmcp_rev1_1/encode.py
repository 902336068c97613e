"""From a JSON-RPC message to the event of `dvmcp-rev1.1` (seed 003): kinds, tags and content as the seed prints them."""

from __future__ import annotations

from typing import Any

from vectors.source.dvmcp_rev1_1.examples import (
    ALICE,
    ANNOUNCED_COMPLETIONS,
    BOB,
    CALL,
    CALL_ID,
    CALL_RESULT,
    COMPLETE,
    COMPLETE_ERROR,
    COMPLETE_ID,
    COMPLETE_RESULT,
    COMPLETE_RESULT_12,
    COMPLETE_URI,
    ERROR,
    EXECUTION_ERROR,
    GET,
    GET_ID,
    GET_RESULT,
    HUNDRED,
    INITIALIZE,
    INITIALIZE_ID,
    INITIALIZE_RESULT,
    INITIALIZED,
    INVOICE,
    LIST,
    LIST_ID,
    LIST_RESULT,
    P_ALICE,
    P_BOB,
    PING,
    PING_ERROR,
    PING_ID,
    READ,
    READ_ID,
    READ_RESULT,
    REVISION,
    SERVER_ID,
    SERVER_PING_ID,
    TIME,
    TOO_MANY,
    D,
    S,
    method,
    rpc,
    text,
)
from vectors.source.writing import Note, Suite, invalid, unsigned, valid

SUITE = Suite(
    "dvmcp-rev1.1/encode",
    "Messages as events of DVMCP rev1.1",
    "1",
    {
        "Basic": Note("BASIC", "an ordinary message", "peers do not understand each other"),
        "Example": Note("BASIC", "an example event of the specification", "peers do not understand each other"),
        "NoServerId": Note("EDGE_CASE", "the server's identifier is not known yet", "a private server is never found"),
        "BothWays": Note("BASIC", "a ping or its answer by either side", "a living peer is taken for dead"),
        "Stripped": Note(
            "WIRE_SHAPE",
            "ids do not travel: the request's event id stands for them",
            "a cancel or progress goes astray",
        ),
        "Hoisted": Note("WIRE_SHAPE", "a result's members stand at the root", "a result is lost or misread"),
        "NotCarried": Note(
            "WIRE_SHAPE", "a message that the revision has no form for", "the other side reads another message"
        ),
        "ErrorCode": Note("BASIC", "an error code that the specification lists", "a failure is misread"),
    },
)

ROLES = {"alice": ("client", ALICE, BOB), "bob": ("server", BOB, ALICE)}


def given(sender: str, message: Any, server_id: str | None, request: dict[str, Any] | None) -> dict[str, Any]:
    role, own, other = ROLES[sender]
    return {
        "revision": REVISION, "message": message, "sender": {"role": role, "pubkey": own}, "recipient": other,
        "server_id": server_id, "request": request, "prices": [], "encryption": False, "created_at": TIME,
    }  # fmt: skip


def encoded(
    id: str,
    title: str,
    req: str,
    sender: str,
    message: dict[str, Any],
    kind: int,
    tags: list[list[str]],
    content: str,
    *,
    optional: list[list[str]] | None = None,
    server_id: str | None = SERVER_ID,
    request: dict[str, Any] | None = None,
    flags: str = "Basic",
    **rest: Any,
) -> Any:
    output = {"event": unsigned(sender, kind, tags, content, TIME), "optional_tags": optional or []}
    inputs = given(sender, message, server_id, request)
    return valid(id, title, req, inputs, output, compare="event", flags=flags, **rest)


def request(id: str, title: str, req: str, body: dict[str, Any], **rest: Any) -> Any:
    """A client's request: method, p, s."""
    message = {"jsonrpc": "2.0", "id": 1, **body}
    tags = [method(body["method"]), P_BOB, S]
    return encoded(id, title, req, "alice", message, 25910, tags, text(body), **rest)


def response(
    id: str,
    title: str,
    req: str,
    event_id: str,
    name: str,
    outcome: dict[str, Any],
    content: dict[str, Any],
    **rest: Any,
) -> Any:
    """A server's response: e, and p, which the seed does not print."""
    message = {"jsonrpc": "2.0", "id": 1, **outcome}
    refers = {"event_id": event_id, "method": name}
    return encoded(id, title, req, "bob", message, 26910, [P_ALICE, ["e", event_id]], text(content), optional=[P_ALICE],
                   request=refers, **rest)  # fmt: skip


def error(id: str, title: str, req: str, event_id: str, name: str, problem: dict[str, Any], **rest: Any) -> Any:
    return response(id, title, req, event_id, name, {"error": problem}, {"error": problem}, **rest)


def notice(id: str, title: str, req: str, body: dict[str, Any], **rest: Any) -> Any:
    """A server's notification: p, method; s is free."""
    tags = [P_ALICE, method(body["method"]), S]
    return encoded(id, title, req, "bob", rpc(body), 21316, tags, text(body), optional=[S], **rest)


def not_carried(id: str, title: str, req: str, message: dict[str, Any], name: str = "tools/call") -> Any:
    refers = {"event_id": CALL_ID, "method": name}
    return invalid(id, title, req, given("bob", message, SERVER_ID, refers), "not_carried", flags="NotCarried")


SUITE.group(
    "encode_message",
    encoded("r11-encode-initialize", "initialize to one server has p, s and method, without jsonrpc and id",
            "R11-KIND-01 R11-BODY-02 R11-TAG-05 R11-TAG-06 R11-TAG-07 R11-INIT-07", "alice",
            {"jsonrpc": "2.0", "id": 0, **INITIALIZE}, 25910, [P_BOB, S, method("initialize")], text(INITIALIZE),
            optional=[S], flags="Example", comment="003: Client Initialization Request"),
    encoded("r11-encode-initialize-all", "initialize to all servers of a provider has no s",
            "R11-TAG-05 R11-TAG-06 R11-TAG-07 R11-INIT-03", "alice", {"jsonrpc": "2.0", "id": 0, **INITIALIZE}, 25910,
            [P_BOB, method("initialize")], text(INITIALIZE), server_id=None, flags="NoServerId"),
    encoded("r11-encode-initialize-response", "the answer to initialize names the server in d",
            "R11-KIND-02 R11-BODY-04 R11-BODY-05 R11-TAG-10 R11-TAG-11 R11-INIT-08", "bob",
            {"jsonrpc": "2.0", "id": 0, "result": INITIALIZE_RESULT}, 26910, [P_ALICE, ["e", INITIALIZE_ID], D],
            text(INITIALIZE_RESULT), optional=[P_ALICE], request={"event_id": INITIALIZE_ID, "method": "initialize"},
            flags="Example Hoisted", comment="003: Server Initialization Response"),
    encoded("r11-encode-initialize-completions", "the answer to initialize names the completions capability",
            "R11-COMP-01 R11-TAG-11", "bob", {"jsonrpc": "2.0", "id": 0, "result": ANNOUNCED_COMPLETIONS}, 26910,
            [P_ALICE, ["e", INITIALIZE_ID], D], text(ANNOUNCED_COMPLETIONS), optional=[P_ALICE],
            request={"event_id": INITIALIZE_ID, "method": "initialize"}, flags="Hoisted",
            comment="003: Completions, Capability Announcement (in both announcement and initialization response)"),
    encoded("r11-encode-initialized", "initialized has p, s and method and is a notification",
            "R11-KIND-03 R11-BODY-06 R11-TAG-18 R11-TAG-19 R11-TAG-20 R11-NOTE-03", "alice", rpc(INITIALIZED), 21316,
            [P_BOB, S, method("notifications/initialized")], text(INITIALIZED), flags="Example",
            comment="003: Client Initialized Notification"),
    request("r11-encode-list", "a list request has method, p, s and a cursor",
            "R11-KIND-01 R11-BODY-01 R11-BODY-02 R11-BODY-03 R11-TAG-01 R11-TAG-02 R11-TAG-03 R11-TAG-04 R11-FLOW-10 R11-FLOW-32",
            LIST, flags="Example", comment="003: List Request Template"),
    request("r11-encode-list-templates", "resource templates are asked for like any list", "R11-FLOW-12",
            {"method": "resources/templates/list", "params": {"cursor": "page-2"}},
            comment="the seed has the list and never names its method; MCP does"),
    response("r11-encode-list-response", "a list result stands at the root, with its cursor",
             "R11-KIND-02 R11-BODY-05 R11-TAG-08 R11-FLOW-11 R11-FLOW-13", LIST_ID, "tools/list",
             {"result": LIST_RESULT}, LIST_RESULT, flags="Example Hoisted", comment="003: List Response Template"),
    request("r11-encode-call", "tools/call has method, p and s",
            "R11-BODY-02 R11-TAG-01 R11-TAG-02 R11-TAG-03 R11-TAG-52 R11-TAG-53 R11-FLOW-20", CALL, flags="Example", comment="003: Call Tool Request"),
    response("r11-encode-call-response", "a tool's result stands at the root",
             "R11-BODY-04 R11-BODY-05 R11-TAG-08 R11-TAG-54 R11-FLOW-21", CALL_ID, "tools/call", {"result": CALL_RESULT}, CALL_RESULT, flags="Example Hoisted",
             comment="003: Call Tool Response"),
    request("r11-encode-read", "resources/read has method, p and s", "R11-TAG-01 R11-TAG-02 R11-TAG-03 R11-FLOW-22", READ,
            flags="Example", comment="003: Read Resource Request"),
    response("r11-encode-read-response", "the contents of a resource stand at the root", "R11-BODY-05 R11-TAG-08 R11-FLOW-23",
             READ_ID, "resources/read", {"result": READ_RESULT}, READ_RESULT, flags="Example Hoisted",
             comment="003: Read Resource Response"),
    request("r11-encode-get", "prompts/get has method, p and s", "R11-TAG-01 R11-TAG-02 R11-TAG-03 R11-FLOW-24", GET,
            flags="Example", comment="003: Get Prompt Request"),
    response("r11-encode-get-response", "the messages of a prompt stand at the root", "R11-BODY-05 R11-TAG-08 R11-FLOW-25",
             GET_ID, "prompts/get", {"result": GET_RESULT}, GET_RESULT, flags="Example Hoisted",
             comment="003: Get Prompt Response"),
    request("r11-encode-complete", "completion/complete names a prompt and an argument",
            "R11-COMP-02 R11-COMP-03 R11-COMP-04 R11-COMP-05 R11-COMP-07", COMPLETE, flags="Example",
            comment="003: Completions, Completion Request Event, and End-to-End Example 1"),
    request("r11-encode-complete-resource", "completion/complete names a resource by its URI", "R11-COMP-03 R11-COMP-08",
            COMPLETE_URI, flags="Example", comment="003: Completions, Reference Types"),
    response("r11-encode-complete-response", "a completion stands at the root", "R11-COMP-06 R11-COMP-11 R11-BODY-05",
             COMPLETE_ID, "completion/complete", {"result": COMPLETE_RESULT}, COMPLETE_RESULT, flags="Example Hoisted",
             comment="003: Completions, Completion Response Event"),
    response("r11-encode-complete-example", "a completion tells of more values than it has", "R11-COMP-06 R11-COMP-11",
             COMPLETE_ID, "completion/complete", {"result": COMPLETE_RESULT_12}, COMPLETE_RESULT_12,
             flags="Example Hoisted", comment="003: Completions, End-to-End Example 2"),
    response("r11-encode-complete-hundred", "a completion of 100 values is sent", "R11-COMP-09", COMPLETE_ID,
             "completion/complete", {"result": HUNDRED}, HUNDRED, flags="Hoisted", comment="003: Completion Results"),
    invalid("r11-encode-complete-many", "a completion of 101 values is not sent", "R11-COMP-09",
            given("bob", {"jsonrpc": "2.0", "id": 1, "result": TOO_MANY}, SERVER_ID,
                  {"event_id": COMPLETE_ID, "method": "completion/complete"}),
            "malformed_body", flags="NotCarried", comment="003: Completion Results"),
    response("r11-encode-tool-completion", "a tool's result with a member completion may be longer", "R11-COMP-09",
             CALL_ID, "tools/call", {"result": TOO_MANY}, TOO_MANY, flags="Hoisted"),
    error("r11-encode-complete-error", "completions that a server does not have are an error",
          "R11-COMP-16 R11-COMP-18 R11-BODY-07 R11-ERR-03", COMPLETE_ID, "completion/complete", COMPLETE_ERROR,
          flags="Example ErrorCode", comment="003: Completions, Example error response"),
    encoded("r11-encode-ping", "a client's ping goes to the provider and has no params",
            "R11-PING-01 R11-PING-02 R11-PING-05 R11-TAG-24 R11-TAG-25 R11-TAG-26", "alice", {"jsonrpc": "2.0", "id": 7, **PING}, 25910,
            [method("ping"), P_BOB, S], text(PING), optional=[S], flags="Example BothWays", comment="003: Ping Request"),
    encoded("r11-encode-ping-no-server", "a ping names no server where none is known", "R11-TAG-24 R11-TAG-25 R11-TAG-26", "alice",
            {"jsonrpc": "2.0", "id": 7, **PING}, 25910, [method("ping"), P_BOB], text(PING), server_id=None,
            flags="NoServerId"),
    encoded("r11-encode-ping-by-server", "a server's ping goes to the client, as a request",
            "R11-KIND-01 R11-PING-01 R11-PING-06 R11-TAG-24 R11-TAG-25 R11-TAG-26", "bob", {"jsonrpc": "2.0", "id": "s-1", **PING}, 25910,
            [method("ping"), P_ALICE, S], text(PING), optional=[S], flags="BothWays",
            comment="003: Ping, Behavior Requirements 3"),
    response("r11-encode-pong", "a server answers a ping with an empty object", "R11-PING-03 R11-TAG-08 R11-BODY-05",
             PING_ID, "ping", {"result": {}}, {}, flags="Example BothWays", comment="003: Ping Response"),
    encoded("r11-encode-pong-by-client", "a client answers a server's ping with an empty object, as a response",
            "R11-KIND-02 R11-PING-01 R11-PING-03 R11-TAG-08", "alice", {"jsonrpc": "2.0", "id": "s-1", "result": {}}, 26910,
            [P_BOB, ["e", SERVER_PING_ID]], "{}", optional=[P_BOB], request={"event_id": SERVER_PING_ID, "method": "ping"},
            flags="BothWays"),
    error("r11-encode-ping-error", "a ping that fails is answered with an error", "R11-PING-12 R11-BODY-07 R11-ERR-05",
          PING_ID, "ping", PING_ERROR, flags="Example ErrorCode", comment="003: Ping, Example Error Response"),
    notice("r11-encode-tools-changed", "a changed tool list is told with p and method",
           "R11-KIND-03 R11-BODY-06 R11-TAG-13 R11-TAG-15 R11-TAG-16 R11-NOTE-04 R11-NOTE-51", {"method": "notifications/tools/list_changed"},
           flags="Example", comment="003: Notification Template, with the second row of Common MCP Notifications"),
    notice("r11-encode-resources-changed", "a changed resource list is told with p and method", "R11-TAG-13 R11-TAG-16 R11-NOTE-05",
           {"method": "notifications/resources/list_changed"}, comment="003: Common MCP Notifications"),
    notice("r11-encode-resource-updated", "a changed resource is told by its URI", "R11-BODY-52 R11-TAG-13 R11-TAG-16 R11-NOTE-06",
           {"method": "notifications/resources/updated", "params": {"uri": "file:///project/src/main.rs"}},
           comment="003: Common MCP Notifications"),
    notice("r11-encode-prompts-changed", "a changed prompt list is told with p and method", "R11-TAG-13 R11-TAG-16 R11-NOTE-07",
           {"method": "notifications/prompts/list_changed"}, comment="003: Common MCP Notifications"),
    encoded("r11-encode-progress", "progress names its request by event id, in e and beside MCP's params",
            "R11-NOTE-01 R11-TAG-13 R11-TAG-16 R11-TAG-21", "bob",
            rpc({"method": "notifications/progress",
                 "params": {"progressToken": "t-1", "progress": 2, "total": 4, "message": "Half way"}}), 21316,
            [P_ALICE, method("notifications/progress"), S, ["e", CALL_ID]],
            text({"method": "notifications/progress",
                  "params": {"progressToken": "t-1", "progress": 2, "total": 4, "message": "Half way", "id": CALL_ID}}),
            optional=[S], request={"event_id": CALL_ID, "method": "tools/call", "id": 1}, flags="Stripped",
            comment="003: Common MCP Notifications and its note; ids do not travel, so `id` is the request's event id"),
    encoded("r11-encode-cancel", "a cancel has the revision's name and the request's event id",
            "R11-NOTE-02 R11-NOTE-51 R11-TAG-13 R11-TAG-14 R11-TAG-16 R11-TAG-17 R11-TAG-22", "alice",
            rpc({"method": "notifications/cancelled", "params": {"requestId": 1}}), 21316,
            [P_BOB, method("notifications/cancel"), S, ["e", CALL_ID]],
            text({"method": "notifications/cancel", "params": {"id": CALL_ID}}), optional=[S, ["e", CALL_ID]],
            request={"event_id": CALL_ID, "method": "tools/call", "id": 1}, flags="Stripped",
            comment="003: Common MCP Notifications; MCP's own name is notifications/cancelled"),
    encoded("r11-encode-payment", "a demand for payment is tags, and empty content",
            "R11-PAY-01 R11-PAY-02 R11-PAY-03 R11-PAY-05 R11-FLOW-37", "bob",
            rpc({"method": "notifications/payment_required", "params": {"amount": 1000, "currency": "sats", "invoice": INVOICE}}),
            21316, [P_ALICE, S, ["status", "payment-required"], ["amount", "1000", INVOICE], ["e", CALL_ID]], "",
            optional=[P_ALICE, S], request={"event_id": CALL_ID, "method": "tools/call"}, flags="Example",
            comment="003: Payment Required Notification; p and s are not printed there"),
    error("r11-encode-error", "a protocol error is an error object at the root",
          "R11-BODY-04 R11-BODY-07 R11-TAG-08 R11-ERR-04 R11-FLOW-35", CALL_ID, "tools/call", ERROR, flags="Example ErrorCode",
          comment="003: Error Response Template, first alternative"),
    response("r11-encode-execution-error", "an execution error is a result at the root with isError", "R11-BODY-05 R11-BODY-08 R11-TAG-08",
             CALL_ID, "tools/call", {"result": EXECUTION_ERROR}, EXECUTION_ERROR, flags="Example Hoisted",
             comment="003: Error Response Template, second alternative"),
    error("r11-encode-error-parse", "code -32700 is a parse error", "R11-ERR-01", CALL_ID, "tools/call",
          {"code": -32700, "message": "Parse error"}, flags="ErrorCode", comment="003: Common Error Codes"),
    error("r11-encode-error-request", "code -32600 is an invalid request", "R11-ERR-02", CALL_ID, "tools/call",
          {"code": -32600, "message": "Invalid request"}, flags="ErrorCode", comment="003: Common Error Codes"),
    error("r11-encode-error-resource", "code -32002 is a resource that is not found", "R11-ERR-06", READ_ID, "resources/read",
          {"code": -32002, "message": "Resource not found", "data": {"uri": "file:///none"}}, flags="ErrorCode",
          comment="003: Common Error Codes"),
    response("r11-encode-result-method", "a result with a member `method` is carried as it is", "R11-BODY-05", CALL_ID, "tools/call",
             {"result": {"content": [], "method": "GET"}}, {"content": [], "method": "GET"}, flags="Hoisted"),
    response("r11-encode-result-error-member", "a result with a member `error` among others is carried as it is",
             "R11-BODY-05 R11-BODY-07", CALL_ID, "tools/call",
             {"result": {"content": [], "error": {"code": 1, "message": "inner"}}},
             {"content": [], "error": {"code": 1, "message": "inner"}}, flags="Hoisted"),
    response("r11-encode-result-error-text", "a result whose only member `error` is text is carried as it is",
             "R11-BODY-05 R11-BODY-07", CALL_ID, "tools/call", {"result": {"error": "none"}}, {"error": "none"}, flags="Hoisted"),
    not_carried("r11-encode-result-like-error", "a result that reads as an error at the root is refused",
                "R11-BODY-05 R11-BODY-07", {"jsonrpc": "2.0", "id": 1, "result": {"error": {"code": 1, "message": "inner"}}}),
    not_carried("r11-encode-result-id", "a result whose member `id` would be an envelope's at the root is refused", "R11-BODY-04 R11-BODY-05",
                {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "id": 5}}),
    not_carried("r11-encode-result-jsonrpc", "a result whose member `jsonrpc` would be an envelope's at the root is refused",
                "R11-BODY-04 R11-BODY-05", {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "jsonrpc": "2.0"}}),
    not_carried("r11-encode-payment-usd", "a demand in another currency than sats has no form", "R11-PAY-02",
                rpc({"method": "notifications/payment_required",
                     "params": {"amount": 5, "currency": "usd", "invoice": INVOICE}})),
)  # fmt: skip
