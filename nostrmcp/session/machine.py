"""Who may do what when: transition tables as data.

A table maps (state, input) to (effect, next state). What is not in a table is refused by name: `Machine.step` gives
None, and whoever fed the input drops it as `unexpected`. The diagrams in `spec/states.md` are drawn from these dicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar


class Named(Enum):
    """A state, input or effect, in words. Members are told apart by identity, so they hash by it: at once."""

    __hash__ = object.__hash__


StateT = TypeVar("StateT", bound=Named)
InputT = TypeVar("InputT", bound=Named)
EffectT = TypeVar("EffectT", bound=Named)


@dataclass(frozen=True, slots=True)
class Machine(Generic[StateT, InputT, EffectT]):
    """One table, with its name and its first state."""

    title: str
    first: StateT
    table: Mapping[tuple[StateT, InputT], tuple[EffectT, StateT]]

    def step(self, state: StateT, given: InputT) -> tuple[EffectT, StateT] | None:
        """What an input does, and the state after it; None where it has no place in this state."""
        return self.table.get((state, given))


# The handshake with an MCP server that serves one session


class Shake(Named):
    """How far the handshake on a link is."""

    NEW = "new"
    EARLY = "initialized came first"
    OPENING = "initialize is with the MCP server"
    OPENING_EARLY = "initialize is with the MCP server, initialized may follow at once"
    WAITING = "initialize is answered"
    READY = "ready"


class ShakeInput(Named):
    INITIALIZE = "initialize from the client"
    INITIALIZED = "initialized from the client"
    CALL = "another message from the client"
    RESULT = "the initialize result"
    FAILURE = "an error in place of it"


class ShakeEffect(Named):
    ASK = "pass initialize on"
    ASK_OURSELVES = "send initialize on our own behalf, hold the message"
    HOLD = "hold the message"
    NOTHING = "nothing"
    ANSWER = "answer the client"
    ANSWER_AND_COMPLETE = "answer the client, send initialized, let go what is held"
    COMPLETE = "send initialized"
    COMPLETE_AND_PASS = "send initialized, pass the message on"
    PASS = "pass the message on"
    ANSWER_AGAIN = "answer from the first result"
    REFUSE = "answer all that is held with the error"


HANDSHAKE: Machine[Shake, ShakeInput, ShakeEffect] = Machine(
    "Handshake of a session with its MCP server",
    Shake.NEW,
    {
        (Shake.NEW, ShakeInput.INITIALIZE): (ShakeEffect.ASK, Shake.OPENING),
        (Shake.NEW, ShakeInput.INITIALIZED): (ShakeEffect.NOTHING, Shake.EARLY),
        (Shake.NEW, ShakeInput.CALL): (ShakeEffect.ASK_OURSELVES, Shake.OPENING_EARLY),
        (Shake.EARLY, ShakeInput.INITIALIZE): (ShakeEffect.ASK, Shake.OPENING_EARLY),
        (Shake.EARLY, ShakeInput.INITIALIZED): (ShakeEffect.NOTHING, Shake.EARLY),
        (Shake.EARLY, ShakeInput.CALL): (ShakeEffect.ASK_OURSELVES, Shake.OPENING_EARLY),
        (Shake.OPENING, ShakeInput.INITIALIZE): (ShakeEffect.HOLD, Shake.OPENING),
        (Shake.OPENING, ShakeInput.INITIALIZED): (ShakeEffect.NOTHING, Shake.OPENING_EARLY),
        (Shake.OPENING, ShakeInput.CALL): (ShakeEffect.HOLD, Shake.OPENING_EARLY),
        (Shake.OPENING, ShakeInput.RESULT): (ShakeEffect.ANSWER, Shake.WAITING),
        (Shake.OPENING, ShakeInput.FAILURE): (ShakeEffect.REFUSE, Shake.NEW),
        (Shake.OPENING_EARLY, ShakeInput.INITIALIZE): (ShakeEffect.HOLD, Shake.OPENING_EARLY),
        (Shake.OPENING_EARLY, ShakeInput.INITIALIZED): (ShakeEffect.NOTHING, Shake.OPENING_EARLY),
        (Shake.OPENING_EARLY, ShakeInput.CALL): (ShakeEffect.HOLD, Shake.OPENING_EARLY),
        (Shake.OPENING_EARLY, ShakeInput.RESULT): (ShakeEffect.ANSWER_AND_COMPLETE, Shake.READY),
        (Shake.OPENING_EARLY, ShakeInput.FAILURE): (ShakeEffect.REFUSE, Shake.NEW),
        (Shake.WAITING, ShakeInput.INITIALIZE): (ShakeEffect.ANSWER_AGAIN, Shake.WAITING),
        (Shake.WAITING, ShakeInput.INITIALIZED): (ShakeEffect.COMPLETE, Shake.READY),
        (Shake.WAITING, ShakeInput.CALL): (ShakeEffect.COMPLETE_AND_PASS, Shake.READY),
        (Shake.READY, ShakeInput.INITIALIZE): (ShakeEffect.ANSWER_AGAIN, Shake.READY),
        (Shake.READY, ShakeInput.INITIALIZED): (ShakeEffect.NOTHING, Shake.READY),
        (Shake.READY, ShakeInput.CALL): (ShakeEffect.PASS, Shake.READY),
    },
)


# A request at the server


class Serving(Named):
    """What a server knows of a request."""

    UNKNOWN = "unknown"
    PRICED = "an invoice is being made"
    UNPAID = "payment is awaited"
    RUNNING = "with the MCP server"
    ENDED = "answered, cancelled or refused"


class ServingInput(Named):
    FREE = "the request, without a price"
    COSTLY = "the request, with a price"
    INVOICE = "an invoice for it"
    PAID = "its payment is verified"
    UNPAID = "its payment failed, or its demand expired"
    PROGRESS = "progress"
    ANSWER = "the answer"
    CANCEL = "a cancel by the client"
    OVERDUE = "the MCP server takes too long"


class ServingEffect(Named):
    EXECUTE = "pass it to the MCP server"
    CHARGE = "ask for an invoice"
    DEMAND = "publish the demand for payment"
    ACCEPT = "say that it is paid, pass the request to the MCP server"
    REFUSE = "answer with an error"
    REPORT = "publish the progress"
    ANSWER = "publish the answer"
    STOP = "tell the MCP server"
    FORGET = "nothing more"


SERVING: Machine[Serving, ServingInput, ServingEffect] = Machine(
    "A request at the server",
    Serving.UNKNOWN,
    {
        (Serving.UNKNOWN, ServingInput.FREE): (ServingEffect.EXECUTE, Serving.RUNNING),
        (Serving.UNKNOWN, ServingInput.COSTLY): (ServingEffect.CHARGE, Serving.PRICED),
        (Serving.UNKNOWN, ServingInput.CANCEL): (ServingEffect.FORGET, Serving.ENDED),
        (Serving.PRICED, ServingInput.INVOICE): (ServingEffect.DEMAND, Serving.UNPAID),
        (Serving.PRICED, ServingInput.UNPAID): (ServingEffect.REFUSE, Serving.ENDED),
        (Serving.PRICED, ServingInput.CANCEL): (ServingEffect.FORGET, Serving.ENDED),
        (Serving.UNPAID, ServingInput.PAID): (ServingEffect.ACCEPT, Serving.RUNNING),
        (Serving.UNPAID, ServingInput.UNPAID): (ServingEffect.REFUSE, Serving.ENDED),
        (Serving.UNPAID, ServingInput.CANCEL): (ServingEffect.FORGET, Serving.ENDED),
        (Serving.RUNNING, ServingInput.PROGRESS): (ServingEffect.REPORT, Serving.RUNNING),
        (Serving.RUNNING, ServingInput.ANSWER): (ServingEffect.ANSWER, Serving.ENDED),
        (Serving.RUNNING, ServingInput.CANCEL): (ServingEffect.STOP, Serving.ENDED),
        (Serving.RUNNING, ServingInput.OVERDUE): (ServingEffect.REFUSE, Serving.ENDED),
    },
)


# A request at the client, and what it may cost


class Asking(Named):
    """What a client knows of its own request."""

    PENDING = "pending"
    PAYING = "being paid for"
    PAID = "paid for"
    ENDED = "answered, cancelled or given up"


class AskingInput(Named):
    ANSWER = "the answer"
    PROGRESS = "progress"
    DEMAND = "a demand for payment that is agreed to"
    BAD_DEMAND = "a demand for payment that is refused"
    FRAME = "a frame of a transfer that is not supported"
    PAYMENT_SENT = "the payment was sent"
    PAYMENT_FAILED = "the payment failed"
    CANCEL = "a cancel by the local client"
    OVERDUE = "no answer in time"
    REFUSED = "no relay took the request"


class AskingEffect(Named):
    DELIVER = "deliver the answer"
    EXTEND = "deliver the progress, start the clock anew"
    SHOW = "deliver the progress"
    SHOW_AND_WAIT = "deliver the progress, give the answer its time"
    WAIT = "give the answer its time"
    PAY = "pay, and stop the clock until the demand expires"
    WITHDRAW = "publish a cancel"
    GIVE_UP = "publish a cancel, deliver an error"
    FAIL = "deliver an error"


ASKING: Machine[Asking, AskingInput, AskingEffect] = Machine(
    "A request at the client",
    Asking.PENDING,
    {
        (Asking.PENDING, AskingInput.ANSWER): (AskingEffect.DELIVER, Asking.ENDED),
        (Asking.PENDING, AskingInput.PROGRESS): (AskingEffect.EXTEND, Asking.PENDING),
        (Asking.PENDING, AskingInput.DEMAND): (AskingEffect.PAY, Asking.PAYING),
        (Asking.PENDING, AskingInput.BAD_DEMAND): (AskingEffect.GIVE_UP, Asking.ENDED),
        (Asking.PENDING, AskingInput.FRAME): (AskingEffect.GIVE_UP, Asking.ENDED),
        (Asking.PENDING, AskingInput.CANCEL): (AskingEffect.WITHDRAW, Asking.ENDED),
        (Asking.PENDING, AskingInput.OVERDUE): (AskingEffect.GIVE_UP, Asking.ENDED),
        (Asking.PENDING, AskingInput.REFUSED): (AskingEffect.FAIL, Asking.ENDED),
        (Asking.PAYING, AskingInput.ANSWER): (AskingEffect.DELIVER, Asking.ENDED),
        (Asking.PAYING, AskingInput.PROGRESS): (AskingEffect.SHOW, Asking.PAYING),
        (Asking.PAYING, AskingInput.PAYMENT_SENT): (AskingEffect.WAIT, Asking.PAID),
        (Asking.PAYING, AskingInput.PAYMENT_FAILED): (AskingEffect.GIVE_UP, Asking.ENDED),
        (Asking.PAYING, AskingInput.FRAME): (AskingEffect.GIVE_UP, Asking.ENDED),
        (Asking.PAYING, AskingInput.CANCEL): (AskingEffect.WITHDRAW, Asking.ENDED),
        (Asking.PAYING, AskingInput.OVERDUE): (AskingEffect.GIVE_UP, Asking.ENDED),
        (Asking.PAID, AskingInput.ANSWER): (AskingEffect.DELIVER, Asking.ENDED),
        (Asking.PAID, AskingInput.PROGRESS): (AskingEffect.SHOW_AND_WAIT, Asking.PAID),
        (Asking.PAID, AskingInput.FRAME): (AskingEffect.GIVE_UP, Asking.ENDED),
        (Asking.PAID, AskingInput.CANCEL): (AskingEffect.WITHDRAW, Asking.ENDED),
        (Asking.PAID, AskingInput.OVERDUE): (AskingEffect.GIVE_UP, Asking.ENDED),
    },
)


# A subscription at the client (subscriptions/listen)


class Listening(Named):
    OPENING = "sent, not yet acknowledged"
    ACTIVE = "acknowledged"
    ENDING = "ended by the server, late notifications may come"
    LOST = "lost, to be opened anew"
    CLOSING = "cancelled, no relay has confirmed it"
    CLOSED = "closed"


class ListeningInput(Named):
    ACKNOWLEDGEMENT = "an acknowledgement"
    NOTIFICATION = "a notification"
    RESULT = "the last result"
    ERROR = "an error"
    CANCELLED = "a cancel by the server"
    CLOSE = "a cancel by the local client"
    OVERDUE = "no acknowledgement in time"
    GRACE_OVER = "the time for late notifications is over"
    CONFIRMED = "a relay took the cancel, or time is up"
    REFUSED = "no relay took the request"
    DISCONNECTED = "no relay is connected"
    REOPEN = "it is time to open it anew"


class ListeningEffect(Named):
    HOLD = "hold it"
    BEGIN = "deliver the acknowledgement, and of what is held what it honours"
    DELIVER = "deliver it, if it was acknowledged"
    IGNORE_ACKNOWLEDGEMENT = "ignore it, note the anomaly"
    WAIT = "wait for late notifications"
    FINISH = "deliver the result"
    FAIL = "deliver the error"
    WITHDRAW = "publish a cancel"
    WITHDRAW_AND_LOSE = "publish a cancel, drop what is held, open it anew later"
    LOSE = "open it anew later"
    SEND = "publish a new request"
    NOTHING = "nothing"


LISTENING: Machine[Listening, ListeningInput, ListeningEffect] = Machine(
    "A subscription at the client",
    Listening.OPENING,
    {
        (Listening.OPENING, ListeningInput.ACKNOWLEDGEMENT): (ListeningEffect.BEGIN, Listening.ACTIVE),
        (Listening.OPENING, ListeningInput.NOTIFICATION): (ListeningEffect.HOLD, Listening.OPENING),
        (Listening.OPENING, ListeningInput.RESULT): (ListeningEffect.WAIT, Listening.ENDING),
        (Listening.OPENING, ListeningInput.ERROR): (ListeningEffect.FAIL, Listening.CLOSED),
        (Listening.OPENING, ListeningInput.CANCELLED): (ListeningEffect.LOSE, Listening.LOST),
        (Listening.OPENING, ListeningInput.CLOSE): (ListeningEffect.WITHDRAW, Listening.CLOSING),
        (Listening.OPENING, ListeningInput.OVERDUE): (ListeningEffect.WITHDRAW_AND_LOSE, Listening.LOST),
        (Listening.OPENING, ListeningInput.REFUSED): (ListeningEffect.FAIL, Listening.CLOSED),
        (Listening.OPENING, ListeningInput.DISCONNECTED): (ListeningEffect.LOSE, Listening.LOST),
        (Listening.ACTIVE, ListeningInput.ACKNOWLEDGEMENT): (ListeningEffect.IGNORE_ACKNOWLEDGEMENT, Listening.ACTIVE),
        (Listening.ACTIVE, ListeningInput.NOTIFICATION): (ListeningEffect.DELIVER, Listening.ACTIVE),
        (Listening.ACTIVE, ListeningInput.RESULT): (ListeningEffect.WAIT, Listening.ENDING),
        (Listening.ACTIVE, ListeningInput.ERROR): (ListeningEffect.LOSE, Listening.LOST),
        (Listening.ACTIVE, ListeningInput.CANCELLED): (ListeningEffect.LOSE, Listening.LOST),
        (Listening.ACTIVE, ListeningInput.CLOSE): (ListeningEffect.WITHDRAW, Listening.CLOSING),
        (Listening.ACTIVE, ListeningInput.DISCONNECTED): (ListeningEffect.LOSE, Listening.LOST),
        (Listening.ENDING, ListeningInput.ACKNOWLEDGEMENT): (ListeningEffect.BEGIN, Listening.ENDING),
        (Listening.ENDING, ListeningInput.NOTIFICATION): (ListeningEffect.DELIVER, Listening.ENDING),
        (Listening.ENDING, ListeningInput.GRACE_OVER): (ListeningEffect.FINISH, Listening.CLOSED),
        (Listening.ENDING, ListeningInput.CLOSE): (ListeningEffect.NOTHING, Listening.CLOSED),
        (Listening.LOST, ListeningInput.REOPEN): (ListeningEffect.SEND, Listening.OPENING),
        (Listening.LOST, ListeningInput.CLOSE): (ListeningEffect.NOTHING, Listening.CLOSED),
        (Listening.CLOSING, ListeningInput.CONFIRMED): (ListeningEffect.NOTHING, Listening.CLOSED),
    },
)


# A subscription at the server


class Feeding(Named):
    NONE = "none"
    OPENING = "the MCP server is asked"
    ACKNOWLEDGING = "acknowledged, no relay has confirmed it"
    OPEN = "open"
    ENDED = "ended"


class FeedingInput(Named):
    LISTEN = "a listen request"
    HONOURED = "it is known what is honoured"
    CHANGE = "a change that it includes"
    CONFIRMED = "a relay took the acknowledgement, or time is up"
    REFUSED = "every relay refused the acknowledgement"
    FAILING = "relays failed too often, or the lease is over"
    CANCEL = "a cancel by the client"
    FINISHED = "the MCP server ended it"
    STOP = "the server stops"


class FeedingEffect(Named):
    ASK = "find out what can be honoured"
    ACKNOWLEDGE = "publish the acknowledgement"
    GATHER = "keep it for later"
    FLUSH = "publish what was kept"
    SEND = "publish it"
    FINISH = "publish what was kept and the last result"
    REFUSE = "answer with an error"
    FORGET = "nothing more"


FEEDING: Machine[Feeding, FeedingInput, FeedingEffect] = Machine(
    "A subscription at the server",
    Feeding.NONE,
    {
        (Feeding.NONE, FeedingInput.LISTEN): (FeedingEffect.ASK, Feeding.OPENING),
        (Feeding.NONE, FeedingInput.CANCEL): (FeedingEffect.FORGET, Feeding.ENDED),
        (Feeding.OPENING, FeedingInput.HONOURED): (FeedingEffect.ACKNOWLEDGE, Feeding.ACKNOWLEDGING),
        (Feeding.OPENING, FeedingInput.CHANGE): (FeedingEffect.GATHER, Feeding.OPENING),
        (Feeding.OPENING, FeedingInput.CANCEL): (FeedingEffect.FORGET, Feeding.ENDED),
        (Feeding.OPENING, FeedingInput.FINISHED): (FeedingEffect.REFUSE, Feeding.ENDED),
        (Feeding.OPENING, FeedingInput.FAILING): (FeedingEffect.REFUSE, Feeding.ENDED),
        (Feeding.OPENING, FeedingInput.STOP): (FeedingEffect.REFUSE, Feeding.ENDED),
        (Feeding.ACKNOWLEDGING, FeedingInput.CHANGE): (FeedingEffect.GATHER, Feeding.ACKNOWLEDGING),
        (Feeding.ACKNOWLEDGING, FeedingInput.CONFIRMED): (FeedingEffect.FLUSH, Feeding.OPEN),
        (Feeding.ACKNOWLEDGING, FeedingInput.REFUSED): (FeedingEffect.FORGET, Feeding.ENDED),
        (Feeding.ACKNOWLEDGING, FeedingInput.CANCEL): (FeedingEffect.FORGET, Feeding.ENDED),
        (Feeding.ACKNOWLEDGING, FeedingInput.FINISHED): (FeedingEffect.FINISH, Feeding.ENDED),
        (Feeding.ACKNOWLEDGING, FeedingInput.FAILING): (FeedingEffect.FINISH, Feeding.ENDED),
        (Feeding.ACKNOWLEDGING, FeedingInput.STOP): (FeedingEffect.FINISH, Feeding.ENDED),
        (Feeding.OPEN, FeedingInput.CHANGE): (FeedingEffect.SEND, Feeding.OPEN),
        (Feeding.OPEN, FeedingInput.CANCEL): (FeedingEffect.FORGET, Feeding.ENDED),
        (Feeding.OPEN, FeedingInput.FINISHED): (FeedingEffect.FINISH, Feeding.ENDED),
        (Feeding.OPEN, FeedingInput.FAILING): (FeedingEffect.FINISH, Feeding.ENDED),
        (Feeding.OPEN, FeedingInput.STOP): (FeedingEffect.FINISH, Feeding.ENDED),
    },
)

MACHINES = (HANDSHAKE, SERVING, ASKING, LISTENING, FEEDING)
