"""A client at the edges: what it can no longer hold, what it cannot send, and what names no request by e."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nostrmcp.mcp.jsonrpc import Error, Message, Notification, Request, Result
from nostrmcp.nostr import Event, LocalProtocolError, nip59
from nostrmcp.nostr.keys import SecretKey, public_key
from nostrmcp.revisions import REVISIONS
from nostrmcp.session import Client, arriving
from nostrmcp.session.actions import Action, Deliver, Drop, Notice, Now, Pay, Servers, Subscribe
from nostrmcp.session.settings import ClientLimits, ClientTimers, Encryption, PaymentPolicy, Remote
from tests.session.test_strangers import ALICE, PROVIDER, START, asking, published, signed, to

CONTEXTVM, DRAFT = REVISIONS["contextvm"], REVISIONS["ctxvm-draft"]
CALL = {"name": "get_weather", "arguments": {}}
LARGE = {"_meta": {"a": "b" * 70_000}}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
LISTEN = Request(1, "subscriptions/listen", {"_meta": META, "notifications": {"toolsListChanged": True}})
CHANGED = "notifications/tools/list_changed"


def plain(**changes: Any) -> Client:
    given = {"encryption": Encryption.DISABLED, "mcp_version": "2026-07-28", **changes}
    return asking(CONTEXTVM, **given)


def later(seconds: float) -> Now:
    return Now(START.unix + int(seconds), seconds)


def from_server(body: dict[str, Any], about: Event | None = None) -> Event:
    tags = () if about is None else (("e", about.id.hex()),)
    return signed(PROVIDER, 25910, json.dumps({"jsonrpc": "2.0", **body}), to(ALICE), *tags)


def messages(actions: list[Action]) -> list[Message]:
    return [action.message for action in actions if isinstance(action, Deliver)]


def reasons(actions: list[Action]) -> list[str]:
    return [action.violation.error_class for action in actions if isinstance(action, Drop)]


def contents(actions: list[Action]) -> list[Any]:
    return [json.loads(event.content) for event in published(actions)]


class TestRequests:
    def test_no_more_are_pending_than_may_be(self) -> None:
        client = plain(limits=ClientLimits(pending=1))
        client.message(Request(1, "tools/list"), START)
        actions = client.message(Request(2, "tools/list"), START)
        (failed,) = messages(actions)
        assert failed == Error(2, -32603, "too many requests are pending", {"reason": "no_room"})
        assert published(actions) == []

    def test_a_server_known_to_read_ephemeral_wraps_gets_them_from_the_first_message_on(self) -> None:
        for remote, kind in ((Remote(PROVIDER.public_key.x, ephemeral_wraps=True), 21059), (None, 1059)):
            client = asking(CONTEXTVM, **({"server": remote} if remote else {}))
            assert [one.kind for one in published(client.message(Request(1, "ping"), START))] == [kind]

    @pytest.mark.parametrize(
        ("revision", "changes"),
        [
            (DRAFT, {}),
            (REVISIONS["dvmcp-rev1"], {}),
            (CONTEXTVM, {"encryption": Encryption.DISABLED}),
            (CONTEXTVM, {"ephemeral_wraps": False}),
        ],
    )
    def test_ephemeral_wraps_where_there_are_none_make_no_sense(self, revision: Any, changes: dict[str, Any]) -> None:
        asking(revision, **changes)
        with pytest.raises(LocalProtocolError, match="the revision has none, or they are disabled"):
            asking(revision, server=Remote(PROVIDER.public_key.x, ephemeral_wraps=True), **changes)

    def test_whether_answers_are_waited_for(self) -> None:
        client = plain(timers=ClientTimers(ping=5))
        client.start(START)
        client.tick(later(5))
        assert len(client.questions) == 1 and client.questions.are_answered  # a ping of our own
        client.message(Request(1, "tools/list"), later(5))
        assert not client.questions.are_answered
        client.message(Notification("notifications/cancelled", {"requestId": 1}), later(5))
        assert client.questions.are_answered

    def test_an_id_is_used_once_at_a_time(self) -> None:
        client = plain()
        client.message(Request(1, "tools/list"), START)
        client.message(Request("1", "tools/list"), START)
        with pytest.raises(LocalProtocolError, match="a request with this id is pending"):
            client.message(Request(1, "ping"), START)

    def test_initialize_alone_is_sent_again_in_plain(self) -> None:
        client = asking(CONTEXTVM, allow_plain=True)
        (wrapped,) = published(client.message(Request(1, "initialize", {}), START))
        actions = client.tick(later(60))
        assert [one.violation.error_class for one in actions if isinstance(one, Notice)] == ["fallen_back"]
        (again,) = published(actions)
        assert (wrapped.kind, again.kind, messages(actions)) == (nip59.WRAP, 25910, [])
        assert json.loads(again.content)["method"] == "initialize"
        assert [type(one) for one in messages(client.tick(later(120)))] == [Error]

    def test_a_refusal_of_relays_that_comes_after_the_demand_changes_nothing(self) -> None:
        client = plain(payments=PaymentPolicy(pay=True))
        (event,) = published(client.message(Request(1, "tools/call", CALL), START))
        demand = {"amount": 21, "pay_req": "lnbc210n1qqqqqq", "pmi": "bitcoin-lightning-bolt11"}
        body = {"method": "notifications/payment_required", "params": demand}
        (paid,) = [one for one in client.receive(from_server(body, event), START) if isinstance(one, Pay)]
        assert (paid.request, paid.amount) == (event.id, 21)
        refused = client.published(event.id, False, "", START)
        assert (messages(refused), reasons(refused)) == ([], ["unexpected"])
        assert messages(client.receive(from_server({"id": 1, "result": {}}, event), START)) == [Result(1, {})]

    def test_a_method_that_has_no_price_may_be_demanded_money_for(self) -> None:
        client = plain(payments=PaymentPolicy(pay=True))
        (event,) = published(client.message(Request(1, "tools/list"), START))
        demand = {"amount": 21, "pay_req": "lnbc210n1qqqqqq", "pmi": "bitcoin-lightning-bolt11"}
        body = {"method": "notifications/payment_required", "params": demand}
        assert Pay(event.id, "lnbc210n1qqqqqq", 21) in client.receive(from_server(body, event), START)

    def test_a_price_in_the_announcement_counts(self) -> None:
        event = signed(PROVIDER, 11316, "{}", ("cap", "tool:get_weather", "20", "sats"))
        remote = Remote(PROVIDER.public_key.x, announcement=event)
        client = plain(payments=PaymentPolicy(pay=True), server=remote)
        (asked,) = published(client.message(Request(1, "tools/call", CALL), START))
        demand = {"amount": 21, "pay_req": "lnbc210n1qqqqqq", "pmi": "bitcoin-lightning-bolt11"}
        body = {"method": "notifications/payment_required", "params": demand}
        actions = client.receive(from_server(body, asked), START)
        assert [one for one in actions if isinstance(one, Pay)] == []
        (failed,) = messages(actions)
        assert isinstance(failed, Error) and failed.message == "it is dearer than announced"

    def test_progress_without_e_is_known_by_its_token(self) -> None:
        client = plain()
        client.message(Request(1, "tools/call", {**CALL, "_meta": {"progressToken": "t"}}), START)

        def progress(token: Any) -> list[Action]:
            body = {"method": "notifications/progress", "params": {"progressToken": token, "progress": 3}}
            return client.receive(from_server(body), START)

        told = messages(progress("t"))
        assert told == [Notification("notifications/progress", {"progressToken": "t", "progress": 3})]
        assert reasons(progress("u")) == ["uncorrelated"]

    def test_an_announcement_that_cannot_be_read_is_no_handshake(self) -> None:
        event = signed(PROVIDER, 11316, "not json")
        client = plain(handshake=False, server=Remote(PROVIDER.public_key.x, announcement=event))
        (failed,) = messages(client.message(Request(1, "initialize", {}), START))
        assert isinstance(failed, Error) and failed.data == {"reason": "invalid_json"}

    def test_a_notification_that_no_relay_carries_is_dropped(self) -> None:
        actions = plain().message(Notification("notifications/roots/list_changed", LARGE), START)
        assert (published(actions), reasons(actions)) == ([], ["too_large"])


class TestWhatRelaysAreAskedFor:
    """HOUSE-TIME-10, HOUSE-TIME-11."""

    def asked(self, policy: Encryption) -> dict[int, int | None]:
        """How far back each kind is asked for, in seconds."""
        (subscribe,) = [one for one in asking(CONTEXTVM, encryption=policy).start(START) if isinstance(one, Subscribe)]
        assert subscribe.name == "client"
        assert all(one.tags == {"p": frozenset({ALICE.public_key.hex()})} for one in subscribe.filters)
        return {kind: START.unix - (one.since or 0) for one in subscribe.filters for kind in one.kinds or ()}

    def test_live_kinds_reach_back_a_minute_and_stored_wraps_two_days_more(self) -> None:
        assert self.asked(Encryption.OPTIONAL) == {25910: 60, 21059: 60, 1059: 2 * 24 * 3600 + 60}

    def test_who_reads_no_wraps_asks_for_none(self) -> None:
        assert self.asked(Encryption.DISABLED) == {25910: 60}


class TestServersThatAreFound:
    def test_a_question_that_no_relay_carries_finds_nobody(self) -> None:
        client = plain()
        actions = client.find_servers(LARGE, START)
        assert actions == [Servers({})]
        assert len(client.alarms) == 0

    def test_errors_and_more_than_may_be_held_do_not_count(self) -> None:
        client = asking(DRAFT, encryption=Encryption.DISABLED, limits=ClientLimits(pending=1))
        (event,) = published(client.find_servers({}, START))
        about = ("e", event.id.hex())
        for number, body in enumerate([{"error": {"code": 1, "message": "no"}}, {"result": {"n": 1}}, {"result": {}}]):
            content = json.dumps({"jsonrpc": "2.0", "id": 0, **body})
            client.receive(signed(PROVIDER, 25910, content, to(ALICE), about, ("d", f"server{number}")), START)
        (found,) = [one for one in client.tick(later(2)) if isinstance(one, Servers)]
        assert found.found == {"server1": {"n": 1}}


class TestRequestsOfTheServer:
    def asked(self, client: Client, id_: Any, method: str = "roots/list", **params: Any) -> list[Action]:
        body = {"id": id_, "method": method, "params": params}
        return client.receive(from_server(body), START)

    def older(self, **changes: Any) -> Client:
        return plain(mcp_version="2025-03-26", **changes)

    def test_an_id_is_asked_under_once_at_a_time(self) -> None:
        client = self.older()
        assert [type(one) for one in messages(self.asked(client, 1))] == [Request]
        (refused,) = contents(self.asked(client, 1, n=2))
        assert (refused["id"], refused["error"]["code"]) == (1, -32600)

    def test_no_more_are_pending_than_may_be(self) -> None:
        client = self.older(limits=ClientLimits(pending=1))
        self.asked(client, 1)
        (refused,) = contents(self.asked(client, 2))
        assert (refused["id"], refused["error"]["code"]) == (2, -32603)

    def test_what_was_not_asked_is_not_withdrawn(self) -> None:
        client = self.older()
        asked = from_server({"id": 1, "method": "roots/list", "params": {}})
        cancel = from_server({"method": "notifications/cancelled", "params": {"requestId": 1}}, asked)
        assert reasons(client.receive(cancel, START)) == ["uncorrelated"]
        client.receive(asked, START)
        again = from_server({"method": "notifications/cancelled", "params": {"requestId": 1, "reason": "a"}}, asked)
        assert messages(client.receive(again, START)) == [Notification("notifications/cancelled", {"requestId": 1})]

    def test_no_more_pings_are_answered_than_ten_a_second(self) -> None:
        client = self.older()
        answers = [self.asked(client, number, "ping") for number in range(11)]
        assert [len(published(one)) for one in answers] == [1] * 10 + [0]
        assert reasons(answers[10]) == ["too_many"]

    def test_progress_goes_to_the_request_whose_token_it_has(self) -> None:
        client = self.older()
        self.asked(client, 1)
        asked = from_server({"id": 2, "method": "roots/list", "params": {"_meta": {"progressToken": 5}}})
        client.receive(asked, START)

        def progress(**token: Any) -> list[Action]:
            return client.message(Notification("notifications/progress", {**token, "progress": 1}), START)

        assert [event.first("e") for event in published(progress(progressToken=5))] == [asked.id.hex()]
        for token in ({}, {"progressToken": "5"}, {"progressToken": None}, {"progressToken": 6}):
            assert (published(progress(**token)), reasons(progress(**token))) == ([], ["uncorrelated"])


class TestPings:
    TIMERS = ClientTimers(ping=30, ping_timeout=10)

    def test_a_server_is_gone_after_several_silent_pings(self) -> None:
        client = plain(timers=self.TIMERS, limits=ClientLimits(ping_failures=2))
        client.message(Request(1, "tools/list"), later(25))
        assert [one["method"] for one in contents(client.tick(later(30)))] == ["ping"]
        assert [one["method"] for one in contents(client.tick(later(40)))] == ["notifications/cancelled", "ping"]
        gone = client.tick(later(50))
        assert [one.violation.detail for one in gone if isinstance(one, Notice)] == ["it answers no pings"]
        assert [type(one) for one in messages(gone)] == [Error]
        assert (len(client.questions), len(client.alarms)) == (0, 0)

    def test_a_ping_that_no_relay_carries_is_not_the_local_clients_failure(self) -> None:
        client = plain(timers=self.TIMERS, limits=ClientLimits(event=10))
        assert client.tick(later(30)) == []
        assert len(client.questions) == 0


class TestSubscriptions:
    def test_one_that_no_relay_carries_fails_at_once(self) -> None:
        client = plain()
        actions = client.message(Request(1, LISTEN.method, {**LARGE, "notifications": {}}), START)
        assert [type(one) for one in messages(actions)] == [Error] and published(actions) == []
        assert len(client.subscriptions) == 0

    def test_a_cancel_that_no_relay_carries_ends_it_all_the_same(self) -> None:
        bare = Request(1, LISTEN.method)
        measured = plain()
        measured.message(Request("salted", "tools/list"), START)
        (event,) = published(measured.message(bare, START))
        client = plain(limits=ClientLimits(event=event.sent_length))
        client.sender._salted_one = True
        (listen,) = published(client.message(bare, START))
        cancelled = client.message(Notification("notifications/cancelled", {"requestId": 1}), START)
        assert (published(cancelled), reasons(cancelled)) == ([], ["too_large"])
        assert len(client.subscriptions) == 0 and list(client.subscriptions._by_publication) == [listen.id]
        client.tick(later(5))
        assert len(client.alarms) == 0

    def test_a_notification_without_e_is_known_by_its_name(self) -> None:
        client = plain()
        (event,) = published(client.message(LISTEN, START))
        named = {"_meta": {SUBSCRIPTION: 1}}
        client.receive(from_server({"method": "notifications/subscriptions/acknowledged", "params": {
            **named, "notifications": {"toolsListChanged": True}}}, event), START)  # fmt: skip
        told = client.receive(from_server({"method": CHANGED, "params": named}), START)
        assert messages(told) == [Notification(CHANGED, named)]
        other = client.receive(from_server({"method": CHANGED, "params": {"_meta": {SUBSCRIPTION: 2}}}), START)
        assert (messages(other), reasons(other)) == ([], ["uncorrelated"]), "it names no subscription"

    def test_data_between_the_last_result_and_the_acknowledgement_is_held(self) -> None:
        client = plain()
        (event,) = published(client.message(LISTEN, START))
        named = {"_meta": {SUBSCRIPTION: 1}}
        assert messages(client.receive(from_server({"id": 1, "result": named}, event), START)) == []
        assert messages(client.receive(from_server({"method": CHANGED, "params": named}, event), START)) == []
        acknowledged = client.receive(from_server({"method": "notifications/subscriptions/acknowledged", "params": {
            **named, "notifications": {"toolsListChanged": True}}}, event), START)  # fmt: skip
        assert [getattr(one, "method", None) for one in messages(acknowledged)] == [
            "notifications/subscriptions/acknowledged",
            CHANGED,
        ]
        assert [type(one) for one in messages(client.tick(later(2)))] == [Result]

    def test_relays_that_come_back_change_nothing_for_what_was_not_lost(self) -> None:
        client = plain()
        client.message(LISTEN, START)
        before = len(client.alarms)
        assert client.connection(True, START) == []
        assert (len(client.alarms), len(client.subscriptions)) == (before, 1)

    def test_a_refusal_of_relays_that_comes_after_the_cancel_changes_nothing(self) -> None:
        client = plain()
        (event,) = published(client.message(LISTEN, START))
        client.message(Notification("notifications/cancelled", {"requestId": 1}), START)
        refused = client.published(event.id, False, "", START)
        assert (messages(refused), reasons(refused)) == ([], ["unexpected"])


def test_of_wraps_that_were_opened_the_latest_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arriving, "RECENT_WRAPS", 1)
    client = asking(CONTEXTVM)
    wraps = []
    for number in (1, 2):
        inner = from_server({"method": CHANGED, "params": {"_meta": {"n": number}}})
        key = SecretKey(bytes([number]) * 32)
        wraps.append(
            nip59.wrap(inner, public_key(ALICE.public_key.x), kind=nip59.WRAP, created_at=START.unix,
                       ephemeral_key=key, nonce=bytes(32), aux_rand=bytes(32))
        )  # fmt: skip
        assert len(messages(client.receive(wraps[-1], START))) == 1
    assert list(client.gate._recent) == [wraps[1].id]
    assert reasons(client.receive(wraps[0], START)) == ["repeated"], "it is opened again, and what is inside is known"
