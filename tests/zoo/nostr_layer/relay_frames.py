"""Messages between client and relay that are read or written in another way than meant."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nostrmcp.conformance.operations import OPERATIONS, Value
from nostrmcp.nostr import ErrorClass, LocalProtocolError, Violation, filters, relay_frames, strict_json
from nostrmcp.nostr.relay_frames import Prefix
from tests.zoo.member import Operations, also, member, patched, reading, refusal, writing

_READING = "parse_relay_frame parse_client_frame"
_WRITING = "write_relay_frame write_client_frame"


def reframed(names: str, change: Callable[[Any], Any]) -> Operations:
    """Messages that are changed, where `change` does so, before they are read."""

    def read(given: Value) -> Value:
        frame = strict_json.parse(given["raw"])
        changed = change(frame)
        return given if changed is frame else {"raw": json.dumps(changed)}

    return reading(names, read)


def from_relay(frame_type: str, change: Callable[[list[Any]], list[Any]]) -> Operations:
    return reframed("parse_relay_frame", lambda frame: change(frame) if is_of(frame_type, frame) else frame)


def from_client(frame_type: str, change: Callable[[list[Any]], list[Any]]) -> Operations:
    return reframed("parse_client_frame", lambda frame: change(frame) if is_of(frame_type, frame) else frame)


def is_of(frame_type: str, frame: Any) -> bool:
    return isinstance(frame, list) and frame[:1] == [frame_type]


def element(position: int, change: Callable[[Any], Any]) -> Callable[[list[Any]], list[Any]]:
    """A message with one element changed, if it has it."""

    def changed(frame: list[Any]) -> list[Any]:
        if len(frame) <= position:
            return frame
        return [*frame[:position], change(frame[position]), *frame[position + 1 :]]

    return changed


def filled_up(*defaults: Any) -> Callable[[list[Any]], list[Any]]:
    """A message with defaults for the elements that it lacks."""
    return lambda frame: [*frame, *defaults[len(frame) - 1 :]]


def by_position(given: Value) -> Value:
    """Elements taken by their position without a look at how many there are."""
    frame = strict_json.parse(given["raw"])
    for position in range({"OK": 4, "CLOSED": 3, "EVENT": 2, "REQ": 3}.get(frame[0].upper(), 2)):
        frame[position]
    return given


def no_more_elements(given: Value) -> Value:
    frame = strict_json.parse(given["raw"])
    lengths = {"EVENT": 3, "OK": 4, "EOSE": 2, "CLOSED": 3, "NOTICE": 2, "AUTH": 2}
    if any(is_of(name, frame) and len(frame) > length for name, length in lengths.items()):
        raise refusal(ErrorClass.MALFORMED_FRAME)
    return given


def read_recursively(given: Value) -> Value:
    """Whatever is nested too deep crashes."""
    try:
        strict_json.parse(given["raw"])
    except Violation as refused:
        if refused.error_class is ErrorClass.TOO_DEEP:
            raise RecursionError from None
    return given


def limits_in_bytes(value: Any) -> str:
    if not isinstance(value, str) or not 1 <= len(value.encode()) <= 64:
        raise refusal(ErrorClass.MALFORMED_SUBSCRIPTION_ID)
    return value


def has_type(frame: Any) -> bool:
    return isinstance(frame, list) and bool(frame) and isinstance(frame[0], str)


def without_type(given: Value) -> Value:
    """An answer of its own for every message that it does not know."""
    frame = strict_json.parse(given["raw"])
    if has_type(frame) and frame[0] not in ("EVENT", "OK", "EOSE", "CLOSED", "NOTICE", "AUTH"):
        return {"frame": {"type": frame[0]}}
    return OPERATIONS["parse_relay_frame"](given)


def nothing_for_no_type(given: Value) -> Value | None:
    frame = strict_json.parse(given["raw"])
    return {"frame": None} if isinstance(frame, list) and not has_type(frame) else None


def text_is_notice(given: Value) -> Value:
    return given if given["raw"].startswith(("[", "{")) else {"raw": json.dumps(["NOTICE", given["raw"]])}


def either_side(given: Value) -> Value:
    """One reader for both sides, which goes by what it finds."""
    frame = strict_json.parse(given["raw"])
    is_request = is_of("REQ", frame) or is_of("CLOSE", frame)
    has_event_only = (is_of("EVENT", frame) or is_of("AUTH", frame)) and [*map(type, frame[1:])] == [dict]
    return OPERATIONS["parse_client_frame" if is_request or has_event_only else "parse_relay_frame"](given)


def challenge_of_a_client(given: Value) -> Value | None:
    frame = strict_json.parse(given["raw"])
    return OPERATIONS["parse_relay_frame"](given) if is_of("AUTH", frame) else None


def ok_of_any_id(given: Value) -> Value | None:
    frame = strict_json.parse(given["raw"])
    if not is_of("OK", frame) or [*map(type, frame)] != [str, str, bool, str]:
        return None
    names = ("type", "event_id", "accepted", "message")
    return {"frame": {**dict(zip(names, frame, strict=True)), "prefix": right_prefix(frame[3]).value}}


def is_filter(value: Any) -> bool:
    try:
        filters.parse(value)
    except Violation:
        return False
    return True


def unshaped_events(given: Value) -> Value:
    """An event of a relay's message handed on as it stands."""
    frame = strict_json.parse(given["raw"])
    if is_of("EVENT", frame) and len(frame) > 2 and isinstance(frame[1], str) and frame[1]:
        return {"frame": {"type": "EVENT", "subscription_id": frame[1], "event": frame[2]}}
    return OPERATIONS["parse_relay_frame"](given)


