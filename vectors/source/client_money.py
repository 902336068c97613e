"""Scenarios of clients that are asked to pay. Invoices have a true prefix, which says network and amount; the rest of
one is any text of the bech32 alphabet, since reading it is the wallet's business."""

from __future__ import annotations

from typing import Any

from vectors.source.client_play import (
    CALL,
    STRANGE,
    Asked,
    answer,
    answer_form,
    answered,
    asks,
    cancels,
    fails,
    lives,
    start,
)
from vectors.source.dialects import ANY_ID, CAROL, PMI, Dialect, Form
from vectors.source.scripts import INITIALIZE_RESULT, Script, event_of, id_of, result, rpc
from vectors.source.writing import Case

DATA = "1p5qqqqqqpp5zyg3qszyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3sdqqcqzpgxqyz5vqsp5qqqsyqcyq5rqwzqf"
SATS_100 = "lnbc1u" + DATA  # a millionth of a bitcoin
SATS_50 = "lnbc500n" + DATA
SATS_200 = "lnbc2u" + DATA
SATS_1000 = "lnbc10u" + DATA
REFUSED = {"reason": "payment_refused"}
PAY = {"pay": True, "above_price": False}


def refused(s: Script, d: Dialect, asked: Asked, data: Any = None) -> None:
    """The latest step gives up the request, and tells both sides."""
    cancels(s, d, asked)
    fails(s, asked, data)


def by_default(d: Dialect, req: str = "") -> Case:
    title = "By default nothing is paid: the request is cancelled, and its caller told why"
    s = start(d, "payment-refused", title, f"HOUSE-PAY-01 {req}", "Money")
    asked = asks(s, d)
    s.signs("bob", d.demand(asked.event, 100, SATS_100))
    refused(s, d, asked, REFUSED)
    lives(s, d)
    return s.case()


def paid(d: Dialect, req: str = "") -> Case:
    title = "A demand that the policy agrees to is paid, and the answer follows"
    s = start(d, "payment", title, f"HOUSE-PAY-02 {req}", "Money", payments=PAY)
    asked = asks(s, d)
    s.signs("bob", d.demand(asked.event, 100, SATS_100))
    step = s.pays(SATS_100)
    s.payment_sent(step)
    answered(s, d, asked)
    return s.case()


def amounts(d: Dialect, req: str = "") -> Case:
    title = "The amount in an invoice's prefix is read in every unit"
    s = start(d, "payment-units", title, f"HOUSE-PAY-02 {req}", "Money", payments=PAY)
    units = (("lnbc1m", 100_000), ("lnbc1u", 100), ("lnbc10n", 1), ("lnbc100n", 10), ("lnbc10000p", 1))
    for number, (prefix, amount) in enumerate(units):
        asked = asks(s, d, number, params={"name": f"tool-{number}"})
        invoice = prefix + DATA
        s.signs("bob", d.demand(asked.event, amount, invoice))
        s.pays(invoice)
    return s.case()


def _bad(d: Dialect, name: str, title: str, req: str, *demands: tuple[int, str]) -> Case:
    """Every one of these demands is refused."""
    s = start(d, name, title, req, "Money", payments={"pay": True, "above_price": True})
    for number, (amount, invoice) in enumerate(demands):
        asked = asks(s, d, number, params={"name": f"tool-{number}"})
        s.signs("bob", d.demand(asked.event, amount, invoice))
        refused(s, d, asked)
    return s.case()


def other_amount(d: Dialect, req: str = "") -> Case:
    title = "An invoice for another amount than the demand's is not paid"
    demands = ((100, SATS_200), (100, SATS_50), (100, "lnbc1m" + DATA), (1, "lnbc15n" + DATA))
    return _bad(d, "payment-other-amount", title, f"HOUSE-PAY-02 {req}", *demands)


def amountless(d: Dialect, req: str = "") -> Case:
    title = "An invoice without an amount is not paid"
    return _bad(d, "payment-amountless", title, f"HOUSE-PAY-03 {req}", (100, "lnbc" + DATA))


def other_network(d: Dialect, req: str = "") -> Case:
    """Not in ContextVM, which names the network in pmi."""
    title = "An invoice of a test network is not paid"
    prefixes = ("lntb1u", "lnbcrt1u", "lntbs1u")
    return _bad(d, "payment-other-network", title, f"HOUSE-PAY-04 {req}", *((100, one + DATA) for one in prefixes))


