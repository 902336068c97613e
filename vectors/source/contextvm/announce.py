"""ContextVM: announcements, built and parsed."""

from __future__ import annotations

from typing import Any

from vectors.source.contextvm.examples import (
    BOB,
    CALL,
    NOW,
    PRICE,
    PRICED_TOOL,
    PROMPTS,
    RESOURCES,
    REVISION,
    SERVER_INFO,
    SERVER_TAGS,
    SERVER_TEXTS,
    TEMPLATES,
    TO_SERVER,
    TOOLS,
    answer,
    by_client,
    by_server,
    text,
)
from vectors.source.writing import Note, Suite, acceptable, invalid, valid

SUITE = Suite(
    "contextvm/announce",
    "ContextVM: announcements",
    "1",
    {
        "Example": Note("BASIC", "an example of the documents", "nobody finds the server"),
        "Basic": Note("BASIC", "an announcement that the documents describe without an example", "a list is not found"),
        "Price": Note("WIRE_SHAPE", "prices in tags", "a client sees no price, or another capability's"),
        "Encryption": Note("WIRE_SHAPE", "whether the server reads wraps", "peers talk in the clear"),
        "Tolerant": Note("LEGACY", "a form of other revisions that is understood all the same", "servers stay unseen"),
        "WrongKind": Note("MISSING_STEP", "an event of another kind", "a message is taken for an announcement"),
        "MalformedBody": Note("MISSING_STEP", "content that is no such announcement", "a crash while browsing"),
    },
)

NO_TEXTS: dict[str, Any] = dict.fromkeys(SERVER_TEXTS)
# FIELD section 2.3 (an announcement wrapped in a response, as two older revisions have it) in spec/ambiguities.md.
WRAPPED = "AMB-150"
EPHEMERAL = ["support_encryption_ephemeral"]


def price(type: str, capability: str, amount: str, unit: str = "sats") -> dict[str, str]:
    return {"type": type, "capability": capability, "amount": amount, "unit": unit}


def built(
    id: str,
    title: str,
    req: str,
    type: str,
    kind: int,
    content: Any,
    tags: list[list[str]],
    flags: str,
    comment: str | None = None,
    *,
    texts: dict[str, Any] = NO_TEXTS,
    encryption: bool = False,
    prices: tuple[Any, ...] = (),
) -> Any:
    asked = {"revision": REVISION, "type": type, "pubkey": BOB, "created_at": NOW, "server_id": None,
             "content": content, **NO_TEXTS, **texts, "encryption": encryption, "prices": list(prices)}  # fmt: skip
    event = {"pubkey": BOB, "created_at": NOW, "kind": kind, "tags": tags, "content": text(content)}
    return valid(f"cvm-announce-{id}", title, req, asked,
                 {"event": event, "optional_tags": [tag for tag in tags if tag == EPHEMERAL]}, compare="event",
                 flags=flags, comment=comment)  # fmt: skip


def parsed(
    id: str,
    title: str,
    req: str,
    type: str,
    event: Any,
    content: Any,
    flags: str,
    comment: str | None = None,
    *,
    texts: dict[str, Any] = NO_TEXTS,
    encryption: bool = False,
    prices: tuple[Any, ...] = (),
    ambiguity: str | None = None,
) -> Any:
    """Capabilities are the values of the `cap` tags as they stand, with their prefix."""
    capabilities = [tag[1] for tag in event["tags"] if tag[0] == "cap"]
    output = {"type": type, "server_id": None, "content": content, **NO_TEXTS, **texts, "encryption": encryption,
              "capabilities": capabilities, "prices": list(prices)}  # fmt: skip
    given = {"revision": REVISION, "event": event}
    if ambiguity:
        return acceptable(f"cvm-parse-{id}", title, req, given, ambiguity, output=output, flags=flags, comment=comment)
    return valid(f"cvm-parse-{id}", title, req, given, output, flags=flags, comment=comment)


def refused(id: str, title: str, req: str, event: Any, error: str, flags: str) -> Any:
    return invalid(f"cvm-parse-{id}", title, req, {"revision": REVISION, "event": event}, error, flags=flags)


PRICED_TOOLS = {"tools": [PRICED_TOOL]}
URI_PRICE = ["cap", "resource:file:///report.txt", "7", "sats"]
RANGE_PRICE = ["cap", "prompt:summary", "100-1000", "usd"]

SUITE.group(
    "build_announcement",
    built("server", "a server announcement with every text and encryption",
          "CVM-KIND-04 CVM-BODY-10 CVM-ANN-03 CVM-ANN-04 CVM-ANN-05 CVM-ANN-51 CVM-ENC-21", "server", 11316,
          SERVER_INFO, [*SERVER_TAGS, ["support_encryption"], EPHEMERAL], "Example Encryption",
          "cep-6.md: Server Announcement Event; cep-19.md: Ephemeral Encryption Support Discovery",
          texts=SERVER_TEXTS, encryption=True),
    built("server-bare", "a server announcement without texts and encryption has no tags",
          "CVM-KIND-04 CVM-ANN-03 CVM-ANN-51 CVM-ENC-01", "server", 11316, SERVER_INFO, [], "Encryption"),
    built("tools", "a tools announcement has the bare list and no tags", "CVM-KIND-05 CVM-BODY-11 CVM-ANN-51",
          "tools", 11317, TOOLS, [], "Example", "cep-6.md: Tools List Event Example"),
    built("tools-price", "a tools announcement with a price", "CVM-PRICE-01 CVM-PRICE-02 CVM-PRICE-04", "tools", 11317,
          PRICED_TOOLS, [PRICE], "Example Price", "cep-8.md: Pricing Mechanism, Server Announcements",
          prices=(price("tool", "get_weather", "100"),)),
    built("resources", "a resources announcement with the price of a URI", "CVM-KIND-06 CVM-PRICE-02", "resources",
          11318, RESOURCES, [URI_PRICE], "Price", prices=(price("resource", "file:///report.txt", "7"),)),
    built("templates", "a resource templates announcement", "CVM-KIND-07 CVM-BODY-11", "resource-templates", 11319,
          TEMPLATES, [], "Basic"),
    built("prompts", "a prompts announcement with a range in another unit", "CVM-KIND-08 CVM-PRICE-01 CVM-PRICE-03",
          "prompts", 11320, PROMPTS, [RANGE_PRICE], "Price", prices=(price("prompt", "summary", "100-1000", "usd"),)),
)  # fmt: skip

