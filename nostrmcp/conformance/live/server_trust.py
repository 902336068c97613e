"""Checks of servers: encryption, and what strangers and relays may not achieve."""

from __future__ import annotations

import itertools
import time
from typing import Any

from ...mcp.jsonrpc import Notification, Request, Result
from ...nostr import Event, nip59
from ...revisions.model import Revision
from .checks import Check, Failed, Need, NotOffered
from .peer import forged, new_key
from .server_bench import Asked, ServerBench, is_progress, value_of

_HOUR = 3600


def _wraps(revision: Revision) -> bool:
    return bool(revision.kinds.wraps)


def _both_wraps(revision: Revision) -> bool:
    return nip59.EPHEMERAL_WRAP in revision.kinds.wraps


def _reads(bench: ServerBench, *kinds: int) -> int:
    """The first of these kinds of wrap that the server reads."""
    found = [kind for kind in kinds or bench.revision.kinds.wraps if kind in bench.facts.forms]
    if not found:
        raise NotOffered("the server does not read such wraps")
    return found[0]


# Encryption


async def encryption_as_said(bench: ServerBench) -> None:
    """What the server says of encryption is what it does."""
    read = [kind for kind in bench.revision.kinds.wraps if kind in bench.facts.forms]
    said = list(bench.facts.says)
    if nip59.WRAP in said and not read:
        raise Failed("the server says that it reads wraps, and answers none", said, read)
    if nip59.WRAP in read and nip59.WRAP not in said:
        raise Failed("the server reads wraps, and does not say so", read, said)
    if nip59.EPHEMERAL_WRAP in said and nip59.EPHEMERAL_WRAP not in read:
        raise Failed("the server says that it reads ephemeral wraps, and answers none", said, read)


async def plain(bench: ServerBench) -> None:
    if None not in bench.facts.forms:
        raise NotOffered("the server answers no plain message: it requires encryption")
    client = await bench.client(None)
    await client.roundtrip()


async def wrapped(bench: ServerBench) -> None:
    """`answer` fails on an answer in plain; e names the inner request, or no answer is found."""
    client = await bench.client(_reads(bench, nip59.WRAP))
    await client.roundtrip()


async def wrapped_ephemeral(bench: ServerBench) -> None:
    client = await bench.client(_reads(bench, nip59.EPHEMERAL_WRAP))
    answer = await client.answer(await client.ask("ping"))
    if answer.form != nip59.EPHEMERAL_WRAP:
        raise Failed("an ephemeral wrap is answered in a stored one", nip59.EPHEMERAL_WRAP, answer.form)


async def encrypted_stays(bench: ServerBench) -> None:
    """Whatever the server said to clients that wrapped was wrapped."""
    client = await bench.client(_reads(bench))
    await client.roundtrip()
    for method in ("tools/list", "nostrmcp/there-is-no-such-method"):
        await client.answer(await client.ask(method, {}))
    own = client.pubkey.hex()
    plain_ones = [one for one in bench.wire.heard if one.form is None and own in one.event.values("p")]
    if plain_ones:
        raise Failed("something was sent in plain to a client that encrypts", actual=value_of(plain_ones[0]))


async def rewrapped(bench: ServerBench) -> None:
    kind = _reads(bench)
    client = await bench.client(kind)
    asked = await client.ask("ping")
    await client.wire.publish(client.wrap(asked.event, kind), asked.event)
    await client.answered_once(asked, "one request in two wraps was executed twice")


async def plain_and_wrapped(bench: ServerBench) -> None:
    kind = _reads(bench)
    if None not in bench.facts.forms:
        raise NotOffered("the server requires encryption")
    client = await bench.client(None)
    asked = await client.ask("ping")
    await client.answer(asked)
    await client.wire.publish(client.wrap(asked.event, kind), asked.event)
    await client.answered_once(asked, "one request, plain and wrapped, was executed twice")


