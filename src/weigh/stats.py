"""The statistics of weigh's verdicts, for numbers of your own (docs/guide/python.md, docs/concept/statistics.md).

Two contenders that were measured side by side::

    ratio       one ratio with its interval
    verdicts    many at once, with the names of the verdicts and false discoveries under control
    clickhouse  what ClickHouse's published rule says of the same runs

One series of measurements::

    mean        with an interval that its correlation leaves, or the reason why there is none
    percentiles with intervals, or that so many samples do not resolve them
    steady      what it does over its length, and where its steady part begins

Nothing is computed here that the reports do not compute: every function calls what they call. Times may be in any unit,
and need not be times: whatever is above zero and of which less is better. NaN is what was not measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.model.errors import DataFault
from weigh.model.rules import MIN_STARTS, RULES, Rules
from weigh.model.units import count
from weigh.model.verdict import SecondOpinion, SecondOpinionName, VerdictName
from weigh.statistics import student_t
from weigh.statistics.percentiles import Percentile, percentiles
from weigh.statistics.series.correlated_mean import Series, SeriesMean, mean
from weigh.statistics.series.steady_state import Shape, Steady, steady
from weigh.verdict import clickhouse_rule as rule_of_clickhouse
from weigh.verdict import totals
from weigh.verdict.comparison import Comparisons, compare
from weigh.verdict.decide import POWER, decide
from weigh.verdict.question import Question
from weigh.verdict.refusals import soundness
from weigh.verdict.table import Table

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from weigh.statistics.arrays import Floats, Ints


__all__ = [
    "MIN_STARTS",
    "Percentile",
    "Ratio",
    "Rules",
    "SecondOpinion",
    "SecondOpinionName",
    "Series",
    "SeriesMean",
    "Shape",
    "Steady",
    "VerdictName",
    "Verdicts",
    "clickhouse",
    "mean",
    "percentiles",
    "ratio",
    "steady",
    "verdicts",
]

_BASELINE, _CANDIDATE = 0, 1


class Ratio(msgspec.Struct, frozen=True, kw_only=True):
    """One contender over another.

    Attributes:
        ratio: candidate over baseline, above 1 is more: what one measurement typically is. A start counts with the
            median of its runs, the ratio is the geometric mean over the blocks.
        low, high: interval of the ratio at ``confidence``.
        total: the sum of all measurements over that of the baseline, in the blocks that have both: rare large ones
            count with their size.
        total_low, total_high: interval of the total at ``confidence``; it holds what the blocks showed, and a stall
            that has not happened yet is in none of them.
        confidence: level of that interval.
        error: standard error of the logarithm of the ratio.
        freedom: degrees of freedom of Student's t that go with it.
        starts: blocks in which both were measured.
        median_ratio: ratio of the medians of all measurements.
        noise_floor: how far the baseline's two arms are apart, a fraction; None where it has one.
        detectable: smallest effect that as many starts would find with 80 % power, a fraction.
    """

    ratio: float
    low: float
    high: float
    total: float
    total_low: float
    total_high: float
    confidence: float
    error: float
    freedom: float
    starts: int
    median_ratio: float
    noise_floor: float | None
    detectable: float


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Many comparisons; arrays have the shape (comparisons,), NaN where there is no such figure.

    Attributes:
        names: values of :class:`VerdictName`: slower, faster, same, small, unresolved, refused.
        ratio: candidate over baseline: what one measurement typically is, as of :class:`Ratio`.
        low, high: its interval at ``rules.confidence``.
        low_fcr, high_fcr: the interval that decides whether a difference matters.
        total_names: the same of the totals; same or small only from 400 measurements of either side on.
        total: the sum of all measurements over that of the baseline.
        total_low, total_high: its interval at ``rules.confidence``.
        noise_floor: how far the baseline's two arms are apart, a fraction.
        detectable: smallest effect that as many starts would find with 80 % power, a fraction.
        starts: blocks in which both were measured.
        starts_needed: of one that is unresolved or unstable, starts that would about settle it.
        family: comparisons over which false discoveries are controlled.
        selected: those of them that are slower or faster.
        rules: by which it was decided; each of the two questions has half of its false discoveries.
    """

    names: NDArray[np.str_]
    ratio: Floats
    low: Floats
    high: Floats
    low_fcr: Floats
    high_fcr: Floats
    total_names: NDArray[np.str_]
    total: Floats
    total_low: Floats
    total_high: Floats
    noise_floor: Floats
    detectable: Floats
    starts: Ints
    starts_needed: Floats
    family: int
    selected: int
    rules: Rules


