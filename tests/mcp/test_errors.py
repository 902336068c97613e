from __future__ import annotations

from nostrmcp.mcp import ErrorClass
from nostrmcp.nostr import ErrorClass as NostrErrorClass


def test_every_class_says_what_it_means() -> None:
    for one in ErrorClass:
        assert one.value == one.name.lower()
        assert one.meaning and not one.meaning.endswith(".")
    assert len({one.meaning for one in ErrorClass}) == len(ErrorClass)


def test_no_class_of_another_layer_has_the_same_name() -> None:
    assert {one.value for one in ErrorClass}.isdisjoint(one.value for one in NostrErrorClass)
