"""Google Benchmark: ``--benchmark_out_format=json``.

All repetitions of a file run in one process: they are one start, however many there are. Aggregates (mean, median,
standard deviation) are no measurements.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from weigh.judge.formats.reading import Reading
from weigh.judge.formats.source import UNITS
from weigh.judge.measurements import Measurements

if TYPE_CHECKING:
    from weigh.judge.formats.source import Source

HOW = """\
for i in $(seq 10); do
  if [ $((i % 2)) = 1 ]; then order="old new"; else order="new old"; fi
  for v in $order; do ./$v --benchmark_out_format=json --benchmark_out=$v$i.json; done
done
weigh judge --baseline old --interleaved old*.json new*.json"""


def recognises(source: Source) -> bool:
    """A JSON object with a context and benchmarks."""
    return (
        source.is_json
        and '"context"' in source.head
        and '"benchmarks"' in source.data[: 1 << 20].decode("utf-8", errors="replace")
    )


def read(source: Source) -> Reading:
    """One turn: everything in the file is one process.

    Raises:
        DataFault: the document is not Google Benchmark's, or no benchmark in it is a measurement or an aggregate.
    """
    context = source.mapping(source.document.get("context"), "context")
    values: dict[str, list[float]] = {}
    failures: dict[str, list[str]] = {}
    summaries: list[str] = []
    for number, one in enumerate(source.items(source.document.get("benchmarks"), "benchmarks")):
        where = f"benchmarks[{number}]"
        name = source.word(one.get("run_name", one.get("name")), f"{where}.run_name")
        if one.get("run_type", "iteration") == "aggregate":
            summaries.append(name)
        elif one.get("error_occurred") is True:
            failures.setdefault(name, []).append(str(one.get("error_message", "")))
        else:
            values.setdefault(name, []).append(_seconds(source, one, where))
    if not (values or failures or summaries):
        raise source.fault("it has no benchmark")
    measurements = [
        Measurements(
            contender="",
            operation=name,
            values=source.times(values.get(name, ()), name),
            starts=1,
            turn=0,
            at=_began(context.get("date")),
            failed=len(failures.get(name, ())),
            detail=failures[name][0] if name in failures else "",
        )
        for name in dict.fromkeys([*values, *failures])
    ]
    # The clock rate that the file also has is that of the moment.
    machine = {"num_cpus": str(context["num_cpus"])} if "num_cpus" in context else {}
    only = [name for name in dict.fromkeys(summaries) if name not in values and name not in failures]
    return Reading(tuple(measurements), machine, tuple(only), events="repetitions")


def _seconds(source: Source, one: dict[str, Any], where: str) -> float:
    unit = one.get("time_unit", "ns")
    if not isinstance(unit, str) or unit not in UNITS:
        raise source.fault(f"{where}.time_unit is not a unit of time")
    return float(source.times([one.get("real_time")], f"{where}.real_time", scale=UNITS[unit])[0])


def _began(date: object) -> float | None:
    try:
        return datetime.fromisoformat(date).timestamp() if isinstance(date, str) else None
    except (ValueError, OverflowError, OSError):
        return None
