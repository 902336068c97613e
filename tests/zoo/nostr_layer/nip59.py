"""Wraps that are believed without proof, or made so that others cannot open them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nostrmcp.conformance.operations import Value
from nostrmcp.nostr import (
    ErrorClass,
    Event,
    LocalProtocolError,
    PublicKey,
    SecretKey,
    UnsignedEvent,
    Violation,
    nip44,
    nip59,
)
from nostrmcp.nostr import event as events
from tests.zoo.member import Operations, member, reading, refusal
from tests.zoo.nostr_layer import nip44 as wrong_nip44
from tests.zoo.nostr_layer import strict_json as wrong_json
from tests.zoo.nostr_layer.nip01 import id_is_right, signature_is_right, signature_of_the_hash_is_right

Check = Callable[[Event], None]

unhex = bytes.fromhex
right_decrypt = nip44.decrypt_bytes
read_strictly = wrong_json.Reader()


def verified(event: Event) -> None:
    event.verify()


def believed(event: Event) -> None:
    return None


def opened(
    given: Value,
    *,
    kinds: tuple[int, ...] = nip59.WRAP_KINDS,
    outer: Check = verified,
    decrypt: Callable[[str, bytes], bytes] = right_decrypt,
) -> bytes:
    """What stands in a wrap."""
    wrap = events.from_value(given["event"])
    if wrap.kind not in kinds:
        raise refusal(ErrorClass.WRONG_KIND)
    outer(wrap)
    return decrypted(given, wrap, decrypt)


def decrypted(given: Value, event: Event, decrypt: Callable[[str, bytes], bytes] = right_decrypt) -> bytes:
    key = nip44.get_conversation_key(SecretKey(unhex(given["seckey"])), PublicKey(event.pubkey))
    return decrypt(event.content, key)


def shown(event: Event | UnsignedEvent) -> Value:
    value = event.to_value()
    return value | {"tags": [list(tag) for tag in value["tags"]]}


def unwrapping(
    *, parse: Callable[[bytes], Event] = events.parse, seals: bool = False, inner: Check = verified, **knobs: Any
) -> Operations:
    """The one-layer form, with a knob for each step."""

    def unwrap(given: Value) -> Value:
        event = parse(opened(given, **knobs))
        if event.kind == nip59.SEAL and not seals:
            raise refusal(ErrorClass.UNEXPECTED_SEAL)
        inner(event)
        return {"event": shown(event)}

    return {"unwrap": unwrap}


def author_is_sealer(rumor: UnsignedEvent, seal: Event) -> UnsignedEvent:
    if rumor.pubkey != seal.pubkey:
        raise refusal(ErrorClass.AUTHOR_MISMATCH)
    return rumor


def named_by_the_seal(rumor: UnsignedEvent, seal: Event) -> UnsignedEvent:
    """The seal's author put into the rumor."""
    return UnsignedEvent(seal.pubkey, rumor.created_at, rumor.kind, rumor.tags, rumor.content)


def gift_unwrapping(
    *,
    parse: Callable[[bytes], Event] = events.parse,
    seal_kinds: tuple[int, ...] = (nip59.SEAL,),
    seal: Check = verified,
    tags: bool = False,
    load: Callable[[bytes], Any] = read_strictly,
    signed: bool = False,
    ids: Callable[[Any], Any] = lambda value: value,
    author: Callable[[UnsignedEvent, Event], UnsignedEvent] = author_is_sealer,
    one_layer: bool = False,
    **knobs: Any,
) -> Operations:
    """The three-layer form, with a knob for each step."""

    def unwrap(given: Value) -> Value:
        sealed = parse(opened(given, **knobs))
        if one_layer and sealed.kind != nip59.SEAL:
            sealed.verify()
            return {"rumor": {name: value for name, value in shown(sealed).items() if name != "sig"}}
        if sealed.kind not in seal_kinds:
            raise refusal(ErrorClass.WRONG_KIND)
        seal(sealed)
        if sealed.tags and not tags:
            raise refusal(ErrorClass.SEAL_WITH_TAGS)
        value = load(decrypted(given, sealed))
        if isinstance(value, dict) and "sig" in value and not signed:
            raise refusal(ErrorClass.SIGNED_RUMOR)
        return {"rumor": shown(author(events.unsigned_from_value(ids(value)), sealed))}

    return {"gift_unwrap": unwrap}


