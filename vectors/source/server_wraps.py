"""Scenarios of servers in the revisions that have encryption: what wraps hold, and what answers them."""

from __future__ import annotations

import json
from typing import Any

from vectors.source.dialects import ANY_ID, CAROL, DAVE, WRAP_TIMES, Dialect, Form
from vectors.source.scripts import INITIALIZE, INITIALIZE_RESULT, Script, id_of, mcp_server, result, rpc, text, wrapped
from vectors.source.server_play import CALL, FLAGS, RESULT, asks, greets, publishes, start
from vectors.source.writing import Case, public

WRAP = 1059


def first(d: Dialect, form: Form) -> Form:
    """A server's first message to a client, on which contextvm has its discovery tags."""
    return form.with_optional(*FLAGS) if d.name == "contextvm" else form


def responds(s: Script, d: Dialect, event: str, step: int, id: Any, wrap: int | None, to: str = "alice") -> None:
    """The MCP server answers a client's first request."""
    s.says(result(id_of(step), RESULT))
    publishes(s, d, first(d, d.response(event, id, RESULT, to=public(to))), wrap)


def works(s: Script, d: Dialect, wrap: int | None = WRAP, role: str = "carol", id: Any = "still there") -> None:
    """A call is delivered and answered in the same form."""
    asked = asks(s, d, role, id, wrap=wrap)
    responds(s, d, asked.event, asked.step, id, wrap, role)


def wrapped_call(d: Dialect, req: str = "") -> Case:
    """Which id e has is for `inner_id`."""
    s = start(d, "wrapped", "A wrapped request is answered in a wrap", f"HOUSE-ID-01 {req}", "Encryption",
              encryption="optional")  # fmt: skip
    event = s.arrives("alice", d.initialize(INITIALIZE), wrap=WRAP)
    answer = d.response(event, 0, INITIALIZE_RESULT, method="initialize").with_optional(*FLAGS[: len(d.wraps)])
    publishes(s, d, answer.with_free("e"), WRAP)
    s.arrives("alice", d.initialized(), wrap=WRAP)
    asked = asks(s, d, wrap=WRAP)
    s.says(result(id_of(asked.step), RESULT))
    publishes(s, d, first(d, d.response(asked.event, 3, RESULT)).with_free("e"), WRAP)
    return s.case()


def inner_id(d: Dialect, req: str = "") -> Case:
    """CEP-4 and seed 001 say should."""
    s = start(d, "wrapped-inner-id", "A wrapped request is answered by the id of the request inside",
              f"HOUSE-ID-01 {req}", "Encryption", encryption="optional", level="SHOULD")  # fmt: skip
    greets(s, d, wrap=WRAP)
    asked = asks(s, d, wrap=WRAP)
    responds(s, d, asked.event, asked.step, 3, WRAP)
    again = asks(s, d, "alice", 4, wrap=WRAP)
    s.says(result(id_of(again.step), RESULT))
    publishes(s, d, first(d, d.response(again.event, 4, RESULT)), WRAP)
    return s.case()


def wrap_date(d: Dialect, req: str = "") -> Case:
    assert d.wrap_time is not None
    title, own = WRAP_TIMES[d.wrap_time]
    s = start(d, "wrap-date", title, f"{own} {req}", "Encryption", encryption="optional")
    asked = asks(s, d, wrap=WRAP)
    s.says(result(id_of(asked.step), RESULT))
    s.publishes(first(d, d.response(asked.event, 3, RESULT)), wrap=WRAP, time=d.wrap_time)
    return s.case()


def optional(d: Dialect, req: str = "") -> Case:
    s = start(d, "optional", "The policy optional answers plain in plain and wraps in wraps", f"HOUSE-CRYPT-05 {req}",
              "Encryption", encryption="optional")  # fmt: skip
    works(s, d, None, "alice")
    works(s, d, WRAP, "carol")
    return s.case()


def required(d: Dialect, req: str = "") -> Case:
    s = start(d, "required", "The policy required meets what is plain with silence", f"HOUSE-CRYPT-06 {req}",
              "Encryption", encryption="required")  # fmt: skip
    s.arrives("alice", d.request("tools/call", CALL, 3))
    s.arrives("alice", d.initialize(INITIALIZE))
    works(s, d)
    return s.case()


