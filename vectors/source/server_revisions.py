"""Scenarios of servers that speak several revisions: which one a message is of, and what happens while several fit."""

from __future__ import annotations

from vectors.source.dialects import ANY_ID, CAROL, CONTEXTVM, CTXVM, EPHEMERAL, REV1, REV1_1, Dialect, Form
from vectors.source.scripts import INITIALIZE, INITIALIZE_RESULT, Script, id_of, mcp_server, result, rpc, server_open
from vectors.source.server_play import CALL, FLAGS, RESULT, answered, asks, start
from vectors.source.writing import Case, public

OWN = [mcp_server(shared=False)]


def several(d: Dialect, name: str, title: str, req: str, *others: Dialect, **changes: object) -> Script:
    open = server_open(d, *others, **changes)
    return start(d, name, title, req, "WhichRevision", open=open)


def begins_undecided(s: Script, *, own: bool = False) -> str:
    """Alice's initialize, which fits seeds 000 and 001, is answered in the kinds of both."""
    event = s.arrives("alice", EPHEMERAL.initialize(INITIALIZE))
    if own:
        s.delivers(rpc("initialize", INITIALIZE, ANY_ID), client="alice")
        s.says(result(id_of(s.now), INITIALIZE_RESULT), client="alice")
    for one in (EPHEMERAL, CTXVM):
        s.publishes(one.response(event, 0, INITIALIZE_RESULT, method="initialize"))
    return event


def both_kinds(d: Dialect, req: str = "") -> Case:
    """Seeds 000 and 001 write the same initialize; their replies are of kinds 26910 and 25910."""
    title = "An initialize that fits two revisions runs once and is answered in both kinds"
    s = several(d, "both-kinds", title, f"HOUSE-ROUTE-10 HOUSE-ONCE-01 {req}", EPHEMERAL if d is CTXVM else CTXVM,
                servers=OWN)  # fmt: skip
    s.again(begins_undecided(s, own=True))
    return s.case()


def latched(d: Dialect, req: str = "") -> Case:
    """The first message that fits one revision only settles it: from then on a doubtful one is of that revision."""
    other = EPHEMERAL if d is CTXVM else CTXVM
    title = "The first message that fits one revision settles how the key's messages are read"
    s = several(d, "latched", title, f"HOUSE-ROUTE-08 HOUSE-ROUTE-11 {req}", other)
    begins_undecided(s)
    answered(s, d, asks(s, d))
    s.says(rpc("notifications/tools/list_changed"))
    s.publishes(d.to_client("notifications/tools/list_changed"))
    again = s.after(1).arrives("alice", EPHEMERAL.initialize(INITIALIZE, 5))
    s.publishes(d.response(again, 5, INITIALIZE_RESULT, method="initialize"))
    stranger = s.arrives("carol", EPHEMERAL.initialize(INITIALIZE, 5))
    for one in (EPHEMERAL, CTXVM):
        s.publishes(one.response(stranger, 5, INITIALIZE_RESULT, method="initialize", to=CAROL))
    return s.case()


def latched_by_notification(d: Dialect, req: str = "") -> Case:
    """Seed 000 has a kind for it that 001 has not; 001 sends it without the method tag that 000 demands."""
    title = "A notification that fits one revision settles a session as a request does"
    other = EPHEMERAL if d is CTXVM else CTXVM
    s = start(d, "latched-notification", title, f"HOUSE-ROUTE-11 HOUSE-ID-07 {req}", "WhichRevision",
              open=server_open(other, d, servers=OWN, timers={"session": 100}))  # fmt: skip
    begins_undecided(s, own=True)
    s.arrives("alice", d.to_server("notifications/roots/list_changed"))
    s.delivers(rpc("notifications/initialized"), client="alice")
    s.delivers(rpc("notifications/roots/list_changed"), client="alice")
    s.says(rpc("notifications/tools/list_changed"), client="alice")
    s.publishes(d.to_client("notifications/tools/list_changed"))
    s.tick(100)
    s.says(rpc("notifications/tools/list_changed"), client="alice")
    return s.case()


def beside_undecided(d: Dialect, req: str = "") -> Case:
    """Kinds 5910 and 21316 are of one revision each among these."""
    title = "A session is settled by its own revisions alone, and once"
    s = several(d, "beside-undecided", title, f"HOUSE-ROUTE-11 HOUSE-ID-07 {req}", EPHEMERAL, REV1)
    begins_undecided(s)
    answered(s, REV1, asks(s, REV1, "alice", 1))
    s.says(rpc("notifications/tools/list_changed"))
    for one in (d, REV1):
        s.publishes(one.to_client("notifications/tools/list_changed"))
    answered(s, d, asks(s.after(1), d, "alice", 2))
    s.arrives("alice", EPHEMERAL.initialized())
    s.says(rpc("notifications/tools/list_changed"))
    for one in (d, REV1, EPHEMERAL):
        s.publishes(one.to_client("notifications/tools/list_changed"))
    return s.case()


