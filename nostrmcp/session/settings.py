"""What a session is told when it is made. Every timer is in seconds, every limit a number; none is hidden in code."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ..nostr import Event, LocalProtocolError, nip59
from ..revisions import Revision
from ..translate.errors import ErrorClass
from ..translate.route import Price


class Encryption(StrEnum):
    """Whether messages travel in wraps, where the revision has them."""

    DISABLED = "disabled"
    OPTIONAL = "optional"
    REQUIRED = "required"


class Teardown(StrEnum):
    """How a server that stops ends its subscriptions (AMB-405)."""

    RESULT = "result"
    CANCELLED = "cancelled"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class McpServer:
    """One MCP server behind the provider's key: one process for all clients if it is shared, else one a session."""

    id: str
    shared: bool = True
    announced: bool = False
    name: str | None = None
    about: str | None = None
    picture: str | None = None
    website: str | None = None

    @property
    def texts(self) -> dict[str, str]:
        """What it says of itself to people, by the names of the tags that hold it."""
        said = {"name": self.name, "about": self.about, "picture": self.picture, "website": self.website}
        return {name: text for name, text in said.items() if text is not None}


@dataclass(frozen=True, slots=True)
class ServerTimers:
    """`fresh` is how far created_at may be from now (HOUSE-TIME-01); `execution` how long an MCP server may take, and
    `answer` a client that it asks; `payment` until a demand expires; `acknowledgement` until data follows one that no
    relay confirmed; `lease` how long a subscription outlives the last request of its key (SUBN-SERVE-13); `session` how
    long an idle session is kept."""

    fresh: float = 60
    execution: float = 600
    answer: float = 60
    payment: float = 300
    acknowledgement: float = 5
    lease: float = 3600
    session: float = 3600


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """What strangers can make a server hold (HOUSE-LIMIT-01 to HOUSE-LIMIT-11).

    `reserved` is the part of each total that only keys on the allow-list may use; `content` is in characters, of what
    is received, `event` in bytes, of what is published; `held` is per subscription, `failures` is how often all relays
    may fail to deliver before one ends.
    """

    sessions: int = 1000
    sessions_per_key: int = 8
    pending: int = 1000
    pending_per_key: int = 64
    subscriptions: int = 1000
    subscriptions_per_key: int = 16
    seen: int = 100_000
    seen_per_key: int = 10_000
    unwraps_per_second: int = 2000
    errors_per_second: int = 100
    errors_per_second_per_key: int = 10
    content: int = 65_536
    event: int = 65_536
    reserved: int = 100
    held: int = 256
    failures: int = 3


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """A provider: the revisions it speaks, in order of preference, and the MCP servers behind its key."""

    revisions: tuple[Revision, ...]
    servers: tuple[McpServer, ...]
    mcp_version: str
    encryption: Encryption = Encryption.OPTIONAL
    allow: frozenset[bytes] | None = None
    prices: tuple[Price, ...] = ()
    teardown: Teardown = Teardown.RESULT
    done: frozenset[bytes] | None = None
    timers: ServerTimers = field(default_factory=ServerTimers)
    limits: ServerLimits = field(default_factory=ServerLimits)

    def __post_init__(self) -> None:
        if not self.revisions or not self.servers or len({one.id for one in self.servers}) != len(self.servers):
            raise LocalProtocolError(ErrorClass.NOT_CARRIED, "a provider has revisions, and servers with different ids")
        refuse_unknown_encryption(self.encryption, self.revisions)


def refuse_unknown_encryption(policy: Encryption, revisions: tuple[Revision, ...]) -> None:
    """Encryption cannot be required where a revision has none."""
    if policy is Encryption.REQUIRED and not all(revision.kinds.wraps for revision in revisions):
        raise LocalProtocolError(ErrorClass.NOT_CARRIED, "encryption is required, and a revision does not define it")


@dataclass(frozen=True, slots=True)
class Remote:
    """The server that a client speaks to. Without `id` the first that answers initialize is taken. With
    `ephemeral_wraps` it is known to read wraps of kind 21059, though no announcement may say so."""

    pubkey: bytes
    id: str | None = None
    announcement: Event | None = None
    ephemeral_wraps: bool = False


@dataclass(frozen=True, slots=True)
class PaymentPolicy:
    """What a client does about demands for payment that break no rule (HOUSE-PAY-02 to HOUSE-PAY-07).

    The default refuses and reports. `above_price` also lets through what is dearer than announced. A policy with a mind
    of its own overrides `agrees`.
    """

    pay: bool = False
    above_price: bool = False

    def agrees(self, amount: int, method: str) -> bool:
        """Whether to pay this many sats for the answer to a request of this method."""
        return self.pay


@dataclass(frozen=True, slots=True)
class ClientTimers:
    """`request` is the time for an answer, anew from each progress; `payment` until a demand without a time expires;
    `ping` the silence after which the server is asked for a sign of life, 0 for never, and `ping_timeout` the time for
    it; `acknowledgement`, `grace` and `closing` are those of subscriptions; `servers` is the window for answers to an
    initialize that names no server; `reopen` the first pause before a lost subscription is opened anew."""

    fresh: float = 60
    request: float = 60
    payment: float = 300
    ping: float = 0
    ping_timeout: float = 10
    acknowledgement: float = 10
    grace: float = 2
    closing: float = 5
    servers: float = 2
    reopen: float = 1


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """What a server or a relay can make a client hold, and after how many failed pings a server counts as gone."""

    pending: int = 1000
    subscriptions: int = 64
    seen: int = 10_000
    held: int = 256
    content: int = 1_048_576
    event: int = 65_536
    unwraps_per_second: int = 2000
    ping_failures: int = 3


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """A client of one server. `handshake` False answers initialize from the announcement, where there is one."""

    revision: Revision
    server: Remote
    mcp_version: str
    handshake: bool = True
    encryption: Encryption = Encryption.OPTIONAL
    allow_plain: bool = False
    ephemeral_wraps: bool = True
    payments: PaymentPolicy = field(default_factory=PaymentPolicy)
    reopen: bool = True
    timers: ClientTimers = field(default_factory=ClientTimers)
    limits: ClientLimits = field(default_factory=ClientLimits)

    def __post_init__(self) -> None:
        refuse_unknown_encryption(self.encryption, (self.revision,))
        if not self.handshake and self.server.announcement is None:
            raise LocalProtocolError(ErrorClass.NOT_CARRIED, "without an announcement there must be a handshake")
        encrypts = self.encryption is not Encryption.DISABLED and self.ephemeral_wraps
        if self.server.ephemeral_wraps and not (encrypts and nip59.EPHEMERAL_WRAP in self.revision.kinds.wraps):
            detail = "ephemeral wraps are asked for, and the revision has none, or they are disabled"
            raise LocalProtocolError(ErrorClass.NOT_CARRIED, detail)
