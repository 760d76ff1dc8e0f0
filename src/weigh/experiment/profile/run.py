"""The profile of what changed: both contenders are started again, as the evidence describes them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from weigh.engines.exchange import WorkerEnded
from weigh.experiment import setup as setups
from weigh.experiment.config.run_request import RunRequest
from weigh.experiment.profile import counters, files, lives, plans, stacks
from weigh.experiment.profile.choice import choose
from weigh.experiment.profile.results import LEAST, WhyResults
from weigh.experiment.report import files as reports
from weigh.experiment.results.results import experiment_results
from weigh.host import lock, scratch, settle
from weigh.host.new_folder import new_folder
from weigh.model.errors import DataFault, UsageError
from weigh.workloads import FRESH

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.experiment.config.user_data import UserFiles
    from weigh.experiment.profile.lives import Side
    from weigh.experiment.profile.results import ProfiledChange
    from weigh.experiment.record import Record
    from weigh.experiment.setup import Setup
    from weigh.model.operation import Operation
    from weigh.model.progress import Progress
    from weigh.model.units import Seconds

_WINDOW = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyRequest:
    """What is asked for.

    Attributes:
        operations: names; none: those that changed most.
        contender: one of several; None for all.
        seconds: how long each side is sampled.
        user_files: the user's own data and queries, for the workload ``sql``.
    """

    operations: tuple[str, ...] = ()
    contender: str | None = None
    seconds: Seconds = 2.0
    user_files: UserFiles | None = None


def why(evidence: Path, request: WhyRequest, out: Path, progress: Progress) -> WhyResults:
    """Profile what changed, and write it into a folder alongside the evidence, which is not touched.

    Args:
        evidence: the directory of the measurement.
        request: what is asked for.
        out: the folder that is written; what an earlier profile wrote there is removed.
        progress: receives messages.

    Raises:
        WeighError: the evidence cannot be read, or what it measured cannot be made again here.
    """
    records = reports.attempts(evidence)
    results = experiment_results(records)
    record = results.record
    if record.spec.ingest:
        raise UsageError("loading is not profiled", where=str(evidence), remedy="profile queries: weigh run")
    chosen, left_out = choose(results, records, request.operations, request.contender)
    found = WhyResults(evidence=evidence.resolve().name, notice=record.notice, left_out=left_out)
    if not chosen:
        return found
    files.check(out)
    with ExitStack() as stack:
        scratch.sweep()
        stack.enter_context(lock.measuring(f"weigh why {record.spec.workload}"))
        setup = _setup(record, chosen, request, out, progress, stack)
        _same(record, setup)
        with new_folder(out, replaces=True) as folder:
            changes, notes = [], dict.fromkeys([*_licences(record, chosen), *_others()])
            for number, change in enumerate(chosen, 1):
                progress.say(f"profile {number} of {len(chosen)}: {change.operation}, {change.contender}")
                done, warnings = _profiled(change, setup, record, request.seconds, folder, number)
                changes.append(done)
                notes |= dict.fromkeys(warnings)
            found = msgspec.structs.replace(found, changes=tuple(changes), notes=tuple(notes))
            files.write(folder, found)
    return found


def _setup(
    record: Record, chosen: list[ProfiledChange], request: WhyRequest, out: Path, progress: Progress, stack: ExitStack
) -> Setup:
    needed = {name for one in chosen for name in (one.baseline, one.contender)}
    spec = msgspec.structs.replace(
        record.spec,
        contenders=tuple(one for one in record.spec.contenders if one.name in needed),
        operations=tuple(dict.fromkeys(one.operation for one in chosen)),
        grid=msgspec.UNSET,
    )
    run_request = RunRequest(root=out.parent, command="", measure=False, user_files=request.user_files)
    setups.check(spec, run_request)
    return setups.prepare(spec, run_request, progress, stack)


def _same(record: Record, setup: Setup) -> None:
    """The rows and the queries are those that were measured.

    Raises:
        DataFault: they are not.
    """
    if record.manifest is None or record.manifest.digests != setup.data.manifest.digests:
        raise DataFault(
            "the data here holds other rows than were measured",
            where=str(setup.data.folder),
            remedy="measure again, and profile that",
        )
    for one in setup.workload.operations:
        recorded = record.workload.operation(one.name) if record.workload else None
        if recorded is None or _question(recorded) != _question(one):
            raise DataFault(
                "the query here is another one than was measured",
                where=f"operation {one.name}",
                remedy="profile with the version of weigh and the queries that measured it, or measure again",
            )


def _question(one: Operation) -> tuple[object, ...]:
    """What must be the same; cases that are drawn anew for each gate are not timed."""
    return one.sql, one.dialect, tuple(case for case in one.cases if not case.name.startswith(FRESH))


def _profiled(
    change: ProfiledChange, setup: Setup, record: Record, seconds: Seconds, folder: Path, number: int
) -> tuple[ProfiledChange, list[str]]:
    """A change with what was observed, and what must be reported about it."""
    operation = setup.workload.operation(change.operation)
    case = next((one for one in operation.timed() if one.name == change.case), operation.cases[0])
    ready = {one.name: one for one in setup.contenders}
    pair = ready[change.baseline], ready[change.contender]
    texts = tuple(operation.text(case, one.engine.dialect) for one in pair)
    try:
        before, after = lives.look(pair, (texts[0], texts[1]), setup.link, seconds, setup.spec.timeout)
    except WorkerEnded as ended:
        return msgspec.structs.replace(change, case=case.name, failed=lives.clean(ended.detail, 600)), []
    sides = {change.baseline: before, change.contender: after}
    samples = [
        stacks.functions("python", before.python, after.python),
        stacks.functions("native", before.native, after.native),
    ]
    known = bool(before.plans and after.plans)
    alike = pair[0].engine.name == pair[1].engine.name and before.version == after.version
    least_s = LEAST * max(before.wall_s, after.wall_s)
    done = msgspec.structs.replace(
        change,
        case=case.name,
        profiled_executions=min(len(before.counters), len(after.counters)),
        operators=plans.laid(before.plans, after.plans) if known else None,
        operators_lack=_lacks(sides),
        profiled_s=(before.wall_s, after.wall_s),
        counters=(
            *counters.moved(before.counters, after.counters, alike=alike, least_s=least_s),
            *counters.moved(before.usage, after.usage, alike=False, least_s=least_s),
        ),
        functions=tuple(samples),
        folder=files.profile(folder, number, change, before, after),
    )
    return done, _versions(record, sides)


def _lacks(sides: dict[str, Side]) -> str:
    lacking = {name: side.lacks for name, side in sides.items() if side.lacks}
    if len(lacking) == len(sides) and len(set(lacking.values())) == 1:
        return next(iter(lacking.values()))
    return "; ".join(f"{name}: {lacks}" for name, lacks in lacking.items())


def _versions(record: Record, sides: dict[str, Side]) -> list[str]:
    """Where an engine is not the version that was measured."""
    measured = {one.name: one.version for one in record.environment.contenders} if record.environment else {}
    return [
        f"{name} is {side.version} here, and was {measured[name]} when it was measured"
        for name, side in sides.items()
        if name in measured and measured[name] != side.version
    ]


def _others() -> list[str]:
    """Who else uses the machine: what waits for a CPU stands still in a function."""
    share = settle.foreign_share(_WINDOW)
    if share is None or share < settle.BUSY_SHARE:
        return []
    return [f"others use {share:.0%} of the CPUs: times of Python functions contain waiting for a CPU"]


def _licences(record: Record, chosen: list[ProfiledChange]) -> list[str]:
    needed = {name for one in chosen for name in (one.baseline, one.contender)}
    contenders = record.environment.contenders if record.environment else ()
    return [f"{one.name}: {one.terms}" for one in contenders if one.name in needed and one.terms]
