"""``weigh data``: make, obfuscate, digest, describe, diff, check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weigh.cli.data import by_parts_read
from weigh.cli.data.by_parts import ON, QUIET
from weigh.cli.data.checks import check, probe_checksums
from weigh.cli.data.diff import diff
from weigh.cli.data.make import make
from weigh.cli.data.obfuscate import obfuscate
from weigh.cli.data.register import list_loaded, list_registered, register, unregister
from weigh.cli.output import print_json, say, say_failure
from weigh.cli.subcommands import Subcommands

if TYPE_CHECKING:
    from weigh.model.dataset import FileFacts

_json = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
_files = click.argument("files", nargs=-1, required=True)


@click.group(cls=Subcommands)
def data() -> None:
    """Make datasets, and say whether two are the same.

    The digest of a table is made of the values of its rows: reordering rows, another writer, codec, encoding or
    number of files does not change it; one changed cell, one row more or less, or two swapped columns do.
    """


data.add_command(make)
data.add_command(obfuscate)
data.add_command(register)
data.add_command(list_registered)
data.add_command(list_loaded)
data.add_command(unregister)


@data.command()
@_files
@click.option("--columns", metavar="A,B,...", help="Only these columns, in this order.")
@ON
@QUIET
@_json
def digest(files: tuple[str, ...], columns: str | None, on: str | None, quiet: bool, as_json: bool) -> None:
    """Print the row digest of Parquet files taken as one table.

    With --on, of each table of the datasets of FOLDER or s3://BUCKET/PREFIX, every row read on the cluster.
    """
    if on is not None:
        if columns:
            raise click.BadParameter("--on digests whole rows", param_hint="--columns")
        by_parts_read.digest(files, on, quiet=quiet, as_json=as_json)
        return
    _digest([Path(file) for file in files], columns, as_json=as_json)


def _digest(files: list[Path], columns: str | None, *, as_json: bool) -> None:
    from weigh._native import DigestError, digest_parquet
    from weigh.data import documents
    from weigh.data.layout import parquet_reading
    from weigh.data.layout.file_facts import refuse_vortex

    try:
        for file in files:
            refuse_vortex(file)
            parquet_reading.guarded(file)
        found = digest_parquet(files, columns.split(",") if columns else None)
    except (OSError, DigestError) as error:
        raise parquet_reading.fault_of(files, error) from None
    if as_json:
        made = documents.DigestDocument(files=tuple(map(str, files)), digest=found)
        print_json(documents.document("weigh/digest/1", made))
    else:
        say(found)


@data.command()
@_files
@ON
@QUIET
@_json
def describe(files: tuple[str, ...], on: str | None, quiet: bool, as_json: bool) -> None:
    """Say what Parquet files are: writer, row groups, codecs, encodings, hashes, digests.

    Of a folder, the *.parquet in it. A file that cannot be read is named, with exit code 2, and the others are
    described. With --on, the files of the datasets of FOLDER or s3://BUCKET/PREFIX, read on the cluster.
    """
    if on is not None:
        by_parts_read.describe(files, on, print_file, quiet=quiet, as_json=as_json)
        return
    _describe([Path(file) for file in files], as_json=as_json)


def _describe(files: list[Path], *, as_json: bool) -> None:
    from weigh.data import documents
    from weigh.data.layout import file_facts
    from weigh.model.errors import ExitCode, WeighError

    found: list[FileFacts] = []
    unread: list[WeighError] = []
    for path in files:
        try:
            inside = _files_of(path)
        except WeighError as error:
            unread.append(error)
            continue
        for file in inside:
            try:
                one = file_facts.file_facts(file, "table")
            except WeighError as error:
                unread.append(error)
                continue
            found.append(one)
            if not as_json:
                print_file(one)
    if as_json:
        made = documents.FilesDocument(files=found, unread=documents.unread(unread))
        print_json(documents.document("weigh/files/1", made))
    for fault in unread:
        say_failure(fault.what, fault.where, fault.remedy)
    click.get_current_context().exit(int(ExitCode.FAILED if unread else ExitCode.OK))


def _files_of(path: Path) -> list[Path]:
    from weigh.model.errors import DataFault

    if not path.is_dir():
        return [path]
    if not (found := sorted(path.glob("*.parquet"))):
        raise DataFault("there are no Parquet files in it", where=str(path), remedy="name a folder with *.parquet")
    return found


def print_file(one: FileFacts) -> None:
    """What a file is, for people."""
    from weigh.model import units
    from weigh.model.text import one_line

    groups = one.parquet["row_groups"]
    say(one_line(one.path), bold=True)
    say(f"  {one.rows:,} rows, {units.size(one.bytes)}, written by {one_line(str(one.parquet['created_by']))}")
    least, most = groups["min_rows"], groups["max_rows"]
    size = units.count(most, "row") if least == most else f"{least:,} to {most:,} rows"
    say(f"  {units.count(groups['count'], 'row group')} of {size}")
    say(f"  page checksums: {'yes' if one.parquet['page_checksums'] else 'no'}")
    say(f"  digest {one.digest}\n  blake3 {one.blake3}")
    for name, column in one.parquet["columns"].items():
        bloom = f", bloom filter {column['bloom_filter_bytes']:,} B" if column["bloom_filter_bytes"] else ""
        say(
            f"  {one_line(name):<16} {column['physical_type']:<12} {column['codec']:<8} "
            f"{units.size(column['compressed_bytes']):>10}  {', '.join(column['encodings'])}{bloom}"
        )


data.add_command(diff)


data.add_command(check)
data.add_command(probe_checksums)
