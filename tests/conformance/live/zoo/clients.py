"""Wrong clients. Each is the right one but for one thing, and names the checks that must find it out."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from nostrmcp.mcp.jsonrpc import Error, Message, Notification, Request, Result
from nostrmcp.nostr import Event, Filter, SecretKey, UnsignedEvent, Violation, nip44, nip59, strict_json
from nostrmcp.nostr import event as events
from nostrmcp.nostr.keys import public_key
from nostrmcp.runtime.relay import Relay, RelaySettings
from nostrmcp.translate.codec import Decoded
from nostrmcp.translate.route import RequestReference

from ..simple_client import Pending, SimpleClient, WrappingClient

CONTEXTVM = "contextvm"


@dataclass(frozen=True)
class Member:
    """A wrong client, the revision it is shown in, and the checks it fails."""

    name: str
    client: type[SimpleClient]
    fails: tuple[str, ...]
    revision: str


MEMBERS: list[Member] = []


def wrong(*fails: str, revision: str = CONTEXTVM) -> Callable[[type[SimpleClient]], Any]:
    """A member of the zoo; the names of the checks are without their `live-client-`."""

    def add(client: type[SimpleClient]) -> type[SimpleClient]:
        MEMBERS.append(Member(client.__name__, client, tuple(f"live-client-{one}" for one in fails), revision))
        return client

    return add


@wrong("handshake", revision="dvmcp-rev1.1")
class NeverSaysInitialized(SimpleClient):
    async def say(self, message: Message, reference: RequestReference | None = None) -> None:
        if not isinstance(message, Notification):
            await super().say(message, reference)


@wrong("handshake", revision="dvmcp-rev1")
class SaysNothingOfItself(SimpleClient):
    async def ask(self, method: str, params: dict[str, Any]) -> Result | Error:
        return await super().ask(method, {} if method == "initialize" else params)


@wrong("server-id", revision="ctxvm-draft")
class NamesAnotherServer(SimpleClient):
    def event(self, message: Message, reference: RequestReference | None = None) -> Event:
        self.server_id = "another"
        return super().event(message, reference)


@wrong("call")
class ReadsNothing(SimpleClient):
    def told(self, answer: Result | Error) -> dict[str, Any]:
        return {"text": "something"}


@wrong("call")
class NeverEnds(SimpleClient):
    async def work(self) -> int:
        await super().work()
        await self.changed.wait()
        return 0


@wrong("pages")
class ReadsOnePage(SimpleClient):
    async def do_list(self) -> dict[str, Any]:
        answer = await self.ask("tools/list", {})
        assert isinstance(answer, Result)
        return {"names": [one["name"] for one in answer.result["tools"]]}


@wrong("error")
class WaitsForSuccess(SimpleClient):
    def answered(self, message: Result | Error, decoded: Decoded, inner: Event) -> None:
        if isinstance(message, Result):
            super().answered(message, decoded, inner)


@wrong("foreign-answer", "listen-foreign")
class BelievesStrangers(SimpleClient):
    def is_from_server(self, inner: Event) -> bool:
        return True


@wrong("forged-answer", revision="dvmcp-rev1-ephemeral")
class VerifiesNothing(SimpleClient):
    def opened(self, event: Event) -> Event | None:
        return event


@wrong("other-request")
class MatchesById(SimpleClient):
    def answered(self, message: Result | Error, decoded: Decoded, inner: Event) -> None:
        for pending in self.pending.values():
            if pending.request.id == message.id and not pending.answer.done():
                pending.answer.set_result(message)


@wrong("notification-with-e")
class TakesAnythingForAnAnswer(SimpleClient):
    def notified(self, message: Notification, decoded: Decoded) -> None:
        pending = self.pending.get(decoded.request_event_id or b"")
        if pending is not None and not pending.answer.done():
            pending.answer.set_result(Result(pending.request.id, {"content": [{"type": "text", "text": "?"}]}))


@wrong("duplicate")
class TakesEveryCopy(SimpleClient):
    def is_new(self, inner: Event) -> bool:
        return True

    def answered(self, message: Result | Error, decoded: Decoded, inner: Event) -> None:
        pending = self.pending.get(decoded.request_event_id or b"")
        if pending is not None and pending.answer.done() and isinstance(message, Result):
            self.later(self.ask("tools/call", {"name": "report", "arguments": {"text": "again"}}))
        super().answered(message, decoded, inner)


@wrong("ping", "unknown-request")
class IgnoresRequests(SimpleClient):
    async def asked(self, request: Request, inner: Event) -> None:
        pass


@wrong("unknown-request")
class AnswersAnything(SimpleClient):
    async def asked(self, request: Request, inner: Event) -> None:
        await self.say(Result(request.id, {}), RequestReference(inner.id, request.method, request.id))


@wrong("two", revision="dvmcp-rev1.1")
class NeverSalts(SimpleClient):
    def salted(self, request: Request) -> Request:
        self.sent.clear()
        return request


@wrong("two")
class TakesAnswersInOrder(SimpleClient):
    def answered(self, message: Result | Error, decoded: Decoded, inner: Event) -> None:
        first = next((one for one in self.pending.values() if not one.answer.done()), None)
        if first is not None:
            first.answer.set_result(message)


@wrong("uncorrelated-payment")
class ObeysAnyDemand(SimpleClient):
    def demanded(self, pending: Pending | None) -> None:
        for one in self.pending.values():
            super().demanded(one)


@wrong("payment")
class WaitsToBePaidFor(SimpleClient):
    def demanded(self, pending: Pending | None) -> None:
        if pending is not None:
            self.pending.pop(pending.event.id)


@wrong("cancel")
class CancelsAnother(SimpleClient):
    async def cancel(self, pending: Pending) -> None:
        await self.say(Notification("notifications/cancelled", {"requestId": "another"}), pending.reference)


@wrong("cancel", revision="dvmcp-rev1.1")
class DoesNotCancel(SimpleClient):
    async def cancel(self, pending: Pending) -> None:
        pass


@wrong("reconnect", revision="dvmcp-rev1")
class NeverComesBack(SimpleClient):
    def __init__(self, key: SecretKey, revision: Any, server: bytes, url: str, scenario: str) -> None:
        super().__init__(key, revision, server, url, scenario)
        self.relay = Relay(url, settings=RelaySettings(backoff=3600, longest_backoff=3600))


class HearsFrom(SimpleClient):
    def filters(self) -> tuple[Filter, ...]:
        return tuple(replace(one, since=int(time.time())) for one in super().filters())


wrong("skewed")(HearsFrom)


@wrong("subscribes", revision="dvmcp-rev1-ephemeral")
class HearsAnswersOnly(SimpleClient):
    def filters(self) -> tuple[Filter, ...]:
        kinds = frozenset({self.revision.kinds.response})
        return tuple(replace(one, kinds=kinds) for one in super().filters())


@wrong("stays-wrapped", revision="ctxvm-draft")
class ForgetsToWrap(WrappingClient):
    def form_of(self, event: Event) -> int | None:
        return self.form if self.number <= 2 else None


@wrong("wrapped-forgery")
class BelievesInnerEvents(WrappingClient):
    def opened(self, event: Event) -> Event | None:
        if event.kind not in nip59.WRAP_KINDS:
            return super().opened(event)
        key = nip44.get_conversation_key(self.key, public_key(event.pubkey))
        with contextlib.suppress(Violation):
            return events.from_value(strict_json.parse(nip44.decrypt_bytes(event.content, key)))
        return None


@wrong("listen")
class NeedsNoAcknowledgement(SimpleClient):
    def fed(self, message: Notification) -> None:
        if message.method == "notifications/tools/list_changed":
            self.changed.set()


@wrong("wire", revision="dvmcp-rev1-ephemeral")
class NamesNoMethod(SimpleClient):
    def event(self, message: Message, reference: RequestReference | None = None) -> Event:
        event = super().event(message, reference)
        tags = tuple(tag for tag in event.tags if tag[0] != "method")
        unsigned = UnsignedEvent(event.pubkey, event.created_at, event.kind, tags, event.content)
        return unsigned.sign(self.key, secrets.token_bytes(32))
