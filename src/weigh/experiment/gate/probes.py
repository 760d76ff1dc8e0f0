"""Probes before the clock: does a contender read what it was given?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.engines.process import WorkerEnded
from weigh.experiment.gate.queries import QuerySession
from weigh.model import codes

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.data_link import DataLink
    from weigh.model.dataset import Manifest
    from weigh.model.finding import Finding

FULL_DIGEST_ROWS = 2_000_000
"""Up to here every row that a contender sees is digested; above, its row count alone is compared, and said."""


def reads(
    ready: PreparedContender, manifest: Manifest, stage: DataLink, timeout: float
) -> tuple[dict[str, str], list[Finding]]:
    """What a contender sees in its tables (A4), as digest or row count by table.

    Everything it sees is fetched through the engine itself: a wrong path, a stale copy or a lost row shows. An engine
    with a copy of its own may hold it in poorer types (a date in text); what it hands out is first read in those of the
    files.
    """
    from weigh._native import digest_arrow

    seen: dict[str, str] = {}
    findings = []
    with QuerySession(ready, stage, timeout) as interview:
        for table in manifest.tables:
            rows = manifest.rows(table)
            expected = manifest.digests[table] if rows <= FULL_DIGEST_ROWS else f"rows:{rows}"
            try:
                if rows <= FULL_DIGEST_ROWS:
                    rows_seen = interview.ask(f"SELECT * FROM {table}").table
                    if ready.engine.stores:
                        rows_seen = _as_loaded(rows_seen, stage.tables.paths[table][0])
                    seen[table] = str(digest_arrow(rows_seen))
                else:
                    findings.append(_counted(ready.name, table, rows))
                    count = interview.ask(f"SELECT count(*) AS n FROM {table}").table
                    seen[table] = f"rows:{count.column(0)[0].as_py()}"
            except WorkerEnded as ended:
                # Not an accusation: whatever ended it shows in the gate, query by query.
                seen[table] = f"not read: {ended}"
                findings.append(_unread(ready.name, table, ended))
                continue
            if seen[table] != expected:
                findings.append(_other_rows(ready.name, table, seen[table], expected))
    return seen, findings


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


def _counted(contender: str, table: str, rows: int) -> Finding:
    return codes.A4_COUNTED.finding(
        contender=contender,
        text=f"table {table} has {rows:,} rows: what it reads was compared by row count, not row by row",
        remedy=f"up to {FULL_DIGEST_ROWS:,} rows every row is compared",
    )


def _other_rows(contender: str, table: str, seen: str, expected: str) -> Finding:
    return codes.A4_ROWS.finding(
        contender=contender,
        text=f"it answers SELECT * FROM {table} with other rows than it was given: {seen}, not {expected}",
        remedy="look at how its adapter binds tables; no answer of it is compared",
    )


def _unread(contender: str, table: str, ended: WorkerEnded) -> Finding:
    return codes.A4_UNREAD.finding(
        contender=contender,
        text=f"it could not hand out {table}, so the rows it reads were not compared with those on disk: {ended}",
        remedy="its answers are checked all the same; a longer --timeout may help",
    )
