"""Install the published software of peers.toml: `make peers`.

    python tests/interop/install.py .peers

Nothing outside that folder is written: not even the caches of npm and pip. A version that is there already stays.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

PINNED = Path(__file__).with_name("peers.toml")


class Unusable(Exception):
    """Why the peers cannot be installed, in one sentence."""


def install_node(folder: Path, versions: dict[str, str], cache: Path) -> None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise Unusable("Node.js 20 or newer with npm is needed")
    folder.mkdir(parents=True, exist_ok=True)
    manifest = {"private": True, "type": "module", "dependencies": versions}
    (folder / "package.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts", "--loglevel=error"]
    run([npm, "install", "--prefix", str(folder), "--cache", str(cache), *quiet])
    link_bun(folder / "node_modules")


def link_bun(modules: Path) -> None:
    """What bun's own install script would do: find the build that runs on this machine."""
    link = modules / ".bin" / "bun"
    link.unlink(missing_ok=True)
    for build in sorted((modules / "@oven").glob("bun-*/bin/bun")):
        build.chmod(0o755)
        try:
            works = subprocess.run([build, "--version"], capture_output=True).returncode == 0
        except OSError:
            continue
        if works:
            link.symlink_to(os.path.relpath(build, link.parent))
            return
    raise Unusable("bun has no build for this machine")


def install_python(folder: Path, versions: dict[str, str], cache: Path) -> None:
    if not (folder / "bin" / "python").exists():
        venv.create(folder, with_pip=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--cache-dir", str(cache), *(f"{name}=={version}" for name, version in versions.items())])


def run(command: list[str]) -> None:
    finished = subprocess.run(command, capture_output=True, text=True)
    if finished.returncode != 0:
        lines = [line.strip() for line in finished.stderr.splitlines() if line.strip()] or ["no message"]
        raise Unusable(f"{Path(command[0]).name} failed: {lines[-1]}")


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    pinned = tomllib.loads(PINNED.read_text(encoding="utf-8"))
    try:
        print("installing the peers from npm", file=sys.stderr, flush=True)
        install_node(folder / "node", pinned["node"], folder / "cache" / "npm")
        print("installing the peers from PyPI", file=sys.stderr, flush=True)
        install_python(folder / "python", pinned["python"], folder / "cache" / "pip")
    except Unusable as problem:
        print(f"install.py: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
