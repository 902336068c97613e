"""A run for a person at a terminal: what failed first, then the matrix, then the verdict."""

from __future__ import annotations

import textwrap
from typing import Any, TextIO

from ..stream import Cell, Stream, Summary, Value, summarise, told
from ..text import cut, pretty, visible, visible_lines
from ..verdicts import Verdict
from . import words

WIDTH = 118
# So many results are told in full, and so many more in a line each.
IN_FULL = 30
IN_SHORT = 200
_ROWS = 40
_WHOLE_WORDS: Any = {"break_on_hyphens": False}
_AS_IT_IS: Any = {"drop_whitespace": False, "break_on_hyphens": False}


def render(stream: Stream, out: TextIO) -> None:
    """Write the report; strangers' strings are escaped."""

    def say(*lines: str) -> None:
        out.writelines(visible(line) + "\n" for line in lines)

    header, summary, footer = summarise(stream)
    full = short = left = 0
    for result in told(stream):
        if result["verdict"] in words.BAD and full < IN_FULL:
            full += 1
            say(*_in_full(header, result), "")
        elif result["verdict"] == Verdict.INFO or short == IN_SHORT:
            left += 1
        else:
            short += 1
            say(f"{result['verdict']:9} {result['case']}  {cut(words.happened(result), 120)}")
    if left:
        say(f"and {left} more, which the other reports tell")
    if full or short or left:
        say("")
    if not footer["aborted"]:
        say(*_matrix(summary), "", *_scores(summary))
    if summary.not_offered:
        say(*_list("not offered", words.not_offered(header, summary)))
    for what in words.not_run(footer, summary):
        say(*_list("not run", [what]))
    begin = f"{header['selected']} cases in {footer['seconds']:.1f} s, seed {header['seed']}"
    say(*_list(begin, [words.tally(footer["counts"])]))
    say(words.conclusion(header, footer))


def _in_full(header: Value, result: Value) -> list[str]:
    lines = [f"{result['verdict']}  {result['case']}  ({result['level']}, {result['suite']}, {result['op']})"]
    lines += _wrapped("", result["title"])
    if result["verdict"] == Verdict.STALE:
        return [*lines, f"  {words.happened(result)}"]
    for name, text in result.get("requirements", {}).items():
        lines += _wrapped(name, str(text))
    for effect in result.get("notes", []):
        lines += _wrapped("harm", str(effect))
    lines += _wrapped(result["status"], cut(words.happened(result), 600))
    lines += _side_by_side(result.get("expected", ""), result.get("actual", ""))
    if result.get("stderr"):
        lines.append("  standard error, the last of it:")
        lines += [f"    {cut(line, 200)}" for line in result["stderr"].rstrip().split("\n")[-10:]]
    return [*lines, f"  again: {words.rerun(header, result)}"]


def _wrapped(name: str, text: str) -> list[str]:
    lead = f"  {name}: " if name else "  "
    filled = textwrap.wrap(visible(text), WIDTH, initial_indent=lead, subsequent_indent="    ", **_WHOLE_WORDS)
    return filled or [lead.rstrip()]


def _side_by_side(expected: str, actual: str) -> list[str]:
    """Two JSON texts in two columns; rows that differ are marked."""
    if not actual:
        return _wrapped("expected", cut(expected, 300)) if expected else []
    half = (WIDTH - 7) // 2
    left, right = (
        [piece for line in visible_lines(pretty(one)) for piece in (textwrap.wrap(line, half, **_AS_IT_IS) or [""])]
        for one in (expected, actual)
    )
    rows = max(len(left), len(right))
    pairs = zip(left + [""] * (rows - len(left)), right + [""] * (rows - len(right)), strict=True)
    lines = [f"    {'expected':{half}} {'actual'}"]
    lines += [f"  {'|' if one == other else '!'} {one:{half}} {other}".rstrip() for one, other in pairs]
    more = rows - _ROWS
    return lines if more <= 0 else [*lines[: _ROWS + 1], f"    ({more} more lines: --report html=FILE has them)"]


def _matrix(summary: Summary) -> list[str]:
    """Passed of asked: a row for each revision, a column for each area; what is no revision is a list."""
    revisions, areas = words.matrix(summary)
    lines = []
    if areas:
        rows = [["passed of asked", *areas]]
        for revision in revisions:
            rows.append([revision, *(_cell(summary.cells.get((revision, area))) for area in areas)])
        widths = [max(len(row[column]) for row in rows) for column in range(len(areas) + 1)]
        for name, *cells in rows:
            numbers = "  ".join(f"{text:>{width}}" for text, width in zip(cells, widths[1:], strict=True))
            lines.append(f"{name:{widths[0]}}  {numbers}")
    for name, found in words.ground(summary):
        lines += _list(name, [f"{area} {_cell(cell)}" for area, cell in found])
    return lines


def _cell(cell: Cell | None) -> str:
    return "-" if cell is None else words.cell_text(cell) + ("!" if words.is_bad(cell) else "")


def _scores(summary: Summary) -> list[str]:
    scores = [f"{name} {words.score(cell)}" for name, cell in sorted(summary.revisions.items()) if cell.must]
    apart = [f"{name} {words.cell_text(cell)}" for name, cell in sorted(summary.hardening.items())]
    lines = _list("score", scores) if scores else []
    return lines + _list(words.HARDENING, apart) if apart else lines


def _list(name: str, items: list[str]) -> list[str]:
    return textwrap.wrap(visible(f"{name}: {', '.join(items)}"), WIDTH, subsequent_indent="    ", **_WHOLE_WORDS)
