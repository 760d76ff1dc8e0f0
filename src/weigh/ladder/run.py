"""The ladder, in order: the same experiment at growing scales, each an attempt of its own in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh import workloads
from weigh.data.generator import generator
from weigh.experiment import run
from weigh.experiment.config.builds import built_once
from weigh.experiment.config.spec import OWN_LADDER
from weigh.model import units
from weigh.model.errors import UsageError, WeighError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from weigh.experiment.config.run_request import RunRequest
    from weigh.model.progress import Progress
    from weigh.model.spec import Spec
    from weigh.model.units import Scale

_STEP = 10
"""Each rung of a usual ladder is this many times the one below."""


def usual_scales(workload: str) -> tuple[str, ...]:
    """The ladder of a workload where none is asked for: three rungs around its usual scale, or up to it.

    A count of rows goes one rung beyond the usual one; a scale factor of 1 is long already.

    Raises:
        UsageError: its data have no scale, or there is no such workload.
    """
    if workload == "sql":
        raise UsageError("your own files have no scale", remedy=OWN_LADDER)
    made_by = generator(workloads.load(workload).dataset)
    usual, least = made_by.scale, made_by.least
    if isinstance(usual, int):
        return tuple(
            units.rows(rows).replace(",", "") for rows in (usual // _STEP, usual, usual * _STEP) if rows >= least
        )
    factors = (usual / _STEP**2, usual / _STEP, usual)
    return tuple(units.factor(one) for one in factors if one >= least)


def rungs(specs: Sequence[Spec]) -> tuple[Spec, ...]:
    """The specs by ascending scale.

    Raises:
        UsageError: two of them have one scale, they are not hot, or a contender is built several times.
    """
    for one in specs:
        built_once(one.contenders, "a ladder")
    if any(one.temperature != "hot" for one in specs):
        raise UsageError("a ladder is climbed hot", remedy="leave the temperature out, or run single scales cold")
    scales = [one.scale for one in specs]
    if 0 in scales:
        raise UsageError("a rung of 0 rows measures nothing", remedy="leave the scale 0 out")
    for scale in scales:
        if scales.count(scale) > 1:
            raise UsageError(f"the scale {units.scale(scale)} is named twice", remedy="name each rung once")
    return tuple(sorted(specs, key=lambda one: one.scale or 0))


def climb(
    specs: Sequence[Spec],
    request: RunRequest,
    progress: Progress,
    render: Callable[[Path], object],
    done: Callable[[Scale | None, Path], None],
) -> None:
    """Run every rung, the smallest first: what is wrong shows at little cost.

    Args:
        specs: as of :func:`rungs`.
        request: as of :func:`weigh.experiment.run.run`, the same for all rungs.
        progress: as of it.
        render: as of it.
        done: told the scale and the evidence of every rung that ended.

    Raises:
        WeighError: a rung could not begin, or failed. The rungs below it stay, and a note says so.
    """
    for number, spec in enumerate(specs):
        if len(specs) > 1:
            progress.say(f"rung {number + 1} of {len(specs)}: {units.scale(spec.scale)}")
        try:
            folder = run.run(spec, request, progress, render)
        except (KeyboardInterrupt, WeighError) as error:
            if number:
                error.add_note(f"{units.count(number, 'rung')} below it stayed; --resume goes on from there")
            raise
        done(spec.scale, folder)
