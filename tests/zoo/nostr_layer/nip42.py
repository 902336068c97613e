"""Authentication that lets in whom it must not, or locks out whom it must let in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nostrmcp.conformance.operations import Value
from nostrmcp.nostr import ErrorClass, Event, PublicKey, nip42
from tests.zoo.member import Operations, member, patched, refusal, writing


def same_relay(named: str | None, own: str) -> bool:
    normal = nip42.normalize(named or "")
    return normal is not None and normal == nip42.normalize(own)


def recent(now: int, created_at: int) -> bool:
    return abs(now - created_at) <= 600


def is_auth(kind: int) -> bool:
    return kind == nip42.AUTH


def id_and_signature(event: Event) -> None:
    event.verify()


def signature_only(event: Event) -> None:
    if not PublicKey(event.pubkey).verify(event.id, event.sig):
        raise refusal(ErrorClass.INVALID_SIGNATURE)


def checking(
    *,
    kind: Callable[[int], bool] = is_auth,
    time: Callable[[int, int], bool] = recent,
    challenge: Callable[[Any, str], bool] = lambda named, sent: named == sent,
    relay: Callable[[str | None, str], bool] = same_relay,
    signature: Callable[[Event], None] = id_and_signature,
) -> Operations:
    """NIP-42's checks, with a knob for each."""

    def check(event: Event, *, relay: str, challenge: str, now: int) -> None:
        for holds, error_class in (
            (kind(event.kind), ErrorClass.WRONG_KIND),
            (time(now, event.created_at), ErrorClass.STALE_AUTH),
            (its_challenge(event.first("challenge"), challenge), ErrorClass.CHALLENGE_MISMATCH),
            (its_relay(event.first("relay"), relay), ErrorClass.RELAY_MISMATCH),
        ):
            if not holds:
                raise refusal(error_class)
        signature(event)

    its_challenge, its_relay = challenge, relay
    return patched("check_auth", (nip42, "check", check))


def host(url: str | None) -> str:
    normal = nip42.normalize(url or "")
    return normal[1] if normal else ""


def built(change: Callable[[Value], Value]) -> Operations:
    return writing("build_auth", lambda output: {"event": output["event"] | change(output["event"])})


CONTROLS = [member("auth-control", "A check without a bug.", checking(), fails="")]

MEMBERS = [
    member("auth-any-kind", "Takes an event of any kind.", checking(kind=lambda kind: True), fails="auth-wrong-kind"),
    member(
        "auth-any-time",
        "Does not look at the time.",
        checking(time=lambda now, time: True),
        fails="auth-day-old auth-day-ahead",
    ),
    member(
        "auth-any-future",
        "Does not look at times ahead.",
        checking(time=lambda now, time: now - time <= 600),
        fails="auth-day-ahead",
    ),
    member(
        "auth-any-past",
        "Does not look at times gone by.",
        checking(time=lambda now, time: time - now <= 600),
        fails="auth-day-old",
    ),
    member(
        "auth-no-future",
        "Refuses every clock that is ahead.",
        checking(time=lambda now, time: 0 <= now - time <= 600),
        fails="auth-slightly-ahead",
    ),
    member(
        "auth-minute",
        "Takes an answer for a minute only.",
        checking(time=lambda now, time: abs(now - time) <= 60),
        fails="auth-ten-minutes-old auth-slightly-ahead",
    ),
    member(
        "auth-any-challenge",
        "Does not compare the challenge.",
        checking(challenge=lambda named, sent: True),
        fails="auth-other-challenge auth-no-challenge auth-challenge-prefix",
    ),
    member(
        "auth-challenge-present",
        "Compares the challenge where there is one.",
        checking(challenge=lambda named, sent: named is None or named == sent),
        fails="auth-no-challenge",
    ),
    member(
        "auth-challenge-prefix",
        "Compares as many characters of the challenge as there are.",
        checking(challenge=lambda named, sent: named is not None and sent.startswith(named)),
        fails="auth-challenge-prefix",
    ),
    member(
        "auth-challenge-within",
        "Searches the answer for the challenge, or the challenge for the answer.",
        checking(challenge=lambda named, sent: (named or "") in sent),
        fails="auth-no-challenge auth-challenge-prefix",
    ),
    member(
        "auth-any-relay",
        "Does not compare the relay.",
        checking(relay=lambda named, own: True),
        fails="""
            auth-other-relay auth-relay-as-subdomain auth-relay-as-user auth-no-relay auth-other-scheme
        """,
    ),
    member(
        "auth-relay-present",
        "Compares the relay where there is one.",
        checking(relay=lambda named, own: named is None or same_relay(named, own)),
        fails="auth-no-relay",
    ),
    member(
        "auth-relay-prefix",
        "Compares the beginning of the relay's address.",
        checking(relay=lambda named, own: (named or "").startswith(own.rstrip("/"))),
        fails="auth-relay-as-subdomain auth-relay-as-user",
    ),
    member(
        "auth-relay-within",
        "Searches the address for the relay's host.",
        checking(relay=lambda named, own: host(own) in (named or "")),
        fails="""
            auth-relay-as-subdomain auth-relay-as-user auth-other-scheme
        """,
    ),
    member(
        "auth-relay-domain",
        "Compares the last two labels of the host without the last.",
        checking(relay=lambda named, own: host(named).split(".")[-2:-1] == host(own).split(".")[-2:-1]),
        fails="auth-other-relay",
    ),
    member(
        "auth-unsigned",
        "Verifies neither id nor signature.",
        checking(signature=lambda event: None),
        fails="auth-forged auth-changed",
    ),
    member(
        "auth-id-not-recomputed",
        "Verifies the signature but not the id.",
        checking(signature=signature_only),
        fails="auth-changed",
    ),
    member(
        "auth-build-kind", "Builds an event of another kind.", built(lambda event: {"kind": 22243}), fails="auth-build"
    ),
    member(
        "auth-build-content",
        "Puts the challenge into the content.",
        built(lambda event: {"tags": event["tags"][:1], "content": event["tags"][1][1]}),
        fails="auth-build",
    ),
    member(
        "auth-build-normalized",
        "Writes the relay's address in another spelling.",
        built(lambda event: {"tags": [[tag[0], tag[1].rstrip("/")] for tag in event["tags"]]}),
        fails="auth-build",
    ),
]
