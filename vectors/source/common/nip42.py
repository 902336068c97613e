"""NIP-42 authentication of clients to relays."""

from __future__ import annotations

from typing import Any

from vectors.source.writing import Note, Suite, acceptable, invalid, public, signed, valid

SUITE = Suite(
    "common/nip42",
    "NIP-42 authentication",
    "1",
    {
        "Basic": Note("BASIC", "an ordinary authentication event", "no relay that asks for authentication can be used"),
        "OtherChallenge": Note(
            "AUTH_BYPASS", "an answer to another challenge", "a recorded answer opens the door again"
        ),
        "OtherRelay": Note(
            "AUTH_BYPASS", "an answer for another relay", "a relay passes the answer on and acts as the client"
        ),
        "Forged": Note("AUTH_BYPASS", "an answer that its author did not sign", "anyone is anyone"),
        "Stale": Note("EDGE_CASE", "a time too far from now", "a recorded answer opens the door again"),
        "UrlSpelling": Note("AMBIGUOUS", "another spelling of the same relay's address", "a client is locked out"),
        "WrongKind": Note("MISSING_STEP", "an event of another kind", "an ordinary event logs its author in"),
    },
)

NOW = 1_750_000_000
RELAY = "wss://relay.example.com/"
CHALLENGE = "4f2a9c01"


def answer(relay: str = RELAY, challenge: str = CHALLENGE, created_at: int = NOW, kind: int = 22242) -> dict[str, Any]:
    return signed("alice", kind, [["relay", relay], ["challenge", challenge]], "", created_at)


GOOD = answer()


def asked(event: dict[str, Any]) -> dict[str, Any]:
    return {"event": event, "relay": RELAY, "challenge": CHALLENGE, "now": NOW}


def passes(id: str, title: str, req: str, event: dict[str, Any], flags: str = "Basic") -> Any:
    return valid(id, title, req, asked(event), {"pubkey": public("alice")}, flags=flags)


def refused(id: str, title: str, req: str, event: dict[str, Any], error: str, flags: str) -> Any:
    return invalid(id, title, req, asked(event), error, flags=flags)


def spelled(id: str, title: str, relay: str) -> Any:
    return acceptable(id, title, "NIP42-CHK-04", asked(answer(relay=relay)), "AMB-09",
                      output={"pubkey": public("alice")}, flags="UrlSpelling")  # fmt: skip


def another(id: str, title: str, relay: str) -> Any:
    """Another relay, unless the host alone is compared."""
    return acceptable(id, title, "NIP42-CHK-04", asked(answer(relay=relay)), "AMB-09",
                      output={"pubkey": public("alice")}, error="relay_mismatch", flags="UrlSpelling")  # fmt: skip


SUITE.group(
    "check_auth",
    passes("auth-good", "the challenge of this relay, signed now", "NIP42-CHK-01 NIP42-CHK-05", GOOD),
    passes("auth-ten-minutes-old", "ten minutes old", "NIP42-CHK-02", answer(created_at=NOW - 600), "Stale"),
    passes("auth-slightly-ahead", "a clock five minutes ahead", "NIP42-CHK-02", answer(created_at=NOW + 300), "Stale"),
    refused("auth-day-old", "a day old", "NIP42-CHK-02", answer(created_at=NOW - 86_400), "stale_auth", "Stale"),
    refused("auth-day-ahead", "a day ahead", "NIP42-CHK-02", answer(created_at=NOW + 86_400), "stale_auth", "Stale"),
    refused("auth-other-challenge", "another challenge", "NIP42-CHK-03", answer(challenge="other"),
            "challenge_mismatch", "OtherChallenge"),
    refused("auth-no-challenge", "no challenge tag", "NIP42-CHK-03", signed("alice", 22242, [["relay", RELAY]], "", NOW),
            "challenge_mismatch", "OtherChallenge"),
    refused("auth-challenge-prefix", "the first half of the challenge", "NIP42-CHK-03", answer(challenge=CHALLENGE[:4]),
            "challenge_mismatch", "OtherChallenge"),
    refused("auth-other-relay", "another relay's address", "NIP42-CHK-04", answer(relay="wss://relay.example.org/"),
            "relay_mismatch", "OtherRelay"),
    refused("auth-relay-as-subdomain", "this relay's name as the beginning of another", "NIP42-CHK-04",
            answer(relay="wss://relay.example.com.evil.example/"), "relay_mismatch", "OtherRelay"),
    refused("auth-relay-as-user", "this relay's name as the user part of another", "NIP42-CHK-04",
            answer(relay="wss://relay.example.com@evil.example/"), "relay_mismatch", "OtherRelay"),
    refused("auth-no-relay", "no relay tag", "NIP42-CHK-04", signed("alice", 22242, [["challenge", CHALLENGE]], "", NOW),
            "relay_mismatch", "OtherRelay"),
    refused("auth-wrong-kind", "an event of kind 1", "NIP42-CHK-01", answer(kind=1), "wrong_kind", "WrongKind"),
    refused("auth-forged", "signed by another key in Alice's name", "NIP42-CHK-05",
            {**GOOD, "sig": signed("mallory", 22242, GOOD["tags"], "", NOW)["sig"]}, "invalid_signature", "Forged"),
    refused("auth-changed", "tags changed after signing", "NIP42-CHK-05", {**answer(challenge="other"), "tags": GOOD["tags"]},
            "id_mismatch", "Forged"),
    spelled("auth-without-slash", "the address without its last slash", "wss://relay.example.com"),
    another("auth-leading-blank", "a blank before the address", " wss://relay.example.com/"),
    another("auth-other-path", "another path at this relay's host", "wss://relay.example.com/!"),
    spelled("auth-host-case", "the host in upper case", "wss://RELAY.example.com/"),
    spelled("auth-default-port", "the default port written out", "wss://relay.example.com:443/"),
)  # fmt: skip

SUITE.group(
    "build_auth",
    valid("auth-build", "kind 22242 with a relay and a challenge tag", "NIP42-EVT-01",
          {"pubkey": public("alice"), "created_at": NOW, "relay": RELAY, "challenge": CHALLENGE},
          {"event": {"pubkey": public("alice"), "created_at": NOW, "kind": 22242,
                     "tags": [["relay", RELAY], ["challenge", CHALLENGE]], "content": ""}},
          flags="Basic", compare="unordered_tags"),
)  # fmt: skip

SUITE.group(
    "check_auth",
    refused("auth-other-scheme", "this relay's address as a web page", "NIP42-CHK-04",
            answer(relay=RELAY.replace("wss://", "https://")), "relay_mismatch", "OtherRelay"),
)  # fmt: skip
