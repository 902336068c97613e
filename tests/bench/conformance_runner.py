"""Cases a second through the pipe of the conformance runner, against an adapter that echoes, on one core.

    python tests/bench/conformance_runner.py 20000

The whole way of a run: vector files read, cases put and judged, results written. Runner and adapter share the core.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CASES = 20_000
CASES_A_FILE = 500
MIN_PER_SECOND = 2_000
ECHO = Path(__file__).with_name("programs") / "echo_adapter.py"


def write_vectors(folder: Path, count: int) -> None:
    """Vector files of cases whose output is their input, the size of a small event."""
    (folder / "common").mkdir(parents=True)
    names = []
    for first in range(0, count, CASES_A_FILE):
        cases = [case(number) for number in range(first, min(first + CASES_A_FILE, count))]
        suite = {"suite": f"common/echo{first}", "title": "echo", "notes": {"Echo": {"effect": "none"}}}
        names.append(f"common/echo{first}.json")
        (folder / names[-1]).write_text(json.dumps(suite | {"groups": [{"op": "echo", "cases": cases}]}))
    (folder / "INDEX.json").write_text(json.dumps({"files": [{"path": name} for name in names]}))


def case(number: int) -> dict[str, object]:
    value = {"number": number, "tags": [["p", f"{number:064x}"], ["e", f"{number:064x}"]], "content": "x" * 100}
    return {
        "id": f"echo-{number}", "title": "what is said comes back", "level": "MUST", "req": ["NIP01-EVT-05"],
        "flags": ["Echo"], "input": value, "result": "valid", "compare": "exact", "output": value,
    }  # fmt: skip


def run(folder: Path, results: Path) -> float:
    """Run all cases; the seconds that took."""
    from nostrmcp.conformance.runner import Run, Settings
    from nostrmcp.conformance.selection import Selection, survey
    from nostrmcp.conformance.stream import Writer
    from nostrmcp.conformance.testee import Testee, Timeouts

    selection = Selection()
    begun = time.perf_counter()
    with results.open("w", encoding="utf-8") as file:
        found = survey(selection, set(), folder)
        settings = Settings("cmd:echo", selection, 1)
        code = Run(Testee([sys.executable, str(ECHO)], Timeouts()), settings, found, Writer(file)).run(lambda *_: None)
    if code != 0:
        raise RuntimeError(f"the run ended with {code!r}")
    return time.perf_counter() - begun


def main(count: int) -> None:
    """Measure, and print cases a second."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {random.choice(sorted(os.sched_getaffinity(0)))})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_vectors(folder / "vectors", count)
        print(count / run(folder / "vectors", folder / "run.jsonl"))


def cases_per_second(count: int = CASES) -> float:
    """The speed, measured in a process of its own, which is bound to one core."""
    command = [sys.executable, __file__, str(count)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else CASES)
