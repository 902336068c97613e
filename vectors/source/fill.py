"""Write vectors/ from the sources beside this file, or with --check say whether it would change anything.

python -m vectors.source.fill [--check]
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import sys
from pathlib import Path
from typing import Any

from vectors.source import tables

VECTORS = Path(__file__).resolve().parent.parent
COMMON = (
    "strict_json", "nip01", "filters", "relay_frames", "bip340", "nip09", "nip19", "nip40", "nip42", "nip44",
    "nip59", "detect",
)  # fmt: skip
REVISION = ("encode", "decode", "check", "announce", "session-client", "session-server")
SUITES = {
    "common": COMMON,
    "dvmcp-rev1": REVISION,
    "dvmcp-rev1-ephemeral": REVISION,
    "dvmcp-rev1.1": REVISION,
    "ctxvm-draft": REVISION,
    "contextvm": REVISION,
    "mcp": ("subscriptions-draft", "subscriptions-2026-07-28"),
}


def written(value: Any) -> str:
    """JSON that every tool reads alike: ASCII only, one space of indentation, a newline at the end."""
    return json.dumps(value, indent=1, ensure_ascii=True) + "\n"


def files() -> dict[str, str]:
    """Every file that is made, by its path below vectors/."""
    made = {
        "errors.json": written(tables.error_list()),
        "revisions.json": written(tables.revision_list()),
        "requirements.json": written(tables.requirement_list()),
    }
    index = []
    for folder, names in SUITES.items():
        for name in names:
            package, module = (part.replace("-", "_").replace(".", "_") for part in (folder, name))
            suite = importlib.import_module(f"vectors.source.{package}.{module}").SUITE
            path = f"{folder}/{name}.json"
            value = suite.to_value()
            made[path] = written(value)
            digest = hashlib.sha256(made[path].encode()).hexdigest()
            index.append({"path": path, "suite": value["suite"], "cases": value["count"], "sha256": digest})
    made["INDEX.json"] = written(
        {"schema": "nostrmcp-index-v1", "cases": sum(entry["cases"] for entry in index), "files": index}
    )
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file would change")
    check = parser.parse_args().check
    changed = 0
    made = files()
    for path, text in made.items():
        target = VECTORS / path
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        changed += 1
        if check:
            print(f"vectors/{path} is not what vectors/source says; run: make vectors", file=sys.stderr)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            print(f"wrote vectors/{path}")
    for folder in SUITES:
        for stray in sorted((VECTORS / folder).glob("*.json")):
            if f"{folder}/{stray.name}" not in made:
                changed += 1
                print(f"vectors/{folder}/{stray.name} has no source", file=sys.stderr)
    if not changed:
        print(f"{len(made)} files, as the sources say")
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
