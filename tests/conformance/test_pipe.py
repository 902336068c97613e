"""The pipe to a program that reads and writes as it likes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from nostrmcp.conformance.pipe import LINE_LIMIT, STDERR_KEPT, Broken, Pipe

Start = Callable[[str], Pipe]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start programs in Python; all are ended."""
    pipes: list[Pipe] = []

    def started(program: str) -> Pipe:
        pipes.append(Pipe([sys.executable, "-c", "import sys, os, time\n" + program], os.environ))
        return pipes[-1]

    yield started
    for one in pipes:
        one.kill()


def test_an_exchange(start: Start) -> None:
    pipe = start("for line in sys.stdin: print(line.strip()[::-1], flush=True)")
    assert pipe.ask(b"abc\n", 60) == b"cba"
    assert pipe.ask(b"def\n", 60) == b"fed"
    assert pipe.finish(b"", 60) == ""


def test_a_line_may_be_a_mebibyte_long(start: Start) -> None:
    pipe = start(f"sys.stdin.readline(); print('x' * {LINE_LIMIT}, flush=True)")
    assert pipe.ask(b"\n", 60) == b"x" * LINE_LIMIT


def test_a_line_may_not_be_longer(start: Start) -> None:
    pipe = start(f"sys.stdout.write('x' * {LINE_LIMIT + 70_000}); sys.stdout.flush(); time.sleep(600)")
    with pytest.raises(Broken, match="a line of more than 1048576 bytes on standard output"):
        pipe.ask(b"\n", 60)


def test_questions_and_answers_that_fill_the_pipes(start: Start) -> None:
    pipe = start("for line in sys.stdin: print(line.strip(), flush=True)")
    for byte in (b"y", b"z"):
        assert pipe.ask(byte * 900_000 + b"\n", 60) == byte * 900_000


def test_much_is_said_before_anything_is_read(start: Start) -> None:
    """Neither side waits for the other when both pipes are full; and such an answer is none."""
    pipe = start("print('y' * 900000, flush=True)\nfor line in sys.stdin: print(len(line), flush=True)")
    with pytest.raises(Broken, match="a line on standard output before the question was read"):
        pipe.ask(b"z" * 900_000 + b"\n", 60)


def test_a_program_that_reads_nothing(start: Start) -> None:
    pipe = start("time.sleep(600)")
    with pytest.raises(Broken, match=r"no answer within 0\.5 s"):
        pipe.ask(b"z" * 900_000 + b"\n", 0.5)


def test_the_end_of_standard_error_is_kept(start: Start) -> None:
    pipe = start("sys.stderr.write('a' * 100000 + 'the end'); sys.stderr.flush(); os._exit(9)")
    with pytest.raises(Broken, match="the program ended with exit code 9"):
        pipe.ask(b"\n", 60)
    assert len(pipe.stderr) == STDERR_KEPT
    assert pipe.stderr.endswith("aaathe end")


def test_a_program_that_is_shot(start: Start) -> None:
    pipe = start("os.kill(os.getpid(), 11)")
    with pytest.raises(Broken, match="the program was ended by signal 11") as broken:
        pipe.ask(b"\n", 60)
    assert broken.value.status == "crash"


def test_a_program_that_closes_standard_error_goes_on(start: Start) -> None:
    pipe = start("os.close(2)\nfor line in sys.stdin: print('still here', flush=True)")
    assert pipe.ask(b"\n", 60) == b"still here"
    assert pipe.ask(b"\n", 60) == b"still here"


def test_a_flood_after_bye_is_not_collected(start: Start) -> None:
    pipe = start("sys.stdin.readline()\nwhile True: sys.stdout.write('x' * 65536)")
    begun = time.monotonic()
    assert pipe.finish(b"\n", 60).startswith("it said something after bye, which has no answer: b'xxx")
    assert time.monotonic() - begun < 50
