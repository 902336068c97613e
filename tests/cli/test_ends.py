"""How commands end: what help says, what cannot be done, Ctrl-C, and a reader that has seen enough."""

from __future__ import annotations

import argparse
import importlib
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nostrmcp.cli.main import COMMANDS, Parser, main
from nostrmcp.conformance.verdicts import MEANING

from .running import GUARD, ROOT, environment, gateway, nostrmcp, relay

URL = "ws://127.0.0.1:1"
HEX = "ab" * 32
UNREACHABLE = f"nostrmcp: no relay can be reached: {URL}: Connection refused\n"


def whole_parser() -> Parser:
    """The program's parser, with every command."""
    top = Parser(prog="nostrmcp")
    commands = top.add_subparsers()
    for module in dict.fromkeys(module for module, _ in COMMANDS.values()):
        importlib.import_module(f"nostrmcp.cli.{module}").add_to(commands)
    return top


def every_parser() -> dict[str, argparse.ArgumentParser]:
    """Each command and each of its actions, by what a user writes."""

    def walk(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
        yield parser
        for action in parser._subparsers._group_actions if parser._subparsers else []:
            for below in (action.choices or {}).values():
                yield from walk(below)

    return {one.prog: one for one in walk(whole_parser()) if one.prog != "nostrmcp"}


def shown_commands() -> list[str]:
    """The commands that the documents show, in fences and as lines of their own."""
    pages = [ROOT / "README.md", *sorted((ROOT / "spec").glob("*.md")), ROOT / "vectors" / "README.md"]
    fences = [fence for page in pages for fence in re.findall(r"^```\w*\n(.*?)^```", page.read_text(), re.M | re.S)]
    lines = [line for fence in fences for line in fence.replace("\\\n", " ").splitlines()]
    return list(dict.fromkeys(line for line in lines if line.startswith("nostrmcp ")))


@pytest.mark.parametrize("line", shown_commands())
def test_a_command_that_the_documents_show_is_one(line: str) -> None:
    _, *words = shlex.split(line, comments=True)
    assert callable(whole_parser().parse_args(words).run)


def test_an_example_in_help_is_a_command() -> None:
    for parser in every_parser().values():
        assert parser.epilog is not None
        example = parser.epilog.split("example: ")[1].split("\n")[0].split("; ")[0]
        _, *words = shlex.split(example)
        assert callable(whole_parser().parse_args(words).run), example


@pytest.mark.parametrize("name", every_parser())
def test_help_has_an_example_that_the_command_takes(name: str) -> None:
    parser = every_parser()[name]
    assert parser.epilog is not None and f"example: {name}" in parser.epilog
    assert isinstance(parser, Parser)  # what is wrong is said in one sentence


def test_help_has_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    own = {name: one.epilog or "" for name, one in every_parser().items() if "conformance " in f"{name} "}
    groups = ("nostrmcp conformance", "nostrmcp conformance live")
    for name, epilog in own.items():
        codes = [f"{code.value} {meaning}" for code, meaning in MEANING.items()] + ["130 is no verdict"]
        assert name in groups or all(code in epilog for code in codes)
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "130 interrupted" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "code", "err"),
    [
        (["call", HEX, "--relay", URL], 2, UNREACHABLE),
        (["call", HEX, "--relay", URL, "--max-sats", "-5"], 2, "argument --max-sats: '-5' is not a number of sats"),
        (["call", HEX, "--relay", URL, "--timeout", "soon"], 2, "'soon' is not a number of seconds above 0"),
        (["call", HEX, "--relay", URL, "--pay-with", "no-such"], 2, "there is no program 'no-such' that can"),
        (["relay", "--host", "192.0.2.1"], 2, "cannot listen on 192.0.2.1 port 0: Cannot assign requested address"),
        (["inspect", "-"], 2, "there is no event in standard input"),
        (["conformance", "report", "README.md"], 2, "README.md is not a stream of results: line 1 is not the line of"),
        (["conformance", "live", "server", "--relay", "http://x", "--pubkey", HEX], 2, "http://x is not the address"),
    ],
)  # fmt: skip
def test_what_cannot_be_done(words: list[str], code: int, err: str) -> None:
    done = nostrmcp(*words, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (code, "")
    assert err in done.stderr and done.stderr.count("\n") == 1 and done.stderr.startswith("nostrmcp")


def test_a_report_that_has_no_place_is_told_before_the_run(tmp_path: Path) -> None:
    for option in (["--report", f"html={tmp_path}/no/x"], ["--write-baseline", str(tmp_path)]):
        done = nostrmcp("conformance", "run", "--testee", "self", *option)
        assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith("nostrmcp: cannot write ")
    there, new = tmp_path / "there", tmp_path / "new"
    there.write_text("as it was")
    words = ["--report", f"md={there}", f"html={new}", "--testee", "cmd:x", "--case", "no-such"]
    assert nostrmcp("conformance", "run", *words).returncode == 2
    assert there.read_text() == "as it was" and not new.exists()


@pytest.mark.parametrize("revision", [["--revision", "contextvm"], []])
def test_a_server_on_a_relay_that_is_not_there_could_not_be_run(revision: list[str]) -> None:
    done = nostrmcp("conformance", "live", "server", "--relay", URL, "--pubkey", HEX, *revision)
    assert (done.returncode, done.stderr) == (3, "")
    why = f"it could not be run: the relay {URL} did not take an event of ours: Connection refused"
    assert done.stdout.endswith(f"{HEX} at {URL}: {why}\n")


def test_a_python_adapter_that_is_not_there_is_told_in_words() -> None:
    for testee, why in (("no.such:thing", "No module named 'no'"), ("json:adapter", "has no attribute 'adapter'")):
        done = nostrmcp("conformance", "run", "--testee", f"python:{testee}", "--suite", "nip19")
        assert done.returncode == 3 and why in done.stdout and "Traceback" not in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize(
    "words",
    [
        ["vectors", "list"],
        ["conformance", "list", "--json"],
        ["conformance", "run", "--testee", "self", "--case", "bip340-verify", "--report", "json=/dev/full"],
    ],
)
def test_a_disk_that_is_full_is_no_defect(words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        given = {"stdout": full, "stderr": subprocess.PIPE, "text": True}
        command = [sys.executable, "-m", "nostrmcp", *words]
        done = subprocess.run(command, cwd=ROOT, env=environment(), timeout=GUARD, **given)
    assert (done.returncode, done.stderr) == (2, "nostrmcp: cannot write: No space left on device\n")


@pytest.mark.parametrize(
    ("line", "code", "err"),
    [
        ("vectors list >&-", 0, ""),
        ("inspect - <&-", 2, "nostrmcp: there is no event in standard input\n"),
        ("vectors show no-such 2>&-", 2, ""),
    ],
)
def test_streams_that_are_closed(line: str, code: int, err: str) -> None:
    command = f"{shlex.quote(sys.executable)} -m nostrmcp {line}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=GUARD
    )
    assert (done.returncode, done.stderr) == (code, err)


def test_a_proxy_without_any_input_ends_quietly() -> None:
    with relay() as url:
        done = nostrmcp("proxy", HEX, "--relay", url, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("words", [["vectors", "check"], ["demo", "--json"], ["conformance", "self"]])
def test_ctrl_c_ends_a_command_quietly(words: list[str], tmp_path: Path) -> None:
    """The signal comes with its first word."""
    program = (
        "import builtins, os, signal, sys\n"
        "from nostrmcp.cli.main import main\n"
        "true = print\n"
        "def last(*words, **options):\n"
        "    true(*words, **options)\n"
        "    builtins.print = true\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "builtins.print = last\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=GUARD)
    assert done.returncode == 130
    assert [line for line in done.stderr.splitlines() if not line.endswith(" ...")] == []


def test_ctrl_c_ends_what_waits_for_relays_quietly() -> None:
    with relay("--fault", "no-ok") as url, gateway(url, "--revision", "contextvm") as found:
        words = [sys.executable, "-m", "nostrmcp", "call", found["npub"], "--relay", url, "count", '{"steps": 1000}']
        with subprocess.Popen(words, cwd=ROOT, env=environment(), stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            assert process.stderr.readline() == "nostrmcp: step 1\n"
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=GUARD) == 130
            assert [line for line in process.stderr if not line.startswith("nostrmcp: step ")] == []


@pytest.mark.parametrize(
    "words",
    [
        ["vectors", "list"],
        ["vectors", "list", "nip01"],
        ["vectors", "check", "--json"],
        ["conformance", "list", "--json"],
        ["conformance", "live", "list"],
        ["conformance", "run", "--testee", "self", "--suite", "nip01", "--json"],
        ["demo", "--json"],
        ["demo"],
        ["--help"],
    ],
)
def test_a_reader_that_has_seen_enough_is_no_trouble(words: list[str]) -> None:
    """As for `head`: the pipe is closed before the first word."""
    command = [sys.executable, "-m", "nostrmcp", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, env=environment(), text=True, **pipes) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.wait(timeout=GUARD) == 0
        assert process.stderr.read() == ""
