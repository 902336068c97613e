"""Adapters that misbehave, each in one way: python adapter.py NAME.

Most know the right answers, by way of this package, so that nothing but the fault can be what the runner finds. A
fault strikes at the operation `schnorr_verify` only, unless its name says otherwise; `schnorr_pubkey` stays sound.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

Value = dict[str, Any]
OPS = ["schnorr_verify", "schnorr_pubkey", "kind_class", "tag_values", "padded_length"]
FOREVER = 3600


def send(message: Value) -> None:
    raw(json.dumps(message).encode() + b"\n")


def raw(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def hello(**other: Any) -> None:
    send({"protocol": 1, "implementation": {"name": "animal", "version": "1"}, "ops": OPS} | other)


def right(message: Value) -> Value:
    """The right answer."""
    from nostrmcp.conformance.operations import OPERATIONS
    from nostrmcp.nostr import LocalProtocolError, Violation

    try:
        return {"n": message["n"], "status": "ok", "output": OPERATIONS[message["op"]](message["input"])}
    except (Violation, LocalProtocolError) as refusal:
        return {"n": message["n"], "status": "reject", "error": {"class": refusal.error_class.value}}


def serve(answer: Callable[[Value], None], greet: Callable[[], None] = hello) -> None:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["cmd"] == "bye":
            return
        if message["cmd"] == "hello":
            greet()
        else:
            answer(message)


def faulty(fault: Callable[[Value], None]) -> Callable[[], None]:
    """Sound but for one operation."""
    return lambda: serve(lambda message: fault(message) if message["op"] == "schnorr_verify" else send(right(message)))


def always(fault: Callable[[Value], None]) -> Callable[[], None]:
    return lambda: serve(fault)


def with_hello(**members: Any) -> Callable[[], None]:
    return lambda: serve(lambda message: send(right(message)), lambda: hello(**members))


def crash(_message: Value) -> None:
    print("about to fall over", file=sys.stderr, flush=True)
    os._exit(7)


def hang(_message: Value) -> None:
    time.sleep(FOREVER)


def accept(message: Value) -> None:
    answer = right(message)
    send(answer if answer["status"] == "ok" else {"n": message["n"], "status": "ok", "output": {}})


def reject(message: Value) -> None:
    send({"n": message["n"], "status": "reject", "error": {"class": "malformed_tags", "message": "no"}})


def number(change: Callable[[int], Any]) -> Callable[[Value], None]:
    return lambda message: send(right(message) | {"n": change(message["n"])})


def crash_on_refusal(message: Value) -> None:
    """Takes its own end for a refusal, as many test programs do."""
    answer = right(message)
    if answer["status"] == "reject":
        os._exit(1)
    send(answer)


def trickle(message: Value) -> None:
    for byte in json.dumps(right(message)).encode() + b"\n":
        raw(bytes([byte]))


def with_child(message: Value) -> None:
    """A child holds the pipes open and outlives the adapter."""
    subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({FOREVER})"])
    crash(message)


def flood(_message: Value) -> None:
    while True:
        raw(b"x" * 65536)


def twice(message: Value) -> None:
    raw(json.dumps(right(message)).encode() + b"\n" + json.dumps(right(message)).encode() + b"\n")


def talks_at_the_end() -> None:
    serve(lambda message: send(right(message)))
    raw(b"goodbye\n")


def ends_badly() -> None:
    serve(lambda message: send(right(message)))
    sys.exit(5)


def stays_at_the_end() -> None:
    serve(lambda message: send(right(message)))
    time.sleep(FOREVER)


def answers(**members: Any) -> Callable[[Value], None]:
    return lambda message: send({"n": message["n"]} | members)


def text(line: str) -> Callable[[Value], None]:
    return lambda message: raw(line.replace("<n>", str(message["n"])).encode() + b"\n")


ANIMALS: dict[str, Callable[[], None]] = {
    "sound": always(lambda message: send(right(message))),
    "accepts-everything": always(accept),
    "accepts-with-empty-output": always(answers(status="ok", output={})),
    "refuses-everything": always(reject),
    "refuses-valid": faulty(reject),
    "ends-at-once": lambda: sys.exit(3),
    "never-speaks": lambda: time.sleep(FOREVER),
    "closes-its-mouth": lambda: (os.close(1), time.sleep(FOREVER))[0],
    "babbles-at-the-start": lambda: (print("ready!", flush=True), serve(crash))[0],
    "crashes-always": always(crash),
    "crashes": faulty(crash),
    "crashes-on-refusal": always(crash_on_refusal),
    "crashes-with-child": faulty(with_child),
    "hangs": faulty(hang),
    "hangs-always": always(hang),
    "babbles": faulty(text("log: case <n>")),
    "babbles-binary": faulty(lambda _message: raw(b"\xff\xfe\x00\n")),
    "babbles-without-end": faulty(flood),
    "answers-twice": faulty(twice),
    "trickles": always(trickle),
    "number-of-another": faulty(number(lambda n: n + 1)),
    "number-as-text": faulty(number(str)),
    "number-as-float": faulty(number(float)),
    "no-number": faulty(lambda message: send({"status": "ok", "output": {"valid": True}})),
    "no-object": faulty(text("[<n>]")),
    "not-a-number": faulty(text('{"n":<n>,"status":"ok","output":{"valid":NaN}}')),
    "too-deep": faulty(text('{"n":<n>,"status":"ok","output":{"valid":' + "[" * 500 + "]" * 500 + "}}")),
    "no-status": faulty(answers(output={"valid": True})),
    "unknown-status": faulty(answers(status="passed")),
    "ok-without-output": faulty(answers(status="ok")),
    "output-is-a-list": faulty(answers(status="ok", output=[])),
    "reject-without-class": faulty(answers(status="reject", error={"message": "no"})),
    "near-class": faulty(answers(status="reject", error={"class": "invalid_signatur"})),
    "upper-case": lambda: serve(
        lambda message: send(
            {"n": message["n"], "status": "ok", "output": {"pubkey": "A" * 64}}
            if message["op"] == "schnorr_pubkey"
            else right(message)
        )
    ),
    "forgets-the-line-break": faulty(lambda _message: raw(b'{"n":1,"status":"fault"')),
    "several-lines": faulty(text('{\n "n": <n>,\n "status": "fault"\n}')),
    "byte-order-mark": faulty(text('\ufeff{"n":<n>,"status":"ok","output":{"valid":true}}')),
    "unknown-class": faulty(answers(status="reject", error={"class": "i_do_not_like_it"})),
    "skips": faulty(answers(status="skip", reason="not written yet")),
    "skips-without-reason": faulty(answers(status="skip", reason=" ")),
    "faults": faulty(answers(status="fault", message="NullPointerException")),
    "hello-of-another-protocol": with_hello(protocol=2),
    "hello-without-name": with_hello(implementation={}),
    "hello-without-ops": with_hello(ops="all"),
    "hello-with-odd-revisions": with_hello(revisions=[1]),
    "hello-with-odd-features": with_hello(features=["encryption", "telepathy"]),
    "hello-with-unknown-op": with_hello(ops=[*OPS, "make_coffee"]),
    "hello-with-hyphens": with_hello(ops=[*OPS, "kind-class"]),
    "hello-with-unknown-revision": with_hello(revisions=["ctxvm"]),
    "hello-with-surplus": with_hello(mood="good"),
    "no-operation-of-ours": with_hello(ops=["make_coffee"]),
    "other-revision": with_hello(ops=["decode_event"], revisions=["dvmcp-rev9"]),
    "talks-at-the-end": talks_at_the_end,
    "stays-at-the-end": stays_at_the_end,
    "ends-badly": ends_badly,
}

if __name__ == "__main__":
    ANIMALS[sys.argv[1]]()
