"""Sessions of either role that send what they should not: equal events, wrong wraps, too much, too often."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from nostrmcp.mcp.jsonrpc import Message
from nostrmcp.nostr import nip59
from nostrmcp.revisions.model import Revision, WrapTime
from nostrmcp.session import sending, server
from nostrmcp.session.actions import Now, Publish
from nostrmcp.session.asking import Questions
from nostrmcp.session.links import McpLink
from nostrmcp.session.sending import Sender
from nostrmcp.translate.route import Route
from tests.zoo.sessions_layer.making import BOTH, CLIENT, REVISIONS, SERVER, WRAPPING, always, bug, nothing

right_init, right_send, right_wrapped = Sender.__init__, Sender.send, Sender._wrapped
right_call, right_conclude = McpLink.call, Questions._conclude


def send_without_salt(
    sender: Sender, message: Message, route: Route, revision: Revision, now: Now, wrap: int | None
) -> tuple[Publish, bytes]:
    sender._salted_one = True
    sender._sent.clear()
    return right_send(sender, message, route, revision, now, wrap)


def init_as_if_salted(sender: Sender, *args: Any) -> None:
    right_init(sender, *args)
    sender._salted_one = True


def send_once_salted(
    sender: Sender, message: Message, route: Route, revision: Revision, now: Now, wrap: int | None
) -> tuple[Publish, bytes]:
    sender._sent.clear()
    return right_send(sender, message, route, revision, now, wrap)


def wrap_as(kind: int) -> Any:
    def wrapped(sender: Sender, event: Any, recipient: bytes, revision: Revision, unix: int, _kind: int) -> Any:
        return right_wrapped(sender, event, recipient, revision, unix, kind)

    return wrapped


def rounded(value: Any) -> Any:
    """A JSON value as who keeps numbers in floats has it."""
    if type(value) is int:
        return int(float(value))
    if type(value) is dict:
        return {name: rounded(one) for name, one in value.items()}
    return [rounded(one) for one in value] if type(value) is list else value


def call_in_floats(link: McpLink, request: Any, answered: Any) -> Any:
    return right_call(link, type(request)(request.id, request.method, rounded(request.params)), answered)


def conclude_in_floats(questions: Questions, question: Any, answer: Any, server_id: Any, event: Any) -> Any:
    if hasattr(answer, "result"):
        answer = type(answer)(answer.id, rounded(answer.result))
    return right_conclude(questions, question, answer, server_id, event)


MEMBERS = [
    bug(
        "no-salt",
        "Equal messages in one second are one event.",
        BOTH,
        (Sender, "send", send_without_salt),
        on=REVISIONS,
        fails="salted",
    ),
    bug(
        "salt-on-repetition-only",
        "The first message of a process has no salt, so that it may be the event of the process before.",
        BOTH,
        (Sender, "__init__", init_as_if_salted),
        on=REVISIONS,
        fails="restarted r1-server-salted r1e-server-salted r11-server-salted ctx-server-salted cvm-server-salted",
    ),
    bug(
        "salt-at-the-start-only",
        "Only the first message of a process has a salt.",
        BOTH,
        (Sender, "send", send_once_salted),
        on="r1 cvm",
        fails="r1-client-salted cvm-client-salted",
    ),
    bug(
        "wrap-times-swapped",
        "Wraps have the present time where it should be hidden, and a past one where it should not.",
        BOTH,
        (sending, "WrapTime", SimpleNamespace(PAST=WrapTime.NOW)),
        on=WRAPPING,
        fails="wrap-date",
    ),
    bug(
        "always-1059",
        "A stored wrap is used with peers that read ephemeral ones.",
        BOTH,
        (Sender, "_wrapped", wrap_as(nip59.WRAP)),
        on="cvm",
        fails="ephemeral-wraps ephemeral-flag ephemeral-announced ephemeral-learnt",
    ),
    bug(
        "always-21059",
        "An ephemeral wrap is used with everybody.",
        BOTH,
        (Sender, "_wrapped", wrap_as(nip59.EPHEMERAL_WRAP)),
        on=WRAPPING,
        fails="wrapped encrypted",
    ),
    bug(
        "ephemeral-server-assumed",
        "Every peer is taken to read ephemeral wraps.",
        BOTH,
        (server.announce, "says_ephemeral", always(True)),
        on="cvm",
        fails="wrapped baseline",
    ),
    bug(
        "any-size",
        "An event that no relay carries is published.",
        BOTH,
        (Sender, "_refuse_large", nothing),
        on=REVISIONS,
        fails="large-result too-large",
    ),
    bug(
        "any-size-in-wraps",
        "More is put into a wrap than every peer can read.",
        BOTH,
        (sending, "MAX_WRAPPED", 1 << 30),
        on="cvm",
        fails="large-wrapped",
    ),
    bug(
        "floats-to-servers",
        "Numbers of requests are kept in floats.",
        SERVER,
        (McpLink, "call", call_in_floats),
        on=REVISIONS,
        fails="numbers",
    ),
    bug(
        "floats-to-clients",
        "Numbers of answers are kept in floats.",
        CLIENT,
        (Questions, "_conclude", conclude_in_floats),
        on=REVISIONS,
        fails="numbers",
    ),
]
