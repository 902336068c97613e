"""Checks of clients: what they say, whom they believe, what they survive."""

from __future__ import annotations

import asyncio
import secrets
import time

from ...mcp.jsonrpc import Error, ErrorCode, Notification, Result, same_id
from ...revisions.model import CancelForm, MessageClass, Revision, ServerRequests
from .checks import Check, Failed, Need, NotOffered
from .client_bench import INVOICE, Asked, ClientBench, Stage, fresh_text, text
from .peer import forged
from .wiring import WIRE

SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"
CHANGED = "notifications/tools/list_changed"


async def _answered(stage: Stage, asked: Asked) -> None:
    """Give the true answer to a question, and see that the client believes it."""
    true = fresh_text()
    await stage.answer(asked, Result(asked.request.id, text(true)))
    await stage.reports(text=true)


async def handshake(bench: ClientBench) -> None:
    async with bench.stage("handshake") as stage:
        asked = await stage.first("initialize")
        params = asked.request.params or {}
        missing = [one for one in ("protocolVersion", "capabilities", "clientInfo") if one not in params]
        if missing:
            raise Failed(f"initialize has no {', '.join(missing)}", actual=params)
        if bench.revision.initialized_is_sent:
            await stage.heard_of(MessageClass.INITIALIZED, "say that it is initialized")
        await stage.ends()


async def server_id(bench: ClientBench) -> None:
    async with bench.stage("call") as stage:
        asked = (await stage.called("question"))[0]
        named = asked.heard.event.first("s")
        await _answered(stage, asked)
        if named != bench.server_id:
            raise Failed("the call does not name the server by the d of its answer", bench.server_id, named)


async def call(bench: ClientBench) -> None:
    async with bench.stage("call") as stage:
        await _answered(stage, (await stage.called("question"))[0])
        await stage.ends()


async def pages(bench: ClientBench) -> None:
    async with bench.stage("list") as stage:
        await stage.reports(names=[tool["name"] for page in stage.pages for tool in page])


async def error(bench: ClientBench) -> None:
    async with bench.stage("call") as stage:
        asked = (await stage.called("question"))[0]
        await stage.answer(asked, Error(asked.request.id, int(ErrorCode.INTERNAL_ERROR), "it went wrong"))
        await stage.reports(error=int(ErrorCode.INTERNAL_ERROR))


async def foreign_answer(bench: ClientBench) -> None:
    async with bench.stage("call") as stage:
        asked = (await stage.called("question"))[0]
        lie = Result(asked.request.id, text("an answer of a stranger"))
        await stage.slip(asked, stage.built(asked, lie, stage.stranger(asked)))
        await _answered(stage, asked)


async def forged_answer(bench: ClientBench) -> None:
    async with bench.stage("call") as stage:
        asked = (await stage.called("question"))[0]
        lie = forged(stage.built(asked, Result(asked.request.id, text("an answer that nobody signed"))))
        bench.wire.inject(stage.in_form(asked, lie))
        await _answered(stage, asked)


async def other_request(bench: ClientBench) -> None:
    async with bench.stage("call") as stage:
        asked = (await stage.called("question"))[0]
        other = Result(asked.request.id, text("the answer to another request"))
        await stage.slip(asked, stage.built(asked, other, e=secrets.token_bytes(32)))
        await _answered(stage, asked)


async def notification_with_e(bench: ClientBench) -> None:
    async with bench.stage("call") as stage:
        asked = (await stage.called("question"))[0]
        await stage.answer(asked, Notification("notifications/tools/list_changed"))
        await _answered(stage, asked)


async def duplicate(bench: ClientBench) -> None:
    async with bench.stage("call") as stage:
        asked = (await stage.called("question"))[0]
        event = stage.built(asked, Result(asked.request.id, text(fresh_text())))
        sent = stage.in_form(asked, event)
        bench.wire.inject(sent, sent, sent)
        await stage.report()
        await stage.running.wait(bench.timing.answer)
        await asyncio.sleep(bench.timing.quiet)
        reported = stage.calls("report")
        if len(reported) != 1:
            raise Failed("one answer that came several times was taken several times", 1, len(reported))


