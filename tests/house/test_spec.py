"""The pages of spec/ hold what they say they hold."""

from __future__ import annotations

import importlib.util
import re
import shutil
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from nostrmcp.conformance.vectors import load_suites
from nostrmcp.revisions import REVISIONS
from nostrmcp.session.machine import MACHINES, Machine

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "spec"
PAGES = [SPEC / f"{name}.md" for name in REVISIONS]
CASE = "```json case=r1-encode-tools-call pointer=/output/event"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("spec_make", SPEC / "make.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = _load()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A tree with pages of its own and the package and vectors of this one."""
    shutil.copytree(SPEC, tmp_path / "spec", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("nostrmcp", "vectors"):
        (tmp_path / name).symlink_to(ROOT / name, target_is_directory=True)
    return tmp_path


def _page(root: Path, text: str) -> Path:
    path = root / "spec" / "page.md"
    path.write_text(text, encoding="utf-8")
    return path


def test_no_page_is_out_of_date() -> None:
    assert [path.name for path in make.outdated(ROOT)] == []


def test_check_says_so_and_writes_nothing(
    copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(make, "ROOT", copy)
    for path, text in make.outdated(copy).items():
        path.write_text(text, encoding="utf-8")
    assert make.main(["--check"]) == 0
    page = _page(copy, f"{CASE}\n```\n")
    assert make.main(["--check"]) == 1
    assert capsys.readouterr().err.startswith("spec/page.md is out of date")
    assert page.read_text(encoding="utf-8") == f"{CASE}\n```\n"
    assert make.main([]) == 0
    assert capsys.readouterr().out == "wrote spec/page.md\n"
    assert make.main(["--check"]) == 0
    _page(copy, "```json\n{}\n```\n")
    assert make.main([]) == 1
    assert capsys.readouterr().err == "page.md:1: a json fence needs case=ID pointer=POINTER\n"


def test_a_changed_fence_is_reported(copy: Path) -> None:
    page = copy / "spec" / "dvmcp-rev1.md"
    whole = page.read_text(encoding="utf-8")
    assert '"kind": 5910,' in whole
    page.write_text(whole.replace('"kind": 5910,', '"kind": 5911,'), encoding="utf-8")
    assert make.outdated(copy)[page] == make.refreshed(whole, page.name, copy, make.cases(copy / "vectors"))


@pytest.mark.parametrize(
    ("fence", "said"),
    [
        ("```json\n{}\n```", "a json fence needs case"),
        ("```json pointer=/output\n{}\n```", "a json fence needs case"),
        ("```python\npass\n```", "a python fence needs include"),
        ("```json case=no-such-case pointer=/output\n```", "there is no case no-such-case"),
        ("```json case=r1-encode-tools-call pointer=/output/nothing\n```", "nothing is at /output/nothing"),
        ("```json case=r1-encode-tools-call pointer=/output/event/tags/9\n```", "nothing is at /output/event/tags/9"),
        ("```python include=nostrmcp.no.such:thing\n```", "there is no module nostrmcp.no.such"),
        ("```python include=tests.house.test_spec:make\n```", "there is no module tests.house.test_spec"),
        ("```python include=nostrmcp.translate.codec:nothing\n```", "there is no nothing in nostrmcp.translate.codec"),
        ("```python include=nostrmcp.revisions.contextvm:REVISION.no\n```", "there is no REVISION.no in"),
        (CASE, "the fence does not end"),
    ],
)
def test_a_wrong_fence_is_reported(copy: Path, fence: str, said: str) -> None:
    _page(copy, f"# Title\n\n{fence}\n")
    with pytest.raises(make.PageError, match=re.escape(f"page.md:3: {said}")):
        make.outdated(copy)


def test_other_fences_are_left_alone(copy: Path) -> None:
    page = _page(copy, "```\nanything\n```\n\n```sh\nls\n```\n")
    assert page not in make.outdated(copy)


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("nostrmcp.translate.codec:encode", "def encode(", "    return UnsignedEvent("),
        ("nostrmcp.translate.codec:Decoded", "class Decoded(", "    request_event_id: "),
        ("nostrmcp.revisions.model:Revision.ids_travel", "@property", "    return self.envelope"),
        ("nostrmcp.revisions.model:LIST_MEMBERS", "LIST_MEMBERS = {", "}"),
        ("nostrmcp.revisions.contextvm:REVISION.kinds", "kinds = Kinds(", ")"),
        ("nostrmcp.revisions.dvmcp_rev1:REVISION.tags.REQUEST", "MessageClass.REQUEST: (", ")"),
        ("nostrmcp.revisions.dvmcp_rev1:REVISION.params.notifications/cancel", '"notifications/cancel": ', '"notifi'),
    ],
)
def test_source_is_included_by_name(name: str, first: str, last: str) -> None:
    lines = make.included(name, ROOT).splitlines()
    assert lines[0].startswith(first)
    assert lines[-1].startswith(last)


TABLE = "<!-- defaults: nostrmcp.session.settings:PaymentPolicy{} -->\n\n| setting | default |\n| --- | --- |\n{}"


def test_settings_are_filled_in(copy: Path) -> None:
    page = _page(copy, TABLE.format("", "| `pay` | yes |\n| `above_price` |  | why |\n"))
    filled = TABLE.format("", "| `pay` | no |\n| `above_price` | no | why |\n")
    assert make.outdated(copy)[page] == filled
    page = _page(copy, TABLE.format(" pay", "| `pay` | no |\n| `else` | as it is |\n"))
    assert page not in make.outdated(copy)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (TABLE.format("", "| `pay` | no |\n"), "page.md: the last table of settings has no above_price"),
        (
            TABLE.format("", "| `pay` | no |\n| `other` | no |\n"),
            "page.md:6: the table of settings before this has no above",
        ),
        (
            TABLE.format("", "| `pay` | no |\n\n```sh\n```\n"),
            "page.md:7: the table of settings before this has no above",
        ),
        (TABLE.format(" nothing", ""), "page.md:1: PaymentPolicy has no nothing"),
        (TABLE.format("", "").replace("Policy", "Police"), "page.md:1: there is no PaymentPolice in"),
    ],
)
def test_a_wrong_table_of_settings_is_reported(copy: Path, table: str, said: str) -> None:
    _page(copy, table)
    with pytest.raises(make.PageError, match=re.escape(said)):
        make.outdated(copy)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.title)
