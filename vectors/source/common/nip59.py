"""NIP-59 wraps: a signed event in one layer, and rumor, seal and wrap in three."""

from __future__ import annotations

import json
from typing import Any

from nostrmcp.nostr import SecretKey, nip44
from nostrmcp.nostr.keys import PublicKey
from vectors.source.writing import (
    AUX,
    Note,
    Suite,
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
    "common/nip59",
    "NIP-59 gift wraps",
    "1",
    {
        "Basic": Note("BASIC", "an ordinary wrap", "encrypted messages are lost"),
        "OuterSignature": Note("AUTH_BYPASS", "the wrap itself does not verify", "relays and strangers replay parts of wraps"),
        "InnerSignature": Note(
            "AUTH_BYPASS",
            "the event inside does not verify; the wrap does, as anyone can make one",
            "anyone speaks as anyone: the bug that two SDKs shipped",
        ),
        "InnerUnsigned": Note("AUTH_BYPASS", "the event inside has no signature", "anyone speaks as anyone"),
        "ForgedRumor": Note(
            "AUTH_BYPASS",
            "the rumor names an author who did not sign the seal",
            "anyone speaks as anyone: the bug of bridges that sign seals with a random key",
        ),
        "WrongRecipient": Note("CONFIDENTIALITY", "the wrap is for another key", "garbage is read as a message"),
        "WrongKind": Note("MISSING_STEP", "a layer of another kind", "ordinary events are opened as wraps"),
        "ThreeLayers": Note("WIRE_SHAPE", "three layers where one is expected", "a seal is executed as a message"),
        "SealTags": Note("CONFIDENTIALITY", "a seal with tags", "the seal tells who the message is for"),
        "SignedRumor": Note("CONFIDENTIALITY", "a rumor with a signature", "what was deniable can be proved when leaked"),
        "RumorId": Note("MALLEABILITY", "the rumor's id is absent or not its hash", "answers refer to another message"),
        "NotAnEvent": Note("MISSING_STEP", "the plaintext is no event", "a crash behind the decryption"),
        "NotUtf8": Note("MALLEABILITY", "bytes that are not UTF-8; the hash is right for a replacement character",
                        "another text is read than the one that was sent"),
        "DuplicateKey": Note("AUTH_BYPASS", "the JSON inside names a key twice", "two readers see different messages"),
    },
)  # fmt: skip

NOW = 1_750_000_000
ALICE, BOB, CAROL = (PublicKey(bytes.fromhex(public(role))) for role in ("alice", "bob", "carol"))
INNER = signed("alice", 25910, [["p", public("bob")]], '{"jsonrpc":"2.0","id":1,"method":"ping"}', NOW)
NONCE, SEAL_NONCE = sha256("nostrmcp wrap nonce"), sha256("nostrmcp seal nonce")


def encrypted(author: SecretKey, recipient: PublicKey, text: str | bytes, nonce: bytes) -> str:
    return nip44.encrypt(text, nip44.get_conversation_key(author, recipient), nonce)


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def wrapped(inner: Any, kind: int = 1059, recipient: PublicKey = BOB, role: str = "ephemeral") -> dict[str, Any]:
    """A valid wrap around any text or JSON value."""
    text = inner if isinstance(inner, (str, bytes)) else compact(inner)
    content = encrypted(secret(role), recipient, text, NONCE)
    return resigned(unsigned(role, kind, [["p", recipient.hex()]], content, NOW), role)


def sealed(rumor: Any, role: str = "alice", tags: list[list[str]] | None = None, kind: int = 13) -> dict[str, Any]:
    """A valid seal around any text or JSON value, signed by `role`."""
    text = rumor if isinstance(rumor, (str, bytes)) else compact(rumor)
    content = encrypted(secret(role), BOB, text, SEAL_NONCE)
    return resigned(unsigned(role, kind, tags or [], content, NOW - 3600), role)


def mallory_signs(event: dict[str, Any]) -> dict[str, Any]:
    """The same event with its right id, signed by Mallory."""
    return {**event, "sig": secret("mallory").sign(bytes.fromhex(event["id"]), AUX).hex()}


WRAP_INPUT = {
    "event": INNER, "recipient": public("bob"), "created_at": NOW, "ephemeral_seckey": secret_bytes("ephemeral").hex(),
    "nonce": NONCE.hex(), "aux_rand": AUX.hex(),
}  # fmt: skip


