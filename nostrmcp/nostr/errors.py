"""What can be wrong, and whose fault it is.

A peer's fault is a `Violation`: a relay hands us whatever anyone signs, so it is an ordinary outcome. Our own caller's
misuse is a `LocalProtocolError`. Both name an error class from a closed list, which `vectors/errors.json` repeats for
implementations in other languages. Neither ever carries a secret.
"""

from __future__ import annotations

from enum import StrEnum


class ErrorClass(StrEnum):
    """The ways to be wrong that this layer knows; each member carries its meaning in words."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> ErrorClass:
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    INVALID_UTF8 = "invalid_utf8", "bytes that must be UTF-8 are not"
    INVALID_JSON = "invalid_json", "the text is not one JSON value: a syntax error, trailing data, NaN or Infinity"
    DUPLICATE_KEY = "duplicate_key", "a JSON object names the same key twice"
    LONE_SURROGATE = "lone_surrogate", "a string holds half of a surrogate pair"
    TOO_DEEP = "too_deep", "JSON arrays and objects are nested beyond the limit"
    NUMBER_OUT_OF_RANGE = "number_out_of_range", "a number cannot be kept without changing its value"

    NOT_AN_OBJECT = "not_an_object", "a JSON object is required here"
    MISSING_FIELD = "missing_field", "a required field is absent"
    MALFORMED_ID = "malformed_id", "an event id is not 64 lower-case hexadecimal digits"
    MALFORMED_PUBKEY = "malformed_pubkey", "a public key is not 64 lower-case hexadecimal digits"
    MALFORMED_CREATED_AT = "malformed_created_at", "created_at is not a non-negative integer of at most 64 bits"
    MALFORMED_KIND = "malformed_kind", "kind is not an integer from 0 to 65535"
    MALFORMED_TAGS = "malformed_tags", "tags is not a list of non-empty lists of strings"
    MALFORMED_CONTENT = "malformed_content", "content is not a string"
    MALFORMED_SIG = "malformed_sig", "sig is not 128 lower-case hexadecimal digits"
    ID_MISMATCH = "id_mismatch", "the id is not the SHA-256 of the serialized event"
    INVALID_PUBLIC_KEY = "invalid_public_key", "the public key is not the x coordinate of a point on the curve"
    INVALID_SECRET_KEY = "invalid_secret_key", "the secret key is not 32 bytes from 1 to n - 1"
    INVALID_SIGNATURE = "invalid_signature", "the signature does not verify"

    MALFORMED_FILTER = "malformed_filter", "a filter field has a wrong type or value, or an empty list"
    UNKNOWN_FILTER_FIELD = "unknown_filter_field", "a filter names a field that NIP-01 does not define"

    MALFORMED_FRAME = "malformed_frame", "a relay message does not have the elements of its type"
    UNKNOWN_FRAME = "unknown_frame", "a relay message is of a type that this side does not receive"
    MALFORMED_SUBSCRIPTION_ID = "malformed_subscription_id", "a subscription id is not a string of 1 to 64 characters"

    INVALID_BECH32 = "invalid_bech32", "the text breaks BIP-173: characters, case, length, padding or checksum"
    UNKNOWN_PREFIX = "unknown_prefix", "the bech32 prefix is none that NIP-19 defines"
    MALFORMED_TLV = (
        "malformed_tlv",
        "the entity behind the prefix has a wrong length, or a TLV is cut, missing or wrong",
    )

    UNSUPPORTED_VERSION = "unsupported_version", "the NIP-44 payload is of a version other than 2"
    MALFORMED_PAYLOAD = "malformed_payload", "the NIP-44 payload is too short or not strict base64"
    PAYLOAD_TOO_LARGE = "payload_too_large", "the NIP-44 payload is longer than the limit set for it"
    INVALID_MAC = "invalid_mac", "the NIP-44 message authentication code does not match"
    INVALID_PADDING = "invalid_padding", "the NIP-44 length prefix and padding do not agree"
    INVALID_PLAINTEXT_LENGTH = "invalid_plaintext_length", "the plaintext is empty or longer than the form allows"

    WRONG_KIND = "wrong_kind", "the event is not of the kind required here"
    UNEXPECTED_SEAL = "unexpected_seal", "a one-layer wrap holds a seal: the sender speaks the three-layer form"
    SEAL_WITH_TAGS = "seal_with_tags", "a seal has tags"
    SIGNED_RUMOR = "signed_rumor", "a rumor carries a signature"
    AUTHOR_MISMATCH = "author_mismatch", "the seal is not signed by the author that the rumor names"

    MALFORMED_DELETION = "malformed_deletion", "a deletion request references nothing, or references it wrongly"
    MALFORMED_EXPIRATION = "malformed_expiration", "an expiration tag does not hold a unix time in seconds"
    STALE_AUTH = "stale_auth", "created_at of the authentication event is too far from the current time"
    CHALLENGE_MISMATCH = "challenge_mismatch", "the authentication event does not answer the challenge that was sent"
    RELAY_MISMATCH = "relay_mismatch", "the authentication event names another relay"


class Violation(Exception):
    """A peer broke a rule. `error_class` says which, `where` in what part of its data, `detail` why."""

    def __init__(self, error_class: StrEnum, where: str, detail: str) -> None:
        super().__init__(error_class, where, detail)
        self.error_class = error_class
        self.where = where
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.error_class}: {self.where}: {self.detail}"


class LocalProtocolError(Exception):
    """Our own caller asked for something no peer may be sent. Nothing was produced."""

    def __init__(self, error_class: StrEnum, detail: str) -> None:
        super().__init__(error_class, detail)
        self.error_class = error_class
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.error_class}: {self.detail}"


def shown(text: str) -> str:
    """A stranger's string made safe for a message: printable ASCII, at most 64 characters."""
    escaped = ascii(text[:65])[1:-1]
    return escaped if len(escaped) <= 64 else escaped[:64] + "..."
