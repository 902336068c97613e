"""Subscriptions at the client: MCP.md section 4.3, row by row."""

from __future__ import annotations

from vectors.source.dialects import Dialect
from vectors.source.mcp.play import (
    ACKNOWLEDGED,
    LISTEN,
    PROMPTS,
    RESOURCES,
    TO_ALL,
    TO_TOOLS,
    TOOLS,
    UPDATED,
    URI,
    Sub,
    Text,
    acknowledges,
    changes,
    closes,
    hears,
    last,
    listener,
    listens,
    lost,
    stamped,
    told,
)
from vectors.source.scripts import event_of, failure, rpc
from vectors.source.writing import Case

# Opening and hearing


def opened(t: Text, d: Dialect) -> Case:
    title = "A subscription delivers what was acknowledged, under the caller's id"
    rows = "N:ID-02 N:ID-04 N:ID-05 N:DATA-02 H:ID-05"
    if d.whole:
        rows = ("OPEN-01 FILT-01 FILT-03 FILT-04 FILT-05 FILT-06 ACK-01 ACK-04 ID-01 ID-02 META-01 D:OPEN-03 D:OPEN-04 "
                "D:MULTI-02 F:META-02")  # fmt: skip
    s = listener(t, d, "open", title, rows, "Basic")
    sub = listens(s, t, d, t.id, TO_ALL)
    acknowledges(s, t, d, sub, TO_ALL)
    for method in (TOOLS, PROMPTS, RESOURCES):
        changes(s, t, d, sub, method)
    changes(s, t, d, sub, UPDATED, {"uri": URI})
    return s.case()


def subset(t: Text, d: Dialect) -> Case:
    title = "Of what was requested a part may be acknowledged, and that is what is heard of"
    s = listener(t, d, "subset", title, "ACK-05 ACK-06", "Acknowledgement Filter", level="SHOULD")
    sub = listens(s, t, d, t.id, {"toolsListChanged": True, "promptsListChanged": True})
    acknowledges(s, t, d, sub, TO_TOOLS)
    changes(s, t, d, sub, TOOLS)
    return s.case()


def superset(t: Text, d: Dialect) -> Case:
    title = "Of an acknowledgement beyond the request the common part counts"
    s = listener(t, d, "superset", title, "N:ACK-03 N:DATA-03", "Acknowledgement Filter")
    asked = {"toolsListChanged": True, "resourceSubscriptions": [URI]}
    sub = listens(s, t, d, 1, asked)
    more = {"toolsListChanged": True, "promptsListChanged": True, "resourceSubscriptions": [URI, "file:///etc/passwd"]}
    acknowledges(s, t, d, sub, more, hear=asked)
    told(s, t, d, sub, PROMPTS)
    told(s, t, d, sub, UPDATED, {"uri": "file:///etc/passwd"})
    changes(s, t, d, sub, UPDATED, {"uri": URI})
    return s.case()


def acknowledged_badly(t: Text, d: Dialect) -> Case:
    title = "Of an acknowledgement what is of the wrong type counts for nothing"
    s = listener(t, d, "acknowledged-badly", title, "N:ACK-03 N:DATA-03", "Acknowledgement Filter")
    sub = listens(s, t, d, 1, {"toolsListChanged": True, "resourceSubscriptions": [URI]})
    acknowledges(s, t, d, sub, {"toolsListChanged": True, "resourceSubscriptions": 5}, hear=TO_TOOLS)
    told(s, t, d, sub, UPDATED, {"uri": URI})
    changes(s, t, d, sub)
    return s.case()


def held(t: Text, d: Dialect) -> Case:
    title = "What comes before the acknowledgement is held, and follows it in order of time"
    rows = "N:ACK-01 N:ACK-02 N:ACK-06 H:TIME-07"
    s = listener(t, d, "held", title, rows, "Order Acknowledgement")
    sub = listens(s, t, d, 1, TO_ALL)
    told(s, t, d, sub, UPDATED, {"uri": URI}, ago=1)
    told(s, t, d, sub, PROMPTS, ago=2)
    told(s, t, d, sub, TOOLS, ago=3)
    honoured = {"toolsListChanged": True, "resourceSubscriptions": [URI]}
    acknowledges(s, t, d, sub, honoured)
    hears(s, t, 1, TOOLS)
    hears(s, t, 1, UPDATED, {"uri": URI})
    return s.case()


