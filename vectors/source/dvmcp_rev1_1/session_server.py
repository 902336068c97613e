"""Servers of `dvmcp-rev1.1` (seed 003): no ids on the wire, results at the root, pings both ways, completions, prices.

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
from vectors.source.dialects import REV1_1
from vectors.source.scripts import shared, stated
from vectors.source.server_content import COMPLETE
from vectors.source.server_play import answered, asks, start, suite
from vectors.source.writing import Case


def completions() -> Case:
    s = start(REV1_1, "completions", "As the user types, requests and refined answers follow each other",
              "R11-COMP-14", "Basic", level="MAY")  # fmt: skip
    for typed, values in (("p", ["perl", "php", "python"]), ("py", ["python"])):
        params = COMPLETE | {"argument": {"name": "language", "value": typed}}
        asked = asks(s, REV1_1, "alice", typed, "completion/complete", params)
        answered(s, REV1_1, asked, {"completion": {"values": values}}, method="completion/complete")
    return s.case()


def ping() -> Case:
    """By the MCP server; a hub that answers by itself is right, too."""
    s = start(REV1_1, "ping", "A ping is passed on, and its answer is an empty response", "R11-PING-14 R11-FLOW-38",
              "Basic", level="MAY")  # fmt: skip
    asked = asks(s, REV1_1, "alice", 1, "ping", None)
    answered(s, REV1_1, asked, {}, method="ping")
    return s.case()


def equal_requests() -> Case:
    title = "Equal requests a second apart are two, each answered by its event id"
    s = start(REV1_1, "equal-requests", title, "HOUSE-ID-01", "Ids")
    first = asks(s, REV1_1)
    s.after(1)
    second = asks(s, REV1_1)
    answered(s, REV1_1, second, {"content": [{"type": "text", "text": "the second"}]})
    answered(s, REV1_1, first, {"content": [{"type": "text", "text": "the first"}]})
    return s.case()


CASES = shared(
    REV1_1,
    {
        basics.call: stated("R11-INIT-01 R11-TAG-08 R11-BODY-04"),
        basics.pages: stated("R11-FLOW-07"),
        basics.equal_ids: "",
        basics.progress: "R11-NOTE-52 R11-SUB-02 R11-SUB-03",
        basics.errors_pass: stated("R11-SUB-03 R11-TAG-08"),
        basics.slow: "",
        basics.slow_with_progress: "",
        basics.cancelled: "R11-FLOW-36 R11-SUB-03",
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
        handshake.handshake_fails: "",
        handshake.never_answered: "",
        handshake.cancelled_in_handshake: "",
        basics.unasked_progress: "",
        handshake.initialize: stated("R11-FLOW-06 R11-FLOW-33 R11-FLOW-34"),
        handshake.own_handshake: stated("R11-FLOW-33 R11-FLOW-34 R11-INIT-02"),
        handshake.no_handshake: "R11-INIT-01 R11-TAG-08",
        handshake.called_before_result: "",
        handshake.initialized_before_result: "",
        handshake.initialize_again: "",
        handshake.initialized_alone: "",
        handshake.initialized_first: "R11-FLOW-34",
        handshake.initialized_missing: "",
        basics.own_servers: "",
        notices.lists_change: "",
        notices.updates: "",
        notices.shared_asks: "",
        content.bad_content: "",
        content.bad_content_with_e: "",
        content.errors_unanswered: "",
        content.bad_notification: "",
        content.other_kinds: "",
        content.request_with_e: "",
        content.bad_params: "",
        content.unknown_methods: "",
        content.method_mismatch: "",
        content.numbers: "",
        trust.wrong_recipient: "",
        trust.wrong_recipient_notification: "",
        trust.wrong_server: "",
        trust.sole_server: "",
        trust.two_servers: "",
        trust.two_servers_ping: "R11-FLOW-38",
        trust.forged: stated("R11-FLOW-01"),
        trust.forged_copy: "",
        trust.repeated: "",
        trust.salted: "",
        trust.stale: "",
        trust.remembered_to_the_end: "",
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
        trust.refused_result: "",
        trust.unrefused_result: "",
        money.paid: "R11-PAY-52 R11-PAY-53 R11-PAY-55 R11-PAY-57 R11-FLOW-52",
        money.unpaid: "",
        money.priced_kinds: "",
        money.free: "",
        money.unpaid_cancelled: "",
        money.no_invoice: "",
        announce.announced: "",
        announce.announced_anew: "",
        announce.announced_resources: "",
        announce.changed_while_read: "",
        announce.list_fails: "",
        announce.discovered: "",
        announce.discovered_changes: "",
        announce.not_allowed: "",
        announce.several_revisions: "",
        ask.ping: "R11-FLOW-38",
        ask.foreign_answer: "R11-FLOW-01",
        ask.withdrawn: "",
        ask.no_answer: "R11-PING-04 R11-PING-10",
        ask.keeps_session: "",
        ask.roots_changed: "R11-FLOW-36",
        ask.not_carried: "",
        revisions.two_sessions: "",
    },
)
SUITE = suite(REV1_1, "Servers of DVMCP rev1.1, step by step", [*CASES, completions(), ping(), equal_requests()])
