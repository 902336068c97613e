"""Which revision is this event? The ones its kind allows, less those that some sign in it rules out.

Some first messages fit several revisions, and no sign decides: then all of them are named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..nostr import Event, Violation, strict_json
from . import contextvm, ctxvm_draft, dvmcp_rev1, dvmcp_rev1_1, dvmcp_rev1_ephemeral
from .model import Revision

_REV1 = dvmcp_rev1.REVISION.name
_EPHEMERAL = dvmcp_rev1_ephemeral.REVISION.name
_REV1_1 = dvmcp_rev1_1.REVISION.name
_CTXVM = ctxvm_draft.REVISION.name
_CONTEXTVM = contextvm.REVISION.name
_ALL = (
    dvmcp_rev1.REVISION,
    dvmcp_rev1_ephemeral.REVISION,
    dvmcp_rev1_1.REVISION,
    ctxvm_draft.REVISION,
    contextvm.REVISION,
)

_SERVER, _REQUEST, _NOTIFICATION = 31316, 25910, 21316


@dataclass(frozen=True, slots=True)
class Detection:
    """The names of the revisions that an event may belong to, and the signs that speak for it.

    `neighbour` names a protocol that is none of ours but known to share kinds with them.
    """

    candidates: tuple[str, ...]
    evidence: tuple[str, ...]
    neighbour: str | None = None


@dataclass(frozen=True, slots=True)
class _Sign:
    evidence: str
    seen: Callable[[Event, dict[str, Any]], bool]
    rules_out: frozenset[str]


def _has(event: Event, name: str) -> bool:
    return any(tag[0] == name for tag in event.tags)


def _has_flags_alone(event: Event) -> bool:
    """The draft knows one flag, on answers that name the server in d: no client of its says what it reads (AMB-159)."""
    flags = ("support_encryption",) in event.tags or _has(event, "support_encryption_ephemeral")
    return flags and not any(_has(event, name) for name in ("method", "s", "d"))


def _is_call(body: dict[str, Any]) -> bool:
    return type(body.get("method")) is str


def _is_notification(body: dict[str, Any]) -> bool:
    return _is_call(body) and body["method"].startswith("notifications/")


def _may_have_method_tag(body: dict[str, Any]) -> bool:
    """The messages on which the draft's own text names the tag."""
    method = body.get("method")
    return type(method) is str and (method == "initialize" or method.endswith("/list"))


def _is_list_or_server(event: Event) -> bool:
    return 31316 <= event.kind <= 31319


_SIGNS = (
    _Sign("content has jsonrpc", lambda e, b: "jsonrpc" in b and not _is_list_or_server(e), frozenset({_REV1_1})),
    _Sign("content has no jsonrpc", lambda e, b: bool(b) and "jsonrpc" not in b and not _is_list_or_server(e),
          frozenset({_REV1, _EPHEMERAL, _CONTEXTVM})),
    _Sign("a request without a method tag", lambda e, b: e.kind == _REQUEST and _is_call(b) and not _has(e, "method"),
          frozenset({_EPHEMERAL, _REV1_1})),
    _Sign("a response on the kind of requests", lambda e, b: e.kind == _REQUEST and bool(b) and not _is_call(b),
          frozenset({_EPHEMERAL, _REV1_1})),
    _Sign("a notification on the kind of requests", lambda e, b: e.kind == _REQUEST and _is_notification(b),
          frozenset({_EPHEMERAL, _REV1_1})),
    _Sign("a method tag on a whole request other than initialize and lists",
          lambda e, b: e.kind == _REQUEST and _has(e, "method") and "jsonrpc" in b and not _may_have_method_tag(b),
          frozenset({_CTXVM, _CONTEXTVM})),
    _Sign("a method tag", lambda e, b: e.kind == _REQUEST and _has(e, "method"), frozenset({_CONTEXTVM})),
    _Sign("a server identifier in s or d", lambda e, b: e.kind == _REQUEST and (_has(e, "s") or _has(e, "d")),
          frozenset({_CONTEXTVM})),
    _Sign("encryption flags on a message without server identifiers",
          lambda e, b: e.kind == _REQUEST and _has_flags_alone(e), frozenset({_CTXVM})),
    _Sign("a notification without s", lambda e, b: e.kind == _NOTIFICATION and bool(b) and not _has(e, "s"),
          frozenset({_REV1})),
    _Sign("a notification of initialized", lambda e, b: e.kind == _NOTIFICATION
          and b.get("method") == "notifications/initialized", frozenset({_REV1})),
    _Sign("a k tag of 5910", lambda e, b: e.kind == _SERVER and e.first("k") == "5910",
          frozenset({_EPHEMERAL, _REV1_1, _CTXVM})),
    _Sign("a k tag of 25910", lambda e, b: e.kind == _SERVER and e.first("k") == "25910", frozenset({_REV1, _CTXVM})),
    _Sign("no k tag", lambda e, b: e.kind == _SERVER and not _has(e, "k"), frozenset({_REV1, _EPHEMERAL, _REV1_1})),
    _Sign("an announcement in a response", lambda e, b: _is_list_or_server(e) and "result" in b,
          frozenset({_REV1_1, _CTXVM})),
    _Sign("a bare announcement", lambda e, b: _is_list_or_server(e) and bool(b) and "result" not in b,
          frozenset({_REV1, _EPHEMERAL})),
    _Sign("t tags on a list", lambda e, b: _is_list_or_server(e) and _has(e, "t"), frozenset({_EPHEMERAL})),
    _Sign("cap tags on a list", lambda e, b: _is_list_or_server(e) and _has(e, "cap"), frozenset({_REV1})),
    _Sign("no cap tag on a bare list of tools",
          lambda e, b: e.kind == 31317 and bool(b.get("tools")) and not _has(e, "cap"), frozenset({_REV1_1})),
)  # fmt: skip


def detect(event: Event) -> Detection:
    """The candidates for an event that need not be verified; no candidate where no revision knows its kind."""
    neighbour = _neighbour(event)
    if neighbour is not None:
        return Detection((), (), neighbour)
    left = [revision.name for revision in _ALL if event.kind in _kinds(revision)]
    evidence = [f"kind {event.kind}"] if left else []
    body = _object_in(event.content)
    for sign in _SIGNS:
        ruled_out = sign.rules_out.intersection(left)
        if ruled_out and len(ruled_out) < len(left) and sign.seen(event, body):
            left = [name for name in left if name not in ruled_out]
            evidence.append(sign.evidence)
    hybrid = event.kind == dvmcp_rev1_1.REVISION.kinds.response and "result" in body and "jsonrpc" not in body
    return Detection(tuple(left), tuple(evidence), "DVMCP hybrid: a nested result without jsonrpc" if hybrid else None)


def _kinds(revision: Revision) -> set[int]:
    kinds = revision.kinds
    messages = {kinds.request, kinds.response, kinds.notification}
    return messages | set(kinds.announcements.values()) | set(kinds.wraps)


def _neighbour(event: Event) -> str | None:
    if event.kind in (7000, 31990) or (event.kind in (5910, 6910) and _has(event, "c")):
        return "DVMCP before rev1 (mcp:2024-11-05)"
    if event.kind == 13:
        return "DVMCP rev1.1 with NIP-17 encryption: a seal"
    return None


def _object_in(content: str) -> dict[str, Any]:
    try:
        value = strict_json.parse(content)
    except Violation:
        return {}
    return value if type(value) is dict else {}
