"""The stream of a run: what is one, and what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nostrmcp.cli.main import main
from nostrmcp.conformance.stream import BadStream, checked, open_stream, summarise

Value = dict[str, Any]


def lines(*results: Value, **footer: Any) -> list[Value]:
    """A small stream."""
    header = {
        "type": "header", "format": "nostrmcp-run-v1", "runner": {"name": "nostrmcp", "version": "1"}, "vectors": "ab",
        "testee": "cmd:x", "again": ["nostrmcp", "conformance", "run", "--testee", "cmd:x"], "implementation": None,
        "seed": 1, "strict": False, "selected": len(results), "started": "2026-01-01T00:00:00+00:00",
    }  # fmt: skip
    counts: dict[str, int] = {}
    for one in results:
        counts[one["verdict"]] = counts.get(one["verdict"], 0) + 1
    end = {
        "type": "footer", "counts": counts, "score": {}, "verdict": "conforming", "exit": 0, "aborted": None,
        "seconds": 0.5,
    }  # fmt: skip
    return [header, *({"n": n, **one} for n, one in enumerate(results, start=1)), end | footer]


def result(case: str = "a-case", **members: Any) -> Value:
    return {
        "type": "result", "case": case, "suite": "common/nip01", "op": "verify_event", "title": "it is so",
        "level": "MUST", "req": ["NIP01-ID-01"], "hardening": False, "status": "pass", "verdict": "PASS", "ms": 1.5,
    } | members  # fmt: skip


def read(stream: list[Value]) -> list[Value]:
    return list(checked(iter([json.dumps(one) for one in stream])))


def test_a_stream() -> None:
    stream = lines(result("a"), result("b", verdict="FAIL", status="fail", detail="no"))
    assert read(stream) == stream


def without(name: str, index: int) -> list[Value]:
    stream = lines(result("a"), result("b"))
    del stream[index][name]
    return stream


def changed(index: int, **members: Any) -> list[Value]:
    stream = lines(result("a"), result("b"))
    stream[index] |= members
    return stream


WHOLE = lines(result("a"), result("b"))
BAD: list[tuple[list[Value], str]] = [
    ([], "there is no footer"),
    (WHOLE[:-1], "there is no footer: the run was broken off, or the file was cut"),
    (WHOLE[1:], "line 1 .*: a header was to come"),
    ([WHOLE[0], *WHOLE], "line 2 .*: a result or a footer was to come"),
    ([*WHOLE, WHOLE[-1]], "line 5 .*: nothing was to come"),
    ([WHOLE[0], WHOLE[2], WHOLE[3]], "line 2 .*: results are not numbered one by one"),
    ([WHOLE[0], WHOLE[1], WHOLE[1], WHOLE[3]], "line 3 .*: results are not numbered one by one"),
    ([WHOLE[0], WHOLE[1], WHOLE[3]], "line 3 .*: the footer does not count the results that there are"),
    (changed(0, format="other"), "line 1 .*: the format is not nostrmcp-run-v1"),
    (changed(1, type="case"), "line 2 .*: a result or a footer was to come"),
    (changed(1, verdict="GOOD"), "line 2 .*: verdict is missing or of another type"),
    (changed(1, status="well"), "line 2 .*: status is missing or of another type"),
    (changed(1, hardening="no"), "line 2 .*: hardening is missing or of another type"),
    (changed(1, ms=True), "line 2 .*: ms is missing or of another type"),
    (changed(1, wire=[["runner"]]), "line 2 .*: wire is missing or of another type"),
    (changed(1, requirements=["x"]), "line 2 .*: requirements is missing or of another type"),
    (changed(1, baseline={}), "line 2 .*: baseline is missing or of another type"),
    *((without(name, 1), f"line 2 .*: {name} ") for name in result() if name != "type"),
    *((without(name, 0), f"line 1 .*: {name} ") for name in WHOLE[0] if name != "type"),
    *((without(name, 3), f"line 4 .*: {name} ") for name in WHOLE[3] if name != "type"),
]


@pytest.mark.parametrize(("stream", "words"), BAD)
def test_what_is_no_stream(stream: list[Value], words: str) -> None:
    with pytest.raises(BadStream, match=words):
        read(stream)


@pytest.mark.parametrize("text", ["{", "[1]", "nothing", "[" * 100000, '"' + "\\ud800" + '"'])
def test_what_is_no_json_object(text: str) -> None:
    with pytest.raises(BadStream):
        list(checked(iter([text])))


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"{}\n"])
def test_a_file_that_is_none(data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(data)
    assert main(["conformance", "report", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("nostrmcp: ")


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(BadStream, match=r"cannot read .*no\.jsonl: No such file or directory"):
        open_stream(tmp_path / "no.jsonl")


def test_the_score() -> None:
    """MUST cases of revisions count; hardening does not; what was refused under another name was refused."""
    stream = lines(
        result("a", suite="contextvm/decode"),
        result("b", suite="contextvm/decode", verdict="FAIL", status="fail"),
        result("c", suite="contextvm/encode", verdict="WARN", status="other-class"),
        result("d", suite="contextvm/encode", verdict="EXPECTED", status="skip", baseline={"reason": "x"}),
        result("e", suite="contextvm/encode", verdict="STALE", baseline={"reason": "x"}),
        result("f", suite="contextvm/encode", verdict="NOT_OFFERED", status="not-offered"),
        result("g", suite="contextvm/encode", level="SHOULD", verdict="WARN", status="fail"),
        result("h", suite="contextvm/encode", hardening=True, verdict="WARN", status="fail"),
        result("i", suite="common/nip01"),
    )
    _, summary, _ = summarise(lambda: iter(stream))
    assert summary.score() == {"common": {"passed": 1, "asked": 1}, "contextvm": {"passed": 3, "asked": 5}}
    assert summary.not_offered == {"verify_event": 1}
    assert summary.hardening["contextvm"].asked == 1
    assert summary.cells["contextvm", "encode"].asked == 4
