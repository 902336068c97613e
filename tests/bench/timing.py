"""How the benchmark measures: small batches of everything in a group by turns, and medians.

What disturbs the machine for a while then disturbs all of a group, and their ratio nearly stays. Nearly: a busy
neighbour slows Python more than it slows arithmetic. So each time comes with its spread, and a ratio with a large one
says little.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import timeit
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

Function = Callable[[], Any]
Progress = Callable[[str], None]

BATCH = 20


@dataclass(frozen=True)
class Comparison:
    """One line of the table: the time of `subject` as a multiple of the time of `baseline`, both in one group.

    With a peer it is the other way round: how many times as fast as the peer the subject is.
    """

    subject: str
    baseline: str
    target: float | None = None
    with_peer: bool = False


@dataclass(frozen=True)
class Group:
    """Functions that are measured together, and what is compared among them.

    What `before` holds for a function runs before each of its batches, and is not timed.
    """

    name: str
    functions: Mapping[str, Function]
    comparisons: list[Comparison] = field(default_factory=list)
    before: Mapping[str, Function] = field(default_factory=dict)


@dataclass(frozen=True)
class Time:
    """Microseconds: the median, and how far it lies above the quickest tenth (0.05 is five percent)."""

    median: float
    spread: float

    @classmethod
    def of(cls, microseconds: list[float]) -> Time:
        median = statistics.median(microseconds)
        return cls(median, median / sorted(microseconds)[len(microseconds) // 10] - 1)


def measure(group: Group, rounds: int, progress: Progress) -> dict[str, Time]:
    """The time per call of each function, from the means of batches."""
    if not group.functions:
        return {}
    timers = [
        (name, timeit.Timer(function, group.before.get(name, "pass")).timeit)
        for name, function in group.functions.items()
    ]
    times: dict[str, list[float]] = {name: [] for name in group.functions}
    for _, run in timers:
        run(BATCH)
    for number in range(rounds):
        progress(f"{group.name}: round {number + 1} of {rounds}")
        turn = number % len(timers)  # nothing always runs after the same neighbour's leftovers in the caches
        for name, run in timers[turn:] + timers[:turn]:
            times[name].append(run(BATCH) / BATCH * 1e6)
    return {name: Time.of(values) for name, values in times.items()}


def measure_imports(programs: Mapping[str, str], rounds: int, progress: Progress) -> dict[str, Time]:
    """The time that each program adds to an interpreter that does nothing, from fresh processes."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    everything = {"": "pass", **programs}
    times: dict[str, list[float]] = {name: [] for name in everything}
    for number in range(rounds + 1):
        progress(f"import: round {number} of {rounds}")
        for name, program in everything.items():
            start = perf_counter()
            subprocess.run([sys.executable, "-c", program], check=True, env=environment)
            if number > 0:  # the first round fills the caches of bytecode and files
                times[name].append((perf_counter() - start) * 1e6)
    bare = statistics.median(times[""])
    return {name: Time.of([value - bare for value in values]) for name, values in times.items() if name}
