"""Reports: pure renderings of a run's stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from ..stream import Stream, Writer
from . import html, junit, markdown, terminal


def _copy(stream: Stream, out: TextIO) -> None:
    write = Writer(out)
    for line in stream():
        write(line)


RENDERERS: dict[str, Callable[[Stream, TextIO], None]] = {
    "json": _copy,
    "junit": junit.render,
    "html": html.render,
    "md": markdown.render,
    "terminal": terminal.render,
}
