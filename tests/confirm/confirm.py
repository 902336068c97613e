"""Run the vectors through published software that we did not write.

    python tests/confirm/confirm.py
    python tests/confirm/confirm.py --only nip44 --only nip59 --json

Each peer is an adapter in this folder that answers a vector's operation with what its library does. What a case expects
is withheld from it. An output of null says that the input was accepted and that the result cannot be compared. Peers
name no error classes, so a refusal of any kind is a refusal. Where a peer differs and the vector is right, known.toml
says why.

Exit code: 0 no disagreement but the known ones; 1 another disagreement, a known one that no longer happens, or a
cryptographic result that no peer confirms; 2 wrong usage, or a peer cannot be run.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from nostrmcp.conformance.judge import Accepted, Answer, Refused, Verdict, judge
from nostrmcp.conformance.vectors import Case, Suite, load_suites

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent.parent / ".peers"
SECONDS_PER_PEER = 600

# Results that nobody can write by hand: a vector for one of these needs an implementation that is not ours.
CRYPTOGRAPHIC = frozenset(
    {
        *("tagged_hash", "lift_x", "schnorr_pubkey", "schnorr_nonce", "schnorr_challenge"),
        *("schnorr_sign", "schnorr_verify"),
        *("serialize_event", "event_id", "sign_event", "verify_event", "parse_event"),
        *("nip19_encode", "nip19_decode"),
        *("conversation_key", "message_keys", "padded_length"),
        *("encrypt", "encrypt_long", "decrypt", "decrypt_long"),
        *("wrap", "unwrap", "gift_wrap", "gift_unwrap"),
    }
)


class Unusable(Exception):
    """Why nothing can be confirmed: what is missing or wrong here, in one sentence."""


class Standing(StrEnum):
    """How an answer stands to its case. `partly`: agreed in all that the peer can show."""

    AGREED = "agreed"
    PARTLY = "partly"
    SKIPPED = "skipped"
    DISAGREED = "disagreed"


@dataclass(frozen=True)
class Peer:
    name: str
    version: str
    prepare: Callable[[str, bool], list[str]]
    """Installs this version where it is missing and allowed, and gives the command that runs the adapter."""


@dataclass(frozen=True)
class Outcome:
    peer: Peer
    case: Case
    standing: Standing
    did: str


@dataclass(frozen=True)
class Report:
    outcomes: list[Outcome]
    known: dict[tuple[str, str], str]

    def reason(self, outcome: Outcome) -> str | None:
        return self.known.get((outcome.peer.name, outcome.case.id))

    @property
    def disagreements(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.standing is Standing.DISAGREED]

    @property
    def new(self) -> list[Outcome]:
        return [outcome for outcome in self.disagreements if self.reason(outcome) is None]

    @property
    def stale(self) -> list[Outcome]:
        """Those that known.toml lists and that do not happen."""
        quiet = (outcome for outcome in self.outcomes if outcome.standing is not Standing.DISAGREED)
        return [outcome for outcome in quiet if self.reason(outcome) is not None]

    def confirmed_by_none(self, *enough: Standing) -> list[Case]:
        confirmed = {outcome.case.id for outcome in self.outcomes if outcome.standing in enough}
        cases = {outcome.case.id: outcome.case for outcome in self.outcomes}
        return [case for case in cases.values() if case.id not in confirmed]

    @property
    def unconfirmed(self) -> list[Case]:
        return self.confirmed_by_none(Standing.AGREED, Standing.PARTLY)

    @property
    def unconfirmed_results(self) -> list[Case]:
        """The cryptographic results that no peer gives in full."""
        cases = self.confirmed_by_none(Standing.AGREED)
        return [case for case in cases if case.op in CRYPTOGRAPHIC and case.result == "valid"]

    @property
    def passed(self) -> bool:
        return not (self.new or self.stale or self.unconfirmed_results)


def nostr_tools(version: str, may_install: bool) -> list[str]:
    node = program("node")
    manifest = FOLDER / "node_modules" / "nostr-tools" / "package.json"
    if not manifest.is_file() or json.loads(manifest.read_text(encoding="utf-8"))["version"] != version:
        npm = [program("npm"), "install", "--prefix", str(FOLDER), "--no-audit", "--no-fund", "--ignore-scripts"]
        install([*npm, f"nostr-tools@{version}"], may_install)
    # Node looks for packages from the folder a module lies in.
    return [node, str(shutil.copy(HERE / "nostr_tools.mjs", FOLDER))]


def nostr_sdk(version: str, may_install: bool) -> list[str]:
    if not (FOLDER / "python" / f"nostr_sdk-{version}.dist-info").is_dir():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]
        install([*pip, "--target", str(FOLDER / "python"), f"nostr-sdk=={version}"], may_install)
    return [sys.executable, str(HERE / "nostr_sdk_peer.py")]


PEERS = (Peer("nostr-tools", "2.25.2", nostr_tools), Peer("nostr-sdk", "0.45.1", nostr_sdk))


def program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise Unusable(f"{name} is not installed; Node.js 20 or newer with npm is needed to run nostr-tools")
    return found


def install(command: list[str], may_install: bool) -> None:
    package = command[-1]
    if not may_install:
        raise Unusable(f"{package} is not in {FOLDER.name}/; run again without --no-install")
    tell(f"installing {package} into {FOLDER.name}/")
    FOLDER.mkdir(exist_ok=True)
    finished = subprocess.run(command, capture_output=True, text=True)
    if finished.returncode != 0:
        lines = [line for line in finished.stderr.splitlines() if line.strip()] or ["no message"]
        raise Unusable(f"{package} could not be installed: {lines[-1].strip()}")


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def ask(command: list[str], cases: list[Case]) -> list[dict[str, Any]]:
    """The answer to each case, in order; a fault where there is none."""
    requests = [{"seq": number, "op": case.op, "input": case.input} for number, case in enumerate(cases)]
    try:
        finished = subprocess.run(
            command,
            input="".join(json.dumps(request) + "\n" for request in requests),
            capture_output=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": str(FOLDER / "python")},
            timeout=SECONDS_PER_PEER,
        )
    except subprocess.TimeoutExpired:
        raise Unusable(f"{Path(command[-1]).name} did not end within {SECONDS_PER_PEER} seconds") from None
    # Not splitlines: JSON may hold U+2028 as it is.
    answers = {answer["seq"]: answer for answer in map(json.loads, filter(None, finished.stdout.split("\n")))}
    if not answers:
        lines = finished.stderr.strip().splitlines() or ["no message"]
        raise Unusable(f"{Path(command[-1]).name} gave no answer: {lines[-1]}")
    silence = {"status": "fault", "message": "no answer"}
    return [answers.get(number, silence) for number in range(len(cases))]


def outcome(peer: Peer, case: Case, answer: dict[str, Any]) -> Outcome:
    omitted = answer.get("omitted") or []
    given: Answer
    match answer["status"]:
        case "skip":
            return Outcome(peer, case, Standing.SKIPPED, answer["message"])
        case "fault":
            return Outcome(peer, case, Standing.DISAGREED, f"stumbled: {short(answer['message'])}")
        case "reject":
            given, did = Refused(case.error_class or "refused", answer["message"]), "refused: " + answer["message"]
        case "ok" if answer["output"] is None and case.result != "invalid":
            return Outcome(peer, case, Standing.SKIPPED, answer["message"])
        case _:
            given, did = Accepted(answer["output"]), "accepted: " + json.dumps(answer["output"])
    expected = without(case.output, omitted)
    if judge(dataclasses.replace(case, output=expected), given).verdict is not Verdict.PASS:
        return Outcome(peer, case, Standing.DISAGREED, short(did))
    return Outcome(peer, case, Standing.AGREED if expected == case.output else Standing.PARTLY, short(did))


def without(value: Any, names: list[str]) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: without(inner, names) for key, inner in value.items() if key not in names}


def read_known(path: Path, case_ids: set[str]) -> dict[tuple[str, str], str]:
    """{(peer, case): reason}"""
    known: dict[tuple[str, str], str] = {}
    for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("known", []):
        peer, reason = entry.get("peer"), entry.get("reason")
        if peer not in {one.name for one in PEERS}:
            raise Unusable(f"{path.name} names the peer {peer!r}, which there is not")
        if not reason:
            raise Unusable(f"{path.name} has an entry for {peer} without a reason")
        for case in entry.get("cases", []):
            if case not in case_ids:
                raise Unusable(f"{path.name} names the case {case!r}, which there is not")
            if (peer, case) in known:
                raise Unusable(f"{path.name} names {case!r} of {peer} twice")
            known[peer, case] = reason
    return known


def print_report(report: Report) -> None:
    rows = [["vectors", "peer", "cases", *Standing]]
    for (suite, peer), counts in counted(report.outcomes).items():
        rows.append([suite, peer, str(counts.total()), *(str(counts[standing]) for standing in Standing)])
    print_table(rows)

    print("\nConfirmed by no peer:")
    all_cases = Counter(case.suite for case in report.confirmed_by_none())
    unconfirmed = Counter(case.suite for case in report.unconfirmed)
    print_table([[suite, f"{unconfirmed[suite]} of {count}"] for suite, count in all_cases.items()])
    for case in report.unconfirmed_results:
        print(f"NOT CONFIRMED {case.id} ({case.op}): {case.title}")

    print("\nDisagreements:")
    for one in report.disagreements:
        print(f"\n{one.peer.name}, {one.case.suite}: {one.case.id}: {one.case.title}")
        print(f"  expected  {expectation(one.case)}")
        print(f"  did       {one.did}")
        print(f"  known     {report.reason(one) or 'NO'}")
    for one in report.stale:
        print(f"\nSTALE: {one.case.id} of {one.peer.name} is in known.toml and is {one.standing}")

    total = f"{len(report.disagreements)} disagreements, {len(report.new)} of them not known"
    print(f"\n{total}; {len(report.stale)} stale; {len(report.unconfirmed_results)} results without a peer")


def counted(outcomes: Iterable[Outcome]) -> dict[tuple[str, str], Counter[Standing]]:
    table: dict[tuple[str, str], Counter[Standing]] = {}
    for one in outcomes:
        table.setdefault((one.case.suite, one.peer.name), Counter())[one.standing] += 1
    return dict(sorted(table.items()))


def print_table(rows: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, strict=True)
        print("  ".join(cell.rjust(width) if cell.isdigit() else cell.ljust(width) for cell, width in cells).rstrip())


def expectation(case: Case) -> str:
    refusal = f"refused as {case.error_class}" if case.error_class else "refused"
    if case.result == "invalid":
        return refusal
    accepted = short("accepted: " + json.dumps(case.output))
    return accepted if case.result == "valid" else f"{accepted}, or {refusal}"


def short(text: str) -> str:
    return text if len(text) <= 200 else text[:200] + "..."


def to_value(report: Report) -> dict[str, Any]:
    """What `--json` prints."""

    def named(one: Outcome) -> dict[str, Any]:
        return {"peer": one.peer.name, "vectors": one.case.suite, "case": one.case.id, "title": one.case.title}

    return {
        "passed": report.passed,
        "peers": [{"name": peer.name, "version": peer.version} for peer in PEERS],
        "counts": [
            {"vectors": suite, "peer": peer, "cases": counts.total(), **{name: counts[name] for name in Standing}}
            for (suite, peer), counts in counted(report.outcomes).items()
        ],
        "disagreements": [
            {**named(one), "expected": expectation(one.case), "did": one.did, "known": report.reason(one)}
            for one in report.disagreements
        ],
        "stale": [named(one) for one in report.stale],
        "unconfirmed": [{"vectors": case.suite, "case": case.id} for case in report.unconfirmed],
        "unconfirmed_results": [{"vectors": case.suite, "case": case.id} for case in report.unconfirmed_results],
    }


def chosen(suites: list[Suite], names: list[str]) -> list[Suite]:
    """The suites of these names, with or without their folder; all of them if there are no names."""
    for name in names:
        if not any(name in (suite.name, suite.name.rpartition("/")[2]) for suite in suites):
            raise Unusable(f"there are no vectors named {name!r}; there are {', '.join(one.name for one in suites)}")
    return [suite for suite in suites if not names or {suite.name, suite.name.rpartition("/")[2]} & set(names)]


def confirm(suites: list[Suite], known: dict[tuple[str, str], str], may_install: bool) -> Report:
    cases = [case for suite in suites for case in suite.cases]
    commands = [(peer, peer.prepare(peer.version, may_install)) for peer in PEERS]
    outcomes = []
    for peer, command in commands:
        tell(f"asking {peer.name} {peer.version} {len(cases)} cases")
        outcomes += [outcome(peer, case, answer) for case, answer in zip(cases, ask(command, cases), strict=True)]
    return Report(outcomes, known)


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Run the vectors through published software that we did not write.",
        epilog="example: python tests/confirm/confirm.py --only nip44 --only nip59 --json",
    )
    parser.add_argument("--only", metavar="SUITE", action="append", default=[], help="these vectors; may be repeated")
    parser.add_argument("--json", action="store_true", help="print one JSON object in place of tables")
    parser.add_argument("--no-install", action="store_true", help="use the peers in .peers/ and install nothing")
    options = parser.parse_args()
    try:
        # Peers know Nostr; the vectors outside common/ are about what travels on it.
        common = [suite for suite in load_suites() if suite.name.startswith("common/")]
        known = read_known(HERE / "known.toml", {case.id for suite in common for case in suite.cases})
        report = confirm(chosen(common, options.only), known, not options.no_install)
    except Unusable as problem:
        tell(f"confirm: {problem}")
        return 2
    if options.json:
        print(json.dumps(to_value(report), indent=2))
    else:
        print_report(report)
    return 0 if report.passed else 1


if __name__ == "__main__":
    sys.exit(main())
