"""Probes before the clock: does a contender read what it was given?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from weigh.data.catalog import field_ids
from weigh.data.layout import second_reader, vortex
from weigh.engines import catalogs
from weigh.engines import environment as environments
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate import other_rows, read_back, sampled_rows
from weigh.experiment.gate.frames import drawn_rows, every_row, row_count
from weigh.model import codes
from weigh.model.data.catalog import FORMATS, TITLES
from weigh.model.data.frames import is_frames
from weigh.model.sample import Outcome
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from weigh.experiment.gate.queries import QuerySession
    from weigh.experiment.gate.sampled_rows import Sample
    from weigh.model.contender import Contender
    from weigh.model.dataset import Manifest
    from weigh.model.finding import Finding

_LOOK = "look at how its adapter binds tables; no answer of it is compared"
_OTHER_COUNT = " (another number of rows)"
_CHANGED = "changed"
_UNCOMPARED = (codes.A14_READERS.code, codes.A14_UNCHECKED.code)
FULL_DIGEST_ROWS = 2_000_000
"""Up to here every row that a contender sees is digested; above, a sample and the row count are compared, and said."""


class Files(NamedTuple):
    """What a table is read from.

    Attributes:
        paths: its files.
        sample: what was drawn of them; None where all rows are compared.
        python: interpreter of an environment that reads them, where they are Vortex.
        digest: of its rows, as the manifest says where all are compared.
        lacking: why the contender could not be given a column, by its name.
    """

    paths: tuple[str, ...]
    sample: Sample | None
    python: Path | None
    digest: str
    lacking: Mapping[str, str]


def reads(
    session: QuerySession, manifest: Manifest, files: Mapping[str, list[str]]
) -> tuple[dict[str, str], list[Finding]]:
    """What a contender sees in its tables (A4), as digest or row count by table.

    Everything it sees is fetched through the engine itself: a wrong path, a stale copy or a lost row shows. An engine
    with a copy of its own may hold it in poorer types (a date in text); what it hands out is first read in those of the
    files.

    Args:
        session: asks it.
        manifest: what it was given.
        files: where it sees it, by table.
    """
    digests: dict[str, str] = {}
    findings = []
    ready = session.ready
    python = environments.ensure(vortex.REQUIREMENTS, ready.cache).python if manifest.vortex else None
    for table in manifest.tables:
        if why := session.lacking.get(table):
            digests[table] = f"not read: {why}"
            findings.append(_unread(ready.name, table, WorkerEnded(Outcome.UNSUPPORTED, why, alive=True)))
            continue
        rows = manifest.rows(table)
        paths = tuple(files[table])
        sample = sampled_rows.draw(paths, rows, python) if rows > FULL_DIGEST_ROWS else None
        expected = manifest.digests[table] if rows <= FULL_DIGEST_ROWS else _expected(rows, sample)
        given: pa.Table | None = None
        lacking: Mapping[str, str] = {}
        try:
            lacking = session.columns_lacking().get(table, {})
            if rows <= FULL_DIGEST_ROWS:
                given, lacking = _handed_out(session, table, paths, None, lacking)
                digests[table] = _digest(_in_types_of_files(session, given, paths))
            else:
                findings.append(_counted(ready.name, table, rows, sample))
                count = session.ask(row_count(table, ready.engine.dialect)).table.column(0)[0].as_py()
                digests[table] = f"rows:{count}"
                if sample is not None:
                    given, lacking = _handed_out(session, table, paths, sample, lacking)
                    loaded = _in_types_of_files(session, given, paths)
                    digests[table] += f" where {sample.predicate}: {_digest(loaded)}"
        except WorkerEnded as ended:
            # Not an accusation: whatever ended it shows in the gate, query by query.
            digests[table] = f"not read: {ended}"
            whole = ended.alive and not _opens(session, table)
            findings.append(_unread(ready.name, table, ended, whole=whole))
            continue
        if digests[table] != expected:
            counted = rows if rows <= FULL_DIGEST_ROWS else count
            looked = None if counted != rows else given
            wrong, found = _looked_into(session, table, looked, Files(paths, sample, python, expected, lacking))
            findings += found
            if not wrong:
                digests[table] = (
                    expected if not any(one.code in _UNCOMPARED for one in found) else f"{digests[table]} (in part)"
                )
                continue
            if wrong == _CHANGED:
                findings.append(_changed_files(ready.name, table, f"{digests[table]}, not {expected}"))
                continue
            remedy = _without(ready.contender, paths) if ready.contender.catalog in FORMATS else _LOOK
            text = f"{wrong}: {digests[table]}, not {expected}"
            findings.append(_other_rows(ready.contender, table, text, remedy))
    return digests, findings


def _handed_out(
    session: QuerySession, table: str, paths: tuple[str, ...], sample: Sample | None, lacking: Mapping[str, str]
) -> tuple[pa.Table, Mapping[str, str]]:
    """The rows of a table, or of a sample of it, that a contender hands out, and why columns are not among them.

    One column that its reader refuses takes no other one with it.

    Raises:
        WorkerEnded: it hands out none.
    """
    import pyarrow.parquet as pq

    dialect = session.ready.engine.dialect

    def fetched(*columns: str) -> pa.Table:
        sql = drawn_rows(table, dialect, sample, columns) if sample else every_row(table, dialect, columns)
        return session.ask(sql, partial=True).table

    try:
        return fetched(), lacking
    except WorkerEnded as ended:
        # Of frames no column is asked by name, Vortex has no such file, and a table that cannot be opened has none.
        if not ended.alive or is_frames(dialect) or not paths[0].endswith(".parquet") or not _opens(session, table):
            raise
        whys = dict(lacking)
        names = [name for name in pq.read_schema(paths[0]).names if name not in lacking]
        for name in names:
            try:
                fetched(name)
            except WorkerEnded as refused:
                if not refused.alive:
                    raise
                whys[name] = one_line(str(refused), 160)
        left = [name for name in names if name not in whys]
        if not left or len(left) == len(names):
            raise
        return fetched(*left), whys


def _opens(session: QuerySession, table: str) -> bool:
    """Whether a contender can count the rows of a table."""
    try:
        session.ask(row_count(table, session.ready.engine.dialect))
    except WorkerEnded:
        return False
    return True


def _in_types_of_files(session: QuerySession, table: pa.Table, paths: tuple[str, ...]) -> pa.Table:
    """The rows that it hands out, in the types of the files where it has a copy of its own."""
    return _as_loaded(table, paths[0]) if session.ready.engine.copies else table


def _digest(table: pa.Table) -> str:
    from weigh._native import DigestError, digest_arrow

    try:
        return str(digest_arrow(table))
    except DigestError as error:
        return one_line(str(error), 160)


def _expected(rows: int, sample: Sample | None) -> str:
    return f"rows:{rows}" + (f" where {sample.predicate}: {sample.digest}" if sample else "")


def _looked_into(session: QuerySession, table: str, given: pa.Table | None, files: Files) -> tuple[str, list[Finding]]:
    """What is wrong with rows whose digest is another one, for people; empty where their values are those of the files.

    A digest tells types apart that weigh can read alike, and it is weigh's own reader that takes it of the files: what
    counts is what PyArrow reads there as well.
    """
    import pyarrow as pa

    if given is None:
        return _OTHER_COUNT, []
    try:
        right = _right(files)
    except pa.ArrowException as error:
        why = f"PyArrow cannot read its files: {one_line(str(error), 160)}"
        return "", read_back.findings(session.ready.name, table, read_back.nothing(given, why))
    there = [at for at, name in enumerate(right.column_names) if name not in files.lacking]
    unlike = _unlike(files, right)
    changed, right = partial(_changed, files, right), right.select(there)
    if given.num_columns != right.num_columns:
        return other_rows.described(given, right), []
    found = read_back.compare(given, right, {now: unlike[at] for now, at in enumerate(there) if at in unlike})
    found = found._replace(unchecked={**found.unchecked, **files.lacking})
    findings = read_back.findings(session.ready.name, table, found)
    if found.same:
        return (_CHANGED if changed() else ""), findings
    if not found.right.num_columns:
        return f" ({given.num_rows:,} rows instead of {right.num_rows:,})", findings
    return other_rows.described(found.given, found.right), findings


def _right(files: Files) -> pa.Table:
    """The rows of the files that a contender was asked for."""
    if files.sample:
        right = sampled_rows.of(files.paths, files.sample, files.python)
    else:
        right = vortex.table(files.paths, files.python) if files.python else second_reader.table(files.paths)
    return second_reader.plain(right)


def _changed(files: Files, right: pa.Table) -> bool:
    """Whether the files hold other rows than the manifest says: rows equal to theirs are not what was given.

    The digest of a sample is that of the files as they are.
    """
    from weigh._native import DigestError, digest_arrow, digest_parquet

    if files.sample:
        return False
    try:
        digest = digest_arrow(right) if files.python else digest_parquet(list(files.paths))
    except DigestError:
        return False
    return str(digest) != files.digest


def _unlike(files: Files, right: pa.Table) -> dict[int, str]:
    """Columns that may accuse nobody; of Vortex none, whose rows were compared with those of Parquet when written."""
    if files.python:
        return {}
    if files.sample:
        return second_reader.unlike_in_files(files.paths, right.column_names)
    return second_reader.unlike(files.paths, right)


def _as_loaded(table: pa.Table, path: str) -> pa.Table:
    """A table in the types of the file that it was loaded from, as far as these say the same values."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields = pq.read_schema(path)
    if len(fields) != table.num_columns:
        return table
    columns = []
    for column, field in zip(table.columns, fields, strict=True):
        try:
            columns.append(_restored(column, field.type))
        except pa.ArrowException:
            columns.append(column)
    return pa.Table.from_arrays(columns, names=table.column_names)