def wrap_output(kind: int) -> dict[str, Any]:
    return {"event": wrapped(INNER, kind), "recipient_seckey": secret_bytes("bob").hex(), "inner": INNER}


SUITE.group(
    "wrap",
    valid("nip59-wrap-1059", "a signed event in a wrap of kind 1059", "NIP59-WRAP-01 NIP59-WRAP-02",
          {**WRAP_INPUT, "kind": 1059}, wrap_output(1059), compare="wrap", flags="Basic"),
    valid("nip59-wrap-21059", "a signed event in an ephemeral wrap of kind 21059", "NIP59-WRAP-01 NIP59-WRAP-02",
          {**WRAP_INPUT, "kind": 21059}, wrap_output(21059), compare="wrap", flags="Basic"),
    invalid("nip59-wrap-other-kind", "no wrap of another kind is made", "NIP59-WRAP-01", {**WRAP_INPUT, "kind": 1},
            "wrong_kind", flags="WrongKind"),
)  # fmt: skip


def opened(id: str, title: str, req: str, event: Any, inner: Any, flags: str = "Basic") -> Any:
    return valid(id, title, req, {"event": event, "seckey": secret_bytes("bob").hex()}, {"event": inner}, flags=flags)


def refused(id: str, title: str, req: str, event: Any, error: str, flags: str) -> Any:
    return invalid(id, title, req, {"event": event, "seckey": secret_bytes("bob").hex()}, error, flags=flags)


WRAP = wrapped(INNER)
TAMPERED_INNER = {**INNER, "content": '{"jsonrpc":"2.0","id":1,"method":"tools/call"}'}
CLAIMED = {**INNER, "pubkey": public("carol")}
REPEATED = compact(INNER)[:-1] + ',"content":"{}"}'
REPEATED_LAST = '{"content":"{}",' + compact(INNER)[1:]
RUMOR_FIELDS = unsigned("alice", 25910, [["p", public("bob")]], '{"method":"ping"}', NOW)


def with_id(fields: dict[str, Any]) -> dict[str, Any]:
    return {"id": resigned(fields)["id"], **fields}


RUMOR = with_id(RUMOR_FIELDS)


def not_utf8(event: dict[str, Any]) -> bytes:
    """The event's JSON with the byte ff where it was hashed with a replacement character."""
    return compact(event).encode().replace("\ufffd".encode(), b"\xff")


