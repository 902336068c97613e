"""Bounds and alarms, against models that are slow and plain."""

from __future__ import annotations

from functools import partial
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.session.actions import Action
from nostrmcp.session.limits import Alarm, Alarms, Budget, Rate, Seen

KEYS = [b"a", b"b", b"c"]
keys = st.sampled_from(KEYS)


class TestBudget:
    def test_per_key_and_in_all(self) -> None:
        budget = Budget(3, 2)
        budget.take(b"a")
        budget.take(b"a")
        assert budget.key_is_full(b"a") and not budget.has_room(b"a")
        assert budget.has_room(b"b") and not budget.has_room(b"b", 2)
        budget.take(b"b")
        assert budget.count == 3
        assert not budget.has_room(b"b") and not budget.has_room(b"c") and not budget.key_is_full(b"c")
        budget.give(b"a")
        assert budget.has_room(b"a") and budget.has_room(b"c")

    def test_what_is_reserved_strangers_never_get(self) -> None:
        budget = Budget(3, 3, reserved=1, allow=frozenset({b"a"}))
        budget.take(b"b")
        budget.take(b"c")
        assert not budget.has_room(b"b") and not budget.has_room(b"d")
        assert budget.has_room(b"a")
        budget.take(b"a")
        assert not budget.has_room(b"a")

    def test_the_allowed_do_not_use_up_what_strangers_may_have(self) -> None:
        budget = Budget(3, 3, reserved=1, allow=frozenset({b"a"}))
        budget.take(b"a")
        assert budget.has_room(b"b", 2)
        assert not budget.has_room(b"b", 3)

    @given(
        st.integers(0, 6),
        st.integers(0, 6),
        st.integers(0, 3),
        st.frozensets(keys),
        st.lists(st.tuples(st.booleans(), keys), max_size=40),
    )
    def test_it_is_never_exceeded(
        self, total: int, per_key: int, reserved: int, allow: frozenset[bytes], steps: list[tuple[bool, bytes]]
    ) -> None:
        reserved = min(reserved, total)
        budget = Budget(total, per_key, reserved, allow)
        reserved = reserved if allow else 0  # nothing is kept back for nobody
        held: list[bytes] = []
        for takes, key in steps:
            strangers = sum(one not in allow for one in held)
            room = len(held) < total and held.count(key) < per_key and (key in allow or strangers < total - reserved)
            assert budget.has_room(key) is room
            assert budget.key_is_full(key) is (held.count(key) >= per_key)
            if takes and room:
                budget.take(key)
                held.append(key)
            elif not takes and key in held:
                budget.give(key)
                held.remove(key)
            assert budget.count == len(held) <= total


class TestRate:
    def test_so_many_in_a_second(self) -> None:
        rate = Rate(2)
        assert [rate.take(1.0), rate.take(1.5), rate.take(1.9)] == [True, True, False]
        assert [rate.take(2.0), rate.take(2.0), rate.take(2.999)] == [True, True, False]

    def test_so_many_for_one_key(self) -> None:
        rate = Rate(3, 1)
        assert [rate.take(1.0, key) for key in (b"a", b"a", b"b", b"c", b"d")] == [True, False, True, True, False]
        assert rate.take(2.0, b"a")

    def test_what_is_refused_is_not_counted(self) -> None:
        rate = Rate(2, 1)
        assert [rate.take(1.0, b"a") for _ in range(5)] == [True, False, False, False, False]
        assert rate.take(1.0, b"b")

    @given(st.integers(0, 4), st.integers(0, 4), st.lists(st.tuples(st.integers(0, 1), keys), max_size=40))
    def test_no_second_has_more(self, total: int, per_key: int, steps: list[tuple[int, bytes]]) -> None:
        rate, second = Rate(total, per_key), 0
        taken: list[tuple[int, bytes]] = []
        for passes, key in steps:
            second += passes
            here = [one for at, one in taken if at == second]
            expected = len(here) < total and here.count(key) < per_key
            assert rate.take(second + 0.5, key) is expected
            if expected:
                taken.append((second, key))


class TestSeen:
    def test_an_id_is_remembered_for_its_time(self) -> None:
        seen = Seen(Budget(10, 10), 120)
        assert seen.add(b"1", b"a", 0.0)
        assert b"1" in seen and b"2" not in seen
        assert seen.add(b"2", b"a", 119.9)
        assert b"1" in seen and len(seen) == 2
        assert seen.add(b"3", b"a", 120.0)
        assert b"1" not in seen and seen.ids() == [b"2", b"3"]
        assert (seen.latest, Seen(Budget(10, 10), 120).latest) == (b"3", None)

    def test_full_it_refuses_and_forgets_nothing(self) -> None:
        seen = Seen(Budget(2, 2), 120)
        assert [seen.add(one, b"a", 0.0) for one in (b"1", b"2", b"3")] == [True, True, False]
        assert b"1" in seen and b"2" in seen and b"3" not in seen
        assert not seen.add(b"3", b"b", 119.0)
        assert seen.add(b"3", b"b", 120.0)
        assert seen.ids() == [b"3"]

    def test_one_key_does_not_fill_it(self) -> None:
        seen = Seen(Budget(4, 2), 120)
        assert [seen.add(bytes([one]), b"a", 0.0) for one in range(3)] == [True, True, False]
        assert seen.add(b"9", b"b", 0.0)

    @given(
        st.integers(1, 5),
        st.integers(1, 5),
        st.floats(1, 10),
        st.lists(st.tuples(st.floats(0, 4), keys), max_size=40),
    )
    def test_nothing_is_forgotten_inside_its_time(
        self, total: int, per_key: int, time: float, steps: list[tuple[float, bytes]]
    ) -> None:
        seen, now = Seen(Budget(total, per_key), time), 0.0
        taken: list[tuple[float, bytes, bytes]] = []
        for number, (passes, key) in enumerate(steps):
            now += passes
            event_id = bytes([number])
            held = [(until, one, holder) for until, one, holder in taken if until > now]
            expected = len(held) < total and sum(holder == key for _, _, holder in held) < per_key
            assert seen.add(event_id, key, now) is expected
            if expected:
                held.append((now + time, event_id, key))
            taken = held
            assert all(one in seen for _, one, _ in held)
            assert (event_id in seen) is expected
            assert len(seen) <= total
            assert seen.ids() == [one for _, one, _ in held]


