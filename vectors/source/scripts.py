"""How session scripts are written: one line for what happens, the lines after it for what must follow.

    s = server(REV1_1, "r11-server-call", "A call is answered", "R11-FLOW-33", "Basic")
    call = s.arrives("alice", REV1_1.request("tools/call", CALL, 3))            # step 0; `call` is the event's id
    s.delivers(rpc("tools/call", CALL, ANY_ID))                                 # expected of step 0
    s.says({"jsonrpc": "2.0", "id": id_of(s.now), "result": RESULT})            # step 1: the MCP server answers
    s.publishes(REV1_1.response(call, 3, RESULT))                               # expected of step 1
    SUITE.group("session_server", s.case())

A step without expectations says that nothing is published, delivered or paid.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nostrmcp.nostr import PublicKey, SecretKey, nip59
from nostrmcp.nostr import event as events
from vectors.source.dialects import BOB, SERVER_ID, Dialect, Form
from vectors.source.ledger import at_most
from vectors.source.writing import AUX, Case, public, secret, secret_bytes, sha256, signed_event, to_object

TIME = 1_750_000_000

# Server Initialization Response of the seeds
INITIALIZE_RESULT = {
    "protocolVersion": "2025-03-26",
    "capabilities": {
        "logging": {},
        "prompts": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": True},
        "tools": {"listChanged": True},
        "completions": {},
    },
    "serverInfo": {"name": "ExampleServer", "version": "1.0.0"},
    "instructions": "Optional instructions for the client",
}
INITIALIZE = {
    "protocolVersion": "2025-03-26",
    "capabilities": {"roots": {"listChanged": True}, "sampling": {}},
    "clientInfo": {"name": "ExampleClient", "version": "1.0.0"},
}
SERVER_TIMERS = {
    "fresh": 60, "execution": 600, "answer": 60, "payment": 300, "acknowledgement": 5, "lease": 3600, "session": 3600,
}  # fmt: skip
SERVER_LIMITS = {
    "sessions": 100, "sessions_per_key": 8, "pending": 100, "pending_per_key": 16, "subscriptions": 100,
    "subscriptions_per_key": 8, "seen": 10000, "seen_per_key": 1000, "unwraps_per_second": 100,
    "errors_per_second": 100, "errors_per_second_per_key": 10, "content": 65536, "event": 131072, "reserved": 0,
    "held": 256, "failures": 3,
}  # fmt: skip
CLIENT_TIMERS = {
    "fresh": 60, "request": 60, "payment": 300, "ping": 0, "ping_timeout": 10, "acknowledgement": 10, "grace": 2,
    "closing": 5, "servers": 2, "reopen": 1,
}  # fmt: skip
CLIENT_LIMITS = {
    "pending": 100, "subscriptions": 16, "seen": 10000, "held": 256, "content": 65536, "event": 131072,
    "unwraps_per_second": 100, "ping_failures": 3,
}  # fmt: skip


def text(value: Any) -> str:
    """JSON as content holds it."""
    return "" if value == "" else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def rpc(method: str, params: Any = None, id: Any = None) -> dict[str, Any]:
    """A JSON-RPC request, or without an id a notification."""
    named = {} if id is None else {"id": id}
    return {"jsonrpc": "2.0", **named, "method": method} | ({} if params is None else {"params": params})


def result(id: Any, value: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": value}


def failure(id: Any, code: int, message: Any, data: Any = None) -> dict[str, Any]:
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return {"jsonrpc": "2.0", "id": id, "error": error}


def event_of(step: int) -> str:
    return f"{{{{event:{step}}}}}"


def id_of(step: int, which: int | None = None) -> str:
    """The id of the one request of a step, or of one of several."""
    return f"{{{{id:{step}}}}}" if which is None else f"{{{{id:{step}.{which}}}}}"


def token_of(step: int) -> str:
    return f"{{{{token:{step}}}}}"


def mcp_server(id: str = SERVER_ID, *, shared: bool = True, announced: bool = False, **changes: Any) -> dict[str, Any]:
    """A server in `open`; one of each session's own has no initialize_result."""
    answer = INITIALIZE_RESULT | changes if shared else None
    return {"id": id, "shared": shared, "announced": announced, "initialize_result": answer}


