"""Who is to be told when a resource changes, counted so that an MCP server is asked once for all."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ..mcp.jsonrpc import Error, Request, Result
from .actions import Action
from .links import McpLink

if TYPE_CHECKING:
    from .server import Server
    from .sessions import Session


class Watches:
    """Watchers are sessions, by resources/subscribe, and subscriptions, by subscriptions/listen.

    A watcher that waits for the MCP server's answer counts as one, so that nobody unsubscribes under it.
    """

    def __init__(self, host: Server) -> None:
        self._host = host

    def has_room(self, client: bytes) -> bool:
        return self._host.subscriptions.has_room(client)

    def join(self, link: McpLink, uri: str, watcher: Any, client: bytes) -> bool:
        """Add a watcher; whether the MCP server has already agreed to tell of this resource."""
        watchers = link.watchers.setdefault(uri, {})
        agreed = any(watchers.values())
        if watcher not in watchers:
            self._host.subscriptions.take(client)
            watcher.watched = {*(watcher.watched or ()), uri}
        watchers[watcher] = agreed
        return agreed

    def settle(self, link: McpLink, uri: str | None, watcher: Any, answer: Result | Error | None) -> None:
        """The MCP server's answer to the watcher that asked, None where it was not waited for."""
        watchers = link.watchers.get(uri, {}) if uri is not None else {}
        if uri is None or watcher not in watchers:
            return
        if isinstance(answer, Result):
            watchers[watcher] = True
        elif not watchers[watcher]:  # what was agreed before stays
            self._remove(link, uri, watcher)

    def leave(self, link: McpLink, uri: str, watcher: Any) -> bool:
        """Remove a watcher; whether it was the last, so that the MCP server is to be told."""
        if watcher in link.watchers.get(uri, {}):
            self._remove(link, uri, watcher)
        return uri not in link.watchers

    def _remove(self, link: McpLink, uri: str, watcher: Any) -> None:
        del link.watchers[uri][watcher]
        watcher.watched.discard(uri)
        self._host.subscriptions.give(watcher.client)
        if not link.watchers[uri]:
            del link.watchers[uri]

    def forget(self, watcher: Session | Any) -> list[Action]:
        """Remove a watcher that ends, and tell the MCP server what nobody watches any more."""
        link: McpLink = watcher.link
        actions: list[Action] = []
        for uri in sorted(watcher.watched or ()):
            if self.leave(link, uri, watcher):
                request = Request(0, "resources/unsubscribe", {"uri": uri})
                actions.append(link.call(request, _nobody)[1])
        return actions

    def drop(self, watcher: Session | Any) -> None:
        """Remove a watcher whose MCP server is gone."""
        for uri in sorted(watcher.watched or ()):
            self._remove(watcher.link, uri, watcher)

    def renew(self, link: McpLink) -> list[Action]:
        """Have an MCP server that was started anew tell of what is watched."""
        return [
            action
            for uri in list(link.watchers)
            for action in link.when_ready(partial(self._subscribe_again, link, uri))
        ]

    def _subscribe_again(self, link: McpLink, uri: str, failure: Error | None) -> list[Action]:
        if failure is not None or uri not in link.watchers:
            return []
        return [link.call(Request(0, "resources/subscribe", {"uri": uri}), _nobody)[1]]

    @staticmethod
    def of(link: McpLink, uri: str) -> list[Any]:
        """Who watches this resource, or one that it is a part of (AMB-458)."""
        found = list(link.watchers.get(uri, ()))
        part = uri
        while "/" in part:
            part = part.rpartition("/")[0]
            found += (watcher for watcher in link.watchers.get(part, ()) if watcher not in found)
        return found


def _nobody(_answer: Result | Error) -> list[Action]:
    return []
