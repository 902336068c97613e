"""The message-translation state machine, sans-IO: MCP messages in, Nostr events out, and back.

`Server` and `Client` take one input at a time (a message, an event, a relay's answer, the time) and give a list of
actions. They hold no clock, no socket and no randomness of their own: the same inputs give the same outputs, to the
byte.
"""

from .client import Client
from .server import Server

__all__ = ["Client", "Server"]
