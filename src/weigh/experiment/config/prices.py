"""``[price]``, ``--price`` and ``--spend``: what executions are charged by, and how much they may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.model.errors import UsageError, nearest
from weigh.model.metrics.price import EVERYONE, one_currency, parse_money, parse_price

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.model.contender import Contender


def declared(
    table: Mapping[str, str], flags: Sequence[str], contenders: Sequence[Contender]
) -> dict[str, str] | msgspec.UnsetType:
    """The price of each contender that has one, as declared. Left out where there are none.

    Args:
        table: ``[price]`` of weigh.toml: by name, or for everyone.
        flags: ``[NAME=]PRICE``; they win over the table.
        contenders: who takes part.

    Raises:
        UsageError: one is no price, is of nobody, or they are in several currencies.
    """
    names = [one.name for one in contenders]
    wanted = dict(table)
    for text in flags:
        name, _, price = text.rpartition("=")
        wanted[name.strip() or EVERYONE] = price
    found: dict[str, str] = {}
    for given, price in sorted(wanted.items(), key=lambda item: (item[0] != EVERYONE, len(item[0]))):
        # One that was varied became several, which are called by its name and what was varied.
        whose = [name for name in names if given in (EVERYONE, name) or name.startswith((f"{given}?", f"{given}/"))]
        if not whose:
            raise UsageError(f"a price of '{given}', which is no contender", remedy=nearest(given, names))
        found |= dict.fromkeys(whose, price.strip())
    found = {name: found[name] for name in names if name in found}
    if found:
        one_currency([parse_price(text).currency for text in found.values()])
    return found or msgspec.UNSET


def budget(
    text: str | None, price: Mapping[str, str] | msgspec.UnsetType, *, duet: bool = False
) -> str | msgspec.UnsetType:
    """What may be spent, as declared. Left out where nothing was reported.

    Raises:
        UsageError: it is no amount, there is no price to count it by, or that is in another currency.
    """
    if text is None:
        return msgspec.UNSET
    money = parse_money(text, "spend")
    if duet:
        raise UsageError("executions of a duet are not counted one by one", remedy="leave out --duet, or --spend")
    if price is msgspec.UNSET:
        raise UsageError(
            f"spend = {text}, and nothing has a price", remedy="declare what it costs: --price 5USD/TB, or [price]"
        )
    one_currency([money.currency, *(parse_price(one).currency for one in price.values())])
    return text.strip()
