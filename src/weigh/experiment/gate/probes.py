"""Probes before the clock: does a contender read what it was given?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.answers import compare
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate import sampled_rows
from weigh.experiment.gate.queries import QuerySession
from weigh.model import codes
from weigh.model.answer import Column, ResultSchema
from weigh.model.catalog import FORMATS, TITLES
from weigh.model.text import one_line
from weigh.workloads import infer_schema

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.data_link import DataLink
    from weigh.experiment.gate.sampled_rows import Sample
    from weigh.model.contender import Contender
    from weigh.model.dataset import Manifest
    from weigh.model.finding import Finding

FULL_DIGEST_ROWS = 2_000_000
"""Up to here every row that a contender sees is digested; above, a sample and the row count are compared, and said."""
_SHOWN_ROWS = 200_000
"""Rows of a table up to which the one that differs is looked for."""


def reads(
    ready: PreparedContender, manifest: Manifest, stage: DataLink, timeout: float
) -> tuple[dict[str, str], list[Finding]]:
    """What a contender sees in its tables (A4), as digest or row count by table.

    Everything it sees is fetched through the engine itself: a wrong path, a stale copy or a lost row shows. An engine
    with a copy of its own may hold it in poorer types (a date in text); what it hands out is first read in those of the
    files.
    """
    seen: dict[str, str] = {}
    findings = []
    with QuerySession(ready, stage, timeout) as interview:
        for table in manifest.tables:
            rows = manifest.rows(table)
            paths = tuple(stage.tables(ready).paths[table])
            sample = sampled_rows.draw(paths, rows) if rows > FULL_DIGEST_ROWS else None
            expected = manifest.digests[table] if rows <= FULL_DIGEST_ROWS else _expected(rows, sample)
            given: pa.Table | None = None
            try:
                if rows <= FULL_DIGEST_ROWS:
                    given = _asked(interview, f"SELECT * FROM {table}", paths)
                    seen[table] = _digest(given)
                else:
                    findings.append(_counted(ready.name, table, rows, sample))
                    count = interview.ask(f"SELECT count(*) AS n FROM {table}").table.column(0)[0].as_py()
                    seen[table] = f"rows:{count}"
                    if sample is not None:
                        some = _asked(interview, f"SELECT * FROM {table} WHERE {sample.predicate}", paths)
                        seen[table] += f" where {sample.predicate}: {_digest(some)}"
            except WorkerEnded as ended:
                # Not an accusation: whatever ended it shows in the gate, query by query.
                seen[table] = f"not read: {ended}"
                findings.append(_unread(ready.name, table, ended))
                continue
            if seen[table] != expected:
                findings.append(_other_rows(ready.contender, table, seen[table], expected, _shown(given, paths)))
    return seen, findings


def _asked(interview: QuerySession, sql: str, paths: tuple[str, ...]) -> pa.Table:
    """The rows that it hands out, in the types of the files where it has a copy of its own."""
    table = interview.ask(sql).table
    return _as_loaded(table, paths[0]) if interview.ready.engine.stores else table


def _digest(table: pa.Table) -> str:
    from weigh._native import digest_arrow

    return str(digest_arrow(table))


def _expected(rows: int, sample: Sample | None) -> str:
    return f"rows:{rows}" + (f" where {sample.predicate}: {sample.digest}" if sample else "")


def _shown(given: pa.Table | None, paths: tuple[str, ...]) -> str:
    """The first cell or row in which the rows of a table that is not too large differ from those of the files."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    if given is None or given.num_rows > _SHOWN_ROWS:
        return ""
    right = pq.read_table(list(paths))
    # What PyArrow makes of some writers' texts cannot be counted.
    views = (field.with_type(pa.string()) if pa.types.is_string_view(field.type) else field for field in right.schema)
    right = right.cast(pa.schema(views))
    if right.num_rows > _SHOWN_ROWS or given.num_columns != right.num_columns:
        return ""
    columns = tuple(Column(name=field.name, kind=infer_schema.kind(field.type)) for field in right.schema)
    unique = (at for at, one in enumerate(right.columns) if pc.count_distinct(one).as_py() == right.num_rows)
    key = next(unique, None)
    schema = ResultSchema(columns=columns, keys=() if key is None else (key,))
    compared = compare.compare(given.rename_columns(right.column_names), right, schema)
    cells = [one for one in compared.differences if one.column != "(rows)"] or compared.differences
    return f" ({one_line(str(cells[0]), 200)})" if cells else ""


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


def _other_rows(contender: Contender, table: str, seen: str, expected: str, shown: str) -> Finding:
    through = f", read through {TITLES[contender.catalog]}," if contender.catalog in FORMATS else ""
    return codes.A4_ROWS.finding(
        contender=contender.name,
        text=f"it answers SELECT * FROM {table}{through} with other rows than it was given{shown}: {seen}, not "
        f"{expected}",
        remedy=f"its reader of {TITLES[contender.catalog]} is wrong about these files; no answer of it is compared"
        if through
        else "look at how its adapter binds tables; no answer of it is compared",
    )


def _unread(contender: str, table: str, ended: WorkerEnded) -> Finding:
    return codes.A4_UNREAD.finding(
        contender=contender,
        text=f"it could not hand out {table}, so the rows it reads were not compared with those on disk: {ended}",
        remedy="its answers are checked all the same; a longer --timeout may help",
    )
