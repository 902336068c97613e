"""Checks of servers: discovery, handshake, lists, calls and errors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...mcp.jsonrpc import Error, ErrorCode, Result
from ...revisions.model import MessageClass, Revision
from ...translate import announce
from ...translate.check import check
from ..selection import requirements
from .checks import Check, Failed, Need, NotOffered
from .server_bench import LISTS, ServerBench, ServerClient, value_of

UNKNOWN = "nostrmcp/there-is-no-such-method"


async def announcement(bench: ServerBench) -> None:
    """What is announced keeps the rules, and says what initialize says."""
    found = bench.announcements()
    if not found:
        raise NotOffered("the server announces nothing")
    for event in found:
        breaches = check(event, bench.revision)
        if breaches:
            one = breaches[0]
            raise Failed(f"{one.req}: {one.where}: {one.detail}", actual=event.to_value())
    servers = [one for one in found if one.kind == bench.revision.kinds.announcements[MessageClass.SERVER]]
    if not servers:
        raise Failed("lists are announced, and no server", actual=[one.to_value() for one in found])
    content = announce.parse(servers[0], bench.revision).content
    told = bench.facts.initialized
    for name in ("capabilities", "serverInfo"):
        if content.get(name) != told.get(name):
            raise Failed(f"{name} is announced otherwise than initialize answers it", told.get(name), content.get(name))


async def announced_lists(bench: ServerBench) -> None:
    """An announced list names what the list request answers."""
    found = [announce.parse(one, bench.revision) for one in bench.announcements()]
    client = await bench.client()
    compared = 0
    for capability in LISTS:
        lists = [one.content for one in found if one.type is not MessageClass.SERVER and capability in one.content]
        if lists:
            compared += 1
            announced = sorted(_names(one for content in lists for one in content[capability]))
            answered = sorted(_names(await bench.everything(client, capability)))
            # What is announced may be the first page of several.
            is_page = any("nextCursor" in content for content in lists)
            if announced != answered and not (is_page and set(announced) <= set(answered)):
                raise Failed(f"the announced {capability} are not those that are listed", answered, announced)
    if not compared:
        raise NotOffered("the server announces no list")


def _names(items: Any) -> list[str]:
    return [str(one.get("name")) for one in items if type(one) is dict]


async def initialize(bench: ServerBench) -> None:
    client = bench.stranger()
    answer = await client.initialize()
    message = answer.decoded.message if answer.decoded else None
    if not isinstance(message, Result):
        raise Failed("initialize was answered with an error", actual=value_of(answer))
    types = {"protocolVersion": str, "capabilities": dict, "serverInfo": dict}
    wrong = [name for name, its in types.items() if type(message.result.get(name)) is not its]
    if wrong:
        raise Failed(f"{', '.join(wrong)} is missing or of a wrong type", list(types), message.result)


async def unknown_version(bench: ServerBench) -> None:
    client = bench.stranger()
    params = client.initialize_params() | {"protocolVersion": "1999-01-01"}
    message = await client.message("initialize", params)
    if isinstance(message, Result) and message.result.get("protocolVersion") == "1999-01-01":
        raise Failed("the server claims to speak a version that there is not", actual=message.result)


async def initialized_first(bench: ServerBench) -> None:
    client = bench.stranger()
    await client.notify("notifications/initialized")
    await client.initialize()
    await client.roundtrip()


async def no_initialize(bench: ServerBench) -> None:
    client = bench.stranger()
    await client.answer(await client.ask("tools/list"))


async def ids(bench: ServerBench) -> None:
    """`answer` compares the id with its type."""
    client = await bench.client()
    for one in (0, "0", -1, "", "a b", 2**53 - 1, "1", 1):
        await client.answer(await client.ask("ping", id=one))


async def lists(bench: ServerBench) -> None:
    client = await bench.client()
    needed = {"tools": ("name", "inputSchema"), "resources": ("name", "uri"), "prompts": ("name",)}
    listed = [one for one in LISTS if one in bench.facts.capabilities]
    if not listed:
        raise NotOffered("the server declares neither tools nor resources nor prompts")
    for capability in listed:
        for item in await bench.everything(client, capability):
            missing = [name for name in needed[capability] if name not in item]
            if missing:
                raise Failed(f"an item of {LISTS[capability]} has no {', '.join(missing)}", actual=item)


async def paging(bench: ServerBench) -> None:
    client = await bench.client()
    paged = 0
    for capability in (one for one in LISTS if one in bench.facts.capabilities):
        first = await client.result(LISTS[capability], {})
        if "nextCursor" in first:
            paged += 1
            keys = [str(one.get("uri", one.get("name"))) for one in await bench.everything(client, capability)]
            twice = sorted({one for one in keys if keys.count(one) > 1})
            if twice:
                raise Failed("pages repeat items", actual=twice)
    if not paged:
        raise NotOffered("no list of the server has more than one page")


async def call(bench: ServerBench) -> None:
    client = await bench.client()
    one = await bench.any_call(client)
    message = await client.message("tools/call", one.params)
    if isinstance(message, Result) and type(message.result.get("content")) is not list:
        raise Failed("the result of tools/call has no content, an array", actual=message.result)


async def failed_call(bench: ServerBench) -> None:
    client = await bench.client()
    result = await client.result("tools/call", bench.hints["error"].params)
    if result.get("isError") is not True or type(result.get("content")) is not list:
        raise Failed("a failed tool is not told by isError and content", {"isError": True, "content": []}, result)


async def unknown_tool(bench: ServerBench) -> None:
    bench.offers("tools")
    client = await bench.client()
    message = await client.message("tools/call", {"name": "nostrmcp_no_such_tool", "arguments": {}})
    if isinstance(message, Result) and message.result.get("isError") is not True:
        raise Failed("a tool that does not exist was called with success", actual=message.result)


async def read_resource(bench: ServerBench) -> None:
    bench.offers("resources")
    client = await bench.client()
    uri = bench.resource
    if uri is None:
        found = [one.get("uri") for one in await bench.everything(client, "resources")]
        uri = next((str(one) for one in found if type(one) is str), None)
    if uri is None:
        raise NotOffered("the server lists no resource (--hint resource=URI names one)")
    result = await client.result("resources/read", {"uri": uri})
    contents = result.get("contents")
    if type(contents) is not list or not all(type(one) is dict and type(one.get("uri")) is str for one in contents):
        raise Failed("the result of resources/read has no contents, objects with a uri", actual=result)


async def unknown_resource(bench: ServerBench) -> None:
    bench.offers("resources")
    client = await bench.client()
    message = await client.message("resources/read", {"uri": "nostrmcp://no/such/resource"})
    if not isinstance(message, Error):
        raise Failed("a resource that does not exist was read with success", actual=message.result)


async def get_prompt(bench: ServerBench) -> None:
    bench.offers("prompts")
    client = await bench.client()
    prompts = [one for one in await bench.everything(client, "prompts") if type(one.get("name")) is str]
    if not prompts:
        raise NotOffered("the server lists no prompt")
    wanted = prompts[0].get("arguments")
    names = [one.get("name") for one in wanted if type(one) is dict] if type(wanted) is list else []
    arguments = {str(name): "a" for name in names}
    message = await client.message("prompts/get", {"name": prompts[0]["name"], "arguments": arguments})
    if isinstance(message, Result) and type(message.result.get("messages")) is not list:
        raise Failed("the result of prompts/get has no messages, an array", actual=message.result)


async def ping(bench: ServerBench) -> None:
    client = await bench.client()
    message = await client.message("ping")
    if isinstance(message, Error):
        if message.code == ErrorCode.METHOD_NOT_FOUND and not _documents_ping(bench.revision):
            raise NotOffered("the server has no ping, of which this revision does not speak")
        raise Failed(f"ping was answered with error {message.code}", actual=message.message)
    if set(message.result) - {"_meta"}:
        raise Failed("the answer to a ping is not empty", {}, message.result)


def _documents_ping(revision: Revision) -> bool:
    return any(row["ledger"] == revision.name and "-PING-" in name for name, row in requirements().items())


async def unknown_method(bench: ServerBench) -> None:
    client = await bench.client()
    await _is_error(client, ErrorCode.METHOD_NOT_FOUND, UNKNOWN)


async def _is_error(client: ServerClient, code: int, method: str) -> None:
    message = await client.message(method, {})
    if not isinstance(message, Error) or message.code != code:
        actual = {"error": message.code} if isinstance(message, Error) else {"result": message.result}
        raise Failed(f"it is not answered with error {int(code)}", {"error": int(code)}, actual)


async def invalid_params(bench: ServerBench) -> None:
    bench.offers("tools")
    client = await bench.client()
    message = await client.message("tools/call", {"arguments": {}})
    if isinstance(message, Error) and message.code != ErrorCode.INVALID_PARAMS:
        raise Failed("it is not answered with error -32602", {"error": -32602}, {"error": message.code})
    if isinstance(message, Result) and message.result.get("isError") is not True:
        raise Failed("a call that names no tool succeeds", actual=message.result)


async def not_json(bench: ServerBench) -> None:
    await _refused(bench, "{this is not JSON", ErrorCode.PARSE_ERROR)


async def batch(bench: ServerBench) -> None:
    await _refused(bench, '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', ErrorCode.INVALID_REQUEST)


async def _refused(bench: ServerBench, content: str, code: int) -> None:
    client = await bench.client()
    asked = client.request("ping")
    wrong = client.changed(asked.event, content=content)
    await client.wire.publish(wrong if client.form is None else client.wrap(wrong, client.form), wrong)
    await client.wire.until(lambda: bool(client.wire.about(wrong.id)), bench.timing.answer)
    found = [one.decoded.message for one in client.wire.about(wrong.id) if one.decoded is not None]
    codes = [one.code for one in found if isinstance(one, Error)]
    if codes != [code]:
        raise Failed(f"it is not answered with error {int(code)}", [int(code)], codes)


async def garbage(bench: ServerBench) -> None:
    """Nothing that can stand in content stops the server."""
    client = await bench.client()
    asked = client.request("ping")
    deep = "[" * 5000 + "]" * 5000
    for content in (
        "",
        "null",
        "1",
        '"ping"',
        "{}",
        '{"method":1}',
        '{"jsonrpc":"2.0","id":null,"method":"ping"}',
        deep,
    ):
        wrong = client.changed(asked.event, content=content)
        await client.wire.publish(wrong if client.form is None else client.wrap(wrong, client.form), wrong)
    other = await bench.client()
    await other.roundtrip()


async def unparsable_with_e(bench: ServerBench) -> None:
    client = await bench.client()
    asked = client.request("ping")
    wrong = client.changed(asked.event, tags=(*asked.event.tags, ("e", asked.event.id.hex())), content="{no JSON")
    await client.wire.publish(wrong if client.form is None else client.wrap(wrong, client.form), wrong)
    await client.stays_silent(wrong, "content that cannot be parsed is answered although the event has an e tag")


async def error_unanswered(bench: ServerBench) -> None:
    client = await bench.client()
    asked = client.request("ping")
    kinds = bench.revision.kinds
    error = client.event(
        Error(asked.request.id, int(ErrorCode.INTERNAL_ERROR), "an error of the runner"),
        replace(client.route(asked.reference), request=asked.reference),
    )
    assert error.kind == kinds.response
    await client.wire.publish(error if client.form is None else client.wrap(error, client.form), error)
    await client.stays_silent(error, "an error is answered")


async def notification_unanswered(bench: ServerBench) -> None:
    client = await bench.client()
    event = await client.notify("notifications/nostrmcp_no_such_thing", {})
    await client.stays_silent(event, "a notification is answered")


def _ids_travel(revision: Revision) -> bool:
    return revision.ids_travel


CHECKS: tuple[Check[ServerBench], ...] = (
    Check(
        "live-server-announcement", "What the server announces keeps the rules and says what initialize says",
        ("R1-ANN-05", "R1E-ANN-05", "R11-ANN-05", "CTX-ANN-05", "CVM-ANN-05"),
        "clients that read the announcement expect another server than they meet", announcement,
    ),
    Check(
        "live-server-announced-lists", "An announced list names what the list request answers",
        ("R1-BODY-11", "R1E-BODY-11", "R11-BODY-11", "CTX-BODY-11", "CVM-BODY-11"),
        "clients call what is not there, or never learn what is", announced_lists,
        at_most="SHOULD",  # the documents say what form the list has, and not that it is whole
    ),
    Check(
        "live-server-initialize", "initialize is answered with protocolVersion, capabilities and serverInfo",
        ("R1-INIT-52", "R1E-INIT-52", "R11-INIT-08", "CTX-INIT-02", "CVM-INIT-01"),
        "no client can begin", initialize,
    ),
    Check(
        "live-server-unknown-version", "A version that does not exist is answered with another or an error",
        ("R1-INIT-52", "R1E-INIT-52", "R11-INIT-08", "CTX-INIT-02", "CVM-INIT-01"),
        "newer clients cannot agree on an older version", unknown_version,
    ),
    Check(
        "live-server-initialized-first", "initialized may arrive before initialize", ("HOUSE-TIME-06",),
        "a relay that reorders two messages locks a client out or stops the server", initialized_first,
        concerns=lambda revision: revision.initialized_is_sent,
    ),
    Check(
        "live-server-no-initialize", "A request without a handshake is answered, by a result or an error",
        ("R1-FLOW-62", "R1E-FLOW-62", "R11-FLOW-35", "CTX-ERR-02", "CVM-INIT-03"),
        "clients that came by the announcement wait for ever", no_initialize,
    ),
    Check(
        "live-server-ids", "JSON-RPC ids come back with their type and value",
        ("R1-BODY-04", "R1E-BODY-04", "CVM-BODY-04", "HOUSE-ID-02"),
        "clients that use such ids never find their answers", ids, concerns=_ids_travel,
    ),
    Check(
        "live-server-lists", "Declared lists are answered, and their items have what the schema requires",
        ("R1-FLOW-57", "R1E-FLOW-57", "R11-FLOW-11", "CTX-BODY-53", "CVM-FLOW-51"),
        "capabilities that are declared cannot be found", lists,
    ),
    Check(
        "live-server-paging", "Following nextCursor ends, and brings each item once",
        ("R1-BODY-52", "R1E-BODY-52", "R11-FLOW-13", "CTX-BODY-53", "CVM-FLOW-51"),
        "clients loop for ever or miss items", paging,
    ),
    Check(
        "live-server-call", "A tool that is listed can be called",
        ("R1-BODY-56", "R1E-BODY-56", "R11-FLOW-21", "CTX-BODY-52", "CVM-BODY-51"),
        "tools do not work", call,
    ),
    Check(
        "live-server-failed-call", "A tool that fails says so by isError",
        ("R1-BODY-08", "R1E-BODY-08", "R11-BODY-08", "CTX-BODY-08", "CVM-BODY-51"),
        "failures are taken for success, or lost", failed_call, (Need.ERROR,),
    ),
    Check(
        "live-server-unknown-tool", "Calling a tool that does not exist fails",
        ("R1-ERR-07", "R1E-ERR-07", "R11-FLOW-35", "CTX-BODY-08", "CVM-BODY-51"),
        "callers believe that something was done", unknown_tool,
    ),
    Check(
        "live-server-resource", "A resource that is listed can be read",
        ("R1-BODY-57", "R1E-BODY-57", "R11-FLOW-23", "CTX-FLOW-05", "CVM-COMP-01"),
        "resources do not work", read_resource,
    ),
    Check(
        "live-server-unknown-resource", "Reading a resource that does not exist is answered with an error",
        ("R1-ERR-07", "R1E-ERR-07", "R11-FLOW-35", "CTX-BODY-07", "CVM-COMP-01"),
        "callers believe that there is something to read", unknown_resource,
    ),
    Check(
        "live-server-prompt", "A prompt that is listed can be got",
        ("R1-BODY-58", "R1E-BODY-58", "R11-FLOW-25", "CTX-FLOW-05", "CVM-COMP-01"),
        "prompts do not work", get_prompt,
    ),
    Check(
        "live-server-ping", "A ping is answered with an empty result",
        ("R1-FLOW-62", "R1E-FLOW-62", "R11-PING-03", "CTX-PING-01", "CVM-PING-01"),
        "clients take a living server for dead", ping,
    ),
    Check(
        "live-server-unknown-method", "A method that does not exist is answered with error -32601",
        ("R1-ERR-03", "R1E-ERR-03", "R11-ERR-03", "CTX-ERR-03", "CVM-BODY-51"),
        "clients cannot tell an old server from a lost message", unknown_method,
    ),
    Check(
        "live-server-invalid-params", "A call that names no tool is answered with error -32602, or fails",
        ("R1-ERR-04", "R1E-ERR-04", "R11-ERR-04", "CTX-ERR-04"),
        "clients cannot tell their own mistake from the server's", invalid_params,
    ),
    Check(
        "live-server-not-json", "Content that is no JSON is answered with error -32700",
        ("R1-ERR-01", "R1E-ERR-01", "R11-ERR-01", "CTX-ERR-01", "HOUSE-ROUTE-12"),
        "the sender waits for an answer that never comes", not_json,
    ),
    Check(
        "live-server-batch", "A batch is answered with error -32600", ("HOUSE-JSON-01",),
        "the sender of a batch waits for ever, or half of it is executed", batch,
    ),
    Check(
        "live-server-garbage", "Garbage in content does not stop the server", ("HOUSE-ROUTE-12",),
        "any stranger can stop the server", garbage,
    ),
    Check(
        "live-server-unparsable-with-e", "Content that cannot be parsed is not answered where there is an e tag",
        ("HOUSE-ROUTE-13",), "two peers on one kind answer each other for ever", unparsable_with_e,
    ),
    Check(
        "live-server-error-unanswered", "An error is never answered", ("HOUSE-ROUTE-14",),
        "two peers answer each other's errors for ever", error_unanswered,
    ),
    Check(
        "live-server-notification-unanswered", "A notification is never answered",
        ("R1-NOTE-52", "R1E-NOTE-52", "R11-FLOW-36", "CTX-NOTE-52", "CVM-NOTE-03"),
        "clients are sent answers to what they did not ask", notification_unanswered,
    ),
)  # fmt: skip
