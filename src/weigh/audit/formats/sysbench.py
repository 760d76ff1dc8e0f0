"""sysbench: the report at its end, of versions 0.4 to 1.1."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Latency, Part, Published, Rate
from weigh.audit.text import number, step

if TYPE_CHECKING:
    from weigh.audit.text import Text

NAME = "sysbench"
_PERCENTILE = re.compile(r"(?:approx\.\s*)?(\d+)(?:th|st|nd|rd)? percentile:\s*([\d.]+)")


def recognises(text: Text) -> bool:
    """Its table of what was executed."""
    return "total number of events:" in text.text and ("queries performed:" in text.text or "sysbench" in text.text)


def read(text: Text) -> list[Published]:
    """One result."""
    threads = text.number(r"Number of threads: #") or text.number(r"--threads=#") or text.number(r"threads: #")
    count, rate = text.number(r"transactions:\s+#"), text.number(r"transactions:\s+[\d.]+\s+\(# per sec")
    took = text.number(r"(?:total time|time elapsed):\s+#s")
    events = text.number(r"total number of events:\s+#")
    mean = text.word(r"^\s*avg:\s*([\d.]+)")
    total = text.number(r"^\s*sum:\s*#")
    total = total * 1e-3 if total else text.number(r"total time taken by event execution:\s*#")
    errors = text.number(r"ignored errors:\s+#")
    limited = text.number(r"--rate=#") or text.number(r"Target transaction rate: #")
    latency = Latency(
        name="transactions",
        count=events,
        mean=_milliseconds(mean),
        least=_milliseconds(text.word(r"^\s*min:\s*([\d.]+)")),
        most=_milliseconds(text.word(r"^\s*max:\s*([\d.]+)")),
        total=total,
        percentiles={float(rank): (number(value) or 0.0) * 1e-3 for rank, value in _PERCENTILE.findall(text.text)},
        step=step(mean, 1e-3) if mean else 0.0,
    )
    return [
        Published(
            form=NAME,
            file=text.name,
            benchmark=text.word(r"\b((?:oltp|select|tpcc)[\w.]*)\b") or "OLTP",
            version=text.word(r"sysbench ([\d.]+)"),
            loop="open" if limited else "closed",
            clients=threads,
            offered=limited,
            rate=rate,
            seconds=took,
            warm_up=text.number(r"warmup-time=#"),
            errors=errors,
            latencies=(latency,),
            rates=_rates(count, rate, took),
            parts=_parts(text),
        )
    ]


def _milliseconds(value: str) -> float | None:
    found = number(value or None)
    return found * 1e-3 if found is not None else None


def _rates(count: float | None, rate: float | None, took: float | None) -> tuple[Rate, ...]:
    if count is None or rate is None or not took:
        return ()
    return (Rate(name="transactions", count=count, seconds=took, rate=rate),)


def _parts(text: Text) -> tuple[Part, ...]:
    kinds = {name: text.number(rf"^\s*{name}:\s+#\s*$") for name in ("read", "write", "other")}
    total = text.number(r"^\s*total:\s+#\s*$")
    if total is None or None in kinds.values():
        return ()
    return (Part(name="queries", total=total, parts={name: value or 0.0 for name, value in kinds.items()}),)
