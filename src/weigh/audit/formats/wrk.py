"""wrk and wrk2: the text at the end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Latency, Published, Rate
from weigh.audit.text import number, seconds

if TYPE_CHECKING:
    from weigh.audit.text import Text

NAME = "wrk"
_RUN = re.compile(r"^\s*Running (\S+) test @ ", re.MULTILINE)
_STATS = re.compile(r"^\s*Latency\s+(\S+)\s+(\S+)\s+(\S+)\s+[\d.]+%", re.MULTILINE)
_RANK = re.compile(r"^\s*([\d.]+)%\s+([\d.]+(?:us|ms|s|m))\b", re.MULTILINE)
_ENDED = re.compile(r"(\d+) requests in ([\d.]+(?:us|ms|s|m|h))")


def recognises(text: Text) -> bool:
    """The line that it begins with, and its rate."""
    return bool(_RUN.search(text.text)) and "Requests/sec:" in text.text


def read(text: Text) -> list[Published]:
    """One result; of several runs in a file the first."""
    following = _RUN.search(text.text, next(_RUN.finditer(text.text)).end())
    part = text.text[: following.start() if following else None]
    stats, ended = _STATS.search(part), _ENDED.search(part)
    rate = number(found[1]) if (found := re.search(r"Requests/sec:\s*([\d.]+)", part)) else None
    offered = number(found[1]) if (found := re.search(r"wrk2?\b.*\s-R ?([\d.]+)", part)) else None
    scheduled = "HdrHistogram" in part or offered is not None
    ranks = {float(rank): value for rank, given in _RANK.findall(part) if (value := seconds(given)) is not None}
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
    errors = re.findall(r"(?:connect|read|write|timeout) (\d+)", part) + re.findall(
        r"Non-2xx or 3xx responses: (\d+)", part
    )
    return [
        Published(
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
    ]
