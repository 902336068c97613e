"""What the texts of NIP-01, NIP-17, NIP-19 and NIP-59 print: escapes, limits, strings, and wraps with their keys."""

from __future__ import annotations

import json
from base64 import b64decode
from collections import Counter
from typing import Any

import pytest

from nostrmcp.nostr import event as events
from nostrmcp.nostr import filters, nip19, nip44, nip59, relay_frames, strict_json
from nostrmcp.nostr.errors import ErrorClass, LocalProtocolError, Violation
from nostrmcp.nostr.event import Event, UnsignedEvent
from nostrmcp.nostr.filters import KindClass
from nostrmcp.nostr.keys import PublicKey, SecretKey
from nostrmcp.nostr.relay_frames import Prefix
from tests.official import data

unhex = bytes.fromhex

SECRET = SecretKey(bytes(31) + b"\3")
AUTHOR = SECRET.public_key.x


def signed(kind: int = 1, tags: events.Tags = (), created_at: int = 1_700_000_000, content: str = "") -> Event:
    return UnsignedEvent(AUTHOR, created_at, kind, tags, content).sign(SECRET, bytes(32))


def parse(value: Any) -> Event:
    return events.parse(json.dumps(value))


# NIP-01


def test_nip01_escapes() -> None:
    nip = data.read_json("nips/nip01.json")
    escapes = {chr(one["codepoint"]): one["escape"] for one in nip["escapes"]}
    beyond = nip["implementations_beyond_text"]
    assert (beyond["escape_form"], beyond["hex_case"]) == ("\\u00xx", "lower")
    escapes |= {chr(codepoint): f"\\u{codepoint:04x}" for codepoint in beyond["codepoints"]}
    assert len(escapes) == 7 + 27
    for character, escape in escapes.items():
        expected = f'"{escape}"'
        assert strict_json.write(character) == expected
        assert strict_json.dump(character) == expected.encode()


def test_nip01_every_other_character_is_written_as_it_is() -> None:
    nip = data.read_json("nips/nip01.json")
    assert nip["verbatim"] == "all-other-codepoints"
    escaped = {one["codepoint"] for one in nip["escapes"]} | set(nip["implementations_beyond_text"]["codepoints"])
    surrogates = range(0xD800, 0xE000)
    text = "".join(chr(code) for code in range(0x110000) if code not in escaped and code not in surrogates)
    assert len(text) == 0x110000 - 0x800 - 34
    assert strict_json.dump(text) == f'"{text}"'.encode()
    assert strict_json.write(text) == f'"{text}"'


def test_nip01_serialization() -> None:
    nip = data.read_json("nips/nip01.json")
    assert (nip["serialization_encoding"], nip["serialization_whitespace"], nip["id_hash"]) == (
        "utf-8",
        False,
        "sha256",
    )
    event = signed(tags=(("alt", "reply"),), content="é")
    value = event.to_value()
    ordered = [value[name] if isinstance(name, str) else name for name in nip["serialization_order"]]
    assert len(ordered) == 6
    assert event.serialize() == json.dumps(ordered, ensure_ascii=False, separators=(",", ":")).encode()


def test_nip01_fields_and_their_limits() -> None:
    fields = data.read_json("nips/nip01.json")["event_fields"]
    assert tuple(fields) == events.FIELDS
    assert fields["kind"]["max"] == events.MAX_KIND
    value = json.loads(signed().dump())
    wrong: list[tuple[str, Any]] = [(name, None) for name in fields]
    for name in ("id", "pubkey", "sig"):
        assert len(value[name]) == 2 * fields[name]["bytes"]
        assert fields[name]["case"] == "lower"
        wrong += [(name, value[name][:-2]), (name, value[name] + "00"), (name, "A" * len(value[name]))]
    wrong += [("kind", fields["kind"]["min"] - 1), ("kind", fields["kind"]["max"] + 1), ("kind", 1.0)]
    wrong += [("created_at", 1.5), ("tags", [[]]), ("tags", [["e", 1]]), ("tags", ["e"]), ("content", 1)]
    assert fields["tags"] == {"type": "array<array<string>>", "tag_min_items": 1}
    for name, bad in wrong:
        with pytest.raises(Violation) as refusal:
            parse(value | {name: bad})
        assert refusal.value.error_class == f"malformed_{name}", (name, bad)
    for name in fields:
        with pytest.raises(Violation) as refusal:
            parse({key: item for key, item in value.items() if key != name})
        assert refusal.value.error_class is ErrorClass.MISSING_FIELD, name
    for kind in (fields["kind"]["min"], fields["kind"]["max"]):
        assert parse(value | {"kind": kind}).kind == kind


