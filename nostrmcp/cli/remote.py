"""`nostrmcp proxy`, `call` and `discover`: servers that are somewhere on Nostr."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

from ..conformance.text import visible
from ..mcp import Version
from ..mcp.jsonrpc import Error, Message, Notification
from ..nostr import LocalProtocolError, SecretKey, Violation, nip19
from ..nostr.keys import public_key as known_key
from ..revisions import REVISIONS
from ..revisions.model import LIST_MEMBERS, MessageClass
from ..runtime import discover
from ..runtime.client import NostrClient, Refused
from ..runtime.payments import Purse, SpendingLimit, WalletCommand
from ..runtime.pool import Pool
from ..runtime.proxy import Host, HostGone
from ..session.errors import ErrorClass
from ..session.settings import ClientSettings, ClientTimers, Encryption, PaymentPolicy, Remote
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
from .problem import Problem, seconds

# Seconds for which other relays are waited for, once one has shown an announcement of the server.
PATIENCE = 1.0


def add_to(commands: Any) -> None:
    """Add the three commands to the program's parser."""
    about = "use a server on Nostr as a local stdio MCP server"
    proxying = commands.add_parser(
        "proxy",
        help=about,
        description=about.capitalize() + ": MCP hosts launch it like any other.",
        epilog="example: nostrmcp proxy naddr1... --key-file client.key",
    )
    _add_target(proxying)
    proxying.set_defaults(run=_proxy)

    about = "call one tool of a server on Nostr"
    calling = commands.add_parser(
        "call",
        help=about,
        description=about.capitalize()
        + ", and print what it says. Exit code 1 if it failed. Without a tool: list them.",
        epilog="""example: nostrmcp call naddr1... add '{"a": 1, "b": 2}'""",
    )
    calling.intermixed = True
    _add_target(calling)
    calling.add_argument("tool", nargs="?", help="the tool (default: list the tools)")
    calling.add_argument("arguments", nargs="?", default="{}", help="its arguments as a JSON object (default: {})")
    calling.add_argument("--json", action="store_true", help="print the whole result as JSON")
    calling.set_defaults(run=_call)

    about = "list servers that relays know: capabilities, prices, encryption"
    finding = commands.add_parser(
        "discover",
        help=about,
        description=about.capitalize() + ".",
        epilog="example: nostrmcp discover --relay wss://...",
    )
    add_relays(finding)
    add_key(finding, "none")
    finding.add_argument("--author", action="append", default=[], metavar="KEY", help="only servers of this npub")
    finding.add_argument("--timeout", type=seconds, default=10.0, metavar="S", help="seconds for relays (default: 10)")
    finding.add_argument("--json", action="store_true", help="one JSON object a server")
    finding.set_defaults(run=_discover)


def _add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", help="the server: naddr, nprofile, npub, or its key in hexadecimal")
    add_relays(parser)
    add_key(parser, "a new key for this run")
    parser.add_argument("--server-id", help="which server of the key")
    parser.add_argument(
        "--revision", choices=list(REVISIONS), metavar="R",
        help=f"the revision to speak: {', '.join(REVISIONS)} (default: what is announced, else contextvm)",
    )  # fmt: skip
    parser.add_argument("--mcp-version", choices=list(Version), default="2025-11-25", help="(default: 2025-11-25)")
    parser.add_argument(
        "--encryption", type=Encryption, choices=list(Encryption), help="(default: optional, or disabled)"
    )
    parser.add_argument(
        "--ephemeral-wraps", action="store_true",
        help="wrap in kind 21059 from the first message on, for a server that reads no other and announces nothing",
    )  # fmt: skip
    parser.add_argument(
        "--allow-plain", action="store_true", help="go on in plain text where encryption gets no answer"
    )
    parser.add_argument(
        "--timeout", type=seconds, default=60.0, metavar="S", help="seconds for an answer (default: 60)"
    )
    parser.add_argument(
        "--pay-with", metavar="CMD", help="a wallet: the program that pays invoices; see spec/runtime.md"
    )
    parser.add_argument(
        "--max-sats", type=_sats, default=0, metavar="N", help="pay at most so many sats in all (default: 0)"
    )


