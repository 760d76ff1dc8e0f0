"""DataFusion."""

from pathlib import Path

import msgspec

from weigh.engines.engine import CatalogReader, Engine, Objects, Switch

_PARQUET = "datafusion.execution.parquet."
_OPTIMIZER = "datafusion.optimizer."
_SCRIPT = """\
import os
import tempfile

from datafusion import SessionConfig, SessionContext


def ask(tables, sql, settings):
    config = SessionConfig()
    runtime = {name: value for name, value in settings.items() if name.startswith("datafusion.runtime.")}
    for name, value in settings.items():
        if name not in runtime:
            config = config.set(name, str(value).lower() if isinstance(value, bool) else str(value))
    context = SessionContext(config)
    for name, value in runtime.items():
        context.sql(f"SET {name} = '{value}'").collect()
    with tempfile.TemporaryDirectory() as links:
        for name, paths in tables.items():
            folder = os.path.join(links, name)
            os.mkdir(folder)
            for number, path in enumerate(paths):
                os.symlink(os.path.abspath(path), os.path.join(folder, f"{number:06}.parquet"))
            context.register_parquet(name, folder)
"""

engine = Engine(
    name="datafusion",
    lineage="datafusion",
    adapter=Path(__file__).with_name("adapter") / "__init__.py",
    package="datafusion",
    numbering="own",
    tested="55.0.0",
    dialect="datafusion",
    threads="datafusion.execution.target_partitions",
    memory="datafusion.runtime.memory_limit",
    memory_form="{mib}M",
    spill="datafusion.runtime.temp_directory",
    objects=Objects(),
    switches=(
        Switch(name="Parquet pruning off", settings={f"{_PARQUET}pruning": False}),
        Switch(name="bloom filters off", settings={f"{_PARQUET}bloom_filter_on_read": False}),
        Switch(name="page index off", settings={f"{_PARQUET}enable_page_index": False}),
        # Off as it is shipped: the reader then filters nothing itself.
        Switch(name="filters evaluated by the Parquet reader", settings={f"{_PARQUET}pushdown_filters": True}),
        Switch(name="dynamic filters off", settings={f"{_OPTIMIZER}enable_dynamic_filter_pushdown": False}),
        # Without a pass a LIMIT within a subquery is lost.
        Switch(name="no repeated optimisation", settings={f"{_OPTIMIZER}max_passes": 0}, breaks=r"(?i)\blimit\b"),
        Switch(name="sort-merge joins", settings={f"{_OPTIMIZER}prefer_hash_join": False}),
    ),
    # The interface between the two packages is that of one version of DataFusion.
    catalogs=(
        CatalogReader(
            format="delta",
            requires=("deltalake==1.6.6",),
            versions=("55.0.0",),
            why="deltalake 1.6.6 fits DataFusion 55 alone",
        ),
    ),
    no_catalogs={
        "iceberg": "DataFusion 55 refuses PyIceberg's tables, and 54 reads whole files where it should filter",
        "ducklake": "no package hands its tables to DataFusion",
    },
    script=f"""\
{_SCRIPT}\
        return [tuple(row.values()) for batch in context.sql(sql).collect() for row in batch.to_pylist()]
""",
    confined=True,
    about="DataFusion in its own process, tables over Parquet",
)

frames = msgspec.structs.replace(
    engine,
    name="datafusion-df",
    adapter_part="frames",
    dialect="frames/datafusion",
    catalogs=(),
    no_catalogs={},
    script=f"""\
{_SCRIPT}\
        names = {{"tables": {{name: context.table(name) for name in tables}}}}
        exec(sql, names)
        return [tuple(row.values()) for batch in names["answer"].collect() for row in batch.to_pylist()]
""",
    about="DataFusion's frames in their own process, functions over tables of Parquet",
)
"""The same library, asked with functions and not with SQL."""
