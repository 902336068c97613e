"""`ctxvm-draft`: announcements. Expectations from seed 001_2dd24ef00746d737.txt, heading by heading."""

from __future__ import annotations

import json
from typing import Any

from vectors.source.writing import Case, Note, Suite, acceptable, expected_event, invalid, public, signed, valid

SUITE = Suite(
    "ctxvm-draft/announce",
    "CTXVM draft: announcements",
    "1",
    {
        "Basic": Note("BASIC", "an ordinary announcement", "a public server is not found"),
        "Texts": Note("BASIC", "name, about, picture and website", "people see an identifier in place of a name"),
        "Encryption": Note("CONFIDENTIALITY", "the advertisement of encryption", "messages travel in plain"),
        "Price": Note("WIRE_SHAPE", "prices beside a list", "a client learns the price too late"),
        "Wrapped": Note("LEGACY", "content in a JSON-RPC response, as DVMCP had it", "announcements of older peers are lost"),
        "ListId": Note("EDGE_CASE", "an identifier of a list in another form", "lists of other peers are lost"),
        "Templates": Note("AMBIGUOUS", "resource templates, which the seed does not speak of", "templates are not found"),
        "WrongKind": Note("MISSING_STEP", "an event of another kind", "other events are read as servers"),
        "MissingTag": Note("MISSING_STEP", "no identifier", "two servers of one provider are one"),
        "MalformedBody": Note("MISSING_STEP", "content that is no announcement", "a crash in discovery"),
    },
)  # fmt: skip

# An ambiguity, by the rows of FIELD section 2.2.
TEMPLATE_LIST = "AMB-211"
WRAPPED = "AMB-150"
BARE_CAP = "AMB-112"

BOB = public("bob")
TIME = 1_750_000_000
SERVER = "server-1"
SERVER_D, FOR_SERVER, TOOLS_D = ["d", SERVER], ["s", SERVER], ["d", "server-1/tools/list"]
RESOURCES_D, PROMPTS_D = ["d", "server-1/resources/list"], ["d", "server-1/prompts/list"]
TEMPLATES_D = ["d", "server-1/resources/templates/list"]
TEXTS: dict[str, Any] = {
    "name": "Example Server", "about": "Server description", "picture": "https://example.com/server.png",
    "website": "https://example.com",
}  # fmt: skip
TEXT_TAGS = [
    ["name", "Example Server"], ["about", "Server description"], ["picture", "https://example.com/server.png"],
    ["website", "https://example.com"],
]  # fmt: skip
RESULT = {
    "protocolVersion": "2025-03-26",
    "capabilities": {
        "prompts": {"listChanged": True}, "resources": {"subscribe": True, "listChanged": True},
        "tools": {"listChanged": True},
    },
    "serverInfo": {"name": "ExampleServer", "version": "1.0.0"},
    "instructions": "Optional instructions for the client",
}  # fmt: skip
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
SHORT_TOOLS = {"tools": [{"name": "get_weather", "description": "Get current weather information"}]}
RESOURCES = {"resources": [{"uri": "file:///report.txt", "name": "report"}]}
TEMPLATES = {"resourceTemplates": [{"uriTemplate": "file:///{path}", "name": "files"}]}
PROMPTS = {"prompts": [{"name": "summary", "description": "A summary of a text"}]}
TOOL_PRICE = {"type": "tool", "capability": "get_weather", "amount": "100", "unit": "sats"}
RESOURCE_PRICE = {"type": "resource", "capability": "file:///report.txt", "amount": "0.25", "unit": "usd"}
PROMPT_PRICE = {"type": "prompt", "capability": "summary", "amount": "7", "unit": "sats"}
TOOL_CAP, RESOURCE_CAP = ["cap", "get_weather", "100", "sats"], ["cap", "file:///report.txt", "0.25", "usd"]
PROMPT_CAP = ["cap", "summary", "7", "sats"]

Json = dict[str, Any]


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def asked(
    type: str,
    content: Json,
    *,
    server_id: str = SERVER,
    encryption: bool = False,
    prices: tuple[Json, ...] = (),
    **texts: Any,
) -> Json:
    nothing: Json = dict.fromkeys(TEXTS)
    return {
        "revision": "ctxvm-draft", "type": type, "pubkey": BOB, "created_at": TIME, "server_id": server_id,
        "content": content, **(nothing | texts), "encryption": encryption, "prices": list(prices),
    }  # fmt: skip


