"""Results on their way to relays: one that they refuse to carry is replaced, so that nobody waits for it in vain."""

from __future__ import annotations

from typing import NamedTuple

from ..mcp.jsonrpc import Error, ErrorCode, Message, Result
from ..nostr import LocalProtocolError
from ..nostr.relay_frames import Prefix, prefix_of
from ..revisions.model import Revision
from ..translate.route import Route
from .actions import Publish
from .sending import TooLarge

# Refusals that are not about the event: the relay has it already, or nobody is there who would read another.
_NO_FAULT = (Prefix.DUPLICATE, Prefix.MUTE)


class Way(NamedTuple):
    """How a result went out, and how large: what replaces it goes the same way."""

    route: Route
    revision: Revision
    wrap: int | None
    size: int


class Results:
    """Results of which relays have not spoken. There are as many as requests may be pending; the oldest make room."""

    __slots__ = ("_limit", "_ways")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._ways: dict[bytes, Way] = {}

    def __len__(self) -> int:
        return len(self._ways)

    def remember(self, publish: Publish, route: Route, revision: Revision, wrap: int | None) -> None:
        """A result is published."""
        self._ways[publish.event.id] = Way(route, revision, wrap, publish.event.sent_length)
        if len(self._ways) > self._limit:
            del self._ways[next(iter(self._ways))]

    def refused(self, event_id: bytes, accepted: bool, text: str) -> Way | None:
        """The way of a result that relays refuse by name (HOUSE-LIMIT-15); one that only kept silent may have it."""
        way = self._ways.pop(event_id, None)
        is_refused = not accepted and text != "" and prefix_of(text) not in _NO_FAULT
        return way if is_refused else None


def in_place_of_refused(way: Way) -> Error:
    """What a caller is told in place of a result that relays refused; their limit is theirs to know."""
    reference = way.route.request
    assert reference is not None, "a result answers a request"
    message = f"relays refused the result, an event of {way.size} bytes"
    return Error(reference.id, ErrorCode.INTERNAL_ERROR, message, {"size": way.size})


def in_place_of(message: Message, problem: LocalProtocolError) -> Error | None:
    """What a caller is told in place of an answer that cannot be sent (HOUSE-LIMIT-11); None where nothing shorter is.

    An MCP server's error may be as large as a result: a trace, or what a program has written.
    """
    if not isinstance(message, (Result, Error)) or message.id is None:
        return None
    if not isinstance(problem, TooLarge):
        detail = f"the result cannot be sent: {problem.detail}"
        return Error(message.id, ErrorCode.INTERNAL_ERROR, detail) if isinstance(message, Result) else None
    data = {"size": problem.size, "limit": problem.limit}
    if isinstance(message, Error) and type(message.data) is dict and message.data.keys() == data.keys():
        return None  # it stands in such a place already: the id of the request is too long
    what = "result" if isinstance(message, Result) else "error"
    return Error(message.id, ErrorCode.INTERNAL_ERROR, f"the {what} is larger than relays carry", data)
