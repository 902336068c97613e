"""What leaves a session: no event twice, none that is too large, and wraps whose time says what it may."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nostrmcp.mcp.jsonrpc import Error, Message, Notification, Request, Result
from nostrmcp.nostr import Event, SecretKey, UnsignedEvent, nip59
from nostrmcp.revisions import REVISIONS
from nostrmcp.revisions.model import Revision
from nostrmcp.session.actions import Now
from nostrmcp.session.errors import ErrorClass
from nostrmcp.session.sending import MAX_WRAPPED, SALT, TWO_DAYS, Sender, TooLarge
from nostrmcp.translate.route import RequestReference, Role, Route

CLIENT, SERVER = SecretKey(b"\1" * 32), SecretKey(b"\2" * 32)
CONTEXTVM, DRAFT = REVISIONS["contextvm"], REVISIONS["ctxvm-draft"]
TO_SERVER = Route(CLIENT.public_key.x, SERVER.public_key.x, Role.CLIENT)
ABOUT = RequestReference(b"\5" * 32, "tools/call", 7)
TO_CLIENT = Route(SERVER.public_key.x, CLIENT.public_key.x, Role.SERVER, request=ABOUT)
UNIX = 1_750_000_000
NOW = Now(UNIX, 0.0)
CALL = Request(7, "tools/call", {"name": "get_weather", "arguments": {}})
CHANGED = Notification("notifications/roots/list_changed")


class Draws:
    """Random bytes that are not: the n-th draw is n, over and over. What was asked for is kept."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def __call__(self, count: int) -> bytes:
        self.sizes.append(count)
        return self.of(len(self.sizes), count)

    @staticmethod
    def of(number: int, count: int) -> bytes:
        return bytes([number]) * count


class Side:
    """A sender and what it draws."""

    def __init__(self, key: SecretKey = CLIENT, limit: int = 65_536) -> None:
        self.draws = Draws()
        self.sender = Sender(key, self.draws, limit)

    def send(
        self,
        message: Message,
        now: Now = NOW,
        wrap: int | None = None,
        revision: Revision = CONTEXTVM,
        route: Route | None = None,
    ) -> Event:
        """The event to be published; a plain one is known by its own id."""
        way = route or (TO_SERVER if self.sender.own == CLIENT.public_key.x else TO_CLIENT)
        publish, known = self.sender.send(message, way, revision, now, wrap)
        publish.event.verify()
        if wrap is None:
            assert known == publish.event.id
        else:
            assert known == nip59.unwrap(publish.event, SERVER if way is TO_SERVER else CLIENT).id
        return publish.event


def content(event: Event) -> Any:
    return json.loads(event.content)


def salt_in(event: Event) -> str | None:
    salt = (content(event).get("params") or {}).get("_meta", {}).get(SALT)
    assert salt is None or type(salt) is str
    return salt


