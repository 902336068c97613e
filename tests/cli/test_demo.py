"""`nostrmcp demo`, as a user calls it."""

from __future__ import annotations

import json

import pytest

from nostrmcp.cli.main import main
from nostrmcp.nostr import event as events
from nostrmcp.revisions import REVISIONS


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_event_is_true_and_of_its_revision(revision: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--json", "--revision", revision]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    kinds = REVISIONS[revision].kinds
    messages = [row for row in rows if row["event"]["kind"] not in kinds.announcements.values()]
    for row in rows:
        events.from_value(row["event"]).verify()
        assert row["revision"] == revision and row["sender"] in ("client", "server")
    if kinds.wraps:
        assert all(row["event"]["kind"] in kinds.wraps and row["inner"]["sig"] for row in messages)
    else:
        assert all(row["inner"] is None for row in rows)
    said = [json.loads((row["inner"] or row["event"])["content"]) for row in messages if row["sender"] == "server"]
    text = json.dumps(said)
    assert '"42"' in text and "step 2" in text and "counted to 2" in text


def test_people_see_who_speaks_and_how(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--revision", "contextvm", "--revision", "dvmcp-rev1.1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("contextvm, encrypted\n  server -> anyone  kind 11316  name=Example support_encryption")
    assert "  client -> server  kind 25910 in 1059  p=" in out
    assert "\ndvmcp-rev1.1\n" in out and '{"method":"tools/list"}' in out
    assert out.count("the tools said: 42; counted to 2") == 2 and "\x1b" not in out


def test_plain_where_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--revision", "contextvm", "--plain"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("contextvm\n") and " in 1059" not in out and "support_encryption" not in out
