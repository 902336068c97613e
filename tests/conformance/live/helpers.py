"""What the tests of live checks share: a run against a testee that lives in the same process."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from nostrmcp.conformance.live.process import Running
from nostrmcp.conformance.live.run import Live
from nostrmcp.conformance.live.server_bench import Call, Timing
from nostrmcp.conformance.live.server_run import ServerRun
from nostrmcp.conformance.verdicts import Exit
from nostrmcp.nostr import SecretKey
from nostrmcp.revisions import REVISIONS
from nostrmcp.translate.route import Role

HINTS = {name: Call(name if name != "error" else "fail", {}) for name in ("slow", "error", "paid")}
QUICK = Timing(answer=2.0, start=10.0, quiet=0.02)


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


def run_server(server: Any, revision: str, *cases: str, **more: Any) -> tuple[Exit, dict[str, dict[str, Any]]]:
    """The exit code, and the results by check; of the checks named, or of all."""
    lines: list[dict[str, Any]] = []
    settings = {"timing": QUICK, "hints": HINTS} | more
    live = Live(Role.SERVER, "simple", ("live", "server"), inside(server), (REVISIONS[revision],), cases=cases,
                **settings)  # fmt: skip
    code = asyncio.run(ServerRun(live, lines.append).run(lambda done, total: None))
    return code, {line["case"].partition("-")[2]: line for line in lines if line["type"] == "result"}
