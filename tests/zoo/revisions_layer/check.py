"""Checkers that blame who is right, or let pass who is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from nostrmcp.conformance.operations import OPERATIONS, Value
from nostrmcp.nostr import Event
from nostrmcp.revisions import REVISIONS
from nostrmcp.revisions.model import (
    LIST_MEMBERS,
    NOTIFICATIONS,
    REQUESTS,
    RESPONSES,
    AnnouncementEnvelope,
    Envelope,
    Loss,
    Member,
    MessageClass,
    PaymentForm,
    Presence,
    PriceForm,
    Revision,
    Rule,
    TagRule,
    TagValue,
)
from nostrmcp.translate import body as bodies
from nostrmcp.translate import check
from tests.zoo.member import Operations, patched
from tests.zoo.revisions_layer.making import (
    DVMCP,
    ONE_KIND,
    WHOLE,
    concluding,
    hearing_body,
    member,
    tabled,
    tag_values,
    with_rules,
    within,
)

RIGHT = OPERATIONS["check_event"]
MCP_VERSIONS = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}
BODIES = {"dvmcp-rev1": "R1", "dvmcp-rev1-ephemeral": "R1E", "dvmcp-rev1.1": "R11", "ctxvm-draft": "CTX"}

right_fits, right_is, right_family, right_amount = check._fits, check._is, check._family, check.is_amount


def table(**fields: Any) -> Operations:
    return tabled("check_event", lambda revision: replace(revision, **fields))


def unchecked(*rules: Rule) -> Operations:
    """Rules of content that are forgotten."""

    def change(revision: Revision) -> Revision:
        kept = {rule: req for rule, req in revision.requirements.items() if rule not in rules}
        return replace(revision, requirements=kept)

    return tabled("check_event", change)


def ruled(change: Callable[[MessageClass, TagRule], TagRule]) -> Operations:
    return tabled("check_event", lambda revision: with_rules(revision, change))


def presence(name: str, classes: Any, wanted: Presence) -> Operations:
    """A tag that is needed where it is not, or the reverse."""

    def change(message_class: MessageClass, rule: TagRule) -> TagRule:
        return replace(rule, presence=wanted) if rule.name == name and message_class in classes else rule

    return ruled(change)


def any_value(*values: TagValue) -> Operations:
    """Tags that are looked at for their name alone."""

    def fits(rule: TagRule, tag: Any, revision: Revision) -> bool:
        return rule.value in values or right_fits(rule, tag, revision)

    return patched("check_event", (check, "_fits", fits))


def members_as(change: Callable[[Member, Any], bool | None]) -> Operations:
    """Members of params whose type is looked at in another way."""

    def fits(kind: Member, value: Any) -> bool:
        verdict = change(kind, value)
        return right_is(kind, value) if verdict is None else verdict

    return patched("check_event", (check, "_is", fits))


def reports(change: Callable[[Value, list[str]], list[str]]) -> Operations:
    return concluding(
        "check_event", lambda given, output: {"breaches": sorted(set(change(given, list(output["breaches"]))))}
    )


def also_reports(number: str, where: Callable[[Value], Any]) -> Operations:
    """A checker that has one more thing to say."""

    def change(given: Value, breaches: list[str]) -> list[str]:
        return [*breaches, f"{prefix_of(given)}-{number}"] if where(given) else breaches

    return reports(change)


def prefix_of(given: Value) -> str:
    return BODIES.get(given["revision"], "CVM")


def object_in(given: Value) -> dict[str, Any]:
    try:
        value = json.loads(given["event"]["content"])
    except ValueError:
        return {}
    return value if type(value) is dict else {}


def everything(given: Value) -> Value:
    """Every requirement of the revision that there is."""
    revision = REVISIONS[given["revision"]]
    of_tags = {rule.req for rules in revision.tags.values() for rule in rules}
    return {"breaches": sorted({*revision.requirements.values(), *revision.kind_reqs.values(), *of_tags})}


def crash_on_no_json(given: Value) -> Value:
    json.loads(given["event"]["content"])
    return RIGHT(given)


def no_announcements(given: Value, breaches: list[str]) -> list[str]:
    return [] if given["event"]["kind"] in (11316, 11317, 11318, 11319, 11320, 31316, 31317, 31318, 31319) else breaches


def one_rule_for_all(revision: Revision) -> Revision:
    """The numbers of an ordinary request's, answer's or notification's tags for all of their family."""
    leaders = {
        REQUESTS: MessageClass.REQUEST,
        RESPONSES: MessageClass.RESPONSE,
        NOTIFICATIONS: MessageClass.NOTIFICATION_TO_CLIENT,
    }
    numbers = {
        (one, rule.name): rule.req for family, lead in leaders.items() for rule in revision.tags[lead] for one in family
    }
    return with_rules(revision, lambda one, rule: replace(rule, req=numbers.get((one, rule.name), rule.req)))


