"""The program `nostrmcp`."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from .. import __version__
from .problem import FULL, INTERRUPTED, Problem

# Commands, the module of each and what it does: the list of commands loads none of them.
COMMANDS = {
    "conformance": ("conformance", "put the vectors to an implementation in any language, and report"),
    "inspect": ("events", "say what events are: revision, message, tags, and every requirement they break"),
    "translate": ("events", "write an event in the form of another revision"),
    "gateway": ("gateway", "put a stdio MCP server on Nostr, in one or all revisions"),
    "proxy": ("remote", "use a server on Nostr as a local stdio MCP server"),
    "call": ("remote", "call one tool of a server on Nostr"),
    "discover": ("remote", "list servers that relays know: capabilities, prices, encryption"),
    "demo": ("demo", "let a client call tools over a relay, in each revision in turn, and show the wire"),
    "key": ("key", "make a secret key, or show the public forms of one"),
    "relay": ("relay", "run a relay in memory, for tests and demonstrations"),
    "vectors": ("vectors", "list, show, copy and check the conformance vectors"),
}


EXIT_CODES = (
    "Exit codes: 0 done; 1 done, and something is wrong with what was looked at, or was refused; 2 it cannot be done: "
    f"standard error says why; {INTERRUPTED} interrupted before it was done. A gateway, a proxy and a relay are done "
    "when they are told to end. The actions of `conformance` have codes of their own: see their help."
)


class Parser(argparse.ArgumentParser):
    """A command's parser. One that is `intermixed` takes options between its other words, even optional ones. What is
    wrong is said in one sentence, as for everything else that cannot be done."""

    intermixed = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        if not self.intermixed:
            return super().parse_known_args(args, namespace)
        self.intermixed = False  # what follows comes here again
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self.intermixed = True

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; EXIT_CODES says what its exit code means. Ctrl-C is answered by the end alone."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed when we were started
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    try:
        return _main(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED


def _main(arguments: Sequence[str] | None) -> int:
    parser = Parser(
        prog="nostrmcp",
        description="The reference implementation of MCP over Nostr.",
        epilog=f"{EXIT_CODES} example: nostrmcp vectors check",
    )
    parser.add_argument("--version", action="version", version=f"nostrmcp {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    given = list(sys.argv[1:] if arguments is None else arguments)
    word = next((one for one in given if not one.startswith("-")), "")
    chosen = COMMANDS.get(word, ("", ""))[0]
    if chosen:
        importlib.import_module(f".{chosen}", __package__).add_to(commands)
    else:
        for name, (_, about) in COMMANDS.items():
            commands.add_parser(name, help=about)
    options = parser.parse_args(given)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code: int = options.run(options)
        if not sys.stdout.closed:  # as a proxy leaves it
            sys.stdout.flush()
        return code
    except Problem as problem:
        print(f"nostrmcp: {problem}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader, `head` for example, has seen enough.
        _say_no_more()
        return 0
    except OSError as problem:
        if problem.errno not in FULL:
            raise
        _say_no_more()
        print(f"nostrmcp: cannot write: {problem.strerror}", file=sys.stderr)
        return 2


def _say_no_more() -> None:
    """What waits to be written to standard output is for nobody."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
