"""Filters that match too much or too little, kinds in the wrong class, and the wrong one of two versions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from nostrmcp.conformance.operations import Value
from nostrmcp.nostr import Event, Filter, filters
from nostrmcp.nostr import event as events
from tests.zoo.member import Operations, also, member, patched, reading

Matches = Callable[[Filter, Event], bool]


def conditions(
    one: Filter, event: Event, values: Callable[[Event, str], Iterable[str]] = Event.values
) -> dict[str, bool]:
    """Each condition that a filter sets, and whether an event meets it."""
    met = {f"#{letter}": not wanted.isdisjoint(values(event, letter)) for letter, wanted in one.tags.items()}
    if one.ids is not None:
        met["ids"] = event.id in one.ids
    if one.authors is not None:
        met["authors"] = event.pubkey in one.authors
    if one.kinds is not None:
        met["kinds"] = event.kind in one.kinds
    if one.since is not None:
        met["since"] = event.created_at >= one.since
    if one.until is not None:
        met["until"] = event.created_at <= one.until
    return met


def matching(matches: Matches) -> Operations:
    return patched("filter_match", (Filter, "matches", matches))


def with_condition(name: str, met: Matches) -> Operations:
    """A filter in which one condition, where it is set, is met in another way."""

    def matches(one: Filter, event: Event) -> bool:
        its_conditions = conditions(one, event)
        if name in its_conditions:
            its_conditions[name] = met(one, event)
        return all(its_conditions.values())

    return matching(matches)


def with_values(values: Callable[[Event, str], Iterable[str]]) -> Operations:
    """A filter that takes other values of a tag's name."""
    return matching(lambda one, event: all(conditions(one, event, values).values()))


def with_tags(met: Callable[[frozenset[str], tuple[str, ...]], bool]) -> Operations:
    """A filter that compares the values that are wanted with those that are there in another way."""

    def matches(one: Filter, event: Event) -> bool:
        others = (value for name, value in conditions(one, event).items() if not name.startswith("#"))
        return all(others) and all(met(wanted, event.values(letter)) for letter, wanted in one.tags.items())

    return matching(matches)


def any_tag_condition(one: Filter, event: Event) -> bool:
    met = conditions(one, event)
    tags = [met.pop(name) for name in list(met) if name.startswith("#")]
    return all(met.values()) and (not tags or any(tags))


def merged(given: Value) -> Value:
    """All filters as one, with their lists put together."""
    together: Value = {}
    for one in given["filters"]:
        for name, wanted in one.items() if isinstance(one, dict) else ():
            is_list = isinstance(wanted, list) and isinstance(together.get(name), list)
            together[name] = together[name] + wanted if is_list else wanted
    return given | {"filters": [together]} if len(given["filters"]) > 1 else given


def each_filter(change: Callable[[Any], Any]) -> Operations:
    return reading("filter_match", lambda given: given | {"filters": [change(one) for one in given["filters"]]})


def each_value(**changes: Callable[[Any], Any]) -> Operations:
    """Filters in which the values of the named conditions are changed; `e` and `p` stand for #e and #p."""
    by_name = {f"#{name}" if len(name) == 1 else name: change for name, change in changes.items()}

    def change(one: Any) -> Any:
        if not isinstance(one, dict):
            return one
        return {name: by_name.get(name, lambda value: value)(value) for name, value in one.items()}

    return each_filter(change)


