"""The bodies of seed 003's example events, and what the four suites of `dvmcp-rev1.1` share.

Bodies are copied from the seed by hand: comments taken out, missing and trailing commas repaired, placeholders made
concrete. Kinds and tags are not here: each suite writes its own.
"""

from __future__ import annotations

import json
from typing import Any

from vectors.source.writing import public, signed

REVISION = "dvmcp-rev1.1"
TIME = 1_750_000_000
ALICE, BOB = public("alice"), public("bob")
SERVER_ID = "server-1"
P_BOB, P_ALICE = ["p", BOB], ["p", ALICE]
S, D = ["s", SERVER_ID], ["d", SERVER_ID]
INVOICE = "lnbc10u1pjexampleinvoice"

# Entries of spec/ambiguities.md, by the row of FIELD section 2 that they stand for.
AMB_CANCEL = "AMB-102"  # G2
AMB_PROGRESS = "AMB-103"  # G3
AMB_NO_S = "AMB-107"  # G7
AMB_CAP = "AMB-112"  # G12
AMB_AMOUNT = "AMB-114"  # G14
AMB_WRITERS = "AMB-161"
AMB_EMPTY = "AMB-116"  # G16
AMB_TWO_E = "AMB-152"
AMB_BOTH = "AMB-117"  # G17
AMB_ERROR = "AMB-118"  # G18
AMB_ENVELOPE = "AMB-119"  # G19
AMB_NO_METHOD_TAG = "AMB-122"  # G22
AMB_ENCRYPTION = "AMB-125"  # G25
AMB_WRAPPED = "AMB-150"  # FIELD 2.3


