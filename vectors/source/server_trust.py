"""Scenarios of servers in every revision: for whom a message is, who signed it, when, how often, who may send it."""

from __future__ import annotations

from typing import Any

from vectors.source.dialects import ALICE, ANY_ID, BOB, CAROL, DAVE, Dialect
from vectors.source.scripts import INITIALIZE, INITIALIZE_RESULT, Script, failure, id_of, mcp_server, result, rpc, text
from vectors.source.server_play import CALL, RESULT, answered, asks, greets, lives, refused, start
from vectors.source.writing import AUX, Case, public, secret

TWO = [mcp_server("server-1"), mcp_server("server-2")]


# For whom


def wrong_recipient(d: Dialect, req: str = "") -> Case:
    s = start(d, "wrong-recipient", "A request for another key, for several or for nobody is dropped",
              f"HOUSE-ROUTE-05 HOUSE-ROUTE-06 {req}", "Recipient")  # fmt: skip
    form = d.request("tools/call", CALL, 3)
    s.arrives("alice", form.put("p", DAVE))
    s.arrives("alice", form.with_tags(["p", DAVE]))
    s.arrives("alice", form.without("p"))
    s.arrives("alice", form.with_tags(["p"]))
    twice = asks(s, d, form=form.with_tags(["p", BOB]))
    answered(s, d, twice)
    return s.case()


def wrong_recipient_notification(d: Dialect, req: str = "") -> Case:
    s = start(d, "wrong-recipient-cancel", "A cancel for another key, for several or for nobody is dropped",
              f"HOUSE-ROUTE-05 HOUSE-ROUTE-06 {req}", "Recipient Cancel")  # fmt: skip
    asked = asks(s, d)
    form = d.cancel(asked.event, 3)
    s.arrives("alice", form.put("p", DAVE))
    s.arrives("alice", form.with_tags(["p", CAROL]))
    s.arrives("alice", form.without("p"))
    answered(s, d, asked)
    return s.case()


def wrong_server(d: Dialect, req: str = "") -> Case:
    s = start(d, "wrong-server", "A request for a server that is not here is met with silence", f"HOUSE-ID-07 {req}",
              "WhichServer")  # fmt: skip
    s.arrives("alice", d.request("tools/call", CALL, 3, server_id="server-9"))
    s.arrives("alice", d.initialize(INITIALIZE, server_id="server-9"))
    lives(s, d)
    return s.case()


def sole_server(d: Dialect, req: str = "") -> Case:
    s = start(d, "sole-server", "A request that names no server is for the only one", f"HOUSE-ID-07 {req}",
              "WhichServer")  # fmt: skip
    answered(s, d, asks(s, d, form=d.request("tools/call", CALL, 3, server_id=None)))
    return s.case()


def two_servers(d: Dialect, req: str = "") -> Case:
    s = start(d, "two-servers", "Of two servers each answers an initialize that names none, and a call none does",
              f"HOUSE-ID-07 {req}", "WhichServer", servers=TWO)  # fmt: skip
    event = s.arrives("alice", d.initialize(INITIALIZE, server_id=None))
    for server_id in ("server-1", "server-2"):
        s.publishes(d.response(event, 0, INITIALIZE_RESULT, method="initialize", server_id=server_id))
    s.arrives("alice", d.request("tools/call", CALL, 1, server_id=None))
    answered(s, d, asks(s, d, "alice", 2, server_id="server-2"))
    one = s.arrives("alice", d.initialize(INITIALIZE, 5, server_id="server-2"))
    s.publishes(d.response(one, 5, INITIALIZE_RESULT, method="initialize", server_id="server-2"))
    return s.case()


def two_servers_ping(d: Dialect, req: str = "") -> Case:
    s = start(d, "two-servers-ping", "A ping that names no server is answered by the first", f"HOUSE-ID-07 {req}",
              "WhichServer", servers=TWO)  # fmt: skip
    asked = asks(s, d, "alice", 3, "ping", None, form=d.request("ping", None, 3, server_id=None))
    answered(s, d, asked, {}, method="ping")
    return s.case()


# Who signed it


def forged(d: Dialect, req: str = "") -> Case:
    title = "A forged event is dropped"
    s = start(d, "forged", title, f"HOUSE-ONCE-03 {req}", "Forged")
    greets(s, d)
    _forgeries(s, d)
    answered(s, d, asks(s, d, id=4, params={"name": "get_forecast"}))
    return s.case()


