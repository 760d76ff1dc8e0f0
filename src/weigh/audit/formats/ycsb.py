"""YCSB: the text that it prints at its end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Contradiction, Latency, Published, Rate
from weigh.audit.text import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.audit.text import Text

NAME = "YCSB"
_LINE = re.compile(r"^\s*\[([\w%-]+)\], ([^,\n]+), ([-\d.eE+]+)\s*$", re.MULTILINE)
_RANK = re.compile(r"([\d.]+)(?:st|nd|rd|th)?PercentileLatency\(us\)")
_OVERALL = "OVERALL"
_KINDS = ("READ", "UPDATE", "INSERT", "SCAN", "DELETE", "READ-MODIFY-WRITE")
_STEP = 0.5e-6


def recognises(text: Text) -> bool:
    """Its first line of the whole."""
    return bool(re.search(r"^\s*\[OVERALL\], (?:RunTime\(ms\)|Throughput)", text.text, re.MULTILINE))


def read(text: Text) -> list[Published]:
    """One result."""
    values: dict[str, dict[str, float]] = {}
    for kind, what, value in _LINE.findall(text.text):
        found = number(value)
        if found is not None:
            values.setdefault(kind, {})[what.strip()] = found
    overall = values.get(_OVERALL, {})
    took, rate = overall.get("RunTime(ms)"), overall.get("Throughput(ops/sec)")
    took = took * 1e-3 if took is not None else None
    count = sum(one.get("Operations", 0.0) for kind, one in values.items() if kind in _KINDS)
    failed = sum(one.get("Operations", 0.0) for kind, one in values.items() if kind.endswith("-FAILED"))
    wrong = any("Return=" in what and "OK" not in what for one in values.values() for what in one)
    intended = any(kind.startswith("Intended-") for kind in values)
    target = text.number(r"-target[ =]#") or text.number(r"target=#")
    latencies = [_latency(kind, one) for kind, one in values.items() if kind.removeprefix("Intended-") in _KINDS]
    loop = "open" if intended or target else "closed"
    named = text.word(r"(workload[a-f])\b")
    return [
        Published(
            form=NAME,
            file=text.name,
            benchmark=f"YCSB, {named}" if named else "YCSB",
            system=text.word(r"site\.ycsb\.db\.(\w+)"),
            workload=f"ycsb-{named[-1:] or 'a'}",
            loop="open" if loop == "open" else "closed",
            clients=text.number(r"-threads[ =]#") or text.number(r"threadcount=#"),
            offered=target,
            rate=rate,
            seconds=took,
            errors=failed if failed or wrong else None,
            latencies=tuple(latencies),
            rates=(Rate(name="all operations", count=count, seconds=took, rate=rate),)
            if count and took and rate
            else (),
            shows={"L2": "times from the intended moment are in it"} if intended else {},
            contradicted=tuple(_contradictions(values)),
        )
    ]


def _latency(kind: str, values: dict[str, float]) -> Latency:
    def time(name: str) -> float | None:
        return values[name] * 1e-6 if name in values else None

    return Latency(
        name=kind.lower(),
        count=values.get("Operations"),
        mean=time("AverageLatency(us)"),
        least=time("MinLatency(us)"),
        most=time("MaxLatency(us)"),
        percentiles={
            float(found[1]): value * 1e-6
            for what, value in values.items()
            if (found := _RANK.fullmatch(what)) and float(found[1]) < 100.0
        },
        step=_STEP,
    )


def _contradictions(values: dict[str, dict[str, float]]) -> Iterator[Contradiction]:
    for kind, one in values.items():
        returned = [value for what, value in one.items() if what.startswith("Return=")]
        operations = one.get("Operations")
        if returned and operations is not None and sum(returned) > operations * 1.01 + 1:
            text = f"{kind.lower()}: {operations:,.0f} operations returned {sum(returned):,.0f} times"
            yield Contradiction(row="L7", text=text)
