"""`nostrmcp gateway`: put MCP servers on Nostr."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..conformance.text import visible
from ..mcp import Version
from ..nostr import LocalProtocolError, SecretKey, Violation, nip19
from ..revisions import REVISIONS, Revision
from ..revisions.model import MessageClass
from ..runtime.gateway import Gateway
from ..runtime.payments import ProcessorCommand
from ..runtime.pool import Pool
from ..runtime.state import StateError, StateFile
from ..runtime.stdio import Gone, Peer, Said, StdioProcess
from ..session.actions import Link
from ..session.announcing import can_describe
from ..session.settings import Encryption, McpServer, ServerLimits, ServerSettings, ServerTimers
from ..translate.route import Price
from .network import (
    Stopped,
    add_key,
    add_relays,
    key_of,
    program,
    public_key,
    relays_of,
    run_until_signal,
    say,
    teller,
    unless_stopped,
)
from .problem import Problem, seconds, startable

_PRICE = re.compile(r"(tool|prompt|resource):(.+)=([0-9]{1,16}(?:-[0-9]{1,16})?) ?(sats?)")
# What fits several revisions is answered as the first of them. The living one comes first: published clients ask for no
# wrap that is dated back, as ctxvm-draft dates its own.
_ALL = ("contextvm", *(name for name in REVISIONS if name != "contextvm"))
# What a [[server]] of a configuration file may say.
_SERVER = {
    "id": str, "command": list, "shared": bool, "announce": bool, "name": str, "about": str, "picture": str,
    "website": str,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Offer:
    """A server, and the command that runs it."""

    server: McpServer
    command: tuple[str, ...]


def add_to(commands: Any) -> None:
    """Add the command to the program's parser."""
    about = "put a stdio MCP server on Nostr, in one or all revisions"
    parser = commands.add_parser(
        "gateway",
        help=about,
        description=about.capitalize() + ". It prints where the server is to be found, and ends on SIGINT or SIGTERM.",
        epilog="example: nostrmcp gateway --relay ws://127.0.0.1:7000 --announce -- python -m nostrmcp.runtime.example",
    )
    add_relays(parser)
    add_key(parser, "a new key for this run")
    parser.add_argument(
        "--revision", action="append", choices=["all", *REVISIONS], metavar="R",
        help=f"a revision to speak, in order of preference: {', '.join(REVISIONS)}, or all "
        "(default: NOSTRMCP_REVISION, else all)",
    )  # fmt: skip
    parser.add_argument("--mcp-version", choices=list(Version), default="2025-11-25", help="(default: 2025-11-25)")
    parser.add_argument(
        "--server-id", default=os.environ.get("NOSTRMCP_SERVER_ID") or "mcp",
        help="the server's id, where the revision has one (default: NOSTRMCP_SERVER_ID, else mcp)",
    )  # fmt: skip
    parser.add_argument("--config", type=Path, metavar="FILE", help="several servers, as [[server]] tables in TOML")
    parser.add_argument("--shared", action="store_true", help="one process for all clients, in place of one for each")
    parser.add_argument("--max-processes", type=int, default=32, metavar="N", help="processes at a time (default: 32)")
    parser.add_argument(
        "--idle", type=seconds, default=600, metavar="S", help="seconds until an idle session ends (600)"
    )
    announcing = parser.add_argument_group("announcements")
    announcing.add_argument("--announce", action="store_true", help="tell relays of the server")
    announcing.add_argument(
        "--announce-as", choices=list(REVISIONS), metavar="R", help="the revision that is announced under the plain id"
    )
    for name in ("name", "about", "picture", "website"):
        announcing.add_argument(f"--{name}", help=f"the {name} in the announcement")
    announcing.add_argument(
        "--withdraw", action="store_true", help="at the end, ask relays to delete the announcements"
    )
    trust = parser.add_argument_group("trust and money")
    trust.add_argument("--encryption", type=Encryption, choices=list(Encryption), default=Encryption.OPTIONAL)
    trust.add_argument("--allow", action="append", metavar="KEY", help="serve only this npub; may be repeated")
    trust.add_argument("--price", action="append", default=[], metavar="P", help="for example tool:NAME=100sats")
    trust.add_argument(
        "--payment-processor", metavar="CMD", help="the program that makes invoices; see spec/runtime.md"
    )
    trust.add_argument("--state", type=Path, metavar="FILE", help="keeps what was executed across restarts")
    parser.add_argument("--json", action="store_true", help="print where the server is as a JSON object")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="the MCP server to run")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    relays = relays_of(options)
    key = key_of(options, relays)
    offers = _offers(options)
    named = options.payment_processor
    processor = None if named is None else program(named, "--payment-processor")
    prices = tuple(_price(text) for text in options.price)
    if prices and not processor:
        raise Problem("a price needs a program that makes invoices: name one with --payment-processor")
    if options.max_processes <= 0:
        raise Problem("--max-processes is more than 0")
    if any(offer.server.announced for offer in offers) and not can_describe(options.mcp_version):
        raise Problem(f"what a server is cannot be asked in MCP {options.mcp_version}, so it cannot be announced")
    state = _state(options.state)
    try:
        settings = ServerSettings(
            _revisions(options),
            tuple(offer.server for offer in offers),
            options.mcp_version,
            options.encryption,
            allow=frozenset(map(public_key, options.allow)) if options.allow else None,
            prices=prices,
            done=None if state is None else state.done,
            timers=ServerTimers(session=options.idle),
            limits=_limits(offers, options.max_processes),
        )
        for offer in offers:
            startable(offer.command)
        return run_until_signal(lambda stop: _serve(options, settings, key, relays, offers, processor, state, stop))
    except LocalProtocolError as problem:
        raise Problem(problem.detail) from None
    finally:
        if state is not None:
            state.close()


