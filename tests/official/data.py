"""Where the official test data lies, and whether it is the data we know.

The data is never copied into this project. A file that differs from the published one would prove nothing, so each is
compared with its sum in SHA256SUMS; a file is added to the tests by adding its line there.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.official.get import known_sums

PROJECT = Path(__file__).resolve().parents[2]


def folder() -> Path:
    """The data folder: NOSTRMCP_OFFICIAL, or `shared/official` beside the project, or what `make official` made."""
    configured = os.environ.get("NOSTRMCP_OFFICIAL")
    if configured:
        return Path(configured)
    beside = PROJECT.parent / "shared" / "official"
    return beside if beside.is_dir() else PROJECT / ".official"


def read(path: str) -> bytes:
    """The content of one data file. Absent, it skips the test, but fails it in CI; different, it always fails it."""
    place = folder() / path
    if not place.is_file():
        missing = f"{path} is not in {folder()}"
        if os.environ.get("CI") == "true":
            pytest.fail(f"{missing}, and CI runs all official data: set NOSTRMCP_OFFICIAL to a folder that has it")
        pytest.skip(f"{missing}: `make official` gets what published packages hold, or set NOSTRMCP_OFFICIAL")
    content = place.read_bytes()
    if hashlib.sha256(content).hexdigest() != known_sums()[path]:
        pytest.fail(f"{place} is not the published file: its SHA-256 is not the one in tests/official/SHA256SUMS")
    return content


def read_json(path: str) -> Any:
    return json.loads(read(path))
