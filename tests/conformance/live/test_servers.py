"""Live checks of servers: the right one passes all, and each check is failed by a wrong one, for its own reason."""

from __future__ import annotations

import pytest

from nostrmcp.conformance.live.server_bench import Timing
from nostrmcp.conformance.live.server_run import CHECKS
from nostrmcp.conformance.verdicts import Exit
from nostrmcp.revisions import REVISIONS

from .helpers import run_server
from .simple_server import SimpleServer
from .zoo.servers import MEMBERS, Member

pytestmark = pytest.mark.slow
IMPATIENT = Timing(answer=1.5, start=3, quiet=0.05, work=2)


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_right_server_passes_every_check(revision: str) -> None:
    code, results = run_server(SimpleServer, revision)
    concerned = {check.name for check in CHECKS if check.requirements(REVISIONS[revision])}
    assert {name: one.get("detail") for name, one in results.items() if one["status"] != "pass"} == {}
    assert set(results) == concerned
    assert code is Exit.CONFORMING


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_a_wrong_server_fails_its_checks(member: Member) -> None:
    _, results = run_server(member.server, member.revision, *member.fails, timing=IMPATIENT)
    assert {name: one["status"] for name, one in results.items()} == dict.fromkeys(member.fails, member.status), {
        name: one.get("detail") for name, one in results.items()
    }


def test_every_check_is_failed_by_a_wrong_server() -> None:
    failed = {name for member in MEMBERS for name in member.fails}
    assert {check.name for check in CHECKS} - failed == set()
