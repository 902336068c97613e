"""Where the wire is tapped: a relay of our own that tells everything, or the subscription to one of somebody else."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from dataclasses import replace

from ...nostr import Event, Filter, Violation, relay_frames
from ...runtime.loopback import LoopbackRelay, Record
from ...runtime.relay import Relay
from ...runtime.reports import Arrived, Changed, PublishError
from .checks import NotRun

# Subscriptions of the testee that are remembered.
_MAX_ASKED = 256
# Events of somebody else's relay that are told.
_MAX_SEEN = 100_000


class Station:
    """The runner's connection to a relay, as an async context manager.

    Whoever is attached is told every event that the testee publishes. With a relay of somebody else's that is what
    `subscribe` asked for, each event once; with our own it is every publication, in order, repeated ones too.
    """

    def __init__(self, url: str | None = None) -> None:
        self.relay = LoopbackRelay(record=self._record) if url is None else None
        self._url = url
        self._connection: Relay | None = None
        self._own: set[bytes] = set()
        self._seen: set[bytes] = set()
        self._asked: list[tuple[Filter, ...]] = []
        self._pulse = asyncio.Event()
        self._trouble = ""
        self._task: asyncio.Task[None] | None = None
        self._heard: Callable[[Event], None] = lambda event: None
        self._garbled: Callable[[Violation], None] = lambda violation: None

    async def __aenter__(self) -> Station:
        if self.relay is not None:
            await self.relay.start()
        self._connection = Relay(self.url)
        self._connection.start()
        self._task = asyncio.create_task(self._listen(self._connection))
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._connection is not None and self._task is not None
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        await self._connection.close()
        if self.relay is not None:
            await self.relay.close()

    def attach(self, heard: Callable[[Event], None], garbled: Callable[[Violation], None]) -> None:
        """From now on these are told, in the place of others: of each event, and of what is no Nostr message."""
        self._heard, self._garbled = heard, garbled
        self._seen.clear()

    @property
    def url(self) -> str:
        return self.relay.url if self.relay is not None else str(self._url)

    @property
    def owned(self) -> LoopbackRelay:
        """The relay of our own; NotRun where there is none."""
        if self.relay is None:
            raise NotRun("it needs a relay that the runner owns")
        return self.relay

    async def publish(self, event: Event) -> None:
        """Publish by the ordinary way; NotRun if the relay does not take it."""
        assert self._connection is not None
        self._own.add(event.id)
        try:
            await self._connection.publish(event)
        except PublishError as error:
            why = self._trouble or error.text or str(error.reason)
            raise NotRun(f"the relay {self.url} did not take an event of ours: {why}") from None

    def inject(self, *events: Event) -> None:
        """Put events before every subscriber as they are, valid or not, for them or not."""
        self._own.update(event.id for event in events)
        self.owned.inject(*events)

    def subscribe(self, *wanted: Filter) -> None:
        """Ask a relay of somebody else's for what the testee says; our own tells without being asked."""
        assert self._connection is not None
        if self.relay is None:
            self._connection.subscribe(f"live-{secrets.token_hex(4)}", *wanted)

    def listens_for(self, event: Event) -> bool:
        """Whether the testee has a subscription for events like this one, whenever they are made: known for a relay of
        our own only."""
        return any(replace(one, since=None, until=None).matches(event) for wanted in self._asked for one in wanted)

    def forget_subscriptions(self) -> None:
        self._asked.clear()

    async def until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait until a condition holds that something said on the wire can make true; False when time is up."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not condition():
                    await self._pulse.wait()
        return condition()

    def _record(self, record: Record) -> None:
        if record.direction != "in":
            return
        try:
            frame = relay_frames.parse_client_frame(record.frame)
        except Violation as violation:
            self._garbled(violation)
            return
        if isinstance(frame, relay_frames.Publish) and frame.event.id not in self._own:
            self._heard(frame.event)
        elif isinstance(frame, relay_frames.Req) and len(self._asked) < _MAX_ASKED:
            self._asked.append(frame.filters)
        self.tell()

    async def _listen(self, connection: Relay) -> None:
        while True:
            one = await connection.receive()
            if isinstance(one, Changed):
                self._trouble = one.why
            if self.relay is None and isinstance(one, Arrived):
                event = one.event
                if event.id not in self._own and event.id not in self._seen and len(self._seen) < _MAX_SEEN:
                    self._seen.add(event.id)
                    self._heard(event)
            self.tell()

    def tell(self) -> None:
        """Let everyone who waits look again."""
        self._pulse.set()
        self._pulse = asyncio.Event()
