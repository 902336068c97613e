"""Servers of `dvmcp-rev1` (seed 004): no initialized, ids travel, demands for payment by tags.

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
from vectors.source.dialects import REV1
from vectors.source.scripts import shared, stated
from vectors.source.server_play import suite

CASES = shared(
    REV1,
    {
        basics.call: stated("R1-FLOW-62"),
        basics.pages: stated("R1-FLOW-58"),
        basics.four_ids: "",
        basics.equal_ids: "",
        basics.progress: "R1-NOTE-51 R1-SUB-02 R1-SUB-03",
        basics.errors_pass: stated("R1-ERR-05 R1-ERR-06 R1-ERR-07 R1-SUB-04"),
        basics.slow: "R1-ERR-05 R1-SUB-06",
        basics.cancelled: "R1-NOTE-52 R1-SUB-05",
        basics.cancelled_by_stranger: "",
        basics.cancelled_first: "",
        basics.cancelled_first_by_stranger: "",
        basics.refused_by_relays: "",
        basics.evicted: "",
        basics.cancelled_by_id: "",
        basics.cancelled_as_mcp: "",
        basics.two_servers_of_a_client: "",
        basics.stray_answers: "",
        notices.subscription_fails: "",
        basics.cancelled_by_id_at_a_server: "",
        handshake.handshake_fails: "",
        handshake.never_answered: "",
        handshake.cancelled_in_handshake: "",
        basics.unasked_progress: "",
        handshake.initialize: stated("R1-INIT-54"),
        handshake.own_handshake: "",
        handshake.no_handshake: "R1-FLOW-62",
        handshake.called_before_result: "",
        basics.own_servers: "",
        notices.lists_change: "R1-NOTE-53",
        notices.updates: "R1-NOTE-53",
        notices.shared_asks: "",
        content.bad_content: "R1-ERR-01 R1-ERR-02",
        content.bad_content_with_e: "",
        content.errors_unanswered: "",
        content.bad_notification: "",
        content.other_kinds: "",
        content.request_with_e: "",
        content.bad_params: "R1-ERR-04",
        content.unknown_methods: "R1-ERR-03",
        content.method_mismatch: "R1-ERR-02",
        content.experimental: "",
        content.numbers: "",
        trust.wrong_recipient: "",
        trust.wrong_recipient_notification: "",
        trust.wrong_server: "R1-FLOW-54",
        trust.sole_server: "",
        trust.two_servers: "R1-INIT-54 R1-FLOW-54",
        trust.two_servers_ping: "",
        trust.forged: "",
        trust.forged_copy: "",
        trust.repeated: "",
        trust.remembered: "",
        trust.full_memory: "",
        trust.full_memory_of_a_key: "",
        trust.salted: "",
        trust.stale: "",
        trust.unordered: "",
        trust.before_start: "",
        trust.state_file: "",
        trust.not_allowed: "R1-FLOW-56",
        trust.full_pending: "",
        trust.full_sessions: "",
        trust.full_sessions_of_a_key: "",
        trust.full_subscriptions: "",
        trust.reserved_room: "",
        trust.many_errors: "",
        trust.large_content: "",
        trust.large_result: "",
        trust.large_error: "",
        trust.refused_result: "",
        trust.unrefused_result: "",
        trust.idle_session: "",
        money.paid: "",
        money.unpaid: "",
        money.priced_kinds: "",
        money.free: "",
        money.unpaid_cancelled: "",
        money.no_invoice: "",
        announce.announced: "R1-INIT-54",
        announce.announced_anew: "R1-NOTE-53",
        announce.list_fails: "",
        announce.discovered: "",
        announce.not_allowed: "",
        ask.roots_changed: "R1-NOTE-52",
        ask.not_carried: "",
        revisions.two_sessions: "",
        revisions.all_revisions: "",
    },
)
SUITE = suite(REV1, "Servers of DVMCP rev1, step by step", CASES)
