"""Our own client under test: a local MCP client that speaks to `nostrmcp proxy` by stdio.

It does what spec/live.md asks of a client; the arguments are options for the proxy.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

INFO = {"name": "stdio client", "version": "1"}
LISTEN = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": INFO,
    },
    "notifications": {"toolsListChanged": True},
}


class Stdio:
    """A client of one process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._answers: dict[Any, asyncio.Future[dict[str, Any]]] = {}
        self.notified: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            message = json.loads(line)
            if "method" not in message:
                self._answers[message["id"]].set_result(message)
            elif "id" not in message:
                await self.notified.put(message)
            elif message["method"] == "ping":
                self.write({"id": message["id"], "result": {}})
            else:
                self.write({"id": message["id"], "error": {"code": -32601, "message": "there is no such method"}})
        os._exit(70)

    def write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def send(self, method: str, params: dict[str, Any]) -> tuple[int, asyncio.Future[dict[str, Any]]]:
        number = len(self._answers)
        self._answers[number] = asyncio.get_running_loop().create_future()
        self.write({"id": number, "method": method, "params": params})
        return number, self._answers[number]

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        return await self.send(method, params)[1]

    async def until(self, method: str) -> None:
        while (await self.notified.get())["method"] != method:
            pass


def told(answer: dict[str, Any]) -> dict[str, Any]:
    if "error" in answer:
        return {"error": answer["error"]["code"]}
    return {"text": answer["result"]["content"][0]["text"]}


QUESTION = {"name": "question", "arguments": {}}


async def call(client: Stdio) -> dict[str, Any]:
    return told(await client.ask("tools/call", QUESTION))


async def two(client: Stdio) -> dict[str, Any]:
    answers = [client.send("tools/call", QUESTION)[1], client.send("tools/call", QUESTION)[1]]
    return {"texts": [told(await one).get("text") for one in answers]}


async def pages(client: Stdio) -> dict[str, Any]:
    names: list[str] = []
    params: dict[str, Any] = {}
    while True:
        result = (await client.ask("tools/list", params))["result"]
        names += [tool["name"] for tool in result["tools"]]
        if "nextCursor" not in result:
            return {"names": names}
        params = {"cursor": result["nextCursor"]}


async def cancel(client: Stdio) -> dict[str, Any]:
    params = {"name": "slow", "arguments": {}, "_meta": {"progressToken": "mine"}}
    number, _ = client.send("tools/call", params)
    await client.until("notifications/progress")
    client.write({"method": "notifications/cancelled", "params": {"requestId": number}})
    return {"cancelled": True}


async def listen(client: Stdio) -> dict[str, Any]:
    client.send("subscriptions/listen", LISTEN)
    await client.until("notifications/tools/list_changed")
    return {"changed": True}


async def handshake(client: Stdio) -> None:
    return None


SCENARIOS = {"handshake": handshake, "call": call, "two": two, "list": pages, "cancel": cancel, "listen": listen}


async def main(options: list[str]) -> int:
    environment = os.environ
    scenario = environment["NOSTRMCP_SCENARIO"]
    if scenario not in SCENARIOS:
        return 77
    version = "2026-07-28" if scenario == "listen" else "2025-11-25"
    words = ["--revision", environment["NOSTRMCP_REVISION"], "--server-id", environment["NOSTRMCP_SERVER_ID"]]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "nostrmcp", "proxy", environment["NOSTRMCP_SERVER_PUBKEY"], *words, "--mcp-version",
        version, *options, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    client = Stdio(process)
    reading = asyncio.create_task(client.read())
    await client.ask("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": INFO})
    client.write({"method": "notifications/initialized"})
    report = await SCENARIOS[scenario](client)
    if report is not None:
        await client.ask("tools/call", {"name": "report", "arguments": report})
    reading.cancel()
    assert process.stdin is not None
    process.stdin.close()
    return await process.wait()


sys.exit(asyncio.run(main(sys.argv[1:])))
