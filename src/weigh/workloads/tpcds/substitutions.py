"""Substitution parameters of the 99 queries: literals that each stream draws for itself.

What a literal may be is the rule of the specification (appendix B), in ``substitutions.txt``. Two things differ from
dsqgen: values of a column are drawn from the data, each equally likely, and not from dsdgen's distributions; and
columns, aggregates and orders stay those of the installed package's text.
"""

from __future__ import annotations

import datetime
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LITERAL = re.compile(r"'(?:[^']|'')*'|(?<![\w.])\d+(?:\.\d+)?(?!\w)")
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")
_YEAR = re.compile(r"\d{4}")


class Substitution(NamedTuple):
    """One line of the table.

    Attributes:
        query: its number.
        rule: what may be drawn.
        draws: for each draw the places that get it, by column of a rule with several.
    """

    query: int
    rule: str
    draws: tuple[tuple[tuple[int, ...], ...], ...]


@cache
def substitutions() -> tuple[Substitution, ...]:
    """The table."""
    lines = (files("weigh.workloads.tpcds") / "substitutions.txt").read_text().splitlines()
    return tuple(_line(line) for line in lines if not line.startswith("#"))


def _line(line: str) -> Substitution:
    number, rule, places = line.split("; ")
    if found := re.fullmatch(r"(\d+)-(\d+)", places):
        return Substitution(int(number), rule, tuple(((at,),) for at in range(int(found[1]), int(found[2]) + 1)))
    draws = tuple(tuple(tuple(map(int, one.split("+"))) for one in draw.split(",")) for draw in places.split())
    return Substitution(int(number), rule, draws)


class Parameters:
    """Draws the literals of queries.

    Args:
        tables: files of the dataset by table: what a column has.
    """

    def __init__(self, tables: Mapping[str, Sequence[str]]) -> None:
        self._tables = tables
        self._columns: dict[str, list[tuple[object, ...]]] = {}

    def text(self, number: int, text: str, seed: int, stream: int) -> tuple[str, tuple[str, ...]]:
        """A query with the literals of a stream.

        Args:
            number: of the query.
            text: as the package has it.
            seed: of the draw.
            stream: whose it is.

        Returns:
            The text, and the literals that were drawn.

        Raises:
            DataFault: the text does not have its literals where the table says.
        """
        rng = np.random.default_rng([seed, 0x7BCD5, stream, number])
        literals = [found[0] for found in _LITERAL.finditer(text)]
        new, drawn = dict(enumerate(literals)), []
        for one in substitutions():
            if one.query == number:
                for draw, values in zip(one.draws, self._draw(one, rng), strict=True):
                    for places, value in zip(draw, values, strict=True):
                        for place in places:
                            new[place] = _replaced(number, literals, place, places[0], value)
                        drawn.append(new[places[0]])
        places_left = iter(new.values())
        return _LITERAL.sub(lambda _: next(places_left), text), tuple(drawn)

    def _draw(self, one: Substitution, rng: np.random.Generator) -> list[tuple[object, ...]]:
        """As many values as there are draws; none twice while there are others."""
        kind, _, rest = one.rule.partition(" ")
        values: Sequence[tuple[object, ...]]
        if found := _RANGE.fullmatch(one.rule):
            values = [(number,) for number in range(int(found[1]), int(found[2]) + 1)]
        elif kind == "of":
            values = [(int(value) if value.isdigit() else value,) for value in rest.split("|")]
        elif kind == "rows":
            table, parts = rest.split()
            rows = sum(pq.ParquetFile(path).metadata.num_rows for path in self._tables[table])
            values = [(number,) for number in range(1, rows // int(parts) + 1)]
        elif kind in ("day", "month"):
            values = [(day,) for day in _days(rest)]
        else:
            values = self._values(one.rule)
        count = len(one.draws)
        order = np.concatenate([rng.permutation(len(values)) for _ in range(-(-count // len(values)))])
        return [values[at] for at in order[:count]]

    def _values(self, rule: str) -> list[tuple[object, ...]]:
        """Rows of distinct values of columns, in order."""
        if rule not in self._columns:
            table, _, columns = rule.partition(".")
            names = columns.split(",")
            read = pa.concat_tables(pq.ParquetFile(path).read(names) for path in self._tables[table]).drop_null()
            distinct = read.group_by(names).aggregate([]).sort_by([(name, "ascending") for name in names])
            self._columns[rule] = list(zip(*(distinct[name].to_pylist() for name in names), strict=True))
        return self._columns[rule]


def _days(rest: str) -> list[datetime.date]:
    years, within = rest.split()
    low, _, high = within.partition("..")
    found = _RANGE.fullmatch(years)
    assert found is not None
    if "-" not in low:
        months = range(int(low), int(high) + 1)
        return [datetime.date(year, month, 1) for year in range(int(found[1]), int(found[2]) + 1) for month in months]
    days = []
    for year in range(int(found[1]), int(found[2]) + 1):
        first, last = (datetime.date.fromisoformat(f"{year}-{end}") for end in (low, high))
        days += [first + datetime.timedelta(at) for at in range((last - first).days + 1)]
    return days


def _replaced(number: int, literals: Sequence[str], place: int, first: int, value: object) -> str:
    """A literal in the place of another: of the same kind, and as far from the first of its draw as it was."""
    try:
        old, begin = literals[place], literals[first]
        if isinstance(value, datetime.date):
            distance = datetime.date.fromisoformat(old[1:-1]) - datetime.date.fromisoformat(begin[1:-1])
            return f"'{(value + distance).isoformat()}'"
        if _YEAR.search(old) and old.startswith("'") and isinstance(value, int):
            return _YEAR.sub(str(value), old)
        if old.startswith("'") != isinstance(value, str):
            raise ValueError(old)
        if old.startswith("'"):
            wild = "%" if old.endswith("%'") else ""
            return "'" + str(value).replace("'", "''") + f"{wild}'"
        # An offset is negative in the data, and its sign stands before the literal.
        return str(value) if isinstance(value, int) else str(abs(int(float(str(value)))))
    except (IndexError, ValueError) as error:
        raise DataFault(
            f"query {number} of TPC-DS does not have the literal {place} that it should have: {error}",
            remedy="report this",
        ) from error