async def rewrapped_for_another(bench: ServerBench) -> None:
    """The client signed this for another server; somebody wraps it for this one."""
    kind = _reads(bench)
    client = await bench.client(kind)
    other = new_key().public_key.hex()
    asked = client.request("ping")
    tags = tuple(("p", other) if tag[0] == "p" else tag for tag in asked.event.tags)
    meant_for_other = client.changed(asked.event, tags=tags)
    await client.wire.publish(client.wrap(meant_for_other, kind), meant_for_other)
    await client.stays_silent(meant_for_other, "a request that its sender addressed to another server was executed")


async def inner_kind(bench: ServerBench) -> None:
    kind = _reads(bench)
    client = await bench.client(kind)
    wrong = client.changed(client.request("ping").event, kind=1)
    await client.wire.publish(client.wrap(wrong, kind), wrong)
    await client.stays_silent(wrong, "a wrapped event of kind 1 was executed")


async def inner_forged(bench: ServerBench) -> None:
    kind = _reads(bench)
    client = await bench.client(kind)
    wrong = forged(client.request("ping").event)
    await client.wire.publish(client.wrap(wrong, kind), wrong)
    await client.stays_silent(wrong, "a wrapped event was executed that its author did not sign")


async def inner_id(bench: ServerBench) -> None:
    """Content that was changed after it was signed."""
    kind = _reads(bench)
    client = await bench.client(kind)
    good = client.request("ping").event
    wrong = replace_content(good, client.request("tools/list", {}).event.content)
    await client.wire.publish(client.wrap(wrong, kind), wrong)
    await client.stays_silent(wrong, "a wrapped event was executed whose content is not what was signed")


async def inner_unsigned(bench: ServerBench) -> None:
    kind = _reads(bench)
    client = await bench.client(kind)
    event = client.request("ping").event
    await client.wire.publish(client.unsigned_in_wrap(event, kind), event)
    await client.stays_silent(event, "a wrapped event without a signature was executed")


async def sealed(bench: ServerBench) -> None:
    _reads(bench, nip59.WRAP)
    client = await bench.client(nip59.WRAP)
    event = client.request("ping").event
    await client.wire.publish(client.sealed(event), event)
    await client.stays_silent(event, "a sealed rumor was executed: nothing in it is signed by its author")


def replace_content(event: Event, content: str) -> Event:
    """The event with other content under its old id and signature."""
    return Event(event.id, event.pubkey, event.created_at, event.kind, event.tags, content, event.sig)


# What relays and strangers may not achieve


async def duplicate(bench: ServerBench) -> None:
    """The same event, three times in a row."""
    client = await bench.client()
    asked = client.request("ping")
    sent = asked.event if asked.form is None else client.wrap(asked.event, asked.form)
    bench.wire.note(asked.event)
    bench.wire.inject(sent, sent, sent)
    await client.answered_once(asked, "an event that a relay brought several times was executed several times")


async def duplicate_work(bench: ServerBench) -> None:
    """MCP has the progress of a request grow with each message: what repeats itself is told by a second execution."""
    client = await bench.client()
    call = bench.hints["slow"].params
    repeated, control = (
        client.request("tools/call", call | {"_meta": {"progressToken": token}}) for token in ("repeated", "control")
    )
    sent = repeated.event if repeated.form is None else client.wrap(repeated.event, repeated.form)
    bench.wire.note(repeated.event)
    bench.wire.inject(sent, sent, sent)
    await client.send(control)
    for asked in (repeated, control):
        await client.answer(asked, bench.timing.work)
    await bench.after_all()
    usual, told = _progress_told(bench, control), _progress_told(bench, repeated)
    if not usual or not _grows(usual):
        raise NotOffered("the slow tool tells no progress that grows")
    if not _grows(told):
        raise Failed("an event that a relay brought several times was worked on several times", usual, told)


