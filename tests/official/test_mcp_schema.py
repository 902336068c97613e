"""The catalogue of methods against MCP's own schemas, and the bodies that MCP publishes as examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from nostrmcp.mcp import (
    Direction,
    Entry,
    Error,
    ErrorCode,
    IdKind,
    Notification,
    Request,
    Result,
    Side,
    Version,
    catalogue,
    jsonrpc,
    paths,
)
from nostrmcp.mcp.catalogue import CATALOGUE, Kind, Owner
from nostrmcp.mcp.paths import Path
from nostrmcp.mcp.shapes import Choice, Shape, Type, members
from nostrmcp.nostr import Violation
from tests.mcp.strategies import bodies, misfits, places, replaced_by
from tests.official import data

SUMS = {
    "mcp-schema/2024-11-05/schema.json": "61cea2392d4f284092d09bc84b9ac488c0d5618ac2b38a56942fc5b99fd960ce",
    "mcp-schema/2025-03-26/schema.json": "e720669548c8100a4282c49e580efd6ddf7f28899ea786fc8db251dbdb356131",
    "mcp-schema/2025-06-18/schema.json": "af845e7e5b9d27107d1690f0936022546177a1403e63ffb11470135b296a2e01",
    "mcp-schema/2025-11-25/schema.json": "268a5f82ba70fd7e4b6dc4aa1e64f116f74b4d0edcb69dc046829c79dd4e97e7",
    "mcp-schema/2026-07-28/schema.json": "ef70b61f99b6d2e5e3b46863822eab08dff6a45bedc7a08914e0e5b133f40203",
    "mcp-schema/2026-07-28/examples.json": "b4cd51fa6ccf8dec647a0e6dfc48245a8becd14057dc286e44767bdc273db067",
}
DATED = [version for version in Version if version is not Version.DRAFT_2026_V1]
ENTRIES = [entry for version in DATED for entry in CATALOGUE[version].values()]

# Requests whose results have other names than the requests.
RESULT_NAMES = {
    "PingRequest": "EmptyResult",
    "SubscribeRequest": "EmptyResult",
    "UnsubscribeRequest": "EmptyResult",
    "SetLevelRequest": "EmptyResult",
}

Node = dict[str, Any]
# What one form of a body requires: for each place, what must stand there.
Form = frozenset[tuple[Path, str]]


@cache
def read(path: str) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "known_sums", lambda: SUMS)
        return data.read_json(path)


class Schema:
    """One version's schema, with references followed and `allOf` merged."""

    def __init__(self, version: str) -> None:
        schema = read(f"mcp-schema/{version}/schema.json")
        self.definitions: Node = schema.get("$defs") or schema["definitions"]

    def resolved(self, node: Node) -> Node:
        while "$ref" in node:
            node = self.definitions[node["$ref"].rpartition("/")[2]]
        if "allOf" in node:
            parts = [self.resolved(part) for part in node["allOf"]]
            return {
                "type": "object",
                "properties": {name: inner for part in parts for name, inner in part.get("properties", {}).items()},
                "required": [name for part in parts for name in part.get("required", ())],
            }
        return node

    def named(self, name: str) -> Node:
        return self.resolved(self.definitions[name])

    def union(self, name: str) -> dict[str, tuple[str, Node]]:
        """The members of a union of requests or notifications: method to name and definition."""
        node = self.definitions.get(name, {"anyOf": []})
        found = {}
        # A union of one is printed as that one itself, without its name.
        for branch in node.get("anyOf", [node]):
            definition = self.resolved(branch)
            found[definition["properties"]["method"]["const"]] = (branch.get("$ref", "").rpartition("/")[2], definition)
        return found

    def at(self, node: Node, path: Path) -> Node | None:
        """The node of a member, required or not."""
        for name in path:
            properties = self.resolved(node).get("properties", {})
            if name not in properties:
                return None
            node = properties[name]
        return self.resolved(node)

    def words(self, node: Node) -> str:
        """What a leaf of a schema asks for, in the words of our own types."""
        node = self.resolved(node)
        if "enum" in node or "const" in node:
            return " or ".join(sorted(node.get("enum", [node.get("const")])))
        if "anyOf" in node:
            kinds = {self.resolved(branch)["type"] for branch in node["anyOf"]}
            return {"object": Type.OBJECT, "array object": Type.OBJECT_OR_ARRAY}[" ".join(sorted(kinds))].words
        if node.get("type") == "array" and node["items"] == {"type": "string"}:
            return Type.STRINGS.words
        if node.get("type") == "integer" and node.get("minimum") == 0:
            return Type.NATURAL.words
        if isinstance(node.get("type"), list):
            return {"integer string": "an id", "integer null": Type.INTEGER_OR_NULL.words}[
                " ".join(sorted(node["type"]))
            ]
        return {
            "string": Type.STRING,
            "integer": Type.INTEGER,
            "number": Type.NUMBER,
            "boolean": Type.BOOLEAN,
            "object": Type.OBJECT,
            "array": Type.ARRAY,
            None: Type.ANYTHING,
        }[node.get("type")].words

    def forms(self, node: Node, path: Path = ()) -> set[Form]:
        """Each form that a value may have, by what is required in it."""
        node = self.resolved(node)
        # The blocks of a sampled message are content, like those in arrays: what is in them is not looked at.
        if "anyOf" in node and path[-1:] != ("content",):
            return {form for branch in node["anyOf"] for form in self.forms(branch, path)}
        if not node.get("required"):
            return {frozenset({(path, self.words(node))})} if path else {frozenset()}
        found: set[Form] = {frozenset()}
        for name in set(node["required"]):
            inner = self.forms(node["properties"][name], (*path, name))
            found = {one | other for one in found for other in inner}
        return found

    def ids_below(self, node: Node, path: Path, above: tuple[str, ...] = ()) -> Iterator[Path]:
        """Every place, through objects, of a request id or a progress token."""
        name = node.get("$ref", "").rpartition("/")[2]
        if name in ("RequestId", "ProgressToken"):
            yield path
        elif name not in above:
            node = self.resolved(node)
            for branch in node.get("anyOf", ()):
                yield from self.ids_below(branch, path, (*above, name))
            for member, inner in node.get("properties", {}).items():
                yield from self.ids_below(inner, (*path, member), (*above, name) if name else above)


