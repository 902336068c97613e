from __future__ import annotations

import copy
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nostrmcp.nostr import strict_json
from nostrmcp.nostr.errors import ErrorClass, Violation
from tests.nostr.strategies import (
    HOSTILE,
    MEBIBYTE,
    TELLING,
    damaged,
    json_objects,
    json_values,
    misused,
    outcome,
    refused,
    seeds,
    spell,
    spelled,
    texts,
    values_without_floats,
    with_repeated_key,
)


def identical(one, other):
    """Equality that tells 1 from 1.0 and True, and 0.0 from -0.0."""
    return repr(one) == repr(other)


def nested(depth, inside=b"", opening=b"[", closing=b"]"):
    return opening * depth + inside + closing * depth


# parse: what is kept


@given(spelled(json_values))
def test_every_spelling_of_a_value_gives_that_value(case):
    value, data = case
    assert identical(strict_json.parse(data), value)
    assert identical(strict_json.parse(data.decode()), value)


@given(json_values, st.booleans(), st.sampled_from((None, 2, "\t")))
def test_what_the_standard_library_writes_is_read(value, ensure_ascii, indent):
    assert identical(strict_json.parse(json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)), value)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b"[-123456789012345678901234567890]", [-123456789012345678901234567890]),
        (b'{"a":[{"b":18446744073709551616}],"c":1.5}', {"a": [{"b": 18446744073709551616}], "c": 1.5}),
        (b"[1.5,100000000000000000000]", [1.5, 100000000000000000000]),
        (b"18446744073709551615", 18446744073709551615),
        (b"-9223372036854775809", -9223372036854775809),
        (b"9007199254740993", 9007199254740993),
        (b"-0", 0),
        (b"-0.0", -0.0),
        (b"1E2", 100.0),
        (b"1.0", 1.0),
        (b" [ ] ", []),
        (b'"\\u003a\\/\\ud83d\\ude00"', ":/\U0001f600"),
        (b'{"\\u003a":":","a:b":{":":":"}}', {":": ":", "a:b": {":": ":"}}),
        (b'"\\\\u003a"', "\\u003a"),
        (b'{"":null,"A":1,"a":2}', {"": None, "A": 1, "a": 2}),
    ],
)
def test_parse_keeps_values(data, value):
    assert identical(strict_json.parse(data), value)


@pytest.mark.parametrize("digits", [310, 600])
def test_an_integer_of_many_digits_keeps_its_value(digits):
    assert strict_json.parse(b"1" * digits) == int("1" * digits)
    assert strict_json.parse(b"[1.5,-" + b"1" * digits + b"]") == [1.5, -int("1" * digits)]


@pytest.mark.parametrize("digits", [599, 600, 601, 640, 4300, 4301])
@pytest.mark.parametrize("spelling", ["%s", "[%s]", "[1.5,-%s]", '{"a":{"b":%s}}'])
def test_an_integer_near_the_limit_is_kept_and_can_be_written_or_is_out_of_range(digits, spelling):
    text = spelling % ("1" * digits)
    result = outcome(strict_json.parse, text)
    if isinstance(result, Violation):
        assert result.error_class is ErrorClass.NUMBER_OUT_OF_RANGE
    else:
        assert strict_json.dump(result) == text.encode()


def agrees_with_the_standard_library(data):
    """An independent reading of what is refused, on what json offers for it."""

    def members(pairs):
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError
        return dict(pairs)

    def refuse(_):
        raise ValueError

    try:
        expected = json.loads(data.decode(), object_pairs_hook=members, parse_constant=refuse)
        json.dumps(expected, allow_nan=False, ensure_ascii=False).encode()
    except ValueError:
        assert isinstance(outcome(strict_json.parse, data), Violation)
    else:
        assert identical(strict_json.parse(data), expected)


