"""An engine that commits one lie, named by its setting ``lie``; with ``lie=none`` it is its own honest twin.

A plug-in for `weigh lies --run` and for the tests; nothing else finds it (plug_in.py).
"""

from pathlib import Path

import msgspec

from weigh.plugins import CatalogReader, Engine, Objects

engine = Engine(
    name="liar",
    lineage="liar",
    adapter=Path(__file__).parent / "adapter" / "__init__.py",
    package="duckdb",
    tested="2.0.0",
    dialect="duckdb",
    threads="threads",
    memory="memory_limit",
    spill="temp_directory",
    objects=Objects(
        requires=("duckdb-extension-httpfs=={version}",),
        settings={"lie": "objects", "enable_external_file_cache": False},
        versions=("1.5.5",),
        lacks="its extension httpfs, which reads objects, has packages up to version 1.5.5",
    ),
    catalogs=(CatalogReader(format="delta"),),
    ingests=True,
    writes=True,
    about="DuckDB behind an adapter that lies when it is told to",
)

fork = msgspec.structs.replace(
    engine, name="fork", lineage="duckdb", about="the same engine as another version of DuckDB: it shares DuckDB's vote"
)

wrapped = msgspec.structs.replace(
    engine,
    name="wrapped",
    package="duckdb-engine",
    tested="0.17.0",
    numbering="own",
    about="the same engine, by the versions of a package that asks for any DuckDB",
)
"""R10: whatever version of it is named, the newest DuckDB is loaded."""

licensed = msgspec.structs.replace(
    engine,
    name="licensed",
    terms=(
        "the licensee may not disclose results of benchmark tests without the vendor's prior written consent "
        "(clause 4 of a licence made up for weigh's tests)"
    ),
    about="the same engine under a licence that forbids to publish its results",
)
"""R8: a clause of the kind that is called after David DeWitt."""
