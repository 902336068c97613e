"""What an event of `dvmcp-rev1.1` (seed 003) breaks, by requirement: nothing in the seed's examples, one thing in each other."""

from __future__ import annotations

from typing import Any

from vectors.source.dvmcp_rev1_1.examples import (
    AMB_BOTH,
    AMB_CANCEL,
    AMB_EMPTY,
    AMB_PROGRESS,
    ANNOUNCED,
    ANNOUNCED_COMPLETIONS,
    CALL,
    CALL_ID,
    CALL_RESULT,
    COMPLETE,
    COMPLETE_ERROR,
    COMPLETE_ID,
    COMPLETE_RESULT,
    COMPLETE_RESULT_12,
    ERROR,
    EXECUTION_ERROR,
    FORECAST,
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
    PRICED_WEATHER,
    PROMPTS,
    READ,
    READ_ID,
    READ_RESULT,
    RESOURCES,
    REVISION,
    SERVER_PING_ID,
    TEMPLATES,
    TIME,
    TOO_MANY,
    TOOLS,
    WEATHER,
    D,
    S,
    method,
    text,
)
from vectors.source.writing import Note, Suite, acceptable, signed, valid

SUITE = Suite(
    "dvmcp-rev1.1/check",
    "What events of DVMCP rev1.1 break",
    "1",
    {
        "Example": Note("BASIC", "an example event of the specification", "conforming peers are called broken"),
        "Optional": Note("BASIC", "a conforming event without what is optional", "conforming peers are called broken"),
        "Kind": Note("WIRE_SHAPE", "a message on another message's kind", "nobody who listens for it hears it"),
        "Body": Note("WIRE_SHAPE", "content in another form", "the receiver reads nothing, or another message"),
        "Tag": Note(
            "MISSING_STEP", "a required tag is missing or has another value", "the message is not found or not matched"
        ),
        "Payment": Note("WIRE_SHAPE", "a demand for payment in another form", "nobody pays, or the wrong amount"),
        "Announcement": Note("WIRE_SHAPE", "an announcement in another form", "a server or its tools are not found"),
        "TwoReadings": Note("AMBIGUOUS", "the text has two readings", "one side calls broken what the other means"),
        "Price": Note("WIRE_SHAPE", "a price in another form", "a user is told no price, or a wrong one"),
    },
)

Tags = list[list[str]]


def checked(
    id: str,
    title: str,
    req: str,
    role: str,
    kind: int,
    tags: Tags,
    content: str,
    breaches: list[str],
    answers: str | None,
    **rest: Any,
) -> Any:
    inputs = {"revision": REVISION, "event": signed(role, kind, tags, content, TIME), "answers": answers}
    return valid(id, title, req, inputs, {"breaches": breaches}, **rest)


def fine(
    id: str,
    title: str,
    req: str,
    role: str,
    kind: int,
    tags: Tags,
    content: Any,
    answers: str | None = None,
    flags: str = "Example",
    **rest: Any,
) -> Any:
    """Nothing is broken."""
    content = content if isinstance(content, str) else text(content)
    return checked(id, title, req, role, kind, tags, content, [], answers, flags=flags, **rest)


def broken(
    id: str,
    title: str,
    req: str,
    role: str,
    kind: int,
    tags: Tags,
    content: Any,
    flags: str,
    answers: str | None = None,
    **rest: Any,
) -> Any:
    """This one requirement is broken."""
    content = content if isinstance(content, str) else text(content)
    return checked(id, title, req, role, kind, tags, content, [req], answers, flags=flags, **rest)


def open_to_reading(
    id: str,
    title: str,
    req: str,
    ambiguity: str,
    role: str,
    kind: int,
    tags: Tags,
    content: Any,
    answers: str | None = None,
    **rest: Any,
) -> Any:
    """Two readings: what is broken, if anything, is not judged."""
    content = content if isinstance(content, str) else text(content)
    inputs = {"revision": REVISION, "event": signed(role, kind, tags, content, TIME), "answers": answers}
    return acceptable(id, title, req, inputs, ambiguity, flags="TwoReadings", **rest)


def without(name: str, tags: Tags) -> Tags:
    return [tag for tag in tags if tag[0] != name]


def instead(tags: Tags, tag: list[str]) -> Tags:
    """The tags with this one in the place of the one of its name."""
    return [tag if old[0] == tag[0] else old for old in tags]


