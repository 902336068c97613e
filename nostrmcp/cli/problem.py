"""What every command shares: how to say that something cannot be done, and how to read what the user names."""

from __future__ import annotations

import argparse
import errno
import math
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..nostr import SecretKey


# What a shell reports of a command that SIGINT ended.
INTERRUPTED = 130


# Where what is written has no place: no fault of ours, and a person can do something about it.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Problem(Exception):
    """What the user asked for cannot be done; the message says why in one sentence."""


def read_input(path: str) -> bytes:
    """A file's bytes, or standard input's for `-`."""
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except OSError as problem:
        raise Problem(f"cannot read {path}: {problem.strerror}") from None


def seconds(text: str) -> float:
    """A time that an option names."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value


def startable(command: Sequence[str]) -> list[str]:
    """A program and its arguments; a Problem where there is no such program."""
    if shutil.which(command[0]) is None:
        raise Problem(f"there is no program {command[0]!a} that can be started")
    return list(command)


def read_key(path: str) -> SecretKey:
    """A secret key from a file that holds it as nsec or hexadecimal; no message repeats what is in the file."""
    from ..nostr import LocalProtocolError, SecretKey, Violation, nip19

    text = read_input(path).decode("ascii", "replace").strip()
    try:
        key = nip19.decode(text) if text.startswith("nsec") else SecretKey(bytes.fromhex(text))
    except (Violation, LocalProtocolError, ValueError):
        key = None
    if not isinstance(key, SecretKey):
        raise Problem(f"{path} does not hold a secret key as nsec or 64 hexadecimal digits")
    return key
