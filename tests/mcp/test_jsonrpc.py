from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.mcp import Error, ErrorClass, ErrorCode, Message, Notification, Request, Result, jsonrpc
from nostrmcp.nostr import ErrorClass as NostrErrorClass
from nostrmcp.nostr import Violation, strict_json
from tests.mcp.strategies import NOT_IDS, almost_messages, ids, messages, misused, outcome, refused
from tests.nostr.strategies import json_objects, json_values, texts

FOUR = (0, "0", 1, "1")


def call(**members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "ping", **members}


def result(**members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "result": {}, **members}


def error(**members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no", **members}}


# Four kinds of message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (call(id=0), Request(0, "ping")),
        (call(id="", params={}), Request("", "ping", {})),
        (call(), Notification("ping")),
        (call(params={"a": None}), Notification("ping", {"a": None})),
        (result(), Result(1, {})),
        (error(), Error(1, -32603, "no")),
        (error(data=[1]), Error(1, -32603, "no", [1])),
        (error() | {"id": None}, Error(None, -32603, "no")),
    ],
)
def test_each_kind_both_ways(value: dict[str, Any], message: Message) -> None:
    parsed = jsonrpc.parse(value)
    assert (type(parsed), parsed) == (type(message), message)
    assert jsonrpc.to_value(message) == value


def test_members_are_written_in_the_usual_order() -> None:
    assert list(jsonrpc.to_value(Request(1, "ping", {}))) == ["jsonrpc", "id", "method", "params"]
    assert list(jsonrpc.to_value(Result(1, {}))) == ["jsonrpc", "id", "result"]
    assert list(jsonrpc.to_value(Error(1, 2, "no", 3))["error"]) == ["code", "message", "data"]


@given(messages)
def test_round_trip(message: Message) -> None:
    value = jsonrpc.to_value(message)
    again = jsonrpc.parse(value)
    assert (type(again), again) == (type(message), message)
    assert jsonrpc.to_value(again) == value
    assert jsonrpc.parse(strict_json.parse(strict_json.dump(value))) == message


@given(st.one_of(json_values, almost_messages()))
def test_any_value_is_a_message_or_a_violation(value: Any) -> None:
    parsed = outcome(jsonrpc.parse, value)
    if not isinstance(parsed, Violation):
        written = jsonrpc.to_value(parsed)
        assert jsonrpc.parse(written) == parsed


@given(messages, json_objects)
def test_what_json_rpc_does_not_name_is_tolerated_and_not_kept(message: Message, more: dict[str, Any]) -> None:
    known = {"jsonrpc", "id", "method", "params", "result", "error"}
    more = {name: value for name, value in more.items() if name not in known} | {"x-vendor": 1}
    value = jsonrpc.to_value(message)
    assert jsonrpc.parse(value | more) == message
    if isinstance(message, Error):
        assert jsonrpc.parse(value | {"error": value["error"] | {"x-vendor": 1}}) == message


def test_the_body_is_neither_copied_nor_changed() -> None:
    params: dict[str, Any] = {"a": [1]}
    parsed = jsonrpc.parse(call(params=params))
    assert isinstance(parsed, Notification)
    assert parsed.params is params
    assert jsonrpc.to_value(parsed)["params"] is params
    assert params == {"a": [1]}


@pytest.mark.parametrize("message", [Request(1, "ping"), Notification("ping"), Result(1, {}), Error(1, 2, "no")])
def test_a_message_does_not_change(message: Message) -> None:
    assert not hasattr(message, "__dict__")
    for name in type(message).__slots__:
        with pytest.raises(FrozenInstanceError):
            setattr(message, name, "other")


# What is refused


