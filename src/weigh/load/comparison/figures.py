"""What a comparison goes by: the figures of each run, by arm and block. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.analysis.figures import ALL, OperationFigures, RunFigures
from weigh.load.comparison.metrics import LOAD_METRICS, PERCENTILES, RATE, RUN_METRICS
from weigh.load.gate import checks
from weigh.load.results import LoadResults, load_results
from weigh.load.spec import Loop
from weigh.verdict import question

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.load.comparison.record import LoadComparisonRecord
    from weigh.load.rate_search.results import RateSearchResults
    from weigh.load.record import LoadRecord
    from weigh.model.gate import Check


class Kind(msgspec.Struct, frozen=True, order=True):
    """A kind of run: what is compared was under the same one."""

    connections: int
    loop: Loop


class Question(question.Question, frozen=True, order=True, cache_hash=True, kw_only=True):
    """What a verdict is about: an operation under a kind of run; all operations together are ``all``.

    Attributes:
        kind: of run.
        metric: of :data:`weigh.load.comparison.metrics.LOAD_METRICS`.
    """

    kind: Kind
    metric: str


class BlockRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of one arm in one block.

    Attributes:
        attempt: of the comparison.
        block: from 1.
        arm, contender: whose.
        kind: of run.
        run: its figures, with the server's life.
    """

    attempt: int
    block: int
    arm: str
    contender: str
    kind: Kind
    run: RunFigures

    @property
    def counts(self) -> bool:
        """Whether its figures may be used."""
        return self.run.complete and not self.run.refused and bool(self.run.operations)

    def operation(self, name: str) -> OperationFigures | None:
        """The figures of an operation of that name; all together stand first."""
        if name == ALL and self.run.operations:
            return self.run.whole
        return next((one for one in self.run.operations if one.name == name), None)

    def value(self, asked: Question) -> float | None:
        """A figure in the unit of its metric; None where there is none."""
        figures = self.operation(asked.operation)
        return LOAD_METRICS[asked.metric].of(self.run, figures) if figures else None

    def figures(self) -> dict[str, Any]:
        """Every figure of all operations together, by metric; an optional one that was not recorded is left out."""
        found = {name: self.value(Question(ALL, kind=self.kind, metric=name)) for name in (*PERCENTILES, *RUN_METRICS)}
        return {name: one for name, one in found.items() if one is not None or not LOAD_METRICS[name].optional}

    def resolved(self) -> tuple[str, ...]:
        """Percentiles of all operations together that this run resolves."""
        return tuple(name for name in PERCENTILES if self.resolves(Question(ALL, kind=self.kind, metric=name)))

    def exceedances(self, asked: Question) -> float:
        """Independent requests on the rarer side of a percentile in this run."""
        figures = self.operation(asked.operation)
        return figures.response.at(PERCENTILES[asked.metric]).exceedances if figures else 0.0

    def resolves(self, asked: Question) -> bool:
        """Whether a percentile is resolved in this run; whatever is no percentile is."""
        figures = self.operation(asked.operation)
        if figures is None or asked.metric not in PERCENTILES:
            return figures is not None
        return figures.response.at(PERCENTILES[asked.metric]).resolved


def block_runs(records: Sequence[LoadComparisonRecord], concluded: Sequence[dict[str, LoadResults]]) -> list[BlockRun]:
    """Every run of every arm, attempt by attempt.

    Args:
        records: of all attempts, oldest first.
        concluded: what each arm's load says by itself, by the arm's name; one for each attempt.
    """
    return [
        one
        for record, loads in zip(records, concluded, strict=True)
        for arm in record.spec.arms
        if arm.name in loads
        for one in _runs(record, arm.name, arm.contender, loads[arm.name])
    ]


def _runs(record: LoadComparisonRecord, arm: str, contender: str, found: LoadResults) -> Iterator[BlockRun]:
    broken_off = found.broken_off
    for run in _probes(found.rate_search, found.probes) if found.rate_search else found.runs:
        if run.number == broken_off:
            continue
        yield BlockRun(
            attempt=record.attempt,
            block=run.repeat,
            arm=arm,
            contender=contender,
            kind=Kind(run.connections, run.loop),
            run=run,
        )


def _probes(search: RateSearchResults, probes: Sequence[RunFigures]) -> Iterator[RunFigures]:
    """Every run of a search: that a rate is too high is its outcome, and no refusal."""
    counted = {one.run for one in search.counted}
    for one in probes:
        yield msgspec.structs.replace(one, reasons=()) if one.number in counted else one


def concluded(record: LoadComparisonRecord) -> dict[str, LoadResults]:
    """What each arm's load says by itself, and its answers against those of the others."""
    found = answers(record.loads)
    return {
        name: load_results(load, tuple(one for one in found if one.contender == name))
        for name, load in record.loads.items()
    }


def answers(loads: Mapping[str, LoadRecord]) -> tuple[Check, ...]:
    """The answers that arms gave before the clock against one another's; servers of one product have one vote."""
    statements = {name: load.gate.statements for name, load in loads.items() if load.gate and load.gate.statements}
    lineage = {name: load.environment.target.product if load.environment else "" for name, load in loads.items()}
    return checks.between(statements, lineage)


def questions(runs: Sequence[BlockRun], *, users: bool = False) -> tuple[Question, ...]:
    """Everything that can be asked, in the order of the reports.

    Args:
        runs: of all arms.
        users: whether users at terminals asked: their own times make the rate, which says nothing of the servers.
    """
    found: dict[Question, None] = {}
    for kind in dict.fromkeys(one.kind for one in runs):
        own = [one for one in runs if one.kind == kind]
        names = dict.fromkeys([ALL, *(part.name for one in own for part in one.run.operations)])
        if sum(name != ALL for name in names) < 2:
            names = dict.fromkeys([ALL])
        for name in names:
            found |= dict.fromkeys(Question(name, kind=kind, metric=metric) for metric in PERCENTILES)
        others = (one for one in RUN_METRICS if one != RATE or (kind.loop == "closed" and not users))
        found |= dict.fromkeys(Question(ALL, kind=kind, metric=metric) for metric in others)
    return tuple(found)
