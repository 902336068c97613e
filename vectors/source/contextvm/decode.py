"""ContextVM: an event becomes a JSON-RPC message again, or is refused."""

from __future__ import annotations

import json
from typing import Any

from vectors.source.contextvm.examples import (
    ACCEPTED,
    ALICE,
    BOB,
    CALL,
    CALL_ANSWER,
    DEMAND,
    GATE,
    INITIALIZE,
    INITIALIZE_ANSWER,
    INITIALIZE_EVENT,
    INITIALIZED,
    INVOICE,
    LIST,
    LIST_ANSWER,
    LIST_EVENT,
    NOW,
    PMI,
    PRICE,
    PRICED_LIST_ANSWER,
    PRICED_LIST_AS_PRINTED,
    PRINTED_WITHOUT_JSONRPC,
    REJECTED,
    REVISION,
    SERVER_TAGS,
    TO_CALL,
    TO_CLIENT,
    TO_INITIALIZE,
    TO_LIST,
    TO_SERVER,
    UNSUPPORTED_MODE,
    answer,
    by_client,
    by_server,
    failure,
    note,
    request,
    text,
)
from vectors.source.writing import Note, Suite, acceptable, invalid, valid

SUITE = Suite(
    "contextvm/decode",
    "ContextVM: events to messages",
    "1",
    {
        "Example": Note("BASIC", "an example of the documents", "nothing works"),
        "Basic": Note("BASIC", "a message that the documents describe without an example", "a feature does not work"),
        "WithRecipient": Note("WIRE_SHAPE", "a response that also names its recipient", "published SDKs are not heard"),
        "ExtraTags": Note("WIRE_SHAPE", "tags that are not about routing", "a peer with a newer feature is not heard"),
        "Verbatim": Note("MALLEABILITY", "whatever MCP puts in a message arrives unchanged", "data is lost on the way"),
        "Payment": Note("WIRE_SHAPE", "messages about money", "nobody can pay, or the wrong thing is paid"),
        "Uncorrelated": Note("AUTH_BYPASS", "a demand for payment about no request", "a wallet pays whoever asks"),
        "NoJsonrpc": Note(
            "AMBIGUOUS", "CEP-8 prints messages without jsonrpc", "a demand is lost between two readings"
        ),
        "TwoReferences": Note("AMBIGUOUS", "a second e tag", "an answer reaches another request"),
        "WrongKind": Note("MISSING_STEP", "an event of another kind", "other revisions' messages are executed"),
        "MissingTag": Note("MISSING_STEP", "a tag that routes the message is missing", "a message for nobody is taken"),
        "MalformedTag": Note("MISSING_STEP", "a tag holds no key or id", "a crash in the read loop"),
        "MalformedBody": Note("MISSING_STEP", "content that is no message", "a crash in the read loop"),
        "Deep": Note("AMBIGUOUS", "arrays nested deeper than any message needs", "a stack overflows in the read loop"),
        "Batch": Note("MISSING_STEP", "several messages in one event", "one answer for many requests"),
        "TwoOutcomes": Note("MISSING_STEP", "a result and an error together", "two readers see different outcomes"),
    },
)


def given(event: dict[str, Any]) -> dict[str, Any]:
    role, pubkey = ("server", BOB) if event["pubkey"] == ALICE else ("client", ALICE)
    return {"revision": REVISION, "event": event, "receiver": {"role": role, "pubkey": pubkey}}


def output(event: dict[str, Any], message: Any) -> dict[str, Any]:
    about = next((tag[1] for tag in event["tags"] if tag[0] == "e"), None)
    return {"message": message, "sender": event["pubkey"], "server_id": None, "request_event_id": about}


def read(id: str, title: str, req: str, event: Any, message: Any, flags: str, comment: str | None = None) -> Any:
    return valid(f"cvm-decode-{id}", title, req, given(event), output(event, message), flags=flags, comment=comment)