def held_bounded(t: Text, d: Dialect) -> Case:
    title = "No more is held than the limit says"
    s = listener(t, d, "held-bounded", title, "N:ACK-01", "Limits Order", limits={"held": 2})
    uris = [f"file:///{name}" for name in "abc"]
    sub = listens(s, t, d, 1, {"resourceSubscriptions": uris})
    for uri in uris:
        told(s, t, d, sub, UPDATED, {"uri": uri})
    acknowledges(s, t, d, sub, {"resourceSubscriptions": uris})
    for uri in uris[:2]:
        hears(s, t, 1, UPDATED, {"uri": uri})
    return s.case()


def repeated(t: Text, d: Dialect) -> Case:
    title = "A repeated event is dropped, and a second acknowledgement changes nothing"
    s = listener(t, d, "repeated", title, "N:ACK-04 N:DATA-01", "Repeated Acknowledgement")
    sub = listens(s, t, d, 1, {"toolsListChanged": True, "promptsListChanged": True})
    acknowledges(s, t, d, sub, TO_TOOLS)
    told(s, t, d, sub, ACKNOWLEDGED, {"notifications": TO_TOOLS})
    s.after(1)
    told(s, t, d, sub, ACKNOWLEDGED, {"notifications": {"promptsListChanged": True}})
    told(s, t, d, sub, PROMPTS)
    changes(s, t, d, sub, TOOLS)
    told(s, t, d, sub, TOOLS)
    return s.case()


def interleaved(t: Text, d: Dialect) -> Case:
    title = "Several subscriptions at a time are told apart, whatever comes between"
    rows = "MULTI-01 ID-03 F:ACK-03"
    s = listener(t, d, "interleaved", title, rows, "Basic Order", level="MAY")
    first = listens(s, t, d, 1, TO_TOOLS)
    second = listens(s, t, d, 2, {"toolsListChanged": True, "promptsListChanged": True})
    acknowledges(s, t, d, second, {"toolsListChanged": True, "promptsListChanged": True})
    changes(s, t, d, second, TOOLS)
    acknowledges(s, t, d, first, TO_TOOLS)
    changes(s, t, d, first, TOOLS)
    changes(s, t, d, second, PROMPTS)
    closes(s, d, first)
    s.after(1)
    changes(s, t, d, second, TOOLS)
    told(s, t, d, first, TOOLS)
    return s.case()


def by_name(t: Text, d: Dialect) -> Case:
    """Where JSON-RPC ids travel."""
    title = "Messages of a subscription are known by its id, with e or without"
    s = listener(t, d, "by-name", title, "ID-03", "Ids")
    for id, filter, method, more in (
        ("a", TO_TOOLS, TOOLS, {}),
        ("b", {"resourceSubscriptions": [URI]}, UPDATED, {"uri": URI}),
    ):
        listens(s, t, d, id, filter)
        for one, params in ((ACKNOWLEDGED, {"notifications": filter}), (method, more)):
            s.signs("bob", d.to_client(one, stamped(id, params)))
            hears(s, t, id, one, params)
    return s.case()


def by_name_held(t: Text, d: Dialect) -> Case:
    """Where JSON-RPC ids travel."""
    title = "What a subscription id alone names is held, sifted and dropped like what has e"
    s = listener(t, d, "by-name-held", title, "N:ACK-01 N:ACK-02 N:DATA-03 N:LOST-05", "Ids Order")
    sub = listens(s, t, d, "a")
    s.signs("bob", d.to_client(TOOLS, stamped("a")))
    s.signs("bob", d.to_client(ACKNOWLEDGED, stamped("a", {"notifications": TO_TOOLS})))
    hears(s, t, "a", ACKNOWLEDGED, {"notifications": TO_TOOLS})
    hears(s, t, "a", TOOLS)
    s.signs("bob", d.to_client(PROMPTS, stamped("a")))
    closes(s, d, sub)
    s.after(1)
    s.signs("bob", d.to_client(TOOLS, stamped("a")))
    return s.case()


