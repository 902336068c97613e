"""NIP-01 filters, kind classes, and which of two replaceable events stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from . import event as events
from .errors import ErrorClass, LocalProtocolError, Violation, shown
from .event import Event

_LISTS = {"ids", "authors", "kinds"}
_NUMBERS = {"since", "until", "limit"}
_HEX_LISTS = {"ids", "authors", "#e", "#p"}
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter of a REQ. A field that is None or missing sets no condition.

    `tags` maps a tag's single letter to the values wanted for it. One that no relay may take is a LocalProtocolError.
    """

    ids: frozenset[bytes] | None = None
    authors: frozenset[bytes] | None = None
    kinds: frozenset[int] | None = None
    tags: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    since: int | None = None
    until: int | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        lists = [self.ids, self.authors, self.kinds, *self.tags.values()]
        keys = [*(self.ids or ()), *(self.authors or ())]
        numbers = [one for one in (self.since, self.until, self.limit) if one is not None]
        if (
            any(one is not None and not one for one in lists)
            or any(len(key) != 32 for key in keys)
            or any(not 0 <= kind <= events.MAX_KIND for kind in self.kinds or ())
            or any(not 0 <= number <= events.MAX_CREATED_AT for number in numbers)
            or not _LETTERS.issuperset(self.tags)
            or not all(events.is_hex32(value) for letter in "ep" for value in self.tags.get(letter, ()))
        ):
            raise LocalProtocolError(ErrorClass.MALFORMED_FILTER, "a list is empty or a value is out of its range")

    def matches(self, event: Event) -> bool:
        """Whether the event meets every condition (NIP01-FILTER-01, NIP01-FILTER-02, NIP01-FILTER-04, NIP01-FILTER-05).

        `limit` plays no part: it is about the initial query only (NIP01-FILTER-06).
        """
        return (
            (self.ids is None or event.id in self.ids)
            and (self.authors is None or event.pubkey in self.authors)
            and (self.kinds is None or event.kind in self.kinds)
            and (self.since is None or event.created_at >= self.since)
            and (self.until is None or event.created_at <= self.until)
            and all(not wanted.isdisjoint(event.values(letter)) for letter, wanted in self.tags.items())
        )

    def to_value(self) -> dict[str, Any]:
        """The filter as a JSON object, lists sorted so that equal filters are written alike."""
        value: dict[str, Any] = {}
        if self.ids is not None:
            value["ids"] = sorted(item.hex() for item in self.ids)
        if self.authors is not None:
            value["authors"] = sorted(item.hex() for item in self.authors)
        if self.kinds is not None:
            value["kinds"] = sorted(self.kinds)
        for letter, wanted in self.tags.items():
            value[f"#{letter}"] = sorted(wanted)
        for name in ("since", "until", "limit"):
            number = getattr(self, name)
            if number is not None:
                value[name] = number
        return value


def parse(value: Any) -> Filter:
    """A filter from a parsed JSON object.

    Lists have at least one value (NIP01-FILTER-07); ids, authors, #e and #p are 64 lower-case hexadecimal digits
    (NIP01-FILTER-08); a field that NIP-01 does not define is refused, as a filter understood in part would let through
    what its author excluded (NIP01-FILTER-09).
    """
    if type(value) is not dict:
        raise Violation(ErrorClass.NOT_AN_OBJECT, "filter", "a filter is a JSON object")
    conditions: dict[str, Any] = {}
    tags: dict[str, frozenset[str]] = {}
    for name, given in value.items():
        if name in _LISTS:
            conditions[name] = _list(name, given)
        elif name in _NUMBERS:
            if type(given) is not int or not 0 <= given <= events.MAX_CREATED_AT:
                raise _malformed(name, "not a non-negative integer")
            conditions[name] = given
        elif len(name) == 2 and name[0] == "#" and name[1] in _LETTERS:
            tags[name[1]] = _list(name, given)
        else:
            raise Violation(ErrorClass.UNKNOWN_FILTER_FIELD, "filter", f"{shown(name)} is not a filter field")
    return Filter(tags=tags, **conditions)


def matches_any(filters: Iterable[Filter], event: Event) -> bool:
    """Whether the event matches at least one of the filters of a REQ (NIP01-FILTER-03)."""
    return any(one.matches(event) for one in filters)


def _list(name: str, given: Any) -> frozenset[Any]:
    if type(given) is not list or not given:
        raise _malformed(name, "not a list with at least one value")
    if name == "kinds":
        if not all(type(kind) is int and 0 <= kind <= events.MAX_KIND for kind in given):
            raise _malformed(name, f"a kind is not an integer from 0 to {events.MAX_KIND}")
        return frozenset(given)
    if not all(type(item) is str for item in given):
        raise _malformed(name, "not a list of strings")
    if name in _HEX_LISTS and not all(events.is_hex32(item) for item in given):
        raise _malformed(name, "a value is not 64 lower-case hexadecimal digits")
    return frozenset(map(bytes.fromhex, given)) if name in _LISTS else frozenset(given)


def _malformed(name: str, detail: str) -> Violation:
    return Violation(ErrorClass.MALFORMED_FILTER, f"filter.{name}", detail)


class KindClass(StrEnum):
    """How relays treat a kind. NIP-01 gives no class to 45-999 and 40000-65535."""

    REGULAR = "regular"
    REPLACEABLE = "replaceable"
    EPHEMERAL = "ephemeral"
    ADDRESSABLE = "addressable"
    UNDEFINED = "undefined"


_KIND_RANGES = (
    (0, 0, KindClass.REPLACEABLE),
    (1, 2, KindClass.REGULAR),
    (3, 3, KindClass.REPLACEABLE),
    (4, 44, KindClass.REGULAR),
    (1_000, 9_999, KindClass.REGULAR),
    (10_000, 19_999, KindClass.REPLACEABLE),
    (20_000, 29_999, KindClass.EPHEMERAL),
    (30_000, 39_999, KindClass.ADDRESSABLE),
)


def kind_class(kind: int) -> KindClass:
    """The class of a kind by its range (NIP01-KIND-01)."""
    for first, last, its_class in _KIND_RANGES:
        if first <= kind <= last:
            return its_class
    return KindClass.UNDEFINED


def address(event: Event) -> str | None:
    """`kind:pubkey:d` of an addressable event, `kind:pubkey:` of a replaceable one, else None (NIP01-ADDR-01)."""
    its_class = kind_class(event.kind)
    if its_class is KindClass.REPLACEABLE:
        return f"{event.kind}:{event.pubkey.hex()}:"
    if its_class is KindClass.ADDRESSABLE:
        identifier = next((tag[1:2] for tag in event.tags if tag[0] == "d"), ())
        return f"{event.kind}:{event.pubkey.hex()}:{''.join(identifier)}"
    return None


def newest_first(event: Event) -> tuple[int, bytes]:
    """Sort key: the latest comes first, and of two in one second the lower id (NIP01-FILTER-10)."""
    return -event.created_at, event.id


def replaces(candidate: Event, held: Event) -> bool:
    """Whether `candidate` takes the place of `held`: same address, and later, or as late with a lower id.

    NIP01-REPL-01, NIP01-REPL-02.
    """
    its_address = address(candidate)
    if its_address is None or its_address != address(held):
        return False
    return newest_first(candidate) < newest_first(held)
