"""The experiment, in order: contenders, data, gate, blocks, seal."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import msgspec

from weigh import workloads
from weigh.engines import engine
from weigh.engines.prepared import PreparedContender, cache_folder, ready
from weigh.evidence import attempts, sealing
from weigh.evidence.journal import Journal
from weigh.evidence.sealing import sealed
from weigh.experiment import dataset, derived, record, resources, storage
from weigh.experiment import record as records
from weigh.experiment import resume as resuming
from weigh.experiment.attempt import Attempt
from weigh.experiment.data_link import DataLink
from weigh.experiment.gate import pinned as pins
from weigh.experiment.measure import calibration, cold
from weigh.host import lock, sampling, scratch, settle
from weigh.model import codes
from weigh.model.errors import UsageError, WeighError, nearest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weigh.experiment.config.user_data import OwnFiles
    from weigh.model.finding import Finding
    from weigh.model.operation import Workload
    from weigh.model.progress import Progress
    from weigh.model.spec import Spec


def run(
    spec: Spec,
    root: Path,
    command: str,
    progress: Progress,
    render: Callable[[Path], None],
    *,
    measure: bool = True,
    answers: Path | None = None,
    pin: Path | None = None,
    resume: bool = False,
    trust: str | None = None,
    own: OwnFiles | None = None,
    shrink: bool = False,
) -> Path:
    """Run an experiment and seal its evidence.

    Args:
        spec: what to do.
        root: folder of all evidence.
        command: the command that reproduces it, for the report.
        progress: is told how far it is.
        render: writes the verdicts and the report into the directory, before it is sealed.
        measure: False ends after the gate.
        answers: pinned answers, the first witness.
        pin: where to write the answers that agreed.
        trust: name of a contender whose answers are all pinned, whoever agreed.
        resume: go on with the latest attempt where it was killed or interrupted; begin where there is none, and do
            nothing where it is complete.
        own: the user's own data and queries, for the workload ``sql``.
        shrink: make small reproducers of what diverged in the gate.

    Returns:
        The evidence directory.

    Raises:
        WeighError: it could not begin. Once it has begun, what happened is in the evidence, sealed, and the
            error that ended it is raised with the evidence's place as a note.
    """
    with ExitStack() as stack:
        scratch.sweep()
        # A mistake in it is said now, not after the gate.
        settle.patience()
        sampling.rate()
        calibration.wanted()
        if measure:
            stack.enter_context(lock.measuring(f"weigh run {spec.workload}"))
        if trust and trust not in [contender.name for contender in spec.contenders]:
            names = [contender.name for contender in spec.contenders]
            raise UsageError(f"'{trust}' is not a contender", remedy=nearest(trust, names))
        left = resuming.left(root, spec) if resume else resuming.Left()
        if left.folder is not None and left.done:
            return left.folder
        cache = cache_folder()
        source = own.source() if own else workloads.load(spec.workload)
        resources.check(spec)
        if measure and "cold" in spec.temperatures:
            cold.refuse_apart(spec.contenders)
        for contender in spec.contenders:
            # A misspelt name is said before another contender's environment is downloaded.
            engine.load(contender.engine)
        contenders = resources.bounded([_made(contender, cache, progress) for contender in spec.contenders], spec)
        data = own.data(cache, spec.seed) if own else dataset.obtain(source.dataset, spec, cache, progress)
        if own:
            stack.callback(shutil.rmtree, data.folder, ignore_errors=True)
        storage.check(storage.places(contenders, data), spec)
        workload = _chosen(source.build(data.truth, spec.seed), spec)
        pinned = pins.read(answers, spec.workload, data.manifest.digests) if answers else None
        stage = stack.enter_context(DataLink(data.folder, data.manifest))
        if measure and "cold" in spec.temperatures:
            cold.refuse_memory([path for paths in stage.tables.paths.values() for path in paths])
        before = left.record
        if left.folder is not None and before is not None:
            folder, attempt = left.folder, before.attempt
        else:
            folder, attempt = attempts.begin(root, spec.id)
        journal = Journal(folder)
        stack.callback(journal.close)
        if before is not None and before.end is not None:
            # It was killed while it was being sealed.
            with sealed(folder, journal, None):
                derived.derive(folder)
                render(folder)
            return folder
        experiment = Attempt(spec, workload, contenders, data, stage, journal, attempt, progress)
        if spec.precision:
            experiment.earlier = record.earlier(folder)
        if before is not None:
            experiment.resume(before)
        # A mistake of weigh's own must not seal half a measurement as a whole one.
        how, reason = "stopped", "weigh failed"
        try:
            if before is None:
                journal.append("opened", records.Opened(attempt=attempt, spec=spec))
                experiment.unsaid += [_missing(name) for name in attempts.missing(folder)]
            experiment.gate(source, command, pinned)
            if pin:
                experiment.pin(pin, trust)
            if shrink:
                experiment.shrink(folder)
            how, reason = experiment.measure(left.starts) if measure else ("complete", "")
        except KeyboardInterrupt as error:
            how, reason = "stopped", "interrupted"
            error.add_note(f"what was measured until then is kept in {folder}")
            raise
        except WeighError as error:
            how, reason = "stopped", error.what
            error.add_note(f"what happened until then is kept in {folder}")
            raise
        except Exception as error:
            reason = f"weigh failed: {type(error).__name__}: {error}"
            error.add_note(f"what happened until then is kept in {folder}")
            raise
        finally:
            with sealed(folder, journal, sealing.End(how=how, reason=reason)):
                derived.derive(folder)
                render(folder)
        return folder


def _missing(name: str) -> Finding:
    return codes.T8_MISSING.finding(
        text=f"{name} of this experiment was removed: what it measured is not in the verdicts",
        remedy="put it back, or begin in another folder with --out: every attempt counts",
    )


def _made(contender: Any, cache: Path, progress: Progress) -> PreparedContender:
    progress.say(f"environment of {contender.name}")
    return ready(contender, cache)


def _chosen(workload: Workload, spec: Spec) -> Workload:
    """The workload with only the operations asked for."""
    if not spec.operations:
        return workload
    chosen = tuple(workload.operation(name) for name in spec.operations)
    return msgspec.structs.replace(workload, operations=chosen, suite=tuple(one.name for one in workload.operations))
