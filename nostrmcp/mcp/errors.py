"""The ways to be wrong that this layer adds; whose fault it is, is said as in `nostr/errors.py`."""

from __future__ import annotations

from enum import StrEnum


class ErrorClass(StrEnum):
    """The ways a message or its body can be wrong; each member carries its meaning in words."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> ErrorClass:
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    BATCH = "batch", "a JSON array of messages stands where one message is required"
    NOT_A_MESSAGE = "not_a_message", "the value is not an object with a method, a result or an error"
    AMBIGUOUS_MESSAGE = "ambiguous_message", "the object has more than one of method, result and error"
    WRONG_JSONRPC = "wrong_jsonrpc", 'jsonrpc is absent or not "2.0"'
    MALFORMED_REQUEST_ID = "malformed_request_id", "a JSON-RPC id is absent or neither a string nor an integer"
    MALFORMED_METHOD = "malformed_method", "method is not a string"
    MALFORMED_PARAMS = "malformed_params", "params is not an object"
    MALFORMED_RESULT = "malformed_result", "result is not an object"
    MALFORMED_ERROR = "malformed_error", "error is not an object with an integer code and a string message"

    UNKNOWN_MCP_VERSION = "unknown_mcp_version", "the MCP version is none that the catalogue holds"
    UNKNOWN_METHOD = "unknown_method", "the MCP version has no request, or no notification, of this name"
    WRONG_DIRECTION = "wrong_direction", "the MCP version does not let this side send the method"
    MISSING_MEMBER = "missing_member", "params or result lack what the method requires in this MCP version"
    MISTYPED_MEMBER = "mistyped_member", "a member of params or result is not of the type the method gives it"
    UNEXPECTED_RESULT = "unexpected_result", "the request has no result in this MCP version"
