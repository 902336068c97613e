"""What MCP servers say on their own account, and what clients say to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..mcp.jsonrpc import Error, ErrorCode, Notification, Request, Result, id_key, is_id
from ..nostr import Violation
from ..revisions.model import Revision, ServerRequests
from ..translate.codec import Decoded
from .actions import Action, Drop
from .errors import ErrorClass
from .feeds import Feed
from .limits import Budget
from .links import McpLink
from .sessions import Session
from .subscriptions import LISTS, UPDATED
from .watching import Watches

if TYPE_CHECKING:
    from .server import Server


@dataclass(slots=True, eq=False)
class Asked:
    """A request of an MCP server to a client, known by its event; `asker` is the request as the MCP server made it."""

    event_id: bytes
    session: Session
    request: Request
    asker: Request
    wrap: int | None


class Upstream:
    """From MCP servers to clients, other than answers."""

    def __init__(self, host: Server) -> None:
        limits, allow = host.settings.limits, host.settings.allow
        self._host = host
        self._asked: dict[bytes, Asked] = {}
        self._budget = Budget(limits.pending, limits.pending_per_key, limits.reserved, allow)
        self._number = 0

    def __len__(self) -> int:
        return len(self._asked)

    # Requests to a client

    def request(self, link: McpLink, request: Request) -> list[Action]:
        """Ask the client that the MCP server is there for; a shared one has none, and is answered here."""
        session: Session | None = link.session
        if session is None or not _carries(session.revision, request):
            if request.method == "ping":
                return [link.deliver(Result(request.id, {}))]
            return [link.deliver(Error(request.id, ErrorCode.METHOD_NOT_FOUND, "no client can be asked this"))]
        if id_key(request.id) in link.asked:
            return [link.deliver(Error(request.id, ErrorCode.INVALID_REQUEST, "a request with this id is pending"))]
        if not self._budget.has_room(session.client):
            return [link.deliver(Error(request.id, ErrorCode.INTERNAL_ERROR, "too many requests are pending"))]
        self._number += 1
        wire = replace(request, id=self._number)
        actions, event_id = self._host.say(wire, session)
        if event_id is None:
            return [*actions, link.deliver(Error(request.id, ErrorCode.INTERNAL_ERROR, "it cannot be sent"))]
        asked = Asked(event_id, session, wire, request, session.wrap)
        self._asked[event_id] = asked
        self._budget.take(session.client)
        link.asked[id_key(request.id)] = event_id
        self._host.sessions.begin_work(session)
        at = self._host.now.monotonic + self._host.settings.timers.answer
        self._host.alarms.set(asked, at, partial(self._overdue, asked))
        return actions

    def answered(self, decoded: Decoded) -> list[Action]:
        """A client's answer counts only from the client that was asked (HOUSE-ROUTE-03)."""
        answer = decoded.message
        assert isinstance(answer, (Result, Error)) and decoded.request_event_id is not None
        asked = self._asked.get(decoded.request_event_id)
        if asked is None:
            raise Violation(ErrorClass.UNCORRELATED, "event.tags", "e names no request of ours")
        if asked.session.client != decoded.sender:
            raise Violation(ErrorClass.WRONG_AUTHOR, "event.pubkey", "another key was asked")
        self._end(asked)
        return [asked.session.link.deliver(replace(answer, id=asked.asker.id))]

    def _overdue(self, asked: Asked) -> list[Action]:
        self._end(asked)
        error = Error(asked.asker.id, ErrorCode.INTERNAL_ERROR, "the client did not answer in time")
        return [asked.session.link.deliver(error)]

    def forget(self, link: McpLink) -> list[Action]:
        """The MCP server is gone: what it asked is withdrawn."""
        actions: list[Action] = []
        for event_id in list(link.asked.values()):
            asked = self._asked[event_id]
            self._end(asked)
            cancel = Notification("notifications/cancelled", {"requestId": asked.request.id})
            actions += self._host.say(cancel, asked.session, about=asked)[0]
        return actions

    def _end(self, asked: Asked) -> None:
        del self._asked[asked.event_id]
        self._budget.give(asked.session.client)
        asked.session.link.asked.pop(id_key(asked.asker.id), None)
        self._host.alarms.clear(asked)
        self._host.sessions.end_work(asked.session)

    # Notifications

    def notification(self, link: McpLink, notification: Notification) -> list[Action]:
        """Each to those whom it concerns, and to nobody else."""
        method = notification.method
        if method == "notifications/progress":
            return self._host.requests.progress(link, notification)
        if method == "notifications/cancelled":
            return self._cancelled(link, notification)
        told = self._host.announcer.told(link, notification)
        if told is None:
            told = self._host.feeds.told(link, notification)
        if told is not None:
            return told
        if method in LISTS:
            live = [session for session in self._sessions_of(link) if not session.listens]
            said = [action for session in live for action in self._host.say(notification, session)[0]]
            return [*said, *self._host.feeds.changed(link, notification), *self._host.announcer.changed(link, method)]
        if method == UPDATED:
            return self._updated(link, notification)
        if link.session is None:
            return [Drop(None, Violation(ErrorClass.UNOWNED, "message", "it belongs to no one client"))]
        return self._host.say(notification, link.session)[0]

    def _sessions_of(self, link: McpLink) -> list[Session]:
        if link.session is not None:
            return [link.session]
        return [session for session in self._host.sessions.all() if session.link is link]

    def _updated(self, link: McpLink, notification: Notification) -> list[Action]:
        uri = (notification.params or {}).get("uri")
        actions: list[Action] = []
        for watcher in Watches.of(link, uri) if type(uri) is str else ():
            if isinstance(watcher, Feed):
                actions += self._host.feeds.updated(watcher, notification)
            else:
                actions += self._host.say(notification, watcher)[0]
        return actions or [Drop(None, Violation(ErrorClass.UNOWNED, "message", "nobody has subscribed to it"))]

    def _cancelled(self, link: McpLink, notification: Notification) -> list[Action]:
        """An MCP server withdraws its own request, or ends a subscription in the way of older texts (AMB-405)."""
        params = notification.params or {}
        named: Any = params.get("requestId")
        feed = self._host.feeds.named(link, named)
        if feed is not None:
            return self._host.feeds.cancelled(feed)
        event_id = link.asked.get(id_key(named)) if is_id(named) else None
        asked = None if event_id is None else self._asked.get(event_id)
        if asked is None:
            return [Drop(None, Violation(ErrorClass.UNCORRELATED, "message", "it cancels nothing that is pending"))]
        self._end(asked)
        own = Notification(notification.method, {**params, "requestId": asked.request.id})
        return self._host.say(own, asked.session, about=asked)[0]

    def from_client(self, decoded: Decoded, session: Session | None) -> list[Action]:
        """A client's notification, to the MCP server that is its own."""
        notification = decoded.message
        assert isinstance(notification, Notification)
        if session is None or session.link.session is None:
            raise Violation(ErrorClass.UNOWNED, "event", "no MCP server is this client's own")
        link = session.link
        if notification.method == "notifications/progress":
            asked = self._asked.get(decoded.request_event_id or b"")
            if asked is None or asked.session is not session:
                raise Violation(ErrorClass.UNCORRELATED, "event.tags", "e names no request of ours")
        return link.when_ready(lambda error: [] if error else [link.deliver(notification)])


def _carries(revision: Revision, request: Request) -> bool:
    if revision.server_requests is ServerRequests.PING:
        return request.method == "ping"
    return revision.server_requests is ServerRequests.ALL
