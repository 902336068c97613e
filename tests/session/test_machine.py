"""The transition tables, walked whole: every pair of state and input is listed, or refused by name."""

from __future__ import annotations

from collections import Counter
from enum import Enum
from itertools import product
from typing import Any

import pytest

from nostrmcp.mcp.jsonrpc import Request
from nostrmcp.nostr import Violation
from nostrmcp.revisions import REVISIONS
from nostrmcp.session.actions import Drop
from nostrmcp.session.machine import (
    ASKING,
    FEEDING,
    HANDSHAKE,
    LISTENING,
    MACHINES,
    SERVING,
    Asking,
    AskingEffect,
    AskingInput,
    Feeding,
    FeedingEffect,
    FeedingInput,
    Listening,
    ListeningEffect,
    ListeningInput,
    Machine,
    Serving,
    ServingEffect,
    ServingInput,
    Shake,
    ShakeEffect,
    ShakeInput,
)
from tests.session.test_strangers import ALICE, START, asking, call, serving

AnyMachine = Machine[Any, Any, Any]

LISTEN = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    },
    "notifications": {"toolsListChanged": True},
}

# Table, its states, inputs and effects, the states that nothing leaves, and how many pairs are listed.
TABLES: list[tuple[AnyMachine, type[Enum], type[Enum], type[Enum], set[Enum], int]] = [
    (HANDSHAKE, Shake, ShakeInput, ShakeEffect, set(), 22),
    (SERVING, Serving, ServingInput, ServingEffect, {Serving.ENDED}, 13),
    (ASKING, Asking, AskingInput, AskingEffect, {Asking.ENDED}, 20),
    (LISTENING, Listening, ListeningInput, ListeningEffect, {Listening.CLOSED}, 23),
    (FEEDING, Feeding, FeedingInput, FeedingEffect, {Feeding.ENDED}, 20),
]
# How many pairs there are in all.
PRODUCTS = {HANDSHAKE.title: 30, SERVING.title: 45, ASKING.title: 40, LISTENING.title: 72, FEEDING.title: 45}

tables = pytest.mark.parametrize(
    ("machine", "states", "inputs", "effects", "ended", "count"), TABLES, ids=[table[0].title for table in TABLES]
)


def test_every_machine_is_walked() -> None:
    assert [table[0] for table in TABLES] == list(MACHINES)
    assert len({machine.title for machine in MACHINES}) == len(MACHINES)


@tables
def test_the_product_is_listed_or_refused(
    machine: AnyMachine, states: type[Enum], inputs: type[Enum], effects: type[Enum], ended: set[Enum], count: int
) -> None:
    listed = refused = 0
    for state, given in product(states, inputs):
        step = machine.step(state, given)
        if (state, given) in machine.table:
            effect, after = step or (None, None)
            assert isinstance(effect, effects) and isinstance(after, states)
            assert step == machine.table[state, given]
            listed += 1
        else:
            assert step is None
            refused += 1
    assert (listed, listed + refused) == (count, PRODUCTS[machine.title])
    assert listed == len(machine.table), "the table has a pair that is no state and input of its own"


@tables
def test_every_state_is_reachable(
    machine: AnyMachine, states: type[Enum], inputs: type[Enum], effects: type[Enum], ended: set[Enum], count: int
) -> None:
    reached, new = {machine.first}, {machine.first}
    while new:
        new = {after for (state, _), (_, after) in machine.table.items() if state in new} - reached
        reached |= new
    assert reached == set(states)


@tables
def test_every_input_and_effect_is_used(
    machine: AnyMachine, states: type[Enum], inputs: type[Enum], effects: type[Enum], ended: set[Enum], count: int
) -> None:
    assert {given for _, given in machine.table} == set(inputs)
    assert {effect for effect, _ in machine.table.values()} == set(effects)


@tables
def test_nothing_leaves_an_ended_state_and_everything_can_end(
    machine: AnyMachine, states: type[Enum], inputs: type[Enum], effects: type[Enum], ended: set[Enum], count: int
) -> None:
    assert {state for state in states if not any(left is state for left, _ in machine.table)} == ended
    if not ended:
        return
    ending = set(ended)
    while more := {state for (state, _), (_, after) in machine.table.items() if after in ending} - ending:
        ending |= more
    assert ending == set(states)


@tables
def test_names_are_words_and_told_apart(
    machine: AnyMachine, states: type[Enum], inputs: type[Enum], effects: type[Enum], ended: set[Enum], count: int
) -> None:
    for names in (states, inputs, effects):
        assert len({one.value for one in names}) == len(names.__members__), "two of them have one name"
        assert all(type(one.value) is str and one.value for one in names)


def test_a_request_runs_only_by_two_ways() -> None:
    """Nothing is executed before its payment, and nothing twice (HOUSE-PAY-09 to HOUSE-PAY-11)."""
    runs = {pair: step for pair, step in SERVING.table.items() if step[1] is Serving.RUNNING and pair[0] != step[1]}
    assert runs == {
        (Serving.UNKNOWN, ServingInput.FREE): (ServingEffect.EXECUTE, Serving.RUNNING),
        (Serving.UNPAID, ServingInput.PAID): (ServingEffect.ACCEPT, Serving.RUNNING),
    }