@pytest.mark.parametrize(
    ("error_class", "where", "value"),
    [
        (ErrorClass.BATCH, "message", []),
        (ErrorClass.BATCH, "message", [call(id=1)]),
        (ErrorClass.NOT_A_MESSAGE, "message", "ping"),
        (ErrorClass.NOT_A_MESSAGE, "message", None),
        (ErrorClass.NOT_A_MESSAGE, "message", {"jsonrpc": "2.0", "id": 1}),
        (ErrorClass.WRONG_JSONRPC, "message.jsonrpc", {}),
        (ErrorClass.WRONG_JSONRPC, "message.jsonrpc", {"method": "ping", "id": 1}),
        (ErrorClass.WRONG_JSONRPC, "message.jsonrpc", call() | {"jsonrpc": 2.0}),
        (ErrorClass.WRONG_JSONRPC, "message.jsonrpc", call() | {"jsonrpc": "1.0"}),
        (ErrorClass.AMBIGUOUS_MESSAGE, "message", call(result={})),
        (ErrorClass.AMBIGUOUS_MESSAGE, "message", result() | error()),
        (ErrorClass.AMBIGUOUS_MESSAGE, "message", result(error=None)),
        (ErrorClass.MALFORMED_METHOD, "message.method", call(id=1) | {"method": None}),
        (ErrorClass.MALFORMED_METHOD, "message.method", call() | {"method": 1}),
        (ErrorClass.MALFORMED_PARAMS, "message.params", call(params=[])),
        (ErrorClass.MALFORMED_PARAMS, "message.params", call(id=1, params=None)),
        (ErrorClass.MALFORMED_PARAMS, "message.params", call(id=1, params="a")),
        (ErrorClass.MALFORMED_RESULT, "message.result", result() | {"result": None}),
        (ErrorClass.MALFORMED_RESULT, "message.result", result() | {"result": []}),
        (ErrorClass.MALFORMED_REQUEST_ID, "message.id", {"jsonrpc": "2.0", "result": {}}),
        (ErrorClass.MALFORMED_ERROR, "message.error", {"jsonrpc": "2.0", "id": 1, "error": None}),
        (ErrorClass.MALFORMED_ERROR, "message.error", {"jsonrpc": "2.0", "id": 1, "error": "no"}),
        (ErrorClass.MALFORMED_ERROR, "message.error.code", {"jsonrpc": "2.0", "id": 1, "error": {"message": "no"}}),
        (ErrorClass.MALFORMED_ERROR, "message.error.code", error(code="-32603")),
        (ErrorClass.MALFORMED_ERROR, "message.error.code", error(code=-32603.0)),
        (ErrorClass.MALFORMED_ERROR, "message.error.code", error(code=True)),
        (ErrorClass.MALFORMED_ERROR, "message.error.message", {"jsonrpc": "2.0", "id": 1, "error": {"code": 1}}),
        (ErrorClass.MALFORMED_ERROR, "message.error.message", error(message=None)),
    ],
)
def test_refused(error_class: ErrorClass, where: str, value: Any) -> None:
    assert refused(error_class, jsonrpc.parse, value).where == where


@pytest.mark.parametrize("given_id", NOT_IDS)
@pytest.mark.parametrize("message", [call(id=1), result(), error()])
def test_ids_that_are_none(message: dict[str, Any], given_id: Any) -> None:
    if given_id is None and "error" in message:
        assert jsonrpc.parse(message | {"id": None}) == Error(None, -32603, "no")
    else:
        assert refused(ErrorClass.MALFORMED_REQUEST_ID, jsonrpc.parse, message | {"id": given_id}).where == "message.id"


def test_an_error_without_an_id_is_one_whose_request_could_not_be_read() -> None:
    value = error()
    del value["id"]
    assert jsonrpc.parse(value) == Error(None, -32603, "no")
    assert jsonrpc.to_value(Error(None, -32603, "no"))["id"] is None


def test_null_data_is_no_data() -> None:
    assert jsonrpc.parse(error(data=None)) == Error(1, -32603, "no")
    assert "data" not in jsonrpc.to_value(Error(1, -32603, "no"))["error"]


@pytest.mark.parametrize(
    ("error_class", "kind", "arguments"),
    [
        (ErrorClass.MALFORMED_REQUEST_ID, Request, (True, "ping")),
        (ErrorClass.MALFORMED_REQUEST_ID, Request, (None, "ping")),
        (ErrorClass.MALFORMED_METHOD, Request, (1, None)),
        (ErrorClass.MALFORMED_PARAMS, Request, (1, "ping", [])),
        (ErrorClass.MALFORMED_METHOD, Notification, (b"ping",)),
        (ErrorClass.MALFORMED_PARAMS, Notification, ("ping", ())),
        (ErrorClass.MALFORMED_REQUEST_ID, Result, (1.0, {})),
        (ErrorClass.MALFORMED_RESULT, Result, (1, None)),
        (ErrorClass.MALFORMED_REQUEST_ID, Error, (1.0, 1, "no")),
        (ErrorClass.MALFORMED_ERROR, Error, (1, "1", "no")),
        (ErrorClass.MALFORMED_ERROR, Error, (1, 1, None)),
    ],
)
def test_what_no_peer_may_be_sent_cannot_be_built(error_class: ErrorClass, kind: Any, arguments: Any) -> None:
    misused(error_class, kind, *arguments)