def _progress_told(bench: ServerBench, asked: Asked) -> list[Any]:
    messages = [one.decoded.message for one in bench.wire.about(asked.event.id) if is_progress(one) and one.decoded]
    return [(one.params or {}).get("progress") for one in messages if isinstance(one, Notification)]


def _grows(values: list[Any]) -> bool:
    numbers = all(type(one) in (int, float) for one in values)
    return numbers and all(one < other for one, other in itertools.pairwise(values))


async def replayed(bench: ServerBench) -> None:
    """The same event again, after it was answered."""
    client = await bench.client()
    asked = await client.ask("ping")
    await client.answer(asked)
    bench.wire.inject(asked.event if asked.form is None else client.wrap(asked.event, asked.form))
    await client.answered_once(asked, "an old event that a relay brought again was executed again")


async def forged_plain(bench: ServerBench) -> None:
    if None not in bench.facts.forms:
        raise NotOffered("the server requires encryption")
    client = await bench.client(None)
    wrong = forged(client.request("ping").event)
    bench.wire.inject(wrong)
    await client.stays_silent(wrong, "an event was executed that its author did not sign")


async def bad_copy_first(bench: ServerBench) -> None:
    if None not in bench.facts.forms:
        raise NotOffered("the server requires encryption")
    client = await bench.client(None)
    asked = client.request("ping")
    bench.wire.note(asked.event)
    bench.wire.inject(forged(asked.event), asked.event)
    await client.answer(asked)


async def wrong_recipient(bench: ServerBench) -> None:
    if None not in bench.facts.forms:
        raise NotOffered("the server requires encryption")
    client = await bench.client(None)
    other = new_key().public_key.hex()
    asked = client.request("ping")
    tags = tuple(("p", other) if tag[0] == "p" else tag for tag in asked.event.tags)
    wrong = client.changed(asked.event, tags=tags)
    bench.wire.inject(wrong)
    await client.stays_silent(wrong, "a request to another key was executed")


async def no_recipient(bench: ServerBench) -> None:
    client = await bench.client()
    asked = client.request("ping")
    wrong = client.changed(asked.event, tags=tuple(tag for tag in asked.event.tags if tag[0] != "p"))
    bench.wire.inject(wrong if client.form is None else client.wrap(wrong, client.form))
    await client.stays_silent(wrong, "a request to nobody was executed")


async def stale(bench: ServerBench) -> None:
    await _at(bench, int(time.time()) - _HOUR, "a request of an hour ago was executed")


async def future(bench: ServerBench) -> None:
    await _at(bench, int(time.time()) + _HOUR, "a request of the next hour was executed")


async def _at(bench: ServerBench, created_at: int, why: str) -> None:
    client = await bench.client()
    wrong = client.changed(client.request("ping").event, created_at=created_at)
    await client.wire.publish(wrong if client.form is None else client.wrap(wrong, client.form), wrong)
    if bench.station.relay is not None:
        bench.wire.inject(wrong if client.form is None else client.wrap(wrong, client.form))
    await client.stays_silent(wrong, why)


async def skewed(bench: ServerBench) -> None:
    """The client's clock is half a minute fast."""
    client = await bench.client()
    request = Request(client.next_id(), "ping")
    event = client.event(request, at=int(time.time()) + 30)
    await client.answer(await client.send(Asked(event, request, client.form)))


async def before_start(bench: ServerBench) -> None:
    """The server is started again while a stored request waits that was made, and answered, before."""
    assert bench.restart is not None
    client = await bench.client()
    asked = await client.ask("ping")
    await client.answer(asked)
    await bench.restart()
    sent = asked.event if asked.form is None else client.wrap(asked.event, asked.form)
    bench.wire.inject(sent)
    await client.answered_once(asked, "a server that was started again executed what it had executed before")


