"""The gateway and its clients in one process, over the loopback relay, with the example server behind it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from nostrmcp.mcp.jsonrpc import Message, Notification
from nostrmcp.nostr import SecretKey
from nostrmcp.revisions import REVISIONS, Revision
from nostrmcp.revisions.model import MessageClass, PriceForm
from nostrmcp.runtime import discover
from nostrmcp.runtime.client import NostrClient, Refused
from nostrmcp.runtime.example import ExampleServer
from nostrmcp.runtime.gateway import Gateway
from nostrmcp.runtime.loopback import LoopbackRelay
from nostrmcp.runtime.loopback_faults import parse
from nostrmcp.runtime.pool import Pool
from nostrmcp.runtime.reports import Reason
from nostrmcp.runtime.stdio import Gone, Peer, Said
from nostrmcp.session.actions import Charge, Drop, Link, Pay
from nostrmcp.session.settings import (
    ClientSettings,
    Encryption,
    McpServer,
    PaymentPolicy,
    Remote,
    ServerSettings,
    ServerTimers,
)
from nostrmcp.translate.route import Price

from .helpers import ALICE, BOB, run

VERSION = "2025-11-25"
CAROL = SecretKey(bytes([3]) * 32)
FORMS = [(revision, Encryption.DISABLED) for revision in REVISIONS.values()]
FORMS += [(revision, Encryption.REQUIRED) for revision in REVISIONS.values() if revision.kinds.wraps]
in_every_form = pytest.mark.parametrize(
    ("revision", "encryption"), FORMS, ids=[f"{revision.name}-{encryption}" for revision, encryption in FORMS]
)
in_every_revision = pytest.mark.parametrize("revision", REVISIONS.values(), ids=REVISIONS)


@dataclass
class Backend:
    """Example servers in this process: which were started, and which have ended."""

    opened: list[Link] = field(default_factory=list)
    closed: list[Link] = field(default_factory=list)
    said: dict[Link, Said] = field(default_factory=dict)
    gone: dict[Link, Gone] = field(default_factory=dict)
    heard: list[Message] = field(default_factory=list)

    def connect(self, link: Link, said: Said, gone: Gone) -> Peer:
        self.opened.append(link)
        self.said[link], self.gone[link] = said, gone
        return _Example(self, link, said)


class _Example(ExampleServer):
    def __init__(self, backend: Backend, link: Link, said: Said) -> None:
        super().__init__(said)
        self._backend, self._link = backend, link

    def send(self, message: Message) -> None:
        self._backend.heard.append(message)
        super().send(message)

    async def close(self) -> None:
        self._backend.closed.append(self._link)
        await super().close()


@dataclass
class World:
    """A relay, a gateway, and clients of it."""

    relay: LoopbackRelay
    gateway: Gateway
    backend: Backend

    @asynccontextmanager
    async def client(
        self,
        revision: Revision,
        *,
        key: SecretKey = BOB,
        server_id: str | None = "mcp",
        encryption: Encryption = Encryption.DISABLED,
        payments: PaymentPolicy | None = None,
        **options: Any,
    ) -> AsyncIterator[NostrClient]:
        settings = ClientSettings(
            revision,
            Remote(ALICE.public_key.x, server_id),
            VERSION,
            encryption=encryption,
            payments=payments or PaymentPolicy(),
        )
        async with NostrClient(settings, key, Pool([self.relay.url]), **options) as client:
            yield client

    async def search(self) -> list[discover.Found]:
        search = await discover.search([self.relay.url])
        assert search.silent == {}
        return list(search.servers)


@asynccontextmanager
async def world(settings: ServerSettings, **options: Any) -> AsyncIterator[World]:
    backend = Backend()
    async with (
        LoopbackRelay() as relay,
        Gateway(settings, ALICE, Pool([relay.url]), backend.connect, **options) as gateway,
    ):
        await gateway.ready()
        yield World(relay, gateway, backend)


def provider(*revisions: Revision, servers: tuple[McpServer, ...] = (McpServer("mcp"),), **more: Any) -> ServerSettings:
    more.setdefault("encryption", Encryption.DISABLED)
    return ServerSettings(revisions, servers, VERSION, **more)


async def add(client: NostrClient, a: int = 2, b: int = 40) -> str:
    result = await client.request("tools/call", {"name": "add", "arguments": {"a": a, "b": b}})
    text: str = result["content"][0]["text"]
    return text


@in_every_form
@run
async def test_a_call(revision: Revision, encryption: Encryption) -> None:
    settings = provider(revision, encryption=encryption)
    async with world(settings) as it, it.client(revision, encryption=encryption) as client:
        about = await client.initialize(VERSION)
        assert about["serverInfo"]["name"] == "example" and about["protocolVersion"] == VERSION
        listed = await client.request("tools/list")
        assert [tool["name"] for tool in listed["tools"]] == ["add", "echo", "count", "fail"]
        assert await add(client) == "42"
        with pytest.raises(Refused) as refused:
            await client.request("tools/call", {"name": "nothing"})
        assert (refused.value.error.code, refused.value.error.message) == (-32602, "there is no such tool")


@run
async def test_every_revision_at_once() -> None:
    async with world(provider(*REVISIONS.values(), encryption=Encryption.OPTIONAL)) as it:
        for number, (revision, encryption) in enumerate(FORMS):
            key = SecretKey(bytes([10 + number]) * 32)
            async with it.client(revision, key=key, encryption=encryption) as client:
                await client.initialize(VERSION)
                assert await add(client, number, 1) == str(number + 1)
        assert it.backend.opened == [Link("mcp")]


@run
async def test_one_server_for_each_client() -> None:
    revision = REVISIONS["contextvm"]
    settings = provider(revision, servers=(McpServer("mcp", shared=False),), timers=ServerTimers(session=60))
    async with world(settings) as it, it.client(revision) as one, it.client(revision, key=CAROL) as other:
        assert it.backend.opened == []
        await one.initialize(VERSION)
        await other.initialize(VERSION)
        assert (await add(one, 1, 1), await add(other, 2, 2)) == ("2", "4")
        assert {link.client for link in it.backend.opened} == {BOB.public_key.x, CAROL.public_key.x}
        # An idle session ends, and with it the server that was its own.
        driver = it.gateway._driver
        driver.do(it.gateway.server.tick(driver.now()._replace(monotonic=driver.now().monotonic + 61)))
        await asyncio.gather(*it.gateway._closing)
        assert sorted(it.backend.closed) == sorted(it.backend.opened)
        assert await add(one, 3, 3) == "6"
        assert len(it.backend.opened) == 3
    assert sorted(it.backend.closed) == sorted(it.backend.opened)


@run
async def test_several_servers_behind_one_key() -> None:
    revision = REVISIONS["dvmcp-rev1"]
    async with world(provider(revision, servers=(McpServer("one"), McpServer("two")))) as it:
        async with it.client(revision, server_id="two") as client:
            await client.initialize(VERSION)
            assert await add(client) == "42"
            called = [link for link in it.backend.opened if link.server == "two"]
            assert called == [Link("two")]
        found: asyncio.Future[dict[str | None, Any]] = asyncio.get_running_loop().create_future()
        async with it.client(revision, server_id=None, key=CAROL, found=found.set_result) as client:
            client.find_servers(
                {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
            )
            while len(next(iter(client.client._searches.values()))) < 2:
                await asyncio.sleep(0)
            driver = client._driver
            driver.do(client.client.tick(driver.now()._replace(monotonic=driver.now().monotonic + 3)))
            answered = await found
            assert set(answered) == {"one", "two"}
            assert answered["one"]["serverInfo"] == {"name": "example", "version": "1"}


@in_every_revision
@run
async def test_announcements_are_found_and_withdrawn(revision: Revision) -> None:
    server = McpServer("mcp", announced=True, name="Sums", about="It adds", picture="https://p", website="https://w")
    price = Price("tool", "add", "21", "sats")
    encrypts = Encryption.OPTIONAL if revision.kinds.wraps else Encryption.DISABLED
    async with world(provider(revision, servers=(server,), prices=(price,), encryption=encrypts)) as it:
        [found] = await it.search()
        about = found.about
        assert revision.name in found.revisions and about.pubkey == ALICE.public_key.x
        assert about.server_id == ("mcp" if revision.server_ids else None)
        assert about.content["serverInfo"]["name"] == "example"
        assert (about.name, about.about) == ("Sums", "It adds")
        assert (about.picture, about.website) == ("https://p", "https://w")
        assert about.encryption is bool(revision.kinds.wraps)
        assert set(found.lists) == set(revision.kinds.announcements) - {MessageClass.SERVER}
        tools = found.lists[MessageClass.TOOLS]
        assert [tool["name"] for tool in tools.content["tools"]] == ["add", "echo", "count", "fail"]
        prices = [] if revision.prices is PriceForm.NONE else [("add", "21", "sats")]
        assert [(one.capability, one.amount, one.unit) for one in tools.prices] == prices
        target = discover.parse_target(found.address((it.relay.url,)))
        assert (target.pubkey, target.server_id, target.relays) == (about.pubkey, about.server_id, (it.relay.url,))
        assert discover.choose([found], target) is found
        assert await it.gateway.stop(withdraw=True) == []
        assert await it.search() == []


@run
async def test_of_several_servers_the_first_has_the_address_that_there_is_one_of() -> None:
    """In a revision without server ids requests are for the first: no other is announced in its place."""
    one, two = McpServer("one", announced=True, name="One"), McpServer("two", announced=True, name="Two")
    settings = provider(REVISIONS["contextvm"], REVISIONS["ctxvm-draft"], servers=(one, two))
    async with world(settings) as it:
        found = [(one.revisions, one.about.server_id, one.about.name) for one in await it.search()]
        assert sorted(found, key=str) == [
            (("contextvm",), None, "One"),
            (("ctxvm-draft",), "one", "One"),
            (("ctxvm-draft",), "two", "Two"),
        ]
        target = discover.parse_target(ALICE.public_key.hex())
        with pytest.raises(discover.SeveralServers, match="name one of them: 'one', 'two'"):
            discover.choose(await it.search(), target, REVISIONS["ctxvm-draft"])


@run
async def test_a_list_that_changed_is_announced_anew_and_withdrawn_all_the_same() -> None:
    """What is announced twice in one second is dated in the future: the request to delete it must not be older."""
    revision = REVISIONS["contextvm"]
    async with world(provider(revision, servers=(McpServer("mcp", announced=True),))) as it:
        [before] = await it.search()
        for _ in range(3):
            it.backend.said[Link("mcp")](Notification("notifications/tools/list_changed"))
        await it.gateway._driver.flush(30)
        [after] = await it.search()
        kind = revision.kinds.announcements[MessageClass.TOOLS]
        [latest] = [event for event in (await discover.announcements([it.relay.url]))[0] if event.kind == kind]
        assert latest.created_at >= before.event.created_at + 3
        assert after.lists[MessageClass.TOOLS].content == before.lists[MessageClass.TOOLS].content
        assert await it.gateway.stop(withdraw=True) == []
        assert (await discover.announcements([it.relay.url]))[0] == []


@run
async def test_a_relay_that_does_not_delete_is_named() -> None:
    revision = REVISIONS["contextvm"]
    async with world(provider(revision, servers=(McpServer("mcp", announced=True),))) as it:
        it.relay.faults.add(parse("reject=blocked:kind=5"))
        [error] = await it.gateway.stop(withdraw=True)
        assert (error.relay, error.reason, error.text) == (it.relay.url, Reason.REFUSED, "blocked: as asked for")
        assert len(await it.search()) == 1


@pytest.mark.parametrize("announced", [False, True])
@run
async def test_an_allow_list(announced: bool) -> None:
    """Who is not on it hears nothing, or that it is not on it where the server is no secret."""
    revision = REVISIONS["contextvm"]
    dropped: list[Any] = []
    settings = provider(revision, servers=(McpServer("mcp", announced=announced),), allow=frozenset({BOB.public_key.x}))
    async with (
        world(settings, observe=lambda one: dropped.append(one) if isinstance(one, Drop) else None) as it,
        it.client(revision, key=CAROL) as stranger,
    ):
        asking = asyncio.ensure_future(stranger.initialize(VERSION))
        async with it.client(revision) as friend:
            await friend.initialize(VERSION)
            assert await add(friend) == "42"
        if announced:
            with pytest.raises(Refused) as refused:
                await asking
            assert (refused.value.error.code, refused.value.error.message) == (-32000, "Unauthorized")
        else:
            while not dropped:
                await asyncio.sleep(0)
            assert not asking.done()
            asking.cancel()
        assert dropped[0].violation.error_class == "not_allowed"


@run
async def test_a_server_that_has_failed_for_days_is_still_started_again() -> None:
    revision = REVISIONS["contextvm"]
    async with world(provider(revision)) as it:
        [link] = it.backend.opened
        it.gateway._lines[link].failures = 5000
        it.backend.gone[link]("it broke")
        waiting = it.gateway._lines[link].start
        assert waiting is not None
        assert 50 < waiting.when() - asyncio.get_running_loop().time() <= 60


# Money


class Till:
    """A processor in this process: it makes an invoice for every price, and is told when to believe in a payment."""

    def __init__(self) -> None:
        self.charges: list[Charge] = []
        self.paid: dict[str, Callable[[], None]] = {}
        self.unpaid: dict[str, Callable[[], None]] = {}
        self.is_closed = False

    def charge(
        self, charge: Charge, invoiced: Callable[[str], None], paid: Callable[[], None], unpaid: Callable[[], None]
    ) -> None:
        self.charges.append(charge)
        invoice = f"lnbc{int(charge.price.amount) * 10}n1{'q' * len(self.charges)}"
        self.paid[invoice], self.unpaid[invoice] = paid, unpaid
        invoiced(invoice)

    async def close(self) -> None:
        self.is_closed = True


class FakeWallet:
    """A wallet that pays into a till, or fails."""

    def __init__(self, till: Till, *, works: bool = True) -> None:
        self.till = till
        self.works = works
        self.paid: list[Pay] = []

    def pay(self, pay: Pay, sent: Callable[[], object], failed: Callable[[], object]) -> None:
        self.paid.append(pay)
        if self.works:
            sent()
            self.till.paid[pay.invoice]()
        else:
            failed()

    async def close(self) -> None: ...


PRICES = (Price("tool", "add", "21", "sats"),)


@in_every_form
@run
async def test_a_priced_tool_is_paid_for_once_and_executed_once(revision: Revision, encryption: Encryption) -> None:
    till = Till()
    wallet = FakeWallet(till)
    async with world(provider(revision, prices=PRICES, encryption=encryption), processor=till) as it:
        payments = PaymentPolicy(pay=True)
        async with it.client(revision, encryption=encryption, payments=payments, wallet=wallet) as client:
            await client.initialize(VERSION)
            assert (await client.request("tools/call", {"name": "echo", "arguments": {"text": "free"}}))["content"]
            assert till.charges == []
            assert await add(client) == "42"
        [charge], [pay] = till.charges, wallet.paid
        assert (charge.client, charge.price, pay.amount) == (BOB.public_key.x, PRICES[0], 21)
        assert charge.request == pay.request
        till.paid[pay.invoice]()  # a second word about the same payment
        calls = [one for one in it.backend.heard if getattr(one, "params", None) and one.params.get("name") == "add"]  # type: ignore[union-attr]
        assert len(calls) == 1
    assert till.is_closed


@in_every_revision
@run
async def test_nothing_is_paid_unless_allowed_and_nothing_executed_unpaid(revision: Revision) -> None:
    till = Till()
    wallet = FakeWallet(till)
    async with world(provider(revision, prices=PRICES), processor=till) as it:
        async with it.client(revision, wallet=wallet) as client:
            await client.initialize(VERSION)
            with pytest.raises(Refused) as refused:
                await add(client)
            assert refused.value.error.data == {"reason": "payment_refused"}
        assert wallet.paid == []
        assert not [one for one in it.backend.heard if getattr(one, "method", "") == "tools/call"]


@run
async def test_a_payment_that_fails_on_either_side() -> None:
    revision = REVISIONS["contextvm"]
    till = Till()
    async with world(provider(revision, prices=PRICES), processor=till) as it:
        payments = PaymentPolicy(pay=True)
        async with it.client(revision, payments=payments, wallet=FakeWallet(till, works=False)) as client:
            await client.initialize(VERSION)
            with pytest.raises(Refused, match="the payment failed"):
                await add(client)
        async with it.client(revision, payments=payments, key=CAROL) as client:  # it has no wallet at all
            await client.initialize(VERSION)
            with pytest.raises(Refused, match="the payment failed"):
                await add(client)
    async with world(provider(revision, prices=PRICES)) as it:  # it has no processor
        async with it.client(revision, payments=payments) as client:
            await client.initialize(VERSION)
            with pytest.raises(Refused, match="its payment failed, or its demand expired"):
                await add(client)
        assert not [one for one in it.backend.heard if getattr(one, "method", "") == "tools/call"]


@in_every_form
@run
async def test_a_result_that_a_relay_finds_too_large(revision: Revision, encryption: Encryption) -> None:
    """The relay takes less than the gateway's own limit: whoever waits is told, at once and not by a time-out."""
    size = 2000 if encryption is Encryption.REQUIRED else 1000
    async with world(provider(revision, encryption=encryption)) as it:
        it.relay.faults.add(parse(f"size={size}:after=2"))  # initialize and its result
        async with it.client(revision, encryption=encryption) as client:
            await client.initialize(VERSION)
            with pytest.raises(Refused, match="relays refused the result") as refused:
                await client.request("tools/list")
            assert refused.value.error.code == -32603
            assert type(refused.value.error.data) is dict and refused.value.error.data["size"] > size
            assert await add(client) == "42"
