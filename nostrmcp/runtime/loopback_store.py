"""What a relay keeps, and whom it tells: NIP-01 storage by kind class, NIP-09, NIP-40, and indexes for both ways.

Both indexes exist so that cost does not grow with what is unrelated: stored events are found through the rarest
condition of a filter, subscriptions through the values that an event carries.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from heapq import heappop, heappush
from typing import Generic, TypeVar

from ..nostr import Event, Filter, KindClass, Violation, filters, nip09, nip40

Key = tuple[str, Hashable]
Client = TypeVar("Client", bound=Hashable)


class Outcome(StrEnum):
    """What became of an event; the value is the text of its OK. Only NEW and EPHEMERAL are for subscribers."""

    accepted: bool

    def __new__(cls, value: str, accepted: bool) -> Outcome:
        member = str.__new__(cls, value)
        member._value_ = value
        member.accepted = accepted
        return member

    NEW = "", True
    EPHEMERAL = "ephemeral", True
    DUPLICATE = "duplicate: this event is here", True
    SUPERSEDED = "duplicate: a newer version is here", True
    DELETED = "blocked: its author has deleted it", False
    EXPIRED = "invalid: it has expired", False
    TOO_LARGE = "invalid: larger than all that is kept here", False


def keys_of(event: Event) -> list[Key]:
    """Everything a filter can find this event by, each once."""
    keys: list[Key] = [("ids", event.id), ("authors", event.pubkey), ("kinds", event.kind)]
    tags = {(tag[0], tag[1]) for tag in event.tags if len(tag) > 1 and len(tag[0]) == 1}
    return keys + [(f"#{letter}", value) for letter, value in tags]


def conditions(wanted: Filter) -> list[list[Key]]:
    """The keys of each condition of a filter: a match has at least one key of every list."""
    lists: list[list[Key]] = [[(f"#{letter}", value) for value in values] for letter, values in wanted.tags.items()]
    if wanted.ids is not None:
        lists.append([("ids", one) for one in wanted.ids])
    if wanted.authors is not None:
        lists.append([("authors", one) for one in wanted.authors])
    if wanted.kinds is not None:
        lists.append([("kinds", one) for one in wanted.kinds])
    return lists


class Store:
    """Events in memory, at most `max_events` and `max_bytes`; beyond that, what came first goes first."""

    def __init__(self, max_events: int = 100_000, max_bytes: int = 1 << 28) -> None:
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._events: dict[bytes, Event] = {}
        self._bytes = 0
        self._by_key: dict[Key, dict[bytes, Event]] = {}
        self._by_address: dict[str, Event] = {}
        self._expiring: list[tuple[int, bytes]] = []

    def __len__(self) -> int:
        return len(self._events)

    def add(self, event: Event, now: int) -> Outcome:
        """Keep a verified event if its kind, the clock and its author allow. A malformed one is a Violation.

        NIP01-KIND-01, NIP01-REPL-01, NIP01-REPL-02, NIP09-AUTH-01, NIP40-EXP-01.
        """
        self._expire(now)
        expiration = nip40.expiration(event)
        if expiration is not None and now >= expiration:
            return Outcome.EXPIRED
        if filters.kind_class(event.kind) is KindClass.EPHEMERAL:
            return Outcome.EPHEMERAL
        if event.kind == nip09.DELETION:
            nip09.check(event)
        if event.id in self._events:
            return Outcome.DUPLICATE
        if event.sent_length > self._max_bytes:
            return Outcome.TOO_LARGE
        if self._is_deleted(event):
            return Outcome.DELETED
        address = filters.address(event)
        held = None if address is None else self._by_address.get(address)
        if held is not None:
            if not filters.replaces(event, held):
                return Outcome.SUPERSEDED
            self._remove(held)
        if event.kind == nip09.DELETION:
            self._delete(event)
        self._insert(event, address, expiration)
        while len(self._events) > self._max_events or self._bytes > self._max_bytes:
            self._remove(next(iter(self._events.values())))
        return Outcome.NEW

    def get(self, event_id: bytes) -> Event | None:
        """The event, while it is here."""
        return self._events.get(event_id)

    def query(self, wanted: Iterable[Filter], now: int, limit: int) -> list[Event]:
        """What matches any filter, newest first, each filter's own limit kept and never more than `limit` for each.

        NIP01-FILTER-03, NIP01-FILTER-06, NIP01-FILTER-10.
        """
        self._expire(now)
        found: dict[bytes, Event] = {}
        for one in wanted:
            matching = sorted(filter(one.matches, self._candidates(one)), key=filters.newest_first)
            most = limit if one.limit is None else min(limit, one.limit)
            found.update((event.id, event) for event in matching[:most])
        return sorted(found.values(), key=filters.newest_first)

    def _candidates(self, wanted: Filter) -> Iterable[Event]:
        """A superset of what matches: the events under the condition that the fewest meet."""
        lists = conditions(wanted)
        if not lists:
            return list(self._events.values())
        held = [[self._by_key[key] for key in keys if key in self._by_key] for keys in lists]
        rarest = min(held, key=lambda under: sum(map(len, under)))
        return {event_id: event for under in rarest for event_id, event in under.items()}.values()

    def _is_deleted(self, event: Event) -> bool:
        keys: list[Key] = [("#e", event.id.hex())]
        address = filters.address(event)
        if address is not None:
            keys.append(("#a", address))
        requests = (request for key in keys for request in self._by_key.get(key, {}).values())
        return any(request.kind == nip09.DELETION and nip09.deletes(request, event) for request in requests)

    def _delete(self, request: Event) -> None:
        named = [self._events.get(bytes.fromhex(text)) for text in request.values("e")]
        addressed = [self._by_address.get(address) for address in request.values("a")]
        for event in {event.id: event for event in named + addressed if event is not None}.values():
            if nip09.deletes(request, event):
                self._remove(event)

    def _expire(self, now: int) -> None:
        while self._expiring and self._expiring[0][0] <= now:
            event = self._events.get(heappop(self._expiring)[1])
            if event is not None:
                self._remove(event)

    def _insert(self, event: Event, address: str | None, expiration: int | None) -> None:
        self._events[event.id] = event
        self._bytes += event.sent_length
        for key in keys_of(event):
            self._by_key.setdefault(key, {})[event.id] = event
        if address is not None:
            self._by_address[address] = event
        if expiration is not None:
            heappush(self._expiring, (expiration, event.id))

    def _remove(self, event: Event) -> None:
        del self._events[event.id]
        self._bytes -= event.sent_length
        for key in keys_of(event):
            under = self._by_key[key]
            del under[event.id]
            if not under:
                del self._by_key[key]
        address = filters.address(event)
        if address is not None:
            del self._by_address[address]


@dataclass(slots=True, eq=False)
class _Entry(Generic[Client]):
    client: Client
    name: str
    wanted: Filter


class Audience(Generic[Client]):
    """Who is subscribed to what. Each filter waits under the values of one of its conditions."""

    def __init__(self) -> None:
        self._waiting: dict[Key, dict[_Entry[Client], None]] = {}
        self._everything: dict[_Entry[Client], None] = {}
        self._entries: dict[Client, dict[str, list[_Entry[Client]]]] = {}

    def names(self, client: Client) -> frozenset[str]:
        """The subscriptions of one client."""
        return frozenset(self._entries.get(client, ()))

    def subscribe(self, client: Client, name: str, wanted: Iterable[Filter]) -> None:
        """Begin a subscription, in the place of one of this name."""
        self.unsubscribe(client, name)
        entries = [_Entry(client, name, one) for one in wanted]
        self._entries.setdefault(client, {})[name] = entries
        for entry in entries:
            for waiting in self._places(entry):
                waiting[entry] = None

    def unsubscribe(self, client: Client, name: str) -> None:
        """End a subscription, if there is one."""
        mine = self._entries.get(client, {})
        for entry in mine.pop(name, ()):
            if not (keys := _rarest(entry.wanted)):
                del self._everything[entry]
            for key in keys:
                waiting = self._waiting[key]
                del waiting[entry]
                if not waiting:
                    del self._waiting[key]
        if not mine:
            self._entries.pop(client, None)

    def leave(self, client: Client) -> None:
        """End all subscriptions of a client."""
        for name in self.names(client):
            self.unsubscribe(client, name)

    def matching(self, event: Event) -> Iterator[tuple[Client, str]]:
        """Each subscription with a filter that the event matches, once (NIP01-FILTER-03)."""
        told: set[tuple[Client, str]] = set()
        waiting = [self._waiting[key] for key in keys_of(event) if key in self._waiting]
        for entries in (*waiting, self._everything):
            for entry in entries:
                if entry.wanted.matches(event):
                    subscription = entry.client, entry.name
                    if subscription not in told:
                        told.add(subscription)
                        yield subscription

    def _places(self, entry: _Entry[Client]) -> list[dict[_Entry[Client], None]]:
        keys = _rarest(entry.wanted)
        return [self._waiting.setdefault(key, {}) for key in keys] if keys else [self._everything]


_ORDER = {"ids": 0, "#e": 1, "#p": 2, "authors": 4, "kinds": 5}


def _rarest(wanted: Filter) -> list[Key]:
    """The condition that the fewest events are likely to meet; empty if the filter has none."""
    return min(conditions(wanted), key=lambda keys: _ORDER.get(keys[0][0], 3), default=[])


def refusal(violation: Violation) -> str:
    """The text of an OK or CLOSED for what a client got wrong."""
    return f"invalid: {violation}"
