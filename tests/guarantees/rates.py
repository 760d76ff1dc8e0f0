"""Rates: how often the verdicts do what they promise, counted over many simulated experiments."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from weigh.model.rules import RULES as JUDGED
from weigh.model.rules import Rules
from weigh.statistics.effects import Effects, median_of_pairs, over_blocks, total, typical
from weigh.statistics.student_t import quantile
from weigh.verdict import totals
from weigh.verdict.comparison import Comparisons, compare
from weigh.verdict.decide import decide
from weigh.verdict.question import Question
from weigh.verdict.refusals import soundness
from weigh.verdict.table import Table

from . import noise
from .noise import Size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from weigh.statistics.arrays import Floats
    from weigh.verdict.decide import Decisions

    Make = Callable[[Size, np.random.Generator], Floats]

RULES = JUDGED
HALVED = totals.halved(RULES)
"""The rules of one of the two questions about the time."""
MARGIN = float(np.log1p(RULES.margin))
QUERIES = 3_000
CELLS = 2_000_000
"""Executions that are drawn at once: what the memory of a run of the table is bounded by."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of trials."""

    count: int
    trials: int

    @property
    def value(self) -> float:
        """The share."""
        return self.count / max(self.trials, 1)

    def within(self, low: float, high: float) -> bool:
        """Whether the share lies in the goal, give or take three binomial standard errors at its edges."""

        def band(goal: float) -> float:
            return 3 * float(np.sqrt(goal * (1 - goal) / max(self.trials, 1)))

        return low - band(low) <= self.value <= high + band(high)

    @property
    def banded(self) -> str:
        """The share with three binomial standard errors."""
        spread = 3 * float(np.sqrt(self.value * (1 - self.value) / max(self.trials, 1)))
        return f"{self} ± {100 * spread:.2f}"

    def __str__(self) -> str:
        return f"{100 * self.value:.2f} %"


def rate(hits: NDArray[np.bool_]) -> Rate:
    """The share of hits."""
    return Rate(int(hits.sum()), hits.size)


@dataclass(frozen=True, slots=True)
class Both:
    """The two questions of many experiments."""

    typical: Effects
    total: Effects


def turns(logs: Floats) -> tuple[Floats, Floats]:
    """Middles and means of turns of single executions, shape (..., arms), as :meth:`Table.turns` has them."""
    middle = logs[..., 0] if logs.shape[-1] == 1 else np.median(logs, axis=-1)
    return middle, np.exp(logs).mean(axis=-1)


def differences(logs: Floats) -> tuple[Floats, Floats]:
    """Typical and total of every block, shape (experiments, blocks)."""
    middle, mean = turns(logs)
    return typical(middle[..., :1], middle[..., -2:]), total(mean[..., :1], mean[..., -2:])


def estimated(logs: Floats) -> Effects:
    """The candidate against the baseline, as :func:`weigh.verdict.comparison.compare` estimates the typical ratio."""
    middle, _ = turns(logs)
    return over_blocks(typical(middle[..., :1], middle[..., -2:]))


