"""Hosts, announcers and clients with bad intentions: what they can make us hold, do and say is bounded."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from nostrmcp.cli.gateway import _limits, _Offer
from nostrmcp.cli.main import main
from nostrmcp.cli.problem import Problem
from nostrmcp.mcp.jsonrpc import ErrorCode, Notification, Request, Result
from nostrmcp.nostr import Event, SecretKey, UnsignedEvent
from nostrmcp.revisions import REVISIONS
from nostrmcp.revisions.model import MessageClass
from nostrmcp.runtime import discover, proxy
from nostrmcp.runtime.loopback import LoopbackRelay
from nostrmcp.runtime.proxy import Host, HostGone
from nostrmcp.runtime.relay import Relay
from nostrmcp.session import links
from nostrmcp.session.actions import Deliver
from nostrmcp.session.settings import McpServer, ServerLimits
from nostrmcp.translate import announce
from nostrmcp.translate.announce import Announcement

from ..helpers import ALICE, NOW, run
from .world import (
    PROVIDER,
    Backend,
    Watch,
    client_of,
    key,
    plain_request,
    restart_at_once,
    server_settings,
    serving,
    sizes,
)

# Hosts


class Pipes:
    """The two pipes between a host and us, from the host's side."""

    def __init__(self, to_us: int, from_us: int) -> None:
        self._to_us = to_us
        self._from_us = from_us
        self._read = b""
        for end in (to_us, from_us):
            os.set_blocking(end, False)

    async def write(self, data: bytes) -> None:
        while data:
            try:
                data = data[os.write(self._to_us, data) :]
            except BlockingIOError:
                await asyncio.sleep(0)

    async def read(self) -> Any:
        """The next message that the host is told."""
        while b"\n" not in self._read:
            try:
                self._read += os.read(self._from_us, 1 << 16)
            except BlockingIOError:
                await asyncio.sleep(0)
        told, _, self._read = self._read.partition(b"\n")
        return json.loads(told)

    def end(self) -> None:
        os.close(self._to_us)


@asynccontextmanager
async def hosted(watch: Watch) -> AsyncIterator[tuple[Pipes, asyncio.Task[None], Backend]]:
    """A host, the conversation of a proxy with it, and the server behind that."""
    theirs, to_us = os.pipe()
    from_us, ours = os.pipe()
    backend = Backend()
    with os.fdopen(theirs, "rb") as source, os.fdopen(ours, "wb", buffering=0) as target:
        async with (
            LoopbackRelay() as relay,
            serving([relay.url], backend),
            Host(source, target) as host,
            client_of([relay.url], said=host.say, observe=watch, greet=False) as client,
        ):
            talking = asyncio.create_task(host.converse(client))
            yield Pipes(to_us, from_us), talking, backend
            talking.cancel()
    os.close(from_us)


HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}


def line(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}).encode() + b"\n"


def a_call(number: Any, mark: str) -> bytes:
    return line(id=number, method="tools/call", params={"name": "tell", "arguments": {"mark": mark}})


@pytest.mark.parametrize(
    ("garbage", "code"),
    [
        (b"\xff\n", ErrorCode.PARSE_ERROR),
        (b"{\n", ErrorCode.PARSE_ERROR),
        (b"[]\n", ErrorCode.INVALID_REQUEST),
        (b"[" + a_call(1, "batch").strip() + b"]\n", ErrorCode.INVALID_REQUEST),
        (b"[" * 100_000 + b"\n", ErrorCode.PARSE_ERROR),
        (b"null\n", ErrorCode.INVALID_REQUEST),
        (b"7\n", ErrorCode.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}\n', ErrorCode.PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}\n', ErrorCode.INVALID_REQUEST),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n', ErrorCode.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1,"method":7}\n', ErrorCode.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}\n', ErrorCode.PARSE_ERROR),
    ],
)
@run
async def test_a_host_that_writes_garbage_is_answered_and_goes_on(garbage: bytes, code: int) -> None:
    watch = Watch()
    async with hosted(watch) as (host, talking, backend):
        await host.write(garbage)
        answer = await host.read()
        assert answer["error"]["code"] == code and answer["id"] in (None, 1)
        await host.write(line(id="a", method="initialize", params=HELLO) + a_call(2, "after"))
        assert (await host.read())["id"] == "a"
        assert (await host.read())["result"]["content"][0]["text"] == "after"
        host.end()
        await talking
    assert backend.marks == ["after"] and watch.defects() == []


