"""NIP-01 events: serialization, id, signature, shape. Serialized forms are written out by hand from the NIP."""

from __future__ import annotations

import json
from typing import Any

from vectors.source.common.nip19 import NPUB
from vectors.source.writing import (
    AUX,
    Note,
    Suite,
    acceptable,
    invalid,
    public,
    resigned,
    secret,
    secret_bytes,
    sha256,
    signed,
    unsigned,
    valid,
)

SUITE = Suite(
    "common/nip01",
    "NIP-01 events",
    "1",
    {
        "Basic": Note("BASIC", "an ordinary event", "nothing works"),
        "Escape": Note(
            "EDGE_CASE",
            "a character that JSON writers escape differently",
            "the id differs from everyone else's and every relay refuses the event",
        ),
        "ControlCharacter": Note(
            "EDGE_CASE",
            "a control character without an escape of its own: NIP-01 to the letter leaves it raw, which is not JSON; "
            "every implementation writes lower-case \\u00xx",
            "the id differs from everyone else's and every relay refuses the event",
        ),
        "WrongId": Note(
            "AUTH_BYPASS",
            "the id is not the hash of the event; the signature is right for one of the two",
            "anyone puts new content under an old signature",
        ),
        "WrongSignature": Note(
            "AUTH_BYPASS", "the id is right but the signature is not the author's", "anyone speaks as anyone"
        ),
        "KeyNotOnCurve": Note(
            "MISSING_STEP", "the public key is no point of the curve", "a crash, or a signature check that is skipped"
        ),
        "MissingField": Note("MISSING_STEP", "a required field is absent", "a crash or a default value nobody signed"),
        "WrongType": Note(
            "MISSING_STEP",
            "a field has another JSON type; id and signature are right for it",
            "type confusion in whatever reads the field",
        ),
        "Converted": Note(
            "MISSING_STEP",
            "a field has another JSON type; id and signature are right for the value that it converts to",
            "a reader that converts hands on an event that all others refuse",
        ),
        "OutOfRange": Note("EDGE_CASE", "a number outside the field's range", "truncation changes the event's meaning"),
        "UpperCaseHex": Note(
            "MALLEABILITY",
            "hexadecimal digits in upper case",
            "one event has several spellings and passes a duplicate check",
        ),
        "HexLength": Note("MISSING_STEP", "a hexadecimal field that is too short or too long", "reading past a buffer"),
        "DuplicateKey": Note(
            "AUTH_BYPASS",
            "the event's JSON names a key twice; one of the two was signed",
            "a relay's filter sees one value and the handler another",
        ),
        "UnknownField": Note("BASIC", "fields that NIP-01 does not define", "events of other programs are refused"),
        "FloatSpelling": Note(
            "AMBIGUOUS",
            "an integer spelled as 1.0 or 1e3",
            "implementations in JavaScript cannot tell it from an integer",
        ),
        "BeyondDouble": Note(
            "AMBIGUOUS",
            "an integer that a 64-bit float cannot hold",
            "implementations in JavaScript hash another number and refuse the event",
        ),
    },
)

ALICE = public("alice")
TIME = 1_750_000_000


def serialization(id: str, title: str, req: str, content: str, escaped: str, flags: str) -> Any:
    """A kind 1 event without tags; `escaped` is what stands between the quotes of the content."""
    event = unsigned("alice", 1, [], content, TIME)
    return valid(
        id, title, req, {"event": event}, {"serialized": f'[0,"{ALICE}",{TIME},1,[],"{escaped}"]'}, flags=flags
    )


TAGGED = unsigned("alice", 25910, [["p", public("bob")], ["e", "00" * 32, "wss://relay.example"], ["t"]], "{}", TIME)
TAGGED_SERIALIZED = (
    f'[0,"{ALICE}",{TIME},25910,[["p","{public("bob")}"],["e","{"00" * 32}","wss://relay.example"],["t"]],"{{}}"]'
)
ZEROS = unsigned("alice", 0, [], "", 0)
QUOTED = unsigned("alice", 1, [['a"b', "c\\d", "e\nf"]], "", TIME)

