"""Calls with the official Python SDK over stdio, without Nostr. Runs in .peers/python.

python official.py serve | python official.py call
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import anyio
import mcp_types as types
from load import obey
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(name="echo", input_schema=SCHEMA)])


async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=(params.arguments or {})["text"])])


async def serve() -> None:
    server: Server[Any] = Server("echo", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def call() -> None:
    parameters = StdioServerParameters(command=sys.executable, args=[__file__, "serve"])
    async with Client(parameters, mode="legacy", cache=None) as client:
        await client.list_tools()

        async def echo(text: str) -> str:
            result: Any = await client.call_tool("echo", {"text": text})
            said: str = result.content[0].text
            return said

        await obey(echo)


if sys.argv[1] == "serve":
    anyio.run(serve)
else:
    asyncio.run(call())
