"""What the tests of faults share: a gateway whose MCP server counts what it executes, clients, and ways to wait.

Every call carries a mark of its own, and the MCP server writes down each mark that it executes: nothing may be in
that list twice, and what a client got an answer to must be in it.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nostrmcp.mcp.jsonrpc import Message, Request, Result
from nostrmcp.nostr import Event, SecretKey, UnsignedEvent
from nostrmcp.revisions import REVISIONS
from nostrmcp.runtime.client import NostrClient
from nostrmcp.runtime.driving import Defect, Observed
from nostrmcp.runtime.gateway import Gateway
from nostrmcp.runtime.loopback import Record
from nostrmcp.runtime.pool import Pool
from nostrmcp.runtime.state import StateFile
from nostrmcp.runtime.stdio import Gone, Peer, Said
from nostrmcp.session.actions import Drop, Link
from nostrmcp.session.settings import (
    ClientSettings,
    ClientTimers,
    Encryption,
    McpServer,
    Remote,
    ServerSettings,
)

PROVIDER = SecretKey(b"\x07" * 32)
VERSION = "2025-11-25"
ABOUT = {
    "protocolVersion": VERSION,
    "capabilities": {"tools": {}, "logging": {}},
    "serverInfo": {"name": "counting", "version": "1"},
}


def key(number: int) -> SecretKey:
    """The key of a client."""
    return SecretKey((1000 + number).to_bytes(32))


@dataclass(eq=False)
class Backend:
    """The MCP servers of a gateway, in this process. `marks` is what they executed, in order.

    A call of the tool `hold` is answered when `let_go` is called; `news` is set whenever something is executed.
    """

    marks: list[str] = field(default_factory=list)
    opened: list[Link] = field(default_factory=list)
    closed: list[Link] = field(default_factory=list)
    said: dict[Link, Said] = field(default_factory=dict)
    gone: dict[Link, Gone] = field(default_factory=dict)
    heard: list[Message] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    _held: list[tuple[Said, Result]] = field(default_factory=list)

    def connect(self, link: Link, said: Said, gone: Gone) -> Peer:
        self.opened.append(link)
        self.said[link], self.gone[link] = said, gone
        return _Counting(self, link)

    def take(self, link: Link, message: Message) -> None:
        self.heard.append(message)
        if isinstance(message, Request):
            said = self.said[link]
            if message.method == "initialize":
                said(Result(message.id, ABOUT))
            elif message.method == "tools/call":
                params = message.params or {}
                mark = params["arguments"]["mark"]
                self.marks.append(mark)
                answer = Result(message.id, {"content": [{"type": "text", "text": mark}]})
                if params["name"] == "hold":
                    self._held.append((said, answer))
                else:
                    said(answer)
            else:
                said(Result(message.id, {}))
            self.news.set()

    def let_go(self) -> None:
        held, self._held = self._held, []
        for said, answer in held:
            said(answer)

    async def executed(self, mark: str) -> None:
        """Until this was executed."""
        while mark not in self.marks:
            self.news.clear()
            await self.news.wait()

    def assert_nothing_twice(self) -> None:
        assert [mark for mark, times in Counter(self.marks).items() if times > 1] == []


class _Counting:
    def __init__(self, backend: Backend, link: Link) -> None:
        self._backend = backend
        self._link = link

    def send(self, message: Message) -> None:
        self._backend.take(self._link, message)

    async def close(self) -> None:
        self._backend.closed.append(self._link)


@dataclass(eq=False)
class Watch:
    """An observer: what was seen, and waiting for more of it."""

    seen: list[Observed] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self, one: Observed) -> None:
        self.seen.append(one)
        self.news.set()

    async def until(self, wanted: Callable[[Observed], bool], times: int = 1) -> None:
        while sum(map(wanted, self.seen)) < times:
            self.news.clear()
            await self.news.wait()

    def drops(self) -> Counter[str]:
        return Counter(one.violation.error_class.value for one in self.seen if isinstance(one, Drop))

    def defects(self) -> list[str]:
        return [str(one) for one in self.seen if isinstance(one, Defect)]


@dataclass(eq=False)
class Wire:
    """What passes a relay; `record` is given to it."""

    frames: list[tuple[str, bytes]] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def record(self, one: Record) -> None:
        self.frames.append((one.direction, one.frame))
        self.news.set()

    async def until(self, wanted: Callable[[str, bytes], bool], times: int = 1) -> None:
        while sum(wanted(*one) for one in self.frames) < times:
            self.news.clear()
            await self.news.wait()


def server_settings(revision: str = "contextvm", **more: Any) -> ServerSettings:
    revisions = tuple(REVISIONS[name] for name in revision.split())
    more.setdefault("encryption", Encryption.OPTIONAL if revisions[0].kinds.wraps else Encryption.DISABLED)
    return ServerSettings(revisions, more.pop("servers", (McpServer("mcp"),)), VERSION, **more)


@asynccontextmanager
async def serving(
    urls: Iterable[str],
    backend: Backend,
    settings: ServerSettings | None = None,
    *,
    observe: Callable[[Observed], None] = lambda one: None,
    state: StateFile | None = None,
    pool: dict[str, Any] | None = None,
    connect: Callable[[Link, Said, Gone], Peer] | None = None,
    **more: Any,
) -> AsyncIterator[Gateway]:
    """A gateway that a relay listens for."""
    relays = Pool(list(urls), key=PROVIDER, **(pool or {}))
    about = settings or server_settings()
    gateway = Gateway(about, PROVIDER, relays, connect or backend.connect, observe=observe, state=state, **more)
    async with gateway:
        await gateway.ready()
        yield gateway


@asynccontextmanager
async def client_of(
    urls: Iterable[str],
    number: int = 0,
    *,
    revision: str = "contextvm",
    encryption: Encryption = Encryption.DISABLED,
    timeout: float = 60,
    pool: dict[str, Any] | None = None,
    greet: bool = True,
    **more: Any,
) -> AsyncIterator[NostrClient]:
    """A client that has shaken hands."""
    settings = ClientSettings(
        REVISIONS[revision],
        Remote(PROVIDER.public_key.x, "mcp" if REVISIONS[revision].server_ids else None),
        VERSION,
        encryption=encryption,
        timers=ClientTimers(request=timeout),
    )
    async with NostrClient(settings, key(number), Pool(list(urls), **(pool or {})), **more) as client:
        await client.ready()
        if greet:
            await client.initialize(VERSION)
        yield client


async def call(client: NostrClient, mark: str, tool: str = "tell") -> str:
    """Call a tool with a mark; what it says, which is the mark."""
    result = await client.request("tools/call", {"name": tool, "arguments": {"mark": mark}})
    text: str = result["content"][0]["text"]
    return text


def plain_request(
    mark: str, at: float, author: SecretKey, tool: str = "tell", to: bytes = PROVIDER.public_key.x
) -> Event:
    """A call as a client of contextvm sends it, made by hand."""
    arguments = f'{{"name":"{tool}","arguments":{{"mark":"{mark}"}}}}'
    content = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{arguments}}}'
    return UnsignedEvent(author.public_key.x, int(at), 25910, (("p", to.hex()),), content).sign(author, bytes(32))


def pass_time(driven: Gateway | NostrClient, seconds: float) -> None:
    """Let a session believe that so much time has passed."""
    driver = driven._driver
    now = driver.now()
    driver.do(driver.machine.tick(now._replace(monotonic=now.monotonic + seconds)))


def restart_at_once(gateway: Gateway) -> None:
    """Start the MCP servers that wait to be started again."""
    for link, line in gateway._lines.items():
        if line.start is not None:
            line.start.cancel()
            gateway._start(link, line)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not asked for its code does not."""
    try:
        os.kill(pid, 0)
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0] != "Z"
        )
    except (ProcessLookupError, FileNotFoundError):
        return False


def sizes(gateway: Gateway) -> dict[str, int]:
    """How much a gateway holds that strangers can make it hold."""
    server = gateway.server
    return {
        "sessions": len(server.sessions),
        "links": len(server.links),
        "requests": len(server.requests),
        "upstream": len(server.upstream),
        "feeds": len(server.feeds),
        "lines": len(gateway._lines),
        "closing": len(gateway._closing),
        "outstanding": gateway._driver._outstanding,
        "publications": sum(len(relay._publications) for relay in gateway._driver.pool.relays),
        "inbox": sum(len(relay._inbox) for relay in gateway._driver.pool.relays),
    }
