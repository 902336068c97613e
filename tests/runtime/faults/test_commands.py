"""The commands as a person runs them: on a signal they end, whatever is under way, and leave nothing behind."""

from __future__ import annotations

import asyncio
import json
import resource
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from nostrmcp.nostr import nip19
from nostrmcp.runtime.loopback import LoopbackRelay
from nostrmcp.runtime.loopback_faults import parse

from ..helpers import run
from .world import PROVIDER, Wire, is_alive

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(__file__).with_name("programs.py")
# What would set the title of a terminal, turn text around, and move the cursor; without the line breaks of programs.py.
EVIL = "\x1b]0;owned\x07 \u202e \x9b2J owned"
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


class Command:
    """A command that runs, and what it has said on standard error."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.errors = ""

    async def line(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(await self.process.stdout.readline())

    async def told(self, words: str) -> None:
        """Until it says this on standard error."""
        assert self.process.stderr is not None
        while words not in self.errors:
            line = await self.process.stderr.readline()
            assert line, f"it ended without saying {words!r}: {self.errors}"
            self.errors += line.decode()

    async def end(self, number: int | None = None) -> tuple[int, str]:
        """Its exit code and the rest of its output, after a signal, or the end of its input."""
        if number is not None:
            self.process.send_signal(number)
        elif self.process.stdin is not None:
            self.process.stdin.close()
        out, errors = await self.process.communicate()
        self.errors += errors.decode()
        assert self.process.returncode is not None
        assert "Traceback" not in self.errors, self.errors
        return self.process.returncode, out.decode()


@asynccontextmanager
async def running(*arguments: str, environment: dict[str, str] | None = None) -> AsyncIterator[Command]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "nostrmcp", *arguments,
        cwd=ROOT, env=environment, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield Command(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def gateway(url: str, file: Path, how: str = "none", *options: str) -> list[str]:
    served = ["--", sys.executable, str(PROGRAM), how, str(file)]
    return ["gateway", "--relay", url, "--json", "--revision", "contextvm", *options, *served]


def noted(file: Path, word: str) -> list[str]:
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [line.removeprefix(word + " ") for line in lines if line.startswith(word + " ")]


async def until_gone(file: Path) -> None:
    for pid in map(int, noted(file, "start")):
        while is_alive(pid):
            await asyncio.sleep(0)


@pytest.mark.parametrize("number", SIGNALS)
@run
async def test_a_gateway_with_a_call_under_way_ends(number: signal.Signals, tmp_path: Path) -> None:
    file = tmp_path / "noted"
    async with LoopbackRelay() as relay, running(*gateway(relay.url, file, "hang")) as served:
        npub = (await served.line())["npub"]
        arguments = (
            "call",
            npub,
            "bad",
            '{"mark":"under way"}',
            "--relay",
            relay.url,
            "--json",
            "--encryption",
            "disabled",
        )
        async with running(*arguments) as calling:
            while not noted(file, "call"):
                await asyncio.sleep(0.01)
            assert await served.end(number) == (0, "")
            assert await calling.end(number) == (130, "")
    assert noted(file, "call") == ["under way"]
    await until_gone(file)


@run
async def test_a_server_that_ignores_the_end_of_its_input_and_signals_is_killed(tmp_path: Path) -> None:
    file = tmp_path / "noted"
    async with LoopbackRelay() as relay, running(*gateway(relay.url, file, "stubborn")) as served:
        npub = (await served.line())["npub"]
        async with running("call", npub, "bad", '{"mark":"never"}', "--relay", relay.url) as calling:
            while not noted(file, "call"):
                await asyncio.sleep(0.01)
            assert await served.end(signal.SIGTERM) == (0, "")
            assert (await calling.end(signal.SIGINT))[0] == 130
    await until_gone(file)


@run
async def test_a_gateway_without_its_relay_ends(tmp_path: Path) -> None:
    """Before it was ever connected, and after its relay is lost."""
    file = tmp_path / "noted"
    relay = LoopbackRelay()
    await relay.start()
    async with running(*gateway(relay.url, file, "none", "--shared")) as served:
        await served.line()
        await relay.kill()
        await served.told("trying again")
        assert await served.end(signal.SIGTERM) == (0, "")
    async with running(*gateway(relay.url, file, "none", "--shared")) as served:
        await served.told("trying again")
        assert await served.end(signal.SIGINT) == (0, "")
    await until_gone(file)


@run
async def test_a_gateway_with_a_relay_that_never_answers_ends(tmp_path: Path) -> None:
    """A socket that is accepted and then silent."""
    file = tmp_path / "noted"
    there = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there.set()
        await reader.read()
        writer.close()

    listening = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    async with running(*gateway(f"ws://127.0.0.1:{port}", file, "none", "--shared")) as served:
        await there.wait()
        assert await served.end(signal.SIGTERM) == (0, "")
    listening.close()
    await until_gone(file)


@pytest.mark.parametrize("command", ["proxy", "call", "discover"])
@pytest.mark.parametrize("number", SIGNALS[:2])
@run
async def test_a_client_that_waits_for_a_silent_relay_ends_at_once(command: str, number: signal.Signals) -> None:
    there = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there.set()
        await reader.read()
        writer.close()

    listening = await asyncio.start_server(silent, "127.0.0.1", 0)
    url = f"ws://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    target = [] if command == "discover" else [nip19.encode(PROVIDER.public_key)]
    async with running(command, *target, "--relay", url, "--timeout", "10000") as asked:
        await there.wait()
        assert await asked.end(number) == (0 if command == "proxy" else 130, "")
        assert asked.errors == ""
    listening.close()


@run
async def test_a_proxy_ends_with_its_host(tmp_path: Path) -> None:
    file = tmp_path / "noted"
    async with LoopbackRelay() as relay, running(*gateway(relay.url, file)) as served:
        npub = (await served.line())["npub"]
        async with running("proxy", npub, "--relay", relay.url) as proxy:
            assert proxy.process.stdin is not None
            about = {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "host", "version": "1"},
            }
            first = {"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": about}
            proxy.process.stdin.write(json.dumps(first).encode() + b"\n")
            assert (await proxy.line())["result"]["serverInfo"]["name"] == "none"
            assert await proxy.end() == (0, "")
        assert await served.end(signal.SIGTERM) == (0, "")
    await until_gone(file)


@run
async def test_announcements_are_withdrawn_and_a_relay_that_refuses_is_named(tmp_path: Path) -> None:
    file, wire = tmp_path / "noted", Wire()
    async with (
        LoopbackRelay(record=wire.record) as relay,
        LoopbackRelay(faults=[parse("reject=blocked:kind=5")]) as refusing,
        running(*gateway(relay.url, file, "none", "--announce", "--withdraw", "--relay", refusing.url)) as served,
    ):
        await served.line()
        await wire.until(lambda direction, frame: direction == "in" and b'"kind":11317' in frame)
        assert await served.end(signal.SIGTERM) == (0, "")
        assert served.errors == f"nostrmcp: not withdrawn: {refusing.url}: refused: blocked: as asked for\n"
        assert not any(event.kind in (11316, 11317) for event in relay._store._events.values())
    await until_gone(file)


@run
async def test_a_state_file_that_cannot_be_written_ends_the_gateway_before_anything_is_executed(tmp_path: Path) -> None:
    """A limit on the size of files is what a full disk looks like."""
    file, state = tmp_path / "noted", tmp_path / "state"
    async with LoopbackRelay() as relay, running(*gateway(relay.url, file, "none", "--state", str(state))) as served:
        npub = (await served.line())["npub"]
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (0, 0))
        async with running("call", npub, "tell", '{"mark":"one"}', "--relay", relay.url) as calling:
            assert await served.process.wait() == 1
            await calling.end(signal.SIGTERM)
        assert (await served.end())[0] == 1
        assert served.errors == f"nostrmcp: cannot write {state}: File too large\n"
    assert noted(file, "call") == []
    await until_gone(file)


@run
async def test_strangers_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    """What a relay says, and what a server says of itself and of an error, is shown without escapes and bounded."""
    evil = EVIL + "x" * 5000

    async def lie(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 500 \x1b[31mowned\r\nX: \x1b[31m\r\n\r\n{evil}".encode())
        writer.close()

    listening = await asyncio.start_server(lie, "127.0.0.1", 0)
    url = f"ws://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    async with running("discover", "--relay", url) as asked:
        code, out = await asked.end()
        assert code == 2 and out == ""
    listening.close()
    async with LoopbackRelay() as relay, running(*gateway(relay.url, tmp_path / "noted", "none", "--shared")) as served:
        await served.line()
        for visitor in relay._visitors:
            for _ in range(1000):
                relay._say(visitor, json.dumps(["NOTICE", evil]).encode())
        await served.told("owned")
        code, out = await served.end(signal.SIGTERM)
        assert (code, out) == (0, "")
        assert served.errors.count("\n") < 300
        assert max(map(len, served.errors.splitlines())) < 2200
    for errors in (asked.errors, served.errors):
        assert errors.isascii() and all(line.isprintable() for line in errors.splitlines())


@run
async def test_a_server_cannot_write_to_the_terminal_of_its_callers(tmp_path: Path) -> None:
    """Its name, its tools, its results and its errors: everything is shown, and nothing of it acts."""
    file = tmp_path / "noted"
    words = ["--shared", "--announce", "--name", EVIL, "--about", EVIL]
    async with LoopbackRelay() as relay, running(*gateway(relay.url, file, "evil", *words)) as served:
        npub = (await served.line())["npub"]
        shown = []
        for command in (
            ["discover", "--relay", relay.url],
            ["call", npub, "--relay", relay.url],
            ["call", npub, "tell", '{"mark":"one"}', "--relay", relay.url],
            ["call", npub, "bad", '{"mark":"two"}', "--relay", relay.url],
        ):
            async with running(*command) as asked:
                code, out = await asked.end()
                assert code == (1 if "bad" in command else 0)
                shown.append(out + asked.errors)
        assert await served.end(signal.SIGTERM) == (0, "")
    for text in shown:
        assert "owned" in text
        assert all(line.isprintable() and "\u202e" not in line for line in text.split("\n"))
    await until_gone(file)
