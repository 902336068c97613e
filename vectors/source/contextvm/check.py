"""ContextVM: which requirements an event breaks."""

from __future__ import annotations

from typing import Any

from vectors.source.contextvm.examples import (
    ACCEPTED,
    ALICE,
    BOB,
    CALL,
    CALL_ANSWER,
    CALL_EVENT,
    DEMAND,
    GATE,
    INITIALIZE,
    INITIALIZE_ANSWER,
    INITIALIZE_EVENT,
    INITIALIZED,
    LIST_ANSWER,
    LIST_EVENT,
    PMI,
    PRICE,
    PRICED_LIST_ANSWER,
    PRICED_LIST_AS_PRINTED,
    PRINTED_WITHOUT_JSONRPC,
    PROMPTS,
    REJECTED,
    RESOURCES,
    REVISION,
    SERVER_INFO,
    SERVER_TAGS,
    TEMPLATES,
    TO_CALL,
    TO_CLIENT,
    TO_INITIALIZE,
    TO_LIST,
    TO_SERVER,
    TOOLS,
    UNSUPPORTED_MODE,
    answer,
    by_client,
    by_server,
    note,
    request,
    text,
)
from vectors.source.writing import Note, Suite, acceptable, valid

SUITE = Suite(
    "contextvm/check",
    "ContextVM: the requirements an event breaks",
    "1",
    {
        "Conforming": Note("BASIC", "an event that breaks nothing", "good peers are blamed"),
        "NoJsonrpc": Note("AMBIGUOUS", "CEP-8 prints messages without jsonrpc", "an example of the text is blamed"),
        "Kind": Note("WIRE_SHAPE", "a message in an event of another kind", "no subscription finds it"),
        "MissingTag": Note("MISSING_STEP", "a required tag is missing", "a message reaches nobody"),
        "MalformedTag": Note("MISSING_STEP", "a required tag holds no key or id", "a message reaches nobody"),
        "Body": Note("WIRE_SHAPE", "content that is not the message it has to be", "published SDKs drop it in silence"),
        "Payment": Note("WIRE_SHAPE", "a message about money with a part missing", "nobody can pay"),
        "Price": Note("WIRE_SHAPE", "a price tag that cannot be read", "a client sees no price, or a wrong one"),
        "Announcement": Note("WIRE_SHAPE", "an announcement that is not the bare result", "nobody reads it"),
    },
)


def given(event: Any, answers: str | None) -> dict[str, Any]:
    return {"revision": REVISION, "event": event, "answers": answers}


def good(id: str, title: str, req: str, event: Any, answers: str | None = None, comment: str | None = None) -> Any:
    return valid(f"cvm-check-{id}", title, req, given(event, answers), {"breaches": []}, flags="Conforming",
                 comment=comment)  # fmt: skip


def breach(id: str, title: str, broken: str, event: Any, flags: str, answers: str | None = None) -> Any:
    """The event breaks this one requirement."""
    return valid(f"cvm-check-{id}", title, broken, given(event, answers), {"breaches": [broken]}, flags=flags)


def printed(id: str, title: str, req: str, event: Any, answers: str | None, comment: str) -> Any:
    """An example of CEP-8 to the letter: a breach by the draft specification, none by the example."""
    return acceptable(f"cvm-check-{id}", title, req, given(event, answers), PRINTED_WITHOUT_JSONRPC, flags="NoJsonrpc",
                      comment=comment)  # fmt: skip


def without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: one for name, one in value.items() if name not in names}


def about_call(method: str, params: Any) -> Any:
    return by_server(note(f"notifications/{method}", params), TO_CLIENT, TO_CALL)


def demand(params: Any) -> Any:
    return about_call("payment_required", params)


def priced(*tag: str) -> Any:
    return by_server(PRICED_LIST_ANSWER, TO_CLIENT, TO_LIST, ["cap", *tag])


def announced(kind: int, content: Any, *tags: list[str]) -> Any:
    return by_server(content, *tags, kind=kind)


