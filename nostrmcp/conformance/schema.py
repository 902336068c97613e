"""The traffic with an adapter, checked against the JSON Schemas of the protocol (extra `conformance`)."""

from __future__ import annotations

import json
import re
from typing import Any

from .vectors import vectors_folder

Value = dict[str, Any]
_NUMBERS = re.compile("[0-9]+")
# Of these the adapter answers with the event alone; the rest of the expected output is for the judge.
_EVENT_ONLY = ("wrap", "gift_wrap", "encode_message", "build_announcement")


class NoSchemas(Exception):
    """jsonschema is not installed."""


class Checker:
    """Watches an adapter's lines and says in words what is wrong with them; each mistake is told once."""

    def __init__(self) -> None:
        try:
            from jsonschema import Draft202012Validator
        except ImportError:
            raise NoSchemas("--check-adapter needs jsonschema: pip install 'nostrmcp[conformance]'") from None
        folder = vectors_folder()
        self._protocol = json.loads((folder / "schema" / "adapter-v1.json").read_text(encoding="utf-8"))
        self._operations = json.loads((folder / "schema" / "operations-v1.json").read_text(encoding="utf-8"))
        errors = json.loads((folder / "errors.json").read_text(encoding="utf-8"))
        self._classes = {one["class"] for one in errors["classes"]}
        self._validator = Draft202012Validator
        self._asked: Value = {}
        self._told: set[str] = set()
        self.mistakes: list[str] = []

    def __call__(self, who: str, line: bytes) -> None:
        if who == "runner":
            self._asked = json.loads(line)
            return
        try:
            answer = json.loads(line.decode())
        except ValueError:
            self.tell("a line on standard output is not JSON in UTF-8; logs belong on standard error")
            return
        command = self._asked["cmd"]
        schema = {"$defs": self._protocol["$defs"], "$ref": f"#/$defs/{command}"}
        self._check(schema, answer, f"the answer to {command}")
        if isinstance(answer, dict):
            self._meaning(command, answer)

    def _meaning(self, command: str, answer: Value) -> None:
        if command == "hello" and isinstance(answer.get("ops"), list):
            for op in answer["ops"]:
                if op not in self._operations["operations"]:
                    self.tell(f"hello offers {op!r}, which is not an operation of operations-v1.json")
        error = answer.get("error")
        if answer.get("status") == "reject" and isinstance(error, dict) and error.get("class") not in self._classes:
            self.tell(f"the error class {error.get('class')!r} is not in errors.json")
        if command == "run" and answer.get("status") == "ok" and isinstance(answer.get("output"), dict):
            op = self._asked["op"]
            schema = self._operations["operations"][op]["output"]
            if op in _EVENT_ONLY:
                schema = schema | {"required": ["event"]}
            self._check({"$defs": self._operations["$defs"], **schema}, answer["output"], f"the output of {op}")

    def _check(self, schema: Value, value: Any, what: str) -> None:
        for error in self._validator(schema).iter_errors(value):
            where = "/".join(map(str, error.absolute_path))
            self.tell(f"{what}{f' at {where}' if where else ''}: {error.message[:300]}")

    def tell(self, mistake: str) -> None:
        """Add a mistake."""
        kind = _NUMBERS.sub("", mistake)
        if kind not in self._told and len(self._told) < 100:
            self._told.add(kind)
            self.mistakes.append(mistake)
