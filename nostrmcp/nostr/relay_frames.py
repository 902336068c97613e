"""The messages between a client and a relay: NIP-01, and AUTH of NIP-42.

Each message is a frozen dataclass; `dump` writes it, `parse_client_frame` and `parse_relay_frame` read what the one
side and the other may send and refuse the rest (NIP01-FRAME-10). Elements after the ones a message defines are ignored,
as later NIPs add some (NIP01-FRAME-09). A subscription id has 1 to 64 characters (NIP01-FRAME-03). Events inside are of
the right shape but not yet verified.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from . import event as events
from . import filters, strict_json
from .errors import ErrorClass, LocalProtocolError, Violation, shown
from .event import Event
from .filters import Filter

MAX_SUBSCRIPTION_ID = 64


class Prefix(StrEnum):
    """The machine-readable first word of OK and CLOSED messages (NIP01-FRAME-08, NIP42-FRAME-02)."""

    NONE = ""
    DUPLICATE = "duplicate"
    POW = "pow"
    BLOCKED = "blocked"
    RATE_LIMITED = "rate-limited"
    INVALID = "invalid"
    RESTRICTED = "restricted"
    MUTE = "mute"
    ERROR = "error"
    AUTH_REQUIRED = "auth-required"
    UNSUPPORTED = "unsupported"
    OTHER = "other"


_PREFIXES = {prefix.value: prefix for prefix in Prefix if prefix not in (Prefix.NONE, Prefix.OTHER)}


def prefix_of(message: str) -> Prefix:
    """The prefix of a message: NONE without one, OTHER for a word that no NIP defines."""
    word, colon, _ = message.partition(":")
    if not colon or not word or " " in word:
        return Prefix.NONE
    return _PREFIXES.get(word, Prefix.OTHER)


@dataclass(frozen=True, slots=True)
class Publish:
    """EVENT from a client (NIP01-FRAME-01)."""

    event: Event

    def dump(self) -> bytes:
        return b'["EVENT",%b]' % self.event.dump()


@dataclass(frozen=True, slots=True)
class Req:
    """REQ: a subscription to whatever matches any of the filters (NIP01-FRAME-02)."""

    subscription_id: str
    filters: tuple[Filter, ...]

    def dump(self) -> bytes:
        if not self.filters:
            raise LocalProtocolError(ErrorClass.MALFORMED_FRAME, "a REQ has at least one filter")
        return _dump("REQ", _own_subscription_id(self.subscription_id), *(one.to_value() for one in self.filters))


@dataclass(frozen=True, slots=True)
class Close:
    """CLOSE: the end of a subscription (NIP01-FRAME-02)."""

    subscription_id: str

    def dump(self) -> bytes:
        return _dump("CLOSE", _own_subscription_id(self.subscription_id))


@dataclass(frozen=True, slots=True)
class Authenticate:
    """AUTH from a client: the signed answer to a challenge (NIP42-FRAME-01)."""

    event: Event

    def dump(self) -> bytes:
        return b'["AUTH",%b]' % self.event.dump()


@dataclass(frozen=True, slots=True)
class Deliver:
    """EVENT from a relay: a match for a subscription (NIP01-FRAME-04)."""

    subscription_id: str
    event: Event

    def dump(self) -> bytes:
        subscription_id = strict_json.dump_flat(_own_subscription_id(self.subscription_id))
        return b'["EVENT",%b,%b]' % (subscription_id, self.event.dump())


@dataclass(frozen=True, slots=True)
class Ok:
    """OK: whether a relay accepted an event (NIP01-FRAME-05)."""

    event_id: bytes
    accepted: bool
    message: str

    @property
    def prefix(self) -> Prefix:
        return prefix_of(self.message)

    def dump(self) -> bytes:
        if len(self.event_id) != 32:
            raise LocalProtocolError(ErrorClass.MALFORMED_ID, "an event id is 32 bytes")
        return _dump("OK", self.event_id.hex(), self.accepted, self.message)


@dataclass(frozen=True, slots=True)
class Eose:
    """EOSE: stored events are done, live ones begin (NIP01-FRAME-06)."""

    subscription_id: str

    def dump(self) -> bytes:
        return _dump("EOSE", _own_subscription_id(self.subscription_id))


@dataclass(frozen=True, slots=True)
class Closed:
    """CLOSED: the relay ended or refused a subscription (NIP01-FRAME-06)."""

    subscription_id: str
    message: str

    @property
    def prefix(self) -> Prefix:
        return prefix_of(self.message)

    def dump(self) -> bytes:
        return _dump("CLOSED", _own_subscription_id(self.subscription_id), self.message)


@dataclass(frozen=True, slots=True)
class Notice:
    """NOTICE: text for people (NIP01-FRAME-07)."""

    message: str

    def dump(self) -> bytes:
        return _dump("NOTICE", self.message)


@dataclass(frozen=True, slots=True)
class Challenge:
    """AUTH from a relay: the string to sign (NIP42-FRAME-01)."""

    challenge: str

    def dump(self) -> bytes:
        return _dump("AUTH", self.challenge)


ClientFrame = Publish | Req | Close | Authenticate
RelayFrame = Deliver | Ok | Eose | Closed | Notice | Challenge


def parse_client_frame(data: bytes | str) -> ClientFrame:
    """A message that a relay received."""
    data = strict_json.as_bytes(data)
    frame = strict_json.load(data)
    match _type_of(frame):
        case "EVENT":
            return Publish(_event(data, frame, 1, b'["EVENT",]'))
        case "AUTH":
            return Authenticate(_event(data, frame, 1, b'["AUTH",]'))
        case "REQ":
            strict_json.settle(data, frame)
            _require(frame, 3, "a subscription id and at least one filter")
            return Req(_subscription_id(frame[1]), tuple(map(filters.parse, frame[2:])))
        case "CLOSE":
            strict_json.settle(data, frame)
            _require(frame, 2, "a subscription id")
            return Close(_subscription_id(frame[1]))
        case other:
            raise _unknown(other)


def parse_relay_frame(data: bytes | str) -> RelayFrame:
    """A message that a client received."""
    data = strict_json.as_bytes(data)
    frame = strict_json.load(data)
    frame_type = _type_of(frame)
    if frame_type == "EVENT":
        _require(frame, 3, "a subscription id and an event")
        subscription_id = _subscription_id(frame[1])
        around = b'["EVENT",%b,]' % strict_json.dump_flat(subscription_id)
        return Deliver(subscription_id, _event(data, frame, 2, around))
    strict_json.settle(data, frame)
    match frame_type:
        case "OK":
            _require(frame, 4, "an event id, true or false, and a message")
            if type(frame[2]) is not bool:
                raise _malformed("OK", "the third element is neither true nor false")
            if type(frame[1]) is not str or not events.is_hex32(frame[1]):
                raise Violation(ErrorClass.MALFORMED_ID, "OK", "not 64 lower-case hexadecimal digits")
            return Ok(bytes.fromhex(frame[1]), frame[2], _text(frame, 3))
        case "EOSE":
            _require(frame, 2, "a subscription id")
            return Eose(_subscription_id(frame[1]))
        case "CLOSED":
            _require(frame, 3, "a subscription id and a message")
            return Closed(_subscription_id(frame[1]), _text(frame, 2))
        case "NOTICE":
            _require(frame, 2, "a message")
            return Notice(_text(frame, 1))
        case "AUTH":
            _require(frame, 2, "a challenge")
            return Challenge(_text(frame, 1))
        case other:
            raise _unknown(other)


def _type_of(frame: Any) -> str:
    if type(frame) is not list or not frame or type(frame[0]) is not str:
        raise Violation(ErrorClass.MALFORMED_FRAME, "frame", "not a JSON array that begins with its type")
    return frame[0]


def _require(frame: list[Any], length: int, what: str) -> None:
    if len(frame) < length:
        raise _malformed(frame[0], f"{what} required")


def _event(data: bytes, frame: list[Any], position: int, around: bytes) -> Event:
    """The event at `position`; `around` is all the rest of the frame as our writer puts it."""
    _require(frame, position + 1, "an event is")
    event = events.from_value(frame[position])
    if len(data) != len(around) + event.sent_length:
        strict_json.settle(data, frame)
    return event


def _subscription_id(value: Any) -> str:
    if type(value) is not str or not 1 <= len(value) <= MAX_SUBSCRIPTION_ID:
        raise Violation(
            ErrorClass.MALFORMED_SUBSCRIPTION_ID, "frame", f"not a string of 1 to {MAX_SUBSCRIPTION_ID} characters"
        )
    return value


def _own_subscription_id(value: str) -> str:
    if not 1 <= len(value) <= MAX_SUBSCRIPTION_ID:
        raise LocalProtocolError(ErrorClass.MALFORMED_SUBSCRIPTION_ID, f"1 to {MAX_SUBSCRIPTION_ID} characters")
    return value


def _text(frame: list[Any], position: int) -> str:
    value = frame[position]
    if type(value) is not str:
        raise _malformed(frame[0], f"element {position} is not a string")
    return value


def _malformed(frame_type: str, detail: str) -> Violation:
    return Violation(ErrorClass.MALFORMED_FRAME, frame_type, detail)


def _unknown(frame_type: str) -> Violation:
    return Violation(ErrorClass.UNKNOWN_FRAME, "frame", f"{shown(frame_type)} is not a message this side receives")


def _dump(*elements: Any) -> bytes:
    return strict_json.dump(list(elements))
