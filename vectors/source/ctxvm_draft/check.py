"""`ctxvm-draft`: what an event breaks. Expectations from seed 001_2dd24ef00746d737.txt, heading by heading."""

from __future__ import annotations

import json
from typing import Any

from vectors.source.writing import Case, Note, Suite, acceptable, public, sha256, signed, valid

SUITE = Suite(
    "ctxvm-draft/check",
    "CTXVM draft: what an event breaks",
    "1",
    {
        "Example": Note("BASIC", "an example of the seed", "a conforming peer is called broken"),
        "Tolerated": Note("EDGE_CASE", "a form that the seed allows beside its examples", "a conforming peer is called broken"),
        "TextForm": Note("WIRE_SHAPE", "content without jsonrpc and id", "half of the seed's own examples are called broken"),
        "PrintedWithoutP": Note("WIRE_SHAPE", "an answer as printed, without the p that the seed's last rule asks for",
                                "a client that listens for its own key never sees the answer"),
        "WrongKind": Note("WIRE_SHAPE", "a kind of another revision", "no peer of this revision sees the event"),
        "MissingTag": Note("WIRE_SHAPE", "a tag is missing", "the message finds no reader or no request"),
        "WrongTag": Note("WIRE_SHAPE", "a tag has a wrong value", "the message finds no reader or no request"),
        "Body": Note("WIRE_SHAPE", "content has a wrong form", "the peer drops the message"),
        "Payment": Note("WIRE_SHAPE", "a demand that cannot be paid or matched", "a client pays for nothing"),
        "Price": Note("WIRE_SHAPE", "a price that cannot be read", "a client pays what it did not expect"),
        "RootError": Note("AMBIGUOUS", "isError at the root, as the table of errors says", "a failure is lost"),
    },
)  # fmt: skip

# An ambiguity, by the rows of FIELD section 2.2.
ROOT_ERROR = "AMB-215"

ALICE, BOB = public("alice"), public("bob")
SERVER = "server-1"
REQUEST = sha256("ctxvm-draft: a request event").hex()
TO_BOB, TO_ALICE, OF_REQUEST = ["p", BOB], ["p", ALICE], ["e", REQUEST]
FOR_SERVER, SERVER_D, INITIALIZE_METHOD = ["s", SERVER], ["d", SERVER], ["method", "initialize"]
CALLED, ANSWERED = [TO_BOB, FOR_SERVER], [TO_ALICE, OF_REQUEST]
WEATHER_PRICE = ["cap", "get_weather", "100", "sats"]

Json = dict[str, Any]


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def from_client(tags: list[list[str]], content: Any, kind: int = 25910) -> Json:
    return signed("alice", kind, tags, content if isinstance(content, str) else compact(content))


def from_server(tags: list[list[str]], content: Any, kind: int = 25910) -> Json:
    return signed("bob", kind, tags, content if isinstance(content, str) else compact(content))


def sound(
    id: str,
    title: str,
    req: str,
    event: Json,
    answers: str | None = None,
    flags: str = "Example",
    comment: str | None = None,
) -> Case:
    """The event breaks nothing."""
    input = {"revision": "ctxvm-draft", "event": event, "answers": answers}
    return valid(id, title, req, input, {"breaches": []}, flags=flags, comment=comment)


