"""Checks of servers: long work, several clients at once, subscriptions, payments, lost connections."""

from __future__ import annotations

from typing import Any

from ...mcp.jsonrpc import Error, ErrorCode, Notification, Result, same_id
from ...translate.route import RequestReference
from ..text import as_json
from .checks import Check, Failed, Need, NotOffered
from .server_bench import CLIENT_INFO, Asked, ServerBench, ServerClient, is_progress, value_of
from .wire import Heard

SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


async def _slow(
    bench: ServerBench, client: ServerClient, token: int | str | None = None, id: int | None = None
) -> Asked:
    """A call that takes a while, and perhaps tells its progress."""
    params: dict[str, Any] = dict(bench.hints["slow"].params)
    if token is not None:
        params["_meta"] = {"progressToken": token}
    return await client.ask("tools/call", params, id)


async def progress(bench: ServerBench) -> None:
    client = await bench.client()
    asked = await _slow(bench, client, "token of the runner")
    await client.answer(asked, bench.timing.work)
    if not _progress(bench, asked):
        raise NotOffered("the slow tool tells no progress")
    _own_progress(bench, client, asked, "token of the runner")


def _progress(bench: ServerBench, asked: Asked) -> list[Heard]:
    return [one for one in bench.wire.about(asked.event.id) if is_progress(one)]


def _own_progress(bench: ServerBench, client: ServerClient, asked: Asked, token: int | str) -> None:
    """Failed if progress of a call has another token, went to another client, or in another form."""
    for one in _progress(bench, asked):
        message = one.decoded.message if one.decoded else None
        params = (message.params or {}) if isinstance(message, Notification) else {}
        wire_token: Any = params.get("progressToken")
        names = [token, asked.request.id if bench.revision.ids_travel else asked.event.id.hex()]
        if not any(same_id(wire_token, name) for name in names):
            raise Failed("progress has another token than the request", token, value_of(one))
        if one.event.first("p") != client.pubkey.hex():
            raise Failed("progress went to another client", client.pubkey.hex(), one.event.to_value())
        if (one.form is None) != (asked.form is None):
            raise Failed("progress of a wrapped call is plain, or of a plain one wrapped", actual=one.event.to_value())


async def two_clients_progress(bench: ServerBench) -> None:
    """Both use the same id and the same token at the same time."""
    clients = [await bench.client(), await bench.client()]
    asked = [await _slow(bench, one, 1, 7) for one in clients]
    for client, one in zip(clients, asked, strict=True):
        await client.answer(one, bench.timing.work)
    told = [len(_progress(bench, one)) for one in asked]
    if not any(told):
        raise NotOffered("the slow tool tells no progress")
    if not all(told):
        raise Failed("of two clients with the same token only one was told progress", actual=told)
    for client, one in zip(clients, asked, strict=True):
        _own_progress(bench, client, one, 1)


async def two_clients(bench: ServerBench) -> None:
    first, second = await bench.client(), await bench.client()
    one, other = first.request("ping", id=1), second.request("nostrmcp/there-is-no-such-method", {}, id=1)
    await first.send(one)
    await second.send(other)
    pinged, refused = await first.answer(one), await second.answer(other)
    if not isinstance(pinged.decoded and pinged.decoded.message, Result):
        raise Failed("the ping of one client got the other's answer", actual=value_of(pinged))
    if not isinstance(refused.decoded and refused.decoded.message, Error):
        raise Failed("the unknown method of one client got the other's answer", actual=value_of(refused))


async def cancel(bench: ServerBench) -> None:
    """The second call ends after the first would have, so that its answer proves the silence of the first."""
    client = await bench.client()
    cancelled = await _slow(bench, client)
    control = await _slow(bench, client)
    await client.tell(client.cancel(cancelled))
    await client.answer(control, bench.timing.work)
    await client.stays_silent(cancelled.event, "a cancelled request was answered")


async def cancel_foreign(bench: ServerBench) -> None:
    client, stranger = await bench.client(), await bench.client()
    asked = await _slow(bench, client)
    await stranger.tell(stranger.cancel(asked))
    await client.answer(asked, bench.timing.work)


