"""Announcements of `dvmcp-rev1.1` (seed 003): built and read."""

from __future__ import annotations

from typing import Any

from vectors.source.dvmcp_rev1_1.examples import (
    AMB_CAP,
    AMB_ENCRYPTION,
    AMB_WRAPPED,
    AMB_WRITERS,
    ANNOUNCED,
    ANNOUNCED_COMPLETIONS,
    BOB,
    FORECAST,
    INITIALIZE_ID,
    INITIALIZE_RESULT,
    PRICED_WEATHER,
    PROMPTS,
    README,
    RESOURCE,
    RESOURCES,
    REVISION,
    SERVER_ID,
    TEMPLATES,
    TIME,
    TOOLS,
    WEATHER,
    D,
    S,
    rpc,
    text,
)
from vectors.source.writing import Note, Suite, acceptable, expected_event, invalid, signed, unsigned, valid

SUITE = Suite(
    "dvmcp-rev1.1/announce",
    "Announcements of DVMCP rev1.1",
    "1",
    {
        "Basic": Note("BASIC", "an ordinary announcement", "a server is not found"),
        "Example": Note("BASIC", "an example event of the specification", "a server is not found"),
        "Prices": Note("BASIC", "prices in cap tags", "a user is told no price, or a wrong one"),
        "Templates": Note("WIRE_SHAPE", "two lists on one kind", "a list of templates replaces the list of resources"),
        "Encryption": Note(
            "AMBIGUOUS", "the forms of support_encryption", "a client encrypts to who cannot read, or does not"
        ),
        "Wrapped": Note("LEGACY", "the form of other revisions", "a server is not found"),
        "WrongKind": Note(
            "MISSING_STEP", "a kind that no announcement of the revision has", "a message is listed as a server"
        ),
        "MissingTag": Note(
            "MISSING_STEP", "an announcement without its identifier", "one server's announcement replaces another's"
        ),
        "MalformedBody": Note("MISSING_STEP", "content that is no announcement", "a crash while browsing"),
    },
)

TEXTS = {
    "name": "Example Server",
    "about": "Server description",
    "picture": "https://example.com/server.png",
    "website": "https://example.com",
}
NO_TEXTS: dict[str, str | None] = dict.fromkeys(TEXTS)
TEXT_TAGS = [
    ["name", "Example Server"], ["about", "Server description"], ["picture", "https://example.com/server.png"],
    ["website", "https://example.com"],
]  # fmt: skip
URI = "file:///project/src/main.rs"


def built(
    id: str,
    title: str,
    req: str,
    type: str,
    content: dict[str, Any],
    kind: int,
    tags: list[list[str]],
    *,
    optional: list[list[str]] | None = None,
    texts: Any = None,
    encryption: bool = False,
    prices: list[tuple[str, str, str, str]] | None = None,
    server_id: str = SERVER_ID,
    flags: str = "Basic",
    **rest: Any,
) -> Any:
    inputs = {
        "revision": REVISION, "type": type, "pubkey": BOB, "created_at": TIME, "server_id": server_id,
        "content": content, **(texts or NO_TEXTS), "encryption": encryption,
        "prices": [dict(zip(("type", "capability", "amount", "unit"), price, strict=True)) for price in prices or []],
    }  # fmt: skip
    output = expected_event(unsigned("bob", kind, tags, text(content), TIME), optional)
    return valid(id, title, req, inputs, output, compare="event", flags=flags, **rest)


def given(kind: int, tags: list[list[str]], content: Any) -> dict[str, Any]:
    content = content if isinstance(content, str) else text(content)
    return {"revision": REVISION, "event": signed("bob", kind, tags, content, TIME)}


def read(
    type: str,
    content: dict[str, Any],
    *,
    texts: Any = None,
    encryption: bool = False,
    capabilities: list[str] | None = None,
    prices: list[dict[str, str]] | None = None,
    server_id: str = SERVER_ID,
) -> dict[str, Any]:
    return {
        "type": type, "server_id": server_id, "content": content, **(texts or NO_TEXTS), "encryption": encryption,
        "capabilities": capabilities or [], "prices": prices or [],
    }  # fmt: skip


def price(capability: str, amount: str, unit: str) -> dict[str, str]:
    return {"capability": capability, "amount": amount, "unit": unit}


