"""`nostrmcp inspect` and `nostrmcp translate`: events, read and carried over."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from ..conformance.text import visible
from ..conformance.vectors import vectors_folder
from ..nostr import LocalProtocolError, SecretKey, Violation, strict_json
from ..nostr import event as events
from ..revisions import REVISIONS
from ..revisions.detect import detect
from ..translate.cross import translate
from ..translate.inspect import TAG_MEANINGS, Inspection, Reading, inspect
from ..translate.route import Role
from .problem import Problem, read_input, read_key


def add_to(commands: Any) -> None:
    """Add the two commands to the program's parser."""
    about = "say what events are: revision, message, tags, and every requirement they break"
    looking = commands.add_parser(
        "inspect",
        help=about,
        description=about.capitalize() + ". Exit code 1 if an event is invalid or breaks a MUST.",
        epilog="example: nostrmcp inspect capture.jsonl",
    )
    looking.add_argument("file", nargs="?", help="a JSON event, one a line, or a relay's record; - for standard input")
    looking.add_argument("--relay", action="append", default=[], metavar="URL", help="look at this relay's events")
    looking.add_argument("--stored", action="store_true", help="of a relay: what it has stored, and no more")
    looking.add_argument("--json", action="store_true", help="one JSON object for each line, in order")
    looking.add_argument(
        "--key-file", action="append", default=[], metavar="FILE", help="open wraps for this secret key"
    )
    looking.set_defaults(run=_inspect)

    about = "write an event in the form of another revision"
    carrying = commands.add_parser(
        "translate",
        help=about,
        description=about.capitalize() + ", unsigned, and say what is lost.",
        epilog="example: nostrmcp translate --to contextvm event.json",
    )
    carrying.add_argument("file", help="a JSON event; - for standard input")
    carrying.add_argument("--from", dest="source", choices=sorted(REVISIONS), help="its revision (default: detected)")
    carrying.add_argument("--to", dest="target", choices=sorted(REVISIONS), required=True, help="the revision to write")
    carrying.add_argument(
        "--sender", choices=["client", "server"], default="client", help="who sent it (default: client)"
    )
    carrying.add_argument("--json", action="store_true", help="event and losses as one JSON object")
    carrying.set_defaults(run=_translate)


def _lines(data: bytes) -> list[tuple[int, bytes]]:
    """One event a line, with the line's number; or the whole file, if it is one JSON value. Of what `nostrmcp relay`
    has recorded, the events that clients published."""
    try:
        strict_json.parse(data)
        lines = [(1, data)]
    except Violation:
        lines = [(number, line) for number, line in enumerate(data.splitlines(), start=1) if line.strip()]
    return [(number, event) for number, line in lines if (event := _recorded(line)) is not None]


def _recorded(line: bytes) -> bytes | None:
    """The event in a record of a relay, None where it holds something else; what is no record stays as it is."""
    try:
        value = strict_json.parse(line)
        if type(value) is not dict or value.keys() != {"time", "connection", "direction", "frame"}:
            return line
        frame = strict_json.parse(value["frame"].encode())
    except (Violation, AttributeError):
        return line
    if value["direction"] != "in" or type(frame) is not list or frame[:1] != ["EVENT"]:
        return None
    return strict_json.dump(frame[-1])


def _inspect(options: argparse.Namespace) -> int:
    keys = tuple(read_key(path) for path in options.key_file)
    requirements = json.loads((vectors_folder() / "requirements.json").read_text(encoding="utf-8"))["requirements"]
    if (options.file is None) is not bool(options.relay):
        raise Problem("name either a file or a relay")
    if options.relay:
        return _watch(options, keys, requirements)
    lines = _lines(read_input(options.file))
    if not lines:
        raise Problem(f"there is no event in {'standard input' if options.file == '-' else options.file}")
    sound = True
    for number, line in lines:
        if len(lines) > 1 and not options.json:
            print(f"line {number}")
        sound = _show(options, inspect(line, keys), requirements) and sound
    return 0 if sound else 1


def _show(options: argparse.Namespace, found: Inspection, requirements: dict[str, Any]) -> bool:
    """Print what was found, and say whether it is sound."""
    text = json.dumps(_as_value(found, requirements)) if options.json else "\n".join(_as_text(found, requirements))
    print(text, flush=bool(options.relay))
    return _passes(found, requirements)


def _watch(options: argparse.Namespace, keys: tuple[SecretKey, ...], requirements: dict[str, Any]) -> int:
    """Look at the events of relays, until a signal or, of those that are stored, until the last."""
    import asyncio
    import contextlib

    from ..runtime.watch import NoRelayAnswered, watch
    from .network import Stopped, relays_of, run_until_signal, teller

    relays = relays_of(options)
    sound = True

    async def look() -> None:
        nonlocal sound
        async for event in watch(relays, live=not options.stored, observe=teller(verbose=False)):
            sound = _show(options, inspect(event.dump(), keys), requirements) and sound
            if not options.json:
                print()

    async def work(stop: asyncio.Event) -> int:
        looking, stopping = asyncio.ensure_future(look()), asyncio.ensure_future(stop.wait())
        await asyncio.wait({looking, stopping}, return_when=asyncio.FIRST_COMPLETED)
        for task in (looking, stopping):
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await looking
        if looking.cancelled() and options.stored:
            raise Stopped
        return 0 if sound else 1

    try:
        return run_until_signal(work)
    except NoRelayAnswered:
        raise Problem("no relay answered") from None


