"""pytest-benchmark: ``--benchmark-json``, or a file of ``--benchmark-save`` with ``--benchmark-save-data``.

A file is one process of pytest, so all rounds of a benchmark are one start. A test that failed is not in the file at
all: nothing tells it from a test that was never there.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Any

from weigh.judge.formats.reading import Reading
from weigh.judge.measurements import Measurements

if TYPE_CHECKING:
    from weigh.judge.formats.source import Source

HOW = """\
for i in $(seq 10); do
  if [ $((i % 2)) = 1 ]; then order="old new"; else order="new old"; fi
  for v in $order; do $v/bin/pytest tests/bench --benchmark-json=$v$i.json; done
done
weigh judge --baseline old old*.json new*.json"""

_CPU = ("brand_raw", "count")
"""What of a file's machine_info tells the machine; never its host name."""
_WALL = ("perf_counter", "monotonic", "time", "default_timer")
"""Timers that show the time that passes; others count the CPU time of the process."""


def recognises(source: Source) -> bool:
    """A JSON object that begins with the machine."""
    return source.is_json and '"machine_info"' in source.head


def read(source: Source) -> Reading:
    """One turn: everything in the file is one process.

    Raises:
        DataFault: the document is not pytest-benchmark's, or a benchmark in it was timed by a clock of CPU time.
    """
    listed = source.items(source.document.get("benchmarks"), "benchmarks")
    if not listed:
        raise source.fault("it has no benchmark")
    named = [source.word(one.get("name"), f"benchmarks[{number}].name") for number, one in enumerate(listed)]
    often = Counter(named)
    at = _ended(source.document.get("datetime"))
    measurements: list[Measurements] = []
    summaries: list[str] = []
    for number, (one, short) in enumerate(zip(listed, named, strict=True)):
        where = f"benchmarks[{number}]"
        # Two modules may each have a test of that name.
        name = short if often[short] == 1 else source.word(one.get("fullname"), f"{where}.fullname")
        _wall(source, one, name)
        data = source.mapping(one.get("stats"), f"{where}.stats").get("data")
        if data is None:
            summaries.append(name)
            continue
        if not isinstance(data, list):
            raise source.fault(f"{where}.stats.data is not a list")
        values = source.times(data, f"{name}: data")
        measurements.append(Measurements(contender="", operation=name, values=values, starts=1, turn=0, at=at))
    return Reading(tuple(measurements), _machine(source), tuple(summaries), events="rounds")


def _wall(source: Source, one: dict[str, Any], name: str) -> None:
    """Fails where a benchmark's times are not times that pass.

    Raises:
        DataFault: they are CPU time, or of a clock of the user's own.
    """
    options = one.get("options")
    timer = options.get("timer") if isinstance(options, dict) else None
    if timer is not None and timer not in _WALL:
        raise source.fault(
            f"{name} was timed by {str(timer)[:40]}, which is no clock of the time that passes",
            remedy="leave --benchmark-timer at its default",
        )


def _machine(source: Source) -> dict[str, str]:
    about = source.document.get("machine_info")
    cpu = about.get("cpu") if isinstance(about, dict) else None
    return {key: str(cpu[key]) for key in _CPU if cpu.get(key)} if isinstance(cpu, dict) else {}


def _ended(date: object) -> float | None:
    """When the file was written, in seconds: after its benchmarks, as of every other file of a comparison."""
    try:
        return datetime.fromisoformat(date).timestamp() if isinstance(date, str) else None
    except (ValueError, OverflowError, OSError):
        return None
