"""What peers, MCP servers and processors can do at the edge of the rules, seen from both sides of a session."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nostrmcp.mcp.jsonrpc import Error, Notification, Request, Result
from nostrmcp.nostr import Event, UnsignedEvent, nip59
from nostrmcp.nostr.keys import SecretKey
from nostrmcp.revisions import REVISIONS
from nostrmcp.session import Client
from nostrmcp.session.actions import Action, Charge, Deliver, Link, Now, Open, Pay
from nostrmcp.session.settings import (
    ClientLimits,
    ClientSettings,
    ClientTimers,
    Encryption,
    McpServer,
    PaymentPolicy,
    Remote,
    ServerLimits,
)
from nostrmcp.translate.route import Price
from tests.session.test_server import (
    CONTEXTVM,
    LINK,
    META,
    OWN,
    WEATHER,
    contents,
    later,
    messages,
    opened,
    ready,
    reasons,
)
from tests.session.test_strangers import (
    ALICE,
    BOB,
    PROVIDER,
    RESULT,
    START,
    bytes_from_a_count,
    call,
    published,
    signed,
    to,
)

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
INVOICE = "lnbc210n1qqqqqq"
A, B = "file:///a", "file:///b"
CHANGED = "notifications/tools/list_changed"
UPDATED = "notifications/resources/updated"


def says(method: str, params: Any, *tags: tuple[str, ...], kind: int = 25910) -> Event:
    """A notification of alice's."""
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params})
    return signed(ALICE, kind, body, to(PROVIDER), *tags)


def asked(actions: list[Action]) -> Any:
    """The number under which an MCP server was asked."""
    (request,) = [message for message in messages(actions) if isinstance(message, Request)]
    return request.id


class TestRequests:
    def test_what_an_error_would_repeat_may_be_as_long_as_an_event(self) -> None:
        server = ready()
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        actions = server.receive(signed(ALICE, 25910, body, to(PROVIDER), ("payment_interaction", "x" * 65_400)), START)
        (answer,) = contents(actions)
        assert answer["id"] == 1 and answer["error"]["code"] == -32602 and "data" not in answer["error"]

    def test_a_server_id_of_a_revision_is_known_by_cancels(self) -> None:
        """Announced in two revisions, the second has an identifier of its own, and its cancels may lack e."""
        revisions = (REVISIONS["dvmcp-rev1"], REVISIONS["dvmcp-rev1-ephemeral"])
        server = ready(McpServer("weather", announced=True), revisions=revisions)
        own = ("s", "weather.dvmcp-rev1-ephemeral")
        body = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": WEATHER})
        begun = server.receive(signed(ALICE, 25910, body, to(PROVIDER), own, ("method", "tools/call")), START)
        ended = server.receive(says("notifications/cancel", {"id": 5}, own, kind=21316), START)
        assert messages(ended) == [Notification("notifications/cancelled", {"requestId": asked(begun)})]

    def test_an_id_that_a_client_has_used_twice_is_cancelled_though_one_has_ended(self) -> None:
        server = ready()
        first, second = (
            asked(call(server, ALICE, "tools/call", {"name": name, "arguments": {}}, 5)) for name in ("one", "other")
        )
        server.message(LINK, Result(first, {"content": []}), START)
        ended = server.receive(says("notifications/cancelled", {"requestId": 5}), START)
        assert messages(ended) == [Notification("notifications/cancelled", {"requestId": second})]

    def test_an_error_that_is_too_large_is_replaced_as_a_result_is(self) -> None:
        server = ready()
        number = asked(call(server, ALICE, "tools/call", WEATHER, 5))
        (answer,) = contents(server.message(LINK, Error(number, -32000, "a trace", {"lines": "x" * 70_000}), START))
        assert answer["id"] == 5 and answer["error"]["code"] == -32603
        assert answer["error"]["data"]["limit"] == 65_536 < answer["error"]["data"]["size"]

    def test_an_error_that_does_not_fit_at_all_is_dropped(self) -> None:
        server = ready(limits=ServerLimits(event=2000))
        body = json.dumps({"jsonrpc": "2.0", "id": "x" * 1800, "method": "tools/call", "params": WEATHER})
        number = asked(server.receive(signed(ALICE, 25910, body, to(PROVIDER)), START))
        assert reasons(server.message(LINK, Error(number, -32000, "short"), START)) == ["too_large"]

    @pytest.mark.parametrize("method", ["tools/call", "subscriptions/listen"])
    def test_what_was_withdrawn_takes_no_room_of_others(self, method: str) -> None:
        """A stranger asks and cancels without end, while the MCP server of all is still starting."""
        server, begun = opened()
        params = WEATHER if method == "tools/call" else {"_meta": META, "notifications": {"toolsListChanged": True}}
        for number in range(1200):
            assert not published(call(server, ALICE, method, params, number))
            server.receive(says("notifications/cancelled", {"requestId": number}), START)
        assert not published(call(server, BOB, "tools/call", WEATHER, 1))
        ready_now = server.message(LINK, Result(asked(begun), RESULT), START)
        assert [one.method for one in messages(ready_now) if isinstance(one, Request)] == ["tools/call"]


