"""Subscriptions at the client: how they end, and how those that are lost are opened anew (MCP.md section 4.3)."""

from __future__ import annotations

from typing import Any

from vectors.source.dialects import ANY_ID, Dialect
from vectors.source.mcp.play import (
    ACKNOWLEDGED,
    LISTEN,
    TO_TOOLS,
    TOOLS,
    UPDATED,
    URI,
    Sub,
    Text,
    acknowledges,
    cancel_form,
    changes,
    closes,
    ends,
    hears,
    last,
    listener,
    listens,
    lost,
    told,
)
from vectors.source.scripts import Script, id_of, result, rpc
from vectors.source.writing import Case

# The end


def closed(t: Text, d: Dialect) -> Case:
    title = "The caller's cancel goes out with requestId and e; what comes later is ignored"
    rows = "N:CAN-01 N:CAN-02 N:ID-06 N:TAG-03 N:LOST-05"
    s = listener(t, d, "closed", title, rows, "End")
    sub = listens(s, t, d, "sub")
    acknowledges(s, t, d, sub)
    closes(s, d, sub)
    told(s, t, d, sub, TOOLS)
    ends(s, t, d, sub)
    s.ok(sub.step + 2)
    s.tick(6)
    told(s, t, d, sub, TOOLS)
    again = listens(s, t, d, "sub")
    acknowledges(s, t, d, again)
    return s.case()


def cancels(t: Text, d: Dialect) -> Case:
    s = listener(t, d, "cancel", "The caller ends a subscription by a cancel", "CAN-01", "End")
    sub = listens(s, t, d, "sub")
    acknowledges(s, t, d, sub)
    closes(s, d, sub)
    s.tick(6)
    return s.case()


def answered_late(t: Text, d: Dialect) -> Case:
    """Only where a subscription has a last result."""
    title = "A response to a subscription that was cancelled is ignored"
    s = listener(t, d, "cancel-late-response", title, "CAN-04", "End", level="SHOULD")
    sub = listens(s, t, d, "sub")
    acknowledges(s, t, d, sub)
    closes(s, d, sub)
    ends(s, t, d, sub)
    s.tick(6)
    return s.case()


def closed_early(t: Text, d: Dialect) -> Case:
    title = "A subscription may be ended before it is acknowledged"
    s = listener(t, d, "closed-early", title, "N:CAN-01 N:LOST-05", "End")
    sub = listens(s, t, d, "sub")
    told(s, t, d, sub, TOOLS)
    closes(s, d, sub)
    told(s, t, d, sub, ACKNOWLEDGED, {"notifications": TO_TOOLS})
    s.tick(20)
    return s.case()


def ended(t: Text, d: Dialect) -> Case:
    title = "After the last result, late notifications are delivered for a while"
    rows = "N:END-02 N:END-06 N:LOST-05"
    s = listener(t, d, "ended", title, rows, "End Order")
    sub = listens(s, t, d, 1)
    acknowledges(s, t, d, sub)
    s.after(5)
    ends(s, t, d, sub)
    changes(s, t, d, sub)
    s.after(1)
    changes(s, t, d, sub, ago=2)
    told(s, t, d, sub, TOOLS)
    s.tick(1.5)
    s.delivers(result(1, last(1)))
    told(s, t, d, sub, TOOLS)
    return s.case()


def ended_first(t: Text, d: Dialect) -> Case:
    title = "A last result before the acknowledgement ends a subscription after a grace time"
    s = listener(t, d, "ended-first", title, "N:END-01", "End Order")
    sub = listens(s, t, d, 1)
    ends(s, t, d, sub)
    s.tick(1)
    s.tick(1.5)
    s.delivers(result(1, last(1)))
    told(s, t, d, sub, ACKNOWLEDGED, {"notifications": TO_TOOLS})
    second = listens(s, t, d, 2)
    told(s, t, d, second, TOOLS)
    ends(s, t, d, second)
    acknowledges(s, t, d, second)
    hears(s, t, 2, TOOLS)
    s.tick(2.5)
    s.delivers(result(2, last(2)))
    return s.case()


