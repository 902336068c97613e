from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nostrmcp.nostr import relay_frames
from nostrmcp.nostr.errors import ErrorClass, Violation
from nostrmcp.nostr.event import FIELDS
from nostrmcp.nostr.filters import Filter
from nostrmcp.nostr.relay_frames import (
    Authenticate,
    Challenge,
    Close,
    Closed,
    Deliver,
    Eose,
    Notice,
    Ok,
    Prefix,
    Publish,
    Req,
    parse_client_frame,
    parse_relay_frame,
)
from tests.nostr.strategies import (
    HOSTILE,
    Members,
    almost_events,
    as_json,
    built_filters,
    bytes32,
    characters,
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
    with_repeated_key,
)

EVENT = signed(content="a: {b}", tags=(("t", ":"),))
VALUE = as_json(EVENT)
ID = EVENT.id.hex()

subscription_ids = st.text(characters, min_size=1, max_size=64)
requests = st.builds(Req, subscription_ids, st.lists(built_filters, min_size=1, max_size=2).map(tuple))
# In a REQ every further element is a filter; these have an end.
bounded_client_frames = st.one_of(
    st.builds(Publish, signed_events()), st.builds(Authenticate, signed_events()), st.builds(Close, subscription_ids)
)
client_frames = st.one_of(bounded_client_frames, requests)
relay_side_frames = st.one_of(
    st.builds(Deliver, subscription_ids, signed_events()),
    st.builds(Ok, bytes32, st.booleans(), texts()),
    st.builds(Eose, subscription_ids),
    st.builds(Closed, subscription_ids, texts()),
    st.builds(Notice, texts()),
    st.builds(Challenge, texts()),
)


# Written and read


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (Publish(EVENT), '["EVENT",' + EVENT.dump().decode() + "]"),
        (Authenticate(EVENT), '["AUTH",' + EVENT.dump().decode() + "]"),
        (Req("s", (Filter(), Filter(kinds=frozenset({1}), limit=0))), '["REQ","s",{},{"kinds":[1],"limit":0}]'),
        (Close("s"), '["CLOSE","s"]'),
    ],
)
def test_client_frames_written_out(frame, text):
    assert frame.dump() == text.encode()
    assert parse_client_frame(text) == parse_client_frame(text.encode()) == frame


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (Deliver('"\n', EVENT), '["EVENT","\\"\\n",' + EVENT.dump().decode() + "]"),
        (Ok(EVENT.id, True, ""), f'["OK","{ID}",true,""]'),
        (Ok(EVENT.id, False, "pow: more"), f'["OK","{ID}",false,"pow: more"]'),
        (Eose("s"), '["EOSE","s"]'),
        (Closed("s", "error: x"), '["CLOSED","s","error: x"]'),
        (Notice("hello"), '["NOTICE","hello"]'),
        (Challenge("c"), '["AUTH","c"]'),
    ],
)
def test_relay_frames_written_out(frame, text):
    assert frame.dump() == text.encode()
    assert parse_relay_frame(text) == parse_relay_frame(text.encode()) == frame


@given(client_frames, seeds)
def test_a_client_frame_is_read_as_it_is_written_in_any_spelling(frame, seed):
    assert parse_client_frame(frame.dump()) == frame
    assert parse_client_frame(spell(json.loads(frame.dump()), seed)) == frame


@given(relay_side_frames, seeds)
def test_a_relay_frame_is_read_as_it_is_written_in_any_spelling(frame, seed):
    assert parse_relay_frame(frame.dump()) == frame
    assert parse_relay_frame(spell(json.loads(frame.dump()), seed)) == frame


@given(bounded_client_frames, st.lists(json_values, min_size=1, max_size=2), seeds)
def test_more_elements_of_a_client_frame_are_ignored(frame, more, seed):
    assert parse_client_frame(spell(json.loads(frame.dump()) + more, seed)) == frame


@given(relay_side_frames, st.lists(json_values, min_size=1, max_size=2), seeds)
def test_more_elements_of_a_relay_frame_are_ignored(frame, more, seed):
    assert parse_relay_frame(spell(json.loads(frame.dump()) + more, seed)) == frame


@given(signed_events(), json_objects, seeds)
def test_unknown_fields_of_an_event_are_ignored(event, more, seed):
    value = more | as_json(event)
    assert parse_client_frame(spell(["EVENT", value], seed)) == Publish(event)
    assert parse_relay_frame(spell(["EVENT", "s", value], seed)) == Deliver("s", event)


