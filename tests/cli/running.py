"""The program as a user runs it, each command a process of its own, on 127.0.0.1."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = [sys.executable, "-m", "nostrmcp.runtime.example"]
# It only ends a test that hangs.
GUARD = 60.0


def environment(**more: str) -> dict[str, str]:
    """Ours, without what would name a relay or a key."""
    return {name: value for name, value in os.environ.items() if not name.startswith("NOSTRMCP_")} | more


def nostrmcp(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    command = [sys.executable, "-m", "nostrmcp", *arguments]
    given = {"cwd": ROOT, "env": environment(), "capture_output": True, "text": True, "timeout": GUARD} | options
    return subprocess.run(command, **given)


@contextmanager
def started(*arguments: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Start a command that goes on; at the end it is asked to leave, and does so in order."""
    command = [sys.executable, "-m", "nostrmcp", *arguments]
    given = {"cwd": ROOT, "env": environment(), "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **(given | options)) as process:
        try:
            yield process
            if process.poll() is None:
                assert leave(process) == 0
        finally:
            process.kill()


def leave(process: subprocess.Popen[str], number: signal.Signals = signal.SIGTERM) -> int:
    """Ask a command to end; its exit code. Nothing that it started is left."""
    children = descendants(process.pid)
    process.send_signal(number)
    code = process.wait(timeout=GUARD)
    assert [child for child in children if is_alive(child)] == []
    return code


def descendants(pid: int) -> list[int]:
    """The processes that a process has started."""
    words = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [one for word in words for one in (int(word), *descendants(int(word)))]


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def said(process: subprocess.Popen[str]) -> Any:
    """The next line of its output, as JSON."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        assert process.stderr is not None
        raise AssertionError(f"it has ended: {process.stderr.read()}")
    return json.loads(line)


@contextmanager
def relay(*arguments: str) -> Iterator[str]:
    """A relay; its address."""
    with started("relay", "--json", *arguments) as process:
        yield said(process)["url"]


@contextmanager
def gateway(url: str, *arguments: str, command: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """A gateway in front of the example server; what it says of itself."""
    words = ["gateway", "--relay", url, "--json", *arguments]
    with started(*words, *([] if command == [] else ["--", *(command or EXAMPLE)])) as process:
        yield {**said(process), "process": process}
