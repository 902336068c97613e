from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.nostr import filters
from nostrmcp.nostr.errors import ErrorClass, Violation
from nostrmcp.nostr.filters import Filter, KindClass
from tests.nostr.strategies import (
    ALICE,
    BOB,
    as_json,
    built_filters,
    json_objects,
    json_values,
    misused,
    outcome,
    refused,
    signed,
)

# Few values, so that filters and events meet.
SOME_IDS = ("00" * 32, "ab" * 32)
SOME_TAGS = (
    ("e", SOME_IDS[0]),
    ("e", SOME_IDS[1], "x"),
    ("t", "a"),
    ("t", "b"),
    ("t",),
    ("T", "a"),
    ("tt", "a"),
)
some_events = st.builds(
    signed,
    st.sampled_from((ALICE, BOB)),
    created_at=st.integers(0, 3),
    kind=st.sampled_from((0, 1, 10_000, 30_000)),
    tags=st.lists(
        st.sampled_from(SOME_TAGS),
        max_size=3,
    ).map(tuple),
)


def some_of(*items):
    return st.lists(st.sampled_from(items), min_size=1, max_size=2)


some_filters = st.fixed_dictionaries(
    {},
    optional={
        "authors": some_of(ALICE.public_key.hex(), BOB.public_key.hex()),
        "kinds": some_of(0, 1, 10_000, 30_000),
        "#e": some_of(*SOME_IDS),
        "#t": some_of("a", "b", "c"),
        "#T": some_of("a", "b"),
        "since": st.integers(0, 3),
        "until": st.integers(0, 3),
        "limit": st.integers(0, 3),
    },
)


def naively_matches(wanted, event):
    """NIP-01 read word by word, on the JSON objects of both."""
    for name, condition in wanted.items():
        if name == "ids" and event["id"] not in condition:
            return False
        if name == "authors" and event["pubkey"] not in condition:
            return False
        if name == "kinds" and event["kind"] not in condition:
            return False
        if name == "since" and event["created_at"] < condition:
            return False
        if name == "until" and event["created_at"] > condition:
            return False
        if name.startswith("#"):
            values = [tag[1] for tag in event["tags"] if tag[0] == name[1:] and len(tag) > 1]
            if not any(value in condition for value in values):
                return False
    return True


@given(some_filters, some_events)
def test_matching_is_nip01_read_word_by_word(wanted, event):
    assert filters.parse(wanted).matches(event) is naively_matches(wanted, as_json(event))


@given(some_events, some_events)
def test_ids_select_events(event, other):
    one = filters.parse({"ids": [event.id.hex()]})
    assert one.matches(event) is True
    assert one.matches(other) is (other.id == event.id)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, True),
        ({"authors": [ALICE.public_key.hex()]}, True),
        ({"authors": [BOB.public_key.hex()]}, False),
        ({"kinds": [0, 1]}, True),
        ({"kinds": [0]}, False),
        ({"since": 100}, True),
        ({"since": 101}, False),
        ({"until": 100}, True),
        ({"until": 99}, False),
        ({"limit": 0}, True),
        ({"#t": ["a"]}, True),
        ({"#t": ["b", "c"]}, True),
        ({"#t": ["c"]}, False),
        ({"#t": ["x"]}, False),
        ({"#T": ["a"]}, False),
        ({"#u": [""]}, False),
        ({"#v": [""]}, True),
        ({"#t": ["a"], "#v": ["z"]}, False),
        ({"kinds": [1], "authors": [BOB.public_key.hex()]}, False),
    ],
)
def test_matching_one_event(wanted, expected):
    event = signed(created_at=100, tags=(("t", "a"), ("t", "b", "x"), ("u",), ("v", "")))
    assert filters.parse(wanted).matches(event) is expected


def test_one_of_several_filters_is_enough():
    event = signed(kind=1)
    matching, other = filters.parse({"kinds": [1]}), filters.parse({"kinds": [2]})
    assert filters.matches_any((other, matching), event) is True
    assert filters.matches_any((other, other), event) is False
    assert filters.matches_any((), event) is False


