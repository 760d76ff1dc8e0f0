"""Timed answers: whether an execution gave the answer that the gate saw. The clock stands meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weigh.answers import compare
from weigh.engines.process import WorkerEnded
from weigh.experiment.gate.queries import read_answer
from weigh.experiment.measure.execution import AnswerCheck
from weigh.model.sample import Outcome
from weigh.workloads.salted import COLUMN, unsalted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.experiment.measure.execution import Execution, Position
    from weigh.model.answer import ResultSchema
    from weigh.model.operation import Workload

LARGE_ANSWER = 64 << 20
"""Bytes; above, the full digest of an answer is taken once a start and its row count otherwise."""


class TimedAnswers:
    """Compares answers with those of the gate.

    Args:
        workload: its operations.
        kept: the gate's answer of (contender, operation, case).
    """

    def __init__(self, workload: Workload, kept: Mapping[tuple[str, str, str], Any]) -> None:
        self._workload = workload
        self._kept = kept
        self._digests: dict[tuple[str, str, str], str] = {}

    def check(self, position: Position, one: Execution) -> AnswerCheck:
        """Compare the answer of an execution; its file is gone afterwards. One that died with its worker is not."""
        if not one.answer.exists():
            return AnswerCheck()
        key = (position.contender, position.operation, position.case)
        schema = self._workload.operation(position.operation).schema
        expected = self._kept[key]
        if one.answer.stat().st_size > LARGE_ANSWER and one.run > 0:
            one.answer.unlink()
            same = one.cost.rows == expected.num_rows
            return AnswerCheck() if same else _wrong(f"{one.cost.rows:,} rows")
        try:
            table = read_answer(one.answer)
        except WorkerEnded as ended:
            return AnswerCheck(outcome=Outcome.ERROR, detail=ended.detail)
        if position.salt:
            plain = unsalted(table, position.salt)
            if plain is None:
                return _wrong(f"it has no column {COLUMN} of {position.salt}, which was asked for")
            table = plain
        digest = compare.digest(table, schema)
        if digest == self._digest(key, expected, schema) and not schema.loose:
            return AnswerCheck(digest=digest)
        compared = compare.compare(table, expected, schema)
        if compared.agrees:
            return AnswerCheck(digest=digest)
        return _wrong("; ".join(map(str, compared.differences[:2])), digest)

    def _digest(self, key: tuple[str, str, str], expected: Any, schema: ResultSchema) -> str:
        """Of the gate's answer."""
        if key not in self._digests:
            self._digests[key] = compare.digest(expected, schema)
        return self._digests[key]


def _wrong(shown: str, digest: str = "") -> AnswerCheck:
    return AnswerCheck(outcome=Outcome.WRONG, digest=digest, detail=f"differs from the answer the gate saw: {shown}")
