"""The reports read back: terminal, JUnit, Markdown and HTML, of ordinary runs and of hostile ones."""

from __future__ import annotations

import io
import json
import re
import unicodedata
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import junitparser
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.conformance.render import RENDERERS
from nostrmcp.conformance.stream import checked

from .test_stream import Value, lines, result

HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(1)> &lt; ]]> -->\x1b[31mred\x1b]0;title\x07 \x00\x0b\x7f\x9b"
    "\u202eright to left\u2066\u200b\ufeff\ufffe\uffff \ud800 | `code` [a](javascript:alert(1)) @someone #1 <a:b> $x$"
    "\r\nnew line \u2028 '\" \U0001f600"
)
FAILED = {
    "requirements": {"NIP01-ID-01": "The id is the hash."},
    "notes": ["an attacker names another author"],
    "input": '{"a": 1}',
    "expected": '{"id": "aa"}',
    "actual": '{"id": "bb"}',
    "wire": [["runner", '{"cmd":"run"}'], ["adapter", '{"status":"ok"}']],
}


def stream_of(*results: Value, **footer: Any) -> Any:
    whole = lines(*results, **footer)
    texts = [json.dumps(one) for one in whole]
    return lambda: checked(iter(texts))


def rendered(kind: str, *results: Value, **footer: Any) -> str:
    out = io.StringIO()
    RENDERERS[kind](stream_of(*results, **footer), out)
    return out.getvalue()


MIXED = [
    result("passes"),
    result("fails", verdict="FAIL", status="fail", detail="expected aa, got bb", **FAILED),
    result("crashes", verdict="FAIL", status="crash", detail="signal 11", stderr="boom\nbang\n", **FAILED),
    result("warns", verdict="WARN", status="other-class", detail="refused as x, expected y", **FAILED),
    result("informs", verdict="INFO", status="fail", level="MAY", detail="not done", **FAILED),
    result("known", verdict="EXPECTED", status="skip", detail="skipped: later", baseline={"reason": "next year"}),
    result("fixed", verdict="STALE", baseline={"reason": "next year"}),
    result("absent", verdict="NOT_OFFERED", status="not-offered", suite="contextvm/decode", op="decode_event"),
    result("apart", verdict="WARN", status="fail", hardening=True, detail="our own rule", **FAILED),
    result("ours", verdict="DEFECT", status="defect", detail="the judge broke"),
]


def test_terminal_tells_failures_first_and_in_words() -> None:
    text = rendered("terminal", *MIXED, verdict="a defect of nostrmcp", exit=4)
    order = [
        text.index(one) for one in ("DEFECT  ours", "FAIL  fails", "FAIL  crashes", "STALE  fixed", "WARN      warns")
    ]
    assert order == sorted(order) and order[0] == 0
    block = text[text.index("FAIL  fails") : text.index("FAIL  crashes")]
    assert block == (
        "FAIL  fails  (MUST, common/nip01, verify_event)\n"
        "  it is so\n"
        "  NIP01-ID-01: The id is the hash.\n"
        "  harm: an attacker names another author\n"
        "  fail: expected aa, got bb\n"
        f"    {'expected':55} actual\n"
        f"  | {'{':55} {{\n"
        f'  ! {"  " + json.dumps("id") + ": " + json.dumps("aa"):55}   "id": "bb"\n'
        f"  | {'}':55} }}\n"
        "  again: nostrmcp conformance run --testee cmd:x --case fails\n\n"
    )
    assert "  standard error, the last of it:\n    boom\n    bang\n" in text
    assert "EXPECTED  known  skip, as expected: next year\n" in text
    assert "STALE  fixed  (MUST, common/nip01, verify_event)\n  it is so\n  it passes now: take it out" in text
    assert "\nhardening: our own rules, in no score: common 0/1\n" in text
    assert "\nscore: common 3/7 MUST\n" in text
    assert "\nnot offered: decode_event\n" in text
    assert " ".join(text.split()).endswith(
        "10 cases in 0.5 s, seed 1: 1 defect of nostrmcp, 2 failed, 1 stale in the baseline, 2 warned, "
        "1 failed as the baseline says, 1 optional, not done, 1 passed, 1 not offered cmd:x: a defect of nostrmcp"
    )
    assert "passes" not in text.replace("it passes now", "")
    assert max(map(len, text.splitlines())) <= 118


