"""Requirements, vectors, code and prose name each other, and nothing is named that is not there."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from nostrmcp.conformance.vectors import load_suites

ROOT = Path(__file__).resolve().parents[2]
LEDGERS = sorted((ROOT / "spec" / "requirements").glob("*.toml"))
BASES = {"seed", "nip", "bip", "mcp", "cep", "house"}
EXCLUSIONS = {"caller", "not-observable", "own-limit", "runtime", "prose"}
REQUIREMENT_ID = re.compile(r"\b[A-Z0-9]+-[A-Z]+-[0-9]{2,3}\b")
RANGE = re.compile(r"\b([A-Z0-9]+-[A-Z]+-)([0-9]{2,3}) to \1([0-9]{2,3})\b")
AMBIGUITY_ID = re.compile(r"\bAMB-[0-9]{2,3}\b")


def rows() -> list[dict[str, Any]]:
    return [row for path in LEDGERS for row in tomllib.loads(path.read_text(encoding="utf-8"))["requirement"]]


def named_in(text: str) -> set[str]:
    """Requirement ids in a text; `X-01 to X-03` names the one between too."""
    found = set(REQUIREMENT_ID.findall(text))
    for prefix, first, last in RANGE.findall(text):
        found |= {f"{prefix}{number:0{len(first)}}" for number in range(int(first), int(last) + 1)}
    return found


ROWS = rows()
KNOWN = {row["id"] for row in ROWS}
TESTED = {name for suite in load_suites() for case in suite.cases for name in case.req}
SOURCES = sorted((ROOT / "nostrmcp").rglob("*.py"))
PROSE = [*sorted((ROOT / "spec").rglob("*.md")), *sorted(ROOT.glob("*.md")), *sorted((ROOT / "vectors").glob("*.md"))]
AMBIGUITIES = re.findall(r"^## (AMB-[0-9]+):", (ROOT / "spec" / "ambiguities.md").read_text(encoding="utf-8"), re.M)


def test_a_range_names_what_lies_between() -> None:
    assert named_in("(NIP01-SER-01 to NIP01-SER-03)") == {"NIP01-SER-01", "NIP01-SER-02", "NIP01-SER-03"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_row(row: dict[str, Any]) -> None:
    assert row.keys() - {"excluded"} == {"id", "level", "basis", "source", "text"}
    assert REQUIREMENT_ID.fullmatch(row["id"])
    assert row["level"] in {"MUST", "SHOULD", "MAY"}
    assert row["basis"] in BASES
    assert row["source"]
    assert row["text"].endswith(".")
    if "excluded" in row:
        assert row["excluded"] in EXCLUSIONS
        assert row["id"] not in TESTED, "it is excluded, and yet a vector names it"
    else:
        assert row["id"] in TESTED, "no vector names it"


def test_ids_are_unique() -> None:
    assert [name for name, times in Counter(row["id"] for row in ROWS).items() if times > 1] == []


def test_vectors_name_known_requirements() -> None:
    assert set() == TESTED - KNOWN


def test_code_names_known_requirements() -> None:
    cited = {path.name: named_in(AMBIGUITY_ID.sub("", path.read_text(encoding="utf-8"))) for path in SOURCES}
    assert {name: sorted(ids - KNOWN) for name, ids in cited.items() if ids - KNOWN} == {}


def test_code_names_every_requirement_of_the_nostr_layer() -> None:
    cited = set().union(*(named_in(path.read_text(encoding="utf-8")) for path in SOURCES))
    ledger = tomllib.loads((ROOT / "spec" / "requirements" / "nostr.toml").read_text(encoding="utf-8"))
    assert sorted({row["id"] for row in ledger["requirement"]} - cited) == []


def test_breaches_are_of_requirements_that_say_must() -> None:
    musts = {row["id"] for row in ROWS if row["level"] == "MUST"}
    named = {
        name for suite in load_suites() for case in suite.cases for name in (case.output or {}).get("breaches", ())
    }
    assert named
    assert named - musts == set()


def test_prose_names_known_requirements() -> None:
    for path in PROSE:
        text = path.read_text(encoding="utf-8")
        assert named_in(AMBIGUITY_ID.sub("", text)) - KNOWN == set(), path.name


def test_ambiguities_are_known_and_used() -> None:
    assert len(AMBIGUITIES) == len(set(AMBIGUITIES))
    named = {case.ambiguity for suite in load_suites() for case in suite.cases if case.ambiguity}
    assert named - set(AMBIGUITIES) == set()
    code = {name for path in SOURCES for name in AMBIGUITY_ID.findall(path.read_text(encoding="utf-8"))}
    ledger = {name for path in LEDGERS for name in AMBIGUITY_ID.findall(path.read_text(encoding="utf-8"))}
    assert (code | ledger) - set(AMBIGUITIES) == set()
    text = (ROOT / "spec" / "ambiguities.md").read_text(encoding="utf-8")
    entries = dict(zip(AMBIGUITIES, re.split(r"^## AMB-[0-9]+:", text, flags=re.M)[1:], strict=True))
    unshown = set(AMBIGUITIES) - named - code - ledger
    assert sorted(name for name in unshown if "\nShown by: " not in entries[name]) == []
