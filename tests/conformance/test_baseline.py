"""Baselines: what is read, what is refused, what is written."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.cli.main import main
from nostrmcp.conformance import baseline
from nostrmcp.conformance.verdicts import Status

from .running import animal, run

ENTRY = '[[expect]]\ncase = "bip340-verify"\nstatus = "fail"\nreason = "old curve"\n'


def test_read(tmp_path: Path) -> None:
    path = tmp_path / "b.toml"
    path.write_text(ENTRY + 'issue = "https://example.org/1"\n')
    expected = baseline.Expectation("bip340-verify", Status.FAIL, "old curve", "https://example.org/1")
    assert baseline.load(path) == {"bip340-verify": expected}


BAD = {
    "is not TOML": "[[expect",
    "holds [[expect]] tables and nothing else": 'note = "x"\n',
    "entry 1: an entry has case, status, reason and perhaps issue": ENTRY + "until = 2027-01-01\n",
    "entry 1: reason is missing": '[[expect]]\ncase = "a"\nstatus = "fail"\nreason = " "\n',
    "entry 1: status is one of fail, other-class, skip, fault, garbage, timeout, crash": ENTRY.replace("fail", "pass"),
    "entry 1: issue is a string": ENTRY + "issue = 3\n",
    "names bip340-verify twice": ENTRY + ENTRY,
    "the baseline names cases that do not exist: bip340-verify-more": ENTRY.replace("verify", "verify-more"),
}


@pytest.mark.parametrize("words", BAD)
def test_a_bad_one_is_wrong_usage(words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "b.toml"
    path.write_text(BAD[words])
    assert main(["conformance", "run", "--testee", "self", "--suite", "bip340", "--baseline", str(path)]) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""


def test_a_missing_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "no.toml"
    assert main(["conformance", "run", "--testee", "self", "--baseline", str(path)]) == 2
    assert capsys.readouterr().err == f"nostrmcp: cannot read {path}: No such file or directory\n"


CASES = ("--case", "bip340-verify", "--case", "bip340-verify-other-key", "--case", "bip340-pubkey-one")


def test_written_then_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What fails is written; with the file it is expected; and what passes after all is stale."""
    path = tmp_path / "b.toml"
    first = run(capsys, animal("skips"), *CASES, "--write-baseline", str(path))
    assert (first.code, first.verdicts) == (1, {"FAIL": 2, "PASS": 1})
    entries = tomllib.loads(path.read_text())["expect"]
    assert entries == [
        {"case": name, "status": "skip", "reason": "to be explained"}
        for name in first.results
        if name != "bip340-pubkey-one"
    ]

    path.write_text(path.read_text().replace("to be explained", "curve not done"))
    again = tmp_path / "again.toml"
    second = run(capsys, animal("skips"), *CASES, "--baseline", str(path), "--write-baseline", str(again))
    assert (second.code, second.verdicts) == (0, {"EXPECTED": 2, "PASS": 1})
    assert second.footer["verdict"] == "as the baseline says"
    assert second.footer["score"] == {"common": {"passed": 1, "asked": 3}}
    assert second.results["bip340-verify"]["baseline"]["reason"] == "curve not done"
    assert baseline.load(again) == baseline.load(path)

    third = run(capsys, animal("sound"), *CASES, "--baseline", str(path))
    assert (third.code, third.footer["verdict"]) == (5, "stale baseline")
    assert third.verdicts == {"STALE": 2, "PASS": 1}


def test_another_failure_than_the_expected_one_is_a_violation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "b.toml"
    path.write_text(ENTRY)
    ran = run(capsys, animal("crashes"), "--case", "bip340-verify", "--baseline", str(path))
    assert (ran.code, ran.verdicts) == (1, {"FAIL": 1})


def test_entries_of_cases_that_are_not_selected_wait(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "b.toml"
    path.write_text(ENTRY)
    ran = run(capsys, animal("sound"), "--case", "bip340-pubkey-one", "--baseline", str(path))
    assert (ran.code, ran.verdicts) == (0, {"PASS": 1})


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXTS.filter(str.strip), st.none() | TEXTS, st.text())
def test_what_is_written_is_read_again(reason: str, issue: str | None, detail: str) -> None:
    entry = baseline.Expectation("a-case", Status.FAIL, reason, issue)
    (read,) = tomllib.loads(baseline.entry_text(entry, detail))["expect"]
    assert read == {"case": "a-case", "status": "fail", "reason": reason} | ({} if issue is None else {"issue": issue})
