"""What is said in one revision: each event of the testee is opened, read and checked, and each of ours too."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ...nostr import Event, SecretKey, Violation, nip59
from ...revisions import Revision
from ...translate import check, codec
from ...translate.codec import Decoded
from ...translate.route import Role
from ..text import cut
from .station import Station

_LOGGED = 60
# Whoever says more in one revision is not listened to any further.
_MAX_HEARD = 100_000


@dataclass(frozen=True, slots=True)
class Heard:
    """A message of the testee: the event, inside its wrap if it had one, and what it says if it can be read."""

    event: Event
    wrap: Event | None
    decoded: Decoded | None

    @property
    def form(self) -> int | None:
        """The kind of the wrap, None for a plain message."""
        return None if self.wrap is None else self.wrap.kind

    def refers_to(self, event_id: bytes) -> bool:
        return event_id.hex() in self.event.values("e")


class Wire:
    """All that passes between the runner and a testee in one revision."""

    def __init__(self, station: Station, revision: Revision, testee: Role) -> None:
        self.station = station
        self.revision = revision
        self.heard: list[Heard] = []
        self.announced: list[Event] = []
        self.faults: list[str] = []
        self.defects: list[str] = []
        self.log: deque[tuple[str, str]] = deque(maxlen=_LOGGED)
        self._testee = testee
        self._count = 0
        self._keys: dict[str, SecretKey] = {}
        self._methods: dict[str, str] = {}
        self._authors: set[bytes] = set()
        self._wrap_keys: dict[bytes, bytes] = {}
        station.attach(self._hear, lambda violation: self._fault("a frame", str(violation)))

    def add_key(self, key: SecretKey) -> None:
        """A key of ours, to open wraps with."""
        self._keys[key.public_key.hex()] = key

    async def until(self, condition: Callable[[], bool], seconds: float) -> bool:
        return await self.station.until(condition, seconds)

    # What we say

    async def say(self, event: Event, wrap: Event | None = None, answers: str | None = None) -> None:
        """Publish an event that is right, perhaps in a wrap. If the checker finds it wrong, the defect is ours."""
        self.note(event)
        breaches = check.check(event, self.revision, answers)
        self.defects += [f"{one.req}: {one.where}: {one.detail}: {event.dump().decode()}" for one in breaches]
        await self.publish(event if wrap is None else wrap, event)

    async def publish(self, sent: Event, meant: Event | None = None) -> None:
        """Publish an event, right or not."""
        self._log("runner", sent, meant)
        await self.station.publish(sent)

    def inject(self, *events: Event) -> None:
        """Put events before the testee, unverified and whatever it subscribed to."""
        for event in events:
            self._log("runner", event, None)
        self.station.inject(*events)

    def note(self, event: Event) -> None:
        """Remember what a request of ours asks for, so that its answer can be checked."""
        try:
            method = codec.read_body(event).get("method")
        except Violation:
            return
        if type(method) is str:
            self._methods[event.id.hex()] = method

    # What the testee says

    def about(self, event_id: bytes) -> list[Heard]:
        """Everything the testee said with this event in its e tag."""
        return [one for one in self.heard if one.refers_to(event_id)]

    def _hear(self, event: Event) -> None:
        self._log("testee", event, None)
        self._count += 1
        if self._count > _MAX_HEARD:
            return
        try:
            event.verify()
        except Violation as violation:
            self._fault(event.dump().decode(), str(violation))
            return
        kinds = self.revision.kinds
        wrap: Event | None = None
        if event.kind in nip59.WRAP_KINDS:
            opened = self._opened(event)
            if opened is None:
                return
            wrap, event = event, opened
        if event.kind in kinds.announcements.values():
            self.announced.append(event)
        elif wrap is not None or event.kind in (kinds.request, kinds.response, kinds.notification):
            self._read(event, wrap)

    def _opened(self, wrap: Event) -> Event | None:
        recipient = wrap.first("p")
        key = self._keys.get(recipient or "")
        if key is None:
            return None
        if wrap.kind not in self.revision.kinds.wraps:
            self._fault(wrap.dump().decode(), f"kind {wrap.kind} wraps nothing in this revision")
        if self._wrap_keys.setdefault(wrap.pubkey, wrap.id) != wrap.id or wrap.pubkey in self._authors:
            self._fault(wrap.dump().decode(), "NIP59-WRAP-01: the key of a wrap is not made for it alone")
        try:
            inner = nip59.unwrap(wrap, key)
        except Violation as violation:
            self._fault(wrap.dump().decode(), f"the wrap cannot be opened: {violation}")
            return None
        self._log("testee", inner, None)
        return inner

    def _read(self, event: Event, wrap: Event | None) -> None:
        answered = next((self._methods[one] for one in event.values("e") if one in self._methods), None)
        if answered == "initialize" and event.kind != self.revision.kinds.response:
            return  # a server of several revisions answers in each that an initialize may be of (HOUSE-ROUTE-10)
        text = event.dump().decode()
        for breach in check.check(event, self.revision, answered):
            self._fault(text, f"{breach.req}: {breach.where}: {breach.detail}")
        try:
            decoded: Decoded | None = codec.decode(event, self.revision, self._testee)
        except Violation as violation:
            decoded = None
            self._fault(text, str(violation))
        self._authors.add(event.pubkey)
        self.heard.append(Heard(event, wrap, decoded))

    def _fault(self, text: str, why: str) -> None:
        if len(self.faults) < 100:
            self.faults.append(f"{why}: {cut(text, 600)}")

    def _log(self, who: str, event: Event, meant: Event | None) -> None:
        self.log.append((who, cut(event.dump().decode(), 2000)))
        if meant is not None and meant is not event:
            self.log.append((who, f"inside: {cut(meant.dump().decode(), 2000)}"))
