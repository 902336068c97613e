"""`nostrmcp conformance`: put the vectors to any implementation, and report."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from ..conformance import baseline
from ..conformance.pipe import Broken
from ..conformance.selection import LEVELS, Selection, Survey, in_order, is_hardening, survey
from ..conformance.stream import Writer, joined, open_stream
from ..conformance.testee import Testee, Timeouts, command_of
from ..conformance.text import cut, visible_lines
from ..conformance.verdicts import Exit, Status
from . import live, reports
from .problem import Problem, seconds

# Options that what becomes of a case depends on.
_AGAIN = ("--testee", "--strict", "--baseline", "--seed", "--timeout", "--start-timeout", "--no-smoke")


def add_to(commands: Any) -> None:
    """Add the command to the program's parser."""
    about = "put the vectors to an implementation in any language, and report"
    example = "example: nostrmcp conformance run --testee self --suite nip44"
    parser = commands.add_parser("conformance", help=about, description=about.capitalize() + ".", epilog=example)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)

    example = "nostrmcp conformance run --testee 'cmd:node adapter.mjs' --report junit=report.xml html=report.html"
    running = reports.add_action(actions, "run", _run, "run the vectors", example)
    running.add_argument("--testee", required=True, metavar="T", help="cmd:PROGRAM, python:pkg.mod:factory, or self")
    _add_selection(running)
    running.add_argument("--strict", action="store_true", help="warnings (SHOULD, error classes, hardening) fail")
    running.add_argument("--baseline", type=Path, metavar="FILE", help="TOML with the failures that are expected")
    running.add_argument("--write-baseline", type=Path, metavar="FILE", help="write what fails as a baseline")
    reports.add_report(running)
    running.add_argument("--seed", type=int, help="decides the order (default: random, printed)")
    running.add_argument("--timeout", type=seconds, default=2.0, metavar="S", help="for an answer (default: 2)")
    running.add_argument("--start-timeout", type=seconds, default=10.0, metavar="S", help="for hello (default: 10)")
    running.add_argument("--no-smoke", action="store_true", help="score an adapter that gets nothing right, too")
    running.add_argument("--dry-run", action="store_true", help="list the cases in their order and run nothing")
    running.add_argument("--check-adapter", action="store_true", help="check the traffic by its schema; no score")

    example = "nostrmcp conformance list --suite nip44 --level MUST"
    about = "list the cases of the vectors (live list has the live checks)"
    listing = reports.add_action(actions, "list", _list, about, example)
    _add_selection(listing)
    listing.add_argument("--json", action="store_true", help="one JSON object a line")

    example = "nostrmcp conformance report run.jsonl --report html=run.html"
    reporting = reports.add_action(actions, "report", _report, "render a saved stream again", example)
    reporting.add_argument("stream", type=Path, nargs="+", help="what --report json=FILE wrote; several are one report")
    reports.add_report(reporting)

    live.add_to(actions)

    example = "nostrmcp conformance self --report html=conformance.html"
    about = "run everything against nostrmcp itself: vectors through the pipe, live checks against its gateway"
    reports.add_report(reports.add_action(actions, "self", _self, about, example))


def _add_selection(parser: argparse.ArgumentParser) -> None:
    more: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument("--revision", metavar="R", help="only this revision, or common, or mcp", **more)
    parser.add_argument("--suite", metavar="S", help="only this file or area (nip44, decode), or hardening", **more)
    parser.add_argument("--case", metavar="ID", help="only this case", **more)
    parser.add_argument("--level", choices=LEVELS, default="MAY", help="nothing below this level (default: MAY)")


def _selection(options: argparse.Namespace) -> Selection:
    return Selection(tuple(options.revision), tuple(options.suite), tuple(options.case), options.level)


def _list(options: argparse.Namespace) -> int:
    selection = _selection(options)
    survey(selection, set())
    for _, case in sorted(in_order(selection, 0), key=lambda one: (one[1].suite, one[1].id)):
        hardening = is_hardening(case)
        if options.json:
            row = {"case": case.id, "suite": case.suite, "op": case.op, "level": case.level, "title": case.title}
            print(json.dumps(row | {"hardening": hardening, "req": case.req}))
        else:
            print(f"{case.id:48} {case.level:6} {'hardening' if hardening else '':9} {case.title}")
    return Exit.CONFORMING


def _report(options: argparse.Namespace) -> int:
    streams = [open_stream(path) for path in options.stream]
    reports.show(joined(streams) if len(streams) > 1 else streams[0], options)
    return Exit.CONFORMING


