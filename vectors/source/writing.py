"""What the hand-written sources are written with.

A source states inputs and expectations from the specification's text. What nobody can write by hand (hashes,
signatures, ciphertexts) is filled in here, with `nostrmcp.nostr` and nothing else of the package: a vector computed by
the code it tests would prove nothing.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from nostrmcp.nostr import Event, SecretKey, UnsignedEvent
from nostrmcp.nostr.event import freeze_tags
from vectors.source.ledger import at_most

AUX = bytes(32)
# The addressable announcements.
SERVER, LISTS = 31316, (31317, 31318, 31319)


@dataclass(frozen=True)
class Case:
    id: str
    title: str
    req: list[str]
    input: dict[str, Any]
    result: str
    output: dict[str, Any] | None = None
    error: str | None = None
    level: str = "MUST"
    flags: tuple[str, ...] = ()
    compare: str = "exact"
    ambiguity: str | None = None
    comment: str | None = None

    def to_value(self) -> dict[str, Any]:
        value: dict[str, Any] = {"id": self.id, "title": self.title}
        if self.comment:
            value["comment"] = self.comment
        value |= {"level": self.level, "req": self.req, "flags": list(self.flags), "input": self.input}
        value["result"] = self.result
        if self.ambiguity:
            value["ambiguity"] = self.ambiguity
        if self.output is not None:
            value |= {"compare": self.compare, "output": self.output}
        if self.error is not None:
            value["error"] = {"class": self.error}
        return value


def valid(id: str, title: str, req: str, input: dict[str, Any], output: dict[str, Any], **rest: Any) -> Case:
    """The input is accepted and gives this output. `req` is one requirement id or several, apart by blanks.

    No case is of a higher level than the documents that it shows.
    """
    return Case(id, title, req.split(), input, "valid", output=output, **_read(req, rest))


def invalid(id: str, title: str, req: str, input: dict[str, Any], error: str, **rest: Any) -> Case:
    """The input is refused. It is wrong in this one way only."""
    return Case(id, title, req.split(), input, "invalid", error=error, **_read(req, rest))


def acceptable(id: str, title: str, req: str, input: dict[str, Any], ambiguity: str, **rest: Any) -> Case:
    """Two readings of the specification differ. `output` is what an implementation that accepts must give; `error` is
    the class of a refusal, given where our own reading refuses."""
    return Case(id, title, req.split(), input, "acceptable", ambiguity=ambiguity, **_read(req, rest))


def expected_event(event: dict[str, Any], optional_tags: list[list[str]] | None = None) -> dict[str, Any]:
    """An output to be compared as `event`. What the seeds leave to the sender of an announcement is free: the `d` of a
    list, and the JSON-RPC id that a result stands under.
    """
    output: dict[str, Any] = {"event": event, "optional_tags": optional_tags or []}
    if event["kind"] in LISTS:
        output["free_tags"] = ["d"]
    if event["kind"] in (SERVER, *LISTS) and event["content"].startswith('{"jsonrpc":'):
        output["free_members"] = ["id"]
    return output


def _read(req: str, rest: dict[str, Any]) -> dict[str, Any]:
    level = at_most(rest.get("level", "MUST"), req.split())
    return rest | {"level": level, "flags": tuple(rest.get("flags", "").split())}


@dataclass(frozen=True)
class Note:
    """What a flag means: the kind of bug it detects, what the case shows, and what an attacker or user gets from it."""

    kind: str
    text: str
    effect: str


@dataclass
class Suite:
    name: str
    title: str
    version: str
    notes: dict[str, Note]
    groups: list[tuple[str, list[Case]]] = field(default_factory=list)

    def group(self, op: str, *cases: Case) -> None:
        self.groups.append((op, list(cases)))

    def to_value(self) -> dict[str, Any]:
        return {
            "schema": "nostrmcp-vectors-v1",
            "suite": self.name,
            "title": self.title,
            "source": {"name": "nostrmcp", "version": self.version},
            "notes": {
                name: {"kind": note.kind, "text": note.text, "effect": note.effect}
                for name, note in sorted(self.notes.items())
            },
            "count": sum(len(cases) for _, cases in self.groups),
            "groups": [{"op": op, "cases": [case.to_value() for case in cases]} for op, cases in self.groups],
        }


def sha256(text: str | bytes) -> bytes:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).digest()


def secret_bytes(role: str) -> bytes:
    """The published secret of a role: SHA-256 of "nostrmcp vector key: " and its name."""
    return sha256("nostrmcp vector key: " + role)


def secret(role: str) -> SecretKey:
    return SecretKey(secret_bytes(role))


def public(role: str) -> str:
    return secret(role).public_key.hex()


def unsigned(role: str, kind: int, tags: list[list[str]], content: str, created_at: int) -> dict[str, Any]:
    """The five fields an author chooses."""
    return {"pubkey": public(role), "created_at": created_at, "kind": kind, "tags": tags, "content": content}


def signed(
    role: str = "alice",
    kind: int = 1,
    tags: list[list[str]] | None = None,
    content: str = "hello",
    created_at: int = 1_750_000_000,
) -> dict[str, Any]:
    """A valid event as a JSON object."""
    return to_object(signed_event(role, kind, tags or [], content, created_at))


def signed_event(role: str, kind: int, tags: list[list[str]], content: str, created_at: int) -> Event:
    key = secret(role)
    return UnsignedEvent(key.public_key.x, created_at, kind, freeze_tags(tags), content).sign(key, AUX)


def to_object(event: Event | UnsignedEvent) -> dict[str, Any]:
    value = event.to_value()
    return value | {"tags": [list(tag) for tag in value["tags"]]}


def resigned(fields: dict[str, Any], role: str = "alice") -> dict[str, Any]:
    """An event whose id and signature are right for fields that `UnsignedEvent` would not let us build.

    `fields` are pubkey, created_at, kind, tags and content of any type that JSON can write; the serialization is
    NIP-01's array of them, as Python's own writer puts it.
    """
    import json

    array = [0, fields["pubkey"], fields["created_at"], fields["kind"], fields["tags"], fields["content"]]
    serialized = json.dumps(array, ensure_ascii=False, separators=(",", ":"))
    event_id = sha256(serialized)
    return {"id": event_id.hex(), **fields, "sig": secret(role).sign(event_id, AUX).hex()}