async def _serve(
    options: argparse.Namespace,
    settings: ServerSettings,
    key: SecretKey,
    relays: list[str],
    offers: list[_Offer],
    processor: list[str] | None,
    state: StateFile | None,
    stop: asyncio.Event,
) -> int:
    slots = asyncio.Semaphore(options.max_processes)
    commands = {offer.server.id: offer.command for offer in offers}

    def garbled(violation: Violation) -> None:
        if options.verbose:
            say(f"the MCP server wrote what is no message: {violation}")

    def connect(link: Link, said: Said, gone: Gone) -> Peer:
        return StdioProcess(commands[link.server], said, gone, garbled=garbled, slots=slots)

    def ended(link: Link, why: str) -> None:
        say(f"the MCP server {link.server}: {why}")

    gateway = Gateway(
        settings,
        key,
        Pool(relays, key=key),
        connect,
        processor=None if processor is None else ProcessorCommand(processor, settings.timers.payment),
        observe=teller(options.verbose),
        ended=ended,
        state=state,
    )
    async with gateway:
        try:
            await unless_stopped(stop, gateway.ready())
            _print(options, settings, key, relays, gateway)
            await unless_stopped(stop, gateway.wait())
        except Stopped:
            pass
        except StateError as problem:
            say(str(problem))
            return 1
        for error in await gateway.stop(withdraw=options.withdraw):
            say(f"not withdrawn: {error}")
    return 0


def _print(
    options: argparse.Namespace, settings: ServerSettings, key: SecretKey, relays: list[str], gateway: Gateway
) -> None:
    servers = [
        {
            "server_id": gateway.server.server_ids[revision.name, server.id] if revision.server_ids else None,
            "revision": revision.name,
            "naddr": _address(gateway.server.server_ids[revision.name, server.id], revision, key, relays)
            if server.announced
            else None,
        }
        for server in settings.servers
        for revision in settings.revisions
        if gateway.server.announcer.speaks(server, revision)
    ]
    npub = nip19.encode(key.public_key)
    if options.json:
        print(
            json.dumps({"pubkey": key.public_key.hex(), "npub": npub, "relays": relays, "servers": servers}), flush=True
        )
        return
    print(npub)
    for row in servers:
        where = row["naddr"] or (f"server id {row['server_id']}" if row["server_id"] else "")
        print(f"  {row['revision']:22}{where}", flush=True)


