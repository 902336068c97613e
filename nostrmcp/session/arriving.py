"""What stands between a relay and a session: nothing is believed before it has come through here."""

from __future__ import annotations

from typing import NamedTuple

from ..mcp.jsonrpc import Id, is_id
from ..nostr import Event, SecretKey, Violation, nip59, strict_json
from ..translate import codec
from .actions import Now
from .errors import ErrorClass
from .limits import Budget, Rate, Seen
from .settings import Encryption

# Wraps whose content is already known are not opened again. To forget one costs time, not safety: what is inside is
# known by its own id.
RECENT_WRAPS = 4096


def memory(fresh: float) -> float:
    """How long an event may still count as fresh, and a second more: dates are whole seconds, and this clock is not."""
    return 2 * fresh + 1


class Arrival(NamedTuple):
    """A message's event, verified, and the kind of the wrap it came in."""

    event: Event
    wrap: int | None


class Gate:
    """Opens, verifies and dates events; a Violation says why one goes no further."""

    __slots__ = (
        "_content", "_done", "_fresh", "_key", "_own", "_policy", "_recent", "_started", "_unwraps", "_wraps", "seen",
    )  # fmt: skip

    def __init__(
        self,
        key: SecretKey,
        *,
        wraps: frozenset[int],
        policy: Encryption,
        fresh: float,
        content: int,
        seen: Budget,
        unwraps_per_second: int,
        started: int | None = None,
        done: frozenset[bytes] | None = None,
    ) -> None:
        self._key = key
        self._own = key.public_key.hex()
        self._wraps = wraps
        self._policy = policy
        self._fresh = fresh
        self._content = content
        self._unwraps = Rate(unwraps_per_second)
        self._started = started
        self._done = done
        self._recent: dict[bytes, None] = {}
        self.seen = Seen(seen, memory(fresh))

    def open(self, event: Event, now: Now) -> Arrival:
        """The message's event, verified, fresh and new (HOUSE-TIME-01, HOUSE-TIME-03, HOUSE-ONCE-02, HOUSE-CRYPT-01).

        Whether it is ours to read is for `refuse_wrong_recipient`, and to take its id for `take`.
        """
        if len(event.content) > self._content:
            raise Violation(ErrorClass.TOO_LARGE, "event.content", f"longer than {self._content} characters")
        if event.kind in nip59.WRAP_KINDS:
            return self._unwrapped(event, now)
        if self._policy is Encryption.REQUIRED:
            raise Violation(ErrorClass.NOT_ENCRYPTED, "event", "plain, where encryption is required")
        self._refuse_untimely(event, now)
        event.verify()
        return Arrival(event, None)

    def _unwrapped(self, event: Event, now: Now) -> Arrival:
        if event.kind not in self._wraps:
            raise Violation(ErrorClass.ENCRYPTION_DISABLED, "event.kind", f"wraps of kind {event.kind} are not read")
        if event.id in self._recent:
            raise Violation(ErrorClass.REPEATED, "event.id", "this wrap was opened before")
        if not self._unwraps.take(now.monotonic):
            raise Violation(ErrorClass.TOO_MANY, "event", "more wraps in a second than may be opened")
        inner = nip59.unwrap(event, self._key)
        self._recent[event.id] = None
        if len(self._recent) > RECENT_WRAPS:
            del self._recent[next(iter(self._recent))]
        self._refuse_untimely(inner, now)
        return Arrival(inner, event.kind)

    def _refuse_untimely(self, event: Event, now: Now) -> None:
        if not -self._fresh <= event.created_at - now.unix <= self._fresh:
            raise Violation(ErrorClass.NOT_FRESH, "event.created_at", f"more than {self._fresh:g} s from now")
        if event.id in self.seen:
            raise Violation(ErrorClass.REPEATED, "event.id", "it was taken before")
        if self._done is not None:
            # Whatever its date: a client whose clock is ahead of ours has asked before it says it did.
            if event.id in self._done:
                raise Violation(ErrorClass.REPEATED, "event.id", "it was done before this process started")
        elif self._started is not None and event.created_at < self._started:
            raise Violation(ErrorClass.BEFORE_START, "event.created_at", "it is older than this process")

    def refuse_wrong_recipient(self, event: Event) -> None:
        """Every p is ours; that there is one is the codec's to demand (HOUSE-ROUTE-05 to HOUSE-ROUTE-07)."""
        for tag in event.tags:
            if tag[0] == "p" and (len(tag) < 2 or tag[1] != self._own):
                raise Violation(ErrorClass.WRONG_RECIPIENT, "event.tags", "a p tag names another key")

    def take(self, event: Event, now: Now) -> None:
        """Remember the id of a verified event: from here on it is taken (HOUSE-ONCE-03, HOUSE-ONCE-05)."""
        if not self.seen.add(event.id, event.pubkey, now.monotonic):
            raise Violation(ErrorClass.NO_ROOM, "event.id", "no more ids can be remembered")


def seems_asked(event: Event) -> tuple[bool, Id | None]:
    """Whether content that cannot be read may be a request, and the id it seems to have."""
    try:
        value = strict_json.parse(event.content)
    except Violation:
        return True, None
    if type(value) is not dict:
        return True, None
    method, given = value.get("method"), value.get("id")
    is_response = method is None and not value.keys().isdisjoint({"result", "error"})
    is_notification = type(method) is str and codec.is_notified(method) and "id" not in value
    return not is_response and not is_notification, given if is_id(given) else None