@cache
def schema_of(version: str) -> Schema:
    return Schema(version)


def calls(version: str) -> dict[str, tuple[str, Node]]:
    """Every method of a version's schema, with the name and definition of its message."""
    schema = schema_of(version)
    unions = (f"{side}{kind}" for side in ("Client", "Server") for kind in ("Notification", "Request"))
    found = schema.union("InputRequest")
    for union in unions:
        for method, (name, definition) in schema.union(union).items():
            found[method] = (name or found.get(method, ("",))[0], definition)
    return found


def result_nodes(entry: Entry) -> list[Node]:
    """The definitions of what may answer a request."""
    schema = schema_of(entry.version)
    name, definition = calls(entry.version)[entry.method]
    result_name = RESULT_NAMES.get(name) or name.replace("Request", "Result")
    nodes = [{"$ref": f"#/$defs/{result_name}"}]
    response = schema.definitions.get(f"{result_name}Response")
    if response is not None:
        result = response["properties"]["result"]
        nodes = result.get("anyOf", [result])
    params = schema.resolved(definition["properties"].get("params", {}))
    if any("task" in schema.resolved(form).get("properties", {}) for form in params.get("anyOf", [params])):
        nodes = [*nodes, {"$ref": "#/$defs/CreateTaskResult"}]
    return nodes


# Our own shapes in the same terms


def words(shape: Shape) -> str:
    if isinstance(shape, Type):
        return shape.words
    if isinstance(shape, IdKind):
        return "an id"
    if isinstance(shape, tuple):
        return " or ".join(sorted(shape))
    return Type.OBJECT.words


def forms(shape: Shape, path: Path = ()) -> set[Form]:
    if isinstance(shape, Choice):
        found = set()
        for case in (shape.absent, shape.other):
            if case is not None:
                found |= forms(case, path)
        for word, case in shape.cases.items():
            # Where a case is also what holds without the member, the member is optional and not part of the form.
            if case is not shape.absent:
                found |= {form | {((*path, shape.member), word)} for form in forms(case, path)}
        return found
    inside = members(shape) if isinstance(shape, dict) else ()
    needed = [(name, inner) for name, optional, inner in inside if not optional]
    if not needed:
        return {frozenset({(path, words(shape))})} if path else {frozenset()}
    found = {frozenset()}
    for name, inner in needed:
        found = {one | other for one in found for other in forms(inner, (*path, name))}
    return found


