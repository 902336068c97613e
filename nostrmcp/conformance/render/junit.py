"""A run as JUnit XML: a test suite for each revision and area, a test case for each case."""

from __future__ import annotations

from collections import Counter
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from ..stream import Stream, Value, summarise
from ..text import visible, visible_lines
from ..verdicts import Status, Verdict
from . import words

_SKIPPED = (Verdict.NOT_OFFERED, Verdict.NOT_RUN, Verdict.EXPECTED)
_FAILED = (Verdict.FAIL, Verdict.STALE)
_ERRORS = (Status.CRASH, Status.TIMEOUT, Status.GARBAGE, Status.FAULT)


def render(stream: Stream, out: TextIO) -> None:
    """Write the report; the stream is read once for each suite, so that suites stand together.

    What XML cannot hold, not even escaped, is not visible either, and is written in ASCII.
    """
    header, _, footer = summarise(stream)
    tallies: dict[str, Counter[str]] = {}
    milliseconds: Counter[str] = Counter()
    for line in stream():
        if line["type"] == "result":
            tallies.setdefault(_suite(line), Counter())[_outcome(line)] += 1
            milliseconds[_suite(line)] += line["ms"]
    if footer["aborted"]:
        tallies[_RUN] = Counter(error=1)
    total: Counter[str] = sum(tallies.values(), Counter())
    out.write("<?xml version='1.0' encoding='utf-8'?>\n")
    name = f"nostrmcp conformance: {words.conclusion(header, footer)}"
    out.write(f'<testsuites name={_attribute(name)} {_counts(total)} time="{footer["seconds"]:.5f}">\n')
    for suite, tally in sorted(tallies.items()):
        when = f'time="{milliseconds[suite] / 1000:.5f}" timestamp={_attribute(header["started"][:19])}'
        out.write(f" <testsuite name={_attribute(suite)} {_counts(tally)} {when}>\n")
        if suite == _RUN:
            _write_aborted(footer, out)
        else:
            for line in stream():
                if line["type"] == "result" and _suite(line) == suite:
                    _write_case(header, line, suite, out)
        out.write(" </testsuite>\n")
    out.write("</testsuites>\n")


_RUN = "run"


def _suite(result: Value) -> str:
    return f"hardening/{result['suite']}" if result["hardening"] else str(result["suite"])


def _outcome(result: Value) -> str:
    """Wrong answers are failures; a testee that gives none is an error; what was expected or never asked is skipped."""
    if result["verdict"] == Verdict.DEFECT:
        return "error"
    if result["verdict"] in _FAILED:
        return "error" if result["status"] in _ERRORS else "failure"
    return "skipped" if result["verdict"] in _SKIPPED else "passed"


def _counts(tally: Counter[str]) -> str:
    counts = {"tests": tally.total(), "failures": tally["failure"], "errors": tally["error"]}
    counts["skipped"] = tally["skipped"]
    return " ".join(f'{name}="{count}"' for name, count in counts.items())


def _write_case(header: Value, result: Value, suite: str, out: TextIO) -> None:
    classname = suite.replace(".", "-").replace("/", ".")
    opening = f"  <testcase classname={_attribute(classname)} name={_attribute(result['case'])}"
    out.write(f'{opening} time="{result["ms"] / 1000:.5f}"')
    outcome = _outcome(result)
    body = "\n".join(_body(header, result))
    message = _attribute(str(result.get("detail") or result["title"]))
    if outcome == "skipped":
        reason = words.happened(result) or words.WORDS[result["verdict"]]
        out.write(f">\n   <skipped message={_attribute(reason)}/>\n  </testcase>\n")
    elif outcome == "passed" and result["verdict"] == Verdict.PASS:
        out.write("/>\n")
    elif outcome == "passed":
        out.write(f">\n   <system-out>{_text(result['verdict'] + chr(10) + body)}</system-out>\n  </testcase>\n")
    else:
        kind = _attribute(str(result["status"]))
        out.write(f">\n   <{outcome} type={kind} message={message}>{_text(body)}</{outcome}>\n  </testcase>\n")


def _body(header: Value, result: Value) -> list[str]:
    lines = [str(result["title"])]
    lines += [f"{name}: {text}" for name, text in result.get("requirements", {}).items()]
    lines += [f"harm: {effect}" for effect in result.get("notes", [])]
    lines += [f"{one}: {result[one]}" for one in ("detail", "expected", "actual", "stderr") if result.get(one)]
    return [*lines, f"again: {words.rerun(header, result)}"]


def _write_aborted(footer: Value, out: TextIO) -> None:
    message = _attribute(str(footer["aborted"]))
    out.write(f'  <testcase classname="run" name="testee">\n   <error type="not-run" message={message}/>\n')
    out.write("  </testcase>\n")


def _attribute(text: str) -> str:
    return quoteattr(visible(text))


def _text(text: str) -> str:
    return escape("\n".join(visible_lines(text)))
