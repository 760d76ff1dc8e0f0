"""YCSB-cpp: what it prints at the end of a load or a run, and the last line of its status."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Latency, Published, Rate
from weigh.audit.text import number, percentile

if TYPE_CHECKING:
    from weigh.audit.text import Text

NAME = "YCSB-cpp"
_BEGINS = re.compile(r"^[ \t]*(?:Load|Run) runtime\(sec\):", re.MULTILINE)
_LINE = re.compile(r"^[ \t]*(?:Load|Run) (?:operations\(ops\)|throughput\(ops/sec\)):.*$", re.MULTILINE)
_STATUS = " operations;"
"""Behind it stand the kinds of requests, in the same line or in the next ones."""
_KIND = re.compile(r"\[([A-Z_-]{1,40}): (Count=[^\]\n]{1,400})\]")
_FIELD = re.compile(r"\b(Count|Max|Min|Avg|\d{1,3}(?:\.\d{1,9})?)=([\d.]{1,20}(?:e[+-]\d{1,3})?)")
_MICROSECOND = 1e-6
_STEP = 0.005 * _MICROSECOND
_SHARE = 1e-3
"""Of a percentile: its histogram keeps three digits."""


def recognises(text: Text) -> bool:
    """The first line of its end, and another."""
    return bool(_BEGINS.search(text.text) and _LINE.search(text.text))


def read(text: Text) -> list[Published]:
    """One result for each load and each run."""
    return [_report(before, report) for before, report in text.reports(_BEGINS, _LINE)]


def _report(before: Text, report: Text) -> Published:
    took, count, rate = (
        report.number(rf"(?:Load|Run) {what}: #")
        for what in (r"runtime\(sec\)", r"operations\(ops\)", r"throughput\(ops/sec\)")
    )
    command = before.of_command("ycsb")
    named = command.word(r"workloads?[/_]?([a-f])\b")
    return Published(
        form=NAME,
        file=before.name,
        benchmark=f"YCSB, workload{named}" if named else "YCSB",
        system=command.word(r"-db[ =](\w{1,40})"),
        workload=f"ycsb-{named or 'a'}",
        loop="closed",
        clients=command.number(r"-threads[ =]#") or command.number(r"threadcount=#"),
        offered=command.number(r"-target[ =]#") or command.number(r"limit\.ops=#"),
        rate=rate,
        seconds=took,
        latencies=tuple(
            _latency(kind, dict(_FIELD.findall(fields)))
            for kind, fields in _KIND.findall(before.text[max(before.text.rfind(_STATUS), 0) :])
        ),
        rates=(Rate(name="all operations", count=count, seconds=took, rate=rate),) if count and took and rate else (),
    )


def _latency(kind: str, fields: dict[str, str]) -> Latency:
    values = {name: value for name, given in fields.items() if (value := number(given)) is not None}
    mean, least, most = (values[name] * _MICROSECOND if name in values else None for name in ("Avg", "Min", "Max"))
    return Latency(
        name=kind.lower(),
        count=values.get("Count"),
        mean=mean,
        least=least,
        most=most,
        percentiles={
            rank: value * _MICROSECOND for name, value in values.items() if (rank := percentile(name)) is not None
        },
        step=_STEP,
        share=_SHARE,
    )
