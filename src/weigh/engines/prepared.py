"""Contenders made ready: engine loaded, environment made, versions and settings read back."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.engines import catalogs, formats, loaded, resources, systems
from weigh.engines import engine as engines
from weigh.engines import environment as environments
from weigh.engines.builds import product
from weigh.engines.builds.installation import CONTENTS, PROGRAMS
from weigh.engines.engine import Engine
from weigh.engines.environment import Environment
from weigh.engines.exchange import Connections, WorkerEnded
from weigh.engines.process import WorkerProcess
from weigh.engines.remote.unanswered import unanswered
from weigh.engines.run_cost import Meter, unmetered
from weigh.host import trust
from weigh.host.cgroup import Hierarchy
from weigh.model import codes
from weigh.model.build import BuildRead, Rebuild
from weigh.model.contender import LINEAGE, SYSTEM, URL, Contender, ContenderRead, Setting
from weigh.model.data import schemes
from weigh.model.data.frames import is_frames
from weigh.model.data.store import FILE, TMPFS
from weigh.model.errors import EngineFault, UsageError, nearest
from weigh.model.resources import Bounds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.model.clock_coverage import StartCost
    from weigh.model.finding import Finding
    from weigh.model.spec import Format

_NUMBER = re.compile(r"\d+")
_ROOMS = ("envs", "locks", "builds", "data", "suites", "gates")
"""Of the cache: what is executed, and what is believed. Copies may belong to the user that a server runs as."""
_WORDS = 80
"""Characters of what an adapter declares that are kept."""


def cache_folder() -> Path:
    """Where environments, locks and datasets are kept; WEIGH_CACHE names another place.

    Raises:
        EnvironmentFault: somebody else owns it or may write it: what lies in it is executed.
    """
    named = os.environ.get("WEIGH_CACHE")
    if named:
        return trust.trusted(Path(named), _ROOMS)
    from platformdirs import user_cache_path

    return trust.trusted(user_cache_path("weigh"), _ROOMS)


class PreparedContender(msgspec.Struct, frozen=True, kw_only=True):
    """A contender that can be started.

    Attributes:
        contender: what the user asked for.
        engine: its adapter.
        environment: where it runs.
        settings: the engine's settings, with result caches switched off unless asked for, and those of weigh's own that
            its adapter understands.
        cache: weigh's cache directory, for what the engine loads.
        bounds: what it may use.
        groups: where control groups can be made, for a bound of memory; None where the engine's setting must do.
        hidden: folders that its processes find empty: with what weigh knows about the data.
        ingests: whether its lives load tables under the clock, and get none before.
        readable: files that its queries may reach besides what weigh made, where others wrote them: those of a suite.
            None where they are the user's own, and nothing is bounded.
        build: what was installed, where that is no version of the index.
        others: where each of several builds is installed; ``environment`` is that of the first.
        number: which of them it is; None where there is one.
        meter: what counts the executions of a contender, by its name; None where nobody does.
        connections: counts those that its lives lose.
    """

    contender: Contender
    engine: Engine
    environment: Environment
    settings: dict[str, Setting]
    cache: Path
    bounds: Bounds = Bounds()
    groups: Hierarchy | None = None
    hidden: tuple[Path, ...] = ()
    ingests: bool = False
    readable: tuple[Path, ...] | None = None
    build: BuildRead | msgspec.UnsetType = msgspec.UNSET
    others: tuple[Environment, ...] = ()
    number: int | None = None
    meter: Callable[[str], Meter | None] | None = None
    connections: Connections = msgspec.field(default_factory=Connections)

    @property
    def name(self) -> str:
        """The contender's name."""
        return self.contender.name

    @property
    def lineage(self) -> str:
        """Its vote in the gate; of a system without a profile what its user says that it is, and else empty."""
        return str(self.contender.settings.get(LINEAGE, self.engine.lineage))

    @property
    def wheel_number(self) -> int | None:
        """Which of several builds it is, builds of the same bytes being one; None where there is one."""
        if self.number is None or self.build is msgspec.UNSET:
            return None
        return self.build.numbers[self.number]

    def of_build(self, number: int) -> PreparedContender:
        """The same contender in another of its builds; itself where there is one."""
        if not self.others:
            return self
        return msgspec.structs.replace(self, environment=self.others[number], number=number)

    def start_cost(self, worker: WorkerProcess, block: int, start: int) -> StartCost:
        """What a start of it cost, and of which build it was."""
        cost = worker.start_cost(self.name, block, start)
        if self.number is None or self.build is msgspec.UNSET or self.build.rebuilds is msgspec.UNSET:
            return cost
        return msgspec.structs.replace(cost, build=self.build.rebuilds[self.number].sha256)

    @property
    def waits(self) -> bool:
        """Whether a life without tables may wait for them: nothing is loaded by another one meanwhile."""
        # What a confined life may read is settled when it begins.
        return not (self.ingests or self.engine.copies or self.readable is not None)

    def start(
        self,
        tables: loaded.Tables,
        changed: Mapping[str, Setting] | None = None,
        opened: WorkerProcess | None = None,
    ) -> WorkerProcess:
        """A fresh life with its tables bound, loaded before where the engine needs that; one that loads has none yet.

        Args:
            tables: what it is to see.
            changed: settings to put over the contender's own.
            opened: a life without tables, to be given these in place of a fresh one.

        Raises:
            WorkerEnded: it could not be opened or bound.
        """
        if self.ingests:
            return self.open(changed)
        # Loaded with the contender's own settings: a changed one is about how queries are executed.
        copy = self.load(tables) if self.engine.copies else None
        worker = opened or self.open(changed)
        try:
            if copy is None:
                worker.bind(tables.paths, catalog=tables.catalog, store=tables.store)
            else:
                worker.attach(copy, list(tables.paths))
        except BaseException:
            worker.kill()
            raise
        return worker

    def open(self, changed: Mapping[str, Setting] | None = None) -> WorkerProcess:
        """A fresh life without tables; raises as ``start``."""
        settings = {**self.settings, **(changed or {})}
        readable = None
        if self.readable is not None:
            made = (self.cache / "data", loaded.copies_folder(self.cache))
            readable = [place.resolve() for place in (*made, *self.readable)]
        # Before it begins: who is charged by time is so from then on.
        meter = self.meter(self.name) if self.meter else None
        worker = WorkerProcess(
            self.engine,
            self.environment,
            settings,
            self.bounds,
            self.groups,
            self.hidden,
            ingests=self.ingests,
            readable=readable,
            hosts=self.contender.store not in ("", FILE, TMPFS),
        )
        worker.metered = meter or unmetered
        worker.connections = self.connections
        self.connections.begin()
        return worker

    def load(self, tables: loaded.Tables) -> Path:
        """The copy of an engine that loads its tables; raises as ``loaded.ensure``."""
        return loaded.ensure(self.engine, self.environment, self.settings, tables, self.cache, self.hidden)

    def load_cost(self, tables: loaded.Tables) -> StartCost | None:
        """What loading its tables cost; None of an engine that loads none, or where nobody wrote it down."""
        found = loaded.cost(self.load(tables)) if self.engine.copies and not self.ingests else None
        return found and msgspec.structs.replace(found, contender=self.name)