CALLED = "tools/call"
HUNDRED, TOO_MANY = (
    answer(3, {"completion": {"values": [f"value-{number}" for number in range(most)]}}) for most in (100, 101)
)
CHANGED = note("notifications/tools/list_changed")

SUITE.group(
    "check_event",
    good("completion-hundred", "a completion of 100 values", "CVM-COMP-02", by_server(HUNDRED, TO_CLIENT, TO_CALL),
         "completion/complete", "MCP schema: CompleteResult"),
    good("error-null-id", "an error about content that could not be read has the id null", "CVM-BODY-04 CVM-BODY-07",
         by_server({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}}, TO_CLIENT, TO_CALL),
         None, "JSON-RPC 2.0, Response object: id is null where the request's id could not be read"),
    good("initialize", "an initialize request", "CVM-KIND-01 CVM-BODY-02 CVM-BODY-03 CVM-TAG-05", INITIALIZE_EVENT,
         comment="ctxvm-draft-spec.md: Client Initialization Request"),
    good("initialize-negotiation", "an initialize request that names payment methods and what it reads",
         "CVM-PAY-55 CVM-PAY-70 CVM-FLOW-61",
         by_client(INITIALIZE, TO_SERVER, ["pmi", PMI], ["pmi", "another-payment-method"],
                   ["payment_interaction", "explicit_gating"], ["support_encryption"]),
         comment="cep-8.md: PMI advertisement, with initialization parameters and one more tag"),
    good("initialize-answer", "an initialize response with e only", "CVM-KIND-02 CVM-BODY-04 CVM-TAG-10",
         by_server(INITIALIZE_ANSWER, TO_INITIALIZE), "initialize",
         "ctxvm-draft-spec.md: Server Initialization Response"),
    good("initialize-answer-discovery", "an initialize response with p, e and discovery tags",
         "CVM-TAG-12 CVM-ENC-21 CVM-ANN-52",
         by_server(INITIALIZE_ANSWER, TO_CLIENT, TO_INITIALIZE, *SERVER_TAGS, ["support_encryption"],
                   ["support_encryption_ephemeral"], ["pmi", PMI]), "initialize",
         "cep-4.md: Encryption Support Discovery; cep-19.md: Ephemeral Encryption Support Discovery"),
    good("initialized", "notifications/initialized", "CVM-KIND-03 CVM-BODY-06 CVM-TAG-18",
         by_client(INITIALIZED, TO_SERVER), comment="ctxvm-draft-spec.md: Client Initialized Notification"),
    good("list", "a list request", "CVM-TAG-01 CVM-FLOW-51", LIST_EVENT,
         comment="ctxvm-draft-spec.md: List Request Template"),
    good("list-answer", "a list response with e only", "CVM-TAG-08 CVM-FLOW-51", by_server(LIST_ANSWER, TO_LIST),
         "tools/list", "ctxvm-draft-spec.md: List Response Template"),
    good("list-answer-price", "a list response with a price", "CVM-TAG-23 CVM-PRICE-01 CVM-PRICE-02",
         by_server(PRICED_LIST_ANSWER, TO_LIST, PRICE), "tools/list",
         "cep-8.md: Capability List Responses, with jsonrpc and id"),
    good("list-answer-range", "a list response with a range and another unit", "CVM-PRICE-01 CVM-PRICE-03",
         priced("tool:get_weather", "100-1000", "usd"), "tools/list"),
    good("call", "a tool call", "CVM-TAG-01", CALL_EVENT,
         comment="ctxvm-draft-spec.md: Call Tool Request; cep-4.md: Content Preparation; cep-8.md: Capability request"),
    good("call-answer", "a tool's result with e only", "CVM-TAG-08 CVM-BODY-05 CVM-PAY-61",
         by_server(CALL_ANSWER, TO_CALL), CALLED,
         "ctxvm-draft-spec.md: Call Tool Response; cep-8.md: Capability access"),
    good("error", "an error", "CVM-TAG-08 CVM-BODY-07 CVM-PAY-73", by_server(UNSUPPORTED_MODE, TO_CLIENT, TO_CALL),
         CALLED, "cep-8.md: JSON-RPC error when explicit_gating is unsupported"),
    good("error-payment-gate", "a Payment Required error is an error like any other", "CVM-BODY-07",
         by_server(GATE, TO_CLIENT, TO_CALL), CALLED, "cep-8.md: Payment required error"),
    good("ping", "a ping without params", "CVM-TAG-01 CVM-PING-01", by_server(request(7, "ping"), TO_CLIENT)),
    good("progress", "progress with e", "CVM-NOTE-01 CVM-TAG-13 CVM-TAG-17",
         about_call("progress", {"progressToken": "t1", "progress": 1})),
    good("progress-no-e", "progress without e, which no document asks for", "CVM-NOTE-01 CVM-TAG-17",
         by_server(note("notifications/progress", {"progressToken": "t1", "progress": 1}), TO_CLIENT)),
    good("cancel", "a cancel in MCP's form", "CVM-NOTE-02",
         by_client(note("notifications/cancelled", {"requestId": 2}), TO_SERVER)),
    good("list-changed", "a notification without params", "CVM-TAG-13 CVM-NOTE-03", by_server(CHANGED, TO_CLIENT)),
    good("other-tags", "tags of other revisions and unknown ones break nothing", "CVM-ANN-55",
         by_client(CALL, TO_SERVER, ["s", "server-1"], ["method", "tools/call"], ["x-custom", "1"])),
    good("payment-required", "a demand for payment", "CVM-PAY-01 CVM-PAY-02 CVM-PAY-03 CVM-PAY-06 CVM-PAY-07",
         demand(DEMAND), comment="cep-8.md: Payment required notification, with jsonrpc"),
    good("payment-required-other-method", "a demand by another payment method", "CVM-PAY-02 CVM-PAY-53",
         demand({"amount": 5, "pay_req": "creqAexample", "pmi": "bitcoin-cashu"})),
    good("payment-accepted", "an acknowledgement of payment", "CVM-PAY-03 CVM-PAY-51",
         about_call("payment_accepted", ACCEPTED), comment="cep-8.md: Payment accepted notification, with jsonrpc"),
    good("payment-rejected", "a refusal of payment", "CVM-PAY-03 CVM-PAY-52", about_call("payment_rejected", REJECTED),
         comment="cep-8.md: Payment rejected notification, with jsonrpc"),
    good("server", "a server announcement", "CVM-KIND-04 CVM-BODY-10 CVM-ANN-03 CVM-ANN-04 CVM-ANN-05 CVM-ANN-51",
         announced(11316, SERVER_INFO, *SERVER_TAGS, ["support_encryption"]),
         comment="cep-6.md: Server Announcement Event"),
    good("server-bare", "a server announcement without tags", "CVM-ANN-03 CVM-ANN-51", announced(11316, SERVER_INFO)),
    good("tools", "a tools announcement without tags", "CVM-KIND-05 CVM-BODY-11", announced(11317, TOOLS),
         comment="cep-6.md: Tools List Event Example"),
    good("tools-price", "a tools announcement with a price", "CVM-PRICE-01 CVM-PRICE-04",
         announced(11317, {"tools": PRICED_LIST_ANSWER["result"]["tools"]}, PRICE),
         comment="cep-8.md: Pricing Mechanism, Server Announcements"),
    good("resources", "a resources announcement", "CVM-KIND-06", announced(11318, RESOURCES)),
    good("templates", "a resource templates announcement", "CVM-KIND-07", announced(11319, TEMPLATES)),
    good("prompts", "a prompts announcement", "CVM-KIND-08", announced(11320, PROMPTS)),
    printed("printed-payment-required", "a demand as CEP-8 prints it", "CVM-BODY-06",
            by_server({"method": "notifications/payment_required", "params": DEMAND}, TO_CLIENT, TO_CALL), None,
            "cep-8.md: Payment required notification"),
    printed("printed-list-answer", "a list response as CEP-8 prints it", "CVM-BODY-04",
            by_server(PRICED_LIST_AS_PRINTED, TO_LIST, PRICE), "tools/list", "cep-8.md: Capability List Responses"),
)  # fmt: skip

