"""Programs that handle money, as small scripts: what they are asked, and what becomes of what they say."""

from __future__ import annotations

import asyncio
import json
import sys
import textwrap
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from nostrmcp.runtime import example_processor, payments
from nostrmcp.runtime.payments import ProcessorCommand, Purse, SpendingLimit, WalletCommand
from nostrmcp.runtime.stdio import StdioLimits
from nostrmcp.session.actions import Charge, Pay
from nostrmcp.translate.route import Price

from .helpers import ALICE, run, skip

ONE, TWO = bytes([1]) * 32, bytes([2]) * 32
PRICE = Price("tool", "add", "100", "sats")
INVOICE = "lnbc1u1qqq"

HEAD = """
import json, sys
def say(**message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    params = asked["params"]
"""


class Happened:
    """What callbacks were called with, in order."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[tuple[str, ...]] = asyncio.Queue()

    def on(self, *name: str) -> Callable[..., None]:
        return lambda *values: self._queue.put_nowait((*name, *values))

    async def next(self) -> tuple[str, ...]:
        return await self._queue.get()

    @property
    def is_over(self) -> bool:
        return self._queue.empty()


def command(body: str) -> list[str]:
    return [sys.executable, "-c", HEAD + "".join(f"    {line}\n" for line in body.splitlines())]


@dataclass
class Till:
    """Charges for a request, and has told what became of it by the first byte of its id."""

    program: ProcessorCommand
    happened: Happened

    def __call__(self, request: bytes = ONE) -> None:
        name, on = request[:1].hex(), self.happened.on
        asked = Charge(request, ALICE.public_key.x, PRICE)
        self.program.charge(asked, on("invoiced", name), on("paid", name), on("unpaid", name))


@asynccontextmanager
async def processor(body: str, seconds: float = 300) -> AsyncIterator[tuple[Till, Happened]]:
    happened = Happened()
    program = ProcessorCommand(command(body), seconds)

    try:
        yield Till(program, happened), happened
    finally:
        await program.close()


@asynccontextmanager
async def wallet(body: str) -> AsyncIterator[tuple[Callable[..., None], Happened]]:
    happened = Happened()
    program = WalletCommand(command(body))

    def pay(request: bytes = ONE) -> None:
        name = request[:1].hex()
        program.pay(Pay(request, INVOICE, 100), happened.on("sent", name), happened.on("failed", name))

    try:
        yield pay, happened
    finally:
        await program.close()


@run
async def test_a_processor_is_asked_for_an_invoice_and_tells_of_the_payment() -> None:
    body = """
        say(id=asked["id"], result={"invoice": json.dumps([asked["method"], params], sort_keys=True)})
        say(method="paid", params={"request": params["request"]})
        say(method="paid", params={"request": params["request"]})
        say(method="unpaid", params={"request": params["request"]})
        """
    async with processor(_flat(body)) as (charge, happened):
        charge(ONE)
        word, which, asked = await happened.next()
        assert (word, which) == ("invoiced", "01")
        assert asked == (
            f'["invoice", {{"amount": "100", "capability": "add", "client": "{ALICE.public_key.hex()}", '
            f'"request": "{ONE.hex()}", "seconds": 300, "type": "tool", "unit": "sats"}}]'
        )
        assert await happened.next() == ("paid", "01")
        # Whatever was said about the first is said: the answer to the second comes after it.
        charge(TWO)
        assert (await happened.next())[:2] == ("invoiced", "02")
        assert await happened.next() == ("paid", "02")
        assert happened.is_over


@pytest.mark.parametrize(
    "answer",
    [
        'say(id=asked["id"], error={"code": 1, "message": "no"})',
        'say(id=asked["id"], result={})',
        'say(id=asked["id"], result={"invoice": 7})',
        "sys.exit(3)",
        'say(method="unpaid", params={"request": params["request"]})',
    ],
)
@run
async def test_without_an_invoice_nothing_is_sold(answer: str) -> None:
    async with processor(answer) as (charge, happened):
        charge()
        assert await happened.next() == ("unpaid", "01")
        assert happened.is_over


@run
async def test_a_program_that_cannot_be_started_sells_nothing() -> None:
    happened = Happened()
    program = ProcessorCommand(["./no-such-program"], 300)
    program.charge(
        Charge(ONE, ALICE.public_key.x, PRICE), happened.on("invoiced"), happened.on("paid"), happened.on("unpaid")
    )
    assert await happened.next() == ("unpaid",)
    await program.close()


@run
async def test_what_a_processor_says_of_others_or_garbled_is_nothing() -> None:
    body = """
        print("not JSON", flush=True)
        say(method="paid", params={"request": "ff" * 32})
        say(method="paid", params={"request": 1})
        say(method="paid")
        say(method="bought", params={"request": params["request"]})
        say(id="1", result={"invoice": "text id"})
        say(id=99, result={"invoice": "of nobody"})
        say(id=asked["id"], method="paid", params={"request": params["request"]})
        say(id=asked["id"], result={"invoice": "good"})
        """
    async with processor(_flat(body)) as (charge, happened):
        charge()
        assert await happened.next() == ("invoiced", "01", "good")
        assert happened.is_over


@pytest.mark.parametrize("fate", ["paid", "unpaid"])
@run
async def test_a_processor_that_ends_is_asked_again_about_what_it_gave_out(fate: str) -> None:
    """It may have been paid while nobody listened; an error says that it was not and will not be."""
    body = """
        word = "error" if asked["method"] == "resume" and "FATE" == "unpaid" else "result"
        if asked["method"] == "resume" and word == "result": say(method="FATE", params={"request": params["request"]})
        say(id=asked["id"], **{word: {"code": 1, "message": "no", "invoice": json.dumps(asked["method"])}})
        if asked["method"] == "invoice": sys.exit()
        """.replace("FATE", fate)
    async with processor(_flat(body)) as (charge, happened):
        charge(ONE)
        assert await happened.next() == ("invoiced", "01", '"invoice"')
        assert await happened.next() == (fate, "01")
        assert happened.is_over and not charge.program._open


@run
async def test_what_a_processor_is_asked_when_it_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that it was told before and the invoice, with the time that is left; what is paid is not asked about."""
    monkeypatch.setattr(payments, "PAUSE", 100)
    body = """
        if asked["method"] == "resume": open("LOG", "a").write(line)
        say(id=asked["id"], result={"invoice": "of " + params["request"][:2]})
        if asked["method"] == "resume": say(method="paid", params={"request": params["request"]})
        if params["request"].startswith("01"): say(method="paid", params={"request": params["request"]})
        if params["request"].startswith("03") and asked["method"] == "invoice": sys.exit()
        """.replace("LOG", str(log := tmp_path / "log"))
    async with processor(_flat(body)) as (charge, happened):
        told = [charge(bytes([number]) * 32) or await happened.next() for number in (1, 2)]
        assert told == [("invoiced", "01", "of 01"), ("paid", "01")]
        charge(bytes([3]) * 32)
        told = [await happened.next() for _ in range(2)]
        assert sorted(told) == [("invoiced", "02", "of 02"), ("invoiced", "03", "of 03")]
        while charge.program._restart is None:
            await asyncio.sleep(0)
        skip(100.5)
        assert {await happened.next(), await happened.next()} == {("paid", "02"), ("paid", "03")}
    asked = [json.loads(line) for line in log.read_text().splitlines()]
    assert {one["params"]["request"][:2] for one in asked} == {"02", "03"} and len(asked) == 2
    assert asked[0]["params"] == {
        "amount": "100", "capability": "add", "client": ALICE.public_key.hex(), "invoice": "of 03",
        "request": "03" * 32, "seconds": asked[0]["params"]["seconds"], "type": "tool", "unit": "sats",
    }  # fmt: skip
    assert 150 < asked[0]["params"]["seconds"] < 200


