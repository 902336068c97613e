"""A client as a program of its own, told by its environment what to do; an argument names a revision."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from nostrmcp.nostr import SecretKey
from nostrmcp.revisions import REVISIONS
from tests.conformance.live.simple_client import SimpleClient

key = SecretKey(bytes.fromhex(Path(os.environ["NOSTRMCP_SECRET_FILE"]).read_text().strip()))
assert os.environ["NOSTRMCP_ROLE"] == "client"


async def run() -> int:
    revision = REVISIONS[os.environ["NOSTRMCP_REVISION"] or sys.argv[1]]
    server = bytes.fromhex(os.environ["NOSTRMCP_SERVER_PUBKEY"])
    relay, scenario = os.environ["NOSTRMCP_RELAY"], os.environ["NOSTRMCP_SCENARIO"]
    return await SimpleClient(key, revision, server, relay, scenario).run()


sys.exit(asyncio.run(run()))
