"""Subscriptions at the client: held until acknowledged, told apart, ended in order, and opened anew when lost."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..mcp import paths
from ..mcp.catalogue import PROTOCOL_VERSION
from ..mcp.jsonrpc import Error, ErrorCode, Id, Notification, Request, Result, id_key, same_id
from ..nostr import Violation
from .actions import Action, Deliver, Notice
from .errors import ErrorClass
from .machine import LISTENING, Listening, ListeningEffect, ListeningInput
from .subscriptions import (
    ACKNOWLEDGED,
    FLAGS,
    RESOURCES,
    UPDATED,
    Filter,
    acknowledgement,
    common,
    filter_in,
    includes,
    is_named,
    last_result,
    listens,
    name_in,
    name_of,
    named,
)

if TYPE_CHECKING:
    from .client import Client

MAX_PAUSE = 300.0


@dataclass(slots=True, eq=False)
class Subscription:
    """One subscription of the local client. `local` is its listen request, `request` the one that is on the wire."""

    local: Request
    version: str
    requested: Filter
    request: Request
    event_id: bytes = b""
    wrap: int | None = None
    state: Listening = Listening.OPENING
    honoured: Filter | None = None
    held: list[tuple[int, Notification]] = field(default_factory=list)
    begun: bool = False
    attempts: int = 0
    ended_at: int = 0
    publication: bytes = b""
    cancel_id: bytes = b""

    @property
    def local_name(self) -> Id:
        return name_of(self.local.id, self.version)


class Subscriptions:
    """Every subscription of one client."""

    def __init__(self, host: Client) -> None:
        self._host = host
        self._by_event: dict[bytes, Subscription] = {}
        self._by_id: dict[tuple[str, Id], Subscription] = {}
        self._by_publication: dict[bytes, Subscription] = {}

    def __len__(self) -> int:
        return len(self._by_id)

    def find(self, event_id: bytes) -> Subscription | None:
        return self._by_event.get(event_id)

    def by_name(self, name: Any) -> Subscription:
        """The subscription that a notification without e names in `_meta`; a Violation where none of it is open."""
        found = next((one for one in self._by_event.values() if self._is_called(one, name)), None)
        if found is None:
            raise Violation(ErrorClass.UNCORRELATED, "event.content", "it names no subscription that is open")
        return found

    def _is_called(self, subscription: Subscription, name: Any) -> bool:
        """Whether a subscription is called so on the wire (SUBN-ID-03, SUBN-ID-04)."""
        if not self._host.settings.revision.ids_travel:
            return same_id(name, subscription.event_id.hex())
        return is_named(name, subscription.request.id, subscription.version)

    # What the local client asks

    def open(self, request: Request) -> list[Action]:
        """A listen request of the local client."""
        if len(self._by_id) >= self._host.settings.limits.subscriptions:
            return [Deliver(Error(request.id, ErrorCode.INTERNAL_ERROR, "too many subscriptions"))]
        version = paths.read(request.params, ("_meta", PROTOCOL_VERSION))
        version = version if type(version) is str and listens(version) else self._host.settings.mcp_version
        subscription = Subscription(request, version, filter_in(request.params), request)
        self._by_id[id_key(request.id)] = subscription
        return self._send(subscription)

    def is_open(self, request_id: Id) -> bool:
        return id_key(request_id) in self._by_id

    def close(self, request_id: Id) -> list[Action] | None:
        """A cancel of the local client; None where it names no subscription."""
        subscription = self._by_id.get(id_key(request_id))
        return None if subscription is None else self._step(subscription, ListeningInput.CLOSE)

    # What comes from the server

    def told(self, subscription: Subscription, notification: Notification, created_at: int) -> list[Action]:
        """A notification that names this subscription by e."""
        name = name_in(notification)
        if name is not None and not self._is_called(subscription, name):
            raise Violation(ErrorClass.DISAGREEMENT, "event", "e and content name different subscriptions")
        if notification.method == ACKNOWLEDGED:
            return self._step(subscription, ListeningInput.ACKNOWLEDGEMENT, notification, created_at)
        if notification.method == "notifications/cancelled":
            return self._step(subscription, ListeningInput.CANCELLED)
        return self._step(subscription, ListeningInput.NOTIFICATION, notification, created_at)

    def answered(self, subscription: Subscription, answer: Result | Error, created_at: int) -> list[Action]:
        """The last result, whatever subscription id it has, since e decides (SUBN-TAG-07, SUBN-END-05); or an error."""
        if isinstance(answer, Error):
            return self._step(subscription, ListeningInput.ERROR, answer)
        anomalies: list[Action] = []
        if not self._is_called(subscription, name_in(answer)):
            detail = "the last result has no subscription id, or another"
            anomalies.append(Notice(None, Violation(ErrorClass.DISAGREEMENT, "event.content", detail)))
        return anomalies + self._step(subscription, ListeningInput.RESULT, None, created_at)

    def published(self, event_id: bytes, accepted: bool) -> list[Action]:
        subscription = self._by_publication.pop(event_id, None)
        if subscription is None:
            return []
        if event_id == subscription.cancel_id:
            return self._step(subscription, ListeningInput.CONFIRMED)
        return [] if accepted else self._step(subscription, ListeningInput.REFUSED)

    def connection(self, up: bool) -> list[Action]:
        """All relays are gone, or the first is back: nothing is replayed (SUBN-LOST-01)."""
        actions: list[Action] = []
        for subscription in list(self._by_id.values()):
            if up and subscription.state is Listening.LOST:
                subscription.attempts = 0
                self._pause(subscription)
            elif not up and subscription.state in (Listening.OPENING, Listening.ACTIVE):
                actions += self._step(subscription, ListeningInput.DISCONNECTED)
        return actions

    # The life of a subscription, by its table

    def _step(
        self, subscription: Subscription, given: ListeningInput, message: Notification | Error | None = None,
        created_at: int = 0,
    ) -> list[Action]:  # fmt: skip
        step = LISTENING.step(subscription.state, given)
        if step is None:
            detail = f"{given.value}, where the subscription is {subscription.state.value}"
            raise Violation(ErrorClass.UNEXPECTED, "subscription", detail)
        effect, subscription.state = step
        match effect:
            case ListeningEffect.HOLD:
                assert isinstance(message, Notification)
                return self._hold(subscription, message, created_at)
            case ListeningEffect.BEGIN:
                assert isinstance(message, Notification)
                return self._begin(subscription, message)
            case ListeningEffect.DELIVER:
                assert isinstance(message, Notification)
                return self._deliver(subscription, message, created_at)
            case ListeningEffect.IGNORE_ACKNOWLEDGEMENT:
                violation = Violation(ErrorClass.UNEXPECTED, "subscription", "a second acknowledgement")
                return [Notice(None, violation)]
            case ListeningEffect.WAIT:
                subscription.ended_at = created_at
                self._alarm(subscription, self._host.settings.timers.grace, ListeningInput.GRACE_OVER)
                return []
            case ListeningEffect.FINISH:
                result = last_result(subscription.local.id, subscription.local_name)
                return [*self._end(subscription), Deliver(result)]
            case ListeningEffect.FAIL:
                error = message if isinstance(message, Error) else _failure(subscription, given)
                return [*self._end(subscription), Deliver(replace(error, id=subscription.local.id))]
            case ListeningEffect.WITHDRAW:
                return self._withdraw(subscription)
            case ListeningEffect.WITHDRAW_AND_LOSE:
                return [*self._host.cancel(subscription)[0], *self._lose(subscription, given)]
            case ListeningEffect.LOSE:
                return self._lose(subscription, given)
            case ListeningEffect.SEND:
                return self._send_anew(subscription)
            case _:
                return self._end(subscription)

    def _alarm(self, subscription: Subscription, seconds: float, given: ListeningInput) -> None:
        at = self._host.now.monotonic + seconds
        self._host.alarms.set(subscription, at, partial(self._step, subscription, given))

    def _send(self, subscription: Subscription) -> list[Action]:
        actions, publication = self._host.ask(subscription)
        if publication is None:
            # Opened anew under an id of ours it may be too large, or not to be wrapped; the caller knows its own id.
            failures = [one.message for one in actions if isinstance(one, Deliver) and isinstance(one.message, Error)]
            return [*self._end(subscription), *(Deliver(replace(one, id=subscription.local.id)) for one in failures)]
        self._by_event[subscription.event_id] = subscription
        self._by_publication.pop(subscription.publication, None)
        subscription.publication = publication
        self._by_publication[publication] = subscription
        self._alarm(subscription, self._host.settings.timers.acknowledgement, ListeningInput.OVERDUE)
        return actions

    def _send_anew(self, subscription: Subscription) -> list[Action]:
        """A new event with a new id (SUBN-LOST-02); while no relay is connected, the next attempt waits for one."""
        if not self._host.is_connected:
            subscription.state = Listening.LOST
            return []
        if self._host.settings.revision.ids_travel:
            subscription.request = replace(subscription.local, id=self._host.random(8).hex())
        subscription.honoured = None
        return self._send(subscription)

    def _hold(self, subscription: Subscription, notification: Notification, created_at: int) -> list[Action]:
        if len(subscription.held) >= self._host.settings.limits.held:
            raise Violation(ErrorClass.NO_ROOM, "subscription", "too many notifications before the acknowledgement")
        subscription.held.append((created_at, notification))
        return []

    def _begin(self, subscription: Subscription, notification: Notification) -> list[Action]:
        acknowledged = filter_in(notification.params)
        subscription.honoured = honoured = common(subscription.requested, acknowledged)
        subscription.attempts = 0
        if subscription.state is Listening.ACTIVE:
            self._host.alarms.clear(subscription)
        actions: list[Action] = []
        if honoured != acknowledged:
            detail = "the acknowledgement has more than was requested"
            actions.append(Notice(None, Violation(ErrorClass.NOT_REQUESTED, "event.content", detail)))
        if not subscription.begun:
            subscription.begun = True
            actions.append(Deliver(acknowledgement(honoured, subscription.local_name)))
        else:
            actions += self._fetch_again(subscription, honoured)
        # Sorting keeps the order of arrival where dates are equal.
        held, subscription.held = sorted(subscription.held, key=lambda one: one[0]), []
        for _, one in held:
            if includes(honoured, one):
                actions.append(Deliver(named(one, subscription.local_name)))
        return actions

    def _fetch_again(self, subscription: Subscription, honoured: Filter) -> list[Action]:
        """What may have changed unseen, said once: the local client then fetches it (SUBN-LOST-04)."""
        missed = [Notification(FLAGS[flag]) for flag in honoured if flag in FLAGS]
        missed += [Notification(UPDATED, {"uri": uri}) for uri in honoured.get(RESOURCES, [])]
        return [Deliver(named(one, subscription.local_name)) for one in missed]

    def _deliver(self, subscription: Subscription, notification: Notification, created_at: int) -> list[Action]:
        if subscription.honoured is None:
            return self._hold(subscription, notification, created_at)
        if not includes(subscription.honoured, notification):
            raise Violation(ErrorClass.NOT_REQUESTED, "event.content", "this was not acknowledged")
        if subscription.state is Listening.ENDING and created_at > subscription.ended_at:
            raise Violation(ErrorClass.UNEXPECTED, "event.created_at", "it is dated after the last result")
        return [Deliver(named(notification, subscription.local_name))]

    def _withdraw(self, subscription: Subscription) -> list[Action]:
        actions, publication = self._host.cancel(subscription)
        if publication is not None:
            subscription.cancel_id = publication
            self._by_publication[publication] = subscription
        self._alarm(subscription, self._host.settings.timers.closing, ListeningInput.CONFIRMED)
        # The local client may use the id again, and nothing more is for it.
        self._by_event.pop(subscription.event_id, None)
        self._by_id.pop(id_key(subscription.local.id), None)
        return actions

    def _lose(self, subscription: Subscription, given: ListeningInput) -> list[Action]:
        """Open it anew later, or tell the local client that it has ended (SUBN-LOST-02, SUBN-LOST-03)."""
        self._by_event.pop(subscription.event_id, None)
        subscription.held.clear()
        lost = Violation(ErrorClass.LOST, "subscription", given.value)
        if not self._host.settings.reopen:
            actions = self._end(subscription)
            return [Notice(None, lost), *actions, Deliver(_failure(subscription, given))]
        self._pause(subscription)
        return [Notice(None, lost), *self._host.forget(subscription.event_id)]

    def _pause(self, subscription: Subscription) -> None:
        """Growing, random times, at most what doubling gives."""
        most = min(self._host.settings.timers.reopen * 2**subscription.attempts, MAX_PAUSE)
        subscription.attempts = min(subscription.attempts + 1, 16)
        share = int.from_bytes(self._host.random(2)) / 0xFFFF
        self._alarm(subscription, most * (0.5 + share / 2), ListeningInput.REOPEN)

    def _end(self, subscription: Subscription) -> list[Action]:
        self._by_event.pop(subscription.event_id, None)
        if self._by_id.get(id_key(subscription.local.id)) is subscription:
            del self._by_id[id_key(subscription.local.id)]
        for publication in (subscription.publication, subscription.cancel_id):
            self._by_publication.pop(publication, None)
        self._host.alarms.clear(subscription)
        return self._host.forget(subscription.event_id)


def _failure(subscription: Subscription, given: ListeningInput) -> Error:
    data = {"reason": ErrorClass.LOST.value}
    return Error(subscription.local.id, ErrorCode.INTERNAL_ERROR, f"the subscription is lost: {given.value}", data)
