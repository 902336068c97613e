"""Senders that put a message on the wire in another form than their revision's."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from nostrmcp.conformance.operations import Value
from nostrmcp.nostr import ErrorClass, PublicKey, nip19
from nostrmcp.revisions.model import (
    CancelForm,
    Envelope,
    Kinds,
    Loss,
    PaymentForm,
    PriceForm,
    ProgressForm,
    Revision,
)
from nostrmcp.translate import body as bodies
from tests.zoo.member import Operations, patched, reading
from tests.zoo.revisions_layer.making import (
    DVMCP,
    ONE_KIND,
    WHOLE,
    Wire,
    add,
    drop,
    is_notification,
    is_request,
    is_response,
    lenient,
    mapped,
    member,
    method_of,
    put,
    refusing,
    rename,
    saying,
    sending,
    tabled,
    with_rules,
    within,
    without,
)

PAYMENT = "notifications/payment_required"
ANOTHER_ID = "5f" * 32


def enveloped(envelope: Envelope) -> Operations:
    """Content in one envelope, whatever the revision's."""

    def change(revision: Revision) -> Revision:
        losses = revision.losses - {Loss.REQUEST_IDS}
        losses |= set() if envelope is Envelope.JSONRPC else {Loss.REQUEST_IDS}
        conforming = revision.conforming_envelopes | {envelope}
        tolerated = revision.tolerated_envelopes | {envelope}
        return replace(
            revision, envelope=envelope, losses=losses, conforming_envelopes=conforming, tolerated_envelopes=tolerated
        )

    return tabled("encode_message", change)


def kinds(request: int, response: int, notification: int) -> Operations:
    def change(revision: Revision) -> Revision:
        old = revision.kinds
        return replace(revision, kinds=Kinds(request, response, notification, old.announcements, old.wraps))

    return tabled("encode_message", change)


def ruled(change: Any) -> Operations:
    """Other rules for tags."""
    return tabled("encode_message", lambda revision: with_rules(revision, change))


def only_if(test: Any, change: Any) -> Operations:
    """Events that are changed where the message fits a test."""

    def changed(given: Value, event: Wire) -> None:
        if test(given):
            change(given, event)

    return sending(changed)


def said_if(test: Any, change: Any) -> Operations:
    """Content that is changed where the message fits a test."""
    return saying(lambda given, value: change(given, value) if test(given) else value)


def is_method(*methods: str) -> Any:
    return lambda given: given["message"].get("method") in methods


def is_error(given: Value) -> bool:
    return "error" in given["message"]


def is_result(given: Value) -> bool:
    return "result" in given["message"]


def answers_initialize(given: Value) -> bool:
    return is_response(given) and method_of(given) == "initialize"


def is_list_result(given: Value) -> bool:
    return is_result(given) and method_of(given).endswith("/list")


def payment_by_tags(given: Value, event: Wire) -> bool:
    return given["message"].get("method") == PAYMENT and event["content"] == ""


def with_id(value: Any, change: Any) -> Any:
    return {**value, "id": change(value["id"])} if type(value) is dict and "id" in value else value


def to_number(given: Any) -> Any:
    return int(given) if type(given) is str and given.isdigit() else given


def to_text(given: Any) -> Any:
    return str(given) if type(given) is int else given


def as_double(value: Any) -> Any:
    """As JavaScript has numbers."""
    return mapped(value, lambda one: int(float(one)) if type(one) is int else one)


def as_float(value: Any) -> Any:
    return mapped(value, lambda one: float(one) if type(one) is int and abs(one) >= 2**31 else one)


def split_amount(given: Value, event: Wire) -> None:
    if payment_by_tags(given, event):
        amount, invoice = next(tag[1:] for tag in event["tags"] if tag[0] == "amount")
        put(event, "amount", amount, "sats")
        event["tags"].append(["invoice", invoice])


def milli_amount(given: Value, event: Wire) -> None:
    if payment_by_tags(given, event):
        amount, invoice = next(tag[1:] for tag in event["tags"] if tag[0] == "amount")
        put(event, "amount", amount + "000", invoice)


def with_braces(given: Value, event: Wire) -> None:
    if payment_by_tags(given, event):
        event["content"] = "{}"


def with_method_tag(given: Value, event: Wire) -> None:
    if payment_by_tags(given, event):
        add(event, "method", PAYMENT)


def without_status(given: Value, event: Wire) -> None:
    if payment_by_tags(given, event):
        drop(event, "status")


def by_message(given: Value) -> Value | None:
    """A demand in sats, whatever it was in."""
    message = given["message"]
    if message.get("method") != PAYMENT or not given["request"]:
        return None
    params = {**message["params"], "currency": "sats", "invoice": "lnbc10u1zoo"}
    return codec_encode({**given, "message": {**message, "params": params}})


def codec_encode(given: Value) -> Value:
    return patched("encode_message")["encode_message"](given)


def without_request(given: Value) -> Value | None:
    """An event with an e of nothing, then without it."""
    if given["request"] is not None:
        return None
    method = "tools/call"
    event = codec_encode({**given, "request": {"event_id": ANOTHER_ID, "method": method}})["event"]
    drop(event, "e")
    return {"event": event}


def own_text(given: Value) -> Value | None:
    """Whatever a result holds, at the root."""
    if "result" not in given["message"]:
        return None
    event = codec_encode({**given, "message": {**given["message"], "result": {}}})["event"]
    return {"event": {**event, "content": json.dumps(given["message"]["result"])}}


def error_first(given: Value, value: Any) -> Any:
    """`if (response.error)`."""
    result = given["message"].get("result", {})
    return {"error": result["error"]} if result.get("error") else value


