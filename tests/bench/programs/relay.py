"""Our loopback relay, as a process of its own."""

from __future__ import annotations

import asyncio
import json

from nostrmcp.runtime.loopback import LoopbackRelay


async def main() -> None:
    async with LoopbackRelay() as relay:
        print(json.dumps({"ready": relay.url}), flush=True)
        await asyncio.Event().wait()


asyncio.run(main())
