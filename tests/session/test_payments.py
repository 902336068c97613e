"""Invoices and the demands that a client may pay."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nostrmcp.mcp.jsonrpc import Request
from nostrmcp.nostr import SecretKey, UnsignedEvent, Violation
from nostrmcp.revisions import REVISIONS
from nostrmcp.session import Server
from nostrmcp.session.actions import Charge, Deliver, Now, Publish
from nostrmcp.session.errors import ErrorClass
from nostrmcp.session.payments import demand, invoice_amount, payable
from nostrmcp.session.settings import McpServer, ServerSettings, ServerTimers
from nostrmcp.translate.route import Price

BUYER, SELLER = SecretKey(b"\1" * 32), SecretKey(b"\2" * 32)
UNIX = 1_750_000_000
DATA = "1pvjluezpp5qqqsyqcyq5rqwzqf"


def refused(detail: str) -> Any:
    return pytest.raises(Violation, match=detail)


class TestInvoiceAmount:
    @pytest.mark.parametrize(
        ("amount", "sats"),
        [
            ("1", 100_000_000), ("20m", 2_000_000), ("1m", 100_000), ("2500u", 250_000), ("1u", 100), ("1500n", 150),
            ("10n", 1), ("10000p", 1), ("9678780000p", 967_878), ("25", 2_500_000_000),
        ],
    )  # fmt: skip
    def test_every_multiplier(self, amount: str, sats: int) -> None:
        assert invoice_amount(f"lnbc{amount}{DATA}") == sats

    @pytest.mark.parametrize("amount", ["20m", "2500u", "1500n", "10000p", "1"])
    def test_upper_case_is_the_same(self, amount: str) -> None:
        assert invoice_amount(f"lnbc{amount}{DATA}".upper()) == invoice_amount(f"lnbc{amount}{DATA}")

    @pytest.mark.parametrize("amount", ["1n", "15n", "1p", "11p", "999p", "10001p", "5000p"])
    def test_a_part_of_a_sat_is_refused(self, amount: str) -> None:
        with refused("part of a sat"):
            invoice_amount(f"lnbc{amount}{DATA}")

    @pytest.mark.parametrize("network", ["tb", "tbs", "bcrt", "TB"])
    def test_other_networks_are_refused(self, network: str) -> None:
        with refused("another network"):
            invoice_amount(f"ln{network}1u{DATA}")

    def test_an_invoice_without_an_amount_is_refused(self) -> None:
        with refused("names no amount"):
            invoice_amount(f"lnbc{DATA}")

    @pytest.mark.parametrize(
        "invoice",
        [
            "", "lnbc", "lnbc1", "bc1u1qq", "lnxy1u1qq", "lnbc1x1qq", "lnbc01u1qq", "lnbc-1u1qq", "lnbc1.5u1qq",
            "lnbc1u1bi", " lnbc1u1qq", "lnbc1u1qq\n", "lnbc" + "1" * 17 + "m1qq", "lnbc" + "1" * 5000 + "m1qq",
            "lnbc\u0661u1qq", "lightning:lnbc1u1qq",
        ],
    )  # fmt: skip
    def test_what_is_no_invoice_is_refused(self, invoice: str) -> None:
        with refused("cannot be read"):
            invoice_amount(invoice)

    @given(st.integers(1, 10**12 - 1))
    def test_a_sat_is_ten_nano_and_ten_thousand_pico(self, sats: int) -> None:
        assert invoice_amount(f"lnbc{sats * 10}n{DATA}") == sats
        assert invoice_amount(f"lnbc{sats * 10_000}p{DATA}") == sats

    @given(st.integers(1, 10**15), st.sampled_from(["", "m", "u", "n", "p"]))
    def test_the_amount_is_that_of_exact_arithmetic(self, number: int, multiplier: str) -> None:
        pico = number * {"": 10**12, "m": 10**9, "u": 10**6, "n": 10**3, "p": 1}[multiplier]
        sats, rest = divmod(pico, 10_000)
        invoice = f"lnbc{number}{multiplier}{DATA}"
        if rest:
            with refused("part of a sat"):
                invoice_amount(invoice)
        else:
            assert invoice_amount(invoice) == sats

    @given(st.text())
    def test_whatever_it_is_it_is_read_or_refused(self, text: str) -> None:
        try:
            assert invoice_amount("lnbc" + text) >= 0
        except Violation as violation:
            assert violation.error_class is ErrorClass.PAYMENT_REFUSED


class TestPayable:
    DEMAND: ClassVar[dict[str, Any]] = {"invoice": f"lnbc1u{DATA}", "amount": 100, "currency": "sats"}

    def test_a_demand_that_breaks_no_rule(self) -> None:
        assert payable(self.DEMAND, None, above_price=False) == (f"lnbc1u{DATA}", 100)

    @pytest.mark.parametrize(
        ("changes", "detail"),
        [
            ({"amount": 99}, "another amount"),
            ({"amount": 101}, "another amount"),
            ({"amount": 100.0}, "no amount"),
            ({"amount": True, "invoice": f"lnbc10n{DATA}"}, "no amount"),
            ({"amount": "100"}, "no amount"),
            ({"amount": None}, "no amount"),
            ({"currency": "usd"}, "not sats"),
            ({"currency": None}, "not sats"),
            ({"currency": "SATS"}, "not sats"),
            ({"invoice": None}, "no invoice"),
            ({"invoice": 5}, "no invoice"),
            ({"invoice": f"lntb1u{DATA}"}, "another network"),
            ({"invoice": f"lnbc{DATA}", "amount": 0}, "names no amount"),
            ({"invoice": f"lnbc1001n{DATA}"}, "part of a sat"),
        ],
    )
    def test_one_that_does_is_refused(self, changes: dict[str, Any], detail: str) -> None:
        with refused(detail) as refusal:
            payable(self.DEMAND | changes, None, above_price=True)
        assert refusal.value.error_class is ErrorClass.PAYMENT_REFUSED

    @pytest.mark.parametrize(
        ("price", "unit", "is_paid"),
        [
            ("100", "sats", True), ("101", "sat", True), ("99", "sats", False), ("10-100", "sats", True),
            ("10-99", "sats", False), ("100", "usd", False), ("", "sats", False), ("free", "sats", False),
            ("100-", "sats", False),
        ],
    )  # fmt: skip
    def test_never_above_the_announced_price(self, price: str, unit: str, is_paid: bool) -> None:
        announced = Price("tool", "get_weather", price, unit)
        if is_paid:
            assert payable(self.DEMAND, announced, above_price=False) == (f"lnbc1u{DATA}", 100)
        else:
            with refused("dearer"):
                payable(self.DEMAND, announced, above_price=False)

    def test_above_it_where_that_is_allowed(self) -> None:
        assert payable(self.DEMAND, Price("tool", "get_weather", "1", "sats"), above_price=True)[1] == 100


class TestDemand:
    def test_it_asks_for_the_price(self) -> None:
        asked = demand(Price("tool", "get_weather", "100", "sats"), f"lnbc1u{DATA}", 1_750_000_300)
        assert asked.params == {
            "amount": 100, "currency": "sats", "invoice": f"lnbc1u{DATA}", "expiration": 1_750_000_300,
        }  # fmt: skip

    def test_in_a_range_for_what_the_invoice_asks(self) -> None:
        asked = demand(Price("tool", "get_weather", "50-500", "sats"), f"lnbc1u{DATA}", 0)
        assert asked.params is not None and asked.params["amount"] == 100

    def test_an_invoice_that_cannot_be_read_sells_nothing(self) -> None:
        with refused("cannot be read"):
            demand(Price("tool", "get_weather", "50-500", "sats"), "5", 0)


class TestTheTimeToPay:
    """What the demand names is what the server holds to, however long the invoice took to make."""

    def demanded(self, invoice_after: float) -> tuple[Server, bytes, int]:
        def now(seconds: float) -> Now:
            return Now(UNIX + int(seconds), seconds)

        settings = ServerSettings(
            (REVISIONS["contextvm"],),
            (McpServer("s"),),
            "2026-07-28",
            prices=(Price("tool", "t", "100", "sats"),),
            timers=ServerTimers(payment=300),
        )
        server = Server(settings, SELLER, bytes, now(0))
        server.start(now(0))
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {"name": "t", "arguments": {}, "_meta": meta}
        content = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        unsigned = UnsignedEvent(BUYER.public_key.x, UNIX, 25910, (("p", SELLER.public_key.hex()),), content)
        event = unsigned.sign(BUYER, bytes(32))
        [charge] = [one for one in server.receive(event, now(0)) if isinstance(one, Charge)]
        [demand] = [
            one
            for one in server.invoiced(charge.request, f"lnbc1u{DATA}", now(invoice_after))
            if isinstance(one, Publish)
        ]
        return server, charge.request, json.loads(demand.event.content)["params"]["ttl"]

    def test_a_payment_in_the_last_second_is_accepted(self) -> None:
        server, request, seconds = self.demanded(200)
        assert seconds == 300
        assert not any(isinstance(one, Publish) for one in server.tick(Now(UNIX + 499, 499)))
        [executed] = [one for one in server.paid(request, Now(UNIX + 499, 499)) if isinstance(one, Deliver)]
        assert isinstance(executed.message, Request) and executed.message.method == "tools/call"

    def test_later_it_is_refused(self) -> None:
        server, request, _ = self.demanded(200)
        [refused] = [one for one in server.tick(Now(UNIX + 500, 500)) if isinstance(one, Publish)]
        assert json.loads(refused.event.content)["error"]["message"] == "its payment failed, or its demand expired"
        assert not any(isinstance(one, Deliver) for one in server.paid(request, Now(UNIX + 500, 500)))