def ratio(
    candidate: ArrayLike,
    baseline: ArrayLike,
    *,
    blocks: tuple[Sequence[Hashable], Sequence[Hashable]] | None = None,
    confidence: float = 0.99,
    clock: bool = True,
) -> Ratio:
    """The ratio of two contenders, from fresh process starts that were measured next to each other.

    The unit is the start: its runs give one number, their median, and are never counted. A block is what was measured
    next to each other, so that a drift of the machine hits both sides; starts of different blocks must be independent.
    The runs of a start are one turn: they are not paired with each other.

    Args:
        candidate: measurements, shape (starts,) or (starts, runs).
        baseline: the same of the baseline; the number of starts may differ.
        blocks: the block of every start, for the candidate and for the baseline. Starts of one side that share a block
            are its arms: the baseline's first two give the noise floor. Without it, start i of both is block i.
        confidence: level of the interval.
        clock: the measurements are times, and a clock that ticks hides up to half a tick of each side: where that is
            more than what the starts scatter by, the interval is wider for it. Of counts and bytes steps are real.

    Raises:
        DataFault: something is not above zero, the shapes do not go together, fewer than two blocks have both, or the
            clock shows the same time throughout.
    """
    sides = [_shaped(side, 2, name) for side, name in ((candidate, "candidate"), (baseline, "baseline"))]
    if blocks is None:
        if len(sides[0]) != len(sides[1]):
            raise DataFault(
                f"{len(sides[0])} starts of the candidate and {len(sides[1])} of the baseline are no pairs",
                remedy="name the block of every start: blocks=(of the candidate, of the baseline)",
            )
        blocks = (range(len(sides[0])), range(len(sides[1])))
    if not 0 < confidence < 1:
        raise DataFault(f"a confidence of {confidence} is no level", remedy="give a fraction, such as 0.99")
    place = {label: at for at, label in enumerate(dict.fromkeys((*blocks[0], *blocks[1])))}
    arms = [_arms(side, labels, place) for side, labels in zip(sides, blocks, strict=True)]
    compared = _compared(candidates=arms[0], baselines=arms[1])
    if clock:
        if np.isinf(compared.step[0]):
            raise DataFault(
                "every measurement is the same: the clock is too coarse to tell anything",
                remedy="time longer work, or say clock=False where the numbers are no times",
            )
        compared = soundness.with_rounding(compared)
    effect, error = float(compared.effects.effect[0]), float(compared.effects.error[0])
    if not np.isfinite(effect):
        raise DataFault(
            f"both sides were measured in {count(int(compared.starts[0]), 'block')}: that gives no error",
            remedy="measure at least two blocks, better ten, each with a fresh start of either side",
        )
    quantile = float(student_t.quantile(confidence, compared.effects.freedom)[0])
    half = quantile * error
    whole, whole_half = float(compared.totals.effect[0]), quantile * float(compared.totals.error[0])
    floor = float(compared.floor[0])
    return Ratio(
        ratio=float(np.exp(effect)),
        low=float(np.exp(effect - half)),
        high=float(np.exp(effect + half)),
        total=float(np.exp(whole)),
        total_low=float(np.exp(whole - whole_half)),
        total_high=float(np.exp(whole + whole_half)),
        confidence=confidence,
        error=error,
        freedom=float(compared.effects.freedom[0]),
        starts=int(compared.starts[0]),
        median_ratio=float(np.exp(compared.median[0])),
        noise_floor=abs(float(np.expm1(floor))) if np.isfinite(floor) else None,
        detectable=float(np.expm1(student_t.detectable(confidence, POWER, compared.effects.freedom)[0] * error)),
    )


