"""``h2o-groupby``: the ten questions of db-benchmark's ``groupby``, in SQL and as functions of data frames.

Eight answers follow from sums that were kept while the data was drawn; the others, medians (q6) and groups of nearly
one row (q10), are left to votes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.model.answer import Column, ResultSchema
from weigh.model.operation import Case, Operation, Workload
from weigh.workloads.h2o import answers

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.workloads import Cubes

_DOUBLE = 1e-10
"""Relative tolerance of sums and means of doubles, none of which is negative."""
_COMPUTED = 1e-6
"""The same of deviations and of a correlation, where numbers of nearly equal size are subtracted."""
_ZERO = 1e-9
"""What such a subtraction may leave of 0."""


def _columns(*names: str) -> ResultSchema:
    """Identifiers are the keys; ``name~`` is a double, ``name~~`` one that is computed with."""
    columns, keys = [], []
    for position, name in enumerate(names):
        plain = name.rstrip("~")
        if name != plain:
            computed = name.endswith("~~")
            columns.append(
                Column(
                    name=plain,
                    kind="double",
                    match="approx",
                    rel=_COMPUTED if computed else _DOUBLE,
                    absolute=_ZERO if computed else msgspec.UNSET,
                )
            )
            continue
        columns.append(Column(name=name, kind="string" if name in ("id1", "id2", "id3") else "integer"))
        if name.startswith("id"):
            keys.append(position)
    return ResultSchema(columns=tuple(columns), keys=tuple(keys))


_LARGEST = (
    "SELECT id6, v3 AS largest2_v3 FROM (SELECT id6, v3, row_number() OVER (PARTITION BY id6 ORDER BY v3 DESC) "
    "AS place FROM x WHERE v3 IS NOT NULL) AS ranked WHERE place <= 2"
)
_SPREAD = "SELECT id4, id5, {} AS median_v3, {} AS sd_v3 FROM x GROUP BY id4, id5"
_EVERYTHING = "id1, id2, id3, id4, id5, id6"
_QUESTIONS: dict[str, tuple[str, str, ResultSchema]] = {
    "q1": ("sum of v1 by id1", "SELECT id1, sum(v1) AS v1 FROM x GROUP BY id1", _columns("id1", "v1")),
    "q2": (
        "sum of v1 by id1 and id2",
        "SELECT id1, id2, sum(v1) AS v1 FROM x GROUP BY id1, id2",
        _columns("id1", "id2", "v1"),
    ),
    "q3": (
        "sum of v1 and mean of v3 by id3, which has many values",
        "SELECT id3, sum(v1) AS v1, avg(v3) AS v3 FROM x GROUP BY id3",
        _columns("id3", "v1", "v3~"),
    ),
    "q4": (
        "means by id4",
        "SELECT id4, avg(v1) AS v1, avg(v2) AS v2, avg(v3) AS v3 FROM x GROUP BY id4",
        _columns("id4", "v1~", "v2~", "v3~"),
    ),
    "q5": (
        "sums by id6, which has many values",
        "SELECT id6, sum(v1) AS v1, sum(v2) AS v2, sum(v3) AS v3 FROM x GROUP BY id6",
        _columns("id6", "v1", "v2", "v3~"),
    ),
    "q6": (
        "median and deviation of v3 by id4 and id5",
        _SPREAD.format("median(v3)", "stddev_samp(v3)"),
        _columns("id4", "id5", "median_v3~", "sd_v3~~"),
    ),
    "q7": (
        "range of v1 and v2 by id3",
        "SELECT id3, max(v1) - min(v2) AS range_v1_v2 FROM x GROUP BY id3",
        _columns("id3", "range_v1_v2"),
    ),
    "q8": ("the two largest v3 by id6", _LARGEST, _columns("id6", "largest2_v3~")),
    "q9": (
        "how well v1 follows from v2 by id2 and id4",
        "SELECT id2, id4, power(corr(v1, v2), 2) AS r2 FROM x GROUP BY id2, id4",
        _columns("id2", "id4", "r2~~"),
    ),
    "q10": (
        "sum of v3 and count by all identifiers: about as many groups as rows",
        f"SELECT {_EVERYTHING}, sum(v3) AS v3, count(*) AS count FROM x GROUP BY {_EVERYTHING}",
        _columns("id1", "id2", "id3", "id4", "id5", "id6", "v3~", "count"),
    ),
}
_OTHERWISE = {
    "q6": {
        "clickhouse": _SPREAD.format("quantileExactInclusive(0.5)(v3)", "stddev_samp(v3)"),
        "postgres": _SPREAD.format("percentile_cont(0.5) WITHIN GROUP (ORDER BY v3)", "stddev_samp(v3)"),
        "polars": _SPREAD.format("median(v3)", "stddev(v3)"),
    },
}
"""By dialect: a median that is exact, where ``median`` is another or is not there."""


class Groupby:
    """The source of the workload."""

    name = "h2o-groupby"
    dataset = "h2o-g1"
    operation_names = tuple(_QUESTIONS)

    def frames(self, library: str) -> tuple[str, str] | None:
        """The functions for a library of data frames, and the name of their file."""
        file = Path(__file__).parent / "frames" / f"{library}.py"
        return (file.read_text(encoding="utf-8"), f"h2o/frames/{file.name}") if file.is_file() else None

    def build(self, truth: Cubes, seed: int) -> Workload:
        """The ten questions, which have no literals."""
        operations = tuple(
            Operation(
                name=name,
                sql=sql,
                schema=schema,
                cases=(Case(name="only", timed=True),),
                about=about,
                dialect=_OTHERWISE.get(name, {}),
            )
            for name, (about, sql, schema) in _QUESTIONS.items()
        )
        return Workload(name=self.name, dataset=self.dataset, operations=operations)

    def expected(self, operation: str, case: Case, truth: Cubes) -> pa.Table | None:
        """The answer by the sums of the data; None for medians, and for groups of nearly one row."""
        return answers.expected(operation, truth) if truth else None


groupby = Groupby()
