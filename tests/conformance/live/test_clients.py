"""Live checks of clients: the right ones pass all, and each check is failed by a wrong one, for its own reason."""

from __future__ import annotations

import pytest

from nostrmcp.conformance.live.client_checks import CHECKS
from nostrmcp.conformance.live.server_bench import Timing
from nostrmcp.conformance.verdicts import Exit
from nostrmcp.revisions import REVISIONS

from .helpers import run_client
from .simple_client import SimpleClient, WrappingClient
from .zoo.clients import MEMBERS, Member

pytestmark = pytest.mark.slow
IMPATIENT = Timing(answer=1.5, start=3, quiet=0.05, work=2)
NEED_WRAPS = {"live-client-stays-wrapped", "live-client-wrapped-forgery"}


@pytest.mark.parametrize("client", [SimpleClient, WrappingClient])
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_right_client_passes_every_check(revision: str, client: type[SimpleClient]) -> None:
    code, results = run_client(client, revision)
    concerned = {check.name for check in CHECKS if check.requirements(REVISIONS[revision])}
    absent = set() if client.wraps or not REVISIONS[revision].kinds.wraps else NEED_WRAPS
    assert {name: one.get("detail") for name, one in results.items() if one["status"] != "pass"} == dict.fromkeys(
        absent, "the client does not encrypt"
    )
    assert set(results) == concerned
    assert code is Exit.CONFORMING


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_a_wrong_client_fails_its_checks(member: Member) -> None:
    # The check of the wire is about what the others heard.
    also = ("live-client-call",) if "live-client-wire" in member.fails else ()
    _, results = run_client(member.client, member.revision, *member.fails, *also, timing=IMPATIENT)
    found = {name: one["status"] for name, one in results.items() if name not in also}
    assert found == dict.fromkeys(member.fails, "fail"), {name: one.get("detail") for name, one in results.items()}


def test_every_check_is_failed_by_a_wrong_client() -> None:
    failed = {name for member in MEMBERS for name in member.fails}
    assert {check.name for check in CHECKS} - failed == set()
