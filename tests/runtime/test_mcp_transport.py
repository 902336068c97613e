"""Clients and servers of the official Python SDK, as they are, over the loopback relay."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from nostrmcp.nostr import strict_json
from nostrmcp.revisions import REVISIONS, Revision
from nostrmcp.runtime.loopback import LoopbackRelay, Record
from nostrmcp.runtime.loopback_faults import parse
from nostrmcp.session.actions import Link
from nostrmcp.session.settings import ClientSettings, ClientTimers, Encryption, McpServer, Remote, ServerSettings

from .helpers import ALICE, BOB, run

if not os.environ.get("CI"):
    pytest.importorskip("mcp", reason="the official SDK is not installed: pip install 'nostrmcp[mcp]'")

import anyio
from mcp import Client, ClientSession, MCPError, ServerSession, types
from mcp.client.subscriptions import ListenNotSupportedError
from mcp.server import NotificationOptions, Server, ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp.shared.message import SessionMessage

from nostrmcp.mcp.jsonrpc import Error, Notification, Request, Result
from nostrmcp.runtime import mcp_transport
from nostrmcp.runtime.gateway import Gateway
from nostrmcp.runtime.mcp_transport import Write, nostr_client, nostr_server

# The parts of MCP that 2026-07-28 no longer has are what most of these tests are about.
pytestmark = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")

HANDSHAKE, MODERN = "2025-11-25", "2026-07-28"
TODAY = "note://today"
CHANGES = NotificationOptions(tools_changed=True)
Asked = ServerRequestContext[Any]
ANY = {"type": "object"}


def text(value: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=value)])


class Bus(InMemorySubscriptionBus):
    """What changes; `at_once` is told to everyone who begins to listen."""

    at_once: ServerEvent | None = None

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        unsubscribe = super().subscribe(listener)
        if self.at_once is not None:
            listener(self.at_once)
        return unsubscribe


class Notes:
    """The server of one link, written as for any other transport."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.bus = Bus()
        self.listening = ListenHandler(self.bus)
        self.followed: list[str] = []
        self.session: ServerSession | None = None
        self.stopped = anyio.Event()
        self.server: Server[Any] = Server(
            "notes",
            version="1.2.3",
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
            on_subscribe_resource=self.subscribe,
            on_unsubscribe_resource=self.unsubscribe,
            on_subscriptions_listen=self.listening,
            on_list_prompts=self.list_prompts,
            on_get_prompt=self.get_prompt,
            on_completion=self.complete,
            on_set_logging_level=self.set_level,
        )

    async def list_tools(self, asked: Asked, _: Any) -> types.ListToolsResult:
        names = ("add", "count", "log", "slow", "touch", "who")
        return types.ListToolsResult(tools=[types.Tool(name=name, input_schema=ANY) for name in names])

    async def call_tool(self, asked: Asked, params: types.CallToolRequestParams) -> types.CallToolResult:
        does: Callable[..., Awaitable[types.CallToolResult]] | None = getattr(self, f"do_{params.name}", None)
        if does is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        return await does(asked, **(params.arguments or {}))

    async def do_add(self, asked: Asked, a: int, b: int) -> types.CallToolResult:
        return text(str(a + b))

    async def do_who(self, asked: Asked) -> types.CallToolResult:
        return text("" if self.link.client is None else self.link.client.hex())

    async def do_count(self, asked: Asked, to: int) -> types.CallToolResult:
        for number in range(1, to + 1):
            await asked.session.report_progress(number, to, f"step {number}")
        return text(str(to))

    async def do_slow(self, asked: Asked) -> types.CallToolResult:
        try:
            await asked.session.report_progress(1, 2)
            await anyio.sleep_forever()
        finally:
            self.stopped.set()
        raise AssertionError("it goes on until it is cancelled")

    async def do_log(self, asked: Asked, said: str) -> types.CallToolResult:
        await asked.session.send_log_message("info", {"said": said}, "notes", related_request_id=asked.request_id)
        return text("logged")

    async def do_touch(self, asked: Asked) -> types.CallToolResult:
        if TODAY in self.followed:
            await asked.session.send_resource_updated(TODAY)
        await self.bus.publish(ToolsListChanged())
        await self.bus.publish(ResourceUpdated(uri=TODAY))
        return text("touched")

    async def list_resources(self, asked: Asked, _: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[types.Resource(name="today", uri=TODAY)])

    async def list_templates(self, asked: Asked, _: Any) -> types.ListResourceTemplatesResult:
        days = types.ResourceTemplate(name="day", uri_template="note://day/{day}")
        return types.ListResourceTemplatesResult(resource_templates=[days])

    async def read_resource(self, asked: Asked, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if str(params.uri) != TODAY:
            raise MCPError(types.INVALID_PARAMS, "there is no such note", {"uri": str(params.uri)})
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=TODAY, text="ünïcode ✓")])

    async def subscribe(self, asked: Asked, params: types.SubscribeRequestParams) -> types.EmptyResult:
        self.followed.append(str(params.uri))
        self.session = asked.session
        return types.EmptyResult()

    async def unsubscribe(self, asked: Asked, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self.followed.remove(str(params.uri))
        return types.EmptyResult()

    async def list_prompts(self, asked: Asked, _: Any) -> types.ListPromptsResult:
        who = types.PromptArgument(name="who", required=True)
        return types.ListPromptsResult(prompts=[types.Prompt(name="greet", arguments=[who])])

    async def get_prompt(self, asked: Asked, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        says = types.TextContent(type="text", text=f"Greet {(params.arguments or {})['who']}.")
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=says)])

    async def complete(self, asked: Asked, params: types.CompleteRequestParams) -> types.CompleteResult:
        found = [name for name in ("Ada", "Alan", "Barbara") if name.startswith(params.argument.value)]
        return types.CompleteResult(completion=types.Completion(values=found, total=len(found), has_more=False))

    async def set_level(self, asked: Asked, params: types.SetLevelRequestParams) -> types.EmptyResult:
        return types.EmptyResult()


