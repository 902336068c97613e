"""From a message to the signed, perhaps wrapped, event that relays get.

Random bytes are drawn in this order: 8 for a salt if the message is salted from the start; 32 for the signature; where
that event was sent before, 8 for a salt and 32 for the signature once more; for a wrap 32 for its key, 32 for its
nonce, 32 for its signature, and 8 for its time where the revision moves that into the past.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..mcp.jsonrpc import Message, Notification, Request
from ..nostr import Event, LocalProtocolError, SecretKey, UnsignedEvent, nip44, nip59
from ..nostr.keys import public_key
from ..revisions.model import Revision, WrapTime
from ..translate import codec
from ..translate.body import PAYMENT_METHODS
from ..translate.route import Route
from .actions import Now, Publish
from .errors import ErrorClass

Random = Callable[[int], bytes]

SALT = "nostrmcp/salt"
# NIP-59: up to two days into the past.
TWO_DAYS = 2 * 24 * 3600
# What NIP-44 holds in the form that every peer reads.
MAX_WRAPPED = nip44.EXTENDED_PREFIX_THRESHOLD - 1


class TooLarge(LocalProtocolError):
    """No relay would carry the event."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(ErrorClass.TOO_LARGE, f"{size} bytes, where {limit} is the limit")
        self.size = size
        self.limit = limit


class Sender:
    """Signs for one key, and never the same event twice (HOUSE-ONCE-07, HOUSE-ONCE-08)."""

    __slots__ = ("_key", "_limit", "_random", "_salted_one", "_second", "_sent", "own")

    def __init__(self, key: SecretKey, random: Random, limit: int) -> None:
        self._key = key
        self.own = key.public_key.x
        self._random = random
        self._limit = limit
        self._second = 0
        self._sent: set[bytes] = set()
        self._salted_one = False

    def send(
        self, message: Message, route: Route, revision: Revision, now: Now, wrap: int | None
    ) -> tuple[Publish, bytes]:
        """What to publish, and the id by which the message is known: that of the event inside, if it is wrapped."""
        unix = now.unix
        can_be_salted = isinstance(message, Request) or (
            isinstance(message, Notification) and message.method not in PAYMENT_METHODS  # each has its own e
        )
        back_in_time = unix < self._second
        if can_be_salted and (back_in_time or not self._salted_one):
            message = self._salted(message)
            self._salted_one = True
        event = self._signed(message, route, revision, unix)
        if unix > self._second:
            self._second = unix
            self._sent.clear()
        while can_be_salted and event.id in self._sent:
            event = self._signed(self._salted(message), route, revision, unix)
        self._sent.add(event.id)
        if wrap is None:
            self._refuse_large(event.sent_length)
            return Publish(event), event.id
        return Publish(self._wrapped(event, route.recipient, revision, unix, wrap)), event.id

    def sign(self, event: UnsignedEvent) -> Event:
        """An announcement, signed, if relays will carry it."""
        signed = event.sign(self._key, self._random(32))
        self._refuse_large(signed.sent_length)
        return signed

    def _signed(self, message: Message, route: Route, revision: Revision, unix: int) -> Event:
        return codec.encode(message, route, revision, unix).sign(self._key, self._random(32))

    def _salted(self, message: Message) -> Message:
        """The message with a few random digits in `_meta`, whatever it says."""
        assert isinstance(message, (Request, Notification))
        params = message.params or {}
        meta = params.get("_meta")
        salted = {**(meta if type(meta) is dict else {}), SALT: self._random(8).hex()}
        return replace(message, params={**params, "_meta": salted})

    def _refuse_large(self, size: int) -> None:
        if size > self._limit:
            raise TooLarge(size, self._limit)

    def _wrapped(self, event: Event, recipient: bytes, revision: Revision, unix: int, kind: int) -> Event:
        if event.sent_length > MAX_WRAPPED:
            raise TooLarge(event.sent_length, MAX_WRAPPED)
        ephemeral = SecretKey(self._random(32))
        nonce, aux_rand = self._random(32), self._random(32)
        created_at = unix
        if revision.wrap_time is WrapTime.PAST and kind == nip59.WRAP:
            created_at -= int.from_bytes(self._random(8)) % TWO_DAYS
        wrapped = nip59.wrap(
            event, public_key(recipient), kind=kind, created_at=created_at, ephemeral_key=ephemeral, nonce=nonce,
            aux_rand=aux_rand,
        )  # fmt: skip
        self._refuse_large(wrapped.sent_length)
        return wrapped
