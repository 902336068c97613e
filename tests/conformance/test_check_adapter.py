"""`--check-adapter`: the traffic by its schema, and mistakes in words."""

from __future__ import annotations

import json
import subprocess
import sys

import jsonschema
import pytest

from nostrmcp.cli.main import main
from nostrmcp.conformance.vectors import vectors_folder

from .running import PATIENT, animal


def check(capsys: pytest.CaptureFixture[str], testee: str, *more: str) -> tuple[int, list[str]]:
    code = main(["conformance", "run", "--testee", testee, "--check-adapter", *PATIENT, *more])
    return code, capsys.readouterr().out.splitlines()


def test_sound(capsys: pytest.CaptureFixture[str]) -> None:
    assert check(capsys, animal("sound")) == (0, ["7 cases of 5 operations, 0 mistakes in the traffic"])


def test_this_package(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = check(capsys, "self")
    operations = json.loads((vectors_folder() / "schema" / "operations-v1.json").read_text())["operations"]
    assert code == 0
    assert lines[-1].endswith(f" of {len(operations)} operations, 0 mistakes in the traffic")


# The mistakes of each, in words; all but the last are in the answers of one operation.
MISTAKES = {
    "babbles": ["a line on standard output is not JSON in UTF-8; logs belong on standard error",
                "schnorr_verify: not a JSON object on standard output"],
    "babbles-binary": ["a line on standard output is not JSON in UTF-8; logs belong on standard error"],
    "number-of-another": ["schnorr_verify: an answer with n "],
    "number-as-text": ["the answer to run at n: ", "schnorr_verify: an answer with n "],
    "no-number": ["the answer to run: 'n' is a required property"],
    "no-object": ["the answer to run: [4] is not of type 'object'", "schnorr_verify: not a JSON object"],
    "unknown-status": ["the answer to run at status: 'passed' is not one of ['ok', 'reject', 'skip', 'fault']"],
    "no-status": ["the answer to run: 'status' is a required property"],
    "ok-without-output": ["the answer to run: 'output' is a required property"],
    "output-is-a-list": ["the answer to run at output: [] is not of type 'object'"],
    "reject-without-class": ["the answer to run at error: 'class' is a required property"],
    "skips-without-reason": ["the answer to run at reason: ' ' does not match"],
    "unknown-class": ["the error class 'i_do_not_like_it' is not in errors.json"],
    "accepts-with-empty-output": ["the output of schnorr_verify: 'valid' is a required property"],
    "crashes": ["schnorr_verify: it said nothing more: the program ended with exit code 7"],
    "hello-with-unknown-op": ["hello offers 'make_coffee', which is not an operation of operations-v1.json"],
    "hello-with-surplus": ["the answer to hello: Additional properties are not allowed ('mood' was unexpected)"],
    "talks-at-the-end": ["it said more than it was asked: b'goodbye\\n'"],
    "stays-at-the-end": ["it did not end within 2 s of bye"],
    "ends-badly": ["after bye it said nothing more: the program ended with exit code 5"],
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_in_words(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = check(capsys, animal(name))
    assert code == 1
    assert not lines[-1].endswith(" 0 mistakes in the traffic")
    for words in MISTAKES[name]:
        assert any(line.startswith(words) for line in lines), lines


@pytest.mark.parametrize("name", ["ends-at-once", "babbles-at-the-start", "hello-without-ops"])
def test_one_that_cannot_be_run(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = check(capsys, animal(name))
    assert code == 3
    assert lines[-1].startswith("0 cases of 0 operations")


def test_hello_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    _, lines = check(capsys, animal("hello-without-ops"))
    assert lines[0] == "the answer to hello at ops: 'all' is not of type 'array'"


def test_without_jsonschema_it_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['jsonschema'] = None; from nostrmcp.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", program, "conformance", "run", "--testee", "self", "--check-adapter"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "nostrmcp: --check-adapter needs jsonschema: pip install 'nostrmcp[conformance]'\n"


def test_the_schema_is_one() -> None:
    schema = json.loads((vectors_folder() / "schema" / "adapter-v1.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert set(schema["$defs"]) >= {"hello", "answer", "step"}
