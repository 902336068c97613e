"""Session scripts, the running side: a machine is driven step by step under a virtual clock.

What a step refers back to (an event the machine published, an id it gave a request) is a placeholder that is replaced
by what the machine really did; so a script says what must happen and leaves the machine its own ids.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..nostr import PublicKey, SecretKey, UnsignedEvent, Violation, nip59, strict_json
from ..nostr import event as events
from ..nostr.errors import ErrorClass
from ..nostr.event import Event

Value = dict[str, Any]

_ROLES = ("alice", "bob", "carol", "dave", "mallory")
_PLACEHOLDER = re.compile(r"\{\{(event|id|token):([0-9]+)(?:\.([0-9]+))?\}\}")
_QUOTED = re.compile(r'"(\{\{(?:id|token):[0-9.]+\}\})"')


def _role_keys() -> dict[str, SecretKey]:
    secrets = [SecretKey(hashlib.sha256(f"nostrmcp vector key: {role}".encode()).digest()) for role in _ROLES]
    return {secret.public_key.hex(): secret for secret in secrets}


ROLE_KEYS = _role_keys()


@dataclass(slots=True)
class Outcome:
    """What a machine did in one step: whole events as sent, messages to the MCP side, and invoices it chose to pay."""

    published: list[Value] = field(default_factory=list)
    delivered: list[Value] = field(default_factory=list)
    paid: list[str] = field(default_factory=list)

    def to_value(self) -> Value:
        return {"published": self.published, "delivered": self.delivered, "paid": self.paid}


class Machine(Protocol):
    """A session under test."""

    def step(self, number: int, do: Value, at: float) -> Outcome:
        """Take one stimulus, its placeholders and templates replaced, `at` seconds after the script began."""


class Unresolved(Exception):
    """A placeholder refers to a step that did not publish one event, or deliver one request."""


def run(make: Callable[[Value], Machine], given: Value) -> Value:
    """The outcome of every step of a script; it breaks off where a step refers to what the machine never did."""
    machine = make(given["open"])
    steps: list[Value] = []
    for number, step in enumerate(given["steps"]):
        try:
            do = stimulus(step["do"], References(steps))
        except Unresolved:
            break
        steps.append(machine.step(number, do, step["at"]).to_value())
    return {"steps": steps}


class References:
    """What placeholders stand for, given the steps that were taken."""

    def __init__(self, steps: list[Value]) -> None:
        self._steps = steps

    def resolve(self, value: Any) -> Any:
        """The value with every placeholder in its strings replaced."""
        if isinstance(value, str):
            whole = _PLACEHOLDER.fullmatch(value)
            if whole:
                return self._find(*whole.groups())
            return _PLACEHOLDER.sub(lambda found: str(self._find(*found.groups())), value)
        if isinstance(value, list):
            return [self.resolve(one) for one in value]
        if isinstance(value, dict):
            return {name: self.resolve(one) for name, one in value.items()}
        return value

    def resolve_text(self, content: str) -> str:
        """JSON text with its placeholders replaced: ids and tokens with their quotes, as JSON."""
        unquoted = _QUOTED.sub(lambda found: json.dumps(self.resolve(found[1])), content)
        return str(self.resolve(unquoted))

    def _find(self, what: str, step_number: str, which: str | None) -> Any:
        number = int(step_number)
        if number >= len(self._steps):
            raise Unresolved(f"step {number} was not taken")
        step = self._steps[number]
        if what == "event":
            return self._one_event(step, number).id.hex()
        request = self._request(step, number, which)
        if what == "id":
            return request["id"]
        try:
            return request["params"]["_meta"]["progressToken"]
        except (KeyError, TypeError):
            raise Unresolved(f"the request of step {number} has no progress token") from None

    @staticmethod
    def _one_event(step: Value, number: int) -> Event:
        if len(step["published"]) != 1:
            raise Unresolved(f"step {number} published {len(step['published'])} events, not one")
        try:
            return opened(events.from_value(step["published"][0]))
        except Violation as violation:
            raise Unresolved(f"the event of step {number}: {violation}") from None

    def _request(self, step: Value, number: int, which: str | None) -> Value:
        messages = [one.get("message") for one in step["delivered"]]
        requests = [one for one in messages if isinstance(one, dict) and "method" in one and "id" in one]
        if not requests:
            try:
                content = strict_json.parse(self._one_event(step, number).content)
            except Violation as violation:
                raise Unresolved(f"the event of step {number}: {violation}") from None
            requests = [content] if isinstance(content, dict) and "method" in content and "id" in content else []
        if which is not None and int(which) < len(requests):
            return requests[int(which)]
        if len(requests) != 1:
            raise Unresolved(f"step {number} has {len(requests)} requests, not one")
        return requests[0]


def opened(event: Event) -> Event:
    """The event itself, or what a wrap for one of the roles of the vectors holds."""
    if event.kind not in nip59.WRAP_KINDS:
        return event
    recipient = ROLE_KEYS.get(event.first("p") or "")
    if recipient is None:
        raise Violation(ErrorClass.MALFORMED_TAGS, "wrap", "for nobody that the vectors know")
    return nip59.unwrap(event, recipient)


def stimulus(do: Value, references: References) -> Value:
    """What the machine is given: placeholders replaced, and a template made the event that it describes."""
    if "event" in do:
        return do
    if "template" not in do:
        return {name: references.resolve(value) for name, value in do.items()}
    template = do["template"]
    key = SecretKey(bytes.fromhex(template["seckey"]))
    tags = events.freeze_tags(references.resolve(template["tags"]))
    content = references.resolve_text(template["content"])
    event = UnsignedEvent(key.public_key.x, template["created_at"], template["kind"], tags, content).sign(
        key, bytes(32)
    )
    envelope = template["wrap"]
    if envelope is not None:
        event = nip59.wrap(
            event,
            PublicKey(bytes.fromhex(envelope["to"])),
            kind=envelope["kind"],
            created_at=envelope["created_at"],
            ephemeral_key=SecretKey(hashlib.sha256(b"key" + event.id).digest()),
            nonce=hashlib.sha256(b"nonce" + event.id).digest(),
            aux_rand=bytes(32),
        )
    return {"event": to_object(event)}


def to_object(event: Event) -> Value:
    value = event.to_value()
    return value | {"tags": [list(tag) for tag in value["tags"]]}
