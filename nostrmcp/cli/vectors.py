"""`nostrmcp vectors`: list, show, copy and check the conformance vectors."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from ..conformance.vectors import Case, Suite, load_suites, suite_files, vectors_folder
from .problem import Problem

TABLES = ("README.md", "INDEX.json", "errors.json", "revisions.json", "requirements.json")


def add_to(commands: Any) -> None:
    """Add the command to the program's parser."""
    about = "list, show, copy and check the conformance vectors"
    example = "example: nostrmcp vectors list nip59"
    parser = commands.add_parser("vectors", help=about, description=about.capitalize() + ".", epilog=example)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)

    listing = _action(
        actions, "list", _list, "list the vector files, or the cases of one", "nostrmcp vectors list nip44"
    )
    listing.add_argument("suite", nargs="?", help="a file by its name or its last part: common/nip44, nip44")
    listing.add_argument("--json", action="store_true", help="one JSON object a line")

    showing = _action(actions, "show", _show, "show cases", "nostrmcp vectors show nip59-unwrap-inner-signature")
    showing.add_argument("case", nargs="+", metavar="CASE", help="the id of a case")

    copying = _action(
        actions, "copy", _copy, "copy all vector files to a folder", "nostrmcp vectors copy tests/vectors"
    )
    copying.add_argument("folder", type=Path, help="where to; made if it does not exist")
    copying.add_argument("--force", action="store_true", help="write over files there that differ")

    checking = _action(actions, "check", _check, "check this package against the vectors", "nostrmcp vectors check")
    checking.add_argument("suite", nargs="*", help="only these files (default: all)")
    checking.add_argument("--json", action="store_true", help="one JSON object a case")


def _action(actions: Any, name: str, run: Any, about: str, example: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(
        name, help=about, description=about.capitalize() + ".", epilog=f"example: {example}"
    )
    parser.set_defaults(run=run)
    return parser


def _chosen(names: list[str]) -> list[Suite]:
    """The suites of these names, or all."""
    suites = list(load_suites())
    if not names:
        return suites
    chosen = []
    for name in names:
        found = [suite for suite in suites if name in (suite.name, suite.name.rpartition("/")[2])]
        if not found:
            known = ", ".join(suite.name for suite in suites)
            raise Problem(f"there is no vector file {name!r}; there are: {known}")
        chosen += found
    return chosen


def _list(options: argparse.Namespace) -> int:
    if options.suite is not None:
        cases = [case for suite in _chosen([options.suite]) for case in suite.cases]
        for case in cases:
            _print_row(options.json, _summary(case), f"{case.id:42} {case.level:6} {case.result:10} {case.title}")
        return 0
    for suite in load_suites():
        results = Counter(case.result for case in suite.cases)
        row = {"suite": suite.name, "title": suite.title, "cases": len(suite.cases), **results}
        _print_row(options.json, row, f"{suite.name:30} {len(suite.cases):5} cases  {suite.title}")
    return 0


def _summary(case: Case) -> dict[str, Any]:
    return {
        "id": case.id,
        "suite": case.suite,
        "op": case.op,
        "title": case.title,
        "level": case.level,
        "req": case.req,
        "result": case.result,
    }


def _print_row(as_json: bool, row: dict[str, Any], text: str) -> None:
    print(json.dumps(row) if as_json else text)


def _show(options: argparse.Namespace) -> int:
    wanted = set(options.case)
    for path in suite_files(vectors_folder()):
        value = json.loads(path.read_text(encoding="utf-8"))
        for group in value["groups"]:
            for case in group["cases"]:
                if case["id"] in wanted:
                    wanted.discard(case["id"])
                    notes = {flag: value["notes"][flag] for flag in case["flags"]}
                    print(json.dumps({"suite": value["suite"], "op": group["op"], **case, "notes": notes}, indent=1))
    if wanted:
        raise Problem(f"there is no case {', '.join(sorted(wanted))}; `nostrmcp vectors list SUITE` lists them")
    return 0


def _copy(options: argparse.Namespace) -> int:
    source = vectors_folder()
    folder: Path = options.folder
    names = [source / name for name in TABLES]
    paths = [*names, *sorted((source / "schema").glob("*.json")), *suite_files(source)]
    targets = {path: folder / path.relative_to(source) for path in paths}
    try:
        differing = [one for path, one in targets.items() if one.exists() and one.read_bytes() != path.read_bytes()]
        if differing and not options.force:
            raise Problem(f"{differing[0]} exists and differs; --force writes over it")
        for path, target in targets.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    except OSError as problem:
        raise Problem(f"cannot write to {folder}: {problem.strerror or problem}") from None
    print(f"{len(targets)} files copied to {folder}")
    return 0


def _check(options: argparse.Namespace) -> int:
    from ..conformance.check import check
    from ..conformance.judge import Verdict

    suites = _chosen(options.suite)
    failures = 0
    total = 0
    if not options.json:
        print(f"{'file':30} {'cases':>7} {'passed':>7} {'failed':>7}")
    for suite in suites:
        outcomes = list(check(suite))
        wrong = [outcome for outcome in outcomes if outcome.judgement.verdict is not Verdict.PASS]
        failures += len(wrong)
        total += len(outcomes)
        if options.json:
            for outcome in outcomes:
                judgement = outcome.judgement
                row = _summary(outcome.case) | {"verdict": judgement.verdict.value, "detail": judgement.detail}
                print(json.dumps(row))
            continue
        print(f"{suite.name:30} {len(outcomes):7} {len(outcomes) - len(wrong):7} {len(wrong):7}")
        for outcome in wrong:
            print(f"  {outcome.case.id}: {outcome.case.title}: {outcome.judgement.detail}")
    print(f"{total - failures} passed, {failures} failed", file=sys.stderr if options.json else sys.stdout)
    return 1 if failures else 0
