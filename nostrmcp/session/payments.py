"""Invoices: what is demanded, in the form of each revision, and which demands a client may pay at all."""

from __future__ import annotations

import re
from typing import Any

from ..mcp.jsonrpc import Notification
from ..nostr import Event, Violation
from ..revisions.model import PaymentForm, Revision
from ..translate.body import BOLT11_METHOD, PAYMENT_METHOD
from ..translate.route import Price
from .errors import ErrorClass

TRANSPARENT = "transparent"
# A whole number of sats, or the end of a range of them.
_WHOLE = re.compile(r"[0-9]{1,16}")
_PRICE = re.compile(r"(?:[0-9]{1,16}-)?([0-9]{1,16})")
# BOLT-11: ln, the network, an amount with a multiplier, then the last 1 before the data.
_INVOICE = re.compile(r"ln(bc|tbs|tb|bcrt)(?:([1-9][0-9]{0,15})([munp]?))?1[02-9ac-hj-np-z]+", re.IGNORECASE)
# Millisatoshi in a bitcoin, divided by the multiplier; p stands for a tenth of one millisatoshi.
_MULTIPLIERS = {"": 100_000_000_000, "m": 100_000_000, "u": 100_000, "n": 100}


def demand(price: Price, invoice: str, expires: int) -> Notification:
    """The demand for a price; what the revision's form has no room for is left out when it is sent."""
    amount = int(price.amount) if _WHOLE.fullmatch(price.amount) else invoice_amount(invoice)
    return Notification(
        PAYMENT_METHOD, {"amount": amount, "currency": "sats", "invoice": invoice, "expiration": expires}
    )


def accepted(revision: Revision, amount: int) -> Notification | None:
    """The notice that a payment was accepted, where the revision has one."""
    if revision.payment is not PaymentForm.PAYMENT_REQUEST:
        return None
    return Notification("notifications/payment_accepted", {"amount": amount, "pmi": BOLT11_METHOD})


def refused_lifecycle(event: Event, revision: Revision) -> dict[str, Any] | None:
    """What to say of a payment lifecycle that is asked for and not to be had; None where there is no such wish.

    Of several tags the first counts: they are no list of preferences (CVM-PAY-73, CVM-PAY-75).
    """
    if revision.payment is not PaymentForm.PAYMENT_REQUEST:
        return None
    asked = event.first("payment_interaction")
    return None if asked in (None, TRANSPARENT) else {"requested": asked, "supported": [TRANSPARENT]}


def invoice_amount(invoice: str) -> int:
    """The sats that an invoice of the main network asks for; a Violation where it asks for none, or for a part of one.

    HOUSE-PAY-03 and HOUSE-PAY-04.
    """
    read = _INVOICE.fullmatch(invoice)
    if read is None:
        raise _refused("the invoice cannot be read")
    network, number, multiplier = read.groups()
    if network.lower() != "bc":
        raise _refused("the invoice is of another network")
    if number is None:
        raise _refused("the invoice names no amount")
    if multiplier.lower() == "p":
        millisats, rest = divmod(int(number), 10)
    else:
        millisats, rest = int(number) * _MULTIPLIERS[multiplier.lower()], 0
    if rest or millisats % 1000:
        raise _refused("the invoice asks for a part of a sat")
    return millisats // 1000


def payable(params: dict[str, Any], announced: Price | None, *, above_price: bool) -> tuple[str, int]:
    """The invoice and the amount of a demand that breaks no rule (HOUSE-PAY-02 to HOUSE-PAY-05, HOUSE-PAY-07)."""
    invoice, amount = params.get("invoice"), params.get("amount")
    if params.get("currency") != "sats":
        raise _refused("the unit is not sats")
    if type(invoice) is not str or type(amount) is not int:
        raise _refused("there is no invoice, or no amount")
    if invoice_amount(invoice) != amount:
        raise _refused("the invoice asks for another amount than the demand")
    if announced is not None and not above_price and not _within(amount, announced):
        raise _refused("it is dearer than announced")
    return invoice, amount


def _within(amount: int, announced: Price) -> bool:
    """Whether an amount is at most the announced one, or the end of the announced range."""
    most = _PRICE.fullmatch(announced.amount)
    return announced.unit in ("sat", "sats") and most is not None and amount <= int(most[1])


def _refused(detail: str) -> Violation:
    return Violation(ErrorClass.PAYMENT_REFUSED, "demand", detail)