def _forgeries(s: Script, d: Dialect) -> dict[str, Any]:
    """Four forged copies of a request arrive; gives the true one."""
    true = s.signed("alice", d.request("tools/call", CALL, 3))
    s.raw(true | {"sig": "00" * 64})
    s.raw(true | {"sig": s.signed("mallory", d.request("tools/call", CALL, 3))["sig"]})
    s.raw(true | {"content": true["content"].replace("New York", "Old York")})
    s.raw(true | {"pubkey": public("carol"), "sig": secret("carol").sign(bytes.fromhex(true["id"]), AUX).hex()})
    return true


def forged_copy(d: Dialect, req: str = "") -> Case:
    title = "Forged copies of an event do not keep the true one from being taken"
    s = start(d, "forged-copy", title, f"HOUSE-ONCE-03 {req}", "Forged")
    true = _forgeries(s, d)
    s.raw(true)
    s.delivers(rpc("tools/call", CALL, ANY_ID))
    step = s.now
    s.says(result(id_of(step), RESULT))
    s.publishes(d.response(true["id"], 3, RESULT))
    return s.case()


# How often


def repeated(d: Dialect, req: str = "") -> Case:
    s = start(d, "repeated", "A request from several relays is executed once, and answered once",
              f"HOUSE-ONCE-02 HOUSE-ONCE-06 {req}", "Replay")  # fmt: skip
    asked = asks(s, d)
    s.again(asked.event)
    answered(s, d, asked)
    s.again(asked.event)
    s.after(59).again(asked.event)
    return s.case()


def remembered(d: Dialect, req: str = "") -> Case:
    s = start(d, "remembered", "An id is remembered as long as its event could count as fresh",
              f"HOUSE-ONCE-04 HOUSE-TIME-01 {req}", "Replay Time")  # fmt: skip
    event = s.arrives("alice", d.request("tools/call", CALL, 3), ago=-60)
    s.delivers(rpc("tools/call", CALL, ANY_ID))
    s.says(result(id_of(0), RESULT))
    s.publishes(d.response(event, 3, RESULT))
    s.after(119).again(event)
    lives(s, d)
    return s.case()


def remembered_to_the_end(d: Dialect, req: str = "") -> Case:
    """Dates are whole seconds, clocks are not: what is dated ahead is fresh for a little over two minutes."""
    s = start(d, "remembered-to-the-end", "An id is remembered through the last second in which its event is fresh",
              f"HOUSE-ONCE-02 HOUSE-ONCE-04 {req}", "Replay Time")  # fmt: skip
    s.after(0.5)
    event = s.arrives("alice", d.request("tools/call", CALL, 3), ago=-60)
    s.delivers(rpc("tools/call", CALL, ANY_ID))
    s.says(result(id_of(0), RESULT))
    s.publishes(d.response(event, 3, RESULT))
    s.after(120.25)
    answered(s, d, asks(s, d, "carol", 1))
    s.after(0.125).again(event)
    lives(s, d, "dave")
    return s.case()


def full_memory(d: Dialect, req: str = "") -> Case:
    title = "Where no more ids can be remembered new work is refused, and none is forgotten"
    s = start(d, "full-memory", title, f"HOUSE-ONCE-05 HOUSE-LIMIT-04 {req}", "Limits Replay",
              limits={"seen": 2})  # fmt: skip
    first, second = asks(s, d, "alice", 1), asks(s, d, "carol", 2)
    answered(s, d, first)
    answered(s, d, second)
    s.arrives("dave", d.request("tools/call", CALL, 3))
    s.again(first.event)
    s.again(second.event)
    s.after(121)
    lives(s, d, "dave")
    return s.case()


def full_memory_of_a_key(d: Dialect, req: str = "") -> Case:
    s = start(d, "full-memory-key", "A key that has used up its memory leaves others theirs", f"HOUSE-LIMIT-04 {req}",
              "Limits", limits={"seen_per_key": 1})  # fmt: skip
    answered(s, d, asks(s, d, "mallory", 1))
    s.arrives("mallory", d.request("tools/call", CALL, 2, server_id="server-1").saying(
        d.body({"id": 2, "method": "tools/call", "params": {"name": "other"}})))  # fmt: skip
    lives(s, d)
    return s.case()