def other_unit(d: Dialect, req: str = "") -> Case:
    """Not in ContextVM, whose demands name no unit."""
    title = "A demand in another unit than sats is not paid, whatever its invoice says"
    pay = {"pay": True, "above_price": True}
    s = start(d, "payment-other-unit", title, f"HOUSE-PAY-05 {req}", "Money", payments=pay)
    for number, unit in enumerate(("usd", "msats", "btc")):
        asked = asks(s, d, number, params={"name": f"tool-{number}"})
        s.signs("bob", in_unit(d, asked, unit))
        refused(s, d, asked)
    return s.case()


def in_unit(d: Dialect, asked: Asked, unit: str) -> Form:
    """A demand in another unit: currency in the body, or in tags as published code writes them."""
    form = d.demand(asked.event, 100, SATS_100)
    if d.method_tags:
        return form.put("amount", "100", unit).with_tags(["invoice", SATS_100])
    params = form.content["params"] | {"currency": unit}
    return form.saying(form.content | {"params": params})


def uncorrelated(d: Dialect, req: str = "") -> Case:
    title = "A demand that names no pending request is not paid, and disturbs none"
    s = start(d, "payment-uncorrelated", title, f"HOUSE-PAY-01 {req}", "Money Correlation", payments=PAY)
    asked = asks(s, d)
    s.signs("bob", d.demand(STRANGE, 100, SATS_100))
    s.signs("bob", d.demand(asked.event, 100, SATS_100).without("e"))
    answered(s, d, asked)
    s.signs("bob", d.demand(asked.event, 100, SATS_100))
    return s.case()


def other_author(d: Dialect, req: str = "") -> Case:
    title = "A demand by another key than the asked one is not paid, and disturbs nothing"
    s = start(d, "payment-other-author", title, f"HOUSE-ROUTE-03 HOUSE-PAY-01 {req}", "Money Author", payments=PAY)
    asked = asks(s, d)
    s.signs("mallory", d.demand(asked.event, 100, SATS_100))
    s.signs("bob", d.demand(asked.event, 100, SATS_100, to=CAROL))
    answered(s, d, asked)
    return s.case()


def only_once(d: Dialect, req: str = "") -> Case:
    title = "A request is paid for once: a demand that comes again, or another, is not paid"
    s = start(d, "payment-once", title, f"HOUSE-PAY-06 {req}", "Money Replay", payments=PAY)
    asked = asks(s, d)
    s.signs("bob", d.demand(asked.event, 100, SATS_100))
    step = s.pays(SATS_100)
    s.signs("bob", d.demand(asked.event, 100, SATS_100))
    s.signs("bob", d.demand(asked.event, 200, SATS_200))
    s.payment_sent(step)
    s.after(1)
    s.signs("bob", d.demand(asked.event, 100, SATS_100))
    answered(s, d, asked)
    return s.case()


def clock_stands(d: Dialect, req: str = "") -> Case:
    title = "While payment is awaited the request lives as long as the demand"
    s = start(d, "payment-clock", title, f"HOUSE-PAY-08 {req}", "Money TimeOut", payments=PAY)
    asked = asks(s, d)
    s.after(30)
    s.signs("bob", d.demand(asked.event, 100, SATS_100))
    s.pays(SATS_100)
    s.tick(200)
    s.tick(99)
    s.tick(2)
    refused(s, d, asked)
    return s.case()


def expires(d: Dialect, req: str = "") -> Case:
    """Only where a demand says when it ends."""
    title = "A demand's own end is the end of the wait"
    s = start(d, "payment-expires", title, f"HOUSE-PAY-08 {req}", "Money TimeOut", payments=PAY)
    asked = asks(s, d)
    s.signs("bob", ending(d, asked, s.unix + 500, 500))
    s.pays(SATS_100)
    s.tick(499)
    s.tick(2)
    refused(s, d, asked)
    return s.case()