def disabled(d: Dialect, req: str = "") -> Case:
    s = start(d, "disabled", "The policy disabled meets wraps with silence", f"HOUSE-CRYPT-06 {req}", "Encryption")
    for number, kind in enumerate(d.wraps):
        s.arrives("alice", d.request("tools/call", CALL, number), wrap=kind)
    asked = asks(s, d, "carol")
    s.says(result(id_of(asked.step), RESULT))
    s.publishes(d.response(asked.event, 3, RESULT, to=CAROL))
    return s.case()


def unsolicited(d: Dialect, req: str = "") -> Case:
    s = start(d, "unsolicited", "What nobody asked for goes wrapped to a client that encrypts, else in plain",
              f"HOUSE-CRYPT-04 {req}", "Encryption Leak", encryption="optional")  # fmt: skip
    works(s, d, WRAP, "alice")
    works(s, d, None, "carol")
    s.says(rpc("notifications/tools/list_changed"))
    publishes(s, d, d.to_client("notifications/tools/list_changed"), WRAP)
    s.publishes(d.to_client("notifications/tools/list_changed", to=CAROL))
    return s.case()


def unsolicited_elsewhere(d: Dialect, req: str = "") -> Case:
    """Only where one key may have several servers."""
    s = start(d, "unsolicited-elsewhere", "Who encrypts with one server is told nothing in plain by another of its key",
              f"HOUSE-CRYPT-04 {req}", "Encryption Leak", encryption="optional",
              servers=[mcp_server("server-1"), mcp_server("server-2")])  # fmt: skip
    asks(s, d, "alice", 1, wrap=WRAP)
    asks(s, d, "alice", 2, server_id="server-2")
    asks(s, d, "carol", 2, server_id="server-2")
    s.says(rpc("notifications/tools/list_changed"), server="server-2")
    publishes(s, d, d.to_client("notifications/tools/list_changed"), WRAP)
    s.publishes(d.to_client("notifications/tools/list_changed", to=CAROL))
    return s.case()


def wrapped_progress(d: Dialect, req: str = "") -> Case:
    s = start(d, "wrapped-progress", "Progress and errors of a wrapped request are wrapped too",
              f"HOUSE-CRYPT-04 {req}", "Encryption Leak", encryption="optional")  # fmt: skip
    works(s, d, WRAP, "alice", 1)
    asked = asks(s, d, "alice", 3, wrap=WRAP, token="t")
    note = {"progressToken": "{{token:2}}", "progress": 1, "message": "at work"}
    s.says(rpc("notifications/progress", note))
    publishes(s, d, d.progress(asked.event, 3, "t", 1, "at work"), WRAP)
    event = s.arrives("alice", d.request("tools/call", {}, 4), wrap=WRAP)
    publishes(s, d, d.error(event, 4, -32602), WRAP)
    return s.case()


def refused_result(d: Dialect, req: str = "") -> Case:
    s = start(d, "refused-wrapped", "What replaces a wrapped result that relays refuse is wrapped too",
              f"HOUSE-LIMIT-15 HOUSE-CRYPT-04 {req}", "Encryption Leak", encryption="optional")  # fmt: skip
    works(s, d, WRAP, "alice", 1)
    asked = asks(s, d, "alice", 3, wrap=WRAP)
    s.says(result(id_of(asked.step), RESULT))
    publishes(s, d, d.response(asked.event, 3, RESULT), WRAP)
    s.ok(s.now, False, "invalid: event too large")
    publishes(s, d, d.error(asked.event, 3, -32603, data={"size": ANY_ID}), WRAP)
    return s.case()


def almost_too_large(d: Dialect, req: str = "") -> Case:
    title = "A result that fits the limit until it is wrapped is replaced by an error"
    s = start(d, "almost-too-large-wrapped", title, f"HOUSE-LIMIT-11 {req}", "Encryption Limits", encryption="optional",
              limits={"event": 2000})  # fmt: skip
    works(s, d, WRAP, "alice", 1)
    asked = asks(s, d, "alice", 3, wrap=WRAP)
    s.says(result(id_of(asked.step), {"content": [{"type": "text", "text": "x" * 1000}]}))
    publishes(s, d, d.error(asked.event, 3, -32603, data={"size": ANY_ID, "limit": 2000}), WRAP)
    return s.case()


