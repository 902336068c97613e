"""The ways to be wrong that translation adds."""

from __future__ import annotations

from enum import StrEnum


class ErrorClass(StrEnum):
    """What can be wrong with a message on the wire; each member carries its meaning in words."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> ErrorClass:
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    MISSING_TAG = "missing_tag", "a tag without which the message cannot be understood is absent"
    MALFORMED_TAG = "malformed_tag", "a tag does not hold what its name says"
    MALFORMED_BODY = "malformed_body", "content is not a message of the revision"
    METHOD_MISMATCH = "method_mismatch", "the method tag and the method in content differ"
    NOT_CARRIED = "not_carried", "the revision has no form for this message"