async def wrong_server(bench: ServerBench) -> None:
    client = await bench.client()
    asked = client.request("ping")
    tags = tuple(("s", "nostrmcp-no-such-server") if tag[0] == "s" else tag for tag in asked.event.tags)
    wrong = client.changed(asked.event, tags=tags)
    await client.wire.publish(wrong if client.form is None else client.wrap(wrong, client.form), wrong)
    await _not_executed(bench, wrong.id, "a request to another server identifier was executed")


async def method_mismatch(bench: ServerBench) -> None:
    client = await bench.client()
    asked = client.request("ping")
    tags = tuple(("method", "tools/list") if tag[0] == "method" else tag for tag in asked.event.tags)
    wrong = client.changed(asked.event, tags=tags)
    await client.wire.publish(wrong, wrong)
    await _not_executed(bench, wrong.id, "a request was executed whose method tag names another method than content")


async def _not_executed(bench: ServerBench, event_id: bytes, why: str) -> None:
    """An error or silence, but no result."""
    await bench.after_all()
    results = [one for one in bench.wire.about(event_id) if isinstance(one.decoded and one.decoded.message, Result)]
    if results:
        raise Failed(why, expected="an error or silence", actual=value_of(results[0]))


def _binds_method(revision: Revision) -> bool:
    return revision.method_tag_binds


def _server_ids(revision: Revision) -> bool:
    return revision.server_ids


_SIGNED = ("R1-FLOW-51", "R1E-FLOW-51", "R11-FLOW-01", "CTX-FLOW-01", "CVM-FLOW-52")

