"""The program `nostrmcp`."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from .. import __version__
from . import events, relay, vectors
from .problem import Problem


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0, 1 for findings, 2 for a request that makes no sense."""
    parser = argparse.ArgumentParser(
        prog="nostrmcp",
        description="The reference implementation of MCP over Nostr.",
        epilog="example: nostrmcp vectors check",
    )
    parser.add_argument("--version", action="version", version=f"nostrmcp {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    events.add_to(commands)
    relay.add_to(commands)
    vectors.add_to(commands)
    options = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except Problem as problem:
        print(f"nostrmcp: {problem}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader, `head` for example, has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