def verdicts(
    candidate: ArrayLike,
    baseline: ArrayLike,
    *,
    second: ArrayLike | None = None,
    rules: Rules = RULES,
    clock: bool = True,
) -> Verdicts:
    """Verdicts on many operations of one session.

    Start i of all arguments is block i: they were measured next to each other. Where one side lacks more than one start
    it is refused: were the missing ones the slow ones, the rest would mislead. It is refused as well where the clock is
    too coarse: where it ticks in steps larger than the margin, or shows the same time throughout.

    Args:
        candidate: measurements, shape (comparisons, starts) or (comparisons, starts, runs).
        baseline: the same of the baseline; the runs may differ.
        second: the same of the baseline's second arm, which halves the noise of the baseline and gives the noise floor.
        rules: margin and error rates; the margin is declared before the numbers are observed.
        clock: the numbers are times. Where they are counts or bytes, steps are real, and none is looked for.

    Raises:
        DataFault: something is not above zero, or the shapes do not go together.
    """
    named = [(candidate, "candidate"), (baseline, "baseline"), *([(second, "second")] if second is not None else [])]
    sides = [_shaped(side, 3, name) for side, name in named]
    if len({side.shape[:2] for side in sides}) > 1:
        shapes = ", ".join(f"{name} {side.shape[:2]}" for side, (_, name) in zip(sides, named, strict=True))
        raise DataFault(
            f"comparisons and starts differ: {shapes}", remedy="put NaN where a start of one side was not measured"
        )
    compared = _compared(candidates=sides[:1], baselines=sides[1:])
    if clock:
        compared = soundness.with_rounding(compared)
    halved, unfit = totals.halved(rules), soundness.unfit(compared, 1, rules, clock=clock)
    found = decide(compared.effects, compared.starts, halved, unfit)
    whole = totals.decide_totals(compared, halved, unfit, np.ones(len(unfit)))
    enough = compared.starts >= MIN_STARTS
    effect, of_total = (np.where(enough, one.effect, np.nan) for one in (compared.effects, compared.totals))
    refused = found.names == VerdictName.REFUSED.value
    half_fcr = np.where(refused, np.nan, found.half_fcr)
    return Verdicts(
        names=soundness.no_same(found.names, compared, halved),
        ratio=np.exp(effect),
        low=np.exp(effect - found.half),
        high=np.exp(effect + found.half),
        low_fcr=np.exp(effect - half_fcr),
        high_fcr=np.exp(effect + half_fcr),
        total_names=whole.names,
        total=np.exp(of_total),
        total_low=np.exp(of_total - whole.half),
        total_high=np.exp(of_total + whole.half),
        noise_floor=np.where(np.isnan(effect), np.nan, np.abs(np.expm1(compared.floor))),
        detectable=np.where(np.isnan(effect), np.nan, found.detectable),
        starts=compared.starts,
        starts_needed=found.needed,
        family=found.family,
        selected=found.selected,
        rules=rules,
    )