def ended_unacknowledged(t: Text, d: Dialect) -> Case:
    title = "What comes between the last result and the acknowledgement is held"
    s = listener(t, d, "ended-unacknowledged", title, "N:END-01 N:ACK-01 N:ACK-02", "End Order")
    sub = listens(s, t, d, 1)
    ends(s, t, d, sub)
    told(s, t, d, sub, TOOLS)
    acknowledges(s, t, d, sub)
    hears(s, t, 1, TOOLS)
    s.tick(2.5)
    s.delivers(result(1, last(1)))
    return s.case()


def ended_anew(t: Text, d: Dialect) -> Case:
    title = "What was honoured before says nothing of the subscription opened anew"
    s = listener(t, d, "ended-anew", title, "N:END-01 N:ACK-01", "Lost End")
    sub = listens(s, t, d, "sub")
    acknowledges(s, t, d, sub)
    s.after(5).connection("lost")
    s.after(5).connection("back")
    again = reopens(s, t, d, "sub", TO_TOOLS)
    ends(s, t, d, again)
    told(s, t, d, again, TOOLS)
    s.tick(2.5)
    s.delivers(result("sub", last("sub")))
    return s.case()


def ended_oddly(t: Text, d: Dialect) -> Case:
    title = "A last result with a wrong subscription id, or none, still ends a subscription"
    s = listener(t, d, "ended-oddly", title, "N:END-05 N:TAG-07", "End Ids")
    for number, body in enumerate((last("other"), {"resultType": "complete"})):
        sub = listens(s, t, d, number)
        acknowledges(s, t, d, sub)
        s.signs("bob", d.response(sub.event, number, body))
        s.tick(2.5)
        s.delivers(result(number, last(number)))
    return s.case()


def empty(t: Text, d: Dialect) -> Case:
    title = "A server that honours nothing acknowledges nothing and ends the subscription"
    s = listener(t, d, "empty", title, "N:END-02", "Acknowledgement End")
    sub = listens(s, t, d, 1)
    acknowledges(s, t, d, sub, {})
    ends(s, t, d, sub)
    s.tick(2.5)
    s.delivers(result(1, last(1)))
    return s.case()


# Lost, and opened anew


def reopens(s: Script, t: Text, d: Dialect, id: Any, filter: Any) -> Sub:
    """After a pause a new request is published: another event, and another id where ids travel."""
    step = s.tick(1.5)
    s.publishes(d.request(LISTEN, t.params(filter), ANY_ID))
    return Sub(step, id, id_of(step))


def renewed(s: Script, t: Text, d: Dialect, old: Sub, filter: Any) -> None:
    """The new subscription is acknowledged; the caller fetches again, and never learns of it otherwise."""
    sub = reopens(s, t, d, old.id, filter)
    name = sub.shared if d.whole else sub.event
    told(s, t, d, sub, ACKNOWLEDGED, {"notifications": filter}, name=name)
    hears(s, t, old.id, TOOLS)
    if "resourceSubscriptions" in filter:
        hears(s, t, old.id, UPDATED, {"uri": URI})
    s.after(1)
    changes(s, t, d, sub, name=name)
    told(s, t, d, old, TOOLS)


def disconnected(t: Text, d: Dialect) -> Case:
    title = "A subscription that is lost is opened anew, and the caller told to fetch again"
    rows = "N:LOST-01 N:LOST-02 N:LOST-03 N:LOST-04 N:LOST-05"
    s = listener(t, d, "disconnected", title, rows, "Lost")
    filter = {"toolsListChanged": True, "resourceSubscriptions": [URI]}
    sub = listens(s, t, d, "sub", filter)
    acknowledges(s, t, d, sub, filter)
    s.after(5).connection("lost")
    s.tick(30)
    s.connection("back")
    renewed(s, t, d, sub, filter)
    return s.case()


def reconnected(t: Text, d: Dialect) -> Case:
    """That it is sent again is a MUST of stdio; when, after a pause, is not the texts'."""
    title = "After a lost connection is back, the listen request is sent again"
    s = listener(t, d, "reconnected", title, "RE-01 D:END-04 F:END-03", "Lost", level="SHOULD")
    sub = listens(s, t, d, "sub")
    acknowledges(s, t, d, sub)
    s.after(5).connection("lost")
    s.after(5).connection("back")
    reopens(s, t, d, "sub", TO_TOOLS)
    return s.case()


