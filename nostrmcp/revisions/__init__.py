"""The wire dialects of MCP over Nostr, as data. Each literal reads from top to bottom as one revision's rules."""

from . import contextvm, ctxvm_draft, dvmcp_rev1, dvmcp_rev1_1, dvmcp_rev1_ephemeral
from .model import Revision

REVISIONS: dict[str, Revision] = {
    revision.name: revision
    for revision in (
        dvmcp_rev1.REVISION,
        dvmcp_rev1_ephemeral.REVISION,
        dvmcp_rev1_1.REVISION,
        ctxvm_draft.REVISION,
        contextvm.REVISION,
    )
}
# Not revisions of their own: other ways to write one.
VARIANTS: dict[str, Revision] = {ctxvm_draft.STRICT_TEXT.name: ctxvm_draft.STRICT_TEXT}

__all__ = ["REVISIONS", "VARIANTS", "Revision"]