async def cancel_own_id(bench: ServerBench) -> None:
    """Two clients, one id: each cancels its own."""
    client, other = await bench.client(), await bench.client()
    kept, cancelled = await _slow(bench, client, id=7), await _slow(bench, other, id=7)
    await other.tell(other.cancel(cancelled))
    await client.answer(kept, bench.timing.work)


async def cancel_first(bench: ServerBench) -> None:
    client = await bench.client()
    asked = client.request("ping")
    await client.tell(client.cancel(asked))
    await client.send(asked)
    await client.stays_silent(asked.event, "a request was answered whose cancel had arrived before it")


async def cancel_unknown(bench: ServerBench) -> None:
    client = await bench.client()
    asked = client.request("ping")
    reference = RequestReference(bytes(32), "ping", "no such id")
    await client.tell(client.event(Notification("notifications/cancelled", {"requestId": "no such id"}),
                                   client.route(reference)))  # fmt: skip
    await client.answer(await client.send(asked))


async def reconnect(bench: ServerBench) -> None:
    """Every connection is cut; the server comes back by itself."""
    client = await bench.client()
    bench.station.forget_subscriptions()
    bench.station.owned.cut()
    like = client.request("ping")
    probe = like.event if like.form is None else client.wrap(like.event, like.form)
    if not await bench.wire.until(lambda: bench.station.listens_for(probe), bench.timing.start):
        raise Failed(f"the server has not come back {bench.timing.start:g} s after its connection was lost")
    # Servers that listen again at once may still wait before they publish over what was lost.
    await client.answer(await client.ask("ping"), bench.timing.start)


# Payments


def _demands(heard: list[Heard]) -> list[Heard]:
    return [one for one in heard if one.decoded is not None and one.decoded.message_class.value == "payment-required"]


async def _charged(bench: ServerBench, client: ServerClient, asked: Asked) -> Heard:
    def happened() -> bool:
        return bool(bench.wire.about(asked.event.id))

    await bench.wire.until(happened, bench.timing.answer)
    found = bench.wire.about(asked.event.id)
    demands = _demands(found)
    if not demands or demands[0] is not found[0]:
        raise Failed("a paid tool was not met with a demand for payment first", actual=[value_of(one) for one in found])
    return demands[0]


async def payment(bench: ServerBench) -> None:
    client = await bench.client()
    asked = await client.ask("tools/call", bench.hints["paid"].params)
    demand = await _charged(bench, client, asked)
    message = demand.decoded.message if demand.decoded else None
    params = (message.params or {}) if isinstance(message, Notification) else {}
    if type(params.get("amount")) is not int or not (params.get("invoice") or params.get("pay_req")):
        raise Failed("the demand names no amount or nothing to be paid", actual=params)
    await bench.after_all()
    answers = [
        one for one in bench.wire.about(asked.event.id) if isinstance(one.decoded and one.decoded.message, Result)
    ]
    if answers:
        raise Failed("the tool was executed without payment", actual=[value_of(one) for one in answers])


async def payment_once(bench: ServerBench) -> None:
    client = await bench.client()
    asked = await client.ask("tools/call", bench.hints["paid"].params)
    await _charged(bench, client, asked)
    bench.wire.inject(asked.event if asked.form is None else client.wrap(asked.event, asked.form))
    await bench.after_all()
    invoices = {as_json(value_of(one)) for one in _demands(bench.wire.about(asked.event.id))}
    if len(invoices) != 1:
        raise Failed("one request was charged for twice", expected="one demand", actual=sorted(invoices))


# Subscriptions

FILTER = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}
_META = "io.modelcontextprotocol/"
_VERSIONS = {
    "draft": "DRAFT-2026-v1",
    "2026": "2026-07-28",
}


def _listen_params(version: str) -> dict[str, Any]:
    meta = {
        f"{_META}protocolVersion": version,
        f"{_META}clientCapabilities": {},
        f"{_META}clientInfo": CLIENT_INFO,
    }
    return {"_meta": meta, "notifications": FILTER}


