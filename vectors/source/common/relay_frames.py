"""NIP-01's messages between client and relay, and NIP-42's AUTH."""

from __future__ import annotations

import json
from typing import Any

from vectors.source.writing import Note, Suite, acceptable, invalid, public, signed, valid

SUITE = Suite(
    "common/relay_frames",
    "Messages between client and relay",
    "1",
    {
        "Basic": Note("BASIC", "an ordinary message", "nothing works"),
        "ExtraElements": Note("BASIC", "elements that later NIPs add", "a newer relay is cut off"),
        "Prefix": Note(
            "BASIC", "the machine-readable word before the colon", "a duplicate or a limit is taken for loss"
        ),
        "NotAnArray": Note("MISSING_STEP", "not an array that begins with its type", "a crash in the read loop"),
        "MissingElement": Note("MISSING_STEP", "an element is missing", "a crash in the read loop"),
        "WrongType": Note("MISSING_STEP", "an element of another type", "a refusal is taken for success"),
        "SubscriptionId": Note(
            "EDGE_CASE", "a subscription id at or beyond its limits", "a relay's tables grow or mix"
        ),
        "UnknownType": Note("MISSING_STEP", "a message that this side does not receive", "a crash in the read loop"),
        "WrongSide": Note(
            "MISSING_STEP", "a message that only the other side sends", "a relay steers the client's state"
        ),
        "DuplicateKey": Note(
            "AUTH_BYPASS", "a key named twice inside the message", "relay and client see different events"
        ),
        "Depth": Note(
            "RESOURCE",
            "nesting far beyond what any message needs",
            "a recursive parser overflows its stack: one message stops the process",
        ),
        "BadEvent": Note("MISSING_STEP", "the event inside has a wrong shape", "unchecked data enters the program"),
    },
)

EVENT = signed("alice", 25910, [["p", public("bob")]], '{"method":"ping"}')
ID = EVENT["id"]
LONGEST = "s" * 64


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def parsed(id: str, title: str, req: str, frame: list[Any], frame_value: dict[str, Any], flags: str = "Basic") -> Any:
    return valid(id, title, req, {"raw": compact(frame)}, {"frame": frame_value}, flags=flags)


def refused(id: str, title: str, req: str, raw: str | list[Any], error: str, flags: str) -> Any:
    return invalid(id, title, req, {"raw": raw if isinstance(raw, str) else compact(raw)}, error, flags=flags)


def ok(accepted: bool, message: str, prefix: str) -> dict[str, Any]:
    return {"type": "OK", "event_id": ID, "accepted": accepted, "message": message, "prefix": prefix}


def ok_case(word: str, accepted: bool, message: str, prefix: str, req: str = "NIP01-FRAME-08") -> Any:
    return parsed(f"frame-ok-{word}", f"OK {str(accepted).lower()} with {message!r:.40}", req,
                      ["OK", ID, accepted, message], ok(accepted, message, prefix), "Prefix")  # fmt: skip


DUPLICATED = compact(["EVENT", "sub", EVENT])[:-2] + ',"kind":25910}]'