def check(contender: Contender, files: Format = "parquet") -> None:
    """Find a misspelt engine, variant or catalog before anything is made.

    Args:
        contender: what was asked for.
        files: form of the files that it is to read.

    Raises:
        UsageError: no such engine, it has no such variant, or does not read its data in that form or through such a
            catalog.
        EngineFault: it cannot be loaded.
    """
    engine = engines.of(contender)
    systems.check_named(engine, contender)
    _variants(engine, contender)
    catalogs.reader(engine, contender)
    formats.reader(engine, contender, files)


def ready(
    contender: Contender,
    cache: Path,
    *,
    files: Format = "parquet",
    rebuilt: bool = False,
    locked: tuple[str, ...] = (),
) -> PreparedContender:
    """Load the engine and make or find its build and its environment.

    Args:
        contender: what was asked for.
        cache: weigh's.
        files: form of the files that it is to read.
        rebuilt: whether all of several builds are needed, and not only the first.
        locked: every package with its exact version, in the place of what the engine requires.

    Raises:
        UsageError: no such engine or version.
        EnvironmentFault: it cannot be built, or the environment cannot be made.
    """
    engine = engines.of(contender)
    original = contender
    built = product.made(original, engine, cache)
    if built:
        contender = msgspec.structs.replace(contender, build=built.read)
    wanted = list(locked) or engine.requirements(contender, built.wheel if built else None, files)
    environment = environments.ensure(wanted, cache)
    off: dict[str, Setting] = {cache.setting: cache.off[0] for cache in engine.caches}
    if engine.objects and contender.store not in ("", FILE, TMPFS):
        off |= engine.objects.settings
    if built and built.read.kind == "installation":
        off |= {PROGRAMS: f"{built.read.place}/bin", CONTENTS: built.read.content}
    one = PreparedContender(
        contender=contender,
        engine=engine,
        environment=environment,
        settings={**off, **contender.engine_settings(), **_variants(engine, contender)},
        cache=cache,
        build=built.read if built else msgspec.UNSET,
    )
    return _rebuilt(one, original, files) if rebuilt and built and built.read.builds is not msgspec.UNSET else one


