"""An MCP server on stdio, written with the official Python SDK. Runs in .peers/python.

    python sdk_server.py [--record FILE]

Tools: echo(text), add(a, b), fail(), slow() (reports progress 1 of 2 and goes on until it is cancelled), count(to)
(reports every step), grow(to) (a text of that length), touch(uri) (the resource is updated), log(text), where() (its
process id). Resources: note://today, which can be subscribed to, and note://pixel; a template note://day/{day}. Prompt:
greet(name) with completion. What begins, ends and is cancelled goes to FILE, one JSON object a line.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated, ToolsListChanged

# The parts that 2026-07-28 no longer has are what older clients ask for.
warnings.simplefilter("ignore")

Asked = ServerRequestContext[Any]
TODAY, PIXEL, DAYS = "note://today", "note://pixel", "note://day/{day}"
NAMES = ["Ada", "Alan", "Barbara"]


def schema(**properties: str) -> dict[str, Any]:
    described = {name: {"type": kind} for name, kind in properties.items()}
    return {"type": "object", "properties": described, "required": list(properties)}


TOOLS = [
    types.Tool(name="echo", description="Say it again", input_schema=schema(text="string")),
    types.Tool(
        name="add",
        title="Sum",
        input_schema=schema(a="integer", b="integer"),
        output_schema=schema(sum="integer"),
        annotations=types.ToolAnnotations(read_only_hint=True),
    ),
    types.Tool(name="fail", input_schema=schema()),
    types.Tool(name="slow", input_schema=schema()),
    types.Tool(name="count", input_schema=schema(to="integer")),
    types.Tool(name="touch", input_schema=schema(uri="string")),
    types.Tool(name="log", input_schema=schema(text="string")),
    types.Tool(name="grow", input_schema=schema(to="integer")),
    types.Tool(name="where", input_schema=schema()),
]


def text(value: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=value)])


class Notes:
    """The server's state: who follows what, and what was recorded."""

    def __init__(self, record: Path | None) -> None:
        self.record = record
        self.followed: set[str] = set()
        self.level = "info"
        self.bus = InMemorySubscriptionBus()

    def note(self, **what: Any) -> None:
        if self.record is not None:
            with self.record.open("a", encoding="utf-8") as file:
                file.write(json.dumps(what) + "\n")

    async def list_tools(self, asked: Asked, _: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=TOOLS)

    async def call_tool(self, asked: Asked, params: types.CallToolRequestParams) -> types.CallToolResult:
        does: Callable[..., Awaitable[types.CallToolResult]] | None = getattr(self, f"do_{params.name}", None)
        if does is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        self.note(tool=params.name, did="began")
        try:
            result = await does(asked, **(params.arguments or {}))
        except anyio.get_cancelled_exc_class():
            self.note(tool=params.name, did="cancelled")
            raise
        self.note(tool=params.name, did="ended")
        return result

    async def do_echo(self, asked: Asked, text: str) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    async def do_add(self, asked: Asked, a: int, b: int) -> types.CallToolResult:
        content: list[types.ContentBlock] = [types.TextContent(type="text", text=str(a + b))]
        return types.CallToolResult(content=content, structured_content={"sum": a + b})

    async def do_fail(self, asked: Asked) -> types.CallToolResult:
        content: list[types.ContentBlock] = [types.TextContent(type="text", text="it failed, as asked for")]
        return types.CallToolResult(content=content, is_error=True)

    async def do_slow(self, asked: Asked) -> types.CallToolResult:
        await asked.session.report_progress(1, 2, "half of it")
        await anyio.sleep_forever()
        raise AssertionError("it sleeps until it is cancelled")

    async def do_count(self, asked: Asked, to: int) -> types.CallToolResult:
        for number in range(1, to + 1):
            await asked.session.report_progress(number, to)
        return text(str(to))

    async def do_grow(self, asked: Asked, to: int) -> types.CallToolResult:
        return text("x" * to)

    async def do_touch(self, asked: Asked, uri: str) -> types.CallToolResult:
        if uri in self.followed:
            await asked.session.send_resource_updated(uri)
        await self.bus.publish(ResourceUpdated(uri=uri))
        await self.bus.publish(ToolsListChanged())
        return text(uri)

    async def do_log(self, asked: Asked, text: str) -> types.CallToolResult:
        await asked.session.send_log_message("info", {"said": text}, "notes", related_request_id=asked.request_id)
        return types.CallToolResult(content=[])

    async def do_where(self, asked: Asked) -> types.CallToolResult:
        return text(str(os.getpid()))

    async def list_resources(self, asked: Asked, _: Any) -> types.ListResourcesResult:
        found = [
            types.Resource(name="today", uri=TODAY, mime_type="text/plain"),
            types.Resource(name="pixel", uri=PIXEL, mime_type="image/gif", size=3),
        ]
        return types.ListResourcesResult(resources=found)

    async def list_templates(self, asked: Asked, _: Any) -> types.ListResourceTemplatesResult:
        found = [types.ResourceTemplate(name="day", uri_template=DAYS, mime_type="text/plain")]
        return types.ListResourceTemplatesResult(resource_templates=found)

    async def read_resource(self, asked: Asked, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri == PIXEL:
            blob = base64.b64encode(b"GIF").decode()
            return types.ReadResourceResult(
                contents=[types.BlobResourceContents(uri=uri, mime_type="image/gif", blob=blob)]
            )
        if uri != TODAY and not uri.startswith("note://day/"):
            raise MCPError(types.INVALID_PARAMS, "there is no such note", {"uri": uri})
        note = types.TextResourceContents(uri=uri, mime_type="text/plain", text=f"nothing for {uri} — ünïcode")
        return types.ReadResourceResult(contents=[note])

    async def subscribe(self, asked: Asked, params: types.SubscribeRequestParams) -> types.EmptyResult:
        self.followed.add(str(params.uri))
        return types.EmptyResult()

    async def unsubscribe(self, asked: Asked, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self.followed.discard(str(params.uri))
        return types.EmptyResult()

    async def list_prompts(self, asked: Asked, _: Any) -> types.ListPromptsResult:
        name = types.PromptArgument(name="name", description="whom", required=True)
        return types.ListPromptsResult(prompts=[types.Prompt(name="greet", arguments=[name])])

    async def get_prompt(self, asked: Asked, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name != "greet":
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")
        says = types.TextContent(type="text", text=f"Greet {(params.arguments or {})['name']}.")
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=says)])

    async def complete(self, asked: Asked, params: types.CompleteRequestParams) -> types.CompleteResult:
        found = [name for name in NAMES if name.startswith(params.argument.value)]
        return types.CompleteResult(completion=types.Completion(values=found, total=len(found), has_more=False))

    async def set_level(self, asked: Asked, params: types.SetLevelRequestParams) -> types.EmptyResult:
        self.level = params.level
        return types.EmptyResult()


async def main(record: Path | None) -> None:
    notes = Notes(record)
    server: Server[Any] = Server(
        "notes",
        version="1.2.3",
        instructions="Ask for notes.",
        on_list_tools=notes.list_tools,
        on_call_tool=notes.call_tool,
        on_list_resources=notes.list_resources,
        on_list_resource_templates=notes.list_templates,
        on_read_resource=notes.read_resource,
        on_subscribe_resource=notes.subscribe,
        on_unsubscribe_resource=notes.unsubscribe,
        on_subscriptions_listen=ListenHandler(notes.bus),
        on_list_prompts=notes.list_prompts,
        on_get_prompt=notes.get_prompt,
        on_completion=notes.complete,
        on_set_logging_level=notes.set_level,
    )
    notes.note(server="began", secrets=sorted(name for name in os.environ if name.startswith("NOSTRMCP")))
    async with stdio_server() as (reading, writing):
        changes = NotificationOptions(tools_changed=True)
        await server.run(reading, writing, server.create_initialization_options(changes))
    notes.note(server="ended")


parser = argparse.ArgumentParser()
parser.add_argument("--record", type=Path)
anyio.run(main, parser.parse_args().record)
