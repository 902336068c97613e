"""The benchmark runs and reports; what it measures is not judged here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).with_name("bench.py")
PROJECT = BENCH.parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    return subprocess.run([sys.executable, str(BENCH), *arguments], capture_output=True, text=True, env=environment)


@pytest.mark.parametrize("way", [(), ("--public-api",)], ids=["C functions", "public API"])
def test_every_row_is_reported(tmp_path: Path, way: tuple[str, ...]) -> None:
    report = tmp_path / "bench.json"
    groups = ("sign", "verify", "receive", "build", "wrap", "unwrap", "refuse", "codec", "session")
    only = [argument for group in groups for argument in ("--only", group)]
    finished = run("--rounds", "1", "--json", str(report), *only, *way)
    assert finished.returncode == 0, finished.stderr
    results = json.loads(report.read_text())["results"]
    assert {one["subject"].split()[0].rstrip(":") for one in results} == set(groups)
    for one in results:
        assert one["ratio"] == pytest.approx(one["microseconds"] / one["baseline_microseconds"])
        assert one["verdict"] in (("",) if way or not one["target"] else ("ok", "MISSED"))
        assert one["subject"] in finished.stdout


@pytest.mark.slow
def test_what_a_server_holds_is_reported(tmp_path: Path) -> None:
    report = tmp_path / "bench.json"
    finished = run("--rounds", "1", "--json", str(report), "--only", "held", "--only", "memory")
    assert finished.returncode == 0, finished.stderr
    value = json.loads(report.read_text())
    assert [one["subject"] for one in value["results"]] == [
        f"held: {what} {count}"
        for what in ("sessions", "pending requests", "subscriptions")
        for count in ("1,000", "10,000")
    ]
    assert {one["target"] for one in value["results"]} == {"at most 1.15"}
    (memory,) = value["memory"]
    assert memory["verdict"] == ("ok" if memory["bytes"] <= memory["target"] == 4096 else "MISSED")
    assert f"{memory['subject']}: {memory['bytes']:,.0f} B" in finished.stdout
    assert "of 7 targets missed" in finished.stdout


@pytest.mark.slow
def test_the_speed_of_the_conformance_runner_is_reported(tmp_path: Path) -> None:
    report = tmp_path / "bench.json"
    finished = run("--json", str(report), "--only", "runner")
    assert finished.returncode == 0, finished.stderr
    (rate,) = json.loads(report.read_text())["rates"]
    assert rate["verdict"] == ("ok" if rate["per_second"] >= rate["target"] == 2000 else "MISSED")
    assert f"{rate['subject']}: {rate['per_second']:,.0f} a second" in finished.stdout


@pytest.mark.slow
def test_calls_deliveries_and_the_start_are_reported(tmp_path: Path) -> None:
    report = tmp_path / "bench.json"
    only = [argument for group in ("call", "relay", "start") for argument in ("--only", group)]
    finished = run("--rounds", "1", "--json", str(report), *only)
    assert finished.returncode == 0, finished.stderr
    value = json.loads(report.read_text())
    calls = [one for one in value["results"] if one["subject"].startswith("call: ")]
    assert [(one["subject"], one["target"]) for one in calls] == [
        (f"call: {in_flight} in flight, {mode}, ours", "at most 1.60")
        for mode in ("plain", "encrypted")
        for in_flight in (1, 64)
    ]
    deliveries = [one for one in value["results"] if one["subject"].startswith("relay: ")]
    assert [one["subject"] for one in deliveries] == [
        f"relay: a delivery to {count}, our relay" for count in ("1", "100", "1,000") for _ in range(2)
    ]
    for one in deliveries:
        assert one["target"] == "at least 0.80"
        assert one["ratio"] == pytest.approx(one["baseline_microseconds"] / one["microseconds"])
    (delay,) = value["delays"]
    assert delay["verdict"] == ("ok" if delay["milliseconds"] <= delay["target"] == 60 else "MISSED")
    assert f"{delay['subject']}: {delay['milliseconds']:.1f} ms" in finished.stdout


@pytest.mark.slow
def test_callers_that_are_not_installed_are_named(tmp_path: Path) -> None:
    finished = run("--rounds", "1", "--only", "call", "--peers", "--peers-dir", str(tmp_path))
    assert finished.returncode == 0, finished.stderr
    for name in ("official Python SDK over stdio", "@contextvm/sdk on node", "@contextvm/sdk on bun"):
        assert f"{name}: not installed" in finished.stdout


def test_strict_fails_only_on_a_missed_target() -> None:
    finished = run("--rounds", "1", "--only", "verify", "--strict")
    assert finished.returncode == (1 if "MISSED" in finished.stdout else 0), finished.stderr


def test_peers_that_are_not_installed_are_named(tmp_path: Path) -> None:
    finished = run("--rounds", "1", "--only", "verify", "--peers", "--peers-dir", str(tmp_path))
    assert finished.returncode == 0, finished.stderr
    assert "nostr-tools on node: not installed" in finished.stdout
    assert "nostr-tools on bun: not installed" in finished.stdout


def test_wrong_arguments_are_explained() -> None:
    finished = run("--rounds", "0")
    assert finished.returncode == 2
    assert "--rounds is at least 1" in finished.stderr
    finished = run("--json", "no/such/folder/bench.json")
    assert finished.returncode == 2
    assert "there is no folder" in finished.stderr
