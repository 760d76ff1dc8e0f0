"""k6: the summary of ``handleSummary`` and of ``--summary-export``; lines of ``--out json`` are for ``weigh judge``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from weigh.audit.published import Latency, Part, Published, Rate
from weigh.audit.text import number, percentile, table

if TYPE_CHECKING:
    from weigh.audit.text import Text

NAME = "k6"
_RANK = re.compile(r"p\(([\d.]+)\)")
_TIMES = ("http_req_duration", "grpc_req_duration", "iteration_duration")


def recognises(text: Text) -> bool:
    """Metrics with one of its times."""
    return any(name in table(text.object.get("metrics")) for name in (*_TIMES, "iterations"))


def read(text: Text) -> list[Published]:
    """One result."""
    metrics = {name: _values(one) for name, one in table(text.object["metrics"]).items()}
    name = next((name for name in _TIMES if name in metrics), "")
    took = number(table(text.object.get("state")).get("testRunDurationMs"))
    took = took * 1e-3 if took else None
    requests = metrics.get("http_reqs") or metrics.get("iterations") or {}
    count, rate = number(requests.get("count")), number(requests.get("rate"))
    failed = metrics.get("http_req_failed", {})
    share, passes = number(failed.get("rate", failed.get("value"))), number(failed.get("passes"))
    return [
        Published(
            form=NAME,
            file=text.name,
            benchmark="requests of a script",
            workload="http",
            clients=number(metrics.get("vus_max", {}).get("max", metrics.get("vus_max", {}).get("value"))),
            # An iteration may send several requests, and batches of them.
            pipelined=True,
            rate=rate,
            seconds=took,
            errors=passes if passes is not None else share * count if share is not None and count is not None else None,
            latencies=(_latency(name, metrics[name], count),) if name else (),
            rates=(Rate(name="requests", count=count, seconds=took, rate=rate),) if count and took and rate else (),
            parts=tuple(_parts(failed, count)),
            lacks={"L2": "k6 counts a request from its sending, and the summary does not say by which executor"},
        )
    ]


def _values(one: object) -> dict[str, Any]:
    found = table(one)
    return table(found.get("values")) or found


def _latency(name: str, values: dict[str, Any], count: float | None) -> Latency:
    def time(key: str) -> float | None:
        value = number(values.get(key))
        return value * 1e-3 if value is not None else None

    ranks = {
        rank: key
        for key in values
        if (found := _RANK.fullmatch(key)) and (rank := percentile(found[1])) is not None and rank < 100.0
    }
    percentiles = {rank: value for rank, key in ranks.items() if (value := time(key)) is not None}
    if (median := time("med")) is not None:
        percentiles[50.0] = median
    return Latency(
        name=name,
        count=count if name.startswith("http") else None,
        mean=time("avg"),
        least=time("min"),
        most=time("max"),
        percentiles=percentiles,
    )


def _parts(failed: dict[str, Any], count: float | None) -> list[Part]:
    passes, fails = number(failed.get("passes")), number(failed.get("fails"))
    if count is None or passes is None or fails is None:
        return []
    # Where a script sets a responseCallback of null, requests are neither.
    return [Part(name="requests", total=count, parts={"failed": passes, "not failed": fails}, incomplete=True)]