def text(value: Any) -> str:
    """A body as it stands in content."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def method(name: str) -> list[str]:
    return ["method", name]


def rpc(body: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", **body}


# Client Initialization Request
INITIALIZE = {
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-03-26",
        "capabilities": {"roots": {"listChanged": True}, "sampling": {}},
        "clientInfo": {"name": "ExampleClient", "version": "1.0.0"},
    },
}
# Server Initialization Response
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
# Client Initialized Notification
INITIALIZED = {"method": "notifications/initialized"}

# Server Announcement Event
ANNOUNCED = {
    "protocolVersion": "2025-03-26",
    "capabilities": {
        "prompts": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": True},
        "tools": {"listChanged": True},
    },
    "serverInfo": {"name": "ExampleServer", "version": "1.0.0"},
    "instructions": "Optional instructions for the client",
}
# Completions: Capability Announcement
ANNOUNCED_COMPLETIONS = {
    "protocolVersion": "2025-03-26",
    "capabilities": {
        "tools": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": True},
        "prompts": {"listChanged": True},
        "completions": {},
    },
    "serverInfo": {"name": "ExampleServer", "version": "1.0.0"},
}
# Tool Item, Resource Item Example, Resource template list event, Prompt Item Example
WEATHER = {
    "name": "get_weather",
    "description": "Get current weather information for a location",
    "inputSchema": {
        "type": "object",
        "properties": {"location": {"type": "string", "description": "City name or zip code"}},
        "required": ["location"],
    },
}
RESOURCE = {
    "uri": "file:///project/src/main.rs",
    "name": "main.rs",
    "description": "Primary application entry point",
    "mimeType": "text/x-rust",
}
TEMPLATE = {
    "uriTemplate": "file:///{path}",
    "name": "Project Files",
    "description": "Access files in the project directory",
    "mimeType": "application/octet-stream",
}
PROMPT = {
    "name": "code_review",
    "description": "Asks the LLM to analyze code quality and suggest improvements",
    "arguments": [{"name": "code", "description": "The code to review", "required": True}],
}
TOOLS = {"tools": [WEATHER]}
RESOURCES = {"resources": [RESOURCE]}
TEMPLATES = {"resourceTemplates": [TEMPLATE]}
PROMPTS = {"prompts": [PROMPT]}
# Not in the seed: a second item, so that "one per item" can be seen.
FORECAST = {"name": "get_forecast", "inputSchema": {"type": "object"}}
README = {"uri": "file:///project/README.md", "name": "README.md"}
# Capability Pricing: Example
PRICED_WEATHER = {
    "name": "get_weather",
    "description": "Get current weather information",
    "inputSchema": {"type": "object"},
}

# List Request Template, List Response Template
LIST = {"method": "tools/list", "params": {"cursor": "optional-cursor-value"}}
LIST_RESULT = {"tools": [WEATHER], "nextCursor": "next-page-cursor"}
# Call Tool Request, Call Tool Response
CALL = {"method": "tools/call", "params": {"name": "get_weather", "arguments": {"location": "New York"}}}
CALL_RESULT = {
    "content": [
        {"type": "text", "text": "Current weather in New York:\nTemperature: 72°F\nConditions: Partly cloudy"},
    ],
    "isError": False,
}
# Read Resource Request, Read Resource Response
READ = {"method": "resources/read", "params": {"uri": "file:///project/src/main.rs"}}
READ_RESULT = {
    "contents": [
        {
            "uri": "file:///project/src/main.rs",
            "mimeType": "text/x-rust",
            "text": 'fn main() {\n    println!("Hello world!");\n}',
        },
    ],
}
# Get Prompt Request, Get Prompt Response
PROMPT_CODE = "def hello():\n    print('world')"
GET = {"method": "prompts/get", "params": {"name": "code_review", "arguments": {"code": PROMPT_CODE}}}
GET_RESULT = {
    "messages": [
        {"role": "user", "content": {"type": "text", "text": f"Please review this Python code:\n{PROMPT_CODE}"}},
    ],
}
# Completion Request Event, Completion Response Event, End-to-End Example, Example error response
COMPLETE = {
    "method": "completion/complete",
    "params": {
        "ref": {"type": "ref/prompt", "name": "code_review"},
        "argument": {"name": "language", "value": "py"},
    },
}
COMPLETE_RESULT = {"completion": {"values": ["python", "pytorch", "pyside"], "total": 10, "hasMore": True}}
COMPLETE_RESULT_12 = {"completion": {"values": ["python", "pytorch", "pyside"], "total": 12, "hasMore": True}}
VALUES = [f"value-{number}" for number in range(101)]
HUNDRED = {"completion": {"values": VALUES[:100], "total": 250, "hasMore": True}}
TOO_MANY = {"completion": {"values": VALUES, "total": 250, "hasMore": True}}
COMPLETE_ERROR = {"code": -32601, "message": "Completion capability not supported"}
# Reference Types, second row
COMPLETE_URI = {
    "method": "completion/complete",
    "params": {
        "ref": {"type": "ref/resource", "uri": "file:///readme"},
        "argument": {"name": "path", "value": "re"},
    },
}
# Ping Request, Ping: Example Error Response
PING = {"method": "ping"}
PING_ERROR = {"code": -32603, "message": "Internal error processing ping"}
# Error Response Template: its two alternatives
ERROR = {"code": -32602, "message": "Error description"}
EXECUTION_ERROR = {"content": [{"type": "text", "text": "Error details"}], "isError": True}

# The requests that responses answer: alice's, except for bob's ping.
REQUEST_TAGS = [P_BOB, S]
CALL_ID = signed("alice", 25910, [method("tools/call"), *REQUEST_TAGS], text(CALL), TIME)["id"]
LIST_ID = signed("alice", 25910, [method("tools/list"), *REQUEST_TAGS], text(LIST), TIME)["id"]
READ_ID = signed("alice", 25910, [method("resources/read"), *REQUEST_TAGS], text(READ), TIME)["id"]
GET_ID = signed("alice", 25910, [method("prompts/get"), *REQUEST_TAGS], text(GET), TIME)["id"]
COMPLETE_ID = signed("alice", 25910, [method("completion/complete"), *REQUEST_TAGS], text(COMPLETE), TIME)["id"]
INITIALIZE_ID = signed("alice", 25910, [*REQUEST_TAGS, method("initialize")], text(INITIALIZE), TIME)["id"]
PING_ID = signed("alice", 25910, [method("ping"), *REQUEST_TAGS], text(PING), TIME)["id"]
SERVER_PING_ID = signed("bob", 25910, [method("ping"), P_ALICE, S], text(PING), TIME)["id"]
