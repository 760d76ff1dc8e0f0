"""``weigh data diff``: rows that only one of two tables has, and what differs in how they are written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weigh.cli.data import by_parts_read
from weigh.cli.data.by_parts import ON, QUIET
from weigh.cli.output import print_json, print_rich, say

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table

    from weigh.data.layout.difference import RowDifference, TablePair, Written

_BATCH = 64
"""Rows that are read at once to show one of them."""
_COLUMNS = 4
"""Names of columns that are shown of a difference."""


@click.command()
@click.argument("left")
@click.argument("right")
@click.option("--limit", default=10, show_default=True, type=int, help="Rows to show of each side.")
@click.option("--rows", "only_rows", is_flag=True, help="Only whether the rows are the same.")
@click.option(
    "--physical", "only_written", is_flag=True, help="Only how they are written; exit 1 when that differs in anything."
)
@ON
@QUIET
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def diff(
    left: str,
    right: str,
    limit: int,
    only_rows: bool,
    only_written: bool,
    on: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Show what differs between two tables: rows that only one of them has, and how each is written.

    Each side is a dataset folder, a Parquet file, a folder of them, or a pattern. Exit 1 when rows differ. With --on,
    FOLDER or s3://BUCKET/PREFIX of a dataset, whose rows are compared by digests that are made on the cluster; where
    both have as many parts, those that differ are named.
    """
    if on is not None:
        if only_written:
            raise click.BadParameter("--on compares rows", param_hint="--physical")
        by_parts_read.diff(left, right, on, limit=limit, quiet=quiet, as_json=as_json)
        return
    from weigh.data import sides
    from weigh.data.layout import difference
    from weigh.model.errors import ExitCode

    pairs = []
    for name, mine, theirs in sides.pairs(sides.tables(left), sides.tables(right), (left, right)):
        refuse_bombs([*mine, *theirs])
        pairs.append(
            difference.TablePair(
                table=name,
                rows=None if only_written else _rows(mine, theirs, limit),
                written=None if only_rows and not only_written else _written(mine, theirs),
            )
        )
    found = difference.document(pairs)
    if as_json:
        print_json({"schema": "weigh/diff/1", **{name: getattr(found, name) for name in found.__struct_fields__}})
    else:
        for pair in pairs:
            _print(pair, left, right, named=len(pairs) > 1)
    same = found.same is not False and (not only_written or found.alike is not False)
    click.get_current_context().exit(int(ExitCode.OK if same else ExitCode.FOUND))


def refuse_bombs(files: list[Path]) -> None:
    """Refuse small files that unpack to more than anybody can go through, and what is no Parquet."""
    from weigh._native import DigestError
    from weigh.data.layout import parquet_reading

    for file in files:
        try:
            parquet_reading.guarded(file)
        except (OSError, DigestError) as error:
            raise parquet_reading.fault(file, error) from None


def _rows(left: list[Path], right: list[Path], limit: int) -> RowDifference:
    from weigh._native import DigestError, diff_parquet
    from weigh.data.layout import parquet_reading
    from weigh.data.layout.difference import RowDifference

    try:
        return RowDifference(**diff_parquet(left, right, limit=limit))
    except DigestError as error:
        raise parquet_reading.fault_of([*left, *right], error) from None


def _written(left: list[Path], right: list[Path]) -> Written:
    from weigh.data.layout.difference import compare
    from weigh.data.layout.physical import table_form

    return compare(table_form(left), table_form(right))


def _print(pair: TablePair, left: str, right: str, *, named: bool) -> None:
    from weigh.model.text import one_line

    if named:
        say(one_line(pair.table), bold=True)
    if pair.rows is not None and pair.rows.same:
        say("the same rows")
    elif pair.rows is not None:
        for side, count, rows in (
            (left, pair.rows.only_left, pair.rows.left_rows),
            (right, pair.rows.only_right, pair.rows.right_rows),
        ):
            say(f"only in {one_line(side)}: {count:,} rows")
            for path, number in rows:
                say(f"  {one_line(f'{Path(path).name} row {number}: {_printed(path, number)}', 4000)}")
    if pair.written is not None:
        print_written(pair.written, left, right)


def print_written(found: Written, left: str, right: str) -> None:
    """How two tables are written, and what a comparison of them would compare."""
    from weigh.model import units
    from weigh.model.text import one_line

    for side, name, form in (("left", left, found.left), ("right", right, found.right)):
        files = units.count(form.files, "file")
        say(f"{side + ':':<7}{one_line(name)}, {files}, {units.size(form.bytes)}, {form.rows:,} rows")
    if found.differences:
        print_rich(_differences(found))
        print_rich(_sizes(found))
    say(found.means)


def _differences(found: Written) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("what differs", "left", "right", "in"):
        table.add_column(heading, overflow="fold")
    for one in found.differences:
        table.add_row(one.what, one.left, one.right, _columns(one.columns, len(found.left.columns)))
    return table


def _columns(names: tuple[str, ...], of: int) -> str:
    if not names:
        return ""
    if len(names) == of:
        return "every column"
    listed = ", ".join(names[:_COLUMNS])
    return listed + (f" and {len(names) - _COLUMNS} more" if len(names) > _COLUMNS else "")


def _sizes(found: Written) -> Table:
    from rich import box
    from rich.table import Table

    from weigh.data.layout.difference import codec
    from weigh.model import units

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("column", overflow="fold")
    for heading in ("left", "right", "right / left"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("codec, left and right", overflow="fold")
    for name, mine in found.left.columns.items():
        theirs = found.right.columns[name]
        ratio = f"{theirs.compressed_bytes / mine.compressed_bytes:.2f}" if mine.compressed_bytes else ""
        sizes = (units.size(mine.compressed_bytes), units.size(theirs.compressed_bytes))
        codecs = dict.fromkeys((codec(mine), codec(theirs)))
        table.add_row(name, *sizes, ratio, " and ".join(codecs))
    return table


def _printed(path: str, number: int) -> str:
    """One row of a file, or why it cannot be shown: its digest was taken by another reader, which knows more types."""
    import pyarrow as pa

    try:
        return _row(path, number)
    except (pa.ArrowException, OSError) as error:
        return f"cannot be shown: {error}"


def _row(path: str, number: int) -> str:
    """One row of a file, for people."""
    from weigh.data.layout import parquet_reading

    file = parquet_reading.opened(Path(path))
    for group in range(file.num_row_groups):
        rows = file.metadata.row_group(group).num_rows
        if number >= rows:
            number -= rows
            continue
        for batch in file.iter_batches(_BATCH, row_groups=[group]):
            if number < batch.num_rows:
                found = zip(batch.schema.names, batch.columns, strict=True)
                return ", ".join(f"{name}={_value(column, number)}" for name, column in found)
            number -= batch.num_rows
    return "?"


def _value(column: pa.Array, number: int) -> str:
    """A value as Arrow writes it: Python has no dates beyond the year 9999, and no nanoseconds."""
    import pyarrow as pa

    if not column[number].is_valid:
        return "None"
    try:
        return str(column[number].cast(pa.string()).as_py())
    except (pa.ArrowException, ValueError):
        pass
    try:
        return str(column[number].as_py())
    except (ValueError, OverflowError, ImportError):
        return " ".join(column.slice(number, 1).to_string(skip_new_lines=True).split())
