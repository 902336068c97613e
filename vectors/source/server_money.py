"""Scenarios of servers that ask for money: a demand, its payment, and one execution."""

from __future__ import annotations

from vectors.source.dialects import ANY_ID, CAROL, Dialect
from vectors.source.scripts import id_of, result, rpc
from vectors.source.server_play import CALL, RESULT, answered, asks, lives, refused, start
from vectors.source.writing import Case

INVOICE = "lnbc1u1pvectrsqqqqsyqcyq5rqwzqf"
PRICES = [{"type": "tool", "capability": "get_weather", "amount": "100", "unit": "sats"}]


def paid(d: Dialect, req: str = "") -> Case:
    title = "A priced request is executed once its payment is verified, and once only"
    # CEP-8: payment_accepted, and silence about what comes again, are no more than SHOULD.
    level = "SHOULD" if d.name == "contextvm" else "MUST"
    s = start(d, "paid", title, f"HOUSE-PAY-09 HOUSE-PAY-10 HOUSE-PAY-11 HOUSE-ROUTE-02 {req}", "Money",
              prices=PRICES, invoice=INVOICE, level=level)  # fmt: skip
    event = s.arrives("alice", d.request("tools/call", CALL, 3))
    s.publishes(d.demand(event, 100, INVOICE, expiration=s.unix + 300))
    s.after(5).again(event)
    s.tick(20)
    step = s.paid(0)
    if d.name == "contextvm":
        s.publishes(d.payment_accepted(event, 100))
    s.delivers(rpc("tools/call", CALL, ANY_ID))
    s.paid(0)
    s.again(event)
    s.says(result(id_of(step), RESULT))
    s.publishes(d.response(event, 3, RESULT))
    s.again(event)
    second = s.after(1).arrives("alice", d.request("tools/call", CALL, 4))
    s.publishes(d.demand(second, 100, INVOICE, expiration=s.unix + 300))
    return s.case()


def not_before(d: Dialect, req: str = "") -> Case:
    title = "A priced request is met with a demand, and not executed while nobody pays"
    s = start(d, "not-before-payment", title, f"HOUSE-PAY-10 {req}", "Money", prices=PRICES, invoice=INVOICE)
    event = s.arrives("alice", d.request("tools/call", CALL, 3))
    s.publishes(d.demand(event, 100, INVOICE, expiration=s.unix + 300))
    s.tick(20)
    return s.case()


def unpaid(d: Dialect, req: str = "") -> Case:
    s = start(d, "unpaid", "A priced request that nobody pays for fails and is never executed",
              f"HOUSE-PAY-10 {req}", "Money", prices=PRICES, invoice=INVOICE, timers={"payment": 120})  # fmt: skip
    event = s.arrives("alice", d.request("tools/call", CALL, 3))
    s.publishes(d.demand(event, 100, INVOICE, expiration=s.unix + 120))
    s.tick(119)
    s.tick(1)
    refused(s, d, event, 3, -32603)
    s.paid(0)
    refused_event = s.arrives("carol", d.request("tools/call", CALL, 4))
    s.publishes(d.demand(refused_event, 100, INVOICE, to=CAROL, expiration=s.unix + 120))
    s.unpaid(s.now)
    refused(s, d, refused_event, 4, -32603, to="carol")
    return s.case()


def free(d: Dialect, req: str = "") -> Case:
    s = start(d, "free", "What has no price is executed at once", f"HOUSE-PAY-10 {req}", "Money", prices=PRICES,
              invoice=INVOICE)  # fmt: skip
    answered(s, d, asks(s, d, params={"name": "get_forecast"}))
    return s.case()


def unpaid_cancelled(d: Dialect, req: str = "") -> Case:
    s = start(d, "paid-cancelled", "A priced request that was cancelled before payment is not executed",
              f"HOUSE-PAY-09 {req}", "Money Cancel", prices=PRICES, invoice=INVOICE,
              limits={"pending_per_key": 1})  # fmt: skip
    event = s.arrives("alice", d.request("tools/call", CALL, 3))
    s.publishes(d.demand(event, 100, INVOICE, expiration=s.unix + 300))
    s.arrives("alice", d.cancel(event, 3))
    answered(s, d, asks(s, d, "alice", 4, params={"name": "get_forecast"}))
    s.tick(300)
    lives(s, d, params={"name": "get_forecast"})
    return s.case()


def priced_kinds(d: Dialect, req: str = "") -> Case:
    title = "A price is for a tool, a prompt or a resource, and not for others of its name"
    prices = [
        {"type": "prompt", "capability": "summary", "amount": "100", "unit": "sats"},
        {"type": "resource", "capability": "file:///report", "amount": "100", "unit": "sats"},
    ]
    s = start(d, "priced-kinds", title, f"HOUSE-PAY-10 {req}", "Money", prices=prices, invoice=INVOICE)
    priced = {"prompts/get": {"name": "summary"}, "resources/read": {"uri": "file:///report"}}
    for number, (method, params) in enumerate(priced.items()):
        event = s.arrives("alice", d.request(method, params, number))
        s.publishes(d.demand(event, 100, INVOICE, expiration=s.unix + 300))
    answered(s, d, asks(s, d, "alice", 7, params={"name": "summary"}))
    return s.case()


def unsendable(d: Dialect, req: str = "") -> Case:
    """Only in ContextVM, whose payment methods have no name for a test network."""
    title = "A request fails at once for which an invoice of another network was made"
    s = start(d, "unsendable-invoice", title, f"HOUSE-PAY-04 {req}", "Money", prices=PRICES,
              invoice="lntb1u1pvectrsqqqqsyqcyq5rqwzqf")  # fmt: skip
    refused(s, d, s.arrives("alice", d.request("tools/call", CALL, 3)), 3, -32603)
    return s.case()


def no_invoice(d: Dialect, req: str = "") -> Case:
    title = "A priced request for which no invoice is made fails, unless it is cancelled"
    s = start(d, "no-invoice", title, f"HOUSE-PAY-10 {req}", "Money Cancel", prices=PRICES, timers={"payment": 120})
    withdrawn = s.arrives("alice", d.request("tools/call", CALL, 3))
    event = s.arrives("carol", d.request("tools/call", CALL, 3))
    s.arrives("alice", d.cancel(withdrawn, 3))
    s.tick(119)
    s.tick(1)
    refused(s, d, event, 3, -32603, to="carol")
    return s.case()
