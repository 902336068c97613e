"""What the tests of this layer share: messages, bodies made from shapes, and the ways to ask how a call ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import strategies as st

from nostrmcp.mcp import Error, ErrorClass, IdKind, Message, Notification, Request, Result
from nostrmcp.mcp.paths import Path
from nostrmcp.mcp.shapes import Choice, Shape, Type, members
from nostrmcp.nostr import LocalProtocolError, Violation
from tests.nostr.strategies import integers, json_objects, json_values, texts

ids = st.one_of(integers, texts(8), st.sampled_from((0, "0", 1, "1", "", -1)))
NOT_IDS: tuple[Any, ...] = (None, True, False, 1.0, 0.0, 1.5, [], {}, [1])


def outcome(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """A value, or the Violation of this layer that was raised. Any other exception goes on and fails the test."""
    try:
        return function(*arguments, **options)
    except Violation as violation:
        assert type(violation.error_class) is ErrorClass
        assert violation.where and violation.detail
        return violation


def refused(error_class: ErrorClass, function: Callable[..., Any], *arguments: Any, **options: Any) -> Violation:
    """Assert that a peer's data is refused, and as what."""
    with pytest.raises(Violation) as caught:
        function(*arguments, **options)
    assert caught.value.error_class is error_class
    return caught.value


def misused(error_class: ErrorClass, function: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    """Assert that a caller's mistake is named as such."""
    with pytest.raises(LocalProtocolError) as caught:
        function(*arguments, **options)
    assert caught.value.error_class is error_class


# Messages

maybe_params = st.one_of(st.none(), json_objects)
messages: st.SearchStrategy[Message] = st.one_of(
    st.builds(Request, ids, texts(), maybe_params),
    st.builds(Notification, texts(), maybe_params),
    st.builds(Result, ids, json_objects),
    st.builds(Error, st.one_of(st.none(), ids), integers, texts(), json_values),
)

_TELLING = {
    "jsonrpc": st.just("2.0"),
    "id": ids,
    "method": texts(),
    "params": json_objects,
    "result": json_objects,
    "error": st.fixed_dictionaries({"code": integers, "message": texts()}, optional={"data": json_values}),
}


@st.composite
def almost_messages(draw: st.DrawFn) -> dict[str, Any]:
    """JSON objects with some of the members that messages have, most of them with values that fit."""
    names = draw(st.lists(st.sampled_from(sorted(_TELLING)), unique=True))
    value = {name: draw(st.one_of(_TELLING[name], _TELLING[name], json_values)) for name in names}
    if draw(st.integers(0, 9)):
        value["jsonrpc"] = "2.0"
    return value


# Bodies

# For each type, what fits it and what does not.
_FITTING: dict[Type, tuple[Any, ...]] = {
    Type.ANYTHING: (None, 0, "", [], {}),
    Type.STRING: ("", "text"),
    Type.BOOLEAN: (True, False),
    Type.NUMBER: (0, -1.5),
    Type.INTEGER: (0, -(2**70), 3.0),
    Type.NATURAL: (0, 2**70, 1.0),
    Type.INTEGER_OR_NULL: (None, 0),
    Type.OBJECT: ({},),
    Type.ARRAY: ([],),
    Type.OBJECT_OR_ARRAY: ({}, []),
    Type.STRINGS: ([], ["a", ""]),
}
_MISFITS: dict[Type, tuple[Any, ...]] = {
    Type.ANYTHING: (),
    Type.STRING: (None, 1, [], {}),
    Type.BOOLEAN: (0, 1, "true", None),
    Type.NUMBER: (True, "1", None),
    Type.INTEGER: (True, 1.5, "1", None),
    Type.NATURAL: (-1, 0.5, False, None),
    Type.INTEGER_OR_NULL: (1.5, False, "1"),
    Type.OBJECT: ([], "", None),
    Type.ARRAY: ({}, "", None),
    Type.OBJECT_OR_ARRAY: ("", None, 1),
    Type.STRINGS: ([1], ["a", None], {}, "a"),
}


def fitting(shape: Shape) -> tuple[Any, ...]:
    """Values that fit a shape, the one with the least members first; every case of a choice is among them."""
    if isinstance(shape, Type):
        return _FITTING[shape]
    if isinstance(shape, IdKind):
        return 0, "0", "", 2**70
    if isinstance(shape, tuple):
        return shape
    if isinstance(shape, Choice):
        return tuple(_fitting_choice(shape))
    needed = [(name, fitting(inner)) for name, optional, inner in members(shape) if not optional]
    more = [(name, fitting(inner)) for name, optional, inner in members(shape) if optional]
    least = {name: values[0] for name, values in needed}
    varied = (least | {name: value} for name, values in (*needed, *more) for value in values)
    return least, *varied, least | {name: values[-1] for name, values in more} | {"unknown": None}


def _fitting_choice(choice: Choice) -> Iterator[Any]:
    if choice.absent is not None:
        yield from fitting(choice.absent)
    for case, shape in choice.cases.items():
        yield from ({**value, choice.member: case} for value in fitting(shape))
    if choice.other is not None:
        yield from ({choice.member: "another", **value} for value in fitting(choice.other))


def _merged(one: Any, other: Any) -> Any:
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: _merged(one.get(key, other.get(key)), other.get(key, one.get(key))) for key in {**one, **other}}
    return other


def bodies(wanted: tuple[Shape, ...]) -> list[Any]:
    """Bodies that fit several shapes at once: first the one with the least members, last the one with the most."""
    least: Any = {}
    most: Any = {}
    for shape in wanted:
        least, most = _merged(least, fitting(shape)[0]), _merged(most, fitting(shape)[-1])
    return [least, *(_merged(least, value) for shape in wanted for value in fitting(shape)), _merged(least, most)]


def misfits(shape: Shape) -> tuple[Any, ...]:
    """Values that do not fit a shape at all; what is wrong inside of an object is not among them."""
    if isinstance(shape, Type):
        return _MISFITS[shape]
    if isinstance(shape, IdKind):
        return NOT_IDS
    if isinstance(shape, tuple):
        return "another", None, [*shape]
    return _MISFITS[Type.OBJECT]


def places(shape: Shape, path: Path = ()) -> Iterator[tuple[Path, bool, Shape]]:
    """Every member of a shape, down through its objects, but not into choices: path, whether optional, and shape."""
    if isinstance(shape, dict):
        for name, optional, inner in members(shape):
            yield (*path, name), optional, inner
            yield from places(inner, (*path, name))


def replaced_by(new: Any) -> Callable[[Any], Any]:
    """A function for `paths.rewrite` that puts a value in place of whatever is there."""
    return lambda held: new
