"""Clients of `dvmcp-rev1` (seed 004): no initialized, ids travel, demands for payment by tags.

The scenarios stand in vectors/source/client_*.py; here is which of the seed's requirements each one shows.
"""

from __future__ import annotations

from vectors.source import client_money as money
from vectors.source import client_scenarios as basics
from vectors.source import client_trust as trust
from vectors.source.client_play import suite
from vectors.source.dialects import REV1
from vectors.source.scripts import shared, stated

CASES = shared(
    REV1,
    {
        basics.call: stated("R1-FLOW-61 R1-FLOW-62 R1-SUB-03"),
        basics.pages: stated("R1-FLOW-58"),
        basics.four_ids: "",
        basics.other_id: "",
        basics.errors: stated("R1-ERR-08 R1-SUB-04"),
        basics.error_data: "",
        basics.numbers: "",
        basics.handshake: "R1-INIT-51 R1-FLOW-61",
        basics.first_server: "R1-INIT-53",
        basics.servers: "",
        basics.servers_in_time: "",
        basics.servers_bounded: "",
        basics.servers_unsent: "",
        basics.from_announcement: "",
        basics.initialize_times_out: "",
        basics.times_out: "R1-SUB-06",
        basics.cancelled: "R1-SUB-05 R1-NOTE-02",
        basics.cancelled_by_type: "",
        basics.progress: "",
        basics.progress_as_printed: "",
        basics.progress_without_token: "",
        basics.progress_of_another: "",
        basics.progress_extends: "R1-NOTE-51 R1-SUB-02",
        basics.refused_by_relays: "",
        basics.refused_late: "",
        basics.notifications: "",
        basics.notifications_of_another: "",
        basics.client_notification: "",
        trust.foreign_author: stated("R1-FLOW-52"),
        trust.answer_without_p: "",
        trust.answer_for_another: "",
        trust.unknown_e: stated("R1-FLOW-61"),
        trust.notification_unknown_e: "",
        trust.notification_recipient: "",
        trust.forged: "",
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
        money.paid: "R1-PAY-52",
        money.amounts: "",
        money.other_amount: "",
        money.amountless: "",
        money.other_network: "",
        money.other_unit: "",
        money.uncorrelated: "",
        money.other_author: "",
        money.only_once: "",
        money.clock_stands: "",
        money.expires: "",
        money.waits: "",
        money.expired: "",
        money.failed: "",
        money.progress: "",
        money.cancelled: "",
    },
)

SUITE = suite(REV1, "DVMCP rev1: clients", CASES)
