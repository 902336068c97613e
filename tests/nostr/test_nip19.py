from __future__ import annotations

import string
import traceback

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nostrmcp.nostr import bip340, nip19
from nostrmcp.nostr.errors import ErrorClass, Violation
from nostrmcp.nostr.keys import PublicKey, SecretKey
from nostrmcp.nostr.nip19 import Address, EventPointer, Note, Profile
from tests.nostr.strategies import (
    ALICE,
    BOB,
    OFF_CURVE,
    bytes32,
    characters,
    kinds,
    misused,
    outcome,
    refused,
    secret_keys,
)

CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
BECH32M = 0x2BC830A3


def checksummed(prefix, words, constant=1):
    """BIP-173's reference, so that only what stands behind the checksum is wrong."""
    checksum = 1
    expanded = [ord(character) >> 5 for character in prefix] + [0] + [ord(character) & 31 for character in prefix]
    for value in [*expanded, *words, 0, 0, 0, 0, 0, 0]:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate([0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]):
            checksum ^= generator if (top >> bit) & 1 else 0
    checksum ^= constant
    return prefix + "1" + "".join(CHARSET[word] for word in [*words, *(checksum >> 5 * (5 - i) & 31 for i in range(6))])


def words_of(data):
    bits = "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 5)
    return [int(bits[start : start + 5], 2) for start in range(0, len(bits), 5)]


def bech32(prefix, data, constant=1):
    return checksummed(prefix, words_of(data), constant)


def tlv(*items):
    return b"".join(bytes((item_type, len(value))) + value for item_type, value in items)


X = ALICE.public_key.x
KIND = (3, (1).to_bytes(4, "big"))


# What NIP-19 prints


@pytest.mark.parametrize(
    ("text", "hexadecimal"),
    [
        (
            "npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6",
            "3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d",
        ),
        (
            "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg",
            "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e",
        ),
    ],
)
def test_npub(text, hexadecimal):
    assert nip19.decode(text) == PublicKey(bytes.fromhex(hexadecimal))
    assert nip19.encode(PublicKey(bytes.fromhex(hexadecimal))) == text


def test_nsec():
    text = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
    key = nip19.decode(text)
    assert type(key) is SecretKey
    assert key.reveal().hex() == "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa"
    assert nip19.encode(key) == text


def test_nprofile():
    text = (
        "nprofile1qqsrhuxx8l9ex335q7he0f09aej04zpazpl0ne2cgukyawd24mayt8gpp4mhxue69uhhytnc9e3k7mgpz4mhxue69uhkg6nzv9ejuump"
        "v34kytnrdaksjlyr9p"
    )
    profile = Profile(
        bytes.fromhex("3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d"),
        ("wss://r.x.com", "wss://djbas.sadkb.com"),
    )
    assert nip19.decode(text) == profile
    assert nip19.encode(profile) == text


# Round trips

relays = st.lists(st.text(st.characters(max_codepoint=127), max_size=60), max_size=4).map(tuple)
identifiers = st.text(characters, max_size=60)
entities = st.one_of(
    secret_keys.map(lambda key: key.public_key),
    st.builds(Note, bytes32),
    st.builds(Profile, bytes32, relays),
    st.builds(EventPointer, bytes32, relays, st.none() | bytes32, st.none() | kinds),
    st.builds(Address, identifiers, bytes32, kinds, relays),
)


@given(entities)
def test_an_entity_is_read_as_it_is_written(entity):
    text = nip19.encode(entity)
    assert nip19.decode(text) == entity
    assert nip19.decode(text.upper()) == entity


@given(secret_keys)
def test_a_secret_key_is_read_as_it_is_written(key):
    assert nip19.decode(nip19.encode(key)).reveal() == key.reveal()


@given(st.binary(min_size=32, max_size=32))
def test_what_is_written_is_bip173s_reference(data):
    assert nip19.encode(Note(data)) == bech32("note", data)


@pytest.mark.parametrize("length", range(20))
def test_padding_of_every_length(length):
    address = Address("x" * length, X, 1)
    data = tlv((0, b"x" * length), (2, X), KIND)
    assert nip19.encode(address) == bech32("naddr", data)
    assert nip19.decode(bech32("naddr", data)) == address


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (bech32("nprofile", tlv((0, X))), Profile(X)),
        (bech32("nprofile", tlv((9, b"?"), (0, X), (200, b""), (1, b"a"), (1, b"b"))), Profile(X, ("a", "b"))),
        # An author or a kind means nothing in an nprofile, whatever it holds.
        (bech32("nprofile", tlv((0, X), (2, b"short"), (3, b""))), Profile(X)),
        (bech32("nprofile", tlv((0, X), (0, b"ignored"))), Profile(X)),
        (bech32("nevent", tlv((0, X))), EventPointer(X)),
        (bech32("nevent", tlv(KIND, (2, X), (0, X))), EventPointer(X, (), X, 1)),
        (bech32("naddr", tlv((0, b""), (2, X), KIND)), Address("", X, 1)),
        (bech32("naddr", tlv((0, "\xe9".encode()), (1, b"r"), (2, X), KIND)), Address("\xe9", X, 1, ("r",))),
        # Any 32 bytes: a pointer is not checked against the curve.
        (bech32("nprofile", tlv((0, OFF_CURVE))), Profile(OFF_CURVE)),
    ],
)
def test_what_is_read(text, expected):
    assert nip19.decode(text) == expected


