"""`ctxvm-draft`: events as messages. Expectations from seed 001_2dd24ef00746d737.txt, heading by heading."""

from __future__ import annotations

import json
from typing import Any

from vectors.source.writing import Case, Note, Suite, acceptable, invalid, public, sha256, signed, valid

SUITE = Suite(
    "ctxvm-draft/decode",
    "CTXVM draft: events as messages",
    "1",
    {
        "Basic": Note("BASIC", "an ordinary message", "nothing works"),
        "Printed": Note("BASIC", "an answer as printed, with e alone", "answers of literal implementations are lost"),
        "TextForm": Note("WIRE_SHAPE", "content without jsonrpc and id", "half of the seed's own examples are lost"),
        "IdKept": Note("MALLEABILITY", "an id keeps its type and value", "an answer reaches the wrong caller"),
        "ErrorForm": Note("WIRE_SHAPE", "a protocol error or an execution error", "a failure is taken for success"),
        "Notification": Note("BASIC", "a notification", "progress and cancels are lost"),
        "Payment": Note("WIRE_SHAPE", "a demand for payment", "a client cannot pay"),
        "MethodTag": Note("AMBIGUOUS", "a method tag where it has no meaning", "a stray tag stops or steers a request"),
        "TwoReferences": Note("AMBIGUOUS", "a second e tag", "an answer reaches another request"),
        "RootError": Note("AMBIGUOUS", "isError at the root, as the table of errors says", "a failure is lost"),
        "WrongKind": Note("MISSING_STEP", "a kind of another revision or purpose", "foreign events are executed"),
        "MissingTag": Note("MISSING_STEP", "a tag without which nobody can tell the reader or the request", "a misroute"),
        "MalformedTag": Note("MISSING_STEP", "a tag whose value has a wrong form", "unchecked text is used as a key"),
        "MalformedBody": Note("MISSING_STEP", "content that is no message", "a crash, or a guess"),
        "Batch": Note("MISSING_STEP", "several messages in one event", "one answer for two requests"),
        "TwoOutcomes": Note("AMBIGUOUS", "a result and an error together", "two readers see success and failure"),
    },
)  # fmt: skip

# Ambiguities, by the rows of FIELD section 2.2.
METHOD_TAG, ROOT_ERROR, TWO_E = "AMB-204", "AMB-215", "AMB-152"

ALICE, BOB = public("alice"), public("bob")
SERVER = "server-1"
REQUEST = sha256("ctxvm-draft: a request event").hex()
TO_BOB, TO_ALICE, OF_REQUEST = ["p", BOB], ["p", ALICE], ["e", REQUEST]
FOR_SERVER = ["s", SERVER]

Json = dict[str, Any]


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def from_client(tags: list[list[str]], content: Any, kind: int = 25910) -> Json:
    return signed("alice", kind, tags, content if isinstance(content, str) else compact(content))


def from_server(tags: list[list[str]], content: Any, kind: int = 25910) -> Json:
    return signed("bob", kind, tags, content if isinstance(content, str) else compact(content))


def received(event: Json) -> Json:
    role, pubkey = ("server", BOB) if event["pubkey"] == ALICE else ("client", ALICE)
    return {"revision": "ctxvm-draft", "event": event, "receiver": {"role": role, "pubkey": pubkey}}


def given(event: Json, message: Json, server_id: str | None, request: str | None) -> Json:
    return {"message": message, "sender": event["pubkey"], "server_id": server_id, "request_event_id": request}


def decoded(
    id: str,
    title: str,
    req: str,
    event: Json,
    message: Json,
    flags: str = "Basic",
    *,
    server_id: str | None = None,
    request: str | None = None,
    comment: str | None = None,
) -> Case:
    return valid(
        id, title, req, received(event), given(event, message, server_id, request), flags=flags, comment=comment
    )


def refused(id: str, title: str, req: str, event: Json, error: str, flags: str, comment: str | None = None) -> Case:
    return invalid(id, title, req, received(event), error, flags=flags, comment=comment)