def salted(d: Dialect, req: str = "") -> Case:
    s = start(d, "salted", "Equal notifications of one second are two events, and so after a restart",
              f"HOUSE-ONCE-07 HOUSE-ONCE-08 {req}", "Salt")  # fmt: skip
    answered(s, d, asks(s, d))
    for _ in range(2):
        s.says(rpc("notifications/tools/list_changed"))
        s.publishes(d.to_client("notifications/tools/list_changed"))
    s.restart()
    answered(s, d, asks(s, d, "alice", 4, params={"name": "get_forecast"}))
    s.says(rpc("notifications/tools/list_changed"))
    s.publishes(d.to_client("notifications/tools/list_changed"))
    return s.case()


# When


def stale(d: Dialect, req: str = "") -> Case:
    s = start(d, "stale", "A request more than 60 seconds from now is met with silence", f"HOUSE-TIME-01 {req}", "Time")
    s.after(300).arrives("alice", d.request("tools/call", CALL, 1), ago=61)
    s.arrives("alice", d.request("tools/call", CALL, 2), ago=-61)
    for number, ago in ((3, 60), (4, -60)):
        event = s.arrives("alice", d.request("tools/call", CALL, number), ago=ago)
        s.delivers(rpc("tools/call", CALL, ANY_ID))
        s.says(result(id_of(s.now), RESULT))
        s.publishes(d.response(event, number, RESULT))
    return s.case()


def unordered(d: Dialect, req: str = "") -> Case:
    s = start(d, "unordered", "Requests are served whatever the order of their times", f"HOUSE-TIME-04 {req}", "Order")
    s.after(100)
    for number, ago in ((1, 0), (2, 40), (3, -20)):
        event = s.arrives("alice", d.request("tools/call", CALL, number), ago=ago)
        s.delivers(rpc("tools/call", CALL, ANY_ID))
        s.says(result(id_of(s.now), RESULT))
        s.publishes(d.response(event, number, RESULT))
    return s.case()


def before_start(d: Dialect, req: str = "") -> Case:
    s = start(d, "before-start", "A request from before the process started is not executed", f"HOUSE-TIME-03 {req}",
              "Time Replay")  # fmt: skip
    s.arrives("alice", d.request("tools/call", CALL, 1), ago=1)
    asked = asks(s, d, "alice", 2)
    answered(s, d, asked)
    s.after(10).restart()
    s.again(asked.event)
    lives(s, d)
    return s.case()


def state_file(d: Dialect, req: str = "") -> Case:
    from vectors.source.scripts import TIME
    from vectors.source.writing import signed_event

    form = d.request("tools/call", CALL, 1)
    done = signed_event("alice", form.kind, form.tags, text(form.content), TIME - 20).id.hex()
    s = start(d, "state-file", "With the ids already done at hand, what is older and not done is executed",
              f"HOUSE-TIME-03 {req}", "Time Replay", done=[done])  # fmt: skip
    assert s.arrives("alice", form, ago=20) == done
    event = s.arrives("alice", d.request("tools/call", CALL, 2), ago=10)
    s.delivers(rpc("tools/call", CALL, ANY_ID))
    s.says(result(id_of(1), RESULT))
    s.publishes(d.response(event, 2, RESULT))
    return s.case()


# Who may send it


def not_allowed(d: Dialect, req: str = "") -> Case:
    s = start(d, "not-allowed", "A key that is not on the list gets nothing from a server that is not announced",
              f"HOUSE-LIMIT-10 {req}", "Access", allow=[CAROL])  # fmt: skip
    s.arrives("mallory", d.request("tools/call", CALL, 3))
    s.arrives("mallory", d.initialize(INITIALIZE))
    s.arrives("mallory", d.to_server("notifications/roots/list_changed"))
    s.arrives("mallory", d.request("tools/call", CALL, 4).saying([]))
    if d.has_initialized:
        s.arrives("mallory", d.initialized())
    lives(s, d)
    s.says(rpc("notifications/tools/list_changed"))
    s.publishes(d.to_client("notifications/tools/list_changed", to=CAROL))
    return s.case()


# How much


def full_pending(d: Dialect, req: str = "") -> Case:
    s = start(d, "full-pending", "A request beyond the number that may be pending is refused", f"HOUSE-LIMIT-02 {req}",
              "Limits", limits={"pending": 2, "pending_per_key": 1})  # fmt: skip
    first = asks(s, d, "alice", 1)
    event = s.arrives("alice", d.request("tools/call", {"name": "other"}, 2))
    refused(s, d, event, 2, -32603)
    second = asks(s, d, "carol", 1)
    event = s.arrives("dave", d.request("tools/call", CALL, 1))
    refused(s, d, event, 1, -32603, to="dave")
    answered(s, d, first)
    answered(s, d, second)
    s.after(1)
    lives(s, d, "dave")
    return s.case()