def from_client(id: str, title: str, req: str, message: Any, flags: str, comment: str | None = None) -> Any:
    return read(id, title, req, by_client(message, TO_SERVER), message, flags, comment)


def from_server(
    id: str, title: str, req: str, message: Any, tags: list[list[str]], flags: str, comment: str | None = None
) -> Any:
    return read(id, title, req, by_server(message, *tags), message, flags, comment)


def refused(id: str, title: str, req: str, event: Any, error: str, flags: str) -> Any:
    return invalid(f"cvm-decode-{id}", title, req, given(event), error, flags=flags)


def printed(id: str, title: str, req: str, event: Any, message: Any, comment: str) -> Any:
    """An example of CEP-8 to the letter: without jsonrpc, which the draft specification asks for."""
    return acceptable(f"cvm-decode-{id}", title, req, given(event), PRINTED_WITHOUT_JSONRPC,
                      output=output(event, message), error="wrong_jsonrpc", flags="NoJsonrpc",
                      comment=comment)  # fmt: skip


def without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: one for name, one in value.items() if name not in names}


SECOND_E = ["e", LIST_EVENT["id"], "", "root"]
DEMAND_READ = {"amount": 100, "currency": "sats", "invoice": INVOICE, "description": "Payment for tool execution"}
RICH = request("0", "tools/call", {
    "name": "count", "arguments": {"n": 9007199254740991, "text": "é \u2028 \"", "none": None},
    "_meta": {"progressToken": 0, "example.com/trace": [1, [2, {}]]},
})  # fmt: skip

