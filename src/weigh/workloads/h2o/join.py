"""``h2o-join``: the five joins of db-benchmark, in SQL and as functions of data frames.

db-benchmark keeps each joined table in memory and then sums two of its columns to check it. Here the question is that
sum, so that the answer is one row, and its truth is known while the data is drawn.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from weigh.model.answer import Column, ResultSchema
from weigh.model.operation import Case, Operation, Workload

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.workloads import Cubes

_MILLIONTHS = 1_000_000
_SCHEMA = ResultSchema(
    columns=(
        Column(name="joined", kind="integer"),
        Column(name="v1", kind="double", match="approx", rel=1e-10),
        Column(name="v2", kind="double", match="approx", rel=1e-10),
    )
)
_SUMS = "SELECT count(*) AS joined, sum(v1) AS v1, sum(v2) AS v2"
_QUESTIONS = {
    "q1": ("a small table by an integer", "small", "JOIN", "id1"),
    "q2": ("a medium table by an integer", "medium", "JOIN", "id2"),
    "q3": ("a medium table by an integer; rows without a counterpart stay", "medium", "LEFT JOIN", "id2"),
    "q4": ("a medium table by a text", "medium", "JOIN", "id5"),
    "q5": ("a table as large as the first, by an integer", "big", "JOIN", "id3"),
}
"""By name: what for, the other table, the join, the key."""


class Join:
    """The source of the workload."""

    name = "h2o-join"
    dataset = "h2o-j1"
    operation_names = tuple(_QUESTIONS)

    def frames(self, library: str) -> tuple[str, str] | None:
        """The functions for a library of data frames, and the name of their file."""
        file = Path(__file__).parent / "frames" / f"{library}_join.py"
        return (file.read_text(encoding="utf-8"), f"h2o/frames/{file.name}") if file.is_file() else None

    def build(self, truth: Cubes, seed: int) -> Workload:
        """The five questions, which have no literals."""
        operations = tuple(
            Operation(
                name=name,
                sql=f"{_SUMS} FROM x {how} {side} ON x.{key} = {side}.{key}",
                schema=_SCHEMA,
                cases=(Case(name="only", timed=True),),
                about=about,
            )
            for name, (about, side, how, key) in _QUESTIONS.items()
        )
        return Workload(name=self.name, dataset=self.dataset, operations=operations)

    def expected(self, operation: str, case: Case, truth: Cubes) -> pa.Table | None:
        """The answer by the sums of the data."""
        if not truth:
            return None
        import pyarrow as pa

        _, side, how, _ = _QUESTIONS[operation]
        known = truth["joined"]
        at = list(known["side"]).index(side)
        outer = "all_" if how == "LEFT JOIN" else ""
        return pa.table(
            {
                "joined": [int(known[f"{outer}rows"][at])],
                "v1": [int(known[f"{outer}v1"][at]) / _MILLIONTHS],
                "v2": [int(known["v2"][at]) / _MILLIONTHS],
            }
        )


join = Join()
