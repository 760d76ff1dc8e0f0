"""Tables of weigh's own in somebody's system, from Parquet by ``INSERT``; and tables that were there before."""

from __future__ import annotations

import datetime
import json
import re
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from weigh_worker import Failed, Unsupported
from weigh_worker.left_out import LeftOut
from weigh_worker.parquet_files import in_microseconds, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from .profile import Profile, Rows

_NOTE = "tables.json"
_FORBIDDEN = re.compile(r"denied|permission|privilege|not authori[sz]ed|not allowed|read-?only", re.IGNORECASE)


def make(
    profile: Profile,
    connection: Any,
    ask: Callable[[str], Rows],
    way: str,
    place: str,
    tables: dict[str, list[str]],
    copy: Path,
    address: str,
) -> None:
    """Make the tables, or find them there; the copy notes where they are and which could not be made.

    Args:
        profile: of the system.
        connection: its session.
        ask: executes a statement in it.
        way: ``load``, ``exists`` or ``external``.
        place: where files lie that the server can read, for ``external``.
        tables: Parquet files by table.
        copy: weigh's folder for what it loads.
        address: of the system, without a password.
    """
    if way == "exists":
        (copy / _NOTE).write_text(json.dumps({"schema": None, "left_out": {}, "columns": {}}))
        return
    _drop_left(ask, copy)
    schema = f"weigh_{secrets.token_hex(6)}"
    note = {"schema": schema, "left_out": {}, "columns": {}, "address": address, "drop": profile.drop_schema(schema)}
    # Before anything is there: who is killed leaves the statement that drops it.
    (copy / _NOTE).write_text(json.dumps(note))
    _create(profile, ask, schema)
    try:
        left_out = _made(profile, connection, ask, way, place, tables, schema)
        if len(left_out.tables) == len(tables):
            raise Unsupported(next(iter(left_out.tables.values())))
    except BaseException:
        with suppress(Exception):
            ask(profile.drop_schema(schema))
            (copy / _NOTE).unlink()
        raise
    (copy / _NOTE).write_text(json.dumps({**note, "left_out": left_out.tables, "columns": left_out.columns}))


def _create(profile: Profile, ask: Callable[[str], Rows], schema: str) -> None:
    """Make the schema.

    Raises:
        Failed: this user may not.
    """
    try:
        profile.create_schema(ask, schema)
    except Exception as error:
        # Of a connection that is lost the type counts.
        if not _FORBIDDEN.search(str(error)):
            raise
        raise Failed(
            f"weigh may make no schema of its own for what it loads (let the user, or take weigh.data=exists): {error}"
        ) from error


def write(
    profile: Profile, connection: Any, ask: Callable[[str], Rows], tables: dict[str, list[str]], statements: list[str]
) -> str:
    """Make tables that sessions can change, in a schema for them alone.

    Args:
        profile: of the system.
        connection: its session.
        ask: executes a statement in it.
        tables: Parquet files by table.
        statements: executed when the rows are there, for indexes.

    Returns:
        The name of the schema.
    """
    schema = f"weigh_streams_{secrets.token_hex(6)}"
    profile.hold(ask, schema)
    _create(profile, ask, schema)
    left_out = _made(profile, connection, ask, "load", "", tables, schema)
    for why in left_out.tables.values():
        raise Unsupported(why)
    for statement in statements:
        ask(statement)
    return schema


def _made(
    profile: Profile,
    connection: Any,
    ask: Callable[[str], Rows],
    way: str,
    place: str,
    tables: dict[str, list[str]],
    schema: str,
) -> LeftOut:
    """Fill a schema that was made; what could not be made, and why."""
    profile.use_schema(ask, schema)
    left_out = LeftOut({}, {})
    for name, paths in tables.items():
        try:
            columns, without = _columns(profile, paths[0])
            left_out.columns.update({name: without} if without else {})
            if way == "external":
                profile.register(ask, name, columns, paths, place)
                continue
            listed = ", ".join(f"{profile.quoted(column)} {kind}" for column, kind in columns)
            ask(f"CREATE TABLE {profile.quoted(name)} ({listed}) {profile.storage}")
            _fill(profile, connection, name, paths, [column for column, _ in columns])
            profile.loaded(ask, name)
        except Unsupported as why:
            left_out.tables[name] = str(why)
            left_out.columns.pop(name, None)
    return left_out


def _drop_left(ask: Callable[[str], Rows], copy: Path) -> None:
    """Drop what loaders of the same copy had begun when they were killed."""
    for left in copy.parent.glob(f"{copy.name.rpartition('-')[0]}-*/{_NOTE}"):
        with suppress(Exception):
            ask(json.loads(left.read_text())["drop"])
            left.unlink()


def attach(profile: Profile, ask: Callable[[str], Rows], copy: Path, tables: Sequence[str]) -> LeftOut:
    """See the tables that were made or found.

    Returns:
        What could not be made, and why.

    Raises:
        Failed: they are not there, or not any more.
    """
    note = json.loads((copy / _NOTE).read_text())
    schema, left_out = note["schema"], dict(note["left_out"])
    try:
        if schema is not None:
            profile.use_schema(ask, schema)
        for name in tables:
            if name not in left_out:
                ask(f"SELECT 1 FROM {profile.quoted(name)} WHERE 1 = 0")
    except Exception as error:
        if profile.lost(error):
            raise
        if schema:
            why = f"its schema {schema} is not what was loaded; remove {copy}, and it is loaded again: {error}"
        else:
            why = f"it has no table {name} where its sessions begin: {error}"
        raise Failed(why) from None
    return LeftOut(left_out, note["columns"])


def _columns(profile: Profile, path: str) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """The columns of a table with their types, and those for which the system has none, with the reason."""
    found, without = [], {}
    for field in pq.read_schema(path):
        if kind := profile.type_name(field.type):
            found.append((field.name, kind))
        else:
            without[field.name] = f"weigh loads no {field.type} into {profile.name}"
    if not found:
        raise Unsupported("; ".join(f"column {column}: {why}" for column, why in without.items()))
    return found, without


def _fill(profile: Profile, connection: Any, name: str, paths: Sequence[str], columns: list[str]) -> None:
    listed = ", ".join(map(profile.quoted, columns))
    values = "(" + ", ".join([profile.placeholder] * len(columns)) + ")"
    cursor = connection.cursor()
    for batch in _batches(paths, profile.rows, columns):
        rows = list(zip(*(_plain(column) for column in batch.columns), strict=True))
        text = f"INSERT INTO {profile.quoted(name)} ({listed}) VALUES " + ", ".join([values] * len(rows))
        cursor.execute(text, [value for row in rows for value in row])
    cursor.close()
    if commit := getattr(connection, "commit", None):
        commit()


def _batches(paths: Sequence[str], rows: int, columns: list[str]) -> Iterator[pa.RecordBatch]:
    for path in paths:
        with opened(path) as file:
            yield from file.iter_batches(rows, columns=columns)


def _plain(column: pa.Array) -> list[Any]:
    """Values as drivers take them.

    Raises:
        pa.ArrowInvalid: an instant is finer than a microsecond.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.dictionary_decode()
    elif pa.types.is_timestamp(kind):
        column = in_microseconds(column)
    values: list[Any] = column.to_pylist()
    if pa.types.is_timestamp(kind):
        return [None if value is None else value.isoformat(" ", "microseconds") for value in values]
    return [value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else value for value in values]
