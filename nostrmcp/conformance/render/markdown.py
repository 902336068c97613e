"""A run as Markdown, short enough for the summary of a CI job."""

from __future__ import annotations

import re
from typing import TextIO

from ..stream import Cell, Stream, Summary, Value, summarise, told
from ..text import cut, visible
from ..verdicts import Verdict
from . import words

LIMIT = 50
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>&@:/$])")


def render(stream: Stream, out: TextIO) -> None:
    """Write the report; strangers' strings are neither markup nor links in it."""
    header, summary, footer = summarise(stream)
    out.write(f"## MCP over Nostr: {_plain(words.conclusion(header, footer))}\n\n")
    out.write(f"{_plain(words.tally(footer['counts']))}; seed {header['seed']}\n\n")
    if not footer["aborted"]:
        out.write("\n".join(_matrix(summary)) + "\n")
    if summary.not_offered:
        out.write(f"\nNot offered: {_plain(', '.join(words.not_offered(header, summary)))}\n")
    for what in words.not_run(footer, summary):
        out.write(f"\nNot run: {_plain(what)}\n")
    listed = 0
    for result in told(stream):
        if result["verdict"] == Verdict.INFO:
            continue
        if not listed:
            out.write("\n| | case | what it asserts | what happened |\n| --- | --- | --- | --- |\n")
        listed += 1
        if listed <= LIMIT:
            out.write(_row(result) + "\n")
    if listed > LIMIT:
        out.write(f"\n{listed - LIMIT} more are in the other reports.\n")


def _matrix(summary: Summary) -> list[str]:
    revisions, areas = words.matrix(summary)
    lines = [
        f"| passed of asked | score | {' | '.join([*map(_plain, areas), 'all'])} |",
        "| --- | --- |" + " ---: |" * (len(areas) + 1),
    ]
    for name in [*(name for name, _ in words.ground(summary)), *revisions]:
        whole = summary.revisions[name]
        cells = [_cell(summary.cells.get((name, area))) for area in areas]
        lines.append(f"| {_plain(name)} | {words.score(whole)} | {' | '.join([*cells, _cell(whole)])} |")
    for name, cell in sorted(summary.hardening.items()):
        lines.append(f"| hardening, {_plain(name)} | not scored |{' |' * len(areas)} {_cell(cell)} |")
    return lines


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    return f"**{words.cell_text(cell)}**" if words.is_bad(cell) else words.cell_text(cell)


def _row(result: Value) -> str:
    cells = [result["verdict"], result["case"], result["title"], cut(words.happened(result), 200)]
    return "| " + " | ".join(_plain(str(cell)) for cell in cells) + " |"


def _plain(text: str) -> str:
    """Text that Markdown leaves alone."""
    return _SPECIAL.sub(r"\\\1", visible(text)).replace("\\<", "&lt;").replace("\\&", "&amp;")
