"""The vectors' operations, answered by nostr-sdk (rust-nostr with Python bindings).

JSON lines: {seq, op, input} comes in, {seq, status: ok|reject|skip|fault, output?, omitted?, message?} goes out. An
operation answers with what the library does, also where that is wrong. A rule that the library does not have is not
added here. `omitted` names the output fields that the library cannot give.

nostr-sdk makes its own nonces, keys and randomness, so what it builds cannot be compared with a vector. Where it builds
something it answers ok with a null output: it did not refuse.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from nostr_sdk import (
    ClientMessage,
    ClientMessageEnum,
    Coordinate,
    Event,
    EventId,
    Filter,
    Keys,
    Kind,
    Nip19,
    Nip19Coordinate,
    Nip19Event,
    Nip19Profile,
    Nip44Version,
    NostrLmdb,
    NostrSdkError,
    PublicKey,
    RelayMessage,
    RelayUrl,
    SecretKey,
    Tag,
    UnsignedEvent,
    UnwrappedGift,
    nip44_decrypt,
    nip44_encrypt,
    nip59_make_seal,
)

Value = dict[str, Any]
Operation = Callable[[Value], Value]

OPERATIONS: dict[str, Operation] = {}

# The fields of an output that the operation leaves out, as the library does not show them.
OMITTED = {"sign_event": ("sig",), "parse_relay_frame": ("prefix",)}

# nostr-sdk takes two keys and never a conversation key, so a vector's conversation key is turned back into the
# published roles it belongs to.
CONVERSATIONS = {"c97f4341c54e143957cba3b2d3624fcf24334356f5000d1b4d66c7281e6a8332": ("alice", "bob")}


class Refusal(Exception):
    """The library answered no, without an error of its own."""


class Skip(Exception):
    """The library cannot answer."""


class Incomparable(Exception):
    """The library accepted the input, and what it made of it cannot be compared."""


def operation(function: Operation) -> Operation:
    OPERATIONS[function.__name__] = function
    return function


def secret(value: str) -> SecretKey:
    return SecretKey.from_bytes(bytes.fromhex(value))


def public(value: str) -> PublicKey:
    return PublicKey.from_bytes(bytes.fromhex(value))


def event_id_of(value: str) -> EventId:
    return EventId.from_bytes(bytes.fromhex(value))


def role(name: str) -> SecretKey:
    return SecretKey.from_bytes(hashlib.sha256(f"nostrmcp vector key: {name}".encode()).digest())


def conversation(key: str) -> tuple[SecretKey, PublicKey]:
    if key not in CONVERSATIONS:
        raise Skip("nostr-sdk takes no conversation key")
    own, other = CONVERSATIONS[key]
    return role(own), Keys(role(other)).public_key()


def read(raw: str) -> Event:
    event = Event.from_json(raw)
    if not event.verify():
        raise Refusal("verify: false")
    return event


def verified(value: Any) -> Event:
    return read(json.dumps(value))


def unsigned(value: Value) -> UnsignedEvent:
    return UnsignedEvent.from_json(json.dumps(value))


def as_value(made: Event | UnsignedEvent | Filter) -> Any:
    return json.loads(made.as_json())


@operation
def event_id(given: Value) -> Value:
    its_id = unsigned(given["event"]).ensure_id().id()
    assert its_id is not None, "ensure_id has set it"
    return {"id": its_id.to_hex()}


@operation
def sign_event(given: Value) -> Value:
    event = as_value(unsigned(given["event"]).sign(Keys(secret(given["seckey"]))))
    del event["sig"]
    return {"event": event}


@operation
def verify_event(given: Value) -> Value:
    return {"id": verified(given["event"]).id().to_hex()}


@operation
def parse_event(given: Value) -> Value:
    return {"event": as_value(read(given["raw"]))}


@operation
def tag_values(given: Value) -> Value:
    tags = [Tag.parse(tag) for tag in given["tags"]]
    values = [tag.content() for tag in tags if tag.kind() == given["name"]]
    return {"values": [value for value in values if value is not None]}


@operation
def filter_match(given: Value) -> Value:
    filters = [Filter.from_json(json.dumps(one)) for one in given["filters"]]
    event = verified(given["event"])
    return {"matches": any(one.match_event(event) for one in filters)}


@operation
def kind_class(given: Value) -> Value:
    kind = Kind(given["kind"])
    classes = {
        "regular": kind.is_regular(),
        "replaceable": kind.is_replaceable(),
        "ephemeral": kind.is_ephemeral(),
        "addressable": kind.is_addressable(),
    }
    return {"class": " and ".join(name for name, holds in classes.items() if holds) or "undefined"}


@operation
def replaces(given: Value) -> Value:
    return {"replaces": removed_by(given["held"], given["candidate"])}


@operation
def deletes(given: Value) -> Value:
    return {"deletes": removed_by(given["event"], given["request"])}


def removed_by(first: Value, second: Value) -> bool:
    """Whether nostr-sdk's store no longer has the first event when it has been given the second."""

    async def store() -> bool:
        held, later = verified(first), verified(second)
        with tempfile.TemporaryDirectory() as folder:
            database = await NostrLmdb.open(folder)
            await database.save_event(held)
            await database.save_event(later)
            return await database.event_by_id(held.id()) is None

    return asyncio.run(store())


