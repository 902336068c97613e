"""The store against a naive model, and the index of subscriptions against `Filter.matches`."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.nostr import Event, Filter, KindClass, SecretKey, Violation, filters, nip09, nip40
from nostrmcp.runtime.loopback_store import Audience, Outcome, Store

from .helpers import ALICE, BOB, event

KINDS = (0, 1, 5, 1059, 10_002, 20_001, 30_000, 50_000)
KEYS = (ALICE, BOB)
ADDRESSES = tuple(f"{kind}:{key.public_key.hex()}:{d}" for kind in (0, 30_000) for key in KEYS for d in ("", "x"))


def build(key: SecretKey, kind: int, at: int, tags: list[tuple[str, ...]], content: str) -> Event:
    return event(content, kind, tuple(tags), at, key)


tag = st.one_of(
    st.tuples(st.just("d"), st.sampled_from(["", "x"])),
    st.tuples(st.just("t"), st.sampled_from(["a", "b"])),
    st.tuples(st.just("p"), st.sampled_from([key.public_key.hex() for key in KEYS])),
    st.tuples(st.just("a"), st.sampled_from(ADDRESSES)),
    st.tuples(st.just("expiration"), st.integers(0, 12).map(str)),
    st.just(("t",)),
)
plain = st.builds(
    build,
    st.sampled_from(KEYS),
    st.sampled_from(KINDS),
    st.integers(0, 6),
    st.lists(tag, max_size=3),
    st.sampled_from(["", "1"]),
)


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Events of all classes in any order, some repeated, some deleted by id before or after they come."""
    events = draw(st.lists(plain, min_size=1, max_size=14))
    targets = draw(st.lists(st.sampled_from(events), max_size=3))
    deletions = [
        build(draw(st.sampled_from(KEYS)), 5, draw(st.integers(0, 6)), [("e", one.id.hex())], "") for one in targets
    ]
    return draw(st.permutations([*events, *deletions, *draw(st.lists(st.sampled_from(events), max_size=3))]))


wanted_filters = st.builds(
    Filter,
    kinds=st.none() | st.frozensets(st.sampled_from(KINDS), min_size=1, max_size=3),
    authors=st.none() | st.frozensets(st.sampled_from([key.public_key.x for key in KEYS]), min_size=1),
    tags=st.dictionaries(st.sampled_from("td"), st.frozensets(st.sampled_from(["a", "b", "x", ""]), min_size=1)),
    since=st.none() | st.integers(0, 6),
    until=st.none() | st.integers(0, 6),
    limit=st.none() | st.integers(0, 4),
)


class Model:
    """NIP-01, NIP-09 and NIP-40 said with lists and no index."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.held: list[Event] = []

    def add(self, one: Event, now: int) -> None:
        self.held = [event for event in self.held if not nip40.is_expired(event, now)]
        if one.kind == nip09.DELETION:
            nip09.check(one)
        if (
            nip40.is_expired(one, now)
            or filters.kind_class(one.kind) is KindClass.EPHEMERAL
            or one in self.held
            or any(event.kind == nip09.DELETION and nip09.deletes(event, one) for event in self.held)
        ):
            return
        address = filters.address(one)
        if address is not None:
            versions = [event for event in self.held if filters.address(event) == address]
            if any(not filters.replaces(one, event) for event in versions):
                return
            self.held = [event for event in self.held if event not in versions]
        if one.kind == nip09.DELETION:
            self.held = [event for event in self.held if not nip09.deletes(one, event)]
        self.held = [*self.held, one][-self.most :]

    def query(self, wanted: list[Filter], now: int) -> list[Event]:
        found: list[Event] = []
        for one in wanted:
            matching = [event for event in self.held if one.matches(event) and not nip40.is_expired(event, now)]
            found += sorted(matching, key=filters.newest_first)[: one.limit]
        return sorted(set(found), key=filters.newest_first)


@given(histories(), st.lists(wanted_filters, min_size=1, max_size=3), st.integers(1, 30), st.integers(0, 3))
def test_the_store_answers_as_the_model(history: list[Event], wanted: list[Filter], most: int, pace: int) -> None:
    store, model = Store(max_events=most), Model(most)
    for now, one in enumerate(history):
        refused = []
        for add in (store.add, model.add):
            try:
                add(one, now * pace)
            except Violation as violation:
                refused.append(violation.error_class)
        assert len(refused) in (0, 2)
        for query in (wanted, [Filter()]):
            assert store.query(query, now * pace, 10_000) == model.query(query, now * pace)
    end = len(history) * pace + 20
    assert store.query([Filter()], end, 10_000) == model.query([Filter()], end)


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab"), st.lists(wanted_filters, min_size=1, max_size=2)),
                max_size=8), st.lists(plain, min_size=1, max_size=5), st.integers(0, 3))  # fmt: skip
def test_the_index_finds_what_filters_match(
    asked: list[tuple[int, str, list[Filter]]], events: list[Event], leaving: int
) -> None:
    audience: Audience[int] = Audience()
    known: dict[tuple[int, str], list[Filter]] = {}
    for client, name, wanted in asked:
        audience.subscribe(client, name, wanted)
        known[client, name] = wanted
    for gone in (None, leaving):
        if gone is not None:
            audience.leave(gone)
            known = {key: wanted for key, wanted in known.items() if key[0] != gone}
        for one in events:
            found = list(audience.matching(one))
            assert len(found) == len(set(found))
            assert set(found) == {key for key, wanted in known.items() if filters.matches_any(wanted, one)}


def test_unrelated_subscriptions_are_not_looked_at() -> None:
    audience: Audience[int] = Audience()
    looked: list[int] = []

    class Counting(Filter):
        def matches(self, event: Event) -> bool:
            looked.append(1)
            return super().matches(event)

    for number in range(1000):
        key = number.to_bytes(32, "big").hex()
        audience.subscribe(number, "s", [Counting(kinds=frozenset({1}), tags={"p": frozenset({key})})])
    found = list(audience.matching(event(tags=(("p", (7).to_bytes(32, "big").hex()),))))
    assert (found, len(looked)) == ([(7, "s")], 1)


def test_bytes_are_bounded() -> None:
    one, other = event("a" * 100), event("b" * 100)
    store = Store(max_bytes=one.sent_length + 10)
    assert (store.add(one, 0), store.add(other, 0)) == (Outcome.NEW, Outcome.NEW)
    assert store.query([Filter()], 0, 10) == [other]
    assert store.add(event("c" * 200), 0) is Outcome.TOO_LARGE
