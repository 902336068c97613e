"""The mutator makes what it says, survivors.toml names what exists, and a mutant dies or lives as it must."""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any

import pytest

from nostrmcp.conformance.vectors import Case, load_suites
from tests.mutation import mutation
from tests.mutation.mutants import Mutant, function_of, modules, mutants_in, mutants_of

SOURCE = '''
def bounded(size, limit=10):
    """Whether a size is within its limit."""
    if size is None or not size:
        raise ValueError("there is no size")
    total = size + 1
    return total <= limit
'''


def made(source: str) -> dict[str, FunctionType]:
    defaults = (10,)
    found = mutants_in(source, "some.module")
    return {one.name: FunctionType(one.code, {"ValueError": ValueError}, argdefs=defaults) for one in found}


def test_each_change_is_made_once() -> None:
    assert sorted(made(SOURCE)) == [
        "Add turned `size + 1`",
        "Is turned `size is None`",
        "LtE turned `total <= limit`",
        "and/or swapped `size is None or not size`",
        'not raised `raise ValueError("there is no size")`',
        "not removed `not size`",
        "nothing returned `return total <= limit`",
        "number raised `1`",
    ]


@pytest.mark.parametrize(
    ("name", "size", "value"),
    [
        ("LtE turned `total <= limit`", 9, False),
        ("number raised `1`", 9, False),
        ("Add turned `size + 1`", 11, True),
        ("nothing returned `return total <= limit`", 5, None),
        ('not raised `raise ValueError("there is no size")`', 0, True),
    ],
)
def test_a_mutant_does_what_it_is_called(name: str, size: int, value: Any) -> None:
    assert made(SOURCE)[name](size) is value


@pytest.mark.parametrize("name", ["Is turned `size is None`", "not removed `not size`"])
def test_a_mutant_refuses_what_it_should_not(name: str) -> None:
    with pytest.raises(ValueError, match="there is no size"):
        made(SOURCE)[name](5)


@pytest.mark.parametrize(
    "body",
    [
        'raise Violation(ErrorClass.BATCH, "message", f"of {len(value) + 1} messages")',
        'return ErrorClass.BATCH, "message", "an array"',
        'assert value == 1, "never"',
        '"""A docstring."""',
    ],
)
def test_what_is_said_to_people_is_left_alone(body: str) -> None:
    left = {"not raised", "nothing returned"}
    names = [one.name for one in mutants_in(f"def f(value):\n    {body}\n", "some.module")]
    assert {name.split(" `")[0] for name in names} <= left


def test_lines_are_those_of_the_statement() -> None:
    source = "def f(a):\n    if a:\n        return g(\n            a,\n            1,\n        )\n    return 2 + a\n"
    lines = {one.name: one.lines for one in mutants_in(source, "some.module")}
    assert lines["number raised `1`"] == range(3, 7)
    assert lines["Add turned `2 + a`"] == range(7, 8)


@cache
def everything() -> dict[str, set[str]]:
    """The names of all mutants, by their functions."""
    found: dict[str, set[str]] = {}
    for module in modules():
        for one in mutants_of(module):
            if function_of(one) is not None:
                found.setdefault(one.place, set()).add(one.name)
    return found


@pytest.mark.parametrize("rule", mutation.load_rules(), ids=lambda rule: rule.function)
def test_rules_name_what_exists(rule: mutation.Rule) -> None:
    assert rule.function in everything()
    assert rule.reason.endswith(".")


def test_no_two_rules_are_about_one_mutant() -> None:
    named = [
        (rule.function, name) for rule in mutation.load_rules() for name in rule.mutants or everything()[rule.function]
    ]
    assert len(named) == len(set(named))


def mutant(place: str, name: str) -> Mutant:
    found = (one for one in mutants_of(f"nostrmcp.{place.split(':')[0]}") if (one.place, one.name) == (place, name))
    return next(found)


def cases(suite: str) -> list[Case]:
    return [mutation.as_we_read(case) for one in load_suites() if one.name == suite for case in one.cases]


@pytest.mark.parametrize(
    ("place", "name", "outcome"),
    [
        ("nostr.nip44:calc_padded_len", "number raised `32`", mutation.KILLED),
        # 32 bytes are padded to 32 by the rule for longer ones too.
        ("nostr.nip44:calc_padded_len", "LtE turned `unpadded_len <= 32`", mutation.SURVIVED),
        ("nostr.nip44:decrypt_bytes", "not removed `not hmac.compare_digest(mac, data[-32:])`", mutation.KILLED),
    ],
)
def test_mutants_die_and_live(place: str, name: str, outcome: str) -> None:
    assert mutation.outcome_of(mutant(place, name), cases("common/nip44")) == outcome


def test_a_mutant_without_end_is_killed() -> None:
    endless = mutant("nostr.bip340:point_mul", "statement removed `scalar >>= 1`")
    assert mutation.outcome_of(endless, cases("common/bip340")) == mutation.KILLED


def test_closures_that_were_made_at_import_are_reached() -> None:
    fits = mutant("mcp.shapes:predicate", "NotIn turned `name not in value`")
    assert mutation.outcome_of(fits, cases("contextvm/session-server")) == mutation.KILLED


def test_a_refusal_that_blames_ourselves_is_no_refusal() -> None:
    unchecked = mutant("mcp.jsonrpc:_parse_error", "call removed `_no_violation(_fault_in_error(code, text))`")
    assert mutation.outcome_of(unchecked, cases("contextvm/decode")) == mutation.KILLED


def test_a_mutant_that_ends_an_iteration_is_killed() -> None:
    """Its StopIteration must not end the run over the cases."""
    other = mutant("session.announcing:Announcer.changed", "Eq turned `one.id == link.link.server`")
    assert mutation.outcome_of(other, cases("ctxvm-draft/session-server")) == mutation.KILLED