SUITE.group(
    "check_event",
    breach("kind-request", "a request in kind 5910", "CVM-KIND-01", by_client(CALL, TO_SERVER, kind=5910), "Kind"),
    breach("kind-response", "a response in kind 26910", "CVM-KIND-02",
           by_server(CALL_ANSWER, TO_CLIENT, TO_CALL, kind=26910), "Kind", CALLED),
    breach("kind-notification", "a notification in kind 21316", "CVM-KIND-03",
           by_server(CHANGED, TO_CLIENT, kind=21316), "Kind"),
    breach("call-no-p", "a tool call without p", "CVM-TAG-01", by_client(CALL), "MissingTag"),
    breach("call-p-short", "a tool call whose p is half a key", "CVM-TAG-01", by_client(CALL, ["p", BOB[:32]]),
           "MalformedTag"),
    breach("initialize-no-p", "an initialize request without p", "CVM-TAG-05", by_client(INITIALIZE), "MissingTag"),
    breach("initialized-no-p", "notifications/initialized without p", "CVM-TAG-18", by_client(INITIALIZED),
           "MissingTag"),
    breach("list-changed-no-p", "a notification without p", "CVM-TAG-13", by_server(CHANGED), "MissingTag"),
    breach("list-changed-p-npub", "a notification whose p is no hexadecimal key", "CVM-TAG-13",
           by_server(CHANGED, ["p", "npub1" + ALICE[:58]]), "MalformedTag"),
    breach("answer-no-e", "a response without e", "CVM-TAG-08", by_server(CALL_ANSWER, TO_CLIENT), "MissingTag",
           CALLED),
    breach("answer-e-short", "a response whose e is half an id", "CVM-TAG-08",
           by_server(CALL_ANSWER, TO_CLIENT, ["e", CALL_EVENT["id"][:32]]), "MalformedTag", CALLED),
    breach("error-no-e", "an error without e", "CVM-TAG-08", by_server(UNSUPPORTED_MODE, TO_CLIENT), "MissingTag",
           CALLED),
    breach("initialize-answer-no-e", "an initialize response without e", "CVM-TAG-10",
           by_server(INITIALIZE_ANSWER, TO_CLIENT), "MissingTag", "initialize"),
    breach("not-json", "content that is not JSON", "CVM-BODY-01", by_client("hello", TO_SERVER), "Body"),
    breach("json-string", "content that is a JSON string of a message", "CVM-BODY-01",
           by_client(text(text(CALL)), TO_SERVER), "Body"),
    breach("batch", "content that is an array of requests", "CVM-BODY-01", by_client([CALL], TO_SERVER), "Body"),
    breach("request-no-jsonrpc", "a request without jsonrpc", "CVM-BODY-02",
           by_client(without(CALL, "jsonrpc"), TO_SERVER), "Body"),
    breach("request-old-jsonrpc", "a request of JSON-RPC 1.0", "CVM-BODY-02",
           by_client(CALL | {"jsonrpc": "1.0"}, TO_SERVER), "Body"),
    breach("request-id-null", "a request whose id is null", "CVM-BODY-02", by_client(CALL | {"id": None}, TO_SERVER),
           "Body"),
    breach("request-params-list", "a request whose params are a list", "CVM-BODY-03",
           by_client(CALL | {"params": ["get_weather"]}, TO_SERVER), "Body"),
    breach("request-method-number", "a request whose method is a number", "CVM-BODY-03",
           by_client(CALL | {"method": 5}, TO_SERVER), "Body"),
    breach("response-no-jsonrpc", "a response without jsonrpc", "CVM-BODY-04",
           by_server(without(CALL_ANSWER, "jsonrpc"), TO_CLIENT, TO_CALL), "Body", CALLED),
    breach("response-no-id", "a response without id", "CVM-BODY-04",
           by_server(without(CALL_ANSWER, "id"), TO_CLIENT, TO_CALL), "Body", CALLED),
    breach("response-hoisted", "a response whose result stands at the root", "CVM-BODY-05",
           by_server(without(CALL_ANSWER, "result") | CALL_ANSWER["result"], TO_CLIENT, TO_CALL), "Body", CALLED),
    breach("notification-no-jsonrpc", "a notification without jsonrpc", "CVM-BODY-06",
           by_server(without(CHANGED, "jsonrpc"), TO_CLIENT), "Body"),
    breach("error-code-text", "an error whose code is a string", "CVM-BODY-07",
           by_server({"jsonrpc": "2.0", "id": 2, "error": {"code": "-32603", "message": "no"}}, TO_CLIENT, TO_CALL),
           "Body", CALLED),
    breach("error-no-message", "an error without a message", "CVM-BODY-07",
           by_server({"jsonrpc": "2.0", "id": 2, "error": {"code": -32603}}, TO_CLIENT, TO_CALL), "Body", CALLED),
    breach("two-outcomes", "a response with a result and an error", "CVM-BODY-09",
           by_server(answer(2, {}) | {"error": {"code": -32603, "message": "no"}}, TO_CLIENT, TO_CALL), "Body", CALLED),
    breach("progress-no-token", "progress without a token", "CVM-NOTE-01", about_call("progress", {"progress": 1}),
           "Body"),
    breach("payment-no-e", "a demand about no request", "CVM-PAY-03",
           by_server(note("notifications/payment_required", DEMAND), TO_CLIENT), "Payment"),
    breach("payment-no-p", "a demand for nobody", "CVM-PAY-06",
           by_server(note("notifications/payment_required", DEMAND), TO_CALL), "Payment"),
    breach("payment-no-amount", "a demand without an amount", "CVM-PAY-02", demand(without(DEMAND, "amount")),
           "Payment"),
    breach("payment-amount-text", "a demand whose amount is a string", "CVM-PAY-02", demand(DEMAND | {"amount": "100"}),
           "Payment"),
    breach("payment-no-pay-req", "a demand without a payment request", "CVM-PAY-02", demand(without(DEMAND, "pay_req")),
           "Payment"),
    breach("payment-no-pmi", "a demand without a payment method", "CVM-PAY-02", demand(without(DEMAND, "pmi")),
           "Payment"),
    breach("payment-pmi-spelling", "a demand whose payment method has capitals and blanks", "CVM-PAY-02",
           demand(DEMAND | {"pmi": "Bitcoin Lightning"}), "Payment"),
    breach("payment-accepted-no-e", "an acknowledgement of payment about no request", "CVM-PAY-03",
           by_server(note("notifications/payment_accepted", ACCEPTED), TO_CLIENT), "Payment"),
    breach("payment-accepted-no-amount", "an acknowledgement of payment without an amount", "CVM-PAY-51",
           about_call("payment_accepted", without(ACCEPTED, "amount")), "Payment"),
    breach("payment-rejected-no-e", "a refusal of payment about no request", "CVM-PAY-03",
           by_server(note("notifications/payment_rejected", REJECTED), TO_CLIENT), "Payment"),
    breach("payment-rejected-no-pmi", "a refusal of payment without a payment method", "CVM-PAY-52",
           about_call("payment_rejected", without(REJECTED, "pmi")), "Payment"),
    breach("completion-many", "a completion of 101 values", "CVM-COMP-02", by_server(TOO_MANY, TO_CLIENT, TO_CALL), "Body",
           "completion/complete"),
    valid("cvm-check-call-no-p-no-jsonrpc", "a call without p and without jsonrpc", "CVM-BODY-02 CVM-TAG-01",
          given(by_client(without(CALL, "jsonrpc")), None), {"breaches": ["CVM-BODY-02", "CVM-TAG-01"]},
          flags="MissingTag"),
    breach("price-bare", "a cap tag without a price", "CVM-PRICE-01", priced("tool:get_weather"), "Price", "tools/list"),
    breach("price-no-prefix", "a price for a bare name", "CVM-PRICE-02", priced("get_weather", "100", "sats"), "Price",
           "tools/list"),
    breach("price-other-prefix", "a price for a capability of no known type", "CVM-PRICE-02",
           priced("topic:get_weather", "100", "sats"), "Price", "tools/list"),
    breach("price-word", "a price that is a word", "CVM-PRICE-01", priced("tool:get_weather", "free", "sats"), "Price",
           "tools/list"),
    breach("price-fraction", "a price with a fraction", "CVM-PRICE-01", priced("tool:get_weather", "0.5", "usd"),
           "Price", "tools/list"),
    breach("price-half-range", "a range without an end", "CVM-PRICE-01", priced("tool:get_weather", "100-", "sats"),
           "Price", "tools/list"),
    breach("price-no-unit", "a price without a unit", "CVM-PRICE-01", priced("tool:get_weather", "100"), "Price",
           "tools/list"),
    breach("announced-price-no-prefix", "an announced price for a bare name", "CVM-PRICE-02",
           announced(11317, TOOLS, ["cap", "get_weather", "100", "sats"]), "Price"),
    breach("server-wrapped", "a server announcement inside a JSON-RPC response", "CVM-BODY-10",
           announced(11316, answer(1, SERVER_INFO)), "Announcement"),
    breach("server-no-info", "a server announcement without serverInfo", "CVM-ANN-05",
           announced(11316, without(SERVER_INFO, "serverInfo")), "Announcement"),
    breach("server-not-json", "a server announcement that is not JSON", "CVM-BODY-01", announced(11316, "hello"),
           "Announcement"),
    breach("tools-wrapped", "a tools announcement inside a JSON-RPC response", "CVM-BODY-11",
           announced(11317, answer(1, TOOLS)), "Announcement"),
)  # fmt: skip