SUITE.group(
    "parse_relay_frame",
    parsed("frame-event", "EVENT with a subscription id and an event", "NIP01-FRAME-04", ["EVENT", "sub", EVENT],
               {"type": "EVENT", "subscription_id": "sub", "event": EVENT}),
    valid("frame-event-spaced", "EVENT with white space", "NIP01-FRAME-04",
          {"raw": json.dumps(["EVENT", "sub:1", EVENT], indent=1)},
          {"frame": {"type": "EVENT", "subscription_id": "sub:1", "event": EVENT}}, flags="Basic"),
    parsed("frame-event-longest-id", "a subscription id of 64 characters", "NIP01-FRAME-03",
               ["EVENT", LONGEST, EVENT], {"type": "EVENT", "subscription_id": LONGEST, "event": EVENT},
               "SubscriptionId"),
    parsed("frame-event-extra", "EVENT with one more element", "NIP01-FRAME-09", ["EVENT", "sub", EVENT, {"x": 1}],
               {"type": "EVENT", "subscription_id": "sub", "event": EVENT}, "ExtraElements"),
    ok_case("accepted", True, "", "", "NIP01-FRAME-05"),
    ok_case("duplicate", True, "duplicate: already have this event", "duplicate"),
    ok_case("duplicate-refused", False, "duplicate: exists", "duplicate"),
    ok_case("pow", True, "pow: difficulty 25>=24", "pow"),
    ok_case("blocked", False, "blocked: not on the list", "blocked"),
    ok_case("rate-limited", False, "rate-limited: slow down", "rate-limited"),
    ok_case("invalid", False, "invalid: created_at too early", "invalid"),
    ok_case("restricted", False, "restricted: members only", "restricted"),
    ok_case("mute", False, "mute: no one was listening", "mute"),
    ok_case("error", False, "error: no database", "error"),
    ok_case("auth-required", False, "auth-required: who are you", "auth-required", "NIP42-FRAME-02"),
    ok_case("other", False, "shadowbanned: sorry", "other"),
    ok_case("no-prefix", False, "we do not like this", ""),
    ok_case("word-without-colon", False, "duplicate", ""),
    ok_case("late-colon", False, "not here: sorry", ""),
    parsed("frame-eose", "EOSE", "NIP01-FRAME-06", ["EOSE", "sub"], {"type": "EOSE", "subscription_id": "sub"}),
    parsed("frame-eose-extra", "EOSE with one more element", "NIP01-FRAME-09", ["EOSE", "sub", "more"],
               {"type": "EOSE", "subscription_id": "sub"}, "ExtraElements"),
    parsed("frame-closed", "CLOSED with a prefix", "NIP01-FRAME-06 NIP01-FRAME-08",
               ["CLOSED", "sub", "error: shutting down"],
               {"type": "CLOSED", "subscription_id": "sub", "message": "error: shutting down", "prefix": "error"},
               "Prefix"),
    parsed("frame-closed-unsupported", "CLOSED for an unknown filter element", "NIP01-FRAME-06",
               ["CLOSED", "sub", "unsupported: filter contains unknown elements"],
               {"type": "CLOSED", "subscription_id": "sub", "message": "unsupported: filter contains unknown elements",
                "prefix": "unsupported"}, "Prefix"),
    parsed("frame-notice", "NOTICE", "NIP01-FRAME-07", ["NOTICE", "hello"], {"type": "NOTICE", "message": "hello"}),
    parsed("frame-auth-challenge", "AUTH with a challenge", "NIP42-FRAME-01", ["AUTH", "4f2a"],
               {"type": "AUTH", "challenge": "4f2a"}),
    refused("frame-object", "an object is no message", "NIP01-FRAME-10", '{"EOSE":"sub"}',
             "malformed_frame", "NotAnArray"),
    refused("frame-empty-array", "an empty array is no message", "NIP01-FRAME-10", [], "malformed_frame", "NotAnArray"),
    refused("frame-number-type", "a type that is a number", "NIP01-FRAME-10", [1, "sub"], "malformed_frame",
             "NotAnArray"),
    refused("frame-null-type", "a type that is null", "NIP01-FRAME-10", [None], "malformed_frame", "NotAnArray"),
    refused("frame-not-json", "text that is not JSON", "NIP01-FRAME-10", "hello", "invalid_json", "NotAnArray"),
    refused("frame-lower-case", "a type in lower case", "NIP01-FRAME-10", ["eose", "sub"], "unknown_frame",
             "UnknownType"),
    refused("frame-unknown", "a type that no NIP here defines", "NIP01-FRAME-10", ["HELLO", "sub"], "unknown_frame",
             "UnknownType"),
    refused("frame-req-from-relay", "REQ from a relay", "NIP01-FRAME-10", ["REQ", "sub", {}], "unknown_frame",
             "WrongSide"),
    refused("frame-event-no-subscription", "EVENT from a relay without a subscription id", "NIP01-FRAME-04",
             ["EVENT", EVENT], "malformed_frame", "MissingElement"),
    refused("frame-event-empty-subscription", "EVENT with an empty subscription id", "NIP01-FRAME-03",
             ["EVENT", "", EVENT], "malformed_subscription_id", "SubscriptionId"),
    refused("frame-event-number-subscription", "EVENT with a number as subscription id", "NIP01-FRAME-03",
             ["EVENT", 1, EVENT], "malformed_subscription_id", "WrongType"),
    refused("frame-event-null", "EVENT with null in place of the event", "NIP01-FRAME-04", ["EVENT", "sub", None],
             "not_an_object", "BadEvent"),
    refused("frame-event-bad-kind", "EVENT with an event of a wrong shape", "NIP01-FRAME-04",
             ["EVENT", "sub", {**EVENT, "kind": "1"}], "malformed_kind", "BadEvent"),
    refused("frame-event-duplicate-key", "EVENT whose event names a key twice", "NIP01-EVT-11", DUPLICATED,
             "duplicate_key", "DuplicateKey"),
    refused("frame-event-depth-20000", "EVENT with 20,000 nested arrays in place of the event", "JSON-PARSE-05",
             '["EVENT","sub",' + "[" * 20_000 + "]" * 20_000 + "]", "too_deep", "Depth"),
    refused("frame-ok-no-message", "OK without a message", "NIP01-FRAME-05", ["OK", ID, True], "malformed_frame",
             "MissingElement"),
    refused("frame-ok-string-flag", "OK with a string in place of true", "NIP01-FRAME-05", ["OK", ID, "true", ""],
             "malformed_frame", "WrongType"),
    refused("frame-ok-number-flag", "OK with 1 in place of true", "NIP01-FRAME-05", ["OK", ID, 1, ""],
             "malformed_frame", "WrongType"),
    refused("frame-ok-null-message", "OK with null in place of the message", "NIP01-FRAME-05", ["OK", ID, True, None],
             "malformed_frame", "WrongType"),
    refused("frame-ok-short-id", "OK with an id of 8 digits", "NIP01-FRAME-05", ["OK", ID[:8], True, ""],
             "malformed_id", "WrongType"),
    refused("frame-ok-upper-case-id", "OK with an id in upper case", "NIP01-FRAME-05 NIP01-EVT-02",
             ["OK", ID.upper(), True, ""], "malformed_id", "WrongType"),
    refused("frame-ok-number-id", "OK with a number as id", "NIP01-FRAME-05", ["OK", 1, True, ""], "malformed_id",
             "WrongType"),
    refused("frame-ok-empty-id", "OK with an empty id", "NIP01-FRAME-05", ["OK", "", False, "invalid: bad"],
             "malformed_id", "WrongType"),
    refused("frame-eose-alone", "EOSE without a subscription id", "NIP01-FRAME-06", ["EOSE"], "malformed_frame",
             "MissingElement"),
    refused("frame-closed-no-message", "CLOSED without a message", "NIP01-FRAME-06", ["CLOSED", "sub"],
             "malformed_frame", "MissingElement"),
    refused("frame-notice-object", "NOTICE with an object", "NIP01-FRAME-07", ["NOTICE", {}], "malformed_frame",
             "WrongType"),
    refused("frame-auth-event-from-relay", "AUTH from a relay with an event", "NIP42-FRAME-01", ["AUTH", EVENT],
             "malformed_frame", "WrongSide"),
)  # fmt: skip

