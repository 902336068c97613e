"""Servers that confuse the requests of their clients: ids, tokens, cancels, what is whose."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from nostrmcp.mcp.jsonrpc import Error, Notification, Request, Result
from nostrmcp.session import links, serving
from nostrmcp.session.actions import Action, Deliver, Publish
from nostrmcp.session.links import INITIALIZED, McpLink
from nostrmcp.session.machine import (
    HANDSHAKE,
    Serving,
    ServingInput,
    Shake,
    ShakeEffect,
    ShakeInput,
)
from nostrmcp.session.server import Server
from nostrmcp.session.serving import Exchange, Requests
from nostrmcp.session.upstream import Upstream
from nostrmcp.session.watching import Watches
from tests.zoo.sessions_layer.making import REVISIONS, SERVER, altered, always, bug, nothing

right_call, right_cancel, right_step = McpLink.call, Requests.cancel, Requests._step
right_notification, right_under, right_finished = Upstream.notification, serving.under, Server._finished
right_answered, right_event_named, right_say = Upstream.answered, Requests._event_named, Server.say
right_initialized, right_result, right_join = McpLink.initialized, McpLink._initialized, Watches.join
right_leave, right_settle, right_request = Watches.leave, Watches.settle, Upstream.request


def call_under_own_id(link: McpLink, request: Request, answered: Any) -> tuple[int, Deliver]:
    """The client's id and token go to the MCP server as they are."""
    number, deliver = right_call(link, request, answered)
    if type(request.id) is int and request.id:
        del link.answers[number]
        link.answers[request.id] = answered
        return request.id, Deliver(request, link.link)
    return number, deliver


def call_with_own_token(link: McpLink, request: Request, answered: Any) -> tuple[int, Deliver]:
    number, _ = right_call(link, request, answered)
    return number, Deliver(replace(request, id=number), link.link)


def progress_by_token(requests: Requests, link: McpLink, notification: Notification) -> list[Action]:
    """The first request with this token gets the progress, whoever sent it."""
    token = (notification.params or {}).get("progressToken")
    found = next((one for one in requests._exchanges.values() if one.token == token), None)
    return [] if found is None else requests._step(found, ServingInput.PROGRESS, notification)


def progress_as_it_is(requests: Requests, link: McpLink, notification: Notification) -> list[Action]:
    """The number that the MCP server knows goes to the client in place of its token."""
    number = (notification.params or {}).get("progressToken")
    exchange = link.running.get(number) if type(number) is int else None
    return [] if exchange is None else requests._step(exchange, ServingInput.PROGRESS, notification)


def under_zero_as_text(answer: Result | Error, given: Any) -> Result | Error:
    return right_under(answer, "0" if given == 0 else given)


def under_number(answer: Result | Error, given: Any) -> Result | Error:
    return right_under(answer, int(given) if type(given) is str and given.isdecimal() else given)


def step_without_mapping(requests: Requests, exchange: Exchange, given: ServingInput, message: Any = None) -> Any:
    actions = right_step(requests, exchange, given, message)
    if given is not ServingInput.CANCEL:
        return actions
    renamed: list[Action] = []
    for action in actions:
        if isinstance(action, Deliver) and isinstance(action.message, Notification):
            cancel = Notification(action.message.method, {"requestId": exchange.request.id})
            action = Deliver(cancel, action.link)
        renamed.append(action)
    return renamed


def cancel_by_anyone(requests: Requests, decoded: Any, event: Any) -> list[Action]:
    exchange = requests._exchanges.get(decoded.request_event_id or b"")
    if exchange is None or exchange.request.method == "initialize":  # which nobody cancels
        return right_cancel(requests, decoded, event)
    return requests._step(exchange, ServingInput.CANCEL, decoded.message.params.get("reason"))


def cancel_any_id(requests: Requests, decoded: Any, named: Any) -> bytes | None:
    """An id is looked for among the requests of all clients."""
    found = (one.event_id for one in requests._exchanges.values() if one.request.id == named)
    return next(found, None) or right_event_named(requests, decoded, named)