async def _listening(bench: ServerBench, client: ServerClient, asked: Asked) -> dict[str, Any]:
    """What is acknowledged; NotOffered where the server refuses to be listened to."""
    await client.send(asked)
    await bench.wire.until(lambda: bool(bench.wire.about(asked.event.id)), bench.timing.answer)
    found = bench.wire.about(asked.event.id)
    if not found:
        raise Failed("subscriptions/listen is neither acknowledged nor refused")
    message = found[0].decoded.message if found[0].decoded else None
    if isinstance(message, Error):
        if message.code in (ErrorCode.METHOD_NOT_FOUND, ErrorCode.UNSUPPORTED_PROTOCOL_VERSION):
            raise NotOffered(f"the server answers subscriptions/listen with error {message.code}")
        raise Failed(f"subscriptions/listen is refused with error {message.code}", actual=value_of(found[0]))
    if not isinstance(message, Notification) or message.method != ACKNOWLEDGED:
        raise Failed("the first message of a subscription is not its acknowledgement", ACKNOWLEDGED, value_of(found[0]))
    return message.params or {}


def _subscription_name(bench: ServerBench, asked: Asked, version: str) -> list[Any]:
    """The names by which a subscription may go: its request's id, in the older text as a string."""
    if not bench.revision.ids_travel:
        return [asked.event.id.hex()]
    own: list[Any] = [asked.request.id]
    return own if version == _VERSIONS["2026"] else [*own, str(asked.request.id)]


async def _listen(bench: ServerBench, version: str) -> None:
    client = await bench.client()
    asked = client.request("subscriptions/listen", _listen_params(version), id=0)
    params = await _listening(bench, client, asked)
    meta = params.get("_meta")
    named = meta.get(SUBSCRIPTION_ID) if type(meta) is dict else None
    names = _subscription_name(bench, asked, version)
    if not any(same_id(named, one) for one in names):
        raise Failed("the acknowledgement has not the subscription id of its request", names, params)
    honoured = params.get("notifications")
    beyond = [one for one in honoured if one not in FILTER] if type(honoured) is dict else ["no object"]
    if beyond:
        raise Failed("the acknowledgement is no part of the filter", FILTER, honoured)
    before = len(bench.wire.about(asked.event.id))
    await client.tell(client.cancel(asked))
    await bench.after_all()
    later = bench.wire.about(asked.event.id)[before:]
    answers = [one for one in later if isinstance(one.decoded and one.decoded.message, (Result, Error))]
    if answers:
        raise Failed("a subscription that was cancelled is answered", actual=[value_of(one) for one in answers])


async def listen_draft(bench: ServerBench) -> None:
    await _listen(bench, _VERSIONS["draft"])


async def listen_2026(bench: ServerBench) -> None:
    await _listen(bench, _VERSIONS["2026"])


async def listen_again(bench: ServerBench) -> None:
    client = await bench.client()
    asked = client.request("subscriptions/listen", _listen_params(_VERSIONS["2026"]))
    await _listening(bench, client, asked)
    bench.wire.inject(asked.event if asked.form is None else client.wrap(asked.event, asked.form))
    await bench.after_all()
    found = bench.wire.about(asked.event.id)
    acknowledged = [one for one in found if _method(one) == ACKNOWLEDGED]
    if len(acknowledged) != 1:
        raise Failed("one listen event is acknowledged twice", actual=[value_of(one) for one in acknowledged])


async def listen_without_meta(bench: ServerBench) -> None:
    client = await bench.client()
    probe = client.request("subscriptions/listen", _listen_params(_VERSIONS["2026"]))
    await _listening(bench, client, probe)
    message = await client.message("subscriptions/listen", {"notifications": FILTER})
    if not isinstance(message, Error) or message.code != ErrorCode.INVALID_PARAMS:
        raise Failed("a listen request without _meta is not answered with error -32602", actual=str(message))


def _method(one: Heard) -> str | None:
    message = one.decoded.message if one.decoded else None
    return message.method if isinstance(message, Notification) else None