FILTER = {"kinds": [25910], "#p": [public("bob")], "since": 1_750_000_000, "limit": 10}

SUITE.group(
    "parse_client_frame",
    parsed("frame-publish", "EVENT with an event", "NIP01-FRAME-01", ["EVENT", EVENT],
               {"type": "EVENT", "event": EVENT}),
    parsed("frame-req", "REQ with a filter", "NIP01-FRAME-02", ["REQ", "sub", FILTER],
               {"type": "REQ", "subscription_id": "sub", "filters": [FILTER]}),
    parsed("frame-req-two-filters", "REQ with two filters", "NIP01-FRAME-02", ["REQ", "sub", FILTER, {}],
               {"type": "REQ", "subscription_id": "sub", "filters": [FILTER, {}]}),
    parsed("frame-req-multibyte-id", "REQ with a subscription id of 64 characters of two bytes", "NIP01-FRAME-03",
               ["REQ", "\u00e9" * 64, {}], {"type": "REQ", "subscription_id": "\u00e9" * 64, "filters": [{}]},
               "SubscriptionId"),
    parsed("frame-close", "CLOSE", "NIP01-FRAME-02", ["CLOSE", "sub"], {"type": "CLOSE", "subscription_id": "sub"}),
    parsed("frame-auth", "AUTH with an event", "NIP42-FRAME-01", ["AUTH", EVENT], {"type": "AUTH", "event": EVENT}),
    refused("frame-publish-alone", "EVENT without an event", "NIP01-FRAME-01", ["EVENT"], "malformed_frame",
             "MissingElement"),
    refused("frame-publish-with-subscription", "EVENT from a client with a subscription id first", "NIP01-FRAME-01",
             ["EVENT", "sub", EVENT], "not_an_object", "WrongSide"),
    refused("frame-publish-duplicate-key", "EVENT whose event names a key twice", "NIP01-EVT-11",
             compact(["EVENT", EVENT])[:-2] + ',"kind":25910}]', "duplicate_key", "DuplicateKey"),
    refused("frame-req-no-filter", "REQ without a filter", "NIP01-FRAME-02", ["REQ", "sub"], "malformed_frame",
             "MissingElement"),
    refused("frame-req-bad-filter", "REQ with a filter of a wrong type", "NIP01-FRAME-02", ["REQ", "sub", {"kinds": 1}],
             "malformed_filter", "WrongType"),
    refused("frame-req-filter-string", "REQ with a string in place of a filter", "NIP01-FRAME-02", ["REQ", "sub", "x"],
             "not_an_object", "WrongType"),
    refused("frame-req-empty-id", "REQ with an empty subscription id", "NIP01-FRAME-03", ["REQ", "", FILTER],
             "malformed_subscription_id", "SubscriptionId"),
    refused("frame-req-long-id", "REQ with a subscription id of 65 characters", "NIP01-FRAME-03",
             ["REQ", LONGEST + "s", FILTER], "malformed_subscription_id", "SubscriptionId"),
    refused("frame-req-duplicate-key", "REQ whose filter names a key twice", "NIP01-EVT-11",
             '["REQ","sub",{"kinds":[1],"kinds":[25910]}]', "duplicate_key", "DuplicateKey"),
    refused("frame-close-alone", "CLOSE without a subscription id", "NIP01-FRAME-02", ["CLOSE"], "malformed_frame",
             "MissingElement"),
    refused("frame-auth-string", "AUTH from a client with a challenge", "NIP42-FRAME-01", ["AUTH", "4f2a"],
             "not_an_object", "WrongSide"),
    refused("frame-eose-from-client", "EOSE from a client", "NIP01-FRAME-10", ["EOSE", "sub"], "unknown_frame",
             "WrongSide"),
)  # fmt: skip


