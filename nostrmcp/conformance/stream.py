"""The stream of a run: JSON lines, a header, a result for each case, a footer. It is the truth; reports render it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO

from .verdicts import Status, Verdict, exit_code, overall

FORMAT = "nostrmcp-run-v1"
Value = dict[str, Any]
# A stream that can be read as often as one likes.
Stream = Callable[[], Iterator[Value]]

# The verdicts that a person reads about, the worst first.
TOLD = (Verdict.DEFECT, Verdict.FAIL, Verdict.STALE, Verdict.WARN, Verdict.EXPECTED, Verdict.INFO)
# What is not offered makes the verdict partial, and counts in no score.
UNASKED = (Verdict.NOT_OFFERED, Verdict.NOT_RUN)


class BadStream(Exception):
    """A file is not the stream of a run; the message says why in one sentence."""


class Writer:
    """Writes the lines of a stream as they come."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def __call__(self, line: Value) -> None:
        self._file.write(json.dumps(line, separators=(",", ":")) + "\n")
        if line["type"] != "result":
            self._file.flush()


def open_stream(path: Path) -> Stream:
    """The stream in a file, which is checked once; BadStream where it is none."""
    try:
        with path.open(encoding="utf-8") as file:
            for _ in checked(file):
                pass
    except OSError as problem:
        raise BadStream(f"cannot read {path}: {problem.strerror}") from None
    except BadStream as problem:
        raise BadStream(f"{path} is not a stream of results: {problem}") from None
    except UnicodeDecodeError:
        raise BadStream(f"{path} is not a stream of results: it is not UTF-8") from None

    def read() -> Iterator[Value]:
        with path.open(encoding="utf-8") as file:
            yield from map(json.loads, file)

    return read


_NUMBER = int | float
# The members of each line that the reports rely on; others may stand beside them.
_SHAPES: dict[str, Value] = {
    "header": {
        "format": str, "runner": dict, "vectors": str, "testee": str, "again": list, "implementation": dict | None,
        "seed": int, "strict": bool, "selected": int, "started": str,
    },
    "result": {
        "n": int, "case": str, "suite": str, "op": str, "title": str, "level": str, "req": list, "hardening": bool,
        "status": Status, "verdict": Verdict, "ms": _NUMBER,
    },
    "footer": {
        "counts": dict, "score": dict, "verdict": str, "exit": int, "aborted": str | None, "seconds": _NUMBER,
    },
}  # fmt: skip
_OPTIONAL: Value = {
    "detail": str, "requirements": dict, "notes": list, "input": str, "expected": str, "actual": str, "wire": list,
    "stderr": str, "baseline": dict, "again": list,
}  # fmt: skip


def _fits(value: Any, shape: Any) -> bool:
    if isinstance(shape, type) and issubclass(shape, StrEnum):
        return isinstance(value, str) and value in list(shape)
    return isinstance(value, shape) and (shape is bool or not isinstance(value, bool))


def _misfit(value: Value) -> str:
    """The name of a member that is missing, or is not what the reports take it for."""
    for name, shape in _SHAPES[value["type"]].items():
        if name not in value or not _fits(value[name], shape):
            return name
    for name, shape in _OPTIONAL.items():
        if name in value and not _fits(value[name], shape):
            return name
    wire = value.get("wire", [])
    if not all(isinstance(one, list) and len(one) == 2 for one in wire):
        return "wire"
    return "baseline" if "reason" not in value.get("baseline", {"reason": ""}) else ""


def checked(lines: Iterator[str] | TextIO) -> Iterator[Value]:
    """The lines of a stream: one header, results that are numbered without a gap, one footer that counts them."""
    counts: Counter[str] = Counter()
    expected = "a header"
    for number, line in enumerate(lines):
        where = f"line {number + 1} is not the line of one"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            raise BadStream(f"{where}: not JSON") from None
        kind = value.get("type") if isinstance(value, dict) else None
        if kind not in _SHAPES or (kind == "header") != (expected == "a header") or expected == "nothing":
            raise BadStream(f"{where}: {expected} was to come")
        misfit = _misfit(value)
        if misfit:
            raise BadStream(f"{where}: {misfit} is missing or of another type")
        if kind == "header" and value["format"] != FORMAT:
            raise BadStream(f"{where}: the format is not {FORMAT}")
        if kind == "result":
            if value["n"] != number:
                raise BadStream(f"{where}: results are not numbered one by one")
            counts[value["verdict"]] += 1
        if kind == "footer" and value["counts"] != counts:
            raise BadStream(f"{where}: the footer does not count the results that there are")
        expected = "nothing" if kind == "footer" else "a result or a footer"
        yield value
    if expected != "nothing":
        raise BadStream("there is no footer: the run was broken off, or the file was cut")


