"""`ctxvm-draft`: messages as events. Expectations from seed 001_2dd24ef00746d737.txt, heading by heading."""

from __future__ import annotations

import json
from typing import Any

from vectors.source.writing import Case, Note, Suite, invalid, public, sha256, valid

SUITE = Suite(
    "ctxvm-draft/encode",
    "CTXVM draft: messages as events",
    "1",
    {
        "Basic": Note("BASIC", "an ordinary message", "nothing works"),
        "Handshake": Note("BASIC", "the three messages of initialization", "a session never starts"),
        "Routing": Note("WIRE_SHAPE", "the tags by which a message finds its reader", "the message is never seen"),
        "Envelope": Note("WIRE_SHAPE", "what of a JSON-RPC message is in content", "the peer drops the message"),
        "TextForm": Note("LEGACY", "content without jsonrpc and id, as the seed's text has it", "the text is not served"),
        "ErrorForm": Note("WIRE_SHAPE", "a protocol error or an execution error", "a failure is taken for success"),
        "Notification": Note("BASIC", "a notification", "progress and cancels are lost"),
        "Payment": Note("WIRE_SHAPE", "a demand for payment", "a client cannot pay, or pays for nothing"),
        "Price": Note("WIRE_SHAPE", "prices beside a list", "a client learns the price too late"),
        "Encryption": Note("CONFIDENTIALITY", "the advertisement of encryption", "messages travel in plain"),
        "NoRequest": Note("MISSING_STEP", "a message that needs a request, and has none", "nobody can match it"),
    },
)  # fmt: skip

ALICE, BOB = public("alice"), public("bob")
TIME = 1_750_000_000
SERVER = "server-1"
REQUEST = sha256("ctxvm-draft: a request event").hex()
TO_BOB, TO_ALICE, OF_REQUEST = ["p", BOB], ["p", ALICE], ["e", REQUEST]
FOR_SERVER = ["s", SERVER]

Json = dict[str, Any]


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def asked(
    role: str,
    message: Json,
    *,
    revision: str = "ctxvm-draft",
    request: Json | None = None,
    server_id: str | None = SERVER,
    prices: tuple[Json, ...] = (),
    encryption: bool = False,
) -> Json:
    sender, recipient = (ALICE, BOB) if role == "client" else (BOB, ALICE)
    return {
        "revision": revision, "message": message, "sender": {"role": role, "pubkey": sender}, "recipient": recipient,
        "server_id": server_id, "request": request, "prices": list(prices), "encryption": encryption, "created_at": TIME,
    }  # fmt: skip


def encoded(
    id: str,
    title: str,
    req: str,
    input: Json,
    tags: list[list[str]],
    flags: str = "Basic",
    *,
    wire: Json | None = None,
    optional: tuple[list[str], ...] = (),
    level: str = "MUST",
    comment: str | None = None,
) -> Case:
    """The message of `input` is an event of kind 25910 with these tags; `wire` is its content where that differs."""
    content = compact(input["message"] if wire is None else wire)
    event = {"pubkey": input["sender"]["pubkey"], "created_at": TIME, "kind": 25910, "tags": tags, "content": content}
    return valid(id, title, req, input, {"event": event, "optional_tags": list(optional)}, flags=flags, level=level,
                 compare="event", comment=comment)  # fmt: skip


def answering(method: str) -> Json:
    return {"event_id": REQUEST, "method": method}


def about(method: str, id: int | str) -> Json:
    return {"event_id": REQUEST, "method": method, "id": id}


