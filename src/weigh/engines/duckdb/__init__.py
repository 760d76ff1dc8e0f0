"""DuckDB."""

from pathlib import Path

from weigh.engines.engine import CatalogReader, Engine, Objects, Switch

_WHEELS = "1.5.5"
"""The newest version for which extensions can be had as packages; weigh downloads none from elsewhere."""
_NEWER = f"its extensions are on PyPI for {_WHEELS} and not for other versions that weigh has tried"


def _by_extension(format_: str, *extensions: str) -> CatalogReader:
    requires = tuple(f"duckdb-extension-{name}=={_WHEELS}" for name in extensions)
    return CatalogReader(format=format_, requires=requires, versions=(_WHEELS,), why=_NEWER)


engine = Engine(
    name="duckdb",
    lineage="duckdb",
    adapter=Path(__file__).with_name("adapter.py"),
    package="duckdb",
    tested="2.0.0",
    dialect="duckdb",
    threads="threads",
    memory="memory_limit",
    memory_form="{mib}MiB",
    spill="temp_directory",
    objects=Objects(
        requires=("duckdb-extension-httpfs=={version}",),
        settings={"enable_external_file_cache": False},
        versions=("1.5.5",),
        lacks="its extension httpfs, which reads objects, has packages up to version 1.5.5",
    ),
    ingests=True,
    writes=True,
    switches=(
        Switch(name="filter push-down off", settings={"disabled_optimizers": "filter_pushdown"}),
        Switch(name="statistics off", settings={"disabled_optimizers": "statistics_propagation"}),
        Switch(
            name="all optimizers of joins and filters off",
            settings={"disabled_optimizers": "filter_pushdown,filter_pullup,join_order,statistics_propagation"},
        ),
    ),
    catalogs=(
        _by_extension("iceberg", "avro", "iceberg"),
        _by_extension("ducklake", "ducklake"),
        _by_extension("delta", "delta"),
    ),
    formats=(_by_extension("vortex", "vortex"),),
    script="""\
import duckdb


def ask(tables, sql, settings):
    fixed = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    connection = duckdb.connect(config={**fixed, **settings})
    for name, paths in tables.items():
        files = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
        connection.execute(f'CREATE VIEW "{name}" AS SELECT * FROM read_parquet([{files}], hive_partitioning = false)')
    return connection.execute(sql).fetchall()
""",
    confined=True,
    about="DuckDB in its own process, views over Parquet",
)
