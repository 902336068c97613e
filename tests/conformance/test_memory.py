"""A run's memory does not grow with the number of its cases."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path

import pytest

from nostrmcp.conformance.render import RENDERERS
from nostrmcp.conformance.stream import open_stream
from tests.bench.conformance_runner import run, write_vectors


class Nowhere(io.TextIOBase):
    def write(self, text: str) -> int:
        return len(text)


def peak(folder: Path, count: int) -> int:
    """The most that was held at once, from reading the vectors to the last report."""
    write_vectors(folder / "vectors", count)
    tracemalloc.start()
    run(folder / "vectors", folder / "run.jsonl")
    stream = open_stream(folder / "run.jsonl")
    for kind in RENDERERS:
        RENDERERS[kind](stream, Nowhere())  # type: ignore[arg-type]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


@pytest.mark.slow
def test_memory(tmp_path: Path) -> None:
    # The first run also fills caches and loads modules.
    peak(tmp_path / "warm", 500)
    small, large = peak(tmp_path / "small", 1_000), peak(tmp_path / "large", 4_000)
    # A file is the unit that is held, and each suite has a cell of a few hundred bytes in the matrix.
    assert large < small * 1.1 + 50_000