SUITE.group(
    "parse_announcement",
    parsed("server", "a server announcement", "CVM-KIND-04 CVM-BODY-10 CVM-ANN-03 CVM-ANN-04", "server",
           by_server(SERVER_INFO, *SERVER_TAGS, ["support_encryption"], kind=11316), SERVER_INFO, "Example Encryption",
           "cep-6.md: Server Announcement Event", texts=SERVER_TEXTS, encryption=True),
    parsed("server-bare", "a server announcement without tags supports no encryption", "CVM-ANN-03 CVM-ENC-01",
           "server", by_server(SERVER_INFO, kind=11316), SERVER_INFO, "Encryption"),
    parsed("server-encryption-true", "a value after support_encryption changes nothing", "CVM-ANN-04", "server",
           by_server(SERVER_INFO, ["support_encryption", "true"], kind=11316), SERVER_INFO, "Encryption Tolerant",
           encryption=True),
    parsed("server-prices", "prices on the server announcement, as the published SDK puts them",
           "CVM-PRICE-02 CVM-PRICE-04", "server",
           by_server(SERVER_INFO, PRICE, RANGE_PRICE, URI_PRICE, ["pmi", "bitcoin-lightning-bolt11"], kind=11316),
           SERVER_INFO, "Price",
           prices=(price("tool", "get_weather", "100"), price("prompt", "summary", "100-1000", "usd"),
                   price("resource", "file:///report.txt", "7"))),
    parsed("server-identifier", "a d tag names nothing: the key is the server", "CVM-ANN-51", "server",
           by_server(SERVER_INFO, ["d", "server-1"], ["k", "25910"], kind=11316), SERVER_INFO, "Tolerant"),
    parsed("server-wrapped", "a server announcement inside a JSON-RPC response", "CVM-BODY-10", "server",
           by_server(answer(1, SERVER_INFO), kind=11316), SERVER_INFO, "Tolerant", ambiguity=WRAPPED),
    parsed("tools", "a tools announcement", "CVM-KIND-05 CVM-BODY-11", "tools", by_server(TOOLS, kind=11317), TOOLS,
           "Example", "cep-6.md: Tools List Event Example"),
    parsed("tools-price", "a tools announcement with a price", "CVM-PRICE-01 CVM-PRICE-02 CVM-PRICE-04", "tools",
           by_server(PRICED_TOOLS, PRICE, kind=11317), PRICED_TOOLS, "Example Price",
           "cep-8.md: Pricing Mechanism, Server Announcements", prices=(price("tool", "get_weather", "100"),)),
    parsed("tools-wrapped", "a tools announcement inside a JSON-RPC response", "CVM-BODY-11", "tools",
           by_server(answer(1, TOOLS), kind=11317), TOOLS, "Tolerant", ambiguity=WRAPPED),
    parsed("resources", "a resources announcement", "CVM-KIND-06", "resources",
           by_server(RESOURCES, URI_PRICE, kind=11318), RESOURCES, "Price",
           prices=(price("resource", "file:///report.txt", "7"),)),
    parsed("templates", "a resource templates announcement", "CVM-KIND-07", "resource-templates",
           by_server(TEMPLATES, kind=11319), TEMPLATES, "Basic"),
    parsed("prompts", "a prompts announcement", "CVM-KIND-08", "prompts", by_server(PROMPTS, kind=11320), PROMPTS,
           "Basic"),
    refused("kind-addressable", "kind 31316 is of other revisions", "CVM-KIND-04",
            by_server(SERVER_INFO, ["d", "server-1"], kind=31316), "wrong_kind", "WrongKind"),
    refused("kind-message", "a message is no announcement", "CVM-KIND-04", by_client(CALL, TO_SERVER), "wrong_kind",
            "WrongKind"),
    refused("server-not-json", "a server announcement that is not JSON", "CVM-BODY-01",
            by_server("hello", kind=11316), "invalid_json", "MalformedBody"),
    refused("tools-array", "a tools announcement that is a bare array of tools", "CVM-BODY-11",
            by_server(TOOLS["tools"], kind=11317), "malformed_body", "MalformedBody"),
    refused("resources-with-tools", "a list of tools in the kind of resources", "CVM-BODY-11",
            by_server(TOOLS, kind=11318), "malformed_body", "MalformedBody"),
    refused("prompts-object", "a prompts announcement whose prompts are an object", "CVM-BODY-11",
            by_server({"prompts": {}}, kind=11320), "malformed_body", "MalformedBody"),
)  # fmt: skip