@pytest.mark.parametrize(
    ("message", "prefix"),
    [
        ("", Prefix.NONE),
        ("no prefix", Prefix.NONE),
        (": empty", Prefix.NONE),
        ("two words: x", Prefix.NONE),
        ("duplicate: already have it", Prefix.DUPLICATE),
        ("pow:", Prefix.POW),
        ("blocked: x", Prefix.BLOCKED),
        ("rate-limited: x: y", Prefix.RATE_LIMITED),
        ("invalid: x", Prefix.INVALID),
        ("restricted: x", Prefix.RESTRICTED),
        ("mute: x", Prefix.MUTE),
        ("error: x", Prefix.ERROR),
        ("auth-required: x", Prefix.AUTH_REQUIRED),
        ("unsupported: x", Prefix.UNSUPPORTED),
        ("Duplicate: x", Prefix.OTHER),
        ("other: x", Prefix.OTHER),
        ("unheard-of: x", Prefix.OTHER),
    ],
)
def test_prefixes(message, prefix):
    assert relay_frames.prefix_of(message) is prefix
    assert Ok(bytes(32), False, message).prefix is prefix
    assert Closed("s", message).prefix is prefix


# What is refused


@pytest.mark.parametrize("text", ["{}", "null", '"EVENT"', "[]", "[1]", "[null]", '[["EVENT"]]', '[{"EVENT":1}]', "1"])
def test_what_is_no_frame(text):
    refused(ErrorClass.MALFORMED_FRAME, parse_client_frame, text)
    refused(ErrorClass.MALFORMED_FRAME, parse_relay_frame, text)


@pytest.mark.parametrize("name", ["", "event", "EVENT ", "COUNT", "OK", "EOSE", "CLOSED", "NOTICE", "\x1b"])
def test_what_a_relay_does_not_receive(name):
    refused(ErrorClass.UNKNOWN_FRAME, parse_client_frame, json.dumps([name, "s"]))


@pytest.mark.parametrize("name", ["", "event", "REQ", "CLOSE", "COUNT", "\x1b"])
def test_what_a_client_does_not_receive(name):
    refused(ErrorClass.UNKNOWN_FRAME, parse_relay_frame, json.dumps([name, "s"]))


def test_an_unknown_type_is_named_printably():
    violation = refused(ErrorClass.UNKNOWN_FRAME, parse_relay_frame, '["\\u001b[31m"]')
    assert violation.detail == "\\x1b[31m is not a message this side receives"


@pytest.mark.parametrize("frame", [["EVENT"], ["AUTH"], ["REQ"], ["REQ", "s"], ["CLOSE"]])
def test_client_frames_that_are_too_short(frame):
    refused(ErrorClass.MALFORMED_FRAME, parse_client_frame, json.dumps(frame))


@pytest.mark.parametrize(
    "frame",
    [
        ["EVENT"],
        ["EVENT", "s"],
        ["OK"],
        ["OK", ID, True],
        ["OK", ID, 1, ""],
        ["OK", ID, "true", ""],
        ["OK", ID, None, ""],
        ["OK", ID, True, None],
        ["EOSE"],
        ["CLOSED", "s"],
        ["CLOSED", "s", 1],
        ["NOTICE"],
        ["NOTICE", None],
        ["NOTICE", ["a"]],
        ["AUTH"],
        ["AUTH", 1],
        ["AUTH", VALUE],
    ],
)
def test_relay_frames_that_are_too_short_or_of_wrong_types(frame):
    assert refused(ErrorClass.MALFORMED_FRAME, parse_relay_frame, json.dumps(frame)).where == frame[0]


@pytest.mark.parametrize("event_id", [None, 1, "", ID.upper(), ID[1:], ID + "0", [ID]])
def test_an_ok_for_what_is_no_id(event_id):
    refused(ErrorClass.MALFORMED_ID, parse_relay_frame, json.dumps(["OK", event_id, True, ""]))


@pytest.mark.parametrize("subscription_id", ["", "x" * 65, None, 1, ["s"], True])
def test_subscription_ids_that_are_none(subscription_id):
    for frame in (["REQ", subscription_id, {}], ["CLOSE", subscription_id]):
        refused(ErrorClass.MALFORMED_SUBSCRIPTION_ID, parse_client_frame, json.dumps(frame))
    for frame in (["EVENT", subscription_id, VALUE], ["EOSE", subscription_id], ["CLOSED", subscription_id, ""]):
        refused(ErrorClass.MALFORMED_SUBSCRIPTION_ID, parse_relay_frame, json.dumps(frame))


@pytest.mark.parametrize("subscription_id", ["x", "x" * 64, "\U0001f600" * 64])
def test_the_longest_subscription_ids(subscription_id):
    assert parse_client_frame(Close(subscription_id).dump()) == Close(subscription_id)
    assert parse_relay_frame(Deliver(subscription_id, EVENT).dump()) == Deliver(subscription_id, EVENT)


