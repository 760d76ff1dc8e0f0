"""What an obfuscation kept and destroyed: ``obfuscation.json``. It has no value, and no name as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = "weigh/obfuscation/1"
FILE = "obfuscation.json"

Types = dict[str, Literal["number", "text", "id"]]
"""Of columns, by their new names."""
_NUMBERS = ("int", "uint", "float", "double", "halffloat", "decimal")
_WHOLE = ("int", "uint")
_TEXTS = ("string", "large_string", "dictionary<values=string")


class ColumnMeasured(msgspec.Struct, frozen=True, kw_only=True):
    """A column before and after; pairs are so.

    Attributes:
        name: its new one.
        type: of its values.
        nulls: share of NULL.
        distinct: how many values differ.
        top: share of the most frequent value.
        length: mean characters of texts; None of others.
        longest: characters of the longest text; None of others.
        order: rank correlation of values with what they became: 1 where the order is kept; None of fewer than two.
        unchanged: share of the values that stayed what they were; NULL is none.
    """

    name: str
    type: tuple[str, str]
    nulls: tuple[float, float]
    distinct: tuple[int, int]
    top: tuple[float, float]
    length: tuple[float, float] | None
    longest: tuple[int, int] | None
    order: float | None
    unchanged: float


class PairMeasured(msgspec.Struct, frozen=True, kw_only=True):
    """Two columns of a table, before and after.

    Attributes:
        names: their new ones.
        association: Cramér's V of eighths of numbers and dates, and of the seven most frequent texts and the rest.
        correlation: Pearson's, of two columns of numbers or dates; None of others.
    """

    names: tuple[str, str]
    association: tuple[float, float]
    correlation: tuple[float, float] | None


class TableMeasured(msgspec.Struct, frozen=True, kw_only=True):
    """A table.

    Attributes:
        name: its new one.
        rows: of it.
        measured: rows that the figures are of: the first ones.
        files: how many.
        columns: in order.
        pairs: of the first columns.
    """

    name: str
    rows: int
    measured: int
    files: int
    columns: tuple[ColumnMeasured, ...]
    pairs: tuple[PairMeasured, ...]


class Exchanged(msgspec.Struct, frozen=True, kw_only=True):
    """Identifiers, which were exchanged among themselves.

    Attributes:
        columns: that hold them, by their new names.
        limits: at which ranges begin that no identifier leaves, in order.
        draws: which of the key's permutations each range has; the ranges beyond them have the first.
        off: by what share DuckDB's estimate of how many values of a loaded column differ is off from that of the
            original, at most; None where no table was looked at.
    """

    columns: tuple[str, ...]
    limits: tuple[int, ...]
    draws: tuple[int, ...] = ()
    off: float | None = None


class ObfuscationResults(msgspec.Struct, frozen=True, kw_only=True):
    """All of it.

    Attributes:
        key: tells whether two outputs are of one key; it tells nothing of the key.
        tables: by their new names.
        ids: what `--ids` named; None where it named nothing.
        schema: of the document.
    """

    key: str
    tables: tuple[TableMeasured, ...]
    ids: Exchanged | None = None
    schema: str = SCHEMA


def read(folder: Path, key: str) -> ObfuscationResults:
    """What is known of a copy.

    Args:
        folder: of the copy.
        key: that must have made it.

    Raises:
        UsageError: there is no copy, or it is of another key.
    """
    remedy = "name a folder that `weigh data obfuscate` wrote with this key"
    try:
        found = msgspec.json.decode((folder / FILE).read_bytes(), type=ObfuscationResults)
    except (OSError, msgspec.MsgspecError):
        raise UsageError("this is no obfuscated copy of data", where=str(folder), remedy=remedy) from None
    if found.key != key:
        raise UsageError(f"the copy is of the key {found.key}, and not of {key}", where=str(folder), remedy=remedy)
    return found


def types(found: ObfuscationResults) -> Types:
    """What the columns of a copy hold, where all columns of a name hold the same."""
    ids = found.ids.columns if found.ids else ()
    made: Types = {}
    unclear = set()
    for column in (one for table in found.tables for one in table.columns):
        kind = column.type[0]
        form: Literal["number", "text", "id", "other"] = (
            "id"
            if column.name in ids and kind.startswith(_WHOLE)
            else "number"
            if kind.startswith(_NUMBERS)
            else "text"
            if kind.startswith(_TEXTS)
            else "other"
        )
        if form == "other" or made.setdefault(column.name, form) != form:
            unclear.add(column.name)
    return {name: kind for name, kind in made.items() if name not in unclear}
