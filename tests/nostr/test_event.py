from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nostrmcp.nostr import event as events
from nostrmcp.nostr import strict_json
from nostrmcp.nostr.errors import ErrorClass, Violation
from nostrmcp.nostr.event import Event, UnsignedEvent
from nostrmcp.nostr.keys import PublicKey
from tests.nostr.strategies import (
    ALICE,
    BOB,
    HOSTILE,
    OFF_CURVE,
    TELLING,
    Members,
    almost_events,
    as_json,
    bytes32,
    damaged,
    json_objects,
    json_values,
    misused,
    outcome,
    refused,
    seeds,
    signed,
    signed_events,
    spell,
    texts,
    unsigned,
    unsigned_events,
    with_repeated_key,
)

EVENT = signed(tags=(("e", "00" * 32, "wss://relay.example"), ("t", "a:b")), content="Hello: {world}")
VALUE = as_json(EVENT)


def hashed_by_the_standard_library(event):
    elements = [0, event.pubkey.hex(), event.created_at, event.kind, event.tags, event.content]
    return json.dumps(elements, ensure_ascii=False, separators=(",", ":")).encode()


# Serialization and id


def test_a_known_event():
    # The rumor that NIP-59 prints.
    rumor = UnsignedEvent(
        bytes.fromhex("611df01bfcf85c26ae65453b772d8f1dfd25c264621c0277e1fc1518686faef9"),
        1691518405,
        1,
        (),
        "Are you going to the party tonight?",
    )
    assert rumor.serialize() == (
        b'[0,"611df01bfcf85c26ae65453b772d8f1dfd25c264621c0277e1fc1518686faef9",1691518405,1,[],'
        b'"Are you going to the party tonight?"]'
    )
    assert rumor.id.hex() == "9dd003c6d3b73b74a85a9ab099469ce251653a7af76f523671ab828acd2a0ef9"


@given(unsigned_events())
def test_what_is_hashed_is_what_others_hash(case):
    event, _ = case
    assert event.serialize() == hashed_by_the_standard_library(event)
    assert event.id == hashlib.sha256(event.serialize()).digest()


@given(unsigned_events(), bytes32, bytes32)
def test_the_id_does_not_depend_on_the_signature(case, one, other):
    event, author = case
    first, second = event.sign(author, one), event.sign(author, other)
    assert first.id == second.id == event.id
    assert first.serialize() == second.serialize() == event.serialize()
    assert (first.sig == second.sig) == (one == other)


def test_every_telling_character_is_hashed_as_others_hash_it():
    event = unsigned(content=TELLING, tags=((TELLING, TELLING),))
    assert event.serialize() == hashed_by_the_standard_library(event)


# Sign and verify


@given(unsigned_events(), bytes32)
def test_what_is_signed_verifies(case, aux_rand):
    event, author = case
    result = event.sign(author, aux_rand)
    assert (result.pubkey, result.created_at, result.kind, result.tags, result.content) == (
        event.pubkey, event.created_at, event.kind, event.tags, event.content,
    )  # fmt: skip
    assert result.verify() is None
    assert result.verify(author.public_key) is None


def test_signing_with_anothers_key_is_a_mistake():
    misused(ErrorClass.INVALID_SECRET_KEY, unsigned(ALICE).sign, BOB, bytes(32))


