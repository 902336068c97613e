"""A server as a program of its own, told by its environment what to do; an argument names a member of the zoo."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from nostrmcp.nostr import SecretKey
from nostrmcp.revisions import REVISIONS
from tests.conformance.live.simple_server import SimpleServer
from tests.conformance.live.zoo.servers import MEMBERS

kinds = {member.name: member.server for member in MEMBERS}
server = kinds[sys.argv[1]] if len(sys.argv) > 1 else SimpleServer
key = SecretKey(bytes.fromhex(Path(os.environ["NOSTRMCP_SECRET_FILE"]).read_text().strip()))
assert os.environ["NOSTRMCP_ROLE"] == "server"
assert os.environ["NOSTRMCP_SERVER_PUBKEY"] == key.public_key.hex()


async def run() -> None:
    revision = REVISIONS[os.environ["NOSTRMCP_REVISION"]]
    await server(key, revision, os.environ["NOSTRMCP_SERVER_ID"], os.environ["NOSTRMCP_RELAY"]).run()


asyncio.run(run())
