"""A client under test: started once for each check, and served by the runner as the check wants it.

What the client believes is seen on the wire, as it calls the tool `report` with it (spec/live.md).
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from ...mcp.jsonrpc import Error, ErrorCode, Message, Notification, Request, Result
from ...nostr import Event, Filter
from ...revisions import Revision
from ...revisions.model import MessageClass
from ...translate.route import RequestReference, Role
from .checks import Failed, Need, NotOffered
from .peer import Peer, new_key
from .process import Running
from .server_bench import Timing
from .station import Station
from .wire import Heard, Wire

SERVER_INFO = {"name": "nostrmcp conformance", "version": "1"}
CAPABILITIES = {"tools": {"listChanged": True}}
# The exit code by which a client says that it has no such scenario.
NOT_OFFERED = 77
INVOICE = "lnbc210n1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypq"
_SCHEMA = {"type": "object"}
# The tools, one page each: a client that does not follow the cursor misses some.
TOOLS = [[{"name": name, "inputSchema": _SCHEMA}] for name in ("question", "slow", "report")]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of the client."""

    heard: Heard
    request: Request

    @property
    def reference(self) -> RequestReference:
        return RequestReference(self.heard.event.id, self.request.method, self.request.id)


# Starts the client for a scenario, to ask the server with this key.
Launch = Callable[[str, bytes], Awaitable[Running]]


class ClientBench:
    """The client, as the checks see it."""

    def __init__(self, station: Station, revision: Revision, timing: Timing, server_id: str, launch: Launch) -> None:
        self.wire = Wire(station, revision, Role.CLIENT)
        self.station = station
        self.revision = revision
        self.timing = timing
        self.server_id = server_id
        self._launch = launch
        self.said = ""

    def needs(self, need: Need) -> bool:
        return need in (Need.CONTROL, Need.COMMAND)

    @contextlib.asynccontextmanager
    async def stage(self, scenario: str) -> AsyncIterator[Stage]:
        """The client at work on a scenario, served until the check is done with it."""
        stage = Stage(self)
        wraps = frozenset(self.revision.kinds.wraps)
        self.station.subscribe(Filter(kinds=wraps or None, tags={"p": frozenset({stage.key.public_key.hex()})}))
        self.station.forget_subscriptions()
        running = await self._launch(scenario, stage.key.public_key.x)
        stage.running = running
        tasks = [asyncio.create_task(stage.serve()), asyncio.create_task(stage.watch())]
        try:
            yield stage
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await running.stop()
            self.said = running.said


