"""How each revision writes each message: kind, tags and content, as the seeds print them.

Written by hand from the seeds and the ledgers in spec/requirements, as the ground of the session scripts. Nothing here
comes from the package's own tables: two writings of one text can disagree, and then one of them is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from vectors.source.writing import public

ALICE, BOB, CAROL, DAVE, MALLORY = (public(role) for role in ("alice", "bob", "carol", "dave", "mallory"))
SERVER_ID = "server-1"
PMI = "bitcoin-lightning-bolt11"
# When a revision dates its wraps, and our rule for that.
WRAP_TIMES = {
    "now": ("A wrap is dated at the present", "HOUSE-TIME-09"),
    "past": ("A wrap is dated in the past, at most two days ago", "HOUSE-TIME-08"),
}
ANY_TEXT = {"$text": "any"}
ANY_ID = {"$id": "any"}
# How a list is asked for, and the kinds on which it is announced: up to ctxvm-draft, and in contextvm.
ANNOUNCED_LISTS = {
    "tools": ("tools/list", 31317, 11317),
    "resources": ("resources/list", 31318, 11318),
    "resourceTemplates": ("resources/templates/list", 31318, 11319),
    "prompts": ("prompts/list", 31319, 11320),
}
LISTS = tuple(method for method, _, _ in ANNOUNCED_LISTS.values())

Tags = list[list[str]]


@dataclass(frozen=True)
class Form:
    """One message on the wire: content is a JSON value, or "" for none; optional tags are among the tags.

    The value of a free tag, or of a free member of content, is the sender's choice.
    """

    kind: int
    tags: Tags
    content: Any
    optional: Tags = field(default_factory=list)
    free_tags: tuple[str, ...] = ()
    free_members: tuple[str, ...] = ()

    def with_tags(self, *tags: list[str]) -> Form:
        """The same with these tags too."""
        return replace(self, tags=[*self.tags, *map(list, tags)])

    def with_optional(self, *tags: list[str]) -> Form:
        """The same with these tags too, which a sender may leave out."""
        return replace(self.with_tags(*tags), optional=[*self.optional, *map(list, tags)])

    def without(self, name: str) -> Form:
        """The same without the tags of one name."""
        assert any(tag[0] == name for tag in self.tags), f"there is no tag {name}"
        left = [[tag for tag in tags if tag[0] != name] for tags in (self.tags, self.optional)]
        return replace(self, tags=left[0], optional=left[1])

    def put(self, name: str, *values: str) -> Form:
        """The same with other values for one tag."""
        return self.without(name).with_tags([name, *values])

    def saying(self, content: Any) -> Form:
        return replace(self, content=content)


def _tag(name: str, value: str | None) -> Tags:
    return [] if value is None else [[name, value]]


@dataclass(frozen=True)
class Dialect:
    """A revision. `prefix` begins the ids of its cases, `ledger` the ids of its requirements."""

    name: str
    prefix: str
    ledger: str
    request_kind: int
    response_kind: int
    notification_kind: int
    whole: bool  # jsonrpc and id travel; else neither does, and a result's members stand at the root
    method_tags: bool  # every request and notification has a method tag
    server_ids: bool  # s and d travel
    e_suffices: bool  # the seed prints responses with e alone, so that p is left to the sender
    wraps: tuple[int, ...] = ()
    wrap_time: str | None = None
    mcp_version: str = "2025-03-26"

    # what both sides need

    def body(self, message: dict[str, Any]) -> dict[str, Any]:
        """A JSON-RPC message as content has it."""
        if self.whole:
            return {"jsonrpc": "2.0", **message}
        if "result" in message:
            return dict(message["result"])
        return {name: value for name, value in message.items() if name != "id"}

    @staticmethod
    def called(method: str, params: Any) -> dict[str, Any]:
        return {"method": method} if params is None else {"method": method, "params": params}

    def server(self, server_id: str | None) -> str | None:
        return server_id if self.server_ids else None

    def shared_id(self, request_event_id: str, request_id: Any) -> Any:
        """What names a request inside a body: its JSON-RPC id where it travels, else the id of its event."""
        return request_id if self.whole else request_event_id

    # a client's messages

    def request(
        self, method: str, params: Any = None, id: Any = 1, *, server_id: str | None = SERVER_ID, to: str = BOB
    ) -> Form:
        body = self.body({"id": id, **self.called(method, params)})
        server_id = self.server(server_id)
        if method == "initialize":
            tags = [["p", to], *_tag("s", server_id)]
            tagged = self.method_tags or self.name == "ctxvm-draft"
            return Form(
                self.request_kind,
                tags + (_tag("method", method) if tagged else []),
                body,
                optional=_tag("s", server_id),
            )
        if self.method_tags:
            tags = [["method", method], ["p", to], *_tag("s", server_id)]
            return Form(self.request_kind, tags, body, _tag("s", server_id) if method == "ping" else [])
        listed = self.name == "ctxvm-draft" and method in LISTS
        extra = _tag("s", server_id) + (_tag("method", method) if listed else [])
        return Form(self.request_kind, [["p", to], *extra], body, extra)

    def initialize(self, params: dict[str, Any], id: Any = 0, *, server_id: str | None = SERVER_ID) -> Form:
        return self.request("initialize", params, id, server_id=server_id)

    @property
    def has_initialized(self) -> bool:
        """Rev1 knows no such step."""
        return self.name != "dvmcp-rev1"

    def initialized(self, *, server_id: str | None = SERVER_ID) -> Form:
        method = "notifications/initialized"
        tags = [["p", BOB], *_tag("s", self.server(server_id))]
        return Form(
            self.notification_kind,
            tags + (_tag("method", method) if self.method_tags else []),
            self.body(self.called(method, None)),
        )

    def to_server(
        self,
        method: str,
        params: Any = None,
        *,
        request: str | None = None,
        server_id: str | None = SERVER_ID,
        to: str = BOB,
    ) -> Form:
        """A client's notification; `request` is the id of the event it belongs to."""
        server_id = self.server(server_id)
        optional = [] if self.name == "dvmcp-rev1" else _tag("s", server_id)
        return self._notification(method, params, to, _tag("s", server_id), _tag("e", request), optional)

    def cancel(
        self,
        request: str,
        request_id: Any,
        *,
        reason: str | None = None,
        server_id: str | None = SERVER_ID,
        to: str = BOB,
    ) -> Form:
        """A client's cancel of the request of this event id and JSON-RPC id."""
        method, params = self._cancelled(request, request_id, reason)
        form = self.to_server(method, params, request=request, server_id=server_id, to=to)
        return form if self.name == "ctxvm-draft" else replace(form, optional=[*form.optional, ["e", request]])

    def answer(self, request: str, request_id: Any, result: dict[str, Any], *, to: str = BOB) -> Form:
        """A client's response to a request of the server."""
        return self._response(request, to, {"id": request_id, "result": result})

    def refusal(self, request: str, request_id: Any, code: int, message: Any = ANY_TEXT, *, to: str = BOB) -> Form:
        """A client's error to a request of the server."""
        return self._response(request, to, {"id": request_id, "error": {"code": code, "message": message}})

    # a server's messages

    def response(
        self,
        request: str,
        request_id: Any,
        result: dict[str, Any],
        *,
        method: str | None = None,
        to: str = ALICE,
        server_id: str | None = SERVER_ID,
    ) -> Form:
        """The answer to the request of this event id and JSON-RPC id; that to initialize names the server in d."""
        form = self._response(request, to, {"id": request_id, "result": result})
        if method == "initialize" and self.server_ids and server_id is not None:
            return form.with_tags(["d", server_id])
        return form

    def error(
        self,
        request: str,
        request_id: Any,
        code: int,
        message: Any = ANY_TEXT,
        data: Any = None,
        *,
        method: str | None = None,
        to: str = ALICE,
        server_id: str | None = SERVER_ID,
    ) -> Form:
        error = {"code": code, "message": message} | ({} if data is None else {"data": data})
        form = self._response(request, to, {"id": request_id, "error": error})
        if method == "initialize" and self.server_ids and server_id is not None:
            return form.with_optional(["d", server_id])
        return form

    def to_client(
        self,
        method: str,
        params: Any = None,
        *,
        request: str | None = None,
        to: str = ALICE,
        server_id: str | None = SERVER_ID,
    ) -> Form:
        """A server's notification. Rev1 demands s, the later ones leave it open, ctxvm-draft prints none."""
        if self.name in ("ctxvm-draft", "contextvm"):
            return self._notification(method, params, to, [], _tag("e", request), [])
        optional = [] if self.name == "dvmcp-rev1" else _tag("s", server_id)
        return self._notification(method, params, to, _tag("s", server_id), _tag("e", request), optional)

    def progress(
        self, request: str, request_id: Any, token: Any, progress: Any, message: str, *, to: str = ALICE, **more: Any
    ) -> Form:
        """Progress of a request, with the caller's own token; the DVMCP revisions repeat the request's id in params."""
        params = {"progressToken": token, "progress": progress, "message": message, **more}
        if self.method_tags:
            params["id"] = self.shared_id(request, request_id)
        form = self.to_client("notifications/progress", params, request=request, to=to)
        return replace(form, optional=[*form.optional, ["e", request]]) if self.name == "contextvm" else form

    def server_cancel(self, request: str, request_id: Any, *, reason: str | None = None, to: str = ALICE) -> Form:
        """A server's cancel: of a request of its own, or of a subscription."""
        method, params = self._cancelled(request, request_id, reason)
        form = self.to_client(method, params, request=request, to=to)
        return form.with_optional(["s", SERVER_ID]) if self.name == "ctxvm-draft" else form

    def server_request(
        self, method: str, params: Any = None, id: Any = 1, *, to: str = ALICE, server_id: str | None = SERVER_ID
    ) -> Form:
        """A request of the server to a client."""
        form = self.request(method, params, id, server_id=server_id, to=to)
        return replace(form, optional=[tag for tag in form.tags if tag[0] in ("s", *(tag[0] for tag in form.optional))])

    def demand(
        self,
        request: str,
        amount: int,
        invoice: str,
        *,
        to: str = ALICE,
        expiration: int | None = None,
        description: str | None = None,
        server_id: str | None = SERVER_ID,
    ) -> Form:
        """A demand for payment: tags and no content in the DVMCP revisions, a notification in the others."""
        if self.method_tags:
            tags = [["p", to], *_tag("s", server_id), ["status", "payment-required"], ["amount", str(amount), invoice]]
            ends = [] if expiration is None or self.name != "dvmcp-rev1" else [["expiration", str(expiration)]]
            own = [["p", to], *_tag("s", server_id), *ends]
            return Form(self.notification_kind, [*tags, ["e", request], *ends], "", own)
        params: dict[str, Any] = {"amount": amount}
        if self.name == "ctxvm-draft":
            params |= {"currency": "sats", "invoice": invoice}
        else:
            params |= {"pay_req": invoice, "pmi": PMI}
        if description is not None:
            params["description"] = description
        return self.to_client("notifications/payment_required", params, request=request, to=to)

    def payment_accepted(self, request: str, amount: int, *, to: str = ALICE) -> Form:
        assert self.name == "contextvm"
        params = {"amount": amount, "pmi": PMI}
        return self.to_client("notifications/payment_accepted", params, request=request, to=to)

    def price_tag(self, type: str, capability: str, amount: str, unit: str = "sats") -> list[str]:
        """The cap tag of a priced capability."""
        named = f"{type}:{capability}" if self.name == "contextvm" else capability
        return ["cap", named, amount, unit]

    def announcement(self, result: dict[str, Any], *, server_id: str = SERVER_ID, encryption: bool = False) -> Form:
        """A server's announcement, without words for people."""
        wrapped = self.name in ("dvmcp-rev1", "dvmcp-rev1-ephemeral")
        content = {"jsonrpc": "2.0", "id": 1, "result": result} if wrapped else result
        if self.name == "contextvm":
            flags = [["support_encryption"], ["support_encryption_ephemeral"]] if encryption else []
            return Form(11316, flags, content)
        kinds = [["k", str(self.request_kind)]] if self.method_tags else []
        flags = [["support_encryption"]] if encryption and self.name == "ctxvm-draft" else []
        return Form(31316, [["d", server_id], *kinds, *flags], content, free_members=("id",) if wrapped else ())

    def tool_list(self, tools: list[dict[str, Any]], *, server_id: str = SERVER_ID) -> Form:
        """The announcement of a list of tools without prices."""
        return self.list_of("tools", tools, server_id=server_id)

    def list_of(self, member: str, items: list[dict[str, Any]], *, server_id: str = SERVER_ID) -> Form:
        """The announcement of a list without prices; `member` is where its items stand."""
        wrapped = self.name in ("dvmcp-rev1", "dvmcp-rev1-ephemeral")
        content = {"jsonrpc": "2.0", "id": 1, "result": {member: items}} if wrapped else {member: items}
        method, kind, replaceable_kind = ANNOUNCED_LISTS[member]
        if self.name == "contextvm":
            return Form(replaceable_kind, [], content)
        name = {"dvmcp-rev1": "t", "ctxvm-draft": None}.get(self.name, "cap")
        named = [] if name is None else [[name, item["name"]] for item in items]
        tags = [["d", f"{server_id}/{method}"], ["s", server_id], *named]
        return Form(kind, tags, content, free_tags=("d",), free_members=("id",) if wrapped else ())

    # how they are put together

    def _response(self, request: str, to: str, message: dict[str, Any]) -> Form:
        tags = [["p", to], ["e", request]]
        return Form(self.response_kind, tags, self.body(message), [["p", to]] if self.e_suffices else [])

    def _notification(self, method: str, params: Any, to: str, s: Tags, e: Tags, optional: Tags) -> Form:
        method_tag = _tag("method", method) if self.method_tags else []
        tags = [["p", to], *s, *method_tag, *e]
        return Form(self.notification_kind, tags, self.body(self.called(method, params)), optional)

    def _cancelled(self, request: str, request_id: Any, reason: str | None) -> tuple[str, dict[str, Any]]:
        name = self.shared_id(request, request_id)
        said = {} if reason is None else {"reason": reason}
        if self.method_tags:
            return "notifications/cancel", {"id": name, **said}
        return "notifications/cancelled", {"requestId": name, **said}


REV1 = Dialect("dvmcp-rev1", "r1", "R1", 5910, 6910, 21316, True, True, True, True)
EPHEMERAL = Dialect("dvmcp-rev1-ephemeral", "r1e", "R1E", 25910, 26910, 21316, True, True, True, True)
REV1_1 = Dialect("dvmcp-rev1.1", "r11", "R11", 25910, 26910, 21316, False, True, True, True)
CTXVM = Dialect("ctxvm-draft", "ctx", "CTX", 25910, 25910, 25910, True, False, True, False, (1059,), "past")
CONTEXTVM = Dialect(
    "contextvm", "cvm", "CVM", 25910, 25910, 25910, True, False, False, True, (1059, 21059), "now", "2025-11-25"
)
DIALECTS = (REV1, EPHEMERAL, REV1_1, CTXVM, CONTEXTVM)
