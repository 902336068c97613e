"""`nostrmcp key`: make a secret key, and show the public one of a key."""

from __future__ import annotations

import argparse
import json
import os
import secrets
from typing import Any

from .problem import Problem, read_key


def add_to(commands: Any) -> None:
    """Add the command to the program's parser."""
    about = "make a secret key, or show the public forms of one"
    example = "example: nostrmcp key new --out server.key"
    parser = commands.add_parser("key", help=about, description=about.capitalize() + ".", epilog=example)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    new = actions.add_parser(
        "new",
        help="write a new secret key to a file",
        description="Write a new secret key to a file that only its owner can read. A file that exists is left alone.",
        epilog="example: nostrmcp key new --out server.key",
    )
    new.add_argument("--out", required=True, metavar="FILE", help="the file to write")
    new.add_argument("--json", action="store_true", help="print the public forms as a JSON object")
    new.set_defaults(run=_new)
    show = actions.add_parser(
        "show",
        help="print the public forms of a key",
        description="Print the public key of the secret key in a file, never the secret.",
        epilog="example: nostrmcp key show server.key",
    )
    show.add_argument("file", help="a secret key as nsec or hexadecimal; - for standard input")
    show.add_argument("--json", action="store_true", help="as a JSON object")
    show.set_defaults(run=_show)


def _new(options: argparse.Namespace) -> int:
    from ..nostr import SecretKey, nip19

    key = SecretKey(secrets.token_bytes(32))
    try:
        file = os.open(options.out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise Problem(f"{options.out} exists; it is left as it is") from None
    except OSError as problem:
        raise Problem(f"cannot write {options.out}: {problem.strerror}") from None
    with os.fdopen(file, "w", encoding="ascii") as written:
        written.write(nip19.encode(key) + "\n")
    return _print(key, options.json)


def _show(options: argparse.Namespace) -> int:
    return _print(read_key(options.file), options.json)


def _print(key: Any, as_json: bool) -> int:
    from ..nostr import nip19

    public = {"npub": nip19.encode(key.public_key), "hex": key.public_key.hex()}
    print(json.dumps(public) if as_json else "\n".join(public.values()))
    return 0
