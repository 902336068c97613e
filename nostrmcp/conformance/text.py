"""Strangers' strings, made safe for the place where a person sees them."""

from __future__ import annotations

import json
from typing import Any


def visible(text: str) -> str:
    """A stranger's text made safe for a terminal: control, escape and bidirectional characters are escaped."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escaped(character) for character in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()


def visible_lines(text: str) -> list[str]:
    """The lines of a text, each made safe."""
    return [visible(line) for line in text.split("\n")]


def cut(text: str, limit: int) -> str:
    """A text that is not longer than the limit, and says so where it was."""
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text)} characters)"


def as_json(value: Any, limit: int = 6000) -> str:
    """A value as JSON in ASCII, cut where it is long."""
    return cut(json.dumps(value), limit)


def pretty(text: str) -> str:
    """JSON text spread over lines; text that is no JSON, as it was cut, stays as it is."""
    try:
        return json.dumps(json.loads(text), indent=2)
    except (ValueError, RecursionError):
        return text
