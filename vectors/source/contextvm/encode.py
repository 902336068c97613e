"""ContextVM: a JSON-RPC message becomes an event of kind 25910."""

from __future__ import annotations

from typing import Any

from vectors.source.contextvm.examples import (
    ACCEPTED,
    ALICE,
    BOB,
    CALL,
    CALL_ANSWER,
    CALL_EVENT,
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
    PROMPTS,
    REJECTED,
    RESOURCES,
    REVISION,
    TO_CALL,
    TO_CLIENT,
    TO_INITIALIZE,
    TO_LIST,
    TO_SERVER,
    UNSUPPORTED_MODE,
    answer,
    by_server,
    note,
    request,
    text,
)
from vectors.source.writing import Note, Suite, invalid, valid

SUITE = Suite(
    "contextvm/encode",
    "ContextVM: messages to events",
    "1",
    {
        "Example": Note("BASIC", "an example of the documents", "nothing works"),
        "Basic": Note("BASIC", "a message that the documents describe without an example", "a feature does not work"),
        "Correlation": Note("WIRE_SHAPE", "a message about a request names its event", "answers reach nobody"),
        "Discovery": Note("WIRE_SHAPE", "tags that say what the sender can read", "peers never learn to encrypt"),
        "Price": Note("WIRE_SHAPE", "prices in tags", "a client sees no price, or another capability's"),
        "Payment": Note("WIRE_SHAPE", "messages about money", "nobody can pay, or the wrong thing is paid"),
        "Verbatim": Note("MALLEABILITY", "whatever MCP puts in a message travels unchanged", "data is lost on the way"),
        "NotCarried": Note("MISSING_STEP", "a message that this revision has no words for", "another sum is paid"),
    },
)

CALLED = {"event_id": CALL_EVENT["id"], "method": "tools/call"}
CALLED_2 = CALLED | {"id": 2}
LISTED = {"event_id": LIST_EVENT["id"], "method": "tools/list"}
BOTH_FLAGS = [["support_encryption"], ["support_encryption_ephemeral"]]
DEMANDED = {"amount": 100, "currency": "sats", "invoice": INVOICE}


def given(message: Any, role: str, request: Any, prices: list[Any], encryption: bool) -> dict[str, Any]:
    sender, recipient = (ALICE, BOB) if role == "client" else (BOB, ALICE)
    return {
        "revision": REVISION, "message": message, "sender": {"role": role, "pubkey": sender}, "recipient": recipient,
        "server_id": None, "request": request, "prices": prices, "encryption": encryption, "created_at": NOW,
    }  # fmt: skip


def sent(
    id: str,
    title: str,
    req: str,
    role: str,
    message: Any,
    tags: list[list[str]],
    optional: list[list[str]],
    flags: str,
    comment: str | None = None,
    *,
    about: Any = None,
    prices: tuple[Any, ...] = (),
    encryption: bool = False,
    content: Any = None,
    level: str = "MUST",
) -> Any:
    """The message becomes an event with these tags, some of which a sender may leave out."""
    author = ALICE if role == "client" else BOB
    event = {"pubkey": author, "created_at": NOW, "kind": 25910, "tags": tags, "content": text(content or message)}
    return valid(f"cvm-encode-{id}", title, req, given(message, role, about, list(prices), encryption),
                 {"event": event, "optional_tags": optional}, compare="event", flags=flags, comment=comment,
                 level=level)  # fmt: skip


def price(type: str, capability: str, amount: str) -> dict[str, str]:
    return {"type": type, "capability": capability, "amount": amount, "unit": "sats"}


def not_carried(id: str, title: str, params: dict[str, Any], req: str = "CVM-PAY-02") -> Any:
    message = note("notifications/payment_required", params)
    return invalid(f"cvm-encode-{id}", title, req, given(message, "server", CALLED_2, [], False),
                   "not_carried", flags="NotCarried")  # fmt: skip


