"""Every request and notification of every MCP version: who sends it, what it must hold, where ids hide in it.

The tables are what the published schemas require, and the tests hold them against those schemas. Required members are
listed down through nested objects, not into arrays; of the optional ones only ids, tokens and the subscription filter.
The rows of `DRAFT-2026-v1` hold what its one page states and nothing else. Methods of extensions are not listed.

Three rows ask for more than a schema's `required`: it lets a `tools/call`, `prompts/get` or `resources/read` result of
2026-07-28 lack everything but `resultType`. Here "complete" requires the method's own members, and "input_required" a
request for input or a state, as the schema's prose says; any other `resultType` belongs to an extension.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial

from ..nostr.errors import Violation, shown
from ..nostr.strict_json import JSON
from . import paths, shapes
from .errors import ErrorClass
from .jsonrpc import Error, Id, Message, Notification, Request, Result, is_id
from .paths import Path
from .shapes import Choice, Fault, HiddenId, IdKind, Shape, Type


class Version(StrEnum):
    """The MCP versions, oldest first."""

    V2024_11_05 = "2024-11-05"
    V2025_03_26 = "2025-03-26"
    V2025_06_18 = "2025-06-18"
    V2025_11_25 = "2025-11-25"
    DRAFT_2026_V1 = "DRAFT-2026-v1"
    V2026_07_28 = "2026-07-28"


class Side(StrEnum):
    """The two ends of a conversation."""

    CLIENT = "client"
    SERVER = "server"


class Direction(StrEnum):
    """Who sends a method to whom; `senders` says it for a program."""

    senders: frozenset[Side]

    def __new__(cls, value: str, senders: Iterable[Side]) -> Direction:
        member = str.__new__(cls, value)
        member._value_ = value
        member.senders = frozenset(senders)
        return member

    TO_SERVER = "client to server", (Side.CLIENT,)
    TO_CLIENT = "server to client", (Side.SERVER,)
    BOTH = "both", (Side.CLIENT, Side.SERVER)


class Kind(StrEnum):
    """What carries a method. An embedded request is no message: it stands in `inputRequests` of a result."""

    REQUEST = "request"
    NOTIFICATION = "notification"
    EMBEDDED = "embedded request"


class Owner(StrEnum):
    """Whose capability it is that allows a method; sender and receiver where both sides may send it."""

    SERVER = "server"
    CLIENT = "client"
    SENDER = "sender"
    RECEIVER = "receiver"


@dataclass(frozen=True, slots=True)
class Gate:
    """The capability without which a method is not sent: whose it is, and its place in their capabilities."""

    owner: Owner
    path: Path

    def is_open(self, capabilities: JSON) -> bool:
        """Whether capabilities declare it: an object stands there, or `true`."""
        declared = paths.read(capabilities, self.path)
        return declared is True or type(declared) is dict


@dataclass(frozen=True, slots=True)
class Entry:
    """One method in one MCP version.

    `params` and `result` are shapes that must all hold; `result` is None where the method has none. Paths of hidden
    ids begin at the message: with "params", or with "result" for the answer to the method.
    """

    method: str
    version: Version
    kind: Kind
    direction: Direction
    gate: Gate | None
    params: tuple[Shape, ...]
    params_required: bool
    result: tuple[Shape, ...] | None
    hidden: tuple[HiddenId, ...]
    params_fit: Callable[[JSON], bool] = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the tables below, for all versions that share it."""

    versions: tuple[Version, ...]
    kind: Kind
    method: str
    direction: Direction
    capability: str | None
    params: Shape | None
    result: Shape | None = None


# Names for the tables

_HANDSHAKE = (Version.V2024_11_05, Version.V2025_03_26, Version.V2025_06_18, Version.V2025_11_25)
_UP_TO_2025_06 = _HANDSHAKE[:3]
_FROM_2025_03 = _HANDSHAKE[1:]
_2024_11 = (Version.V2024_11_05,)
_2025_06 = (Version.V2025_06_18,)
_2025_11 = (Version.V2025_11_25,)
_DRAFT = (Version.DRAFT_2026_V1,)
_2026_07 = (Version.V2026_07_28,)

_REQUEST, _NOTIFICATION, _EMBEDDED = Kind
_TO_SERVER, _TO_CLIENT, _BOTH = Direction

PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"

_STRING, _INTEGER, _OBJECT, _ARRAY = Type.STRING, Type.INTEGER, Type.OBJECT, Type.ARRAY

_NAMED: Shape = {"name": _STRING}
_URI: Shape = {"uri": _STRING}
_IMPLEMENTATION: Shape = {"name": _STRING, "version": _STRING}
_INITIALIZE: Shape = {"protocolVersion": _STRING, "capabilities": _OBJECT, "clientInfo": _IMPLEMENTATION}
_INITIALIZED: Shape = {"protocolVersion": _STRING, "capabilities": _OBJECT, "serverInfo": _IMPLEMENTATION}
_COMPLETE: Shape = {
    "ref": Choice("type", {"ref/prompt": _NAMED, "ref/resource": _URI}),
    "argument": {"name": _STRING, "value": _STRING},
}
_COMPLETION: Shape = {"completion": {"values": Type.STRINGS}}
_LEVEL: Shape = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
_LOG: Shape = {"level": _LEVEL, "data": Type.ANYTHING}
_SAMPLE: Shape = {"messages": _ARRAY, "maxTokens": _INTEGER}
_ROLE: Shape = ("user", "assistant")
_SAMPLED: Shape = {"role": _ROLE, "content": _OBJECT, "model": _STRING}
_SAMPLED_OR_MORE: Shape = {"role": _ROLE, "content": Type.OBJECT_OR_ARRAY, "model": _STRING}
_FORM: Shape = {"message": _STRING, "requestedSchema": {"type": ("object",), "properties": _OBJECT}}
_ELICITED: Shape = {"action": ("accept", "decline", "cancel")}
_PROGRESS: Shape = {"progressToken": IdKind.PROGRESS, "progress": Type.NUMBER}
_TASK_ID: Shape = {"taskId": _STRING}
_TASK: Shape = {
    "taskId": _STRING,
    "status": ("working", "input_required", "completed", "failed", "cancelled"),
    "createdAt": _STRING,
    "lastUpdatedAt": _STRING,
    "ttl": Type.INTEGER_OR_NULL,
}
_FILTER: Shape = {
    "toolsListChanged?": Type.BOOLEAN,
    "promptsListChanged?": Type.BOOLEAN,
    "resourcesListChanged?": Type.BOOLEAN,
    "resourceSubscriptions?": Type.STRINGS,
}
_ON_STREAM: Shape = {SUBSCRIPTION_ID: IdKind.SUBSCRIPTION}
_CACHE: dict[str, Shape] = {"ttlMs": Type.NATURAL, "cacheScope": ("private", "public")}


def _elicit(url: Shape) -> Shape:
    return Choice("mode", {"form": _FORM, "url": url}, absent=_FORM)


def _or_task(result: Shape) -> Shape:
    return Choice("task", {}, absent=result, other={"task": _TASK})


def _or_input(result: Shape) -> Shape:
    wanted = Choice("inputRequests", {}, absent={"requestState": _STRING}, other={"inputRequests": _OBJECT})
    return Choice("resultType", {"complete": result, "input_required": wanted}, absent=result, other={})


# Versions; kind; method; direction; capability; params, None where they may be absent; result, None where there is none