class TestSalt:
    @pytest.mark.parametrize("message", [CALL, CHANGED], ids=["request", "notification"])
    def test_the_first_of_a_sender_has_one_and_the_next_has_none(self, message: Message) -> None:
        side = Side()
        assert salt_in(side.send(message)) == "01" * 8
        assert salt_in(side.send(message)) is None
        assert side.draws.sizes == [8, 32, 32]

    def test_it_joins_what_the_message_says(self) -> None:
        side = Side()
        message = Request(7, "tools/call", {"name": "x", "_meta": {"progressToken": 3}})
        assert content(side.send(message)) == {
            "jsonrpc": "2.0",
            "id": 7,
            "method": "tools/call",
            "params": {"name": "x", "_meta": {"progressToken": 3, SALT: "01" * 8}},
        }
        assert message.params == {"name": "x", "_meta": {"progressToken": 3}}

    def test_a_message_without_params_gets_them(self) -> None:
        assert content(Side().send(CHANGED))["params"] == {"_meta": {SALT: "01" * 8}}

    def test_a_meta_that_is_no_object_gives_way(self) -> None:
        event = Side().send(Request(7, "tools/call", {"name": "x", "_meta": [1]}))
        assert content(event)["params"] == {"name": "x", "_meta": {SALT: "01" * 8}}

    def test_the_same_event_in_the_same_second(self) -> None:
        side = Side()
        events = [side.send(CALL) for _ in range(4)]
        # The first is salted as the first, the second is new, those after it would repeat the second.
        assert [salt_in(event) for event in events] == ["01" * 8, None, "05" * 8, "08" * 8]
        assert side.draws.sizes == [8, 32, 32, 32, 8, 32, 32, 8, 32]
        assert len({event.id for event in events}) == 4

    def test_a_salt_that_was_used_is_drawn_again(self) -> None:
        salts = iter([b"\1" * 8, b"\1" * 8, b"\2" * 8])
        sender = Sender(CLIENT, lambda count: next(salts) if count == 8 else bytes(count), 65_536)
        events = [sender.send(CALL, TO_SERVER, CONTEXTVM, NOW, None)[0].event for _ in range(3)]
        assert [salt_in(event) for event in events] == ["01" * 8, None, "02" * 8]
        assert next(salts, None) is None

    def test_the_next_second_forgets_what_the_last_one_sent(self) -> None:
        side = Side()
        side.send(CALL)
        first = side.send(CALL)
        later = side.send(CALL, Now(UNIX + 1, 1.0))
        assert salt_in(later) is None
        assert (first.created_at, later.created_at) == (UNIX, UNIX + 1)
        assert salt_in(side.send(CALL, Now(UNIX + 1, 1.5))) is not None

    def test_a_clock_that_goes_back(self) -> None:
        side = Side()
        side.send(CALL)
        back = Now(UNIX - 1, 1.0)
        events = [side.send(CALL, back), side.send(CALL, back)]
        assert [salt_in(event) for event in events] == ["03" * 8, "05" * 8]
        assert {event.created_at for event in events} == {UNIX - 1}
        # Back in the second of before, what it sent is still known.
        plain = side.send(CALL)
        assert salt_in(plain) is None
        assert salt_in(side.send(CALL)) is not None

    @pytest.mark.parametrize(
        "message",
        [
            Result(7, {"content": []}),
            Error(7, -32603, "no"),
            Notification("notifications/payment_accepted", {"amount": 5, "pmi": "bitcoin-lightning-bolt11"}),
            Notification(
                "notifications/payment_required",
                {"amount": 5, "currency": "sats", "invoice": "lnbc50n1qqqq", "expiration": UNIX + 300},
            ),
        ],
        ids=["result", "error", "payment accepted", "payment required"],
    )
    def test_answers_and_news_of_payments_never_have_one(self, message: Message) -> None:
        side = Side(SERVER)
        first, again = side.send(message), side.send(message)
        back = side.send(message, Now(UNIX - 1, 1.0))
        assert [salt_in(event) for event in (first, again, back)] == [None, None, None]
        assert first.id == again.id != back.id
        assert side.draws.sizes == [32, 32, 32]

    def test_an_answer_is_not_the_first_of_a_sender(self) -> None:
        side = Side(SERVER)
        side.send(Result(7, {}))
        asked = side.send(Request(1, "roots/list"), route=Route(TO_CLIENT.sender, TO_CLIENT.recipient, Role.SERVER))
        assert salt_in(asked) == "02" * 8


class TestDraws:
    def test_a_salted_message_in_a_wrap(self) -> None:
        side = Side()
        wrapped = side.send(CALL, wrap=nip59.WRAP, revision=DRAFT)
        assert side.draws.sizes == [8, 32, 32, 32, 32, 8]
        inner = nip59.unwrap(wrapped, SERVER)
        assert salt_in(inner) == "01" * 8
        assert inner.sig == CLIENT.sign(inner.id, Draws.of(2, 32))
        assert wrapped == nip59.wrap(
            inner,
            SERVER.public_key,
            kind=nip59.WRAP,
            created_at=UNIX - int.from_bytes(Draws.of(6, 8)) % TWO_DAYS,
            ephemeral_key=SecretKey(Draws.of(3, 32)),
            nonce=Draws.of(4, 32),
            aux_rand=Draws.of(5, 32),
        )

    def test_a_repeated_message_in_a_wrap(self) -> None:
        side = Side()
        side.send(CALL)
        side.send(CALL)
        del side.draws.sizes[:]
        side.send(CALL, wrap=nip59.WRAP)
        assert side.draws.sizes == [32, 8, 32, 32, 32, 32]

    def test_an_answer_in_a_wrap(self) -> None:
        side = Side(SERVER)
        side.send(Result(7, {}), wrap=nip59.WRAP)
        assert side.draws.sizes == [32, 32, 32, 32]


