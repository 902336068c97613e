"""Calls without a state machine: raw frames, signed and verified, and nothing is remembered but who waits for what.

No reconnecting, no bounds, no duplicates, no freshness, no handshake, no OK is looked at: what the same crypto and the
same WebSockets can do at most.

python sketch.py serve RELAY plain|encrypted | python sketch.py call RELAY SERVER plain|encrypted
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import time
from collections.abc import AsyncIterator

import orjson
from load import obey
from websockets.asyncio.client import ClientConnection, connect

from nostrmcp.nostr import Event, SecretKey, UnsignedEvent, nip59
from nostrmcp.nostr.event import parse
from nostrmcp.nostr.keys import public_key

MESSAGE, WRAP = 25910, 21059


async def events(socket: ClientConnection, key: SecretKey, mode: str) -> AsyncIterator[Event]:
    """Verified events for a key."""
    kind = WRAP if mode == "encrypted" else MESSAGE
    await socket.send(orjson.dumps(["REQ", "sketch", {"kinds": [kind], "#p": [key.public_key.hex()]}]), text=True)
    start = b'["EVENT","sketch",'
    while True:
        data = await socket.recv(decode=False)
        if not data.startswith(start):
            continue
        event = parse(data[len(start) : -1])
        if mode == "encrypted":
            event = nip59.unwrap(event, key)
        else:
            event.verify()
        yield event


def frame(
    message: object, tags: tuple[tuple[str, ...], ...], key: SecretKey, to: bytes, mode: str
) -> tuple[bytes, bytes]:
    """The id of an event, and its frame."""
    now = int(time.time())
    unsigned = UnsignedEvent(key.public_key.x, now, MESSAGE, tags, orjson.dumps(message).decode())
    event = inner = unsigned.sign(key, secrets.token_bytes(32))
    if mode == "encrypted":
        event = nip59.wrap(
            inner, public_key(to), kind=WRAP, created_at=now, ephemeral_key=SecretKey(secrets.token_bytes(32)),
            nonce=secrets.token_bytes(32), aux_rand=secrets.token_bytes(32),
        )  # fmt: skip
    return inner.id, b'["EVENT",%b]' % event.dump()


async def serve(relay: str, mode: str) -> None:
    key = SecretKey(secrets.token_bytes(32))
    async with connect(relay, compression=None) as socket:
        print(json.dumps({"ready": key.public_key.hex()}), flush=True)
        async for event in events(socket, key, mode):
            request = orjson.loads(event.content)
            content = [{"type": "text", "text": request["params"]["arguments"]["text"]}]
            answer = {"jsonrpc": "2.0", "id": request["id"], "result": {"content": content, "isError": False}}
            tags = ("e", event.id.hex()), ("p", event.pubkey.hex())
            await socket.send(frame(answer, tags, key, event.pubkey, mode)[1], text=True)


async def call(relay: str, server: str, mode: str) -> None:
    key, to = SecretKey(secrets.token_bytes(32)), bytes.fromhex(server)
    waiting: dict[str, asyncio.Future[str]] = {}
    number = 0
    async with connect(relay, compression=None) as socket:

        async def listen() -> None:
            async for event in events(socket, key, mode):
                reference = event.first("e") or ""
                waiting.pop(reference).set_result(orjson.loads(event.content)["result"]["content"][0]["text"])

        async def echo(text: str) -> str:
            nonlocal number
            number += 1
            params = {"name": "echo", "arguments": {"text": text}}
            request = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
            event_id, data = frame(request, (("p", server),), key, to, mode)
            answer = waiting[event_id.hex()] = asyncio.get_running_loop().create_future()
            await socket.send(data, text=True)
            return await answer

        listening = asyncio.create_task(listen())
        await obey(echo)
        listening.cancel()


asyncio.run({"serve": serve, "call": call}[sys.argv[1]](*sys.argv[2:]))