def all_forms(wanted: tuple[Shape, ...]) -> set[Form]:
    found: set[Form] = {frozenset()}
    for shape in wanted:
        found = {one | other for one in found for other in forms(shape)}
    return found


def optional_members(shape: Shape, path: Path) -> Iterator[tuple[Path, Shape]]:
    if isinstance(shape, dict):
        for name, optional, inner in members(shape):
            if optional:
                yield (*path, name), inner
            yield from optional_members(inner, (*path, name))


# The data


@pytest.mark.parametrize("path", SUMS)
def test_file_is_the_published_one(path: str) -> None:
    assert read(path)


# The catalogue against the schemas


@pytest.mark.parametrize(
    ("version", "requests", "notifications", "embedded"),
    [
        ("2024-11-05", 15, 9, 0),
        ("2025-03-26", 15, 9, 0),
        ("2025-06-18", 16, 9, 0),
        ("2025-11-25", 20, 11, 0),
        ("2026-07-28", 10, 8, 3),
    ],
)
def test_methods_and_directions(version: str, requests: int, notifications: int, embedded: int) -> None:
    schema = schema_of(version)
    senders: dict[tuple[Kind, str], set[Side]] = {}
    for side, union in ((Side.CLIENT, "Client"), (Side.SERVER, "Server")):
        for kind in (Kind.REQUEST, Kind.NOTIFICATION):
            for method in schema.union(f"{union}{kind.title()}"):
                senders.setdefault((kind, method), set()).add(side)
    for method in schema.union("InputRequest"):
        senders[Kind.EMBEDDED, method] = {Side.SERVER}
    listed = {(entry.kind, entry.method): set(entry.direction.senders) for entry in CATALOGUE[version].values()}
    assert listed == senders
    assert Counter(kind for kind, _ in listed) == +Counter(
        {Kind.REQUEST: requests, Kind.NOTIFICATION: notifications, Kind.EMBEDDED: embedded}
    )


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.method} {entry.version}")
def test_required_params(entry: Entry) -> None:
    _, definition = calls(entry.version)[entry.method]
    assert entry.params_required == ("params" in definition["required"])
    params = definition["properties"].get("params", {})
    assert all_forms(entry.params) == schema_of(entry.version).forms(params)


def test_required_results() -> None:
    judged: Counter[str] = Counter()
    stricter: Counter[str] = Counter()
    for entry in ENTRIES:
        if entry.result is None:
            assert entry.kind is Kind.NOTIFICATION
            continue
        schema = schema_of(entry.version)
        published = {form for node in result_nodes(entry) for form in schema.forms(node)}
        ours = all_forms(entry.result)
        more = {form for form in ours if (("resultType",), "input_required") in form}
        assert ours - more == published, entry
        judged[entry.version] += 1
        if more:
            # The schema says in prose that one of the two is there.
            assert {path for form in more for path, _ in form} == {
                ("resultType",),
                ("inputRequests",),
                ("requestState",),
            }
            stricter[entry.method] += 1
    assert judged == dict(zip(DATED, (15, 15, 16, 20, 13), strict=True))
    assert stricter == {"tools/call": 1, "prompts/get": 1, "resources/read": 1}


def generic(entry: Entry) -> list[Node]:
    """Definitions that hold for every message of a kind, where its own definition does not repeat them."""
    definitions = schema_of(entry.version).definitions
    if entry.kind is not Kind.REQUEST:
        return []
    base: Node = {"properties": {"params": definitions.get("RequestParams", {})}}
    return [definitions["JSONRPCRequest"], base]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.method} {entry.version}")
