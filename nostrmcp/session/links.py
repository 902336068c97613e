"""Conversations with MCP servers: their handshake, and ids that no two clients share."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from ..mcp import catalogue
from ..mcp.catalogue import CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION
from ..mcp.jsonrpc import Error, ErrorCode, Id, Message, Notification, Request, Result, is_id
from .actions import Action, Deliver, Link
from .machine import HANDSHAKE, Shake, ShakeEffect, ShakeInput

Answered = Callable[[Result | Error], list[Action]]
Held = Callable[[Error | None], list[Action]]
Body = dict[str, Any]

INITIALIZED = Notification("notifications/initialized")
HUB = {"name": "nostrmcp", "version": "0.1.0"}
# Messages that may wait for a handshake: a client that only notifies its own MCP server has nothing pending.
MAX_HELD = 1024


def has_handshake(version: str) -> bool:
    """Whether this MCP version begins with initialize."""
    return catalogue.find("initialize", version) is not None


class McpLink:
    """One MCP server as the hub sees it.

    Requests are numbered anew, tokens with them (HOUSE-ID-02, HOUSE-ID-04, HOUSE-ID-06); `answers` finds what to do
    with each answer. Until the handshake is over, calls are held; `clock` is told the number of each initialize, and
    None once it is over, so that one that is never answered can be given up.
    """

    __slots__ = (
        "_clock", "_held", "_number", "_waiting", "answers", "asked", "capabilities", "feeds", "link", "result",
        "running", "session", "shake", "version", "watchers",
    )  # fmt: skip

    def __init__(self, link: Link, version: str, clock: Callable[[McpLink, int | None], None]) -> None:
        self.link = link
        self._clock = clock
        self.version = version
        self.shake = Shake.NEW if has_handshake(version) else Shake.READY
        self.result: Body | None = None
        self.capabilities: Body | None = None
        self.answers: dict[int, Answered] = {}
        # What is with the MCP server under each number: an exchange or a subscription.
        self.running: dict[int, Any] = {}
        # The session that the MCP server is there for, None where it is shared, and the subscriptions on it.
        self.session: Any = None
        self.feeds: dict[Any, None] = {}
        # Requests of this MCP server to a client: the event that carries each, by its own id.
        self.asked: dict[tuple[str, Id], bytes] = {}
        # Who wants to hear of a resource, by its URI, and whether the MCP server has agreed.
        self.watchers: dict[str, dict[Any, bool]] = {}
        self._number = 0
        self._held: deque[Held] = deque()
        self._waiting: list[Answered] = []

    def deliver(self, message: Message) -> Deliver:
        return Deliver(message, self.link)

    def call(self, request: Request, answered: Answered) -> tuple[int, Deliver]:
        """Pass a request on under a number of our own."""
        self._number = number = self._number + 1
        self.answers[number] = answered
        params = request.params
        if params is not None and "_meta" in params:
            meta = params["_meta"]
            if type(meta) is dict and is_id(meta.get("progressToken")):
                params = {**params, "_meta": {**meta, "progressToken": number}}
        return number, Deliver(Request(number, request.method, params), self.link)

    def answer(self, message: Result | Error) -> list[Action] | None:
        """What an answer of the MCP server leads to, None if nothing was asked under its id."""
        answered = self.answers.pop(message.id, None) if type(message.id) is int else None
        return None if answered is None else answered(message)

    def fail(self, detail: str) -> list[Action]:
        """Everything that waits for the MCP server fails, and its next handshake begins from the start."""
        actions: list[Action] = []
        for number in list(self.answers):
            actions += self.answer(Error(number, ErrorCode.INTERNAL_ERROR, detail)) or []
        self.shake = Shake.NEW if has_handshake(self.version) else Shake.READY
        self.result = self.capabilities = None
        return actions

    # The handshake, by its table

    def initialize(self, request: Request, answered: Answered, initialized_is_sent: bool) -> list[Action]:
        """A client's initialize: passed on, or answered from the first result."""
        effect = self._shake(ShakeInput.INITIALIZE)
        if effect is ShakeEffect.ASK:
            if not initialized_is_sent and self.shake is Shake.OPENING:
                self.shake = Shake.OPENING_EARLY
            return self._ask(request, answered)
        if effect is ShakeEffect.ANSWER_AGAIN:
            assert self.result is not None
            return answered(Result(request.id, self.result))
        self._waiting.append(answered)
        return []

    def _ask(self, request: Request, answered: Answered) -> list[Action]:
        self._waiting.append(answered)
        number, deliver = self.call(request, self._initialized)
        self._clock(self, number)
        return [deliver]

    def initialized(self) -> list[Action]:
        """A client's initialized: it may come at any time (HOUSE-TIME-06)."""
        effect = self._shake(ShakeInput.INITIALIZED)
        return [self.deliver(INITIALIZED)] if effect is ShakeEffect.COMPLETE else []

    def when_ready(self, go_on: Held) -> list[Action]:
        """Do this now, or once the handshake is over, with the error if it failed; one is begun where nobody has."""
        if self.shake is Shake.READY:
            return go_on(None)
        if len(self._held) >= MAX_HELD:
            return go_on(Error(None, ErrorCode.INTERNAL_ERROR, "too many messages wait for the MCP server"))
        effect = self._shake(ShakeInput.CALL)
        if effect is ShakeEffect.COMPLETE_AND_PASS:
            return [self.deliver(INITIALIZED), *go_on(None)]
        self._held.append(go_on)
        return self._ask(own_initialize(self.version), _nobody) if effect is ShakeEffect.ASK_OURSELVES else []

    def let_go(self, held: Held | None) -> None:
        """What would be done once the handshake is over has ended before: it takes no room of others."""
        if held is not None and held in self._held:
            self._held.remove(held)

    def _initialized(self, answer: Result | Error) -> list[Action]:
        self._clock(self, None)
        waiting, self._waiting = self._waiting, []
        if isinstance(answer, Error):
            self._shake(ShakeInput.FAILURE)
            held, self._held = self._held, deque()
            actions = [action for answered in waiting for action in answered(answer)]
            return actions + [action for go_on in held for action in go_on(answer)]
        self.result = answer.result
        capabilities = answer.result.get("capabilities")
        self.capabilities = capabilities if type(capabilities) is dict else {}
        negotiated = answer.result.get("protocolVersion")
        if type(negotiated) is str and has_handshake(negotiated):
            self.version = negotiated
        effect = self._shake(ShakeInput.RESULT)
        actions = [action for answered in waiting for action in answered(answer)]
        if effect is ShakeEffect.ANSWER_AND_COMPLETE:
            actions.append(self.deliver(INITIALIZED))
            held, self._held = self._held, deque()
            actions += [action for go_on in held for action in go_on(None)]
        return actions

    def _shake(self, given: ShakeInput) -> ShakeEffect:
        step = HANDSHAKE.step(self.shake, given)
        assert step is not None, "the link asks only where the table has an answer"
        effect, self.shake = step
        return effect


def own_initialize(version: str) -> Request:
    """The initialize of the hub itself: no capabilities of any client are offered."""
    return Request(0, "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": HUB})


def own_request(method: str, version: str, params: Body | None = None) -> Request:
    """Another request of the hub itself; where there is no handshake, each says who asks and offers nothing."""
    if has_handshake(version):
        return Request(0, method, params)
    meta = {PROTOCOL_VERSION: version, CLIENT_CAPABILITIES: {}, CLIENT_INFO: HUB}
    return Request(0, method, {**(params or {}), "_meta": meta})


def _nobody(_answer: Result | Error) -> list[Action]:
    return []