# fmt: off
_TABLE = (
    _Row(_HANDSHAKE, _REQUEST, "initialize", _TO_SERVER, None, _INITIALIZE, _INITIALIZED),
    _Row(_HANDSHAKE, _REQUEST, "ping", _BOTH, None, None, {}),
    _Row(_HANDSHAKE, _REQUEST, "tools/list", _TO_SERVER, "server tools", None, {"tools": _ARRAY}),
    _Row(_UP_TO_2025_06, _REQUEST, "tools/call", _TO_SERVER, "server tools", _NAMED, {"content": _ARRAY}),
    _Row(_2025_11, _REQUEST, "tools/call", _TO_SERVER, "server tools", _NAMED, _or_task({"content": _ARRAY})),
    _Row(_HANDSHAKE, _REQUEST, "resources/list", _TO_SERVER, "server resources", None, {"resources": _ARRAY}),
    _Row(_HANDSHAKE, _REQUEST, "resources/templates/list", _TO_SERVER, "server resources", None,
         {"resourceTemplates": _ARRAY}),
    _Row(_HANDSHAKE, _REQUEST, "resources/read", _TO_SERVER, "server resources", _URI, {"contents": _ARRAY}),
    _Row(_HANDSHAKE, _REQUEST, "resources/subscribe", _TO_SERVER, "server resources.subscribe", _URI, {}),
    _Row(_HANDSHAKE, _REQUEST, "resources/unsubscribe", _TO_SERVER, "server resources.subscribe", _URI, {}),
    _Row(_HANDSHAKE, _REQUEST, "prompts/list", _TO_SERVER, "server prompts", None, {"prompts": _ARRAY}),
    _Row(_HANDSHAKE, _REQUEST, "prompts/get", _TO_SERVER, "server prompts", _NAMED, {"messages": _ARRAY}),
    _Row(_2024_11, _REQUEST, "completion/complete", _TO_SERVER, None, _COMPLETE, _COMPLETION),
    _Row(_FROM_2025_03, _REQUEST, "completion/complete", _TO_SERVER, "server completions", _COMPLETE, _COMPLETION),
    _Row(_HANDSHAKE, _REQUEST, "logging/setLevel", _TO_SERVER, "server logging", {"level": _LEVEL}, {}),
    _Row(_UP_TO_2025_06, _REQUEST, "sampling/createMessage", _TO_CLIENT, "client sampling", _SAMPLE, _SAMPLED),
    _Row(_2025_11, _REQUEST, "sampling/createMessage", _TO_CLIENT, "client sampling", _SAMPLE,
         _or_task(_SAMPLED_OR_MORE)),
    _Row(_HANDSHAKE, _REQUEST, "roots/list", _TO_CLIENT, "client roots", None, {"roots": _ARRAY}),
    _Row(_2025_06, _REQUEST, "elicitation/create", _TO_CLIENT, "client elicitation", _FORM, _ELICITED),
    _Row(_2025_11, _REQUEST, "elicitation/create", _TO_CLIENT, "client elicitation",
         _elicit({"message": _STRING, "url": _STRING, "elicitationId": _STRING}), _or_task(_ELICITED)),
    _Row(_2025_11, _REQUEST, "tasks/get", _BOTH, "receiver tasks", _TASK_ID, _TASK),
    _Row(_2025_11, _REQUEST, "tasks/result", _BOTH, "receiver tasks", _TASK_ID, {}),
    _Row(_2025_11, _REQUEST, "tasks/cancel", _BOTH, "receiver tasks.cancel", _TASK_ID, _TASK),
    _Row(_2025_11, _REQUEST, "tasks/list", _BOTH, "receiver tasks.list", None, {"tasks": _ARRAY}),

    _Row(_HANDSHAKE, _NOTIFICATION, "notifications/initialized", _TO_SERVER, None, None),
    _Row(_UP_TO_2025_06, _NOTIFICATION, "notifications/cancelled", _BOTH, None, {"requestId": IdKind.REQUEST}),
    _Row(_2025_11, _NOTIFICATION, "notifications/cancelled", _BOTH, None, {"requestId?": IdKind.REQUEST}),
    _Row(_HANDSHAKE, _NOTIFICATION, "notifications/progress", _BOTH, None, _PROGRESS),
    _Row(_HANDSHAKE, _NOTIFICATION, "notifications/message", _TO_CLIENT, "server logging", _LOG),
    _Row(_HANDSHAKE, _NOTIFICATION, "notifications/tools/list_changed", _TO_CLIENT, "server tools.listChanged", None),
    _Row(_HANDSHAKE, _NOTIFICATION, "notifications/prompts/list_changed", _TO_CLIENT, "server prompts.listChanged",
         None),
    _Row(_HANDSHAKE, _NOTIFICATION, "notifications/resources/list_changed", _TO_CLIENT,
         "server resources.listChanged", None),
    _Row(_HANDSHAKE, _NOTIFICATION, "notifications/resources/updated", _TO_CLIENT, "server resources.subscribe", _URI),
    _Row(_HANDSHAKE, _NOTIFICATION, "notifications/roots/list_changed", _TO_SERVER, "client roots.listChanged", None),
    _Row(_2025_11, _NOTIFICATION, "notifications/elicitation/complete", _TO_CLIENT, "client elicitation.url",
         {"elicitationId": _STRING}),
    _Row(_2025_11, _NOTIFICATION, "notifications/tasks/status", _BOTH, "sender tasks", _TASK),

    _Row(_DRAFT, _REQUEST, "subscriptions/listen", _TO_SERVER, None, {"notifications": _FILTER}),
    _Row(_DRAFT, _NOTIFICATION, "notifications/subscriptions/acknowledged", _TO_CLIENT, None,
         {"_meta": _ON_STREAM, "notifications": _FILTER}),
    _Row(_DRAFT, _NOTIFICATION, "notifications/tools/list_changed", _TO_CLIENT, None, {"_meta": _ON_STREAM}),
    _Row(_DRAFT, _NOTIFICATION, "notifications/prompts/list_changed", _TO_CLIENT, None, {"_meta": _ON_STREAM}),
    _Row(_DRAFT, _NOTIFICATION, "notifications/resources/list_changed", _TO_CLIENT, None, {"_meta": _ON_STREAM}),
    _Row(_DRAFT, _NOTIFICATION, "notifications/resources/updated", _TO_CLIENT, None,
         {"_meta": _ON_STREAM, "uri": _STRING}),
    _Row(_DRAFT, _NOTIFICATION, "notifications/cancelled", _TO_SERVER, None, {"requestId": IdKind.REQUEST}),

    _Row(_2026_07, _REQUEST, "server/discover", _TO_SERVER, None, None,
         {"supportedVersions": Type.STRINGS, "capabilities": _OBJECT, **_CACHE}),
    _Row(_2026_07, _REQUEST, "tools/list", _TO_SERVER, "server tools", None, {"tools": _ARRAY, **_CACHE}),
    _Row(_2026_07, _REQUEST, "tools/call", _TO_SERVER, "server tools", _NAMED, _or_input({"content": _ARRAY})),
    _Row(_2026_07, _REQUEST, "resources/list", _TO_SERVER, "server resources", None, {"resources": _ARRAY, **_CACHE}),
    _Row(_2026_07, _REQUEST, "resources/templates/list", _TO_SERVER, "server resources", None,
         {"resourceTemplates": _ARRAY, **_CACHE}),
    _Row(_2026_07, _REQUEST, "resources/read", _TO_SERVER, "server resources", _URI,
         _or_input({"contents": _ARRAY, **_CACHE})),
    _Row(_2026_07, _REQUEST, "subscriptions/listen", _TO_SERVER, None, {"notifications": _FILTER},
         {"_meta": _ON_STREAM}),
    _Row(_2026_07, _REQUEST, "prompts/list", _TO_SERVER, "server prompts", None, {"prompts": _ARRAY, **_CACHE}),
    _Row(_2026_07, _REQUEST, "prompts/get", _TO_SERVER, "server prompts", _NAMED, _or_input({"messages": _ARRAY})),
    _Row(_2026_07, _REQUEST, "completion/complete", _TO_SERVER, "server completions", _COMPLETE, _COMPLETION),
    _Row(_2026_07, _EMBEDDED, "sampling/createMessage", _TO_CLIENT, "client sampling", _SAMPLE, _SAMPLED_OR_MORE),
    _Row(_2026_07, _EMBEDDED, "roots/list", _TO_CLIENT, "client roots", None, {"roots": _ARRAY}),
    _Row(_2026_07, _EMBEDDED, "elicitation/create", _TO_CLIENT, "client elicitation",
         _elicit({"message": _STRING, "url": _STRING}), _ELICITED),

    _Row(_2026_07, _NOTIFICATION, "notifications/cancelled", _BOTH, None, {"requestId": IdKind.REQUEST}),
    _Row(_2026_07, _NOTIFICATION, "notifications/progress", _TO_CLIENT, None, _PROGRESS),
    _Row(_2026_07, _NOTIFICATION, "notifications/message", _TO_CLIENT, "server logging", _LOG),
    _Row(_2026_07, _NOTIFICATION, "notifications/tools/list_changed", _TO_CLIENT, "server tools.listChanged", None),
    _Row(_2026_07, _NOTIFICATION, "notifications/prompts/list_changed", _TO_CLIENT, "server prompts.listChanged", None),
    _Row(_2026_07, _NOTIFICATION, "notifications/resources/list_changed", _TO_CLIENT, "server resources.listChanged",
         None),
    _Row(_2026_07, _NOTIFICATION, "notifications/resources/updated", _TO_CLIENT, "server resources.subscribe", _URI),
    _Row(_2026_07, _NOTIFICATION, "notifications/subscriptions/acknowledged", _TO_CLIENT, None,
         {"notifications": _FILTER}),
)
# fmt: on

