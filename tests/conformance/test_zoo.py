"""Each adapter of the zoo gets the verdict and the exit code that it deserves, and the rest of its run is intact."""

from __future__ import annotations

import re

import pytest

from nostrmcp.conformance.vectors import load_suite, vectors_folder

from .running import animal, run

CASES = {case.id: case for case in load_suite(vectors_folder() / "common" / "bip340.json").cases}
STRUCK = {name: case for name, case in CASES.items() if case.op == "schnorr_verify"}
SUITE = ("--suite", "bip340", "--seed", "1")
# Enough to see a fault, and that the rest of a run is intact.
FEW = [
    *("--case", "bip340-verify", "--case", "bip340-verify-other-key", "--case", "bip340-verify-infinity"),
    *("--case", "bip340-pubkey-one", "--case", "bip340-seckey-zero"),
]


def test_sound(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, animal("sound"), *SUITE)
    assert (ran.code, ran.footer["verdict"]) == (0, "partial")
    assert ran.statuses.keys() == {"pass", "not-offered"}
    assert ran.header["implementation"] == {"name": "animal", "version": "1"}


# What each does to every case of the one operation that it gets wrong; all else passes.
STRIKES = {
    "refuses-valid": ("fail", "refused as malformed_tags"),
    "crashes": ("crash", "it said nothing more: the program ended with exit code 7"),
    "crashes-with-child": ("crash", "it said nothing more"),
    "babbles": ("garbage", r"not a JSON object on standard output \(logs belong on standard error\): log: case [0-9]+"),
    "babbles-binary": ("garbage", r"not a JSON object .*: \\xff\\xfe\x00"),
    "babbles-without-end": ("garbage", "a line of more than 1048576 bytes"),
    "number-of-another": ("garbage", "an answer with n [0-9]+, where [0-9]+ was asked"),
    "number-as-text": ("garbage", 'an answer with n "[0-9]+", where [0-9]+ was asked'),
    "number-as-float": ("garbage", r"an answer with n [0-9]+\.0, where [0-9]+ was asked"),
    "no-number": ("garbage", "an answer with n null, where [0-9]+ was asked"),
    "no-object": ("garbage", "not a JSON object"),
    "not-a-number": ("garbage", "not a JSON object"),
    "too-deep": ("garbage", "an answer with more than 100 levels of JSON"),
    "no-status": ("garbage", "none of ok, reject, skip and fault"),
    "unknown-status": ("garbage", "none of ok, reject, skip and fault"),
    "ok-without-output": ("garbage", "status ok has no output"),
    "output-is-a-list": ("garbage", "status ok has no output"),
    "reject-without-class": ("garbage", "status reject has no error with a class"),
    "skips": ("skip", "skipped: not written yet"),
    "skips-without-reason": ("garbage", "status skip has no reason"),
    "faults": ("fault", "fault: NullPointerException"),
}


@pytest.mark.parametrize("name", STRIKES)
def test_a_fault_in_one_operation(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, detail = STRIKES[name]
    ran = run(capsys, animal(name), *FEW)
    for case_id, result in ran.results.items():
        if result["op"] != "schnorr_verify":
            assert result["status"] == "pass", case_id
        elif CASES[case_id].result == "valid" or status != "fail":
            assert result["status"] == status, case_id
            assert re.match(f".*{detail}", result["detail"], re.DOTALL), result["detail"]
    assert (ran.code, ran.footer["verdict"]) == (1, "violations")


def test_a_crash_is_no_refusal(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, animal("crashes-on-refusal"), *SUITE, "--no-smoke")
    for name, case in STRUCK.items():
        assert ran.results[name]["status"] == {"valid": "pass", "invalid": "crash"}[case.result], name
    assert ran.code == 1


def test_what_a_crashed_program_said_last(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, animal("crashes"), *SUITE)
    told = [one["stderr"] for one in ran.results.values() if one["status"] == "crash"]
    assert told and set(told) == {"about to fall over\n"}


def test_a_hang_ends_with_its_time(capsys: pytest.CaptureFixture[str]) -> None:
    cases = [one for name in list(STRUCK)[:2] for one in ("--case", name)]
    ran = run(capsys, animal("hangs"), *cases, "--timeout", "1")
    assert ran.statuses == {"timeout": 2}
    assert {one["detail"] for one in ran.results.values()} == {"no answer within 1 s"}


def test_one_who_answers_twice_is_found_out_at_the_next_question(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, animal("answers-twice"), *SUITE)
    assert ran.statuses["garbage"] >= 1
    assert ran.code == 1


def test_bytes_that_trickle_are_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, animal("trickles"), *SUITE)
    assert (ran.code, ran.statuses.keys()) == (0, {"pass", "not-offered"})


