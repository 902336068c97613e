"""A run as JUnit XML: a test suite for each revision and area, a test case for each case."""

from __future__ import annotations

import re
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
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(stream: Stream, out: TextIO) -> None:
    """Write the report; the stream is read once for each suite, so that suites stand together."""
    header, _, footer = summarise(stream)
    tallies: dict[str, Counter[str]] = {}
    for line in stream():
        if line["type"] == "result":
            tallies.setdefault(_suite(line), Counter())[_outcome(line)] += 1
    if footer["aborted"]:
        tallies[_RUN] = Counter(error=1)
    total: Counter[str] = sum(tallies.values(), Counter())
    out.write("<?xml version='1.0' encoding='utf-8'?>\n")
    name = f"nostrmcp conformance: {words.name_of(header)}"
    out.write(f"<testsuites name={_attribute(name)} {_counts(total)} time={_attribute(str(footer['seconds']))}>\n")
    for suite, tally in sorted(tallies.items()):
        out.write(f" <testsuite name={_attribute(suite)} {_counts(tally)}>\n")
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
    seconds = f"{float(result['ms']) / 1000:.5f}"
    opening = f"  <testcase classname={_attribute(classname)} name={_attribute(result['case'])}"
    out.write(f"{opening} time={_attribute(seconds)}")
    outcome = _outcome(result)
    body = "\n".join(_body(header, result))
    message = _attribute(str(result.get("detail") or result["title"]))
    if outcome == "skipped":
        reason = (
            result["baseline"]["reason"]
            if result["verdict"] == Verdict.EXPECTED
            else words.WORDS[Verdict(result["verdict"])]
        )
        out.write(f">\n   <skipped message={_attribute(str(reason))}/>\n  </testcase>\n")
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
    return quoteattr(_legal(visible(text)))


def _text(text: str) -> str:
    return escape(_legal("\n".join(visible_lines(text))))


def _legal(text: str) -> str:
    """Without the characters that XML cannot hold, not even escaped."""
    return _ILLEGAL.sub("\ufffd", text)