def each_item(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: [change(item) for item in value] if isinstance(value, list) else value


def at_least_0(value: Any) -> Any:
    return max(0, value) if type(value) is int else value


def without(drop: Callable[[str, Any], bool]) -> Operations:
    """Filters without the conditions that `drop` names."""

    def change(one: Any) -> Any:
        return {name: value for name, value in one.items() if not drop(name, value)} if isinstance(one, dict) else one

    return each_filter(change)


def by_prefix(given: Value) -> Value:
    """Ids and authors by their first digits, as NIP-01 once had it."""
    event, wanted = given["event"], []
    for one in given["filters"]:
        changed = dict(one) if isinstance(one, dict) else one
        for name, whole in (("ids", event["id"]), ("authors", event["pubkey"])):
            if isinstance(changed, dict) and isinstance(changed.get(name), list):
                changed[name] = [whole if whole.startswith(item) else item for item in changed[name]]
        wanted.append(changed)
    return given | {"filters": wanted}


def any_value(given: Value) -> Value:
    """Filters compared item by item without a look at what they are; what cannot be compared crashes."""
    event = events.from_value(given["event"])
    fields: dict[str, Any] = {"ids": event.id.hex(), "authors": event.pubkey.hex(), "kinds": event.kind}

    def met(name: str, wanted: Any) -> bool:
        if name in fields:
            return fields[name] in wanted
        if name in ("since", "until"):
            return bool(event.created_at >= wanted if name == "since" else event.created_at <= wanted)
        return name == "limit" or any(value in wanted for value in event.values(name[1:]))

    return {"matches": any(all(met(*item) for item in one.items()) for one in given["filters"])}


def by_any_tag_name(given: Value) -> Value | None:
    names = [name for one in given["filters"] if isinstance(one, dict) for name in one]
    return any_value(given) if any(name[0] == "#" and not is_letter(name[1:]) for name in names) else None


def by_any_reference(given: Value) -> Value | None:
    """Filters of nothing but #e and #p, whose values are any strings."""

    def is_fine(one: Any) -> bool:
        lists = list(one.values()) if isinstance(one, dict) and one.keys() <= {"#e", "#p"} else [[]]
        return all(isinstance(wanted, list) and wanted and all(map(is_text, wanted)) for wanted in lists)

    return any_value(given) if all(map(is_fine, given["filters"])) else None


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_letter(name: str) -> bool:
    return len(name) == 1 and name.isascii() and name.isalpha()


def classes(*ranges: tuple[int, int, str], otherwise: str = "regular") -> Operations:
    """Kinds by ranges, both ends included."""

    def kind_class(given: Value) -> Value:
        return {"class": next((name for low, high, name in ranges if low <= given["kind"] <= high), otherwise)}

    return {"kind_class": kind_class}


REPLACEABLE = ((0, 0, "replaceable"), (3, 3, "replaceable"), (10_000, 19_999, "replaceable"))
EPHEMERAL, ADDRESSABLE = (20_000, 29_999, "ephemeral"), (30_000, 39_999, "addressable")
REGULAR = ((1, 2, "regular"), (4, 44, "regular"), (1_000, 9_999, "regular"))


def addresses(address: Callable[[Event], str | None]) -> Operations:
    return patched("event_address replaces", (filters, "address", address))


right_address = filters.address


def last_d(event: Event) -> str | None:
    right = right_address(event)
    return right and right[: 1 + right.index(":", right.index(":") + 1)] + ("", *event.values("d"))[-1]


def replacing(replaces: Callable[[Event, Event], bool]) -> Operations:
    return patched("replaces", (filters, "replaces", replaces))


def same_address(candidate: Event, held: Event) -> bool:
    return right_address(candidate) is not None and right_address(candidate) == right_address(held)


def ordered(key: Callable[[Event], Any]) -> Operations:
    return patched("sort_events", (filters, "newest_first", key))


CONTROLS = [
    member(
        "filter-control",
        "A filter without a bug.",
        matching(lambda one, event: all(conditions(one, event).values())),
        fails="",
    ),
    member(
        "kind-control",
        "Classes without a bug.",
        classes(*REPLACEABLE, EPHEMERAL, ADDRESSABLE, *REGULAR, otherwise="undefined"),
        fails="",
    ),
]

MEMBERS = [
    member(
        "filter-or",
        "Matches what meets any one condition.",
        matching(lambda one, event: any(conditions(one, event).values() or [True])),
        fails="filter-all-but-one filter-two-tags filter-none-of-two",
    ),
    member(
        "filter-tags-or",
        "Matches what meets any one of the tag conditions.",
        matching(any_tag_condition),
        fails="filter-two-tags",
    ),
    member(
        "filter-and",
        "Matches what meets every filter of a REQ.",
        patched(
            "filter_match", (filters, "matches_any", lambda wanted, event: all(one.matches(event) for one in wanted))
        ),
        fails="filter-any-of-two",
    ),
    member(
        "filter-merged",
        "Puts all filters of a REQ together into one.",
        reading("filter_match", merged),
        fails="filter-any-of-two filter-none-of-two",
    ),
    member(
        "filter-first",
        "Reads the first filter of a REQ only.",
        reading("filter_match", lambda given: given | {"filters": given["filters"][:1]}),
        fails="filter-any-of-two",
    ),
    member(
        "filter-tag-any-element",
        "Searches every element of a tag.",
        with_values(lambda event, letter: [item for tag in event.tags if tag[0] == letter for item in tag[1:]]),
        fails="filter-later-tag-element",
    ),
    member(
        "filter-tag-any-string",
        "Searches every string of every tag.",
        with_values(lambda event, letter: [item for tag in event.tags for item in tag]),
        fails="filter-absent-tag filter-tag-other-case filter-later-tag-element",
    ),
    member(
        "filter-tag-any-name",
        "Searches the values of all tags, whatever their name.",
        with_values(lambda event, letter: [tag[1] for tag in event.tags]),
        fails="filter-absent-tag filter-tag-other-case",
    ),
    member(
        "filter-tag-first",
        "Searches the first tag of a name only.",
        with_values(lambda event, letter: event.values(letter)[:1]),
        fails="filter-second-tag",
    ),
    member(
        "filter-tag-any-case",
        "Compares the names of tags without their case.",
        with_values(lambda event, letter: event.values(letter.lower()) + event.values(letter.upper())),
        fails="filter-tag-other-case",
    ),
    member(
        "filter-tag-lower-case",
        "Makes the names of tags lower-case.",
        with_values(lambda event, letter: event.values(letter.lower())),
        fails="filter-tag-case",
    ),
    member(
        "filter-tag-not-empty",
        "Does not search empty values.",
        with_values(lambda event, letter: [value for value in event.values(letter) if value]),
        fails="filter-empty-tag-value",
    ),
    member(
        "filter-tag-prefix",
        "Matches tag values by their beginning.",
        with_tags(lambda wanted, values: any(value.startswith(one) for one in wanted for value in values)),
        fails="filter-tag-prefix",
    ),
    member(
        "filter-tag-all",
        "Asks for every value of a list at once.",
        with_tags(lambda wanted, values: wanted <= set(values)),
        fails="filter-tag",
    ),
    member(
        "filter-absent-tag",
        "Lets an event pass that does not have the tag.",
        with_tags(lambda wanted, values: not values or not wanted.isdisjoint(values)),
        fails="filter-absent-tag",
    ),
    member(
        "since-exclusive",
        "Takes only what is later than `since`.",
        with_condition("since", lambda one, event: event.created_at > (one.since or 0)),
        fails="filter-since-equal",
    ),
    member(
        "until-exclusive",
        "Takes only what is earlier than `until`.",
        with_condition("until", lambda one, event: event.created_at < (one.until or 0)),
        fails="filter-until-equal",
    ),
    member(
        "since-until-swapped",
        "Takes `since` for the end and `until` for the beginning.",
        matching(
            lambda one, event: (
                (one.since is None or event.created_at <= one.since)
                and (one.until is None or event.created_at >= one.until)
                and all(met for name, met in conditions(one, event).items() if name not in ("since", "until"))
            )
        ),
        fails="filter-since-after filter-until-before filter-until-zero filter-window filter-all filter-until-64-bits",
    ),
    member(
        "since-ignored",
        "Leaves `since` to the relay.",
        with_condition("since", lambda one, event: True),
        fails="filter-since-after",
    ),
    member(
        "until-ignored",
        "Leaves `until` to the relay.",
        with_condition("until", lambda one, event: True),
        fails="filter-until-before filter-until-zero",
    ),
    member(
        "limit-counts",
        "Matches nothing once `limit` events are passed, which for 0 is at once.",
        matching(lambda one, event: one.limit != 0 and all(conditions(one, event).values())),
        fails="filter-limit",
    ),
    member(
        "ids-ignored", "Does not filter by id.", with_condition("ids", lambda one, event: True), fails="filter-other-id"
    ),
    member(
        "authors-ignored",
        "Does not filter by author.",
        with_condition("authors", lambda one, event: True),
        fails="filter-other-author",
    ),
    member(
        "kinds-ignored",
        "Does not filter by kind.",
        with_condition("kinds", lambda one, event: True),
        fails="filter-other-kind filter-none-of-two",
    ),
    member(
        "ids-by-prefix",
        "Matches ids and authors by their first digits, as NIP-01 once had it.",
        reading("filter_match", by_prefix),
        fails="filter-author-prefix filter-id-short",
    ),
    member(
        "filter-hex-lower-cased",
        "Makes keys and ids of a filter lower-case.",
        each_value(
            ids=each_item(str.lower), authors=each_item(str.lower), e=each_item(str.lower), p=each_item(str.lower)
        ),
        fails="filter-author-upper-case filter-e-not-hex",
    ),
    member(
        "filter-references-unchecked",
        "Takes any string in #e and #p.",
        also("filter_match", by_any_reference),
        fails="filter-p-not-hex filter-e-not-hex",
    ),
    member(
        "filter-kind-strings",
        "Takes kinds spelled as strings.",
        each_value(kinds=each_item(int)),
        fails="filter-kind-string filter-kind-bool",
    ),
    member(
        "filter-scalars",
        "Takes a value for a list of one.",
        each_value(kinds=lambda value: value if isinstance(value, list) else [value]),
        fails="filter-kinds-number",
    ),
    member(
        "filter-since-string", "Takes a time spelled as a string.", each_value(since=int), fails="filter-since-string"
    ),
    member(
        "filter-tag-numbers", "Takes numbers as tag values.", each_value(t=each_item(str)), fails="filter-tag-number"
    ),
    member(
        "filter-untyped",
        "Compares what stands in a filter without a look at its types.",
        {"filter_match": any_value},
        fails="""
            filter-author-upper-case filter-author-prefix filter-id-short filter-p-not-hex filter-e-not-hex
            filter-kind-string filter-kind-bool filter-kind-65536 filter-kinds-number filter-since-string
            filter-since-negative filter-tag-number filter-array filter-unknown-field filter-long-tag-name
            filter-digit-tag-name filter-hex-punctuation
        """,
    ),
    member(
        "filter-empty-array",
        "Takes an array for a filter without conditions, as PHP does.",
        each_filter(lambda one: {} if one == [] else one),
        fails="filter-array",
    ),
    member(
        "filter-empty-list",
        "Takes an empty list for no condition.",
        without(lambda name, value: value == []),
        fails="filter-empty-list filter-empty-tag-list",
    ),
    member(
        "filter-unknown-ignored",
        "Ignores conditions it does not know.",
        without(
            lambda name, value: name[0] != "#" and name not in ("ids", "authors", "kinds", "since", "until", "limit")
        ),
        fails="filter-unknown-field",
    ),
    member(
        "filter-tag-names-ignored",
        "Ignores tag conditions of more than one letter and of digits.",
        without(lambda name, value: name[0] == "#" and not is_letter(name[1:])),
        fails="filter-long-tag-name filter-digit-tag-name",
    ),
    member(
        "filter-tag-names-any",
        "Filters by tags of any name.",
        also("filter_match", by_any_tag_name),
        fails="filter-long-tag-name filter-digit-tag-name",
    ),
    member(
        "until-zero",
        "Takes a limit of 0 for none, as a test for truth does.",
        matching(
            lambda one, event: all(
                met
                for name, met in conditions(one, event).items()
                if name not in ("since", "until") or getattr(one, name)
            )
        ),
        fails="filter-until-zero",
    ),
    member(
        "filter-kind-true",
        "Takes true for kind 1, as it is an int in Python.",
        each_value(kinds=each_item(lambda kind: int(kind) if isinstance(kind, bool) else kind)),
        fails="filter-kind-bool",
    ),
    member(
        "filter-kind-range",
        "Takes kinds that no event has.",
        without(
            lambda name, value: (
                name == "kinds"
                and isinstance(value, list)
                and any(type(kind) is int and not 0 <= kind < 65_536 for kind in value)
            )
        ),
        fails="filter-kind-65536",
    ),
    member(
        "filter-negative",
        "Takes negative times and limits.",
        each_value(since=at_least_0, until=at_least_0, limit=at_least_0),
        fails="filter-since-negative",
    ),
    member(
        "kind-0-regular",
        "Forgets that kinds 0 and 3 are replaceable.",
        classes(REPLACEABLE[2], EPHEMERAL, ADDRESSABLE, *REGULAR, (0, 44, "regular"), otherwise="undefined"),
        fails="kind-0 kind-3",
    ),
    member(
        "kind-below-1000-replaceable",
        "Takes kinds 0 to 3 for replaceable.",
        classes((0, 3, "replaceable"), *REPLACEABLE, EPHEMERAL, ADDRESSABLE, *REGULAR, otherwise="undefined"),
        fails="kind-1 kind-2",
    ),
    member(
        "kind-first-excluded",
        "Leaves out the first kind of each range.",
        classes(
            *REPLACEABLE[:2],
            (10_001, 19_999, "replaceable"),
            (20_001, 29_999, "ephemeral"),
            (30_001, 39_999, "addressable"),
            (2, 2, "regular"),
            (5, 44, "regular"),
            (1_001, 9_999, "regular"),
            otherwise="undefined",
        ),
        fails="kind-1 kind-4 kind-1000 kind-10000 kind-20000 kind-30000",
    ),
    member(
        "kind-last-included",
        "Ends each range one kind too late.",
        classes(
            *REPLACEABLE[:2],
            (10_000, 20_000, "replaceable"),
            (20_001, 30_000, "ephemeral"),
            (30_001, 40_000, "addressable"),
            (1, 2, "regular"),
            (4, 45, "regular"),
            (1_000, 9_999, "regular"),
            otherwise="undefined",
        ),
        fails="kind-20000 kind-30000",
    ),
    member(
        "kind-last-excluded",
        "Ends each range one kind too early.",
        classes(
            *REPLACEABLE[:2],
            (10_000, 19_998, "replaceable"),
            (20_000, 29_998, "ephemeral"),
            (30_000, 39_998, "addressable"),
            (1, 2, "regular"),
            (4, 43, "regular"),
            (1_000, 9_998, "regular"),
            otherwise="undefined",
        ),
        fails="kind-44 kind-9999 kind-19999 kind-29999 kind-39999",
    ),
    member(
        "kind-ephemeral-regular",
        "Stores ephemeral kinds.",
        classes(*REPLACEABLE, ADDRESSABLE, *REGULAR, (20_000, 29_999, "regular"), otherwise="undefined"),
        fails="kind-20000 kind-21059 kind-21316 kind-25910 kind-29999",
    ),
    member(
        "address-without-colon",
        "Writes a replaceable event's address without its last colon.",
        addresses(lambda event: (right_address(event) or "").removesuffix(":") or None),
        fails="address-without-d address-d-without-value address-replaceable",
    ),
    member(
        "address-last-d",
        "Takes the last of several d tags.",
        addresses(lambda event: last_d(event) if event.kind >= 30_000 else right_address(event)),
        fails="address-first-d",
    ),
    member(
        "address-d-of-replaceable",
        "Puts the d tag of a replaceable event into its address.",
        addresses(last_d),
        fails="address-first-d address-replaceable",
    ),
    member(
        "address-needs-d",
        "Gives no address without a d tag.",
        addresses(lambda event: right_address(event) if event.kind < 30_000 or event.values("d") else None),
        fails="address-without-d address-d-without-value",
    ),
    member(
        "address-cut-at-colon",
        "Cuts the address at its third colon.",
        addresses(lambda event: ":".join(its.split(":")[:3]) if (its := right_address(event)) else None),
        fails="address-addressable",
    ),
    member(
        "address-of-everything",
        "Gives every event an address.",
        addresses(lambda event: right_address(event) or f"{event.kind}:{event.pubkey.hex()}:{event.first('d') or ''}"),
        fails="address-regular address-ephemeral replaces-regular",
    ),
    member(
        "address-crash",
        "Crashes on a d tag without a value.",
        addresses(lambda event: right_address(event) if all(tag[1:] or tag[0] != "d" for tag in event.tags) else [][0]),
        fails="address-d-without-value",
    ),
    member(
        "address-without-author",
        "Leaves the author out of what it compares.",
        addresses(lambda event: right_address(event) and f"{event.kind}:{event.first('d') or ''}"),
        fails="""
            address-addressable address-without-d address-d-without-value address-first-d address-replaceable
            replaces-other-author address-d-with-more
        """,
    ),
    member(
        "address-without-d",
        "Keeps one event of each addressable kind.",
        addresses(lambda event: right_address(event) and f"{event.kind}:{event.pubkey.hex()}:"),
        fails="""
            address-addressable address-first-d replaces-other-d address-d-with-more
        """,
    ),
    member(
        "replaces-higher-id",
        "Keeps the higher id of two in one second.",
        replacing(lambda new, held: same_address(new, held) and (new.created_at, new.id) > (held.created_at, held.id)),
        fails="replaces-lower-id replaces-higher-id",
    ),
    member(
        "replaces-first-come",
        "Keeps the first to come of two in one second.",
        replacing(lambda new, held: same_address(new, held) and new.created_at > held.created_at),
        fails="replaces-lower-id",
    ),
    member(
        "replaces-last-come",
        "Keeps the last to come of two in one second.",
        replacing(lambda new, held: same_address(new, held) and new.created_at >= held.created_at),
        fails="replaces-higher-id replaces-itself",
    ),
    member(
        "replaces-always",
        "Keeps whatever came last.",
        replacing(same_address),
        fails="replaces-older replaces-higher-id replaces-itself",
    ),
    member(
        "replaces-never",
        "Keeps whatever came first.",
        replacing(lambda new, held: False),
        fails="replaces-newer replaces-lower-id",
    ),
    member(
        "sort-oldest-first",
        "Sorts the oldest first.",
        ordered(lambda event: (event.created_at, event.id)),
        fails="sort-newest-first",
    ),
    member(
        "sort-by-time",
        "Leaves events of one second in the order they came.",
        ordered(lambda event: -event.created_at),
        fails="sort-newest-first",
    ),
    member(
        "sort-higher-id",
        "Sorts the higher id of one second first.",
        ordered(lambda event: (-event.created_at, bytes(255 - byte for byte in event.id))),
        fails="sort-newest-first",
    ),
]