SUITE.group(
    "decode_event",
    from_client("initialize", "an initialize request", "CVM-KIND-01 CVM-BODY-02 CVM-TAG-05", INITIALIZE, "Example",
                "ctxvm-draft-spec.md: Client Initialization Request"),
    from_server("initialize-answer", "an initialize response without p", "CVM-KIND-02 CVM-BODY-04 CVM-TAG-10",
                INITIALIZE_ANSWER, [TO_INITIALIZE], "Example",
                "ctxvm-draft-spec.md: Server Initialization Response"),
    from_client("initialized", "notifications/initialized", "CVM-KIND-03 CVM-BODY-06 CVM-TAG-18", INITIALIZED,
                "Example", "ctxvm-draft-spec.md: Client Initialized Notification"),
    from_client("list", "a list request", "CVM-TAG-01 CVM-FLOW-51", LIST, "Example",
                "ctxvm-draft-spec.md: List Request Template"),
    from_server("list-answer", "a list response without p", "CVM-TAG-08 CVM-FLOW-51", LIST_ANSWER, [TO_LIST],
                "Example", "ctxvm-draft-spec.md: List Response Template"),
    from_client("call", "a tool call", "CVM-TAG-01", CALL, "Example",
                "ctxvm-draft-spec.md: Call Tool Request; cep-4.md: Content Preparation; cep-8.md: Capability request"),
    from_server("call-answer", "a tool's result without p", "CVM-TAG-08 CVM-BODY-05 CVM-PAY-61", CALL_ANSWER, [TO_CALL],
                "Example", "ctxvm-draft-spec.md: Call Tool Response; cep-8.md: Capability access"),
    from_server("call-answer-recipient", "a tool's result with p and e, as published SDKs send it", "CVM-TAG-08",
                CALL_ANSWER, [TO_CLIENT, TO_CALL], "WithRecipient"),
    from_server("error", "an error", "CVM-TAG-08 CVM-BODY-07 CVM-PAY-73", UNSUPPORTED_MODE, [TO_CLIENT, TO_CALL],
                "Example", "cep-8.md: JSON-RPC error when explicit_gating is unsupported"),
    from_server("error-payment-gate", "a Payment Required error arrives as the error it is", "CVM-BODY-07 CVM-BODY-51",
                GATE, [TO_CLIENT, TO_CALL], "Example Verbatim", "cep-8.md: Payment required error (not ours to send)"),
    from_server("error-elicitation", "MCP's own error -32042 arrives as the error it is", "CVM-BODY-07 CVM-BODY-51",
                failure(2, -32042, "URL elicitation required", data={"elicitations": []}), [TO_CLIENT, TO_CALL],
                "Verbatim"),
    from_client("verbatim", "ids, numbers, _meta and text arrive unchanged", "CVM-BODY-51 CVM-BODY-02", RICH,
                "Verbatim"),
    from_client("big-integer", "an integer that no double holds keeps its value", "CVM-BODY-51 HOUSE-JSON-03",
                request(4, "tools/call", {"name": "count", "arguments": {"n": 9007199254740993}}), "Verbatim"),
    from_server("ping", "a server's ping", "CVM-TAG-01 CVM-PING-01", request(7, "ping"), [TO_CLIENT], "Basic"),
    from_server("list-changed", "a server's notification", "CVM-TAG-13 CVM-NOTE-03",
                note("notifications/tools/list_changed"), [TO_CLIENT], "Basic"),
    from_server("progress", "progress about a request is no response", "CVM-NOTE-01 CVM-TAG-17",
                note("notifications/progress", {"progressToken": "t1", "progress": 1, "message": "asking"}),
                [TO_CLIENT, TO_CALL], "Basic"),
    from_server("progress-no-e", "progress without e, as its token names the request", "CVM-NOTE-01 CVM-TAG-17",
                note("notifications/progress", {"progressToken": 0, "progress": 0.5}), [TO_CLIENT], "Basic"),
    from_client("cancel", "a cancel in MCP's form", "CVM-NOTE-02",
                note("notifications/cancelled", {"requestId": 2, "reason": "too slow"}), "Basic"),
    from_server("list-answer-price", "a list response with a price", "CVM-TAG-23", PRICED_LIST_ANSWER, [TO_LIST, PRICE],
                "Example ExtraTags", "cep-8.md: Capability List Responses, with jsonrpc and id"),
    read("initialize-negotiation", "an initialize request that names payment methods",
         "CVM-PAY-55 CVM-PAY-70 CVM-FLOW-61",
         by_client(INITIALIZE, TO_SERVER, ["pmi", PMI], ["pmi", "another-payment-method"],
                   ["payment_interaction", "explicit_gating"]),
         INITIALIZE, "Example ExtraTags", "cep-8.md: PMI advertisement, with initialization parameters"),
    from_server("answer-discovery", "a first response that repeats the announcement's tags and unknown ones",
                "CVM-ANN-52 CVM-ANN-55 CVM-ENC-21", CALL_ANSWER,
                [TO_CLIENT, TO_CALL, *SERVER_TAGS, ["support_encryption"], ["support_encryption_ephemeral"],
                 ["x-custom", "1"]], "ExtraTags"),
    read("other-revision-tags", "s and method tags say nothing here", "CVM-BODY-03 CVM-ANN-51",
         by_client(CALL, TO_SERVER, ["s", "server-1"], ["method", "tools/list"]), CALL, "ExtraTags"),
    read("payment-required", "a demand; its time to live becomes a time, and _meta stays",
         "CVM-PAY-01 CVM-PAY-02 CVM-PAY-03 CVM-PAY-07 CVM-PAY-54",
         by_server(note("notifications/payment_required", DEMAND), TO_CLIENT, TO_CALL),
         note("notifications/payment_required", DEMAND_READ | {"_meta": DEMAND["_meta"], "expiration": NOW + 600}), "Example Payment",
         "cep-8.md: Payment required notification, with jsonrpc"),
    read("payment-required-plain", "a demand with the required members only", "CVM-PAY-02 CVM-PAY-07",
         by_server(note("notifications/payment_required", {"amount": 100, "pay_req": INVOICE, "pmi": PMI}),
                   TO_CLIENT, TO_CALL),
         note("notifications/payment_required", without(DEMAND_READ, "description")), "Payment"),
    from_server("payment-accepted", "an acknowledgement of payment", "CVM-PAY-03 CVM-PAY-51",
                note("notifications/payment_accepted", ACCEPTED), [TO_CLIENT, TO_CALL], "Example Payment",
                "cep-8.md: Payment accepted notification, with jsonrpc"),
    from_server("payment-rejected", "a refusal of payment", "CVM-PAY-03 CVM-PAY-52",
                note("notifications/payment_rejected", REJECTED), [TO_CLIENT, TO_CALL], "Example Payment",
                "cep-8.md: Payment rejected notification, with jsonrpc"),
    printed("printed-payment-required", "a demand as CEP-8 prints it", "CVM-BODY-06 CVM-PAY-02",
            by_server({"method": "notifications/payment_required", "params": without(DEMAND, "ttl", "_meta")},
                      TO_CLIENT, TO_CALL),
            note("notifications/payment_required", DEMAND_READ),
            "cep-8.md: Payment required notification, without ttl and _meta"),
    printed("printed-payment-accepted", "an acknowledgement of payment as CEP-8 prints it", "CVM-BODY-06 CVM-PAY-51",
            by_server({"method": "notifications/payment_accepted", "params": ACCEPTED}, TO_CLIENT, TO_CALL),
            note("notifications/payment_accepted", ACCEPTED), "cep-8.md: Payment accepted notification"),
    printed("printed-payment-rejected", "a refusal of payment as CEP-8 prints it", "CVM-BODY-06 CVM-PAY-52",
            by_server({"method": "notifications/payment_rejected", "params": REJECTED}, TO_CLIENT, TO_CALL),
            note("notifications/payment_rejected", REJECTED), "cep-8.md: Payment rejected notification"),
    printed("printed-list-answer", "a list response as CEP-8 prints it, without an id", "CVM-BODY-04 CVM-TAG-23",
            by_server(PRICED_LIST_AS_PRINTED, TO_LIST, PRICE), PRICED_LIST_ANSWER | {"id": LIST_EVENT["id"]},
            "cep-8.md: Capability List Responses; who accepts takes the request event's id for the missing one"),
    acceptable("cvm-decode-two-e", "a response with a second e, which marks a thread", "CVM-TAG-08",
               given(by_server(CALL_ANSWER, TO_CLIENT, TO_CALL, SECOND_E)), "AMB-152",
               output=output(by_server(CALL_ANSWER, TO_CLIENT, TO_CALL, SECOND_E), CALL_ANSWER), flags="TwoReferences"),
    refused("other-signature", "a call with the signature of another event", "NIP01-SIG-01",
            by_client(CALL, TO_SERVER) | {"sig": by_client(INITIALIZE, TO_SERVER)["sig"]}, "invalid_signature",
            "MalformedBody"),
    refused("kind-response", "kind 26910 is of other revisions", "CVM-KIND-02",
            by_server(CALL_ANSWER, TO_CLIENT, TO_CALL, kind=26910), "wrong_kind", "WrongKind"),
    refused("kind-notification", "kind 21316 is of other revisions", "CVM-KIND-03",
            by_client(INITIALIZED, TO_SERVER, kind=21316), "wrong_kind", "WrongKind"),
    refused("kind-note", "a text note that holds a tool call", "CVM-KIND-01", by_client(CALL, TO_SERVER, kind=1),
            "wrong_kind", "WrongKind"),
    refused("call-no-p", "a request for nobody", "CVM-TAG-01", by_client(CALL), "missing_tag", "MissingTag"),
    refused("initialized-no-p", "notifications/initialized for nobody", "CVM-TAG-18", by_client(INITIALIZED),
            "missing_tag", "MissingTag"),
    refused("answer-no-e", "a response to nothing", "CVM-TAG-08", by_server(CALL_ANSWER, TO_CLIENT), "missing_tag",
            "MissingTag"),
    refused("error-no-e", "an error about nothing", "CVM-TAG-08", by_server(UNSUPPORTED_MODE, TO_CLIENT), "missing_tag",
            "MissingTag"),
    refused("payment-required-no-e", "a demand about no request", "CVM-PAY-03",
            by_server(note("notifications/payment_required", DEMAND), TO_CLIENT), "missing_tag", "Uncorrelated"),
    refused("p-short", "a p tag with half a key", "CVM-TAG-01", by_client(CALL, ["p", BOB[:32]]), "malformed_tag",
            "MalformedTag"),
    refused("e-short", "an e tag with half an id", "CVM-TAG-08",
            by_server(CALL_ANSWER, TO_CLIENT, ["e", INITIALIZE_EVENT["id"][:32]]), "malformed_tag", "MalformedTag"),
    refused("not-json", "content that is not JSON", "CVM-BODY-01", by_client("hello", TO_SERVER), "invalid_json",
            "MalformedBody"),
    refused("json-string", "content that is a JSON string of a message", "CVM-BODY-01",
            by_client(text(text(CALL)), TO_SERVER), "not_a_message", "MalformedBody"),
    refused("no-method", "an object without method, result or error", "CVM-BODY-03",
            by_client(without(CALL, "method"), TO_SERVER), "not_a_message", "MalformedBody"),
    refused("method-number", "a method that is a number", "CVM-BODY-03", by_client(CALL | {"method": 5}, TO_SERVER),
            "malformed_method", "MalformedBody"),
    refused("params-list", "params that are a list", "CVM-BODY-03", by_client(CALL | {"params": ["x"]}, TO_SERVER),
            "malformed_params", "MalformedBody"),
    refused("id-null", "a request whose id is null", "CVM-BODY-02", by_client(CALL | {"id": None}, TO_SERVER),
            "malformed_request_id", "MalformedBody"),
    refused("error-text", "an error that is a string", "CVM-BODY-07",
            by_server({"jsonrpc": "2.0", "id": 2, "error": "no"}, TO_CLIENT, TO_CALL), "malformed_error",
            "MalformedBody"),
    refused("payment-required-no-pay-req", "a demand without a payment request", "CVM-PAY-02",
            by_server(note("notifications/payment_required", without(DEMAND, "pay_req")), TO_CLIENT, TO_CALL),
            "malformed_body", "MalformedBody"),
    refused("batch", "a JSON array of requests", "CVM-BODY-01", by_client([CALL, LIST], TO_SERVER), "batch", "Batch"),
    refused("two-outcomes", "a response with a result and an error", "CVM-BODY-09",
            by_server(answer(2, {}) | {"error": {"code": -32603, "message": "no"}}, TO_CLIENT, TO_CALL),
            "ambiguous_message", "TwoOutcomes"),
)  # fmt: skip

