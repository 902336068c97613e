"""An adapter of the conformance runner whose one operation gives back what it is given."""

from __future__ import annotations

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["cmd"] == "bye":
        break
    if message["cmd"] == "hello":
        answer = {"protocol": 1, "implementation": {"name": "echo"}, "ops": ["echo"]}
    else:
        answer = {"n": message["n"], "status": "ok", "output": message["input"]}
    print(json.dumps(answer), flush=True)
