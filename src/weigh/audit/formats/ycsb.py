"""YCSB: the text that it prints at its end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Contradiction, Latency, Published, Rate
from weigh.audit.text import number, percentile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.audit.text import Text

NAME = "YCSB"
_LINE = re.compile(r"^[ \t]*\[([\w%-]+)\], ([^,\n]+), ([-\d.eE+]+)[ \t\r]*$", re.MULTILINE)
_WHOLE = re.compile(r"^[ \t]*\[OVERALL\], (?:RunTime\(ms\)|Throughput)", re.MULTILINE)
_BEGINS = re.compile(r"^[ \t]*\[OVERALL\], RunTime\(ms\)", re.MULTILINE)
_RANK = re.compile(r"([\d.]+)(?:st|nd|rd|th)?PercentileLatency\(us\)")
_OVERALL = "OVERALL"
_BOTH = "READ-MODIFY-WRITE"
"""One operation that is counted as a read and as an update, too."""
_KINDS = ("READ", "UPDATE", "INSERT", "SCAN", "DELETE", _BOTH)
_STEP = 0.5e-6
_BUCKET = 1e-3
"""Seconds of a bucket of measurementtype=histogram, of which it prints the lower end in microseconds."""


def recognises(text: Text) -> bool:
    """Its first line of the whole."""
    return bool(_WHOLE.search(text.text))


def read(text: Text) -> list[Published]:
    """One result for each report in the file."""
    marks = _BEGINS if _BEGINS.search(text.text) else _WHOLE
    return [_report(before, report) for before, report in text.reports(marks, _LINE)]


def _report(before: Text, text: Text) -> Published:
    values: dict[str, dict[str, float]] = {}
    for kind, what, value in _LINE.findall(text.text):
        found = number(value)
        if found is not None:
            values.setdefault(kind, {})[what.strip()] = found
    overall = values.get(_OVERALL, {})
    took, rate = overall.get("RunTime(ms)"), overall.get("Throughput(ops/sec)")
    took = took * 1e-3 if took is not None else None
    failed = sum(_operations(values, kind) for kind in values if _failed(kind))
    wrong = sum(value for one in values.values() for what, value in one.items() if _is_error(what))
    intended = any(kind.startswith("Intended-") for kind in values)
    command = _last_command(before)
    target = command.number(r"-target[ =]#") or command.number(r"\btarget=#")
    # Both a limit of the rate and times from the intended moment make the times longer than a thread was busy.
    open_loop = bool(intended or target or re.search(r"-target\b|\btarget=|measurement\.interval", before.text))
    latencies = [
        _latency(kind, one) for kind, one in values.items() if kind.removeprefix("Intended-") in _KINDS or _failed(kind)
    ]
    named = command.word(r"(workload[a-f])\b")
    return Published(
        form=NAME,
        file=text.name,
        benchmark=f"YCSB, {named}" if named else "YCSB",
        system=command.word(r"site\.ycsb\.db\.(\w+)"),
        workload=f"ycsb-{named[-1:] or 'a'}",
        loop="open" if open_loop else "closed",
        clients=command.number(r"-threads[ =]#") or command.number(r"threadcount=#"),
        offered=target,
        rate=rate,
        seconds=took,
        errors=max(failed, wrong) or None,
        latencies=tuple(latencies),
        rates=_rates(values, max(failed, wrong), took, rate),
        shows={"L2": "times from the intended moment are in it"} if intended else {},
        contradicted=tuple(_contradictions(values)),
    )


def _last_command(before: Text) -> Text:
    """The command that made a report; all that stands before it where no line is a command."""
    line = before.command("ycsb") or before.command("Command line")
    at = before.text.rfind(line) if line else -1
    return before.part(at, at + len(line)) if at >= 0 else before


def _operations(values: dict[str, dict[str, float]], kind: str) -> float:
    return values.get(kind, {}).get("Operations", 0.0)


def _failed(kind: str) -> bool:
    """Whether it is of operations that failed: READ-FAILED, or READ-NOT_FOUND where errors are counted apart."""
    return any(kind.startswith(f"{one}-") for one in _KINDS if one != _BOTH) and not kind.startswith(_BOTH)


def _is_error(what: str) -> bool:
    """Whether it counts answers that are errors; 0 is what old versions call OK."""
    return what.startswith("Return=") and "OK" not in what and what != "Return=0"


def _rates(
    values: dict[str, dict[str, float]], failed: float, took: float | None, rate: float | None
) -> tuple[Rate, ...]:
    answered = sum(_operations(values, kind) for kind in _KINDS if kind != _BOTH) - _operations(values, _BOTH)
    if answered + failed <= 0 or not took or not rate:
        return ()
    # An insert that fails is tried again: its failures may be operations of the whole, or not.
    count = min(max(rate * took, answered), answered + failed)
    return (Rate(name="all operations", count=count, seconds=took, rate=rate),)


def _latency(kind: str, values: dict[str, float]) -> Latency:
    def time(name: str) -> float | None:
        return values[name] * 1e-6 if name in values else None

    percentiles = {
        rank: value * 1e-6
        for what, value in values.items()
        if (found := _RANK.fullmatch(what)) and (rank := percentile(found[1])) is not None and rank < 100.0
    }
    return Latency(
        name=kind.lower(),
        count=values.get("Operations"),
        mean=time("AverageLatency(us)"),
        least=time("MinLatency(us)"),
        most=time("MaxLatency(us)"),
        percentiles=percentiles,
        step=_STEP,
        # Whole milliseconds alone come of buckets.
        width=_BUCKET if all(_is_whole(value) for value in percentiles.values()) else 0.0,
    )


def _is_whole(time: float) -> bool:
    return abs(time / _BUCKET - round(time / _BUCKET)) < 1e-6


def _contradictions(values: dict[str, dict[str, float]]) -> Iterator[Contradiction]:
    for kind, one in values.items():
        operations = one.get("Operations")
        if operations is None:
            continue
        # What failed returned, too, and its times stand apart: where they were left out, only what is OK is counted.
        apart = [other for other in values if other.startswith(f"{kind}-") and _failed(other)] if kind in _KINDS else []
        operations += sum(_operations(values, other) for other in apart)
        is_whole = bool(apart) or kind not in _KINDS
        returned = [
            value for what, value in one.items() if what.startswith("Return=") and (is_whole or not _is_error(what))
        ]
        if returned and sum(returned) > operations * 1.01 + 1:
            text = f"{kind.lower()}: {operations:,.0f} operations returned {sum(returned):,.0f} times"
            yield Contradiction(row="L7", text=text)
