"""`nostrmcp conformance`, as a user calls it."""

from __future__ import annotations

import io
import json
import os
import shlex
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from nostrmcp.cli import reports
from nostrmcp.cli.main import main
from nostrmcp.conformance.render import words as words_of_reports
from nostrmcp.conformance.selection import Selection, features_of, in_order, is_hardening, revisions_of, survey
from nostrmcp.conformance.testee import BadTestee, command_of
from nostrmcp.conformance.vectors import load_suites

from .running import animal, run

ROOT = Path(__file__).resolve().parents[2]
UNSCORED = "no violation, but nothing was run that counts in a score"
CASES = {case.id: case for suite in load_suites() for case in suite.cases}


@pytest.fixture(autouse=True)
def _at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.slow
def test_this_package_conforms(capsys: pytest.CaptureFixture[str]) -> None:
    """All suites, through the pipe, in an order that nobody chose."""
    ran = run(capsys, "self", "--strict")
    assert ran.verdicts == {"PASS": len(CASES)}
    assert ran.results.keys() == CASES.keys()
    assert (ran.code, ran.footer["verdict"]) == (0, "conforming")
    assert all(one["passed"] == one["asked"] for one in ran.footer["score"].values())


def test_hardening_is_in_no_score(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "self", "--suite", "hardening", "--revision", "contextvm")
    assert set(ran.results) == {
        name for name, case in CASES.items() if is_hardening(case) and case.suite.startswith("contextvm/")
    }
    assert all(one["hardening"] for one in ran.results.values())
    assert ran.footer["score"] == {}
    assert (ran.code, ran.footer["verdict"]) == (0, UNSCORED)
    main(["conformance", "run", "--testee", "self", "--case", "detect-announcement-11316"])
    assert capsys.readouterr().out.endswith(f"nostrmcp 0.1.0: {UNSCORED}\n")


def test_a_case_that_also_shows_a_rule_of_ours_is_hardening(capsys: pytest.CaptureFixture[str]) -> None:
    assert [one[:6] for one in CASES["cvm-client-required-never-plain"].req] == ["HOUSE-", "CVM-EN"]
    assert main(["conformance", "list", "--json", "--case", "cvm-client-required-never-plain"]) == 0
    assert json.loads(capsys.readouterr().out)["hardening"] is True
    assert main(["conformance", "list", "--json", "--case", "cvm-client-handshake"]) == 0
    assert json.loads(capsys.readouterr().out)["hardening"] is False
    assert main(["conformance", "list", "--json", "--case", "json-depth-objects"]) == 0
    assert json.loads(capsys.readouterr().out)["hardening"] is True


def test_a_failure_is_explained_in_the_stream(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, animal("refuses-valid"), "--case", "bip340-verify", "--case", "bip340-pubkey-one")
    failed, case = ran.results["bip340-verify"], CASES["bip340-verify"]
    assert failed["detail"] == "refused as malformed_tags (no), but it is valid"
    assert failed["requirements"].keys() == set(case.req) and all(failed["requirements"].values())
    assert failed["notes"] and all(failed["notes"])
    assert json.loads(failed["input"]) == case.input
    assert json.loads(failed["expected"]) == case.output
    assert json.loads(failed["actual"]) == {"reject": "malformed_tags", "message": "no"}
    (who, asked), (other, answered) = failed["wire"]
    assert (who, json.loads(asked)["op"], other) == ("runner", "schnorr_verify", "adapter")
    assert json.loads(answered)["status"] == "reject"
    assert "requirements" not in ran.results["bip340-pubkey-one"]


def test_of_a_script_the_step_that_differs_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "python:tests.conformance.helpers:idle", "--case", "cvm-client-pages", "--no-smoke")
    one = ran.results["cvm-client-pages"]
    assert one["detail"] == "step 0: published 0 events, expected 1: []"
    assert json.loads(one["expected"]) == {"step": 0} | CASES["cvm-client-pages"].output["steps"][0]  # type: ignore[index]
    assert json.loads(one["actual"]) == {"step": 0, "published": [], "delivered": [], "paid": []}


