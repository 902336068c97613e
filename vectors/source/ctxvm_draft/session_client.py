"""Clients of `ctxvm-draft` (seed 001): wraps with a time in the past, demands for payment by notifications.

The scenarios stand in vectors/source/client_*.py; here is which of the seed's requirements each one shows.
"""

from __future__ import annotations

from vectors.source import client_money as money
from vectors.source import client_scenarios as basics
from vectors.source import client_trust as trust
from vectors.source import client_wraps as wraps
from vectors.source.client_play import suite
from vectors.source.dialects import CTXVM
from vectors.source.scripts import shared, stated

CASES = shared(
    CTXVM,
    {
        basics.call: stated("CTX-SUB-03 CTX-BODY-05"),
        basics.pages: stated("CTX-FLOW-04"),
        basics.four_ids: "",
        basics.other_id: "",
        basics.errors: stated("CTX-SUB-04 CTX-BODY-09"),
        basics.error_data: "",
        basics.numbers: "",
        basics.handshake: stated("CTX-INIT-02 CTX-INIT-03 CTX-INIT-04 CTX-FLOW-03"),
        basics.first_server: stated("CTX-TAG-52"),
        basics.servers: "CTX-INIT-01",
        basics.from_announcement: "",
        basics.initialize_times_out: "",
        basics.times_out: "",
        basics.cancelled: "CTX-SUB-05",
        basics.cancelled_by_type: "",
        basics.progress: "",
        basics.progress_without_token: "",
        basics.progress_of_another: "",
        basics.progress_extends: "CTX-FLOW-07 CTX-SUB-02",
        basics.refused_by_relays: "",
        basics.refused_late: "",
        basics.notifications: "",
        basics.client_notification: "",
        basics.server_ping: "",
        basics.server_request: "",
        basics.server_told_of_progress: "",
        basics.server_asks_too_much: "",
        basics.server_withdraws: "",
        basics.wrong_way: "",
        basics.pings: "",
        trust.foreign_author: stated("CTX-FLOW-02"),
        trust.answer_without_p: "",
        trust.answer_for_another: "",
        trust.unknown_e: "",
        trust.notification_unknown_e: "",
        trust.notification_recipient: "",
        trust.forged: stated("CTX-FLOW-01"),
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
        wraps.encrypted: "CTX-KIND-09 CTX-ENC-02 CTX-ENC-05 CTX-ENC-06 CTX-ENC-07 CTX-ENC-09 CTX-ENC-10",
        wraps.required: "CTX-ENC-02",
        wraps.required_never_plain: "",
        wraps.disabled: "CTX-ENC-01",
        wraps.not_told: "",
        wraps.falls_back: "CTX-ENC-11",
        wraps.initialize_falls_back: "",
        wraps.worked_before: "",
        wraps.forged_inner: "",
        wraps.other_inner_kind: "",
        wraps.foreign_answer: "",
        wraps.wrapped_twice: "",
        wraps.wrap_times: "",
        wraps.too_many_wraps: "",
        wraps.wrapped_ping: "",
        money.by_default: "",
        money.paid: "CTX-PAY-51 CTX-PAY-52",
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
        money.above_price: "",
        money.price_in_sat: "",
        money.above_price_allowed: "",
        money.price_changes: "",
    },
)

SUITE = suite(CTXVM, "The ContextVM draft: clients", CASES)
