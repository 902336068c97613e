"""Which revision a message is of, and which server it is for."""

from __future__ import annotations

from ..nostr import Violation
from ..nostr.errors import ErrorClass as NostrErrorClass
from ..revisions import detect
from ..revisions.model import MessageClass, Revision
from ..translate.codec import Decoded
from .arriving import Arrival
from .errors import ErrorClass
from .sessions import Sessions
from .settings import McpServer, ServerSettings


class Routing:
    """The order of rules for messages that fit several revisions, or name no server."""

    def __init__(self, settings: ServerSettings, sessions: Sessions, server_ids: dict[tuple[str, str], str]) -> None:
        self._settings = settings
        self._sessions = sessions
        self._server_ids = server_ids
        self.by_kind: dict[int, tuple[Revision, ...]] = {}
        for revision in settings.revisions:
            kinds = revision.kinds
            for kind in dict.fromkeys((kinds.request, kinds.response, kinds.notification)):
                self.by_kind[kind] = (*self.by_kind.get(kind, ()), revision)

    def revisions_of(self, arrival: Arrival) -> tuple[Revision, ...]:
        """The revisions that a message may be of, the preferred one first (HOUSE-ROUTE-08 to HOUSE-ROUTE-11)."""
        event = arrival.event
        fitting = self.by_kind.get(event.kind, ())
        if arrival.wrap is not None:
            fitting = tuple(revision for revision in fitting if arrival.wrap in revision.kinds.wraps)
        if not fitting:
            detail = f"kind {event.kind} carries no message here"
            raise Violation(NostrErrorClass.WRONG_KIND, "event.kind", detail)
        if len(fitting) == 1:
            return fitting
        latched = self._sessions.latched(event.pubkey)
        if latched in fitting:
            return (latched,)
        names = detect.detect(event).candidates
        candidates = tuple(revision for revision in fitting if revision.name in names) or fitting
        server_id = event.first("s")
        own = {name for (name, _), its_id in self._server_ids.items() if its_id == server_id}
        return tuple(revision for revision in candidates if revision.name in own) or candidates

    def servers_for(self, decoded: Decoded, revision: Revision) -> tuple[McpServer, ...]:
        """Whom a message is for: by s; without it every server for initialize, else the only one."""
        servers = self._settings.servers
        named = decoded.server_id
        if named is not None:
            found = tuple(one for one in servers if named in (one.id, self._server_ids[revision.name, one.id]))
            if not found:
                raise Violation(ErrorClass.UNKNOWN_SERVER, "event.tags", "s names no server here")
            return found
        if len(servers) == 1 or not revision.server_ids or decoded.message_class is MessageClass.PING:
            return servers[:1]
        if decoded.message_class is MessageClass.INITIALIZE:
            return servers
        raise Violation(ErrorClass.UNKNOWN_SERVER, "event.tags", "there is no s, and more than one server")
