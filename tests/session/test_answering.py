"""Results that relays refuse: what is remembered of them, for how long, and what is too large to be said at all."""

from __future__ import annotations

import json

from nostrmcp.nostr import Event
from nostrmcp.session import Server
from nostrmcp.session.settings import ServerLimits
from tests.session.test_server import WEATHER, answered, opened
from tests.session.test_strangers import ALICE, PROVIDER, START, published, signed, to

TOO_LARGE = "invalid: event too large"


def result_for(server: Server, name: str) -> Event:
    """The event of the result of a call with this JSON-RPC id."""
    body = json.dumps({"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": WEATHER})
    (event,) = published(answered(server, server.receive(signed(ALICE, 25910, body, to(PROVIDER)), START), {}))
    return event


def test_a_result_is_remembered_until_relays_speak() -> None:
    server, begun = opened()
    answered(server, begun)
    for accepted, text in ((True, ""), (False, ""), (False, TOO_LARGE)):
        event = result_for(server, text or str(accepted))
        assert len(server._results) == 1
        server.published(event.id, accepted, text, START)
        assert len(server._results) == 0


def test_no_more_results_are_remembered_than_requests_may_be_pending() -> None:
    server, begun = opened(limits=ServerLimits(pending=2))
    answered(server, begun)
    first, *_, last = [result_for(server, str(number)) for number in range(9)]
    assert len(server._results) == 2
    assert published(server.published(first.id, False, TOO_LARGE, START)) == []
    (error,) = published(server.published(last.id, False, TOO_LARGE, START))
    assert json.loads(error.content)["error"]["data"] == {"size": last.sent_length}


def test_an_error_that_does_not_fit_in_place_of_its_result_is_dropped() -> None:
    """The id of the request is nearly as long as an event may be."""
    server, begun = opened(limits=ServerLimits(event=2000))
    answered(server, begun)
    event = result_for(server, "x" * 1400)
    assert 1900 < event.sent_length <= 2000 and isinstance(json.loads(event.content)["result"], dict)
    actions = server.published(event.id, False, TOO_LARGE, START)
    assert published(actions) == [] and len(server._results) == 0
