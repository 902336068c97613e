"""spec/live.md lists the checks, scenarios and variables that there are."""

from __future__ import annotations

import re
from pathlib import Path

from nostrmcp.cli.live import HINTS
from nostrmcp.conformance.live.catalogue import CHECKS
from nostrmcp.conformance.live.checks import Need
from nostrmcp.translate.route import Role

PAGE = (Path(__file__).resolve().parents[3] / "spec" / "live.md").read_text(encoding="utf-8")
NEEDS = {
    Need.CONTROL: "relay",
    Need.COMMAND: "start",
    Need.SLOW: "`slow`",
    Need.ERROR: "`error`",
    Need.PAID: "`paid`",
}


def rows(heading: str) -> list[list[str]]:
    """The rows of the table under a heading."""
    section = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_check_of_servers_is_on_the_page() -> None:
    expected = [
        [f"`{check.name}`", check.title, ", ".join(NEEDS[need] for need in check.needs)]
        for check in CHECKS[Role.SERVER]
    ]  # fmt: skip
    assert rows("Checks of servers") == expected


def test_every_check_of_clients_is_on_the_page() -> None:
    checks = CHECKS[Role.CLIENT]
    expected = [[f"`{one.name}`", one.title, f"`{one.scenario}`" if one.scenario else "all"] for one in checks]
    assert rows("Checks of clients") == expected


def test_every_scenario_is_on_the_page() -> None:
    scenarios = {check.scenario for check in CHECKS[Role.CLIENT]} - {""}
    assert {row[0].strip("`") for row in rows("What a client program does")} == scenarios


def test_every_hint_is_on_the_page() -> None:
    assert all(re.search(rf"`{hint}`|--hint {hint}=", PAGE) for hint in HINTS)
