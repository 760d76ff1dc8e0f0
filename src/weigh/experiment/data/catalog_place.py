"""Places of catalogs: the folders in which contenders find their files through a table format."""

from __future__ import annotations

import shutil
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.data.catalog import registration
from weigh.engines.loaded import TableFormat, Tables, tables_key
from weigh.host import scratch
from weigh.model.data.catalog import FORMATS
from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Literal

    from weigh.data.cache import CachedData
    from weigh.data.catalog.registrar import Registrar
    from weigh.model.contender import Contender
    from weigh.model.data.catalog import CatalogRead

_NAME = "catalog"


class _Place:
    """A catalog of a contender's own: another's maintenance of its tables must not touch this one's.

    Its folder is real, not a link: some formats write down, and some readers open, the path behind a link.
    """

    def __init__(self, folder: Path, kind: str, data: CachedData, registrar: Registrar) -> None:
        folder.mkdir()
        self._kind = kind
        self._registrar = registrar
        self._at = folder / "data"
        self._away = folder / "withdrawn"
        self.catalog = self._made(data)
        self.tables = self.given = _tables(self.catalog, tables_key(data.manifest))

    @contextmanager
    def withdrawn(self) -> Iterator[None]:
        self._at.rename(self._away)
        try:
            yield
        finally:
            self._away.rename(self._at)

    @contextmanager
    def showing(self, data: CachedData) -> Iterator[None]:
        """The same paths with other files behind them, registered too, while all is withdrawn."""
        try:
            self.tables = _tables(self._made(data), tables_key(data.manifest))
            yield
        finally:
            self.tables = self.given
            shutil.rmtree(self._at, ignore_errors=True)

    def _made(self, data: CachedData) -> registration.Catalog:
        manifest = data.manifest
        files = {table: [data.folder / path for path in manifest.paths(table)] for table in manifest.tables}
        return registration.make(self._kind, files, self._at, self._registrar)


class CatalogPlaces:
    """A catalog for every contender that reads through one.

    Args:
        contenders: all of the experiment.
        layouts: the data by name of its layout.
        cache: weigh's cache directory: where the files of a layout can be linked.
        registrar: who registers and reads back.

    Raises:
        UsageError, DataFault, EnvironmentFault: as :func:`weigh.data.catalog.registration.make`.
    """

    def __init__(
        self, contenders: Iterable[Contender], layouts: Mapping[str, CachedData], cache: Path, registrar: Registrar
    ) -> None:
        self._registrar = registrar
        self._reading = {one.name: one for one in contenders if one.catalog in FORMATS}
        self._numbers = count()
        self._described: dict[tuple[str, str], Tables] = {}
        self._places: dict[str, _Place] = {}
        if not self._reading:
            return
        try:
            place = cache / "catalogs"
            place.mkdir(parents=True, exist_ok=True)
            scratch.sweep_in(place, _NAME)
            self._root = scratch.made(_NAME, place)
            # Engines that run as another user must get there.
            self._root.chmod(0o755)
        except OSError as error:
            raise EnvironmentFault(
                f"catalogs cannot be stored: {error.strerror or error}",
                where=str(cache),
                remedy="free space or set WEIGH_CACHE",
            ) from error
        try:
            for name, one in self._reading.items():
                self._places[name] = _Place(self._folder(), one.catalog, layouts[one.layout], registrar)
        except BaseException:
            self.close()
            raise

    def __bool__(self) -> bool:
        return bool(self._places)

    def lacking(self, contender: str) -> Mapping[str, str]:
        """Tables that the format of a contender cannot hold, and why."""
        place = self._places.get(contender)
        return place.catalog.lacking if place else {}

    def tables(self, contender: str) -> Tables | None:
        """What a contender reads now; None where it reads through no catalog."""
        place = self._places.get(contender)
        return place.tables if place else None

    @property
    def files(self) -> list[str]:
        """Paths of the registered files."""
        return [path for place in self._places.values() for paths in place.given.paths.values() for path in paths]

    @contextmanager
    def withdrawn(self) -> Iterator[None]:
        """While this lasts, no file of any catalog can be opened."""
        with ExitStack() as stack:
            for place in self._places.values():
                stack.enter_context(place.withdrawn())
            yield

    @contextmanager
    def showing(self, data: Mapping[str, CachedData]) -> Iterator[None]:
        """While this lasts, after all was withdrawn, the same paths lead to other files.

        Args:
            data: what is shown, by name of the layout.
        """
        with ExitStack() as stack:
            for name, place in self._places.items():
                if (tables := data.get(self._reading[name].layout)) is not None:
                    stack.enter_context(place.showing(tables))
            yield

    def described(self, contender: str, tables: Tables) -> Tables:
        """Other files, registered in the format of a contender; as they are for one that reads through none.

        Raises:
            DataFault, EnvironmentFault: they cannot be registered.
        """
        if contender not in self._reading or tables.catalog is not None:
            return tables
        if (contender, tables.key) not in self._described:
            folder = self._folder()
            files = {table: [Path(path) for path in paths] for table, paths in tables.paths.items()}
            kind = self._reading[contender].catalog
            made = registration.make(kind, files, folder, self._registrar)
            self._described[contender, tables.key] = _tables(made, tables.key)
        return self._described[contender, tables.key]

    def forget(self, contender: str, tables: Tables) -> None:
        """Remove what ``described`` made of these files."""
        made = self._described.pop((contender, tables.key), None)
        if made is not None:
            # <folder>/<table>/<number>.parquet
            shutil.rmtree(Path(next(iter(made.paths.values()))[0]).parent.parent, ignore_errors=True)

    def read(self, when: Literal["before", "after"]) -> Iterator[CatalogRead]:
        """What every catalog lists now, with the hash of every file."""
        for name, place in self._places.items():
            yield registration.read(place.catalog, name, self._reading[name].layout, when, self._registrar)

    def rest(self) -> None:
        """End the processes that register: nothing of weigh's waits alongside a measurement."""
        self._registrar.rest()

    def close(self) -> None:
        """Remove the catalogs, not the data."""
        self.rest()
        if self._reading:
            shutil.rmtree(self._root, ignore_errors=True)

    def _folder(self) -> Path:
        return self._root / str(next(self._numbers))


def _tables(catalog: registration.Catalog, key: str) -> Tables:
    return Tables(catalog.paths, key, TableFormat(catalog.kind, catalog.locations))
