"""Substitution parameters by the rules of qgen, and the orders in which streams ask the 22 queries.

The generator is qgen's own (TPC-H tools 2.17, ``rnd.c`` and ``varsub.c``): a multiplicative congruential one, a stream
of numbers for each query. The same seed means the same parameters as of ``qgen -r SEED``, which the tests compare.
"""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING, NamedTuple

from weigh.model.errors import DataFault
from weigh.workloads.tpch.permutations import PERMUTATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date

_MULTIPLIER, _MODULUS = 16807, 2147483647
QUERIES = 22

REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
NATIONS = {
    "ALGERIA": 0, "ARGENTINA": 1, "BRAZIL": 1, "CANADA": 1, "EGYPT": 4, "ETHIOPIA": 0, "FRANCE": 3, "GERMANY": 3,
    "INDIA": 2, "INDONESIA": 2, "IRAN": 4, "IRAQ": 4, "JAPAN": 2, "JORDAN": 4, "KENYA": 0, "MOROCCO": 0,
    "MOZAMBIQUE": 0, "PERU": 1, "CHINA": 2, "ROMANIA": 3, "SAUDI ARABIA": 4, "VIETNAM": 2, "RUSSIA": 3,
    "UNITED KINGDOM": 3, "UNITED STATES": 1,
}  # fmt: skip
"""By name, in order of their keys: the place of their region."""
SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY")
MODES = ("REG AIR", "AIR", "RAIL", "TRUCK", "MAIL", "FOB", "SHIP")
TYPES = tuple(
    f"{one} {two} {three}"
    for one in ("STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO")
    for two in ("ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED")
    for three in ("TIN", "NICKEL", "BRASS", "STEEL", "COPPER")
)
CONTAINERS = tuple(
    f"{one} {two}"
    for one in ("SM", "LG", "MED", "JUMBO", "WRAP")
    for two in ("CASE", "BOX", "BAG", "JAR", "PACK", "PKG", "CAN", "DRUM")
)
COLOURS = (
    "almond", "antique", "aquamarine", "azure", "beige", "bisque", "black", "blanched", "blue", "blush", "brown",
    "burlywood", "burnished", "chartreuse", "chiffon", "chocolate", "coral", "cornflower", "cornsilk", "cream",
    "cyan", "dark", "deep", "dim", "dodger", "drab", "firebrick", "floral", "forest", "frosted", "gainsboro",
    "ghost", "goldenrod", "green", "grey", "honeydew", "hot", "indian", "ivory", "khaki", "lace", "lavender",
    "lawn", "lemon", "light", "lime", "linen", "magenta", "maroon", "medium", "metallic", "midnight", "mint",
    "misty", "moccasin", "navajo", "navy", "olive", "orange", "orchid", "pale", "papaya", "peach", "peru",
    "pink", "plum", "powder", "puff", "purple", "red", "rose", "rosy", "royal", "saddle", "salmon", "sandy",
    "seashell", "sienna", "sky", "slate", "smoke", "snow", "spring", "steel", "tan", "thistle", "tomato",
    "turquoise", "violet", "wheat", "white", "yellow",
)  # fmt: skip
_WORDS = (("special", "pending", "unusual", "express"), ("packages", "requests", "accounts", "deposits"))
_WEIGHTS = (20, 40)
"""Of each of the words of query 13, in qgen's distributions."""


class Draws:
    """qgen's random numbers after ``-r SEED``: a stream for each query, all from one seed."""

    def __init__(self, seed: int) -> None:
        self._state = [seed]
        for _ in range(QUERIES):
            self._state.append(self._state[-1] * _MULTIPLIER % _MODULUS)

    def integer(self, low: int, high: int, query: int) -> int:
        """A whole number, both ends included."""
        self._state[query] = self._state[query] * _MULTIPLIER % _MODULUS
        return low + int(self._state[query] / float(_MODULUS) * float(high - low + 1))

    def place(self, count: int, query: int, weight: int = 1) -> int:
        """The place of one of so many, which are equally likely."""
        return (self.integer(1, count * weight, query) - 1) // weight

    def permuted(self, values: Sequence[int], query: int) -> list[int]:
        """The values in another order."""
        found = list(values)
        for at in range(len(found)):
            other = self.integer(at, len(found) - 1, query)
            found[at], found[other] = found[other], found[at]
        return found


def parameters(seed: int, stream: int, scale: float) -> dict[int, tuple[str, ...]]:
    """The parameters of all queries of a stream, by number of the query, as ``qgen -r SEED -p STREAM`` draws them."""
    draws = Draws(seed)
    return {number: tuple(_RULES[number](draws, scale)) for number in order(stream)}


