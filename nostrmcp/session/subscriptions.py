"""subscriptions/listen: what a filter includes, what a subscription is called, for both sides and both texts of MCP."""

from __future__ import annotations

from typing import Any

from ..mcp import catalogue, paths
from ..mcp.catalogue import SUBSCRIPTION_ID, Version
from ..mcp.jsonrpc import Id, Notification, Result, is_id, same_id

LISTEN = "subscriptions/listen"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
UPDATED = "notifications/resources/updated"
RESOURCES = "resourceSubscriptions"
# The flag of a filter for each type of notification, and the capability by which a 2025 server offers it.
LISTS = {
    "notifications/tools/list_changed": ("toolsListChanged", ("tools", "listChanged")),
    "notifications/prompts/list_changed": ("promptsListChanged", ("prompts", "listChanged")),
    "notifications/resources/list_changed": ("resourcesListChanged", ("resources", "listChanged")),
}
FLAGS = {flag: method for method, (flag, _) in LISTS.items()}
# Of an extension: its notifications, by the member of the filter that asks for them.
_EXTENSION = {"notifications/tasks": "taskIds"}

Filter = dict[str, Any]


def listens(version: str) -> bool:
    """Whether an MCP version has subscriptions/listen."""
    return catalogue.find(LISTEN, version) is not None


def has_last_result(version: str) -> bool:
    """Whether a subscription ends with a result; in the older text the server falls silent (SUBN-SERVE-18)."""
    entry = catalogue.find(LISTEN, version)
    return entry is not None and entry.result is not None


def name_of(request_id: Id, version: str) -> Id:
    """The subscription id of a listen request: its id, which the older text writes as a string (AMB-403)."""
    return str(request_id) if version == Version.DRAFT_2026_V1 else request_id


def is_named(value: Any, name: Id, version: str) -> bool:
    """Whether a subscription id is this one; in the older text 1 and "1" are the same."""
    if version == Version.DRAFT_2026_V1:
        return is_id(value) and str(value) == str(name)
    return same_id(value, name)


def name_in(message: Notification | Result) -> Any:
    """The subscription id in `_meta`, None without one."""
    body = message.params if isinstance(message, Notification) else message.result
    return paths.read(body, ("_meta", SUBSCRIPTION_ID))


def named(message: Notification, name: Id) -> Notification:
    """The notification with this subscription id in `_meta`."""
    params = message.params or {}
    meta = params.get("_meta")
    stamped = {**(meta if type(meta) is dict else {}), SUBSCRIPTION_ID: name}
    return Notification(message.method, {**params, "_meta": stamped})


def acknowledgement(honoured: Filter, name: Id) -> Notification:
    return Notification(ACKNOWLEDGED, {"_meta": {SUBSCRIPTION_ID: name}, "notifications": honoured})


def last_result(request_id: Id, name: Id) -> Result:
    """The result that ends a subscription in order (SUBF-END-02, SUBF-END-05, SUBF-END-06)."""
    return Result(request_id, {"resultType": "complete", "_meta": {SUBSCRIPTION_ID: name}})


def filter_in(params: dict[str, Any] | None) -> Filter:
    """What a filter asks for: false and empty ask for nothing (SUBF-FILT-02)."""
    given = (params or {}).get("notifications")
    return {key: value for key, value in given.items() if value not in (False, [])} if type(given) is dict else {}


def common(requested: Filter, acknowledged: Filter) -> Filter:
    """The part of an acknowledgement that was requested (SUBN-ACK-03)."""
    both = {key: value for key, value in acknowledged.items() if key in requested}
    uris = both.pop(RESOURCES, None)
    wanted = requested.get(RESOURCES)
    if type(uris) is list and type(wanted) is list:
        agreed = [uri for uri in uris if uri in wanted and type(uri) is str]
        both |= {RESOURCES: agreed} if agreed else {}
    return both


def includes(honoured: Filter, message: Notification) -> bool:
    """Whether a notification is one that a filter asks for (SUBF-OPEN-02, SUBN-DATA-02)."""
    if message.method in LISTS:
        return honoured.get(LISTS[message.method][0]) is True
    if message.method == UPDATED:
        uri, wanted = (message.params or {}).get("uri"), honoured.get(RESOURCES, [])
        return type(uri) is str and any(uri == one or uri.startswith(f"{one}/") for one in wanted)
    return _EXTENSION.get(message.method) in honoured


def offered(requested: Filter, capabilities: dict[str, Any]) -> Filter:
    """The part of a filter that a server with these capabilities can honour."""
    flags = {
        flag: True for flag, path in LISTS.values() if requested.get(flag) and paths.read(capabilities, path) is True
    }
    subscribes = paths.read(capabilities, ("resources", "subscribe")) is True
    return flags | ({RESOURCES: requested[RESOURCES]} if subscribes and requested.get(RESOURCES) else {})
