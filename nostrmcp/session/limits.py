"""Bounds on what strangers can make us hold or do, and the clock's alarms.

Every bound is per key and in all, since keys are free (HOUSE-LIMIT-01 to HOUSE-LIMIT-04). Of each total a part may be
reserved for keys on the allow-list (HOUSE-LIMIT-10).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from heapq import heapify, heappop, heappush
from math import inf

from .actions import Action

Alarm = Callable[[], list[Action]]


class Budget:
    """A number of things that may be held at once. `reserved` of them are for the keys in `allow` alone."""

    __slots__ = ("_allow", "_held", "_open", "_per_key", "_strangers", "_total", "count")

    def __init__(self, total: int, per_key: int, reserved: int = 0, allow: frozenset[bytes] | None = None) -> None:
        self._total = total
        self._per_key = per_key
        self._open = total - reserved if allow else total
        self._allow = allow or frozenset()
        self._held: dict[bytes, int] = {}
        self._strangers = 0
        self.count = 0

    def has_room(self, key: bytes, more: int = 1) -> bool:
        """Whether this key may hold one more, or so many."""
        return (
            self.count + more <= self._total
            and (self._strangers + more <= self._open or key in self._allow)
            and self._held.get(key, 0) + more <= self._per_key
        )

    def key_is_full(self, key: bytes, more: int = 1) -> bool:
        """Whether it is this key's own limit that leaves no room."""
        return self._held.get(key, 0) + more > self._per_key

    def take(self, key: bytes) -> None:
        self.count += 1
        self._strangers += key not in self._allow
        self._held[key] = self._held.get(key, 0) + 1

    def give(self, key: bytes) -> None:
        self.count -= 1
        self._strangers -= key not in self._allow
        left = self._held[key] - 1
        if left:
            self._held[key] = left
        else:
            del self._held[key]


class Rate:
    """How often something may happen in a second, per key and in all (HOUSE-LIMIT-05, HOUSE-LIMIT-06)."""

    __slots__ = ("_by_key", "_count", "_per_key", "_second", "_total")

    def __init__(self, total: int, per_key: int | None = None) -> None:
        self._total = total
        self._per_key = total if per_key is None else per_key
        self._second = -1
        self._count = 0
        self._by_key: dict[bytes, int] = {}

    def take(self, now: float, key: bytes = b"") -> bool:
        """Whether it may happen once more, which is then counted."""
        second = int(now)
        if second != self._second:
            self._second = second
            self._count = 0
            self._by_key.clear()
        if self._count >= self._total or self._by_key.get(key, 0) >= self._per_key:
            return False
        self._count += 1
        self._by_key[key] = self._by_key.get(key, 0) + 1
        return True


class Seen:
    """Ids that were taken, each remembered for a time, none forgotten before (HOUSE-ONCE-04, HOUSE-ONCE-05)."""

    __slots__ = ("_budget", "_ids", "_order", "_time")

    def __init__(self, budget: Budget, time: float) -> None:
        self._budget = budget
        self._time = time
        self._ids: set[bytes] = set()
        self._order: deque[tuple[float, bytes, bytes]] = deque()

    def __contains__(self, event_id: bytes) -> bool:
        return event_id in self._ids

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, event_id: bytes, key: bytes, now: float) -> bool:
        """Remember an id; False where there is no room, so that what it names must not be done."""
        order = self._order
        while order and order[0][0] <= now:
            _, old, holder = order.popleft()
            self._ids.discard(old)
            self._budget.give(holder)
        if not self._budget.has_room(key):
            return False
        self._budget.take(key)
        self._ids.add(event_id)
        order.append((now + self._time, event_id, key))
        return True

    def ids(self) -> list[bytes]:
        """What is remembered, oldest first."""
        return [event_id for _, event_id, _ in self._order]

    @property
    def latest(self) -> bytes | None:
        """The id that was added last: what a state file has to write down next."""
        return self._order[-1][1] if self._order else None


class Alarms:
    """What is to be done when. Setting an alarm again moves it; the cost does not depend on how many there are."""

    __slots__ = ("_due", "_heap", "_is_news", "_number", "_told")

    def __init__(self) -> None:
        self._due: dict[Hashable, tuple[float, int, Alarm]] = {}
        self._heap: list[tuple[float, int, Hashable]] = []
        self._number = 0
        self._told = inf
        self._is_news = False

    def __len__(self) -> int:
        return len(self._due)

    def set(self, key: Hashable, at: float, alarm: Alarm) -> None:
        self._number += 1
        self._due[key] = (at, self._number, alarm)
        heappush(self._heap, (at, self._number, key))
        if at < self._told:
            self._is_news = True
        if len(self._heap) > 64 and len(self._heap) > 4 * len(self._due):
            self._heap = [(at, number, key) for key, (at, number, _) in self._due.items()]
            heapify(self._heap)

    def clear(self, key: Hashable) -> None:
        self._due.pop(key, None)

    def ring(self, now: float) -> Iterator[Alarm]:
        """What is due, in order of time; each is then no longer set."""
        self._told = inf
        self._is_news = True
        while self._heap and self._heap[0][0] <= now:
            _, number, key = heappop(self._heap)
            due = self._due.get(key)
            if due is not None and due[1] == number:
                del self._due[key]
                yield due[2]

    def next(self) -> float | None:
        """The earliest alarm, if it is earlier than the one last told, or that has passed."""
        if not self._is_news:
            return None
        self._is_news = False
        heap = self._heap
        while heap and (heap[0][2] not in self._due or self._due[heap[0][2]][1] != heap[0][1]):
            heappop(heap)
        if not heap:
            return None
        self._told = heap[0][0]
        return self._told