@dataclass(frozen=True)
class Form:
    """How messages travel."""

    revision: Revision
    encryption: Encryption

    def __str__(self) -> str:
        return f"{self.revision.name}-{'encrypted' if self.encryption is Encryption.REQUIRED else 'plain'}"


FORMS = [Form(revision, Encryption.DISABLED) for revision in REVISIONS.values()]
FORMS += [Form(revision, Encryption.REQUIRED) for revision in REVISIONS.values() if revision.kinds.wraps]
in_every_form = pytest.mark.parametrize("form", FORMS, ids=str)


@dataclass
class World:
    """A relay, a gateway to servers of the SDK, and the kinds of events that passed."""

    relay: LoopbackRelay
    gateway: Gateway
    form: Form
    version: str
    served: list[Notes]
    kinds: list[int]

    def transport(self, **options: Any) -> Any:
        settings = ClientSettings(
            self.form.revision,
            Remote(ALICE.public_key.x, "notes"),
            self.version,
            encryption=self.form.encryption,
            # One relay in this process keeps the order: after a last result nothing else is on its way.
            timers=ClientTimers(grace=0),
        )
        return nostr_client(settings, BOB, [self.relay.url], **options)

    def client(self, **options: Any) -> Client:
        mode = MODERN if self.version == MODERN else "legacy"
        return Client(self.transport(), mode=options.pop("mode", mode), cache=None, **options)


@asynccontextmanager
async def world(form: Form, version: str = HANDSHAKE, **options: Any) -> AsyncIterator[World]:
    served: list[Notes] = []
    kinds: list[int] = []

    def record(record: Record) -> None:
        frame: Any = strict_json.parse(record.frame)
        if record.direction == "in" and frame[0] == "EVENT":
            kinds.append(frame[1]["kind"])

    def make(link: Link) -> Server[Any]:
        served.append(Notes(link))
        return served[-1].server

    settings = ServerSettings(
        (form.revision,), (McpServer("notes", shared=False),), version, encryption=form.encryption, **options
    )
    async with (
        LoopbackRelay(record=record) as relay,
        nostr_server(settings, ALICE, [relay.url], make, CHANGES) as gateway,
    ):
        await gateway.ready()
        yield World(relay, gateway, form, version, served, kinds)


def said(result: types.CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, types.TextContent)
    return content.text