def two_wraps(d: Dialect, req: str = "") -> Case:
    s = start(d, "two-wraps", "One request in two wraps, and in plain, is executed once", f"HOUSE-ONCE-02 {req}",
              "Replay Rewrapped", encryption="optional")  # fmt: skip
    asked = asks(s, d, wrap=WRAP)
    s.step(s.steps[asked.step]["do"])
    s.again(asked.event, wrap=WRAP)
    s.again(asked.event)
    responds(s, d, asked.event, asked.step, 3, WRAP)
    s.again(asked.event, wrap=WRAP)
    return s.case()


def inner_forged(d: Dialect, req: str = "") -> Case:
    s = start(d, "inner-forged", "A wrap whose inner event is not signed by its author is dropped",
              f"HOUSE-CRYPT-01 {req}", "Forged", encryption="optional")  # fmt: skip
    true = s.signed("alice", d.request("tools/call", CALL, 3))
    s.raw(true | {"sig": "00" * 64}, wrap=WRAP)
    s.raw(true | {"pubkey": public("carol")}, wrap=WRAP)
    s.raw(true | {"content": true["content"].replace("New York", "Old York")}, wrap=WRAP)
    works(s, d)
    return s.case()


def inner_forged_copy(d: Dialect, req: str = "") -> Case:
    s = start(d, "inner-forged-copy", "A forged inner event does not keep the true one from being taken",
              f"HOUSE-ONCE-03 {req}", "Forged", encryption="optional")  # fmt: skip
    true = s.signed("alice", d.request("tools/call", CALL, 3))
    s.raw(true | {"sig": "00" * 64}, wrap=WRAP)
    s.raw(true, wrap=WRAP)
    s.delivers(rpc("tools/call", CALL, ANY_ID))
    responds(s, d, true["id"], s.now, 3, WRAP)
    return s.case()


def inner_unsigned(d: Dialect, req: str = "") -> Case:
    s = start(d, "inner-unsigned", "A wrap whose inner event has no signature is dropped", f"HOUSE-CRYPT-01 {req}",
              "Forged", encryption="optional")  # fmt: skip
    true = s.signed("alice", d.request("tools/call", CALL, 3))
    s.wrapped_text(json.dumps({name: value for name, value in true.items() if name != "sig"}), WRAP)
    s.wrapped_text(json.dumps(true | {"sig": ""}), WRAP)
    s.wrapped_text("no event at all", WRAP)
    s.wrapped_text(text(d.request("tools/call", CALL, 3).content), WRAP)
    works(s, d)
    return s.case()


def inner_kind(d: Dialect, req: str = "") -> Case:
    s = start(d, "inner-kind", "A wrap whose inner event is of a kind that is no message is dropped",
              f"HOUSE-CRYPT-02 {req}", "Rewrapped", encryption="optional")  # fmt: skip
    form = d.request("tools/call", CALL, 3)
    for kind in (1, 13, 31316, 1059, 5910):
        s.arrives("alice", Form(kind, form.tags, form.content), wrap=WRAP)
    works(s, d)
    return s.case()


def foreign_inner(d: Dialect, req: str = "") -> Case:
    s = start(d, "foreign-inner", "A request to one server that someone wraps anew for another is dropped",
              f"HOUSE-CRYPT-03 HOUSE-ROUTE-06 {req}", "Rewrapped Recipient", encryption="optional")  # fmt: skip
    form = d.request("tools/call", CALL, 3)
    s.arrives("alice", form.put("p", DAVE), wrap=WRAP)
    s.arrives("alice", form.with_tags(["p", DAVE]), wrap=WRAP)
    s.arrives("alice", form.without("p"), wrap=WRAP)
    works(s, d)
    return s.case()