def cancel_only_by_e(requests: Requests, decoded: Any, named: Any) -> bytes | None:
    return None


def cancel_of_key(requests: Requests, decoded: Any, named: Any) -> bytes | None:
    """Ids of a key at several servers are not told apart."""
    return right_event_named(requests, replace_server(decoded), named)


def replace_server(decoded: Any) -> Any:
    return decoded._replace(server_id=None) if hasattr(decoded, "_replace") else replace(decoded, server_id=None)


def finish_after_end(requests: Requests, exchange: Exchange, given: ServingInput, message: Any = None) -> Any:
    """What was cancelled is answered all the same."""
    if given is ServingInput.ANSWER and exchange.state is Serving.ENDED:
        return requests._host.answer(exchange, right_under(message, exchange.request.id))
    if given is ServingInput.CANCEL and exchange.state is Serving.RUNNING:
        answered = exchange.session.link.answers[exchange.number]
        actions = right_step(requests, exchange, given, message)
        exchange.session.link.answers[exchange.number] = answered
        return actions
    return right_step(requests, exchange, given, message)


def answer_stays(link: McpLink, message: Result | Error) -> list[Action] | None:
    """An MCP server's second answer is published like its first."""
    answered = link.answers.get(message.id) if type(message.id) is int else None
    if answered is None:
        return None
    if isinstance(answered, partial) and isinstance(answered.args[0], Exchange):
        exchange = answered.args[0]
        if exchange.state is Serving.ENDED:
            changed = right_under(message, exchange.request.id)
            return right_say(answered.func.__self__._host, changed, exchange.session, about=exchange)[0]
    return answered(message)


def updated_for_all(upstream: Upstream, link: McpLink, notification: Notification) -> list[Action]:
    told = [upstream._host.say(notification, one)[0] for one in upstream._sessions_of(link)]
    return [action for actions in told for action in actions]


def said_to_all(upstream: Upstream, link: McpLink, notification: Notification) -> list[Action]:
    """What a shared MCP server says to nobody in particular goes to everybody."""
    if link.session is None and notification.method == "notifications/message":
        return updated_for_all(upstream, link, notification)
    return right_notification(upstream, link, notification)


def changed_to_one(upstream: Upstream, link: McpLink) -> list[Any]:
    if link.session is not None:
        return [link.session]
    return [one for one in upstream._host.sessions.all() if one.link is link][:1]


def answered_by_anyone(upstream: Upstream, decoded: Any) -> list[Action]:
    asked = upstream._asked.get(decoded.request_event_id)
    if asked is None:
        return right_answered(upstream, decoded)
    upstream._end(asked)
    return [asked.session.link.deliver(replace(decoded.message, id=asked.asker.id))]


def initialized_at_once(link: McpLink) -> list[Action]:
    return [link.deliver(INITIALIZED)]


def initialized_first_kills(link: McpLink) -> list[Action]:
    if link.shake is Shake.NEW:
        raise RuntimeError("initialized before initialize")
    return right_initialized(link)


def initialized_by_result_only(link: McpLink, answer: Result | Error) -> list[Action]:
    return [] if isinstance(answer, Error) else right_result(link, answer)


def finished_with_memory(server: Any, actions: list[Action]) -> list[Action]:
    kept = server.__dict__.setdefault("kept", {})
    kept.update({one.event.id: one for one in actions if isinstance(one, Publish)})
    return right_finished(server, actions)


def published_again(server: Any, event_id: bytes, accepted: bool, text: str, now: Any) -> list[Action]:
    """What relays refuse is sent again, as it is."""
    again = server.__dict__.setdefault("kept", {}).get(event_id)
    return [] if accepted or again is None else [again]


def join_and_ask(watches: Watches, link: McpLink, uri: str, watcher: Any, client: bytes) -> bool:
    right_join(watches, link, uri, watcher, client)
    return False


def leave_and_tell(watches: Watches, link: McpLink, uri: str, watcher: Any) -> bool:
    right_leave(watches, link, uri, watcher)
    return True


