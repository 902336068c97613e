"""The example messages and announcements of the ContextVM documents, placeholders made concrete.

Names say which document and heading an example is from. Where a document prints an object that is not a whole JSON-RPC
message (CEP-8 leaves out `jsonrpc`, once also `id`), the repaired form and the form as printed stand side by side.
"""

from __future__ import annotations

import json
from typing import Any

from vectors.source.writing import public, signed

REVISION = "contextvm"
NOW = 1_750_000_000
ALICE, BOB = public("alice"), public("bob")

# FIELD row Y3 (CEP-8 prints notifications and a list response without jsonrpc) as an entry of spec/ambiguities.md.
PRINTED_WITHOUT_JSONRPC = "AMB-303"


def text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def request(id: Any, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method} | ({} if params is None else {"params": params})


def answer(id: Any, result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": result}


def failure(id: Any, code: int, message: str, **data: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message} | data}


def note(method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params})


def by_client(content: Any, *tags: list[str], kind: int = 25910) -> dict[str, Any]:
    """A signed event of Alice's; content that is not a string is written as JSON."""
    return signed("alice", kind, list(tags), content if isinstance(content, str) else text(content), NOW)


def by_server(content: Any, *tags: list[str], kind: int = 25910) -> dict[str, Any]:
    return signed("bob", kind, list(tags), content if isinstance(content, str) else text(content), NOW)


TO_SERVER = ["p", BOB]
TO_CLIENT = ["p", ALICE]

# ctxvm-draft-spec.md: Client Initialization Request, Server Initialization Response, Client Initialized Notification
INITIALIZE = request(0, "initialize", {
    "protocolVersion": "2025-07-02",
    "capabilities": {"roots": {"listChanged": True}, "sampling": {}},
    "clientInfo": {"name": "ExampleClient", "version": "1.0.0"},
})  # fmt: skip
INITIALIZE_ANSWER = answer(0, {
    "protocolVersion": "2025-07-02",
    "capabilities": {
        "logging": {},
        "prompts": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": True},
        "tools": {"listChanged": True},
    },
    "serverInfo": {"name": "ExampleServer", "version": "1.0.0"},
    "instructions": "Optional instructions for the client",
})  # fmt: skip
INITIALIZED = note("notifications/initialized")

# ctxvm-draft-spec.md: List Request Template, List Response Template, with tools in place of the capability
LIST = request(1, "tools/list", {"cursor": "optional-cursor-value"})
LIST_ANSWER = answer(1, {"tools": [{"name": "get_weather", "inputSchema": {"type": "object"}}],
                         "nextCursor": "next-page-cursor"})  # fmt: skip

# ctxvm-draft-spec.md: Call Tool Request, Call Tool Response; cep-4.md and cep-8.md print the same two
CALL = request(2, "tools/call", {"name": "get_weather", "arguments": {"location": "New York"}})
CALL_ANSWER = answer(2, {
    "content": [
        {"type": "text", "text": "Current weather in New York:\nTemperature: 72°F\nConditions: Partly cloudy"},
    ],
    "isError": False,
})  # fmt: skip

# cep-8.md: Capability List Responses
PRICED_TOOL = {"name": "get_weather", "description": "Get current weather information"}
PRICED_LIST_ANSWER = answer(1, {"tools": [PRICED_TOOL], "nextCursor": "next-page-cursor"})
PRICED_LIST_AS_PRINTED = {"result": PRICED_LIST_ANSWER["result"]}
PRICE = ["cap", "tool:get_weather", "100", "sats"]

# cep-8.md: Payment required, accepted and rejected notification; an invoice in place of the dots
INVOICE = "lnbc1u1p5exampleinvoice"
PMI = "bitcoin-lightning-bolt11"
DEMAND = {
    "amount": 100,
    "pay_req": INVOICE,
    "description": "Payment for tool execution",
    "pmi": PMI,
    "ttl": 600,
    "_meta": {"note": "Optional PMI-specific metadata"},
}
ACCEPTED = {"amount": 100, "pmi": PMI, "_meta": {"note": "Optional acceptance metadata"}}
REJECTED = {"pmi": "bitcoin-cashu-v4-direct", "message": "Insufficient direct payment"}

# cep-8.md: JSON-RPC error when explicit gating is unsupported; Payment required error (read, never sent by us)
UNSUPPORTED_MODE = failure(2, -32602, "Unsupported payment_interaction",
                           data={"requested": "explicit_gating", "supported": ["transparent"]})  # fmt: skip
GATE = failure(2, -32042, "Payment Required", data={
    "instructions": "Pay one option, then repeat the request.", "payment_options": [DEMAND],
})  # fmt: skip

# cep-6.md: Server Announcement Event, Tools List Event Example
SERVER_INFO = {
    "protocolVersion": "2025-07-02",
    "capabilities": {
        "prompts": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": True},
        "tools": {"listChanged": True},
    },
    "serverInfo": {"name": "ExampleServer", "version": "1.0.0"},
    "instructions": "Optional instructions for the client",
}
SERVER_TEXTS = {
    "name": "Example Server",
    "about": "Server description",
    "picture": "https://example.com/server.png",
    "website": "https://example.com",
}
SERVER_TAGS = [[name, value] for name, value in SERVER_TEXTS.items()]
TOOLS = {
    "tools": [
        {
            "name": "get_weather",
            "description": "Get current weather information for a location",
            "inputSchema": {
                "type": "object",
                "properties": {"location": {"type": "string", "description": "City name or zip code"}},
                "required": ["location"],
            },
        }
    ]
}
# The other three lists have no printed example; cep-6.md: Capability List Announcements says what they hold.
RESOURCES = {"resources": [{"uri": "file:///report.txt", "name": "report"}]}
TEMPLATES = {"resourceTemplates": [{"uriTemplate": "file:///{path}", "name": "files"}]}
PROMPTS = {"prompts": [{"name": "summary", "description": "Summarise a text"}]}

INITIALIZE_EVENT = by_client(INITIALIZE, TO_SERVER)
LIST_EVENT = by_client(LIST, TO_SERVER)
CALL_EVENT = by_client(CALL, TO_SERVER)
TO_INITIALIZE = ["e", INITIALIZE_EVENT["id"]]
TO_LIST = ["e", LIST_EVENT["id"]]
TO_CALL = ["e", CALL_EVENT["id"]]
