"""Servers that let in whom they should not, or are silent or loud in the wrong place."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from nostrmcp.mcp.jsonrpc import Error, Notification, Request, Result
from nostrmcp.nostr import Violation
from nostrmcp.revisions.model import Revision
from nostrmcp.session import announcing, answering, routing, server, serving
from nostrmcp.session.actions import Action
from nostrmcp.session.announcing import Announcer
from nostrmcp.session.answering import Results, Way
from nostrmcp.session.arriving import Arrival
from nostrmcp.session.limits import Budget, Rate
from nostrmcp.session.links import McpLink
from nostrmcp.session.routing import Routing
from nostrmcp.session.server import Server
from nostrmcp.session.serving import Requests
from nostrmcp.session.sessions import Session, Sessions
from nostrmcp.session.settings import McpServer
from nostrmcp.session.watching import Watches
from nostrmcp.translate import codec
from tests.zoo.sessions_layer.making import REVISIONS, SERVER, WITH_SERVER_IDS, WRAPPING, always, bug, nothing

right_request, right_received, right_servers_for = Server._request, Server._received, Routing.servers_for
right_say, right_note_form, right_route = Server.say, Server._note_form, Server._route
right_budget, right_rate, right_fault = Budget.__init__, Rate.__init__, serving.fault_in
right_refuse, right_in_place, right_in_place_of_refused = Server.refuse, server.in_place_of, server.in_place_of_refused
right_refused, right_announce_all = Results.refused, Announcer._announce_all
right_revisions_of = Routing.revisions_of


def request_refused_in_silence(one: Server, decoded: Any, arrival: Arrival, revisions: Any) -> list[Action]:
    if not one._is_allowed(arrival.event.pubkey):
        raise server._not_allowed()
    return right_request(one, decoded, arrival, revisions)


def request_refused_loudly(one: Server, decoded: Any, arrival: Arrival, revisions: Any) -> list[Action]:
    """Who is not allowed is told so by a server that nobody should know of."""
    if one._is_allowed(arrival.event.pubkey):
        return right_request(one, decoded, arrival, revisions)
    error = Error(decoded.message.id, server.UNAUTHORIZED, "Unauthorized")
    return one.refuse(arrival, revisions, decoded.message.method, error, server._not_allowed())


def received_notification_refused(one: Server, arrival: Arrival) -> list[Action]:
    """Notifications of who is not allowed are answered, though nothing answers a notification."""
    try:
        return right_received(one, arrival)
    except Violation as violation:
        if violation.error_class != "not_allowed":
            raise
        revisions = one.routing.revisions_of(arrival)
        error = Error(None, server.UNAUTHORIZED, "Unauthorized")
        return one.refuse(arrival, revisions, "", error, violation)


def servers_for_any(one: Routing, decoded: Any, revision: Revision) -> Any:
    try:
        return right_servers_for(one, decoded, revision)
    except Violation:
        return one._settings.servers[:1]


def servers_for_initialize(one: Routing, decoded: Any, revision: Revision) -> Any:
    return right_servers_for(one, decoded, revision)[:1]


def servers_only_by_s(one: Routing, decoded: Any, revision: Revision) -> Any:
    if decoded.server_id is None and revision.server_ids:
        raise Violation(routing.ErrorClass.UNKNOWN_SERVER, "event.tags", "there is no s")
    return right_servers_for(one, decoded, revision)


def servers_all(one: Routing, decoded: Any, revision: Revision) -> Any:
    """What names no server is for all of them."""
    return one._settings.servers if decoded.server_id is None else right_servers_for(one, decoded, revision)


def received_once_a_revision(one: Server, arrival: Arrival) -> list[Action]:
    """A request that fits several revisions is executed once for each."""
    revisions = one.routing.revisions_of(arrival)
    one.gate.refuse_wrong_recipient(arrival.event)
    one.gate.take(arrival.event, one.now)
    actions: list[Action] = []
    if len(revisions) == 1:
        one.gate.seen._ids.discard(arrival.event.id)
        return right_received(one, arrival)
    for revision in revisions:
        decoded = codec.decode(arrival.event, revision, server.Role.CLIENT)
        if isinstance(decoded.message, Request):
            actions += one._request(decoded, arrival, (revision,))
    return actions


def answer_in_one_kind(one: Server, exchange: Any, message: Any) -> list[Action]:
    return one.say(message, exchange.session, about=exchange, revision=exchange.revisions[0])[0]


def answer_in_every_revision(one: Server, exchange: Any, message: Any) -> list[Action]:
    said = [one.say(message, exchange.session, about=exchange, revision=each)[0] for each in exchange.revisions]
    return [action for actions in said for action in actions]


def unreadable_crashes(one: Server, arrival: Arrival, revisions: Any, violation: Violation) -> list[Action]:
    raise RuntimeError(f"cannot read it: {violation}")


def unreadable_in_silence(one: Server, arrival: Arrival, revisions: Any, violation: Violation) -> list[Action]:
    raise violation


def unreadable_with_e(one: Server, arrival: Arrival, revisions: Any, violation: Violation) -> list[Action]:
    """Whatever cannot be read is answered, and two peers that do so never stop."""
    if not one._is_allowed(arrival.event.pubkey):
        raise violation
    error = Error(None, -32600, "unreadable")
    return one.refuse(arrival, revisions, "", error, violation)


def one_code(one: Server, arrival: Arrival, revisions: Any, method: str, error: Error, violation: Violation) -> Any:
    return right_refuse(one, arrival, revisions, method, replace(error, code=-32603), violation)


def fault_only_in_params(request: Request, link: Any) -> Error | None:
    found = right_fault(request, link)
    return None if found is None or found.code == -32601 else found


def fault_only_in_method(request: Request, link: Any) -> Error | None:
    found = right_fault(request, link)
    return None if found is None or found.code == -32602 else found


def room_in_all(budget: Budget, key: bytes, more: int = 1) -> bool:
    """Only what each key holds is counted, and keys are free."""
    return budget._held.get(key, 0) + more <= budget._per_key


def room_per_key(budget: Budget, key: bytes, more: int = 1) -> bool:
    """Only the total is counted, and one key takes all of it."""
    return budget.count + more <= budget._total


def budget_without_reserve(
    budget: Budget, total: int, per_key: int, reserved: int = 0, allow: frozenset[bytes] | None = None
) -> None:
    right_budget(budget, total, per_key, 0, allow)


def make_room_by_force(sessions: Sessions, client: bytes) -> Session | None:
    """The session unused for longest makes room, whatever it waits for."""
    if sessions._budget.has_room(client):
        return None
    candidates = sessions.of_client(client) if sessions._budget.key_is_full(client) else sessions.all()
    return min(candidates, key=lambda one: one.used)


def never_make_room(sessions: Sessions, client: bytes) -> None:
    if not sessions._budget.has_room(client):
        raise Violation(routing.ErrorClass.NO_ROOM, "session", "there are too many sessions")


def rate_in_all(rate: Rate, total: int, per_key: int | None = None) -> None:
    right_rate(rate, total)


def rate_per_key(rate: Rate, total: int, per_key: int | None = None) -> None:
    right_rate(rate, total if per_key is None else 1 << 30, per_key)


def in_place_of_results_alone(message: Any, problem: Any) -> Error | None:
    return right_in_place(message, problem) if isinstance(message, Result) else None


def in_place_without_data(message: Any, problem: Any) -> Error | None:
    made = right_in_place(message, problem) if isinstance(message, Result) else None
    return None if made is None else replace(made, data=None)


def in_place_of_refused_without_data(way: Way) -> Error:
    return replace(right_in_place_of_refused(way), data=None)


def refused_also_by_silence(results: Results, event_id: bytes, accepted: bool, text: str) -> Way | None:
    return right_refused(results, event_id, accepted, text or "error: nothing was said")


def refused_again(results: Results, event_id: bytes, accepted: bool, text: str) -> Way | None:
    """What relays say of a result counts as often as they say it."""
    way = results._ways.get(event_id)
    refused = right_refused(results, event_id, accepted, text)
    if way is not None:
        results._ways[event_id] = way
    return refused


def refused_in_plain(results: Results, event_id: bytes, accepted: bool, text: str) -> Way | None:
    way = right_refused(results, event_id, accepted, text)
    return None if way is None else way._replace(wrap=None)


def announced_by_handshake_alone(one: Announcer, mcp: McpServer, link: McpLink, failure: Any) -> list[Action]:
    return [] if link.result is None else right_announce_all(one, mcp, link, failure)


def announced_as_discovered(discovered: dict[str, Any], _server: McpServer, _version: str) -> dict[str, Any]:
    return discovered


def revisions_reversed(one: Routing, arrival: Arrival) -> tuple[Revision, ...]:
    return right_revisions_of(one, arrival)[::-1]


def note_last_form(one: Server, session: Session, arrival: Arrival) -> None:
    right_note_form(one, session, arrival)
    session.wrap = arrival.wrap


def note_later_flags(one: Server, session: Session, arrival: Arrival) -> None:
    session.heard = False
    right_note_form(one, session, arrival)


def say_in_session_form(one: Server, message: Any, session: Session, *, about: Any = None, revision: Any = None) -> Any:
    """A message has the form of the session's latest request, not of the one that it is about."""
    if about is not None:
        about = SimpleNamespace(event_id=about.event_id, request=about.request, wrap=session.wrap)
    return right_say(one, message, session, about=about, revision=revision)


