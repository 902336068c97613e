"""What the actions of `nostrmcp conformance` share: where reports go, progress, and what an unforeseen end means."""

from __future__ import annotations

import argparse
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from ..conformance import baseline
from ..conformance.selection import BadSelection
from ..conformance.stream import BadStream, Stream, told
from ..conformance.testee import BadTestee
from ..conformance.text import visible
from ..conformance.verdicts import MEANING, PRECEDENCE, Exit, Verdict
from .problem import FULL, INTERRUPTED, Problem

FORMATS = ("json", "junit", "html", "md")
Target = tuple[str, Path]


def add_action(
    actions: Any, name: str, run: Callable[[argparse.Namespace], int], about: str, example: str
) -> argparse.ArgumentParser:
    """Add an action; what the user did wrong is a Problem, anything unforeseen is our own defect and says so."""
    codes = "; ".join(f"{code.value} {meaning}" for code, meaning in MEANING.items())
    order = " before ".join(str(code.value) for code in PRECEDENCE[:-1])
    parser: argparse.ArgumentParser = actions.add_parser(
        name,
        help=about,
        description=about.capitalize() + ".",
        epilog=f"example: {example}\n\nexit codes: {codes}. Where several apply: {order}. {INTERRUPTED} is no verdict: "
        "the run was interrupted.",
        formatter_class=_Paragraphs,
    )
    parser.set_defaults(run=lambda options: _guarded(run, options), default_of=parser.get_default)
    return parser


def again(options: argparse.Namespace, *names: str) -> list[str]:
    """Those of the named options that say something else than their defaults, as words of a command line."""
    words: list[str] = []
    for name in names:
        member = name.removeprefix("--").replace("-", "_")
        value = getattr(options, member)
        if value == options.default_of(member):
            continue
        if value is True:
            words.append(name)
        else:
            given = value if isinstance(value, list) else [value]
            words += [word for one in given for word in (name, str(one).removesuffix(".0"))]
    return words


class _Paragraphs(argparse.HelpFormatter):
    def _fill_text(self, text: str, width: int, indent: str) -> str:
        fill = super()._fill_text
        return "\n\n".join(fill(one, width, indent) for one in text.split("\n\n"))


def _guarded(run: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    # A job that is cancelled takes its testee with it.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _see_that_files_can_be_written(options)
        return int(run(options))
    except (BadSelection, BadTestee, BadStream, baseline.BadBaseline) as problem:
        raise Problem(visible(str(problem))) from None
    except (Problem, BrokenPipeError):
        raise
    except Exception as defect:
        if isinstance(defect, OSError) and defect.errno in FULL:
            raise
        frame = traceback.extract_tb(defect.__traceback__)[-1]
        where = f"{Path(frame.filename).name}, line {frame.lineno}"
        told = f"{type(defect).__name__} at {where}: {visible(str(defect))}"
        print(f"nostrmcp: a defect of nostrmcp: {told}", file=sys.stderr)
        return Exit.DEFECT
    finally:
        signal.signal(signal.SIGTERM, before)


def add_report(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where reports go."""
    parser.add_argument(
        "--report", nargs="+", action="extend", default=[], type=_target, metavar="FORMAT=FILE",
        help=f"also write the report to a file: {', '.join(FORMATS)}",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="the stream of results on standard output")


def _target(text: str) -> Target:
    kind, _, path = text.partition("=")
    if kind not in FORMATS or not path:
        raise argparse.ArgumentTypeError(f"{text!r}: write one of {', '.join(f'{one}=FILE' for one in FORMATS)}")
    return kind, Path(path)


def show(stream: Stream, options: argparse.Namespace) -> None:
    """The report on standard output, and in the files that were asked for."""
    from ..conformance.render import RENDERERS

    RENDERERS["json" if options.json else "terminal"](stream, sys.stdout)
    for kind, path in options.report:
        with writing(path) as file:
            RENDERERS[kind](stream, file)
        print(f"wrote {path}", file=sys.stderr)


def writing(path: Path) -> TextIO:
    """A file to write a report to."""
    try:
        return path.open("w", encoding="utf-8", newline="\n", errors="backslashreplace")
    except OSError as problem:
        raise Problem(f"cannot write {path}: {problem.strerror}") from None


def _see_that_files_can_be_written(options: argparse.Namespace) -> None:
    """A run takes a while: that its report has no place is to be known before."""
    baselines = [options.write_baseline] if getattr(options, "write_baseline", None) else []
    for path in (*(path for _, path in getattr(options, "report", ())), *baselines):
        is_there = path.exists()
        try:
            path.open("ab").close()
        except OSError as problem:
            raise Problem(f"cannot write {path}: {problem.strerror}") from None
        if not is_there:
            path.unlink()


def write_baseline(stream: Stream, path: Path, known: baseline.Baseline) -> None:
    """What failed, as a baseline; reasons that are known already stay."""
    with writing(path) as file:
        for result in told(stream):
            if result["verdict"] in (Verdict.FAIL, Verdict.EXPECTED):
                blank = baseline.Expectation(result["case"], result["status"], "to be explained", None)
                entry = replace(known.get(result["case"], blank), status=result["status"])
                file.write(baseline.entry_text(entry, result.get("detail", "")) + "\n")
    print(f"wrote {path}", file=sys.stderr)


class Bar:
    """A progress bar on standard error, if that is a terminal and the work takes longer than a second."""

    def __init__(self) -> None:
        self._began = self._shown = time.monotonic()
        self._on = sys.stderr.isatty()
        self._drawn = False

    def show(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._on and now - self._began > 1 and now - self._shown > 0.1:
            self._shown, self._drawn = now, True
            filled = 40 * done // max(1, total)
            print(f"\r[{'#' * filled}{' ' * (40 - filled)}] {done}/{total}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._drawn:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
