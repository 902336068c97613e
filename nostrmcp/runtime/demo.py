"""A demonstration: relay, gateway, example server and client in this process, each event shown as it passes."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from ..mcp.jsonrpc import Message
from ..nostr import Event, SecretKey, Violation, nip59, relay_frames
from ..revisions.model import Revision
from ..session.actions import Link
from ..session.settings import ClientSettings, Encryption, McpServer, Remote, ServerSettings
from .client import NostrClient
from .example import ExampleServer
from .gateway import Gateway
from .loopback import LoopbackRelay, Record
from .pool import Pool
from .stdio import Gone, Peer, Said

SERVER_ID = "example"
MCP_VERSION = "2025-11-25"


@dataclass(frozen=True, slots=True)
class Seen:
    """An event that reached the relay: who sent it, and what is inside it if it is a wrap."""

    sender: str
    event: Event
    inner: Event | None


class Demonstration:
    """One conversation in one revision: a handshake, a list, a call, and a call with progress."""

    def __init__(self, revision: Revision, encryption: Encryption, show: Callable[[Seen], None]) -> None:
        self._revision = revision
        self._encryption = encryption
        self._show = show
        self._server, self._client = (SecretKey(secrets.token_bytes(32)) for _ in range(2))

    async def run(self) -> list[str]:
        """Let them talk; what the tools said."""
        relay = LoopbackRelay(record=self._recorded)
        server = McpServer(SERVER_ID, announced=True, name="Example")
        settings = ServerSettings((self._revision,), (server,), MCP_VERSION, self._encryption)
        remote = Remote(self._server.public_key.x, SERVER_ID)
        own = ClientSettings(self._revision, remote, MCP_VERSION, encryption=self._encryption)
        async with relay, Gateway(settings, self._server, Pool([relay.url]), _connect) as gateway:
            await gateway.ready()
            async with NostrClient(own, self._client, Pool([relay.url]), _ignore) as client:
                await client.initialize(MCP_VERSION)
                await client.request("tools/list")
                said = [
                    await client.request("tools/call", {"name": "add", "arguments": {"a": 20, "b": 22}}),
                    await client.request(
                        "tools/call",
                        {"name": "count", "arguments": {"steps": 2, "pause": 0}, "_meta": {"progressToken": "steps"}},
                    ),
                ]
        return [result["content"][0]["text"] for result in said]

    def _recorded(self, record: Record) -> None:
        if record.direction != "in" or not record.frame.startswith(b'["EVENT"'):
            return
        frame = relay_frames.parse_client_frame(record.frame)
        assert isinstance(frame, relay_frames.Publish)
        inner = self._opened(frame.event) if frame.event.kind in nip59.WRAP_KINDS else None
        author = (inner or frame.event).pubkey
        self._show(Seen("server" if author == self._server.public_key.x else "client", frame.event, inner))

    def _opened(self, wrap: Event) -> Event | None:
        for key in (self._server, self._client):
            try:
                return nip59.unwrap(wrap, key)
            except Violation:
                continue
        return None


def _connect(_link: Link, said: Said, _gone: Gone) -> Peer:
    return ExampleServer(said)


def _ignore(_message: Message) -> None:
    """Notifications are seen on the wire."""
