"""Tables of the project for other languages: error classes, revisions, and the requirements that vectors name.

These are no vectors: nothing is expected of them, so they may be made from the package's own data.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum, StrEnum
from typing import Any

from nostrmcp.mcp.errors import ErrorClass as McpErrorClass
from nostrmcp.nostr import ErrorClass
from nostrmcp.revisions import REVISIONS, VARIANTS
from nostrmcp.session.errors import ErrorClass as SessionErrorClass
from nostrmcp.translate.errors import ErrorClass as TranslateErrorClass
from vectors.source import ledger


def error_list() -> dict[str, Any]:
    layers = {"nostr": ErrorClass, "mcp": McpErrorClass, "translate": TranslateErrorClass, "session": SessionErrorClass}
    classes = [
        {"class": one.value, "layer": layer, "meaning": one.meaning} for layer, its in layers.items() for one in its
    ]
    return {"schema": "nostrmcp-errors-v1", "classes": classes}


def revision_list() -> dict[str, Any]:
    revisions = {name: plain(revision) for name, revision in (REVISIONS | VARIANTS).items()}
    return {"schema": "nostrmcp-revisions-v1", "revisions": revisions}


def requirement_list() -> dict[str, Any]:
    return {"schema": "nostrmcp-requirements-v1", "requirements": ledger.requirements()}


def plain(value: Any) -> Any:
    """A table as JSON has it: a member of an enum by its name, where its value is a sentence."""
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(plain(item) for item in value)
    if isinstance(value, StrEnum) and " " not in value.value:
        return value.value
    return value.name.lower() if isinstance(value, Enum) else value
