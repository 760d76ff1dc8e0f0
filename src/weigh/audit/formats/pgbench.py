"""pgbench: the report at its end; its logs (``-l``) are for ``weigh judge``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Latency, Published, Rate
from weigh.audit.text import number, step

if TYPE_CHECKING:
    from weigh.audit.text import Text

NAME = "pgbench"
_REPORT = re.compile(r"^\**transaction type:", re.MULTILINE)


def recognises(text: Text) -> bool:
    """Its report."""
    return bool(_REPORT.search(text.text)) and "number of transactions actually processed" in text.text


def read(text: Text) -> list[Published]:
    """One result for each report in the file."""
    starts = [found.start() for found in _REPORT.finditer(text.text)]
    version = text.word(r"pgbench \(([\w.]+)")
    return [
        _report(text, text.text[start:end], version)
        for start, end in zip(starts, [*starts[1:], len(text.text)], strict=True)
    ]


def _report(text: Text, report: str, version: str) -> Published:
    def one(pattern: str) -> str:
        found = re.search(pattern, report)
        return found[1] if found else ""

    clients, scale = number(one(r"number of clients: ([\d]+)")), number(one(r"scaling factor: ([\d]+)"))
    count, took = number(one(r"actually processed: (\d+)")), number(one(r"duration: (\d+) s"))
    rate = number(one(r"tps = ([\d.]+) \((?:excluding|without)") or one(r"tps = ([\d.]+)"))
    mean, most = one(r"latency average[ =:]+([\d.]+) ms"), one(r"latency maximum[ =:]+([\d.]+) ms")
    limited = "rate limit schedule lag" in report or "schedule lag" in report
    offered = number(one(r"(?:-R|--rate[= ])\s*([\d.]+)"))
    latency = Latency(
        name="transactions",
        count=count,
        mean=(number(mean) or 0.0) * 1e-3 if mean else None,
        most=(number(most) or 0.0) * 1e-3 if most else None,
        step=step(mean, 1e-3) if mean else 0.0,
    )
    lacks = {}
    if clients and scale and clients > scale and "TPC-B" in report:
        lacks["L5"] = f"{clients:.0f} clients update {scale:.0f} rows of branches: they measure waiting for each other"
    return Published(
        form=NAME,
        file=text.name,
        benchmark=one(r"transaction type: (.+?)\**\n") or "pgbench",
        system="PostgreSQL",
        version=version,
        workload="tpcb-like" if "TPC-B" in report else "",
        scale=scale,
        loop="open" if limited else "closed",
        clients=clients,
        offered=offered,
        rate=rate,
        seconds=took,
        errors=number(one(r"number of failed transactions: (\d+)") or None),
        latencies=(latency,) if mean else (),
        rates=(Rate(name="transactions", count=count, seconds=took, rate=rate),) if count and took and rate else (),
        lacks=lacks,
        shows={"R7": 'it says "TPC-B (sort of)", which is no TPC result'} if "sort of" in report else {},
    )
