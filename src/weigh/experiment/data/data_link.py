"""Where contenders see the data: links to it, so that it can be withdrawn from them."""

from __future__ import annotations

import shutil
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Literal

from weigh.data import unseen
from weigh.data.data_values import DataValues
from weigh.engines.exchange import WorkerEnded
from weigh.engines.loaded import Tables, tables_key
from weigh.host import scratch
from weigh.model.data.store import TMPFS
from weigh.model.errors import WeighError
from weigh.model.sample import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from weigh.data.cache import CachedData
    from weigh.data.data_values import Environment
    from weigh.engines.prepared import PreparedContender
    from weigh.engines.process import WorkerProcess
    from weigh.experiment.data.catalog_place import CatalogPlaces
    from weigh.experiment.data.stores import Stores
    from weigh.model.contender import Setting
    from weigh.model.data.catalog import CatalogRead
    from weigh.model.dataset import Manifest
    from weigh.model.units import Rows


def tables_of(folder: Path, manifest: Manifest) -> Tables:
    """The tables of a manifest whose files lie in ``folder``."""
    paths = {table: [str(folder / path) for path in manifest.paths(table)] for table in manifest.tables}
    return Tables(paths, tables_key(manifest), folder=str(folder))


class _Place:
    """One layout: a symbolic link to its folder.

    Args:
        folder: where the link is made.
        data: the layout.
    """

    def __init__(self, folder: Path, data: CachedData) -> None:
        folder.mkdir()
        self._link = folder / "data"
        self._link.symlink_to(data.folder.resolve(), target_is_directory=True)
        self._away = folder / "withdrawn"
        self.tables = self.given = tables_of(self._link, data.manifest)

    @contextmanager
    def withdrawn(self) -> Iterator[None]:
        self._link.rename(self._away)
        try:
            yield
        finally:
            self._away.rename(self._link)

    @contextmanager
    def showing(self, data: CachedData) -> Iterator[None]:
        """The same paths with other files behind them, while all is withdrawn."""
        self._link.symlink_to(data.folder.resolve(), target_is_directory=True)
        try:
            self.tables = tables_of(self._link, data.manifest)
            yield
        finally:
            self.tables = self.given
            self._link.unlink()


