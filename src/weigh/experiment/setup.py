"""The setup: everything that an experiment needs, ready before there is any evidence."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from weigh import workloads
from weigh.data.cache import TRUTH
from weigh.data.catalog import registration
from weigh.data.catalog.registrar import Registrar, UnsupportedTable
from weigh.data.store.memory import in_memory
from weigh.engines import engine as engines
from weigh.engines import environment as environments
from weigh.engines.prepared import cache_folder, ready
from weigh.engines.prepared import check as check_contender
from weigh.evidence import whole
from weigh.experiment.data import dataset, ingest, storage
from weigh.experiment.data.catalog_place import CatalogPlaces
from weigh.experiment.data.data_link import DataLink, tables_of
from weigh.experiment.data.stores import Stores
from weigh.experiment.data.stores import check as check_store
from weigh.experiment.gate import pinned as pins
from weigh.experiment.measure import cold, resources
from weigh.experiment.measure.lower_bound import LowerBound
from weigh.experiment.measure.spending import Spending
from weigh.host import hidden, scratch
from weigh.model.contender import COMMAND
from weigh.model.data.catalog import FORMATS, TITLES
from weigh.model.data.store import TMPFS
from weigh.model.errors import UsageError, nearest
from weigh.workloads import commands
from weigh.workloads.frames import with_functions

if TYPE_CHECKING:
    from collections.abc import Collection
    from contextlib import ExitStack
    from pathlib import Path

    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.config.run_request import RunRequest
    from weigh.experiment.config.user_data import UserFiles
    from weigh.model.contender import Contender
    from weigh.model.finding import Finding
    from weigh.model.operation import Workload
    from weigh.model.progress import Progress
    from weigh.model.spec import Spec
    from weigh.workloads import WorkloadSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What the phases of an attempt work with.

    Attributes:
        spec: of the experiment.
        source: where its workload comes from.
        workload: the operations asked for.
        contenders: that can be started, within the bounds that the spec asks for.
        layouts: the dataset in every layout that a contender reads, verified, by name; that of the baseline first.
        memory: those of them that are in memory too, for contenders whose store that is.
        stores: where contenders read objects.
        link: where contenders see them.
        pinned: answers that were once trusted.
        suite_findings: what a suite says of itself.
        spending: what the executions cost, and may; None where no budget was declared.
    """

    spec: Spec
    source: WorkloadSource
    workload: Workload
    contenders: tuple[PreparedContender, ...]
    layouts: dict[str, dataset.Data]
    memory: dict[str, dataset.Data]
    stores: Stores
    link: DataLink
    pinned: pins.Pins | None
    suite_findings: tuple[Finding, ...] = ()
    spending: Spending | None = None

    @property
    def data(self) -> dataset.Data:
        """In the layout of the baseline; the rows are the same in all."""
        return next(iter(self.layouts.values()))

    def data_of(self, ready: PreparedContender) -> dataset.Data:
        """In the layout that a contender reads."""
        return self.layouts[ready.contender.layout]


def check(spec: Spec, request: RunRequest) -> None:
    """Find what is misspelt, or cannot be, before anything is made, started or locked.

    Raises:
        WeighError: something does not exist, is impossible, or has no space.
    """
    source = request.user_files.source() if request.user_files else workloads.load(spec.workload)
    names = [contender.name for contender in spec.contenders]
    if request.trust and request.trust not in names:
        raise UsageError(f"'{request.trust}' is not a contender", remedy=nearest(request.trust, names))
    for contender in spec.contenders:
        if (COMMAND in contender.settings) != (source.dataset == commands.DATASET):
            what = "is a command" if COMMAND in contender.settings else "is no command"
            raise UsageError(
                f"{contender.name} {what}, and the workload is {spec.workload}",
                remedy="commands are compared with commands: --command NAME=TEXT, or workload = 'command-exact'",
            )
    if not request.measure and source.name == commands.none.name:
        raise UsageError(
            "a gate compares answers, and with --output none there is nothing to compare",
            remedy="--output exact, lines or json; weigh run --output none times the commands and compares nothing",
        )
    if request.pin:
        whole.check_place(request.pin, "the answers cannot be pinned")
    for contender in spec.contenders:
        check_contender(contender, spec.layout_of(contender).form)
        check_store(contender, spec, measured=request.measure)
        if request.user_files and contender.catalog in FORMATS and not contender.layout:
            with suppress(UnsupportedTable):
                registration.refuse(contender.catalog, request.user_files.tables)
        if spec.ingest:
            ingest.check(contender, spec.layout_of(contender).form)
    if spec.ingest:
        pass
    elif request.user_files:
        workload = with_functions(source.build({}, spec.seed), source, _dialects(spec))
        workload = _chosen(workload, spec, request.user_files)
        # What is resumed may have a plan, and fewer starts to make.
        if request.measure and not (request.least or request.resume):
            LowerBound.before(spec, workload.operations).check({})
    elif known := workloads.operation_names(source):
        _check_names(spec, known, request.user_files)
    resources.check(spec)
    if request.measure and "cold" in spec.temperatures:
        cold.refuse_apart(spec.contenders)
    if request.user_files:
        dataset.check_user_data(request.user_files.tables, spec, cache_folder())
    else:
        dataset.check(source.dataset, spec, cache_folder(), request.place)