def initialize(version: str = "2025-03-26") -> Json:
    return {
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": version,
            "capabilities": {"roots": {"listChanged": True}, "sampling": {}},
            "clientInfo": {"name": "ExampleClient", "version": "1.0.0"},
        },
    }  # fmt: skip


INITIALIZE = initialize()
INITIALIZE_RESPONSE: Json = {
    "jsonrpc": "2.0", "id": 0,
    "result": {
        "protocolVersion": "2025-03-26",
        "capabilities": {
            "logging": {}, "prompts": {"listChanged": True},
            "resources": {"subscribe": True, "listChanged": True}, "tools": {"listChanged": True},
        },
        "serverInfo": {"name": "ExampleServer", "version": "1.0.0"},
        "instructions": "Optional instructions for the client",
    },
}  # fmt: skip
PRINTED_RESPONSE = INITIALIZE_RESPONSE | {"result": INITIALIZE_RESPONSE["result"] | {"protocolVersion": "2025-07-02"}}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "optional-cursor-value"}}
TOOLS = {
    "tools": [{"name": "get_weather", "description": "Get current weather information", "inputSchema": {"type": "object"}}],
    "nextCursor": "next-page-cursor",
}  # fmt: skip
LIST_RESPONSE = {"jsonrpc": "2.0", "id": 1, "result": TOOLS}
CALL_PARAMS = {"name": "get_weather", "arguments": {"location": "New York"}}
CALL = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": CALL_PARAMS}
WEATHER_TEXT = "Current weather in New York:\nTemperature: 72°F\nConditions: Partly cloudy"
CALL_RESULT = {"content": [{"type": "text", "text": WEATHER_TEXT}], "isError": False}
CALL_RESPONSE = {"jsonrpc": "2.0", "id": 2, "result": CALL_RESULT}
FAILED = {"content": [{"type": "text", "text": "Error details"}], "isError": True}
ERROR = {"code": -32602, "message": "Error description"}
PAYMENT_PARAMS = {
    "amount": 1000, "currency": "sats", "invoice": "lnbc10u1example", "description": "Payment for tool execution",
}  # fmt: skip
PROGRESS = {
    "jsonrpc": "2.0", "method": "notifications/progress",
    "params": {"progressToken": "token-1", "progress": 1, "total": 4, "message": "reading"},
}  # fmt: skip
CANCEL = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2, "reason": "too slow"}}
TEXT_CALL = from_client([TO_BOB, FOR_SERVER], {"method": "tools/call", "params": CALL_PARAMS})
CALLED = [TO_BOB, FOR_SERVER]


def error_case(word: str, code: int, req: str, message: str) -> Case:
    body = {"jsonrpc": "2.0", "id": 2, "error": {"code": code, "message": message}}
    return decoded(f"ctx-decode-error-{word}", f"error {code} is handed on with its code and message",
                   f"{req} CTX-BODY-07", from_server([TO_ALICE, OF_REQUEST], body), body, "ErrorForm", request=REQUEST,
                   comment="Common Error Codes")  # fmt: skip


BIG_CALL = {
    "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "count", "arguments": {"n": 9007199254740993}},
}  # fmt: skip
TWO_E_TAGS = [TO_ALICE, OF_REQUEST, ["e", sha256("ctxvm-draft: another event").hex(), "", "root"]]