# Reading and writing


@given(built_filters)
def test_a_filter_is_read_as_it_is_written(built):
    assert filters.parse(built.to_value()) == built


def test_a_filter_written_out():
    built = Filter(
        ids=frozenset({b"\2" * 32, b"\1" * 32}),
        authors=frozenset({b"\3" * 32}),
        kinds=frozenset({3, 1, 2}),
        tags={"t": frozenset({"b", "a"})},
        since=0,
        until=2,
        limit=0,
    )
    assert built.to_value() == {
        "ids": ["01" * 32, "02" * 32],
        "authors": ["03" * 32],
        "kinds": [1, 2, 3],
        "#t": ["a", "b"],
        "since": 0,
        "until": 2,
        "limit": 0,
    }
    assert Filter().to_value() == {}
    assert filters.parse({}) == Filter()


def test_values_named_twice_are_one():
    assert filters.parse({"kinds": [1, 1], "#t": ["a", "a"]}) == filters.parse({"kinds": [1], "#t": ["a"]})


MALFORMED = [
    *(({name: item}, name) for name in ("ids", "authors", "kinds", "#e", "#p", "#t") for item in (None, [], "", {}, 1)),
    *(
        ({name: [item]}, name)
        for name in ("ids", "authors", "#e", "#p")
        for item in ("", "AB" * 32, "0" * 63, "g" * 64)
    ),
    *(({name: ["0" * 64, item]}, name) for name in ("ids", "authors", "#e", "#t") for item in (None, 1, ["0" * 64])),
    *(({"kinds": [1, item]}, "kinds") for item in (-1, 65536, 1.0, True, "1", None)),
    *(({name: item}, name) for name in ("since", "until", "limit") for item in (-1, 1.0, True, "1", None, 2**64, [1])),
]


@pytest.mark.parametrize(("value", "name"), MALFORMED)
def test_each_malformed_field_is_refused_by_name(value, name):
    assert refused(ErrorClass.MALFORMED_FILTER, filters.parse, value).where == f"filter.{name}"


@pytest.mark.parametrize("name", ["", "#", "t", "#tt", "##", "#1", "#\xe9", "search", "Kinds", "ids ", "id", "\x1b"])
def test_a_field_that_nip01_does_not_define_is_refused(name):
    refused(ErrorClass.UNKNOWN_FILTER_FIELD, filters.parse, {name: ["a"]})


def test_an_unknown_field_is_named_printably():
    violation = refused(ErrorClass.UNKNOWN_FILTER_FIELD, filters.parse, {"\x1b[31m": 1})
    assert violation.detail == "\\x1b[31m is not a filter field"


@pytest.mark.parametrize("value", [None, [], "filter", 1, True, [{}]])
def test_what_is_not_an_object_is_refused(value):
    refused(ErrorClass.NOT_AN_OBJECT, filters.parse, value)


names = st.sampled_from(("ids", "authors", "kinds", "since", "until", "limit", "#e", "#p", "#t"))


@given(
    st.one_of(
        json_values,
        json_objects,
        st.dictionaries(
            names, st.one_of(json_values, st.lists(json_values, max_size=2), st.integers(0, 2**64 - 1)), max_size=3
        ),
    )
)
def test_any_json_value_gives_a_filter_or_a_violation(value):
    result = outcome(filters.parse, value)
    if not isinstance(result, Violation):
        assert filters.parse(result.to_value()) == result


# Kinds, addresses and which event stays


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (0, 0, KindClass.REPLACEABLE),
        (1, 2, KindClass.REGULAR),
        (3, 3, KindClass.REPLACEABLE),
        (4, 44, KindClass.REGULAR),
        (45, 999, KindClass.UNDEFINED),
        (1000, 9999, KindClass.REGULAR),
        (10000, 19999, KindClass.REPLACEABLE),
        (20000, 29999, KindClass.EPHEMERAL),
        (30000, 39999, KindClass.ADDRESSABLE),
        (40000, 65535, KindClass.UNDEFINED),
    ],
)
def test_kind_classes(first, last, expected):
    assert {filters.kind_class(kind) for kind in range(first, last + 1)} == {expected}


