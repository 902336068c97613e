"""Answers are asked for by e as long as the server may leave out p."""

from __future__ import annotations

import dataclasses

import pytest

from nostrmcp.mcp.jsonrpc import Request, Result
from nostrmcp.nostr import Event, SecretKey
from nostrmcp.revisions import REVISIONS
from nostrmcp.session import Client
from nostrmcp.session.actions import Action, Deliver, Now, Publish, Subscribe, Unsubscribe
from nostrmcp.session.settings import ClientSettings, Encryption, Remote
from nostrmcp.translate import codec
from nostrmcp.translate.route import RequestReference, Role, Route

CLIENT, SERVER = SecretKey(b"\1" * 32), SecretKey(b"\2" * 32)
CONTEXTVM = REVISIONS["contextvm"]
NOW = Now(1_750_000_000, 0.0)


def client() -> Client:
    settings = ClientSettings(CONTEXTVM, Remote(SERVER.public_key.x), "2026-07-28", encryption=Encryption.DISABLED)
    draws = iter(range(1, 1000))
    return Client(settings, CLIENT, lambda count: bytes([next(draws) % 256]) * count, NOW)


def asked(one: Client, number: int, method: str = "tools/list") -> tuple[Event, list[str]]:
    """The event of a request, and the names of what is subscribed before it."""
    params = {"notifications": {"toolsListChanged": True}} if method == "subscriptions/listen" else None
    actions = one.message(Request(number, method, params), NOW)
    (publish,) = [action for action in actions if isinstance(action, Publish)]
    names = [action.name for action in actions if isinstance(action, Subscribe)]
    assert not names or actions.index(publish) > 0
    return publish.event, names


def answered(one: Client, request: Event, number: int, *, with_p: bool) -> list[Action]:
    reference = RequestReference(request.id, "tools/list", number)
    route = Route(SERVER.public_key.x, CLIENT.public_key.x, Role.SERVER, request=reference)
    answer = codec.encode(Result(number, {"tools": []}), route, CONTEXTVM, NOW.unix)
    tags = tuple(tag for tag in answer.tags if with_p or tag[0] != "p")
    return one.receive(dataclasses.replace(answer, tags=tags).sign(SERVER, bytes(32)), NOW)


def test_a_server_that_leaves_out_p_is_heard_for_ever() -> None:
    one = client()
    for number in (1, 2, 3):
        request, names = asked(one, number)
        assert names == [request.id.hex()]
        actions = answered(one, request, number, with_p=False)
        assert Unsubscribe(request.id.hex()) in actions
        assert Deliver(Result(number, {"tools": []})) in actions


def test_once_a_server_has_written_p_its_answers_are_found_by_that() -> None:
    one = client()
    first, names = asked(one, 1)
    assert names == [first.id.hex()]
    assert Unsubscribe(first.id.hex()) in answered(one, first, 1, with_p=True)
    second, names = asked(one, 2)
    assert names == []
    actions = answered(one, second, 2, with_p=True)
    assert Deliver(Result(2, {"tools": []})) in actions
    assert not any(isinstance(action, Unsubscribe) for action in actions)


def test_subscriptions_are_always_asked_for_by_e() -> None:
    """SUBN-TAG-04."""
    one = client()
    first, _ = asked(one, 1)
    answered(one, first, 1, with_p=True)
    listen, names = asked(one, 2, "subscriptions/listen")
    assert names == [listen.id.hex()]


@pytest.mark.parametrize("author", [CLIENT, SecretKey(b"\3" * 32)])
def test_p_of_a_stranger_teaches_nothing(author: SecretKey) -> None:
    one = client()
    request, _ = asked(one, 1)
    reference = RequestReference(request.id, "tools/list", 1)
    route = Route(author.public_key.x, CLIENT.public_key.x, Role.SERVER, request=reference)
    one.receive(codec.encode(Result(1, {}), route, CONTEXTVM, NOW.unix).sign(author, bytes(32)), NOW)
    second, names = asked(one, 2)
    assert names == [second.id.hex()]
