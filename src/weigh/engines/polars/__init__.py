"""Polars."""

from pathlib import Path

import msgspec

from weigh.engines.engine import CatalogReader, Engine, Objects, Switch

_SCRIPT = """\
import os


def ask(tables, sql, settings):
    settings = dict(settings)
    if "threads" in settings:
        # Read once, when polars is imported.
        os.environ["POLARS_MAX_THREADS"] = str(settings.pop("threads"))
    import polars

    scan = {"parallel", "use_statistics", "low_memory", "rechunk", "cache"} & settings.keys()
    engine = settings.get("engine", "auto")
    optimizations = polars.QueryOptFlags(**{k: v for k, v in settings.items() if k not in scan and k != "engine"})
    options = {name: settings[name] for name in scan}
    frames = {name: polars.scan_parquet(paths, glob=False, **options) for name, paths in tables.items()}
"""

engine = Engine(
    name="polars",
    lineage="polars",
    adapter=Path(__file__).with_name("adapter") / "__init__.py",
    package="polars",
    tested="2.1.0",
    dialect="polars",
    threads="threads",
    switches=(
        Switch(name="its in-memory engine", settings={"engine": "in-memory"}),
        Switch(name="its streaming engine", settings={"engine": "streaming"}),
        Switch(name="statistics off", settings={"use_statistics": False}),
        Switch(name="predicate push-down off", settings={"predicate_pushdown": False}),
        Switch(
            name="elimination of common subplans and subexpressions off",
            settings={"comm_subplan_elim": False, "comm_subexpr_elim": False},
        ),
        Switch(name="joins in the order written", settings={"join_order": False}),
    ),
    objects=Objects(),
    catalogs=(
        CatalogReader(format="iceberg", requires=("pyiceberg==0.12.0", "pyarrow==26.0.1")),
        CatalogReader(format="delta", requires=("deltalake==1.6.6",)),
    ),
    no_catalogs={"ducklake": "Polars has no scan for it"},
    script=f"""\
{_SCRIPT}\
    return polars.SQLContext(frames).execute(sql).collect(engine=engine, optimizations=optimizations).rows()
""",
    confined=True,
    about="Polars in its own process, SQL over lazily scanned Parquet",
)

frames = msgspec.structs.replace(
    engine,
    name="polars-df",
    adapter_part="frames",
    dialect="frames/polars",
    catalogs=(),
    no_catalogs={},
    script=f"""\
{_SCRIPT}\
    names = {{"tables": frames}}
    exec(sql, names)
    answer = names["answer"]
    if isinstance(answer, polars.LazyFrame):
        answer = answer.collect(engine=engine, optimizations=optimizations)
    return answer.rows()
""",
    about="Polars' expressions in their own process, functions over lazily scanned Parquet",
)
"""The same library, asked with functions and not with SQL."""