def clickhouse(candidate: ArrayLike, baseline: ArrayLike) -> tuple[SecondOpinion, ...]:
    """What ClickHouse's published rule says, by its exact distribution (docs/concept/statistics.md).

    It knows no process starts: thirty runs of one start count as thirty witnesses.

    Args:
        candidate: runs, shape (queries, runs), or (runs,) for one query; none may be missing.
        baseline: the same of the baseline; the number of runs may differ.

    Raises:
        DataFault: something is missing or not above zero, or the numbers of queries differ.
    """
    new, old = (
        np.atleast_2d(_above_zero(side, name)) for side, name in ((candidate, "candidate"), (baseline, "baseline"))
    )
    if new.ndim != 2 or old.ndim != 2 or len(new) != len(old) or not (new.size and old.size):
        raise DataFault(
            f"{new.shape} runs of the candidate and {old.shape} of the baseline do not go together",
            remedy="give both as (queries, runs)",
        )
    if np.isnan(new).any() or np.isnan(old).any():
        raise DataFault("runs are missing (NaN)", remedy="leave out the queries that lack runs")
    difference, bound = rule_of_clickhouse.measures(new, old)
    names = rule_of_clickhouse.rule(difference, bound)
    return tuple(
        SecondOpinion(
            name=SecondOpinionName(str(name)),
            difference=float(size),
            threshold=float(limit),
            runs=(new.shape[1], old.shape[1]),
        )
        for name, size, limit in zip(names, difference, bound, strict=True)
    )


def _above_zero(values: ArrayLike, name: str) -> Floats:
    """As an array of numbers above zero or NaN."""
    array = np.asarray(values, dtype=np.float64)
    odd = int((~np.isnan(array) & ~((array > 0) & np.isfinite(array))).sum())
    if odd:
        raise DataFault(
            f"{odd} of {array.size} values of the {name} are not above zero and finite: they have no ratio",
            remedy="put NaN for what was not measured, and do not time what failed",
        )
    return array


def _shaped(values: ArrayLike, dimensions: int, name: str) -> Floats:
    """With an axis of runs even where there is one run."""
    array = _above_zero(values, name)
    if array.ndim == dimensions - 1:
        array = array[..., None]
    if array.ndim != dimensions:
        raise DataFault(
            f"the {name} has {array.ndim} dimensions",
            remedy="give starts, or starts and runs" if dimensions == 2 else "give comparisons, starts, and runs",
        )
    return array


def _arms(starts: Floats, labels: Sequence[Hashable], place: dict[Hashable, int]) -> list[Floats]:
    """The starts of one side by arm, each of the shape (1, blocks, runs): the first of every block, the second, ..."""
    if len(labels) != len(starts):
        raise DataFault(f"{len(starts)} starts have {len(labels)} blocks", remedy="name one block for every start")
    empty = np.full((1, len(place), starts.shape[1]), np.nan)
    arms = [empty.copy()]
    numbers: dict[Hashable, int] = {}
    for label, start in zip(labels, starts, strict=True):
        arm = numbers.get(label, 0)
        numbers[label] = arm + 1
        if arm == len(arms):
            arms.append(empty.copy())
        arms[arm][0, place[label]] = start
    return arms


def _compared(*, candidates: Sequence[Floats], baselines: Sequence[Floats]) -> Comparisons:
    """The comparisons that the judge would make; every arm has the shape (comparisons, blocks, runs)."""
    arms = [*baselines, *candidates]
    comparisons, blocks = arms[0].shape[:2]
    columns = []
    for number, arm in enumerate(arms):
        at = np.nonzero(~np.isnan(arm))
        columns.append((at[0], np.full(len(at[0]), number), at[1], arm[at]))
    case, arm_of, block, value = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    contender_of = np.array([_BASELINE] * len(baselines) + [_CANDIDATE] * len(candidates), dtype=np.int64)
    order = np.lexsort((value, block, arm_of, case))
    table = Table(
        case=case[order],
        contender=contender_of[arm_of[order]],
        arm=arm_of[order],
        block=block[order],
        round=np.zeros(len(order), dtype=np.int64),
        value=value[order],
        question_of=np.arange(comparisons),
        questions=tuple(Question(str(number)) for number in range(comparisons)),
        contenders=("baseline", "candidate"),
        arms=tuple(map(str, range(len(arms)))),
        contender_of=contender_of,
        blocks=blocks,
    )
    return compare(table, [(number, _CANDIDATE) for number in range(comparisons)], _BASELINE)