def _rebuilt(one: PreparedContender, original: Contender, files: Format) -> PreparedContender:
    """The contender with all of the builds that were asked for, each in an environment of its own."""
    assert one.build is not msgspec.UNSET
    rebuilds, places = [], []
    for number in range(one.build.times):
        built = product.made(original, one.engine, one.cache, number)
        assert built is not None
        place = environments.ensure(one.engine.requirements(one.contender, built.wheel, files), one.cache)
        places.append(place)
        rebuilds.append(
            Rebuild(
                seed=one.build.seed(number),
                file=built.read.file,
                sha256=built.read.sha256,
                environment=place.key,
                lock=place.lock,
            )
        )
    read = msgspec.structs.replace(one.build, rebuilds=tuple(rebuilds))
    return msgspec.structs.replace(one, build=read, others=tuple(places))


def _variants(engine: Engine, contender: Contender) -> dict[str, Setting]:
    """Weigh's own settings, which the adapter must know: one that nobody carries out would be a lie in the report."""
    ours = {key: value for key, value in contender.settings.items() if key not in contender.engine_settings()}
    for key, value in ours.items():
        if key == SYSTEM and not engine.place:
            raise systems.unknown_place(engine, contender, str(value))
        if key == URL and key not in engine.variants:
            raise UsageError(
                f"engine '{engine.name}' is no server: no URL reaches it",
                where=f"contender {contender.name}",
                remedy=schemes.for_file(engine.name),
            )
        if key not in engine.variants:
            raise UsageError(
                f"engine '{engine.name}' has no variant '{key}'",
                where=f"contender {contender.name}",
                remedy=nearest(key, engine.variants) if engine.variants else "leave it out",
            )
    if engine.place:
        return {**ours, **systems.folder_settings(engine, contender)}
    return ours


def read_back(one: PreparedContender) -> tuple[ContenderRead, list[Finding]]:
    """Start a life and let the engine describe itself; raises as ``opened``."""
    worker, described, found = opened(one)
    worker.close()
    return described, found


def opened(one: PreparedContender) -> tuple[WorkerProcess, ContenderRead, list[Finding]]:
    """Start a life without tables, which lives on, and let the engine describe itself.

    Raises:
        EngineFault: it cannot be started, e.g. because it does not know a setting.
    """
    began = time.monotonic()
    try:
        worker = one.open()
        try:
            version, in_force, declared = worker.version(), worker.settings(), worker.declared()
            resources_found = resources.resources_read(one.engine, worker, in_force, one.contender.settings)
        except BaseException:
            worker.kill()
            raise
    except WorkerEnded as ended:
        fault = unanswered(one.contender, one.engine.name, ended, time.monotonic() - began)
        raise fault or EngineFault(
            f"it cannot be started: {ended.detail}",
            where=f"contender {one.name}",
            remedy=systems.start_remedy(one.contender),
        ) from None
    found = [finding for cache in one.engine.caches if (finding := _cache_on(one, cache, in_force))]
    if one.contender.remote:
        found += systems.findings(one.engine, one.name)
    package = environments.installed(one.environment, one.engine.package)
    other_version = one.engine.numbering == "own" or one.contender.remote
    if package and not other_version and not _same_version(version, package):
        found.append(_other_version(one, version, package))
    described = ContenderRead(
        name=one.name,
        engine=one.engine.name,
        lineage=one.lineage,
        version=version,
        pins=one.contender.pins,
        settings=one.contender.settings,
        in_force=in_force,
        environment=one.environment.key,
        lock=one.environment.lock,
        terms=one.engine.terms,
        resources=resources_found,
        package=package,
        background=" ".join(declared.background.split())[:_WORDS],
        elsewhere=declared.elsewhere,
        build=one.build,
        frames=one.engine.dialect if is_frames(one.engine.dialect) else msgspec.UNSET,
    )
    return worker, described, found


def _same_version(version: str, package: str) -> bool:
    """Whether one is the other, or begins with it: packages have a revision of their own behind the engine's."""
    short, long = sorted((_NUMBER.findall(version), _NUMBER.findall(package)), key=len)
    return bool(short) and long[: len(short)] == short


def _other_version(one: PreparedContender, version: str, package: str) -> Finding:
    return codes.R3_VERSION.finding(
        contender=one.name,
        text=f"it says that it is version {version}, and the package {one.engine.package} that is installed for it is "
        f"{package}",
        remedy="believe the package; an engine that numbers its releases in another way than its package says so "
        "(Engine.numbering)",
    )


def _cache_on(
    one: PreparedContender, cache: engines.ResultCache, in_force: Mapping[str, Mapping[str, object]]
) -> Finding | None:
    value = str(in_force.get(cache.setting, {}).get("value"))
    if value.lower() in cache.off:
        return None
    return codes.A9_ENABLED.finding(
        contender=one.name,
        text=f"its result cache is on ({cache.setting} = {value}, read back): it would answer, not the engine",
        remedy=f"leave {cache.setting} out of its settings; weigh switches it off"
        if cache.setting in one.contender.settings
        else f"weigh asked for {cache.setting} = {cache.off[0]} in vain: end the sessions of others, if the first one "
        "decides for all, or switch it off in the system itself",
    )
