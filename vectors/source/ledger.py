"""The requirements of spec/requirements, which vectors name."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

LEDGERS = Path(__file__).resolve().parents[2] / "spec" / "requirements"
LEVELS = ("MAY", "SHOULD", "MUST")


@cache
def requirements() -> dict[str, dict[str, Any]]:
    """Every row by its id, with the name of its ledger."""
    rows = {
        row["id"]: {**row, "ledger": path.stem}
        for path in sorted(LEDGERS.glob("*.toml"))
        for row in tomllib.loads(path.read_text(encoding="utf-8"))["requirement"]
    }
    return {id: {name: value for name, value in row.items() if name != "id"} for id, row in rows.items()}


def at_most(level: str, req: list[str]) -> str:
    """The level, or a lower one: what documents only permit or recommend is no MUST, whatever rule of ours it shows."""
    stated = [row["level"] for row in map(requirements().__getitem__, req) if row["basis"] != "house"]
    return min(level, max(stated, key=LEVELS.index, default="MUST"), key=LEVELS.index)
