"""The vectors of NIP-44's authors, and the example and the table of the NIP's own text."""

from __future__ import annotations

import hashlib
from base64 import b64decode
from typing import Any

import pytest

from nostrmcp.nostr import nip44
from nostrmcp.nostr.errors import ErrorClass, LocalProtocolError, Violation
from nostrmcp.nostr.keys import PublicKey, SecretKey
from tests.official import data
from tests.official.get import known_sums

unhex = bytes.fromhex

KEY = bytes(31) + b"\1"
NONCE = bytes(31) + b"\2"


def vectors() -> Any:
    return data.read_json("nip44/nip44.vectors.json")["v2"]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_the_file_has_the_sections_that_are_run_here() -> None:
    assert set(data.read_json("nip44/nip44.vectors.json")) == {"v2"}
    assert {name: set(sections) for name, sections in vectors().items()} == {
        "valid": {
            "get_conversation_key",
            "get_message_keys",
            "calc_padded_len",
            "encrypt_decrypt",
            "encrypt_decrypt_long_msg",
        },
        "invalid": {"encrypt_msg_lengths", "get_conversation_key", "decrypt"},
    }


def test_conversation_keys() -> None:
    judged = 0
    for case in vectors()["valid"]["get_conversation_key"]:
        ours, theirs = SecretKey(unhex(case["sec1"])), PublicKey(unhex(case["pub2"]))
        assert nip44.get_conversation_key(ours, theirs).hex() == case["conversation_key"], case
        judged += 1
    assert judged == 35


def test_message_keys() -> None:
    section = vectors()["valid"]["get_message_keys"]
    judged = 0
    for case in section["keys"]:
        keys = nip44.get_message_keys(unhex(section["conversation_key"]), unhex(case["nonce"]))
        assert {name: value.hex() for name, value in keys._asdict().items()} == {
            name: case[name] for name in ("chacha_key", "chacha_nonce", "hmac_key")
        }
        judged += 1
    assert judged == 32


def test_padded_lengths() -> None:
    judged = 0
    for unpadded, padded in vectors()["valid"]["calc_padded_len"]:
        assert nip44.calc_padded_len(unpadded) == padded, unpadded
        judged += 1
    assert judged == 24


def test_encrypt_and_decrypt() -> None:
    judged = 0
    for case in vectors()["valid"]["encrypt_decrypt"]:
        first, second = SecretKey(unhex(case["sec1"])), SecretKey(unhex(case["sec2"]))
        conversation_key = unhex(case["conversation_key"])
        assert nip44.get_conversation_key(first, second.public_key) == conversation_key, case
        assert nip44.get_conversation_key(second, first.public_key) == conversation_key, case
        assert nip44.encrypt(case["plaintext"], conversation_key, unhex(case["nonce"])) == case["payload"], case
        assert nip44.decrypt(case["payload"], conversation_key) == case["plaintext"], case
        judged += 1
    assert judged == 10


def test_encrypt_and_decrypt_long_messages() -> None:
    judged = 0
    for case in vectors()["valid"]["encrypt_decrypt_long_msg"]:
        plaintext = case["pattern"] * case["repeat"]
        assert sha256(plaintext) == case["plaintext_sha256"], case
        payload = nip44.encrypt(plaintext, unhex(case["conversation_key"]), unhex(case["nonce"]))
        assert sha256(payload) == case["payload_sha256"], case
        assert nip44.decrypt(payload, unhex(case["conversation_key"])) == plaintext, case
        judged += 1
    assert judged == 3


def test_lengths_that_are_not_written_unless_asked_for() -> None:
    """The file lists 65,536 and more as errors; the NIP's later text allows them, with a longer prefix.

    We read that form, and write it only when asked to, because deployed software follows the earlier text.
    """
    lengths = vectors()["invalid"]["encrypt_msg_lengths"]
    assert lengths == [0, 65_536, 100_000, 10_000_000]
    for length in lengths:
        with pytest.raises(LocalProtocolError) as refusal:
            nip44.encrypt(bytes(length), KEY, NONCE)
        assert refusal.value.error_class is ErrorClass.INVALID_PLAINTEXT_LENGTH
    with pytest.raises(LocalProtocolError) as refusal:
        nip44.encrypt(b"", KEY, NONCE, extended=True)
    assert refusal.value.error_class is ErrorClass.INVALID_PLAINTEXT_LENGTH
    for length in (65_536, 100_000):
        plaintext = "x" * length
        assert nip44.decrypt(nip44.encrypt(plaintext, KEY, NONCE, extended=True), KEY) == plaintext
    longest = nip44.encrypt(bytes(10_000_000), KEY, NONCE, extended=True)
    assert nip44.decrypt_bytes(longest, KEY, max_characters=len(longest)) == bytes(10_000_000)
    with pytest.raises(Violation) as too_large:
        nip44.decrypt(longest, KEY)
    assert too_large.value.error_class is ErrorClass.PAYLOAD_TOO_LARGE