def not_lost(t: Text, d: Dialect) -> Case:
    title = "A connection that comes though none was lost changes no subscription"
    s = listener(t, d, "not-lost", title, "N:LOST-01 N:LOST-02", "Lost")
    first, second = listens(s, t, d, "a"), listens(s, t, d, "b")
    acknowledges(s, t, d, first)
    s.after(5).connection("back")
    s.tick(4)
    acknowledges(s, t, d, second)
    s.tick(20)
    changes(s, t, d, first)
    changes(s, t, d, second)
    return s.case()


def pauses(t: Text, d: Dialect) -> Case:
    title = "Attempts to open anew come after pauses that double, until one is acknowledged"
    s = listener(t, d, "pauses", title, "N:LOST-03", "Lost", timers={"reopen": 8}, level="SHOULD")
    sub = listens(s, t, d, "sub")
    for longest in (8, 16, 32):
        s.tick(10)
        s.publishes(cancel_form(d, sub.event, sub.shared))
        sub = after_pause(s, t, d, longest)
    acknowledges(s, t, d, sub)
    s.signs("bob", d.server_cancel(sub.event, sub.shared))
    after_pause(s, t, d, 8)
    return s.case()


def pause_when_back(t: Text, d: Dialect) -> Case:
    title = "The first pause begins when a relay is connected again"
    s = listener(t, d, "pause-when-back", title, "N:LOST-01 N:LOST-03", "Lost", timers={"reopen": 8}, level="SHOULD")
    sub = listens(s, t, d, "sub")
    acknowledges(s, t, d, sub)
    s.after(5).connection("lost")
    s.after(100).connection("back")
    after_pause(s, t, d, 8)
    return s.case()


def after_pause(s: Script, t: Text, d: Dialect, longest: float) -> Sub:
    """The request is published anew between half of a longest pause and the whole."""
    s.tick(longest / 2 - 0.25)
    step = s.tick(longest / 2 + 0.25)
    s.publishes(d.request(LISTEN, t.params(TO_TOOLS), ANY_ID))
    return Sub(step, "sub", id_of(step))


def former(t: Text, d: Dialect) -> Case:
    title = "What comes for the former request does nothing to the subscription opened anew"
    s = listener(t, d, "former", title, "N:LOST-02 N:LOST-05 N:TAG-06 N:OPEN-03", "Lost Ids")
    old = listens(s, t, d, "sub")
    s.tick(10.5)
    s.publishes(cancel_form(d, old.event, "sub"))
    sub = reopens(s, t, d, "sub", TO_TOOLS)
    s.ok(old.step, False, "error: could not store it")
    acknowledges(s, t, d, sub)
    s.signs("bob", d.to_client(TOOLS, request=old.event))
    s.signs("bob", d.error(old.event, "sub", -32603, "over"))
    s.signs("bob", d.response(old.event, "sub", {"resultType": "complete"}))
    told(s, t, d, sub, TOOLS, name=t.wire(d, old.shared, old.event))
    s.tick(3)
    changes(s, t, d, sub)
    return s.case()


def unacknowledged(t: Text, d: Dialect) -> Case:
    title = "Without acknowledgement in time a subscription is cancelled and opened anew"
    rows = "N:ACK-05 N:LOST-02 N:LOST-03 N:LOST-05"
    s = listener(t, d, "unacknowledged", title, rows, "Lost Acknowledgement")
    sub = listens(s, t, d, "sub")
    told(s, t, d, sub, TOOLS)
    s.tick(9)
    s.tick(1.5)
    s.publishes(cancel_form(d, sub.event, "sub"))
    again = reopens(s, t, d, "sub", TO_TOOLS)
    told(s, t, d, sub, ACKNOWLEDGED, {"notifications": TO_TOOLS})
    acknowledges(s, t, d, again, name=again.shared if d.whole else again.event)
    return s.case()


