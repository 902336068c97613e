"""Scenarios of clients in every revision: who is believed, when, how often and how much."""

from __future__ import annotations

from typing import Any

from vectors.source.client_play import (
    CALL,
    CHANGED,
    RESULT,
    STRANGE,
    answer,
    answer_form,
    answered,
    asks,
    knows,
    lives,
    start,
)
from vectors.source.dialects import ALICE, CAROL, Dialect
from vectors.source.scripts import failure, result, rpc
from vectors.source.writing import Case, resigned

# Who


def foreign_author(d: Dialect, req: str = "") -> Case:
    title = "An answer counts only if the asked key signed it"
    s = start(d, "foreign-author", title, f"HOUSE-ROUTE-03 {req}", "Author")
    knows(s, d)
    asked = asks(s, d)
    answer(s, d, asked, {"content": [{"type": "text", "text": "forged"}]}, role="mallory")
    s.signs("mallory", d.error(asked.event, 3, -32603, "forged"))
    answered(s, d, asked)
    return s.case()


def answer_without_p(d: Dialect, req: str = "") -> Case:
    title = "An answer without p counts if its e is pending and its author was asked"
    s = start(d, "answer-without-p", title, f"HOUSE-ROUTE-07 {req}", "Recipient Correlation")
    asked = asks(s, d)
    s.signs("bob", d.response(STRANGE, 3, {"content": []}).without("p"))
    s.signs("mallory", answer_form(d, asked).without("p"))
    s.signs("bob", answer_form(d, asked).without("p"))
    s.delivers(result(3, RESULT))
    return s.case()


def answer_for_another(d: Dialect, req: str = "") -> Case:
    title = "An answer whose p is another key, or also another key, is dropped"
    s = start(d, "answer-for-another", title, f"HOUSE-ROUTE-06 {req}", "Recipient")
    asked = asks(s, d)
    s.signs("bob", answer_form(d, asked).put("p", CAROL))
    s.signs("bob", answer_form(d, asked).with_tags(["p", CAROL]))
    answered(s, d, asked)
    return s.case()


def unknown_e(d: Dialect, req: str = "") -> Case:
    title = "An answer whose e names no pending request is dropped, whatever id it has"
    s = start(d, "unknown-e", title, f"HOUSE-ID-01 {req}", "Correlation")
    knows(s, d)
    asked = asks(s, d)
    s.signs("bob", d.response(STRANGE, 3, {"content": []}))
    s.signs("bob", d.error(STRANGE, 3, -32603, "not yours"))
    answered(s, d, asked)
    return s.case()


def notification_unknown_e(d: Dialect, req: str = "") -> Case:
    title = "A notification whose e names no request is dropped; one without e is delivered"
    s = start(d, "notification-unknown-e", title, f"HOUSE-ID-01 {req}", "Correlation")
    s.arrives("bob", d.to_client("notifications/message", {"level": "info", "data": "not yours"}, request=STRANGE))
    s.arrives("bob", d.to_client("notifications/message", {"level": "info", "data": "for all"}))
    s.delivers(rpc("notifications/message", {"level": "info", "data": "for all"}))
    return s.case()


def notification_recipient(d: Dialect, req: str = "") -> Case:
    title = "A notification without p, or with another p, is dropped; p may be repeated"
    s = start(d, "notification-recipient", title, f"HOUSE-ROUTE-05 HOUSE-ROUTE-06 {req}", "Recipient")
    form = d.to_client(CHANGED)
    s.arrives("bob", form.without("p"))
    s.arrives("bob", form.put("p", CAROL))
    s.arrives("bob", form.with_tags(["p", CAROL]))
    s.arrives("bob", form.with_tags(["p", ALICE]))
    s.delivers(rpc(CHANGED))
    s.arrives("mallory", form)
    return s.case()


