"""Wrong servers. Each is the right one but for one thing, and names the checks that must find it out."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from nostrmcp.mcp.jsonrpc import Error, Message, Notification, Request, Result
from nostrmcp.nostr import Event, Filter, SecretKey, UnsignedEvent, Violation, nip44, nip59, strict_json
from nostrmcp.nostr import event as events
from nostrmcp.nostr.keys import public_key
from nostrmcp.revisions import REVISIONS
from nostrmcp.revisions.model import MessageClass
from nostrmcp.runtime.relay import Relay, RelaySettings
from nostrmcp.translate.codec import Decoded
from nostrmcp.translate.route import RequestReference

from ..simple_server import INVOICE, SimpleServer

CONTEXTVM = "contextvm"


@dataclass(frozen=True)
class Member:
    """A wrong server, the revision it is shown in, and the checks it fails."""

    name: str
    server: type[SimpleServer]
    fails: tuple[str, ...]
    revision: str
    status: str


MEMBERS: list[Member] = []


def wrong(*fails: str, revision: str = CONTEXTVM, status: str = "fail") -> Callable[[type[SimpleServer]], Any]:
    """A member of the zoo; the names of the checks are without their `live-server-`."""

    def add(server: type[SimpleServer]) -> type[SimpleServer]:
        checks = tuple(f"live-server-{one}" for one in fails)
        MEMBERS.append(Member(server.__name__, server, checks, revision, status))
        return server

    return add


# Discovery, handshake, lists, calls


@wrong("announcement")
class AnnouncesAnother(SimpleServer):
    def announcements(self) -> list[Event]:
        self.initialized = lambda params: (  # type: ignore[method-assign]
            SimpleServer.initialized(self, params) | {"serverInfo": {"name": "other"}}
        )
        found = super().announcements()
        del self.initialized
        return found


@wrong("announced-lists")
class AnnouncesHalf(SimpleServer):
    def announced_tools(self) -> list[Any]:
        return super().announced_tools()[2:]


@wrong("initialize")
class NoServerInfo(SimpleServer):
    def initialized(self, params: dict[str, Any]) -> dict[str, Any]:
        return {name: one for name, one in super().initialized(params).items() if name != "serverInfo"}


@wrong("unknown-version")
class SpeaksEveryVersion(SimpleServer):
    def initialized(self, params: dict[str, Any]) -> dict[str, Any]:
        return super().initialized(params) | {"protocolVersion": params.get("protocolVersion")}


class Ended(Exception):
    """The server has died."""


@wrong("initialized-first", status="crash")
class DiesOfInitialized(SimpleServer):
    def handle(self, decoded: Decoded, inner: Event, form: int | None) -> None:
        if isinstance(decoded.message, Request) and decoded.message.method == "initialize":
            self.clients[inner.pubkey] = decoded
        if decoded.message_class is MessageClass.INITIALIZED and inner.pubkey not in self.clients:
            raise Ended
        super().handle(decoded, inner, form)


@wrong("no-initialize", revision="dvmcp-rev1")
class WantsInitialize(SimpleServer):
    def handle(self, decoded: Decoded, inner: Event, form: int | None) -> None:
        if isinstance(decoded.message, Request) and decoded.message.method == "initialize":
            self.clients[inner.pubkey] = decoded
        if inner.pubkey in self.clients:
            super().handle(decoded, inner, form)


@wrong("ids")
class IdsAreStrings(SimpleServer):
    async def answer(self, request: Request, *rest: Any) -> Message | None:
        answer = await super().answer(request, *rest)
        if isinstance(answer, Result) and request.method == "ping":
            return Result(str(request.id), answer.result)
        return answer


@wrong("lists")
class NoInputSchema(SimpleServer):
    def listed(self, name: str, items: list[Any], params: dict[str, Any]) -> dict[str, Any]:
        return super().listed(name, [{"name": one["name"]} for one in items], params)


@wrong("paging")
class PagesOverlap(SimpleServer):
    def listed(self, name: str, items: list[Any], params: dict[str, Any]) -> dict[str, Any]:
        return super().listed(name, [*items[:2], *items], params)


@wrong("paging", "lists")
class PagesNeverEnd(SimpleServer):
    def listed(self, name: str, items: list[Any], params: dict[str, Any]) -> dict[str, Any]:
        return {name: items, "nextCursor": "again"}


@wrong("call")
class NoContent(SimpleServer):
    async def call(self, request: Request, *rest: Any) -> Message | None:
        return Result(request.id, {"text": "hello"})


@wrong("failed-call", "unknown-tool")
class NothingFails(SimpleServer):
    async def call(self, request: Request, *rest: Any) -> Message | None:
        return Result(request.id, {"content": []})


def answers(*fails: str, method: str, result: dict[str, Any] | None, revision: str = CONTEXTVM) -> None:
    """A server that answers one method wrongly."""

    class Wrongly(SimpleServer):
        async def answer(self, request: Request, *rest: Any) -> Message | None:
            if request.method != method:
                return await super().answer(request, *rest)
            return Error(request.id, -32000, "no") if result is None else Result(request.id, result)

    Wrongly.__name__ = f"Wrongly({method})" if result is None or method == "ping" else f"Wrongly({method}:{result})"
    wrong(*fails, revision=revision)(Wrongly)


answers("resource", method="resources/read", result={"contents": "read me"})
answers("unknown-resource", method="resources/read", result={"contents": []})
answers("invalid-params", method="tools/call", result=None, revision="ctxvm-draft")
answers("invalid-params", method="tools/call", result={"content": []}, revision="dvmcp-rev1.1")
answers("prompt", method="prompts/get", result={"text": "hello"})
answers("ping", method="ping", result={"pong": True})
answers("unknown-method", method="nostrmcp/there-is-no-such-method", result=None)


@wrong("not-json", "batch", revision="dvmcp-rev1.1")
class SilentOnGarbage(SimpleServer):
    def unreadable(self, *_: Any) -> None:
        pass


@wrong("garbage", status="crash")
class DiesOfGarbage(SimpleServer):
    def unreadable(self, *_: Any) -> None:
        raise Ended


@wrong("unparsable-with-e")
class AnswersGarbageWithE(SimpleServer):
    def unreadable(self, inner: Event, form: int | None, violation: Violation) -> None:
        error = Error(None, -32700, "it cannot be read")
        self.say(error, inner.pubkey, form, RequestReference(inner.id, "", 0))


@wrong("error-unanswered")
class AnswersErrors(SimpleServer):
    def handle(self, decoded: Decoded, inner: Event, form: int | None) -> None:
        if isinstance(decoded.message, Error):
            self.say(Error(0, -32600, "no"), inner.pubkey, form, RequestReference(inner.id, "", 0))
        super().handle(decoded, inner, form)


@wrong("notification-unanswered")
class AnswersNotifications(SimpleServer):
    def handle(self, decoded: Decoded, inner: Event, form: int | None) -> None:
        if isinstance(decoded.message, Notification):
            self.say(Error(0, -32601, "no"), inner.pubkey, form, RequestReference(inner.id, "", 0))
        super().handle(decoded, inner, form)


# Work, and several clients


@wrong("progress")
class WrongToken(SimpleServer):
    async def progress(self, request: Request, inner: Event, form: int | None, reference: RequestReference) -> None:
        params = {"progressToken": "mine", "progress": 1, "message": "begun"}
        self.say(Notification("notifications/progress", params), inner.pubkey, form, reference)


@wrong("two-clients")
class KnowsRequestsById(SimpleServer):
    async def serve(self, request: Request, inner: Event, form: int | None) -> None:
        asked: dict[Any, tuple[Request, Event]] = self.__dict__.setdefault("asked", {})
        asked[request.id] = request, inner
        if request.method != "initialize" and request.id == 1:
            await asyncio.sleep(0.1)
        _, its = asked[request.id]
        reference = RequestReference(its.id, request.method, request.id)
        message = await self.answer(request, inner, form, reference)
        if message is not None:
            self.say(message, its.pubkey, form, reference)


@wrong("two-clients-progress")
class RoutesProgressByToken(SimpleServer):
    async def progress(self, request: Request, inner: Event, form: int | None, reference: RequestReference) -> None:
        tokens: dict[Any, bytes] = self.__dict__.setdefault("tokens", {})
        token = ((request.params or {}).get("_meta") or {}).get("progressToken")
        if token is not None:
            params = {"progressToken": token, "progress": 1}
            first = tokens.setdefault(token, inner.pubkey)
            self.say(Notification("notifications/progress", params), first, form, reference)


@wrong("two-clients-progress")
class TellsTheFirstAll(SimpleServer):
    async def progress(self, request: Request, inner: Event, form: int | None, reference: RequestReference) -> None:
        tokens: dict[Any, tuple[Event, RequestReference]] = self.__dict__.setdefault("tokens", {})
        token = ((request.params or {}).get("_meta") or {}).get("progressToken")
        if token is not None:
            first, its = tokens.setdefault(token, (inner, reference))
            params = {"progressToken": token, "progress": 1}
            self.say(Notification("notifications/progress", params), first.pubkey, form, its)


@wrong("cancel")
class NeverCancels(SimpleServer):
    def cancel(self, *_: Any) -> None:
        pass


@wrong("cancel")
class CancelsEverything(SimpleServer):
    def cancel(self, *_: Any) -> None:
        for task in self.work.values():
            task.cancel()


@wrong("cancel-foreign")
class AnyoneCancels(SimpleServer):
    def cancel(self, message: Notification, decoded: Decoded, inner: Event) -> None:
        if decoded.request_event_id in self.work:
            self.work[decoded.request_event_id].cancel()


@wrong("cancel-own-id")
class CancelsById(SimpleServer):
    async def serve(self, request: Request, inner: Event, form: int | None) -> None:
        named: dict[Any, list[bytes]] = self.__dict__.setdefault("named", {})
        named.setdefault(request.id, []).append(inner.id)
        await super().serve(request, inner, form)

    def cancel(self, message: Notification, decoded: Decoded, inner: Event) -> None:
        for event_id in self.__dict__.get("named", {}).get((message.params or {})["requestId"], []):
            self.work[event_id].cancel()


@wrong("cancel-first")
class ForgetsEarlyCancels(SimpleServer):
    def was_cancelled(self, *_: Any) -> bool:
        return False


@wrong("cancel-unknown", status="crash")
class DiesOfLateCancels(SimpleServer):
    def cancel(self, message: Notification, decoded: Decoded, inner: Event) -> None:
        if decoded.request_event_id is None or decoded.request_event_id not in self.work:
            raise Ended


@wrong("reconnect", revision="dvmcp-rev1")
class NeverComesBack(SimpleServer):
    def __init__(self, key: SecretKey, revision: Any, server_id: str, url: str) -> None:
        super().__init__(key, revision, server_id, url)
        self.relay = Relay(url, settings=RelaySettings(backoff=3600, longest_backoff=3600))


@wrong("payment")
class GivesAway(SimpleServer):
    async def call(self, request: Request, *rest: Any) -> Message | None:
        await super().call(request, *rest)
        return Result(request.id, {"content": []})


@wrong("payment-once")
class ChargesForEachCopy(SimpleServer):
    numbers = itertools.count()

    def is_new(self, inner: Event) -> bool:
        return True

    def say(self, message: Message, *rest: Any) -> None:
        if isinstance(message, Notification) and "invoice" in (message.params or {}):
            params = (message.params or {}) | {"invoice": f"{INVOICE}{next(self.numbers)}"}
            message = Notification(message.method, params)
        super().say(message, *rest)


class WithoutSubscriptionId(SimpleServer):
    named: Any = None

    def say(self, message: Message, *rest: Any) -> None:
        if isinstance(message, Notification) and message.method.endswith("acknowledged"):
            meta = {} if self.named is None else {"io.modelcontextprotocol/subscriptionId": self.named}
            message = Notification(message.method, (message.params or {}) | {"_meta": meta})
        super().say(message, *rest)


wrong("listen-draft", "listen-2026")(WithoutSubscriptionId)


@wrong("listen-2026")
class StringSubscriptionId(WithoutSubscriptionId):
    named = "0"


@wrong("listen-again", "duplicate", "replayed")
class EverythingIsNew(SimpleServer):
    """Answers to one request differ in their time, or they would be one event."""

    numbers = itertools.count()

    def is_new(self, inner: Event) -> bool:
        return True

    def event(self, *rest: Any) -> Event:
        event = super().event(*rest)
        later = event.created_at + next(self.numbers)
        unsigned = UnsignedEvent(event.pubkey, later, event.kind, event.tags, event.content)
        return event if event.kind in nip59.WRAP_KINDS else unsigned.sign(self.key, secrets.token_bytes(32))


@wrong("duplicate-work")
class AnswersOnceWhatItDoesThrice(EverythingIsNew):
    """Whoever only counts answers takes it for a right one."""

    def __init__(self, *rest: Any) -> None:
        super().__init__(*rest)
        self.answered: set[bytes] = set()

    def say(self, message: Message, client: bytes, form: int | None, reference: RequestReference) -> None:
        if isinstance(message, Result) and reference.event_id in self.answered:
            return
        if isinstance(message, Result):
            self.answered.add(reference.event_id)
        super().say(message, client, form, reference)


@wrong("listen-without-meta")
class TakesAnyListen(SimpleServer):
    def listen(self, request: Request, params: dict[str, Any], *rest: Any) -> Message | None:
        meta = {"io.modelcontextprotocol/protocolVersion": "", "io.modelcontextprotocol/clientCapabilities": {}}
        return super().listen(request, params | {"_meta": meta}, *rest)


# Encryption


class AnswersIn(SimpleServer):
    """Answers in forms of its own."""

    forms_of: ClassVar[dict[int | None, int | None]] = {}

    def event(self, message: Message, client: bytes, form: int | None, reference: RequestReference) -> Event:
        return super().event(message, client, self.forms_of.get(form, form), reference)


@wrong("plain")
class WrapsForEveryone(AnswersIn):
    forms_of: ClassVar[dict[int | None, int | None]] = {None: 1059}


@wrong("wrapped")
class AnswersInPlain(AnswersIn):
    forms_of: ClassVar[dict[int | None, int | None]] = {1059: None}


@wrong("wrapped-ephemeral")
class StoresEverything(SimpleServer):
    def wrapped(self, event: Event, client: bytes, kind: int) -> Event:
        return super().wrapped(event, client, 1059)


@wrong("encryption-as-said")
class HidesEncryption(SimpleServer):
    announces = False

    def event(self, message: Message, client: bytes, form: int | None, reference: RequestReference) -> Event:
        return super().event(message, client, form, reference._replace(method=""))


@wrong("encryption-as-said")
class ClaimsEncryption(SimpleServer):
    def opened(self, event: Event) -> tuple[Event, int | None] | None:
        return None if event.kind in nip59.WRAP_KINDS else super().opened(event)


@wrong("encrypted-stays")
class ErrorsInPlain(SimpleServer):
    def say(self, message: Message, client: bytes, form: int | None, reference: RequestReference) -> None:
        if form is not None and reference.method == "tools/list":
            super().say(Notification("notifications/tools/list_changed"), client, None, reference)
        super().say(message, client, form, reference)


@wrong("rewrapped", "plain-and-wrapped")
class RemembersWraps(SimpleServer):
    def take(self, event: Event) -> None:
        if event.id not in self.seen:
            self.seen.add(event.id)
            self.is_new = lambda inner: True  # type: ignore[method-assign]
            super().take(event)


@wrong("rewrapped-for-another")
class ReadsForeignMail(SimpleServer):
    def is_for_us(self, inner: Event, form: int | None) -> bool:
        return form is not None or super().is_for_us(inner, form)


def inside(server: SimpleServer, wrap: Event) -> dict[str, Any]:
    key = nip44.get_conversation_key(server.key, public_key(wrap.pubkey))
    value = strict_json.parse(nip44.decrypt_bytes(wrap.content, key))
    assert isinstance(value, dict)
    return value


@wrong("inner-kind")
class AnyKindInside(SimpleServer):
    def opened(self, event: Event) -> tuple[Event, int | None] | None:
        opened = super().opened(event)
        if opened is None or opened[1] is None:
            return opened
        inner = opened[0]
        kind = self.revision.kinds.request
        changed = Event(inner.id, inner.pubkey, inner.created_at, kind, inner.tags, inner.content, inner.sig)
        return changed, opened[1]


@wrong("inner-forged", "inner-changed")
class BelievesInnerEvents(SimpleServer):
    def opened(self, event: Event) -> tuple[Event, int | None] | None:
        if event.kind not in nip59.WRAP_KINDS:
            return super().opened(event)
        with contextlib.suppress(Violation):
            return events.from_value(inside(self, event)), event.kind
        return None


@wrong("inner-unsigned")
class NeedsNoSignature(SimpleServer):
    def opened(self, event: Event) -> tuple[Event, int | None] | None:
        if event.kind in nip59.WRAP_KINDS and "sig" not in (value := inside(self, event)):
            return events.from_value({**value, "sig": "0" * 128}), event.kind
        return super().opened(event)


@wrong("sealed")
class OpensSeals(SimpleServer):
    def opened(self, event: Event) -> tuple[Event, int | None] | None:
        with contextlib.suppress(Violation):
            rumor = nip59.unwrap_sealed(event, self.key)
            return events.from_value({**_listed(rumor.to_value()), "sig": "0" * 128}), event.kind
        return super().opened(event)


def _listed(value: dict[str, Any]) -> dict[str, Any]:
    return value | {"tags": [list(tag) for tag in value["tags"]]}


@wrong("wire")
class OneKeyForAllWraps(SimpleServer):
    one = SecretKey(secrets.token_bytes(32))

    def wrap_key(self) -> SecretKey:
        return self.one


@wrong("wire", revision="dvmcp-rev1")
class DoesNotSayItsId(SimpleServer):
    def event(self, *rest: Any) -> Event:
        event = super().event(*rest)
        tags = tuple(tag for tag in event.tags if tag[0] != "d")
        unsigned = UnsignedEvent(event.pubkey, event.created_at, event.kind, tags, event.content)
        return unsigned.sign(self.key, secrets.token_bytes(32))


# What relays and strangers may not achieve


@wrong("replayed")
class ForgetsTheAnswered(SimpleServer):
    async def serve(self, request: Request, inner: Event, form: int | None) -> None:
        await super().serve(request, inner, form)
        self.seen.discard(inner.id)


@wrong("forged", revision="dvmcp-rev1.1")
class VerifiesNothing(SimpleServer):
    def opened(self, event: Event) -> tuple[Event, int | None] | None:
        return event, None


@wrong("bad-copy-first")
class RemembersBeforeItVerifies(SimpleServer):
    def take(self, event: Event) -> None:
        if event.id not in self.seen:
            self.seen.add(event.id)
            self.is_new = lambda inner: True  # type: ignore[method-assign]
            super().take(event)


class HearsEverything(SimpleServer):
    def filters(self) -> tuple[Filter, ...]:
        kinds = self.revision.kinds
        wanted = frozenset({kinds.request, kinds.response, kinds.notification, *self.wraps()})
        return (Filter(kinds=wanted),)


@wrong("wrong-recipient")
class AnswersForOthers(HearsEverything):
    def is_for_us(self, inner: Event, form: int | None) -> bool:
        return inner.first("p") is not None


@wrong("no-recipient")
class NeedsNoRecipient(HearsEverything):
    def opened(self, event: Event) -> tuple[Event, int | None] | None:
        opened = super().opened(event)
        if opened is None or opened[0].first("p") is not None:
            return opened
        inner = opened[0]
        tags = (*inner.tags, ("p", self.own.hex()))
        return Event(inner.id, inner.pubkey, inner.created_at, inner.kind, tags, inner.content, inner.sig), opened[1]


@wrong("no-recipient")
class NeedsNoRecipientInside(NeedsNoRecipient):
    forms = (1059, 21059)


@wrong("stale")
class TakesTheOld(SimpleServer):
    def is_fresh(self, inner: Event) -> bool:
        return inner.created_at <= time.time() + 60


@wrong("future")
class TakesTheFuture(SimpleServer):
    def is_fresh(self, inner: Event) -> bool:
        return inner.created_at >= self.started


@wrong("skewed")
class TrustsItsClock(SimpleServer):
    def is_fresh(self, inner: Event) -> bool:
        return self.started <= inner.created_at <= time.time() + 1


@wrong("before-start")
class RemembersNothing(SimpleServer):
    def is_fresh(self, inner: Event) -> bool:
        return abs(inner.created_at - time.time()) <= 60


@wrong("wrong-server", revision="ctxvm-draft")
class IsEveryServer(SimpleServer):
    def is_our_id(self, decoded: Decoded) -> bool:
        return True


@wrong("method-mismatch", revision="dvmcp-rev1-ephemeral")
class IgnoresTheMethodTag(SimpleServer):
    def opened(self, event: Event) -> tuple[Event, int | None] | None:
        opened = super().opened(event)
        if opened is None:
            return None
        inner = opened[0]
        tags = tuple(tag for tag in inner.tags if tag[0] != "method")
        return Event(inner.id, inner.pubkey, inner.created_at, inner.kind, tags, inner.content, inner.sig), None


assert all(member.revision in REVISIONS for member in MEMBERS)