CHECKS: tuple[Check[ServerBench], ...] = (
    Check(
        "live-server-progress", "Progress has the token of its request, its event in e, and its form",
        ("R1-NOTE-01", "R1E-NOTE-01", "R11-NOTE-01", "CTX-NOTE-01", "CVM-NOTE-01"),
        "clients cannot tell which work goes on, and give up", progress, (Need.SLOW,),
    ),
    Check(
        "live-server-two-clients", "Two clients with the same id get each their own answer", ("HOUSE-ID-06",),
        "one client reads what was meant for another", two_clients,
    ),
    Check(
        "live-server-two-clients-progress", "Two clients with the same id and token get each their own progress",
        ("HOUSE-ID-06", "HOUSE-ID-04"), "one client learns what another does", two_clients_progress, (Need.SLOW,),
    ),
    Check(
        "live-server-cancel", "A request that is cancelled is not answered, and others go on",
        ("R1-NOTE-52", "R1E-NOTE-52", "R11-FLOW-36", "CTX-NOTE-02", "CVM-NOTE-02"),
        "work that nobody wants goes on and costs", cancel, (Need.SLOW,),
        at_most="SHOULD",  # MCP: who is told of a cancel SHOULD stop, and not answer
    ),
    Check(
        "live-server-cancel-foreign", "A cancel from another key does nothing", ("HOUSE-ROUTE-04",),
        "any stranger can stop anybody's work", cancel_foreign, (Need.SLOW,),
    ),
    Check(
        "live-server-cancel-own-id", "Of two clients with the same id, each cancels its own request",
        ("HOUSE-ID-06", "HOUSE-ID-03"), "one client stops another's work", cancel_own_id, (Need.SLOW,),
    ),
    Check(
        "live-server-cancel-first", "A cancel that overtakes its request counts", ("HOUSE-TIME-05",),
        "a relay that reorders two messages makes a cancel useless", cancel_first,
    ),
    Check(
        "live-server-cancel-unknown", "A cancel of a request that there is not does no harm",
        ("R1-NOTE-52", "R1E-NOTE-52", "R11-FLOW-36", "CTX-NOTE-52", "CVM-NOTE-03"),
        "a client that cancels too late is locked out", cancel_unknown,
    ),
    Check(
        "live-server-reconnect", "The server comes back after its connection is lost",
        ("R1-SUB-01", "R1E-SUB-01", "R11-SUB-01", "CTX-SUB-01", "CVM-FLOW-54"),
        "one hiccup of a relay ends the service", reconnect, (Need.CONTROL,),
    ),
    Check(
        "live-server-payment", "A paid tool is met with a demand for payment, and not executed before",
        ("R1-PAY-52", "R1E-PAY-52", "R11-PAY-57", "CTX-PAY-52", "CVM-PAY-62"),
        "what is for sale is given away, or cannot be bought", payment, (Need.PAID,),
    ),
    Check(
        "live-server-payment-once", "One request event is charged for once", ("CVM-PAY-65", "HOUSE-ONCE-02"),
        "clients pay twice for one request", payment_once, (Need.PAID, Need.CONTROL),
    ),
    Check(
        "live-server-listen-draft",
        "A subscription of DRAFT-2026-v1 is acknowledged under its id, and ends by a cancel",
        ("SUBD-ACK-01", "SUBD-ACK-04", "SUBD-ID-02", "SUBD-CAN-01"),
        "clients cannot tell what they are subscribed to", listen_draft,
    ),
    Check(
        "live-server-listen-2026", "A subscription of 2026-07-28 is acknowledged under its id, and ends by a cancel",
        ("SUBF-ACK-01", "SUBF-ACK-04", "SUBF-ID-02", "SUBF-CAN-08"),
        "clients cannot tell what they are subscribed to", listen_2026,
    ),
    Check(
        "live-server-listen-again", "The same listen event again gets no second acknowledgement", ("SUBN-SERVE-07",),
        "every relay opens a subscription of its own", listen_again, (Need.CONTROL,),
    ),
    Check(
        "live-server-listen-without-meta", "A listen request without _meta is answered with error -32602",
        ("SUBF-ERR-01",), "clients of other versions are served by accident", listen_without_meta,
    ),
)  # fmt: skip