def test_the_seed_decides_the_order(capsys: pytest.CaptureFixture[str]) -> None:
    orders = [list(run(capsys, "self", "--suite", "nip19", "--seed", seed).results) for seed in ("1", "1", "2")]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2]) != orders[0]


def test_without_a_seed_the_order_can_be_had_again(capsys: pytest.CaptureFixture[str]) -> None:
    first = run(capsys, "self", "--suite", "nip19")
    again = run(capsys, "self", "--suite", "nip19", "--seed", str(first.header["seed"]))
    assert list(first.results) == list(again.results)


def test_dry_run_names_the_cases_and_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--suite", "nip40", "--seed", "3"]
    assert main(["conformance", "run", "--testee", "cmd:/nowhere", "--dry-run", *arguments]) == 0
    captured = capsys.readouterr()
    assert captured.out.split() == list(run(capsys, "self", *arguments).results)
    assert captured.err == f"{len(captured.out.split())} cases, seed 3\n"


@pytest.mark.parametrize(
    ("arguments", "takes"),
    [
        (["--revision", "contextvm"], lambda case: case.suite.startswith("contextvm/")),
        (["--suite", "decode"], lambda case: case.suite.endswith("/decode")),
        (["--suite", "contextvm/decode"], lambda case: case.suite == "contextvm/decode"),
        (["--suite", "decode", "--revision", "dvmcp-rev1"], lambda case: case.suite == "dvmcp-rev1/decode"),
        (["--suite", "nip19", "--suite", "nip40"], lambda case: case.suite in ("common/nip19", "common/nip40")),
        (["--level", "MUST", "--suite", "nip40"], lambda case: case.suite == "common/nip40" and case.level == "MUST"),
        (["--case", "nip19-kelvin-sign"], lambda case: case.id == "nip19-kelvin-sign"),
        (["--level", "SHOULD"], lambda case: case.level != "MAY"),
    ],
)
def test_list(arguments: list[str], takes: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "list", "--json", *arguments]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["case"] for row in rows} == {name for name, case in CASES.items() if takes(case)}  # type: ignore[operator]
    assert all(row["hardening"] == is_hardening(CASES[row["case"]]) for row in rows)
    assert main(["conformance", "list", *arguments]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(rows)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--suite", "nip99"], "there is no suite nip99: see `nostrmcp conformance list`"),
        (["--suite", "contextvm"], "there is no suite contextvm"),
        (["--revision", "decode"], "there is no revision decode"),
        (["--case", "nip19-no-such"], "there is no case nip19-no-such"),
    ],
)
def test_a_selection_that_does_not_exist(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    for action in (["list"], ["run", "--testee", "self"]):
        assert main(["conformance", *action, *arguments]) == 2
        assert capsys.readouterr().err.startswith(f"nostrmcp: {words}")


@pytest.mark.parametrize(
    "testee",
    ["", "node adapter.mjs", "cmd:", "cmd:'unbalanced", "python:module", "python:a-b:c", "python:a:", "selfish"],
)
def test_a_testee_that_is_none(testee: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "run", "--testee", testee]) == 2
    assert capsys.readouterr().err.startswith(f"nostrmcp: --testee {testee!r}: ")
    with pytest.raises(BadTestee):
        command_of(testee)


@pytest.mark.parametrize(
    "option", [["--timeout", "0"], ["--timeout", "x"], ["--report", "pdf=x"], ["--report", "json="]]
)
def test_options_that_make_no_sense(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["conformance", "run", "--testee", "self", *option])
    assert stopped.value.code == 2


