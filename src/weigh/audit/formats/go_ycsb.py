"""go-ycsb: the lines of each kind of operation below "Run finished"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Latency, Published, Rate
from weigh.audit.text import number, percentile

if TYPE_CHECKING:
    from weigh.audit.text import Text

NAME = "go-ycsb"
_FINISHED = re.compile(r"^[ \t]*Run finished, takes (\S{1,40})", re.MULTILINE)
_LINE = re.compile(
    r"^[ \t]*(\w{1,40}) +- Takes\(s\): ([\d.]{1,20}), Count: (\d{1,20}), OPS: ([\d.]{1,20}), (.*)$", re.M
)
_FIELD = re.compile(r"(?:\b([\d.]{1,12})th|(Avg|Min|Max))\(us\): ([\d.]{1,20})")
_PART = re.compile(r"(\d{1,9}(?:\.\d{1,12})?)(h|m|s|ms|µs)(?![a-z])")
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6}
_ERROR, _ALL = "_ERROR", "TOTAL"
_BUCKET = 1e-3
"""Seconds of a bucket of its first versions, of which a percentile is an end."""


def recognises(text: Text) -> bool:
    """Its last line before the figures, and one of them."""
    return bool(_FINISHED.search(text.text) and _LINE.search(text.text))


def read(text: Text) -> list[Published]:
    """One result for each run that finished."""
    runs = list(text.reports(_FINISHED, _LINE))
    return [one for before, report in runs if (one := _report(before, report)) is not None]


def _report(before: Text, text: Text) -> Published | None:
    kinds = [(kind, one) for kind, *one in _LINE.findall(text.text)]
    if not kinds:
        return None
    operations = [(kind, one) for kind, one in kinds if not kind.endswith(_ERROR) and kind != _ALL]
    finished = _FINISHED.search(text.text)
    took = sum(float(value) * _UNITS[unit] for value, unit in _PART.findall(finished[1])) if finished else None
    line = before.of_command("go-ycsb", "run").of_command("go-ycsb")
    named = line.word(r"(workload[a-f])\b")
    return Published(
        form=NAME,
        file=text.name,
        benchmark=f"YCSB, {named}" if named else "YCSB",
        workload=f"ycsb-{named[-1:] or 'a'}",
        loop="closed",
        clients=line.number(r"--?threads[ =]#") or line.number(r"threadcount=#"),
        offered=line.number(r"--?target[ =]#") or line.number(r"\btarget=#"),
        rate=sum(float(rate) for _, (_, _, rate, _) in operations),
        seconds=took,
        errors=sum(float(count) for kind, (_, count, _, _) in kinds if kind.endswith(_ERROR)),
        latencies=tuple(_latency(kind, one[1], one[3]) for kind, one in operations),
        rates=tuple(
            Rate(name=kind.lower(), count=float(one[1]), seconds=float(one[0]), rate=float(one[2]))
            for kind, one in operations
        ),
    )


def _latency(kind: str, count: str, fields: str) -> Latency:
    times = {rank or what: (number(value) or 0.0) * 1e-6 for rank, what, value in _FIELD.findall(fields)}
    ranks = {rank: value for key, value in times.items() if (rank := percentile(key)) is not None}
    wide = all(abs(value / _BUCKET - round(value / _BUCKET)) < 1e-6 for value in ranks.values())
    return Latency(
        name=kind.lower(),
        count=float(count),
        mean=times.get("Avg"),
        least=times.get("Min") if not wide else None,
        most=times.get("Max"),
        percentiles=ranks,
        step=0.5e-6,
        coarse=wide,
        width=_BUCKET if wide else 0.0,
    )