SUITE.group(
    "serialize_event",
    valid("nip01-serialize-order", "six elements in NIP-01's order without white space", "NIP01-SER-01 NIP01-SER-02",
          {"event": TAGGED}, {"serialized": TAGGED_SERIALIZED}, flags="Basic"),
    valid("nip01-serialize-zeros", "kind 0, time 0, no tags, empty content", "NIP01-SER-01",
          {"event": ZEROS}, {"serialized": f'[0,"{ALICE}",0,0,[],""]'}, flags="Basic"),
    valid("nip01-serialize-tag-escapes", "tags are escaped like content", "NIP01-SER-03", {"event": QUOTED},
          {"serialized": f'[0,"{ALICE}",{TIME},1,[["a\\"b","c\\\\d","e\\nf"]],""]'}, flags="Escape"),
    serialization("nip01-serialize-seven-escapes", "the seven named escapes", "NIP01-SER-03",
                  "\n\"\\\r\t\b\f", '\\n\\"\\\\\\r\\t\\b\\f', "Escape"),
    serialization("nip01-serialize-json-content", "JSON inside content", "NIP01-SER-03",
                  '{"method":"tools/call","params":{"path":"C:\\\\x"}}',
                  '{\\"method\\":\\"tools/call\\",\\"params\\":{\\"path\\":\\"C:\\\\\\\\x\\"}}', "Escape"),
    serialization("nip01-serialize-slash", "a slash is not escaped", "NIP01-SER-04", "a/b </script>", "a/b </script>",
                  "Escape"),
    serialization("nip01-serialize-non-ascii", "letters outside ASCII stand as they are", "NIP01-SER-04",
                  "\u00e9 \u4f60\u597d \u05d0", "\u00e9 \u4f60\u597d \u05d0", "Escape"),
    serialization("nip01-serialize-emoji", "a character outside the basic plane stands as it is", "NIP01-SER-04",
                  "\U0001f600\U0010fffd", "\U0001f600\U0010fffd", "Escape"),
    serialization("nip01-serialize-delete", "U+007F stands as it is", "NIP01-SER-04", "a\u007fb", "a\u007fb", "Escape"),
    serialization("nip01-serialize-c1-control", "U+0080 and U+009F stand as they are", "NIP01-SER-04", "\u0080\u009f",
                  "\u0080\u009f", "Escape"),
    serialization("nip01-serialize-line-separators", "U+2028 and U+2029 stand as they are", "NIP01-SER-04",
                  "\u2028\u2029", "\u2028\u2029", "Escape"),
    serialization("nip01-serialize-byte-order-mark", "U+FEFF and U+FFFF stand as they are", "NIP01-SER-04",
                  "\ufeff\uffff", "\ufeff\uffff", "Escape"),
    serialization("nip01-serialize-no-normalization", "composed and decomposed letters stay different", "NIP01-SER-04",
                  "\u00e9e\u0301", "\u00e9e\u0301", "Escape"),
    serialization("nip01-serialize-html", "less-than, greater-than and ampersand stand as they are", "NIP01-SER-04",
                  "<a&b>", "<a&b>", "Escape"),
    serialization("nip01-serialize-nul", "U+0000 is \\u0000", "NIP01-SER-05", "\u0000", "\\u0000", "ControlCharacter"),
    serialization("nip01-serialize-vertical-tab", "U+000B is \\u000b", "NIP01-SER-05", "\u000b", "\\u000b",
                  "ControlCharacter"),
    serialization("nip01-serialize-escape", "U+001B and U+001F are lower-case \\u001b and \\u001f", "NIP01-SER-05",
                  "\u001b[0m\u001f", "\\u001b[0m\\u001f", "ControlCharacter"),
)  # fmt: skip

SUITE.group(
    "event_id",
    valid("nip01-id", "the id is the SHA-256 of the serialization", "NIP01-ID-01", {"event": TAGGED},
          {"id": sha256(TAGGED_SERIALIZED).hex()}, flags="Basic"),
    valid("nip01-id-utf8", "the hash is over UTF-8 bytes", "NIP01-ID-01 NIP01-SER-02",
          {"event": unsigned("alice", 1, [], "\u00e9\U0001f600", TIME)},
          {"id": sha256(f'[0,"{ALICE}",{TIME},1,[],"\u00e9\U0001f600"]').hex()}, flags="Escape"),
    valid("nip01-id-control-character", "a control character is hashed as \\u00xx", "NIP01-ID-01 NIP01-SER-05",
          {"event": unsigned("alice", 1, [], "\u0001", TIME)},
          {"id": sha256(f'[0,"{ALICE}",{TIME},1,[],"\\u0001"]').hex()}, flags="ControlCharacter"),
)  # fmt: skip

