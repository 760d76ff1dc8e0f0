"""pyperf: its JSON, of one benchmark or a suite.

A run is a process of its own. Calibration runs have no values, and warm-ups are not values. A calibration that follows
values begins a new session in a file that was appended to.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.judge.formats.reading import Reading
from weigh.judge.measurements import Measurements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.judge.formats.source import Source

HOW = """\
for i in $(seq 10); do
  if [ $((i % 2)) = 1 ]; then order="old new"; else order="new old"; fi
  for v in $order; do $v/bin/python bench.py --processes 2 --append $v.json; done
done
weigh judge --baseline old old.json new.json"""

_MACHINE = ("cpu_model_name", "cpu_count")
"""What of a file's metadata tells the machine; never its host name."""


def recognises(source: Source) -> bool:
    """A JSON object with benchmarks that have runs."""
    return source.is_json and '"benchmarks"' in source.head and '"runs"' in source.head


def read(source: Source) -> Reading:
    """One turn for every session of every benchmark.

    Raises:
        DataFault: the document is not pyperf's, or its values are not times.
    """
    suite = source.mapping(source.document.get("metadata", {}), "metadata")
    machine: dict[str, str] = {}
    measurements: list[Measurements] = []
    for number, benchmark in enumerate(source.items(source.document.get("benchmarks"), "benchmarks")):
        where = f"benchmarks[{number}]"
        about = {**suite, **source.mapping(benchmark.get("metadata", {}), f"{where}.metadata")}
        name = source.word(about.get("name", "pyperf"), f"{where}.metadata.name")
        unit = about.get("unit", "second")
        if unit != "second":
            raise source.fault(f"{name} is measured in {unit}s", remedy="weigh judge compares times")
        machine.update({key: str(about[key]) for key in _MACHINE if key in about})
        runs = source.items(benchmark.get("runs"), f"{where}.runs")
        measurements += _stretches(source, runs, name, len(measurements))
    if not measurements:
        raise source.fault("it has no run with values")
    return Reading(tuple(measurements), machine, events="values")


def _stretches(source: Source, runs: list[dict[str, Any]], name: str, first: int) -> Iterator[Measurements]:
    for turn, session in enumerate(_sessions(runs), first):
        values = [source.times(_listed(source, run, name), f"{name}: values") for run in session]
        yield Measurements(
            contender="",
            operation=name,
            values=np.concatenate(values),
            starts=len(session),
            turn=turn,
            at=_began(session[0]),
        )


def _listed(source: Source, run: dict[str, Any], name: str) -> list[object]:
    values = run["values"]
    if not isinstance(values, list):
        raise source.fault(f"{name}: values is not a list")
    return values


def _sessions(runs: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Runs with values, a list for every call of pyperf."""
    session: list[dict[str, Any]] = []
    for run in runs:
        if run.get("values"):
            session.append(run)
        elif session:
            yield session
            session = []
    if session:
        yield session


def _began(run: dict[str, Any]) -> float | None:
    """When a run ended, in seconds; local time without a zone, so good for order within one machine only."""
    about = run.get("metadata")
    date = about.get("date") if isinstance(about, dict) else None
    try:
        return datetime.fromisoformat(date).timestamp() if isinstance(date, str) else None
    except (ValueError, OverflowError, OSError):
        return None