@in_every_form
@run
async def test_tools(form: Form) -> None:
    async with world(form) as it, it.client() as client:
        assert client.server_info.name == "notes" and client.protocol_version == HANDSHAKE
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == ["add", "count", "log", "slow", "touch", "who"]
        assert said(await client.call_tool("add", {"a": 2, "b": 40})) == "42"
        assert said(await client.call_tool("who", {})) == BOB.public_key.hex()
        with pytest.raises(MCPError) as refused:
            await client.call_tool("nothing", {})
        assert (refused.value.error.code, refused.value.error.message) == (
            types.INVALID_PARAMS,
            "Unknown tool: nothing",
        )
        wraps = {kind in (1059, 21059) for kind in it.kinds}
        assert wraps == {form.encryption is Encryption.REQUIRED}


@in_every_form
@run
async def test_resources_prompts_and_completion(form: Form) -> None:
    async with world(form) as it, it.client() as client:
        assert [one.uri for one in (await client.list_resources()).resources] == [TODAY]
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == ["note://day/{day}"]
        [content] = (await client.read_resource(TODAY)).contents
        assert isinstance(content, types.TextResourceContents) and content.text == "ünïcode ✓"
        with pytest.raises(MCPError) as refused:
            await client.read_resource("note://never")
        assert refused.value.error.data == {"uri": "note://never"}
        assert [one.name for one in (await client.list_prompts()).prompts] == ["greet"]
        [message] = (await client.get_prompt("greet", {"who": "Ada"})).messages
        assert isinstance(message.content, types.TextContent) and message.content.text == "Greet Ada."
        reference = types.PromptReference(type="ref/prompt", name="greet")
        completed = await client.complete(reference, {"name": "who", "value": "A"})
        assert completed.completion.values == ["Ada", "Alan"]


@in_every_form
@run
async def test_progress(form: Form) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        seen.append((done, total, message))

    async with world(form) as it, it.client() as client:
        assert said(await client.call_tool("count", {"to": 3}, progress_callback=progress)) == "3"
        # The SDK runs each callback in a task of its own, so the last may come after the result.
        while len(seen) < 3:
            await asyncio.sleep(0)
        assert sorted(seen) == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


@in_every_form
@run
async def test_a_cancel_stops_the_tool(form: Form) -> None:
    async with world(form) as it, it.client() as client:
        with anyio.CancelScope() as scope:

            async def begun(*_: Any) -> None:
                scope.cancel()

            await client.call_tool("slow", {}, progress_callback=begun)
        assert scope.cancelled_caught
        await it.served[0].stopped.wait()
        assert said(await client.call_tool("add", {"a": 1, "b": 1})) == "2"


@in_every_form
@run
async def test_logging(form: Form) -> None:
    heard: list[Any] = []
    arrived = anyio.Event()

    async def log(params: types.LoggingMessageNotificationParams) -> None:
        heard.append((params.level, params.logger, params.data))
        arrived.set()

    async with world(form) as it, it.client(logging_callback=log) as client:
        await client.set_logging_level("debug")
        assert said(await client.call_tool("log", {"said": "hello"})) == "logged"
        await arrived.wait()
        assert heard == [("info", "notes", {"said": "hello"})]


