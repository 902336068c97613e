"""Events that expire too early, too late or never."""

from __future__ import annotations

from collections.abc import Callable

from nostrmcp.nostr import Event, nip40
from tests.zoo.member import Operations, member, patched


def expiring(is_expired: Callable[[str, int], bool]) -> Operations:
    """`is_expired` of the first expiration tag's value and the time."""

    def expired(event: Event, now: int) -> bool:
        value = event.first("expiration")
        return value is not None and is_expired(value, now)

    return patched("is_expired", (nip40, "is_expired", expired))


def by_tag(is_expired: Callable[[Event, int], bool]) -> Operations:
    return patched("is_expired", (nip40, "is_expired", is_expired))


right = nip40.is_expired


def digits_only(value: str) -> int:
    return int(value) if value.isascii() and value.isdigit() and len(value) < 20 else 2**64


def any_digits(value: str) -> int:
    return int(value) if value.isdecimal() else 2**64


def signed(value: str) -> int:
    return -digits_only(value[1:]) if value.startswith("-") else digits_only(value)


def of_32_bits(value: str) -> int:
    return int(value) % 2**32 if value.isascii() and value.isdigit() else 2**64


def leading_digits(value: str) -> int:
    """Like C's strtol: what begins with no digit is 0."""
    digits = value[: len(value) - len(value.lstrip("0123456789"))]
    return int(digits or 0)


CONTROLS = [
    member("expire-control", "A clock without a bug.", expiring(lambda value, now: now >= digits_only(value)), fails="")
]

MEMBERS = [
    member(
        "expire-late",
        "Expires an event one second late.",
        expiring(lambda value, now: now > digits_only(value)),
        fails="expiration-at",
    ),
    member(
        "expire-early",
        "Expires an event one second early.",
        expiring(lambda value, now: now + 1 >= digits_only(value)),
        fails="expiration-before",
    ),
    member(
        "expire-never",
        "Does not know the tag.",
        by_tag(lambda event, now: False),
        fails="expiration-at expiration-after expiration-zero expiration-among-tags",
    ),
    member(
        "expire-always",
        "Expires events without the tag too.",
        by_tag(lambda event, now: now >= digits_only(event.first("expiration") or "0")),
        fails="expiration-none expiration-no-value",
    ),
    member(
        "expire-milliseconds",
        "Reads milliseconds.",
        expiring(lambda value, now: now * 1000 >= digits_only(value)),
        fails="expiration-before",
    ),
    member(
        "expire-relative",
        "Adds the value to created_at.",
        by_tag(
            lambda event, now: (
                event.first("expiration") is not None
                and now >= event.created_at + digits_only(event.first("expiration") or "")
            )
        ),
        fails="expiration-at expiration-after expiration-among-tags",
    ),
    member(
        "expire-first-tag",
        "Looks at the first tag only.",
        by_tag(lambda event, now: bool(event.tags) and event.tags[0][0] == "expiration" and right(event, now)),
        fails="expiration-among-tags",
    ),
    member(
        "expire-zero-is-never",
        "Takes 0 for never.",
        expiring(lambda value, now: digits_only(value) != 0 and now >= digits_only(value)),
        fails="expiration-zero",
    ),
    member(
        "expire-text-compared",
        "Compares times as texts.",
        expiring(lambda value, now: str(now) >= value),
        fails="expiration-negative",
    ),
    member(
        "expire-leading-digits",
        "Reads as many digits as there are, and none as 0, as C does.",
        expiring(lambda value, now: now >= leading_digits(value)),
        fails="expiration-word expiration-fraction expiration-negative expiration-other-digits",
    ),
    member(
        "expire-signed",
        "Reads negative numbers.",
        expiring(lambda value, now: now >= signed(value)),
        fails="expiration-negative",
    ),
    member(
        "expire-any-digits",
        "Reads digits of any script, as Python does.",
        expiring(lambda value, now: now >= any_digits(value)),
        fails="expiration-other-digits",
    ),
    member(
        "expire-crash",
        "Crashes on what is no number.",
        by_tag(lambda event, now: any(tag[0] == "expiration" and now >= int(tag[1]) for tag in event.tags)),
        fails="""
            expiration-word expiration-fraction expiration-negative expiration-no-value expiration-other-digits
        """,
    ),
    member(
        "expire-32-bits",
        "Cuts times to 32 bits.",
        expiring(lambda value, now: now >= of_32_bits(value)),
        fails="expiration-huge",
    ),
]
