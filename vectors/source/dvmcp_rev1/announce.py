"""`dvmcp-rev1`: announcements, written and read. Kinds, tags and bodies are those of seed 004."""

from __future__ import annotations

from vectors.source.dvmcp import TIME, Cases, less, put
from vectors.source.dvmcp_rev1 import examples as ex
from vectors.source.dvmcp_rev1.examples import by_provider
from vectors.source.writing import Note, Suite, invalid, signed

SUITE = Suite(
    "dvmcp-rev1/announce",
    "DVMCP rev1: announcements",
    "1",
    {
        "Example": Note("WIRE_SHAPE", "an example of the specification", "public servers are not found"),
        "Least": Note("BASIC", "nothing but what is required", "a modest server is not found"),
        "Tolerance": Note("AMBIGUOUS", "what peers publish and a reader may accept", "a server is not found"),
        "WrongKind": Note("MISSING_STEP", "a kind that announces nothing here", "another revision is half understood"),
        "MissingTag": Note("MISSING_STEP", "an announcement without an identifier", "two servers are taken for one"),
        "Body": Note("MISSING_STEP", "content is not what the kind announces", "unchecked data enters the program"),
    },
)

CASES = Cases("dvmcp-rev1")
announces, announcement = CASES.announces, CASES.announcement
parses, may_parse, rejects, read = CASES.parses, CASES.may_parse, CASES.rejects, CASES.read

WORDS = {
    "name": "Example Server", "about": "Server description",
    "picture": "https://example.com/server.png", "website": "https://example.com",
}  # fmt: skip

SUITE.group(
    "build_announcement",
    announces("r1-announce-server", "a server with everything that the seed prints",
              "R1-KIND-04 R1-BODY-10 R1-ANN-01 R1-ANN-02 R1-ANN-03 R1-ANN-04 R1-ANN-05 R1-ANN-51",
              announcement("server", ex.INITIALIZE_RESULT, encryption=True, **WORDS),
              31316, [["d", "server-1"], ["name", "Example Server"], ["about", "Server description"],
                      ["picture", "https://example.com/server.png"], ["website", "https://example.com"], ["k", "5910"],
                      ["support_encryption", "true"]],
              {"jsonrpc": "2.0", "id": 1, "result": ex.INITIALIZE_RESULT},
              optional=[["name", "Example Server"], ["about", "Server description"], ["picture", "https://example.com/server.png"],
                        ["website", "https://example.com"], ["support_encryption", "true"]],
              comment="Server Announcement Event. The seed defines no encryption, so a builder may leave its tag out"),
    announces("r1-announce-server-least", "a server with d and k alone", "R1-ANN-01 R1-ANN-02 R1-ANN-04",
              announcement("server", ex.INITIALIZE_RESULT),
              31316, [["d", "server-1"], ["k", "5910"]], {"jsonrpc": "2.0", "id": 1, "result": ex.INITIALIZE_RESULT}, flags="Least"),
    announces("r1-announce-tools", "a list of tools has one t for each", "R1-KIND-05 R1-BODY-11 R1-ANN-10 R1-ANN-11 R1-ANN-12 R1-ANN-52",
              announcement("tools", ex.TOOLS_RESULT),
              31317, [["d", "server-1/tools/list"], ["s", "server-1"], ["t", "get_weather"], ["t", "get_weather_future"]],
              {"jsonrpc": "2.0", "id": 1, "result": ex.TOOLS_RESULT}, comment="Tools List Event, with the second tool that its tags name"),
    announces("r1-announce-tools-none", "a list without tools has no t", "R1-ANN-10 R1-ANN-11 R1-ANN-12",
              announcement("tools", {"tools": []}),
              31317, [["d", "server-1/tools/list"], ["s", "server-1"]], {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}, flags="Least"),
    invalid("r1-announce-tools-no-name", "a list with a tool that has no name has no t for it", "R1-ANN-12",
            announcement("tools", {"tools": [{"inputSchema": {"type": "object"}}]}), "malformed_body", flags="Body"),
    announces("r1-announce-resources", "a list of resources may have one t for each name", "R1-KIND-06 R1-ANN-20 R1-ANN-21 R1-ANN-22",
              announcement("resources", ex.RESOURCES_RESULT),
              31318, [["d", "server-1/resources/list"], ["s", "server-1"], ["t", "main.rs"]],
              {"jsonrpc": "2.0", "id": 1, "result": ex.RESOURCES_RESULT}, optional=[["t", "main.rs"]], comment="Resources List Event"),
    announces("r1-announce-prompts", "a list of prompts may have one t for each name", "R1-KIND-08 R1-ANN-40 R1-ANN-41 R1-ANN-42",
              announcement("prompts", ex.PROMPTS_RESULT),
              31319, [["d", "server-1/prompts/list"], ["s", "server-1"], ["t", "code_review"]],
              {"jsonrpc": "2.0", "id": 1, "result": ex.PROMPTS_RESULT}, optional=[["t", "code_review"]], comment="Prompts List Event"),
)  # fmt: skip

