"""Histories of 200 commits: how many changes of level are found that are none, and how many of those that are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.history import candidates

from . import otava
from .rates import Rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from weigh.statistics.arrays import Floats

COMMITS = 200
SD = 0.01
MARGIN = 0.03
NEAR = 3
"""Commits by which a place may be off."""
STEP = 0.05
APART = 30
"""Commits between two changes, at least."""
FALSE, FOUND = 0.2, 0.9
"""The goals: false changes per 200 commits at most; precision and recall at least."""


def iid(draw: np.random.Generator) -> Floats:
    """CV 1 %."""
    return draw.normal(0, SD, COMMITS)


def ar(memory: float) -> Callable[[np.random.Generator], Floats]:
    """A first-order autoregression of CV 1 %."""

    def make(draw: np.random.Generator) -> Floats:
        seed = int(draw.integers(1 << 31))
        return np.asarray(np.log(otava.unchanged(1, memory, seed, SD)[0] / 100))

    return make


def bimodal(draw: np.random.Generator) -> Floats:
    """Three commits in ten are slower by 10 %."""
    return 0.1 * (draw.random(COMMITS) < 0.3) + iid(draw)


def sticky(draw: np.random.Generator) -> Floats:
    """Two speeds 10 % apart; the machine goes to the other with probability .1 at each commit."""
    turns = draw.random(COMMITS) < 0.1
    return 0.1 * (np.cumsum(turns) % 2) + iid(draw)


def spikes(draw: np.random.Generator) -> Floats:
    """One commit in twenty takes e^X times as long, X exponential with mean 0.5."""
    return iid(draw) + (draw.random(COMMITS) < 0.05) * draw.exponential(0.5, COMMITS)


def heavy(draw: np.random.Generator) -> Floats:
    """Student's t of 3 degrees of freedom, SD 1 %."""
    return SD / np.sqrt(3) * draw.standard_t(3, COMMITS)


LAWS: dict[str, Callable[[np.random.Generator], Floats]] = {
    "iid": iid,
    "AR .5": ar(0.5),
    "AR .9": ar(0.9),
    "bimodal": bimodal,
    "sticky bimodal": sticky,
    "5 % spikes": spikes,
    "t(3)": heavy,
}
STEPPED = ("iid", "AR .5", "5 % spikes", "t(3)")
"""Laws under which a step of 5 % can be told by its size."""


class Found(NamedTuple):
    """Of changes of 5 %: how many were found at their place, and how many of what was found is one."""

    recall: Rate
    precision: Rate


def false_changes(law: str, histories: int, seed: int) -> float:
    """Mean number of changes found in histories without any."""
    draw = np.random.default_rng([seed, histories])
    counts = [
        len(candidates.changes([float(x) for x in np.exp(LAWS[law](draw))], MARGIN).changes) for _ in range(histories)
    ]
    return float(np.mean(counts))


def steps(law: str, histories: int, seed: int, size: float = STEP) -> Found:
    """Three changes in each history, up or down."""
    draw = np.random.default_rng([seed, histories])
    hits = real = said = 0
    for _ in range(histories):
        places = np.sort(draw.choice(np.arange(15, COMMITS - 15, APART), 3, replace=False)) + draw.integers(
            0, APART // 2
        )
        logs = LAWS[law](draw)
        for place in places:
            logs[place:] += np.log1p(size) * draw.choice([-1, 1])
        found = [one.at for one in candidates.changes([float(x) for x in np.exp(logs)], MARGIN).changes]
        hits += sum(any(abs(one - place) <= NEAR for one in found) for place in places)
        real += len(places)
        said += len(found)
    return Found(Rate(hits, real), Rate(min(hits, said), said))


def rows(experiments: int) -> Iterator[Row]:
    """The table."""
    histories = max(experiments // 40, 20)
    for law in LAWS:
        false = false_changes(law, histories, 15)
        others = ""
        if law == "AR .5":
            others = f"{otava.false_change_points(max(experiments // 400, 5), 0.5, 15)} per {COMMITS} commits"
        yield Row(
            "history: false changes",
            f"{law}, unchanged, {COMMITS} commits",
            "<= 0.2",
            f"{false:.2f}",
            false <= FALSE,
            others,
        )
    for law in STEPPED:
        found = steps(law, histories, 16)
        for name, one in found._asdict().items():
            yield Row(f"history: {name}", f"{law}, three steps of 5 %", ">= 90 %", one.banded, one.within(FOUND, 1.0))