def made(input: Json, kind: int, tags: list[list[str]], optional: list[list[str]]) -> Json:
    content = compact(input["content"])
    event = {"pubkey": BOB, "created_at": TIME, "kind": kind, "tags": tags, "content": content}
    return expected_event(event, optional)


def built(
    id: str,
    title: str,
    req: str,
    input: Json,
    kind: int,
    tags: list[list[str]],
    flags: str = "Basic",
    *,
    optional: tuple[list[str], ...] = (),
    level: str = "MUST",
    comment: str | None = None,
) -> Case:
    return valid(id, title, req, input, made(input, kind, tags, list(optional)), flags=flags, level=level,
                 compare="event", comment=comment)  # fmt: skip


SUITE.group(
    "build_announcement",
    built("ctx-announce-server", "a server: its d, that it reads wraps, and a plain bare result",
          "CTX-KIND-04 CTX-BODY-01 CTX-BODY-10 CTX-ANN-01 CTX-ANN-03 CTX-ANN-04 CTX-ANN-05 CTX-ENC-03 CTX-ENC-04",
          asked("server", RESULT, encryption=True, **TEXTS), 31316, [SERVER_D, *TEXT_TAGS, ["support_encryption"]],
          "Basic Encryption", optional=tuple(TEXT_TAGS), comment="Server Announcement Event"),
    built("ctx-announce-server-texts", "a server with name, about, picture and website", "CTX-ANN-03",
          asked("server", RESULT, **TEXTS), 31316, [SERVER_D, *TEXT_TAGS], "Texts", level="MAY",
          comment="Server Announcement Event"),
    built("ctx-announce-server-bare", "a server without optional tags reads no wraps", "CTX-ANN-01 CTX-ENC-04",
          asked("server", RESULT), 31316, [SERVER_D], "Encryption"),
    built("ctx-announce-tools", "a tools list: d, s and the bare list, and no cap without a price",
          "CTX-KIND-05 CTX-BODY-11 CTX-ANN-10 CTX-ANN-11", asked("tools", TOOLS), 31317, [TOOLS_D, FOR_SERVER],
          comment="Tools List Event"),
    built("ctx-announce-tools-priced", "a tools list with the price of a tool",
          "CTX-ANN-12 CTX-PRICE-01 CTX-PRICE-02 CTX-PRICE-03",
          asked("tools", TOOLS, server_id="server-123", prices=(TOOL_PRICE,)), 31317,
          [["d", "server-123/tools/list"], ["s", "server-123"], TOOL_CAP], "Price", level="MAY",
          comment="Capability Pricing: Example, from public server announcements"),
    built("ctx-announce-resources", "a resources list follows the pattern of the tools list",
          "CTX-KIND-06 CTX-BODY-11 CTX-ANN-20 CTX-ANN-21", asked("resources", RESOURCES), 31318,
          [RESOURCES_D, FOR_SERVER], comment="Tools List Event, last paragraph"),
    built("ctx-announce-resources-priced", "a resource is priced by its URI", "CTX-ANN-22 CTX-PRICE-01 CTX-PRICE-02",
          asked("resources", RESOURCES, prices=(RESOURCE_PRICE,)), 31318, [RESOURCES_D, FOR_SERVER, RESOURCE_CAP],
          "Price", level="MAY", comment="Pricing Tag Format"),
    built("ctx-announce-prompts", "a prompts list follows the pattern of the tools list",
          "CTX-KIND-08 CTX-BODY-11 CTX-ANN-40 CTX-ANN-41", asked("prompts", PROMPTS), 31319, [PROMPTS_D, FOR_SERVER],
          comment="Tools List Event, last paragraph"),
    built("ctx-announce-prompts-priced", "a prompt is priced by its name", "CTX-ANN-42 CTX-PRICE-01 CTX-PRICE-02",
          asked("prompts", PROMPTS, prices=(PROMPT_PRICE,)), 31319, [PROMPTS_D, FOR_SERVER, PROMPT_CAP], "Price",
          level="MAY", comment="Pricing Tag Format"),
    acceptable("ctx-announce-templates", "resource templates are a list of kind 31318 with a d of its own, or not carried",
               "CTX-KIND-07 CTX-ANN-30 CTX-ANN-31", asked("resource-templates", TEMPLATES), TEMPLATE_LIST,
               output=made(asked("resource-templates", TEMPLATES), 31318, [TEMPLATES_D, FOR_SERVER], []),
               compare="event", flags="Templates", level="MAY", comment="the seed has no kind for them"),
)  # fmt: skip