def test_no_entity_is_longer_than_5000_characters():
    relays = ("r" * 253,) * 12
    longest = Profile(X, (*relays, "r" * 19))
    assert len(nip19.encode(longest)) == 4999
    assert nip19.decode(nip19.encode(longest)) == longest
    misused(ErrorClass.INVALID_BECH32, nip19.encode, Profile(X, (*relays, "r" * 20)))


@pytest.mark.parametrize(("length", "too_long"), [(4999, False), (5000, False), (5001, True)])
def test_the_length_is_looked_at_first(length, too_long):
    text = "a" * length
    assert (refused(ErrorClass.INVALID_BECH32, nip19.decode, text).detail == "longer than 5000 characters") is too_long


# What is refused


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "npub",
        "npub1",
        "npub1qqqqq",
        "1qqqqqqqq",
        "\x7f1axkwrx",
        " 1nwldj5",
        bech32("npub", X)[:-1],
        bech32("npub", X) + "q",
        bech32("npub", X).replace("npub1", "npub"),
        "N" + bech32("npub", X)[1:],
        "npub1" + bech32("npub", X)[5:].upper(),
        " " + bech32("npub", X),
        bech32("npub", X) + "\n",
        bech32("npub", X, BECH32M),
        bech32("note", X).replace("note1", "npub1"),
        bech32("npub", X).replace("npub1", "npub1b"),
        bech32("npub", X).replace("npub1", "npub1\xe9"),
        "\u212apub1" + bech32("npub", X)[5:],
        # The last bits are not zero.
        checksummed("npub", [*words_of(X)[:-1], words_of(X)[-1] | 1]),
        # A whole word is padding.
        checksummed("nprofile", [*words_of(tlv((0, X), (9, b""))), 0]),
        checksummed("note", [0]),
    ],
)
def test_what_is_not_bech32(text):
    refused(ErrorClass.INVALID_BECH32, nip19.decode, text)


@pytest.mark.parametrize("prefix", ["nrelay", "bc", "n", "npub2", "npubx", "a1b", "~"])
def test_a_prefix_that_nip19_does_not_define(prefix):
    refused(ErrorClass.UNKNOWN_PREFIX, nip19.decode, bech32(prefix, X))


MALFORMED = {
    "npub of 31 bytes": bech32("npub", X[:31]),
    "npub of 33 bytes": bech32("npub", X + b"\0"),
    "nsec of 31 bytes": bech32("nsec", X[:31]),
    "note of no bytes": bech32("note", b""),
    "nothing": bech32("nprofile", b""),
    "a type without a length": bech32("nprofile", tlv((0, X)) + b"\1"),
    "an item cut short": bech32("nprofile", tlv((0, X)) + b"\1\2r"),
    "an unknown item cut short": bech32("nprofile", tlv((0, X)) + b"\x63\1"),
    "nprofile without a key": bech32("nprofile", tlv((1, b"r"))),
    "nprofile of 31 bytes": bech32("nprofile", tlv((0, X[:31]))),
    "nprofile with a relay that is not ASCII": bech32("nprofile", tlv((0, X), (1, b"\xc3\xa9"))),
    "nevent without an id": bech32("nevent", tlv((2, X), KIND)),
    "nevent of 33 bytes": bech32("nevent", tlv((0, X + b"\0"))),
    "nevent with an author of 31 bytes": bech32("nevent", tlv((0, X), (2, X[:31]))),
    "nevent with a kind of 2 bytes": bech32("nevent", tlv((0, X), (3, b"\0\1"))),
    "nevent with a kind of no bytes": bech32("nevent", tlv((0, X), (3, b""))),
    "nevent with a kind of 65536": bech32("nevent", tlv((0, X), (3, b"\0\1\0\0"))),
    "naddr without an identifier": bech32("naddr", tlv((2, X), KIND)),
    "naddr without an author": bech32("naddr", tlv((0, b"x"), KIND)),
    "naddr without a kind": bech32("naddr", tlv((0, b"x"), (2, X))),
    "naddr with an identifier that is not UTF-8": bech32("naddr", tlv((0, b"\xff"), (2, X), KIND)),
}


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_is_malformed_behind_the_checksum(text):
    refused(ErrorClass.MALFORMED_TLV, nip19.decode, text)


def test_keys_that_are_none():
    refused(ErrorClass.INVALID_PUBLIC_KEY, nip19.decode, bech32("npub", OFF_CURVE))
    refused(ErrorClass.INVALID_SECRET_KEY, nip19.decode, bech32("nsec", bytes(32)))
    refused(ErrorClass.INVALID_SECRET_KEY, nip19.decode, bech32("nsec", bip340.bytes_from_int(bip340.n)))


