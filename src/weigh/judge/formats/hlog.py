"""HdrHistogram logs (``.hlog``, format versions 1.2 and 1.3): a histogram for each interval of time.

Inside an interval the order of the values is lost. What can be judged is the series of the intervals' means, and a
percentile has a value and no interval.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from weigh.judge.formats.reading import Reading
from weigh.judge.formats.source import UNITS
from weigh.judge.measurements import Measurements
from weigh.model import codes
from weigh.model.errors import EnvironmentFault

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
_MAX_HISTOGRAM = 64 << 20
"""Bytes of one histogram, inflated: at five digits and all of 64 bits it has 50 MB."""
_MIN_HISTOGRAM = 40
QUANTILES = (0.5, 0.9, 0.99, 0.999, 0.9999)


def recognises(source: Source) -> bool:
    """The legend, the comment that gives the version, or a histogram."""
    head = source.head
    return "Histogram log format" in head or _LEGEND in head or any(_LINE.match(line) for line in head.splitlines())


def read(source: Source) -> Reading:
    """One series of interval means for each tag.

    Raises:
        DataFault: a line cannot be read, or no interval holds a value.
        EnvironmentFault: the library that decodes histograms is not installed.
    """
    intervals: dict[str, list[Any]] = defaultdict(list)
    began, empty = None, 0
    for number, line in enumerate(source.text.splitlines(), 1):
        if comment := _BEGAN.match(line):
            began = float(comment[1]) if comment[1].count(".") <= 1 else None
        if not line.strip() or line.startswith(("#", _LEGEND)):
            continue
        if (match := _LINE.match(line.strip())) is None:
            raise source.fault(f"line {number} is not an interval with its histogram")
        histogram = _decode(source, match[5], number)
        if histogram.get_total_count() == 0:
            empty += 1
            continue
        intervals[match[1] or ""].append(histogram)
    if not intervals:
        raise source.fault("no interval of it holds a value")
    scale = UNITS[source.unit or "ns"]
    measurements = tuple(_stretch(source, tag, histograms, scale, began) for tag, histograms in intervals.items())
    notes = [
        (
            codes.T3_INTERVALS,
            "the order inside an interval is lost: what is judged is the mean of each interval, all intervals alike; "
            "percentiles have no intervals",
            "log the values themselves, one a line, to have both",
        )
    ]
    if empty:
        notes.append((codes.L7, f"{empty} intervals are empty and left out", "look at what happened in them"))
    return Reading(measurements, {}, notes=tuple(notes), events="interval means")


def _stretch(source: Source, tag: str, histograms: Sequence[Any], scale: float, began: float | None) -> Measurements:
    merged = _merged(histograms)
    means = [histogram.get_mean_value() for histogram in histograms]
    return Measurements(
        contender="",
        operation=tag,
        values=source.times(means, "mean of an interval", scale=scale),
        starts=1,
        turn=0,
        at=began,
        series=True,
        quantiles=tuple((q, merged.get_value_at_percentile(100 * q) * scale) for q in QUANTILES),
    )


def _merged(histograms: Sequence[Any]) -> Any:
    hdr = _library()
    widest = max(histograms, key=lambda one: (one.highest_trackable_value, one.significant_figures))
    digits = max(one.significant_figures for one in histograms)
    merged = hdr(1, widest.highest_trackable_value, digits)
    for histogram in histograms:
        merged.add(histogram)
    return merged


def _decode(source: Source, text: str, line: int) -> Any:
    """A histogram of the wire format, after a look at what it would unpack to."""
    try:
        packed = base64.b64decode(text, validate=True)
        inflated = zlib.decompressobj().decompress(packed[8:], _MAX_HISTOGRAM)
        if len(inflated) < _MIN_HISTOGRAM or len(inflated) == _MAX_HISTOGRAM:
            raise ValueError("its size")
        digits = int.from_bytes(inflated[12:16], "big")
        lowest, highest = (int.from_bytes(inflated[at : at + 8], "big") for at in (16, 24))
        if not (1 <= digits <= 5 and 1 <= lowest <= highest // 2 and highest < 1 << 63):
            raise ValueError("its header")
        return _library().decode(text)
    except EnvironmentFault:
        raise
    except (binascii.Error, zlib.error, ValueError, TypeError, IndexError):
        raise source.fault(f"line {line}: the histogram is damaged") from None
    except Exception as error:  # the library's own exceptions have no common base
        raise source.fault(f"line {line}: the histogram cannot be decoded: {type(error).__name__}") from None


def _library() -> Any:
    try:
        from hdrh.histogram import HdrHistogram  # type: ignore[import-untyped]
    except ImportError:
        raise EnvironmentFault(
            "reading .hlog files needs the package hdrhistogram", remedy="pip install hdrhistogram==0.10.8"
        ) from None
    return HdrHistogram
