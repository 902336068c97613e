"""A server under test: what the runner knows of it, and the clients it plays against it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from ...mcp.jsonrpc import Error, Id, Notification, Request, Result, same_id, to_value
from ...nostr import Event, Filter, nip59
from ...nostr.errors import shown
from ...revisions import Revision
from ...revisions.model import MessageClass
from ...translate import announce
from ...translate.route import RequestReference, Role
from .checks import Failed, Need, NotOffered
from .peer import Peer
from .station import Station
from .wire import Heard, Wire

CLIENT_INFO = {"name": "nostrmcp conformance", "version": "1"}
LISTS = {"tools": "tools/list", "resources": "resources/list", "prompts": "prompts/list"}
_MAX_PAGES = 100


@dataclass(frozen=True, slots=True)
class Timing:
    """`answer` is how long an answer may take, `start` how long until the testee is there, `quiet` how long silence is
    still listened to after its order has shown it, `work` how long a slow tool may take; all in seconds."""

    answer: float = 5.0
    start: float = 20.0
    quiet: float = 0.05
    work: float = 30.0


class Unanswered(Failed):
    """A request got no answer at all."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool and its arguments, as a hint names them."""

    tool: str
    arguments: dict[str, Any]

    @property
    def params(self) -> dict[str, Any]:
        return {"name": self.tool, "arguments": self.arguments}


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of ours as it went out."""

    event: Event
    request: Request
    form: int | None

    @property
    def reference(self) -> RequestReference:
        return RequestReference(self.event.id, self.request.method, self.request.id)


@dataclass(slots=True)
class Facts:
    """What the handshake and the lists have told."""

    initialized: dict[str, Any] = field(default_factory=dict)
    forms: tuple[int | None, ...] = ()
    says: tuple[int, ...] = ()

    @property
    def capabilities(self) -> dict[str, Any]:
        found = self.initialized.get("capabilities")
        return found if type(found) is dict else {}


class ServerBench:
    """The server, by its key."""

    def __init__(self, station: Station, revision: Revision, pubkey: bytes, timing: Timing) -> None:
        self.wire = Wire(station, revision, Role.SERVER)
        self.station = station
        self.revision = revision
        self.pubkey = pubkey
        self.server_id: str | None = None
        self.timing = timing
        self.hints: dict[str, Call] = {}
        self.resource: str | None = None
        # Ends the server and, in a later second, starts it again.
        self.restart: Callable[[], Awaitable[None]] | None = None
        self.facts = Facts()
        self._sentinel: ServerClient | None = None
        kinds = revision.kinds
        messages = frozenset({kinds.response, kinds.notification, kinds.request, *kinds.announcements.values()})
        station.subscribe(Filter(kinds=messages, authors=frozenset({pubkey})))

    def needs(self, need: Need) -> bool:
        """Whether what a check needs is there."""
        if need is Need.CONTROL:
            return self.station.relay is not None
        if need is Need.COMMAND:
            return self.restart is not None
        return need.name.lower() in self.hints

    def stranger(self) -> ServerClient:
        """A client with a new key that has not said anything yet."""
        client = ServerClient(self)
        wraps = frozenset(self.revision.kinds.wraps)
        if wraps:
            self.station.subscribe(Filter(kinds=wraps, tags={"p": frozenset({client.pubkey.hex()})}))
        client.form = self.facts.forms[0] if self.facts.forms else None
        return client

    async def after_all(self) -> None:
        """Wait for the answer to a request that was sent after everything else, and a little longer.

        The request comes from a client of its own, so that nothing that was done to others matters.
        """
        if self._sentinel is None:
            self._sentinel = await self.client()
        await self._sentinel.roundtrip()
        await asyncio.sleep(self.timing.quiet)

    async def client(self, form: int | str | None = "usual") -> ServerClient:
        """A client with a new key, after the handshake."""
        client = self.stranger()
        if not isinstance(form, str):
            client.form = form
        await client.handshake()
        return client

    # Getting to know it

    async def knock(self) -> None:
        """Over a relay that does not tell who listens: initialize in every form until the server answers one."""
        asked: list[Asked] = []

        def answered() -> bool:
            return any(self.wire.about(one.event.id) for one in asked)

        deadline = time.monotonic() + self.timing.start
        while time.monotonic() < deadline and not answered():
            for form in (None, *self.revision.kinds.wraps):
                client = self.stranger()
                client.form = form
                asked.append(await client.ask("initialize", client.initialize_params()))
            await self.wire.until(answered, min(1.0, self.timing.start))

    async def survey(self) -> bool:
        """Try the handshake plain, then wrapped; False where the server never answers."""
        found: list[int | None] = []
        for form in (None, *self.revision.kinds.wraps):
            client = self.stranger()
            client.form = form
            try:
                self._learn(await client.initialize())
            except Unanswered:
                continue
            except Failed:
                pass  # an answer, if a wrong one: the checks will say so
            found.append(form)
        self.facts.forms = tuple(found)
        return bool(found)

    def _learn(self, answer: Heard) -> None:
        message = answer.decoded.message if answer.decoded else None
        if isinstance(message, Result):
            self.facts.initialized = message.result
        if self.revision.server_ids:
            self.server_id = answer.event.first("d") or self.server_id
        said = [answer.event, *self.wire.announced]
        says = [nip59.WRAP] if any(map(announce.says_encryption, said)) else []
        says += [nip59.EPHEMERAL_WRAP] if any(map(announce.says_ephemeral, said)) else []
        self.facts.says = tuple(kind for kind in says if kind in self.revision.kinds.wraps)

    def announcements(self) -> list[Event]:
        """The announcements that are of this server: one key may announce several."""
        return [one for one in announce.merge(self.wire.announced) if self._is_ours(one)]

    def _is_ours(self, event: Event) -> bool:
        if event.pubkey != self.pubkey:
            return False
        is_server = event.kind == self.revision.kinds.announcements[MessageClass.SERVER]
        named = event.first("d" if is_server else "s")
        return not self.revision.server_ids or self.server_id is None or named in (None, self.server_id)

    def offers(self, capability: str) -> None:
        """NotOffered unless the server has declared a capability."""
        if capability not in self.facts.capabilities:
            raise NotOffered(f"the server does not declare {capability}")

    async def everything(self, client: ServerClient, capability: str) -> list[dict[str, Any]]:
        """All pages of a list."""
        items: list[dict[str, Any]] = []
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            params = {} if cursor is None else {"cursor": cursor}
            result = await client.result(LISTS[capability], params)
            page = result.get(capability)
            if type(page) is not list or not all(type(one) is dict for one in page):
                raise Failed(f"{LISTS[capability]} has no array of objects under {capability}", actual=result)
            items += page
            cursor = result.get("nextCursor")
            if cursor is None:
                return items
            if type(cursor) is not str:
                raise Failed("nextCursor is not a string", actual=result)
        raise Failed(f"{LISTS[capability]} has not ended after {_MAX_PAGES} pages")

    async def any_call(self, client: ServerClient) -> Call:
        """A tool that may be called: the one of a hint, else one that is neither marked as destructive nor for sale."""
        if "call" in self.hints:
            return self.hints["call"]
        self.offers("tools")
        tools = await self.everything(client, "tools")
        harmless = [one for one in tools if _annotation(one, "readOnlyHint")]
        others = [one for one in tools if not _annotation(one, "destructiveHint")]
        prices = [price for one in self.announcements() for price in announce.prices_in(one, self.revision)]
        priced = {one.capability for one in prices} | {one.tool for name, one in self.hints.items() if name == "paid"}
        for tool in harmless + others:
            schema = tool.get("inputSchema")
            if type(tool.get("name")) is str and type(schema) is dict and tool["name"] not in priced:
                return Call(tool["name"], made_up(schema))
        raise NotOffered("the server has no tool that may be called without a hint (--hint call=TOOL:JSON)")


def _annotation(tool: dict[str, Any], name: str) -> bool:
    annotations = tool.get("annotations")
    return type(annotations) is dict and annotations.get(name) is True


_MADE_UP = {"string": "a", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {}, "null": None}


def made_up(schema: dict[str, Any]) -> dict[str, Any]:
    """Arguments that a simple JSON Schema takes: something for each property that is required."""
    properties, required = schema.get("properties"), schema.get("required")
    if type(properties) is not dict or type(required) is not list:
        return {}
    found: dict[str, Any] = {}
    for name in required:
        its = properties.get(name) if type(name) is str else None
        its = its if type(its) is dict else {}
        choices = its.get("enum")
        kind = its.get("type")
        default = _MADE_UP.get(kind, "a") if type(kind) is str else "a"
        found[str(name)] = choices[0] if type(choices) is list and choices else default
    return found


class ServerClient(Peer):
    """A client that the runner plays."""

    def __init__(self, bench: ServerBench) -> None:
        super().__init__(bench.wire, Role.CLIENT, bench.pubkey, bench.server_id)
        self.bench = bench
        self._number = 0

    def next_id(self) -> int:
        self._number += 1
        return self._number

    # Building

    def request(self, method: str, params: dict[str, Any] | None = None, id: Id | None = None) -> Asked:
        """A request that has not been sent."""
        request = Request(self.next_id() if id is None else id, method, params)
        first = self._number <= 1
        encryption = first and self.form is not None and self.wire.revision.kinds.wraps != ()
        return Asked(self.event(request, self.route(encryption=encryption)), request, self.form)

    def cancel(self, asked: Asked) -> Event:
        notification = Notification("notifications/cancelled", {"requestId": asked.request.id})
        return self.event(notification, self.route(asked.reference))

    # Saying

    async def send(self, asked: Asked) -> Asked:
        await self.say(asked.event, form=asked.form)
        return asked

    async def ask(self, method: str, params: dict[str, Any] | None = None, id: Id | None = None) -> Asked:
        return await self.send(self.request(method, params, id))

    async def notify(self, method: str, params: dict[str, Any] | None = None) -> Event:
        event = self.event(Notification(method, params))
        await self.say(event, form=self.form)
        return event

    async def tell(self, event: Event) -> None:
        """Say an event that is right, in this client's form."""
        await self.say(event, form=self.form)

    # Hearing

    async def answer(self, asked: Asked, seconds: float | None = None) -> Heard:
        """The answer to a request; Failed if there is none, or one that answers in another form or under another id."""
        limit = self.bench.timing.answer if seconds is None else seconds
        await self.wire.until(lambda: bool(self._answers(asked.event)), limit)
        found = self._answers(asked.event)
        if not found:
            raise Unanswered(f"{asked.request.method} was not answered within {limit:g} s", actual=self._heard(asked))
        answer = found[0]
        message = answer.decoded.message if answer.decoded else None
        assert isinstance(message, (Result, Error))
        if self.wire.revision.ids_travel and not same_id(message.id, asked.request.id):
            raise Failed("the id in the answer is not the request's", asked.request.id, message.id)
        if (asked.form is None) != (answer.form is None):
            raise Failed(f"a request {_words(asked.form)} was answered {_words(answer.form)}")
        recipient = answer.event.first("p")
        if recipient not in (None, self.pubkey.hex()):
            raise Failed("the p tag of the answer names another client", self.pubkey.hex(), recipient)
        return answer

    def _answers(self, event: Event) -> list[Heard]:
        return [one for one in self.wire.about(event.id) if self._is_answer(one)]

    def _is_answer(self, one: Heard) -> bool:
        is_answer = one.decoded is not None and isinstance(one.decoded.message, (Result, Error))
        return is_answer and one.event.pubkey == self.other

    def _heard(self, asked: Asked) -> list[Any]:
        return [one.event.to_value() for one in self.wire.about(asked.event.id)]

    async def message(self, method: str, params: dict[str, Any] | None = None, id: Id | None = None) -> Result | Error:
        """Ask, and return what the answer says."""
        answer = await self.answer(await self.ask(method, params, id))
        assert answer.decoded is not None and isinstance(answer.decoded.message, (Result, Error))
        return answer.decoded.message

    async def result(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask, and return the result; Failed on an error."""
        message = await self.message(method, params)
        if isinstance(message, Error):
            raise Failed(f"{method} was answered with error {message.code}: {shown(message.message)}")
        return message.result

    async def roundtrip(self) -> None:
        """A request that is answered after whatever was said before it."""
        await self.answer(await self.ask("ping"))

    async def stays_silent(self, event: Event, why: str) -> None:
        """Failed if the server says anything about an event."""
        await self.bench.after_all()
        said = self.wire.about(event.id)
        if said:
            raise Failed(why, expected="silence", actual=[one.event.to_value() for one in said])

    async def answered_once(self, asked: Asked, why: str) -> None:
        """Failed unless there is exactly one answer to a request."""
        await self.answer(asked)
        await self.bench.after_all()
        found = self._answers(asked.event)
        if len(found) != 1:
            raise Failed(why, expected="one answer", actual=[one.event.to_value() for one in found])

    # The handshake

    def initialize_params(self) -> dict[str, Any]:
        version = self.wire.revision.mcp_version
        return {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT_INFO}

    async def initialize(self) -> Heard:
        return await self.answer(await self.ask("initialize", self.initialize_params()))

    async def handshake(self) -> Heard:
        """Initialize, and say so where the revision has a word for it."""
        answer = await self.initialize()
        if self.wire.revision.initialized_is_sent:
            await self.notify("notifications/initialized")
        return answer


def _words(form: int | None) -> str:
    return "in plain" if form is None else f"in a wrap of kind {form}"


def value_of(heard: Heard) -> Any:
    """A message as JSON, for a report."""
    return None if heard.decoded is None else to_value(heard.decoded.message)


def is_progress(heard: Heard) -> bool:
    """Whether a message is progress, by its class."""
    return heard.decoded is not None and heard.decoded.message_class is MessageClass.PROGRESS
