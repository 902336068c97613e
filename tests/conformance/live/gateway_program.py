"""Our own server under test: `nostrmcp gateway` before the example MCP server; the arguments are options for it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

processor = f"{sys.executable} {Path(__file__).with_name('processor_program.py')}"
revision = os.environ["NOSTRMCP_REVISION"]
words = [
    sys.executable, "-m", "nostrmcp", "gateway", "--announce", "--server-id", os.environ["NOSTRMCP_SERVER_ID"],
    "--revision", revision or "all", "--price", "tool:add=21sats", "--payment-processor", processor, *sys.argv[1:],
    "--", sys.executable, "-m", "nostrmcp.runtime.example",
]  # fmt: skip
os.execv(sys.executable, words)
