"""What the tests of this layer share: every message class with a route, announcements, and whatever anyone may sign."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import strategies as st

from nostrmcp.mcp import jsonrpc
from nostrmcp.mcp.jsonrpc import Error, Message, Notification, Request, Result
from nostrmcp.nostr import Event, UnsignedEvent
from nostrmcp.revisions import REVISIONS, VARIANTS, Revision
from nostrmcp.revisions.model import (
    LIST_MEMBERS,
    MESSAGES,
    MessageClass,
    PriceForm,
    TagValue,
)
from nostrmcp.translate.announce import Announcement
from nostrmcp.translate.codec import encode
from nostrmcp.translate.route import Price, RequestReference, Role, Route
from tests.mcp.strategies import ids
from tests.nostr.strategies import ALICE, BOB, bytes32, characters, json_objects, json_values, signed, texts

EVERY = REVISIONS | VARIANTS
every_revision = pytest.mark.parametrize("revision", EVERY.values(), ids=list(EVERY))
CLASSES = sorted(MESSAGES)
every_class = pytest.mark.parametrize("message_class", CLASSES)

KEYS = {Role.CLIENT: ALICE, Role.SERVER: BOB}
PUBKEYS = {role: key.public_key.x for role, key in KEYS.items()}
OTHER = {Role.CLIENT: Role.SERVER, Role.SERVER: Role.CLIENT}
NOW = 1_750_000_000


@dataclass(frozen=True)
class Sent:
    """A message of a class, its way, and the second in which it is sent."""

    message_class: MessageClass
    message: Message
    route: Route
    created_at: int = NOW

    @property
    def answers(self) -> str | None:
        return self.route.request.method if self.route.request else None

    def unsigned(self, revision: Revision) -> UnsignedEvent:
        return encode(self.message, self.route, revision, self.created_at)

    def signed(self, revision: Revision) -> Event:
        return sign(self.unsigned(revision), self.route.role)


def sign(event: UnsignedEvent, role: Role) -> Event:
    return event.sign(KEYS[role], bytes(32))


def exact(message: Message) -> str:
    """A message as text, equal only where every value has the same type too: 1, 1.0 and true are three."""
    return type(message).__name__ + json.dumps(jsonrpc.to_value(message), sort_keys=True)


def route_by(role: Role, server_id: str | None = "server-1", request: RequestReference | None = None) -> Route:
    return Route(PUBKEYS[role], PUBKEYS[OTHER[role]], role, server_id, request)


# Members

# Names that mean something to an envelope or to another spelling of the same message.
TELLING_NAMES = ("jsonrpc", "id", "method", "params", "result", "error", "code", "message", "data", "name", "status")
members = st.dictionaries(st.one_of(texts(8), st.sampled_from(TELLING_NAMES)), json_values, max_size=4)
quiet = json_objects.map(lambda value: {f"x-{name}": item for name, item in value.items()})
metas = st.fixed_dictionaries({}, optional={"_meta": st.fixed_dictionaries({"progressToken": ids})})
server_ids = st.text(characters, min_size=1, max_size=12)
event_ids = bytes32
roles = st.sampled_from(Role)
times = st.integers(1_600_000_000, 1_900_000_000)


def _merged(*parts: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.tuples(*parts).map(lambda found: {name: value for part in found for name, value in part.items()})


def _fixed(optional: dict[str, Any] | None = None, **needed: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(needed, optional=optional or {})


_infos = _fixed(name=texts(), version=texts(8))
_initialize_params = _fixed(
    {"_meta": quiet},
    protocolVersion=st.sampled_from(("2025-03-26", "2025-11-25")),
    capabilities=quiet,
    clientInfo=_infos,
)
initialize_results = _fixed(
    {"instructions": texts(), "_meta": quiet},
    protocolVersion=st.sampled_from(("2025-03-26", "2025-11-25")),
    capabilities=_fixed({"tools": quiet, "completions": st.just({}), "resources": quiet}),
    serverInfo=_infos,
)

_calls = {
    "tools/call": _merged(_fixed(name=texts(), arguments=members), metas),
    "resources/read": _fixed(uri=texts()),
    "prompts/get": _fixed({"arguments": st.dictionaries(texts(4), texts(), max_size=2)}, name=texts()),
    "completion/complete": _fixed(ref=members, argument=_fixed(name=texts(), value=texts())),
    "tools/list": _fixed({"cursor": texts()}),
    "sampling/createMessage": members,
    "anything/else": members,
}

_items = st.lists(_merged(quiet, _fixed(name=texts())), max_size=3)
_lists = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}

_notes_to_client = {
    "notifications/message": _fixed({"logger": texts()}, level=st.just("info"), data=json_values),
    "notifications/resources/updated": _merged(quiet, _fixed(uri=texts())),
    "notifications/tools/list_changed": st.none(),
    "notifications/anything": st.one_of(st.none(), members),
}
_notes_to_server = {
    "notifications/roots/list_changed": st.none(),
    "notifications/anything": st.one_of(st.none(), members),
}

amounts = st.one_of(st.integers(0, 10**6), st.integers(0, 2**63))
invoices = st.text("acdefghjklmnpqrstuvwxyz023456789", max_size=20).map("lnbc".__add__)


@st.composite
def _calls_of(draw: st.DrawFn, table: dict[str, Any]) -> tuple[str, Any]:
    method = draw(st.sampled_from(sorted(table)))
    return method, draw(table[method])


@st.composite
def references(draw: st.DrawFn, method: str = "tools/call") -> RequestReference:
    return RequestReference(draw(event_ids), method, draw(ids))


@st.composite
def prices(draw: st.DrawFn, *, whole: bool) -> tuple[Price, ...]:
    number = st.integers(0, 10**6).map(str)
    amounts_as_text = [number, st.tuples(number, number).map("-".join)]
    if not whole:
        amounts_as_text.append(st.tuples(number, number).map(".".join))
    one = st.builds(
        Price,
        st.sampled_from(("tool", "prompt", "resource")),
        texts(8),
        st.one_of(amounts_as_text),
        st.sampled_from(("sats", "usd")),
    )
    return tuple(draw(st.lists(one, max_size=3)))


@st.composite
def sent(draw: st.DrawFn, message_class: MessageClass) -> Sent:
    """A message of the class, valid by MCP, with all that its route may need."""
    created_at = draw(times)
    reference = draw(references())
    role = Role.CLIENT
    message: Message
    match message_class:
        case MessageClass.REQUEST:
            role, reference = draw(roles), None
            method, params = draw(_calls_of(_calls))
            message = Request(draw(ids), method, draw(st.sampled_from((params, None))))
        case MessageClass.INITIALIZE:
            reference = None
            message = Request(draw(ids), "initialize", draw(_initialize_params))
        case MessageClass.PING:
            role, reference = draw(roles), None
            message = Request(draw(ids), "ping", draw(st.one_of(st.none(), quiet)))
        case MessageClass.RESPONSE:
            role = draw(roles)
            plain = st.one_of(members, _fixed(content=st.lists(members, max_size=2), isError=st.booleans()))
            message = Result(reference.id, draw(plain))
        case MessageClass.LIST_RESPONSE:
            role = Role.SERVER
            method = draw(st.sampled_from(sorted(_lists)))
            reference = reference._replace(method=method)
            listed = {_lists[method]: draw(_items), **draw(_fixed({"nextCursor": texts(), "_meta": quiet}))}
            message = Result(reference.id, listed)
        case MessageClass.INITIALIZE_RESPONSE:
            role = Role.SERVER
            reference = reference._replace(method="initialize")
            message = Result(reference.id, draw(initialize_results))
        case MessageClass.ERROR:
            role = draw(roles)
            its_id = draw(st.sampled_from((reference.id, reference.id, None)))
            message = Error(its_id, draw(st.integers(-32768, 10**20)), draw(texts()), draw(json_values))
        case MessageClass.NOTIFICATION_TO_CLIENT:
            role = Role.SERVER
            message = Notification(*draw(_calls_of(_notes_to_client)))
        case MessageClass.NOTIFICATION_TO_SERVER:
            message = Notification(*draw(_calls_of(_notes_to_server)))
        case MessageClass.INITIALIZED:
            reference = None
            message = Notification("notifications/initialized", draw(st.one_of(st.none(), quiet)))
        case MessageClass.PROGRESS:
            role = draw(roles)
            number = st.one_of(st.integers(-10, 10**20), st.floats(0, 1))
            params = _fixed({"total": number, "message": texts(), "_meta": quiet}, progressToken=ids, progress=number)
            message = Notification("notifications/progress", draw(params))
        case MessageClass.CANCEL:
            role = draw(roles)
            params = draw(_fixed({"reason": texts(), "_meta": quiet}))
            message = Notification("notifications/cancelled", {"requestId": reference.id, **params})
        case MessageClass.PAYMENT_REQUIRED:
            role = Role.SERVER
            some = {"description": texts(), "expiration": st.integers(created_at + 1, 2**64 - 1), "x-more": json_values}
            demand = _fixed(some, amount=amounts, currency=st.just("sats"), invoice=invoices)
            message = Notification("notifications/payment_required", draw(demand))
    route = Route(
        PUBKEYS[role],
        PUBKEYS[OTHER[role]],
        role,
        draw(server_ids),
        reference,
        draw(prices(whole=True)),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(_fixed({name: texts() for name in ("name", "about", "picture", "website")})),
        draw(st.lists(st.sampled_from(["bitcoin-lightning-bolt11", "bitcoin-cashu"]), unique=True).map(tuple)),
    )
    return Sent(message_class, message, route, created_at)


# One ordinary message of each class

_CALL = RequestReference(bytes(range(32)), "tools/call", 7)
_LIST = _CALL._replace(method="tools/list")
_HELLO = _CALL._replace(method="initialize")
INITIALIZE_RESULT = {
    "protocolVersion": "2025-03-26",
    "capabilities": {"completions": {}},
    "serverInfo": {"name": "a", "version": "1"},
}
_SAMPLES: dict[MessageClass, tuple[Message, Role, RequestReference | None]] = {
    MessageClass.REQUEST: (Request(7, "tools/call", {"name": "a", "arguments": {}}), Role.CLIENT, None),
    MessageClass.INITIALIZE: (
        Request(7, "initialize", {
            "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"},
        }), Role.CLIENT, None),
    MessageClass.PING: (Request(7, "ping"), Role.CLIENT, None),
    MessageClass.RESPONSE: (Result(7, {"content": []}), Role.SERVER, _CALL),
    MessageClass.LIST_RESPONSE: (Result(7, {"tools": []}), Role.SERVER, _LIST),
    MessageClass.INITIALIZE_RESPONSE: (Result(7, INITIALIZE_RESULT), Role.SERVER, _HELLO),
    MessageClass.ERROR: (Error(7, -32601, "no such method"), Role.SERVER, _CALL),
    MessageClass.NOTIFICATION_TO_CLIENT: (Notification("notifications/tools/list_changed"), Role.SERVER, None),
    MessageClass.NOTIFICATION_TO_SERVER: (Notification("notifications/roots/list_changed"), Role.CLIENT, None),
    MessageClass.INITIALIZED: (Notification("notifications/initialized"), Role.CLIENT, None),
    MessageClass.PROGRESS: (
        Notification("notifications/progress", {"progressToken": "t", "progress": 1}), Role.SERVER, _CALL),
    MessageClass.CANCEL: (Notification("notifications/cancelled", {"requestId": 7}), Role.CLIENT, _CALL),
    MessageClass.PAYMENT_REQUIRED: (
        Notification("notifications/payment_required", {"amount": 5, "currency": "sats", "invoice": "lnbc50n1"}),
        Role.SERVER, _CALL),
}  # fmt: skip
SAMPLES = {
    its_class: Sent(its_class, message, route_by(role, request=reference))
    for its_class, (message, role, reference) in _SAMPLES.items()
}


def changed(event: Event, role: Role, **fields: Any) -> Event:
    """The event with some fields changed, signed again by the same side."""
    values = {name: getattr(event, name) for name in ("created_at", "kind", "tags", "content")}
    return signed(KEYS[role], **(values | fields))


# Announcements


def prices_travel(revision: Revision, message_class: MessageClass) -> bool:
    values = {rule.value for rule in revision.tags[message_class]}
    by_capability = TagValue.CAPABILITIES in values and revision.prices is not PriceForm.NONE
    return TagValue.PRICES in values or by_capability


@st.composite
def announcements(draw: st.DrawFn, revision: Revision, message_class: MessageClass) -> Announcement:
    """What the revision can announce: where tags name an item each, prices are those of its items."""
    some: dict[str, Any] = {}
    its_prices: tuple[Price, ...] = ()
    if message_class is MessageClass.SERVER:
        content = draw(initialize_results)
        some = {name: draw(st.one_of(st.none(), texts())) for name in ("name", "about", "picture", "website")}
        some |= {name: draw(st.booleans()) for name in ("encryption", "ephemeral_wraps")}
    else:
        named = draw(st.lists(texts(8), max_size=4, unique=True))
        uris = draw(st.booleans()) and message_class is MessageClass.RESOURCES
        items = [{"name": name, **({"uri": f"file:///{name}"} if uris else {}), **draw(quiet)} for name in named]
        content = {LIST_MEMBERS[message_class]: items, **draw(_fixed({"nextCursor": texts()}))}
    if prices_travel(revision, message_class):
        whole = revision.prices is PriceForm.TYPED
        its_prices = draw(prices(whole=whole))
        if message_class is not MessageClass.SERVER:
            listed = {MessageClass.TOOLS: "tool", MessageClass.PROMPTS: "prompt"}.get(message_class, "resource")
            its_prices = tuple(replace(price, type=listed) for price in its_prices)
        if any(rule.value is TagValue.CAPABILITIES for rule in revision.tags[message_class]):
            capabilities = [item.get("uri", item["name"]) for item in content[LIST_MEMBERS[message_class]]]
            its_prices = tuple(
                replace(price, capability=capability)
                for price, capability in zip(its_prices, capabilities, strict=False)
            )
    server_id = draw(server_ids) if revision.server_ids else None
    return Announcement(message_class, PUBKEYS[Role.SERVER], server_id, content, prices=its_prices, **some)


# Whatever anyone may sign

KINDS = sorted(
    {1, 13, 7000, 31990}
    | {
        kind
        for revision in REVISIONS.values()
        for kind in (
            revision.kinds.request, revision.kinds.response, revision.kinds.notification,
            *revision.kinds.announcements.values(), *revision.kinds.wraps,
        )
    }
)  # fmt: skip
MESSAGE_KINDS = (5910, 6910, 25910, 26910, 21316)
_METHODS = st.one_of(
    st.sampled_from((
        "initialize", "ping", "tools/call", "tools/list", "notifications/initialized", "notifications/progress",
        "notifications/cancelled", "notifications/cancel", "notifications/payment_required",
        "notifications/payment_accepted", "notifications/message", "notifications/resources/updated",
    )),
    texts(8),
)  # fmt: skip
_HEX = st.one_of(bytes32.map(bytes.hex), st.sampled_from(("", "AB" * 32, "ab" * 31)))
_VOCABULARY: dict[str, st.SearchStrategy[str]] = {
    "p": _HEX,
    "e": _HEX,
    "s": texts(6),
    "d": texts(6),
    "k": st.sampled_from(("5910", "25910", "", "x")),
    "t": texts(4),
    "c": texts(4),
    "cap": st.one_of(texts(4), st.sampled_from(("tool:a", "other:a"))),
    "method": _METHODS,
    "status": st.sampled_from(("payment-required", "processing", "")),
    "amount": st.one_of(st.integers(0, 99).map(str), st.sampled_from(("", "-1", "1.5", "²", "٣"))),
    "invoice": st.sampled_from(("lnbc1", "x")),
    "expiration": st.sampled_from(("1", "x", "9" * 30, "")),
    "support_encryption": st.sampled_from(("true", "false", "")),
    "support_encryption_ephemeral": st.just(""),
    "name": texts(4),
}


@st.composite
def _arbitrary_tag(draw: st.DrawFn) -> tuple[str, ...]:
    name = draw(st.sampled_from(sorted(_VOCABULARY)))
    more = st.sampled_from(("1", "10-20", "1.5", "sats", "lnbc1", "x", ""))
    value = (draw(_VOCABULARY[name]),) if draw(st.integers(0, 9)) else ()
    return (name, *value, *(draw(st.lists(more, max_size=2)) if value else ()))


_demands = _fixed(
    {"pmi": st.sampled_from(("bitcoin-lightning-bolt11", "Cash", "")), "pay_req": texts(4), "ttl": json_values},
    amount=st.one_of(amounts, json_values),
    invoice=st.one_of(invoices, json_values),
)
_params = st.one_of(
    members,
    json_values,
    _demands,
    _fixed({"id": st.one_of(ids, json_values), "requestId": st.one_of(ids, json_values), "reason": texts()}),
    _fixed({"id": st.one_of(ids, json_values), "progressToken": ids, "progress": json_values, "uri": texts()}),
)
_some_list = st.one_of(_items, st.lists(json_values, max_size=2), json_values)
_results = st.one_of(
    members,
    json_values,
    initialize_results,
    st.dictionaries(st.sampled_from(("tools", "resources", "resourceTemplates", "prompts")), _some_list, max_size=2),
)
_errors = st.one_of(json_values, _fixed({"data": json_values}, code=st.integers(), message=texts()))
_bodies = _fixed(
    {
        "jsonrpc": st.one_of(st.just("2.0"), st.just("2.0"), json_values),
        "id": st.one_of(ids, json_values),
        "method": st.one_of(_METHODS, _METHODS, json_values),
        "params": _params,
        "result": _results,
        "error": _errors,
        "tools": _some_list,
    }
)
_likely_bodies = st.one_of(
    _fixed({"params": _params}, jsonrpc=st.just("2.0"), id=ids, method=_METHODS),
    _fixed({"params": _params}, jsonrpc=st.just("2.0"), method=_METHODS),
    _fixed({"jsonrpc": st.just("2.0"), "id": ids}, result=_results),
    _fixed({"jsonrpc": st.just("2.0"), "id": ids}, error=_errors),
    _results,
)
_contents = st.one_of(
    _likely_bodies.map(json.dumps),
    _bodies.map(json.dumps),
    st.one_of(st.just(""), texts(), json_values.map(json.dumps), st.just('{"a":1,"a":2}')),
)


@st.composite
def arbitrary_events(draw: st.DrawFn) -> Event:
    """A validly signed event of a known kind, with tags out of the vocabulary and any JSON or text in content."""
    its_tags = draw(st.lists(_arbitrary_tag(), max_size=6))
    if draw(st.booleans()):
        its_tags += [("p", PUBKEYS[Role.SERVER].hex()), ("e", "ab" * 32), ("d", "server-1"), ("s", "server-1")]
    content = draw(_contents)
    kind = draw(st.one_of(st.sampled_from(MESSAGE_KINDS), st.sampled_from(KINDS)))
    return signed(ALICE, kind=kind, tags=tuple(its_tags), content=content)