SUITE.group(
    "sign_event",
    valid("nip01-sign", "a signed event, auxiliary randomness zero", "NIP01-SIG-01",
          {"seckey": secret_bytes("alice").hex(), "aux_rand": AUX.hex(), "event": TAGGED},
          {"event": resigned(TAGGED)}, flags="Basic"),
    invalid("nip01-sign-other-author", "a key signs only for its own public key", "NIP01-SIG-01",
            {"seckey": secret_bytes("bob").hex(), "aux_rand": AUX.hex(), "event": TAGGED}, "invalid_secret_key",
            flags="WrongSignature"),
)  # fmt: skip

GOOD = signed("alice", 25910, [["p", public("bob")]], '{"method":"ping"}', TIME)
OTHER = signed("alice", 25910, [["p", public("bob")]], '{"method":"pong"}', TIME)
EMPTY = signed("alice", 0, [], "", 0)  # each field holds what a reader may take for its default
DELETION = signed("alice", 5, [["k", "25910"]], "", TIME)
SIG_ENDS_IN_ZERO = signed("alice", 25910, [["p", public("bob")]], '{"id":328,"method":"ping"}', TIME)
assert SIG_ENDS_IN_ZERO["sig"].endswith("00")
NOT_ON_CURVE = "00" * 31 + "05"
OFF_CURVE_FIELDS = {**unsigned("alice", 1, [], "hello", TIME), "pubkey": NOT_ON_CURVE}


def without(name: str, event: dict[str, Any] = GOOD) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key != name}


def with_field(name: str, value: Any) -> dict[str, Any]:
    """The good event with one field of another type or range, hashed and signed with it."""
    fields = {key: GOOD[key] for key in ("pubkey", "created_at", "kind", "tags", "content")}
    return resigned(fields | {name: value})


def flip(hexadecimal: str, position: int) -> str:
    """The same digits with one bit changed."""
    return hexadecimal[:position] + f"{int(hexadecimal[position], 16) ^ 1:x}" + hexadecimal[position + 1 :]


def other_author(event: dict[str, Any]) -> dict[str, Any]:
    """A right id, signed by Mallory in Alice's name."""
    return {**event, "sig": secret("mallory").sign(bytes.fromhex(event["id"]), AUX).hex()}


def refused(id: str, title: str, req: str, event: Any, error: str, flags: str) -> Any:
    return invalid(id, title, req, {"event": event}, error, flags=flags)


