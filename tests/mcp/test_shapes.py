from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.mcp.shapes import Choice, Fault, HiddenId, IdKind, Shape, Type, faults, hidden_ids
from tests.mcp.strategies import fitting, misfits
from tests.nostr.strategies import json_values

PERSON: Shape = {"name": Type.STRING, "age?": Type.NATURAL}
PAYLOAD = Choice("type", {"text": {"text": Type.STRING}, "link": {"url": Type.STRING}})
STAMP = Choice("paid", {}, absent={"owed": Type.INTEGER}, other={"paid": Type.BOOLEAN})
LETTER: Shape = {
    "to": PERSON,
    "from?": PERSON,
    "sort": ("plain", "express"),
    "answers?": IdKind.REQUEST,
    "payload": PAYLOAD,
    "stamp": STAMP,
}
GOOD = {"to": {"name": "B"}, "sort": "plain", "payload": {"type": "text", "text": ""}, "stamp": {"paid": True}}


def found(shape: Shape, value: Any) -> list[str]:
    return [str(fault) for fault in faults(shape, value, ("body",))]


@pytest.mark.parametrize("shape", [*Type, *IdKind, ("a", "b"), PERSON, PAYLOAD, STAMP, LETTER])
def test_what_fits_and_what_does_not(shape: Shape) -> None:
    for value in fitting(shape):
        assert found(shape, value) == [], value
    for value in misfits(shape):
        (fault,) = faults(shape, value, ("body",))
        assert (fault.path, fault.missing) == (("body",), False), value


def test_arrays_and_objects_may_hold_anything() -> None:
    assert found(Type.ARRAY, [1, None, {}]) == found(Type.OBJECT_OR_ARRAY, [None]) == []
    assert found(Type.OBJECT, {"a": None}) == found(Type.OBJECT_OR_ARRAY, {"a": 1}) == found({}, {"a": 1}) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"to": {}}, "body.to.name is missing: a string is required"),
        ({"to": {"name": None}}, "body.to.name is wrong: a string is required"),
        ({"to": {"name": "B", "age": -1}}, "body.to.age is wrong: an integer of 0 or more is required"),
        ({"from": None}, "body.from is wrong: an object is required"),
        ({"from": {}}, "body.from.name is missing: a string is required"),
        ({"sort": "slow"}, 'body.sort is wrong: "plain" or "express" is required'),
        ({"answers": True}, "body.answers is wrong: a request id, a string or an integer, is required"),
        ({"payload": {}}, 'body.payload.type is missing: "text" or "link" is required'),
        ({"payload": {"type": []}}, 'body.payload.type is wrong: "text" or "link" is required'),
        ({"payload": {"type": "other"}}, 'body.payload.type is wrong: "text" or "link" is required'),
        ({"payload": {"type": "link", "text": ""}}, "body.payload.url is missing: a string is required"),
        ({"stamp": {}}, "body.stamp.owed is missing: an integer is required"),
        ({"stamp": {"paid": 1}}, "body.stamp.paid is wrong: true or false is required"),
    ],
)
def test_a_fault_names_the_place_and_what_is_required(change: dict[str, Any], fault: str) -> None:
    assert found(LETTER, GOOD) == []
    assert found(LETTER, GOOD | change) == [fault]


def test_all_faults_are_found_in_the_order_of_the_shape() -> None:
    assert list(faults(LETTER, {"to": None, "stamp": {}}, ())) == [
        Fault(("to",), False, "an object"),
        Fault(("sort",), True, '"plain" or "express"'),
        Fault(("payload",), True, "an object"),
        Fault(("stamp", "owed"), True, "an integer"),
    ]


def test_hidden_ids_are_found_through_objects_and_choices() -> None:
    shape: Shape = {
        "_meta?": {"progressToken?": IdKind.PROGRESS},
        "name": Type.STRING,
        "which": Choice("a", {"b": {"c": IdKind.REQUEST}}, other={"d": IdKind.SUBSCRIPTION}),
    }
    assert list(hidden_ids(shape, ("params",))) == [
        HiddenId(IdKind.PROGRESS, ("params", "_meta", "progressToken")),
        HiddenId(IdKind.REQUEST, ("params", "which", "c")),
        HiddenId(IdKind.SUBSCRIPTION, ("params", "which", "d")),
    ]


@given(st.sampled_from((PERSON, LETTER, PAYLOAD, STAMP)), json_values)
def test_any_value_is_judged(shape: Shape, value: Any) -> None:
    assert all(fault.path[0] == "body" for fault in faults(shape, value, ("body",)))