@in_every_form
@run
async def test_a_resource_subscription(form: Form) -> None:
    heard: list[Any] = []
    arrived = anyio.Event()

    async def hear(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.append(str(message.params.uri))
            arrived.set()

    async with world(form) as it, it.client(message_handler=hear) as client:
        await client.subscribe_resource(TODAY)
        assert it.served[0].followed == [TODAY]
        await client.call_tool("touch", {})
        await arrived.wait()
        assert heard == [TODAY]
        await client.unsubscribe_resource(TODAY)
        assert it.served[0].followed == []


@in_every_form
@run
async def test_the_newest_version_begins_with_discover(form: Form) -> None:
    async with world(form, MODERN) as it, it.client(mode="auto") as client:
        assert client.protocol_version == MODERN
        assert client.session.discover_result is not None
        assert client.session.discover_result.supported_versions == [MODERN]
        assert said(await client.call_tool("add", {"a": 2, "b": 40})) == "42"
        [content] = (await client.read_resource(TODAY)).contents
        assert isinstance(content, types.TextResourceContents) and content.text == "ünïcode ✓"


@in_every_form
@run
async def test_subscriptions_listen(form: Form) -> None:
    async with world(form, MODERN) as it, it.client() as client:
        async with client.listen(tools_list_changed=True, resource_subscriptions=[TODAY]) as subscription:
            assert subscription.honored.tools_list_changed is True
            assert subscription.honored.resource_subscriptions == [TODAY]
            assert subscription.honored.prompts_list_changed is None
            await client.call_tool("touch", {})
            events = {await anext(subscription), await anext(subscription)}
            assert events == {ToolsListChanged(), ResourceUpdated(uri=TODAY)}
        async with client.listen(tools_list_changed=True) as subscription:
            it.served[0].listening.close()
            assert [event async for event in subscription] == []


@run
async def test_a_gateway_that_stops_ends_subscriptions_in_order() -> None:
    async with (
        world(FORMS[-1], MODERN) as it,
        it.client() as client,
        client.listen(tools_list_changed=True) as subscription,
    ):
        await it.gateway.stop()
        assert [event async for event in subscription] == []


@run
async def test_an_older_server_is_listened_to_by_the_newest_client() -> None:
    """The gateway knows an MCP server without subscriptions/listen; the client has no other way to be told."""
    async with (
        world(FORMS[0], HANDSHAKE) as it,
        it.client(mode=MODERN) as client,
        client.listen(resource_subscriptions=[TODAY]) as subscription,
    ):
        [server] = it.served
        assert server.followed == [TODAY] and server.session is not None
        await server.session.send_resource_updated(TODAY)
        assert await anext(subscription) == ResourceUpdated(uri=TODAY)


@run
async def test_auto_falls_back_to_the_handshake() -> None:
    async with world(FORMS[0], HANDSHAKE) as it, it.client(mode="auto") as client:
        assert client.protocol_version == HANDSHAKE
        with pytest.raises(ListenNotSupportedError):
            async with client.listen(tools_list_changed=True):
                pass


@run
async def test_what_overtakes_the_acknowledgement_is_held() -> None:
    """A relay that gives the first change before the acknowledgement: the SDK alone would throw the change away."""
    form = FORMS[0]
    async with world(form, MODERN) as it, it.client() as client:
        await client.call_tool("add", {"a": 1, "b": 1})
        it.served[0].bus.at_once = ToolsListChanged()
        it.relay.faults.add(parse(f"reorder:kind={form.revision.kinds.notification}:times=1"))
        async with client.listen(tools_list_changed=True) as subscription:
            assert await anext(subscription) == ToolsListChanged()


@run
async def test_one_server_for_each_client_or_one_for_all() -> None:
    for shared, links in ((False, {BOB.public_key.x}), (True, {None})):
        made: list[Link] = []

        def make(link: Link, made: list[Link] = made) -> MCPServer:
            made.append(link)
            server = MCPServer("simple")
            server.add_tool(lambda a, b: a + b, name="add", description="adds")
            return server

        revision = REVISIONS["contextvm"]
        settings = ServerSettings((revision,), (McpServer("simple", shared=shared),), HANDSHAKE)
        async with LoopbackRelay() as relay, nostr_server(settings, ALICE, [relay.url], make) as gateway:
            await gateway.ready()
            remote = ClientSettings(revision, Remote(ALICE.public_key.x), HANDSHAKE)
            async with nostr_client(remote, BOB, [relay.url]) as (read, write), ClientSession(read, write) as session:
                assert (await session.initialize()).server_info.name == "simple"
                assert said(await session.call_tool("add", {"a": 1, "b": 2})) == "3"
        assert {link.client for link in made} == links


@run
async def test_a_server_that_breaks_is_told_and_made_anew() -> None:
    ended: list[tuple[str, str]] = []

    def make(link: Link) -> Server[Any]:
        if not ended:
            raise ValueError("no notes")
        return Notes(link).server

    revision = REVISIONS["contextvm"]
    settings = ServerSettings((revision,), (McpServer("notes", shared=False),), HANDSHAKE)
    tell = lambda link, why: ended.append((link.server, why))  # noqa: E731
    async with LoopbackRelay() as relay, nostr_server(settings, ALICE, [relay.url], make, ended=tell) as gateway:
        await gateway.ready()
        remote = ClientSettings(revision, Remote(ALICE.public_key.x), HANDSHAKE)
        async with nostr_client(remote, BOB, [relay.url]) as (read, write), ClientSession(read, write) as session:
            with pytest.raises(MCPError, match="the MCP server has ended"):
                await session.initialize()
            assert ended == [("notes", "it broke: ValueError('no notes')")]
            assert (await session.initialize()).server_info.name == "notes"


@run
async def test_a_client_that_is_cancelled_leaves_nothing_behind() -> None:
    async with world(FORMS[0]) as it:
        with anyio.CancelScope() as scope:
            async with it.client() as client:
                await client.list_tools()
                scope.cancel()
                await client.list_tools()
        assert scope.cancelled_caught
        while it.relay.connections > 1:  # the gateway's stays
            await asyncio.sleep(0)


@run
async def test_what_the_sdk_leaves_unread_ends_the_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_transport, "MAX_UNREAD", 2)
    settings = ClientSettings(REVISIONS["contextvm"], Remote(ALICE.public_key.x), HANDSHAKE)
    async with LoopbackRelay() as relay, nostr_client(settings, BOB, [relay.url]) as (read, write):
        for _ in range(5):
            await write.send(SessionMessage(types.JSONRPCRequest(jsonrpc="2.0", id=1, method="ping")))
        # The first waits for its answer, the others are refused: two errors fit, and nothing follows them.
        refused = [item.message async for item in read if isinstance(item, SessionMessage)]
        assert [type(message) for message in refused] == [types.JSONRPCError] * 2