@pytest.mark.parametrize("action", ["run", "list", "report"])
def test_help_has_an_example_and_the_exit_codes(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["conformance", action, "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert f"example: nostrmcp conformance {action}" in shown
    assert "exit codes: 0 no violation: conforming, partial, as the baseline says, or only cases that count in" in shown
    assert "no score; 1 violations; 2 " in shown
    assert "Where several apply: 4 before 3 before 2 before 1 before 5." in shown


def test_an_adapter_in_python(capsys: pytest.CaptureFixture[str]) -> None:
    """A factory returns it; exceptions are answers; what it prints is no answer."""
    ran = run(capsys, "python:tests.conformance.helpers:small", "--suite", "nip01", "--suite", "bip340")
    found = {op: Counter(one["status"] for one in ran.results.values() if one["op"] == op) for op in
             ("schnorr_verify", "schnorr_sign", "lift_x", "tag_values")}  # fmt: skip
    assert found["tag_values"].keys() == {"pass"}
    assert found["schnorr_sign"].keys() == {"skip"}
    assert found["lift_x"].keys() == {"fault"}
    assert found["schnorr_verify"].keys() == {"pass", "fail", "other-class"}
    assert ran.header["implementation"] == {"name": "small", "version": "1", "language": "python"}
    assert {one["detail"] for one in ran.results.values() if one["op"] == "lift_x"} == {
        "fault: ZeroDivisionError: oops"
    }


def test_a_factory_that_raises(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "python:tests.conformance.helpers:no_adapter", "--suite", "nip01")
    assert ran.code == 3
    assert "RuntimeError: not today" in ran.footer["aborted"]


def test_an_adapter_is_asked_of_its_revisions_only(capsys: pytest.CaptureFixture[str]) -> None:
    suites = (
        "--suite",
        "contextvm/session-client",
        "--suite",
        "ctxvm-draft/session-client",
        "--suite",
        "subscriptions-draft",
    )
    ran = run(capsys, "python:tests.conformance.helpers:contextvm_only", *suites)
    assert ran.statuses.keys() == {"pass", "not-offered"}
    for name, one in ran.results.items():
        offered = revisions_of(CASES[name]) <= {"contextvm"}
        assert one["status"] == ("pass" if offered else "not-offered"), name
    assert ran.footer["verdict"] == "partial"


def test_an_adapter_is_asked_for_its_features_only(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "python:tests.conformance.helpers:without_money", "--revision", "contextvm", "--revision", "mcp")
    assert ran.statuses.keys() == {"pass", "not-offered"}
    for name, one in ran.results.items():
        offered = features_of(CASES[name]) <= {"encryption"}
        assert one["status"] == ("pass" if offered else "not-offered"), name
    assert ran.footer["verdict"] == "partial"


@pytest.mark.parametrize(
    ("case", "features"),
    [
        ("cvm-server-call", set()),
        ("cvm-server-wrapped", {"encryption"}),
        ("cvm-client-initialize-times-out", set()),
        ("cvm-client-payment", {"payments"}),
        ("cvm-decode-payment-required", {"payments"}),
        ("subf-cvm-server-wrapped", {"encryption", "subscriptions"}),
        ("nip59-wrap-1059", set()),
    ],
)
def test_what_a_case_needs_beyond_plain_messages(case: str, features: set[str]) -> None:
    assert features_of(CASES[case]) == features


def test_revisions_of_a_script_are_those_it_opens() -> None:
    assert revisions_of(CASES["cvm-client-pages"]) == {"contextvm"}
    assert {len(revisions_of(case)) for case in CASES.values() if case.suite.startswith("mcp/")} == {1}
    assert revisions_of(CASES["bip340-verify"]) == frozenset()


def test_a_testee_gets_no_secret_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPY", str(tmp_path / "names"))
    monkeypatch.setenv("NOSTRMCP_SECRET_FILE", "/somewhere")
    run(capsys, "python:tests.conformance.helpers:spying", "--suite", "nip40")
    names = (tmp_path / "names").read_text().split("\n")
    assert "SPY" in names and "PATH" in names
    assert not [one for one in names if one.startswith("NOSTRMCP_")]


SPY = """
import json, sys
for line in sys.stdin:
    print(line, end="", file=sys.stderr, flush=True)
    open({path!r}, "a").write(line)
    message = json.loads(line)
    if message["cmd"] == "bye":
        break
    answer = {{"n": message.get("n"), "status": "skip", "reason": "only listening"}}
    hello = {{"protocol": 1, "implementation": {{"name": "spy"}}, "ops": {ops!r}}}
    print(json.dumps(hello if message["cmd"] == "hello" else answer), flush=True)
"""


def test_what_is_expected_is_withheld(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An adapter sees the operation and its input, and neither id nor title nor the expected side."""
    program, seen = tmp_path / "spy.py", tmp_path / "seen"
    program.write_text(SPY.format(path=str(seen), ops=["session_server", "verify_event", "decode_event"]))
    suites = ["--suite", "nip01", "--revision", "common", "--revision", "contextvm", "--suite", "decode"]
    ran = run(capsys, f"cmd:{sys.executable} {program}", *suites, "--suite", "session-server", "--no-smoke")
    lines = [json.loads(line) for line in seen.read_text().splitlines()]
    shapes = {line["cmd"]: set(line) for line in lines}
    assert shapes == {
        "hello": {"cmd", "protocol", "runner"},
        "run": {"cmd", "n", "op", "input"},
        "open": {"cmd", "n", "op", "open"},
        "close": {"cmd", "n"},
        "bye": {"cmd"},
    }
    asked = [line["input"] for line in lines if line["cmd"] == "run"]
    offered = [CASES[name] for name, one in ran.results.items() if one["status"] == "skip"]
    assert asked == [case.input for case in offered if "open" not in case.input]
    assert [line["n"] for line in lines if "n" in line] == list(range(1, len(lines) - 1))


def test_a_failing_case_is_run_again_by_the_command_that_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["conformance", "run", "--testee", animal("refuses-valid"), "--suite", "bip340", "--strict"]
    assert main(arguments) == 1
    told = [line.removeprefix("  again: ") for line in capsys.readouterr().out.splitlines() if "  again: " in line]
    assert told
    program, *again = shlex.split(told[0])
    assert program == "nostrmcp"
    assert main(again) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("FAIL  ") and "\n1 cases in " in shown
    assert told[0] in shown


def test_a_class_that_nobody_agreed_on_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, animal("unknown-class"), "--suite", "bip340")
    known = "refused as i_do_not_like_it, a class that errors.json does not have"
    details = [one["detail"] for one in ran.results.values() if one["op"] == "schnorr_verify" and "detail" in one]
    assert details and all(one.startswith(known) for one in details)


@pytest.mark.parametrize(
    ("name", "case", "options"),
    [
        ("hangs", "bip340-verify", ("--timeout", "0.3", "--start-timeout", "50")),
        ("refuses-everything", "bip340-verify", ("--no-smoke", "--seed", "7")),
        ("skips", "bip340-verify", ("--baseline", "BASELINE")),
    ],
)
def test_the_command_that_is_told_has_all_that_the_outcome_depends_on(
    name: str, case: str, options: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = tmp_path / "a baseline.toml"
    known.write_text(f'[[expect]]\ncase = "{case}"\nstatus = "skip"\nreason = "later"\n')
    given = [str(known) if one == "BASELINE" else one for one in options]
    first = run(capsys, animal(name), "--suite", "bip340", *given)
    program, *words = shlex.split(words_of_reports.rerun(first.header, first.results[case]))
    assert program == "nostrmcp"
    for option in ("--testee", "--seed", *options[::2]):
        assert option in words
    main([*words, "--json"])
    header, again, _ = map(json.loads, capsys.readouterr().out.splitlines())
    assert words_of_reports.rerun(header, again).split() == words_of_reports.rerun(first.header, again).split()
    told = ("case", "status", "verdict", "detail", "baseline", "actual")
    assert {one: again.get(one) for one in told} == {one: first.results[case].get(one) for one in told}
    assert again["status"] != "pass"


def test_reports_to_files_and_again_from_the_stream(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {kind: tmp_path / f"report.{kind}" for kind in ("json", "junit", "html", "md")}
    targets = [f"{kind}={path}" for kind, path in files.items()]
    arguments = ["--suite", "bip340", "--report", *targets[:2], "--report", *targets[2:]]
    assert main(["conformance", "run", "--testee", animal("skips"), *arguments]) == 1
    first = capsys.readouterr()
    assert first.err.splitlines() == [f"wrote {path}" for path in files.values()]
    again = {kind: tmp_path / f"again.{kind}" for kind in files}
    renewed = [f"{kind}={path}" for kind, path in again.items()]
    assert main(["conformance", "report", str(files["json"]), "--report", *renewed]) == 0
    assert capsys.readouterr().out == first.out
    for kind, path in files.items():
        assert path.read_bytes() == again[kind].read_bytes(), kind
    assert main(["conformance", "report", str(files["json"]), "--json"]) == 0
    assert capsys.readouterr().out == files["json"].read_text()


def test_a_report_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = f"html={tmp_path}/no/report.html"
    assert main(["conformance", "run", "--testee", "self", "--suite", "nip40", "--report", target]) == 2
    expected = f"nostrmcp: cannot write {tmp_path}/no/report.html: No such file or directory\n"
    assert capsys.readouterr().err == expected


def test_our_own_defect_has_its_own_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_arguments: object) -> None:
        raise KeyError("not there")

    monkeypatch.setattr("nostrmcp.conformance.runner.judge", broken)
    ran = run(capsys, animal("sound"), "--case", "bip340-verify", "--no-smoke")
    assert (ran.code, ran.footer["verdict"]) == (4, "a defect of nostrmcp")
    assert ran.results["bip340-verify"]["detail"] == "the runner broke: KeyError: 'not there'"
    monkeypatch.setattr("nostrmcp.cli.conformance.survey", broken)
    assert main(["conformance", "list"]) == 4
    assert capsys.readouterr().err.startswith("nostrmcp: a defect of nostrmcp: KeyError at test_run.py, line ")


def test_a_child_of_the_testee_does_not_outlive_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole process group ends with the testee."""
    program, pids = tmp_path / "parent.py", tmp_path / "pids"
    program.write_text(
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(pids)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    ran = run(capsys, f"cmd:{sys.executable} {program}", "--suite", "nip40", "--start-timeout", "2")
    assert ran.code == 3
    assert state_of(int(pids.read_text())) in ("", "Z")


def state_of(pid: int) -> str:
    """The state of a process by its letter: who ended is gone, or a zombie until its new parent takes note."""
    return subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()[:1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_interrupted_takes_its_testee_with_it(number: signal.Signals, tmp_path: Path) -> None:
    program, told = tmp_path / "mute.py", tmp_path / "pid"
    os.mkfifo(told)
    program.write_text(f"import os, time\nopen({str(told)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)\n")
    testee = f"cmd:{sys.executable} {program}"
    command = [sys.executable, "-m", "nostrmcp", "conformance", "run", "--testee", testee, "--start-timeout", "500"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as runner:
        pid = int(told.read_text())
        runner.send_signal(number)
        _, errors = runner.communicate(timeout=60)
    assert (runner.returncode, errors) == (130, "")
    assert state_of(pid) in ("", "Z")


def test_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is drawn on a terminal, after a second, ten times a second at most, and wiped."""
    now = 0.0
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("nostrmcp.cli.reports.time.monotonic", lambda: now)
    bar = reports.Bar()
    for now in (0.5, 1.0, 1.25, 1.3, 1.5):
        bar.show(int(now * 100), 200)
    bar.end()
    drawn = terminal.getvalue().split("\r")[1:]
    assert drawn == [f"[{'#' * 25}{' ' * 15}] 125/200", f"[{'#' * 30}{' ' * 10}] 150/200", "\033[K"]


def test_the_progress_bar_is_for_terminals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "run", "--testee", "self", "--suite", "nip40"]) == 0
    assert capsys.readouterr().err == ""


def test_the_same_program_as_a_module() -> None:
    command = [sys.executable, "-m", "nostrmcp", "conformance", "run", "--testee", "self", "--suite", "nip19"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=os.environ | {"PYTHONUTF8": "1"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("conforming\n")


def test_one_file_at_a_time_and_every_case_once() -> None:
    found = [case.id for _, case in in_order(Selection(), 7)]
    assert sorted(found) == sorted(CASES)
    assert survey(Selection(), set()).total == len(CASES)
