"""How cases of a DVMCP revision are put together. What a revision demands stands in its own folder, not here."""

from __future__ import annotations

import json
from typing import Any

from vectors.source.writing import Case, acceptable, expected_event, invalid, public, valid

ALICE = public("alice")  # the client
BOB = public("bob")  # the provider
SERVER_ID = "server-1"
TIME = 1_750_000_000

Tags = list[list[str]]

# The ambiguities of the seeds (spec/ambiguities.md), by what they are about.
AMBIGUITIES = {
    "cancel": "AMB-102",
    "progress": "AMB-103",
    "notification-s": "AMB-106",
    "request-s": "AMB-107",
    "amount": "AMB-114",
    "payment-content": "AMB-116",
    "method-tag": "AMB-122",
    "support-encryption": "AMB-125",
    "announcement-envelope": "AMB-150",
    "two-e": "AMB-152",
    "surplus-name": "AMB-160",
}


def text(value: Any) -> str:
    """JSON as content holds it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def less(tags: Tags, name: str) -> Tags:
    """The tags without those of one name."""
    rest = [tag for tag in tags if tag[0] != name]
    assert len(rest) < len(tags), f"there is no tag {name}"
    return rest


def put(tags: Tags, name: str, *values: str) -> Tags:
    """The tags with other values for one name."""
    assert any(tag[0] == name for tag in tags), f"there is no tag {name}"
    return [[name, *values] if tag[0] == name else tag for tag in tags]


def drop(body: dict[str, Any], name: str) -> dict[str, Any]:
    """The object without one member."""
    assert name in body, f"there is no member {name}"
    return {key: value for key, value in body.items() if key != name}


class Cases:
    """Cases of one revision."""

    def __init__(self, revision: str) -> None:
        self.revision = revision

    # encode_message

    def message(
        self,
        message: dict[str, Any],
        role: str,
        request: dict[str, Any] | None = None,
        server_id: str | None = SERVER_ID,
        encryption: bool = False,
    ) -> dict[str, Any]:
        sender, recipient = (ALICE, BOB) if role == "client" else (BOB, ALICE)
        return {
            "revision": self.revision,
            "message": message,
            "sender": {"role": role, "pubkey": sender},
            "recipient": recipient,
            "server_id": server_id,
            "request": request,
            "prices": [],
            "encryption": encryption,
            "created_at": TIME,
        }

    def emits(
        self,
        id: str,
        title: str,
        req: str,
        given: dict[str, Any],
        kind: int,
        tags: Tags,
        content: Any,
        optional: Tags | None = None,
        flags: str = "Example",
        **rest: Any,
    ) -> Case:
        """The message becomes an event of this kind with these tags; `content` is JSON, or "" for none."""
        event = {
            "pubkey": given["sender"]["pubkey"],
            "created_at": TIME,
            "kind": kind,
            "tags": tags,
            "content": content if content == "" else text(content),
        }
        assert all(tag in tags for tag in optional or [])
        return valid(id, title, req, given, expected_event(event, optional), compare="event", flags=flags, **rest)

    # decode_event

    def received(self, event: dict[str, Any]) -> dict[str, Any]:
        receiver = {"role": "client", "pubkey": ALICE} if event["pubkey"] == BOB else {"role": "server", "pubkey": BOB}
        return {"revision": self.revision, "event": event, "receiver": receiver}

    @staticmethod
    def understood(
        event: dict[str, Any], message: dict[str, Any], server_id: str | None, request: str | None
    ) -> dict[str, Any]:
        return {"message": message, "sender": event["pubkey"], "server_id": server_id, "request_event_id": request}

    def decodes(
        self,
        id: str,
        title: str,
        req: str,
        event: dict[str, Any],
        message: dict[str, Any],
        server_id: str | None = None,
        request: str | None = None,
        flags: str = "Example",
        **rest: Any,
    ) -> Case:
        output = self.understood(event, message, server_id, request)
        return valid(id, title, req, self.received(event), output, flags=flags, **rest)

    def tolerates(
        self,
        id: str,
        title: str,
        req: str,
        about: str,
        event: dict[str, Any],
        message: dict[str, Any],
        server_id: str | None = None,
        request: str | None = None,
        flags: str = "Tolerance",
        **rest: Any,
    ) -> Case:
        """Who accepts the event understands it so."""
        output = self.understood(event, message, server_id, request)
        return acceptable(id, title, req, self.received(event), AMBIGUITIES[about], output=output, flags=flags, **rest)

    def refuses(
        self, id: str, title: str, req: str, event: dict[str, Any], error: str, flags: str, **rest: Any
    ) -> Case:
        return invalid(id, title, req, self.received(event), error, flags=flags, **rest)

    # check_event

    def conforms(
        self,
        id: str,
        title: str,
        req: str,
        event: dict[str, Any],
        answers: str | None = None,
        flags: str = "Example",
        **rest: Any,
    ) -> Case:
        given = {"revision": self.revision, "event": event, "answers": answers}
        return valid(id, title, req, given, {"breaches": []}, flags=flags, **rest)

    def breaks(
        self,
        id: str,
        title: str,
        breach: str,
        event: dict[str, Any],
        answers: str | None = None,
        flags: str = "MissingTag",
        **rest: Any,
    ) -> Case:
        """The event breaks this one requirement and no other."""
        given = {"revision": self.revision, "event": event, "answers": answers}
        return valid(id, title, breach, given, {"breaches": [breach]}, flags=flags, **rest)

    def breaks_all(
        self, id: str, title: str, breaches: str, event: dict[str, Any], flags: str = "MissingTag", **rest: Any
    ) -> Case:
        """The event breaks these requirements and no other."""
        given = {"revision": self.revision, "event": event, "answers": None}
        return valid(id, title, breaches, given, {"breaches": breaches.split()}, flags=flags, **rest)

    def disputed(
        self, id: str, title: str, req: str, about: str, event: dict[str, Any], flags: str = "Disputed", **rest: Any
    ) -> Case:
        """Whether the event breaks a requirement depends on the reading."""
        given = {"revision": self.revision, "event": event, "answers": None}
        return acceptable(id, title, req, given, AMBIGUITIES[about], flags=flags, **rest)

    # build_announcement, parse_announcement

    def announcement(
        self, type: str, content: dict[str, Any], server_id: str = SERVER_ID, encryption: bool = False, **words: str
    ) -> dict[str, Any]:
        return {
            "revision": self.revision,
            "type": type,
            "pubkey": BOB,
            "created_at": TIME,
            "server_id": server_id,
            "content": content,
            **{word: words.get(word) for word in ("name", "about", "picture", "website")},
            "encryption": encryption,
            "prices": [],
        }

    def announces(
        self,
        id: str,
        title: str,
        req: str,
        given: dict[str, Any],
        kind: int,
        tags: Tags,
        content: Any,
        optional: Tags | None = None,
        flags: str = "Example",
        **rest: Any,
    ) -> Case:
        event = {"pubkey": BOB, "created_at": TIME, "kind": kind, "tags": tags, "content": text(content)}
        assert all(tag in tags for tag in optional or [])
        return valid(id, title, req, given, expected_event(event, optional), compare="event", flags=flags, **rest)

    @staticmethod
    def read(
        type: str,
        content: dict[str, Any],
        server_id: str = SERVER_ID,
        capabilities: tuple[str, ...] = (),
        encryption: bool = False,
        **words: str,
    ) -> dict[str, Any]:
        """What a reader makes of an announcement."""
        return {
            "type": type,
            "server_id": server_id,
            "content": content,
            **{word: words.get(word) for word in ("name", "about", "picture", "website")},
            "encryption": encryption,
            "capabilities": list(capabilities),
            "prices": [],
        }

    def parses(
        self,
        id: str,
        title: str,
        req: str,
        event: dict[str, Any],
        output: dict[str, Any],
        flags: str = "Example",
        **rest: Any,
    ) -> Case:
        return valid(id, title, req, {"revision": self.revision, "event": event}, output, flags=flags, **rest)

    def may_parse(
        self,
        id: str,
        title: str,
        req: str,
        about: str,
        event: dict[str, Any],
        output: dict[str, Any],
        flags: str = "Tolerance",
        **rest: Any,
    ) -> Case:
        """Who accepts the announcement reads it so."""
        given = {"revision": self.revision, "event": event}
        return acceptable(id, title, req, given, AMBIGUITIES[about], output=output, flags=flags, **rest)

    def rejects(
        self, id: str, title: str, req: str, event: dict[str, Any], error: str, flags: str, **rest: Any
    ) -> Case:
        return invalid(id, title, req, {"revision": self.revision, "event": event}, error, flags=flags, **rest)
