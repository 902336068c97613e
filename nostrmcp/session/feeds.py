"""Subscriptions at the server: acknowledged, fed and ended, on top of MCP servers that know them and that do not."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..mcp import catalogue, paths
from ..mcp.catalogue import CATALOGUE, PROTOCOL_VERSION, Version
from ..mcp.jsonrpc import Error, ErrorCode, Id, Notification, Request, Result, id_key
from ..nostr import Violation
from ..revisions.model import Revision
from .actions import Action, Drop, Publish
from .errors import ErrorClass
from .links import Held, McpLink
from .machine import FEEDING, Feeding, FeedingEffect, FeedingInput
from .sessions import Session
from .settings import Teardown
from .subscriptions import (
    ACKNOWLEDGED,
    RESOURCES,
    Filter,
    acknowledgement,
    common,
    filter_in,
    has_last_result,
    includes,
    is_named,
    last_result,
    listens,
    name_in,
    name_of,
    named,
    offered,
)

if TYPE_CHECKING:
    from .server import Server
    from .serving import Exchange

# Publications of which relays may still speak; an answer that comes later than so many others is no news.
RECENT_PUBLICATIONS = 4096
# A number of ours that an MCP server has made into a string.
_NUMBER = re.compile(r"[0-9]{1,16}")
# The code of an unsupported version before MCP 2026-07-28 settled its own.
DRAFT_UNSUPPORTED_VERSION = -32004


# A subscription by its client, server and JSON-RPC id.
EventKey = tuple[bytes, str, tuple[str, Id]]


@dataclass(slots=True, eq=False)
class Feed:
    """One subscription, known by the client's key and the event of its listen request (SUBN-ID-01)."""

    event_id: bytes
    session: Session
    request: Request
    revisions: tuple[Revision, ...]
    wrap: int | None
    version: str
    requested: Filter
    state: Feeding = Feeding.NONE
    honoured: Filter = field(default_factory=dict)
    kept: deque[Notification] = field(default_factory=deque)
    number: int | None = None
    unanswered: int = 0
    failures: int = 0
    held: Held | None = None
    watched: set[str] | None = None

    @property
    def link(self) -> McpLink:
        return self.session.link

    @property
    def client(self) -> bytes:
        return self.session.client

    @property
    def key(self) -> EventKey:
        return _key(self.session, self.request)

    @property
    def name(self) -> Id:
        """What it is called on the wire (SUBN-ID-03, SUBN-ID-04)."""
        travels = self.session.revision.ids_travel
        return name_of(self.request.id, self.version) if travels else self.event_id.hex()


def _key(session: Session, request: Request) -> EventKey:
    return session.client, session.server.id, id_key(request.id)


