"""Deletion requests that delete too much or too little."""

from __future__ import annotations

import re
from collections.abc import Callable

from nostrmcp.conformance.operations import OPERATIONS, Value
from nostrmcp.nostr import ErrorClass, Event, LocalProtocolError, filters, nip09
from nostrmcp.nostr.event import is_hex32
from tests.zoo.member import Operations, member, patched, refusal, writing

Condition = Callable[[Event, Event], bool]


def by_author(request: Event, event: Event) -> bool:
    return request.pubkey == event.pubkey


def by_id(request: Event, event: Event) -> bool:
    return event.id.hex() in request.values("e")


def by_address(request: Event, event: Event) -> bool:
    return filters.address(event) in request.values("a")


def up_to_the_request(request: Event, event: Event) -> bool:
    return event.created_at <= request.created_at


def always(request: Event, event: Event) -> bool:
    return True


def deleting(
    *, author: Condition = by_author, id: Condition = by_id, address: Condition = by_address,
    time: Condition = up_to_the_request, id_time: Condition = always, itself: bool = False,
) -> Operations:  # fmt: skip
    """NIP-09's conditions, with a knob for each."""

    def deletes(request: Event, event: Event) -> bool:
        if not author(request, event) or (event.kind == nip09.DELETION and not itself):
            return False
        named = id(request, event) and id_time(request, event)
        return named or (address(request, event) and time(request, event))

    return patched("deletes", (nip09, "deletes", deletes))


def is_address(text: str) -> bool:
    return re.fullmatch("[0-9]+:[0-9a-f]{64}:.*", text) is not None


def checking(*, kind: bool = True, reference: bool = True, ids: bool = True, addresses: bool = True) -> Operations:
    def check(request: Event) -> None:
        if kind and request.kind != nip09.DELETION:
            raise refusal(ErrorClass.WRONG_KIND)
        if reference and not request.values("e") and not request.values("a"):
            raise refusal(ErrorClass.MALFORMED_DELETION)
        if ids and not all(map(is_hex32, request.values("e"))):
            raise refusal(ErrorClass.MALFORMED_DELETION)

        if addresses and not all(map(is_address, request.values("a"))):
            raise refusal(ErrorClass.MALFORMED_DELETION)

    return patched("deletes", (nip09, "check", check))


def build_anything(given: Value) -> Value:
    try:
        return OPERATIONS["build_deletion"](given)
    except LocalProtocolError:
        return {"event": {"pubkey": given["pubkey"], "created_at": given["created_at"], "kind": 5, "tags": [],
                          "content": given["reason"]}}  # fmt: skip


def built(change: Callable[[Value], Value]) -> Operations:
    return writing("build_deletion", lambda output: {"event": output["event"] | change(output["event"])})


def address_of_its_author(request: Event, event: Event) -> bool:
    """The author of an address is compared with the event's, not with the request's."""
    return by_author(request, event) if event.id.hex() in request.values("e") else True


CONTROLS = [
    member("delete-control", "Conditions without a bug.", deleting(), fails=""),
    member("delete-check-control", "A check without a bug.", checking(), fails=""),
]

MEMBERS = [
    member(
        "delete-foreign",
        "Deletes for anyone who asks.",
        deleting(author=always),
        fails="delete-foreign-id delete-foreign-address",
    ),
    member(
        "delete-foreign-addresses",
        "Deletes for anyone who asks by address.",
        deleting(author=address_of_its_author),
        fails="delete-foreign-address",
    ),
    member(
        "delete-newer-versions",
        "Deletes later versions of an address too.",
        deleting(time=always),
        fails="delete-newer-version",
    ),
    member(
        "delete-before-only",
        "Does not delete a version of the request's own second.",
        deleting(time=lambda request, event: event.created_at < request.created_at),
        fails="delete-same-second",
    ),
    member(
        "delete-ids-only",
        "Does not know a tags.",
        deleting(address=lambda request, event: False),
        fails="delete-by-address delete-by-replaceable-address delete-same-second",
    ),
    member(
        "delete-addresses-only",
        "Does not know e tags.",
        deleting(id=lambda request, event: False),
        fails="delete-by-id delete-several delete-id-dated-later",
    ),
    member(
        "delete-first-id",
        "Reads the first e tag only.",
        deleting(id=lambda request, event: event.id.hex() == request.first("e")),
        fails="delete-several",
    ),
    member(
        "delete-first-tag",
        "Reads the first tag only.",
        deleting(id=lambda request, event: request.tags[0][1] == event.id.hex()),
        fails="delete-several",
    ),
    member(
        "delete-without-colon",
        "Compares addresses without the last colon.",
        deleting(
            address=lambda request, event: (filters.address(event) or "?").removesuffix(":") in request.values("a")
        ),
        fails="delete-by-replaceable-address",
    ),
    member(
        "delete-by-kind",
        "Takes the k tags for what is to be deleted.",
        deleting(id=lambda request, event: str(event.kind) in request.values("k")),
        fails="delete-several delete-newer-version",
    ),
    member(
        "delete-needs-kind",
        "Deletes only what a k tag names too.",
        deleting(author=lambda request, event: by_author(request, event) and str(event.kind) in request.values("k")),
        fails="delete-by-replaceable-address delete-several delete-same-second",
    ),
    member("delete-requests", "Deletes deletion requests.", deleting(itself=True), fails="delete-deletion"),
    member(
        "delete-any-kind", "Takes an event of any kind for a request.", checking(kind=False), fails="delete-wrong-kind"
    ),
    member("delete-nothing", "Takes a request that names nothing.", checking(reference=False), fails="delete-nothing"),
    member("delete-bad-ids", "Takes anything for an id.", checking(ids=False), fails="delete-bad-id"),
    member(
        "delete-bad-addresses", "Takes anything for an address.", checking(addresses=False), fails="delete-bad-address"
    ),
    member(
        "delete-build-anything",
        "Builds requests that name nothing.",
        {"build_deletion": build_anything},
        fails="delete-build-nothing",
    ),
    member(
        "delete-build-without-kinds",
        "Builds requests without k tags.",
        built(lambda event: {"tags": [tag for tag in event["tags"] if tag[0] != "k"]}),
        fails="delete-build",
    ),
    member(
        "delete-build-kind-numbers",
        "Builds k tags that hold numbers.",
        built(lambda event: {"tags": [["k", int(tag[1])] if tag[0] == "k" else tag for tag in event["tags"]]}),
        fails="delete-build",
    ),
    member(
        "delete-build-one-tag",
        "Builds one tag for several values.",
        built(lambda event: {"tags": [*(tag for tag in event["tags"] if tag[0] != "k"), ["k", "1", "31316"]]}),
        fails="delete-build",
    ),
    member(
        "delete-build-reason-tag",
        "Builds a tag for the reason.",
        built(lambda event: {"content": "", "tags": [*event["tags"], ["reason", event["content"]]]}),
        fails="delete-build",
    ),
    member(
        "delete-ids-by-time",
        "Does not delete by id what is dated after the request.",
        deleting(id_time=up_to_the_request),
        fails="delete-id-dated-later",
    ),
]
