"""What `inspect` says of an event."""

from __future__ import annotations

import json

import pytest

from nostrmcp.conformance.vectors import load_suites
from nostrmcp.nostr import Event, SecretKey, UnsignedEvent, nip59
from nostrmcp.translate.inspect import inspect

SUITES = {suite.name: suite for suite in load_suites()}
REVISION_NAMES = ("dvmcp-rev1", "dvmcp-rev1-ephemeral", "dvmcp-rev1.1", "ctxvm-draft", "contextvm")
ALICE, BOB, ONCE = (SecretKey(bytes([number]) * 32) for number in (1, 2, 3))


@pytest.mark.parametrize("name", REVISION_NAMES)
def test_every_breach_is_told(name: str) -> None:
    told_of = 0
    for case in SUITES[f"{name}/check"].cases:
        if case.output is None or case.input["revision"] != name:
            continue
        found = inspect(json.dumps(case.input["event"]))
        assert found.invalid is None
        reading = next((one for one in found.readings if one.revision == name), None)
        if reading is not None and case.input["answers"] is None:
            assert {breach.req for breach in reading.breaches} == set(case.output["breaches"]), case.id
            told_of += len(case.output["breaches"])
    assert told_of > 10


@pytest.mark.parametrize(
    ("suite", "id"),
    [("dvmcp-rev1.1", "r11-check-complete-many"), ("ctxvm-draft", "ctx-check-completion-many"),
     ("contextvm", "cvm-check-completion-many")],
)  # fmt: skip
def test_a_completion_is_known_by_itself(suite: str, id: str) -> None:
    case = next(case for case in SUITES[f"{suite}/check"].cases if case.id == id)
    reading = next(one for one in inspect(json.dumps(case.input["event"])).readings if one.revision == suite)
    assert tuple(breach.req for breach in reading.breaches) == case.req


def test_a_request_is_read() -> None:
    case = next(case for case in SUITES["contextvm/decode"].cases if case.result == "valid")
    found = inspect(json.dumps(case.input["event"]))
    assert found.is_sound
    assert found.event is not None and found.event.id.hex() == case.input["event"]["id"]
    assert any(reading.message == case.output["message"] for reading in found.readings)  # type: ignore[index]


def test_an_announcement_is_read() -> None:
    case = next(case for case in SUITES["contextvm/announce"].cases if case.op == "parse_announcement")
    found = inspect(json.dumps(case.input["event"]))
    assert found.detection is not None and found.detection.candidates == ("contextvm",)
    (reading,) = found.readings
    assert (reading.message_class, reading.refused) == ("server announcement", None)


@pytest.mark.parametrize(
    ("data", "error_class"),
    [(b"", "invalid_json"), (b"{}", "missing_field"), (b"\xff", "invalid_utf8"), ("[]", "not_an_object")],
)
def test_what_is_no_event_is_told(data: bytes | str, error_class: str) -> None:
    found = inspect(data)
    assert found.event is None and not found.is_sound
    assert found.invalid is not None and found.invalid.error_class == error_class


def test_an_event_that_does_not_verify_is_told() -> None:
    event = UnsignedEvent(ALICE.public_key.x, 1, 25910, (), "{}").sign(ALICE, bytes(32))
    found = inspect(event.dump().replace(b'"created_at":1', b'"created_at":2'))
    assert found.event is not None and not found.is_sound
    assert found.invalid is not None and found.invalid.error_class == "id_mismatch"


def test_wraps_are_opened_with_a_key_and_only_named_without() -> None:
    tags = (("p", BOB.public_key.hex()),)
    content = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    inner = UnsignedEvent(ALICE.public_key.x, 1, 25910, tags, content).sign(ALICE, bytes(32))
    wrap = nip59.wrap(
        inner, BOB.public_key, kind=21059, created_at=1, ephemeral_key=ONCE, nonce=bytes(32), aux_rand=bytes(32)
    )
    closed = inspect(wrap.dump())
    assert closed.detection is not None and closed.detection.candidates == ("contextvm",)
    assert closed.readings == () and closed.is_sound

    opened = inspect(wrap.dump(), (ALICE, BOB))
    assert (opened.wrapped_in, opened.event) == (21059, inner)
    assert [reading.message_class for reading in opened.readings] == ["ping"] * len(opened.readings)
    assert opened.is_sound

    foreign = inspect(wrap.dump(), (ALICE,))
    assert foreign == inspect(wrap.dump())


def test_a_forged_event_in_a_wrap_is_told_whatever_the_order_of_keys() -> None:
    inner = UnsignedEvent(ALICE.public_key.x, 1, 25910, (), "{}").sign(ALICE, bytes(32))
    forged = Event(inner.id, inner.pubkey, 1, 25910, (), "{}", bytes(64))
    wrap = nip59.wrap(
        forged, BOB.public_key, kind=1059, created_at=1, ephemeral_key=ONCE, nonce=bytes(32), aux_rand=bytes(32)
    )
    for keys in ((ALICE, BOB), (BOB, ALICE)):
        found = inspect(wrap.dump(), keys)
        assert found.invalid is not None and found.invalid.error_class == "invalid_signature"


def test_an_event_of_another_protocol_has_no_reading() -> None:
    event = UnsignedEvent(ALICE.public_key.x, 1, 1, (), "hello").sign(ALICE, bytes(32))
    found = inspect(event.dump())
    assert found.readings == () and found.is_sound
    assert found.detection is not None and found.detection.candidates == ()