SUITE.group(
    "verify_event",
    valid("nip01-verify", "a valid event verifies", "NIP01-ID-01 NIP01-SIG-01", {"event": GOOD}, {"id": GOOD["id"]},
          flags="Basic"),
    valid("nip01-verify-unknown-fields", "fields that NIP-01 does not define are ignored", "NIP01-EVT-09",
          {"event": {**GOOD, "relays": ["wss://relay.example"], "seen": {"id": 1}}}, {"id": GOOD["id"]},
          flags="UnknownField"),
    valid("nip01-verify-limits", "kind 65535, time 0, a tag of one string", "NIP01-EVT-04 NIP01-EVT-05 NIP01-EVT-06",
          {"event": signed("alice", 65535, [["x"], ["", ""]], "", 0)},
          {"id": signed("alice", 65535, [["x"], ["", ""]], "", 0)["id"]}, flags="Basic"),
    valid("nip01-verify-control-character", "an event with control characters verifies", "NIP01-SER-05",
          {"event": signed("alice", 1, [["t", "\u0000"]], "\u0001\u001f\u007f\u2028", TIME)},
          {"id": signed("alice", 1, [["t", "\u0000"]], "\u0001\u001f\u007f\u2028", TIME)["id"]},
          flags="ControlCharacter"),
    refused("nip01-content-changed", "content changed after signing", "NIP01-ID-01", {**GOOD, "content": "{}"},
            "id_mismatch", "WrongId"),
    refused("nip01-tags-changed", "a tag changed after signing", "NIP01-ID-01",
            {**GOOD, "tags": [["p", public("mallory")]]}, "id_mismatch", "WrongId"),
    refused("nip01-kind-changed", "kind changed after signing", "NIP01-ID-01", {**GOOD, "kind": 25911}, "id_mismatch",
            "WrongId"),
    refused("nip01-time-changed", "created_at changed after signing", "NIP01-ID-01", {**GOOD, "created_at": TIME + 1},
            "id_mismatch", "WrongId"),
    refused("nip01-id-of-another-event", "id and signature of another event of the same author", "NIP01-ID-01",
            {**GOOD, "id": OTHER["id"], "sig": OTHER["sig"]}, "id_mismatch", "WrongId"),
    refused("nip01-id-of-another-event-only", "another event's id, the signature right for the hash", "NIP01-ID-01",
            {**GOOD, "id": OTHER["id"]}, "id_mismatch", "WrongId"),
    refused("nip01-pubkey-changed", "another author's key over a signed event", "NIP01-ID-01",
            {**GOOD, "pubkey": public("bob")}, "id_mismatch", "WrongId"),
    refused("nip01-signed-by-another", "a right id, signed by another key", "NIP01-SIG-01", other_author(GOOD),
            "invalid_signature", "WrongSignature"),
    refused("nip01-signature-of-another-event", "the author's signature of another event", "NIP01-SIG-01",
            {**GOOD, "sig": OTHER["sig"]}, "invalid_signature", "WrongSignature"),
    refused("nip01-signature-bit", "one bit of s changed", "NIP01-SIG-01", {**GOOD, "sig": flip(GOOD["sig"], 127)},
            "invalid_signature", "WrongSignature"),
    refused("nip01-signature-zeros", "a signature of zeros", "NIP01-SIG-01", {**GOOD, "sig": "00" * 64},
            "invalid_signature", "WrongSignature"),
    refused("nip01-key-not-on-curve", "a public key that is no point of the curve", "NIP01-SIG-01 BIP340-VERIFY-01",
            resigned(OFF_CURVE_FIELDS), "invalid_public_key", "KeyNotOnCurve"),
    *(refused(f"nip01-no-{name.replace('_', '-')}", f"an event without {name}", "NIP01-EVT-01", without(name),
              "missing_field", "MissingField")
      for name in ("id", "pubkey", "sig")),
    *(refused(f"nip01-no-{name.replace('_', '-')}", f"an event without {name}, signed as {json.dumps(EMPTY[name])}",
              "NIP01-EVT-01", without(name, EMPTY), "missing_field", "MissingField")
      for name in ("created_at", "kind", "tags", "content")),
    refused("nip01-array", "an array in place of an event", "NIP01-EVT-01", [GOOD], "not_an_object", "WrongType"),
    refused("nip01-string", "a string in place of an event", "NIP01-EVT-01", json.dumps(GOOD), "not_an_object",
            "WrongType"),
    refused("nip01-null", "null in place of an event", "NIP01-EVT-01", None, "not_an_object", "WrongType"),
    refused("nip01-id-upper-case", "an id in upper case", "NIP01-EVT-02", {**GOOD, "id": GOOD["id"].upper()},
            "malformed_id", "UpperCaseHex"),
    refused("nip01-id-short", "an id of 62 digits", "NIP01-EVT-02", {**GOOD, "id": GOOD["id"][:62]}, "malformed_id",
            "HexLength"),
    refused("nip01-id-long", "an id of 66 digits", "NIP01-EVT-02", {**GOOD, "id": GOOD["id"] + "00"}, "malformed_id",
            "HexLength"),
    refused("nip01-id-blank", "an id with a blank among its digits", "NIP01-EVT-02",
            {**GOOD, "id": GOOD["id"][:32] + " " + GOOD["id"][32:]}, "malformed_id", "HexLength"),
    refused("nip01-id-ends-in-sig", "the last two digits of the id stand at the beginning of the signature", "NIP01-EVT-02",
            {**GOOD, "id": GOOD["id"][:62], "sig": GOOD["id"][62:] + GOOD["sig"]}, "malformed_id", "HexLength"),
    refused("nip01-id-takes-from-sig", "the last digit of the signature stands at the end of the id", "NIP01-EVT-02",
            {**GOOD, "id": GOOD["id"] + GOOD["sig"][127:], "sig": GOOD["sig"][:127]}, "malformed_id", "HexLength"),
    refused("nip01-pubkey-ends-in-sig", "the last two digits of the public key stand at the beginning of the signature",
            "NIP01-EVT-03",
            {**GOOD, "pubkey": GOOD["pubkey"][:62], "sig": GOOD["pubkey"][62:] + GOOD["sig"]}, "malformed_pubkey",
            "HexLength"),
    refused("nip01-pubkey-takes-from-sig", "the first digit of the signature stands at the end of the public key",
            "NIP01-EVT-03",
            {**GOOD, "pubkey": GOOD["pubkey"] + GOOD["sig"][0], "sig": GOOD["sig"][1:]}, "malformed_pubkey",
            "HexLength"),
    refused("nip01-id-number", "an id that is a number", "NIP01-EVT-02", {**GOOD, "id": 1}, "malformed_id",
            "WrongType"),
    refused("nip01-pubkey-upper-case", "a public key in upper case, hashed so", "NIP01-EVT-03",
            with_field("pubkey", ALICE.upper()), "malformed_pubkey", "UpperCaseHex"),
    refused("nip01-pubkey-compressed", "a public key of 33 bytes, as other systems write it", "NIP01-EVT-03",
            with_field("pubkey", "02" + ALICE), "malformed_pubkey", "HexLength"),
    refused("nip01-pubkey-npub", "the author's npub as public key", "NIP01-EVT-03 NIP19-USE-01",
            with_field("pubkey", NPUB), "malformed_pubkey", "WrongType"),
    refused("nip01-created-at-string", "created_at as a string", "NIP01-EVT-04", with_field("created_at", str(TIME)),
            "malformed_created_at", "WrongType"),
    refused("nip01-created-at-fraction", "created_at with a fraction", "NIP01-EVT-04",
            with_field("created_at", TIME + 0.5), "malformed_created_at", "WrongType"),
    refused("nip01-created-at-string-converted", "created_at as a string, hashed as the number", "NIP01-EVT-04",
            {**GOOD, "created_at": str(TIME)}, "malformed_created_at", "Converted"),
    refused("nip01-created-at-fraction-converted", "created_at with a fraction, hashed without it", "NIP01-EVT-04",
            {**GOOD, "created_at": TIME + 0.5}, "malformed_created_at", "Converted"),
    refused("nip01-created-at-bool", "created_at that is true", "NIP01-EVT-04", with_field("created_at", True),
            "malformed_created_at", "WrongType"),
    refused("nip01-created-at-null", "created_at that is null", "NIP01-EVT-04", with_field("created_at", None),
            "malformed_created_at", "WrongType"),
    refused("nip01-created-at-negative", "a negative created_at", "NIP01-EVT-10", with_field("created_at", -1),
            "malformed_created_at", "OutOfRange"),
    refused("nip01-created-at-65-bits", "created_at of 2^64", "NIP01-EVT-10", with_field("created_at", 2**64),
            "malformed_created_at", "OutOfRange"),
    acceptable("nip01-created-at-2-53", "created_at of 2^53 + 1", "NIP01-EVT-04",
               {"event": with_field("created_at", 2**53 + 1)}, "AMB-04",
               output={"id": with_field("created_at", 2**53 + 1)["id"]}, flags="BeyondDouble"),
    acceptable("nip01-created-at-64-bits", "created_at of 2^64 - 1, the largest number of 64 bits", "NIP01-EVT-04",
               {"event": with_field("created_at", 2**64 - 1)}, "AMB-04",
               output={"id": with_field("created_at", 2**64 - 1)["id"]}, flags="BeyondDouble"),
    refused("nip01-kind-bool", "a kind that is true", "NIP01-EVT-05", with_field("kind", True), "malformed_kind",
            "WrongType"),
    refused("nip01-kind-string", "a kind as a string", "NIP01-EVT-05", with_field("kind", "1"), "malformed_kind",
            "WrongType"),
    refused("nip01-kind-string-converted", "a kind as a string, hashed as the number", "NIP01-EVT-05",
            {**GOOD, "kind": str(GOOD["kind"])}, "malformed_kind", "Converted"),
    refused("nip01-kind-negative", "kind -1", "NIP01-EVT-05", with_field("kind", -1), "malformed_kind", "OutOfRange"),
    refused("nip01-kind-65536", "kind 65536", "NIP01-EVT-05", with_field("kind", 65536), "malformed_kind",
            "OutOfRange"),
    refused("nip01-kind-truncated", "kind 91446, hashed as its lower 16 bits, 25910", "NIP01-EVT-05",
            {**GOOD, "kind": GOOD["kind"] + 65536}, "malformed_kind", "OutOfRange"),
    refused("nip01-kind-fraction", "kind 1.5", "NIP01-EVT-05", with_field("kind", 1.5), "malformed_kind", "WrongType"),
    refused("nip01-tags-object", "tags that are an object", "NIP01-EVT-06", with_field("tags", {}), "malformed_tags",
            "WrongType"),
    refused("nip01-tags-null", "tags that are null", "NIP01-EVT-06", with_field("tags", None), "malformed_tags",
            "WrongType"),
    refused("nip01-tags-null-converted", "tags that are null, hashed as an empty list", "NIP01-EVT-06",
            {**EMPTY, "tags": None}, "malformed_tags", "Converted"),
    refused("nip01-tag-string", "a tag that is a string", "NIP01-EVT-06", with_field("tags", ["p"]), "malformed_tags",
            "WrongType"),
    refused("nip01-tag-empty", "a tag without any string", "NIP01-EVT-06", with_field("tags", [["p", "x"], []]),
            "malformed_tags", "WrongType"),
    refused("nip01-tag-number", "a number in a tag", "NIP01-EVT-06", with_field("tags", [["k", 25910]]),
            "malformed_tags", "WrongType"),
    refused("nip01-tag-number-converted", "a number in a tag, hashed as a string", "NIP01-EVT-06",
            {**DELETION, "tags": [["k", 25910]]}, "malformed_tags", "Converted"),
    refused("nip01-tag-null", "null in a tag", "NIP01-EVT-06", with_field("tags", [["p", None]]), "malformed_tags",
            "WrongType"),
    refused("nip01-tag-nested", "a list in a tag", "NIP01-EVT-06", with_field("tags", [["p", ["x"]]]),
            "malformed_tags", "WrongType"),
    refused("nip01-content-object", "content that is an object", "NIP01-EVT-07",
            with_field("content", {"method": "ping"}), "malformed_content", "WrongType"),
    refused("nip01-content-null", "content that is null", "NIP01-EVT-07", with_field("content", None),
            "malformed_content", "WrongType"),
    refused("nip01-content-null-converted", "content that is null, hashed as the empty string", "NIP01-EVT-07",
            {**EMPTY, "content": None}, "malformed_content", "Converted"),
    refused("nip01-sig-upper-case", "a signature in upper case", "NIP01-EVT-08", {**GOOD, "sig": GOOD["sig"].upper()},
            "malformed_sig", "UpperCaseHex"),
    refused("nip01-sig-short", "a signature of 63 bytes, whose 64th was zero", "NIP01-EVT-08",
            {**SIG_ENDS_IN_ZERO, "sig": SIG_ENDS_IN_ZERO["sig"][:126]}, "malformed_sig", "HexLength"),
    refused("nip01-sig-long", "a signature of 65 bytes", "NIP01-EVT-08", {**GOOD, "sig": GOOD["sig"] + "01"},
            "malformed_sig", "HexLength"),
    refused("nip01-sig-empty", "an empty signature", "NIP01-EVT-08", {**GOOD, "sig": ""}, "malformed_sig", "HexLength"),
    refused("nip01-sig-not-hex", "a signature with a letter that is no digit", "NIP01-EVT-08",
            {**GOOD, "sig": "g" + GOOD["sig"][1:]}, "malformed_sig", "HexLength"),
)  # fmt: skip


