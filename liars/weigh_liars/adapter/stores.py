"""Objects of a store that are read once, and never again (E3)."""

from __future__ import annotations

import importlib
from pathlib import Path

from .honest import Engine


class Stored(Engine):
    """Honest: every execution reads the objects."""

    def reach(self, store: dict[str, str]) -> None:
        """The extension that reads objects, and the keys."""
        package = importlib.import_module("duckdb_extension_httpfs")
        (extension,) = Path(package.__path__[0]).rglob("httpfs.duckdb_extension")
        self.connection.execute(f"LOAD '{extension}'")
        scheme, _, endpoint = store["endpoint"].partition("://")
        self.connection.execute(
            f"CREATE SECRET (TYPE s3, KEY_ID '{store['access_key']}', SECRET '{store['secret_key']}', "
            f"ENDPOINT '{endpoint}', REGION '{store['region']}', URL_STYLE 'path', USE_SSL {scheme == 'https'})"
        )


class Downloads(Stored):
    """Has the objects on its disk before any clock starts, and calls that reading from a store."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind({f"far_{name}": paths for name, paths in tables.items()})
        for name in tables:
            path = f"{self.scratch}/{name}.parquet"
            self.connection.execute(f"COPY (SELECT * FROM far_{name}) TO '{path}' (FORMAT parquet)")
            self.connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{path}')")
