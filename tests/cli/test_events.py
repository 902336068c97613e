"""`nostrmcp inspect` and `nostrmcp translate`, as a user calls them."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nostrmcp.cli.main import main
from nostrmcp.conformance.vectors import load_suites
from nostrmcp.nostr import SecretKey, UnsignedEvent, nip19, nip59
from nostrmcp.runtime.loopback import Record

SUITES = {suite.name: suite for suite in load_suites()}
BY_ID = {case.id: case for suite in SUITES.values() for case in suite.cases}
ALICE, BOB, ONCE = (SecretKey(bytes([number]) * 32) for number in (1, 2, 3))


def conforming(name: str) -> dict[str, object]:
    cases = SUITES[f"{name}/check"].cases
    event: dict[str, object] = next(case for case in cases if case.output == {"breaches": []}).input["event"]
    return event


def broken(name: str) -> tuple[dict[str, object], str]:
    """An event that can only be of this revision, and the one requirement that it breaks."""
    cases = (case for case in SUITES[f"{name}/check"].cases if case.input["event"]["kind"] in (5910, 6910))
    case = next(case for case in cases if case.output and len(case.output["breaches"]) == 1)
    assert case.output is not None
    return case.input["event"], case.output["breaches"][0]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "events.jsonl"


def test_a_sound_event(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    event = conforming("dvmcp-rev1")
    file.write_text(json.dumps(event), encoding="utf-8")
    assert main(["inspect", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"event     {event['id']}"
    assert any(line.startswith("revision  dvmcp-rev1 (kind 5910") for line in lines)
    assert any("the server that is addressed" in line for line in lines)


def test_of_what_a_relay_recorded_the_events_that_were_published(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    event = conforming("dvmcp-rev1")
    frames = [
        ("in", ["REQ", "a", {}]),
        ("in", ["EVENT", event]),
        ("out", ["EVENT", "a", event]),
        ("out", ["EOSE", "a"]),
    ]
    records = [Record(1.0, 1, way, json.dumps(frame).encode()).dump() for way, frame in frames]
    broken = Record(1.0, 1, "in", b'["EVENT",').dump()
    file.write_bytes(b"\n".join([*records, broken]))
    assert main(["inspect", "--json", str(file)]) == 1
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["id"], first["sound"]) == (event["id"], True)
    assert second["invalid"] is not None
    file.write_bytes(records[0])
    assert main(["inspect", str(file)]) == 2


def test_an_event_over_several_lines(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(json.dumps(conforming("dvmcp-rev1"), indent=2), encoding="utf-8")
    assert main(["inspect", str(file)]) == 0
    assert "INVALID" not in capsys.readouterr().out


def test_a_broken_requirement_is_told_in_words(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    event, req = broken("dvmcp-rev1")
    file.write_text(json.dumps(event), encoding="utf-8")
    assert main(["inspect", str(file)]) == 1
    (line,) = (line for line in capsys.readouterr().out.splitlines() if req in line)
    assert line.startswith(f"  BROKEN    {req}: ")
    assert "not in the ledger" not in line


def test_one_object_a_line_in_order_also_for_broken_ones(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    event, req = broken("dvmcp-rev1")
    text = "\n".join([json.dumps(conforming("contextvm")), "{", json.dumps(event)]) + "\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["inspect", "--json", "-"]) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["sound"] for row in rows] == [True, False, False]
    assert rows[1]["invalid"]["class"] == "invalid_json"
    (breach,) = rows[2]["readings"][0]["breaches"]
    assert breach["req"] == req and breach["text"].endswith(".")


def test_strangers_text_is_escaped(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tags = (("p", BOB.public_key.hex()), ("s", "\x1b[31mred\u202e"), ("method", "ping"))
    content = '{"method":"ping","params":{"text":"\x9b\u2066"}}'
    event = UnsignedEvent(ALICE.public_key.x, 1, 25910, tags, content).sign(ALICE, bytes(32))
    file.write_bytes(event.dump())
    main(["inspect", str(file)])
    out = capsys.readouterr().out
    assert "\\x1b[31mred\\u202e" in out
    assert not set("\x1b\x9b\u202e\u2066") & set(out)


@pytest.mark.parametrize("form", ["hex", "nsec"])
def test_wraps_are_opened_with_a_key_file(
    form: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tags = (("p", BOB.public_key.hex()),)
    inner = UnsignedEvent(ALICE.public_key.x, 1, 25910, tags, '{"jsonrpc":"2.0","id":1,"method":"ping"}')
    wrap = nip59.wrap(
        inner.sign(ALICE, bytes(32)), BOB.public_key, kind=1059, created_at=1, ephemeral_key=ONCE, nonce=bytes(32),
        aux_rand=bytes(32),
    )  # fmt: skip
    file.write_bytes(wrap.dump())
    key = tmp_path / "key"
    key.write_text((BOB.reveal().hex() if form == "hex" else nip19.encode(BOB)) + "\n", encoding="utf-8")
    assert main(["inspect", "--key-file", str(key), str(file)]) == 0
    assert "wrapped   in kind 1059; both signatures verify" in capsys.readouterr().out


@pytest.mark.parametrize("secret", ["", "nsec1qqq", "00" * 32, "npub", "zz", "ff" * 31])
def test_a_file_without_a_key_is_told_and_not_shown(
    secret: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(secret, encoding="utf-8")
    assert main(["inspect", "--key-file", str(file), str(file)]) == 2
    assert capsys.readouterr().err == f"nostrmcp: {file} does not hold a secret key as nsec or 64 hexadecimal digits\n"


def test_a_file_that_is_not_there_or_empty(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(file)]) == 2
    assert capsys.readouterr().err == f"nostrmcp: cannot read {file}: No such file or directory\n"
    file.write_text("\n\n", encoding="utf-8")
    assert main(["inspect", str(file)]) == 2
    assert capsys.readouterr().err == f"nostrmcp: there is no event in {file}\n"


def test_an_event_of_a_neighbour_is_named(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(UnsignedEvent(ALICE.public_key.x, 1, 31990, (), "{}").sign(ALICE, bytes(32)).dump())
    assert main(["inspect", str(file)]) == 0
    assert "looks like DVMCP before rev1" in capsys.readouterr().out


def test_translate(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    event = conforming("dvmcp-rev1")
    file.write_text(json.dumps(event), encoding="utf-8")
    assert main(["translate", "--to", "dvmcp-rev1.1", str(file)]) == 0
    captured = capsys.readouterr()
    carried = json.loads(captured.out)
    assert (carried["kind"], carried["pubkey"]) == (25910, event["pubkey"])
    assert "jsonrpc" not in json.loads(carried["content"])
    assert captured.err == "lost: JSON-RPC ids: the request's event id takes their place\n"


def test_translate_for_machines(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(json.dumps(conforming("dvmcp-rev1")), encoding="utf-8")
    assert main(["translate", "--json", "--from", "dvmcp-rev1", "--to", "contextvm", str(file)]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["from"], row["to"], row["event"]["kind"]) == ("dvmcp-rev1", "contextvm", 25910)
    assert row["losses"] == ["the identifier of the server: one key is one server"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"{", "it cannot be translated: invalid_json"),
        (UnsignedEvent(ALICE.public_key.x, 1, 1, (), "").sign(ALICE, bytes(32)).dump(), "its revision is none"),
        (
            UnsignedEvent(
                ALICE.public_key.x, 1, 25910, (("p", BOB.public_key.hex()),), '{"jsonrpc":"2.0","id":1,"method":"x"}'
            ).sign(ALICE, bytes(32)).dump(),
            "its revision is ctxvm-draft or contextvm: say which with --from",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_translated(data: bytes, why: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(data)
    assert main(["translate", "--to", "dvmcp-rev1", str(file)]) == 2
    assert why in capsys.readouterr().err


def test_a_broken_first_line_hides_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    event = json.dumps(conforming("contextvm"))
    file.write_text(f"garbage\n\n{event}\n{event}\n", encoding="utf-8")
    assert main(["inspect", "--json", str(file)]) == 1
    assert [json.loads(line)["sound"] for line in capsys.readouterr().out.splitlines()] == [False, True, True]
    assert main(["inspect", str(file)]) == 1
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("line ")]
    assert shown == ["line 1", "line 3", "line 4"]


def test_what_is_no_must_is_advice(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}'
    event = UnsignedEvent(ALICE.public_key.x, 1, 6910, (("p", "nobody"), ("e", "00" * 32)), content).sign(
        ALICE, bytes(32)
    )
    file.write_bytes(event.dump())
    assert main(["inspect", str(file)]) == 0
    assert "  advice    HOUSE-ROUTE-01: " in capsys.readouterr().out


def test_an_initialize_response_without_d_is_broken(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = {"protocolVersion": "2025-03-26", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}
    content = json.dumps({"jsonrpc": "2.0", "id": 1, "result": result})
    event = UnsignedEvent(ALICE.public_key.x, 1, 6910, (("e", "00" * 32),), content).sign(ALICE, bytes(32))
    file.write_bytes(event.dump())
    assert main(["inspect", str(file)]) == 1
    assert "R1-TAG-11" in capsys.readouterr().out


def test_direction_and_method_are_told(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tags = (("p", BOB.public_key.hex()),)
    content = '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}'
    file.write_bytes(UnsignedEvent(ALICE.public_key.x, 1, 25910, tags, content).sign(ALICE, bytes(32)).dump())
    assert main(["inspect", str(file)]) == 0
    told = "  notification-to-server, from client to server, method notifications/roots/list_changed"
    assert told in capsys.readouterr().out.splitlines()


def test_a_wrap_for_somebody_else_is_sound(file: Path, tmp_path: Path) -> None:
    inner = UnsignedEvent(ALICE.public_key.x, 1, 25910, (), "{}").sign(ALICE, bytes(32))
    wrap = nip59.wrap(
        inner, BOB.public_key, kind=1059, created_at=1, ephemeral_key=ONCE, nonce=bytes(32), aux_rand=bytes(32)
    )
    file.write_bytes(wrap.dump())
    key = tmp_path / "key"
    key.write_text(ALICE.reveal().hex(), encoding="utf-8")
    assert main(["inspect", "--key-file", str(key), str(file)]) == 0


def test_a_terminal_that_knows_only_ascii(file: Path) -> None:
    tags = (("p", BOB.public_key.hex()), ("s", "\u65e5\u672c"), ("method", "ping"))
    event = UnsignedEvent(ALICE.public_key.x, 1, 25910, tags, '{"method":"ping"}').sign(ALICE, bytes(32))
    file.write_bytes(event.dump())
    result = subprocess.run(
        [sys.executable, "-m", "nostrmcp", "inspect", str(file)], capture_output=True, check=False,
        cwd=Path(__file__).resolve().parents[2], env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert b"\\u65e5\\u672c" in result.stdout
    assert result.stderr == b""