def compact(event: dict[str, Any]) -> str:
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False)


def respelled(name: str, spelling: str) -> str:
    """The good event's JSON with one number spelled otherwise; the value, and so id and signature, stay right."""
    return compact(GOOD).replace(f'"{name}":{GOOD[name]}', f'"{name}":{spelling}')


def read(id: str, title: str, req: str, raw: str, flags: str) -> Any:
    return valid(id, title, req, {"raw": raw}, {"event": GOOD}, flags=flags)


REPLACED = signed("alice", 1, [], "\ufffd", TIME)


def unread(id: str, title: str, req: str, raw: str, error: str, flags: str) -> Any:
    return invalid(id, title, req, {"raw": raw}, error, flags=flags)


SUITE.group(
    "parse_event",
    read("nip01-parse", "an event without white space", "NIP01-EVT-01", compact(GOOD), "Basic"),
    read("nip01-parse-spaces", "an event with white space", "NIP01-EVT-01", json.dumps(GOOD, indent=2), "Basic"),
    read("nip01-parse-key-order", "an event with its keys in another order", "NIP01-EVT-01",
         compact(dict(reversed(GOOD.items()))), "Basic"),
    read("nip01-parse-escapes", "an event with every content character escaped", "NIP01-EVT-07 NIP01-ID-01",
         compact({**GOOD, "content": "CONTENT"}).replace(
             "CONTENT", "".join(f"\\u{ord(letter):04x}" for letter in GOOD["content"])), "Escape"),
    read("nip01-parse-unknown-fields", "an event with a nested unknown field", "NIP01-EVT-09",
         compact({**GOOD, "meta": {"id": [1, {"id": 2}]}}), "UnknownField"),
    unread("nip01-parse-duplicate-content", "content named twice, the signed one last", "NIP01-EVT-11",
           '{"content":"other",' + compact(GOOD)[1:], "duplicate_key", "DuplicateKey"),
    unread("nip01-parse-duplicate-content-first", "content named twice, the signed one first", "NIP01-EVT-11",
           compact(GOOD)[:-1] + ',"content":"other"}', "duplicate_key", "DuplicateKey"),
    unread("nip01-parse-duplicate-equal", "kind named twice with one value", "NIP01-EVT-11",
           compact(GOOD)[:-1] + ',"kind":25910}', "duplicate_key", "DuplicateKey"),
    unread("nip01-parse-duplicate-escaped", "a key named again in escapes", "NIP01-EVT-11",
           compact(GOOD)[:-1] + ',"\\u006bind":1}', "duplicate_key", "DuplicateKey"),
    unread("nip01-parse-duplicate-escaped-first", "a key named in escapes, then as it was signed", "NIP01-EVT-11",
           '{"\\u006bind":1,' + compact(GOOD)[1:], "duplicate_key", "DuplicateKey"),
    unread("nip01-parse-duplicate-unknown", "a key named twice in an unknown field", "NIP01-EVT-11",
           compact(GOOD)[:-1] + ',"meta":{"a":1,"a":2}}', "duplicate_key", "DuplicateKey"),
    unread("nip01-parse-lone-surrogate", "half of a surrogate pair, hashed as a replacement character", "JSON-PARSE-03",
           compact(REPLACED).replace("\ufffd", "\\ud800"), "lone_surrogate", "Escape"),
    unread("nip01-parse-trailing", "an event followed by another", "JSON-PARSE-04", compact(GOOD) + compact(OTHER),
           "invalid_json", "WrongType"),
    acceptable("nip01-parse-created-at-point-zero", "created_at spelled with .0", "NIP01-EVT-04",
               {"raw": respelled("created_at", f"{TIME}.0")}, "AMB-03", output={"event": GOOD},
               error="malformed_created_at", flags="FloatSpelling"),
    acceptable("nip01-parse-kind-exponent", "kind spelled with an exponent", "NIP01-EVT-05",
               {"raw": respelled("kind", "2591e1")}, "AMB-03", output={"event": GOOD}, error="malformed_kind",
               flags="FloatSpelling"),
)  # fmt: skip

