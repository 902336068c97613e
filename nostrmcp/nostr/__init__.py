"""Nostr alone: events, keys, filters, encryption, wraps and relay messages, without input or output.

This folder imports nothing outside itself but orjson, coincurve and cryptography, so it can be copied into another
project under any name. One file is one specification; each says which requirements (`spec/requirements/nostr.toml`) it
implements. Time and randomness are always arguments. A peer's data gives a value or a `Violation`, nothing else.
"""

from .errors import ErrorClass, LocalProtocolError, Violation
from .event import Event, UnsignedEvent
from .filters import Filter, KindClass
from .keys import PublicKey, SecretKey

__all__ = [
    "ErrorClass",
    "Event",
    "Filter",
    "KindClass",
    "LocalProtocolError",
    "PublicKey",
    "SecretKey",
    "UnsignedEvent",
    "Violation",
]
