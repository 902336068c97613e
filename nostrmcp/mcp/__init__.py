"""MCP alone: JSON-RPC messages, and what each MCP version demands of them, without input or output.

`jsonrpc` reads and writes messages, `catalogue` knows every method of every version. A peer's data gives a value or a
`Violation`, nothing else.
"""

from .catalogue import Direction, Entry, Side, Version
from .errors import ErrorClass
from .jsonrpc import Error, ErrorCode, Message, Notification, Request, Result
from .shapes import IdKind

__all__ = [
    "Direction",
    "Entry",
    "Error",
    "ErrorClass",
    "ErrorCode",
    "IdKind",
    "Message",
    "Notification",
    "Request",
    "Result",
    "Side",
    "Version",
]
