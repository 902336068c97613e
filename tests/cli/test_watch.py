"""`nostrmcp inspect --relay`, as a user calls it."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from nostrmcp.cli.main import main
from nostrmcp.nostr import Event
from nostrmcp.runtime.loopback import LoopbackRelay
from nostrmcp.runtime.relay import Relay
from tests.runtime.helpers import BOB, event

ROOT = Path(__file__).resolve().parents[2]
P = (("p", BOB.public_key.hex()),)
CALL = event('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 5910, (("method", "tools/list"), *P, ("s", "a")))
BROKEN = event('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 5910, (*P, ("s", "a")), at=CALL.created_at + 1)


class Running:
    """A relay on a thread of its own, with events stored on it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.relay = self._wait(self._start())

    def _wait(self, coroutine):  # type: ignore[no-untyped-def]
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(30)

    async def _start(self) -> LoopbackRelay:
        relay = LoopbackRelay()
        await relay.start()
        return relay

    def store(self, *stored: Event) -> None:
        async def publish() -> None:
            async with Relay(self.relay.url) as client:
                for one in stored:
                    await client.publish(one)

        self._wait(publish())

    def close(self) -> None:
        self._wait(self.relay.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()


@pytest.fixture
def running() -> Iterator[Running]:
    one = Running()
    yield one
    one.close()


def test_what_is_stored(running: Running, capsys: pytest.CaptureFixture[str]) -> None:
    running.store(CALL, event("of no concern"))
    assert main(["inspect", "--relay", running.relay.url, "--stored", "--json"]) == 0
    [row] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (row["id"], row["candidates"], row["sound"]) == (CALL.id.hex(), ["dvmcp-rev1"], True)
    running.store(BROKEN)
    assert main(["inspect", "--relay", running.relay.url, "--stored"]) == 1
    assert "BROKEN" in capsys.readouterr().out


def test_what_comes_until_a_signal(running: Running) -> None:
    command = [sys.executable, "-m", "nostrmcp", "inspect", "--relay", running.relay.url, "--json"]
    running.store(CALL)
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        assert json.loads(process.stdout.readline())["id"] == CALL.id.hex()
        running.store(BROKEN)
        assert json.loads(process.stdout.readline())["id"] == BROKEN.id.hex()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 1
        assert process.stderr.read() == ""


@pytest.mark.parametrize("arguments", [[], ["x.json", "--relay", "ws://127.0.0.1:1"]])
def test_either_a_file_or_a_relay(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", *arguments]) == 2
    assert capsys.readouterr().err == "nostrmcp: name either a file or a relay\n"


def test_a_relay_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    async def address() -> str:
        async with LoopbackRelay() as relay:
            return relay.url

    url = asyncio.run(address())
    assert main(["inspect", "--relay", url, "--stored"]) == 2
    first, last = capsys.readouterr().err.splitlines()
    assert first.startswith(f"nostrmcp: {url}: ") and last == "nostrmcp: no relay answered"
