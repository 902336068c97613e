"""Sessions of either role that believe what they should not: forged, old, repeated, or meant for another."""

from __future__ import annotations

from typing import Any

from nostrmcp.nostr import Event, Violation, nip59
from nostrmcp.nostr import event as events
from nostrmcp.session.actions import Now
from nostrmcp.session.arriving import Arrival, Gate
from nostrmcp.session.errors import ErrorClass
from nostrmcp.session.limits import Seen
from nostrmcp.session.settings import Encryption
from tests.zoo.sessions_layer.making import BOTH, REVISIONS, WRAPPING, bug, nothing

right_init, right_open, right_unwrapped = Gate.__init__, Gate.open, Gate._unwrapped
right_untimely, right_add = Gate._refuse_untimely, Seen.add


def excused(*classes: ErrorClass, where: Any = lambda _event, _unix: True) -> Any:
    """A gate that is blind to some reasons why a time or an id is refused."""

    def refuse(gate: Gate, event: Event, now: Now) -> None:
        try:
            right_untimely(gate, event, now)
        except Violation as violation:
            if violation.error_class not in classes or not where(event, now.unix):
                raise

    return refuse


def open_without_signature(gate: Gate, event: Event, now: Now) -> Arrival:
    if event.kind in nip59.WRAP_KINDS or gate._policy is Encryption.REQUIRED:
        return right_open(gate, event, now)
    gate._refuse_untimely(event, now)
    return Arrival(event, None)


def unwrap_without_signature(wrapped: Event, recipient: Any) -> Event:
    return events.parse(nip59._open(wrapped, recipient))


def unwrap_without_wrap_signature(wrapped: Event, recipient: Any) -> Event:
    inner = events.parse(nip59._decrypt(wrapped, nip59.PublicKey(wrapped.pubkey), recipient))
    inner.verify()
    return inner


def open_by_wrap(gate: Gate, event: Event, now: Now) -> Arrival:
    """The id of the wrap in place of the id of the message."""
    inner, wrap = right_unwrapped(gate, event, now)
    return Arrival(with_(inner, id=event.id), wrap)


def open_as_message(gate: Gate, event: Event, now: Now) -> Arrival:
    """Whatever kind is in a wrap, it is read as the kind of requests and answers."""
    inner, wrap = right_unwrapped(gate, event, now)
    return Arrival(with_(inner, kind=25910), wrap)


def with_(event: Event, id: bytes | None = None, kind: int | None = None) -> Event:
    return Event(
        id or event.id, event.pubkey, event.created_at, kind or event.kind, event.tags, event.content, event.sig
    )


def open_again(gate: Gate, event: Event, now: Now) -> Arrival:
    """A wrap is new if it was never opened, whatever is in it."""
    if event.id in gate._recent:
        raise Violation(ErrorClass.REPEATED, "event.id", "this wrap was opened before")
    seen, gate.seen = gate.seen, Seen(gate.seen._budget, 0)
    try:
        return right_unwrapped(gate, event, now)
    finally:
        gate.seen = seen


def open_plain_again(gate: Gate, event: Event, now: Now) -> Arrival:
    """Only wraps have their ids remembered."""
    if event.kind in nip59.WRAP_KINDS:
        return right_open(gate, event, now)
    seen, gate.seen = gate.seen, Seen(gate.seen._budget, 0)
    try:
        return right_open(gate, event, now)
    finally:
        gate.seen = seen


def open_plain(gate: Gate, event: Event, now: Now) -> Arrival:
    """Plain text is read where encryption is required."""
    policy, gate._policy = gate._policy, Encryption.OPTIONAL
    try:
        return right_open(gate, event, now)
    finally:
        gate._policy = policy


def open_disabled(gate: Gate, event: Event, now: Now) -> Arrival:
    wraps, gate._wraps = gate._wraps, frozenset(nip59.WRAP_KINDS)
    try:
        return right_unwrapped(gate, event, now)
    finally:
        gate._wraps = wraps


def open_by_wrap_time(gate: Gate, event: Event, now: Now) -> Arrival:
    """The time of the wrap is taken for that of the message."""
    inner, wrap = right_unwrapped(gate, event, Now(event.created_at, now.monotonic))
    return Arrival(inner, wrap)


def open_fresh_wraps(gate: Gate, event: Event, now: Now) -> Arrival:
    """A wrap is as fresh as what it holds."""
    if abs(event.created_at - now.unix) > gate._fresh:
        raise Violation(ErrorClass.NOT_FRESH, "event.created_at", "the wrap is old")
    return right_unwrapped(gate, event, now)


def open_and_remember_first(gate: Gate, event: Event, now: Now) -> Arrival:
    """The id is remembered before the signature is looked at: a forged copy keeps the true one out."""
    if event.kind in nip59.WRAP_KINDS:
        return right_open(gate, event, now)
    gate._refuse_untimely(event, now)
    if event.id in FORGED_FIRST.setdefault(id(gate), set()):
        raise Violation(ErrorClass.REPEATED, "event.id", "it came before")
    FORGED_FIRST[id(gate)].add(event.id)
    return right_open(gate, event, now)


# What a gate that remembers too early has seen.
FORGED_FIRST: dict[int, set[bytes]] = {}


def clean_init(gate: Gate, *args: Any, **options: Any) -> None:
    FORGED_FIRST.pop(id(gate), None)
    right_init(gate, *args, **options)


def init_with(**changes: Any) -> Any:
    def init(gate: Gate, key: Any, **options: Any) -> None:
        right_init(gate, key, **{**options, **changes})

    return init


