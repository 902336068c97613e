"""NIP-09 deletion requests."""

from __future__ import annotations

from typing import Any

from vectors.source.writing import Note, Suite, invalid, public, signed, valid

SUITE = Suite(
    "common/nip09",
    "NIP-09 deletion requests",
    "1",
    {
        "Basic": Note("BASIC", "an ordinary deletion request", "withdrawn announcements stay"),
        "ForeignAuthor": Note("AUTH_BYPASS", "a request by another key", "anyone deletes anyone's announcement"),
        "Time": Note(
            "EDGE_CASE",
            "an address covers versions up to the request, an id its event",
            "a new announcement is deleted too",
        ),
        "NoReference": Note("MISSING_STEP", "a request that names nothing", "a crash, or everything deleted"),
        "WrongKind": Note("MISSING_STEP", "an event of another kind", "ordinary events delete others"),
    },
)

TIME = 1_750_000_000
ALICE = public("alice")
NOTE = signed("alice", 1, [], "a note", TIME)
SERVER = signed("alice", 31316, [["d", "server"]], "{}", TIME)
LATER_SERVER = signed("alice", 31316, [["d", "server"]], "{}", TIME + 61)
LATER_NOTE = signed("alice", 1, [], "a note dated ahead", TIME + 120)
REPLACEABLE = signed("alice", 11316, [], "{}", TIME)
ADDRESS = f"31316:{ALICE}:server"


def request(*tags: list[str], role: str = "alice", created_at: int = TIME + 60) -> dict[str, Any]:
    return signed(role, 5, list(tags), "published by accident", created_at)


BY_ID = request(["e", NOTE["id"]], ["k", "1"])
BY_ADDRESS = request(["a", ADDRESS], ["k", "31316"])


def deletion(id: str, title: str, req: str, asked: Any, event: Any, deletes: bool, flags: str = "Basic") -> Any:
    return valid(id, title, req, {"request": asked, "event": event}, {"deletes": deletes}, flags=flags)


def refused(id: str, title: str, req: str, asked: Any, error: str, flags: str) -> Any:
    return invalid(id, title, req, {"request": asked, "event": NOTE}, error, flags=flags)


SUITE.group(
    "deletes",
    deletion("delete-by-id", "a request names an event of its author", "NIP09-REQ-01", BY_ID, NOTE, True),
    deletion("delete-other-id", "a request names another event", "NIP09-REQ-01", BY_ID, SERVER, False),
    deletion("delete-by-address", "a request names an address", "NIP09-ADDR-01", BY_ADDRESS, SERVER, True),
    deletion("delete-by-replaceable-address", "the address of a replaceable event ends with a colon", "NIP09-ADDR-01",
             request(["a", f"11316:{ALICE}:"]), REPLACEABLE, True),
    deletion("delete-several", "one request names several events", "NIP09-REQ-01",
             request(["e", "00" * 32], ["a", ADDRESS], ["e", NOTE["id"]]), NOTE, True),
    deletion("delete-newer-version", "a version after the request stays", "NIP09-ADDR-01", BY_ADDRESS, LATER_SERVER,
             False, "Time"),
    deletion("delete-same-second", "a version of the request's own second goes", "NIP09-ADDR-01",
             request(["a", ADDRESS], created_at=TIME), SERVER, True, "Time"),
    deletion("delete-id-dated-later", "an event named by its id goes whatever its time", "NIP09-REQ-01",
             request(["e", LATER_NOTE["id"]], ["k", "1"]), LATER_NOTE, True, "Time"),
    deletion("delete-foreign-id", "another key's request for an id", "NIP09-AUTH-01",
             request(["e", NOTE["id"]], role="mallory"), NOTE, False, "ForeignAuthor"),
    deletion("delete-foreign-address", "another key's request for an address", "NIP09-AUTH-01",
             request(["a", ADDRESS], role="mallory"), SERVER, False, "ForeignAuthor"),
    deletion("delete-deletion", "a deletion request cannot be deleted", "NIP09-REQ-03", request(["e", BY_ID["id"]]),
             BY_ID, False),
    refused("delete-nothing", "a request that names nothing", "NIP09-REQ-01", request(["k", "1"]),
            "malformed_deletion", "NoReference"),
    refused("delete-bad-id", "a request whose e tag holds no id", "NIP09-REQ-01", request(["e", "abc"]),
            "malformed_deletion", "NoReference"),
    refused("delete-bad-address", "a request whose a tag holds no address", "NIP09-REQ-01", request(["a", "31316:server"]),
            "malformed_deletion", "NoReference"),
    refused("delete-wrong-kind", "an event of another kind with the same tags", "NIP09-REQ-01",
            signed("alice", 1, [["e", NOTE["id"]]], "", TIME), "wrong_kind", "WrongKind"),
)  # fmt: skip

SUITE.group(
    "build_deletion",
    valid("delete-build", "e and a tags for the events, k tags for their kinds", "NIP09-REQ-01 NIP09-REQ-02",
          {"pubkey": ALICE, "created_at": TIME, "ids": [NOTE["id"]], "addresses": [ADDRESS], "kinds": [1, 31316],
           "reason": "withdrawn"},
          {"event": {"pubkey": ALICE, "created_at": TIME, "kind": 5,
                     "tags": [["e", NOTE["id"]], ["a", ADDRESS], ["k", "1"], ["k", "31316"]], "content": "withdrawn"}},
          flags="Basic", compare="unordered_tags", level="SHOULD"),
    invalid("delete-build-nothing", "a request that names nothing is not built", "NIP09-REQ-01",
            {"pubkey": ALICE, "created_at": TIME, "ids": [], "addresses": [], "kinds": [], "reason": ""},
            "malformed_deletion", flags="NoReference"),
)  # fmt: skip
