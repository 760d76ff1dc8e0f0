"""What a run of ten starts would have recorded of engines whose times follow a law: no engine is started for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from support import experiment_records
from support.command import Run
from support.evidence_folders import sealed_run
from weigh.experiment.record import read
from weigh.experiment.results.results import experiment_results
from weigh.model.schedule import arms

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Weigh


def recorded(
    weigh: Weigh,
    contenders: tuple[str, ...],
    operations: tuple[str, ...],
    law: Callable[[str, int, str], tuple[float, float]],
    *,
    margin: float,
    strict: bool = False,
    declared: bool = True,
) -> Run:
    """The run as its evidence tells it.

    Args:
        weigh: in an empty folder.
        contenders: names, the baseline first.
        operations: names.
        law: seconds of an execution, and of its CPU, by contender, number of the life among all lives, and operation.
        margin: the difference that matters, a share.
        strict: whether what is left open fails it.
        declared: whether the first of them was named as the baseline, so that a slower one fails it.
    """
    made = experiment_records.record(operations=operations, contenders=contenders, starts=10, rounds=1, runs=2)
    spec = msgspec.structs.replace(
        made.spec, baseline_declared=declared, rules=msgspec.structs.replace(made.spec.rules, margin=margin)
    )
    place = {arm.name: number for number, arm in enumerate(arms(spec))}
    samples = []
    for one in made.samples:
        wall, cpu = law(one.contender, one.block * len(place) + place[one.arm], one.operation)
        samples.append(msgspec.structs.replace(one, wall_s=wall, cpu_s=cpu))
    folder = sealed_run(weigh.folder / "runs", msgspec.structs.replace(made, spec=spec, samples=tuple(samples)))
    run = weigh("report", str(folder), "--json")
    assert run.code == 0, run.err
    return Run(experiment_results([read(folder)]).exit_code(strict=strict), run.out, run.err, weigh.folder)