def waits(d: Dialect, req: str = "") -> Case:
    """Only where a demand says when it ends: here before the time of any request does, which is 60 seconds."""
    title = "What was paid for has the time of any request, though its demand has ended"
    s = start(d, "payment-waits", title, f"HOUSE-PAY-13 {req}", "Money TimeOut Progress", payments=PAY)
    for id in (3, 4):
        asked = asks(s, d, id, params=CALL | {"_meta": {"progressToken": id}})
        s.signs("bob", ending(d, asked, s.unix + 15, 15))
        step = s.pays(SATS_100)
        s.after(3).payment_sent(step)
        s.tick(59)
        if id == 3:
            s.signs("bob", d.progress(asked.event, id, id, 1, "working"))
            s.delivers(rpc("notifications/progress", {"progressToken": id, "progress": 1, "message": "working"}))
            s.tick(59)
            answered(s, d, asked)
    s.tick(2)
    refused(s, d, asked)
    return s.case()


def ending(d: Dialect, asked: Asked, at: int, ttl: int) -> Form:
    """A demand that ends at this time, so many seconds after its date."""
    form = d.demand(asked.event, 100, SATS_100, expiration=at)
    if d.name == "contextvm":
        return form.saying(form.content | {"params": form.content["params"] | {"ttl": ttl}})
    return form


def ping_demand(d: Dialect, req: str = "") -> Case:
    """Only where clients may ping. A ping that fails is followed by the next, until they make the server gone."""
    title = "A demand for a ping of the client's own is refused"
    s = start(d, "payment-for-ping", title, f"HOUSE-PAY-01 {req}", "Money", timers={"ping": 30}, payments=PAY)
    ping = s.tick(30)
    s.publishes(d.request("ping", None, ANY_ID))
    s.signs("bob", d.demand(event_of(ping), 100, SATS_100))
    s.publishes(d.cancel(event_of(ping), id_of(ping) if d.whole else None))
    s.publishes(d.request("ping", None, ANY_ID))
    return s.case()


def expired(d: Dialect, req: str = "") -> Case:
    """Only where a demand says when it ends."""
    title = "A demand that has ended is not paid, and one that has a second left is"
    s = start(d, "payment-expired", title, f"HOUSE-PAY-12 {req}", "Money", payments=PAY)
    for id, over in ((3, 10), (4, 0), (5, -1)):
        asked = asks(s, d, id, params={"name": f"tool-{id}"})
        s.after(20)
        s.signs("bob", ending(d, asked, s.unix - over, 20 - over), ago=20)
        if over < 0:
            s.pays(SATS_100)
        else:
            refused(s, d, asked, REFUSED)
    return s.case()


def failed(d: Dialect, req: str = "") -> Case:
    title = "When the payment fails the request is cancelled and fails"
    s = start(d, "payment-failed", title, f"HOUSE-PAY-08 {req}", "Money", payments=PAY)
    asked = asks(s, d)
    s.signs("bob", d.demand(asked.event, 100, SATS_100))
    step = s.pays(SATS_100)
    s.after(1).payment_failed(step)
    refused(s, d, asked, REFUSED)
    return s.case()


def progress(d: Dialect, req: str = "") -> Case:
    title = "Progress is delivered before and after the payment, and brings the end no nearer"
    s = start(d, "payment-progress", title, f"HOUSE-PAY-08 {req}", "Money Progress", payments=PAY)
    asked = asks(s, d, params=CALL | {"_meta": {"progressToken": "t"}})
    s.signs("bob", d.demand(asked.event, 100, SATS_100))
    step = s.pays(SATS_100)
    for number, (seconds, words) in enumerate(((10, "waiting"), (200, "working")), start=1):
        s.after(seconds).signs("bob", d.progress(asked.event, 3, "t", number, words))
        s.delivers(rpc("notifications/progress", {"progressToken": "t", "progress": number, "message": words}))
        if number == 1:
            s.payment_sent(step)
    s.tick(89)
    s.tick(2)
    refused(s, d, asked)
    return s.case()


def cancelled(d: Dialect, req: str = "") -> Case:
    title = "The caller may cancel while payment is under way and after it"
    s = start(d, "payment-cancelled", title, f"HOUSE-PAY-06 {req}", "Money Cancel", payments=PAY)
    for id, is_sent in ((3, False), (4, True)):
        asked = asks(s, d, id)
        s.signs("bob", d.demand(asked.event, 100, SATS_100))
        step = s.pays(SATS_100)
        if is_sent:
            s.payment_sent(step)
        s.says(rpc("notifications/cancelled", {"requestId": id}))
        cancels(s, d, asked)
        s.payment_failed(step)
        answer(s, d, asked)
        s.after(1)
        s.signs("bob", d.demand(asked.event, 100, SATS_100))
    return s.case()