SUITE.group(
    "unwrap",
    opened("nip59-unwrap-1059", "a wrap of kind 1059 is opened", "NIP59-OPEN-01 NIP59-OPEN-02", WRAP, INNER),
    opened("nip59-unwrap-21059", "a wrap of kind 21059 is opened", "NIP59-OPEN-01 NIP59-OPEN-02",
           wrapped(INNER, 21059), INNER),
    opened("nip59-unwrap-spaced", "white space and key order inside do not matter", "NIP59-OPEN-02",
           wrapped(json.dumps(dict(reversed(INNER.items())), indent=1)), INNER),
    opened("nip59-unwrap-no-p", "a wrap without a p tag is opened", "NIP59-WRAP-03",
           resigned({**unsigned("ephemeral", 1059, [], WRAP["content"], NOW)}, "ephemeral"), INNER),
    refused("nip59-unwrap-outer-signature", "the wrap's signature is another key's", "NIP59-OPEN-01",
            mallory_signs(WRAP), "invalid_signature", "OuterSignature"),
    refused("nip59-unwrap-outer-id", "the wrap's time changed after signing", "NIP59-OPEN-01",
            {**WRAP, "created_at": NOW + 1}, "id_mismatch", "OuterSignature"),
    refused("nip59-unwrap-inner-signature", "the inner event is signed by another key", "NIP59-OPEN-02",
            wrapped(mallory_signs(INNER)), "invalid_signature", "InnerSignature"),
    refused("nip59-unwrap-inner-content", "the inner content changed after signing", "NIP59-OPEN-02",
            wrapped(TAMPERED_INNER), "id_mismatch", "InnerSignature"),
    refused("nip59-unwrap-inner-id", "the inner id is another, the signature right for the hash", "NIP59-OPEN-02",
            wrapped({**INNER, "id": "00" * 32}), "id_mismatch", "InnerSignature"),
    refused("nip59-unwrap-inner-author", "the inner author changed after signing", "NIP59-OPEN-02", wrapped(CLAIMED),
            "id_mismatch", "InnerSignature"),
    refused("nip59-unwrap-inner-claimed", "an inner event in Carol's name, signed by Alice", "NIP59-OPEN-02",
            wrapped(resigned({**RUMOR_FIELDS, "pubkey": public("carol")})), "invalid_signature", "InnerSignature"),
    refused("nip59-unwrap-inner-unsigned", "the inner event has no signature", "NIP59-OPEN-02", wrapped(RUMOR),
            "missing_field", "InnerUnsigned"),
    refused("nip59-unwrap-inner-empty-signature", "the inner signature is empty", "NIP59-OPEN-02",
            wrapped({**INNER, "sig": ""}), "malformed_sig", "InnerUnsigned"),
    refused("nip59-unwrap-other-recipient", "a wrap for Carol", "NIP59-OPEN-01", wrapped(INNER, recipient=CAROL),
            "invalid_mac", "WrongRecipient"),
    refused("nip59-unwrap-wrong-kind", "an event of kind 4 with a wrap's content", "NIP59-WRAP-01", wrapped(INNER, 4),
            "wrong_kind", "WrongKind"),
    refused("nip59-unwrap-seal", "a seal in the wrap", "NIP59-OPEN-05", wrapped(sealed(RUMOR)), "unexpected_seal",
            "ThreeLayers"),
    refused("nip59-unwrap-not-json", "a plaintext that is not JSON", "NIP59-OPEN-02", wrapped("hello"), "invalid_json",
            "NotAnEvent"),
    refused("nip59-unwrap-array", "an array in the wrap", "NIP59-OPEN-02", wrapped([INNER]), "not_an_object",
            "NotAnEvent"),
    refused("nip59-unwrap-not-utf8", "the byte ff inside, hashed as a replacement character", "JSON-PARSE-01",
            wrapped(not_utf8(signed("alice", 25910, [], "\ufffd", NOW))), "invalid_utf8", "NotUtf8"),
    refused("nip59-unwrap-duplicate-key", "an inner event that names a key twice, the signed one first", "NIP01-EVT-11",
            wrapped(REPEATED), "duplicate_key", "DuplicateKey"),
    refused("nip59-unwrap-duplicate-key-last", "an inner event that names a key twice, the signed one last",
            "NIP01-EVT-11", wrapped(REPEATED_LAST), "duplicate_key", "DuplicateKey"),
    refused("nip59-unwrap-plain-content", "content that is not encrypted", "NIP59-OPEN-01",
            resigned(unsigned("ephemeral", 1059, [["p", public("bob")]], compact(INNER), NOW), "ephemeral"),
            "malformed_payload", "NotAnEvent"),
)  # fmt: skip

GIFT_INPUT = {
    "rumor": RUMOR_FIELDS, "author_seckey": secret_bytes("alice").hex(), "recipient": public("bob"),
    "seal_created_at": NOW - 3600, "seal_nonce": SEAL_NONCE.hex(), "created_at": NOW,
    "ephemeral_seckey": secret_bytes("ephemeral").hex(), "nonce": NONCE.hex(), "aux_rand": AUX.hex(), "kind": 1059,
}  # fmt: skip

SUITE.group(
    "gift_wrap",
    valid("nip59-gift-wrap", "rumor, seal and wrap", "NIP59-SEAL-01 NIP59-SEAL-02 NIP59-WRAP-01", GIFT_INPUT,
          {"event": wrapped(sealed(RUMOR)), "recipient_seckey": secret_bytes("bob").hex(), "rumor": RUMOR},
          compare="gift_wrap", flags="Basic"),
    invalid("nip59-gift-wrap-foreign-rumor", "nobody seals a rumor in another's name", "NIP59-OPEN-04",
            {**GIFT_INPUT, "author_seckey": secret_bytes("mallory").hex()}, "author_mismatch", flags="ForgedRumor"),
)  # fmt: skip


def revealed(id: str, title: str, req: str, event: Any, flags: str = "Basic") -> Any:
    return valid(id, title, req, {"event": event, "seckey": secret_bytes("bob").hex()}, {"rumor": RUMOR}, flags=flags)


FORGED_SEAL = sealed(RUMOR, role="mallory")

