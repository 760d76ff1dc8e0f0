"""Folders that are a table of Iceberg or Delta: the files of their current snapshot, and no other file in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.data import user_files
from weigh.data.catalog.registrar import Registrar, copied
from weigh.data.layout import parquet_reading
from weigh.engines import environment
from weigh.model import units
from weigh.model.dataset import Conversion
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.model.progress import Progress


def files(table: str, folder: Path, cache: Path, progress: Progress) -> tuple[list[Path], Conversion]:
    """The files of a table as its log names them now, and how they were found.

    Args:
        table: its name.
        folder: where it lies.
        cache: weigh's cache directory.
        progress: reports what is read.

    Raises:
        UsageError: its files alone are not its rows (deleted rows, other columns), or one of them is not there.
        EnvironmentFault: the library that reads the log cannot be had.
    """
    from weigh._native import hash_bytes

    form = user_files.form(folder)
    kind = form.lower()
    progress.say(f"data: the files of {folder.name} ({form}), of its newest snapshot")
    registrar = Registrar(lambda requirements: environment.ensure(requirements, cache).python)
    try:
        now = registrar.current(kind, folder)
    finally:
        registrar.rest()
    if not now.files:
        raise UsageError(f"this table of {form} has no rows", where=str(folder), remedy="leave it out")
    for file in now.files:
        if not file.is_file():
            raise UsageError(
                f"this table of {form} names a file that is not there: {file}",
                where=str(folder),
                remedy="where the folder was moved, put it back: its log has the whole paths",
            )
        columns = tuple(parquet_reading.schema(file).names)
        if columns != now.columns:
            raise UsageError(
                f"{file.name} has the columns {', '.join(columns)}, and the table has {', '.join(now.columns)}",
                where=str(folder),
                remedy=copied(kind, folder),
            )
    note = f"{now.snapshot}: {units.count(len(now.files), 'file')}"
    content = hash_bytes("\0".join(str(file) for file in now.files).encode())
    made = Conversion(table=table, source=folder.name, form=form, blake3=content, by=now.by, notes=(note,))
    return list(now.files), made
