"""A key of the runner's: it builds what a message is on the wire, rightly or wrongly."""

from __future__ import annotations

import secrets
import time
from dataclasses import replace

from ...mcp.jsonrpc import Message
from ...nostr import Event, SecretKey, UnsignedEvent, nip44, nip59, strict_json
from ...nostr.keys import public_key
from ...revisions.model import WrapTime
from ...translate import codec
from ...translate.route import RequestReference, Role, Route
from .wire import Wire

_TWO_DAYS = 2 * 24 * 3600


def new_key() -> SecretKey:
    return SecretKey(secrets.token_bytes(32))


class Peer:
    """Speaks with one key in one role to one other key; `form` is the kind of wrap that its messages travel in."""

    def __init__(self, wire: Wire, role: Role, other: bytes, server_id: str | None, key: SecretKey | None = None):
        self.wire = wire
        self.role = role
        self.other = other
        self.server_id = server_id
        self.key = key or new_key()
        self.form: int | None = None
        self._sent: set[bytes] = set()
        wire.add_key(self.key)

    @property
    def pubkey(self) -> bytes:
        return self.key.public_key.x

    def route(self, about: RequestReference | None = None, *, encryption: bool = False) -> Route:
        ephemeral = encryption and nip59.EPHEMERAL_WRAP in self.wire.revision.kinds.wraps
        return Route(
            self.pubkey, self.other, self.role, self.server_id, about, encryption=encryption, ephemeral_wraps=ephemeral
        )

    def event(self, message: Message, route: Route | None = None, *, at: int | None = None) -> Event:
        """The signed event of a message. Equal messages in one second are told apart by a later time."""
        created_at = int(time.time()) if at is None else at
        unsigned = codec.encode(message, route or self.route(), self.wire.revision, created_at)
        while unsigned.id in self._sent:
            unsigned = replace(unsigned, created_at=unsigned.created_at + 1)
        self._sent.add(unsigned.id)
        return self.sign(unsigned)

    def sign(self, unsigned: UnsignedEvent) -> Event:
        return unsigned.sign(self.key, secrets.token_bytes(32))

    def changed(self, event: Event, *, tags: tuple[tuple[str, ...], ...] | None = None, **fields: object) -> Event:
        """Another event like this one, signed by this key."""
        unsigned = UnsignedEvent(
            self.pubkey, event.created_at, event.kind, event.tags if tags is None else tags, event.content
        )
        return self.sign(replace(unsigned, **fields))  # type: ignore[arg-type]

    def wrap(self, event: Event, kind: int, to: bytes | None = None) -> Event:
        """An event, or what looks like one, in a wrap for the other side."""
        now = int(time.time())
        past = self.wire.revision.wrap_time is WrapTime.PAST and kind == nip59.WRAP
        return nip59.wrap(
            event, public_key(to or self.other), kind=kind, created_at=now - secrets.randbelow(_TWO_DAYS) * past,
            ephemeral_key=new_key(), nonce=secrets.token_bytes(32), aux_rand=secrets.token_bytes(32),
        )  # fmt: skip

    def sealed(self, event: Event) -> Event:
        """The message in the three layers of NIP-59, which no revision of ours has."""
        now = int(time.time())
        rumor = UnsignedEvent(event.pubkey, event.created_at, event.kind, event.tags, event.content)
        seal = nip59.seal(
            rumor, self.key, public_key(self.other), created_at=now, nonce=secrets.token_bytes(32),
            aux_rand=secrets.token_bytes(32),
        )  # fmt: skip
        return self.wrap(seal, nip59.WRAP)

    def unsigned_in_wrap(self, event: Event, kind: int) -> Event:
        """A wrap around an event that has no signature."""
        key = new_key()
        rumor = UnsignedEvent(event.pubkey, event.created_at, event.kind, event.tags, event.content)
        conversation = nip44.get_conversation_key(key, public_key(self.other))
        content = nip44.encrypt(strict_json.dump(rumor.to_value()), conversation, secrets.token_bytes(32))
        tags = (("p", self.other.hex()),)
        wrap = UnsignedEvent(key.public_key.x, int(time.time()), kind, tags, content)
        return wrap.sign(key, secrets.token_bytes(32))

    async def say(self, event: Event, *, form: int | None, answers: str | None = None) -> None:
        """Publish a right event, plain or in a wrap of this kind."""
        await self.wire.say(event, None if form is None else self.wrap(event, form), answers)


def forged(event: Event) -> Event:
    """The event with a signature that its author did not make."""
    key = new_key()
    return Event(
        event.id, event.pubkey, event.created_at, event.kind, event.tags, event.content,
        key.sign(event.id, secrets.token_bytes(32)),
    )  # fmt: skip
