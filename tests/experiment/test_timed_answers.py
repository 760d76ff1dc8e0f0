"""Answers of timed executions: known again by their bytes, and never by another question's."""

from pathlib import Path

import pyarrow as pa

from weigh.engines.exchange import RequestCost
from weigh.engines.run_cost import RunCost
from weigh.experiment.measure.execution import Execution, Position
from weigh.experiment.measure.timed_answers import TimedAnswers
from weigh.model.answer import Column, ResultSchema
from weigh.model.operation import Case, Operation, Workload
from weigh.model.sample import Outcome
from weigh.workloads.salted import column

NOTHING = RequestCost(seconds=0.0, cpu_s=0.0)
RIGHT = pa.table({"city": ["Oslo", "Rome"], "a": [1.5, 2.5]})
COLUMNS = (Column(name="city", kind="string"), Column(name="a", kind="double", match="approx", rel=1e-9))
WORKLOAD = Workload(
    name="sql",
    dataset="files",
    operations=(
        Operation(
            name="q",
            sql="SELECT city, sum(amount) AS a FROM events GROUP BY city",
            schema=ResultSchema(columns=COLUMNS, keys=(0,)),
            cases=(Case(name="only", timed=True),),
        ),
    ),
)


def answered(folder: Path, table: pa.Table, *, salt: int = 0, run: int = 1) -> tuple[Position, Execution]:
    path = folder / "answer.arrow"
    with pa.ipc.new_stream(path, table.schema) as stream:
        stream.write_table(table)
    cost = RunCost(
        wall_s=0.1, rows=2, cpu_s=0.1, peak_memory=None, bytes_read=None, bytes_written=None, major_faults=None,
        round_trip=NOTHING, release=NOTHING,
    )  # fmt: skip
    where = Position(
        attempt=1, block=0, start=1, turn=0, round=1, arm="a", contender="a", operation="q", case="only", salt=salt
    )
    return where, Execution(run=run, at=0.0, prepared=NOTHING, cost=cost, handing=NOTHING, answer=path)


def test_an_answer_is_known_again_and_a_wrong_one_is_not(tmp_path: Path) -> None:
    answers = TimedAnswers(WORKLOAD, {("a", "q", "only"): RIGHT})
    last_bits = pa.table({"city": ["Rome", "Oslo"], "a": [2.5, 1.5 + 1e-12]})
    wrong = pa.table({"city": ["Oslo", "Rome"], "a": [1.5, 2.6]})
    digests = set()
    for table in (RIGHT, last_bits, RIGHT, last_bits):
        (check,) = answers.check([answered(tmp_path, table)])
        assert check.outcome is Outcome.OK
        digests.add(check.digest)
    assert len(digests) == 1 and digests != {""}
    for _ in range(2):
        (check,) = answers.check([answered(tmp_path, wrong)])
        assert check.outcome is Outcome.WRONG, "what was wrong once is not remembered as right"


def test_the_answer_to_another_question_is_wrong_however_often_it_was_right(tmp_path: Path) -> None:
    """Who keeps answers hands out the one that it has; its bytes are known, and were not asked for."""
    answers = TimedAnswers(WORKLOAD, {("a", "q", "only"): RIGHT})
    salted = RIGHT.append_column(column(417_000_001), pa.array([417_000_001, 417_000_001]))
    for _ in range(2):
        assert answers.check([answered(tmp_path, RIGHT)])[0].outcome is Outcome.OK
        assert answers.check([answered(tmp_path, salted, salt=417_000_001, run=0)])[0].outcome is Outcome.OK
        assert answers.check([answered(tmp_path, RIGHT, salt=417_000_002, run=0)])[0].outcome is Outcome.WRONG
        assert answers.check([answered(tmp_path, salted, salt=417_000_002, run=0)])[0].outcome is Outcome.WRONG
