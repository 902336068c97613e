"""Our loopback relay, as a process of its own."""

from __future__ import annotations

import asyncio
import json

from nostrmcp.runtime.loopback import LoopbackRelay, RelayLimits
from nostrmcp.runtime.websocket import SocketLimits

# The subscribers who are counted look at nothing, so they answer no pings.
LIMITS = RelayLimits(socket=SocketLimits(ping_interval=None))


async def main() -> None:
    async with LoopbackRelay(limits=LIMITS) as relay:
        print(json.dumps({"ready": relay.url}), flush=True)
        await asyncio.Event().wait()


asyncio.run(main())