@run
async def test_a_host_that_says_what_makes_no_sense_harms_only_itself() -> None:
    """Cancels of nothing and of the handshake, answers to nothing, progress for nobody, the same id twice."""
    watch = Watch()
    async with hosted(watch) as (host, talking, backend):
        await host.write(
            line(id="a", method="initialize", params=HELLO)
            + line(method="notifications/cancelled", params={"requestId": "a"})
            + line(id="a", method="ping")
            + line(method="notifications/cancelled", params={"requestId": "nothing"})
            + line(method="notifications/cancelled", params={})
            + line(method="notifications/cancelled")
            + line(id=9, result={})
            + line(id=9, error={"code": 1, "message": "no"})
            + line(method="notifications/progress", params={"progressToken": 1, "progress": 1})
            + line(method="notifications/initialized", params={"_meta": {"x": [[[[]]]]}})
            + line(id=3, method="subscriptions/listen", params={})
            + line(id=4, method="resources/subscribe", params={"uri": 7})
            + a_call(5, "after")
        )
        said = {}
        while 5 not in said:
            answer = await host.read()
            said[answer.get("id")] = answer
        assert said[5]["result"]["content"][0]["text"] == "after"
        host.end()
        await talking
    assert backend.marks == ["after"] and watch.defects() == []


@run
async def test_a_host_that_asks_without_end_has_a_bounded_number_pending() -> None:
    watch = Watch()
    async with hosted(watch) as (host, talking, backend):
        for start in range(0, 1200, 50):
            await host.write(b"".join(a_call(number, f"{number}") for number in range(start, start + 50)))
            await asyncio.sleep(0)
        refused, answered = 0, 0
        while refused + answered < 1200:
            answer = await host.read()
            refused += "error" in answer
            answered += "result" in answer
        assert answered >= 64
        host.end()
        await talking
    backend.assert_nothing_twice()
    assert len(backend.marks) == answered and watch.defects() == []


@run
async def test_a_host_that_reads_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy, "MAX_UNREAD", 1 << 16)
    monkeypatch.setattr(proxy, "LAST_WORDS", 0)
    async with hosted(Watch()) as (host, talking, _):
        number = 0
        while not talking.done():
            number += 1
            await asyncio.wait({asyncio.ensure_future(host.write(a_call(number, "x" * 10_000)))}, timeout=0)
            await asyncio.sleep(0)
        with pytest.raises(HostGone, match="left too much unread"):
            await talking


@run
async def test_a_host_that_never_ends_its_line_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy, "MAX_LINE", 1 << 16)
    async with hosted(Watch()) as (host, talking, _):
        await host.write(b"x" * 200_000)
        with pytest.raises(HostGone, match="a line of more than 65536 bytes"):
            await talking


@run
async def test_a_result_that_is_too_deep_for_the_host_is_an_error_there() -> None:
    deep: dict[str, Any] = {}
    for _ in range(127):
        deep = {"a": deep}
    theirs, to_us = os.pipe()
    from_us, ours = os.pipe()
    with os.fdopen(theirs, "rb") as source, os.fdopen(ours, "wb", buffering=0) as target:
        async with Host(source, target) as host:
            host.say(Result(7, deep))
            told = await Pipes(to_us, from_us).read()
    os.close(to_us)
    os.close(from_us)
    assert told["id"] == 7 and told["error"]["message"] == "the result is nested deeper than 128"


# Announcers


def announced(count: int, author: SecretKey = ALICE) -> list[Event]:
    """As many servers of one key, and as many lists of tools."""
    revision = REVISIONS["dvmcp-rev1.1"]
    about = {"protocolVersion": "2025-03-26", "capabilities": {}, "serverInfo": {"name": "n", "version": "1"}}
    events = []
    for number in range(count):
        for message_class, content in ((MessageClass.SERVER, about), (MessageClass.TOOLS, {"tools": []})):
            one = Announcement(message_class, author.public_key.x, f"s{number}", content)
            events.append(announce.build(one, revision, NOW).sign(author, bytes(32)))
    return events