@pytest.mark.parametrize(
    ("kind", "tags", "expected"),
    [
        (0, (), "0:{}:"),
        (3, (("d", "x"),), "3:{}:"),
        (10002, (), "10002:{}:"),
        (30000, (("d", "x"), ("d", "y")), "30000:{}:x"),
        (30000, (("d", "a:b"),), "30000:{}:a:b"),
        (30000, (("d", ""),), "30000:{}:"),
        (30000, (("d",),), "30000:{}:"),
        (30000, (), "30000:{}:"),
        (1, (("d", "x"),), None),
        (20000, (("d", "x"),), None),
        (45, (), None),
    ],
)
def test_addresses(kind, tags, expected):
    assert filters.address(signed(kind=kind, tags=tags)) == (expected and expected.format(ALICE.public_key.hex()))


versions = st.builds(
    signed,
    st.just(ALICE),
    kind=st.just(10_000),
    created_at=st.integers(0, 2),
    content=st.text("abc", max_size=2),
)


@given(st.lists(versions, min_size=3, max_size=5))
def test_replacing_is_a_strict_total_order(held):
    for one, other, third in itertools.product(held, repeat=3):
        assert filters.replaces(one, one) is False
        assert filters.replaces(one, other) + filters.replaces(other, one) == (one.id != other.id)
        if filters.replaces(one, other) and filters.replaces(other, third):
            assert filters.replaces(one, third)
    newest = min(held, key=filters.newest_first)
    assert not any(filters.replaces(one, newest) for one in held)
    assert newest.created_at == max(one.created_at for one in held)
    assert newest.id == min(one.id for one in held if one.created_at == newest.created_at)


@given(st.lists(some_events, min_size=2, max_size=5))
def test_only_an_event_of_the_same_address_is_replaced(held):
    for one, other in itertools.permutations(held, 2):
        later = (one.created_at, other.id) > (other.created_at, one.id)
        same = filters.address(one) is not None and filters.address(one) == filters.address(other)
        assert filters.replaces(one, other) is (same and later)


def test_of_two_in_one_second_the_lower_id_stays():
    one, other = sorted((signed(kind=0, content="a"), signed(kind=0, content="b")), key=lambda event: event.id)
    assert filters.replaces(one, other) is True
    assert filters.replaces(other, one) is False


def test_what_does_not_replace():
    old, new = 100, 200
    for candidate, held in (
        (signed(kind=1, created_at=new), signed(kind=1, created_at=old)),
        (signed(kind=0, created_at=new), signed(BOB, kind=0, created_at=old)),
        (signed(kind=0, created_at=new), signed(kind=3, created_at=old)),
        (
            signed(kind=30000, created_at=new, tags=(("d", "x"),)),
            signed(kind=30000, created_at=old, tags=(("d", "y"),)),
        ),
    ):
        assert filters.replaces(candidate, held) is False
    assert filters.replaces(signed(kind=0, created_at=new), signed(kind=0, created_at=old)) is True


@pytest.mark.parametrize(
    "conditions",
    [
        {"ids": frozenset()},
        {"authors": frozenset()},
        {"kinds": frozenset()},
        {"tags": {"t": frozenset()}},
        {"ids": frozenset({bytes(31)})},
        {"authors": frozenset({bytes(33)})},
        {"kinds": frozenset({-1})},
        {"kinds": frozenset({65536})},
        {"since": -1},
        {"until": 2**64},
        {"limit": -1},
        {"tags": {"cap": frozenset({"x"})}},
        {"tags": {"1": frozenset({"x"})}},
        {"tags": {"p": frozenset({"bob"})}},
        {"tags": {"e": frozenset({"A" * 64})}},
    ],
)
def test_a_filter_that_no_relay_may_take_is_a_mistake(conditions):
    misused(ErrorClass.MALFORMED_FILTER, Filter, **conditions)


def test_filters_can_be_kept_in_sets():
    assert len({Filter(kinds=frozenset({1})), Filter(kinds=frozenset({1})), Filter()}) == 2
