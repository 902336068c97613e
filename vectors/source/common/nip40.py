"""NIP-40 expiration."""

from __future__ import annotations

from typing import Any

from vectors.source.writing import Note, Suite, acceptable, signed, valid

SUITE = Suite(
    "common/nip40",
    "NIP-40 expiration",
    "1",
    {
        "Basic": Note("BASIC", "an ordinary expiration tag", "old demands for payment are honoured"),
        "Boundary": Note("EDGE_CASE", "the very second of the expiration", "sender and reader disagree for a second"),
        "Malformed": Note(
            "AMBIGUOUS",
            "a tag that holds no unix time",
            "one implementation never expires the event, another refuses it",
        ),
    },
)

TIME = 1_750_000_000


def expiring(
    id: str, title: str, req: str, tags: list[list[str]], now: int, expired: bool, flags: str = "Basic"
) -> Any:
    return valid(id, title, req, {"event": signed("alice", 1, tags, "", TIME), "now": now}, {"expired": expired},
                 level="SHOULD", flags=flags)  # fmt: skip


def malformed(id: str, title: str, tag: list[str]) -> Any:
    return acceptable(id, title, "NIP40-TAG-01", {"event": signed("alice", 1, [tag], "", TIME), "now": TIME}, "AMB-07",
                      level="SHOULD", output={"expired": False}, error="malformed_expiration",
                      flags="Malformed")  # fmt: skip


SUITE.group(
    "is_expired",
    expiring("expiration-none", "an event without the tag never expires", "NIP40-EXP-01", [], 2**40, False),
    expiring("expiration-before", "one second before", "NIP40-EXP-01", [["expiration", str(TIME + 60)]], TIME + 59, False,
             "Boundary"),
    expiring("expiration-at", "at that very second", "NIP40-EXP-01", [["expiration", str(TIME + 60)]], TIME + 60, True,
             "Boundary"),
    expiring("expiration-after", "long after", "NIP40-EXP-01", [["expiration", str(TIME + 60)]], TIME + 10**6, True),
    expiring("expiration-zero", "a time of 0", "NIP40-TAG-01", [["expiration", "0"]], TIME, True, "Boundary"),
    expiring("expiration-among-tags", "the tag is found among others", "NIP40-TAG-01",
             [["t", "x"], ["expiration", str(TIME)], ["p", "00" * 32]], TIME + 1, True),
    malformed("expiration-word", "a word in place of a time", ["expiration", "soon"]),
    malformed("expiration-fraction", "a time with a fraction", ["expiration", f"{TIME}.5"]),
    malformed("expiration-negative", "a negative time", ["expiration", "-1"]),
    malformed("expiration-no-value", "a tag without a value", ["expiration"]),
    malformed("expiration-other-digits", "digits of another script", ["expiration", "\u0661\u0662\u0663"]),
    malformed("expiration-huge", "a time of 30 digits", ["expiration", "9" * 30]),
)  # fmt: skip

SUITE.group(
    "is_expired",
    expiring("expiration-largest", "the largest time of 64 bits is far away", "NIP40-TAG-01",
             [["expiration", "18446744073709551615"]], TIME, False, "Boundary"),
)  # fmt: skip