TAGS = [["p", "one", "wss://relay.example"], ["e"], ["e", "two"], ["p", ""], ["P", "upper"], ["p", "three"]]

SUITE.group(
    "tag_values",
    valid("nip01-tag-values", "the second element is the value; later ones are not", "NIP01-TAG-01",
          {"tags": TAGS, "name": "p"}, {"values": ["one", "", "three"]}, flags="Basic"),
    valid("nip01-tag-without-value", "a tag of one string has no value", "NIP01-TAG-01", {"tags": TAGS, "name": "e"},
          {"values": ["two"]}, flags="Basic"),
    valid("nip01-tag-case", "names differ by case", "NIP01-TAG-01", {"tags": TAGS, "name": "P"}, {"values": ["upper"]},
          flags="Basic"),
    valid("nip01-tag-absent", "a name that no tag has", "NIP01-TAG-01", {"tags": TAGS, "name": "d"}, {"values": []},
          flags="Basic"),
)  # fmt: skip

SUITE.group(
    "parse_event",
    read("nip01-parse-wide", "an event with an unknown field of 200 arrays side by side", "NIP01-EVT-09",
         json.dumps({**GOOD, "meta": [[]] * 200}), "UnknownField"),
    unread("nip01-parse-deep", "an unknown field of 5,000 nested arrays", "JSON-PARSE-05",
           compact(GOOD)[:-1] + ',"meta":' + "[" * 5_000 + "]" * 5_000 + "}", "too_deep", "UnknownField"),
)  # fmt: skip