def test_nip01_example_tags() -> None:
    tags = data.read_json("nips/nip01.json")["example_tags"]
    assert len(tags) == 4
    event = parse(json.loads(signed(tags=events.freeze_tags(tags)).dump()))
    event.verify()
    for name, value, *_ in tags:
        assert event.first(name) == value
        assert event.values(name) == (value,)


def test_nip01_kind_classes() -> None:
    classes = data.read_json("nips/nip01.json")["kind_classes"]
    assert len(classes) == 4
    expected = dict.fromkeys(range(events.MAX_KIND + 1), KindClass.UNDEFINED)
    for one in classes:
        for first, last in one["ranges"]:
            expected |= dict.fromkeys(range(first, last + 1), KindClass(one["class"]))
    assert Counter(expected.values()) == Counter(map(filters.kind_class, range(events.MAX_KIND + 1)))
    assert all(filters.kind_class(kind) is its_class for kind, its_class in expected.items())


def test_nip01_of_two_replaceable_events_in_one_second_the_lowest_id_stays() -> None:
    assert data.read_json("nips/nip01.json")["replaceable_tie"] == "lowest-id"
    lower, higher = sorted((signed(10_000, content=text) for text in "ab"), key=lambda event: event.id)
    assert filters.replaces(lower, higher)
    assert not filters.replaces(higher, lower)


def test_nip01_messages() -> None:
    nip = data.read_json("nips/nip01.json")
    event = json.loads(signed().dump())
    from_client = {"EVENT": [event], "REQ": ["s", {}], "CLOSE": ["s"]}
    assert list(from_client) == nip["client_messages"]
    for name, elements in from_client.items():
        frame = strict_json.dump([name, *elements])
        assert json.loads(relay_frames.parse_client_frame(frame).dump()) == [name, *elements]
    from_relay = {
        "EVENT": ["s", event],
        "OK": [event["id"], True, ""],
        "EOSE": ["s"],
        "CLOSED": ["s", "error: shutting down"],
        "NOTICE": ["text"],
    }
    assert list(from_relay) == nip["relay_messages"]
    for name, elements in from_relay.items():
        frame = strict_json.dump([name, *elements])
        assert json.loads(relay_frames.parse_relay_frame(frame).dump()) == [name, *elements]


def test_nip01_subscription_ids() -> None:
    limits = data.read_json("nips/nip01.json")["subscription_id"]
    assert limits == {"min_chars": 1, "max_chars": relay_frames.MAX_SUBSCRIPTION_ID}
    for length in (limits["min_chars"], limits["max_chars"]):
        assert relay_frames.parse_relay_frame(relay_frames.Eose("é" * length).dump()) == relay_frames.Eose("é" * length)
    for length in (limits["min_chars"] - 1, limits["max_chars"] + 1):
        with pytest.raises(Violation) as refusal:
            relay_frames.parse_relay_frame(strict_json.dump(["EOSE", "é" * length]))
        assert refusal.value.error_class is ErrorClass.MALFORMED_SUBSCRIPTION_ID
        with pytest.raises(LocalProtocolError):
            relay_frames.Eose("é" * length).dump()