async def ping(bench: ClientBench) -> None:
    async with bench.stage("call") as stage:
        asked = (await stage.called("question"))[0]
        message = await stage.reply(await stage.ask(asked, "ping"))
        if not isinstance(message, Result) or set(message.result) - {"_meta"}:
            raise Failed("a ping of the server is not answered with an empty result", {}, str(message))
        await _answered(stage, asked)


async def unknown_request(bench: ClientBench) -> None:
    async with bench.stage("call") as stage:
        asked = (await stage.called("question"))[0]
        message = await stage.reply(await stage.ask(asked, "nostrmcp/there-is-no-such-method", {}))
        if not isinstance(message, Error) or message.code != ErrorCode.METHOD_NOT_FOUND:
            raise Failed("an unknown request of the server is not answered with error -32601", actual=str(message))
        await _answered(stage, asked)


async def two(bench: ClientBench) -> None:
    """Two equal calls at once; the second is answered first."""
    async with bench.stage("two") as stage:
        first, second = await stage.called("question", 2)
        texts = [fresh_text(), fresh_text()]
        await stage.answer(second, Result(second.request.id, text(texts[1])))
        await stage.answer(first, Result(first.request.id, text(texts[0])))
        await stage.reports(texts=texts)


async def uncorrelated_payment(bench: ClientBench) -> None:
    async with bench.stage("call") as stage:
        asked = (await stage.called("question"))[0]
        demand = Notification("notifications/payment_required", {"amount": 21, "currency": "sats", "invoice": INVOICE})
        await stage.slip(asked, stage.built(asked, demand, e=secrets.token_bytes(32)))
        await _answered(stage, asked)


async def payment(bench: ClientBench) -> None:
    """A client may pay or not; the call ends with an answer or an error all the same."""
    async with bench.stage("call") as stage:
        asked = (await stage.called("question"))[0]
        demand = Notification("notifications/payment_required", {"amount": 21, "currency": "sats", "invoice": INVOICE})
        await stage.answer(asked, demand)
        true = fresh_text()
        await stage.answer(asked, Result(asked.request.id, text(true)))
        reported = await stage.report()
        if reported.get("text") != true and type(reported.get("error")) is not int:
            raise Failed("a call that costs something ends neither with its answer nor with an error", true, reported)


async def cancel(bench: ClientBench) -> None:
    async with bench.stage("cancel") as stage:
        asked = (await stage.called("slow"))[0]
        meta = (asked.request.params or {}).get("_meta")
        token = meta.get("progressToken") if type(meta) is dict else None
        if token is None:
            raise NotOffered("the client asks for no progress")
        await stage.answer(asked, Notification("notifications/progress", {"progressToken": token, "progress": 1}))
        heard = await stage.heard_of(MessageClass.CANCEL, "cancel its call")
        message = heard.decoded.message if heard.decoded else None
        params = (message.params or {}) if isinstance(message, Notification) else {}
        wire_id = asked.request.id if bench.revision.ids_travel else asked.heard.event.id.hex()
        named = params.get("requestId")
        if not same_id(named, wire_id) and not heard.refers_to(asked.heard.event.id):
            raise Failed("the cancel names another request", wire_id, params)
        # The DVMCP seeds say "Request ID", and do not say whether JSON-RPC's or the event's.
        is_event = bench.revision.cancel is CancelForm.SEED and same_id(named, asked.heard.event.id.hex())
        if bench.revision.ids_travel and not same_id(named, wire_id) and not is_event:
            raise Failed("the cancel does not name the id of the request", wire_id, params)
        await stage.answer(asked, Result(asked.request.id, text("too late")))
        await stage.reports(cancelled=True)


