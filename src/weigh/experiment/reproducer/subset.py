"""Excerpts: some rows and columns of an experiment's tables, written again in its layout."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh.data.layout import parquet, parquet_reading, views
from weigh.engines.loaded import Tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from weigh.model.spec import LayoutSpec
    from weigh.model.units import Bytes, Rows

_BATCH = 1 << 16


class Source:
    """The tables of an experiment, of which parts are read.

    Args:
        paths: Parquet files of every table, in the order of their rows.
    """

    def __init__(self, paths: Mapping[str, Sequence[str]]) -> None:
        import pyarrow.parquet as pq

        self._paths = paths
        footers = {table: [pq.read_metadata(path) for path in files] for table, files in paths.items()}
        self.rows: dict[str, Rows] = {table: sum(one.num_rows for one in each) for table, each in footers.items()}
        self.columns: dict[str, list[str]] = {
            table: pq.read_schema(files[0]).names for table, files in paths.items() if files
        }

    def read(self, table: str, columns: Sequence[str], first: Rows, rows: Rows) -> pa.Table:
        """``rows`` consecutive rows from ``first`` on; only the row groups that hold them are read."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        parts = []
        begin = 0
        for path in self._paths[table]:
            with parquet_reading.opened(Path(path)) as file:
                for group in range(file.num_row_groups):
                    end = begin + file.metadata.row_group(group).num_rows
                    low, high = max(first, begin), min(first + rows, end)
                    at = begin
                    # Batch by batch: a row group of few values may have more rows than memory holds.
                    for batch in file.iter_batches(_BATCH, [group], list(columns)) if low < high else ():
                        if at < high and low < at + batch.num_rows:
                            parts.append(pa.Table.from_batches([batch.slice(max(low - at, 0), high - max(low, at))]))
                        at += batch.num_rows
                        if at >= high:
                            break
                    begin = end
        found = (
            pa.concat_tables(parts, promote_options="permissive")
            if parts
            else pq.read_schema(self._paths[table][0]).empty_table().select(columns)
        )
        return found.cast(views.plain(found.schema))


class Excerpt(NamedTuple):
    """Some rows of some tables, and how they are written.

    Attributes:
        tables: the rows, by table.
        form: the layout.
    """

    tables: dict[str, pa.Table]
    form: LayoutSpec

    @property
    def rows(self) -> Rows:
        """Rows of all tables."""
        return sum(table.num_rows for table in self.tables.values())

    def taking(self, table: str, rows: NDArray[Any]) -> Excerpt:
        """With only these rows of one table."""
        return self._replace(tables={**self.tables, table: self.tables[table].take(rows)})

    def needing(self, columns: Mapping[str, Sequence[str]]) -> Excerpt:
        """With only these tables and columns."""
        return self._replace(tables={name: self.tables[name].select(list(some)) for name, some in columns.items()})

    def write(self, folder: Path, python: Path | None, name: str = "{}", files: int = 1) -> Tables:
        """Write it as Parquet.

        Args:
            folder: an existing one.
            python: interpreter of the environment of the layout's writer.
            name: what its files are called; ``{}`` stands for the table.
            files: times as many as the layout's.

        Raises:
            EnvironmentFault: the disk is full or cannot be written.
            DataFault: the writer failed.
        """
        from weigh._native import hash_bytes, hash_file

        spec = msgspec.structs.replace(self.form, files=self.form.files * files)
        paths: dict[str, list[str]] = {}
        for (table, content), stem in zip(self.tables.items(), stems(self.tables), strict=True):
            called = name.format(stem)
            numbers = [f"-{number:04}" for number in range(spec.files)] if spec.files > 1 else [""]
            of_table = [folder / f"{called}{number}.parquet" for number in numbers]
            parquet.write(
                content.to_batches(), spec, of_table, schema=content.schema, rows=content.num_rows, python=python
            )
            paths[table] = [str(path) for path in of_table]
        content = " ".join(f"{table}:{hash_file(path)}" for table, those in paths.items() for path in those)
        return Tables(paths, hash_bytes(content.encode()))


def size(tables: Tables) -> Bytes:
    """Bytes of all files."""
    return sum(Path(path).stat().st_size for paths in tables.paths.values() for path in paths)


def slug(text: str) -> str:
    """A name as a part of a path."""
    return re.sub(r"[^A-Za-z0-9._=-]+", "-", text)[:60].strip("-.") or "unnamed"


def stems(names: Iterable[str]) -> list[str]:
    """Distinct file names for tables, whatever the tables are called."""
    found: list[str] = []
    for name in names:
        stem, number = slug(name), 2
        while stem.casefold() in (one.casefold() for one in found):
            stem, number = f"{slug(name)}-{number}", number + 1
        found.append(stem)
    return found
