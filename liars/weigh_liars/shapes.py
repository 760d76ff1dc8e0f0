"""Questions whose right answers can be given in more than one form, over netflow's data.

The workload ``shapes`` has five; ``three`` and ``two`` have the first of them, for what takes long.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from weigh.plugins import Case, Column, Operation, ResultSchema, Workload

if TYPE_CHECKING:
    from weigh.plugins import Cubes

TOP = 50
"""Services are 40; beyond them come ports that were used a few times each, and many of those tie."""

_ACTION = Column(name="action", kind="string")
_EVENTS = Column(name="events", kind="integer")
_MILLIONTHS = 1_000_000


class Shapes:
    """The source of a workload.

    Args:
        name: of the workload.
        operations: how many belong to it.
    """

    dataset = "netflow"

    def __init__(self, name: str, operations: int) -> None:
        self.name = name
        self.operations = operations

    def build(self, truth: Cubes, seed: int) -> Workload:
        """Operations of one question each."""
        counts = "SELECT action, count(*) AS events FROM events GROUP BY action"
        ports = "SELECT dst_port, count(*) AS events FROM events GROUP BY dst_port"
        mean = "CAST(CAST(sum(bytes) AS DOUBLE) / count(*) AS DECIMAL(24, 6)) AS mean_bytes"
        first = "CAST(min(ts) AS DATE) AS first_day"
        port = Column(name="dst_port", kind="integer")
        quotient = Column(name="mean_bytes", kind="decimal", match="quotient")
        day = Column(name="first_day", kind="date")
        operations = (
            _operation("unordered", counts, _ACTION, _EVENTS),
            _operation("ties", f"{ports} ORDER BY events DESC LIMIT {TOP}", port, _EVENTS, ordered_by=(1,), limit=TOP),
            _operation("quotients", f"SELECT action, {mean} FROM events GROUP BY action", _ACTION, quotient),
            _operation("ordered", f"{counts} ORDER BY action", _ACTION, _EVENTS, ordered_by=(0,)),
            _operation("days", f"SELECT action, {first} FROM events GROUP BY action", _ACTION, day),
        )
        return Workload(name=self.name, dataset=self.dataset, operations=operations[: self.operations])

    def expected(self, operation: str, case: Case, truth: Cubes) -> pa.Table | None:
        """The right answer, from the truth alone."""
        groups = truth["groups"]
        events, volume = (_sums(groups["action"], groups[measure]) for measure in ("events", "bytes"))
        actions = sorted(events)
        if operation in ("unordered", "ordered"):
            return pa.table({"action": actions, "events": [events[action] for action in actions]})
        if operation == "quotients":
            means = [Decimal(volume[a] * _MILLIONTHS // events[a]) / _MILLIONTHS for a in actions]
            return pa.table({"action": actions, "mean_bytes": pa.array(means, pa.decimal128(24, 6))})
        if operation == "days":
            return pa.table({"action": actions, "first_day": [_first_day(truth["extremes"], a) for a in actions]})
        ports = _sums(truth["ports"]["dst_port"], truth["ports"]["events"])
        ranked = sorted(ports, key=lambda port: (-ports[port], port))
        chosen = [port for port in ranked if ports[port] >= ports[ranked[TOP - 1]]]
        return pa.table({"dst_port": chosen, "events": [ports[port] for port in chosen]})


shapes = Shapes("shapes", 5)
three = Shapes("three", 3)
two = Shapes("two", 2)


def _operation(name: str, sql: str, *columns: Column, **rows: Any) -> Operation:
    schema = ResultSchema(columns=columns, keys=(0,), **rows)
    return Operation(name=name, sql=sql, schema=schema, cases=(Case(name="only", timed=True),))


def _sums(keys: Any, values: Any) -> Counter[Any]:
    found = Counter[Any]()
    for key, value in zip(keys, values, strict=True):
        found[key.item() if hasattr(key, "item") else key] += int(value)
    return found


def _first_day(extremes: Any, action: str) -> dt.date:
    rows = zip(extremes["action"], extremes["column"], extremes["low"], strict=True)
    (first,) = (int(low) for of, column, low in rows if (of, column) == (action, "ts"))
    return dt.datetime.fromtimestamp(first / 1e6, dt.UTC).date()