def full_pending_of_a_key(d: Dialect, req: str = "") -> Case:
    s = start(d, "full-pending-key", "What is answered or cancelled makes room for one request more, and no second",
              f"HOUSE-LIMIT-02 {req}", "Limits Cancel", limits={"pending_per_key": 2})  # fmt: skip
    first, second = (asks(s, d, "alice", number, params={"name": f"tool-{number}"}) for number in (1, 2))
    answered(s, d, first)
    third = asks(s, d, "alice", 3, params={"name": "tool-3"})
    event = s.arrives("alice", d.request("tools/call", {"name": "tool-4"}, 4))
    refused(s, d, event, 4, -32603)
    s.arrives("alice", d.cancel(second.event, 2))
    s.delivers(rpc("notifications/cancelled", {"requestId": id_of(second.step)}))
    fifth = asks(s, d, "alice", 5, params={"name": "tool-5"})
    for asked in (third, fifth):
        answered(s, d, asked)
    return s.case()


def full_pending_of_the_allowed(d: Dialect, req: str = "") -> Case:
    title = "Keys on the allow-list have no more requests pending than all may have"
    s = start(d, "full-pending-allowed", title, f"HOUSE-LIMIT-02 {req}", "Limits Access", allow=[ALICE, CAROL],
              limits={"pending": 2})  # fmt: skip
    first, second = asks(s, d, "alice", 1), asks(s, d, "carol", 1)
    for number in (2, 3):
        event = s.after(1).arrives("carol", d.request("tools/call", CALL, number))
        refused(s, d, event, number, -32603, to="carol")
        answered(s, d, first)
        first = asks(s, d, "alice", number)
    answered(s, d, second)
    return s.case()


def full_sessions(d: Dialect, req: str = "") -> Case:
    title = "A new key gets a session of an idle one, never of one with work pending"
    s = start(d, "full-sessions", title, f"HOUSE-LIMIT-01 HOUSE-LIMIT-09 {req}", "Limits", limits={"sessions": 1})
    asked = asks(s, d)
    event = s.arrives("carol", d.request("tools/call", CALL, 1))
    refused(s, d, event, 1, -32603, to="carol")
    answered(s, d, asked)
    s.after(1)
    answered(s, d, asks(s, d, "carol", 2))
    s.says(rpc("notifications/tools/list_changed"))
    s.publishes(d.to_client("notifications/tools/list_changed", to=CAROL))
    return s.case()


def busy_session(d: Dialect, req: str = "") -> Case:
    title = "A session of which one of two requests is answered is not idle"
    s = start(d, "busy-session", title, f"HOUSE-LIMIT-09 {req}", "Limits", limits={"sessions": 1})
    first, second = (asks(s, d, "alice", number, params={"name": f"tool-{number}"}) for number in (1, 2))
    answered(s, d, first)
    event = s.arrives("carol", d.request("tools/call", CALL, 1))
    refused(s, d, event, 1, -32603, to="carol")
    answered(s, d, second)
    s.after(1)
    lives(s, d)
    return s.case()


def evicted_of_a_key(d: Dialect, req: str = "") -> Case:
    title = "Of a key's own sessions the longest unused makes room for its next, each time"
    s = start(d, "evicted-of-a-key", title, f"HOUSE-LIMIT-01 {req}", "Limits WhichServer",
              servers=[*TWO, mcp_server("server-3")], limits={"sessions_per_key": 2})  # fmt: skip
    for number in (1, 2, 3, 1):
        answered(s.after(1), d, asks(s, d, "alice", s.now, server_id=f"server-{number}"))
    s.says(rpc("notifications/tools/list_changed"), server="server-2")
    for server_id in ("server-1", "server-3"):
        s.says(rpc("notifications/tools/list_changed"), server=server_id)
        s.publishes(d.to_client("notifications/tools/list_changed", server_id=server_id))
    return s.case()


def full_sessions_of_a_key(d: Dialect, req: str = "") -> Case:
    title = "A key has no more sessions than it may, and takes none from others"
    s = start(d, "full-sessions-key", title, f"HOUSE-LIMIT-01 {req}", "Limits", servers=TWO,
              limits={"sessions_per_key": 1})  # fmt: skip
    asked = asks(s, d, "alice", 1)
    event = s.arrives("alice", d.request("tools/call", CALL, 2, server_id="server-2"))
    refused(s, d, event, 2, -32603)
    lives(s, d)
    answered(s, d, asked)
    s.after(1)
    answered(s, d, asks(s, d, "alice", 3, server_id="server-2"))
    s.says(rpc("notifications/tools/list_changed"))
    s.publishes(d.to_client("notifications/tools/list_changed", to=CAROL))
    return s.case()


