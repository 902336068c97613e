"""Adapters in Python for tests of `python:` testees."""

from __future__ import annotations

import os
from pathlib import Path

from nostrmcp.conformance.adapter import Adapter, Reject, Skip, Value, own
from nostrmcp.conformance.script import Outcome


def tags(given: Value) -> Value:
    """Only one operation; what it prints is no answer."""
    print("a log line")
    values = [tag[1] for tag in given["tags"] if tag[0] == given["name"] and len(tag) > 1]
    return {"values": values}


def refusing(_given: Value) -> Value:
    raise Reject("invalid_signature", "never")


def skipping(_given: Value) -> Value:
    raise Skip("no curve here")


def breaking(_given: Value) -> Value:
    raise ZeroDivisionError("oops")


def small() -> Adapter:
    operations = {"tag_values": tags, "schnorr_verify": refusing, "schnorr_sign": skipping, "lift_x": breaking}
    return Adapter("small", "1", operations, language="python")


def contextvm_only() -> Adapter:
    whole = own()
    return Adapter("half", "1", whole.operations, whole.machines, ["contextvm"])


def without_money() -> Adapter:
    whole = own()
    return Adapter("free", "1", whole.operations, whole.machines, features=["encryption"])


class Idle:
    """A session that does nothing."""

    def __init__(self, _opened: Value) -> None:
        pass

    def step(self, _number: int, _do: Value, _at: float) -> Outcome:
        return Outcome()


def idle() -> Adapter:
    return Adapter("idle", "1", {}, {"session_client": Idle})


def spying() -> Adapter:
    """Writes down its environment."""
    Path(os.environ["SPY"]).write_text("\n".join(os.environ))
    return small()


def no_adapter() -> None:
    raise RuntimeError("not today")
