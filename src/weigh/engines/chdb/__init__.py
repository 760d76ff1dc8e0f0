"""chDB: ClickHouse in a process."""

from pathlib import Path

from weigh.engines.engine import CatalogReader, Engine, Objects, ResultCache, Switch

engine = Engine(
    name="chdb",
    lineage="clickhouse",
    adapter=Path(__file__).with_name("adapter.py"),
    package="chdb",
    numbering="own",
    tested="4.4.0",
    # chdb and chdb-core are released apart: chdb alone would resolve to whatever core is newest.
    tested_pins=("chdb-core==26.9.0",),
    dialect="clickhouse",
    lacks=("nested",),
    threads="max_threads",
    memory="max_memory_usage",
    objects=Objects(
        settings={"s3_retry_attempts": 2, "s3_connect_timeout_ms": 5_000, "s3_request_timeout_ms": 30_000},
    ),
    checksums="input_format_parquet_verify_checksums",
    switches=(
        Switch(name="bloom filter push-down off", settings={"input_format_parquet_bloom_filter_push_down": 0}),
        Switch(name="filter push-down off", settings={"input_format_parquet_filter_push_down": 0}),
        Switch(name="PREWHERE off", settings={"optimize_move_to_prewhere": 0}),
    ),
    caches=(ResultCache(setting="use_query_cache", off=("0", "false")),),
    catalogs=(CatalogReader(format="iceberg"), CatalogReader(format="delta")),
    no_catalogs={"ducklake": "ClickHouse has no function for it"},
    script="""\
import chdb
import pyarrow as pa


def ask(tables, sql, settings):
    def literal(value):
        if isinstance(value, (bool, int, float)):
            return repr(int(value) if isinstance(value, bool) else value)
        return "'" + value.replace("\\\\", "\\\\\\\\").replace("'", "\\\\'") + "'"

    connection = chdb.connect(":memory:")
    for name, value in settings.items():
        connection.query(f"SET {name} = {literal(value)}")
    for name, paths in tables.items():
        parts = " UNION ALL ".join(
            f"SELECT * FROM file({literal(path)}, Parquet)" + " SETTINGS use_hive_partitioning = 0" * ("=" in path)
            for path in paths
        )
        connection.query(f"CREATE VIEW `{name}` AS {parts}")
    table = pa.ipc.open_stream(connection.query(sql, "ArrowStream").bytes()).read_all()
    return list(zip(*(column.to_pylist() for column in table.columns)))
""",
    confined=True,
    about="chDB (embedded ClickHouse) in its own process, views over Parquet",
)