async def reconnect(bench: ClientBench) -> None:
    async with bench.stage("call") as stage:
        asked = (await stage.called("question"))[0]
        probe = stage.in_form(asked, stage.built(asked, Result(asked.request.id, text(""))))
        bench.station.forget_subscriptions()
        bench.station.owned.cut()
        if not await bench.wire.until(lambda: bench.station.listens_for(probe), bench.timing.start):
            raise Failed(f"the client has not come back {bench.timing.start:g} s after its connection was lost")
        true = fresh_text()
        await stage.answer(asked, Result(asked.request.id, text(true)))
        # Clients that listen again at once may still wait before they publish over what was lost.
        await bench.wire.until(lambda: bool(stage.calls("report")), bench.timing.start)
        await stage.reports(text=true)


async def skewed(bench: ClientBench) -> None:
    """The server's clock is half a minute slow."""
    async with bench.stage("call") as stage:
        asked = (await stage.called("question"))[0]
        true = fresh_text()
        event = stage.built(asked, Result(asked.request.id, text(true)), at=int(time.time()) - 30)
        peer = stage.peer(asked.heard.event.pubkey)
        await peer.say(event, form=asked.heard.form, answers=asked.request.method)
        await stage.reports(text=true)


async def subscribes(bench: ClientBench) -> None:
    """When a call arrives, its answer and the server's notifications have somebody who listens."""
    async with bench.stage("call") as stage:
        asked = (await stage.called("question"))[0]
        for message in (Result(asked.request.id, text("")), Notification(CHANGED)):
            probe = stage.in_form(asked, stage.built(asked, message))
            if not bench.station.listens_for(probe):
                raise Failed(
                    "the client has called, and listens to nothing that the server may say", actual=str(message)
                )
        await _answered(stage, asked)


async def stays_wrapped(bench: ClientBench) -> None:
    async with bench.stage("call") as stage:
        asked = (await stage.called("question"))[0]
        await _answered(stage, asked)
        forms = [one.heard.form for one in stage.asked] + [one.form for one in stage.told]
        if all(form is None for form in forms):
            raise NotOffered("the client does not encrypt")
        worked = next(number for number, form in enumerate(forms) if form is not None)
        if None in forms[worked:]:
            raise Failed("the client went on in plain after encryption had worked", actual=forms)


async def wrapped_forgery(bench: ClientBench) -> None:
    """The inner event names the server, and somebody else signed it."""
    async with bench.stage("call") as stage:
        asked = (await stage.called("question"))[0]
        if asked.heard.form is None:
            raise NotOffered("the client does not encrypt")
        lie = stage.built(asked, Result(asked.request.id, text("an answer that nobody signed")))
        await stage.slip(asked, forged(lie))
        peer = stage.peer(asked.heard.event.pubkey)
        await bench.wire.publish(peer.unsigned_in_wrap(lie, asked.heard.form), lie)
        await _answered(stage, asked)


# Subscriptions


def _of_subscription(bench: ClientBench, asked: Asked, method: str, **params: object) -> Notification:
    named = asked.request.id if bench.revision.ids_travel else asked.heard.event.id.hex()
    return Notification(method, {"_meta": {SUBSCRIPTION_ID: named}, **params})


async def _silent(stage: Stage, asked: Asked, why: str) -> None:
    """Failed if the client reports before it has answered a ping, where a server may send one, and a little later."""
    if stage.bench.revision.server_requests is not ServerRequests.NONE:
        await stage.reply(await stage.ask(asked, "ping"))
    await asyncio.sleep(stage.bench.timing.quiet)
    if stage.calls("report"):
        raise Failed(why, expected="silence", actual=[str(one.request.params) for one in stage.calls("report")])


async def listen(bench: ClientBench) -> None:
    """Data that overtakes its acknowledgement is held until it."""
    async with bench.stage("listen") as stage:
        asked = await stage.first("subscriptions/listen")
        await stage.answer(asked, _of_subscription(bench, asked, CHANGED))
        await _silent(stage, asked, "a notification was delivered before its subscription was acknowledged")
        honoured = {"toolsListChanged": True}
        acknowledgement = _of_subscription(
            bench, asked, "notifications/subscriptions/acknowledged", notifications=honoured
        )
        await stage.answer(asked, acknowledgement)
        await stage.reports(changed=True)


