"""What vectors/README.md and the README say of the runner is so."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from nostrmcp.cli.main import main
from nostrmcp.conformance import baseline
from nostrmcp.conformance.pipe import LINE_LIMIT
from nostrmcp.conformance.runner import MAX_STARTS
from nostrmcp.conformance.verdicts import EXPECTABLE, Status, verdict

from .running import run

ROOT = Path(__file__).resolve().parents[2]
VECTORS = (ROOT / "vectors" / "README.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def fences(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


@pytest.mark.skipif(shutil.which("node") is None, reason="the example adapter needs node")
def test_the_adapter_in_javascript_works(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (adapter,) = fences(VECTORS, "javascript")
    (tmp_path / "adapter.mjs").write_text(adapter, encoding="utf-8")
    testee = f"cmd:node {tmp_path / 'adapter.mjs'}"
    ran = run(capsys, testee, "--start-timeout", "60", "--timeout", "20")
    assert (ran.code, ran.footer["verdict"]) == (0, "partial")
    assert ran.statuses.keys() == {"pass", "not-offered"}
    assert {one["op"] for one in ran.results.values() if one["status"] == "pass"} == {"event_id", "kind_class"}
    assert main(["conformance", "run", "--testee", testee, "--check-adapter", "--start-timeout", "60"]) == 0


def test_the_baseline_that_is_shown_is_one(tmp_path: Path) -> None:
    (text,) = fences(VECTORS, "toml")
    (tmp_path / "b.toml").write_text(text, encoding="utf-8")
    (entry,) = baseline.load(tmp_path / "b.toml").values()
    assert entry.case == "nip01-parse-duplicate-unknown"
    told = re.search(r"what happens: (.*)", text)
    assert told is not None
    assert told[1].split(", ") == list(EXPECTABLE)
    assert tomllib.loads(text)["expect"][0].keys() == {"case", "status", "reason", "issue"}


@pytest.mark.parametrize("text", [VECTORS, README], ids=["vectors/README.md", "README.md"])
def test_commands_can_be_given(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command of the runner that is shown is one; a dry run takes its options."""
    shown = [line.partition("  #")[0] for fence in fences(text, "sh") for line in fence.splitlines()]
    commands = [shlex.split(line) for line in shown if line.startswith("nostrmcp conformance ")]
    runs = [words for words in commands if words[2] == "run" and "--baseline" not in words]
    assert runs
    for words in runs:
        assert main([*words[1:], "--dry-run"]) == 0, words
    for words in commands:
        if words[2] != "run":
            with pytest.raises(SystemExit) as stopped:
                main([*words[1:], "--help"])
            assert stopped.value.code == 0


VERDICTS = {"passes": "PASS", "fails": "FAIL", "warns": "WARN", "informs": "INFO"}
ROWS = {
    "the expected answer": ("pass",),
    "a wrong answer": ("fail", "skip", "fault"),
    "no answer in time": ("timeout", "crash", "garbage"),
    "refused, as expected, but under another class": ("other-class",),
}


def test_the_table_of_verdicts_is_that_of_the_code() -> None:
    table = VECTORS[VECTORS.index("| happened | of MUST") :].split("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    levels = [cell.removeprefix("of ") for cell in rows[0][1:]]
    found = {}
    for name, *words in rows[2:]:
        (statuses,) = [statuses for begin, statuses in ROWS.items() if name.startswith(begin)]
        found |= {
            (status, level): VERDICTS[word] for level, word in zip(levels, words, strict=True) for status in statuses
        }
    assert found == {
        (status, level): verdict(Status(status), level, hardening=False, strict=False) for status, level in found
    }
    assert {status for status, _ in found} == set(Status) - {"not-offered", "not-run", "defect"}


def test_numbers_that_are_told() -> None:
    assert f"after\n{MAX_STARTS} starts without an answer" in VECTORS
    assert LINE_LIMIT == 1024 * 1024 and "at most 1 MiB" in VECTORS


def test_questions_and_statuses_are_those_of_the_schema() -> None:
    schema = json.loads((ROOT / "vectors" / "schema" / "adapter-v1.json").read_text())
    part = VECTORS[VECTORS.index("### Questions and answers") : VECTORS.index("### Verdicts")]
    told = re.findall(r"^\| `(\w+)` \|", part, re.M)
    questions, statuses = told[:6], told[7:]
    assert questions == ["hello", "run", "open", "step", "close", "bye"]
    assert set(questions[:-1]) <= set(schema["$defs"])
    assert statuses == schema["$defs"]["answer"]["properties"]["status"]["enum"]