def batches(make: Make, size: Size, seed: int) -> Iterator[Floats]:
    """The executions of as many experiments as fit into memory, again and again."""
    draw = np.random.default_rng(seed)
    most = max(CELLS // int(np.prod(size.shape[1:])), 1)
    for first in range(0, size.experiments, most):
        yield make(replace(size, experiments=min(most, size.experiments - first)), draw)


def blockwise(make: Make, size: Size, seed: int) -> tuple[Floats, Floats]:
    """Typical and total of every block of many experiments, shape (experiments, blocks)."""
    usual, whole = zip(*(differences(logs) for logs in batches(make, size, seed)), strict=True)
    return np.concatenate(usual), np.concatenate(whole)


def both(make: Make, size: Size, seed: int) -> Both:
    """What is estimated of both questions."""
    usual, whole = blockwise(make, size, seed)
    return Both(over_blocks(usual), over_blocks(whole))


def shifted(effects: Effects, by: float) -> Effects:
    """As if the candidate had been slower by a factor in every execution, a logarithm: both estimates follow it."""
    return replace(effects, effect=effects.effect + by)


def by_mean_of_baselines(logs: Floats) -> Effects:
    """The rejected alternative: differences from the mean of the two arms of the baseline, which are skewed."""
    middle, _ = turns(logs)
    return over_blocks(median_of_pairs(middle[..., :1], middle[..., -2:].mean(axis=-1, keepdims=True)))


def by_means(logs: Floats) -> Effects:
    """The rejected alternative: the mean of the logarithms of a start, as if it were one long turn."""
    level = logs.mean(axis=(2, 4))
    return over_blocks(level[..., 0] - level[..., -2:].mean(axis=-1))


def pooled(logs: Floats) -> Effects:
    """The rejected alternative: one residual variance for all arms of the experiment."""
    level = logs.mean(axis=(2, 4))
    blocks, arms = level.shape[1:]
    rest = level - level.mean(axis=1, keepdims=True) - level.mean(axis=2, keepdims=True)
    rest = rest + level.mean(axis=(1, 2), keepdims=True)
    freedom = (blocks - 1) * (arms - 1)
    error = np.sqrt(1.5 / blocks * (rest**2).sum(axis=(1, 2)) / freedom)
    return Effects(by_means(logs).effect, error, np.full(len(logs), float(freedom)))


def two_sample(logs: Floats) -> Effects:
    """The best test of independent noise: Student's t of K against 2 K means of starts, blocks ignored."""
    level = logs.mean(axis=(2, 4))
    blocks = level.shape[1]
    new, old = level[..., 0], level[..., -2:].reshape(len(level), -1)
    freedom = 3 * blocks - 2
    squares = ((new - new.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    squares = squares + ((old - old.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    error = np.sqrt(squares / freedom * 1.5 / blocks)
    return Effects(new.mean(axis=1) - old.mean(axis=1), error, np.full(len(logs), float(freedom)))


def excludes(effects: Effects, value: float = 0.0, level: float = RULES.confidence) -> NDArray[np.bool_]:
    """Whether the interval leaves ``value`` out."""
    return np.abs(effects.effect - value) > quantile(level, effects.freedom) * effects.error


def found(make: Make, size: Size, change: float, seed: int, estimate: Callable[[Floats], Effects] = estimated) -> Rate:
    """How often the 99 % interval leaves 1 out: the type-I error where nothing changed, the power otherwise."""
    hits = [excludes(estimate(logs), -float(np.log1p(change))) for logs in batches(make, size, seed)]
    return rate(np.concatenate(hits))


def coverage(make: Make, size: Size, seed: int, truth: Truth) -> tuple[Rate, Rate]:
    """99 % intervals that hold the true ratio, typical and total."""
    effects = both(make, size, seed)
    return rate(~excludes(effects.typical, truth.typical)), rate(~excludes(effects.total, truth.total))


@dataclass(frozen=True, slots=True)
class Truth:
    """What is estimated, logarithms.

    Attributes:
        typical: of the ratio of the medians of the executions; where starts differ, of the mean over the starts.
        total: of the ratio of the means of the times.
    """

    typical: float = 0.0
    total: float = 0.0


def tabulated(logs: Floats, kept: NDArray[np.bool_] | None = None) -> Table:
    """The table of an experiment in which every simulated one is an operation.

    Args:
        logs: executions, the candidate and the last two arms count.
        kept: executions that were not lost, the same shape.
    """
    some = logs[:, :, :, [0, -2, -1]]
    there = np.ones(some.shape, dtype=np.bool_) if kept is None else kept[:, :, :, [0, -2, -1]]
    case, block, turn, arm, _ = np.nonzero(there)
    value = np.exp(some[there])
    order = np.lexsort((value, turn, block, arm, case))
    contender_of = np.array([1, 0, 0])
    return Table(
        case=case[order],
        contender=contender_of[arm[order]],
        arm=arm[order],
        block=block[order],
        round=turn[order],
        value=value[order],
        question_of=np.arange(len(logs)),
        questions=tuple(Question(f"{number:06}") for number in range(len(logs))),
        contenders=("old", "new"),
        arms=("new", "old", "old#2"),
        contender_of=contender_of,
        blocks=logs.shape[1],
    )


def compared(logs: Floats, kept: NDArray[np.bool_] | None = None) -> Comparisons:
    """The comparisons that the judge makes of simulated experiments."""
    return compare(tabulated(logs, kept), [(number, 1) for number in range(len(logs))], baseline=0)


def comparisons(make: Make, size: Size, seed: int, change: float = 0.0) -> Comparisons:
    """The same of many experiments of a law, the candidate slower by a factor in every execution (a logarithm)."""
    parts = []
    for logs in batches(make, size, seed):
        logs[:, :, :, 0] += change
        parts.append(compared(logs))
    return Comparisons(*(_joined([getattr(part, one.name) for part in parts]) for one in fields(Comparisons)))


def _joined(parts: list[Floats] | list[Effects]) -> Floats | Effects:
    if isinstance(parts[0], Effects):
        return Effects(*(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(Effects)))
    return np.concatenate(parts)


@dataclass(frozen=True, slots=True)
class Judged:
    """What the judge decides about both questions.

    Attributes:
        typical, total: as decided.
        names: verdicts on the typical execution, after what must not be reported.
    """

    typical: Decisions
    total: Decisions
    names: NDArray[np.str_]


def judged(found: Comparisons, rules: Rules = RULES, share: float | Floats = 1.0) -> Judged:
    """As :func:`weigh.verdict.analysis.analyse` goes on from comparisons of wall times."""
    halved, found = totals.halved(rules), soundness.with_rounding(found)
    shares = np.broadcast_to(np.asarray(share, dtype=np.float64), found.starts.shape)
    refused = soundness.unfit(found, 1, rules, clock=True)
    usual = decide(found.effects, found.starts, halved, refused, shares)
    return Judged(
        usual, totals.decide_totals(found, halved, refused, shares), soundness.no_same(usual.names, found, halved)
    )


EQUAL = ["same", "small"]
CLAIMS = ["slower", "faster"]


def wrongly_same(
    make: Make, size: Size, seed: int, truth: Truth | None = None, *, faster: bool = False
) -> tuple[Rate, Rate]:
    """SAME or SMALL given to a contender that is off by exactly the margin, typical and total: the worst case.

    Args:
        make: the law.
        size: of the experiments.
        seed: of the generator.
        truth: of the law itself; None where it has the same arms. Each question has its own shift to the margin.
        faster: whether it is faster by the margin; otherwise slower.
    """
    own, margin = truth or Truth(), -MARGIN if faster else MARGIN
    usual = judged(comparisons(make, size, seed, margin - own.typical)).names
    whole = judged(comparisons(make, size, seed, margin - own.total)).total.names
    return rate(np.isin(usual, EQUAL)), rate(np.isin(whole, EQUAL))


def wrongly_same_by_pairs(make: Make, size: Size, seed: int, *, faster: bool = False) -> Rate:
    """The same of the typical ratio by the rule of before 0.1.0."""
    rules, starts = totals.halved(Rules()), size.blocks
    names = []
    for logs in batches(make, size, seed):
        moved = shifted(by_pairs(logs), -MARGIN if faster else MARGIN)
        names.append(decide(moved, np.full(len(logs), starts), rules).names)
    return rate(np.isin(np.concatenate(names), EQUAL))


def by_pairs(logs: Floats) -> Effects:
    """The rule of before 0.1.0: the median of the pairs of a start, which is off where noise is skewed."""
    middle, _ = turns(logs)
    return over_blocks(median_of_pairs(middle[..., :1], middle[..., -2:]))


def session(
    draw: np.random.Generator,
    truth: Floats,
    rules: Rules = RULES,
    sd: float = 0.03,
    start: float = 0.01,
    blocks: int = 10,
) -> tuple[Decisions, Decisions, Both]:
    """One commit: queries with the given true effects (logarithms) and a start effect of 1 %."""
    logs = noise.start_effects(Size(len(truth), blocks), draw, sd=sd, start=start)
    logs[:, :, :, 0] += truth[:, None, None, None]
    effects = Both(*(over_blocks(one) for one in differences(logs)))
    starts, halved = np.full(len(truth), blocks), totals.halved(rules)
    noisy = Rules(margin=rules.margin, fdr=halved.fdr, unstable=float("inf"))
    return decide(effects.typical, starts, halved), decide(effects.total, starts, noisy), effects


def false_alarms(sessions: int, seed: int, rules: Rules = RULES) -> float:
    """SLOWER and FASTER a commit, of both questions, when nothing changed in 3,000 queries."""
    draw = np.random.default_rng(seed)
    truth = np.zeros(QUERIES)
    found = [session(draw, truth, rules) for _ in range(sessions)]
    return sum(usual.selected + whole.selected for usual, whole, _ in found) / sessions


def discoveries(sessions: int, seed: int, changed: float = 0.10, share: float = 0.1) -> tuple[float, Rate]:
    """The worst case: the unchanged queries lie exactly at the margin. Claims of both questions count.

    Returns:
        The mean share of false ones among SLOWER and FASTER, and the share of the changed ones found as typical.
    """
    draw = np.random.default_rng(seed)
    truth = np.full(QUERIES, MARGIN)
    real = np.arange(QUERIES) < share * QUERIES
    truth[real] = np.log1p(changed)
    false_share, found = [], []
    for _ in range(sessions):
        claimed = np.stack([np.isin(one.names, CLAIMS) for one in session(draw, truth)[:2]])
        false_share.append((claimed & ~real).sum() / max(claimed.sum(), 1))
        found.append(claimed[0, real])
    return float(np.mean(false_share)), rate(np.concatenate(found))


def discoveries_under(make: Make, sessions: int, seed: int, truth: Truth, queries: int = 100) -> tuple[float, float]:
    """False discovery rates of sessions under a law, typical and total: 90 % lie at the margin, the rest at 10 %."""
    rates: list[list[float]] = []
    real = np.arange(queries) < 0.1 * queries
    for number in range(sessions):
        draw = np.random.default_rng([seed, number])
        effects = Both(*(over_blocks(one) for one in differences(make(Size(queries), draw))))
        rates.append([])
        for one, own in ((effects.typical, truth.typical), (effects.total, truth.total)):
            moved = shifted(one, np.where(real, np.log1p(0.10), MARGIN) - own)
            rules = HALVED if one is effects.typical else Rules(fdr=HALVED.fdr, unstable=float("inf"))
            claimed = np.isin(decide(moved, np.full(queries, 10), rules).names, CLAIMS)
            rates[-1].append((claimed & ~real).sum() / max(claimed.sum(), 1))
    usual, whole = np.mean(rates, axis=0)
    return float(usual), float(whole)


def false_coverage(sessions: int, seed: int) -> float:
    """Mean share of the selected comparisons whose false-coverage-rate interval misses the true effect."""
    draw = np.random.default_rng(seed)
    misses = []
    for _ in range(sessions):
        truth = draw.normal(0, 0.05, QUERIES)
        decisions, _, effects = session(draw, truth)
        claimed = np.isin(decisions.names, CLAIMS)
        missed = np.abs(effects.typical.effect - truth) > decisions.half_fcr
        misses.append((missed & claimed).sum() / max(claimed.sum(), 1))
    return float(np.mean(misses))


def certified(sessions: int, seed: int) -> Rate:
    """SAME or SMALL given where nothing changed."""
    draw = np.random.default_rng(seed)
    names = [session(draw, np.zeros(QUERIES))[0].names for _ in range(sessions)]
    return rate(np.isin(np.concatenate(names), EQUAL))


def expected_power(size: Size, change: float, sd: float) -> float:
    """Power of the t of means on independent noise by the noncentral t: theory, against the simulation."""
    freedom = size.blocks - 1.0
    shift = np.log1p(change) / (sd / np.sqrt(size.rounds * size.runs) * np.sqrt(1.5 / size.blocks))
    critical = float(quantile(RULES.confidence, np.array(freedom)))
    return 1 - float(special.nctdtr(freedom, shift, critical)) + float(special.nctdtr(freedom, shift, -critical))
