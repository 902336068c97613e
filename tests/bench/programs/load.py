"""What every client program of the bench does alike: so many calls, some of them in flight at any time.

One JSON object a line on stdin asks, {"calls", "in_flight"}; one a line on stdout answers, {"microseconds"}: of one
call, in the middle if there is one in flight at a time, else the whole time divided by the number of calls.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
from collections.abc import Awaitable, Callable
from time import perf_counter

Call = Callable[[str], Awaitable[str]]


async def obey(call: Call) -> None:
    """Do what stdin asks for until it ends. `call` says a text to the echo tool and gives its answer."""
    loop = asyncio.get_running_loop()
    print(json.dumps({"ready": True}), flush=True)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps({"microseconds": await load(call, **json.loads(line))}), flush=True)


async def load(call: Call, calls: int, in_flight: int) -> float:
    numbers = iter(range(calls))
    times: list[float] = []

    async def worker() -> None:
        for number in numbers:
            text = f"number {number}, and as much again as people say"
            began = perf_counter()
            answer = await call(text)
            times.append(perf_counter() - began)
            assert answer == text, answer

    began = perf_counter()
    await asyncio.gather(*(worker() for _ in range(in_flight)))
    whole = perf_counter() - began
    return 1e6 * (statistics.median(times) if in_flight == 1 else whole / calls)