def _passes(found: Inspection, requirements: dict[str, Any]) -> bool:
    """Whether the event is valid and, under one of its candidates at least, can be read and breaks no MUST of it."""
    if found.invalid is not None:
        return False
    readings = [
        reading.refused is None and not any(_is_must(breach.req, requirements) for breach in reading.breaches)
        for reading in found.readings
    ]
    return any(readings) or not readings


def _is_must(req: str, requirements: dict[str, Any]) -> bool:
    row = requirements.get(req, {})
    return (row.get("level"), row.get("basis") == "house") == ("MUST", False)


def _as_value(found: Inspection, requirements: dict[str, Any]) -> dict[str, Any]:
    detection = found.detection
    return {
        "sound": _passes(found, requirements),
        "id": found.event.id.hex() if found.event else None,
        "invalid": _violation(found.invalid),
        "wrapped_in": found.wrapped_in,
        "candidates": list(detection.candidates) if detection else [],
        "evidence": list(detection.evidence) if detection else [],
        "neighbour": detection.neighbour if detection else None,
        "readings": [_reading(reading, requirements) for reading in found.readings],
    }


def _violation(violation: Violation | None) -> dict[str, str] | None:
    if violation is None:
        return None
    return {"class": violation.error_class.value, "where": violation.where, "detail": violation.detail}


def _reading(reading: Reading, requirements: dict[str, Any]) -> dict[str, Any]:
    return {
        "revision": reading.revision,
        "class": reading.message_class,
        "direction": reading.direction,
        "message": reading.message,
        "refused": _violation(reading.refused),
        "breaches": [
            {
                "req": one.req,
                "where": one.where,
                "detail": one.detail,
                "text": requirements.get(one.req, {}).get("text"),
            }
            for one in reading.breaches
        ],
    }


def _text(req: str, requirements: dict[str, Any]) -> str:
    """A requirement in words."""
    return str(requirements.get(req, {}).get("text", "it is not in the ledger."))


def _as_text(found: Inspection, requirements: dict[str, Any]) -> list[str]:
    event = found.event
    lines = [] if event is None else [f"event     {event.id.hex()}", f"author    {event.pubkey.hex()}"]
    if found.invalid is not None:
        return [*lines, f"INVALID   {visible(str(found.invalid))}"]
    assert event is not None and found.detection is not None, "a valid event was read"
    if found.wrapped_in:
        lines.append(f"wrapped   in kind {found.wrapped_in}; both signatures verify")
    detection = found.detection
    names = " or ".join(detection.candidates) or "none that is known here"
    lines.append(f"revision  {names}" + (f" ({'; '.join(detection.evidence)})" if detection.evidence else ""))
    if detection.neighbour:
        lines.append(f"          looks like {detection.neighbour}")
    lines += [
        f"tag       {visible(' '.join(tag)):.100}  {TAG_MEANINGS.get(tag[0], 'no meaning here')}" for tag in event.tags
    ]
    for reading in found.readings:
        lines += [f"under {reading.revision}", *_reading_text(reading, requirements)]
    return lines


def _reading_text(reading: Reading, requirements: dict[str, Any]) -> list[str]:
    lines = []
    if reading.refused is not None:
        lines.append(f"  refused   {visible(str(reading.refused))}")
    if reading.message is not None:
        method = reading.message.get("method")
        told = [reading.message_class or "", reading.direction or "", f"method {visible(method)}" if method else ""]
        lines.append(f"  {', '.join(one for one in told if one)}")
        lines.append(f"  message   {visible(strict_json.dump(reading.message).decode()):.300}")
    for breach in reading.breaches:
        word = "BROKEN " if _is_must(breach.req, requirements) else "advice "
        lines.append(f"  {word}   {breach.req}: {_text(breach.req, requirements)} Here: {visible(breach.detail)}.")
    return lines or ["  nothing to read"]


def _translate(options: argparse.Namespace) -> int:
    try:
        event = events.parse(read_input(options.file).strip())
        event.verify()
        source = options.source or _only_candidate(event)
        done = translate(event, REVISIONS[source], REVISIONS[options.target], Role(options.sender))
    except (Violation, LocalProtocolError) as refusal:
        raise Problem(f"it cannot be translated: {visible(str(refusal))}") from None
    value = done.event.to_value()
    if options.json:
        print(
            json.dumps(
                {"from": source, "to": options.target, "event": value, "losses": [one.value for one in done.losses]}
            )
        )
        return 0
    print(json.dumps(value))
    for loss in done.losses:
        print(f"lost: {loss.value}", file=sys.stderr)
    return 0


def _only_candidate(event: events.Event) -> str:
    candidates = detect(event).candidates
    if len(candidates) != 1:
        names = " or ".join(candidates) or "none that is known here"
        raise Problem(f"its revision is {names}: say which with --from")
    return candidates[0]
