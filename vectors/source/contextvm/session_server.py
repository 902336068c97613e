"""Servers of `contextvm`: one key is one server, both kinds of wrap, discovery tags, payment_accepted.

The scenarios stand in vectors/source/server_*.py; here is which of the CEPs' requirements each one shows.
"""

from __future__ import annotations

from vectors.source import server_announce as announce
from vectors.source import server_asks as ask
from vectors.source import server_basics as basics
from vectors.source import server_content as content
from vectors.source import server_edges as edges
from vectors.source import server_handshake as handshake
from vectors.source import server_money as money
from vectors.source import server_notices as notices
from vectors.source import server_revisions as revisions
from vectors.source import server_trust as trust
from vectors.source import server_wraps as wraps
from vectors.source.dialects import ANY_ID, CAROL, PMI
from vectors.source.dialects import CONTEXTVM as D
from vectors.source.scripts import INITIALIZE, INITIALIZE_RESULT, id_of, mcp_server, result, rpc, shared, stated
from vectors.source.server_money import INVOICE, PRICES
from vectors.source.server_play import CALL, FLAGS, RESULT, answered, asks, publishes, start, suite
from vectors.source.writing import Case, public

EPHEMERAL_WRAP = 21059


def first_message() -> Case:
    title = "A server's first message of any sort has its discovery tags, the next has none"
    s = start(D, "first-message", title, "CVM-FLOW-62 CVM-FLOW-63 CVM-FLOW-64 CVM-FLOW-66 CVM-ENC-22 CVM-ENC-23 "
              "CVM-ANN-53 CVM-ANN-54", "Discovery", encryption="optional", level="SHOULD")  # fmt: skip
    asked = asks(s, D, "alice", 1)
    s.says(result(id_of(asked.step), RESULT))
    s.publishes(D.response(asked.event, 1, RESULT).with_tags(*FLAGS))
    answered(s, D, asks(s, D, "alice", 2))
    event = s.arrives("alice", D.initialize(INITIALIZE))
    s.publishes(D.response(event, 0, INITIALIZE_RESULT, method="initialize").with_tags(*FLAGS))
    return s.case()


# cep-6.md: Server Announcement Event
TEXTS = {
    "name": "Example Server", "about": "Server description", "picture": "https://example.com/server.png",
    "website": "https://example.com",
}  # fmt: skip


def first_message_texts() -> Case:
    """Neither announced nor encrypting, so that these are all the discovery tags there are."""
    title = "A server's first message to a client has its texts for people"
    s = start(D, "first-message-texts", title, "CVM-FLOW-62 CVM-FLOW-66 CVM-ANN-52 CVM-ANN-53 CVM-ANN-54", "Discovery",
              servers=[mcp_server() | TEXTS], level="SHOULD")  # fmt: skip
    tags = [[name, text] for name, text in TEXTS.items()]
    for role in ("alice", "carol"):
        asked = asks(s, D, role, 1)
        s.says(result(id_of(asked.step), RESULT))
        s.publishes(D.response(asked.event, 1, RESULT, to=public(role)).with_tags(*tags))
        answered(s, D, asks(s, D, role, 2))
    event = s.arrives("dave", D.request("tools/call", {}, 3))
    s.publishes(D.error(event, 3, -32602, to=public("dave")).with_tags(*tags))
    return s.case()


def first_message_some_texts() -> Case:
    title = "A server that has only a name sends it, beside the flags for wraps"
    s = start(D, "first-message-name", title, "CVM-FLOW-62 CVM-FLOW-64 CVM-ANN-54", "Discovery Encryption",
              servers=[mcp_server() | {"name": "Example Server"}], encryption="optional", level="SHOULD")  # fmt: skip
    event = s.arrives("alice", D.initialize(INITIALIZE), wrap=1059)
    form = D.response(event, 0, INITIALIZE_RESULT, method="initialize")
    publishes(s, D, form.with_tags(["name", "Example Server"], *FLAGS), 1059)
    asked = asks(s, D, "carol", 1, token="t")
    s.says(rpc("notifications/progress", {"progressToken": "{{token:1}}", "progress": 1, "message": "at work"}))
    s.publishes(D.progress(asked.event, 1, "t", 1, "at work", to=CAROL).with_tags(["name", "Example Server"], *FLAGS))
    answered(s, D, asked)
    return s.case()


def first_message_with_token() -> Case:
    s = start(D, "first-message-token", "Discovery tags are on the first message also where it is progress",
              "CVM-FLOW-62 CVM-FLOW-64", "Discovery", encryption="optional", level="SHOULD")  # fmt: skip
    asked = asks(s, D, "alice", 1, token="t")
    s.says(rpc("notifications/progress", {"progressToken": "{{token:0}}", "progress": 1, "message": "at work"}))
    s.publishes(D.progress(asked.event, 1, "t", 1, "at work").with_tags(*FLAGS))
    answered(s, D, asked)
    return s.case()