def order(stream: int) -> tuple[int, ...]:
    """Numbers of the queries as a stream asks them; 0 is the power test's (specification, appendix A)."""
    return PERMUTATIONS[stream % len(PERMUTATIONS)]


def _year(draws: Draws, query: int) -> str:
    return f"{1900 + draws.integer(93, 97, query)}-01-01"


def _month(draws: Draws, low: int, high: int, query: int) -> str:
    drawn = draws.integer(low, high, query)
    return f"{1993 + drawn // 12}-{drawn % 12 + 1:02}-01"


def _brand(draws: Draws, query: int) -> str:
    return f"Brand#{draws.integer(1, 5, query)}{draws.integer(1, 5, query)}"


def _nation(draws: Draws, query: int) -> str:
    return list(NATIONS)[draws.place(len(NATIONS), query)]


def _of(values: Sequence[str], draws: Draws, query: int) -> str:
    return values[draws.place(len(values), query)]


def _two(one: Callable[[], str]) -> list[str]:
    """Two that differ: the second is drawn until it does."""
    first = second = one()
    while second == first:
        second = one()
    return [first, second]


def _q2(draws: Draws, _scale: float) -> list[str]:
    size = str(draws.integer(1, 50, 2))
    return [size, _of(TYPES, draws, 2).rpartition(" ")[2], _of(REGIONS, draws, 2)]


def _q3(draws: Draws, _scale: float) -> list[str]:
    return [_of(SEGMENTS, draws, 3), f"1995-03-{draws.integer(0, 30, 3) + 1:02}"]


def _q8(draws: Draws, _scale: float) -> list[str]:
    nation = _nation(draws, 8)
    return [nation, REGIONS[NATIONS[nation]], _of(TYPES, draws, 8)]


def _q16(draws: Draws, _scale: float) -> list[str]:
    brand, kind = _brand(draws, 16), _of(TYPES, draws, 16).rpartition(" ")[0]
    return [brand, kind, *map(str, draws.permuted(range(1, 51), 16)[:8])]


def _q19(draws: Draws, _scale: float) -> list[str]:
    brands = [_brand(draws, 19) for _ in range(3)]
    return [*brands, *(str(draws.integer(low, high, 19)) for low, high in ((1, 10), (10, 20), (20, 30)))]


_RULES: dict[int, Callable[[Draws, float], list[str]]] = {
    1: lambda draws, _: [str(draws.integer(60, 120, 1))],
    2: _q2,
    3: _q3,
    4: lambda draws, _: [_month(draws, 0, 57, 4)],
    5: lambda draws, _: [_of(REGIONS, draws, 5), _year(draws, 5)],
    6: lambda draws, _: [_year(draws, 6), f"0.0{draws.integer(2, 9, 6)}", str(draws.integer(24, 25, 6))],
    7: lambda draws, _: _two(lambda: _nation(draws, 7)),
    8: _q8,
    9: lambda draws, _: [_of(COLOURS, draws, 9)],
    10: lambda draws, _: [_month(draws, 1, 24, 10)],
    11: lambda draws, scale: [_nation(draws, 11), f"{0.0001 / scale:.10f}"],
    12: lambda draws, _: [*_two(lambda: _of(MODES, draws, 12)), _year(draws, 12)],
    13: lambda draws, _: [
        words[draws.place(len(words), 13, weight)] for words, weight in zip(_WORDS, _WEIGHTS, strict=True)
    ],
    14: lambda draws, _: [_month(draws, 0, 59, 14)],
    15: lambda draws, _: [_month(draws, 0, 57, 15)],
    16: _q16,
    17: lambda draws, _: [_brand(draws, 17), _of(CONTAINERS, draws, 17)],
    18: lambda draws, _: [str(draws.integer(312, 315, 18))],
    19: _q19,
    20: lambda draws, _: [_of(COLOURS, draws, 20), _year(draws, 20), _nation(draws, 20)],
    21: lambda draws, _: [_nation(draws, 21)],
    22: lambda draws, _: [str(10 + code) for code in draws.permuted(range(25), 22)[:7]],
}
"""By number of the query."""


class Place(NamedTuple):
    """What stands in the text of a query with the validation parameters, and what stands there with others."""

    validation: str
    text: str


