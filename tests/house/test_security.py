"""Every promise of the threat model names what shows it, and that is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from nostrmcp.conformance.vectors import load_suites

from .test_ledger import KNOWN, ROWS, named_in

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "nostrmcp"
PAGE = (ROOT / "spec" / "security.md").read_text(encoding="utf-8")
CASES = {case.id for suite in load_suites() for case in suite.cases}
# A row that is excluded shows nothing.
SHOWN = {row["id"] for row in ROWS if "excluded" not in row}
TEST = re.compile(r"`(tests/[a-z0-9_/]+\.py)::(test_[a-z0-9_]+)`")
CASE = re.compile(r"`([a-z0-9]+(?:-[a-z0-9]+){2,})`")


def sections(page: str) -> dict[str, list[str]]:
    """The blocks under each heading, each on one line."""
    parts = re.split(r"^## (.+)\n", page, flags=re.M)
    return {
        title: [" ".join(block.split()) for block in re.split(r"\n\n|\n(?=- )", text) if block.strip()]
        for title, text in zip(parts[1::2], parts[2::2], strict=True)
    }


def shown_by(promise: str) -> set[str]:
    """What a promise names that shows it: requirements with vectors, cases, tests."""
    tests = {f"{path}::{name}" for path, name in TEST.findall(promise)}
    return (named_in(promise) & SHOWN) | (set(CASE.findall(promise)) & CASES) | tests


SECTIONS = sections(PAGE)
PROMISES = [(title, block) for title, blocks in SECTIONS.items() for block in blocks if block.startswith("- ")]


@pytest.mark.parametrize(("title", "promise"), PROMISES, ids=[f"{title}-{text[2:40]}" for title, text in PROMISES])
def test_a_promise_is_shown(title: str, promise: str) -> None:
    assert shown_by(promise), "it names no requirement with vectors, no case and no test"
    assert named_in(promise) <= KNOWN
    for path, name in TEST.findall(promise):
        module = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        assert name in {node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}, f"{path}::{name}"


@pytest.mark.parametrize("title", SECTIONS)
def test_a_section_has_promises_and_what_is_not_promised(title: str) -> None:
    kinds = ["promise" if block.startswith("- ") else block.split(":")[0] for block in SECTIONS[title]]
    assert kinds.count("Not promised") == 1 and kinds[-1] == "Not promised", "a section ends with what is not promised"
    said = [
        block for block, kind in zip(SECTIONS[title], kinds, strict=True) if kind not in ("promise", "Not promised")
    ]
    assert said in ([], SECTIONS[title][:1]), "only its first block says who it is about"


def test_a_promise_without_anything_is_found() -> None:
    assert shown_by("- All is well.") == set()
    assert shown_by("- All is well (NIP44-NONCE-01).") == set(), "its row is the caller's duty, and has no vector"
    assert shown_by("- All is well (NIP01-ID-01).") == {"NIP01-ID-01"}
    assert shown_by("- All is well (`nip59-unwrap-inner-signature`).") == {"nip59-unwrap-inner-signature"}
    assert shown_by("- All is well (`no-such-case`).") == set()


def test_no_module_but_the_readable_one_computes_on_the_curve() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        }
        modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        reaches = "bip340" in names or any(module and module.endswith("bip340") for module in modules)
        assert not reaches or path.parent.name == "conformance", (
            f"{path.name} imports the arithmetic that is for reading"
        )


def test_authentication_codes_are_compared_in_constant_time() -> None:
    tree = ast.parse((PACKAGE / "nostr" / "nip44.py").read_text(encoding="utf-8"))
    (decrypt,) = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "decrypt_bytes"]
    called = {ast.unparse(node.func) for node in ast.walk(decrypt) if isinstance(node, ast.Call)}
    assert any(name.endswith("compare_digest") for name in called)
