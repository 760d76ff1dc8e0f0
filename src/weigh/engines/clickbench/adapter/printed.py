"""What a query script prints between delimiters, as columns: of the types that fit all cells, for text has none."""

from __future__ import annotations

import csv
import io
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv

from . import select_list
from .answer import BREAKS, DIGITS, EMPTY, LINES, field, left_open, typed

DELIMITERS = {"csv": ",", "tsv": "\t", "pipe": "|"}
HEADER = "-header"
_NULLS = {"csv": "", "tsv": "\\N", "pipe": ""}
_OPEN = {"csv": frozenset(), "tsv": frozenset({BREAKS}), "pipe": frozenset({EMPTY})}


class Printed(NamedTuple):
    """A form of printed answers.

    Attributes:
        name: as ``weigh.answer`` says it.
        delimiter: between cells.
        header: whether the first line names the columns.
        null: how NULL is printed, without quotes around it.
    """

    name: str
    delimiter: str
    header: bool
    null: str

    def rows(self, raw: bytes) -> int:
        """Rows that were printed."""
        if self._quoted and b'"' in raw:
            lines = sum(1 for _ in csv.reader(io.StringIO(raw.decode(), newline=""), delimiter=self.delimiter))
        else:
            lines = raw.count(b"\n") + (raw[-1:] not in (b"", b"\n"))
        return max(lines - self.header, 0)

    def table(self, raw: bytes, sql: str, texts: frozenset[str]) -> Any:
        """The columns.

        Args:
            raw: what was printed.
            sql: the query, which names the columns where no header does.
            texts: names of columns that are text, whatever their cells look like.

        Raises:
            ValueError: it cannot be split into the columns of the query.
        """
        first = self._first(raw)
        names = first if self.header else select_list.called(sql, len(first))
        keys = [f"f{number}" for number in range(len(first))]
        try:
            found = self._cells(raw, keys)
        except pa.ArrowInvalid:
            # Its message is made of the answer.
            raise ValueError(
                f"rows of different numbers of cells: a text with {self.delimiter!r} or a line break in it, which "
                "cannot be distinguished from what stands between cells; have ./query print CSV (weigh.answer)"
            ) from None
        arrays, fields = [], []
        for name, cells in zip(names, found.columns, strict=True):
            column = cells if name in texts else typed(cells)
            arrays.append(column)
            fields.append(field(name, column.type, self._left_open(cells, column.type, alone=len(first) == 1)))
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields))

    def _cells(self, raw: bytes, keys: list[str]) -> Any:
        """Every cell as text, in columns of these names."""
        return pyarrow.csv.read_csv(
            pa.BufferReader(raw),
            # By place: two columns may have one name.
            pyarrow.csv.ReadOptions(column_names=keys, skip_rows=int(self.header)),
            pyarrow.csv.ParseOptions(
                delimiter=self.delimiter,
                quote_char='"' if self._quoted else False,
                newlines_in_values=self._quoted,
                ignore_empty_lines=False,
            ),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(keys, pa.string()),
                null_values=[self.null],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )

    @property
    def _quoted(self) -> bool:
        return self.name.startswith("csv")

    def _left_open(self, cells: Any, kind: Any, *, alone: bool) -> frozenset[str]:
        bare = self.name.removesuffix(HEADER)
        if kind == pa.string():
            # How NULL is printed is a setting; where it is nothing, it is no text too.
            possible = _OPEN[bare] - (frozenset() if self.null == "" else {EMPTY})
            # Of several columns a line that was cut has too few cells, which is refused.
            broken = frozenset({LINES}) if bare == "pipe" and alone else frozenset()
            return left_open(cells, possible, "") | broken
        return frozenset({DIGITS}) if bare == "pipe" and kind == pa.float64() else frozenset()

    def _first(self, raw: bytes) -> list[str]:
        """Cells of the first line."""
        text = io.StringIO(raw.decode(), newline="")
        if self._quoted:
            return next(csv.reader(text, delimiter=self.delimiter), [])
        return text.readline().rstrip("\r\n").split(self.delimiter)


def form(name: str, null: object = None) -> Printed:
    """A form by its name."""
    bare = name.removesuffix(HEADER)
    return Printed(name, DELIMITERS[bare], name.endswith(HEADER), _NULLS[bare] if null is None else str(null))
