"""Session scripts: what the runner does with them, and what the judge lets through."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from nostrmcp.conformance.check import answer
from nostrmcp.conformance.judge import Accepted, Verdict, judge
from nostrmcp.conformance.operations import OPERATIONS
from nostrmcp.conformance.script import Outcome, References, Unresolved, run, stimulus
from nostrmcp.conformance.vectors import Case, load_suites
from nostrmcp.nostr import SecretKey, UnsignedEvent, nip59
from nostrmcp.nostr import event as events
from vectors.source.writing import secret_bytes

SCRIPTS = {case.id: case for suite in load_suites() for case in suite.cases if case.compare == "script"}
SOME = [
    "r1-server-two-clients", "r1e-server-own-server", "r11-server-paid", "ctx-server-wrapped", "cvm-server-sampling",
    "cvm-server-announced-anew", "cvm-server-first-message",
]  # fmt: skip
Output = dict[str, Any]


def output(name: str) -> tuple[Case, Output]:
    """What this package gives for a case, which passes."""
    case = SCRIPTS[name]
    given = answer(OPERATIONS[case.op], case)
    assert isinstance(given, Accepted)
    assert judge(case, given).verdict is Verdict.PASS
    return case, copy.deepcopy(given.output)


def fails(case: Case, changed: Output, why: str = "") -> None:
    judgement = judge(case, Accepted(changed))
    assert judgement.verdict is Verdict.FAIL
    assert why in judgement.detail


def signed_anew(event: Output, key: str = "bob", **changes: Any) -> Output:
    """The event with other fields, and an id and a signature that are right."""
    changed = event | changes
    secret = SecretKey(secret_bytes(key))
    tags = events.freeze_tags(changed["tags"])
    unsigned = UnsignedEvent(secret.public_key.x, changed["created_at"], changed["kind"], tags, changed["content"])
    value = unsigned.sign(secret, bytes(32)).to_value()
    return value | {"tags": [list(tag) for tag in value["tags"]]}


def changes(given: Output) -> Iterator[tuple[str, Output]]:
    """Every way to leave out, double or misplace one thing that a machine did."""
    for number, step in enumerate(given["steps"]):
        for name in ("published", "delivered"):
            for position, one in enumerate(step[name]):
                less, more = copy.deepcopy(given), copy.deepcopy(given)
                del less["steps"][number][name][position]
                yield f"step {number} without {name} {position}", less
                more["steps"][number][name].append(copy.deepcopy(one))
                yield f"step {number} with {name} {position} twice", more
                later = copy.deepcopy(less)
                later["steps"][(number + 1) % len(later["steps"])][name].append(copy.deepcopy(one))
                if len(later["steps"]) > 1:
                    yield f"step {number} with {name} {position} too late", later


@pytest.mark.parametrize("name", SOME)
def test_whatever_is_left_out_doubled_or_late_is_noticed(name: str) -> None:
    case, given = output(name)
    assert [what for what, changed in changes(given) if judge(case, Accepted(changed)).verdict is Verdict.PASS] == []


@pytest.mark.parametrize("name", SOME)
def test_a_script_that_breaks_off_fails(name: str) -> None:
    case, given = output(name)
    for length in range(len(given["steps"])):
        fails(case, {"steps": given["steps"][:length]}, "broke off")


@pytest.mark.parametrize("name", SOME)
def test_steps_too_many_fail(name: str) -> None:
    case, given = output(name)
    fails(case, {"steps": [*given["steps"], {"published": [], "delivered": []}]}, "more steps")


@pytest.mark.parametrize("given", [{}, {"steps": None}, {"steps": [1]}, {"steps": [{}]}, {"steps": [{"published": 1}]}])
def test_what_is_no_output_fails(given: Output) -> None:
    fails(SCRIPTS["r1-server-call"], given)


class TestPublished:
    CASE = "r1-server-call"

    def event(self) -> tuple[Case, Output, Output]:
        case, given = output(self.CASE)
        return case, given, given["steps"][1]["published"][0]

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            ({"kind": 26910}, "kind"),
            ({"created_at": 1_750_000_001}, "created_at"),
            ({"content": "{}"}, "expected"),
            ({"content": "{"}, "no JSON"),
            ({"content": ""}, "content is empty"),
            ({"tags": []}, "tags missing"),
        ],
    )
    def test_fields_are_compared(self, change: Output, why: str) -> None:
        case, given, event = self.event()
        given["steps"][1]["published"] = [signed_anew(event, **change)]
        fails(case, given, why)

    def test_the_author_is_compared(self) -> None:
        case, given, event = self.event()
        given["steps"][1]["published"] = [signed_anew(event, "mallory")]
        fails(case, given, "pubkey")

    def test_the_signature_is_verified(self) -> None:
        case, given, event = self.event()
        given["steps"][1]["published"] = [event | {"sig": "00" * 64}]
        fails(case, given, "no valid event")

    def test_a_tag_with_a_meaning_is_not_added(self) -> None:
        case, given, event = self.event()
        given["steps"][1]["published"] = [signed_anew(event, tags=[*event["tags"], ["s", "server-1"]])]
        fails(case, given, "too many")

    def test_other_tags_and_their_order_are_free(self) -> None:
        case, given, event = self.event()
        given["steps"][1]["published"] = [signed_anew(event, tags=[["client", "zoo"], *event["tags"][::-1]])]
        assert judge(case, Accepted(given)).verdict is Verdict.PASS

    def test_an_optional_tag_may_be_missing(self) -> None:
        case, given, event = self.event()
        given["steps"][1]["published"] = [signed_anew(event, tags=[tag for tag in event["tags"] if tag[0] != "p"])]
        assert judge(case, Accepted(given)).verdict is Verdict.PASS

    def test_what_is_the_senders_own_is_ignored(self) -> None:
        case, given, event = self.event()
        content = event["content"].replace('"result":{', '"result":{"_meta":{"example.com/n":1},')
        given["steps"][1]["published"] = [signed_anew(event, content=content)]
        assert judge(case, Accepted(given)).verdict is Verdict.PASS
        content = event["content"].replace('"result":{', '"result":{"_meta":{"io.modelcontextprotocol/n":1},')
        given["steps"][1]["published"] = [signed_anew(event, content=content)]
        fails(case, given)

    def test_what_mcp_recommends_on_every_result_is_ignored(self) -> None:
        case, given, event = self.event()
        told = '"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n","version":"1"}},'
        content = event["content"].replace('"result":{', told)
        given["steps"][1]["published"] = [signed_anew(event, content=content)]
        assert judge(case, Accepted(given)).verdict is Verdict.PASS

    @pytest.mark.parametrize(
        ("name", "ago", "passes"),
        [
            ("cvm-server-wrapped", 0, True), ("cvm-server-wrapped", 172_800, True),
            ("cvm-server-wrapped", 172_801, False), ("cvm-server-wrapped", -1, False),
            ("cvm-server-wrap-date", 0, True), ("cvm-server-wrap-date", 1, False),
            ("ctx-server-wrap-date", 0, False), ("ctx-server-wrap-date", 1, True),
        ],
    )  # fmt: skip
    def test_when_a_wrap_may_be_dated(self, name: str, ago: int, passes: bool) -> None:
        case, given = output(name)
        step = next(one for one in given["steps"] if one["published"])
        inner = nip59.unwrap(events.from_value(step["published"][0]), SecretKey(secret_bytes("alice")))
        again = nip59.wrap(
            inner, SecretKey(secret_bytes("alice")).public_key, kind=1059, created_at=inner.created_at - ago,
            ephemeral_key=SecretKey(bytes([5] * 32)), nonce=bytes(32), aux_rand=bytes(32),
        ).to_value()  # fmt: skip
        step["published"] = [again | {"tags": [list(tag) for tag in again["tags"]]}]
        assert (judge(case, Accepted(given)).verdict is Verdict.PASS) == passes

    def test_plain_in_place_of_a_wrap_fails(self) -> None:
        case, given = output("cvm-server-wrapped-inner-id")
        step = given["steps"][1]
        inner = nip59.unwrap(events.from_value(step["published"][0]), SecretKey(secret_bytes("alice"))).to_value()
        step["published"] = [inner | {"tags": [list(tag) for tag in inner["tags"]]}]
        fails(case, given, "expected a wrap")

    def test_a_wrap_signed_by_the_sender_fails(self) -> None:
        case, given = output("cvm-server-wrapped-inner-id")
        step = given["steps"][1]
        wrap = events.from_value(step["published"][0])
        inner = nip59.unwrap(wrap, SecretKey(secret_bytes("alice")))
        again = nip59.wrap(
            inner,
            SecretKey(secret_bytes("alice")).public_key,
            kind=wrap.kind,
            created_at=wrap.created_at,
            ephemeral_key=SecretKey(secret_bytes("bob")),
            nonce=bytes(32),
            aux_rand=bytes(32),
        ).to_value()
        step["published"] = [again | {"tags": [list(tag) for tag in again["tags"]]}]
        fails(case, given, "not its own")


class TestDelivered:
    def test_ids_of_live_requests_differ(self) -> None:
        case, given = output("r1-server-two-clients")
        first = given["steps"][0]["delivered"][0]["message"]
        given["steps"][1]["delivered"][0]["message"]["id"] = first["id"]
        fails(case, given, "the id")

    def test_ids_of_requests_to_a_client_differ(self) -> None:
        case, given = output("cvm-server-sampling")
        asked = [one for step in given["steps"] for one in step["published"] if '"method"' in one["content"]]
        first, second = (json.loads(one["content"]) for one in asked)
        asked[1].update(signed_anew(asked[1], content=json.dumps(second | {"id": first["id"]})))
        fails(case, given, "another request to this client")

    def test_tokens_of_live_requests_differ(self) -> None:
        case, given = output("r1-server-two-clients")
        first = given["steps"][0]["delivered"][0]["message"]
        given["steps"][1]["delivered"][0]["message"]["params"]["_meta"] = first["params"]["_meta"]
        fails(case, given, "the token")

    @pytest.mark.parametrize("id", [None, True, 1.5, [], {}])
    def test_an_id_is_a_string_or_an_integer(self, id: Any) -> None:
        case, given = output("r1-server-call")
        given["steps"][0]["delivered"][0]["message"]["id"] = id
        fails(case, given)

    def test_the_place_is_compared(self) -> None:
        case, given = output("r1-server-call")
        given["steps"][0]["delivered"][0]["server"] = "server-2"
        fails(case, given)
        del given["steps"][0]["delivered"][0]["server"]
        fails(case, given)

    def test_payments_are_compared(self) -> None:
        case, given = output("r1-server-call")
        given["steps"][0]["paid"] = ["lnbc1"]
        fails(case, given, "paid")


class TestPlaceholders:
    EVENT = SCRIPTS["r1-server-call"].input["steps"][0]["do"]["event"]

    def steps(self) -> list[Output]:
        request = {"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"_meta": {"progressToken": "t"}}}
        delivered = {"server": "server-1", "client": None, "message": request}
        return [Outcome([self.EVENT], []).to_value(), Outcome([], [delivered]).to_value(), Outcome().to_value()]

    def test_they_are_replaced_wherever_they_stand(self) -> None:
        value = {"a": ["{{event:0}}", "{{id:1}}", "{{token:1}}"], "b": "<{{event:0}}>", "c": 1}
        found = References(self.steps()).resolve(value)
        assert found == {"a": [self.EVENT["id"], 7, "t"], "b": f"<{self.EVENT['id']}>", "c": 1}

    def test_without_a_delivered_request_a_published_one_counts(self) -> None:
        assert References(self.steps()).resolve("{{id:0}}") == 3

    def test_in_text_ids_lose_their_quotes(self) -> None:
        found = References(self.steps()).resolve_text('{"id":"{{id:1}}","t":"{{token:1}}","e":"{{event:0}}"}')
        assert found == f'{{"id":7,"t":"t","e":"{self.EVENT["id"]}"}}'

    @pytest.mark.parametrize("name", ["{{event:1}}", "{{event:2}}", "{{id:2}}", "{{token:0}}", "{{event:3}}"])
    def test_what_was_not_done_cannot_be_named(self, name: str) -> None:
        with pytest.raises(Unresolved):
            References(self.steps()).resolve(name)

    def test_templates_are_signed_and_wrapped(self) -> None:
        alice, bob = SecretKey(secret_bytes("alice")), SecretKey(secret_bytes("bob"))
        template = {
            "seckey": secret_bytes("alice").hex(), "created_at": 5, "kind": 25910, "tags": [["e", "{{event:0}}"]],
            "content": '{"id":"{{id:1}}"}', "wrap": None,
        }  # fmt: skip
        event = events.from_value(stimulus({"template": template}, References(self.steps()))["event"])
        event.verify()
        assert event.pubkey == alice.public_key.x
        assert (event.tags, event.content) == ((("e", self.EVENT["id"]),), '{"id":7}')
        envelope = {"kind": 1059, "to": bob.public_key.hex(), "created_at": 6}
        wrapped = stimulus({"template": template | {"wrap": envelope}}, References(self.steps()))["event"]
        wrap = events.from_value(wrapped)
        assert (wrap.kind, wrap.created_at) == (1059, 6)
        assert nip59.unwrap(wrap, bob).id == event.id


def test_a_script_ends_where_it_refers_to_what_was_not_done() -> None:
    class Silent:
        def step(self, number: int, do: Output, at: float) -> Outcome:
            return Outcome()

    case = SCRIPTS["r1-server-call"]
    given = run(lambda _: Silent(), case.input)
    assert len(given["steps"]) == 1
    fails(case, given, "step 0: delivered []")
