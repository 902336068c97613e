"""What a call costs on its whole way through a relay, and what a relay's deliveries cost: between processes.

Each program is a process of its own, started once; then all of them are loaded by turns. They are asked and answered as
programs/load.py says.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from timing import Comparison, Progress, Time

PROGRAMS = Path(__file__).with_name("programs")
PROJECT = Path(__file__).resolve().parents[2]

IN_FLIGHT = (1, 64)
SUBSCRIBERS = (1, 100, 1_000)
# Events that are published at once to so many subscribers.
PUBLISHED = {1: 1_000, 100: 100, 1_000: 20}
PLAIN, ENCRYPTED = MODES = ("plain", "encrypted")

OURS = "ours"
SKETCH = "sketch without state machine"
OFFICIAL = "official Python SDK over stdio"
CONTEXTVM = {runtime: f"@contextvm/sdk on {runtime}" for runtime in ("node", "bun")}
# Calls at one time, as many as take some tenths of a second, with one in flight and with many.
CALLS = {OURS: (100, 1_280), SKETCH: (100, 1_280), OFFICIAL: (100, 640)}
CALLS |= dict.fromkeys(CONTEXTVM.values(), (20, 128))


class Program:
    """A process that answers each line of JSON with one. It ends when its input does, or is killed."""

    def __init__(self, stack: contextlib.ExitStack, *command: str) -> None:
        environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "PYTHONPATH": str(PROJECT)}
        self._command = command
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PROJECT
        )
        stack.callback(self._end)
        self.ready: Any = None

    def _end(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.2)
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    def line(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{' '.join(self._command)} has ended with code {self._process.wait()}")
        value: dict[str, Any] = json.loads(line)
        return value

    def wait(self) -> Program:
        self.ready = self.line()["ready"]
        return self

    def load(self, **what: int) -> float:
        """Microseconds."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        microseconds: float = self.line()["microseconds"]
        return microseconds


def ours(name: str) -> tuple[str, str]:
    return sys.executable, str(PROGRAMS / name)


@dataclass(frozen=True)
class Peers:
    """The published software that is installed: what runs it, by name."""

    official: str | None
    contextvm: Mapping[str, tuple[str, str]]

    @classmethod
    def find(cls, folder: Path) -> Peers:
        python, node = folder / "python" / "bin" / "python", folder / "node"
        runtimes = {"node": shutil.which("node"), "bun": shutil.which("bun", path=str(node / "node_modules" / ".bin"))}
        found: dict[str, tuple[str, str]] = {}
        if (node / "node_modules" / "@contextvm" / "sdk").is_dir():
            # Packages are looked for from the folder in which a program lies.
            program = shutil.copy(PROGRAMS / "contextvm.mjs", node)
            found = {CONTEXTVM[name]: (path, str(program)) for name, path in runtimes.items() if path is not None}
        return cls(str(python) if python.is_file() else None, found)

    @classmethod
    def none(cls) -> Peers:
        return cls(None, {})

    @property
    def status(self) -> dict[str, str]:
        there = {OFFICIAL: self.official is not None}
        there |= {name: name in self.contextvm for name in CONTEXTVM.values()}
        return {name: "measured" if is_there else "not installed" for name, is_there in there.items()}


def label(name: str, mode: str, in_flight: int) -> str:
    how = f"call: {in_flight} in flight"
    return f"{how}, {name}" if name == OFFICIAL else f"{how}, {mode}, {name}"


def callers(stack: contextlib.ExitStack, peers: Peers) -> Iterator[tuple[str, str, Program]]:
    """Clients that are connected to their servers, all but the official one's over one relay."""
    relay = Program(stack, *ours("relay.py")).wait().ready
    gateway = Program(stack, *ours("ours.py"), "serve", relay).wait().ready
    for mode in MODES:
        yield OURS, mode, Program(stack, *ours("ours.py"), "call", relay, gateway, mode).wait()
        both = {SKETCH: ours("sketch.py"), **peers.contextvm}
        for name, command in both.items():
            server = Program(stack, *command, "serve", relay, mode).wait().ready
            yield name, mode, Program(stack, *command, "call", relay, server, mode).wait()
    if peers.official is not None:
        yield OFFICIAL, PLAIN, Program(stack, peers.official, str(PROGRAMS / "official.py"), "call").wait()


