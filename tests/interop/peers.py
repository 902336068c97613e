"""The published software in .peers/, as processes of the tests, each in a group and a home of its own."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).with_name("programs")
FOLDER = ROOT / ".peers"
MODULES = FOLDER / "node" / "node_modules"
BUN = MODULES / ".bin" / "bun"
PYTHON = FOLDER / "python" / "bin" / "python"
EVERYTHING = MODULES / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"

# A peer that takes longer than this hangs.
PATIENCE = 60.0


def missing() -> str | None:
    """Why the tests cannot be run here, or None."""
    if not (FOLDER / ".ready").is_file():
        return "no peers in .peers/; `make peers` installs them"
    if shutil.which("node") is None:
        return "node is not installed"
    pinned = tomllib.loads((PROGRAMS.parent / "peers.toml").read_text(encoding="utf-8"))
    there = json.loads((FOLDER / "node" / "package.json").read_text(encoding="utf-8"))["dependencies"]
    return (
        None if there == pinned["node"] else "the peers in .peers/ are of other versions; `make peers` installs these"
    )


def command(program: str, *arguments: str, runtime: str = "node") -> list[str]:
    """What runs one of the programs beside this file, under the peer's own interpreter."""
    source = PROGRAMS / program
    if source.suffix == ".py":
        return [str(PYTHON), str(source), *arguments]
    # Node looks for packages from the folder a module lies in.
    copy = FOLDER / "node" / program
    text = source.read_bytes()
    if not copy.is_file() or copy.read_bytes() != text:
        part = copy.with_name(f"{program}.{os.getpid()}")
        part.write_bytes(text)
        part.replace(copy)
    return [str(BUN) if runtime == "bun" else runtime, str(copy), *arguments]


def everything() -> list[str]:
    """What runs @modelcontextprotocol/server-everything on stdio."""
    return ["node", str(EVERYTHING), "stdio"]


def ours(*arguments: str) -> list[str]:
    """What runs nostrmcp as a user does."""
    return [sys.executable, "-m", "nostrmcp", *arguments]


def environment(home: Path) -> dict[str, str]:
    """Nothing of the user's but the way to the programs."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8"}


class Silent(Exception):
    """A program said nothing in time, or has ended; with what it wrote to stderr."""


class Program:
    """A program that speaks JSON lines on stdout. Leaving the context ends it and everything it has started."""

    def __init__(self, command: list[str], home: Path, env: dict[str, str] | None = None) -> None:
        self.command = command
        self.home = home
        self._env = {**environment(home), "PYTHONPATH": str(ROOT), **(env or {})}
        self._errors = home / f"{Path(command[1]).name}.{time.monotonic_ns()}.stderr"
        self._rest = b""
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Program:
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                self.command,
                cwd=self.home,
                env=self._env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                bufsize=0,
                start_new_session=True,
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "the program runs inside its context"
        return self._process

    @property
    def errors(self) -> str:
        return self._errors.read_text(encoding="utf-8", errors="replace")

    def line(self, patience: float = PATIENCE) -> Any:
        """The next line, as JSON."""
        assert self.process.stdout is not None
        until = time.monotonic() + patience
        while b"\n" not in self._rest:
            readable, _, _ = select.select([self.process.stdout], [], [], max(0.0, until - time.monotonic()))
            more = os.read(self.process.stdout.fileno(), 1 << 16) if readable else b""
            if not more:
                raise Silent(f"{self.command}: {'ended' if readable else 'silent'}\n{self.errors}")
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    def lines(self) -> list[Any]:
        """All lines until the program ends by itself."""
        found = []
        while True:
            try:
                found.append(self.line())
            except Silent as silent:
                if self.process.wait(PATIENCE) != 0:
                    raise Silent(f"{silent}\nafter {found[-2:]}") from None
                return found

    def tell(self, value: Any) -> None:
        """One line to its stdin."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(value).encode() + b"\n")

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to end; its exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        """End it and its whole group at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


class ForeignRelay(Program):
    """One of the relays that nobody here wrote, on a port that it keeps when it is started again."""

    def __init__(self, name: str, home: Path, *arguments: str) -> None:
        suffix = "mjs" if name == "npm" else "py"
        super().__init__(command(f"{name}_relay.{suffix}", *arguments), home)
        self.name = name
        self.url = ""

    def __enter__(self) -> ForeignRelay:
        super().__enter__()
        try:
            self.url = self.line()["url"]
        except BaseException:
            self.kill()
            raise
        return self

    def restart(self) -> None:
        """Come back on the same port after `kill`."""
        self._rest = b""
        self.command = [*self.command, "--port", self.url.rpartition(":")[2]]
        self.__enter__()