def written(id: str, title: str, req: str, frame: dict[str, Any], raw: list[Any]) -> Any:
    return valid(id, title, req, {"frame": frame}, {"raw": compact(raw)}, compare="json", flags="Basic")


SUITE.group(
    "write_client_frame",
    written("frame-write-publish", "EVENT is written", "NIP01-FRAME-01", {"type": "EVENT", "event": EVENT},
            ["EVENT", EVENT]),
    written("frame-write-req", "REQ is written", "NIP01-FRAME-02",
            {"type": "REQ", "subscription_id": "sub", "filters": [FILTER]}, ["REQ", "sub", FILTER]),
    written("frame-write-close", "CLOSE is written", "NIP01-FRAME-02", {"type": "CLOSE", "subscription_id": "sub"},
            ["CLOSE", "sub"]),
    written("frame-write-auth", "AUTH is written", "NIP42-FRAME-01", {"type": "AUTH", "event": EVENT}, ["AUTH", EVENT]),
    invalid("frame-write-req-no-filter", "a REQ without a filter is not sent", "NIP01-FRAME-02",
            {"frame": {"type": "REQ", "subscription_id": "sub", "filters": []}}, "malformed_frame", flags="MissingElement"),
    invalid("frame-write-long-id", "a subscription id of 65 characters is not sent", "NIP01-FRAME-03",
            {"frame": {"type": "CLOSE", "subscription_id": LONGEST + "s"}}, "malformed_subscription_id",
            flags="SubscriptionId"),
)  # fmt: skip

