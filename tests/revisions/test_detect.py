"""Which revision an event can belong to: FIELD 2.4 row by row, and no revision ever excluded from its own events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from nostrmcp.nostr import Event, UnsignedEvent
from nostrmcp.nostr import event as events
from nostrmcp.revisions import REVISIONS
from nostrmcp.revisions.detect import Detection, detect
from nostrmcp.translate.check import check
from tests.nostr.strategies import ALICE, BOB, share, signed, signed_events
from tests.translate.strategies import arbitrary_events

VECTORS = Path(__file__).resolve().parents[2] / "vectors"
REV1, EPHEMERAL, REV1_1, CTXVM, CONTEXTVM = REVISIONS

P = ("p", BOB.public_key.x.hex())
E = ("e", "ab" * 32)
S = ("s", "server-1")
D = ("d", "server-1")


def method(name: str) -> tuple[str, str]:
    return "method", name


CALL = {"method": "tools/call", "params": {"name": "a"}}
INITIALIZE = {"method": "initialize", "params": {"protocolVersion": "2025-03-26"}}
NOTE = {"method": "notifications/message", "params": {"level": "info", "data": 1}}
INITIALIZED = {"method": "notifications/initialized"}
RESULT = {"result": {"content": []}}
SERVER = {"protocolVersion": "2025-03-26", "capabilities": {}, "serverInfo": {"name": "a", "version": "1"}}
TOOLS = {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}


def whole(body: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", **({} if "notifications/" in body.get("method", "") else {"id": 1}), **body}


def event(kind: int, content: Any, *tags: tuple[str, ...]) -> Event:
    text = content if isinstance(content, str) else json.dumps(content)
    return signed(ALICE, kind=kind, tags=tags, content=text)


CASES: dict[str, tuple[Event, tuple[str, ...]]] = {
    # The rows of FIELD 2.4
    "5910 with method": (event(5910, whole(CALL), method("tools/call"), P, S), (REV1,)),
    "6910": (event(6910, whole(RESULT), P, E), (REV1,)),
    "25910 with method and s, whole": (event(25910, whole(CALL), method("tools/call"), P, S), (EPHEMERAL,)),
    "26910, whole": (event(26910, whole(RESULT), P, E), (EPHEMERAL,)),
    "25910 with method, stripped, no sign": (event(25910, CALL, method("tools/call"), P, S), (REV1_1, CTXVM)),
    "26910, hoisted": (event(26910, {"content": []}, E), (REV1_1,)),
    "25910 request with s": (event(25910, whole(CALL), P, S), (CTXVM,)),
    "25910 response with d": (event(25910, whole({"result": SERVER}), P, E, D), (CTXVM,)),
    "25910 stripped response": (event(25910, RESULT, P, E), (CTXVM,)),
    "25910 stripped notification": (event(25910, NOTE, P), (CTXVM,)),
    "25910 notification with s": (event(25910, whole(NOTE), P, S), (CTXVM,)),
    "31316 without k, bare": (event(31316, SERVER, D), (CTXVM,)),
    "11316": (event(11316, SERVER), (CONTEXTVM,)),
    "11320": (event(11320, {"prompts": []}), (CONTEXTVM,)),
    "25910 with discovery tags": (
        event(25910, whole(INITIALIZE), P, ("support_encryption",), ("support_encryption_ephemeral",)), (CONTEXTVM,)),
    "25910 with the flag that servers of the draft have": (
        event(25910, whole(CALL), P, ("support_encryption",)), (CONTEXTVM,)),
    "1059": (event(1059, "ciphertext", P), (CTXVM, CONTEXTVM)),
    "21059": (event(21059, "ciphertext", P), (CONTEXTVM,)),
    "31316 with k 5910": (event(31316, whole({"result": SERVER}), D, ("k", "5910")), (REV1,)),
    "31316 with k 25910": (event(31316, "", D, ("k", "25910")), (EPHEMERAL, REV1_1)),
    "31316 with k 25910, in a response": (event(31316, whole({"result": SERVER}), D, ("k", "25910")), (EPHEMERAL,)),
    "31316 with k 25910, bare": (event(31316, SERVER, D, ("k", "25910")), (REV1_1,)),
    # What one message cannot decide
    "initialize of 000 and 001": (event(25910, whole(INITIALIZE), P, S, method("initialize")), (EPHEMERAL, CTXVM)),
    "a request of 003 and 001's text": (
        event(25910, INITIALIZE, P, S, method("initialize")), (REV1_1, CTXVM)),
    "001 without s and today's": (event(25910, whole(CALL), P), (CTXVM, CONTEXTVM)),
    "a response of 001 and today's": (event(25910, whole(RESULT), P, E), (CTXVM, CONTEXTVM)),
    "a notification of 001 and today's": (event(25910, whole(NOTE), P), (CTXVM, CONTEXTVM)),
    # Kinds and lists that several share
    "21316 whole with s": (
        event(21316, whole(NOTE), P, S, method("notifications/message")), (REV1, EPHEMERAL)),
    "21316 whole without s": (event(21316, whole(NOTE), P, method("notifications/message")), (EPHEMERAL,)),
    "21316 initialized": (
        event(21316, whole(INITIALIZED), P, S, method("notifications/initialized")), (EPHEMERAL,)),
    "21316 stripped": (event(21316, NOTE, P, method("notifications/message")), (REV1_1,)),
    "21316 payment": (
        event(21316, "", P, ("status", "payment-required"), ("amount", "1", "lnbc1"), E), (REV1, EPHEMERAL, REV1_1)),
    "21316 payment that expires": (
        event(21316, "", P, ("status", "payment-required"), ("amount", "1", "lnbc1"), E, ("expiration", "1")),
        (REV1, EPHEMERAL, REV1_1)),
    "31317 with t": (event(31317, whole({"result": TOOLS}), D, S, ("t", "a")), (REV1,)),
    "31317 with cap, in a response": (event(31317, whole({"result": TOOLS}), D, S, ("cap", "a")), (EPHEMERAL,)),
    "31317 with cap, bare": (event(31317, TOOLS, D, S, ("cap", "a", "1", "sats")), (REV1_1, CTXVM)),
    "31317 without cap, bare": (event(31317, TOOLS, D, S), (CTXVM,)),
    "31318 bare": (event(31318, {"resources": []}, D, S), (REV1_1, CTXVM)),
    "31318 in a response": (event(31318, whole({"result": {"resources": []}}), D, S), (REV1, EPHEMERAL)),
    "31319 in a response with t": (event(31319, whole({"result": {"prompts": []}}), D, S, ("t", "a")), (REV1,)),
    "31319 in a response with cap": (
        event(31319, whole({"result": {"prompts": []}}), D, S, ("cap", "a")), (EPHEMERAL,)),
    # Content that says nothing
    "25910 not JSON": (event(25910, "{", P, S), (EPHEMERAL, REV1_1, CTXVM)),
    "25910 an array": (event(25910, [whole(CALL)], P), (EPHEMERAL, REV1_1, CTXVM, CONTEXTVM)),
    "25910 a method that is no string": (event(25910, {"method": 1, "jsonrpc": "2.0"}, P), (CTXVM, CONTEXTVM)),
    # Foreign kinds
    "a note": (event(1, "hello"), ()),
}  # fmt: skip


@pytest.mark.parametrize(("given_event", "candidates"), CASES.values(), ids=list(CASES))
def test_candidates(given_event: Event, candidates: tuple[str, ...]) -> None:
    given_event.verify()
    found = detect(given_event)
    assert found.candidates == candidates
    assert bool(found.evidence) is bool(candidates)
    if candidates:
        assert found.evidence[0] == f"kind {given_event.kind}"


@pytest.mark.parametrize(
    ("given_event", "neighbour"),
    [
        (event(5910, whole(CALL), P, ("c", "execute-tool")), "DVMCP before rev1 (mcp:2024-11-05)"),
        (event(6910, whole(RESULT), P, E, ("c", "execute-tool-response")), "DVMCP before rev1 (mcp:2024-11-05)"),
        (event(7000, "", P, ("status", "processing")), "DVMCP before rev1 (mcp:2024-11-05)"),
        (event(31990, "{}", D), "DVMCP before rev1 (mcp:2024-11-05)"),
        (event(13, "ciphertext"), "DVMCP rev1.1 with NIP-17 encryption: a seal"),
    ],
    ids=["5910 with c", "6910 with c", "7000", "31990", "13"],
)
def test_neighbours_are_none_of_ours(given_event: Event, neighbour: str) -> None:
    assert detect(given_event) == Detection((), (), neighbour)


def test_the_hybrid_is_named_beside_its_candidate() -> None:
    found = detect(event(26910, RESULT, P, E))
    assert found.candidates == (REV1_1,)
    assert found.neighbour == "DVMCP hybrid: a nested result without jsonrpc"
    assert detect(event(26910, whole(RESULT), P, E)).neighbour is None


def test_a_sign_that_rules_out_all_that_is_left_rules_out_none() -> None:
    # Both signs together would leave no revision.
    found = detect(event(25910, CALL, P))
    assert found.candidates == (CTXVM,)
    assert found.evidence == ("kind 25910", "content has no jsonrpc", "a request without a method tag")
    assert detect(event(6910, CALL, P)) == Detection((REV1,), ("kind 6910",))


# Every conforming event of the vectors


def _cases(revision: str, suite: str) -> list[dict[str, Any]]:
    data = json.loads((VECTORS / revision / f"{suite}.json").read_text(encoding="utf-8"))
    return [case for group in data["groups"] for case in group["cases"] if case["result"] != "invalid"]


def _signed_by_us(value: dict[str, Any]) -> Event:
    """The event of a vector, or, where that is unsigned, the same by an author whose key we have."""
    if "sig" in value:
        return events.from_value(value)
    tags = tuple(tuple(tag) for tag in value["tags"])
    return UnsignedEvent(ALICE.public_key.x, value["created_at"], value["kind"], tags, value["content"]).sign(
        ALICE, bytes(32)
    )


def _conforming(revision: str) -> list[tuple[str, Event]]:
    found = []
    for suite in ("encode", "decode", "check", "announce"):
        for case in _cases(revision, suite):
            built = case.get("output", {}).get("event")
            one = _signed_by_us(built or case["input"]["event"])
            if suite == "check" and case.get("output", {}).get("breaches") != []:
                continue
            if built is None and check(one, REVISIONS[revision], case["input"].get("answers")):
                continue
            found.append((case["id"], one))
    return found


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_conforming_vector_is_never_called_another_revision(revision: str) -> None:
    conforming = _conforming(revision)
    assert len(conforming) > 50
    called_another = {name for name, one in conforming if revision not in detect(one).candidates}
    assert called_another == {name for name in NEIGHBOURS_TAGS if name in dict(conforming)}


# Understood under this revision, which lets any tag stand, but with the marks of a neighbour that demands them.
NEIGHBOURS_TAGS = {
    "r1-decode-initialized",
    "ctx-decode-call-other-method-tag",
    "ctx-check-call-other-method-tag",
    "cvm-decode-other-revision-tags",
    "cvm-check-other-tags",
    "cvm-check-request-other-method-tag",
}


# Whatever anyone signs


@given(arbitrary_events())
def test_arbitrary_events_of_known_kinds(one: Event) -> None:
    found = detect(one)
    assert set(found.candidates) <= set(REVISIONS)
    assert len(set(found.candidates)) == len(found.candidates)
    assert bool(found.candidates) is bool(found.evidence)


@share(2)
@given(signed_events())
def test_arbitrary_events(one: Event) -> None:
    assert set(detect(one).candidates) <= set(REVISIONS)
