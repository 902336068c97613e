"""Programs that handle money: one that makes invoices for a gateway, one that pays them for a client.

Both speak JSON-RPC on standard input and output, one message a line. spec/runtime.md has the contract.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..mcp.jsonrpc import Message, Notification, Request, Result
from ..session.actions import Charge, Pay
from ..session.settings import PaymentPolicy
from .stdio import StdioLimits, StdioProcess

LIMITS = StdioLimits(line=1 << 16, unread=1 << 20)
# Seconds after its end in which a program is not started again: strangers decide how often it is needed.
PAUSE = 1.0
# Payments that may be awaited at a time; what is over that is not sold.
MAX_OPEN = 10_000


class _Program:
    """A program that is started when it is first needed, and again when it is needed after it ended."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: StdioProcess | None = None
        self._loop = asyncio.get_running_loop()
        self._not_before = 0.0
        self._number = 0
        self._answers: dict[int, Callable[[dict[str, Any] | None], object]] = {}

    def ask(self, method: str, params: dict[str, Any], answered: Callable[[dict[str, Any] | None], object]) -> int:
        """Ask it; `answered` gets the result, or None for an error and for a program that ended."""
        self._number += 1
        self._answers[self._number] = answered
        if self._process is None and self._loop.time() < self._not_before:
            self._loop.call_soon(self._answered, self._number, None)
            return self._number
        self.start().send(Request(self._number, method, params))
        return self._number

    def start(self) -> StdioProcess:
        """The program, which runs from now on."""
        if self._process is None:
            self._process = StdioProcess(self._command, self._said, self._gone, limits=LIMITS)
            self.started()
        return self._process

    def forget(self, number: int) -> None:
        """Wait no longer for the answer to a question."""
        self._answers.pop(number, None)

    async def close(self) -> None:
        if self._process is not None:
            await self._process.close()

    def notified(self, notification: Notification) -> None:
        """What it says unasked."""

    def started(self) -> None:
        """It was started, perhaps not for the first time."""

    def ended(self) -> None:
        """It has ended by itself, and every question was answered with None."""

    def _said(self, message: Message) -> None:
        if isinstance(message, Notification):
            self.notified(message)
        elif not isinstance(message, Request) and type(message.id) is int:
            self._answered(message.id, message.result if isinstance(message, Result) else None)

    def _answered(self, number: int, result: dict[str, Any] | None) -> None:
        answered = self._answers.pop(number, None)
        if answered is not None:
            answered(result)

    def _gone(self, why: str) -> None:
        self._process = None
        self._not_before = self._loop.time() + PAUSE
        answers, self._answers = self._answers, {}
        for answered in answers.values():
            answered(None)
        self.ended()


@dataclass(slots=True)
class _Sale:
    """What a request was charged for, and what becomes of it; once there is one, its invoice."""

    params: dict[str, Any]
    paid: Callable[[], None]
    unpaid: Callable[[], None]
    invoice: str | None = None
    until: float = 0.0


class ProcessorCommand(_Program):
    """A payment processor. It is asked `invoice`, and says `paid` or `unpaid` about each one later.

    An invoice is to expire after `seconds`, as the demand for its payment does: the `payment` of a server's timers. If
    the program ends, clients may pay the invoices that it gave out all the same: it is started again, and asked to
    `resume` each.
    """

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        super().__init__(command)
        self._seconds = seconds
        self._open: dict[str, _Sale] = {}
        self._restart: asyncio.TimerHandle | None = None

    async def close(self) -> None:
        if self._restart is not None:
            self._restart.cancel()
        await super().close()

    def charge(
        self, charge: Charge, invoiced: Callable[[str], None], paid: Callable[[], None], unpaid: Callable[[], None]
    ) -> None:
        request, price = charge.request.hex(), charge.price
        if len(self._open) >= MAX_OPEN:
            self._loop.call_soon(unpaid)
            return
        params = {
            "request": request,
            "client": charge.client.hex(),
            "type": price.type,
            "capability": price.capability,
            "amount": price.amount,
            "unit": price.unit,
        }
        sale = self._open[request] = _Sale(params, paid, unpaid)

        def answered(result: dict[str, Any] | None) -> None:
            invoice = None if result is None else result.get("invoice")
            if type(invoice) is str:
                sale.invoice, sale.until = invoice, self._loop.time() + self._seconds
                invoiced(invoice)
            else:
                self._end(request, paid=False)

        number = self.ask("invoice", params | {"seconds": int(self._seconds)}, answered)
        # The time for making the invoice, and then the time for paying it: nobody waits after that.
        self._loop.call_later(2 * self._seconds, self._expire, request, number)

    def _expire(self, request: str, number: int) -> None:
        self._open.pop(request, None)
        self.forget(number)

    def notified(self, notification: Notification) -> None:
        request = (notification.params or {}).get("request")
        if notification.method not in ("paid", "unpaid") or type(request) is not str or request not in self._open:
            return
        self._end(request, paid=notification.method == "paid")

    def _end(self, request: str, *, paid: bool) -> None:
        sale = self._open.pop(request, None)
        if sale is not None:
            (sale.paid if paid else sale.unpaid)()

    def ended(self) -> None:
        """What has an invoice may still be paid. The program is started again for it, as late as for a question."""
        if self._given_out() and self._restart is None:
            self._restart = self._loop.call_later(PAUSE, self._start_again)

    def _start_again(self) -> None:
        self._restart = None
        if self._given_out():
            self.start()

    def started(self) -> None:
        self._resume(self._given_out())

    def _given_out(self) -> list[str]:
        """The requests with an invoice that can still be paid."""
        now = self._loop.time()
        return [request for request, sale in self._open.items() if sale.invoice is not None and now < sale.until]

    def _resume(self, requests: list[str]) -> None:
        """Ask about invoices that were given out before, one after the other: there may be more than a program reads
        at once."""
        while requests:
            sale = self._open.get(request := requests.pop())
            if sale is not None:
                seconds = max(int(sale.until - self._loop.time()), 0)
                params = sale.params | {"seconds": seconds, "invoice": sale.invoice}
                self.ask("resume", params, partial(self._resumed, request, requests))
                return

    def _resumed(self, request: str, others: list[str], result: dict[str, Any] | None) -> None:
        """An error means that it will never know of a payment; that it has ended again means nothing."""
        if self._process is None:
            return
        if result is None:
            self._end(request, paid=False)
        self._resume(others)


class WalletCommand(_Program):
    """A wallet. It is asked `pay`; a result means that it has paid, an error that it has not and will not."""

    def pay(self, pay: Pay, sent: Callable[[], object], failed: Callable[[], object]) -> None:
        params = {"request": pay.request.hex(), "invoice": pay.invoice, "amount": pay.amount}
        self.ask("pay", params, lambda result: failed() if result is None else sent())


@dataclass(slots=True)
class Purse:
    """What may still be spent, in sats."""

    sats: int


@dataclass(frozen=True, slots=True)
class SpendingLimit(PaymentPolicy):
    """Pay as long as there is enough in the purse. What was agreed to counts, whether or not the payment succeeds."""

    purse: Purse = field(default_factory=lambda: Purse(0))

    def agrees(self, amount: int, method: str) -> bool:
        if amount > self.purse.sats:
            return False
        self.purse.sats -= amount
        return True
