"""What the tests of live checks share: a run against a testee that lives in the same process."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from nostrmcp.conformance.live.client_run import ClientRun
from nostrmcp.conformance.live.process import Running
from nostrmcp.conformance.live.run import Live
from nostrmcp.conformance.live.server_bench import Call, Timing
from nostrmcp.conformance.live.server_run import ServerRun
from nostrmcp.conformance.verdicts import Exit
from nostrmcp.nostr import SecretKey
from nostrmcp.revisions import REVISIONS
from nostrmcp.translate.route import Role

HINTS = {name: Call(name if name != "error" else "fail", {}) for name in ("slow", "error", "paid")}
QUICK = Timing(answer=3.0, start=20.0, quiet=0.02)


class Inside:
    """A testee that is a coroutine in this process."""

    def __init__(self, coroutine: Any) -> None:
        self._task = asyncio.create_task(self._guarded(coroutine))
        self.said = ""

    async def _guarded(self, coroutine: Any) -> int:
        try:
            found = await coroutine
        except Exception as problem:
            self.said = repr(problem)
            return 1
        return found if isinstance(found, int) else 0

    @property
    def ended(self) -> int | None:
        return self._task.result() if self._task.done() and not self._task.cancelled() else None

    async def wait(self, seconds: float) -> int | None:
        await asyncio.wait([self._task], timeout=seconds)
        return self.ended

    async def stop(self) -> None:
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task


def inside(server: Callable[..., Any]) -> Callable[[Mapping[str, str]], Any]:
    """How to start a server class in this process."""

    async def start(told: Mapping[str, str]) -> Running:
        key = SecretKey(bytes.fromhex(Path(told["NOSTRMCP_SECRET_FILE"]).read_text().strip()))
        revision = REVISIONS[told["NOSTRMCP_REVISION"]]
        return Inside(server(key, revision, told["NOSTRMCP_SERVER_ID"], told["NOSTRMCP_RELAY"]).run())

    return start


def inside_client(client: Callable[..., Any]) -> Callable[[Mapping[str, str]], Any]:
    """How to start a client class in this process."""

    async def start(told: Mapping[str, str]) -> Running:
        key = SecretKey(bytes.fromhex(Path(told["NOSTRMCP_SECRET_FILE"]).read_text().strip()))
        revision = REVISIONS[told["NOSTRMCP_REVISION"]]
        server = bytes.fromhex(told["NOSTRMCP_SERVER_PUBKEY"])
        return Inside(client(key, revision, server, told["NOSTRMCP_RELAY"], told["NOSTRMCP_SCENARIO"]).run())

    return start


Results = dict[str, dict[str, Any]]


def run_server(server: Any, revision: str, *cases: str, **more: Any) -> tuple[Exit, Results]:
    """The exit code, and the results by check; of the checks named, or of all."""
    return _run(Role.SERVER, ServerRun, inside(server), revision, cases, more)


def run_client(client: Any, revision: str, *cases: str, **more: Any) -> tuple[Exit, Results]:
    """The exit code, and the results by check; of the checks named, or of all."""
    return _run(Role.CLIENT, ClientRun, inside_client(client), revision, cases, more)


def _run(role: Role, run: Any, start: Any, revision: str, cases: Any, more: dict[str, Any]) -> tuple[Exit, Results]:
    lines: list[dict[str, Any]] = []
    settings: dict[str, Any] = {"timing": QUICK, "hints": HINTS} | more
    live = Live(role, "simple", ("live", role.value), start, (REVISIONS[revision],), cases=cases, **settings)
    code = asyncio.run(run(live, lines.append).run(lambda done, total: None))
    return code, {line["case"].partition("-")[2]: line for line in lines if line["type"] == "result"}