@run
async def test_a_processor_that_ends_again_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payments, "PAUSE", 0)
    body = """
        if asked["method"] == "resume":
            tries = open("LOG", "a+"); tries.write("x"); tries.seek(0)
            if len(tries.read()) < 3: sys.exit(1)
            say(method="unpaid", params={"request": params["request"]})
        say(id=asked["id"], result={"invoice": "one"})
        sys.exit()
        """.replace("LOG", str(log := tmp_path / "log"))
    async with processor(textwrap.dedent(body).strip()) as (charge, happened):
        charge(ONE)
        assert await happened.next() == ("invoiced", "01", "one")
        assert await happened.next() == ("unpaid", "01")
        assert log.read_text() == "xxx"


@run
async def test_what_has_expired_is_not_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payments, "PAUSE", 60)
    body = 'say(id=asked["id"], result={"invoice": "one"}); sys.exit()'
    async with processor(body, seconds=50) as (charge, happened):
        charge(ONE)
        assert await happened.next() == ("invoiced", "01", "one")
        while charge.program._restart is None:
            await asyncio.sleep(0)
        skip(60.5)
        while charge.program._restart is not None:
            await asyncio.sleep(0)
        assert charge.program._process is None and happened.is_over


@run
async def test_more_invoices_than_a_program_reads_at_once_are_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payments, "PAUSE", 0)
    monkeypatch.setattr(payments, "LIMITS", StdioLimits(line=1 << 16, unread=1 << 17))
    body = """
        if asked["method"] == "resume": say(method="paid", params={"request": params["request"]})
        say(id=asked["id"], result={"invoice": "x" * 30000})
        if params["request"].startswith("14"): sys.exit()
        """
    async with processor(_flat(body)) as (charge, happened):
        for number in range(1, 21):
            charge(bytes([number]) * 32)
            assert (await happened.next())[0] == "invoiced"
        assert {(await happened.next()) for _ in range(20)} == {("paid", f"{number:02x}") for number in range(1, 21)}


