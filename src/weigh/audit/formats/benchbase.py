"""BenchBase (OLTP-Bench): its ``summary.json``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Contradiction, Latency, Published, Rate
from weigh.audit.text import number, table, word

if TYPE_CHECKING:
    from weigh.audit.text import Text

NAME = "BenchBase"
_THROUGHPUT, _GOODPUT = "Throughput (requests/second)", "Goodput (requests/second)"
_NONE = -1.0
"""What it writes where nothing was measured."""
_RANK = re.compile(r"(\d+)(?:st|nd|rd|th) Percentile Latency \(microseconds\)")


def recognises(text: Text) -> bool:
    """Its throughput and its distribution."""
    return _THROUGHPUT in text.object and "Latency Distribution" in text.object


def read(text: Text) -> list[Published]:
    """One result."""
    document = text.object
    kind = word(document.get("Benchmark Type"))
    rate, good = number(document[_THROUGHPUT]), number(document.get(_GOODPUT))
    count = number(document.get("Measured Requests"))
    took = number(document.get("Elapsed Time (nanoseconds)"))
    took = took * 1e-9 if took else None
    wrong = []
    if rate is not None and good is not None and good > rate * 1.01:
        reason = f"a goodput of {good:g} a second is more than the throughput of {rate:g}"
        wrong.append(Contradiction(row="L7", text=reason))
    isolation = word(document.get("isolation"))
    return [
        Published(
            form=NAME,
            file=text.name,
            benchmark=kind,
            system=word(document.get("DBMS Type")),
            version=word(document.get("DBMS Version")),
            workload="tpcc" if kind == "tpcc" else "",
            scale=number(document.get("scalefactor")),
            # By its configuration it may be either, and the summary does not say.
            loop="",
            clients=number(document.get("terminals")),
            rate=rate,
            seconds=took,
            errors=(rate - good) * took if rate is not None and good is not None and took else None,
            latencies=(_latency(table(document["Latency Distribution"]), count),),
            rates=(Rate(name="requests", count=count, seconds=took, rate=rate),) if count and took and rate else (),
            shows={"L12": f"it names the isolation level {isolation}; that it was kept is not shown"}
            if isolation
            else {},
            contradicted=tuple(wrong),
        )
    ]


def _latency(values: dict[str, object], count: float | None) -> Latency:
    def time(name: str) -> float | None:
        value = number(values.get(f"{name} Latency (microseconds)"))
        return value * 1e-6 if value is not None and value != _NONE else None

    percentiles = {
        float(found[1]): value * 1e-6
        for name, given in values.items()
        if (found := _RANK.fullmatch(name)) and (value := number(given)) not in (None, _NONE)
    }
    if (median := time("Median")) is not None:
        percentiles[50.0] = median
    return Latency(
        name="requests",
        count=count,
        mean=time("Average"),
        least=time("Minimum"),
        most=time("Maximum"),
        percentiles=percentiles,
        step=0.5e-6,
    )