async def listen_foreign(bench: ClientBench) -> None:
    async with bench.stage("listen") as stage:
        asked = await stage.first("subscriptions/listen")
        honoured = {"toolsListChanged": True}
        acknowledgement = _of_subscription(
            bench, asked, "notifications/subscriptions/acknowledged", notifications=honoured
        )
        await stage.answer(asked, acknowledgement)
        lie = stage.built(asked, _of_subscription(bench, asked, CHANGED), stage.stranger(asked))
        await stage.slip(asked, lie)
        await _silent(stage, asked, "a notification of a stranger was delivered")
        await stage.answer(asked, _of_subscription(bench, asked, CHANGED))
        await stage.reports(changed=True)


def _server_asks(revision: Revision) -> bool:
    return revision.server_requests is not ServerRequests.NONE


def _server_asks_all(revision: Revision) -> bool:
    return revision.server_requests is ServerRequests.ALL


def _wraps(revision: Revision) -> bool:
    return bool(revision.kinds.wraps)


def _server_ids(revision: Revision) -> bool:
    return revision.server_ids


_MATCHED = ("R1-FLOW-61", "R1E-FLOW-61", "R11-FLOW-44", "CTX-TAG-08", "CVM-TAG-08")
_READ = ("R1-FLOW-60", "R1E-FLOW-60", "R11-FLOW-42", "CTX-NOTE-51", "CVM-NOTE-03")

