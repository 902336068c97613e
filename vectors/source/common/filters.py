"""NIP-01 filters, kind classes, addresses and the order of events."""

from __future__ import annotations

from typing import Any

from vectors.source.writing import Note, Suite, acceptable, invalid, public, signed, valid

SUITE = Suite(
    "common/filters",
    "NIP-01 filters and kinds",
    "1",
    {
        "Basic": Note("BASIC", "an ordinary filter", "subscriptions give too much or too little"),
        "Boundary": Note("EDGE_CASE", "a value exactly at the limit", "an answer sent in the same second is lost"),
        "Conjunction": Note("MISSING_STEP", "all conditions but one are met", "events for others are delivered"),
        "FirstValueOnly": Note(
            "MISSING_STEP", "the value stands later in the tag", "an event is found by what is only a relay hint"
        ),
        "HexCase": Note(
            "MISSING_STEP", "a key or id that is not 64 lower-case digits", "a filter that matches nothing"
        ),
        "EmptyList": Note("AMBIGUOUS", "a list without values", "a filter that matches all, or nothing"),
        "UnknownField": Note(
            "MISSING_STEP",
            "a condition that NIP-01 does not define",
            "a filter understood in part lets everything through",
        ),
        "WrongType": Note("MISSING_STEP", "a condition of another type", "a crash in the matcher"),
        "Range": Note("EDGE_CASE", "a kind or time that no event can have", "truncation makes another filter of it"),
        "KindEdge": Note(
            "EDGE_CASE", "the first or last kind of a range", "an answer is stored, or an announcement lost"
        ),
        "Replaceable": Note("BASIC", "which of two versions stays", "an old announcement wins over a new one"),
        "Tie": Note("EDGE_CASE", "two versions of one second", "relays disagree about which version is current"),
    },
)

TIME = 1_750_000_000
BOB, CAROL = public("bob"), public("carol")
REFERENCED = "5c" * 32
EVENT = signed(
    "alice",
    25910,
    [
        ["p", BOB, "wss://hint.example"],
        ["e", REFERENCED],
        ["t", "one", "hint"],
        ["t", "two"],
        ["T", "upper"],
        ["s", ""],
    ],
    "{}",
    TIME,
)
ID, ALICE = EVENT["id"], EVENT["pubkey"]


def match(id: str, title: str, req: str, matches: bool, *filters: dict[str, Any], flags: str = "Basic") -> Any:
    return valid(id, title, req, {"filters": list(filters), "event": EVENT}, {"matches": matches}, flags=flags)


def refuse(id: str, title: str, req: str, one: Any, error: str, flags: str) -> Any:
    return invalid(id, title, req, {"filters": [one], "event": EVENT}, error, flags=flags)