class TestMoney:
    def test_a_demand_that_cannot_be_sent_ends_its_request(self) -> None:
        """The processor has made an invoice of a test network, for which ContextVM has no name."""
        server = ready(prices=(Price("tool", "get_weather", "21", "sats"),))
        (charge,) = [one for one in call(server, ALICE, "tools/call", WEATHER, 5) if isinstance(one, Charge)]
        (answer,) = contents(server.invoiced(charge.request, "lntb210n1qqqqqq", START))
        assert answer["error"]["code"] == -32603 and len(server.requests) == 0

    def test_a_demand_whose_time_is_over_is_not_paid(self) -> None:
        client, event = asking()
        actions = client.receive(demand(event, ttl=10), later(10))
        assert not pays(actions) and failure(actions) == "payment_refused"

    def test_what_is_paid_for_has_its_full_time(self) -> None:
        """The demand ends 15 s after the payment; the answer may take the 60 s of any request."""
        client, event = asking()
        assert pays(client.receive(demand(event, ttl=15), START))
        client.payment_sent(event.id, later(3))
        assert not messages(client.tick(later(62)))
        assert failure(client.tick(later(64))) == "timed_out"

    def test_a_demand_that_ends_late_is_not_cut_short_by_its_payment(self) -> None:
        client, event = asking()
        client.receive(demand(event, ttl=300), START)
        client.payment_sent(event.id, later(3))
        assert not messages(client.tick(later(299)))

    def test_progress_of_what_is_paid_for_gives_it_time(self) -> None:
        client, event = asking()
        client.receive(demand(event, ttl=100), START)
        client.payment_sent(event.id, later(3))
        now = later(90)
        client.receive(from_server({"method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}},
                                   event, now), now)  # fmt: skip
        assert not messages(client.tick(later(149)))

    def test_a_sign_of_life_is_not_paid_for(self) -> None:
        client, _ = asking(timers=ClientTimers(ping=10))
        (ping,) = published(client.tick(later(10)))
        assert not pays(client.receive(demand(ping, now=later(11)), later(11)))

    @pytest.mark.parametrize("failures", [1, 3])
    def test_a_server_that_speaks_and_then_falls_silent_is_given_up_once(self, failures: int) -> None:
        """It speaks while a ping is on its way, so that another is due before that one's time is over."""
        timers = ClientTimers(ping=5, ping_timeout=10, request=1000)
        client, _ = asking(timers=timers, limits=ClientLimits(ping_failures=failures), begins=False)
        client.tick(later(5))
        client.receive(from_server({"method": CHANGED}, now=later(6)), later(6))
        client.tick(later(11))
        client.message(Request(1, "tools/call", WEATHER), later(12))
        ends = [failure(said) for second in range(12, 200) if messages(said := client.tick(later(second)))]
        assert ends == ["timed_out"] and len(client.questions) == 0

    def test_what_a_demand_came_for_is_not_asked_again_in_plain(self) -> None:
        """Else it might be paid for twice. The server answers in plain, so encryption has not worked."""
        client, _ = asking(encryption=Encryption.OPTIONAL, allow_plain=True, begins=False)
        (wrapped,) = published(client.message(Request(1, "initialize", {}), START))
        event = nip59.unwrap(wrapped, PROVIDER)
        assert pays(client.receive(demand(event, ttl=100), START))
        assert failure(client.tick(later(101))) == "timed_out"


def asking(*, begins: bool = True, **changes: Any) -> tuple[Client, Event]:
    """A client that pays, and its first request."""
    changes = {"encryption": Encryption.DISABLED, "mcp_version": "2025-11-25", **changes}
    settings = ClientSettings(
        CONTEXTVM, Remote(PROVIDER.public_key.x), payments=PaymentPolicy(pay=True), **changes
    )  # fmt: skip
    client = Client(settings, ALICE, bytes_from_a_count(), START)
    client.start(START)
    if not begins:
        return client, None  # type: ignore[return-value]
    params = {**WEATHER, "_meta": {"progressToken": 1}}
    (event,) = published(client.message(Request(1, "tools/call", params), START))
    return client, event


def from_server(body: dict[str, Any], about: Event | None = None, now: Now = START) -> Event:
    tags = [to(ALICE)] + ([] if about is None else [("e", about.id.hex())])
    content = json.dumps({"jsonrpc": "2.0", **body})
    return UnsignedEvent(PROVIDER.public_key.x, now.unix, 25910, tuple(tags), content).sign(PROVIDER, bytes(32))


def demand(about: Event, *, ttl: int = 300, now: Now = START) -> Event:
    params = {"amount": 21, "pay_req": INVOICE, "pmi": "bitcoin-lightning-bolt11", "ttl": ttl}
    return from_server({"method": "notifications/payment_required", "params": params}, about, now)


def pays(actions: list[Action]) -> bool:
    return any(isinstance(one, Pay) for one in actions)


def failure(actions: list[Action]) -> Any:
    """Why the latest request of the local client has failed."""
    (error,) = [one.message for one in actions if isinstance(one, Deliver) and isinstance(one.message, Error)]
    assert isinstance(error.data, dict)
    return error.data["reason"]


class TestResources:
    def test_who_withdraws_a_subscription_before_its_answer_is_told_of_nothing(self) -> None:
        server = ready()
        call(server, ALICE, "resources/subscribe", {"uri": A}, 5)
        server.receive(says("notifications/cancelled", {"requestId": 5}), START)
        assert not published(server.message(LINK, Notification(UPDATED, {"uri": A}), START))
        assert server.subscriptions.count == 0

    def test_who_has_subscribed_stays_so_though_a_second_request_fails(self) -> None:
        """Both were on the way at once."""
        server = ready()
        first, second = (asked(call(server, ALICE, "resources/subscribe", {"uri": A}, number)) for number in (1, 2))
        server.message(LINK, Result(first, {}), START)
        server.message(LINK, Error(second, -32603, "busy"), START)
        assert len(published(server.message(LINK, Notification(UPDATED, {"uri": A}), START))) == 1

    def test_who_is_refused_without_a_word_has_no_subscription(self) -> None:
        """More errors than may be sent: the request is dropped, and what it asked for with it."""
        server = ready(limits=ServerLimits(errors_per_second_per_key=0))
        server.links[LINK].capabilities = {}
        assert reasons(call(server, ALICE, "resources/subscribe", {"uri": A}, 5)) == ["too_many"]
        assert server.subscriptions.count == 0

    def test_who_subscribes_again_at_the_limit_keeps_what_it_has(self) -> None:
        server = ready(limits=ServerLimits(subscriptions_per_key=1))
        number = asked(call(server, ALICE, "resources/subscribe", {"uri": A}, 1))
        server.message(LINK, Result(number, {}), START)
        (answer,) = contents(call(server, ALICE, "resources/subscribe", {"uri": A}, 2))
        assert answer["result"] == {}
        (refused,) = contents(call(server, ALICE, "resources/subscribe", {"uri": B}, 3))
        assert refused["error"]["code"] == -32603
        assert len(published(server.message(LINK, Notification(UPDATED, {"uri": A}), START))) == 1

    def test_refusals_for_want_of_room_are_errors_of_our_own(self) -> None:
        server = ready(limits=ServerLimits(subscriptions_per_key=0, errors_per_second_per_key=3))
        said = [published(call(server, ALICE, "resources/subscribe", {"uri": A}, number)) for number in range(9)]
        assert sum(map(len, said)) == 3


class TestSubscriptions:
    @pytest.mark.parametrize(("version", "last"), [("2026-07-28", 1), ("DRAFT-2026-v1", 0)])
    @pytest.mark.parametrize("is_acknowledged", [True, False])
    def test_an_mcp_server_ends_what_it_holds_by_a_cancel(self, version: str, last: int, is_acknowledged: bool) -> None:
        """The way of the older texts; the client is told in that of its own (AMB-405)."""
        server, _ = opened(mcp_version=version)
        meta = {**META, "io.modelcontextprotocol/protocolVersion": version}
        meta["io.modelcontextprotocol/clientInfo"] = {"name": "alice", "version": "1"}
        listen = {"_meta": meta, "notifications": {"toolsListChanged": True}}
        number = asked(call(server, ALICE, "subscriptions/listen", listen, 1))
        if is_acknowledged:
            named = {"_meta": {SUBSCRIPTION: number}, "notifications": {"toolsListChanged": True}}
            server.message(LINK, Notification("notifications/subscriptions/acknowledged", named), START)
        ended = server.message(LINK, Notification("notifications/cancelled", {"requestId": number}), START)
        assert len(published(ended)) == (last if is_acknowledged else 1)
        assert len(server.feeds) == 0 and not messages(ended), "the MCP server is not told what it has said"
        assert server.links[LINK].answers == server.links[LINK].running == {}

    def test_who_cannot_be_subscribed_anew_is_told_under_its_own_id(self) -> None:
        """The new request has a longer id, and is a few bytes larger than relays carry."""
        listen = Request(2, "subscriptions/listen", {"_meta": META, "notifications": {"toolsListChanged": True}})
        client, _ = asking()
        (event,) = published(client.message(listen, START))
        client, _ = asking(limits=ClientLimits(event=event.sent_length + 2))
        client.message(listen, START)
        client.connection(False, START)
        client.connection(True, START)
        (error,) = messages(client.tick(later(2)))
        assert isinstance(error, Error) and error.id == 2
        assert len(client.subscriptions) == 0

    def test_a_name_that_is_not_open_is_nobodys(self) -> None:
        client, _ = asking(begins=False)
        named = {"_meta": {SUBSCRIPTION: 1}}
        assert not messages(client.receive(from_server({"method": CHANGED, "params": named}), START))
        listen = Request(1, "subscriptions/listen", {"_meta": META, "notifications": {"toolsListChanged": True}})
        client.message(listen, START)
        client.message(Notification("notifications/cancelled", {"requestId": 1}), START)
        late = from_server({"method": CHANGED, "params": {**named, "late": True}})
        assert not messages(client.receive(late, START))


class TestSessions:
    def test_who_encrypts_with_one_server_is_told_nothing_in_plain_by_another(self) -> None:
        draft = REVISIONS["ctxvm-draft"]
        server = ready(McpServer("one"), McpServer("other"), revisions=(draft,), encryption=Encryption.OPTIONAL)
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        inner = signed(ALICE, 25910, body, to(PROVIDER), ("s", "one"))
        wrapped = nip59.wrap(inner, PROVIDER.public_key, kind=1059, created_at=START.unix,
                             ephemeral_key=SecretKey(b"\x09" * 32), nonce=bytes(32), aux_rand=bytes(32))  # fmt: skip
        server.receive(wrapped, START)
        for key in (ALICE, BOB):
            server.receive(signed(key, 25910, body, to(PROVIDER), ("s", "other")), START)
        told = published(server.message(Link("other"), Notification(CHANGED), START))
        assert sorted(event.kind for event in told) == [1059, 25910], "bob has never encrypted"

    def test_a_client_cannot_take_all_the_room_for_what_mcp_servers_ask(self) -> None:
        server, _ = opened(OWN, limits=ServerLimits(pending=4, pending_per_key=2))
        links = {key: _greeted(server, key) for key in (ALICE, BOB)}
        said = [server.message(links[ALICE], Request(number, "roots/list"), START) for number in range(4)]
        assert [len(published(one)) for one in said] == [1, 1, 0, 0]
        assert len(published(server.message(links[BOB], Request(1, "roots/list"), START))) == 1

    def test_who_asks_is_the_last_to_go_also_where_it_is_refused(self) -> None:
        """A refused subscription is no work; it is use."""
        server = ready(limits=ServerLimits(sessions=2, sessions_per_key=2))
        for key in (ALICE, BOB):
            number = asked(call(server, key, "tools/call", WEATHER, 1))
            server.message(LINK, Result(number, {}), START)
        call(server, ALICE, "subscriptions/listen", {"notifications": {}}, 2)
        carol = SecretKey(b"\x07" * 32)
        call(server, carol, "tools/call", WEATHER, 1)
        assert {session.client for session in server.sessions.all()} == {ALICE.public_key.x, carol.public_key.x}

    @pytest.mark.parametrize(
        ("named", "is_delivered"),
        [("weather", True), ("weather.dvmcp-rev1", True), ("weather.dvmcp-rev1.1", False), ("other", False)],
    )
    def test_of_the_servers_of_a_key_one_is_heard(self, named: str, is_delivered: bool) -> None:
        rev1 = REVISIONS["dvmcp-rev1"]
        remote = Remote(PROVIDER.public_key.x, "weather")
        settings = ClientSettings(rev1, remote, "2025-03-26", encryption=Encryption.DISABLED)
        client = Client(settings, ALICE, bytes_from_a_count(), START)
        body = json.dumps({"jsonrpc": "2.0", "method": CHANGED})
        told = client.receive(signed(PROVIDER, 21316, body, to(ALICE), ("s", named), ("method", CHANGED)), START)
        assert len(messages(told)) == is_delivered

    @pytest.mark.parametrize(("spoken", "is_delivered"), [("2025-03-26", True), ("nonsense", False), (1, False)])
    def test_the_version_that_was_agreed_on_says_what_a_server_may_ask(self, spoken: Any, is_delivered: bool) -> None:
        """MCP 2026-07-28 has no requests of servers; a server of an older version may ask for roots."""
        client, _ = asking(begins=False, mcp_version="2026-07-28")
        (event,) = published(client.message(Request(1, "initialize", {}), START))
        client.receive(from_server({"id": 1, "result": {**RESULT, "protocolVersion": spoken}}, event), START)
        told = messages(client.receive(from_server({"id": 7, "method": "roots/list"}), START))
        assert told == ([Request(7, "roots/list")] if is_delivered else [])


def _greeted(server: Any, key: SecretKey) -> Link:
    """The link of a client whose own MCP server is ready."""
    begun = call(server, key, "tools/call", WEATHER, 1)
    (link,) = [one.link for one in begun if isinstance(one, Open)]
    server.message(link, Result(asked(begun), RESULT), START)
    return link