def prefixes(prefix_of: Callable[[str], Prefix]) -> Operations:
    return patched("parse_relay_frame", (relay_frames, "prefix_of", prefix_of))


def word_of(message: str) -> str:
    return message.partition(":")[0] if ":" in message else ""


right_prefix = relay_frames.prefix_of


def only(*known: Prefix) -> Operations:
    """Prefixes that are not known are others."""
    return prefixes(lambda message: its if (its := right_prefix(message)) in (Prefix.NONE, *known) else Prefix.OTHER)


def rewritten(change: Callable[[list[Any]], Any]) -> Operations:
    """Messages that are written, and then written again in another way."""
    return writing(_WRITING, lambda output: {"raw": json.dumps(change(json.loads(output["raw"])))})


def write_without_filter(given: Value) -> Value:
    if given["frame"].get("filters") == []:
        return {"raw": json.dumps(["REQ", given["frame"]["subscription_id"]])}
    return OPERATIONS["write_client_frame"](given)


def write_any_subscription_id(given: Value) -> Value:
    try:
        return OPERATIONS["write_client_frame"](given)
    except LocalProtocolError as refusal:
        if refusal.error_class is not ErrorClass.MALFORMED_SUBSCRIPTION_ID:
            raise
        return {"raw": json.dumps(list(given["frame"].values()))}


CONTROLS = [
    member("frame-control", "A reader that changes nothing.", reframed(_READING, lambda frame: frame), fails="")
]