def test_terminal_is_not_flooded() -> None:
    many = [result(f"case-{n}", verdict="FAIL", status="fail", detail="no", **FAILED) for n in range(300)]
    text = rendered("terminal", *many, verdict="violations", exit=1)
    assert text.count("again: ") == 30
    assert text.count("\nFAIL      case-") == 200
    assert "\nand 70 more, which the other reports tell\n" in text


def test_long_sides_are_cut_with_a_word() -> None:
    long = json.dumps({str(n): n for n in range(100)})
    text = rendered("terminal", result("fails", verdict="FAIL", status="fail", **FAILED | {"expected": long}))
    assert "    (62 more lines: --report html=FILE has them)\n" in text


def test_a_run_that_was_broken_off() -> None:
    results = [result("a", verdict="NOT_RUN", status="not-run")]
    whole = {"verdict": "it could not be run", "exit": 3, "aborted": "no hello: it is mute"}
    text = rendered("terminal", *results, **whole)
    assert text.endswith("1 not run\ncmd:x: it could not be run: no hello: it is mute\n")
    assert "score" not in text
    assert "no hello: it is mute" in rendered("html", *results, **whole)
    assert rendered("md", *results, **whole).startswith(
        "## MCP over Nostr: cmd\\:x\\: it could not be run\\: no hello\\: it is mute\n"
    )
    suites = {one.name: one for one in junitparser.JUnitXml.fromstring(rendered("junit", *results, **whole))}
    (broken,) = suites["run"]
    assert [(one.message, one.type) for one in broken.result] == [("no hello: it is mute", "not-run")]


def test_junit_says_what_its_readers_expect() -> None:
    """Wrong answers are failures, none at all is an error, what was known or never asked is skipped."""
    text = rendered("junit", *MIXED)
    report = junitparser.JUnitXml.fromstring(text)
    assert (report.tests, report.failures, report.errors, report.skipped) == (10, 2, 2, 2)
    assert report.name == "nostrmcp conformance: cmd:x: conforming"
    suites = {one.name: one for one in report}
    assert sorted(suites) == ["common/nip01", "contextvm/decode", "hardening/common/nip01"]
    found = {case.name: case for suite in report for case in suite}
    assert {name: [type(one).__name__ for one in case.result] for name, case in found.items()} == {
        "passes": [], "fails": ["Failure"], "crashes": ["Error"], "warns": [], "informs": [], "known": ["Skipped"],
        "fixed": ["Failure"], "absent": ["Skipped"], "apart": [], "ours": ["Error"],
    }  # fmt: skip
    assert found["fails"].classname == "common.nip01"
    assert found["fails"].time == 0.0015
    (failure,) = found["fails"].result
    assert (failure.message, failure.type) == ("expected aa, got bb", "fail")
    assert "NIP01-ID-01: The id is the hash.\nharm: an attacker names another author\n" in failure.text
    assert "again: nostrmcp conformance run --testee cmd:x --case fails" in failure.text
    (known,) = found["known"].result
    assert known.message == "skip, as expected: next year"
    (absent,) = found["absent"].result
    assert absent.message == "not offered"
    assert "refused as x, expected y" in found["warns"].system_out
    for suite in ElementTree.fromstring(text):
        cases = list(suite)
        assert int(suite.attrib["tests"]) == len(cases)
        for kind, counted in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert int(suite.attrib[counted]) == sum(case.find(kind) is not None for case in cases)
        assert float(suite.attrib["time"]) >= 0
        assert suite.attrib["timestamp"] == "2026-01-01T00:00:00"


