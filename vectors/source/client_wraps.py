"""Scenarios of clients that encrypt: what is wrapped, what is opened, and that nobody is led back to plain text."""

from __future__ import annotations

from typing import Any

from vectors.source.client_play import (
    CALL,
    CHANGED,
    FLAGS,
    RESULT,
    STRANGE,
    answer,
    answer_form,
    answered,
    asks,
    cancels,
    fails,
    lives,
    publishes,
    start,
)
from vectors.source.dialects import CAROL, WRAP_TIMES, Dialect
from vectors.source.scripts import INITIALIZE, INITIALIZE_RESULT, event_of, result, rpc, text
from vectors.source.writing import Case

WRAP, EPHEMERAL_WRAP = 1059, 21059
DAY = 24 * 60 * 60


def encrypted(d: Dialect, req: str = "") -> Case:
    title = "Where encryption is optional every message is wrapped from the first one on"
    s = start(d, "encrypted", title, f"HOUSE-CRYPT-05 {req}", "Encryption", encryption="optional")
    asked = asks(s, d, 0, "initialize", INITIALIZE, wrap=WRAP, first=True)
    answered(s, d, asked, INITIALIZE_RESULT)
    s.says(rpc("notifications/initialized"))
    publishes(s, d, d.initialized(), WRAP)
    called = asks(s, d, wrap=WRAP)
    s.says(rpc("notifications/cancelled", {"requestId": 3}))
    cancels(s, d, called)
    lives(s, d, WRAP)
    return s.case()


def wrap_date(d: Dialect, req: str = "") -> Case:
    assert d.wrap_time is not None
    title, own = WRAP_TIMES[d.wrap_time]
    s = start(d, "wrap-date", title, f"{own} {req}", "Encryption", encryption="optional")
    s.says(rpc("tools/call", CALL, 3))
    form = d.request("tools/call", CALL, 3)
    s.publishes(form.with_optional(*FLAGS) if d.name == "contextvm" else form, wrap=WRAP, time=d.wrap_time)
    return s.case()


def required(d: Dialect, req: str = "") -> Case:
    title = "Where encryption is required everything is wrapped, and nothing plain counts"
    s = start(d, "required", title, f"HOUSE-CRYPT-05 {req}", "Encryption Downgrade", encryption="required")
    asked = asks(s, d, wrap=WRAP, first=True)
    s.signs("bob", answer_form(d, asked))
    s.arrives("bob", d.to_client(CHANGED))
    s.arrives("bob", d.server_request("ping", None, 7))
    answered(s, d, asked)
    s.arrives("bob", d.to_client("notifications/prompts/list_changed"), wrap=WRAP)
    s.delivers(rpc("notifications/prompts/list_changed"))
    return s.case()


def required_never_plain(d: Dialect, req: str = "") -> Case:
    title = "Where encryption is required, silence is no reason for plain text"
    changes: dict[str, Any] = {"encryption": "required", "allow_plain": True}
    s = start(d, "required-never-plain", title, f"HOUSE-CRYPT-06 {req}", "Downgrade", **changes)
    asked = asks(s, d, wrap=WRAP, first=True)
    s.tick(61)
    cancels(s, d, asked)
    fails(s, asked)
    asks(s, d, 4, wrap=WRAP)
    return s.case()


def disabled(d: Dialect, req: str = "") -> Case:
    title = "Where encryption is disabled nothing is wrapped, and no wrap is opened"
    s = start(d, "disabled", title, f"HOUSE-CRYPT-02 {req}", "Encryption")
    asked = asks(s, d)
    s.signs("bob", answer_form(d, asked), wrap=WRAP)
    s.arrives("bob", d.to_client(CHANGED), wrap=WRAP)
    answered(s, d, asked)
    return s.case()


def not_told(d: Dialect, req: str = "") -> Case:
    title = "Without leave a client does not fall back to plain text"
    s = start(d, "not-told-to-fall-back", title, f"HOUSE-CRYPT-06 {req}", "Downgrade", encryption="optional")
    asked = asks(s, d, wrap=WRAP, first=True)
    s.tick(61)
    cancels(s, d, asked)
    fails(s, asked)
    asks(s, d, 4, wrap=WRAP)
    return s.case()


