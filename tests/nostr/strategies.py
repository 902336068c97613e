"""What the tests of this layer share: Hypothesis strategies, and the two ways to ask how a call ended."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from nostrmcp.nostr import ErrorClass, Event, Filter, LocalProtocolError, SecretKey, UnsignedEvent, Violation
from nostrmcp.nostr.event import MAX_CREATED_AT, MAX_KIND

# How a call ended


def outcome(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """A value, or the Violation that was raised. Any other exception goes on and fails the test."""
    try:
        return function(*arguments, **options)
    except Violation as violation:
        assert type(violation.error_class) is ErrorClass
        assert str(violation) == f"{violation.error_class}: {violation.where}: {violation.detail}"
        return violation


def refused(error_class: ErrorClass, function: Callable[..., Any], *arguments: Any, **options: Any) -> Violation:
    """Assert that a peer's data is refused, and as what."""
    with pytest.raises(Violation) as caught:
        function(*arguments, **options)
    assert caught.value.error_class is error_class
    return caught.value


def misused(
    error_class: ErrorClass, function: Callable[..., Any], *arguments: Any, **options: Any
) -> LocalProtocolError:
    """Assert that a caller's mistake is named as such."""
    with pytest.raises(LocalProtocolError) as caught:
        function(*arguments, **options)
    assert caught.value.error_class is error_class
    return caught.value


def share(divisor: int) -> settings:
    """Fewer examples than the profile has, for what is slow: at least three."""
    return settings(max_examples=max(3, settings.default.max_examples // divisor))


# Text and JSON values

# Where writers and readers differ: named and other control characters, what must be escaped, colons and braces (they
# stand between keys and values), DEL, the line separators of JavaScript, the last character before the surrogates, the
# first after, and characters of two, three and four bytes.
TELLING = (
    '"\\/:{}[],\0\x01\x08\t\n\x0b\x0c\r\x1b\x1f \x7f\x80\x9f\xe9'
    "\u2028\u2029\ud7ff\ue000\ufeff\uffff\U0001f600\U0010ffff"
)
characters = st.one_of(st.sampled_from(TELLING), st.characters(exclude_categories=("Cs",)))


def texts(max_size: int = 20) -> st.SearchStrategy[str]:
    return st.text(characters, max_size=max_size)


integers = st.one_of(
    st.integers(-1000, 1000),
    st.sampled_from((2**53, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64 - 1, 2**64)),
    st.integers(-(10**30), 10**30),
    st.integers(10**309, 10**320),
)
floats = st.floats(allow_nan=False, allow_infinity=False)


def _nested(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts(8), inner, max_size=4)),
        max_leaves=12,
    )


_leaves = st.one_of(st.none(), st.booleans(), integers, texts())
values_without_floats = _nested(_leaves)
json_values = _nested(st.one_of(_leaves, floats))
json_objects = st.dictionaries(texts(8), json_values, max_size=4)


# One value, many spellings


class Members(list[tuple[str, Any]]):
    """The members of a JSON object as pairs, so that a key can stand twice."""


def spell(value: Any, seed: int) -> bytes:
    """A valid JSON text of the value, with blanks, escapes and spellings of numbers as the seed has it."""
    return _Speller(random.Random(seed)).anything(value).encode()


