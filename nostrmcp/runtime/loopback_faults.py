"""What a relay may be told to do wrong, as data: `NAME`, `NAME=VALUE`, and conditions after colons.

`delay=0.5:kind=25910:after=1:times=3` holds the second to fourth events of kind 25910 back for half a second.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from ..nostr import Event
from ..nostr.event import MAX_KIND


class FaultName(StrEnum):
    """The faults; each member carries its meaning, and what its value is if it has one."""

    meaning: str
    value_is: str | None

    def __new__(cls, value: str, meaning: str, value_is: str | None = None) -> FaultName:
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        member.value_is = value_is
        return member

    DUPLICATE = "duplicate", "subscribers get the event twice"
    REORDER = "reorder", "subscribers get the event after the next one"
    DELAY = "delay", "subscribers get the event later", "seconds"
    DROP = "drop", "the event is acknowledged, and then lost"
    REJECT = "reject", "the event is refused with OK false and this prefix", "prefix"
    NO_OK = "no-ok", "the event is taken without an OK"
    CLOSED = "closed", "a subscription is refused with CLOSED and this prefix", "prefix"
    DISCONNECT = "disconnect", "the connection that sends the event is cut, before any OK"
    CORRUPT = "corrupt", "subscribers get the event with another signature"
    REPLAY = "replay", "subscribers get the first event that was seen again, after this one"
    SIZE = "size", "events of more than so many bytes are refused", "bytes"
    IGNORE_FILTERS = "ignore-filters", "a subscription gets everything"


_BY_VALUE = {name.value: name for name in FaultName}


class FaultError(ValueError):
    """A text that describes no fault; the message says why in one sentence."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: for events of `kind` (None: all; subscriptions have no kind), after so many, so many times."""

    name: FaultName
    value: str = ""
    kind: int | None = None
    after: int = 0
    times: int | None = None

    @property
    def number(self) -> float:
        """The value of a fault that takes seconds or bytes."""
        return float(self.value)


def parse(text: str) -> Fault:
    """A fault from its text, as the command line takes it."""
    head, *rest = text.split(":")
    word, equals, value = head.partition("=")
    name = _BY_VALUE.get(word)
    if name is None:
        raise FaultError(f"there is no fault {word!a}; there are: {', '.join(_BY_VALUE)}")
    if bool(value) != (name.value_is is not None) or (equals and not value):
        form = f"{name}={name.value_is.upper()}" if name.value_is else name.value
        raise FaultError(f"the fault {name} is written {form}, not {head!a}")
    if name.value_is in ("seconds", "bytes") and not _is_number(value, whole=name.value_is == "bytes"):
        raise FaultError(f"{value!a} is not a number of {name.value_is}")
    numbers: dict[str, int] = {}
    for condition in rest:
        word, _, number = condition.partition("=")
        if word not in ("kind", "after", "times") or word in numbers or not _is_number(number, whole=True):
            raise FaultError(f"{condition!a} is not one of kind=NUMBER, after=NUMBER and times=NUMBER, each once")
        numbers[word] = int(number)
    if numbers.get("kind", 0) > MAX_KIND:
        raise FaultError(f"a kind is at most {MAX_KIND}")
    return Fault(name, value, numbers.get("kind"), numbers.get("after", 0), numbers.get("times"))


def _is_number(text: str, *, whole: bool) -> bool:
    digits = text if whole else text.replace(".", "", 1)
    return digits.isascii() and digits.isdigit() and len(digits) <= 12


class Faults:
    """The faults in force, and how often each has met its condition."""

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        self._met = {number: (fault, 0) for number, fault in enumerate(faults)}

    def add(self, fault: Fault) -> None:
        """Put another in force."""
        self._met[max(self._met, default=-1) + 1] = fault, 0

    def clear(self) -> None:
        """Behave."""
        self._met.clear()

    def __bool__(self) -> bool:
        return bool(self._met)

    def of(self, event: Event | None, *names: FaultName) -> dict[FaultName, Fault]:
        """Which of these faults befall this event, or a subscription; counted."""
        found: dict[FaultName, Fault] = {}
        for number, (fault, met) in self._met.items():
            if fault.name in names and (fault.kind is None or (event is not None and event.kind == fault.kind)):
                self._met[number] = fault, met + 1
                if met >= fault.after and (fault.times is None or met < fault.after + fault.times):
                    found.setdefault(fault.name, fault)
        return found


def corrupted(event: Event) -> Event:
    """The event with one bit of its signature changed."""
    signature = bytes([event.sig[0] ^ 1]) + event.sig[1:]
    return Event(event.id, event.pubkey, event.created_at, event.kind, event.tags, event.content, signature)