SUITE.group(
    "filter_match",
    match("filter-empty", "a filter without conditions matches everything", "NIP01-FILTER-02", True, {}),
    match("filter-id", "an id in the list", "NIP01-FILTER-01", True, {"ids": ["00" * 32, ID]}),
    match("filter-other-id", "an id not in the list", "NIP01-FILTER-01", False, {"ids": ["00" * 32]}),
    match("filter-author", "an author in the list", "NIP01-FILTER-01", True, {"authors": [BOB, ALICE]}),
    match("filter-other-author", "an author not in the list", "NIP01-FILTER-01", False, {"authors": [BOB]}),
    match("filter-kind", "a kind in the list", "NIP01-FILTER-01", True, {"kinds": [1, 25910]}),
    match("filter-other-kind", "a kind not in the list", "NIP01-FILTER-01", False, {"kinds": [1, 26910]}),
    match("filter-tag", "a tag value in the list", "NIP01-FILTER-04", True, {"#p": [CAROL, BOB]}),
    match("filter-second-tag", "the second tag of a name counts too", "NIP01-FILTER-04", True, {"#t": ["two"]}),
    match("filter-other-tag", "no tag value in the list", "NIP01-FILTER-04", False, {"#p": [CAROL]}),
    match("filter-absent-tag", "a tag that the event does not have", "NIP01-FILTER-04", False, {"#d": ["one"]}),
    match("filter-tag-case", "tag names differ by case", "NIP01-FILTER-04", True, {"#T": ["upper"]}),
    match("filter-tag-other-case", "a value under the other case's name", "NIP01-FILTER-04", False, {"#t": ["upper"]}),
    match("filter-empty-tag-value", "the empty string is a value", "NIP01-FILTER-04", True, {"#s": [""]}),
    match("filter-later-tag-element", "the third element of a tag is not searched", "NIP01-FILTER-04", False,
          {"#t": ["hint"]}, flags="FirstValueOnly"),
    match("filter-tag-prefix", "values match whole, not by prefix", "NIP01-FILTER-04", False, {"#t": ["on"]}),
    match("filter-since-equal", "created_at equal to since matches", "NIP01-FILTER-05", True, {"since": TIME},
          flags="Boundary"),
    match("filter-since-after", "created_at before since does not match", "NIP01-FILTER-05", False, {"since": TIME + 1},
          flags="Boundary"),
    match("filter-until-equal", "created_at equal to until matches", "NIP01-FILTER-05", True, {"until": TIME},
          flags="Boundary"),
    match("filter-until-before", "created_at after until does not match", "NIP01-FILTER-05", False, {"until": TIME - 1},
          flags="Boundary"),
    match("filter-until-zero", "until 0 is a condition", "NIP01-FILTER-05", False, {"until": 0}, flags="Boundary"),
    match("filter-window", "since and until together", "NIP01-FILTER-05", True, {"since": TIME - 1, "until": TIME + 1}),
    match("filter-limit", "limit plays no part in matching", "NIP01-FILTER-06", True, {"limit": 0}, flags="Boundary"),
    match("filter-all", "all conditions met", "NIP01-FILTER-02", True,
          {"ids": [ID], "authors": [ALICE], "kinds": [25910], "#p": [BOB], "#e": [REFERENCED], "since": 0, "limit": 1}),
    match("filter-all-but-one", "all conditions met but one", "NIP01-FILTER-02", False,
          {"ids": [ID], "authors": [ALICE], "kinds": [25910], "#p": [CAROL]}, flags="Conjunction"),
    match("filter-two-tags", "two tag conditions, one of them not met", "NIP01-FILTER-02", False,
          {"#p": [BOB], "#e": ["00" * 32]}, flags="Conjunction"),
    match("filter-any-of-two", "one of two filters is enough", "NIP01-FILTER-03", True, {"kinds": [1]}, {"#p": [BOB]}),
    match("filter-none-of-two", "conditions of two filters are not mixed", "NIP01-FILTER-03", False,
          {"kinds": [25910], "#p": [CAROL]}, {"kinds": [1], "#p": [BOB]}, flags="Conjunction"),
    refuse("filter-author-upper-case", "an author in upper case", "NIP01-FILTER-08", {"authors": [ALICE.upper()]},
           "malformed_filter", "HexCase"),
    refuse("filter-author-prefix", "the first digits of an author", "NIP01-FILTER-08", {"authors": [ALICE[:8]]},
           "malformed_filter", "HexCase"),
    refuse("filter-id-short", "an id of 63 digits", "NIP01-FILTER-08", {"ids": [ID[:63]]}, "malformed_filter", "HexCase"),
    refuse("filter-p-not-hex", "a #p value that is no key", "NIP01-FILTER-08", {"#p": ["bob"]}, "malformed_filter",
           "HexCase"),
    refuse("filter-e-not-hex", "an #e value that is no id", "NIP01-FILTER-08", {"#e": [REFERENCED.upper()]},
           "malformed_filter", "HexCase"),
    refuse("filter-kind-string", "a kind as a string", "NIP01-FILTER-01", {"kinds": ["1"]}, "malformed_filter",
           "WrongType"),
    refuse("filter-kind-bool", "true as a kind", "NIP01-FILTER-01 NIP01-EVT-05", {"kinds": [True]}, "malformed_filter",
           "WrongType"),
    refuse("filter-kind-65536", "a kind above 65535", "NIP01-FILTER-01 NIP01-EVT-05", {"kinds": [65536]},
           "malformed_filter", "Range"),
    refuse("filter-kinds-number", "kinds that are a number", "NIP01-FILTER-01", {"kinds": 1}, "malformed_filter",
           "WrongType"),
    refuse("filter-since-string", "since as a string", "NIP01-FILTER-05", {"since": "0"}, "malformed_filter",
           "WrongType"),
    refuse("filter-since-negative", "a negative since", "NIP01-FILTER-05 NIP01-EVT-10", {"since": -1},
           "malformed_filter", "Range"),
    acceptable("filter-until-64-bits", "until of 2^64 - 1, the largest number of 64 bits", "NIP01-FILTER-05",
               {"filters": [{"until": 2**64 - 1}], "event": EVENT}, "AMB-04", output={"matches": True},
               flags="Boundary"),
    refuse("filter-tag-number", "a number as a tag value", "NIP01-FILTER-04", {"#t": [1]}, "malformed_filter",
           "WrongType"),
    refuse("filter-array", "an array in place of a filter", "NIP01-FILTER-01", [], "not_an_object", "WrongType"),
    acceptable("filter-empty-list", "a list without values", "NIP01-FILTER-07",
               {"filters": [{"kinds": []}], "event": EVENT}, "AMB-05", output={"matches": False},
               error="malformed_filter", flags="EmptyList"),
    acceptable("filter-empty-tag-list", "a tag list without values", "NIP01-FILTER-07",
               {"filters": [{"#p": []}], "event": EVENT}, "AMB-05", output={"matches": False},
               error="malformed_filter", flags="EmptyList"),
    refuse("filter-unknown-field", "a field that NIP-01 does not define", "NIP01-FILTER-09", {"newest": True},
           "unknown_filter_field", "UnknownField"),
    refuse("filter-long-tag-name", "a tag condition of more than one letter", "NIP01-FILTER-09", {"#cap": ["x"]},
           "unknown_filter_field", "UnknownField"),
    refuse("filter-digit-tag-name", "a tag condition of a digit", "NIP01-FILTER-09", {"#1": ["x"]},
           "unknown_filter_field", "UnknownField"),
)  # fmt: skip


