"""From one revision to another: what is carried, what is lost and said to be lost, what is refused."""

from __future__ import annotations

import itertools

import pytest

from nostrmcp.mcp.jsonrpc import Error, Message, Notification, Request, Result
from nostrmcp.nostr import Event, LocalProtocolError, SecretKey, Violation
from nostrmcp.revisions import REVISIONS, VARIANTS, Revision
from nostrmcp.revisions.model import Loss
from nostrmcp.translate import codec
from nostrmcp.translate.cross import project, translate
from nostrmcp.translate.route import RequestReference, Role, Route

CLIENT, SERVER = SecretKey(b"\1" * 32), SecretKey(b"\2" * 32)
NOW = 1_750_000_000
ALL = {**REVISIONS, **VARIANTS}
ASKED = RequestReference(b"\7" * 32, "tools/call", 3)
PAYMENT = {"amount": 21, "currency": "sats", "invoice": "lnbc210n1p", "description": "a call", "expiration": NOW + 60}

MESSAGES: list[tuple[Role, Message, RequestReference | None]] = [
    (Role.CLIENT, Request(3, "tools/call", {"name": "add", "arguments": {"big": 2**70}}), None),
    (Role.CLIENT, Request("a", "ping"), None),
    (Role.CLIENT, Request(0, "initialize", {"protocolVersion": "2025-03-26"}), None),
    (Role.SERVER, Result(3, {"content": [], "isError": False}), ASKED),
    (Role.SERVER, Error(3, -32602, "no", {"why": [1]}), ASKED),
    (Role.CLIENT, Notification("notifications/initialized"), None),
    (Role.CLIENT, Notification("notifications/cancelled", {"requestId": 3, "reason": "late"}), ASKED),
    (Role.SERVER, Notification("notifications/progress", {"progressToken": 3, "progress": 1}), ASKED),
    (Role.SERVER, Notification("notifications/tools/list_changed"), None),
    (Role.SERVER, Notification("notifications/payment_required", PAYMENT), ASKED),
]


def sent(message: Message, role: Role, request: RequestReference | None, revision: Revision) -> Event:
    author, other = (CLIENT, SERVER) if role is Role.CLIENT else (SERVER, CLIENT)
    route = Route(author.public_key.x, other.public_key.x, role, "server-1", request)
    return codec.encode(message, route, revision, NOW).sign(author, bytes(32))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(("role", "message", "request_"), MESSAGES, ids=lambda value: type(value).__name__)
def test_what_comes_back_is_the_projection(name: str, role: Role, message: Message, request_: RequestReference) -> None:
    revision = ALL[name]
    event = sent(message, role, request_, revision)
    assert codec.decode(event, revision, role).message == project(message, revision, event.id, request_)


@pytest.mark.parametrize(("source", "target"), list(itertools.permutations(REVISIONS, 2)))
@pytest.mark.parametrize(("role", "message", "request_"), MESSAGES, ids=lambda value: type(value).__name__)
def test_a_message_survives_the_way_to_another_revision(
    source: str, target: str, role: Role, message: Message, request_: RequestReference | None
) -> None:
    before, after = REVISIONS[source], REVISIONS[target]
    event = sent(message, role, request_, before)
    arrived = codec.decode(event, before, role)
    if after.server_ids and arrived.server_id is None and not _goes_without_server_id(after, message, role):
        with pytest.raises(LocalProtocolError, match=r"the [sd] tag is required"):
            translate(event, before, after, role)
        return
    done = translate(event, before, after, role)
    author = CLIENT if role is Role.CLIENT else SERVER
    carried = done.event.sign(author, bytes(32))
    reference = arrived.request_event_id and RequestReference(arrived.request_event_id, "", 3)
    assert codec.decode(carried, after, role).message == project(arrived.message, after, carried.id, reference or None)
    assert carried.pubkey == event.pubkey
    assert carried.created_at == event.created_at


def _goes_without_server_id(revision: Revision, message: Message, role: Role) -> bool:
    probe = Route(CLIENT.public_key.x, SERVER.public_key.x, role, None, ASKED)
    try:
        codec.encode(message, probe, revision, NOW)
    except LocalProtocolError:
        return False
    return True


def test_losses_are_told() -> None:
    ctxvm, rev1_1, rev1 = (REVISIONS[name] for name in ("ctxvm-draft", "dvmcp-rev1.1", "dvmcp-rev1"))
    request = sent(MESSAGES[0][1], Role.CLIENT, None, ctxvm)
    assert translate(request, ctxvm, rev1_1, Role.CLIENT).losses == (Loss.REQUEST_IDS,)
    assert translate(request, ctxvm, rev1, Role.CLIENT).losses == ()
    demand = sent(MESSAGES[9][1], Role.SERVER, ASKED, ctxvm)
    assert translate(demand, ctxvm, rev1, Role.SERVER).losses == (Loss.PAYMENT_DESCRIPTION,)
    lost = translate(demand, ctxvm, rev1_1, Role.SERVER).losses
    assert lost == (Loss.PAYMENT_DESCRIPTION, Loss.PAYMENT_EXPIRATION)


def test_support_for_encryption_is_taken_over_where_there_is_a_flag() -> None:
    contextvm, rev1 = REVISIONS["contextvm"], REVISIONS["dvmcp-rev1"]
    route = Route(CLIENT.public_key.x, SERVER.public_key.x, Role.CLIENT, encryption=True)
    event = codec.encode(MESSAGES[2][1], route, contextvm, NOW).sign(CLIENT, bytes(32))
    assert ("support_encryption",) in event.tags
    assert all(tag[0] != "support_encryption" for tag in translate(event, contextvm, rev1, Role.CLIENT).event.tags)


def test_what_a_first_message_says_of_its_sender_is_taken_over_where_there_are_tags_for_it() -> None:
    contextvm, draft = REVISIONS["contextvm"], REVISIONS["ctxvm-draft"]
    methods = ("bitcoin-cashu", "bitcoin-lightning-bolt11")
    route = Route(
        CLIENT.public_key.x, SERVER.public_key.x, Role.CLIENT, texts={"name": "Weather"}, payment_methods=methods
    )
    event = codec.encode(MESSAGES[0][1], route, contextvm, NOW).sign(CLIENT, bytes(32))
    assert event.tags[1:] == (("name", "Weather"), *(("pmi", method) for method in methods))
    assert translate(event, contextvm, contextvm, Role.CLIENT).event.tags == event.tags
    assert translate(event, contextvm, draft, Role.CLIENT).event.tags == event.tags[:1]


def test_a_response_to_nobody_is_refused() -> None:
    rev1 = REVISIONS["dvmcp-rev1"]
    event = sent(MESSAGES[3][1], Role.SERVER, ASKED, rev1)
    unaddressed = codec.UnsignedEvent(event.pubkey, NOW, event.kind, event.tags[1:], event.content).sign(
        SERVER, bytes(32)
    )
    with pytest.raises(Violation, match="missing_tag"):
        translate(unaddressed, rev1, REVISIONS["contextvm"], Role.SERVER)