def both(**knobs: Any) -> Operations:
    return unwrapping(**knobs) | gift_unwrapping(**knobs)


def unsigned_too(data: bytes) -> Event:
    """An event without a signature, with one of zeros."""
    value = read_strictly(data)
    return events.from_value(value | {"sig": value.get("sig") or "00" * 64} if isinstance(value, dict) else value)


def signed_unless_zeros(event: Event) -> None:
    id_is_right(event)
    if any(event.sig):
        signature_is_right(event)


def parsed_by(read: Callable[[bytes], Any]) -> Callable[[bytes], Event]:
    return lambda data: events.from_value(read(data))


def seals_opened(given: Value) -> Value:
    """Whatever is inside, down to the rumor."""
    try:
        return unwrapping()["unwrap"](given)
    except Violation as refused:
        if refused.error_class is not ErrorClass.UNEXPECTED_SEAL:
            raise
        return {"event": gift_unwrapping()["gift_unwrap"](given)["rumor"]}


def p_tag_required(given: Value) -> Value:
    if not any(tag[0] == "p" for tag in given["event"]["tags"]):
        raise refusal(ErrorClass.WRONG_KIND)
    return given


def id_required(value: Any) -> Any:
    if isinstance(value, dict) and "id" not in value:
        raise refusal(ErrorClass.MISSING_FIELD)
    return value


def id_dropped(value: Any) -> Any:
    return {name: item for name, item in value.items() if name != "id"} if isinstance(value, dict) else value


def garbage_too(payload: str, conversation_key: bytes) -> bytes:
    """What comes out of the cipher, whether or not MAC and padding agree."""
    unpad = wrong_nip44.length_unchecked
    return wrong_nip44.opened(payload, conversation_key, mac=lambda own, given: True, unpad=unpad)


def plain_text_too(payload: str, conversation_key: bytes) -> bytes:
    return payload.encode() if payload.startswith("{") else right_decrypt(payload, conversation_key)


def wrap(
    given: Value,
    event: Event,
    *,
    kinds: tuple[int, ...] = nip59.WRAP_KINDS,
    signer: str = "ephemeral_seckey",
    nonce: str = "",
    tags: Callable[[str], tuple[tuple[str, ...], ...]] = lambda recipient: (("p", recipient),),
    plaintext: Callable[[Event], bytes] = Event.dump,
    encrypt: Callable[[bytes, bytes, bytes], str] = nip44.encrypt,
    created_at: int | None = None,
    kind: int | None = None,
) -> Value:
    """A wrap, with a knob for each part."""
    if given["kind"] not in kinds:
        raise LocalProtocolError(ErrorClass.WRONG_KIND, "not a wrap")
    secret = SecretKey(unhex(given[signer]))
    key = nip44.get_conversation_key(secret, PublicKey(unhex(given["recipient"])))
    unsigned = UnsignedEvent(
        secret.public_key.x,
        given["created_at"] if created_at is None else created_at,
        given["kind"] if kind is None else kind,
        tags(given["recipient"]),
        encrypt(plaintext(event), key, unhex(nonce or given["nonce"])),
    )
    return {"event": shown(unsigned.sign(secret, unhex(given["aux_rand"])))}


def wrapping(**knobs: Any) -> Operations:
    return {"wrap": lambda given: wrap(given, events.from_value(given["event"]), **knobs)}


def gift_wrapping(
    *,
    kind: int = nip59.SEAL,
    tags: Callable[[str], tuple[tuple[str, ...], ...]] = lambda recipient: (),
    rumor: Callable[[UnsignedEvent, SecretKey], Value] = lambda rumor, author: shown(rumor),
    foreign: bool = False,
    sealer: str = "author_seckey",
    seals: bool = True,
    seal_time: str = "seal_created_at",
    **knobs: Any,
) -> Operations:
    """Rumor, seal and wrap, with a knob for each part."""

    def answer(given: Value) -> Value:
        fields = given["rumor"]
        its_rumor = UnsignedEvent(unhex(fields["pubkey"]), fields["created_at"], fields["kind"],
                                  events.freeze_tags(fields["tags"]), fields["content"])  # fmt: skip
        author, recipient = SecretKey(unhex(given[sealer])), PublicKey(unhex(given["recipient"]))
        own = SecretKey(unhex(given["author_seckey"]))
        if own.public_key.x != its_rumor.pubkey and not foreign:
            raise LocalProtocolError(ErrorClass.AUTHOR_MISMATCH, "another's rumor")
        if not seals:
            return wrap(given, its_rumor.sign(own, unhex(given["aux_rand"])))
        text = json.dumps(rumor(its_rumor, own), ensure_ascii=False)
        content = nip44.encrypt(text, nip44.get_conversation_key(author, recipient), unhex(given["seal_nonce"]))
        seal = UnsignedEvent(author.public_key.x, given[seal_time], kind, tags(given["recipient"]), content)
        return wrap(given, seal.sign(author, unhex(given["aux_rand"])), **knobs)

    return {"gift_wrap": answer}