def broken(
    id: str, title: str, breach: str, event: Json, flags: str, answers: str | None = None, comment: str | None = None
) -> Case:
    """The event breaks this one requirement."""
    input = {"revision": "ctxvm-draft", "event": event, "answers": answers}
    return valid(id, title, breach, input, {"breaches": [breach]}, flags=flags, comment=comment)


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
SERVER_RESULT = {
    "protocolVersion": "2025-03-26",
    "capabilities": {
        "prompts": {"listChanged": True}, "resources": {"subscribe": True, "listChanged": True},
        "tools": {"listChanged": True},
    },
    "serverInfo": {"name": "ExampleServer", "version": "1.0.0"},
    "instructions": "Optional instructions for the client",
}  # fmt: skip
INITIALIZE_RESPONSE = {"jsonrpc": "2.0", "id": 0, "result": SERVER_RESULT}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "optional-cursor-value"}}
TOOLS = {
    "tools": [{
        "name": "get_weather",
        "description": "Get current weather information for a location",
        "inputSchema": {
            "type": "object",
            "properties": {"location": {"type": "string", "description": "City name or zip code"}},
            "required": ["location"],
        },
    }],
}  # fmt: skip
PAGE = TOOLS | {"nextCursor": "next-page-cursor"}
LIST_RESPONSE = {"jsonrpc": "2.0", "id": 1, "result": PAGE}
RESOURCES = {"resources": [{"uri": "file:///report.txt", "name": "report"}]}
TEMPLATES = {"resourceTemplates": [{"uriTemplate": "file:///{path}", "name": "files"}]}
PROMPTS = {"prompts": [{"name": "summary"}]}
HUNDRED, TOO_MANY = (
    {"jsonrpc": "2.0", "id": 6, "result": {"completion": {"values": [f"value-{number}" for number in range(most)]}}}
    for most in (100, 101)
)
CALL = {
    "jsonrpc": "2.0", "id": 2, "method": "tools/call",
    "params": {"name": "get_weather", "arguments": {"location": "New York"}},
}  # fmt: skip
WEATHER_TEXT = "Current weather in New York:\nTemperature: 72°F\nConditions: Partly cloudy"
CALL_RESULT = {"content": [{"type": "text", "text": WEATHER_TEXT}], "isError": False}
CALL_RESPONSE = {"jsonrpc": "2.0", "id": 2, "result": CALL_RESULT}
FAILED = {"content": [{"type": "text", "text": "Error details"}], "isError": True}
ERROR = {"code": -32602, "message": "Error description"}
PAYMENT_PARAMS = {
    "amount": 1000, "currency": "sats", "invoice": "lnbc10u1example", "description": "Payment for tool execution",
}  # fmt: skip
UPDATED = {"method": "notifications/resources/updated", "params": {"uri": "file:///report.txt"}}
PROGRESS = {
    "jsonrpc": "2.0", "method": "notifications/progress",
    "params": {"progressToken": "token-1", "progress": 1, "message": "reading"},
}  # fmt: skip
CANCEL = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}
SERVER_TAGS = [
    SERVER_D, ["name", "Example Server"], ["about", "Server description"], ["picture", "https://example.com/server.png"],
    ["website", "https://example.com"], ["support_encryption"],
]  # fmt: skip
TOOLS_D, RESOURCES_D, PROMPTS_D = (
    ["d", "server-1/tools/list"],
    ["d", "server-1/resources/list"],
    ["d", "server-1/prompts/list"],
)
TEMPLATES_D = ["d", "server-1/resources/templates/list"]


def payment(**params: Any) -> Json:
    """A demand for payment; a param that is None is left out."""
    kept = {name: value for name, value in (PAYMENT_PARAMS | params).items() if value is not None}
    return {"method": "notifications/payment_required", "params": kept}


def without(value: Json, *names: str) -> Json:
    return {name: member for name, member in value.items() if name not in names}