SUITE.group(
    "gift_unwrap",
    revealed("nip59-gift-unwrap", "three layers are opened", "NIP59-OPEN-03", wrapped(sealed(RUMOR))),
    revealed("nip59-gift-unwrap-21059", "three layers in an ephemeral wrap", "NIP59-OPEN-03",
             wrapped(sealed(RUMOR), 21059)),
    revealed("nip59-gift-unwrap-no-id", "a rumor without an id", "NIP59-RUMOR-02", wrapped(sealed(RUMOR_FIELDS)),
             "RumorId"),
    refused("nip59-gift-forged-author", "a rumor in Alice's name, sealed by Mallory", "NIP59-OPEN-04",
            wrapped(FORGED_SEAL), "author_mismatch", "ForgedRumor"),
    refused("nip59-gift-seal-signature", "a seal in Alice's name, signed by Mallory", "NIP59-OPEN-03",
            wrapped(mallory_signs(sealed(RUMOR))), "invalid_signature", "InnerSignature"),
    refused("nip59-gift-seal-id", "a seal whose time changed after signing", "NIP59-OPEN-03",
            wrapped({**sealed(RUMOR), "created_at": NOW}), "id_mismatch", "InnerSignature"),
    refused("nip59-gift-outer-signature", "the wrap's signature is another key's", "NIP59-OPEN-01",
            mallory_signs(wrapped(sealed(RUMOR))), "invalid_signature", "OuterSignature"),
    refused("nip59-gift-seal-kind", "a seal of kind 14", "NIP59-SEAL-01", wrapped(sealed(RUMOR, kind=14)), "wrong_kind",
            "WrongKind"),
    refused("nip59-gift-one-layer", "a signed event where a seal is expected", "NIP59-SEAL-01", WRAP, "wrong_kind",
            "ThreeLayers"),
    refused("nip59-gift-seal-tags", "a seal with a p tag", "NIP59-SEAL-02",
            wrapped(sealed(RUMOR, tags=[["p", public("bob")]])), "seal_with_tags", "SealTags"),
    refused("nip59-gift-signed-rumor", "a rumor with a signature", "NIP59-RUMOR-01", wrapped(sealed(resigned(RUMOR_FIELDS))),
            "signed_rumor", "SignedRumor"),
    refused("nip59-gift-rumor-id", "a rumor whose id is not its hash", "NIP59-RUMOR-02",
            wrapped(sealed({**RUMOR, "id": "00" * 32})), "id_mismatch", "RumorId"),
    refused("nip59-gift-rumor-shape", "a rumor without content", "NIP01-EVT-01",
            wrapped(sealed({key: value for key, value in RUMOR_FIELDS.items() if key != "content"})), "missing_field",
            "NotAnEvent"),
    refused("nip59-gift-rumor-array", "an array in the seal", "NIP01-EVT-01", wrapped(sealed([RUMOR])), "not_an_object",
            "NotAnEvent"),
    refused("nip59-gift-rumor-duplicate-key", "a rumor that names a key twice, the hashed one last", "NIP01-EVT-11",
            wrapped(sealed('{"content":"other",' + compact(RUMOR)[1:])), "duplicate_key", "DuplicateKey"),
    refused("nip59-gift-rumor-not-utf8", "the byte ff in a rumor, hashed as a replacement character", "JSON-PARSE-01",
            wrapped(sealed(not_utf8(with_id(unsigned("alice", 25910, [], "\ufffd", NOW))))), "invalid_utf8", "NotUtf8"),
    refused("nip59-gift-other-recipient", "a seal for Bob in a wrap for Carol", "NIP59-OPEN-01",
            wrapped(sealed(RUMOR), recipient=CAROL), "invalid_mac", "WrongRecipient"),
)  # fmt: skip

SUITE.group(
    "gift_unwrap",
    refused("nip59-gift-rumor-no-author", "a rumor without an author", "NIP01-EVT-01",
            wrapped(sealed({key: value for key, value in RUMOR_FIELDS.items() if key != "pubkey"})), "missing_field",
            "NotAnEvent"),
    refused("nip59-gift-rumor-kind", "a rumor whose kind is a text", "NIP01-EVT-05",
            wrapped(sealed({**RUMOR_FIELDS, "kind": "25910"})), "malformed_kind", "NotAnEvent"),
    refused("nip59-gift-rumor-author-upper", "a rumor whose author is in upper case", "NIP01-EVT-03",
            wrapped(sealed({**RUMOR_FIELDS, "pubkey": RUMOR_FIELDS["pubkey"].upper()})), "malformed_pubkey", "NotAnEvent"),
    refused("nip59-gift-rumor-id-short", "a rumor with half an id", "NIP01-EVT-02",
            wrapped(sealed({**RUMOR, "id": RUMOR["id"][:32]})), "malformed_id", "RumorId"),
)  # fmt: skip
