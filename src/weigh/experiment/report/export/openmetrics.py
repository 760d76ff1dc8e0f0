"""OpenMetrics text (prometheus.io/docs/specs/om/open_metrics_spec): gauges of what was measured, and the verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.text import visible
from weigh.model.verdict import VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.experiment.report.export.exported import Exported
    from weigh.model.verdict import Timing, Verdict

_METRICS = {
    "wall_s": (
        "weigh_execution_seconds",
        "seconds",
        "Median of the timed executions, from asking to the whole answer.",
    ),
    "cpu_s": ("weigh_execution_cpu_seconds", "seconds", "Median CPU time of the contender in a timed execution."),
    "peak_memory": ("weigh_peak_memory_bytes", "bytes", "Median of the peak resident memory in a timed execution."),
}
_RATIOS = {"ratio": "itself", "low": "lower end of its interval", "high": "upper end of its interval"}
_ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def write(exported: Exported) -> bytes:
    """The whole exposition."""
    timings, verdicts = list(exported.timings()), list(exported.verdicts())
    workload = exported.results.record.spec.workload
    return "".join(
        f"{line}\n" for line in (*_timings(timings, workload), *_verdicts(verdicts, workload), "# EOF")
    ).encode()


def _timings(timings: list[Timing], workload: str) -> Iterator[str]:
    for metric, (name, unit, says) in _METRICS.items():
        rows = [(one.median, _labels(one, workload)) for one in timings if one.metric == metric]
        yield from _gauge(name, unit, says, rows)


def _verdicts(verdicts: list[Verdict], workload: str) -> Iterator[str]:
    wall = [one for one in verdicts if one.metric == "wall_s"]
    for field, says in _RATIOS.items():
        rows = [
            (value, {**_labels(one, workload), "baseline": one.baseline})
            for one in wall
            if (value := getattr(one, field)) is not None
        ]
        named = "weigh_time_ratio" if field == "ratio" else f"weigh_time_ratio_{field}"
        yield from _gauge(named, "", f"Time of the contender over that of the baseline: {says}.", rows)
    if wall:
        yield "# TYPE weigh_verdict stateset"
        yield "# HELP weigh_verdict What follows about the time of the contender against the baseline."
    for one in wall:
        labels = {**_labels(one, workload), "baseline": one.baseline}
        for name in VerdictName:
            yield f"weigh_verdict{_set({**labels, 'weigh_verdict': name.value})} {int(name is one.verdict)}"


def _gauge(name: str, unit: str, says: str, rows: Iterable[tuple[float, dict[str, str]]]) -> Iterator[str]:
    lines = [f"{name}{_set(labels)} {value!r}" for value, labels in rows]
    if lines:
        yield f"# TYPE {name} gauge"
        if unit:
            yield f"# UNIT {name} {unit}"
        yield f"# HELP {name} {says}"
        yield from lines


def _labels(one: Timing | Verdict, workload: str) -> dict[str, str]:
    labels = {"workload": workload, "operation": one.operation, "contender": one.contender}
    return labels | {"temperature": one.temperature} | ({"layout": one.layout} if one.layout else {})


def _set(labels: dict[str, str]) -> str:
    return "{" + ",".join(f'{name}="{visible(value).translate(_ESCAPED)}"' for name, value in labels.items()) + "}"
