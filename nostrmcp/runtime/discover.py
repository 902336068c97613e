"""Looking for servers: announcements on relays, and what a target that a person names stands for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf

from ..nostr import ErrorClass, Event, Filter, PublicKey, SecretKey, Violation, nip19
from ..nostr.event import is_hex32
from ..revisions import REVISIONS, Revision
from ..revisions.detect import detect
from ..revisions.model import MessageClass
from ..translate import announce
from ..translate.announce import Announcement
from .pool import Pool
from .relay import RelaySettings
from .reports import Arrived, Caught, Changed, Ended, State

ANNOUNCEMENT_KINDS = frozenset(
    kind for revision in REVISIONS.values() for kind in revision.kinds.announcements.values()
)  # fmt: skip
# What relays may make us hold: events, and bytes of them.
MAX_EVENTS = 10_000
MAX_BYTES = 1 << 26


@dataclass(frozen=True, slots=True)
class Found:
    """A server that is announced. Where its announcement fits several revisions, the first of them is read."""

    event: Event
    revisions: tuple[str, ...]
    about: Announcement
    lists: dict[MessageClass, Announcement] = field(default_factory=dict)

    @property
    def revision(self) -> Revision:
        return REVISIONS[self.revisions[0]]

    def address(self, relays: tuple[str, ...] = ()) -> str:
        """What to give to `call` and `proxy`."""
        return announce.server_address(self.about, self.revision, relays)


@dataclass(frozen=True, slots=True)
class Search:
    """What was found, which relays did not answer, and which of these could not even be connected to; both with the
    reason in words."""

    servers: tuple[Found, ...]
    silent: dict[str, str]
    unreachable: dict[str, str]


async def announcements(
    relays: Sequence[str],
    *,
    authors: Iterable[bytes] = (),
    key: SecretKey | None = None,
    seconds: float = 10.0,
    patience: float | None = None,
) -> tuple[list[Event], dict[str, str], dict[str, str]]:
    """The announcements that relays have, verified, the current one of each address; who did not answer in time, and
    who of these could not even be connected to; both with the reason.

    `patience` is how long the others are waited for once one relay has shown all it has, and has something.
    """
    authored = frozenset(authors)
    wanted = Filter(kinds=ANNOUNCEMENT_KINDS, authors=authored or None)
    waiting = dict.fromkeys(relays, "no answer in time")
    unreachable: dict[str, str] = {}
    events: list[Event] = []
    # A relay that is not there is not waited for.
    settings = RelaySettings(backoff=seconds)
    async with Pool(relays, key=key, settings=settings) as pool:
        pool.subscribe("discover", wanted)
        try:
            async with asyncio.timeout(seconds) as limit:
                left, size = set(waiting), 0
                while left and len(events) < MAX_EVENTS and size < MAX_BYTES:
                    one = await pool.receive()
                    if isinstance(one, Arrived):
                        if _is_true(one.event):
                            events.append(one.event)
                            size += one.event.sent_length
                    elif isinstance(one, Caught):
                        waiting.pop(one.relay, None)
                        left.discard(one.relay)
                        if events and patience is not None:
                            limit.reschedule(min(limit.when() or inf, asyncio.get_running_loop().time() + patience))
                    elif isinstance(one, Ended) or (isinstance(one, Changed) and one.state is State.WAITING):
                        waiting[one.relay] = one.text if isinstance(one, Ended) else one.why
                        if isinstance(one, Changed):
                            unreachable[one.relay] = one.why
                        left.discard(one.relay)
        except TimeoutError:
            pass
    return announce.merge(events), waiting, unreachable


def _is_true(event: Event) -> bool:
    try:
        event.verify()
    except Violation:
        return False
    return True


async def search(
    relays: Sequence[str],
    *,
    authors: Iterable[bytes] = (),
    key: SecretKey | None = None,
    seconds: float = 10.0,
    patience: float | None = None,
) -> Search:
    """The servers that relays know, each with its lists; see `announcements`."""
    events, silent, unreachable = await announcements(
        relays, authors=authors, key=key, seconds=seconds, patience=patience
    )
    return Search(tuple(servers_in(events)), silent, unreachable)


def servers_in(events: Iterable[Event]) -> list[Found]:
    """Servers and their lists, newest first. What breaks the rules of every revision it may belong to is left out."""
    servers: dict[tuple[str, bytes, str | None], Found] = {}
    others: list[Event] = []
    for event in events:
        names = tuple(name for name in detect(event).candidates if _reads(event, REVISIONS[name]) is not None)
        about = _reads(event, REVISIONS[names[0]]) if names else None
        if about is None:
            continue
        if about.type is MessageClass.SERVER:
            servers.setdefault((names[0], about.pubkey, about.server_id), Found(event, names, about))
        else:
            others.append(event)
    # By revision and not by server: strangers decide how many of either there are.
    spoken = {name for name, _, _ in servers}
    for event in others:
        for name in spoken:
            its = _reads(event, REVISIONS[name])
            server = None if its is None else servers.get((name, its.pubkey, its.server_id))
            if its is not None and server is not None and its.type is not MessageClass.SERVER:
                server.lists.setdefault(its.type, its)
    return list(servers.values())


def _reads(event: Event, revision: Revision) -> Announcement | None:
    try:
        return announce.parse(event, revision)
    except Violation:
        return None


@dataclass(frozen=True, slots=True)
class Target:
    """A server as a person names it: its key, its id where one is named, relays where it may be found."""

    pubkey: bytes
    server_id: str | None
    relays: tuple[str, ...]
    kind: int | None = None


def parse_target(text: str) -> Target:
    """An naddr, an nprofile, an npub, or a key in hexadecimal; a Violation for anything else."""
    if is_hex32(text):
        return Target(bytes.fromhex(text), None, ())
    entity = nip19.decode(text)
    match entity:
        case PublicKey():
            return Target(entity.x, None, ())
        case nip19.Profile(pubkey, relays):
            return Target(pubkey, None, relays)
        case nip19.Address(identifier, pubkey, kind, relays):
            return Target(pubkey, identifier or None, relays, kind)
    raise Violation(ErrorClass.UNKNOWN_PREFIX, "target", "it names no server: give an naddr, nprofile or npub")


class SeveralServers(Exception):
    """A target names a key that has several servers; `ids` are theirs."""

    def __init__(self, ids: tuple[str, ...]) -> None:
        super().__init__(ids)
        self.ids = ids

    def __str__(self) -> str:
        return f"the key has several servers, name one of them: {', '.join(map(ascii, self.ids))}"


def choose(found: Iterable[Found], target: Target, revision: Revision | None = None) -> Found | None:
    """The announced server that a target means, in the newest revision it is announced in; None if there is none."""
    mine = [
        one
        for one in found
        if one.about.pubkey == target.pubkey
        and target.server_id in (None, one.about.server_id)
        and target.kind in (None, one.event.kind)
        and (revision is None or revision.name in one.revisions)
    ]
    for name in reversed(REVISIONS):
        alike = [one for one in mine if one.revisions[0] == name]
        if len(alike) > 1:
            raise SeveralServers(tuple(sorted(str(one.about.server_id) for one in alike)))
        if alike:
            return alike[0]
    return None
