"""The examples that the seeds print, and whether a vector's event is one of them made concrete."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"\s*```(\w*)\s*$")
HEADING = re.compile(r"#+ (.*)")
# A string, which is kept, or a comment or a comma before a closing bracket, which JSON does not have.
REPAIRED = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[\]}])', re.S)
# What a seed leaves to the reader: a word in angle brackets, or the rest of an invoice.
PLACEHOLDER = re.compile(r"<[^<>]+>|\.\.\.$")


@dataclass(frozen=True)
class Example:
    """A fenced block of a seed: the heading it stands under, and which it is of those under headings of that name."""

    seed: str
    heading: str
    number: int
    text: str

    @property
    def value(self) -> Any:
        """The block as JSON, without its comments and the commas that are too many, with those that are missing."""
        without_comments = REPAIRED.sub(lambda found: found[1] or "", self.text)
        return json.loads(re.sub(r"\](\s*)\[", r"],\1[", without_comments))

    @property
    def is_event(self) -> bool:
        """Whether it is an event, or what an event prints but its kind."""
        return isinstance(self.value, dict) and "tags" in self.value

    @property
    def is_open(self) -> bool:
        """Whether a comment stands for members or items that are not printed."""
        return re.search(r"/\*|// \.\.\. other|// Capability-specific", self.text) is not None


def folder() -> Path:
    """Where the seeds lie: NOSTRMCP_SEEDS, or `shared/seeds` beside the project."""
    return Path(os.environ.get("NOSTRMCP_SEEDS") or PROJECT.parent / "shared" / "seeds")


def read(seed: str) -> str:
    """The text of a seed. Absent, it skips the test: seeds are not published, so no machine but ours has them."""
    path = folder() / seed
    if not path.is_file():
        pytest.skip(f"{seed} is not in {folder()}: set NOSTRMCP_SEEDS to the folder that has the seeds")
    return path.read_text(encoding="utf-8")


def examples(seed: str) -> list[Example]:
    """Every fenced block of JSON in a seed, in order."""
    found: list[Example] = []
    heading, language = "", None
    held: list[str] = []
    counted: Counter[str] = Counter()
    for line in read(seed).splitlines():
        fence = FENCE.match(line)
        if fence is None and language is None:
            named = HEADING.match(line)
            heading = named[1] if named else heading
        elif fence is None:
            held.append(line)
        elif language is None:
            language, held = fence[1], []
        else:
            if language == "json":
                counted[heading] += 1
                found.append(Example(seed, heading, counted[heading], "\n".join(held)))
            language = None
    assert language is None, f"{seed}: a fence does not end"
    return found


def readings(example: Example, alternatives: bool, stand_ins: list[str]) -> list[Any]:
    """What an example prints: one value, or two where it prints a protocol error and a failed call in one object.

    `stand_ins` are words of an example that stand for something else without angle brackets.
    """
    value = json.loads(_bracketed(json.dumps(example.value), stand_ins))
    if not alternatives:
        return [value]
    content = value["content"]
    envelope = {name: content[name] for name in ("jsonrpc", "id") if name in content}
    failed = {name: member for name, member in content.items() if name != "error"}
    return [value | {"content": envelope | {"error": content["error"]}}, value | {"content": failed}]


def _bracketed(text: str, stand_ins: list[str]) -> str:
    for word in stand_ins:
        text = text.replace(f'"{word}"', f'"<{word}>"')
    return text


def is_example(event: dict[str, Any], printed: Any, more: bool) -> bool:
    """Whether an event is an example, or holds it where it is but a part, placeholders made concrete.

    An event may have more tags than the example, and where a comment of the example leaves room (`more`), more members.
    """
    if not isinstance(printed, dict) or "tags" not in printed:
        return _holds(printed, [event["tags"], _parsed(event["content"])], more)
    same_kind = "kind" not in printed or event["kind"] == printed["kind"]
    tagged = all(any(_fits(tag, own, more) for own in event["tags"]) for tag in printed["tags"])
    return same_kind and tagged and _says(event, printed["content"], more)


def _says(event: dict[str, Any], printed: Any, more: bool) -> bool:
    if isinstance(printed, str) and PLACEHOLDER.fullmatch(printed):
        return bool(event["content"])
    content = _parsed(printed) if isinstance(printed, str) else printed
    return _fits(content, _parsed(event["content"]), more)


def _parsed(content: str) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content


def _holds(printed: Any, given: Any, more: bool) -> bool:
    parts = given.values() if isinstance(given, dict) else given if isinstance(given, list) else ()
    return _fits(printed, given, more) or any(_holds(printed, part, more) for part in parts)


def _fits(printed: Any, given: Any, more: bool) -> bool:
    """Whether a value is a printed one with its placeholders made concrete."""
    if isinstance(printed, str):
        alone = PLACEHOLDER.fullmatch(printed) is not None and not isinstance(given, (dict, list))
        return alone or (isinstance(given, str) and re.fullmatch(_pattern(printed), given, re.S) is not None)
    if type(printed) is not type(given):
        return False
    if isinstance(printed, dict):
        whole = more or len(printed) == len(given)
        return whole and all(_member(name, value, given, more) for name, value in printed.items())
    if isinstance(printed, list):
        whole = len(printed) == len(given) or (more and len(printed) < len(given))
        return whole and all(_fits(one, own, more) for one, own in zip(printed, given, strict=False))
    return bool(printed == given)


def _member(name: str, value: Any, given: dict[str, Any], more: bool) -> bool:
    return any(re.fullmatch(_pattern(name), own) and _fits(value, held, more) for own, held in given.items())


def _pattern(text: str) -> str:
    return ".+".join(re.escape(part) for part in PLACEHOLDER.split(text))
