"""Servers of `dvmcp-rev1-ephemeral` (seed 000): as rev1, on ephemeral kinds and with initialized.

The scenarios stand in vectors/source/server_*.py; here is which of the seed's requirements each one shows.
"""

from __future__ import annotations

from vectors.source import server_announce as announce
from vectors.source import server_asks as ask
from vectors.source import server_basics as basics
from vectors.source import server_content as content
from vectors.source import server_handshake as handshake
from vectors.source import server_money as money
from vectors.source import server_notices as notices
from vectors.source import server_revisions as revisions
from vectors.source import server_trust as trust
from vectors.source.dialects import EPHEMERAL
from vectors.source.scripts import shared, stated
from vectors.source.server_play import suite

CASES = shared(
    EPHEMERAL,
    {
        basics.call: stated("R1E-FLOW-62 R1E-INIT-55"),
        basics.pages: stated("R1E-FLOW-58"),
        basics.four_ids: "",
        basics.equal_ids: "",
        basics.progress: "R1E-NOTE-51 R1E-SUB-02 R1E-SUB-03",
        basics.errors_pass: stated("R1E-ERR-05 R1E-ERR-06 R1E-ERR-07 R1E-SUB-04"),
        basics.slow: "R1E-ERR-05 R1E-SUB-06",
        basics.slow_with_progress: "",
        basics.cancelled: "R1E-NOTE-52 R1E-SUB-05",
        basics.cancelled_by_stranger: "",
        basics.cancelled_first: "",
        basics.cancelled_first_each: "",
        basics.cancelled_first_to_the_end: "",
        basics.refused_by_relays: "",
        basics.evicted: "",
        basics.cancelled_by_id: "",
        basics.cancelled_as_mcp: "",
        basics.two_servers_of_a_client: "",
        basics.stray_answers: "",
        notices.subscription_fails: "",
        notices.subscription_withdrawn: "",
        notices.subscription_withdrawn_early: "",
        notices.subscription_ignored: "",
        basics.cancelled_by_id_at_a_server: "",
        handshake.handshake_fails: "",
        handshake.never_answered: "",
        handshake.cancelled_in_handshake: "",
        basics.unasked_progress: "",
        handshake.initialize: stated("R1E-INIT-54 R1E-INIT-57"),
        handshake.own_handshake: stated("R1E-INIT-57"),
        handshake.no_handshake: "R1E-INIT-55 R1E-FLOW-62",
        handshake.called_before_result: "",
        handshake.initialized_before_result: "",
        handshake.initialize_again: "",
        handshake.initialized_alone: "",
        trust.idle_from_initialized: "",
        handshake.initialized_first: "R1E-INIT-57",
        handshake.initialized_missing: "",
        basics.own_servers: "",
        notices.lists_change: "R1E-NOTE-53",
        notices.updates: "R1E-NOTE-53",
        notices.shared_asks: "",
        content.bad_content: "R1E-ERR-01 R1E-ERR-02",
        content.bad_content_with_e: "",
        content.errors_unanswered: "",
        content.bad_notification: "",
        content.other_kinds: "",
        content.request_with_e: "",
        content.bad_params: "R1E-ERR-04",
        content.unknown_methods: "R1E-ERR-03",
        content.method_mismatch: "R1E-ERR-02",
        content.numbers: "",
        trust.wrong_recipient: "",
        trust.wrong_recipient_notification: "",
        trust.wrong_server: "R1E-FLOW-54",
        trust.sole_server: "",
        trust.two_servers: "R1E-INIT-54 R1E-FLOW-54",
        trust.two_servers_ping: "",
        trust.forged: "",
        trust.forged_copy: "",
        trust.repeated: "",
        trust.salted: "",
        trust.stale: "",
        trust.remembered_to_the_end: "",
        trust.before_start: "",
        trust.not_allowed: "R1E-FLOW-56",
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
        trust.refused_result: "",
        trust.unrefused_result: "",
        money.paid: "",
        money.unpaid: "",
        money.priced_kinds: "",
        money.free: "",
        money.unpaid_cancelled: "",
        money.no_invoice: "",
        announce.announced: "R1E-INIT-54",
        announce.announced_anew: "R1E-NOTE-53",
        announce.changed_while_read: "",
        announce.list_fails: "",
        announce.discovered: "",
        announce.discovered_changes: "",
        announce.not_allowed: "",
        ask.roots_changed: "R1E-NOTE-52",
        ask.not_carried: "",
        revisions.both_kinds: "",
        revisions.latched: "",
        revisions.latched_by_notification: "",
        revisions.only_candidate: "",
    },
)
SUITE = suite(EPHEMERAL, "Servers of DVMCP rev1 on ephemeral kinds, step by step", CASES)
