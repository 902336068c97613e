"""The examples of seed 004 with every placeholder made concrete, in the seed's order.

Bodies are what `content` holds, as JSON; the seed prints them as objects and says that they are strings. The tags are
the seed's, in the seed's order. Names in capitals are those of the headings.
"""

from __future__ import annotations

from typing import Any

from vectors.source.dvmcp import ALICE, BOB, TIME, Tags, text
from vectors.source.writing import signed

INVOICE = "lnbc10u1pdvmcpvectors"


def by_client(kind: int, tags: Tags, body: Any) -> dict[str, Any]:
    return signed("alice", kind, tags, text(body), TIME)


def by_provider(kind: int, tags: Tags, body: Any) -> dict[str, Any]:
    return signed("bob", kind, tags, text(body), TIME)


# Server Announcement Event

INITIALIZE_RESULT = {
    "protocolVersion": "2025-03-26",
    "capabilities": {
        "logging": {},
        "prompts": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": True},
        "tools": {"listChanged": True},
    },
    "serverInfo": {"name": "ExampleServer", "version": "1.0.0"},
    "instructions": "Optional instructions for the client",
}
SERVER_BODY = {"jsonrpc": "2.0", "id": 1, "result": INITIALIZE_RESULT}
SERVER_TAGS = [
    ["d", "server-1"],
    ["name", "Example Server"],
    ["about", "Server description"],
    ["picture", "https://example.com/server.png"],
    ["website", "https://example.com"],
    ["k", "5910"],
    ["support_encryption", "true"],
]
SERVER = by_provider(31316, SERVER_TAGS, SERVER_BODY)

# Tools List Event: the seed's list holds get_weather alone, its tags name get_weather_future too.

TOOL = {
    "name": "get_weather",
    "description": "Get current weather information for a location",
    "inputSchema": {
        "type": "object",
        "properties": {"location": {"type": "string", "description": "City name or zip code"}},
        "required": ["location"],
    },
}
TOOL_FUTURE = {
    "name": "get_weather_future",
    "description": "Get a weather forecast for a location",
    "inputSchema": {"type": "object", "properties": {"location": {"type": "string"}}, "required": ["location"]},
}
TOOLS_AS_PRINTED = by_provider(
    31317,
    [["d", "server-1/tools/list"], ["s", "server-1"], ["t", "get_weather"], ["t", "get_weather_future"]],
    {"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL]}},
)
TOOLS_RESULT = {"tools": [TOOL, TOOL_FUTURE]}
TOOLS_BODY = {"jsonrpc": "2.0", "id": 1, "result": TOOLS_RESULT}
TOOLS_TAGS = [["d", "server-1/tools/list"], ["s", "server-1"], ["t", "get_weather"], ["t", "get_weather_future"]]
TOOLS = by_provider(31317, TOOLS_TAGS, TOOLS_BODY)

# Resources List Event

RESOURCE = {
    "uri": "file:///project/src/main.rs",
    "name": "main.rs",
    "description": "Primary application entry point",
    "mimeType": "text/x-rust",
}
RESOURCES_RESULT = {"resources": [RESOURCE]}
RESOURCES_BODY = {"jsonrpc": "2.0", "id": 1, "result": RESOURCES_RESULT}
RESOURCES_TAGS = [["d", "server-1/resources/list"], ["s", "server-1"], ["t", "main.rs"]]
RESOURCES = by_provider(31318, RESOURCES_TAGS, RESOURCES_BODY)

# Prompts List Event

PROMPT = {
    "name": "code_review",
    "description": "Asks the LLM to analyze code quality and suggest improvements",
    "arguments": [{"name": "code", "description": "The code to review", "required": True}],
}
PROMPTS_RESULT = {"prompts": [PROMPT]}
PROMPTS_BODY = {"jsonrpc": "2.0", "id": 1, "result": PROMPTS_RESULT}
PROMPTS_TAGS = [["d", "server-1/prompts/list"], ["s", "server-1"], ["t", "code_review"]]
PROMPTS = by_provider(31319, PROMPTS_TAGS, PROMPTS_BODY)

# Client Initialization Request (a comma between two tags is missing in the seed)

INITIALIZE_BODY = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-03-26",
        "capabilities": {"roots": {"listChanged": True}, "sampling": {}},
        "clientInfo": {"name": "ExampleClient", "version": "1.0.0"},
    },
}
INITIALIZE_TAGS = [["method", "initialize"], ["p", BOB], ["s", "server-1"]]
INITIALIZE = by_client(5910, INITIALIZE_TAGS, INITIALIZE_BODY)

# Server Initialization Response

INITIALIZE_RESPONSE_BODY = {"jsonrpc": "2.0", "id": 1, "result": INITIALIZE_RESULT}
INITIALIZE_RESPONSE_TAGS = [["e", INITIALIZE["id"]], ["d", "server-1"]]
INITIALIZE_RESPONSE = by_provider(6910, INITIALIZE_RESPONSE_TAGS, INITIALIZE_RESPONSE_BODY)