def _restored(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """A column in another type, or as it is where a value would become another one."""
    import pyarrow as pa

    given = column.type
    if pa.types.is_string(given) and (pa.types.is_date(kind) or pa.types.is_timestamp(kind)):
        # Text without a zone is in UTC, and the digest knows instants alone, whatever unit they are counted in.
        return column.cast(pa.date32() if pa.types.is_date(kind) else pa.timestamp("us"))
    if pa.types.is_floating(given) and pa.types.is_decimal(kind):
        restored = column.cast(kind)
        # Only the double next to the decimal stands for it. Through text: Arrow's cast to double is off by a bit.
        return restored if restored.cast(pa.string()).cast(given).equals(column) else column
    if pa.types.is_integer(given) and pa.types.is_boolean(kind):
        restored = column.cast(kind)
        return restored if restored.cast(given).equals(column) else column
    return column


def _counted(contender: str, table: str, rows: int, sample: Sample | None) -> Finding:
    how = f"by {sample.rows:,} rows that were drawn, and by row count" if sample else "by row count, not row by row"
    code = codes.A4_SAMPLED if sample else codes.A4_COUNTED
    return code.finding(
        contender=contender,
        text=f"table {table} has {rows:,} rows: what it reads was compared {how}",
        remedy=f"up to {FULL_DIGEST_ROWS:,} rows every row is compared",
    )


def _other_rows(contender: Contender, table: str, detail: str, remedy: str) -> Finding:
    through = f", read through {TITLES[contender.catalog]}," if contender.catalog in FORMATS else ""
    return codes.A4_ROWS.finding(
        contender=contender.name,
        text=f"it answers SELECT * FROM {table}{through} with other rows than it was given{detail}",
        remedy=remedy,
    )


def _changed_files(contender: str, table: str, digests: str) -> Finding:
    return codes.D8_CHANGED.finding(
        contender=contender,
        text=f"the files of {table} hold other rows than when they were made, and it reads those: {digests}",
        remedy="the files were changed, and their manifest with them: have them made, or registered, again",
    )


def _without(contender: Contender, paths: tuple[str, ...]) -> str:
    """What to do about a reader of a table format that is wrong."""
    kind = contender.catalog
    others = [one for one in catalogs.able(kind) if one.partition("?")[0].partition("@")[0] != contender.engine]
    named = f", or read {TITLES[kind]} with {', '.join(others)}" if others else ""
    ids = "; or write the files without field ids, which these have (writer = 'duckdb')" if field_ids.has(paths) else ""
    return (
        f"its reader of {TITLES[kind]} is wrong about these files, so no answer of it is compared: leave out "
        f"?catalog={kind}{named}{ids}"
    )


def _unread(contender: str, table: str, ended: WorkerEnded, *, whole: bool = False) -> Finding:
    """That a table was not compared.

    Args:
        contender: its name.
        table: the table.
        ended: why.
        whole: whether it cannot even count its rows.
    """
    remedy = "its answers are checked all the same"
    if ended.outcome == "timeout":
        remedy += "; a longer --timeout may help"
    if whole:
        remedy = f"where one column is to blame, give {table} without it: what its reader refuses, it refuses whole"
    return codes.A4_UNREAD.finding(
        contender=contender,
        text=f"it could not hand out {table}, so the rows it reads were not compared with those on disk: {ended}",
        remedy=remedy,
    )
