"""Calls through our gateway and our client, over a relay; the MCP server is in the gateway's process.

python ours.py serve RELAY | python ours.py call RELAY SERVER plain|encrypted
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys

from load import obey

from nostrmcp.mcp.jsonrpc import Message, Request, Result
from nostrmcp.nostr import SecretKey
from nostrmcp.revisions import REVISIONS
from nostrmcp.runtime.client import NostrClient
from nostrmcp.runtime.gateway import Gateway
from nostrmcp.runtime.pool import Pool
from nostrmcp.runtime.stdio import Said
from nostrmcp.session.actions import Link
from nostrmcp.session.settings import (
    ClientLimits,
    ClientSettings,
    Encryption,
    McpServer,
    Remote,
    ServerLimits,
    ServerSettings,
)

REVISION = REVISIONS["contextvm"]
MCP_VERSION = "2025-11-25"
# What one key may do in two minutes, and a bench does in seconds.
MANY = 10**7
INITIALIZED = {
    "protocolVersion": MCP_VERSION,
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "echo", "version": "1"},
}


class Echo:
    """An MCP server with one tool."""

    def __init__(self, said: Said) -> None:
        self._said = said

    def send(self, message: Message) -> None:
        if isinstance(message, Request) and message.method == "tools/call":
            text = (message.params or {})["arguments"]["text"]
            self._said(Result(message.id, {"content": [{"type": "text", "text": text}], "isError": False}))
        elif isinstance(message, Request):
            self._said(Result(message.id, INITIALIZED if message.method == "initialize" else {}))

    async def close(self) -> None:
        pass


async def serve(relay: str) -> None:
    key = SecretKey(secrets.token_bytes(32))
    limits = ServerLimits(seen=MANY, seen_per_key=MANY, unwraps_per_second=MANY)
    settings = ServerSettings((REVISION,), (McpServer("echo"),), MCP_VERSION, limits=limits)

    def connect(link: Link, said: Said, gone: object) -> Echo:
        return Echo(said)

    async with Gateway(settings, key, Pool([relay]), connect) as gateway:
        await gateway.ready()
        print(json.dumps({"ready": key.public_key.hex()}), flush=True)
        await gateway.wait()


async def call(relay: str, server: str, mode: str) -> None:
    settings = ClientSettings(
        REVISION,
        Remote(bytes.fromhex(server)),
        MCP_VERSION,
        encryption=Encryption.REQUIRED if mode == "encrypted" else Encryption.DISABLED,
        limits=ClientLimits(seen=MANY, unwraps_per_second=MANY),
    )
    async with NostrClient(settings, SecretKey(secrets.token_bytes(32)), Pool([relay])) as client:
        await client.ready()
        await client.initialize(MCP_VERSION)

        async def echo(text: str) -> str:
            result = await client.request("tools/call", {"name": "echo", "arguments": {"text": text}})
            said: str = result["content"][0]["text"]
            return said

        await obey(echo)


asyncio.run({"serve": serve, "call": call}[sys.argv[1]](*sys.argv[2:]))