def _sats(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 16):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of sats")
    return int(text)


# proxy


def _proxy(options: argparse.Namespace) -> int:
    async def work(stop: asyncio.Event) -> int:
        async with Host(sys.stdin.buffer, sys.stdout.buffer) as host:
            try:
                async with await unless_stopped(stop, _client(options, host.say)) as client:
                    await unless_stopped(stop, host.converse(client))
            except HostGone as gone:
                say(str(gone))
                return 1
            except Stopped:
                pass
        return 0

    return run_until_signal(work)


async def _client(
    options: argparse.Namespace, said: Callable[[Message], None], *, must_answer: bool = False
) -> NostrClient:
    """The client that the options describe; what is announced is asked of relays first. A Problem where one of them
    `must_answer` and none is there."""
    try:
        target = discover.parse_target(options.target)
    except Violation:
        raise Problem("the target is not an naddr, nprofile, npub or a key in hexadecimal") from None
    relays = relays_of(options, target.relays)
    key = key_of(options, relays)
    wallet = None if options.pay_with is None else WalletCommand(program(options.pay_with, "--pay-with"))
    if options.server_id is not None:
        target = discover.Target(target.pubkey, options.server_id, target.relays, target.kind)
    given = REVISIONS[options.revision] if options.revision else None
    longest = min(10.0, options.timeout)
    search = await discover.search(relays, authors=[target.pubkey], key=key, seconds=longest, patience=PATIENCE)
    try:
        found = discover.choose(search.servers, target, given)
    except discover.SeveralServers as several:
        raise Problem(f"{visible(str(several))} (--server-id)") from None
    revision = given or (found.revision if found else REVISIONS["contextvm"])
    encryption = options.encryption or (Encryption.OPTIONAL if revision.kinds.wraps else Encryption.DISABLED)
    payments: PaymentPolicy = PaymentPolicy()
    if wallet is not None:
        payments = SpendingLimit(pay=True, purse=Purse(options.max_sats))
    server_id = target.server_id if target.server_id or found is None else found.about.server_id
    try:
        settings = ClientSettings(
            revision,
            Remote(target.pubkey, server_id, found.event if found else None, options.ephemeral_wraps),
            options.mcp_version,
            encryption=encryption,
            allow_plain=options.allow_plain,
            payments=payments,
            timers=ClientTimers(request=options.timeout),
        )
    except LocalProtocolError as problem:
        raise Problem(problem.detail) from None
    if must_answer and len(search.unreachable) == len(relays):
        whys = "; ".join(f"{relay}: {why}" for relay, why in search.unreachable.items())
        raise Problem(visible(f"no relay can be reached: {whys}"))
    return NostrClient(settings, key, Pool(relays, key=key), said, wallet=wallet, observe=teller(options.verbose))


# call


def _call(options: argparse.Namespace) -> int:
    try:
        arguments = json.loads(options.arguments)
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        raise Problem("the arguments are not a JSON object")

    def said(message: Message) -> None:
        if isinstance(message, Notification) and message.method == "notifications/progress":
            say(str((message.params or {}).get("message", "progress")))

    async def work(stop: asyncio.Event) -> int:
        client = await unless_stopped(stop, _client(options, said, must_answer=True))
        try:
            async with client:
                result = await unless_stopped(stop, _ask(client, options, arguments))
        except Refused as refused:
            error = refused.error
            if options.json:
                print(json.dumps({"error": {"code": error.code, "message": error.message, "data": error.data}}))
            else:
                say(f"error {error.code}: {error.message}{_doubt(options, client, error)}")
            return 1
        _print_result(options, result)
        return 1 if result.get("isError") is True else 0

    return run_until_signal(work)


def _doubt(options: argparse.Namespace, client: NostrClient, error: Error) -> str:
    """What silence may come from: where nothing is announced, the revision was not known."""
    timed_out = type(error.data) is dict and error.data.get("reason") == ErrorClass.TIMED_OUT
    settings = client.client.settings
    if not timed_out or options.revision or settings.server.announcement is not None:
        return ""
    return f" (no relay has an announcement of it, so {settings.revision.name} was spoken: --revision names another)"


