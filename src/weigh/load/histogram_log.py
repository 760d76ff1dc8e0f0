"""All histograms of a load as an HdrHistogram log, which the HdrHistogram tools read."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from weigh.statistics.histogram import decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.runs import LoadRun

_MILLIS = 1e3
_KINDS = ("response", "service", "lag_free", "lag_late", "failed")


def hlog(runs: Sequence[LoadRun]) -> str:
    """All histograms as an HdrHistogram log, format 1.3: one tag for each operation and kind.

    The values are nanoseconds. The tag is the operation's name, with ``.service``, ``.lag_free``, ``.lag_late`` and
    ``.failed`` behind it for what is no response time; several runs have their number before it.
    """
    began = next((run.summary.t0_unix for run in runs if run.summary), 0.0)
    when = datetime.datetime.fromtimestamp(began, datetime.UTC).isoformat(timespec="milliseconds")
    lines = [
        "#[Histogram log format version 1.3]",
        f"#[StartTime: {began:.3f} (seconds since epoch), {when}]",
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]
    for run in runs:
        offset = run.summary.t0_unix - began if run.summary else 0.0
        before = f"{run.number}.{run.loop}." if len(runs) > 1 else ""
        lines += _lines(run, before, offset)
    return "\n".join(lines) + "\n"


def _lines(run: LoadRun, before: str, offset: float) -> Iterator[str]:
    for interval in run.intervals:
        start, length = interval.from_s + offset, interval.to_s - interval.from_s
        for one in interval.operations:
            # A comma would end the tag.
            name = before + one.name.replace(",", "_")
            for kind in _KINDS:
                text: str = getattr(one, kind)
                held = decode(text)
                if held.max is None:
                    continue
                tag = name if kind == "response" else f"{name}.{kind}"
                yield f"Tag={tag},{start:.3f},{length:.3f},{held.max * _MILLIS:.3f},{text}"
