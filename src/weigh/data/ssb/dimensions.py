"""Dimensions of the star: days, customers, suppliers, parts. A row is a function of the seed and of its place."""

from __future__ import annotations

import datetime
from functools import cache
from math import floor, log2
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from weigh.data import counter_random

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.model.units import Rows, Scale

    Ints = NDArray[np.int64]

DAYS = 2556
"""From 1992 on: as many as ssb-dbgen has, which leaves out the last one of seven years."""
CITIES, CATEGORIES, BRANDS = 10, 5, 40
"""Of each nation; of each of five makers; of each category."""
REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
NATIONS = (
    ("ALGERIA", 0), ("ARGENTINA", 1), ("BRAZIL", 1), ("CANADA", 1), ("EGYPT", 4), ("ETHIOPIA", 0), ("FRANCE", 3),
    ("GERMANY", 3), ("INDIA", 2), ("INDONESIA", 2), ("IRAN", 4), ("IRAQ", 4), ("JAPAN", 2), ("JORDAN", 4), ("KENYA", 0),
    ("MOROCCO", 0), ("MOZAMBIQUE", 0), ("PERU", 1), ("CHINA", 2), ("ROMANIA", 3), ("SAUDI ARABIA", 4), ("VIETNAM", 2),
    ("RUSSIA", 3), ("UNITED KINGDOM", 3), ("UNITED STATES", 1),
)  # fmt: skip
"""With the place of their region."""
_SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY")
_COLOURS = (
    "almond", "azure", "beige", "black", "blue", "brown", "coral", "cream", "forest", "green", "ivory", "lime", "olive",
    "orchid", "peru", "plum", "red", "rose", "salmon", "white",
)  # fmt: skip
_TYPES = ("ECONOMY", "LARGE", "MEDIUM", "PROMO", "SMALL", "STANDARD")
_METALS = ("BRASS", "COPPER", "NICKEL", "STEEL", "TIN")
_SIZES = ("JUMBO", "LG", "MED", "SM", "WRAP")
_BOXES = ("BAG", "BOX", "CAN", "CASE", "DRUM", "JAR", "PACK", "PKG")
_LETTERS = "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ,."
_FIRST = datetime.date(1992, 1, 1)
_CHRISTMAS, _SUMMER = 11, 5


def customers(scale: Scale) -> Rows:
    """How many there are."""
    return round(30_000 * scale)


def suppliers(scale: Scale) -> Rows:
    """How many there are."""
    return round(2_000 * scale)


def parts(scale: Scale) -> Rows:
    """How many there are: they grow with the logarithm of the scale from 1 on."""
    return 200_000 * floor(1 + log2(scale)) if scale >= 1 else round(200_000 * scale)


def drawn(seed: int, what: str, first: int, end: int, size: int) -> Ints:
    """A number below a size for each row."""
    word = counter_random.words(counter_random.key(seed, f"ssb {what}"), first, end - first)
    return (word % np.uint64(size)).astype(np.int64)


@cache
def all_cities(seed: int, table: str, count: Rows) -> Ints:
    """The city of every row of a table, from 0; that divided by ten is the nation."""
    return drawn(seed, f"{table} city", 0, count, len(NATIONS) * CITIES)


@cache
def all_brands(seed: int, count: Rows) -> Ints:
    """The brand of every part, from 0: maker, category and number in it."""
    return drawn(seed, "part brand", 0, count, 5 * CATEGORIES * BRANDS)


def city(number: int) -> str:
    """Nine letters of its nation and a digit."""
    return f"{NATIONS[number // CITIES][0][:9]:<9}{number % CITIES}"


def nation(number: int) -> str:
    """Its name, by number."""
    return NATIONS[number][0]


def category(number: int) -> str:
    """A maker's category, by number from 0."""
    return f"MFGR#{number // CATEGORIES + 1}{number % CATEGORIES + 1}"


def brand(number: int) -> str:
    """A brand's name, by number from 0."""
    return f"{category(number // BRANDS)}{number % BRANDS + 1}"


