"""MCP over Nostr: the reference implementation.

The names below are loaded when they are first used, so that a program which needs one layer pays for that layer only.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "ErrorClass": "nostr",
    "Event": "nostr",
    "Filter": "nostr",
    "KindClass": "nostr",
    "LocalProtocolError": "nostr",
    "PublicKey": "nostr",
    "SecretKey": "nostr",
    "UnsignedEvent": "nostr",
    "Violation": "nostr",
    "REVISIONS": "revisions",
    "Client": "session",
    "Server": "session",
    "Gateway": "runtime.gateway",
    "LoopbackRelay": "runtime.loopback",
    "NostrClient": "runtime.client",
    "Pool": "runtime.pool",
    "StdioProcess": "runtime.stdio",
}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return list(__all__)
