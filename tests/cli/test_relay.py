"""`nostrmcp relay`, as a user calls it."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from nostrmcp.cli.main import COMMANDS, main

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_starts_and_ends(number: signal.Signals, tmp_path: Path) -> None:
    record = tmp_path / "wire.jsonl"
    command = [sys.executable, "-m", "nostrmcp", "relay", "--json", "--record", str(record)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        url = json.loads(process.stdout.readline())["url"]
        host, port = url.removeprefix("ws://").split(":")
        socket.create_connection((host, int(port)), timeout=30).close()
        process.send_signal(number)
        assert process.wait(timeout=30) == 0
        assert process.stderr.read() == ""
    assert record.exists()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--port", "70000"], "there is no port 70000"),
        (["--fault", "\x1b"], "there is no fault '\\x1b'; there are: duplicate"),
        (["--record", "no/such/folder/file"], "cannot write no/such/folder/file: No such file or directory"),
        (["--host", "203.0.113.1"], "cannot listen on 203.0.113.1 port 0: "),
    ],
)
def test_what_makes_no_sense(arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["relay", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"nostrmcp: {why}") and err.count("\n") == 1


def test_the_list_of_commands_loads_none_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    script = "import sys\ntry:\n from nostrmcp.cli.main import main; main(['--help'])\nexcept SystemExit: pass\n"
    script += "print(sorted({'asyncio', 'websockets', 'orjson', 'coincurve'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    for name in COMMANDS:
        assert f"\n    {name}" in done.stdout
        with pytest.raises(SystemExit) as ended:
            main([name, "--help"])
        assert ended.value.code == 0
        shown = " ".join(capsys.readouterr().out.split()).lower()
        assert COMMANDS[name][1].lower().rstrip(".") in shown