# What every message of a kind has in its params, and every answer in its result, besides what its own row says.
_MAY_HAVE_TOKEN: dict[str, Shape] = {"_meta?": {"progressToken?": IdKind.PROGRESS}}
_MAY_BE_ON_STREAM: dict[str, Shape] = {"_meta?": {f"{SUBSCRIPTION_ID}?": IdKind.SUBSCRIPTION}}
_SELF_DESCRIBING: dict[str, Shape] = {
    "_meta": {PROTOCOL_VERSION: _STRING, CLIENT_CAPABILITIES: _OBJECT, "progressToken?": IdKind.PROGRESS}
}
_EVERY_PARAMS: Mapping[tuple[Version, Kind], dict[str, Shape]] = {
    **{(version, Kind.REQUEST): _MAY_HAVE_TOKEN for version in _HANDSHAKE},
    (Version.V2026_07_28, Kind.REQUEST): _SELF_DESCRIBING,
    (Version.V2026_07_28, Kind.NOTIFICATION): _MAY_BE_ON_STREAM,
}
_EVERY_RESULT: Mapping[tuple[str, Kind], Shape] = {
    (Version.V2026_07_28, Kind.REQUEST): {"resultType": _STRING},
}


def _entry(row: _Row, version: Version) -> Entry:
    every = _EVERY_PARAMS.get((version, row.kind), {})
    params = (every,) if row.params is None else (every, row.params)
    required = row.params is not None or any(not optional for _, optional, _ in shapes.members(every))
    result = None if row.result is None else (_EVERY_RESULT.get((version, row.kind), {}), row.result)
    return Entry(
        row.method, version, row.kind, row.direction, _gate(row.capability), params, required, result,
        hidden=(
            *(hidden for shape in params for hidden in shapes.hidden_ids(shape, ("params",))),
            *(hidden for shape in result or () for hidden in shapes.hidden_ids(shape, ("result",))),
        ),
        params_fit=_both_fit(shapes.predicate(every), shapes.predicate({} if row.params is None else row.params)),
    )  # fmt: skip


