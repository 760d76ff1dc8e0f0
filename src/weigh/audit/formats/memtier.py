"""memtier_benchmark: its table of all requests."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from weigh.audit.published import Latency, Part, Published, Rate
from weigh.audit.text import number, percentile, step

if TYPE_CHECKING:
    from weigh.audit.text import Text

NAME = "memtier_benchmark"
_HEAD = re.compile(r"^[ \t]*Type[ \t]+Ops/sec[ \t]+.*Latency.*$", re.MULTILINE)
_ENDS = re.compile(r"^[ \t]*Totals[ \t].*$", re.MULTILINE)
_COLUMN = re.compile(r"(?:(?:Avg\.|p[\d.]{1,12}) )?Latency|\S+")
"""A name in the head. One space alone is between two of them where they fill their columns."""
_ENDED = re.compile(
    r"\[RUN #1 100%,\s*(\d{1,12}) secs\]\s+0 threads[^:\n]{0,40}:\s*(\d{1,15}) ops,\s*\d{1,15} \(avg:\s*(\d{1,15})\)"
)
_KINDS = 64
"""Rows of a table that are read: one for each command of ``--command``."""
_TOTALS, _WAITS = "Totals", "Waits"
_RANK = re.compile(r"p([\d.]+) Latency")


def recognises(text: Text) -> bool:
    """The head of its table."""
    return bool(_HEAD.search(text.text))


def read(text: Text) -> list[Published]:
    """One result for each table."""
    # Several tables, as of the best run and of all, stand behind one list of options.
    made: list[Published] = []
    options = ""
    for before, report in text.reports(_HEAD, _ENDS):
        options = before.text if _ENDED.search(before.text) or "Connections per thread" in before.text else options
        made.append(_table(report, options))
    return made


def _table(text: Text, before: str) -> Published:
    head, _, body = text.text.partition("\n")
    names = _COLUMN.findall(head)
    rows = _rows(body, len(names))
    threads, connections = (
        _last(before, rf"\b(\d{{1,12}})[ \t]+{name}") for name in ("Threads", "Connections per thread")
    )
    ended = _ENDED.findall(before)
    total = _value(next((cells for cells in rows if cells[0] == _TOTALS), None), names, "Ops/sec")
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
        latencies=tuple(_latency(cells[0], cells, names) for cells in rows if cells[0] not in (_WAITS, _TOTALS)),
        rates=tuple(rates[-1:]),
        parts=tuple(_parts(total, rows, names)),
    )


def _rows(body: str, columns: int) -> list[list[str]]:
    """The cells of each row, to the totals: with ``--command`` a row has the name of a command."""
    found: list[list[str]] = []
    for line in islice(body.splitlines(), 1, _KINDS):
        cells = line.split()
        if len(cells) < columns:
            break
        name = " ".join(cells[: len(cells) - columns + 1])
        found.append([name, *cells[len(cells) - columns + 1 :]])
        if name == _TOTALS:
            break
    return found


def _last(text: str, pattern: str) -> float | None:
    found = re.findall(pattern, text)
    return number(found[-1]) if found else None


def _value(cells: list[str] | None, names: list[str], column: str) -> float | None:
    if cells is None or column not in names or names.index(column) >= len(cells):
        return None
    return number(cells[names.index(column)])


def _latency(name: str, cells: list[str], names: list[str]) -> Latency:
    mean = next((column for column in ("Avg. Latency", "Latency") if column in names), "")
    ranks = {
        column: rank
        for column in names
        if (found := _RANK.fullmatch(column)) and (rank := percentile(found[1])) is not None
    }
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


def _parts(total: float | None, rows: list[list[str]], names: list[str]) -> list[Part]:
    """The totals with all kinds. Hits and misses are of keys, of which one request may get several."""
    kinds: dict[str, float] = {}
    for cells in rows:
        if cells[0] != _TOTALS:
            kinds[cells[0]] = kinds.get(cells[0], 0.0) + (_value(cells, names, "Ops/sec") or 0.0)
    return [Part(name="requests a second", total=total, parts=kinds)] if total is not None and kinds else []
