"""The observations of an experiment, from its samples, and the analysis of one metric. Pure."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from weigh.experiment.results.preclusions import NOBODY, UNKNOWN, preclusions
from weigh.model.metrics.run_metrics import HEADLINE, RUN_METRICS
from weigh.model.sample import Samples
from weigh.model.verdict import Timing, Verdict
from weigh.verdict import analysis as judge
from weigh.verdict.analysis_model import Inquiry, NoiseFloor
from weigh.verdict.question import Question
from weigh.verdict.table import Places
from weigh.verdict.timings import timings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from weigh.experiment.results.preclusions import Doubts, Gate
    from weigh.model.sample import Coded, Sample
    from weigh.model.spec import Spec
    from weigh.statistics.arrays import Floats, Ints
    from weigh.verdict.refusals import Refusals
    from weigh.verdict.table import Table


class MetricAnalysis(msgspec.Struct, frozen=True, kw_only=True):
    """The result of judging one metric.

    Attributes:
        timings: one of every operation and contender that may be shown: the gate passed, nothing failed.
        verdicts: one of every operation and contender other than the baseline, in the order of the gate.
        floors: one of every operation whose baseline was measured with two arms.
        family: comparisons over which false discoveries are controlled.
        selected: those of them that are SLOWER or FASTER.
    """

    timings: tuple[Timing, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    floors: tuple[NoiseFloor, ...] = ()
    family: int = 0
    selected: int = 0

    def at(self, temperature: str) -> MetricAnalysis:
        """The rows of one temperature; the family stays that of the session."""
        return msgspec.structs.replace(
            self,
            timings=tuple(one for one in self.timings if one.temperature == temperature),
            verdicts=tuple(one for one in self.verdicts if one.temperature == temperature),
            floors=tuple(one for one in self.floors if one.temperature == temperature),
        )


def observed(samples: Iterable[Sample], metric: str, contenders: Iterable[str], values: Floats | None = None) -> Table:
    """The timed executions of the given contenders that ended well.

    Args:
        samples: of all attempts, in any order.
        metric: field of the samples.
        contenders: names, in the order of their numbers.
        values: of every sample, in the place of that field; NaN where there is none.
    """
    every, names = Samples.of(samples), tuple(contenders)
    chosen, places = every.once(("places", names), lambda: _places(every, names))

    def table(column: Floats) -> Table:
        return places.table(column[chosen], RUN_METRICS[metric].unit)

    if values is not None:
        return table(values)
    return every.once(("table", metric, names), lambda: table(every.floats(metric)))


def _places(samples: Samples, contenders: tuple[str, ...]) -> tuple[Ints, Places]:
    """Which samples are observations of some contenders, and where these belong."""
    number_of = {name: number for number, name in enumerate(contenders)}
    who, names = samples.coded("contender")
    known = np.array([name in number_of for name in names], dtype=np.bool_)
    chosen = np.flatnonzero(samples.timed & known[who])

    def numbered(coded: Coded, key: Callable[[Any], Any]) -> tuple[Ints, list[Any]]:
        """The place of the key of each observation among the distinct ones in order, and these."""
        code = coded.code[chosen]
        present = sorted((key(coded.values[number]), number) for number in np.unique(code))
        place = np.zeros(len(coded.values), dtype=np.int64)
        place[[number for _, number in present]] = np.arange(len(present))
        return place[code], [one for one, _ in present]

    case, cases = numbered(samples.coded("operation", "temperature", "case"), lambda of: (Question(*of[:2]), of[2]))
    arm, arm_pairs = numbered(samples.coded("contender", "arm"), lambda of: (number_of[of[0]], of[1]))
    block, block_pairs = numbered(samples.coded("attempt", "block"), lambda of: of)
    turn_of, round_of = samples.integers("turn")[chosen], samples.integers("round")[chosen]
    contender_of = np.array([number for number, _ in arm_pairs], dtype=np.int64)
    return chosen, Places(
        case=case,
        arm=arm,
        block=block,
        round=round_of,
        build=np.nan_to_num(samples.floats("build")[chosen], nan=-1).astype(np.int64),
        cases=cases,
        arm_pairs=arm_pairs,
        block_pairs=block_pairs,
        contenders=contenders,
        before=_before(np.stack([block, case, round_of]), turn_of, contender_of[arm]),
    )


def _before(rounds: Ints, turn: Ints, contender: Ints) -> Ints:
    """Whose turn ended when that of each observation began, in the same round; -1 where there was none.

    Args:
        rounds: block, case and round of each observation, shape (3, observations).
        turn: position of its turn in the block.
        contender: whose it is.
    """
    found = np.full(len(turn), -1, dtype=np.int64)
    turns, first, place = np.unique(np.vstack([rounds, turn]), axis=1, return_index=True, return_inverse=True)
    if turns.shape[1] > 1:
        next_one = (turns[:3, 1:] == turns[:3, :-1]).all(axis=0) & (turns[3, 1:] == turns[3, :-1] + 1)
        of_turn = np.concatenate([[-1], np.where(next_one, contender[first][:-1], -1)])
        found = of_turn[place.reshape(-1)]
    return found


def analyse(
    samples: Sequence[Sample],
    *,
    spec: Spec,
    gate: Gate = UNKNOWN,
    doubts: Doubts = NOBODY,
    metric: str = HEADLINE,
    refused: Sequence[Refusals] = (),
    shares: Mapping[str, float] = MappingProxyType({}),
    values: Floats | None = None,
) -> MetricAnalysis:
    """Judges every contender against the baseline on every operation.

    Operations come in the order of the gate, then of ``spec.operations``, then by name. The order of the
    samples does not matter. A metric that no sample has gives an empty analysis.

    Args:
        samples: of all attempts of the experiment, untimed and failed executions included.
        spec: the experiment; gives contenders, baseline and rules.
        gate: status of the answers by operation and contender.
        doubts: of contenders, by name.
        metric: field of the samples to judge.
        refused: as of :class:`weigh.verdict.analysis_model.Inquiry`.
        shares: likewise.
        values: as of :func:`observed`.
    """
    table = observed(samples, metric, (contender.name for contender in spec.contenders), values)
    if metric != HEADLINE and not (table.value > 0).any():
        return MetricAnalysis()
    precluded = preclusions(samples, gate, doubts)
    failed = {*precluded.diverged, *(operation for operation, _ in precluded.failed)}
    measured = {question.operation for question in table.questions}
    operations = dict.fromkeys([*gate, *spec.operations, *sorted(measured | failed)])
    questions = [Question(one, temperature) for temperature in spec.temperatures for one in operations]
    found = judge.analyse(
        table,
        Inquiry(
            metric=RUN_METRICS[metric],
            baseline=spec.baseline,
            questions=questions,
            rules=spec.rules,
            totals=metric == HEADLINE,
            second_opinion=spec.rule == "clickhouse",
            preclusions=precluded,
            refused=refused,
            shares=shares,
        ),
    )
    layout = {one.name: spec.layout_name(one.name) for one in spec.contenders}
    times = timings(table, metric)
    return MetricAnalysis(
        timings=tuple(
            msgspec.structs.replace(timing, scale=spec.scale, layout=layout[name])
            for question in questions
            for name in table.contenders
            if (timing := times.get((question, name))) and precluded.allows(question.operation, name)
        ),
        verdicts=tuple(
            msgspec.structs.replace(one, scale=spec.scale, layout=layout[one.contender])
            for one in found.verdicts.values()
        ),
        floors=tuple(found.floors.values()),
        family=found.family,
        selected=found.selected,
    )