@dataclass(slots=True)
class Cell:
    """The cases of one suite, or of one revision."""

    verdicts: Counter[str] = field(default_factory=Counter)
    must: int = 0
    must_passed: int = 0

    def __add__(self, other: Cell) -> Cell:
        return Cell(self.verdicts + other.verdicts, self.must + other.must, self.must_passed + other.must_passed)

    @property
    def asked(self) -> int:
        return self.verdicts.total() - sum(self.verdicts[one] for one in UNASKED)

    @property
    def passed(self) -> int:
        return self.verdicts[Verdict.PASS] + self.verdicts[Verdict.STALE]


@dataclass(slots=True)
class Summary:
    """What a stream comes to, counted as it goes by; its size is that of the matrix, not of the run."""

    cells: dict[tuple[str, str], Cell] = field(default_factory=dict)
    revisions: dict[str, Cell] = field(default_factory=dict)
    hardening: dict[str, Cell] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    not_offered: Counter[str] = field(default_factory=Counter)
    # What was not run, by the reason.
    not_run: dict[str, list[str]] = field(default_factory=dict)

    def add(self, result: Value) -> None:
        revision, _, area = result["suite"].partition("/")
        apart = result["hardening"]
        home = self.hardening if apart else self.revisions
        verdict = result["verdict"]
        self.counts[verdict] += 1
        if verdict == Verdict.NOT_OFFERED:
            self.not_offered[result["op"]] += 1
        if verdict == Verdict.NOT_RUN:
            names = self.not_run.setdefault(result.get("detail", ""), [])
            if result["op"] not in names:
                names.append(result["op"])
        for cell in (
            home.setdefault(revision, Cell()),
            *(() if apart else (self.cells.setdefault((revision, area), Cell()),)),
        ):
            cell.verdicts[verdict] += 1
            # A MUST that only warns was kept: the input was refused, for a reason with another name.
            if result["level"] == "MUST" and verdict not in UNASKED:
                cell.must += 1
                cell.must_passed += verdict in (Verdict.PASS, Verdict.STALE, Verdict.WARN)

    def score(self) -> Value:
        """Of each revision: the MUST cases that were asked, and those that were kept."""
        return {name: {"passed": cell.must_passed, "asked": cell.must} for name, cell in sorted(self.revisions.items())}


def summarise(stream: Stream) -> tuple[Value, Summary, Value]:
    """The header, the summary and the footer of a stream."""
    summary = Summary()
    header: Value = {}
    footer: Value = {}
    for line in stream():
        match line["type"]:
            case "header":
                header = line
            case "result":
                summary.add(line)
            case _:
                footer = line
    return header, summary, footer


def joined(streams: Sequence[Stream]) -> Stream:
    """Several runs as one: the results one after the other, each with the command that runs it again."""

    def read() -> Iterator[Value]:
        headers, summaries, footers = zip(*map(summarise, streams), strict=True)
        names = " and ".join(dict.fromkeys(str(one["testee"]) for one in headers))
        yield headers[0] | {"testee": names, "selected": sum(one["selected"] for one in headers)}
        number = 0
        for stream, header in zip(streams, headers, strict=True):
            for line in stream():
                if line["type"] == "result":
                    number += 1
                    yield {"again": header["again"], **line, "n": number}
        counts: Counter[str] = sum((one.counts for one in summaries), Counter())
        aborted = [str(one["aborted"]) for one in footers if one["aborted"]]
        code = exit_code(counts, aborted=bool(aborted))
        whole = Summary()
        for one in summaries:
            whole.revisions |= {name: cell + whole.revisions.get(name, Cell()) for name, cell in one.revisions.items()}
        yield {
            "type": "footer",
            "counts": dict(counts),
            "score": whole.score(),
            "verdict": overall(code, counts, whole.score()),
            "exit": int(code),
            "aborted": "; ".join(aborted) or None,
            "seconds": round(sum(one["seconds"] for one in footers), 3),
        }

    return read


def told(stream: Stream) -> Iterator[Value]:
    """The results that a person reads about, the worst first; the stream is read once for each verdict."""
    for verdict in TOLD:
        for line in stream():
            if line["type"] == "result" and line["verdict"] == verdict:
                yield line
