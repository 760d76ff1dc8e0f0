"""BenchBox: bundles of version 2, one JSON document."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from weigh.audit.published import Contradiction, Published
from weigh.audit.text import number, rows, table, word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.audit.text import Text

NAME = "BenchBox"
_EXPECTED = {"tpch": 22, "tpcds": 99}
_ROUNDED = 0.001
"""Seconds to which it rounds times."""
_SLACK = 0.05
_NOT_RUN = "NOT_RUN"


def recognises(text: Text) -> bool:
    """Its three tables."""
    return {"run", "benchmark", "platform"} <= text.object.keys() and "queries" in text.object


def read(text: Text) -> list[Published]:
    """One result."""
    document = text.object
    run, benchmark, platform = (table(document[name]) for name in ("run", "benchmark", "platform"))
    summary = table(document.get("summary"))
    queries = [table(one) for one in rows(document["queries"])]
    times: dict[str, list[float | None]] = {}
    for one in queries:
        if word(one.get("run_type")) in ("", "measurement"):
            milliseconds = number(one.get("ms"))
            passed = word(one.get("status")).upper() in ("", "SUCCESS", "PASSED") and milliseconds is not None
            times.setdefault(word(str(one.get("id", ""))), []).append(milliseconds * 1e-3 if passed else None)  # type: ignore[operator]
    kind = word(benchmark.get("id"))
    config = table(platform.get("config"))
    return [
        Published(
            form=NAME,
            file=text.name,
            benchmark=word(benchmark.get("name")) or kind,
            system=word(platform.get("name")),
            version=word(platform.get("version")),
            workload=kind if kind in _EXPECTED else "",
            scale=number(benchmark.get("scale_factor")),
            configuration=", ".join(sorted(config)) if config else "",
            date=word(run.get("timestamp")),
            times={name: tuple(values) for name, values in times.items()},
            expected=_EXPECTED.get(kind, 0),
            shows=_shows(summary, config),
            contradicted=tuple(_contradictions(document, summary, queries)),
        )
    ]


def _shows(summary: dict[str, Any], config: dict[str, Any]) -> dict[str, str]:
    found = {}
    if config.get("result_cache_enabled") is False:
        found["A9"] = "it says that the result cache was off; nothing in it was read back from the engine"
    load = number(table(summary.get("data")).get("load_time_ms"))
    if load is not None:
        found["D9"] = f"loading took {load / 1e3:.3g} s"
    return found


def _contradictions(
    document: dict[str, Any], summary: dict[str, Any], queries: list[dict[str, Any]]
) -> Iterator[Contradiction]:
    phases = {name: word(table(one).get("status")).upper() for name, one in table(document.get("phases")).items()}
    if word(summary.get("validation")).lower() == "passed" and phases.get("validation") == _NOT_RUN:
        yield Contradiction(row="A8", text='it says validation "passed", and its phase of validation is NOT_RUN')
    metrics = table(summary.get("tpc_metrics"))
    for metric, phase in (("power_at_size", "power_test"), ("throughput_at_size", "throughput_test")):
        if number(metrics.get(metric)) is not None and phases.get(phase) == _NOT_RUN:
            yield Contradiction(row="R7", text=f"it gives the TPC metric {metric}, and its phase {phase} is NOT_RUN")
    named = {word(str(one.get("id", ""))) for one in queries}
    whole = _EXPECTED.get(word(table(document.get("benchmark")).get("id")), 0)
    if number(metrics.get("power_at_size")) is not None and 0 < len(named) < whole:
        text = f"it gives the TPC metric power_at_size, which is of {whole} queries, and lists {len(named)}"
        yield Contradiction(row="R7", text=text)
    counted = table(summary.get("queries"))
    total, passed, failed = (number(counted.get(name)) for name in ("total", "passed", "failed"))
    if total is not None and passed is not None and failed is not None and passed + failed != total:
        text = f"{total:.0f} executions are {passed:.0f} that passed and {failed:.0f} that failed"
        yield Contradiction(row="R1", text=text)
    measured = [one for one in queries if word(one.get("run_type")) in ("", "measurement")]
    if total is not None and measured and len(measured) != total:
        yield Contradiction(row="R1", text=f"it counts {total:.0f} executions, and lists {len(measured)}")
    wrong = [one for one in measured if word(one.get("status")).upper() not in ("", "SUCCESS", "PASSED")]
    if failed is not None and len(wrong) > failed:
        yield Contradiction(row="R1", text=f"it counts {failed:.0f} failed executions, and lists {len(wrong)}")
    yield from _summaries(table(summary.get("timing")), measured)


def _summaries(timing: dict[str, Any], measured: list[dict[str, Any]]) -> Iterator[Contradiction]:
    """The figures of the summary against the executions that it lists."""
    times = [value for one in measured if (value := number(one.get("ms"))) is not None and value >= 0]
    if not times:
        return
    computed = {
        "avg_ms": sum(times) / len(times),
        "min_ms": min(times),
        "max_ms": max(times),
        "total_ms": sum(times),
    }
    # Times in whole milliseconds may be 0, of which there is none.
    if min(times) > 0:
        computed["geometric_mean_ms"] = math.exp(sum(map(math.log, times)) / len(times))
    for name, value in computed.items():
        given = number(timing.get(name))
        slack = _SLACK * value + _ROUNDED * 1e3 * (len(times) if name == "total_ms" else 1)
        if given is not None and abs(given - value) > slack:
            yield Contradiction(
                row="R2", text=f"{name} is {given:g}, and the executions that it lists give {value:.4g}"
            )