def hoisting(envelope: Envelope) -> Operations:
    def change(revision: Revision) -> Revision:
        conforming, tolerated = revision.conforming_envelopes, revision.tolerated_envelopes
        return replace(
            revision,
            envelope=envelope,
            conforming_envelopes=conforming | {envelope},
            tolerated_envelopes=tolerated | {envelope},
            losses=revision.losses | {Loss.REQUEST_IDS},
        )

    return tabled("check_event", change)


def jsonrpc_asked(revision: Revision) -> Revision:
    prefix = BODIES[revision.name]
    asked = {
        Rule.REQUEST_ENVELOPE: f"{prefix}-BODY-02",
        Rule.RESPONSE_ENVELOPE: f"{prefix}-BODY-04",
        Rule.NOTIFICATION_ENVELOPE: f"{prefix}-BODY-06",
    }
    conforming = revision.conforming_envelopes | {Envelope.JSONRPC}
    return replace(revision, requirements={**revision.requirements, **asked}, conforming_envelopes=conforming)


def one_is_enough(rule: TagRule, found: list[Any], names: list[str], revision: Revision) -> Iterator[check.Breach]:
    if rule.presence is Presence.REQUIRED and names and not found:
        yield check.Breach(rule.req, "event.tags", "there is none")
    yield from check._prices([tag for tag in found if len(tag) > 2], revision)


def of_another_name(message_class: MessageClass, rule: TagRule) -> TagRule:
    other = {"t": "cap", "cap": "t"}
    return replace(rule, name=other[rule.name]) if rule.value is TagValue.CAPABILITIES else rule


def for_every_list(message_class: MessageClass, rule: TagRule) -> TagRule:
    return replace(rule, presence=Presence.REQUIRED) if rule.value is TagValue.CAPABILITIES else rule


def for_no_list(message_class: MessageClass, rule: TagRule) -> TagRule:
    return replace(rule, presence=Presence.OPTIONAL) if rule.value is TagValue.CAPABILITIES else rule


def is_call(given: Value) -> bool:
    return "method" in object_in(given) and given["event"]["kind"] not in (6910, 26910)


def unknown_tags(given: Value) -> bool:
    revision = REVISIONS[given["revision"]]
    known = {rule.name for rules in revision.tags.values() for rule in rules}
    if revision.kinds.request == revision.kinds.response and object_in(given).get("method") != "initialize":
        known -= {"method"}
    return any(tag[0] not in known for tag in given["event"]["tags"])


def by_content(event: Event, body: Any, revision: Revision) -> Any:
    """A method makes a call of whatever has it."""
    method = body.get("method")
    if type(method) is str:
        return NOTIFICATIONS if method.startswith("notifications/") else REQUESTS
    return right_family(event, body, revision)


def all_requests(event: Event, body: Any, revision: Revision) -> Any:
    return REQUESTS if "method" in body else right_family(event, body, revision)


def all_priced(revision: Revision) -> Revision:
    asked = {**revision.requirements, Rule.PRICE_IDENTIFIER: f"{BODIES[revision.name]}-PRICE-02"}
    return replace(revision, prices=PriceForm.TYPED, requirements=asked)


def amounts(test: Callable[[str, bool], bool]) -> Operations:
    return patched("check_event", (check, "is_amount", lambda text, *, whole=False: test(text, whole)))


CONTROLS = [
    member("check-control", "A checker without a bug.", reports(lambda given, breaches: breaches)),
    member("check-control-table", "The tables are copied.", ruled(lambda one, rule: rule)),
    member("check-control-values", "Every value is looked at.", any_value()),
]