@pytest.mark.parametrize("name", ["talks-at-the-end", "stays-at-the-end", "ends-badly"])
def test_manners_at_the_end_are_no_part_of_a_score(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, animal(name), *SUITE).code == 0


# Who cannot be run, or gets nothing right: why, in words.
NOT_RUN = {
    "ends-at-once": "no hello: it .*: the program ended with exit code 3",
    "never-speaks": "no hello: no answer within 1 s",
    "closes-its-mouth": "no hello: it said nothing more: the program runs on, but closed its pipe",
    "babbles-at-the-start": "no hello: not a JSON object on standard output .*: ready!",
    "hello-of-another-protocol": "no hello: the answer to hello is not as agreed: protocol is not 1",
    "hello-without-name": "no hello: .* implementation has no name",
    "hello-without-ops": "no hello: .* ops is not a list of strings",
    "hello-with-odd-revisions": "no hello: .* revisions is not a list of strings",
    "hello-with-odd-features": "no hello: .* features is not a list of some of encryption, payments, subscriptions",
    "crashes-always": "smoke test: it broke 3 times: .* exit code 7",
    "hangs-always": "smoke test: it broke 3 times: no answer within 1 s",
    "accepts-everything": "smoke test: it refuses none of the simplest wrong inputs",
    "accepts-with-empty-output": "smoke test: it gives a right answer to none of the simplest cases",
    "refuses-everything": "smoke test: it gives a right answer to none of the simplest cases",
}


@pytest.mark.parametrize("name", NOT_RUN)
def test_who_cannot_be_scored(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    hurry = {"never-speaks": ("--start-timeout", "1"), "hangs-always": ("--timeout", "1")}.get(name, ())
    ran = run(capsys, animal(name), "--suite", "bip340", *hurry)
    assert ran.code == 3
    assert ran.footer["verdict"] == "it could not be run"
    assert re.match(NOT_RUN[name], ran.footer["aborted"], re.DOTALL), ran.footer["aborted"]
    assert ran.verdicts == {"NOT_RUN": len(CASES)}
    assert ran.footer["score"].get("common", {"passed": 0})["passed"] == 0


def test_a_program_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "cmd:/nowhere/adapter --fast", "--suite", "bip340")
    assert ran.code == 3
    assert ran.footer["aborted"] == "no hello: /nowhere/adapter cannot be started: No such file or directory"


@pytest.mark.parametrize("name", ["accepts-everything", "refuses-everything"])
def test_without_a_smoke_test_they_are_scored(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, animal(name), *SUITE, "--no-smoke")
    assert ran.code == 1
    for case in STRUCK.values():
        took = "invalid" if name == "accepts-everything" else "valid"
        expected = {"fail"} if case.result == took else {"pass", "other-class"}
        assert ran.results[case.id]["status"] in expected, case.id


def test_one_who_only_ever_breaks_is_given_up(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, animal("crashes-always"), *SUITE, "--no-smoke")
    assert ran.code == 3
    assert ran.footer["aborted"] == "it broke 25 times in a row without an answer between"
    assert ran.statuses["crash"] == 25
    assert ran.statuses["not-run"] == len(ran.results) - 25 - ran.statuses["not-offered"]


def test_one_who_broke_often_and_answered_between_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("nostrmcp.conformance.runner.MAX_STARTS", 10)
    ran = run(capsys, animal("crashes-on-refusal"), *SUITE, "--no-smoke")
    assert ran.statuses["crash"] > 10
    assert ran.statuses["not-run"] == 0
    assert ran.footer["aborted"] is None


@pytest.mark.parametrize("name", ["no-operation-of-ours", "other-revision"])
def test_nothing_scored_is_no_success(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, animal(name), "--suite", "decode")
    assert (ran.code, ran.footer["verdict"]) == (2, "no case was scored")
    assert ran.verdicts.keys() == {"NOT_OFFERED"}


def test_another_error_class_is_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    for strict, verdict in (((), "WARN"), (("--strict",), "FAIL")):
        ran = run(capsys, animal("refuses-everything"), *SUITE, "--no-smoke", *strict)
        found = {one["verdict"] for one in ran.results.values() if one["status"] == "other-class"}
        assert found == {verdict}
