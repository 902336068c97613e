"""`nostrmcp demo`: a conversation in each revision, with every event shown as it passes."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import sys
from typing import Any

from ..conformance.text import visible
from ..revisions import REVISIONS
from ..runtime.demo import Demonstration, Seen
from ..session.settings import Encryption

_COLOURS = {"client": "36", "server": "33", "wrap": "35", "title": "1", "quiet": "2"}


def add_to(commands: Any) -> None:
    """Add the command to the program's parser."""
    about = "let a client call tools over a relay, in each revision in turn, and show the wire"
    parser = commands.add_parser(
        "demo",
        help=about,
        description=about.capitalize() + ". Everything runs in this process, on 127.0.0.1.",
        epilog="example: nostrmcp demo --revision contextvm",
    )
    parser.add_argument("--revision", action="append", choices=list(REVISIONS), metavar="R", help="only this revision")
    parser.add_argument("--plain", action="store_true", help="without encryption, also where the revision has it")
    parser.add_argument("--json", action="store_true", help="one JSON object for each event")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    # A reader that has seen enough is no fault of the relay, which shows the events.
    unread: list[BrokenPipeError] = []
    for name in options.revision or REVISIONS:
        revision = REVISIONS[name]
        encrypts = bool(revision.kinds.wraps) and not options.plain
        if not options.json:
            print(_coloured("title", f"{name}{', encrypted' if encrypts else ''}"), flush=True)

        def show(seen: Seen, name: str = name) -> None:
            try:
                print(_as_json(seen, name) if options.json else _as_text(seen), flush=True)
            except BrokenPipeError as end:
                unread.append(end)

        encryption = Encryption.REQUIRED if encrypts else Encryption.DISABLED
        said = asyncio.run(Demonstration(revision, encryption, show).run())
        if unread:
            raise unread[0]
        if not options.json:
            print(f"  the tools said: {'; '.join(said)}\n", flush=True)
    return 0


def _as_json(seen: Seen, revision: str) -> str:
    inner = None if seen.inner is None else seen.inner.to_value()
    return json.dumps({"revision": revision, "sender": seen.sender, "event": seen.event.to_value(), "inner": inner})


def _as_text(seen: Seen) -> str:
    event = seen.inner or seen.event
    kind = f"{event.kind}" if seen.inner is None else f"{event.kind} in {seen.event.kind}"
    to = {"client": "server", "server": "client"}[seen.sender] if event.first("p") else "anyone"
    arrow = f"{seen.sender} -> {to}"
    tags = " ".join(
        f"{tag[0]}={tag[1][:8] if tag[0] in 'ep' else tag[1]}" if len(tag) > 1 else tag[0] for tag in event.tags
    )
    room = max(40, shutil.get_terminal_size((120, 24)).columns - 6)
    content = visible(event.content)
    if len(content) > room:
        content = content[: room - 3] + "..."
    first = (
        f"  {_coloured(seen.sender, arrow)}  kind {_coloured('wrap', kind) if seen.inner else kind}  {visible(tags)}"
    )
    return f"{first}\n      {_coloured('quiet', content)}"


def _coloured(what: str, text: str) -> str:
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return text
    return f"\x1b[{_COLOURS[what]}m{text}\x1b[0m"
