"""Executed as a file in an engine's environment: one small table written as Parquet by the engine itself.

It imports nothing of weigh. Stdin carries a JSON object::

    {"engine": "duckdb", "values": [1, 2, ...], "files": {"snappy": path, ...}, "settings": {...}}

Stdout gets a JSON object: for each codec null, or why there is no file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

_DUCKDB = {"none": "uncompressed", "lz4": "lz4_raw"}
_DATAFUSION = {"none": "uncompressed", "zstd": "zstd(1)", "gzip": "gzip(6)", "lz4": "lz4_raw"}
_POLARS = {"none": "uncompressed"}


def _duckdb(values: list[int], codec: str, path: str, settings: dict[str, Any]) -> None:
    import duckdb

    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT unnest(?::BIGINT[]) AS n", [values])
    more = "".join(f", {name} {value}" for name, value in settings.items())
    connection.execute(f"COPY t TO '{path}' (FORMAT PARQUET, COMPRESSION {_DUCKDB.get(codec, codec)}{more})")


def _chdb(values: list[int], codec: str, path: str, settings: dict[str, Any]) -> None:
    import chdb

    # More numbers than a query may have characters.
    numbers = Path(path).with_suffix(".csv")
    numbers.write_text("\n".join(map(str, values)))
    connection = chdb.connect(":memory:")
    for name, value in {"output_format_parquet_compression_method": f"'{codec}'", **settings}.items():
        connection.query(f"SET {name} = {value}")
    source = f"file('{numbers}', CSV, 'n Int64')"
    connection.query(f"INSERT INTO FUNCTION file('{path}', Parquet) SELECT n FROM {source}")
    numbers.unlink()


def _datafusion(values: list[int], codec: str, path: str, settings: dict[str, Any]) -> None:
    import pyarrow as pa
    from datafusion import SessionContext

    context = SessionContext()
    context.register_record_batches("t", [pa.table({"n": pa.array(values, pa.int64())}).to_batches()])
    named = {"format.compression": _DATAFUSION.get(codec, codec), **settings}
    options = ", ".join(f"'{name}' '{value}'" for name, value in named.items())
    context.sql(f"COPY (SELECT * FROM t) TO '{path}' STORED AS PARQUET OPTIONS ({options})").collect()


def _polars(values: list[int], codec: str, path: str, settings: dict[str, Any]) -> None:
    import polars

    frame: Any = polars.DataFrame({"n": values})
    frame.write_parquet(path, compression=_POLARS.get(codec, codec), **settings)


def _pyarrow(values: list[int], codec: str, path: str, settings: dict[str, Any]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"n": pa.array(values, pa.int64())}), path, compression=codec, **settings)


WRITERS = {"duckdb": _duckdb, "chdb": _chdb, "datafusion": _datafusion, "polars": _polars, "pyarrow": _pyarrow}


def main() -> None:
    """Write every file, and say which could not be written."""
    job = json.load(sys.stdin)
    problems: dict[str, str | None] = {}
    for codec, path in job["files"].items():
        try:
            WRITERS[job["engine"]](job["values"], codec, path, job["settings"])
            problems[codec] = None
        except Exception as error:
            problems[codec] = f"{type(error).__name__}: {error}"
    json.dump(problems, sys.stdout)


if __name__ == "__main__":
    main()
