"""Votes of lineages: who is outvoted, and where no majority tells who is right."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from weigh.answers.votes import vote
from weigh.model.answer import Column, ResultSchema
from weigh.model.gate import UNDECIDED
from weigh.model.operation import Case, Operation

LINEAGE = {"duckdb": "duckdb", "polars": "polars", "pyarrow": "arrow"}


def detail(sql: str, odd: float, others: float) -> str:
    """What is said of the first, which differs from the two others."""
    case = Case(name="only", timed=True)
    schema = ResultSchema(columns=(Column(name="v", kind="double"),))
    operation = Operation(name="q", sql=sql, cases=(case,), schema=schema)
    tables = {name: pa.table({"v": [odd if name == "duckdb" else others]}) for name in LINEAGE}
    (found,) = [one for one in vote(operation, case, tables, LINEAGE) if one.contender == "duckdb"]
    return found.detail


@pytest.mark.parametrize(("odd", "others"), [(math.nan, math.inf), (1.5, math.nan)])
def test_where_nan_stands_in_an_order_no_majority_tells(odd: float, others: float) -> None:
    assert detail("SELECT max(v) AS v FROM t", odd, others) == UNDECIDED


@pytest.mark.parametrize(
    ("sql", "odd", "others"),
    [("SELECT max(v) AS v FROM t", 1.0, 2.0), ("SELECT sum(v) AS v FROM t", math.nan, 1.0)],
)
def test_other_numbers_are_outvoted(sql: str, odd: float, others: float) -> None:
    assert detail(sql, odd, others) == "outvoted"