class Stage:
    """The runner as the server of one client, in one scenario."""

    running: Running

    def __init__(self, bench: ClientBench) -> None:
        self.bench = bench
        self.wire = bench.wire
        self.key = new_key()
        self.wire.add_key(self.key)
        self.pages = TOOLS
        self.asked: list[Asked] = []
        self.told: list[Heard] = []
        self.answered: list[Heard] = []
        self._peers: dict[bytes, Peer] = {}
        self._taken: set[bytes] = set()
        self._next = len(bench.wire.heard)

    # Serving by itself what no check is about

    async def serve(self) -> None:
        own = self.key.public_key.hex()
        while True:
            await self.wire.until(lambda: len(self.wire.heard) > self._next, 3600)
            while self._next < len(self.wire.heard):
                heard = self.wire.heard[self._next]
                self._next += 1
                if own in heard.event.values("p") and heard.event.id not in self._taken:
                    self._taken.add(heard.event.id)
                    await self._take(heard)
            self.bench.station.tell()

    async def watch(self) -> None:
        """Wake who waits when the client has ended."""
        await self.running.wait(3600)
        self.bench.station.tell()

    async def _take(self, heard: Heard) -> None:
        message = heard.decoded.message if heard.decoded else None
        if isinstance(message, Notification):
            self.told.append(heard)
        elif isinstance(message, (Result, Error)):
            self.answered.append(heard)
        elif isinstance(message, Request):
            asked = Asked(heard, message)
            self.asked.append(asked)
            answer = self._usual(message)
            if answer is not None:
                await self.answer(asked, answer)

    def _usual(self, request: Request) -> Result | Error | None:
        """What any server would answer; None for what the checks answer."""
        params = request.params or {}
        match request.method:
            case "initialize":
                version = self.bench.revision.mcp_version
                found = {"protocolVersion": version, "capabilities": CAPABILITIES, "serverInfo": SERVER_INFO}
                return Result(request.id, found)
            case "ping":
                return Result(request.id, {})
            case "tools/list":
                return self._page(request, params.get("cursor"))
            case "tools/call" if params.get("name") == "report":
                return Result(request.id, text("reported"))
            case "tools/call" | "subscriptions/listen":
                return None
        return Error(request.id, int(ErrorCode.METHOD_NOT_FOUND), "there is no such method")

    def _page(self, request: Request, cursor: Any) -> Result | Error:
        names = [None, *(f"page {number}" for number in range(1, len(self.pages)))]
        if cursor not in names:
            return Error(request.id, int(ErrorCode.INVALID_PARAMS), "there is no such cursor")
        number = names.index(cursor)
        more = {"nextCursor": names[number + 1]} if number + 1 < len(names) else {}
        return Result(request.id, {"tools": self.pages[number], **more})

    # What the checks say

    def peer(self, client: bytes) -> Peer:
        if client not in self._peers:
            self._peers[client] = Peer(self.wire, Role.SERVER, client, self.bench.server_id, self.key)
        return self._peers[client]

    def built(
        self, asked: Asked, message: Message, by: Peer | None = None, e: bytes | None = None, at: int | None = None
    ) -> Event:
        """The event of a message about a request, by the server or by somebody else."""
        peer = by or self.peer(asked.heard.event.pubkey)
        reference = asked.reference if e is None else asked.reference._replace(event_id=e)
        encryption = asked.request.method == "initialize" and asked.heard.form is not None
        return peer.event(message, peer.route(reference, encryption=encryption), at=at)

    def stranger(self, asked: Asked) -> Peer:
        """Somebody else, who knows of the request."""
        return Peer(self.wire, Role.SERVER, asked.heard.event.pubkey, self.bench.server_id)

    async def answer(self, asked: Asked, message: Message) -> Event:
        """Say something right about a request, in the form of the request."""
        event = self.built(asked, message)
        await self.peer(asked.heard.event.pubkey).say(event, form=asked.heard.form, answers=asked.request.method)
        return event

    async def slip(self, asked: Asked, event: Event) -> None:
        """Publish something that is not right, in the form of the request."""
        await self.wire.publish(self.in_form(asked, event), event)

    def in_form(self, asked: Asked, event: Event) -> Event:
        form = asked.heard.form
        return event if form is None else self.peer(asked.heard.event.pubkey).wrap(event, form)

    async def ask(self, asked: Asked, method: str, params: dict[str, Any] | None = None) -> Event:
        """A request of the server to the client, in the form of what the client said."""
        peer = self.peer(asked.heard.event.pubkey)
        event = peer.event(Request(f"runner-{secrets.token_hex(4)}", method, params))
        await peer.say(event, form=asked.heard.form)
        return event

    # What the checks wait for

    async def until(self, condition: Callable[[], bool], what: str) -> None:
        """Wait; Failed if it does not happen, NotOffered if the client says that it does not do this."""

        def over() -> bool:
            return condition() or self.running.ended is not None

        await self.wire.until(over, self.bench.timing.answer)
        await self._settled(condition)
        if condition():
            return
        code = self.running.ended
        if code == NOT_OFFERED:
            raise NotOffered(f"the client has no such scenario (exit code {NOT_OFFERED})")
        how = f"it ended with code {code}" if code is not None else f"within {self.bench.timing.answer:g} s"
        raise Failed(f"the client did not {what}: {how}")

    async def _settled(self, condition: Callable[[], bool]) -> None:
        """What the client said last is taken, even if it ended right after it."""
        await self.wire.until(lambda: condition() or self._next >= len(self.wire.heard), 1)

    def calls(self, tool: str) -> list[Asked]:
        return [
            one for one in self.asked
            if one.request.method == "tools/call" and (one.request.params or {}).get("name") == tool
        ]  # fmt: skip

    async def called(self, tool: str, number: int = 1) -> list[Asked]:
        """The calls of a tool, once there are so many."""
        await self.until(lambda: len(self.calls(tool)) >= number, f"call {tool}")
        return self.calls(tool)[:number]

    async def first(self, method: str) -> Asked:
        def found() -> list[Asked]:
            return [one for one in self.asked if one.request.method == method]

        await self.until(lambda: bool(found()), f"send {method}")
        return found()[0]

    async def heard_of(self, message_class: MessageClass, what: str) -> Heard:
        def found() -> list[Heard]:
            return [one for one in self.told if one.decoded and one.decoded.message_class is message_class]

        await self.until(lambda: bool(found()), what)
        return found()[0]

    async def reply(self, event: Event) -> Result | Error:
        """What the client answers to a request of the server."""

        def found() -> list[Heard]:
            return [one for one in self.answered if one.refers_to(event.id)]

        await self.until(lambda: bool(found()), "answer the server's request")
        decoded = found()[0].decoded
        assert decoded is not None and isinstance(decoded.message, (Result, Error))
        return decoded.message

    async def report(self) -> dict[str, Any]:
        """What the client reports that it believes."""
        found = (await self.called("report"))[0].request.params or {}
        arguments = found.get("arguments")
        return arguments if type(arguments) is dict else {}

    async def reports(self, **expected: Any) -> None:
        """Failed unless the client reports this."""
        actual = await self.report()
        for name, value in expected.items():
            if not _equal(actual.get(name), value):
                raise Failed(f"the client reports another {name} than it should", expected, actual)

    async def ends(self) -> None:
        """Failed unless the client ends in order."""
        code = await self.running.wait(self.bench.timing.answer)
        if code == NOT_OFFERED:
            raise NotOffered(f"the client has no such scenario (exit code {NOT_OFFERED})")
        if code != 0:
            how = "does not end" if code is None else f"ends with code {code}"
            raise Failed(f"the client has done its part, and {how}", expected=0, actual=code)


def _equal(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def text(text: str) -> dict[str, Any]:
    """The result of a tool that says this."""
    return {"content": [{"type": "text", "text": text}]}


def fresh_text() -> str:
    """A text that nobody can guess."""
    return f"answer {secrets.token_hex(6)}"