def only_candidate(d: Dialect, req: str = "") -> Case:
    """The same initialize where only one of the two revisions is enabled."""
    title = "A message that fits two revisions is of the one that is enabled"
    s = several(d, "only-candidate", title, f"HOUSE-ROUTE-09 {req}", REV1)
    event = s.arrives("alice", EPHEMERAL.initialize(INITIALIZE))
    s.publishes(d.response(event, 0, INITIALIZE_RESULT, method="initialize"))
    answered(s, REV1, asks(s, REV1, "carol"))
    answered(s, d, asks(s, d, "alice", 7))
    return s.case()


def all_revisions(d: Dialect, req: str = "") -> Case:
    """Five clients of five revisions at one server, each served in its own."""
    title = "A server of all revisions serves each client in its own"
    others = [one for one in (REV1, EPHEMERAL, REV1_1, CTXVM, CONTEXTVM) if one is not d]
    s = several(d, "all-revisions", title, f"HOUSE-ROUTE-09 HOUSE-ID-07 {req}", *others)
    spoken = (("alice", REV1), ("carol", EPHEMERAL), ("dave", CTXVM))
    for role, one in spoken:
        answered(s, one, asks(s, one, role))
    s.says(rpc("notifications/tools/list_changed"))
    for role, one in spoken:
        s.publishes(one.to_client("notifications/tools/list_changed", to=public(role)))
    return s.case()


def two_sessions(d: Dialect, req: str = "") -> Case:
    """Kinds 5910 and 25910 leave no doubt, so one key can hold two sessions."""
    title = "One key that speaks two revisions has two sessions"
    other = REV1 if d is not REV1 else EPHEMERAL
    s = several(d, "two-sessions", title, f"HOUSE-ID-07 {req}", other)
    for one, id in ((d, 1), (other, 2)):
        answered(s, one, asks(s, one, "alice", id))
    s.says(rpc("notifications/tools/list_changed"))
    for one in (d, other):
        s.publishes(one.to_client("notifications/tools/list_changed"))
    return s.case()


def one_kind(d: Dialect, req: str = "") -> Case:
    """Without s, ctxvm-draft and contextvm write the same request and reply on the same kind."""
    title = "A request that fits two revisions of one reply kind is answered once"
    s = several(d, "one-kind", title, f"HOUSE-ROUTE-10 HOUSE-ONCE-01 {req}", CTXVM if d is CONTEXTVM else CONTEXTVM)
    event = s.arrives("alice", CONTEXTVM.request("tools/call", CALL, 3))
    s.delivers(rpc("tools/call", CALL, ANY_ID))
    s.says(result(id_of(0), RESULT))
    s.publishes(d.response(event, 3, RESULT))
    return s.case()


def preferred(d: Dialect, req: str = "") -> Case:
    """All revisions, ContextVM first. Wraps tell who answered: ContextVM dates them now, ctxvm-draft before."""
    title = "Of revisions of one reply kind the preferred one answers, till one is settled"
    req = f"HOUSE-ROUTE-08 HOUSE-ROUTE-10 HOUSE-ROUTE-11 HOUSE-ONCE-01 HOUSE-TIME-08 HOUSE-TIME-09 {req}"
    s = several(d, "preferred", title, req, REV1, EPHEMERAL, REV1_1, CTXVM, encryption="optional")

    def called(role: str, id: int, form: Form, *, answers: Dialect, is_first: bool = False) -> None:
        asked = asks(s, d, role, id, form=form, wrap=1059)
        s.says(result(id_of(asked.step), RESULT))
        answer = answers.response(asked.event, id, RESULT, to=public(role))
        assert answers.wrap_time is not None
        s.publishes(answer.with_optional(*FLAGS) if is_first else answer, wrap=1059, time=answers.wrap_time)

    called("alice", 1, CONTEXTVM.request("tools/call", CALL, 1), answers=CONTEXTVM, is_first=True)
    called("alice", 2, CTXVM.request("tools/call", CALL, 2), answers=CTXVM)
    called("alice", 3, CONTEXTVM.request("tools/call", CALL, 3), answers=CTXVM)
    flagged = CONTEXTVM.request("tools/call", CALL, 1).with_tags(["support_encryption"])
    called("carol", 1, flagged, answers=CONTEXTVM, is_first=True)
    called("carol", 2, CONTEXTVM.request("tools/call", CALL, 2), answers=CONTEXTVM)
    event = s.arrives("dave", EPHEMERAL.initialize(INITIALIZE))
    for one in (EPHEMERAL, CTXVM):
        form = one.response(event, 0, INITIALIZE_RESULT, method="initialize", to=public("dave"))
        s.publishes(form.with_optional(["support_encryption"]) if one is CTXVM else form)
    return s.case()


def wrapped(d: Dialect, req: str = "") -> Case:
    """Seed 000 has no encryption, so what comes in a wrap is none of its messages."""
    title = "A wrapped message is of a revision that has wraps, whatever else it fits"
    s = several(d, "wrapped-revision", title, f"HOUSE-ROUTE-09 {req}", EPHEMERAL, encryption="optional")
    event = s.arrives("alice", EPHEMERAL.initialize(INITIALIZE), wrap=1059)
    form = d.response(event, 0, INITIALIZE_RESULT, method="initialize").with_tags(["support_encryption"])
    s.publishes(form, wrap=1059)
    return s.case()