@pytest.mark.parametrize(
    ("entity", "error_class"),
    [
        (Note(bytes(31)), ErrorClass.MALFORMED_TLV),
        (Profile(bytes(33)), ErrorClass.MALFORMED_TLV),
        (Profile(X, ("\xe9",)), ErrorClass.MALFORMED_TLV),
        (Profile(X, ("r" * 256,)), ErrorClass.MALFORMED_TLV),
        (EventPointer(b""), ErrorClass.MALFORMED_TLV),
        (EventPointer(X, (), b""), ErrorClass.MALFORMED_TLV),
        (EventPointer(X, (), None, -1), ErrorClass.MALFORMED_KIND),
        (EventPointer(X, (), None, 65536), ErrorClass.MALFORMED_KIND),
        (Address("x" * 256, X, 1), ErrorClass.MALFORMED_TLV),
        (Address("x", bytes(31), 1), ErrorClass.MALFORMED_TLV),
        (Address("x", X, 65536), ErrorClass.MALFORMED_KIND),
    ],
)
def test_writing_what_would_not_be_read_is_a_mistake(entity, error_class):
    misused(error_class, nip19.encode, entity)


def test_an_identifier_that_is_no_text_is_a_mistake():
    misused(ErrorClass.LONE_SURROGATE, nip19.encode, Address("\ud800", X, 1))


@pytest.mark.parametrize("entity", [None, "npub1", b"\0" * 32, 1])
def test_what_is_no_entity_is_a_mistake(entity):
    with pytest.raises(TypeError, match=r"is not a NIP-19 entity$"):
        nip19.encode(entity)


printable = string.ascii_letters + string.digits + string.punctuation + " "


@given(st.one_of(entities, secret_keys), st.data())
def test_a_changed_character_is_refused(entity, data):
    text = nip19.encode(entity)
    position = data.draw(st.integers(0, len(text) - 1))
    character = data.draw(st.one_of(st.sampled_from(CHARSET), st.sampled_from(printable), st.characters()))
    changed = text[:position] + character + text[position + 1 :]
    if changed != text:
        assert isinstance(outcome(nip19.decode, changed), Violation)


def test_every_changed_character_of_an_npub_is_refused():
    text = bech32("npub", X)
    for position, character in enumerate(text):
        for other in set(printable) - {character}:
            refused(ErrorClass.INVALID_BECH32, nip19.decode, text[:position] + other + text[position + 1 :])


@given(st.text(max_size=100))
def test_any_text_gives_an_entity_or_a_violation(text):
    assert isinstance(outcome(nip19.decode, text), Violation)


@given(
    st.sampled_from(("npub", "nsec", "note", "nprofile", "nevent", "naddr", "other")),
    st.one_of(
        st.binary(max_size=100),
        st.lists(st.tuples(st.integers(0, 5), st.one_of(bytes32, st.binary(max_size=5))), max_size=6).map(
            lambda items: tlv(*items)
        ),
    ),
)
@example("nevent", b"")
@example("naddr", b"\0")
def test_any_bytes_behind_a_checksum_give_an_entity_or_a_violation(prefix, data):
    result = outcome(nip19.decode, bech32(prefix, data))
    if not isinstance(result, (Violation, SecretKey)):
        assert nip19.decode(nip19.encode(result)) == result


@given(st.lists(st.integers(0, 31), max_size=80))
def test_any_words_behind_a_checksum_give_an_entity_or_a_violation(words):
    outcome(nip19.decode, checksummed("nprofile", words))


# Secrets stay secret


def test_a_damaged_nsec_is_not_in_the_error():
    nsec = nip19.encode(BOB)
    secret = BOB.reveal()
    damaged = [nsec[:-1], nsec + "q", nsec.upper()[:-1], nsec.replace("nsec1", "nsec"), nsec.replace("nsec1", "npub1")]
    damaged += [nsec[:i] + other + nsec[i + 1 :] for i in range(len(nsec)) for other in "q1B\xe9" if nsec[i] != other]
    damaged += [bech32("nsec", secret[:31]), bech32("nsec", secret + b"\0"), bech32("nsec2", secret)]
    for text in damaged:
        with pytest.raises(Violation) as caught:
            nip19.decode(text)
        said = "".join(traceback.format_exception(caught.value)) + repr(caught.value.args)
        # Not even a part of it.
        assert not any(text[i : i + 8] in said for i in range(5, len(text) - 7))
        assert not any(secret.hex()[i : i + 8] in said for i in range(56))


def test_a_secret_key_out_of_range_is_not_in_the_error():
    secret = b"\xff" * 16 + b"\x91\x5c" * 8
    with pytest.raises(Violation) as caught:
        nip19.decode(bech32("nsec", secret))
    chain = [caught.value, caught.value.__context__]
    said = "".join("".join(traceback.format_exception(one)) + repr(one.args) for one in chain)
    for form in (secret.hex(), repr(secret)[2:-1], bech32("nsec", secret), str(int.from_bytes(secret, "big"))):
        assert form not in said
