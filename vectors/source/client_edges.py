"""Scenarios of clients over a longer time: pings that fail one after another, and what comes long after."""

from __future__ import annotations

from vectors.source.client_play import CHANGED, Asked, answer, answered, asks, cancels, fails, lives, start
from vectors.source.dialects import ANY_ID, ANY_TEXT, Dialect
from vectors.source.scripts import INITIALIZE, failure, id_of, rpc
from vectors.source.writing import Case


def pings_in_a_row(d: Dialect, req: str = "") -> Case:
    title = "Only pings that fail one after another make a server count as gone"
    timers = {"ping": 30, "ping_timeout": 10, "request": 600}
    s = start(d, "pings-in-a-row", title, f"HOUSE-ID-01 {req}", "TimeOut", timers=timers,
              limits={"ping_failures": 2}, level="MAY")  # fmt: skip

    def pinged(step: int) -> int:
        s.publishes(d.request("ping", None, ANY_ID))
        return step

    asked = asks(s, d)
    first = pinged(s.tick(31))
    second = pinged(s.after(1).ok(first, False, "blocked: no"))
    answer(s, d, Asked(second, id_of(second), "ping", None), {})
    third = pinged(s.tick(31))
    s.arrives("bob", d.to_client(CHANGED))
    s.delivers(rpc(CHANGED))
    fourth = pinged(s.after(1).ok(third, False, "blocked: no"))
    s.after(1).ok(fourth, False, "blocked: no")
    cancels(s, d, asked)
    fails(s, asked)
    s.tick(100)
    lives(s, d)
    fifth = pinged(s.tick(31))
    pinged(s.ok(fifth, False, "blocked: no"))
    return s.case()


def ping_too_large(d: Dialect, req: str = "") -> Case:
    title = "A ping that no relay would carry is left, and what waits for the server goes on"
    s = start(d, "ping-too-large", title, f"HOUSE-LIMIT-08 {req}", "Limits TimeOut", timers={"ping": 30},
              limits={"event": 100, "ping_failures": 1}, level="MAY")  # fmt: skip
    s.tick(31)
    s.tick(100)
    s.arrives("bob", d.to_client(CHANGED))
    s.delivers(rpc(CHANGED))
    return s.case()


def told_about(d: Dialect, req: str = "") -> Case:
    title = "What a server tells about a pending request is delivered"
    s = start(d, "told-about", title, f"HOUSE-ROUTE-02 {req}", "Correlation")
    asked = asks(s, d)
    log = {"level": "info", "data": "reading"}
    s.signs("bob", d.to_client("notifications/message", log, request=asked.event))
    s.delivers(rpc("notifications/message", log))
    answered(s, d, asked)
    s.after(1).signs("bob", d.to_client("notifications/message", log, request=asked.event))
    return s.case()


def broken_announcement(d: Dialect, req: str = "") -> Case:
    title = "An announcement that cannot be read answers initialize with an error"
    s = start(d, "broken-announcement", title, f"HOUSE-ID-02 {req}", "Handshake", handshake=False, level="MAY")
    form = d.announcement({}).saying("not json")
    s.open["server"] = s.open["server"] | {"announcement": s.signed("bob", form)}
    s.says(rpc("initialize", INITIALIZE, 0))
    s.delivers(failure(0, -32603, ANY_TEXT))
    lives(s, d)
    return s.case()


def unreadable_invoice(d: Dialect, req: str = "") -> Case:
    title = "An invoice that cannot be read is not paid"
    s = start(
        d, "unreadable-invoice", title, f"HOUSE-PAY-03 {req}", "Money", payments={"pay": True, "above_price": True}
    )
    for number, invoice in enumerate(("lnbc100n", "lnbc1u1pvectrs-qqqq", "lnbc01u1pvectrsqqqq")):
        asked = asks(s.after(1), d, number, params={"name": f"tool-{number}"})
        s.signs("bob", d.demand(asked.event, 100, invoice))
        cancels(s, d, asked)
        fails(s, asked)
    return s.case()
