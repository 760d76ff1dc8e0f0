"""Data files as a command line names them: paths, folders and patterns, each with an optional ``TABLE=`` before it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from weigh.data import registered, user_files
from weigh.data.layout import parquet_reading
from weigh.experiment.config.conversion import database_tables
from weigh.model import units
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow.parquet as pq

    from weigh.model.progress import Progress

_PATTERN = frozenset("/*?[=.")
"""Characters of a path or a pattern that no registered name needs."""
_COLUMNS = 12
"""Columns of a table that are listed."""


def are_files(data: Sequence[str], cache: Path) -> bool:
    """Whether ``--data`` names files; otherwise it is the name that data is registered under.

    Raises:
        UsageError: it is named next to something else.
    """
    names = registered.names(cache)
    files = [text for text in data if text not in names and (_PATTERN & {*text} or Path(text).expanduser().exists())]
    if len(data) > 1 and len(files) < len(data):
        other = next(text for text in data if text not in files)
        why = "is the name of registered data, which is all of it" if other in names else "is no file"
        raise UsageError(f"--data {other} {why}", remedy="name files, or that name alone")
    return bool(files)


def say_which(data: Sequence[str], progress: Progress) -> None:
    """Say that registered data is read, where something of that name lies here too."""
    if Path(data[0]).exists():
        progress.say(f"--data {data[0]}: the data registered so is read; write ./{data[0]} for what lies here")


def called(data: Sequence[str]) -> str:
    """What people call data by: the folder in which it lies, its one file, or the name that it is registered under."""
    first = data[0]
    path = Path(first.partition("=")[2] or first).expanduser()
    if path.is_dir():
        return path.resolve().name
    if len(data) == 1 and not {*"*?["} & {*first}:
        return path.stem
    return path.parent.resolve().name


def refuse_missing(data: Sequence[str], cache: Path) -> None:
    """Refuse what names nothing that is there; no file is opened.

    Raises:
        UsageError: there is no such file, folder or registered name.
    """
    if are_files(data, cache):
        for given in data:
            _matches(given)
    elif data[0] not in registered.names(cache):
        raise UsageError(
            "there is no such file or folder, and no data registered under that name",
            where=f"--data {data[0]}",
            remedy="name Parquet files, a folder of them, or what weigh data make --to printed",
        )


def _matches(given: str) -> tuple[str, list[Path]]:
    """The name of a table, empty where none was given, and the files."""
    name, equals, pattern = given.partition("=")
    if equals and name.isidentifier():
        return name, user_files.matches(pattern, Path())
    return "", user_files.matches(given, Path())


def tables(data: Sequence[str], cache: Path) -> user_files.Tables:
    """The files of every table, by their names; of a DuckDB database the tables in it.

    Args:
        data: as a user wrote them.
        cache: weigh's cache directory.

    Raises:
        UsageError: something names nothing that is taken, or two files are one table in two forms.
        DataFault: a database is damaged.
    """
    named: user_files.Tables = {}
    loose: list[Path] = []
    for given in data:
        name, files = _matches(given)
        if name:
            named.setdefault(name, []).extend(files)
        else:
            loose += files
    found = list(dict.fromkeys(loose))
    databases = [file for file in found if user_files.form(file) == "DuckDB"]
    for name, files in user_files.by_name(file for file in found if file not in databases).items():
        _refuse_twins(name, files)
        named.setdefault(name, []).extend(files)
    for file in databases:
        inside = database_tables(file, cache)
        if not inside:
            raise UsageError("the database has no tables", where=str(file), remedy="name another file")
        for name in inside:
            named.setdefault(name, []).append(file)
    return named


def _refuse_twins(name: str, files: Sequence[Path]) -> None:
    """One table in two forms would have every row twice."""
    forms = {user_files.form(file) for file in files}
    if len(forms) > 1:
        first = next(file for file in files if user_files.form(file) != user_files.form(files[0]))
        raise UsageError(
            f"{files[0].name} and {first.name} are both the table {name}: its rows would be there twice",
            where=str(first),
            remedy=f"name one of them: --data {name}={files[0]}",
        )


def described(found: user_files.Tables) -> Iterator[str]:
    """A line for each table: rows, and the columns with the types that were read.

    Args:
        found: Parquet files by table.

    Raises:
        DataFault: a file is none of Parquet.
    """
    for table, files in found.items():
        rows = sum(_opened(file).metadata.num_rows for file in files)
        fields = [*_opened(files[0]).schema_arrow]
        columns = ", ".join(f"{one.name} {one.type}" for one in fields[:_COLUMNS])
        more = f" and {len(fields) - _COLUMNS} more" if len(fields) > _COLUMNS else ""
        yield f"{table}: {units.count(rows, 'row')}: {columns}{more}"


def _opened(file: Path) -> pq.ParquetFile:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(file)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise parquet_reading.fault(file, error) from None
