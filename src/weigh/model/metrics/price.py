"""Prices: what a user says that a service charges, and what an execution costs by that. No currency is converted."""

from __future__ import annotations

import re
from math import floor, log10
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from weigh.model.errors import UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Quantity = Literal["bytes", "seconds", "credits", "queries"]
"""What is paid for: bytes that are charged (or scanned, where no other number is known), seconds of the client's clock,
units of the vendor's own, executions."""

PER: Final[Mapping[str, tuple[Quantity, float]]] = {
    "TB": ("bytes", 1e12), "TiB": ("bytes", 2.0**40), "GB": ("bytes", 1e9), "GiB": ("bytes", 2.0**30),
    "h": ("seconds", 3600.0), "min": ("seconds", 60.0), "s": ("seconds", 1.0),
    "credit": ("credits", 1.0), "query": ("queries", 1.0),
}  # fmt: skip
"""What an amount of money buys, and how much of it."""
EVERYONE: Final = "*"
"""Stands for every contender that has no price of its own."""
_MONEY = re.compile(r"\s*([0-9]{1,12}(?:\.[0-9]+)?)\s*([A-Z]{3})\s*", re.ASCII)
_TERM = re.compile(_MONEY.pattern + r"/\s*([A-Za-z]+)\s*", re.ASCII)


_READABLE = 0.05


class Money(NamedTuple):
    """An amount.

    Attributes:
        amount: not negative.
        currency: three letters, as given.
    """

    amount: float
    currency: str

    def __str__(self) -> str:
        return f"{amount(self.amount)} {self.currency}"


class Term(NamedTuple):
    """One part of a price: so much money for one unit of a quantity."""

    money: float
    quantity: Quantity


class Price(NamedTuple):
    """A price: the sum of its terms.

    Attributes:
        text: as it was declared.
        currency: of all terms.
        terms: at least one.
    """

    text: str
    currency: str
    terms: tuple[Term, ...]

    @property
    def quantities(self) -> frozenset[Quantity]:
        """What is paid for."""
        return frozenset(term.quantity for term in self.terms)


def parse_price(text: str) -> Price:
    """A price such as ``5USD/TB``, ``2 EUR/h``, or a sum such as ``3USD/credit + 0.4USD/h``.

    Raises:
        UsageError: it is none.
    """
    terms, currencies = [], []
    for part in text.split("+"):
        match = _TERM.fullmatch(part)
        if match is None:
            raise UsageError(
                f"'{text.strip()}' is no price", remedy="write AMOUNT, currency and unit: 5USD/TB, 2EUR/h, 3USD/credit"
            )
        if match[3] not in PER:
            raise UsageError(f"nothing is sold by the '{match[3]}'", remedy=nearest(match[3], PER))
        quantity, units = PER[match[3]]
        terms.append(Term(float(match[1]) / units, quantity))
        currencies.append(match[2])
    return Price(text.strip(), one_currency(currencies), tuple(terms))


def parse_money(text: str, name: str) -> Money:
    """An amount such as ``5USD``.

    Args:
        text: as given.
        name: of the key or flag.

    Raises:
        UsageError: it is none, or nothing can be had for it.
    """
    match = _MONEY.fullmatch(text)
    if match is None or float(match[1]) == 0:
        raise UsageError(f"{name} = {text} is no amount of money", remedy="write it as 5USD or 2.50EUR")
    return Money(float(match[1]), match[2])


def one_currency(currencies: list[str]) -> str:
    """The one in which all is declared.

    Raises:
        UsageError: there are several.
    """
    if len(found := dict.fromkeys(currencies)) > 1:
        raise UsageError(
            f"prices in {' and '.join(found)}: weigh converts no currency", remedy="declare all prices in one"
        )
    return currencies[0]


def scale(values: Sequence[float]) -> tuple[int, str]:
    """For how many executions amounts are told so that they can be read, and the words for it.

    Args:
        values: amounts of one execution.
    """
    most = max(values, default=0.0)
    for times, words in ((1, "each"), (1_000, "for 1,000")):
        if times * most >= _READABLE or not most:
            return times, words
    return 1_000_000, "for a million"


def amount(value: float) -> str:
    """A number of money for people, three digits that say something: ``12.3``, ``0.00000333``."""
    if value == 0:
        return "0"
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{max(2 - floor(log10(value)), 2)}f}"
