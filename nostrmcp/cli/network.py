"""What the commands that speak to relays share: relays, keys, signals, and telling a person what happens."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import secrets
import shlex
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ..conformance.text import cut, visible
from ..conformance.vectors import vectors_folder
from ..nostr import PublicKey, SecretKey, Violation, nip19
from ..nostr.event import is_hex32
from ..runtime.driving import Observed, Observer
from ..runtime.reports import Changed, Ended, Noticed, State
from ..runtime.websocket import is_loopback
from ..session.actions import Drop, Notice
from ..session.limits import Rate
from .problem import INTERRUPTED, Problem, read_key, startable

T = TypeVar("T")

# How often strangers can make us tell of something in a second, and how much at a time, in characters.
WORDS_PER_SECOND = 5
LONGEST_LINE = 2000

RELAY_VARIABLE = "NOSTRMCP_RELAY"
KEY_VARIABLE = "NOSTRMCP_SECRET_FILE"


def add_relays(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--relay", action="append", default=[], metavar="URL",
        help=f"a relay; may be repeated (default: those in {RELAY_VARIABLE}, separated by blanks)",
    )  # fmt: skip


def add_key(parser: argparse.ArgumentParser, otherwise: str) -> None:
    parser.add_argument(
        "--key-file", metavar="FILE", help=f"our secret key (default: the file that {KEY_VARIABLE} names; {otherwise})"
    )
    parser.add_argument("--verbose", action="store_true", help="tell on standard error what is dropped, and why")


def relay_address(url: str) -> str:
    """The address of a relay; a Problem for anything else."""
    parts = urlsplit(url)
    if parts.scheme not in ("ws", "wss") or not parts.hostname:
        raise Problem(f"{visible(url)} is not the address of a relay: it begins with ws:// or wss://")
    return url


def relays_of(options: argparse.Namespace, hints: Iterable[str] = ()) -> list[str]:
    """The relays to use: those named, else those in the environment, else hints; a Problem where there is none."""
    given = options.relay or os.environ.get(RELAY_VARIABLE, "").split() or list(hints)
    if not given:
        raise Problem("no relay is known: name one with --relay (`nostrmcp relay` runs one on this machine)")
    return list(dict.fromkeys(map(relay_address, given)))


def key_of(options: argparse.Namespace, relays: Iterable[str]) -> SecretKey:
    """Our key: the one in a file, else a new one for this run."""
    path = options.key_file or os.environ.get(KEY_VARIABLE)
    if path is None:
        return SecretKey(secrets.token_bytes(32))
    key = read_key(path)
    if not all(is_loopback(urlsplit(url).hostname or "") for url in relays) and _is_published(key.public_key.hex()):
        raise Problem("this key is published in the conformance vectors: it is only good for relays on this machine")
    return key


def _is_published(pubkey: str) -> bool:
    return any(pubkey in path.read_text(encoding="utf-8") for path in vectors_folder().rglob("*.json"))


def public_key(text: str) -> bytes:
    """A public key as npub or hexadecimal."""
    if is_hex32(text):
        return bytes.fromhex(text)
    try:
        entity = nip19.decode(text)
    except Violation:
        entity = None
    if not isinstance(entity, PublicKey):
        raise Problem(f"{visible(text)} is not a public key: give an npub or 64 hexadecimal digits")
    return entity.x


def program(text: str, option: str) -> list[str]:
    """A program and its arguments, as an option names them in the manner of a shell."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if not words:
        raise Problem(f"{option} is not a command: {visible(text)}")
    return startable(words)


def teller(verbose: bool) -> Observer:
    """Tells on standard error which relays are lost and come back, and what was dropped where that is wanted.

    What relays and strangers can make us tell is told a few times a second, however often they do.
    """
    lost: set[str] = set()
    words = Rate(WORDS_PER_SECOND)

    def tell(one: Observed) -> None:
        match one:
            case Changed(relay, State.UP) if relay in lost:
                lost.discard(relay)
                say(f"{relay}: connected")
            case Changed(relay, State.WAITING, why) if relay not in lost:
                lost.add(relay)
                say(f"{relay}: {why}; trying again")
            case Drop(event_id, violation) if verbose:
                say(f"dropped {event_id.hex() if event_id else 'a message'}: {violation}")
            case Changed() | Drop():
                pass
            case _ if not words.take(time.monotonic()):
                pass
            case Notice(_, violation):
                say(str(violation))
            case Noticed(relay, text) | Ended(relay, _, text):
                say(f"{relay}: {text}")
            case _:
                say(str(one))

    return tell


def say(text: str) -> None:
    """Tell a person; where nobody listens any more, nobody is told."""
    with contextlib.suppress(OSError, ValueError):
        print(f"nostrmcp: {cut(visible(text), LONGEST_LINE)}", file=sys.stderr, flush=True)


class Stopped(Exception):
    """A signal came first."""


async def unless_stopped(stop: asyncio.Event, work: Coroutine[Any, Any, T]) -> T:
    """Do this, unless we are to stop: then it is cancelled, and Stopped is raised once it has ended."""
    working, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise Stopped
    finally:
        working.cancel()
        stopping.cancel()
        await asyncio.wait({working})


def run_until_signal(work: Callable[[asyncio.Event], Coroutine[Any, Any, int]]) -> int:
    """Run until done; `work` gets an event that SIGINT, SIGTERM and the end of the terminal set. It takes care of
    Stopped itself if it is done then, as a server is."""

    async def guarded() -> int:
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        try:
            return await work(stop)
        except Stopped:
            return INTERRUPTED

    return asyncio.run(guarded())
