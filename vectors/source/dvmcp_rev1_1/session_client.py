"""Clients of `dvmcp-rev1.1` (seed 003): no ids travel, both sides ping, demands for payment by tags.

The scenarios stand in vectors/source/client_*.py; here is which of the seed's requirements each one shows.
"""

from __future__ import annotations

from vectors.source import client_money as money
from vectors.source import client_scenarios as basics
from vectors.source import client_trust as trust
from vectors.source.client_play import suite
from vectors.source.dialects import REV1_1
from vectors.source.scripts import shared, stated

CASES = shared(
    REV1_1,
    {
        basics.call: stated("R11-FLOW-44 R11-SUB-03"),
        basics.pages: stated("R11-FLOW-07"),
        basics.four_ids: "",
        basics.errors: stated("R11-FLOW-43 R11-SUB-03"),
        basics.error_data: "",
        basics.numbers: "",
        basics.handshake: stated("R11-FLOW-06 R11-INIT-02 R11-INIT-05 R11-FLOW-46"),
        basics.first_server: stated("R11-INIT-04"),
        basics.servers: "",
        basics.servers_in_time: "",
        basics.servers_bounded: "",
        basics.servers_unsent: "",
        basics.named_by_another: "",
        basics.from_announcement: stated("R11-INIT-01"),
        basics.initialize_times_out: "",
        basics.times_out: "R11-SUB-03",
        basics.cancelled: "R11-SUB-03 R11-NOTE-02",
        basics.cancelled_by_type: "",
        basics.progress: "",
        basics.progress_as_printed: "",
        basics.progress_without_token: "",
        basics.progress_of_another: "",
        basics.progress_extends: "R11-NOTE-52 R11-SUB-02",
        basics.refused_by_relays: "",
        basics.refused_late: "",
        basics.notifications: "",
        basics.notifications_of_another: "",
        basics.client_notification: "",
        basics.server_ping: "R11-PING-14 R11-FLOW-47",
        basics.pings: "R11-PING-04 R11-PING-10 R11-PING-11 R11-FLOW-47",
        trust.foreign_author: stated("R11-FLOW-01"),
        trust.answer_without_p: "",
        trust.answer_for_another: "",
        trust.unknown_e: stated("R11-FLOW-44"),
        trust.notification_unknown_e: "",
        trust.notification_recipient: "",
        trust.forged: stated("R11-FLOW-01"),
        trust.forged_copy: "",
        trust.answered_twice: "",
        trust.told_twice: "",
        trust.progress_twice: "",
        trust.stale: "",
        trust.unordered: "",
        trust.salted: "",
        trust.restarted: "",
        trust.bad_content: "",
        trust.too_long: "",
        trust.too_many_pending: "",
        trust.full_memory: "",
        trust.too_large: "",
        trust.too_large_to_tell: "",
        money.by_default: "",
        money.paid: "R11-FLOW-52 R11-PAY-54",
        money.amounts: "",
        money.other_amount: "",
        money.amountless: "",
        money.ping_demand: "",
        money.other_network: "",
        money.other_unit: "",
        money.uncorrelated: "",
        money.other_author: "",
        money.only_once: "",
        money.clock_stands: "",
        money.failed: "",
        money.progress: "",
        money.cancelled: "",
    },
)

SUITE = suite(REV1_1, "DVMCP rev1.1: clients", CASES)