def forged(d: Dialect, req: str = "") -> Case:
    title = "An event whose signature is wrong is dropped"
    s = start(d, "forged", title, f"HOUSE-ONCE-03 {req}", "Forged")
    knows(s, d)
    lives(s, d)
    s.raw(_bad(s.signed("bob", d.to_client(CHANGED))))
    s.raw(_resigned(s.signed("bob", d.to_client("notifications/prompts/list_changed")), "mallory"))
    s.arrives("bob", d.to_client("notifications/resources/list_changed"))
    s.delivers(rpc("notifications/resources/list_changed"))
    return s.case()


def forged_copy(d: Dialect, req: str = "") -> Case:
    title = "A copy of an event whose signature is wrong does not censor the good one"
    s = start(d, "forged-copy", title, f"HOUSE-ONCE-03 {req}", "Forged")
    good = s.signed("bob", d.to_client(CHANGED))
    s.raw(_bad(good))
    s.raw(good)
    s.delivers(rpc(CHANGED))
    return s.case()


def _bad(event: dict[str, Any]) -> dict[str, Any]:
    return event | {"sig": event["sig"][:-1] + ("0" if event["sig"][-1] != "0" else "1")}


# When and how often


def answered_twice(d: Dialect, req: str = "") -> Case:
    title = "An answer that comes twice is delivered once, and so is a second answer"
    s = start(d, "answered-twice", title, f"HOUSE-ONCE-02 {req}", "Replay")
    asked = asks(s, d)
    answered(s, d, asked)
    answer(s, d, asked)
    answer(s, d, asked, {"content": [{"type": "text", "text": "Sunny"}]})
    return s.case()


def told_twice(d: Dialect, req: str = "") -> Case:
    title = "A notification from two relays is delivered once, for as long as it is fresh"
    s = start(d, "told-twice", title, f"HOUSE-ONCE-02 HOUSE-ONCE-04 {req}", "Replay")
    event = s.arrives("bob", d.to_client(CHANGED), ago=-50)
    s.delivers(rpc(CHANGED))
    s.again(event)
    s.after(105)
    s.again(event)
    return s.case()


def progress_twice(d: Dialect, req: str = "") -> Case:
    title = "Progress that comes from two relays is delivered once"
    s = start(d, "progress-twice", title, f"HOUSE-ONCE-02 {req}", "Replay Progress")
    asked = asks(s, d, params=CALL | {"_meta": {"progressToken": "t"}})
    s.signs("bob", d.progress(asked.event, 3, "t", 1, "working"))
    s.delivers(rpc("notifications/progress", {"progressToken": "t", "progress": 1, "message": "working"}))
    s.signs("bob", d.progress(asked.event, 3, "t", 1, "working"))
    answered(s, d, asked)
    return s.case()


def stale(d: Dialect, req: str = "") -> Case:
    title = "What is dated more than a minute from now is dropped, an answer too"
    s = start(d, "stale", title, f"HOUSE-TIME-01 {req}", "Time", timers={"request": 600})
    asked = asks(s, d)
    s.after(200)
    answer(s, d, asked, ago=61)
    answer(s, d, asked, ago=-61)
    s.arrives("bob", d.to_client(CHANGED), ago=61)
    s.arrives("bob", d.to_client(CHANGED), ago=-61)
    s.arrives("bob", d.to_client(CHANGED), ago=60)
    s.delivers(rpc(CHANGED))
    answered(s, d, asked, ago=-60)
    return s.case()


def unordered(d: Dialect, req: str = "") -> Case:
    title = "An answer dated before its request counts, and so do answers out of order"
    s = start(d, "unordered", title, f"HOUSE-TIME-04 {req}", "Time")
    first, second = asks(s, d, 1), asks(s, d, 2, params={"name": "other"})
    answered(s, d, second, ago=30)
    answered(s, d, first, ago=-10)
    return s.case()


# Salt


def salted(d: Dialect, req: str = "") -> Case:
    title = "An equal request in the same second is another event"
    s = start(d, "salted", title, f"HOUSE-ONCE-07 {req}", "Salt")
    lives(s, d)
    if d.whole:
        first = asks(s, d, 3)
        answered(s, d, first)
        answered(s, d, asks(s, d, 3))
        return s.case()
    first, second = asks(s, d, 3), asks(s, d, 4)
    answered(s, d, second)
    answered(s, d, first)
    return s.case()


