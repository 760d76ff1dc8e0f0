"""The stores of an experiment: open while it goes on, with everything in them that contenders are to read (E3)."""

from __future__ import annotations

import shutil
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import msgspec

from weigh._native import StoreError, StoreProxy
from weigh.data.store import loopback, target
from weigh.data.store.life import Life
from weigh.data.store.objects import Objects, names
from weigh.engines.loaded import Tables
from weigh.host import scratch
from weigh.model.errors import EnvironmentFault
from weigh.model.store import FILE, TMPFS, StoreRead, StoreSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from weigh.data.store.target import Target
    from weigh.model.contender import Contender
    from weigh.model.progress import Progress


class ObjectStore:
    """One store, and the proxy before it.

    Args:
        name: of the store.
        spec: as asked for.
        where: how weigh itself reaches it.
        ca: file that the authority of the proxy's certificate is written to.
        progress: is told what is put there.

    Raises:
        UsageError: there is no such bucket, or the keys do not open it.
        EnvironmentFault: nobody answers.
    """

    def __init__(self, name: str, spec: StoreSpec, where: Target, ca: Path, progress: Progress) -> None:
        self.name = name
        self.spec = spec
        self._bucket = where.bucket
        self._region = where.region
        self._progress = progress
        self._objects = Objects(name, where, spec.prefix)
        self._objects.check()
        config = {"target": where.config(), "latency": spec.latency, "bandwidth": spec.bandwidth, "tls": spec.tls}
        try:
            self.proxy = StoreProxy(msgspec.json.encode(config).decode())
        except StoreError as error:
            raise EnvironmentFault(
                f"the proxy before the store cannot be started: {error}", where=f"store {name}", remedy="see the reason"
            ) from None
        self._ca = ""
        if self.proxy.authority is not None:
            ca.write_text(self.proxy.authority)
            self._ca = str(ca)

    def tables(self, local: Tables) -> tuple[Tables, Life]:
        """The same tables as objects, for one life; they are put there where they are not yet.

        Raises:
            WeighError: the store does not take them, or does not give them back.
        """
        if not self._objects.has(local.key):
            self._progress.say(f"store {self.name}: objects are put there and read back")
        life = Life(self.proxy, self._objects.put(local.paths, local.key), self._region, self._ca)
        paths = {
            table: [f"s3://{self._bucket}/{name}" for name in names(table, files)]
            for table, files in local.paths.items()
        }
        return Tables(paths, local.key, life.access), life


class Stores:
    """Every store that contenders read from, until it is left.

    Args:
        named: those of weigh.toml.
        contenders: of the experiment.
        python: gives the interpreter of an environment with exact requirements.
        progress: is told what takes a while.
    """

    def __init__(
        self,
        named: Mapping[str, StoreSpec],
        contenders: Iterable[Contender],
        python: Callable[[list[str]], Path],
        progress: Progress,
    ) -> None:
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
            own = None
            for number, (name, spec) in enumerate(self._specs.items()):
                if not spec.endpoint and own is None:
                    self._progress.say(f"store {name}: starting {loopback.NAME}")
                    own = stack.enter_context(loopback.LoopbackStore(self._python)).target
                where = target.of_spec(name, spec) if spec.endpoint else own
                assert where is not None
                store = ObjectStore(name, spec, where, folder / f"{number}.pem", self._progress)
                stack.callback(store.proxy.stop)
                self._open[name] = store
            self._left = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.close()

    def of(self, contender: Contender) -> ObjectStore | None:
        """The store that a contender reads from; None where that is a folder."""
        return self._open.get(contender.store)

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
