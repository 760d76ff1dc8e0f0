"""JMH: ``-rf json``.

A fork is a process of its own, and the forks of one file come one after another. With ``-f 0`` the harness itself
measures: one start. The JSON has neither a date nor a machine, and a benchmark that failed is not in it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.judge.formats.reading import Reading
from weigh.judge.formats.source import UNITS
from weigh.judge.measurements import Measurements

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.judge.formats.source import Source

HOW = """\
for i in $(seq 10); do
  if [ $((i % 2)) = 1 ]; then order="old new"; else order="new old"; fi
  for v in $order; do java -jar $v.jar -f 1 -rf json -rff $v$i.json; done
done
weigh judge --baseline old --interleaved old*.json new*.json"""

_UNITS = {**UNITS, "min": 60.0, "hr": 3600.0, "day": 86400.0}
_AVERAGE = "avgt"


def recognises(source: Source) -> bool:
    """A JSON list of objects with what every version of JMH writes first; older ones do not name themselves."""
    head = source.head.lstrip()
    named = '"jmhVersion"' in head or all(f'"{key}"' in head for key in ("benchmark", "mode", "forks"))
    return source.is_json and head.startswith("[") and named


def read(source: Source) -> Reading:
    """One turn: the forks of a file follow one another.

    Raises:
        DataFault: the document is not JMH's, or its scores are neither times nor operations a time.
    """
    results = source.items(source.listing, "its JSON")
    if not results:
        raise source.fault("it has no benchmark")
    named = [source.word(one.get("benchmark"), f"[{number}].benchmark") for number, one in enumerate(results)]
    short = {name: ".".join(name.split(".")[-2:]) for name in named}
    often = Counter(short.values())
    measurements: list[Measurements] = []
    summaries: list[str] = []
    for number, (one, name) in enumerate(zip(results, named, strict=True)):
        operation = _operation(source, one, short[name] if often[short[name]] == 1 else name, f"[{number}]")
        metric = source.mapping(one.get("primaryMetric"), f"[{number}].primaryMetric")
        forks = _forks(source, metric, operation)
        if not forks:
            summaries.append(operation)
            continue
        seconds = _seconds(source, np.concatenate(forks), metric.get("scoreUnit"), operation)
        measurements.append(Measurements(contender="", operation=operation, values=seconds, starts=len(forks), turn=0))
    return Reading(tuple(measurements), {}, tuple(summaries), events="iterations")


def _operation(source: Source, one: dict[str, Any], name: str, where: str) -> str:
    """A benchmark with what makes its score another figure: parameters, a mode other than avgt, several threads."""
    params = source.mapping(one.get("params", {}), f"{where}.params")
    words = [name, *(f"{key}={value}" for key, value in params.items())]
    if (mode := one.get("mode", _AVERAGE)) != _AVERAGE:
        words.append(source.word(mode, f"{where}.mode"))
    if (threads := one.get("threads", 1)) != 1:
        words.append(f"{threads} threads")
    return " ".join(words)


def _forks(source: Source, metric: dict[str, Any], name: str) -> list[NDArray[np.float64]]:
    """One figure for every iteration of every fork; of sampled times the mean of the iteration's."""
    raw, sampled = metric.get("rawData"), metric.get("rawDataHistogram")
    if isinstance(raw, list):
        return [source.numbers(_list(source, fork, name), f"{name}: rawData") for fork in raw]
    if isinstance(sampled, list):
        return [np.array([_mean(source, one, name) for one in _list(source, fork, name)]) for fork in sampled]
    return []


def _mean(source: Source, iteration: object, name: str) -> float:
    """The mean of an iteration's histogram: pairs of a value and how often it was observed."""
    pairs = [_list(source, pair, name) for pair in _list(source, iteration, name)]
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise source.fault(f"{name}: rawDataHistogram is not made of values and counts")
    values = source.numbers((pair[0] for pair in pairs), f"{name}: rawDataHistogram")
    counts = source.numbers((pair[1] for pair in pairs), f"{name}: rawDataHistogram")
    if not counts.sum() > 0:
        raise source.fault(f"{name}: an iteration of rawDataHistogram holds no value")
    return float((values * counts).sum() / counts.sum())


def _list(source: Source, value: object, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise source.fault(f"{name}: its raw data are not lists")
    return value


def _seconds(source: Source, found: NDArray[np.float64], unit: object, name: str) -> NDArray[np.float64]:
    """Seconds for an operation: of a throughput its reciprocal, the time in which all threads complete one."""
    over, _, under = unit.partition("/") if isinstance(unit, str) else ("", "", "")
    if under == "op" and over in _UNITS:
        return source.checked(found * _UNITS[over], name)
    if over == "ops" and under in _UNITS:
        if not (found > 0).all():
            raise source.fault(f"{name}: an iteration completed no operation", remedy="measure longer iterations")
        return source.checked(_UNITS[under] / found, name)
    raise source.fault(f"{name} is measured in {str(unit)[:40]}", remedy="weigh judge compares times")