CALL_TAGS = [method("tools/call"), P_BOB, S]
INITIALIZE_TAGS = [P_BOB, S, method("initialize")]
INITIALIZED_TAGS = [P_BOB, S, method("notifications/initialized")]
PING_TAGS = [method("ping"), P_BOB, S]
CHANGED = {"method": "notifications/tools/list_changed"}
CHANGED_TAGS = [P_ALICE, method("notifications/tools/list_changed")]
PROGRESS = {"method": "notifications/progress", "params": {"id": CALL_ID, "message": "Half way"}}
PROGRESS_BOTH = {
    "method": "notifications/progress",
    "params": {"progressToken": "t-1", "progress": 2, "message": "Half way", "id": CALL_ID},
}
PROGRESS_TAGS = [P_ALICE, method("notifications/progress"), ["e", CALL_ID]]
CANCEL = {"method": "notifications/cancel", "params": {"id": CALL_ID}}
CANCEL_TAGS = [P_BOB, method("notifications/cancel"), S, ["e", CALL_ID]]
PAYMENT_TAGS = [["status", "payment-required"], ["amount", "1000", INVOICE], ["e", CALL_ID]]
SERVER_TAGS = [
    D, ["k", "25910"], ["name", "Example Server"], ["about", "Server description"],
    ["picture", "https://example.com/server.png"], ["website", "https://example.com"], ["support_encryption", "true"],
]  # fmt: skip
TOOLS_TAGS = [["d", "server-1/tools/list"], S, ["cap", "get_weather"]]
RESOURCES_TAGS = [["d", "server-1/resources/list"], S, ["cap", "main.rs"]]
TEMPLATES_TAGS = [["d", "server-1/resources/templates/list"], S, ["cap", "Project Files"]]
PROMPTS_TAGS = [["d", "server-1/prompts/list"], S, ["cap", "code_review"]]
PRICED_TAGS = [["d", "server-123/tools/list"], ["s", "server-123"], ["cap", "get_weather", "100", "sats"]]