@operation
def parse_relay_frame(given: Value) -> Value:
    message = RelayMessage.from_json(given["raw"]).as_enum()
    if message.is_event_msg():
        return frame("EVENT", subscription_id=message.subscription_id, event=as_value(message.event))
    if message.is_ok():
        accepted = {"accepted": message.status, "message": message.message}
        return frame("OK", event_id=message.event_id.to_hex(), **accepted)
    if message.is_end_of_stored_events():
        return frame("EOSE", subscription_id=message.subscription_id)
    if message.is_closed():
        return frame("CLOSED", subscription_id=message.subscription_id, message=message.message)
    if message.is_notice():
        return frame("NOTICE", message=message.message)
    if message.is_auth():
        return frame("AUTH", challenge=message.challenge)
    return frame(type(message).__name__)


@operation
def parse_client_frame(given: Value) -> Value:
    message = ClientMessage.from_json(given["raw"]).as_enum()
    if message.is_event_msg():
        return frame("EVENT", event=as_value(message.event))
    if message.is_req():
        return frame("REQ", subscription_id=message.subscription_id, filters=[as_value(one) for one in message.filters])
    if message.is_close():
        return frame("CLOSE", subscription_id=message.subscription_id)
    if message.is_auth():
        return frame("AUTH", event=as_value(message.event))
    return frame(type(message).__name__)


def frame(frame_type: str, **elements: Any) -> Value:
    return {"frame": {"type": frame_type, **elements}}


@operation
def write_client_frame(given: Value) -> Value:
    elements = given["frame"]

    def req() -> ClientMessage:
        filters = [Filter.from_json(json.dumps(one)) for one in elements["filters"]]
        return ClientMessage.from_enum(ClientMessageEnum.REQ(elements["subscription_id"], filters))

    makers: dict[str, Callable[[], ClientMessage]] = {
        "EVENT": lambda: ClientMessage.event(verified(elements["event"])),
        "REQ": req,
        "CLOSE": lambda: ClientMessage.close(elements["subscription_id"]),
        "AUTH": lambda: ClientMessage.auth(verified(elements["event"])),
    }
    return {"raw": makers[elements["type"]]().as_json()}


@operation
def write_relay_frame(given: Value) -> Value:
    elements = given["frame"]
    makers: dict[str, Callable[[], RelayMessage]] = {
        "EVENT": lambda: RelayMessage.event(elements["subscription_id"], verified(elements["event"])),
        "OK": lambda: RelayMessage.ok(event_id_of(elements["event_id"]), elements["accepted"], elements["message"]),
        "EOSE": lambda: RelayMessage.eose(elements["subscription_id"]),
        "CLOSED": lambda: RelayMessage.closed(elements["subscription_id"], elements["message"]),
        "NOTICE": lambda: RelayMessage.notice(elements["message"]),
        "AUTH": lambda: RelayMessage.auth(elements["challenge"]),
    }
    return {"raw": makers[elements["type"]]().as_json()}


@operation
def schnorr_pubkey(given: Value) -> Value:
    return {"pubkey": Keys(secret(given["seckey"])).public_key().to_hex()}


@operation
def nip19_decode(given: Value) -> Value:
    decoded = Nip19.from_bech32(given["text"]).as_enum()
    if decoded.is_pubkey():
        return entity("npub", pubkey=decoded.npub.to_hex())
    if decoded.is_secret():
        return entity("nsec", seckey=decoded.nsec.to_hex())
    if decoded.is_note():
        return entity("note", id=decoded.event_id.to_hex())
    if decoded.is_profile():
        profile = decoded.nprofile
        return entity("nprofile", pubkey=profile.public_key().to_hex(), relays=[str(url) for url in profile.relays()])
    if decoded.is_event():
        event, author, kind = decoded.event, decoded.event.author(), decoded.event.kind()
        return entity(
            "nevent",
            id=event.event_id().to_hex(),
            relays=[str(url) for url in event.relays()],
            author=None if author is None else author.to_hex(),
            kind=None if kind is None else kind.as_u16(),
        )
    if decoded.is_addr():
        coordinate = decoded.coordinate.coordinate()
        return entity(
            "naddr",
            identifier=coordinate.identifier(),
            pubkey=coordinate.public_key().to_hex(),
            kind=coordinate.kind().as_u16(),
            relays=[str(url) for url in decoded.coordinate.relays()],
        )
    return entity(type(decoded).__name__)


