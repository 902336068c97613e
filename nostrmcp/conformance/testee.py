"""The runner's side of the adapter protocol: hello, run, open, step, close, bye.

The protocol is described in vectors/README.md, An adapter; its messages in vectors/schema/adapter-v1.json.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import __version__
from . import script
from .judge import Accepted, Refused
from .pipe import Broken, Pipe
from .selection import FEATURES, features_of, revisions_of
from .text import cut
from .vectors import Case
from .verdicts import Status

PROTOCOL = 1
# Answers are shallow; what is deeper would break those who compare and show it.
MAX_DEPTH = 100
SCRIPTS = ("session_server", "session_client")
Value = dict[str, Any]


class BadTestee(Exception):
    """What the user named cannot be a testee; the message says why in one sentence."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """The adapter says that the implementation cannot do this, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Faulted:
    """The adapter says that the implementation broke, which is no refusal."""

    message: str


Reply = Accepted | Refused | Skipped | Faulted


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds that a testee has for its hello, for each answer, and to end."""

    hello: float = 10.0
    answer: float = 2.0
    bye: float = 2.0


@dataclass(frozen=True, slots=True)
class Hello:
    """What an adapter says of itself."""

    implementation: Value
    ops: frozenset[str]
    revisions: frozenset[str] | None
    features: frozenset[str] | None

    def offers(self, case: Case) -> bool:
        """Whether the adapter can be asked this; one that names its revisions or features is asked of those only."""
        return (
            case.op in self.ops
            and (self.revisions is None or revisions_of(case) <= self.revisions)
            and (self.features is None or features_of(case) <= self.features)
        )


def command_of(testee: str) -> list[str]:
    """The command that `cmd:…`, `python:pkg.mod:factory` or `self` stands for."""
    kind, _, rest = testee.partition(":")
    adapter = [sys.executable, "-m", f"{__package__}.adapter"]
    if kind == "cmd":
        try:
            command = shlex.split(rest)
        except ValueError as problem:
            raise BadTestee(f"--testee {testee!r}: {problem}") from None
        if command:
            return command
    elif testee == "self":
        return adapter
    elif kind == "python":
        module, _, factory = rest.partition(":")
        if not all(part.isidentifier() for part in module.split(".")) or not factory.isidentifier():
            raise BadTestee(f"--testee {testee!r}: write python:package.module:factory")
        return [*adapter, rest]
    raise BadTestee(f"--testee {testee!r}: write 'cmd:program arguments', python:package.module:factory, or self")


def environment() -> dict[str, str]:
    """Our own environment without what is ours: a testee gets no secret."""
    return {name: value for name, value in os.environ.items() if not name.startswith("NOSTRMCP_")}


def encode(message: Value) -> bytes:
    """A message as one line of ASCII."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> Value:
    """A line as a JSON object; Broken where it is none."""
    try:
        value = json.loads(line.decode(), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        told = line[:200].decode("utf-8", "backslashreplace")
        raise Broken(Status.GARBAGE, f"not a JSON object on standard output (logs belong on standard error): {told}")
    if line.count(b"[") + line.count(b"{") > MAX_DEPTH and _is_deep(value):
        raise Broken(Status.GARBAGE, f"an answer with more than {MAX_DEPTH} levels of JSON")
    return value


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        inner = (one.values() if isinstance(one, dict) else one for one in level)
        level = [child for children in inner for child in children if isinstance(child, dict | list)]
    return bool(level)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


class Testee:
    """A running adapter, started anew when it broke."""

    def __init__(
        self, command: list[str], timeouts: Timeouts, watch: Callable[[str, bytes], None] | None = None
    ) -> None:
        self._command = command
        self._timeouts = timeouts
        self._watch = watch
        self._pipe: Pipe | None = None
        self._number = 0
        self._stderr = ""
        self.traffic: list[tuple[str, bytes]] = []

    def start(self) -> Hello:
        """Start the program and hear its hello; Broken if it cannot be started or says none."""
        self.kill()
        try:
            self._pipe = Pipe(self._command, environment())
        except (OSError, ValueError) as problem:
            told = getattr(problem, "strerror", None) or problem
            raise Broken(Status.CRASH, f"{self._command[0]} cannot be started: {told}") from None
        runner = {"name": "nostrmcp", "version": __version__}
        answer = self._ask({"cmd": "hello", "protocol": PROTOCOL, "runner": runner}, self._timeouts.hello)
        return _hello(answer)

    @property
    def running(self) -> bool:
        return self._pipe is not None

    @property
    def stderr(self) -> str:
        """The last of what the program said on standard error, also after its end."""
        return self._pipe.stderr if self._pipe else self._stderr

    def put(self, case: Case) -> Reply:
        """Give a case to the adapter: its operation and input, and nothing that would tell what is expected."""
        self.traffic.clear()
        if case.op not in SCRIPTS:
            return self._reply({"cmd": "run", "n": self._next(), "op": case.op, "input": case.input})
        try:
            output = script.run(lambda opened: _Machine(self._reply, self._next, case.op, opened), case.input)
        except _Stopped as stopped:
            answer = stopped.reply
        else:
            answer = Accepted(output)
        closed = self._reply({"cmd": "close", "n": self._next()})
        return answer if isinstance(closed, Accepted) or not isinstance(answer, Accepted) else closed

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _reply(self, message: Value) -> Reply:
        answer = self._ask(message, self._timeouts.answer)
        number = answer.get("n")
        if type(number) is not int or number != message["n"]:
            raise Broken(Status.GARBAGE, f"an answer with n {json.dumps(number):.50}, where {message['n']} was asked")
        return _reply_of(answer, message["cmd"])

    def _ask(self, message: Value, seconds: float) -> Value:
        assert self._pipe is not None, "it was started"
        line = encode(message)
        self._note("runner", line)
        answer = self._pipe.ask(line, seconds)
        self._note("adapter", answer)
        return decode(answer)

    def _note(self, who: str, line: bytes) -> None:
        self.traffic.append((who, line))
        if self._watch is not None:
            self._watch(who, line)

    def finish(self) -> str:
        """Say bye; what was not as agreed, in words, or nothing."""
        if self._pipe is None:
            return ""
        line = encode({"cmd": "bye"})
        self._note("runner", line)
        return self._pipe.finish(line, self._timeouts.bye)

    def kill(self) -> None:
        """End the program, if it runs."""
        if self._pipe is not None:
            self._pipe.kill()
            self._stderr, self._pipe = self._pipe.stderr, None


class _Stopped(Exception):
    """The adapter answered otherwise than with ok in the middle of a script."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


class _Machine:
    """A session behind the pipe: templates and placeholders were replaced before it sees a step."""

    def __init__(self, reply: Callable[[Value], Reply], number: Callable[[], int], op: str, opened: Value) -> None:
        self._reply = reply
        self._number = number
        self._ok({"cmd": "open", "n": number(), "op": op, "open": opened})

    def step(self, number: int, do: Value, at: float) -> script.Outcome:
        output = self._ok({"cmd": "step", "n": self._number(), "step": number, "at": at, "do": do})
        lists = [output.get(name, []) for name in ("published", "delivered", "paid")]
        if not all(isinstance(one, list) for one in lists) or not all(
            isinstance(one, dict) for one in [*lists[0], *lists[1]]
        ):
            raise Broken(Status.GARBAGE, "the output of a step is not lists of objects: published, delivered, paid")
        return script.Outcome(*lists)

    def _ok(self, message: Value) -> Value:
        reply = self._reply(message)
        if not isinstance(reply, Accepted):
            raise _Stopped(reply)
        return reply.output


def _hello(answer: Value) -> Hello:
    implementation, ops = answer.get("implementation"), answer.get("ops")
    revisions, features = answer.get("revisions"), answer.get("features")
    problem = ""
    if type(answer.get("protocol")) is not int or answer["protocol"] != PROTOCOL:
        problem = f"protocol is not {PROTOCOL}"
    elif not isinstance(implementation, dict) or not isinstance(implementation.get("name"), str):
        problem = "implementation has no name"
    elif not _strings(ops):
        problem = "ops is not a list of strings"
    elif revisions is not None and not _strings(revisions):
        problem = "revisions is not a list of strings"
    elif features is not None and not (_strings(features) and set(features) <= set(FEATURES)):
        problem = f"features is not a list of some of {', '.join(FEATURES)}"
    if problem:
        raise Broken(Status.GARBAGE, f"the answer to hello is not as agreed: {problem}")
    assert isinstance(implementation, dict) and isinstance(ops, list)
    known = {cut(name, 50): cut(text, 200) for name, text in implementation.items() if isinstance(text, str)}
    spoken, present = (None if one is None else frozenset(one) for one in (revisions, features))
    return Hello(known, frozenset(ops), spoken, present)


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _reply_of(answer: Value, command: str) -> Reply:
    """An answer as what it says; Broken where it says nothing that was agreed."""
    match answer:
        case {"status": "ok", "output": dict(output)}:
            return Accepted(output)
        case {"status": "ok"} if command in ("open", "close") and "output" not in answer:
            return Accepted({})
        case {"status": "reject", "error": {"class": str(error_class), **rest}} if error_class:
            return Refused(error_class, str(rest.get("message", "")))
        case {"status": "skip", "reason": str(reason)} if reason.strip():
            return Skipped(reason)
        case {"status": "fault", **rest}:
            return Faulted(str(rest.get("message", "")))
        case {"status": "ok" | "reject" | "skip" as status}:
            lacking = {"ok": "output", "reject": "error with a class", "skip": "reason"}[status]
            raise Broken(Status.GARBAGE, f"an answer with status {status} has no {lacking}")
        case _:
            raise Broken(Status.GARBAGE, "an answer whose status is none of ok, reject, skip and fault")
