"""Several relays as one: the first that takes an event is enough, and what they all bring arrives once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ..nostr import Event, Filter
from .relay import Relay
from .reports import Arrived, Changed, Input, PublishError, State


@dataclass(frozen=True, slots=True)
class Connected:
    """The first relay is there (`up`), or the last is gone: what a session's `connection` wants to know."""

    up: bool


class AllRefused(Exception):
    """No relay took an event; `errors` holds each one's reason."""

    def __init__(self, errors: tuple[PublishError, ...]) -> None:
        super().__init__(errors)
        self.errors = errors

    def __str__(self) -> str:
        return "; ".join(map(str, self.errors)) or "there is no relay"


class _Recent:
    """Whether something was seen lately: two sets that are swapped, so that neither time nor memory grows."""

    __slots__ = ("_new", "_old", "_size")

    def __init__(self, size: int) -> None:
        self._size = size
        self._new: set[bytes] = set()
        self._old: set[bytes] = set()

    def add(self, one: bytes) -> bool:
        """Whether it is new."""
        if one in self._new or one in self._old:
            return False
        if len(self._new) >= self._size:
            self._old, self._new = self._new, set()
        self._new.add(one)
        return True


class _Publication:
    """An event on its way to all relays: how many have not spoken, and what the others said."""

    __slots__ = ("_done", "_errors", "_left")

    def __init__(self, relays: int, done: Callable[[AllRefused | None], None]) -> None:
        self._left = relays
        self._done: Callable[[AllRefused | None], None] | None = done
        self._errors: list[PublishError] = []

    def settled(self, error: PublishError | None) -> None:
        self._left -= 1
        if self._done is None:
            return
        if error is not None:
            self._errors.append(error)
            if self._left:
                return
        done, self._done = self._done, None
        done(None if error is None else AllRefused(tuple(self._errors)))


class Pool:
    """The relays, each with a queue of its own: one that floods, lags or dies holds back nobody else.

    Of an event that several relays bring, the first copy counts. Copies are compared whole, so that a relay which
    changes an event under its id and signature cannot keep the true one from arriving.
    """

    def __init__(self, urls: Iterable[str], *, remembered: int = 8192, **options: Any) -> None:
        self._ready = asyncio.Event()
        self.relays = tuple(Relay(url, wake=self._ready.set, **options) for url in dict.fromkeys(urls))
        self._turn = 0
        self._recent = _Recent(remembered)
        self._up: set[str] = set()
        self._told: list[Connected] = []

    async def __aenter__(self) -> Pool:
        for relay in self.relays:
            relay.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End all connections."""
        await asyncio.gather(*(relay.close() for relay in self.relays))

    def subscribe(self, name: str, *wanted: Filter) -> None:
        """Ask every relay, now and whenever it comes back."""
        for relay in self.relays:
            relay.subscribe(name, *wanted)

    def unsubscribe(self, name: str) -> None:
        for relay in self.relays:
            relay.unsubscribe(name)

    async def publish(self, event: Event) -> None:
        """Return when the first relay has taken an event, else raise AllRefused; see `offer`."""
        outcome: asyncio.Future[AllRefused | None] = asyncio.get_running_loop().create_future()
        self.offer(event, lambda refused: None if outcome.done() else outcome.set_result(refused))
        refused = await outcome
        if refused is not None:
            raise refused

    def offer(self, event: Event, done: Callable[[AllRefused | None], None]) -> None:
        """Send an event to all relays; `done` is called once: with None when the first has taken it, or when all have
        failed with the reason of each. The others go on in the background, each within its own time."""
        if not self.relays:
            asyncio.get_running_loop().call_soon(done, AllRefused(()))
            return
        publication = _Publication(len(self.relays), done)
        for relay in self.relays:
            relay.offer(event, publication.settled)

    async def receive(self) -> Input | Connected:
        """What happened next on any relay, taking them in turn."""
        while True:
            if self._told:
                return self._told.pop(0)
            self._ready.clear()
            for _ in self.relays:
                relay = self.relays[self._turn]
                self._turn = (self._turn + 1) % len(self.relays)
                one = relay.take()
                if one is not None:
                    break
            else:
                await self._ready.wait()
                continue
            self._ready.set()
            if self._is_news(one):
                return one

    def attend(self, hear: Callable[[Input | Connected], None] | None) -> None:
        """Tell what happens at once, from now on, in place of `receive`; None ends that. `hear` may not raise."""

        def sift(one: Input) -> None:
            if hear is not None and self._is_news(one):
                hear(one)
                while self._told:
                    hear(self._told.pop(0))

        for relay in self.relays:
            relay.attend(None if hear is None else sift)

    def _is_news(self, one: Input) -> bool:
        """Whether it is no copy. A single relay's own repetitions are left to those who know what was done."""
        if isinstance(one, Changed):
            self._count(one)
        return len(self.relays) == 1 or not isinstance(one, Arrived) or self._recent.add(_print(one))

    def _count(self, changed: Changed) -> None:
        was_up = bool(self._up)
        if changed.state is State.UP:
            self._up.add(changed.relay)
        else:
            self._up.discard(changed.relay)
        if was_up is not bool(self._up):
            self._told.append(Connected(bool(self._up)))


def _print(one: Arrived) -> bytes:
    event = one.event
    return sha256(b"".join((one.subscription.encode(), event.id, event.sig, event.serialize()))).digest()