@pytest.mark.parametrize("subscription_id", ["", "x" * 65])
def test_writing_what_would_not_be_read_is_a_mistake(subscription_id):
    for frame in (
        Req(subscription_id, (Filter(),)),
        Close(subscription_id),
        Deliver(subscription_id, EVENT),
        Eose(subscription_id),
        Closed(subscription_id, ""),
    ):
        misused(ErrorClass.MALFORMED_SUBSCRIPTION_ID, frame.dump)


def test_a_request_without_a_filter_is_a_mistake():
    misused(ErrorClass.MALFORMED_FRAME, Req("s", ()).dump)


@pytest.mark.parametrize("message", ["\ud800", "a\udfff"])
def test_half_of_a_surrogate_pair_is_never_written(message):
    for frame in (
        Notice(message),
        Ok(bytes(32), True, message),
        Closed("s", message),
        Challenge(message),
        Eose(message),
        Deliver(message, EVENT),
    ):
        misused(ErrorClass.LONE_SURROGATE, frame.dump)


@pytest.mark.parametrize(
    ("value", "error_class"),
    [
        ([], ErrorClass.NOT_AN_OBJECT),
        ("event", ErrorClass.NOT_AN_OBJECT),
        ({}, ErrorClass.MISSING_FIELD),
        (VALUE | {"kind": -1}, ErrorClass.MALFORMED_KIND),
        (VALUE | {"id": ID.upper()}, ErrorClass.MALFORMED_ID),
    ],
)
def test_an_event_inside_is_of_the_right_shape(value, error_class):
    refused(error_class, parse_client_frame, json.dumps(["EVENT", value]))
    refused(error_class, parse_client_frame, json.dumps(["AUTH", value]))
    refused(error_class, parse_relay_frame, json.dumps(["EVENT", "s", value]))


@pytest.mark.parametrize(
    ("value", "error_class"),
    [
        ([], ErrorClass.NOT_AN_OBJECT),
        ({"kinds": []}, ErrorClass.MALFORMED_FILTER),
        ({"limit": 2**64}, ErrorClass.MALFORMED_FILTER),
        ({"search": "x"}, ErrorClass.UNKNOWN_FILTER_FIELD),
    ],
)
def test_filters_inside_are_of_the_right_shape(value, error_class):
    refused(error_class, parse_client_frame, json.dumps(["REQ", "s", {}, value]))


UNREADABLE = {
    "not JSON": (b'["EOSE","s"', ErrorClass.INVALID_JSON),
    "more data": (b'["EOSE","s"] 1', ErrorClass.INVALID_JSON),
    "not UTF-8": (b'["EOSE","\xff"]', ErrorClass.INVALID_UTF8),
    "half a pair": ('["EOSE","\ud800"]', ErrorClass.LONE_SURROGATE),
    "half a pair, escaped": (b'["EOSE","\\ud800"]', ErrorClass.LONE_SURROGATE),
    "too deep": (b'["EOSE","s",' + b"[" * 128 + b"]" * 128 + b"]", ErrorClass.TOO_DEEP),
    "far too deep": (b'["EOSE","s",' + b"[" * 5000 + b"]" * 5000 + b"]", ErrorClass.TOO_DEEP),
    "too deep with a float": (b'["EOSE","s",' + b"[" * 128 + b"1.5" + b"]" * 128 + b"]", ErrorClass.TOO_DEEP),
    "a number too large": (b'["EOSE","s",1e400]', ErrorClass.NUMBER_OUT_OF_RANGE),
    "a repeated key": (b'["EOSE","s",{"a":1,"a":1}]', ErrorClass.DUPLICATE_KEY),
}