def text(number: int, validation: str, given: Sequence[str]) -> str:
    """The text of a query with other parameters.

    Args:
        number: of the query.
        validation: its text with the validation parameters.
        given: its parameters, as :func:`parameters` has them.

    Raises:
        DataFault: the text has no such parameter.
    """
    places = {one.validation: one.text for one in _places(number, given)}
    if lacking := [one for one in places if not re.search(re.escape(one) + r"(?!\d)", validation)]:
        raise DataFault(
            f"query {number} has no {lacking[0]!r} where a parameter should stand", remedy="make the dataset again"
        )
    # All at once: what is put in may look like another one.
    names = "|".join(re.escape(one) for one in sorted(places, key=len, reverse=True))
    return re.sub(f"(?:{names})(?!\\d)", lambda found: places[found[0]], validation)


def _later(day: str, months: int) -> str:
    found = datetime.date.fromisoformat(day)
    total = found.year * 12 + found.month - 1 + months
    return f"{total // 12}-{total % 12 + 1:02}-{found.day:02}"


def _days_before(day: date, days: int) -> str:
    return (day - datetime.timedelta(days=days)).isoformat()


def _span(given: str, first: str, months: int) -> list[Place]:
    return [Place(f"'{first}'", f"'{given}'"), Place(f"'{_later(first, months)}'", f"'{_later(given, months)}'")]


def _words(given: Sequence[str], *validation: str) -> list[Place]:
    return [Place(f"'{old}'", f"'{new}'") for old, new in zip(validation, given, strict=True)]


def _places(number: int, given: Sequence[str]) -> list[Place]:
    """Where the parameters of a query stand in its text."""
    match number:
        case 1:
            return _words([_days_before(datetime.date(1998, 12, 1), int(given[0]))], "1998-09-02")
        case 2:
            return [
                Place("p_size = 15", f"p_size = {given[0]}"),
                *_words([f"%{given[1]}", given[2]], "%BRASS", "EUROPE"),
            ]
        case 3:
            return _words(given, "BUILDING", "1995-03-15")
        case 4:
            return _span(given[0], "1993-07-01", 3)
        case 5:
            return [*_words(given[:1], "ASIA"), *_span(given[1], "1994-01-01", 12)]
        case 6:
            low, high = (f"{float(given[1]) + step:.2f}" for step in (-0.01, 0.01))
            ends = [Place("BETWEEN 0.05", f"BETWEEN {low}"), Place("AND 0.07", f"AND {high}")]
            return [*_span(given[0], "1994-01-01", 12), *ends, Place("l_quantity < 24", f"l_quantity < {given[2]}")]
        case 7:
            return _words(given, "FRANCE", "GERMANY")
        case 8:
            return _words(given, "BRAZIL", "AMERICA", "ECONOMY ANODIZED STEEL")
        case 9:
            return _words([f"%{given[0]}%"], "%green%")
        case 10:
            return _span(given[0], "1993-10-01", 3)
        case 11:
            return _words(given[:1], "GERMANY")
        case 12:
            return [*_words(given[:2], "MAIL", "SHIP"), *_span(given[2], "1994-01-01", 12)]
        case 13:
            return _words([f"%{given[0]}%{given[1]}%"], "%special%requests%")
        case 14:
            return _span(given[0], "1995-09-01", 1)
        case 15:
            return _span(given[0], "1996-01-01", 3)
        case 16:
            sizes = Place("(49, 14, 23, 45, 19, 3, 36, 9)", f"({', '.join(given[2:])})")
            return [*_words([given[0], f"{given[1]}%"], "Brand#45", "MEDIUM POLISHED%"), sizes]
        case 17:
            return _words(given, "Brand#23", "MED BOX")
        case 18:
            return [Place("> 300", f"> {given[0]}")]
        case 19:
            brands = _words(given[:3], "Brand#12", "Brand#23", "Brand#34")
            ends = [
                Place(f"l_quantity {sign} {old}{more}", f"l_quantity {sign} {new}{more}")
                for old, new in zip((1, 10, 20), given[3:], strict=True)
                for sign, more in ((">=", ""), ("<=", " + 10"))
            ]
            return [*brands, *ends]
        case 20:
            return [*_words([f"{given[0]}%", given[2]], "forest%", "CANADA"), *_span(given[1], "1994-01-01", 12)]
        case 21:
            return _words(given, "SAUDI ARABIA")
    return _words(given, "13", "31", "23", "29", "30", "18", "17")


def with_fraction(validation: str, fraction: str) -> str:
    """Query 11 with the fraction of its scale factor, whatever stands there."""
    return re.sub(r"\* 0\.\d{10}\b", f"* {fraction}", validation)