def kind(number: int, its_class: str, flags: str = "KindEdge") -> Any:
    return valid(f"kind-{number}", f"kind {number} is {its_class}", "NIP01-KIND-01", {"kind": number},
                 {"class": its_class}, flags=flags)  # fmt: skip


SUITE.group(
    "kind_class",
    kind(0, "replaceable"),
    kind(1, "regular"),
    kind(2, "regular"),
    kind(3, "replaceable"),
    kind(4, "regular"),
    kind(5, "regular", "Basic"),
    kind(13, "regular", "Basic"),
    kind(44, "regular"),
    kind(1000, "regular"),
    kind(1059, "regular", "Basic"),
    kind(5910, "regular", "Basic"),
    kind(6910, "regular", "Basic"),
    kind(9999, "regular"),
    kind(10000, "replaceable"),
    kind(11316, "replaceable", "Basic"),
    kind(19999, "replaceable"),
    kind(20000, "ephemeral"),
    kind(21059, "ephemeral", "Basic"),
    kind(21316, "ephemeral", "Basic"),
    kind(25910, "ephemeral", "Basic"),
    kind(29999, "ephemeral"),
    kind(30000, "addressable"),
    kind(31316, "addressable", "Basic"),
    kind(39999, "addressable"),
    acceptable("kind-45", "kind 45 is in no range", "NIP01-KIND-01", {"kind": 45}, "AMB-06", flags="KindEdge"),
    acceptable("kind-40000", "kind 40000 is in no range", "NIP01-KIND-01", {"kind": 40000}, "AMB-06", flags="KindEdge"),
)  # fmt: skip


def addressed(id: str, title: str, event: dict[str, Any], address: str | None) -> Any:
    return valid(id, title, "NIP01-ADDR-01", {"event": event}, {"address": address}, flags="Replaceable")


