"""Who speaks with which server in which revision, and how much room they have."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..nostr import Violation
from ..revisions.model import Revision
from .actions import Now
from .errors import ErrorClass
from .limits import Budget
from .links import McpLink
from .settings import McpServer, ServerLimits

# Client key, server id, and revision, None while several fit.
SessionKey = tuple[bytes, str, str | None]


@dataclass(slots=True, eq=False)
class Session:
    """A client's key, a server id and a revision (HOUSE-ID-07), and what must be remembered of them.

    `revisions` are those that its messages fit so far, the preferred one first. `wrap` is the kind of wrap that the
    client used last, and stays once it has encrypted (HOUSE-CRYPT-04). What the first message of a side says of wraps
    counts for the session (CVM-FLOW-65): `heard` and `told` are set by it. `work` counts what keeps the session from
    being evicted (HOUSE-LIMIT-09).
    """

    client: bytes
    server: McpServer
    revisions: tuple[Revision, ...]
    link: McpLink
    wrap: int | None = None
    ephemeral_wraps: bool = False
    heard: bool = False
    told: bool = False
    listens: bool = False
    work: int = 0
    used: float = 0.0
    watched: set[str] | None = None
    revision: Revision = field(init=False)
    key: SessionKey = field(init=False)

    def __post_init__(self) -> None:
        self.settle(self.revisions)

    def settle(self, revisions: tuple[Revision, ...]) -> None:
        """The revisions that its messages fit."""
        self.revisions = revisions
        self.revision = revisions[0]
        self.key = session_key(self.client, self.server.id, revisions)


def session_key(client: bytes, server_id: str, revisions: tuple[Revision, ...]) -> SessionKey:
    return client, server_id, revisions[0].name if len(revisions) == 1 else None


@dataclass(slots=True)
class _Client:
    latched: Revision | None = None
    sessions: list[Session] = field(default_factory=list)


class Sessions:
    """All sessions of a provider. Idle ones make room, the longest unused first; those with work never do."""

    __slots__ = ("_budget", "_by_key", "_clients", "_idle")

    def __init__(self, limits: ServerLimits, allow: frozenset[bytes] | None) -> None:
        self._budget = Budget(limits.sessions, limits.sessions_per_key, limits.reserved, allow)
        self._by_key: dict[SessionKey, Session] = {}
        self._clients: dict[bytes, _Client] = {}
        # In order of last use: a dict keeps the order in which its keys came.
        self._idle: dict[SessionKey, None] = {}

    def __len__(self) -> int:
        return len(self._by_key)

    def all(self) -> list[Session]:
        return list(self._by_key.values())

    def latched(self, client: bytes) -> Revision | None:
        """The revision that an unambiguous message of this key has settled (HOUSE-ROUTE-08)."""
        known = self._clients.get(client)
        return None if known is None else known.latched

    def latch(self, client: bytes, revision: Revision) -> None:
        """Settle the revision of a key (HOUSE-ROUTE-11); sessions that were undecided are of this revision now."""
        known = self._clients.get(client)
        if known is None or known.latched is revision:
            return
        known.latched = revision
        for session in known.sessions:
            if revision in session.revisions and self.find(client, session.server.id, (revision,)) is None:
                old = session.key
                session.settle((revision,))
                del self._by_key[old]
                self._by_key[session.key] = session
                if old in self._idle:
                    del self._idle[old]
                    self._idle[session.key] = None

    def find(self, client: bytes, server_id: str, revisions: tuple[Revision, ...]) -> Session | None:
        return self._by_key.get(session_key(client, server_id, revisions))

    def of_client(self, client: bytes) -> list[Session]:
        known = self._clients.get(client)
        return [] if known is None else known.sessions

    def unsolicited_wrap(self, session: Session, revision: Revision) -> int | None:
        """Once a client has encrypted, with any server here, nothing goes to it in plain unasked (HOUSE-CRYPT-04)."""
        if session.wrap is not None:
            return session.wrap
        used = (one.wrap for one in self.of_client(session.client))
        return next((wrap for wrap in used if wrap in revision.kinds.wraps), None)

    def make_room(self, client: bytes) -> Session | None:
        """The idle session to end before this client gets one, if one must; a Violation where none can."""
        if self._budget.has_room(client):
            return None
        if self._budget.key_is_full(client):
            idle = [session for session in self.of_client(client) if not session.work]
            oldest = min(idle, key=lambda session: session.used, default=None)
        else:
            oldest = self.oldest_idle()
        if oldest is None:
            raise Violation(ErrorClass.NO_ROOM, "session", "every session has work pending")
        return oldest

    def add(self, session: Session, now: Now) -> None:
        self._budget.take(session.client)
        self._by_key[session.key] = session
        self._clients.setdefault(session.client, _Client()).sessions.append(session)
        session.used = now.monotonic
        self._idle[session.key] = None

    def use(self, session: Session, now: Now) -> None:
        """The client has asked something: of the idle sessions this one is the last to go."""
        session.used = now.monotonic
        if session.key in self._idle:
            self._idle[session.key] = self._idle.pop(session.key)

    def begin_work(self, session: Session) -> None:
        """The session has something to do: it is not idle before as many calls of `end_work`."""
        session.work += 1
        self._idle.pop(session.key, None)

    def end_work(self, session: Session) -> None:
        session.work -= 1
        if not session.work and session.key in self._by_key:
            self._idle[session.key] = None

    def remove(self, session: Session) -> None:
        self._budget.give(session.client)
        del self._by_key[session.key]
        self._idle.pop(session.key, None)
        known = self._clients[session.client]
        known.sessions.remove(session)
        if not known.sessions:
            del self._clients[session.client]

    def oldest_idle(self) -> Session | None:
        """The idle session that was used least recently."""
        key = next(iter(self._idle), None)
        return None if key is None else self._by_key[key]