def settle_whatever(watches: Watches, link: McpLink, uri: Any, watcher: Any, answer: Any) -> None:
    right_settle(watches, link, uri, watcher, Result(0, {}))


def request_to_any(upstream: Upstream, link: McpLink, request: Request) -> list[Action]:
    """A shared MCP server asks the client whose session is the oldest."""
    if link.session is None and request.method != "ping":
        return [one for session in upstream._sessions_of(link)[:1] for one in upstream._host.say(request, session)[0]]
    return right_request(upstream, link, request)


def from_any_client(upstream: Upstream, decoded: Any, session: Any) -> list[Action]:
    """A client's notification goes to a shared MCP server too."""
    link = next(iter(upstream._host.links.values())) if session is None else session.link
    return [link.deliver(decoded.message)]


MEMBERS = [
    bug(
        "ids-not-renumbered",
        "Ids of clients reach the MCP server as they are, and two clients collide.",
        SERVER,
        (McpLink, "call", call_under_own_id),
        on="r1 r1e ctx cvm",
        fails="two-clients",
    ),
    bug(
        "tokens-not-renumbered",
        "Progress tokens reach the MCP server as they are, and progress goes to the first client with the token.",
        SERVER,
        (McpLink, "call", call_with_own_token),
        (Requests, "progress", progress_by_token),
        on=REVISIONS,
        fails="two-clients",
    ),
    bug(
        "token-not-mapped-back",
        "Progress has the token that the MCP server knows, not the client's.",
        SERVER,
        (Requests, "progress", progress_as_it_is),
        on=REVISIONS,
        fails="progress no-token",
    ),
    bug(
        "zero-becomes-text",
        "The id 0 is answered as a string.",
        SERVER,
        (serving, "under", under_zero_as_text),
        on="r1 cvm",
        fails="four-ids",
    ),
    bug(
        "text-becomes-ids",
        "An id that looks like a number is answered as one.",
        SERVER,
        (serving, "under", under_number),
        on="r1 r1e ctx cvm",
        fails="four-ids",
    ),
    bug(
        "cancel-not-mapped",
        "A cancel reaches the MCP server under the client's id, which it does not know.",
        SERVER,
        (Requests, "_step", step_without_mapping),
        on=REVISIONS,
        fails="cancel",
    ),
    bug(
        "cancel-by-anyone",
        "Anyone cancels anyone's request.",
        SERVER,
        (Requests, "cancel", cancel_by_anyone),
        on=REVISIONS,
        fails="cancel-stranger",
    ),
    bug(
        "cancel-by-any-id",
        "A cancel without e stops the first request with that id, whoever sent it.",
        SERVER,
        (Requests, "_event_named", cancel_any_id),
        on="cvm",
        fails="cancel-by-id",
    ),
    bug(
        "cancel-only-by-e",
        "A cancel without e is ignored.",
        SERVER,
        (Requests, "_event_named", cancel_only_by_e),
        on="r1 r11 cvm",
        fails="cancel-by-id",
    ),
    bug(
        "cancel-of-another-session",
        "Requests of one key to two servers are not told apart.",
        SERVER,
        (Requests, "_event_named", cancel_of_key),
        on="r1 r1e",
        fails="cancel-by-id-server",
    ),
    bug(
        "cancel-before-request",
        "A cancel that overtakes its request is forgotten.",
        SERVER,
        (Requests, "refuse_cancelled", nothing),
        on=REVISIONS,
        fails="cancel-first",
    ),
    bug(
        "answer-after-cancel",
        "A request that was cancelled is answered all the same.",
        SERVER,
        (Requests, "_step", finish_after_end),
        on="r1 cvm",
        fails="cancel",
    ),
    bug(
        "answered-twice",
        "A second answer of an MCP server is published too.",
        SERVER,
        (McpLink, "answer", answer_stays),
        on="r1 cvm",
        fails="stray-answers",
    ),
    bug(
        "sent-again",
        "An answer that relays refuse is sent again, for ever.",
        SERVER,
        (Server, "_finished", finished_with_memory),
        (Server, "published", published_again),
        on="r1 cvm",
        fails="refused-by-relays",
    ),
    bug(
        "never-overdue",
        "A request that the MCP server never answers is never given up.",
        SERVER,
        (Requests, "_alarm", lambda *_: None),
        on="r1 cvm",
        fails="slow",
    ),
    bug(
        "updated-for-all",
        "An updated resource is told to every client.",
        SERVER,
        (Upstream, "_updated", updated_for_all),
        on=REVISIONS,
        fails="updated",
    ),
    bug(
        "logs-for-all",
        "What a shared MCP server logs about one client is told to all.",
        SERVER,
        (Upstream, "notification", said_to_all),
        on=REVISIONS,
        fails="shared-asks",
    ),
    bug(
        "changed-for-one",
        "A changed list is told to one client only.",
        SERVER,
        (Upstream, "_sessions_of", changed_to_one),
        on="r1 cvm",
        fails="list-changed",
    ),
    bug(
        "shared-server-asks-someone",
        "A request of a shared MCP server is put to some client.",
        SERVER,
        (Upstream, "request", request_to_any),
        on=REVISIONS,
        fails="shared-asks",
    ),
    bug(
        "any-notification-passes",
        "A client's notifications reach MCP servers that are not its own.",
        SERVER,
        (Upstream, "from_client", from_any_client),
        on="cvm",
        fails="roots-changed",
    ),
    bug(
        "answered-by-anyone",
        "Anyone answers what a client was asked.",
        SERVER,
        (Upstream, "answered", answered_by_anyone),
        on="ctx cvm",
        fails="foreign-answer",
    ),
    bug(
        "never-asked-again",
        "A client that never answers is waited for for ever.",
        SERVER,
        (Upstream, "_overdue", always([])),
        on="cvm",
        fails="no-answer",
    ),
    bug(
        "every-subscribe-passed-on",
        "Each subscription to a resource reaches a shared MCP server anew.",
        SERVER,
        (Watches, "join", join_and_ask),
        on="cvm",
        fails="updated",
    ),
    bug(
        "first-unsubscribe-passed-on",
        "The first client that unsubscribes ends it for all.",
        SERVER,
        (Watches, "leave", leave_and_tell),
        on="cvm",
        fails="updated",
    ),
    bug(
        "failed-subscribe-counts",
        "A subscription that the MCP server refused counts.",
        SERVER,
        (Watches, "settle", settle_whatever),
        on="cvm",
        fails="subscribe-fails",
    ),
    bug(
        "initialized-passed-on-early",
        "initialized reaches the MCP server before initialize does.",
        SERVER,
        (McpLink, "initialized", initialized_at_once),
        on="r1e r11 ctx cvm",
        fails="initialized-first",
    ),
    bug(
        "initialized-first-kills",
        "initialized before initialize kills the server.",
        SERVER,
        (McpLink, "initialized", initialized_first_kills),
        on="r1e r11 ctx cvm",
        fails="initialized-first",
    ),
    bug(
        "initialized-never",
        "A request before initialized reaches an MCP server that still waits for it.",
        SERVER,
        (
            links,
            "HANDSHAKE",
            altered(HANDSHAKE, {(Shake.WAITING, ShakeInput.CALL): (ShakeEffect.PASS, Shake.READY)}),
        ),
        on="r1e cvm",
        fails="initialized-missing",
    ),
    bug(
        "no-handshake-of-its-own",
        "A request without a handshake reaches an MCP server that has had none.",
        SERVER,
        (links, "HANDSHAKE", altered(HANDSHAKE, {(Shake.NEW, ShakeInput.CALL): (ShakeEffect.PASS, Shake.READY)})),
        on="r1 cvm",
        fails="no-handshake",
    ),
    bug(
        "failed-handshake-hangs",
        "When the MCP server refuses the handshake, whoever waits for it waits for ever.",
        SERVER,
        (McpLink, "_initialized", initialized_by_result_only),
        on="cvm",
        fails="handshake-fails",
    ),
]
