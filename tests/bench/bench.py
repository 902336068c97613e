"""Speed of the Nostr layer and of sessions, as ratios to the calls they cannot do without.

python tests/bench/bench.py --peers --json bench.json
"""

from __future__ import annotations

import argparse
import json
import platform
import signal
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

from coincurve._libsecp256k1 import ffi, lib
from timing import BATCH, Comparison, Time, measure, measure_imports

PROJECT = Path(__file__).resolve().parents[2]
BUSY = 0.1
GROUPS = (
    "sign",
    "verify",
    "receive",
    "build",
    "wrap",
    "unwrap",
    "refuse",
    "codec",
    "session",
    "held",
    "memory",
    "runner",
    "import",
    "call",
    "relay",
    "start",
)


@dataclass(frozen=True)
class Result:
    """A measured comparison; the ratio is subject by baseline or, where the baseline is a peer, peer by subject."""

    subject: str
    microseconds: float
    baseline: str
    baseline_microseconds: float
    ratio: float
    spread: float
    target: str
    verdict: str


@dataclass(frozen=True)
class Size:
    """Memory that one of something takes. It is counted, not timed: it is judged on either way into libsecp256k1."""

    subject: str
    bytes: float
    target: int
    verdict: str

    @classmethod
    def of(cls, subject: str, size: float, target: int) -> Size:
        return cls(subject, size, target, "ok" if size <= target else "MISSED")


@dataclass(frozen=True)
class Rate:
    """How many of something are done in a second."""

    subject: str
    per_second: float
    target: int
    verdict: str

    @classmethod
    def of(cls, subject: str, per_second: float, target: int) -> Rate:
        return cls(subject, per_second, target, "ok" if per_second >= target else "MISSED")


@dataclass(frozen=True)
class Delay:
    """How much longer something takes than what it cannot do without."""

    subject: str
    milliseconds: float
    target: float
    verdict: str

    @classmethod
    def of(cls, subject: str, milliseconds: float, target: float) -> Delay:
        return cls(subject, milliseconds, target, "ok" if milliseconds <= target else "MISSED")


def result_of(comparison: Comparison, times: Mapping[str, Time], judged: bool) -> Result:
    subject, baseline = times[comparison.subject].median, times[comparison.baseline].median
    spread = max(times[comparison.subject].spread, times[comparison.baseline].spread)
    ratio = baseline / subject if comparison.with_peer else subject / baseline
    target = verdict = ""
    if comparison.target is not None:
        target = f"{'at least' if comparison.with_peer else 'at most'} {comparison.target:.2f}"
        met = ratio >= comparison.target if comparison.with_peer else ratio <= comparison.target
        verdict = ("ok" if met else "MISSED") if judged else ""
    return Result(comparison.subject, subject, comparison.baseline, baseline, ratio, spread, target, verdict)


def show_progress(text: str) -> None:
    print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def show_nothing(text: str) -> None:
    pass


def print_table(results: list[Result]) -> None:
    rows = [("", "µs", "compared with", "µs", "ratio", "spread", "target", "")]
    for one in results:
        times = f"{one.microseconds:.2f}", one.baseline, f"{one.baseline_microseconds:.2f}"
        rows.append((one.subject, *times, f"{one.ratio:.3f}", f"{one.spread:.0%}", one.target, one.verdict))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if position in (1, 3, 4, 5) else cell.ljust(width)
            for position, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def arguments_from(given: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Measure the Nostr layer and sessions against the bare library calls in the same run: "
        f"batches of {BATCH} calls by turns, medians, ratios of medians.",
        epilog="example: python tests/bench/bench.py --only receive --only refuse --json bench.json",
    )
    parser.add_argument("--rounds", type=int, default=300, metavar="N", help="rounds of batches (default: 300)")
    parser.add_argument(
        "--only",
        action="append",
        choices=GROUPS,
        metavar="NAME",
        help=f"measure this only; may be repeated. One of: {', '.join(GROUPS)}",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to this file as well")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a target is missed")
    parser.add_argument(
        "--public-api",
        action="store_true",
        help="measure the fallback on coincurve's public API; targets are shown but not judged",
    )
    parser.add_argument("--peers", action="store_true", help="compare with other implementations that are installed")
    parser.add_argument(
        "--peers-dir",
        type=Path,
        default=PROJECT / ".peers",
        metavar="DIR",
        help="folder into which `make peers` has installed them (default: .peers)",
    )
    arguments = parser.parse_args(given)
    if arguments.rounds < 1:
        parser.error("--rounds is at least 1")
    if arguments.json is not None and not arguments.json.parent.is_dir():
        parser.error(f"--json: there is no folder {arguments.json.parent}")
    return arguments


