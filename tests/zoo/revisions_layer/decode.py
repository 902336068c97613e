"""Receivers that understand an event in another way than its revision means it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nostrmcp.conformance import translation
from nostrmcp.conformance.operations import OPERATIONS, Value
from nostrmcp.mcp.errors import ErrorClass
from nostrmcp.nostr import Violation
from nostrmcp.nostr import event as events
from nostrmcp.nostr.event import is_hex32
from nostrmcp.revisions import REVISIONS
from nostrmcp.translate import body as bodies
from nostrmcp.translate import codec
from tests.zoo.member import Operations, patched
from tests.zoo.revisions_layer.making import (
    WHOLE,
    Wire,
    add,
    concluding,
    hearing,
    hearing_body,
    lenient,
    mapped,
    member,
    put,
    refusing,
    tabled,
    tag_values,
    within,
    without,
)

RIGHT = OPERATIONS["decode_event"]
REFUSED = ErrorClass.NOT_A_MESSAGE
NOBODY = "00" * 32
CANCEL = "notifications/cancelled"
PROGRESS = "notifications/progress"
PAYMENT = bodies.PAYMENT_METHOD
KNOWN_TAGS = {"p", "e", "s", "d", "method", "status", "amount", "invoice", "expiration", "support_encryption"}
MCP_VERSIONS = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}


def tabled_as(**fields: Any) -> Operations:
    return tabled("decode_event", lambda revision: replace(revision, **fields))


def content_of(given: Value) -> Any:
    try:
        return json.loads(given["event"]["content"])
    except ValueError:
        return None


def object_in(given: Value) -> dict[str, Any]:
    value = content_of(given)
    return value if type(value) is dict else {}


def hears(change: Callable[[Value, Wire], None]) -> Operations:
    return hearing("decode_event", change)


def reads(change: Callable[[Value, dict[str, Any]], Any]) -> Operations:
    """A receiver that reads other objects than it got."""
    return hearing_body("decode_event", lambda given, value: change(given, value) if type(value) is dict else value)


def understands(change: Callable[[Value, dict[str, Any]], Any]) -> Operations:
    """A receiver that makes another message of what it read."""
    return concluding(
        "decode_event", lambda given, output: {**output, "message": change(given, dict(output["message"]))}
    )


def in_params(method: str, change: Callable[[Value, dict[str, Any]], dict[str, Any]]) -> Operations:
    """A receiver that makes other params of one notification."""

    def changed(given: Value, message: dict[str, Any]) -> Any:
        if message.get("method") != method:
            return message
        return {**message, "params": change(given, dict(message["params"]))}

    return understands(changed)


def refuses(where: Callable[[Value], Any]) -> Operations:
    return refusing("decode_event", REFUSED, lambda given: bool(where(given)))


def accepts(message: Callable[[Value, dict[str, Any]], dict[str, Any] | None]) -> Operations:
    """A receiver that takes a message from an object that is none."""

    def taken(given: Value) -> Value | None:
        event = given["event"]
        made = message(given, object_in(given))
        if made is None:
            return None
        return {"message": made, "sender": event["pubkey"], "server_id": None, "request_event_id": None}

    return lenient("decode_event", taken)


def is_answer(given: Value) -> bool:
    kinds = REVISIONS[given["revision"]].kinds
    if kinds.request != kinds.response:
        return bool(given["event"]["kind"] == kinds.response)
    return "method" not in object_in(given) and not tag_values(given["event"], "status")


def is_call(given: Value) -> bool:
    return not is_answer(given) and "method" in object_in(given)


def demands(given: Value) -> bool:
    return bool(tag_values(given["event"], "status")) or object_in(given).get("method") == PAYMENT


def by_tag(given: Value, value: dict[str, Any]) -> Any:
    names = tag_values(given["event"], "method")
    return {**value, "method": names[0]} if names else value


def method_of_tag(given: Value, value: dict[str, Any]) -> Any:
    names = tag_values(given["event"], "method")
    return value if "method" in value or not names or is_answer(given) else {**value, "method": names[0]}


def for_anybody(given: Value, event: Wire) -> None:
    add(event, "p", given["receiver"]["pubkey"])


def about_anything(given: Value, event: Wire) -> None:
    if is_answer(given):
        add(event, "e", NOBODY)


def for_anything(given: Value, event: Wire) -> None:
    if demands(given):
        add(event, "e", NOBODY)


def any_id(name: str) -> Callable[[Value, Wire], None]:
    def changed(given: Value, event: Wire) -> None:
        event["tags"] = [
            [name, NOBODY] if tag[0] == name and len(tag) > 1 and not is_hex32(tag[1]) else tag for tag in event["tags"]
        ]

    return changed


def any_kind(given: Value, event: Wire) -> None:
    """What content looks like decides; kinds do not matter."""
    kinds = REVISIONS[given["revision"]].kinds
    value = object_in(given)
    if event["kind"] in (kinds.request, kinds.response, kinds.notification):
        return
    if "method" not in value:
        event["kind"] = kinds.response
    else:
        event["kind"] = kinds.notification if str(value["method"]).startswith("notifications/") else kinds.request


def either_kind(given: Value, event: Wire) -> None:
    """The stored kinds and the ephemeral ones alike."""
    kinds = REVISIONS[given["revision"]].kinds
    own = {5910: kinds.request, 25910: kinds.request, 6910: kinds.response, 26910: kinds.response}
    event["kind"] = own.get(event["kind"], event["kind"])


def by_content(given: Value, event: Wire) -> None:
    """A method makes a request."""
    if "method" in object_in(given) and event["kind"] == 26910:
        event["kind"] = 25910
        for_anybody(given, event)


def call_by_id(given: Value) -> Value:
    """JSON-RPC without an id is a notification, whatever the kind."""
    value = object_in(given)
    try:
        output = RIGHT(given)
    except Violation as refusal:
        if refusal.error_class is not ErrorClass.MALFORMED_REQUEST_ID:
            raise
        return {"message": {"jsonrpc": "2.0", "method": value["method"]}}
    if not is_call(given) or "id" in value:
        return output
    return {**output, "message": {name: one for name, one in output["message"].items() if name != "id"}}


def null_is_none(given: Value, value: dict[str, Any]) -> Any:
    if "method" not in value or value.get("id", 0) is not None:
        return None
    return {"jsonrpc": "2.0", "method": value["method"]}


def crash_on_no_json(given: Value) -> Value:
    json.loads(given["event"]["content"])
    return RIGHT(given)


def both_are(kept: str) -> Operations:
    def changed(given: Value, value: dict[str, Any]) -> Any:
        return {k: v for k, v in value.items() if k not in ("result", "error") or k == kept}

    return reads(lambda given, value: changed(given, value) if {"result", "error"} <= value.keys() else value)


def root_is_result(given: Value, value: dict[str, Any]) -> Any:
    if not is_answer(given) or not value.keys().isdisjoint({"result", "error"}):
        return value
    envelope = {name: value[name] for name in ("jsonrpc", "id") if name in value}
    return {**envelope, "result": {k: v for k, v in value.items() if k not in envelope}}


def own_id(given: Value, message: dict[str, Any]) -> Any:
    value = object_in(given)
    return {**message, "id": value["id"]} if "id" in value and "id" in message else message


def id_of_answer(given: Value, message: dict[str, Any]) -> Any:
    return {**message, "id": given["event"]["id"]} if "id" not in object_in(given) and is_answer(given) else message


def id_as(change: Callable[[Any], Any]) -> Operations:
    return understands(lambda given, message: {**message, "id": change(message["id"])} if "id" in message else message)


def zero_is_none(given: Value, message: dict[str, Any]) -> Any:
    return message if message.get("id") else {name: one for name, one in message.items() if name != "id"}


def spelled(*methods: str) -> Operations:
    """Notifications that are handed on as the wire has them."""

    def as_on_wire(given: Value, message: dict[str, Any]) -> Any:
        wire = object_in(given)
        if wire.get("method") not in methods:
            return message
        return {"jsonrpc": "2.0", **{name: wire[name] for name in ("method", "params") if name in wire}}

    return understands(as_on_wire)


def named_by_e(given: Value, params: dict[str, Any]) -> dict[str, Any]:
    reference = tag_values(given["event"], "e")
    return {**params, "requestId": reference[0]} if reference else params


def only_by_e(given: Value) -> bool:
    names_cancel = object_in(given).get("method") in bodies.CANCEL_METHODS
    return names_cancel and not tag_values(given["event"], "e")


def token_is_id(given: Value, params: dict[str, Any]) -> dict[str, Any]:
    wire = object_in(given)["params"]
    return {**params, "progressToken": wire["id"]} if "id" in wire else params


def id_beside_token(given: Value, params: dict[str, Any]) -> dict[str, Any]:
    wire = object_in(given)["params"]
    return {**params, "id": wire["id"]} if "id" in wire else params


def by_tags(given: Value, params: dict[str, Any]) -> list[str]:
    return next((tag for tag in given["event"]["tags"] if tag[0] == "amount"), [])


def third_is_invoice(given: Value, params: dict[str, Any]) -> dict[str, Any]:
    amount = by_tags(given, params)
    return {**params, "invoice": amount[2]} if len(amount) > 2 else params


def amount_as_text(given: Value, params: dict[str, Any]) -> dict[str, Any]:
    return {**params, "amount": str(params["amount"])}


def amount_as_millisats(given: Value, params: dict[str, Any]) -> dict[str, Any]:
    return {**params, "amount": params["amount"] // 1000}


def ttl_is_time(given: Value, params: dict[str, Any]) -> dict[str, Any]:
    ttl = (object_in(given).get("params") or {}).get("ttl")
    return params if ttl is None else {**params, "expiration": ttl}


def amount_of_words(given: Value, event: Wire) -> None:
    """`Number(text) || 0`."""
    for tag in event["tags"]:
        if tag[0] == "amount" and len(tag) > 1 and not tag[1].isdigit():
            tag[1] = "0"


def any_status(given: Value, event: Wire) -> None:
    put(event, "status", "payment-required")


def no_invoice(given: Value, value: dict[str, Any]) -> Any:
    amounts = tag_values(given["event"], "amount") or ["0"]
    whole = given["event"]["content"] == "" or "jsonrpc" in value
    if not whole or not demands(given) or not tag_values(given["event"], "e") or not amounts[0].isdigit():
        return None
    return {"jsonrpc": "2.0", "method": PAYMENT, "params": {"amount": int(amounts[0]), "invoice": ""}}


def nothing_is_something(given: Value, value: dict[str, Any]) -> Any:
    names = tag_values(given["event"], "method")
    return {"jsonrpc": "2.0", "method": names[0]} if given["event"]["content"] == "" and names else None


def gate_is_demand(given: Value, message: dict[str, Any]) -> Any:
    error = message.get("error", {})
    if error.get("code") != -32042:
        return message
    options = (error.get("data") or {}).get("payment_options") or [{}]
    return {"jsonrpc": "2.0", "method": PAYMENT, "params": options[0]}


def failure_is_error(given: Value, message: dict[str, Any]) -> Any:
    if not message.get("result", {}).get("isError"):
        return message
    return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32000, "message": "failed"}}


def data_lost(given: Value, message: dict[str, Any]) -> Any:
    return {**message, "error": without(message["error"], "data")} if "error" in message else message


def as_it_is(test: Callable[[dict[str, Any]], Any]) -> Operations:
    """An object that is taken although a part of it has a wrong form."""

    def taken(given: Value, value: dict[str, Any]) -> Any:
        return {"jsonrpc": "2.0", **value} if value and test(value) else None

    return accepts(taken)


def cancel_of_nothing(given: Value, value: dict[str, Any]) -> Any:
    if value.get("method") not in bodies.CANCEL_METHODS:
        return None
    return {"jsonrpc": "2.0", "method": CANCEL, "params": {"requestId": None}}


def at_its_place(given: Value, output: Value) -> Value:
    """The server's identifier is the third of a request's tags."""
    tags = given["event"]["tags"]
    calls = is_call(given) and not object_in(given)["method"].startswith("notifications/")
    return {**output, "server_id": tags[2][1]} if calls and len(tags) > 2 and "initialize" not in tags[2] else output


def any_tag_id(given: Value, output: Value) -> Value:
    found = tag_values(given["event"], "s") + tag_values(given["event"], "d")
    return {**output, "server_id": found[0] if found else None}


def last_hex(event: Any, name: str) -> bytes | None:
    values = [tag[1] for tag in event.tags if tag[0] == name and len(tag) > 1]
    return right_first_hex(event, name) and bytes.fromhex(values[-1])


right_first_hex = codec.first_hex


def nested(body: dict[str, Any]) -> Any:
    return {name: one for name, one in body.items() if name not in ("jsonrpc", "id")}


def as_double(given: Value, message: dict[str, Any]) -> Any:
    return mapped(message, lambda one: int(float(one)) if type(one) is int else one)


def as_float(given: Value, message: dict[str, Any]) -> Any:
    return mapped(message, lambda one: float(one) if type(one) is int and abs(one) >= 2**31 else one)


def nulls_lost(given: Value, message: dict[str, Any]) -> Any:
    return mapped(message, lambda one: {k: v for k, v in one.items() if v is not None} if type(one) is dict else one)


def params_always(given: Value, message: dict[str, Any]) -> Any:
    return {**message, "params": message.get("params", {})} if "method" in message else message


CONTROLS = [
    member("decode-control", "A receiver without a bug.", hears(lambda given, event: None)),
    member("decode-control-content", "Content is read and written again.", reads(lambda given, value: value)),
    member("decode-control-message", "The message is copied.", understands(lambda given, message: message)),
    member("decode-control-spelling", "The codec's own reading of notifications.", spelled()),
]

MEMBERS = [
    # The method tag
    member(
        "decode-dispatch-by-tag",
        "Goes by the method tag, whatever content says (dvmcp).",
        reads(by_tag),
        fails="""
            r1/r1e-decode-request-method-mismatch r1/r1e-decode-notification-method-mismatch
            r1/r1e-decode-request-no-method-member r11-decode-no-method r11-decode-method-mismatch
            r11-decode-notification-mismatch ctx-decode-call-other-method-tag ctx-decode-initialize-other-method-tag
            cvm-decode-other-revision-tags
        """,
    ),
    member(
        "decode-mismatch-accepted",
        "Goes by content without looking at the method tag.",
        tabled_as(method_tag_binds=False),
        fails="""
            r1/r1e-decode-request-method-mismatch r1/r1e-decode-notification-method-mismatch
            r11-decode-method-mismatch r11-decode-notification-mismatch
        """,
    ),
    member(
        "decode-mismatch-refused",
        "Compares the method tag under revisions where it has no meaning.",
        tabled_as(method_tag_binds=True),
        fails="ctx-decode-call-other-method-tag cvm-decode-other-revision-tags",
    ),
    member(
        "decode-method-tag-needed",
        "Ignores calls without a method tag.",
        refuses(lambda given: is_call(given) and not tag_values(given["event"], "method")),
        fails="""
            ctx-decode-initialize-no-method-tag ctx-decode-call-text-form ctx-decode-cancel cvm-decode-initialize
            cvm-decode-ping cvm-decode-initialize-negotiation
        """,
        passes="r1/r1e/r11-decode-payment r1-decode-tools-call cvm-decode-call-answer",
    ),
    member(
        "decode-method-of-tag",
        "Takes the method from the tag where content has none.",
        reads(method_of_tag),
        fails="r1/r1e-decode-request-no-method-member r11-decode-no-method",
    ),
    # Tags
    member(
        "decode-for-anybody",
        "Takes calls without p.",
        hears(for_anybody),
        fails="""
            r1/r1e/r11/ctx-decode-request-no-p r1/r1e/r11/ctx-decode-notification-no-p r1e/cvm-decode-initialized-no-p
            cvm-decode-call-no-p
        """,
    ),
    member(
        "decode-about-anything",
        "Takes answers without e.",
        hears(about_anything),
        fails="r1/r1e/r11/ctx-decode-response-no-e r1/r1e/cvm-decode-error-no-e cvm-decode-answer-no-e",
    ),
    member(
        "decode-uncorrelated",
        "Takes demands for payment without e (ts before c8f44dd).",
        hears(for_anything),
        fails="r1/r1e/r11-decode-payment-no-e cvm-decode-payment-required-no-e",
    ),
    member(
        "decode-answer-needs-p",
        "Hears answers only where they carry p, as its own subscription does (dvmcp-py).",
        refuses(lambda given: is_answer(given) and not tag_values(given["event"], "p")),
        fails="""
            r1/r1e/r11/ctx-decode-initialize-response r1/r1e-decode-prompts-list-response
            r1/r1e-decode-prompts-get-response r11-decode-complete-response r11-decode-ping-error
            ctx-decode-priced-list-response ctx-decode-error-text-form cvm-decode-initialize-answer
            cvm-decode-list-answer cvm-decode-call-answer
        """,
        passes="r1-decode-response-with-p r11-decode-call-response-p cvm-decode-call-answer-recipient",
    ),
    member(
        "decode-any-e",
        "Takes any text as the id of an event.",
        hears(any_id("e")),
        fails="r1/r1e/r11/ctx-decode-response-short-e cvm-decode-e-short",
    ),
    member(
        "decode-any-p",
        "Takes any text as a key.",
        hears(any_id("p")),
        fails="""
            r1/r1e-decode-request-name-p r11-decode-request-npub ctx-decode-request-name-as-p cvm-decode-p-short
        """,
    ),
    member(
        "decode-s-ignored",
        "Does not tell to which server a message goes (SDK at 60ccd55).",
        concluding("decode_event", lambda given, output: {**output, "server_id": None}),
        fails="""
            r1/r1e/r11/ctx-decode-initialize r1-decode-tools-changed r1/r1e-decode-any-order r1e-decode-resources-read
            r11-decode-read r11-decode-cancel ctx-decode-initialized ctx-decode-call-text-form
        """,
        passes="r1-decode-initialize-any-server r11-decode-ping-no-server cvm-decode-call",
    ),
    member(
        "decode-d-ignored",
        "Does not learn the server's identifier from the answer to initialize.",
        concluding("decode_event", lambda given, output: {**output, "server_id": None} if is_answer(given) else output),
        fails="r1/r1e/r11/ctx-decode-initialize-response ctx-decode-initialize-response-version",
    ),
    member(
        "decode-s-needed",
        "Ignores calls without s.",
        within("r1 r1e r11 ctx", refuses(lambda given: is_call(given) and not tag_values(given["event"], "s"))),
        fails="""
            r1/r1e/ctx-decode-initialize-any-server r1e-decode-resources-changed r1e/r11-decode-progress
            r11-decode-initialize-all r11-decode-ping-by-server ctx-decode-notification ctx-decode-payment
        """,
        passes="r1-decode-tools-call r1e-decode-tools-call r11-decode-call ctx-decode-call",
    ),
    member(
        "decode-server-ids",
        "Reads server identifiers where the revision has none.",
        within("cvm", concluding("decode_event", any_tag_id)),
        fails="cvm-decode-other-revision-tags",
    ),
    member(
        "decode-tags-by-place",
        "Takes the server's identifier from where the examples have it.",
        within("r1 r1e r11", concluding("decode_event", at_its_place)),
        fails="r1/r1e-decode-any-order",
    ),
    member(
        "decode-tags-of-two",
        "Takes no tag that holds a hint after its value.",
        refuses(lambda given: any(len(tag) > 2 and tag[0] in "pe" for tag in given["event"]["tags"])),
        fails="r1/r1e-decode-any-order",
    ),
    member(
        "decode-unknown-tags-refused",
        "Takes no event with a tag it does not know.",
        refuses(lambda given: any(tag[0] not in KNOWN_TAGS for tag in given["event"]["tags"])),
        fails="""
            r1/r1e-decode-any-order ctx-decode-priced-list-response cvm-decode-list-answer-price
            cvm-decode-initialize-negotiation cvm-decode-answer-discovery
        """,
    ),
    member(
        "decode-last-e",
        "Goes by the last e tag, where the package goes by the first.",
        patched("decode_event", (codec, "first_hex", last_hex)),
        fails="r1/r1e/r11/ctx/cvm-decode-two-e",
    ),
    member(
        "decode-unverified",
        "Takes events without verifying them (ts before 762bab0, rs before 0.2.1).",
        patched("decode_event", (translation, "verified", events.from_value)),
        fails="r1/r1e/r11/ctx/cvm-decode-other-signature",
    ),
    # Kinds and classes
    member(
        "decode-any-kind",
        "Takes messages of any kind.",
        hears(any_kind),
        fails="""
            r1-decode-kind-25910 r1-decode-kind-26910 r1/r1e-decode-kind-7000 r1e-decode-kind-5910
            r1e-decode-kind-6910 r11-decode-stored-kind ctx-decode-response-kind ctx-decode-notification-kind
            ctx-decode-request-kind cvm-decode-kind-response cvm-decode-kind-notification cvm-decode-kind-note
        """,
    ),
    member(
        "decode-either-kind",
        "Takes stored and ephemeral kinds alike.",
        hears(either_kind),
        fails="""
            r1-decode-kind-25910 r1-decode-kind-26910 r1e-decode-kind-5910 r1e-decode-kind-6910 r11-decode-stored-kind
            ctx-decode-response-kind ctx-decode-request-kind cvm-decode-kind-response
        """,
    ),
    member(
        "decode-class-by-e",
        "Takes whatever has an e tag for an answer, and so loses notifications (ts).",
        refuses(lambda given: is_call(given) and tag_values(given["event"], "e")),
        fails="""
            r1/r1e/r11/ctx/cvm-decode-progress r1/r1e-decode-progress-both r1/r1e/r11/ctx-decode-cancel
            r11-decode-progress-seed ctx-decode-cancel-text-form cvm-decode-payment-required
            cvm-decode-payment-accepted
        """,
        passes="r1/r1e-decode-cancel-no-e cvm-decode-progress-no-e",
    ),
    member(
        "decode-class-by-content",
        "Takes whatever has a method for a request, although the kind is that of answers.",
        hears(by_content),
        fails="r11-decode-result-method",
    ),
    member(
        "decode-class-by-id",
        "Takes a request without an id for a notification.",
        {"decode_event": call_by_id},
        fails="""
            r1/r1e-decode-request-no-id r1/r1e-decode-request-null-id r11-decode-initialize r11-decode-call
            r11-decode-ping ctx-decode-call-text-form cvm-decode-id-null
        """,
        passes="r1-decode-tools-call ctx-decode-call cvm-decode-call",
    ),
    member(
        "decode-no-requests-for-clients",
        "Ignores requests as a client (the TypeScript SDK).",
        refuses(
            lambda given: (
                given["receiver"]["role"] == "client"
                and is_call(given)
                and not object_in(given)["method"].startswith("notifications/")
            )
        ),
        fails="r11-decode-ping-by-server cvm-decode-ping",
    ),
    # The envelope
    member(
        "decode-batch-executed",
        "Takes the first message of an array.",
        hearing_body("decode_event", lambda given, value: value[0] if type(value) is list else value),
        fails="r1/r1e/r11/ctx/cvm-decode-batch",
    ),
    member(
        "decode-string-opened",
        "Reads JSON inside a JSON string.",
        hearing_body("decode_event", lambda given, value: json.loads(value) if type(value) is str else value),
        fails="r1/r1e-decode-string r11-decode-response-text ctx/cvm-decode-json-string",
    ),
    member(
        "decode-crash-on-text",
        "Crashes on content that is no JSON (ts before eecd6af), and so on every demand by tags.",
        {"decode_event": crash_on_no_json},
        fails="""
            r1/r1e/r11-decode-payment r1-decode-payment-unit r1/r11-decode-payment-words r1e-decode-payment-no-e
            r1e-decode-payment-no-invoice r11-decode-payment-invoice-tag ctx-decode-text cvm-decode-not-json
        """,
        passes="r1/r1e-decode-payment-braces r1/r1e-decode-string r1/r1e-decode-batch",
    ),
    member(
        "decode-jsonrpc-not-needed",
        "Takes messages without jsonrpc where the revision has it.",
        within("r1 r1e cvm", reads(lambda given, value: {"jsonrpc": "2.0", **value})),
        fails="r1/r1e-decode-notification-no-jsonrpc",
    ),
    member(
        "decode-jsonrpc-needed",
        "Takes no message without jsonrpc where the revision leaves it out (SDK since d5fd1a8).",
        within("r11 ctx", refuses(lambda given: content_of(given) is not None and "jsonrpc" not in object_in(given))),
        fails="""
            r11-decode-initialize r11-decode-get r11-decode-pong-by-client ctx-decode-priced-list-response
            ctx-decode-error-text-form ctx-decode-notification
        """,
        passes="r11-decode-payment ctx-decode-call ctx-decode-call-response",
    ),
    member(
        "decode-result-needed",
        "Takes no answer without `result` where results stand at the root.",
        within("r11", refuses(lambda given: is_answer(given) and {"result", "error"}.isdisjoint(object_in(given)))),
        fails="r11-decode-initialize-response r11-decode-read-response r11-decode-complete-tool-error",
        passes="r11-decode-error r11-decode-call",
    ),
    member(
        "decode-result-not-opened",
        "Takes a nested result for a result with a member `result`.",
        patched("decode_event", (bodies, "hoisted_in", nested)),
        fails="""
            r11-decode-result-jsonrpc r11-decode-nested-bridge
        """,
    ),
    member(
        "decode-root-is-result",
        "Takes the root for the result where results are nested.",
        within(WHOLE, reads(root_is_result)),
        fails="""
            r1/r1e-decode-response-nothing r1-decode-request-on-6910
        """,
    ),
    member(
        "decode-error-if-truthy",
        "Takes an answer with a member `error` for an error (dvmcp).",
        patched("decode_event", (bodies, "is_error", lambda body: bool(body.get("error")))),
        fails="r11-decode-error-and-result r11-decode-result-error-text",
    ),
    member(
        "decode-error-wins",
        "Takes the error where there is a result too.",
        both_are("error"),
        fails="r1/r1e-decode-response-both ctx/cvm-decode-two-outcomes",
    ),
    member(
        "decode-result-wins",
        "Takes the result where there is an error too.",
        both_are("result"),
        fails="r1/r1e-decode-response-both ctx/cvm-decode-two-outcomes",
    ),
    member(
        "decode-failure-is-error",
        "Takes a failed tool for a protocol error.",
        understands(failure_is_error),
        fails="""
            r1/r1e/r11/ctx-decode-execution-error r11-decode-complete-tool-error r11-decode-error-and-result
            ctx-decode-root-error
        """,
    ),
    member(
        "decode-error-data-lost",
        "Hands errors on without their data.",
        understands(data_lost),
        fails="r11-decode-error-data cvm-decode-error cvm-decode-error-payment-gate cvm-decode-error-elicitation",
    ),
    member(
        "decode-any-error",
        "Takes errors of any form.",
        as_it_is(lambda value: "error" in value and "result" not in value),
        fails="""
            r1/r1e/cvm-decode-error-no-e r1/r1e-decode-error-code-text r1/r1e-decode-error-no-message
            ctx/cvm-decode-error-text cvm-decode-error-code-text cvm-decode-error-id-true
            cvm-decode-error-no-message ctx-decode-request-with-error
        """,
    ),
    member(
        "decode-any-params",
        "Takes params of any form.",
        as_it_is(lambda value: type(value.get("params")) is list),
        fails="""
            r1/r1e-decode-request-params-list r11/ctx-decode-params-array ctx-decode-notification-params-array
            cvm-decode-params-list
        """,
    ),
    member(
        "decode-any-method",
        "Takes methods of any form.",
        as_it_is(lambda value: type(value.get("method", "")) is not str),
        fails="""
            ctx/cvm-decode-method-number cvm-decode-notification-method-null
        """,
    ),
    member(
        "decode-any-object",
        "Takes any object for a message.",
        as_it_is(lambda value: True),
        fails="""
            r1-decode-kind-25910 r1-decode-response-short-e r1-decode-request-params-list r1e-decode-kind-5910
            r1e-decode-error-no-e r1e-decode-request-no-method-member r11-decode-stored-kind
            r11/ctx-decode-notification-no-p r11/cvm-decode-no-method ctx-decode-response-kind
            ctx-decode-method-number cvm-decode-printed-payment-required cvm-decode-call-no-p
        """,
        passes="",
    ),
    member(
        "decode-null-id",
        "Takes a request whose id is null for a notification.",
        accepts(null_is_none),
        fails="r1/r1e-decode-request-null-id cvm-decode-id-null",
    ),
    # Ids and values
    member(
        "decode-id-zero-lost",
        "Tests an id for truth, so that 0 is none.",
        understands(zero_is_none),
        fails="""
            ctx/cvm-decode-initialize ctx-decode-initialize-any-server ctx-decode-initialize-version
            ctx-decode-initialize-no-method-tag ctx-decode-initialize-response ctx-decode-initialize-other-method-tag
            cvm-decode-initialize-answer cvm-decode-initialize-negotiation ctx-decode-initialize-response-version
        """,
    ),
    member(
        "decode-id-to-number",
        "Makes numbers of ids that are digits.",
        id_as(lambda one: int(one) if type(one) is str and len(one) < 20 and one.isdigit() else one),
        fails="r1/r1e-decode-id-text ctx-decode-call-text-id cvm-decode-verbatim",
    ),
    member(
        "decode-id-to-text",
        "Makes texts of ids that are numbers.",
        id_as(str),
        fails="""
            r1/r1e/ctx/cvm-decode-initialize r1/r1e-decode-resources-read r1/r1e-decode-execution-error
            ctx-decode-list-method-tag ctx-decode-error-request cvm-decode-call-answer cvm-decode-ping
        """,
        passes="r1/r1e-decode-id-text r1/r1e-decode-tools-list ctx-decode-call-text-id cvm-decode-verbatim",
    ),
    member(
        "decode-id-of-body",
        "Goes by an id in content where ids do not travel.",
        within("r11", understands(own_id)),
        fails="""
            r11-decode-error-jsonrpc r11-decode-result-jsonrpc r11-decode-request-jsonrpc r11-decode-whole
        """,
    ),
    member(
        "decode-id-of-answer",
        "Names an answer by its own event where ids do not travel.",
        within("r11 ctx", understands(id_of_answer)),
        fails="""
            r11-decode-initialize-response r11-decode-complete-example r11-decode-error
            ctx-decode-priced-list-response ctx-decode-error-text-form ctx-decode-execution-error
        """,
        passes="r11-decode-call ctx-decode-call-response",
    ),
    member(
        "decode-big-integer-rounded",
        "Has numbers as JavaScript has them.",
        understands(as_double),
        fails="""
            r1/r1e/r11/ctx/cvm-decode-big-integer cvm-decode-payment-required-largest
            cvm-decode-payment-required-ttl-largest
        """,
    ),
    member(
        "decode-big-integer-float",
        "Makes floats of big integers.",
        understands(as_float),
        fails="""
            cvm-decode-verbatim r1/r1e/r11/ctx/cvm-decode-big-integer cvm-decode-payment-required-largest
            cvm-decode-payment-required-ttl-largest
        """,
    ),
    member(
        "decode-completions-counted",
        "Takes no completion of more than 100 values, though more do no harm to who reads.",
        refuses(lambda given: given["event"]["content"].count('"value-') > 100),
        fails="r11-decode-complete-many",
    ),
    member("decode-null-lost", "Loses members that are null.", understands(nulls_lost), fails="cvm-decode-verbatim"),
    member(
        "decode-meta-lost",
        "Loses _meta.",
        understands(lambda given, message: without(message, "_meta")),
        fails="cvm-decode-error-payment-gate cvm-decode-verbatim cvm-decode-payment-accepted",
        passes="cvm-decode-call cvm-decode-payment-required-plain",
    ),
    member(
        "decode-params-always",
        "Hands on params where there are none.",
        understands(params_always),
        fails="""
            r1/r1e-decode-tools-changed r1/r1e-decode-resources-changed r1-decode-prompts-changed
            r1e/r11/ctx/cvm-decode-initialized r11/ctx/cvm-decode-ping r11-decode-ping-by-server
            cvm-decode-list-changed
        """,
        passes="r1-decode-tools-call cvm-decode-call",
    ),
    member(
        "decode-versions-known",
        "Takes no initialize of a version that MCP never had.",
        refuses(
            lambda given: (
                object_in(given).get("method") == "initialize"
                and object_in(given)["params"]["protocolVersion"] not in MCP_VERSIONS
            )
        ),
        fails="ctx-decode-initialize-version cvm-decode-initialize cvm-decode-initialize-negotiation",
    ),
    # Notifications
    member(
        "decode-cancel-passed-through",
        "Hands a cancel on under the revision's name, which MCP does not know.",
        spelled("notifications/cancel"),
        fails="""
            r1/r1e/r11-decode-cancel r1/r1e/r11-decode-cancel-no-e r1/r1e-decode-cancel-request-id
            r1/r1e/r11-decode-cancel-e-alone r1e-decode-client-notification-no-s
        """,
    ),
    member(
        "decode-cancel-by-e",
        "Hands on the request's event id where ids travel.",
        within(WHOLE, in_params(CANCEL, named_by_e)),
        fails="""
            r1/r1e/ctx-decode-cancel r1/r1e-decode-cancelled r1/r1e-decode-cancel-request-id
            r1e-decode-client-notification-no-s
        """,
    ),
    member(
        "decode-cancel-needs-e",
        "Takes no cancel without e.",
        refuses(only_by_e),
        fails="r1/r1e/r11-decode-cancel-no-e cvm-decode-cancel",
    ),
    member(
        "decode-cancel-of-nothing",
        "Takes a cancel that names no request.",
        accepts(cancel_of_nothing),
        fails="r1/r1e-decode-cancel-nothing",
    ),
    member(
        "decode-cancel-reason-lost",
        "Hands a cancel on without its reason.",
        in_params(CANCEL, lambda given, params: without(params, "reason")),
        fails="ctx/cvm-decode-cancel",
    ),
    member(
        "decode-progress-passed-through",
        "Hands progress on with the revision's id, which MCP does not know.",
        spelled(PROGRESS),
        fails="r1/r1e/r11-decode-progress r1/r1e-decode-progress-both r11-decode-progress-seed",
    ),
    member(
        "decode-progress-token-is-id",
        "Goes by the id although there is a token.",
        in_params(PROGRESS, token_is_id),
        fails="r1/r1e-decode-progress-both r11-decode-progress",
    ),
    member(
        "decode-progress-id-kept",
        "Hands progress on with the id beside the token.",
        in_params(PROGRESS, id_beside_token),
        fails="r1/r1e/r11-decode-progress r1/r1e-decode-progress-both r11-decode-progress-seed",
    ),
    member(
        "decode-progress-needs-e",
        "Takes no progress without e where the revision does not ask for it.",
        within(
            "cvm",
            refuses(lambda given: object_in(given).get("method") == PROGRESS and not tag_values(given["event"], "e")),
        ),
        fails="cvm-decode-progress-no-e",
    ),
    member(
        "decode-empty-content",
        "Takes empty content for a notification without params.",
        accepts(nothing_is_something),
        fails="""
            r1/r1e/r11-decode-empty-notification r11-decode-empty-request
        """,
    ),
    # Money
    member(
        "decode-payment-passed-through",
        "Hands a demand on under the names of the wire.",
        spelled(PAYMENT),
        fails="""
            cvm-decode-payment-required cvm-decode-payment-required-plain cvm-decode-payment-required-free
            cvm-decode-payment-required-largest cvm-decode-payment-required-ttl-largest
        """,
    ),
    member(
        "decode-payment-text",
        "Hands the amount on as text.",
        in_params(PAYMENT, amount_as_text),
        fails="""
            r1/r1e/r11/ctx-decode-payment r1-decode-payment-no-end r1/r1e/r11-decode-payment-routed
            r1/r1e-decode-payment-unit r11-decode-payment-invoice-tag cvm-decode-payment-required
            cvm-decode-payment-required-plain cvm-decode-payment-required-free
            cvm-decode-payment-required-other-method r11-decode-payment-invoice-alone r11-decode-payment-sat
            r11-decode-payment-usd r11-decode-payment-capitals cvm-decode-payment-required-largest
            cvm-decode-payment-required-ttl-largest
        """,
    ),
    member(
        "decode-payment-millisats",
        "Takes the amount for millisats.",
        in_params(PAYMENT, amount_as_millisats),
        fails="""
            r1/r1e/r11/ctx-decode-payment r1-decode-payment-no-end r1/r1e/r11-decode-payment-routed
            r1/r1e-decode-payment-unit r11-decode-payment-invoice-tag cvm-decode-payment-required
            cvm-decode-payment-required-plain cvm-decode-payment-required-other-method
            r11-decode-payment-invoice-alone r11-decode-payment-sat r11-decode-payment-usd
            r11-decode-payment-capitals cvm-decode-payment-required-largest cvm-decode-payment-required-ttl-largest
        """,
    ),
    member(
        "decode-payment-third-is-invoice",
        "Takes the unit for the invoice.",
        in_params(PAYMENT, third_is_invoice),
        fails="""
            r1/r1e-decode-payment-unit r11-decode-payment-invoice-tag r11-decode-payment-sat r11-decode-payment-usd
        """,
    ),
    member(
        "decode-payment-any-amount",
        "Takes an amount in words for 0.",
        hears(amount_of_words),
        fails="r1/r1e/r11-decode-payment-words",
    ),
    member(
        "decode-payment-any-status",
        "Takes every status with an amount for a demand.",
        hears(any_status),
        fails="r1/r1e/r11-decode-payment-accepted",
    ),
    member(
        "decode-payment-no-invoice",
        "Takes a demand without an invoice or an amount.",
        accepts(no_invoice),
        fails="""
            r1/r1e/r11-decode-payment-no-amount r1/r1e-decode-payment-no-invoice
            cvm-decode-payment-required-no-pay-req r1/r1e/r11-decode-payment-accepted
            cvm-decode-payment-required-beyond cvm-decode-payment-required-negative
            cvm-decode-payment-required-ttl-past cvm-decode-payment-required-ttl-text
            r11-decode-payment-amount-twice
        """,
    ),
    member(
        "decode-payment-endless",
        "Loses the end of a demand.",
        in_params(PAYMENT, lambda given, params: without(params, "expiration")),
        fails="""
            r1-decode-payment r1-decode-payment-routed cvm-decode-payment-required
            cvm-decode-payment-required-ttl-largest
        """,
    ),
    member(
        "decode-payment-ttl-is-time",
        "Takes a time to live for a time.",
        in_params(PAYMENT, ttl_is_time),
        fails="cvm-decode-payment-required cvm-decode-payment-required-ttl-largest",
    ),
    member(
        "decode-payment-needs-p",
        "Hears demands only where they carry p.",
        refuses(lambda given: demands(given) and not tag_values(given["event"], "p")),
        fails="""
            r1/r1e/r11-decode-payment r1-decode-payment-no-end r11-decode-payment-capitals
        """,
    ),
    member(
        "decode-gate-is-demand",
        "Takes every error -32042 for a demand for payment.",
        understands(gate_is_demand),
        fails="cvm-decode-error-payment-gate cvm-decode-error-elicitation",
    ),
]
