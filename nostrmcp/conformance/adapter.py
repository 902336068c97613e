"""The adapter's side of the protocol, for implementations in Python, and this package's own adapter.

python -m nostrmcp.conformance.adapter                   this package
python -m nostrmcp.conformance.adapter pkg.mod:factory   what factory() returns: an Adapter
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from .. import __version__
from ..nostr import LocalProtocolError, Violation
from .operations import OPERATIONS, Operation
from .script import Machine

Value = dict[str, Any]


class Reject(Exception):
    """An operation refuses its input; the class is from vectors/errors.json."""

    def __init__(self, error_class: str, message: str = "") -> None:
        super().__init__(message)
        self.error_class = error_class
        self.message = message


class Skip(Exception):
    """An operation cannot be asked for this; the message says why."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """An implementation for the runner: a function for each operation, a machine for each kind of script."""

    name: str
    version: str
    operations: Mapping[str, Operation]
    machines: Mapping[str, Callable[[Value], Machine]] = field(default_factory=dict)
    revisions: Sequence[str] | None = None
    features: Sequence[str] | None = None
    language: str = "python"

    def hello(self) -> Value:
        implementation = {"name": self.name, "version": self.version, "language": self.language}
        answer = {"protocol": 1, "implementation": implementation, "ops": [*self.operations, *self.machines]}
        some = {"revisions": self.revisions, "features": self.features}
        return answer | {name: list(one) for name, one in some.items() if one is not None}


def serve(adapter: Adapter, given: BinaryIO, taken: BinaryIO) -> None:
    """Answer the runner until it says bye or is gone."""
    machine: Machine | None = None
    while line := given.readline():
        message = json.loads(line)
        match message["cmd"]:
            case "bye":
                return
            case "hello":
                answer = adapter.hello()
            case "run":
                answer = _answer(adapter.operations[message["op"]], message["input"])
            case "open":
                opened: list[Machine] = []
                answer = _answer(_opening(adapter.machines[message["op"]], opened), message["open"])
                machine = opened[0] if opened else None
            case "step":
                answer = _answer(_stepping(machine), message)
            case "close":
                machine, answer = None, {"status": "ok"}
            case _:
                answer = {"status": "fault", "message": "a command that is not in the protocol"}
        if "n" in message:
            answer["n"] = message["n"]
        taken.write(json.dumps(answer, separators=(",", ":")).encode() + b"\n")
        taken.flush()


def _opening(make: Callable[[Value], Machine], opened: list[Machine]) -> Operation:
    def operation(given: Value) -> Value:
        opened.append(make(given))
        return {}

    return operation


def _stepping(machine: Machine | None) -> Operation:
    def operation(message: Value) -> Value:
        assert machine is not None, "a step belongs to an open session"
        return machine.step(message["step"], message["do"], message["at"]).to_value()

    return operation


def _answer(operation: Operation, given: Value) -> Value:
    try:
        return {"status": "ok", "output": operation(given)}
    except (Violation, LocalProtocolError) as refusal:
        return {"status": "reject", "error": {"class": refusal.error_class.value, "message": str(refusal)}}
    except Reject as refusal:
        return {"status": "reject", "error": {"class": refusal.error_class, "message": refusal.message}}
    except Skip as skip:
        return {"status": "skip", "reason": str(skip)}
    except Exception as fault:
        return {"status": "fault", "message": f"{type(fault).__name__}: {fault}"}


def own() -> Adapter:
    """This package."""
    from . import translation as translation  # its operations enter the table of operations
    from .sessions import ClientMachine, ServerMachine

    machines: dict[str, Callable[[Value], Machine]] = {"session_server": ServerMachine, "session_client": ClientMachine}
    return Adapter(
        "nostrmcp", __version__, {name: one for name, one in OPERATIONS.items() if name not in machines}, machines
    )


def main(arguments: Sequence[str]) -> int:
    if not arguments:
        adapter = own()
    else:
        module, _, factory = arguments[0].partition(":")
        try:
            make = getattr(importlib.import_module(module), factory)
        except (ImportError, AttributeError) as problem:
            sys.exit(str(problem))
        adapter = make()
    given, taken = sys.stdin.buffer, sys.stdout.buffer
    # What an implementation prints is a log, not an answer.
    sys.stdout = sys.stderr
    serve(adapter, given, taken)
    return 0


if __name__ == "__main__":
    # Under its own name, so that the exceptions that others import from here are the ones caught.
    from .adapter import main as _main

    sys.exit(_main(sys.argv[1:]))
