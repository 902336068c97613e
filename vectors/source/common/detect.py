"""Which revision an event is of: what the kinds, tags and envelopes of the seeds rule out, and what they leave open.

Candidates are written in the order of the seeds' dates. Where two revisions print the same message, both are named.
"""

from __future__ import annotations

import json
from typing import Any

from vectors.source.dialects import ALICE, BOB, CONTEXTVM, CTXVM, EPHEMERAL, REV1, REV1_1, Dialect, Form
from vectors.source.writing import Case, Note, Suite, invalid, sha256, signed, valid

SUITE = Suite(
    "common/detect",
    "Which revision an event is of",
    "1",
    {
        "Kind": Note("BASIC", "a kind that decides, or that no revision has", "messages of others are read as ours"),
        "Envelope": Note("WIRE_SHAPE", "content with or without jsonrpc", "an answer is read at the wrong place"),
        "Tags": Note("WIRE_SHAPE", "tags that some revisions have and others have not", "an answer goes out on a kind that the client does not hear"),
        "Announced": Note("WIRE_SHAPE", "announcements at addresses that four revisions share", "a server is called in a dialect that it does not speak"),
        "Open": Note("EDGE_CASE", "a message that several revisions print alike", "one reading is guessed, and the peer of the other is never answered"),
        "Neighbour": Note("MISSING_STEP", "a protocol that shares kinds with ours", "a request of others is executed"),
        "Unreadable": Note("EDGE_CASE", "content that is no JSON object", "a crash in the read loop"),
        "Forged": Note("AUTH_BYPASS", "an event that nobody signed", "a stranger settles how another key's messages are read"),
    },
)  # fmt: skip

E = sha256("a request").hex()
INITIALIZE: dict[str, Any] = {
    "protocolVersion": "2025-03-26",
    "capabilities": {},
    "clientInfo": {"name": "c", "version": "1"},
}
RESULT: dict[str, Any] = {
    "protocolVersion": "2025-03-26",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "s", "version": "1"},
}
CALL: dict[str, Any] = {"name": "add", "arguments": {}}
ANSWER: dict[str, Any] = {"content": []}
TOOLS: list[dict[str, Any]] = [{"name": "add", "inputSchema": {"type": "object"}}]
CHANGED = "notifications/tools/list_changed"


def event(form: Form) -> dict[str, Any]:
    """A form as a signed event; content that is a string is put as it is."""
    content = form.content if isinstance(form.content, str) else json.dumps(form.content, separators=(",", ":"))
    return signed("alice", form.kind, form.tags, content)


def detected(id: str, title: str, req: str, form: Form, *candidates: Dialect, flags: str) -> Case:
    names = [one.name for one in candidates]
    return valid(f"detect-{id}", title, req, {"event": event(form)}, {"candidates": names}, flags=flags)


def listed(kind: int, content: Any, *tags: list[str]) -> Form:
    return Form(kind, [["d", "server-1/list"], ["s", "server-1"], *tags], content)


def wrapped(result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "result": result}


