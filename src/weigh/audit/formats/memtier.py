"""memtier_benchmark: its table of all requests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Latency, Part, Published, Rate
from weigh.audit.text import number, step

if TYPE_CHECKING:
    from weigh.audit.text import Text

NAME = "memtier_benchmark"
_HEAD = re.compile(r"^Type\s+Ops/sec\s+Hits/sec.*$", re.MULTILINE)
_COLUMN = re.compile(r"\S+(?: \S+)*?(?=\s{2,}|\s*$)")
_RANK = re.compile(r"p([\d.]+) Latency")


def recognises(text: Text) -> bool:
    """The head of its table."""
    return bool(_HEAD.search(text.text))


def read(text: Text) -> list[Published]:
    """One result for each table."""
    return [_table(text, found) for found in _HEAD.finditer(text.text)]


def _table(text: Text, head: re.Match[str]) -> Published:
    names = _COLUMN.findall(head[0])
    rows: dict[str, list[str]] = {}
    for line in text.text[head.end() :].splitlines()[2:8]:
        cells = line.split()
        if cells and cells[0] in ("Sets", "Gets", "Waits", "Totals"):
            rows[cells[0]] = cells
    before = text.text[: head.start()]
    threads, connections = (_last(before, rf"(\d+)\s+{name}") for name in ("Threads", "Connections per thread"))
    ended = re.findall(r"\[RUN #1 100%,\s*(\d+) secs\]\s+0 threads[^:]*:\s*(\d+) ops,\s*\d+ \(avg:\s*(\d+)\)", before)
    total = _value(rows.get("Totals"), names, "Ops/sec")
    rates = [
        Rate(name="all requests", count=float(ops), seconds=float(took), rate=float(rate)) for took, ops, rate in ended
    ]
    return Published(
        form=NAME,
        file=text.name,
        benchmark="sets and gets",
        workload="ycsb-a",
        loop="closed",
        clients=threads * connections if threads and connections else None,
        # A pipeline is not in the table.
        pipelined=True,
        rate=total,
        seconds=float(ended[-1][0]) if ended else None,
        latencies=tuple(_latency(name, cells, names) for name, cells in rows.items() if name in ("Sets", "Gets")),
        rates=tuple(rates[-1:]),
        parts=tuple(_parts(rows, names)),
    )


def _last(text: str, pattern: str) -> float | None:
    found = re.findall(pattern, text)
    return number(found[-1]) if found else None


def _value(cells: list[str] | None, names: list[str], column: str) -> float | None:
    if cells is None or column not in names or names.index(column) >= len(cells):
        return None
    return number(cells[names.index(column)])


def _latency(name: str, cells: list[str], names: list[str]) -> Latency:
    mean = next((column for column in ("Avg. Latency", "Latency") if column in names), "")
    ranks = {column: float(found[1]) for column in names if (found := _RANK.fullmatch(column))}
    values = {
        rank: value * 1e-3 for column, rank in ranks.items() if (value := _value(cells, names, column)) is not None
    }
    average = _value(cells, names, mean)
    return Latency(
        name=name.lower(),
        mean=average * 1e-3 if average is not None else None,
        most=values.pop(100.0, None),
        percentiles=values,
        step=step("0.000", 1e-3),
    )


def _parts(rows: dict[str, list[str]], names: list[str]) -> list[Part]:
    total = _value(rows.get("Totals"), names, "Ops/sec")
    kinds = {name: _value(rows.get(name), names, "Ops/sec") or 0.0 for name in ("Sets", "Gets", "Waits")}
    found = [Part(name="requests a second", total=total, parts=kinds)] if total is not None else []
    gets = _value(rows.get("Gets"), names, "Ops/sec")
    hits, misses = (_value(rows.get("Gets"), names, column) for column in ("Hits/sec", "Misses/sec"))
    if gets is not None and hits is not None and misses is not None:
        found.append(Part(name="gets a second", total=gets, parts={"hits": hits, "misses": misses}))
    return found
