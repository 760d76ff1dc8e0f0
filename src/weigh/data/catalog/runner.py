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
from abc import ABC, abstractmethod
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

ICEBERG_METADATA = "metadata/v1.metadata.json"
"""Beneath a table's folder: one file of a name that does not change."""
DUCKLAKE = "catalog.ducklake"
"""Beneath the root: one database for all tables."""
_SCHEMA = "weigh"


class Format(ABC):
    """The tables of one format.

    Args:
        root: where they are, or will be.
    """

    packages: tuple[str, ...]

    def __init__(self, root: Path) -> None:
        self.root = root

    @abstractmethod
    def register(self, table: str, paths: list[str]) -> None:
        """Make a table of these files."""

    @abstractmethod
    def listed(self, table: str) -> list[str]:
        """Paths of the files that a table has now, each as often as it is registered."""

    def close(self) -> None:  # noqa: B027
        """Leave nothing open."""

    def by(self) -> str:
        """Who does this, with its version."""
        return " with ".join(f"{name} {version(name)}" for name in self.packages)


class Iceberg(Format):
    """Each table with metadata of its own, as a catalog without a server leaves it."""

    packages = ("pyiceberg",)

    def register(self, table: str, paths: list[str]) -> None:
        """By ``add_files``."""
        import pyarrow as pa
        import pyarrow.parquet as pq
        from pyiceberg.catalog.memory import InMemoryCatalog

        place = self.root / table
        catalog = InMemoryCatalog(_SCHEMA, warehouse=self.root.as_uri())
        catalog.create_namespace(_SCHEMA)
        made = catalog.create_table(
            (_SCHEMA, table),
            # A column may be NULL where it may be in one of the files.
            schema=pa.unify_schemas([pq.read_schema(path) for path in paths], promote_options="permissive"),
            location=f"file://{place}",
            properties={"format-version": "2"},
        )
        made.add_files([f"file://{path}" for path in paths])
        # Readers look for the newest by its name: there is one, whose name is always the same.
        Path(_path(made.metadata_location)).rename(place / ICEBERG_METADATA)
        for other in (place / ICEBERG_METADATA).parent.glob("0*.metadata.json"):
            other.unlink()

    def listed(self, table: str) -> list[str]:
        """What its newest snapshot names; a scan would leave out files without a row."""
        from pyiceberg.table import StaticTable

        made = StaticTable.from_metadata(f"file://{self.root / table / ICEBERG_METADATA}")
        files = made.inspect.files().select(["content", "file_path"]).to_pylist()
        if any(one["content"] for one in files):
            raise ValueError("it holds files of deleted rows")
        return [_path(one["file_path"]) for one in files]


class DuckLake(Format):
    """One DuckDB database that describes all tables."""

    packages = ("duckdb", "duckdb-extension-ducklake")

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        import duckdb

        # Out of its package: nothing is downloaded, nothing is installed.
        (extension,) = Path(str(files("duckdb_extension_ducklake"))).glob("extensions/*/ducklake.duckdb_extension")
        off = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
        self.connection = duckdb.connect(":memory:", config={**off, "threads": 1})
        self.connection.execute(f"LOAD {_quoted(str(extension))}")
        database = f"ducklake:{root / DUCKLAKE}"
        self.connection.execute(f"ATTACH {_quoted(database)} AS lake (DATA_PATH {_quoted(f'{root}/')})")

    def register(self, table: str, paths: list[str]) -> None:
        """By ``ducklake_add_data_files``, which takes a file twice."""
        self.connection.execute(
            f'CREATE TABLE lake."{table}" AS '
            f"SELECT * FROM read_parquet({_quoted(paths[0])}, hive_partitioning = false) LIMIT 0"
        )
        for path in paths:
            self.connection.execute(f"CALL ducklake_add_data_files('lake', {_quoted(table)}, {_quoted(path)})")

    def listed(self, table: str) -> list[str]:
        """What it lists itself."""
        found = self.connection.execute(
            f"SELECT data_file, delete_file FROM ducklake_list_files('lake', {_quoted(table)})"
        ).fetchall()
        if any(deleted for _, deleted in found):
            raise ValueError("it holds files of deleted rows")
        return [str(path) for path, _ in found]

    def close(self) -> None:
        """The database must be whole when its readers open it."""
        self.connection.close()


class Delta(Format):
    """Each table with a log beside its files."""

    packages = ("deltalake",)

    def register(self, table: str, paths: list[str]) -> None:
        """By ``convert_to_deltalake``, which takes all files of a folder."""
        from deltalake import convert_to_deltalake

        there = sorted(str(path) for path in (self.root / table).iterdir())
        if there != sorted(paths):
            raise ValueError(f"its folder holds other files than these: {there}")
        convert_to_deltalake(str(self.root / table))

    def listed(self, table: str) -> list[str]:
        """What its log says."""
        from deltalake import DeltaTable

        return [_path(uri) for uri in DeltaTable(str(self.root / table)).file_uris()]


FORMATS: dict[str, type[Format]] = {"iceberg": Iceberg, "ducklake": DuckLake, "delta": Delta}


def main() -> None:
    """Carry out line after line until nobody asks any more."""
    for line in sys.stdin:
        sys.stdout.write(json.dumps(carried_out(json.loads(line))) + "\n")
        sys.stdout.flush()


def carried_out(job: dict[str, Any]) -> dict[str, Any]:
    """The reply to one request."""
    doing, made = "", None
    try:
        made = FORMATS[job["kind"]](Path(job["root"]))
        if job["do"] == "register":
            for table, paths in job["tables"].items():
                doing = table
                made.register(table, paths)
        found = {}
        for table in job["tables"]:
            doing = table
            found[table] = sorted(made.listed(table))
        return {"by": made.by(), "files": found}
    except Exception as error:
        return {"error": " ".join(f"{type(error).__name__}: {error}".split())[:1000], "table": doing}
    finally:
        if made is not None:
            made.close()


def _path(uri: str) -> str:
    return unquote(urlsplit(uri).path) if uri.startswith("file:") else uri


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


if __name__ == "__main__":
    main()
