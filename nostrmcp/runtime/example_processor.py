"""A payment processor for demonstrations and tests: it makes invoices for 21 sats, which nobody can pay."""

from __future__ import annotations

import json
import sys

_INVOICE = "lnbc210n1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypq"


def main() -> None:
    """Serve standard input and output (spec/runtime.md, Programs that handle money)."""
    for number, line in enumerate(sys.stdin):
        invoice = f"{_INVOICE}{'qpzry9x8'[number % 8]}"
        print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"], "result": {"invoice": invoice}}), flush=True)


if __name__ == "__main__":
    main()
