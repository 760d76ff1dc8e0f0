"""Timed answers: whether an execution gave the answer that the gate saw. The clock stands meanwhile."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from weigh.answers import by_columns, compare, left_open
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate.queries import answer_bytes, answer_in
from weigh.experiment.measure.execution import AnswerCheck
from weigh.model.answer import ResultSchema
from weigh.model.sample import Outcome
from weigh.workloads.salted import column, unsalted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.measure.execution import Execution, Position
    from weigh.model.operation import Operation, Workload

LARGE_ANSWER = 64 << 20
"""Bytes; above, one execution of a turn, drawn when the turn is over, is compared whole. Of the others one column is,
drawn as well, and the number of rows: nobody can know beforehand where it will be looked."""

_REMEMBERED = 8
"""Streams of one answer that are known again: engines that add in no fixed order write one each time."""

_Key = tuple[str, str, str]


class TimedAnswers:
    """Compares answers with those of the gate.

    Args:
        workload: its operations.
        kept: the gate's answer of (contender, operation, case).
        tied: right answer of (operation, case) with every row that may stand at its limit, where that is known.
        contenders: by name, whose lineage says what may be otherwise each time.
    """

    def __init__(
        self,
        workload: Workload,
        answers: Mapping[_Key, Any],
        tied: Mapping[tuple[str, str], Any] | None = None,
        contenders: Mapping[str, PreparedContender] | None = None,
    ) -> None:
        self._workload = workload
        self._lineage = {name: one.lineage for name, one in (contenders or {}).items()}
        self._answers = answers
        self._tied = tied or {}
        self._digests: dict[_Key, str] = {}
        self._columns: dict[tuple[_Key, int], str] = {}
        self._right: dict[_Key, dict[str, str]] = {}
        """Of answers that were found right: the hash of their bytes, and their digest."""

    def check(self, turn: Sequence[tuple[Position, Execution]]) -> list[AnswerCheck]:
        """Compare the answers of a turn; their files are gone afterwards. One that died with its worker is not."""
        drawn = secrets.randbelow(len(turn)) if turn else None
        return [self._check(position, one, whole=at == drawn) for at, (position, one) in enumerate(turn)]

    def _check(self, position: Position, one: Execution, *, whole: bool) -> AnswerCheck:
        from weigh._native import hash_bytes

        if one.first and one.first.wrong:
            return AnswerCheck(outcome=Outcome.WRONG, detail=one.first.wrong)
        if not one.answer.exists():
            return AnswerCheck()
        key = (position.contender, position.operation, position.case)
        operation = self._workload.operation(position.operation)
        expected = self._answers[key]
        part = not whole and one.answer.stat().st_size > LARGE_ANSWER
        try:
            content = answer_bytes(one.answer)
            # A salted question has another answer each time: one that was observed before is another question's.
            salted = "" if part or position.salt else hash_bytes(content)
            # Byte by byte what was compared before: it is as right as then.
            if (digest := self._right.get(key, {}).get(salted)) is not None:
                return AnswerCheck(digest=digest)
            table = answer_in(content)
        except WorkerEnded as ended:
            return AnswerCheck(outcome=Outcome.ERROR, detail=ended.detail)
        if position.salt:
            plain = unsalted(table, position.salt)
            if plain is None:
                return _wrong(f"it has no column {column(position.salt)} of {position.salt}, which was asked for")
            table = plain
        if table.column_names != expected.column_names:
            return _wrong(f"columns {', '.join(table.column_names)}, not {', '.join(expected.column_names)}")
        if part:
            return self._part(key, table, operation)
        found = self._whole(key, table, operation)
        right = self._right.setdefault(key, {})
        if salted and found.outcome is Outcome.OK and len(right) < _REMEMBERED:
            right[salted] = found.digest
        return found

    def _whole(self, key: _Key, table: pa.Table, operation: Operation) -> AnswerCheck:
        """All rows and columns."""
        schema = operation.schema
        expected, tied = self._answers[key], self._tied.get(key[1:])
        if by_columns.same(table, expected, schema, to_the_bit=tied is not None):
            return AnswerCheck(digest=self._digest(key, expected, schema))
        digest = compare.digest(table, schema)
        if digest == self._digest(key, expected, schema) and not schema.loose:
            return AnswerCheck(digest=digest)
        # An answer may take other rows of those that tie than before, but only of those.
        witness = expected if tied is None else tied
        compared = left_open.by_chance(
            operation, table, witness, self._lineage.get(key[0], ""), complete=tied is not None
        )
        if compared.agrees:
            return AnswerCheck(digest=digest)
        return _wrong("; ".join(map(str, compared.differences[:2])), digest)

    def _digest(self, key: _Key, expected: Any, schema: ResultSchema) -> str:
        """Of the gate's answer."""
        if key not in self._digests:
            self._digests[key] = compare.digest(expected, schema)
        return self._digests[key]

    def _part(self, key: _Key, table: pa.Table, operation: Operation) -> AnswerCheck:
        """The number of rows, and all values of one column that is compared exactly."""
        schema, expected = operation.schema, self._answers[key]
        if table.num_rows != expected.num_rows:
            return _wrong(f"{table.num_rows:,} rows, not {expected.num_rows:,}")
        chance = left_open.has_chance(operation, self._lineage.get(key[0], ""))
        if schema.limit is not None or not schema.exact or chance:
            # Rows that tie may come in each other's place.
            return AnswerCheck()
        at = secrets.choice(schema.exact)
        if (key, at) not in self._columns:
            self._columns[key, at] = _column(expected, schema, at)
        if _column(table, schema, at) == self._columns[key, at]:
            return AnswerCheck()
        return _wrong(f"other values in column {schema.columns[at].name}")


def _column(table: pa.Table, schema: ResultSchema, at: int) -> str:
    ordered = (0,) if schema.ordered_by[:1] == (at,) else ()
    return compare.digest(table.select([at]), ResultSchema(columns=(schema.columns[at],), ordered_by=ordered))


def _wrong(difference: str, digest: str = "") -> AnswerCheck:
    return AnswerCheck(
        outcome=Outcome.WRONG, digest=digest, detail=f"differs from the answer the gate saw: {difference}"
    )
