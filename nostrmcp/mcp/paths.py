"""Places in JSON objects: read what stands there, or make a copy in which something else does."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..nostr.strict_json import JSON

# Member names from the outside in: ("params", "_meta", "progressToken").
Path = tuple[str, ...]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def text(path: Path) -> str:
    """The path as people write it: `params._meta["io.modelcontextprotocol/subscriptionId"]`."""
    steps = (f".{name}" if _PLAIN.fullmatch(name) else f'["{name}"]' for name in path)
    return "".join(steps).removeprefix(".")


def read(value: JSON, path: Path) -> JSON:
    """What stands at the path, or None where nothing does."""
    for name in path:
        if type(value) is not dict or name not in value:
            return None
        value = value[name]
    return value


def rewrite(value: JSON, path: Path, function: Callable[[JSON], JSON]) -> JSON:
    """The value with `function` applied to what stands at the path, or the very same value where nothing does.

    The input is never changed: the objects along the path are copied, everything beside it is shared.
    """
    if not path:
        return function(value)
    name, rest = path[0], path[1:]
    if type(value) is not dict or name not in value:
        return value
    held = value[name]
    changed = rewrite(held, rest, function)
    return value if changed is held else value | {name: changed}
