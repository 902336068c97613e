"""Live runs as a whole: relays of others, revisions found out, testees that do not start, baselines, the command."""

from __future__ import annotations

import asyncio
import json
import secrets
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from nostrmcp.cli.main import main
from nostrmcp.conformance.baseline import Expectation
from nostrmcp.conformance.live import wire
from nostrmcp.conformance.live.catalogue import CHECKS, known_cases
from nostrmcp.conformance.live.checks import Need
from nostrmcp.conformance.live.run import Live
from nostrmcp.conformance.live.server_bench import Timing
from nostrmcp.conformance.live.server_run import ServerRun
from nostrmcp.conformance.render import words as words_of_reports
from nostrmcp.conformance.selection import requirements
from nostrmcp.conformance.stream import checked
from nostrmcp.conformance.verdicts import Exit, Status
from nostrmcp.mcp.jsonrpc import Message, Request, Result
from nostrmcp.nostr import Event, SecretKey
from nostrmcp.revisions import REVISIONS
from nostrmcp.runtime.loopback import LoopbackRelay
from nostrmcp.translate.check import Breach
from nostrmcp.translate.route import RequestReference, Role

from .helpers import HINTS, QUICK, run_client, run_server
from .simple_client import SimpleClient
from .simple_server import SimpleServer

pytestmark = pytest.mark.slow
FOLDER = Path(__file__).resolve().parent


def over_a_foreign_relay(
    revision: str, *revisions: str, server: Any = SimpleServer, timing: Timing = QUICK, cases: tuple[str, ...] = ()
) -> list[dict[str, Any]]:
    """The stream of a run against a server that is there already, over a relay that is not the runner's."""

    async def run() -> list[dict[str, Any]]:
        lines: list[dict[str, Any]] = []
        key = SecretKey(secrets.token_bytes(32))
        async with LoopbackRelay() as relay:
            serving = asyncio.create_task(server(key, REVISIONS[revision], "my-server", relay.url).run())
            live = Live(
                Role.SERVER, "it", ("live",), revisions=tuple(REVISIONS[one] for one in revisions), url=relay.url,
                pubkey=key.public_key.x, timing=timing, hints=HINTS, cases=cases,
            )  # fmt: skip
            await ServerRun(live, lines.append).run(lambda done, total: None)
            serving.cancel()
        return lines

    return asyncio.run(run())


@pytest.mark.parametrize("revision", REVISIONS)
def test_over_a_relay_of_somebody_else_what_needs_control_is_not_run(revision: str) -> None:
    lines = over_a_foreign_relay(revision, revision)
    by_name = {check.name: check for check in CHECKS[Role.SERVER]}
    for line in lines[1:-1]:
        controlled = {Need.CONTROL, Need.COMMAND} & set(by_name[line["op"]].needs)
        assert (line["op"], line["status"]) == (line["op"], Status.NOT_RUN if controlled else Status.PASS)
    assert lines[-1]["exit"] == Exit.CONFORMING
    assert lines[-1]["verdict"] == "partial"


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_revision_is_found_out(revision: str) -> None:
    impatient = Timing(answer=0.3, quiet=0.02)
    lines = over_a_foreign_relay(revision, timing=impatient, cases=("live-server-ping",))
    assert {line["suite"] for line in lines[1:-1]} == {f"{revision}/live-server"}


class Mute(SimpleServer):
    def take(self, event: Event) -> None:
        pass


def test_a_server_that_never_speaks_is_not_scored() -> None:
    lines = over_a_foreign_relay("contextvm", "contextvm", server=Mute, timing=Timing(answer=0.3, start=0.3))
    assert {line["status"] for line in lines[1:-1]} == {Status.NOT_RUN}
    assert lines[-1]["exit"] == Exit.NOT_RUN
    assert lines[-1]["aborted"] == "no initialize in contextvm was answered"


class RequiresEncryption(SimpleServer):
    forms = (1059, 21059)


class KnowsNoEncryption(SimpleServer):
    forms = (None,)


@pytest.mark.parametrize(
    ("server", "absent"),
    [
        (RequiresEncryption, {"plain", "plain-and-wrapped", "forged", "bad-copy-first", "wrong-recipient"}),
        (
            KnowsNoEncryption,
            {
                "wrapped", "wrapped-ephemeral", "encrypted-stays", "rewrapped", "plain-and-wrapped",
                "rewrapped-for-another", "inner-kind", "inner-forged", "inner-changed", "inner-unsigned", "sealed",
            },
        ),
    ],
)  # fmt: skip
def test_policies_of_encryption(server: Any, absent: set[str]) -> None:
    code, results = run_server(server, "contextvm", timing=QUICK)
    others = {name: one.get("detail") for name, one in results.items() if one["status"] != "pass"}
    assert set(others) == {f"live-server-{one}" for one in absent}
    assert {results[name]["status"] for name in others} == {Status.NOT_OFFERED}
    assert code is Exit.CONFORMING


