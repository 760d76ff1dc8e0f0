"""What a query script prints, as columns: text has no types, so they are those that all cells of a column can have."""

from __future__ import annotations

import csv
import io
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

_DELIMITERS = {"csv": ",", "tsv": "\t", "pipe": "|"}
_HEADER = "-header"
_NULLS = {"csv": "", "tsv": "\\N", "pipe": ""}
_WHOLE = r"^-?(0|[1-9]\d{0,17})$"
"""As numbers are printed: 007 is text."""
_NUMBER = r"^-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][-+]?\d+)?$"
_TRUTH = r"^(true|false)$"


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

    def columns(self, raw: bytes, texts: frozenset[str] = frozenset()) -> memoryview:
        """An Arrow IPC stream.

        Args:
            raw: what was printed.
            texts: names of columns that are text, whatever their cells look like.

        Raises:
            ValueError: nothing was printed, or a table for people.
        """
        if not raw:
            raise ValueError("it printed nothing, not even the names of the columns: have it print them (weigh.answer)")
        if raw.startswith((b"+-", "┌".encode())):
            raise ValueError("it printed a table for people: have ./query print CSV or TSV (weigh.answer)")
        found = pyarrow.csv.read_csv(
            pa.BufferReader(raw),
            pyarrow.csv.ReadOptions(autogenerate_column_names=not self.header),
            pyarrow.csv.ParseOptions(
                delimiter=self.delimiter,
                quote_char='"' if self._quoted else False,
                newlines_in_values=self._quoted,
                ignore_empty_lines=False,
            ),
            pyarrow.csv.ConvertOptions(
                column_types=self._as_text(raw),
                null_values=[self.null],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
        table = pa.Table.from_arrays(
            [
                column if name in texts else _typed(column)
                for name, column in zip(found.column_names, found.columns, strict=True)
            ],
            names=found.column_names,
        )
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        return memoryview(sink.getvalue())

    @property
    def _quoted(self) -> bool:
        return self.name.startswith("csv")

    def _as_text(self, raw: bytes) -> dict[str, Any]:
        """Every column as text, whatever it looks like."""
        first = next(csv.reader(io.StringIO(raw.decode(), newline=""), delimiter=self.delimiter), [])
        names = first if self.header else [f"f{number}" for number in range(len(first))]
        return dict.fromkeys(names, pa.string())


def form(name: str, null: object = None) -> Printed:
    """A form by its name; raises where there is none."""
    bare = name.removesuffix(_HEADER)
    if bare not in _DELIMITERS:
        known = ", ".join(f"{one}[{_HEADER}]" for one in _DELIMITERS)
        raise ValueError(f"weigh.answer is one of {known}, not {name}")
    return Printed(name, _DELIMITERS[bare], name.endswith(_HEADER), _NULLS[bare] if null is None else str(null))


def _typed(column: Any) -> Any:
    for pattern, kind in ((_WHOLE, pa.int64()), (_NUMBER, pa.float64()), (_TRUTH, pa.bool_())):
        if column.null_count < len(column) and pc.all(pc.match_substring_regex(column, pattern)).as_py():
            return column.cast(kind)
    return column