def falls_back(d: Dialect, req: str = "") -> Case:
    title = "With leave, a client whose first wraps got no answer goes on in plain text"
    changes: dict[str, Any] = {"encryption": "optional", "allow_plain": True}
    s = start(d, "falls-back", title, f"HOUSE-CRYPT-06 {req}", "Downgrade", **changes)
    asked = asks(s, d, wrap=WRAP, first=True)
    s.tick(61)
    cancels(s, d, asked)
    fails(s, asked)
    lives(s, d)
    return s.case()


def initialize_falls_back(d: Dialect, req: str = "") -> Case:
    title = "With leave, an initialize whose wrap got no answer is sent again in plain text"
    changes: dict[str, Any] = {"encryption": "optional", "allow_plain": True}
    s = start(d, "initialize-falls-back", title, f"HOUSE-CRYPT-06 {req}", "Downgrade Handshake", **changes)
    asks(s, d, 0, "initialize", INITIALIZE, wrap=WRAP, first=True)
    step = s.tick(61)
    publishes(s, d, d.initialize(INITIALIZE), first=True)
    s.signs("bob", d.response(event_of(step), 0, INITIALIZE_RESULT, method="initialize"))
    s.delivers(result(0, INITIALIZE_RESULT))
    lives(s, d)
    return s.case()


def initialize_again(d: Dialect, req: str = "") -> Case:
    """Only in ContextVM, where a client says at first what it reads."""
    title = "An initialize that is sent again in plain text says again what the client reads"
    changes: dict[str, Any] = {"encryption": "optional", "allow_plain": True}
    s = start(d, "initialize-again", title, f"HOUSE-CRYPT-06 {req}", "Discovery Handshake", level="SHOULD", **changes)
    s.says(rpc("initialize", INITIALIZE, 0))
    s.publishes(d.initialize(INITIALIZE).with_tags(*FLAGS), wrap=WRAP)
    s.tick(61)
    s.publishes(d.initialize(INITIALIZE).with_tags(*FLAGS))
    return s.case()


def worked_before(d: Dialect, req: str = "") -> Case:
    title = "After encryption has worked there is no way back to plain text"
    changes: dict[str, Any] = {"encryption": "optional", "allow_plain": True}
    s = start(d, "worked-before", title, f"HOUSE-CRYPT-08 {req}", "Downgrade", **changes)
    answered(s, d, asks(s, d, 1, wrap=WRAP, first=True))
    asked = asks(s, d, 2, wrap=WRAP)
    s.tick(61)
    cancels(s, d, asked)
    fails(s, asked)
    lives(s, d, WRAP)
    return s.case()


def worked_late(d: Dialect, req: str = "") -> Case:
    title = "Once a wrap of the server comes, late as it may be, plain text is over"
    changes: dict[str, Any] = {"encryption": "optional", "allow_plain": True}
    s = start(d, "worked-late", title, f"HOUSE-CRYPT-08 {req}", "Downgrade Time", **changes)
    asked = asks(s, d, wrap=WRAP, first=True)
    s.tick(61)
    cancels(s, d, asked)
    fails(s, asked)
    lives(s, d)
    answer(s, d, asked)
    lives(s, d, WRAP)
    return s.case()


def forged_inner(d: Dialect, req: str = "") -> Case:
    title = "What a wrap holds counts only if it verifies and is the server's message to us"
    req = f"HOUSE-CRYPT-01 HOUSE-CRYPT-02 HOUSE-CRYPT-03 HOUSE-ONCE-03 {req}"
    s = start(d, "forged-inner", title, req, "Encryption Forged", encryption="optional")
    form = d.to_client(CHANGED)
    good = s.signed("bob", form)
    s.raw(good | {"sig": good["sig"][:-1] + ("0" if good["sig"][-1] != "0" else "1")}, wrap=WRAP)
    s.wrapped_text(text({name: value for name, value in good.items() if name != "sig"}), WRAP)
    s.wrapped_text("not an event", WRAP)
    s.raw(s.signed("mallory", form), wrap=WRAP)
    s.raw(s.signed("bob", form.put("p", CAROL)), wrap=WRAP)
    s.raw(s.signed("bob", form.without("p")), wrap=WRAP)
    s.raw(good, wrap=WRAP)
    s.delivers(rpc(CHANGED))
    return s.case()


