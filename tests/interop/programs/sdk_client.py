"""The official Python SDK's own client against any MCP server on stdio. Runs in .peers/python.

    python sdk_client.py [--mode legacy|auto|2026-07-28] STEPS.json COMMAND [ARGUMENT ...]

STEPS.json is a list of objects, done in order; one JSON object a line tells each one's outcome: {"result"} or
{"error": {code, message, data}}, and {"progress"} where there was any. The first line tells what was agreed on at the
beginning. Steps:

    {"do": METHOD, ...arguments}                      a method of the SDK's client; all pages of a list
    {"do": "cancel", "name", "arguments"}             a tool is called, and cancelled when it reports progress
    {"do": "wait", "method", "count"}                 the parameters of so many notifications
    {"do": "listen", "filter", "then": STEP, "count"} subscriptions/listen: so many events after a step
"""

from __future__ import annotations

import argparse
import json
import os
import warnings
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

# The parts that 2026-07-28 no longer has are what older servers offer.
warnings.simplefilter("ignore")

PATIENCE = 60.0
LISTS = {"list_tools", "list_resources", "list_resource_templates", "list_prompts"}
REFERENCES = {"ref/prompt": types.PromptReference, "ref/resource": types.ResourceTemplateReference}


def plain(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True) if hasattr(value, "model_dump") else value


class Caller:
    """One connection, and the notifications that came over it."""

    def __init__(self, mode: str, command: list[str]) -> None:
        server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
        self.client = Client(
            server, mode=mode, cache=None, message_handler=self.hear, log_level="debug", read_timeout_seconds=PATIENCE
        )
        self._heard: list[Any] = []
        self._more = anyio.Event()

    async def hear(self, message: Any) -> None:
        if not isinstance(message, Exception):
            self._heard.append(plain(message))
            self._more.set()
            self._more = anyio.Event()

    async def outcome(self, step: dict[str, Any]) -> dict[str, Any]:
        do, given = step["do"], {name: value for name, value in step.items() if name != "do"}
        try:
            if do in ("cancel", "wait", "listen"):
                return {"result": await getattr(self, do)(**given)}
            if do == "call_tool":
                return await self.call_tool(**given)
            if do in LISTS:
                return {"result": await self.pages(do)}
            if do == "complete":
                given["ref"] = REFERENCES[given["ref"]["type"]](**given["ref"])
            return {"result": plain(await getattr(self.client, do)(**given))}
        except MCPError as error:
            return {"error": plain(error.error)}

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        steps: list[Any] = []

        async def progress(*step: Any) -> None:
            steps.append(step)

        result = plain(await self.client.call_tool(name, arguments, progress_callback=progress))
        return {"result": result, "progress": steps} if steps else {"result": result}

    async def pages(self, method: str) -> Any:
        page = await getattr(self.client, method)()
        whole = plain(page)
        while page.next_cursor is not None:
            page = await getattr(self.client, method)(cursor=page.next_cursor)
            for name, value in plain(page).items():
                whole[name] = whole[name] + value if isinstance(value, list) else value
        return whole

    async def cancel(self, name: str, arguments: dict[str, Any]) -> str:
        with anyio.CancelScope() as scope:

            async def stop(*_: Any) -> None:
                scope.cancel()

            await self.client.call_tool(name, arguments, progress_callback=stop)
        return "cancelled" if scope.cancelled_caught else "answered"

    async def wait(self, method: str, count: int) -> list[Any]:
        while True:
            found = [one.get("params") for one in self._heard if one["method"] == method]
            if len(found) >= count:
                return found
            await self._more.wait()

    async def listen(self, filter: dict[str, Any], then: dict[str, Any], count: int) -> dict[str, Any]:
        async with self.client.listen(**filter) as subscription:
            after = await self.outcome(then)
            events = [repr(await anext(subscription)) for _ in range(count)]
            return {"honored": plain(subscription.honored), "then": after, "events": sorted(events)}


async def main(options: argparse.Namespace) -> None:
    caller = Caller(options.mode, options.command)

    def tell(value: Any) -> None:
        print(json.dumps(value, sort_keys=True), flush=True)

    with anyio.fail_after(PATIENCE):
        async with caller.client as client:
            server, can = plain(client.server_info), plain(client.server_capabilities)
            agreed = {"version": client.protocol_version, "instructions": client.instructions}
            tell({"server": server, "capabilities": can, **agreed})
            for step in json.loads(options.steps.read_text(encoding="utf-8")):
                tell(await caller.outcome(step))


parser = argparse.ArgumentParser()
parser.add_argument("--mode", default="legacy")
parser.add_argument("steps", type=Path)
parser.add_argument("command", nargs=argparse.REMAINDER)
anyio.run(main, parser.parse_args())
