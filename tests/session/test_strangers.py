"""What peers can do to a session, as far as the threat model promises and no vector shows it."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.mcp.jsonrpc import Notification, Request, Result
from nostrmcp.nostr import Event, SecretKey, UnsignedEvent
from nostrmcp.revisions import REVISIONS
from nostrmcp.revisions.model import Revision
from nostrmcp.session import Client, Server
from nostrmcp.session.actions import Action, Deliver, Drop, Notice, Now, Pay, Publish
from nostrmcp.session.settings import (
    ClientSettings,
    Encryption,
    McpServer,
    PaymentPolicy,
    Remote,
    ServerSettings,
)

PROVIDER, ALICE, BOB = (SecretKey(bytes([number]) * 32) for number in (1, 2, 3))
START = Now(1_750_000_000, 0.0)
RESULT = {
    "protocolVersion": "2025-03-26",
    "capabilities": {"tools": {"listChanged": True}, "resources": {"subscribe": True}, "logging": {}},
    "serverInfo": {"name": "weather", "version": "1"},
}
REVISION_NAMES = sorted(REVISIONS)
# Values that a reader may take for what they are not.
AWKWARD = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        1.5,
        10**400,
        "",
        "1",
        "9" * 5000,
        "lnbc" + "1" * 5000 + "m1qq",
        "lnbc1",
        [],
        ["a"],
        {},
        {"a": 1},
    ]
)
VALUES = (
    AWKWARD | st.lists(AWKWARD, max_size=2) | st.dictionaries(st.sampled_from(["_meta", "uri"]), AWKWARD, max_size=2)
)
MEMBERS = [
    "_meta", "uri", "name", "arguments", "requestId", "id", "progressToken", "progress", "notifications", "amount",
    "currency", "invoice", "pay_req", "pmi", "expiration", "ttl", "protocolVersion", "capabilities",
]  # fmt: skip
METHODS = [
    "initialize", "ping", "tools/call", "tools/list", "resources/subscribe", "subscriptions/listen", "no/such",
    "sampling/createMessage", "notifications/cancelled", "notifications/cancel", "notifications/progress",
    "notifications/initialized", "notifications/resources/updated", "notifications/subscriptions/acknowledged",
    "notifications/payment_required", "notifications/payment_accepted",
]  # fmt: skip
BODIES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": st.sampled_from(METHODS) | VALUES},
    optional={
        "id": VALUES | st.just("a" * 65_000),
        "params": st.dictionaries(st.sampled_from(MEMBERS), VALUES) | VALUES,
    },
) | st.fixed_dictionaries({"jsonrpc": st.just("2.0")}, optional={"id": VALUES, "result": VALUES, "error": VALUES})


def bytes_from_a_count() -> Any:
    numbers = count(1)
    return lambda size: next(numbers).to_bytes(size)


def policy(revision: Revision) -> Encryption:
    return Encryption.OPTIONAL if revision.kinds.wraps else Encryption.DISABLED


def serving(revision: Revision, **changes: Any) -> Server:
    """A server with one shared MCP server behind it, which has said what it can do."""
    given = ServerSettings((revision,), (McpServer("weather"),), "2025-03-26", policy(revision))
    server = Server(replace(given, **changes), PROVIDER, bytes_from_a_count(), START)
    for deliver in delivered(server.start(START)):
        assert deliver.link is not None and isinstance(deliver.message, Request)
        server.message(deliver.link, Result(deliver.message.id, RESULT), START)
    return server


def asking(revision: Revision, **changes: Any) -> Client:
    given = ClientSettings(
        revision, Remote(PROVIDER.public_key.x, "weather"), "2025-03-26", encryption=policy(revision)
    )
    client = Client(replace(given, **changes), ALICE, bytes_from_a_count(), START)
    client.start(START)
    return client


def signed(key: SecretKey, kind: int, content: str, *tags: tuple[str, ...]) -> Event:
    return UnsignedEvent(key.public_key.x, START.unix, kind, tags, content).sign(key, bytes(32))


def to(key: SecretKey) -> tuple[str, str]:
    return "p", key.public_key.hex()


def published(actions: list[Action]) -> list[Event]:
    return [action.event for action in actions if isinstance(action, Publish)]


def delivered(actions: list[Action]) -> list[Deliver]:
    return [action for action in actions if isinstance(action, Deliver)]


def kinds_of(revision: Revision) -> list[int]:
    return [revision.kinds.request, revision.kinds.response, revision.kinds.notification]


def call(server: Server, key: SecretKey, method: str, params: Any, number: int) -> list[Action]:
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    return server.receive(signed(key, 25910, body, to(PROVIDER)), START)


@given(st.data(), st.sampled_from(REVISION_NAMES))
def test_whatever_a_stranger_signs_a_server_goes_on(data: st.DataObject, name: str) -> None:
    revision = REVISIONS[name]
    server = serving(revision)
    for _ in range(4):
        kind = data.draw(st.sampled_from(kinds_of(revision)))
        tags = data.draw(st.sets(st.sampled_from([("s", "weather"), ("e", "0" * 64), ("method", "ping")])))
        content = data.draw(BODIES.map(json.dumps) | st.text(max_size=20))
        server.receive(signed(ALICE, kind, content, to(PROVIDER), *tags), START)
    assert len(delivered(server.receive(well_formed_ping(revision), START))) == 1


def well_formed_ping(revision: Revision) -> Event:
    remote = Remote(PROVIDER.public_key.x, "weather")
    settings = ClientSettings(revision, remote, "2025-03-26", encryption=Encryption.DISABLED)
    client = Client(settings, BOB, bytes_from_a_count(), START)
    (event,) = published(client.message(Request(1, "ping"), START))
    return event


@given(st.data(), st.sampled_from(REVISION_NAMES))
def test_whatever_the_server_signs_a_client_goes_on(data: st.DataObject, name: str) -> None:
    revision = REVISIONS[name]
    client = asking(
        revision, encryption=Encryption.DISABLED, payments=PaymentPolicy(pay=True), mcp_version="2026-07-28"
    )
    filters = {"toolsListChanged": True, "resourceSubscriptions": ["file:///a"]}
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    asked = [
        *published(client.message(Request(1, "tools/call", {"name": "x", "_meta": {"progressToken": 1}}), START)),
        *published(
            client.message(Request(2, "subscriptions/listen", {"_meta": meta, "notifications": filters}), START)
        ),
    ]
    for _ in range(4):
        kind = data.draw(st.sampled_from(kinds_of(revision)))
        content = data.draw(BODIES.map(json.dumps) | st.just(""))
        about = ("e", data.draw(st.sampled_from(asked)).id.hex())
        demand = data.draw(st.sampled_from([(), (("status", "payment-required"), ("amount", "1" * 5000, "lnbc1m1qq"))]))
        client.receive(signed(PROVIDER, kind, content, to(ALICE), about, *demand), START)
    assert published(client.message(Request("after", "tools/list"), START))


def test_an_acknowledgement_of_anything_else_than_uris_honours_no_resource() -> None:
    client = asking(REVISIONS["contextvm"], encryption=Encryption.DISABLED, mcp_version="2026-07-28")
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    listen = {"_meta": meta, "notifications": {"resourceSubscriptions": ["file:///a"]}}
    (request,) = published(client.message(Request(1, "subscriptions/listen", listen), START))
    named = {"io.modelcontextprotocol/subscriptionId": 1}
    acknowledged = {"_meta": named, "notifications": {"resourceSubscriptions": 5}}
    for method, params in (
        ("notifications/subscriptions/acknowledged", acknowledged),
        ("notifications/resources/updated", {"_meta": named, "uri": "file:///a"}),
    ):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params})
        actions = client.receive(signed(PROVIDER, 25910, body, to(ALICE), ("e", request.id.hex())), START)
    assert delivered(actions) == []


@pytest.mark.parametrize("announced", [True, False])
def test_a_key_that_is_not_on_the_list_runs_nothing(announced: bool) -> None:
    servers = (McpServer("weather", announced=announced),)
    server = serving(REVISIONS["contextvm"], servers=servers, allow=frozenset({ALICE.public_key.x}))
    refused = call(server, BOB, "ping", {}, 1)
    assert delivered(refused) == []
    assert len(published(refused)) == announced
    assert len(delivered(call(server, ALICE, "ping", {}, 1))) == 1


def test_a_request_that_may_have_run_is_not_sent_again() -> None:
    client = asking(REVISIONS["contextvm"], allow_plain=True)
    (wrapped,) = published(client.message(Request(1, "tools/call", {"name": "x"}), START))
    late = Now(START.unix + 61, 61.0)
    actions = client.tick(late)
    assert [action.violation.error_class for action in actions if isinstance(action, Notice)] == ["fallen_back"]
    assert not [event for event in published(actions) if "tools/call" in event.content]
    (failure,) = delivered(actions)
    assert failure.message.id == 1  # type: ignore[union-attr]
    (plain,) = published(client.message(Request(2, "tools/call", {"name": "x"}), late))
    assert (wrapped.kind, plain.kind) == (1059, 25910)


def test_the_last_subscriber_of_a_resource_tells_the_mcp_server() -> None:
    server = serving(REVISIONS["contextvm"])
    (first,) = delivered(call(server, ALICE, "resources/subscribe", {"uri": "file:///a"}, 1))
    assert first.link is not None and isinstance(first.message, Request)
    server.message(first.link, Result(first.message.id, {}), START)
    assert delivered(call(server, BOB, "resources/subscribe", {"uri": "file:///a"}, 1)) == []
    assert delivered(call(server, BOB, "resources/unsubscribe", {"uri": "file:///a"}, 2)) == []
    (last,) = delivered(call(server, ALICE, "resources/unsubscribe", {"uri": "file:///a"}, 2))
    assert isinstance(last.message, Request) and last.message.method == "resources/unsubscribe"


def test_a_shared_mcp_server_reaches_no_client_on_its_own_account() -> None:
    given = ServerSettings((REVISIONS["contextvm"],), (McpServer("weather"),), "2025-03-26")
    server = Server(given, PROVIDER, bytes_from_a_count(), START)
    (opening,) = delivered(server.start(START))
    assert isinstance(opening.message, Request) and opening.link is not None
    assert (opening.message.params or {})["capabilities"] == {}
    server.message(opening.link, Result(opening.message.id, RESULT), START)
    call(server, ALICE, "ping", {}, 1)
    log = Notification("notifications/message", {"level": "info", "data": "of whom?"})
    for message in (log, Request(9, "sampling/createMessage", {}), Request(10, "roots/list")):
        assert published(server.message(opening.link, message, START)) == []


def test_nothing_is_paid_unless_the_policy_agrees() -> None:
    revision = REVISIONS["ctxvm-draft"]
    params = {"amount": 100, "currency": "sats", "invoice": "lnbc1u1qq"}
    demand = json.dumps({"jsonrpc": "2.0", "method": "notifications/payment_required", "params": params})
    paid = []
    for payments in (PaymentPolicy(), PaymentPolicy(pay=True)):
        client = asking(revision, encryption=Encryption.DISABLED, payments=payments)
        (request,) = published(client.message(Request(1, "tools/call", {"name": "x"}), START))
        actions = client.receive(signed(PROVIDER, 25910, demand, to(ALICE), ("e", request.id.hex())), START)
        assert not [action for action in actions if isinstance(action, Drop)]
        paid.append([action.invoice for action in actions if isinstance(action, Pay)])
    assert paid == [[], ["lnbc1u1qq"]]
