"""`nostrmcp relay`: the loopback relay by itself."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any, BinaryIO

from .problem import Problem

if TYPE_CHECKING:
    from ..runtime.loopback import LoopbackRelay, Record
    from ..runtime.loopback_faults import Fault


def add_to(commands: Any) -> None:
    """Add the command to the program's parser."""
    about = "run a relay in memory, for tests and demonstrations"
    parser = commands.add_parser(
        "relay",
        help=about,
        description=about.capitalize() + ". It prints its address, and ends on SIGINT or SIGTERM. Faults: duplicate, "
        "reorder, delay=SECONDS, drop, reject=PREFIX, no-ok, closed=PREFIX, disconnect, corrupt, replay, size=BYTES, "
        "ignore-filters; conditions follow after colons: kind=NUMBER, after=NUMBER, times=NUMBER.",
        epilog="example: nostrmcp relay --record wire.jsonl --fault delay=0.5:kind=25910:times=3",
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=0, help="the port (default: 0, any that is free)")
    parser.add_argument("--record", metavar="FILE", help="append every message to this file, one JSON object a line")
    parser.add_argument("--auth", action="store_true", help="ask every client to prove its key (NIP-42)")
    parser.add_argument("--fault", action="append", default=[], metavar="SPEC", help="a fault; may be repeated")
    parser.add_argument(
        "--allow-origin", action="append", default=[], metavar="ORIGIN", help="let web pages of this origin connect"
    )
    parser.add_argument("--json", action="store_true", help="print the address as a JSON object")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    import asyncio

    from ..runtime.loopback import LoopbackRelay

    if not 0 <= options.port <= 65_535:
        raise Problem(f"there is no port {options.port}")
    faults = _faults(options.fault)
    record = None
    if options.record is not None:
        try:
            record = open(options.record, "ab", buffering=0)  # noqa: SIM115
        except OSError as problem:
            raise Problem(f"cannot write {options.record}: {problem.strerror}") from None
    try:
        relay = LoopbackRelay(
            options.host,
            options.port,
            auth=options.auth,
            faults=faults,
            record=None if record is None else _writer(record),
            allow_origins=options.allow_origin,
        )
        asyncio.run(_serve(relay, options))
    finally:
        if record is not None:
            record.close()
    return 0


def _faults(texts: list[str]) -> list[Fault]:
    from ..runtime import loopback_faults

    try:
        return [loopback_faults.parse(text) for text in texts]
    except loopback_faults.FaultError as problem:
        raise Problem(str(problem)) from None


def _writer(file: BinaryIO) -> Any:
    def write(record: Record) -> None:
        file.write(record.dump() + b"\n")

    return write


def _words(problem: OSError) -> str:
    """What is wrong in the system's words alone, without those that the loop puts before them."""
    import os

    number = problem.errno or 0  # above 0 it is the system's
    return os.strerror(number) if number > 0 else str(problem.strerror)


async def _serve(relay: LoopbackRelay, options: argparse.Namespace) -> None:
    import asyncio
    import signal

    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        await relay.start()
    except OSError as problem:
        raise Problem(f"cannot listen on {options.host} port {options.port}: {_words(problem)}") from None
    try:
        print(json.dumps({"url": relay.url}) if options.json else relay.url, flush=True)
        await stop.wait()
    finally:
        await relay.close()