def does_nothing() -> list[Action]:
    return []


def alarm_of_its_own() -> Alarm:
    """Another object each time."""
    return partial(does_nothing)


class Naive:
    """Alarms as a list that is searched each time."""

    def __init__(self) -> None:
        self.set_ones: dict[str, tuple[float, int, Alarm]] = {}
        self.number = 0

    def set(self, key: str, at: float, alarm: Alarm) -> None:
        self.number += 1
        self.set_ones[key] = (at, self.number, alarm)

    def ring(self, now: float) -> list[Alarm]:
        due = sorted((one[:2], key) for key, one in self.set_ones.items() if one[0] <= now)
        return [self.set_ones.pop(key)[2] for _, key in due]


steps = st.lists(
    st.one_of(
        st.tuples(st.just("set"), st.sampled_from("abcdefgh"), st.integers(0, 20)),
        st.tuples(st.just("clear"), st.sampled_from("abcdefgh"), st.just(0)),
        st.tuples(st.just("ring"), st.just(""), st.integers(0, 5)),
        st.tuples(st.just("next"), st.just(""), st.just(0)),
    ),
    max_size=200,
)


class TestAlarms:
    def test_setting_one_again_moves_it(self) -> None:
        alarms = Alarms()
        first, second = alarm_of_its_own(), alarm_of_its_own()
        alarms.set("a", 5.0, first)
        alarms.set("a", 9.0, second)
        assert len(alarms) == 1
        assert list(alarms.ring(8.9)) == []
        assert list(alarms.ring(9.0)) == [second]
        assert len(alarms) == 0 and list(alarms.ring(99.0)) == []

    def test_the_next_is_told_once(self) -> None:
        alarms = Alarms()
        assert alarms.next() is None
        alarms.set("a", 5.0, does_nothing)
        assert [alarms.next(), alarms.next()] == [5.0, None]
        alarms.set("b", 7.0, does_nothing)
        assert alarms.next() is None
        alarms.set("c", 3.0, does_nothing)
        assert [alarms.next(), alarms.next()] == [3.0, None]
        alarms.clear("c")
        assert list(alarms.ring(3.0)) == []
        assert [alarms.next(), alarms.next()] == [5.0, None]

    def test_an_alarm_set_by_an_alarm_that_is_due_rings_as_well(self) -> None:
        alarms, rung = Alarms(), []

        def first() -> list[Action]:
            rung.append("first")
            alarms.set("b", 1.0, second)
            return []

        def second() -> list[Action]:
            rung.append("second")
            return []

        alarms.set("a", 1.0, first)
        for alarm in alarms.ring(2.0):
            alarm()
        assert rung == ["first", "second"]

    def test_an_alarm_cleared_by_one_that_is_due_does_not_ring(self) -> None:
        alarms, rung = Alarms(), []

        def first() -> list[Action]:
            rung.append("first")
            alarms.clear("b")
            return []

        alarms.set("a", 1.0, first)
        alarms.set("b", 1.0, does_nothing)
        assert [alarm() for alarm in alarms.ring(2.0)] == [[]]
        assert rung == ["first"]

    @given(steps)
    def test_they_ring_as_the_naive_ones_do(self, steps: list[tuple[str, str, int]]) -> None:
        alarms, naive, now, wake = Alarms(), Naive(), 0.0, inf
        for what, key, number in steps:
            if what == "set":
                alarm = alarm_of_its_own()
                alarms.set(key, now + number, alarm)
                naive.set(key, now + number, alarm)
            elif what == "clear":
                alarms.clear(key)
                naive.set_ones.pop(key, None)
            elif what == "ring":
                now, wake = now + number, inf
                assert list(alarms.ring(now)) == naive.ring(now)
            else:
                # Whoever rings at the time last told misses nothing; the same time is not told twice in a row.
                earliest = min((one[0] for one in naive.set_ones.values()), default=inf)
                told = alarms.next()
                assert told is None or told == earliest < wake
                wake = wake if told is None else told
                assert wake <= earliest
            assert len(alarms) == len(naive.set_ones)

    def test_moving_one_for_ever_takes_no_memory(self) -> None:
        alarms = Alarms()
        for number in range(10_000):
            alarms.set("a", float(number), does_nothing)
        assert len(alarms) == 1
        assert len(alarms._heap) <= 65
