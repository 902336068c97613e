"""The house is built in layers: a folder imports only from folders above it, and each library through one module."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "nostrmcp"

LAYERS = ("nostr", "mcp", "revisions", "translate", "session", "runtime", "conformance", "cli")
WRAPPERS = {
    "orjson": "nostr/strict_json.py",
    "coincurve": "nostr/libsecp256k1.py",
    "cryptography": "nostr/openssl.py",
    "websockets": "runtime/websocket.py",
    "mcp": "runtime/mcp_transport.py",
    "anyio": "runtime/mcp_transport.py",
    "jsonschema": "conformance/schema.py",
}
CORE = ("nostr", "mcp", "revisions", "translate", "session")
NOT_IN_THE_CORE = {
    "asyncio",
    "websockets",
    "time",
    "secrets",
    "random",
    "logging",
    "socket",
    "threading",
    "os",
    "datetime",
}
MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def imports(source: str, module: str) -> set[str]:
    """Absolute dotted names that a module imports; relative imports are resolved inside `nostrmcp`."""
    parts = ["nostrmcp", *module.removesuffix(".py").split("/")]
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = parts[: len(parts) - node.level] if node.level else []
            prefix = ".".join([*base, node.module] if node.module else base)
            found |= {f"{prefix}.{alias.name}" for alias in node.names}
    return found


def offences(source: str, module: str) -> list[str]:
    """What a module imports against the rules of the house."""
    layer = module.split("/")[0]
    wrong = []
    for name in sorted(imports(source, module)):
        first, *rest = name.split(".")
        if first == "nostrmcp":
            target = rest[0] if rest else ""
            if layer == "nostr" and target != "nostr":
                wrong.append(f"{module} imports {name}: nostr/ imports nothing outside itself")
            elif layer in LAYERS and target in LAYERS and LAYERS.index(target) > LAYERS.index(layer):
                wrong.append(f"{module} imports {name}: {target}/ is below {layer}/")
        elif first in WRAPPERS and module != WRAPPERS[first]:
            wrong.append(f"{module} imports {first}: only {WRAPPERS[first]} does")
        elif first not in sys.stdlib_module_names and first not in WRAPPERS:
            wrong.append(f"{module} imports {first}: not a dependency of ours")
        if layer in CORE and first in NOT_IN_THE_CORE:
            wrong.append(f"{module} imports {first}: the core has no clock, no randomness, no input and output")
    return wrong


@pytest.mark.parametrize("module", MODULES)
def test_imports(module: str) -> None:
    assert offences((PACKAGE / module).read_text(encoding="utf-8"), module) == []


@pytest.mark.parametrize(
    ("module", "source", "rule"),
    [
        ("nostr/event.py", "from ..conformance import judge", "nothing outside itself"),
        ("nostr/event.py", "import orjson", "only nostr/strict_json.py does"),
        ("nostr/event.py", "from time import time", "no clock"),
        ("nostr/event.py", "def f():\n    import asyncio", "no clock"),
        ("translate/codec.py", "from ..session import Server", "is below translate/"),
        ("session/client.py", "from ..runtime import relay", "is below session/"),
        ("session/server.py", "from ..conformance import judge", "is below session/"),
        ("session/limits.py", "from time import monotonic", "no clock"),
        ("session/sending.py", "import secrets", "no randomness"),
        ("session/links.py", "import logging", "no input and output"),
        ("session/arriving.py", "import asyncio", "no input and output"),
        ("session/client.py", "from ..runtime import relay", "is below session/"),
        ("runtime/relay.py", "from ..conformance import judge", "is below runtime/"),
        ("runtime/relay.py", "from websockets import connect", "only runtime/websocket.py does"),
        ("conformance/check.py", "from ..cli import main", "is below conformance/"),
        ("cli/main.py", "import requests", "not a dependency"),
    ],
)
def test_the_rules_catch(module: str, source: str, rule: str) -> None:
    assert any(rule in offence for offence in offences(source, module))


def test_no_relative_import_leaves_the_nostr_folder() -> None:
    for path in (PACKAGE / "nostr").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.ImportFrom) and node.level > 1), path.name


def test_vector_sources_use_the_nostr_layer_only() -> None:
    # tables.py makes no vectors: it writes the package's own tables down for other languages.
    for path in sorted(set((ROOT / "vectors" / "source").rglob("*.py")) - {ROOT / "vectors" / "source" / "tables.py"}):
        for name in imports(path.read_text(encoding="utf-8"), "x/y.py"):
            first, *rest = name.split(".")
            allowed = (
                first in sys.stdlib_module_names or first == "vectors" or (first == "nostrmcp" and rest[0] == "nostr")
            )
            assert allowed, f"{path.name} imports {name}"


def test_modules_stay_short() -> None:
    lengths = {module: len((PACKAGE / module).read_text(encoding="utf-8").splitlines()) for module in MODULES}
    assert {module: lines for module, lines in lengths.items() if lines > 450} == {}


def loaded_by(statement: str) -> set[str]:
    script = f"import sys; {statement}; print('\\n'.join(sys.modules))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(result.stdout.split())


def test_importing_the_nostr_layer_loads_no_input_or_output() -> None:
    loaded = loaded_by("import nostrmcp.nostr")
    assert "nostrmcp.nostr.event" in loaded
    assert loaded.isdisjoint({"asyncio", "websockets", "nostrmcp.runtime", "nostrmcp.conformance", "nostrmcp.cli"})


def test_importing_the_session_layer_loads_no_input_or_output() -> None:
    loaded = loaded_by("import nostrmcp.session")
    assert {"nostrmcp.session.server", "nostrmcp.session.client"} <= loaded
    assert loaded.isdisjoint({"asyncio", "websockets", "nostrmcp.conformance", "nostrmcp.cli", "nostrmcp.runtime"})


def test_the_session_layer_stands_on_these_alone() -> None:
    used = {
        name.split(".")[1]
        for module in MODULES
        if module.startswith("session/")
        for name in imports((PACKAGE / module).read_text(encoding="utf-8"), module)
        if name.startswith("nostrmcp.")
    }
    assert used == {"nostr", "mcp", "revisions", "translate", "session"}


def test_importing_the_package_loads_no_layer() -> None:
    assert loaded_by("import nostrmcp").isdisjoint({"nostrmcp.nostr", "orjson", "coincurve", "cryptography"})


def test_every_public_name_is_there() -> None:
    import nostrmcp

    assert {name: getattr(nostrmcp, name) is not None for name in nostrmcp.__all__} == dict.fromkeys(
        nostrmcp.__all__, True
    )
    assert dir(nostrmcp) == sorted(nostrmcp.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        nostrmcp.Nothing  # noqa: B018