# The seed's examples, and what it leaves open: nothing is broken.
SUITE.group(
    "check_event",
    fine("r11-check-initialize", "initialize with p, s and method", "R11-TAG-05 R11-TAG-07", "alice", 25910, INITIALIZE_TAGS, INITIALIZE,
         comment="003: Client Initialization Request"),
    fine("r11-check-initialize-no-s", "initialize without s", "R11-TAG-05 R11-TAG-06", "alice", 25910, without("s", INITIALIZE_TAGS), INITIALIZE,
         flags="Optional"),
    fine("r11-check-initialize-response", "the answer to initialize with e and d", "R11-TAG-10 R11-TAG-11", "bob", 26910,
         [["e", INITIALIZE_ID], D], INITIALIZE_RESULT, "initialize", comment="003: Server Initialization Response"),
    fine("r11-check-initialize-error", "an error that answers initialize names no server", "R11-TAG-08 R11-BODY-07", "bob", 26910,
         [["e", INITIALIZE_ID]], {"error": ERROR}, "initialize", flags="Optional"),
    fine("r11-check-initialized", "initialized with p, s and method", "R11-TAG-18 R11-TAG-19 R11-TAG-20", "alice", 21316, INITIALIZED_TAGS,
         INITIALIZED, comment="003: Client Initialized Notification"),
    fine("r11-check-list", "a list request", "R11-TAG-01 R11-TAG-02 R11-TAG-03", "alice", 25910, [method("tools/list"), P_BOB, S], LIST,
         comment="003: List Request Template"),
    fine("r11-check-list-response", "a list response", "R11-TAG-08 R11-BODY-05", "bob", 26910, [["e", LIST_ID]], LIST_RESULT, "tools/list",
         comment="003: List Response Template"),
    fine("r11-check-call", "tools/call", "R11-TAG-01 R11-TAG-02 R11-TAG-03 R11-FLOW-41", "alice", 25910, CALL_TAGS, CALL,
         comment="003: Call Tool Request"),
    fine("r11-check-call-response", "a tool's result", "R11-TAG-08 R11-BODY-05", "bob", 26910, [["e", CALL_ID]], CALL_RESULT, "tools/call",
         comment="003: Call Tool Response"),
    fine("r11-check-call-response-p", "a response with p", "R11-TAG-08", "bob", 26910, [P_ALICE, ["e", CALL_ID]], CALL_RESULT, "tools/call",
         flags="Optional"),
    fine("r11-check-read", "resources/read", "R11-TAG-01 R11-TAG-02 R11-TAG-03", "alice", 25910, [method("resources/read"), P_BOB, S], READ,
         comment="003: Read Resource Request"),
    fine("r11-check-read-response", "the contents of a resource", "R11-TAG-08 R11-BODY-05", "bob", 26910, [["e", READ_ID]], READ_RESULT,
         "resources/read", comment="003: Read Resource Response"),
    fine("r11-check-get", "prompts/get", "R11-TAG-01 R11-TAG-02 R11-TAG-03", "alice", 25910, [method("prompts/get"), P_BOB, S], GET,
         comment="003: Get Prompt Request"),
    fine("r11-check-get-response", "the messages of a prompt", "R11-TAG-08 R11-BODY-05", "bob", 26910, [["e", GET_ID]], GET_RESULT,
         "prompts/get", comment="003: Get Prompt Response"),
    fine("r11-check-complete", "completion/complete", "R11-COMP-05", "alice", 25910, [method("completion/complete"), P_BOB, S], COMPLETE,
         comment="003: Completions, Completion Request Event, and End-to-End Example 1"),
    fine("r11-check-complete-response", "a completion", "R11-COMP-06", "bob", 26910, [["e", COMPLETE_ID]], COMPLETE_RESULT,
         "completion/complete", comment="003: Completions, Completion Response Event"),
    fine("r11-check-complete-example", "a completion that tells of more values", "R11-COMP-06", "bob", 26910, [["e", COMPLETE_ID]],
         COMPLETE_RESULT_12, "completion/complete", comment="003: Completions, End-to-End Example 2"),
    fine("r11-check-complete-hundred", "a completion of 100 values", "R11-COMP-09", "bob", 26910, [["e", COMPLETE_ID]], HUNDRED,
         "completion/complete", flags="Optional", comment="003: Completion Results"),
    fine("r11-check-tool-completion", "a tool's result with a member completion of 101 values", "R11-COMP-09", "bob", 26910, [["e", CALL_ID]],
         TOO_MANY, "tools/call", flags="Optional"),
    fine("r11-check-complete-error", "an error that answers completion/complete", "R11-COMP-16 R11-BODY-07", "bob", 26910,
         [["e", COMPLETE_ID]], {"error": COMPLETE_ERROR}, "completion/complete", comment="003: Completions, Example error response"),
    fine("r11-check-ping", "a client's ping", "R11-TAG-24 R11-TAG-25 R11-TAG-26", "alice", 25910, PING_TAGS, PING, comment="003: Ping Request"),
    fine("r11-check-ping-by-server", "a server's ping without s", "R11-PING-01 R11-PING-06 R11-TAG-25", "bob", 25910, [method("ping"), P_ALICE],
         PING, flags="Optional"),
    fine("r11-check-pong", "the empty answer to a ping", "R11-PING-03 R11-BODY-05", "bob", 26910, [["e", PING_ID]], {}, "ping",
         comment="003: Ping Response"),
    fine("r11-check-pong-by-client", "a client's empty answer to a ping", "R11-PING-03", "alice", 26910, [P_BOB, ["e", SERVER_PING_ID]], {},
         "ping", flags="Optional"),
    fine("r11-check-ping-error", "an error that answers a ping", "R11-PING-12 R11-BODY-07", "bob", 26910, [["e", PING_ID]], {"error": PING_ERROR}, "ping",
         comment="003: Ping, Example Error Response"),
    fine("r11-check-notification", "a notification of a server with p, method and s", "R11-TAG-13 R11-TAG-15 R11-TAG-16", "bob", 21316,
         [*CHANGED_TAGS, S], CHANGED, comment="003: Notification Template"),
    fine("r11-check-notification-no-s", "a notification of a server without s", "R11-TAG-13 R11-TAG-15", "bob", 21316, CHANGED_TAGS, CHANGED,
         flags="Optional"),
    fine("r11-check-progress", "progress with id and message", "R11-NOTE-01 R11-TAG-21", "bob", 21316, PROGRESS_TAGS, PROGRESS,
         comment="003: Common MCP Notifications, Progress"),
    fine("r11-check-progress-both", "progress with MCP's params beside id and message", "R11-NOTE-01 R11-TAG-21", "bob", 21316, PROGRESS_TAGS,
         PROGRESS_BOTH, flags="Optional"),
    fine("r11-check-cancel", "a cancel with its id", "R11-NOTE-02 R11-TAG-22", "alice", 21316, CANCEL_TAGS, CANCEL,
         comment="003: Common MCP Notifications, Cancel"),
    fine("r11-check-cancel-bare", "a cancel without s and e", "R11-NOTE-02 R11-TAG-14 R11-TAG-17 R11-TAG-22", "alice", 21316,
         [P_BOB, method("notifications/cancel")], CANCEL, flags="Optional", comment="003: Notification Template has both as optional"),
    fine("r11-check-payment", "a demand for payment", "R11-PAY-01 R11-PAY-02 R11-PAY-03 R11-PAY-05", "bob", 21316, PAYMENT_TAGS, "",
         comment="003: Payment Required Notification"),
    fine("r11-check-payment-routed", "a demand for payment with p and s", "R11-PAY-01", "bob", 21316, [P_ALICE, S, *PAYMENT_TAGS], "",
         flags="Optional"),
    fine("r11-check-payment-capitals", "an invoice in capital letters, as for QR codes", "R11-PAY-02", "bob", 21316,
         instead(PAYMENT_TAGS, ["amount", "1000", INVOICE.upper()]), "", flags="Optional"),
    fine("r11-check-error", "a protocol error", "R11-BODY-07 R11-TAG-08", "bob", 26910, [["e", CALL_ID]], {"error": ERROR}, "tools/call",
         comment="003: Error Response Template, first alternative"),
    fine("r11-check-execution-error", "an execution error", "R11-BODY-08 R11-TAG-08", "bob", 26910, [["e", CALL_ID]], EXECUTION_ERROR,
         "tools/call", comment="003: Error Response Template, second alternative"),
    fine("r11-check-result-method", "a result that has a member `method`", "R11-BODY-05", "bob", 26910, [["e", CALL_ID]],
         {"content": [], "method": "GET"}, "tools/call", flags="Optional"),
    fine("r11-check-server", "a server announcement", "R11-ANN-01 R11-ANN-02 R11-ANN-03 R11-ANN-04 R11-ANN-05 R11-ANN-51", "bob", 31316, SERVER_TAGS,
         ANNOUNCED, comment="003: Server Announcement Event"),
    fine("r11-check-server-least", "a server announcement with d and k alone", "R11-ANN-03 R11-ANN-04 R11-COMP-01", "bob", 31316, [D, ["k", "25910"]],
         ANNOUNCED_COMPLETIONS, flags="Optional"),
    fine("r11-check-tools", "a tools list", "R11-ANN-10 R11-ANN-11 R11-ANN-12", "bob", 31317, TOOLS_TAGS, TOOLS, comment="003: Tools List Event"),
    fine("r11-check-tools-priced", "a tools list with a price", "R11-PRICE-01 R11-ANN-12", "bob", 31317, PRICED_TAGS, {"tools": [PRICED_WEATHER]},
         comment="003: Capability Pricing, Example"),
    fine("r11-check-resources", "a resources list", "R11-ANN-20 R11-ANN-21 R11-ANN-22", "bob", 31318, RESOURCES_TAGS, RESOURCES,
         comment="003: Resources List Event, static resources"),
    fine("r11-check-resources-no-cap", "a resources list without cap", "R11-ANN-20 R11-ANN-22", "bob", 31318, without("cap", RESOURCES_TAGS), RESOURCES,
         flags="Optional"),
    fine("r11-check-templates", "a resource template list", "R11-KIND-07 R11-ANN-30 R11-ANN-31 R11-ANN-32", "bob", 31318, TEMPLATES_TAGS,
         TEMPLATES, comment="003: Resources List Event, resource templates"),
    fine("r11-check-templates-no-cap", "a resource template list without cap", "R11-ANN-30 R11-ANN-32", "bob", 31318, without("cap", TEMPLATES_TAGS),
         TEMPLATES, flags="Optional"),
    fine("r11-check-prompts", "a prompts list", "R11-ANN-40 R11-ANN-41 R11-ANN-42", "bob", 31319, PROMPTS_TAGS, PROMPTS,
         comment="003: Prompts List Event"),
    fine("r11-check-prompts-no-cap", "a prompts list without cap", "R11-ANN-40 R11-ANN-42", "bob", 31319, without("cap", PROMPTS_TAGS), PROMPTS,
         flags="Optional"),
)  # fmt: skip

