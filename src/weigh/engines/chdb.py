"""chDB: ClickHouse in a process."""

from pathlib import Path

from weigh.engines.engine import Engine, ResultCache, Switch

engine = Engine(
    name="chdb",
    lineage="clickhouse",
    adapter=Path(__file__).with_name("chdb_adapter.py"),
    package="chdb",
    tested="4.4.0",
    # chdb and chdb-core are released apart: chdb alone would resolve to whatever core is newest.
    tested_pins=("chdb-core==26.9.0",),
    dialect="clickhouse",
    threads="max_threads",
    switches=(
        Switch(name="bloom filter push-down off", settings={"input_format_parquet_bloom_filter_push_down": 0}),
        Switch(name="filter push-down off", settings={"input_format_parquet_filter_push_down": 0}),
        Switch(name="PREWHERE off", settings={"optimize_move_to_prewhere": 0}),
    ),
    caches=(ResultCache(setting="use_query_cache", off=("0", "false")),),
    about="chDB (embedded ClickHouse) in its own process, views over Parquet",
)
