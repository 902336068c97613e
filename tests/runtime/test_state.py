"""The state file of a gateway: what is written down, what is forgotten, and what a crash may leave behind."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from nostrmcp.runtime import state
from nostrmcp.runtime.state import StateError, StateFile

NOW = 1_750_000_000
KEPT = 120.0
ONE, TWO = bytes([1]) * 32, bytes([2]) * 32


class Clock:
    def __init__(self, now: float = NOW) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def test_what_was_taken_is_known_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "state"
    first = StateFile(path, KEPT, Clock())
    assert first.done == frozenset()
    first.add(ONE)
    first.add(TWO)
    assert path.read_text() == f"{NOW} {ONE.hex()}\n{NOW} {TWO.hex()}\n"
    first.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    second = StateFile(path, KEPT, Clock(NOW + KEPT))
    assert second.done == {ONE, TWO}
    second.close()
    third = StateFile(path, KEPT, Clock(NOW + KEPT + 1))
    assert third.done == frozenset() and path.read_text() == ""
    third.close()


def test_an_id_is_in_the_file_before_add_returns(tmp_path: Path) -> None:
    """What a killed process leaves is what it has written: nothing waits in a buffer."""
    path = tmp_path / "state"
    file = StateFile(path, KEPT, Clock())
    file.add(ONE)
    assert path.read_text() == f"{NOW} {ONE.hex()}\n"
    file.close()


@given(cut=st.integers(0, 76))
def test_a_line_that_a_crash_cut_off_harms_no_other(cut: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        whole, partial = f"{NOW} {ONE.hex()}\n", f"{NOW} {TWO.hex()}\n"
        path.write_text(whole + partial[:cut])
        file = StateFile(path, KEPT, Clock())
        assert file.done == ({ONE, TWO} if cut >= 75 else {ONE})
        third = bytes([3]) * 32
        file.add(third)
        file.close()
        again = StateFile(path, KEPT, Clock())
        assert again.done >= {ONE, third}
        again.close()


@given(garbage=st.binary(max_size=400))
def test_whatever_is_in_the_file_is_survived(garbage: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        path.write_bytes(garbage + f"\n{NOW} {ONE.hex()}\n".encode())
        file = StateFile(path, KEPT, Clock())
        assert ONE in file.done
        file.close()


def test_a_second_gateway_is_kept_away(tmp_path: Path) -> None:
    path = tmp_path / "state"
    first = StateFile(path, KEPT, Clock())
    first.add(ONE)
    with pytest.raises(StateError) as refused:
        StateFile(path, KEPT, Clock())
    assert str(refused.value) == f"{path} is in use by another gateway"
    first.close()
    second = StateFile(path, KEPT, Clock())
    assert second.done == {ONE}
    second.close()


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(StateError, match=r"cannot open .*missing/state: No such file or directory"):
        StateFile(tmp_path / "missing" / "state", KEPT, Clock())
    (tmp_path / "folder").mkdir()
    with pytest.raises(StateError, match=r"cannot use .*folder: Is a directory"):
        StateFile(tmp_path / "folder", KEPT, Clock())
    assert len(os.listdir("/dev/fd")) == before


def test_a_full_disk_is_an_error_and_not_a_silence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = StateFile(tmp_path / "state", KEPT, Clock())

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StateError, match=r"cannot write .*state: No space left on device"):
        file.add(ONE)
    monkeypatch.undo()
    file.close()


def test_the_file_does_not_grow_without_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "TIDY_AFTER", 10)
    path, clock = tmp_path / "state", Clock()
    file = StateFile(path, KEPT, clock)
    for number in range(1000):
        clock.now += KEPT / 10
        file.add(number.to_bytes(32))
        assert len(path.read_text().splitlines()) <= 22
    file.close()


class Restarts(RuleBasedStateMachine):
    """Against a model: within the time nothing is forgotten, and after a restart nothing older is known."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "state"
        self.clock = Clock()
        self.model: dict[bytes, float] = {}
        self.enough, state.TIDY_AFTER = state.TIDY_AFTER, 4
        self.file = StateFile(self.path, KEPT, self.clock)

    @rule(number=st.integers(0, 20))
    def add(self, number: int) -> None:
        self.file.add(number.to_bytes(32))
        self.model[number.to_bytes(32)] = int(self.clock.now)

    @rule(seconds=st.floats(0, 2 * KEPT))
    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    @rule(number=st.integers(100, 120), cut=st.integers(0, 74))
    def crash(self, number: int, cut: int) -> None:
        """The process is killed while it writes: a part of a line is there, and what it names was never done."""
        with self.path.open("ab") as file:
            file.write(f"{int(self.clock.now)} {number.to_bytes(32).hex()}\n".encode()[:cut])
        self.restart()

    @rule()
    def restart(self) -> None:
        self.file.close()
        self.file = StateFile(self.path, KEPT, self.clock)
        assert self.file.done == self.current()

    def current(self) -> set[bytes]:
        return {event_id for event_id, time in self.model.items() if time >= self.clock.now - KEPT}

    @invariant()
    def nothing_is_forgotten(self) -> None:
        if hasattr(self, "file"):
            assert self.file.done >= self.current()

    def teardown(self) -> None:
        if hasattr(self, "file"):
            self.file.close()
            self.folder.cleanup()
            state.TIDY_AFTER = self.enough


TestRestarts = Restarts.TestCase
