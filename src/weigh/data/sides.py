"""The tables of one side of a comparison: a dataset folder, files or a pattern, by name; and which belong together."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.data import user_files
from weigh.data.layout import file_facts
from weigh.model.errors import DataFault, UsageError, nearest
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Tables = dict[str, list[Path]]

_PATTERN = frozenset("*?[")
_REMEDY = "name readable, undamaged Parquet files"


def tables(side: str) -> Tables:
    """The files of every table, in order; files of the same columns are one table.

    Args:
        side: a folder with or without a manifest, a file, or a pattern.

    Raises:
        DataFault: there are no Parquet files, or one of them cannot be read.
        UsageError: they are Vortex.
    """
    path = Path(side)
    if (path / "manifest.json").exists():
        manifest = file_facts.load(path)
        for one in manifest.files:
            file_facts.refuse_vortex(path / one.path)
        return {table: [path / name for name in manifest.paths(table)] for table in manifest.tables}
    if path.is_dir():
        files = sorted(path.glob("*.parquet"))
        if not files:
            raise DataFault("there are no Parquet files in it", where=side, remedy="name a folder with *.parquet")
    elif _PATTERN & set(side) and not path.exists():
        files = [Path(name) for name in sorted(glob.glob(side, recursive=True))]  # noqa: PTH207
        if not files:
            raise DataFault("no file matches it", where=side, remedy="name Parquet files, a folder or a pattern")
    else:
        files = [path]
    for file in files:
        file_facts.refuse_vortex(file)
    if len({tuple(columns(file)) for file in files}) == 1:
        (name,) = list(user_files.by_name(files))[:1]
        return {name: files}
    return {name: sorted(those) for name, those in user_files.by_name(files).items()}


def columns(path: Path) -> list[str]:
    """Names of a file's columns, dotted where they are nested.

    Raises:
        DataFault: it cannot be read.
    """
    from weigh._native import DigestError, parquet_facts
    from weigh.data.layout import parquet_reading

    try:
        # The reader that the rows are compared with; PyArrow's knows fewer ways to be damaged.
        return list(parquet_facts(path)["columns"])
    except (OSError, DigestError) as error:
        raise parquet_reading.fault(path, error) from None


def pairs(left: Tables, right: Tables, names: tuple[str, str]) -> Iterator[tuple[str, list[Path], list[Path]]]:
    """Tables that belong together: by name, and of a single one by its columns.

    Args:
        left: by name.
        right: by name.
        names: what the sides are called.

    Raises:
        UsageError: a table has no other, or the other has other columns.
    """
    found: list[tuple[str, list[Path], list[Path]]]
    if len(left) == 1 and len(right) == 1:
        found = [(name, left[name], right[other]) for name, other in zip(left, right, strict=True)]
    elif len(left) == 1:
        (name,) = left
        other = _like(columns(left[name][0]), right, names[1], name)
        found = [(other, left[name], right[other])]
    elif len(right) == 1:
        (name,) = right
        other = _like(columns(right[name][0]), left, names[0], name)
        found = [(other, left[other], right[name])]
    else:
        alone = [
            *((names[0], one) for one in left if one not in right),
            *((names[1], one) for one in right if one not in left),
        ]
        if alone:
            side, table = alone[0]
            raise UsageError(
                f"only {one_line(side)} has a table {one_line(table)}",
                remedy="compare folders of the same tables, or the files of one table",
            )
        found = [(name, left[name], right[name]) for name in left]
    for name, one, two in found:
        _same_columns(columns(one[0]), columns(two[0]), names)
        yield name, one, two


def _like(wanted: Sequence[str], those: Tables, side: str, name: str) -> str:
    if name in those:
        return name
    for other, files in those.items():
        if columns(files[0]) == wanted:
            return other
    raise UsageError(
        f"no table of {one_line(side)} has the columns of {one_line(name)}",
        remedy=f"name the files of one table; {nearest(name, those)}",
    )


def _same_columns(left: Sequence[str], right: Sequence[str], names: tuple[str, str]) -> None:
    for mine, theirs, side in ((left, right, names[0]), (right, left, names[1])):
        more = [one for one in mine if one not in theirs]
        if more:
            listed = ", ".join(map(one_line, more[:3])) + (f" and {len(more) - 3} more" if len(more) > 3 else "")
            raise UsageError(
                f"only {one_line(side)} has the column{'s' if len(more) > 1 else ''} {listed}",
                remedy="compare files of the same table: their columns have the same names",
            )
