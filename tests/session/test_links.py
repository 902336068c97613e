"""Conversations with MCP servers: what may wait for one, and when it was last announced."""

from __future__ import annotations

import pytest

from nostrmcp.mcp.jsonrpc import Error
from nostrmcp.session import links
from nostrmcp.session.actions import Action, Link
from nostrmcp.session.links import McpLink
from tests.session.test_discovering import begun
from tests.session.test_strangers import START


def test_what_waits_for_a_handshake_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "MAX_HELD", 2)
    link = McpLink(Link("weather"), "2025-11-25", lambda link, number: None)
    told: list[tuple[int, str | None]] = []

    def waiting(number: int) -> links.Held:
        def go_on(error: Error | None) -> list[Action]:
            told.append((number, None if error is None else error.message))
            return []

        return go_on

    for number in range(4):
        link.when_ready(waiting(number))
    full = "too many messages wait for the MCP server"
    assert told == [(2, full), (3, full)]


def test_the_latest_announcement_is_known() -> None:
    server, _ = begun({})
    assert server.announcer.latest == START.unix
