"""pgbench: the report at its end; its logs (``-l``) are for ``weigh judge``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Latency, Published, Rate
from weigh.audit.text import number, step, word

if TYPE_CHECKING:
    from weigh.audit.text import Text

NAME = "pgbench"
_REPORT = re.compile(r"^\**transaction type:", re.MULTILINE)
_END = re.compile(r"^tps = .*$", re.MULTILINE)
_COMMAND = r"pgbench(?! ?[(:])"
"""Its name, but where it begins the line of its version or a message."""
_OFFERED = re.compile(r"\s(?:-R\s*|--rate[= ])(\d[\d.]{0,20})(?=\s|$)")


def recognises(text: Text) -> bool:
    """Its report."""
    return bool(_REPORT.search(text.text)) and "number of transactions actually processed" in text.text


def read(text: Text) -> list[Published]:
    """One result for each report in the file."""
    version = text.word(r"pgbench \(([\w.]+)")
    return [_report(before, report, version) for before, report in text.reports(_REPORT, _END)]


def _report(before: Text, text: Text, version: str) -> Published:
    report = text.text

    def one(pattern: str) -> str:
        found = re.search(pattern, report)
        return found[1] if found else ""

    clients, scale = number(one(r"number of clients: ([\d]+)")), number(one(r"scaling factor: ([\d]+)"))
    count, took = number(one(r"actually processed: (\d+)")), number(one(r"duration: (\d+) s"))
    # Before version 14 it gives two rates, and the times and the duration are with connecting, as the first one is.
    rate = number(one(r"tps = ([\d.]+) \(including") or one(r"tps = ([\d.]+)"))
    connecting = (number(one(r"initial connection time = ([\d.]+) ms")) or 0.0) * 1e-3
    mean, most = one(r"latency average[ =:]+([\d.]+) ms"), one(r"latency maximum[ =:]+([\d.]+) ms")
    limited = "rate limit schedule lag" in report or "schedule lag" in report
    option = _OFFERED.search(before.command(_COMMAND))
    offered = number(option[1]) if option and limited else None
    latency = Latency(
        name="transactions",
        count=count,
        mean=(number(mean) or 0.0) * 1e-3 if mean else None,
        most=(number(most) or 0.0) * 1e-3 if most else None,
        step=_step(mean, report, connecting, took),
    )
    lacks = {}
    if clients and scale and clients > scale and "TPC-B" in report:
        lacks["L5"] = f"{clients:.0f} clients update {scale:.0f} rows of branches: they measure waiting for each other"
    return Published(
        form=NAME,
        file=text.name,
        benchmark=word(one(r"transaction type: (.+)").strip().rstrip("*")) or "pgbench",
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
        rates=_rates(count, took, connecting, rate),
        lacks=lacks,
        shows={"R7": 'it says "TPC-B (sort of)", which is no TPC result'} if "sort of" in report else {},
    )


def _step(mean: str, report: str, connecting: float, took: float | None) -> float:
    """What the mean may be off by: without a deviation it is the duration shared out, with connecting in it."""
    if not mean:
        return 0.0
    share = connecting / took if took and "latency stddev" not in report else 0.0
    return step(mean, 1e-3) + (number(mean) or 0.0) * 1e-3 * min(share, 1.0) / 2


def _rates(count: float | None, took: float | None, connecting: float, rate: float | None) -> tuple[Rate, ...]:
    """The duration begins before or behind connecting, by version; the rate leaves connecting out."""
    if not count or not took or not rate:
        return ()
    seconds = min(max(count / rate, took - connecting), took)
    return (Rate(name="transactions", count=count, seconds=seconds, rate=rate),)