# Messages that break one requirement.
SUITE.group(
    "check_event",
    broken("r11-check-request-kind", "a request of kind 5910", "R11-KIND-01", "alice", 5910, CALL_TAGS, CALL, "Kind"),
    broken("r11-check-response-kind", "a response of kind 6910", "R11-KIND-02", "bob", 6910, [["e", CALL_ID]], CALL_RESULT, "Kind", "tools/call"),
    broken("r11-check-initialized-kind", "initialized on the kind of requests", "R11-KIND-03", "alice", 25910, INITIALIZED_TAGS, INITIALIZED,
           "Kind", comment="what gzuuus/dvmcp at e105f29 sends"),
    broken("r11-check-not-json", "a request whose content is plain text", "R11-BODY-01", "alice", 25910, CALL_TAGS, "tools/call get_weather", "Body"),
    broken("r11-check-array", "a request whose content is an array", "R11-BODY-01", "alice", 25910, CALL_TAGS, text([CALL]), "Body"),
    broken("r11-check-response-text", "a response whose content is a JSON string", "R11-BODY-01", "bob", 26910, [["e", CALL_ID]], '"sunny"', "Body",
           "tools/call"),
    broken("r11-check-request-jsonrpc", "a request with jsonrpc", "R11-BODY-02", "alice", 25910, CALL_TAGS, {"jsonrpc": "2.0", **CALL}, "Body"),
    broken("r11-check-request-id", "a request with an id", "R11-BODY-02", "alice", 25910, CALL_TAGS, {"id": 1, **CALL}, "Body"),
    broken("r11-check-no-method", "a request whose content has no method", "R11-BODY-03", "alice", 25910, CALL_TAGS, {"params": CALL["params"]},
           "Body"),
    broken("r11-check-params-array", "a request whose params are an array", "R11-BODY-03", "alice", 25910, CALL_TAGS,
           {"method": "tools/call", "params": ["get_weather"]}, "Body"),
    broken("r11-check-response-jsonrpc", "a response with jsonrpc and id", "R11-BODY-04", "bob", 26910, [["e", CALL_ID]],
           {"jsonrpc": "2.0", "id": 1, **CALL_RESULT}, "Body", "tools/call"),
    broken("r11-check-error-jsonrpc", "an error with jsonrpc and id", "R11-BODY-04", "bob", 26910, [["e", CALL_ID]],
           {"jsonrpc": "2.0", "id": 1, "error": ERROR}, "Body", "tools/call", comment="what gzuuus/dvmcp at f79d9a4 sends when a tool fails"),
    broken("r11-check-result-nested", "a result inside `result`", "R11-BODY-05", "bob", 26910, [["e", CALL_ID]], {"result": CALL_RESULT}, "Body",
           "tools/call", comment="what gzuuus/dvmcp at 62d2066 sends"),
    broken("r11-check-complete-many", "a completion of 101 values", "R11-COMP-09", "bob", 26910, [["e", COMPLETE_ID]], TOO_MANY, "Body",
           "completion/complete", comment="003: Completion Results"),
    broken("r11-check-notification-jsonrpc", "a notification with jsonrpc", "R11-BODY-06", "bob", 21316, CHANGED_TAGS, {"jsonrpc": "2.0", **CHANGED},
           "Body"),
    broken("r11-check-request-no-p", "a request without p", "R11-TAG-01", "alice", 25910, without("p", CALL_TAGS), CALL, "Tag"),
    checked("r11-check-request-no-p-no-method", "a request without p and without the method tag", "R11-TAG-01 R11-TAG-03", "alice", 25910, [S],
            text(CALL), ["R11-TAG-01", "R11-TAG-03"], None, flags="Tag"),
    broken("r11-check-request-npub", "a request whose p is no key in hexadecimal", "R11-TAG-01", "alice", 25910, instead(CALL_TAGS, ["p", "npub1bob"]),
           CALL, "Tag"),
    broken("r11-check-request-no-s", "a request without s", "R11-TAG-02", "alice", 25910, without("s", CALL_TAGS), CALL, "Tag"),
    broken("r11-check-complete-no-s", "completion/complete without s", "R11-TAG-02", "alice", 25910, [method("completion/complete"), P_BOB], COMPLETE,
           "Tag"),
    broken("r11-check-request-no-method", "a request without the method tag", "R11-TAG-03", "alice", 25910, without("method", CALL_TAGS), CALL, "Tag"),
    broken("r11-check-request-other-method", "a request whose method tag differs from its content", "R11-TAG-04", "alice", 25910,
           instead(CALL_TAGS, method("tools/list")), CALL, "Tag"),
    broken("r11-check-initialize-no-p", "initialize without p", "R11-TAG-05", "alice", 25910, without("p", INITIALIZE_TAGS), INITIALIZE, "Tag"),
    broken("r11-check-initialize-no-method", "initialize without the method tag", "R11-TAG-07", "alice", 25910, without("method", INITIALIZE_TAGS),
           INITIALIZE, "Tag"),
    broken("r11-check-response-no-e", "a response without e", "R11-TAG-08", "bob", 26910, [P_ALICE], CALL_RESULT, "Tag", "tools/call"),
    broken("r11-check-response-short-e", "a response whose e is no event id", "R11-TAG-08", "bob", 26910, [["e", "1"]], CALL_RESULT, "Tag", "tools/call"),
    broken("r11-check-error-no-e", "an error without e", "R11-TAG-08", "bob", 26910, [P_ALICE], {"error": ERROR}, "Tag", "tools/call"),
    broken("r11-check-pong-no-e", "an answer to a ping without e", "R11-TAG-08", "bob", 26910, [P_ALICE], {}, "Tag", "ping"),
    broken("r11-check-initialize-response-no-e", "an answer to initialize without e", "R11-TAG-10", "bob", 26910, [D], INITIALIZE_RESULT, "Tag",
           "initialize"),
    broken("r11-check-initialize-response-no-d", "an answer to initialize without d", "R11-TAG-11", "bob", 26910, [["e", INITIALIZE_ID]],
           INITIALIZE_RESULT, "Tag", "initialize"),
    broken("r11-check-notification-no-p", "a notification without p", "R11-TAG-13", "bob", 21316, without("p", CHANGED_TAGS), CHANGED, "Tag"),
    broken("r11-check-notification-no-method", "a notification without the method tag", "R11-TAG-16", "bob", 21316, [P_ALICE], CHANGED, "Tag"),
    broken("r11-check-notification-other-method", "a notification whose method tag differs from its content", "R11-TAG-04", "bob", 21316,
           instead(CHANGED_TAGS, method("notifications/prompts/list_changed")), CHANGED, "Tag"),
    broken("r11-check-initialized-no-p", "initialized without p", "R11-TAG-18", "alice", 21316, without("p", INITIALIZED_TAGS), INITIALIZED, "Tag"),
    broken("r11-check-initialized-no-s", "initialized without s", "R11-TAG-19", "alice", 21316, without("s", INITIALIZED_TAGS), INITIALIZED, "Tag"),
    broken("r11-check-initialized-no-method", "initialized without the method tag", "R11-TAG-20", "alice", 21316, without("method", INITIALIZED_TAGS),
           INITIALIZED, "Tag"),
    broken("r11-check-progress-no-e", "progress without e", "R11-TAG-21", "bob", 21316, without("e", PROGRESS_TAGS), PROGRESS, "Tag"),
    broken("r11-check-ping-no-p", "a ping without p", "R11-TAG-24", "alice", 25910, without("p", PING_TAGS), PING, "Tag"),
    broken("r11-check-ping-no-method", "a ping without the method tag", "R11-TAG-26", "alice", 25910, without("method", PING_TAGS), PING, "Tag"),
    broken("r11-check-progress-no-id", "progress that does not name its request in params", "R11-NOTE-01", "bob", 21316, PROGRESS_TAGS,
           {"method": "notifications/progress", "params": {"message": "processing"}}, "Body", comment="what gzuuus/dvmcp at f79d9a4 sends"),
    broken("r11-check-cancel-no-id", "a cancel that does not name its request in params", "R11-NOTE-02", "alice", 21316, CANCEL_TAGS,
           {"method": "notifications/cancel"}, "Body"),
    broken("r11-check-payment-status", "a demand for payment with another status", "R11-PAY-01", "bob", 21316,
           instead(PAYMENT_TAGS, ["status", "payment-needed"]), "", "Payment"),
    broken("r11-check-payment-accepted", "a receipt by tags, which is no demand", "R11-PAY-01", "bob", 21316,
           instead(PAYMENT_TAGS, ["status", "payment-accepted"]), "", "Payment"),
    broken("r11-check-payment-no-amount", "a demand for payment without an amount", "R11-PAY-02", "bob", 21316, without("amount", PAYMENT_TAGS), "",
           "Payment"),
    broken("r11-check-payment-no-invoice", "a demand for payment without an invoice", "R11-PAY-02", "bob", 21316,
           instead(PAYMENT_TAGS, ["amount", "1000"]), "", "Payment"),
    broken("r11-check-payment-words", "a demand for payment whose amount is no number", "R11-PAY-02", "bob", 21316,
           instead(PAYMENT_TAGS, ["amount", "many", INVOICE]), "", "Payment"),
    broken("r11-check-payment-invoice-tag", "a demand for payment whose invoice has a tag of its own", "R11-PAY-02", "bob", 21316,
           [*instead(PAYMENT_TAGS, ["amount", "1000", "sats"]), ["invoice", INVOICE]], "", "Payment", comment="what gzuuus/dvmcp at f79d9a4 sends"),
    broken("r11-check-payment-no-e", "a demand for payment without e", "R11-PAY-03", "bob", 21316, without("e", PAYMENT_TAGS), "", "Payment"),
    broken("r11-check-payment-content", "a demand for payment with content", "R11-PAY-05", "bob", 21316, PAYMENT_TAGS, "please pay", "Payment"),
)  # fmt: skip

