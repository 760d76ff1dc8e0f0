"""Decisions: from effects to the names of statistics.md §3, for a whole session at once.

Everything here is in logarithms, so the margin is symmetric: a margin of 3 % is a factor of 1.03 either way,
and FASTER begins at 1 / 1.03.

**Does it matter?** The null hypothesis of each comparison is ``|effect| <= margin``. Its p-value is twice the
tail of Student's t beyond ``(|effect| - margin) / error``. Benjamini and Hochberg's step-up rule at the false
discovery rate q selects R of the m comparisons of the session, none of them with a p-value above
``1 - confidence``: in a small session R q / m alone would let something matter that is not shown to differ. The
interval of level ``1 - min(R q / m, 1 - confidence)``
(Y. Benjamini, D. Yekutieli, "False discovery rate-adjusted multiple confidence intervals for selected
parameters", JASA 100, 2005) then excludes the margin for the selected comparisons and for no other: verdict
and printed interval cannot contradict each other. With nothing selected the level is that of R = 1, the
interval that would have decided.

**m** counts every comparison of the metric with enough starts that the machine did not spoil.

**Unstable** comparisons, whose smallest detectable effect exceeds ``rules.unstable``, are tested against that bound
instead of the margin: noise that hides a change of 10 % does not hide one of 100 %. Unless the effect is shown to lie
beyond the bound they are refused; they are never SAME, SMALL or merely unresolved. Which bound applies depends on the
noise and never on the effect, so the false discovery rate holds.

**Looks.** Where sampling may end because a comparison is decided, the error rates are spent in parts (Bonferroni over a
fixed list of looks, so that nothing has to be assumed about how they depend on one another): each early look has
:data:`EARLY` / ``len(LOOKS)`` of every rate, the analysis at the end the rest, and what looks have left that lie after
its starts (:func:`at_end`). A comparison's ``share`` is the part
that its own figures had; its p-value is divided by it, and its intervals are that much wider. What ended early has
the share of one look, so the claim and the printed interval are those of the look that ended it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.model.rules import MIN_STARTS, Typical
from weigh.model.verdict import VerdictName
from weigh.statistics import student_t
from weigh.statistics.effects import toward_skewness, widening

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.model.rules import Rules
    from weigh.statistics.arrays import Bools, Floats
    from weigh.statistics.effects import Effects


POWER = 0.80
"""Power at which the smallest detectable effect is stated."""
LOOKS = (10, 16, 25, 40, 63)
"""Starts after which sampling may end early because a comparison is decided."""
EARLY = 0.3
"""Part of every error rate that these looks spend together."""
FAR = 1_000
"""More starts than this are not proposed: the effect lies at the margin."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """What is decided about many comparisons; arrays have the shape (comparisons,), logarithms unless stated.

    Attributes:
        names: values of :class:`VerdictName`.
        half: half-width of the interval at ``rules.confidence``.
        half_fcr: half-width of the false-coverage-rate interval.
        detectable: smallest effect found with 80 % power by the test at 1 - ``rules.confidence``; a fraction.
        needed: starts that would resolve one that is unresolved or unstable; NaN where that does not apply or is
            beyond ``FAR``.
        unstable: whether a change of ``rules.unstable`` would have been missed.
        family, selected: m and R of the session.
        level_fcr: level of the false-coverage-rate interval.
    """

    names: NDArray[np.str_]
    half: Floats
    half_fcr: Floats
    detectable: Floats
    needed: Floats
    unstable: Bools
    family: int
    selected: int
    level_fcr: float


def decide(
    effects: Effects,
    starts: NDArray[np.int64],
    rules: Rules,
    refused: Bools | None = None,
    share: float | Floats = 1.0,
) -> Decisions:
    """Names the verdict of every comparison of a session.

    Args:
        effects: one estimate a comparison.
        starts: blocks in which both sides were measured, shape (comparisons,).
        rules: margin and error rates.
        refused: comparisons that are refused whatever they show; they are not in the family.
        share: part of the error rates that the figures of a comparison have (see the head of this file).
    """
    size, error, freedom = np.abs(effects.effect), effects.error, effects.freedom
    share = np.broadcast_to(np.asarray(share, dtype=np.float64), size.shape)
    margin = float(np.log1p(rules.margin))
    ceiling = 1 - rules.confidence
    half = student_t.quantile(1 - ceiling * share, freedom) * error
    inside = _inside(effects, margin, rules, share)
    detectable = smallest_detectable(effects, rules)

    enough = (starts >= MIN_STARTS) & np.isfinite(size)
    if refused is not None:
        enough &= ~refused
    unstable = enough & (detectable > rules.unstable)
    bound = _bound(unstable, rules)
    matters = np.zeros(len(size), dtype=np.bool_)
    matters[enough] = step_up((p_matters(effects, bound) / share)[enough], rules.fdr, ceiling)
    spent = min(max(int(matters.sum()), 1) * rules.fdr / max(int(enough.sum()), 1), ceiling)
    level_fcr = 1 - spent
    half_fcr = student_t.quantile(1 - spent * share, freedom) * error

    names = np.select(
        [
            ~enough | (unstable & ~matters),
            matters & (effects.effect > 0),
            matters,
            (size > half) & (size + half < margin),
            inside,
        ],
        [
            VerdictName.REFUSED.value,
            VerdictName.SLOWER.value,
            VerdictName.FASTER.value,
            VerdictName.SMALL.value,
            VerdictName.SAME.value,
        ],
        VerdictName.UNRESOLVED.value,
    )
    open_ = names == VerdictName.UNRESOLVED.value
    level = np.where(size > margin, level_fcr, 1 - 2 * rules.equivalence)
    noisy = unstable & ~matters
    needed = np.where(open_ | noisy, starts_needed(error, starts, np.abs(size - margin), level), np.nan)
    needed = np.where(noisy, np.maximum(needed, _until_stable(effects, starts, rules)), needed)
    return Decisions(
        names=names,
        half=half,
        half_fcr=half_fcr,
        detectable=detectable,
        needed=needed,
        unstable=unstable,
        family=int(enough.sum()),
        selected=int(matters.sum()),
        level_fcr=level_fcr,
    )


def decided_early(effects: Effects, starts: NDArray[np.int64], rules: Rules, family: int) -> Bools:
    """At an early look: which comparisons are decided with the share of one look.

    They are SLOWER or FASTER at the end, whatever the others are, for Benjamini and Hochberg's smallest threshold is
    asked for; or they are SAME or SMALL.

    Args:
        effects: one estimate a comparison.
        starts: blocks in which both sides were measured.
        rules: margin and error rates.
        family: comparisons of the session, at most.
    """
    share = EARLY / len(LOOKS)
    unstable = smallest_detectable(effects, rules) > rules.unstable
    p_value = p_matters(effects, _bound(unstable, rules))
    threshold = min(rules.fdr / max(family, 1), 1 - rules.confidence) * share
    same = ~unstable & _inside(effects, float(np.log1p(rules.margin)), rules, share)
    return ((p_value <= threshold) | same) & np.isin(starts, LOOKS)


def at_end(starts: int) -> float:
    """Part of every error rate that the analysis at the end has, where no look decided before.

    The looks that lie before it have had theirs, and those after it have not been. When sampling ends otherwise than by
    a look follows from the time and from how narrow the interval is, and not from the effect. A look at as many starts
    sees the same figures, and what it decides the end decides as well.

    Args:
        starts: at the end.
    """
    return 1 - EARLY * sum(one < starts for one in LOOKS) / len(LOOKS)


def _inside(effects: Effects, margin: float, rules: Rules, share: float | Floats) -> Bools:
    """Whether the interval of SAME lies inside the margin, a logarithm."""
    quantile = student_t.quantile(1 - 2 * rules.equivalence * share, effects.freedom)
    half = quantile * effects.error
    low = high = half * (widening(effects, quantile) if rules.typical is Typical.CONTRAST else 1.0)
    if rules.skewed:
        # Of tails to either side the sign that few numbers show says nothing, so that both hold.
        low, high = (
            np.maximum(both, half * one)
            for both, one in zip((low, high), toward_skewness(effects, quantile), strict=True)
        )
    return (effects.effect - low > -margin) & (effects.effect + high < margin)


def smallest_detectable(effects: Effects, rules: Rules) -> Floats:
    """Smallest effect that is found with 80 % power, a fraction."""
    return np.expm1(student_t.detectable(rules.confidence, POWER, effects.freedom) * effects.error)


def _until_stable(effects: Effects, starts: NDArray[np.int64], rules: Rules) -> Floats:
    """Starts at which :func:`smallest_detectable` is about as small as a stable comparison has it."""
    many = np.array([float(FAR)])
    # With few starts the part is a little larger: what is proposed is never too few.
    part = student_t.quantile(rules.confidence, many) / student_t.detectable(rules.confidence, POWER, many)
    level = np.full(effects.error.shape, rules.confidence)
    return starts_needed(effects.error, starts, part * float(np.log1p(rules.unstable)), level)


def _bound(unstable: Bools, rules: Rules) -> Floats:
    """What an effect must exceed, a logarithm."""
    margin = float(np.log1p(rules.margin))
    return np.where(unstable, max(margin, float(np.log1p(rules.unstable))), margin)


def p_matters(effects: Effects, bound: float | Floats) -> Floats:
    """P-values of ``|effect| <= bound`` (a logarithm); 1 for estimates inside the bound."""
    beyond = np.abs(effects.effect) - bound
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(beyond > 0, beyond / effects.error, 0.0)
    return np.where(beyond > 0, student_t.two_sided(statistic, effects.freedom), 1.0)


def step_up(p_values: Floats, rate: float, ceiling: float = 1.0) -> Bools:
    """Benjamini and Hochberg's selection at the false discovery rate ``rate`` (JRSS B 57, 1995).

    Args:
        p_values: of the family.
        rate: false discovery rate.
        ceiling: no p-value above this is selected; lower thresholds only lower the rate.
    """
    count = len(p_values)
    ordered = np.sort(p_values)
    below = np.flatnonzero(ordered <= np.minimum(rate * np.arange(1, count + 1) / max(count, 1), ceiling))
    return p_values <= (ordered[below[-1]] if len(below) else -1.0)


def starts_needed(error: Floats, starts: NDArray[np.int64], target: Floats, level: Floats) -> Floats:
    """Starts at which the half-width falls to ``target``, if noise and effect stay as they were observed.

    A plan for people, and never a rule for stopping: it depends on the effect that was observed.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = starts * (error / target) ** 2
        needed = np.maximum(starts + 1.0, 2.0)
        for _ in range(30):
            quantile = student_t.quantile(level, np.minimum(needed, FAR) - 1)
            needed = np.clip(0.5 * (needed + quantile**2 * scale), 2.0, 10.0 * FAR)
        needed = np.maximum(np.ceil(needed - 1e-6), starts + 1.0)
    return np.where(needed <= FAR, needed, np.nan)