def ephemeral_wraps() -> Case:
    title = "A request in an ephemeral wrap is answered in one, and one of kind 1059 in 1059"
    s = start(D, "ephemeral-wraps", title, "CVM-KIND-09 CVM-ENC-03 CVM-ENC-24 CVM-ENC-25 CVM-ENC-26 CVM-ENC-29 CVM-FLOW-73",
              "Encryption", encryption="optional", level="SHOULD")  # fmt: skip
    wraps.works(s, D, EPHEMERAL_WRAP, "alice")
    wraps.works(s, D, 1059, "carol")
    return s.case()


def ephemeral_flag() -> Case:
    title = "A client that says it reads ephemeral wraps gets them, asked for or not"
    s = start(D, "ephemeral-flag", title, "CVM-ENC-25 CVM-FLOW-65 CVM-FLOW-67", "Encryption Discovery",
              encryption="optional", level="SHOULD")  # fmt: skip
    form = D.request("tools/call", CALL, 3).with_tags(*FLAGS)
    asked = asks(s, D, wrap=1059, form=form)
    s.says(result(id_of(asked.step), RESULT))
    publishes(s, D, wraps.first(D, D.response(asked.event, 3, RESULT)), EPHEMERAL_WRAP)
    s.says(rpc("notifications/tools/list_changed"))
    publishes(s, D, D.to_client("notifications/tools/list_changed"), EPHEMERAL_WRAP)
    return s.case()


def plain_flag() -> Case:
    s = start(D, "plain-flag", "A plain request is answered in plain, whatever wraps its sender reads", "CVM-FLOW-73",
              "Encryption Discovery", encryption="optional", level="SHOULD")  # fmt: skip
    asked = asks(s, D, form=D.request("tools/call", CALL, 3).with_tags(*FLAGS))
    s.says(result(id_of(asked.step), RESULT))
    s.publishes(wraps.first(D, D.response(asked.event, 3, RESULT)))
    return s.case()


def large_wrapped() -> Case:
    title = "A result beyond what a wrap of 65535 bytes holds is replaced by an error"
    s = start(D, "large-wrapped", title, "HOUSE-LIMIT-11", "Limits Encryption", encryption="optional",
              limits={"event": 262_144})  # fmt: skip
    asked = asks(s, D, wrap=1059)
    s.says(result(id_of(asked.step), {"content": [{"type": "text", "text": "x" * 65_536}]}))
    form = D.error(asked.event, 3, -32603, data={"size": ANY_ID, "limit": ANY_ID})
    publishes(s, D, wraps.first(D, form), 1059)
    return s.case()


def later_flags() -> Case:
    s = start(D, "later-flags", "Discovery tags of a later message do not change what the first one said",
              "CVM-FLOW-65 CVM-FLOW-69", "Encryption Discovery", encryption="optional", level="SHOULD")  # fmt: skip
    wraps.works(s, D, 1059, "alice")
    s.arrives("alice", D.initialized().with_tags(*FLAGS), wrap=1059)
    s.says(rpc("notifications/tools/list_changed"))
    publishes(s, D, D.to_client("notifications/tools/list_changed"), 1059)
    return s.case()


def payment_method() -> Case:
    s = start(D, "payment-method", "A client that names its payment methods gets one demand, for one of them",
              "CVM-PAY-59 CVM-PAY-71", "Money", prices=PRICES, invoice=INVOICE, level="SHOULD")  # fmt: skip
    form = D.request("tools/call", CALL, 3).with_tags(["pmi", "bitcoin-cashu"], ["pmi", PMI])
    event = s.arrives("alice", form)
    s.publishes(D.demand(event, 100, INVOICE))
    return s.case()


def explicit_gating() -> Case:
    """One of the two ways that CEP-8 leaves: the other is to name the lifecycle that there is and to use it."""
    s = start(D, "explicit-gating", "Who asks for explicit gating is told that it is not to be had",
              "CVM-PAY-72 CVM-PAY-73", "Money", prices=PRICES, invoice=INVOICE, level="MAY")  # fmt: skip
    event = s.arrives("alice", D.request("tools/call", CALL, 3).with_tags(["payment_interaction", "explicit_gating"]))
    data = {"requested": "explicit_gating", "supported": ["transparent"]}
    s.publishes(D.error(event, 3, -32602, data=data))
    event = s.arrives("alice", D.request("tools/call", CALL, 4))
    s.publishes(D.demand(event, 100, INVOICE))
    return s.case()