INITIALIZE = {
    "jsonrpc": "2.0", "id": 0, "method": "initialize",
    "params": {
        "protocolVersion": "2025-03-26",
        "capabilities": {"roots": {"listChanged": True}, "sampling": {}},
        "clientInfo": {"name": "ExampleClient", "version": "1.0.0"},
    },
}  # fmt: skip
INITIALIZE_RESPONSE = {
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
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "optional-cursor-value"}}
WEATHER = {
    "name": "get_weather",
    "description": "Get current weather information",
    "inputSchema": {"type": "object", "properties": {"location": {"type": "string"}}, "required": ["location"]},
}
LIST_RESPONSE = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [WEATHER], "nextCursor": "next-page-cursor"}}
CALL = {
    "jsonrpc": "2.0", "id": 2, "method": "tools/call",
    "params": {"name": "get_weather", "arguments": {"location": "New York"}},
}  # fmt: skip
WEATHER_TEXT = "Current weather in New York:\nTemperature: 72°F\nConditions: Partly cloudy"
CALL_RESPONSE = {
    "jsonrpc": "2.0", "id": 2,
    "result": {"content": [{"type": "text", "text": WEATHER_TEXT}], "isError": False},
}  # fmt: skip
EXECUTION_ERROR = {
    "jsonrpc": "2.0", "id": 2,
    "result": {"content": [{"type": "text", "text": "Error details"}], "isError": True},
}  # fmt: skip
PROTOCOL_ERROR = {"jsonrpc": "2.0", "id": 2, "error": {"code": -32602, "message": "Error description"}}
READ = {"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": {"uri": "file:///report.txt"}}
RESOURCES = {"jsonrpc": "2.0", "id": 4, "result": {"resources": [{"uri": "file:///report.txt", "name": "report"}]}}
PROMPTS = {"jsonrpc": "2.0", "id": 5, "result": {"prompts": [{"name": "summary"}]}}
PAYMENT = {
    "jsonrpc": "2.0", "method": "notifications/payment_required",
    "params": {
        "amount": 1000, "currency": "sats", "invoice": "lnbc10u1example", "description": "Payment for tool execution",
    },
}  # fmt: skip
PAYMENT_PAGE = {
    "jsonrpc": "2.0", "method": "notifications/payment_required",
    "params": {"amount": 5, "currency": "usd", "invoice": "https://pay.example.com/invoices/17"},
}  # fmt: skip
UPDATED = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "file:///report.txt"}}
PROGRESS = {
    "jsonrpc": "2.0", "method": "notifications/progress",
    "params": {"progressToken": "token-1", "progress": 1, "total": 4, "message": "reading"},
}  # fmt: skip
CANCEL = {
    "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2, "reason": "no longer needed"},
}  # fmt: skip
LOG = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "asking the station"}}
ROOTS = {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}
PING = {"jsonrpc": "2.0", "id": "ping-1", "method": "ping"}
PONG = {"jsonrpc": "2.0", "id": "ping-1", "result": {}}
COMPLETE = {
    "jsonrpc": "2.0", "id": 6, "method": "completion/complete",
    "params": {"ref": {"type": "ref/prompt", "name": "summary"}, "argument": {"name": "style", "value": "sh"}},
}  # fmt: skip
HUNDRED, TOO_MANY = (
    {"jsonrpc": "2.0", "id": 6, "result": {"completion": {"values": [f"value-{number}" for number in range(most)]}}}
    for most in (100, 101)
)
TOOL_PRICE = {"type": "tool", "capability": "get_weather", "amount": "100", "unit": "sats"}
RESOURCE_PRICE = {"type": "resource", "capability": "file:///report.txt", "amount": "0.25", "unit": "usd"}
PROMPT_PRICE = {"type": "prompt", "capability": "summary", "amount": "7", "unit": "sats"}