class ToolsOnly(SimpleServer):
    page = 100
    announces = False

    def initialized(self, params: dict[str, Any]) -> dict[str, Any]:
        return super().initialized(params) | {"capabilities": {"tools": {}}}

    def listen(self, request: Request, *rest: Any) -> Message | None:
        from nostrmcp.mcp.jsonrpc import Error

        return Error(request.id, -32601, "no")


def test_what_a_server_does_not_offer_is_skipped_and_what_needs_a_hint_is_not_run() -> None:
    code, results = run_server(ToolsOnly, "contextvm", hints={})
    skipped = {name.removeprefix("live-server-") for name, one in results.items() if one["status"] == "not-offered"}
    not_run = {name.removeprefix("live-server-") for name, one in results.items() if one["status"] == "not-run"}
    assert skipped == {
        "announcement", "announced-lists", "paging", "resource", "unknown-resource", "prompt", "listen-draft",
        "listen-2026", "listen-again", "listen-without-meta",
    }  # fmt: skip
    assert not_run == {
        "failed-call", "progress", "two-clients-progress", "cancel", "cancel-foreign", "cancel-own-id", "payment",
        "payment-once", "duplicate-work",
    }  # fmt: skip
    assert {one["status"] for one in results.values()} == {"pass", "not-offered", "not-run"}
    assert code is Exit.CONFORMING


class AnswersThePing(SimpleServer):
    async def answer(self, request: Request, inner: Event, form: Any, reference: RequestReference) -> Message | None:
        if request.method == "ping":
            return Result(request.id, {"pong": True})
        return await super().answer(request, inner, form, reference)


def test_a_baseline_expects_by_revision() -> None:
    known = {"cvm-live-server-ping": Expectation("cvm-live-server-ping", Status.FAIL, "it says pong", None)}
    case = ("live-server-ping",)
    code, results = run_server(AnswersThePing, "contextvm", *case, baseline=known)
    assert (code, results[case[0]]["verdict"]) == (Exit.CONFORMING, "EXPECTED")
    code, results = run_server(AnswersThePing, "ctxvm-draft", *case, baseline=known)
    assert (code, results[case[0]]["verdict"]) == (Exit.VIOLATIONS, "FAIL")
    code, results = run_server(SimpleServer, "contextvm", *case, baseline=known)
    assert (code, results[case[0]]["verdict"]) == (Exit.STALE, "STALE")


def test_hardening_warns_and_fails_only_where_it_is_strict() -> None:
    class Old(SimpleServer):
        def is_fresh(self, inner: Event) -> bool:
            return True

    code, results = run_server(Old, "contextvm", "live-server-stale")
    assert (code, results["live-server-stale"]["verdict"]) == (Exit.CONFORMING, "WARN")
    assert results["live-server-stale"]["hardening"] is True
    code, _ = run_server(Old, "contextvm", "live-server-stale", strict=True)
    assert code is Exit.VIOLATIONS


def test_what_we_send_wrongly_is_our_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    true = wire.check.check

    def check(event: Event, *rest: Any) -> tuple[Breach, ...]:
        return (Breach("CVM-TAG-01", "event", "of ours"),) if '"ping"' in event.content else true(event, *rest)

    monkeypatch.setattr(wire.check, "check", check)
    code, results = run_server(SimpleServer, "contextvm", "live-server-ping")
    assert results["live-server-ping"]["status"] == Status.DEFECT
    assert "the runner sent what is wrong: CVM-TAG-01" in results["live-server-ping"]["detail"]
    assert code is Exit.DEFECT


def test_a_check_that_breaks_is_our_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nostrmcp.conformance.live.server_bench.ServerBench.client", lambda self: 1 / 0)
    code, results = run_server(SimpleServer, "contextvm", "live-server-ping")
    assert results["live-server-ping"]["detail"] == "the check broke: ZeroDivisionError: division by zero"
    assert code is Exit.DEFECT


class Uninterested(SimpleClient):
    async def run(self) -> int:
        return 77


class Dumb(SimpleClient):
    async def run(self) -> int:
        return 0