class TestWrapTime:
    @pytest.mark.parametrize(
        ("drawn", "past"),
        [(0, 0), (1, 1), (TWO_DAYS - 1, TWO_DAYS - 1), (TWO_DAYS, 0), (2**64 - 1, (2**64 - 1) % TWO_DAYS)],
    )
    def test_within_two_days_into_the_past(self, drawn: int, past: int) -> None:
        assert TWO_DAYS == 172_800
        sender = Sender(SERVER, lambda count: drawn.to_bytes(8) if count == 8 else b"\1" * count, 65_536)
        publish, _ = sender.send(Result(7, {}), TO_CLIENT, DRAFT, NOW, nip59.WRAP)
        assert publish.event.created_at == UNIX - past
        assert nip59.unwrap(publish.event, CLIENT).created_at == UNIX

    @pytest.mark.parametrize(
        ("revision", "kind"),
        [(CONTEXTVM, nip59.WRAP), (CONTEXTVM, nip59.EPHEMERAL_WRAP), (DRAFT, nip59.EPHEMERAL_WRAP)],
        ids=["contextvm", "contextvm, ephemeral", "draft, ephemeral"],
    )
    def test_now(self, revision: Revision, kind: int) -> None:
        side = Side(SERVER)
        wrapped = side.send(Result(7, {}), wrap=kind, revision=revision)
        assert (wrapped.kind, wrapped.created_at) == (kind, UNIX)
        assert wrapped.tags == (("p", CLIENT.public_key.hex()),)
        assert wrapped.pubkey == SecretKey(Draws.of(2, 32)).public_key.x
        assert side.draws.sizes == [32, 32, 32, 32]


def result_of_length(length: int) -> Result:
    """A result whose plain event is so many bytes long."""
    empty = Side(SERVER).send(Result(7, {"text": ""}))
    return Result(7, {"text": "x" * (length - len(empty.dump()))})


class TestSize:
    def test_a_plain_event_of_just_the_limit(self) -> None:
        assert len(Side(SERVER, limit=1000).send(result_of_length(1000)).dump()) == 1000

    def test_a_plain_event_of_one_byte_more(self) -> None:
        with pytest.raises(TooLarge, match="1001 bytes, where 1000 is the limit") as caught:
            Side(SERVER, limit=1000).send(result_of_length(1001))
        assert (caught.value.size, caught.value.limit) == (1001, 1000)
        assert caught.value.error_class is ErrorClass.TOO_LARGE

    def test_a_wrap_of_just_the_limit_and_of_one_byte_more(self) -> None:
        message = result_of_length(1000)
        size = len(Side(SERVER).send(message, wrap=nip59.WRAP).dump())
        assert size > 1000
        assert len(Side(SERVER, limit=size).send(message, wrap=nip59.WRAP).dump()) == size
        with pytest.raises(TooLarge) as caught:
            Side(SERVER, limit=size - 1).send(message, wrap=nip59.WRAP)
        assert (caught.value.size, caught.value.limit) == (size, size - 1)

    def test_what_a_wrap_can_hold(self) -> None:
        assert MAX_WRAPPED == 65_535
        wrapped = Side(SERVER, limit=200_000).send(result_of_length(65_535), wrap=nip59.WRAP)
        assert len(nip59.unwrap(wrapped, CLIENT).dump()) == 65_535

    def test_one_byte_more_than_a_wrap_can_hold(self) -> None:
        side = Side(SERVER, limit=200_000)
        with pytest.raises(TooLarge) as caught:
            side.send(result_of_length(65_536), wrap=nip59.WRAP)
        assert (caught.value.size, caught.value.limit) == (65_536, 65_535)
        assert side.draws.sizes == [32], "nothing is drawn for a wrap that is not made"
        assert len(side.send(result_of_length(65_536)).dump()) == 65_536, "plain, it goes"


class TestAnnouncements:
    def test_they_are_signed(self) -> None:
        side = Side(SERVER)
        unsigned = UnsignedEvent(SERVER.public_key.x, UNIX, 11316, (("support_encryption",),), "{}")
        event = side.sender.sign(unsigned)
        event.verify()
        assert (event.id, event.kind, event.content) == (unsigned.id, 11316, "{}")
        assert event.sig == SERVER.sign(unsigned.id, Draws.of(1, 32))
        assert side.draws.sizes == [32]

    def test_one_that_is_too_large(self) -> None:
        unsigned = UnsignedEvent(SERVER.public_key.x, UNIX, 11316, (), "{}")
        size = len(Side(SERVER).sender.sign(unsigned).dump())
        assert len(Side(SERVER, limit=size).sender.sign(unsigned).dump()) == size
        with pytest.raises(TooLarge) as caught:
            Side(SERVER, limit=size - 1).sender.sign(unsigned)
        assert (caught.value.size, caught.value.limit) == (size, size - 1)
