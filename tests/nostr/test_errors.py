from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.nostr.errors import ErrorClass, LocalProtocolError, Violation, shown


def test_value_is_the_name_in_lower_case():
    assert [member.value for member in ErrorClass] == [member.name.lower() for member in ErrorClass]


def test_each_member_is_its_string_and_carries_its_own_meaning():
    assert ErrorClass.DUPLICATE_KEY == "duplicate_key"
    assert ErrorClass("duplicate_key") is ErrorClass.DUPLICATE_KEY
    assert ErrorClass.DUPLICATE_KEY.meaning == "a JSON object names the same key twice"
    meanings = [member.meaning for member in ErrorClass]
    assert len(set(meanings)) == len(meanings)
    assert all(meanings)


def test_every_error_class_is_the_subject_of_a_test():
    tests = (path.read_text() for path in Path(__file__).parent.glob("test_*.py") if path.name != Path(__file__).name)
    tested = set(re.findall(r"ErrorClass\.([A-Z0-9_]+)", "".join(tests)))
    assert tested == set(ErrorClass.__members__)


def test_violation_says_what_where_and_why():
    violation = Violation(ErrorClass.MALFORMED_KIND, "event.kind", "not an integer")
    assert (violation.error_class, violation.where, violation.detail) == (
        "malformed_kind",
        "event.kind",
        "not an integer",
    )
    assert str(violation) == "malformed_kind: event.kind: not an integer"


def test_local_protocol_error_says_what_and_why():
    error = LocalProtocolError(ErrorClass.MALFORMED_KIND, "not an integer")
    assert (error.error_class, error.detail) == ("malformed_kind", "not an integer")
    assert str(error) == "malformed_kind: not an integer"


@pytest.mark.parametrize(
    "error",
    [
        Violation(ErrorClass.TOO_DEEP, "JSON", "nested"),
        LocalProtocolError(ErrorClass.TOO_DEEP, "nested"),
    ],
)
def test_errors_survive_pickling(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert copy.error_class is ErrorClass.TOO_DEEP
    assert str(copy) == str(error)


def test_violations_and_misuse_are_told_apart():
    assert not issubclass(Violation, LocalProtocolError)
    assert not issubclass(LocalProtocolError, Violation)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain", "plain"),
        ("it's", "it's"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\n\t\0", "\\n\\t\\x00"),
        ("\u202e\ud800", "\\u202e\\ud800"),
        ("a" * 64, "a" * 64),
        ("a" * 65, "a" * 64 + "..."),
    ],
)
def test_shown(text, expected):
    assert shown(text) == expected


@given(st.text(max_size=200))
def test_shown_is_always_printable_ascii_of_bounded_length(text):
    assert re.fullmatch(r"[ -~]*", shown(text))
    assert len(shown(text)) <= 64 * len("\\U0010ffff") + len("...")
