"""`nostrmcp/nostr` copied under another name imports and works with nothing else of ours."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

NOSTR = Path(__file__).resolve().parents[2] / "nostrmcp" / "nostr"

SCRIPT = """
import importlib, pkgutil, sys
import their_copy
for module in pkgutil.iter_modules(their_copy.__path__):
    importlib.import_module(f"their_copy.{module.name}")
assert not any(name == "nostrmcp" or name.startswith("nostrmcp.") for name in sys.modules)
from their_copy import SecretKey, UnsignedEvent, nip59
from their_copy.event import parse
alice, bob, once = (SecretKey(bytes([number]) * 32) for number in (1, 2, 3))
event = UnsignedEvent(alice.public_key.x, 1, 1, (), "hello").sign(alice, bytes(32))
wrap = nip59.wrap(
    event, bob.public_key, kind=1059, created_at=1, ephemeral_key=once, nonce=bytes(32), aux_rand=bytes(32)
)
assert nip59.unwrap(parse(wrap.dump()), bob) == event
print("works")
"""


def test_a_copy_under_another_name_works(tmp_path: Path) -> None:
    shutil.copytree(NOSTR, tmp_path / "their_copy", ignore=shutil.ignore_patterns("__pycache__"))
    result = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ("works\n", "")