def by_name_again(t: Text, d: Dialect) -> Case:
    """Where JSON-RPC ids travel."""
    title = "An id that is used again names the subscription that is open"
    s = listener(t, d, "by-name-again", title, "N:ID-03 N:LOST-05", "Ids End")
    first = listens(s, t, d, "a")
    acknowledges(s, t, d, first)
    closes(s, d, first)
    refused = listens(s, t, d, "b")
    s.signs("bob", d.error(refused.event, "b", -32603, "no"))
    s.delivers(failure("b", -32603, "no"))
    s.after(1)
    for id in ("a", "b"):
        listens(s, t, d, id)
        for method, params in ((ACKNOWLEDGED, {"notifications": TO_TOOLS}), (TOOLS, {})):
            s.signs("bob", d.to_client(method, stamped(id, params)))
            hears(s, t, id, method, params)
    return s.case()


def stray_names(t: Text, d: Dialect) -> Case:
    title = "A notification that names no open subscription, or not that of e, is dropped"
    s = listener(t, d, "stray-names", title, "N:ID-02 N:TAG-06 N:LOST-05", "Ids")
    sub = listens(s, t, d, "a")
    acknowledges(s, t, d, sub)
    for name in ("b", 0) if d.whole else ("a", "ab" * 32):
        s.signs("bob", d.to_client(TOOLS, stamped(name)))
        told(s, t, d, sub, TOOLS, name=name)
    s.says(rpc("tools/list", {}, 9))
    s.publishes(d.request("tools/list", {}, 9))
    s.signs("bob", d.to_client(TOOLS, stamped(t.wire(d, "a", sub.event)), request=event_of(s.now)))
    changes(s, t, d, sub)
    return s.case()


def other_text(t: Text, d: Dialect, other: str) -> Case:
    title = "The version that a listen request names decides what the subscription is called"
    s = listener(t, d, "other-text", title, "N:ID-02 N:ID-03", "Ids")
    s.open["mcp_version"] = other
    sub = listens(s, t, d, 1)
    acknowledges(s, t, d, sub)
    changes(s, t, d, sub)
    return s.case()


