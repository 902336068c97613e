"""Every example of the seeds is a vector: spec/examples.toml says which, and each is what the seed prints."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from nostrmcp.conformance.vectors import load_suites
from nostrmcp.revisions import REVISIONS
from tests.house import seeds
from tests.house.seeds import Example, is_example, readings

ROOT = Path(__file__).resolve().parents[2]
ROWS: list[dict[str, Any]] = tomllib.loads((ROOT / "spec" / "examples.toml").read_text(encoding="utf-8"))["example"]
CASES = {case.id: case for suite in load_suites() for case in suite.cases}
SEEDS = sorted({row["seed"] for row in ROWS})
Key = tuple[str, str, int]


def key(row: dict[str, Any]) -> Key:
    return row["seed"], row["heading"], row["number"]


def named(row: dict[str, Any]) -> str:
    return f"{row['seed'][:3]}-{row['heading']}-{row['number']}"


def events_of(name: str) -> list[dict[str, Any]]:
    """The events of a case: the one it gives, and the one it is given."""
    case = CASES[name]
    return [side["event"] for side in (case.input, case.output or {}) if "event" in side]


@cache
def printed() -> dict[Key, Example]:
    return {(one.seed, one.heading, one.number): one for seed in SEEDS for one in seeds.examples(seed)}


def test_the_seeds_are_those_of_the_revisions() -> None:
    own = {revision.source for revision in REVISIONS.values()}
    assert own >= set(SEEDS)
    assert all(REVISIONS[row["revision"]].source == row["seed"] for row in ROWS)
    assert {one for one in own if one.endswith(".txt")} == set(SEEDS)


def test_a_row_is_whole() -> None:
    wanted = {"seed", "revision", "heading", "number", "vectors"}
    for row in ROWS:
        assert wanted <= row.keys() <= wanted | {"part", "either", "stand_ins", "note"}, named(row)
        assert row["vectors"], named(row)
    keys = [key(row) for row in ROWS]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_its_vectors_exist(row: dict[str, Any]) -> None:
    assert [name for name in row["vectors"] if name not in CASES] == []
    assert len(row["vectors"]) == len(set(row["vectors"]))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_example_has_a_row_and_every_row_an_example(seed: str) -> None:
    found = [(one.seed, one.heading, one.number) for one in seeds.examples(seed)]
    assert found == [key(row) for row in ROWS if row["seed"] == seed]


def test_no_other_seed_prints_an_event() -> None:
    if not seeds.folder().is_dir():
        pytest.skip(f"{seeds.folder()} is not there: set NOSTRMCP_SEEDS to the folder that has the seeds")
    others = [path.name for path in sorted(seeds.folder().glob("*.txt")) if path.name not in SEEDS]
    assert [name for name in others if seeds.examples(name) or '"kind":' in seeds.read(name)] == []


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_its_vectors_are_what_the_seed_prints(row: dict[str, Any]) -> None:
    seeds.read(row["seed"])
    example = printed()[key(row)]
    assert example.is_event != row.get("part", False)
    wanted = readings(example, row.get("either", False), row.get("stand_ins", []))
    shown = [[one for one in wanted if shows(name, one, example)] for name in row["vectors"]]
    assert [name for name, its in zip(row["vectors"], shown, strict=True) if not its] == [], "they are something else"
    assert [one for one in wanted if not any(one in its for its in shown)] == [], "no vector shows this"


def shows(name: str, wanted: Any, example: Example) -> bool:
    return any(is_example(event, wanted, example.is_open) for event in events_of(name))


# The comparison itself

EVENT = {"kind": 25910, "tags": [["p", "aa"], ["method", "ping"]], "content": '{"method":"ping","params":{"n":1}}'}
PRINTED = {"kind": 25910, "tags": [["p", "<key>"]], "content": {"method": "<word>", "params": {"n": 1}}}


def test_an_example_made_concrete_is_known() -> None:
    assert is_example(EVENT, PRINTED, more=False)
    assert is_example(EVENT, PRINTED | {"content": json.dumps(PRINTED["content"])}, more=False)
    assert is_example(EVENT, PRINTED | {"content": "<encrypted>"}, more=False)
    assert is_example(EVENT, ["method", "<method>"], more=False)
    assert is_example(EVENT, {"n": 1}, more=False)
    assert is_example(EVENT, PRINTED | {"content": {"method": "ping", "params": {}}}, more=True)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": 26910},
        {"tags": [["p", "<key>"], ["s", "<server>"]]},
        {"tags": [["p", "bb"]]},
        {"tags": [["p"]]},
        {"content": {"method": "ping"}},
        {"content": {"method": "ping", "params": {}}},
        {"content": {"method": "ping", "params": {"n": 2}}},
        {"content": {"method": "ping", "params": {"n": True}}},
        {"content": {"method": "ping", "params": {"n": 1, "m": 1}}},
        {"content": ""},
    ],
)
def test_an_event_that_is_no_example_is_told(change: dict[str, Any]) -> None:
    assert not is_example(EVENT, PRINTED | change, more=False)
    assert not is_example(EVENT, ["e", "<id>"], more=False)
    assert not is_example(EVENT, {"n": 2}, more=False)


def test_what_is_no_json_is_repaired() -> None:
    text = '{ "a": "// no comment", // one\n "b": [["x", "1"]\n ["y"],], /* more */ }'
    assert Example("", "", 1, text).value == {"a": "// no comment", "b": [["x", "1"], ["y"]]}


def test_two_alternatives_are_two_readings() -> None:
    text = '{"tags": [], "content": {"id": "<id>", "error": {"code": 1}, "result": {}}}'
    one, other = readings(Example("", "", 1, text), alternatives=True, stand_ins=[])
    assert one["content"] == {"id": "<id>", "error": {"code": 1}}
    assert other["content"] == {"id": "<id>", "result": {}}
    (alone,) = readings(Example("", "", 1, '{"p": "bob"}'), alternatives=False, stand_ins=["bob"])
    assert alone == {"p": "<bob>"}
