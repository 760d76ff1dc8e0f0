"""go-tpc and tiup bench: the summaries of TPC-C and TPC-H at their ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Contradiction, Latency, Published, Rate
from weigh.audit.text import number, percentile, step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.audit.text import Text

NAME = "go-tpc"
_SUMMARY = re.compile(r"\[Summary\] (\w+) - Takes\(s\): ([\d.]+), Count: (\d+), TPM: ([\d.]+), (.*)$", re.MULTILINE)
_FIELD = re.compile(r"(?:\b([\d.]{1,12})th|(Sum|Avg|Max))\(ms\): ([\d.]+)")
_QUERY = re.compile(r"\[Summary\] (Q\d{1,2}): ([\d.]{1,20})s\b")
_QUERIES = 22
_MINUTE = 60.0
_EACH = 12.86
"""New orders a minute that a warehouse can have with keying and thinking times (TPC-C, clause 4.1.3)."""
_REPORTS = 1000
"""Of one file that are read."""


def recognises(text: Text) -> bool:
    """A line of its summaries."""
    return bool(_SUMMARY.search(text.text) or _QUERY.search(text.text))


def read(text: Text) -> list[Published]:
    """One result for each summary."""
    made = [_report(before, report) for before, report in _reports(text, _SUMMARY)]
    return made + [_queries(before, report) for before, report in _reports(text, _QUERY)]


def _reports(text: Text, lines: re.Pattern[str]) -> Iterator[tuple[Text, Text]]:
    """What stands before each summary, and it with what follows: a name that comes again begins the next."""
    begins: list[tuple[int, int]] = []
    named: set[str] = set()
    end = 0
    for line in lines.finditer(text.text):
        if line[1] in named or not begins:
            named = set()
            begins.append((end, line.start()))
        named.add(line[1])
        end = line.end()
    for at, (before, begin) in enumerate(begins[:_REPORTS]):
        following = begins[at + 1][1] if at + 1 < len(begins) else len(text.text)
        yield text.part(before, begin), text.part(begin, following)


def _report(before: Text, text: Text) -> Published:
    latencies, rates, errors = [], [], 0.0
    for name, took, count, rate, rest in _SUMMARY.findall(text.text):
        if name.endswith("_ERR"):
            errors += number(count) or 0.0
            continue
        latencies.append(_latency(name.lower(), number(count), rest))
        rates.append(
            Rate(
                name=name.lower(),
                count=number(count) or 0.0,
                seconds=number(took) or 0.0,
                rate=(number(rate) or 0.0) / _MINUTE,
            )
        )
    command = before.of_command("warehouses", "run")
    warehouses = command.number(r"--warehouses[ =]#")
    return Published(
        form=NAME,
        file=text.name,
        benchmark="TPC-C",
        workload="tpcc",
        scale=warehouses,
        loop="closed",
        clients=command.number(r"--threads[ =]#") or command.number(r"-T #"),
        rate=sum(one.rate for one in rates) or None,
        seconds=max((one.seconds for one in rates), default=None),
        errors=errors,
        latencies=tuple(latencies),
        rates=tuple(rates),
        lacks={"L6": "its consistency conditions are a command of their own (check), which left nothing here"},
        contradicted=tuple(_contradictions(text, warehouses)),
    )


def _contradictions(text: Text, warehouses: float | None) -> Iterator[Contradiction]:
    orders, efficiency = text.number(r"tpmC: #"), text.number(r"efficiency: #%")
    if efficiency is not None and efficiency > 100.0:
        reason = (
            f"an efficiency of {efficiency:g} % is more than all: with keying and thinking times a warehouse has at "
        )
        yield Contradiction(row="L5", text=f"{reason}most {_EACH} new orders a minute")
    elif orders and warehouses and orders > _EACH * warehouses:
        reason = f"{orders:,.6g} tpmC of {warehouses:.0f} warehouses are more than the {_EACH * warehouses:,.6g} that "
        yield Contradiction(row="L5", text=f"{reason}keying and thinking times leave: this is no tpmC")


def _latency(name: str, count: float | None, rest: str) -> Latency:
    fields = {rank or what: value for rank, what, value in _FIELD.findall(rest)}
    times = {key: (number(value) or 0.0) * 1e-3 for key, value in fields.items()}
    return Latency(
        name=name,
        count=count,
        mean=times.get("Avg"),
        most=times.get("Max"),
        total=times.get("Sum"),
        percentiles={rank: value for key, value in times.items() if (rank := percentile(key)) is not None},
        step=step(fields.get("Avg", "0"), 1e-3),
        coarse=True,
    )


def _queries(before: Text, text: Text) -> Published:
    return Published(
        form=NAME,
        file=text.name,
        benchmark="TPC-H",
        workload="tpch",
        scale=before.number(r"--sf[ =]#"),
        loop="closed",
        times={name: (number(took),) for name, took in _QUERY.findall(text.text)},
        expected=_QUERIES,
    )