CHECKS: tuple[Check[ClientBench], ...] = (
    Check(
        "live-client-handshake", "The client initializes, and says so where the revision has a word for it",
        ("R1-INIT-51", "R1E-INIT-56", "R11-INIT-05", "R11-INIT-07", "CTX-INIT-03", "CVM-INIT-02"),
        "servers that wait for the handshake serve nothing", handshake, scenario="handshake",
    ),
    Check(
        "live-client-server-id", "The client names the server by the d of its answer to initialize",
        ("R1-INIT-53", "R1E-INIT-53", "R11-INIT-04", "CTX-TAG-52"), "calls reach no server, or another one",
        server_id, concerns=_server_ids, scenario="call",
    ),
    Check(
        "live-client-call", "The client calls a tool and gets its answer", _READ, "nothing works", call,
        scenario="call",
    ),
    Check(
        "live-client-pages", "The client follows the cursor to the end of a list",
        ("R1-BODY-52", "R1E-BODY-52", "R11-FLOW-13", "CTX-BODY-53", "CVM-FLOW-51"),
        "most tools of a large server are never seen", pages, scenario="list",
    ),
    Check(
        "live-client-error", "An error reaches the caller with its code",
        ("R1-ERR-08", "R1E-ERR-08", "R11-FLOW-43", "CTX-BODY-07", "CVM-BODY-07"),
        "callers wait for ever for what has failed", error, scenario="call",
    ),
    Check(
        "live-client-foreign-answer", "An answer of another key than the one that was asked does not count",
        ("R1-FLOW-52", "R1E-FLOW-52", "CTX-FLOW-02", "HOUSE-ROUTE-03"),
        "anyone who sees a request can answer it", foreign_answer, scenario="call",
    ),
    Check(
        "live-client-forged-answer", "An answer that the server did not sign does not count",
        ("R1-FLOW-51", "R1E-FLOW-51", "R11-FLOW-01", "CTX-FLOW-01", "CVM-FLOW-52"),
        "a relay can answer in place of any server", forged_answer, (Need.CONTROL,), scenario="call",
    ),
    Check(
        "live-client-other-request", "An answer to another request does not count, whatever its JSON-RPC id",
        _MATCHED, "answers are mixed up", other_request, scenario="call",
    ),
    Check(
        "live-client-notification-with-e", "A notification about a request is not taken for its answer", _READ,
        "a call ends with what is no answer", notification_with_e, scenario="call",
    ),
    Check(
        "live-client-duplicate", "An answer that relays bring several times is taken once", ("HOUSE-ONCE-02",),
        "what follows an answer is done several times", duplicate, (Need.CONTROL,), scenario="call",
    ),
    Check(
        "live-client-ping", "A ping of the server is answered",
        ("R11-FLOW-47", "CTX-PING-01", "CVM-PING-01"), "servers take a living client for dead", ping,
        concerns=_server_asks, scenario="call",
    ),
    Check(
        "live-client-unknown-request", "An unknown request of the server is answered with error -32601",
        ("CTX-ERR-03", "CVM-BODY-51"), "servers wait for ever", unknown_request, concerns=_server_asks_all,
        scenario="call",
    ),
    Check(
        "live-client-two", "Two equal calls in one second are two events, and each gets its own answer",
        ("HOUSE-ONCE-07", "HOUSE-ID-01"), "the second call is lost, or both get one answer", two, scenario="two",
    ),
    Check(
        "live-client-uncorrelated-payment", "A demand for payment that names no pending request does nothing",
        ("HOUSE-PAY-01",), "anyone can make a client pay", uncorrelated_payment, scenario="call",
    ),
    Check(
        "live-client-payment", "A call that costs something ends with its answer or an error",
        ("R1-PAY-52", "R1E-PAY-52", "R11-PAY-51", "CTX-PAY-51", "CVM-PAY-60"),
        "callers wait for ever for what they did not pay", payment, scenario="call",
    ),
    Check(
        "live-client-cancel", "A cancel names its request, and a late answer does no harm",
        ("R1-NOTE-02", "R1E-NOTE-02", "R11-NOTE-02", "CTX-NOTE-02", "CVM-NOTE-02"),
        "servers go on with work that nobody wants", cancel, scenario="cancel",
    ),
    Check(
        "live-client-reconnect", "The client comes back after its connection is lost, and gets its answer",
        ("R1-SUB-01", "R1E-SUB-01", "R11-SUB-01", "CTX-SUB-01", "CVM-FLOW-55"),
        "one hiccup of a relay loses what was asked", reconnect, (Need.CONTROL,), scenario="call",
    ),
    Check(
        "live-client-skewed", "An answer of a server whose clock is half a minute slow counts",
        ("HOUSE-TIME-01", "HOUSE-TIME-10"), "servers with a clock like most are never heard", skewed, scenario="call",
    ),
    Check(
        "live-client-subscribes", "Before it calls, the client listens to answers and notifications of the server",
        ("R1-SUB-01", "R1E-SUB-07", "R11-FLOW-45", "CTX-SUB-01", "CVM-FLOW-55"),
        "what the server says at once is lost", subscribes, (Need.CONTROL,), scenario="call",
    ),
    Check(
        "live-client-stays-wrapped", "After encryption has worked, nothing is sent in plain",
        ("CTX-ENC-02", "HOUSE-CRYPT-08"), "what was confidential is not", stays_wrapped, concerns=_wraps,
        scenario="call",
    ),
    Check(
        "live-client-wrapped-forgery", "A wrapped answer that the server did not sign does not count",
        ("CTX-FLOW-01", "CVM-FLOW-52"), "anyone can answer in place of any server",
        wrapped_forgery, concerns=_wraps, scenario="call",
    ),
    Check(
        "live-client-listen", "What comes before the acknowledgement of a subscription is held until it",
        ("SUBN-ACK-01", "SUBN-ACK-02"), "changes are lost, or delivered for what is not subscribed", listen,
        scenario="listen",
    ),
    Check(
        "live-client-listen-foreign", "A notification of a subscription counts only from the server that was asked",
        ("SUBN-AUTH-01",), "anyone can feed a subscription", listen_foreign, scenario="listen",
    ),
    Check(f"live-client-{WIRE.name}", WIRE.title, WIRE.req, WIRE.harm, WIRE.run),
)  # fmt: skip
