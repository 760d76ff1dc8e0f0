"""HdrHistogram logs (``.hlog``, format versions 1.2 and 1.3): a histogram for each interval of time.

Inside an interval the order of the values is lost. What can be judged is the series of the intervals' means, and a
percentile has a value and no interval.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from weigh.judge.formats.reading import Reading
from weigh.judge.formats.source import UNITS
from weigh.judge.measurements import Measurements
from weigh.model import codes
from weigh.model.errors import EvidenceFault
from weigh.model.units import seconds
from weigh.statistics.histogram import Histogram, corrected, decode, merged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.judge.formats.source import Source

HOW = """\
# raw values keep their order: log them, one a line, and judge that file;
# or repeat the run, versions in turn, and judge the means of the runs:
weigh judge --baseline old --interleaved old1.hlog new1.hlog old2.hlog new2.hlog ..."""

_LINE = re.compile(r"^(?:Tag=([^,]+),)?([\d.]+),([\d.]+),([\d.]+),(HIST\S+)$")
_BEGAN = re.compile(r"^#\[StartTime: *([\d.]+) ")
_LEGEND = '"StartTimestamp"'
QUANTILES = (0.5, 0.9, 0.99, 0.999, 0.9999)


def recognises(source: Source) -> bool:
    """The legend, the comment that gives the version, or a histogram."""
    head = source.head
    return "Histogram log format" in head or _LEGEND in head or any(_LINE.match(line) for line in head.splitlines())


def read(source: Source) -> Reading:
    """One series of interval means for each tag.

    Raises:
        DataFault: a line cannot be read, or no interval holds a value.
    """
    intervals: dict[str, list[Histogram]] = defaultdict(list)
    began, empty = None, 0
    scale = UNITS[source.unit or "ns"]
    for number, line in enumerate(source.text.splitlines(), 1):
        if comment := _BEGAN.match(line):
            began = float(comment[1]) if comment[1].count(".") <= 1 else None
        if not line.strip() or line.startswith(("#", _LEGEND)):
            continue
        if (match := _LINE.match(line.strip())) is None:
            raise source.fault(f"line {number} is not an interval with its histogram")
        try:
            histogram = decode(match[5], scale)
        except EvidenceFault as fault:
            raise source.fault(f"line {number}: {fault.what}") from None
        if not histogram.total:
            empty += 1
            continue
        intervals[match[1] or ""].append(histogram)
    if not intervals:
        raise source.fault("no interval of it holds a value")
    measurements = tuple(_measured(source, tag, histograms, began) for tag, histograms in intervals.items())
    notes = [
        (
            codes.T3_INTERVALS,
            "the order inside an interval is lost: what is judged is the mean of each interval, all intervals alike; "
            "percentiles have no intervals",
            "log the values themselves, one a line, to have both",
        )
    ]
    if source.expected:
        notes.append(
            (
                codes.L2,
                f"its percentiles are corrected for a request every {seconds(source.expected)} by HdrHistogram's "
                "method: an estimate, not a measurement on schedule; means and verdicts are of what was measured",
                "measure on a schedule: weigh load, wrk2 or pgbench -R",
            )
        )
    if empty:
        notes.append((codes.L7, f"{empty} intervals are empty and left out", "look at what happened in them"))
    return Reading(measurements, {}, notes=tuple(notes), events="interval means")


def _measured(source: Source, tag: str, histograms: Sequence[Histogram], began: float | None) -> Measurements:
    whole = merged(histograms)
    if source.expected:
        try:
            whole = corrected(whole, source.expected)
        except ValueError as error:
            raise source.fault(f"it cannot be corrected: {error}") from None
    return Measurements(
        contender="",
        operation=tag,
        values=source.times([one.mean for one in histograms], "mean of an interval"),
        starts=1,
        turn=0,
        at=began,
        series=True,
        quantiles=tuple((q, value) for q in QUANTILES if (value := whole.quantile(q)) is not None),
    )
