"""Clients of `dvmcp-rev1-ephemeral` (seed 000): ids travel, demands for payment by tags.

The scenarios stand in vectors/source/client_*.py; here is which of the seed's requirements each one shows.
"""

from __future__ import annotations

from vectors.source import client_money as money
from vectors.source import client_scenarios as basics
from vectors.source import client_trust as trust
from vectors.source.client_play import suite
from vectors.source.dialects import EPHEMERAL
from vectors.source.scripts import shared, stated

CASES = shared(
    EPHEMERAL,
    {
        basics.call: stated("R1E-FLOW-61 R1E-FLOW-62 R1E-SUB-03"),
        basics.pages: stated("R1E-FLOW-58"),
        basics.four_ids: "",
        basics.other_id: "",
        basics.errors: stated("R1E-ERR-08 R1E-SUB-04"),
        basics.error_data: "",
        basics.numbers: "",
        basics.handshake: stated("R1E-INIT-51 R1E-INIT-56"),
        basics.first_server: stated("R1E-INIT-53"),
        basics.servers: "",
        basics.servers_in_time: "",
        basics.servers_bounded: "",
        basics.servers_unsent: "",
        basics.from_announcement: stated("R1E-INIT-55"),
        basics.initialize_times_out: "",
        basics.times_out: "R1E-SUB-06",
        basics.cancelled: "R1E-SUB-05 R1E-NOTE-02",
        basics.cancelled_by_type: "",
        basics.progress: "",
        basics.progress_as_printed: "",
        basics.progress_without_token: "",
        basics.progress_of_another: "",
        basics.progress_extends: "R1E-NOTE-51 R1E-SUB-02",
        basics.refused_by_relays: "",
        basics.refused_late: "",
        basics.notifications: "",
        basics.notifications_of_another: "",
        basics.client_notification: "",
        trust.foreign_author: stated("R1E-FLOW-52"),
        trust.answer_without_p: "",
        trust.answer_for_another: "",
        trust.unknown_e: stated("R1E-FLOW-61"),
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
        money.paid: "R1E-PAY-52",
        money.amounts: "",
        money.other_amount: "",
        money.amountless: "",
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

SUITE = suite(EPHEMERAL, "DVMCP rev1, ephemeral: clients", CASES)