def several_lifecycles() -> Case:
    """CEP-8 binds the client; that the first tag counts at a server is our reading."""
    s = start(D, "several-lifecycles", "Several payment_interaction tags are no list of preferences", "CVM-PAY-75",
              "Money", prices=PRICES, invoice=INVOICE, level="MAY")  # fmt: skip
    lifecycles = (["payment_interaction", "explicit_gating"], ["payment_interaction", "transparent"])
    event = s.arrives("alice", D.request("tools/call", CALL, 3).with_tags(*lifecycles))
    data = {"requested": "explicit_gating", "supported": ["transparent"]}
    s.publishes(D.error(event, 3, -32602, data=data))
    return s.case()


RANGE = [{"type": "tool", "capability": "get_weather", "amount": "100-1000", "unit": "sats"}]
FIVE_HUNDRED = "lnbc5u1pvectrsqqqqsyqcyq5rqwzqf"


def demand_in_range() -> Case:
    s = start(D, "demand-in-range", "Of a range of prices the demand names the amount of its invoice",
              "CVM-PRICE-51 CVM-PRICE-52", "Money", prices=RANGE, invoice=FIVE_HUNDRED)  # fmt: skip
    event = s.arrives("alice", D.request("tools/call", CALL, 3))
    s.publishes(D.demand(event, 500, FIVE_HUNDRED))
    return s.case()


def accepted_in_range() -> Case:
    s = start(D, "accepted-in-range", "Of a range of prices payment_accepted names the amount that was paid",
              "CVM-PAY-51 CVM-PAY-63", "Money", prices=RANGE, invoice=FIVE_HUNDRED, level="SHOULD")  # fmt: skip
    event = s.arrives("alice", D.request("tools/call", CALL, 3))
    s.publishes(D.demand(event, 500, FIVE_HUNDRED))
    s.paid(0)
    s.publishes(D.payment_accepted(event, 500))
    s.delivers(rpc("tools/call", CALL, ANY_ID))
    return s.case()


def bad_invoice() -> Case:
    title = "Within a range of prices, an invoice that names no amount sells nothing"
    s = start(D, "bad-invoice", title, "HOUSE-PAY-10", "Money", prices=RANGE, invoice="lnbc1pvectrsqqqqsyqcyq5rqwzqf")
    event = s.arrives("alice", D.request("tools/call", CALL, 3))
    s.publishes(D.error(event, 3, -32603))
    s.paid(0)
    return s.case()


def price_range() -> Case:
    s = start(D, "priced-list", "The answer to a list request names prices for reference", "CVM-PRICE-51", "Money",
              prices=RANGE, invoice=INVOICE)  # fmt: skip
    asked = asks(s, D, "alice", 1, "tools/list", {})
    tools = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("get_weather", "get_forecast")]}
    s.says(result(id_of(0), tools))
    tag = D.price_tag("tool", "get_weather", "100-1000")
    s.publishes(D.response(asked.event, 1, tools).with_optional(tag))
    return s.case()


