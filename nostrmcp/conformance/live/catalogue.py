"""All live checks, by the role of the testee."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...revisions import REVISIONS
from ...translate.route import Role
from . import client_checks, client_run, server_run
from .checks import Check, case_id

CHECKS: dict[Role, tuple[Check[Any], ...]] = {
    Role.SERVER: server_run.CHECKS,
    Role.CLIENT: client_checks.CHECKS,
}
RUNS: dict[Role, Any] = {Role.SERVER: server_run.ServerRun, Role.CLIENT: client_run.ClientRun}


def known_cases(role: Role) -> set[str]:
    """The ids of all checks in all revisions that they concern."""
    revisions = REVISIONS.values()
    return {case_id(check, one) for check in CHECKS[role] for one in revisions if check.requirements(one)}


def listed(names: Iterable[str], lowest: str) -> Iterator[dict[str, Any]]:
    """What there is to pass in these revisions, at this level and above, as rows for people and programs."""
    for revision in map(REVISIONS.__getitem__, names):
        for role, checks in CHECKS.items():
            for check in checks:
                if check.is_wanted(revision, lowest):
                    yield {
                        "case": case_id(check, revision),
                        "suite": f"{revision.name}/live-{role.value}",
                        "level": check.level(revision),
                        "title": check.title,
                        "hardening": check.is_hardening(revision),
                        "req": list(check.requirements(revision)),
                        "needs": [need.name.lower() for need in check.needs],
                        "scenario": check.scenario,
                    }