# Where prices are announced


def _listed(s: Script, d: Dialect, amount: str, unit: str = "sats") -> None:
    """The local client asks for the tools, and learns their prices."""
    asked = asks(s, d, f"at {amount}", "tools/list", {})
    tools = {"tools": [{"name": "get_weather", "inputSchema": {"type": "object"}}]}
    form = answer_form(d, asked, tools).with_tags(d.price_tag("tool", "get_weather", amount, unit))
    s.signs("bob", form)
    s.delivers(result(asked.id, tools))


def _pays_100_at_most(s: Script, d: Dialect) -> None:
    dear = asks(s, d)
    s.signs("bob", d.demand(dear.event, 200, SATS_200))
    refused(s, d, dear)
    asked = asks(s, d, 4)
    s.signs("bob", d.demand(asked.event, 100, SATS_100))
    s.pays(SATS_100)
    answered(s, d, asked)


def above_price(d: Dialect, req: str = "") -> Case:
    title = "Nothing above the announced price is paid"
    s = start(d, "payment-above-price", title, f"HOUSE-PAY-07 {req}", "Money", payments=PAY)
    _listed(s, d, "100")
    dear = asks(s, d)
    s.signs("bob", d.demand(dear.event, 200, SATS_200))
    refused(s, d, dear)
    for id, (amount, invoice) in enumerate(((100, SATS_100), (50, SATS_50)), start=10):
        asked = asks(s, d, id)
        s.signs("bob", d.demand(asked.event, amount, invoice))
        s.pays(invoice)
        answered(s, d, asked)
    return s.case()


def above_price_allowed(d: Dialect, req: str = "") -> Case:
    title = "What is dearer than announced is paid where the user allowed it"
    pay = {"pay": True, "above_price": True}
    s = start(d, "payment-above-price-allowed", title, f"HOUSE-PAY-07 {req}", "Money", payments=pay)
    _listed(s, d, "100")
    asked = asks(s, d)
    s.signs("bob", d.demand(asked.event, 200, SATS_200))
    s.pays(SATS_200)
    answered(s, d, asked)
    return s.case()


def price_announced(d: Dialect, req: str = "") -> Case:
    """Only in ContextVM."""
    title = "A price in the server's announcement is the most that is paid"
    s = start(d, "payment-announced", title, f"HOUSE-PAY-07 {req}", "Money", payments=PAY)
    event = s.signed("bob", d.announcement(INITIALIZE_RESULT).with_tags(d.price_tag("tool", "get_weather", "100")))
    s.open["server"] = s.open["server"] | {"announcement": event}
    _pays_100_at_most(s, d)
    return s.case()


def price_in_sat(d: Dialect, req: str = "") -> Case:
    title = "A price in sat is one in sats"
    s = start(d, "payment-in-sat", title, f"HOUSE-PAY-07 {req}", "Money", payments=PAY)
    _listed(s, d, "100", "sat")
    asked = asks(s, d)
    s.signs("bob", d.demand(asked.event, 100, SATS_100))
    s.pays(SATS_100)
    answered(s, d, asked)
    return s.case()


def price_range(d: Dialect, req: str = "") -> Case:
    """Only in ContextVM."""
    title = "Of an announced range any amount up to its end is paid, and nothing above it"
    s = start(d, "payment-range", title, f"HOUSE-PAY-07 {req}", "Money", payments=PAY, level="MAY")
    _listed(s, d, "100-200")
    for id, (amount, invoice) in enumerate(((100, SATS_100), (200, SATS_200)), start=10):
        asked = asks(s, d, id)
        s.signs("bob", d.demand(asked.event, amount, invoice))
        s.pays(invoice)
        answered(s, d, asked)
    dear = asks(s, d)
    s.signs("bob", d.demand(dear.event, 1000, SATS_1000))
    refused(s, d, dear)
    return s.case()


def price_changes(d: Dialect, req: str = "") -> Case:
    title = "Of two prices that a server has told, the later one counts"
    s = start(d, "payment-price-changes", title, f"HOUSE-PAY-07 {req}", "Money", payments=PAY)
    _listed(s, d, "200")
    _listed(s, d, "100")
    _pays_100_at_most(s, d)
    return s.case()


# ContextVM's own


