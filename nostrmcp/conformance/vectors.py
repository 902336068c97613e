"""Where the vectors are, and what a case is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parent.parent


def vectors_folder() -> Path:
    """The vectors inside an installed package, or else those of the source tree around it."""
    installed = _PACKAGE / "_vectors"
    return installed if installed.is_dir() else _PACKAGE.parent / "vectors"


@dataclass(frozen=True, slots=True)
class Case:
    """One vector: an input, and what an implementation makes of it."""

    suite: str
    op: str
    id: str
    title: str
    level: str
    req: tuple[str, ...]
    flags: tuple[str, ...]
    input: dict[str, Any]
    result: str
    compare: str | None
    output: dict[str, Any] | None
    error_class: str | None
    ambiguity: str | None


@dataclass(frozen=True, slots=True)
class Suite:
    """One vector file."""

    name: str
    title: str
    path: Path
    notes: dict[str, dict[str, str]]
    cases: tuple[Case, ...]


def suite_files(folder: Path) -> list[Path]:
    """Every vector file, in the order of the index."""
    index = json.loads((folder / "INDEX.json").read_text(encoding="utf-8"))
    return [folder / entry["path"] for entry in index["files"]]


def load_suite(path: Path) -> Suite:
    value = json.loads(path.read_text(encoding="utf-8"))
    name = value["suite"]
    cases = tuple(_case(name, group["op"], case) for group in value["groups"] for case in group["cases"])
    return Suite(name, value["title"], path, value["notes"], cases)


def load_suites(folder: Path | None = None) -> Iterator[Suite]:
    for path in suite_files(folder or vectors_folder()):
        yield load_suite(path)


def _case(suite: str, op: str, value: dict[str, Any]) -> Case:
    return Case(
        suite=suite,
        op=op,
        id=value["id"],
        title=value["title"],
        level=value["level"],
        req=tuple(value["req"]),
        flags=tuple(value["flags"]),
        input=value["input"],
        result=value["result"],
        compare=value.get("compare"),
        output=value.get("output"),
        error_class=value["error"]["class"] if "error" in value else None,
        ambiguity=value.get("ambiguity"),
    )