def say_results_wrapped(one: Server, message: Any, session: Session, *, about: Any = None, revision: Any = None) -> Any:
    """Only results are encrypted."""
    if about is not None and not isinstance(message, Result):
        about = SimpleNamespace(event_id=about.event_id, request=about.request, wrap=None)
    return right_say(one, message, session, about=about, revision=revision)


def say_unasked_in_plain(one: Server, message: Any, session: Session, **options: Any) -> Any:
    wrap, session.wrap = session.wrap, None
    try:
        return right_say(one, message, session, **options)
    finally:
        session.wrap = wrap


def say_in_answers_only(one: Server, message: Any, session: Session, *, about: Any = None, revision: Any = None) -> Any:
    """Discovery tags wait for the first answer, and are lost when something else comes first."""
    told = session.told
    if isinstance(message, Notification):
        session.told = True
    try:
        return right_say(one, message, session, about=about, revision=revision)
    finally:
        session.told = told or session.told


def route_first(first: bool) -> Any:
    def route(one: Server, client: bytes, its: Any, revision: Revision, reference: Any, **_options: Any) -> Any:
        return right_route(one, client, its, revision, reference, first=first)

    return route


def unlatched(sessions: Sessions, client: bytes) -> None:
    return None


def session_ends_but_speaks(one: Server, session: Session) -> list[Action]:
    """A session that made room is gone, but its MCP server is still heard."""
    one.sessions.remove(session)
    return []


