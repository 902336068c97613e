"""Scenarios of servers whose MCP server asks a client: sampling, roots, elicitation, pings."""

from __future__ import annotations

from typing import Any

from vectors.source.dialects import ANY_ID, ANY_TEXT, CAROL, CONTEXTVM, Dialect
from vectors.source.scripts import (
    INITIALIZE,
    INITIALIZE_RESULT,
    Script,
    event_of,
    failure,
    id_of,
    mcp_server,
    result,
    rpc,
    token_of,
)
from vectors.source.server_basics import INITIALIZED
from vectors.source.server_handshake import hub_initialize
from vectors.source.server_play import CALL, answered, asks, publishes, start
from vectors.source.writing import Case

OWN = [mcp_server(shared=False)]
SAMPLE = {"messages": [{"role": "user", "content": {"type": "text", "text": "Hello"}}], "maxTokens": 100}
SAMPLED = {"role": "assistant", "content": {"type": "text", "text": "Hello yourself"}, "model": "a-model"}
ROOTS = {"roots": [{"uri": "file:///home/alice"}]}


def greeted(s: Script, d: Dialect, capabilities: dict[str, Any] | None = None, wrap: int | None = None) -> None:
    """Alice initializes an MCP server of her own."""
    params = INITIALIZE | {"protocolVersion": d.mcp_version}
    if capabilities is not None:
        params |= {"capabilities": capabilities}
    answer = INITIALIZE_RESULT | {"protocolVersion": d.mcp_version}
    event = s.arrives("alice", d.initialize(params), wrap=wrap)
    s.delivers(rpc("initialize", params, ANY_ID), client="alice")
    s.says(result(id_of(s.now), answer), client="alice")
    form = d.response(event, 0, answer, method="initialize")
    flags = [["support_encryption"], ["support_encryption_ephemeral"]][: len(d.wraps)] if wrap else []
    publishes(s, d, form.with_tags(*flags), wrap)
    if d.has_initialized:
        s.arrives("alice", d.initialized(), wrap=wrap)
    s.delivers(INITIALIZED, client="alice")


def sampling(d: Dialect, req: str = "") -> Case:
    s = start(d, "sampling", "A request of a client's own MCP server is published, and the answer passed back",
              f"HOUSE-ID-02 HOUSE-ID-07 {req}", "ServerRequest", servers=OWN)  # fmt: skip
    greeted(s, d)
    asked = s.says(rpc("sampling/createMessage", SAMPLE, "s-1"), client="alice")
    s.publishes(d.server_request("sampling/createMessage", SAMPLE, ANY_ID))
    roots = s.says(rpc("roots/list", None, 0), client="alice")
    s.publishes(d.server_request("roots/list", None, ANY_ID))
    s.signs("alice", d.answer(event_of(roots), id_of(roots), ROOTS))
    s.delivers(result(0, ROOTS), client="alice")
    s.signs("alice", d.answer(event_of(asked), id_of(asked), SAMPLED))
    s.delivers(result("s-1", SAMPLED), client="alice")
    return s.case()


def sampling_refused(d: Dialect, req: str = "") -> Case:
    s = start(d, "sampling-refused", "An error of a client reaches the MCP server that asked", f"HOUSE-ID-02 {req}",
              "ServerRequest", servers=OWN)  # fmt: skip
    greeted(s, d)
    asked = s.says(rpc("sampling/createMessage", SAMPLE, 5), client="alice")
    s.publishes(d.server_request("sampling/createMessage", SAMPLE, ANY_ID))
    s.signs("alice", d.refusal(event_of(asked), id_of(asked), -1, "User rejected sampling request"))
    s.delivers(failure(5, -1, "User rejected sampling request"), client="alice")
    return s.case()


