"""A bare websockets server that passes on whatever it gets to everyone who sent a REQ: the least a relay could do.

    python forwarder.py bare|verifying

The verifying one passes on only events whose id and signature are right, as a relay must.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys

from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed

from nostrmcp.nostr.event import parse

verifies = sys.argv[1] == "verifying"
subscribers: set[ServerConnection] = set()


async def handle(connection: ServerConnection) -> None:
    with contextlib.suppress(ConnectionClosed):
        while True:
            message = await connection.recv(decode=False)
            if message.startswith(b'["REQ"'):
                await connection.send('["EOSE","fan-out"]')
                subscribers.add(connection)
            else:
                if verifies:
                    parse(message[len('["EVENT",') : -1]).verify()
                broadcast(subscribers, message, text=True)
    subscribers.discard(connection)


async def main() -> None:
    async with serve(handle, "127.0.0.1", 0, compression=None, backlog=1024, ping_interval=None) as server:
        port = server.sockets[0].getsockname()[1]
        print(json.dumps({"ready": f"ws://127.0.0.1:{port}"}), flush=True)
        await server.serve_forever()


asyncio.run(main())