def full_subscriptions(d: Dialect, req: str = "") -> Case:
    title = "A subscription beyond the number that a key, or all, may hold is refused"
    s = start(d, "full-subscriptions", title, f"HOUSE-LIMIT-03 {req}", "Limits",
              limits={"subscriptions": 2, "subscriptions_per_key": 1})  # fmt: skip
    for role in ("alice", "carol"):
        first = asks(s, d, role, 1, "resources/subscribe", {"uri": f"file:///{role}"})
        answered(s, d, first, {}, method="resources/subscribe")
    for role in ("alice", "dave"):
        event = s.arrives(role, d.request("resources/subscribe", {"uri": "file:///more"}, 2))
        refused(s, d, event, 2, -32603, to=role)
    lives(s, d)
    return s.case()


def reserved_room(d: Dialect, req: str = "") -> Case:
    title = "Strangers cannot use up the room of the keys on the allow-list"
    s = start(d, "reserved", title, f"HOUSE-LIMIT-10 {req}", "Limits Access", allow=[CAROL],
              limits={"seen": 4, "reserved": 2})  # fmt: skip
    for number in range(4):
        s.arrives("mallory", d.request("tools/call", {"name": f"tool-{number}"}, number))
    lives(s, d)
    return s.case()


def many_errors(d: Dialect, req: str = "") -> Case:
    s = start(d, "many-errors", "Errors beyond the rate are not sent, to one key or to all", f"HOUSE-LIMIT-06 {req}",
              "Limits", limits={"errors_per_second": 2, "errors_per_second_per_key": 1})  # fmt: skip

    def wrong(role: str, number: int) -> str:
        return s.arrives(role, d.request("tools/call", {"no name": number}, number))

    refused(s, d, wrong("alice", 1), 1, -32602)
    wrong("alice", 2)
    s.arrives("alice", d.request("tools/call", CALL, 9).saying([]))
    refused(s, d, wrong("carol", 1), 1, -32602, to="carol")
    wrong("dave", 1)
    s.after(1)
    refused(s, d, wrong("alice", 3), 3, -32602)
    lives(s, d)
    return s.case()


def silent_errors(d: Dialect, req: str = "") -> Case:
    title = "A request whose error is not sent, because of the rate, is over all the same"
    s = start(d, "silent-errors", title, f"HOUSE-LIMIT-02 HOUSE-LIMIT-06 {req}", "Limits",
              limits={"errors_per_second_per_key": 1, "pending_per_key": 1})  # fmt: skip
    event = s.arrives("alice", d.request("tools/call", {"no name": 1}, 1))
    refused(s, d, event, 1, -32602)
    s.arrives("alice", d.request("tools/call", {"no name": 2}, 2))
    answered(s, d, asks(s, d))
    return s.case()


def large_content(d: Dialect, req: str = "") -> Case:
    s = start(d, "large-content", "Content of as many characters as the limit is read, and beyond it dropped",
              f"HOUSE-LIMIT-08 {req}", "Limits", limits={"content": 1000})  # fmt: skip
    least = len(text(d.request("tools/call", {"name": ""}, 3).content))
    s.arrives("alice", d.request("tools/call", {"name": "é" * (1001 - least)}, 3))
    answered(s, d, asks(s, d, params={"name": "é" * (1000 - least)}))
    lives(s, d)
    return s.case()


def long_id(d: Dialect, req: str = "") -> Case:
    title = "A refusal that is too large with the id of its request goes without it"
    s = start(d, "long-id", title, f"HOUSE-ROUTE-12 HOUSE-LIMIT-11 {req}", "BadContent Limits", limits={"event": 2000})
    event = s.arrives("alice", d.request("tools/call", CALL, 3).saying(d.body({"id": "x" * 2000, "method": 5})))
    refused(s, d, event, None, -32600)
    lives(s, d)
    return s.case()