def as_npub(given: Value, event: Wire) -> None:
    put(event, "p", nip19.encode(PublicKey(bytes.fromhex(given["recipient"]))))


def price_by_item(given: Value, event: Wire) -> None:
    """A cap for every tool, priced or not."""
    if is_list_result(given):
        for item in given["message"]["result"].get("tools", []):
            add(event, "cap", item["name"])


def sats_only(given: Value, event: Wire) -> None:
    event["tags"] = [[*tag[:3], "sats"] if tag[0] == "cap" and len(tag) > 3 else tag for tag in event["tags"]]


def lowest(given: Value, event: Wire) -> None:
    event["tags"] = [
        [*tag[:2], tag[2].split("-")[0], *tag[3:]] if tag[0] == "cap" and len(tag) > 3 else tag for tag in event["tags"]
    ]


def by_its_name(given: Value, event: Wire) -> None:
    """A priced resource under the name that the list gives it."""
    for item in given["message"].get("result", {}).get("resources", []):
        for tag in event["tags"]:
            if tag[0] == "cap":
                tag[1] = tag[1].replace(item["uri"], item["name"])


def event_id_of(given: Value) -> str:
    return str((given["request"] or {}).get("event_id", ANOTHER_ID))


def named_by_event(given: Value, value: Any) -> Any:
    """A cancel that names the request's event, in whatever member it has."""
    params = {name: event_id_of(given) if name in ("id", "requestId") else one for name, one in value["params"].items()}
    return {**value, "params": params}


def named_by_id(given: Value, value: Any) -> Any:
    """A cancel that keeps the caller's own id."""
    own = given["message"]["params"]["requestId"]
    params = {name: own if name in ("id", "requestId") else one for name, one in value["params"].items()}
    return {**value, "params": params}


def in_params(change: Any) -> Any:
    return lambda given, value: {**value, "params": change(given, value["params"])}


def to_error(given: Value, value: Any) -> Any:
    """A tool that failed, as dvmcp has it: a JSON-RPC error."""
    result = given["message"]["result"]
    if not result.get("isError"):
        return value
    return {"jsonrpc": "2.0", "id": event_id_of(given), "error": {"code": -32000, "message": "failed"}}


def to_result(given: Value, value: Any) -> Any:
    """An error of the protocol as a failed tool."""
    result = {"content": [{"type": "text", "text": given["message"]["error"]["message"]}], "isError": True}
    kept = {name: one for name, one in value.items() if name != "error"}
    return {**kept, "result": result}


def like_jsonrpc(given: Value, value: Any) -> Any:
    return {"jsonrpc": "2.0", "id": event_id_of(given), **value}


def bare_list(given: Value, value: Any) -> Any:
    """The array of items in place of the result."""
    member_name = next(iter(given["message"]["result"]))
    items = given["message"]["result"][member_name]
    return {**value, "result": items} if "result" in value else items


def flag_is_true(given: Value, event: Wire) -> None:
    for tag in event["tags"]:
        if tag[0] == "support_encryption":
            tag[1:] = ["true"]


def null_server(given: Value, event: Wire) -> None:
    """`String(undefined)`."""
    if given["server_id"] is None and not any(tag[0] == "s" for tag in event["tags"]):
        event["tags"].append(["s", "undefined"])


def no_sampling(given: Value) -> bool:
    return given["sender"]["role"] == "server" and is_request(given)


def method_from_params(given: Value, event: Wire) -> None:
    name = (given["message"].get("params") or {}).get("name")
    if name is not None:
        put(event, "method", name)


def mcp_method_tag(given: Value, event: Wire) -> None:
    put(event, "method", given["message"].get("method", ""))


def everywhere_method(given: Value, event: Wire) -> None:
    if not is_response(given) and event["content"]:
        add(event, "method", given["message"]["method"])


def all_priced(given: Value, event: Wire) -> None:
    """Every price the server has, on every list."""
    if is_list_result(given):
        tagged = [tag[1] for tag in event["tags"] if tag[0] == "cap"]
        typed = given["revision"] == "contextvm"
        for price in given["prices"]:
            name = f"{price['type']}:{price['capability']}" if typed else price["capability"]
            if name not in tagged:
                event["tags"].append(["cap", name, price["amount"], price["unit"]])


def invoice_kept(given: Value, value: Any) -> Any:
    return {**value, "params": given["message"]["params"]}


def pay_req(given: Value, value: Any) -> Any:
    params = dict(value["params"])
    params["pay_req"] = params.pop("invoice")
    return {**value, "params": {**params, "pmi": "bitcoin-lightning-bolt11"}}


def completions_cut(given: Value) -> Value:
    completion = given["message"].get("result", {}).get("completion")
    if completion is None:
        return given
    cut = {**completion, "values": completion["values"][:100]}
    return {**given, "message": {**given["message"], "result": {"completion": cut}}}


def ttl_is_time(given: Value, params: Any) -> Any:
    return {**params, "ttl": given["message"]["params"]["expiration"]} if "ttl" in params else params


def d_everywhere(given: Value, event: Wire) -> None:
    if is_response(given) and given["server_id"] is not None:
        add(event, "d", given["server_id"])


CONTROLS = [
    member("encode-control", "A sender without a bug.", sending(lambda given, event: None)),
    member("encode-control-content", "Content is read and written again.", saying(lambda given, value: value)),
    member("encode-control-table", "The tables are copied.", ruled(lambda one, rule: rule)),
]

