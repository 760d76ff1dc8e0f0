"""Small steps of histories: of 5 % where points scatter by 3 %, on machines that know weekdays, and gross ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.history import candidates
from weigh.history.gross import gross
from weigh.history.weekdays import weekdays

from . import otava
from .rates import Rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.statistics.arrays import Floats

POINTS, CV, STEP, MARGIN = 100, 0.03, 0.05, 0.03
NEAR = 5
"""Points by which a place may be off: a step is 1.6 standard deviations."""
HISTORIES = 60
WEEKENDS = (0.0, 0.05, 0.3)
"""By how much Saturdays and Sundays are slower, a logarithm; 0 is no pattern."""
EARLY, TIMES = 13, 18.0


class History(NamedTuple):
    """Nightly points.

    Attributes:
        values: above zero.
        times: of each.
        at: the first point behind the step; None where nothing changed.
    """

    values: list[float]
    times: list[str]
    at: int | None


def made(histories: int, seed: int, weekend: float, step: float) -> Iterator[History]:
    """Histories with a step up or down in the middle half, or none where it is 0."""
    draw = np.random.default_rng([seed, histories])
    for _ in range(histories):
        first = datetime(2026, 1, 1, 2, tzinfo=UTC) + timedelta(int(draw.integers(7)))
        days = [first + timedelta(day) for day in range(POINTS)]
        logs = draw.normal(0, CV, POINTS) + weekend * np.array([day.weekday() >= 5 for day in days])
        at = int(draw.integers(POINTS // 4, 3 * POINTS // 4))
        logs[at:] += np.log1p(step) * draw.choice([-1, 1])
        yield History([float(x) for x in np.exp(logs)], [day.isoformat() for day in days], at if step else None)


def found(one: History) -> tuple[candidates.Change, ...]:
    """The candidates, as ``weigh history show`` finds them."""
    week = weekdays(one.values, one.times)
    return candidates.changes(week.values if week else one.values, MARGIN).changes


def invented(histories: int, seed: int, weekend: float = 0.0) -> Rate:
    """Flat histories with a candidate."""
    return Rate(sum(bool(found(one)) for one in made(histories, seed, weekend, 0.0)), histories)


def recalled(histories: int, seed: int, weekend: float = 0.0) -> Rate:
    """Steps that are found: near their place, or it is in the range that is printed."""
    hits = 0
    for one in made(histories, seed, weekend, STEP):
        at = one.at
        hits += at is not None and any(abs(it.at - at) <= NEAR or it.first <= at <= it.last for it in found(one))
    return Rate(hits, histories)


def early(histories: int, seed: int) -> Rate:
    """Of 13 points of CV 2 % with a step of 18 times anywhere but at the first point: in how many it is told there."""
    draw = np.random.default_rng([seed, histories])
    told = 0
    for _ in range(histories):
        at, logs = int(draw.integers(2, EARLY)), draw.normal(0, 0.02, EARLY)
        logs[at:] += np.log(TIMES) * draw.choice([-1, 1])
        values = [float(x) for x in np.exp(logs)]
        short = gross(values, MARGIN)
        places = [change.at for change in candidates.changes(values, MARGIN).changes]
        told += at in (*places, short.at if short else -1)
    return Rate(told, histories)


def rows(experiments: int) -> Iterator[Row]:
    """The table, with what Apache Otava finds in the same series."""
    histories = max(experiments // 40, HISTORIES)
    for weekend in WEEKENDS:
        of = f"{POINTS} points of CV 3 %" + (f", weekends {100 * np.expm1(weekend):.0f} % slower" if weekend else "")
        wrong, right = invented(histories, 31, weekend), recalled(histories, 32, weekend)
        others = [_otava(histories, seed, weekend, step) for seed, step in ((31, 0.0), (32, STEP))]
        yield Row("history: invented", f"{of}, unchanged", "<= 1 %", wrong.banded, wrong.within(0, 0.01), others[0])
        yield Row("history: found", f"{of}, a step of 5 %", ">= 75 %", right.banded, right.within(0.75, 1), others[1])
    told = early(histories, 33)
    yield Row("history: gross steps", f"x18 in {EARLY} points", ">= 95 %", told.banded, told.within(0.95, 1))


def _otava(histories: int, seed: int, weekend: float, step: float) -> str:
    series: Floats = np.array([one.values for one in made(histories, seed, weekend, step)])
    counts = otava.change_points(series)
    return "Otava not installed" if counts is None else f"Otava: any in {sum(map(bool, counts))} of {histories}"
