"""Live checks of a client: it is started anew for each."""

from __future__ import annotations

import time
from collections.abc import Callable

from ...nostr import Event
from ...revisions import REVISIONS, Revision
from ...revisions.detect import detect
from ..runner import Happened
from ..verdicts import Exit, Status
from .checks import Check
from .client_bench import ClientBench
from .client_checks import CHECKS
from .peer import new_key
from .process import CannotStart, Running
from .run import GivenUp, KeyFile, Live, Report, Sink, environment, made, missing
from .server_run import DEFAULT_SERVER_ID
from .station import Station


class ClientRun:
    """One run against one client."""

    def __init__(self, live: Live, sink: Sink) -> None:
        self._live = live
        self._sink = sink
        self._key = KeyFile()

    async def run(self, progress: Callable[[int, int], None]) -> Exit:
        live = self._live
        try:
            async with Station(live.url) as station:
                revisions, aborted = live.revisions, ""
                if not revisions:
                    try:
                        revisions = (await self._detected(station),)
                    except GivenUp as problem:
                        revisions, aborted = tuple(REVISIONS.values()), str(problem)
                chosen = {one.name: live.in_order(CHECKS, one) for one in revisions}
                report = Report(live, self._sink, sum(map(len, chosen.values())), progress)
                report.header(None)
                report.aborted = aborted
                for revision in revisions:
                    await self._revision(station, revision, chosen[revision.name], report)
                return report.footer()
        finally:
            self._key.close()

    async def _revision(
        self, station: Station, revision: Revision, checks: list[Check[ClientBench]], report: Report
    ) -> None:
        live = self._live
        server_id = live.server_id or DEFAULT_SERVER_ID

        async def launch(scenario: str, server: bytes) -> Running:
            return await self._launched(station, revision, scenario, server)

        bench = ClientBench(station, revision, live.timing, server_id, launch)
        spoke = False
        for check in checks:
            began = time.monotonic()
            if report.aborted:
                report.result(check, revision, Happened(Status.NOT_RUN, report.aborted), 0)
                continue
            absent = missing(check, bench.needs)
            happened, more = (absent, {}) if absent else await made(check, bench, live.timing)
            spoke = spoke or bool(bench.wire.heard)
            if bench.said and happened.status is not Status.PASS:
                more |= {"stderr": bench.said}
            if not spoke and happened.status is Status.CRASH:
                report.aborted = happened.detail
            report.result(check, revision, happened, time.monotonic() - began, more)
        if not spoke and not report.aborted and checks:
            said = bench.said.strip()[-500:]
            report.aborted = f"the client never spoke{f'; standard error: {said}' if said else ''}"

    async def _launched(self, station: Station, revision: Revision | None, scenario: str, server: bytes) -> Running:
        live = self._live
        assert live.start is not None
        self._key.write(new_key().reveal())
        given = environment(live, station, revision, scenario, self._key.path) | {
            "NOSTRMCP_SERVER_PUBKEY": server.hex(),
            "NOSTRMCP_SERVER_ID": live.server_id or DEFAULT_SERVER_ID,
        }
        return await live.start(given)

    async def _detected(self, station: Station) -> Revision:
        """The revision of the first message; GivenUp where it fits several, as some do."""
        heard: list[Event] = []
        station.attach(heard.append, lambda violation: None)
        try:
            running = await self._launched(station, None, "handshake", new_key().public_key.x)
        except CannotStart as problem:
            raise GivenUp(str(problem)) from None
        try:
            await station.until(lambda: bool(heard), self._live.timing.start)
        finally:
            await running.stop()
        if not heard:
            raise GivenUp("the client never spoke")
        names = detect(heard[0]).candidates
        if len(names) != 1:
            fits = f"fits {', '.join(names)}" if names else f"of kind {heard[0].kind} fits no revision"
            raise GivenUp(f"its first message {fits}: give --revision")
        return REVISIONS[names[0]]