CASES = shared(
    D,
    {
        basics.call: stated("CVM-FLOW-53 CVM-INIT-03"),
        basics.pages: stated("CVM-FLOW-51"),
        basics.four_ids: "",
        basics.equal_ids: "",
        basics.progress: "",
        basics.errors_pass: "",
        basics.slow: "",
        basics.slow_with_progress: "",
        basics.cancelled: "",
        basics.cancelled_by_stranger: "CVM-FLOW-53",
        basics.cancelled_first: "",
        basics.cancelled_first_again: "",
        basics.cancelled_first_each: "",
        basics.cancelled_first_to_the_end: "",
        basics.refused_by_relays: "",
        basics.evicted: "",
        basics.cancelled_by_id: "",
        basics.stray_answers: "",
        notices.subscription_fails: "",
        notices.subscription_withdrawn: "",
        notices.subscription_withdrawn_early: "",
        notices.subscription_ignored: "",
        handshake.handshake_fails: "",
        handshake.never_answered: "",
        handshake.cancelled_in_handshake: "",
        basics.unasked_progress: "",
        handshake.initialize: "",
        handshake.initialize_unknown: "",
        handshake.own_handshake: "",
        handshake.no_handshake: stated("CVM-INIT-03"),
        handshake.called_before_result: "",
        handshake.initialized_before_result: "",
        handshake.initialize_again: "",
        handshake.initialized_alone: "",
        handshake.initialized_first: "",
        handshake.initialized_missing: "",
        basics.own_servers: "CVM-FLOW-53",
        notices.lists_change: "",
        notices.lists_change_of_old: "",
        notices.updates: "",
        notices.shared_asks: "",
        content.bad_content: "",
        content.bad_content_with_e: "",
        content.errors_unanswered: "",
        content.other_kinds: "",
        content.request_with_e: "",
        content.bad_notification_one_kind: "",
        content.bad_params: "",
        content.unknown_methods: "",
        content.numbers: "",
        trust.wrong_recipient: "",
        trust.wrong_recipient_notification: "",
        trust.forged: stated("CVM-FLOW-52"),
        trust.forged_copy: "",
        trust.repeated: "",
        trust.salted: "",
        trust.stale: "",
        trust.remembered_to_the_end: "",
        trust.remembered: "",
        trust.full_memory: "",
        trust.full_memory_of_a_key: "",
        trust.unordered: "",
        trust.state_file: "",
        trust.reserved_room: "",
        trust.large_content: "",
        trust.idle_session: "",
        basics.cancelled_first_by_stranger: "",
        content.experimental: "",
        content.extensions: "",
        trust.before_start: "",
        trust.not_allowed: "",
        trust.full_pending: "",
        trust.full_pending_of_a_key: "",
        trust.full_pending_of_the_allowed: "",
        trust.full_sessions: "",
        trust.busy_session: "",
        trust.full_subscriptions: "",
        trust.many_errors: "",
        trust.silent_errors: "",
        trust.large_result: "",
        trust.large_error: "",
        trust.large_notification: "",
        trust.long_id: "",
        trust.refused_result: "",
        trust.unrefused_result: "",
        money.paid: stated("CVM-PAY-51 CVM-PAY-62 CVM-PAY-63 CVM-PAY-65 CVM-PAY-66 CVM-PAY-67 CVM-PAY-69"),
        money.not_before: stated("CVM-PAY-62"),
        money.unpaid: "CVM-PAY-62",
        money.priced_kinds: "",
        money.free: "",
        money.unpaid_cancelled: "",
        money.no_invoice: "",
        money.unsendable: "",
        wraps.wrapped_call: stated("CVM-KIND-09 CVM-ENC-06 CVM-ENC-07 CVM-ENC-09"),
        wraps.inner_id: stated("CVM-ENC-05 CVM-ENC-10"),
        wraps.wrap_date: "",
        wraps.optional: stated("CVM-ENC-11"),
        wraps.required: stated("CVM-ENC-11"),
        wraps.disabled: stated("CVM-ENC-11"),
        wraps.unsolicited: "CVM-ENC-09",
        wraps.wrapped_progress: "",
        wraps.refused_result: "",
        wraps.almost_too_large: "",
        wraps.plain_after_wrap: "",
        wraps.wrapped_initialized: "",
        wraps.two_wraps: "",
        wraps.inner_forged: stated("CVM-FLOW-52"),
        wraps.inner_forged_copy: "",
        wraps.inner_unsigned: "",
        wraps.inner_kind: "",
        wraps.foreign_inner: "",
        wraps.not_ours: "",
        wraps.stale_inner: "",
        wraps.many_wraps: "",
        wraps.wrapped_initialize: "",
        announce.announced: "",
        announce.announced_anew: "CVM-ANN-62",
        announce.changed_while_read: "",
        announce.encryption: "CVM-ANN-04 CVM-ENC-04",
        announce.announced_resources: "",
        announce.list_fails: "",
        announce.too_large: "",
        announce.discovered: "",
        announce.undescribed: "",
        announce.undiscovered: "",
        announce.discovered_changes: "",
        announce.not_allowed: "",
        ask.sampling: "",
        ask.sampling_refused: "",
        ask.elicitation: "",
        ask.ping: "",
        ask.foreign_answer: "",
        ask.withdrawn: "",
        ask.client_progress: "",
        ask.no_answer: "",
        ask.too_large: "",
        ask.keeps_session: "",
        ask.roots_changed: "",
        ask.wrapped_sampling: "",
        revisions.one_kind: "",
        revisions.preferred: "",
        edges.expired: "",
        edges.evicted_in_turn: "",
        edges.almost_too_large: "",
        edges.many_completions: "",
        edges.later: "",
        edges.negotiated: "",
        edges.params_by_type: "",
        edges.asks_too_much: "",
        edges.announced_prices: "",
        edges.announced_prices_of_resources: "",
    },
)
OWN = [
    first_message(), first_message_texts(), first_message_some_texts(), first_message_with_token(), ephemeral_wraps(), ephemeral_flag(), later_flags(), plain_flag(),
    large_wrapped(), payment_method(),
    explicit_gating(), several_lifecycles(), price_range(), demand_in_range(), accepted_in_range(), bad_invoice(),
]  # fmt: skip
SUITE = suite(D, "Servers of ContextVM, step by step", [*CASES, *OWN])
