"""`dvmcp-rev1-ephemeral`: announcements, written and read. Kinds, tags and bodies are those of seed 000."""

from __future__ import annotations

from vectors.source.dvmcp import TIME, Cases, less, put
from vectors.source.dvmcp_rev1_ephemeral import examples as ex
from vectors.source.dvmcp_rev1_ephemeral.examples import by_provider
from vectors.source.writing import Note, Suite, signed

SUITE = Suite(
    "dvmcp-rev1-ephemeral/announce",
    "DVMCP rev1, ephemeral: announcements",
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

CASES = Cases("dvmcp-rev1-ephemeral")
announces, announcement = CASES.announces, CASES.announcement
parses, may_parse, rejects, read = CASES.parses, CASES.may_parse, CASES.rejects, CASES.read

WORDS = {
    "name": "Example Server", "about": "Server description",
    "picture": "https://example.com/server.png", "website": "https://example.com",
}  # fmt: skip

SUITE.group(
    "build_announcement",
    announces("r1e-announce-server", "a server with everything that the seed prints",
              "R1E-KIND-04 R1E-BODY-10 R1E-ANN-01 R1E-ANN-02 R1E-ANN-03 R1E-ANN-04 R1E-ANN-05 R1E-ANN-51",
              announcement("server", ex.ANNOUNCED, encryption=True, **WORDS),
              31316, [["d", "server-1"], ["k", "25910"], ["name", "Example Server"], ["about", "Server description"],
                      ["picture", "https://example.com/server.png"], ["website", "https://example.com"],
                      ["support_encryption", "true"]],
              {"jsonrpc": "2.0", "id": 1, "result": ex.ANNOUNCED},
              optional=[["name", "Example Server"], ["about", "Server description"], ["picture", "https://example.com/server.png"],
                        ["website", "https://example.com"], ["support_encryption", "true"]],
              comment="Server Announcement Event. The seed defines no encryption, so a builder may leave its tag out"),
    announces("r1e-announce-server-least", "a server with d and k alone", "R1E-ANN-01 R1E-ANN-02 R1E-ANN-04",
              announcement("server", ex.ANNOUNCED),
              31316, [["d", "server-1"], ["k", "25910"]], {"jsonrpc": "2.0", "id": 1, "result": ex.ANNOUNCED}, flags="Least"),
    announces("r1e-announce-tools", "a list of tools has one cap for each", "R1E-KIND-05 R1E-BODY-11 R1E-ANN-10 R1E-ANN-11 R1E-ANN-12 R1E-ANN-52",
              announcement("tools", ex.TOOLS_RESULT),
              31317, [["d", "server-1/tools/list"], ["s", "server-1"], ["cap", "get_weather"]],
              {"jsonrpc": "2.0", "id": 1, "result": ex.TOOLS_RESULT}, comment="Tools List Event"),
    announces("r1e-announce-tools-two", "a list of two tools has two cap tags", "R1E-ANN-12 R1E-ANN-52",
              announcement("tools", ex.TWO_TOOLS_RESULT),
              31317, [["d", "server-1/tools/list"], ["s", "server-1"], ["cap", "get_weather"], ["cap", "get_weather_future"]],
              {"jsonrpc": "2.0", "id": 1, "result": ex.TWO_TOOLS_RESULT}, flags="Least"),
    announces("r1e-announce-tools-none", "a list without tools has no cap", "R1E-ANN-10 R1E-ANN-11 R1E-ANN-12",
              announcement("tools", {"tools": []}),
              31317, [["d", "server-1/tools/list"], ["s", "server-1"]], {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}, flags="Least"),
    announces("r1e-announce-resources", "a list of resources may have one cap for each name", "R1E-KIND-06 R1E-ANN-20 R1E-ANN-21 R1E-ANN-22",
              announcement("resources", ex.RESOURCES_RESULT),
              31318, [["d", "server-1/resources/list"], ["s", "server-1"], ["cap", "main.rs"]],
              {"jsonrpc": "2.0", "id": 1, "result": ex.RESOURCES_RESULT}, optional=[["cap", "main.rs"]], comment="Resources List Event"),
    announces("r1e-announce-prompts", "a list of prompts may have one cap for each name", "R1E-KIND-08 R1E-ANN-40 R1E-ANN-41 R1E-ANN-42",
              announcement("prompts", ex.PROMPTS_RESULT),
              31319, [["d", "server-1/prompts/list"], ["s", "server-1"], ["cap", "code_review"]],
              {"jsonrpc": "2.0", "id": 1, "result": ex.PROMPTS_RESULT}, optional=[["cap", "code_review"]], comment="Prompts List Event"),
)  # fmt: skip

SUITE.group(
    "parse_announcement",
    parses("r1e-parse-server", "a server with everything that the seed prints", "R1E-KIND-04 R1E-BODY-10 R1E-ANN-01 R1E-ANN-03 R1E-ANN-04 R1E-ANN-05",
           ex.SERVER, read("server", ex.ANNOUNCED, encryption=True, **WORDS), comment="Server Announcement Event"),
    parses("r1e-parse-server-least", "a server with d and k alone", "R1E-ANN-03 R1E-ANN-04",
           by_provider(31316, [["d", "server-1"], ["k", "25910"]], ex.SERVER_BODY), read("server", ex.ANNOUNCED), flags="Least"),
    parses("r1e-parse-server-no-encryption", "support_encryption with the value false", "R1E-ANN-04",
           by_provider(31316, put(ex.SERVER_TAGS, "support_encryption", "false"), ex.SERVER_BODY),
           read("server", ex.ANNOUNCED, **WORDS), flags="Least"),
    parses("r1e-parse-server-other-id", "the JSON-RPC id in an announcement says nothing", "R1E-BODY-10",
           by_provider(31316, [["d", "server-1"], ["k", "25910"]], {**ex.SERVER_BODY, "id": "announcement"}),
           read("server", ex.ANNOUNCED), flags="Least"),
    parses("r1e-parse-tools", "a list of tools", "R1E-KIND-05 R1E-BODY-11 R1E-ANN-11 R1E-ANN-12",
           ex.TOOLS, read("tools", ex.TOOLS_RESULT, capabilities=("get_weather",)),
           comment="Tools List Event"),
    parses("r1e-parse-tools-any-d", "the d of a list is any text", "R1E-ANN-10",
           by_provider(31317, put(ex.TOOLS_TAGS, "d", "prompts"), ex.TOOLS_BODY),
           read("tools", ex.TOOLS_RESULT, capabilities=("get_weather",)), flags="Least"),
    parses("r1e-parse-resources", "a list of resources", "R1E-KIND-06 R1E-ANN-21 R1E-ANN-22",
           ex.RESOURCES, read("resources", ex.RESOURCES_RESULT, capabilities=("main.rs",)), comment="Resources List Event"),
    parses("r1e-parse-resources-no-cap", "a list of resources without cap", "R1E-ANN-22",
           by_provider(31318, less(ex.RESOURCES_TAGS, "cap"), ex.RESOURCES_BODY), read("resources", ex.RESOURCES_RESULT), flags="Least"),
    parses("r1e-parse-prompts", "a list of prompts", "R1E-KIND-08 R1E-ANN-41 R1E-ANN-42",
           ex.PROMPTS, read("prompts", ex.PROMPTS_RESULT, capabilities=("code_review",)), comment="Prompts List Event"),
    may_parse("r1e-parse-server-bare", "a bare result is read like a wrapped one", "R1E-BODY-10", "announcement-envelope",
              by_provider(31316, [["d", "server-1"], ["k", "25910"]], ex.ANNOUNCED), read("server", ex.ANNOUNCED)),
    may_parse("r1e-parse-tools-bare", "a bare list is read like a wrapped one", "R1E-BODY-11", "announcement-envelope",
              by_provider(31317, ex.TOOLS_TAGS, ex.TOOLS_RESULT),
              read("tools", ex.TOOLS_RESULT, capabilities=("get_weather",))),
    may_parse("r1e-parse-server-encryption-flag", "support_encryption without a value", "R1E-ANN-04", "support-encryption",
              by_provider(31316, put(ex.SERVER_TAGS, "support_encryption"), ex.SERVER_BODY),
              read("server", ex.ANNOUNCED, encryption=True, **WORDS)),
    rejects("r1e-parse-kind-11316", "a replaceable announcement belongs to another revision", "R1E-KIND-04",
            by_provider(11316, ex.SERVER_TAGS, ex.SERVER_BODY), "wrong_kind", "WrongKind"),
    rejects("r1e-parse-kind-31990", "a handler announcement of the older protocol", "R1E-KIND-04",
            by_provider(31990, ex.SERVER_TAGS, ex.SERVER_BODY), "wrong_kind", "WrongKind"),
    rejects("r1e-parse-response", "a response is no announcement", "R1E-KIND-04",
            ex.INITIALIZE_RESPONSE, "wrong_kind", "WrongKind"),
    rejects("r1e-parse-server-no-d", "a server without an identifier", "R1E-ANN-01",
            by_provider(31316, less(ex.SERVER_TAGS, "d"), ex.SERVER_BODY), "missing_tag", "MissingTag"),
    rejects("r1e-parse-tools-no-d", "a list without an identifier", "R1E-ANN-10",
            by_provider(31317, less(ex.TOOLS_TAGS, "d"), ex.TOOLS_BODY), "missing_tag", "MissingTag"),
    rejects("r1e-parse-server-text", "content that is not JSON", "R1E-BODY-01",
            signed("bob", 31316, ex.SERVER_TAGS, "Example Server", TIME), "invalid_json", "Body"),
    rejects("r1e-parse-tools-array", "an array of tools", "R1E-BODY-11",
            by_provider(31317, ex.TOOLS_TAGS, [ex.TOOL]), "malformed_body", "Body"),
    rejects("r1e-parse-server-error", "an error in place of a result", "R1E-BODY-10",
            by_provider(31316, ex.SERVER_TAGS, {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "Internal error"}}),
            "malformed_body", "Body"),
)  # fmt: skip