TOOLS_TAGS = [["d", "server-1/tools/list"], S, ["cap", "get_weather"]]
RESOURCES_TAGS = [["d", "server-1/resources/list"], S, ["cap", "main.rs"]]
TEMPLATES_TAGS = [["d", "server-1/resources/templates/list"], S, ["cap", "Project Files"]]
PROMPTS_TAGS = [["d", "server-1/prompts/list"], S, ["cap", "code_review"]]
PRICED_TAGS = [["d", "server-123/tools/list"], ["s", "server-123"], ["cap", "get_weather", "100", "sats"]]
SERVER_TAGS = [D, ["k", "25910"]]

SUITE.group(
    "build_announcement",
    built("r11-build-server", "a server is announced by a bare initialize result, with d and k",
          "R11-KIND-04 R11-BODY-01 R11-BODY-10 R11-ANN-01 R11-ANN-02 R11-ANN-03 R11-ANN-05 R11-ANN-51 R11-FLOW-05 R11-FLOW-31",
          "server", ANNOUNCED, 31316, [*SERVER_TAGS, *TEXT_TAGS], optional=TEXT_TAGS, texts=TEXTS, flags="Example", comment="003: Server Announcement Event"),
    built("r11-build-server-encryption", "a server that reads encrypted messages may say so", "R11-ANN-04", "server", ANNOUNCED, 31316,
          [*SERVER_TAGS, ["support_encryption", "true"]], optional=[["support_encryption", "true"]], encryption=True, level="MAY",
          flags="Encryption", comment="003: Server Announcement Event; the seed does not define encryption itself"),
    built("r11-build-server-completions", "a server with completions announces them", "R11-COMP-01", "server", ANNOUNCED_COMPLETIONS, 31316,
          SERVER_TAGS, flags="Example", comment="003: Completions, Capability Announcement"),
    built("r11-build-tools", "a bare tools list with one cap per tool", "R11-KIND-05 R11-BODY-11 R11-ANN-10 R11-ANN-11 R11-ANN-12 R11-FLOW-31",
          "tools", TOOLS, 31317, TOOLS_TAGS, flags="Example", comment="003: Tools List Event"),
    built("r11-build-tools-priced", "a tool's price stands in its cap", "R11-PRICE-01 R11-PRICE-02 R11-PRICE-51 R11-PRICE-52 R11-ANN-12 R11-TAG-55", "tools",
          {"tools": [PRICED_WEATHER]}, 31317, PRICED_TAGS, prices=[("tool", "get_weather", "100", "sats")], server_id="server-123",
          flags="Example Prices", comment="003: Capability Pricing, Example"),
    built("r11-build-tools-two", "each tool has one cap, priced or not", "R11-ANN-12 R11-PRICE-01 R11-PRICE-52", "tools",
          {"tools": [WEATHER, FORECAST]}, 31317, [["d", "server-1/tools/list"], S, ["cap", "get_weather"], ["cap", "get_forecast", "2.50", "usd"]],
          prices=[("tool", "get_forecast", "2.50", "usd")], flags="Prices"),
    built("r11-build-resources", "a bare resources list", "R11-KIND-06 R11-BODY-11 R11-ANN-20 R11-ANN-21 R11-ANN-22", "resources", RESOURCES, 31318,
          RESOURCES_TAGS, optional=[["cap", "main.rs"]], flags="Example", comment="003: Resources List Event, static resources"),
    built("r11-build-resources-priced", "a resource's price stands in a cap with its URI", "R11-PRICE-01 R11-PRICE-02 R11-ANN-22", "resources",
          {"resources": [RESOURCE, README]}, 31318,
          [["d", "server-1/resources/list"], S, ["cap", "main.rs"], ["cap", URI, "10", "sats"], ["cap", "README.md"]],
          optional=[["cap", "main.rs"], ["cap", "README.md"]], prices=[("resource", URI, "10", "sats")], flags="Prices",
          comment="003: Pricing Tag Format wants the URI, Resources List Event the name: the names are optional"),
    built("r11-build-templates", "resource templates have a list of their own, on the kind of resources",
          "R11-KIND-07 R11-BODY-11 R11-ANN-30 R11-ANN-31 R11-ANN-32", "resource-templates", TEMPLATES, 31318, TEMPLATES_TAGS,
          optional=[["cap", "Project Files"]], flags="Example Templates", comment="003: Resources List Event, resource templates"),
    built("r11-build-prompts", "a bare prompts list", "R11-KIND-08 R11-BODY-11 R11-ANN-40 R11-ANN-41 R11-ANN-42", "prompts", PROMPTS, 31319,
          PROMPTS_TAGS, optional=[["cap", "code_review"]], flags="Example", comment="003: Prompts List Event"),
    built("r11-build-prompts-priced", "a prompt's price stands in a cap with its name", "R11-PRICE-01 R11-PRICE-02", "prompts", PROMPTS, 31319,
          [["d", "server-1/prompts/list"], S, ["cap", "code_review", "5", "sats"]], prices=[("prompt", "code_review", "5", "sats")], flags="Prices"),
)  # fmt: skip

