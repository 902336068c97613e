"""From an event of `dvmcp-rev1.1` (seed 003) to the JSON-RPC message: what is read, tolerated and refused."""

from __future__ import annotations

import json
from typing import Any

from vectors.source.dvmcp_rev1_1.examples import (
    ALICE,
    AMB_AMOUNT,
    AMB_BOTH,
    AMB_CANCEL,
    AMB_ENVELOPE,
    AMB_ERROR,
    AMB_NO_METHOD_TAG,
    AMB_NO_S,
    AMB_PROGRESS,
    AMB_TWO_E,
    AMB_WRITERS,
    ANNOUNCED,
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
from vectors.source.writing import Note, Suite, acceptable, invalid, signed, valid

SUITE = Suite(
    "dvmcp-rev1.1/decode",
    "Events of DVMCP rev1.1 as messages",
    "1",
    {
        "Basic": Note("BASIC", "an ordinary message", "peers do not understand each other"),
        "Example": Note("BASIC", "an example event of the specification", "peers do not understand each other"),
        "BothWays": Note("BASIC", "a ping or its answer by either side", "a living peer is taken for dead"),
        "Hoisted": Note(
            "WIRE_SHAPE", "a result's members stand at the root", "a result is taken for an error or a request"
        ),
        "Tolerance": Note("LEGACY", "a form that peers send and the text does not print", "deployed peers are cut off"),
        "TwoReadings": Note("AMBIGUOUS", "the text has two readings", "one side answers what the other did not say"),
        "WrongKind": Note("MISSING_STEP", "a kind that no message of the revision has", "foreign events are executed"),
        "MissingTag": Note(
            "MISSING_STEP", "a tag without which the message has no address", "an answer meets another request"
        ),
        "MalformedTag": Note("MISSING_STEP", "a tag whose value is no key or id", "a crash, or an answer to nothing"),
        "MalformedBody": Note("MISSING_STEP", "content that is no message", "a crash in the read loop"),
        "MethodMismatch": Note(
            "AUTH_BYPASS",
            "the tag says one method and the content another",
            "a filter by tag lets another call through",
        ),
    },
)


def given(role: str, event: dict[str, Any]) -> dict[str, Any]:
    """`role` signed the event; the other side receives it."""
    receiver = {"role": "server", "pubkey": BOB} if role == "alice" else {"role": "client", "pubkey": ALICE}
    return {"revision": REVISION, "event": event, "receiver": receiver}


def read(role: str, message: dict[str, Any], server_id: str | None, request_event_id: str | None) -> dict[str, Any]:
    sender = ALICE if role == "alice" else BOB
    return {"message": message, "sender": sender, "server_id": server_id, "request_event_id": request_event_id}


def ambiguous(case: Any, ambiguity: str, flags: str = "Tolerance") -> Any:
    """The same case where a strict reader may refuse."""
    rest = {"output": case.output, "flags": flags, "comment": case.comment, "level": case.level}
    return acceptable(case.id, case.title, " ".join(case.req), case.input, ambiguity, **rest)


def request(
    id: str,
    title: str,
    req: str,
    body: dict[str, Any],
    *,
    role: str = "alice",
    tags: list[list[str]] | None = None,
    content: str | None = None,
    server_id: str | None = SERVER_ID,
    flags: str = "Example",
    **rest: Any,
) -> Any:
    """A request: its id is the event's own."""
    tags = [method(body["method"]), P_BOB, S] if tags is None else tags
    event = signed(role, 25910, tags, text(body) if content is None else content, TIME)
    output = read(role, {"jsonrpc": "2.0", "id": event["id"], **body}, server_id, None)
    return valid(id, title, req, given(role, event), output, flags=flags, **rest)


def response(
    id: str,
    title: str,
    req: str,
    event_id: str,
    outcome: dict[str, Any],
    content: dict[str, Any],
    *,
    role: str = "bob",
    tags: list[list[str]] | None = None,
    server_id: str | None = None,
    flags: str = "Example Hoisted",
    **rest: Any,
) -> Any:
    """A response: its id is the request's event id. The tags are those the seed prints, so there is no p."""
    event = signed(role, 26910, [["e", event_id]] if tags is None else tags, text(content), TIME)
    output = read(role, {"jsonrpc": "2.0", "id": event_id, **outcome}, server_id, event_id)
    return valid(id, title, req, given(role, event), output, flags=flags, **rest)


def result(id: str, title: str, req: str, event_id: str, value: dict[str, Any], **rest: Any) -> Any:
    return response(id, title, req, event_id, {"result": value}, value, **rest)


def error(id: str, title: str, req: str, event_id: str, problem: dict[str, Any], **rest: Any) -> Any:
    return response(id, title, req, event_id, {"error": problem}, {"error": problem}, **{"flags": "Example"} | rest)


def notice(
    id: str,
    title: str,
    req: str,
    role: str,
    tags: list[list[str]],
    content: str,
    message: dict[str, Any],
    *,
    server_id: str | None = None,
    request_event_id: str | None = None,
    flags: str = "Basic",
    **rest: Any,
) -> Any:
    event = signed(role, 21316, tags, content, TIME)
    output = read(role, rpc(message), server_id, request_event_id)
    return valid(id, title, req, given(role, event), output, flags=flags, **rest)


def refused(
    id: str,
    title: str,
    req: str,
    error: str,
    flags: str,
    role: str,
    kind: int,
    tags: list[list[str]],
    content: str,
    **rest: Any,
) -> Any:
    return invalid(id, title, req, given(role, signed(role, kind, tags, content, TIME)), error, flags=flags, **rest)


CALL_TAGS = [method("tools/call"), P_BOB, S]
BIG_CALL = {"method": "tools/call", "params": {"name": "count", "arguments": {"n": 9007199254740993}}}
PAYMENT = {
    "method": "notifications/payment_required",
    "params": {"amount": 1000, "currency": "sats", "invoice": INVOICE},
}
CANCELLED = {"method": "notifications/cancelled", "params": {"requestId": CALL_ID}}
UPDATED = {"method": "notifications/resources/updated", "params": {"uri": "file:///project/src/main.rs"}}
BOTH = {"error": ERROR, **EXECUTION_ERROR}
STRING_CODE = {"error": {"code": "-32602", "message": "Error description"}}

SUITE.group(
    "decode_event",
    request("r11-decode-initialize", "initialize, whose id is the event's", "R11-KIND-01 R11-BODY-02 R11-BODY-03 R11-INIT-07",
            INITIALIZE, tags=[P_BOB, S, method("initialize")], comment="003: Client Initialization Request"),
    request("r11-decode-initialize-all", "initialize without s is for every server of the provider", "R11-TAG-05 R11-TAG-06", INITIALIZE,
            tags=[P_BOB, method("initialize")], server_id=None, flags="Basic"),
    result("r11-decode-initialize-response", "the answer to initialize, whose d is the server's identifier",
           "R11-KIND-02 R11-TAG-10 R11-TAG-11 R11-INIT-08 R11-FLOW-42", INITIALIZE_ID, INITIALIZE_RESULT,
           tags=[["e", INITIALIZE_ID], D], server_id=SERVER_ID, comment="003: Server Initialization Response"),
    notice("r11-decode-initialized", "initialized has no params", "R11-KIND-03 R11-BODY-06 R11-NOTE-03", "alice",
           [P_BOB, S, method("notifications/initialized")], text(INITIALIZED), INITIALIZED, server_id=SERVER_ID, flags="Example",
           comment="003: Client Initialized Notification"),
    request("r11-decode-list", "a list request with a cursor", "R11-BODY-01 R11-BODY-02 R11-FLOW-10", LIST,
            comment="003: List Request Template"),
    request("r11-decode-list-spaced", "content with white space and escapes", "R11-BODY-01", LIST,
            content=json.dumps(LIST, indent=1).replace("tools", "\\u0074ools"), flags="Basic"),
    result("r11-decode-list-response", "a list result from the root, with its cursor",
           "R11-BODY-04 R11-BODY-05 R11-TAG-08 R11-FLOW-11 R11-FLOW-13 R11-FLOW-42", LIST_ID, LIST_RESULT, comment="003: List Response Template"),
    request("r11-decode-call", "tools/call", "R11-BODY-02 R11-FLOW-20", CALL, comment="003: Call Tool Request"),
    result("r11-decode-call-response", "a tool's result, without p as the seed prints it",
           "R11-BODY-04 R11-BODY-05 R11-TAG-08 R11-FLOW-21 R11-FLOW-42", CALL_ID, CALL_RESULT, comment="003: Call Tool Response"),
    result("r11-decode-call-response-p", "a tool's result with p", "R11-TAG-08", CALL_ID, CALL_RESULT,
           tags=[P_ALICE, ["e", CALL_ID]], flags="Hoisted"),
    request("r11-decode-read", "resources/read", "R11-BODY-02 R11-FLOW-22", READ, comment="003: Read Resource Request"),
    result("r11-decode-read-response", "the contents of a resource from the root", "R11-BODY-05 R11-FLOW-23", READ_ID, READ_RESULT,
           comment="003: Read Resource Response"),
    request("r11-decode-get", "prompts/get", "R11-BODY-02 R11-FLOW-24", GET, comment="003: Get Prompt Request"),
    result("r11-decode-get-response", "the messages of a prompt from the root", "R11-BODY-05 R11-FLOW-25", GET_ID, GET_RESULT,
           comment="003: Get Prompt Response"),
    request("r11-decode-complete", "completion/complete for a prompt", "R11-COMP-02 R11-COMP-07", COMPLETE,
            comment="003: Completions, Completion Request Event, and End-to-End Example 1"),
    request("r11-decode-complete-resource", "completion/complete for a resource", "R11-COMP-02 R11-COMP-08", COMPLETE_URI,
            comment="003: Completions, Reference Types"),
    result("r11-decode-complete-response", "a completion from the root", "R11-COMP-06 R11-BODY-05", COMPLETE_ID, COMPLETE_RESULT,
           comment="003: Completions, Completion Response Event"),
    result("r11-decode-complete-example", "a completion that tells of more values", "R11-COMP-06 R11-COMP-11", COMPLETE_ID,
           COMPLETE_RESULT_12, comment="003: Completions, End-to-End Example 2"),
    result("r11-decode-complete-hundred", "a completion of 100 values is whole", "R11-COMP-09", COMPLETE_ID, HUNDRED, flags="Hoisted",
           comment="003: Completion Results"),
    result("r11-decode-complete-many", "a completion of 101 values is one too long, and is read", "R11-COMP-09", COMPLETE_ID, TOO_MANY,
           flags="Hoisted", level="SHOULD", comment="003: Completion Results bind the server; its reader can do with more"),
    error("r11-decode-complete-error", "completions that the server does not have", "R11-COMP-16 R11-COMP-18 R11-BODY-07 R11-ERR-03",
          COMPLETE_ID, COMPLETE_ERROR, comment="003: Completions, Example error response"),
    result("r11-decode-complete-tool-error", "a tooling error of completions is a result with isError", "R11-COMP-17 R11-BODY-08",
           COMPLETE_ID, EXECUTION_ERROR, flags="Hoisted", comment="003: Completions, Error Handling"),
    request("r11-decode-ping", "a client's ping has no params", "R11-PING-02 R11-PING-05 R11-TAG-24 R11-TAG-26", PING, flags="Example BothWays",
            comment="003: Ping Request"),
    request("r11-decode-ping-no-server", "a ping without s", "R11-TAG-24 R11-TAG-25", PING, tags=[method("ping"), P_BOB], server_id=None,
            flags="BothWays"),
    request("r11-decode-ping-by-server", "a server's ping reaches the client as a request", "R11-PING-01 R11-PING-06 R11-TAG-24", PING, role="bob",
            tags=[method("ping"), P_ALICE], server_id=None, flags="BothWays", comment="003: Ping, Behavior Requirements 3"),
    result("r11-decode-pong", "a server's empty answer to a ping", "R11-PING-03 R11-BODY-05", PING_ID, {}, flags="Example BothWays",
           comment="003: Ping Response"),
    result("r11-decode-pong-by-client", "a client's empty answer to a server's ping", "R11-PING-01 R11-PING-03", SERVER_PING_ID, {},
           role="alice", tags=[P_BOB, ["e", SERVER_PING_ID]], flags="BothWays"),
    error("r11-decode-ping-error", "a ping that failed", "R11-PING-12 R11-BODY-07 R11-ERR-05", PING_ID, PING_ERROR,
          comment="003: Ping, Example Error Response"),
    notice("r11-decode-notification", "a notification of a server, with its optional s", "R11-KIND-03 R11-BODY-06 R11-TAG-15 R11-BODY-52 R11-NOTE-06",
           "bob", [P_ALICE, method("notifications/resources/updated"), S], text(UPDATED), UPDATED, server_id=SERVER_ID, flags="Example",
           comment="003: Notification Template, with a row of Common MCP Notifications"),
    notice("r11-decode-notification-no-params", "a notification without params and without s", "R11-TAG-15 R11-BODY-52 R11-NOTE-04", "bob",
           [P_ALICE, method("notifications/tools/list_changed")], text({"method": "notifications/tools/list_changed"}),
           {"method": "notifications/tools/list_changed"}),
    notice("r11-decode-progress", "progress with both forms comes back as MCP's", "R11-NOTE-01 R11-TAG-21", "bob",
           [P_ALICE, method("notifications/progress"), ["e", CALL_ID]],
           text({"method": "notifications/progress", "params": {"progressToken": 3, "progress": 0.5, "message": "Half way", "id": CALL_ID}}),
           {"method": "notifications/progress", "params": {"progressToken": 3, "progress": 0.5, "message": "Half way"}},
           request_event_id=CALL_ID),
    notice("r11-decode-progress-seed", "progress as the table has it: the id is the token", "R11-NOTE-01 R11-TAG-21", "bob",
           [P_ALICE, method("notifications/progress"), ["e", CALL_ID]],
           text({"method": "notifications/progress", "params": {"id": CALL_ID, "message": "Half way"}}),
           {"method": "notifications/progress", "params": {"progressToken": CALL_ID, "message": "Half way"}},
           request_event_id=CALL_ID, flags="Example", comment="003: Common MCP Notifications, Progress"),
    ambiguous(notice("r11-decode-progress-mcp", "progress in MCP's form alone", "R11-NOTE-01", "bob",
                     [P_ALICE, method("notifications/progress"), ["e", CALL_ID]],
                     text({"method": "notifications/progress", "params": {"progressToken": "t", "progress": 1}}),
                     {"method": "notifications/progress", "params": {"progressToken": "t", "progress": 1}}, request_event_id=CALL_ID),
              AMB_PROGRESS),
    notice("r11-decode-cancel", "a cancel comes back under MCP's name", "R11-NOTE-02 R11-TAG-14 R11-TAG-17 R11-TAG-22", "alice",
           [P_BOB, method("notifications/cancel"), S, ["e", CALL_ID]],
           text({"method": "notifications/cancel", "params": {"id": CALL_ID}}), CANCELLED, server_id=SERVER_ID,
           request_event_id=CALL_ID, flags="Example", comment="003: Common MCP Notifications, Cancel"),
    notice("r11-decode-cancel-no-e", "a cancel whose request stands in params alone", "R11-NOTE-02 R11-TAG-22", "alice",
           [P_BOB, method("notifications/cancel"), S], text({"method": "notifications/cancel", "params": {"id": CALL_ID}}),
           CANCELLED, server_id=SERVER_ID, comment="003: Notification Template has e as optional"),
    ambiguous(notice("r11-decode-cancel-e-alone", "a cancel whose request stands in e alone", "R11-NOTE-02 R11-TAG-22", "alice",
                     [P_BOB, method("notifications/cancel"), S, ["e", CALL_ID]], text({"method": "notifications/cancel"}), CANCELLED,
                     server_id=SERVER_ID, request_event_id=CALL_ID), AMB_CANCEL),
    ambiguous(notice("r11-decode-cancelled", "a cancel under MCP's name", "R11-NOTE-02", "alice",
                     [P_BOB, method("notifications/cancelled"), S, ["e", CALL_ID]], text(CANCELLED), CANCELLED, server_id=SERVER_ID,
                     request_event_id=CALL_ID), AMB_CANCEL),
    notice("r11-decode-payment", "a demand for payment in tags, without p as the seed prints it",
           "R11-PAY-01 R11-PAY-02 R11-PAY-03 R11-PAY-05", "bob",
           [["status", "payment-required"], ["amount", "1000", INVOICE], ["e", CALL_ID]], "", PAYMENT, request_event_id=CALL_ID,
           flags="Example", comment="003: Payment Required Notification"),
    notice("r11-decode-payment-routed", "a demand for payment with p and s", "R11-PAY-01 R11-PAY-02 R11-PAY-03", "bob",
           [P_ALICE, S, ["status", "payment-required"], ["amount", "1000", INVOICE], ["e", CALL_ID]], "", PAYMENT,
           server_id=SERVER_ID, request_event_id=CALL_ID),
    notice("r11-decode-payment-capitals", "an invoice in capital letters, as for QR codes", "R11-PAY-02", "bob",
           [["status", "payment-required"], ["amount", "1000", INVOICE.upper()], ["e", CALL_ID]], "",
           {**PAYMENT, "params": {**PAYMENT["params"], "invoice": INVOICE.upper()}}, request_event_id=CALL_ID),
    ambiguous(notice("r11-decode-payment-invoice-tag", "a demand whose invoice has a tag of its own", "R11-PAY-02", "bob",
                     [["status", "payment-required"], ["amount", "1000", "sats"], ["invoice", INVOICE], ["e", CALL_ID], P_ALICE], "",
                     PAYMENT, request_event_id=CALL_ID, comment="what gzuuus/dvmcp at f79d9a4 sends"), AMB_AMOUNT),
    error("r11-decode-error", "a protocol error from the root", "R11-BODY-07 R11-TAG-08 R11-ERR-04", CALL_ID, ERROR,
          comment="003: Error Response Template, first alternative"),
    error("r11-decode-error-data", "the data of an error is kept", "R11-BODY-07 R11-ERR-06", READ_ID,
          {"code": -32002, "message": "Resource not found", "data": {"uri": "file:///none"}}, flags="Basic"),
    result("r11-decode-execution-error", "an execution error is a result with isError", "R11-BODY-05 R11-BODY-08", CALL_ID,
           EXECUTION_ERROR, comment="003: Error Response Template, second alternative"),
    ambiguous(result("r11-decode-error-and-result", "an error beside other members is a member of a result", "R11-BODY-07 R11-BODY-09",
                     CALL_ID, BOTH, comment="003: Error Response Template as printed, its two alternatives in one object"),
              AMB_BOTH, "TwoReadings Hoisted"),
    result("r11-decode-result-error-text", "a text as `error` is a member of a result", "R11-BODY-05 R11-BODY-07", CALL_ID,
           {"error": "none", "content": []}, flags="Hoisted"),
    ambiguous(result("r11-decode-error-string-code", "an error whose code is text is a member of a result", "R11-BODY-07", CALL_ID,
                     STRING_CODE), AMB_ERROR, "TwoReadings Hoisted"),
    result("r11-decode-result-method", "a member `method` makes no request of a response", "R11-KIND-02 R11-BODY-05", CALL_ID,
           {"content": [], "method": "tools/list"}, flags="Hoisted"),
    ambiguous(response("r11-decode-error-jsonrpc", "an error with jsonrpc and id of its own", "R11-BODY-04 R11-BODY-07", CALL_ID,
                       {"error": {"code": -32000, "message": "failed"}},
                       {"jsonrpc": "2.0", "id": "1", "error": {"code": -32000, "message": "failed"}},
                       comment="what gzuuus/dvmcp at f79d9a4 sends when a tool fails"), AMB_ENVELOPE),
    ambiguous(response("r11-decode-result-jsonrpc", "a whole JSON-RPC response with a nested result", "R11-BODY-04 R11-BODY-05", CALL_ID,
                       {"result": CALL_RESULT}, {"jsonrpc": "2.0", "id": 1, "result": CALL_RESULT}), AMB_ENVELOPE),
    ambiguous(request("r11-decode-request-jsonrpc", "a request with jsonrpc and id is known by its event id", "R11-BODY-02", CALL,
                      content=text({"jsonrpc": "2.0", "id": 1, **CALL})), AMB_ENVELOPE),
    request("r11-decode-big-integer", "an integer that no double holds keeps its value", "R11-BODY-03 HOUSE-JSON-03", BIG_CALL, flags="Basic"),
    ambiguous(result("r11-decode-two-e", "a response with a second e, which marks a thread", "R11-TAG-08", CALL_ID, CALL_RESULT,
                     tags=[["e", CALL_ID], ["e", READ_ID, "", "root"]]), AMB_TWO_E),
    ambiguous(request("r11-decode-no-method-tag", "a request without the method tag has the method of its content", "R11-TAG-03", CALL,
                      tags=[P_BOB, S]), AMB_NO_METHOD_TAG),
    ambiguous(request("r11-decode-no-s", "a request without s names no server", "R11-TAG-02", CALL, tags=[method("tools/call"), P_BOB],
                      server_id=None), AMB_NO_S),
    refused("r11-decode-stored-kind", "a request of kind 5910", "R11-KIND-01", "wrong_kind", "WrongKind", "alice", 5910, CALL_TAGS, text(CALL)),
    refused("r11-decode-announcement", "an announcement is no message", "R11-KIND-04", "wrong_kind", "WrongKind", "bob", 31316,
            [D, ["k", "25910"]], text(ANNOUNCED)),
    invalid("r11-decode-other-signature", "a request with the signature of another event", "NIP01-SIG-01",
            given("alice", {**signed("alice", 25910, CALL_TAGS, text(CALL), TIME), "sig": signed("alice", 25910, CALL_TAGS, text(PING), TIME)["sig"]}),
            "invalid_signature", flags="MalformedBody", comment="003: Public Key Cryptography"),
    refused("r11-decode-request-no-p", "a request without p", "R11-TAG-01", "missing_tag", "MissingTag", "alice", 25910,
            [method("tools/call"), S], text(CALL)),
    refused("r11-decode-notification-no-p", "a notification without p", "R11-TAG-13", "missing_tag", "MissingTag", "bob", 21316,
            [method("notifications/resources/updated")], text(UPDATED)),
    refused("r11-decode-response-no-e", "a response without e", "R11-TAG-08", "missing_tag", "MissingTag", "bob", 26910, [P_ALICE],
            text(CALL_RESULT)),
    refused("r11-decode-payment-no-e", "a demand for payment without e", "R11-PAY-03", "missing_tag", "MissingTag", "bob", 21316,
            [["status", "payment-required"], ["amount", "1000", INVOICE]], ""),
    refused("r11-decode-payment-accepted", "a receipt by tags is no demand for payment", "R11-PAY-01", "malformed_tag", "MalformedTag", "bob",
            21316, [["status", "payment-accepted"], ["amount", "1000", INVOICE], ["e", CALL_ID]], "",
            comment="003: Payment Required Notification, whose only status is payment-required"),
    refused("r11-decode-payment-no-amount", "a demand for payment without an amount", "R11-PAY-02", "missing_tag", "MissingTag", "bob", 21316,
            [["status", "payment-required"], ["e", CALL_ID]], ""),
    refused("r11-decode-payment-words", "a demand whose amount is no number", "R11-PAY-02", "malformed_tag", "MalformedTag", "bob", 21316,
            [["status", "payment-required"], ["amount", "many", INVOICE], ["e", CALL_ID]], ""),
    refused("r11-decode-response-short-e", "a response whose e is no event id", "R11-TAG-08", "malformed_tag", "MalformedTag", "bob", 26910,
            [["e", "1"]], text(CALL_RESULT)),
    refused("r11-decode-request-npub", "a request whose p is no key in hexadecimal", "R11-TAG-01", "malformed_tag", "MalformedTag", "alice", 25910,
            [method("tools/call"), ["p", "npub1bob"], S], text(CALL)),
    refused("r11-decode-not-json", "a request whose content is plain text", "R11-BODY-01", "invalid_json", "MalformedBody", "alice", 25910,
            CALL_TAGS, "tools/call get_weather"),
    refused("r11-decode-response-text", "a response whose content is a JSON string", "R11-BODY-01", "not_a_message", "MalformedBody", "bob", 26910,
            [["e", CALL_ID]], '"72°F"'),
    refused("r11-decode-no-method", "a request whose content has no method", "R11-BODY-03", "malformed_method", "MalformedBody", "alice", 25910,
            CALL_TAGS, text({"params": CALL["params"]})),
    refused("r11-decode-params-array", "a request whose params are an array", "R11-BODY-03", "malformed_params", "MalformedBody", "alice", 25910,
            CALL_TAGS, text({"method": "tools/call", "params": ["get_weather"]})),
    refused("r11-decode-empty-notification", "empty content without a status tag is no notification", "R11-BODY-01 R11-PAY-05",
            "invalid_json", "MalformedBody", "bob", 21316, [P_ALICE, method("notifications/resources/updated")], ""),
    refused("r11-decode-batch", "a request whose content is an array of requests", "R11-BODY-01", "batch", "MalformedBody", "alice", 25910,
            CALL_TAGS, text([CALL])),
    refused("r11-decode-method-mismatch", "a request whose method tag differs from its content", "R11-TAG-04", "method_mismatch",
            "MethodMismatch", "alice", 25910, [method("tools/list"), P_BOB, S], text(CALL)),
    refused("r11-decode-notification-mismatch", "a notification whose method tag differs from its content", "R11-TAG-04", "method_mismatch",
            "MethodMismatch", "bob", 21316, [P_ALICE, method("notifications/prompts/list_changed")], text(UPDATED)),
)  # fmt: skip

# What peers send beside the text, and what is told apart by one member.
SUITE.group(
    "decode_event",
    ambiguous(response("r11-decode-nested-bridge", "a result inside `result`, as an early bridge sent it", "R11-BODY-05", CALL_ID,
                       {"result": CALL_RESULT}, {"result": CALL_RESULT}, comment="gzuuus/dvmcp at 62d2066"), AMB_WRITERS),
    ambiguous(response("r11-decode-whole", "jsonrpc and id beside a result's members are no part of it", "R11-BODY-04", CALL_ID,
                       {"result": CALL_RESULT}, {"jsonrpc": "2.0", "id": 5, **CALL_RESULT}), AMB_WRITERS),
    ambiguous(valid("r11-decode-initialized-25910", "initialized on the kind of requests is no request", "R11-NOTE-03",
                    given("alice", signed("alice", 25910, [P_BOB, S, method("notifications/initialized")], text(INITIALIZED), TIME)),
                    read("alice", rpc(INITIALIZED), SERVER_ID, None), comment="gzuuus/dvmcp at e105f29"), AMB_WRITERS),
    ambiguous(notice("r11-decode-notification-id", "a notification with an id is a notification", "R11-BODY-06", "bob",
                     [P_ALICE, method("notifications/resources/updated")], text({"id": 7, **UPDATED}), UPDATED), AMB_WRITERS),
    ambiguous(notice("r11-decode-payment-invoice-alone", "a demand whose invoice has a tag of its own is in sats", "R11-PAY-02", "bob",
                     [["status", "payment-required"], ["amount", "1000"], ["invoice", INVOICE], ["e", CALL_ID]], "", PAYMENT,
                     request_event_id=CALL_ID, comment="gzuuus/dvmcp at f79d9a4"), AMB_AMOUNT),
    ambiguous(notice("r11-decode-payment-sat", "a demand in sat is one in sats", "R11-PAY-02", "bob",
                     [["status", "payment-required"], ["amount", "1000", "sat"], ["invoice", INVOICE], ["e", CALL_ID]], "", PAYMENT,
                     request_event_id=CALL_ID), AMB_AMOUNT),
    ambiguous(notice("r11-decode-payment-usd", "a demand in another unit says so", "R11-PAY-02", "bob",
                     [["status", "payment-required"], ["amount", "1000", "usd"], ["invoice", INVOICE], ["e", CALL_ID]], "",
                     {"method": "notifications/payment_required", "params": {"amount": 1000, "currency": "usd", "invoice": INVOICE}},
                     request_event_id=CALL_ID), AMB_AMOUNT),
    refused("r11-decode-payment-amount-twice", "a demand with two amounts", "R11-PAY-02", "malformed_tag", "MalformedTag", "bob", 21316,
            [["status", "payment-required"], ["amount", "1000", INVOICE], ["amount", "1", INVOICE], ["e", CALL_ID]], ""),
    refused("r11-decode-empty-request", "an empty request with a status tag is no demand", "R11-BODY-01", "invalid_json", "MalformedBody", "alice",
            25910, [*CALL_TAGS, ["status", "payment-required"]], ""),
    refused("r11-decode-e-no-value", "a response whose e has no value", "R11-TAG-08", "missing_tag", "MissingTag", "bob", 26910, [["e"]],
            text(CALL_RESULT)),
)  # fmt: skip