def entity(entity_type: str, **fields: Any) -> Value:
    return {"entity": {"type": entity_type, **fields}}


@operation
def nip19_encode(given: Value) -> Value:
    fields = given["entity"]
    relays = [RelayUrl.parse(url) for url in fields.get("relays", ())]

    def nevent() -> Nip19Event:
        author = None if fields["author"] is None else public(fields["author"])
        kind = None if fields["kind"] is None else Kind(fields["kind"])
        return Nip19Event(event_id_of(fields["id"]), author, kind, relays)

    def naddr() -> Nip19Coordinate:
        coordinate = Coordinate(Kind(fields["kind"]), public(fields["pubkey"]), fields["identifier"])
        return Nip19Coordinate(coordinate, relays)

    makers: dict[str, Callable[[], Any]] = {
        "npub": lambda: public(fields["pubkey"]),
        "nsec": lambda: secret(fields["seckey"]),
        "note": lambda: event_id_of(fields["id"]),
        "nprofile": lambda: Nip19Profile(public(fields["pubkey"]), relays),
        "nevent": nevent,
        "naddr": naddr,
    }
    return {"text": makers[fields["type"]]().to_bech32()}


@operation
def conversation_key(given: Value) -> Value:
    nip44_encrypt(secret(given["seckey"]), public(given["pubkey"]), "x", Nip44Version.V2)
    raise Incomparable("nostr-sdk does not show the conversation key")


@operation
def padded_length(given: Value) -> Value:
    """nostr-sdk does not show the padding by itself; the length of a payload does."""
    if given["length"] > 100_000:
        raise Skip("too much to encrypt for this")
    try:
        payload = nip44_encrypt(role("alice"), Keys(role("bob")).public_key(), "x" * given["length"], Nip44Version.V2)
    except NostrSdkError as refusal:
        raise Skip(f"not encrypted, so not padded: {refusal}") from refusal
    # Beside the padded text there are a version, a nonce, a MAC and a length prefix.
    return {"padded_length": len(base64.b64decode(payload)) - 1 - 32 - 32 - 2}


@operation
def encrypt(given: Value) -> Value:
    nip44_encrypt(*conversation(given["conversation_key"]), given["plaintext"], Nip44Version.V2)
    raise Incomparable("nostr-sdk takes no nonce")


@operation
def encrypt_long(given: Value) -> Value:
    return encrypt({**given, "plaintext": given["pattern"] * given["repeat"]})


@operation
def decrypt(given: Value) -> Value:
    return {"plaintext": nip44_decrypt(*conversation(given["conversation_key"]), given["payload"])}


@operation
def decrypt_long(given: Value) -> Value:
    plaintext = decrypt(given)["plaintext"].encode()
    return {"length": len(plaintext), "plaintext_sha256": hashlib.sha256(plaintext).hexdigest()}


@operation
def unwrap(given: Value) -> Value:
    """There is no one-layer form in nostr-sdk: these are the steps that one with nostr-sdk has to take."""
    event = verified(given["event"])
    return {"event": as_value(read(nip44_decrypt(secret(given["seckey"]), event.author(), event.content())))}


@operation
def gift_wrap(given: Value) -> Value:
    nip59_make_seal(Keys(secret(given["author_seckey"])), public(given["recipient"]), unsigned(given["rumor"]))
    raise Incomparable("nostr-sdk takes no nonce and no ephemeral key")


@operation
def gift_unwrap(given: Value) -> Value:
    opened = UnwrappedGift.from_gift_wrap(Keys(secret(given["seckey"])), verified(given["event"]))
    return {"rumor": as_value(opened.rumor().ensure_id())}


def answer(op: str, given: Value) -> Value:
    if op not in OPERATIONS:
        return {"status": "skip", "message": "nostr-sdk has no such operation"}
    try:
        return {"status": "ok", "output": OPERATIONS[op](given), "omitted": OMITTED.get(op, ())}
    except Skip as reason:
        return {"status": "skip", "message": str(reason)}
    except Incomparable as reason:
        return {"status": "ok", "output": None, "message": str(reason)}
    except (Refusal, NostrSdkError) as refusal:
        return {"status": "reject", "message": str(refusal)}
    except Exception as problem:
        return {"status": "fault", "message": f"{type(problem).__name__}: {problem}"}


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"seq": request["seq"], **answer(request["op"], request["input"])}), flush=True)


if __name__ == "__main__":
    main()
