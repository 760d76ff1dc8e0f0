"""What an audit reads off plans, texts, answers and times."""

from __future__ import annotations

import pyarrow as pa
import pytest

from weigh.experiment.suite import audit, plans
from weigh.model.answer import ResultSchema
from weigh.model.contender import Contender
from weigh.model.operation import Case, Operation
from weigh.model.spec import Spec

SPEC = Spec(workload="sql", contenders=(Contender(name="duckdb", engine="duckdb"),), baseline="duckdb", scale=None)
FOLDED = ("╭─ Column Data Scan ─╮", "│      DUMMY_SCAN      │", "╭─ Empty Result ─╮", "Function: RANGE")
READING = ("│      READ_PARQUET       │", "╭─ Read Parquet ──────────╮", "│         SEQ_SCAN        │")


@pytest.mark.parametrize(
    ("lineage", "reading", "folded"),
    [
        ("duckdb", READING, FOLDED),
        ("clickhouse", ("ReadFromFile", "ReadFromMergeTree (default.t)"),
         ("ReadFromPreparedSource (Optimized trivial count)", "ReadFromSystemNumbers", "ReadNothing")),
        ("datafusion", ("DataSourceExec: file_groups={}",), ("PlaceholderRowExec", "EmptyExec")),
        ("postgres", ("Seq Scan on t", "Index Only Scan using i on t"), ("Result", "Function Scan on generate_series")),
        ("sqlite", ("SCAN events", "SEARCH t USING INDEX i"), ("SCAN CONSTANT ROW",)),
    ],
)  # fmt: skip
def test_a_plan_reads_a_table_or_not(lineage: str, reading: tuple[str, ...], folded: tuple[str, ...]) -> None:
    assert [plans.reads(one, lineage) for one in reading] == [True] * len(reading)
    assert [plans.reads(one, lineage) for one in folded] == [False] * len(folded)


def kinds(*, seconds: tuple[float, ...], rows: int = 5, empty: bool = False, least: float = 1e-4) -> list[str]:
    seen = audit._Seen("READ_PARQUET", rows, empty, 0, seconds)
    return [kind for kind, _ in audit._problems(seen, "duckdb", least, SPEC)]


def test_times_that_cannot_decide_are_named_and_others_are_not() -> None:
    fine = (1.001e-2, 1.002e-2, 1.0e-2, 1.003e-2, 0.999e-2, 1.001e-2, 1.0005e-2)
    assert kinds(seconds=fine) == []
    assert kinds(seconds=fine, least=0.9e-2) == ["too_fast"]
    assert kinds(seconds=(1e-3, 1e-3, 2e-3, 1e-3, 1e-3, 1e-3, 1e-3)) == ["too_fast"]
    assert kinds(seconds=(1e-2, 2e-2, 0.5e-2, 3e-2, 1.1e-2, 0.7e-2, 4e-2)) == ["noisy"]
    assert kinds(seconds=fine, rows=0, empty=True) == ["empty"]


def test_an_answer_of_null_alone_is_empty_and_zero_is_not() -> None:
    assert audit._empty(pa.table({"a": pa.array([], pa.int64())}))
    assert audit._empty(pa.table({"a": pa.array([None], pa.int64()), "b": pa.array([None], pa.string())}))
    assert not audit._empty(pa.table({"a": [0]}))
    assert not audit._empty(pa.table({"a": pa.array([None, None], pa.int64())}))


def question(name: str, sql: str) -> Operation:
    return Operation(name=name, sql=sql, schema=ResultSchema(columns=()), cases=(Case(name="only", timed=True),))


def test_the_same_text_is_found_and_another_literal_is_another_question() -> None:
    asked = (
        question("a", "SELECT x FROM t WHERE y = 'Rome'"),
        question("b", "select x\nfrom t /* again */ where y = 'Rome'"),
        question("c", "SELECT x FROM t WHERE y = 'rome'"),
        question("d", 'SELECT "X" FROM t'),
        question("e", 'SELECT "x" FROM t'),
    )
    assert [(one.operation, one.text) for one in audit._same_text(asked)] == [("b", "it asks the same as a")]
