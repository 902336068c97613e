"""The check that every run ends with: whatever the testee said was right."""

from __future__ import annotations

from typing import Any

from .checks import Check, Failed


async def wire(bench: Any) -> None:
    faults = list(dict.fromkeys(bench.wire.faults))
    if faults:
        more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise Failed(f"{faults[0]}{more}", expected="events that keep the rules of the revision", actual=faults[:20])


WIRE: Check[Any] = Check(
    "wire", "Every event that was heard keeps the rules of the revision",
    ("R1-BODY-01", "R1E-BODY-01", "R11-BODY-01", "CTX-BODY-01", "CVM-BODY-01"),
    "peers that are stricter, or read a tag that is wrong or missing, do not understand it", wire,
)  # fmt: skip