# List Request Template and List Response Template, for each capability

LIST_TOOLS_BODY = {
    "jsonrpc": "2.0", "id": "list-1", "method": "tools/list", "params": {"cursor": "optional-cursor-value"},
}  # fmt: skip
LIST_TOOLS_TAGS = [["method", "tools/list"], ["p", BOB], ["s", "server-1"]]
LIST_TOOLS = by_client(5910, LIST_TOOLS_TAGS, LIST_TOOLS_BODY)
TOOLS_PAGE_BODY = {
    "jsonrpc": "2.0", "id": "list-1", "result": {"tools": [TOOL], "nextCursor": "next-page-cursor"},
}  # fmt: skip
TOOLS_PAGE = by_provider(6910, [["e", LIST_TOOLS["id"]]], TOOLS_PAGE_BODY)

LIST_RESOURCES_BODY = {
    "jsonrpc": "2.0", "id": "list-2", "method": "resources/list", "params": {"cursor": "optional-cursor-value"},
}  # fmt: skip
LIST_RESOURCES_TAGS = [["method", "resources/list"], ["p", BOB], ["s", "server-1"]]
LIST_RESOURCES = by_client(5910, LIST_RESOURCES_TAGS, LIST_RESOURCES_BODY)
RESOURCES_PAGE_BODY = {
    "jsonrpc": "2.0", "id": "list-2", "result": {"resources": [RESOURCE], "nextCursor": "next-page-cursor"},
}  # fmt: skip
RESOURCES_PAGE = by_provider(6910, [["e", LIST_RESOURCES["id"]]], RESOURCES_PAGE_BODY)

LIST_PROMPTS_BODY = {
    "jsonrpc": "2.0", "id": "list-3", "method": "prompts/list", "params": {"cursor": "optional-cursor-value"},
}  # fmt: skip
LIST_PROMPTS_TAGS = [["method", "prompts/list"], ["p", BOB], ["s", "server-1"]]
LIST_PROMPTS = by_client(5910, LIST_PROMPTS_TAGS, LIST_PROMPTS_BODY)
PROMPTS_PAGE_BODY = {
    "jsonrpc": "2.0", "id": "list-3", "result": {"prompts": [PROMPT], "nextCursor": "next-page-cursor"},
}  # fmt: skip
PROMPTS_PAGE = by_provider(6910, [["e", LIST_PROMPTS["id"]]], PROMPTS_PAGE_BODY)

# Call Tool Request, Call Tool Response (a comma too many in the seed)

CALL_BODY = {
    "jsonrpc": "2.0", "id": 3, "method": "tools/call",
    "params": {"name": "get_weather", "arguments": {"location": "New York"}},
}  # fmt: skip
CALL_TAGS = [["method", "tools/call"], ["p", BOB], ["s", "server-1"]]
CALL = by_client(5910, CALL_TAGS, CALL_BODY)
CALL_RESPONSE_BODY = {
    "jsonrpc": "2.0", "id": 3,
    "result": {
        "content": [
            {"type": "text", "text": "Current weather in New York:\nTemperature: 72°F\nConditions: Partly cloudy"},
        ],
        "isError": False,
    },
}  # fmt: skip
CALL_RESPONSE_TAGS = [["e", CALL["id"]]]
CALL_RESPONSE = by_provider(6910, CALL_RESPONSE_TAGS, CALL_RESPONSE_BODY)

# Read Resource Request, Read Resource Response

READ_BODY = {
    "jsonrpc": "2.0", "id": 5, "method": "resources/read", "params": {"uri": "file:///project/src/main.rs"},
}  # fmt: skip
READ_TAGS = [["method", "resources/read"], ["p", BOB], ["s", "server-1"]]
READ = by_client(5910, READ_TAGS, READ_BODY)
READ_RESPONSE_BODY = {
    "jsonrpc": "2.0", "id": 5,
    "result": {
        "contents": [
            {"uri": "file:///project/src/main.rs", "mimeType": "text/x-rust",
             "text": "fn main() {\n    println!(\"Hello world!\");\n}"},
        ],
    },
}  # fmt: skip
READ_RESPONSE = by_provider(6910, [["e", READ["id"]]], READ_RESPONSE_BODY)

# Get Prompt Request, Get Prompt Response

