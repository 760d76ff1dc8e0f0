"""Drift of the machine, from the fixed kernels before, between and after the blocks. Pure.

The kernels do the same work each time, so what changes is the machine. A drift is a trend, a step or an episode that
explains the kernels' times better than correlated noise does, under every noise model of
:mod:`weigh.statistics.series.prewhitening`. There are few calibrations, one more than blocks: what an explanation must
gain was found by simulation (docs/guide/doctor.md).
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from weigh.model import codes, units
from weigh.model.machine.calibration import Kernel
from weigh.model.units import Seconds
from weigh.statistics.series.prewhitening import Whitened, constant, whiten

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.model.finding import Finding
    from weigh.model.machine.calibration import Calibration
    from weigh.statistics.arrays import Floats
    from weigh.verdict.question import Question
    from weigh.verdict.refusals import Refusals


FEWEST = 6
"""Calibrations below which no drift can be distinguished from noise: those of five blocks."""
TREND, LEVEL = 22.0, 27.0
"""What a trend, and the best step or episode, must gain, in units of twice the log-likelihood."""
SHORTEST = 3
"""Calibrations of a level, two where there are few: what is shorter is a spike."""
EPISODES = 9
"""Calibrations from which on an episode can be distinguished from a step."""
MOST = 30
"""More calibrations than that are judged by the medians of as many neighbours as leave no more."""
Kind = Literal["trend", "step", "episode"]
_CAUSES = "heat, a power plan, a limit, or somebody else's work"


class Quiet(msgspec.Struct, frozen=True, kw_only=True):
    """How quiet the machine was for one kernel, over one attempt.

    Attributes:
        kernel: kind of fixed work.
        calibrations: how often it was executed, each time a few times in a row.
        median: of one execution.
        cv: coefficient of variation of all executions; None where there was one.
        drift: a trend, a step or an episode; None where there is none, or there are too few calibrations to tell.
        size: by which fraction the kernel took longer for it (less, below 0): from the first calibration to the last
            by a trend, against the rest otherwise; 0 without a drift.
        first, last: blocks during which it began and ended; -1 without a drift.
        at: seconds since the attempt began, of the first calibration that shows it.
        abrupt: the largest change within one block, a fraction.
    """

    kernel: Kernel
    calibrations: int
    median: Seconds
    cv: float | None
    drift: Kind | None = None
    size: float = 0.0
    first: int = -1
    last: int = -1
    at: Seconds = 0.0
    abrupt: float = 0.0


def quiet(calibrations: Iterable[Calibration]) -> tuple[Quiet, ...]:
    """How quiet the machine was, by kernel in the order of their first calibration.

    Args:
        calibrations: of one attempt.
    """
    kernels: dict[Kernel, list[Calibration]] = defaultdict(list)
    for one in calibrations:
        if one.seconds:
            kernels[one.kernel].append(one)
    return tuple(_quiet(kernel, sorted(those, key=lambda one: one.at)) for kernel, those in kernels.items())


def findings(found: Iterable[Quiet], margin: float, *, serial: bool) -> list[Finding]:
    """E5.drift of every kernel that drifted by more than the margin.

    Args:
        found: of one attempt.
        margin: the smallest change that matters, a fraction.
        serial: whether arms lived one after another, so that they did not share it.
    """
    return [
        codes.E5_DRIFT.finding(
            "warning" if serial else "note",
            text=f"the machine's speed changed: {_sentence(one)}{_consequence(one, margin, serial=serial)}",
            remedy=f"look for {_CAUSES} (weigh doctor); times of different blocks are those of different machines",
        )
        for one in found
        if abs(one.size) > margin
    ]


def refusals(found: Iterable[Quiet], margin: float, pairs: Iterable[tuple[Question, str]]) -> Refusals:
    """Comparisons whose arms did not share a drift: of arms that lived one after another in a block.

    Args:
        found: of one attempt.
        margin: the smallest change that matters, a fraction.
        pairs: (question, contender) of all comparisons whose arms did so.
    """
    # The disk's speed is not that of data in memory.
    sharp = [one for one in found if one.kernel != "disk" and abs(one.size) > margin and one.abrupt > margin]
    if not sharp:
        return {}
    worst = max(sharp, key=lambda one: one.abrupt)
    text = (
        f"within one block the machine's speed changed by {units.percent(worst.abrupt)}, more than the margin, and the "
        f"arms lived one after another: {_sentence(worst)}"
    )
    return dict.fromkeys(pairs, codes.T4_MACHINE.reason(text))


def _sentence(one: Quiet) -> str:
    kernel = f"the fixed {one.kernel} kernel"
    much = f"{units.percent(abs(one.size))} {'longer' if one.size > 0 else 'less'}"
    if one.drift == "trend":
        return f"{kernel} came to take {much}, steadily from block {one.first} to block {one.last}"
    if one.drift == "step":
        return f"since block {one.first} {kernel} took {much} than before"
    return f"from block {one.first} to block {one.last} {kernel} took {much} than before and after"


def _consequence(one: Quiet, margin: float, *, serial: bool) -> str:
    if not serial:
        return ". All arms alternate in every block and shared it: the verdicts stand"
    if one.kernel != "disk" and one.abrupt > margin:
        return ". The arms of a block lived one after another and did not share it: no verdict"
    return ". The arms of a block lived one after another: it widens the intervals, and the verdicts stand"


def _quiet(kernel: Kernel, those: Sequence[Calibration]) -> Quiet:
    everything = np.array([seconds for one in those for seconds in one.seconds])
    plain = Quiet(
        kernel=kernel,
        calibrations=len(those),
        median=float(np.median(everything)),
        cv=float(everything.std(ddof=1) / everything.mean()) if everything.size > 1 else None,
    )
    if len(those) < FEWEST:
        return plain
    # The mean: a limit of CPU time stops one execution of several, and leaves the others as they were.
    found = explain(np.log([float(np.mean(one.seconds)) for one in those]))
    if found is None:
        return plain
    kind, begin, end, swing = found
    last = those[-1].block if end == len(those) else those[end - 1].block
    return msgspec.structs.replace(
        plain,
        drift=kind,
        size=float(np.expm1(swing)),
        # A calibration stands before its block: what the next one shows began in that block.
        first=those[max(begin - 1, 0)].block,
        last=last,
        at=those[begin].at,
        abrupt=float(np.expm1(abs(swing) / (len(those) - 1 if kind == "trend" else 1))),
    )


def explain(logs: Floats) -> tuple[Kind, int, int, float] | None:
    """The best explanation of a few values in the order of time; None where noise explains them.

    Args:
        logs: logarithms of times.

    Returns:
        The kind, the first and (exclusive) last value that it concerns, and its size as a difference of logarithms.
    """
    parts = np.array_split(logs, logs.size // -(-logs.size // MOST))
    values = np.array([float(np.median(part)) for part in parts])
    edges = np.cumsum([0, *(part.size for part in parts)])
    merit, (kind, begin, end) = best(values)
    if merit <= 0:
        return None
    if kind == "trend":
        swing = float(np.polyfit(np.linspace(0, 1, values.size), values, 1)[0])
    else:
        inside = np.zeros(values.size, dtype=np.bool_)
        inside[begin:end] = True
        swing = float(np.median(values[inside]) - np.median(values[~inside]))
    return kind, int(edges[begin]), int(edges[end]), swing


def best(logs: Floats) -> tuple[float, tuple[Kind, int, int]]:
    """The explanation that gains most above what it must, and by how much; below 0 where noise explains the values."""
    count = logs.size
    # A clock or a machine without any noise would make everything certain.
    calm = logs - np.median(logs) + 1e-6 * np.cos(np.arange(count))
    shapes, names = _shapes(count)
    innovations, level = whiten(calm), constant(count)
    weight = (level**2).sum(axis=1)
    centred = innovations - ((innovations * level).sum(axis=1) / weight)[:, None] * level
    series = Whitened(innovations, centred, (centred**2).sum(axis=1))
    shares = np.einsum("mst,mt->sm", shapes, centred)
    merits = series.gain(series.squares - shares**2) - LEVEL
    merits[0] += LEVEL - TREND
    at = int(merits.argmax())
    return float(merits[at]), names[at]


@lru_cache(maxsize=32)
def _shapes(count: int) -> tuple[Floats, tuple[tuple[Kind, int, int], ...]]:
    """Every shape whitened, without a level, of length 1: (models, shapes, values); and what each is."""
    names: list[tuple[Kind, int, int]] = [("trend", 0, count)]
    rows = [np.linspace(0, 1, count)]
    shortest = SHORTEST if count >= EPISODES else SHORTEST - 1
    places = range(shortest, count - shortest + 1)
    spans = [(begin, count) for begin in places]
    if count >= EPISODES:
        spans += [(begin, end) for begin in places for end in places if end - begin >= shortest]
    for begin, end in spans:
        row = np.zeros(count)
        row[begin:end] = 1.0
        rows.append(row)
        names.append(("step" if end == count else "episode", begin, end))
    shapes = whiten(np.array(rows))
    level = constant(count)[:, None, :]
    shapes = shapes - (shapes * level).sum(axis=2, keepdims=True) / (level**2).sum(axis=2, keepdims=True) * level
    return shapes / np.sqrt((shapes**2).sum(axis=2))[:, :, None], tuple(names)
