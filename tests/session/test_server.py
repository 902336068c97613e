"""A server and its MCP servers, where these crash, hang, repeat themselves or speak nonsense."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nostrmcp.mcp.jsonrpc import Error, Message, Notification, Request, Result
from nostrmcp.nostr import Event, LocalProtocolError, nip59
from nostrmcp.nostr.keys import public_key
from nostrmcp.revisions import REVISIONS
from nostrmcp.session import Server, feeds
from nostrmcp.session.actions import Action, Charge, Close, Deliver, Drop, Link, Now, Open
from nostrmcp.session.sessions import Session
from nostrmcp.session.settings import (
    ClientSettings,
    Encryption,
    McpServer,
    Remote,
    ServerLimits,
    ServerSettings,
    ServerTimers,
)
from nostrmcp.translate.route import Price
from tests.session.test_strangers import (
    ALICE,
    BOB,
    PROVIDER,
    RESULT,
    START,
    bytes_from_a_count,
    call,
    delivered,
    published,
    signed,
    to,
)

CONTEXTVM, REV1, REV11 = REVISIONS["contextvm"], REVISIONS["dvmcp-rev1"], REVISIONS["dvmcp-rev1.1"]
SHARED, OWN = McpServer("weather"), McpServer("weather", shared=False)
LINK = Link("weather")
WEATHER = {"name": "get_weather", "arguments": {"city": "Rome"}}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
INVOICE = "lnbc210n1qqqqqq"
ALLOWED = {**RESULT, "capabilities": {**RESULT["capabilities"], "completions": {}}}  # type: ignore[dict-item]


def later(seconds: float) -> Now:
    return Now(START.unix + int(seconds), seconds)


def opened(*servers: McpServer, mcp_version: str = "2025-03-26", **changes: Any) -> tuple[Server, list[Action]]:
    """A server that has been started, and what it said then."""
    changes = {"revisions": (CONTEXTVM,), "encryption": Encryption.DISABLED, **changes}
    settings = ServerSettings(servers=servers or (SHARED,), mcp_version=mcp_version, **changes)
    server = Server(settings, PROVIDER, bytes_from_a_count(), START)
    return server, server.start(START)


def answered(server: Server, actions: list[Action], result: Any = ALLOWED, now: Now = START) -> list[Action]:
    """What follows when the MCP servers answer what they were just asked."""
    asked = [action for action in delivered(actions) if isinstance(action.message, Request)]
    said = [server.message(_link(one), Result(_id(one.message), result), now) for one in asked]
    return [action for one in said for action in one]


def _link(deliver: Deliver) -> Link:
    assert deliver.link is not None
    return deliver.link


def _id(message: Message) -> Any:
    assert isinstance(message, (Request, Result, Error))
    return message.id


def messages(actions: list[Action]) -> list[Message]:
    return [one.message for one in delivered(actions)]


def contents(actions: list[Action]) -> list[Any]:
    return [json.loads(event.content) for event in published(actions)]


def reasons(actions: list[Action]) -> list[str]:
    return [action.violation.error_class for action in actions if isinstance(action, Drop)]


def ready(*servers: McpServer, **changes: Any) -> Server:
    server, actions = opened(*servers, **changes)
    answered(server, actions)
    return server


class TestLinks:
    def test_what_comes_from_a_link_that_nobody_opened(self) -> None:
        server = ready()
        assert reasons(server.message(Link("another"), Result(1, {}), START)) == ["uncorrelated"]
        assert server.closed(Link("another"), START) == []

    def test_an_mcp_server_that_never_answers_initialize_fails_what_waits_for_it(self) -> None:
        server, actions = opened(timers=ServerTimers(execution=600))
        assert [one.method for one in messages(actions) if isinstance(one, Request)] == ["initialize"]
        assert published(call(server, ALICE, "tools/call", WEATHER, 7)) == []
        assert published(server.tick(later(599))) == []
        (failed,) = contents(server.tick(later(600)))
        assert (failed["id"], failed["error"]["code"]) == (7, -32603)
        assert "takes too long" in failed["error"]["message"]
        assert len(server.requests) == 0
        # The next request is a new beginning.
        event = signed(BOB, 25910, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}), to(PROVIDER))
        late = Event(event.id, event.pubkey, event.created_at, event.kind, event.tags, event.content, event.sig)
        (begun,) = messages(server.receive(late, START))
        assert isinstance(begun, Request) and begun.method == "initialize"

    def test_a_version_without_a_handshake_is_not_negotiated(self) -> None:
        server, actions = opened()
        answered(server, actions, {**RESULT, "protocolVersion": "2026-07-28"})
        assert server.links[LINK].version == "2025-03-26"
        server, actions = opened()
        answered(server, actions, {**RESULT, "protocolVersion": "2025-06-18"})
        assert server.links[LINK].version == "2025-06-18"

    def test_initialize_where_the_version_has_none(self) -> None:
        server, actions = opened(mcp_version="2026-07-28")
        assert messages(actions) == []
        initialize = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
        (passed_on,) = messages(call(server, ALICE, "initialize", initialize, 1))
        assert passed_on == Request(1, "initialize", initialize), "it is the MCP server's to refuse"

    def test_nothing_is_delivered_to_an_mcp_server_that_has_ended(self) -> None:
        server, _ = opened(OWN)
        (asked,) = delivered(call(server, ALICE, "ping", {}, 1))
        link = _link(asked)
        actions = server.closed(link, START)
        assert messages(actions) == [] and link not in server.links and len(server.sessions) == 0
        assert contents(actions)[0]["error"]["message"] == "the MCP server has ended"


class TestSessions:
    def test_the_end_of_one_is_not_that_of_another_of_the_same_key(self) -> None:
        draft, timers = REVISIONS["ctxvm-draft"], ServerTimers(session=100)
        server = ready(McpServer("a"), McpServer("b"), revisions=(draft,), timers=timers)
        for number, (name, now) in enumerate([("a", START), ("b", later(50))]):
            body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/list"})
            answered(server, server.receive(signed(ALICE, 25910, body, to(PROVIDER), ("s", name)), now), now=now)
        server.tick(later(100))
        assert [session.server.id for session in server.sessions.of_client(ALICE.public_key.x)] == ["b"]
        server.tick(later(150))
        assert (len(server.sessions), server.sessions.of_client(ALICE.public_key.x)) == (0, [])

    def test_one_that_begins_with_initialized_is_used_from_then_on(self) -> None:
        server = ready(OWN)
        body = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
        server.receive(signed(ALICE, 25910, body, to(PROVIDER)), later(50))
        assert [session.used for session in server.sessions.all()] == [50]

    def test_a_notification_settles_what_a_request_has_left_open(self) -> None:
        """A request without s fits both revisions, what has s is of one, and reaches the MCP server of that session."""
        server = ready(OWN, revisions=(REVISIONS["ctxvm-draft"], CONTEXTVM))
        first = call(server, ALICE, "tools/list", {}, 1)
        answered(server, answered(server, first), {"tools": []})
        body = json.dumps({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})
        actions = server.receive(signed(ALICE, 25910, body, to(PROVIDER), ("s", "weather")), START)
        assert messages(actions) == [Notification("notifications/roots/list_changed")]
        assert [session.key[2] for session in server.sessions.all()] == ["ctxvm-draft"]

    def test_two_never_become_one(self) -> None:
        """Where a session of a revision is there, one that is undecided stays so."""
        draft, key = REVISIONS["ctxvm-draft"], ALICE.public_key.x
        server = ready()
        settled, undecided = (Session(key, SHARED, fits, server.links[LINK]) for fits in ((draft,), (draft, CONTEXTVM)))
        for session in (settled, undecided):
            server.sessions.add(session, START)
        server.sessions.latch(key, draft)
        assert (settled.revisions, undecided.revisions) == ((draft,), (draft, CONTEXTVM))
        assert server.sessions.find(key, "weather", (draft,)) is settled
        assert server.sessions.find(key, "weather", (draft, CONTEXTVM)) is undecided
        server.sessions.latch(key, CONTEXTVM)
        assert server.sessions.find(key, "weather", (CONTEXTVM,)) is undecided

    def test_one_that_was_undecided_is_the_one_that_is_settled(self) -> None:
        """A plain message of ContextVM fits other revisions too, a wrap of kind 21059 does not."""
        both = (REVISIONS["ctxvm-draft"], CONTEXTVM)
        server = ready(OWN, revisions=both, encryption=Encryption.OPTIONAL)
        first = call(server, ALICE, "tools/list", {}, 1)
        assert [one.key[2] for one in server.sessions.all()] == [None]
        inner = signed(ALICE, 25910, json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}), to(PROVIDER))
        wrap = nip59.wrap(inner, public_key(PROVIDER.public_key.x), kind=nip59.EPHEMERAL_WRAP, created_at=START.unix,
                          ephemeral_key=BOB, nonce=bytes(32), aux_rand=bytes(32))  # fmt: skip
        second = server.receive(wrap, START)
        assert [one.key[2] for one in server.sessions.all()] == ["contextvm"]
        assert [type(one) for one in [*first, *second]].count(Open) == 1, "they share the MCP server of their client"
        assert len(server.sessions.of_client(ALICE.public_key.x)) == 1


class TestMoney:
    PRICE = Price("tool", "get_weather", "21", "sats")

    def priced(self) -> tuple[Server, Link, bytes]:
        """A server whose own MCP server for Alice has ended while her payment was awaited."""
        server, _ = opened(OWN, prices=(self.PRICE,))
        first = call(server, ALICE, "tools/call", WEATHER, 7)
        (charge,) = [action for action in answered(server, first) if isinstance(action, Charge)]
        server.invoiced(charge.request, INVOICE, START)
        link = _link(delivered(first)[0])
        assert [action for action in server.closed(link, START) if isinstance(action, (Open, Close))] == [Open(link)]
        return server, link, charge.request

    def test_what_is_paid_for_runs_at_an_mcp_server_that_was_started_anew(self) -> None:
        server, link, request = self.priced()
        paid = server.paid(request, START)
        assert [one.method for one in messages(paid) if isinstance(one, Request)] == ["initialize"]
        initialized, run = messages(answered(server, paid))
        assert isinstance(initialized, Notification) and isinstance(run, Request)
        assert (run.method, run.params) == ("tools/call", WEATHER)
        (answer,) = contents(server.message(link, Result(run.id, {"content": []}), START))
        assert (answer["id"], answer["result"]) == (7, {"content": []})
        assert reasons(server.paid(request, START)) == ["uncorrelated"]

    def test_a_cancel_while_it_waits_for_the_handshake_is_enough(self) -> None:
        server, _, request = self.priced()
        paid = server.paid(request, START)
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        assert messages(server.receive(signed(ALICE, 25910, json.dumps(cancel), to(PROVIDER)), START)) == []
        assert [type(one) for one in messages(answered(server, paid))] == [Notification]
        assert len(server.requests) == 0

    def test_a_handshake_that_fails_is_the_answer(self) -> None:
        server, link, request = self.priced()
        (asked,) = delivered(server.paid(request, START))
        (failed,) = contents(server.message(link, Error(_id(asked.message), -32000, "not today"), START))
        assert (failed["id"], failed["error"]) == (7, {"code": -32000, "message": "not today"})

    def test_an_invoice_that_cannot_be_read_sells_nothing(self) -> None:
        server = ready(prices=(Price("tool", "get_weather", "1-30", "sats"),))
        (charge,) = [one for one in call(server, ALICE, "tools/call", WEATHER, 7) if isinstance(one, Charge)]
        actions = server.invoiced(charge.request, "lnbc1", START)
        assert reasons(actions) == ["payment_refused"]
        assert [(one["id"], one["error"]["code"]) for one in contents(actions)] == [(7, -32603)]
        assert len(server.requests) == 0

    def test_an_invoice_for_what_is_not_pending(self) -> None:
        assert reasons(ready(prices=(self.PRICE,)).invoiced(b"\0" * 32, INVOICE, START)) == ["uncorrelated"]


class TestAnswers:
    def test_a_result_that_the_revision_cannot_carry_is_an_error(self) -> None:
        server = ready()
        asked = call(server, ALICE, "completion/complete", {"ref": {"type": "ref/prompt", "name": "a"},
                                                            "argument": {"name": "b", "value": "c"}}, 3)  # fmt: skip
        values = [str(number) for number in range(101)]
        (answer,) = contents(answered(server, asked, {"completion": {"values": values}}))
        assert (answer["id"], answer["error"]["code"]) == (3, -32603)
        assert answer["error"]["message"].startswith("the result cannot be sent: ")

    def test_a_resource_is_subscribed_to_by_its_uri(self) -> None:
        server = ready()
        (refused,) = contents(call(server, ALICE, "resources/subscribe", {"uri": 3}, 3))
        assert refused["error"]["code"] == -32602
        assert server.subscriptions.count == 0


class TestRequestsToClients:
    def with_link(self, **changes: Any) -> tuple[Server, Link]:
        server, _ = opened(OWN, **changes)
        first = call(server, ALICE, "ping", {}, 1)
        answered(server, answered(server, first))
        return server, _link(delivered(first)[0])

    def test_an_id_that_is_pending_is_not_asked_under_again(self) -> None:
        server, link = self.with_link()
        assert len(published(server.message(link, Request(1, "roots/list"), START))) == 1
        refused = server.message(link, Request(1, "roots/list"), START)
        assert [(_id(one), getattr(one, "code", None)) for one in messages(refused)] == [(1, -32600)]
        assert published(refused) == [] and len(server.upstream) == 1
        assert len(published(server.closed(link, START))) == 1, "it is withdrawn"
        assert (len(server.upstream), len(server.alarms)) == (0, 1), "sessions expire, nothing else is awaited"

    def test_each_has_an_id_of_its_own(self) -> None:
        server, link = self.with_link()
        sent = [contents(server.message(link, Request(id_, "roots/list"), START))[0]["id"] for id_ in (1, "1", 2)]
        assert len(set(sent)) == 3

    def test_no_more_are_pending_than_may_be(self) -> None:
        server, link = self.with_link(limits=ServerLimits(pending=1))
        server.message(link, Request(1, "roots/list"), START)
        (refused,) = messages(server.message(link, Request(2, "roots/list"), START))
        assert isinstance(refused, Error) and (refused.id, refused.code) == (2, -32603)

    def test_one_that_no_relay_carries_fails(self) -> None:
        server, link = self.with_link()
        actions = server.message(link, Request(1, "roots/list", {"_meta": {"a": "b" * 70_000}}), START)
        assert reasons(actions) == ["too_large"]
        (refused,) = messages(actions)
        assert isinstance(refused, Error) and (refused.id, refused.code) == (1, -32603)


class TestAnnouncements:
    def begun(self, result: Any, **changes: Any) -> tuple[Server, list[Action]]:
        server, actions = opened(McpServer("weather", announced=True), **changes)
        return server, answered(server, actions, {**RESULT, "capabilities": result})

    def test_what_relays_would_not_carry_is_not_announced(self) -> None:
        server, actions = self.begun({"tools": {}})
        assert [event.kind for event in published(actions)] == [11316]
        read = answered(server, actions, {"tools": [{"name": "a" * 70_000}]})
        assert (published(read), reasons(read)) == ([], ["too_large"])

    def test_what_a_revision_has_no_kind_for_is_not_announced(self) -> None:
        server, actions = self.begun({"resources": {}}, revisions=(REV1,))
        templates = [
            one for one in delivered(actions) if getattr(one.message, "method", "") == "resources/templates/list"
        ]
        assert published(answered(server, list(templates), {"resourceTemplates": []})) == []

    @pytest.mark.parametrize("tools", [None, {"a": 1}, "ab", [None, 3, {"name": ["a"]}]], ids=str)
    def test_a_list_that_is_none_does_no_harm(self, tools: Any) -> None:
        server, actions = self.begun({"tools": {}}, prices=(Price("tool", "a", "1", "sats"),))
        read = answered(server, actions, {"tools": tools})
        assert contents(read) == [{"tools": tools if type(tools) is list else []}]
        assert published(read)[0].first("cap") is None


class TestSubscriptions:
    def listens(self, server: Server, number: int, wanted: Any, version: str = "2026-07-28") -> list[Action]:
        meta = {**META, "io.modelcontextprotocol/protocolVersion": version}
        return call(server, ALICE, "subscriptions/listen", {"_meta": meta, "notifications": wanted}, number)

    def test_no_more_refusals_are_sent_than_other_errors(self) -> None:
        server = ready(limits=ServerLimits(errors_per_second_per_key=1))
        assert len(published(self.listens(server, 1, {}, "1999-01-01"))) == 1
        second = self.listens(server, 2, {}, "1999-01-01")
        assert (published(second), reasons(second)) == ([], ["too_many"])

    def test_a_resource_that_is_named_twice_is_asked_for_once(self) -> None:
        server = ready()
        asked = self.listens(server, 1, {"resourceSubscriptions": ["file:///a", "file:///a"], "toolsListChanged": True})
        (subscribe,) = delivered(asked)
        (acknowledged,) = contents(server.message(LINK, Error(_id(subscribe.message), -32000, "no"), START))
        assert acknowledged["params"]["notifications"] == {"toolsListChanged": True}
        assert server.subscriptions.count == 1

    def test_room_that_others_have_taken_since_is_not_acknowledged(self) -> None:
        server, begun = opened(limits=ServerLimits(subscriptions=3, subscriptions_per_key=3))
        self.listens(server, 1, {"resourceSubscriptions": ["file:///a", "file:///b"]})
        self.listens(server, 2, {"toolsListChanged": True, "resourceSubscriptions": ["file:///b"]})
        subscribed = answered(server, begun)
        wanted = [(one.params or {}).get("uri") for one in messages(subscribed) if isinstance(one, Request)]
        assert wanted == ["file:///a"]
        assert [one["params"]["notifications"] for one in contents(subscribed)] == [{"toolsListChanged": True}]
        assert server.subscriptions.count == 3

    def test_the_end_of_the_mcp_server_is_the_end_and_nothing_is_delivered_to_it(self) -> None:
        server, _ = opened(OWN)
        first = self.listens(server, 1, {"resourceSubscriptions": ["file:///a"]})
        (acknowledged,) = published(answered(server, answered(server, first)))
        server.published(acknowledged.id, True, "", START)
        actions = server.closed(_link(delivered(first)[0]), START)
        assert messages(actions) == []
        assert [one["result"]["resultType"] for one in contents(actions)] == ["complete"]
        assert (server.subscriptions.count, len(server.feeds), len(server.sessions)) == (0, 0, 0)

    def test_a_change_that_waits_is_told_once(self) -> None:
        server = ready()
        (acknowledged,) = published(self.listens(server, 1, {"toolsListChanged": True}))
        for _ in range(2):
            assert published(server.message(LINK, Notification("notifications/tools/list_changed"), START)) == []
        assert len(published(server.published(acknowledged.id, True, "", START))) == 1

    def test_a_change_that_no_relay_carries_is_dropped(self) -> None:
        server = ready()
        (acknowledged,) = published(self.listens(server, 1, {"toolsListChanged": True}))
        server.published(acknowledged.id, True, "", START)
        large = Notification("notifications/tools/list_changed", {"_meta": {"a": "b" * 70_000}})
        assert reasons(server.message(LINK, large, START)) == ["too_large"]
        assert server.feeds._publications == {}

    def test_of_publications_the_latest_are_remembered(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(feeds, "RECENT_PUBLICATIONS", 2)
        server = ready()
        ids = [published(self.listens(server, number, {"toolsListChanged": True}))[0].id for number in (1, 2, 3)]
        assert list(server.feeds._publications) == ids[1:]

    def test_where_ids_do_not_travel_the_end_of_one_is_not_that_of_another(self) -> None:
        server = ready(revisions=(REV11,))
        events = []
        for number in (1, 2):
            params = {"_meta": {**META, "n": number}, "notifications": {"toolsListChanged": True}}
            body = json.dumps({"method": "subscriptions/listen", "params": params})
            tags = (("method", "subscriptions/listen"), ("s", "weather"))
            events.append(signed(ALICE, REV11.kinds.request, body, to(PROVIDER), *tags))
            (acknowledged,) = published(server.receive(events[-1], START))
            server.published(acknowledged.id, True, "", START)
        assert server.feeds.cancel(events[0].id) == [] and len(server.feeds) == 1
        (told,) = published(server.message(LINK, Notification("notifications/tools/list_changed"), START))
        assert told.first("e") == events[1].id.hex()

    def test_an_id_that_is_the_event_id_of_another_does_no_harm(self) -> None:
        """A client knows its next event, and may name a subscription after it, in a revision where ids travel."""
        server = ready(revisions=(REV1, REV11))
        params = {"_meta": META, "notifications": {"toolsListChanged": True}}
        tags = (to(PROVIDER), ("method", "subscriptions/listen"), ("s", "weather"))
        body = {"method": "subscriptions/listen", "params": params}
        second = signed(ALICE, REV11.kinds.request, json.dumps(body), *tags)
        named = {"jsonrpc": "2.0", "id": second.id.hex(), **body}
        first = signed(ALICE, REV1.kinds.request, json.dumps(named), *tags)
        for event in (first, second):
            assert len(published(server.receive(event, START))) == 1
        assert len(server.feeds) == 2
        assert (server.feeds.cancel(first.id), server.feeds.cancel(second.id)) == ([], [])
        assert (len(server.feeds), server.feeds._events) == (0, {})

    def test_an_mcp_server_that_acknowledges_twice_or_calls_names(self) -> None:
        server, _ = opened(mcp_version="2026-07-28")
        (asked,) = delivered(self.listens(server, 1, {"toolsListChanged": True}))
        number = _id(asked.message)

        def says(method: str, name: Any, **params: Any) -> list[Action]:
            said = Notification(method, {"_meta": {SUBSCRIPTION: name}, **params})
            return server.message(LINK, said, START)

        acknowledged = "notifications/subscriptions/acknowledged"
        for name in (str(number), "9" * 5000, "٣", [], {}, None, True, number + 1):
            said = says(acknowledged, name, notifications={"toolsListChanged": True})
            assert (published(said), reasons(said)) in [([], ["uncorrelated"]), ([], ["unowned"])], name
        first = says(acknowledged, number, notifications={"toolsListChanged": True, "promptsListChanged": True})
        assert contents(first)[0]["params"]["notifications"] == {"toolsListChanged": True}
        again = says(acknowledged, number, notifications={})
        assert (published(again), reasons(again)) == ([], ["unexpected"])
        assert next(iter(server.feeds._feeds.values())).honoured == {"toolsListChanged": True}


class TestSettings:
    def test_a_provider_has_revisions_and_servers_with_different_ids(self) -> None:
        for revisions, servers in [((), (SHARED,)), ((CONTEXTVM,), ()), ((CONTEXTVM,), (SHARED, OWN))]:
            with pytest.raises(LocalProtocolError, match="revisions, and servers with different ids"):
                ServerSettings(revisions, servers, "2025-03-26")

    def test_encryption_is_required_only_where_it_is_defined(self) -> None:
        remote = Remote(PROVIDER.public_key.x)
        with pytest.raises(LocalProtocolError, match="does not define it"):
            ServerSettings((CONTEXTVM, REV1), (SHARED,), "2025-03-26", Encryption.REQUIRED)
        with pytest.raises(LocalProtocolError, match="does not define it"):
            ClientSettings(REV1, remote, "2025-03-26", encryption=Encryption.REQUIRED)
        assert ClientSettings(CONTEXTVM, remote, "2025-03-26", encryption=Encryption.REQUIRED).handshake

    def test_without_an_announcement_there_is_a_handshake(self) -> None:
        with pytest.raises(LocalProtocolError, match="without an announcement"):
            ClientSettings(CONTEXTVM, Remote(PROVIDER.public_key.x), "2025-03-26", handshake=False)
