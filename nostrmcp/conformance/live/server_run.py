"""Live checks of a server: it is started or found, got to know, and put to every check of its revisions."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace

from ...nostr import Event
from ...revisions import REVISIONS, Revision
from ...revisions.detect import detect
from ..runner import Happened
from ..stream import Value
from ..verdicts import Exit, Status
from . import server_talk, server_trust, server_work
from .checks import Check, NotRun
from .peer import new_key
from .process import CannotStart, Running
from .run import GivenUp, KeyFile, Live, Report, Sink, environment, made, missing
from .server_bench import ServerBench, ServerClient
from .station import Station
from .wiring import WIRE

CHECKS: tuple[Check[ServerBench], ...] = (
    *server_talk.CHECKS,
    *server_work.CHECKS,
    *server_trust.CHECKS,
    replace(WIRE, name=f"live-server-{WIRE.name}"),
)
DEFAULT_SERVER_ID = "server-1"
_MAX_STARTS = 10
_DETECTION = 2.0


class ServerRun:
    """One run against one server."""

    def __init__(self, live: Live, sink: Sink) -> None:
        self._live = live
        self._sink = sink
        self._running: Running | None = None
        self._starts = 0
        self._key = KeyFile()

    async def run(self, progress: Callable[[int, int], None]) -> Exit:
        live = self._live
        try:
            async with Station(live.url) as station:
                revisions, aborted = live.revisions, ""
                if not revisions:
                    try:
                        revisions = await self._detected(station)
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
        self, station: Station, revision: Revision, checks: list[Check[ServerBench]], report: Report
    ) -> None:
        bench: ServerBench | None = None
        problem = report.aborted
        try:
            if not problem:
                try:
                    bench = await self._begun(station, revision)
                except GivenUp as given_up:
                    problem = report.aborted = str(given_up)
            for check in checks:
                began = time.monotonic()
                if bench is None or problem:
                    report.result(check, revision, Happened(Status.NOT_RUN, problem), 0)
                    continue
                happened, more = await self._check(check, bench)
                if self._running is not None and self._running.ended is not None:
                    happened, more = self._crashed(more)
                    try:
                        await self._start_again(bench)
                    except GivenUp as given_up:
                        problem = report.aborted = str(given_up)
                report.result(check, revision, happened, time.monotonic() - began, more)
        finally:
            await self._stop()

    async def _check(self, check: Check[ServerBench], bench: ServerBench) -> tuple[Happened, Value]:
        absent = missing(check, bench.needs)
        return (absent, {}) if absent is not None else await made(check, bench, self._live.timing)

    def _crashed(self, more: Value) -> tuple[Happened, Value]:
        assert self._running is not None
        happened = Happened(Status.CRASH, f"the server ended with code {self._running.ended}")
        return happened, more | {"stderr": self._running.said}

    # Starting

    async def _begun(self, station: Station, revision: Revision) -> ServerBench:
        """A bench with the server there and known; GivenUp if it cannot be started or never speaks."""
        live = self._live
        bench = await self._started(station, revision, revision)
        bench.hints = dict(live.hints)
        bench.resource = live.resource
        if live.start is not None:
            bench.restart = lambda: self._restart(bench)
        try:
            if station.relay is None:
                await bench.knock()
            answered = await bench.survey()
        except NotRun as problem:
            raise GivenUp(str(problem)) from None
        if not answered:
            said = self._running.said.strip() if self._running else ""
            told = f"; standard error: {said[-500:]}" if said else ""
            raise GivenUp(f"no initialize in {revision.name} was answered{told}")
        return bench

    async def _started(self, station: Station, revision: Revision, told: Revision | None) -> ServerBench:
        """A bench for a server that listens, or, with a relay of somebody else's, may do so."""
        live = self._live
        secret = new_key()
        pubkey = live.pubkey or secret.public_key.x
        bench = ServerBench(station, revision, pubkey, live.timing)
        bench.server_id = live.server_id
        if live.start is None:
            return bench
        self._key.write(secret.reveal())
        await self._start(bench, told)
        return bench

    async def _start(self, bench: ServerBench, told: Revision | None) -> None:
        live = self._live
        assert live.start is not None
        self._starts += 1
        bench.station.forget_subscriptions()
        given = environment(live, bench.station, told, "server", self._key.path) | {
            "NOSTRMCP_SERVER_PUBKEY": bench.pubkey.hex(),
            "NOSTRMCP_SERVER_ID": live.server_id or DEFAULT_SERVER_ID,
        }
        try:
            self._running = await live.start(given)
        except CannotStart as problem:
            raise GivenUp(str(problem)) from None
        if bench.station.relay is not None:
            await self._until_it_listens(bench)

    async def _until_it_listens(self, bench: ServerBench) -> None:
        assert self._running is not None
        running, client = self._running, ServerClient(bench)
        asked = client.request("initialize", client.initialize_params())
        probes: list[Event] = [asked.event, *(client.wrap(asked.event, kind) for kind in bench.revision.kinds.wraps)]

        def listens() -> bool:
            return any(map(bench.station.listens_for, probes)) or running.ended is not None

        ending = asyncio.create_task(running.wait(bench.timing.start))
        ending.add_done_callback(lambda _: bench.station.tell())
        there = await bench.wire.until(listens, bench.timing.start)
        ending.cancel()
        await asyncio.gather(ending, return_exceptions=True)
        if running.ended is not None or not there:
            how = f"it ended with code {running.ended}" if running.ended is not None else "it never listened"
            said = running.said.strip()
            await self._stop()
            raise GivenUp(f"{how}{f'; standard error: {said[-500:]}' if said else ''}")

    async def _restart(self, bench: ServerBench) -> None:
        """End the server and start it in a later second, so that what came before is dated before its start."""
        await self._stop()
        await asyncio.sleep(1 - time.time() % 1)
        await self._start(bench, bench.revision)

    async def _start_again(self, bench: ServerBench) -> None:
        await self._stop()
        if self._starts >= _MAX_STARTS:
            raise GivenUp(f"it ended {_MAX_STARTS} times")
        await self._start(bench, bench.revision)

    async def _stop(self) -> None:
        if self._running is not None:
            running, self._running = self._running, None
            await running.stop()

    # Which revisions

    async def _detected(self, station: Station) -> tuple[Revision, ...]:
        """The revisions in which an initialize is answered by the rules; GivenUp if there are none."""
        found: list[Revision] = []
        bench: ServerBench | None = None
        timing = replace(self._live.timing, answer=min(self._live.timing.answer, _DETECTION))
        try:
            for revision in REVISIONS.values():
                if bench is None:
                    bench = await self._started(station, revision, None)
                one = ServerBench(station, revision, bench.pubkey, timing)
                one.server_id = self._live.server_id
                if await one.survey() and not one.wire.faults and _fits(one, revision):
                    found.append(revision)
        except NotRun as problem:
            raise GivenUp(str(problem)) from None
        finally:
            await self._stop()
        if not found:
            raise GivenUp("no revision was found in which the server answers initialize")
        return tuple(found)


def _fits(bench: ServerBench, revision: Revision) -> bool:
    """Whether what was answered may be of this revision, by the signs in it."""
    return all(revision.name in detect(one.event).candidates for one in bench.wire.heard)
