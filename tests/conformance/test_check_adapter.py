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
    "babbles": ["a line on standard output is not JSON in UTF-8; logs belong on standard error: log: case "],
    "babbles-binary": ["a line on standard output is not JSON in UTF-8; logs belong on standard error"],
    "number-of-another": ["schnorr_verify: an answer with n "],
    "number-as-text": ['the answer to run of schnorr_verify at n: "'],
    "no-number": ['the answer to run of schnorr_verify: n is missing in {"status": '],
    "no-object": ["the answer to run of schnorr_verify: [4] is not an object"],
    "unknown-status": ['the answer to run of schnorr_verify at status: "passed" is none of ok, reject, skip, fault'],
    "no-status": ['the answer to run of schnorr_verify: status is missing in {"n": '],
    "ok-without-output": ['the answer to run of schnorr_verify: output is missing in {"n": '],
    "output-is-a-list": ["the answer to run of schnorr_verify at output: [] is not an object"],
    "reject-without-class": ['the answer to run of schnorr_verify at error: class is missing in {"message": "no"}'],
    "skips-without-reason": ["the answer to run of schnorr_verify at reason: ' ' does not match"],
    "unknown-class": ['a refusal has the error class "i_do_not_like_it", which is not in errors.json'],
    "near-class": ['a refusal has the error class "invalid_signatur", which is not in errors.json; is invalid_s'],
    "accepts-with-empty-output": ["the output of schnorr_verify: valid is missing in {}"],
    "upper-case": [f'the output of schnorr_pubkey at pubkey: "{"A" * 64}" is not 64 lower-case hexadecimal digits'],
    "crashes": ["schnorr_verify: it said nothing more: the program ended with exit code 7", "    about to fall over"],
    "hangs": ["schnorr_verify: no answer within 1 s; is each answer a whole line, and flushed?"],
    "forgets-the-line-break": ["schnorr_verify: no answer within 1 s: of 23 bytes that came, none ends a line"],
    "several-lines": ["an answer on standard output is spread over lines: each answer is one line"],
    "byte-order-mark": ["a line on standard output begins with a byte order mark, which JSON does not have"],
    "hello-with-unknown-op": ['hello offers the operation "make_coffee", which is not in operations-v1.json'],
    "hello-with-hyphens": ['hello offers the operation "kind-class", which is not in operations-v1.json; is kind'],
    "hello-with-unknown-revision": ['hello names the revision "ctxvm", which is not in revisions.json; is contextvm m'],
    "hello-with-surplus": ["the answer to hello: the protocol has no mood here"],
    "talks-at-the-end": ["it said something after bye, which has no answer: b'goodbye\\n'"],
    "stays-at-the-end": ["it did not end within 2 s of bye"],
    "ends-badly": ["after bye it said nothing more: the program ended with exit code 5"],
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_in_words(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    waits = ("--timeout", "1") if name in ("hangs", "forgets-the-line-break") else ()
    code, lines = check(capsys, animal(name), *waits)
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
    assert lines[0] == 'the answer to hello at ops: "all" is not a list'


def test_one_that_cannot_be_run_is_told_with_its_last_words(capsys: pytest.CaptureFixture[str]) -> None:
    program = f"cmd:{sys.executable} -c 'import sys; sys.exit(chr(10).join([chr(97), chr(98)]))'"
    assert main(["conformance", "run", "--testee", program, "--check-adapter", *PATIENT]) == 3
    told = (
        "nostrmcp: the adapter cannot be run: it said nothing more: the program ended with exit code 1\n    a\n    b\n"
    )
    assert capsys.readouterr().err == told


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