def test_the_example_knows_its_own_invoices() -> None:
    made = example_processor.answer(3, {"method": "invoice"})["result"]["invoice"]
    assert example_processor.answer(0, {"method": "resume", "params": {"invoice": made}}) == {"result": {}}
    for asked in ({"method": "resume", "params": {"invoice": "lnbc1"}}, {"method": "refund"}):
        assert "error" in example_processor.answer(0, asked)


@run
async def test_a_processor_that_has_just_ended_is_not_started_at_once() -> None:
    async with processor("sys.exit()") as (charge, happened):
        charge(ONE)
        assert await happened.next() == ("unpaid", "01")
        before = asyncio.all_tasks()
        charge(TWO)
        assert asyncio.all_tasks() == before  # there is no process to be waited for
        assert await happened.next() == ("unpaid", "02")


@run
async def test_no_more_payments_are_awaited_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payments, "MAX_OPEN", 1)
    async with processor('say(id=asked["id"], result={"invoice": "one"})') as (charge, happened):
        charge(ONE)
        charge(TWO)
        assert await happened.next() == ("unpaid", "02")
        assert await happened.next() == ("invoiced", "01", "one")


@run
async def test_what_expires_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor that answers nothing costs nothing in the end."""
    monkeypatch.setattr(payments, "MAX_OPEN", 1)
    async with processor("pass", seconds=0) as (charge, happened):
        program = charge.program
        charge(ONE)
        assert (len(program._open), len(program._answers)) == (1, 1)
        while program._open:
            await asyncio.sleep(0)
        assert (len(program._open), len(program._answers)) == (0, 0)
        charge(TWO)
        assert len(program._open) == 1 and happened.is_over


@run
async def test_a_wallet_is_asked_to_pay() -> None:
    body = """
        right = asked["method"] == "pay" and params == {"request": "REQUEST", "invoice": "INVOICE", "amount": 100}
        say(id=asked["id"], result={}) if right else say(id=asked["id"], error={"code": 1, "message": "no"})
        """.replace("REQUEST", ONE.hex()).replace("INVOICE", INVOICE)
    async with wallet(_flat(body)) as (pay, happened):
        pay(ONE)
        assert await happened.next() == ("sent", "01")
        pay(TWO)
        assert await happened.next() == ("failed", "02")
        assert happened.is_over


@run
async def test_a_wallet_that_ends_has_not_paid() -> None:
    async with wallet("sys.exit()") as (pay, happened):
        pay()
        assert await happened.next() == ("failed", "01")
        assert happened.is_over


@run
async def test_no_program_sees_our_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOSTRMCP_SECRET_FILE", "/secret")
    body = 'import os; say(id=asked["id"], result={"invoice": str([n for n in os.environ if "NOSTRMCP" in n])})'
    async with processor(body) as (charge, happened):
        charge()
        assert await happened.next() == ("invoiced", "01", "[]")


def test_a_purse_is_not_overdrawn() -> None:
    limit = SpendingLimit(pay=True, purse=Purse(100))
    assert limit.agrees(60, "tools/call") is True
    assert limit.agrees(41, "tools/call") is False
    assert limit.agrees(40, "prompts/get") is True
    assert limit.agrees(1, "tools/call") is False
    assert limit.purse.sats == 0


def test_a_purse_is_empty_unless_filled() -> None:
    assert SpendingLimit(pay=True).agrees(1, "tools/call") is False


def _flat(body: str) -> str:
    return "\n".join(line.strip() for line in body.strip().splitlines())
