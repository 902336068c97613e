"""Events, NIP-44 payloads and one-layer wraps, made and read by nostr-sdk. Runs in .peers/python.

The JSON lines are those of crypto_nostr_tools.mjs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from nostr_sdk import (
    Event,
    EventBuilder,
    Keys,
    Kind,
    Nip44Version,
    NostrSdkError,
    PublicKey,
    SecretKey,
    Tag,
    Timestamp,
    nip44_decrypt,
    nip44_encrypt,
)

Value = dict[str, Any]


def finalize(keys: Keys, template: Value) -> Event:
    builder = EventBuilder(Kind(template["kind"]), template["content"])
    builder = builder.tags([Tag.parse(tag) for tag in template["tags"]])
    return builder.custom_created_at(Timestamp.from_secs(template["created_at"])).finalize(keys)


def value(event: Event) -> Value:
    found: Value = json.loads(event.as_json())
    return found


def verified(given: str, which: str) -> Event:
    event = Event.from_json(given)
    if not event.verify():
        raise ValueError(f"the {which} signature is wrong")
    return event


def sign(given: Value) -> Value:
    return {"event": value(finalize(Keys.parse(given["secret"]), given["template"]))}


def verify(given: Value) -> Value:
    return {"valid": Event.from_json(json.dumps(given["event"])).verify()}


def encrypt(given: Value) -> Value:
    secret, public = SecretKey.parse(given["secret"]), PublicKey.parse(given["pubkey"])
    return {"payload": nip44_encrypt(secret, public, given["text"], Nip44Version.V2)}


def decrypt(given: Value) -> Value:
    secret, public = SecretKey.parse(given["secret"]), PublicKey.parse(given["pubkey"])
    return {"text": nip44_decrypt(secret, public, given["payload"])}


def wrap(given: Value) -> Value:
    fresh = Keys.generate()
    inner = finalize(Keys.parse(given["secret"]), given["template"]).as_json()
    content = nip44_encrypt(fresh.secret_key(), PublicKey.parse(given["pubkey"]), inner, Nip44Version.V2)
    outer = {"kind": given["kind"], "created_at": given["template"]["created_at"], "tags": [["p", given["pubkey"]]]}
    return {"event": value(finalize(fresh, {**outer, "content": content}))}


def unwrap(given: Value) -> Value:
    outer = verified(json.dumps(given["event"]), "outer")
    inner = nip44_decrypt(SecretKey.parse(given["secret"]), outer.author(), outer.content())
    return {"event": value(verified(inner, "inner"))}


OPERATIONS: dict[str, Callable[[Value], Value]] = {
    "sign": sign, "verify": verify, "encrypt": encrypt, "decrypt": decrypt, "wrap": wrap, "unwrap": unwrap
}  # fmt: skip

for line in sys.stdin:
    given = json.loads(line)
    try:
        answer = OPERATIONS[given.pop("op")](given)
    except (NostrSdkError, ValueError) as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
