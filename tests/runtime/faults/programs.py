"""MCP servers that misbehave: `python programs.py HOW FILE` writes every call that it executes to the file.

They know of MCP only what they need, and nothing of this project: each is a program that anyone could have written.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

HOW, FILE = sys.argv[1], sys.argv[2]
# What would set the title of a terminal, turn text around, and move the cursor.
EVIL = "\x1b]0;owned\x07 \u202e \x9b2J \r\u2028 owned"


def say(value: Any) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def note(text: str) -> None:
    with open(FILE, "a", encoding="utf-8") as file:
        file.write(text + "\n")


def answer(request: dict[str, Any], result: Any) -> None:
    say({"jsonrpc": "2.0", "id": request["id"], "result": result})


def text(words: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}]}


def misbehave(request: dict[str, Any], mark: str) -> None:
    """What each does with a call of the tool `bad`."""
    match HOW:
        case "crash":
            os._exit(3)
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "hang":
            signal.pause()
        case "stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                signal.pause()
        case "garbage":
            sys.stdout.buffer.write(b"\xff\xfe not JSON\n{\n[]\n[1,2]\nnull\n\n{}\n" + b'{"jsonrpc":"2.0"}\n')
            sys.stdout.buffer.write(b"[" * 100_000 + b"\n" + b'{"a":' * 5000 + b"\n")
            sys.stdout.buffer.write(b'{"jsonrpc":"2.0","id":999,"result":{}}\n' * 50)
            sys.stdout.buffer.write(b'{"jsonrpc":"2.0","method":"\\u0000\\ud800"}\n{"jsonrpc":"2.0","id":1e999}\n')
            sys.stdout.buffer.flush()
            answer(request, text(mark))
        case "large":
            answer(request, text("x" * 10_000_000))
        case "endless":
            sys.stdout.write("x" * 2_000_000)
            sys.stdout.flush()
            signal.pause()
        case "mute":
            os.close(1)
            signal.pause()
        case "child":
            # Ends itself and leaves a child behind that holds its output.
            child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
            note(f"child {child.pid}")
            os._exit(4)
        case "evil":
            say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": 1, "message": EVIL, "data": EVIL}})
        case "chatty":
            for number in range(3000):
                say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": number}})
            answer(request, text(mark))
        case "asking":
            for number in range(2000):
                say({"jsonrpc": "2.0", "id": number, "method": "roots/list"})
            answer(request, text(mark))


def main() -> None:
    note(f"start {os.getpid()}")
    if HOW == "still-born":
        os._exit(5)
    secrets = [name for name in os.environ if name.startswith("NOSTRMCP_")]
    note(f"secrets {secrets}")
    if HOW == "silent":
        signal.pause()
    for line in sys.stdin:
        request = json.loads(line)
        match request.get("method"):
            case "initialize":
                about = {"name": HOW, "version": "1"}
                result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": about}
                answer(request, result)
            case "tools/list" if HOW == "evil":
                answer(request, {"tools": [{"name": EVIL, "description": EVIL, "inputSchema": {"type": "object"}}]})
            case "tools/call" if HOW == "evil" and request["params"]["name"] == "tell":
                picture = {"type": "image", "data": "", "mimeType": EVIL}
                answer(request, {"content": [{"type": "text", "text": EVIL}, picture]})
            case "tools/call":
                mark = request["params"]["arguments"]["mark"]
                note(f"call {mark}")
                if request["params"]["name"] == "bad":
                    misbehave(request, mark)
                else:
                    answer(request, text(mark))
            case _ if "id" in request and "method" in request:
                answer(request, {})
    note(f"end {os.getpid()}")


if __name__ == "__main__":
    main()