def server_open(*dialects: Dialect, **changes: Any) -> dict[str, Any]:
    """`open` of a server by bob. `timers` and `limits` change single ones; everything else replaces what is here."""
    timers = SERVER_TIMERS | changes.pop("timers", {})
    limits = SERVER_LIMITS | changes.pop("limits", {})
    assert timers.keys() == SERVER_TIMERS.keys() and limits.keys() == SERVER_LIMITS.keys()
    opened = {
        "key": secret_bytes("bob").hex(),
        "now": TIME,
        "revisions": [dialect.name for dialect in dialects],
        "mcp_version": dialects[0].mcp_version,
        "servers": [mcp_server()],
        "encryption": "disabled",
        "allow": None,
        "prices": [],
        "invoice": None,
        "teardown": "result",
        "done": None,
    }
    assert changes.keys() <= opened.keys(), changes
    return opened | changes | {"timers": timers, "limits": limits}


def client_open(dialect: Dialect, **changes: Any) -> dict[str, Any]:
    """`open` of a client by alice, who talks to bob."""
    timers = CLIENT_TIMERS | changes.pop("timers", {})
    limits = CLIENT_LIMITS | changes.pop("limits", {})
    assert timers.keys() == CLIENT_TIMERS.keys() and limits.keys() == CLIENT_LIMITS.keys()
    opened = {
        "key": secret_bytes("alice").hex(),
        "now": TIME,
        "revision": dialect.name,
        "mcp_version": dialect.mcp_version,
        "server": {"pubkey": BOB, "id": SERVER_ID if dialect.server_ids else None, "announcement": None},
        "handshake": True,
        "encryption": "disabled",
        "allow_plain": False,
        "ephemeral_wraps": True,
        "payments": {"pay": False, "above_price": False},
        "reopen": True,
    }
    assert changes.keys() <= opened.keys(), changes
    return opened | changes | {"timers": timers, "limits": limits}


def wrapped(event: dict[str, Any] | str, to: str, kind: int, created_at: int, seed: str) -> dict[str, Any]:
    """A wrap of an event, or of any text, by a key and with a nonce that follow from `seed`."""
    key = SecretKey(sha256(f"nostrmcp vector wrap: {seed}"))
    nonce = sha256(f"nostrmcp vector nonce: {seed}")
    recipient = PublicKey(bytes.fromhex(to))
    if isinstance(event, dict):
        inner = events.from_value(event)
        made = nip59.wrap(
            inner, recipient, kind=kind, created_at=created_at, ephemeral_key=key, nonce=nonce, aux_rand=AUX
        )
        return to_object(made)
    from nostrmcp.nostr import UnsignedEvent, nip44

    content = nip44.encrypt(event.encode(), nip44.get_conversation_key(key, recipient), nonce)
    unsigned = UnsignedEvent(key.public_key.x, created_at, kind, (("p", to),), content)
    return to_object(unsigned.sign(key, AUX))


class stated(str):
    """Requirements of documents that a scenario shows in a revision, where it demands nothing of ours."""


def shared(dialect: Dialect, scenarios: dict[Callable[..., Case], str]) -> list[Case]:
    """Scenarios for several revisions, each with the requirements of this one that it shows.

    A scenario names the rules of the house that it shows; with them it is in no score. Where all that it demands stands
    in the documents, its requirements are `stated`.
    """
    return [_as_told(scenario(dialect, str(req)), req) for scenario, req in scenarios.items()]


def _as_told(case: Case, req: str) -> Case:
    return replace(case, req=req.split()) if isinstance(req, stated) else case


