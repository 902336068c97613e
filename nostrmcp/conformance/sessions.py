"""The operations of session scripts, answered by this package's sessions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from ..mcp import jsonrpc
from ..nostr import SecretKey, Violation
from ..nostr import event as events
from ..revisions import REVISIONS
from ..session.actions import Action, Charge, Close, Deliver, Link, Now, Open, Pay, Publish, Servers
from ..session.client import Client
from ..session.server import Server
from ..session.settings import (
    ClientLimits,
    ClientSettings,
    ClientTimers,
    Encryption,
    McpServer,
    PaymentPolicy,
    Remote,
    ServerLimits,
    ServerSettings,
    ServerTimers,
    Teardown,
)
from ..translate.route import Price
from .operations import operation
from .script import Outcome, Value, run, to_object


def _byte_source() -> Callable[[int], bytes]:
    """Bytes that look random and are the same in every run."""
    drawn = 0

    def draw(count: int) -> bytes:
        nonlocal drawn
        drawn += 1
        return hashlib.shake_256(f"nostrmcp script randomness {drawn}".encode()).digest(count)

    return draw


class _Clock:
    """Unix time and the monotonic clock of a script."""

    def __init__(self, opened: Value) -> None:
        self._start = opened["now"]

    def at(self, seconds: float) -> Now:
        return Now(self._start + int(seconds // 1), seconds)


class ServerMachine:
    """`nostrmcp.session.server` under a script."""

    def __init__(self, opened: Value) -> None:
        self._open = opened
        self._clock = _Clock(opened)
        self._random = _byte_source()
        self._results = {one["id"]: one["initialize_result"] for one in opened["servers"] if one["shared"]}
        self._published: dict[int, list[bytes]] = {}
        self._charged: dict[int, list[bytes]] = {}
        self._begun: Outcome | None = self._start(self._clock.at(0))

    def _start(self, now: Now) -> Outcome:
        """A new process; the handshake with its shared MCP servers is over before anything else happens."""
        self._links: dict[tuple[str, str | None], Link] = {}
        key = SecretKey(bytes.fromhex(self._open["key"]))
        self._server = Server(_server_settings(self._open), key, self._random, now)
        outcome, waiting = Outcome(), list(self._server.start(now))
        while waiting:
            action = waiting.pop(0)
            if isinstance(action, Deliver) and action.link is not None:
                message = action.message
                if isinstance(message, jsonrpc.Request) and message.method == "initialize":
                    answer = jsonrpc.Result(message.id, self._results[action.link.server])
                    waiting += self._server.message(action.link, answer, now)
                    continue
                if isinstance(message, jsonrpc.Notification) and message.method == "notifications/initialized":
                    continue
            self._take(action, outcome)
        return outcome

    def step(self, number: int, do: Value, at: float) -> Outcome:
        """What an announced server does at its start belongs to the first step."""
        now = self._clock.at(at)
        if "restart" in do:
            return self._start(now)
        outcome, self._begun = self._begun or Outcome(), None
        actions = list(self._actions(do, now))
        published, charged = self._published.setdefault(number, []), self._charged.setdefault(number, [])
        while actions:
            action = actions.pop(0)
            self._take(action, outcome)
            if isinstance(action, Publish):
                published.append(action.event.id)
            elif isinstance(action, Charge):
                charged.append(action.request)
                if self._open["invoice"] is not None:
                    actions += self._server.invoiced(action.request, self._open["invoice"], now)
        return outcome

    def _take(self, action: Action, outcome: Outcome) -> None:
        if isinstance(action, Publish):
            outcome.published.append(to_object(action.event))
        elif isinstance(action, Open):
            self._links[_place(action.link)] = action.link
        elif isinstance(action, Close):
            self._links.pop(_place(action.link), None)
        elif isinstance(action, Deliver) and action.link is not None:
            server, client = _place(action.link)
            message = jsonrpc.to_value(action.message)
            outcome.delivered.append({"server": server, "client": client, "message": message})

    def _actions(self, do: Value, now: Now) -> list[Action]:
        server = self._server
        match do:
            case {"event": event}:
                try:
                    return server.receive(events.from_value(event), now)
                except Violation:
                    return []
            case {"message": message, "server": server_id, "client": client}:
                link = self._links.get((server_id, client))
                return [] if link is None else server.message(link, jsonrpc.parse(message), now)
            case {"ok": step, "accepted": accepted, "text": text}:
                told = [server.published(one, accepted, text, now) for one in self._published[step]]
                return [action for actions in told for action in actions]
            case {"paid": step}:
                return [action for one in self._charged[step] for action in server.paid(one, now)]
            case {"unpaid": step}:
                return [action for one in self._charged[step] for action in server.unpaid(one, now)]
            case {"stop": True}:
                return server.stop(now)
            case {"tick": True}:
                return server.tick(now)
            case _:
                raise ValueError(f"no stimulus of a server: {sorted(do)}")


def _place(link: Link) -> tuple[str, str | None]:
    """How a script names a conversation with an MCP server."""
    return link.server, None if link.client is None else link.client.hex()


def _mcp_server(one: Value) -> McpServer:
    texts = {name: one.get(name) for name in ("name", "about", "picture", "website")}
    return McpServer(one["id"], one["shared"], one["announced"], **texts)


def _server_settings(opened: Value) -> ServerSettings:
    allow, done = opened["allow"], opened["done"]
    return ServerSettings(
        revisions=tuple(REVISIONS[name] for name in opened["revisions"]),
        servers=tuple(map(_mcp_server, opened["servers"])),
        mcp_version=opened["mcp_version"],
        encryption=Encryption(opened["encryption"]),
        allow=None if allow is None else frozenset(map(bytes.fromhex, allow)),
        prices=tuple(Price(one["type"], one["capability"], one["amount"], one["unit"]) for one in opened["prices"]),
        teardown=Teardown(opened["teardown"]),
        done=None if done is None else frozenset(map(bytes.fromhex, done)),
        timers=ServerTimers(**opened["timers"]),
        limits=ServerLimits(**opened["limits"]),
    )


class ClientMachine:
    """`nostrmcp.session.client` under a script."""

    def __init__(self, opened: Value) -> None:
        self._open = opened
        self._clock = _Clock(opened)
        self._random = _byte_source()
        self._published: dict[int, list[bytes]] = {}
        self._paying: dict[int, list[bytes]] = {}
        self._start(self._clock.at(0))

    def _start(self, now: Now) -> list[Action]:
        key = SecretKey(bytes.fromhex(self._open["key"]))
        self._client = Client(_client_settings(self._open), key, self._random, now)
        return list(self._client.start(now))

    def step(self, number: int, do: Value, at: float) -> Outcome:
        now = self._clock.at(at)
        actions = self._start(now) if "restart" in do else self._actions(do, now)
        outcome = Outcome()
        published, paying = self._published.setdefault(number, []), self._paying.setdefault(number, [])
        for action in actions:
            if isinstance(action, Publish):
                published.append(action.event.id)
                outcome.published.append(to_object(action.event))
            elif isinstance(action, Deliver):
                outcome.delivered.append({"message": jsonrpc.to_value(action.message)})
            elif isinstance(action, Servers):
                found: dict[str, Any] = {name or "": result for name, result in action.found.items()}
                outcome.delivered.append({"servers": found})
            elif isinstance(action, Pay):
                paying.append(action.request)
                outcome.paid.append(action.invoice)
        return outcome

    def _actions(self, do: Value, now: Now) -> list[Action]:
        client = self._client
        match do:
            case {"event": event}:
                try:
                    return client.receive(events.from_value(event), now)
                except Violation:
                    return []
            case {"message": message}:
                return client.message(jsonrpc.parse(message), now)
            case {"ok": step, "accepted": accepted, "text": text}:
                told = [client.published(one, accepted, text, now) for one in self._published[step]]
                return [action for actions in told for action in actions]
            case {"connection": state}:
                return client.connection(state == "back", now)
            case {"payment_sent": step}:
                return [action for one in self._paying[step] for action in client.payment_sent(one, now)]
            case {"payment_failed": step}:
                return [action for one in self._paying[step] for action in client.payment_failed(one, now)]
            case {"servers": params}:
                return client.find_servers(params, now)
            case {"tick": True}:
                return client.tick(now)
            case _:
                raise ValueError(f"no stimulus of a client: {sorted(do)}")


def _client_settings(opened: Value) -> ClientSettings:
    server, payments = opened["server"], opened["payments"]
    announcement = server["announcement"]
    return ClientSettings(
        revision=REVISIONS[opened["revision"]],
        server=Remote(
            bytes.fromhex(server["pubkey"]),
            server["id"],
            None if announcement is None else events.from_value(announcement),
        ),
        mcp_version=opened["mcp_version"],
        handshake=opened["handshake"],
        encryption=Encryption(opened["encryption"]),
        allow_plain=opened["allow_plain"],
        ephemeral_wraps=opened["ephemeral_wraps"],
        payments=PaymentPolicy(payments["pay"], payments["above_price"]),
        reopen=opened["reopen"],
        timers=ClientTimers(**opened["timers"]),
        limits=ClientLimits(**opened["limits"]),
    )


@operation
def session_server(given: Value) -> Value:
    return run(ServerMachine, given)


@operation
def session_client(given: Value) -> Value:
    return run(ClientMachine, given)