SUITE.group(
    "detect_revisions",
    # A kind that decides
    detected("request-5910", "a request of kind 5910 is of the first revision", "HOUSE-WHICH-01",
             REV1.request("tools/call", CALL), REV1, flags="Kind"),
    detected("response-6910", "a response of kind 6910 is of the first revision", "HOUSE-WHICH-01",
             REV1.response(E, 1, ANSWER), REV1, flags="Kind"),
    detected("announcement-11316", "a server announced on kind 11316 is of ContextVM", "HOUSE-WHICH-01",
             CONTEXTVM.announcement(RESULT), CONTEXTVM, flags="Kind"),
    detected("announcement-11317", "tools announced on kind 11317 are of ContextVM", "HOUSE-WHICH-01",
             CONTEXTVM.tool_list(TOOLS), CONTEXTVM, flags="Kind"),
    detected("announcement-11320", "prompts announced on kind 11320 are of ContextVM", "HOUSE-WHICH-01",
             Form(11320, [], {"prompts": []}), CONTEXTVM, flags="Kind"),
    detected("wrap-1059", "a stored wrap is of one of the two revisions that encrypt", "HOUSE-WHICH-01 HOUSE-WHICH-05",
             Form(1059, [["p", BOB]], "AgAA"), CTXVM, CONTEXTVM, flags="Kind Open"),
    detected("wrap-21059", "an ephemeral wrap is of ContextVM", "HOUSE-WHICH-01",
             Form(21059, [["p", BOB]], "AgAA"), CONTEXTVM, flags="Kind"),
    detected("note", "a text note is of no revision", "HOUSE-WHICH-01", Form(1, [], "hello"), flags="Kind"),
    detected("kind-31315", "the kind before the announcements is of no revision", "HOUSE-WHICH-01",
             Form(31315, [["d", "x"]], RESULT), flags="Kind"),
    detected("kind-31320", "the kind after the announcements is of no revision", "HOUSE-WHICH-01",
             Form(31320, [["d", "x"]], RESULT), flags="Kind"),
    # Neighbours
    detected("rev0-request", "kind 5910 with a c tag is older than the first revision",
             "HOUSE-WHICH-06", REV1.request("tools/call", CALL).with_tags(["c", "execute-tool"]), flags="Neighbour"),
    detected("rev0-response", "kind 6910 with a c tag is its response", "HOUSE-WHICH-06",
             REV1.response(E, 1, ANSWER).with_tags(["c", "execute-tool-response"]), flags="Neighbour"),
    detected("rev0-feedback", "kind 7000 is its feedback", "HOUSE-WHICH-06",
             Form(7000, [["status", "processing"], ["e", E]], ""), flags="Neighbour"),
    detected("rev0-announcement", "kind 31990 is its announcement", "HOUSE-WHICH-06",
             Form(31990, [["d", "x"], ["t", "mcp"]], "{}"), flags="Neighbour"),
    detected("seal", "a seal is of rev1.1 with the encryption that came later", "HOUSE-WHICH-06",
             Form(13, [], "AgAA"), flags="Neighbour"),
    detected("c-tag-on-25910", "a c tag means nothing on kind 25910", "HOUSE-WHICH-06",
             EPHEMERAL.request("tools/call", CALL).with_tags(["c", "execute-tool"]), EPHEMERAL, flags="Neighbour"),
    # Requests of kind 25910
    detected("method-tag-whole", "a whole call with a method tag is of rev1-ephemeral", "HOUSE-WHICH-02 HOUSE-WHICH-03",
             EPHEMERAL.request("tools/call", CALL), EPHEMERAL, flags="Tags"),
    detected("method-tag-no-s", "so it is where it names no server", "HOUSE-WHICH-03",
             EPHEMERAL.request("tools/call", CALL).without("s"), EPHEMERAL, flags="Tags"),
    detected("initialize-whole", "a whole initialize with a method tag is printed by two seeds", "HOUSE-WHICH-05",
             EPHEMERAL.initialize(INITIALIZE), EPHEMERAL, CTXVM, flags="Open"),
    detected("list-whole", "a whole list request with a method tag is printed by two seeds", "HOUSE-WHICH-05",
             EPHEMERAL.request("tools/list"), EPHEMERAL, CTXVM, flags="Open"),
    detected("list-no-s", "so it is where it names no server", "HOUSE-WHICH-03 HOUSE-WHICH-05",
             EPHEMERAL.request("tools/list").without("s"), EPHEMERAL, CTXVM, flags="Open"),
    detected("method-tag-stripped", "a stripped call with a method tag is of rev1.1 or of ctxvm-draft",
             "HOUSE-WHICH-02 HOUSE-WHICH-05", REV1_1.request("tools/call", CALL), REV1_1, CTXVM, flags="Envelope Open"),
    detected("stripped", "a stripped call with p alone is of ctxvm-draft", "HOUSE-WHICH-02 HOUSE-WHICH-03",
             REV1_1.request("tools/call", CALL).without("method").without("s"), CTXVM, flags="Envelope"),
    detected("s-tag", "a whole call with s and without a method tag is of ctxvm-draft", "HOUSE-WHICH-03",
             CTXVM.request("tools/call", CALL), CTXVM, flags="Tags"),
    detected("no-tags", "a whole call with p alone is of ctxvm-draft or of ContextVM", "HOUSE-WHICH-05",
             CONTEXTVM.request("tools/call", CALL), CTXVM, CONTEXTVM, flags="Open"),
    detected("initialize-no-tags", "so is an initialize with p alone", "HOUSE-WHICH-05",
             CONTEXTVM.initialize(INITIALIZE), CTXVM, CONTEXTVM, flags="Open"),
    detected("ephemeral-flag", "a flag for ephemeral wraps is of ContextVM", "HOUSE-WHICH-03",
             CONTEXTVM.initialize(INITIALIZE).with_tags(["support_encryption"], ["support_encryption_ephemeral"]),
             CONTEXTVM, flags="Tags"),
    detected("ephemeral-flag-alone", "so it is without the flag for stored wraps", "HOUSE-WHICH-03",
             CONTEXTVM.initialize(INITIALIZE).with_tags(["support_encryption_ephemeral"]), CONTEXTVM, flags="Tags"),
    # Seed 001, Encryption Support Discovery: only a server says it, announced or in an initialize response, which has d.
    detected("encryption-flag", "a client's flag for wraps is of ContextVM", "HOUSE-WHICH-03",
             CONTEXTVM.initialize(INITIALIZE).with_tags(["support_encryption"]), CONTEXTVM, flags="Tags"),
    detected("encryption-flag-call", "so it is on a call", "HOUSE-WHICH-03",
             CONTEXTVM.request("tools/call", CALL).with_tags(["support_encryption"]), CONTEXTVM, flags="Tags"),
    detected("encryption-flag-answer", "so is the flag of a server on an answer without d", "HOUSE-WHICH-03",
             CONTEXTVM.response(E, 1, ANSWER).with_tags(["support_encryption"]), CONTEXTVM, flags="Tags"),
    detected("encryption-flag-true", "a flag with a value, as DVMCP writes it, decides nothing", "HOUSE-WHICH-05",
             CONTEXTVM.initialize(INITIALIZE).with_tags(["support_encryption", "true"]), CTXVM, CONTEXTVM,
             flags="Open"),
    detected("encryption-flag-d", "the flag on an answer with d is of ctxvm-draft", "HOUSE-WHICH-03",
             CTXVM.response(E, 0, RESULT, method="initialize").with_tags(["support_encryption"]), CTXVM, flags="Tags"),
    detected("encryption-flag-s", "on a request that names a server the flag decides nothing", "HOUSE-WHICH-05",
             CTXVM.initialize(INITIALIZE).with_tags(["support_encryption"]), EPHEMERAL, CTXVM, flags="Open"),
    detected("encryption-flag-method", "nor on a request with a method tag", "HOUSE-WHICH-05",
             CTXVM.initialize(INITIALIZE).without("s").with_tags(["support_encryption"]), EPHEMERAL, CTXVM,
             flags="Open"),
    detected("encryption-flag-s-unreadable", "nor where content cannot be read and s names a server", "HOUSE-WHICH-05",
             Form(25910, [["p", BOB], ["s", "server-1"], ["support_encryption"]], "?"), EPHEMERAL, REV1_1, CTXVM,
             flags="Open Unreadable"),
    detected("encryption-flag-d-unreadable", "nor where content cannot be read and d names a server", "HOUSE-WHICH-05",
             Form(25910, [["p", ALICE], ["e", E], ["d", "server-1"], ["support_encryption"]], "?"), EPHEMERAL, REV1_1,
             CTXVM, flags="Open Unreadable"),
    # Responses and notifications
    detected("response-25910", "a response on kind 25910 is of ctxvm-draft or of ContextVM", "HOUSE-WHICH-03 HOUSE-WHICH-05",
             CONTEXTVM.response(E, 1, ANSWER), CTXVM, CONTEXTVM, flags="Open"),
    detected("response-d", "a response on kind 25910 that names the server in d is of ctxvm-draft", "HOUSE-WHICH-03",
             CTXVM.response(E, 0, RESULT, method="initialize"), CTXVM, flags="Tags"),
    detected("response-stripped", "a stripped response on kind 25910 is of ctxvm-draft", "HOUSE-WHICH-02",
             Form(25910, [["p", ALICE], ["e", E]], ANSWER), CTXVM, flags="Envelope"),
    detected("response-26910-whole", "a whole response on kind 26910 is of rev1-ephemeral", "HOUSE-WHICH-02",
             EPHEMERAL.response(E, 1, ANSWER), EPHEMERAL, flags="Envelope"),
    detected("response-26910-hoisted", "a response on kind 26910 without an envelope is of rev1.1",
             "HOUSE-WHICH-02", REV1_1.response(E, 1, ANSWER), REV1_1, flags="Envelope"),
    detected("response-26910-hybrid", "so is one with a nested result and no jsonrpc",
             "HOUSE-WHICH-02", Form(26910, [["e", E]], {"result": ANSWER}), REV1_1, flags="Envelope"),
    detected("response-26910-unreadable", "a response on kind 26910 that cannot be read is of either",
             "HOUSE-WHICH-05", Form(26910, [["e", E]], "not json"), EPHEMERAL, REV1_1, flags="Unreadable"),
    detected("response-26910-array", "so is one whose content is an array", "HOUSE-WHICH-05",
             Form(26910, [["e", E]], "[1]"), EPHEMERAL, REV1_1, flags="Unreadable"),
    detected("notification-25910", "a notification on kind 25910 is of ctxvm-draft or of ContextVM",
             "HOUSE-WHICH-03 HOUSE-WHICH-05", CONTEXTVM.to_client(CHANGED), CTXVM, CONTEXTVM, flags="Open"),
    detected("notification-25910-method", "one with a method tag there is of ctxvm-draft", "HOUSE-WHICH-03",
             CONTEXTVM.to_client(CHANGED).with_tags(["method", CHANGED]), CTXVM, flags="Tags"),
    detected("notification-21316", "a whole notification on kind 21316 with s is of two revisions",
             "HOUSE-WHICH-02 HOUSE-WHICH-05", REV1.to_client(CHANGED), REV1, EPHEMERAL, flags="Envelope Open"),
    detected("notification-21316-no-s", "without s it is not of the first, which demands it", "HOUSE-WHICH-03",
             REV1.to_client(CHANGED).without("s"), EPHEMERAL, flags="Tags"),
    detected("initialized-21316", "initialized is not of the first, which has no such step", "HOUSE-WHICH-03",
             EPHEMERAL.initialized(), EPHEMERAL, flags="Tags"),
    detected("notification-21316-stripped", "a stripped notification on kind 21316 is of rev1.1", "HOUSE-WHICH-02",
             REV1_1.to_client(CHANGED), REV1_1, flags="Envelope"),
    detected("demand-21316", "a demand for payment, which has no content, is of all three", "HOUSE-WHICH-05",
             REV1.demand(E, 10, "lnbc100n1x"), REV1, EPHEMERAL, REV1_1, flags="Open Unreadable"),
    detected("demand-21316-no-s", "so it is without s", "HOUSE-WHICH-05",
             REV1.demand(E, 10, "lnbc100n1x").without("s"), REV1, EPHEMERAL, REV1_1, flags="Open Unreadable"),
    # Announcements
    detected("server-k-5910", "a server whose k is 5910 is of the first revision", "HOUSE-WHICH-04",
             REV1.announcement(RESULT), REV1, flags="Announced"),
    detected("server-k-25910-wrapped", "one whose k is 25910, in a response, is of rev1-ephemeral", "HOUSE-WHICH-04",
             EPHEMERAL.announcement(RESULT), EPHEMERAL, flags="Announced"),
    detected("server-k-25910-result", "so is one in a result without jsonrpc", "HOUSE-WHICH-04",
             EPHEMERAL.announcement(RESULT).saying({"result": RESULT}), EPHEMERAL, flags="Announced"),
    detected("server-k-25910-bare", "one whose k is 25910, bare, is of rev1.1", "HOUSE-WHICH-04",
             REV1_1.announcement(RESULT), REV1_1, flags="Announced"),
    detected("server-k-25910-unreadable", "one whose k is 25910 that cannot be read is of either",
             "HOUSE-WHICH-05", REV1_1.announcement(RESULT).saying(""), EPHEMERAL, REV1_1,
             flags="Announced Unreadable"),
    detected("server-no-k", "one without k is of ctxvm-draft", "HOUSE-WHICH-04",
             CTXVM.announcement(RESULT), CTXVM, flags="Announced"),
    detected("tools-t", "tools in a response with t tags are of the first revision", "HOUSE-WHICH-04",
             REV1.tool_list(TOOLS), REV1, flags="Announced"),
    detected("tools-cap", "tools in a response with cap tags are of rev1-ephemeral", "HOUSE-WHICH-04",
             EPHEMERAL.tool_list(TOOLS), EPHEMERAL, flags="Announced"),
    detected("tools-no-names", "tools in a response, named by no tag, lack what both of these demand", "HOUSE-WHICH-05",
             REV1.tool_list(TOOLS).without("t"), REV1, EPHEMERAL, flags="Announced Open"),
    detected("tools-bare-cap", "bare tools with cap tags are of rev1.1 or of ctxvm-draft", "HOUSE-WHICH-05",
             REV1_1.tool_list(TOOLS), REV1_1, CTXVM, flags="Announced Open"),
    detected("tools-bare", "bare tools without cap tags are of ctxvm-draft", "HOUSE-WHICH-04",
             CTXVM.tool_list(TOOLS), CTXVM, flags="Announced"),
    detected("tools-bare-none", "a bare list without tools has nothing to tag", "HOUSE-WHICH-05",
             CTXVM.tool_list([]), REV1_1, CTXVM, flags="Announced Open"),
    detected("tools-none", "a list in a response without tools has nothing to tag", "HOUSE-WHICH-05",
             REV1.tool_list([]), REV1, EPHEMERAL, flags="Announced Open"),
    detected("resources", "resources in a response may go without tags", "HOUSE-WHICH-05",
             listed(31318, wrapped({"resources": [{"name": "r", "uri": "file:///r"}]})), REV1, EPHEMERAL,
             flags="Announced Open"),
    detected("resources-bare", "so may bare ones", "HOUSE-WHICH-05",
             listed(31318, {"resources": [{"name": "r", "uri": "file:///r"}]}), REV1_1, CTXVM, flags="Announced Open"),
    detected("prompts-t", "prompts in a response with t tags are of the first revision", "HOUSE-WHICH-04",
             listed(31319, wrapped({"prompts": [{"name": "q"}]}), ["t", "q"]), REV1, flags="Announced"),
    detected("prompts-cap", "prompts in a response with cap tags are of rev1-ephemeral", "HOUSE-WHICH-04",
             listed(31319, wrapped({"prompts": [{"name": "q"}]}), ["cap", "q"]), EPHEMERAL, flags="Announced"),
    detected("list-unreadable", "a list that cannot be read is of any of the four", "HOUSE-WHICH-05",
             listed(31318, "{"), REV1, EPHEMERAL, REV1_1, CTXVM, flags="Announced Unreadable"),
    # What nobody signed
    invalid("detect-forged", "an event that was changed is of no revision", "HOUSE-WHICH-01",
            {"event": {**event(REV1.request("tools/call", CALL)), "kind": 25910}}, "id_mismatch", flags="Forged"),
)  # fmt: skip