def _both_fit(one: Callable[[JSON], bool], other: Callable[[JSON], bool]) -> Callable[[JSON], bool]:
    return lambda body: one(body) and other(body)


def _gate(capability: str | None) -> Gate | None:
    if capability is None:
        return None
    owner, place = capability.split()
    return Gate(Owner(owner), tuple(place.split(".")))


CATALOGUE: Mapping[str, Mapping[str, Entry]] = {
    version: {row.method: _entry(row, version) for row in _TABLE if version in row.versions} for version in Version
}

# Where ids can be in messages that the catalogue does not list, so that those of an extension are renamed too.
_HIDDEN_IN_UNLISTED: Mapping[type[Message], tuple[HiddenId, ...]] = {
    Request: tuple(shapes.hidden_ids(_MAY_HAVE_TOKEN, ("params",))),
    Notification: tuple(shapes.hidden_ids(_MAY_BE_ON_STREAM, ("params",))),
    Result: tuple(shapes.hidden_ids(_MAY_BE_ON_STREAM, ("result",))),
    Error: (),
}


def find(method: str, version: str) -> Entry | None:
    """The method as this MCP version has it, or None if it has none, or is no version that we know."""
    return CATALOGUE.get(version, {}).get(method)


def check_params(method: str, params: JSON, version: str) -> list[Fault]:
    """Everything missing or mistyped in the params of a request or notification; None stands for absent params."""
    entry = _known(method, version)
    if params is None:
        return [Fault(("params",), missing=True, required=Type.OBJECT.words)] if entry.params_required else []
    return _check(entry.params, params, "params")


