"""Timings: each contender by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.model.verdict import Timing
from weigh.statistics.order_statistics import Groups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.statistics.arrays import Floats
    from weigh.verdict.question import Question
    from weigh.verdict.table import Table


def timings(table: Table, metric: str, **place: object) -> dict[tuple[Question, str], Timing]:
    """One timing of every (question, contender) that has measurements of the metric.

    Both arms of the baseline are pooled. With several cases the coefficient of variation is that of the
    measurements divided by the mean of their case: the difference between the cases is not noise.

    Args:
        table: measurements.
        metric: name of the metric.
        place: further fields of :class:`Timing` (scale, layout).
    """
    shape = (len(table.questions), len(table.contenders))
    known = ~np.isnan(table.value)
    group = (table.question * shape[1] + table.contender)[known]
    groups = Groups.of(table.value[known], group, shape[0] * shape[1])
    low, middle, high = (array.reshape(shape) for array in (groups.minimum(), groups.median(), groups.maximum()))
    variation = _variation(table, known).reshape(shape)
    counts = table.counts()
    found = {}
    for contender, contender_name in enumerate(table.contenders):
        own = counts[:, :, table.contender_of == contender]
        starts = (own > 0).sum(axis=(1, 2))
        for number, question in enumerate(table.questions):
            if groups.count[number * shape[1] + contender] == 0:
                continue
            cv = float(variation[number, contender])
            runs = own[number]
            found[question, contender_name] = Timing(
                operation=question.operation,
                contender=contender_name,
                metric=metric,
                temperature=question.temperature,
                starts=int(starts[number]),
                runs=_median_count(runs[runs > 0]),
                min=float(low[number, contender]),
                median=float(middle[number, contender]),
                max=float(high[number, contender]),
                cv=cv if np.isfinite(cv) else None,
                **place,  # type: ignore[arg-type]
            )
    return found


def median_logs(table: Table) -> Floats:
    """Logarithm of the median, averaged over the cases, shape (questions, contenders); both arms pooled."""
    shape = (len(table.question_of), len(table.contenders))
    group = table.case * shape[1] + table.contender
    with np.errstate(invalid="ignore", divide="ignore"):
        by_case = np.log(Groups.of(table.value, group, shape[0] * shape[1]).median()).reshape(shape)
    if not table.questions:
        return np.empty((0, shape[1]))
    first = np.searchsorted(table.question_of, np.arange(len(table.questions)))
    cases = np.bincount(table.question_of)
    return np.asarray(np.add.reduceat(by_case, first, axis=0) / cases[:, None], dtype=np.float64)


def plain_ratio(median: float) -> float | None:
    """The ratio of two medians, whose logarithm is given; None where there is none."""
    return float(np.exp(median)) if np.isfinite(median) else None


def _variation(table: Table, known: NDArray[np.bool_]) -> Floats:
    """Coefficient of variation of each (question, contender), relative to the means of the cases."""
    contenders = len(table.contenders)
    value = table.value[known]
    cell = (table.case * contenders + table.contender)[known]
    cells = len(table.question_of) * contenders
    group = (table.question * contenders + table.contender)[known]
    size = len(table.questions) * contenders
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(cell, value, minlength=cells) / np.bincount(cell, minlength=cells)
        squares = np.bincount(group, (value / mean[cell] - 1) ** 2, minlength=size)
        count = np.bincount(group, minlength=size)
        return np.asarray(np.sqrt(np.where(count > 1, squares / (count - 1), np.nan)), dtype=np.float64)


def _median_count(counts: NDArray[np.int64]) -> int:
    """Median of a few small counts; the lower one of two middle ones."""
    return int(np.sort(counts)[(len(counts) - 1) // 2])