@run
async def test_a_server_that_reads_nothing_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_transport, "MAX_UNREAD", 2)
    over = asyncio.Event()
    ended: list[str] = []

    class Deaf(Server[Any]):
        async def run(self, *_: Any, **__: Any) -> None:
            await anyio.sleep_forever()

    def gone(why: str) -> None:
        ended.append(why)
        over.set()

    link = Link("deaf", BOB.public_key.x, 1)
    deaf = mcp_transport._SdkServer(lambda link: Deaf("deaf"), None, link, lambda message: None, gone)
    for number in range(3):
        deaf.send(Request(number, "ping"))
    await over.wait()
    deaf.send(Request(3, "ping"))
    await deaf.close()
    assert ended == ["it left 2 messages unread"]


@run
async def test_a_server_that_will_not_end_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_transport, "GRACE", 0.01)
    cancelled = asyncio.Event()

    class Stubborn(Server[Any]):
        async def run(self, *_: Any, **__: Any) -> None:
            try:
                await anyio.sleep_forever()
            finally:
                cancelled.set()

    link = Link("stubborn", BOB.public_key.x, 1)
    stubborn = mcp_transport._SdkServer(lambda link: Stubborn("s"), None, link, lambda message: None, pytest.fail)
    await asyncio.sleep(0)
    await stubborn.close()
    assert cancelled.is_set()


@run
async def test_messages_keep_their_values_both_ways() -> None:
    heard: list[Any] = []
    write = Write(heard.append)
    messages = [
        (Request("0", "x", {"a": [None, 2**70]}), {"id": "0", "method": "x", "params": {"a": [None, 2**70]}}),
        (Request(0, "ping"), {"id": 0, "method": "ping", "params": None}),
        (Notification("notifications/initialized"), {"method": "notifications/initialized"}),
        (Result(-1, {"content": []}), {"id": -1, "result": {"content": []}}),
        (Error(7, 1, "no", {"x": None}), {"id": 7, "error": {"code": 1, "message": "no", "data": {"x": None}}}),
        (Error(None, -32700, "what?"), {"id": None, "error": {"code": -32700, "message": "what?"}}),
    ]  # fmt: skip
    for own, value in messages:
        given = types.jsonrpc_message_adapter.validate_python({"jsonrpc": "2.0", **value}, by_name=False)
        await write.send(SessionMessage(given))
        assert heard.pop() == own
        back = mcp_transport._session_message(own)
        assert isinstance(back, SessionMessage) and type(back.message) is type(given)
        await write.send(back)
        assert heard.pop() == own
    await write.aclose()
    with pytest.raises(anyio.ClosedResourceError):
        await write.send(SessionMessage(types.JSONRPCRequest(jsonrpc="2.0", id=1, method="ping")))