SUITE.group(
    "parse_announcement",
    parses("r1-parse-server", "a server with everything that the seed prints", "R1-KIND-04 R1-BODY-10 R1-ANN-01 R1-ANN-03 R1-ANN-04 R1-ANN-05",
           ex.SERVER, read("server", ex.INITIALIZE_RESULT, encryption=True, **WORDS), comment="Server Announcement Event"),
    parses("r1-parse-server-least", "a server with d and k alone", "R1-ANN-03 R1-ANN-04",
           by_provider(31316, [["d", "server-1"], ["k", "5910"]], ex.SERVER_BODY), read("server", ex.INITIALIZE_RESULT), flags="Least"),
    parses("r1-parse-server-no-encryption", "support_encryption with the value false", "R1-ANN-04",
           by_provider(31316, put(ex.SERVER_TAGS, "support_encryption", "false"), ex.SERVER_BODY),
           read("server", ex.INITIALIZE_RESULT, **WORDS), flags="Least"),
    parses("r1-parse-server-other-id", "the JSON-RPC id in an announcement says nothing", "R1-BODY-10",
           by_provider(31316, [["d", "server-1"], ["k", "5910"]], {**ex.SERVER_BODY, "id": "announcement"}),
           read("server", ex.INITIALIZE_RESULT), flags="Least"),
    parses("r1-parse-tools", "a list of tools", "R1-KIND-05 R1-BODY-11 R1-ANN-11 R1-ANN-12",
           ex.TOOLS, read("tools", ex.TOOLS_RESULT, capabilities=("get_weather", "get_weather_future")),
           comment="Tools List Event, with the second tool that its tags name"),
    parses("r1-parse-tools-as-printed", "a t for a tool that the list does not hold is read all the same", "R1-KIND-05",
           ex.TOOLS_AS_PRINTED, read("tools", {"tools": [ex.TOOL]}, capabilities=("get_weather", "get_weather_future")),
           comment="Tools List Event, as printed"),
    parses("r1-parse-tools-any-d", "the d of a list is any text", "R1-ANN-10",
           by_provider(31317, put(ex.TOOLS_TAGS, "d", "prompts"), ex.TOOLS_BODY),
           read("tools", ex.TOOLS_RESULT, capabilities=("get_weather", "get_weather_future")), flags="Least"),
    parses("r1-parse-resources", "a list of resources", "R1-KIND-06 R1-ANN-21 R1-ANN-22",
           ex.RESOURCES, read("resources", ex.RESOURCES_RESULT, capabilities=("main.rs",)), comment="Resources List Event"),
    parses("r1-parse-resources-no-t", "a list of resources without t", "R1-ANN-22",
           by_provider(31318, less(ex.RESOURCES_TAGS, "t"), ex.RESOURCES_BODY), read("resources", ex.RESOURCES_RESULT), flags="Least"),
    parses("r1-parse-prompts", "a list of prompts", "R1-KIND-08 R1-ANN-41 R1-ANN-42",
           ex.PROMPTS, read("prompts", ex.PROMPTS_RESULT, capabilities=("code_review",)), comment="Prompts List Event"),
    may_parse("r1-parse-server-bare", "a bare result is read like a wrapped one", "R1-BODY-10", "announcement-envelope",
              by_provider(31316, [["d", "server-1"], ["k", "5910"]], ex.INITIALIZE_RESULT), read("server", ex.INITIALIZE_RESULT)),
    may_parse("r1-parse-tools-bare", "a bare list is read like a wrapped one", "R1-BODY-11", "announcement-envelope",
              by_provider(31317, ex.TOOLS_TAGS, ex.TOOLS_RESULT),
              read("tools", ex.TOOLS_RESULT, capabilities=("get_weather", "get_weather_future"))),
    may_parse("r1-parse-server-encryption-flag", "support_encryption without a value", "R1-ANN-04", "support-encryption",
              by_provider(31316, put(ex.SERVER_TAGS, "support_encryption"), ex.SERVER_BODY),
              read("server", ex.INITIALIZE_RESULT, encryption=True, **WORDS)),
    rejects("r1-parse-kind-11316", "a replaceable announcement belongs to another revision", "R1-KIND-04",
            by_provider(11316, ex.SERVER_TAGS, ex.SERVER_BODY), "wrong_kind", "WrongKind"),
    rejects("r1-parse-kind-31990", "a handler announcement of the older protocol", "R1-KIND-04",
            by_provider(31990, ex.SERVER_TAGS, ex.SERVER_BODY), "wrong_kind", "WrongKind"),
    rejects("r1-parse-response", "a response is no announcement", "R1-KIND-04",
            ex.INITIALIZE_RESPONSE, "wrong_kind", "WrongKind"),
    rejects("r1-parse-server-no-d", "a server without an identifier", "R1-ANN-01",
            by_provider(31316, less(ex.SERVER_TAGS, "d"), ex.SERVER_BODY), "missing_tag", "MissingTag"),
    rejects("r1-parse-tools-no-d", "a list without an identifier", "R1-ANN-10",
            by_provider(31317, less(ex.TOOLS_TAGS, "d"), ex.TOOLS_BODY), "missing_tag", "MissingTag"),
    rejects("r1-parse-server-text", "content that is not JSON", "R1-BODY-01",
            signed("bob", 31316, ex.SERVER_TAGS, "Example Server", TIME), "invalid_json", "Body"),
    rejects("r1-parse-tools-array", "an array of tools", "R1-BODY-11",
            by_provider(31317, ex.TOOLS_TAGS, [ex.TOOL, ex.TOOL_FUTURE]), "malformed_body", "Body"),
    rejects("r1-parse-server-error", "an error in place of a result", "R1-BODY-10",
            by_provider(31316, ex.SERVER_TAGS, {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "Internal error"}}),
            "malformed_body", "Body"),
)  # fmt: skip