def announced(kind: int, tags: list[list[str]], content: Any) -> Json:
    return signed("bob", kind, tags, content if isinstance(content, str) else compact(content), TIME)


def input_of(event: Json) -> Json:
    return {"revision": "ctxvm-draft", "event": event}


def read(
    type: str,
    content: Json,
    *,
    server_id: str = SERVER,
    encryption: bool = False,
    prices: tuple[tuple[str, str, str], ...] = (),
    **texts: Any,
) -> Json:
    nothing: Json = dict.fromkeys(TEXTS)
    return {
        "type": type, "server_id": server_id, "content": content, **(nothing | texts), "encryption": encryption,
        "capabilities": [capability for capability, _, _ in prices],
        "prices": [{"capability": capability, "amount": amount, "unit": unit} for capability, amount, unit in prices],
    }  # fmt: skip


def parsed(
    id: str, title: str, req: str, event: Json, output: Json, flags: str = "Basic", comment: str | None = None
) -> Case:
    return valid(id, title, req, input_of(event), output, flags=flags, comment=comment)


def refused(id: str, title: str, req: str, event: Json, error: str, flags: str) -> Case:
    return invalid(id, title, req, input_of(event), error, flags=flags)


def response(result: Json) -> Json:
    return {"jsonrpc": "2.0", "id": 1, "result": result}


TEMPLATES_EVENT = announced(31318, [TEMPLATES_D, FOR_SERVER], TEMPLATES)

