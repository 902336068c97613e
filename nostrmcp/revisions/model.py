"""What a revision of MCP over Nostr is: a table, checked once, that one codec reads.

Nothing here or in the codec knows a revision by its name. Where two revisions differ, they differ in a field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum


class MessageClass(StrEnum):
    """The messages and announcements whose tags a revision describes one by one."""

    REQUEST = "request"
    INITIALIZE = "initialize"
    PING = "ping"
    RESPONSE = "response"
    LIST_RESPONSE = "list-response"
    INITIALIZE_RESPONSE = "initialize-response"
    ERROR = "error"
    NOTIFICATION_TO_CLIENT = "notification-to-client"
    NOTIFICATION_TO_SERVER = "notification-to-server"
    INITIALIZED = "initialized"
    PROGRESS = "progress"
    CANCEL = "cancel"
    PAYMENT_REQUIRED = "payment-required"
    SERVER = "server"
    TOOLS = "tools"
    RESOURCES = "resources"
    RESOURCE_TEMPLATES = "resource-templates"
    PROMPTS = "prompts"


REQUESTS = frozenset({MessageClass.REQUEST, MessageClass.INITIALIZE, MessageClass.PING})
RESPONSES = frozenset({
    MessageClass.RESPONSE, MessageClass.LIST_RESPONSE, MessageClass.INITIALIZE_RESPONSE, MessageClass.ERROR,
})  # fmt: skip
NOTIFICATIONS = frozenset({
    MessageClass.NOTIFICATION_TO_CLIENT, MessageClass.NOTIFICATION_TO_SERVER, MessageClass.INITIALIZED,
    MessageClass.PROGRESS, MessageClass.CANCEL, MessageClass.PAYMENT_REQUIRED,
})  # fmt: skip
MESSAGES = REQUESTS | RESPONSES | NOTIFICATIONS
# The member of a list result that holds the items: it tells a list's type, as a list's `d` is free.
LIST_MEMBERS = {
    MessageClass.TOOLS: "tools",
    MessageClass.RESOURCES: "resources",
    MessageClass.RESOURCE_TEMPLATES: "resourceTemplates",
    MessageClass.PROMPTS: "prompts",
}
ANNOUNCEMENTS = frozenset({MessageClass.SERVER, *LIST_MEMBERS})


class Presence(Enum):
    REQUIRED = "required"
    OPTIONAL = "optional"


class TagValue(Enum):
    """What a tag holds."""

    __hash__ = object.__hash__  # members are told apart by identity, and looked up for every tag of every message

    RECIPIENT = "the recipient's public key"
    SERVER_ID = "the identifier of the server"
    LIST_ID = "an identifier of the list"
    REQUEST_EVENT = "the id of the request event"
    METHOD = "the method in content"
    REQUEST_KIND = "the kind of requests"
    CAPABILITIES = "the name of a capability, one tag each, with its price where the revision has prices"
    PRICES = "a capability, its price and its unit, one tag each"
    FLAG = "nothing: its presence says that the sender can read wraps"
    EPHEMERAL_FLAG = "nothing: its presence says that the sender can read ephemeral wraps"
    TRUE = "true, or false for no"
    TEXT = "text for people"
    PAYMENT_METHODS = "a payment method, one tag each"
    STATUS = "payment-required"
    AMOUNT = "an amount in sats and a Lightning invoice"
    TIME = "a unix time in seconds"


@dataclass(frozen=True, slots=True)
class TagRule:
    """One tag of one message class. Rules stand in the order in which the tags are printed, which is how we emit them.

    An optional tag is emitted when its value is known, unless `emitted` is False.
    """

    name: str
    presence: Presence
    value: TagValue
    req: str
    emitted: bool = True


def required(name: str, value: TagValue, req: str) -> TagRule:
    return TagRule(name, Presence.REQUIRED, value, req)


def optional(name: str, value: TagValue, req: str, *, emitted: bool = True) -> TagRule:
    return TagRule(name, Presence.OPTIONAL, value, req, emitted)


class Rule(StrEnum):
    """What a revision may demand of content. Where a revision has no requirement for a rule, it does not apply."""

    CONTENT_IS_JSON = "content is a JSON object in a string"
    REQUEST_ENVELOPE = "a request has, or has not, jsonrpc and id"
    REQUEST_MEMBERS = "a request has a method, and params that are an object"
    RESPONSE_ENVELOPE = "a response has, or has not, jsonrpc and id"
    RESULT_PLACE = "a result is nested, or its members are at the root"
    NOTIFICATION_ENVELOPE = "a notification has, or has not, jsonrpc"
    ERROR_FORM = "an error has an integer code and a string message"
    ONE_OUTCOME = "a response has a result or an error, not both"
    COMPLETION_VALUES = "an answer to completion/complete has at most 100 values"
    METHOD_AGREES = "the method tag is the method in content"
    CANCEL_METHOD = "a cancel has the revision's method"
    PAYMENT_CONTENT = "a demand for payment by tags has no content"
    ANNOUNCEMENT_ENVELOPE = "an announcement is wrapped in a response, or bare"
    LIST_ENVELOPE = "an announced list is wrapped in a response, or bare"
    ANNOUNCEMENT_MEMBERS = "an announcement holds what an initialize result does"
    PRICE_FORM = "a price is a number and a unit"
    PRICE_IDENTIFIER = "a priced capability is named in the revision's form"


class Envelope(Enum):
    """How a JSON-RPC message stands in content. A revision emits one, checks for those that conform, decodes more."""

    __hash__ = object.__hash__  # as for TagValue

    JSONRPC = "whole"
    NESTED = "without jsonrpc and id"
    HOISTED = "without jsonrpc and id, a result's members at the root"


class AnnouncementEnvelope(Enum):
    RESPONSE = "a JSON-RPC response with id 1"
    RESULT = "the bare result"


class CancelForm(Enum):
    SEED = "notifications/cancel with the request's id as `id`"
    MCP = "notifications/cancelled with `requestId`"


class ProgressForm(Enum):
    BOTH = "`id` and `message` beside MCP's progressToken and progress"
    MCP = "MCP's progressToken and progress"


class PaymentForm(Enum):
    STATUS_TAGS = "tags, and empty content"
    INVOICE = "notifications/payment_required with amount, currency and invoice"
    PAYMENT_REQUEST = "notifications/payment_required with amount, pay_req and pmi"


class PriceForm(Enum):
    NONE = "not defined"
    PLAIN = "the bare identifier, an amount, a unit"
    TYPED = "tool:, prompt: or resource: before the identifier; the amount may be a range"


class Member(Enum):
    """The type of a member of params."""

    ID = "a string or an integer"
    NUMBER = "a number"
    TEXT = "a string"
    PAYMENT_METHOD = "lower-case letters, digits and hyphens"


@dataclass(frozen=True, slots=True)
class Params:
    """What the params of one notification must hold."""

    req: str
    members: Mapping[str, Member]


class Loss(Enum):
    """What a revision cannot carry and lets go. Whatever else it cannot carry, it refuses to send."""

    REQUEST_IDS = "JSON-RPC ids: the request's event id takes their place"
    PAYMENT_DESCRIPTION = "the description of a demand for payment"
    PAYMENT_EXPIRATION = "the time when a demand for payment expires"
    SERVER_ID = "the identifier of the server: one key is one server"
    PRICES = "prices on the answer to a list request"


class WrapTime(Enum):
    PAST = "moved into the past at random"
    NOW = "the present second"


class ServerRequests(Enum):
    """Which requests a server may send to a client."""

    NONE = "none"
    PING = "ping"
    ALL = "all that the MCP version has"


@dataclass(frozen=True, slots=True)
class Kinds:
    """Event kinds. In some revisions one kind serves several purposes."""

    request: int
    response: int
    notification: int
    announcements: Mapping[MessageClass, int]
    wraps: tuple[int, ...] = ()

    def of(self, message_class: MessageClass) -> int | None:
        """The kind of a message class, None for an announcement that the revision does not have."""
        if message_class in REQUESTS:
            return self.request
        if message_class in RESPONSES:
            return self.response
        if message_class in NOTIFICATIONS:
            return self.notification
        return self.announcements.get(message_class)


@dataclass(frozen=True, slots=True)
class Revision:
    """One wire dialect, whole."""

    name: str
    title: str
    source: str
    mcp_version: str
    kinds: Kinds
    kind_reqs: Mapping[MessageClass, str]
    envelope: Envelope
    conforming_envelopes: frozenset[Envelope]
    tolerated_envelopes: frozenset[Envelope]
    announcement_envelope: AnnouncementEnvelope
    cancel: CancelForm
    progress: ProgressForm
    payment: PaymentForm
    prices: PriceForm
    wrap_time: WrapTime | None
    initialized_is_sent: bool
    server_ids: bool
    method_tag_binds: bool
    server_requests: ServerRequests
    requirements: Mapping[Rule, str]
    params: Mapping[str, Params]
    losses: frozenset[Loss]
    tags: Mapping[MessageClass, tuple[TagRule, ...]]

    @property
    def ids_travel(self) -> bool:
        """Whether JSON-RPC ids are on the wire; else the request's event id is the only name of a request."""
        return self.envelope is Envelope.JSONRPC

    def __post_init__(self) -> None:
        problems = [problem for problem, wrong in self._combinations() if wrong]
        if problems:
            raise ValueError(f"{self.name}: {'; '.join(problems)}")

    def _combinations(self) -> list[tuple[str, bool]]:
        rules = [(message_class, rule) for message_class, its_rules in self.tags.items() for rule in its_rules]
        named = {rule.name for _, rule in rules}
        priced = any(rule.value is TagValue.PRICES for _, rule in rules)
        announced = set(self.kinds.announcements)
        return [
            ("a message class has no tag rules", not set(self.tags) >= MESSAGES | announced),
            ("tag rules for an announcement without a kind", bool(set(self.tags) - MESSAGES - announced)),
            ("a tag has two rules in one class", len(rules) != len({(one, rule.name) for one, rule in rules})),
            ("its own envelope does not conform", self.envelope not in self.conforming_envelopes),
            ("a conforming envelope is not tolerated", not self.conforming_envelopes <= self.tolerated_envelopes),
            ("wraps without a time, or a time without wraps", bool(self.kinds.wraps) != bool(self.wrap_time)),
            ("server ids without a tag for them, or the reverse", self.server_ids != ("s" in named)),
            ("prices on responses where prices are not defined", priced and self.prices is PriceForm.NONE),
            ("ids that do not travel are a loss", (Loss.REQUEST_IDS in self.losses) == self.ids_travel),
            ("server ids that do not travel are a loss", (Loss.SERVER_ID in self.losses) == self.server_ids),
            ("prices that responses do not carry are a loss", (Loss.PRICES in self.losses) == priced),
            ("no server announcement", MessageClass.SERVER not in announced),
            ("demands for payment by tags on a kind that carries JSON",
             self.payment is PaymentForm.STATUS_TAGS and self.kinds.notification == self.kinds.request),
        ]  # fmt: skip
