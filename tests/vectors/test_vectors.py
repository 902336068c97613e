"""The vector files: well formed, as their sources say, and passed by this package."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from nostrmcp.conformance.check import answer
from nostrmcp.conformance.judge import Accepted, Judgement, Refused, Verdict, judge
from nostrmcp.conformance.operations import OPERATIONS
from nostrmcp.conformance.vectors import Case, load_suites, vectors_folder
from nostrmcp.mcp.errors import ErrorClass as McpErrorClass
from nostrmcp.nostr import ErrorClass, PublicKey, SecretKey, UnsignedEvent, nip44
from nostrmcp.nostr import event as events
from nostrmcp.session.errors import ErrorClass as SessionErrorClass
from nostrmcp.translate.errors import ErrorClass as TranslateErrorClass
from vectors.source import fill

VECTORS = Path(__file__).resolve().parents[2] / "vectors"
SUITES = list(load_suites())
CASES = [case for suite in SUITES for case in suite.cases]
BY_ID = {case.id: case for case in CASES}
ERROR_CLASSES = [*ErrorClass, *McpErrorClass, *TranslateErrorClass, *SessionErrorClass]
BODY_CLASSES = {
    "unknown_mcp_version", "unknown_method", "wrong_direction", "missing_member", "mistyped_member",
    "unexpected_result",
}  # fmt: skip


def load(path: str) -> Any:
    return json.loads((VECTORS / path).read_text(encoding="utf-8"))


OPERATION_SCHEMAS = load("schema/operations-v1.json")


def operation_schema(op: str, side: str) -> Draft202012Validator:
    return Draft202012Validator({"$defs": OPERATION_SCHEMAS["$defs"], **OPERATION_SCHEMAS["operations"][op][side]})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_this_package_passes(case: Case) -> None:
    assert judge(case, answer(OPERATIONS[case.op], case)) == Judgement(Verdict.PASS)


def test_the_vectors_of_this_tree_are_the_ones_tested() -> None:
    assert vectors_folder() == VECTORS


def test_files_are_what_the_sources_say() -> None:
    for path, text in fill.files().items():
        assert (VECTORS / path).read_text(encoding="utf-8") == text, f"vectors/{path}: run make vectors"


@pytest.mark.parametrize("path", sorted(path.name for path in (VECTORS / "schema").glob("*.json")))
def test_schema_is_a_schema(path: str) -> None:
    Draft202012Validator.check_schema(load(f"schema/{path}"))


@pytest.mark.parametrize(("schema", "path"), [("errors-v1", "errors.json"), ("index-v1", "INDEX.json")])
def test_lists_follow_their_schemas(schema: str, path: str) -> None:
    Draft202012Validator(load(f"schema/{schema}.json")).validate(load(path))


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_file_follows_its_schema(suite: Any) -> None:
    value = json.loads(suite.path.read_text(encoding="utf-8"))
    Draft202012Validator(load("schema/vectors-v1.json")).validate(value)
    assert value["count"] == len(suite.cases)
    for group in value["groups"]:
        given, expected = operation_schema(group["op"], "input"), operation_schema(group["op"], "output")
        for case in group["cases"]:
            given.validate(case["input"])
            if "output" in case:
                expected.validate(case["output"])


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_flags_are_explained_and_used(suite: Any) -> None:
    used = {flag for case in suite.cases for flag in case.flags}
    assert used == suite.notes.keys()


def test_the_index_has_every_file_and_its_hash() -> None:
    index = load("INDEX.json")
    on_disk = sorted(path.relative_to(VECTORS).as_posix() for path in VECTORS.glob("*/*.json"))
    assert sorted(entry["path"] for entry in index["files"]) == [p for p in on_disk if not p.startswith("schema/")]
    for entry in index["files"]:
        data = (VECTORS / entry["path"]).read_bytes()
        assert entry["sha256"] == hashlib.sha256(data).hexdigest()
        assert entry["cases"] == load(entry["path"])["count"]
    assert index["cases"] == len(CASES)


def test_ids_are_unique_over_all_files() -> None:
    assert [name for name, times in Counter(case.id for case in CASES).items() if times > 1] == []


def test_a_script_is_no_stronger_than_its_documents() -> None:
    rows = load("requirements.json")["requirements"]
    levels = ["MAY", "SHOULD", "MUST"]
    for case in CASES:
        stated = [levels.index(rows[name]["level"]) for name in case.req if rows[name]["basis"] != "house"]
        if stated and case.op in ("session_client", "session_server"):
            assert levels.index(case.level) <= max(stated), case.id


def test_titles_are_assertions() -> None:
    modal = re.compile(r"\b(should|must|shall|test that|verify that|check that)\b", re.I)
    assert [case.id for case in CASES if modal.search(case.title)] == []


def test_error_classes_are_the_closed_list() -> None:
    listed = [(row["class"], row["meaning"]) for row in load("errors.json")["classes"]]
    assert listed == [(one.value, one.meaning) for one in ERROR_CLASSES]
    assert len(listed) == len({name for name, _ in listed})
    assert {case.error_class for case in CASES if case.error_class} <= {name for name, _ in listed}


def test_every_error_class_is_seen_in_a_vector() -> None:
    # Limits of our own have no vector, as another implementation sets others; bodies are for the session to validate,
    # and what a session drops is judged by what then does not happen.
    without = {"payload_too_large", *BODY_CLASSES, *SessionErrorClass}
    assert {one.value for one in ERROR_CLASSES} - {case.error_class for case in CASES} == without


def test_every_operation_is_described_asked_for_and_answered() -> None:
    assert set(OPERATIONS) == set(OPERATION_SCHEMAS["operations"]) == {case.op for case in CASES}


def test_every_file_has_positive_and_negative_cases() -> None:
    for suite in SUITES:
        results = {case.result for case in suite.cases}
        if {case.compare for case in suite.cases} == {"script"}:
            silent = [case.id for case in suite.cases if _has_silent_step(case)]
            assert results == {"valid"} and len(silent) < len(suite.cases) < 4 * len(silent), suite.name
        else:
            assert "valid" in results and results & {"invalid", "acceptable"}, suite.name


def _has_silent_step(case: Case) -> bool:
    """Whether some step of a script, other than the mere passing of time, must lead to nothing."""
    assert case.output is not None
    pairs = zip(case.input["steps"], case.output["steps"], strict=True)
    return any("tick" not in given["do"] and not step["published"] and not step["delivered"] for given, step in pairs)


class TestJudge:
    """The judge itself: what passes, what fails, and why."""

    def test_a_refusal_fails_a_valid_case(self) -> None:
        judgement = judge(BY_ID["nip01-verify"], Refused("invalid_signature", "no"))
        assert judgement == Judgement(Verdict.FAIL, "refused as invalid_signature (no), but it is valid")

    def test_an_answer_fails_an_invalid_case(self) -> None:
        judgement = judge(BY_ID["nip01-content-changed"], Accepted({"id": "00"}))
        assert judgement == Judgement(Verdict.FAIL, "accepted, but it must be refused as id_mismatch")

    def test_another_error_class_is_told_apart(self) -> None:
        judgement = judge(BY_ID["nip01-content-changed"], Refused("invalid_signature", "no"))
        assert judgement == Judgement(Verdict.OTHER_CLASS, "refused as invalid_signature, expected id_mismatch")

    def test_an_acceptable_case_passes_either_way_but_not_with_another_output(self) -> None:
        case = BY_ID["filter-empty-list"]
        assert judge(case, Accepted({"matches": False})).verdict is Verdict.PASS
        assert judge(case, Refused("malformed_filter", "no")).verdict is Verdict.PASS
        assert judge(case, Accepted({"matches": True})).verdict is Verdict.FAIL

    def test_an_acceptable_case_without_an_output_passes_any_answer(self) -> None:
        assert judge(BY_ID["kind-45"], Accepted({"class": "regular"})).verdict is Verdict.PASS
        assert judge(BY_ID["kind-45"], Refused("malformed_kind", "no")).verdict is Verdict.PASS

    @pytest.mark.parametrize(
        "output", [{"matches": 1}, {"matches": "true"}, {}, {"matches": True, "more": 1}, {"matches": None}]
    )
    def test_equality_is_exact(self, output: dict[str, Any]) -> None:
        assert judge(BY_ID["filter-id"], Accepted(output)).verdict is Verdict.FAIL

    def test_lists_are_compared_in_order_and_length(self) -> None:
        case = BY_ID["nip01-tag-values"]
        assert judge(case, Accepted({"values": ["one", "", "three"]})).verdict is Verdict.PASS
        assert judge(case, Accepted({"values": ["", "one", "three"]})).verdict is Verdict.FAIL
        assert judge(case, Accepted({"values": ["one", ""]})).verdict is Verdict.FAIL

    def test_json_texts_are_compared_as_json(self) -> None:
        case = BY_ID["frame-write-eose"]
        assert judge(case, Accepted({"raw": '[ "EOSE" , "sub" ]'})).verdict is Verdict.PASS
        assert judge(case, Accepted({"raw": '["EOSE","other"]'})).verdict is Verdict.FAIL
        for output in ({"raw": "["}, {}, {"raw": None}):
            assert judge(case, Accepted(output)).verdict is Verdict.FAIL

    def test_json_texts_are_read_strictly(self) -> None:
        case = BY_ID["frame-write-publish"]
        assert case.output is not None
        twice = case.output["raw"].replace('{"id"', '{"kind":1,"id"')
        for raw in (twice, "[" * 100_000, "[" * 500 + "]" * 500, '["\\ud800"]', "\ud800", "9" * 5_000):
            judgement = judge(case, Accepted({"raw": raw}))
            assert judgement.verdict is Verdict.FAIL
            assert judgement.detail.startswith("no JSON text in `raw`: ")

    def test_content_is_read_strictly(self) -> None:
        case = next(case for case in CASES if case.compare == "event")
        assert case.output is not None
        event = case.output["event"]
        spaced = event["content"].replace("{", "{ ", 1)
        twice = event["content"].replace("{", '{"jsonrpc":"2.0",', 1)
        assert judge(case, Accepted({"event": {**event, "content": spaced}})).verdict is Verdict.PASS
        for content in (twice, "[" * 100_000, "\ud800", "", None, [], {}):
            assert judge(case, Accepted({"event": {**event, "content": content}})).verdict is Verdict.FAIL

    def test_empty_content_is_the_empty_string(self) -> None:
        case = next(case for case in CASES if case.compare == "event" and case.output["event"]["content"] == "")
        assert case.output is not None
        event = case.output["event"]
        assert judge(case, Accepted({"event": event})).verdict is Verdict.PASS
        for content in ('""', None, [], False):
            assert judge(case, Accepted({"event": {**event, "content": content}})).verdict is Verdict.FAIL

    def test_tags_are_compared_in_any_order_where_the_case_says_so(self) -> None:
        case = BY_ID["auth-build"]
        assert case.output is not None
        event = case.output["event"]
        assert judge(case, Accepted({"event": {**event, "tags": event["tags"][::-1]}})).verdict is Verdict.PASS
        assert judge(case, Accepted({"event": {**event, "tags": event["tags"][:1]}})).verdict is Verdict.FAIL
        assert judge(case, Accepted({"event": {**event, "kind": 1}})).verdict is Verdict.FAIL
        assert judge(case, Accepted({"event": None})).verdict is Verdict.FAIL

    @pytest.mark.parametrize(
        ("tags", "verdict"),
        [
            ([["d", "anything"]], Verdict.PASS),
            ([["d", ""]], Verdict.FAIL),
            ([["d"]], Verdict.FAIL),
            ([], Verdict.FAIL),
        ],
    )
    def test_the_d_of_a_list_is_the_senders_choice(self, tags: list[list[str]], verdict: Verdict) -> None:
        case = BY_ID["r1-announce-tools-none"]
        assert case.output is not None
        event = case.output["event"] | {"tags": [["s", "server-1"], *tags]}
        assert judge(case, Accepted({"event": event})).verdict is verdict

    @pytest.mark.parametrize(
        ("id", "verdict"), [("7", Verdict.PASS), ('"a"', Verdict.PASS), ("null", Verdict.FAIL), ("1.5", Verdict.FAIL)]
    )
    def test_the_id_of_an_announcement_is_the_senders_choice(self, id: str, verdict: Verdict) -> None:
        case = BY_ID["r1-announce-tools-none"]
        assert case.output is not None
        event = case.output["event"]
        changed = event | {"content": event["content"].replace('"id":1', f'"id":{id}')}
        assert changed != event
        assert judge(case, Accepted({"event": changed})).verdict is verdict

    def test_entities_are_compared_by_what_they_hold(self) -> None:
        case = BY_ID["nip19-encode-naddr"]
        assert case.output is not None
        assert judge(case, Accepted({"text": case.output["text"]})).verdict is Verdict.PASS
        other = BY_ID["nip19-encode-naddr-utf8"].output
        assert other is not None
        assert judge(case, Accepted(other)).verdict is Verdict.FAIL
        for output in ({"text": "naddr1"}, {}, {"text": None}, {"text": []}, {"text": 5}):
            assert judge(case, Accepted(output)).verdict is Verdict.FAIL

    def test_entities_are_written_in_lower_case(self) -> None:
        case = BY_ID["nip19-encode-naddr"]
        assert case.output is not None
        assert judge(case, Accepted({"text": case.output["text"].upper()})).verdict is Verdict.FAIL

    @staticmethod
    def respelled(case: Case) -> dict[str, Any]:
        """The wrap that a case asks for, with white space in the JSON inside."""
        assert case.output is not None
        wrap = events.from_value(case.output["event"])
        bob = SecretKey(bytes.fromhex(case.output["recipient_seckey"]))
        plaintext = nip44.decrypt(wrap.content, nip44.get_conversation_key(bob, PublicKey(wrap.pubkey)))
        ephemeral = SecretKey(bytes.fromhex(case.input["ephemeral_seckey"]))
        key = nip44.get_conversation_key(ephemeral, bob.public_key)
        content = nip44.encrypt(json.dumps(json.loads(plaintext), indent=1), key, bytes.fromhex(case.input["nonce"]))
        unsigned = UnsignedEvent(wrap.pubkey, wrap.created_at, wrap.kind, wrap.tags, content)
        value = unsigned.sign(ephemeral, bytes(32)).to_value()
        return {"event": value | {"tags": [list(tag) for tag in value["tags"]]}}

    @pytest.mark.parametrize("name", ["nip59-wrap-1059", "nip59-gift-wrap"])
    def test_wraps_are_opened(self, name: str) -> None:
        case = BY_ID[name]
        again = self.respelled(case)
        assert case.output is not None and again["event"]["id"] != case.output["event"]["id"]
        assert judge(case, Accepted(again)).verdict is Verdict.PASS
        assert judge(case, Accepted({"event": {**again["event"], "sig": "00" * 64}})).verdict is Verdict.FAIL
        for output in ({}, {"event": None}, {"event": {**again["event"], "content": "\ud800"}}):
            assert judge(case, Accepted(output)).verdict is Verdict.FAIL

    @pytest.mark.parametrize(
        ("name", "change"),
        [
            ("nip59-wrap-1059", {"kind": 21059}),
            ("nip59-wrap-1059", {"created_at": 1_750_000_001}),
            ("nip59-wrap-1059", {"nonce": "11" * 32}),
            ("nip59-wrap-1059", {"ephemeral_seckey": "22" * 32}),
            ("nip59-gift-wrap", {"kind": 21059}),
            ("nip59-gift-wrap", {"nonce": "11" * 32}),
            ("nip59-gift-wrap", {"seal_nonce": "11" * 32}),
            ("nip59-gift-wrap", {"seal_created_at": 1_750_000_000}),
        ],
    )
    def test_a_wrap_made_of_another_input_fails(self, name: str, change: dict[str, Any]) -> None:
        case = BY_ID[name]
        assert judge(case, Accepted(OPERATIONS[case.op](case.input))).verdict is Verdict.PASS
        assert judge(case, Accepted(OPERATIONS[case.op](case.input | change))).verdict is Verdict.FAIL

    def test_randomness_of_signatures_is_not_compared(self) -> None:
        case = BY_ID["nip59-gift-wrap"]
        again = OPERATIONS["gift_wrap"](case.input | {"aux_rand": "22" * 32})
        assert case.output is not None and again["event"] != case.output["event"]
        assert judge(case, Accepted(again)).verdict is Verdict.PASS

    def test_a_wrap_of_another_event_fails(self) -> None:
        case = BY_ID["nip59-wrap-1059"]
        other = BY_ID["nip01-verify"].input["event"]
        assert judge(case, Accepted(OPERATIONS["wrap"](case.input | {"event": other}))).verdict is Verdict.FAIL

    def test_long_values_are_cut_in_messages(self) -> None:
        judgement = judge(BY_ID["nip44-decrypt-one-byte"], Accepted({"plaintext": "x" * 1000}))
        assert judgement.detail.startswith('expected {"plaintext": "a"}, got {"plaintext": "xxx')
        assert judgement.detail.endswith("xxx...")