def test_nip01_filter_fields() -> None:
    names = data.read_json("nips/nip01.json")["filter_fields"]
    values: dict[str, Any] = {
        "ids": ["00" * 32],
        "authors": ["11" * 32],
        "kinds": [1],
        "#<a-zA-Z>": ["22" * 32],
        "since": 1,
        "until": 2,
        "limit": 3,
    }
    assert names == list(values)
    letters = "abcdefghijklmnopqrstuvwxyz"
    tag_values = values.pop("#<a-zA-Z>")
    values |= {f"#{letter}": tag_values for letter in letters + letters.upper()}
    assert filters.parse(values).to_value() == values
    for name in ("#1", "#ee", "#", "search"):
        with pytest.raises(Violation) as refusal:
            filters.parse({name: tag_values})
        assert refusal.value.error_class is ErrorClass.UNKNOWN_FILTER_FIELD


def test_nip01_prefixes() -> None:
    nip = data.read_json("nips/nip01.json")
    assert len(nip["prefixes"]) == 8
    for word in nip["prefixes"]:
        assert relay_frames.prefix_of(f"{word}: because") is Prefix(word)
    assert len(nip["ok_message_prefixes_seen"]) == 11
    for seen in nip["ok_message_prefixes_seen"]:
        message = f"{seen['prefix']}: because" if seen["prefix"] else ""
        frame = relay_frames.parse_relay_frame(relay_frames.Ok(bytes(32), seen["accepted"], message).dump())
        assert isinstance(frame, relay_frames.Ok)
        assert (frame.accepted, frame.prefix) == (seen["accepted"], Prefix(seen["prefix"]))
    assert nip["closed_message_prefixes_seen"] == ["unsupported", "error", "error"]
    for word in nip["closed_message_prefixes_seen"]:
        frame = relay_frames.parse_relay_frame(relay_frames.Closed("s", f"{word}: because").dump())
        assert isinstance(frame, relay_frames.Closed)
        assert frame.prefix is Prefix(word)


# NIP-17


def test_nip17_both_wraps_hold_the_message() -> None:
    nip = data.read_json("nips/nip17.json")
    derived = nip["rumor_derived"]
    sender, receiver = nip19.decode(nip["sender_nsec"]), nip19.decode(nip["receiver_nsec"])
    assert isinstance(sender, SecretKey)
    assert isinstance(receiver, SecretKey)
    assert sender.public_key.hex() == derived["pubkey"]
    judged = 0
    for name, key in (("wrap_to_receiver", receiver), ("wrap_to_sender", sender)):
        wrap = parse(nip[name])
        assert wrap.kind == nip["kinds"]["wrap"] == nip59.WRAP
        assert wrap.first("p") == key.public_key.hex()
        rumor = nip59.unwrap_sealed(wrap, key)
        assert json.loads(strict_json.dump(rumor.to_value())) == derived
        assert rumor.content == nip["message"]
        assert rumor.kind == nip["kinds"]["chat"]
        judged += 1
    assert judged == 2


def test_nip17_a_wrap_opens_for_its_receiver_only() -> None:
    nip = data.read_json("nips/nip17.json")
    sender = nip19.decode(nip["sender_nsec"])
    assert isinstance(sender, SecretKey)
    with pytest.raises(Violation) as refusal:
        nip59.unwrap_sealed(parse(nip["wrap_to_receiver"]), sender)
    assert refusal.value.error_class is ErrorClass.INVALID_MAC


# NIP-19


def test_nip19_examples() -> None:
    judged: Counter[str] = Counter()
    for example in data.read_json("nips/nip19.json")["examples"]:
        entity = nip19.decode(example["string"])
        match entity:
            case PublicKey():
                assert (example["type"], example["hex"]) == ("npub", entity.hex())
            case SecretKey():
                assert (example["type"], example["hex"]) == ("nsec", entity.reveal().hex())
            case nip19.Profile():
                assert entity == nip19.Profile(unhex(example["pubkey"]), tuple(example["relays"]))
        assert nip19.encode(entity) == example["string"]
        judged[example["type"]] += 1
    assert judged == {"npub": 2, "nsec": 1, "nprofile": 1}