def add_over_old(seen: Seen, event_id: bytes, key: bytes, now: float) -> bool:
    """A full memory forgets its oldest id."""
    while not seen._budget.has_room(key) and seen._order:
        _, old, holder = seen._order.popleft()
        seen._ids.discard(old)
        seen._budget.give(holder)
    return right_add(seen, event_id, key, now)


def any_p_is_ours(gate: Gate, event: Event) -> None:
    named = [tag[1] for tag in event.tags if tag[0] == "p" and len(tag) > 1]
    if named and gate._own not in named:
        raise Violation(ErrorClass.WRONG_RECIPIENT, "event.tags", "no p tag is ours")


def open_any_length(gate: Gate, event: Event, now: Now) -> Arrival:
    limit, gate._content = gate._content, 1 << 30
    try:
        return right_open(gate, event, now)
    finally:
        gate._content = limit


MEMBERS = [
    bug(
        "plain-signature",
        "The signature of a plain event is not verified.",
        BOTH,
        (Gate, "open", open_without_signature),
        on=REVISIONS,
        fails="forged",
    ),
    bug(
        "inner-signature",
        "The signature of an event in a wrap is not verified.",
        BOTH,
        (nip59, "unwrap", unwrap_without_signature),
        on=WRAPPING,
        fails="inner-forged forged-inner",
    ),
    bug(
        "wrap-signature",
        "The signature of a wrap itself is not verified.",
        BOTH,
        (nip59, "unwrap", unwrap_without_wrap_signature),
        on=WRAPPING,
        fails="not-ours",
    ),
    bug(
        "any-recipient",
        "A message for another key is read like one's own, in a wrap too.",
        BOTH,
        (Gate, "refuse_wrong_recipient", nothing),
        on=REVISIONS,
        fails="wrong-recipient wrong-recipient-cancel foreign-inner answer-for-another notification-recipient",
    ),
    bug(
        "some-recipient",
        "A message for several keys is taken by each of them.",
        BOTH,
        (Gate, "refuse_wrong_recipient", any_p_is_ours),
        on=REVISIONS,
        fails="wrong-recipient answer-for-another",
    ),
    bug(
        "inner-kind",
        "An event of any kind that a wrap holds is read as a message.",
        BOTH,
        (Gate, "_unwrapped", open_as_message),
        on=WRAPPING,
        fails="inner-kind",
    ),
    bug(
        "wrap-id",
        "A request in a wrap is known by the id of the wrap.",
        BOTH,
        (Gate, "_unwrapped", open_by_wrap),
        on=WRAPPING,
        fails="wrapped-inner-id two-wraps wrapped-twice",
    ),
    bug(
        "wraps-again",
        "One request in two wraps is executed twice.",
        BOTH,
        (Gate, "_unwrapped", open_again),
        on=WRAPPING,
        fails="two-wraps wrapped-twice",
    ),
    bug(
        "plain-again",
        "A plain event from two relays counts twice.",
        BOTH,
        (Gate, "open", open_plain_again),
        on=REVISIONS,
        fails="repeated told-twice progress-twice",
    ),
    bug(
        "required-plain",
        "Plain text is read where encryption is required.",
        BOTH,
        (Gate, "open", open_plain),
        on=WRAPPING,
        fails="required",
    ),
    bug(
        "disabled-wraps",
        "Wraps are read where encryption is disabled.",
        BOTH,
        (Gate, "_unwrapped", open_disabled),
        on=WRAPPING,
        fails="disabled",
    ),
    bug(
        "stale",
        "An event of any time counts.",
        BOTH,
        (Gate, "_refuse_untimely", excused(ErrorClass.NOT_FRESH)),
        on=REVISIONS,
        fails="stale stale-inner wrap-times",
    ),
    bug(
        "future",
        "An event from the future counts.",
        BOTH,
        (Gate, "_refuse_untimely", excused(ErrorClass.NOT_FRESH, where=lambda event, now: event.created_at > now)),
        on="cvm",
        fails="stale",
    ),
    bug(
        "before-start",
        "A request from before the process started is executed.",
        BOTH,
        (Gate, "_refuse_untimely", excused(ErrorClass.BEFORE_START)),
        on=REVISIONS,
        fails="before-start",
    ),
    bug(
        "inner-stale",
        "An old request in a new wrap counts as new.",
        BOTH,
        (Gate, "_unwrapped", open_by_wrap_time),
        on=WRAPPING,
        fails="stale-inner wrap-times",
    ),
    bug(
        "wrap-stale",
        "A wrap that is dated into the past, as wraps are, is refused.",
        BOTH,
        (Gate, "_unwrapped", open_fresh_wraps),
        on=WRAPPING,
        fails="stale-inner wrap-times",
    ),
    bug(
        "censored",
        "The id of an event is remembered before it is verified, so that a forged copy censors the true one.",
        BOTH,
        (Gate, "__init__", clean_init),
        (Gate, "open", open_and_remember_first),
        on=REVISIONS,
        fails="forged-copy",
    ),
    bug(
        "full-memory-forgets",
        "A full memory of ids forgets the oldest, which then counts again.",
        BOTH,
        (Seen, "add", add_over_old),
        on=REVISIONS,
        fails="full-memory",
    ),
    bug(
        "any-length",
        "Content of any length is read.",
        BOTH,
        (Gate, "open", open_any_length),
        on=REVISIONS,
        fails="too-long",
    ),
    bug(
        "any-number-of-wraps",
        "Any number of wraps is opened in a second.",
        BOTH,
        (Gate, "__init__", init_with(unwraps_per_second=1 << 30)),
        on=WRAPPING,
        fails="many-wraps too-many-wraps",
    ),
]
