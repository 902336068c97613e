"""Clients that are wrong about subscriptions: what was acknowledged, what they are called, how they end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nostrmcp.session import client, listening
from nostrmcp.session.actions import Action
from nostrmcp.session.client import Client
from nostrmcp.session.listening import Subscription, Subscriptions
from nostrmcp.session.machine import LISTENING, Listening, ListeningEffect, ListeningInput
from nostrmcp.session.settings import ClientLimits
from tests.zoo.sessions_layer.client import received_from_anyone
from tests.zoo.sessions_layer.gate import open_plain_again
from tests.zoo.sessions_layer.making import CLIENT, altered, always, bug

right_hold, right_told, right_ask = Subscriptions._hold, Subscriptions.told, Client.ask
right_open = Subscriptions.open

STEP = dict[Any, Any]
NEVER_REOPENED: STEP = {
    (Listening.ACTIVE, ListeningInput.DISCONNECTED): (ListeningEffect.FAIL, Listening.CLOSED),
    (Listening.OPENING, ListeningInput.OVERDUE): (ListeningEffect.FAIL, Listening.CLOSED),
}
NO_GRACE: STEP = {(Listening.ACTIVE, ListeningInput.RESULT): (ListeningEffect.FINISH, Listening.CLOSED)}
SECOND_COUNTS: STEP = {(Listening.ACTIVE, ListeningInput.ACKNOWLEDGEMENT): (ListeningEffect.BEGIN, Listening.ACTIVE)}
NOT_WITHDRAWN: STEP = {(Listening.ACTIVE, ListeningInput.CLOSE): (ListeningEffect.NOTHING, Listening.CLOSED)}


def lives(steps: STEP) -> tuple[Any, str, Any]:
    return listening, "LISTENING", altered(LISTENING, steps)


def open_any_number(subscriptions: Subscriptions, request: Any) -> list[Action]:
    host = subscriptions._host
    limited, host.settings = host.settings, replace(host.settings, limits=ClientLimits(subscriptions=1 << 30))
    try:
        return right_open(subscriptions, request)
    finally:
        host.settings = limited


def acknowledged_in_full(requested: Any, acknowledged: Any) -> Any:
    return acknowledged


def hold_any_number(subscriptions: Subscriptions, subscription: Subscription, notification: Any, at: int) -> Any:
    subscription.held.append((at, notification))
    return []


def hold_unsorted(subscriptions: Subscriptions, subscription: Subscription, notification: Any, at: int) -> Any:
    return right_hold(subscriptions, subscription, notification, 0)


def named_alike(value: Any, name: Any, version: str) -> bool:
    return str(value) == str(name)


def name_as_text(request_id: Any, version: str) -> Any:
    return str(request_id)


def name_as_it_is(request_id: Any, version: str) -> Any:
    return request_id


def told_by_e(subscriptions: Subscriptions, subscription: Subscription, notification: Any, at: int) -> list[Action]:
    """e is believed, whatever content says."""
    params = {**(notification.params or {}), "_meta": {}}
    return right_told(subscriptions, subscription, replace(notification, params=params), at)


def nothing_beside_mcp(subscriptions: Subscriptions, subscription: Subscription, notification: Any, at: int) -> Any:
    """A notification with members of _meta that MCP does not name is dropped."""
    meta = (notification.params or {}).get("_meta") or {}
    if any(not name.startswith("io.modelcontextprotocol/") for name in meta):
        return []
    return right_told(subscriptions, subscription, notification, at)


def refetch_missing(subscriptions: Subscriptions, subscription: Subscription, honoured: Any) -> list[Action]:
    return []


def by_publication(one: Client, asker: Any, **options: Any) -> Any:
    """A request in a wrap is known by the wrap's id."""
    actions, publication = right_ask(one, asker, **options)
    asker.event_id = publication or b""
    return actions, publication


MEMBERS = [
    bug("unnamed-delivered", "A change that names no open subscription is delivered.", CLIENT,
        (client, "name_in", always(None)), on="mcp", fails="stray-names"),
    bug("superset-honoured", "An acknowledgement of more than was asked for is believed.", CLIENT,
        (listening, "common", acknowledged_in_full), on="mcp", fails="superset"),
    bug("everything-delivered", "What was not acknowledged is delivered.", CLIENT,
        (listening, "includes", always(True)), on="mcp", fails="unrequested"),
    bug("held-without-bound", "Any number of notifications is held.", CLIENT,
        (Subscriptions, "_hold", hold_any_number), on="mcp", fails="held-bounded"),
    bug("held-unsorted", "What was held is delivered in the order in which it came.", CLIENT,
        (Subscriptions, "_hold", hold_unsorted), on="mcp", fails="held"),
    bug("second-acknowledgement", "A second acknowledgement counts like the first.", CLIENT,
        lives(SECOND_COUNTS), on="mcp", fails="repeated"),
    bug("feeds-repeated", "A notification from two relays is delivered twice.", CLIENT,
        (client.Gate, "open", open_plain_again), on="mcp", fails="repeated"),
    bug("names-as-text", "A subscription is called by a string in both texts.", CLIENT,
        (listening, "name_of", name_as_text), on="mcp", fails="subf-cvm-client-ids"),
    bug("names-as-they-are", "A subscription is called by a number in the older text too.", CLIENT,
        (listening, "name_of", name_as_it_is), on="mcp", fails="subd-cvm-client-id-types"),
    bug("names-compared-loosely", "The subscriptions 1 and \"1\" are one.", CLIENT,
        (listening, "is_named", named_alike), on="mcp", fails="subf-cvm-client-id-types"),
    bug("disagreement-ignored", "e and content may name different subscriptions.", CLIENT,
        (Subscriptions, "told", told_by_e), on="mcp", fails="disagreement"),
    bug("vendors-refused", "A member of _meta that MCP does not name is a reason to drop.", CLIENT,
        (Subscriptions, "told", nothing_beside_mcp), on="mcp", fails="counter"),
    bug("strangers-feed", "Anyone feeds a subscription.", CLIENT,
        (Client, "_received", received_from_anyone), on="mcp", fails="strangers"),
    bug("any-number-open", "Any number of subscriptions is opened.", CLIENT,
        (Subscriptions, "open", open_any_number), on="mcp", fails="too-many"),
    bug("never-reopened", "A lost subscription is given up.", CLIENT,
        lives(NEVER_REOPENED), on="mcp", fails="disconnected unacknowledged"),
    bug("not-fetched-again", "After a loss the local client is not told to fetch again.", CLIENT,
        (Subscriptions, "_fetch_again", refetch_missing), on="mcp", fails="disconnected"),
    bug("no-grace", "After the last result nothing more is taken.", CLIENT,
        lives(NO_GRACE), on="mcp", fails="subf-cvm-client-ended"),
    bug("not-withdrawn", "The server is not told that a subscription has ended.", CLIENT,
        lives(NOT_WITHDRAWN), on="mcp", fails="closed"),
    bug("feeds-by-wrap-id", "A subscription in a wrap is known by the wrap's id.", CLIENT,
        (Client, "ask", by_publication), on="mcp", fails="wrapped"),
]  # fmt: skip
