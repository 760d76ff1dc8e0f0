"""SQL types of the engines: what ``CAST(... AS T)`` gives, and of whom, by the engine whose type it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pathlib import Path

TABLE = "values_to_cast"
_COLUMNS = {
    "n": pa.array([1, 0, None], pa.int32()),
    "d": pa.array(["2024-02-29", "1970-01-01", None]),
    "t": pa.array(["12:34:56", "00:00:00", None]),
    "m": pa.array(["2024-02-29 12:34:56", "1970-01-01 00:00:00", None]),
    "u": pa.array(["1f07baf9-1122-3344-5566-7788990011aa", "00000000-0000-0000-0000-000000000001", None]),
    "s": pa.array(["abc", "x", None]),
    "j": pa.array(['{"a": 1}', "[1]", None]),
    "host": pa.array(["192.168.0.1/24", "::1", None]),
    "net": pa.array(["192.168.0.0/24", "10.0.0.0/8", None]),
    "mac": pa.array(["08:00:2b:01:02:03", "08:00:2b:01:02:04", None]),
    "bits": pa.array(["101", "000", None]),
    "members": pa.array(["{1,2}", "{NULL}", None]),
    "span": pa.array(["[1,5)", "empty", None]),
    "spans": pa.array(["{[1,3), [5,7)}", "{}", None]),
    "dates": pa.array(["[2024-01-01,2024-02-01)", "(,2024-01-01)", None]),
    "moments": pa.array(["[2024-01-01 10:00,2024-02-01 11:00)", "(,)", None]),
    "at": pa.array(["(1,2)", "(0.5,-3)", None]),
    "box": pa.array(["(3,4),(1,2)", "(1,1),(0,0)", None]),
    "took": pa.array(["1 year 2 mons 3 days 04:05:06.789", "-1 days", None]),
    "words": pa.array(["a b", "c", None]),
    "sought": pa.array(["a & b", "c", None]),
    "lsn": pa.array(["16/B374D848", "0/0", None]),
    "path": pa.array(["$.a", "$[*]", None]),
}
_NUMBERS = (
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "REAL",
    "DOUBLE",
    "DECIMAL(10, 2)",
    "DECIMAL(38, 10)",
)
CASTS = {
    "duckdb": {
        "n": (*_NUMBERS, "HUGEINT", "UHUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT", "BIGNUM"),
        "d": ("DATE",),
        "t": ("TIME", "TIMETZ", "TIME_NS"),
        "m": ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ", "DATETIME"),
        "u": ("UUID",),
        "s": ("VARCHAR", "TEXT", "BLOB", "VARIANT"),
    },
    "chdb": {
        "n": (
            *("Nullable(Bool)", "Nullable(Int8)", "Nullable(Int16)", "Nullable(Int128)", "Nullable(Int256)"),
            *("Nullable(UInt8)", "Nullable(UInt64)", "Nullable(UInt128)", "Nullable(UInt256)", "Nullable(Float32)"),
            *("Nullable(BFloat16)", "Nullable(Decimal(9, 2))", "Nullable(Decimal(76, 10))"),
        ),
        "d": ("Nullable(Date)", "Nullable(Date32)"),
        "m": ("Nullable(DateTime('UTC'))", "Nullable(DateTime64(3, 'UTC'))", "Nullable(DateTime64(9, 'UTC'))"),
        "u": ("Nullable(UUID)",),
        "s": (
            *("Nullable(String)", "Nullable(FixedString(3))", "LowCardinality(Nullable(String))"),
            "Nullable(Enum8('abc', 'x'))",
        ),
    },
    "datafusion": {
        "n": ("TINYINT UNSIGNED", "INT UNSIGNED", "BIGINT UNSIGNED", "FLOAT8", "DECIMAL(50, 2)"),
        "t": ("TIME",),
        "m": ("TIMESTAMP(0)", "TIMESTAMP(9)", "TIMESTAMP WITH TIME ZONE"),
        "s": ("STRING", "BYTEA"),
    },
    "postgres": {
        "n": ("NUMERIC", "INT2", "FLOAT4", "MONEY", "OID"),
        "d": ("DATE",),
        "t": ("TIME", "TIMETZ"),
        "m": ("TIMESTAMP WITHOUT TIME ZONE", "TIMESTAMPTZ", "TIMESTAMP(0)"),
        "u": ("UUID",),
        "s": ("CHAR(3)", "NAME", '"char"', "BYTEA"),
        "j": ("JSONB", "JSON"),
        "host": ("INET",),
        "net": ("CIDR",),
        "mac": ("MACADDR", "MACADDR8"),
        "bits": ("BIT(3)", "VARBIT"),
        "members": ("INT[]", "TEXT[]", "NUMERIC[]", "INT[][]"),
        "span": ("INT4RANGE", "INT8RANGE", "NUMRANGE"),
        "spans": ("INT4MULTIRANGE", "NUMMULTIRANGE"),
        "dates": ("DATERANGE",),
        "moments": ("TSRANGE", "TSTZRANGE"),
        "at": ("POINT",),
        "box": ("BOX", "LSEG"),
        "took": ("INTERVAL", "INTERVAL DAY TO SECOND"),
        "words": ("TSVECTOR",),
        "sought": ("TSQUERY",),
        "lsn": ("PG_LSN",),
        "path": ("JSONPATH",),
    },
}  # fmt: skip
"""By the engine whose types they are, and by the column that is cast. An engine refuses what it calls otherwise."""


def write(path: Path) -> None:
    """The values that are cast: a small one, another, and NULL."""
    pq.write_table(pa.table({"id": pa.array([1, 2, 3], pa.int32()), **_COLUMNS}), path)


def queries(engine: str) -> dict[str, str]:
    """Statement by SQL type."""
    return {
        kind: f"SELECT id, CAST({column} AS {kind}) AS v FROM {TABLE} ORDER BY id"
        for column, kinds in CASTS[engine].items()
        for kind in kinds
    } | OTHERS.get(engine, {})


OTHERS = {
    "postgres": {
        "ROW": f"SELECT id, ROW(n, s) AS v FROM {TABLE} ORDER BY id",
        "INT[] of a row": f"SELECT id, ARRAY[n, id] AS v FROM {TABLE} ORDER BY id",
        "TEXT COLLATE": f'SELECT id, s COLLATE "C" AS v FROM {TABLE} ORDER BY id',
        "INTERVAL of two": f"SELECT id, CAST(m AS TIMESTAMP) - TIMESTAMP '2000-01-01' AS v FROM {TABLE} ORDER BY id",
        "NUMERIC NaN": f"SELECT id, CASE n WHEN 1 THEN CAST('NaN' AS NUMERIC) ELSE n END AS v FROM {TABLE} ORDER BY id",
    },
}
"""Statements whose values are of types that no cast gives, by what they are."""