def frames(d: Dialect, req: str = "") -> Case:
    title = "A frame that is not supported fails a request that is being paid for, or was"
    s = start(d, "payment-frames", title, req, "Money Progress", payments=PAY)
    for id, is_sent in ((3, False), (4, True)):
        asked = asks(s, d, id)
        s.signs("bob", d.demand(asked.event, 100, SATS_100))
        step = s.pays(SATS_100)
        if is_sent:
            s.payment_sent(step)
        params = {"progressToken": id, "progress": 1, "cvm": {"type": "open-stream", "frameType": "start"}}
        s.signs("bob", d.to_client("notifications/progress", params, request=asked.event))
        refused(s, d, asked, {"reason": "unsupported"})
    return s.case()


def refused_late(d: Dialect, req: str = "") -> Case:
    title = "Relays that refuse a request for which a demand has come change nothing"
    s = start(d, "payment-refused-late", title, f"HOUSE-PAY-06 {req}", "Money", payments=PAY)
    asked = asks(s, d)
    s.signs("bob", d.demand(asked.event, 100, SATS_100))
    step = s.pays(SATS_100)
    s.ok(asked.step, False, "error: could not store it")
    s.payment_sent(step)
    answered(s, d, asked)
    return s.case()


def price_of_another_type(d: Dialect, req: str = "") -> Case:
    title = "The price of a prompt is no price of a tool with its name"
    s = start(d, "payment-price-types", title, f"HOUSE-PAY-07 {req}", "Money", payments=PAY)
    _listed(s, d, "100")
    asked = asks(s, d, 2, "prompts/list", {})
    prompts = {"prompts": [{"name": "get_weather"}]}
    s.signs("bob", answer_form(d, asked, prompts).with_tags(d.price_tag("prompt", "get_weather", "1000")))
    s.delivers(result(2, prompts))
    dear = asks(s, d)
    s.signs("bob", d.demand(dear.event, 1000, SATS_1000))
    refused(s, d, dear)
    prompt = asks(s, d, 4, "prompts/get", {"name": "get_weather"})
    s.signs("bob", d.demand(prompt.event, 1000, SATS_1000))
    s.pays(SATS_1000)
    return s.case()


def _accepted(d: Dialect, name: str, title: str, req: str, seconds: float) -> tuple[Script, Asked]:
    """So long after the demand the server says that it has been paid."""
    s = start(d, name, title, f"HOUSE-PAY-08 {req}", "Money TimeOut", payments=PAY, level="SHOULD")
    asked = asks(s, d)
    s.signs("bob", d.demand(asked.event, 100, SATS_100))
    step = s.pays(SATS_100)
    s.payment_sent(step)
    s.after(seconds)
    s.signs("bob", d.payment_accepted(asked.event, 100))
    return s, asked


def accepted(d: Dialect, req: str = "") -> Case:
    title = "payment_accepted gives the request its full time again"
    s, asked = _accepted(d, "payment-accepted", title, req, 299)
    s.tick(59)
    answered(s, d, asked)
    return s.case()


def accepted_early(d: Dialect, req: str = "") -> Case:
    title = "payment_accepted changes nothing of a wait that is longer than its own"
    s, asked = _accepted(d, "payment-accepted-early", title, req, 20)
    s.tick(279)
    s.tick(2)
    refused(s, d, asked)
    return s.case()


def other_method(d: Dialect, req: str = "") -> Case:
    title = "A demand for an unknown method of payment is ignored; another may follow"
    s = start(d, "payment-other-method", title, f"HOUSE-PAY-05 {req}", "Money", payments=PAY, level="MAY")
    asked = asks(s, d)
    form = d.demand(asked.event, 100, SATS_100)
    other = form.content["params"] | {"pmi": "bitcoin-cashu-v4-direct", "pay_req": "cashuB2Zk"}
    s.signs("bob", form.saying(form.content | {"params": other}))
    s.signs("bob", form)
    s.pays(SATS_100)
    answered(s, d, asked)
    return s.case()


def payment_methods(d: Dialect, req: str = "") -> Case:
    """A client that pays by Lightning, as the invoices here ask for."""
    s = start(d, "payment-methods", "A client that pays names its payment methods on its first request", req,
              "Money", level="SHOULD", payments=PAY)  # fmt: skip
    s.says(rpc("tools/call", CALL, 1))
    s.publishes(d.request("tools/call", CALL, 1).with_tags(["pmi", PMI]))
    return s.case()