SUITE.group(
    "parse_announcement",
    parsed("ctx-parse-server", "a server as printed", "CTX-KIND-04 CTX-ANN-01 CTX-ANN-03 CTX-ANN-04 CTX-ENC-04",
           announced(31316, [SERVER_D, *TEXT_TAGS, ["support_encryption"]], RESULT),
           read("server", RESULT, encryption=True, **TEXTS), "Basic Texts Encryption", "Server Announcement Event"),
    parsed("ctx-parse-server-version", "a server as printed, with a version that MCP never had", "CTX-ANN-01 CTX-ANN-05",
           announced(31316, [SERVER_D, *TEXT_TAGS, ["support_encryption"]], RESULT | {"protocolVersion": "2025-07-02"}),
           read("server", RESULT | {"protocolVersion": "2025-07-02"}, encryption=True, **TEXTS), "Basic",
           "Server Announcement Event, its version too"),
    parsed("ctx-parse-server-bare", "a server with d alone supports no encryption", "CTX-ANN-01 CTX-ENC-04",
           announced(31316, [SERVER_D], RESULT), read("server", RESULT), "Encryption", "Encryption Support Discovery"),
    parsed("ctx-parse-server-encryption-true", "the presence of support_encryption alone speaks", "CTX-ENC-04 CTX-ENC-13",
           announced(31316, [SERVER_D, ["support_encryption", "true"]], RESULT), read("server", RESULT, encryption=True),
           "Encryption", "Encryption Support Discovery; the tag in the form of DVMCP"),
    acceptable("ctx-parse-server-wrapped", "a server in a JSON-RPC response reads like a bare one", "CTX-BODY-10",
               input_of(announced(31316, [SERVER_D], response(RESULT))), WRAPPED, output=read("server", RESULT), flags="Wrapped"),
    parsed("ctx-parse-tools", "a tools list as printed", "CTX-KIND-05 CTX-ANN-10 CTX-ANN-11",
           announced(31317, [TOOLS_D, FOR_SERVER], TOOLS), read("tools", TOOLS), comment="Tools List Event"),
    parsed("ctx-parse-tools-other-d", "a tools list whose d is any identifier", "CTX-ANN-10",
           announced(31317, [["d", "my tools"], FOR_SERVER], TOOLS), read("tools", TOOLS), "ListId",
           "Tools List Event: d is a unique identifier, its form is free"),
    acceptable("ctx-parse-tools-wrapped", "a tools list in a JSON-RPC response reads like a bare one", "CTX-BODY-11",
               input_of(announced(31317, [TOOLS_D, FOR_SERVER], response(TOOLS))), WRAPPED, output=read("tools", TOOLS), flags="Wrapped"),
    parsed("ctx-parse-tools-priced", "a tools list with the price of a tool", "CTX-ANN-12 CTX-PRICE-01 CTX-PRICE-03",
           announced(31317, [["d", "server-123/tools/list"], ["s", "server-123"], TOOL_CAP], TOOLS),
           read("tools", TOOLS, server_id="server-123", prices=(("get_weather", "100", "sats"),)), "Price",
           "Capability Pricing: Example, from public server announcements"),
    parsed("ctx-parse-tools-priced-printed", "a priced tools list, its tool as short as printed", "CTX-ANN-12 CTX-PRICE-01",
           announced(31317, [["d", "server-123/tools/list"], ["s", "server-123"], TOOL_CAP], SHORT_TOOLS),
           read("tools", SHORT_TOOLS, server_id="server-123", prices=(("get_weather", "100", "sats"),)), "Price",
           "Capability Pricing: Example, from public server announcements, as printed"),
    acceptable("ctx-parse-tools-cap-bare", "a cap tag without a price names a tool and says nothing of its price",
               "CTX-ANN-12 CTX-PRICE-01", input_of(announced(31317, [TOOLS_D, FOR_SERVER, ["cap", "get_weather"]], TOOLS)),
               BARE_CAP, output=read("tools", TOOLS) | {"capabilities": ["get_weather"]}, flags="Price", comment="Pricing Tag Format"),
    parsed("ctx-parse-resources-priced", "a resource priced by its URI in another unit",
           "CTX-KIND-06 CTX-ANN-22 CTX-PRICE-02 CTX-PRICE-05",
           announced(31318, [RESOURCES_D, FOR_SERVER, RESOURCE_CAP], RESOURCES),
           read("resources", RESOURCES, prices=(("file:///report.txt", "0.25", "usd"),)), "Price", "Pricing Tag Format"),
    parsed("ctx-parse-prompts", "a prompts list", "CTX-KIND-08 CTX-ANN-40 CTX-ANN-41",
           announced(31319, [PROMPTS_D, FOR_SERVER], PROMPTS), read("prompts", PROMPTS),
           comment="Tools List Event, last paragraph"),
    acceptable("ctx-parse-templates", "templates on the kind of resources are told by their content, or refused",
               "CTX-KIND-07", input_of(TEMPLATES_EVENT), TEMPLATE_LIST, output=read("resource-templates", TEMPLATES),
               flags="Templates", level="MAY"),
    refused("ctx-parse-later-kind", "a server on ContextVM's later kind", "CTX-KIND-04",
            announced(11316, [SERVER_D], RESULT), "wrong_kind", "WrongKind"),
    refused("ctx-parse-message", "an answer to initialize is no announcement", "CTX-KIND-04",
            announced(25910, [["e", "00" * 32], SERVER_D], response(RESULT)), "wrong_kind", "WrongKind"),
    refused("ctx-parse-server-no-d", "a server without d", "CTX-ANN-01", announced(31316, TEXT_TAGS, RESULT),
            "missing_tag", "MissingTag"),
    refused("ctx-parse-tools-no-d", "a tools list without d", "CTX-ANN-10", announced(31317, [FOR_SERVER], TOOLS),
            "missing_tag", "MissingTag"),
    refused("ctx-parse-server-text", "a server whose content is not JSON", "CTX-BODY-01",
            announced(31316, [SERVER_D], "Example Server"), "invalid_json", "MalformedBody"),
    refused("ctx-parse-tools-array", "a tools list that is an array alone", "CTX-BODY-01",
            announced(31317, [TOOLS_D, FOR_SERVER], compact(TOOLS["tools"])), "malformed_body", "MalformedBody"),
    refused("ctx-parse-tools-object", "a tools list whose tools are an object", "CTX-BODY-11",
            announced(31317, [TOOLS_D, FOR_SERVER], {"tools": {"get_weather": {}}}), "malformed_body", "MalformedBody"),
)  # fmt: skip