# Where the text has two readings.
SUITE.group(
    "check_event",
    open_to_reading("r11-check-error-and-result", "an error beside the members of a result", "R11-BODY-09", AMB_BOTH, "bob", 26910,
                    [["e", CALL_ID]], {"error": ERROR, **EXECUTION_ERROR}, "tools/call",
                    comment="003: Error Response Template as printed, its two alternatives in one object"),
    open_to_reading("r11-check-cancelled", "a cancel under MCP's name", "R11-NOTE-02", AMB_CANCEL, "alice", 21316,
                    instead(CANCEL_TAGS, method("notifications/cancelled")),
                    {"method": "notifications/cancelled", "params": {"requestId": CALL_ID}},
                    comment="003: Common MCP Notifications has another name, Providers and Servers MUST 6 wants MCP's"),
    open_to_reading("r11-check-progress-mcp", "progress in MCP's form alone", "R11-NOTE-01", AMB_PROGRESS, "bob", 21316, PROGRESS_TAGS,
                    {"method": "notifications/progress", "params": {"progressToken": "t-1", "progress": 2}}),
    open_to_reading("r11-check-payment-object", "a demand for payment whose content is an empty object", "R11-PAY-05", AMB_EMPTY, "bob", 21316,
                    PAYMENT_TAGS, {}, comment="003: Providers and Servers MUST 2 wants JSON, Nostr-Specific Notifications wants nothing"),
)  # fmt: skip