def test_a_client_that_has_a_scenario_not_is_skipped() -> None:
    class NoListen(SimpleClient):
        async def work(self) -> int:
            return 77 if self.scenario == "listen" else await super().work()

    code, results = run_client(NoListen, "dvmcp-rev1.1")
    skipped = {name for name, one in results.items() if one["status"] == "not-offered"}
    assert skipped == {"live-client-listen", "live-client-listen-foreign"}
    assert code is Exit.CONFORMING


@pytest.mark.parametrize("client", [Uninterested, Dumb])
def test_a_client_that_never_speaks_is_not_scored(client: Any) -> None:
    code, _ = run_client(client, "contextvm")
    assert code is Exit.NOT_RUN


# The catalogue


def test_checks_name_known_requirements_and_have_unique_names() -> None:
    for checks in CHECKS.values():
        names = [check.name for check in checks]
        assert len(names) == len(set(names))
        for check in checks:
            assert set(check.req) <= set(requirements()), check.name
            assert any(check.requirements(one) for one in REVISIONS.values()), check.name
            assert check.title and check.harm


def test_every_requirement_that_a_check_names_is_shown_by_it_in_some_revision() -> None:
    for checks in CHECKS.values():
        for check in checks:
            shown = {one for revision in REVISIONS.values() for one in check.requirements(revision)}
            assert shown == set(check.req), check.name


# The command


def nostrmcp(*words: str) -> int:
    return main(["conformance", "live", *words])


SERVER = f"{sys.executable} {FOLDER / 'server_program.py'}"
CLIENT = f"{sys.executable} {FOLDER / 'client_program.py'}"


def test_a_program_is_started_told_and_tested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stream = tmp_path / "run.jsonl"
    code = nostrmcp(
        "server", "--command", SERVER, "--revision", "dvmcp-rev1.1", "--revision", "contextvm", "--report",
        f"json={stream}", f"junit={tmp_path / 'run.xml'}", f"html={tmp_path / 'run.html'}", f"md={tmp_path / 'run.md'}",
        "--hint", "slow=slow:{}", "--hint", "error=fail", "--hint", "paid=paid", "--case", "live-server-ping",
        "--case", "cvm-live-server-wrapped", "--case", "live-server-cancel", "--case", "live-server-before-start",
    )  # fmt: skip
    assert code == Exit.CONFORMING
    with stream.open(encoding="utf-8") as file:
        lines = list(checked(file))
    assert sorted(line["case"] for line in lines[1:-1]) == [
        "cvm-live-server-before-start", "cvm-live-server-cancel", "cvm-live-server-ping", "cvm-live-server-wrapped",
        "r11-live-server-before-start", "r11-live-server-cancel", "r11-live-server-ping",
    ]  # fmt: skip
    assert lines[0]["again"][:4] == ["nostrmcp", "conformance", "live", "server"]
    assert "conforming" in capsys.readouterr().out
    for name in ("run.xml", "run.html", "run.md"):
        assert (tmp_path / name).stat().st_size > 100


def test_a_client_program_is_started_told_and_tested(capsys: pytest.CaptureFixture[str]) -> None:
    assert nostrmcp("client", "--command", CLIENT, "--revision", "dvmcp-rev1", "--case", "live-client-two") == 0
    assert "dvmcp-rev1" in capsys.readouterr().out


def test_the_revision_of_a_client_is_found_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert nostrmcp("client", "--command", f"{CLIENT} dvmcp-rev1", "--case", "live-client-two") == 0
    assert "dvmcp-rev1" in capsys.readouterr().out


def test_a_first_message_that_fits_several_revisions_asks_for_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert nostrmcp("client", "--command", f"{CLIENT} contextvm", "--case", "live-client-two") == Exit.NOT_RUN
    assert "its first message fits ctxvm-draft, contextvm: give --revision" in capsys.readouterr().out


def test_a_failure_tells_requirement_harm_and_how_to_see_it_again(capsys: pytest.CaptureFixture[str]) -> None:
    code = nostrmcp("server", "--command", f"{SERVER} Wrongly(ping)", "--revision", "contextvm", "--case",
                    "live-server-ping", "--json")  # fmt: skip
    assert code == Exit.VIOLATIONS
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    result = lines[1]
    assert result["requirements"] == {"CVM-PING-01": requirements()["CVM-PING-01"]["text"]}
    assert result["notes"] == ["clients take a living server for dead"]
    assert (result["expected"], result["actual"]) == ("{}", '{"pong": true}')
    assert any(direction == "testee" and "pong" in line for direction, line in result["wire"])


