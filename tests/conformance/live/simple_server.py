"""A small server, written against the text and without `session/`: the right one that the wrong ones are made from.

Every guard is a method of its own, so that a member of the zoo is one method that is wrong.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from typing import Any

from nostrmcp.mcp import jsonrpc
from nostrmcp.mcp.jsonrpc import Error, ErrorCode, Message, Notification, Request, Result
from nostrmcp.nostr import Event, Filter, SecretKey, Violation, nip59
from nostrmcp.nostr.keys import public_key
from nostrmcp.revisions import Revision
from nostrmcp.revisions.model import MessageClass, WrapTime
from nostrmcp.runtime.relay import Relay, RelaySettings
from nostrmcp.runtime.reports import Arrived, PublishError
from nostrmcp.translate import announce, codec
from nostrmcp.translate.codec import Decoded
from nostrmcp.translate.route import Price, RequestReference, Role, Route

INFO = {"name": "simple", "version": "1"}
CAPABILITIES = {"tools": {"listChanged": True}, "resources": {}, "prompts": {}}
TOOLS = [
    {"name": "echo", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}},
                                     "required": ["text"]}},
    {"name": "slow", "inputSchema": {"type": "object"}},
    {"name": "fail", "inputSchema": {"type": "object"}},
    {"name": "paid", "inputSchema": {"type": "object"}},
]  # fmt: skip
RESOURCES = [{"name": "readme", "uri": "test://readme"}]
PROMPTS = [{"name": "greet", "arguments": [{"name": "who", "required": True}]}]
INVOICE = "lnbc210n1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypq"
SLOW = 0.25
LISTEN = "subscriptions/listen"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"
REQUIRED_META = ("io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities")


class SimpleServer:
    """The server; `run` never ends by itself."""

    page = 2
    announces = True
    forms: tuple[int | None, ...] = (None, 1059, 21059)

    def __init__(self, key: SecretKey, revision: Revision, server_id: str, url: str) -> None:
        self.key = key
        self.own = key.public_key.x
        self.revision = revision
        self.server_id = server_id
        self.started = int(time.time())
        self.seen: set[bytes] = set()
        self.cancelled: set[tuple[bytes, str]] = set()
        self.work: dict[bytes, asyncio.Task[None]] = {}
        self.owners: dict[bytes, bytes] = {}
        self.clients: dict[bytes, Decoded] = {}
        self.ephemeral: set[bytes] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        settings = RelaySettings(backoff=0.05)
        self.relay = Relay(url, settings=settings)

    async def run(self) -> None:
        self.relay.subscribe("server", *self.filters())
        async with self.relay:
            for event in self.announcements():
                self.publish(event)
            while True:
                one = await self.relay.receive()
                if isinstance(one, Arrived):
                    self.take(one.event)

    # What is asked of relays

    def filters(self) -> tuple[Filter, ...]:
        kinds = self.revision.kinds
        own = {"p": frozenset({self.own.hex()})}
        wanted = frozenset({kinds.request, kinds.response, kinds.notification, *self.wraps()})
        return (Filter(kinds=wanted, tags=own, since=int(time.time()) - 3 * 24 * 3600),)

    def wraps(self) -> set[int]:
        return {kind for kind in self.revision.kinds.wraps if kind in self.forms}

    # What comes in

    def take(self, event: Event) -> None:
        opened = self.opened(event)
        if opened is None:
            return
        inner, form = opened
        if form not in self.forms or not self.is_kind(inner) or not self.is_for_us(inner, form):
            return
        if not self.is_fresh(inner) or not self.is_new(inner):
            return
        try:
            decoded = codec.decode(inner, self.revision, Role.CLIENT)
        except Violation as violation:
            self.unreadable(inner, form, violation)
            return
        if self.revision.server_ids and not self.is_our_id(decoded):
            return
        self.handle(decoded, inner, form)

    def opened(self, event: Event) -> tuple[Event, int | None] | None:
        """The event inside, verified, and the kind of wrap it was in."""
        try:
            if event.kind in self.revision.kinds.wraps:
                return nip59.unwrap(event, self.key), event.kind
            event.verify()
        except Violation:
            return None
        return event, None

    def is_kind(self, inner: Event) -> bool:
        kinds = self.revision.kinds
        return inner.kind in (kinds.request, kinds.response, kinds.notification)

    def is_for_us(self, inner: Event, form: int | None) -> bool:
        recipients = set(inner.values("p"))
        return recipients == {self.own.hex()}

    def is_fresh(self, inner: Event) -> bool:
        return abs(inner.created_at - time.time()) <= 60 and inner.created_at >= self.started

    def is_new(self, inner: Event) -> bool:
        if inner.id in self.seen:
            return False
        self.seen.add(inner.id)
        return True

    def is_our_id(self, decoded: Decoded) -> bool:
        return decoded.server_id in (None, self.server_id)

    def unreadable(self, inner: Event, form: int | None, violation: Violation) -> None:
        if inner.kind != self.revision.kinds.request or inner.first("e") is not None:
            return
        with contextlib.suppress(Violation):
            if codec.read_body(inner).keys() & {"result", "error"}:
                return
        error = Error(None, int(jsonrpc.answer_code(violation)), "it cannot be read")
        self.say(error, inner.pubkey, form, RequestReference(inner.id, "", 0))

    def handle(self, decoded: Decoded, inner: Event, form: int | None) -> None:
        message = decoded.message
        if any(tag[0] == "support_encryption_ephemeral" for tag in inner.tags):
            self.ephemeral.add(inner.pubkey)
        if isinstance(message, Request):
            if self.was_cancelled(message, inner):
                return
            task = asyncio.create_task(self.serve(message, inner, form))
            self.work[inner.id] = task
            self.owners[inner.id] = inner.pubkey
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)
        elif decoded.message_class is MessageClass.CANCEL and isinstance(message, Notification):
            self.cancel(message, decoded, inner)

    # Cancels

    def was_cancelled(self, request: Request, inner: Event) -> bool:
        return (inner.pubkey, inner.id.hex()) in self.cancelled

    def cancel(self, message: Notification, decoded: Decoded, inner: Event) -> None:
        """By the event that e names; a cancel of what has not come is remembered."""
        if decoded.request_event_id is None:
            return
        self.cancelled.add((inner.pubkey, decoded.request_event_id.hex()))
        if (owner := self.owners.get(decoded.request_event_id)) is not None and owner == inner.pubkey:
            self.work[decoded.request_event_id].cancel()

    # Serving

    async def serve(self, request: Request, inner: Event, form: int | None) -> None:
        reference = RequestReference(inner.id, request.method, request.id)
        message = await self.answer(request, inner, form, reference)
        if message is not None:
            self.say(message, inner.pubkey, form, reference)

    async def answer(
        self, request: Request, inner: Event, form: int | None, reference: RequestReference
    ) -> Message | None:
        params = request.params or {}
        match request.method:
            case "initialize":
                return Result(request.id, self.initialized(params))
            case "ping":
                return Result(request.id, {})
            case "tools/list":
                return Result(request.id, self.listed("tools", TOOLS, params))
            case "resources/list":
                return Result(request.id, self.listed("resources", RESOURCES, params))
            case "prompts/list":
                return Result(request.id, self.listed("prompts", PROMPTS, params))
            case "resources/read" if params.get("uri") != "test://readme":
                return Error(request.id, int(ErrorCode.RESOURCE_NOT_FOUND), "there is no such resource")
            case "resources/read":
                return Result(request.id, {"contents": [{"uri": "test://readme", "text": "read me"}]})
            case "prompts/get":
                return Result(request.id, {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}]})
            case "tools/call":
                return await self.call(request, params, inner, form, reference)
            case "subscriptions/listen":
                return self.listen(request, params, inner, form, reference)
        return Error(request.id, int(ErrorCode.METHOD_NOT_FOUND), "there is no such method")

    def initialized(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"protocolVersion": self.revision.mcp_version, "capabilities": CAPABILITIES, "serverInfo": INFO}

    def listed(self, name: str, items: list[Any], params: dict[str, Any]) -> dict[str, Any]:
        start = int(params.get("cursor", "0"))
        more = {"nextCursor": str(start + self.page)} if start + self.page < len(items) else {}
        return {name: items[start : start + self.page], **more}

    async def call(
        self, request: Request, params: dict[str, Any], inner: Event, form: int | None, reference: RequestReference
    ) -> Message | None:
        match params.get("name"):
            case "echo":
                return Result(request.id, _text(str((params.get("arguments") or {}).get("text"))))
            case "slow":
                await self.progress(request, inner, form, reference)
                await asyncio.sleep(SLOW)
                return Result(request.id, _text("at last"))
            case "fail":
                return Result(request.id, _text("it failed") | {"isError": True})
            case "paid":
                demand = {"amount": 21, "currency": "sats", "invoice": INVOICE}
                self.say(Notification("notifications/payment_required", demand), inner.pubkey, form, reference)
                return None
        return Error(request.id, int(ErrorCode.INVALID_PARAMS), "there is no such tool")

    async def progress(self, request: Request, inner: Event, form: int | None, reference: RequestReference) -> None:
        token = ((request.params or {}).get("_meta") or {}).get("progressToken")
        if token is not None:
            params = {"progressToken": token, "progress": 1, "message": "begun"}
            self.say(Notification("notifications/progress", params), inner.pubkey, form, reference)

    def listen(
        self, request: Request, params: dict[str, Any], inner: Event, form: int | None, reference: RequestReference
    ) -> Message | None:
        meta = params.get("_meta") or {}
        if not all(name in meta for name in REQUIRED_META):
            return Error(request.id, int(ErrorCode.INVALID_PARAMS), "there is no _meta")
        named = request.id if self.revision.ids_travel else inner.id.hex()
        wanted = params.get("notifications") or {}
        honoured = {name: True for name in wanted if name == "toolsListChanged"}
        answer = {"_meta": {SUBSCRIPTION_ID: named}, "notifications": honoured}
        self.say(Notification(ACKNOWLEDGED, answer), inner.pubkey, form, reference)
        return None

    # What goes out

    def say(self, message: Message, client: bytes, form: int | None, reference: RequestReference) -> None:
        self.publish(self.event(message, client, form, reference))

    def event(self, message: Message, client: bytes, form: int | None, reference: RequestReference) -> Event:
        tells = reference.method == "initialize"
        route = Route(
            self.own, client, Role.SERVER, self.server_id, reference, (),
            encryption=tells and 1059 in self.forms, ephemeral_wraps=tells and 21059 in self.forms,
        )  # fmt: skip
        event = codec.encode(message, route, self.revision, int(time.time())).sign(self.key, secrets.token_bytes(32))
        if form is None:
            return event
        both = 21059 in self.revision.kinds.wraps and client in self.ephemeral and 21059 in self.forms
        return self.wrapped(event, client, 21059 if both else form)

    def wrapped(self, event: Event, client: bytes, kind: int) -> Event:
        past = self.revision.wrap_time is WrapTime.PAST
        return nip59.wrap(
            event, public_key(client), kind=kind, created_at=int(time.time()) - past * secrets.randbelow(1000),
            ephemeral_key=self.wrap_key(), nonce=secrets.token_bytes(32), aux_rand=secrets.token_bytes(32),
        )  # fmt: skip

    def wrap_key(self) -> SecretKey:
        return SecretKey(secrets.token_bytes(32))

    def publish(self, event: Event) -> None:
        async def send() -> None:
            with contextlib.suppress(PublishError):
                await self.relay.publish(event)

        task = asyncio.create_task(send())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def announcements(self) -> list[Event]:
        if not self.announces:
            return []
        lists: dict[MessageClass, Any] = {
            MessageClass.SERVER: self.initialized({}),
            MessageClass.TOOLS: {"tools": self.announced_tools()},
        }
        prices = (Price("tool", "paid", "21", "sats"),) if self.revision.prices.name != "NONE" else ()
        found = []
        for message_class, content in lists.items():
            announcement = announce.Announcement(
                message_class, self.own, self.server_id, content, encryption=bool(self.wraps()),
                ephemeral_wraps=21059 in self.wraps(),
                prices=prices if message_class is MessageClass.TOOLS else (),
            )  # fmt: skip
            built = announce.build(announcement, self.revision, int(time.time()))
            found.append(built.sign(self.key, secrets.token_bytes(32)))
        return found

    def announced_tools(self) -> list[Any]:
        return TOOLS


def _text(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}
