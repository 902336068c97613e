"""The test vectors of BIP-340, through the readable implementation and through libsecp256k1."""

from __future__ import annotations

import csv
from dataclasses import dataclass

import pytest

from nostrmcp.nostr import bip340
from nostrmcp.nostr.errors import ErrorClass, LocalProtocolError, Violation
from nostrmcp.nostr.keys import PublicKey, SecretKey
from tests.official import data


@dataclass(frozen=True)
class Row:
    number: int
    secret_key: bytes
    public_key: bytes
    aux_rand: bytes
    message: bytes
    signature: bytes
    verifies: bool
    comment: str


def rows() -> list[Row]:
    lines = csv.DictReader(data.read("bip340/test-vectors.csv").decode().splitlines())
    return [
        Row(
            number=int(line["index"]),
            secret_key=bytes.fromhex(line["secret key"]),
            public_key=bytes.fromhex(line["public key"]),
            aux_rand=bytes.fromhex(line["aux_rand"]),
            message=bytes.fromhex(line["message"]),
            signature=bytes.fromhex(line["signature"]),
            verifies={"TRUE": True, "FALSE": False}[line["verification result"]],
            comment=line["comment"],
        )
        for line in lines
    ]


def test_the_readable_implementation_verifies_what_it_must() -> None:
    judged = 0
    for row in rows():
        assert bip340.verify(row.message, row.public_key, row.signature) is row.verifies, row
        judged += 1
    assert judged == 19


def test_libsecp256k1_verifies_what_it_must() -> None:
    judged = {"answered": 0, "key refused": 0}
    for row in rows():
        if bip340.lift_x(bip340.int_from_bytes(row.public_key)) is None:
            with pytest.raises(Violation) as refusal:
                PublicKey(row.public_key)
            assert refusal.value.error_class is ErrorClass.INVALID_PUBLIC_KEY, row
            assert row.verifies is False, row
            judged["key refused"] += 1
        else:
            assert PublicKey(row.public_key).verify(row.message, row.signature) is row.verifies, row
            judged["answered"] += 1
    assert judged == {"answered": 17, "key refused": 2}


def test_the_readable_implementation_signs_byte_for_byte() -> None:
    judged = 0
    for row in rows():
        if row.secret_key:
            assert bip340.pubkey_gen(row.secret_key) == row.public_key, row
            assert bip340.sign(row.message, row.secret_key, row.aux_rand) == row.signature, row
            judged += 1
    assert judged == 8


def test_libsecp256k1_signs_byte_for_byte() -> None:
    judged = {"signed": 0, "refused": 0}
    for row in rows():
        if not row.secret_key:
            continue
        key = SecretKey(row.secret_key)
        assert key.public_key.x == row.public_key, row
        if len(row.message) == 32:
            assert key.sign(row.message, row.aux_rand) == row.signature, row
            judged["signed"] += 1
        else:
            # An event id is what is signed, so `keys` takes nothing but 32 bytes.
            with pytest.raises(LocalProtocolError):
                key.sign(row.message, row.aux_rand)
            judged["refused"] += 1
    assert judged == {"signed": 4, "refused": 4}
