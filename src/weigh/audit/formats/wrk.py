"""wrk and wrk2: the text at the end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Latency, Published, Rate
from weigh.audit.text import number, percentile, seconds

if TYPE_CHECKING:
    from weigh.audit.text import Text

NAME = "wrk"
_RUN = re.compile(r"^[ \t]*\d{1,9} threads and \d{1,9} connections", re.MULTILINE)
_END = re.compile(r"^[ \t]*(?:Requests|Transfer)/sec:.*$", re.MULTILINE)
_STATS = re.compile(r"^[ \t]*Latency[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)[ \t]+[\d.]+%", re.MULTILINE)
_RANK = re.compile(r"^[ \t]*([\d.]+)%[ \t]+([\d.]+(?:us|ms|s|m))\b", re.MULTILINE)
_ENDED = re.compile(r"\b(\d{1,20}) requests in ([\d.]+(?:us|ms|s|m|h))")
_UNCORRECTED = "Uncorrected Latency"
"""Heading of a second distribution, of ``wrk2 --u_latency``: the mean above is not of it."""
_OFFERED = re.compile(r"\s(?:-R\s*|--rate[= ])(\d{1,12})([kKmMgG]?)(?=\s|$)")
_METRIC = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
"""As wrk reads numbers: 10k requests are 10,000."""


def recognises(text: Text) -> bool:
    """Its threads and connections, and its rate."""
    return bool(_RUN.search(text.text)) and "Requests/sec:" in text.text


def read(text: Text) -> list[Published]:
    """One result for each run in the file."""
    runs = text.reports(_RUN, _END)
    return [_report(before, report) for before, report in runs if "Requests/sec:" in report.text]


def _report(before: Text, text: Text) -> Published:
    part = text.text
    stats, ended = _STATS.search(part), _ENDED.search(part)
    rate = number(found[1]) if (found := re.search(r"Requests/sec:\s*([\d.]+)", part)) else None
    found = _OFFERED.search(before.command("wrk2?"))
    offered = float(found[1]) * _METRIC[found[2].lower()] if found else None
    scheduled = "HdrHistogram" in part or offered is not None
    ranks = {
        rank: value
        for name, given in _RANK.findall(part.partition(_UNCORRECTED)[0])
        if (rank := percentile(name)) is not None and (value := seconds(given)) is not None
    }
    most = seconds(stats[3]) if stats else None
    latency = Latency(
        name="requests",
        mean=seconds(stats[1]) if stats else None,
        most=max([most or 0.0, ranks.pop(100.0, 0.0)]) or None,
        percentiles=ranks,
        step=0.005 * (most or 0.0),
    )
    count = number(ended[1]) if ended else None
    took = seconds(ended[2]) if ended else None
    errors = re.findall(r"(?:connect|read|write|timeout) (\d{1,20})", part) + re.findall(
        r"Non-2xx or 3xx responses: (\d{1,20})", part
    )
    return Published(
        form="wrk2" if scheduled else NAME,
        file=text.name,
        benchmark="HTTP requests",
        workload="http",
        loop="open" if scheduled else "closed",
        clients=text.number(r"threads and # connections"),
        # A script may send several requests at once.
        pipelined=True,
        offered=offered,
        rate=rate,
        seconds=took,
        errors=float(sum(map(int, errors))) if errors else 0.0,
        latencies=(latency,),
        rates=(Rate(name="requests", count=count, seconds=took, rate=rate),) if count and took and rate else (),
        shows={"L2": "times are counted from the moment at which a request was due"} if scheduled else {},
    )