MEMBERS = [
    bug(
        "list-ignored",
        "The list of keys that are allowed is ignored.",
        SERVER,
        (Server, "_is_allowed", always(True)),
        on=REVISIONS,
        fails="not-allowed not-allowed-announced",
    ),
    bug(
        "refused-in-silence",
        "A server that is announced does not tell who is not allowed.",
        SERVER,
        (Server, "_request", request_refused_in_silence),
        on=REVISIONS,
        fails="not-allowed-announced",
    ),
    bug(
        "refused-loudly",
        "A server that is not announced tells strangers that it is there.",
        SERVER,
        (Server, "_request", request_refused_loudly),
        on="r1 cvm",
        fails="not-allowed",
    ),
    bug(
        "notification-refused",
        "A notification of a key that is not allowed is answered.",
        SERVER,
        (Server, "_received", received_notification_refused),
        on="cvm",
        fails="not-allowed not-allowed-announced",
    ),
    bug(
        "any-server-id",
        "What names a server that is not here is answered by another, and so is what must name one and does not.",
        SERVER,
        (Routing, "servers_for", servers_for_any),
        on=WITH_SERVER_IDS,
        fails="wrong-server two-servers",
    ),
    bug(
        "first-server-initializes",
        "initialize without s is answered by one of several servers.",
        SERVER,
        (Routing, "servers_for", servers_for_initialize),
        on=WITH_SERVER_IDS,
        fails="two-servers",
    ),
    bug(
        "s-required",
        "A message without s is dropped where there is one server.",
        SERVER,
        (Routing, "servers_for", servers_only_by_s),
        on="r1 ctx",
        fails="sole-server",
    ),
    bug(
        "all-servers",
        "A request without s is executed by every server.",
        SERVER,
        (Routing, "servers_for", servers_all),
        on="r1 ctx",
        fails="two-servers",
    ),
    bug(
        "never-latched",
        "Each message is taken alone: an earlier one that settled the revision is forgotten.",
        SERVER,
        (Sessions, "latched", unlatched),
        on="r1e ctx",
        fails="latched",
    ),
    bug(
        "once-a-revision",
        "A request that fits several revisions is executed once for each.",
        SERVER,
        (Server, "_received", received_once_a_revision),
        on="r1e ctx cvm",
        fails="one-kind both-kinds",
    ),
    bug(
        "one-reply-kind",
        "A request that fits two kinds of reply gets one of them.",
        SERVER,
        (Server, "answer", answer_in_one_kind),
        on="r1e ctx",
        fails="both-kinds",
    ),
    bug(
        "reply-a-revision",
        "A request that fits two revisions of one kind of reply is answered twice.",
        SERVER,
        (Server, "answer", answer_in_every_revision),
        on="cvm",
        fails="one-kind",
    ),
    bug(
        "bad-content-crashes",
        "Content that cannot be read crashes the server.",
        SERVER,
        (Server, "_unreadable", unreadable_crashes),
        on="r1 cvm",
        fails="bad-content bad-content-e",
    ),
    bug(
        "bad-content-unanswered",
        "A request that cannot be read is met with silence.",
        SERVER,
        (Server, "_unreadable", unreadable_in_silence),
        on="r1 cvm",
        fails="bad-content",
    ),
    bug(
        "everything-answered",
        "Whatever cannot be read is answered with an error, answers and errors too.",
        SERVER,
        (Server, "_unreadable", unreadable_with_e),
        on="r1 cvm",
        fails="bad-content-e bad-notification",
    ),
    bug(
        "notifications-answered",
        "A notification that cannot be read is answered.",
        SERVER,
        (server, "seems_asked", always((True, None))),
        on="cvm",
        fails="bad-notification",
    ),
    bug(
        "one-error-code",
        "Every refusal has the same code.",
        SERVER,
        (Server, "refuse", one_code),
        on="r1 cvm",
        fails="bad-content",
    ),
    bug(
        "unknown-methods-pass",
        "A method that the server has not declared reaches it.",
        SERVER,
        (serving, "fault_in", fault_only_in_params),
        on="r1 cvm",
        fails="unknown-method",
    ),
    bug(
        "any-params-pass",
        "Params that lack what the method needs reach the MCP server.",
        SERVER,
        (serving, "fault_in", fault_only_in_method),
        on="r1 cvm",
        fails="bad-params",
    ),
    bug(
        "any-number-pending",
        "Any number of requests may be pending.",
        SERVER,
        (Requests, "refuse_overload", nothing),
        on=REVISIONS,
        fails="full-pending",
    ),
    bug(
        "any-number-of-sessions",
        "Any number of sessions is kept.",
        SERVER,
        (Sessions, "make_room", nothing),
        on="r1 cvm",
        fails="full-sessions",
    ),
    bug(
        "any-number-of-subscriptions",
        "Any number of resources may be subscribed to.",
        SERVER,
        (Watches, "has_room", always(True)),
        on="r1 cvm",
        fails="full-subscriptions",
    ),
    bug(
        "bounds-per-key-only",
        "What all keys hold together has no bound.",
        SERVER,
        (Budget, "has_room", room_in_all),
        on="r1 cvm",
        fails="full-pending full-subscriptions",
    ),
    bug(
        "bounds-in-all-only",
        "One key may hold what there is for all.",
        SERVER,
        (Budget, "has_room", room_per_key),
        on="r1 cvm",
        fails="full-pending full-memory-key full-sessions-key",
    ),
    bug(
        "nothing-reserved",
        "Strangers take the room that is reserved for keys on the list.",
        SERVER,
        (Budget, "__init__", budget_without_reserve),
        on="r1",
        fails="reserved",
    ),
    bug(
        "work-evicted",
        "A session with work pending makes room for a new key.",
        SERVER,
        (Sessions, "make_room", make_room_by_force),
        on=REVISIONS,
        fails="full-sessions",
    ),
    bug(
        "idle-never-evicted",
        "Idle sessions keep new keys out.",
        SERVER,
        (Sessions, "make_room", never_make_room),
        on="r1 cvm",
        fails="full-sessions evicted",
    ),
    bug(
        "evicted-still-heard",
        "The MCP server of a session that made room still speaks to its client.",
        SERVER,
        (Server, "end_session", session_ends_but_speaks),
        on="r1 cvm",
        fails="evicted",
    ),
    bug(
        "any-number-of-errors",
        "Any number of errors is sent in a second.",
        SERVER,
        (Server, "may_refuse", always(True)),
        on=REVISIONS,
        fails="many-errors",
    ),
    bug(
        "errors-in-all-only",
        "One key draws all the errors that may be sent.",
        SERVER,
        (Rate, "__init__", rate_in_all),
        on="r1 cvm",
        fails="many-errors",
    ),
    bug(
        "errors-per-key-only",
        "Many keys draw any number of errors.",
        SERVER,
        (Rate, "__init__", rate_per_key),
        on="r1 cvm",
        fails="many-errors",
    ),
    bug(
        "large-error-lost",
        "Who asked for what failed with an error that is too large is left to wait.",
        SERVER,
        (server, "in_place_of", in_place_of_results_alone),
        on=REVISIONS,
        fails="large-error",
    ),
    bug(
        "encryption-by-session",
        "Who encrypts with one server of a key is told things in plain by another.",
        SERVER,
        (Sessions, "unsolicited_wrap", lambda _sessions, session, _revision: session.wrap),
        on="ctx",
        fails="unsolicited-elsewhere",
    ),
    bug(
        "size-not-told",
        "Who asked for a result that is too large is not told its size.",
        SERVER,
        (server, "in_place_of", in_place_without_data),
        on="r1 cvm",
        fails="large-result",
    ),
    bug(
        "refused-result-lost",
        "Who asked for a result that relays refuse is left to wait.",
        SERVER,
        (Results, "refused", always(None)),
        on=REVISIONS,
        fails="refused-result refused-wrapped",
    ),
    bug(
        "refused-size-not-told",
        "Who asked for a result that relays refuse is not told its size.",
        SERVER,
        (server, "in_place_of_refused", in_place_of_refused_without_data),
        on="r1 cvm",
        fails="refused-result",
    ),
    bug(
        "silence-is-refusal",
        "A result that a relay has not spoken about counts as refused.",
        SERVER,
        (Results, "refused", refused_also_by_silence),
        on="r1 cvm",
        fails="unrefused-result",
    ),
    bug(
        "muted-is-refusal",
        "A result that nobody listens for counts as refused.",
        SERVER,
        (answering, "_NO_FAULT", ()),
        on="r1 cvm",
        fails="unrefused-result",
    ),
    bug(
        "refused-again",
        "A refused result is replaced as often as relays refuse it.",
        SERVER,
        (Results, "refused", refused_again),
        on="r1 cvm",
        fails="refused-result unrefused-result",
    ),
    bug(
        "refused-in-plain",
        "What replaces a wrapped result is sent in plain.",
        SERVER,
        (Results, "refused", refused_in_plain),
        on=WRAPPING,
        fails="refused-wrapped",
    ),
    bug(
        "announced-by-handshake-alone",
        "A server of an MCP version without a handshake is never announced.",
        SERVER,
        (Announcer, "_announce_all", announced_by_handshake_alone),
        on=REVISIONS,
        fails="announced-discovered",
    ),
    bug(
        "announced-as-discovered",
        "The answer to server/discover is announced as it is, which readers of announcements do not know.",
        SERVER,
        (announcing, "_as_initialized", announced_as_discovered),
        on=REVISIONS,
        fails="announced-discovered",
    ),
    bug(
        "plain-after-wrap",
        "One plain message makes all that follows plain.",
        SERVER,
        (Server, "_note_form", note_last_form),
        on=WRAPPING,
        fails="plain-after-wrap",
    ),
    bug(
        "later-flags-count",
        "A later message changes what the first said of wraps.",
        SERVER,
        (Server, "_note_form", note_later_flags),
        on="cvm",
        fails="later-flags",
    ),
    bug(
        "answer-in-session-form",
        "A plain request of a client that has encrypted is answered in a wrap.",
        SERVER,
        (Server, "say", say_in_session_form),
        on=WRAPPING,
        fails="plain-after-wrap",
    ),
    bug(
        "only-results-wrapped",
        "Progress and errors of a wrapped request are plain.",
        SERVER,
        (Server, "say", say_results_wrapped),
        on=WRAPPING,
        fails="wrapped-progress",
    ),
    bug(
        "unasked-in-plain",
        "What nobody asked for is told in plain to clients that encrypt.",
        SERVER,
        (Server, "say", say_unasked_in_plain),
        on=WRAPPING,
        fails="unsolicited",
    ),
    bug(
        "discovery-on-answers-only",
        "Discovery tags are lost where the first message is not an answer.",
        SERVER,
        (Server, "say", say_in_answers_only),
        on="cvm",
        fails="first-message-token",
    ),
    bug(
        "discovery-always",
        "Every message has discovery tags.",
        SERVER,
        (Server, "_route", route_first(True)),
        on="cvm",
        fails="first-message",
    ),
    bug(
        "least-preferred",
        "Of several revisions with one kind of reply the last one answers.",
        SERVER,
        (Routing, "revisions_of", revisions_reversed),
        on="cvm",
        fails="preferred",
    ),
    bug(
        "discovery-without-texts",
        "The first message does not say what the server is called.",
        SERVER,
        (McpServer, "texts", {}),
        on="cvm",
        fails="first-message-texts first-message-name",
    ),
    bug(
        "discovery-never",
        "Discovery tags are on the answer to initialize alone.",
        SERVER,
        (Server, "_route", route_first(False)),
        on="cvm",
        fails="first-message first-message-texts",
    ),
]