SUITE.group(
    "check_event",
    sound("ctx-check-initialize", "the example of initialize", "CTX-TAG-04 CTX-TAG-05 CTX-TAG-07",
          from_client([*CALLED, INITIALIZE_METHOD], INITIALIZE), comment="Client Initialization Request"),
    sound("ctx-check-initialize-response", "the example of its answer, with p", "CTX-TAG-09 CTX-TAG-10 CTX-TAG-11",
          from_server([*ANSWERED, SERVER_D, ["support_encryption"]], INITIALIZE_RESPONSE), "initialize",
          comment="Server Initialization Response, with p as Subscription Management item 4 says"),
    sound("ctx-check-initialized", "the example of initialized", "CTX-TAG-18 CTX-TAG-19",
          from_client(CALLED, INITIALIZED), comment="Client Initialized Notification"),
    sound("ctx-check-list", "the example of a list request", "CTX-TAG-01 CTX-BODY-03", from_client(CALLED, LIST),
          comment="List Request Template"),
    sound("ctx-check-list-response", "the example of a list response, with p", "CTX-TAG-08 CTX-TAG-09 CTX-BODY-05",
          from_server(ANSWERED, LIST_RESPONSE), "tools/list", comment="List Response Template"),
    sound("ctx-check-priced-list-response", "the example of a priced list response, with p",
          "CTX-TAG-23 CTX-PRICE-01 CTX-BODY-04", from_server([*ANSWERED, WEATHER_PRICE], {"result": PAGE}),
          "tools/list", "Example TextForm", comment="Capability Pricing: Example, from capability list events"),
    sound("ctx-check-call", "the example of a tool call", "CTX-KIND-01 CTX-BODY-02 CTX-TAG-01",
          from_client(CALLED, CALL), comment="Call Tool Request; also Encryption: Request Preparation"),
    sound("ctx-check-call-response", "the example of a tool's answer, with p", "CTX-KIND-02 CTX-BODY-04 CTX-TAG-09",
          from_server(ANSWERED, CALL_RESPONSE), "tools/call",
          comment="Call Tool Response; also Encryption: Encrypted Response Structure"),
    sound("ctx-check-notification", "the example of a notification, without e",
          "CTX-KIND-03 CTX-BODY-06 CTX-TAG-13 CTX-TAG-17", from_server([TO_ALICE], UPDATED), None, "Example TextForm",
          comment="Notification Event Example"),
    sound("ctx-check-payment", "the example of a demand for payment", "CTX-PAY-01 CTX-PAY-02 CTX-PAY-03 CTX-PAY-06",
          from_server(ANSWERED, payment()), None, "Example TextForm", comment="Payment Required Notification Example"),
    sound("ctx-check-error", "the example of a protocol error, with p", "CTX-BODY-04 CTX-BODY-07",
          from_server(ANSWERED, {"error": ERROR}), "tools/call", "Example TextForm",
          comment="Error Response Template, first form"),
    sound("ctx-check-execution-error", "the example of an execution error, with p", "CTX-BODY-08",
          from_server(ANSWERED, {"result": FAILED}), "tools/call", "Example TextForm",
          comment="Error Response Template, second form"),
    sound("ctx-check-server", "the example of a server announcement", "CTX-KIND-04 CTX-ANN-01 CTX-ANN-05 CTX-BODY-10",
          from_server(SERVER_TAGS, SERVER_RESULT, 31316), comment="Server Announcement Event"),
    sound("ctx-check-server-version", "a server announcement with the version that the example prints", "CTX-ANN-05",
          from_server(SERVER_TAGS, SERVER_RESULT | {"protocolVersion": "2025-07-02"}, 31316), None, "Tolerated",
          comment="Server Announcement Event, as printed; MCP has no version of that date"),
    sound("ctx-check-server-name-empty", "a server announcement with a name tag that holds no name", "CTX-ANN-03",
          from_server([SERVER_D, ["name"]], SERVER_RESULT, 31316), None, "Tolerated",
          comment="Server Announcement Event: the tag is optional, and no rule is for what it holds"),
    sound("ctx-check-tools", "the example of a tools list", "CTX-KIND-05 CTX-ANN-10 CTX-ANN-11 CTX-BODY-11",
          from_server([TOOLS_D, FOR_SERVER], TOOLS, 31317), comment="Tools List Event"),
    sound("ctx-check-priced-tools", "the example of a priced tools list", "CTX-ANN-12 CTX-PRICE-01",
          from_server([["d", "server-123/tools/list"], ["s", "server-123"], WEATHER_PRICE], TOOLS, 31317),
          comment="Capability Pricing: Example, from public server announcements"),
    sound("ctx-check-priced-tools-printed", "the example of a priced tools list, its tool as short as printed",
          "CTX-ANN-12 CTX-PRICE-01",
          from_server([["d", "server-123/tools/list"], ["s", "server-123"], WEATHER_PRICE],
                      {"tools": [{"name": "get_weather", "description": "Get current weather information"}]}, 31317),
          comment="Capability Pricing: Example, from public server announcements, as printed"),
    sound("ctx-check-progress", "progress with p and e", "CTX-NOTE-01 CTX-TAG-21", from_server(ANSWERED, PROGRESS)),
    sound("ctx-check-cancel", "a cancel with p, s and e", "CTX-NOTE-02 CTX-TAG-22",
          from_client([*CALLED, OF_REQUEST], CANCEL)),
    sound("ctx-check-text-call", "a call without jsonrpc and id", "CTX-BODY-02",
          from_client(CALLED, without(CALL, "jsonrpc", "id")), None, "Tolerated TextForm",
          comment="Message Structure item 1"),
    sound("ctx-check-text-initialized", "initialized without jsonrpc", "CTX-BODY-06",
          from_client(CALLED, without(INITIALIZED, "jsonrpc")), None, "Tolerated TextForm",
          comment="Message Structure item 1"),
    sound("ctx-check-whole-notification", "a notification with jsonrpc", "CTX-BODY-06",
          from_server([TO_ALICE], {"jsonrpc": "2.0"} | UPDATED), None, "Tolerated"),
    sound("ctx-check-initialize-no-s", "initialize without s", "CTX-TAG-06",
          from_client([TO_BOB, INITIALIZE_METHOD], INITIALIZE), None, "Tolerated",
          comment="Client Initialization Request: s is optional"),
    sound("ctx-check-initialize-version", "initialize with the version that the example prints", "CTX-BODY-52",
          from_client([*CALLED, INITIALIZE_METHOD], initialize("2025-07-02")), None, "Tolerated",
          comment="Client Initialization Request, as printed; MCP has no version of that date"),
    sound("ctx-check-list-no-s", "a list request without s", "CTX-TAG-02", from_client([TO_BOB], LIST), None,
          "Tolerated", comment="List Request Template: s is optional"),
    sound("ctx-check-list-method-tag", "a list request with a method tag", "CTX-TAG-03",
          from_client([*CALLED, ["method", "tools/list"]], LIST), None, "Tolerated",
          comment="List Operations names the tag, List Request Template does not print it"),
    sound("ctx-check-call-other-method-tag", "a call with a method tag that names another method", "CTX-TAG-04",
          from_client([*CALLED, ["method", "tools/list"]], CALL), None, "Tolerated",
          comment="Message Structure gives the tag to initialize and lists alone"),
    sound("ctx-check-ping", "a ping without params, as MCP has it", "CTX-PING-01 CTX-BODY-52",
          from_client(CALLED, {"jsonrpc": "2.0", "id": 7, "method": "ping"}), None, "Tolerated"),
    sound("ctx-check-payment-no-description", "a demand without a description", "CTX-PAY-02",
          from_server(ANSWERED, payment(description=None)), None, "Tolerated"),
    sound("ctx-check-price-fraction", "a price with a fraction, in another unit", "CTX-PRICE-01 CTX-PRICE-05",
          from_server([RESOURCES_D, FOR_SERVER, ["cap", "file:///report.txt", "0.25", "usd"]], RESOURCES, 31318), None,
          "Tolerated", comment="Pricing Tag Format"),
    sound("ctx-check-completion-hundred", "a completion of 100 values", "CTX-COMP-02", from_server(ANSWERED, HUNDRED),
          "completion/complete", "Tolerated", comment="MCP schema: CompleteResult"),
    sound("ctx-check-error-null-id", "an error about content that could not be read has the id null", "CTX-BODY-04",
          from_server(ANSWERED, {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}}),
          None, "Tolerated",
          comment="JSON-RPC 2.0, Response object: id is null where the request's id could not be read"),
    acceptable("ctx-check-cap-bare", "a cap tag that names a tool and no price", "CTX-PRICE-01 CTX-ANN-12",
               {"revision": "ctxvm-draft", "event": from_server([TOOLS_D, FOR_SERVER, ["cap", "get_weather"]], TOOLS, 31317),
                "answers": None}, "AMB-112", flags="Tolerated",
               comment="Pricing Tag Format: the form of pricing information, of which this has none"),
    acceptable("ctx-check-root-error", "an execution error at the root breaks nothing, or the nesting of results",
               "CTX-BODY-08",
               {"revision": "ctxvm-draft", "event": from_server(ANSWERED, FAILED), "answers": "tools/call"}, ROOT_ERROR,
               flags="RootError", comment="Error Types, against Message Structure item 1 and Error Response Template"),
)  # fmt: skip

