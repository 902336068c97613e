"""A small client, written against the text and without `session/`: the right one that the wrong ones are made from.

It does what spec/live.md asks of a client in each scenario. Every guard is a method of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from typing import Any

from nostrmcp.mcp.jsonrpc import Error, ErrorCode, Message, Notification, Request, Result
from nostrmcp.nostr import Event, Filter, SecretKey, Violation, nip59
from nostrmcp.nostr.keys import public_key
from nostrmcp.revisions import Revision
from nostrmcp.revisions.model import WrapTime
from nostrmcp.runtime.relay import Arrived, PublishError, Relay, RelaySettings
from nostrmcp.translate import codec
from nostrmcp.translate.codec import Decoded
from nostrmcp.translate.route import RequestReference, Role, Route

LISTEN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "simple", "version": "1"},
}


class Pending:
    def __init__(self, event: Event, request: Request) -> None:
        self.event = event
        self.request = request
        self.reference = RequestReference(event.id, request.method, request.id)
        self.answer: asyncio.Future[Result | Error] = asyncio.get_running_loop().create_future()
        self.progress = asyncio.Event()


class SimpleClient:
    """The client; `run` ends with an exit code."""

    wraps = False

    def __init__(self, key: SecretKey, revision: Revision, server: bytes, url: str, scenario: str) -> None:
        self.key = key
        self.own = key.public_key.x
        self.revision = revision
        self.server = server
        self.scenario = scenario
        self.server_id: str | None = None
        self.form = revision.kinds.wraps[-1] if self.wraps and revision.kinds.wraps else None
        self.pending: dict[bytes, Pending] = {}
        self.seen: set[bytes] = set()
        self.sent: set[bytes] = set()
        self.number = 0
        self.acknowledged = asyncio.Event()
        self.changed = asyncio.Event()
        self.held = False
        self.tasks: set[asyncio.Task[None]] = set()
        self.relay = Relay(url, settings=RelaySettings(backoff=0.05))

    async def run(self) -> int:
        self.relay.subscribe("client", *self.filters())
        async with self.relay:
            listening = asyncio.create_task(self.listen_to_relay())
            work = asyncio.create_task(self.work())
            try:
                await asyncio.wait([listening, work], return_when=asyncio.FIRST_COMPLETED)
                return listening.result() if listening.done() else work.result()
            finally:
                for task in (listening, work):
                    task.cancel()
                await asyncio.gather(listening, work, *self.tasks, return_exceptions=True)

    def filters(self) -> tuple[Filter, ...]:
        kinds = self.revision.kinds
        own = {"p": frozenset({self.own.hex()})}
        wanted = frozenset({kinds.request, kinds.response, kinds.notification, *kinds.wraps})
        return (Filter(kinds=wanted, tags=own, since=int(time.time()) - 3 * 24 * 3600),)

    # The scenarios

    async def work(self) -> int:
        await self.handshake()
        doing = getattr(self, f"do_{self.scenario}", None)
        if doing is None:
            return 77
        reported = await doing()
        if reported is not None:
            await self.ask("tools/call", {"name": "report", "arguments": reported})
        return 0

    async def handshake(self) -> None:
        info = {"name": "simple", "version": "1"}
        params = {"protocolVersion": self.revision.mcp_version, "capabilities": {}, "clientInfo": info}
        await self.ask("initialize", params)
        if self.revision.initialized_is_sent:
            await self.say(Notification("notifications/initialized"))

    async def do_handshake(self) -> None:
        return None

    async def do_call(self) -> dict[str, Any]:
        return self.told(await self.ask("tools/call", {"name": "question", "arguments": {}}))

    async def do_two(self) -> dict[str, Any]:
        params = {"name": "question", "arguments": {}}
        pending = [await self.send("tools/call", params), await self.send("tools/call", params)]
        return {"texts": [self.told(await one.answer).get("text") for one in pending]}

    async def do_list(self) -> dict[str, Any]:
        names: list[str] = []
        params: dict[str, Any] = {}
        while True:
            answer = await self.ask("tools/list", params)
            assert isinstance(answer, Result)
            names += [one["name"] for one in answer.result["tools"]]
            if "nextCursor" not in answer.result:
                return {"names": names}
            params = {"cursor": answer.result["nextCursor"]}

    async def do_cancel(self) -> dict[str, Any]:
        params = {"name": "slow", "arguments": {}, "_meta": {"progressToken": "mine"}}
        pending = await self.send("tools/call", params)
        await pending.progress.wait()
        await self.cancel(pending)
        return {"cancelled": True}

    async def cancel(self, pending: Pending) -> None:
        cancelled = Notification("notifications/cancelled", {"requestId": pending.request.id})
        await self.say(cancelled, pending.reference)

    async def do_listen(self) -> dict[str, Any]:
        await self.send("subscriptions/listen", {"_meta": LISTEN_META, "notifications": {"toolsListChanged": True}})
        await self.changed.wait()
        return {"changed": True}

    def told(self, answer: Result | Error) -> dict[str, Any]:
        if isinstance(answer, Error):
            return {"error": answer.code}
        return {"text": answer.result["content"][0]["text"]}

    # What goes out

    async def ask(self, method: str, params: dict[str, Any]) -> Result | Error:
        return await (await self.send(method, params)).answer

    async def send(self, method: str, params: dict[str, Any]) -> Pending:
        self.number += 1
        request = Request(self.number, method, params)
        event = self.event(request)
        pending = self.pending[event.id] = Pending(event, request)
        await self.publish(event)
        return pending

    async def say(self, message: Message, reference: RequestReference | None = None) -> None:
        await self.publish(self.event(message, reference))

    def event(self, message: Message, reference: RequestReference | None = None) -> Event:
        route = Route(self.own, self.server, Role.CLIENT, self.server_id, reference)
        at = int(time.time())
        unsigned = codec.encode(message, route, self.revision, at)
        while unsigned.id in self.sent and isinstance(message, Request):
            message = self.salted(message)
            unsigned = codec.encode(message, route, self.revision, at)
        self.sent.add(unsigned.id)
        return unsigned.sign(self.key, secrets.token_bytes(32))

    def salted(self, request: Request) -> Request:
        return Request(request.id, request.method, {**(request.params or {}), "_meta": {"salt": secrets.token_hex(4)}})

    async def publish(self, event: Event) -> None:
        form = self.form_of(event)
        if form is not None:
            past = self.revision.wrap_time is WrapTime.PAST
            event = nip59.wrap(
                event, public_key(self.server), kind=form, created_at=int(time.time()) - past * secrets.randbelow(999),
                ephemeral_key=SecretKey(secrets.token_bytes(32)), nonce=secrets.token_bytes(32),
                aux_rand=secrets.token_bytes(32),
            )  # fmt: skip
        with contextlib.suppress(PublishError):
            await self.relay.publish(event)

    def form_of(self, event: Event) -> int | None:
        return self.form

    # What comes in

    async def listen_to_relay(self) -> int:
        while True:
            one = await self.relay.receive()
            if isinstance(one, Arrived):
                self.take(one.event)

    def take(self, event: Event) -> None:
        inner = self.opened(event)
        if inner is None or not self.is_from_server(inner) or not self.is_new(inner):
            return
        try:
            decoded = codec.decode(inner, self.revision, Role.SERVER)
        except Violation:
            return
        self.handle(decoded, inner)

    def opened(self, event: Event) -> Event | None:
        try:
            if event.kind in self.revision.kinds.wraps:
                return nip59.unwrap(event, self.key)
            event.verify()
        except Violation:
            return None
        return event

    def is_from_server(self, inner: Event) -> bool:
        return inner.pubkey == self.server

    def is_new(self, inner: Event) -> bool:
        if inner.id in self.seen:
            return False
        self.seen.add(inner.id)
        return True

    def handle(self, decoded: Decoded, inner: Event) -> None:
        message = decoded.message
        if isinstance(message, (Result, Error)):
            self.answered(message, decoded, inner)
        elif isinstance(message, Request):
            self.later(self.asked(message, inner))
        elif isinstance(message, Notification):
            self.notified(message, decoded)

    def answered(self, message: Result | Error, decoded: Decoded, inner: Event) -> None:
        pending = self.pending.get(decoded.request_event_id or b"")
        if pending is not None and not pending.answer.done():
            self.server_id = inner.first("d") or self.server_id
            pending.answer.set_result(message)

    async def asked(self, request: Request, inner: Event) -> None:
        reference = RequestReference(inner.id, request.method, request.id)
        unknown = Error(request.id, int(ErrorCode.METHOD_NOT_FOUND), "there is no such method")
        await self.say(Result(request.id, {}) if request.method == "ping" else unknown, reference)

    def notified(self, message: Notification, decoded: Decoded) -> None:
        pending = self.pending.get(decoded.request_event_id or b"")
        if message.method == "notifications/progress" and pending is not None:
            pending.progress.set()
        elif message.method == "notifications/payment_required":
            self.demanded(pending)
        elif pending is not None and pending.request.method == "subscriptions/listen":
            self.fed(message)

    def demanded(self, pending: Pending | None) -> None:
        """It never pays."""
        if pending is not None and not pending.answer.done():
            pending.answer.set_result(Error(pending.request.id, -32000, "it costs something"))

    def fed(self, message: Notification) -> None:
        if message.method == "notifications/tools/list_changed":
            self.held = True
        else:
            self.acknowledged.set()
        if self.held and self.acknowledged.is_set():
            self.changed.set()

    def later(self, coroutine: Any) -> None:
        task = asyncio.create_task(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


class WrappingClient(SimpleClient):
    """The same, in wraps where the revision has them."""

    wraps = True
