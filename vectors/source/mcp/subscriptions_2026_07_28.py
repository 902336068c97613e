"""subscriptions/listen in the text of MCP 2026-07-28: ids are verbatim, and a result ends a subscription."""

from __future__ import annotations

from vectors.source.dialects import CONTEXTVM, CTXVM, REV1_1
from vectors.source.mcp import client, client_ends
from vectors.source.mcp.play import FINAL, suite

CLIENT = [
    client.opened(FINAL, CONTEXTVM),
    client.subset(FINAL, CONTEXTVM),
    client.superset(FINAL, CONTEXTVM),
    client.held(FINAL, CONTEXTVM),
    client.held_bounded(FINAL, CONTEXTVM),
    client.repeated(FINAL, CONTEXTVM),
    client.interleaved(FINAL, CONTEXTVM),
    client.equal_requests(FINAL, CONTEXTVM),
    client.strangers(FINAL, CONTEXTVM),
    client.disagreement(FINAL, CONTEXTVM),
    client.unrequested(FINAL, CONTEXTVM),
    client.not_its_business(FINAL, CONTEXTVM),
    client.counter(FINAL, CONTEXTVM),
    client.refused(FINAL, CONTEXTVM),
    client.refused_by_relays(FINAL, CONTEXTVM),
    client.too_many(FINAL, CONTEXTVM),
    client.ids(FINAL, CONTEXTVM),
    client.id_types(FINAL, CONTEXTVM),
    client.wrapped(FINAL, CONTEXTVM),
    client.extension(FINAL, CONTEXTVM),
    client.opened(FINAL, REV1_1),
    client.held(FINAL, REV1_1),
    client.equal_requests(FINAL, REV1_1),
    client.strangers(FINAL, REV1_1),
    client.disagreement(FINAL, REV1_1),
    client.opened(FINAL, CTXVM),
    client.wrapped(FINAL, CTXVM),
    client_ends.closed(FINAL, CONTEXTVM),
    client_ends.closed_early(FINAL, CONTEXTVM),
    client_ends.disconnected(FINAL, CONTEXTVM),
    client_ends.unacknowledged(FINAL, CONTEXTVM),
    client_ends.torn_down(FINAL, CONTEXTVM),
    client_ends.not_reopened(FINAL, CONTEXTVM),
    client_ends.ended(FINAL, CONTEXTVM),
    client_ends.ended_first(FINAL, CONTEXTVM),
    client_ends.ended_oddly(FINAL, CONTEXTVM),
    client_ends.empty(FINAL, CONTEXTVM),
    client_ends.closed(FINAL, REV1_1),
    client_ends.disconnected(FINAL, REV1_1),
    client_ends.unacknowledged(FINAL, REV1_1),
    client_ends.ended(FINAL, REV1_1),
    client_ends.ended_oddly(FINAL, REV1_1),
]

SUITE = suite(FINAL, "subscriptions-2026-07-28", "MCP 2026-07-28: subscriptions", CLIENT, [])
