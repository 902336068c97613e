"""A live run: the checks of each revision, made one after the other, and told in the stream that all runs have."""

from __future__ import annotations

import asyncio
import hashlib
import random
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ... import __version__
from ...revisions import Revision
from ...translate.route import Role
from .. import verdicts
from ..baseline import Baseline, fold
from ..runner import Happened
from ..selection import requirements
from ..stream import FORMAT, Summary, Value
from ..text import cut
from ..vectors import vectors_folder
from ..verdicts import Exit, Status
from .checks import Check, Failed, Need, NotOffered, NotRun, case_id
from .process import CannotStart, Start
from .server_bench import Call, Timing
from .station import Station

Sink = Callable[[Value], None]


@dataclass(frozen=True, slots=True)
class Live:
    """What a live run is about. Without `revisions` they are found out; without `start` the testee is there already;
    without `url` the runner has a relay of its own."""

    role: Role
    name: str
    again: tuple[str, ...]
    start: Start | None = None
    revisions: tuple[Revision, ...] = ()
    url: str | None = None
    pubkey: bytes | None = None
    server_id: str | None = None
    hints: Mapping[str, Call] = field(default_factory=dict)
    resource: str | None = None
    cases: tuple[str, ...] = ()
    level: str = "MAY"
    seed: int = 0
    strict: bool = False
    timing: Timing = field(default_factory=Timing)
    baseline: Baseline | None = None

    def selects(self, check: Check[Any], revision: Revision) -> bool:
        named = not self.cases or check.name in self.cases or case_id(check, revision) in self.cases
        return named and check.is_wanted(revision, self.level)

    def in_order(self, checks: tuple[Check[Any], ...], revision: Revision) -> list[Check[Any]]:
        """The selected checks in an order that the seed decides; the last of the table stays the last."""
        chosen = [check for check in checks[:-1] if self.selects(check, revision)]
        random.Random(self.seed).shuffle(chosen)
        return chosen + [check for check in checks[-1:] if self.selects(check, revision)]


class GivenUp(Exception):
    """The testee cannot be tested; the message says why."""


class Report:
    """Writes the stream: what was found, line by line."""

    def __init__(self, live: Live, sink: Sink, total: int, progress: Callable[[int, int], None]) -> None:
        self._live = live
        self._sink = sink
        self._total = total
        self._progress = progress
        self._began = time.monotonic()
        self._summary = Summary()
        self._number = 0
        self.aborted = ""

    def header(self, implementation: dict[str, Any] | None) -> None:
        live = self._live
        self._sink(
            {
                "type": "header",
                "format": FORMAT,
                "runner": {"name": "nostrmcp", "version": __version__},
                "vectors": hashlib.sha256((vectors_folder() / "INDEX.json").read_bytes()).hexdigest(),
                "testee": live.name,
                "again": list(live.again),
                "implementation": implementation,
                "seed": live.seed,
                "strict": live.strict,
                "selected": self._total,
                "started": datetime.now(UTC).isoformat(timespec="seconds"),
            }
        )

    def result(
        self, check: Check[Any], revision: Revision, happened: Happened, seconds: float, more: Value | None = None
    ) -> None:
        self._number += 1
        named = check.requirements(revision)
        hardening, level = check.is_hardening(revision), check.level(revision)
        case = case_id(check, revision)
        verdict = verdicts.verdict(happened.status, level, hardening=hardening, strict=self._live.strict)
        expected = (self._live.baseline or {}).get(case)
        row: Value = {
            "type": "result",
            "n": self._number,
            "case": case,
            "suite": f"{revision.name}/live-{self._live.role.value}",
            "op": check.name,
            "title": check.title,
            "level": level,
            "req": list(named),
            "hardening": hardening,
            "status": happened.status,
            "verdict": fold(verdict, happened.status, expected),
            "ms": round(seconds * 1000, 2),
        }
        if row["verdict"] != verdicts.Verdict.PASS:
            row["again"] = [*self._live.again, "--revision", revision.name]
        if happened.detail:
            row["detail"] = cut(happened.detail, 2000)
        if expected is not None:
            row["baseline"] = {"status": expected.status, "reason": expected.reason, "issue": expected.issue}
        if happened.status not in (Status.PASS, Status.NOT_OFFERED, Status.NOT_RUN):
            row["requirements"] = {one: requirements()[one]["text"] for one in named}
            row["notes"] = [check.harm]
            row |= more or {}
        self._summary.add(row)
        self._sink(row)
        self._progress(self._number, self._total)

    def footer(self) -> Exit:
        counts, score = self._summary.counts, self._summary.score()
        code = verdicts.exit_code(counts, aborted=bool(self.aborted))
        self._sink(
            {
                "type": "footer",
                "counts": dict(counts),
                "score": score,
                "verdict": verdicts.overall(code, counts, score),
                "exit": int(code),
                "aborted": self.aborted or None,
                "seconds": round(time.monotonic() - self._began, 3),
            }
        )
        return code


async def made(check: Check[Any], bench: Any, timing: Timing) -> tuple[Happened, Value]:
    """Make one check; what becomes of it, and what a person needs to understand it."""
    wire = bench.wire
    wire.log.clear()
    defects = len(wire.defects)
    sides = {"expected": "", "actual": ""}
    # Few checks wait for more than one thing that does not come, but one may read a hundred pages.
    longest = 20 * timing.answer + timing.start + 2 * timing.work
    try:
        async with asyncio.timeout(longest):
            await check.run(bench)
        happened = Happened(Status.PASS)
    except Failed as failed:
        happened = Happened(Status.FAIL, failed.detail, failed.actual)
        sides = {"expected": failed.expected, "actual": failed.actual}
    except NotOffered as absent:
        happened = Happened(Status.NOT_OFFERED, str(absent))
    except NotRun as missing:
        happened = Happened(Status.NOT_RUN, str(missing))
    except TimeoutError:
        happened = Happened(Status.TIMEOUT, f"it did not end within {longest:g} s")
    except CannotStart as problem:
        happened = Happened(Status.CRASH, str(problem))
    except Exception as defect:
        happened = Happened(Status.DEFECT, f"the check broke: {type(defect).__name__}: {defect}")
    if len(wire.defects) > defects:
        happened = Happened(Status.DEFECT, f"the runner sent what is wrong: {wire.defects[defects]}")
    return happened, sides | {"wire": [list(one) for one in wire.log]}


def missing(check: Check[Any], has: Callable[[Need], bool]) -> Happened | None:
    """NOT_RUN where something is not there that the check needs."""
    absent = [need.value for need in check.needs if not has(need)]
    return Happened(Status.NOT_RUN, f"it needs {' and '.join(absent)}") if absent else None


def environment(live: Live, station: Station, revision: Revision | None, scenario: str, key: Path) -> dict[str, str]:
    """What a testee is told (DESIGN, section 7)."""
    return {
        "NOSTRMCP_RELAY": station.url,
        "NOSTRMCP_REVISION": revision.name if revision else "",
        "NOSTRMCP_SCENARIO": scenario,
        "NOSTRMCP_ROLE": live.role.value,
        "NOSTRMCP_SECRET_FILE": str(key),
    }


class KeyFile:
    """A secret key in a file that only we can read, gone when it is no longer needed."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="nostrmcp-")
        self.path = Path(self._folder.name) / "key"
        self.path.touch(mode=0o600)

    def write(self, secret: bytes) -> None:
        self.path.write_text(secret.hex() + "\n", encoding="ascii")

    def close(self) -> None:
        self._folder.cleanup()