def no_version(t: Text, d: Dialect) -> Case:
    title = "A listen request with no version, or an unknown one, is of the client's own"
    s = listener(t, d, "no-version", title, "N:ID-02 N:ID-03", "Ids")
    unknown = {**t.meta(), "io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    for id, params in enumerate(({"notifications": TO_TOOLS}, {"_meta": unknown, "notifications": TO_TOOLS})):
        s.says(rpc(LISTEN, params, id))
        s.publishes(d.request(LISTEN, params, id))
        sub = Sub(s.now, id, id)
        acknowledges(s, t, d, sub)
        changes(s, t, d, sub)
    return s.case()


def ids(t: Text, d: Dialect) -> Case:
    title = 'The ids 0, 1, "1", "", -1 and 2^53 name six subscriptions and come back'
    s = listener(t, d, "ids", title, "N:ID-02 N:ID-03" if t.strings else "ID-02", "Ids")
    subs = [listens(s, t, d, id) for id in (0, 1, "1", "", -1, 9007199254740992)]
    for sub in subs:
        acknowledges(s, t, d, sub)
    for sub in reversed(subs):
        changes(s, t, d, sub)
    return s.case()


def id_types(t: Text, d: Dialect) -> Case:
    title = 'The subscription id of request 1 is 1, and not "1"'
    if t.strings:
        title = 'The subscription id of request 1 is "1"; 1 is read as well'
    s = listener(t, d, "id-types", title, "N:TAG-06", "Ids")
    sub = listens(s, t, d, 1)
    acknowledges(s, t, d, sub)
    if t.strings:
        changes(s, t, d, sub, name=1)
        s.after(1)
        changes(s, t, d, sub, name="1")
    else:
        told(s, t, d, sub, TOOLS, name="1")
        changes(s, t, d, sub, name=1)
    return s.case()


def equal_requests(t: Text, d: Dialect) -> Case:
    title = "Equal listen requests in one second are two events, and two subscriptions"
    s = listener(t, d, "equal-requests", title, "N:OPEN-02", "Ids")
    if d.whole:
        first = listens(s, t, d, 1)
        closes(s, d, first)
        second = listens(s, t, d, 1)
        told(s, t, d, first, ACKNOWLEDGED, {"notifications": TO_TOOLS})
        acknowledges(s, t, d, second)
    else:
        first, second = listens(s, t, d, 1), listens(s, t, d, 2)
        acknowledges(s, t, d, second)
        acknowledges(s, t, d, first)
        changes(s, t, d, first)
    changes(s, t, d, second)
    return s.case()


def strangers(t: Text, d: Dialect) -> Case:
    title = "Only the server that was asked acknowledges, feeds and ends a subscription"
    s = listener(t, d, "strangers", title, "N:AUTH-01", "Author")
    sub = listens(s, t, d, "sub")
    told(s, t, d, sub, ACKNOWLEDGED, {"notifications": TO_TOOLS}, role="mallory")
    told(s, t, d, sub, TOOLS, role="mallory")
    acknowledges(s, t, d, sub)
    told(s, t, d, sub, TOOLS, role="mallory")
    s.signs("mallory", d.server_cancel(sub.event, "sub"))
    s.signs("mallory", d.error(sub.event, "sub", -32603, "over"))
    s.signs("mallory", d.response(sub.event, "sub", last("sub" if d.whole else sub.event)))
    s.after(3)
    changes(s, t, d, sub)
    return s.case()


def disagreement(t: Text, d: Dialect) -> Case:
    title = "A notification whose e and content name different subscriptions is dropped"
    s = listener(t, d, "disagreement", title, "N:TAG-05 N:TAG-06", "Ids")
    first, second = listens(s, t, d, "a"), listens(s, t, d, "b")
    acknowledges(s, t, d, first)
    acknowledges(s, t, d, second)
    told(s, t, d, first, TOOLS, name="b" if d.whole else second.event)
    changes(s, t, d, first)
    changes(s, t, d, second)
    return s.case()


def unrequested(t: Text, d: Dialect) -> Case:
    title = "What was not acknowledged is dropped; a part of a resource is let in"
    s = listener(t, d, "unrequested", title, "N:DATA-02 N:DATA-03", "Filter")
    asked = {"resourceSubscriptions": ["file:///project"]}
    sub = listens(s, t, d, 1, asked)
    acknowledges(s, t, d, sub, asked)
    told(s, t, d, sub, TOOLS)
    told(s, t, d, sub, RESOURCES)
    told(s, t, d, sub, UPDATED, {"uri": "file:///other"})
    told(s, t, d, sub, UPDATED, {"uri": "file:///project2"})
    changes(s, t, d, sub, UPDATED, {"uri": "file:///project/main.rs"})
    changes(s, t, d, sub, UPDATED, {"uri": "file:///project"})
    return s.case()


def not_its_business(t: Text, d: Dialect) -> Case:
    title = "Progress and log messages on a subscription are dropped"
    s = listener(t, d, "progress", title, "N:DATA-03", "Filter")
    sub = listens(s, t, d, 1)
    acknowledges(s, t, d, sub)
    told(s, t, d, sub, "notifications/progress", {"progressToken": 1, "progress": 1})
    told(s, t, d, sub, "notifications/message", {"level": "info", "data": "hello"})
    changes(s, t, d, sub)
    return s.case()


def extension(t: Text, d: Dialect) -> Case:
    title = "A filter member that the text does not name travels, and so does what it brings"
    s = listener(t, d, "extension", title, "N:FILT-01 N:DATA-02", "Extension")
    asked = {"toolsListChanged": True, "taskIds": ["task-1"]}
    sub = listens(s, t, d, 1, asked)
    acknowledges(s, t, d, sub, asked)
    changes(s, t, d, sub, "notifications/tasks", {"taskId": "task-1", "status": "working"})
    return s.case()


def counter(t: Text, d: Dialect) -> Case:
    title = "A counter in _meta, under a vendor's key, is no reason to drop anything"
    s = listener(t, d, "counter", title, "N:SEQ-01 N:SEQ-02", "Extension", level="MAY")
    sub = listens(s, t, d, 1)
    name = t.wire(d, 1, sub.event)
    for number, (method, more) in enumerate(((ACKNOWLEDGED, {"notifications": TO_TOOLS}), (TOOLS, {}))):
        params = stamped(name, more)
        params["_meta"] = params["_meta"] | {"example.com/seq": number * 2}
        s.signs("bob", d.to_client(method, params, request=sub.event))
        hears(s, t, 1, method, more)
    return s.case()


def other_meta(t: Text, d: Dialect) -> Case:
    title = "Of _meta the subscription id alone is exchanged; what is beside it is delivered"
    s = listener(t, d, "other-meta", title, "N:ID-02 H:ID-05", "Extension Ids")
    sub = listens(s, t, d, 1)
    acknowledges(s, t, d, sub)
    beside = {"io.modelcontextprotocol/related-task": {"taskId": "task-1"}}
    params = {"_meta": beside | stamped(t.wire(d, 1, sub.event))["_meta"]}
    s.signs("bob", d.to_client(TOOLS, params, request=sub.event))
    s.delivers(rpc(TOOLS, {"_meta": beside | stamped(t.local(1))["_meta"]}))
    return s.case()


def wrapped(t: Text, d: Dialect) -> Case:
    title = "In wraps, e is the listen request inside its wrap"
    s = listener(t, d, "wrapped", title, "N:ID-07", "Encryption", encryption="required")
    sub = listens(s, t, d, "sub", wrap=1059, first=True)
    acknowledges(s, t, d, sub)
    plain = Sub(sub.step, sub.id, sub.shared)
    told(s, t, d, plain, TOOLS)
    s.after(1)
    changes(s, t, d, sub)
    closes(s, d, sub)
    return s.case()


# Refusals


def refused(t: Text, d: Dialect) -> Case:
    title = "An error in answer to a listen request ends it and reaches the caller"
    s = listener(t, d, "refused", title, "N:OPEN-04 N:LOST-05", "Refused")
    for number, code in enumerate((-32601, -32602, -32022, -32603)):
        sub = listens(s, t, d, number)
        s.signs("bob", d.error(sub.event, number, code, "no"))
        s.delivers(failure(number, code, "no"))
        told(s, t, d, sub, ACKNOWLEDGED, {"notifications": TO_TOOLS})
        s.after(1)
    return s.case()


def refused_by_relays(t: Text, d: Dialect) -> Case:
    title = "A listen request that every relay refuses fails"
    s = listener(t, d, "refused-by-relays", title, "N:OPEN-03", "Refused")
    sub = listens(s, t, d)
    s.ok(sub.step, False, "blocked: no")
    lost(s, 1)
    return s.case()


def too_large(t: Text, d: Dialect) -> Case:
    title = "A listen request that no relay would carry fails, and its id and room are free"
    limits = {"event": 2000, "subscriptions": 1}
    s = listener(t, d, "too-large", title, "N:OPEN-03 H:LIMIT-08", "Refused Limits", limits=limits)
    s.says(rpc(LISTEN, t.params({"resourceSubscriptions": ["file:///" + "x" * 3000]}), 1))
    lost(s, 1)
    sub = listens(s, t, d, 1)
    acknowledges(s, t, d, sub)
    return s.case()


def too_many(t: Text, d: Dialect) -> Case:
    title = "A subscription beyond the client's limit fails on this side"
    s = listener(t, d, "too-many", title, "N:OPEN-04", "Limits", limits={"subscriptions": 1})
    sub = listens(s, t, d, 1)
    s.says(rpc(LISTEN, t.params(TO_TOOLS), 2))
    lost(s, 2)
    acknowledges(s, t, d, sub)
    return s.case()
