"""criterion: what it keeps of a benchmark, ``sample.json`` next to ``benchmark.json``, or ``raw.csv``.

One call of a bench binary is one process, so all samples of a benchmark are one start. Nothing in the files tells when
they were made. ``estimates.json`` is a summary.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.judge.formats.reading import Reading
from weigh.judge.formats.source import UNITS
from weigh.judge.measurements import Measurements

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.judge.formats.source import Source

HOW = """\
# old and new are bench binaries (cargo bench --no-run prints where they lie)
for i in $(seq 10); do
  if [ $((i % 2)) = 1 ]; then order="old new"; else order="new old"; fi
  for v in $order; do CRITERION_HOME=$v$i ./$v --bench; done
done
weigh judge --baseline old --interleaved old*/ new*/"""

_TABLE = ("group", "function", "value", "sample_measured_value", "unit", "iteration_count")


def recognises(source: Source) -> bool:
    """Results brought together from a folder, or the header of a ``raw.csv``."""
    if source.is_json:
        return source.head.lstrip("{ \n").startswith('"criterion"')
    return set(_TABLE) <= set(source.head.split("\n", 1)[0].strip().split(","))


def read(source: Source) -> Reading:
    """One turn: nothing tells the order of what a folder holds.

    Raises:
        DataFault: a sample is not criterion's, or its unit is no time.
    """
    if not source.is_json:
        return _reading(source, _rows(source), [])
    found: dict[str, NDArray[np.float64]] = {}
    summaries: list[str] = []
    unit = UNITS[source.unit or "ns"]
    for number, one in enumerate(source.items(source.document.get("criterion"), "criterion")):
        about = source.mapping(one.get("benchmark"), f"result {number + 1}: benchmark.json")
        name = source.word(about.get("full_id"), f"result {number + 1}: full_id of benchmark.json")
        if (sample := one.get("sample")) is None:
            summaries.append(name)
        elif name in found:
            raise source.fault(f"it holds {name} twice")
        else:
            found[name] = _each(source, source.mapping(sample, f"{name}: sample.json"), name) * unit
    return _reading(source, found, summaries)


def _reading(source: Source, found: dict[str, NDArray[np.float64]], summaries: list[str]) -> Reading:
    measurements = tuple(
        Measurements(contender="", operation=name, values=source.checked(values, name), starts=1, turn=0)
        for name, values in found.items()
    )
    return Reading(measurements, {}, tuple(summaries), events="samples")


def _each(source: Source, sample: dict[str, Any], name: str) -> NDArray[np.float64]:
    """The time of one iteration, by sample, in the unit of the file."""
    times, iterations = sample.get("times"), sample.get("iters")
    if not isinstance(times, list) or not isinstance(iterations, list) or len(times) != len(iterations):
        raise source.fault(f"{name}: times and iters of sample.json are not two lists of one length")
    return _divided(source, source.numbers(times, f"{name}: times"), source.numbers(iterations, f"{name}: iters"), name)


def _divided(
    source: Source, times: NDArray[np.float64], iterations: NDArray[np.float64], name: str
) -> NDArray[np.float64]:
    if not (iterations >= 1).all():
        raise source.fault(f"{name}: a sample has no iteration")
    return times / iterations


def _rows(source: Source) -> dict[str, NDArray[np.float64]]:
    """The time of one iteration in seconds, by benchmark."""
    rows: dict[str, list[tuple[float, float]]] = {}
    try:
        for row in csv.DictReader(source.text.splitlines()):
            name = "/".join(word for key in ("group", "function", "value") if (word := row.get(key)))
            if (unit := row["unit"]) not in UNITS:
                raise source.fault(f"{name} is measured in {str(unit)[:40]}", remedy="weigh judge compares times")
            value, iterations = float(row["sample_measured_value"]), float(row["iteration_count"])
            rows.setdefault(name or "benchmark", []).append((value * UNITS[unit], iterations))
    except (csv.Error, KeyError, TypeError, ValueError):
        raise source.fault("a row of it is not of a raw.csv of criterion") from None
    if not rows:
        raise source.fault("it has a header and no rows")
    table = {name: np.array(arrays) for name, arrays in rows.items()}
    return {name: _divided(source, array[:, 0], array[:, 1], name) for name, array in table.items()}