def test_bad_keys() -> None:
    judged = {"sec1": 0, "pub2": 0}
    for case in vectors()["invalid"]["get_conversation_key"]:
        if case["note"].startswith("sec1"):
            with pytest.raises(LocalProtocolError) as misuse:
                SecretKey(unhex(case["sec1"]))
            assert misuse.value.error_class is ErrorClass.INVALID_SECRET_KEY, case
            judged["sec1"] += 1
        else:
            assert case["note"].startswith("pub2"), case
            SecretKey(unhex(case["sec1"]))
            with pytest.raises(Violation) as refusal:
                PublicKey(unhex(case["pub2"]))
            assert refusal.value.error_class is ErrorClass.INVALID_PUBLIC_KEY, case
            judged["pub2"] += 1
    assert judged == {"sec1": 3, "pub2": 5}


BAD_PAYLOADS = {
    "unknown encryption version": (ErrorClass.UNSUPPORTED_VERSION, 1),
    "unknown encryption version 0": (ErrorClass.UNSUPPORTED_VERSION, 1),
    "invalid base64": (ErrorClass.MALFORMED_PAYLOAD, 1),
    "invalid MAC": (ErrorClass.INVALID_MAC, 2),
    "invalid padding": (ErrorClass.INVALID_PADDING, 3),
    "invalid payload length: 0": (ErrorClass.UNSUPPORTED_VERSION, 1),
    "invalid payload length: 4": (ErrorClass.MALFORMED_PAYLOAD, 1),
    "invalid payload length: 48": (ErrorClass.MALFORMED_PAYLOAD, 1),
    "invalid payload length: 92": (ErrorClass.MALFORMED_PAYLOAD, 1),
}


def test_bad_payloads() -> None:
    judged = dict.fromkeys(BAD_PAYLOADS, 0)
    for case in vectors()["invalid"]["decrypt"]:
        expected, _ = BAD_PAYLOADS[case["note"]]
        with pytest.raises(Violation) as refusal:
            nip44.decrypt(case["payload"], unhex(case["conversation_key"]))
        assert refusal.value.error_class is expected, case
        judged[case["note"]] += 1
    assert judged == {note: count for note, (_, count) in BAD_PAYLOADS.items()}
    assert sum(judged.values()) == 12


def test_constants_of_the_nip() -> None:
    nip = data.read_json("nips/nip44.json")
    assert nip["min_plaintext"] == nip44.MIN_PLAINTEXT_SIZE
    assert nip["max_plaintext"] == nip44.MAX_PLAINTEXT_SIZE
    assert nip["extended_prefix_threshold"] == nip44.EXTENDED_PREFIX_THRESHOLD
    assert nip["min_payload_chars"] == nip44.MIN_PAYLOAD_BYTES // 3 * 4
    assert nip["min_payload_bytes"] == nip44.MIN_PAYLOAD_BYTES
    assert nip["vectors_sha256"] == known_sums()["nip44/nip44.vectors.json"]


def test_the_example_of_the_nip() -> None:
    nip = data.read_json("nips/nip44.json")
    example = nip["example"]
    first, second = SecretKey(unhex(example["sec1"])), SecretKey(unhex(example["sec2"]))
    conversation_key = nip44.get_conversation_key(first, second.public_key)
    assert conversation_key.hex() == example["conversation_key"]
    assert nip44.encrypt(example["plaintext"], conversation_key, unhex(example["nonce"])) == example["payload"]
    assert nip44.decrypt(example["payload"], conversation_key) == example["plaintext"]
    assert b64decode(example["payload"])[0] == nip["version"]


def test_the_extended_prefix_table_of_the_nip() -> None:
    table = data.read_json("nips/nip44.json")["extended_prefix"]
    conversation_key, nonce = unhex(table["conversation_key"]), unhex(table["nonce"])
    judged = 0
    for case in table["cases"]:
        plaintext = (unhex(table["plaintext_byte"]) * case["plaintext_len"]).decode()
        assert sha256(plaintext) == case["plaintext_sha256"], case
        assert nip44.calc_padded_len(case["plaintext_len"]) == case["padded_len"], case
        padded = nip44.pad(plaintext.encode(), extended=True)
        assert len(padded) == case["prefix_bytes"] + case["padded_len"], case
        payload = nip44.encrypt(plaintext, conversation_key, nonce, extended=True)
        assert sha256(payload) == case["payload_sha256"], case
        assert nip44.decrypt(payload, conversation_key) == plaintext, case
        judged += 1
    assert judged == 3
