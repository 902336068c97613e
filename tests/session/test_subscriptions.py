"""What a filter includes, and what a subscription is called: the laws."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.mcp.catalogue import SUBSCRIPTION_ID
from nostrmcp.mcp.jsonrpc import Id, Notification
from nostrmcp.session.subscriptions import (
    FLAGS,
    RESOURCES,
    UPDATED,
    Filter,
    acknowledgement,
    common,
    filter_in,
    has_last_result,
    includes,
    is_named,
    last_result,
    listens,
    name_in,
    name_of,
    named,
    offered,
)

DRAFT, FINAL = "DRAFT-2026-v1", "2026-07-28"
versions = st.sampled_from([DRAFT, FINAL])
uris = st.sampled_from(["file:///a", "file:///a/b", "file:///ab", "file:///c", "x:y"])
filters: st.SearchStrategy[Filter] = st.fixed_dictionaries(
    {}, optional={**dict.fromkeys(FLAGS, st.just(True)), RESOURCES: st.lists(uris, min_size=1, max_size=4, unique=True)}
)
awkward = st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.lists(st.integers() | uris, max_size=3)
anything = st.dictionaries(
    st.sampled_from([*FLAGS, RESOURCES, "taskIds", "x"]), awkward | st.dictionaries(uris, awkward)
)
notifications = st.one_of(
    st.sampled_from(sorted(FLAGS.values())).map(Notification),
    uris.map(lambda uri: Notification(UPDATED, {"uri": uri})),
)
ids: st.SearchStrategy[Id] = st.integers(-(2**53), 2**53) | st.text(max_size=5)


class TestCommon:
    @given(filters)
    def test_of_a_filter_with_itself_is_the_filter(self, one: Filter) -> None:
        assert common(one, one) == one

    @given(filters, filters, notifications)
    def test_it_includes_what_both_do(self, requested: Filter, given: Filter, message: Notification) -> None:
        both = includes(common(requested, given), message)
        if message.method == UPDATED:
            assert not both or (includes(requested, message) and includes(given, message))
        else:
            assert both == (includes(requested, message) and includes(given, message))

    @given(filters, filters)
    def test_of_resources_it_has_those_of_both(self, requested: Filter, given: Filter) -> None:
        both = set(requested.get(RESOURCES, [])) & set(given.get(RESOURCES, []))
        assert set(common(requested, given).get(RESOURCES, [])) == both
        assert (RESOURCES in common(requested, given)) == bool(both)

    @given(filters, anything, notifications)
    def test_whatever_is_acknowledged_it_is_no_more_than_was_requested(
        self, requested: Filter, acknowledged: Filter, message: Notification
    ) -> None:
        honoured = common(requested, acknowledged)
        assert honoured.keys() <= requested.keys()
        assert set(honoured.get(RESOURCES, [])) <= set(requested.get(RESOURCES, []))
        assert not includes(honoured, message) or includes(requested, message)


class TestIncludes:
    @given(notifications)
    def test_an_empty_filter_includes_nothing(self, message: Notification) -> None:
        assert not includes({}, message)

    @pytest.mark.parametrize("flag", FLAGS)
    def test_a_flag_includes_its_own_type_only(self, flag: str) -> None:
        assert [one for one in FLAGS.values() if includes({flag: True}, Notification(one))] == [FLAGS[flag]]

    @pytest.mark.parametrize(
        ("uri", "is_included"),
        [
            ("file:///a", True), ("file:///a/b", True), ("file:///a/b/c", True), ("file:///ab", False),
            ("file:///", False), ("FILE:///a", False), (None, False), (5, False), (["file:///a"], False),
        ],
    )  # fmt: skip
    def test_a_resource_includes_its_parts(self, uri: Any, is_included: bool) -> None:
        assert includes({RESOURCES: ["file:///a"]}, Notification(UPDATED, {"uri": uri})) is is_included

    @pytest.mark.parametrize("value", [False, None, 1, "true", [], {}])
    def test_only_true_is_true(self, value: Any) -> None:
        assert not includes({"toolsListChanged": value}, Notification("notifications/tools/list_changed"))

    @given(filters)
    def test_other_notifications_are_in_none(self, one: Filter) -> None:
        for method in ("notifications/message", "notifications/progress", "notifications/cancelled"):
            assert not includes(one, Notification(method, {}))


class TestOffered:
    ALL: ClassVar[dict[str, Any]] = {
        "tools": {"listChanged": True},
        "prompts": {"listChanged": True},
        "resources": {"listChanged": True, "subscribe": True},
    }

    @given(filters)
    def test_a_server_that_has_all_honours_all(self, requested: Filter) -> None:
        assert offered(requested, self.ALL) == requested

    @given(filters)
    def test_one_that_has_nothing_honours_nothing(self, requested: Filter) -> None:
        assert offered(requested, {}) == {}

    @given(filters, st.dictionaries(st.sampled_from(["tools", "prompts", "resources"]), awkward | anything))
    def test_it_is_never_more_than_was_requested(self, requested: Filter, capabilities: dict[str, Any]) -> None:
        assert offered(requested, capabilities).items() <= requested.items() or not requested

    @pytest.mark.parametrize(
        ("capability", "member", "flag"),
        [
            ("tools", "listChanged", "toolsListChanged"),
            ("prompts", "listChanged", "promptsListChanged"),
            ("resources", "listChanged", "resourcesListChanged"),
        ],
    )
    def test_each_capability_offers_its_own(self, capability: str, member: str, flag: str) -> None:
        requested: Filter = {**dict.fromkeys(FLAGS, True), RESOURCES: ["file:///a"]}
        assert offered(requested, {capability: {member: True}}) == {flag: True}
        assert offered(requested, {capability: {member: False}}) == {}

    def test_resources_need_subscribe(self) -> None:
        requested = {RESOURCES: ["file:///a"]}
        assert offered(requested, {"resources": {"subscribe": True}}) == requested
        assert offered(requested, {"resources": {}}) == {}


class TestNames:
    @given(ids)
    def test_the_final_text_keeps_the_type(self, given: Id) -> None:
        assert name_of(given, FINAL) == given and type(name_of(given, FINAL)) is type(given)

    @given(ids)
    def test_the_draft_writes_a_string(self, given: Id) -> None:
        assert name_of(given, DRAFT) == str(given)

    @given(ids, versions)
    def test_a_name_is_its_own(self, given: Id, version: str) -> None:
        assert is_named(name_of(given, version), given, version)
        assert is_named(name_of(given, version), name_of(given, version), version)

    @given(ids, ids)
    def test_two_ids_have_two_names(self, one: Id, other: Id) -> None:
        same = type(one) is type(other) and one == other
        assert is_named(one, other, FINAL) is same
        assert is_named(one, other, DRAFT) is (str(one) == str(other))

    @pytest.mark.parametrize("version", [DRAFT, FINAL])
    @pytest.mark.parametrize("value", [None, True, [], {}, ["1"]])
    def test_what_is_no_id_names_nothing(self, value: Any, version: str) -> None:
        assert not is_named(value, "None", version) and not is_named(value, 1, version)

    @given(ids, notifications)
    def test_a_name_that_is_written_is_read(self, given: Id, message: Notification) -> None:
        stamped = named(message, given)
        assert name_in(stamped) == given and type(name_in(stamped)) is type(given)
        assert stamped.method == message.method
        assert {key: value for key, value in (stamped.params or {}).items() if key != "_meta"} == (message.params or {})
        assert name_in(message) is None

    def test_a_stamp_keeps_the_rest_of_meta(self) -> None:
        stamped = named(Notification(UPDATED, {"uri": "x:y", "_meta": {"a": 1, SUBSCRIPTION_ID: "old"}}), "new")
        assert stamped.params == {"uri": "x:y", "_meta": {"a": 1, SUBSCRIPTION_ID: "new"}}
        assert named(Notification(UPDATED, {"_meta": 5}), 1).params == {"_meta": {SUBSCRIPTION_ID: 1}}


def test_versions() -> None:
    assert [listens(one) for one in ("2024-11-05", "2025-03-26", "2025-11-25", DRAFT, FINAL, "x")] == [
        False, False, False, True, True, False,
    ]  # fmt: skip
    assert [has_last_result(one) for one in ("2025-11-25", DRAFT, FINAL, "x")] == [False, False, True, False]


def test_what_a_server_says() -> None:
    said = acknowledgement({"toolsListChanged": True}, 7)
    assert said.params == {"_meta": {SUBSCRIPTION_ID: 7}, "notifications": {"toolsListChanged": True}}
    assert last_result(1, "a").result == {"resultType": "complete", "_meta": {SUBSCRIPTION_ID: "a"}}


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        (None, {}),
        ({}, {}),
        ({"notifications": 5}, {}),
        ({"notifications": {"toolsListChanged": False, RESOURCES: []}}, {}),
        (
            {"notifications": {"toolsListChanged": True, RESOURCES: ["x:y"]}},
            {"toolsListChanged": True, RESOURCES: ["x:y"]},
        ),
    ],
)
def test_false_and_empty_ask_for_nothing(params: Any, expected: Filter) -> None:
    assert filter_in(params) == expected
