"""JSON-RPC 2.0 as MCP uses it: four kinds of message, and ids that keep their type and value.

`parse` takes a JSON value that `strict_json` has already read, and `to_value` gives one to write, so that no text is
ever parsed twice. Three choices where the texts leave room:

- Members of the top level (and of `error`) that JSON-RPC does not name are tolerated and not kept.
- `result` is an object, as in every MCP schema; JSON-RPC alone would allow any value.
- An error that answers a request whose id could not be read carries `"id": null`, which JSON-RPC demands. Errors
  without an id, the form of MCP since 2025-11-25, are read as the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import IntEnum, StrEnum
from typing import Any

from ..nostr import errors as nostr_errors
from ..nostr.errors import LocalProtocolError, Violation
from ..nostr.strict_json import JSON
from .errors import ErrorClass

Id = str | int
Object = dict[str, JSON]
_Fault = tuple[ErrorClass, str, str]


class ErrorCode(IntEnum):
    """The codes of JSON-RPC, of MCP, and, from -32020 down, of MCP 2026-07-28 alone."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    RESOURCE_NOT_FOUND = -32002
    HEADER_MISMATCH = -32020
    MISSING_REQUIRED_CLIENT_CAPABILITY = -32021
    UNSUPPORTED_PROTOCOL_VERSION = -32022


_ANSWERS: Mapping[StrEnum, ErrorCode] = {
    nostr_errors.ErrorClass.INVALID_UTF8: ErrorCode.PARSE_ERROR,
    nostr_errors.ErrorClass.INVALID_JSON: ErrorCode.PARSE_ERROR,
    nostr_errors.ErrorClass.DUPLICATE_KEY: ErrorCode.PARSE_ERROR,
    nostr_errors.ErrorClass.LONE_SURROGATE: ErrorCode.PARSE_ERROR,
    nostr_errors.ErrorClass.TOO_DEEP: ErrorCode.PARSE_ERROR,
    nostr_errors.ErrorClass.NUMBER_OUT_OF_RANGE: ErrorCode.PARSE_ERROR,
    ErrorClass.MALFORMED_PARAMS: ErrorCode.INVALID_PARAMS,
    ErrorClass.UNKNOWN_MCP_VERSION: ErrorCode.INVALID_PARAMS,
    ErrorClass.UNKNOWN_METHOD: ErrorCode.METHOD_NOT_FOUND,
    ErrorClass.WRONG_DIRECTION: ErrorCode.METHOD_NOT_FOUND,
    ErrorClass.MISSING_MEMBER: ErrorCode.INVALID_PARAMS,
    ErrorClass.MISTYPED_MEMBER: ErrorCode.INVALID_PARAMS,
}


def answer_code(violation: Violation) -> ErrorCode:
    """The code that answers a request refused for this reason; a batch and whatever else is no request: -32600."""
    return _ANSWERS.get(violation.error_class, ErrorCode.INVALID_REQUEST)


def is_id(value: JSON) -> bool:
    """Whether a JSON value can be an id: a string or an integer. `true`, `1.0` and `null` cannot."""
    return type(value) is str or type(value) is int


def same_id(one: JSON, other: JSON) -> bool:
    """Whether two ids are one: the same type and the same value. `0`, `"0"`, `1` and `"1"` are four."""
    return type(one) is type(other) and one == other


def id_key(given: Id) -> tuple[str, Id]:
    """A key for dicts and sets, equal for two ids exactly where `same_id` is true, even for values that are no ids."""
    return type(given).__name__, given


# The classes set their slots themselves: half the cost of the __init__ that a frozen dataclass is given, and several
# messages are built for every event.
@dataclass(frozen=True, slots=True, init=False)
class Request:
    """A message that asks for an answer. `params` is None where there are none."""

    id: Id
    method: str
    params: Object | None

    def __init__(self, id: Id, method: str, params: Object | None = None) -> None:
        if not (type(id) is int or type(id) is str) or type(method) is not str or type(params) not in _PARAMS:
            _no_misuse(_fault_in_id(id) or _fault_in_call(method, params))
        set_id, set_method, set_params = _REQUEST_SLOTS
        set_id(self, id)
        set_method(self, method)
        set_params(self, params)


@dataclass(frozen=True, slots=True)
class Notification:
    """A message that is never answered. `params` is None where there are none."""

    method: str
    params: Object | None = None

    def __post_init__(self) -> None:
        _no_misuse(_fault_in_call(self.method, self.params))


@dataclass(frozen=True, slots=True, init=False)
class Result:
    """The answer to a request that succeeded."""

    id: Id
    result: Object

    def __init__(self, id: Id, result: Object) -> None:
        if not (type(id) is int or type(id) is str) or type(result) is not dict:
            _no_misuse(_fault_in_id(id) or _fault_in_result(result))
        set_id, set_result = _RESULT_SLOTS
        set_id(self, id)
        set_result(self, result)