class _Speller:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        # Some texts have no blanks or no needless escapes at all: that is where shortcuts are taken.
        self.blanks = chance.choice((("",), ("", "", "", " ", "\n", "\t\r ")))
        self.escaping = chance.choice((0.0, 0.3))

    def blank(self) -> str:
        return self.chance.choice(self.blanks)

    def anything(self, value: Any) -> str:
        return self.blank() + self._bare(value) + self.blank()

    def _bare(self, value: Any) -> str:
        match value:
            case None | True | False:
                return {None: "null", True: "true", False: "false"}[value]
            case str():
                return '"' + "".join(map(self._character, value)) + '"'
            case float():
                return self.chance.choice((repr(value), f"{value:.17e}", f"{value:.20E}"))
            case int():
                return str(value)
            case Members() | dict():
                pairs = value if isinstance(value, Members) else value.items()
                members = (f"{self.anything(key)}:{self.anything(item)}" for key, item in pairs)
                return "{" + (",".join(members) or self.blank()) + "}"
            case list() | tuple():
                return "[" + (",".join(map(self.anything, value)) or self.blank()) + "]"
        raise TypeError(type(value).__name__)

    def _character(self, character: str) -> str:
        named = {'"': '"', "\\": "\\", "\b": "b", "\t": "t", "\n": "n", "\f": "f", "\r": "r", "/": "/"}.get(character)
        must = character < " " or character in '"\\'
        if not must and self.chance.random() >= self.escaping:
            return character
        if named is not None and self.chance.random() < 0.5:
            return "\\" + named
        units = character.encode("utf-16-be")
        escapes = (f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
        return "".join(self.chance.choice((one, "\\u" + one[2:].upper())) for one in escapes)


seeds = st.integers(0, 2**32 - 1)


@st.composite
def spelled(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> tuple[Any, bytes]:
    """A value and one of its spellings."""
    value = draw(values)
    return value, spell(value, draw(seeds))


@st.composite
def with_repeated_key(draw: st.DrawFn, value: Any) -> Any:
    """The value with one of its objects, at any depth, turned into Members in which one key stands twice."""
    found = list(_objects(value))
    chosen = draw(st.sampled_from(found))
    key = draw(st.one_of(st.sampled_from(list(chosen)), texts(8)) if chosen else texts(8))
    members = Members(chosen.items())
    for _ in range(1 if key in chosen else 2):
        members.insert(draw(st.integers(0, len(members))), (key, draw(json_values)))
    return _replace(value, chosen, members)


def _objects(value: Any) -> Any:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _objects(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _objects(item)


def _replace(value: Any, old: Any, new: Any) -> Any:
    if value is old:
        return new
    if isinstance(value, dict):
        return {key: _replace(item, old, new) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replace(item, old, new) for item in value]
    return value


@st.composite
def damaged(draw: st.DrawFn, texts_of_bytes: st.SearchStrategy[bytes]) -> bytes:
    """Bytes that were valid before one place of them was cut out, replaced or doubled."""
    data = draw(texts_of_bytes)
    start = draw(st.integers(0, len(data)))
    end = draw(st.integers(start, min(len(data), start + 8)))
    return data[:start] + draw(st.one_of(st.binary(max_size=4), st.just(data[start:end] * 2))) + data[end:]


# A mebibyte of what is meant to be costly

MEBIBYTE = 1 << 20
HOSTILE = {
    "open arrays": b"[" * 500_000,
    "open objects": b'{"a":' * 200_000,
    "closed arrays": b"[" * 500_000 + b"]" * 500_000,
    "sibling arrays": b"[" + b"[]," * (MEBIBYTE // 3) + b"[]]",
    "sibling objects": b"[" + b"{}," * (MEBIBYTE // 3) + b"{}]",
    "digits": b"1" * MEBIBYTE,
    "digits after the point": b"[0." + b"1" * MEBIBYTE + b"]",
    "exponent": b"[1e" + b"9" * MEBIBYTE + b"]",
    "floats": b"[" + b"1.5," * (MEBIBYTE // 4) + b"1.50]",
    "escapes": b'"' + b"\\u0041" * (MEBIBYTE // 6) + b'"',
    "colon escapes": b'"' + b"\\u003a" * (MEBIBYTE // 6) + b'"',
    "backslashes": b'"' + b"\\\\" * (MEBIBYTE // 2) + b'"',
    "half pairs": b'"' + b"\\ud800" * (MEBIBYTE // 6) + b'"',
    "repeated keys": b"{" + b'"a":1,' * (MEBIBYTE // 6) + b'"a":1}',
    "blanks": b" " * MEBIBYTE,
    "blanks and a value": b" " * MEBIBYTE + b"1.50",
    "open string": b'"' + b"a" * MEBIBYTE,
    "not UTF-8": b'"' + b"a" * MEBIBYTE + b"\xff" + b'"',
    "colons": b":" * MEBIBYTE,
}


# Keys and events

SECRET_KEYS = tuple(SecretKey(number.to_bytes(32, "big")) for number in (1, 2, 3, 2**128 + 51, 2**255 + 95))
ALICE, BOB, CAROL = SECRET_KEYS[2:]
# No point of the curve has this x coordinate (BIP-340's test vector 5).
OFF_CURVE = bytes.fromhex("eefdea4cdb677750a420fee807eacf21eb9898ae79b9768766e4faa04a2d4a34")

bytes32 = st.binary(min_size=32, max_size=32)
secret_keys = st.sampled_from(SECRET_KEYS)
tags = st.lists(st.lists(texts(12), min_size=1, max_size=4).map(tuple), max_size=5).map(tuple)
created_ats = st.one_of(st.integers(0, 2_000_000_000), st.integers(0, MAX_CREATED_AT))
kinds = st.integers(0, MAX_KIND)


def unsigned(
    author: SecretKey = ALICE,
    created_at: int = 1_700_000_000,
    kind: int = 1,
    tags: tuple[tuple[str, ...], ...] = (),
    content: str = "",
) -> UnsignedEvent:
    return UnsignedEvent(author.public_key.x, created_at, kind, tags, content)


def signed(author: SecretKey = ALICE, **fields: Any) -> Event:
    return unsigned(author, **fields).sign(author, bytes(32))


@st.composite
def unsigned_events(draw: st.DrawFn) -> tuple[UnsignedEvent, SecretKey]:
    author = draw(secret_keys)
    return unsigned(author, draw(created_ats), draw(kinds), draw(tags), draw(texts(40))), author


@st.composite
def signed_events(draw: st.DrawFn) -> Event:
    event, author = draw(unsigned_events())
    return event.sign(author, draw(bytes32))


def as_json(event: Event | UnsignedEvent) -> dict[str, Any]:
    """The event's JSON object with lists, as a parser gives it."""
    return event.to_value() | {"tags": [list(tag) for tag in event.tags]}


@st.composite
def almost_events(draw: st.DrawFn) -> Any:
    """JSON objects that are events but for some members that are missing, more, or of any value."""
    value = as_json(draw(signed_events()))
    for name in draw(st.lists(st.sampled_from(sorted(value)), max_size=2, unique=True)):
        del value[name]
    for name in draw(st.lists(st.one_of(st.sampled_from(sorted(value) or ["id"]), texts(4)), max_size=2)):
        value[name] = draw(json_values)
    return value


# Filters

_letters = st.sampled_from("abcdfghijklmnoqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_numbers = st.integers(0, MAX_CREATED_AT)
built_filters = st.builds(
    Filter,
    ids=st.none() | st.frozensets(bytes32, min_size=1, max_size=3),
    authors=st.none() | st.frozensets(bytes32, min_size=1, max_size=3),
    kinds=st.none() | st.frozensets(kinds, min_size=1, max_size=3),
    tags=st.one_of(
        st.dictionaries(_letters, st.frozensets(texts(), min_size=1, max_size=3), max_size=3),
        st.dictionaries(st.sampled_from("ep"), st.frozensets(bytes32.map(bytes.hex), min_size=1, max_size=3)),
    ),
    since=st.none() | _numbers,
    until=st.none() | _numbers,
    limit=st.none() | _numbers,
)