def test_optional_members_that_we_name_are_in_the_schema(entry: Entry) -> None:
    schema = schema_of(entry.version)
    _, definition = calls(entry.version)[entry.method]
    named = [place for shape in entry.params for place in optional_members(shape, ("params",))]
    for path, shape in named:
        node = next(found for one in (definition, *generic(entry)) if (found := schema.at(one, path)) is not None)
        assert schema.words(node) == words(shape), path
    if entry.result is not None:
        assert [place for shape in entry.result for place in optional_members(shape, ("result",))] == []


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.method} {entry.version}")
def test_ids_hide_where_the_schema_has_them_and_nowhere_else(entry: Entry) -> None:
    schema = schema_of(entry.version)
    _, definition = calls(entry.version)[entry.method]
    found: set[Path] = set()
    for node in (definition, *generic(entry)):
        found |= set(schema.ids_below(node["properties"].get("params", {}), ("params",)))
    if entry.result is not None:
        for node in result_nodes(entry):
            found |= set(schema.ids_below(node, ("result",)))
    assert {hidden.path for hidden in entry.hidden} == found


# The same, as a validator sees it that knows nothing of our shapes

SAMPLED_TEXT = {"type": "text", "text": ""}


def is_whole_float(value: Any) -> bool:
    return type(value) is float and value.is_integer()


def nodes_of(entry: Entry, part: str) -> list[Node]:
    if part == "params":
        return [calls(entry.version)[entry.method][1]["properties"].get("params", {})]
    return result_nodes(entry)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.method} {entry.version}")
def test_a_validator_agrees(entry: Entry) -> None:
    """What we accept is valid. Without a member that we require, or with a misfit in its place, it is not."""
    definitions = schema_of(entry.version).definitions
    for part, wanted in (("params", entry.params), ("result", entry.result)):
        if wanted is None:
            continue
        forms_of_part = {"anyOf": nodes_of(entry, part), "$defs": definitions, "definitions": definitions}
        validator = Draft202012Validator(forms_of_part)
        for body in bodies(wanted):
            # We do not look into content; a validator does.
            value = body | {"content": SAMPLED_TEXT} if body.get("content") == {} else body
            assert validator.is_valid(value), value
        least = bodies(wanted)[0]
        for path, optional, shape in (place for one in wanted for place in places(one)):
            holder = paths.read(least, path[:-1])
            if optional or holder is None:
                continue
            wrong = [{name: held for name, held in holder.items() if name != path[-1]}]
            # JSON Schema takes 1.0 for an integer; as an id we do not, since nothing tells how it would be written.
            wrong += [holder | {path[-1]: misfit} for misfit in misfits(shape) if not is_whole_float(misfit)]
            for changed in wrong:
                assert not validator.is_valid(paths.rewrite(least, path[:-1], replaced_by(changed))), changed


@pytest.mark.parametrize("version", DATED)
def test_capabilities(version: str) -> None:
    schema = schema_of(version)
    holders = {
        Owner.SERVER: ["ServerCapabilities"],
        Owner.CLIENT: ["ClientCapabilities"],
        Owner.SENDER: ["ClientCapabilities", "ServerCapabilities"],
        Owner.RECEIVER: ["ClientCapabilities", "ServerCapabilities"],
    }
    used: dict[str, set[str]] = {"ClientCapabilities": set(), "ServerCapabilities": set()}
    for entry in CATALOGUE[version].values():
        for name in holders[entry.gate.owner] if entry.gate else ():
            assert entry.gate is not None
            node = schema.at(schema.named(name), entry.gate.path)
            assert node is not None, entry
            assert node["type"] in ("object", "boolean")
            used[name].add(entry.gate.path[0])
    for name, capabilities in used.items():
        assert set(schema.named(name)["properties"]) - {"experimental", "extensions"} == capabilities


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ParseError", ErrorCode.PARSE_ERROR),
        ("InvalidRequestError", ErrorCode.INVALID_REQUEST),
        ("MethodNotFoundError", ErrorCode.METHOD_NOT_FOUND),
        ("InvalidParamsError", ErrorCode.INVALID_PARAMS),
        ("InternalError", ErrorCode.INTERNAL_ERROR),
        ("HeaderMismatchError", ErrorCode.HEADER_MISMATCH),
        ("MissingRequiredClientCapabilityError", ErrorCode.MISSING_REQUIRED_CLIENT_CAPABILITY),
        ("UnsupportedProtocolVersionError", ErrorCode.UNSUPPORTED_PROTOCOL_VERSION),
    ],
)
def test_codes(name: str, code: ErrorCode) -> None:
    schema = schema_of("2026-07-28")
    node = schema.at(schema.named(name), ("error", "code")) or schema.at(schema.named(name), ("code",))
    assert node is not None
    assert node["const"] == code


