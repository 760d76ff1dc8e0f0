"""What the rules of other tools say about the executions of an experiment, which they take for independent.

hyperfine prints the ratio of the means and its standard deviation by propagation of errors
(github.com/sharkdp/hyperfine, ``src/benchmark/relative_speed.rs``); who reads "1.05 ± 0.02" takes 1 to be excluded.
For a decision it brings Welch's t at p < 0.05 (``scripts/welch_ttest.py`` of the same repository). benchstat prints a
change where the U test of Mann and Whitney has p <= 0.05, exactly up to 50 executions a side without ties
(golang.org/x/perf, ``benchmath`` and ``internal/stats``). ClickHouse's rule is
:mod:`weigh.verdict.clickhouse_rule`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from weigh.experiment.results.analysis import observed
from weigh.verdict import clickhouse_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weigh.model.sample import Sample
    from weigh.statistics.arrays import Floats

ALPHA = 0.05
_EXACT_UP_TO = 50


def hyperfine_ratio(new: Floats, old: Floats) -> bool:
    """Whether 1 lies outside of the printed ratio ± its standard deviation, of the slower side to the faster one."""
    slow, fast = (new, old) if new.mean() > old.mean() else (old, new)
    ratio = slow.mean() / fast.mean()
    deviation = ratio * np.hypot(slow.std(ddof=1) / slow.mean(), fast.std(ddof=1) / fast.mean())
    return bool(ratio - deviation > 1)


def hyperfine_welch(new: Floats, old: Floats) -> bool:
    """Whether hyperfine's script says that there is a difference."""
    return bool(stats.ttest_ind(new, old, equal_var=False).pvalue < ALPHA)


def benchstat(new: Floats, old: Floats) -> bool:
    """Whether benchstat prints a change and no ``~``."""
    ties = len(np.unique(np.concatenate([new, old]))) < len(new) + len(old)
    exact = max(len(new), len(old)) <= _EXACT_UP_TO and not ties
    found = stats.mannwhitneyu(new, old, alternative="two-sided", method="exact" if exact else "asymptotic")
    return bool(found.pvalue <= ALPHA)


def clickhouse(new: Floats, old: Floats) -> bool:
    """Whether ClickHouse's rule calls it changed."""
    name = clickhouse_rule.rule(*clickhouse_rule.measures(new[None], old[None]))[0]
    return str(name) == "changed"


RULES: dict[str, Callable[[Floats, Floats], bool]] = {
    "hyperfine's ratio ± SD": hyperfine_ratio,
    "hyperfine's Welch": hyperfine_welch,
    "benchstat": benchstat,
    "ClickHouse": clickhouse,
}


def claims(samples: Sequence[Sample], candidate: str, baseline: str) -> tuple[Counter[str], int]:
    """How many operations each rule finds different, and of how many.

    Of an operation with several cases the executions are divided by the median of their case, both sides together:
    what differs between cases is not noise. An operation with less than two executions a side is left out.
    """
    table = observed(samples, "wall_s", (candidate, baseline))
    levels = np.array([np.median(table.value[table.case == case]) for case in range(len(table.question_of))])
    value = table.value / levels[table.case]
    found: Counter[str] = Counter()
    judged = 0
    for question in range(len(table.questions)):
        new, old = (value[(table.question == question) & (table.contender == side)] for side in (0, 1))
        if min(len(new), len(old)) < 2:
            continue
        judged += 1
        found.update(name for name, rule in RULES.items() if rule(new, old))
    return found, judged
