"""A small MCP server for demonstrations and tests: in this process, or as `python -m nostrmcp.runtime.example`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

from ..mcp import jsonrpc
from ..mcp.jsonrpc import Error, ErrorCode, Id, Message, Notification, Request, Result, id_key
from ..nostr import Violation, strict_json

VERSION = "2025-11-25"
GREETING = "example://greeting"

_NUMBERS = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
}
_TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
_STEPS = {"type": "object", "properties": {"steps": {"type": "integer"}, "pause": {"type": "number"}}}
TOOLS = [
    {"name": "add", "description": "Add two integers", "inputSchema": _NUMBERS},
    {"name": "echo", "description": "Say the same text", "inputSchema": _TEXT},
    {"name": "count", "description": "Count to a number of steps, with progress", "inputSchema": _STEPS},
    {"name": "fail", "description": "Fail, as tools do", "inputSchema": {"type": "object"}},
]
RESOURCES = [{"uri": GREETING, "name": "greeting", "mimeType": "text/plain"}]
TEMPLATES = [{"uriTemplate": "example://hello/{name}", "name": "hello"}]
_WHO = [{"name": "who", "required": True}]
PROMPTS = [
    {"name": "greet", "description": "Greet someone", "arguments": _WHO},
    {"name": "part", "description": "Say goodbye to someone", "arguments": _WHO},
]
_SAYS = {"greet": "Say hello to", "part": "Say goodbye to"}
CAPABILITIES = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True},
    "prompts": {},
    "completions": {},
    "logging": {},
}
NAMES = ("alice", "bob", "carol")


class _Wrong(Exception):
    """The answer to a request is this error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


class ExampleServer:
    """The server: `send` takes a message, `said` is given the answers."""

    def __init__(self, said: Callable[[Message], None]) -> None:
        self._said = said
        self._counting: dict[tuple[str, Id], asyncio.Task[None]] = {}
        self._methods: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "initialize": self._initialize,
            "ping": lambda params: {},
            "tools/list": lambda params: {"tools": TOOLS},
            "resources/list": lambda params: {"resources": RESOURCES},
            "resources/templates/list": lambda params: {"resourceTemplates": TEMPLATES},
            "resources/read": _read,
            "resources/subscribe": lambda params: {},
            "resources/unsubscribe": lambda params: {},
            "prompts/list": _prompts,
            "prompts/get": _prompt,
            "completion/complete": _complete,
            "logging/setLevel": lambda params: {},
            "tools/call": _call,
        }

    def send(self, message: Message) -> None:
        params = getattr(message, "params", None) or {}
        if isinstance(message, Notification):
            if message.method == "notifications/cancelled":
                named: Any = params.get("requestId")
                counting = self._counting.get(id_key(named))
                if counting is not None:
                    counting.cancel()
        elif isinstance(message, Request):
            if message.method == "tools/call" and params.get("name") == "count":
                task = asyncio.get_running_loop().create_task(self._count(message.id, params))
                self._counting[id_key(message.id)] = task
                task.add_done_callback(lambda _: self._counting.pop(id_key(message.id), None))
            else:
                self._said(self._answer(message, params))

    async def close(self) -> None:
        counting = list(self._counting.values())
        for task in counting:
            task.cancel()
        await asyncio.gather(*counting, return_exceptions=True)

    def _answer(self, request: Request, params: dict[str, Any]) -> Result | Error:
        method = self._methods.get(request.method)
        try:
            if method is None:
                raise _Wrong(ErrorCode.METHOD_NOT_FOUND, "there is no such method")
            return Result(request.id, method(params))
        except _Wrong as wrong:
            return Error(request.id, wrong.code, wrong.message)

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        asked = params.get("protocolVersion")
        known = ("2024-11-05", "2025-03-26", "2025-06-18", VERSION)
        return {
            "protocolVersion": asked if asked in known else VERSION,
            "capabilities": CAPABILITIES,
            "serverInfo": {"name": "example", "version": "1"},
        }

    async def _count(self, request_id: Id, params: dict[str, Any]) -> None:
        arguments, meta = params.get("arguments") or {}, params.get("_meta") or {}
        steps, pause = int(arguments.get("steps", 3)), float(arguments.get("pause", 0.1))
        token = meta.get("progressToken")
        for number in range(1, steps + 1):
            await asyncio.sleep(pause)
            if token is not None:
                progress = {"progressToken": token, "progress": number, "total": steps, "message": f"step {number}"}
                self._said(Notification("notifications/progress", progress))
        self._said(Result(request_id, _text(f"counted to {steps}")))


def _text(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


def _call(params: dict[str, Any]) -> dict[str, Any]:
    arguments = params.get("arguments") or {}
    match params.get("name"):
        case "add":
            a, b = arguments.get("a"), arguments.get("b")
            if type(a) is int and type(b) is int:
                return _text(str(a + b))
            return _text("a and b must be integers", isError=True)
        case "echo":
            return _text(str(arguments.get("text", "")))
        case "fail":
            return _text("it failed, as it was asked to", isError=True)
    raise _Wrong(ErrorCode.INVALID_PARAMS, "there is no such tool")


def _read(params: dict[str, Any]) -> dict[str, Any]:
    uri = params.get("uri")
    if uri == GREETING:
        text = "hello"
    elif type(uri) is str and uri.startswith("example://hello/"):
        text = f"hello {uri.removeprefix('example://hello/')}"
    else:
        raise _Wrong(ErrorCode.RESOURCE_NOT_FOUND, "there is no such resource")
    return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}


def _prompts(params: dict[str, Any]) -> dict[str, Any]:
    """One prompt a page, so that there is a cursor to follow."""
    cursor = params.get("cursor", PROMPTS[0]["name"])
    names = [one["name"] for one in PROMPTS]
    if cursor not in names:
        raise _Wrong(ErrorCode.INVALID_PARAMS, "there is no such cursor")
    following = names[names.index(cursor) + 1 :][:1]
    page = {"prompts": [PROMPTS[names.index(cursor)]]}
    return page | {"nextCursor": following[0]} if following else page


def _prompt(params: dict[str, Any]) -> dict[str, Any]:
    says = _SAYS.get(str(params.get("name")))
    if says is None:
        raise _Wrong(ErrorCode.INVALID_PARAMS, "there is no such prompt")
    who = (params.get("arguments") or {}).get("who", "you")
    return {"messages": [{"role": "user", "content": {"type": "text", "text": f"{says} {who}."}}]}


def _complete(params: dict[str, Any]) -> dict[str, Any]:
    begun = (params.get("argument") or {}).get("value", "")
    values = [name for name in NAMES if name.startswith(begun)]
    return {"completion": {"values": values, "total": len(values), "hasMore": False}}


async def _main() -> None:
    """Serve standard input and output."""
    reader = asyncio.StreamReader(limit=1 << 25)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)

    def said(message: Message) -> None:
        sys.stdout.buffer.write(strict_json.dump(jsonrpc.to_value(message)) + b"\n")
        sys.stdout.buffer.flush()

    server = ExampleServer(said)
    while line := await reader.readline():
        try:
            server.send(jsonrpc.parse(strict_json.parse(line)))
        except Violation as violation:
            said(Error(None, jsonrpc.answer_code(violation), violation.detail))
    await server.close()


if __name__ == "__main__":
    asyncio.run(_main())
