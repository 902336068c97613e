"""What is installed: the package, its type marker and the vectors, and neither tests nor sources."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import nostrmcp

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "--no-index", "--wheel-dir", str(folder), str(ROOT)], check=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run(installed: Path, elsewhere: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); runpy.run_module('nostrmcp', run_name='__main__')"
    command = [sys.executable, "-c", script, str(installed), *arguments]
    return subprocess.run(command, cwd=elsewhere, capture_output=True, text=True, check=False)


def test_contents(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"nostrmcp"}
    assert "nostrmcp/py.typed" in names
    assert not [name for name in names if "/source/" in name or "/tests/" in name or "/test_" in name]
    vectors = {path.relative_to(ROOT / "vectors").as_posix() for path in (ROOT / "vectors").rglob("*.json")}
    assert {"mcp/subscriptions-draft.json", "mcp/subscriptions-2026-07-28.json"} <= vectors
    assert {name.removeprefix("nostrmcp/_vectors/") for name in names if name.endswith(".json")} == vectors
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "nostrmcp").rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == modules


def test_it_works_from_another_folder(installed: Path, tmp_path: Path) -> None:
    assert run(installed, tmp_path, "--version").stdout == f"nostrmcp {nostrmcp.__version__}\n"
    checked = run(installed, tmp_path, "vectors", "check")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.splitlines()[-1].endswith(" passed, 0 failed")


def test_the_copied_vectors_are_the_ones_indexed(installed: Path, tmp_path: Path) -> None:
    copied = run(installed, tmp_path, "vectors", "copy", "there")
    assert (copied.returncode, copied.stderr) == (0, "")
    index = json.loads((tmp_path / "there" / "INDEX.json").read_text(encoding="utf-8"))
    for entry in index["files"]:
        assert hashlib.sha256((tmp_path / "there" / entry["path"]).read_bytes()).hexdigest() == entry["sha256"]
