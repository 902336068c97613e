"""The client: what it gives back, what it tells beside, and how a wait ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from nostrmcp.mcp.jsonrpc import Error, Message, Notification, Request, Result
from nostrmcp.nostr import LocalProtocolError
from nostrmcp.revisions import REVISIONS
from nostrmcp.runtime import discover
from nostrmcp.runtime.client import NostrClient, Refused
from nostrmcp.runtime.gateway import Gateway
from nostrmcp.runtime.loopback import LoopbackRelay
from nostrmcp.runtime.loopback_faults import parse
from nostrmcp.runtime.pool import Pool
from nostrmcp.runtime.stdio import Gone, Peer, Said
from nostrmcp.session.actions import Link
from nostrmcp.session.settings import ClientSettings, ClientTimers, Encryption, McpServer, Remote, ServerSettings

from .helpers import ALICE, BOB, run, skip

VERSION = "2025-11-25"
REVISION = REVISIONS["contextvm"]


class Puppet:
    """An MCP server that a test plays: what it was asked waits in a queue, and `said` is what it says."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[Any] = asyncio.Queue()
        self.said: Said

    def connect(self, link: Link, said: Said, gone: Gone) -> Peer:
        self.said = said
        return self

    def send(self, message: Message) -> None:
        if isinstance(message, Request) and message.method == "initialize":
            capabilities = {"tools": {}, "logging": {}}
            about = {
                "protocolVersion": VERSION,
                "capabilities": capabilities,
                "serverInfo": {"name": "p", "version": "1"},
            }
            self.said(Result(message.id, about))
        elif not isinstance(message, Notification) or message.method != "notifications/initialized":
            self.asked.put_nowait(message)

    async def answer(self, result: dict[str, Any]) -> None:
        """Answer what it is asked next."""
        asked = await self.asked.get()
        self.said(Result(asked.id, result))

    async def close(self) -> None: ...


class World:
    def __init__(self, relay: LoopbackRelay, puppet: Puppet) -> None:
        self.relay, self.puppet = relay, puppet
        self.heard: asyncio.Queue[Message] = asyncio.Queue()

    @asynccontextmanager
    async def client(self, *, timeout: float = 60, **options: Any) -> AsyncIterator[NostrClient]:
        settings = ClientSettings(
            REVISION,
            Remote(ALICE.public_key.x),
            VERSION,
            encryption=Encryption.DISABLED,
            timers=ClientTimers(request=timeout),
        )
        async with NostrClient(settings, BOB, Pool([self.relay.url]), self.heard.put_nowait, **options) as client:
            await client.ready()
            yield client


@asynccontextmanager
async def world(**more: Any) -> AsyncIterator[World]:
    puppet = Puppet()
    servers = (McpServer("mcp", shared=False),)
    settings = ServerSettings((REVISION,), servers, VERSION, encryption=Encryption.DISABLED, **more)
    async with (
        LoopbackRelay() as relay,
        Gateway(settings, ALICE, Pool([relay.url]), puppet.connect) as gateway,
    ):
        await gateway.ready()
        yield World(relay, puppet)


@run
async def test_a_result_goes_to_who_asked_and_everything_else_beside() -> None:
    async with world() as it, it.client() as client:
        assert (await client.initialize(VERSION))["serverInfo"]["name"] == "p"
        asking = asyncio.ensure_future(client.request("tools/call", {"name": "t"}))
        asked = await it.puppet.asked.get()
        it.puppet.said(Notification("notifications/message", {"level": "info", "data": "a word"}))
        it.puppet.said(Result(asked.id, {"content": []}))
        assert await asking == {"content": []}
        heard = await it.heard.get()
        assert isinstance(heard, Notification) and heard.params is not None
        assert (heard.method, heard.params["data"]) == ("notifications/message", "a word")
        assert it.heard.empty()


@run
async def test_messages_of_a_local_client_keep_their_ids() -> None:
    async with world() as it, it.client() as client:
        for given in (0, "0", "", -1):
            client.send(Request(given, "tools/list"))
            await it.puppet.answer({"tools": []})
            assert await it.heard.get() == Result(given, {"tools": []})


