"""Events, NIP-44 payloads and one-layer wraps of nostr-tools and nostr-sdk are read by us, and ours by them."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from typing import Any

import pytest

from nostrmcp.nostr import ErrorClass, Event, SecretKey, UnsignedEvent, Violation, nip44, nip59
from nostrmcp.nostr import event as events
from nostrmcp.runtime.loopback_faults import corrupted

from .peers import Program, command

PROGRAMS = {"nostr-tools": "crypto_nostr_tools.mjs", "nostr-sdk": "crypto_nostr_sdk.py"}
TEXTS = {
    "1 byte": "x",
    "200 bytes": '{"jsonrpc":"2.0","id":1}' + " " * 176,
    "32 KB": "0123456789abcdef" * 2048,
    "unicode": 'Zürich \U0001f980 \u2028 \u202e العربية \u0000\u001f\u007f \\ " \n',
}
AT, KIND = 1_750_000_000, 25_910
WRAPS = [nip59.WRAP, nip59.EPHEMERAL_WRAP]


class Peer:
    """One of the libraries, as a program that answers line by line."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def ask(self, op: str, **given: Any) -> Any:
        self._program.tell({"op": op, **given})
        return self._program.line()


@pytest.fixture(scope="module", params=PROGRAMS)
def peer(request: pytest.FixtureRequest, peers: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    with Program(command(PROGRAMS[request.param]), tmp_path_factory.mktemp(request.param)) as program:
        yield Peer(program)


@pytest.fixture(params=TEXTS.values(), ids=TEXTS)
def text(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def unsigned(author: SecretKey, to: SecretKey, text: str) -> UnsignedEvent:
    tags = (("p", to.public_key.hex()), ("e", "ab" * 32), ("empty",), ("text", text[:100]))
    return UnsignedEvent(author.public_key.x, AT, KIND, tags, text)


def template(one: UnsignedEvent) -> dict[str, Any]:
    return {"created_at": one.created_at, "kind": one.kind, "tags": one.tags, "content": one.content}


def value(one: Event) -> Any:
    return json.loads(one.dump())


def read(given: Any) -> Event:
    """An event of theirs, as it comes from a relay."""
    one = events.parse(json.dumps(given, ensure_ascii=False).encode())
    one.verify()
    return one


def same(made: Event, wanted: UnsignedEvent) -> bool:
    """Whether what was made is what was asked for, to the bytes that are hashed."""
    return made.serialize() == wanted.serialize()


def hexed(key: SecretKey) -> str:
    """These keys are of a test alone, and leave it only towards a peer on its own machine."""
    return key.reveal().hex()


def test_their_event_is_read_by_us(peer: Peer, alice: SecretKey, bob: SecretKey, text: str) -> None:
    wanted = unsigned(alice, bob, text)
    made = read(peer.ask("sign", secret=hexed(alice), template=template(wanted))["event"])
    assert same(made, wanted)


def test_our_event_is_read_by_them(peer: Peer, alice: SecretKey, bob: SecretKey, text: str) -> None:
    made = unsigned(alice, bob, text).sign(alice, secrets.token_bytes(32))
    assert peer.ask("verify", event=value(made)) == {"valid": True}
    assert peer.ask("verify", event=value(corrupted(made))) == {"valid": False}


def test_their_payload_is_read_by_us(peer: Peer, alice: SecretKey, bob: SecretKey, text: str) -> None:
    payload = peer.ask("encrypt", secret=hexed(alice), pubkey=bob.public_key.hex(), text=text)["payload"]
    key = nip44.get_conversation_key(bob, alice.public_key)
    assert nip44.decrypt(payload, key) == text
    with pytest.raises(Violation) as refused:
        nip44.decrypt(payload, nip44.get_conversation_key(bob, bob.public_key))
    assert refused.value.error_class is ErrorClass.INVALID_MAC


def test_our_payload_is_read_by_them(peer: Peer, alice: SecretKey, bob: SecretKey, text: str) -> None:
    key = nip44.get_conversation_key(alice, bob.public_key)
    payload = nip44.encrypt(text, key, secrets.token_bytes(32))
    assert peer.ask("decrypt", secret=hexed(bob), pubkey=alice.public_key.hex(), payload=payload) == {"text": text}
    assert "error" in peer.ask("decrypt", secret=hexed(bob), pubkey=bob.public_key.hex(), payload=payload)


@pytest.mark.parametrize("kind", WRAPS)
def test_their_wrap_is_read_by_us(peer: Peer, alice: SecretKey, bob: SecretKey, text: str, kind: int) -> None:
    wanted = unsigned(alice, bob, text)
    given = {"secret": hexed(alice), "pubkey": bob.public_key.hex(), "kind": kind, "template": template(wanted)}
    wrapped = read(peer.ask("wrap", **given)["event"])
    assert (wrapped.kind, wrapped.tags) == (kind, (("p", bob.public_key.hex()),))
    assert wrapped.pubkey != alice.public_key.x
    inner = nip59.unwrap(wrapped, bob)
    assert same(inner, wanted)


@pytest.mark.parametrize("kind", WRAPS)
def test_our_wrap_is_read_by_them(peer: Peer, alice: SecretKey, bob: SecretKey, text: str, kind: int) -> None:
    inner = unsigned(alice, bob, text).sign(alice, secrets.token_bytes(32))
    for signed, answer in (
        (inner, {"event": value(inner)}),
        (corrupted(inner), {"error": "the inner signature is wrong"}),
    ):
        wrapped = nip59.wrap(
            signed,
            bob.public_key,
            kind=kind,
            created_at=AT,
            ephemeral_key=SecretKey(secrets.token_bytes(32)),
            nonce=secrets.token_bytes(32),
            aux_rand=secrets.token_bytes(32),
        )
        assert peer.ask("unwrap", secret=hexed(bob), event=value(wrapped)) == answer
