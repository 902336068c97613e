"""Mutation testing of the code that handles peers' input, with the vectors alone as the test suite.

python tests/mutation/mutation.py --sample 300 --seed 1

A mutant is killed if some vector no longer passes: another output, another error class, a crash or no end. Each runs
in a process of its own, against the vectors that reach its line. survivors.toml lists those that live, with the reason.
"""

from __future__ import annotations

import argparse
import functools
import gc
import json
import os
import random
import resource
import select
import signal
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1])]

from nostrmcp.conformance.check import answer  # noqa: E402
from nostrmcp.conformance.judge import Verdict, judge  # noqa: E402
from nostrmcp.conformance.operations import OPERATIONS, Operation, Value  # noqa: E402
from nostrmcp.conformance.vectors import Case, load_suites  # noqa: E402
from nostrmcp.nostr import LocalProtocolError  # noqa: E402
from tests.mutation.mutants import Mutant, closures, function_of, install, modules, mutants_of  # noqa: E402

TARGET = 0.95
# A vector takes milliseconds of processor time; whatever takes so many seconds has no end.
SECONDS = 2
MEMORY = 1 << 30
KILLED, SURVIVED, UNREACHED = "killed", "survived", "unreached"
# Not counted at all; unlike the code in no way that a vector could show; killed by a vector that nobody has written.
KINDS = EXCLUDED, EQUIVALENT, MISSING = "excluded", "equivalent", "missing"
Reached = dict[tuple[str, int], list[int]]


@dataclass(frozen=True, slots=True)
class Rule:
    """Mutants of one function, all or some, and what is said of them: one of KINDS."""

    function: str
    mutants: tuple[str, ...]
    reason: str
    kind: str

    def covers(self, mutant: Mutant) -> bool:
        return mutant.place == self.function and (not self.mutants or mutant.name in self.mutants)


def load_rules(path: Path = HERE / "survivors.toml") -> list[Rule]:
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    return [
        Rule(one["function"], tuple(one.get("mutants", ())), one["reason"], kind)
        for kind in KINDS
        for one in tables.get(kind, [])
    ]


def as_we_read(case: Case) -> Case:
    """A case in which two readings differ, as ours has it: a class of refusal is given where we refuse."""
    if case.result != "acceptable" or (case.error_class is None and case.output is None):
        return case
    return replace(case, result="valid" if case.error_class is None else "invalid")


def passes(case: Case) -> bool:
    """Whether a case passes, and a peer's fault was told as one: what is read never leads to a LocalProtocolError."""
    try:
        given = answer(_READING.get(case.op, OPERATIONS[case.op]), case)
    except _OurOwnFault:
        return False
    return judge(case, given).verdict is Verdict.PASS


class _OurOwnFault(Exception):
    pass


def _reading(operation: Operation) -> Operation:
    def read(given: Value) -> Value:
        try:
            return operation(given)
        except LocalProtocolError as problem:
            raise _OurOwnFault from problem

    return read


_READING = {
    op: _reading(OPERATIONS[op])
    for op in ("check_event", "decode_event", "detect_revisions", "json_parse", "parse_announcement",
               "parse_client_frame", "parse_event", "parse_relay_frame", "unwrap", "gift_unwrap", "verify_event")
}  # fmt: skip


def lines_of_cases(cases: list[Case], wanted: set[str]) -> Reached:
    """For each line of the wanted files, the cases that reach it."""
    reached: Reached = defaultdict(list)
    lines: set[tuple[str, int]] = set()

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if event == "call" and frame.f_code.co_filename not in wanted:
            return None
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    for number, case in enumerate(cases):
        lines.clear()
        clear_caches()
        sys.settrace(trace)
        try:
            good = passes(case)
        finally:
            sys.settrace(None)
        if not good:
            raise SystemExit(f"{case.id} fails without any mutant: mend that first")
        for line in lines:
            reached[line].append(number)
    return reached


@functools.cache
def caches() -> list[Any]:
    """What the package remembers from one call to another."""
    found = [one for one in gc.get_objects() if isinstance(one, functools._lru_cache_wrapper)]
    return [one for one in found if one.__module__.startswith("nostrmcp.")]


def clear_caches() -> None:
    for one in caches():
        one.cache_clear()


def outcome_of(mutant: Mutant, cases: Iterable[Case]) -> str:
    """Put a mutant to the cases, in a process of its own."""
    child = os.fork()
    if child == 0:
        code = 2
        try:
            os.closerange(0, 3)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
            install(mutant)
            clear_caches()
            # No map: a StopIteration of the mutant would end it, and with it the cases.
            code = 0 if all(_passes_in_time(case) for case in cases) else 1
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return SURVIVED if status == 0 else KILLED


def _passes_in_time(case: Case) -> bool:
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    return passes(case)