def torn_down(t: Text, d: Dialect) -> Case:
    title = "A server's cancel, or an error after the acknowledgement, loses the subscription"
    rows = "N:END-03 N:END-04 N:LOST-02 N:LOST-04"
    s = listener(t, d, "torn-down", title, rows, "Lost End")
    first, second = listens(s, t, d, "a"), listens(s, t, d, "b")
    acknowledges(s, t, d, first)
    acknowledges(s, t, d, second)
    s.signs("bob", d.server_cancel(first.event, "a"))
    renewed(s, t, d, first, TO_TOOLS)
    s.after(1)
    s.signs("bob", d.error(second.event, "b", -32603, "restarting"))
    renewed(s, t, d, second, TO_TOOLS)
    return s.case()


def refused_late(t: Text, d: Dialect) -> Case:
    title = "Relays that refuse a listen request after its acknowledgement change nothing"
    s = listener(t, d, "refused-late", title, "N:OPEN-03", "Order")
    sub = listens(s, t, d)
    acknowledges(s, t, d, sub)
    s.ok(sub.step, False, "error: could not store it")
    changes(s, t, d, sub)
    return s.case()


def torn_down_early(t: Text, d: Dialect) -> Case:
    title = "A server's cancel before the acknowledgement loses the subscription"
    s = listener(t, d, "torn-down-early", title, "N:END-03 N:LOST-02", "Lost End")
    sub = listens(s, t, d, "sub")
    told(s, t, d, sub, TOOLS)
    s.signs("bob", d.server_cancel(sub.event, "sub"))
    again = reopens(s, t, d, "sub", TO_TOOLS)
    told(s, t, d, sub, ACKNOWLEDGED, {"notifications": TO_TOOLS})
    acknowledges(s, t, d, again, name=again.shared if d.whole else again.event)
    return s.case()


def disconnected_early(t: Text, d: Dialect) -> Case:
    title = "Without connection, a subscription that was not acknowledged is lost as well"
    s = listener(t, d, "disconnected-early", title, "N:LOST-01 N:LOST-02", "Lost")
    sub = listens(s, t, d, "sub")
    s.connection("lost")
    s.after(5).connection("back")
    again = reopens(s, t, d, "sub", TO_TOOLS)
    told(s, t, d, sub, ACKNOWLEDGED, {"notifications": TO_TOOLS})
    acknowledges(s, t, d, again, name=again.shared if d.whole else again.event)
    return s.case()


def closed_while_lost(t: Text, d: Dialect) -> Case:
    title = "A lost subscription that its caller cancels is not opened anew"
    s = listener(t, d, "closed-while-lost", title, "N:LOST-05", "Lost End")
    sub = listens(s, t, d, "sub")
    acknowledges(s, t, d, sub)
    s.connection("lost")
    s.says(rpc("notifications/cancelled", {"requestId": "sub"}))
    s.after(5).connection("back")
    s.tick(5)
    told(s, t, d, sub, TOOLS)
    return s.case()


def closed_while_ending(t: Text, d: Dialect) -> Case:
    title = "A caller that cancels after the last result came gets no result"
    s = listener(t, d, "closed-while-ending", title, "N:LOST-05", "End")
    sub = listens(s, t, d, "sub")
    acknowledges(s, t, d, sub)
    ends(s, t, d, sub)
    s.says(rpc("notifications/cancelled", {"requestId": "sub"}))
    s.tick(2.5)
    told(s, t, d, sub, TOOLS)
    return s.case()


def not_reopened(t: Text, d: Dialect) -> Case:
    title = "A lost subscription that is not to be opened anew ends with an error"
    s = listener(t, d, "not-reopened", title, "N:LOST-01 N:END-03 N:END-04 N:ACK-05", "Lost", reopen=False)
    subs = [listens(s, t, d, id) for id in ("a", "b", "c")]
    for sub in subs:
        acknowledges(s, t, d, sub)
    s.signs("bob", d.server_cancel(subs[0].event, "a"))
    lost(s, "a", {"reason": "lost"})
    s.signs("bob", d.error(subs[1].event, "b", -32603, "restarting"))
    lost(s, "b")
    silent = listens(s, t, d, "d")
    s.tick(10.5)
    s.publishes(cancel_form(d, silent.event, "d"))
    lost(s, "d")
    s.connection("lost")
    lost(s, "c")
    s.connection("back")
    s.tick(5)
    return s.case()