def test_nip19_prefixes_and_limits() -> None:
    nip = data.read_json("nips/nip19.json")
    assert nip["max_chars"] == nip19.MAX_LENGTH
    key = SECRET.public_key
    bare: dict[str, nip19.Entity] = {"npub": key, "nsec": SECRET, "note": nip19.Note(bytes(32))}
    with_items: dict[str, nip19.Entity] = {
        "nprofile": nip19.Profile(key.x, ("wss://a.example",)),
        "nevent": nip19.EventPointer(bytes(32), ("wss://a.example",), key.x, 7),
        "naddr": nip19.Address("d", key.x, 30_023, ("wss://a.example",)),
    }
    assert list(bare) == nip["prefixes"]["bare"]
    assert list(with_items) == nip["prefixes"]["tlv"]
    for prefix, entity in (bare | with_items).items():
        text = nip19.encode(entity)
        assert text.startswith(f"{prefix}1")
        assert nip19.encode(nip19.decode(text)) == text
    assert nip["prefixes"]["deprecated"] == ["nrelay"]


# NIP-59


def nip59_keys(nip: Any) -> tuple[SecretKey, SecretKey, SecretKey]:
    author, recipient, wrapper = (nip[f"{name}_secret"] for name in ("author", "recipient", "wrapper"))
    return SecretKey(unhex(author)), SecretKey(unhex(recipient)), SecretKey(unhex(wrapper))


def test_nip59_keys() -> None:
    nip = data.read_json("nips/nip59.json")
    for name in ("author", "recipient"):
        key = nip19.decode(nip[f"{name}_nsec"])
        assert isinstance(key, SecretKey)
        assert key.reveal().hex() == nip[f"{name}_secret"]
    author, recipient, wrapper = nip59_keys(nip)
    assert author.public_key.hex() == nip["rumor"]["pubkey"] == nip["seal"]["pubkey"]
    assert wrapper.public_key.hex() == nip["wrap"]["pubkey"]
    assert ["p", recipient.public_key.hex()] in nip["wrap"]["tags"]


def test_nip59_layers_one_by_one() -> None:
    """Each layer holds the next as printed, and encrypts back to the same text with its own nonce."""
    nip = data.read_json("nips/nip59.json")
    author, recipient, wrapper = nip59_keys(nip)
    rumor = events.unsigned_from_value(nip["rumor"])
    assert rumor.id.hex() == nip["rumor"]["id"]
    for name, signer, inner in (("seal", author, nip["rumor"]), ("wrap", wrapper, nip["seal"])):
        layer = parse(nip[name])
        layer.verify()
        assert layer.kind == nip["kinds"][name]
        conversation_key = nip44.get_conversation_key(recipient, signer.public_key)
        assert conversation_key == nip44.get_conversation_key(signer, recipient.public_key)
        text = nip44.decrypt(layer.content, conversation_key)
        assert json.loads(text) == inner
        nonce = b64decode(layer.content)[1:33]
        assert nip44.encrypt(text, conversation_key, nonce) == layer.content
    assert (nip["kinds"]["seal"], nip["kinds"]["wrap"]) == (nip59.SEAL, nip59.WRAP)
    assert nip["kinds"]["ephemeral_wrap"] == nip59.EPHEMERAL_WRAP


def test_nip59_the_wrap_opens_to_the_rumor() -> None:
    nip = data.read_json("nips/nip59.json")
    recipient = SecretKey(unhex(nip["recipient_secret"]))
    wrap = parse(nip["wrap"])
    assert nip59.unwrap_sealed(wrap, recipient) == events.unsigned_from_value(nip["rumor"])
    with pytest.raises(Violation) as refusal:
        nip59.unwrap(wrap, recipient)
    assert refusal.value.error_class is ErrorClass.UNEXPECTED_SEAL