def large_result(d: Dialect, req: str = "") -> Case:
    s = start(d, "large-result", "A result that no relay carries is replaced by an error with size and limit",
              f"HOUSE-LIMIT-11 {req}", "Limits", limits={"event": 2000})  # fmt: skip
    asked = asks(s, d)
    s.says(result(id_of(0), {"content": [{"type": "text", "text": "x" * 2000}]}))
    s.publishes(d.error(asked.event, 3, -32603, data={"size": ANY_ID, "limit": 2000}))
    lives(s, d)
    return s.case()


def large_error(d: Dialect, req: str = "") -> Case:
    s = start(d, "large-error", "An error that no relay carries is replaced by one with size and limit",
              f"HOUSE-LIMIT-11 {req}", "Limits", limits={"event": 2000})  # fmt: skip
    asked = asks(s, d)
    s.says(failure(id_of(0), -32000, "x" * 2000))
    s.publishes(d.error(asked.event, 3, -32603, data={"size": ANY_ID, "limit": 2000}))
    asked = asks(s.after(1), d, "alice", 4)
    s.says(failure(id_of(asked.step), -32000, "failed", {"trace": "x" * 2000}))
    s.publishes(d.error(asked.event, 4, -32603, data={"size": ANY_ID, "limit": 2000}))
    lives(s, d)
    return s.case()


def large_notification(d: Dialect, req: str = "") -> Case:
    s = start(d, "large-notification", "A notification that no relay carries is dropped, and stops nothing",
              f"HOUSE-LIMIT-11 {req}", "Limits", limits={"event": 2000})  # fmt: skip
    answered(s, d, asks(s, d))
    s.says(rpc("notifications/tools/list_changed", {"_meta": {"why": "x" * 2000}}))
    lives(s, d)
    return s.case()


def refused_result(d: Dialect, req: str = "") -> Case:
    """The relays take less than the limit of `open`, and nobody but them knows how much."""
    s = start(d, "refused-result", "A result that relays refuse with a reason is replaced by an error, once",
              f"HOUSE-LIMIT-15 {req}", "Limits", limits={"pending": 1})  # fmt: skip
    asked = asks(s, d)
    answered(s, d, asked)
    published = s.now
    s.after(1).ok(published, False, "invalid: event too large")
    s.publishes(d.error(asked.event, 3, -32603, data={"size": ANY_ID}))
    s.ok(s.now, False, "invalid: event too large")
    s.ok(published, False, "invalid: event too large")
    failed = asks(s.after(1), d, "alice", 4)
    s.says(failure(id_of(failed.step), -32603, "Internal error"))
    s.publishes(d.error(failed.event, 4, -32603))
    s.ok(s.now, False, "blocked: you are not welcome here")
    lives(s, d)
    return s.case()


def unrefused_result(d: Dialect, req: str = "") -> Case:
    s = start(d, "unrefused-result", "A result that no relay refused by its own word is not replaced",
              f"HOUSE-LIMIT-16 {req}", "Limits")  # fmt: skip
    told = (False, ""), (False, "mute: no one was listening for this"), (False, "duplicate: have it"), (True, "taken")
    for number, (accepted, word) in enumerate(told):
        answered(s, d, asks(s.after(1), d, "alice", number))
        s.ok(s.now, accepted, word)
    s.ok(s.now - 1, False, "invalid: event too large")
    return s.case()


def idle_session(d: Dialect, req: str = "") -> Case:
    s = start(d, "idle", "A session that has been idle for long is forgotten", f"HOUSE-LIMIT-01 {req}", "Limits",
              timers={"session": 100})  # fmt: skip
    answered(s, d, asks(s, d))
    s.after(60)
    answered(s, d, asks(s, d, "carol"))
    s.tick(40)
    s.says(rpc("notifications/tools/list_changed"))
    s.publishes(d.to_client("notifications/tools/list_changed", to=CAROL))
    s.tick(60)
    s.says(rpc("notifications/tools/list_changed"))
    return s.case()


def idle_from_initialized(d: Dialect, req: str = "") -> Case:
    """Not in rev1, which has no initialized."""
    title = "A session of which only initialized came is kept as long as any, and no longer"
    s = start(d, "idle-initialized", title, f"HOUSE-LIMIT-01 {req}", "Limits Handshake", timers={"session": 100})
    answered(s, d, asks(s, d, "carol"))
    s.after(50).arrives("alice", d.initialized())
    s.tick(50)
    s.says(rpc("notifications/tools/list_changed"))
    s.publishes(d.to_client("notifications/tools/list_changed"))
    s.tick(50)
    s.says(rpc("notifications/tools/list_changed"))
    return s.case()