SUITE.group(
    "write_relay_frame",
    written("frame-write-event", "EVENT is written", "NIP01-FRAME-04",
            {"type": "EVENT", "subscription_id": "sub", "event": EVENT}, ["EVENT", "sub", EVENT]),
    written("frame-write-ok", "OK is written with an empty message", "NIP01-FRAME-05",
            {"type": "OK", "event_id": ID, "accepted": True, "message": ""}, ["OK", ID, True, ""]),
    written("frame-write-eose", "EOSE is written", "NIP01-FRAME-06", {"type": "EOSE", "subscription_id": "sub"},
            ["EOSE", "sub"]),
    written("frame-write-closed", "CLOSED is written", "NIP01-FRAME-06",
            {"type": "CLOSED", "subscription_id": "sub", "message": "error: x"}, ["CLOSED", "sub", "error: x"]),
    written("frame-write-notice", "NOTICE is written", "NIP01-FRAME-07", {"type": "NOTICE", "message": "x"},
            ["NOTICE", "x"]),
    written("frame-write-challenge", "AUTH is written", "NIP42-FRAME-01", {"type": "AUTH", "challenge": "4f2a"},
            ["AUTH", "4f2a"]),
)  # fmt: skip

NESTED = "[" * 5_000 + "]" * 5_000
WHOLE_FILTER = {"ids": [ID], "authors": [EVENT["pubkey"]], "kinds": [0, 65535], "#e": [ID], "since": 0, "limit": 0}

# Frames at the edges of their rules.
SUITE.group(
    "parse_relay_frame",
    parsed("frame-eose-shortest-id", "a subscription id of one character", "NIP01-FRAME-03", ["EOSE", "s"],
           {"type": "EOSE", "subscription_id": "s"}, "SubscriptionId"),
    refused("frame-notice-alone", "NOTICE without a message", "NIP01-FRAME-07", ["NOTICE"], "malformed_frame",
            "MissingElement"),
    refused("frame-challenge-alone", "AUTH without a challenge", "NIP42-FRAME-01", ["AUTH"], "malformed_frame",
            "MissingElement"),
    refused("frame-notice-duplicate-key", "a key named twice after the message of a NOTICE", "JSON-PARSE-02",
            '["NOTICE","hello",{"a":1,"a":2}]', "duplicate_key", "DuplicateKey"),
    refused("frame-notice-deep", "5,000 nested arrays after the message of a NOTICE", "JSON-PARSE-05",
            f'["NOTICE","hello",{NESTED}]', "too_deep", "Depth"),
    acceptable("frame-notice-deep-500", "500 nested arrays after the message of a NOTICE", "JSON-PARSE-05",
               {"raw": f'["NOTICE","hello",{NESTED[4_500:5_500]}]'}, "AMB-08", error="too_deep", flags="Depth"),
)  # fmt: skip

SUITE.group(
    "parse_client_frame",
    parsed("frame-req-whole", "REQ with every kind of condition", "NIP01-FRAME-02", ["REQ", "sub", WHOLE_FILTER],
           {"type": "REQ", "subscription_id": "sub", "filters": [WHOLE_FILTER]}),
    refused("frame-close-duplicate-key", "a key named twice after the id of a CLOSE", "JSON-PARSE-02",
            '["CLOSE","sub",{"a":1,"a":2}]', "duplicate_key", "DuplicateKey"),
)  # fmt: skip

SUITE.group(
    "write_client_frame",
    written("frame-write-short-id", "a subscription id of one character is sent", "NIP01-FRAME-03",
            {"type": "CLOSE", "subscription_id": "s"}, ["CLOSE", "s"]),
    written("frame-write-longest-id", "a subscription id of 64 characters is sent", "NIP01-FRAME-03",
            {"type": "CLOSE", "subscription_id": LONGEST}, ["CLOSE", LONGEST]),
)  # fmt: skip