CHECKS: tuple[Check[ServerBench], ...] = (
    Check(
        "live-server-plain", "A plain request is answered in plain, where the server takes plain requests at all",
        ("CTX-ENC-01", "CVM-ENC-11"), "clients without encryption are not understood", plain, concerns=_wraps,
    ),
    Check(
        "live-server-wrapped", "A request in a wrap of kind 1059 is answered in a wrap, with the inner id in e",
        ("CTX-ENC-02", "CTX-ENC-10", "CVM-ENC-09", "CVM-ENC-10"),
        "what was confidential is not, or the answer is never found", wrapped, concerns=_wraps,
    ),
    Check(
        "live-server-wrapped-ephemeral", "A request in a wrap of kind 21059 is answered in one of that kind",
        ("CVM-ENC-25",), "answers stay on relays that were not to be kept", wrapped_ephemeral, concerns=_both_wraps,
    ),
    Check(
        "live-server-encryption-as-said", "The server reads wraps exactly if it says so",
        ("CTX-ENC-04", "CVM-ENC-01"), "clients wait for answers to wraps nobody opens, or never encrypt",
        encryption_as_said, concerns=_wraps,
    ),
    Check(
        "live-server-encrypted-stays", "To a client that encrypts nothing is sent in plain",
        ("CTX-ENC-02", "CVM-ENC-09"), "what was confidential is not", encrypted_stays,
        concerns=_wraps,
    ),
    Check(
        "live-server-rewrapped", "One request in two wraps is executed once", ("HOUSE-ONCE-02",),
        "who captures a wrapped inner event can have it executed again", rewrapped, concerns=_wraps,
    ),
    Check(
        "live-server-plain-and-wrapped", "One request, plain and then wrapped, is executed once", ("HOUSE-ONCE-02",),
        "anyone can have a plain request executed again by wrapping it", plain_and_wrapped, concerns=_wraps,
    ),
    Check(
        "live-server-rewrapped-for-another", "A request to another server that someone wrapped for this one is dropped",
        ("HOUSE-CRYPT-03", "HOUSE-ROUTE-06"), "a server can act as its clients at other servers",
        rewrapped_for_another, concerns=_wraps,
    ),
    Check(
        "live-server-inner-kind", "A wrapped event of a kind that carries no message is dropped", ("HOUSE-CRYPT-02",),
        "anything a person ever signed can be executed", inner_kind, concerns=_wraps,
    ),
    Check(
        "live-server-inner-forged", "A wrapped event that its author did not sign is dropped",
        ("CTX-FLOW-01", "CVM-FLOW-52"), "anyone can act as anyone", inner_forged, concerns=_wraps,
    ),
    Check(
        "live-server-inner-changed", "A wrapped event whose content was changed is dropped",
        ("CTX-FLOW-01", "CVM-FLOW-52"), "anyone can act as anyone whose event they have", inner_id,
        concerns=_wraps,
    ),
    Check(
        "live-server-inner-unsigned", "A wrapped event without a signature is dropped",
        ("CTX-FLOW-01", "CVM-FLOW-52"), "anyone can act as anyone", inner_unsigned, concerns=_wraps,
    ),
    Check(
        "live-server-sealed", "A sealed rumor in a wrap is not taken for a message",
        ("CTX-ENC-05", "CVM-ENC-06"), "a form of which nobody has said who signs is executed", sealed,
        concerns=_wraps,
    ),
    Check(
        "live-server-duplicate", "An event that relays bring several times is executed once", ("HOUSE-ONCE-02",),
        "with two relays everything is done twice", duplicate, (Need.CONTROL,),
    ),
    Check(
        "live-server-duplicate-work", "An event that relays bring several times is worked on once",
        ("HOUSE-ONCE-02",), "with two relays everything is done twice, and answered once, so that nobody sees it",
        duplicate_work, (Need.SLOW, Need.CONTROL),
    ),
    Check(
        "live-server-replayed", "An event that was answered is not executed again", ("HOUSE-ONCE-06",),
        "a relay can repeat what a client once asked for", replayed, (Need.CONTROL,),
    ),
    Check(
        "live-server-forged", "An event that its author did not sign is dropped", _SIGNED,
        "a relay can act as any client", forged_plain, (Need.CONTROL,),
    ),
    Check(
        "live-server-bad-copy-first", "A forged copy does not keep the true event from being executed",
        ("HOUSE-ONCE-03",), "a relay can censor by sending a bad copy first", bad_copy_first, (Need.CONTROL,),
    ),
    Check(
        "live-server-wrong-recipient", "A request to another key is dropped", ("HOUSE-ROUTE-06",),
        "over a relay that ignores filters, every server answers every request", wrong_recipient, (Need.CONTROL,),
    ),
    Check(
        "live-server-no-recipient", "A request without p is dropped", ("HOUSE-ROUTE-05",),
        "one request is executed by every server that sees it", no_recipient, (Need.CONTROL,),
    ),
    Check(
        "live-server-stale", "A request of an hour ago is met with silence", ("HOUSE-TIME-01",),
        "whoever kept a request can have it executed when it does harm", stale,
    ),
    Check(
        "live-server-future", "A request of the next hour is met with silence", ("HOUSE-TIME-01",),
        "a request can be signed now and replayed for ever", future,
    ),
    Check(
        "live-server-skewed", "A client whose clock is half a minute fast is served",
        ("HOUSE-TIME-01", "HOUSE-TIME-04"), "clients with a clock like most are met with silence", skewed,
    ),
    Check(
        "live-server-before-start", "A server that was started again does not execute what it had executed",
        ("HOUSE-TIME-03",), "every restart repeats what relays have stored", before_start,
        (Need.CONTROL, Need.COMMAND),
    ),
    Check(
        "live-server-wrong-server", "A request to another server identifier is not executed",
        ("R1-TAG-02", "R1E-TAG-02", "R11-TAG-02", "CTX-TAG-51"), "calls run on a server that was not meant",
        wrong_server, concerns=_server_ids,
    ),
    Check(
        "live-server-method-mismatch", "A request whose method tag and content disagree is not executed",
        ("R1-TAG-04", "R1E-TAG-04", "R11-TAG-04"), "who filters by the tag lets through what it forbids",
        method_mismatch, concerns=_binds_method,
        at_most="SHOULD",  # the seeds bind who sends the tag, and do not say what who reads it does
    ),
)  # fmt: skip
