"""Announced MCP servers of versions without a handshake: what they say of themselves, and when it changes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nostrmcp.mcp import catalogue
from nostrmcp.mcp.catalogue import CLIENT_INFO, SERVER_INFO, SUBSCRIPTION_ID, Side
from nostrmcp.mcp.jsonrpc import Error, Notification, Request, Result
from nostrmcp.session import Server
from nostrmcp.session.actions import Action, Link, Notice, Open
from nostrmcp.session.settings import McpServer
from tests.session.test_server import opened
from tests.session.test_strangers import START, delivered, published

LINK = Link("weather")
VERSION = "2026-07-28"
INFO = {"name": "Weather", "version": "7"}
COMPLETE = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
CHANGED = "notifications/tools/list_changed"


def found(capabilities: Any, **more: Any) -> dict[str, Any]:
    """An answer to server/discover."""
    return {"supportedVersions": [VERSION], "capabilities": capabilities, **COMPLETE, **more}


def asked(actions: list[Action]) -> dict[str, Request]:
    """What the MCP server is asked, by its method; each is a request as its version has it."""
    requests = [one.message for one in delivered(actions) if isinstance(one.message, Request)]
    for request in requests:
        catalogue.validate(request, VERSION, sender=Side.CLIENT)
        assert request.params is not None and request.params["_meta"][CLIENT_INFO]["name"] == "nostrmcp"
    return {request.method: request for request in requests}


def announced(actions: list[Action]) -> dict[int, Any]:
    return {event.kind: json.loads(event.content) for event in published(actions)}


def begun(capabilities: Any = None, **more: Any) -> tuple[Server, list[Action]]:
    """A server whose MCP server has just said what it is."""
    server, actions = opened(McpServer("weather", announced=True), mcp_version=VERSION)
    request = asked(actions)["server/discover"]
    return server, server.message(LINK, Result(request.id, found(capabilities, **more)), START)


def test_what_is_discovered_is_announced_as_an_initialize_result() -> None:
    server, actions = begun({"tools": {}, "prompts": {}}, _meta={SERVER_INFO: INFO}, instructions="Ask")
    said = {
        "protocolVersion": VERSION, "capabilities": {"tools": {}, "prompts": {}}, "serverInfo": INFO,
        "instructions": "Ask",
    }  # fmt: skip
    assert announced(actions) == {11316: said}
    catalogue.validate(Result(1, said), "2025-11-25", method="initialize")
    requests = asked(actions)
    assert requests.keys() == {"tools/list", "prompts/list"}
    page = server.message(LINK, Result(requests["tools/list"].id, {"tools": [], "nextCursor": "2", **COMPLETE}), START)
    (next_page,) = asked(page).values()
    assert next_page.params is not None and next_page.params["cursor"] == "2"
    read = server.message(LINK, Result(next_page.id, {"tools": [{"name": "a"}], **COMPLETE}), START)
    assert announced(read) == {11317: {"tools": [{"name": "a"}]}}


@pytest.mark.parametrize("capabilities", [None, [], "tools"], ids=str)
@pytest.mark.parametrize("more", [{}, {"_meta": {SERVER_INFO: "Weather"}}, {"_meta": 5, "instructions": 5}], ids=str)
def test_who_says_little_is_announced_with_what_is_known(capabilities: Any, more: Any) -> None:
    _, actions = begun(capabilities, **more)
    info = {"name": "weather", "version": ""}
    assert announced(actions) == {11316: {"protocolVersion": VERSION, "capabilities": {}, "serverInfo": info}}
    assert asked(actions) == {}


def test_nothing_is_announced_of_who_does_not_say_what_it_is() -> None:
    server, actions = opened(McpServer("weather", announced=True), mcp_version=VERSION)
    failed = server.message(LINK, Error(asked(actions)["server/discover"].id, -32601, "no such method"), START)
    draft = opened(McpServer("weather", announced=True), mcp_version="DRAFT-2026-v1")[1]
    for actions in (failed, draft):
        assert (published(actions), delivered(actions)) == ([], [])
        (notice,) = [one for one in actions if isinstance(one, Notice)]
        assert "nothing is announced" in notice.violation.detail


def test_a_server_that_is_not_announced_is_not_asked() -> None:
    _, actions = opened(McpServer("weather"), mcp_version=VERSION)
    assert delivered(actions) == []


def test_a_list_that_changes_is_announced_anew() -> None:
    """Nothing is told unasked in this version, so the announcer has a subscription of its own."""
    server, actions = begun({"tools": {"listChanged": True}, "prompts": {"listChanged": False}})
    requests = asked(actions)
    listen = requests["subscriptions/listen"]
    assert listen.params is not None and listen.params["notifications"] == {"toolsListChanged": True}
    server.message(LINK, Result(requests["tools/list"].id, {"tools": [], **COMPLETE}), START)

    def told(method: str, name: Any = listen.id) -> list[Action]:
        return server.message(LINK, Notification(method, {"_meta": {SUBSCRIPTION_ID: name}}), START)

    assert delivered(told("notifications/subscriptions/acknowledged")) == []
    assert delivered(told("notifications/tools/list_changed", str(listen.id))) == []
    changed = asked(told(CHANGED))
    assert changed.keys() == {"tools/list"}
    read = server.message(LINK, Result(changed["tools/list"].id, {"tools": [{"name": "b"}], **COMPLETE}), START)
    assert announced(read) == {11317: {"tools": [{"name": "b"}]}}
    server.message(LINK, Result(listen.id, {"resultType": "complete", "_meta": {SUBSCRIPTION_ID: listen.id}}), START)
    assert delivered(told(CHANGED)) == []


def test_who_is_started_anew_is_asked_anew() -> None:
    server, actions = begun({"tools": {"listChanged": True}})
    old = asked(actions)["subscriptions/listen"]
    actions = server.closed(LINK, START)
    assert [type(one) for one in actions if isinstance(one, Open)] == [Open]
    again = server.message(
        LINK, Result(asked(actions)["server/discover"].id, found({"tools": {"listChanged": True}})), START
    )
    requests = asked(again)
    server.message(LINK, Result(requests["tools/list"].id, {"tools": [], **COMPLETE}), START)
    for name, methods in ((old.id, set()), (requests["subscriptions/listen"].id, {"tools/list"})):
        told = server.message(LINK, Notification(CHANGED, {"_meta": {SUBSCRIPTION_ID: name}}), START)
        assert asked(told).keys() == methods


def test_a_list_that_changes_while_it_is_read_is_read_once_more() -> None:
    server, actions = begun({"tools": {"listChanged": True}})
    requests = asked(actions)
    listen = requests["subscriptions/listen"]
    for _ in range(3):
        told = Notification(CHANGED, {"_meta": {SUBSCRIPTION_ID: listen.id}})
        assert delivered(server.message(LINK, told, START)) == []
    read = server.message(LINK, Result(requests["tools/list"].id, {"tools": [], **COMPLETE}), START)
    assert announced(read).keys() == {11317}
    (again,) = asked(read).values()
    assert delivered(server.message(LINK, Result(again.id, {"tools": [], **COMPLETE}), START)) == []
