"""`nostrmcp conformance live`: play client against a server, or server against a client, and report."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shlex
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..conformance import baseline
from ..conformance.selection import LEVELS
from ..conformance.stream import Writer, open_stream
from ..conformance.text import visible
from ..conformance.verdicts import Exit
from ..nostr import PublicKey, Violation, nip19
from ..revisions import REVISIONS, Revision
from ..translate.route import Role
from . import reports
from .network import relay_address
from .problem import Problem, seconds

if TYPE_CHECKING:
    from ..conformance.live.server_bench import Call

HINTS = ("slow", "error", "paid", "call")
# Options that what becomes of a check depends on. The revision is told with each check.
_AGAIN = ("--strict", "--baseline", "--seed", "--timeout", "--start-timeout", "--quiet")


def add_to(actions: Any) -> None:
    """Add the action to those of `nostrmcp conformance`."""
    about = "play client against a server, or server against a client, over a relay"
    example = "example: nostrmcp conformance live server --command 'node server.mjs'; spec/live.md has the rest"
    parser = actions.add_parser("live", help=about, description=about.capitalize() + ".", epilog=example)
    sides = parser.add_subparsers(title="sides", metavar="SIDE", required=True)

    example = "nostrmcp conformance live server --command 'node server.mjs' --hint 'slow=wait:{\"seconds\": 1}'"
    server = reports.add_action(sides, "server", _server, "test a server", example)
    server.add_argument("--command", metavar="CMD", help="start the server so (see spec/live.md)")
    server.add_argument("--relay", metavar="URL", help="use this relay (default: one of the runner's own)")
    server.add_argument("--pubkey", metavar="KEY", help="the server's key, hexadecimal or npub")
    server.add_argument("--server-id", metavar="ID", help="the server's id, where the revision has one")
    server.add_argument(
        "--hint", action="append", default=[], metavar="NAME=...",
        help=f"what cannot be guessed: {', '.join(f'{one}=TOOL:JSON' for one in HINTS)}, resource=URI",
    )  # fmt: skip
    _add_common(server)

    example = "nostrmcp conformance live client --command 'node client.mjs' --revision contextvm"
    client = reports.add_action(sides, "client", _client, "test a client", example)
    client.add_argument("--command", metavar="CMD", required=True, help="the client, started once for each check")
    _add_common(client)

    listing = reports.add_action(
        sides, "list", _list, "list the checks", "nostrmcp conformance live list --revision contextvm --level MUST"
    )
    _add_selection(listing, list(REVISIONS))
    listing.add_argument("--json", action="store_true", help="one JSON object a line")


def _add_selection(parser: argparse.ArgumentParser, revisions: list[str], unnamed: str = "all") -> None:
    parser.add_argument(
        "--revision", action="append", default=[], choices=revisions, metavar="R",
        help=f"{', '.join(revisions)}; may be repeated (default: {unnamed})",
    )  # fmt: skip
    parser.add_argument("--level", choices=LEVELS, default="MAY", help="nothing below this level (default: MAY)")


def _add_common(parser: argparse.ArgumentParser) -> None:
    _add_selection(parser, [*REVISIONS, "all"], "found out")
    parser.add_argument("--case", action="append", default=[], metavar="ID", help="only this check")
    parser.add_argument("--strict", action="store_true", help="warnings (SHOULD, hardening) fail")
    parser.add_argument("--baseline", type=Path, metavar="FILE", help="TOML with the failures that are expected")
    parser.add_argument("--write-baseline", type=Path, metavar="FILE", help="write what fails as a baseline")
    reports.add_report(parser)
    parser.add_argument("--seed", type=int, help="decides the order (default: random, printed)")
    parser.add_argument("--timeout", type=seconds, default=5.0, metavar="S", help="for an answer (default: 5)")
    parser.add_argument("--start-timeout", type=seconds, default=20.0, metavar="S", help="for a start (default: 20)")
    parser.add_argument(
        "--quiet", type=seconds, default=0.05, metavar="S",
        help="how long silence is listened to after its order has shown it (default: 0.05)",
    )  # fmt: skip


def _list(options: argparse.Namespace) -> int:
    from ..conformance.live.catalogue import listed

    for row in listed(tuple(options.revision) or tuple(REVISIONS), options.level):
        if options.json:
            print(json.dumps(row))
        else:
            hardening = "hardening" if row["hardening"] else ""
            needs = f" (needs {', '.join(row['needs'])})" if row["needs"] else ""
            print(f"{row['case']:48} {row['level']:6} {hardening:9} {row['title']}{needs}")
    return Exit.CONFORMING


def _server(options: argparse.Namespace) -> int:
    if options.command is None and (options.relay is None or options.pubkey is None):
        raise Problem("give --command, or --relay and --pubkey of a server that is running")
    calls, resource = _hints(options.hint)
    more = {
        "url": None if options.relay is None else relay_address(options.relay),
        "pubkey": None if options.pubkey is None else _key(options.pubkey),
        "server_id": options.server_id,
        "hints": calls,
        "resource": resource,
    }
    return _run(options, Role.SERVER, ("--relay", "--pubkey", "--server-id", "--hint", *_AGAIN), more)


def _client(options: argparse.Namespace) -> int:
    return _run(options, Role.CLIENT, _AGAIN, {})


def _run(options: argparse.Namespace, role: Role, again: tuple[str, ...], more: dict[str, Any]) -> int:
    if os.name != "posix":
        raise Problem("conformance live needs a POSIX system, as testees run in process groups")
    from ..conformance.live.catalogue import CHECKS, RUNS, known_cases
    from ..conformance.live.process import starting
    from ..conformance.live.run import Live
    from ..conformance.live.server_bench import Timing

    known = known_cases(role)
    unknown = sorted(set(options.case) - known - {check.name for check in CHECKS[role]})
    if unknown:
        raise Problem(f"there is no check {visible(', '.join(unknown))}: see spec/live.md")
    expected = baseline.load(options.baseline) if options.baseline else {}
    baseline.check_known(expected, known)
    command = _command(options.command)
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1_000_000)
    live = Live(
        role=role,
        name=options.command or f"{options.pubkey} at {options.relay}",
        again=("nostrmcp", "conformance", "live", role.value, *reports.again(options, "--command", *again)),
        start=starting(command) if command else None,
        revisions=_revisions(options.revision),
        cases=tuple(options.case),
        level=options.level,
        seed=options.seed,
        strict=options.strict,
        timing=Timing(options.timeout, options.start_timeout, options.quiet),
        baseline=expected,
        **more,
    )
    with tempfile.TemporaryDirectory(prefix="nostrmcp-") as folder:
        path = Path(folder) / "run.jsonl"
        bar = reports.Bar()
        with reports.writing(path) as file:
            code = asyncio.run(RUNS[role](live, Writer(file)).run(bar.show))
        bar.end()
        stream = open_stream(path)
        reports.show(stream, options)
        if options.write_baseline is not None:
            reports.write_baseline(stream, options.write_baseline, expected)
    return int(code)


def run_gateway(path: Path, seed: int) -> None:
    """Every check of servers against our own gateway with the example programs, in every revision; the stream of it."""
    from ..conformance.live.catalogue import RUNS
    from ..conformance.live.process import starting
    from ..conformance.live.run import Live
    from ..conformance.live.server_bench import Call, Timing

    processor = shlex.join([sys.executable, "-m", "nostrmcp.runtime.example_processor"])
    gateway = [sys.executable, "-m", "nostrmcp", "gateway", "--announce"]
    selling = ["--price", "tool:add=21sats", "--payment-processor", processor]
    command = [*gateway, *selling, "--", sys.executable, "-m", "nostrmcp.runtime.example"]
    hints = {"slow": Call("count", {"steps": 3, "pause": 0.1}), "error": Call("fail", {}), "paid": Call("add", {})}
    named = [
        word for name, call in hints.items() for word in ("--hint", f"{name}={call.tool}:{json.dumps(call.arguments)}")
    ]
    timing = Timing(10.0, 30.0, 0.05)
    times = ("--seed", str(seed), "--timeout", f"{timing.answer:g}", "--start-timeout", f"{timing.start:g}")
    again = ("nostrmcp", "conformance", "live", "server", "--command", shlex.join(command), *named, *times)
    settings = Live(
        role=Role.SERVER,
        name="nostrmcp gateway",
        again=again,
        start=starting(command),
        revisions=tuple(REVISIONS.values()),
        hints=hints,
        seed=seed,
        timing=timing,
    )
    bar = reports.Bar()
    with reports.writing(path) as file:
        asyncio.run(RUNS[Role.SERVER](settings, Writer(file)).run(bar.show))
    bar.end()


def _command(text: str | None) -> list[str]:
    try:
        words = shlex.split(text or "")
    except ValueError as problem:
        raise Problem(f"--command {visible(str(text))}: {problem}") from None
    if text is not None and not words:
        raise Problem("--command is empty")
    return words


def _revisions(names: list[str]) -> tuple[Revision, ...]:
    return tuple(REVISIONS[name] for name in (REVISIONS if "all" in names else dict.fromkeys(names)))


def _key(text: str) -> bytes:
    try:
        found = nip19.decode(text) if text.startswith("npub") else PublicKey(bytes.fromhex(text))
    except (Violation, ValueError):
        found = None
    if not isinstance(found, PublicKey):
        raise Problem(f"{visible(text)} is no public key: write an npub or 64 hexadecimal digits")
    return found.x


def _hints(texts: list[str]) -> tuple[dict[str, Call], str | None]:
    from ..conformance.live.server_bench import Call

    calls: dict[str, Call] = {}
    resource = None
    for text in texts:
        name, equals, value = text.partition("=")
        if name == "resource" and value:
            resource = value
            continue
        tool, _, arguments = value.partition(":")
        try:
            given = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            given = None
        if name not in HINTS or not equals or not tool or not isinstance(given, dict):
            raise Problem(f"--hint {visible(text)}: write one of {', '.join(HINTS)} =TOOL:JSON-OBJECT, or resource=URI")
        calls[name] = Call(tool, given)
    return calls, resource