async def _ask(client: NostrClient, options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    await client.initialize(options.mcp_version)
    if options.tool is None:
        return await client.request("tools/list")
    # A token asks for progress, and progress keeps a long call alive.
    params = {"name": options.tool, "arguments": arguments, "_meta": {"progressToken": 1}}
    return await client.request("tools/call", params)


def _print_result(options: argparse.Namespace, result: dict[str, Any]) -> None:
    if options.json:
        print(json.dumps(result))
        return
    items = result.get("content") if options.tool else result.get("tools")
    for item in items if isinstance(items, list) else []:
        if not isinstance(item, dict):
            continue
        if options.tool is None:
            print(visible(f"{item.get('name')}: {item.get('description', '')}"))
        elif item.get("type") == "text":
            print("\n".join(visible(line) for line in str(item.get("text")).split("\n")))
        else:
            print(visible(json.dumps(item)))


# discover


def _discover(options: argparse.Namespace) -> int:
    relays = relays_of(options)
    key: SecretKey | None = key_of(options, relays) if options.key_file else None
    authors = [public_key(text) for text in options.author]

    async def work(stop: asyncio.Event) -> int:
        looking = discover.search(relays, authors=authors, key=key, seconds=options.timeout)
        _print_found(options, relays, await unless_stopped(stop, looking))
        return 0

    return run_until_signal(work)


def _print_found(options: argparse.Namespace, relays: list[str], search: discover.Search) -> None:
    for relay, why in search.silent.items():
        say(f"{relay}: {why}")
    for found in search.servers:
        if options.json:
            print(json.dumps(_as_value(found, relays)))
        else:
            print("\n".join(_as_text(found, relays)))
    if len(search.silent) == len(relays):
        raise Problem("no relay answered")
    if not search.servers and not options.json:
        print("no server is announced")


def _names(found: discover.Found) -> dict[str, list[str]]:
    """What each list has, by name."""
    return {
        LIST_MEMBERS[message_class]: [
            str(item.get("name")) for item in listed.content[LIST_MEMBERS[message_class]] if isinstance(item, dict)
        ]
        for message_class, listed in found.lists.items()
    }


def _prices(found: discover.Found) -> list[dict[str, str]]:
    every = {price for one in (found.about, *found.lists.values()) for price in one.prices}
    return [
        {"type": price.type, "capability": price.capability, "amount": price.amount, "unit": price.unit}
        for price in sorted(every, key=lambda price: (price.type, price.capability))
    ]


def _as_value(found: discover.Found, relays: list[str]) -> dict[str, Any]:
    about = found.about
    info = about.content.get("serverInfo")
    return {
        "naddr": found.address(tuple(relays[:2])),
        "npub": nip19.encode(known_key(about.pubkey)),
        "pubkey": about.pubkey.hex(),
        "server_id": about.server_id,
        "revisions": list(found.revisions),
        "name": about.name or (info.get("name") if isinstance(info, dict) else None),
        "about": about.about,
        "picture": about.picture,
        "website": about.website,
        "protocol_version": about.content.get("protocolVersion"),
        "capabilities": about.content.get("capabilities"),
        "encryption": about.encryption,
        "ephemeral_wraps": about.ephemeral_wraps,
        "prices": _prices(found),
        "announced": found.event.created_at,
        **_names(found),
    }


def _as_text(found: discover.Found, relays: list[str]) -> list[str]:
    value = _as_value(found, relays)
    lines = [visible(f"{value['name'] or value['server_id'] or value['npub']}")]
    if value["about"]:
        lines.append(f"  {visible(value['about'])}")
    lines.append(f"  {value['naddr']}")
    encryption = "encrypted or plain" if value["encryption"] else "plain"
    lines.append(visible(f"  {' or '.join(found.revisions)}, MCP {value['protocol_version']}, {encryption}"))
    for message_class in (*found.lists, MessageClass.SERVER):
        names = value.get(LIST_MEMBERS.get(message_class, ""))
        if names:
            lines.append(visible(f"  {LIST_MEMBERS[message_class]}: {', '.join(names)}"))
    lines += [visible(f"  price of {one['capability']}: {one['amount']} {one['unit']}") for one in value["prices"]]
    return [*lines, ""]