@pytest.mark.parametrize(("data", "error_class"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_what_is_not_strict_json(data, error_class):
    refused(error_class, parse_relay_frame, data)
    close = data.replace("EOSE", "CLOSE") if isinstance(data, str) else data.replace(b"EOSE", b"CLOSE")
    refused(error_class, parse_client_frame, close)


@pytest.mark.parametrize("digits", [30, 400, 600, 601, 4300, 4301])
def test_a_further_element_with_a_large_integer_is_ignored_or_refused(digits):
    number = b"1" * digits
    event = EVENT.dump()
    for parse, before in (
        (parse_client_frame, b'["CLOSE","s"'),
        (parse_client_frame, b'["EVENT",' + event),
        (parse_relay_frame, b'["EOSE","s"'),
        (parse_relay_frame, b'["EVENT","s",' + event),
    ):
        result = outcome(parse, before + b"," + number + b"]")
        if isinstance(result, Violation):
            assert digits > 600
            assert result.error_class is ErrorClass.NUMBER_OUT_OF_RANGE
        else:
            assert result == parse(before + b"]")


# Repeated keys


@given(signed_events(), subscription_ids, st.data(), seeds)
def test_a_repeated_key_before_the_right_one_is_refused(event, subscription_id, data, seed):
    members = Members(as_json(event).items())
    name = data.draw(st.sampled_from(FIELDS))
    members.insert(data.draw(st.integers(0, FIELDS.index(name))), (name, data.draw(json_values)))
    refused(ErrorClass.DUPLICATE_KEY, parse_client_frame, spell(["EVENT", members], seed))
    refused(ErrorClass.DUPLICATE_KEY, parse_client_frame, spell(["AUTH", members], seed))
    refused(ErrorClass.DUPLICATE_KEY, parse_relay_frame, spell(["EVENT", subscription_id, members], seed))


@given(signed_events(), st.data(), seeds)
def test_a_repeated_key_anywhere_with_any_value_is_refused(event, data, seed):
    repeated = data.draw(with_repeated_key([as_json(event), {}]))
    assert isinstance(outcome(parse_client_frame, spell(["EVENT", *repeated], seed)), Violation)
    assert isinstance(outcome(parse_client_frame, spell(["AUTH", *repeated], seed)), Violation)
    assert isinstance(outcome(parse_relay_frame, spell(["EVENT", "s", *repeated], seed)), Violation)


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_each_field_named_twice_with_one_value_is_refused(name, separators):
    member = json.dumps({name: VALUE[name]}, separators=separators)[1:-1]
    whole = json.dumps(VALUE, separators=separators)
    for event in ("{" + member + separators[0] + whole[1:], whole[:-1] + separators[0] + member + "}"):
        refused(ErrorClass.DUPLICATE_KEY, parse_client_frame, f'["EVENT",{event}]')
        refused(ErrorClass.DUPLICATE_KEY, parse_relay_frame, f'["EVENT","s",{event}]')


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("shortest", ["0", '""', "[]"])
def test_the_shortest_repetition_of_each_field_is_refused(name, shortest):
    event = f'{{"{name}":{shortest},' + EVENT.dump().decode()[1:]
    refused(ErrorClass.DUPLICATE_KEY, parse_client_frame, f'["EVENT",{event}]')
    refused(ErrorClass.DUPLICATE_KEY, parse_client_frame, f'["AUTH",{event}]')
    refused(ErrorClass.DUPLICATE_KEY, parse_relay_frame, f'["EVENT","s",{event}]')


def test_a_repeated_key_in_a_filter_is_refused():
    refused(ErrorClass.DUPLICATE_KEY, parse_client_frame, '["REQ","s",{"limit":1,"limit":2}]')
    refused(ErrorClass.DUPLICATE_KEY, parse_client_frame, '["REQ","s",{"#t":["\\u003a"],"\\u0023t":["a"]}]')


# Anything whatsoever

frame_names = st.sampled_from(("EVENT", "AUTH", "REQ", "CLOSE", "OK", "EOSE", "CLOSED", "NOTICE"))
almost_frames = st.tuples(
    frame_names,
    st.lists(
        st.one_of(json_values, st.just("s"), st.just(ID), st.booleans(), almost_events(), json_objects), max_size=3
    ),
).map(lambda parts: [parts[0], *parts[1]])


@given(
    st.one_of(
        st.binary(max_size=40),
        almost_frames.flatmap(lambda value: seeds.map(lambda seed: spell(value, seed))),
        damaged(st.one_of(client_frames, relay_side_frames).map(lambda frame: frame.dump())),
    )
)
@example(b'["REQ","s",{"limit":1.5}]')
@example(b'["EVENT",[]]')
def test_any_bytes_give_a_frame_or_a_violation(data):
    for parse in (parse_client_frame, parse_relay_frame):
        result = outcome(parse, data)
        if not isinstance(result, Violation):
            assert parse(result.dump()) == result


@given(st.text(max_size=40))
def test_any_text_gives_a_frame_or_a_violation(text):
    assert isinstance(outcome(parse_client_frame, text), Violation)
    assert isinstance(outcome(parse_relay_frame, text), Violation)


@pytest.mark.slow
@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_mebibyte_of_anything_in_a_frame_gives_a_frame_or_a_violation(data):
    outcome(parse_relay_frame, b'["NOTICE",' + data + b"]")
    outcome(parse_client_frame, b'["REQ","s",' + data + b"]")
    outcome(parse_client_frame, b'["EVENT",' + EVENT.dump() + b"," + data + b"]")


@pytest.mark.parametrize("event_id", [b"", bytes(31), bytes(33)])
def test_an_ok_for_what_is_no_id_is_a_mistake(event_id):
    misused(ErrorClass.MALFORMED_ID, relay_frames.Ok(event_id, True, "").dump)