def other_inner_kind(d: Dialect, req: str = "") -> Case:
    title = "A wrapped event of a kind that the revision does not carry is dropped"
    s = start(d, "inner-kind", title, f"HOUSE-CRYPT-02 {req}", "Encryption", encryption="optional")
    form = d.to_client(CHANGED)
    for kind in (1, 14, 21316, 26910):
        s.raw(s.signed("bob", type(form)(kind, form.tags, form.content)), wrap=WRAP)
    s.raw(s.signed("bob", form), wrap=WRAP)
    s.delivers(rpc(CHANGED))
    return s.case()


def foreign_answer(d: Dialect, req: str = "") -> Case:
    title = "A wrapped answer counts only if the asked key signed what is inside"
    s = start(d, "wrapped-foreign-author", title, f"HOUSE-ROUTE-03 {req}", "Encryption Author", encryption="optional")
    asked = asks(s, d, wrap=WRAP, first=True)
    answer(s, d, asked, role="mallory")
    s.signs("bob", d.response(STRANGE, 3, {"content": []}), wrap=WRAP)
    answered(s, d, asked)
    return s.case()


def wrapped_twice(d: Dialect, req: str = "") -> Case:
    title = "One event in two wraps, and also in plain, is delivered once"
    s = start(d, "wrapped-twice", title, f"HOUSE-ONCE-02 {req}", "Encryption Replay", encryption="optional")
    event = s.signed("bob", d.to_client(CHANGED))
    s.raw(event, wrap=WRAP)
    s.delivers(rpc(CHANGED))
    s.raw(event, wrap=WRAP)
    s.raw(event)
    asked = asks(s, d, wrap=WRAP, first=True)
    answered(s, d, asked)
    s.after(1)
    answer(s, d, asked, ago=1)
    return s.case()


def wrap_times(d: Dialect, req: str = "") -> Case:
    title = "The time of a wrap says nothing; the event inside counts only if it is fresh"
    s = start(d, "wrap-times", title, f"HOUSE-TIME-01 {req}", "Encryption Time", encryption="optional")
    s.arrives("bob", d.to_client(CHANGED), wrap=WRAP, wrap_ago=2 * DAY)
    s.delivers(rpc(CHANGED))
    s.arrives("bob", d.to_client(CHANGED), wrap=WRAP, ago=61)
    s.arrives("bob", d.to_client(CHANGED), wrap=WRAP, ago=-61)
    return s.case()


def too_many_wraps(d: Dialect, req: str = "") -> Case:
    title = "More wraps in a second than may be opened are dropped"
    limits = {"unwraps_per_second": 2}
    s = start(d, "too-many-wraps", title, f"HOUSE-LIMIT-05 {req}", "Encryption Limits", encryption="optional",
              limits=limits)  # fmt: skip
    form = d.to_client(CHANGED)
    for ago in (3, 2):
        s.arrives("bob", form, wrap=WRAP, ago=ago)
        s.delivers(rpc(CHANGED))
    s.arrives("bob", form, wrap=WRAP, ago=1)
    s.after(5)
    s.arrives("bob", form, wrap=WRAP)
    s.delivers(rpc(CHANGED))
    return s.case()


def wrapped_ping(d: Dialect, req: str = "") -> Case:
    title = "A server's request in a wrap is answered in a wrap of the same kind"
    s = start(d, "wrapped-ping", title, f"HOUSE-ID-01 {req}", "Encryption ServerRequest", encryption="optional")
    for kind in d.wraps:
        ping = s.arrives("bob", d.server_request("ping", None, kind), wrap=kind)
        publishes(s, d, d.answer(ping, kind, {}), kind, first=kind == d.wraps[0])
    return s.case()


# Ephemeral wraps and discovery tags, in ContextVM alone


def ephemeral_announced(d: Dialect, req: str = "") -> Case:
    title = "With a server that announces ephemeral wraps, ephemeral wraps are used"
    s = start(d, "ephemeral-announced", title, f"HOUSE-CRYPT-05 {req}", "Encryption", encryption="optional",
              level="SHOULD")  # fmt: skip
    event = s.signed("bob", d.announcement(INITIALIZE_RESULT, encryption=True))
    s.open["server"] = s.open["server"] | {"announcement": event}
    answered(s, d, asks(s, d, wrap=EPHEMERAL_WRAP, first=True))
    lives(s, d, EPHEMERAL_WRAP)
    return s.case()