SUITE.group(
    "event_address",
    addressed("address-addressable", "kind, author and d of an addressable event",
              signed("alice", 31316, [["d", "server:1"]], "{}"), f"31316:{ALICE}:server:1"),
    addressed("address-without-d", "an addressable event without d has the empty one",
              signed("alice", 31316, [], "{}"), f"31316:{ALICE}:"),
    addressed("address-d-without-value", "a d tag without a value is the empty one",
              signed("alice", 31316, [["d"]], "{}"), f"31316:{ALICE}:"),
    addressed("address-first-d", "the first of two d tags counts", signed("alice", 31316, [["d", "a"], ["d", "b"]], "{}"),
              f"31316:{ALICE}:a"),
    addressed("address-replaceable", "a replaceable event's address ends with a colon",
              signed("alice", 11316, [["d", "ignored"]], "{}"), f"11316:{ALICE}:"),
    addressed("address-regular", "a regular event has no address", signed("alice", 1, [["d", "x"]], ""), None),
    addressed("address-ephemeral", "an ephemeral event has no address", EVENT, None),
)  # fmt: skip

OLD = signed("alice", 31316, [["d", "server"]], "old", TIME)
NEW = signed("alice", 31316, [["d", "server"]], "new", TIME + 1)
TWINS = sorted(
    (signed("alice", 31316, [["d", "server"]], text, TIME) for text in ("left", "right")), key=lambda e: e["id"]
)
ELSEWHERE = signed("alice", 31316, [["d", "other"]], "new", TIME + 1)
FOREIGN = signed("bob", 31316, [["d", "server"]], "new", TIME + 1)
NOTE_OLD, NOTE_NEW = signed("alice", 1, [], "old", TIME), signed("alice", 1, [], "new", TIME + 1)


def replaced(
    id: str, title: str, req: str, candidate: Any, held: Any, replaces: bool, flags: str = "Replaceable"
) -> Any:
    return valid(id, title, req, {"candidate": candidate, "held": held}, {"replaces": replaces}, flags=flags)


SUITE.group(
    "replaces",
    replaced("replaces-newer", "a later version replaces", "NIP01-REPL-01", NEW, OLD, True),
    replaced("replaces-older", "an earlier version does not replace", "NIP01-REPL-01", OLD, NEW, False),
    replaced("replaces-lower-id", "of two in one second the lower id stays", "NIP01-REPL-02", TWINS[0], TWINS[1], True,
             "Tie"),
    replaced("replaces-higher-id", "of two in one second the higher id goes", "NIP01-REPL-02", TWINS[1], TWINS[0], False,
             "Tie"),
    replaced("replaces-itself", "an event does not replace itself", "NIP01-REPL-02", OLD, OLD, False, "Tie"),
    replaced("replaces-other-d", "another d is another address", "NIP01-ADDR-01", ELSEWHERE, OLD, False),
    replaced("replaces-other-author", "another author is another address", "NIP01-ADDR-01", FOREIGN, OLD, False),
    replaced("replaces-regular", "regular events do not replace each other", "NIP01-KIND-01", NOTE_NEW, NOTE_OLD, False),
)  # fmt: skip

SUITE.group(
    "sort_events",
    valid("sort-newest-first", "newest first, and of one second the lowest id first", "NIP01-FILTER-10",
          {"events": [OLD, *reversed(TWINS), NEW, NOTE_OLD]},
          {"ids": [NEW["id"], *sorted([OLD["id"], NOTE_OLD["id"], *(twin["id"] for twin in TWINS)])]}, flags="Tie"),
)  # fmt: skip

SUITE.group(
    "filter_match",
    match("filter-kind-edges", "the first and the last kind are kinds", "NIP01-FILTER-02", True,
          {"kinds": [0, 25910, 65535]}, flags="KindEdge"),
    refuse("filter-hex-punctuation", "an id of 63 digits and an exclamation mark", "NIP01-FILTER-08",
           {"ids": [ID[:63] + "!"]}, "malformed_filter", "HexCase"),
)  # fmt: skip

SUITE.group(
    "event_address",
    addressed("address-d-with-more", "what follows the value of d is no part of it",
              signed("alice", 31316, [["d", "server", "more"]], "{}"), f"31316:{ALICE}:server"),
)  # fmt: skip
