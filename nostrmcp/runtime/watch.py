"""Watching relays: every event that belongs to a revision, as it comes. Nothing is verified."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from ..nostr import Event, Filter
from ..revisions import REVISIONS
from .driving import Observer
from .pool import Pool
from .reports import Arrived, Caught, Changed, Ended, Noticed, State

KINDS = frozenset(
    kind
    for revision in REVISIONS.values()
    for kind in (
        revision.kinds.request,
        revision.kinds.response,
        revision.kinds.notification,
        *revision.kinds.wraps,
        *revision.kinds.announcements.values(),
    )
)


class NoRelayAnswered(Exception):
    """No relay showed what it has stored."""


async def watch(relays: Sequence[str], *, live: bool, observe: Observer) -> AsyncIterator[Event]:
    """What relays have stored and, where it is to go on `live`, what they get from now on, until the caller stops.

    Without `live` it ends when every relay has shown what it has, has refused, or cannot be reached; where none has
    shown anything, with NoRelayAnswered.
    """
    left = set(relays)
    answered = False
    async with Pool(relays) as pool:
        pool.subscribe("watch", Filter(kinds=KINDS))
        while left or live:
            one = await pool.receive()
            if isinstance(one, Arrived):
                yield one.event
                continue
            if isinstance(one, (Changed, Ended, Noticed)):
                observe(one)
            answered |= isinstance(one, Caught)
            if isinstance(one, (Caught, Ended)) or (isinstance(one, Changed) and one.state is State.WAITING):
                left.discard(one.relay)
    if not answered:
        raise NoRelayAnswered
