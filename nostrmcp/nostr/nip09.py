"""NIP-09: asking relays and clients to delete events."""

from __future__ import annotations

from collections.abc import Iterable

from .errors import ErrorClass, LocalProtocolError, Violation
from .event import Event, UnsignedEvent, is_hex32
from .filters import address

DELETION = 5


def build(
    pubkey: bytes,
    created_at: int,
    *,
    ids: Iterable[bytes] = (),
    addresses: Iterable[str] = (),
    kinds: Iterable[int] = (),
    reason: str = "",
) -> UnsignedEvent:
    """A deletion request: `e` and `a` tags for what to delete, `k` for its kinds (NIP09-REQ-01, NIP09-REQ-02)."""
    references = [("e", event_id.hex()) for event_id in ids] + [("a", one) for one in addresses]
    if not references or not all(_is_address(value) for name, value in references if name == "a"):
        raise LocalProtocolError(ErrorClass.MALFORMED_DELETION, "it references no event, or one by what is no address")
    tags = (*references, *(("k", str(kind)) for kind in kinds))
    return UnsignedEvent(pubkey, created_at, DELETION, tags, reason)


def check(request: Event) -> None:
    """Raise a Violation unless this is a deletion request that references something (NIP09-REQ-01)."""
    if request.kind != DELETION:
        raise Violation(ErrorClass.WRONG_KIND, "event.kind", f"a deletion request has kind {DELETION}")
    ids = request.values("e")
    if not ids and not request.values("a"):
        raise Violation(ErrorClass.MALFORMED_DELETION, "event.tags", "it references no event")
    if not all(map(is_hex32, ids)):
        raise Violation(ErrorClass.MALFORMED_DELETION, "event.tags", "an e tag does not hold an event id")
    if not all(map(_is_address, request.values("a"))):
        raise Violation(ErrorClass.MALFORMED_DELETION, "event.tags", "an a tag does not hold kind, pubkey and d")


def _is_address(text: str) -> bool:
    kind, _, rest = text.partition(":")
    pubkey, colon, _ = rest.partition(":")
    return kind.isascii() and kind.isdigit() and is_hex32(pubkey) and colon == ":"


def deletes(request: Event, event: Event) -> bool:
    """Whether a checked request asks for this event's deletion.

    Only its author's word counts (NIP09-AUTH-01); an address covers versions up to the request's own time
    (NIP09-ADDR-01); a deletion request cannot be deleted (NIP09-REQ-03).
    """
    if request.pubkey != event.pubkey or event.kind == DELETION:
        return False
    if event.id.hex() in request.values("e"):
        return True
    its_address = address(event)
    return its_address in request.values("a") and event.created_at <= request.created_at
