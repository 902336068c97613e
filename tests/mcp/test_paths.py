from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.mcp import paths
from nostrmcp.mcp.paths import Path
from tests.nostr.strategies import json_values, texts

PATH = ("params", "_meta", "io.modelcontextprotocol/subscriptionId")


def test_text_of_a_path() -> None:
    assert paths.text(PATH) == 'params._meta["io.modelcontextprotocol/subscriptionId"]'
    assert paths.text(("a/b", "c")) == '["a/b"].c'
    assert paths.text(()) == ""


def test_read() -> None:
    value = {"params": {"_meta": {PATH[2]: 0, "null": None}}}
    assert paths.read(value, PATH) == 0
    assert paths.read(value, ()) is value
    assert paths.read(value, ("params", "_meta", "null")) is None
    for absent in (("other",), ("params", "other"), (*PATH, "deeper")):
        assert paths.read(value, absent) is None
    assert paths.read([{"a": 1}], ("a",)) is None


def test_rewrite_copies_the_way_and_shares_the_rest() -> None:
    aside: dict[str, Any] = {"x": [1]}
    value = {"params": {"_meta": {PATH[2]: 1, "aside": aside}, "list": [1]}, "id": 1}
    before = copy.deepcopy(value)
    after = paths.rewrite(value, PATH, lambda held: f"new {held}")
    assert value == before
    assert after == {"params": {"_meta": {PATH[2]: "new 1", "aside": aside}, "list": [1]}, "id": 1}
    assert list(after["params"]["_meta"]) == [PATH[2], "aside"]
    assert after["params"]["_meta"]["aside"] is aside
    assert paths.rewrite(value, (), lambda held: None) is None


def test_rewrite_leaves_what_has_no_such_place() -> None:
    without: list[Any] = [{}, {"params": None}, {"params": {"_meta": []}}, [], None, "params"]
    for value in without:
        assert paths.rewrite(value, PATH, lambda held: "new") is value


@st.composite
def values_with_a_place(draw: st.DrawFn) -> tuple[Any, Path]:
    value: Any = draw(json_values)
    path = tuple(draw(st.lists(texts(4), max_size=4)))
    for name in reversed(path):
        value = draw(st.dictionaries(texts(4), json_values, max_size=3)) | {name: value}
    return value, path


@given(values_with_a_place(), json_values)
def test_rewriting_touches_the_place_only(made: tuple[Any, Path], new: Any) -> None:
    value, path = made
    before = copy.deepcopy(value)
    after = paths.rewrite(value, path, lambda held: new)
    assert repr(value) == repr(before)
    assert paths.read(after, path) is new
    old = paths.read(value, path)
    assert repr(paths.rewrite(after, path, lambda held: old)) == repr(before)


@given(json_values, st.lists(texts(4), max_size=3).map(tuple))
def test_rewriting_nothing_is_the_identity(value: Any, path: Path) -> None:
    assert paths.rewrite(value, path, lambda held: held) is value