@run
async def test_an_id_that_is_pending_is_not_used_twice() -> None:
    async with world() as it, it.client() as client:
        client.send(Request(1, "tools/list"))
        client.send(Request(1, "tools/list"))
        assert await it.heard.get() == Error(1, -32600, "a request with this id is pending")
        await it.puppet.answer({"tools": []})
        assert await it.heard.get() == Result(1, {"tools": []})


@run
async def test_an_error_is_raised_with_its_code_and_data() -> None:
    async with world() as it, it.client() as client:
        asking = asyncio.ensure_future(client.request("tools/call", {"name": "t"}))
        asked = await it.puppet.asked.get()
        it.puppet.said(Error(asked.id, -32602, "no such tool", {"name": "t"}))
        with pytest.raises(Refused) as refused:
            await asking
        error = refused.value.error
        assert (error.code, error.message, error.data) == (-32602, "no such tool", {"name": "t"})


@run
async def test_a_wait_that_is_cancelled_cancels_the_request() -> None:
    async with world() as it, it.client() as client:
        asking = asyncio.ensure_future(client.request("tools/call", {"name": "t"}))
        asked = await it.puppet.asked.get()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        cancel = await it.puppet.asked.get()
        assert (cancel.method, cancel.params["requestId"]) == ("notifications/cancelled", asked.id)
        it.puppet.said(Result(asked.id, {}))  # too late: for nobody
        client.send(Request(1, "tools/list"))
        await it.puppet.answer({"tools": []})
        assert await it.heard.get() == Result(1, {"tools": []})


@run
async def test_no_answer_in_time_is_an_error() -> None:
    async with world() as it, it.client(timeout=1000) as client:
        asking = asyncio.create_task(client.request("tools/call", {"name": "t"}))
        await it.puppet.asked.get()
        skip(1000)
        with pytest.raises(Refused) as refused:
            await asking
        assert (refused.value.error.message, refused.value.error.data) == ("no answer in time", {"reason": "timed_out"})
        assert (await it.puppet.asked.get()).method == "notifications/cancelled"


@run
async def test_a_request_that_no_relay_takes_is_an_error() -> None:
    async with world() as it, it.client() as client:
        it.relay.faults.add(parse("reject=blocked:kind=25910"))
        with pytest.raises(Refused) as refused:
            await client.request("tools/call", {"name": "t"})
        assert refused.value.error.data == {"reason": "not_delivered"}
        assert it.puppet.asked.empty()


@run
async def test_the_server_may_ask_and_is_answered() -> None:
    async with world() as it, it.client() as client:
        await client.initialize(VERSION)
        it.puppet.said(Request("mine", "ping"))
        assert await it.puppet.asked.get() == Result("mine", {})
        it.puppet.said(Request(7, "roots/list"))
        asked = await it.heard.get()
        assert isinstance(asked, Request) and asked.method == "roots/list"
        client.send(Result(asked.id, {"roots": []}))
        assert await it.puppet.asked.get() == Result(7, {"roots": []})


@run
async def test_without_a_handshake_the_announcement_answers() -> None:
    servers = (McpServer("mcp", announced=True),)
    puppet = Puppet()
    provider = ServerSettings((REVISION,), servers, VERSION, encryption=Encryption.DISABLED)
    async with LoopbackRelay() as relay, Gateway(provider, ALICE, Pool([relay.url]), puppet.connect) as gateway:
        await gateway.ready()
        [found] = (await discover.search([relay.url])).servers
        settings = ClientSettings(
            REVISION,
            Remote(ALICE.public_key.x, announcement=found.event),
            VERSION,
            handshake=False,
            encryption=Encryption.DISABLED,
        )
        await puppet.asked.get()  # tools/list, for the announcement
        async with NostrClient(settings, BOB, Pool([relay.url])) as client:
            assert await client.initialize(VERSION) == found.about.content
            asking = asyncio.ensure_future(client.request("tools/call", {"name": "t"}))
            await puppet.answer({"content": []})
            assert await asking == {"content": []}
    with pytest.raises(LocalProtocolError, match="without an announcement there must be a handshake"):
        ClientSettings(REVISION, Remote(ALICE.public_key.x), VERSION, handshake=False)


@run
async def test_what_was_said_last_is_not_lost_at_the_end() -> None:
    async with world() as it:
        async with it.client() as client:
            await client.initialize(VERSION)
            client.send(Request(1, "tools/list"))
        assert (await it.puppet.asked.get()).method == "tools/list"
