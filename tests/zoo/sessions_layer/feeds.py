"""Servers that are wrong about subscriptions: what they acknowledge, send, and to whom, and how they end."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from nostrmcp.mcp.jsonrpc import Notification, Result
from nostrmcp.session import feeds
from nostrmcp.session.actions import Action
from nostrmcp.session.arriving import Gate
from nostrmcp.session.feeds import Feed, Feeds
from nostrmcp.session.limits import Budget
from nostrmcp.session.links import McpLink
from nostrmcp.session.machine import FEEDING, Feeding, FeedingEffect, FeedingInput
from nostrmcp.session.server import Server
from nostrmcp.session.serving import Requests
from nostrmcp.session.subscriptions import LISTEN
from nostrmcp.session.watching import Watches
from tests.zoo.sessions_layer.gate import open_by_wrap, open_plain_again
from tests.zoo.sessions_layer.making import SERVER, altered, always, bug, nothing
from tests.zoo.sessions_layer.server_requests import join_and_ask, leave_and_tell
from tests.zoo.sessions_layer.subscriptions import name_as_it_is, name_as_text

right_subscribed, right_finish, right_end = Feeds._subscribed, Feeds._finish, Feeds._end
right_say, right_published, right_take = Server.say, Feeds.published, Requests.take

STEP = dict[Any, Any]
SENT_AT_ONCE: STEP = {(Feeding.ACKNOWLEDGING, FeedingInput.CHANGE): (FeedingEffect.SEND, Feeding.ACKNOWLEDGING)}
NOT_GATHERED: STEP = {(Feeding.OPENING, FeedingInput.CHANGE): None}
REFUSED_GOES_ON: STEP = {(Feeding.ACKNOWLEDGING, FeedingInput.REFUSED): (FeedingEffect.FLUSH, Feeding.OPEN)}
NOT_CANCELLED: STEP = {(Feeding.OPEN, FeedingInput.CANCEL): None}
CANCEL_ANSWERED: STEP = {(Feeding.OPEN, FeedingInput.CANCEL): (FeedingEffect.FINISH, Feeding.ENDED)}
RESULT_BEFORE_ACKNOWLEDGEMENT: STEP = {(Feeding.OPENING, FeedingInput.STOP): (FeedingEffect.FINISH, Feeding.ENDED)}
NOT_CANCELLED_EARLY: STEP = {
    (Feeding.OPENING, FeedingInput.CANCEL): None,
    (Feeding.ACKNOWLEDGING, FeedingInput.CANCEL): None,
}


def lives(steps: STEP) -> tuple[Any, str, Any]:
    return feeds, "FEEDING", altered(FEEDING, steps)


def take_as_of_old(requests: Requests, exchange: Any) -> list[Action]:
    """Only who listens wants no other news; the version of a request says nothing."""
    session = exchange.session
    listens, actions = session.listens, right_take(requests, exchange)
    session.listens = listens or exchange.request.method == LISTEN
    return actions


def offered_in_full(requested: Any, capabilities: Any) -> Any:
    return dict(requested)


def subscribed_whatever(all_feeds: Feeds, feed: Feed, uri: str, answer: Any) -> list[Action]:
    return right_subscribed(all_feeds, feed, uri, Result(0, {}))


def keep_any_number(all_feeds: Feeds, feed: Feed, notification: Notification) -> list[Action]:
    feed.kept.append(notification)
    return []


def forget_untold(watches: Watches, watcher: Any) -> list[Action]:
    """The MCP server is not told that nobody wants a resource any more."""
    watches.drop(watcher)
    return []


def published_whatever(all_feeds: Feeds, event_id: bytes, accepted: bool) -> list[Action]:
    """What relays refuse is taken for delivered."""
    return right_published(all_feeds, event_id, True)


def finish_by_result(all_feeds: Feeds, feed: Feed, given: FeedingInput) -> list[Action]:
    """However the server was told to end subscriptions, it ends them by the last result."""
    return right_finish(all_feeds, feed, FeedingInput.FINISHED)


def end_untold(all_feeds: Feeds, feed: Feed) -> list[Action]:
    """The MCP server that holds a subscription is not told that it has ended."""
    feed.number = None
    return right_end(all_feeds, feed)


def say_in_plain(one: Server, message: Any, session: Any, *, about: Any = None, revision: Any = None) -> Any:
    """What a subscription in a wrap brings is plain."""
    if isinstance(about, Feed):
        about = SimpleNamespace(event_id=about.event_id, request=about.request, wrap=None)
    return right_say(one, message, session, about=about, revision=revision)


def watchers_of(link: McpLink, uri: str) -> list[Any]:
    return list(link.watchers.get(uri, ()))


MEMBERS = [
    bug("withdrawal-unheard", "An MCP server that ends a subscription by a cancel is not heard.", SERVER,
        (Feeds, "cancelled", always([])), on="mcp", fails="withdrawal-passed-on"),
    bug("acknowledged-in-full", "What cannot be honoured is acknowledged.", SERVER,
        (feeds, "offered", offered_in_full), on="mcp", fails="narrowed unknown-member"),
    bug("refused-resource-acknowledged", "A resource that the MCP server refused is acknowledged.", SERVER,
        (Feeds, "_subscribed", subscribed_whatever), on="mcp", fails="refused-resource"),
    bug("unasked-fed", "A subscription gets what it did not ask for.", SERVER,
        (feeds, "includes", always(True)), on="mcp", fails="asked-for"),
    bug("told-unasked", "A client that has asked for no changes is told of them, as clients of older versions are.",
        SERVER, (Requests, "take", take_as_of_old), on="mcp", fails="not-asked"),
    bug("fed-unconfirmed", "Changes go out before any relay has taken the acknowledgement.", SERVER,
        lives(SENT_AT_ONCE), on="mcp", fails="unconfirmed"),
    bug("not-gathered", "What changes while the MCP server is being asked is lost.", SERVER,
        lives(NOT_GATHERED), on="mcp", fails="gathered"),
    bug("fed-though-refused", "A subscription whose acknowledgement no relay took goes on.", SERVER,
        lives(REFUSED_GOES_ON), on="mcp", fails="not-taken"),
    bug("any-number-kept", "Any number of changes is kept.", SERVER,
        (Feeds, "_keep", keep_any_number), on="mcp", fails="bounded"),
    bug("listen-after-cancel", "A cancel that overtakes its listen request is forgotten.", SERVER,
        (Requests, "refuse_cancelled", nothing), on="mcp", fails="overtaken"),
    bug("closed-by-anyone", "Any key ends a subscription.", SERVER,
        (Feeds, "owner", always(None)), on="mcp", fails="stranger"),
    bug("never-closed", "A cancel does not end a subscription.", SERVER,
        lives(NOT_CANCELLED), on="mcp", fails="cancel cancel-frees"),
    bug("never-closed-early", "A cancel before the acknowledgement does not count.", SERVER,
        lives(NOT_CANCELLED_EARLY), on="mcp", fails="cancel-early"),
    bug("cancel-of-listen-answered", "A cancel is answered with the last result.", SERVER,
        lives(CANCEL_ANSWERED), on="mcp", fails="subf-cvm-server-cancel"),
    bug("result-unacknowledged", "A subscription that was never acknowledged ends with a result.", SERVER,
        lives(RESULT_BEFORE_ACKNOWLEDGEMENT), on="mcp", fails="subf-cvm-server-end-while-asking"),
    bug("never-let-go", "The MCP server is never told that nobody wants a resource any more.", SERVER,
        (Watches, "forget", forget_untold), on="mcp", fails="cancel-frees one-watch"),
    bug("watched-twice", "The MCP server is asked for a resource once for each subscription.", SERVER,
        (Watches, "join", join_and_ask), on="mcp", fails="one-watch"),
    bug("let-go-at-once", "The first subscription that ends lets go what another still wants.", SERVER,
        (Watches, "leave", leave_and_tell), on="mcp", fails="one-watch"),
    bug("parts-unknown", "A change of a part of a resource is told to nobody.", SERVER,
        (Watches, "of", staticmethod(watchers_of)), on="mcp", fails="sub-resource"),
    bug("feeds-named-as-text", "A subscription is called by a string in both texts.", SERVER,
        (feeds, "name_of", name_as_text), on="mcp", fails="subf-cvm-server-ids"),
    bug("feeds-named-as-they-are", "A subscription is called by a number in the older text too.", SERVER,
        (feeds, "name_of", name_as_it_is), on="mcp", fails="subd-cvm-server-ids"),
    bug("ids-used-twice", "Two open subscriptions of one client have one id.", SERVER,
        (Feeds, "event_of", always(None)), on="mcp", fails="id-in-use"),
    bug("anything-listens", "A listen request is never refused.", SERVER,
        (Feeds, "_refusal", always(None)), on="mcp", fails="refused unknown-version too-many version"),
    bug("any-number-of-feeds", "Any number of subscriptions is open.", SERVER,
        (Budget, "has_room", always(True)), on="mcp", fails="too-many"),
    bug("listen-repeated", "The same listen event again is acknowledged again.", SERVER,
        (Gate, "open", open_plain_again), on="mcp", fails="repeated"),
    bug("fed-for-ever", "A subscription whose client is long gone is fed.", SERVER,
        (Feeds, "_arm_lease", nothing), on="mcp", fails="lease"),
    bug("fed-in-vain", "A subscription goes on though no relay takes what it brings.", SERVER,
        (Feeds, "published", published_whatever), on="mcp", fails="failing not-taken"),
    bug("stops-in-silence", "A server that stops does not end its subscriptions.", SERVER,
        (Feeds, "stop", always([])), on="mcp", fails="subf-cvm-server-stop"),
    bug("teardown-ignored", "However it was told to, a server ends subscriptions in one way.", SERVER,
        (Feeds, "_finish", finish_by_result), on="mcp", fails="stop-cancelled stop-both"),
    bug("cancel-not-passed-on", "An MCP server that holds a subscription is not told of its end.", SERVER,
        (Feeds, "_end", end_untold), on="mcp", fails="cancel-passed-on"),
    bug("fed-in-plain", "What a subscription in a wrap brings is plain.", SERVER,
        (Server, "say", say_in_plain), on="mcp", fails="wrapped"),
    bug("fed-by-wrap-id", "A subscription in a wrap is known by the wrap's id.", SERVER,
        (Gate, "_unwrapped", open_by_wrap), on="mcp", fails="wrapped"),
]  # fmt: skip