MEMBERS = [
    member(
        "frame-extra-elements",
        "Refuses elements that later NIPs add.",
        reading("parse_relay_frame", no_more_elements),
        fails="frame-event-extra frame-eose-extra",
    ),
    member(
        "frame-by-position",
        "Takes elements by their position, and crashes where there are none.",
        reading(_READING, by_position),
        fails="""
            frame-object frame-empty-array frame-number-type frame-null-type frame-ok-no-message frame-eose-alone
            frame-closed-no-message frame-publish-alone frame-req-no-filter frame-close-alone frame-challenge-alone
            frame-notice-alone
        """,
    ),
    member(
        "frame-any-case",
        "Reads types of any case.",
        reframed(
            _READING,
            lambda frame: [frame[0].upper(), *frame[1:]] if has_type(frame) and frame[0].islower() else frame,
        ),
        fails="frame-lower-case",
    ),
    member(
        "frame-object",
        "Reads an object of one key as a message.",
        reframed(
            _READING,
            lambda frame: [item for pair in frame.items() for item in pair] if isinstance(frame, dict) else frame,
        ),
        fails="frame-object",
    ),
    member(
        "frame-not-json-is-notice",
        "Takes a text that is not JSON for a notice.",
        reading("parse_relay_frame", text_is_notice),
        fails="frame-not-json",
    ),
    member(
        "frame-empty-is-nothing",
        "Hands on an empty message, or one without a type, as nothing.",
        also("parse_relay_frame", nothing_for_no_type),
        fails="frame-empty-array frame-number-type frame-null-type",
    ),
    member(
        "frame-unknown-type",
        "Hands on messages of types that it does not know.",
        {"parse_relay_frame": without_type},
        fails="frame-lower-case frame-unknown frame-req-from-relay",
    ),
    member(
        "frame-either-side",
        "Reads what only a client sends, as client and relay share one reader.",
        {"parse_relay_frame": either_side},
        fails="frame-req-from-relay frame-event-no-subscription frame-auth-event-from-relay",
    ),
    member(
        "frame-relay-side",
        "Reads what only a relay sends, as client and relay share one reader.",
        {"parse_client_frame": lambda given: either_side(given)},
        fails="frame-publish-with-subscription frame-auth-string frame-eose-from-client",
    ),
    member(
        "frame-events-unshaped",
        "Hands on events without a look at their fields.",
        {"parse_relay_frame": unshaped_events},
        fails="frame-event-null frame-event-bad-kind",
    ),
    member(
        "frame-event-without-subscription",
        "Reads an EVENT of a relay without a subscription id.",
        from_relay("EVENT", lambda frame: frame if len(frame) != 2 else [frame[0], "none", frame[1]]),
        fails="frame-event-no-subscription",
    ),
    member(
        "frame-last-element-is-event",
        "Takes the last element of a client's EVENT for the event.",
        from_client("EVENT", lambda frame: frame if len(frame) < 3 else [frame[0], frame[-1]]),
        fails="frame-publish-with-subscription",
    ),
    member(
        "frame-subscription-unchecked",
        "Takes any value for a subscription id.",
        patched(_READING, (relay_frames, "_subscription_id", lambda value: value)),
        fails="""
            frame-event-empty-subscription frame-event-number-subscription frame-req-empty-id frame-req-long-id
        """,
    ),
    member(
        "frame-subscription-converted",
        "Converts a subscription id to a string.",
        from_relay("EVENT", element(1, lambda value: str(value) if isinstance(value, int) else value)),
        fails="frame-event-number-subscription",
    ),
    member(
        "frame-subscription-63",
        "Takes subscription ids of fewer than 64 characters only.",
        patched(_READING, (relay_frames, "MAX_SUBSCRIPTION_ID", 63)),
        fails="frame-event-longest-id frame-req-multibyte-id",
    ),
    member(
        "frame-subscription-65",
        "Takes subscription ids of 65 characters too.",
        patched(_READING, (relay_frames, "MAX_SUBSCRIPTION_ID", 65)),
        fails="frame-req-long-id",
    ),
    member(
        "ok-truthy",
        "Takes every value that is not empty or zero for true.",
        from_relay("OK", element(2, bool)),
        fails="frame-ok-string-flag frame-ok-number-flag",
    ),
    member(
        "ok-true-string",
        "Takes the string true for true.",
        from_relay("OK", element(2, lambda value: value == "true" if value in ("true", "false") else value)),
        fails="frame-ok-string-flag",
    ),
    member(
        "ok-without-message",
        "Takes an OK without a message for one with an empty message.",
        from_relay("OK", filled_up(None, None, "")),
        fails="frame-ok-no-message",
    ),
    member(
        "ok-null-message",
        "Takes null for an empty message.",
        from_relay("OK", element(3, lambda value: "" if value is None else value)),
        fails="frame-ok-null-message",
    ),
    member(
        "ok-any-id",
        "Takes any string for the id of an OK.",
        also("parse_relay_frame", ok_of_any_id),
        fails="frame-ok-short-id frame-ok-upper-case-id frame-ok-empty-id",
    ),
    member(
        "eose-alone",
        "Takes an EOSE without a subscription id for one of all subscriptions.",
        from_relay("EOSE", filled_up("all")),
        fails="frame-eose-alone",
    ),
    member(
        "closed-without-message",
        "Takes a CLOSED without a message for one with an empty message.",
        from_relay("CLOSED", filled_up("all", "")),
        fails="frame-closed-no-message",
    ),
    member(
        "notice-any",
        "Takes any value for a notice.",
        from_relay("NOTICE", element(1, str)),
        fails="frame-notice-object",
    ),
    member(
        "auth-any",
        "Takes any value for a challenge.",
        from_relay("AUTH", element(1, str)),
        fails="frame-auth-event-from-relay",
    ),
    member(
        "req-without-filter",
        "Takes a REQ without a filter for one for everything.",
        from_client("REQ", filled_up("all", {})),
        fails="frame-req-no-filter",
    ),
    member(
        "req-one-filter",
        "Reads the first filter of a REQ only.",
        from_client("REQ", lambda frame: frame[:3]),
        fails="frame-req-two-filters",
    ),
    member(
        "req-filters-unshaped",
        "Ignores filters that it cannot read.",
        from_client("REQ", lambda frame: [*frame[:2], *(one if is_filter(one) else {} for one in frame[2:])]),
        fails="frame-req-bad-filter frame-req-filter-string",
    ),
    member(
        "close-alone",
        "Takes a CLOSE without a subscription id for one of all subscriptions.",
        from_client("CLOSE", filled_up("all")),
        fails="frame-close-alone",
    ),
    member(
        "client-auth-challenge",
        "Reads a challenge from a client.",
        also("parse_client_frame", challenge_of_a_client),
        fails="frame-auth-string",
    ),
    member(
        "prefix-with-blanks",
        "Takes everything before the first colon for a prefix.",
        prefixes(lambda message: right_prefix(message.replace(" ", "")) if ":" in message else Prefix.NONE),
        fails="frame-ok-late-colon",
    ),
    member(
        "prefix-first-word",
        "Takes the first word for a prefix, with or without a colon.",
        prefixes(lambda message: right_prefix(message.split(" ")[0].rstrip(":") + ":") if message else Prefix.NONE),
        fails="frame-ok-no-prefix frame-ok-word-without-colon frame-ok-late-colon",
    ),
    member(
        "prefix-without-colon",
        "Takes a message of one word for a prefix.",
        prefixes(lambda message: right_prefix(message) if ":" in message else right_prefix(message + ":")),
        fails="frame-ok-word-without-colon",
    ),
    member(
        "prefix-unknown-is-none",
        "Takes a prefix it does not know for none.",
        prefixes(lambda message: Prefix.NONE if (its := right_prefix(message)) is Prefix.OTHER else its),
        fails="frame-ok-other",
    ),
    member(
        "prefix-first-nip",
        "Knows the prefixes of the first NIP-01 only.",
        only(Prefix.DUPLICATE, Prefix.POW, Prefix.BLOCKED, Prefix.RATE_LIMITED, Prefix.INVALID, Prefix.ERROR),
        fails="frame-ok-restricted frame-ok-mute frame-ok-auth-required frame-closed-unsupported",
    ),
    member(
        "prefix-words",
        "Takes the letters up to the first sign for a prefix.",
        prefixes(
            lambda message: (
                right_prefix(word_of(message).split("-")[0] + ":") if " " not in word_of(message) else Prefix.NONE
            )
        ),
        fails="frame-ok-rate-limited frame-ok-auth-required",
    ),
    member(
        "prefix-of-refusals",
        "Reads a prefix only where an event was refused.",
        writing(
            "parse_relay_frame",
            lambda output: (
                {"frame": output["frame"] | {"prefix": ""}} if output["frame"].get("accepted") is True else output
            ),
        ),
        fails="frame-ok-duplicate frame-ok-pow",
    ),
    member(
        "ok-duplicate-accepted",
        "Reports a duplicate as accepted whatever the relay said.",
        writing(
            "parse_relay_frame",
            lambda output: (
                {"frame": output["frame"] | {"accepted": True}}
                if output["frame"].get("prefix") == "duplicate"
                else output
            ),
        ),
        fails="frame-ok-duplicate-refused",
    ),
    member(
        "write-lower-case",
        "Writes types in lower case.",
        rewritten(lambda frame: [frame[0].lower(), *frame[1:]]),
        fails="""
            frame-write-publish frame-write-req frame-write-close frame-write-auth frame-write-event frame-write-ok
            frame-write-eose frame-write-closed frame-write-notice frame-write-challenge frame-write-longest-id
            frame-write-short-id
        """,
    ),
    member(
        "write-objects",
        "Writes a message as an object.",
        rewritten(lambda frame: {"type": frame[0], "elements": frame[1:]}),
        fails="""
            frame-write-publish frame-write-req frame-write-close frame-write-auth frame-write-event frame-write-ok
            frame-write-eose frame-write-closed frame-write-notice frame-write-challenge frame-write-longest-id
            frame-write-short-id
        """,
    ),
    member(
        "write-double-encoded",
        "Writes events and filters as JSON in a string.",
        rewritten(lambda frame: [json.dumps(one) if isinstance(one, dict) else one for one in frame]),
        fails="frame-write-publish frame-write-req frame-write-auth frame-write-event",
    ),
    member(
        "write-filters-in-list",
        "Writes the filters of a REQ as one list.",
        rewritten(lambda frame: [*frame[:2], frame[2:]] if frame[0] == "REQ" else frame),
        fails="frame-write-req",
    ),
    member(
        "write-without-empty",
        "Leaves out empty messages.",
        rewritten(lambda frame: [one for one in frame if one != ""]),
        fails="frame-write-ok",
    ),
    member(
        "write-subscription-always",
        "Writes a subscription id into a client's EVENT.",
        rewritten(lambda frame: [frame[0], "sub", frame[1]] if frame[0] == "EVENT" and len(frame) == 2 else frame),
        fails="frame-write-publish",
    ),
    member(
        "write-long-subscription",
        "Writes subscription ids of any length.",
        {"write_client_frame": write_any_subscription_id},
        fails="frame-write-long-id",
    ),
    member(
        "write-req-without-filter",
        "Writes a REQ without a filter.",
        {"write_client_frame": write_without_filter},
        fails="frame-write-req-no-filter",
    ),
    member(
        "frame-depth",
        "Reads messages recursively without a limit.",
        reading(_READING, read_recursively),
        fails="""
            frame-event-depth-20000 frame-notice-deep frame-notice-deep-500
        """,
    ),
    member(
        "frame-subscription-in-bytes",
        "Measures subscription ids in bytes.",
        patched(_READING, (relay_frames, "_subscription_id", limits_in_bytes)),
        fails="frame-req-multibyte-id",
    ),
    member(
        "ok-id-number",
        "Takes the length of an id that is a number, and crashes.",
        from_relay("OK", element(1, lambda value: value[:] and value)),
        fails="frame-ok-number-id",
    ),
    member(
        "ok-id-any-case",
        "Takes the id of an OK in upper case.",
        from_relay("OK", element(1, lambda value: value.lower() if isinstance(value, str) else value)),
        fails="frame-ok-upper-case-id",
    ),
]