def elicitation(d: Dialect, req: str = "") -> Case:
    assert d is CONTEXTVM, "elicitation is younger than the MCP version of the seeds"
    form = {"message": "Your name?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}
    s = start(d, "elicitation", "An elicitation is published, and the user's answer passed back", f"HOUSE-ID-02 {req}",
              "ServerRequest", servers=OWN)  # fmt: skip
    greeted(s, d, {"elicitation": {}})
    asked = s.says(rpc("elicitation/create", form, 1), client="alice")
    s.publishes(d.server_request("elicitation/create", form, ANY_ID))
    answer = {"action": "accept", "content": {"name": "Alice"}}
    s.signs("alice", d.answer(event_of(asked), id_of(asked), answer))
    s.delivers(result(1, answer), client="alice")
    return s.case()


def ping(d: Dialect, req: str = "") -> Case:
    s = start(d, "server-ping", "A ping of a client's own MCP server is published, and the pong passed back",
              f"HOUSE-ID-02 {req}", "ServerRequest", servers=OWN)  # fmt: skip
    greeted(s, d)
    asked = s.says(rpc("ping", None, 9), client="alice")
    s.publishes(d.server_request("ping", None, ANY_ID))
    s.signs("alice", d.answer(event_of(asked), id_of(asked) if d.whole else 0, {}))
    s.delivers(result(9, {}), client="alice")
    return s.case()


def client_progress(d: Dialect, req: str = "") -> Case:
    title = "A client's progress reaches the MCP server that asked, a stranger's does not"
    s = start(d, "client-progress", title, f"HOUSE-ID-04 HOUSE-ROUTE-03 {req}", "ServerRequest Ids", servers=OWN)
    greeted(s, d)
    asked = s.says(rpc("sampling/createMessage", SAMPLE | {"_meta": {"progressToken": "t"}}, 5), client="alice")
    s.publishes(d.server_request("sampling/createMessage", SAMPLE | {"_meta": {"progressToken": ANY_ID}}, ANY_ID))
    params = {"progressToken": token_of(asked), "progress": 1}
    form = d.to_server("notifications/progress", params, request=event_of(asked))
    s.signs("mallory", form)
    s.signs("alice", d.to_server("notifications/progress", params, request="ab" * 32))
    s.signs("alice", form)
    s.delivers(rpc("notifications/progress", {"progressToken": "t", "progress": 1}), client="alice")
    return s.case()


def withdrawn(d: Dialect, req: str = "") -> Case:
    title = "An MCP server's cancel reaches the client, and a late answer reaches nobody"
    s = start(d, "withdrawn", title, f"HOUSE-ID-03 {req}", "ServerRequest Cancel", servers=OWN)
    greeted(s, d)
    asked = s.says(rpc("ping", None, 9), client="alice")
    s.publishes(d.server_request("ping", None, ANY_ID))
    s.says(rpc("notifications/cancelled", {"requestId": 9}), client="alice")
    s.publishes(d.server_cancel(event_of(asked), id_of(asked) if d.whole else 0))
    s.signs("alice", d.answer(event_of(asked), id_of(asked) if d.whole else 0, {}))
    answered(s, d, asks(s, d, own=True))
    return s.case()


def foreign_answer(d: Dialect, req: str = "") -> Case:
    title = "An answer to a server's request counts only from the client asked, and once"
    s = start(d, "foreign-answer", title, f"HOUSE-ROUTE-03 HOUSE-ROUTE-07 {req}", "ServerRequest Forged", servers=OWN)
    greeted(s, d)
    asked = s.says(rpc("ping", None, 9), client="alice")
    s.publishes(d.server_request("ping", None, ANY_ID))
    id = id_of(asked) if d.whole else 0
    answer = d.answer(event_of(asked), id, {})
    s.signs("mallory", answer)
    s.signs("alice", d.answer("00" * 32, id, {}))
    s.signs("alice", answer.without("p"))
    s.delivers(result(9, {}), client="alice")
    s.after(1).signs("alice", answer)
    return s.case()


def no_answer(d: Dialect, req: str = "") -> Case:
    s = start(d, "no-answer", "A client that does not answer in time fails the MCP server's request",
              f"HOUSE-ROUTE-07 {req}", "ServerRequest", servers=OWN, timers={"answer": 15})  # fmt: skip
    greeted(s, d)
    asked = s.says(rpc("ping", None, 9), client="alice")
    s.publishes(d.server_request("ping", None, ANY_ID))
    s.tick(14)
    s.tick(1)
    s.delivers(failure(9, -32603, ANY_TEXT), client="alice")
    s.signs("alice", d.answer(event_of(asked), id_of(asked) if d.whole else 0, {}))
    answered(s, d, asks(s, d, own=True))
    return s.case()


def keeps_session(d: Dialect, req: str = "") -> Case:
    title = "A session whose client is being asked is not idle, and with the answer it is"
    s = start(d, "asking-session", title, f"HOUSE-LIMIT-09 {req}", "ServerRequest Limits", servers=OWN,
              limits={"sessions": 1}, timers={"answer": 15})  # fmt: skip
    greeted(s, d)
    asked = s.says(rpc("ping", None, 9), client="alice")
    s.publishes(d.server_request("ping", None, ANY_ID))
    event = s.arrives("carol", d.request("tools/call", CALL, 1))
    s.publishes(d.error(event, 1, -32603, to=CAROL))
    s.signs("alice", d.answer(event_of(asked), id_of(asked) if d.whole else 0, {}))
    s.delivers(result(9, {}), client="alice")
    s.tick(15)
    s.arrives("carol", d.request("tools/call", CALL, 2))
    s.delivers(hub_initialize(d), client="carol")
    return s.case()


def too_large(d: Dialect, req: str = "") -> Case:
    s = start(d, "large-request", "A request of an MCP server that no relay carries fails at once",
              f"HOUSE-LIMIT-11 {req}", "ServerRequest Limits", servers=OWN, limits={"event": 2000})  # fmt: skip
    greeted(s, d)
    message = {"role": "user", "content": {"type": "text", "text": "x" * 2000}}
    s.says(rpc("sampling/createMessage", SAMPLE | {"messages": [message]}, 9), client="alice")
    s.delivers(failure(9, -32603, ANY_TEXT), client="alice")
    answered(s, d, asks(s, d, own=True))
    return s.case()


def not_carried(d: Dialect, req: str = "") -> Case:
    title = "A request of an MCP server that the revision does not know is refused to it"
    s = start(d, "not-carried", title, f"HOUSE-ID-07 {req}", "ServerRequest", servers=OWN)
    greeted(s, d)
    s.says(rpc("sampling/createMessage", SAMPLE, 9), client="alice")
    s.delivers(failure(9, -32601, ANY_TEXT), client="alice")
    answered(s, d, asks(s, d, own=True))
    return s.case()


def wrapped_sampling(d: Dialect, req: str = "") -> Case:
    s = start(d, "wrapped-sampling", "A request to a client that encrypts is wrapped", f"HOUSE-CRYPT-04 {req}",
              "ServerRequest Encryption", servers=OWN, encryption="optional")  # fmt: skip
    greeted(s, d, wrap=1059)
    asked = s.says(rpc("sampling/createMessage", SAMPLE, "s-1"), client="alice")
    publishes(s, d, d.server_request("sampling/createMessage", SAMPLE, ANY_ID), 1059)
    s.signs("mallory", d.answer(event_of(asked), id_of(asked), SAMPLED), wrap=1059)
    s.signs("alice", d.answer(event_of(asked), id_of(asked), SAMPLED), wrap=1059)
    s.delivers(result("s-1", SAMPLED), client="alice")
    return s.case()


def roots_changed(d: Dialect, req: str = "") -> Case:
    s = start(d, "roots-changed", "A client's notification reaches its own MCP server, and a stranger's does not",
              f"HOUSE-ID-06 {req}", "Basic Leak", servers=OWN)  # fmt: skip
    greeted(s, d)
    s.arrives("mallory", d.to_server("notifications/roots/list_changed"))
    s.arrives("alice", d.to_server("notifications/roots/list_changed"))
    s.delivers(rpc("notifications/roots/list_changed"), client="alice")
    return s.case()
