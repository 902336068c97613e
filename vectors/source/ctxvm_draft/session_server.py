"""Servers of `ctxvm-draft` (seed 001): one kind for all messages, wraps of kind 1059, demands as notifications.

The scenarios stand in vectors/source/server_*.py; here is which of the seed's requirements each one shows.
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
from vectors.source.dialects import CTXVM
from vectors.source.scripts import id_of, result, shared, stated
from vectors.source.server_money import INVOICE, PRICES
from vectors.source.server_play import asks, start, suite
from vectors.source.writing import Case


def priced_list() -> Case:
    s = start(CTXVM, "priced-list", "The answer to a list request names the prices of what it lists", "CTX-PAY-51",
              "Money", prices=PRICES, invoice=INVOICE, level="SHOULD")  # fmt: skip
    asked = asks(s, CTXVM, "alice", 1, "tools/list", {})
    tools = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("get_weather", "get_forecast")]}
    s.says(result(id_of(0), tools))
    s.publishes(CTXVM.response(asked.event, 1, tools).with_optional(CTXVM.price_tag("tool", "get_weather", "100")))
    return s.case()


CASES = shared(
    CTXVM,
    {
        basics.call: stated("CTX-FLOW-03 CTX-TAG-08 CTX-TAG-09 CTX-BODY-05"),
        basics.pages: stated("CTX-FLOW-04"),
        basics.four_ids: "",
        basics.equal_ids: "",
        basics.progress: "CTX-FLOW-07 CTX-SUB-02 CTX-SUB-03",
        basics.errors_pass: stated("CTX-SUB-04 CTX-TAG-08"),
        basics.slow: "",
        basics.slow_with_progress: "",
        basics.cancelled: "",
        basics.cancelled_by_stranger: "CTX-FLOW-02",
        basics.cancelled_first: "",
        basics.cancelled_first_each: "",
        basics.cancelled_first_to_the_end: "",
        basics.refused_by_relays: "",
        basics.evicted: "",
        basics.two_servers_of_a_client: "",
        basics.stray_answers: "",
        notices.subscription_fails: "",
        notices.subscription_withdrawn: "",
        notices.subscription_withdrawn_early: "",
        notices.subscription_ignored: "",
        handshake.handshake_fails: "",
        handshake.never_answered: "",
        handshake.cancelled_in_handshake: "",
        basics.unasked_progress: "",
        handshake.initialize: stated("CTX-INIT-04"),
        handshake.own_handshake: stated("CTX-INIT-04"),
        handshake.no_handshake: "",
        handshake.called_before_result: "",
        handshake.initialized_before_result: "",
        handshake.initialize_again: "",
        handshake.initialized_alone: "",
        trust.idle_from_initialized: "",
        handshake.initialized_first: "",
        handshake.initialized_missing: "",
        basics.own_servers: "",
        notices.lists_change: "",
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
        trust.wrong_server: "",
        trust.sole_server: "",
        trust.two_servers: "CTX-INIT-01",
        trust.two_servers_ping: "",
        trust.forged: stated("CTX-FLOW-01"),
        trust.forged_copy: "",
        trust.repeated: "",
        trust.salted: "",
        trust.stale: "",
        trust.remembered_to_the_end: "",
        trust.before_start: "",
        trust.not_allowed: "CTX-FLOW-02",
        trust.full_pending: "",
        trust.full_pending_of_a_key: "",
        trust.full_pending_of_the_allowed: "",
        trust.full_sessions: "",
        trust.evicted_of_a_key: "",
        trust.busy_session: "",
        trust.full_subscriptions: "",
        trust.many_errors: "",
        trust.silent_errors: "",
        trust.large_result: "",
        trust.large_error: "",
        trust.large_notification: "",
        trust.refused_result: "",
        trust.unrefused_result: "",
        money.paid: "CTX-PAY-51 CTX-PAY-52 CTX-PAY-54",
        money.unpaid: "CTX-PAY-54",
        money.priced_kinds: "",
        money.free: "",
        money.unpaid_cancelled: "",
        money.no_invoice: "",
        wraps.wrapped_call: stated("CTX-KIND-09 CTX-ENC-02 CTX-ENC-05 CTX-ENC-06 CTX-ENC-07 CTX-ENC-10"),
        wraps.inner_id: stated("CTX-ENC-09"),
        wraps.wrap_date: "CTX-ENC-08",
        wraps.optional: "CTX-ENC-01 CTX-ENC-11",
        wraps.required: "CTX-ENC-02",
        wraps.disabled: "CTX-ENC-01",
        wraps.unsolicited: "CTX-ENC-02 CTX-ENC-11",
        wraps.unsolicited_elsewhere: "CTX-ENC-02",
        wraps.wrapped_progress: "CTX-ENC-02",
        wraps.refused_result: "",
        wraps.almost_too_large: "",
        wraps.plain_after_wrap: "",
        wraps.wrapped_initialized: "",
        wraps.other_wrap: "",
        wraps.two_wraps: "",
        wraps.inner_forged: "CTX-FLOW-01",
        wraps.inner_forged_copy: "",
        wraps.inner_unsigned: "CTX-FLOW-01",
        wraps.inner_kind: "",
        wraps.foreign_inner: "",
        wraps.not_ours: "",
        wraps.stale_inner: "",
        wraps.many_wraps: "",
        wraps.wrapped_initialize: "CTX-ENC-11",
        announce.announced: "",
        announce.second_server: "",
        announce.announced_anew: "",
        announce.changed_while_read: "",
        announce.encryption: "CTX-ANN-04",
        announce.announced_resources: "",
        announce.list_fails: "",
        announce.discovered: "",
        announce.discovered_changes: "",
        announce.not_allowed: "",
        ask.sampling: "",
        ask.sampling_refused: "",
        ask.ping: "",
        ask.foreign_answer: "CTX-FLOW-02",
        ask.withdrawn: "",
        ask.client_progress: "",
        ask.no_answer: "",
        ask.too_large: "",
        ask.keeps_session: "",
        ask.roots_changed: "",
        ask.wrapped_sampling: "",
        revisions.both_kinds: "",
        revisions.latched: "",
        revisions.beside_undecided: "",
        revisions.latched_by_notification: "",
        revisions.only_candidate: "",
        revisions.wrapped: "",
        revisions.one_kind: "",
        edges.settled_session: "",
        edges.many_completions: "",
    },
)
SUITE = suite(CTXVM, "Servers of the CTXVM draft, step by step", [*CASES, priced_list()])
