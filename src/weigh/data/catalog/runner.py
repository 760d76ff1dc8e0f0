"""Executed as a file in an environment of its own: files become tables of a catalog. It imports nothing of weigh.

Each line of stdin is a JSON object, and gets one line of stdout::

    {"do": "register", "kind": "iceberg", "root": "/place", "tables": {"events": ["/place/events/0000.parquet"]}}
    {"do": "list", "kind": "iceberg", "root": "/place", "tables": {"events": []}}

    {"by": "pyiceberg 0.12.0", "files": {"events": ["/place/events/0000.parquet"]}}
    {"error": "why not", "table": "events"}

``register`` describes files where they lie: none is copied, moved or written anew. ``files`` is what the catalog itself
says afterwards, read back. The files of a table lie in a folder of its name in ``root``, and so does what is made.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

ICEBERG_METADATA = "metadata/v1.metadata.json"
"""Beneath a table's folder: one file of a name that does not change."""
DUCKLAKE = "catalog.ducklake"
"""Beneath the root: one database for all tables."""
_SCHEMA = "weigh"

Tables = dict[str, list[str]]


def main() -> None:
    """Carry out line after line until nobody asks any more."""
    for line in sys.stdin:
        job = json.loads(line)
        print(json.dumps(_carried_out(job)), flush=True)


def _carried_out(job: dict[str, Any]) -> dict[str, Any]:
    made = {"iceberg": Iceberg, "ducklake": DuckLake, "delta": Delta}[job["kind"]](Path(job["root"]))
    doing = ""
    try:
        if job["do"] == "register":
            for table, paths in job["tables"].items():
                doing = table
                made.register(table, paths)
        found = {}
        for table in job["tables"]:
            doing = table
            found[table] = sorted(made.files(table))
    except Exception as error:
        return {"error": " ".join(f"{type(error).__name__}: {error}".split())[:1000], "table": doing}
    finally:
        made.close()
    return {"by": made.by(), "files": found}


class Iceberg:
    """Each table with metadata of its own, as a catalog without a server leaves it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @staticmethod
    def by() -> str:
        return f"pyiceberg {version('pyiceberg')}"

    def register(self, table: str, paths: list[str]) -> None:
        import pyarrow.parquet as pq
        from pyiceberg.catalog.memory import InMemoryCatalog

        place = self.root / table
        catalog = InMemoryCatalog(_SCHEMA, warehouse=self.root.as_uri())
        catalog.create_namespace(_SCHEMA)
        made = catalog.create_table(
            (_SCHEMA, table),
            schema=pq.read_schema(paths[0]),
            location=f"file://{place}",
            properties={"format-version": "2"},
        )
        made.add_files([f"file://{path}" for path in paths])
        last = Path(_path(made.metadata_location))
        # Readers look for the newest by its name: there is one, whose name is always the same.
        last.rename(place / ICEBERG_METADATA)
        for other in (place / ICEBERG_METADATA).parent.glob("0*.metadata.json"):
            other.unlink()

    def files(self, table: str) -> list[str]:
        from pyiceberg.table import StaticTable

        scan = StaticTable.from_metadata(f"file://{self.root / table / ICEBERG_METADATA}").scan()
        tasks = list(scan.plan_files())
        if any(task.delete_files for task in tasks):
            raise ValueError("it holds files of deleted rows")
        return [_path(task.file.file_path) for task in tasks]

    def close(self) -> None:
        """Nothing is open."""


class DuckLake:
    """One DuckDB database that describes all tables."""

    def __init__(self, root: Path) -> None:
        import duckdb

        (extension,) = _extension("ducklake")
        off = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
        self.connection = duckdb.connect(":memory:", config={**off, "threads": 1})
        self.connection.execute(f"LOAD {_quoted(str(extension))}")
        self.connection.execute(
            f"ATTACH {_quoted(f'ducklake:{root / DUCKLAKE}')} AS lake (DATA_PATH {_quoted(f'{root}/')})"
        )

    @staticmethod
    def by() -> str:
        return f"DuckDB {version('duckdb')} with ducklake {version('duckdb-extension-ducklake')}"

    def register(self, table: str, paths: list[str]) -> None:
        self.connection.execute(
            f'CREATE TABLE lake."{table}" AS SELECT * FROM read_parquet({_quoted(paths[0])}) LIMIT 0'
        )
        for path in paths:
            self.connection.execute(f"CALL ducklake_add_data_files('lake', {_quoted(table)}, {_quoted(path)})")

    def files(self, table: str) -> list[str]:
        found = self.connection.execute(
            f"SELECT data_file, delete_file FROM ducklake_list_files('lake', {_quoted(table)})"
        ).fetchall()
        if any(deleted for _, deleted in found):
            raise ValueError("it holds files of deleted rows")
        return [str(path) for path, _ in found]

    def close(self) -> None:
        self.connection.close()


class Delta:
    """Each table with a log beside its files."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @staticmethod
    def by() -> str:
        return f"deltalake {version('deltalake')}"

    def register(self, table: str, paths: list[str]) -> None:
        from deltalake import convert_to_deltalake

        there = sorted(str(path) for path in (self.root / table).iterdir())
        if there != sorted(paths):
            raise ValueError(f"its folder holds other files than these: {there}")
        convert_to_deltalake(str(self.root / table))

    def files(self, table: str) -> list[str]:
        from deltalake import DeltaTable

        return [_path(uri) for uri in DeltaTable(str(self.root / table)).file_uris()]

    def close(self) -> None:
        """Nothing is open."""


def _extension(name: str) -> list[Path]:
    """The extension out of its package: nothing is downloaded, nothing is installed."""
    from importlib.resources import files

    return list(Path(str(files(f"duckdb_extension_{name}"))).glob(f"extensions/*/{name}.duckdb_extension"))


def _path(uri: str) -> str:
    return unquote(urlsplit(uri).path) if uri.startswith("file:") else uri


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


if __name__ == "__main__":
    main()