@cache
def calendar() -> dict[str, Ints]:
    """Of every day: year, month of year and year, and week."""
    days = [_FIRST + datetime.timedelta(days=number) for number in range(DAYS + 120)]
    return {
        "key": np.array([one.year * 10_000 + one.month * 100 + one.day for one in days]),
        "year": np.array([one.year for one in days]),
        "month": np.array([one.year * 100 + one.month for one in days]),
        "week": np.array([(one.timetuple().tm_yday - 1) // 7 + 1 for one in days]),
    }


def dates(first: int, end: int) -> pa.RecordBatch:
    """Days."""
    days = [_FIRST + datetime.timedelta(days=number) for number in range(first, end)]
    known = calendar()
    after = [one + datetime.timedelta(days=1) for one in days]
    text, whole = pa.string(), pa.int32()
    columns: dict[str, pa.Array] = {
        "d_datekey": pa.array(known["key"][first:end], whole),
        "d_date": pa.array([f"{one:%B} {one.day}, {one.year}" for one in days], text),
        "d_dayofweek": pa.array([f"{one:%A}" for one in days], text),
        "d_month": pa.array([f"{one:%B}" for one in days], text),
        "d_year": pa.array(known["year"][first:end], whole),
        "d_yearmonthnum": pa.array(known["month"][first:end], whole),
        "d_yearmonth": pa.array([f"{one:%b}{one.year}" for one in days], text),
        "d_daynuminweek": pa.array([(one.weekday() + 1) % 7 + 1 for one in days], whole),
        "d_daynuminmonth": pa.array([one.day for one in days], whole),
        "d_daynuminyear": pa.array([one.timetuple().tm_yday for one in days], whole),
        "d_monthnuminyear": pa.array([one.month for one in days], whole),
        "d_weeknuminyear": pa.array(known["week"][first:end], whole),
        "d_sellingseason": pa.array([_season(one) for one in days], text),
        "d_lastdayinweekfl": pa.array([int(one.weekday() == 5) for one in days], whole),
        "d_lastdayinmonthfl": pa.array([int(one.day == 1) for one in after], whole),
        "d_holidayfl": pa.array([int((one.month, one.day) in ((1, 1), (7, 4), (12, 25))) for one in days], whole),
        "d_weekdayfl": pa.array([int(one.weekday() < 5) for one in days], whole),
    }
    return pa.record_batch(list(columns.values()), names=list(columns))


def _season(day: datetime.date) -> str:
    if day.month >= _CHRISTMAS:
        return "Christmas"
    return (
        "Summer" if _SUMMER <= day.month <= 8 else "Winter" if day.month <= 3 else "Spring" if day.month < 5 else "Fall"
    )


def people(seed: int, table: str, first: int, end: int) -> pa.RecordBatch:
    """Customers or suppliers."""
    short, title = table[0], table.capitalize()
    cities = drawn(seed, f"{table} city", first, end, len(NATIONS) * CITIES).tolist()
    number = drawn(seed, f"{table} phone", first, end, 10**10).tolist()
    text = pa.string()
    columns: dict[str, pa.Array] = {
        f"{short}_{table[:4]}key": pa.array(np.arange(first + 1, end + 1), pa.int32()),
        f"{short}_name": pa.array([f"{title}#{one:09}" for one in range(first + 1, end + 1)], text),
        f"{short}_address": pa.array(_addresses(seed, table, first, end), text),
        f"{short}_city": pa.array([city(one) for one in cities], text),
        f"{short}_nation": pa.array([nation(one // CITIES) for one in cities], text),
        f"{short}_region": pa.array([REGIONS[NATIONS[one // CITIES][1]] for one in cities], text),
        f"{short}_phone": pa.array(
            [
                f"{10 + place // CITIES}-{one % 900 + 100}-{one // 900 % 900 + 100}-{one // 810_000 % 9_000 + 1_000}"
                for place, one in zip(cities, number, strict=True)
            ],
            text,
        ),
    }
    if table == "customer":
        segments = drawn(seed, "customer segment", first, end, len(_SEGMENTS)).tolist()
        columns["c_mktsegment"] = pa.array([_SEGMENTS[one] for one in segments], text)
    return pa.record_batch(list(columns.values()), names=list(columns))


def _addresses(seed: int, table: str, first: int, end: int) -> list[str]:
    found = []
    lengths = drawn(seed, f"{table} address", first, end, 16).tolist()
    letters = drawn(seed, f"{table} letters", first, end, 2**62).tolist()
    for length, word in zip(lengths, letters, strict=True):
        made, left = "", word
        for _ in range(10 + length):
            left, letter = divmod(left * 48_271 % (2**61 - 1), len(_LETTERS))
            made += _LETTERS[letter]
        found.append(made)
    return found


def goods(seed: int, first: int, end: int) -> pa.RecordBatch:
    """Parts."""
    brands = drawn(seed, "part brand", first, end, 5 * CATEGORIES * BRANDS).tolist()
    colours = drawn(seed, "part colours", first, end, len(_COLOURS) ** 2).tolist()
    kinds = drawn(seed, "part kind", first, end, len(_TYPES) * len(_METALS)).tolist()
    boxes = drawn(seed, "part box", first, end, len(_SIZES) * len(_BOXES)).tolist()
    sizes = drawn(seed, "part size", first, end, 50) + 1
    text = pa.string()
    columns: dict[str, pa.Array] = {
        "p_partkey": pa.array(np.arange(first + 1, end + 1), pa.int32()),
        "p_name": pa.array(
            [f"{_COLOURS[one // len(_COLOURS)]} {_COLOURS[one % len(_COLOURS)]}" for one in colours], text
        ),
        "p_mfgr": pa.array([f"MFGR#{one // (CATEGORIES * BRANDS) + 1}" for one in brands], text),
        "p_category": pa.array([category(one // BRANDS) for one in brands], text),
        "p_brand1": pa.array([brand(one) for one in brands], text),
        "p_color": pa.array([_COLOURS[one % len(_COLOURS)] for one in colours], text),
        "p_type": pa.array([f"{_TYPES[one // len(_METALS)]} {_METALS[one % len(_METALS)]}" for one in kinds], text),
        "p_size": pa.array(sizes, pa.int32()),
        "p_container": pa.array([f"{_SIZES[one // len(_BOXES)]} {_BOXES[one % len(_BOXES)]}" for one in boxes], text),
    }
    return pa.record_batch(list(columns.values()), names=list(columns))