def test_the_command_that_is_told_has_all_that_the_outcome_depends_on(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--hint", 'call=echo:{"text": "a b"}', "--hint", "slow=slow", "--seed", "7", "--timeout", "4.5",
               "--start-timeout", "50", "--quiet", "0.02", "--strict", "--server-id", "mine"]  # fmt: skip
    revisions = ["--revision", "contextvm", "--revision", "dvmcp-rev1.1"]
    cases = ["--case", "live-server-ping", "--case", "live-server-cancel"]
    command = ["--command", f"{SERVER} Wrongly(ping)"]
    assert nostrmcp("server", *command, *options, *revisions, *cases, "--json") == Exit.VIOLATIONS
    first = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (failed,) = [line for line in first if line.get("case") == "cvm-live-server-ping"]
    told = shlex.split(words_of_reports.rerun(first[0], failed))
    assert told[:4] == ["nostrmcp", "conformance", "live", "server"]
    again = [*command, *options, "--revision", "contextvm", "--case", "cvm-live-server-ping"]
    assert sorted(told[4:]) == sorted(again)
    assert main([*told[1:], "--json"]) == Exit.VIOLATIONS
    header, once_more, _ = map(json.loads, capsys.readouterr().out.splitlines())
    assert words_of_reports.rerun(header, once_more) == words_of_reports.rerun(first[0], failed)
    same = ("case", "status", "verdict", "detail", "expected", "actual")
    assert {one: once_more[one] for one in same} == {one: failed[one] for one in same}


def test_only_hardening_is_no_score(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--revision", "contextvm", "--case", "live-server-garbage"]
    assert nostrmcp("server", "--command", SERVER, *words) == Exit.CONFORMING
    told = "no violation, but nothing was run that counts in a score"
    assert capsys.readouterr().out.splitlines()[-1].endswith(f": {told}")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["server"], "give --command, or --relay and --pubkey"),
        (["server", "--relay", "ws://127.0.0.1:1"], "give --command, or --relay and --pubkey"),
        (["server", "--relay", "ws://127.0.0.1:1", "--pubkey", "x"], "is no public key"),
        (["server", "--command", "x", "--case", "no-such"], "there is no check no-such"),
        (["server", "--command", "x", "--hint", "slow"], "--hint slow: write one of"),
        (["server", "--command", "x", "--hint", "slow=tool:[1]"], "--hint slow=tool:[1]: write one of"),
        (["server", "--command", "x", "--hint", "swift=tool:{}"], "--hint swift=tool:{}: write one of"),
        (["server", "--command", "'x"], "--command 'x: No closing quotation"),
        (["server", "--command", ""], "--command is empty"),
    ],
)
def test_usage(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert nostrmcp(*words) == Exit.USAGE
    assert told in capsys.readouterr().err


def test_a_baseline_of_unknown_checks_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "baseline.toml"
    path.write_text('[[expect]]\ncase = "cvm-live-server-nothing"\nstatus = "fail"\nreason = "x"\n')
    assert nostrmcp("server", "--command", "x", "--baseline", str(path)) == Exit.USAGE
    assert "cvm-live-server-nothing" in capsys.readouterr().err


@pytest.mark.parametrize("side", ["server", "client"])
@pytest.mark.parametrize("command", ["/no/such/program", f"{sys.executable} -c 'raise SystemExit(9)'"])
def test_what_cannot_be_started_is_not_run(side: str, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = nostrmcp(side, "--command", command, "--revision", "contextvm", "--case", f"live-{side}-wire", "--case",
                    "live-client-call" if side == "client" else "live-server-ping")  # fmt: skip
    assert code == Exit.NOT_RUN


def test_known_cases_are_of_the_revisions_that_a_check_concerns() -> None:
    cases = known_cases(Role.SERVER)
    assert "cvm-live-server-wrapped" in cases
    assert "r1-live-server-wrapped" not in cases
    assert "r1-live-server-method-mismatch" in cases
    assert "cvm-live-server-method-mismatch" not in cases


def test_the_checks_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert nostrmcp("list", "--json") == Exit.CONFORMING
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["case"] for row in rows} == known_cases(Role.SERVER) | known_cases(Role.CLIENT)
    assert nostrmcp("list", "--json", "--revision", "contextvm", "--level", "SHOULD") == Exit.CONFORMING
    strict = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert strict == [row for row in rows if row["suite"].startswith("contextvm/") and row["level"] != "MAY"]
    assert nostrmcp("list", "--revision", "contextvm") == Exit.CONFORMING
    lines = capsys.readouterr().out.splitlines()
    (line,) = [line for line in lines if line.startswith("cvm-live-server-payment-once ")]
    assert line.endswith(" MUST             One request event is charged for once (needs paid, control)")