def _address(server_id: str, revision: Revision, key: SecretKey, relays: list[str]) -> str:
    kind = revision.kinds.announcements[MessageClass.SERVER]
    identifier = server_id if revision.server_ids else ""
    return nip19.encode(nip19.Address(identifier, key.public_key.x, kind, tuple(relays[:2])))


def _revisions(options: argparse.Namespace) -> tuple[Revision, ...]:
    names = list(options.revision or os.environ.get("NOSTRMCP_REVISION", "").split() or ["all"])
    unknown = [name for name in names if name not in ("all", *REVISIONS)]
    if unknown:
        raise Problem(f"NOSTRMCP_REVISION names {visible(unknown[0])}; there are {', '.join(REVISIONS)}")
    named = list(_ALL) if "all" in names else list(dict.fromkeys(names))
    if options.encryption is Encryption.REQUIRED and "all" in names:
        named = [name for name in named if REVISIONS[name].kinds.wraps]
    if options.announce_as is not None:
        if options.announce_as not in named:
            raise Problem(f"--announce-as {options.announce_as}, but that revision is not spoken")
        named = [options.announce_as, *(name for name in named if name != options.announce_as)]
    return tuple(REVISIONS[name] for name in named)


def _limits(offers: list[_Offer], processes: int) -> ServerLimits:
    """Servers that are shared or announced each hold a process, and so does a session whose MCP server is its own.

    There are as many sessions as processes are left for them: one that waited for a process might wait for ever.
    """
    left = processes - sum(offer.server.shared or offer.server.announced for offer in offers)
    if all(offer.server.shared for offer in offers) and left >= 0:
        return ServerLimits()
    if left < 1:
        raise Problem(f"--max-processes {processes} is too few: servers that are shared or announced take one each")
    return ServerLimits(sessions=left, reserved=left // 10)


def _offers(options: argparse.Namespace) -> list[_Offer]:
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if options.config is not None:
        if command:
            raise Problem("give either --config or a command, not both")
        return _configured(options.config, options)
    if not command:
        raise Problem("which MCP server? Put its command after --, for example: -- python -m nostrmcp.runtime.example")
    texts = {name: getattr(options, name) for name in ("name", "about", "picture", "website")}
    server = McpServer(options.server_id, options.shared, options.announce, **texts)
    return [_Offer(server, tuple(command))]


def _configured(path: Path, options: argparse.Namespace) -> list[_Offer]:
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("server")
    except OSError as problem:
        raise Problem(f"cannot read {path}: {problem.strerror}") from None
    except ValueError as problem:
        raise Problem(f"{path} is not TOML: {problem}") from None
    if not isinstance(tables, list) or not tables:
        raise Problem(f"{path} has no [[server]] table")
    offers = []
    for number, table in enumerate(tables, start=1):
        where = f"{path}: server {number}"
        if not isinstance(table, dict):
            raise Problem(f"{where} is not a table")
        for name, value in table.items():
            if name not in _SERVER or not isinstance(value, _SERVER[name]):
                raise Problem(f"{where}: {name} is unknown or of the wrong type; there are {', '.join(_SERVER)}")
        command = table.get("command")
        if not command or not all(isinstance(word, str) for word in command) or not table.get("id"):
            raise Problem(f"{where} needs an id, and a command as a list of strings")
        texts = {name: table.get(name) for name in ("name", "about", "picture", "website")}
        shared, announced = table.get("shared", options.shared), table.get("announce", options.announce)
        offers.append(_Offer(McpServer(table["id"], shared, announced, **texts), tuple(command)))
    return offers


def _price(text: str) -> Price:
    read = _PRICE.fullmatch(text)
    if read is None:
        raise Problem(f"{text!r} is no price: write for example tool:NAME=100sats")
    return Price(*read.groups())


def _state(path: Path | None) -> StateFile | None:
    import time

    if path is None:
        return None
    try:
        return StateFile(path, 2 * ServerTimers().fresh + 1, time.time)
    except StateError as problem:
        raise Problem(str(problem)) from None