@given(st.one_of(st.binary(max_size=30), damaged(spelled(json_values).map(lambda case: case[1]))))
@example(b'{"a":1,"\\u0061":1}')
@example(b'["\\ud800"]')
@example(b"[1e400]")
@example(b"\xef\xbb\xbf[]")
def test_any_bytes_are_read_as_the_standard_library_would_or_refused(data):
    agrees_with_the_standard_library(data)


@given(st.text(max_size=30))
def test_any_text_gives_a_value_or_a_violation(text):
    outcome(strict_json.parse, text)


# parse: what is refused


@given(st.data(), st.one_of(json_objects, st.lists(json_objects, min_size=1, max_size=3)), seeds)
def test_a_repeated_key_at_any_depth_in_any_spelling_is_refused(data, value, seed):
    repeated = data.draw(with_repeated_key(value))
    refused(ErrorClass.DUPLICATE_KEY, strict_json.parse, spell(repeated, seed))


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1,"a":1}',
        b'{"a":1,"a":2}',
        b'{"a":1,"b":2,"a":3}',
        b'[[{"x":{"a":1,"a":2}}]]',
        b'{"a":1,"\\u0061":2}',
        b'{"a":{"b":1,"b":2},"a":3}',
        b'{"a":"\\u003a","a":2}',
        b'{"\\u003a":1,":":2}',
        b'{"a":"\\\\u003a","a":2}',
        b'{"a":1.5,"a":2}',
        b'{"":1,"":2}',
        b'{"a":18446744073709551616,"a":2}',
        # The escapes hide as many colons from a count as the repeated key adds.
        b'{"a":"\\u003a\\u003A","a":"::"}',
    ],
)
def test_repeated_keys(data):
    refused(ErrorClass.DUPLICATE_KEY, strict_json.parse, data)


def test_a_repeated_key_that_was_read_one_by_one_is_named_printably():
    violation = refused(ErrorClass.DUPLICATE_KEY, strict_json.parse, b'{"a":0.50,"\\u001b":1,"\\u001b":2}')
    assert violation.detail == "key \\x1b is named twice"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"{",
        b"[1,]",
        b'{"a":1,}',
        b"[1 2]",
        b"1 2",
        b"{}{}",
        b"{}\0",
        b"01",
        b"+1",
        b".5",
        b"1.",
        b"0x10",
        b"'a'",
        b"{a:1}",
        b'"\t"',
        b'"\\x41"',
        b'"\\u12"',
        b"nul",
        b"True",
        b"NaN",
        b"Infinity",
        b"[-Infinity]",
        b"[1]//",
        b"\xef\xbb\xbf{}",
        b"\xc2\xa0[]",
        "\u0661".encode(),
    ],
)
def test_what_is_not_one_json_value(data):
    refused(ErrorClass.INVALID_JSON, strict_json.parse, data)


@pytest.mark.parametrize(
    "data",
    [
        b'"\xff"',
        b'"\xc0\xaf"',
        b'"\xed\xa0\x80"',
        b'"\xf4\x90\x80\x80"',
        b'"\xe2\x82"',
        b'{"\x80":1}',
    ],
)
def test_what_is_not_utf8(data):
    refused(ErrorClass.INVALID_UTF8, strict_json.parse, data)


@pytest.mark.parametrize(
    "data",
    [
        '"\ud800"',
        '{"\udfff":1}',
        b'"\\ud800"',
        b'"\\udc00"',
        b'"\\ud800\\ud800"',
        b'"\\udc00\\ud800"',
        b'["\\uD83Dx"]',
        b'{"\\udfff":1}',
        b'[{"a":"\\ud800"}]',
    ],
)
def test_half_of_a_surrogate_pair(data):
    refused(ErrorClass.LONE_SURROGATE, strict_json.parse, data)