HUNDRED, TOO_MANY = (
    answer(3, {"completion": {"values": [f"value-{number}" for number in range(most)]}}) for most in (100, 101)
)
COMPLETED = {"event_id": CALL_EVENT["id"], "method": "completion/complete"}
PING_EVENT = by_server(request(7, "ping"), TO_CLIENT)
COMPLETE = request(3, "completion/complete", {
    "ref": {"type": "ref/prompt", "name": "summary"}, "argument": {"name": "language", "value": "py"},
})  # fmt: skip
RICH = request("b3f0", "tools/call", {
    "name": "count", "arguments": {"n": 9007199254740991, "text": "é \u2028 \"", "none": None, "cap": [["x"]]},
    "_meta": {"progressToken": 0, "example.com/trace": {"depth": [1, [2, {}]]}},
})  # fmt: skip

SUITE.group(
    "encode_message",
    sent("initialize", "an initialize request names the server's key",
         "CVM-KIND-01 CVM-BODY-01 CVM-BODY-02 CVM-BODY-03 CVM-TAG-05 CVM-INIT-01", "client", INITIALIZE, [TO_SERVER],
         [], "Example", "ctxvm-draft-spec.md: Client Initialization Request"),
    sent("initialize-encryption", "a client that reads wraps says so with its first request",
         "CVM-TAG-05 CVM-FLOW-61", "client", INITIALIZE, [TO_SERVER, *BOTH_FLAGS], BOTH_FLAGS, "Discovery",
         encryption=True, level="SHOULD"),
    sent("initialize-answer", "an initialize response names the request event",
         "CVM-KIND-02 CVM-BODY-04 CVM-BODY-05 CVM-TAG-10", "server", INITIALIZE_ANSWER, [TO_CLIENT, TO_INITIALIZE],
         [TO_CLIENT], "Example Correlation", "ctxvm-draft-spec.md: Server Initialization Response",
         about={"event_id": INITIALIZE_EVENT["id"], "method": "initialize"}),
    sent("initialize-answer-encryption", "a server that reads wraps may say so with its initialize response",
         "CVM-TAG-10 CVM-TAG-12 CVM-ENC-04 CVM-ENC-21", "server", INITIALIZE_ANSWER,
         [TO_CLIENT, TO_INITIALIZE, *BOTH_FLAGS], [TO_CLIENT, *BOTH_FLAGS], "Discovery",
         "cep-4.md: Encryption Support Discovery; cep-19.md: Ephemeral Encryption Support Discovery",
         about={"event_id": INITIALIZE_EVENT["id"], "method": "initialize"}, encryption=True),
    sent("initialized", "notifications/initialized names the server's key", "CVM-KIND-03 CVM-BODY-06 CVM-TAG-18",
         "client", INITIALIZED, [TO_SERVER], [], "Example", "ctxvm-draft-spec.md: Client Initialized Notification"),
    sent("list", "a list request names the server's key and carries its cursor", "CVM-TAG-01 CVM-FLOW-51",
         "client", LIST, [TO_SERVER], [], "Example", "ctxvm-draft-spec.md: List Request Template"),
    sent("list-answer", "a list response names the request event and carries the next cursor",
         "CVM-TAG-08 CVM-BODY-04 CVM-BODY-05 CVM-FLOW-51", "server", LIST_ANSWER, [TO_CLIENT, TO_LIST], [TO_CLIENT],
         "Example Correlation", "ctxvm-draft-spec.md: List Response Template", about=LISTED),
    sent("call", "a tool call names the server's key", "CVM-KIND-01 CVM-TAG-01", "client", CALL, [TO_SERVER], [],
         "Example", "ctxvm-draft-spec.md: Call Tool Request; cep-8.md: Capability request"),
    sent("call-answer", "a tool's result names the request event", "CVM-TAG-08 CVM-BODY-05 CVM-PAY-61", "server",
         CALL_ANSWER, [TO_CLIENT, TO_CALL], [TO_CLIENT], "Example Correlation",
         "ctxvm-draft-spec.md: Call Tool Response; cep-8.md: Capability access", about=CALLED),
    sent("call-failed", "a tool's failure is a result", "CVM-BODY-05 CVM-BODY-51", "server",
         answer(2, {"content": [{"type": "text", "text": "no such place"}], "isError": True}), [TO_CLIENT, TO_CALL],
         [TO_CLIENT], "Verbatim", about=CALLED),
    sent("error", "an error names the request event", "CVM-TAG-08 CVM-BODY-07 CVM-PAY-73", "server",
         UNSUPPORTED_MODE, [TO_CLIENT, TO_CALL], [TO_CLIENT], "Example Correlation",
         "cep-8.md: JSON-RPC error when explicit_gating is unsupported", about=CALLED),
    sent("verbatim", "ids, numbers, _meta and text of a request travel unchanged", "CVM-BODY-51 CVM-BODY-02", "client",
         RICH, [TO_SERVER], [], "Verbatim"),
    sent("ping", "a server's ping names the client's key", "CVM-TAG-01 CVM-PING-01", "server", request(7, "ping"),
         [TO_CLIENT], [], "Basic"),
    sent("ping-answer", "a client answers a ping with an empty result", "CVM-TAG-08 CVM-PING-01", "client",
         answer(7, {}), [TO_SERVER, ["e", PING_EVENT["id"]]], [TO_SERVER], "Basic Correlation",
         about={"event_id": PING_EVENT["id"], "method": "ping"}),
    sent("completion", "a completion request is a request like any other", "CVM-TAG-01 CVM-COMP-01", "client",
         COMPLETE, [TO_SERVER], [], "Basic"),
    sent("completion-hundred", "a completion of 100 values is sent", "CVM-COMP-02", "server", HUNDRED,
         [TO_CLIENT, TO_CALL], [TO_CLIENT], "Basic", "MCP schema: CompleteResult", about=COMPLETED),
    invalid("cvm-encode-completion-many", "a completion of 101 values is not sent", "CVM-COMP-02",
            given(TOO_MANY, "server", COMPLETED, [], False), "malformed_body", flags="NotCarried",
            comment="MCP schema: CompleteResult, not more than 100 items"),
    sent("list-changed", "a server's notification names the client's key", "CVM-KIND-03 CVM-TAG-13 CVM-NOTE-03",
         "server", note("notifications/tools/list_changed"), [TO_CLIENT], [], "Basic"),
    sent("progress", "progress is MCP's", "CVM-NOTE-01 CVM-TAG-13 CVM-TAG-17", "server",
         note("notifications/progress", {"progressToken": "t1", "progress": 1, "total": 4, "message": "asking"}),
         [TO_CLIENT, TO_CALL], [TO_CALL], "Basic Correlation", about=CALLED_2),
    sent("cancel", "a cancel is MCP's", "CVM-NOTE-02 CVM-TAG-13 CVM-TAG-17", "client",
         note("notifications/cancelled", {"requestId": 2, "reason": "too slow"}), [TO_SERVER, TO_CALL], [TO_CALL],
         "Basic Correlation", about=CALLED_2),
    sent("list-answer-price", "a list response carries the price of a listed tool",
         "CVM-TAG-23 CVM-PRICE-01 CVM-PRICE-02", "server", PRICED_LIST_ANSWER, [TO_CLIENT, TO_LIST, PRICE],
         [TO_CLIENT], "Example Price", "cep-8.md: Capability List Responses, with jsonrpc and id", about=LISTED,
         prices=(price("tool", "get_weather", "100"),)),
    sent("list-answer-other-prices", "a list of tools carries no price of a prompt or resource",
         "CVM-TAG-23 CVM-PRICE-53", "server", PRICED_LIST_ANSWER, [TO_CLIENT, TO_LIST, PRICE], [TO_CLIENT], "Price",
         about=LISTED, prices=(price("prompt", "summary", "5"), price("tool", "get_weather", "100"),
                               price("resource", "file:///report.txt", "7"))),
    sent("prompts-answer-range", "a price may be a range, here of a prompt", "CVM-PRICE-01 CVM-PRICE-02 CVM-PRICE-03",
         "server", answer(1, PROMPTS), [TO_CLIENT, TO_LIST, ["cap", "prompt:summary", "100-1000", "sats"]], [TO_CLIENT],
         "Price", about=LISTED | {"method": "prompts/list"}, prices=(price("prompt", "summary", "100-1000"),)),
    sent("resources-answer-price", "a resource's price names its URI", "CVM-PRICE-02 CVM-TAG-23", "server",
         answer(1, RESOURCES), [TO_CLIENT, TO_LIST, ["cap", "resource:file:///report.txt", "7", "sats"]], [TO_CLIENT],
         "Price", about=LISTED | {"method": "resources/list"}, prices=(price("resource", "file:///report.txt", "7"),)),
    sent("payment-required", "a demand names its request, the client, the method and the invoice",
         "CVM-PAY-01 CVM-PAY-02 CVM-PAY-03 CVM-PAY-06 CVM-PAY-07", "server",
         note("notifications/payment_required", DEMANDED | {"description": "Payment for tool execution"}),
         [TO_CLIENT, TO_CALL], [], "Example Payment",
         "cep-8.md: Payment required notification, with jsonrpc, without ttl and _meta", about=CALLED_2,
         content=note("notifications/payment_required", {
             "amount": 100, "pay_req": INVOICE, "pmi": PMI, "description": "Payment for tool execution"})),
    sent("payment-required-plain", "a demand without a description has none on the wire", "CVM-PAY-02 CVM-PAY-07",
         "server", note("notifications/payment_required", DEMANDED), [TO_CLIENT, TO_CALL], [], "Payment",
         about=CALLED_2,
         content=note("notifications/payment_required", {"amount": 100, "pay_req": INVOICE, "pmi": PMI})),
    sent("payment-required-ttl", "the time when a demand ends becomes its time to live in seconds", "CVM-PAY-02 CVM-PAY-07",
         "server", note("notifications/payment_required", DEMANDED | {"expiration": NOW + 600}),
         [TO_CLIENT, TO_CALL], [], "Payment", "cep-8.md: Payment required notification: ttl in seconds", about=CALLED_2,
         content=note("notifications/payment_required", {"amount": 100, "pay_req": INVOICE, "pmi": PMI, "ttl": 600})),
    sent("payment-accepted", "an acknowledgement of payment names its request", "CVM-PAY-03 CVM-PAY-51", "server",
         note("notifications/payment_accepted", ACCEPTED), [TO_CLIENT, TO_CALL], [], "Example Payment",
         "cep-8.md: Payment accepted notification, with jsonrpc", about=CALLED_2),
    sent("payment-rejected", "a refusal of payment names its request", "CVM-PAY-03 CVM-PAY-52", "server",
         note("notifications/payment_rejected", REJECTED), [TO_CLIENT, TO_CALL], [], "Example Payment",
         "cep-8.md: Payment rejected notification, with jsonrpc", about=CALLED_2),
    not_carried("other-invoice", "a demand whose invoice is no BOLT11 invoice of the main network is not sent",
                DEMANDED | {"invoice": "lntb1u1p5exampleinvoice"}),
    not_carried("other-currency", "a demand in another currency is not sent, as the wire names none",
                DEMANDED | {"currency": "usd"}),
)  # fmt: skip

# Demands for payment as MCP servers give them, in either form.
SUITE.group(
    "encode_message",
    sent("payment-required-other-method", "a demand by another method is sent as it is", "CVM-PAY-02", "server",
         note("notifications/payment_required", {"amount": 100, "pay_req": "x", "pmi": "another-method"}),
         [TO_CLIENT, TO_CALL], [], "Payment", about=CALLED_2),
    not_carried("pmi-alone", "a demand that names a payment method and has no payment request is not sent",
                {"amount": 100, "pmi": "another-method"}),
    not_carried("no-currency", "a demand that does not say in what is not sent, as the wire names no currency",
                {"amount": 100, "invoice": INVOICE}, "HOUSE-PAY-05"),
    not_carried("over-now", "a demand that ends in the second in which it is made is not sent",
                DEMANDED | {"expiration": NOW}, "HOUSE-PAY-12"),
    not_carried("expires-text", "a demand that ends at no time is not sent", DEMANDED | {"expiration": "soon"}, "HOUSE-PAY-14"),
    not_carried("no-currency-name", "a demand in a currency without a name is not sent", DEMANDED | {"currency": 5}, "HOUSE-PAY-05"),
)  # fmt: skip
