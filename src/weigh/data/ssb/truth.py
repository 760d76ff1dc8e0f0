"""Answers to the 13 queries, by addition of integers while the lines are drawn: no engine takes part."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.data.ground_truth import Truth
from weigh.data.ssb.dimensions import BRANDS, CATEGORIES, CITIES, NATIONS, REGIONS, brand, category, city, nation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from weigh.data.ground_truth import Cube
    from weigh.data.ssb.dimensions import Ints

    Bools = NDArray[np.bool_]

Found = dict[str, dict[tuple[int, ...], int]]
"""By query and key of a group: its sum."""
_REGION = np.array([region for _, region in NATIONS])
_NATION = {name: number for number, (name, _) in enumerate(NATIONS)}


class Lines(NamedTuple):
    """Facts of lines as integers: cities and brands from 0, money in cents."""

    year: Ints
    month: Ints
    week: Ints
    customer: Ints
    supplier: Ints
    brand: Ints
    quantity: Ints
    discount: Ints
    extended: Ints
    revenue: Ints
    cost: Ints


class Query(NamedTuple):
    """What a query sums.

    Attributes:
        chosen: which lines.
        value: of a line.
        keys: of its group, by the name of the column.
        names: of a key that is no number.
    """

    chosen: Callable[[Lines], Bools]
    value: Callable[[Lines], Ints]
    keys: Mapping[str, Callable[[Lines], Ints]]
    names: Mapping[str, Callable[[int], str]]


def _within(values: Ints, low: int, high: int) -> Bools:
    return np.asarray((values >= low) & (values <= high), np.bool_)


def _in_region(cities: Ints, name: str) -> Bools:
    return np.asarray(_REGION[cities // CITIES] == REGIONS.index(name), np.bool_)


def _in_nation(cities: Ints, name: str) -> Bools:
    return np.asarray(cities // CITIES == _NATION[name], np.bool_)


def _in_cities(cities: Ints) -> Bools:
    first = _NATION["UNITED KINGDOM"] * CITIES
    return np.asarray((cities == first + 1) | (cities == first + 5), np.bool_)


def _years(lines: Lines) -> Bools:
    return _within(lines.year, 1992, 1997)


def _revenue(lines: Lines) -> Ints:
    return lines.revenue


def _profit(lines: Lines) -> Ints:
    return lines.revenue - lines.cost


def _discounted(lines: Lines) -> Ints:
    return lines.extended * lines.discount


def _number(maker: int, of_maker: int, in_category: int = 1) -> int:
    """A brand by the digits of its name."""
    return ((maker - 1) * CATEGORIES + of_maker - 1) * BRANDS + in_category - 1


def _year(lines: Lines) -> Ints:
    return lines.year


_BRAND = {"d_year": _year, "p_brand1": lambda lines: lines.brand}
_NATIONS = {
    "c_nation": lambda lines: lines.customer // CITIES,
    "s_nation": lambda lines: lines.supplier // CITIES,
    "d_year": _year,
}
_CITIES = {"c_city": lambda lines: lines.customer, "s_city": lambda lines: lines.supplier, "d_year": _year}
_NAMES: dict[str, Callable[[int], str]] = {
    "p_brand1": brand, "p_category": category, "c_nation": nation, "s_nation": nation, "c_city": city, "s_city": city,
}  # fmt: skip


def _americas(lines: Lines) -> Bools:
    return (
        _in_region(lines.customer, "AMERICA")
        & _in_region(lines.supplier, "AMERICA")
        & (lines.brand < 2 * CATEGORIES * BRANDS)
    )


def _late(lines: Lines) -> Bools:
    return np.asarray((lines.year == 1997) | (lines.year == 1998), np.bool_)


QUERIES: dict[str, Query] = {
    "q1.1": Query(
        lambda one: (one.year == 1993) & _within(one.discount, 1, 3) & (one.quantity < 25), _discounted, {}, _NAMES
    ),
    "q1.2": Query(
        lambda one: (one.month == 199401) & _within(one.discount, 4, 6) & _within(one.quantity, 26, 35),
        _discounted, {}, _NAMES,
    ),
    "q1.3": Query(
        lambda one: (one.year == 1994) & (one.week == 6) & _within(one.discount, 5, 7) & _within(one.quantity, 26, 35),
        _discounted, {}, _NAMES,
    ),
    "q2.1": Query(
        lambda one: (one.brand // BRANDS == _number(1, 2) // BRANDS) & _in_region(one.supplier, "AMERICA"),
        _revenue, _BRAND, _NAMES,
    ),
    "q2.2": Query(
        lambda one: _within(one.brand, _number(2, 2, 21), _number(2, 2, 28)) & _in_region(one.supplier, "ASIA"),
        _revenue, _BRAND, _NAMES,
    ),
    "q2.3": Query(
        lambda one: (one.brand == _number(2, 2, 21)) & _in_region(one.supplier, "EUROPE"), _revenue, _BRAND, _NAMES
    ),
    "q3.1": Query(
        lambda one: _in_region(one.customer, "ASIA") & _in_region(one.supplier, "ASIA") & _years(one),
        _revenue, _NATIONS, _NAMES,
    ),
    "q3.2": Query(
        lambda one: _in_nation(one.customer, "UNITED STATES") & _in_nation(one.supplier, "UNITED STATES") & _years(one),
        _revenue, _CITIES, _NAMES,
    ),
    "q3.3": Query(
        lambda one: _in_cities(one.customer) & _in_cities(one.supplier) & _years(one), _revenue, _CITIES, _NAMES
    ),
    "q3.4": Query(
        lambda one: _in_cities(one.customer) & _in_cities(one.supplier) & (one.month == 199712),
        _revenue, _CITIES, _NAMES,
    ),
    "q4.1": Query(
        _americas, _profit, {"d_year": _year, "c_nation": lambda one: one.customer // CITIES}, _NAMES
    ),
    "q4.2": Query(
        lambda one: _americas(one) & _late(one),
        _profit,
        {
            "d_year": _year,
            "s_nation": lambda one: one.supplier // CITIES,
            "p_category": lambda one: one.brand // BRANDS,
        },
        _NAMES,
    ),
    "q4.3": Query(
        lambda one: (
            _in_region(one.customer, "AMERICA")
            & _in_nation(one.supplier, "UNITED STATES")
            & _late(one)
            & (one.brand // BRANDS == _number(1, 4) // BRANDS)
        ),
        _profit,
        {"d_year": _year, "s_city": lambda one: one.supplier, "p_brand1": lambda one: one.brand},
        _NAMES,
    ),
}  # fmt: skip
"""By name of the query, as its paper states it."""


def found(lines: Lines) -> Found:
    """The sums of some lines."""
    made: Found = {}
    for name, query in QUERIES.items():
        at = np.flatnonzero(query.chosen(lines))
        sums: dict[tuple[int, ...], int] = defaultdict(int)
        keys = [key(lines)[at].tolist() for key in query.keys.values()]
        for value, *key in zip(query.value(lines)[at].tolist(), *keys, strict=True):
            sums[tuple(key)] += value
        made[name] = dict(sums)
    return made


class Sums:
    """The sums of all lines drawn so far."""

    def __init__(self) -> None:
        self._sums: Found = {name: {} for name in QUERIES}

    def add(self, more: Found) -> None:
        """Add those of other lines."""
        for name, sums in more.items():
            mine = self._sums[name]
            for key, value in sums.items():
                mine[key] = mine.get(key, 0) + value

    def truth(self) -> Truth:
        """A cube for each query: its keys and its sums."""
        cubes: dict[str, Cube] = {}
        for name, query in QUERIES.items():
            sums = self._sums[name]
            columns: Cube = {
                key: np.array([one[at] for one in sums], np.int64)
                if key not in query.names
                else [query.names[key](one[at]) for one in sums]
                for at, key in enumerate(query.keys)
            }
            cubes[name] = {**columns, "sum": np.array(list(sums.values()), np.int64)}
        return Truth(cubes)
