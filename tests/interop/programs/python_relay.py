"""nostr-relay from PyPI on 127.0.0.1, its events in a file of the current folder. Runs in .peers/python.

    python python_relay.py [--port N] [--limited] [--auth PUBKEY]

It prints {"url": ...} when it listens, and runs until it is ended. Its limit of 4,096 characters is lifted unless
--limited is given. With --auth only that key may write.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import socket
import sys
from pathlib import Path
from typing import Any

import nostr_relay
import uvicorn
import yaml
from alembic import config as alembic
from nostr_relay.config import Config

LIFTED = 1 << 20


def settings(options: argparse.Namespace, url: str) -> dict[str, Any]:
    quiet = {"version": 1, "root": {"level": "CRITICAL"}}
    given: dict[str, Any] = {
        "relay_name": "python",
        "storage": {
            "sqlalchemy.url": "sqlite+aiosqlite:///relay.sqlite3",
            "validators": [f"nostr_relay.validators.{name}" for name in ("is_not_too_large", "is_signed", "is_recent")],
        },
        "authentication": {"enabled": False},
        "gunicorn": {"workers": 1},
        "logging": quiet,
    }
    if not options.limited:
        given["max_event_size"] = LIFTED
    if options.auth:
        given["authentication"] = {"enabled": True, "relay_urls": [url], "actions": {"save": "w", "query": "a"}}
    return given


async def serve(options: argparse.Namespace, listening: socket.socket, url: str) -> None:
    from nostr_relay.web import create_app

    app = create_app()
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", ws_max_size=LIFTED, timeout_graceful_shutdown=1))
    running = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started:
        if running.done():
            running.result()
            raise SystemExit("the relay did not start")
        await asyncio.sleep(0.01)
    if options.auth:
        from nostr_relay.storage import get_storage

        await get_storage().set_auth_roles(options.auth, "w")
    print(json.dumps({"url": url}), flush=True)
    await running


parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--limited", action="store_true")
parser.add_argument("--auth")
options = parser.parse_args()
listening = socket.create_server(("127.0.0.1", options.port))
url = f"ws://127.0.0.1:{listening.getsockname()[1]}"
Path("relay.yaml").write_text(yaml.dump(settings(options, url)), encoding="utf-8")
Config.load("relay.yaml")
with contextlib.redirect_stdout(sys.stderr):
    alembic.main([f"-c{Path(nostr_relay.__file__).with_name('alembic.ini')}", "upgrade", "head"])
asyncio.run(serve(options, listening, url))