MEMBERS = [
    member(
        "check-nothing",
        "Reports nothing.",
        reports(lambda given, breaches: []),
        fails="""
            r1/r1e/r11/ctx-check-request-kind r1-check-initialize-response-no-d r1/r1e-check-payment-no-invoice
            r1e-check-response-bare r11-check-response-no-e r11-check-payment-no-e ctx-check-error-no-e
            ctx-check-error-code-text cvm-check-kind-request cvm-check-request-old-jsonrpc cvm-check-payment-no-pmi
        """,
        passes="r1/r1e-check-initialize r1/r1e-check-payment r1/r1e-check-server cvm-check-call",
    ),
    member(
        "check-everything",
        "Reports everything.",
        {"check_event": everything},
        fails="""
            r1/r1e/r11/ctx/cvm-check-initialize r1-check-cancel-no-e r1-check-notification-no-p
            r1e-check-payment-expiration r1e-check-initialized-no-p r11-check-tools-priced
            r11-check-notification-other-method ctx-check-price-fraction ctx-check-payment-no-e cvm-check-resources
            cvm-check-notification-no-jsonrpc
        """,
        passes="r1/r1e-check-cancelled cvm-check-printed-payment-required",
    ),
    member(
        "check-first-only",
        "Stops at the first breach.",
        reports(lambda given, breaches: breaches[:1]),
        fails="""
            r1/r1e/r11-check-request-no-p-no-method ctx-check-response-no-e-no-p cvm-check-call-no-p-no-jsonrpc
            r11-check-response-whole cvm-check-price-name-alone
        """,
    ),
    member(
        "check-numbers-shared",
        "Reports the requirement of an ordinary message for initialize, initialized, ping and progress.",
        tabled("check_event", one_rule_for_all),
        fails="""
            r1/r1e/r11/ctx/cvm-check-initialize-no-p r1-check-initialize-response-no-e r1/r1e/r11-check-progress-no-e
            r1e/r11/ctx-check-initialized-no-p ctx-check-cancel-no-e cvm-check-initialize-answer-no-e
            cvm-check-payment-no-p
        """,
        passes="r1/r1e-check-request-no-p",
    ),
    member(
        "check-answers-ignored",
        "Does not ask what a response answers.",
        {"check_event": lambda given: RIGHT({**given, "answers": None})},
        fails="""
            r1/r1e/r11/ctx-check-initialize-response-no-e r1/r1e/r11/ctx-check-initialize-response-no-d
            ctx/cvm-check-price-word cvm-check-initialize-answer-no-e cvm-check-price-no-prefix
            cvm-check-price-other-prefix cvm-check-price-fraction cvm-check-price-half-range cvm-check-price-no-unit
            r11-check-complete-many ctx/cvm-check-completion-many cvm-check-price-bare cvm-check-price-bare-tag
            cvm-check-price-two-hyphens cvm-check-price-name-alone
        """,
    ),
    member(
        "check-crash-on-text",
        "Crashes on content that is no JSON, and so on every demand by tags.",
        {"check_event": crash_on_no_json},
        fails="""
            r1/r1e/r11-check-payment r1/r11-check-payment-status r1/r1e-check-payment-unit r1e-check-request-text
            r11-check-payment-invoice-tag ctx-check-text ctx-check-server-text cvm-check-not-json
            cvm-check-server-not-json
        """,
        passes="r1/r1e-check-request-batch r1/r1e-check-tools-call",
    ),
    # Kinds
    member(
        "check-any-kind",
        "Does not look at kinds.",
        reports(lambda given, breaches: [req for req in breaches if "-KIND-" not in req]),
        fails="""
            r1/r1e/r11/ctx-check-request-kind r1/r1e/r11/ctx-check-response-kind r1/r1e-check-notification-kind
            r11-check-tools-kind ctx-check-server-kind cvm-check-kind-request cvm-check-kind-response
            cvm-check-kind-notification
        """,
        passes="r1/r1e-check-request-no-p r1/r1e-check-server-no-k",
    ),
    member(
        "check-class-by-content",
        "Takes a result with a member `method` for a request.",
        patched("check_event", (check, "_family", by_content)),
        fails="r11-check-result-method",
    ),
    member(
        "check-notification-is-request",
        "Asks of notifications what it asks of requests.",
        patched("check_event", (check, "_family", all_requests)),
        fails="""
            r1-check-notification r1/r1e-check-cancel r1/r11-check-notification-other-method
            r1e/r11/cvm-check-initialized r1e-check-initialized-no-jsonrpc r11-check-cancel-bare
            ctx-check-notification-kind ctx-check-initialized-no-p ctx-check-cancel-no-e cvm-check-payment-rejected
            cvm-check-payment-no-amount
        """,
        passes="r1/r1e-check-tools-call r1/r1e-check-tools-call-response",
    ),
    member(
        "check-no-announcements",
        "Looks at messages alone.",
        reports(no_announcements),
        fails="""
            r1/r1e-check-server-no-d r1-check-server-bare r1-check-tools-one-t r1e-check-server-text
            r1e-check-tools-other-cap r11-check-tools-kind r11-check-server-other-k r11-check-resources-no-s
            ctx-check-server-kind ctx-check-server-no-version ctx-check-resources-no-d
            cvm-check-announced-price-no-prefix cvm-check-server-wrapped cvm-check-server-not-json
        """,
        passes="r1-check-request-no-p cvm-check-call-no-p",
    ),
    # Tags
    member(
        "check-presence-only",
        "Looks for tags and not at their values.",
        patched("check_event", (check, "_fits", lambda rule, tag, revision: True)),
        fails="""
            r1/r1e-check-request-bad-p r1/r1e-check-response-bad-e r1/r1e-check-payment-no-invoice
            r11-check-request-npub r11-check-payment-status r11-check-payment-words ctx-check-request-name-as-p
            ctx-check-response-short-e cvm-check-call-p-short cvm-check-list-changed-p-npub cvm-check-answer-e-short
        """,
        passes="r1/r1e-check-request-no-p r1/r1e-check-response-no-e",
    ),
    member(
        "check-any-status",
        "Takes any status.",
        any_value(TagValue.STATUS),
        fails="r1/r1e/r11-check-payment-status r1/r1e/r11-check-payment-accepted",
    ),
    member(
        "check-any-amount",
        "Takes any amount, with an invoice or without.",
        any_value(TagValue.AMOUNT),
        fails="""
            r1/r1e/r11-check-payment-no-invoice r1/r1e-check-payment-unit r11-check-payment-words
            r11-check-payment-invoice-tag
        """,
    ),
    member(
        "check-any-k", "Takes any kind in k.", any_value(TagValue.REQUEST_KIND), fails="r1/r1e/r11-check-server-other-k"
    ),
    member(
        "check-any-time",
        "Takes any text in expiration.",
        any_value(TagValue.TIME),
        fails="r1-check-payment-soon",
    ),
    member(
        "check-empty-s",
        "Takes an s without a value.",
        any_value(TagValue.SERVER_ID),
        fails="r1/r1e-check-request-empty-s",
    ),
    member(
        "check-any-key",
        "Takes any text in p.",
        any_value(TagValue.RECIPIENT),
        fails="""
            r1/r1e-check-request-bad-p r11-check-request-npub ctx-check-request-name-as-p cvm-check-call-p-short
            cvm-check-list-changed-p-npub
        """,
    ),
    member(
        "check-any-event",
        "Takes any text in e.",
        any_value(TagValue.REQUEST_EVENT),
        fails="""
            r1/r1e-check-response-bad-e r1/r1e-check-progress-bad-e r11/ctx-check-response-short-e
            cvm-check-answer-e-short
        """,
    ),
    member(
        "check-mismatch",
        "Does not compare the method tag.",
        unchecked(Rule.METHOD_AGREES),
        fails="""
            r1/r1e/r11-check-request-other-method r1/r1e/r11-check-notification-other-method
            ctx-check-initialize-other-method
        """,
    ),
    member(
        "check-call-without-p",
        "Does not ask for p on requests.",
        presence("p", REQUESTS, Presence.OPTIONAL),
        fails="""
            r1/r1e/r11/ctx-check-request-no-p r1/r1e/r11/ctx/cvm-check-initialize-no-p r11-check-ping-no-p
            cvm-check-call-no-p r1/r1e/r11-check-request-no-p-no-method cvm-check-call-no-p-no-jsonrpc
        """,
    ),
    member(
        "check-notification-without-p",
        "Does not ask for p on notifications.",
        presence("p", NOTIFICATIONS, Presence.OPTIONAL),
        fails="""
            r1/r1e/r11/ctx-check-notification-no-p r1e/r11/ctx/cvm-check-initialized-no-p ctx/cvm-check-payment-no-p
            cvm-check-list-changed-no-p
        """,
    ),
    member(
        "check-answer-needs-p",
        "Asks for p on answers, which the examples have not.",
        within("r1 r1e r11 cvm", presence("p", RESPONSES, Presence.REQUIRED)),
        fails="""
            r1/r1e/r11-check-initialize-response r1/r1e-check-prompts-get-response
            r1/r1e-check-initialize-response-no-d r11-check-complete-example r11-check-response-kind
            cvm-check-initialize-answer cvm-check-list-answer cvm-check-list-answer-price
        """,
        passes="r1-check-response-with-p r1e-check-response-with-p r11-check-call-response-p",
    ),
    member(
        "check-answer-without-p",
        "Does not ask for p on answers, as the examples have it, although the text asks.",
        within("ctx", presence("p", RESPONSES, Presence.OPTIONAL)),
        fails="""
            ctx-check-initialize-response-printed ctx-check-response-printed ctx-check-error-printed
            ctx-check-response-no-e-no-p
        """,
    ),
    member(
        "check-answer-without-e",
        "Does not ask for e.",
        presence("e", RESPONSES, Presence.OPTIONAL),
        fails="""
            r1/r1e/r11/ctx-check-response-no-e r1/r1e/r11/ctx/cvm-check-error-no-e
            r1/r1e/r11/ctx-check-initialize-response-no-e r11-check-pong-no-e cvm-check-answer-no-e
            cvm-check-initialize-answer-no-e ctx-check-response-no-e-no-p
        """,
    ),
    member(
        "check-initialize-without-d",
        "Does not ask for d on the answer to initialize.",
        presence("d", RESPONSES, Presence.OPTIONAL),
        fails="r1/r1e/r11/ctx-check-initialize-response-no-d",
    ),
    member(
        "check-refusal-needs-d",
        "Asks for d on an error that answers initialize.",
        within(
            DVMCP,
            also_reports(
                "TAG-11",
                lambda given: (
                    given["answers"] == "initialize"
                    and "error" in object_in(given)
                    and not tag_values(given["event"], "d")
                ),
            ),
        ),
        fails="r1/r1e/r11-check-initialize-error",
    ),
    member(
        "check-call-without-s",
        "Does not ask for s on messages.",
        presence("s", REQUESTS | NOTIFICATIONS, Presence.OPTIONAL),
        fails="""
            r1/r1e/r11-check-request-no-s r1-check-cancel-no-s r1-check-notification-no-s
            r1e/r11/ctx-check-initialized-no-s r11-check-complete-no-s
        """,
    ),
    member(
        "check-call-needs-s",
        "Asks for s where it is optional.",
        presence("s", REQUESTS | NOTIFICATIONS, Presence.REQUIRED),
        fails="""
            r1/r11-check-payment r1/r11-check-payment-status r1-check-payment-unit r1e-check-tools-changed
            r1e/r11/ctx-check-initialize-no-s r1e-check-updated-no-uri ctx-check-list-no-s
        """,
        passes="r1/r1e-check-initialize r1/r1e-check-tools-call",
    ),
    member(
        "check-call-without-method",
        "Does not ask for the method tag.",
        presence("method", REQUESTS | NOTIFICATIONS, Presence.OPTIONAL),
        fails="""
            r1/r1e/r11-check-request-no-method r1/r1e/r11/ctx-check-initialize-no-method
            r1/r1e/r11-check-notification-no-method r1e/r11-check-initialized-no-method r11-check-ping-no-method
            r1/r1e/r11-check-request-no-p-no-method
        """,
    ),
    member(
        "check-method-everywhere",
        "Asks for the method tag where the revision has none.",
        within(
            ONE_KIND,
            also_reports("TAG-03", lambda given: is_call(given) and not tag_values(given["event"], "method")),
        ),
        fails="""
            ctx-check-initialized ctx-check-list-no-s ctx-check-initialized-no-s cvm-check-initialize
            cvm-check-payment-rejected cvm-check-request-method-number
        """,
        passes="ctx-check-initialize ctx-check-call-response cvm-check-call-answer",
    ),
    member(
        "check-cancel-needs-e",
        "Asks for e on a cancel where it is optional.",
        presence("e", {MessageClass.CANCEL}, Presence.REQUIRED),
        fails="r1/r1e-check-cancel-no-e r11-check-cancel-bare cvm-check-cancel",
    ),
    member(
        "check-progress-without-e",
        "Does not ask for e on progress and cancels.",
        presence("e", {MessageClass.CANCEL, MessageClass.PROGRESS}, Presence.OPTIONAL),
        fails="r1/r1e/r11/ctx-check-progress-no-e ctx-check-cancel-no-e",
    ),
    member(
        "check-progress-needs-e",
        "Asks for e on progress where no document does.",
        within("cvm", presence("e", {MessageClass.PROGRESS}, Presence.REQUIRED)),
        fails="cvm-check-progress-no-e",
    ),
    member(
        "check-unknown-tags",
        "Reports tags that it does not know.",
        also_reports("TAG-99", unknown_tags),
        fails="""
            r1/r1e-check-payment-unit r1e-check-payment-expiration r1e-check-tools-t r11-check-payment-invoice-tag
            ctx-check-list-method-tag cvm-check-initialize-negotiation
            cvm-check-other-tags cvm-check-request-other-method-tag ctx-check-call-other-method-tag
        """,
    ),
    # Content
    member(
        "check-any-content",
        "Says nothing of content that is no object.",
        unchecked(Rule.CONTENT_IS_JSON),
        fails="""
            r1/r1e-check-request-text r1/r1e-check-request-batch r1/r1e/ctx-check-server-text r11/cvm-check-not-json
            r11-check-array r11-check-response-text ctx-check-text ctx/cvm-check-batch cvm-check-json-string
        """,
        passes="r1/r1e-check-request-params-list r1/r1e-check-payment-content",
    ),
    member(
        "check-batch-opened",
        "Looks at the first message of an array.",
        hearing_body("check_event", lambda given, value: value[0] if type(value) is list else value),
        fails="r1/r1e-check-request-batch r11-check-array ctx/cvm-check-batch",
    ),
    member(
        "check-string-opened",
        "Reads JSON inside a JSON string.",
        hearing_body("check_event", lambda given, value: json.loads(value) if type(value) is str else value),
        fails="r11-check-response-text cvm-check-json-string",
    ),
    member(
        "check-any-envelope",
        "Does not look at jsonrpc and id.",
        unchecked(Rule.REQUEST_ENVELOPE, Rule.RESPONSE_ENVELOPE, Rule.NOTIFICATION_ENVELOPE),
        fails="""
            r1/r1e/cvm-check-request-no-jsonrpc r1/r1e-check-request-no-id r1/r1e/cvm-check-response-no-id
            r11-check-request-jsonrpc r11-check-request-id r11-check-error-jsonrpc cvm-check-request-id-null
        """,
        passes="r1-check-response-hoisted cvm-check-response-hoisted",
    ),
    member(
        "check-jsonrpc-asked",
        "Asks for jsonrpc and id where they may be left out.",
        within("ctx", tabled("check_event", jsonrpc_asked)),
        fails="ctx-check-priced-list-response ctx-check-payment-no-description ctx-check-payment-no-e",
        passes="ctx-check-call ctx-check-whole-notification ctx-check-server",
    ),
    member(
        "check-jsonrpc-asked-of-all",
        "Asks for jsonrpc and id where they must be left out.",
        within("r11", tabled("check_event", jsonrpc_asked)),
        fails="r11-check-initialize r11-check-ping-error r11-check-complete-no-s",
        passes="r11-check-payment r11-check-server r11-check-tools",
    ),
    member(
        "check-hoisted-asked",
        "Asks for results at the root where they are nested.",
        within(WHOLE, hoisting(Envelope.HOISTED)),
        fails="""
            r1/r1e/ctx-check-initialize-response r1/r1e-check-resources-read-response r1/r1e-check-response-bad-e
            ctx-check-execution-error ctx-check-response-printed cvm-check-initialize-answer cvm-check-kind-response
            cvm-check-response-hoisted
        """,
        passes="r1/r1e-check-error r1/r1e-check-tools-call",
    ),
    member(
        "check-nested-asked",
        "Asks for nested results where they are at the root.",
        within("r11", hoisting(Envelope.NESTED)),
        fails="r11-check-initialize-response r11-check-complete-response r11-check-response-jsonrpc",
        passes="r11-check-error r11-check-call",
    ),
    member(
        "check-any-result",
        "Does not look where a result is.",
        unchecked(Rule.RESULT_PLACE),
        fails="""
            r1/r1e/cvm-check-response-hoisted r11-check-result-nested ctx-check-hoisted r11-check-response-whole
        """,
    ),
    member(
        "check-both-outcomes",
        "Takes a result and an error together.",
        unchecked(Rule.ONE_OUTCOME),
        fails="r1/r1e-check-response-both ctx/cvm-check-two-outcomes",
    ),
    member(
        "check-any-error",
        "Takes errors of any form.",
        unchecked(Rule.ERROR_FORM),
        fails="""
            r1/r1e-check-error-no-code r1/r1e-check-error-text ctx/cvm-check-error-code-text
            ctx/cvm-check-error-no-message
        """,
    ),
    member(
        "check-any-call",
        "Takes methods and params of any form.",
        unchecked(Rule.REQUEST_MEMBERS),
        fails="""
            r1/r1e/cvm-check-request-params-list r11/ctx-check-no-method r11/ctx-check-params-array
            cvm-check-request-method-number r11-check-request-result
        """,
    ),
    member(
        "check-params-needed",
        "Asks for params where there need be none.",
        also_reports("BODY-03", lambda given: is_call(given) and "params" not in object_in(given)),
        fails="""
            r1-check-tools-changed r1/r1e-check-prompts-changed r1-check-notification-no-s
            r1e/r11/ctx/cvm-check-initialized r1e-check-initialized-no-s r11-check-initialized-kind
            r11/ctx-check-initialized-no-p ctx-check-text-initialized cvm-check-list-changed
            cvm-check-list-changed-no-p
        """,
        passes="r1/r1e-check-tools-call r1/r1e-check-progress",
    ),
    member(
        "check-versions-known",
        "Reports a protocolVersion that MCP never had.",
        also_reports(
            "BODY-03",
            lambda given: (
                object_in(given).get("method") == "initialize"
                and object_in(given)["params"]["protocolVersion"] not in MCP_VERSIONS
            ),
        ),
        fails="""
            ctx-check-initialize-version cvm-check-initialize cvm-check-initialize-negotiation
            cvm-check-initialize-no-p
        """,
    ),
    member(
        "check-null-id",
        "Reports an error whose id is null, as JSON-RPC has it where the request could not be read.",
        within(
            WHOLE,
            also_reports(
                "BODY-04", lambda given: "error" in object_in(given) and object_in(given).get("id", 0) is None
            ),
        ),
        fails="r1/r1e/ctx/cvm-check-error-null-id",
    ),
    member(
        "check-any-params",
        "Does not look into params.",
        members_as(lambda kind, value: True),
        fails="""
            r1/r1e/r11-check-progress-no-id r1/r1e/r11/ctx-check-cancel-no-id r1/r1e-check-updated-no-uri
            ctx/cvm-check-progress-no-token ctx/cvm-check-payment-no-amount ctx/cvm-check-payment-amount-text
            ctx-check-payment-no-invoice cvm-check-payment-no-pay-req cvm-check-payment-no-pmi
            cvm-check-payment-pmi-spelling cvm-check-payment-accepted-no-amount cvm-check-payment-rejected-no-pmi
            cvm-check-payment-method-mark
        """,
    ),
    member(
        "check-payment-spelling",
        "Takes any text for the name of a payment method.",
        members_as(lambda kind, value: type(value) is str if kind is Member.PAYMENT_METHOD else None),
        fails="""
            cvm-check-payment-pmi-spelling cvm-check-payment-method-mark
        """,
    ),
    member(
        "check-amount-text",
        "Takes numbers that are written as texts.",
        members_as(lambda kind, value: type(value) in (int, float, str) if kind is Member.NUMBER else None),
        fails="ctx/cvm-check-payment-amount-text",
    ),
    member(
        "check-payment-json-first",
        "Reads content before it looks at the status, and so reports every demand by tags.",
        within(DVMCP, table(payment=PaymentForm.INVOICE)),
        fails="""
            r1/r1e/r11-check-payment r1/r1e-check-payment-status r1/r1e-check-payment-unit r11-check-payment-no-amount
            r11-check-payment-invoice-tag
        """,
        passes="r1/r1e-check-notification r1/r1e-check-progress",
    ),
    member(
        "check-payment-content",
        "Takes a demand with content.",
        unchecked(Rule.PAYMENT_CONTENT),
        fails="r1/r1e/r11-check-payment-content",
    ),
    # Announcements
    member(
        "check-announcement-envelope",
        "Does not look whether an announcement is wrapped.",
        unchecked(Rule.ANNOUNCEMENT_ENVELOPE, Rule.LIST_ENVELOPE),
        fails="""
            r1/r1e-check-server-bare r1/r1e-check-tools-bare r11/ctx/cvm-check-server-wrapped
            r11/ctx/cvm-check-tools-wrapped r11-check-server-id r11-check-server-jsonrpc r11-check-server-result
            ctx-check-tools-no-list cvm-check-tools-no-list r1-check-server-result r1-check-tools-no-list
            r11-check-tools-no-list r1e-check-server-result r1e-check-tools-no-list
        """,
    ),
    member(
        "check-announcement-bare",
        "Asks for bare announcements where they are wrapped.",
        within("r1 r1e", table(announcement_envelope=AnnouncementEnvelope.RESULT)),
        fails="r1/r1e-check-server r1/r1e-check-server-no-d r1/r1e-check-tools-no-s",
        passes="r1/r1e-check-tools-call r1/r1e-check-server-text",
    ),
    member(
        "check-announcement-wrapped",
        "Asks for wrapped announcements where they are bare.",
        within("r11 ctx cvm", table(announcement_envelope=AnnouncementEnvelope.RESPONSE)),
        fails="""
            r11/ctx/cvm-check-server r11-check-tools-kind r11-check-tools-no-cap ctx-check-price-no-unit
            ctx-check-tools-wrapped cvm-check-tools-price cvm-check-announced-price-no-prefix
        """,
        passes="r11-check-call ctx-check-server-text cvm-check-server-not-json",
    ),
    member(
        "check-announcement-id",
        "Asks for the id 1 in announcements.",
        within(
            "r1 r1e",
            also_reports(
                "BODY-10", lambda given: given["event"]["kind"] == 31316 and object_in(given).get("id", 1) != 1
            ),
        ),
        fails="r1/r1e-check-server-other-id",
    ),
    member(
        "check-announcement-members",
        "Does not look what a server says of itself.",
        unchecked(Rule.ANNOUNCEMENT_MEMBERS),
        fails="r1/r1e/ctx-check-server-no-version r1/r1e-check-server-no-capabilities r11/cvm-check-server-no-info",
    ),
    member(
        "check-announcement-without-d",
        "Does not ask for d on announcements.",
        presence("d", {MessageClass.SERVER, *LIST_MEMBERS}, Presence.OPTIONAL),
        fails="""
            r1/r1e/r11/ctx-check-server-no-d r1/r1e/r11/ctx-check-tools-no-d r1/r1e-check-resources-no-d
            r11/ctx-check-templates-no-d
        """,
        passes="r1-check-tools-no-s ctx-check-tools-no-s",
    ),
    member(
        "check-list-without-s",
        "Does not ask for s on lists.",
        presence("s", set(LIST_MEMBERS), Presence.OPTIONAL),
        fails="""
            r1/r1e/r11/ctx-check-tools-no-s r1/r1e/r11/ctx-check-resources-no-s r1/r1e/r11/ctx-check-prompts-no-s
            r11/ctx-check-templates-no-s
        """,
    ),
    member(
        "check-k-optional",
        "Does not ask for k.",
        presence("k", {MessageClass.SERVER}, Presence.OPTIONAL),
        fails="r1/r1e/r11-check-server-no-k",
    ),
    member(
        "check-cap-optional",
        "Does not ask for the names of tools.",
        ruled(for_no_list),
        fails="""
            r1-check-tools-no-t r1-check-tools-one-t r1e/r11-check-tools-no-cap r1e-check-tools-one-cap
            r1e-check-tools-other-cap r1e-check-tools-t r11-check-tools-cap-empty
        """,
    ),
    member(
        "check-cap-for-all",
        "Asks for the names of resources and prompts too.",
        ruled(for_every_list),
        fails="""
            r1-check-resources-no-t r1-check-prompts-no-t r1e/r11-check-resources-no-cap r1e/r11-check-prompts-no-cap
            r11-check-templates-no-cap
        """,
    ),
    member(
        "check-cap-once",
        "Is content with one name for all tools.",
        patched("check_event", (check, "_capability_tags", one_is_enough)),
        fails="""
            r1-check-tools-one-t r1e-check-tools-one-cap r1e-check-tools-other-cap r11-check-tools-no-cap
            r11-check-tools-cap-empty
        """,
    ),
    member(
        "check-cap-or-t",
        "Looks for names in t where they are in cap, and the reverse.",
        ruled(of_another_name),
        fails="""
            r1/r1e/r11-check-tools r1/r1e-check-tools-bare r1-check-tools-no-d r1e/r11-check-tools-no-s
            r11-check-tools-kind
        """,
        passes="r1-check-server r1e-check-resources-no-cap ctx-check-tools",
    ),
    # Prices
    member(
        "check-any-price",
        "Does not look at prices.",
        unchecked(Rule.PRICE_FORM),
        fails="""
            r11/ctx/cvm-check-price-no-unit r11-check-price-words ctx/cvm-check-price-word cvm-check-price-fraction
            cvm-check-price-half-range ctx-check-price-no-name cvm-check-price-bare cvm-check-price-bare-tag
            cvm-check-price-two-hyphens r11-check-price-two-points cvm-check-price-name-alone
        """,
    ),
    member(
        "check-price-bare",
        "Takes prices without a type.",
        unchecked(Rule.PRICE_IDENTIFIER),
        fails="""
            cvm-check-price-no-prefix cvm-check-price-other-prefix cvm-check-announced-price-no-prefix
            cvm-check-price-name-alone
        """,
    ),
    member(
        "check-any-completions",
        "Does not count the values of a completion.",
        patched("check_event", (bodies, "MOST_COMPLETIONS", 1000)),
        fails="r11-check-complete-many ctx/cvm-check-completion-many",
    ),
    member(
        "check-fewer-completions",
        "Reports a completion of 100 values.",
        patched("check_event", (bodies, "MOST_COMPLETIONS", 99)),
        fails="r11-check-complete-hundred ctx/cvm-check-completion-hundred",
    ),
    member(
        "check-every-completion",
        "Counts the values in whatever has a member completion.",
        within("r11", also_reports("COMP-09", lambda given: len(bodies.completions_in(object_in(given)) or ()) > 100)),
        fails="r11-check-tool-completion",
    ),
    member(
        "check-price-typed",
        "Asks for a type where prices have none.",
        within("r11 ctx", tabled("check_event", all_priced)),
        fails="""
            r11-check-tools-priced r11/ctx-check-price-no-unit r11-check-price-words ctx-check-priced-list-response
            ctx-check-priced-tools ctx-check-price-fraction ctx-check-price-word
            ctx-check-priced-tools-printed r11-check-price-two-points
        """,
    ),
    member(
        "check-price-whole",
        "Takes no fraction in prices.",
        amounts(lambda text, whole: right_amount(text, whole=True)),
        fails="ctx-check-price-fraction",
    ),
    member(
        "check-price-fraction",
        "Takes fractions where prices are whole.",
        amounts(lambda text, whole: right_amount(text)),
        fails="cvm-check-price-fraction",
    ),
    member(
        "check-price-no-range",
        "Takes no range for a price.",
        amounts(lambda text, whole: "-" not in text and right_amount(text, whole=whole)),
        fails="cvm-check-list-answer-range",
    ),
    member(
        "check-price-half-range",
        "Takes a range without an end.",
        amounts(lambda text, whole: right_amount(text.rstrip("-"), whole=whole)),
        fails="cvm-check-price-half-range",
    ),
]