# The published examples

VERSION = Version.V2026_07_28
# The one example that lacks members which its own type, ReadResourceResult, requires. The schema lets it pass because a
# response may also hold an InputRequiredResult, of which only resultType is required.
INCOMPLETE = ("ReadResourceResultResponse", "read-resource-result-response")
# Params of which the type does not name the method.
PARAMS = {
    "PaginatedRequestParams": ("tools/list", "prompts/list", "resources/list", "resources/templates/list"),
    "ElicitRequestFormParams": ("elicitation/create",),
    "ElicitRequestURLParams": ("elicitation/create",),
}


def examples() -> list[tuple[str, str, Any]]:
    published = read("mcp-schema/2026-07-28/examples.json")
    return [(kind, name, body) for kind, named in published.items() for name, body in named.items()]


def judge(kind: str, name: str, body: Any) -> str:
    """Pass one example through whatever of ours fits it, and say what it was."""
    methods = {name: method for method, (name, _) in calls(VERSION).items()}
    if kind in methods and "jsonrpc" in body:
        message = jsonrpc.parse(body)
        assert jsonrpc.to_value(message) == body
        assert isinstance(message, (Request, Notification))
        entry = CATALOGUE[VERSION][message.method]
        for sender in entry.direction.senders:
            catalogue.validate(message, VERSION, sender=sender)
        return entry.kind.value
    if kind in methods:
        assert catalogue.check_params(methods[kind], body.get("params"), VERSION) == []
        assert CATALOGUE[VERSION][methods[kind]].kind is Kind.EMBEDDED
        return "embedded request"
    if kind.endswith("Response"):
        message = jsonrpc.parse(body)
        assert isinstance(message, Result)
        assert jsonrpc.to_value(message) == body
        method = methods[kind.replace("ResultResponse", "Request")]
        if (kind, name) == INCOMPLETE:
            faults = catalogue.check_result(method, message.result, VERSION)
            assert [paths.text(fault.path) for fault in faults] == ["result.ttlMs", "result.cacheScope"]
            with pytest.raises(Violation, match=r"missing_member: result\.ttlMs"):
                catalogue.validate(message, VERSION, method=method)
            return "incomplete response"
        catalogue.validate(message, VERSION, method=method)
        return "response"
    if kind == "InputRequiredResult":
        for method in ("tools/call", "prompts/get", "resources/read"):
            assert catalogue.check_result(method, body, VERSION) == []
        return "result"
    if kind.endswith("Result"):
        assert catalogue.check_result(methods[kind.replace("Result", "Request")], body, VERSION) == []
        return "result"
    if kind.endswith("Params"):
        for method in PARAMS.get(kind) or (methods[kind.removesuffix("Params")],):
            assert catalogue.check_params(method, body, VERSION) == []
        return "params"
    if kind.endswith("Error"):
        message = jsonrpc.parse(body if "jsonrpc" in body else {"jsonrpc": "2.0", "id": 1, "error": body})
        assert isinstance(message, Error)
        assert message.code in list(ErrorCode)
        catalogue.validate(message, VERSION)
        return "error"
    if kind == "InputRequests":
        for request in body.values():
            assert catalogue.check_params(request["method"], request.get("params"), VERSION) == []
        return "embedded requests"
    return "part of a body"


def test_examples() -> None:
    published = examples()
    assert len(published) == 129
    assert len({kind for kind, _, _ in published}) == 88
    judged = Counter(judge(*example) for example in published)
    assert judged == {
        "request": 10,
        "notification": 8,
        "embedded request": 3,
        "embedded requests": 1,
        "response": 10,
        "incomplete response": 1,
        "result": 24,
        "params": 16,
        "error": 10,
        "part of a body": 46,
    }


def test_directions_of_the_examples_are_judged() -> None:
    for kind, _, body in examples():
        if kind == "CallToolRequest":
            with pytest.raises(Violation, match="wrong_direction"):
                catalogue.validate(jsonrpc.parse(body), VERSION, sender=Side.SERVER)
            assert CATALOGUE[VERSION][body["method"]].direction is Direction.TO_SERVER
            break
    else:
        pytest.fail("no such example")
