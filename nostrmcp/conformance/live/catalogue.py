"""All live checks, by the role of the testee."""

from __future__ import annotations

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