def test_a_request_is_paid_for_once() -> None:
    """HOUSE-PAY-06: a second demand has no place."""
    assert [state for state in Asking if ASKING.step(state, AskingInput.DEMAND)] == [Asking.PENDING]
    assert [state for state in Asking if ASKING.step(state, AskingInput.BAD_DEMAND)] == [Asking.PENDING]


def test_every_waiting_state_has_a_clock() -> None:
    """What waits for a stranger ends without one."""
    for waiting in (Asking.PENDING, Asking.PAYING, Asking.PAID):
        assert ASKING.step(waiting, AskingInput.OVERDUE) == (AskingEffect.GIVE_UP, Asking.ENDED)
    assert SERVING.step(Serving.RUNNING, ServingInput.OVERDUE) == (ServingEffect.REFUSE, Serving.ENDED)
    for unpaid in (Serving.PRICED, Serving.UNPAID):
        assert SERVING.step(unpaid, ServingInput.UNPAID) == (ServingEffect.REFUSE, Serving.ENDED)
    for ending in (FeedingInput.FAILING, FeedingInput.FINISHED, FeedingInput.STOP):
        assert FEEDING.step(Feeding.OPENING, ending) == (FeedingEffect.REFUSE, Feeding.ENDED)
        for open_one in (Feeding.ACKNOWLEDGING, Feeding.OPEN):
            assert FEEDING.step(open_one, ending) == (FeedingEffect.FINISH, Feeding.ENDED)


def test_no_data_is_delivered_before_the_acknowledgement() -> None:
    delivers = {ListeningEffect.DELIVER, ListeningEffect.BEGIN}
    found = Counter(state for (state, _), (effect, _) in LISTENING.table.items() if effect in delivers)
    assert found == {Listening.OPENING: 1, Listening.ACTIVE: 1, Listening.ENDING: 2}
    assert LISTENING.step(Listening.OPENING, ListeningInput.NOTIFICATION) == (ListeningEffect.HOLD, Listening.OPENING)


# What the tables do not list, put to the sessions that step through them: refused by name, and nothing has changed.


def unlisted(machine: AnyMachine, states: type[Enum], inputs: type[Enum]) -> list[Any]:
    pairs = [pair for pair in product(states, inputs) if pair not in machine.table]
    return [pytest.param(*pair, id=f"{pair[0].name}-{pair[1].name}") for pair in pairs]


def refused_by_name(violation: Violation, state: Enum, given: Enum) -> bool:
    return violation.error_class == "unexpected" and given.value in violation.detail and state.value in violation.detail


@pytest.mark.parametrize(("state", "given"), unlisted(SERVING, Serving, ServingInput))
def test_a_request_at_the_server_refuses_what_has_no_place(state: Serving, given: ServingInput) -> None:
    server = serving(REVISIONS["contextvm"])
    call(server, ALICE, "tools/call", {"name": "a", "arguments": {}}, 1)
    (exchange,) = server.requests._exchanges.values()
    exchange.state = state
    (dropped,) = server.requests._step(exchange, given)
    assert isinstance(dropped, Drop) and dropped.event_id == exchange.event_id
    assert refused_by_name(dropped.violation, state, given) and exchange.state is state


@pytest.mark.parametrize(("state", "given"), unlisted(ASKING, Asking, AskingInput))
def test_a_request_at_the_client_refuses_what_has_no_place(state: Asking, given: AskingInput) -> None:
    client = asking(REVISIONS["contextvm"])
    client.message(Request(1, "tools/list"), START)
    (question,) = client.questions._questions.values()
    question.state = state
    with pytest.raises(Violation) as raised:
        client.questions.step(question, given)
    assert refused_by_name(raised.value, state, given) and question.state is state


@pytest.mark.parametrize(("state", "given"), unlisted(LISTENING, Listening, ListeningInput))
def test_a_subscription_at_the_client_refuses_what_has_no_place(state: Listening, given: ListeningInput) -> None:
    client = asking(REVISIONS["contextvm"], mcp_version="2026-07-28")
    client.message(Request(1, "subscriptions/listen", LISTEN), START)
    (subscription,) = client.subscriptions._by_id.values()
    subscription.state = state
    with pytest.raises(Violation) as raised:
        client.subscriptions._step(subscription, given)
    assert refused_by_name(raised.value, state, given) and subscription.state is state


@pytest.mark.parametrize(("state", "given"), unlisted(FEEDING, Feeding, FeedingInput))
def test_a_subscription_at_the_server_refuses_what_has_no_place(state: Feeding, given: FeedingInput) -> None:
    server = serving(REVISIONS["contextvm"])
    call(server, ALICE, "subscriptions/listen", LISTEN, 1)
    (feed,) = server.feeds._feeds.values()
    feed.state = state
    (dropped,) = server.feeds._step(feed, given)
    assert isinstance(dropped, Drop) and dropped.event_id == feed.event_id
    assert refused_by_name(dropped.violation, state, given) and feed.state is state


@pytest.mark.parametrize(("state", "given"), unlisted(HANDSHAKE, Shake, ShakeInput))
def test_a_handshake_is_asked_for_nothing_that_has_no_place(state: Shake, given: ShakeInput) -> None:
    """No peer feeds it: an answer reaches the table only where initialize was asked."""
    (link,) = serving(REVISIONS["contextvm"]).links.values()
    link.shake = state
    with pytest.raises(AssertionError, match="only where the table has an answer"):
        link._shake(given)
    assert given in (ShakeInput.RESULT, ShakeInput.FAILURE) and link.shake is state
