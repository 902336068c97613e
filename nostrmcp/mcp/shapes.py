"""What a JSON object must hold, written as a literal of the same form, and what is wrong with one that does not.

A shape such as `{"name": Type.STRING, "_meta?": {"progressToken?": IdKind.PROGRESS}}` reads like the object it
describes. A `?` marks a member that may be absent, but has its type where present. A tuple of strings lists the only
words allowed. Members that a shape does not name may be there and hold anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import TypeAlias

from ..nostr.strict_json import JSON
from . import paths
from .jsonrpc import is_id
from .paths import Path


def _is_integer(value: JSON) -> bool:
    # JSON Schema counts 1.0 among the integers; an id is another matter.
    return type(value) is int or (type(value) is float and value.is_integer())


class Type(Enum):
    """The types of members, in the words used where one is wrong."""

    ANYTHING = "a value", lambda value: True
    STRING = "a string", lambda value: type(value) is str
    BOOLEAN = "true or false", lambda value: type(value) is bool
    NUMBER = "a number", lambda value: type(value) in (int, float)
    INTEGER = "an integer", _is_integer
    NATURAL = "an integer of 0 or more", lambda value: _is_integer(value) and value >= 0
    INTEGER_OR_NULL = "an integer or null", lambda value: value is None or _is_integer(value)
    OBJECT = "an object", lambda value: type(value) is dict
    ARRAY = "an array", lambda value: type(value) is list
    OBJECT_OR_ARRAY = "an object or an array", lambda value: type(value) in (dict, list)
    STRINGS = "an array of strings", lambda value: type(value) is list and all(type(item) is str for item in value)

    def __init__(self, words: str, accepts: Callable[[JSON], bool]) -> None:
        self.words = words
        self.accepts = accepts


class IdKind(StrEnum):
    """The types of members that are an id of something, and have to change with it when it is renamed."""

    REQUEST = "request id"
    PROGRESS = "progress token"
    SUBSCRIPTION = "subscription id"


@dataclass(frozen=True, slots=True)
class Choice:
    """An object whose shape depends on one of its members.

    `cases` gives the shape for each value of the member, `absent` the one without it, `other` the one for any other
    value. Where the one that is needed is None, the member itself is missing or wrong.
    """

    member: str
    cases: Mapping[str, Shape]
    absent: Shape | None = None
    other: Shape | None = None


Shape: TypeAlias = "Type | IdKind | tuple[str, ...] | dict[str, Shape] | Choice"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a body: where, whether it is missing or else of a wrong type, and what is required."""

    path: Path
    missing: bool
    required: str

    def __str__(self) -> str:
        return f"{paths.text(self.path)} is {'missing' if self.missing else 'wrong'}: {self.required} is required"


@dataclass(frozen=True, slots=True)
class HiddenId:
    """A place inside a body where the id of something stands."""

    kind: IdKind
    path: Path


def faults(shape: Shape, value: JSON, path: Path) -> list[Fault]:
    """Everything wrong with the value that stands at `path`, in the order of the shape."""
    if not _fits_outside(shape, value):
        return [Fault(path, missing=False, required=_words(shape))]
    if isinstance(shape, Choice):
        return _faults_in_choice(shape, value, path)
    found = []
    if isinstance(shape, dict):
        for name, optional, inner in members(shape):
            if name in value:
                # Most members are fine and hold nothing to look into: no path is made for those.
                if isinstance(inner, (dict, Choice)) or not _fits_outside(inner, value[name]):
                    found += faults(inner, value[name], (*path, name))
            elif not optional:
                found.append(Fault((*path, name), missing=True, required=_words(inner)))
    return found


def predicate(shape: Shape) -> Callable[[JSON], bool]:
    """Whether a value has no faults, as a function made once: most values have none, and are told so quickly."""
    if isinstance(shape, dict):
        required = [(name, predicate(inner)) for name, optional, inner in members(shape) if not optional]
        rest = [(name, predicate(inner)) for name, optional, inner in members(shape) if optional]

        def fits(value: JSON) -> bool:
            if type(value) is not dict:
                return False
            for name, inner in required:
                if name not in value or not inner(value[name]):
                    return False
            for name, inner in rest:  # noqa: SIM110 a generator costs more than the look
                if name in value and not inner(value[name]):
                    return False
            return True

        return fits
    if isinstance(shape, IdKind):
        return is_id
    return shape.accepts if isinstance(shape, Type) else lambda value: not faults(shape, value, ())


def _fits_outside(shape: Shape, value: JSON) -> bool:
    if isinstance(shape, Type):
        return shape.accepts(value)
    if isinstance(shape, IdKind):
        return is_id(value)
    if isinstance(shape, tuple):
        return type(value) is str and value in shape
    return type(value) is dict


def _faults_in_choice(choice: Choice, value: dict[str, JSON], path: Path) -> list[Fault]:
    given = value.get(choice.member)
    if choice.member not in value:
        shape = choice.absent
    elif type(given) is str and given in choice.cases:
        shape = choice.cases[given]
    else:
        shape = choice.other
    if shape is None:
        return [Fault((*path, choice.member), choice.member not in value, _words(tuple(choice.cases)))]
    return faults(shape, value, path)


def hidden_ids(shape: Shape, path: Path) -> Iterator[HiddenId]:
    """Every place in a value of this shape, standing at `path`, where an id can be."""
    if isinstance(shape, IdKind):
        yield HiddenId(shape, path)
    elif isinstance(shape, Choice):
        for case in (*shape.cases.values(), shape.absent, shape.other):
            if case is not None:
                yield from hidden_ids(case, path)
    elif isinstance(shape, dict):
        for name, _, inner in members(shape):
            yield from hidden_ids(inner, (*path, name))


def members(shape: dict[str, Shape]) -> list[tuple[str, bool, Shape]]:
    """The members of an object's shape: name, whether it may be absent, and its own shape."""
    return [(key[:-1], True, inner) if key[-1] == "?" else (key, False, inner) for key, inner in shape.items()]


def _words(shape: Shape) -> str:
    if isinstance(shape, Type):
        return shape.words
    if isinstance(shape, IdKind):
        return f"a {shape}, a string or an integer,"
    if isinstance(shape, tuple):
        return " or ".join(f'"{word}"' for word in shape)
    return Type.OBJECT.words