@dataclass(frozen=True, slots=True)
class Error:
    """The answer to a request that failed. `id` is None only where the id of the request could not be read.

    `data` is None where there is none; `"data": null` is read as that.
    """

    id: Id | None
    code: int
    message: str
    data: JSON = None

    def __post_init__(self) -> None:
        fault = None if self.id is None else _fault_in_id(self.id)
        _no_misuse(fault or _fault_in_error(self.code, self.message))


Message = Request | Notification | Result | Error
_PARAMS = (dict, type(None))
_REQUEST_SLOTS = tuple(getattr(Request, slot.name).__set__ for slot in fields(Request))
_RESULT_SLOTS = tuple(getattr(Result, slot.name).__set__ for slot in fields(Result))


def parse(value: JSON) -> Message:
    """The message a parsed JSON value holds, or a Violation. Nothing of the value is copied or changed."""
    if type(value) is list:
        raise Violation(ErrorClass.BATCH, "message", "an array of messages; each message travels alone")
    if type(value) is not dict:
        raise Violation(ErrorClass.NOT_A_MESSAGE, "message", "not a JSON object")
    if value.get("jsonrpc") != "2.0":
        raise Violation(ErrorClass.WRONG_JSONRPC, "message.jsonrpc", 'absent or not "2.0"')
    if "method" in value and "result" not in value and "error" not in value:
        return _parse_call(value)
    named = [name for name in _PARSERS if name in value]
    if not named:
        raise Violation(ErrorClass.NOT_A_MESSAGE, "message", "it has neither a method nor a result nor an error")
    if len(named) > 1:
        raise Violation(ErrorClass.AMBIGUOUS_MESSAGE, "message", f"it has both {named[0]} and {named[1]}")
    return _PARSERS[named[0]](value)


def to_value(message: Message) -> Object:
    """The JSON object of a message: `parse` gives an equal message back."""
    if isinstance(message, Request):
        return _without_none({"jsonrpc": "2.0", "id": message.id, "method": message.method}, params=message.params)
    if isinstance(message, Notification):
        return _without_none({"jsonrpc": "2.0", "method": message.method}, params=message.params)
    if isinstance(message, Result):
        return {"jsonrpc": "2.0", "id": message.id, "result": message.result}
    error = _without_none({"code": int(message.code), "message": message.message}, data=message.data)
    return {"jsonrpc": "2.0", "id": message.id, "error": error}


def _without_none(value: Object, **optional: JSON) -> Object:
    return value | {name: given for name, given in optional.items() if given is not None}


def _parse_call(value: Object) -> Request | Notification:
    method, params = value["method"], value.get("params")
    if "params" in value and params is None:
        raise Violation(ErrorClass.MALFORMED_PARAMS, "message.params", "null is not an object")
    if "id" not in value:
        _no_violation(_fault_in_call(method, params))
        return Notification(method, params)
    given = value["id"]
    if not (type(given) is int or type(given) is str) or type(method) is not str or type(params) not in _PARAMS:
        _no_violation(_fault_in_id(given) or _fault_in_call(method, params))
    return Request(given, method, params)


def _parse_result(value: Object) -> Result:
    _no_violation(_fault_in_id(value.get("id")) or _fault_in_result(value["result"]))
    return Result(value["id"], value["result"])


def _parse_error(value: Object) -> Error:
    given_id, error = value.get("id"), value["error"]
    if given_id is not None:
        _no_violation(_fault_in_id(given_id))
    if type(error) is not dict:
        raise Violation(ErrorClass.MALFORMED_ERROR, "message.error", "not an object")
    code: Any = error.get("code")
    text: Any = error.get("message")
    _no_violation(_fault_in_error(code, text))
    return Error(given_id, code, text, error.get("data"))


_PARSERS = {"method": _parse_call, "result": _parse_result, "error": _parse_error}


def _fault_in_id(given: Any) -> _Fault | None:
    if is_id(given):
        return None
    return ErrorClass.MALFORMED_REQUEST_ID, "message.id", "neither a string nor an integer"


def _fault_in_call(method: Any, params: Any) -> _Fault | None:
    if type(method) is not str:
        return ErrorClass.MALFORMED_METHOD, "message.method", "not a string"
    if params is not None and type(params) is not dict:
        return ErrorClass.MALFORMED_PARAMS, "message.params", "not an object"
    return None


def _fault_in_result(result: Any) -> _Fault | None:
    if type(result) is dict:
        return None
    return ErrorClass.MALFORMED_RESULT, "message.result", "not an object"


def _fault_in_error(code: Any, text: Any) -> _Fault | None:
    if not isinstance(code, int) or isinstance(code, bool):
        return ErrorClass.MALFORMED_ERROR, "message.error.code", "not an integer"
    if type(text) is not str:
        return ErrorClass.MALFORMED_ERROR, "message.error.message", "not a string"
    return None


def _no_violation(fault: _Fault | None) -> None:
    if fault is not None:
        raise Violation(*fault)


def _no_misuse(fault: _Fault | None) -> None:
    if fault is not None:
        error_class, where, detail = fault
        raise LocalProtocolError(error_class, f"{where}: {detail}")
