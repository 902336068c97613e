"""Our own server under test: `nostrmcp gateway` before the example MCP server; the arguments are options for it.

With `all` as the first it speaks every revision, whichever it is told.
"""

from __future__ import annotations

import os
import sys

processor = f"{sys.executable} -m nostrmcp.runtime.example_processor"
speaks_all = sys.argv[1:2] == ["all"]
options = sys.argv[2:] if speaks_all else sys.argv[1:]
revision = "all" if speaks_all else os.environ["NOSTRMCP_REVISION"]
words = [
    sys.executable, "-m", "nostrmcp", "gateway", "--announce", "--server-id", os.environ["NOSTRMCP_SERVER_ID"],
    "--revision", revision, "--price", "tool:add=21sats", "--payment-processor", processor, *options,
    "--", sys.executable, "-m", "nostrmcp.runtime.example",
]  # fmt: skip
os.execv(sys.executable, words)
