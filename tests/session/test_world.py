"""Several clients and a server on a relay that reorders, repeats, delays, drops, replays and forges.

The promises are those of `World`: no answer reaches anyone but its asker, no request runs twice, nothing is delivered
unauthenticated, every request ends, memory stays within the limits. That each can be seen to fail is shown on sessions
with a bug.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from nostrmcp.nostr import nip59
from nostrmcp.revisions import REVISIONS
from nostrmcp.session import Client, Server, asking, serving
from nostrmcp.session.arriving import Gate
from nostrmcp.session.limits import Budget
from nostrmcp.session.links import McpLink
from nostrmcp.session.machine import (
    ASKING,
    SERVING,
    Asking,
    AskingEffect,
    AskingInput,
    Serving,
    ServingEffect,
    ServingInput,
)
from nostrmcp.session.serving import Requests
from nostrmcp.session.sessions import Sessions
from nostrmcp.session.settings import Encryption, McpServer
from nostrmcp.session.upstream import Upstream
from tests.session.world import DEAR, IDS, SERVER, TOKENS, URIS, Choice, World
from tests.zoo.sessions_layer import client as clients_with_bugs
from tests.zoo.sessions_layer import gate, server_requests, server_routing
from tests.zoo.sessions_layer.making import altered, always, nothing

NAMES = sorted(REVISIONS)
WRAPPING = [name for name in NAMES if REVISIONS[name].kinds.wraps]
SHARED, OWN = McpServer("shared"), McpServer("own", shared=False)
CLIENTS = 3

clients = st.integers(0, CLIENTS - 1)
several = st.sets(clients, min_size=1)
parties = st.integers(SERVER, CLIENTS - 1)
indices = st.integers(0, 30)
TOLD = ("notifications/resources/updated", "notifications/message", "notifications/tools/list_changed")
ids, uris, wraps = st.sampled_from(IDS), st.sampled_from(URIS), st.sampled_from(nip59.WRAP_KINDS)


@st.composite
def choices(draw: st.DrawFn) -> Choice:
    revision = draw(st.sampled_from(NAMES))
    policies = list(Encryption) if revision in WRAPPING else [Encryption.DISABLED]
    server = draw(st.sampled_from([SHARED, OWN])).id
    return Choice(revision, server, draw(st.sampled_from(policies)), draw(st.booleans()))


class Hostile(RuleBasedStateMachine):
    world: World

    @initialize(
        clients=st.lists(choices(), min_size=CLIENTS, max_size=CLIENTS),
        servers=st.permutations([SHARED, OWN]),
        only_what_is_used=st.booleans(),
        is_ready=st.booleans(),
    )
    def begins(self, clients: list[Choice], servers: list[McpServer], only_what_is_used: bool, is_ready: bool) -> None:
        used = {one.revision for one in clients} if only_what_is_used else set(NAMES)
        self.world = World(tuple(name for name in NAMES if name in used), tuple(servers), clients)
        if is_ready:
            self.world.goes_well()

    # Local clients

    @rule(
        who=several,
        id_=ids,
        token=st.none() | st.sampled_from(TOKENS),
        name=st.sampled_from(["free", "free", DEAR]),
    )
    def call(self, who: set[int], id_: Any, token: Any, name: str) -> None:
        """Clients often use the same ids and tokens, and at the same time."""
        for client in who:
            self.world.ask(client, id_, "tools/call", token, (), name)

    @rule(client=clients, id_=ids)
    def initializes(self, client: int, id_: Any) -> None:
        self.world.ask(client, id_, "initialize", None, (), "")

    @rule(who=several, id_=ids, uri=uris, method=st.sampled_from(["resources/subscribe", "resources/unsubscribe"]))
    def watch(self, who: set[int], id_: Any, uri: str, method: str) -> None:
        for client in who:
            self.world.ask(client, id_, method, None, (uri,), "")

    @rule(who=several, id_=ids, wanted=st.lists(uris, unique=True))
    def listen(self, who: set[int], id_: Any, wanted: list[str]) -> None:
        for client in who:
            self.world.ask(client, id_, "subscriptions/listen", None, tuple(wanted), "")

    @rule(client=clients, uri=uris)
    def one_watches_and_is_told(self, client: int, uri: str) -> None:
        self.world.ask(client, "watch", "resources/subscribe", None, (uri,), "")
        self.world.goes_well()
        for backend in list(self.world.backends.values()):
            self.world.backend_tells(backend, "notifications/resources/updated", uri)
        self.world.all_arrive()

    @rule(client=clients, method=st.sampled_from(["notifications/initialized", "notifications/roots/list_changed"]))
    def tells(self, client: int, method: str) -> None:
        self.world.tell(client, method)

    @rule(client=clients, index=indices)
    def cancels(self, client: int, index: int) -> None:
        self.world.cancel(client, index)

    @rule(client=clients)
    def answers_the_server(self, client: int) -> None:
        self.world.answer_server(client)

    @rule(client=clients, works=st.booleans())
    def pays(self, client: int, works: bool) -> None:
        self.world.wallet(client, works)

    # MCP servers and the payment processor

    @rule(index=indices, works=st.booleans())
    def backend_answers(self, index: int, works: bool) -> None:
        if (backend := self.world.backend(index)) is not None:
            self.world.backend_answers(backend, works)

    @rule(step=st.integers(1, 9), at_once=st.booleans())
    def backends_report(self, step: int, at_once: bool) -> None:
        self.world.all_arrive()
        for backend in list(self.world.backends.values()):
            self.world.backend_reports(backend, step)
        if at_once:
            self.world.all_arrive()

    @rule(method=st.sampled_from(TOLD), uri=uris, at_once=st.booleans())
    def backends_tell(self, method: str, uri: str, at_once: bool) -> None:
        for backend in list(self.world.backends.values()):
            self.world.backend_tells(backend, method, uri)
        if at_once:
            self.world.all_arrive()

    @rule(id_=ids, method=st.sampled_from(["ping", "roots/list"]), at_once=st.booleans())
    def backends_ask(self, id_: Any, method: str, at_once: bool) -> None:
        for backend in list(self.world.backends.values()):
            self.world.backend_asks(backend, id_, method)
        if at_once:
            self.world.all_arrive()

    @rule(index=indices)
    def backend_ends(self, index: int) -> None:
        if (backend := self.world.backend(index)) is not None:
            self.world.backend_ends(backend)

    @rule(index=indices, step=st.sampled_from(["invoice", "paid", "unpaid"]))
    def charges(self, index: int, step: str) -> None:
        self.world.processor(index, step)

    @rule()
    def goes_well(self) -> None:
        self.world.goes_well()

    @rule(who=several, id_=ids)
    def call_and_all_goes_well(self, who: set[int], id_: Any) -> None:
        for client in who:
            self.world.ask(client, id_, "tools/call", id_, (), "free")
        self.world.goes_well()

    # The relay

    @rule(index=indices, stays=st.booleans())
    def arrives(self, index: int, stays: bool) -> None:
        self.world.arrives(index, stays=stays)

    @rule()
    def all_arrive(self) -> None:
        self.world.all_arrive()

    @rule(index=indices)
    def is_lost(self, index: int) -> None:
        self.world.lost(index)

    @rule(index=indices, to=st.none() | parties)
    def is_replayed(self, index: int, to: int | None) -> None:
        self.world.replays(index, to)

    @rule(accepted=st.booleans())
    def confirms(self, accepted: bool) -> None:
        self.world.confirms(accepted)

    # Mallory

    @rule(index=indices)
    def tampers(self, index: int) -> None:
        self.world.tampers(index)

    @rule(index=indices, wrap=st.none() | wraps)
    def signs_as_her_own(self, index: int, wrap: int | None) -> None:
        self.world.signs_as_her_own(index, wrap)

    @rule(index=indices, to=parties, wrap=wraps)
    def wraps_what_is_plain(self, index: int, to: int, wrap: int) -> None:
        self.world.wraps_what_is_plain(index, to, wrap)

    @rule(client=clients, index=indices, wrap=st.none() | wraps)
    def answers_for_the_server(self, client: int, index: int, wrap: int | None) -> None:
        self.world.answers_for_the_server(client, index, wrap)

    @rule(client=clients, index=indices, wrap=st.none() | wraps)
    def cancels_for_others(self, client: int, index: int, wrap: int | None) -> None:
        self.world.cancels_for_others(client, index, wrap)

    # Time

    @rule(seconds=st.sampled_from([0.5, 1, 1, 6, 6, 20, 61, 301, 3601]))
    def passes(self, seconds: float) -> None:
        self.world.passes(seconds)

    def teardown(self) -> None:
        if hasattr(self, "world") and self.world.is_sound:
            self.world.ends()


TestHostile = Hostile.TestCase


# What each promise is worth: a session with a bug, and the promise that it breaks.

NEVER_OVERDUE = altered(ASKING, {(Asking.PENDING, AskingInput.OVERDUE): (AskingEffect.WAIT, Asking.PENDING)})
FREE = altered(SERVING, {(Serving.UNKNOWN, ServingInput.COSTLY): (ServingEffect.EXECUTE, Serving.RUNNING)})
BUGS: list[tuple[str, Any, str, Any]] = [
    ("a number is used twice|the answer to another", McpLink, "call", server_requests.call_under_own_id),
    ("tokens that no two requests share", McpLink, "call", server_requests.call_with_own_token),
    ("never asked for", Upstream, "_updated", server_requests.updated_for_all),
    ("log message of another", Upstream, "notification", server_requests.said_to_all),
    ("runs twice", Gate, "open", gate.open_plain_again),
    ("nobody we know has signed|runs twice", Gate, "open", gate.open_without_signature),
    ("nobody we know has signed", Client, "_received", clients_with_bugs.received_from_anyone),
    ("cancelled under its asker|held for ever|nobody knows of", Requests, "cancel", server_requests.cancel_by_anyone),
    ("never ends|cancelled under its asker", asking, "ASKING", NEVER_OVERDUE),
    ("not paid for", serving, "SERVING", FREE),
    ("plain, to who encrypts", Server, "say", server_routing.say_unasked_in_plain),
    ("too many requests", Requests, "refuse_overload", nothing),
    ("too many sessions", Sessions, "make_room", nothing),
    ("too many", Budget, "has_room", always(True)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("promise", "place", "name", "wrong"), BUGS, ids=[f"{one[2]}: {one[0]}" for one in BUGS])
def test_a_bug_is_caught(promise: str, place: Any, name: str, wrong: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, name, wrong)
    quickly = settings(max_examples=2000, derandomize=True, database=None, phases=[Phase.generate])
    with pytest.raises(AssertionError, match=promise):
        run_state_machine_as_test(Hostile, settings=quickly)
