"""Histories of 200 commits: how many changes of level are found that are none, and how many of those that are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.history import candidates, clickhouse_rule
from weigh.history.gross import gross

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
"""Laws under which a step of 5 % can be determined by its size."""


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


SHORT = 5, 8, 13, 20, 40
"""Points of histories in which a step of too few points is looked for."""
STEADY = ("iid", "AR .5", "AR .9", "t(3)", "5 % spikes")
"""Laws without two speeds: what goes over from one to the other has stepped."""


def gross_steps(law: str, histories: int, seed: int) -> Rate:
    """Short histories without a change, of all lengths, of whose last points two or more are said to lie far off."""
    draw = np.random.default_rng([seed, histories])
    told = 0
    for points in SHORT:
        for _ in range(histories):
            found = gross([float(x) for x in np.exp(LAWS[law](draw)[:points])], MARGIN)
            told += found is not None and min(found.before, found.after) > 1
    return Rate(told, histories * len(SHORT))


def gross_found(size: float, histories: int, seed: int) -> Rate:
    """13 points of CV 2 %, the last three so many times as large: in how many that is reported."""
    draw = np.random.default_rng([seed, histories])
    told = 0
    for _ in range(histories):
        logs = draw.normal(0, 0.02, 13)
        logs[10:] += np.log(size)
        found = gross([float(x) for x in np.exp(logs)], MARGIN)
        told += found is not None and found.after == 3
    return Rate(told, histories)


POINTS = 100
SIZES = 1.05, 1.15
"""The known changes of a history of 100 points are this large, up or down."""
ENDS, BETWEEN = 14, 20
"""Points before the first one and behind the last one, and between two of them, at least."""


def skewed(draw: np.random.Generator) -> Floats:
    """100 points by a law that nothing here was made with: never much faster, sometimes slower, and a slow wave."""
    phase = draw.uniform(0, 2 * np.pi)
    wave = 0.003 * np.sin(np.arange(POINTS) / 9.0 + phase)
    return np.asarray(wave + 0.005 * (draw.gamma(4.0, 1.0, POINTS) - 4.0))


class Known(NamedTuple):
    """Of histories of 100 points with three known changes, and of as many without any.

    Attributes:
        recall: changes that were found within three points of their place.
        precision: of those that were found, how many are one.
        covered: places that lie in the range that is printed for them, of those that were found.
        invented: flat histories in which one was found.
        rule_recall, rule_invented: the same of ClickHouse's rule alone.
    """

    recall: Rate
    precision: Rate
    covered: Rate
    invented: Rate
    rule_recall: Rate
    rule_invented: Rate


def known(histories: int, seed: int) -> Known:
    """Candidates of such histories, and ClickHouse's rule alongside them."""
    draw = np.random.default_rng([seed, histories])
    hits = said = covered = invented = ruled = rule_invented = 0
    for _ in range(histories):
        flat = np.exp(skewed(draw))
        invented += bool(candidates.changes([float(x) for x in flat], MARGIN).changes)
        rule_invented += bool(clickhouse_rule.steps([float(x) for x in flat]))
        logs = skewed(draw)
        room = POINTS - 2 * ENDS - 2 * BETWEEN
        places = [int(one) + ENDS + BETWEEN * at for at, one in enumerate(np.sort(draw.integers(0, room, 3)))]
        for place in places:
            logs[place:] += np.log(draw.uniform(*SIZES)) * draw.choice([-1, 1])
        values = [float(x) for x in np.exp(logs)]
        found = candidates.changes(values, MARGIN).changes
        rule = [at for at, _ in clickhouse_rule.steps(values)]
        for place in places:
            near = [one for one in found if abs(one.at - place) <= NEAR]
            hits += bool(near)
            covered += any(one.first <= place <= one.last for one in near)
            ruled += any(abs(at - place) <= NEAR for at in rule)
        said += len(found)
    return Known(
        recall=Rate(hits, 3 * histories),
        precision=Rate(min(hits, said), said),
        covered=Rate(covered, hits),
        invented=Rate(invented, histories),
        rule_recall=Rate(ruled, 3 * histories),
        rule_invented=Rate(rule_invented, histories),
    )


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
    for law in STEADY:
        told = gross_steps(law, histories, 18)
        yield Row(
            "history: steps of too few points", f"{law}, unchanged", "<= 0.5 %", told.banded, told.within(0.0, 0.005)
        )
    for size in (1.3, 18.0):
        told = gross_found(size, histories, 19)
        setting = f"the last 3 of 13 points x{size:g}, CV 2 %"
        yield Row("history: steps of too few points", setting, ">= 90 %", told.banded, told.within(0.9, 1.0))
    of = known(histories, 17)
    said = f"{POINTS} points of skewed noise with a wave"
    yield Row(
        "history: invented",
        f"{said}, unchanged",
        "<= 1 %",
        of.invented.banded,
        of.invented.within(0.0, 0.01),
        f"ClickHouse's rule: {of.rule_invented.banded}",
    )
    for name, one, others in (
        ("recall", of.recall, f"ClickHouse's rule: {of.rule_recall.banded}"),
        ("precision", of.precision, ""),
        ("in the range that is printed", of.covered, ""),
    ):
        yield Row(
            f"history: {name}", f"{said}, three changes of 5-15 %", ">= 95 %", one.banded, one.within(0.95, 1.0), others
        )
