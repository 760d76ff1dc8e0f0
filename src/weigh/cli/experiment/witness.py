"""``weigh run --witness``: an engine of another lineage that answers beforehand, and is not timed."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weigh.experiment.config.run_request import RunRequest
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.progress import Progress
    from weigh.model.spec import Spec


def witnessed(
    spec: Spec, request: RunRequest, witness: str, progress: Progress, render: Callable[[Path], Any]
) -> tuple[Spec, RunRequest, tuple[Path, ExperimentResults] | None]:
    """The experiment with the answers on which a witness agrees as pinned answers.

    The witness takes part in a gate of its own, whose evidence is kept. What agreed there is kept, too, so that the
    experiment can be resumed and repeated without asking again.

    Args:
        spec: of the experiment.
        request: how it is carried out.
        witness: a contender, as ``--contender`` takes it.
        progress: receives messages.
        render: writes the report of the gate.

    Returns:
        What to carry out, and None; or, where the witness does not agree, also that gate and what it found.

    Raises:
        UsageError: pinned answers are named as well, or no contender is of another lineage than the witness.
        WeighError: as ``weigh gate``.
    """
    import msgspec

    from weigh._native import hash_file
    from weigh.engines import engine
    from weigh.experiment import run as experiment
    from weigh.experiment.report import files
    from weigh.experiment.setup import check
    from weigh.model.contender import parse_contender
    from weigh.model.errors import ExitCode, UsageError

    other = parse_contender(witness)
    if spec.answers:
        raise UsageError("--witness and pinned answers are both asked for", remedy="keep one of them")
    lineage = engine.load(other.engine).lineage
    if any(engine.load(one.engine).lineage == lineage for one in spec.contenders):
        raise UsageError(
            f"the witness {other.name} is of the lineage of a contender, and has no vote of its own",
            remedy="name another engine: --witness datafusion, duckdb or sqlite; weigh engines lists them",
        )
    gate = msgspec.structs.replace(spec, contenders=(*spec.contenders, other))
    pins = request.root / f"witness-{gate.id}.json"
    if not pins.exists():
        check(spec, request)
        request.root.mkdir(parents=True, exist_ok=True)
        progress.say(f"witness: {other.name} answers, and is not timed")
        gate_request = dataclasses.replace(request, measure=False, pin=pins, resume=False)
        folder = experiment.run(gate, gate_request, progress, render)
        results = files.read(folder)
        if results.exit_code() is not ExitCode.OK:
            pins.unlink(missing_ok=True)
            return spec, request, (folder, results)
    return (
        msgspec.structs.replace(spec, answers=hash_file(pins)),
        dataclasses.replace(request, answers=pins),
        None,
    )
