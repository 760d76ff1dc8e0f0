"""Rows of a document in Python, which become a frame of whatever library reads them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

Row = TypeVar("Row", bound=msgspec.Struct)
_MOST = 100
"""Rows of a table in a notebook; the others are counted."""
_DIGITS = 4


class Rows(tuple[Row, ...]):
    """Typed rows, in the order of the document. It is a tuple of them; a frame has a column for each field."""

    __slots__ = ()

    def to_arrow(self) -> pa.Table:
        """All fields, nested ones as structs and lists."""
        import pyarrow as pa

        names = dict.fromkeys(name for one in self for name in one.__struct_encode_fields__)
        rows = [msgspec.to_builtins(one) for one in self]
        return pa.Table.from_pylist([{name: row.get(name) for name in names} for row in rows])

    def to_pandas(self) -> pd.DataFrame:
        """As pandas has it; pandas is the reader's own."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """As Polars has it; Polars is the reader's own."""
        import polars as pl

        found = pl.from_arrow(self.to_arrow())
        assert isinstance(found, pl.DataFrame)
        return found

    def _repr_html_(self) -> str:
        """A table of the fields that are no lists and that some row has, for notebooks."""
        plain: list[dict[str, Any]] = [msgspec.to_builtins(one) for one in self]
        names = [
            name
            for name in (plain[0] if plain else {})
            if any(row.get(name) is not None for row in plain)
            and not any(isinstance(row.get(name), (dict, list, tuple)) for row in plain)
        ]
        lines = [
            "<tr>" + "".join(f"<td>{_cell(row.get(name))}</td>" for name in names) + "</tr>" for row in plain[:_MOST]
        ]
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        rest = f"<p>and {len(self) - _MOST:,} more</p>" if len(self) > _MOST else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>{rest}"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return escape(f"{value:.{_DIGITS}g}" if isinstance(value, float) else str(value))
