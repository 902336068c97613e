"""The traffic with an adapter, checked against the JSON Schemas of the protocol (extra `conformance`)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from .text import cut
from .vectors import vectors_folder

Value = dict[str, Any]
_HEX = re.compile(r"\^\[0-9a-f\]\{([0-9]+)\}\$")
_KINDS = {
    "object": "an object", "array": "a list", "string": "a text", "integer": "a whole number", "number": "a number",
    "boolean": "true or false", "null": "null",
}  # fmt: skip
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
        revisions = json.loads((folder / "revisions.json").read_text(encoding="utf-8"))
        self._revisions = set(revisions["revisions"])
        self._validator = Draft202012Validator
        self._asked: Value = {}
        self._told: set[str] = set()
        self.mistakes: list[str] = []
        # Whether something is wrong with the last answer, new or not.
        self.is_wrong = False

    def __call__(self, who: str, line: bytes) -> None:
        if who == "runner":
            self._asked = json.loads(line)
            self.is_wrong = False
            return
        try:
            answer = json.loads(line.decode())
        except ValueError:
            self.tell(_no_json(line), kind="no JSON")
            return
        command = self._asked["cmd"]
        schema = {"$defs": self._protocol["$defs"], "$ref": f"#/$defs/{command}"}
        self._check(schema, answer, f"the answer to {command}", self._asked.get("op", ""))
        if isinstance(answer, dict):
            self._meaning(command, answer)

    def _meaning(self, command: str, answer: Value) -> None:
        if command == "hello" and isinstance(answer.get("ops"), list):
            self._known(
                "hello offers the operation", answer["ops"], self._operations["operations"], "operations-v1.json"
            )
        if command == "hello" and isinstance(answer.get("revisions"), list):
            self._known("hello names the revision", answer["revisions"], self._revisions, "revisions.json")
        error = answer.get("error")
        if answer.get("status") == "reject" and isinstance(error, dict):
            self._known("a refusal has the error class", [error.get("class")], self._classes, "errors.json")
        if command == "run" and answer.get("status") == "ok" and isinstance(answer.get("output"), dict):
            op = self._asked["op"]
            schema = self._operations["operations"][op]["output"]
            if op in _EVENT_ONLY:
                schema = schema | {"required": ["event"]}
            self._check({"$defs": self._operations["$defs"], **schema}, answer["output"], f"the output of {op}")

    def _known(self, what: str, names: Iterable[Any], known: Iterable[str], file: str) -> None:
        for name in names:
            if isinstance(name, str) and name not in known:
                near = get_close_matches(name, known, 1)
                meant = f"; is {near[0]} meant?" if near else ""
                self.tell(f"{what} {_shown(name)}, which is not in {file}{meant}")

    def _check(self, schema: Value, value: Any, what: str, about: str = "") -> None:
        told = f"{what} of {about}" if about else what
        for error in self._validator(schema).iter_errors(value):
            where = "/".join(map(str, error.absolute_path))
            place = f" at {where}" if where else ""
            kind = f"{what} {re.sub('[0-9]+', '', where)} {error.validator} {error.message if not where else ''}"
            self.tell(f"{told}{place}: {_in_words(error)}", kind)

    def tell(self, mistake: str, kind: str = "") -> None:
        """Add a mistake, if it is the first of its kind."""
        self.is_wrong = True
        if (kind or mistake) not in self._told and len(self._told) < 100:
            self._told.add(kind or mistake)
            self.mistakes.append(mistake)


def _no_json(line: bytes) -> str:
    """What is wrong with a line that is no JSON: most are logs."""
    told = cut(line.decode("utf-8", "backslashreplace"), 100)
    if line.startswith(b"\xef\xbb\xbf"):
        return f"a line on standard output begins with a byte order mark, which JSON does not have: {told}"
    if line.strip() in (b"{", b"["):
        return "an answer on standard output is spread over lines: each answer is one line, without line breaks inside"
    return f"a line on standard output is not JSON in UTF-8; logs belong on standard error: {told}"


def _shown(value: Any) -> str:
    return cut(json.dumps(value, ensure_ascii=False), 100)


def _in_words(error: Any) -> str:
    """What a validator found, without the language of schemas."""
    given, wanted = _shown(error.instance), error.validator_value
    match error.validator:
        case "required":
            lacking = [name for name in wanted if f"{name!r} is a required" in error.message]
            return f"{', '.join(lacking)} is missing in {given}"
        case "type":
            kinds = [wanted] if isinstance(wanted, str) else wanted
            return f"{given} is not {' or '.join(_KINDS[kind] for kind in kinds)}"
        case "additionalProperties":
            surplus = sorted(set(error.instance) - set(error.schema.get("properties", ())))
            return f"the protocol has no {', '.join(surplus)} here"
        case "enum":
            return f"{given} is none of {', '.join(map(str, wanted))}"
        case "const":
            return f"{given} is not {_shown(wanted)}"
        case "pattern" if digits := _HEX.fullmatch(wanted):
            return f"{given} is not {digits[1]} lower-case hexadecimal digits"
        case _:
            return str(cut(error.message, 300))
