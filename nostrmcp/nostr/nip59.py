"""NIP-59 gift wraps, in the three-layer form (rumor, seal, wrap) and the one-layer form (a signed event in a wrap).

Times, keys and nonces are arguments; moving times into the past is the caller's part (NIP59-TIME-01). A wrap is signed
by a key made for it alone, so its signature says nothing about who sent it: the inner signature is the only proof, and
nothing of the inner event is believed before it verifies.
"""

from __future__ import annotations

from . import event as events
from . import nip44, strict_json
from .errors import ErrorClass, LocalProtocolError, Violation
from .event import Event, UnsignedEvent
from .keys import PublicKey, SecretKey, public_key

SEAL = 13
WRAP = 1059
EPHEMERAL_WRAP = 21059
WRAP_KINDS = (WRAP, EPHEMERAL_WRAP)


def wrap(
    event: Event,
    recipient: PublicKey,
    *,
    kind: int,
    created_at: int,
    ephemeral_key: SecretKey,
    nonce: bytes,
    aux_rand: bytes,
    extended: bool = False,
) -> Event:
    """A signed event, encrypted for `recipient` into an event of kind 1059 or 21059 (NIP59-WRAP-01, NIP59-WRAP-02).

    `ephemeral_key` is used once. With a seal as `event` this is the outermost of three layers.
    """
    if kind not in WRAP_KINDS:
        raise LocalProtocolError(ErrorClass.WRONG_KIND, f"a wrap is of kind {WRAP} or {EPHEMERAL_WRAP}")
    conversation_key = nip44.get_conversation_key(ephemeral_key, recipient)
    content = nip44.encrypt(event.dump(), conversation_key, nonce, extended=extended)
    tags = (("p", recipient.hex()),)
    return UnsignedEvent(ephemeral_key.public_key.x, created_at, kind, tags, content).sign(ephemeral_key, aux_rand)


def unwrap(wrapped: Event, recipient: SecretKey) -> Event:
    """The signed event inside a one-layer wrap, both signatures verified (NIP59-OPEN-01, NIP59-OPEN-02).

    The wrap's own tags play no part (NIP59-WRAP-03). A seal inside is named as such: its sender speaks the three-layer
    form (NIP59-OPEN-05).
    """
    inner = events.parse(_open(wrapped, recipient))
    if inner.kind == SEAL:
        raise Violation(ErrorClass.UNEXPECTED_SEAL, "wrap", "it holds a seal, not a signed event")
    inner.verify()
    return inner


def seal(
    rumor: UnsignedEvent,
    author: SecretKey,
    recipient: PublicKey,
    *,
    created_at: int,
    nonce: bytes,
    aux_rand: bytes,
    extended: bool = False,
) -> Event:
    """A rumor, encrypted for `recipient` and signed by its author; no tags (NIP59-SEAL-01, NIP59-SEAL-02)."""
    if author.public_key.x != rumor.pubkey:
        raise LocalProtocolError(ErrorClass.AUTHOR_MISMATCH, "a seal is signed by the rumor's author")
    conversation_key = nip44.get_conversation_key(author, recipient)
    content = nip44.encrypt(strict_json.dump(rumor.to_value()), conversation_key, nonce, extended=extended)
    return UnsignedEvent(rumor.pubkey, created_at, SEAL, (), content).sign(author, aux_rand)


def unwrap_sealed(wrapped: Event, recipient: SecretKey) -> UnsignedEvent:
    """The rumor inside a seal inside a wrap.

    Wrap and seal are verified (NIP59-OPEN-01, NIP59-OPEN-03), the seal has no tags (NIP59-SEAL-02), the rumor has no
    signature (NIP59-RUMOR-01), a right id if it has one (NIP59-RUMOR-02), and the seal's author (NIP59-OPEN-04).
    """
    sealed = events.parse(_open(wrapped, recipient))
    if sealed.kind != SEAL:
        raise Violation(ErrorClass.WRONG_KIND, "seal", f"kind {sealed.kind}, where a seal has {SEAL}")
    sealed.verify()
    if sealed.tags:
        raise Violation(ErrorClass.SEAL_WITH_TAGS, "seal.tags", "a seal has no tags")
    value = strict_json.parse(_decrypt(sealed, public_key(sealed.pubkey), recipient))
    if type(value) is dict and "sig" in value:
        raise Violation(ErrorClass.SIGNED_RUMOR, "rumor.sig", "a rumor has no signature")
    rumor = events.unsigned_from_value(value)
    if rumor.pubkey != sealed.pubkey:
        raise Violation(ErrorClass.AUTHOR_MISMATCH, "rumor.pubkey", "the seal was signed by another key")
    return rumor


def _open(wrapped: Event, recipient: SecretKey) -> bytes:
    if wrapped.kind not in WRAP_KINDS:
        raise Violation(ErrorClass.WRONG_KIND, "wrap", f"kind {wrapped.kind} is not a wrap")
    sender = PublicKey(wrapped.pubkey)  # used once, so it stays out of the store of recent keys
    wrapped.verify(sender)
    return _decrypt(wrapped, sender, recipient)


def _decrypt(event: Event, sender: PublicKey, recipient: SecretKey) -> bytes:
    return nip44.decrypt_bytes(event.content, nip44.get_conversation_key(recipient, sender))
