"""A payment processor that makes invoices and is never paid."""

from __future__ import annotations

import json
import sys

INVOICE = "lnbc210n1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypq"

for number, line in enumerate(sys.stdin):
    request = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": request["id"], "result": {"invoice": f"{INVOICE}{'qpzry9x8'[number % 8]}"}}
    print(json.dumps(answer), flush=True)
