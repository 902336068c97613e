"""Readers that guess the revision of an event, or overlook what decides it."""

from __future__ import annotations

import json
from typing import Any

from nostrmcp.conformance.operations import Value
from nostrmcp.nostr import event as events
from nostrmcp.revisions import detect
from tests.zoo.member import Operations, member, patched, writing

OP = "detect_revisions"


def blind(*words: str) -> Operations:
    """Detection without the signs whose evidence has one of these words."""
    seen = tuple(sign for sign in detect._SIGNS if not any(word in sign.evidence for word in words))
    assert len(seen) < len(detect._SIGNS)
    return patched(OP, (detect, "_SIGNS", seen))


def the_last(output: Value) -> Value:
    return {"candidates": output["candidates"][-1:]}


def unverified(given: Value) -> Value:
    return {"candidates": list(detect.detect(events.from_value(given["event"])).candidates)}


def any_json(content: str) -> Any:
    return json.loads(content)


CONTROLS = [member("detect-control", "Sees every sign.", patched(OP, (detect, "_SIGNS", detect._SIGNS)), fails="")]

MEMBERS = [
    member(
        "detect-kind-alone",
        "Looks at the kind and at nothing else.",
        blind(""),
        fails="detect-method-tag-whole detect-response-26910-whole detect-server-k-5910 detect-tools-t",
        passes="detect-request-5910 detect-wrap-1059 detect-demand-21316 detect-list-unreadable",
    ),
    member(
        "detect-guess",
        "Takes the newest of several candidates.",
        writing(OP, the_last),
        fails="""
            detect-wrap-1059 detect-initialize-whole detect-list-whole detect-list-no-s detect-method-tag-stripped
            detect-no-tags detect-initialize-no-tags detect-encryption-flag-true detect-response-25910
            detect-encryption-flag-s detect-encryption-flag-method
            detect-response-26910-unreadable detect-response-26910-array detect-notification-25910
            detect-notification-21316 detect-demand-21316 detect-demand-21316-no-s detect-server-k-25910-unreadable
            detect-tools-bare-cap detect-tools-bare-none detect-tools-none detect-resources detect-resources-bare
            detect-list-unreadable detect-encryption-flag-d-unreadable detect-encryption-flag-s-unreadable
            detect-tools-no-names
        """,
    ),
    member(
        "detect-no-jsonrpc",
        "Does not look whether content has jsonrpc.",
        blind("jsonrpc"),
        fails="""
            detect-method-tag-stripped detect-stripped detect-response-stripped detect-response-26910-whole
            detect-response-26910-hoisted detect-response-26910-hybrid detect-notification-21316
            detect-notification-21316-no-s detect-initialized-21316 detect-notification-21316-stripped
            detect-initialize-whole detect-list-whole detect-list-no-s detect-method-tag-whole detect-method-tag-no-s
            detect-c-tag-on-25910
        """,
        passes="detect-s-tag detect-tools-t",
    ),
    member(
        "detect-no-flags",
        "Does not look at encryption flags.",
        blind("encryption flags"),
        fails="""
            detect-ephemeral-flag detect-encryption-flag detect-encryption-flag-call detect-encryption-flag-answer
            detect-ephemeral-flag-alone
        """,
    ),
    member(
        "detect-flags-anywhere",
        "Takes every message with an encryption flag for one of the newest revision.",
        patched(OP, (detect, "_has_flags_alone", lambda event: detect._has(event, "support_encryption"))),
        fails="""
            detect-encryption-flag-true detect-encryption-flag-s detect-encryption-flag-method
            detect-encryption-flag-d-unreadable detect-encryption-flag-s-unreadable detect-ephemeral-flag-alone
        """,
    ),
    member(
        "detect-no-method-tag",
        "Does not look at the method tag.",
        blind("method tag"),
        fails="detect-method-tag-whole detect-no-tags detect-s-tag",
        passes="detect-response-26910-whole",
    ),
    member(
        "detect-no-server-id",
        "Does not look at s and d of messages.",
        blind("server identifier", "without s"),
        fails="detect-s-tag detect-response-d detect-notification-21316-no-s",
        passes="detect-no-tags",
    ),
    member(
        "detect-no-k",
        "Does not look at k.",
        blind("k tag"),
        fails="""
            detect-server-k-5910 detect-server-k-25910-wrapped detect-server-k-25910-bare
            detect-server-k-25910-unreadable detect-server-no-k detect-server-k-25910-result
        """,
    ),
    member(
        "detect-no-envelope",
        "Does not look whether an announcement is in a response.",
        blind("announcement"),
        fails="""
            detect-server-k-25910-wrapped detect-server-k-25910-bare detect-tools-bare-none detect-tools-none
            detect-resources detect-resources-bare detect-tools-bare detect-prompts-cap detect-prompts-t
            detect-server-k-25910-result detect-tools-bare-cap detect-tools-cap detect-tools-no-names detect-tools-t
        """,
    ),
    member(
        "detect-no-neighbours",
        "Takes whatever has a kind of ours.",
        patched(OP, (detect, "_neighbour", lambda event: None)),
        fails="detect-rev0-request detect-rev0-response",
    ),
    member(
        "detect-every-c-tag",
        "Takes every event with a c tag for one of the protocol before the first revision.",
        patched(OP, (detect, "_neighbour", lambda event: "rev0" if detect._has(event, "c") else None)),
        fails="detect-c-tag-on-25910",
    ),
    member(
        "detect-crash",
        "Crashes on content that is no JSON object.",
        patched(OP, (detect, "_object_in", any_json)),
        fails="detect-response-26910-unreadable detect-demand-21316 detect-list-unreadable",
        passes="detect-request-5910",
    ),
    member(
        "detect-unverified",
        "Believes an event before it is verified.",
        {OP: unverified},
        fails="detect-forged",
    ),
]