def signed_rumor(rumor: UnsignedEvent, author: SecretKey) -> Value:
    return shown(rumor.sign(author, bytes(32)))


def unsigned_text(event: Event) -> bytes:
    return json.dumps({name: value for name, value in shown(event).items() if name != "sig"}).encode()


def nip04_like(plaintext: bytes, key: bytes, nonce: bytes) -> str:
    return plaintext.decode()


CONTROLS = [
    member("unwrap-control", "Both forms opened without a bug.", both(), fails=""),
    member("wrap-control", "Both forms made without a bug.", wrapping() | gift_wrapping(), fails=""),
]

MEMBERS = [
    member(
        "inner-believed",
        "Ignores the inner signature and id.",
        unwrapping(inner=believed),
        fails="""
            nip59-unwrap-inner-signature nip59-unwrap-inner-content nip59-unwrap-inner-id nip59-unwrap-inner-author
            nip59-unwrap-inner-claimed
        """,
    ),
    member(
        "inner-id-only",
        "Checks the inner id but not the signature.",
        unwrapping(inner=id_is_right),
        fails="nip59-unwrap-inner-signature nip59-unwrap-inner-claimed",
    ),
    member(
        "inner-signature-only",
        "Checks the inner signature but not the id.",
        unwrapping(inner=signature_is_right),
        fails="nip59-unwrap-inner-content",
    ),
    member(
        "inner-unsigned",
        "Takes an inner event without a signature, as the wrap has one.",
        unwrapping(parse=unsigned_too, inner=signed_unless_zeros),
        fails="nip59-unwrap-inner-unsigned nip59-unwrap-inner-empty-signature",
    ),
    member(
        "outer-believed",
        "Ignores the wrap's signature, as its key means nothing.",
        both(outer=believed),
        fails="nip59-unwrap-outer-signature nip59-unwrap-outer-id nip59-gift-outer-signature",
    ),
    member(
        "outer-id-only",
        "Checks the wrap's id but not its signature.",
        both(outer=id_is_right),
        fails="nip59-unwrap-outer-signature nip59-gift-outer-signature",
    ),
    member(
        "outer-signature-only",
        "Checks the wrap's signature but not its id.",
        both(outer=signature_is_right),
        fails="nip59-unwrap-outer-id",
    ),
    member(
        "wrap-any-kind", "Opens events of any kind.", both(kinds=tuple(range(65_536))), fails="nip59-unwrap-wrong-kind"
    ),
    member(
        "wrap-1059-only",
        "Does not know ephemeral wraps.",
        both(kinds=(1059,)),
        fails="nip59-unwrap-21059 nip59-gift-unwrap-21059",
    ),
    member(
        "wrap-garbage",
        "Decrypts without a look at MAC and padding, and crashes on what comes out.",
        both(decrypt=garbage_too, parse=lambda data: events.from_value(json.loads(data))),
        fails="""
            nip59-unwrap-other-recipient nip59-unwrap-not-json nip59-unwrap-not-utf8 nip59-unwrap-duplicate-key-last
            nip59-gift-other-recipient
        """,
    ),
    member(
        "wrap-plain-content",
        "Takes content that is not encrypted as it is.",
        both(decrypt=plain_text_too),
        fails="nip59-unwrap-plain-content",
    ),
    member(
        "wrap-needs-p",
        "Opens only wraps that name a recipient.",
        reading("unwrap gift_unwrap", p_tag_required),
        fails="nip59-unwrap-no-p",
    ),
    member(
        "inner-json-crash",
        "Crashes on a plaintext that is no event.",
        unwrapping(parse=lambda data: events.from_value(dict(json.loads(data).items()))),
        fails="nip59-unwrap-not-json nip59-unwrap-array nip59-unwrap-not-utf8 nip59-unwrap-duplicate-key-last",
    ),
    member(
        "inner-array",
        "Takes the first event of an array.",
        unwrapping(parse=parsed_by(lambda data: value[0] if isinstance(value := read_strictly(data), list) else value)),
        fails="nip59-unwrap-array",
    ),
    member(
        "inner-first-key",
        "Keeps the first of two equal keys in the inner event.",
        unwrapping(parse=parsed_by(wrong_json.Reader(pairs=wrong_json.first_of_equal_keys))),
        fails="nip59-unwrap-duplicate-key",
    ),
    member("inner-seal", "Takes a seal for a message.", unwrapping(seals=True), fails="nip59-unwrap-seal"),
    member(
        "inner-seal-opened",
        "Opens a seal where a signed event is expected.",
        {"unwrap": seals_opened},
        fails="nip59-unwrap-seal",
    ),
    member(
        "seal-believed",
        "Ignores the seal's signature.",
        gift_unwrapping(seal=believed),
        fails="nip59-gift-seal-signature nip59-gift-seal-id",
    ),
    member(
        "seal-id-only",
        "Checks the seal's id but not its signature.",
        gift_unwrapping(seal=id_is_right),
        fails="nip59-gift-seal-signature",
    ),
    member(
        "seal-signature-only",
        "Checks the seal's signature but not its id.",
        gift_unwrapping(seal=signature_is_right),
        fails="nip59-gift-seal-id",
    ),
    member(
        "seal-any-kind",
        "Takes an event of any kind for a seal.",
        gift_unwrapping(seal_kinds=tuple(range(65_536))),
        fails="nip59-gift-seal-kind",
    ),
    member("seal-with-tags", "Takes seals with tags.", gift_unwrapping(tags=True), fails="nip59-gift-seal-tags"),
    member(
        "seal-or-event",
        "Takes a signed event where a seal is expected.",
        gift_unwrapping(one_layer=True),
        fails="nip59-gift-seal-kind nip59-gift-one-layer",
    ),
    member(
        "rumor-author-believed",
        "Believes the rumor's author over the seal's.",
        gift_unwrapping(author=lambda rumor, seal: rumor),
        fails="nip59-gift-forged-author",
    ),
    member(
        "rumor-author-replaced",
        "Puts the seal's author into the rumor.",
        gift_unwrapping(author=named_by_the_seal),
        fails="nip59-gift-forged-author",
    ),
    member(
        "rumor-signed", "Takes rumors with a signature.", gift_unwrapping(signed=True), fails="nip59-gift-signed-rumor"
    ),
    member(
        "rumor-id-believed",
        "Ignores the rumor's id.",
        gift_unwrapping(ids=id_dropped),
        fails="""
            nip59-gift-rumor-id nip59-gift-rumor-id-short
        """,
    ),
    member(
        "rumor-id-required",
        "Refuses a rumor without an id.",
        gift_unwrapping(ids=id_required),
        fails="nip59-gift-unwrap-no-id",
    ),
    member(
        "rumor-fields",
        "Reads the fields of whatever a seal holds, and crashes where there are none.",
        gift_unwrapping(
            ids=lambda value: {name: value[name] for name in (*events.FIELDS[1:6], *("id",) * ("id" in value))}
        ),
        fails="""
            nip59-gift-rumor-shape nip59-gift-rumor-array nip59-gift-rumor-no-author
        """,
    ),
    member(
        "wrap-writes-any-kind",
        "Makes wraps of any kind.",
        wrapping(kinds=tuple(range(65_536))),
        fails="nip59-wrap-other-kind",
    ),
    member("wrap-writes-1059", "Makes wraps of kind 1059 only.", wrapping(kind=1059), fails="nip59-wrap-21059"),
    member(
        "wrap-writes-no-p",
        "Makes wraps that name no recipient.",
        wrapping(tags=lambda recipient: ()),
        fails="nip59-wrap-1059 nip59-wrap-21059",
    ),
    member(
        "wrap-writes-hint",
        "Puts more than the recipient into the tags.",
        wrapping(tags=lambda recipient: (("p", recipient), ("client", "zoo"))),
        fails="nip59-wrap-1059 nip59-wrap-21059",
    ),
    member(
        "wrap-writes-other-time",
        "Dates the wrap a second later than asked.",
        wrapping(created_at=1_750_000_001),
        fails="nip59-wrap-1059 nip59-wrap-21059",
    ),
    member(
        "wrap-writes-unsigned",
        "Puts the event into the wrap without its signature.",
        wrapping(plaintext=unsigned_text),
        fails="nip59-wrap-1059 nip59-wrap-21059",
    ),
    member(
        "wrap-writes-plain", "Does not encrypt.", wrapping(encrypt=nip04_like), fails="nip59-wrap-1059 nip59-wrap-21059"
    ),
    member(
        "wrap-writes-double-encoded",
        "Puts JSON in a string into the wrap.",
        wrapping(plaintext=lambda event: json.dumps(event.dump().decode()).encode()),
        fails="nip59-wrap-1059 nip59-wrap-21059",
    ),
    member(
        "gift-foreign-rumor",
        "Seals a rumor in another's name.",
        gift_wrapping(foreign=True),
        fails="nip59-gift-wrap-foreign-rumor",
    ),
    member(
        "gift-random-sealer",
        "Signs seals with a key of no one.",
        gift_wrapping(sealer="ephemeral_seckey"),
        fails="nip59-gift-wrap",
    ),
    member("gift-seal-kind", "Makes seals of kind 14.", gift_wrapping(kind=14), fails="nip59-gift-wrap"),
    member(
        "gift-seal-tags",
        "Names the recipient in the seal.",
        gift_wrapping(tags=lambda recipient: (("p", recipient),)),
        fails="nip59-gift-wrap",
    ),
    member(
        "gift-signed-rumor",
        "Seals rumors with a signature.",
        gift_wrapping(rumor=signed_rumor),
        fails="nip59-gift-wrap",
    ),
    member("gift-no-seal", "Leaves out the seal.", gift_wrapping(seals=False), fails="nip59-gift-wrap"),
    member(
        "gift-wrong-rumor-id",
        "Seals rumors with another id.",
        gift_wrapping(rumor=lambda rumor, author: shown(rumor) | {"id": "00" * 32}),
        fails="nip59-gift-wrap",
    ),
    member(
        "gift-wrap-by-author",
        "Signs the wrap with the author's own key.",
        gift_wrapping(signer="author_seckey"),
        fails="nip59-gift-wrap",
    ),
    member(
        "gift-same-time",
        "Dates the seal like the wrap.",
        gift_wrapping(seal_time="created_at"),
        fails="nip59-gift-wrap",
    ),
    member(
        "wrap-one-nonce",
        "Encrypts every wrap with one nonce.",
        wrapping(nonce="00" * 32),
        fails="nip59-wrap-1059 nip59-wrap-21059",
    ),
    member(
        "inner-id-ignored",
        "Checks the inner signature of the hash, and hands on whatever id the event claims.",
        unwrapping(inner=signature_of_the_hash_is_right),
        fails="nip59-unwrap-inner-id",
    ),
    member(
        "inner-last-key",
        "Keeps the last of two equal keys in the inner event.",
        unwrapping(parse=parsed_by(wrong_json.Reader(pairs=dict))),
        fails="nip59-unwrap-duplicate-key-last",
    ),
    member(
        "rumor-last-key",
        "Keeps the last of two equal keys in a rumor.",
        gift_unwrapping(load=wrong_json.Reader(pairs=dict)),
        fails="nip59-gift-rumor-duplicate-key",
    ),
    member(
        "inner-utf8-replaced",
        "Reads bad UTF-8 in a wrap as replacement characters.",
        unwrapping(parse=lambda data: events.parse(data.decode(errors="replace"))),
        fails="nip59-unwrap-not-utf8",
    ),
    member(
        "rumor-utf8-replaced",
        "Reads bad UTF-8 in a rumor as replacement characters.",
        gift_unwrapping(load=wrong_json.Reader(decode=lambda data: data.decode(errors="replace"))),
        fails="nip59-gift-rumor-not-utf8",
    ),
]
