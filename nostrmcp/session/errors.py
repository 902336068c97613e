"""The ways to be wrong that sessions add."""

from __future__ import annotations

from enum import StrEnum


class ErrorClass(StrEnum):
    """Why an event or message goes no further; each member carries its meaning in words."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> ErrorClass:
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    WRONG_RECIPIENT = "wrong_recipient", "a p tag names another key than the receiver's"
    NOT_FRESH = "not_fresh", "created_at is too far from the receiver's clock"
    BEFORE_START = "before_start", "the event is older than the process that received it"
    REPEATED = "repeated", "an event with this id was already taken"
    NO_ROOM = "no_room", "a limit on what strangers can make us hold is reached"
    TOO_MANY = "too_many", "a limit on how often something happens is reached"
    TOO_LARGE = "too_large", "the event or its content is longer than the limit"
    NOT_ALLOWED = "not_allowed", "the client's key is not on the list of those allowed"
    NOT_ENCRYPTED = "not_encrypted", "a plain message where encryption is required, or has been in use"
    ENCRYPTION_DISABLED = "encryption_disabled", "an encrypted message where encryption is disabled"
    UNKNOWN_SERVER = "unknown_server", "the message is for no server here, or does not say for which"
    WRONG_AUTHOR = "wrong_author", "the message is not signed by the key that was asked, or that asked"
    UNCORRELATED = "uncorrelated", "the message names no request that is pending"
    UNEXPECTED = "unexpected", "the message has no place in the state of what it is about"
    DISAGREEMENT = "disagreement", "the e tag and the content name different requests"
    NOT_REQUESTED = "not_requested", "a notification that the subscription does not include"
    UNOWNED = "unowned", "a message of a shared MCP server that belongs to no one client"
    TIMED_OUT = "timed_out", "no answer came in time"
    NOT_DELIVERED = "not_delivered", "no relay took the event"
    LOST = "lost", "the subscription cannot go on"
    PAYMENT_REFUSED = "payment_refused", "a demand for payment that the rules or the policy do not let through"
    FALLEN_BACK = "fallen_back", "encryption was not to be had, and plain text was allowed"
    UNSUPPORTED = "unsupported", "the message needs a feature that is not supported here"