SUITE.group(
    "encode_message",
    encoded("ctx-encode-initialize", "initialize has p, method and the server's s",
            "CTX-KIND-01 CTX-BODY-01 CTX-BODY-03 CTX-TAG-04 CTX-TAG-05 CTX-TAG-06 CTX-TAG-07",
            asked("client", INITIALIZE), [TO_BOB, FOR_SERVER, ["method", "initialize"]], "Handshake",
            optional=(FOR_SERVER,), comment="Client Initialization Request; protocolVersion as in the seed's header"),
    encoded("ctx-encode-initialize-any-server", "initialize to all servers of a provider has no s",
            "CTX-TAG-05 CTX-TAG-06 CTX-TAG-07", asked("client", INITIALIZE, server_id=None),
            [TO_BOB, ["method", "initialize"]], "Handshake", comment="Client Initialization Request, s left out"),
    encoded("ctx-encode-initialize-response", "the answer to initialize names the server and tells of encryption",
            "CTX-KIND-02 CTX-BODY-05 CTX-TAG-09 CTX-TAG-10 CTX-TAG-11 CTX-TAG-12 CTX-ENC-04",
            asked("server", INITIALIZE_RESPONSE, request=answering("initialize"), encryption=True),
            [TO_ALICE, OF_REQUEST, ["d", SERVER], ["support_encryption"]], "Handshake Encryption",
            comment="Server Initialization Response, with p as Subscription Management item 4 says"),
    encoded("ctx-encode-initialize-response-plain", "a server that reads no wraps has no support_encryption",
            "CTX-TAG-10 CTX-TAG-11 CTX-TAG-12 CTX-ENC-04",
            asked("server", INITIALIZE_RESPONSE, request=answering("initialize")),
            [TO_ALICE, OF_REQUEST, ["d", SERVER]], "Handshake Encryption"),
    encoded("ctx-encode-initialized", "initialized has p and s and no method tag",
            "CTX-KIND-03 CTX-BODY-51 CTX-TAG-18 CTX-TAG-19", asked("client", INITIALIZED), [TO_BOB, FOR_SERVER],
            "Handshake", comment="Client Initialized Notification"),
    encoded("ctx-encode-list", "a list request with a cursor",
            "CTX-KIND-01 CTX-BODY-03 CTX-BODY-53 CTX-TAG-01 CTX-TAG-02 CTX-TAG-03", asked("client", LIST),
            [TO_BOB, FOR_SERVER, ["method", "tools/list"]], optional=(FOR_SERVER, ["method", "tools/list"]),
            comment="List Request Template; the bullets above it name a method tag that it does not print"),
    encoded("ctx-encode-list-any-server", "a list request without a server id has no s", "CTX-TAG-01 CTX-TAG-02",
            asked("client", LIST, server_id=None), [TO_BOB, ["method", "tools/list"]], "Routing",
            optional=(["method", "tools/list"],), comment="List Request Template, s left out"),
    encoded("ctx-encode-list-response", "a list response with a next cursor",
            "CTX-KIND-02 CTX-BODY-05 CTX-BODY-53 CTX-TAG-08 CTX-TAG-09",
            asked("server", LIST_RESPONSE, request=answering("tools/list")), [TO_ALICE, OF_REQUEST], "Basic Routing",
            comment="List Response Template, with p as Subscription Management item 4 says"),
    encoded("ctx-encode-call", "a tool call", "CTX-KIND-01 CTX-BODY-02 CTX-BODY-03 CTX-TAG-01 CTX-TAG-02 CTX-TAG-54",
            asked("client", CALL), [TO_BOB, FOR_SERVER], optional=(FOR_SERVER,),
            comment="Call Tool Request; also Encryption: Request Preparation"),
    encoded("ctx-encode-call-response", "a tool's answer, its result nested and its characters kept",
            "CTX-KIND-02 CTX-BODY-04 CTX-BODY-05 CTX-BODY-52 CTX-TAG-08 CTX-TAG-09",
            asked("server", CALL_RESPONSE, request=answering("tools/call")), [TO_ALICE, OF_REQUEST], "Basic Routing",
            comment="Call Tool Response; also Encryption: Encrypted Response Structure"),
    encoded("ctx-encode-read", "a request to a server that is known names it in s", "CTX-TAG-51 CTX-FLOW-05",
            asked("client", READ), [TO_BOB, FOR_SERVER], "Routing", level="SHOULD",
            comment="Message Structure item 2; Complete Protocol Flow: Resource Access"),
    encoded("ctx-encode-priced-tools", "a list response has a cap tag for a priced tool",
            "CTX-TAG-23 CTX-PRICE-01 CTX-PRICE-02 CTX-PRICE-03",
            asked("server", LIST_RESPONSE, request=answering("tools/list"), prices=(TOOL_PRICE,)),
            [TO_ALICE, OF_REQUEST, ["cap", "get_weather", "100", "sats"]], "Price", level="MAY",
            comment="Capability Pricing: Example, from capability list events"),
    encoded("ctx-encode-priced-resources", "a resource is priced by its URI, here in another unit",
            "CTX-TAG-23 CTX-PRICE-01 CTX-PRICE-02 CTX-PRICE-05",
            asked("server", RESOURCES, request=answering("resources/list"), prices=(RESOURCE_PRICE,)),
            [TO_ALICE, OF_REQUEST, ["cap", "file:///report.txt", "0.25", "usd"]], "Price", level="MAY",
            comment="Pricing Tag Format"),
    encoded("ctx-encode-priced-prompts", "a prompt is priced by its name", "CTX-TAG-23 CTX-PRICE-01 CTX-PRICE-02",
            asked("server", PROMPTS, request=answering("prompts/list"), prices=(PROMPT_PRICE,)),
            [TO_ALICE, OF_REQUEST, ["cap", "summary", "7", "sats"]], "Price", level="MAY",
            comment="Pricing Tag Format"),
    encoded("ctx-encode-notification-to-client", "a server's notification has the client's p",
            "CTX-KIND-03 CTX-BODY-06 CTX-BODY-51 CTX-TAG-13 CTX-NOTE-03 CTX-NOTE-51 CTX-NOTE-52",
            asked("server", UPDATED), [TO_ALICE], "Notification",
            comment="Notification Event Example, with the type of Complete Protocol Flow: MCP Notifications"),
    encoded("ctx-encode-notification-to-server", "a client's notification has the provider's p",
            "CTX-KIND-03 CTX-BODY-51 CTX-TAG-13 CTX-TAG-14 CTX-NOTE-51", asked("client", ROOTS),
            [TO_BOB, FOR_SERVER], "Notification", optional=(FOR_SERVER,), comment="Notification Event Example"),
    encoded("ctx-encode-notification-of-request", "a notification that belongs to a request has its e",
            "CTX-TAG-13 CTX-TAG-17", asked("server", LOG, request=about("tools/call", 2)), [TO_ALICE, OF_REQUEST],
            "Notification Routing", comment="Subscription Management item 4"),
    encoded("ctx-encode-progress", "progress in MCP's form, with p and e",
            "CTX-NOTE-01 CTX-NOTE-52 CTX-TAG-13 CTX-TAG-21",
            asked("server", PROGRESS, request=about("tools/call", 2)), [TO_ALICE, OF_REQUEST], "Notification Routing",
            comment="Notifications; Subscription Management items 2 and 4"),
    encoded("ctx-encode-cancel", "a cancel in MCP's form, with p and e",
            "CTX-NOTE-02 CTX-NOTE-52 CTX-TAG-13 CTX-TAG-14 CTX-TAG-22",
            asked("client", CANCEL, request=about("tools/call", 2)), [TO_BOB, FOR_SERVER, OF_REQUEST],
            "Notification Routing", optional=(FOR_SERVER,), comment="Subscription Management items 3 and 4"),
    encoded("ctx-encode-payment", "a demand for payment is a notification with p and e",
            "CTX-PAY-01 CTX-PAY-02 CTX-PAY-03 CTX-PAY-06",
            asked("server", PAYMENT, request=about("tools/call", 2)), [TO_ALICE, OF_REQUEST], "Payment",
            comment="Payment Required Notification Example"),
    encoded("ctx-encode-payment-page", "a demand in another currency, by a page to pay at", "CTX-PAY-02 CTX-PAY-53",
            asked("server", PAYMENT_PAGE, request=about("tools/call", 2)), [TO_ALICE, OF_REQUEST], "Payment",
            comment="Payment Handling step 2"),
    encoded("ctx-encode-error", "a protocol error is an error object with a code and a message",
            "CTX-BODY-07 CTX-TAG-08 CTX-TAG-09 CTX-ERR-04",
            asked("server", PROTOCOL_ERROR, request=answering("tools/call")), [TO_ALICE, OF_REQUEST], "ErrorForm",
            comment="Error Response Template, first form"),
    encoded("ctx-encode-execution-error", "an execution error is a result with isError", "CTX-BODY-08 CTX-TAG-08",
            asked("server", EXECUTION_ERROR, request=answering("tools/call")), [TO_ALICE, OF_REQUEST], "ErrorForm",
            comment="Error Response Template, second form"),
    encoded("ctx-encode-ping", "a ping has the tags of a request, and its id stays a text",
            "CTX-PING-01 CTX-BODY-52 CTX-TAG-01", asked("client", PING), [TO_BOB, FOR_SERVER], optional=(FOR_SERVER,),
            comment="Complete Protocol Flow: Connection Health Monitoring"),
    encoded("ctx-encode-ping-response", "the answer to a ping is an empty result", "CTX-PING-01 CTX-BODY-05",
            asked("server", PONG, request=answering("ping")), [TO_ALICE, OF_REQUEST],
            comment="Complete Protocol Flow: Connection Health Monitoring"),
    encoded("ctx-encode-completion", "a completion request follows the pattern of other requests", "CTX-COMP-01",
            asked("client", COMPLETE), [TO_BOB, FOR_SERVER], optional=(FOR_SERVER,),
            comment="Call Tool Response, last paragraph"),
    encoded("ctx-encode-completion-hundred", "a completion of 100 values is sent", "CTX-COMP-02",
            asked("server", HUNDRED, request=answering("completion/complete")), [TO_ALICE, OF_REQUEST],
            comment="MCP schema: CompleteResult, not more than 100 items"),
    invalid("ctx-encode-completion-many", "a completion of 101 values is not sent", "CTX-COMP-02",
            asked("server", TOO_MANY, request=answering("completion/complete")), "malformed_body", flags="Envelope",
            comment="MCP schema: CompleteResult, not more than 100 items"),
    invalid("ctx-encode-response-without-request", "a response that answers no request event is not built",
            "CTX-TAG-08", asked("server", CALL_RESPONSE), "missing_tag", flags="NoRequest"),
    invalid("ctx-encode-payment-no-amount", "a demand for payment of no amount is not built", "CTX-PAY-02",
            asked("server", {**PAYMENT, "params": {"currency": "sats", "invoice": "lnbc10u1example"}},
                  request=about("tools/call", 2)), "not_carried", flags="Payment"),
    invalid("ctx-encode-payment-method", "a demand for payment by a method that is no invoice has no form", "CTX-PAY-02",
            asked("server", {**PAYMENT, "params": {"amount": 5, "pay_req": "creqAexample", "pmi": "bitcoin-cashu"}},
                  request=about("tools/call", 2)), "not_carried", flags="Payment"),
    invalid("ctx-encode-payment-without-request", "a demand for payment that names no request is not built",
            "CTX-PAY-03", asked("server", PAYMENT), "missing_tag", flags="NoRequest"),
)  # fmt: skip