def check_result(method: str | None, result: JSON, version: str) -> list[Fault]:
    """Everything missing or mistyped in the result that answers a method; a Violation if it has no result.

    Where the method is not known, None, only what all results of the version have in common is judged.
    """
    if method is None:
        _methods(version)
        return _check((_EVERY_RESULT.get((version, Kind.REQUEST), {}),), result, "result")
    entry = _known(method, version)
    if entry.result is None:
        raise Violation(ErrorClass.UNEXPECTED_RESULT, "result", f"{method} of MCP {version} is not answered by one")
    return _check(entry.result, result, "result")


def validate(message: Message, version: str, *, method: str | None = None, sender: Side | None = None) -> None:
    """Raise a Violation, naming the member at fault, unless the message is one of this MCP version.

    `method` is the method that a Result answers, if known. `sender` is the side that a Request or Notification came
    from, where that is to be judged too. An Error is right in every version. UNKNOWN_METHOD is all that is said of a
    method that is not listed: it may be an extension's.
    """
    if isinstance(message, Error):
        return
    if isinstance(message, Result):
        found = check_result(method, message.result, version)
    else:
        _refuse_misplaced(message, _known(message.method, version), sender)
        found = check_params(message.method, message.params, version)
    if found:
        fault = found[0]
        error_class = ErrorClass.MISSING_MEMBER if fault.missing else ErrorClass.MISTYPED_MEMBER
        raise Violation(error_class, paths.text(fault.path), f"{fault.required} is required in MCP {version}")


def hidden_ids(message: Message, version: str, *, method: str | None = None) -> tuple[HiddenId, ...]:
    """The places in this message where ids stand that have to be renamed with what they name.

    The id of the message itself is not among them. `method` is the method that a Result answers. In what the catalogue
    does not list, ids are looked for where any message can have them.
    """
    named = message.method if isinstance(message, (Request, Notification)) else method
    entry = None if named is None else find(named, version)
    if entry is None or (entry.result is None and isinstance(message, Result)):
        places = _HIDDEN_IN_UNLISTED[type(message)]
    else:
        places = entry.hidden
    return tuple(hidden for hidden in places if is_id(_read(message, hidden.path)))


def rewrite_ids(
    message: Message, version: str, function: Callable[[IdKind, Id], Id], *, method: str | None = None
) -> Message:
    """A message in which `function(kind, id)` stands in place of each hidden id; the given one is not changed."""
    for hidden in hidden_ids(message, version, method=method):
        part, *inner = hidden.path
        body = paths.rewrite(getattr(message, part), tuple(inner), partial(function, hidden.kind))
        message = replace(message, **{part: body})
    return message


def _refuse_misplaced(message: Request | Notification, entry: Entry, sender: Side | None) -> None:
    kind = Kind.REQUEST if isinstance(message, Request) else Kind.NOTIFICATION
    if entry.kind is not kind:
        detail = f"{entry.method} is no {kind} in MCP {entry.version}, but of the kind {entry.kind}"
        raise Violation(ErrorClass.UNKNOWN_METHOD, "method", detail)
    if sender is not None and sender not in entry.direction.senders:
        detail = f"the {sender} does not send {entry.method} in MCP {entry.version}"
        raise Violation(ErrorClass.WRONG_DIRECTION, "method", detail)


def _read(message: Message, path: Path) -> JSON:
    part, *inner = path
    return paths.read(getattr(message, part, None), tuple(inner))


def _check(wanted: tuple[Shape, ...], body: JSON, part: str) -> list[Fault]:
    if type(body) is not dict:
        return [Fault((part,), missing=False, required=Type.OBJECT.words)]
    return [fault for shape in wanted for fault in shapes.faults(shape, body, (part,))]


def _known(method: str, version: str) -> Entry:
    entry = _methods(version).get(method)
    if entry is None:
        raise Violation(ErrorClass.UNKNOWN_METHOD, "method", f"MCP {version} has no {shown(method)}")
    return entry


def _methods(version: str) -> Mapping[str, Entry]:
    methods = CATALOGUE.get(version)
    if methods is None:
        raise Violation(ErrorClass.UNKNOWN_MCP_VERSION, "version", f"{shown(version)} is no MCP version we know")
    return methods