@pytest.mark.parametrize(
    "data",
    [b"1e400", b"[-1e400]", b"1" * 400 + b".5", b"1" * 4301, b"[" + b"9" * 5000 + b"]", b"1" * MEBIBYTE],
)
def test_numbers_that_cannot_be_kept(data):
    refused(ErrorClass.NUMBER_OUT_OF_RANGE, strict_json.parse, data)


@pytest.mark.parametrize("inside", [b"", b"0", b'"x"', b"1.5", b"1.50", b"18446744073709551616", b"1" * 400])
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":[', b"]}")])
def test_depth_is_limited_whatever_is_inside(inside, opening, closing):
    levels = opening.count(b"[") + opening.count(b"{")
    deepest = strict_json.MAX_DEPTH // levels
    assert strict_json.MAX_DEPTH == 128
    assert type(strict_json.parse(nested(deepest, inside, opening, closing))) in (list, dict)
    for depth in (deepest + 1, 200, 300, 600):
        refused(ErrorClass.TOO_DEEP, strict_json.parse, nested(depth, inside, opening, closing))


def test_the_deepest_object_may_stand_beside_many_others():
    data = b"[" + b"[]," * 500 + nested(127) + b"]"
    assert len(strict_json.parse(data)) == 501
    refused(ErrorClass.TOO_DEEP, strict_json.parse, b"[" + b"[]," * 500 + nested(128) + b"]")


def test_brackets_in_strings_are_no_depth():
    assert strict_json.parse(b'["' + b"[" * 1000 + b'"]') == ["[" * 1000]


# parse: what is meant to be costly


@pytest.mark.slow
@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_mebibyte_of_anything_gives_a_value_or_a_violation(data):
    outcome(strict_json.parse, data)
    outcome(strict_json.parse, data.decode("latin-1"))


@pytest.mark.slow
def test_a_mebibyte_that_is_valid_is_read():
    assert len(strict_json.parse(HOSTILE["sibling arrays"])) == MEBIBYTE // 3 + 1
    assert strict_json.parse(HOSTILE["colon escapes"]) == ":" * (MEBIBYTE // 6)
    assert sum(strict_json.parse(HOSTILE["floats"])) == 1.5 * (MEBIBYTE // 4 + 1)


# dump and write


@given(values_without_floats)
def test_dump_is_the_readable_writer(value):
    assert strict_json.dump(value) == strict_json.write(value).encode()
    assert strict_json.dump_flat(value) == strict_json.write(value).encode()


@given(texts(200))
def test_dump_of_text_is_the_readable_writer(text):
    assert strict_json.dump(text) == strict_json.write(text).encode()


def test_dump_of_every_character_of_the_first_planes_border_is_the_readable_writer():
    for start in (0, 0x2000, 0xD700, 0xE000, 0xFF00, 0x1F600, 0x10FF00):
        text = "".join(map(chr, range(start, start + 0x100)))
        assert strict_json.dump(text) == strict_json.write(text).encode()


@given(json_values)
def test_parse_of_dump_is_the_value(value):
    assert identical(strict_json.parse(strict_json.dump(value)), value)
    assert identical(strict_json.parse(strict_json.write(value)), value)


@given(json_values)
def test_dump_changes_nothing(value):
    before = copy.deepcopy(value)
    strict_json.dump(value)
    assert identical(value, before)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, b"null"),
        (True, b"true"),
        (False, b"false"),
        (0, b"0"),
        (-1, b"-1"),
        (2**64, b"18446744073709551616"),
        (1.5, b"1.5"),
        ("null", b'"null"'),
        ([None, 1.5], b"[null,1.5]"),
        ((1, (2,)), b"[1,[2]]"),
        ({"b": 1, "a": [2**70]}, b'{"b":1,"a":[1180591620717411303424]}'),
        ({"a": 2**70, "b": 0.5}, b'{"a":1180591620717411303424,"b":0.5}'),
        ('\b\t\n\f\r"\\', b'"\\b\\t\\n\\f\\r\\"\\\\"'),
        ("\0\x01\x0b\x1b\x1f", b'"\\u0000\\u0001\\u000b\\u001b\\u001f"'),
        ("/\x7f\u2028\u2029\xe9\U0001f600", b'"/\x7f\xe2\x80\xa8\xe2\x80\xa9\xc3\xa9\xf0\x9f\x98\x80"'),
    ],
)
def test_dump_gives_the_bytes_that_are_hashed(value, text):
    assert strict_json.dump(value) == text
    assert strict_json.write(value).encode() == text


