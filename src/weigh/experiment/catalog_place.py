"""The place of a catalog: the folder in which one contender finds its files through a table format."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from weigh.data.catalog import registration
from weigh.engines.loaded import TableFormat, Tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Literal

    from weigh.data.cache import CachedData
    from weigh.data.catalog.registrar import Registrar
    from weigh.model.catalog import CatalogRead


class CatalogPlace:
    """A catalog of a contender's own: another's maintenance of its tables must not be this one's.

    Its folder is real, not a link: what some formats write down, and some readers open, is the path behind a link.

    Args:
        folder: where it is made, on the file system of the layout.
        kind: of format.
        data: the layout.
        registrar: who registers and reads.

    Raises:
        UsageError, DataFault, EnvironmentFault: as :func:`weigh.data.catalog.registration.make`.
    """

    def __init__(self, folder: Path, kind: str, data: CachedData, registrar: Registrar) -> None:
        folder.mkdir()
        self._kind = kind
        self._registrar = registrar
        self._at = folder / "data"
        self._away = folder / "withdrawn"
        self._catalog = self._made(data)
        self.tables = self._tables(self._catalog, data)

    def read(self, contender: str, layout: str, when: Literal["before", "after"]) -> CatalogRead:
        """What it lists now, with the hash of every file."""
        return registration.read(self._catalog, contender, layout, when, self._registrar)

    @contextmanager
    def withdrawn(self) -> Iterator[None]:
        """While this lasts, neither the files nor their description can be opened."""
        self._at.rename(self._away)
        try:
            yield
        finally:
            self._away.rename(self._at)

    @contextmanager
    def showing(self, data: CachedData) -> Iterator[Tables]:
        """The same paths with other files behind them, registered too, while all is withdrawn."""
        try:
            yield self._tables(self._made(data), data)
        finally:
            shutil.rmtree(self._at, ignore_errors=True)

    def _made(self, data: CachedData) -> registration.Catalog:
        manifest = data.manifest
        files = {table: [data.folder / path for path in manifest.paths(table)] for table in manifest.tables}
        return registration.make(self._kind, files, self._at, self._registrar)

    @staticmethod
    def _tables(catalog: registration.Catalog, data: CachedData) -> Tables:
        from weigh._native import hash_bytes

        key = hash_bytes(" ".join(f"{file.table}:{file.blake3}" for file in data.manifest.files).encode())
        return Tables(catalog.paths, key, TableFormat(catalog.kind, catalog.locations))