def restarted(d: Dialect, req: str = "") -> Case:
    title = "A client that starts again does not publish the event of its former self"
    s = start(d, "restarted", title, f"HOUSE-ONCE-08 {req}", "Salt")
    lost = asks(s, d)
    s.restart()
    asked = asks(s, d)
    answer(s, d, lost)
    answered(s, d, asked)
    return s.case()


# How much


def bad_content(d: Dialect, req: str = "") -> Case:
    title = "A client answers nothing that it cannot read, and no error"
    s = start(d, "bad-content", title, f"HOUSE-ROUTE-12 HOUSE-ROUTE-14 {req}", "BadContent")
    form = d.to_client(CHANGED)
    good = s.signed("bob", form)
    for content in ("{", "[]", '[{"jsonrpc":"2.0","method":"ping","id":1}]', "null", '{"jsonrpc":"2.0"}'):
        s.raw(_resigned(good, content=content))
    s.arrives("bob", d.error(STRANGE, 3, -32700, "Parse error"))
    s.arrives("bob", form)
    s.delivers(rpc(CHANGED))
    return s.case()


def _resigned(event: dict[str, Any], role: str = "bob", **changes: Any) -> dict[str, Any]:
    names = ("pubkey", "created_at", "kind", "tags", "content")
    return resigned({name: (event | changes)[name] for name in names}, role)


def too_long(d: Dialect, req: str = "") -> Case:
    title = "Content beyond the limit is dropped"
    s = start(d, "too-long", title, f"HOUSE-LIMIT-08 {req}", "Limits", limits={"content": 1000})
    s.arrives("bob", d.to_client("notifications/message", {"level": "info", "data": "x" * 1001}))
    s.arrives("bob", d.to_client("notifications/message", {"level": "info", "data": "x" * 500}))
    s.delivers(rpc("notifications/message", {"level": "info", "data": "x" * 500}))
    return s.case()


def too_many_pending(d: Dialect, req: str = "") -> Case:
    title = "A request beyond the limit fails on this side, and is not published"
    s = start(d, "too-many-pending", title, f"HOUSE-LIMIT-02 {req}", "Limits", limits={"pending": 2})
    first = asks(s, d, 1)
    asks(s, d, 2, params={"name": "other"})
    s.says(rpc("tools/call", CALL, 3))
    s.delivers(failure(3, -32603, {"$text": "any"}))
    answered(s, d, first)
    answered(s, d, asks(s, d, 4, params={"name": "third"}))
    return s.case()


def full_memory(d: Dialect, req: str = "") -> Case:
    title = "When no more ids can be remembered, what is new is dropped"
    s = start(d, "full-memory", title, f"HOUSE-LIMIT-04 HOUSE-ONCE-05 {req}", "Limits Replay", limits={"seen": 1})
    event = s.arrives("bob", d.to_client(CHANGED))
    s.delivers(rpc(CHANGED))
    s.arrives("bob", d.to_client("notifications/prompts/list_changed"))
    s.again(event)
    s.after(130)
    s.arrives("bob", d.to_client(CHANGED))
    s.delivers(rpc(CHANGED))
    return s.case()


def too_large(d: Dialect, req: str = "") -> Case:
    title = "A request that no relay would carry fails on this side, and is not published"
    s = start(d, "too-large", title, f"HOUSE-LIMIT-08 {req}", "Limits", limits={"event": 2000})
    s.says(rpc("tools/call", {"name": "x" * 3000}, 3))
    s.delivers(failure(3, -32603, {"$text": "any"}))
    lives(s, d)
    return s.case()


def too_large_to_tell(d: Dialect, req: str = "") -> Case:
    title = "A notification that no relay would carry is not published, and all else goes on"
    s = start(d, "too-large-to-tell", title, f"HOUSE-LIMIT-08 {req}", "Limits", limits={"event": 2000})
    s.says(rpc("notifications/roots/list_changed", {"_meta": {"example.com/note": "x" * 3000}}))
    lives(s, d)
    return s.case()