def test_every_telling_character_is_written_alike():
    for character in TELLING:
        assert strict_json.dump({character: character}) == strict_json.write({character: character}).encode()


def chain(depth, inside=0):
    value = inside
    for _ in range(depth):
        value = [value]
    return value


def circle():
    value = []
    value.append(value)
    return value


UNWRITABLE = {
    "NaN": (float("nan"), ErrorClass.INVALID_JSON),
    "infinity in a list": ([1, None, float("inf")], ErrorClass.INVALID_JSON),
    "infinity beside a large integer": ([2**70, float("-inf")], ErrorClass.INVALID_JSON),
    "bytes": (b"a", ErrorClass.INVALID_JSON),
    "a set": ({"a": {1}}, ErrorClass.INVALID_JSON),
    "a key that is no string": ({1: 2}, ErrorClass.INVALID_JSON),
    "an integer that cannot be read back": (10**4300, ErrorClass.INVALID_JSON),
    "an object": (object(), ErrorClass.INVALID_JSON),
    "half a pair": ("\ud800", ErrorClass.LONE_SURROGATE),
    "half a pair in a key": ({"\udfff": 1}, ErrorClass.LONE_SURROGATE),
    "129 levels": (chain(129), ErrorClass.TOO_DEEP),
    "129 levels of a large integer": (chain(129, 2**70), ErrorClass.TOO_DEEP),
    "1000 levels": (chain(1000), ErrorClass.TOO_DEEP),
    "a circle": (circle(), ErrorClass.TOO_DEEP),
}


@pytest.mark.parametrize(("value", "error_class"), UNWRITABLE.values(), ids=UNWRITABLE.keys())
def test_what_parse_would_refuse_is_not_written(value, error_class):
    misused(error_class, strict_json.dump, value)
    misused(error_class, strict_json.write, value)


@pytest.mark.parametrize("inside", [0, 2**70, 1.5])
def test_the_deepest_value_is_written(inside):
    assert strict_json.dump(chain(128, inside)) == strict_json.write(chain(128, inside)).encode()


def test_a_tuple_counts_as_a_level():
    value = 0
    for _ in range(129):
        value = (value,)
    misused(ErrorClass.TOO_DEEP, strict_json.dump, value)


def test_a_shallow_value_with_many_brackets_is_written():
    assert strict_json.dump([[]] * 200) == b"[" + b",".join([b"[]"] * 200) + b"]"


@pytest.mark.parametrize("data", [None, 1, bytearray(b"{}"), {}])
def test_what_is_no_text_is_the_callers_mistake(data):
    with pytest.raises(TypeError, match="bytes or str"):
        strict_json.parse(data)


def test_a_lone_surrogate_behind_a_large_integer_is_found():
    refused(ErrorClass.LONE_SURROGATE, strict_json.parse, b"[" + b"1" * 400 + b',"\\ud800"]')


@pytest.mark.parametrize("text", ["\\u003a", "\\u003A", "\\\\u003a", "\\\\\\u003a", "\\\\\\\\u003A:", "\\n\\\\u003a"])
def test_escaped_colons_and_escaped_backslashes_before_them_are_told_apart(text):
    good = f'{{"a" : "{text}", "b":"{text}"}}'
    assert strict_json.parse(good) == json.loads(good)
    refused(ErrorClass.DUPLICATE_KEY, strict_json.parse, f'{{"a" : "{text}", "a":"{text}"}}')
