"""A run: every selected case is put to a testee and judged, whatever the testee does."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

from .. import __version__
from . import verdicts
from .baseline import Baseline, fold
from .judge import Accepted, Refused, judge
from .judge import Verdict as Judged
from .pipe import Broken
from .selection import Selection, Survey, in_order, is_hardening, requirements, smoke_cases
from .stream import FORMAT, Summary, Value
from .testee import Faulted, Hello, Reply, Skipped, Testee
from .text import as_json, cut
from .vectors import Case, Suite, vectors_folder
from .verdicts import Exit, Status, Verdict

Sink = Callable[[Value], None]
# Starts without a single answer between them, after which the testee is given up.
MAX_STARTS = 25
# Of the traffic of a case that did not pass, what a report shows.
WIRE_LINES = 40
_SMOKE_BREAKS = 3
_STEP = re.compile(r"step ([0-9]+):")
_JUDGED = {Judged.PASS: Status.PASS, Judged.FAIL: Status.FAIL, Judged.OTHER_CLASS: Status.OTHER_CLASS}


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run is about."""

    testee: str
    selection: Selection
    seed: int
    strict: bool = False
    smoke: bool = True
    baseline: Baseline = field(default_factory=dict)
    # The command that runs it again, to which --case is added.
    again: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Happened:
    """What became of one case."""

    status: Status
    detail: str = ""
    actual: str = ""


class GivenUp(Exception):
    """The testee cannot be run; the message says why."""


class Run:
    """One run against one testee; what is found goes to the sink line by line, and nothing is kept."""

    def __init__(self, testee: Testee, settings: Settings, found: Survey, sink: Sink) -> None:
        self._testee = testee
        self._settings = settings
        self._found = found
        self._sink = sink
        self._hello: Hello | None = None
        self._silent_starts = 0

    def run(self, progress: Callable[[int, int], None]) -> Exit:
        """Run everything; the exit code is the one that is also in the footer."""
        began = time.monotonic()
        aborted = ""
        try:
            try:
                self._start()
                self._smoke()
            except GivenUp as problem:
                aborted = str(problem)
            self._sink(self._header())
            summary = Summary()
            cases = in_order(self._settings.selection, self._settings.seed, self._found.folder)
            for number, (suite, case) in enumerate(cases, start=1):
                started = time.monotonic()
                happened = Happened(Status.NOT_RUN)
                if not aborted:
                    try:
                        happened = self._case(case)
                    except GivenUp as problem:
                        aborted = str(problem)
                        happened = Happened(Status.NOT_RUN, aborted)
                hardening = is_hardening(case)
                verdict = verdicts.verdict(
                    happened.status, case.level, hardening=hardening, strict=self._settings.strict
                )
                expected = self._settings.baseline.get(case.id)
                row = _row(number, case, hardening, happened, fold(verdict, happened.status, expected))
                row["ms"] = round((time.monotonic() - started) * 1000, 2)
                if expected is not None:
                    row["baseline"] = {"status": expected.status, "reason": expected.reason, "issue": expected.issue}
                if happened.status not in (Status.PASS, Status.NOT_OFFERED, Status.NOT_RUN):
                    row |= self._explanation(suite, case, happened)
                summary.add(row)
                self._sink(row)
                progress(number, self._found.total)
            if not aborted:
                self._testee.finish()
            return self._footer(summary, aborted, time.monotonic() - began)
        finally:
            self._testee.kill()

    def _start(self) -> None:
        """Start the testee, again and again if need be; GivenUp if it never says hello, or only ever breaks."""
        while True:
            self._silent_starts += 1
            if self._silent_starts > MAX_STARTS:
                raise GivenUp(f"it broke {MAX_STARTS} times in a row without an answer between")
            try:
                hello = self._testee.start()
            except Broken as broken:
                said = self._testee.stderr.strip()
                self._testee.kill()
                if self._hello is None:
                    told = f"; standard error: {said[-500:]}" if said else ""
                    raise GivenUp(f"no hello: {broken.detail}{told}") from None
            else:
                self._hello = self._hello or hello
                return

    def _ask(self, case: Case) -> Reply:
        if not self._testee.running:
            self._start()
        try:
            reply = self._testee.put(case)
        except Broken:
            self._testee.kill()
            raise
        self._silent_starts = 0
        return reply

    def _smoke(self) -> None:
        """See that the testee accepts something and refuses something; a score would say nothing otherwise."""
        if not self._settings.smoke:
            return
        assert self._hello is not None
        accepts, refusals = smoke_cases(self._found, self._hello.offers)
        broken: list[str] = []
        for cases, good, wrong in (
            (accepts, _passes, "it gives a right answer to none of the simplest cases"),
            (refusals, _refuses, "it refuses none of the simplest wrong inputs"),
        ):
            for case in cases:
                try:
                    if good(case, self._ask(case)):
                        break
                except Broken as problem:
                    broken.append(problem.detail)
                    if len(broken) == _SMOKE_BREAKS:
                        raise GivenUp(f"smoke test: it broke {_SMOKE_BREAKS} times: {problem.detail}") from None
            else:
                if cases:
                    told = "; ".join([wrong, *broken[-1:]])
                    raise GivenUp(f"smoke test: {told}; --no-smoke runs the vectors all the same")

    def _case(self, case: Case) -> Happened:
        assert self._hello is not None
        if not self._hello.offers(case):
            return Happened(Status.NOT_OFFERED, "the adapter does not offer this")
        try:
            return judged(case, self._ask(case))
        except Broken as broken:
            return Happened(broken.status, broken.detail)
        except GivenUp:
            raise
        except Exception as defect:
            # It may have happened in the middle of a script.
            self._testee.kill()
            return Happened(Status.DEFECT, f"the runner broke: {type(defect).__name__}: {defect}")

    def _explanation(self, suite: Suite, case: Case, happened: Happened) -> Value:
        """What a person needs to understand a failure: the requirement, the harm, both sides, the traffic."""
        rows = requirements()
        found: Value = {
            "requirements": {one: rows[one]["text"] for one in case.req},
            "notes": [suite.notes[flag]["effect"] for flag in case.flags],
            "input": as_json(case.input),
            "expected": _expected(case, happened.detail),
            "actual": happened.actual,
            "wire": [[who, cut(_text(line), 2000)] for who, line in self._testee.traffic[-WIRE_LINES:]],
        }
        said = self._testee.stderr
        return found | {"stderr": said} if said and happened.status in (Status.CRASH, Status.TIMEOUT) else found

    def _header(self) -> Value:
        settings, hello = self._settings, self._hello
        selection = settings.selection
        return {
            "type": "header",
            "format": FORMAT,
            "runner": {"name": "nostrmcp", "version": __version__},
            "vectors": hashlib.sha256((self._found.folder / "INDEX.json").read_bytes()).hexdigest(),
            "testee": settings.testee,
            "again": list(settings.again),
            "implementation": hello.implementation if hello else None,
            "ops": sorted(hello.ops) if hello else [],
            "seed": settings.seed,
            "strict": settings.strict,
            "selected": self._found.total,
            "selection": {
                "revisions": selection.revisions,
                "suites": selection.suites,
                "cases": selection.cases,
                "level": selection.level,
            },
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
        }

    def _footer(self, summary: Summary, aborted: str, seconds: float) -> Exit:
        code = verdicts.exit_code(summary.counts, aborted=bool(aborted))
        score = summary.score()
        self._sink(
            {
                "type": "footer",
                "counts": dict(summary.counts),
                "score": score,
                "verdict": verdicts.overall(code, summary.counts, score),
                "exit": int(code),
                "aborted": aborted or None,
                "seconds": round(seconds, 3),
            }
        )
        return code