PROMPT_BODY = {
    "jsonrpc": "2.0", "id": 7, "method": "prompts/get",
    "params": {"name": "code_review", "arguments": {"code": "def hello():\n    print('world')"}},
}  # fmt: skip
PROMPT_TAGS = [["method", "prompts/get"], ["p", BOB], ["s", "server-1"]]
GET_PROMPT = by_client(5910, PROMPT_TAGS, PROMPT_BODY)
PROMPT_RESPONSE_BODY = {
    "jsonrpc": "2.0", "id": 7,
    "result": {
        "description": "Code review prompt",
        "messages": [
            {"role": "user",
             "content": {"type": "text", "text": "Please review this Python code:\ndef hello():\n    print('world')"}},
        ],
    },
}  # fmt: skip
PROMPT_RESPONSE = by_provider(6910, [["e", GET_PROMPT["id"]]], PROMPT_RESPONSE_BODY)

# Notification Template, and the rows of Common MCP Notifications

LOG_BODY = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "ready"}}
LOG_TAGS = [["p", ALICE], ["s", "server-1"], ["method", "notifications/message"]]
LOG = by_provider(21316, LOG_TAGS, LOG_BODY)

TOOLS_CHANGED_BODY = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
TOOLS_CHANGED_TAGS = [["p", ALICE], ["s", "server-1"], ["method", "notifications/tools/list_changed"]]
TOOLS_CHANGED = by_provider(21316, TOOLS_CHANGED_TAGS, TOOLS_CHANGED_BODY)

RESOURCES_CHANGED_BODY = {"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}
RESOURCES_CHANGED_TAGS = [["p", ALICE], ["s", "server-1"], ["method", "notifications/resources/list_changed"]]
RESOURCES_CHANGED = by_provider(21316, RESOURCES_CHANGED_TAGS, RESOURCES_CHANGED_BODY)

UPDATED_BODY = {
    "jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "file:///project/src/main.rs"},
}  # fmt: skip
UPDATED_TAGS = [["p", ALICE], ["s", "server-1"], ["method", "notifications/resources/updated"]]
UPDATED = by_provider(21316, UPDATED_TAGS, UPDATED_BODY)

PROMPTS_CHANGED_BODY = {"jsonrpc": "2.0", "method": "notifications/prompts/list_changed"}
PROMPTS_CHANGED_TAGS = [["p", ALICE], ["s", "server-1"], ["method", "notifications/prompts/list_changed"]]
PROMPTS_CHANGED = by_provider(21316, PROMPTS_CHANGED_TAGS, PROMPTS_CHANGED_BODY)

PROGRESS_BODY = {
    "jsonrpc": "2.0", "method": "notifications/progress", "params": {"id": 3, "message": "Looking at the sky"},
}  # fmt: skip
PROGRESS_TAGS = [["p", ALICE], ["s", "server-1"], ["method", "notifications/progress"], ["e", CALL["id"]]]
PROGRESS = by_provider(21316, PROGRESS_TAGS, PROGRESS_BODY)
# The same with what MCP 2025-03-26 asks for: one body that serves a reader of either document.
PROGRESS_BOTH_BODY = {
    "jsonrpc": "2.0", "method": "notifications/progress",
    "params": {"progressToken": "weather", "progress": 1, "total": 4, "message": "Looking at the sky", "id": 3},
}  # fmt: skip
PROGRESS_BOTH = by_provider(21316, PROGRESS_TAGS, PROGRESS_BOTH_BODY)

# MCP's members alone.
PROGRESS_MCP_BODY = {
    "jsonrpc": "2.0", "method": "notifications/progress",
    "params": {"progressToken": "weather", "progress": 1, "message": "Looking at the sky"},
}  # fmt: skip
PROGRESS_MCP = by_provider(21316, PROGRESS_TAGS, PROGRESS_MCP_BODY)

CANCEL_BODY = {"jsonrpc": "2.0", "method": "notifications/cancel", "params": {"id": 3}}
CANCEL_TAGS = [["p", BOB], ["s", "server-1"], ["method", "notifications/cancel"], ["e", CALL["id"]]]
CANCEL = by_client(21316, CANCEL_TAGS, CANCEL_BODY)

# Payment Required Notification

PAYMENT_TAGS = [
    ["status", "payment-required"],
    ["amount", "1000", INVOICE],
    ["e", CALL["id"]],
    ["expiration", "1750000600"],
]
PAYMENT = signed("bob", 21316, PAYMENT_TAGS, "", TIME)

# Error Response Template, once for each of its alternatives

ERROR_BODY = {"jsonrpc": "2.0", "id": 3, "error": {"code": -32602, "message": "Error description"}}
ERROR_TAGS = [["e", CALL["id"]]]
ERROR = by_provider(6910, ERROR_TAGS, ERROR_BODY)
FAILED_BODY = {
    "jsonrpc": "2.0", "id": 3, "result": {"content": [{"type": "text", "text": "Error details"}], "isError": True},
}  # fmt: skip
FAILED = by_provider(6910, ERROR_TAGS, FAILED_BODY)
BOTH_BODY = {**ERROR_BODY, "result": FAILED_BODY["result"]}
BOTH = by_provider(6910, ERROR_TAGS, BOTH_BODY)
