"""Tables that a suite makes by statements: made once, by one engine, and read by every contender as Parquet."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

from weigh.engines import chdb_sql, duckdb_sql
from weigh.host import scratch
from weigh.model.dataset import Conversion
from weigh.model.errors import DataFault
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from weigh.data.user_files import Tables
    from weigh.model.progress import Progress
    from weigh.workloads.suites.question import Dialect

_HOUR = 3600.0
"""Statements that take longer have gone wrong."""
_LOST = ("HUGEINT", "UHUGEINT", "UNION", "BIT", "BIGNUM", "VARINT", "TIME WITH TIME ZONE", "VARIANT")
"""Types of DuckDB that Parquet does not keep."""


class Made(NamedTuple):
    """What statements made.

    Attributes:
        tables: a Parquet file for each.
        failed: why there are none; empty where there are.
    """

    tables: dict[str, Path]
    failed: str = ""


class Loaded(NamedTuple):
    """The tables of all statements of a suite, under names that no two share.

    Attributes:
        tables: files by table.
        names: of the tables of each load, by what its questions call them.
        failed: why a load made nothing, by its text.
        conversions: where the files come from.
    """

    tables: Tables
    names: dict[str, dict[str, str]]
    failed: dict[str, str]
    conversions: tuple[Conversion, ...]


def load(texts: Iterable[str], dialect: Dialect, cache: Path, progress: Progress) -> Loaded:
    """Make the tables of every load, or find them in the cache.

    Args:
        texts: statements, each of them all that makes the tables of some questions.
        dialect: of the statements; says which engine executes them.
        cache: weigh's cache directory.
        progress: is told.

    Raises:
        EnvironmentFault: the engine cannot be had, or no space.
    """
    from weigh._native import hash_bytes, hash_file

    wanted = list(dict.fromkeys(text for text in texts if text))
    tables: Tables = {}
    names: dict[str, dict[str, str]] = {}
    failed: dict[str, str] = {}
    conversions: list[Conversion] = []
    content: dict[str, str] = {}
    by = chdb_sql.NAME if dialect == "clickhouse" else duckdb_sql.NAME
    for number, text in enumerate(wanted):
        made = _made(text, dialect, cache)
        if made.failed:
            failed[text] = made.failed
        names[text] = {}
        for table, file in made.tables.items():
            digest = hash_file(file)
            called, at = table, 1
            while content.get(called, digest) != digest:
                at += 1
                called = f"{table}__{at}"
            names[text][table] = called
            if called not in tables:
                content[called] = digest
                tables[called] = [file]
                source = f"{table}, made by the suite"
                conversions.append(
                    Conversion(table=called, source=source, form="SQL", blake3=hash_bytes(text.encode()), by=by)
                )
        progress.step(number + 1, len(wanted), "making tables")
    if wanted:
        progress.say(f"data: {count(len(tables), 'table')} made by the suite's own statements, by {by}")
    return Loaded(tables, names, failed, tuple(conversions))


def _made(text: str, dialect: Dialect, cache: Path) -> Made:
    from weigh._native import hash_bytes

    by = chdb_sql.NAME if dialect == "clickhouse" else duckdb_sql.NAME
    key = hash_bytes(f"{by}\0{text}".encode())[:24]
    folder = cache / "data" / "files" / "suites" / key
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = scratch.folder("suite")
        try:
            (_by_chdb if dialect == "clickhouse" else _by_duckdb)(text, aside, cache)
            _moved(aside, folder)
        except DataFault as error:
            return Made({}, f"its tables cannot be made: {error.what}")
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return Made({file.stem: file for file in sorted(folder.glob("*.parquet"))})


def _by_duckdb(text: str, folder: Path, cache: Path) -> None:
    attach = f"ATTACH {_text(folder / 'made.duckdb')} AS made;"
    ask = duckdb_sql.DuckDB(cache, timeout=_HOUR)
    (columns,) = ask(
        f"SET TimeZone = 'UTC'; SET memory_limit = '2GB'; {attach} USE made;\n{text}\n;",
        [
            "SELECT table_name, column_name, data_type FROM information_schema.columns "
            "WHERE table_catalog = 'made' AND table_schema = 'main' ORDER BY table_name, ordinal_position"
        ],
    )
    lost = [one for one in columns if any(word in str(one["data_type"]) for word in _LOST)]
    if lost:
        one = lost[0]
        raise DataFault(
            f"{one['table_name']}.{one['column_name']} is {one['data_type']}, which Parquet does not keep", remedy=""
        )
    tables = list(dict.fromkeys(str(one["table_name"]) for one in columns))
    copies = [
        f"COPY made.main.{_quoted(table)} TO {_text(folder / f'{table}.parquet')} (FORMAT parquet, COMPRESSION zstd);"
        for table in tables
    ]
    ask(f"SET TimeZone = 'UTC'; SET memory_limit = '2GB'; {attach} {' '.join(copies)}", [])


def _by_chdb(text: str, folder: Path, cache: Path) -> None:
    chdb_sql.tables(text, folder, cache, timeout=_HOUR)


def _moved(aside: Path, folder: Path) -> None:
    """Moved into place whole; who came first wins."""
    whole = folder.with_name(f"{folder.name}-{aside.name}")
    whole.mkdir()
    for file in aside.glob("*.parquet"):
        shutil.copyfile(file, whole / file.name)
    try:
        whole.rename(folder)
    except OSError:
        shutil.rmtree(whole, ignore_errors=True)


def _text(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
