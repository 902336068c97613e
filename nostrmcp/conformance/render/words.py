"""What the reports say in the same words."""

from __future__ import annotations

import shlex

from ..stream import Cell, Summary, Value
from ..text import cut
from ..verdicts import Overall, Verdict

WORDS = {
    Verdict.DEFECT: "defect of nostrmcp",
    Verdict.FAIL: "failed",
    Verdict.STALE: "stale in the baseline",
    Verdict.WARN: "warned",
    Verdict.EXPECTED: "failed as the baseline says",
    Verdict.INFO: "optional, not done",
    Verdict.PASS: "passed",
    Verdict.NOT_OFFERED: "not offered",
    Verdict.NOT_RUN: "not run",
}
# What a person has to do something about.
BAD = (Verdict.DEFECT, Verdict.FAIL, Verdict.STALE)
HARDENING = "hardening: our own rules, in no score"
# Folders of vectors that are no revision; each has areas of its own.
_GROUND = ("common", "mcp")


def name_of(header: Value) -> str:
    """The implementation by its own words, or the testee where it never said any."""
    implementation = header["implementation"]
    if not implementation:
        return str(header["testee"])
    return " ".join(str(implementation[one]) for one in ("name", "version") if implementation.get(one))


def rerun(header: Value, result: Value) -> str:
    """The command that runs one case again."""
    again = result["again"] if "again" in result else header["again"]
    return shlex.join([*map(str, again), "--case", result["case"]])


def tally(counts: Value) -> str:
    """How many cases have each verdict, those that matter most first."""
    return ", ".join(f"{counts[one]} {word}" for one, word in WORDS.items() if counts.get(one)) or "no case"


def conclusion(header: Value, footer: Value) -> str:
    """The verdict in one line."""
    text = f"{name_of(header)}: {footer['verdict']}"
    return f"{text}: {cut(str(footer['aborted']), 600)}" if footer["aborted"] else text


def mood(footer: Value) -> str:
    """How the verdict is to look: a run in which nothing was scored is neither good nor bad."""
    if footer["exit"]:
        return "bad"
    return "" if footer["verdict"] == Overall.UNSCORED else "good"


def happened(result: Value) -> str:
    """What became of a case, in one line."""
    if result["verdict"] == Verdict.STALE:
        return "it passes now: take it out of the baseline"
    if result["verdict"] == Verdict.EXPECTED and "baseline" in result:
        return f"{result['status']}, as expected: {result['baseline']['reason']}"
    return str(result.get("detail", ""))


def score(cell: Cell) -> str:
    """MUST cases kept of those asked; never a percentage, which would hide the one that matters."""
    return f"{cell.must_passed}/{cell.must} MUST"


def matrix(summary: Summary) -> tuple[list[str], list[str]]:
    """Rows and columns of the matrix: the revisions, and the areas that they have in common."""
    cells = [one for one in sorted(summary.cells) if one[0] not in _GROUND]
    return list(dict.fromkeys(revision for revision, _ in cells)), sorted({area for _, area in cells})


def ground(summary: Summary) -> list[tuple[str, list[tuple[str, Cell]]]]:
    """What is below and above the revisions: areas that stand in no row of the matrix."""
    found = [
        (name, [(area, cell) for (folder, area), cell in sorted(summary.cells.items()) if folder == name])
        for name in _GROUND
    ]
    return [(name, cells) for name, cells in found if cells]


def cell_text(cell: Cell) -> str:
    """A cell of the matrix: passed of asked."""
    if cell.asked:
        return f"{cell.passed}/{cell.asked}"
    return WORDS[Verdict.NOT_RUN if cell.verdicts[Verdict.NOT_RUN] else Verdict.NOT_OFFERED]


def not_offered(header: Value, summary: Summary) -> list[str]:
    """What was not asked: operations that the adapter does not have, and revisions that it does not speak."""
    operations = sorted(one for one in summary.not_offered if one not in header.get("ops", ()))
    others = summary.not_offered.total() - sum(summary.not_offered[one] for one in operations)
    return [*operations, f"{others} cases of other revisions"] if others else operations


def not_run(footer: Value, summary: Summary) -> list[str]:
    """What was not run, and what it needs; where the whole run was broken off, its reason is told once, elsewhere."""
    if footer["aborted"]:
        return []
    return [f"{', '.join(sorted(names))}: {reason or 'no reason is told'}" for reason, names in summary.not_run.items()]


def is_bad(cell: Cell) -> bool:
    """Whether something in a cell is to be done."""
    return any(cell.verdicts[one] for one in BAD)