def run(mutants: list[Mutant], cases: list[Case], reached: Reached, jobs: int) -> Iterator[tuple[int, str]]:
    """The outcome of each mutant, by its number, as they come."""
    closures()
    gc.collect()
    gc.freeze()  # else each child copies what its collector marks
    readers = {}
    for job in range(jobs):
        reading, writing = os.pipe()
        if os.fork() == 0:
            for number in range(job, len(mutants), jobs):
                mutant = mutants[number]
                numbers = {one for line in mutant.lines for one in reached.get((mutant.file, line), ())}
                # The smaller inputs first: most mutants die at once.
                chosen = sorted(numbers, key=lambda one: (cases[one].op.startswith("session"), one))
                outcome = outcome_of(mutant, (cases[one] for one in chosen)) if chosen else UNREACHED
                os.write(writing, f"{number} {outcome}\n".encode())
            os._exit(0)
        os.close(writing)
        readers[reading] = b""
    while readers:
        for reading in select.select(list(readers), [], [])[0]:
            data = os.read(reading, 65_536)
            if not data:
                os.close(reading)
                del readers[reading]
                continue
            *whole, readers[reading] = (readers[reading] + data).split(b"\n")
            for line in whole:
                name, _, outcome = line.decode().partition(" ")
                yield int(name), outcome
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutation testing with the vectors alone.")
    parser.add_argument("--sample", type=int, metavar="N", help="so many mutants, chosen at random (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="decides the choice (default: 0)")
    parser.add_argument("--module", action="append", default=[], help="only modules whose name contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", action="store_true", help="one JSON object for each mutant that lives")
    options = parser.parse_args()

    rules = load_rules()
    chosen = [name for name in modules() if not options.module or any(one in name for one in options.module)]
    every = [mutant for name in chosen for mutant in mutants_of(name) if function_of(mutant) is not None]
    counted = [one for one in every if not any(rule.kind == EXCLUDED and rule.covers(one) for rule in rules)]
    if options.sample is not None:
        counted = random.Random(options.seed).sample(counted, min(options.sample, len(counted)))
    cases = [as_we_read(case) for suite in load_suites() for case in suite.cases]
    reached = lines_of_cases(cases, {one.file for one in counted})
    lived: list[tuple[Mutant, str]] = []
    layers: dict[str, Counter[str]] = defaultdict(Counter)
    for finished, (number, outcome) in enumerate(run(counted, cases, reached, options.jobs), start=1):
        mutant = counted[number]
        layers[mutant.module.split(".")[1]][outcome] += 1
        if outcome != KILLED:
            lived.append((mutant, outcome))
        if sys.stderr.isatty():
            print(f"\r{finished}/{len(counted)} mutants", end="", file=sys.stderr)
    return report(options, counted, lived, layers, rules, every)


def report(
    options: argparse.Namespace, counted: list[Mutant], lived: list[tuple[Mutant, str]],
    layers: dict[str, Counter[str]], rules: list[Rule], every: list[Mutant],
) -> int:  # fmt: skip
    known = {(one.place, one.name) for one in every}
    stale = [(rule.function, name) for rule in rules for name in rule.mutants if (rule.function, name) not in known]
    if options.sample is None and not options.module and not options.json:
        for place, name in stale:
            print(f"no longer there: {place}: {name}")
    found = [
        (mutant, outcome, next((rule for rule in rules if rule.covers(mutant)), None)) for mutant, outcome in lived
    ]
    for mutant, outcome, rule in sorted(found, key=lambda one: (one[0].module, one[0].lines.start)):
        if options.json:
            told = {"function": mutant.place, "line": mutant.lines.start, "mutant": mutant.name, "outcome": outcome}
            print(json.dumps(told | {"kind": rule and rule.kind, "reason": rule and rule.reason}))
        elif rule is None:
            print(f"{outcome}: {mutant.place} line {mutant.lines.start}: {mutant.name}")
    kinds = Counter(None if rule is None else rule.kind for _, _, rule in found)
    equivalent = Counter(one.module.split(".")[1] for one, _, rule in found if rule and rule.kind == EQUIVALENT)
    table = sys.stderr if options.json else sys.stdout
    for layer, counts in layers.items():
        able = counts.total() - equivalent[layer]
        share = f"{counts[KILLED] / max(1, able):6.1%} of {able:4} that can be"
        print(f"{layer:10} {counts.total():5} mutants {counts[KILLED]:5} killed, {share}", file=table)
    killed = len(counted) - len(lived)
    able = len(counted) - kinds[EQUIVALENT]
    print(
        f"{len(counted)} of {len(every)} mutants counted, {killed} killed: {killed / max(1, len(counted)):.1%}, and "
        f"{killed / max(1, able):.1%} of those that can be (target {TARGET:.0%}); {kinds[EQUIVALENT]} are equivalent, "
        f"{kinds[MISSING]} lack a vector, {kinds[None]} are not listed",
        file=table,
    )
    whole = options.sample is None and not options.module
    # Of a sample the share is chance; that each survivor is listed holds for any.
    return 1 if kinds[None] or (whole and (stale or killed < TARGET * able)) else 0


if __name__ == "__main__":
    sys.exit(main())