# What is told apart by one member or value.
SUITE.group(
    "check_event",
    breach("notification-id", "a notification with an id", "CVM-BODY-06", by_client(INITIALIZED | {"id": 5}, TO_SERVER),
           "Body"),
    good("request-more", "a member that nobody knows beside those of a request", "CVM-BODY-51",
         by_client(CALL | {"x-trace": 1}, TO_SERVER)),
    good("request-other-method-tag", "a method tag is of other revisions and says nothing here", "CVM-BODY-03",
         by_client(CALL, TO_SERVER, ["method", "tools/list"])),
    breach("result-null-id", "a result whose id is null", "CVM-BODY-04",
           by_server({"jsonrpc": "2.0", "id": None, "result": {}}, TO_CLIENT, TO_CALL), "Body"),
    breach("error-no-id", "an error without an id", "CVM-BODY-04",
           by_server({"jsonrpc": "2.0", "error": {"code": -32700, "message": "no"}}, TO_CLIENT, TO_CALL), "Body"),
    breach("payment-method-mark", "a payment method with an exclamation mark", "CVM-PAY-02",
           demand(DEMAND | {"pmi": "bitcoin!"}), "Payment"),
    good("price-prompt", "the price of a prompt", "CVM-PRICE-02", priced("prompt:code_review", "100", "sats"), "tools/list"),
    good("price-resource", "the price of a resource", "CVM-PRICE-02", priced("resource:file:///a", "100", "sats"), "tools/list"),
    breach("price-bare-tag", "a cap tag with nothing in it", "CVM-PRICE-01", priced(), "Price", "tools/list"),
    breach("price-two-hyphens", "a price of three numbers", "CVM-PRICE-01", priced("tool:get_weather", "1-2-3", "sats"),
           "Price", "tools/list"),
    breach("tools-no-list", "a tools announcement without a list of tools", "CVM-BODY-11", announced(11317, {}),
           "Announcement"),
    valid("cvm-check-price-name-alone", "a cap tag with a name alone has neither a price nor a type",
          "CVM-PRICE-01 CVM-PRICE-02", given(priced("get_weather"), "tools/list"),
          {"breaches": ["CVM-PRICE-01", "CVM-PRICE-02"]}, flags="Price"),
    breach("server-least-on-tools-kind", "the least that an initialize result holds, on the kind of tools", "CVM-KIND-04",
           announced(11317, without(INITIALIZE_ANSWER["result"], "instructions")), "Kind"),
    breach("server-on-tools-kind", "a server announcement on the kind of tools", "CVM-KIND-04",
           announced(11317, INITIALIZE_ANSWER["result"]), "Kind"),
)  # fmt: skip