MEMBERS = [
    # Who and which
    member(
        "encode-answer-without-e",
        "Answers without saying what.",
        only_if(is_response, lambda given, event: drop(event, "e")),
        fails="""
            r1/r1e/r11/ctx-encode-initialize-response r1/r1e-encode-prompts-list-response
            r1/r1e-encode-prompts-get-response r11-encode-complete-response r11/ctx-encode-execution-error
            ctx-encode-priced-tools cvm-encode-initialize-answer cvm-encode-call-answer cvm-encode-list-answer-price
        """,
        passes="r1/r1e/r11-encode-progress r1/r1e/r11-encode-payment ctx-encode-progress cvm-encode-progress",
    ),
    member(
        "encode-wrap-id",
        "Refers to the wrap that the request came in, not to the request (rs-sdk before a38ba2d).",
        sending(lambda given, event: put(event, "e", ANOTHER_ID)),
        fails="""
            r1/r1e/r11/ctx-encode-initialize-response r1-encode-resources-read-response r1-encode-progress
            r1e-encode-tools-call-response r1e-encode-initialize-error r11-encode-complete-example
            r11/cvm-encode-error ctx-encode-priced-prompts ctx-encode-execution-error cvm-encode-initialize-answer
            cvm-encode-prompts-answer-range
        """,
        passes="r1/r1e-encode-tools-call r1/r1e-encode-notification cvm-encode-call ctx-encode-call",
    ),
    member(
        "encode-e-of-json-rpc",
        "Puts the JSON-RPC id of the request into e.",
        only_if(is_response, lambda given, event: put(event, "e", str(given["message"]["id"]))),
        fails="""
            r1/r1e/r11/ctx-encode-initialize-response r1/r1e-encode-prompts-list-response
            r1/r1e-encode-prompts-get-response r11-encode-complete-response r11/ctx-encode-execution-error
            ctx-encode-priced-tools cvm-encode-initialize-answer cvm-encode-call-answer cvm-encode-list-answer-price
        """,
        passes="r1/r1e/r11-encode-progress",
    ),
    member(
        "encode-request-without-p",
        "Publishes requests for whoever listens.",
        only_if(is_request, lambda given, event: drop(event, "p")),
        fails="""
            r1/r1e/r11/ctx/cvm-encode-initialize r1/r1e-encode-prompts-list r1/r1e/ctx-encode-ping r11-encode-call
            r11-encode-complete-resource ctx-encode-list-any-server cvm-encode-list cvm-encode-verbatim
        """,
        passes="cvm-encode-initialized cvm-encode-call-answer",
    ),
    member(
        "encode-notification-without-p",
        "Broadcasts notifications to nobody in particular.",
        only_if(is_notification, lambda given, event: drop(event, "p")),
        fails="""
            r1/r1e-encode-notification r1/r1e-encode-resource-updated r1/cvm-encode-progress
            r1e/r11/ctx/cvm-encode-initialized r11-encode-resources-changed r11-encode-prompts-changed
            ctx-encode-notification-of-request ctx-encode-payment-page cvm-encode-payment-required-plain
        """,
        passes="cvm-encode-call cvm-encode-call-answer r1-encode-payment r1e-encode-payment r11-encode-payment",
    ),
    member(
        "encode-p-is-sender",
        "Names itself in p.",
        sending(lambda given, event: put(event, "p", given["sender"]["pubkey"])),
        fails="""
            r1/r1e/r11/ctx/cvm-encode-initialize r1/r1e-encode-values r1/r1e-encode-notification
            r11-encode-get-response r11-encode-resources-changed ctx-encode-priced-tools ctx-encode-execution-error
            cvm-encode-call-answer cvm-encode-cancel
        """,
        passes="",
    ),
    member(
        "encode-p-npub",
        "Writes p as npub.",
        sending(as_npub),
        fails="""
            r1/r1e/r11/ctx/cvm-encode-initialize r1/r1e-encode-values r1/r1e-encode-notification
            r11-encode-get-response r11-encode-resources-changed ctx-encode-priced-tools ctx-encode-execution-error
            cvm-encode-call-answer cvm-encode-cancel
        """,
        passes="",
    ),
    member(
        "encode-without-s",
        "Never names the server.",
        sending(lambda given, event: drop(event, "s")),
        fails="""
            r1/r1e-encode-tools-list r1-encode-ping r1-encode-resources-changed r1e-encode-tools-call
            r1e-encode-resources-subscribe r11/ctx-encode-initialized r11-encode-list-templates r11-encode-get
            ctx-encode-read ctx-encode-text-initialized
        """,
        passes="r1/r1e-encode-initialize r1/r1e-encode-initialize-any-server r11-encode-ping ctx/cvm-encode-call",
    ),
    member(
        "encode-s-undefined",
        "Names a server that it does not know.",
        within("r1 r1e r11 ctx", sending(null_server)),
        fails="""
            r1/r1e/ctx-encode-initialize-any-server r11-encode-initialize-all r11-encode-ping-no-server
            ctx-encode-list-any-server
        """,
    ),
    member(
        "encode-initialize-without-d",
        "Answers initialize without the server's identifier (SDK at 60ccd55).",
        only_if(answers_initialize, lambda given, event: drop(event, "d")),
        fails="""
            r1/r1e/r11/ctx-encode-initialize-response r11-encode-initialize-completions
            ctx-encode-initialize-response-plain
        """,
    ),
    member(
        "encode-initialize-s-for-d",
        "Answers initialize with s in place of d.",
        only_if(answers_initialize, lambda given, event: rename(event, "d", "s")),
        fails="""
            r1/r1e/r11/ctx-encode-initialize-response r11-encode-initialize-completions
            ctx-encode-initialize-response-plain
        """,
    ),
    member(
        "encode-d-on-every-answer",
        "Puts the server's identifier into every answer.",
        sending(d_everywhere),
        fails="""
            r1/r1e-encode-tools-list-response r1/r1e-encode-prompts-list-response r1/r1e-encode-prompts-get-response
            r11/ctx-encode-list-response r11-encode-complete-error r11-encode-error-parse ctx-encode-priced-resources
            ctx-encode-ping-response
        """,
        passes="r1/r1e/r11-encode-initialize-response r1/r1e-encode-initialize-error",
    ),
    # The method tag
    member(
        "encode-without-method-tag",
        "Never writes a method tag (ContextVM's SDKs under an older revision).",
        sending(lambda given, event: drop(event, "method")),
        fails="""
            r1/r1e/r11/ctx-encode-initialize r1/r1e-encode-prompts-get r1/r1e-encode-resources-changed r11-encode-read
            r11-encode-ping-by-server ctx-encode-initialize-any-server ctx-encode-text-initialize
        """,
        passes="ctx/cvm-encode-call ctx/cvm-encode-initialized",
    ),
    member(
        "encode-method-tag-everywhere",
        "Writes a method tag where the revision has none.",
        within(ONE_KIND, sending(everywhere_method)),
        fails="""
            ctx-encode-initialized ctx-encode-notification-of-request ctx-encode-ping cvm-encode-initialize
            cvm-encode-verbatim cvm-encode-cancel
        """,
        passes="ctx-encode-initialize ctx-encode-call-response cvm-encode-call-answer",
    ),
    member(
        "encode-method-tag-of-tool",
        "Writes the tool's name into the method tag.",
        sending(method_from_params),
        fails="""
            r1/r1e-encode-tools-call r1/r1e-encode-prompts-get r1/r1e-encode-values r11-encode-call r11-encode-get
        """,
    ),
    member(
        "encode-method-tag-of-mcp",
        "Renames a cancel in content and not in its tag.",
        sending(mcp_method_tag),
        fails="r1/r1e/r11-encode-cancel r1/r1e-encode-cancel-text-id",
    ),
    # Kinds
    member(
        "encode-request-on-notification-kind",
        "Sends requests on the kind of notifications.",
        only_if(is_request, lambda given, event: event.update(kind=21316)),
        fails="""
            r1/r1e/r11/ctx/cvm-encode-initialize r1/r1e-encode-prompts-list r1/r1e/ctx-encode-ping r11-encode-call
            r11-encode-complete-resource ctx-encode-list-any-server cvm-encode-list cvm-encode-verbatim
        """,
        passes="r1/r1e-encode-error r1/r1e-encode-notification",
    ),
    member(
        "encode-initialized-on-request-kind",
        "Sends initialized on the kind of requests (dvmcp e105f29).",
        only_if(is_method("notifications/initialized"), lambda given, event: event.update(kind=25910)),
        fails="r1e/r11-encode-initialized",
    ),
    member(
        "encode-notification-on-request-kind",
        "Sends notifications on the kind of requests.",
        only_if(is_notification, lambda given, event: event.update(kind=25910)),
        fails="""
            r1/r1e-encode-notification r1/r1e-encode-resource-updated r1-encode-cancel r1e/r11-encode-progress
            r11-encode-initialized r11-encode-resources-changed
        """,
        passes="r1-encode-tools-call ctx-encode-initialized cvm-encode-initialized",
    ),
    member(
        "encode-response-on-request-kind",
        "Answers on the kind of requests.",
        within("r1e r11", only_if(is_response, lambda given, event: event.update(kind=25910))),
        fails="""
            r1e/r11-encode-initialize-response r1e-encode-prompts-list-response r1e-encode-prompts-get-response
            r11-encode-complete-response r11-encode-execution-error
        """,
        passes="r1e-encode-tools-call r11-encode-call r11-encode-progress",
    ),
    member(
        "encode-ephemeral-kinds",
        "Uses the ephemeral kinds under the revision that has stored ones.",
        within("r1", kinds(25910, 26910, 21316)),
        fails="r1-encode-initialize r1-encode-prompts-get r1-encode-resources-list-response",
        passes="r1-encode-notification r1-encode-payment r1-encode-cancel",
    ),
    member(
        "encode-stored-kinds",
        "Uses the stored kinds under the revisions that have ephemeral ones.",
        within("r1e r11", kinds(5910, 6910, 21316)),
        fails="""
            r1e/r11-encode-initialize r1e-encode-prompts-get r1e-encode-resources-list-response
            r11-encode-read-response r11-encode-pong
        """,
        passes="r1e-encode-notification r11-encode-payment",
    ),
    member(
        "encode-kinds-apart",
        "Uses DVMCP's three kinds under revisions that have one.",
        within(ONE_KIND, kinds(25910, 26910, 21316)),
        fails="""
            ctx-encode-initialize-response ctx-encode-notification-to-client ctx-encode-execution-error
            cvm-encode-initialize-answer cvm-encode-error cvm-encode-list-answer-other-prices
        """,
        passes="ctx-encode-call cvm-encode-call cvm-encode-ping",
    ),
    # The envelope
    member(
        "encode-jsonrpc-kept",
        "Keeps jsonrpc and id where the revision leaves them out.",
        within("r11 ctx", enveloped(Envelope.JSONRPC)),
        fails="""
            r11-encode-initialize r11-encode-get-response r11-encode-resources-changed ctx-encode-text-initialize
            ctx-encode-text-response ctx-encode-text-initialized
        """,
        passes="r11-encode-payment ctx-encode-call ctx-encode-call-response",
    ),
    member(
        "encode-jsonrpc-stripped",
        "Leaves jsonrpc and id out where the revision keeps them (dvmcp at 62d2066).",
        within(WHOLE, enveloped(Envelope.NESTED)),
        fails="""
            r1/r1e/ctx/cvm-encode-initialize r1/r1e-encode-id-zero-text r1-encode-execution-error
            r1e-encode-initialize-error ctx-encode-call ctx-encode-progress cvm-encode-call-answer cvm-encode-cancel
        """,
        passes="r1-encode-payment ctx-encode-text-call ctx-encode-text-response",
    ),
    member(
        "encode-result-nested",
        "Nests results where the revision hoists them (dvmcp at 62d2066).",
        within("r11", enveloped(Envelope.NESTED)),
        fails="r11-encode-initialize-response r11-encode-get-response r11-encode-execution-error",
        passes="r11-encode-call r11-encode-error r11-encode-progress r11-encode-cancel",
    ),
    member(
        "encode-result-hoisted",
        "Hoists results where the revision nests them.",
        within(
            WHOLE,
            said_if(is_result, lambda given, value: {**value, **value.pop("result")}),
        ),
        fails="""
            r1/r1e/ctx-encode-initialize-response r1/r1e-encode-resources-list-response
            r1/r1e-encode-resources-read-response ctx-encode-call-response ctx-encode-priced-prompts
            cvm-encode-initialize-answer cvm-encode-call-answer cvm-encode-list-answer-other-prices
        """,
        passes="r1-encode-tools-call r1-encode-error ctx-encode-error cvm-encode-error",
    ),
    member(
        "encode-error-hoisted",
        "Hoists errors as it hoists results.",
        said_if(is_error, lambda given, value: {**value, **value.pop("error")}),
        fails="""
            r1/r1e/r11/ctx/cvm-encode-error r1/r1e-encode-initialize-error r11-encode-complete-error
            r11-encode-error-request ctx-encode-text-error
        """,
        passes="r11-encode-execution-error",
    ),
    member(
        "encode-error-with-jsonrpc",
        "Keeps jsonrpc and id on errors alone (dvmcp at f79d9a4).",
        within("r11", said_if(is_error, like_jsonrpc)),
        fails="""
            r11-encode-complete-error r11-encode-ping-error r11-encode-error r11-encode-error-parse
            r11-encode-error-request r11-encode-error-resource
        """,
    ),
    member(
        "encode-failure-is-error",
        "Makes a protocol error of a tool that failed (dvmcp).",
        said_if(is_result, to_error),
        fails="r1/r1e/r11/ctx-encode-execution-error cvm-encode-call-failed",
    ),
    member(
        "encode-error-is-failure",
        "Makes a failed tool of a protocol error.",
        said_if(is_error, to_result),
        fails="""
            r1/r1e/r11/ctx/cvm-encode-error r1/r1e-encode-initialize-error r11-encode-complete-error
            r11-encode-error-request ctx-encode-text-error
        """,
        passes="r1/r1e/r11-encode-execution-error",
    ),
    member(
        "encode-error-code",
        "Has one code for every error.",
        said_if(is_error, lambda given, value: {**value, "error": {**value["error"], "code": -32000}}),
        fails="""
            r1/r1e/r11/ctx/cvm-encode-error r1/r1e-encode-initialize-error r11-encode-complete-error
            r11-encode-error-request ctx-encode-text-error
        """,
        passes="r11-encode-execution-error",
    ),
    member(
        "encode-error-data-lost",
        "Sends errors without their data.",
        said_if(is_error, lambda given, value: {**value, "error": without(value["error"], "data")}),
        fails="r11-encode-error-resource cvm-encode-error",
    ),
    member(
        "encode-error-if-truthy",
        "Takes a result with a member `error` for an error.",
        within("r11", saying(error_first)),
        fails="r11-encode-result-error-member",
    ),
    member(
        "encode-hoisted-blindly",
        "Puts a result at the root although it reads as an error there.",
        within("r11", lenient("encode_message", own_text)),
        fails="r11-encode-result-like-error r11-encode-complete-many r11-encode-result-id r11-encode-result-jsonrpc",
    ),
    member(
        "encode-hoisted-timidly",
        "Refuses results that have a member `method` or `error`.",
        within(
            "r11",
            refusing(
                "encode_message",
                ErrorClass.INVALID_JSON,
                lambda given: not given["message"].get("result", {}).keys().isdisjoint({"method", "error"}),
            ),
        ),
        fails="r11-encode-result-method r11-encode-result-error-member r11-encode-result-error-text",
    ),
    member(
        "encode-bare-list",
        "Answers a list request with the array of items.",
        said_if(is_list_result, bare_list),
        fails="""
            r1/r1e-encode-tools-list-response r1/r1e-encode-resources-list-response
            r1/r1e-encode-prompts-list-response r11/ctx-encode-list-response ctx-encode-priced-tools
            ctx-encode-priced-prompts cvm-encode-list-answer cvm-encode-list-answer-price
            cvm-encode-prompts-answer-range
        """,
        passes="r1/r1e-encode-tools-call-response",
    ),
    member(
        "encode-content-object",
        "Puts an object into content, as the examples print it.",
        sending(lambda given, event: event.update(content=json.loads(event["content"] or "{}"))),
        fails="""
            r1/r1e/r11/ctx/cvm-encode-initialize r1/r1e-encode-values r1/r1e-encode-notification
            r11-encode-get-response r11-encode-resources-changed ctx-encode-priced-tools ctx-encode-execution-error
            cvm-encode-call-answer cvm-encode-cancel
        """,
        passes="",
    ),
    member(
        "encode-content-twice",
        "Writes content as JSON twice.",
        saying(lambda given, value: json.dumps(value)),
        fails="""
            r1/r1e/r11/ctx/cvm-encode-initialize r1/r1e-encode-id-zero-text r1/ctx-encode-execution-error
            r1e-encode-initialize-error r11-encode-get-response r11-encode-resources-changed ctx-encode-priced-tools
            cvm-encode-call-answer cvm-encode-cancel
        """,
        passes="r1-encode-payment r1e-encode-payment r11-encode-payment",
    ),
    member(
        "encode-milliseconds",
        "Dates events in milliseconds.",
        sending(lambda given, event: event.update(created_at=event["created_at"] * 1000)),
        fails="""
            r1/r1e/r11/ctx/cvm-encode-initialize r1/r1e-encode-values r1/r1e-encode-notification
            r11-encode-get-response r11-encode-resources-changed ctx-encode-priced-tools ctx-encode-execution-error
            cvm-encode-call-answer cvm-encode-cancel
        """,
        passes="",
    ),
    # Ids and values
    member(
        "encode-id-zero-lost",
        "Tests an id for truth, so that 0 is none.",
        saying(lambda given, value: value if value.get("id") else {k: v for k, v in value.items() if k != "id"}),
        fails="""
            r1/r1e-encode-values ctx/cvm-encode-initialize ctx-encode-initialize-any-server
            ctx-encode-initialize-response ctx-encode-initialize-response-plain cvm-encode-initialize-encryption
            cvm-encode-initialize-answer cvm-encode-initialize-answer-encryption
        """,
    ),
    member(
        "encode-id-to-number",
        "Makes numbers of ids that are digits.",
        saying(lambda given, value: with_id(value, to_number)),
        fails="r1/r1e-encode-id-zero-text",
    ),
    member(
        "encode-id-to-text",
        "Makes texts of ids that are numbers.",
        saying(lambda given, value: with_id(value, to_text)),
        fails="""
            r1/r1e/ctx/cvm-encode-initialize r1/r1e-encode-ping r1/r1e-encode-resources-read-response
            ctx-encode-list-any-server ctx-encode-priced-tools cvm-encode-list-answer cvm-encode-ping-answer
        """,
        passes="r1/r1e-encode-id-zero-text r1/r1e-encode-tools-list cvm-encode-verbatim",
    ),
    member(
        "encode-id-of-event",
        "Gives an answer the event id of its request as id.",
        within(WHOLE, said_if(is_response, lambda given, value: with_id(value, lambda _: event_id_of(given)))),
        fails="""
            r1/r1e/ctx-encode-initialize-response r1/r1e-encode-prompts-list-response
            r1/r1e-encode-prompts-get-response ctx-encode-call-response ctx-encode-priced-prompts
            cvm-encode-initialize-answer cvm-encode-call-answer cvm-encode-list-answer-price
        """,
        passes="r1-encode-tools-call ctx-encode-text-response cvm-encode-call",
    ),
    member(
        "encode-big-integer-rounded",
        "Has numbers as JavaScript has them.",
        saying(lambda given, value: as_double(value)),
        fails="r1/r1e-encode-values",
    ),
    member(
        "encode-big-integer-float",
        "Makes floats of big integers.",
        saying(lambda given, value: as_float(value)),
        fails="r1/r1e-encode-values cvm-encode-verbatim",
    ),
    member(
        "encode-null-lost",
        "Leaves out members that are null.",
        saying(
            lambda given, value: mapped(
                value, lambda one: {k: v for k, v in one.items() if v is not None} if type(one) is dict else one
            )
        ),
        fails="cvm-encode-verbatim",
    ),
    member(
        "encode-meta-lost",
        "Leaves out _meta, which it does not know.",
        saying(lambda given, value: without(value, "_meta")),
        fails="cvm-encode-verbatim cvm-encode-payment-accepted",
    ),
    member(
        "encode-params-always",
        "Writes params where there are none.",
        saying(lambda given, value: {**value, "params": value.get("params", {})} if "method" in value else value),
        fails="""
            r1/r1e/ctx/cvm-encode-ping r1/r1e-encode-tools-changed r1/r1e-encode-prompts-changed
            r11/ctx/cvm-encode-initialized r11-encode-ping-no-server r11-encode-resources-changed
            ctx-encode-notification-to-server cvm-encode-list-changed
        """,
        passes="r1-encode-tools-call cvm-encode-call",
    ),
    member(
        "encode-cursor-lost",
        "Answers one page as if it were all.",
        saying(lambda given, value: without(value, "nextCursor")),
        fails="""
            r1/r1e-encode-tools-list-response r1/r1e-encode-resources-list-response
            r1/r1e-encode-prompts-list-response r11/ctx-encode-list-response ctx-encode-priced-tools
            ctx-encode-text-priced-tools cvm-encode-list-answer cvm-encode-list-answer-price
            cvm-encode-list-answer-other-prices
        """,
    ),
    # Notifications
    member(
        "encode-cancel-passed-through",
        "Sends a cancel under MCP's name where the revision has its own.",
        within(DVMCP, tabled("encode_message", lambda revision: replace(revision, cancel=CancelForm.MCP))),
        fails="r1/r1e/r11-encode-cancel r1/r1e-encode-cancel-text-id",
    ),
    member(
        "encode-cancel-of-dvmcp",
        "Sends DVMCP's cancel where the revision has MCP's.",
        within(ONE_KIND, tabled("encode_message", lambda revision: replace(revision, cancel=CancelForm.SEED))),
        fails="ctx/cvm-encode-cancel ctx-encode-text-cancel",
    ),
    member(
        "encode-cancel-own-id",
        "Names the cancelled request by the caller's id where ids do not travel (both SDKs).",
        within("r11 ctx", said_if(is_method("notifications/cancelled"), named_by_id)),
        fails="r11-encode-cancel ctx-encode-text-cancel",
    ),
    member(
        "encode-cancel-event-id",
        "Names the cancelled request by its event where ids travel.",
        within(WHOLE, said_if(is_method("notifications/cancelled"), named_by_event)),
        fails="r1/r1e/ctx/cvm-encode-cancel r1/r1e-encode-cancel-text-id",
    ),
    member(
        "encode-cancel-without-e",
        "Cancels without e where the revision asks for it.",
        within("ctx", only_if(is_method("notifications/cancelled"), lambda given, event: drop(event, "e"))),
        fails="ctx-encode-cancel ctx-encode-text-cancel",
    ),
    member(
        "encode-cancel-reason-lost",
        "Cancels without giving the reason.",
        said_if(is_method("notifications/cancelled"), in_params(lambda given, params: without(params, "reason"))),
        fails="ctx/cvm-encode-cancel ctx-encode-text-cancel",
    ),
    member(
        "encode-progress-without-e",
        "Tells of progress without e.",
        only_if(is_method("notifications/progress"), lambda given, event: drop(event, "e")),
        fails="r1/r1e/r11/ctx-encode-progress",
    ),
    member(
        "encode-progress-passed-through",
        "Tells of progress without the id that the revision has beside MCP's members.",
        within(DVMCP, tabled("encode_message", lambda revision: replace(revision, progress=ProgressForm.MCP))),
        fails="r1/r1e/r11-encode-progress",
    ),
    member(
        "encode-progress-message-only",
        "Tells of progress by its message (dvmcp).",
        said_if(
            is_method("notifications/progress"),
            in_params(lambda given, params: without(params, "progressToken", "progress", "total")),
        ),
        fails="r1/r1e/r11/ctx/cvm-encode-progress",
    ),
    member(
        "encode-progress-token-replaced",
        "Writes the request's event id in place of the token.",
        said_if(
            is_method("notifications/progress"),
            in_params(lambda given, params: {**params, "progressToken": event_id_of(given)}),
        ),
        fails="r1/r1e/r11/ctx/cvm-encode-progress",
    ),
    member(
        "encode-progress-id-of-json-rpc",
        "Names the request by its JSON-RPC id where ids do not travel.",
        within(
            "r11",
            said_if(
                is_method("notifications/progress"),
                in_params(lambda given, params: {**params, "id": given["request"]["id"]}),
            ),
        ),
        fails="r11-encode-progress",
    ),
    member(
        "encode-no-requests-by-servers",
        "Cannot send a request as a server (the TypeScript SDK).",
        refusing("encode_message", ErrorClass.INVALID_JSON, no_sampling),
        fails="r11-encode-ping-by-server cvm-encode-ping",
    ),
    member(
        "encode-no-answers-by-clients",
        "Cannot answer as a client.",
        refusing(
            "encode_message",
            ErrorClass.INVALID_JSON,
            lambda given: given["sender"]["role"] == "client" and is_response(given),
        ),
        fails="r11-encode-pong-by-client cvm-encode-ping-answer",
    ),
    # Money
    member(
        "encode-payment-split",
        "Demands by amount and unit, with the invoice in a tag of its own (dvmcp).",
        sending(split_amount),
        fails="r1/r1e/r11-encode-payment r1-encode-payment-no-end r1-encode-payment-description",
    ),
    member(
        "encode-payment-braces",
        "Demands with {} as content.",
        sending(with_braces),
        fails="r1/r1e/r11-encode-payment r1-encode-payment-no-end r1-encode-payment-description",
    ),
    member(
        "encode-payment-as-json",
        "Demands in content where the revision has tags.",
        within(DVMCP, tabled("encode_message", lambda revision: replace(revision, payment=PaymentForm.INVOICE))),
        fails="r1/r1e/r11-encode-payment r1-encode-payment-no-end r1-encode-payment-description",
    ),
    member(
        "encode-payment-method-tag",
        "Demands with a method tag.",
        sending(with_method_tag),
        fails="r1/r1e/r11-encode-payment r1-encode-payment-no-end r1-encode-payment-description",
    ),
    member(
        "encode-payment-without-status",
        "Demands without status.",
        sending(without_status),
        fails="r1/r1e/r11-encode-payment r1-encode-payment-no-end r1-encode-payment-description",
    ),
    member(
        "encode-payment-without-e",
        "Demands money for no request.",
        only_if(is_method(PAYMENT), lambda given, event: drop(event, "e")),
        fails="""
            r1/r1e/r11/ctx-encode-payment r1-encode-payment-no-end ctx-encode-payment-page ctx-encode-text-payment
            cvm-encode-payment-required cvm-encode-payment-required-plain cvm-encode-payment-required-ttl
            cvm-encode-payment-required-other-method r1-encode-payment-description
        """,
    ),
    member(
        "encode-payment-in-millisats",
        "Demands thousandfold: millisats for sats.",
        sending(milli_amount),
        fails="r1/r1e/r11-encode-payment r1-encode-payment-no-end r1-encode-payment-description",
    ),
    member(
        "encode-payment-any-currency",
        "Demands any currency as if it were sats.",
        lenient("encode_message", by_message),
        fails="""
            r1/r1e-encode-payment-dollars r1/r1e-encode-payment-millisats r11-encode-payment-usd
            cvm-encode-other-invoice cvm-encode-other-currency cvm-encode-no-currency-name cvm-encode-no-currency
            r1-encode-payment-no-currency
        """,
    ),
    member(
        "encode-payment-invoice",
        "Demands with the draft's names where they are others by now.",
        within("cvm", said_if(is_method(PAYMENT), invoice_kept)),
        fails="cvm-encode-payment-required cvm-encode-payment-required-plain cvm-encode-payment-required-ttl",
    ),
    member(
        "encode-payment-pay-req",
        "Demands with the names that came after the draft.",
        within("ctx", said_if(is_method(PAYMENT), pay_req)),
        fails="ctx-encode-payment ctx-encode-payment-page ctx-encode-text-payment",
    ),
    member(
        "encode-payment-without-method",
        "Demands without naming the payment method.",
        within("cvm", said_if(is_method(PAYMENT), in_params(lambda given, params: without(params, "pmi")))),
        fails="""
            cvm-encode-payment-required cvm-encode-payment-required-plain cvm-encode-payment-required-ttl
            cvm-encode-payment-required-other-method
        """,
    ),
    member(
        "encode-payment-ttl-is-time",
        "Demands with the time of its end as time to live.",
        within("cvm", said_if(is_method(PAYMENT), in_params(ttl_is_time))),
        fails="cvm-encode-payment-required-ttl",
    ),
    member(
        "encode-any-completions",
        "Sends completions of any length.",
        patched("encode_message", (bodies, "MOST_COMPLETIONS", 1000)),
        fails="r11-encode-complete-many ctx/cvm-encode-completion-many",
    ),
    member(
        "encode-fewer-completions",
        "Does not send a completion of 100 values.",
        patched("encode_message", (bodies, "MOST_COMPLETIONS", 99)),
        fails="r11-encode-complete-hundred ctx/cvm-encode-completion-hundred",
    ),
    member(
        "encode-completions-cut",
        "Cuts whatever has a member completion to 100 values, rather than refuse.",
        reading("encode_message", completions_cut),
        fails="r11-encode-complete-many r11-encode-tool-completion ctx/cvm-encode-completion-many",
    ),
    member(
        "encode-payment-uncorrelated",
        "Answers and demands without a request, rather than refuse.",
        lenient("encode_message", without_request),
        fails="ctx-encode-response-without-request ctx-encode-payment-without-request",
    ),
    member(
        "encode-price-bare",
        "Writes prices without the type of the capability.",
        within("cvm", tabled("encode_message", lambda revision: replace(revision, prices=PriceForm.PLAIN))),
        fails="""
            cvm-encode-list-answer-price cvm-encode-list-answer-other-prices cvm-encode-prompts-answer-range
            cvm-encode-resources-answer-price
        """,
    ),
    member(
        "encode-price-typed",
        "Writes prices with a type where the revision has none.",
        within("ctx", tabled("encode_message", lambda revision: replace(revision, prices=PriceForm.TYPED))),
        fails="""
            ctx-encode-priced-tools ctx-encode-priced-resources ctx-encode-priced-prompts ctx-encode-text-priced-tools
        """,
    ),
    member(
        "encode-price-lost",
        "Answers a list request without prices.",
        sending(lambda given, event: drop(event, "cap")),
        fails="""
            ctx-encode-priced-tools ctx-encode-priced-resources ctx-encode-priced-prompts ctx-encode-text-priced-tools
            cvm-encode-list-answer-price cvm-encode-list-answer-other-prices cvm-encode-prompts-answer-range
            cvm-encode-resources-answer-price
        """,
    ),
    member(
        "encode-price-of-everything",
        "Adds every price to every list.",
        sending(all_priced),
        fails="cvm-encode-list-answer-other-prices",
    ),
    member("encode-price-in-sats", "Knows no unit but sats.", sending(sats_only), fails="ctx-encode-priced-resources"),
    member(
        "encode-price-lowest",
        "Writes the lower end of a range.",
        sending(lowest),
        fails="cvm-encode-prompts-answer-range",
    ),
    member(
        "encode-price-by-name",
        "Prices a resource by its name.",
        sending(by_its_name),
        fails="ctx-encode-priced-resources cvm-encode-resources-answer-price",
    ),
    member(
        "encode-cap-for-every-tool",
        "Lists tools without a price in cap tags too.",
        within(ONE_KIND, sending(price_by_item)),
        fails="ctx-encode-list-response cvm-encode-list-answer",
    ),
    # Encryption
    member(
        "encode-encryption-true",
        "Says support_encryption with the value true where its presence speaks.",
        sending(flag_is_true),
        fails="""
            ctx-encode-initialize-response cvm-encode-initialize-encryption cvm-encode-initialize-answer-encryption
        """,
    ),
    member(
        "encode-encryption-never",
        "Never says that it reads wraps.",
        sending(lambda given, event: drop(event, "support_encryption")),
        fails="ctx-encode-initialize-response",
    ),
    member(
        "encode-encryption-always",
        "Says that it reads wraps although it does not.",
        only_if(answers_initialize, lambda given, event: add(event, "support_encryption")),
        fails="""
            r1/r1e/r11-encode-initialize-response r1/r1e-encode-initialize-error r11-encode-initialize-completions
            ctx-encode-initialize-response-plain cvm-encode-initialize-answer
        """,
    ),
]
