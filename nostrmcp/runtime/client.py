"""A client: one MCP server that is somewhere on Nostr, as if it were here."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from .. import __version__
from ..mcp.jsonrpc import Error, ErrorCode, Id, Message, Notification, Request, Result
from ..nostr import LocalProtocolError, SecretKey
from ..session import Client
from ..session.actions import Deliver, Ended, Now, Pay, Servers
from ..session.settings import ClientSettings
from .driving import Defect, Driver, Observer, ignore
from .pool import Pool
from .stdio import Said

# How long the end waits for relays to take what was said last.
LAST_WORDS = 2.0


class Wallet(Protocol):
    """Pays invoices. One of the two is called, once."""

    def pay(self, pay: Pay, sent: Callable[[], object], failed: Callable[[], object]) -> None: ...

    async def close(self) -> None: ...


class Refused(Exception):
    """The server answered with an error, or the request could not be made."""

    def __init__(self, error: Error) -> None:
        super().__init__(error)
        self.error = error


class NostrClient:
    """The client, as an async context manager.

    `send` gives the server a message as it is, and `said` gets what comes back. For programs without an MCP client of
    their own, `initialize` and `request` wait for the answer; `said` then gets everything else.
    """

    def __init__(
        self,
        settings: ClientSettings,
        key: SecretKey,
        pool: Pool,
        said: Said = lambda message: None,
        *,
        wallet: Wallet | None = None,
        observe: Observer = ignore,
        found: Callable[[dict[str | None, dict[str, Any]]], None] = lambda servers: None,
        clock: Callable[[], float] = time.time,
        random: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._said = said
        self._wallet = wallet
        self._found = found
        self._loop = asyncio.get_running_loop()
        self._number = 0
        self._waiting: dict[Id, asyncio.Future[Result | Error]] = {}
        self._task: asyncio.Task[None] | None = None
        self._are_answered = asyncio.Event()
        self.client = Client(settings, key, random, Now(int(clock()), self._loop.time()))
        self._driver = Driver(
            self.client,
            pool,
            {
                Deliver: self._deliver,
                Pay: self._pay,
                Servers: lambda action: self._found(action.found),
                Ended: lambda action: None,
            },
            observe=observe,
            connection=self._connection,
            clock=clock,
        )

    async def __aenter__(self) -> NostrClient:
        await self._driver.pool.__aenter__()
        self._task = self._loop.create_task(self._driver.run())
        return self

    async def ready(self) -> None:
        """Until a relay listens for us."""
        await self._driver.ready.wait()

    async def __aexit__(self, *_: object) -> None:
        try:
            await self._driver.flush(LAST_WORDS)
        finally:
            if self._task is not None:
                self._task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await self._task
            self._driver.close()
            if self._wallet is not None:
                await self._wallet.close()
            await self._driver.pool.close()

    def send(self, message: Message) -> None:
        """Give the server a message. A request with an id that is still pending is answered with an error."""
        try:
            actions = self.client.message(message, self._driver.now())
        except LocalProtocolError as problem:
            if isinstance(message, Request):
                self._said(Error(message.id, ErrorCode.INVALID_REQUEST, problem.detail))
            return
        except Exception as problem:
            self._driver.report(Defect(problem))
            if isinstance(message, Request):
                self._deliver(Deliver(Error(message.id, ErrorCode.INTERNAL_ERROR, "a defect of nostrmcp")))
            return
        self._driver.do(actions)

    async def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask, and wait for the result; an error is Refused. The session's own time-outs end every wait."""
        self._number += 1
        number = f"nostrmcp-{self._number}"
        answer = self._waiting[number] = self._loop.create_future()
        try:
            self.send(Request(number, method, params))
            outcome: Result | Error = await answer
        except asyncio.CancelledError:
            self.send(Notification("notifications/cancelled", {"requestId": number}))
            raise
        finally:
            del self._waiting[number]
        if isinstance(outcome, Error):
            raise Refused(outcome)
        result: dict[str, Any] = outcome.result
        return result

    async def answered(self) -> None:
        """Until no request waits for its answer; the session's own time-outs end every wait. The answer to a
        subscription is its end: it is not waited for."""
        while not self.client.questions.are_answered:
            self._are_answered.clear()
            await self._are_answered.wait()

    async def initialize(self, mcp_version: str) -> dict[str, Any]:
        """The handshake, with no capabilities to offer; what the server says of itself."""
        client = {"name": "nostrmcp", "version": __version__}
        params = {"protocolVersion": mcp_version, "capabilities": {}, "clientInfo": client}
        result = await self.request("initialize", params)
        self.send(Notification("notifications/initialized"))
        return result

    def find_servers(self, params: dict[str, Any]) -> None:
        """Ask the provider's key which servers it has; `found` gets them after a while."""
        self._driver.tell(self.client.find_servers, params)

    # What the machine asks for

    def _deliver(self, action: Deliver) -> None:
        message = action.message
        self._are_answered.set()
        if isinstance(message, (Result, Error)) and message.id is not None:
            waiting = self._waiting.get(message.id)
            if waiting is not None:
                if not waiting.done():
                    waiting.set_result(message)
                return
        self._said(message)

    def _connection(self, up: bool) -> None:
        self._driver.tell(self.client.connection, up)

    def _pay(self, action: Pay) -> None:
        sent = partial(self._driver.tell, self.client.payment_sent, action.request)
        failed = partial(self._driver.tell, self.client.payment_failed, action.request)
        if self._wallet is None:
            self._loop.call_soon(failed)
        else:
            self._wallet.pay(action, sent, failed)