def not_ours(d: Dialect, req: str = "") -> Case:
    title = "A wrap that cannot be opened, or whose own signature is forged, is dropped"
    s = start(d, "not-ours", title, f"HOUSE-CRYPT-01 {req}", "Forged", encryption="optional")
    s.arrives("alice", d.request("tools/call", CALL, 3), wrap=WRAP, to=DAVE)
    true = s.signed("alice", d.request("tools/call", CALL, 4))
    wrap = wrapped(true, public("bob"), WRAP, s.unix, "not-ours")
    s.raw(wrap | {"sig": "00" * 64})
    s.raw(wrap | {"content": wrap["content"][:-4] + "AAAA"})
    works(s, d)
    return s.case()


def stale_inner(d: Dialect, req: str = "") -> Case:
    s = start(d, "stale-inner", "The time inside decides: an old request in a new wrap is dropped",
              f"HOUSE-TIME-01 HOUSE-TIME-03 {req}", "Time Rewrapped", encryption="optional")  # fmt: skip
    s.arrives("alice", d.request("tools/call", CALL, 1), wrap=WRAP, ago=1)
    s.after(300).arrives("alice", d.request("tools/call", CALL, 2), wrap=WRAP, ago=61)
    event = s.arrives("alice", d.request("tools/call", CALL, 3), wrap=WRAP, wrap_ago=170_000)
    s.delivers(rpc("tools/call", CALL, ANY_ID))
    responds(s, d, event, s.now, 3, WRAP)
    return s.case()


def many_wraps(d: Dialect, req: str = "") -> Case:
    s = start(d, "many-wraps", "Wraps beyond the rate are not opened", f"HOUSE-LIMIT-05 {req}", "Limits",
              encryption="optional", limits={"unwraps_per_second": 1})  # fmt: skip
    works(s, d, WRAP, "alice", 1)
    s.arrives("carol", d.request("tools/call", CALL, 2), wrap=WRAP)
    s.after(1)
    works(s, d, WRAP, "carol", 3)
    return s.case()


def wrapped_initialize(d: Dialect, req: str = "") -> Case:
    s = start(d, "wrapped-initialize", "A wrapped initialize is answered in a wrap that says encryption is supported",
              f"HOUSE-CRYPT-05 {req}", "Encryption Handshake", encryption="optional")  # fmt: skip
    event = s.arrives("alice", d.initialize(INITIALIZE), wrap=WRAP)
    flags = FLAGS[: len(d.wraps)]
    publishes(s, d, d.response(event, 0, INITIALIZE_RESULT, method="initialize").with_tags(*flags), WRAP)
    plain = s.arrives("carol", d.initialize(INITIALIZE))
    s.publishes(d.response(plain, 0, INITIALIZE_RESULT, method="initialize", to=CAROL).with_tags(*flags))
    return s.case()


def wrapped_initialized(d: Dialect, req: str = "") -> Case:
    title = "Who has only sent initialized, in a wrap, is told in wraps what nobody asked for"
    s = start(d, "wrapped-initialized", title, f"HOUSE-CRYPT-04 {req}", "Encryption Leak", encryption="optional")
    s.arrives("alice", d.initialized(), wrap=WRAP)
    s.says(rpc("notifications/tools/list_changed"))
    publishes(s, d, first(d, d.to_client("notifications/tools/list_changed")), WRAP)
    return s.case()


def plain_after_wrap(d: Dialect, req: str = "") -> Case:
    title = "A plain request of a client that has encrypted does not make the rest plain"
    s = start(d, "plain-after-wrap", title, f"HOUSE-CRYPT-04 {req}", "Encryption Leak", encryption="optional")
    works(s, d, WRAP, "alice", 1)
    asked = asks(s, d, "alice", 2)
    s.says(result(id_of(asked.step), RESULT))
    s.publishes(d.response(asked.event, 2, RESULT))
    s.says(rpc("notifications/tools/list_changed"))
    publishes(s, d, d.to_client("notifications/tools/list_changed"), WRAP)
    return s.case()


def other_wrap(d: Dialect, req: str = "") -> Case:
    s = start(d, "other-wrap", "A wrap of a kind that the revision does not have is dropped", f"HOUSE-CRYPT-02 {req}",
              "Encryption", encryption="optional")  # fmt: skip
    s.arrives("alice", d.request("tools/call", CALL, 3), wrap=21059)
    works(s, d)
    return s.case()