SUITE.group(
    "parse_announcement",
    valid("r11-parse-server", "a server announcement with every optional tag",
          "R11-KIND-04 R11-BODY-10 R11-ANN-01 R11-ANN-02 R11-ANN-03 R11-ANN-04 R11-ANN-05",
          given(31316, [*SERVER_TAGS, *TEXT_TAGS, ["support_encryption", "true"]], ANNOUNCED),
          read("server", ANNOUNCED, texts=TEXTS, encryption=True), flags="Example", comment="003: Server Announcement Event"),
    valid("r11-parse-server-least", "a server announcement with d and k alone", "R11-ANN-03 R11-ANN-04 R11-COMP-01",
          given(31316, SERVER_TAGS, ANNOUNCED_COMPLETIONS), read("server", ANNOUNCED_COMPLETIONS), flags="Basic"),
    valid("r11-parse-server-no-encryption", "support_encryption false says that there is none", "R11-ANN-04",
          given(31316, [*SERVER_TAGS, ["support_encryption", "false"]], ANNOUNCED), read("server", ANNOUNCED), flags="Encryption", level="MAY"),
    acceptable("r11-parse-server-flag", "support_encryption without a value says that there is encryption", "R11-ANN-04",
               given(31316, [*SERVER_TAGS, ["support_encryption"]], ANNOUNCED), AMB_ENCRYPTION, output=read("server", ANNOUNCED, encryption=True),
               level="MAY", flags="Encryption"),
    acceptable("r11-parse-server-wrapped", "a server announcement inside a JSON-RPC response holds the same", "R11-BODY-10",
               given(31316, SERVER_TAGS, rpc({"id": 1, "result": ANNOUNCED})), AMB_WRAPPED, output=read("server", ANNOUNCED), flags="Wrapped"),
    valid("r11-parse-tools", "a tools list", "R11-KIND-05 R11-BODY-11 R11-ANN-10 R11-ANN-11 R11-ANN-12", given(31317, TOOLS_TAGS, TOOLS),
          read("tools", TOOLS, capabilities=["get_weather"]), flags="Example", comment="003: Tools List Event"),
    acceptable("r11-parse-tools-wrapped", "a tools list inside a JSON-RPC response holds the same", "R11-BODY-11",
               given(31317, TOOLS_TAGS, rpc({"id": 1, "result": TOOLS})), AMB_WRAPPED, output=read("tools", TOOLS, capabilities=["get_weather"]),
               flags="Wrapped"),
    valid("r11-parse-tools-any-d", "the identifier of a list is free", "R11-ANN-10", given(31317, [["d", "9b1f"], S, ["cap", "get_weather"]], TOOLS),
          read("tools", TOOLS, capabilities=["get_weather"]), flags="Basic", comment="003: Tools List Event has it as unique, and no more"),
    valid("r11-parse-tools-priced", "a tools list with a price", "R11-PRICE-01 R11-PRICE-02 R11-PRICE-51 R11-PRICE-52",
          given(31317, PRICED_TAGS, {"tools": [PRICED_WEATHER]}),
          read("tools", {"tools": [PRICED_WEATHER]}, capabilities=["get_weather"], prices=[price("get_weather", "100", "sats")],
               server_id="server-123"), flags="Example Prices", comment="003: Capability Pricing, Example"),
    valid("r11-parse-tools-two", "one tool of two has a price", "R11-ANN-12 R11-PRICE-01",
          given(31317, [["d", "server-1/tools/list"], S, ["cap", "get_weather"], ["cap", "get_forecast", "2.50", "usd"]],
                {"tools": [WEATHER, FORECAST]}),
          read("tools", {"tools": [WEATHER, FORECAST]}, capabilities=["get_weather", "get_forecast"],
               prices=[price("get_forecast", "2.50", "usd")]), flags="Prices"),
    valid("r11-parse-resources", "a resources list", "R11-KIND-06 R11-ANN-20 R11-ANN-21 R11-ANN-22", given(31318, RESOURCES_TAGS, RESOURCES),
          read("resources", RESOURCES, capabilities=["main.rs"]), flags="Example", comment="003: Resources List Event, static resources"),
    valid("r11-parse-resources-priced", "a resource's price under its URI", "R11-PRICE-02",
          given(31318, [["d", "server-1/resources/list"], S, ["cap", URI, "10", "sats"]], RESOURCES),
          read("resources", RESOURCES, capabilities=[URI], prices=[price(URI, "10", "sats")]), flags="Prices"),
    acceptable("r11-parse-resources-priced-name", "a resource's price under its name", "R11-PRICE-02",
               given(31318, [["d", "server-1/resources/list"], S, ["cap", "main.rs", "10", "sats"]], RESOURCES), AMB_CAP,
               output=read("resources", RESOURCES, capabilities=["main.rs"], prices=[price("main.rs", "10", "sats")]), flags="Prices"),
    valid("r11-parse-templates", "a resource template list is told from resources by its content",
          "R11-KIND-07 R11-ANN-30 R11-ANN-31 R11-ANN-32", given(31318, TEMPLATES_TAGS, TEMPLATES),
          read("resource-templates", TEMPLATES, capabilities=["Project Files"]), flags="Example Templates",
          comment="003: Resources List Event, resource templates"),
    valid("r11-parse-templates-other-d", "a resource template list whose d says nothing of templates", "R11-KIND-07 R11-ANN-30",
          given(31318, [["d", "server-1/resources/list"], S], TEMPLATES), read("resource-templates", TEMPLATES), flags="Templates"),
    valid("r11-parse-prompts", "a prompts list", "R11-KIND-08 R11-ANN-40 R11-ANN-41 R11-ANN-42", given(31319, PROMPTS_TAGS, PROMPTS),
          read("prompts", PROMPTS, capabilities=["code_review"]), flags="Example", comment="003: Prompts List Event"),
    invalid("r11-parse-initialize-response", "an answer to initialize is no announcement", "R11-KIND-04",
            given(26910, [["e", INITIALIZE_ID], D], INITIALIZE_RESULT), "wrong_kind", flags="WrongKind"),
    invalid("r11-parse-replaceable", "kind 11316 announces nothing in this revision", "R11-KIND-04", given(11316, SERVER_TAGS, ANNOUNCED),
            "wrong_kind", flags="WrongKind"),
    invalid("r11-parse-server-no-d", "a server announcement without d", "R11-ANN-01", given(31316, [["k", "25910"]], ANNOUNCED), "missing_tag",
            flags="MissingTag"),
    invalid("r11-parse-server-text", "a server announcement whose content is plain text", "R11-BODY-01", given(31316, SERVER_TAGS, "a server"),
            "invalid_json", flags="MalformedBody"),
    invalid("r11-parse-tools-array", "a tools list whose content is an array", "R11-BODY-01", given(31317, TOOLS_TAGS, [WEATHER]),
            "malformed_body", flags="MalformedBody"),
    invalid("r11-parse-tools-none", "a tools list without tools", "R11-BODY-11", given(31317, TOOLS_TAGS, {"nextCursor": "2"}),
            "malformed_body", flags="MalformedBody"),
)  # fmt: skip

# Tags that are shorter or longer than the text has them.
SUITE.group(
    "parse_announcement",
    acceptable("r11-parse-cap-empty", "a cap tag without a value names nothing", "R11-ANN-12", given(31317, [*TOOLS_TAGS, ["cap"]], TOOLS),
               AMB_WRITERS, output=read("tools", TOOLS, capabilities=["get_weather"]), flags="Prices"),
    acceptable("r11-parse-price-no-unit", "a cap tag without a unit has no price", "R11-PRICE-01",
               given(31317, [*TOOLS_TAGS[:2], ["cap", "get_weather", "100"]], TOOLS), AMB_WRITERS,
               output=read("tools", TOOLS, capabilities=["get_weather"]), flags="Prices"),
    valid("r11-parse-encryption-false-more", "support_encryption of false is no, whatever follows", "R11-ANN-06",
          given(31316, [D, ["k", "25910"], ["support_encryption", "false", "yet"]], ANNOUNCED), read("server", ANNOUNCED), flags="Prices"),
    invalid("r11-parse-server-array", "a server announcement whose content is an array", "R11-BODY-01", given(31316, SERVER_TAGS, []),
            "malformed_body", flags="MalformedBody"),
)  # fmt: skip