def test_every_machine_is_drawn_and_written_down(machine: Machine[Any, Any, Any]) -> None:
    text = (SPEC / "states.md").read_text(encoding="utf-8")
    (section,) = re.findall(rf"^## {machine.title}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    drawn = {
        (state, given, after)
        for state, after, inputs in re.findall(r"^    (\w+) --> (\w+): (.+)$", section, re.M)
        for given in inputs.split("<br/>")
    }
    assert drawn == {(state.name, given.value, after.name) for (state, given), (_, after) in machine.table.items()}
    assert f"[*] --> {machine.first.name}\n" in section
    rows = re.findall(r"^\| (.+) \| (.+) \| (.+) \| (.+) \|$", section, re.M)[2:]
    assert rows == [
        (state.value, given.value, effect.value, after.value)
        for (state, given), (effect, after) in machine.table.items()
    ]
    assert not re.search(r"[;:]", "".join(given.value for _, given in machine.table)), "mermaid would stumble over it"


def test_json_is_printed_for_people() -> None:
    value = {"tags": [["p", "é"], []], "content": '{"a":1}', "long": ["x" * 60, "y" * 60]}
    assert make.pretty(value).splitlines() == [
        "{",
        '  "tags": [',
        '    ["p", "é"],',
        "    []",
        "  ],",
        '  "content": "{\\"a\\":1}",',
        '  "long": [',
        f'    "{"x" * 60}",',
        f'    "{"y" * 60}"',
        "  ]",
        "}",
    ]
    assert make.pointed({"a/b": [{"~": 1}]}, "/a~1b/0/~0") == 1


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_revision_has_a_page_with_examples(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(re.findall(r"^```json case=", text, re.M)) >= 5
    assert len(re.findall(r"^```python include=", text, re.M)) >= 1


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_ambiguities_that_a_page_names_are_written_down(path: Path) -> None:
    known = set(re.findall(r"^## (AMB-[0-9]+):", (SPEC / "ambiguities.md").read_text(encoding="utf-8"), re.M))
    assert set(re.findall(r"\bAMB-[0-9]+\b", path.read_text(encoding="utf-8"))) - known == set()


def test_what_shows_a_reading_is_there() -> None:
    known = {case.id for suite in load_suites() for case in suite.cases}
    text = (SPEC / "ambiguities.md").read_text(encoding="utf-8")
    named = {
        name
        for line in re.findall(r"^Shown by: (`.*?)\n\n", text, re.M | re.S)
        for name in re.findall(r"`(.*?)`", line)
    }
    assert len(named) > 40
    assert named - known == set()


@pytest.mark.parametrize("name", ["matrix.md", "states.md", "traceability.md", "examples.md"])
def test_a_generated_page_says_so(name: str) -> None:
    first = (SPEC / name).read_text(encoding="utf-8").splitlines()[0]
    assert "Generated by `python spec/make.py`" in first


def test_the_matrix_has_a_column_for_each_revision() -> None:
    text = (SPEC / "matrix.md").read_text(encoding="utf-8")
    headers = re.findall(r"^\| rule \|(.*)\|$", text, re.M)
    assert len(headers) > 20
    assert {tuple(re.findall(r"`([^`]+)`", header)) for header in headers} == {tuple(REVISIONS)}


def test_every_requirement_can_be_traced() -> None:
    rows = re.findall(r"^\| ([A-Z0-9]+-[A-Z]+-[0-9]+) \|", (SPEC / "traceability.md").read_text(encoding="utf-8"), re.M)
    ledgers = sorted((SPEC / "requirements").glob("*.toml"))
    known = [
        row["id"] for path in ledgers for row in tomllib.loads(path.read_text(encoding="utf-8"))["requirement"]
    ]  # fmt: skip
    assert rows == known