def judged(case: Case, reply: Reply) -> Happened:
    """What an answer is worth: only an explicit refusal passes a negative."""
    if isinstance(reply, Skipped):
        return Happened(Status.SKIP, f"skipped: {reply.reason}", as_json({"skip": reply.reason}))
    if isinstance(reply, Faulted):
        return Happened(Status.FAULT, f"fault: {reply.message}", as_json({"fault": reply.message}))
    judgement = judge(case, reply)
    status = _JUDGED[judgement.verdict]
    if status is Status.PASS:
        return Happened(status)
    detail = judgement.detail
    if isinstance(reply, Refused) and reply.error_class not in _error_classes():
        named = f"refused as {reply.error_class}"
        detail = detail.replace(named, f"{named}, a class that errors.json does not have", 1)
    return Happened(status, detail, _actual(reply, judgement.detail))


@cache
def _error_classes() -> frozenset[str]:
    text = (vectors_folder() / "errors.json").read_text(encoding="utf-8")
    return frozenset(one["class"] for one in json.loads(text)["classes"])


def _passes(case: Case, reply: Reply) -> bool:
    return judged(case, reply).status is Status.PASS


def _refuses(_case: Case, reply: Reply) -> bool:
    return isinstance(reply, Refused)


def _row(number: int, case: Case, hardening: bool, happened: Happened, verdict: Verdict) -> Value:
    row: Value = {
        "type": "result",
        "n": number,
        "case": case.id,
        "suite": case.suite,
        "op": case.op,
        "title": case.title,
        "level": case.level,
        "req": case.req,
        "hardening": hardening,
        "status": happened.status,
        "verdict": verdict,
        "ms": 0,
    }
    return row | {"detail": cut(happened.detail, 2000)} if happened.detail else row


def _expected(case: Case, detail: str) -> str:
    if case.result == "invalid":
        return as_json({"reject": case.error_class})
    if case.output is None:
        return as_json({"ok": "any output, or a refusal"})
    return as_json(_part(case.output, detail))


def _actual(reply: Accepted | Refused, detail: str) -> str:
    if isinstance(reply, Refused):
        return as_json({"reject": reply.error_class, "message": reply.message})
    return as_json(_part(reply.output, detail))


def _part(output: Value, detail: str) -> Any:
    """Of a script's output only the step that differs; of any other all."""
    found, steps = _STEP.match(detail), output.get("steps")
    if found is None or not isinstance(steps, list):
        return output
    number = int(found[1])
    return {"step": number, **steps[number]} if number < len(steps) else {"steps": len(steps)}


def _text(line: bytes) -> str:
    return line.decode("utf-8", "backslashreplace").rstrip("\n")