TEXT = "ctxvm-draft-strict-text"
MESSAGE_STRUCTURE = "Message Structure item 1: content omits jsonrpc and id"


def without(message: Json) -> Json:
    """The message as the seed's text has it, when nothing in its members names an id."""
    return {name: value for name, value in message.items() if name not in ("jsonrpc", "id")}


SUITE.group(
    "encode_message",
    encoded("ctx-encode-text-initialize", "in the text form initialize is method and params alone",
            "CTX-BODY-02 CTX-BODY-03 CTX-TAG-07", asked("client", INITIALIZE, revision=TEXT),
            [TO_BOB, FOR_SERVER, ["method", "initialize"]], "TextForm Envelope", wire=without(INITIALIZE),
            optional=(FOR_SERVER,), comment=MESSAGE_STRUCTURE),
    encoded("ctx-encode-text-call", "in the text form a call is method and params alone",
            "CTX-BODY-02 CTX-BODY-03 CTX-TAG-01", asked("client", CALL, revision=TEXT), [TO_BOB, FOR_SERVER],
            "TextForm Envelope", wire=without(CALL), optional=(FOR_SERVER,), comment=MESSAGE_STRUCTURE),
    encoded("ctx-encode-text-response", "in the text form a response is its nested result alone",
            "CTX-BODY-04 CTX-BODY-05 CTX-TAG-08",
            asked("server", CALL_RESPONSE, revision=TEXT, request=answering("tools/call")), [TO_ALICE, OF_REQUEST],
            "TextForm Envelope", wire=without(CALL_RESPONSE), comment=MESSAGE_STRUCTURE),
    encoded("ctx-encode-text-priced-tools", "in the text form a list response with a price",
            "CTX-BODY-04 CTX-TAG-23 CTX-PRICE-01",
            asked("server", LIST_RESPONSE, revision=TEXT, request=answering("tools/list"), prices=(TOOL_PRICE,)),
            [TO_ALICE, OF_REQUEST, ["cap", "get_weather", "100", "sats"]], "TextForm Price",
            wire=without(LIST_RESPONSE), level="MAY",
            comment="Capability Pricing: Example, from capability list events, printed in this form"),
    encoded("ctx-encode-text-error", "in the text form an error is the error object alone", "CTX-BODY-04 CTX-BODY-07",
            asked("server", PROTOCOL_ERROR, revision=TEXT, request=answering("tools/call")), [TO_ALICE, OF_REQUEST],
            "TextForm ErrorForm", wire=without(PROTOCOL_ERROR), comment="Error Response Template, printed in this form"),
    encoded("ctx-encode-text-initialized", "in the text form a notification has no jsonrpc",
            "CTX-BODY-06 CTX-BODY-51", asked("client", INITIALIZED, revision=TEXT), [TO_BOB, FOR_SERVER],
            "TextForm Handshake", wire=without(INITIALIZED), comment=MESSAGE_STRUCTURE),
    encoded("ctx-encode-text-payment", "in the text form a demand for payment is method and params",
            "CTX-BODY-06 CTX-PAY-01 CTX-PAY-02", asked("server", PAYMENT, revision=TEXT, request=about("tools/call", 2)),
            [TO_ALICE, OF_REQUEST], "TextForm Payment", wire=without(PAYMENT),
            comment="Payment Required Notification Example, printed in this form"),
    encoded("ctx-encode-text-cancel", "in the text form a cancel names the request by its event id",
            "CTX-BODY-06 CTX-NOTE-02 CTX-TAG-22", asked("client", CANCEL, revision=TEXT, request=about("tools/call", 2)),
            [TO_BOB, FOR_SERVER, OF_REQUEST], "TextForm Notification",
            wire={"method": "notifications/cancelled", "params": {"requestId": REQUEST, "reason": "no longer needed"}},
            optional=(FOR_SERVER,), comment="where ids do not travel, a request has no other name than its event id"),
)  # fmt: skip
