"""nostr-sdk's LocalRelay on 127.0.0.1. Runs in .peers/python.

    python rust_relay.py [--port N] [--limited] [--auth read|write|both]

It prints {"url": ...} when it listens, and runs until it is ended. Its limit of 60 events a minute is lifted unless
--limited is given.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket

import nostr_sdk

LIFTED = nostr_sdk.RateLimit(max_reqs=10_000, notes_per_minute=10_000_000)
MODES = {
    "read": nostr_sdk.LocalRelayBuilderNip42Mode.READ,
    "write": nostr_sdk.LocalRelayBuilderNip42Mode.WRITE,
    "both": nostr_sdk.LocalRelayBuilderNip42Mode.BOTH,
}


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


async def serve(options: argparse.Namespace) -> None:
    builder = nostr_sdk.LocalRelayBuilder().addr("127.0.0.1").port(options.port or free_port())
    if not options.limited:
        builder = builder.rate_limit(LIFTED)
    if options.auth:
        builder = builder.nip42(nostr_sdk.LocalRelayBuilderNip42(mode=MODES[options.auth]))
    relay = builder.build()
    await relay.run()
    print(json.dumps({"url": str(await relay.url()).rstrip("/")}), flush=True)
    await asyncio.Event().wait()


parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--limited", action="store_true")
parser.add_argument("--auth", choices=MODES)
asyncio.run(serve(parser.parse_args()))