# Ids


def test_four_ids() -> None:
    assert [[jsonrpc.same_id(one, other) for other in FOUR] for one in FOUR] == [
        [True, False, False, False],
        [False, True, False, False],
        [False, False, True, False],
        [False, False, False, True],
    ]
    assert len({jsonrpc.id_key(one) for one in FOUR}) == 4
    assert len({jsonrpc.parse(call(id=one)).id for one in FOUR}) == 4  # type: ignore[union-attr]


def test_values_that_python_takes_for_equal_are_not() -> None:
    pairs: list[tuple[int, Any]] = [(1, True), (0, False), (1, 1.0), (2**53, float(2**53))]
    for one, other in pairs:
        assert one == other
        assert not jsonrpc.same_id(one, other)
        assert jsonrpc.id_key(one) != jsonrpc.id_key(other)


@given(ids)
def test_ids_keep_type_and_value(given_id: str | int) -> None:
    text = strict_json.dump(jsonrpc.to_value(Request(given_id, "ping")))
    assert json.dumps(given_id) == json.dumps(json.loads(text)["id"])
    parsed = jsonrpc.parse(strict_json.parse(text))
    assert isinstance(parsed, Request)
    assert jsonrpc.same_id(parsed.id, given_id)


@given(json_values, json_values)
def test_keys_agree_with_the_comparison(one: Any, other: Any) -> None:
    assert jsonrpc.is_id(one) == (isinstance(one, (str, int)) and not isinstance(one, bool))
    assert jsonrpc.same_id(one, one)
    if jsonrpc.is_id(one) and jsonrpc.is_id(other):
        assert (jsonrpc.id_key(one) == jsonrpc.id_key(other)) == jsonrpc.same_id(one, other)


# Codes


def test_codes() -> None:
    assert {code.name: code.value for code in ErrorCode} == {
        "PARSE_ERROR": -32700,
        "INVALID_REQUEST": -32600,
        "METHOD_NOT_FOUND": -32601,
        "INVALID_PARAMS": -32602,
        "INTERNAL_ERROR": -32603,
        "RESOURCE_NOT_FOUND": -32002,
        "HEADER_MISMATCH": -32020,
        "MISSING_REQUIRED_CLIENT_CAPABILITY": -32021,
        "UNSUPPORTED_PROTOCOL_VERSION": -32022,
    }


@given(st.sampled_from(ErrorCode), texts())
def test_a_named_code_is_written_as_a_number(code: ErrorCode, text: str) -> None:
    value = jsonrpc.to_value(Error(1, code, text))
    assert type(value["error"]["code"]) is int
    assert strict_json.parse(strict_json.dump(value)) == value


@pytest.mark.parametrize(
    ("code", "classes"),
    [
        (
            ErrorCode.PARSE_ERROR,
            [
                NostrErrorClass.INVALID_UTF8,
                NostrErrorClass.INVALID_JSON,
                NostrErrorClass.DUPLICATE_KEY,
                NostrErrorClass.LONE_SURROGATE,
                NostrErrorClass.TOO_DEEP,
                NostrErrorClass.NUMBER_OUT_OF_RANGE,
            ],
        ),
        (
            ErrorCode.INVALID_REQUEST,
            [
                ErrorClass.BATCH,
                ErrorClass.NOT_A_MESSAGE,
                ErrorClass.AMBIGUOUS_MESSAGE,
                ErrorClass.WRONG_JSONRPC,
                ErrorClass.MALFORMED_REQUEST_ID,
                ErrorClass.MALFORMED_METHOD,
            ],
        ),
        (ErrorCode.METHOD_NOT_FOUND, [ErrorClass.UNKNOWN_METHOD, ErrorClass.WRONG_DIRECTION]),
        (
            ErrorCode.INVALID_PARAMS,
            [
                ErrorClass.MALFORMED_PARAMS,
                ErrorClass.MISSING_MEMBER,
                ErrorClass.MISTYPED_MEMBER,
                ErrorClass.UNKNOWN_MCP_VERSION,
            ],
        ),
    ],
)
def test_codes_that_answer_violations(code: ErrorCode, classes: list[Any]) -> None:
    assert {jsonrpc.answer_code(Violation(one, "message", "")) for one in classes} == {code}
