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
PLANS = {
    "duckdb": {
        "table": ("│      READ_PARQUET       │", "╭─ Read Parquet ─╮ ╭─ Column Data Scan ─╮", "SEQ_SCAN", "READ_CSV"),
        "generated": ("╭─ Range ─╮\n│ Function: RANGE │", "│ GENERATE_SERIES │", "│ UNNEST │\n│ DUMMY_SCAN │"),
        "constant": ("╭─ Column Data Scan ─╮", "│      DUMMY_SCAN      │", "╭─ Empty Result ─╮"),
        "unknown": ("│ SOMETHING_NEW │",),
    },
    "clickhouse": {
        "table": ("ReadFromFile", "ReadFromMergeTree (default.t)"),
        "generated": ("ReadFromSystemNumbers", "ReadFromStorage (SystemZeros)", "arrayJoin([1])\nReadFromSystemOne"),
        "constant": ("ReadFromPreparedSource (Optimized trivial count)", "ReadFromSystemOne", "ReadNothing"),
        "unknown": ("ReadFromStorage (Anything)",),
    },
    "datafusion": {
        "table": ("DataSourceExec: file_groups={1 group: [[t.parquet]]}",),
        "generated": ("TableScan: generate_series()\nLazyMemoryExec: partitions=1",),
        "constant": ("TableScan: t\nProjectionExec: expr=[9 as c]\n  PlaceholderRowExec", "EmptyExec"),
    },
    "postgres": {
        "table": ("  ->  Parallel Seq Scan on t", "Index Only Scan using i on t", "Custom Scan (Columnar) on t"),
        "generated": ("Function Scan on generate_series",),
        "constant": ("Result  (cost=0.00..0.01 rows=1 width=4)", "  ->  Result", 'Values Scan on "*VALUES*"'),
        "unknown": ("Hash Join  (cost=1..2)\n  Hash Cond: (Result = 1)",),
    },
    "sqlite": {
        "table": ("SCAN events", "SEARCH t USING INDEX i"),
        "generated": ("SCAN generate_series VIRTUAL TABLE INDEX 3:",),
        "constant": ("SCAN CONSTANT ROW", "SCAN 2 CONSTANT ROWS"),
    },
}  # fmt: skip


@pytest.mark.parametrize("lineage", PLANS)
def test_a_plan_says_where_its_rows_come_from(lineage: str) -> None:
    for said, examples in PLANS[lineage].items():
        assert [plans.source(one, lineage) for one in examples] == [said] * len(examples)
    assert set(PLANS) == {one for one in ("duckdb", "polars", *PLANS) if plans.explain("SELECT 1", one)}


def test_plans_are_compared_by_what_they_do_and_only_where_they_tell_it() -> None:
    one, again = (
        "╭─ Read Parquet ─╮\n│ Filters: k = 1 │\n│ ~63,212 rows │",
        "╭─ Read Parquet ──╮\n│ Filters: k = 1  │\n│ ~0 rows │",
    )
    assert plans.comparable(one, "duckdb") == plans.comparable(again, "duckdb")
    assert plans.comparable(one, "duckdb") != plans.comparable(one.replace("k = 1", "k = 2"), "duckdb")
    assert plans.comparable(one + "│ IN (...) │", "duckdb") is None
    # They leave literals out, or may hold them where they are not shown.
    assert plans.comparable("SEARCH t USING INDEX i (n=?)", "sqlite") is None
    assert plans.comparable(one + "╭─ Column Data Scan ─╮", "duckdb") is None


FINE = (1.001e-2, 1.002e-2, 1.0e-2, 1.003e-2, 0.999e-2, 1.001e-2, 1.0005e-2)


def kinds(
    seconds: tuple[float, ...] = FINE, *, source: plans.Source = "table", empty: bool = False, asking: float = 1e-4
) -> list[str]:
    seen = audit._Look(source, None, 0 if empty else 5, empty, seconds)
    return [kind for kind, _ in audit._problems(seen, asking, SPEC)]


def test_times_that_cannot_decide_are_named_and_others_are_not() -> None:
    assert kinds() == []
    assert kinds(asking=0.9e-2) == ["too_fast"]
    assert kinds((1e-3, 1e-3, 2e-3, 1e-3, 1e-3, 1e-3, 1e-3)) == ["too_fast"]
    assert kinds((1e-2, 2e-2, 0.5e-2, 3e-2, 1.1e-2, 0.7e-2, 4e-2)) == ["noisy"]
    # One that waited for another program is not fast because of it, and not slow.
    assert kinds((1e-2, 9e-2, 1.001e-2, 1.002e-2, 1.0005e-2, 1.0001e-2, 0.9999e-2)) == []
    assert kinds((2.0, 2.1, 2.05)) == []


def test_rows_that_an_engine_makes_itself_are_told_and_not_accused() -> None:
    assert kinds(source="generated") == ["generated"]
    assert "generated" not in audit.NOTHING
    assert kinds(source="constant") == ["constant"]
    assert kinds(source="unknown") == []
    assert kinds(empty=True) == ["empty"]


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
