"""What the tests of gateway, proxy and discovery share: a recording relay, a gateway before a server, and callers."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nostrmcp.nostr import SecretKey

from .peers import PROGRAMS, PYTHON, Program, command, ours

Steps = list[dict[str, Any]]


class Stage:
    """A loopback relay that records, and a folder for everything else."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.record = home / "wire.jsonl"
        self.url = ""

    @contextlib.contextmanager
    def gateway(self, server: list[str], *options: str) -> Iterator[Program]:
        """Our gateway before a server on stdio; where it is to be found is in its first line."""
        with Program(ours("gateway", "--json", "--relay", self.url, *options, "--", *server), self.home) as program:
            yield program

    def proxied(self, target: str, *options: str) -> list[str]:
        """The command that any MCP host would launch."""
        return ours("proxy", target, "--relay", self.url, *options)

    def key_file(self, name: str, key: SecretKey) -> str:
        path = self.home / name
        path.write_text(key.reveal().hex() + "\n", encoding="utf-8")
        path.chmod(0o600)
        return str(path)

    def sent(self) -> Counter[int]:
        """How many events of each kind were given to the relay."""
        frames = [json.loads(json.loads(line)["frame"]) for line in self._lines("in")]
        return Counter(frame[1]["kind"] for frame in frames if frame[0] == "EVENT")

    def _lines(self, direction: str) -> list[str]:
        lines = self.record.read_text(encoding="utf-8").splitlines()
        return [line for line in lines if json.loads(line)["direction"] == direction]


@contextlib.contextmanager
def stage(home: Path) -> Iterator[Stage]:
    one = Stage(home)
    with Program(ours("relay", "--json", "--record", str(one.record)), home) as relay:
        one.url = relay.line()["url"]
        yield one


def write_steps(home: Path, steps: Steps) -> str:
    path = home / "steps.json"
    path.write_text(json.dumps(steps), encoding="utf-8")
    return str(path)


def with_sdk(home: Path, mode: str, steps: Steps, server: list[str]) -> list[Any]:
    """What the official SDK's client is told: how it began, then each step's outcome."""
    script = [str(PYTHON), str(PROGRAMS / "sdk_client.py"), "--mode", mode, write_steps(home, steps), *server]
    with Program(script, home) as client:
        return client.lines()


def with_contextvm(
    stage: Stage, key: SecretKey, server: str, steps: Steps, *options: str, runtime: str = "node"
) -> list[Any]:
    """What ContextVM's client is told: how it began, then each step's outcome."""
    where = ["--relay", stage.url, "--server", server, write_steps(stage.home, steps)]
    script = command("contextvm_client.mjs", *where, *options, runtime=runtime)
    with Program(script, stage.home, {"SECRET": key.reveal().hex()}) as client:
        return client.lines()