# Announcements that break one requirement.
SUITE.group(
    "check_event",
    broken("r11-check-tools-kind", "a tools list on the kind of resources", "R11-KIND-05", "bob", 31318, TOOLS_TAGS, TOOLS, "Kind"),
    broken("r11-check-templates-kind", "a resource template list on the kind of prompts", "R11-KIND-07", "bob", 31319, TEMPLATES_TAGS, TEMPLATES,
           "Kind"),
    broken("r11-check-server-not-json", "a server announcement whose content is plain text", "R11-BODY-01", "bob", 31316, SERVER_TAGS, "a server",
           "Announcement"),
    broken("r11-check-server-wrapped", "a server announcement inside a JSON-RPC response", "R11-BODY-10", "bob", 31316, SERVER_TAGS,
           {"jsonrpc": "2.0", "id": 1, "result": ANNOUNCED}, "Announcement"),
    broken("r11-check-tools-wrapped", "a tools list inside a JSON-RPC response", "R11-BODY-11", "bob", 31317, TOOLS_TAGS,
           {"jsonrpc": "2.0", "id": 1, "result": TOOLS}, "Announcement"),
    broken("r11-check-server-no-d", "a server announcement without d", "R11-ANN-01", "bob", 31316, without("d", SERVER_TAGS), ANNOUNCED, "Announcement"),
    broken("r11-check-server-no-k", "a server announcement without k", "R11-ANN-02", "bob", 31316, without("k", SERVER_TAGS), ANNOUNCED, "Announcement"),
    broken("r11-check-server-other-k", "a server announcement for requests of kind 5910", "R11-ANN-02", "bob", 31316,
           instead(SERVER_TAGS, ["k", "5910"]), ANNOUNCED, "Announcement"),
    open_to_reading("r11-check-server-encryption-yes", "support_encryption with a value that is neither true nor false", "R11-ANN-06", "AMB-125",
                    "bob", 31316, instead(SERVER_TAGS, ["support_encryption", "yes"]), ANNOUNCED, comment="003: Server Announcement Event: whether"),
    broken("r11-check-server-no-info", "a server announcement without serverInfo", "R11-ANN-05", "bob", 31316, SERVER_TAGS,
           {name: value for name, value in ANNOUNCED.items() if name != "serverInfo"}, "Announcement"),
    broken("r11-check-tools-no-d", "a tools list without d", "R11-ANN-10", "bob", 31317, without("d", TOOLS_TAGS), TOOLS, "Announcement"),
    broken("r11-check-tools-no-s", "a tools list without s", "R11-ANN-11", "bob", 31317, without("s", TOOLS_TAGS), TOOLS, "Announcement"),
    broken("r11-check-tools-no-cap", "a tools list without cap for one of two tools", "R11-ANN-12", "bob", 31317, TOOLS_TAGS,
           {"tools": [WEATHER, FORECAST]}, "Announcement"),
    open_to_reading("r11-check-tools-extra-cap", "a tools list with a cap for a tool it does not have", "R11-ANN-12", "AMB-160", "bob", 31317,
                    [*TOOLS_TAGS, ["cap", "get_forecast"]], TOOLS),
    broken("r11-check-resources-no-d", "a resources list without d", "R11-ANN-20", "bob", 31318, without("d", RESOURCES_TAGS), RESOURCES,
           "Announcement"),
    broken("r11-check-resources-no-s", "a resources list without s", "R11-ANN-21", "bob", 31318, without("s", RESOURCES_TAGS), RESOURCES,
           "Announcement"),
    broken("r11-check-templates-no-d", "a resource template list without d", "R11-ANN-30", "bob", 31318, without("d", TEMPLATES_TAGS), TEMPLATES,
           "Announcement"),
    broken("r11-check-templates-no-s", "a resource template list without s", "R11-ANN-31", "bob", 31318, without("s", TEMPLATES_TAGS), TEMPLATES,
           "Announcement"),
    broken("r11-check-prompts-no-d", "a prompts list without d", "R11-ANN-40", "bob", 31319, without("d", PROMPTS_TAGS), PROMPTS, "Announcement"),
    broken("r11-check-prompts-no-s", "a prompts list without s", "R11-ANN-41", "bob", 31319, without("s", PROMPTS_TAGS), PROMPTS, "Announcement"),
    broken("r11-check-price-no-unit", "a price without a unit", "R11-PRICE-01", "bob", 31317, instead(PRICED_TAGS, ["cap", "get_weather", "100"]),
           {"tools": [PRICED_WEATHER]}, "Price"),
    broken("r11-check-price-words", "a price that is no number", "R11-PRICE-01", "bob", 31317,
           instead(PRICED_TAGS, ["cap", "get_weather", "cheap", "sats"]), {"tools": [PRICED_WEATHER]}, "Price"),
)  # fmt: skip