class DataLink:
    """A symbolic link to the folder of every layout, and the catalogs that describe some of them.

    An engine that has really executed a query does not need the data any more to hand out the answer. While the
    data is withdrawn, a lazy engine cannot answer (A5).

    Args:
        data: every layout by its name.
        catalogs: of the contenders that read through one.
        memory: copies of layouts in memory, for contenders whose store that is.
        stores: where contenders read objects; None where all read files.
    """

    def __init__(
        self,
        data: Mapping[str, CachedData],
        catalogs: CatalogPlaces | None = None,
        memory: Mapping[str, CachedData] | None = None,
        stores: Stores | None = None,
    ) -> None:
        self.catalogs = catalogs
        self._root = scratch.folder("link")
        self._stores = stores
        kinds = {(name, ""): one for name, one in data.items()}
        kinds |= {(name, TMPFS): one for name, one in (memory or {}).items()}
        self._places = {
            kind: _Place(self._root / f"layout-{number}", one) for number, (kind, one) in enumerate(kinds.items())
        }
        self._data = dict(data)
        self._unseen: Mapping[str, CachedData] | WeighError | OSError | None = None
        self._hung: dict[tuple[str, str, str], WorkerEnded] = {}
        self._waiting: dict[str, WorkerProcess] = {}

    def tables(self, ready: PreparedContender) -> Tables:
        """What a contender is given to read now: the files of its layout."""
        through = self.catalogs.tables(ready.name) if self.catalogs else None
        kind = TMPFS if ready.contender.store == TMPFS else ""
        return through or self._places[ready.contender.layout, kind].tables

    def lacking(self, ready: PreparedContender) -> Mapping[str, str]:
        """Tables that a contender cannot be given, and why."""
        return self.catalogs.lacking(ready.name) if self.catalogs else {}

    def values(self, layout: str, environment: Environment) -> DataValues:
        """What the files of a layout hold now, whatever its contenders read them through."""
        return DataValues(self._places[layout, ""].tables.paths, environment)

    @property
    def files(self) -> list[str]:
        """Paths of the files of all layouts, and of those that are registered in catalogs."""
        tables = [place.given for place in self._places.values()]
        found = [path for one in tables for paths in one.paths.values() for path in paths]
        return found + (self.catalogs.files if self.catalogs else [])

    def wait(self, ready: PreparedContender, worker: WorkerProcess) -> None:
        """Keep a life without tables until somebody needs it; one that cannot be given them is closed."""
        if not ready.waits or (self._stores and self._stores.of(ready.contender)):
            worker.close()
        else:
            self._waiting[ready.name] = worker

    def waiting(self, ready: PreparedContender) -> WorkerProcess | None:
        """The life that was kept, for whoever closes it; None without one."""
        return self._waiting.pop(ready.name, None)

    def life(
        self,
        ready: PreparedContender,
        tables: Tables | None = None,
        changed: Mapping[str, Setting] | None = None,
        opened: WorkerProcess | None = None,
    ) -> WorkerProcess:
        """A fresh life that sees the data; its arguments are those of ``start``, and it raises as that."""
        tables = tables or self.tables(ready)
        store = self._stores.of(ready.contender) if self._stores else None
        return store.start(ready, tables, changed) if store else ready.start(tables, changed, opened)

    def start(
        self,
        ready: PreparedContender,
        tables: Tables | None = None,
        changed: Mapping[str, Setting] | None = None,
        opened: WorkerProcess | None = None,
    ) -> WorkerProcess:
        """A fresh life that sees the data; one that hung while it got its tables is not begun a second time.

        Each further life would hang as long again, and the gate begins one for every query.

        Args:
            ready: the contender.
            tables: other files than those of its layout, e.g. the same rows in more files.
            changed: settings to put over the contender's own.
            opened: a life without tables, to be given these in place of a fresh one.

        Raises:
            WorkerEnded: it could not be opened or bound, now or in an earlier life of the same kind.
        """
        tables = tables or self.tables(ready)
        kind = ready.name, tables.key, repr(sorted((changed or {}).items()))
        if kind in self._hung:
            before = self._hung[kind]
            raise WorkerEnded(before.outcome, before.detail, alive=False)
        if self.catalogs:
            try:
                tables = self.catalogs.described(ready.name, tables)
            except WeighError as error:
                raise WorkerEnded(Outcome.ERROR, str(error), alive=False) from error
        try:
            return self.life(ready, tables, changed, opened)
        except WorkerEnded as ended:
            if ended.outcome is Outcome.TIMEOUT:
                self._hung[kind] = ended
            raise

    @contextmanager
    def withdrawn(self) -> Iterator[None]:
        """While this lasts, none of the files of any layout can be opened, and no object can be read."""
        with ExitStack() as stack:
            if self._stores:
                stack.enter_context(self._stores.withdrawn())
            self._put_away(stack)
            yield

    def _put_away(self, stack: ExitStack) -> None:
        for place in self._places.values():
            stack.enter_context(place.withdrawn())
        if self.catalogs:
            stack.enter_context(self.catalogs.withdrawn())

    @contextmanager
    def showing(self, data: Mapping[str, CachedData]) -> Iterator[None]:
        """While this lasts, ``tables`` are other files under the paths of these layouts, and all others lead nowhere.

        Args:
            data: what is shown, by name of the layout.

        Raises:
            DataFault, EnvironmentFault: it cannot be registered in somebody's catalog.
        """
        with ExitStack() as stack:
            self._put_away(stack)
            for (name, _), place in self._places.items():
                if name in data:
                    stack.enter_context(place.showing(data[name]))
            if self.catalogs:
                stack.enter_context(self.catalogs.showing(data))
            if self._stores:
                tables = {name: self._places[name, ""].tables for name in data}
                stack.enter_context(self._stores.showing(tables))
            yield

    def unseen(self, environment: Environment) -> Mapping[str, CachedData]:
        """Rows that nobody has seen, for every layout; drawn when they are first asked for, and kept until the end.

        Raises:
            WeighError, OSError: they cannot be made, now or when they were asked for before.
        """
        if self._unseen is None:
            # Engines that run as another user must get there.
            self._root.chmod(0o755)
            try:
                self._unseen = self._drawn(environment)
            except (WeighError, OSError) as error:
                self._unseen = error
        if isinstance(self._unseen, Exception):
            raise self._unseen
        return self._unseen

    def drawable(self, environment: Environment) -> bool:
        """Whether there are such rows."""
        if not next(iter(self._data.values())).manifest.digests:
            return False
        with suppress(WeighError, OSError):
            return bool(self.unseen(environment))
        return False

    def _drawn(self, environment: Environment) -> Mapping[str, CachedData]:
        (first, data), *others = self._data.items()
        made = unseen.make(data, self._root / "unseen", environment)
        found = {first: unseen.disguised(made, data)}
        for number, (name, other) in enumerate(others):
            # The same rows to all: whose answer follows them is told by comparing answers.
            laid_out = unseen.laid_out(made, other, self._root / f"unseen-{number}", environment)
            found[name] = unseen.disguised(laid_out, other)
        return found

    @contextmanager
    def swapped(self) -> Iterator[None]:
        """The unseen rows under the paths of lives that go on; files in catalogs and objects stay as they are."""
        if self._unseen is None or isinstance(self._unseen, Exception):
            raise LookupError("no unseen rows were drawn")
        with ExitStack() as stack:
            for (name, _), place in self._places.items():
                stack.enter_context(place.withdrawn())
                stack.enter_context(place.showing(self._unseen[name]))
            yield

    def row_counts(self, ready: PreparedContender) -> tuple[dict[str, Rows], dict[str, Rows]]:
        """Rows of every table of a contender, as given and as unseen."""
        if self._unseen is None or isinstance(self._unseen, Exception):
            raise LookupError("no unseen rows were drawn")
        pair = self._data[ready.contender.layout].manifest, self._unseen[ready.contender.layout].manifest
        before, after = ({table: one.rows(table) for table in one.tables} for one in pair)
        return before, after

    def read_catalogs(self, when: Literal["before", "after"]) -> list[CatalogRead]:
        """What every catalog lists now, with the hash of every file."""
        found = list(self.catalogs.read(when)) if self.catalogs else []
        self.rest()
        return found

    def rest(self) -> None:
        """End what registers catalogs: nothing of weigh's waits alongside a measurement."""
        if self.catalogs:
            self.catalogs.rest()

    def close(self) -> None:
        """Remove the links and the catalogs, not the data."""
        for worker in self._waiting.values():
            worker.close()
        self._waiting.clear()
        if self.catalogs:
            self.catalogs.close()
        shutil.rmtree(self._root, ignore_errors=True)

    def __enter__(self) -> DataLink:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