def test_markdown_is_short_and_has_the_matrix() -> None:
    text = rendered("md", *MIXED, verdict="violations")
    assert text.startswith("## MCP over Nostr: cmd\\:x\\: violations\n")
    assert "| common | 3/7 MUST |" in text
    assert "| hardening, common | not scored |" in text
    assert "| FAIL | fails | it is so | expected aa, got bb |" in text
    assert "| EXPECTED | known | it is so | skip, as expected\\: next year |" in text
    many = [result(f"case-{n}", verdict="FAIL", status="fail", detail="no") for n in range(80)]
    text = rendered("md", *many)
    assert text.count("| FAIL |") == 50
    assert text.endswith("\n30 more are in the other reports.\n")


def test_what_was_not_run_is_told_with_what_it_needs() -> None:
    needs = "it needs --hint slow=TOOL:JSON, a tool that takes a while, say a second"
    missing = [result(one, op=one, verdict="NOT_RUN", status="not-run", detail=needs) for one in ("cancel", "again")]
    results = [result("a"), *missing]
    told = f"again, cancel: {needs}"
    assert f"not run: {told}\n" in rendered("terminal", *results, verdict="partial")
    page = Page(rendered("html", *results, verdict="partial"))
    assert f"Not run{told}" in page.text and page.open == []
    assert f"\nNot run: {told}\n" in rendered("md", *results, verdict="partial").replace("\\", "")
    broken_off = {"verdict": "it could not be run", "exit": 3, "aborted": "no hello"}
    for kind in ("terminal", "html", "md"):
        assert needs not in rendered(kind, *missing, **broken_off)


def test_a_run_without_a_score_says_so_everywhere() -> None:
    """Whoever passed only rules of ours has not shown that it conforms to anything."""
    unscored = "no violation, but nothing was run that counts in a score"
    only = result("apart", hardening=True)
    text = rendered("terminal", only, verdict=unscored)
    assert text.endswith(f"cmd:x: {unscored}\n") and "\nscore:" not in text
    assert rendered("md", only, verdict=unscored).startswith(f"## MCP over Nostr: cmd\\:x\\: {unscored}\n")
    assert junitparser.JUnitXml.fromstring(rendered("junit", only, verdict=unscored)).name.endswith(f": {unscored}")
    page = rendered("html", only, verdict=unscored)
    assert unscored in Page(page).text and '<h1>cmd:x: <span class="">' in page
    assert '<span class="good">' in rendered("html", result("a"))
    assert '<span class="bad">' in rendered("html", result("a"), verdict="violations", exit=1)