# What is told apart by one member, tag or kind.
SUITE.group(
    "check_event",
    broken("r11-check-payment-kind", "a demand for payment on the kind of responses", "R11-KIND-03", "bob", 26910, PAYMENT_TAGS, "", "Kind"),
    broken("r11-check-payment-no-status", "a demand for payment without a status", "R11-PAY-01", "bob", 21316, without("status", PAYMENT_TAGS), "",
           "Payment"),
    broken("r11-check-empty", "an empty notification that demands nothing", "R11-BODY-01", "bob", 21316, CHANGED_TAGS, "", "Body"),
    broken("r11-check-error-kind", "an error on the kind of requests", "R11-KIND-02", "bob", 25910, [["e", CALL_ID]], {"error": ERROR}, "Kind",
           "tools/call"),
    broken("r11-check-response-jsonrpc-alone", "a response with jsonrpc alone", "R11-BODY-04", "bob", 26910, [["e", CALL_ID]],
           {"jsonrpc": "2.0", **CALL_RESULT}, "Body", "tools/call"),
    broken("r11-check-response-id", "a response with an id alone", "R11-BODY-04", "bob", 26910, [["e", CALL_ID]], {"id": 5, **CALL_RESULT}, "Body",
           "tools/call"),
    checked("r11-check-response-whole", "a response that is whole JSON-RPC", "R11-BODY-04 R11-BODY-05", "bob", 26910, [["e", CALL_ID]],
            text({"jsonrpc": "2.0", "id": 5, "result": CALL_RESULT}), ["R11-BODY-04", "R11-BODY-05"], "tools/call", flags="Body"),
    broken("r11-check-server-kind", "a server announcement on the kind of tools", "R11-KIND-04", "bob", 31317, SERVER_TAGS, ANNOUNCED, "Kind"),
    broken("r11-check-server-other-kind", "a server announcement on a kind that announces nothing", "R11-KIND-04", "bob", 31400, SERVER_TAGS, ANNOUNCED,
           "Kind"),
    broken("r11-check-server-jsonrpc", "a server announcement with jsonrpc", "R11-BODY-10", "bob", 31316, SERVER_TAGS,
           {"jsonrpc": "2.0", **ANNOUNCED}, "Announcement"),
    broken("r11-check-server-id", "a server announcement with an id", "R11-BODY-10", "bob", 31316, SERVER_TAGS, {"id": 1, **ANNOUNCED}, "Announcement"),
    broken("r11-check-server-result", "a server announcement inside a result", "R11-BODY-10", "bob", 31316, SERVER_TAGS, {"result": ANNOUNCED},
           "Announcement"),
    fine("r11-check-server-encryption-false", "support_encryption with the value false", "R11-ANN-06", "bob", 31316,
         instead(SERVER_TAGS, ["support_encryption", "false"]), ANNOUNCED, flags="Optional"),
    broken("r11-check-tools-cap-empty", "a cap tag without a name beside those of the tools", "R11-ANN-12", "bob", 31317, [*TOOLS_TAGS, ["cap"]], TOOLS,
           "Announcement"),
    fine("r11-check-tools-strange-item", "an item of a list that is no object has no name to tag", "R11-ANN-12", "bob", 31317, TOOLS_TAGS,
         {"tools": ["get_time", 5, *TOOLS["tools"]]}, flags="Optional"),
    broken("r11-check-request-result", "a request with a result in place of a method", "R11-BODY-03", "alice", 25910, CALL_TAGS, {"result": {}},
           "Body"),
    broken("r11-check-tools-no-list", "a tools list without a list of tools", "R11-BODY-11", "bob", 31317, TOOLS_TAGS[:2], {}, "Announcement"),
    broken("r11-check-price-two-points", "a price with two points", "R11-PRICE-01", "bob", 31317,
           [*TOOLS_TAGS[:2], ["cap", "get_weather", "1.2.3", "sats"]], TOOLS, "Price"),
)  # fmt: skip