SUITE.group(
    "decode_event",
    decoded("ctx-decode-initialize", "initialize with p, s and method", "CTX-KIND-01 CTX-TAG-05 CTX-TAG-06 CTX-TAG-07",
            from_client([TO_BOB, FOR_SERVER, ["method", "initialize"]], INITIALIZE), INITIALIZE, server_id=SERVER,
            comment="Client Initialization Request; protocolVersion as in the seed's header"),
    decoded("ctx-decode-initialize-any-server", "initialize without s is for every server of the provider",
            "CTX-TAG-06", from_client([TO_BOB, ["method", "initialize"]], INITIALIZE), INITIALIZE,
            comment="Client Initialization Request, s left out"),
    decoded("ctx-decode-initialize-version", "a protocolVersion that MCP never had is handed on", "CTX-BODY-52",
            from_client([TO_BOB, FOR_SERVER, ["method", "initialize"]], initialize("2025-07-02")),
            initialize("2025-07-02"), server_id=SERVER, comment="Client Initialization Request, as printed"),
    decoded("ctx-decode-initialize-no-method-tag", "initialize is told by its content", "CTX-KIND-54 CTX-TAG-07",
            from_client([TO_BOB, FOR_SERVER], INITIALIZE), INITIALIZE, "MethodTag", server_id=SERVER),
    decoded("ctx-decode-initialize-response", "the server's id is the d of the answer to initialize",
            "CTX-KIND-02 CTX-BODY-05 CTX-TAG-10 CTX-TAG-11 CTX-TAG-12",
            from_server([OF_REQUEST, ["d", SERVER], ["support_encryption"]], INITIALIZE_RESPONSE), INITIALIZE_RESPONSE,
            "Printed", server_id=SERVER, request=REQUEST, comment="Server Initialization Response, as printed"),
    decoded("ctx-decode-initialize-response-version", "the answer to initialize with a version that MCP never had",
            "CTX-BODY-05 CTX-TAG-10 CTX-TAG-11",
            from_server([OF_REQUEST, ["d", SERVER], ["support_encryption"]], PRINTED_RESPONSE), PRINTED_RESPONSE,
            "Printed", server_id=SERVER, request=REQUEST,
            comment="Server Initialization Response, as printed, its version too"),
    decoded("ctx-decode-initialized", "initialized with p and s", "CTX-KIND-03 CTX-BODY-51 CTX-TAG-18 CTX-TAG-19",
            from_client([TO_BOB, FOR_SERVER], INITIALIZED), INITIALIZED, "Notification", server_id=SERVER,
            comment="Client Initialized Notification"),
    decoded("ctx-decode-list", "a list request with a cursor and without s", "CTX-BODY-03 CTX-BODY-53 CTX-TAG-02",
            from_client([TO_BOB], LIST), LIST, comment="List Request Template, s left out"),
    decoded("ctx-decode-list-method-tag", "a method tag on a list request is no obstacle", "CTX-TAG-03",
            from_client([TO_BOB, FOR_SERVER, ["method", "tools/list"]], LIST), LIST, "MethodTag", server_id=SERVER,
            comment="List Operations names the tag, List Request Template does not print it"),
    decoded("ctx-decode-list-response", "a list response", "CTX-BODY-05 CTX-BODY-53 CTX-TAG-08",
            from_server([OF_REQUEST], LIST_RESPONSE), LIST_RESPONSE, "Printed", request=REQUEST,
            comment="List Response Template, as printed"),
    decoded("ctx-decode-priced-list-response", "a priced list response in the text form has its request's event id",
            "CTX-BODY-04 CTX-TAG-23", from_server([OF_REQUEST, ["cap", "get_weather", "100", "sats"]], {"result": TOOLS}),
            {"jsonrpc": "2.0", "id": REQUEST, "result": TOOLS}, "TextForm Printed", request=REQUEST,
            comment="Capability Pricing: Example, from capability list events, as printed"),
    decoded("ctx-decode-call", "a tool call", "CTX-KIND-01 CTX-BODY-01 CTX-BODY-02 CTX-BODY-03 CTX-TAG-01",
            from_client(CALLED, CALL), CALL, server_id=SERVER, comment="Call Tool Request; also Request Preparation"),
    decoded("ctx-decode-call-other-method-tag", "a method tag that names another method is not read on a call",
            "CTX-KIND-54", from_client([*CALLED, ["method", "tools/list"]], CALL), CALL, "MethodTag", server_id=SERVER),
    decoded("ctx-decode-call-text-form", "a call in the text form has its own event id as id",
            "CTX-BODY-02 CTX-BODY-03", TEXT_CALL,
            {"jsonrpc": "2.0", "id": TEXT_CALL["id"], "method": "tools/call", "params": CALL_PARAMS}, "TextForm",
            server_id=SERVER, comment="Message Structure item 1"),
    decoded("ctx-decode-call-text-id", "an id that is a text stays one", "CTX-BODY-52",
            from_client(CALLED, CALL | {"id": "2"}), CALL | {"id": "2"}, "IdKept", server_id=SERVER),
    decoded("ctx-decode-big-integer", "an integer that no double holds keeps its value", "CTX-BODY-03 HOUSE-JSON-03",
            from_client(CALLED, BIG_CALL), BIG_CALL, "IdKept", server_id=SERVER),
    decoded("ctx-decode-call-response", "a tool's answer as printed, with e alone",
            "CTX-KIND-02 CTX-BODY-04 CTX-BODY-05 CTX-BODY-52 CTX-TAG-08", from_server([OF_REQUEST], CALL_RESPONSE),
            CALL_RESPONSE, "Printed", request=REQUEST, comment="Call Tool Response; also Encrypted Response Structure"),
    decoded("ctx-decode-call-response-p", "a tool's answer with p and e", "CTX-TAG-08 CTX-TAG-09",
            from_server([TO_ALICE, OF_REQUEST], CALL_RESPONSE), CALL_RESPONSE, request=REQUEST,
            comment="Call Tool Response, with p as Subscription Management item 4 says"),
    decoded("ctx-decode-error-text-form", "a protocol error as printed", "CTX-BODY-04 CTX-BODY-07 CTX-ERR-04",
            from_server([OF_REQUEST], {"error": ERROR}), {"jsonrpc": "2.0", "id": REQUEST, "error": ERROR},
            "TextForm ErrorForm", request=REQUEST, comment="Error Response Template, first form"),
    decoded("ctx-decode-execution-error", "an execution error as printed", "CTX-BODY-04 CTX-BODY-08",
            from_server([OF_REQUEST], {"result": FAILED}), {"jsonrpc": "2.0", "id": REQUEST, "result": FAILED},
            "TextForm ErrorForm", request=REQUEST, comment="Error Response Template, second form"),
    error_case("parse", -32700, "CTX-ERR-01", "Parse error"),
    error_case("request", -32600, "CTX-ERR-02", "Invalid request"),
    error_case("method", -32601, "CTX-ERR-03", "Method not found"),
    error_case("internal", -32603, "CTX-ERR-05", "Internal error"),
    error_case("resource", -32002, "CTX-ERR-06", "Resource not found"),
    decoded("ctx-decode-notification", "a notification as printed, with p alone",
            "CTX-KIND-03 CTX-BODY-06 CTX-BODY-51 CTX-TAG-13 CTX-TAG-17 CTX-NOTE-03",
            from_server([TO_ALICE], {"method": "notifications/resources/updated", "params": {"uri": "file:///a"}}),
            {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "file:///a"}},
            "TextForm Notification", comment="Notification Event Example"),
    decoded("ctx-decode-progress", "progress in MCP's form", "CTX-NOTE-01 CTX-TAG-21",
            from_server([TO_ALICE, OF_REQUEST], PROGRESS), PROGRESS, "Notification", request=REQUEST,
            comment="Notifications; Subscription Management item 2"),
    decoded("ctx-decode-cancel", "a cancel in MCP's form", "CTX-NOTE-02 CTX-TAG-22",
            from_client([*CALLED, OF_REQUEST], CANCEL), CANCEL, "Notification", server_id=SERVER, request=REQUEST,
            comment="Subscription Management item 3"),
    decoded("ctx-decode-cancel-text-form", "a cancel in the text form names the request's event", "CTX-NOTE-02",
            from_client([*CALLED, OF_REQUEST], {"method": "notifications/cancelled", "params": {"requestId": REQUEST}}),
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": REQUEST}},
            "TextForm Notification", server_id=SERVER, request=REQUEST),
    decoded("ctx-decode-payment", "a demand for payment as printed", "CTX-PAY-01 CTX-PAY-02 CTX-PAY-03 CTX-PAY-06",
            from_server([TO_ALICE, OF_REQUEST], {"method": "notifications/payment_required", "params": PAYMENT_PARAMS}),
            {"jsonrpc": "2.0", "method": "notifications/payment_required", "params": PAYMENT_PARAMS},
            "TextForm Payment", request=REQUEST, comment="Payment Required Notification Example"),
    decoded("ctx-decode-ping", "a ping without params", "CTX-PING-01",
            from_client([TO_BOB], {"jsonrpc": "2.0", "id": 7, "method": "ping"}),
            {"jsonrpc": "2.0", "id": 7, "method": "ping"},
            comment="Complete Protocol Flow: Connection Health Monitoring"),
    decoded("ctx-decode-ping-response", "the empty answer to a ping", "CTX-PING-01",
            from_server([TO_ALICE, OF_REQUEST], {"jsonrpc": "2.0", "id": 7, "result": {}}),
            {"jsonrpc": "2.0", "id": 7, "result": {}}, request=REQUEST,
            comment="Complete Protocol Flow: Connection Health Monitoring"),
    acceptable("ctx-decode-initialize-other-method-tag", "initialize with a method tag that names another method",
               "CTX-TAG-04", received(from_client([*CALLED, ["method", "tools/list"]], INITIALIZE)), METHOD_TAG,
               output=given(from_client([*CALLED, ["method", "tools/list"]], INITIALIZE), INITIALIZE, SERVER, None),
               flags="MethodTag", comment="content alone, or content and tag, say what a request asks"),
    acceptable("ctx-decode-two-e", "a response with a second e, which marks a thread", "CTX-TAG-08",
               received(from_server(TWO_E_TAGS, CALL_RESPONSE)), TWO_E,
               output=given(from_server(TWO_E_TAGS, CALL_RESPONSE), CALL_RESPONSE, None, REQUEST), flags="TwoReferences"),
    acceptable("ctx-decode-root-error", "an execution error at the root is read as a result, or refused", "CTX-BODY-08",
               received(from_server([TO_ALICE, OF_REQUEST], FAILED)), ROOT_ERROR,
               output=given(from_server([TO_ALICE, OF_REQUEST], FAILED),
                            {"jsonrpc": "2.0", "id": REQUEST, "result": FAILED}, None, REQUEST),
               flags="RootError", comment="Error Types, against Error Response Template"),
    refused("ctx-decode-other-signature", "a call with the signature of another event", "NIP01-SIG-01",
            from_client(CALLED, CALL) | {"sig": from_client(CALLED, BIG_CALL)["sig"]}, "invalid_signature",
            "MalformedBody", "Public Key Cryptography"),
    refused("ctx-decode-response-kind", "a response on the response kind of DVMCP", "CTX-KIND-02",
            from_server([TO_ALICE, OF_REQUEST], CALL_RESPONSE, 26910), "wrong_kind", "WrongKind"),
    refused("ctx-decode-notification-kind", "a notification on the notification kind of DVMCP", "CTX-KIND-03",
            from_client([TO_BOB, FOR_SERVER], INITIALIZED, 21316), "wrong_kind", "WrongKind"),
    refused("ctx-decode-request-kind", "a request on the stored request kind of DVMCP", "CTX-KIND-01",
            from_client(CALLED, CALL, 5910), "wrong_kind", "WrongKind"),
    refused("ctx-decode-announcement", "an announcement is no message", "CTX-KIND-04",
            from_server([["d", SERVER]], INITIALIZE_RESPONSE["result"], 31316), "wrong_kind", "WrongKind"),
    refused("ctx-decode-request-no-p", "a request without p", "CTX-TAG-01", from_client([FOR_SERVER], CALL),
            "missing_tag", "MissingTag"),
    refused("ctx-decode-notification-no-p", "a notification without p", "CTX-TAG-13",
            from_server([], {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}), "missing_tag",
            "MissingTag"),
    refused("ctx-decode-response-no-e", "a response without e", "CTX-TAG-08", from_server([TO_ALICE], CALL_RESPONSE),
            "missing_tag", "MissingTag"),
    refused("ctx-decode-response-short-e", "a response whose e is no event id", "CTX-TAG-08",
            from_server([TO_ALICE, ["e", REQUEST[:16]]], CALL_RESPONSE), "malformed_tag", "MalformedTag"),
    refused("ctx-decode-request-name-as-p", "a request whose p is no public key", "CTX-TAG-01",
            from_client([["p", "bob"], FOR_SERVER], CALL), "malformed_tag", "MalformedTag"),
    refused("ctx-decode-text", "content that is not JSON", "CTX-BODY-01", from_client(CALLED, "hello"),
            "invalid_json", "MalformedBody"),
    refused("ctx-decode-json-string", "content that is a JSON string", "CTX-BODY-01",
            from_client(CALLED, compact(compact(CALL))), "not_a_message", "MalformedBody"),
    refused("ctx-decode-no-method", "content with neither a method nor an outcome", "CTX-BODY-03",
            from_client(CALLED, {"jsonrpc": "2.0", "id": 2, "params": CALL_PARAMS}), "not_a_message", "MalformedBody"),
    refused("ctx-decode-method-number", "a method that is a number", "CTX-BODY-03",
            from_client(CALLED, CALL | {"method": 1}), "malformed_method", "MalformedBody"),
    refused("ctx-decode-params-array", "a request whose params are an array", "CTX-BODY-03",
            from_client(CALLED, CALL | {"params": ["get_weather"]}), "malformed_params", "MalformedBody"),
    refused("ctx-decode-notification-params-array", "a notification whose params are an array", "CTX-BODY-51",
            from_server([TO_ALICE], {"method": "notifications/resources/updated", "params": ["file:///a"]}),
            "malformed_params", "MalformedBody"),
    refused("ctx-decode-error-text", "an error that is a text", "CTX-BODY-07",
            from_server([TO_ALICE, OF_REQUEST], {"jsonrpc": "2.0", "id": 2, "error": "failed"}), "malformed_error",
            "MalformedBody"),
    refused("ctx-decode-batch", "two requests in one event", "CTX-BODY-01",
            from_client(CALLED, [CALL, CALL | {"id": 3}]), "batch", "Batch"),
    decoded("ctx-decode-root-error-beside-result", "isError beside a result is no part of it", "CTX-BODY-05 CTX-BODY-08",
            from_server([TO_ALICE, OF_REQUEST], CALL_RESPONSE | {"isError": True}), CALL_RESPONSE, request=REQUEST,
            comment="Error Response Template: isError stands in the result"),
    decoded("ctx-decode-root-error-beside-error", "isError beside an error is no part of it", "CTX-BODY-07",
            from_server([TO_ALICE, OF_REQUEST], {"error": ERROR, "isError": True}),
            {"jsonrpc": "2.0", "id": REQUEST, "error": ERROR}, "TextForm ErrorForm", request=REQUEST,
            comment="Error Response Template: a protocol error is an error object"),
    refused("ctx-decode-payment-currency-number", "a demand for payment in a currency that is a number", "CTX-PAY-02",
            from_server([TO_ALICE, OF_REQUEST],
                        {"method": "notifications/payment_required", "params": PAYMENT_PARAMS | {"currency": 5}}),
            "malformed_body", "MalformedBody"),
    refused("ctx-decode-request-with-result", "a method and a result in one object", "HOUSE-JSON-06",
            from_client(CALLED, CALL | {"result": {}}), "ambiguous_message", "TwoOutcomes"),
    refused("ctx-decode-request-with-error", "a method and an error in one object", "HOUSE-JSON-06",
            from_client(CALLED, CALL | {"error": ERROR}), "ambiguous_message", "TwoOutcomes"),
    refused("ctx-decode-two-outcomes", "a result and an error in one response", "CTX-BODY-09",
            from_server([TO_ALICE, OF_REQUEST], {"error": ERROR, "result": FAILED}), "ambiguous_message", "TwoOutcomes",
            comment="Error Response Template prints both forms in one object, as alternatives"),
)  # fmt: skip