class Page(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


OURS = {
    "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "span", "code", "div", "table",
    "caption", "thead", "tbody", "tr", "th", "td", "details", "summary", "ul", "li", "pre",
}  # fmt: skip


def test_html_is_one_file_with_everything() -> None:
    page = Page(rendered("html", *MIXED, verdict="violations", exit=1))
    assert set(page.tags) <= OURS and page.open == []
    assert not [name for name, _ in page.attributes if name in ("src", "href", "style") or name.startswith("on")]
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in page.attributes
    assert ("content", "width=device-width,initial-scale=1") in page.attributes
    assert page.tags.count("details") == 8
    for words in (
        "The id is the hash.",
        "an attacker names another author",
        "boom\nbang",
        "next year",
        '{"cmd":"run"}',
    ):
        assert words in page.text
    assert "nostrmcp conformance run --testee cmd:x --case crashes" in page.text


def test_html_of_nothing_wrong() -> None:
    assert "What did not passNothing." in Page(rendered("html", result("a"))).text.replace("\n", "")


def hostile(value: Any) -> Any:
    """Every string of a value made hostile, but for the words of the format itself."""
    if isinstance(value, str):
        return HOSTILE
    if isinstance(value, dict):
        return {f"{name}{HOSTILE}": hostile(one) for name, one in value.items()}
    return [hostile(one) for one in value] if isinstance(value, list) else value


KEPT = (
    "type",
    "status",
    "verdict",
    "level",
    "format",
    "runner",
    "counts",
    "score",
    "baseline",
    "wire",
    "implementation",
)


def hostile_stream() -> Any:
    results = [
        result(f"case-{n}", verdict=verdict, status="crash" if verdict != "STALE" else "pass", stderr=HOSTILE,
               suite=f"{HOSTILE}/{HOSTILE}", detail=HOSTILE, baseline={"reason": HOSTILE}, **FAILED)
        for n, verdict in enumerate(("FAIL", "STALE", "WARN", "EXPECTED", "INFO", "DEFECT", "PASS", "NOT_OFFERED"))
    ]  # fmt: skip
    whole = lines(*results, verdict=HOSTILE, aborted=None)
    for line in whole:
        for name in line:
            if name not in KEPT:
                line[name] = hostile(line[name])
        if "wire" in line:
            line["wire"] = [[HOSTILE, HOSTILE]]
    whole[0]["implementation"] = {"name": HOSTILE, "version": HOSTILE}
    texts = [json.dumps(one) for one in whole]
    return lambda: checked(iter(texts))


def dangerous(text: str, allowed: str = "\n") -> set[str]:
    """Characters that a terminal, or the eye, does not take for text."""
    return {
        one for one in text if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Cn") and one not in allowed
    }


def test_hostile_strings_do_nothing_to_a_terminal() -> None:
    out = io.StringIO()
    RENDERERS["terminal"](hostile_stream(), out)
    assert dangerous(out.getvalue()) == set()
    assert "\\x1b[31mred" in out.getvalue() and "\\u202eright to left" in out.getvalue()


def test_hostile_strings_are_text_in_html() -> None:
    out = io.StringIO()
    RENDERERS["html"](hostile_stream(), out)
    page = Page(out.getvalue())
    assert set(page.tags) <= OURS and page.open == []
    assert {name for name, _ in page.attributes} <= {
        "lang", "charset", "http-equiv", "content", "name", "class", "tabindex", "role", "aria-label", "scope"
    }  # fmt: skip
    assert dangerous(page.text) == set()
    assert "<script>alert(1)</script>" in page.text
    out.getvalue().encode()


def test_hostile_strings_are_text_in_junit() -> None:
    out = io.StringIO()
    RENDERERS["junit"](hostile_stream(), out)
    out.getvalue().encode()
    root = ElementTree.fromstring(out.getvalue())
    assert {one.tag for one in root.iter()} <= {
        "testsuites", "testsuite", "testcase", "failure", "error", "skipped", "system-out"
    }  # fmt: skip
    texts = [one.text or "" for one in root.iter()] + [text for one in root.iter() for text in one.attrib.values()]
    assert dangerous("".join(texts)) == set()
    assert any("<script>alert(1)</script>" in text for text in texts)
    assert len(junitparser.JUnitXml.fromstring(out.getvalue())) == 1


def test_hostile_strings_are_no_markdown() -> None:
    out = io.StringIO()
    RENDERERS["md"](hostile_stream(), out)
    text = out.getvalue()
    assert dangerous(text) == set()
    assert not re.search(r"(?<!\\)[`\[]|<|(?<!\\)@", text)
    tables = [line for line in text.splitlines() if line.startswith("|")]
    widths = {len(re.findall(r"(?<!\\)\|", line)) for line in tables}
    assert widths == {5}, "no row has a cell too many"


@given(st.text(), st.text(), st.text())
def test_any_text_is_harmless_everywhere(detail: str, title: str, stderr: str) -> None:
    """What JSON can hold can be shown: XML parses, HTML holds our elements only, a terminal sees no control."""
    fails = FAILED | {"actual": detail, "expected": stderr}
    one = result("a", verdict="FAIL", status="crash", detail=detail, title=title, stderr=stderr, **fails)
    ElementTree.fromstring(rendered("junit", one))
    assert set(Page(rendered("html", one)).tags) <= OURS
    for kind in ("terminal", "md"):
        assert {one for one in rendered(kind, one) if unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp")} <= {"\n"}


def test_reports_can_be_written_to_a_file(tmp_path: Path) -> None:
    """A lone surrogate has no UTF-8; it must be escaped before it gets there."""
    for kind, render in RENDERERS.items():
        with (tmp_path / kind).open("w", encoding="utf-8") as file:
            render(hostile_stream(), file)
