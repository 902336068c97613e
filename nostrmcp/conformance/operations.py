"""Every operation that vectors ask for, answered by this package.

An operation takes a case's `input` and returns its `output`; it refuses by raising Violation or LocalProtocolError.
Hexadecimal becomes bytes here and nowhere deeper.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from ..nostr import (
    Event,
    PublicKey,
    SecretKey,
    UnsignedEvent,
    Violation,
    bip340,
    filters,
    nip09,
    nip19,
    nip40,
    nip42,
    nip44,
    nip59,
    relay_frames,
    strict_json,
)
from ..nostr import event as events
from ..nostr.errors import ErrorClass

Value = dict[str, Any]
Operation = Callable[[Value], Value]

OPERATIONS: dict[str, Operation] = {}


def operation(function: Operation) -> Operation:
    OPERATIONS[function.__name__] = function
    return function


def _bytes(value: str) -> bytes:
    return bytes.fromhex(value)


def _secret(value: str) -> SecretKey:
    return SecretKey(_bytes(value))


def _public(value: str) -> PublicKey:
    return PublicKey(_bytes(value))


def _unsigned(value: Value) -> UnsignedEvent:
    tags = events.freeze_tags(value["tags"])
    return UnsignedEvent(_bytes(value["pubkey"]), value["created_at"], value["kind"], tags, value["content"])


def _object(event: Event | UnsignedEvent) -> Value:
    value = event.to_value()
    return value | {"tags": [list(tag) for tag in value["tags"]]}


def verified(value: Any) -> Event:
    """An event of the right shape, id and signature checked."""
    event = events.from_value(value)
    event.verify()
    return event


@operation
def json_parse(given: Value) -> Value:
    data = _bytes(given["raw_hex"]) if "raw_hex" in given else given["raw"]
    return {"canonical": strict_json.dump(strict_json.parse(data)).decode()}


@operation
def serialize_event(given: Value) -> Value:
    return {"serialized": _unsigned(given["event"]).serialize().decode()}


@operation
def event_id(given: Value) -> Value:
    return {"id": _unsigned(given["event"]).id.hex()}


@operation
def sign_event(given: Value) -> Value:
    return {"event": _object(_unsigned(given["event"]).sign(_secret(given["seckey"]), _bytes(given["aux_rand"])))}


@operation
def verify_event(given: Value) -> Value:
    return {"id": verified(given["event"]).id.hex()}


@operation
def parse_event(given: Value) -> Value:
    event = events.parse(given["raw"])
    event.verify()
    return {"event": _object(event)}


@operation
def tag_values(given: Value) -> Value:
    event = UnsignedEvent(bytes(32), 0, 0, events.freeze_tags(given["tags"]), "")
    return {"values": list(event.values(given["name"]))}


@operation
def filter_match(given: Value) -> Value:
    wanted = [filters.parse(one) for one in given["filters"]]
    return {"matches": filters.matches_any(wanted, verified(given["event"]))}


@operation
def kind_class(given: Value) -> Value:
    return {"class": filters.kind_class(given["kind"]).value}


@operation
def event_address(given: Value) -> Value:
    return {"address": filters.address(verified(given["event"]))}


@operation
def replaces(given: Value) -> Value:
    return {"replaces": filters.replaces(verified(given["candidate"]), verified(given["held"]))}


@operation
def sort_events(given: Value) -> Value:
    ordered = sorted(map(verified, given["events"]), key=filters.newest_first)
    return {"ids": [event.id.hex() for event in ordered]}


@operation
def parse_relay_frame(given: Value) -> Value:
    match relay_frames.parse_relay_frame(given["raw"]):
        case relay_frames.Deliver(subscription_id, event):
            return _frame("EVENT", subscription_id=subscription_id, event=_object(event))
        case relay_frames.Ok(its_id, accepted, message) as ok:
            return _frame("OK", event_id=its_id.hex(), accepted=accepted, message=message, prefix=ok.prefix.value)
        case relay_frames.Eose(subscription_id):
            return _frame("EOSE", subscription_id=subscription_id)
        case relay_frames.Closed(subscription_id, message) as closed:
            return _frame("CLOSED", subscription_id=subscription_id, message=message, prefix=closed.prefix.value)
        case relay_frames.Notice(message):
            return _frame("NOTICE", message=message)
        case relay_frames.Challenge(challenge):
            return _frame("AUTH", challenge=challenge)


@operation
def parse_client_frame(given: Value) -> Value:
    match relay_frames.parse_client_frame(given["raw"]):
        case relay_frames.Publish(event):
            return _frame("EVENT", event=_object(event))
        case relay_frames.Req(subscription_id, wanted):
            return _frame("REQ", subscription_id=subscription_id, filters=[one.to_value() for one in wanted])
        case relay_frames.Close(subscription_id):
            return _frame("CLOSE", subscription_id=subscription_id)
        case relay_frames.Authenticate(event):
            return _frame("AUTH", event=_object(event))


def _frame(frame_type: str, **elements: Any) -> Value:
    return {"frame": {"type": frame_type, **elements}}


@operation
def write_client_frame(given: Value) -> Value:
    frame = given["frame"]
    makers: dict[str, Callable[[], relay_frames.ClientFrame]] = {
        "EVENT": lambda: relay_frames.Publish(events.from_value(frame["event"])),
        "REQ": lambda: relay_frames.Req(frame["subscription_id"], tuple(map(filters.parse, frame["filters"]))),
        "CLOSE": lambda: relay_frames.Close(frame["subscription_id"]),
        "AUTH": lambda: relay_frames.Authenticate(events.from_value(frame["event"])),
    }
    return {"raw": makers[frame["type"]]().dump().decode()}


@operation
def write_relay_frame(given: Value) -> Value:
    frame = given["frame"]
    makers: dict[str, Callable[[], relay_frames.RelayFrame]] = {
        "EVENT": lambda: relay_frames.Deliver(frame["subscription_id"], events.from_value(frame["event"])),
        "OK": lambda: relay_frames.Ok(_bytes(frame["event_id"]), frame["accepted"], frame["message"]),
        "EOSE": lambda: relay_frames.Eose(frame["subscription_id"]),
        "CLOSED": lambda: relay_frames.Closed(frame["subscription_id"], frame["message"]),
        "NOTICE": lambda: relay_frames.Notice(frame["message"]),
        "AUTH": lambda: relay_frames.Challenge(frame["challenge"]),
    }
    return {"raw": makers[frame["type"]]().dump().decode()}


@operation
def tagged_hash(given: Value) -> Value:
    return {"hash": bip340.tagged_hash(given["tag"], _bytes(given["message"])).hex()}


@operation
def lift_x(given: Value) -> Value:
    point = bip340.lift_x(bip340.int_from_bytes(_bytes(given["x"])))
    if point is None:
        raise Violation(ErrorClass.INVALID_PUBLIC_KEY, "x", "no point of the curve has this x coordinate")
    return {"y": bip340.bytes_from_int(point[1]).hex()}


@operation
def schnorr_pubkey(given: Value) -> Value:
    return {"pubkey": _secret(given["seckey"]).public_key.hex()}


@operation
def schnorr_nonce(given: Value) -> Value:
    point, _ = bip340.nonce(_bytes(given["message"]), _bytes(given["seckey"]), _bytes(given["aux_rand"]))
    return {"r": bip340.bytes_from_int(point[0]).hex()}


@operation
def schnorr_challenge(given: Value) -> Value:
    challenge = bip340.challenge(_bytes(given["r"]), _bytes(given["pubkey"]), _bytes(given["message"]))
    return {"challenge": bip340.bytes_from_int(challenge).hex()}


@operation
def schnorr_sign(given: Value) -> Value:
    signature = _secret(given["seckey"]).sign(_bytes(given["message"]), _bytes(given["aux_rand"]))
    return {"signature": signature.hex()}


@operation
def schnorr_verify(given: Value) -> Value:
    if not _public(given["pubkey"]).verify(_bytes(given["message"]), _bytes(given["signature"])):
        raise Violation(ErrorClass.INVALID_SIGNATURE, "signature", "it does not verify")
    return {"valid": True}


@operation
def deletes(given: Value) -> Value:
    request = verified(given["request"])
    nip09.check(request)
    return {"deletes": nip09.deletes(request, verified(given["event"]))}


@operation
def build_deletion(given: Value) -> Value:
    event = nip09.build(
        _bytes(given["pubkey"]),
        given["created_at"],
        ids=map(_bytes, given["ids"]),
        addresses=given["addresses"],
        kinds=given["kinds"],
        reason=given["reason"],
    )
    return {"event": unsigned_value(event)}


@operation
def is_expired(given: Value) -> Value:
    return {"expired": nip40.is_expired(verified(given["event"]), given["now"])}


@operation
def check_auth(given: Value) -> Value:
    event = events.from_value(given["event"])
    nip42.check(event, relay=given["relay"], challenge=given["challenge"], now=given["now"])
    return {"pubkey": event.pubkey.hex()}


@operation
def build_auth(given: Value) -> Value:
    event = nip42.build(
        _bytes(given["pubkey"]), given["created_at"], relay=given["relay"], challenge=given["challenge"]
    )
    return {"event": unsigned_value(event)}


def unsigned_value(event: UnsignedEvent) -> Value:
    """The five fields an author chooses, as JSON."""
    value = _object(event)
    del value["id"]
    return value


@operation
def nip19_decode(given: Value) -> Value:
    match nip19.decode(given["text"]):
        case PublicKey() as key:
            entity: Value = {"type": "npub", "pubkey": key.hex()}
        case SecretKey() as key:
            entity = {"type": "nsec", "seckey": key.reveal().hex()}
        case nip19.Note(its_id):
            entity = {"type": "note", "id": its_id.hex()}
        case nip19.Profile(pubkey, relays):
            entity = {"type": "nprofile", "pubkey": pubkey.hex(), "relays": list(relays)}
        case nip19.EventPointer(its_id, relays, author, kind):
            its_author = None if author is None else author.hex()
            entity = {"type": "nevent", "id": its_id.hex(), "relays": list(relays), "author": its_author, "kind": kind}
        case nip19.Address(identifier, pubkey, kind, relays):
            entity = {"type": "naddr", "identifier": identifier, "pubkey": pubkey.hex(), "kind": kind}
            entity["relays"] = list(relays)
    return {"entity": entity}


@operation
def nip19_encode(given: Value) -> Value:
    entity = given["entity"]
    relays = tuple(entity.get("relays", ()))
    makers: dict[str, Callable[[], nip19.Entity]] = {
        "npub": lambda: _public(entity["pubkey"]),
        "nsec": lambda: _secret(entity["seckey"]),
        "note": lambda: nip19.Note(_bytes(entity["id"])),
        "nprofile": lambda: nip19.Profile(_bytes(entity["pubkey"]), relays),
        "nevent": lambda: nip19.EventPointer(
            _bytes(entity["id"]), relays, _bytes(entity["author"]) if entity["author"] else None, entity["kind"]
        ),
        "naddr": lambda: nip19.Address(entity["identifier"], _bytes(entity["pubkey"]), entity["kind"], relays),
    }
    return {"text": nip19.encode(makers[entity["type"]]())}


@operation
def conversation_key(given: Value) -> Value:
    key = nip44.get_conversation_key(_secret(given["seckey"]), _public(given["pubkey"]))
    return {"conversation_key": key.hex()}


@operation
def message_keys(given: Value) -> Value:
    keys = nip44.get_message_keys(_bytes(given["conversation_key"]), _bytes(given["nonce"]))
    return {name: value.hex() for name, value in keys._asdict().items()}


@operation
def padded_length(given: Value) -> Value:
    return {"padded_length": nip44.calc_padded_len(given["length"])}


@operation
def encrypt(given: Value) -> Value:
    key, nonce = _bytes(given["conversation_key"]), _bytes(given["nonce"])
    return {"payload": nip44.encrypt(given["plaintext"], key, nonce)}


@operation
def encrypt_long(given: Value) -> Value:
    key, nonce = _bytes(given["conversation_key"]), _bytes(given["nonce"])
    plaintext = (given["pattern"] * given["repeat"]).encode()
    payload = nip44.encrypt(plaintext, key, nonce, extended=given["extended"])
    return {"plaintext_sha256": _sha256(plaintext), "payload_sha256": _sha256(payload.encode())}


@operation
def decrypt(given: Value) -> Value:
    return {"plaintext": nip44.decrypt(given["payload"], _bytes(given["conversation_key"]))}


@operation
def decrypt_long(given: Value) -> Value:
    plaintext = nip44.decrypt(given["payload"], _bytes(given["conversation_key"])).encode()
    return {"length": len(plaintext), "plaintext_sha256": _sha256(plaintext)}


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@operation
def wrap(given: Value) -> Value:
    return {"event": _object(_wrapped(given, events.from_value(given["event"])))}


@operation
def unwrap(given: Value) -> Value:
    return {"event": _object(nip59.unwrap(events.from_value(given["event"]), _secret(given["seckey"])))}


@operation
def gift_wrap(given: Value) -> Value:
    seal = nip59.seal(
        _unsigned(given["rumor"]),
        _secret(given["author_seckey"]),
        _public(given["recipient"]),
        created_at=given["seal_created_at"],
        nonce=_bytes(given["seal_nonce"]),
        aux_rand=_bytes(given["aux_rand"]),
    )
    return {"event": _object(_wrapped(given, seal))}


def _wrapped(given: Value, event: Event) -> Event:
    return nip59.wrap(
        event,
        _public(given["recipient"]),
        kind=given["kind"],
        created_at=given["created_at"],
        ephemeral_key=_secret(given["ephemeral_seckey"]),
        nonce=_bytes(given["nonce"]),
        aux_rand=_bytes(given["aux_rand"]),
    )


@operation
def gift_unwrap(given: Value) -> Value:
    return {"rumor": _object(nip59.unwrap_sealed(events.from_value(given["event"]), _secret(given["seckey"])))}