class Feeds:
    """Every subscription that has not ended."""

    def __init__(self, host: Server) -> None:
        self._host = host
        self._feeds: dict[bytes, Feed] = {}
        self._events: dict[EventKey, bytes] = {}
        self._publications: dict[bytes, tuple[Feed, bool]] = {}

    def __len__(self) -> int:
        return len(self._feeds)

    def owner(self, event_id: bytes) -> bytes | None:
        """The key that opened a subscription."""
        feed = self._feeds.get(event_id)
        return None if feed is None else feed.client

    def event_of(self, key: EventKey) -> bytes | None:
        return self._events.get(key)

    # Opening

    def listen(self, exchange: Exchange) -> list[Action]:
        """A listen request: refused by its reason, or opened."""
        link, request = exchange.session.link, exchange.request
        refusal = self._refusal(exchange)
        if refusal is not None and not self._host.may_refuse(exchange.session.client):
            violation = Violation(ErrorClass.TOO_MANY, "request", "more errors than may be sent")
            return [Drop(exchange.event_id, violation)]
        if refusal is not None:
            return self._host.answer(exchange, refusal)
        version = paths.read(request.params, ("_meta", PROTOCOL_VERSION))
        feed = Feed(
            exchange.event_id, exchange.session, request, exchange.revisions, exchange.wrap, version,
            filter_in(request.params),
        )  # fmt: skip
        self._feeds[feed.event_id] = feed
        link.feeds[feed] = None
        self._events[feed.key] = feed.event_id
        self._host.subscriptions.take(feed.client)
        self._host.sessions.begin_work(feed.session)
        self._arm_lease(feed)
        return self._step(feed, FeedingInput.LISTEN)

    def _open(self, feed: Feed) -> list[Action]:
        link = feed.link
        if listens(link.version):
            feed.number, deliver = link.call(feed.request, partial(self._answered, feed))
            link.running[feed.number] = feed
            return [deliver]
        feed.held = partial(self._ask, feed)
        return link.when_ready(feed.held)

    def _refusal(self, exchange: Exchange) -> Error | None:
        request, link, client = exchange.request, exchange.session.link, exchange.session.client
        version = paths.read(request.params, ("_meta", PROTOCOL_VERSION))
        if type(version) is not str:
            return Error(request.id, ErrorCode.INVALID_PARAMS, "params._meta names no protocol version")
        supported = [link.version] if listens(link.version) else [one for one in CATALOGUE if listens(one)]
        if version not in supported:
            is_draft = link.version == Version.DRAFT_2026_V1
            code = DRAFT_UNSUPPORTED_VERSION if is_draft else ErrorCode.UNSUPPORTED_PROTOCOL_VERSION
            data = {"supported": supported, "requested": version}
            return Error(request.id, code, "this protocol version is not supported", data)
        faults = catalogue.check_params(request.method, request.params, version)
        if faults:
            return Error(request.id, ErrorCode.INVALID_PARAMS, str(faults[0]))
        if exchange.session.revision.ids_travel and self.event_of(_key(exchange.session, request)) is not None:
            return Error(request.id, ErrorCode.INVALID_REQUEST, "a subscription with this id is open")
        wanted = 1 + len(filter_in(request.params).get(RESOURCES, []))
        budget, limits = self._host.subscriptions, self._host.settings.limits
        if not budget.has_room(client, wanted):
            is_own = budget.key_is_full(client, wanted)
            most = {"limit": limits.subscriptions_per_key if is_own else limits.subscriptions}
            return Error(request.id, ErrorCode.INTERNAL_ERROR, "too many subscriptions", most)
        return None

    def _ask(self, feed: Feed, failure: Error | None) -> list[Action]:
        """Find out what an MCP server without subscriptions/listen can honour, and have it tell of resources."""
        if failure is not None:
            return self._fail(feed, failure)
        link = feed.link
        feed.honoured = offered(feed.requested, link.capabilities or {})
        actions: list[Action] = []
        granted: list[str] = []
        for uri in dict.fromkeys(feed.honoured.pop(RESOURCES, ())):
            if not self._host.watches.has_room(feed.client):
                break  # others have taken it since the request came
            granted.append(uri)
            if not self._host.watches.join(link, uri, feed, feed.client):
                request = Request(0, "resources/subscribe", {"uri": uri})
                feed.unanswered += 1
                actions.append(link.call(request, partial(self._subscribed, feed, uri))[1])
        if granted:
            feed.honoured[RESOURCES] = granted
        return actions if feed.unanswered else actions + self._step(feed, FeedingInput.HONOURED)

    def _subscribed(self, feed: Feed, uri: str, answer: Result | Error) -> list[Action]:
        if feed.state is not Feeding.OPENING:
            return []
        self._host.watches.settle(feed.link, uri, feed, answer)
        if isinstance(answer, Error):
            left = [one for one in feed.honoured[RESOURCES] if one != uri]
            feed.honoured = {**feed.honoured, RESOURCES: left} if left else _without(feed.honoured, RESOURCES)
        feed.unanswered -= 1
        return [] if feed.unanswered else self._step(feed, FeedingInput.HONOURED)

    def _answered(self, feed: Feed, answer: Result | Error) -> list[Action]:
        """An MCP server that knows subscriptions/listen has ended one, or refused it."""
        feed.link.running.pop(feed.number or 0, None)
        feed.number = None
        if isinstance(answer, Error):
            return self._fail(feed, answer)
        return self._step(feed, FeedingInput.FINISHED)

    def _fail(self, feed: Feed, error: Error) -> list[Action]:
        actions = self._host.say(replace(error, id=feed.request.id), feed.session, about=feed)[0]
        return actions + self._end(feed)

    # What MCP servers say

    def told(self, link: McpLink, notification: Notification) -> list[Action] | None:
        """A notification on a subscription that the MCP server itself holds; None where it names none."""
        name = name_in(notification)
        if name is None or not listens(link.version):
            return None
        feed = self.named(link, name)
        if feed is None:
            return [Drop(None, Violation(ErrorClass.UNCORRELATED, "message", "no subscription of this id is open"))]
        if notification.method == ACKNOWLEDGED:
            if feed.state is Feeding.OPENING:
                feed.honoured = common(feed.requested, filter_in(notification.params))
            return self._step(feed, FeedingInput.HONOURED)
        if feed.state is not Feeding.OPENING and not includes(feed.honoured, notification):
            return [Drop(None, Violation(ErrorClass.NOT_REQUESTED, "message", "the client has not asked for this"))]
        return self._step(feed, FeedingInput.CHANGE, notification)

    def named(self, link: McpLink, name: Any) -> Feed | None:
        """The subscription on this link that an MCP server names."""
        number = int(name) if type(name) is str and _NUMBER.fullmatch(name) else name
        feed = link.running.get(number) if type(number) is int else None
        is_feed = isinstance(feed, Feed) and feed.number is not None and is_named(name, feed.number, link.version)
        return feed if is_feed else None

    def cancelled(self, feed: Feed) -> list[Action]:
        """The MCP server ends a subscription that it holds, without a result."""
        assert feed.number is not None
        feed.link.answers.pop(feed.number, None)
        feed.link.running.pop(feed.number, None)
        feed.number = None
        return self._step(feed, FeedingInput.FINISHED)

    def changed(self, link: McpLink, notification: Notification) -> list[Action]:
        """A list has changed at an MCP server that knows no subscriptions: whoever listens for it is told."""
        actions: list[Action] = []
        for feed in list(link.feeds):
            wanted = feed.requested if feed.state is Feeding.OPENING else feed.honoured
            if includes(wanted, notification):
                actions += self._step(feed, FeedingInput.CHANGE, notification)
        return actions

    def updated(self, feed: Feed, notification: Notification) -> list[Action]:
        """A resource that this subscription watches has changed."""
        return self._step(feed, FeedingInput.CHANGE, notification)

    # What relays and clients say

    def published(self, event_id: bytes, accepted: bool) -> list[Action]:
        """What relays say of an acknowledgement or a notification (SUBN-SERVE-05, SUBN-SERVE-06, SUBN-SERVE-12)."""
        feed, is_acknowledgement = self._publications.pop(event_id, (None, False))
        if feed is None or feed.state is Feeding.ENDED:
            return []
        if is_acknowledgement:
            is_open = feed.state is Feeding.OPEN
            return [] if is_open else self._step(feed, FeedingInput.CONFIRMED if accepted else FeedingInput.REFUSED)
        feed.failures = 0 if accepted else feed.failures + 1
        too_often = feed.failures >= self._host.settings.limits.failures
        return self._step(feed, FeedingInput.FAILING) if too_often else []

    def finish(self, feed: Feed) -> list[Action]:
        """The MCP server of a subscription is gone."""
        return self._step(feed, FeedingInput.FINISHED)

    def cancel(self, event_id: bytes) -> list[Action]:
        """The client that opened a subscription ends it; there is no answer (SUBN-SERVE-11)."""
        feed = self._feeds.get(event_id)
        return [] if feed is None else self._step(feed, FeedingInput.CANCEL)

    def stop(self) -> list[Action]:
        """End every subscription in order (SUBN-SERVE-15, SUBN-SERVE-16)."""
        return [action for feed in list(self._feeds.values()) for action in self._step(feed, FeedingInput.STOP)]

    # The life of a subscription, by its table

    def _step(self, feed: Feed, given: FeedingInput, notification: Notification | None = None) -> list[Action]:
        step = FEEDING.step(feed.state, given)
        if step is None:
            detail = f"{given.value}, where the subscription is {feed.state.value}"
            return [Drop(feed.event_id, Violation(ErrorClass.UNEXPECTED, "subscription", detail))]
        effect, after = step
        if effect is FeedingEffect.FINISH:
            return self._finish(feed, given)
        if effect is FeedingEffect.REFUSE:
            # The last result names the subscription, and the first message that does is its acknowledgement.
            return self._fail(feed, Error(feed.request.id, ErrorCode.INTERNAL_ERROR, given.value))
        feed.state = after
        match effect:
            case FeedingEffect.ASK:
                return self._open(feed)
            case FeedingEffect.ACKNOWLEDGE:
                return self._acknowledge(feed)
            case FeedingEffect.GATHER:
                assert notification is not None
                return self._keep(feed, notification)
            case FeedingEffect.FLUSH:
                self._host.alarms.clear((feed, "acknowledgement"))
                return self._flush(feed)
            case FeedingEffect.SEND:
                assert notification is not None
                return self._send(feed, notification)
            case _:
                return self._end(feed)

    def _acknowledge(self, feed: Feed) -> list[Action]:
        actions, _ = self._host.say(acknowledgement(feed.honoured, feed.name), feed.session, about=feed)
        self._remember(actions, feed, is_acknowledgement=True)
        if not feed.honoured:
            return actions + self._step(feed, FeedingInput.FINISHED)
        feed.kept = deque(one for one in feed.kept if includes(feed.honoured, one))
        seconds = self._host.settings.timers.acknowledgement
        confirmed = partial(self._step, feed, FeedingInput.CONFIRMED)
        self._host.alarms.set((feed, "acknowledgement"), self._host.now.monotonic + seconds, confirmed)
        return actions

    def _keep(self, feed: Feed, notification: Notification) -> list[Action]:
        if notification not in feed.kept:
            feed.kept.append(notification)
        if len(feed.kept) > self._host.settings.limits.held:
            feed.kept.clear()
            return self._step(feed, FeedingInput.FAILING)
        return []

    def _flush(self, feed: Feed) -> list[Action]:
        kept, feed.kept = feed.kept, deque()
        return [action for one in kept for action in self._send(feed, one)]

    def _send(self, feed: Feed, notification: Notification) -> list[Action]:
        actions, _ = self._host.say(named(notification, feed.name), feed.session, about=feed)
        self._remember(actions, feed, is_acknowledgement=False)
        return actions

    def _remember(self, actions: list[Action], feed: Feed, *, is_acknowledgement: bool) -> None:
        for action in actions:
            if isinstance(action, Publish):
                self._publications[action.event.id] = (feed, is_acknowledgement)
        while len(self._publications) > RECENT_PUBLICATIONS:
            del self._publications[next(iter(self._publications))]

    def _finish(self, feed: Feed, given: FeedingInput) -> list[Action]:
        """Publish what waits and the end, in the words of the version (AMB-405, AMB-406)."""
        actions = self._flush(feed)
        teardown = self._host.settings.teardown if given is FeedingInput.STOP else Teardown.RESULT
        if teardown is not Teardown.RESULT:
            requested = feed.request.id if feed.session.revision.ids_travel else feed.event_id.hex()
            cancel = Notification("notifications/cancelled", {"requestId": requested})
            actions += self._host.say(cancel, feed.session, about=feed)[0]
        if teardown is not Teardown.CANCELLED and has_last_result(feed.version):
            actions += self._host.say(last_result(feed.request.id, feed.name), feed.session, about=feed)[0]
        return actions + self._end(feed)

    def _end(self, feed: Feed) -> list[Action]:
        feed.state = Feeding.ENDED
        del self._feeds[feed.event_id]
        del feed.link.feeds[feed]
        feed.link.let_go(feed.held)
        if self._events.get(feed.key) == feed.event_id:
            del self._events[feed.key]
        self._host.subscriptions.give(feed.client)
        self._host.alarms.clear((feed, "lease"))
        self._host.alarms.clear((feed, "acknowledgement"))
        actions = self._host.watches.forget(feed)
        if feed.number is not None:
            feed.link.answers.pop(feed.number, None)
            feed.link.running.pop(feed.number, None)
            cancel = Notification("notifications/cancelled", {"requestId": feed.number})
            actions.append(feed.link.deliver(cancel))
        self._host.sessions.end_work(feed.session)
        return actions

    def _arm_lease(self, feed: Feed) -> None:
        sessions = self._host.sessions.of_client(feed.client)
        used = max((session.used for session in sessions), default=self._host.now.monotonic)
        at = used + self._host.settings.timers.lease
        self._host.alarms.set((feed, "lease"), at, partial(self._lease_over, feed, at))

    def _lease_over(self, feed: Feed, at: float) -> list[Action]:
        """End a subscription whose key has been silent for the length of the lease (SUBN-SERVE-13, SUBN-SERVE-14)."""
        sessions = self._host.sessions.of_client(feed.client)
        used = max((session.used for session in sessions), default=0.0)
        if used + self._host.settings.timers.lease > at:
            self._arm_lease(feed)
            return []
        return self._step(feed, FeedingInput.FAILING)


def _without(filter_: Filter, key: str) -> Filter:
    return {name: value for name, value in filter_.items() if name != key}