SUITE.group(
    "check_event",
    broken("ctx-check-request-kind", "a call on the request kind of DVMCP's first revision", "CTX-KIND-01",
           from_client(CALLED, CALL, 5910), "WrongKind"),
    broken("ctx-check-response-kind", "an answer on DVMCP's response kind", "CTX-KIND-02",
           from_server(ANSWERED, CALL_RESPONSE, 26910), "WrongKind", "tools/call"),
    broken("ctx-check-notification-kind", "a notification on DVMCP's notification kind", "CTX-KIND-03",
           from_server([TO_ALICE], UPDATED, 21316), "WrongKind"),
    broken("ctx-check-server-kind", "a server announcement on ContextVM's later kind", "CTX-KIND-04",
           from_server(SERVER_TAGS, SERVER_RESULT, 11316), "WrongKind"),
    broken("ctx-check-tools-kind", "a tools list on ContextVM's later kind", "CTX-KIND-05",
           from_server([TOOLS_D, FOR_SERVER], TOOLS, 11317), "WrongKind"),
    broken("ctx-check-request-no-p", "a call without p", "CTX-TAG-01", from_client([FOR_SERVER], CALL), "MissingTag"),
    broken("ctx-check-request-name-as-p", "a call whose p is no public key", "CTX-TAG-01",
           from_client([["p", "bob"], FOR_SERVER], CALL), "WrongTag"),
    broken("ctx-check-initialize-no-p", "initialize without p", "CTX-TAG-05",
           from_client([FOR_SERVER, INITIALIZE_METHOD], INITIALIZE), "MissingTag"),
    broken("ctx-check-initialize-no-method", "initialize without a method tag", "CTX-TAG-07",
           from_client(CALLED, INITIALIZE), "MissingTag"),
    broken("ctx-check-initialize-other-method", "initialize with a method tag that names another method", "CTX-TAG-04",
           from_client([*CALLED, ["method", "tools/list"]], INITIALIZE), "WrongTag"),
    broken("ctx-check-initialize-response-printed", "the example of the answer to initialize, without p", "CTX-TAG-09",
           from_server([OF_REQUEST, SERVER_D, ["support_encryption"]], INITIALIZE_RESPONSE), "PrintedWithoutP",
           "initialize", "Server Initialization Response, as printed, against Subscription Management item 4"),
    broken("ctx-check-initialize-response-no-e", "the answer to initialize without e", "CTX-TAG-10",
           from_server([TO_ALICE, SERVER_D], INITIALIZE_RESPONSE), "MissingTag", "initialize"),
    broken("ctx-check-initialize-response-no-d", "the answer to initialize without d", "CTX-TAG-11",
           from_server(ANSWERED, INITIALIZE_RESPONSE), "MissingTag", "initialize"),
    broken("ctx-check-response-printed", "the example of a tool's answer, without p", "CTX-TAG-09",
           from_server([OF_REQUEST], CALL_RESPONSE), "PrintedWithoutP", "tools/call",
           "Call Tool Response, as printed, against Subscription Management item 4"),
    broken("ctx-check-response-no-e", "an answer without e", "CTX-TAG-08", from_server([TO_ALICE], CALL_RESPONSE),
           "MissingTag", "tools/call"),
    broken("ctx-check-response-short-e", "an answer whose e is no event id", "CTX-TAG-08",
           from_server([TO_ALICE, ["e", REQUEST[:16]]], CALL_RESPONSE), "WrongTag", "tools/call"),
    broken("ctx-check-error-printed", "the example of a protocol error, without p", "CTX-TAG-09",
           from_server([OF_REQUEST], {"error": ERROR}), "PrintedWithoutP", "tools/call",
           "Error Response Template, as printed, against Subscription Management item 4"),
    broken("ctx-check-error-no-e", "a protocol error without e", "CTX-TAG-08",
           from_server([TO_ALICE], {"error": ERROR}), "MissingTag", "tools/call"),
    broken("ctx-check-notification-no-p", "a notification without p", "CTX-TAG-13", from_server([], UPDATED),
           "MissingTag"),
    broken("ctx-check-initialized-no-p", "initialized without p", "CTX-TAG-18", from_client([FOR_SERVER], INITIALIZED),
           "MissingTag"),
    broken("ctx-check-initialized-no-s", "initialized without s", "CTX-TAG-19", from_client([TO_BOB], INITIALIZED),
           "MissingTag"),
    broken("ctx-check-progress-no-e", "progress without e", "CTX-TAG-21", from_server([TO_ALICE], PROGRESS),
           "MissingTag", comment="Subscription Management item 4"),
    broken("ctx-check-cancel-no-e", "a cancel without e", "CTX-TAG-22", from_client(CALLED, CANCEL), "MissingTag",
           comment="Subscription Management item 4"),
    broken("ctx-check-progress-no-token", "progress without MCP's progressToken", "CTX-NOTE-01",
           from_server(ANSWERED, {"method": "notifications/progress", "params": {"progress": 1}}), "Body"),
    broken("ctx-check-cancel-no-id", "a cancel that names no requestId", "CTX-NOTE-02",
           from_client([*CALLED, OF_REQUEST], {"method": "notifications/cancelled", "params": {"reason": "slow"}}),
           "Body"),
    broken("ctx-check-payment-no-p", "a demand for payment without p", "CTX-PAY-06",
           from_server([OF_REQUEST], payment()), "Payment MissingTag"),
    broken("ctx-check-payment-no-e", "a demand for payment without e", "CTX-PAY-03",
           from_server([TO_ALICE], payment()), "Payment MissingTag"),
    broken("ctx-check-payment-no-amount", "a demand for payment without an amount", "CTX-PAY-02",
           from_server(ANSWERED, payment(amount=None)), "Payment Body"),
    broken("ctx-check-payment-amount-text", "a demand for payment whose amount is a text", "CTX-PAY-02",
           from_server(ANSWERED, payment(amount="1000")), "Payment Body"),
    broken("ctx-check-payment-no-invoice", "a demand for payment without an invoice", "CTX-PAY-02",
           from_server(ANSWERED, payment(invoice=None)), "Payment Body"),
    broken("ctx-check-text", "content that is not JSON", "CTX-BODY-01", from_client(CALLED, "hello"), "Body"),
    broken("ctx-check-batch", "two requests in one event", "CTX-BODY-01",
           from_client(CALLED, [CALL, CALL | {"id": 3}]), "Body"),
    broken("ctx-check-no-method", "a request without a method", "CTX-BODY-03",
           from_client(CALLED, without(CALL, "method")), "Body"),
    broken("ctx-check-params-array", "a request whose params are an array", "CTX-BODY-03",
           from_client(CALLED, CALL | {"params": ["get_weather"]}), "Body"),
    broken("ctx-check-hoisted", "a list result at the root, as in DVMCP 1.1", "CTX-BODY-05",
           from_server(ANSWERED, PAGE), "Body", "tools/list"),
    broken("ctx-check-error-code-text", "an error whose code is a text", "CTX-BODY-07",
           from_server(ANSWERED, {"error": ERROR | {"code": "-32602"}}), "Body", "tools/call"),
    broken("ctx-check-error-no-message", "an error without a message", "CTX-BODY-07",
           from_server(ANSWERED, {"error": {"code": -32602}}), "Body", "tools/call"),
    broken("ctx-check-two-outcomes", "a result and an error in one response", "CTX-BODY-09",
           from_server(ANSWERED, {"error": ERROR, "result": FAILED}), "Body", "tools/call",
           "Error Response Template prints both forms in one object, as alternatives"),
    broken("ctx-check-price-word", "a list response whose price is no number", "CTX-PRICE-01",
           from_server([*ANSWERED, ["cap", "get_weather", "cheap", "sats"]], LIST_RESPONSE), "Price", "tools/list"),
    broken("ctx-check-price-no-unit", "an announced price without a unit", "CTX-PRICE-01",
           from_server([TOOLS_D, FOR_SERVER, ["cap", "get_weather", "100"]], TOOLS, 31317), "Price"),
    broken("ctx-check-price-no-name", "a cap tag that names nothing", "CTX-PRICE-01",
           from_server([TOOLS_D, FOR_SERVER, ["cap"]], TOOLS, 31317), "Price"),
    broken("ctx-check-completion-many", "a completion of 101 values", "CTX-COMP-02", from_server(ANSWERED, TOO_MANY),
           "Body", "completion/complete", "MCP schema: CompleteResult"),
    valid("ctx-check-response-no-e-no-p", "an answer with neither e nor p", "CTX-TAG-08 CTX-TAG-09",
          {"revision": "ctxvm-draft", "event": from_server([], CALL_RESPONSE), "answers": "tools/call"},
          {"breaches": ["CTX-TAG-08", "CTX-TAG-09"]}, flags="MissingTag"),
    broken("ctx-check-server-no-d", "a server announcement without d", "CTX-ANN-01",
           from_server([["name", "Example Server"]], SERVER_RESULT, 31316), "MissingTag"),
    broken("ctx-check-server-wrapped", "a server announcement wrapped in a response", "CTX-BODY-10",
           from_server([SERVER_D], {"jsonrpc": "2.0", "id": 1, "result": SERVER_RESULT}, 31316), "Body"),
    broken("ctx-check-server-no-version", "a server announcement without a protocolVersion", "CTX-ANN-05",
           from_server([SERVER_D], without(SERVER_RESULT, "protocolVersion"), 31316), "Body"),
    broken("ctx-check-server-text", "a server announcement that is not JSON", "CTX-BODY-01",
           from_server([SERVER_D], "Example Server", 31316), "Body"),
    broken("ctx-check-tools-no-d", "a tools list without d", "CTX-ANN-10", from_server([FOR_SERVER], TOOLS, 31317),
           "MissingTag"),
    broken("ctx-check-tools-no-s", "a tools list without s", "CTX-ANN-11", from_server([TOOLS_D], TOOLS, 31317),
           "MissingTag"),
    broken("ctx-check-tools-wrapped", "a tools list wrapped in a response", "CTX-BODY-11",
           from_server([TOOLS_D, FOR_SERVER], {"jsonrpc": "2.0", "id": 1, "result": TOOLS}, 31317), "Body"),
    broken("ctx-check-tools-no-list", "a tools list whose content holds none", "CTX-BODY-11",
           from_server([TOOLS_D, FOR_SERVER], {}, 31317), "Body"),
    broken("ctx-check-resources-no-d", "a resources list without d", "CTX-ANN-20",
           from_server([FOR_SERVER], RESOURCES, 31318), "MissingTag"),
    broken("ctx-check-resources-no-s", "a resources list without s", "CTX-ANN-21",
           from_server([RESOURCES_D], RESOURCES, 31318), "MissingTag"),
    broken("ctx-check-templates-no-d", "a resource templates list without d", "CTX-ANN-30",
           from_server([FOR_SERVER], TEMPLATES, 31318), "MissingTag"),
    broken("ctx-check-templates-no-s", "a resource templates list without s", "CTX-ANN-31",
           from_server([TEMPLATES_D], TEMPLATES, 31318), "MissingTag"),
    broken("ctx-check-prompts-no-d", "a prompts list without d", "CTX-ANN-40",
           from_server([FOR_SERVER], PROMPTS, 31319), "MissingTag"),
    broken("ctx-check-prompts-no-s", "a prompts list without s", "CTX-ANN-41",
           from_server([PROMPTS_D], PROMPTS, 31319), "MissingTag"),
)  # fmt: skip
