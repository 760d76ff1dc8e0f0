"""When requests are due, as flags say it."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.load.config.numbers import duration_of, number, rate_of, text_of
from weigh.load.spec import Arrivals
from weigh.model.errors import UsageError, nearest
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

_KINDS = ("constant", "poisson", "bursts", "even-bursts", "ramp", "steps", "trace")
_PEAK, _LENGTH = 4.0, 1.0
"""Of bursts: real load peaks at three to five times its mean (text 003)."""
_LONGEST_TRACE = 64 << 20
"""Bytes of a trace, whose millions of times are held in memory."""


def arrivals(text: str | None, rate: str | None, *, any_rate: bool = False) -> Arrivals:
    """``--arrivals`` and ``--rate``.

    Args:
        text: of the first.
        rate: of the second.
        any_rate: whether it may have none, because a search gives each run its own.

    Raises:
        UsageError: they do not say when requests are due.
    """
    kind, *rest = (text or "constant").split(":")
    if kind not in _KINDS:
        raise UsageError(f"there are no arrivals '{kind}'", remedy=nearest(kind, _KINDS))
    if kind == "trace":
        return Arrivals(kind="trace", times_s=_trace(rest))
    if kind == "steps":
        rates = tuple(rate_of(one) for one in (rest[0] if rest else "").split(",") if one)
        if len(rates) < 2:
            raise UsageError("steps need their rates", remedy="write --arrivals steps:500,1000,2000:30s")
        return Arrivals(kind="steps", rates=rates, step_s=duration_of("steps", rest[1] if len(rest) > 1 else "10s"))
    if rate is None and not any_rate:
        raise UsageError(
            "no --rate: an open loop needs to know how many requests a second are due",
            remedy="give --rate 1000, or ask for a closed loop with --closed (and see what that hides with --both)",
        )
    mean = None if rate is None else rate_of(rate)
    match kind:
        case "ramp":
            if not rest:
                raise UsageError("a ramp needs its end", remedy="write --rate 100 --arrivals ramp:2000")
            return Arrivals(kind="ramp", rate=mean, to=rate_of(rest[0]))
        case "bursts" | "even-bursts":
            peak = number(rest[0]) if rest else _PEAK
            if not 1 < peak < float("inf"):
                raise UsageError(f"bursts of {peak:g} times the mean are none", remedy="write --arrivals bursts:4:1s")
            length = duration_of("bursts", rest[1]) if len(rest) > 1 else _LENGTH
            return Arrivals(kind=kind, rate=mean, peak=peak, length_s=length)
        case "poisson":
            return Arrivals(kind="poisson", rate=mean)
        case _:
            return Arrivals(rate=mean)


def _trace(rest: Sequence[str]) -> tuple[float, ...]:
    """Seconds, one a line, in a file; the first request begins the trace."""
    path = Path(":".join(rest))
    if not rest:
        raise UsageError(
            "a trace needs its file", remedy="write --arrivals trace:FILE, with one time in seconds a line"
        )
    text = text_of("trace", path, _LONGEST_TRACE)
    times = []
    for place, line in enumerate(text.splitlines(), 1):
        try:
            times += [float(line)] if line.strip() else []
        except ValueError:
            raise UsageError(
                f"the trace is not one time a line: '{one_line(line, 40)}' is none",
                where=f"{path}, line {place:,}",
                remedy="write seconds",
            ) from None
    if not times:
        raise UsageError("the trace is empty", where=str(path), remedy="write a time in seconds on each line")
    if not all(map(math.isfinite, times)):
        raise UsageError("a time of the trace is no number of seconds", where=str(path), remedy="write seconds")
    if any(after < before for before, after in pairwise(times)):
        raise UsageError("the times of the trace do not ascend", where=str(path), remedy="sort them")
    return tuple(one - times[0] for one in times)