def ephemeral_not_ours(d: Dialect, req: str = "") -> Case:
    title = "A client without ephemeral wraps uses the other kind with everyone"
    s = start(d, "ephemeral-not-ours", title, f"HOUSE-CRYPT-05 {req}", "Encryption", encryption="optional",
              ephemeral_wraps=False)  # fmt: skip
    event = s.signed("bob", d.announcement(INITIALIZE_RESULT, encryption=True))
    s.open["server"] = s.open["server"] | {"announcement": event}
    answered(s, d, asks(s, d, wrap=WRAP, first=True))
    lives(s, d, WRAP, first=True)  # discovery tags that come again break no MUST
    return s.case()


def ephemeral_learnt(d: Dialect, req: str = "") -> Case:
    title = "Ephemeral wraps are used once the server's first message says that it reads them"
    s = start(d, "ephemeral-learnt", title, f"HOUSE-CRYPT-05 {req}", "Encryption Discovery", encryption="optional",
              level="SHOULD")  # fmt: skip
    first = asks(s, d, 1, wrap=WRAP, first=True)
    s.signs("bob", answer_form(d, first).with_tags(*FLAGS), wrap=WRAP)
    s.delivers(result(1, RESULT))
    answered(s, d, asks(s, d, 2, wrap=EPHEMERAL_WRAP))
    lives(s, d, EPHEMERAL_WRAP)
    return s.case()


def both_wraps_read(d: Dialect, req: str = "") -> Case:
    title = "Wraps of both kinds are read, whichever kind was sent"
    s = start(d, "both-wraps", title, f"HOUSE-CRYPT-01 {req}", "Encryption", encryption="optional", level="SHOULD")
    asked = asks(s, d, wrap=WRAP, first=True)
    s.signs("bob", answer_form(d, asked), wrap=EPHEMERAL_WRAP)
    s.delivers(result(3, RESULT))
    s.arrives("bob", d.to_client(CHANGED), wrap=WRAP)
    s.delivers(rpc(CHANGED))
    return s.case()


def baseline(d: Dialect, req: str = "") -> Case:
    title = "The server's first message is the baseline: later tags do not extend it"
    s = start(d, "baseline", title, f"HOUSE-CRYPT-05 {req}", "Encryption Discovery", encryption="optional",
              level="SHOULD")  # fmt: skip
    answered(s, d, asks(s, d, 1, wrap=WRAP, first=True))
    s.arrives("bob", d.to_client(CHANGED).with_tags(*FLAGS), wrap=WRAP)
    s.delivers(rpc(CHANGED))
    lives(s, d, WRAP)
    return s.case()


def prices_leave_baseline(d: Dialect, req: str = "") -> Case:
    title = "The cap tags of a list change nothing of what the first message said"
    s = start(d, "baseline-prices", title, f"HOUSE-CRYPT-05 {req}", "Encryption Discovery", encryption="optional",
              level="SHOULD")  # fmt: skip
    first = asks(s, d, 1, wrap=WRAP, first=True)
    s.signs("bob", answer_form(d, first).with_tags(*FLAGS), wrap=WRAP)
    s.delivers(result(1, RESULT))
    listed = asks(s, d, 2, "tools/list", {}, wrap=EPHEMERAL_WRAP)
    priced = answer_form(d, listed, {"tools": []}).with_tags(d.price_tag("tool", "get_weather", "100"))
    s.signs("bob", priced, wrap=EPHEMERAL_WRAP)
    s.delivers(result(2, {"tools": []}))
    lives(s, d, EPHEMERAL_WRAP)
    return s.case()


def discovery(d: Dialect, req: str = "") -> Case:
    title = "The client's first message says what it reads, whatever it is; the next does not"
    s = start(d, "discovery", title, f"HOUSE-CRYPT-05 {req}", "Discovery", encryption="optional", level="SHOULD")
    s.says(rpc("tools/list", {}, 1))
    s.publishes(d.request("tools/list", {}, 1).with_tags(*FLAGS), wrap=WRAP)
    s.says(rpc("tools/list", {}, 2))
    s.publishes(d.request("tools/list", {}, 2), wrap=WRAP)
    return s.case()