def main(given: list[str] | None = None) -> int:
    arguments = arguments_from(given)
    wanted = arguments.only or GROUPS
    judged = not arguments.public_api
    progress = show_progress if sys.stderr.isatty() else show_nothing
    # So that the processes that were started are ended as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if arguments.public_api:
        sys.modules["coincurve._libsecp256k1"] = None  # type: ignore[assignment]

    # Only now: which way into libsecp256k1 is taken is decided when nostrmcp is imported.
    import cases
    import conformance_runner
    import network
    import peers
    import sessions

    from nostrmcp.nostr.libsecp256k1 import curve

    all_peers = peers.find(arguments.peers_dir) if arguments.peers else []
    results: list[Result] = []

    def report_on(comparisons: list[Comparison], times: Mapping[str, Time]) -> None:
        results.extend(result_of(one, times, judged) for one in comparisons)

    for group in chain(cases.groups(ffi, lib), sessions.groups(wanted)):
        if group.name in wanted:
            report_on(group.comparisons, measure(group, arguments.rounds, progress))
            with_peers = peers.beside(group, all_peers)
            times = measure(with_peers, arguments.rounds, progress)
            for peer in all_peers:
                times |= peer.measure_apart(group, arguments.rounds, progress)
            report_on(with_peers.comparisons, times)
    if "import" in wanted:
        rounds = max(10, arguments.rounds // 10)
        report_on(cases.IMPORT_COMPARISONS, measure_imports(cases.IMPORTS, rounds, progress))
    memory: list[Size] = []
    if "memory" in wanted:
        progress("memory")
        memory.append(Size.of("memory: an idle session", sessions.idle_session_bytes(), sessions.MAX_IDLE_SESSION))
    rates: list[Rate] = []
    if "runner" in wanted:
        progress("runner")
        speed = conformance_runner.cases_per_second()
        rates.append(Rate.of("runner: cases through the pipe", speed, conformance_runner.MIN_PER_SECOND))
    # Each round of these takes seconds.
    few = max(1, arguments.rounds // 30)
    callers = network.Peers.find(arguments.peers_dir) if arguments.peers else network.Peers.none()
    if "call" in wanted:
        report_on(network.call_comparisons(callers), network.measure_calls(callers, few, progress))
    if "relay" in wanted:
        report_on(network.delivery_comparisons(), network.measure_deliveries(few, progress))
    delays: list[Delay] = []
    if "start" in wanted:
        late = network.milliseconds_of_help(few, progress)
        delays.append(Delay.of(f"start: {network.HELP} after {network.BARE}", late, network.MAX_START))
    progress("")

    environment: dict[str, Any] = {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "libsecp256k1": "C functions" if type(curve).__name__ == "Direct" else "coincurve's public API",
        "rounds": arguments.rounds,
        **{name: version(name) for name in ("orjson", "coincurve", "cryptography")},
    }
    print(", ".join(f"{name} {value}" for name, value in environment.items()))
    print_table(results)
    for size in memory:
        print(f"{size.subject}: {size.bytes:,.0f} B, target at most {size.target:,} B: {size.verdict}")
    for rate in rates:
        print(f"{rate.subject}: {rate.per_second:,.0f} a second, target at least {rate.target:,}: {rate.verdict}")
    for delay in delays:
        print(f"{delay.subject}: {delay.milliseconds:.1f} ms, target at most {delay.target:g} ms: {delay.verdict}")
    status = {peer.name: peer.status for peer in all_peers}
    if arguments.peers and "call" in wanted:
        status |= callers.status
    for name, its_status in status.items():
        print(f"{name}: {its_status}")
    given = [one.verdict for one in (*results, *memory, *rates, *delays)]
    verdicts = [verdict for verdict in given if verdict]
    missed = verdicts.count("MISSED")
    if any(one.spread > BUSY for one in results):
        print(f"the machine was busy: where the spread is above {BUSY:.0%}, ratios come out too high")
    print(f"{missed} of {len(verdicts)} targets missed")
    if arguments.json is not None:
        report = {
            "environment": environment,
            "results": [asdict(one) for one in results],
            "memory": [asdict(one) for one in memory],
            "rates": [asdict(one) for one in rates],
            "delays": [asdict(one) for one in delays],
            "peers": status,
        }
        arguments.json.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    return 1 if missed and arguments.strict else 0


if __name__ == "__main__":
    sys.exit(main())
