"""``weigh ladder``."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from weigh.cli.experiment.run import requested, run, tables_of
from weigh.cli.keys import ValuedCommand, flags_of
from weigh.cli.output import print_results
from weigh.cli.progress import progress
from weigh.kinds.table import LADDER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.experiment.config.run_request import RunRequest
    from weigh.ladder.plan import LadderPlan
    from weigh.model.spec import Spec
    from weigh.model.units import Scale

_ELSEWHERE = {
    "as_json": "One JSON document on stdout (schema weigh/ladder/1).",
    "budget": "Time for the measuring phase of each rung, e.g. 10m [no limit].",
    "resume": "Go on where the ladder was killed or interrupted; rungs that are complete stay as they are.",
    "starts": "Exactly so many fresh starts of every contender at each rung; with --precision the most [10].",
    "precision": "Stop a rung when every interval is at most that wide to each side, 2% or 0.02.",
    "scale": "Of the one rung, only with --vary and without --scales [1M of netflow, 1 of TPC-H].",
    "strict": "Exit 3 when the largest rung leaves a verdict refused or unresolved; small ones often do.",
    "temperature": "Only hot: a ladder cannot be measured cold [hot].",
}
"""Flags of `run` that mean a little more here."""


class _Ladder(ValuedCommand):
    """The ladder of experiments; with ``--load`` that of loads, which has a load's flags."""

    @property
    def of_loads(self) -> click.Command:
        """That of loads."""
        from weigh.cli.load.ladder import load_ladder

        return load_ladder

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """As click does, for the ladder that is meant."""
        # Behind -- nothing is a flag.
        if "--load" in args[: args.index("--")] if "--" in args else "--load" in args:
            return self.of_loads.make_context(info_name, args, parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(cls=_Ladder)
@click.option(
    "--load",
    "of_loads",
    is_flag=True,
    help="A ladder of loads instead, over data sizes: weigh ladder --load --help has its flags.",
)
@click.option(
    "--scales",
    metavar="A,B,...",
    help="The rungs [100K,1M,10M of netflow, 0.01,0.1,1 of TPC-H].",
)
def ladder(
    file: Path | None,
    out: Path,
    as_json: bool,
    quiet: bool,
    strict: bool,
    of_loads: bool,
    scales: str | None,
    **flags: Any,
) -> None:
    """Run the experiment at growing scales, and find the one from which on the margin is resolvable.

    Each rung is an experiment of its own, with its gate and its sealed evidence. The first rung at which the declared
    margin is resolvable is named, and one beyond the largest is predicted where none is and a prediction can be had.

    With --vary one experiment has all the widths of a setting as contenders; of threads it names the width at which
    each contender first beats the best single-threaded one (COST).
    """
    from weigh.experiment.report import files as reports
    from weigh.ladder.report import files
    from weigh.ladder.run import climb

    plan, specs, request = _planned(file, flags, scales, out)
    done: list[tuple[Scale | None, Path]] = []

    def ended(scale: Scale | None, folder: Path) -> None:
        done.append((scale, folder))
        files.write(out, plan, done)

    with _named_as_typed(rungs=flags["scale"] is None):
        climb(specs, request, progress(quiet), reports.write, ended)
    folder = files.folder_of(out, plan)
    results = LADDER.read(folder)
    print_results(LADDER, results, folder, as_json=as_json)
    click.get_current_context().exit(int(results.exit_code(strict=strict)))


# It has no first screen of its own yet.
_file, _flags = flags_of(
    run, _ELSEWHERE, without=("command", "output", "verbose", "why", "witness", "price", "spend", "plan", "streams")
)
ladder.params = [_file, *ladder.params, *_flags]


@contextmanager
def _named_as_typed(*, rungs: bool) -> Iterator[None]:
    """Remedies of an experiment name its flag --scale; a ladder's is --scales."""
    from weigh.model.errors import WeighError

    try:
        yield
    except WeighError as error:
        if rungs:
            error.remedy = re.sub(r"--scale\b", "--scales", error.remedy)
        raise


def _planned(
    file: Path | None, flags: dict[str, Any], scales: str | None, out: Path
) -> tuple[LadderPlan, tuple[Spec, ...], RunRequest]:
    """The ladder, the experiments of its rungs, and how each of them is carried out."""
    from weigh.experiment.config.contenders import varied_contenders
    from weigh.ladder import run as order
    from weigh.ladder.plan import LadderPlan
    from weigh.model.errors import UsageError

    if scales is not None and flags["scale"] is not None:
        raise UsageError("--scale and --scales are both given", remedy="keep one of them")
    variations = varied_contenders(tables_of(file)[0], flags).variations
    # As many starts at every rung: what stops early at one of them says nothing about the noise there.
    spec, request = requested(file, flags, out, adaptive=False)
    if scales is None and not variations and flags["scale"] is not None:
        raise UsageError("one scale is no ladder", remedy="name several: --scales 100K,1M,10M; or --vary KEY=A,B,...")
    if scales is not None:
        rungs = [part.strip() for part in scales.split(",") if part.strip()]
        if len(rungs) < 2 and not variations:
            raise UsageError(f"--scales {scales} is no ladder", remedy="name several: --scales 100K,1M,10M")
    else:
        rungs = [] if variations else list(order.usual_scales(spec.workload))
    specs = [requested(file, {**flags, "scale": one}, out, adaptive=False)[0] for one in rungs] or [spec]
    ordered = order.rungs(specs)
    plan = LadderPlan(
        scales=tuple(one.scale for one in ordered),
        experiments=tuple(one.id for one in ordered),
        variations=variations,
        command=request.command,
    )
    return plan, ordered, request