def measure_calls(peers: Peers, rounds: int, progress: Progress) -> dict[str, Time]:
    times: dict[str, list[float]] = {}
    with contextlib.ExitStack() as stack:
        everyone = list(callers(stack, peers))
        for number in range(rounds + 1):
            progress(f"call: round {number} of {rounds}")
            for in_flight in IN_FLIGHT:
                for name, mode, program in everyone:
                    calls = CALLS[name][IN_FLIGHT.index(in_flight)]
                    microseconds = program.load(calls=calls, in_flight=in_flight)
                    if number > 0:  # the first round lets engines compile, and connections settle
                        times.setdefault(label(name, mode, in_flight), []).append(microseconds)
    return {name: Time.of(values) for name, values in times.items()}


def call_comparisons(peers: Peers) -> list[Comparison]:
    one, many = IN_FLIGHT
    found = []
    for mode in MODES:
        for in_flight in IN_FLIGHT:
            subject = label(OURS, mode, in_flight)
            found.append(Comparison(subject, label(SKETCH, mode, in_flight), target=1.6))
            for runtime, at_many in (("node", 20.0), ("bun", 8.0)):
                name = CONTEXTVM[runtime]
                at_one = 8.0 if runtime == "node" and mode == ENCRYPTED else None
                if name in peers.contextvm:
                    target = at_many if in_flight == many else at_one
                    found.append(Comparison(subject, label(name, mode, in_flight), target, with_peer=True))
    if peers.official is not None:
        found += [
            Comparison(label(OURS, PLAIN, many), label(OFFICIAL, PLAIN, many), 2.0, with_peer=True),
            Comparison(label(OURS, ENCRYPTED, many), label(OFFICIAL, PLAIN, many), 1.0, with_peer=True),
            Comparison(label(OURS, PLAIN, one), label(OFFICIAL, PLAIN, one)),
            Comparison(label(OURS, ENCRYPTED, one), label(OFFICIAL, PLAIN, one), 2.0),
        ]
    return found


RELAYS = {
    "our relay": (*ours("relay.py"),),
    "bare forwarder": (*ours("forwarder.py"), "bare"),
    "verifying forwarder": (*ours("forwarder.py"), "verifying"),
}


def delivery(name: str, subscribers: int) -> str:
    return f"relay: a delivery to {subscribers:,}, {name}"


def measure_deliveries(rounds: int, progress: Progress) -> dict[str, Time]:
    times: dict[str, list[float]] = {}
    with contextlib.ExitStack() as stack:
        urls = {name: Program(stack, *command).wait().ready for name, command in RELAYS.items()}
        for count in SUBSCRIBERS:
            with contextlib.ExitStack() as while_counted:
                audiences = {
                    name: Program(
                        while_counted, *ours("audience.py"), url, str(count), "relay" if name == "our relay" else "raw"
                    ).wait()
                    for name, url in urls.items()
                }
                for number in range(rounds + 1):
                    progress(f"relay: {count} subscribers, round {number} of {rounds}")
                    for name, audience in audiences.items():
                        microseconds = audience.load(calls=PUBLISHED[count])
                        if number > 0:
                            times.setdefault(delivery(name, count), []).append(microseconds)
    return {name: Time.of(values) for name, values in times.items()}


def delivery_comparisons() -> list[Comparison]:
    """How many times the deliveries of a forwarder in the same time ours are."""
    mine, *others = RELAYS
    return [
        Comparison(delivery(mine, count), delivery(other, count), target=0.8, with_peer=True)
        for count in SUBSCRIBERS
        for other in others
    ]


def measure_start(commands: Mapping[str, Collection[str]], rounds: int, progress: Progress) -> dict[str, Time]:
    """From the start of a process to its end."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        progress(f"start: round {number} of {rounds}")
        for name, command in commands.items():
            began = perf_counter()
            subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL, cwd=PROJECT)
            if number > 0:  # the first round fills the caches of bytecode and files
                times[name].append((perf_counter() - began) * 1e6)
    return {name: Time.of(values) for name, values in times.items()}


HELP, BARE = "nostrmcp --help", "bare Python"
STARTS = {HELP: ("-m", "nostrmcp", "--help"), BARE: ("-c", "pass")}
MAX_START = 60.0


def milliseconds_of_help(rounds: int, progress: Progress) -> float:
    """How much longer `nostrmcp --help` takes than an interpreter that does nothing."""
    times = measure_start(STARTS, rounds, progress)
    return (times[HELP].median - times[BARE].median) / 1e3
