"""`nostrmcp key`, as a user calls it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from nostrmcp.cli.main import main
from nostrmcp.nostr import SecretKey, nip19

from .running import nostrmcp

SECRET = bytes([1]) * 32
# NIP-19 and BIP-340 name the public key of a secret; that of 0101...01 is well known.
PUBLIC = "1b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f"


@pytest.mark.parametrize("as_json", [False, True])
def test_a_new_key_is_for_its_owner_alone(as_json: bool, tmp_path: Path) -> None:
    path = tmp_path / "own.key"
    before = os.umask(0)
    try:
        done = nostrmcp("key", "new", "--out", str(path), *(["--json"] if as_json else []))
    finally:
        os.umask(before)
    assert (done.returncode, done.stderr) == (0, "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    key = nip19.decode(path.read_text().strip())
    assert isinstance(key, SecretKey) and path.read_text().endswith("\n")
    shown = json.loads(done.stdout) if as_json else dict(zip(("npub", "hex"), done.stdout.splitlines(), strict=True))
    assert shown == {"npub": nip19.encode(key.public_key), "hex": key.public_key.hex()}
    for secret in (path.read_text().strip(), "nsec"):
        assert secret not in done.stdout


def test_two_new_keys_are_different(tmp_path: Path) -> None:
    keys = [nostrmcp("key", "new", "--out", str(tmp_path / name)).stdout for name in ("one", "two")]
    assert keys[0] != keys[1]


def test_a_file_that_exists_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.key"
    path.write_text("precious")
    assert main(["key", "new", "--out", str(path)]) == 2
    assert capsys.readouterr().err == f"nostrmcp: {path} exists; it is left as it is\n"
    assert path.read_text() == "precious"
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    assert main(["key", "new", "--out", str(link)]) == 2
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "missing" / "own.key"
    assert main(["key", "new", "--out", str(path)]) == 2
    assert capsys.readouterr().err == f"nostrmcp: cannot write {path}: No such file or directory\n"


@pytest.mark.parametrize("text", [SECRET.hex(), nip19.encode(SecretKey(SECRET)), f"  {SECRET.hex()}\n\n"])
def test_show_prints_public_forms_only(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.key"
    path.write_text(text)
    assert main(["key", "show", str(path)]) == 0
    shown = capsys.readouterr()
    npub, public = shown.out.splitlines()
    assert public == PUBLIC and npub.startswith("npub1") and shown.err == ""
    assert main(["key", "show", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"npub": npub, "hex": PUBLIC}
    done = nostrmcp("key", "show", "-", input=text)
    assert done.stdout.splitlines() == [npub, public]


@pytest.mark.parametrize(
    "text",
    ["", "00" * 32, "ff" * 32, SECRET.hex()[:-1], "nsec1qqq", nip19.encode(SecretKey(SECRET).public_key), "s3cret"],
)
def test_what_is_no_key_is_refused_without_repeating_it(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.key"
    path.write_text(text)
    assert main(["key", "show", str(path)]) == 2
    err = capsys.readouterr().err
    assert err == f"nostrmcp: {path} does not hold a secret key as nsec or 64 hexadecimal digits\n"


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["key", "show", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err == f"nostrmcp: cannot read {tmp_path}/none: No such file or directory\n"