def _run(options: argparse.Namespace) -> int:
    if os.name != "posix":
        raise Problem("conformance run needs a POSIX system, as testees run in process groups")
    selection = _selection(options)
    command = command_of(options.testee)
    seed = random.SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    expected = baseline.load(options.baseline) if options.baseline else {}
    found = survey(selection, set(expected))
    baseline.check_known(expected, found.known)
    if options.dry_run:
        for _, case in in_order(selection, seed):
            print(case.id)
        print(f"{found.total} cases, seed {seed}", file=sys.stderr)
        return Exit.CONFORMING
    timeouts = Timeouts(options.start_timeout, options.timeout)
    if options.check_adapter:
        return _check_adapter(command, timeouts, found)
    from ..conformance.runner import Run, Settings

    options.seed = seed
    again = ("nostrmcp", "conformance", "run", *reports.again(options, *_AGAIN))
    settings = Settings(options.testee, selection, seed, options.strict, not options.no_smoke, expected, again)
    with tempfile.TemporaryDirectory(prefix="nostrmcp-") as folder:
        path = Path(folder) / "run.jsonl"
        bar = reports.Bar()
        with reports.writing(path) as file:
            code = Run(Testee(command, timeouts), settings, found, Writer(file)).run(bar.show)
        bar.end()
        stream = open_stream(path)
        reports.show(stream, options)
        if options.write_baseline is not None:
            reports.write_baseline(stream, options.write_baseline, expected)
    return code


def _self(options: argparse.Namespace) -> int:
    """Both kinds of run against this package, as one report."""
    from ..conformance.runner import Run, Settings

    seed = random.SystemRandom().randrange(1_000_000)
    everything = Selection()
    found = survey(everything, set())
    with tempfile.TemporaryDirectory(prefix="nostrmcp-") as folder:
        paths = [Path(folder) / name for name in ("vectors.jsonl", "live.jsonl")]
        print("vectors, through the pipe ...", file=sys.stderr)
        bar = reports.Bar()
        with reports.writing(paths[0]) as file:
            again = ("nostrmcp", "conformance", "run", "--testee", "self", "--seed", str(seed), "--timeout", "10")
            testee = Testee(command_of("self"), Timeouts(10.0, 10.0))
            Run(testee, Settings("self", everything, seed, again=again), found, Writer(file)).run(bar.show)
        bar.end()
        print("live checks of the gateway, over a relay ...", file=sys.stderr)
        live.run_gateway(paths[1], seed)
        stream = joined([open_stream(path) for path in paths])
        reports.show(stream, options)
        *_, footer = stream()
        return int(footer["exit"])


def _check_adapter(command: list[str], timeouts: Timeouts, found: Survey) -> int:
    """Put a case or two of each operation to the adapter, and say in words what is wrong with its lines."""
    from ..conformance.schema import Checker, NoSchemas

    try:
        checker = Checker()
    except NoSchemas as problem:
        raise Problem(str(problem)) from None
    testee = Testee(command, timeouts, checker)
    asked: Counter[str] = Counter()
    try:
        hello = testee.start()
        for case in filter(hello.offers, [*found.accepts.values(), *found.refusals.values()]):
            asked[case.op] += 1
            try:
                testee.put(case)
            except Broken as broken:
                # What is wrong with a line was told when it came.
                if broken.status is not Status.GARBAGE or not checker.is_wrong:
                    why = f"{broken.status} {broken.detail} {testee.stderr.strip().rpartition(chr(10))[2]}"
                    checker.tell(_told(broken, testee, f"{case.op}: "), why)
                testee.start()
        problem_at_the_end = testee.finish()
        if problem_at_the_end:
            checker.tell(problem_at_the_end)
        code = Exit.VIOLATIONS if checker.mistakes else Exit.CONFORMING
    except Broken as broken:
        lines = visible_lines(_told(broken, testee, "the adapter cannot be run: "))
        print("nostrmcp: " + "\n".join(lines), file=sys.stderr)
        code = Exit.NOT_RUN
    finally:
        testee.kill()
    for mistake in checker.mistakes:
        print("\n".join(visible_lines(mistake)))
    count = len(checker.mistakes)
    mistakes = "1 mistake" if count == 1 else f"{count} mistakes"
    print(f"{asked.total()} cases of {len(asked)} operations, {mistakes} in the traffic")
    return code


def _told(broken: Broken, testee: Testee, what: str) -> str:
    """Why an adapter could not go on, with the last that it said of it."""
    hint = "; is each answer a whole line, and flushed?" if broken.status is Status.TIMEOUT else ""
    said = testee.stderr.strip() if broken.status in (Status.CRASH, Status.TIMEOUT) else ""
    lines = [f"    {cut(line, 200)}" for line in said.split("\n")[-10:] if said]
    return "\n".join([f"{what}{broken.detail}{hint}", *lines])
