"""Bins: the measured time of all attempts in equal parts, and what the machine did in each. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from weigh.machine.moments import BY_OTHERS, BY_WEIGH, STOLEN, amounts, columns, in_order, shared_out
from weigh.machine.readings import Reading, readings
from weigh.machine.use_method import RESOURCES
from weigh.model.sample import Samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from weigh.model.machine.timeline import Moment, Watch
    from weigh.model.sample import Sample
    from weigh.model.units import Bytes, Seconds
    from weigh.statistics.arrays import Floats


class Span(NamedTuple):
    """The measured time of one attempt, and where it lies among the bins.

    Attributes:
        attempt: its number.
        began, ended: seconds since the attempt began: of its first and last execution.
        first, bins: place of its first bin, and how many it has.
    """

    attempt: int
    began: Seconds
    ended: Seconds
    first: int
    bins: int


class TimelineBins(msgspec.Struct, frozen=True, kw_only=True):
    """What the machine did, bin by bin; arrays of one value each, NaN where it was not read.

    Attributes:
        spans: of the attempts, in order.
        own, foreign, steal: shares of all CPUs that weigh and the contenders used, that others used, and that other
            guests of the host had.
        moved: bytes a second over the network, both ways.
        resources: utilisation, saturation and errors by name.
        starts: block boundaries: place of each fresh start, in bins.
    """

    spans: tuple[Span, ...]
    tracked: Any
    foreign: Any
    steal: Any
    moved: Any
    resources: dict[str, Reading]
    starts: tuple[float, ...]

    def place(self, attempt: int, at: Seconds) -> float:
        """Where a moment lies, in bins from the left."""
        one = next(span for span in self.spans if span.attempt == attempt)
        share = (at - one.began) / (one.ended - one.began)
        return one.first + min(max(share, 0.0), 1.0) * one.bins


def timeline_bins(
    attempts: Iterable[tuple[Sequence[Sample], Sequence[Watch], Bytes | None]], number: int
) -> TimelineBins | None:
    """Cut the measured time.

    Args:
        attempts: samples, watches and bytes of memory of each.
        number: of bins.

    Returns:
        None where nothing was measured.
    """
    measured = [(samples, in_order(watches), memory) for samples, watches, memory in attempts if samples]
    times = [_measured(samples) for samples, _, _ in measured]
    lengths = np.array([end - begin for begin, end in times])
    if not measured or not lengths.sum() > 0:
        return None
    edges = np.round(np.concatenate([[0.0], np.cumsum(lengths)]) / lengths.sum() * number).astype(int)
    spans, parts, starts = [], [], []
    for (samples, moments, memory), (began, ended), first, after in zip(
        measured, times, edges[:-1], edges[1:], strict=True
    ):
        if after == first:
            continue
        span = Span(samples[0].attempt, began, ended, int(first), int(after - first))
        spans.append(span)
        parts.append(_part(moments, span, memory))
        every = Samples.of(samples)
        at = every.floats("at")
        begins = (float(at[those].min()) for _, those in sorted(every.groups("block").items()))
        starts += [span.first + (begin - began) / (ended - began) * span.bins for begin in begins]
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0] if name not in RESOURCES}
    return TimelineBins(
        spans=tuple(spans),
        resources={name: _joined([part[name] for part in parts]) for name in RESOURCES},
        starts=tuple(starts),
        **joined,
    )


def between(
    moments: Sequence[Moment], began: Seconds, ended: Seconds, memory: Bytes | None, number: int
) -> TimelineBins:
    """The same of any span of time of one attempt.

    Args:
        moments: in order of time.
        began: seconds since the attempt began.
        ended: likewise.
        memory: bytes that the machine has.
        number: of bins.
    """
    span = Span(1, began, ended, 0, number)
    part = _part(moments, span, memory)
    resources = {name: part.pop(name) for name in RESOURCES}
    return TimelineBins(spans=(span,), resources=resources, starts=(), **part)


def _measured(samples: Sequence[Sample]) -> tuple[float, float]:
    """From the first execution to the end of the last."""
    every = Samples.of(samples)
    at = every.floats("at")
    return float(at.min()), float((at + np.nan_to_num(every.floats("wall_s"), nan=0.0)).max())


def _part(moments: Sequence[Moment], span: Span, memory: Bytes | None) -> dict[str, Any]:
    """Everything about the bins of one attempt."""
    width = (span.ended - span.began) / span.bins
    begin = span.began + width * np.arange(span.bins, dtype=np.float64)
    length = np.full(span.bins, width, dtype=np.float64)
    cpus = max((len(one.cpus) for one in moments if one.cpus), default=0) or 1

    every = columns(moments)

    def share(of: Callable[[Moment], float | None]) -> Floats:
        known = shared_out(every, every.watched(of), begin, length)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(known > 0, amounts(every, of, begin, length) / known / cpus, np.nan)

    return {
        "tracked": share(BY_WEIGH),
        "foreign": share(BY_OTHERS),
        "steal": share(STOLEN),
        "moved": amounts(every, _moved, begin, length) / length,
        **readings(every, begin, length, memory),
    }


def _moved(one: Moment) -> float | None:
    return one.network.received + one.network.sent if one.network else None


def _joined(parts: Sequence[Reading]) -> Reading:
    def of(name: str) -> Floats:
        return np.concatenate([getattr(part, name) for part in parts])

    return Reading(utilisation=of("utilisation"), saturated=of("saturated"), errors=of("errors"))
