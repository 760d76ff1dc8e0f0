"""sysbench: the report at its end, of versions 0.4 to 1.1."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Latency, Part, Published, Rate
from weigh.audit.text import number, percentile, step

if TYPE_CHECKING:
    from weigh.audit.text import Text

NAME = "sysbench"
_EVENTS = re.compile(r"total number of events:")
_AFTER = re.compile(
    r"^[ \t]*(?:min|avg|max|sum|total time taken by event execution|(?:events|execution time) \(avg/stddev\)"
    r"|(?:approx\.[ \t]*)?\d{1,3}(?:th|st|nd|rd)? percentile):.*$",
    re.MULTILINE,
)
"""The lines of a report behind its number of events."""
_PERCENTILE = re.compile(r"\b(\d{1,3})(?:th|st|nd|rd)? percentile:\s*([\d.]+)")
_BUCKET = 0.0091
"""Share by which a percentile may be off: 1024 buckets from 0.001 to 100,000 ms, to the nearest (sb_histogram.c)."""
_LAST = 100.0
"""Seconds of the last bucket: what is slower is counted in it, too."""


def recognises(text: Text) -> bool:
    """Its table of what was executed."""
    return "total number of events:" in text.text and ("queries performed:" in text.text or "sysbench" in text.text)


def read(text: Text) -> list[Published]:
    """One result for each report in the file."""
    return [_report(before, report) for before, report in text.reports(_EVENTS, _AFTER)]


def _report(before: Text, text: Text) -> Published:
    """Its options and counts stand before the number of events, its times behind it."""
    threads = before.number(r"Number of threads: #") or before.number(r"--threads=#") or before.number(r"threads: #")
    count, rate = before.number(r"transactions:\s+#"), before.number(r"transactions:\s+[\d.]+\s+\(# per sec")
    took = before.number(r"(?:total time|time elapsed):\s+#s")
    events = text.number(r"total number of events:\s+#")
    mean = text.word(r"^[ \t]*avg:\s*([\d.]+)")
    total = text.number(r"^[ \t]*sum:\s*#")
    total = total * 1e-3 if total else text.number(r"total time taken by event execution:\s*#")
    errors = before.number(r"ignored errors:\s+#")
    command = before.command("sysbench", "run")
    found = re.search(r"--rate=(\d{1,12})\b", command)
    limited = before.number(r"Target transaction rate: #") or (number(found[1]) if found else None)
    percentiles = {
        rank: value * 1e-3
        for name, given in _PERCENTILE.findall(text.text)
        if (rank := percentile(name)) is not None and (value := number(given)) is not None
    }
    beyond = [f"p{rank:g}" for rank, value in percentiles.items() if value >= _LAST]
    latency = Latency(
        name="transactions",
        count=events,
        mean=_milliseconds(mean),
        least=_milliseconds(text.word(r"^[ \t]*min:\s*([\d.]+)")),
        most=_milliseconds(text.word(r"^[ \t]*max:\s*([\d.]+)")),
        total=total,
        percentiles={rank: value for rank, value in percentiles.items() if value < _LAST},
        step=step(mean, 1e-3) if mean else 0.0,
        share=_BUCKET,
    )
    return Published(
        form=NAME,
        file=text.name,
        benchmark=_benchmark(before),
        version=before.word(r"sysbench ([\d.]+)"),
        loop="open" if limited or "--rate=" in command else "closed",
        clients=threads,
        offered=limited,
        rate=rate,
        seconds=took,
        warm_up=before.number(r"warmup-time=#"),
        errors=errors,
        latencies=(latency,),
        rates=_rates(count, rate, took),
        parts=_parts(before),
        lacks={"L1": f"{', '.join(beyond)} is at the end of its histogram, 100 s: it is longer"} if beyond else {},
    )


def _benchmark(before: Text) -> str:
    """Its script or test. Without queries it asks no engine."""
    # A page names tests of other tools, too.
    command = before.of_command("sysbench", "run")
    named = command.word(r"\b((?:oltp|select|tpcc)[\w.]*)\b") or before.word(r"--test=[\w./]{0,80}?(\w+)(?:\.lua)?\s")
    return named or ("OLTP" if "queries performed:" in before.text else "a test without queries")


def _milliseconds(value: str) -> float | None:
    found = number(value or None)
    return found * 1e-3 if found is not None else None


def _rates(count: float | None, rate: float | None, took: float | None) -> tuple[Rate, ...]:
    if count is None or rate is None or not took:
        return ()
    return (Rate(name="transactions", count=count, seconds=took, rate=rate),)


def _parts(text: Text) -> tuple[Part, ...]:
    kinds = {name: text.number(rf"^[ \t]*{name}:[ \t]+#[ \t\r]*$") for name in ("read", "write", "other")}
    total = text.number(r"^[ \t]*total:[ \t]+#[ \t\r]*$")
    if total is None or None in kinds.values():
        return ()
    return (Part(name="queries", total=total, parts={name: value or 0.0 for name, value in kinds.items()}),)
