"""Each rule broken alone is reported, with its requirement and no other."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nostrmcp.nostr import Event
from nostrmcp.revisions import REVISIONS, VARIANTS, Revision
from nostrmcp.revisions.model import (
    NOTIFICATIONS,
    REQUESTS,
    RESPONSES,
    Envelope,
    MessageClass,
    PaymentForm,
    Presence,
    Rule,
    TagRule,
    TagValue,
)
from nostrmcp.translate.announce import LIST_METHODS, Announcement, build
from nostrmcp.translate.check import Breach, capability_names, check, is_amount
from nostrmcp.translate.route import Price, Role
from tests.nostr.strategies import ALICE, signed

from .strategies import (
    EVERY,
    INITIALIZE_RESULT,
    PUBKEYS,
    SAMPLES,
    changed,
    every_class,
    every_revision,
    prices_travel,
    sign,
)

REV1, EPHEMERAL, REV1_1, CTXVM, CONTEXTVM = REVISIONS.values()
STRICT = VARIANTS["ctxvm-draft-strict-text"]


def reqs(event: Event, revision: Revision, answers: str | None = None) -> list[str]:
    return [breach.req for breach in check(event, revision, answers)]


def sample(revision: Revision, message_class: MessageClass) -> Event:
    return SAMPLES[message_class].signed(revision)


def broken(revision: Revision, message_class: MessageClass, **fields: Any) -> list[str]:
    """What is reported of the sample of a class after some of its fields are changed."""
    one = SAMPLES[message_class]
    return reqs(changed(one.signed(revision), one.route.role, **fields), revision, one.answers)


@every_revision
@every_class
def test_the_samples_break_nothing(revision: Revision, message_class: MessageClass) -> None:
    assert broken(revision, message_class) == []


# Tags

_RULES = [
    pytest.param(revision, message_class, rule, id=f"{revision.name}-{message_class}-{rule.name}")
    for revision in EVERY.values()
    for message_class in SAMPLES
    for rule in revision.tags[message_class]
]
_REQUIRED = [one for one in _RULES if one.values[2].presence is Presence.REQUIRED]
_PRESENT = [one for one in _RULES if one.values[2].value is not TagValue.PRICES]


@pytest.mark.parametrize(("revision", "message_class", "rule"), _REQUIRED)
def test_a_required_tag_dropped(revision: Revision, message_class: MessageClass, rule: TagRule) -> None:
    tags = tuple(tag for tag in sample(revision, message_class).tags if tag[0] != rule.name)
    assert broken(revision, message_class, tags=tags) == [rule.req]


@pytest.mark.parametrize(("revision", "message_class", "rule"), [one for one in _PRESENT if one not in _REQUIRED])
def test_an_optional_tag_dropped(revision: Revision, message_class: MessageClass, rule: TagRule) -> None:
    tags = tuple(tag for tag in sample(revision, message_class).tags if tag[0] != rule.name)
    assert broken(revision, message_class, tags=tags) == []


_MISFITS: dict[TagValue, tuple[tuple[str, ...], ...]] = {
    TagValue.RECIPIENT: ((), ("",), ("AB" * 32,), ("ab" * 31,)),
    TagValue.REQUEST_EVENT: ((), ("",), ("AB" * 32,)),
    TagValue.SERVER_ID: ((), ("",)),
    TagValue.METHOD: ((), ("",)),
    # The presence of a flag speaks, whatever it holds.
    TagValue.FLAG: (),
    TagValue.EPHEMERAL_FLAG: (),
    TagValue.TEXT: (),
    TagValue.PAYMENT_METHODS: ((), ("",), ("Bitcoin",), ("bitcoin lightning",)),
    TagValue.STATUS: ((), ("processing",)),
    TagValue.AMOUNT: ((), ("5",), ("x", "lnbc1"), ("5", "sats")),
    TagValue.TIME: ((), ("soon",), ("²",)),
}


@pytest.mark.parametrize(("revision", "message_class", "rule"), _PRESENT)
def test_a_tag_with_another_value(revision: Revision, message_class: MessageClass, rule: TagRule) -> None:
    for misfit in _MISFITS[rule.value]:
        tags = [tag for tag in sample(revision, message_class).tags if tag[0] != rule.name]
        found = broken(revision, message_class, tags=(*tags, (rule.name, *misfit)))
        if rule.value is TagValue.METHOD and misfit:
            assert found == [revision.requirements[Rule.METHOD_AGREES], rule.req]
        else:
            assert found == [rule.req]


@pytest.mark.parametrize(("revision", "message_class", "rule"), _PRESENT)
def test_a_second_tag_that_does_not_fit(revision: Revision, message_class: MessageClass, rule: TagRule) -> None:
    tags = sample(revision, message_class).tags
    if any(tag[0] == rule.name for tag in tags) and _MISFITS[rule.value]:
        assert broken(revision, message_class, tags=(*tags, (rule.name, *_MISFITS[rule.value][-1]))) == [rule.req]


@every_revision
@every_class
def test_tags_that_the_revision_does_not_name(revision: Revision, message_class: MessageClass) -> None:
    tags = (*sample(revision, message_class).tags, ("client", "x"), ("alt",))
    assert broken(revision, message_class, tags=tags) == []


@every_revision
def test_the_method_tag_agrees_with_content(revision: Revision) -> None:
    tags = tuple(tag for tag in sample(revision, MessageClass.INITIALIZE).tags if tag[0] != "method")
    found = broken(revision, MessageClass.INITIALIZE, tags=(*tags, ("method", "ping")))
    named = any(rule.name == "method" for rule in revision.tags[MessageClass.INITIALIZE])
    assert found == ([revision.requirements[Rule.METHOD_AGREES]] if named else [])


# Kinds

_KINDS = (5910, 6910, 7000, 21316, 25910, 26910)
_LEADER = {
    **dict.fromkeys(REQUESTS, MessageClass.REQUEST),
    **dict.fromkeys(RESPONSES, MessageClass.RESPONSE),
    **dict.fromkeys(NOTIFICATIONS, MessageClass.NOTIFICATION_TO_CLIENT),
}


def _decides(revision: Revision, message_class: MessageClass, kind: int) -> bool:
    """Where results stand at the root of content, only the kind tells some messages apart, and cannot be wrong then."""
    if revision.envelope is not Envelope.HOISTED or message_class is MessageClass.PAYMENT_REQUIRED:
        return True
    if message_class in RESPONSES:
        return message_class is MessageClass.ERROR or kind not in (revision.kinds.request, revision.kinds.notification)
    return kind != revision.kinds.response


@pytest.mark.parametrize("kind", _KINDS)
@every_revision
@every_class
def test_a_kind_swapped(revision: Revision, message_class: MessageClass, kind: int) -> None:
    if kind == revision.kinds.of(message_class) or not _decides(revision, message_class, kind):
        return
    assert broken(revision, message_class, kind=kind) == [revision.kind_reqs[_LEADER[message_class]]]


@every_revision
@every_class
def test_a_message_on_the_kind_of_an_announcement(revision: Revision, message_class: MessageClass) -> None:
    """It is read as that announcement, and is none."""
    assert broken(revision, message_class, kind=revision.kinds.announcements[MessageClass.SERVER]) != []


def test_where_the_kind_alone_decides() -> None:
    # A hoisted result has no mark of its own: on another kind of the revision it is a bad message of that kind.
    assert broken(REV1_1, MessageClass.RESPONSE, kind=25910)[0] == "R11-BODY-03"
    assert broken(REV1_1, MessageClass.RESPONSE, kind=6910) == ["R11-KIND-02"]
    # And a call on the kind of responses is the result {"method": ..., "params": ...}, which lacks its request.
    assert broken(REV1_1, MessageClass.REQUEST, kind=26910) == ["R11-TAG-08"]


# Envelopes


def _body(revision: Revision, message_class: MessageClass) -> dict[str, Any]:
    return json.loads(sample(revision, message_class).content)


def _envelope_rule(message_class: MessageClass) -> Rule:
    if message_class in REQUESTS:
        return Rule.REQUEST_ENVELOPE
    return Rule.RESPONSE_ENVELOPE if message_class in RESPONSES else Rule.NOTIFICATION_ENVELOPE


def _speaks_json(revision: Revision, message_class: MessageClass) -> bool:
    return message_class is not MessageClass.PAYMENT_REQUIRED or revision.payment is not PaymentForm.STATUS_TAGS


@every_revision
@every_class
def test_an_envelope_broken(revision: Revision, message_class: MessageClass) -> None:
    if not _speaks_json(revision, message_class):
        return
    body = _body(revision, message_class)
    if Envelope.JSONRPC in revision.conforming_envelopes:
        body = {"jsonrpc": "2.0", "id": 7, **body}
        if message_class in NOTIFICATIONS:
            del body["id"]
        wrong = [{name: value for name, value in body.items() if name != "jsonrpc"}, body | {"jsonrpc": "1.0"}]
        if message_class in NOTIFICATIONS:
            wrong += [body | {"id": 7}, body | {"id": None}]
        else:
            wrong += [{name: value for name, value in body.items() if name != "id"}, body | {"id": 1.5}]
            wrong += [] if message_class is MessageClass.ERROR else [body | {"id": None}]
    else:
        wrong = [body | {"jsonrpc": "2.0"}, body | {"id": 7}, body | {"jsonrpc": "2.0", "id": 7}]
    # The draft lets both envelopes stand, so it has no rule to break.
    rule = revision.requirements.get(_envelope_rule(message_class))
    assert (rule is None) is (len(revision.conforming_envelopes) > 1)
    for one in wrong:
        assert broken(revision, message_class, content=json.dumps(one)) == ([] if rule is None else [rule]), one


@every_revision
def test_an_error_whose_request_could_not_be_read(revision: Revision) -> None:
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "what?"}}
    found = broken(revision, MessageClass.ERROR, content=json.dumps(body))
    assert found == ([] if Envelope.JSONRPC in revision.conforming_envelopes else ["R11-BODY-04"])


# Bodies


@every_revision
@every_class
def test_content_that_is_no_object(revision: Revision, message_class: MessageClass) -> None:
    if _speaks_json(revision, message_class):
        for content in ("", "{", "[]", "7", '{"a":1,"a":2}'):
            found = broken(revision, message_class, content=content)
            assert found == [revision.requirements[Rule.CONTENT_IS_JSON]]


@every_revision
def test_a_request_is_a_method_and_params(revision: Revision) -> None:
    body = _body(revision, MessageClass.REQUEST)
    rule = revision.requirements[Rule.REQUEST_MEMBERS]
    assert broken(revision, MessageClass.REQUEST, content=json.dumps(body | {"params": []})) == [rule]
    assert rule in broken(revision, MessageClass.REQUEST, content=json.dumps(body | {"method": 7}))
    del body["method"]
    assert rule in broken(revision, MessageClass.REQUEST, content=json.dumps(body))
    note = _body(revision, MessageClass.NOTIFICATION_TO_CLIENT) | {"params": "x"}
    assert broken(revision, MessageClass.NOTIFICATION_TO_CLIENT, content=json.dumps(note)) == [rule]


@every_revision
def test_a_request_with_a_member_more(revision: Revision) -> None:
    body = _body(revision, MessageClass.REQUEST) | {"extra": 1}
    found = broken(revision, MessageClass.REQUEST, content=json.dumps(body))
    assert found == (["R11-BODY-03"] if revision.envelope is Envelope.HOISTED else [])


@every_revision
def test_the_place_of_a_result(revision: Revision) -> None:
    envelope = {"jsonrpc": "2.0", "id": 7} if Envelope.JSONRPC in revision.conforming_envelopes else {}
    rule = revision.requirements[Rule.RESULT_PLACE]
    hoisted = broken(revision, MessageClass.RESPONSE, content=json.dumps(envelope | {"content": []}))
    nested = broken(revision, MessageClass.RESPONSE, content=json.dumps(envelope | {"result": {"content": []}}))
    assert (hoisted, nested) == (([], [rule]) if revision.envelope is Envelope.HOISTED else ([rule], []))


@every_revision
def test_one_outcome(revision: Revision) -> None:
    envelope = {"jsonrpc": "2.0", "id": 7} if Envelope.JSONRPC in revision.conforming_envelopes else {}
    both = envelope | {"error": {"code": 1, "message": "m"}, "result": {}}
    found = broken(revision, MessageClass.RESPONSE, content=json.dumps(both))
    # At the root of content it is a result with members of those names.
    assert found == ([] if revision.envelope is Envelope.HOISTED else [revision.requirements[Rule.ONE_OUTCOME]])


@every_revision
@pytest.mark.parametrize(
    "error", [None, "m", {}, {"code": 1}, {"code": "1", "message": "m"}, {"code": 1, "message": 2}]
)
def test_the_form_of_an_error(revision: Revision, error: Any) -> None:
    envelope = {"jsonrpc": "2.0", "id": 7} if Envelope.JSONRPC in revision.conforming_envelopes else {}
    found = broken(revision, MessageClass.ERROR, content=json.dumps(envelope | {"error": error}))
    # At the root of content it is a result with a member of that name.
    assert found == ([] if revision.envelope is Envelope.HOISTED else [revision.requirements[Rule.ERROR_FORM]])


def test_a_hoisted_result_may_have_a_member_named_error() -> None:
    assert broken(REV1_1, MessageClass.RESPONSE, content='{"error":"none","content":[]}') == []


@every_revision
@pytest.mark.parametrize(
    ("message_class", "method", "member", "wrong"),
    [
        (MessageClass.PROGRESS, "notifications/progress", "id", 1.5),
        (MessageClass.PROGRESS, "notifications/progress", "progressToken", None),
        (MessageClass.PROGRESS, "notifications/progress", "progress", "half"),
        (MessageClass.CANCEL, "notifications/cancel", "id", []),
        (MessageClass.CANCEL, "notifications/cancelled", "requestId", True),
        (MessageClass.PAYMENT_REQUIRED, "notifications/payment_required", "amount", "5"),
        (MessageClass.PAYMENT_REQUIRED, "notifications/payment_required", "currency", 5),
        (MessageClass.PAYMENT_REQUIRED, "notifications/payment_required", "invoice", 5),
        (MessageClass.PAYMENT_REQUIRED, "notifications/payment_required", "pay_req", 5),
        (MessageClass.PAYMENT_REQUIRED, "notifications/payment_required", "pmi", "Bitcoin"),
        (MessageClass.PAYMENT_REQUIRED, "notifications/payment_required", "pmi", ""),
        (MessageClass.PAYMENT_REQUIRED, "notifications/payment_required", "pmi", 5),
    ],
)
def test_a_member_retyped_or_dropped(
    revision: Revision, message_class: MessageClass, method: str, member: str, wrong: Any
) -> None:
    expected = revision.params.get(method)
    if expected is None or member not in expected.members:
        return
    body = _body(revision, message_class)
    assert body["method"] == method
    params = dict(body["params"])
    retyped = json.dumps(body | {"params": params | {member: wrong}})
    del params[member]
    dropped = json.dumps(body | {"params": params})
    assert broken(revision, message_class, content=retyped) == [expected.req]
    assert broken(revision, message_class, content=dropped) == [expected.req]


@every_revision
def test_a_cancel_in_the_other_spelling(revision: Revision) -> None:
    body = _body(revision, MessageClass.CANCEL)
    seeds = body["method"] == "notifications/cancel"
    method = "notifications/cancelled" if seeds else "notifications/cancel"
    tags = tuple(
        ("method", method) if tag[0] == "method" else tag for tag in sample(revision, MessageClass.CANCEL).tags
    )
    body |= {"method": method, "params": {"requestId" if seeds else "id": 7}}
    found = broken(revision, MessageClass.CANCEL, tags=tags, content=json.dumps(body))
    assert found == ([revision.requirements[Rule.CANCEL_METHOD]] if seeds else [])


# Demands for payment by tags


@pytest.mark.parametrize("revision", [REV1, EPHEMERAL, REV1_1], ids=lambda revision: revision.name)
def test_a_demand_by_tags_has_no_content(revision: Revision) -> None:
    assert broken(revision, MessageClass.PAYMENT_REQUIRED, content="{}") == [
        revision.requirements[Rule.PAYMENT_CONTENT]
    ]


@every_revision
def test_an_expiration_on_a_demand(revision: Revision) -> None:
    tags = (*sample(revision, MessageClass.PAYMENT_REQUIRED).tags, ("expiration", "soon"))
    found = broken(revision, MessageClass.PAYMENT_REQUIRED, tags=tags)
    assert found == (["R1-PAY-06"] if revision is REV1 else [])


# Completions


def completion(revision: Revision, values: Any) -> Event:
    """The answer to a request, with these values as its completion."""
    body: dict[str, Any] = {"completion": {"values": values, "hasMore": True}}
    if revision.envelope is not Envelope.HOISTED:
        body = {"result": body}
    if revision.envelope is Envelope.JSONRPC:
        body = {"jsonrpc": "2.0", "id": 1, **body}
    return changed(sample(revision, MessageClass.RESPONSE), Role.SERVER, content=json.dumps(body))


@every_revision
def test_the_number_of_completions(revision: Revision) -> None:
    limited = [revision.requirements[Rule.COMPLETION_VALUES]] if Rule.COMPLETION_VALUES in revision.requirements else []
    assert reqs(completion(revision, ["a"] * 100), revision, "completion/complete") == []
    assert reqs(completion(revision, ["a"] * 101), revision, "completion/complete") == limited
    assert reqs(completion(revision, ["a"] * 101), revision, "tools/call") == []
    assert reqs(completion(revision, "a" * 101), revision, "completion/complete") == []


def test_which_revisions_limit_completions() -> None:
    limits = {name: one.requirements.get(Rule.COMPLETION_VALUES) for name, one in EVERY.items()}
    assert limits == {
        "dvmcp-rev1": None,
        "dvmcp-rev1-ephemeral": None,
        "dvmcp-rev1.1": "R11-COMP-09",
        "ctxvm-draft": "CTX-COMP-02",
        "ctxvm-draft-strict-text": "CTX-COMP-02",
        "contextvm": "CVM-COMP-02",
    }


@pytest.mark.parametrize("body", [{"completion": []}, {"completion": {}}, {"result": []}, {"error": {"code": 1}}])
def test_what_is_no_completion_has_no_values_to_count(body: dict[str, Any]) -> None:
    event = changed(sample(REV1_1, MessageClass.RESPONSE), Role.SERVER, content=json.dumps(body))
    assert "R11-COMP-09" not in reqs(event, REV1_1, "completion/complete")


# Prices


@pytest.mark.parametrize("revision", [CTXVM, STRICT, CONTEXTVM], ids=lambda revision: revision.name)
@pytest.mark.parametrize(
    ("tag", "whole", "plain"),
    [
        (("cap", "tool:a", "5", "sats"), [], []),
        (("cap", "tool:a", "5-10", "sats"), [], []),
        (("cap", "tool:a", "0.5", "usd"), ["FORM"], []),
        (("cap", "tool:a", "x", "sats"), ["FORM"], ["FORM"]),
        (("cap", "tool:a", "5", ""), ["FORM"], ["FORM"]),
        (("cap", "tool:a", "5"), ["FORM"], ["FORM"]),
        (("cap", "tool:a"), ["FORM"], []),
        (("cap",), ["FORM"], ["FORM"]),
        (("cap", "a", "5", "sats"), ["IDENTIFIER"], []),
        (("cap", "a", "x", "sats"), ["FORM", "IDENTIFIER"], ["FORM"]),
        (("cap", "tool:a", "5", "sats", "more"), ["FORM"], ["FORM"]),
    ],
)
def test_the_form_of_a_price(revision: Revision, tag: tuple[str, ...], whole: list[str], plain: list[str]) -> None:
    tags = (*sample(revision, MessageClass.LIST_RESPONSE).tags, tag)
    rules = {"FORM": Rule.PRICE_FORM, "IDENTIFIER": Rule.PRICE_IDENTIFIER}
    expected = whole if revision is CONTEXTVM else plain
    found = broken(revision, MessageClass.LIST_RESPONSE, tags=tags)
    assert found == [revision.requirements[rules[name]] for name in expected]


@pytest.mark.parametrize("text", ["0", "5", "0.5", "5-10", "0.5-1.5"])
def test_amounts(text: str) -> None:
    assert is_amount(text)
    assert is_amount(text, whole=True) is ("." not in text)


@pytest.mark.parametrize("text", ["", "-", "5-", "-5", "1.2.3", "x", "²", "٣", "5 ", "1e3", "5-6-7"])
def test_what_is_no_amount(text: str) -> None:
    assert not is_amount(text)
    assert not is_amount(text, whole=True)


# Announcements

_ANNOUNCED = [
    pytest.param(revision, message_class, id=f"{revision.name}-{message_class}")
    for revision in EVERY.values()
    for message_class in revision.kinds.announcements
]
announced = pytest.mark.parametrize(("revision", "message_class"), _ANNOUNCED)
_CONTENTS: dict[MessageClass, dict[str, Any]] = {
    MessageClass.SERVER: INITIALIZE_RESULT,
    MessageClass.TOOLS: {"tools": [{"name": "a"}, {"name": "b"}]},
    MessageClass.RESOURCES: {"resources": [{"name": "a", "uri": "file:///a"}]},
    MessageClass.RESOURCE_TEMPLATES: {"resourceTemplates": [{"name": "a", "uriTemplate": "file:///{a}"}]},
    MessageClass.PROMPTS: {"prompts": [{"name": "a"}]},
}


def announcement(revision: Revision, message_class: MessageClass) -> Event:
    texts = dict.fromkeys(("name", "about", "picture", "website"), "text") if message_class == "server" else {}
    kind = {"tools": "tool", "prompts": "prompt"}.get(message_class, "resource")
    one = Announcement(
        message_class,
        PUBKEYS[Role.SERVER],
        "server-1",
        _CONTENTS[message_class],
        **texts,
        encryption=True,
        ephemeral_wraps=True,
        prices=(Price(kind, "a", "5", "sats"),) if prices_travel(revision, message_class) else (),
    )
    return sign(build(one, revision, 1_750_000_000), Role.SERVER)


def bad(revision: Revision, message_class: MessageClass, **fields: Any) -> list[str]:
    return reqs(changed(announcement(revision, message_class), Role.SERVER, **fields), revision)


@announced
def test_what_we_announce_breaks_nothing(revision: Revision, message_class: MessageClass) -> None:
    assert bad(revision, message_class) == []


@announced
def test_each_tag_of_an_announcement_dropped(revision: Revision, message_class: MessageClass) -> None:
    its_tags = announcement(revision, message_class).tags
    for rule in revision.tags[message_class]:
        tags = tuple(tag for tag in its_tags if tag[0] != rule.name)
        expected = [rule.req] if rule.presence is Presence.REQUIRED else []
        assert bad(revision, message_class, tags=tags) == expected, rule.name


@announced
def test_each_tag_of_an_announcement_with_another_value(revision: Revision, message_class: MessageClass) -> None:
    its_tags = announcement(revision, message_class).tags
    misfits = {
        TagValue.SERVER_ID: ("",),
        TagValue.LIST_ID: ("",),
        TagValue.REQUEST_KIND: ("1",),
    }
    for rule in revision.tags[message_class]:
        if rule.value in misfits:
            tags = (*(tag for tag in its_tags if tag[0] != rule.name), (rule.name, *misfits[rule.value]))
            assert bad(revision, message_class, tags=tags) == [rule.req], rule.name


@announced
def test_an_announcement_on_another_kind(revision: Revision, message_class: MessageClass) -> None:
    kinds = {kind for it in EVERY.values() for kind in it.kinds.announcements.values()}
    for kind in kinds - {revision.kinds.announcements[message_class]}:
        found = bad(revision, message_class, kind=kind)
        if message_class is MessageClass.SERVER and kind in revision.kinds.announcements.values():
            assert found != []  # it names no list: it is a bad one of the kind that it has
        else:
            assert found == [revision.kind_reqs[message_class]], kind


@announced
def test_an_announcement_in_the_other_envelope(revision: Revision, message_class: MessageClass) -> None:
    content = json.loads(announcement(revision, message_class).content)
    wraps = "result" in content
    other = content["result"] if wraps else {"jsonrpc": "2.0", "id": 1, "result": content}
    is_server = message_class is MessageClass.SERVER
    rule = revision.requirements[Rule.ANNOUNCEMENT_ENVELOPE if is_server else Rule.LIST_ENVELOPE]
    assert bad(revision, message_class, content=json.dumps(other)) == [rule]
    half = {"result": content["result"]} if wraps else {"jsonrpc": "2.0", **content}
    assert bad(revision, message_class, content=json.dumps(half)) == [rule]


@every_revision
def test_a_server_says_what_an_initialize_result_does(revision: Revision) -> None:
    for name in INITIALIZE_RESULT:
        content = json.loads(announcement(revision, MessageClass.SERVER).content)
        del content.get("result", content)[name]
        found = bad(revision, MessageClass.SERVER, content=json.dumps(content))
        assert found == [revision.requirements[Rule.ANNOUNCEMENT_MEMBERS]]


@announced
def test_an_announcement_that_is_no_object(revision: Revision, message_class: MessageClass) -> None:
    for content in ("", "[]", "{"):
        found = bad(revision, message_class, content=content)
        assert found == [revision.requirements[Rule.CONTENT_IS_JSON]]


@pytest.mark.parametrize("revision", [REV1, EPHEMERAL, REV1_1], ids=lambda revision: revision.name)
def test_one_tag_for_each_tool(revision: Revision) -> None:
    rule = next(rule for rule in revision.tags[MessageClass.TOOLS] if rule.value is TagValue.CAPABILITIES)
    others = tuple(tag for tag in announcement(revision, MessageClass.TOOLS).tags if tag[0] != rule.name)
    a, b = (rule.name, "a"), (rule.name, "b")
    for right in ((b, a), (a, b, b), (a, b, (rule.name, "c"))):
        assert bad(revision, MessageClass.TOOLS, tags=(*others, *right)) == []
    for wrong in ((a,), (a, (rule.name, "c")), (a, b, (rule.name,)), ()):
        assert bad(revision, MessageClass.TOOLS, tags=(*others, *wrong)) == [rule.req]


def test_a_price_beside_a_capability() -> None:
    tags = tuple(tag for tag in announcement(REV1_1, MessageClass.TOOLS).tags if tag[0] != "cap")
    good, worse = ("cap", "a", "5", "sats"), ("cap", "a", "x", "sats")
    assert bad(REV1_1, MessageClass.TOOLS, tags=(*tags, good, ("cap", "b"))) == []
    assert bad(REV1_1, MessageClass.TOOLS, tags=(*tags, worse, ("cap", "b"))) == ["R11-PRICE-01"]


def test_names_of_items() -> None:
    content = {"tools": [{"name": "a"}, {"title": "b"}, "c", {"name": 7}, {"name": "d"}]}
    assert capability_names(MessageClass.TOOLS, content) == ["a", "d"]
    assert capability_names(MessageClass.TOOLS, {"tools": {"name": "a"}}) == []
    assert capability_names(MessageClass.SERVER, content) == []


def test_a_flag_with_a_value_is_a_flag() -> None:
    for message_class in (MessageClass.INITIALIZE, MessageClass.INITIALIZE_RESPONSE):
        flags = (("support_encryption", "true"), ("support_encryption_ephemeral", "false"))
        assert broken(CONTEXTVM, message_class, tags=(*sample(CONTEXTVM, message_class).tags, *flags)) == []


def test_a_breach_says_where_and_why() -> None:
    event = signed(ALICE, kind=25910, content='{"jsonrpc":"2.0","id":1,"method":"ping"}')
    assert check(event, CONTEXTVM) == (Breach("CVM-TAG-01", "event.tags", "there is no p tag"),)


def test_an_announcement_of_another_revisions_kind_is_no_message() -> None:
    event = signed(ALICE, kind=11316, content=json.dumps(INITIALIZE_RESULT))
    assert reqs(event, CTXVM)[0] == "CTX-KIND-04"
    assert set(LIST_METHODS) < set(_CONTENTS)
