"""subscriptions/listen in the text of DRAFT-2026-v1 (seed 002): ids are strings, and there is no last result."""

from __future__ import annotations

from vectors.source.dialects import CONTEXTVM, REV1, REV1_1
from vectors.source.mcp import client, client_ends
from vectors.source.mcp.play import DRAFT, suite

CLIENT = [
    client.opened(DRAFT, CONTEXTVM),
    client.subset(DRAFT, CONTEXTVM),
    client.superset(DRAFT, CONTEXTVM),
    client.held(DRAFT, CONTEXTVM),
    client.held_bounded(DRAFT, CONTEXTVM),
    client.repeated(DRAFT, CONTEXTVM),
    client.interleaved(DRAFT, CONTEXTVM),
    client.equal_requests(DRAFT, CONTEXTVM),
    client.strangers(DRAFT, CONTEXTVM),
    client.disagreement(DRAFT, CONTEXTVM),
    client.unrequested(DRAFT, CONTEXTVM),
    client.not_its_business(DRAFT, CONTEXTVM),
    client.counter(DRAFT, CONTEXTVM),
    client.refused(DRAFT, CONTEXTVM),
    client.refused_by_relays(DRAFT, CONTEXTVM),
    client.too_many(DRAFT, CONTEXTVM),
    client.ids(DRAFT, CONTEXTVM),
    client.id_types(DRAFT, CONTEXTVM),
    client.wrapped(DRAFT, CONTEXTVM),
    client.opened(DRAFT, REV1_1),
    client.held(DRAFT, REV1_1),
    client.equal_requests(DRAFT, REV1_1),
    client.strangers(DRAFT, REV1_1),
    client.disagreement(DRAFT, REV1_1),
    client.opened(DRAFT, REV1),
    client_ends.closed(DRAFT, CONTEXTVM),
    client_ends.closed_early(DRAFT, CONTEXTVM),
    client_ends.disconnected(DRAFT, CONTEXTVM),
    client_ends.unacknowledged(DRAFT, CONTEXTVM),
    client_ends.torn_down(DRAFT, CONTEXTVM),
    client_ends.not_reopened(DRAFT, CONTEXTVM),
    client_ends.closed(DRAFT, REV1_1),
    client_ends.disconnected(DRAFT, REV1_1),
    client_ends.unacknowledged(DRAFT, REV1_1),
]

SUITE = suite(DRAFT, "subscriptions-draft", "MCP DRAFT-2026-v1: subscriptions", CLIENT, [])
