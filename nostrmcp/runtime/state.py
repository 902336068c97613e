"""The state file of a gateway: the ids of requests that were taken, so that a restart executes none of them again."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

from ..nostr.event import is_hex32

# Ids after which the file is looked at for what is old; then again when there are twice as many as were left.
TIDY_AFTER = 1024


class StateError(Exception):
    """The file cannot be used; the message says why."""


class StateFile:
    """One line an id, with the unix time it was taken at, written before what the id names is done (HOUSE-TIME-03).

    Ids are kept for `kept` seconds. A file beside it, with `.lock` added to its name, keeps a second gateway away.
    """

    def __init__(self, path: Path, kept: float, clock: Callable[[], float]) -> None:
        self._path = path
        self._kept = kept
        self._clock = clock
        self._taken: dict[bytes, int] = {}
        self._enough = TIDY_AFTER
        try:
            self._lock = _open(path.with_name(path.name + ".lock"))
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise StateError(f"{path} is in use by another gateway") from None
        except OSError as problem:
            raise StateError(f"cannot open {path}: {problem.strerror}") from None
        try:
            self._file = _open(path)
            self._read()
            self._tidy()
        except OSError as problem:
            os.close(self._lock)
            raise StateError(f"cannot use {path}: {problem.strerror}") from None

    @property
    def done(self) -> frozenset[bytes]:
        """The ids that may still come again."""
        return frozenset(self._taken)

    def add(self, event_id: bytes) -> None:
        """Write down an id, before what it names is done; a StateError where that is impossible."""
        time = int(self._clock())
        self._taken[event_id] = time
        try:
            _write(self._file, _line(event_id, time))
            if len(self._taken) >= self._enough:
                self._tidy()
        except OSError as problem:
            raise StateError(f"cannot write {self._path}: {problem.strerror}") from None

    def close(self) -> None:
        os.close(self._file)
        os.close(self._lock)

    def _read(self) -> None:
        for line in self._path.read_text(encoding="ascii", errors="replace").splitlines():
            time, _, event_id = line.partition(" ")
            if time.isdecimal() and len(time) < 16 and is_hex32(event_id):  # the last line may be cut off
                self._taken[bytes.fromhex(event_id)] = int(time)

    def _tidy(self) -> None:
        """Forget what is old, and put a file without it in the place of the old one, all at once."""
        oldest = self._clock() - self._kept
        self._taken = {event_id: time for event_id, time in self._taken.items() if time >= oldest}
        fresh = self._path.with_name(self._path.name + ".new")
        fresh.unlink(missing_ok=True)
        file = _open(fresh)
        _write(file, b"".join(_line(event_id, time) for event_id, time in self._taken.items()))
        os.replace(fresh, self._path)
        os.close(self._file)
        self._file = file
        self._enough = max(TIDY_AFTER, 2 * len(self._taken))


def _open(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def _write(file: int, lines: bytes) -> None:
    while lines:
        lines = lines[os.write(file, lines) :]


def _line(event_id: bytes, time: int) -> bytes:
    return f"{time} {event_id.hex()}\n".encode()