def prepare(spec: Spec, request: RunRequest, progress: Progress, stack: ExitStack) -> Setup:
    """Make environments and data, or find them.

    Args:
        spec: of the experiment.
        request: how it is carried out.
        progress: reports what is made.
        stack: removes at its end what is there for this attempt alone.

    Raises:
        WeighError: something is missing, impossible, or not what the spec asks for.
    """
    cache = cache_folder()
    source = request.user_files.source() if request.user_files else workloads.load(spec.workload)
    contenders = resources.bounded(
        [_made(contender, spec, cache, progress, request) for contender in spec.contenders], spec
    )
    if request.user_files:
        given = request.user_files.data(cache, spec.seed)
        stack.callback(shutil.rmtree, given.folder, ignore_errors=True)
        layouts = dataset.obtain_user_data(given, spec, cache, progress)
    else:
        layouts = dataset.obtain(source.dataset, spec, cache, progress, request.place)
    data = next(iter(layouts.values()))
    if data.store:
        stack.callback(scratch.remove, data.folder.parent)
    if request.digests is not None:
        dataset.check_digests(data, request.digests)
    # What is known about the same rows in another layout is as good.
    known = tuple(sorted(data.folder.parent.glob(f"*/{TRUTH}"))) if hidden.possible() else ()
    readable = request.user_files.readable() if request.user_files else None
    spending = Spending.of(spec)
    meter = spending.meter if spending else None
    contenders = [
        msgspec.structs.replace(one, hidden=known, ingests=bool(spec.ingest), readable=readable, meter=meter)
        for one in contenders
    ]
    memory = {
        name: stack.enter_context(in_memory(layouts[name]))
        for name in sorted({one.layout for one in spec.contenders if one.store == TMPFS})
    }
    storage.check(storage.places(contenders, layouts, memory), spec)
    workload = workloads.build(source, data.truth, spec.seed, () if spec.ingest else spec.operations)
    if spec.ingest:
        ingest.sweep(cache)
        ingest.check_space(data, spec, cache)
        workload = ingest.workload(workload, data)
    elif spec.truth:
        workload = workloads.with_fresh(workload, source, data.truth)
    workload = _chosen(with_functions(workload, source, _dialects(spec)), spec, request.user_files)
    pinned = pins.read(request.answers, spec.workload, data.manifest.digests) if request.answers else None
    catalogs = _catalogs(spec, layouts, cache, progress)
    stores = stack.enter_context(
        Stores(
            spec.stores,
            spec.contenders,
            lambda needed: environments.ensure(needed, cache).python,
            progress,
            tables_of(data.folder, data.manifest).key if data.store else "",
        )
    )
    link = stack.enter_context(DataLink(layouts, catalogs, memory, stores))
    if request.measure and "cold" in spec.temperatures:
        cold.refuse_memory(link.files)
    return Setup(
        spec=spec,
        source=source,
        workload=workload,
        contenders=tuple(contenders),
        layouts=layouts,
        memory=memory,
        stores=stores,
        link=link,
        pinned=pinned,
        suite_findings=request.user_files.findings if request.user_files else (),
        spending=spending,
    )


def _dialects(spec: Spec) -> set[str]:
    return {engines.of(contender).dialect for contender in spec.contenders}


def _catalogs(spec: Spec, layouts: dict[str, dataset.Data], cache: Path, progress: Progress) -> CatalogPlaces:
    for one in spec.contenders:
        if one.catalog in FORMATS:
            progress.say(f"{TITLES[one.catalog]} catalog of {one.name}")
    registrar = Registrar(lambda requirements: environments.ensure(requirements, cache).python)
    return CatalogPlaces(spec.contenders, layouts, cache, registrar)


def _made(contender: Contender, spec: Spec, cache: Path, progress: Progress, request: RunRequest) -> PreparedContender:
    progress.say(f"environment of {contender.name}")
    locked = request.locks.get(contender.name, ())
    return ready(contender, cache, files=spec.layout_of(contender).form, rebuilt=request.measure, locked=locked)


def _check_names(spec: Spec, known: Collection[str], user_files: UserFiles | None) -> None:
    """Raises UsageError where an operation is asked for that the workload has not."""
    for name in spec.operations:
        if name in known:
            continue
        if left := next((one for one in user_files.left_out if one.name == name), None) if user_files else None:
            raise UsageError(
                f"{name} cannot be asked: {left.why}", remedy="docs/guide/suites.md says what is not taken"
            )
        # Users know their own queries by the folder, not as the workload sql.
        place = (user_files.written or str(user_files.folder or "")) if user_files else ""
        raise UsageError(
            f"{place or f'workload {spec.workload}'} has no operation '{name}'", remedy=nearest(name, known)
        )


def _chosen(workload: Workload, spec: Spec, user_files: UserFiles | None) -> Workload:
    """The workload with only the operations asked for."""
    if not spec.operations:
        return workload
    _check_names(spec, [one.name for one in workload.operations], user_files)
    chosen = tuple(workload.operation(name) for name in spec.operations)
    return msgspec.structs.replace(
        workload,
        operations=chosen,
        suite=workload.suite or tuple(one.name for one in workload.operations if one.timed()),
    )
