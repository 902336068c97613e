"""The official data itself: all of it is used, and what is not there or not right is never passed over in silence."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from _pytest.outcomes import Failed, Skipped

from tests.official import data, get


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NOSTRMCP_OFFICIAL", str(tmp_path))
    monkeypatch.delenv("CI", raising=False)
    return tmp_path


@pytest.mark.parametrize("path", get.known_sums())
def test_file_is_the_published_one(path: str) -> None:
    assert data.read(path)


def test_absent_file_skips_with_the_way_to_get_it(empty: Path) -> None:
    with pytest.raises(Skipped, match="make official"):
        data.read("bip340/test-vectors.csv")


def test_absent_file_fails_in_ci(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(Failed, match="CI runs all official data"):
        data.read("bip340/test-vectors.csv")


def test_changed_file_fails(empty: Path) -> None:
    (empty / "bip340").mkdir()
    (empty / "bip340" / "test-vectors.csv").write_bytes(b"index,secret key\n")
    with pytest.raises(Failed, match="not the published file"):
        data.read("bip340/test-vectors.csv")


def archive(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as opened:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            opened.addfile(member, io.BytesIO(content))
    return path


def test_get_finds_a_file_in_an_archive(tmp_path: Path) -> None:
    made = archive(tmp_path / "a.tar.gz", {"a-1/tests/other.json": b"1", "a-1/tests/data.json": b"2"})
    assert get.extract(made, "tests/data.json") == b"2"
    with pytest.raises(get.Unavailable, match="does not hold"):
        get.extract(made, "data.json")


def test_get_refuses_a_file_that_is_not_the_published_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(get, "PACKAGES", get.PACKAGES[:1])
    made = archive(tmp_path / "a.tar.gz", {"a-1/tests/bip340_test_vectors.csv": b"other"})
    monkeypatch.setattr(get, "download", lambda package, target: made)
    assert get.main([str(tmp_path / "target")]) == 1
    output = capsys.readouterr()
    assert "FAILED         bip340/test-vectors.csv: the copy in a.tar.gz is not the published file" in output.out
    assert "not available  nips/nip01.json" in output.out
    assert not list((tmp_path / "target").rglob("*.*"))


def test_get_says_when_a_package_cannot_be_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(package: get.Package, target: Path) -> Path:
        raise get.Unavailable(f"no {package.name}")

    monkeypatch.setattr(get, "download", fail)
    assert get.main([str(tmp_path)]) == 1
    output = capsys.readouterr()
    assert output.out.count("FAILED") == 4
    assert "4 of the files that packages hold could not be had" in output.err
