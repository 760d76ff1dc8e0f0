"""Polars."""

from pathlib import Path

from weigh.engines.engine import CatalogReader, Engine, Objects, Switch

engine = Engine(
    name="polars",
    lineage="polars",
    adapter=Path(__file__).with_name("adapter.py"),
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
    script="""\
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
    return polars.SQLContext(frames).execute(sql).collect(engine=engine, optimizations=optimizations).rows()
""",
    confined=True,
    about="Polars in its own process, SQL over lazily scanned Parquet",
)
