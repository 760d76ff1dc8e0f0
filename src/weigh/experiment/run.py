"""The experiment, in order: setup, environment, gate, blocks, seal."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from weigh.evidence import attempts
from weigh.evidence.anchoring import places
from weigh.evidence.anchoring.anchoring import Anchoring
from weigh.evidence.anchoring.run_key import RunKey
from weigh.evidence.journal import Journal
from weigh.evidence.sealing import attempted, sealed
from weigh.experiment import derived, record
from weigh.experiment import resume as resuming
from weigh.experiment.attempt import Attempt
from weigh.experiment.measure import spending
from weigh.experiment.setup import check, prepare
from weigh.host import calibrating as calibration
from weigh.host import lock, sampling, scratch, settle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weigh.experiment.config.run_request import RunRequest
    from weigh.model.progress import Progress
    from weigh.model.spec import Spec


def run(spec: Spec, request: RunRequest, progress: Progress, render: Callable[[Path], object]) -> Path:
    """Run an experiment and seal its evidence.

    Args:
        spec: what to do.
        request: how.
        progress: reports how far it is.
        render: writes the verdicts and the report into the directory, before it is sealed.

    Returns:
        The evidence directory.

    Raises:
        WeighError: it could not begin. Once it has begun, what happened is in the evidence, sealed, and the
            error that ended it is raised with the evidence's place as a note.
    """
    with ExitStack() as stack:
        scratch.sweep()
        # A mistake in it is reported now, not after the gate.
        settle.patience()
        sampling.rate()
        calibration.wanted()
        check(spec, request)
        if request.measure:
            stack.enter_context(lock.measuring(f"weigh run {spec.workload}"))
        left = resuming.left(request.root, spec) if request.resume else resuming.Left()
        if left.folder is not None and left.record is not None and left.record.end is not None:
            # It had ended, and was killed while it was being sealed; what it lacks is left to another attempt.
            _seal(left.folder, render)
            left = resuming.left(request.root, spec)
        if left.folder is not None and left.done:
            return left.folder
        witnesses = {one: places.place(one) for one in request.anchor}
        key = stack.enter_context(closing(RunKey())) if witnesses else None
        setup = prepare(spec, request, progress, stack)
        before = left.record
        if left.folder is not None and before is not None:
            folder, number = left.folder, before.attempt
        else:
            folder, number = attempts.begin(request.root, spec.id)
        journal = Journal(folder)
        stack.callback(journal.close)
        if key:
            journal.anchor(Anchoring(witnesses, spec.id, number, folder, key).stamps, key.public)
        earlier = record.earlier(folder) if spec.precision else ()
        resumption = resuming.resumption(before, setup, journal, progress) if before else None
        attempt = Attempt(setup, number, journal, progress, earlier, resumption)

        def write() -> None:
            derived.derive(folder)
            render(folder)

        with attempted(folder, journal, write) as course:
            read = attempt.begin(folder, request)
            starts = left.starts or resuming.wanted(spec)
            refused = request.measure and not request.least
            with spending.refused():
                reuse = request.measure and request.reuse_gate
                answers = attempt.check_answers(read, starts if refused else None, reuse=reuse)
            if request.pin:
                attempt.pin(answers, request.pin, request.trust)
            if request.shrink and not spec.ingest:
                attempt.shrink(answers, folder, reuse=reuse)
            if request.corrupt:
                attempt.corrupt(answers)
            if request.resume and setup.spending:
                setup.spending.restore(one.samples for one in resuming.unfinished(folder, before))
            if request.measure:
                course.end = attempt.measure(read, answers, starts, least=request.least)
            else:
                attempt.say_spent()
                attempt.check_stores()
                if setup.link.catalogs:
                    attempt.check_bytes()
                course.complete()
        return folder


def _seal(folder: Path, render: Callable[[Path], object]) -> None:
    """Complete what was derived from an ended journal, and seal it.

    Raises:
        EvidenceFault: the journal was edited.
    """
    journal = Journal(folder)
    with sealed(folder, journal, None):
        derived.derive(folder)
        render(folder)
