"""What each side says of itself beside its first message, and on no other."""

from __future__ import annotations

from typing import Any

import pytest

from nostrmcp.mcp.jsonrpc import Request
from nostrmcp.nostr import Event
from nostrmcp.revisions import REVISIONS
from nostrmcp.session import Client
from nostrmcp.session.settings import ClientSettings, Encryption, McpServer, PaymentPolicy, Remote
from tests.session.test_server import CONTEXTVM, WEATHER, answered, opened
from tests.session.test_strangers import ALICE, BOB, PROVIDER, RESULT, START, bytes_from_a_count, call, published

TEXTS = {"name": "Weather", "about": "Tells it", "picture": "https://a/b.png", "website": "https://a"}


def texts(event: Event) -> dict[str, str]:
    return {tag[0]: tag[1] for tag in event.tags if tag[0] in TEXTS}


@pytest.mark.parametrize("said", [TEXTS, {"about": "Tells it"}, {}], ids=str)
def test_the_first_message_to_each_client_has_the_texts_of_the_server(said: dict[str, str]) -> None:
    server, begun = opened(McpServer("weather", **said))  # type: ignore[arg-type]
    answered(server, begun)
    for key in (ALICE, BOB):
        first, second = (
            published(answered(server, call(server, key, "tools/call", WEATHER, number), {}))[0] for number in range(2)
        )
        assert (texts(first), texts(second)) == (said, {})
    assert [tag[0] for tag in first.tags] == ["p", "e", *said]


def test_who_begins_anew_is_told_anew() -> None:
    server, begun = opened(McpServer("weather", **TEXTS))  # type: ignore[arg-type]
    answered(server, begun)
    hello = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    for number in range(2):
        (event,) = published(call(server, ALICE, "initialize", hello, number))
        assert texts(event) == TEXTS


@pytest.mark.parametrize("revision", REVISIONS.values(), ids=REVISIONS)
def test_announcements_say_it_in_every_revision(revision: Any) -> None:
    server, begun = opened(McpServer("weather", announced=True, **TEXTS), revisions=(revision,))  # type: ignore[arg-type]
    announced = published(answered(server, begun, {**RESULT, "capabilities": {}}))
    assert [texts(event) for event in announced] == [TEXTS]


@pytest.mark.parametrize("revision", REVISIONS.values(), ids=REVISIONS)
@pytest.mark.parametrize("pay", [False, True])
def test_who_pays_names_its_payment_method_once(revision: Any, pay: bool) -> None:
    settings = ClientSettings(
        revision, Remote(PROVIDER.public_key.x, "weather"), "2025-03-26", encryption=Encryption.DISABLED,
        payments=PaymentPolicy(pay=pay),
    )  # fmt: skip
    client = Client(settings, ALICE, bytes_from_a_count(), START)
    client.start(START)
    first, second = (published(client.message(Request(n, "tools/call", WEATHER), START))[0] for n in range(2))
    named = [("pmi", "bitcoin-lightning-bolt11")] if pay and revision is CONTEXTVM else []
    assert [tag for tag in first.tags if tag[0] == "pmi"] == named
    assert second.first("pmi") is None