@pytest.mark.parametrize(
    "change",
    [
        {"created_at": EVENT.created_at + 1},
        {"kind": EVENT.kind + 1},
        {"tags": ()},
        {"content": EVENT.content + " "},
        {"pubkey": BOB.public_key.x},
        {"id": bytes(32)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_changed_field_no_longer_fits_the_id(change):
    refused(ErrorClass.ID_MISMATCH, dataclasses.replace(EVENT, **change).verify)


@given(st.integers(0, 511))
def test_a_changed_signature_does_not_verify(bit):
    sig = (int.from_bytes(EVENT.sig, "big") ^ 1 << bit).to_bytes(64, "big")
    refused(ErrorClass.INVALID_SIGNATURE, dataclasses.replace(EVENT, sig=sig).verify)


def test_anothers_signature_does_not_verify():
    event = unsigned(ALICE)
    forged = Event(event.id, event.pubkey, event.created_at, 1, (), "", BOB.sign(event.id, bytes(32)))
    refused(ErrorClass.INVALID_SIGNATURE, forged.verify)
    refused(ErrorClass.INVALID_SIGNATURE, signed(ALICE).verify, BOB.public_key)


def test_an_author_off_the_curve_is_refused():
    event = UnsignedEvent(OFF_CURVE, 0, 1, (), "")
    refused(ErrorClass.INVALID_PUBLIC_KEY, Event(event.id, OFF_CURVE, 0, 1, (), "", bytes(64)).verify)


def test_a_wrong_id_is_found_before_the_signature_is_looked_at():
    refused(ErrorClass.ID_MISMATCH, Event(bytes(32), OFF_CURVE, 0, 1, (), "", bytes(64)).verify)


# Reading what was written


@given(signed_events())
def test_parse_of_dump_is_the_event(event):
    data = event.dump()
    assert json.loads(data) == as_json(event)
    for again in (events.parse(data), events.parse(data.decode()), events.from_value(as_json(event))):
        assert again == event
        assert again.dump() == data
        assert again.serialize() == event.serialize()
        assert hash(again) == hash(event)
        again.verify(PublicKey(event.pubkey))


@given(signed_events(), seeds, st.randoms(use_true_random=False))
def test_every_spelling_and_order_of_an_event_is_that_event(event, seed, chance):
    members = Members(as_json(event).items())
    chance.shuffle(members)
    data = spell(members, seed)
    assert events.parse(data) == event
    assert len(data) >= event.sent_length


@given(signed_events())
def test_the_length_sent_is_known_and_the_shortest(event):
    assert len(event.dump()) == event.sent_length
    assert event.dump() == strict_json.dump(event.to_value())
    assert len(json.dumps(as_json(event), separators=(",", ":"))) >= event.sent_length


@given(texts(200))
@example("")
@example(TELLING)
@example("\0\x1f\x7f" * 20)
def test_the_length_sent_is_known_for_any_content(content):
    event = Event(bytes(32), bytes(32), 0, 0, (), content, bytes(64))
    assert len(event.dump()) == event.sent_length
    assert event.dump() == strict_json.write(event.to_value()).encode()


@pytest.mark.parametrize("created_at", [0, 9, 10, 2**32, 2**63, 2**64 - 1])
@pytest.mark.parametrize("kind", [0, 9, 10, 65535])
def test_numbers_of_any_length_are_sent_and_read(created_at, kind):
    event = signed(created_at=created_at, kind=kind, tags=(("a",), ("b", "")), content=":")
    assert event.dump() == strict_json.dump(event.to_value())
    assert events.parse(event.dump()) == event


@given(signed_events(), json_objects, seeds)
def test_unknown_fields_are_ignored(event, more, seed):
    assert events.parse(spell(more | as_json(event), seed)) == event
    assert events.from_value(more | as_json(event)) == event


@given(unsigned_events())
def test_a_rumor_is_read_from_its_object(case):
    rumor, _ = case
    value = as_json(rumor)
    assert sorted(value) == ["content", "created_at", "id", "kind", "pubkey", "tags"]
    assert events.unsigned_from_value(value) == rumor
    del value["id"]
    assert events.unsigned_from_value(value) == rumor


# Repeated keys


@given(signed_events(), st.data(), seeds)
def test_a_repeated_key_before_the_right_one_is_refused(event, data, seed):
    members = Members(as_json(event).items())
    name = data.draw(st.sampled_from(events.FIELDS))
    position = data.draw(st.integers(0, events.FIELDS.index(name)))
    members.insert(position, (name, data.draw(json_values)))
    refused(ErrorClass.DUPLICATE_KEY, events.parse, spell(members, seed))


@given(signed_events(), st.data(), seeds)
def test_a_repeated_key_anywhere_with_any_value_is_refused(event, data, seed):
    repeated = data.draw(with_repeated_key(as_json(event)))
    assert isinstance(outcome(events.parse, spell(repeated, seed)), Violation)


@given(signed_events(), st.data(), json_objects, seeds)
def test_a_repeated_key_inside_an_unknown_field_is_refused(event, data, inner, seed):
    unknown = data.draw(with_repeated_key({"unknown": [inner]}))
    members = Members([*as_json(event).items(), ("unknown", unknown)])
    refused(ErrorClass.DUPLICATE_KEY, events.parse, spell(members, seed))


@pytest.mark.parametrize("name", events.FIELDS)
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_each_field_named_twice_with_one_value_is_refused(name, separators):
    member = json.dumps({name: VALUE[name]}, separators=separators)[1:-1]
    whole = json.dumps(VALUE, separators=separators)
    refused(ErrorClass.DUPLICATE_KEY, events.parse, "{" + member + separators[0] + whole[1:])
    refused(ErrorClass.DUPLICATE_KEY, events.parse, whole[:-1] + separators[0] + member + "}")


@pytest.mark.parametrize("name", events.FIELDS)
@pytest.mark.parametrize("shortest", ["0", '""', "[]"])
def test_the_shortest_repetition_of_each_field_is_refused(name, shortest):
    text = f'{{"{name}":{shortest},' + EVENT.dump().decode()[1:]
    refused(ErrorClass.DUPLICATE_KEY, events.parse, text)


@pytest.mark.parametrize("key", ['"kind":0,"kind":', '"\\u006bind":0,"kind":', '"kind":0,"\\u006bind":'])
@pytest.mark.parametrize("colon", [":", "\\u003a", "\\u003A"])
def test_an_escaped_colon_hides_no_repeated_key(key, colon):
    text = EVENT.dump().decode().replace("Hello:", "Hello" + colon)
    assert events.parse(text) == EVENT
    # With the colon escaped, the text has as many colons as the event has without the repeated key.
    refused(ErrorClass.DUPLICATE_KEY, events.parse, text.replace('"kind":', key))


# What is refused, each wrong in one way


def without(name):
    return {key: item for key, item in VALUE.items() if key != name}


WRONG = {
    "a list": ([], ErrorClass.NOT_AN_OBJECT),
    "null": (None, ErrorClass.NOT_AN_OBJECT),
    "a string": ("event", ErrorClass.NOT_AN_OBJECT),
    **{f"no {name}": (without(name), ErrorClass.MISSING_FIELD) for name in events.FIELDS},
    **{
        f"{name} {what}": (VALUE | {name: make(VALUE[name])}, error_class)
        for name, error_class in (
            ("id", ErrorClass.MALFORMED_ID),
            ("pubkey", ErrorClass.MALFORMED_PUBKEY),
            ("sig", ErrorClass.MALFORMED_SIG),
        )
        for what, make in (
            ("in upper case", lambda text: "A" + text[1:]),
            ("short", lambda text: text[1:]),
            ("shorter by a byte", lambda text: text[2:]),
            ("long", lambda text: text + "0"),
            ("longer by a byte", lambda text: text + "00"),
            ("with blanks", lambda text: text[:2] + "  " + text[4:]),
            ("with a blank more", lambda text: text[:2] + " " + text[2:]),
            ("not hexadecimal", lambda text: "g" + text[1:]),
            ("with another script's digits", lambda text: "\u0661" + text[1:]),
            ("empty", lambda _: ""),
            ("null", lambda _: None),
            ("a number", lambda _: 1),
            ("a list", lambda _: []),
        )
    },
    **{
        f"created_at {item!r}": (VALUE | {"created_at": item}, ErrorClass.MALFORMED_CREATED_AT)
        for item in (-1, 1.0, 1.5, True, "1", None, [], 2**64, 10**30)
    },
    **{
        f"kind {item!r}": (VALUE | {"kind": item}, ErrorClass.MALFORMED_KIND)
        for item in (-1, 65536, 1.0, False, True, "1", None, {}, 2**64)
    },
    **{
        f"tags {item!r}": (VALUE | {"tags": item}, ErrorClass.MALFORMED_TAGS)
        for item in (None, "", {}, 1, [[]], [["a"], []], ["a"], [["a", 1]], [["a", None]], [[["a"]]], [{"a": 1}], [{}])
    },
    **{
        f"content {item!r}": (VALUE | {"content": item}, ErrorClass.MALFORMED_CONTENT)
        for item in (None, 1, True, [], {}, 1.5)
    },
}


@pytest.mark.parametrize(("value", "error_class"), WRONG.values(), ids=WRONG.keys())
def test_each_way_to_be_wrong_has_its_class(value, error_class):
    refused(error_class, events.from_value, copy.deepcopy(value))
    refused(error_class, events.parse, json.dumps(value))


def test_lengths_that_make_up_for_each_other_are_refused():
    together = VALUE["id"] + VALUE["pubkey"] + VALUE["sig"]
    for first, second, error_class in (
        (62, 128, ErrorClass.MALFORMED_ID),
        (64, 126, ErrorClass.MALFORMED_PUBKEY),
        (66, 128, ErrorClass.MALFORMED_ID),
    ):
        shifted = {"id": together[:first], "pubkey": together[first:second], "sig": together[second:]}
        refused(error_class, events.from_value, VALUE | shifted)


@pytest.mark.parametrize(
    ("field", "item", "error_class"),
    [
        ("created_at", "1e9", ErrorClass.MALFORMED_CREATED_AT),
        ("created_at", "1700000000.0", ErrorClass.MALFORMED_CREATED_AT),
        ("created_at", "18446744073709551616", ErrorClass.MALFORMED_CREATED_AT),
        ("kind", "1e0", ErrorClass.MALFORMED_KIND),
        ("kind", "-1", ErrorClass.MALFORMED_KIND),
        ("kind", "1" * 400, ErrorClass.MALFORMED_KIND),
        ("kind", "01", ErrorClass.INVALID_JSON),
        ("kind", "NaN", ErrorClass.INVALID_JSON),
        ("content", '"\\ud800"', ErrorClass.LONE_SURROGATE),
        ("content", '"\ud800"', ErrorClass.LONE_SURROGATE),
        ("unknown", "[" * 127 + "]" * 127, None),
        ("unknown", "[" * 128 + "]" * 128, ErrorClass.TOO_DEEP),
        ("unknown", "[" * 900 + "]" * 900, ErrorClass.TOO_DEEP),
        ("unknown", "[" * 5000 + "]" * 5000, ErrorClass.TOO_DEEP),
        ("unknown", "[" * 128 + "1.5" + "]" * 128, ErrorClass.TOO_DEEP),
        ("unknown", "1" * 30, None),
        ("unknown", "1" * 400, None),
        ("unknown", "1" * 5000, ErrorClass.NUMBER_OUT_OF_RANGE),
        ("unknown", "1e400", ErrorClass.NUMBER_OUT_OF_RANGE),
    ],
)
def test_what_only_a_text_can_have(field, item, error_class):
    members = {name: json.dumps(value) for name, value in VALUE.items()} | {field: item}
    text = "{" + ",".join(f'"{name}":{value}' for name, value in members.items()) + "}"
    if error_class is None:
        assert events.parse(text) == EVENT
    else:
        refused(error_class, events.parse, text)


@pytest.mark.parametrize("digits", [4214, 4216, 4250, 4300])
def test_an_unknown_field_with_an_integer_near_the_limit_is_ignored_or_refused(digits):
    text = EVENT.dump().decode().replace('{"id"', '{"unknown":' + "1" * digits + ',"id"')
    result = outcome(events.parse, text)
    assert result == EVENT or result.error_class is ErrorClass.NUMBER_OUT_OF_RANGE


def test_bytes_that_are_not_utf8_are_refused():
    refused(ErrorClass.INVALID_UTF8, events.parse, EVENT.dump().replace(b"Hello", b"Hell\xff"))


def test_what_is_missing_is_named():
    assert refused(ErrorClass.MISSING_FIELD, events.from_value, without("sig")).detail == "there is no sig"
    assert refused(ErrorClass.MALFORMED_KIND, events.from_value, VALUE | {"kind": -1}).where == "event.kind"


RUMOR = as_json(unsigned(content="rumor"))
WRONG_RUMORS = {
    "a list": ([], ErrorClass.NOT_AN_OBJECT),
    **{
        f"no {name}": ({key: item for key, item in RUMOR.items() if key != name}, ErrorClass.MISSING_FIELD)
        for name in events.FIELDS[1:6]
    },
    "pubkey": (RUMOR | {"pubkey": RUMOR["pubkey"].upper()}, ErrorClass.MALFORMED_PUBKEY),
    "pubkey null": (RUMOR | {"pubkey": None}, ErrorClass.MALFORMED_PUBKEY),
    "id malformed": (RUMOR | {"id": RUMOR["id"][1:]}, ErrorClass.MALFORMED_ID),
    "id null": (RUMOR | {"id": None}, ErrorClass.MALFORMED_ID),
    "id of another": (RUMOR | {"id": "00" * 32}, ErrorClass.ID_MISMATCH),
    "created_at": (RUMOR | {"created_at": -1}, ErrorClass.MALFORMED_CREATED_AT),
    "kind": (RUMOR | {"kind": "1"}, ErrorClass.MALFORMED_KIND),
    "tags": (RUMOR | {"tags": [[]]}, ErrorClass.MALFORMED_TAGS),
    "content": (RUMOR | {"content": None}, ErrorClass.MALFORMED_CONTENT),
}


@pytest.mark.parametrize(("value", "error_class"), WRONG_RUMORS.values(), ids=WRONG_RUMORS.keys())
def test_each_way_for_a_rumor_to_be_wrong_has_its_class(value, error_class):
    refused(error_class, events.unsigned_from_value, value)


FIELDS = {"pubkey": ALICE.public_key.x, "created_at": 1, "kind": 1, "tags": (("t", "x"),), "content": ""}


@pytest.mark.parametrize(
    ("name", "item", "error_class"),
    [
        ("pubkey", bytes(31), ErrorClass.MALFORMED_PUBKEY),
        ("pubkey", "00" * 32, ErrorClass.MALFORMED_PUBKEY),
        ("pubkey", bytearray(32), ErrorClass.MALFORMED_PUBKEY),
        ("created_at", -1, ErrorClass.MALFORMED_CREATED_AT),
        ("created_at", 2**64, ErrorClass.MALFORMED_CREATED_AT),
        ("created_at", 1.0, ErrorClass.MALFORMED_CREATED_AT),
        ("created_at", True, ErrorClass.MALFORMED_CREATED_AT),
        ("kind", 65536, ErrorClass.MALFORMED_KIND),
        ("kind", -1, ErrorClass.MALFORMED_KIND),
        ("kind", False, ErrorClass.MALFORMED_KIND),
        ("tags", [("t", "x")], ErrorClass.MALFORMED_TAGS),
        ("tags", (["t", "x"],), ErrorClass.MALFORMED_TAGS),
        ("tags", ((),), ErrorClass.MALFORMED_TAGS),
        ("tags", (("t", 1),), ErrorClass.MALFORMED_TAGS),
        ("tags", ("t",), ErrorClass.MALFORMED_TAGS),
        ("content", None, ErrorClass.MALFORMED_CONTENT),
        ("content", b"", ErrorClass.MALFORMED_CONTENT),
    ],
)
def test_building_with_wrong_types_is_a_mistake(name, item, error_class):
    assert UnsignedEvent(**FIELDS).content == ""
    misused(error_class, UnsignedEvent, **(FIELDS | {name: item}))


@pytest.mark.parametrize("change", [{"content": "\ud800"}, {"tags": (("t", "\udfff"),)}])
def test_half_of_a_surrogate_pair_is_never_hashed(change):
    event = UnsignedEvent(**(FIELDS | change))
    misused(ErrorClass.LONE_SURROGATE, event.serialize)
    misused(ErrorClass.LONE_SURROGATE, event.sign, ALICE, bytes(32))


# Anything whatsoever


@given(st.one_of(json_values, almost_events()))
def test_any_json_value_gives_an_event_or_a_violation(value):
    for read in (events.from_value, events.unsigned_from_value):
        result = outcome(read, copy.deepcopy(value))
        if not isinstance(result, Violation):
            assert {name: as_json(result)[name] for name in events.FIELDS[1:6]} == {
                name: value[name] for name in events.FIELDS[1:6]
            }


@given(
    st.one_of(
        st.binary(max_size=50),
        almost_events().flatmap(lambda value: seeds.map(lambda seed: spell(value, seed))),
        damaged(signed_events().map(Event.dump)),
        damaged(signed_events().flatmap(lambda event: seeds.map(lambda seed: spell(as_json(event), seed)))),
    )
)
def test_any_bytes_give_an_event_or_a_violation(data):
    result = outcome(events.parse, data)
    if not isinstance(result, Violation):
        assert events.parse(result.dump()) == result
        outcome(result.verify)


@given(st.text(max_size=50))
def test_any_text_gives_an_event_or_a_violation(text):
    assert isinstance(outcome(events.parse, text), Violation)


@pytest.mark.slow
@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_mebibyte_of_anything_gives_an_event_or_a_violation(data):
    outcome(events.parse, data)
    outcome(events.parse, b'{"unknown":' + data + b"," + EVENT.dump()[1:])
    outcome(events.parse, EVENT.dump().replace(b'"Hello: {world}"', data))
    outcome(events.parse, EVENT.dump().replace(b'"kind":1', b'"kind":' + data))


def test_half_of_a_surrogate_pair_in_a_value_that_another_parser_gave_is_the_peers_fault():
    refused(ErrorClass.LONE_SURROGATE, events.from_value, VALUE | {"content": "\ud800"})
    refused(ErrorClass.LONE_SURROGATE, events.from_value, VALUE | {"tags": [["t", "\udfff"]]})
    refused(ErrorClass.LONE_SURROGATE, events.unsigned_from_value, RUMOR | {"content": "\ud800"})


# Tags and values


def test_access_to_tags():
    event = signed(tags=(("d",), ("e", "1"), ("d", "first", "x"), ("d", "second"), ("empty", "")))
    for one in (event, unsigned(tags=event.tags)):
        assert one.first("d") == "first"
        assert one.values("d") == ("first", "second")
        assert one.first("empty") == ""
        assert one.first("absent") is None
        assert one.values("absent") == ()
    assert signed(tags=(("d",),)).first("d") is None


def test_events_are_values_that_do_not_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        EVENT.content = ""
    with pytest.raises(dataclasses.FrozenInstanceError):
        unsigned().kind = 2
    assert copy.deepcopy(EVENT) == pickle.loads(pickle.dumps(EVENT)) == EVENT
    assert pickle.loads(pickle.dumps(EVENT)).dump() == EVENT.dump()
    assert dataclasses.replace(EVENT, content="x") != EVENT
    assert dataclasses.replace(EVENT, content="x").serialize() != EVENT.serialize()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0123456789abcdef" * 4, True),
        ("0123456789abcdeF" * 4, False),
        ("0" * 63, False),
        ("0" * 65, False),
        ("", False),
        ("0" * 31 + "g" + "0" * 32, False),
        (" " + "0" * 63, False),
        ("\u0660" * 64, False),
    ],
)
def test_is_hex32(text, expected):
    assert events.is_hex32(text) is expected


def test_freeze_tags():
    assert events.freeze_tags([["a", "b"], ("c",)]) == (("a", "b"), ("c",))
    assert events.freeze_tags([]) == ()
