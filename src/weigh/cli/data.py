"""``weigh data``: make, digest, describe, diff, check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weigh.cli.data_make import make
from weigh.cli.output import print_json, say

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.model.dataset import FileFacts

_json = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
_BATCH = 64
"""Rows that are read at once to show one of them."""
_files = click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))


@click.group()
def data() -> None:
    """Make datasets, and say whether two are the same.

    The digest of a table is made of the values of its rows: reordering rows, another writer, codec, encoding or
    number of files does not change it; one changed cell, one row more or less, or two swapped columns do.
    """


data.add_command(make)


@data.command()
@_files
@click.option("--columns", metavar="A,B,...", help="Only these columns, in this order.")
@_json
def digest(files: tuple[Path, ...], columns: str | None, as_json: bool) -> None:
    """Print the row digest of Parquet files taken as one table."""
    from weigh._native import DigestError, digest_parquet, parquet_facts
    from weigh.data.layout.file_facts import refuse_bomb
    from weigh.model.errors import DataFault

    try:
        for file in files:
            refuse_bomb(file, parquet_facts(file))
        found = digest_parquet(list(files), columns.split(",") if columns else None)
    except DigestError as error:
        raise _unreadable(error, "columns that are in every file, and " if columns else "") from None
    except OSError as error:
        raise DataFault(str(error), remedy="give readable Parquet files") from None
    if as_json:
        print_json({"schema": "weigh/digest/1", "files": [str(file) for file in files], "digest": found})
    else:
        say(found)


@data.command()
@_files
@_json
def describe(files: tuple[Path, ...], as_json: bool) -> None:
    """Say what Parquet files are: writer, row groups, codecs, encodings, hashes, digests."""
    from weigh.data.layout import file_facts

    found = file_facts.describe({"table": files})
    if as_json:
        print_json({"schema": "weigh/files/1", "files": found})
        return
    for one in found:
        _print_file(one)


def _print_file(one: FileFacts) -> None:
    from weigh.model import units
    from weigh.model.text import one_line

    groups = one.parquet["row_groups"]
    say(one_line(one.path), bold=True)
    say(f"  {one.rows:,} rows, {units.size(one.bytes)}, written by {one_line(str(one.parquet['created_by']))}")
    say(f"  {units.count(groups['count'], 'row group')} of {groups['min_rows']:,} to {groups['max_rows']:,} rows")
    say(f"  page checksums: {'yes' if one.parquet['page_checksums'] else 'no'}")
    say(f"  digest {one.digest}\n  blake3 {one.blake3}")
    for name, column in one.parquet["columns"].items():
        bloom = f", bloom filter {column['bloom_filter_bytes']:,} B" if column["bloom_filter_bytes"] else ""
        say(
            f"  {one_line(name):<16} {column['physical_type']:<12} {column['codec']:<8} "
            f"{units.size(column['compressed_bytes']):>10}  {', '.join(column['encodings'])}{bloom}"
        )


@data.command()
@click.argument("left", type=click.Path(path_type=Path))
@click.argument("right", type=click.Path(path_type=Path))
@click.option("--limit", default=10, show_default=True, type=int, help="Rows to show of each side.")
@_json
def diff(left: Path, right: Path, limit: int, as_json: bool) -> None:
    """Show rows that only one of two tables has. Each side is a Parquet file or a folder of them.

    Exit 1 when they differ.
    """
    from weigh._native import DigestError, diff_parquet, parquet_facts
    from weigh.data.layout.file_facts import refuse_bomb
    from weigh.model.errors import ExitCode
    from weigh.model.text import one_line

    try:
        for file in (*_parquet(left), *_parquet(right)):
            refuse_bomb(file, parquet_facts(file))
        found = diff_parquet(_parquet(left), _parquet(right), limit=limit)
    except DigestError as error:
        raise _unreadable(error) from None
    same = not found["only_left"] and not found["only_right"]
    if as_json:
        print_json({"schema": "weigh/diff/1", "same": same, "diff": found})
    elif same:
        say("the same rows")
    else:
        for side, count, rows in (
            (left, found["only_left"], found["left_rows"]),
            (right, found["only_right"], found["right_rows"]),
        ):
            say(f"only in {one_line(str(side))}: {count:,} rows")
            for path, number in rows:
                say(f"  {one_line(f'{Path(path).name} row {number}: {_shown(path, number)}', 4000)}")
    click.get_current_context().exit(int(ExitCode.OK if same else ExitCode.FOUND))


@data.command()
@click.argument("folder", type=click.Path(path_type=Path))
@_json
def check(folder: Path, as_json: bool) -> None:
    """Check the files of a dataset folder against its manifest: sizes, hashes, every row. Exit 1 when they differ."""
    from weigh.data.layout import file_facts
    from weigh.model import units
    from weigh.model.errors import DataFault, ExitCode
    from weigh.model.text import one_line

    if not (folder / "manifest.json").exists():
        raise DataFault(
            "there is no manifest in it", where=str(folder), remedy="name a folder that weigh data make printed"
        )
    manifest = file_facts.load(folder)
    problems = file_facts.verify(folder, manifest, "digest")
    if as_json:
        print_json({"schema": "weigh/check/1", "passed": not problems, "findings": problems})
    else:
        for problem in problems:
            say(f"{problem.code} ", fg="red", bold=True, nl=False)
            say(one_line(problem.text))
        if not problems:
            say(f"{units.count(len(manifest.files), 'file')} as the manifest says, every row digested")
    click.get_current_context().exit(int(ExitCode.FOUND if problems else ExitCode.OK))


def _parquet(path: Path) -> list[Path]:
    """The Parquet files that a path names."""
    from weigh.model.errors import DataFault

    if not path.is_dir():
        return [path]
    found = sorted(path.glob("*.parquet"))
    if not found:
        raise DataFault("there are no Parquet files in it", where=str(path), remedy="name a folder with *.parquet")
    return found


def _shown(path: str, number: int) -> str:
    """One row of a file, or why it cannot be shown: its digest was taken by another reader, which knows more types."""
    import pyarrow as pa

    try:
        return _row(path, number)
    except (pa.ArrowException, OSError) as error:
        return f"cannot be shown: {error}"


def _row(path: str, number: int) -> str:
    """One row of a file, for people."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
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


def _unreadable(error: Exception, also: str = "") -> Exception:
    from weigh.model.errors import DataFault

    return DataFault(str(error), remedy=f"name {also}readable, undamaged Parquet files")
