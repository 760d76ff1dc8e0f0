"""How often a limit that some answers may exceed is wrongly called kept or broken: slow answers come together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import scipy
from scipy import special

from weigh.statistics.share_beyond import share_beyond

from .rates import Rate, rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.statistics.arrays import Floats

    Draw = np.random.Generator

Kind = Literal["independent", "autoregression", "phases", "phases of random length"]
ALLOWED = 0.1
_STEPS = 4
"""Of the autoregression, in an interval."""
_OWN = 0.2
"""Of its variance, what every answer has by itself."""


@dataclass(frozen=True, slots=True)
class Answers:
    """A run.

    Attributes:
        seconds: its length.
        rate: answers a second, at random times.
        limit_s: that they are to keep.
    """

    seconds: float
    rate: float
    limit_s: float = 5.0

    @property
    def interval_s(self) -> float:
        """Of the histograms, as ``weigh load`` chooses it."""
        return min(max(self.seconds / 120, 0.05), 1.0)


@dataclass(frozen=True, slots=True)
class Slow:
    """What slow answers have in common.

    Attributes:
        kind: of their dependence.
        length_s: of a slow phase, on average where it is random; the time constant of the autoregression.
    """

    kind: Kind
    length_s: float = 0.0

    def __str__(self) -> str:
        return f"{self.kind}, {self.length_s:g} s" if self.length_s else self.kind


def counted(answers: Answers, slow: Slow, share: float, draw: Draw) -> tuple[Floats, Floats]:
    """How many answers exceed the limit, and how many there are, by interval.

    Args:
        answers: the run.
        slow: what they have in common.
        share: of an endless run, beyond the limit.
        draw: random numbers.
    """
    at = np.sort(draw.random(draw.poisson(answers.seconds * answers.rate))) * answers.seconds
    count = round(answers.seconds / answers.interval_s)
    place = np.minimum((at / answers.interval_s).astype(np.int64), count - 1)
    if slow.kind == "independent":
        late = draw.random(len(at)) < share
    elif slow.kind == "autoregression":
        kept = np.exp(-answers.interval_s / _STEPS / slow.length_s)
        noise = draw.standard_normal(_STEPS * count) * np.sqrt(1 - kept**2)
        common = scipy.signal.lfilter([1], [1, -kept], noise, zi=[kept * draw.standard_normal()])[0]
        step = np.minimum((at / answers.interval_s * _STEPS).astype(np.int64), len(common) - 1)
        own = draw.standard_normal(len(at))
        late = np.sqrt(1 - _OWN) * common[step] + np.sqrt(_OWN) * own > special.ndtri(1 - share)
    else:
        gap = slow.length_s * (1 - share) / share
        # From long before the run, so that it begins anywhere.
        before = 5 * (gap + slow.length_s)
        phases = int(2 * (answers.seconds + before) / (gap + slow.length_s)) + 20
        lengths = np.full(phases, slow.length_s)
        if slow.kind == "phases of random length":
            lengths = draw.exponential(slow.length_s, phases)
        edges = np.cumsum(np.column_stack([draw.exponential(gap, phases), lengths]).ravel()) - before
        late = np.searchsorted(edges, at) % 2 == 1
    return (
        np.bincount(place, weights=late, minlength=count),
        np.bincount(place, minlength=count).astype(np.float64),
    )


def judgements(answers: Answers, slow: Slow, share: float, many: int, seed: int) -> tuple[Rate, Rate]:
    """How often the limit is called kept, and how often broken."""
    found = []
    for number in range(many):
        above, totals = counted(answers, slow, share, np.random.default_rng([seed, number]))
        found.append(share_beyond(above, totals, at_once=answers.limit_s / answers.interval_s).at_most(ALLOWED))
    return rate(np.array([one is True for one in found])), rate(np.array([one is False for one in found]))


RUNS = {
    "5 min, 26 a minute": Answers(300, 0.43),
    "20 min, 26 a minute": Answers(1_200, 0.43),
    "40 min, 2.6 a minute": Answers(2_400, 0.043),
    "20 min, 20 a second": Answers(1_200, 20.0),
    "2 h, 2.4 a minute, limit 80 s": Answers(7_200, 0.04, 80.0),
}
"""TPC-C's rarer and its common transactions, of few and of many warehouses."""


def laws(answers: Answers) -> tuple[Slow, ...]:
    """What slow answers may have in common for a judgement to hold: phases of up to a hundredth of the run."""
    longest = answers.seconds / 100
    return (
        Slow("independent"),
        Slow("autoregression", 1.0),
        Slow("autoregression", longest / 2),
        Slow("phases", 2.0),
        Slow("phases", longest),
        Slow("phases of random length", longest / 2),
    )


def rows(experiments: int) -> Iterator[Row]:
    """The rows of the table of guarantees."""
    many = max(experiments // 10, 50)
    for setting, answers in RUNS.items():
        for slow in laws(answers):
            for share in (0.1, 0.12):
                kept, broken = judgements(answers, slow, share, many, 91)
                named = f"{100 * share:g} % slow, {setting}, {slow}"
                yield Row("limit of 90 %: wrongly kept", named, "<= 1 %", kept.banded, kept.within(0.0, 0.01))
                if share == ALLOWED:
                    yield Row("limit of 90 %: wrongly broken", named, "<= 1 %", broken.banded, broken.within(0.0, 0.01))
    for setting, answers in RUNS.items():
        few = 50
        for share in (0.0, 0.01, 0.03, 0.3):
            kept, broken = judgements(answers, Slow("phases", 2.0), share or 1e-9, many // 4 + few, 92)
            named = f"{100 * share:g} % slow, {setting}, phases of 2 s"
            yield Row("limit of 90 %: judged", named, "", (broken if share > ALLOWED else kept).banded, None)