LARGEST = 2**64 - 1


def demanded(**params: Any) -> Any:
    body = {"amount": 100, "pay_req": INVOICE, "pmi": PMI} | params
    return by_server(note("notifications/payment_required", body), TO_CLIENT, TO_CALL)


# What is told apart by one member or value.
SUITE.group(
    "decode_event",
    read("call-no-id", "a message with a method and without an id is a notification, whatever its method",
         "CVM-BODY-02", by_client(without(CALL, "id"), TO_SERVER), without(CALL, "id"), "Verbatim"),
    read("payment-required-free", "a demand for 0 sats", "CVM-PAY-02", demanded(amount=0),
         note("notifications/payment_required", {"amount": 0, "currency": "sats", "invoice": INVOICE}), "Payment"),
    read("payment-required-other-method", "a demand by another method stays as it is", "CVM-PAY-02",
         demanded(pmi="other", pay_req="x"),
         note("notifications/payment_required", {"amount": 100, "pay_req": "x", "pmi": "other"}), "Payment"),
    read("payment-required-largest", "a demand for as many sats as 64 bits hold", "HOUSE-PAY-14", demanded(amount=LARGEST),
         note("notifications/payment_required", {"amount": LARGEST, "currency": "sats", "invoice": INVOICE}), "Payment"),
    read("payment-required-ttl-largest", "a demand that ends at the last second that 64 bits hold", "HOUSE-PAY-14",
         demanded(ttl=LARGEST - NOW),
         note("notifications/payment_required",
              {"amount": 100, "currency": "sats", "invoice": INVOICE, "expiration": LARGEST}), "Payment"),
    refused("payment-required-negative", "a demand for less than nothing", "HOUSE-PAY-14", demanded(amount=-1),
            "malformed_body", "MalformedBody"),
    refused("payment-required-beyond", "a demand for more than 64 bits of sats", "HOUSE-PAY-14",
            demanded(amount=LARGEST + 1), "malformed_body", "MalformedBody"),
    refused("payment-required-ttl-text", "a demand whose time to live is a text", "HOUSE-PAY-14", demanded(ttl="600"),
            "malformed_body", "MalformedBody"),
    refused("payment-required-ttl-past", "a demand that ended before 1970", "HOUSE-PAY-14", demanded(ttl=-NOW - 1),
            "malformed_body", "MalformedBody"),
    refused("answer-e-no-value", "a response whose e has no value", "CVM-TAG-08",
            by_server(CALL_ANSWER, TO_CLIENT, ["e"]), "missing_tag", "MissingTag"),
    refused("result-text", "a result that is a text", "CVM-BODY-05",
            by_server({"jsonrpc": "2.0", "id": 2, "result": "72"}, TO_CLIENT, TO_CALL), "malformed_result",
            "MalformedBody"),
    refused("result-id-fraction", "a result whose id is a fraction", "CVM-BODY-04",
            by_server({"jsonrpc": "2.0", "id": 2.5, "result": {}}, TO_CLIENT, TO_CALL), "malformed_request_id",
            "MalformedBody"),
    refused("error-id-true", "an error whose id is true", "CVM-BODY-04",
            by_server({"jsonrpc": "2.0", "id": True, "error": {"code": -32603, "message": "no"}}, TO_CLIENT, TO_CALL),
            "malformed_request_id", "MalformedBody"),
    refused("error-code-text", "an error whose code is a text", "CVM-BODY-07",
            by_server({"jsonrpc": "2.0", "id": 2, "error": {"code": "-32603", "message": "no"}}, TO_CLIENT, TO_CALL),
            "malformed_error", "MalformedBody"),
    refused("error-no-message", "an error without a message", "CVM-BODY-07",
            by_server({"jsonrpc": "2.0", "id": 2, "error": {"code": -32603}}, TO_CLIENT, TO_CALL), "malformed_error",
            "MalformedBody"),
    refused("params-null", "params that are null", "CVM-BODY-03", by_client(CALL | {"params": None}, TO_SERVER),
            "malformed_params", "MalformedBody"),
    refused("notification-params-text", "a notification whose params are a text", "CVM-BODY-06",
            by_client(INITIALIZED | {"params": "x"}, TO_SERVER), "malformed_params", "MalformedBody"),
    refused("notification-method-null", "a message whose method is null and that has no id", "CVM-BODY-06",
            by_client({"jsonrpc": "2.0", "method": None}, TO_SERVER), "malformed_method", "MalformedBody"),
    acceptable("cvm-decode-deep", "content of 500 nested arrays", "JSON-PARSE-05",
               given(by_client("[" * 500 + "]" * 500, TO_SERVER)), "AMB-08", error="too_deep", flags="Deep"),
    acceptable("cvm-decode-deep-member", "a member of 500 nested arrays", "JSON-PARSE-05",
               given(by_client(CALL | {"x": json.loads("[" * 500 + "]" * 500)}, TO_SERVER)), "AMB-08", error="too_deep",
               flags="Deep"),
)  # fmt: skip
