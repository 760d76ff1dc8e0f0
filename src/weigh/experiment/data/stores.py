"""The stores of an experiment: open while it goes on, with everything in them that contenders are to read (E3)."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack, contextmanager
from threading import Lock
from typing import TYPE_CHECKING

import msgspec

from weigh.data.store import loopback, target
from weigh.data.store.life import Life
from weigh.data.store.names import names
from weigh.engines import engine as engines
from weigh.engines.loaded import Tables
from weigh.host import scratch
from weigh.model import codes
from weigh.model.data.catalog import FORMATS, TITLES
from weigh.model.data.store import FILE, TMPFS, StoreRead, StoreSpec
from weigh.model.errors import EnvironmentFault, UsageError, WeighError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from weigh.data.store.target import Target
    from weigh.engines.prepared import PreparedContender
    from weigh.engines.process import WorkerProcess
    from weigh.model.contender import Contender, Setting
    from weigh.model.finding import Finding
    from weigh.model.progress import Progress
    from weigh.model.spec import Spec


_NOWHERE = "weigh/nowhere/"
"""Beginning of keys that no object has."""


def check(contender: Contender, spec: Spec, *, measured: bool) -> None:
    """Refuse a store that a contender cannot read from, before anything is made.

    Args:
        contender: whose store it is.
        spec: of the experiment.
        measured: whether anything is timed.

    Raises:
        UsageError: its engine cannot, or nobody could say what was measured.
    """
    if not contender.store:
        return
    engine = engines.load(contender.engine)
    where, name = f"contender {contender.name}", contender.store
    placed = name in spec.stores and spec.stores[name].placed is True
    if placed and engine.copies:
        raise UsageError(
            f"{engine.name} loads its tables from files, and the data are objects of a store",
            where=where,
            remedy=f"these read objects: {_able()}; for {engine.name} copy the dataset to a folder, and name that",
        )
    if engine.copies or contender.remote:
        raise UsageError(
            f"{engine.name} loads its tables and queries its own copy: where the files lie changes no query",
            where=where,
            remedy="leave out its store",
        )
    if spec.ingest and name != TMPFS:
        raise UsageError("loading is measured from files, and from no store", where=where, remedy="leave out its store")
    if name != TMPFS and engine.objects is None:
        raise UsageError(f"{engine.name} reads no objects of a store", where=where, remedy=f"these do: {_able()}")
    if name != TMPFS and engine.objects and engine.objects.versions:
        version = contender.release or engine.tested
        if version not in engine.objects.versions:
            newest = engine.objects.versions[-1]
            raise UsageError(
                f"{engine.name} {version} reads no objects of a store: {engine.objects.lacks}",
                where=where,
                remedy=f"write {engine.name}@{newest}" + ("" if placed else f"?store={name}"),
            )
    if contender.catalog in FORMATS:
        raise UsageError(
            f"its {TITLES[contender.catalog]} catalog describes files on the disk of weigh's cache, and store={name} "
            "is another place",
            where=where,
            remedy="leave out its catalog, or give it store=file",
        )
    if name != TMPFS and measured and "cold" in spec.temperatures:
        raise UsageError(
            f"the store {name} has caches of its own, which weigh can neither empty nor look into: nothing that is "
            "read from it can be called cold",
            where=where,
            remedy="leave out --temperature: an execution asks the store again, as the requests show",
        )
    if name in spec.stores and spec.stores[name].endpoint:
        target.of_spec(name, spec.stores[name])


def _able() -> str:
    return ", ".join(one for one in sorted(engines.installed()) if engines.load(one).objects)


class ObjectStore:
    """One store, and the proxy before it.

    Args:
        name: of the store.
        spec: as asked for.
        where: how weigh itself reaches it.
        ca: file that the authority of the proxy's certificate is written to.
        progress: reports what is put there.
        placed: key of the tables that lie there already, under the names of their manifest; empty without any.

    Raises:
        UsageError: there is no such bucket, or the keys do not open it.
        EnvironmentFault: nobody answers.
    """

    def __init__(
        self, name: str, spec: StoreSpec, where: Target, ca: Path, progress: Progress, placed: str = ""
    ) -> None:
        from weigh._native import StoreError, StoreProxy
        from weigh.data.store.stored_files import StoredFiles

        self.name = name
        self.spec = spec
        self._bucket = where.bucket
        self._region = where.region
        self._progress = progress
        self._placed = placed if spec.placed else ""
        self._files = StoredFiles(name, where, spec.prefix)
        self._files.check()
        config = {"target": where.config(), "latency": spec.latency, "bandwidth": spec.bandwidth, "tls": spec.tls}
        try:
            self.proxy = StoreProxy(msgspec.json.encode(config).decode())
        except StoreError as error:
            raise EnvironmentFault(
                f"the proxy before the store cannot be started: {error}", where=f"store {name}", remedy="see the reason"
            ) from None
        self._ca = ""
        self._lives: list[Life] = []
        # Several lives are started at the same moment.
        self._putting = Lock()
        if self.proxy.authority is not None:
            ca.write_text(self.proxy.authority)
            self._ca = str(ca)

    def start(
        self, ready: PreparedContender, local: Tables, changed: Mapping[str, Setting] | None = None
    ) -> WorkerProcess:
        """A fresh life that reads the tables as objects; they are put there where they are not yet.

        Args:
            ready: the contender.
            local: its tables as files.
            changed: settings to put over the contender's own.

        Raises:
            WorkerEnded: it could not be opened or bound.
            WeighError: the store does not take the objects, or does not give them back.
        """
        life = Life(self.proxy, ready.contender.layout, self._root(local), self._region, self._ca)
        paths = {table: [f"s3://{self._bucket}/{name}" for name in self._names(local, table)] for table in local.paths}
        try:
            worker = ready.start(Tables(paths, local.key, store=life.access), changed)
        except BaseException:
            life.close()
            raise
        worker.store = life
        self._lives = [*(one for one in self._lives if not one.closed), life]
        return worker

    @contextmanager
    def showing(self, layouts: Mapping[str, Tables]) -> Iterator[None]:
        """While this lasts, lives that are there already find other objects under the same paths, or none."""
        lives = [one for one in self._lives if not one.closed]
        roots = {layout: self._root(tables) for layout, tables in layouts.items()}
        for one in lives:
            one.point(roots.get(one.layout, _NOWHERE))
        try:
            yield
        finally:
            for one in lives:
                one.point()

    def silence(self) -> str:
        """Why it cannot be reached any more; empty where it can."""
        try:
            self._files.check()
        except WeighError as error:
            return error.what
        return ""

    def _root(self, tables: Tables) -> str:
        if self._placed and tables.key == self._placed:
            return f"{self.spec.prefix}/" if self.spec.prefix else ""
        with self._putting:
            if not self._files.has(tables.key):
                self._progress.say(f"store {self.name}: objects are put there and read back")
            files = {
                name: path
                for table, paths in tables.paths.items()
                for name, path in zip(self._names(tables, table), paths, strict=True)
            }
            return self._files.put(files, tables.key)

    def _names(self, tables: Tables, table: str) -> list[str]:
        if self._placed:
            return [os.path.relpath(path, tables.folder) for path in tables.paths[table]]
        return names(table, tables.paths[table])

    def close(self) -> None:
        """Stop the proxy; alongside data that was there already nothing of this experiment stays."""
        self.proxy.stop()
        if self._placed:
            self._files.remove()


class Stores:
    """Every store that contenders read from, until it is left.

    Args:
        named: those of weigh.toml.
        contenders: of the experiment.
        python: gives the interpreter of an environment with exact requirements.
        progress: reports what takes a while.
        placed: key of the tables that lie in a store already.
    """

    def __init__(
        self,
        named: Mapping[str, StoreSpec],
        contenders: Iterable[Contender],
        python: Callable[[list[str]], Path],
        progress: Progress,
        placed: str = "",
    ) -> None:
        self._placed = placed
        self._readers: dict[str, list[str]] = {}
        for one in contenders:
            if one.store not in ("", FILE, TMPFS):
                self._readers.setdefault(one.store, []).append(one.name)
        self._specs = {name: named.get(name, StoreSpec()) for name in self._readers}
        self._python = python
        self._progress = progress
        self._open: dict[str, ObjectStore] = {}
        self._left = ExitStack()

    def __enter__(self) -> Stores:
        """Start what must be started, and reach the others.

        Raises:
            UsageError: a bucket or keys are wrong.
            EnvironmentFault: a store does not answer, or cannot be started.
        """
        if not self._specs:
            return self
        with ExitStack() as stack:
            folder = scratch.folder("store")
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            stores_folder = None
            for number, (name, spec) in enumerate(self._specs.items()):
                if not spec.endpoint and stores_folder is None:
                    self._progress.say(f"store {name}: starting {loopback.NAME}")
                    stores_folder = stack.enter_context(loopback.LoopbackStore(self._python)).target
                where = target.of_spec(name, spec) if spec.endpoint else stores_folder
                assert where is not None
                store = ObjectStore(name, spec, where, folder / f"{number}.pem", self._progress, self._placed)
                stack.callback(store.close)
                self._open[name] = store
            self._left = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.close()

    def of(self, contender: Contender) -> ObjectStore | None:
        """The store that a contender reads from; None where that is a folder."""
        return self._open.get(contender.store)

    @contextmanager
    def showing(self, layouts: Mapping[str, Tables]) -> Iterator[None]:
        """While this lasts, the paths of these layouts lead to other objects, and all others nowhere.

        Args:
            layouts: tables of files, by name of the layout.
        """
        with ExitStack() as stack:
            for one in self._open.values():
                stack.enter_context(one.showing(layouts))
            yield

    @contextmanager
    def withdrawn(self) -> Iterator[None]:
        """While this lasts, no object can be read."""
        for one in self._open.values():
            one.proxy.withdraw(True)
        try:
            yield
        finally:
            for one in self._open.values():
                one.proxy.withdraw(False)

    def gone(self) -> Iterator[Finding]:
        """Which stores do not answer any more: what fails on them is not the fault of who reads from them."""
        for name, one in self._open.items():
            if why := one.silence():
                yield codes.E3_GONE.finding(
                    text=f"the store {name} no longer answers ({why}): what failed of {', '.join(self._readers[name])} "
                    "may be its fault",
                    remedy="see what ended it, and run again",
                )

    @property
    def reads(self) -> tuple[StoreRead, ...]:
        """Every store as it is used."""
        return tuple(
            StoreRead(
                name=name,
                spec=one.spec,
                server="" if one.spec.endpoint else loopback.NAME,
                contenders=tuple(self._readers[name]),
            )
            for name, one in self._open.items()
        )
