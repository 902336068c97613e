"""`nostrmcp vectors`, as a user calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import nostrmcp
from nostrmcp.cli.main import main
from nostrmcp.conformance import operations
from nostrmcp.conformance.vectors import load_suites, vectors_folder

SUITES = list(load_suites())


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"nostrmcp {nostrmcp.__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["vectors"], ["nothing"], ["vectors", "list", "--what"]])
def test_a_request_that_makes_no_sense(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith("nostrmcp") and err.endswith(" --help`\n") and err.count("\n") == 1


@pytest.mark.parametrize("action", ["list", "show", "copy", "check"])
def test_help_has_an_example(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["vectors", action, "--help"])
    assert stopped.value.code == 0
    assert f"example: nostrmcp vectors {action}" in capsys.readouterr().out


def test_list_of_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vectors", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [suite.name for suite in SUITES]
    assert [int(line.split()[1]) for line in lines] == [len(suite.cases) for suite in SUITES]


def test_list_of_files_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vectors", "list", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["cases"] for row in rows] == [len(suite.cases) for suite in SUITES]
    assert all(row["cases"] == row["valid"] + row.get("invalid", 0) + row.get("acceptable", 0) for row in rows)


@pytest.mark.parametrize("name", ["common/nip40", "nip40"])
def test_list_of_cases(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vectors", "list", name]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split(maxsplit=3) == [
        "expiration-none",
        "SHOULD",
        "valid",
        "an event without the tag never expires",
    ]


def test_an_unknown_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vectors", "check", "nip99"]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("nostrmcp: there is no vector file 'nip99'; there are: common/strict_json, ")
    assert captured.out == ""


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vectors", "show", "nip59-unwrap-inner-signature"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["suite"], shown["op"], shown["error"]) == ("common/nip59", "unwrap", {"class": "invalid_signature"})
    assert shown["notes"].keys() == {"InnerSignature"}


def test_show_of_an_unknown_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vectors", "show", "nip59-wrap-1059", "what"]) == 2
    assert "there is no case what" in capsys.readouterr().err


def test_copy_writes_every_file_and_spares_what_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "their" / "vectors"
    assert main(["vectors", "copy", str(folder)]) == 0
    copied = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {"README.md", "INDEX.json", "errors.json", "schema/vectors-v1.json", "common/nip44.json"} <= copied
    assert capsys.readouterr().out == f"{len(copied)} files copied to {folder}\n"

    assert main(["vectors", "copy", str(folder)]) == 0, "the same files again are no conflict"
    changed = folder / "common" / "nip44.json"
    changed.write_text("{}", encoding="utf-8")
    capsys.readouterr()
    assert main(["vectors", "copy", str(folder)]) == 2
    assert capsys.readouterr().err == f"nostrmcp: {changed} exists and differs; --force writes over it\n"
    assert changed.read_text(encoding="utf-8") == "{}"
    assert main(["vectors", "copy", "--force", str(folder)]) == 0
    assert json.loads(changed.read_text(encoding="utf-8"))["suite"] == "common/nip44"


def test_copy_where_nothing_can_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert main(["vectors", "copy", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.startswith(f"nostrmcp: cannot write to {tmp_path / 'file'}: ")


def test_copy_onto_odd_targets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "README.md").mkdir()
    assert main(["vectors", "copy", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"nostrmcp: cannot write to {tmp_path}: Is a directory\n"
    assert main(["vectors", "copy", str(vectors_folder())]) == 2
    assert "are the same file" in capsys.readouterr().err


def test_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vectors", "check", "nip40", "nip09"]) == 0
    counts = {suite.name: len(suite.cases) for suite in SUITES}
    assert capsys.readouterr().out.splitlines() == [
        "file                             cases  passed  failed",
        *(f"{name:30} {counts[name]:7} {counts[name]:7} {0:7}" for name in ("common/nip40", "common/nip09")),
        f"{counts['common/nip40'] + counts['common/nip09']} passed, 0 failed",
    ]


def test_check_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vectors", "check", "--json", "nip40"]) == 0
    captured = capsys.readouterr()
    rows = [json.loads(line) for line in captured.out.splitlines()]
    assert [row["verdict"] for row in rows] == ["pass"] * 13
    assert captured.err == "13 passed, 0 failed\n"


def test_check_reports_failures(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(operations.OPERATIONS, "is_expired", lambda given: {"expired": False})
    assert main(["vectors", "check", "nip40"]) == 1
    out = capsys.readouterr().out
    assert '  expiration-at: at that very second: expected {"expired": true}, got {"expired": false}\n' in out
    assert out.endswith("9 passed, 4 failed\n")


def test_python_dash_m_is_the_same_program() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "nostrmcp", "vectors", "list"], capture_output=True, text=True, check=True,
        cwd=Path(__file__).resolve().parents[2],
    )  # fmt: skip
    assert result.stdout.splitlines()[0].startswith("common/strict_json")


def test_a_reader_who_has_seen_enough_is_no_error() -> None:
    script = "import sys; from nostrmcp.cli.main import main; sys.stdin.readline(); sys.exit(main(['vectors', 'list']))"
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=Path(__file__).resolve().parents[2],
    )  # fmt: skip
    assert process.stdin and process.stdout and process.stderr
    process.stdout.close()
    process.stdin.write(b"go\n")
    process.stdin.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0