def test_many_announcements_of_one_key_are_read_a_few_times_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work grows with their number, not with its square."""
    events = announced(200)
    reads = [0]
    real = announce.parse

    def counted(*given: Any) -> Announcement:
        reads[0] += 1
        return real(*given)

    monkeypatch.setattr(announce, "parse", counted)
    found = discover.servers_in(events)
    assert len(found) == 200 and all(MessageClass.TOOLS in one.lists for one in found)
    assert reads[0] <= len(events) * 2 * len(REVISIONS)


@run
async def test_what_relays_can_make_a_search_hold_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discover, "MAX_BYTES", 20_000)
    async with LoopbackRelay() as relay, Relay(relay.url) as author:
        events = announced(50)
        await asyncio.gather(*(author.publish(event) for event in events))
        found, _, _ = await discover.announcements([relay.url])
        assert 0 < sum(event.sent_length for event in found) < 20_000 + max(event.sent_length for event in events)


# Clients


@run
async def test_what_is_asked_and_cancelled_does_not_make_what_waits_for_a_server_grow() -> None:
    """A shared server is down and waits to be started: what is cancelled meanwhile is never said to it."""
    backend = Backend()
    async with LoopbackRelay() as relay, serving([relay.url], backend) as gateway:
        [link] = backend.opened
        backend.gone[link]("it ended")
        [line] = gateway._lines.values()
        assert line.peer is None and line.start is not None
        before = list(line.waiting)
        kept = Request(5000, "tools/call", {"name": "tell", "arguments": {"mark": "kept"}})
        gateway._deliver(Deliver(kept, link))
        for number in range(1000, 2000):
            gateway._deliver(Deliver(Request(number, "tools/call", {}), link))
            gateway._deliver(Deliver(Notification("notifications/cancelled", {"requestId": number}), link))
        assert line.waiting == [*before, kept]
        restart_at_once(gateway)
    assert backend.marks == ["kept"]


@run
async def test_a_server_whose_lists_change_without_end_is_asked_for_one_at_a_time() -> None:
    """A thousand changes while the list is read: it is read once more, and announced twice."""
    backend = Backend()
    settings = server_settings(servers=(McpServer("mcp", announced=True),))
    async with LoopbackRelay() as relay, serving([relay.url], backend, settings) as gateway:
        [link] = backend.opened
        lists: list[Request] = []
        answer = backend.take
        backend.take = lambda link, message: lists.append(message)  # type: ignore[method-assign, arg-type, return-value]
        for _ in range(1000):
            backend.said[link](Notification("notifications/tools/list_changed"))
        assert [one.method for one in lists] == ["tools/list"]
        assert len(gateway.server.links[link].answers) == 1
        backend.said[link](Result(lists[0].id, {"tools": [{"name": "new"}]}))
        assert [one.method for one in lists] == ["tools/list"] * 2
        backend.said[link](Result(lists[1].id, {"tools": [{"name": "newer"}]}))
        assert len(lists) == 2 and not gateway.server.links[link].answers
        backend.take = answer  # type: ignore[method-assign]


@run
async def test_a_list_that_no_relay_would_carry_is_not_read_to_its_end() -> None:
    backend, watch = Backend(), Watch()
    settings = server_settings(servers=(McpServer("mcp", announced=True),))
    async with LoopbackRelay() as relay, serving([relay.url], backend, settings, observe=watch) as gateway:
        [link] = backend.opened
        pages: list[Request] = []
        backend.take = lambda link, message: pages.append(message)  # type: ignore[method-assign, arg-type, return-value]
        backend.said[link](Notification("notifications/tools/list_changed"))
        while gateway.server.links[link].answers:
            page = {"tools": [{"name": "x" * 30_000}], "nextCursor": "more"}
            backend.said[link](Result(pages[-1].id, page))
        assert len(pages) == 3
        assert watch.drops()["too_large"] == 1


def notice(method: str, params: dict[str, Any], author: SecretKey, *tags: tuple[str, ...]) -> Event:
    """A notification of a client of contextvm, made by hand."""
    content = json.dumps({"jsonrpc": "2.0", "method": method, "params": params})
    tags = (("p", PROVIDER.public_key.hex()), *tags)
    return UnsignedEvent(author.public_key.x, int(time.time()), 25910, tags, content).sign(author, bytes(32))


@run
async def test_a_client_of_a_server_that_never_shakes_hands_cannot_make_what_waits_grow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It asks and cancels, and notifies: nothing of that counts as pending, and all of it would wait."""
    monkeypatch.setattr(links, "MAX_HELD", 20)
    backend, watch = Backend(), Watch()
    backend.take = lambda link, message: backend.heard.append(message)  # type: ignore[method-assign]
    settings = server_settings(servers=(McpServer("mcp", shared=False),))
    client = key(1)
    async with (
        LoopbackRelay() as relay,
        Relay(relay.url) as author,
        serving([relay.url], backend, settings, observe=watch) as gateway,
    ):
        for number in range(100):
            request = plain_request(f"{number}", time.time(), client)
            about = ("e", request.id.hex())
            await author.publish(request)
            await author.publish(notice("notifications/cancelled", {"requestId": 1}, client, about))
            await author.publish(notice("notifications/roots/list_changed", {"_meta": {"n": number}}, client))
        [link] = gateway.server.links.values()
        while len(link._held) < 20 or sizes(gateway)["requests"]:
            await asyncio.sleep(0)
        assert len(link._held) == 20
        assert [getattr(one, "method", "") for one in backend.heard] == ["initialize"]
    assert watch.defects() == []


def test_there_is_a_process_for_every_session_that_may_be() -> None:
    own, shared = McpServer("a", shared=False), McpServer("b", shared=True)
    told = McpServer("c", shared=False, announced=True)

    def limits(processes: int, *servers: McpServer) -> int:
        return _limits([_Offer(server, ()) for server in servers], processes).sessions

    assert limits(32, own) == 32
    assert limits(32, told) == 31
    assert limits(32, own, shared, told) == 30
    assert limits(1, shared) == ServerLimits().sessions
    for processes, servers in ((1, (told,)), (1, (shared, shared)), (2, (own, shared, shared))):
        with pytest.raises(Problem, match="is too few"):
            limits(processes, *servers)


@pytest.mark.parametrize("words", [["--max-processes", "0"], ["--max-processes", "1", "--announce"]])
def test_a_gateway_that_could_serve_nobody_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gateway", "--relay", "ws://127.0.0.1:1", *words, "--", sys.executable]) == 2
    assert "--max-processes" in capsys.readouterr().err
