"""Bencher Metric Format (bencher.dev/docs/reference/bencher-metric-format).

A benchmark is an operation of a contender; its measures are the median of all timed executions, with the smallest and
the largest as bounds. Bencher's ``latency`` counts nanoseconds.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.experiment.report.export.exported import operation
from weigh.model.text import visible

if TYPE_CHECKING:
    from weigh.experiment.report.export.exported import Exported

_MEASURES = {"wall_s": ("latency", 1e9), "cpu_s": ("cpu-time", 1e9), "peak_memory": ("peak-memory", 1.0)}
"""Name and factor by metric."""


def write(exported: Exported) -> bytes:
    """The whole document."""
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for one in exported.timings():
        if one.metric not in _MEASURES:
            continue
        measure, factor = _MEASURES[one.metric]
        found[visible(f"{one.contender}: {operation(one)}")][measure] = {
            "value": one.median * factor,
            "lower_value": one.min * factor,
            "upper_value": one.max * factor,
        }
    return msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n"