class Script:
    """A script that grows step by step. `now` is the number of the latest step."""

    def __init__(
        self, op: str, id: str, title: str, req: str, open: dict[str, Any], flags: str, level: str = "MUST"
    ) -> None:
        self.op, self.id, self.title, self.req, self.flags, self.level = op, id, title, req, flags, level
        self.open = open
        self.time: float = 0
        self.steps: list[dict[str, Any]] = []
        self.expected: list[dict[str, Any]] = []
        self.events: dict[str, dict[str, Any]] = {}

    # time

    @property
    def now(self) -> int:
        return len(self.steps) - 1

    @property
    def unix(self) -> int:
        return int(self.open["now"] + self.time // 1)

    def after(self, seconds: float) -> Script:
        """What follows happens so much later."""
        self.time += seconds
        return self

    # stimuli

    def step(self, do: dict[str, Any]) -> int:
        self.steps.append({"at": self.time, "do": do})
        self.expected.append({"published": [], "delivered": []})
        return self.now

    def arrives(
        self,
        role: str,
        form: Form,
        *,
        wrap: int | None = None,
        to: str | None = None,
        ago: int = 0,
        wrap_ago: int = 0,
    ) -> str:
        """A role's event arrives, wrapped for the machine or for `to`; `ago` seconds old. Returns its (inner) id."""
        event = self.signed(role, form, ago=ago)
        assert event["id"] not in self.events, "an equal event of this second: use again()"
        self.events[event["id"]] = event
        return self.raw(event, wrap=wrap, to=to, wrap_ago=wrap_ago)

    def signed(self, role: str, form: Form, *, ago: int = 0) -> dict[str, Any]:
        """A role's event, which does not arrive yet."""
        return to_object(signed_event(role, form.kind, form.tags, text(form.content), self.unix - ago))

    def again(self, event_id: str, *, wrap: int | None = None, wrap_ago: int = 0) -> str:
        """An event that arrived before arrives once more: from another relay, or in another wrap."""
        return self.raw(self.events[event_id], wrap=wrap, wrap_ago=wrap_ago)

    def raw(self, event: dict[str, Any], *, wrap: int | None = None, to: str | None = None, wrap_ago: int = 0) -> str:
        """Any event object arrives, as it is or wrapped. Returns the id of the inner one."""
        outer = event
        if wrap is not None:
            to = to or SecretKey(bytes.fromhex(self.open["key"])).public_key.hex()
            outer = wrapped(event, to, wrap, self.unix - wrap_ago, f"{self.id} {len(self.steps)}")
        self.step({"event": copy.deepcopy(outer)})
        return str(event["id"])

    def wrapped_text(self, content: str, kind: int) -> int:
        """A wrap arrives whose plaintext is this text."""
        own = SecretKey(bytes.fromhex(self.open["key"])).public_key.hex()
        return self.step({"event": wrapped(content, own, kind, self.unix, f"{self.id} {len(self.steps)}")})

    def signs(self, role: str, form: Form, *, wrap: int | None = None, to: str | None = None, ago: int = 0) -> int:
        """As `arrives`, for an event with placeholders: the runner signs it when the step comes."""
        own = SecretKey(bytes.fromhex(self.open["key"])).public_key.hex()
        envelope = None if wrap is None else {"kind": wrap, "to": to or own, "created_at": self.unix}
        template = {
            "seckey": secret_bytes(role).hex(),
            "created_at": self.unix - ago,
            "kind": form.kind,
            "tags": form.tags,
            "content": text(form.content),
            "wrap": envelope,
        }
        return self.step({"template": template})

    def says(self, message: dict[str, Any], *, server: str = SERVER_ID, client: str | None = None) -> int:
        """The MCP side says something: an MCP server (`client` is a role, None for a shared one), or the MCP client."""
        if self.op == "session_client":
            return self.step({"message": message})
        key = None if client is None else public(client)
        return self.step({"message": message, "server": server, "client": key})

    def ok(self, step: int, accepted: bool = True, text: str = "") -> int:
        return self.step({"ok": step, "accepted": accepted, "text": text})

    def connection(self, state: str) -> int:
        return self.step({"connection": state})

    def tick(self, seconds: float = 0) -> int:
        """Time passes."""
        self.after(seconds)
        return self.step({"tick": True})

    def paid(self, step: int) -> int:
        return self.step({"paid": step})

    def unpaid(self, step: int) -> int:
        return self.step({"unpaid": step})

    def payment_sent(self, step: int) -> int:
        return self.step({"payment_sent": step})

    def payment_failed(self, step: int) -> int:
        return self.step({"payment_failed": step})

    def servers(self, params: dict[str, Any]) -> int:
        return self.step({"servers": params})

    def restart(self) -> int:
        return self.step({"restart": True})

    def stop(self) -> int:
        return self.step({"stop": True})

    # what must follow the latest step

    def publishes(self, form: Form, *, to: str | None = None, wrap: int | None = None, time: str = "any") -> int:
        """An event is published, to a role (by default to whom its p names). Returns the step."""
        named = [tag[1] for tag in form.tags if tag[0] == "p"]
        recipient = public(to) if to is not None else named[0] if named else None
        free = {name: {"$id": "any"} for name in form.free_members}
        expectation = {
            "pubkey": SecretKey(bytes.fromhex(self.open["key"])).public_key.hex(),
            "kind": form.kind,
            "tags": form.tags,
            "optional_tags": form.optional,
            "content": form.content if form.content == "" else form.content | free,
            "to": recipient,
            "wrap": None if wrap is None else {"kind": wrap, "time": time},
        }
        if form.free_tags:
            expectation["free_tags"] = list(form.free_tags)
        self.expected[-1]["published"].append(expectation)
        return self.now

    def delivers(self, message: dict[str, Any], *, server: str = SERVER_ID, client: str | None = None) -> int:
        """A message is delivered to the MCP side. Returns the step."""
        if self.op == "session_client":
            self.expected[-1]["delivered"].append({"message": message})
        else:
            key = None if client is None else public(client)
            self.expected[-1]["delivered"].append({"server": server, "client": key, "message": message})
        return self.now

    def finds(self, found: dict[str, Any]) -> int:
        """The set of servers is delivered."""
        self.expected[-1]["delivered"].append({"servers": found})
        return self.now

    def pays(self, invoice: str) -> int:
        self.expected[-1].setdefault("paid", []).append(invoice)
        return self.now

    def case(self) -> Case:
        given = {"open": self.open, "steps": self.steps}
        req = self.req.split()
        return Case(
            self.id,
            self.title,
            req,
            copy.deepcopy(given),
            "valid",
            output=copy.deepcopy({"steps": self.expected}),
            compare="script",
            flags=tuple(self.flags.split()),
            level=at_most(self.level, req),
        )


def server(
    dialect: Dialect, id: str, title: str, req: str, flags: str, *, open: dict[str, Any] | None = None, **changes: Any
) -> Script:
    """A script against a server that speaks one revision; `changes` are those of `server_open`."""
    level = changes.pop("level", "MUST")
    return Script("session_server", id, title, req, open or server_open(dialect, **changes), flags, level)


def client(
    dialect: Dialect, id: str, title: str, req: str, flags: str, *, open: dict[str, Any] | None = None, **changes: Any
) -> Script:
    """A script against a client; `changes` are those of `client_open`."""
    level = changes.pop("level", "MUST")
    return Script("session_client", id, title, req, open or client_open(dialect, **changes), flags, level)


__all__ = [
    "CLIENT_LIMITS", "CLIENT_TIMERS", "INITIALIZE", "INITIALIZE_RESULT", "SERVER_LIMITS", "SERVER_TIMERS", "TIME",
    "Script", "client", "client_open", "event_of", "failure", "id_of", "mcp_server", "result", "rpc", "secret",
    "server", "server_open", "text", "token_of", "wrapped",
]  # fmt: skip
