"""Several runs as one report. `make run`, a part of `make ci`, does it with everything against the package itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nostrmcp.cli.main import main
from nostrmcp.conformance.stream import checked, joined, summarise

from .test_stream import lines, result

VECTORS = lines(result("a"), result("b", verdict="FAIL", status="fail", detail="wrong"), verdict="violations", exit=1)
LIVE = lines(result("c", suite="contextvm/live-server"), result("d", verdict="NOT_RUN", status="not-run"))
LIVE[0] |= {"testee": "server", "again": ["nostrmcp", "conformance", "live", "server"]}


def test_one_after_the_other_numbered_anew() -> None:
    stream = joined([lambda: iter(VECTORS), lambda: iter(LIVE)])
    whole = list(checked(json.dumps(line) for line in stream()))
    assert [(one["case"], one["n"], one["again"][2]) for one in whole[1:-1]] == [
        ("a", 1, "run"),
        ("b", 2, "run"),
        ("c", 3, "live"),
        ("d", 4, "live"),
    ]
    assert (whole[0]["testee"], whole[0]["selected"]) == ("cmd:x and server", 4)
    footer = whole[-1]
    assert (footer["verdict"], footer["exit"], footer["seconds"]) == ("violations", 1, 1.0)
    assert footer["counts"] == {"PASS": 2, "FAIL": 1, "NOT_RUN": 1}
    assert footer["score"] == {"common": {"passed": 1, "asked": 2}, "contextvm": {"passed": 1, "asked": 1}}
    assert summarise(stream)[1].score() == footer["score"]


def test_a_run_that_was_broken_off_breaks_off_the_whole() -> None:
    broken = lines(result("b"), aborted="no hello", verdict="it could not be run", exit=3)
    *_, footer = joined([lambda: iter(VECTORS), lambda: iter(broken)])()
    assert (footer["exit"], footer["aborted"]) == (3, "no hello")


def test_report_of_several_streams(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path, stream in zip(paths, (VECTORS, LIVE), strict=True):
        path.write_text("".join(json.dumps(line) + "\n" for line in stream))
    assert main(["conformance", "report", *map(str, paths), "--json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 6
    assert main(["conformance", "report", *map(str, paths)]) == 0
    out = capsys.readouterr().out
    assert "again: nostrmcp conformance run --testee cmd:x --case b" in out and "contextvm" in out
