"""Executed as a file in an environment of its own: files become tables of a catalog. It imports nothing of weigh.

Each line of stdin is a JSON object, and gets one line of stdout::

    {"do": "register", "kind": "iceberg", "root": "/place", "tables": {"events": ["/place/events/0000.parquet"]}}
    {"do": "list", "kind": "iceberg", "root": "/place", "tables": {"events": []}}

    {"do": "current", "kind": "delta", "root": "/place", "tables": {"events": []}}

    {"by": "pyiceberg 0.12.0", "files": {"events": ["/place/events/0000.parquet"]}}
    {"error": "why not", "table": "events"}

``register`` describes files where they lie: none is copied, moved or written anew. ``files`` is what the catalog itself
says afterwards, read back. The files of a table lie in a folder of its name in ``root``, and so does what is made.
``current`` is what a table of somebody else holds now: its reply also has ``snapshot``, a text, and ``columns``, a
list; it is an error where its files alone are not its rows.
"""

from __future__ import annotations

import json
import re
import sys
from abc import ABC, abstractmethod
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

ICEBERG_METADATA = "metadata/v1.metadata.json"
"""Beneath a table's folder: one file of a name that does not change."""
DUCKLAKE = "catalog.ducklake"
"""Beneath the root: one database for all tables."""
_SCHEMA = "weigh"
_METADATA = re.compile(r"v?(\d+)(?:-[0-9a-f-]+)?\.metadata\.json$")


class Snapshot(NamedTuple):
    """A table as it is now.

    Attributes:
        name: of the version, for people.
        files: paths of its files.
        columns: their names.
    """

    name: str
    files: list[str]
    columns: list[str]


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

    def current(self, table: str) -> Snapshot:
        """What a table that somebody else made holds now.

        Raises:
            ValueError: its files alone are not its rows.
        """
        raise ValueError(f"tables of {table}'s format are not read so")

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
        return self._read(self.root / table / ICEBERG_METADATA).files

    def current(self, table: str) -> Snapshot:
        """By the newest of its files of metadata, or the one that ``version-hint.text`` names."""
        return self._read(_iceberg_metadata(self.root / table / "metadata"))

    def _read(self, metadata: Path) -> Snapshot:
        from pyiceberg.table import StaticTable

        made = StaticTable.from_metadata(f"file://{metadata}")
        now = made.current_snapshot()
        files = made.inspect.files().select(["content", "file_path", "file_format"]).to_pylist() if now else []
        if any(one["content"] for one in files):
            raise ValueError("it holds files of deleted rows")
        if other := next((one["file_format"] for one in files if one["file_format"].upper() != "PARQUET"), None):
            raise ValueError(f"it holds files of {other}")
        name = f"snapshot {now.snapshot_id} of {metadata.name}" if now else f"{metadata.name}, without a snapshot"
        return Snapshot(name, [_path(one["file_path"]) for one in files], list(made.schema().column_names))


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
    """Each table with a log alongside its files."""

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

    def current(self, table: str) -> Snapshot:
        """By its log."""
        from deltalake import DeltaTable

        made = DeltaTable(str(self.root / table))
        features, metadata = made.protocol().reader_features or [], made.metadata()
        if "deletionVectors" in features:
            raise ValueError("it may hold deletion vectors")
        if metadata.configuration.get("delta.columnMapping.mode", "none") != "none":
            raise ValueError("its columns are mapped to other names")
        if metadata.partition_columns:
            raise ValueError(f"its columns {', '.join(metadata.partition_columns)} are in names of folders alone")
        columns = [field.name for field in made.schema().fields]
        return Snapshot(f"version {made.version()} of its log", [_path(uri) for uri in made.file_uris()], columns)


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
        if job["do"] == "current":
            (doing,) = job["tables"]
            now = made.current(doing)
            return {"by": made.by(), "files": {doing: sorted(now.files)}, "snapshot": now.name, "columns": now.columns}
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


def _iceberg_metadata(folder: Path) -> Path:
    """The file of a table's metadata that is current.

    Raises:
        ValueError: there is none, or two claim to be the newest.
    """
    hint = folder / "version-hint.text"
    if hint.is_file():
        version = hint.read_text().strip()
        named = [folder / f"{name}.metadata.json" for name in (f"v{version}", version)]
        found = [one for one in named if one.is_file()]
        if not found:
            raise ValueError(f"version-hint.text names {version}, which is not there")
        return found[0]
    numbered = [(int(match[1]), one) for one in folder.iterdir() if (match := _METADATA.match(one.name))]
    newest = [one for number, one in numbered if number == max(number for number, _ in numbered)]
    if len(newest) != 1:
        raise ValueError(f"two are the newest: {', '.join(sorted(one.name for one in newest))}" if newest else "empty")
    return newest[0]


def _path(uri: str) -> str:
    return unquote(urlsplit(uri).path) if uri.startswith("file:") else uri


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


if __name__ == "__main__":
    main()
