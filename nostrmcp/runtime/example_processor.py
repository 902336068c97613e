"""A payment processor for demonstrations and tests: it makes invoices for 21 sats, which nobody can pay."""

from __future__ import annotations

import json
import sys
from typing import Any

_INVOICE = "lnbc210n1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypq"


def answer(number: int, asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to one question. It keeps no books: an invoice of its own is known by its looks, and never paid."""
    if asked["method"] == "invoice":
        return {"result": {"invoice": f"{_INVOICE}{'qpzry9x8'[number % 8]}"}}
    if asked["method"] == "resume" and asked["params"]["invoice"].startswith(_INVOICE):
        return {"result": {}}
    return {"error": {"code": -32602, "message": "no such invoice"}}


def main() -> None:
    """Serve standard input and output (spec/runtime.md, Programs that handle money)."""
    for number, line in enumerate(sys.stdin):
        asked = json.loads(line)
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer(number, asked)}), flush=True)


if __name__ == "__main__":
    main()
